//! What is said in many plays, held against a file: each play and edition has its part, and
//! editions in which the same is said share one.

use std::collections::BTreeMap;
use std::path::Path;

/// What stands before the name of a play and the editions in which this is said.
const HEAD: &str = "== ";

/// The line of a log without the article, which differs from edition to edition.
pub(crate) fn without_article(line: &str) -> String {
    let Some((before, rest)) = line.split_once('[') else { return line.to_owned() };
    let after = rest.split_once(']').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

/// What was said in each of several plays, edition by edition.
#[derive(Default)]
pub(crate) struct Book(BTreeMap<(String, String), String>);

impl Book {
    pub(crate) fn add(&mut self, name: &str, edition: &str, said: String) {
        self.0.insert((name.to_owned(), edition.to_owned()), said);
    }

    fn parse(text: &str) -> Self {
        let mut book = Self::default();
        for part in text.split(HEAD).skip(1) {
            let (head, said) = part.split_once('\n').expect("a line for the head");
            let mut words = head.split_whitespace();
            let id = words.next().expect("the name of a scenario");
            for edition in words {
                book.0.insert((id.to_owned(), edition.to_owned()), said.to_owned());
            }
        }
        book
    }

    /// One part for all editions in which the same is said.
    fn to_text(&self) -> String {
        let mut ids: BTreeMap<&str, Vec<(&str, Vec<&str>)>> = BTreeMap::new();
        for ((id, edition), said) in &self.0 {
            let parts = ids.entry(id).or_default();
            match parts.iter_mut().find(|(known, _)| known == said) {
                Some((_, editions)) => editions.push(edition),
                None => parts.push((said, vec![edition])),
            }
        }
        let all = ids.iter().flat_map(|(id, parts)| parts.iter().map(move |part| (id, part)));
        all.map(|(id, (said, editions))| format!("{HEAD}{id} {}\n{said}", editions.join(" ")))
            .collect()
    }

    /// What was said otherwise than `file` has it, and where that begins. With `is_all` no part of
    /// the file may be left over; `UPDATE_GOLDEN` writes it anew.
    pub(crate) fn hold(&self, file: &str, is_all: bool) -> Vec<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        if is_all && std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, self.to_text()).expect("the file can be written");
        }
        let known = Self::parse(&std::fs::read_to_string(&path).unwrap_or_default());
        let mut wrong = Vec::new();
        for ((id, edition), said) in &self.0 {
            let wanted = known.0.get(&(id.clone(), edition.clone())).map_or("", String::as_str);
            let (mut a, mut b) = (wanted.lines(), said.lines());
            let differs = std::iter::repeat_with(|| (a.next(), b.next()))
                .find(|(one, other)| one != other || one.is_none())
                .filter(|(one, other)| one != other);
            if let Some((wanted, said)) = differs {
                let (wanted, said) = (wanted.unwrap_or("nothing"), said.unwrap_or("nothing"));
                wrong.push(format!("{id} {edition}: {wanted:?} in {file}, {said:?} said"));
            }
        }
        let is_left = |key: &&(String, String)| is_all && !self.0.contains_key(*key);
        let left = known.0.keys().filter(is_left);
        wrong.extend(left.map(|(id, edition)| format!("{id} {edition}: only in {file}")));
        wrong
    }
}
