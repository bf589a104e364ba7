//! Traces of messy hands with a referee at the board: he cries illegal only where the record does,
//! and says what `tests/tables/laws/traces.txt` has.

use super::book::{Book, without_article};
use rokade::game::{Entry, Fact, Settings};
use rokade::laws::{Code, Edition, Terms};
use rokade::relay::log::Log;
use rokade::sim::replay::settings_of;
use rokade::sim::{Replay, Script};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// What a golden file says of a move that the Laws do not allow.
const WORDS: [&str; 2] = ["ILLEGAL", "PROMOTION_INCOMPLETE"];

/// What is on record of a trace with a referee of `edition`.
fn entries(path: &Path, edition: Edition) -> Vec<Entry> {
    let text = fs::read_to_string(path).expect("a trace");
    let script = Script::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut terms = Terms::default();
    terms.profile.edition = edition;
    let settings = Settings { terms: Some(terms), ..settings_of(&script.header) };
    Replay::run_with(&script, settings).entries
}

/// What the referee says of completed illegal moves.
fn cries(entries: &[Entry]) -> Vec<String> {
    let cries = entries.iter().filter_map(|entry| match &entry.fact {
        Fact::Ruled(ruled) if ruled.code == Some(Code::IllegalCompleted) => {
            Some(format!("{}  {}", entry.at.mono, ruled.text))
        }
        _ => None,
    });
    cries.collect()
}

/// The referee's lines of the log, each with its second.
fn said(entries: &[Entry]) -> String {
    let (mut log, mut text) = (Log::default(), String::new());
    for entry in entries {
        let line = log.line(&entry.fact);
        let is_his =
            matches!(&entry.fact, Fact::Ruled(ruled) if ruled.code != Some(Code::GameStart));
        if let Some(line) = line.filter(|_| is_his) {
            let line = without_article(&line);
            writeln!(text, "{}  {}", entry.at.mono, line.trim_end()).expect("a string takes all");
        }
    }
    text
}

/// He hears the same hands in all editions; these two differ most.
#[test]
fn the_referee_cries_illegal_only_where_the_record_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let only = std::env::var("ROKADE_TRACE").ok();
    let (mut wrong, mut n_right, mut book) = (Vec::new(), 0, Book::default());
    for entry in fs::read_dir(folder).expect("tests/traces is a folder") {
        let path = entry.expect("an entry of it").path();
        let name = path.display().to_string();
        let Some(stem) = name.strip_suffix(".trace.jsonl") else { continue };
        let name = stem.rsplit('/').next().unwrap_or_default();
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let golden = fs::read_to_string(format!("{stem}.golden")).expect("its golden file");
        for edition in [Edition::Hu2005, Edition::M2023] {
            let entries = entries(&path, edition);
            book.add(name, edition.word(), said(&entries));
            let cries = cries(&entries);
            if WORDS.iter().any(|word| golden.contains(word)) {
                n_right += usize::from(!cries.is_empty());
            } else {
                wrong.extend(cries.into_iter().map(|cry| format!("{stem}: {cry}")));
            }
        }
    }
    wrong.extend(book.hold("tests/tables/laws/traces.txt", only.is_none()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_right > 5 || only.is_some(), "he is silent where the record is not: {n_right}");
}
