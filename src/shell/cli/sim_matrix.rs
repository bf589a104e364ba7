//! `rokade simulate --board reed` and its like: a board of switches, whose bus is a socket.

use super::tools::{SimGame, asked_to_stop};
use super::{Failure, chain, demo, replace, say};
use crate::shell::config::SwitchReader;
use crate::shell::matrix::simulated;
use crate::shell::now::Now;
use crate::shell::pty::{PtyBridge, Speed};
use std::path::Path;
use std::time::Duration;

/// A host sets the clock within this time, if it does.
const SETS_WITHIN: Duration = Duration::from_secs(10);

/// Plays the game on switches whose bus is at `link`, once a host scans them, and stays until
/// Ctrl-C.
pub(super) async fn serve(
    game: SimGame,
    chips: SwitchReader,
    link: &Path,
    bridge: Option<&Path>,
    speed: Speed,
) -> Result<(), Failure> {
    let device = |e: &dyn std::error::Error| Failure::Device(chain(e));
    let (mut stub, mut actor) =
        simulated::open(&game.script.header, link, chips).map_err(|e| device(&e))?;
    let mut clock = None;
    if let Some(path) = bridge {
        let opened = PtyBridge::open(Now::start(), Some(path.to_owned()));
        let (stub, works) = opened.map_err(|e| device(&e))?;
        tokio::spawn(works.run());
        actor = actor.with_clock_beside(stub.hands());
        say(stub.cable.path().display())?;
        clock = Some(stub);
    }
    if let Some(text) = actor.learned() {
        let path = link.with_extension("halls");
        replace(&path, &text)?;
        say(format!("what its sensors show: calibration = {path:?}"))?;
    }
    let board = tokio::spawn(actor.run());
    say(link.display())?;
    let play = async {
        stub.scanned().await?;
        if let Some(clock) = &mut clock {
            // Without a host that sets it the game is played all the same.
            tokio::time::timeout(SETS_WITHIN, clock.is_set()).await.ok();
        }
        stub.play(game.script.happenings, speed).await?;
        if let Some(clock) = &mut clock {
            demo::start(clock, Now::start()).await.ok();
        }
        std::future::pending::<Result<(), simulated::SimulatedError>>().await
    };
    let done = tokio::select! {
        failed = play => failed.map_err(|e| device(&e)),
        stopped = asked_to_stop() => stopped,
    };
    // The socket goes with the board.
    board.abort();
    board.await.ok();
    done
}
