//! Rules about what comments say.

use super::{Complaint, Source, hold, in_rust};

fn promises(source: &Source) -> Vec<Complaint> {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let lines = source.text.lines().enumerate();
    lines
        .filter(|(_, line)| words.iter().any(|word| line.contains(word)))
        .map(|(idx, _)| source.complain(idx + 1, "a promise; keep it now, or open an issue"))
        .collect()
}

#[test]
fn nothing_is_promised_in_comments() {
    hold(
        promises,
        &[("src/a.rs", concat!("\n// TO", "DO: think"), 2), ("a.md", concat!("FIX", "ME"), 1)],
        &[("src/a.rs", "fn todo() {}")],
    );
}

/// Words that say of an item only which question its name answers.
const POINTERS: [&str; 24] = [
    "who", "whom", "whose", "what", "which", "when", "where", "why", "how", "many", "much", "by",
    "to", "from", "it", "is", "they", "then", "this", "one", "before", "after", "neither", "for",
];

/// A comment on an item that points at it and says nothing.
fn pointers(source: &Source) -> Vec<Complaint> {
    let lines: Vec<&str> = source.text.lines().map(str::trim).collect();
    let is_doc = |idx: usize| lines.get(idx).is_some_and(|line| line.starts_with("/// "));
    let points = |idx: &usize| {
        let is_alone = !is_doc(idx + 1) && !idx.checked_sub(1).is_some_and(is_doc);
        let text = lines[*idx].trim_start_matches("/// ").trim_end_matches('.').to_lowercase();
        is_doc(*idx) && is_alone && text.split(' ').all(|word| POINTERS.contains(&word))
    };
    let say = |idx| source.complain(idx + 1, "say what it is, not which question it answers");
    (0..lines.len()).filter(points).map(say).collect()
}

#[test]
fn comments_on_items_say_something() {
    hold(
        in_rust(pointers),
        &[
            ("src/a.rs", "struct A {\n    /// By whom.\n    by: Color,\n}", 2),
            ("src/a.rs", "/// It is.\nB,\n", 1),
        ],
        &[(
            "src/a.rs",
            "/// The player who moved.\n/// By whom.\nfn f() {}\n// Why.\n/// Stalemate.\n",
        )],
    );
}

fn opening(source: &Source) -> Vec<Complaint> {
    let is_told = source.text.starts_with("//!");
    let what = "the first line must be //! and say what the file is for";
    if is_told { Vec::new() } else { vec![source.complain(1, what)] }
}

#[test]
fn every_file_says_what_it_is_for() {
    hold(
        in_rust(opening),
        &[("src/a.rs", "use std::fmt;", 1), ("tests/it/a.rs", "\n//! Late.", 1)],
        &[("src/a.rs", "//! Words.\n")],
    );
}
