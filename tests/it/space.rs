//! A daemon whose disk does not take the record from the start: it records all the same.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rokade::shell::journal::RESERVE;
use rokade::shell::pty::{PtyBoardStub, Speed};
use rokade::sim::hands::{Performance, Span};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::pgn_moves;
use crate::daemon::game;
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of, plug};

/// The moves in a game's file, if it is there.
fn in_file(place: &Place, number: usize) -> Vec<String> {
    let file = place.journal().join(format!("game-{number:04}.pgn"));
    let text = fs::read_to_string(file).unwrap_or_default();
    if text.is_empty() { Vec::new() } else { pgn_moves(&text)[0].clone() }
}

async fn wait_for(daemon: &Daemon, what: &str, is_there: impl Fn() -> bool) {
    let end = Instant::now() + LIMIT;
    while !is_there() {
        assert!(Instant::now() < end, "{what} is missing\n{}", daemon.said());
        sleep(STEP).await;
    }
}

/// Plays a game on a daemon whose record's folder is a file. All of it is told to the arbiter as
/// not kept, and nothing to the public.
async fn play_without_a_folder(place: &Place, seed: u64) -> (Daemon, Vec<String>) {
    fs::create_dir_all(place.path("state")).unwrap();
    fs::write(place.journal(), "no folder").unwrap();
    let (intended, played) = game(4, Span::new(300, 600), seed);
    let daemon = place.start();
    let _board = play(place, &daemon, played).await;
    let n_told = || {
        let said = daemon.said();
        said.lines()
            .filter(|line| line.contains("NOT KEPT YET") && line.contains(" completed "))
            .count()
    };
    wait_for(&daemon, "the last move", || n_told() >= intended.len()).await;
    assert!(daemon.said().contains("NOT RECORDING TO DISK"), "{}", daemon.said());
    let shown: Value =
        serde_json::from_str(&place.get("/board/table-1/view.json").await.unwrap()).unwrap();
    assert_eq!((&shown["recorded"], moves_of(&shown["view"]).len()), (&false.into(), 0));
    let health: Value = serde_json::from_str(&place.get("/healthz").await.unwrap()).unwrap();
    assert!(health["boards"][0]["fault"].is_string(), "{health}");
    (daemon, intended)
}

#[tokio::test]
async fn a_record_that_had_no_place_from_the_start_is_kept_once_it_has() {
    let place = Place::new();
    let (daemon, intended) = play_without_a_folder(&place, 31).await;
    fs::remove_file(place.journal()).unwrap();
    wait_for(&daemon, "the game's file", || in_file(&place, 1) == intended).await;
    place.seen(|view| moves_of(view) == intended).await;
    let verified = place.run(&["verify"]).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(pgn_moves(&place.run(&["export"]).await.out), [intended]);
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// What stands in the way of the reserve is a folder: that is as good as a disk without room.
#[tokio::test]
async fn that_no_room_could_be_kept_is_said_until_it_is() {
    let place = Place::new();
    let reserve = place.journal().join(RESERVE);
    fs::create_dir_all(&reserve).unwrap();
    let daemon = place.start();
    place.warned(&daemon, Some("no disk space could be reserved: cannot keep room in")).await;
    let page: Value =
        serde_json::from_str(&place.get("/board/table-1/view.json").await.unwrap()).unwrap();
    assert!(
        page["warning"].as_str().unwrap().contains("no disk space could be reserved"),
        "{page}"
    );
    fs::remove_dir(&reserve).unwrap();
    place.warned(&daemon, None).await;
    assert!(reserve.is_file());
    // The page may be ahead of the log.
    let is_said = || daemon.said().contains("the disk has space again");
    wait_for(&daemon, "the log", is_said).await;
    let said = daemon.said();
    assert_eq!(said.matches("NO DISK SPACE COULD BE RESERVED").count(), 1, "{said}");
    assert_eq!(said.matches("the disk has space again").count(), 1, "{said}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// The modes of the files and folders in `folder`, and of itself.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let mode = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777;
    let mut found = vec![(folder.display().to_string(), mode(folder))];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(modes(&path));
        } else if path.is_file() {
            found.push((path.display().to_string(), mode(&path)));
        }
    }
    found
}

/// What a daemon makes that somebody has started by hand is nobody else's to read.
#[tokio::test]
async fn what_a_daemon_started_by_hand_makes_is_its_users_alone() {
    let place = Place::new();
    let daemon = place.start();
    let journal = place.journal();
    wait_for(&daemon, "the reserve", || journal.join(RESERVE).is_file()).await;
    let found = modes(&place.path("state"));
    assert!(found.len() >= 3, "{found:?}");
    for (path, mode) in found {
        assert_eq!(mode & 0o077, 0, "{path} has {mode:o}");
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Plays the first game of a record, with a daemon that is stopped then, and returns its moves.
async fn play_first(place: &Place, seed: u64) -> Vec<String> {
    let (intended, played) = game(3, Span::new(300, 600), seed);
    let daemon = place.start();
    let _board = play(place, &daemon, played).await;
    wait_for(&daemon, "the first game", || in_file(place, 1) == intended).await;
    assert_eq!(daemon.stop().await.0, Some(0));
    intended
}

/// Plays on a board that a daemon has found.
async fn play(place: &Place, daemon: &Daemon, played: Performance) -> PtyBoardStub {
    let mut board = plug(&played.script, &place.board());
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    daemon.connected(1).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    board
}

/// The folder that comes back has a game already: the other one follows it, and no file is written
/// over.
#[tokio::test]
async fn what_was_played_without_the_past_follows_it() {
    let place = Place::new();
    let first = play_first(&place, 32).await;

    let away = place.path("state/away");
    fs::rename(place.journal(), &away).unwrap();
    let (daemon, second) = play_without_a_folder(&place, 33).await;
    fs::remove_file(place.journal()).unwrap();
    fs::rename(&away, place.journal()).unwrap();
    let is_there = || pgn_moves_of(&place).len() >= 2;
    wait_for(&daemon, "the second game", is_there).await;
    assert_eq!(in_file(&place, 1), first);
    let exported = place.run(&["export"]).await;
    assert_eq!(pgn_moves(&exported.out), [first, second], "{exported:?}\n{}", daemon.said());
    assert_eq!(place.run(&["verify"]).await.code, Some(0));
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// The lines that begin a game in the journal, read by the page's PGN of the game in progress.
fn pgn_moves_of(place: &Place) -> Vec<String> {
    let text = fs::read(place.journal().join("000001.journal")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    text.lines().filter(|line| line.contains("\"game_started\"")).map(str::to_owned).collect()
}

/// Whoever noted the head of a record finds out that it was cut or written anew.
#[tokio::test]
async fn a_noted_head_tells_a_record_that_was_cut() {
    let place = Place::new();
    play_first(&place, 34).await;
    let said = daemon_head(&place).await;
    let (line, hash) = said.split_once(':').unwrap();
    let verify = async |noted: String| place.run(&["verify", "--noted", &noted]).await;
    let good = verify(said.clone()).await;
    assert!(good.code == Some(0) && good.out.contains("as noted"), "{good:?}");
    assert_eq!(verify(format!("{line}:{}", &hash[..8])).await.code, Some(0));
    let other = verify(format!("{line}:00000000")).await;
    assert!(other.code == Some(5) && other.err.contains("NOT AS NOTED"), "{other:?}");
    let beyond = verify(format!("{}:{hash}", line.parse::<u64>().unwrap() + 1)).await;
    assert!(beyond.code == Some(5) && beyond.err.contains("IS CUT"), "{beyond:?}");
    assert_eq!(verify("77".to_owned()).await.code, Some(2));
}

/// The head as `verify` tells it.
async fn daemon_head(place: &Place) -> String {
    let verified = place.run(&["verify"]).await;
    let words: Vec<_> = verified.out.split_whitespace().collect();
    let at = words.iter().position(|word| *word == "line").unwrap();
    format!("{}:{}", words[at + 1], words[at + 5])
}
