//! A referee who comes back from the record in the middle of a game of messy hands knows what the
//! one who was there knew, and holds nothing against anybody that he had not.

use rokade::game::{Event, Game, Recovered, Settings};
use rokade::laws::{Referee, Terms};
use rokade::sim::replay::settings_of;
use rokade::sim::script::Happening;
use rokade::sim::trial::{Choice, Recipe, Trial};
use rokade::sim::{Replay, Script, TableKind};
use rokade::time::{Mono, Stamp, Wall};
use rokade::track::Sight;

const PROFILES: [&str; 4] = ["club", "school", "blitz", "scramble"];
const N_GAMES: u64 = 4;
/// A record is cut at so many moments of each game.
const N_CUTS: usize = 5;

/// What a referee would say when he is asked. The times at the start of an illegal move are from
/// readings of the clock, of which not all are on record.
fn state(referee: &Referee) -> String {
    let without_times =
        |what: String| what.split("; by the times").next().map(str::to_owned).unwrap_or_default();
    let pending = referee.pending().into_iter().map(|open| without_times(open.what));
    let pending: Vec<String> = pending.collect();
    let prompts: Vec<_> = referee.prompts().collect();
    format!(
        "{} {:?} {pending:?} {prompts:?} {:?} {:?}",
        referee.moves().join(" "),
        referee.n_completed(),
        referee.demanded_fen(),
        referee.result(),
    )
}

/// The game as it is recovered from what `run` recorded.
fn recovered(run: &Replay) -> Game {
    let mut fold = Recovered::default();
    for (idx, entry) in run.entries.iter().enumerate() {
        fold.fold(idx, entry).unwrap_or_else(|e| panic!("{e}"));
    }
    let mut game = fold.into_game(run.game.settings().clone());
    let at = Stamp { mono: Mono::default(), wall: Wall(0) };
    game.handle(at, &Event::Timeout, &mut Vec::new());
    game
}

/// The game until just before its happening number `n`.
fn until(script: &Script, n: usize) -> Script {
    let mut script = script.clone();
    let at = script.happenings.get(n).map(|(at, _)| *at);
    script.happenings.truncate(n);
    script.happenings.extend(at.map(|at| (at, Happening::End)));
    script
}

#[test]
fn he_comes_back_as_he_was() {
    let (mut wrong, mut n_cut) = (Vec::new(), 0);
    for profile in PROFILES {
        for seed in 0..N_GAMES {
            let sight = if seed % 2 == 0 { Sight::Pieces } else { Sight::Occupied };
            let table = TableKind { sight, has_clock: true };
            let recipe = Recipe { seed, choice: Choice::Invented, profile, table, n_plies_max: 60 };
            let script = Trial::run(recipe, &[]).performance.script;
            for cut in 1..=N_CUTS {
                let script = until(&script, script.happenings.len() * cut / N_CUTS);
                let terms = Some(Terms::default());
                let settings = Settings { terms, ..settings_of(&script.header) };
                let run = Replay::run_with(&script, settings);
                let Some(was) = run.game.referee() else { continue };
                let game = recovered(&run);
                let Some(is) = game.referee().filter(|_| game.play().is_some()) else { continue };
                n_cut += 1;
                if state(is) != state(was) {
                    wrong.push(format!("{recipe} {cut}\n  {}\n  {}", state(was), state(is)));
                }
            }
        }
    }
    let n_wrong = wrong.len();
    assert!(wrong.is_empty(), "{n_wrong} of {n_cut}\n{}", wrong.join("\n"));
    assert!(n_cut > 60, "{n_cut} games were recovered");
}
