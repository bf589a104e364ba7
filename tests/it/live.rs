//! Games on lines that have their troubles, through the real program: many boards on
//! pseudo-terminals, played at the pace of the world, their cables pulled and plugged in while the
//! game goes on. The journals are held against what was played.
//!
//! `ROKADE_LIVE` sets how many games each row has and how long they are; `tests/table.sh live`
//! plays more. `ROKADE_UNPLUGS` sets how often the cable of one board is pulled; `tests/numbers.sh
//! unplugs` pulls it a thousand times.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use rokade::game::Entry;
use rokade::laws::Edition;
use rokade::shell::journal::{DiskStorage, JournalReader};
use rokade::shell::pty::{PtyBoard, PtyBoardStub, Speed};
use rokade::shell::record;
use rokade::sim::account::Discrepancies;
use rokade::sim::games::random_game;
use rokade::sim::hands::{Manners, Performance, Span, perform};
use rokade::sim::replay::PLUGGED_IN;
use rokade::sim::script::{Happening, Script};
use rokade::sim::trial::TableRow;
use rokade::sim::trouble::{Away, Out, Toll, Trouble, TroubleCase, TroubleKind};
use rokade::sim::{Table, TableKind, blame};
use rokade::table::{Placement, Sight};
use rokade::time::Mono;
use shakmaty::{CastlingMode, Chess, Position};
use tokio::time::{Instant, sleep, sleep_until};

use crate::program::{Place, STEP, is_live};

const DGT: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };
/// A game of the small version is over after so many half-moves, one of the large after more.
const PLIES: (usize, usize) = (10, 50);
/// The large version has so many games a row and more.
const LARGE: u64 = 10;
/// So many boards one daemon has at once; the machine plays their hands as well.
const AT_ONCE: usize = 40;
/// After the last move: a board at rest is asked for its picture once more, and for its memory.
const LINGER: Duration = Duration::from_secs(8);
/// In the small version a cable is out for so long at the most.
const OUT_MAX: Duration = Duration::from_secs(3);

/// A game on a board of its own.
struct Seat {
    case: TroubleCase,
    played: Performance,
    trouble: Trouble,
    stub: PtyBoardStub,
    /// A board on which another game is played, and whose cable is out.
    other: Option<PtyBoardStub>,
}

fn n_games() -> u64 {
    std::env::var("ROKADE_LIVE").map_or(2, |n| n.parse().unwrap())
}

/// When half-move `n` is over, from 1.
fn end_of(played: &Performance, n: usize) -> Mono {
    let last = &played.truth.plies[n - 1];
    last.completed.unwrap_or(last.rested).max(last.rested)
}

/// The position after `n` half-moves.
fn position(played: &Performance, n: usize) -> Chess {
    let plies = played.truth.plies[..n].iter();
    plies.fold(Chess::new(), |pos, ply| pos.play(ply.m).unwrap())
}

/// Whether half-move `n` is over before a hand is at the next.
fn is_apart(played: &Performance, n: usize) -> bool {
    let mut seen = Placement::from(Chess::new().board().clone());
    let end = end_of(played, n);
    for (_, what) in played.script.happenings.iter().take_while(|(at, _)| *at <= end) {
        if let Happening::Sensed { sq, reading, .. } = what {
            seen.set(*sq, *reading);
        }
    }
    seen.differs(position(played, n).board()).is_empty()
}

/// Cuts a game after `n` half-moves, or a few earlier, where nothing is in a hand: a board on which
/// a piece is missing for good would show a position that never was.
fn cut(played: &mut Performance, n: usize) {
    if n >= played.truth.plies.len() {
        return;
    }
    let n = (1..=n).rev().find(|n| is_apart(played, *n)).expect("no hands in the air");
    let end = end_of(played, n);
    played.truth.last = position(played, n);
    played.truth.plies.truncate(n);
    played.script.happenings.retain(|(at, _)| *at <= end);
}

/// A shorter game, and the cable out within it.
fn shorten(played: &mut Performance, trouble: &mut Trouble, is_large: bool, seed: u64) {
    cut(played, if is_large { PLIES.1 } else { PLIES.0 });
    let last = played.truth.plies.last().unwrap().made;
    for out in &mut trouble.outs {
        let is_join = out.from == Mono::default();
        let is_exchange = matches!(out.what, Away::Exchanged { .. });
        // Spread over the game that is left.
        let share = Duration::from_millis(last.millis() * (seed * 37 % 80 + 10) / 100);
        let lasts = out.until.since(out.from);
        let at = Mono::default() + share;
        *out = match is_join {
            true => Out { until: at, ..*out },
            false if is_exchange => {
                let until = at + PLUGGED_IN + if is_large { lasts } else { OUT_MAX };
                Out { from: at, until: until + PLUGGED_IN, what: Away::Exchanged { until } }
            }
            false if is_large => Out { from: at, until: at + lasts, what: Away::Power },
            false => Out { from: at, until: at + lasts.min(OUT_MAX), what: Away::Power },
        };
    }
}

async fn seat(place: &Place, number: usize, case: TroubleCase, is_large: bool) -> Seat {
    let (mut played, mut trouble) = case.prepare(&[]);
    shorten(&mut played, &mut trouble, is_large, case.seed);
    let mut table = Table::new(&played.script.header);
    if trouble.is_forgetful {
        table = table.that_forgets();
    }
    let other = match &trouble.other {
        Some(script) => Some(seat_beside(place, number, script).await),
        None => None,
    };
    let (stub, mut actor) = PtyBoard::open(table, Some(place.cable(number))).unwrap();
    if let Some(noise) = trouble.noise.clone() {
        actor = actor.with_noise(noise);
    }
    tokio::spawn(actor.run());
    Seat { case, played, trouble, stub, other }
}

/// Another board, which can be plugged in where board `number` is.
async fn seat_beside(place: &Place, number: usize, script: &Script) -> PtyBoardStub {
    let table = Table::new(&script.header).numbered("02047", 0);
    let (stub, actor) = PtyBoard::open(table, Some(place.cable(number))).unwrap();
    tokio::spawn(actor.run());
    stub.cable.unplug().await.unwrap();
    stub
}

/// Plays the game of a board, and pulls its cable when that is due.
async fn play(seat: Seat) -> Seat {
    let began = Instant::now();
    let at = |mono: Mono| began + mono.since(Mono::default());
    seat.stub.play(seat.played.script.happenings.clone(), Speed::REAL).await.unwrap();
    if let (Some(other), Some(script)) = (&seat.other, &seat.trouble.other) {
        other.play(script.happenings.clone(), Speed::REAL).await.unwrap();
    }
    for out in &seat.trouble.outs {
        if out.from > Mono::default() {
            sleep_until(at(out.from)).await;
            seat.stub.cable.unplug().await.unwrap();
        }
        if let (Away::Exchanged { until }, Some(other)) = (out.what, &seat.other) {
            sleep_until(at(out.from + PLUGGED_IN)).await;
            other.cable.plug().await.unwrap();
            sleep_until(at(until)).await;
            other.cable.unplug().await.unwrap();
        }
        sleep_until(at(out.until)).await;
        seat.stub.cable.plug().await.unwrap();
    }
    // Where the cable comes back after the last move, the board is read from then on.
    let end = seat.played.truth.plies.last().unwrap().rested;
    let end = seat.trouble.outs.iter().map(|out| out.until).fold(end, Mono::max);
    sleep_until(at(end) + LINGER).await;
    seat
}

/// The boards of these games have a referee where the games do.
fn seat_referees(place: &Place, cases: &[TroubleCase]) {
    let path = place.path("rokade.toml");
    let mut text = fs::read_to_string(&path).unwrap();
    for (number, case) in (1..).zip(cases) {
        if let Some(laws) = case.laws {
            let name = format!("name = \"table-{number}\"\n");
            text = text.replace(&name, &format!("{name}laws = \"{laws}\"\n"));
        }
    }
    fs::write(&path, text).unwrap();
}

pub(crate) fn journal(place: &Place, number: usize) -> Vec<Entry> {
    let folder: PathBuf = place.path(&format!("state/table-{number}"));
    let mut reader = JournalReader::new(DiskStorage::new(folder));
    let mut entries = Vec::new();
    loop {
        let lines = reader.poll().unwrap();
        if lines.is_empty() {
            return entries;
        }
        entries.extend(lines.iter().map(|line| record::entry_of(line).expect("a known record")));
    }
}

/// Plays these games at once, one a board, in one daemon.
async fn play_all(
    cases: &[TroubleCase],
    is_large: bool,
) -> Vec<(TroubleCase, Discrepancies, usize)> {
    let place = Place::with_boards(cases.len());
    seat_referees(&place, cases);
    let mut seats = Vec::new();
    for (number, case) in (1..).zip(cases) {
        seats.push(seat(&place, number, *case, is_large).await);
    }
    for seat in seats.iter().filter(|seat| seat.case.kind == TroubleKind::Join) {
        seat.stub.cable.unplug().await.unwrap();
    }
    let daemon = place.start();
    let end = Instant::now() + Duration::from_secs(60);
    let is_whole =
        |seat: &Seat| matches!(seat.case.kind, TroubleKind::Cable | TroubleKind::Exchange);
    for (number, seat) in (1..).zip(&seats).filter(|(_, seat)| is_whole(seat)) {
        while !place.view_of(number).await.is_some_and(|view| is_live(&view)) {
            assert!(Instant::now() < end, "{} is not read\n{}", seat.case, daemon.said());
            sleep(STEP * 20).await;
        }
    }
    let games: Vec<_> = seats.into_iter().map(|seat| tokio::spawn(play(seat))).collect();
    let mut seats = Vec::new();
    for game in games {
        seats.push(game.await.unwrap());
    }
    assert_eq!(daemon.stop().await.0, Some(0));
    let mut accounts = Vec::new();
    for (number, seat) in (1..).zip(&seats) {
        let entries = journal(&place, number);
        let account = Discrepancies::new(&seat.played.truth, &entries, &seat.trouble.outs);
        let n_accused = blame::undeserved(&seat.played.truth, &entries).len();
        accounts.push((seat.case, account, n_accused));
    }
    accounts
}

/// All rows, each with so many games.
fn cases(n: u64) -> Vec<TroubleCase> {
    let mut cases = Vec::new();
    for seed in 0..n {
        let laws = seed.is_multiple_of(2).then_some(Edition::M2023);
        let is_forgetful = (seed / 2).is_multiple_of(2);
        let case = TroubleCase {
            seed,
            kind: TroubleKind::Cable,
            profile: "blitz",
            table: DGT,
            laws,
            is_forgetful,
        };
        // Short games are cut before their end, which that kind is about.
        let kinds = TroubleKind::ALL.into_iter().filter(|kind| *kind != TroubleKind::End);
        cases.extend(kinds.map(|kind| TroubleCase { kind, ..case }));
    }
    cases
}

#[tokio::test]
async fn troubled_lines_of_the_real_program_invent_nothing() {
    let n = n_games();
    let is_large = n >= LARGE;
    let mut tolls = TroubleKind::ALL.map(|kind| (kind.word(), kind, Toll::default()));
    for batch in cases(n).chunks(AT_ONCE) {
        for (case, account, n_accused) in play_all(batch, is_large).await {
            if account.n_invented + account.n_missing > 0 {
                println!("live: seed {} {case}: {account:?}", case.seed);
            }
            let of_kind = tolls.iter_mut().find(|(_, kind, _)| *kind == case.kind);
            of_kind.expect("every kind has a row").2.add(&account, n_accused);
        }
    }
    println!("live: {:<8}{}", "line", Toll::HEADER);
    for (word, _, toll) in &tolls {
        println!("live: {word:<8}{toll}");
    }
    // What noise does to a line is not all found out yet, nor what a board does that has lost its
    // mode; the table has its own target.
    let is_open = |kind| matches!(kind, TroubleKind::Noise | TroubleKind::Power);
    for (word, _, toll) in tolls.iter().filter(|(_, kind, _)| !is_open(*kind)) {
        assert_eq!(toll.n_invented, 0, "{word}: {toll}");
    }
}

/// The game of a board whose cable is pulled again and again.
fn unplugged_game(seed: u64) -> Performance {
    let think = Span { min_ms: 500, max_ms: 4_000 };
    let manners =
        Manners { think, unplugged: 0.0, post_mortem: 0.0, kings: 0.0, ..Manners::club() };
    let moves = random_game(seed, PLIES.1);
    let mode = CastlingMode::Standard;
    let mut played = perform(&Chess::new(), mode, &moves, None, &manners, DGT, seed);
    // The start position is nothing that anybody has named.
    played.script.header.start = None;
    played
}

/// A board whose cable is plugged in again is to be in step after this time.
const BACK_WITHIN: Duration = Duration::from_secs(2);

/// The last lines of what a daemon has said.
fn last_of(said: &str) -> String {
    let n_skipped = said.lines().count().saturating_sub(150);
    said.lines().skip(n_skipped).collect::<Vec<_>>().join("\n")
}

/// Pulls the cable until the game is over, or so often. How long it took each time until the
/// board was read again, and what became of the record.
async fn pull_again_and_again(seed: u64, n: usize) -> (Vec<Duration>, Discrepancies, usize) {
    let place = Place::with_boards(1);
    let mut played = unplugged_game(seed);
    // Some three seconds pass for each time.
    cut(&mut played, (2 * n).max(PLIES.0));
    let table = Table::new(&played.script.header);
    let (stub, actor) = PtyBoard::open(table, Some(place.cable(1))).unwrap();
    tokio::spawn(actor.run());
    let daemon = place.start();
    place.seen(is_live).await;
    stub.play(played.script.happenings.clone(), Speed::REAL).await.unwrap();
    let began = Instant::now();
    let end = began + end_of(&played, played.truth.plies.len()).since(Mono::default());
    let mut rng = fastrand::Rng::with_seed(seed);
    let (mut backs, mut outs) = (Vec::new(), Vec::new());
    while backs.len() < n && Instant::now() < end {
        sleep(Duration::from_millis(rng.u64(100..3_000))).await;
        let from = Mono::default() + began.elapsed();
        stub.cable.unplug().await.unwrap();
        place.seen(|view| !is_live(view)).await;
        sleep(Duration::from_millis(rng.u64(0..1_000))).await;
        stub.cable.plug().await.unwrap();
        let plugged = Instant::now();
        place.seen(is_live).await;
        if plugged.elapsed() > BACK_WITHIN {
            println!("unplugs: seed {seed}: late in\n{}", last_of(&place.said()));
        }
        backs.push(plugged.elapsed());
        outs.push(Out { from, until: Mono::default() + began.elapsed(), what: Away::Power });
    }
    sleep_until(end + LINGER).await;
    assert_eq!(daemon.stop().await.0, Some(0));
    let entries = journal(&place, 1);
    let account = Discrepancies::new(&played.truth, &entries, &outs);
    (backs, account, blame::undeserved(&played.truth, &entries).len())
}

#[tokio::test]
async fn a_cable_that_is_pulled_again_and_again_brings_no_wrong_move() {
    let n: usize = std::env::var("ROKADE_UNPLUGS").map_or(5, |n| n.parse().unwrap());
    let (mut backs, mut toll, mut seed) = (Vec::new(), Toll::default(), 0);
    while backs.len() < n {
        let (of_game, account, n_accused) = pull_again_and_again(seed, n - backs.len()).await;
        if account.n_invented + account.n_missing > 0 {
            println!("unplugs: seed {seed}: {account:?}");
        }
        assert!(!of_game.is_empty(), "a game is long enough");
        backs.extend(of_game);
        toll.add(&account, n_accused);
        seed += 1;
    }
    backs.sort_unstable();
    let [median, longest] = [backs[n / 2], backs[n - 1]].map(|it| it.as_millis());
    println!("unplugs: {n} in {seed} games, read again after {median} ms, {longest} ms at most");
    assert_eq!((toll.n_invented, toll.n_missing), (0, 0), "{toll}");
}
