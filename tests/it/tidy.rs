//! The rules of the house, as tests: what the documents promise about the tree is looked up in the
//! tree. Every rule is also shown a small sample that breaks it, because a rule that never speaks
//! looks just like one that is kept.

mod comments;
mod map;
mod parts;
mod rust;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// What is not ours, or not text.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "Cargo.lock", "package-lock.json"];
/// Endings of the files that hold text of ours.
const TEXTS: [&str; 21] = [
    "rs", "c", "h", "ino", "md", "toml", "css", "js", "html", "json", "jsonl", "golden", "csv",
    "sh", "yml", "svg", "service", "conf", "rules", "npmrc", "run",
];
/// Endings of the files whose lines are read side by side.
const NARROW: [&str; 8] = ["rs", "c", "h", "ino", "css", "js", "toml", "html"];
/// The longest line, in characters.
const COLUMNS: usize = 100;

/// A file of the tree, by its path from the root.
#[derive(Clone, Debug)]
struct Source {
    path: String,
    text: String,
}

/// What is wrong where, and what to do.
type Complaint = String;

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn complain(&self, line: usize, what: &str) -> Complaint {
        format!("{}:{line}: {what}", self.path)
    }

    fn ending(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.rsplit('.').next().unwrap_or(name)
    }

    fn is_rust(&self) -> bool {
        self.ending() == "rs"
    }
}

/// Every path below the root, folders left out, in a fixed order.
fn paths() -> Vec<String> {
    let mut found = Vec::new();
    walk(Path::new(ROOT), "", &mut found);
    found.sort();
    found
}

fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry of a folder").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("names are plain");
        if SKIPPED.contains(&name) {
            continue;
        }
        let full = format!("{prefix}{name}");
        if path.is_dir() {
            walk(&path, &format!("{full}/"), found);
        } else {
            found.push(full);
        }
    }
}

/// Every text of ours.
fn sources() -> Vec<Source> {
    let read = |path: &String| {
        let source = Source::new(path, "");
        let is_text = TEXTS.contains(&source.ending());
        is_text.then(|| {
            let text = fs::read_to_string(Path::new(ROOT).join(path));
            Source { text: text.unwrap_or_else(|e| panic!("{path}: {e}")), ..source }
        })
    };
    paths().iter().filter_map(read).collect()
}

/// The package's dependencies as code names them.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_inside = line.contains("dependencies");
        } else if let (true, Some((name, _))) = (is_inside, line.split_once(" = ")) {
            found.push(name.replace('-', "_"));
        }
    }
    found
}

/// Fails with every complaint, one a line.
fn assert_none(complaints: &[Complaint]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Holds every source to `rule`, after the rule has complained about each of `bad`, at the line
/// given, and been silent about each of `good`.
fn hold(
    rule: impl Fn(&Source) -> Vec<Complaint>,
    bad: &[(&str, &str, usize)],
    good: &[(&str, &str)],
) {
    for (path, text, line) in bad {
        let complaints = rule(&Source::new(path, text));
        let place = format!("{path}:{line}: ");
        assert!(
            complaints.iter().any(|complaint| complaint.starts_with(&place)),
            "the rule overlooks {text:?}; it says {complaints:?}"
        );
    }
    for (path, text) in good {
        assert_eq!(rule(&Source::new(path, text)), Vec::<Complaint>::new(), "{path}: {text:?}");
    }
    let all = sources();
    assert!(all.len() > 50, "the tree was not found at {ROOT}");
    assert_none(&all.iter().flat_map(rule).collect::<Vec<_>>());
}

/// A rule for sources in Rust only.
fn in_rust(rule: fn(&Source) -> Vec<Complaint>) -> impl Fn(&Source) -> Vec<Complaint> {
    move |source| if source.is_rust() { rule(source) } else { Vec::new() }
}

#[test]
fn lower_layers_never_name_higher_ones() {
    hold(
        in_rust(rust::layers),
        &[
            ("src/track/a.rs", "use crate::{time::Mono, wire};", 1),
            ("src/track/a.rs", "\nfn f() { crate::game::g() }", 2),
            ("src/track/a.rs", "use super::super::wire::Field;", 1),
            ("src/track/mod.rs", "use super::laws;", 1),
            ("src/track/a.rs", "mod tests { use super::super::super::clock; }", 1),
            ("src/wire/a.rs", "macro_rules! m { () => { crate::track::T } }", 1),
            ("src/time.rs", "use crate::wire::Field;", 1),
            ("src/relay/a.rs", "use crate::wire::Field;", 1),
            ("src/sim/a.rs", "use crate::relay::log::Log;", 1),
            ("src/game/a.rs", "use crate::shell::now;", 1),
            ("src/game/a.rs", "use crate::drive::ClockDesk;", 1),
            ("src/drive/a.rs", "use crate::game::{Event, Game};", 1),
            ("src/main.rs", "fn main() { rokade::game::play() }", 1),
        ],
        &[
            ("src/track/a.rs", "use super::line::Line; use crate::time::Mono;"),
            ("src/track/a.rs", "//! [`crate::game`]\npub(crate) struct S; // crate::game"),
            ("src/drive/a.rs", "use crate::game::{Event, Fact};"),
            ("src/sim/a.rs", "use crate::relay::words::{self, Word};"),
            ("src/main.rs", "fn main() { rokade::shell::cli::main() }"),
            ("src/shell/a.rs", "use crate::sim;"),
        ],
    );
}

#[test]
fn the_core_uses_no_crate_that_touches_the_world() {
    let manifest = fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).expect("a manifest");
    let known = dependencies(&manifest);
    assert!(["tokio", "serde_json", "proptest"].iter().all(|name| known.contains(&(*name).into())));
    hold(
        |source| if source.is_rust() { rust::crates(source, &known) } else { Vec::new() },
        &[
            ("src/game/a.rs", "use serde::Serialize;", 1),
            ("src/relay/a.rs", "fn f() { tokio::spawn(g) }", 1),
            ("src/wire/a.rs", "use std::{fmt, fs};", 1),
            ("src/sim/a.rs", "\nfn f() { std::thread::yield_now() }", 2),
        ],
        &[
            ("src/game/a.rs", "use shakmaty::Move; use std::fmt;"),
            ("src/game/a.rs", "use super::config::serde::x;"),
            ("src/wire/a.rs", "#[cfg(test)]\nmod tests { use proptest::prelude::*; }"),
        ],
    );
}

#[test]
fn functions_are_short() {
    let long = format!("\nfn f() {{{}}}", "\n".repeat(rust::FUNCTION_MAX));
    let method = format!("impl X {{ fn f<T: Fn(u8)>(a: [u8; 2]) where T: U {long} }}");
    let short = format!("fn f() {{{}}}", "\n".repeat(rust::FUNCTION_MAX - 1));
    let pointer = format!("struct S {{ f: fn(u8) -> u8 }}\n{short}\n{short}");
    hold(
        in_rust(rust::functions),
        &[("src/a.rs", &long, 2), ("src/a.rs", &method, 2)],
        &[("src/a.rs", &short), ("src/a.rs", &pointer)],
    );
}

#[test]
fn files_are_short() {
    let lines = "// x\n".repeat(rust::FILE_MAX + 1);
    let tests = format!("struct S;\n#[cfg(test)]\nmod tests {{\nstruct T;\n{lines}}}\n");
    let other = format!("struct S;\nmod tests {{\n{lines}}}\n");
    hold(
        in_rust(rust::files),
        &[("src/a.rs", &lines, rust::FILE_MAX + 1), ("src/a.rs", &other, rust::FILE_MAX + 4)],
        &[("src/a.rs", &tests)],
    );
}

#[test]
fn some_words_are_not_code() {
    hold(
        in_rust(rust::words),
        &[
            ("src/a.rs", "fn f() { todo!() }", 1),
            ("src/a.rs", "fn f() {\nunimplemented!(\"later\") }", 2),
            ("src/a.rs", "fn f() { dbg!(1); }", 1),
            ("src/a.rs", "static mut N: u8 = 0;", 1),
            ("src/a.rs", "mod common;", 1),
            ("src/a.rs", "pub mod helpers {}", 1),
            ("tests/it/a.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}", 2),
            ("tests/it/a.rs", "#[test]\n#[should_panic]\nfn f() {}", 2),
        ],
        &[("src/a.rs", "static N: u8 = 0; mod commonplace; fn todo() {} // todo!()")],
    );
}

#[test]
fn time_enters_through_the_shell() {
    hold(
        in_rust(rust::time),
        &[
            ("src/game/a.rs", "fn f() { let t = std::time::Instant::now(); }", 1),
            ("src/sim/a.rs", "fn f() { SystemTime::now() }", 1),
            ("src/main.rs", "fn f() {\n std::thread::sleep(d) }", 2),
        ],
        &[
            ("src/shell/now.rs", "fn f() { Instant::now() }"),
            ("tests/it/a.rs", "fn f() { Instant::now() }"),
            ("src/time.rs", "fn now() {} // Instant::now"),
        ],
    );
}

#[test]
fn no_king_is_taken() {
    hold(
        in_rust(rust::kings),
        &[
            ("src/track/a.rs", "fn f() { pos.legal_moves().len() }", 1),
            ("src/game/a.rs", "fn f() {\n uci.to_move(&pos) }", 2),
            ("src/relay/a.rs", "fn f() { pos.is_legal(m) }", 1),
        ],
        &[
            ("src/track/legal.rs", "fn f() { pos.legal_moves().len() }"),
            ("src/track/a.rs", "#[cfg(test)]\nmod tests { fn f() { pos.legal_moves().len() } }"),
            ("src/laws/a.rs", "fn f() { pos.legal_moves().len() }"),
        ],
    );
}

#[test]
fn a_seed_is_the_same_game_on_every_machine() {
    hold(
        in_rust(rust::chance),
        &[
            ("src/sim/a.rs", "fn f() { rng.usize(0..8) }", 1),
            ("src/sim/hands/a.rs", "fn f() {\n self.rng.choice(&all) }", 2),
        ],
        &[
            ("src/sim/a.rs", "fn f() { rng.u64(0..8); shuffle(&mut rng, &mut all) }"),
            ("tests/it/a.rs", "fn f() { rng.usize(0..8) }"),
        ],
    );
}

#[test]
fn nothing_below_the_shell_depends_on_the_order_of_a_hash() {
    hold(
        in_rust(rust::order),
        &[
            ("src/wire/a.rs", "use std::collections::HashMap;", 1),
            ("src/relay/a.rs", "\nstruct S(HashSet<u8>);", 2),
        ],
        &[("src/shell/a.rs", "use std::collections::HashMap;")],
    );
}

/// Folders in which a type is added to only where it is at home, and has its name for itself.
const HOMES: [&str; 1] = ["src/"];
/// Folders whose files do not name each other in circles.
const STRAIGHT: [&str; 3] = ["src/laws/referee/", "src/game/recorder/", "src/game/"];

/// Holds the tree to a rule for whole folders, after it has complained about each of `bad` and been
/// silent about `good`. All lie in `a/`.
fn hold_folders(
    rule: fn(&[Source], &str) -> Vec<Complaint>,
    folders: &[&str],
    bad: &[&[(&str, &str)]],
    good: &[(&str, &str)],
) {
    let tree = |files: &[(&str, &str)]| -> Vec<Source> {
        files.iter().map(|(path, text)| Source::new(path, text)).collect()
    };
    for files in bad {
        assert!(!rule(&tree(files), "src/a/").is_empty(), "the rule overlooks {files:?}");
    }
    assert_eq!(rule(&tree(good), "src/a/"), Vec::<Complaint>::new());
    let all = sources();
    for folder in folders {
        assert!(all.iter().filter(|source| source.path.starts_with(folder)).count() > 5);
        assert_none(&rule(&all, folder));
    }
}

#[test]
fn a_type_is_added_to_only_at_home() {
    hold_folders(
        parts::impls,
        &HOMES,
        &[
            &[("src/a/x.rs", "pub struct X;"), ("src/a/y.rs", "use super::x::X;\nimpl X {}")],
            &[("src/a/x.rs", "enum X<T> {}"), ("src/a/xy/mod.rs", "impl<T: U> super::X<T> {}")],
        ],
        &[
            ("src/a/x.rs", "pub struct X;\nimpl X {} mod inner;"),
            ("src/a/x/inner.rs", "impl super::X {}"),
            ("src/a/z/mod.rs", "struct Z;"),
            ("src/a/z/other.rs", "impl super::Z {}\nimpl fmt::Display for super::super::X {}"),
            ("src/a/w.rs", "impl From<Z> for W {}\nfn f() -> impl X {}"),
        ],
    );
}

#[test]
fn no_two_types_have_the_same_name() {
    hold_folders(
        parts::names,
        &HOMES,
        &[
            &[("src/a/x.rs", "pub struct X;"), ("src/a/y/z.rs", "use super::Y;\nenum X {}")],
            &[("src/a/x.rs", "pub(super) trait X {}\ntype X = u8;")],
            &[("src/a/x.rs", "struct X;"), ("src/a/y.rs", "impl Y { fn f() { enum X {} } }")],
            &[("src/a/x.rs", "type X = u8;"), ("src/a/y.rs", "fn f() -> impl Y { type X = u8; }")],
        ],
        &[
            (
                "src/a/x.rs",
                "struct X; impl T for X { type Y = u8; }\nimpl T for u8 { type Y = X; }",
            ),
            ("src/a/y.rs", "trait T { type Y; fn f() { g(|| {}) } type Z; }\nstruct Y;"),
            ("src/a/z.rs", "#[cfg(test)]\nmod tests { struct X; }\n// struct X;"),
            ("src/a/w.rs", "macro_rules! m { ($n:ident) => { struct $n; enum $n {} } }"),
        ],
    );
}

#[test]
fn files_of_a_part_do_not_name_each_other_in_circles() {
    hold_folders(
        parts::circles,
        &STRAIGHT,
        &[
            &[("src/a/x.rs", "use super::y::Y;"), ("src/a/y.rs", "fn f() { super::x::g() }")],
            &[("src/a/x.rs", "use crate::a::y::Y;"), ("src/a/y.rs", "use super::{w, x};")],
            &[
                ("src/a/mod.rs", "fn f() {}"),
                ("src/a/x.rs", "use super::y;"),
                ("src/a/y.rs", "use super::{w::W, z};"),
                ("src/a/z.rs", "use super::{f, x::X};"),
            ],
            &[("src/a/b/mod.rs", "use super::y::Y;"), ("src/a/y.rs", "use super::b::B;")],
        ],
        &[
            ("src/a/mod.rs", "mod x; mod y;\npub use x::X;\npub(super) use y::{Y, Z};"),
            ("src/a/x.rs", "use super::{A, y::Y};\npub(in super::super) fn f() {}"),
            ("src/a/y.rs", "use super::A;\n#[cfg(test)]\nmod tests { use super::super::x; }"),
            ("src/a/b/mod.rs", "use super::x::X;"),
            ("src/a/b/c.rs", "use super::B;\nuse super::super::y::Y;"),
        ],
    );
}

fn columns(source: &Source) -> Vec<Complaint> {
    let is_narrow = NARROW.contains(&source.ending());
    let lines = source.text.lines().enumerate().filter(|_| is_narrow);
    lines
        .filter(|(_, line)| line.chars().count() > COLUMNS)
        .map(|(idx, line)| {
            let what = format!("{} columns; break it at {COLUMNS}", line.chars().count());
            source.complain(idx + 1, &what)
        })
        .collect()
}

#[test]
fn lines_fit_side_by_side() {
    let wide = format!("a\n{}", "ö".repeat(COLUMNS + 1));
    let fits = "ö".repeat(COLUMNS);
    hold(
        columns,
        &[("src/a.rs", &wide, 2), ("a.css", &wide, 2), ("Cargo.toml", &wide, 2), ("a.c", &wide, 2)],
        &[("src/a.rs", &fits), ("README.md", &wide)],
    );
}

/// Sources of firmware: what they are for, and how long functions and files are. A function begins
/// where a line begins with a word, and ends at the next bracket at the beginning of a line.
fn firmware(source: &Source) -> Vec<Complaint> {
    if !["c", "h", "ino"].contains(&source.ending()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if !source.text.starts_with("// ") {
        found.push(source.complain(1, "the first line must be // and say what the file is for"));
    }
    let mut begun = None;
    for (idx, line) in source.text.lines().enumerate() {
        if idx == rust::FILE_MAX {
            found.push(source.complain(idx + 1, "the file is too long; divide it"));
        }
        if line.starts_with('{') {
            begun = Some(idx);
        } else if line.starts_with('}')
            && let Some(from) = begun.take()
            && idx - from >= rust::FUNCTION_MAX
        {
            found.push(source.complain(from + 1, "the function is too long; divide it"));
        }
    }
    found
}

#[test]
fn firmware_is_short_and_says_what_it_is_for() {
    let long = format!("// A.\nint f(void)\n{{\n{}}}\n", "    g();\n".repeat(rust::FUNCTION_MAX));
    let short = format!("// A.\nint f(void)\n{{\n{}}}\n", "    g();\n".repeat(60));
    let lines = format!("// A.\n{}", "// b\n".repeat(rust::FILE_MAX));
    hold(
        firmware,
        &[
            ("a.c", &long, 3),
            ("a.ino", &lines, rust::FILE_MAX + 1),
            ("a.h", "#include <stdint.h>\n", 1),
        ],
        &[("a.c", &short), ("a.md", "# A")],
    );
}

fn trailing_space(source: &Source) -> Vec<Complaint> {
    let lines = source.text.lines().enumerate();
    let ragged = lines.filter(|(_, line)| line.ends_with([' ', '\t', '\r']));
    let mut found: Vec<_> = ragged
        .map(|(idx, _)| source.complain(idx + 1, "space at the end of the line; take it out"))
        .collect();
    if !source.text.is_empty() && !source.text.ends_with('\n') {
        let n_lines = source.text.lines().count();
        found.push(source.complain(n_lines, "the last line has no end; add a line break"));
    }
    found
}

/// Two versions of a passage that a merge left beside each other.
fn left_by_merge(source: &Source) -> Vec<Complaint> {
    let is_mark = |line: &str| ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark));
    let lines = source.text.lines().enumerate().filter(|(_, line)| is_mark(line));
    lines.map(|(idx, _)| source.complain(idx + 1, "a merge left this; choose one")).collect()
}

#[test]
fn no_merge_leaves_two_versions() {
    let mark = format!("a\n{} HEAD\nb\n", "<".repeat(7));
    hold(left_by_merge, &[("a.md", &mark, 2)], &[("a.md", "a << b\n=======\n")]);
}

#[test]
fn no_line_ends_in_space() {
    hold(
        trailing_space,
        &[("a.md", "a \nb\n", 1), ("a.golden", "a\nb\t\n", 2), ("a.csv", "a\nb", 2)],
        &[("a.md", "a\n\n  b\n"), ("a.golden", "")],
    );
}

/// What `tests/traces` and `tests/tables` lack, with `tests` the texts of all tests.
fn data(paths: &[String], tests: &str) -> Vec<Complaint> {
    let has = |path: &String| paths.contains(path);
    let mut found = Vec::new();
    for path in paths {
        if let Some(name) = path.strip_prefix("tests/traces/")
            && name != "README.md"
        {
            let stem = name.split('.').next().unwrap_or(name);
            let beside = |ending: &str| format!("tests/traces/{stem}.{ending}");
            let scripts = [beside("trace.jsonl"), beside("tape.jsonl")];
            let n_scripts = scripts.iter().filter(|path| has(path)).count();
            if n_scripts != 1 {
                found.push(format!(
                    "{path}:1: {n_scripts} traces and tapes named {stem}; expected one, as in \
                     {stem}.trace.jsonl, with {stem}.golden beside it"
                ));
            } else if !has(&beside("golden")) {
                found.push(format!(
                    "{path}:1: no {stem}.golden beside it; run with UPDATE_GOLDEN=1 and read it"
                ));
            }
        }
        if let Some(name) = path.strip_prefix("tests/tables/")
            && !tests.contains(&format!("/{name}\""))
        {
            found.push(format!("{path}:1: no test reads this table; add one, or take it out"));
        }
    }
    found
}

#[test]
fn all_test_data_is_held_to_account() {
    let of = |names: &[&str]| -> Vec<String> { names.iter().map(|&n| n.to_owned()).collect() };
    let bad = of(&[
        "tests/tables/unread.csv",
        "tests/traces/alone.trace.jsonl",
        "tests/traces/odd.trace",
        "tests/traces/orphan.golden",
    ]);
    let said = data(&bad, "include_str!(\"../tables/read.csv\")");
    let files: BTreeSet<&str> = said.iter().filter_map(|s| s.split(':').next()).collect();
    assert_eq!(files, bad.iter().map(String::as_str).collect());
    let good = of(&[
        "tests/tables/read.csv",
        "tests/traces/README.md",
        "tests/traces/a.golden",
        "tests/traces/a.tape.jsonl",
    ]);
    assert_eq!(data(&good, "include_str!(\"../tables/read.csv\")"), Vec::<Complaint>::new());

    let tests = sources().into_iter().filter(|s| s.is_rust() && s.path.starts_with("tests/"));
    let tests: String = tests.map(|source| source.text).collect();
    assert_none(&data(&paths(), &tests));
}

/// What is wrong with the invariants of a document, given the tests as `module` and text.
fn invariants(source: &Source, tests: &[(String, String)]) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut line = 1;
    for paragraph in source.text.split("\n\n") {
        let n_blank = paragraph.len() - paragraph.trim_start_matches('\n').len();
        if paragraph.trim_start().starts_with("**Invariant:") {
            let named = paragraph.rsplit_once('(').map_or("", |(_, named)| named);
            let names: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
            let is_test = |name: &&str| {
                let (module, rest) = name.split_once("::").unwrap_or((name, ""));
                tests.iter().any(|(known, text)| {
                    let of = |word: &str| text.contains(&format!("{word} {rest}"));
                    known == module && (rest.is_empty() || of("fn") || of("mod"))
                })
            };
            if !names.iter().any(is_test) {
                let what = format!("no test of {names:?} exists; name the one that holds this");
                found.push(source.complain(line + n_blank, &what));
            }
        }
        line += paragraph.matches('\n').count() + 2;
    }
    found
}

#[test]
fn every_invariant_has_its_test() {
    let module = |source: &Source| {
        let rest = source.path.strip_prefix("tests/it/")?.strip_suffix(".rs")?;
        Some((rest.to_owned(), source.text.clone()))
    };
    let all = sources();
    let tests: Vec<_> = all.iter().filter_map(module).collect();
    let text = "# X\n\n**Invariant: a.** b\n(`tidy::gone`)\n\n**Invariant: c.**\n\n\
                **Invariant: d.** (`tidy::every_invariant_has_its_test`)";
    let sample = Source::new("a.md", text);
    let said = invariants(&sample, &tests);
    let lines: Vec<_> = said.iter().filter_map(|s| s.split(": ").next()).collect();
    assert_eq!(lines, ["a.md:3", "a.md:6"]);

    let document = all.iter().find(|source| source.path == "src/ARCHITECTURE.md");
    let document = document.expect("the map of the code");
    assert!(document.text.matches("**Invariant:").count() > 10);
    assert_none(&invariants(document, &tests));
}
