//! A delay that is changed while a game is on.

#![allow(clippy::unwrap_used)]

use std::fs;

use rokade::game::Delay;
use rokade::relay::delay::Held;
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::daemon::game;
use crate::delay::{WaysOut, at, made, n_filed, with_all_ways_out};
use crate::livechess;
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of, plug};
use crate::push;

#[test]
fn what_waits_waits_for_the_new_delay() {
    let behind = |delay: Delay, until: u64| {
        let mut held = Held::new(delay.into());
        (1..=until).for_each(|n| held.take(&made(usize::try_from(n).unwrap(), n), true, at(n)));
        held
    };
    let change = |held: &mut Held, delay: &str, seconds: u64| {
        held.renew(delay.parse().unwrap());
        held.due(at(seconds)).len()
    };
    // A longer one lets nothing more out, a shorter one at once what it may.
    let mut held = behind(Delay::Moves(2), 6);
    assert_eq!(held.due(at(6)).len(), 2);
    assert_eq!(change(&mut held, "3 moves", 6), 0);
    held.take(&made(7, 7), true, at(7));
    assert_eq!(held.due(at(7)).len(), 0);
    assert_eq!(change(&mut held, "1 moves", 7), 3);
    assert_eq!(change(&mut held, "5 minutes", 304), 0);
    assert_eq!(change(&mut held, "5 minutes", 306), 1, "the sixth, made five minutes ago");
    assert_eq!(change(&mut held, "15 minutes", 307), 0);
    assert_eq!((change(&mut held, "none", 308), held.is_behind()), (1, false));
    // What was let out before there was one has been counted.
    let mut held = behind(Delay::None, 4);
    assert_eq!(held.due(at(4)).len(), 4);
    assert_eq!(change(&mut held, "2 moves", 4), 0);
    for n in 5..=8 {
        held.take(&made(n, 5), true, at(5));
    }
    assert_eq!(held.due(at(5)).len(), 0);
    held.take(&made(9, 5), true, at(5));
    assert_eq!(held.due(at(5)), [made(5, 5)]);
    // Another round's is no concern of this one.
    assert_eq!(change(&mut held, "2 moves; round 9: none", 5), 0);
}

/// Writes another delay into the settings of the first board, and has them read.
fn set_delay(place: &Place, daemon: &Daemon, from: &str, to: &str) {
    let path = place.path("rokade.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (from, to) = (format!("delay = {from:?}\n"), format!("delay = {to:?}\n"));
    assert!(text.contains(&from), "{text}");
    fs::write(&path, text.replacen(&from, &to, 1)).unwrap();
    daemon.hangup();
}

/// How many half-moves were on record when it said this.
async fn n_before(place: &Place, words: &str) -> Option<usize> {
    let log = place.run(&["log", "--board", "table-1"]).await.out;
    let before = &log[..log.find(words)?];
    // As in `made       12. e4` and `completed  12... e5`.
    let is_move = |line: &&str| line.contains(" made  ") || line.contains(" completed  ");
    let last =
        before.lines().rfind(is_move)?.split_whitespace().find(|word| word.ends_with('.'))?;
    let number: usize = last.trim_end_matches('.').parse().unwrap();
    Some(2 * number - usize::from(!last.ends_with("...")))
}

async fn wait_until(daemon: &Daemon, is_so: impl AsyncFn() -> bool) {
    let end = Instant::now() + LIMIT;
    while !is_so().await {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP).await;
    }
}

#[tokio::test]
async fn a_game_goes_on_while_its_delay_is_changed_and_nothing_leaks() {
    let place = with_all_ways_out("none");
    let elsewhere = push::to_file(&place);
    let livechess = livechess::serve(&place);
    let (intended, played) = game(14, Span::new(700, 1_200), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    place.seen(|view| view["link"] == "live").await;
    let ways = WaysOut::watch(&place, livechess, elsewhere, &intended).await;
    let watching = async {
        wait_until(&daemon, async || ways.told().await.iter().all(|n| *n >= 3)).await;
        set_delay(&place, &daemon, "none", "2 moves");
        let words = "the public is 2 moves behind the board";
        wait_until(&daemon, async || n_before(&place, words).await.is_some()).await;
        let known = n_before(&place, words).await.unwrap();
        assert!((3..intended.len() - 6).contains(&known), "{known}");
        wait_until(&daemon, async || {
            let told = ways.told().await;
            let on_file = n_filed(&place);
            // A half-move may be on record and not in the file yet.
            let most = known.max((on_file + 1).saturating_sub(4));
            assert!(
                told.iter().all(|n| *n <= most),
                "{told:?}, {known} known and {on_file} on file"
            );
            on_file == intended.len()
        })
        .await;
    };
    let (played, ()) = tokio::join!(board.play(played.script.happenings, Speed::REAL), watching);
    played.unwrap();
    let page = place.get("/board/table-1/view.json").await.unwrap();
    assert!(page.contains("\"head\":\"\","), "it grows with each move: {page}");
    set_delay(&place, &daemon, "2 moves", "none");
    let (mut told, end) = (ways.told().await, Instant::now() + LIMIT);
    while told.iter().any(|n| *n != intended.len()) {
        assert!(Instant::now() < end, "{told:?}");
        sleep(STEP).await;
        told = ways.told().await;
    }
    let boards = livechess::get(livechess, "eboards").await;
    assert!(boards.contains("\"ACTIVE\"") && !boards.contains("\"DELAYED\""), "{boards}");
    let log = place.run(&["log", "--board", "table-1"]).await.out;
    assert_eq!(log.matches("PUBLIC_DELAY").count(), 2, "{log}");
    let said = daemon.said();
    assert!(!said.contains("the board uses its new settings"), "{said}");
    assert!(!said.contains("changed too, which takes a new start"), "{said}");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Who plays is no secret: the page of a board that is behind names them before its first move may
/// be shown.
#[tokio::test]
async fn a_board_that_is_behind_names_who_plays() {
    let place = with_all_ways_out("15 minutes");
    let (_, played) = game(4, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let _daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    board.played().await.unwrap();
    let names_them = |view: &Value| view["white"].as_str().is_some_and(|it| it.contains("Ærø"));
    let view = place.seen(names_them).await;
    assert_eq!((&view["black"], &view["event"]), (&"Ben".into(), &"Club Open".into()));
    assert_eq!(moves_of(&view), Vec::<String>::new(), "held back");
}
