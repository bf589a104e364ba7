//! Games from seeds in which the sensor of one square fails: it goes blind, or is stuck at what it
//! read last. What is on record is what was played, or something on record tells of the difference;
//! and nobody is blamed for an illegal move that he has not made.

#![allow(clippy::unwrap_used)]

use rokade::game::Fact;
use rokade::game::entry::Basis;
use rokade::laws::{Finding, FindingKind, Stage};
use rokade::relay::sensors::FaultySensors;
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::sim::script::Happening;
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::verdict::TrialVerdict;
use rokade::sim::{Replay, Script, TableKind};
use rokade::table::{Reading, Sight};
use rokade::time::Mono;
use shakmaty::Square;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

use crate::daemon::game;
use crate::program::{LIMIT, Place, STEP, is_live, moves_of, plug};

/// Games for each kind of hands and table.
const N_SEEDS: u64 = 20;
/// How many of all games are exact at least. A piece that was lifted and is seen nowhere may stand
/// on any blind square that it reaches, so no record can be right in all of them.
const EXACT_PERCENT: usize = 85;

/// How a sensor fails.
#[derive(Copy, Clone, Debug)]
enum Fault {
    Blind,
    Stuck,
}

/// The same script, with a sensor that tells nothing more from `at` on.
fn with_fault(script: &Script, sq: Square, at: Mono, fault: Fault) -> Script {
    let start = script.header.start.clone().expect("hands name the start position");
    let piece = start.into_setup().board.piece_at(sq);
    let sensed = |happening: &Happening| match happening {
        Happening::Sensed { sq: other, reading, .. } if *other == sq => Some(*reading),
        _ => None,
    };
    let before = script.happenings.iter().take_while(|(when, _)| *when < at);
    let reads = before.filter_map(|(_, happening)| sensed(happening)).last();
    let reads = reads.unwrap_or(piece.map_or(Reading::Empty, Reading::Piece));
    let mut broken = script.clone();
    broken.happenings.retain(|(when, happening)| *when < at || sensed(happening).is_none());
    if matches!(fault, Fault::Blind) && reads != Reading::Empty {
        let idx = broken.happenings.iter().position(|(when, _)| *when >= at).expect("an end");
        let gone = Happening::Sensed { sq, reading: Reading::Empty, is_lost: false };
        broken.happenings.insert(idx, (at, gone));
    }
    broken
}

/// How many completed illegal moves the arbiter was told of.
fn n_blamed(replay: &Replay) -> usize {
    let is_blame = |fact: &Fact| matches!(fact, Fact::IllegalMove { stage: Stage::Completed, .. });
    replay.entries.iter().filter(|entry| is_blame(&entry.fact)).count()
}

#[test]
fn a_sensor_that_fails_makes_no_silent_record() {
    let (mut n_games, mut n_exact) = (0, 0);
    for (profile, has_clock) in [("clean", true), ("clean", false), ("school", true)] {
        let table = TableKind { sight: Sight::Pieces, has_clock };
        for seed in 0..N_SEEDS {
            let recipe = Recipe::invented(seed, profile, table, 40);
            let Trial { start, performance, replay, .. } = Trial::run(recipe, &[]);
            let mut rng = fastrand::Rng::with_seed(seed);
            let ply = rng.usize(0..performance.truth.plies.len() / 2);
            let before = ply.checked_sub(1).map(|ply| performance.truth.plies[ply].rested);
            let at = before.map_or(Mono::from_millis(1_900), |rested| Mono(rested.0 + 1));
            let sq = Square::new(rng.u32(0..64));
            let fault = if rng.bool() { Fault::Stuck } else { Fault::Blind };
            let broken = Replay::run(&with_fault(&performance.script, sq, at, fault));
            let verdict =
                TrialVerdict::new(&start, &performance.truth, &broken, &performance.script);
            let case = format!("{recipe}: {sq} {fault:?} from {at}: {verdict}");
            assert!(!verdict.is_silently_wrong(), "{case}");
            let whole = replay.expect("no panic");
            assert!(n_blamed(&broken) <= n_blamed(&whole), "{case}");
            n_games += 1;
            n_exact += usize::from(verdict.is_exact);
        }
    }
    println!("{n_exact} of {n_games} exact");
    assert!(100 * n_exact >= EXACT_PERCENT * n_games, "{n_exact} of {n_games} exact");
}

fn named(squares: &[Square]) -> Fact {
    let kind = FindingKind::SensorFault { squares: squares.to_vec() };
    Fact::Found(Finding { kind, by: None })
}

#[test]
fn of_the_last_games_with_moves_the_squares_that_failed_are_known() {
    let begun = || Fact::GameStarted {
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
        is_chess960: false,
        white: String::new(),
        black: String::new(),
        event: String::new(),
        site: String::new(),
        round: String::new(),
    };
    let made = || Fact::MoveMade {
        ply: 1,
        uci: "e2e4".to_owned(),
        san: "e4".to_owned(),
        is_illegal: false,
        basis: Basis::Quiet,
        released_before: Duration::ZERO,
        alternatives: Vec::new(),
    };
    let mut sensors = FaultySensors::default();
    let mut take = |facts: &[Fact]| {
        facts.iter().for_each(|fact| sensors.take(fact));
        (sensors.n_games(), sensors.named())
    };
    // Before any game there is none to name, and an array that nobody played from is no game.
    let both = named(&[Square::E4, Square::D5]);
    let of_one = take(&[named(&[Square::A1]), begun(), begun(), made(), both, begun()]);
    assert_eq!(of_one, (1, vec![(Square::E4, 1), (Square::D5, 1)]));
    let of_two = take(&[begun(), made(), named(&[Square::E4]), named(&[Square::E4])]);
    assert_eq!(of_two, (2, vec![(Square::E4, 2), (Square::D5, 1)]));
    let next = [begun(), made(), begun(), made(), begun(), made()];
    assert_eq!(take(&next).1.len(), 2);
    // What has gone well for five games is mended.
    assert_eq!(take(&[begun(), made()]), (5, vec![(Square::E4, 1)]));
}

/// A daemon that is killed in the middle of a game has not forgotten which square does not tell:
/// the game goes on as it is played, and nothing is said of it again.
#[tokio::test]
async fn a_sensor_that_has_failed_is_known_to_a_daemon_that_comes_back() {
    // The pawn is captured on d5 and the pawn that did it as well; d5 shows the first for ever.
    let trace = include_str!("../traces/85d-captures-on-a-square-that-is-stuck.trace.jsonl");
    let script = Script::parse(trace).unwrap();
    let killed = Mono::from_millis(14_000);
    let (before, after): (Vec<_>, Vec<_>) =
        script.happenings.iter().cloned().partition(|(at, _)| *at < killed);
    let after = after.into_iter().map(|(at, what)| (Mono(at.0 - killed.0), what)).collect();
    let place = Place::new();
    let mut board = plug(&script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(before, Speed::REAL).await.unwrap();
    let is_told = |log: &str| log.matches("the sensor does not tell what stands on d5").count();
    let end = Instant::now() + LIMIT;
    while is_told(&place.run(&["log"]).await.out) == 0 {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP * 20).await;
    }
    daemon.kill().await;
    let daemon = place.start();
    place.seen(|view| is_live(view) && moves_of(view).len() == 4).await;
    board.play(after, Speed::REAL).await.unwrap();
    let expected = ["e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a5"];
    place.seen(|view| moves_of(view) == expected).await;
    assert_eq!(daemon.stop().await.0, Some(0));
    let log = place.run(&["log"]).await.out;
    assert_eq!(is_told(&log), 1, "{log}");
    for word in ["gap", "DISPLACED", "ILLEGAL", "UNCERTAIN"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

/// The square whose sensor has died in a game is named by `rokade doctor` later.
#[tokio::test]
async fn a_sensor_that_has_failed_is_named_the_next_day() {
    let place = Place::new();
    let (intended, played) = game(12, Span::new(1_300, 1_500), 5);
    let sq: Square = intended[0][2..4].parse().unwrap();
    let script = with_fault(&played.script, sq, Mono::default(), Fault::Blind);
    let mut board = plug(&script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view).len() >= 8).await;
    assert_eq!(daemon.stop().await.0, Some(0));
    let told = place.run(&["doctor"]).await.out;
    // A pawn that has gone one square or two leaves both in doubt.
    let words = "BAD   table-1: in its last game with moves sensors did not tell what stood on ";
    let named = told.lines().find_map(|line| line.strip_prefix(words));
    assert!(named.is_some_and(|it| it.contains(&format!("{sq} (1)"))), "{told}");
}
