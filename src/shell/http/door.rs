//! A listener in an open hall meets clients that send half a request, read nothing, or never leave.
//! This one has a fixed number of seats, and a seat is kept only by a client that takes what it is
//! sent and does not talk much.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// Connections at once. When all seats are taken, the next client waits in the door.
pub(super) const SEATS: usize = 256;
/// A client must take some bytes of an answer at least this often. It covers half requests and
/// idle connections; viewers are sent something every ten seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes that a client may send between two answers: one request with large headers.
const TALK_MAX_BYTES: usize = 32 * 1024;

/// The listener with its seats.
#[derive(Debug)]
pub(super) struct Door {
    listener: TcpListener,
    seats: Arc<Semaphore>,
}

impl Door {
    /// Lets in as many clients as `seats` has permits.
    pub(super) fn new(listener: TcpListener, seats: Arc<Semaphore>) -> Self {
        Self { listener, seats }
    }
}

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        let (stream, addr) = Listener::accept(&mut self.listener).await;
        let seat = Arc::clone(&self.seats).acquire_owned().await.expect("seats that never close");
        // A view is one small segment; waiting to fill a larger one would only delay it. A socket
        // that refuses is about to fail anyway.
        stream.set_nodelay(true).ok();
        (Guest { stream, patience: Box::pin(sleep(PATIENCE)), talk: 0, _seat: seat }, addr)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A client in its seat.
#[derive(Debug)]
pub(super) struct Guest {
    stream: TcpStream,
    /// Runs out unless the client takes bytes.
    patience: Pin<Box<Sleep>>,
    /// Bytes received since the last answer.
    talk: usize,
    /// Given back when the connection is dropped.
    _seat: OwnedSemaphorePermit,
}

impl Guest {
    /// Pending, or the error that ends an overlong wait.
    fn wait<T>(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<T>> {
        ready!(self.patience.as_mut().poll(cx));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }

    /// Notes that the client took something.
    fn answered(&mut self, n_bytes: usize) {
        if n_bytes > 0 {
            self.talk = 0;
            self.patience.as_mut().reset(Instant::now() + PATIENCE);
        }
    }
}

impl AsyncRead for Guest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_pending() {
            return self.wait(cx);
        }
        self.talk += buf.filled().len() - before;
        if self.talk > TALK_MAX_BYTES {
            return Poll::Ready(Err(ErrorKind::InvalidData.into()));
        }
        read
    }
}

impl AsyncWrite for Guest {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(cx, buf) {
            Poll::Pending => self.wait(cx),
            Poll::Ready(wrote) => {
                self.answered(*wrote.as_ref().unwrap_or(&0));
                Poll::Ready(wrote)
            }
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write_vectored(cx, bufs) {
            Poll::Pending => self.wait(cx),
            Poll::Ready(wrote) => {
                self.answered(*wrote.as_ref().unwrap_or(&0));
                Poll::Ready(wrote)
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
