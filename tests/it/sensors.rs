//! Games from seeds in which the sensor of one square fails: it goes blind, or is stuck at what it
//! read last. What is on record is what was played, or something on record tells of the difference;
//! and nobody is blamed for an illegal move that he has not made.

use rokade::game::Fact;
use rokade::laws::Stage;
use rokade::sim::script::Happening;
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::verdict::TrialVerdict;
use rokade::sim::{Replay, Script, TableKind};
use rokade::table::{Reading, Sight};
use rokade::time::Mono;
use shakmaty::Square;

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
