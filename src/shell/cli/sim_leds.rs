//! `rokade simulate --leds`: lights that are none, drawn in the terminal.

use super::tools::asked_to_stop;
use super::{Failure, say};
use crate::shell::config::{LedChips, LedSettings};
use crate::shell::leds::simulated::{LightsSeen, SimulatedLights};
use crate::wire::ws2812::Rgb;
use shakmaty::{File, Rank, Square};
use std::path::Path;

/// Serves whatever daemon lights them, and draws them whenever they change, until Ctrl-C. They lie
/// as they do unless the settings say otherwise.
pub(super) async fn serve(path: &Path) -> Result<(), Failure> {
    let address = LedSettings::default().address;
    let opened = SimulatedLights::open(path, address);
    let (lights, mut seen) =
        opened.map_err(|e| Failure::Device(format!("{}: {e}", path.display())))?;
    let served = tokio::spawn(lights.run());
    say(path.display())?;
    let draw = async {
        while seen.changed().await.is_ok() {
            say(drawn(&seen.borrow_and_update().clone()))?;
        }
        Ok(())
    };
    let done = tokio::select! {
        done = draw => done,
        stopped = asked_to_stop() => stopped,
    };
    // The socket goes with the lights.
    served.abort();
    served.await.ok();
    done
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
