//! What a second reading of the five editions found wrong or missing, each with its scenario in
//! each edition: `tests/tables/laws/matrix.csv`.

use super::scenario::{Scenario, ours};

const EDITIONS: [&str; 5] = ["hu2005", "dk2009", "no2009", "m2018", "m2023"];

/// What is wrong with the table beside these scenarios.
fn wrong(table: &str, scenarios: &[Scenario]) -> Vec<String> {
    let mut wrong = Vec::new();
    for [what, cells @ ..] in super::rows::<6>(table) {
        for (cell, edition) in cells.into_iter().zip(EDITIONS) {
            let known = scenarios.iter().find(|scenario| scenario.id == cell);
            let is_played = |scenario: &Scenario| {
                let is_named = scenario.editions.iter().any(|known| known == edition);
                is_named && !scenario.expected.is_empty()
            };
            let why = cell.strip_prefix("- ");
            if why.is_none_or(|why| why.len() < 10) && !known.is_some_and(is_played) {
                wrong.push(format!("{what}: {cell} is not played in {edition}"));
            }
        }
    }
    wrong
}

/// That each of them holds, `scenario::every_scenario_holds_in_every_edition_that_it_names` sees.
#[test]
fn every_fault_that_was_found_has_its_scenario_in_each_edition() {
    let scenarios = ours();
    let heads = format!("what;{}\n", EDITIONS.join(";"));
    let sample = "two flags;two-flags-last-1;nothing;- none;- no rule of that kind;unpressed-1\n";
    let said = wrong(&format!("{heads}{sample}"), &scenarios);
    assert_eq!(said.len(), 3, "{said:?}");

    let table = include_str!("../../tables/laws/matrix.csv");
    assert!(table.starts_with(&heads));
    let wrong = wrong(table, &scenarios);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(super::rows::<6>(table).len(), 30);
}
