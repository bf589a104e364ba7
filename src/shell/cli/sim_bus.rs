//! `rokade simulate --bus`: several boards on one line.

use super::tools::{SimulateOptions, asked_to_stop};
use super::{Failure, chain, say};
use crate::shell::pty::{PtyBus, PtyError};
use crate::sim::{SharedLine, Table};
use crate::table::Sight;
use std::path::PathBuf;

/// The address of the first board; the others follow.
const FIRST: u16 = 1_025;

/// Plays the game on each of so many boards, each with hands of its own, once a host asks all of
/// them for their changes, and stays until Ctrl-C.
pub(super) async fn serve(
    options: &SimulateOptions,
    n_boards: u16,
    link: Option<PathBuf>,
) -> Result<(), Failure> {
    let device = |e: PtyError| Failure::Device(chain(&e));
    let (mut tables, mut scripts) = (Vec::new(), Vec::new());
    for (place, idx) in (0..n_boards).zip(0_usize..) {
        let seed = options.seed + u64::from(place);
        let game = options.with_seed(seed).game(Sight::Pieces)?;
        let serial = format!("{:05}", FIRST + place);
        tables.push(Table::new(&game.script.header).numbered(&serial, seed));
        scripts.push((idx, game.script.happenings));
    }
    let (mut stub, actor) = PtyBus::open(SharedLine::new(tables), link.clone()).map_err(device)?;
    let line = tokio::spawn(actor.run());
    say(link.unwrap_or_else(|| stub.cable.path()).display())?;
    let play = async {
        stub.woken().await?;
        stub.play(scripts, options.speed()).await?;
        std::future::pending::<Result<(), PtyError>>().await
    };
    let done = tokio::select! {
        failed = play => failed.map_err(device),
        stopped = asked_to_stop() => stopped,
    };
    // The link goes with the line that it leads to.
    line.abort();
    line.await.ok();
    done
}
