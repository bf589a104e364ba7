//! `rokade simulate --leds` and `--display`: lights and a display that are none, in the terminal.

use super::tools::asked_to_stop;
use super::{Failure, say};
use crate::relay::rows::{FourRows, N_COLUMNS};
use crate::shell::config::{DisplaySettings, LedChips, LedSettings};
use crate::shell::display::simulated::SimulatedDisplay;
use crate::shell::leds::simulated::{LightsSeen, SimulatedLights};
use crate::shell::matrix::socket::{BusDevice, BusSocket};
use crate::wire::ws2812::Rgb;
use shakmaty::{File, Rank, Square};
use std::path::Path;

/// Lights, drawn whenever they change. They lie as they do unless the settings say otherwise.
pub(super) async fn leds(path: &Path) -> Result<(), Failure> {
    serve(path, SimulatedLights::at(LedSettings::default().address), drawn).await
}

/// A display, whose rows are printed whenever they change.
pub(super) async fn display(path: &Path) -> Result<(), Failure> {
    serve(path, SimulatedDisplay::at(DisplaySettings::default().address), framed).await
}

/// Serves whatever daemon writes to the device, until Ctrl-C.
async fn serve<D>(path: &Path, device: D, print: impl Fn(&D::Seen) -> String) -> Result<(), Failure>
where
    D: BusDevice + Send + 'static,
    D::Seen: Send + Sync,
{
    let opened = BusSocket::open(path, device);
    let (socket, mut seen) =
        opened.map_err(|e| Failure::Device(format!("{}: {e}", path.display())))?;
    let served = tokio::spawn(socket.run());
    say(path.display())?;
    let printed = async {
        while seen.changed().await.is_ok() {
            let text = print(&seen.borrow_and_update());
            say(text)?;
        }
        Ok(())
    };
    let done = tokio::select! {
        done = printed => done,
        stopped = asked_to_stop() => stopped,
    };
    // The socket goes with what serves it.
    served.abort();
    served.await.ok();
    done
}

/// The rows in a frame.
fn framed(rows: &FourRows) -> String {
    let edge = format!("+{}+", "-".repeat(N_COLUMNS));
    let rows = rows.iter().map(|row| format!("|{row:N_COLUMNS$}|\n"));
    format!("{edge}\n{}{edge}", rows.collect::<String>())
}

/// The lights from White's side: of a chain the color that is brightest, `W` for a light one; of a
/// matrix `#`.
fn drawn(seen: &LightsSeen) -> String {
    let of = |chips| LedSettings { chips, ..LedSettings::default() }.squares();
    let (chain, matrix) = (of(LedChips::Ws2812), of(LedChips::Ht16k33));
    let place = |squares: &[Square; 64], sq| squares.iter().position(|it| *it == sq).unwrap_or(0);
    let letter = |sq: Square| match seen.chain[place(&chain, sq)] {
        Rgb([0, 0, 0]) if seen.matrix >> place(&matrix, sq) & 1 == 1 => '#',
        Rgb([0, 0, 0]) => '.',
        Rgb([red, green, blue]) if red > blue && green > blue => 'W',
        Rgb([red, green, blue]) if red >= green.max(blue) => 'R',
        Rgb([_, green, blue]) if green >= blue => 'G',
        Rgb(_) => 'B',
    };
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            text.push(letter(Square::from_coords(file, rank)));
            text.push(if file == File::H { '\n' } else { ' ' });
        }
    }
    text
}
