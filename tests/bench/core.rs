//! How long the core takes from the last byte of a message to its effects, and how many changes of
//! sensors it can follow.
//!
//! A message is measured several times, each time in the same game from its start, and its median
//! counts: what the machine does meanwhile is not the core's fault.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod figure;
mod game;
mod heard;

use criterion::{BatchSize, Criterion, criterion_group};
use figure::{Spread, Target};
use heard::{Heard, Recording};
use rokade::game::{Effect, Event, Game, Settings};
use rokade::sim::script::Happening;
use rokade::sim::{Manners, Performance};
use rokade::table::{Placement, Reading};
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::{Board, Square};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Games of each kind.
const SEEDS: std::ops::Range<u64> = 1..5;
/// How often each message is measured.
const N_ROUNDS: usize = 7;
/// From the last byte to the effects, for 99 of 100 messages.
const TARGET_US: f64 = 100.0;
/// How a message about one field begins (protocol 1.5).
const FIELD_UPDATE: u8 = 0x8e;
/// Changes of sensors in a second, on one core.
const TARGET_RATE: f64 = 100_000.0;

criterion_group!(benches, club);

fn main() {
    benches();
    Criterion::default().configure_from_args().final_summary();
    if figure::is_wanted() {
        let target = Target::Under(TARGET_US);
        figures("core.club", target, game::of_two_hours);
        figures("core.blitz", target, |seed| game::played(seed, &Manners::blitz()));
        // Nobody promised anything about these; they show what the worst is.
        figures("core.scramble", Target::Free, |seed| game::played(seed, &Manners::scramble()));
        figures("core.lossy", Target::Free, |seed| game::played(seed, &Manners::lossy()));
        rate("core.rate.flickering", flickering);
        rate("core.rate.playing", playing);
    }
}

/// The mean over all calls of one game.
fn club(criterion: &mut Criterion) {
    let recording = Recording::of(&game::of_two_hours(1).script);
    let name = format!("core/two hours, {} calls", recording.calls.len());
    let run = |mut listener: heard::Listener| {
        for (at, heard) in &recording.calls {
            black_box(listener.hear(*at, heard));
        }
        listener
    };
    criterion.bench_function(&name, |bencher| {
        bencher.iter_batched(|| recording.listener(), run, BatchSize::PerIteration);
    });
}

fn figures(name: &str, target: Target, perform: impl Fn(u64) -> Performance) {
    let (mut messages, mut changes, mut timers) = (Vec::new(), Vec::new(), Vec::new());
    for seed in SEEDS {
        let recording = Recording::of(&perform(seed).script);
        let spans = measure(&recording);
        for ((_, heard), span) in recording.calls.iter().zip(spans) {
            match heard {
                Heard::Bytes(bytes) => {
                    messages.push(span);
                    if bytes[0] == FIELD_UPDATE {
                        changes.push(span);
                    }
                }
                Heard::Event(_) => timers.push(span),
            }
        }
    }
    figure::print(&format!("{name}.messages"), messages.len() as f64, "", Target::Free);
    Spread::of(messages).print(name, target);
    Spread::of(changes).print(&format!("{name}.changes"), Target::Free);
    Spread::of(timers).print(&format!("{name}.timers"), Target::Free);
}

/// The median time of every call.
fn measure(recording: &Recording) -> Vec<Duration> {
    let mut rounds = vec![Vec::with_capacity(N_ROUNDS); recording.calls.len()];
    for _ in 0..N_ROUNDS {
        let mut listener = recording.listener();
        for ((at, heard), spans) in recording.calls.iter().zip(&mut rounds) {
            let start = Instant::now();
            black_box(listener.hear(*at, heard));
            spans.push(start.elapsed());
        }
    }
    let median = |mut spans: Vec<Duration>| {
        spans.sort_unstable();
        spans[spans.len() / 2]
    };
    rounds.into_iter().map(median).collect()
}

/// A core whose game has begun, told everything at once.
struct Told {
    game: Game,
    effects: Vec<Effect>,
    n_sensed: usize,
    spent: Duration,
}

impl Told {
    fn new() -> Self {
        let mut told = Self {
            game: Game::new(Settings::default()),
            effects: Vec::new(),
            n_sensed: 0,
            spent: Duration::ZERO,
        };
        told.tell(Mono::default(), &Event::Pictured(Placement::from(Board::new())));
        told
    }

    fn tell(&mut self, mono: Mono, event: &Event) {
        let wall = Wall(i64::try_from(mono.0).unwrap_or(i64::MAX));
        let start = Instant::now();
        self.game.handle(Stamp { mono, wall }, event, &mut self.effects);
        self.spent += start.elapsed();
        self.n_sensed += usize::from(matches!(event, Event::Sensed(..)));
        self.effects.clear();
    }

    /// Lets every timer fire that is due.
    fn wait_until(&mut self, until: Mono) {
        while let Some(due) = self.game.wake_at().filter(|due| *due < until) {
            self.tell(due, &Event::Timeout);
        }
    }

    /// Changes of sensors in a second.
    fn rate(&self) -> f64 {
        self.n_sensed as f64 / self.spent.as_secs_f64()
    }
}

/// Prints the median of some rounds.
fn rate(name: &str, round: impl Fn() -> f64) {
    let mut rates: Vec<f64> = (0..N_ROUNDS).map(|_| round()).collect();
    rates.sort_unstable_by(f64::total_cmp);
    figure::print(name, rates[N_ROUNDS / 2], "/s", Target::Over(TARGET_RATE));
}

/// Pieces of the start position are lifted and put back, anywhere, without an end.
fn flickering() -> f64 {
    let start = Board::new();
    let mut rng = fastrand::Rng::with_seed(1);
    let mut told = Told::new();
    for n in 0..50_000 {
        let squares: Vec<Square> = start.occupied().into_iter().collect();
        let sq = squares[rng.usize(0..squares.len())];
        let piece = start.piece_at(sq).expect("an occupied square");
        told.tell(Mono(20 * n), &Event::Sensed(sq, Reading::Empty));
        told.tell(Mono(20 * n + 10), &Event::Sensed(sq, Reading::Piece(piece)));
    }
    told.rate()
}

/// Whole games, sensors, presses and timers, as fast as they can be told.
fn playing() -> f64 {
    let (mut n_sensed, mut spent) = (0, Duration::ZERO);
    for seed in SEEDS {
        let script = game::of_two_hours(seed).script;
        let mut told = Told::new();
        for (at, happening) in &script.happenings {
            told.wait_until(*at);
            match happening {
                Happening::Sensed { sq, reading, .. } => {
                    told.tell(*at, &Event::Sensed(*sq, *reading));
                }
                Happening::Press(by) => told.tell(*at, &Event::Pressed(*by)),
                _ => {}
            }
        }
        n_sensed += told.n_sensed;
        spent += told.spent;
    }
    Told { n_sensed, spent, ..Told::new() }.rate()
}
