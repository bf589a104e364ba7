//! Many boards in one daemon: what it takes does not grow with them, and a fault of one is its own.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::time::Duration;

use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use tokio::time::{Instant, sleep};

use crate::daemon::game;
use crate::program::{Daemon, LIMIT, Place, STEP, is_live, moves_of, plug};

/// The boards of a large hall's corner.
const N_BOARDS: usize = 40;
/// The unit's limit is for all boards that a hall can have (`TasksMax=` of the unit).
const THREADS_MAX: usize = 32;

/// How many threads the daemon has.
fn n_threads(daemon: &Daemon) -> usize {
    let id = daemon.child.id().expect("a program that runs");
    fs::read_dir(format!("/proc/{id}/task")).unwrap().count()
}

#[tokio::test]
async fn threads_do_not_grow_with_boards() {
    let place = Place::with_boards(N_BOARDS);
    let mut boards = Vec::new();
    let mut intended = Vec::new();
    for number in 1..=N_BOARDS {
        let (moves, played) = game(4, Span::new(300, 600), number as u64);
        boards.push((plug(&played.script, &place.cable(number)), played.script.happenings));
        intended.push(moves);
    }
    let daemon = place.start();
    let end = Instant::now() + LIMIT;
    for number in 1..=N_BOARDS {
        while !place.view_of(number).await.is_some_and(|view| is_live(&view)) {
            assert!(Instant::now() < end, "board {number} is not read\n{}", daemon.said());
            sleep(STEP).await;
        }
    }
    for (board, script) in &boards {
        board.play(script.clone(), Speed::REAL).await.unwrap();
    }
    let mut n_most = 0;
    for number in 1..=N_BOARDS {
        loop {
            n_most = n_most.max(n_threads(&daemon));
            let view = place.view_of(number).await;
            if view.as_ref().is_some_and(|view| moves_of(view) == intended[number - 1]) {
                break;
            }
            assert!(Instant::now() < end, "board {number}: {view:?}\n{}", daemon.said());
            sleep(Duration::from_millis(20)).await;
        }
    }
    assert!(n_most <= THREADS_MAX, "{n_most} threads for {N_BOARDS} boards");
    assert_eq!(daemon.stop().await.0, Some(0));
    for number in 1..=N_BOARDS {
        let file = place.path(&format!("state/table-{number}/game-0001.pgn"));
        assert!(file.exists(), "board {number} has a game's file");
    }
}
