//! `rokade doctor --calibrate` at a board of Certabo's: which chip is below which piece.

use super::{Failure, chain, runtime, say};
use crate::board::certabo::learn;
use crate::shell::config::{BoardConfig, LeftOrRight};
use crate::shell::link::line_of;
use crate::shell::now::Now;
use crate::shell::serial::{self, LineNews};
use crate::wire::blocks::Blocks;
use crate::wire::certabo::{Chip, FromCertabo, lines_of};
use crate::wire::{CertaboMessage, Orientation};

use std::time::Duration;
use tokio::time::timeout;

/// So many pictures are looked at: a chip that is weak is not read each time.
const N_PICTURES: usize = 9;
/// They take five seconds; a board that has not sent them after this long sends none.
const WAIT: Duration = Duration::from_secs(20);

/// Reads the start position and prints the lines for the settings.
pub(super) fn calibrate(board: &BoardConfig) -> Result<(), Failure> {
    let side = if board.connector == LeftOrRight::Right { "right" } else { "left" };
    say(format!(
        "The start position must be set up, with the connector on White's {side}, and no hand over \
         the board. A second queen of each color may stand on d3 and d6."
    ))?;
    let pictures = runtime()?.block_on(async {
        timeout(WAIT, pictures(board)).await.unwrap_or_else(|_| {
            Err(format!(
                "{}: nothing was read within {} s; is it a Certabo?",
                board.port,
                WAIT.as_secs()
            ))
        })
    });
    let lies = if side == "right" { Orientation::Rotated } else { Orientation::Normal };
    let chips = pictures.and_then(|pictures| learn(&pictures, lies)).map_err(Failure::Device)?;
    let lines: Vec<String> = lines_of(&chips).iter().map(|it| format!("    {it:?},")).collect();
    say(format!("Put this under [[board]]:\nchips = [\n{}\n]", lines.join("\n")))
}

async fn pictures(board: &BoardConfig) -> Result<Vec<[Chip; 64]>, String> {
    let (mut line, actor) = serial::channel(line_of(board, &board.port), Now::start());
    let actor = tokio::spawn(actor.run());
    let (mut blocks, mut pictures) = (Blocks::default(), Vec::new());
    while pictures.len() < N_PICTURES {
        let Some(heard) = line.heard().await else { break };
        let bytes = match heard.what {
            LineNews::Up => continue,
            LineNews::Down { why } => return Err(chain(&why)),
            LineNews::Bytes(bytes) => bytes,
        };
        for message in blocks.push::<FromCertabo>(heard.at.mono, &bytes).messages {
            match message {
                CertaboMessage::Chips(chips) => pictures.push(*chips),
                CertaboMessage::Occupied(_) => {
                    return Err(format!(
                        "{}: this board reads no chips, and needs none",
                        board.port
                    ));
                }
                CertaboMessage::HasLights | CertaboMessage::HasColors => {}
            }
        }
    }
    line.close();
    actor.await.ok();
    Ok(pictures)
}
