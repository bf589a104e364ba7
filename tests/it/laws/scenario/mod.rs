//! One runner for scenarios of the Laws: events in, outcomes out, through the whole core.
//!
//! The format is that of `tests/tables/laws/scenarios-*.json`; `tests/README.md` describes it. An
//! outcome must hold directly after its event. What is said during a sensor's second may be
//! expected at the `wait` that follows.

mod combined;
mod expect;
mod minutes;
mod mirror;
mod selftest;
mod table;
mod times;

use super::book::Book;
use minutes::Minutes;
use rokade::game::{Entry, Event, Fact, Game};
use rokade::laws::{Act, Rules};
use rokade::time::{Stamp, Wall};
use serde_json::Value;
use std::io::Write;
use table::Table;

pub(super) use table::Off;

/// Our scenarios, by subject.
const FILES: [&str; 16] = [
    include_str!("../../../tables/laws/scenarios-more.json"),
    include_str!("../../../tables/laws/scenarios-moves.json"),
    include_str!("../../../tables/laws/scenarios-touch.json"),
    include_str!("../../../tables/laws/scenarios-endings.json"),
    include_str!("../../../tables/laws/scenarios-clock.json"),
    include_str!("../../../tables/laws/scenarios-irregular.json"),
    include_str!("../../../tables/laws/scenarios-draws.json"),
    include_str!("../../../tables/laws/scenarios-variants.json"),
    include_str!("../../../tables/laws/scenarios-adjourned.json"),
    include_str!("../../../tables/laws/scenarios-further.json"),
    include_str!("../../../tables/laws/scenarios-edges.json"),
    include_str!("../../../tables/laws/scenarios-second.json"),
    include_str!("../../../tables/laws/scenarios-sharp.json"),
    include_str!("../../../tables/laws/scenarios-hands.json"),
    include_str!("../../../tables/laws/scenarios-crossed.json"),
    include_str!("../../../tables/laws/scenarios-again.json"),
];

/// A scenario as the file has it.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub id: String,
    pub editions: Vec<String>,
    pub variant: String,
    pub articles: Vec<String>,
    pub start: Value,
    pub config: Value,
    pub events: Vec<String>,
    pub expected: Vec<Value>,
}

/// The scenarios of a file.
pub(super) fn parse(text: &str) -> Vec<Scenario> {
    let file: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("scenarios: {e}"));
    let all = file["scenarios"].as_array().expect("a list of scenarios");
    all.iter().map(Scenario::read).collect()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Scenario {
    fn read(value: &Value) -> Self {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let mut scenario = Self {
            id: text("id"),
            editions: strings(&value["editions"]),
            variant: text("variant"),
            articles: strings(&value["articles"]),
            start: value["start"].clone(),
            config: value["config"].clone(),
            events: strings(&value["events"]),
            expected: value["expected"].as_array().cloned().unwrap_or_default(),
        };
        times::adapt(&mut scenario);
        scenario
    }

    /// Plays it in one edition; what does not hold, in words.
    pub(super) fn run(&self, edition: &str) -> Vec<String> {
        self.run_with(edition, |_| {})
    }

    /// Plays it with something switched off.
    pub(super) fn run_without(&self, edition: &str, off: Off) -> Vec<String> {
        match Table::set_without(self, edition, off) {
            Ok(table) => self.run_at(table, |_| {}),
            Err(why) => vec![why],
        }
    }

    /// The profile under which it is played.
    pub(super) fn rules(&self, edition: &str) -> Option<Rules> {
        let table = Table::set(self, edition).ok()?;
        Some(table.referee().terms().rules())
    }

    fn run_with(&self, edition: &str, noise: fn(&mut Table)) -> Vec<String> {
        match Table::set(self, edition) {
            Ok(table) => self.run_at(table, noise),
            Err(why) => vec![why],
        }
    }

    /// Plays it with `noise` after each event, except where the hand is still at it: what it waits
    /// for in the middle tells something.
    fn run_at(&self, table: Table, noise: fn(&mut Table)) -> Vec<String> {
        self.run_and_note(table, noise, &mut Minutes::default())
    }

    fn run_and_note(
        &self,
        mut table: Table,
        noise: fn(&mut Table),
        minutes: &mut Minutes,
    ) -> Vec<String> {
        let mut wrong = self.check(&mut table, -1);
        minutes.take(-1, &table);
        for (idx, event) in self.events.iter().enumerate() {
            if let Err(why) = table.play(event, is_joined(self, idx)) {
                wrong.push(format!("event {idx} {event:?}: {why}"));
                return wrong;
            }
            wrong.extend(self.check(&mut table, idx as i64));
            minutes.take(idx as i64, &table);
            if !goes_on(self, idx) {
                noise(&mut table);
            }
            table.next_event();
        }
        let last = self.events.len() as i64;
        let beyond = |wanted: &&Value| wanted["after"].as_i64().is_none_or(|n| n >= last);
        for wanted in self.expected.iter().filter(beyond) {
            wrong.push(format!("no such event: {wanted}"));
        }
        wrong
    }

    fn check(&self, table: &mut Table, after: i64) -> Vec<String> {
        let is_due = |wanted: &&Value| wanted["after"].as_i64() == Some(after);
        let due = self.expected.iter().filter(is_due);
        due.filter_map(|wanted| expect::hold(wanted, table).err())
            .map(|why| {
                let event = usize::try_from(after).ok().and_then(|idx| self.events.get(idx));
                format!("after {after} {:?}: {why}", event.map_or("start", String::as_str))
            })
            .collect()
    }
}

/// Plays a scenario event by event, for tests that look at the game itself.
pub(super) struct Player<'a> {
    scenario: &'a Scenario,
    table: Table,
}

impl<'a> Player<'a> {
    pub(super) fn new(scenario: &'a Scenario, edition: &str) -> Self {
        let table = Table::set(scenario, edition).unwrap_or_else(|e| panic!("{e}"));
        Self { scenario, table }
    }

    /// Plays the next event; false if there is none.
    pub(super) fn step(&mut self) -> bool {
        let idx = self.table.event;
        let Some(event) = self.scenario.events.get(idx) else { return false };
        let is_joined = is_joined(self.scenario, idx);
        self.table.play(event, is_joined).unwrap_or_else(|e| panic!("{event}: {e}"));
        self.table.next_event();
        true
    }

    pub(super) fn game(&self) -> &Game {
        &self.table.game
    }

    /// Why an arbiter's order would change nothing now.
    pub(super) fn refusals_of(&self, order: &str) -> Vec<String> {
        let order = order.parse().expect("an order");
        let act = Act::Ordered { order, author: "arbiter".to_owned(), reason: String::new() };
        let at = Stamp { mono: self.table.now, wall: Wall(0) };
        let mut game = self.game().clone();
        game.handle(at, &Event::Act(act), &mut Vec::new());
        game.refusals()
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.table.entries
    }

    pub(super) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.table.entries.iter().map(|entry| &entry.fact)
    }
}

/// Whether the event after number `idx` falls into its touch window.
fn is_joined(scenario: &Scenario, idx: usize) -> bool {
    let next = scenario.events.get(idx + 1);
    next.is_some_and(|next| next.starts_with("lift+") || next.starts_with("place+"))
}

/// Whether the event after number `idx` is one of the same hand.
fn goes_on(scenario: &Scenario, idx: usize) -> bool {
    let is_of_hand =
        |event: &String| ["lift", "place", "swap"].into_iter().any(|verb| event.starts_with(verb));
    scenario.events.get(idx + 1).is_some_and(is_of_hand) && is_of_hand(&scenario.events[idx])
}

/// Runs every scenario in every edition that it names. How many held, and what did not. What is
/// said goes into `book`.
fn run_all(scenarios: &[Scenario], book: &mut Book) -> (usize, Vec<String>) {
    let mut n_passed = 0;
    let mut failed = Vec::new();
    for scenario in scenarios {
        for edition in &scenario.editions {
            let mut minutes = Minutes::default();
            let wrong = match Table::set(scenario, edition) {
                Ok(table) => scenario.run_and_note(table, |_| {}, &mut minutes),
                Err(why) => vec![why],
            };
            book.add(&scenario.id, edition, minutes.text);
            if wrong.is_empty() {
                n_passed += 1;
            } else {
                failed.push(format!("{} {edition}: {}", scenario.id, wrong.join("; ")));
            }
        }
    }
    (n_passed, failed)
}

/// All of ours, or those of the file that `ROKADE_SCENARIOS` names; only one if `ROKADE_SCENARIO`
/// has its name.
pub(super) fn ours() -> Vec<Scenario> {
    let mut all = match std::env::var_os("ROKADE_SCENARIOS") {
        None => FILES.iter().flat_map(|text| parse(text)).collect(),
        Some(path) => parse(&std::fs::read_to_string(path).expect("ROKADE_SCENARIOS is a file")),
    };
    if let Ok(id) = std::env::var("ROKADE_SCENARIO") {
        all.retain(|scenario| scenario.id == id);
    }
    all
}

#[test]
fn every_scenario_holds_in_every_edition_that_it_names() {
    let mut book = Book::default();
    let (n_passed, mut failed) = run_all(&ours(), &mut book);
    if std::env::var_os("ROKADE_SCENARIOS").is_none() {
        failed.extend(
            book.hold(
                "tests/tables/laws/minutes.txt",
                std::env::var_os("ROKADE_SCENARIO").is_none(),
            ),
        );
    } else {
        let text = format!("{n_passed} passed, {} failed\n", failed.len());
        // A closed standard error is no reason to fail.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    let n_failed = failed.len();
    assert!(failed.is_empty(), "{n_passed} passed, {n_failed} failed\n{}\n", failed.join("\n"));
}
