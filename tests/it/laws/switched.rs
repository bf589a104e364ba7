//! Rows without a code: `tests/tables/laws/switched.csv` names for each the place that keeps it,
//! what stands there when it is switched off, and the scenario or test that fails then.
//!
//! `tests/mutants.sh rows` switches them and sees them fail. Here the table is held against the
//! rows, the sources and the scenarios.

use super::coverage::is_test;
use super::scenario::ours;
use rokade::laws::rows::{self, Part};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A text without its blanks: the table has the words of the source and not its lines.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether `file` has what `change` is about: an expression, or a function whose answer is another
/// one.
fn has_place(file: &str, change: &str) -> bool {
    let Ok(text) = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)) else {
        return false;
    };
    let Some((now, _)) = change.rsplit_once(" => ") else { return false };
    // What is written as the compiler reads it has no comma before a bracket.
    let source = plain(&text).replace(",)", ")").replace(",]", "]");
    let now = plain(now).replace(",)", ")").replace(",]", "]");
    source.contains(&now) || source.contains(&format!("fn{now}("))
}

#[test]
fn what_is_switched_off_is_there() {
    let scenarios = ours();
    let names = |id: &str, row: &str| {
        let known = scenarios.iter().find(|scenario| scenario.id == id);
        known.is_some_and(|scenario| scenario.articles.iter().any(|article| article == row))
    };
    for [row, file, change, by] in super::rows::<4>(include_str!("../../tables/laws/switched.csv"))
    {
        let known = rows::row(row).unwrap_or_else(|e| panic!("{e}"));
        assert!(known.codes.is_empty(), "{row} has codes, which kept.csv holds");
        assert!(has_place(file, change), "{row}: {file} has no {change}");
        assert!(!has_place(file, "no such thing => nothing"));
        assert!(
            is_test(by) || names(by, row),
            "{row}: no test {by}, and no scenario that names it"
        );
    }
}

#[test]
fn every_row_without_a_code_is_switched_off_or_says_who_keeps_it() {
    let table = super::rows::<4>(include_str!("../../tables/laws/switched.csv"));
    let named: BTreeSet<&str> = table.iter().map(|[row, ..]| *row).collect();
    let is_ours = |part| matches!(part, Part::Automatic | Part::Proposed);
    let all = rows::all().iter().filter(|row| row.codes.is_empty() && is_ours(row.part));
    let missing: Vec<&str> = all.map(|row| row.id).filter(|id| !named.contains(id)).collect();
    assert!(missing.is_empty(), "no place is known that keeps {}", missing.join(", "));
    let kept_elsewhere =
        |id: &&str| matches!(rows::row(id).expect("a row").part, Part::Library | Part::Nothing);
    let wrong: Vec<&str> = named.into_iter().filter(kept_elsewhere).collect();
    assert!(wrong.is_empty(), "{} are kept by somebody else", wrong.join(", "));
}
