//! The clock's model beside its readings, in whole games.

use rokade::game::Fact;
use rokade::relay::pgn::{self, Tags};
use rokade::relay::view::View;
use rokade::sim::trial::{Choice, Recipe, Trial};
use rokade::sim::{Manners, Replay, Script, TableKind};
use rokade::time::Mono;
use rokade::track::Sight;

/// The script in `tests/traces` with this name, and `control` in its header.
fn trace(name: &str, control: Option<&str>) -> Script {
    let path = format!("{}/tests/traces/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the trace is there");
    let mut script = Script::parse(&text).expect("it is a script");
    if let Some(control) = control {
        script.header.time_control = control.parse().ok();
    }
    script
}

fn notes(replay: &Replay) -> Vec<String> {
    let note = |fact: &Fact| match fact {
        Fact::ClockNote(note) => Some(format!("{} {note}", note.code())),
        _ => None,
    };
    replay.entries.iter().filter_map(|entry| note(&entry.fact)).collect()
}

#[test]
fn a_true_clock_is_not_spoken_of() {
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    // On a line that loses messages presses are heard late, and that is told.
    let profiles = Manners::NAMES.into_iter().filter(|name| *name != "lossy");
    for (seed, profile) in (0..40).zip(profiles.cycle()) {
        let recipe = Recipe { seed, choice: Choice::Invented, profile, table, n_plies_max: 60 };
        let trial = Trial::run(recipe, &[]);
        let untold = trial.replay.expect("no panic");
        let mut script = trial.performance.script;
        script.header.time_control = "90m+30s".parse().ok();
        let told = Replay::run(&script);
        for replay in [untold, told] {
            let codes = notes(&replay);
            assert_eq!(codes, Vec::<String>::new(), "{profile}, seed {seed}");
        }
    }
}

#[test]
fn a_clock_that_is_set_otherwise_is_spoken_of_when_the_game_begins() {
    let replay = Replay::run(&trace("21-castling-king-first.trace", Some("5m")));
    let said = notes(&replay);
    assert!(said[..2].iter().all(|note| note.starts_with("CLOCK_MISSET")), "{said:?}");
}

#[test]
fn the_view_says_that_times_are_reckoned() {
    let clock = |script: &Script| {
        let game = Replay::run(script).game;
        let at = script.happenings.last().expect("a line").0;
        View::new("table-1", &game, at).clock.expect("times")
    };
    let mut script = trace("49c-clock-back.tape", None);
    assert!(!clock(&script).estimated);
    // Before the clock is back.
    script.happenings.retain(|(at, _)| *at < Mono::from_millis(23_000));
    let reckoned = clock(&script);
    assert!(reckoned.estimated);
    assert_eq!(reckoned.running, Some("black"));
    assert_eq!(reckoned.white_ms / 1_000, 5_478);
}

#[test]
fn the_pgn_names_the_control_and_the_times_at_the_end() {
    let render = |control: &str| {
        let game = Replay::run(&trace("51b-mate-with-a-press.trace", None)).game;
        let play = game.play().expect("a game");
        let tags = Tags { time_control: control.parse().ok(), ..Tags::default() };
        let outcome = play.ending().map(|ending| ending.outcome);
        pgn::render(&tags, play.sheet(), play.sheet().len(), outcome)
    };
    let pgn = render("40/90m+30s:30m+30s");
    assert!(pgn.contains("[TimeControl \"40/5400+30:1800+30\"]\n"), "{pgn}");
    assert!(pgn.contains("[WhiteClock \"1:30:2"), "{pgn}");
    assert!(pgn.contains("[BlackClock \"1:30:00\"]\n"), "{pgn}");
    let pgn = render("5m | 4m");
    assert!(pgn.contains("[WhiteTimeControl \"300\"]\n[BlackTimeControl \"240\"]\n"), "{pgn}");
}
