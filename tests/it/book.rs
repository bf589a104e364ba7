//! The documentation is right about the program: its links lead somewhere, its commands are
//! understood, and its settings are taken.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use rokade::shell::cli::Cli;
use rokade::shell::config::Config;
use tempfile::TempDir;

/// All pages as they are put together for the site.
struct Book {
    folder: TempDir,
    pages: BTreeMap<String, String>,
}

/// A fenced block of a page: its language, its first line's number, its text.
struct Block {
    language: String,
    line: usize,
    text: String,
}

impl Book {
    fn gather() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/book.sh");
        let done = Command::new(script).arg("--gather").arg(folder.path()).status().unwrap();
        assert!(done.success());
        let mut pages = BTreeMap::new();
        let mut folders = vec![folder.path().to_owned()];
        while let Some(next) = folders.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "md") {
                    let name = path.strip_prefix(folder.path()).unwrap().display().to_string();
                    pages.insert(name, fs::read_to_string(path).unwrap());
                }
            }
        }
        Self { folder, pages }
    }

    /// What is wrong with a link on the page of this name.
    fn fault(&self, page: &str, link: &str) -> Option<String> {
        if link.contains("://") {
            return None;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let mut target = PathBuf::new();
        let base = Path::new(page).parent().unwrap();
        for part in base.join(path).components() {
            match part.as_os_str().to_str() {
                Some("..") if !target.pop() => return Some("leads out of the book".to_owned()),
                Some("..") => {}
                _ => target.push(part),
            }
        }
        let name = if path.is_empty() { page.to_owned() } else { target.display().to_string() };
        if !self.folder.path().join(&name).exists() {
            return Some("leads nowhere".to_owned());
        }
        let has_anchor = |page: &String| headings(page).any(|heading| slug(heading) == anchor);
        (!anchor.is_empty() && !self.pages.get(&name).is_some_and(has_anchor))
            .then(|| "there is no such heading".to_owned())
    }
}

fn headings(page: &str) -> impl Iterator<Item = &str> {
    page.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
}

/// The name by which a link finds a heading.
fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    heading
        .chars()
        .filter(kept)
        .map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() })
        .collect()
}

/// The targets of the links and pictures in a text, without what stands in blocks and code.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_block = false;
    for line in page.lines() {
        is_block ^= line.trim_start().starts_with("```");
        if is_block {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("x");
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        found.extend(targets.map(str::to_owned));
    }
    found
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (line, n) in page.lines().zip(1..) {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_open = !is_open;
            if is_open {
                found.push(Block { language: language.to_owned(), line: n, text: String::new() });
            }
        } else if let Some(block) = found.last_mut().filter(|_| is_open) {
            block.text += line;
            block.text.push('\n');
        }
    }
    found
}

/// The words of a line of a shell, without its comment.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for (idx, c) in line.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '#' if !is_quoted && line[..idx].ends_with(' ') => break,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The calls of our program in a line: what stands behind its name, up to the next command.
fn calls(line: &str) -> Vec<Vec<String>> {
    let words = words(line);
    let commands = words.split(|word| ["&&", "&", "|", ">", ";"].contains(&word.as_str()));
    commands
        .filter_map(|command| {
            let at = command.iter().position(|word| word == "rokade")?;
            // The name of the service, of a user or of a connection is no call.
            let is_ours = command[..at]
                .iter()
                .all(|word| ["sudo", "ssh"].contains(&&**word) || word.contains('@'));
            is_ours.then(|| command[at..].to_vec())
        })
        .collect()
}

/// Why the program does not understand a call; asking for help is understood.
fn misunderstood(call: &[String]) -> Option<String> {
    let error = Cli::try_parse_from(call).err()?;
    (error.exit_code() != 0).then(|| error.to_string())
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let book = Book::gather();
    assert!(book.pages.len() > 20, "{:?}", book.pages.keys());
    let listed: BTreeSet<_> = links(&book.pages["SUMMARY.md"]).into_iter().collect();
    let pages: BTreeSet<_> =
        book.pages.keys().filter(|page| *page != "SUMMARY.md").cloned().collect();
    assert_eq!(listed, pages);
    let mut faults = Vec::new();
    for (page, text) in &book.pages {
        for link in links(text) {
            faults.extend(book.fault(page, &link).map(|why| format!("{page}: {link} {why}")));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    for (link, why) in [
        ("gone.md", "leads nowhere"),
        ("../out.md", "leads out of the book"),
        ("pi.md#6-rest", "there is no such heading"),
    ] {
        assert_eq!(book.fault("index.md", link).as_deref(), Some(why));
    }
    assert_eq!(book.fault("hardware/README.md", "../pi.md#5-play"), None);
}

/// Whoever reads the pages where they lie in the repository follows their links as well.
#[test]
fn every_link_leads_somewhere_in_the_repository_too() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("CHANGELOG.md")];
    for folder in ["src/book", "hardware", "tests"] {
        let found = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(found.filter(|path| path.extension().is_some_and(|it| it == "md")));
    }
    assert!(pages.len() > 30, "{pages:?}");
    let mut faults = Vec::new();
    for page in &pages {
        for link in links(&fs::read_to_string(page).unwrap()) {
            let path = link.split('#').next().unwrap();
            let is_here = link.contains("://") || page.parent().unwrap().join(path).exists();
            faults.extend((!is_here).then(|| format!("{}: {link}", page.display())));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_command_in_the_pages_is_understood() {
    let book = Book::gather();
    let (mut n_calls, mut faults) = (0, Vec::new());
    for (page, text) in &book.pages {
        let in_blocks = blocks(text).into_iter().filter(|block| block.language == "sh");
        let lines =
            in_blocks.flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>());
        for call in lines.flat_map(|line| calls(&line)) {
            n_calls += 1;
            faults.extend(misunderstood(&call).map(|why| format!("{page}: {call:?}: {why}")));
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for word in text.split(['`', ' ', '\n', '(']).filter(|word| word.ends_with(".sh")) {
            let is_ours = word.starts_with("tests/");
            if is_ours && !root.join(word).exists() {
                faults.push(format!("{page}: there is no {word}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(n_calls > 30, "{n_calls}");
    let call = |line: &str| calls(line).remove(0);
    assert!(misunderstood(&call("sudo rokade exprot all x.tar")).is_some());
    assert!(misunderstood(&call("ssh a@b rokade log --folow")).is_some());
    assert!(calls("sudo systemctl stop rokade && sudo nmcli connection up rokade").is_empty());
}

#[test]
fn every_setting_in_the_pages_is_taken() {
    let book = Book::gather();
    let (mut n_settings, mut faults) = (0, Vec::new());
    for (page, text) in &book.pages {
        for block in blocks(text).iter().filter(|block| block.language == "toml") {
            n_settings += 1;
            let path = Path::new("/etc/rokade/rokade.toml");
            if let Err(why) = Config::parse(&block.text, path) {
                faults.push(format!("{page}:{}: {why}", block.line));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    assert!(n_settings > 8, "{n_settings}");
}
