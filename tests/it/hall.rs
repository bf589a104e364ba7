//! Many boards in one daemon: what it takes does not grow with them, and a fault of one is its own.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use rokade::shell::journal::{DiskStorage, Storage};
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rustix::fs::{FileType, Mode};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::{assert_sentence, pgn_moves};
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

/// A link that leads nowhere is no disk that fails: whoever starts the daemon hears what to do.
#[tokio::test]
async fn a_link_that_leads_nowhere_is_refused_at_once() {
    for above in ["state", "disk"] {
        let place = Place::new();
        let text = fs::read_to_string(place.path("rokade.toml")).unwrap();
        let deeper = text.replace("/state\"", &format!("/{above}/records\""));
        fs::write(place.path("rokade.toml"), deeper).unwrap();
        symlink("/nowhere/at-all", place.path(above)).unwrap();
        let outcome = timeout(LIMIT, place.run(&["run"])).await.expect("an end");
        let words = ["is a link to /nowhere/at-all", "create that folder", "remove the link"];
        assert_sentence(&outcome, 3, &words);
        assert!(!outcome.err.contains("RECORDING"), "{}", outcome.err);
    }
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

/// A pipe that nobody will ever write to.
fn make_pipe(path: &Path) {
    let mode = Mode::RUSR | Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, FileType::Fifo, mode, 0).unwrap();
}

/// What the daemon says of the board of this number.
fn said_of(report: &Value, number: usize) -> (bool, String) {
    let board = &report["boards"][number - 1];
    assert_eq!(board["name"], format!("table-{number}"));
    let fault = board["fault"].as_str().unwrap_or_default().to_owned();
    (board["recorded"].as_bool().unwrap(), fault)
}

/// The health report of a daemon with so many boards. Another test may have its port for a while.
async fn report_of(place: &Place, daemon: &Daemon, n_boards: usize) -> Value {
    let end = Instant::now() + LIMIT;
    loop {
        let report = place.get("/healthz").await;
        let report: Value = serde_json::from_str(&report.unwrap_or_default()).unwrap_or_default();
        if report["boards"].as_array().is_some_and(|boards| boards.len() == n_boards) {
            return report;
        }
        assert!(Instant::now() < end, "{report}\n{}", daemon.said());
        sleep(STEP).await;
    }
}

/// Makes the records of boards 2 to 6, and a file for readers of board 7, impossible. Board 4 is
/// another program's as long as what is returned is kept.
fn spoil(place: &Place) -> DiskStorage {
    let folder = |number: usize| place.path(&format!("state/table-{number}"));
    for number in [3, 4, 5, 6, 7] {
        fs::create_dir_all(folder(number)).unwrap();
    }
    fs::write(folder(2), "no folder").unwrap();
    make_pipe(&folder(3).join("000001.journal"));
    let mut elsewhere = DiskStorage::new(folder(4));
    assert!(elsewhere.lock().unwrap());
    symlink("/dev/zero", folder(5).join("000001.journal")).unwrap();
    make_pipe(&folder(6).join("lock"));
    make_pipe(&folder(7).join("game-0001.tmp"));
    elsewhere
}

#[tokio::test]
async fn a_fault_of_one_board_is_its_own() {
    const N: usize = 7;
    let place = Place::with_boards(N);
    let folder = |number: usize| place.path(&format!("state/table-{number}"));
    let elsewhere = spoil(&place);
    // If another test has the port by now, that is as good.
    let squatter = std::net::TcpListener::bind(place.addr).ok();
    fs::create_dir(place.path("state/orders.sock")).unwrap();

    let (intended, played) = game(4, Span::new(300, 600), 1);
    let (_, other) = game(2, Span::new(300, 600), 2);
    let mut board = plug(&played.script, &place.board());
    let mut last = plug(&other.script, &place.cable(7));
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    timeout(LIMIT, last.woken()).await.expect("a recorded board").unwrap();
    daemon.connected(1).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    let file = place.journal().join("game-0001.pgn");
    let has_all = || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        !text.is_empty() && pgn_moves(&text)[0] == intended
    };
    wait_for(&daemon, "the game of the first board", has_all).await;

    // Somebody clears up.
    drop(squatter);
    fs::remove_file(folder(2)).unwrap();
    fs::remove_dir(place.path("state/orders.sock")).unwrap();
    let report = report_of(&place, &daemon, N).await;
    assert_eq!((&report["status"], &report["ready"]), (&"ok".into(), &false.into()));
    assert_eq!(said_of(&report, 1), (true, String::new()));
    assert!(said_of(&report, 7).0);
    for (number, why, said) in [
        (3, "a pipe", "NOT RECORDING TO DISK"),
        (4, "another program", "THIS BOARD IS NOT RECORDED"),
        (5, "a link", "NOT RECORDING TO DISK"),
        (6, "a pipe", "NOT RECORDING TO DISK"),
    ] {
        let (is_recorded, fault) = said_of(&report, number);
        assert!(!is_recorded && fault.contains(why), "{number}: {fault}");
        let line = format!("board=\"table-{number}\"");
        let lines: Vec<_> = daemon.said().lines().map(str::to_owned).collect();
        let told = |it: &&String| it.contains(&line) && it.contains(said);
        assert_eq!(lines.iter().filter(told).count(), 1, "{}", daemon.said());
    }
    let shown = place.get("/board/table-3/view.json").await.unwrap();
    assert!(shown.contains("\"recorded\":false"), "{shown}");
    daemon.says("THE PAGES ARE NOT SERVED").await;
    daemon.says("NO ORDERS CAN BE GIVEN").await;
    daemon.says("orders are taken").await;
    let asked = place.run(&["order", "--board", "table-4", "--open"]).await;
    assert!(asked.err.contains("not recorded now"), "{asked:?}");
    drop(elsewhere);
    let is_again = |number: usize, said: &str| {
        daemon
            .said()
            .lines()
            .any(|line| line.contains(&format!("table-{number}")) && line.contains(said))
    };
    wait_for(&daemon, "the boards that were put right", || {
        is_again(2, "on the disk again") && is_again(4, "is recorded again")
    })
    .await;
    daemon.says("orders are taken").await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

async fn wait_for(daemon: &Daemon, what: &str, is_there: impl Fn() -> bool) {
    let end = Instant::now() + LIMIT;
    while !is_there() {
        assert!(Instant::now() < end, "{what} is missing\n{}", daemon.said());
        sleep(STEP).await;
    }
}

/// The games on record of a folder with two boards, the first two of its kind.
async fn with_two_games(place: &Place) -> [Vec<String>; 2] {
    let (first, one) = game(3, Span::new(300, 600), 21);
    let (second, other) = game(3, Span::new(300, 600), 22);
    let mut boards = [plug(&one.script, &place.board()), plug(&other.script, &place.cable(2))];
    let daemon = place.start();
    for board in &mut boards {
        timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    }
    let [a, b] = &mut boards;
    let (a, b) = tokio::join!(
        a.play(one.script.happenings, Speed::REAL),
        b.play(other.script.happenings, Speed::REAL)
    );
    a.and(b).unwrap();
    for (number, meant) in [(1, &first), (2, &second)] {
        let file = place.path(&format!("state/table-{number}/game-0001.pgn"));
        let is_there = || {
            let text = fs::read_to_string(&file).unwrap_or_default();
            !text.is_empty() && pgn_moves(&text)[0] == *meant
        };
        wait_for(&daemon, "the game of each board", is_there).await;
    }
    assert_eq!(daemon.stop().await.0, Some(0));
    [first, second]
}

#[tokio::test]
async fn every_board_is_told_of_unless_one_is_named() {
    let place = Place::with_boards(2);
    let [first, second] = with_two_games(&place).await;

    let both = place.run(&["export"]).await;
    assert_eq!(pgn_moves(&both.out), [first.clone(), second.clone()], "{both:?}");
    let one = place.run(&["export", "--board", "table-2"]).await;
    assert_eq!(pgn_moves(&one.out), std::slice::from_ref(&second), "{one:?}");

    let both = place.run(&["log"]).await;
    for number in [1, 2] {
        let begin = format!("table-{number}  ");
        assert!(both.out.lines().any(|line| line.starts_with(&begin)), "{both:?}");
    }
    let one = place.run(&["log", "--board", "table-1"]).await;
    assert!(!one.out.is_empty() && !one.out.contains("table-"), "{one:?}");

    let sound = place.run(&["verify"]).await;
    assert_eq!((sound.code, sound.out.lines().count()), (Some(0), 2), "{sound:?}");

    // One that is damaged is said, and keeps nobody from the other.
    let journal = place.journal().join("000001.journal");
    let mut bytes = fs::read(&journal).unwrap();
    let n_written = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes[n_written / 2] ^= 1;
    fs::write(&journal, bytes).unwrap();
    let damaged = place.run(&["verify"]).await;
    assert_eq!(damaged.code, Some(5), "{damaged:?}");
    assert!(damaged.err.contains("table-1") && damaged.out.contains("table-2"), "{damaged:?}");
    let both = place.run(&["export"]).await;
    assert_eq!(pgn_moves(&both.out).last(), Some(&second), "{both:?}");
}
