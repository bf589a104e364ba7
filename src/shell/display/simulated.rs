//! A display that is none, at a socket that takes the place of its bus: for those who have no Pi,
//! and for tests. What is said there is what is said to a simulated board (`matrix::remote`).

use crate::relay::rows::FourRows;
use crate::shell::matrix::remote::bytes;
use crate::sim::CharacterDisplaySim;
use std::io;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// The simulated display.
#[derive(Debug)]
pub struct SimulatedDisplay {
    listener: UnixListener,
    path: PathBuf,
    display: CharacterDisplaySim,
    address: u8,
    seen: watch::Sender<FourRows>,
}

impl Drop for SimulatedDisplay {
    fn drop(&mut self) {
        // Who has taken it away has done our work.
        std::fs::remove_file(&self.path).ok();
    }
}

impl SimulatedDisplay {
    /// Listens at `path` as the chip of this address, and shows what is read on it. Nothing answers
    /// until it runs. Must be called inside a runtime.
    ///
    /// # Errors
    /// There is no socket to be had.
    pub fn open(path: &Path, address: u8) -> io::Result<(Self, watch::Receiver<FourRows>)> {
        let listener = UnixListener::bind(path)?;
        let (seen, seens) = watch::channel(FourRows::default());
        let display = CharacterDisplaySim::default();
        Ok((Self { listener, path: path.to_owned(), display, address, seen }, seens))
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
            let Some(answer) = self.answer(&line) else { return };
            line.clear();
            if host.get_mut().write_all((answer + "\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }

    /// Does what a line of the host says. `None` if that is nothing that a display knows.
    fn answer(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["exchange", to, hex, _] = words[..] else { return None };
        if u8::from_str_radix(to, 16) != Ok(self.address) {
            return Some("nack".to_owned());
        }
        self.display.write(&bytes(hex)?);
        let rows = self.display.rows();
        self.seen.send_if_modified(|was| std::mem::replace(was, rows.clone()) != rows);
        Some(String::new())
    }
}
