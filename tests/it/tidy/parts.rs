//! Rules about how the files of one part know each other: who may define what, who names whom, and
//! what is called how. They look at a whole tree at once.

use std::collections::BTreeMap;

use super::rust::{Token, branches, is_path, reads, tokens};
use super::{Complaint, Source};

/// A file as a module: its place in the tree and what it says.
struct Module<'a> {
    source: &'a Source,
    /// `["laws", "touch"]` for `src/laws/touch.rs`.
    path: Vec<String>,
    tokens: Vec<Token>,
}

impl Module<'_> {
    /// The folder whose files share the privacy of what is defined here.
    fn home(&self) -> &str {
        let path = self.source.path.as_str();
        path.strip_suffix("/mod.rs").or(path.strip_suffix(".rs")).unwrap_or(path)
    }
}

fn modules<'a>(sources: &'a [Source], folder: &str) -> Vec<Module<'a>> {
    let is_inside = |source: &&Source| source.is_rust() && source.path.starts_with(folder);
    let of = |source: &'a Source| {
        let parts = source.path.trim_end_matches(".rs").split('/').skip(1);
        let path = parts.filter(|part| *part != "mod").map(str::to_owned).collect();
        Module { source, path, tokens: tokens(source) }
    };
    sources.iter().filter(is_inside).map(of).collect()
}

/// The type that an `impl` at `idx` is for; none for the `impl` of a trait or in a signature.
fn implemented(tokens: &[Token], idx: usize) -> Option<&str> {
    let is_item = idx == 0 || ["}", ";", "{", "]"].contains(&tokens[idx - 1].text.as_str());
    let mut level = 0;
    let mut name = None;
    for token in tokens[idx + 1..].iter().filter(|_| is_item) {
        match token.text.as_str() {
            "<" => level += 1,
            ">" => level -= 1,
            "for" if level == 0 => return None,
            "{" | "where" if level == 0 => return name,
            text if level == 0 && text != ":" => name = Some(text),
            _ => {}
        }
    }
    None
}

/// No `impl` of a type outside the file that defines it, or the folder of that name.
pub(super) fn impls(sources: &[Source], folder: &str) -> Vec<Complaint> {
    let modules = modules(sources, folder);
    let mut homes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for module in &modules {
        for pair in module.tokens.windows(2) {
            if ["struct", "enum"].contains(&pair[0].text.as_str()) {
                homes.entry(pair[1].text.as_str()).or_default().push(module.home());
            }
        }
    }
    let mut found = Vec::new();
    for module in &modules {
        let at = (0..module.tokens.len()).filter(|&idx| module.tokens[idx].text == "impl");
        for idx in at {
            let Some(name) = implemented(&module.tokens, idx) else { continue };
            let Some(homes) = homes.get(name) else { continue };
            let path = module.source.path.as_str();
            let lies =
                |home: &&str| path.strip_prefix(*home).is_some_and(|r| r.starts_with(['.', '/']));
            if !homes.iter().any(lies) {
                let what = format!("impl of {name}, which is at home in {}", homes.join(", "));
                found.push(module.source.complain(module.tokens[idx].line, &what));
            }
        }
    }
    found
}

/// Which modules of `all` this one names by `super` or `crate`, with the line. What a module hands
/// on by `pub use` it does not need itself.
fn named(module: &Module, all: &[Module]) -> Vec<(usize, Vec<String>)> {
    let is_module = |path: &[String]| all.iter().any(|known| known.path == path);
    let mut found = Vec::new();
    let mut hands_on = false;
    for (idx, token) in module.tokens.iter().enumerate() {
        match token.text.as_str() {
            "use" => {
                let before = idx.checked_sub(1).map(|idx| module.tokens[idx].text.as_str());
                hands_on = before == Some("pub") || before == Some(")");
            }
            ";" => hands_on = false,
            _ => {}
        }
        let mut n_up = 0;
        while reads(&module.tokens, idx + 3 * n_up, &["super", "::"]) {
            n_up += 1;
        }
        let is_absolute = reads(&module.tokens, idx, &["crate", "::"]);
        let is_continued = idx >= 2 && is_path(&module.tokens, idx - 2);
        let is_scope = idx > 0 && module.tokens[idx - 1].text == "in";
        let is_named = n_up > 0 || is_absolute;
        if !is_named || is_continued || is_scope || hands_on || token.is_test {
            continue;
        }
        let n = if is_absolute { Some(0) } else { module.path.len().checked_sub(n_up) };
        let Some(n) = n else { continue };
        for (line, name) in branches(&module.tokens, idx + 3 * n_up.max(1)) {
            let mut path = module.path[..n].to_vec();
            path.extend(name.split("::").map(str::to_owned));
            while !path.is_empty() && !is_module(&path) {
                path.pop();
            }
            if is_module(&path) && path != module.path {
                found.push((line, path));
            }
        }
    }
    found
}

/// No file names another one that names it, directly or through others.
pub(super) fn circles(sources: &[Source], folder: &str) -> Vec<Complaint> {
    let all = modules(sources, folder);
    let names: Vec<_> = all.iter().map(|module| named(module, &all)).collect();
    let position = |path: &[String]| all.iter().position(|module| module.path == path);
    let mut found = Vec::new();
    for (from, module) in all.iter().enumerate() {
        for (line, path) in &names[from] {
            let mut open: Vec<usize> = position(path).into_iter().collect();
            let mut seen = open.clone();
            while let Some(next) = open.pop().filter(|next| *next != from) {
                for to in names[next].iter().filter_map(|(_, path)| position(path)) {
                    if !seen.contains(&to) {
                        seen.push(to);
                        open.push(to);
                    }
                }
            }
            if seen.contains(&from) {
                let what = format!("names {}, which leads back here", path.join("::"));
                found.push(module.source.complain(*line, &what));
            }
        }
    }
    found
}

/// Where each `impl` and each `trait` of a file has its braces: what `type` says in there names no
/// type of ours, but answers a trait.
fn is_associated(tokens: &[Token], idx: usize) -> bool {
    let mut open = Vec::new();
    let mut is_next = false;
    for (at, token) in tokens[..idx].iter().enumerate() {
        match token.text.as_str() {
            "impl" | "trait" => {
                let before = at.checked_sub(1).map_or(";", |before| tokens[before].text.as_str());
                is_next |= [";", "{", "}", "]", "pub", ")"].contains(&before);
            }
            "{" => open.push(std::mem::take(&mut is_next)),
            "}" => drop(open.pop()),
            _ => {}
        }
    }
    open.last() == Some(&true)
}

/// No two types of the same name, private ones too.
pub(super) fn names(sources: &[Source], folder: &str) -> Vec<Complaint> {
    let modules = modules(sources, folder);
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for module in &modules {
        for (idx, pair) in module.tokens.windows(2).enumerate() {
            let (kind, name) = (pair[0].text.as_str(), pair[1].text.as_str());
            let is_type = ["struct", "enum", "trait", "type"].contains(&kind);
            if !is_type || name == "$" || pair[0].is_test {
                continue;
            }
            if kind == "type" && is_associated(&module.tokens, idx) {
                continue;
            }
            if let Some(other) = homes.insert(name, &module.source.path) {
                let what = format!("{name} is a type of {other} too: name one after its domain");
                found.push(module.source.complain(pair[0].line, &what));
            }
        }
    }
    found
}
