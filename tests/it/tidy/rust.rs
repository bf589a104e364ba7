//! Rules about Rust sources, checked on their tokens: what stands in a comment or in a string is
//! not code and offends nobody.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use super::{Complaint, Source};

/// Who may name whom, and which external crates. A layer may always name itself.
const LAYERS: [Layer; 11] = [
    Layer { name: "time", names: &[], crates: &["shakmaty"] },
    Layer { name: "table", names: &[], crates: &["shakmaty", "serde"] },
    Layer { name: "wire", names: &["time", "table"], crates: &["shakmaty"] },
    Layer { name: "track", names: &["time", "table"], crates: &["shakmaty"] },
    Layer { name: "laws", names: &["time", "table"], crates: &["shakmaty", "serde"] },
    Layer { name: "clock", names: &["time", "table"], crates: &["shakmaty"] },
    Layer { name: "board", names: &["time", "table", "wire", "track"], crates: &["shakmaty"] },
    Layer {
        name: "game",
        names: &["time", "table", "wire", "track", "laws", "clock", "board"],
        crates: &["shakmaty"],
    },
    Layer {
        name: "drive",
        // Of the game what it tells a clock, and what it hears of one.
        names: &[
            "time",
            "table",
            "wire",
            "track::line",
            "laws",
            "clock",
            "game::Driving",
            "game::Event",
            "game::Fact",
            "game::ClockOnRecord",
        ],
        crates: &["shakmaty"],
    },
    Layer {
        name: "relay",
        names: &["time", "table", "game", "laws", "clock", "track"],
        crates: &["shakmaty", "serde", "serde_json"],
    },
    Layer {
        name: "sim",
        // Of the laws what a record says of players, to hold it against what they did; of the relay
        // only the words that traces share with the records.
        names: &["time", "table", "wire", "track", "laws", "game", "relay::words"],
        crates: &["shakmaty", "serde", "serde_json", "fastrand"],
    },
];

/// What of the standard library touches the world.
const WORLDLY: [&str; 6] = ["env", "fs", "io", "net", "process", "thread"];
/// Names that say nothing about what is inside.
const VAGUE: [&str; 5] = ["utils", "common", "helpers", "manager", "misc"];
/// The longest function, in lines.
pub(super) const FUNCTION_MAX: usize = 70;
/// The longest file, in lines, without its tests.
pub(super) const FILE_MAX: usize = 600;

struct Layer {
    name: &'static str,
    names: &'static [&'static str],
    crates: &'static [&'static str],
}

/// The row of the table for a file; `None` above the table: the shell, which may do anything.
fn layer_of(path: &str) -> Option<&'static Layer> {
    let rest = path.strip_prefix("src/")?;
    let name = rest.split(['/', '.']).next()?;
    LAYERS.iter().find(|layer| layer.name == name)
}

/// A token and the group it opens, flattened: one list in the order of the text.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub text: String,
    pub line: usize,
    /// The line of the closing bracket, for an opening one.
    end: usize,
    /// Just before a token that it is written together with, as the first colon of `::`.
    is_joint: bool,
    /// How many modules lie around it: those of its file and those in it.
    depth: usize,
    /// Inside a module that is compiled for tests only.
    pub is_test: bool,
}

/// What a file says to the compiler.
///
/// # Panics
/// The text has unmatched brackets or quotes.
pub(super) fn tokens(source: &Source) -> Vec<Token> {
    let stream: TokenStream = source
        .text
        .parse()
        .unwrap_or_else(|e| panic!("{}: cannot be cut into tokens: {e}", source.path));
    let mut out = Vec::new();
    flatten(stream, depth_of(&source.path), false, &mut out);
    out
}

/// How deep a file's module lies: `src/lib.rs` 0, `src/time.rs` 1, `src/wire/frame.rs` 2.
fn depth_of(path: &str) -> usize {
    let parts =
        path.split('/').skip(1).filter(|part| !["lib.rs", "main.rs", "mod.rs"].contains(part));
    parts.count()
}

fn flatten(stream: TokenStream, depth: usize, is_test: bool, out: &mut Vec<Token>) {
    let mut is_module = false;
    let mut opens_tests = false;
    for tree in stream {
        let line = tree.span().start().line;
        let token = |text: String| Token { text, line, end: line, is_joint: false, depth, is_test };
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                let end = group.span_close().end().line;
                out.push(Token { end, ..token(open.to_owned()) });
                let is_body = open == "{" && is_module;
                let inner = depth + usize::from(is_body);
                opens_tests |= open == "[" && is_cfg_test(&group.stream());
                flatten(group.stream(), inner, is_test || (is_body && opens_tests), out);
                out.push(Token { line: end, end, ..token(close.to_owned()) });
                if open == "{" {
                    (is_module, opens_tests) = (false, false);
                }
            }
            TokenTree::Punct(punct) => {
                if punct.as_char() == ';' {
                    (is_module, opens_tests) = (false, false);
                }
                let is_joint = punct.spacing() == Spacing::Joint;
                out.push(Token { is_joint, ..token(punct.as_char().to_string()) });
            }
            TokenTree::Ident(ident) => {
                is_module |= ident == "mod";
                out.push(token(ident.to_string()));
            }
            TokenTree::Literal(_) => out.push(token("literal".to_owned())),
        }
    }
}

fn is_cfg_test(attribute: &TokenStream) -> bool {
    attribute.to_string().replace(' ', "") == "cfg(test)"
}

/// Whether the tokens from `idx` on read `words`; a double colon is one word.
pub(super) fn reads(tokens: &[Token], idx: usize, words: &[&str]) -> bool {
    let mut at = idx;
    words.iter().all(|word| {
        let is_it = match *word {
            "::" => is_path(tokens, at),
            word => tokens.get(at).is_some_and(|token| token.text == word),
        };
        at += if *word == "::" { 2 } else { 1 };
        is_it
    })
}

pub(super) fn is_path(tokens: &[Token], idx: usize) -> bool {
    tokens.get(idx).is_some_and(|token| token.text == ":" && token.is_joint)
        && tokens.get(idx + 1).is_some_and(|token| token.text == ":")
}

/// The names that a path may go on with at `idx`: one, or those in braces, two segments each.
pub(super) fn branches(tokens: &[Token], idx: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for at in heads(tokens, idx) {
        let head = &tokens[at].text;
        let tails = if is_path(tokens, at + 1) { heads(tokens, at + 3) } else { Vec::new() };
        let name = |tail: &usize| (tokens[*tail].line, format!("{head}::{}", tokens[*tail].text));
        found.extend(tails.iter().map(name));
        if tails.is_empty() {
            found.push((tokens[at].line, head.clone()));
        }
    }
    found
}

/// Where the names stand that a path goes on with at `idx`.
fn heads(tokens: &[Token], idx: usize) -> Vec<usize> {
    match tokens.get(idx) {
        None => return Vec::new(),
        Some(first) if first.text != "{" => return vec![idx],
        Some(_) => {}
    }
    let (mut found, mut level, mut is_start) = (Vec::new(), 0, false);
    for (at, token) in tokens.iter().enumerate().skip(idx) {
        match token.text.as_str() {
            "{" => {
                level += 1;
                is_start = level == 1;
            }
            "}" => {
                level -= 1;
                if level == 0 {
                    break;
                }
            }
            "," => is_start = level == 1,
            _ if is_start => {
                found.push(at);
                is_start = false;
            }
            _ => {}
        }
    }
    found
}

/// Every path into the crate's layers: `crate::x`, and `super` as often as leads to the root.
fn crate_paths(tokens: &[Token]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (idx, token) in tokens.iter().enumerate() {
        let is_continued = idx >= 2 && is_path(tokens, idx - 2);
        if is_continued {
            continue;
        }
        if reads(tokens, idx, &["crate", "::"]) {
            found.extend(branches(tokens, idx + 3));
        }
        let mut n_up = 0;
        while reads(tokens, idx + 3 * n_up, &["super", "::"]) {
            n_up += 1;
        }
        if n_up > 0 && n_up >= token.depth {
            found.extend(branches(tokens, idx + 3 * n_up));
        }
    }
    found
}

pub(super) fn layers(source: &Source) -> Vec<Complaint> {
    let tokens = tokens(source);
    if source.path == "src/main.rs" {
        let paths = (0..tokens.len()).filter(|&idx| reads(&tokens, idx, &["rokade", "::"]));
        return paths
            .flat_map(|idx| branches(&tokens, idx + 3))
            .filter(|(_, name)| !name.starts_with("shell"))
            .map(|(line, name)| {
                source.complain(line, &format!("names {name}; the binary may only name shell"))
            })
            .collect();
    }
    let Some(layer) = layer_of(&source.path) else { return Vec::new() };
    let may = |name: &str| {
        let head = name.split("::").next().unwrap_or(name);
        head == layer.name || layer.names.iter().any(|&known| known == head || known == name)
    };
    let offends = |(line, name): &(usize, String)| {
        (!may(name)).then(|| {
            let names = if layer.names.is_empty() {
                "nothing else".to_owned()
            } else {
                layer.names.join(", ")
            };
            let what = format!(
                "layer {} names {name}; it may name {names}: hand the value in, or move the code \
                 up to a layer that may",
                layer.name
            );
            source.complain(*line, &what)
        })
    };
    crate_paths(&tokens).iter().filter_map(offends).collect()
}

/// `known` are the package's dependencies as code names them.
pub(super) fn crates(source: &Source, known: &[String]) -> Vec<Complaint> {
    let Some(layer) = layer_of(&source.path) else { return Vec::new() };
    let tokens = tokens(source);
    let mut found = Vec::new();
    for (idx, token) in tokens.iter().enumerate() {
        let is_head = idx < 2 || !is_path(&tokens, idx - 2);
        let is_path_head = is_head && is_path(&tokens, idx + 1);
        if !is_path_head || token.is_test {
            continue;
        }
        let name = token.text.as_str();
        if known.iter().any(|known| known == name) && !layer.crates.contains(&name) {
            let what = format!(
                "layer {} uses crate {name}; it may use {}: this belongs into the shell",
                layer.name,
                layer.crates.join(", ")
            );
            found.push(source.complain(token.line, &what));
        }
        if name == "std" {
            for (line, name) in branches(&tokens, idx + 3) {
                let head = name.split("::").next().unwrap_or(&name);
                if WORLDLY.contains(&head) {
                    let what = format!("std::{head} below the shell: the core touches no world");
                    found.push(source.complain(line, &what));
                }
            }
        }
    }
    found
}

pub(super) fn functions(source: &Source) -> Vec<Complaint> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    for (idx, token) in tokens.iter().enumerate().filter(|(_, token)| token.text == "fn") {
        // The first brace or semicolon outside all other brackets ends the signature.
        let mut level = 0_i32;
        for next in &tokens[idx..] {
            match next.text.as_str() {
                "(" | "[" => level += 1,
                ")" | "]" => level -= 1,
                ";" | "}" if level == 0 => break,
                _ => {}
            }
            if level < 0 {
                break; // The type `fn()` as an argument.
            }
            if level == 0 && next.text == "{" {
                let n_lines = next.end - token.line + 1;
                if n_lines > FUNCTION_MAX {
                    let what = format!(
                        "a function of {n_lines} lines; split it so that none has more than \
                         {FUNCTION_MAX}"
                    );
                    found.push(source.complain(token.line, &what));
                }
                break;
            }
        }
    }
    found
}

pub(super) fn files(source: &Source) -> Vec<Complaint> {
    let tokens = tokens(source);
    let n_lines = source.text.lines().count();
    let n_tests: usize = tokens
        .windows(2)
        .filter(|pair| !pair[0].is_test && pair[1].is_test)
        .map(|pair| pair[0].end - pair[0].line + 1)
        .sum();
    let n_code = n_lines - n_tests;
    if n_code <= FILE_MAX {
        return Vec::new();
    }
    let what = format!("{n_code} lines without tests; split it so that none has over {FILE_MAX}");
    vec![source.complain(n_lines, &what)]
}

pub(super) fn words(source: &Source) -> Vec<Complaint> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    for (idx, token) in tokens.iter().enumerate() {
        let mut say = |what: &str| found.push(source.complain(token.line, what));
        for name in ["todo", "unimplemented", "dbg"] {
            if reads(&tokens, idx, &[name, "!"]) {
                say(&format!("{name}!: finish it, or take it out"));
            }
        }
        if reads(&tokens, idx, &["static", "mut"]) {
            say("static mut: hand the state in where it is used");
        }
        for name in ["ignore", "should_panic"] {
            if reads(&tokens, idx, &["#", "[", name]) {
                say(&format!(
                    "#[{name}]: assert what happens today and say in a remark what should"
                ));
            }
        }
        for name in VAGUE {
            if reads(&tokens, idx, &["mod", name]) {
                say(&format!("module {name}: name it after what is inside"));
            }
        }
    }
    found
}

/// Time enters through the shell alone; tests and the build script are not the program.
pub(super) fn time(source: &Source) -> Vec<Complaint> {
    if !source.path.starts_with("src/") || source.path.starts_with("src/shell/") {
        return Vec::new();
    }
    let tokens = tokens(source);
    let mut found = Vec::new();
    for idx in 0..tokens.len() {
        for (head, tail) in [("Instant", "now"), ("SystemTime", "now"), ("thread", "sleep")] {
            if reads(&tokens, idx, &[head, "::", tail]) {
                let what =
                    format!("{head}::{tail} outside the shell: take the time as an argument");
                found.push(source.complain(tokens[idx].line, &what));
            }
        }
    }
    found
}

/// No position that is played on from has lost its king: shakmaty panics there.
pub(super) fn kings(source: &Source) -> Vec<Complaint> {
    let layers = ["src/track/", "src/game/", "src/relay/"];
    let is_theirs = layers.iter().any(|layer| source.path.starts_with(layer));
    if !is_theirs || source.path == "src/track/legal.rs" {
        return Vec::new();
    }
    let what = "a king may be taken by that: ask track::legal";
    calls(source, &["legal_moves", "is_legal", "to_move"], what)
}

/// Complains of each call of a method of these names, but for those in tests.
fn calls(source: &Source, names: &[&str], what: &str) -> Vec<Complaint> {
    let tokens = tokens(source);
    let is_call = |idx: &usize| {
        let is_of = |name: &&str| reads(&tokens, *idx, &[".", name, "("]);
        !tokens[*idx].is_test && names.iter().any(is_of)
    };
    (0..tokens.len()).filter(is_call).map(|idx| source.complain(tokens[idx].line, what)).collect()
}

/// What fastrand draws for a `usize` differs between machines of 32 and of 64 bits, and a game that
/// comes from a seed must not.
pub(super) fn chance(source: &Source) -> Vec<Complaint> {
    if !source.path.starts_with("src/sim/") {
        return Vec::new();
    }
    let what = "draws otherwise on a machine of 32 bits: ask sim::hands::chance";
    calls(source, &["usize", "choice", "shuffle"], what)
}

/// The order of a hash map differs from run to run, and the core must not.
pub(super) fn order(source: &Source) -> Vec<Complaint> {
    if layer_of(&source.path).is_none() {
        return Vec::new();
    }
    let tokens = tokens(source);
    tokens
        .iter()
        .filter(|token| ["HashMap", "HashSet"].contains(&token.text.as_str()))
        .map(|token| {
            let what = format!(
                "{} below the shell: use the BTree or a Vec, whose order is fixed",
                token.text
            );
            source.complain(token.line, &what)
        })
        .collect()
}
