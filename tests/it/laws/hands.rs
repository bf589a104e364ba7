//! A referee beside messy hands: he blames nobody for what nobody did, and misses no illegal move.

use rokade::game::{Fact, Ruled, Settings};
use rokade::laws::{Code, Severity, Terms};
use rokade::sim::hands::{Irregularity, Performance};
use rokade::sim::replay::settings_of;
use rokade::sim::script::Happening;
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::{Replay, TableKind};
use rokade::table::{Reading, Sight};
use rokade::time::Mono;
use shakmaty::{Position, Square};
use std::time::Duration;

const N_GAMES: u64 = 12;
/// In a school a piece is put on the very next square, where it may not go, and stays there.
const NEXT_SQUARE: [u64; 1] = [70];
const N_PLIES_MAX: usize = 60;
const PROFILES: [&str; 4] = ["clean", "club", "school", "blitz"];

/// A finding may come this much after the board is in order again.
const GRACE: Duration = Duration::from_millis(2_500);
/// A piece that was off its square for so long was taken in the hand, whatever for.
const HELD: Duration = Duration::from_secs(3);
/// What was touched before this has led to another move since.
const TURN_MAX: Duration = Duration::from_secs(45);

/// A game by hands, and what the referee says that blames somebody.
struct Watched {
    trial: Trial,
    blames: Vec<(Mono, Ruled)>,
}

impl Watched {
    fn new(seed: u64, profile: &'static str) -> Self {
        let table = TableKind { sight: Sight::Pieces, has_clock: true };
        let trial = Trial::run(Recipe::invented(seed, profile, table, N_PLIES_MAX), &[]);
        let script = &trial.performance.script;
        let settings = Settings { terms: Some(Terms::default()), ..settings_of(&script.header) };
        let replay = Replay::run_with(script, settings);
        let blames = replay.entries.iter().filter_map(|entry| match &entry.fact {
            Fact::Ruled(ruled) => {
                let is_blame = |code: &Code| {
                    code.severity() == Severity::Irregularity || *code == Code::IllegalOnBoard
                };
                ruled.code.filter(is_blame).map(|_| (entry.at.mono, ruled.clone()))
            }
            _ => None,
        });
        let blames = blames.collect();
        Self { trial, blames }
    }

    fn played(&self) -> &Performance {
        &self.trial.performance
    }

    /// What he says without a reason in what was done, and what he does not say.
    fn wrong(&self) -> Vec<String> {
        let name = self.trial.recipe.to_string();
        let blames = self.blames.iter().filter(|(at, ruled)| !self.is_deserved(*at, ruled));
        let mut wrong: Vec<String> =
            blames.map(|(at, ruled)| format!("{name}: {at} {}", ruled.text)).collect();
        for done in &self.played().truth.irregularities {
            let said = self.blames.iter().filter(|(at, ruled)| is_named(done, *at, ruled));
            let (n, wanted) = (said.count(), usize::from(done.completed.is_some()));
            if n != wanted {
                wrong.push(format!("{name}: {} to {} is named {n} times", done.from, done.to));
            }
        }
        wrong
    }

    fn is_deserved(&self, at: Mono, ruled: &Ruled) -> bool {
        let truth = &self.played().truth;
        match ruled.code {
            Some(Code::IllegalCompleted) => {
                truth.irregularities.iter().any(|done| is_named(done, at, ruled))
                    && self.is_reason_right(at, ruled)
            }
            Some(Code::IllegalOnBoard) => self.is_of_illegal(at, ruled, GRACE),
            // What went where it may not go was touched, and another piece moved instead.
            Some(Code::TouchMove) if self.is_of_illegal(at, ruled, TURN_MAX) => true,
            Some(Code::TouchMove) => {
                let names: Vec<Square> =
                    ruled.text.split(' ').filter_map(|word| word.parse().ok()).collect();
                names.into_iter().any(|sq| self.was_held(sq, at))
            }
            // A promotion is final at first contact.
            Some(Code::MovedAfterRelease) => {
                let ply = truth.plies.iter().rfind(|ply| ply.made <= at);
                ply.is_some_and(|ply| ply.gesture.contains("wrong piece first"))
            }
            Some(Code::RookFirst) => {
                let ply = truth.plies.iter().find(|ply| ply.made >= at);
                ply.is_some_and(|ply| ply.m.is_castle() && !ply.gesture.contains("king first"))
            }
            _ => false,
        }
    }

    /// Whether that player had made an illegal move, which was undone less than `ago` before.
    fn is_of_illegal(&self, at: Mono, ruled: &Ruled, ago: Duration) -> bool {
        let done = self.played().truth.irregularities.iter();
        let is_it = |done: &Irregularity| {
            ruled.by == Some(done.by) && done.made <= at && at <= done.restored + ago
        };
        done.into_iter().any(is_it)
    }

    /// Where the reason names a piece, it is the one that went.
    fn is_reason_right(&self, at: Mono, ruled: &Ruled) -> bool {
        let done = self.played().truth.irregularities.iter();
        let Some(done) = done.into_iter().find(|done| is_named(done, at, ruled)) else {
            return false;
        };
        let mut pos = self.trial.start.clone();
        let before = self.played().truth.plies.iter().take(done.ply - 1);
        before.for_each(|ply| pos.play_unchecked(ply.m));
        let role = pos.board().role_at(done.from).expect("a piece went from there");
        let pieces = ["pawn", "knight", "bishop", "rook", "queen", "king"];
        let is_general = ruled.text.contains("no legal move explains");
        let named = pieces.iter().position(|name| ruled.text.contains(&format!("a {name} move")));
        !is_general && named.is_none_or(|idx| idx + 1 == usize::from(role))
    }

    /// Whether a piece was taken from this square, and put back there, in the turn before `until`.
    fn was_held(&self, sq: Square, until: Mono) -> bool {
        let mut lifted = None;
        let mut was_held = false;
        for (at, happening) in &self.played().script.happenings {
            let Happening::Sensed { sq: known, reading, .. } = happening else { continue };
            if *known != sq || *at > until || until.since(*at) > TURN_MAX {
                continue;
            }
            match (reading, lifted) {
                (Reading::Empty, _) => lifted = Some(*at),
                (_, Some(since)) => was_held |= at.since(since) >= HELD,
                (_, None) => {}
            }
        }
        was_held
    }
}

/// Whether this is about that illegal move.
fn is_named(done: &Irregularity, at: Mono, ruled: &Ruled) -> bool {
    ruled.code == Some(Code::IllegalCompleted)
        && ruled.by == Some(done.by)
        && done.made <= at
        && at <= done.restored + GRACE
}

#[test]
fn he_blames_nobody_for_nothing_and_misses_no_illegal_move() {
    let mut wrong = Vec::new();
    let mut n_illegal = 0;
    for profile in PROFILES {
        for seed in (0..N_GAMES).chain(NEXT_SQUARE) {
            let watched = Watched::new(seed, profile);
            let done = &watched.played().truth.irregularities;
            n_illegal += done.iter().filter(|done| done.completed.is_some()).count();
            wrong.extend(watched.wrong());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_illegal > 5, "only {n_illegal} illegal moves were completed");
}

#[test]
fn what_he_says_without_a_reason_is_noticed() {
    let seeds = 0..N_GAMES;
    let with_illegal = seeds.map(|seed| Watched::new(seed, "school")).find(|watched| {
        watched.blames.iter().any(|(_, ruled)| ruled.code == Some(Code::IllegalCompleted))
    });
    let mut watched = with_illegal.expect("a game with an illegal move");
    let is_it = |(_, ruled): &&(Mono, Ruled)| ruled.code == Some(Code::IllegalCompleted);
    let first = watched.blames.iter().find(is_it).expect("as chosen").clone();
    watched.blames.push(first.clone());
    assert!(!watched.wrong().is_empty(), "named twice");
    watched.blames.retain(|(_, ruled)| ruled.code != Some(Code::IllegalCompleted));
    assert!(!watched.wrong().is_empty(), "not named");
    let other =
        Ruled { text: "ILLEGAL_COMPLETED no legal move explains the board".into(), ..first.1 };
    assert!(!watched.is_reason_right(first.0, &other), "a reason that says nothing");
    let displaced = Ruled { code: Some(Code::Displaced), ..other };
    assert!(!watched.is_deserved(first.0, &displaced));
}
