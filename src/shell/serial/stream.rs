//! A port that is open, whichever it is, as a stream of bytes.

use super::hid::HidStream;
use super::port::OpenPort;
use super::radio::RadioStream;
use serialport::{ClearBuffer, SerialPort};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_serial::SerialStream;

/// The bytes of a port.
#[derive(Debug)]
pub(super) enum LineStream {
    /// A serial one.
    Tty(SerialStream),
    /// A HID device.
    Hid(HidStream),
    /// A board on Bluetooth LE.
    Radio(Box<RadioStream>),
}

impl LineStream {
    /// Must be called inside a runtime.
    pub(super) fn new(port: OpenPort) -> io::Result<Self> {
        match port {
            OpenPort::Tty(port) => Ok(Self::Tty(SerialStream::try_from(port)?)),
            OpenPort::Hid(file) => HidStream::new(file).map(Self::Hid),
        }
    }

    /// How many bytes that were written have not left.
    pub(super) fn n_unsent(&self) -> io::Result<u32> {
        match self {
            Self::Tty(stream) => Ok(stream.bytes_to_write()?),
            Self::Hid(_) | Self::Radio(_) => Ok(0),
        }
    }

    /// Lets a board on Bluetooth LE go, so that others may have it. Lines have nobody to let go.
    pub(super) async fn part(&mut self) {
        if let Self::Radio(stream) = self {
            stream.part().await;
        }
    }

    /// Those that have not left never will. If this fails the port is gone.
    pub(super) fn forget_unsent(&self) {
        if let Self::Tty(stream) = self {
            stream.clear(ClearBuffer::Output).ok();
        }
    }
}

impl AsyncRead for LineStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tty(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Hid(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Radio(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for LineStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tty(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Hid(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Radio(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tty(stream) => Pin::new(stream).poll_flush(cx),
            Self::Hid(stream) => Pin::new(stream).poll_flush(cx),
            Self::Radio(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tty(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Hid(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Radio(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
