//! How long the rules take for one event: what a referee is told of, over a game of pieces lifted,
//! put down and pressed on. A press is first told to a copy of him, as it is in a game: whether he
//! would blame somebody.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod figure;

use criterion::{BatchSize, Criterion, criterion_group};
use figure::{Spread, Target};
use rokade::laws::{Clocks, Referee, Terms, Told};
use rokade::table::{Placement, Reading};
use rokade::time::Mono;
use shakmaty::san::San;
use shakmaty::{ByColor, CastlingMode, Chess, Color, Move, Position, Square};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// For one event, 99 of 100.
const TARGET_US: f64 = 50.0;
const EVENT: &str = "laws.event";
const PRESS: &str = "laws.press";
/// Time passes: what has come to rest is judged, and dead positions are looked for, step by step.
const PASSED: &str = "laws.passed";
/// As long as the longest games are.
const N_PLIES: usize = 300;
/// A game with every kind of move.
const GAME: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 \
    Bb7 Bc2 Re8 a4 Bf8 Bd3 c6 b3 g6 Qc2 Rc8 Bb2 Nh5 dxe5 dxe5 c4 bxc4 bxc4 Nf4 Bf1 c5 a5 Qf6 Ra3 \
    Ne6 Qd1 Rcd8 Nb1 Nd4 Nxd4 exd4 Nd2 Qe7 f4 f5 exf5 Qh4 fxg6 hxg6";

criterion_group!(benches, game);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    if figure::is_wanted() {
        let rounds: Vec<Vec<(&str, Duration)>> = (0..7).map(|_| measure()).collect();
        // Of each event the median counts: what the machine does meanwhile is not the rules' fault.
        let medians = (0..rounds[0].len()).map(|idx| {
            let mut of: Vec<Duration> = rounds.iter().map(|round| round[idx].1).collect();
            of.sort_unstable();
            (rounds[0][idx].0, of[of.len() / 2])
        });
        let medians: Vec<(&str, Duration)> = medians.collect();
        let spread = |kind: &str| {
            let of_kind = medians.iter().filter(|(known, _)| *known == kind);
            Spread::of(of_kind.map(|(_, span)| *span).collect())
        };
        for kind in [EVENT, PRESS] {
            spread(kind).print(kind, Target::Under(TARGET_US));
        }
        spread(PASSED).print(PASSED, Target::Free);
    }
}

fn seat() -> Referee {
    let start = Chess::new();
    let seen = Placement::from(start.board().clone());
    let mut referee = Referee::new(Terms::default(), start, CastlingMode::Standard, seen);
    let left = ByColor { white: Duration::from_secs(5_400), black: Duration::from_secs(5_400) };
    referee.tell(Mono(0), &Told::Clock(Clocks { left, running: Some(Color::White) }));
    referee
}

/// The moves of the game, and a long ending of moves at random.
fn moves() -> Vec<Move> {
    (0..).find_map(long_game).expect("a game that is long enough")
}

/// A game with moves at random; none if it ends too soon.
fn long_game(seed: u64) -> Option<Vec<Move>> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut pos = Chess::new();
    let mut moves = Vec::new();
    for text in GAME.split_whitespace() {
        let san: San = text.parse().expect("a move");
        moves.push(san.to_move(&pos).expect("a legal move"));
        pos.play_unchecked(moves[moves.len() - 1]);
    }
    while moves.len() < N_PLIES {
        let legal = pos.legal_moves();
        let is_over =
            legal.is_empty() || pos.halfmoves() > 100 || pos.board().occupied().count() < 12;
        moves.push((!is_over).then(|| legal[chance.usize(..legal.len())])?);
        pos.play_unchecked(moves[moves.len() - 1]);
    }
    Some(moves)
}

/// What happens in the game, in order.
fn events() -> Vec<(Mono, Told)> {
    let mut pos = Chess::new();
    let mut events = Vec::new();
    let mut ms = 0;
    for m in moves() {
        let mut after = pos.clone();
        after.play_unchecked(m);
        let changed: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|sq| pos.board().piece_at(*sq) != after.board().piece_at(*sq))
            .collect();
        let from = m.from().expect("a piece moves");
        let lifts = changed.iter().filter(|sq| pos.board().piece_at(**sq).is_some());
        let mut lifts: Vec<Square> = lifts.copied().filter(|sq| *sq != from).collect();
        lifts.insert(0, from);
        let placed = changed.iter().filter_map(|sq| Some((*sq, after.board().piece_at(*sq)?)));
        let lifted = lifts.into_iter().map(|sq| Told::Square(sq, Reading::Empty));
        let placed = placed.map(|(sq, piece)| Told::Square(sq, Reading::Piece(piece)));
        for told in lifted.chain(placed) {
            ms += 300;
            events.push((Mono::from_millis(ms), told));
        }
        for told in [Told::Passed, Told::Pressed(pos.turn())] {
            ms += 600;
            events.push((Mono::from_millis(ms), told));
        }
        let left = ByColor { white: Duration::from_secs(5_400), black: Duration::from_secs(5_400) };
        let clocks = Clocks { left, running: Some(after.turn()) };
        events.push((Mono::from_millis(ms), Told::Clock(clocks)));
        pos = after;
    }
    events
}

/// How long each event took, and of what kind it was.
fn measure() -> Vec<(&'static str, Duration)> {
    let mut referee = seat();
    let tell = |(at, told): &(Mono, Told)| {
        let kind = match told {
            Told::Pressed(_) => PRESS,
            Told::Passed => PASSED,
            _ => EVENT,
        };
        let start = Instant::now();
        if kind == PRESS {
            black_box(referee.clone().tell(*at, told));
        }
        black_box(referee.tell(*at, told));
        (kind, start.elapsed())
    };
    let spans = events().iter().map(tell).collect();
    assert_eq!(referee.moves().len(), N_PLIES, "every move is seen");
    spans
}

fn game(criterion: &mut Criterion) {
    let events = events();
    let run = |mut referee: Referee| {
        for (at, told) in &events {
            black_box(referee.tell(*at, told));
        }
        referee
    };
    let name = format!("laws/one game, {} events", events.len());
    criterion.bench_function(&name, |bencher| {
        bencher.iter_batched(seat, run, BatchSize::PerIteration);
    });
}
