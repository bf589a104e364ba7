//! Which provision of the Laws which test holds: `tests/tables/laws/coverage.md`, generated.
//!
//! `UPDATE_GOLDEN=1` writes it anew.

use super::scenario::ours;
use rokade::laws::rows::{self, Class};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const HEAD: &str = "# Which test holds which provision\n\n\
    Generated from `src/laws/rows/rows.csv` and the scenarios beside this file; do not edit it.\n\
    Classes: O board or clock show it, A people enter it, C it is settled before the game, X it is \
    outside.\n\n";

/// Tests beside the scenarios, by row: a module, or a function of one.
const OTHERS: &[(&str, &str)] = &[
    ("L3.1c", "laws::provisions::attacks_are_those_of_the_moves"),
    ("L9.2s1", "laws::repetition"),
    ("L9.2s2", "laws::repetition"),
    ("L9.2s3", "laws::repetition"),
    ("L5.2b", "laws::dead"),
    ("L9.6", "laws::dead"),
    ("L6.2b2", "clock::properties"),
    ("L6.1a", "clock::properties"),
    ("L2.1a", "wire::a_picture_of_fewer_squares_is_none"),
    ("L6.4", "config::the_clock_may_stand_on_either_side"),
    ("L12.2b", "laws::provisions::the_log_says_who_was_on_move_when_a_player_left"),
    ("L13.3", "laws::provisions::the_board_with_the_shortest_time_is_listed_first"),
    ("L13.7b", "config::the_public_feed_is_off_until_it_is_configured"),
    ("LA1", "laws::profiles"),
    ("LB1", "laws::profiles"),
    ("LC", "laws::notation"),
];

/// Whether the tests have this module with a test in it, or this function in this module.
pub(super) fn is_test(name: &str) -> bool {
    let source = |path: &str| {
        let path = format!("{}/tests/it/{path}.rs", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(path).unwrap_or_default()
    };
    let marks = ["#[test]", "proptest!"];
    let has_tests = |text: &str| marks.iter().any(|mark| text.contains(mark));
    let path = name.replace("::", "/");
    let Some((module, function)) = path.rsplit_once('/') else { return has_tests(&source(&path)) };
    let module = source(module);
    let heads = ["#[test]\nfn", "#[tokio::test]\nasync fn"];
    has_tests(&source(&path))
        || heads.iter().any(|head| module.contains(&format!("{head} {function}(")))
}

#[test]
fn tests_named_in_the_table_exist() {
    for (row, test) in OTHERS {
        assert!(is_test(test), "{row}: there is no test {test}");
    }
    for (_, test) in OTHERS {
        assert!(!is_test(&format!("{test}_not")), "{test} with another name");
    }
    assert!(!is_test("vocabulary") && !is_test("laws::coverage::is_test"));
}

#[test]
fn every_row_that_is_not_outside_has_a_test() {
    let (_, missing) = table();
    assert!(missing.is_empty(), "rows without a test: {}", missing.join(", "));
}

/// The table, and the rows of class O, A or C that have no test.
fn table() -> (String, Vec<&'static str>) {
    let mut by_row: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let scenarios = ours();
    for scenario in &scenarios {
        for row in &scenario.articles {
            by_row.entry(row).or_default().push(scenario.id.clone());
        }
    }
    let mut text = HEAD.to_owned();
    text.push_str("| row | class | scenarios and tests |\n|---|---|---|\n");
    let mut missing = Vec::new();
    for row in rows::all() {
        let classes: String = row.classes.iter().map(|class| letter(*class)).collect();
        let mut tests = by_row.get(row.id).cloned().unwrap_or_default();
        tests.sort();
        tests.dedup();
        // Every row of the appendix on notation is in its tables.
        let id = if row.id.starts_with("LC") { "LC" } else { row.id };
        let other = OTHERS.iter().find(|(known, _)| *known == id);
        tests.extend(other.map(|(_, test)| (*test).to_owned()));
        let is_law = row.classes.iter().any(|class| *class != Class::Outside);
        if tests.is_empty() && is_law {
            missing.push(row.id);
        }
        let tests = if tests.is_empty() { "-".to_owned() } else { tests.join(", ") };
        text.push_str(&format!("| {} | {classes} | {tests} |\n", row.id));
    }
    (text, missing)
}

const fn letter(class: Class) -> char {
    match class {
        Class::Observable => 'O',
        Class::Entered => 'A',
        Class::Configured => 'C',
        Class::Outside => 'X',
    }
}

#[test]
fn the_table_of_coverage_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/laws/coverage.md");
    let (found, _) = table();
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        fs::write(&path, &found).expect("the table can be written");
        return;
    }
    let known = include_str!("../../tables/laws/coverage.md");
    assert!(known == found, "the table is old; run with UPDATE_GOLDEN=1 and read it");
}

#[test]
fn codes_cite_rows_that_there_are() {
    for code in rokade::laws::Code::ALL {
        assert!(rows::row(code.row()).is_ok(), "{code}: {}", code.row());
    }
    for id in ["L7.4b1", "LM7.5.5", "LM.A.3", "LM.B", "L9.5b", "LM9.5.3", "L10.2c", "LM.III.4"] {
        assert!(rows::row(id).is_ok(), "{id}");
    }
}

#[test]
fn scenarios_name_rows_that_there_are() {
    for scenario in ours() {
        for id in &scenario.articles {
            assert!(rows::row(id).is_ok(), "{}: {id}", scenario.id);
        }
    }
}
