//! The runner itself: whatever it holds, it must miss when the scenario says something else.

use super::{Scenario, ours};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The same outcome with another value in `field`.
fn altered(wanted: &Value, field: &str) -> Option<Value> {
    let other = match &wanted[field] {
        Value::String(text) if field == "side" || field == "by" || field == "give" => {
            json!(if text == "white" { "black" } else { "white" })
        }
        Value::String(_) => json!("zzz"),
        Value::Number(n) => json!(n.as_f64().unwrap_or(0.0) + 7.0),
        Value::Bool(is) => json!(!is),
        Value::Array(_) => json!(["zzz"]),
        _ => return None,
    };
    let mut changed = wanted.clone();
    changed[field] = other;
    Some(changed)
}

/// What denies an outcome that has no field to alter.
fn denial(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "not_bound" => "touched",
        "not_made" => "made",
        "game_continues" => "result",
        "no_penalty" => "penalty",
        "ready" => "not_ready",
        "not_ready" => "ready",
        _ => return None,
    })
}

fn with(scenario: &Scenario, idx: usize, wanted: Value) -> Scenario {
    let mut changed = scenario.clone();
    changed.expected[idx] = wanted;
    changed
}

#[test]
fn every_kind_of_outcome_can_be_missed() {
    // One sample of each kind and field, from a scenario that holds.
    let mut samples: BTreeMap<(String, String), (Scenario, usize)> = BTreeMap::new();
    for scenario in ours() {
        for (idx, wanted) in scenario.expected.iter().enumerate() {
            let fields = wanted.as_object().expect("an outcome");
            let kind = wanted["o"].as_str().unwrap_or_default().to_owned();
            for field in fields.keys().filter(|field| !["o", "after"].contains(&field.as_str())) {
                let key = (kind.clone(), field.clone());
                samples.entry(key).or_insert_with(|| (scenario.clone(), idx));
            }
            if fields.len() == 2 {
                samples.entry((kind, String::new())).or_insert_with(|| (scenario.clone(), idx));
            }
        }
    }
    assert!(samples.len() > 60, "{} kinds and fields", samples.len());
    let mut overlooked = Vec::new();
    for ((kind, field), (scenario, idx)) in samples {
        let wanted = &scenario.expected[idx];
        let changed = match (field.as_str(), denial(&kind)) {
            ("", Some(opposite)) => {
                let mut denied = wanted.clone();
                denied["o"] = json!(opposite);
                // What a denial needs to be wrong about.
                denied["side"] = json!("nobody");
                denied
            }
            // Said once and without a field: it must not be found where it was not said.
            ("", None) => {
                let mut moved = wanted.clone();
                moved["after"] = json!(-1);
                moved
            }
            (field, _) => match altered(wanted, field) {
                Some(changed) => changed,
                None => continue,
            },
        };
        let edition = &scenario.editions[0];
        if with(&scenario, idx, changed.clone()).run(edition).is_empty() {
            overlooked.push(format!("{}: {changed}", scenario.id));
        }
    }
    assert!(overlooked.is_empty(), "overlooked:\n{}", overlooked.join("\n"));
}

#[test]
fn forbidden_outcomes_are_missed_when_they_come() {
    let scenarios = ours();
    let find = |id: &str| scenarios.iter().find(|s| s.id == id).expect("a scenario of ours");
    for (id, wanted) in [
        ("8.4-1", json!({"after": 0, "o": "no_log", "code": "LOW_TIME"})),
        ("1.2-1", json!({"after": 4, "o": "no_penalty"})),
        ("1.1-1", json!({"after": 2, "o": "not_made"})),
        ("1.1-1", json!({"after": 1, "o": "not_bound"})),
        ("5.1a-1", json!({"after": 2, "o": "game_continues"})),
        ("1.1-1", json!({"after": 9, "o": "game_continues"})),
        ("1.1-1", json!({"after": 0, "o": "no_such_outcome"})),
        ("2.3-1", json!({"after": 0, "o": "ready"})),
    ] {
        let mut scenario = find(id).clone();
        scenario.expected.push(wanted.clone());
        assert!(!scenario.run(&scenario.editions[0]).is_empty(), "{id}: {wanted}");
    }
}

#[test]
fn outcomes_of_one_kind_are_held_to_their_order() {
    let scenarios = ours();
    let mut scenario = scenarios.into_iter().find(|s| s.id == "6.5-1").expect("ARRIVAL, LATE");
    let logs: Vec<usize> =
        (0..scenario.expected.len()).filter(|idx| scenario.expected[*idx]["o"] == "log").collect();
    let [first, second, ..] = logs[..] else { panic!("two entries of the log") };
    scenario.expected.swap(first, second);
    assert!(!scenario.run(&scenario.editions[0]).is_empty());
}

#[test]
fn nonsense_in_a_scenario_is_refused() {
    let base = ours().swap_remove(0);
    for event in ["left e2", "lift e9", "place e4 X", "press red", "arbiter conform", "wait x"] {
        let mut scenario = base.clone();
        scenario.events.insert(0, event.to_owned());
        assert!(!scenario.run("m2023").is_empty(), "{event}");
    }
    let mut scenario = base.clone();
    scenario.config = json!({"settle": 1});
    assert!(!scenario.run("m2023").is_empty());
    assert!(!base.run("m2032").is_empty());
    let mut scenario = base;
    scenario.start = json!({"fen": "no position"});
    assert!(!scenario.run("m2023").is_empty());
}
