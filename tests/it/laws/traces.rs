//! Traces of messy hands with a referee at the board: he cries illegal only where the record does.

use rokade::game::{Fact, Settings};
use rokade::laws::{Code, Terms};
use rokade::sim::replay::settings_of;
use rokade::sim::{Replay, Script};
use std::fs;
use std::path::Path;

/// What a golden file says of a move that the Laws do not allow.
const WORDS: [&str; 2] = ["ILLEGAL", "PROMOTION_INCOMPLETE"];

/// What the referee says of completed illegal moves in this trace.
fn cries(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a trace");
    let script = Script::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let settings = Settings { terms: Some(Terms::default()), ..settings_of(&script.header) };
    let run = Replay::run_with(&script, settings);
    let entries = run.entries.iter().filter_map(|entry| match &entry.fact {
        Fact::Ruled(ruled) if ruled.code == Some(Code::IllegalCompleted) => {
            Some(format!("{}  {}", entry.at.mono, ruled.text))
        }
        _ => None,
    });
    entries.collect()
}

#[test]
fn the_referee_cries_illegal_only_where_the_record_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut wrong = Vec::new();
    let mut n_right = 0;
    for entry in fs::read_dir(folder).expect("tests/traces is a folder") {
        let path = entry.expect("an entry of it").path();
        let name = path.display().to_string();
        let Some(stem) = name.strip_suffix(".trace.jsonl") else { continue };
        let golden = fs::read_to_string(format!("{stem}.golden")).expect("its golden file");
        let cries = cries(&path);
        if WORDS.iter().any(|word| golden.contains(word)) {
            n_right += usize::from(!cries.is_empty());
        } else {
            wrong.extend(cries.into_iter().map(|cry| format!("{stem}: {cry}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n_right > 5, "he is silent where the record is not: {n_right}");
}
