//! Moves that are shown before anything but their rest vouches for them: that changes no record.

use rokade::game::settings::Rests;
use rokade::game::{Completed, Settings};
use rokade::sim::replay::settings_of;
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::{Also, Replay, Script, TableKind};
use rokade::table::Sight;
use shakmaty::uci::UciMove;
use std::fs;
use std::path::Path;
use std::time::Duration;

const DGT: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };

/// While this one's clock is unplugged, rest vouches for a move, however long it has to be.
const UNPLUGGED: &str = "49c-clock-back";

/// A half-move, what else it may have been, and its completion.
type Recorded = (UciMove, Vec<UciMove>, Option<Completed>);

/// What is more than shown.
fn record_of(replay: &Replay) -> Vec<Recorded> {
    let moves = replay.game.play().map_or(&[][..], |play| play.sheet().moves());
    let recorded = |scored: &rokade::game::Scored| {
        let mut others = scored.alternatives.clone();
        others.sort_by_key(UciMove::to_string);
        (scored.uci, others, scored.completed)
    };
    moves.iter().take_while(|scored| !scored.is_only_shown).map(recorded).collect()
}

/// The same game where nothing is shown before a press or a rest of two seconds vouches for it.
fn unshown(script: &Script) -> Replay {
    let late = Duration::from_secs(2);
    let rests = Rests {
        without_clock: late,
        on_its_way: late,
        slid: late,
        doubtful: late,
        ..Rests::default()
    };
    Replay::run_with(script, Settings { rests, ..settings_of(&script.header) })
}

fn difference(name: &str, script: &Script, shown: &Replay) -> Option<String> {
    let (with, without) = (record_of(shown), record_of(&unshown(script)));
    let n = with.iter().zip(&without).take_while(|(a, b)| a == b).count();
    (n < with.len().max(without.len())).then(|| {
        format!("{name}: ply {} is {:?} instead of {:?}", n + 1, with.get(n), without.get(n))
    })
}

/// The first three of these seeds have moves that only the press marks.
#[test]
fn showing_a_move_before_its_press_changes_no_record_of_hands() {
    let lies = Also::LIES;
    let marked = [950_018, 950_113, 950_114].map(|seed| (seed, "school", lies));
    let kinds = ["club", "school", "blitz", "scramble"];
    let others = kinds.into_iter().flat_map(|profile| {
        (1..4).flat_map(move |seed| [Also::NONE, lies].map(|also| (seed, profile, also)))
    });
    let mut wrong = Vec::new();
    for (seed, profile, also) in marked.into_iter().chain(others) {
        let recipe = Recipe { also, ..Recipe::invented(seed, profile, DGT, 40) };
        let trial = Trial::run(recipe, &[]);
        let shown = trial.replay.as_ref().expect("a replay");
        wrong.extend(difference(&recipe.to_string(), &trial.performance.script, shown));
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn showing_a_move_before_its_press_changes_no_record_of_a_trace() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let (mut wrong, mut n_clocks) = (Vec::new(), 0);
    for entry in fs::read_dir(folder).expect("tests/traces is a folder") {
        let path = entry.expect("an entry of it").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if !name.ends_with(".jsonl") || name.starts_with(UNPLUGGED) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a script");
        let script = Script::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        if !script.header.has_clock {
            continue;
        }
        n_clocks += 1;
        wrong.extend(difference(&name, &script, &Replay::run(&script)));
    }
    assert!(n_clocks > 200, "{n_clocks} scripts");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
