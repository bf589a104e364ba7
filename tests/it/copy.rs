//! A daemon with a second copy on a stick that is missing, pulled out and put in again.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::pgn_moves;
use crate::daemon::game;
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of, plug};

/// A place whose records are copied to `stick/rokade`.
fn with_stick() -> Place {
    let place = Place::new();
    let file = place.path("rokade.toml");
    let text = fs::read_to_string(&file).unwrap();
    let section = format!("[journal]\ncopy = {:?}\n[http]\n", place.path("stick/rokade"));
    fs::write(&file, text.replacen("[http]\n", &section, 1)).unwrap();
    place
}

/// A journal's first segment, without its zeros.
fn lines_in(folder: &Path) -> Vec<u8> {
    let mut bytes = fs::read(folder.join("000001.journal")).unwrap_or_default();
    bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
    bytes
}

/// Waits until the copy has all that is on record, and some more than `least` bytes.
async fn wait_for_copy(place: &Place, daemon: &Daemon, least: usize) {
    let end = Instant::now() + LIMIT;
    loop {
        let copy = lines_in(&place.path("stick/rokade/table-1"));
        if copy.len() > least && copy == lines_in(&place.journal()) {
            return;
        }
        assert!(Instant::now() < end, "{} bytes copied\n{}", copy.len(), daemon.said());
        sleep(STEP).await;
    }
}

fn n_said(daemon: &Daemon, what: &str) -> usize {
    daemon.said().lines().filter(|line| line.contains(what)).count()
}

#[tokio::test]
async fn a_stick_that_comes_and_goes_is_caught_up_and_stops_nothing() {
    let place = with_stick();
    let (intended, played) = game(12, Span::new(300, 600), 71);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    place.warned(&daemon, Some("its folder does not exist")).await;
    assert!(!place.path("stick").exists(), "what may be the mount point is not made");
    let view = place.get("/board/table-1/view.json").await.unwrap();
    assert!(view.contains("stick/rokade is not kept"), "{view}");

    // It is put in, and pulled out in the middle of the game.
    fs::create_dir_all(place.path("stick/rokade")).unwrap();
    wait_for_copy(&place, &daemon, 100).await;
    place.warned(&daemon, None).await;
    daemon.connected(1).await;
    let happenings = played.script.happenings;
    let playing = async { board.play(happenings, Speed::REAL).await.unwrap() };
    let pulling = async {
        place.seen(|view| moves_of(view).len() >= 3).await;
        fs::rename(place.path("stick"), place.path("away")).unwrap();
        place.warned(&daemon, Some("its folder does not exist")).await;
    };
    tokio::join!(playing, pulling);
    place.seen(|view| moves_of(view) == intended).await;
    let n_before = lines_in(&place.path("away/rokade/table-1")).len();
    fs::rename(place.path("away"), place.path("stick")).unwrap();
    wait_for_copy(&place, &daemon, n_before).await;
    place.warned(&daemon, None).await;
    assert_eq!(n_said(&daemon, "THE SECOND COPY IS NOT KEPT"), 2, "{}", daemon.said());
    assert_eq!(n_said(&daemon, "the second copy is complete again"), 2, "{}", daemon.said());
    assert_eq!(daemon.stop().await.0, Some(0));
    assert_eq!(lines_in(&place.path("stick/rokade/table-1")), lines_in(&place.journal()));

    let folder = place.text("stick/rokade/table-1");
    let verified = place.run(&["verify", "--journal", &folder]).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let exported = place.run(&["export", "--journal", &folder]).await;
    assert_eq!(pgn_moves(&exported.out), [intended]);
    let (own, copied) =
        (place.run(&["log"]).await, place.run(&["log", "--journal", &folder]).await);
    assert!(!own.out.is_empty() && own.out == copied.out, "{copied:?}");
}

/// A pipe in the place of a segment, another board's record, a file in the place of the folder: the
/// daemon starts, records, and says what is wrong.
#[tokio::test]
async fn nothing_in_the_place_of_the_copy_keeps_a_board_from_being_recorded() {
    let place = with_stick();
    let folder = place.path("stick/rokade/table-1");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("000001.journal"), "somebody's letters\n").unwrap();
    let (intended, played) = game(4, Span::new(300, 600), 72);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    daemon.connected(1).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended).await;
    let next = place.path("stick/rokade/table-1+2");
    let end = Instant::now() + LIMIT;
    while lines_in(&next).is_empty() || lines_in(&next) != lines_in(&place.journal()) {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP).await;
    }
    assert_eq!(fs::read(folder.join("000001.journal")).unwrap(), b"somebody's letters\n");
    assert_eq!(n_said(&daemon, "another record is in its place"), 1, "{}", daemon.said());

    fs::rename(place.path("stick"), place.path("away")).unwrap();
    fs::create_dir(place.path("stick")).unwrap();
    fs::write(place.path("stick/rokade"), "no folder").unwrap();
    place.warned(&daemon, Some("it is no folder")).await;
    assert_eq!(daemon.stop().await.0, Some(0));
    let exported = place.run(&["export"]).await;
    assert_eq!(pgn_moves(&exported.out), [intended]);
}
