//! A bus that is none: a socket at which a simulated device answers, for those who have no Pi, and
//! for tests. What is said there is what is said to a simulated board ([`super::remote`]).

use std::io;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// Something simulated that people look at.
pub trait BusDevice {
    /// What they see.
    type Seen: Clone + PartialEq;

    /// Does what a line of the host says. `None` if that is nothing that it knows.
    fn answer(&mut self, line: &str) -> Option<String>;

    /// What is seen now.
    fn seen(&self) -> Self::Seen;
}

/// The socket of a device.
#[derive(Debug)]
pub struct BusSocket<D: BusDevice> {
    listener: UnixListener,
    path: PathBuf,
    device: D,
    seen: watch::Sender<D::Seen>,
}

impl<D: BusDevice> Drop for BusSocket<D> {
    fn drop(&mut self) {
        // Who has taken it away has done our work.
        std::fs::remove_file(&self.path).ok();
    }
}

impl<D: BusDevice> BusSocket<D> {
    /// Listens at `path`, and shows what is seen of the device. Nothing answers until it runs. Must
    /// be called inside a runtime.
    ///
    /// # Errors
    /// There is no socket to be had.
    pub fn open(path: &Path, device: D) -> io::Result<(Self, watch::Receiver<D::Seen>)> {
        let listener = UnixListener::bind(path)?;
        let (seen, seens) = watch::channel(device.seen());
        Ok((Self { listener, path: path.to_owned(), device, seen }, seens))
    }

    /// Serves one host after the other, for ever.
    pub async fn run(mut self) {
        while let Ok((stream, _)) = self.listener.accept().await {
            self.serve(stream).await;
        }
    }

    async fn serve(&mut self, stream: UnixStream) {
        let mut host = BufReader::new(stream);
        let mut line = String::new();
        while host.read_line(&mut line).await.is_ok_and(|n| n > 0) {
            let Some(answer) = self.device.answer(&line) else { return };
            let seen = self.device.seen();
            self.seen.send_if_modified(|was| std::mem::replace(was, seen.clone()) != seen);
            line.clear();
            if host.get_mut().write_all((answer + "\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}
