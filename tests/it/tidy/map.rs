//! The map of the code, `src/ARCHITECTURE.md`, held against the tree, and what lies at its top.

use super::{Complaint, Source, assert_none, paths, sources};

/// What the map of the code names is there.
#[test]
fn every_file_on_the_map_exists() {
    let all = sources();
    let paths: Vec<_> = all.iter().map(|source| source.path.as_str()).collect();
    let sample = Source::new("a.md", "`tidy.rs` and `game/`,\n`gone.rs`, `gone/` and `a.b`\n");
    let lines: Vec<_> = missing_files(&sample, &paths);
    assert_eq!(lines, ["a.md:2: there is no gone.rs", "a.md:2: there is no gone/"]);
    let document = all.iter().find(|source| source.path == "src/ARCHITECTURE.md");
    assert_none(&missing_files(document.expect("the map of the code"), &paths));
}

/// The files and folders that `document` names in backticks and that no path ends with.
fn missing_files(document: &Source, paths: &[&str]) -> Vec<Complaint> {
    let exists = |name: &str| match name.strip_suffix('/') {
        Some(_) => paths.iter().any(|path| format!("/{path}").contains(&format!("/{name}"))),
        None => paths.iter().any(|path| format!("/{path}").ends_with(&format!("/{name}"))),
    };
    let is_file = |name: &&str| {
        !name.contains([' ', ':', '<', '$'])
            && (name.ends_with('/') || name.ends_with(".rs") || name.ends_with(".md"))
    };
    let mut missing = Vec::new();
    for (idx, line) in document.text.lines().enumerate() {
        let names = line.split('`').skip(1).step_by(2).filter(is_file);
        let gone = names.filter(|name| !exists(name));
        missing
            .extend(gone.map(|name| format!("{}:{}: there is no {name}", document.path, idx + 1)));
    }
    missing
}

/// What stands at the top, with files whose names begin with a dot.
const TOP: [&str; 11] = [
    "CHANGELOG.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "build.rs",
    "hardware",
    "src",
    "systemd",
    "tests",
    "udev",
];

/// Paths that lie at the top, or in a folder there, and belong nowhere.
fn strays(paths: &[String]) -> Vec<&String> {
    let is_stray = |path: &&String| {
        let top = path.split('/').next().unwrap_or(path);
        !top.starts_with('.') && !TOP.contains(&top)
    };
    paths.iter().filter(is_stray).collect()
}

/// What a command writes where it is run is not committed.
#[test]
fn nothing_else_lies_at_the_top() {
    assert_eq!(strays(&paths()), Vec::<&String>::new());
    let sample = ["seed-1.trace.jsonl", "notes/a.md", "src/a.rs", ".ci/run"].map(str::to_owned);
    assert_eq!(strays(&sample), [&sample[0], &sample[1]]);
}
