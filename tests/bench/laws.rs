//! How long the rules take for one event: what a referee is told of, over a game of pieces lifted,
//! put down and pressed on.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod figure;

use criterion::{BatchSize, Criterion, criterion_group};
use figure::{Spread, Target};
use rokade::laws::{Clocks, Picture, Referee, Terms, Thing, Told};
use rokade::time::Mono;
use shakmaty::san::San;
use shakmaty::{Bitboard, ByColor, CastlingMode, Chess, Color, Position, Square};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// For one event, 99 of 100.
const TARGET_US: f64 = 50.0;
/// A game with every kind of move.
const GAME: &str = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 \
    Bb7 Bc2 Re8 a4 Bf8 Bd3 c6 b3 g6 Qc2 Rc8 Bb2 Nh5 dxe5 dxe5 c4 bxc4 bxc4 Nf4 Bf1 c5 a5 Qf6 Ra3 \
    Ne6 Qd1 Rcd8 Nb1 Nd4 Nxd4 exd4 Nd2 Qe7 f4 f5 exf5 Qh4 fxg6 hxg6";

criterion_group!(benches, game);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    if figure::is_wanted() {
        let mut spans: Vec<Vec<Duration>> = Vec::new();
        for _ in 0..7 {
            spans.push(measure());
        }
        // Of each event the median counts: what the machine does meanwhile is not the rules' fault.
        let n = spans[0].len();
        let medians = (0..n).map(|idx| {
            let mut of: Vec<Duration> = spans.iter().map(|round| round[idx]).collect();
            of.sort_unstable();
            of[of.len() / 2]
        });
        let spread = Spread::of(medians.collect());
        spread.print("laws.event", Target::Under(TARGET_US));
    }
}

fn seat() -> Referee {
    let start = Chess::new();
    let seen = Picture::new(start.board().clone(), Bitboard::EMPTY);
    let mut referee = Referee::new(Terms::default(), start, CastlingMode::Standard, seen);
    let left = ByColor { white: Duration::from_secs(5_400), black: Duration::from_secs(5_400) };
    referee.tell(Mono(0), &Told::Clock(Clocks { left, running: Some(Color::White) }));
    referee
}

/// What happens in the game, in order.
fn events() -> Vec<(Mono, Told)> {
    let mut pos = Chess::new();
    let mut events = Vec::new();
    let mut ms = 0;
    for text in GAME.split_whitespace() {
        let san: San = text.parse().expect("a move");
        let m = san.to_move(&pos).expect("a legal move");
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
        let lifted = lifts.into_iter().map(|sq| Told::Square(sq, None));
        let placed = placed.map(|(sq, piece)| Told::Square(sq, Some(Thing::Piece(piece))));
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

fn measure() -> Vec<Duration> {
    let mut referee = seat();
    let tell = |(at, told): &(Mono, Told)| {
        let start = Instant::now();
        black_box(referee.tell(*at, told));
        start.elapsed()
    };
    let spans = events().iter().map(tell).collect();
    assert_eq!(referee.moves().len(), GAME.split_whitespace().count(), "every move is seen");
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
