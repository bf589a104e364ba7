//! Boards on Bluetooth LE: two characteristics of a device, one to hear and one to speak, as a
//! stream of bytes. BlueZ keeps the link; what is heard comes as signals of its own over D-Bus.

use super::bluez::{Bluez, CHARACTERISTIC, Connected, DEVICE, Properties};
use super::error::RadioTrouble;
use super::peer::RadioPort;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;
use zbus::export::futures_core::Stream;
use zbus::{Message, MessageStream};

/// A scan, a connection and the search for characteristics take no longer than this together.
const OPENS_WITHIN: Duration = Duration::from_secs(60);

type Writing = Pin<Box<dyn Future<Output = io::Result<usize>> + Send>>;

/// The bytes of a board.
pub(super) struct RadioStream {
    bluez: Bluez,
    board: Connected,
    /// Nobody else of this machine has the board.
    _lock: UnixListener,
    /// What changes about the device and its characteristics.
    changes: MessageStream,
    /// Whether BlueZ goes.
    owners: MessageStream,
    /// What came and did not fit.
    heard: VecDeque<u8>,
    writing: Option<Writing>,
}

impl fmt::Debug for RadioStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RadioStream").field("board", &self.board).finish_non_exhaustive()
    }
}

/// Takes the board for this program alone. The name goes with the program, however it ends.
fn lock(address: &str) -> Result<UnixListener, RadioTrouble> {
    let name = SocketAddr::from_abstract_name(format!("rokade/bluetooth/{address}"));
    let locked = name.and_then(|name| UnixListener::bind_addr(&name));
    locked.map_err(|_| RadioTrouble::Taken)
}

impl RadioStream {
    /// Connects to the board, wherever it is.
    pub(super) async fn open(port: &RadioPort) -> Result<Self, RadioTrouble> {
        timeout(OPENS_WITHIN, Self::open_at_leisure(port)).await.unwrap_or(Err(RadioTrouble::Slow))
    }

    async fn open_at_leisure(port: &RadioPort) -> Result<Self, RadioTrouble> {
        let mut bluez = Bluez::reach().await?;
        let board = bluez.connect(&port.peer, port.ports).await?;
        let lock = lock(&board.address)?;
        let (changes, owners) = bluez.watch(&board.device).await?;
        bluez.start(&board.from_board).await?;
        let (heard, writing) = (VecDeque::new(), None);
        Ok(Self { bluez, board, _lock: lock, changes, owners, heard, writing })
    }

    /// Ends the connection: the board may be somebody else's.
    pub(super) async fn part(&mut self) {
        // If this fails there is none.
        self.bluez.disconnect(&self.board.device).await.ok();
    }

    /// Something has changed about the device.
    fn note(&mut self, message: &Message) -> Result<(), RadioTrouble> {
        let header = message.header();
        let Some(path) = header.path() else { return Ok(()) };
        let body = message.body();
        let told = body.deserialize::<(String, Properties, Vec<String>)>();
        // What makes no sense is no news.
        let Ok((interface, mut changed, _)) = told else { return Ok(()) };
        if interface == CHARACTERISTIC && path == &*self.board.from_board {
            let value = changed.remove("Value").and_then(|it| Vec::<u8>::try_from(it).ok());
            self.heard.extend(value.unwrap_or_default());
        }
        let is_connected = changed.remove("Connected").and_then(|it| bool::try_from(it).ok());
        if interface == DEVICE && path == &*self.board.device && is_connected == Some(false) {
            return Err(RadioTrouble::Lost);
        }
        Ok(())
    }
}

impl AsyncRead for RadioStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if Pin::new(&mut this.owners).poll_next(cx).is_ready() {
            return Poll::Ready(Err(io::Error::other(RadioTrouble::NoService)));
        }
        while this.heard.is_empty() {
            let message = match ready!(Pin::new(&mut this.changes).poll_next(cx)) {
                Some(Ok(message)) => message,
                Some(Err(_)) | None => {
                    return Poll::Ready(Err(io::Error::other(RadioTrouble::NoBus)));
                }
            };
            this.note(&message).map_err(io::Error::other)?;
        }
        let n = this.heard.len().min(buf.remaining());
        this.heard.drain(..n).for_each(|byte| buf.put_slice(&[byte]));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for RadioStream {
    /// Whoever asks again before it is done asks with the same bytes.
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { bluez, board, writing, .. } = self.get_mut();
        let under_way = writing.get_or_insert_with(|| {
            let bytes = bytes[..bytes.len().min(board.n_at_once)].to_vec();
            let (bluez, path) = (bluez.clone(), board.to_board.clone());
            Box::pin(async move {
                let n = bytes.len();
                bluez.write(&path, bytes).await.map(|()| n).map_err(io::Error::other)
            })
        });
        let done = ready!(under_way.as_mut().poll(cx));
        *writing = None;
        Poll::Ready(done)
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
