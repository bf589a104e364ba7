//! Lights that are none, at a socket that takes the place of their bus: for those who have no Pi,
//! and for tests. What is said there is what is said to a simulated board (`matrix::remote`).

use crate::shell::matrix::remote::bytes;
use crate::sim::{DisplaySim, LightChainSim};
use crate::wire::ws2812::{ChainColors, KHZ, Rgb};
use std::io;
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// What is lit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LightsSeen {
    /// The chain, in its order.
    pub chain: ChainColors,
    /// The matrix behind an HT16K33, by the numbers of its lights.
    pub matrix: u64,
    /// The matrix blinks.
    pub blinks: bool,
    /// How bright it is, 0 to 15.
    pub brightness: u8,
}

/// The simulated lights: a chain, and a matrix at each address of an I2C bus that is spoken to.
#[derive(Debug)]
pub struct SimulatedLights {
    listener: UnixListener,
    path: PathBuf,
    chain: LightChainSim,
    matrix: DisplaySim,
    /// The address of the matrix.
    address: u8,
    seen: watch::Sender<LightsSeen>,
}

impl Drop for SimulatedLights {
    fn drop(&mut self) {
        // Who has taken it away has done our work.
        std::fs::remove_file(&self.path).ok();
    }
}

impl SimulatedLights {
    /// Listens at `path`. Nothing answers until it runs. Must be called inside a runtime.
    ///
    /// # Errors
    /// There is no socket to be had.
    pub fn open(path: &Path, address: u8) -> io::Result<(Self, watch::Receiver<LightsSeen>)> {
        let listener = UnixListener::bind(path)?;
        let dark = [Rgb::default(); 64];
        let (seen, seens) =
            watch::channel(LightsSeen { chain: dark, matrix: 0, blinks: false, brightness: 0 });
        let (chain, matrix) = (LightChainSim::default(), DisplaySim::default());
        Ok((Self { listener, path: path.to_owned(), chain, matrix, address, seen }, seens))
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

    /// Does what a line of the host says. `None` if that is nothing that lights know.
    fn answer(&mut self, line: &str) -> Option<String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["transfer", hex] => {
                self.chain.take(KHZ, &bytes(hex)?);
                "00".repeat(hex.len() / 2)
            }
            ["exchange", to, hex, _] if u8::from_str_radix(to, 16) == Ok(self.address) => {
                self.matrix.write(&bytes(hex)?);
                String::new()
            }
            ["exchange", ..] => "nack".to_owned(),
            _ => return None,
        };
        let (matrix, blinks) = (self.matrix.lights(), self.matrix.blinks());
        let (chain, brightness) = (*self.chain.lights(), self.matrix.brightness());
        let seen = LightsSeen { chain, matrix, blinks, brightness };
        self.seen.send_if_modified(|was| std::mem::replace(was, seen.clone()) != seen);
        Some(answer)
    }
}
