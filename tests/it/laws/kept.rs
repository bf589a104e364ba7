//! Every row that `rokade laws` prints is kept: `tests/tables/laws/kept.csv` names for each the
//! scenario that fails once it is switched off, and each is seen to fail.
//!
//! A parameter of a profile is switched off by a value that another profile has, a row with codes
//! by saying nothing under one of them. `UPDATE_GOLDEN=1` looks for the scenarios anew.

use super::scenario::{Off, Scenario, ours};
use rokade::laws::{Code, Edition, Profile, Rules, Supervision, Variant, rows as provisions};
use rokade::table::Word;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const HEAD: &str = "row;edition;kept;instead;scenario\n";

type Swap = fn(&mut Rules, &Rules);

macro_rules! swaps {
    ($($($field:ident).+,)*) => { [$(|to, from| to.$($field).+ = from.$($field).+,)*] };
}

/// How each parameter is taken from other rules, in the order of [`Rules::describe`].
const SWAPS: [Swap; 27] = swaps![
    default_time,
    illegal.cost,
    illegal.raised,
    illegal.cannot_mate,
    promotion_left,
    empty_press,
    two_hands,
    wrong_claim,
    claim_lost_by,
    claim_stops,
    offer_declined_by,
    agreement_after,
    automatic_draws,
    handling_lapse,
    handling_watch,
    replacement_bound,
    king_release,
    reversed_colors,
    setup_claims,
    impossible,
    flag_call,
    both_flags,
    quickplay_claim,
    resignation,
    device,
    recording,
    unpressed,
];

fn profiles() -> impl Iterator<Item = Profile> {
    Edition::ALL.into_iter().flat_map(|edition| {
        Variant::ALL.into_iter().flat_map(move |variant| {
            let of = move |supervision| Profile { edition, variant, supervision };
            Supervision::ALL.into_iter().map(of)
        })
    })
}

/// The names of all parameters.
fn names() -> Vec<&'static str> {
    Profile::default().rules().describe().into_iter().map(|(name, _)| name).collect()
}

/// What `rules` say of parameter `idx`.
fn value(rules: &Rules, idx: usize) -> String {
    rules.describe()[idx].1.clone()
}

/// Rules that say something else of parameter `idx`, one for each value that any profile has.
fn others(idx: usize, kept: &str) -> BTreeMap<String, Rules> {
    let all = profiles().map(|profile| profile.rules());
    all.map(|rules| (value(&rules, idx), rules)).filter(|(other, _)| other != kept).collect()
}

/// Everything that is printed of the profiles: parameter, edition, value.
fn printed() -> BTreeSet<(usize, Edition, String)> {
    let of = |profile: Profile| {
        let rules = profile.rules();
        (0..SWAPS.len()).map(move |idx| (idx, profile.edition, value(&rules, idx)))
    };
    profiles().flat_map(of).collect()
}

/// Whether `scenario` holds in `edition`, and does not once something is switched off.
fn breaks(scenario: &Scenario, edition: &str, off: Off) -> bool {
    !scenario.run_without(edition, off).is_empty() && scenario.run(edition).is_empty()
}

/// Whether `scenario` fails in `edition` with parameter `idx` of other rules.
fn fails_with(scenario: &Scenario, edition: &str, idx: usize, other: &Rules) -> bool {
    let swap = |mut rules: Rules| {
        SWAPS[idx](&mut rules, other);
        rules
    };
    breaks(scenario, edition, Off::Rule(&swap))
}

fn fails_without(scenario: &Scenario, edition: &str, code: Code) -> bool {
    breaks(scenario, edition, Off::Code(code))
}

/// The codes of each row.
fn codes() -> impl Iterator<Item = (&'static str, Code)> {
    provisions::all().iter().flat_map(|row| {
        let code = |word: &&str| Code::parse(word).unwrap_or_else(|| panic!("{}: {word}", row.id));
        row.codes.iter().map(move |word| (row.id, code(word)))
    })
}

/// The table, found anew.
fn found() -> String {
    let scenarios = ours();
    let mut text = HEAD.to_owned();
    let names = names();
    for (idx, edition, kept) in printed() {
        let name = names[idx];
        let edition = edition.word();
        let in_force = |scenario: &&Scenario| {
            scenario.editions.iter().any(|known| known == edition)
                && scenario.rules(edition).is_some_and(|rules| value(&rules, idx) == kept)
        };
        let all: Vec<&Scenario> = scenarios.iter().filter(in_force).collect();
        let hit = others(idx, &kept).into_iter().find_map(|(other, rules)| {
            let hit = all.iter().find(|it| fails_with(it, edition, idx, &rules))?;
            Some((other, hit.id.clone()))
        });
        let (other, id) = hit.unwrap_or_default();
        text.push_str(&format!("{name};{edition};{kept};{other};{id}\n"));
    }
    for (row, code) in codes() {
        let of_row = scenarios.iter().filter(|it| it.articles.iter().any(|known| known == row));
        let hit = of_row.flat_map(|it| it.editions.iter().map(move |edition| (it, edition)));
        let hit = { hit }.find(|(it, edition)| fails_without(it, edition, code));
        let (edition, id) =
            hit.map_or(("", ""), |(it, edition)| (edition.as_str(), it.id.as_str()));
        text.push_str(&format!("{row};{edition};{code};;{id}\n"));
    }
    text
}

#[test]
fn each_swap_changes_the_parameter_of_its_name() {
    for (idx, edition, kept) in printed() {
        let of_value =
            |profile: &Profile| profile.edition == edition && value(&profile.rules(), idx) == kept;
        let profile = profiles().find(of_value).expect("it is printed");
        for (other, from) in others(idx, &kept) {
            let mut rules = profile.rules();
            SWAPS[idx](&mut rules, &from);
            let (before, after) = (profile.rules().describe(), rules.describe());
            let changed: Vec<usize> =
                (0..SWAPS.len()).filter(|n| before[*n] != after[*n]).collect();
            assert_eq!((changed, &after[idx].1), (vec![idx], &other), "{profile}");
        }
    }
}

/// A line of the table.
struct Line<'a> {
    row: &'a str,
    edition: &'a str,
    kept: &'a str,
    instead: &'a str,
    scenario: &'a str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let all = super::rows::<5>(text).into_iter();
    all.map(|[row, edition, kept, instead, scenario]| Line {
        row,
        edition,
        kept,
        instead,
        scenario,
    })
    .collect()
}

/// Whether what a line names fails without what it keeps.
fn is_seen(line: &Line, scenarios: &[Scenario]) -> bool {
    let Some(scenario) = scenarios.iter().find(|it| it.id == line.scenario) else { return false };
    if !scenario.editions.iter().any(|known| known == line.edition) {
        return false;
    }
    let parameter = names().iter().position(|name| *name == line.row);
    match (parameter, Code::parse(line.kept)) {
        (Some(idx), _) => {
            let other = others(idx, line.kept).remove(line.instead);
            let is_in_force =
                scenario.rules(line.edition).is_some_and(|rules| value(&rules, idx) == line.kept);
            is_in_force
                && other.is_some_and(|other| fails_with(scenario, line.edition, idx, &other))
        }
        (None, Some(code)) => {
            let is_named = scenario.articles.iter().any(|row| row == line.row);
            is_named && fails_without(scenario, line.edition, code)
        }
        (None, None) => false,
    }
}

#[test]
fn every_row_that_is_printed_is_kept() {
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/laws/kept.csv");
        fs::write(&path, found()).expect("the table can be written");
    }
    let table = lines(include_str!("../../tables/laws/kept.csv"));
    let named: BTreeSet<(&str, &str, &str)> =
        table.iter().map(|line| (line.row, line.edition, line.kept)).collect();
    let names = names();
    for (idx, edition, kept) in printed() {
        let key = (names[idx], edition.word(), kept.as_str());
        assert!(named.contains(&key), "{key:?} is not in the table");
    }
    for (row, code) in codes() {
        let is_named = table.iter().any(|line| line.row == row && line.kept == code.word());
        assert!(is_named, "{row} {code} is not in the table");
    }
    let scenarios = ours();
    let unseen = table.iter().filter(|line| !is_seen(line, &scenarios));
    let unseen: Vec<String> = unseen
        .map(|line| format!("{};{};{} by {}", line.row, line.edition, line.kept, line.scenario))
        .collect();
    assert!(unseen.is_empty(), "{} are not kept\n{}", unseen.len(), unseen.join("\n"));
}
