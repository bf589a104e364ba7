//! A listener in an open hall meets clients that send half a request, read nothing, or never leave.
//! Each gets so much time, and a seat among others ([`super::seats`]).
//!
//! Who asks for the pages, and who asks whether all is well, is answered on different threads: the
//! first bytes of a request tell.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use rustix::net::sockopt::{set_socket_recv_buffer_size, set_socket_send_buffer_size};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::seats::{House, Place, Seat};

/// A guest gets its first answer within this, or has not asked.
const FIRST: Duration = Duration::from_secs(10);
/// A guest stays no longer than this, however slowly it asks or reads; then it comes again.
const VISIT: Duration = Duration::from_secs(60);
/// A viewer must take some bytes at least this often; it is sent something every ten seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes that a client may send between two answers: one request with large headers.
const TALK_MAX_BYTES: usize = 32 * 1024;

/// What the kernel keeps of either direction of a connection, before it doubles that: some views, a
/// request. Left to itself it would keep megabytes for who does not read, of the daemon's memory.
const BUFFER_BYTES: usize = 16 * 1024;

/// How requests begin that ask only whether all is well.
const CHECKS: [&[u8]; 6] = [
    b"GET /healthz",
    b"GET /readyz",
    b"GET /metrics",
    b"HEAD /healthz",
    b"HEAD /readyz",
    b"HEAD /metrics",
];
/// As many bytes as tell them from all others.
const FIRST_BYTES: usize = 13;
/// So many may wait for either desk with what they ask; who comes after them keeps what he asks to
/// himself until there is room.
pub(super) const WAITING: usize = 64;

/// Somebody with a seat who has begun to ask.
#[derive(Debug)]
pub(super) struct Caller {
    stream: std::net::TcpStream,
    address: SocketAddr,
    place: Place,
}

/// Where callers are answered.
#[derive(Clone, Debug)]
pub(super) struct Desks {
    /// The desk that answers health checks.
    pub(super) checks: mpsc::Sender<Caller>,
    /// The desk for all other requests.
    pub(super) pages: mpsc::Sender<Caller>,
}

/// Gives everybody a seat who comes, and sends who asks on to a desk, until `closing` changes.
pub(super) async fn admit(
    mut listener: TcpListener,
    house: Arc<House>,
    desks: Desks,
    mut closing: watch::Receiver<bool>,
) {
    let mut comers = JoinSet::new();
    loop {
        tokio::select! {
            (stream, address) = Listener::accept(&mut listener) => {
                let place = house.enter(address.ip());
                let house = Arc::clone(&house);
                comers.spawn(show_in(stream, address, place, house, desks.clone()));
            }
            Some(_) = comers.join_next() => {}
            _ = closing.changed() => return,
        }
    }
}

/// Waits until somebody asks, and sends him on.
async fn show_in(
    stream: TcpStream,
    address: SocketAddr,
    mut place: Place,
    house: Arc<House>,
    desks: Desks,
) {
    // A view is one small segment; waiting to fill a larger one would only delay it. A socket
    // that refuses is about to fail anyway.
    stream.set_nodelay(true).ok();
    set_socket_send_buffer_size(&stream, BUFFER_BYTES).ok();
    set_socket_recv_buffer_size(&stream, BUFFER_BYTES).ok();
    let mut first = [0; FIRST_BYTES];
    let heard = tokio::select! {
        n = timeout(FIRST, stream.peek(&mut first)) => n.ok().and_then(Result::ok),
        _ = &mut place.cut => None,
    };
    let Ok(stream) = stream.into_std() else { return };
    // Whoever lost his seat before his words were noticed may have said them all the same.
    let said = heard.or_else(|| stream.peek(&mut first).ok()).map_or(&[][..], |n| &first[..n]);
    let is_check = CHECKS.iter().any(|words| said.starts_with(words));
    let desk = if is_check {
        place = house.check(address.ip());
        &desks.checks
    } else if heard.is_some_and(|n| n > 0) {
        &desks.pages
    } else {
        return;
    };
    let free = tokio::select! {
        free = timeout(FIRST, desk.reserve()) => free.ok().and_then(Result::ok),
        _ = &mut place.cut => None,
    };
    if let Some(free) = free {
        free.send(Caller { stream, address, place });
    }
}

/// A desk's end of the row of those who are sent to it.
#[derive(Debug)]
pub(super) struct Door {
    callers: mpsc::Receiver<Caller>,
    address: SocketAddr,
}

impl Door {
    /// The row in front of a desk of the server at `address`.
    pub(super) fn new(callers: mpsc::Receiver<Caller>, address: SocketAddr) -> Self {
        Self { callers, address }
    }
}

impl Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        loop {
            let Some(Caller { stream, address, place }) = self.callers.recv().await else {
                // Nobody comes any more.
                return std::future::poll_fn(|_| Poll::Pending).await;
            };
            if let Ok(stream) = TcpStream::from_std(stream) {
                let (came, until) = (Instant::now(), Box::pin(sleep(FIRST)));
                let Place { seat, cut } = place;
                let guest = Guest { stream, seat, cut, is_cut: false, came, until, talk: 0 };
                return (guest, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

/// The client who makes a request.
#[derive(Clone, Debug)]
pub(in crate::shell) struct Asker(pub(super) Arc<Seat>);

impl Asker {
    /// The address that counts: a household's.
    pub(in crate::shell) fn neighbors(&self) -> IpAddr {
        self.0.address
    }
}

impl Connected<IncomingStream<'_, Door>> for Asker {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        Self(Arc::clone(&stream.io().seat))
    }
}

/// A client in its seat.
#[derive(Debug)]
pub(super) struct Guest {
    stream: TcpStream,
    seat: Arc<Seat>,
    /// Ends when the seat is another's.
    cut: oneshot::Receiver<()>,
    /// It has ended, and must not be asked again.
    is_cut: bool,
    came: Instant,
    /// When it has to go.
    until: Pin<Box<Sleep>>,
    /// Bytes received since the last answer.
    talk: usize,
}

impl Guest {
    /// Whether it has to go now; else the task is woken when it has.
    fn must_go(&mut self, cx: &mut Context<'_>) -> Option<io::Error> {
        self.is_cut = self.is_cut || Pin::new(&mut self.cut).poll(cx).is_ready();
        if self.is_cut {
            return Some(ErrorKind::ConnectionAborted.into());
        }
        self.until.as_mut().poll(cx).is_ready().then(|| ErrorKind::TimedOut.into())
    }

    /// Notes that the client took something.
    fn answered(&mut self, n_bytes: usize) {
        if n_bytes == 0 {
            return;
        }
        self.talk = 0;
        let is_viewers = self.seat.is_viewers();
        let until = if is_viewers { Instant::now() + PATIENCE } else { self.came + VISIT };
        self.until.as_mut().reset(until);
    }
}

impl AsyncRead for Guest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(why) = self.must_go(cx) {
            return Poll::Ready(Err(why));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
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
        if let Some(why) = self.must_go(cx) {
            return Poll::Ready(Err(why));
        }
        let wrote = Pin::new(&mut self.stream).poll_write(cx, buf);
        if let Poll::Ready(Ok(n_bytes)) = wrote {
            self.answered(n_bytes);
        }
        wrote
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let Some(why) = self.must_go(cx) {
            return Poll::Ready(Err(why));
        }
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        if let Poll::Ready(Ok(n_bytes)) = wrote {
            self.answered(n_bytes);
        }
        wrote
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::super::seats::Seats;
    use super::*;

    /// A crowd and the check before it are all at the door before anybody's words are looked at.
    #[tokio::test]
    async fn a_health_check_that_has_spoken_is_let_in_whoever_took_its_seat() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let come = |_| std::net::TcpStream::connect(address).unwrap();
        let mut check = come(0);
        check.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").unwrap();
        let crowd: Vec<_> = (0..100).map(come).collect();

        let house = House::new(Seats { guests: 4, viewers: 2 });
        let (checks, mut asked) = mpsc::channel(WAITING);
        let (pages, _rest) = mpsc::channel(WAITING);
        let (close, closing) = watch::channel(false);
        let at_door = admit(listener, house, Desks { checks, pages }, closing);
        let at_door = tokio::spawn(at_door);

        let mut caller = timeout(Duration::from_secs(5), asked.recv()).await.unwrap().unwrap();
        assert_eq!(caller.address, check.local_addr().unwrap());
        assert!(
            caller.place.cut.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Empty)
        );
        close.send(true).unwrap();
        at_door.await.unwrap();
        drop(crowd);
    }
}
