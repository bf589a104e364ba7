//! A DGT board on which the public game is played again: for programs that follow such boards, and
//! for our own.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::time::Mono;
use rokade::wire::{BoardCommand, BoardMessage, Decoder, Dump, Item, Orientation};
use shakmaty::uci::UciMove;
use shakmaty::{Board, Chess, Position as _};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};
use tokio_serial::SerialPortBuilderExt;

use crate::cli::pgn_moves;
use crate::daemon::game;
use crate::program::{LIMIT, Place, STEP, moves_of, plug};

/// How the board stands behind each half-move of a game from the usual start.
fn placements(moves: &[String]) -> Vec<Board> {
    let mut pos = Chess::new();
    let mut boards = vec![pos.board().clone()];
    for uci in moves {
        let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
        pos.play_unchecked(m);
        boards.push(pos.board().clone());
    }
    boards
}

/// Follows the board as any program does, until it is gone, and tells how many half-moves of the
/// game have been seen on it.
pub(crate) async fn watch(path: &Path, moves: &[String]) -> Arc<AtomicUsize> {
    let boards = placements(moves);
    let name = path.display().to_string();
    let open = async {
        loop {
            match tokio_serial::new(&name, 9_600).open_native_async() {
                Ok(port) => return port,
                Err(_) => sleep(STEP).await,
            }
        }
    };
    let mut port = timeout(LIMIT, open).await.expect("a demo board");
    for command in [BoardCommand::UpdateNice, BoardCommand::SendBoard] {
        port.write_all(&command.encode()).await.unwrap();
    }
    let n_seen = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&n_seen);
    tokio::spawn(async move {
        let mut decoder = Decoder::default();
        let mut dump = Dump::new(&Board::empty(), Orientation::Normal);
        let mut bytes = [0; 256];
        while let Ok(n) = port.read(&mut bytes).await {
            if n == 0 {
                return;
            }
            let mut items = Vec::new();
            decoder.push(Mono::default(), &bytes[..n], &mut items);
            for item in items {
                match item {
                    Item::Message(BoardMessage::Dump(all)) => dump = *all,
                    Item::Message(BoardMessage::Field { field, code }) => {
                        dump.0[usize::from(field.index())] = code;
                    }
                    _ => {}
                }
                let placement = dump.placement(Orientation::Normal);
                if let Some(ply) = boards.iter().rposition(|board| *board == placement) {
                    seen.fetch_max(ply, Ordering::Relaxed);
                }
            }
        }
    });
    n_seen
}

/// Waits until so many half-moves have been seen, and that there are no more.
pub(crate) async fn shows(seen: &AtomicUsize, n: usize) {
    let all = async {
        while seen.load(Ordering::Relaxed) < n {
            sleep(STEP).await;
        }
    };
    timeout(LIMIT, all).await.expect("a board that follows the game");
    assert_eq!(seen.load(Ordering::Relaxed), n);
}

/// Our own program follows the board of another daemon, and records the same game.
#[tokio::test]
async fn a_daemon_follows_the_demo_board_of_another() {
    let (hall, wall) = (Place::new(), Place::new());
    // The second one's board is what the first one shows.
    hall.add(&format!("demo_board = {:?}\n", wall.board()));
    let (intended, played) = game(10, Span::new(900, 1_200), 5);
    let mut board = plug(&played.script, &hall.board());
    let daemon = hall.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let follower = wall.start();
    wall.seen(|view| view["link"] == "live").await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    hall.seen(|view| moves_of(view) == intended).await;
    wall.seen(|view| moves_of(view) == intended).await;
    let order = ["order", "--board", "table-1", "result", "1-0"];
    let outcome = hall.run(&order).await;
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for (place, daemon) in [(&hall, daemon), (&wall, follower)] {
        assert_eq!(daemon.stop().await.0, Some(0));
        let exported = pgn_moves(&place.run(&["export"]).await.out);
        assert_eq!(exported, std::slice::from_ref(&intended));
    }
}

/// What has its name stays, and the games are recorded all the same.
#[tokio::test]
async fn a_place_that_is_taken_is_said_and_waited_for() {
    let place = Place::new();
    let path: PathBuf = place.path("demo-board");
    place.add(&format!("demo_board = {path:?}\n"));
    std::fs::write(&path, "ours").unwrap();
    let (intended, played) = game(2, Span::new(300, 600), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended).await;
    assert!(daemon.said().contains("THE DEMO BOARD CANNOT BE OPENED"), "{}", daemon.said());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "ours");
    std::fs::remove_file(&path).unwrap();
    let seen = watch(&path, &intended).await;
    shows(&seen, intended.len()).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}
