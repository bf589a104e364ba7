//! Every provision of the Laws as a row: its article in each edition, and how the program applies
//! it.
//!
//! The rows stand in `rows.csv`. The texts are ours; for the wording of the Laws see FIDE's own
//! text. Rows beginning with `LK` come from the commentary that is printed with the Norwegian
//! edition of 2009, those with `LR` from rulings of the Danish chess tribunal; neither is law.

use super::edition::Edition;
use super::name::nearest;
use crate::table::{Word, words};
use std::error::Error;
use std::fmt;
use std::sync::LazyLock;

/// How many near rows are named for one that is not there.
const NEAREST_MAX: usize = 5;
/// The longest query that is looked at, in characters.
const QUERY_MAX: usize = 40;
/// The columns with articles, one for each edition.
const N_EDITIONS: usize = Edition::ALL.len();

static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| include_str!("rows.csv").lines().skip(1).map(Row::read).collect());

/// What a provision is to a program that sees a board and a clock.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Board or clock show it. `O` in the file.
    Observable,
    /// Only people can know it: it is entered by the arbiter or a player. `A`.
    Entered,
    /// It is arranged before the game. `C`.
    Configured,
    /// It is about paper, conduct or words. `X`.
    Outside,
}

impl Class {
    const fn of(letter: char) -> Option<Self> {
        match letter {
            'O' => Some(Self::Observable),
            'A' => Some(Self::Entered),
            'C' => Some(Self::Configured),
            'X' => Some(Self::Outside),
            _ => None,
        }
    }
}

words! {
    /// What the program does about it.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Part {
        /// It acts by itself.
        Automatic = "automatic",
        /// It has its chess from a library, shakmaty, which keeps it.
        Library = "library",
        /// It proposes, and the arbiter confirms.
        Proposed = "proposed",
        /// It keeps what the arbiter or a player enters.
        Arbiters = "arbiter",
        /// It follows a setting.
        Setting = "setting",
        /// Nothing of it can be seen by the program.
        Nothing = "none",
    }
}

impl Part {
    /// A few words for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Library => "automatic, by the library for chess, shakmaty",
            Self::Proposed => "proposed by the program, confirmed by the arbiter",
            Self::Arbiters => "entered by the arbiter or a player",
            Self::Setting => "a setting before the game",
            Self::Nothing => "outside of what the program does",
        }
    }
}

/// One provision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name, which is the same in all editions.
    pub id: &'static str,
    /// Articles by edition, in the order of [`Edition::ALL`]; empty where the edition has none.
    articles: [&'static str; N_EDITIONS],
    /// What it is to the program; at least one.
    pub classes: Vec<Class>,
    /// What the program does about it.
    pub part: Part,
    /// Codes of the log that belong to it, possibly none.
    pub codes: Vec<&'static str>,
    /// How the program applies it: one sentence.
    pub applies: &'static str,
    /// How editions differ; `None` if they do not.
    pub differs: Option<&'static str>,
}

impl Row {
    fn read(line: &'static str) -> Self {
        let mut columns = line.split(';');
        let mut next = || columns.next().expect("a row of all columns");
        let (id, articles) = (next(), std::array::from_fn(|_| next()));
        let [class, part, codes, applies, differs] = std::array::from_fn(|_| next());
        assert_eq!(columns.next(), None, "a row of no other columns");
        Self {
            id,
            articles,
            classes: class.chars().map(|c| Class::of(c).expect("a class of the file")).collect(),
            part: Part::parse(part).expect("a part of the file"),
            codes: codes.split_whitespace().collect(),
            applies,
            differs: (!differs.is_empty()).then_some(differs),
        }
    }

    /// Its article in an edition, several separated by a comma; `None` if the edition has none.
    pub fn article(&self, edition: Edition) -> Option<&'static str> {
        let idx = Edition::ALL.into_iter().position(|known| known == edition);
        let article = idx.map_or("", |idx| self.articles[idx]);
        (!article.is_empty()).then_some(article)
    }

    /// Whether one of its articles in this edition is `article`, or lies within it: 9.2 has 9.2a.
    pub fn is_within(&self, edition: Edition, article: &str) -> bool {
        let wanted = plain(article);
        !wanted.is_empty()
            && self.article(edition).is_some_and(|articles| {
                articles.split(", ").any(|own| lies_in(&plain(own), &wanted))
            })
    }

    /// How a text of this edition cites it: `Art. 9.2a, Laws of 2009 (Denmark)`.
    ///
    /// ```
    /// use rokade::laws::{Edition, rows};
    /// let row = rows::row("L9.2b")?;
    /// assert_eq!(row.cite(Edition::M2023).as_deref(), Some("Art. 9.2.2, Laws of 2023"));
    /// # Ok::<(), rows::UnknownRow>(())
    /// ```
    pub fn cite(&self, edition: Edition) -> Option<String> {
        let article = self.article(edition)?;
        let is_numbered = article.contains(|c: char| c.is_ascii_digit());
        let is_article = is_numbered && !article.starts_with("ruling");
        let prefix = if is_article && !article.starts_with("Guidelines") { "Art. " } else { "" };
        Some(format!("{prefix}{article}, {}", edition.title()))
    }
}

/// Every row, in the order of the Laws of 2009; then what is only in later editions, the commentary
/// and the rulings.
pub fn all() -> &'static [Row] {
    &ROWS
}

/// The row with this id, whatever the case of its letters.
///
/// # Errors
/// There is none; the error names those whose ids resemble it.
pub fn row(id: &str) -> Result<&'static Row, UnknownRow> {
    let wanted = id.trim();
    let found = ROWS.iter().find(|row| row.id.eq_ignore_ascii_case(wanted));
    found.ok_or_else(|| UnknownRow::new(wanted, None))
}

/// The rows of an article in an edition, smaller divisions included, in the order of [`all`].
///
/// Spaces and brackets do not matter: `9.1 (a)` is `9.1a`.
///
/// ```
/// use rokade::laws::{Edition, rows};
/// let ids = |edition| -> Result<Vec<_>, _> {
///     Ok::<_, rows::UnknownRow>(rows::of("9.6", edition)?.iter().map(|row| row.id).collect())
/// };
/// assert_eq!(ids(Edition::Dk2009)?, ["L9.6"]);
/// assert_eq!(ids(Edition::M2023)?, ["LM9.6.1", "LM9.6.2"]);
/// # Ok::<(), rows::UnknownRow>(())
/// ```
///
/// # Errors
/// The edition has no such article; the error names the nearest.
pub fn of(article: &str, edition: Edition) -> Result<Vec<&'static Row>, UnknownRow> {
    let found: Vec<_> = ROWS.iter().filter(|row| row.is_within(edition, article)).collect();
    if found.is_empty() { Err(UnknownRow::new(article, Some(edition))) } else { Ok(found) }
}

/// The rows that a person means by `query`: the row with this id, or those of the article.
///
/// # Errors
/// Neither is there; the error names what is nearest.
pub fn find(query: &str, edition: Edition) -> Result<Vec<&'static Row>, UnknownRow> {
    match row(query) {
        Ok(row) => Ok(vec![row]),
        Err(_) => of(query, edition),
    }
}

/// No row and no article has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRow {
    /// What was asked for, cut to 40 characters.
    pub query: String,
    /// The edition whose articles were looked through, if any was.
    pub edition: Option<Edition>,
    /// Rows and articles that resemble it, the nearest first.
    pub nearest: Vec<&'static str>,
}

impl UnknownRow {
    fn new(query: &str, edition: Option<Edition>) -> Self {
        let query: String = query.trim().chars().take(QUERY_MAX).collect();
        let articles = edition.into_iter().flat_map(|edition| {
            let rows = ROWS.iter().filter_map(move |row| row.article(edition));
            rows.flat_map(|articles| articles.split(", "))
        });
        let mut found = nearest(&query, articles.chain(ROWS.iter().map(|row| row.id)));
        let mut seen = Vec::new();
        found.retain(|name| {
            let is_new = !seen.contains(name);
            seen.push(*name);
            is_new
        });
        found.truncate(NEAREST_MAX);
        Self { query, edition, nearest: found }
    }
}

impl fmt::Display for UnknownRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no row {:?}", self.query)?;
        if let Some(edition) = self.edition {
            write!(f, ", and no such article in the {}", edition.title())?;
        }
        match self.nearest.split_last() {
            None if self.query.parse::<Edition>().is_ok() => {
                f.write_str("; an edition is named by --edition")
            }
            None => f.write_str("; rows are named as L9.2a is, articles as 9.2"),
            Some((only, [])) => write!(f, "; the nearest is {only}"),
            Some((last, rest)) => write!(f, "; the nearest are {} and {last}", rest.join(", ")),
        }
    }
}

impl Error for UnknownRow {}

/// An article's number without what prints set differently: case, spaces and brackets, the dot
/// behind an appendix' letter.
fn plain(article: &str) -> String {
    let mut out = String::new();
    for c in article.chars().take(QUERY_MAX).flat_map(char::to_lowercase) {
        let is_behind_letter = out.len() == 1 && out.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_set_apart = " ()[]".contains(c) || (c == '.' && is_behind_letter);
        if !is_set_apart {
            out.push(c);
        }
    }
    out
}

/// Whether `own` is `wanted` or a division of it, both plain: a number is not cut in two, and
/// neither is a word.
fn lies_in(own: &str, wanted: &str) -> bool {
    let Some(rest) = own.strip_prefix(wanted) else { return false };
    let (Some(last), Some(next)) = (wanted.chars().last(), rest.chars().next()) else {
        return rest.is_empty();
    };
    let is_cut_number = last.is_ascii_digit() && next.is_ascii_digit();
    let is_cut_word = last.is_alphabetic() && next.is_alphabetic();
    !is_cut_number && !is_cut_word
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_whole() {
        assert_eq!(all().len(), 389);
        let ids: BTreeSet<_> = all().iter().map(|row| row.id.to_lowercase()).collect();
        assert_eq!(ids.len(), 389, "ids are unique");
        for row in all() {
            let id = row.id;
            assert!(!row.classes.is_empty(), "{id}");
            assert!(row.applies.ends_with('.') && row.applies.len() < 160, "{id}");
            assert!(row.differs.is_none_or(|text| text.ends_with('.')), "{id}");
            let is_cited = Edition::ALL.into_iter().any(|edition| row.article(edition).is_some());
            assert!(is_cited, "{id} is an article somewhere");
            let is_code = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            assert!(row.codes.iter().all(|code| code.chars().all(is_code)), "{id}");
            assert_eq!(row.part == Part::Nothing, row.classes[0] == Class::Outside, "{id}");
        }
    }

    #[test]
    fn every_row_is_found_by_its_id_and_by_its_articles() {
        for row in all() {
            assert_eq!(super::row(&row.id.to_lowercase()), Ok(row));
            for edition in Edition::ALL {
                for article in row.article(edition).into_iter().flat_map(|list| list.split(", ")) {
                    let found = of(article, edition).unwrap_or_else(|e| panic!("{e}"));
                    assert!(found.contains(&row), "{} by {article} in {edition}", row.id);
                }
            }
        }
    }

    #[test]
    fn modern_editions_have_modern_numbers() {
        for row in all() {
            for edition in Edition::ALL.into_iter().filter(|edition| edition.is_modern()) {
                for article in row.article(edition).into_iter().flat_map(|list| list.split(", ")) {
                    let is_old = article.contains(['(', '['])
                        || article.ends_with(|c: char| {
                            c.is_ascii_lowercase()
                                && article.starts_with(|c: char| c.is_ascii_digit())
                        });
                    assert!(!is_old, "{}: {article} in {edition}", row.id);
                }
            }
        }
    }

    #[test]
    fn numbers_are_not_cut_in_two() {
        let ids = |article: &str, edition| -> Vec<_> {
            of(article, edition).map_or(Vec::new(), |rows| rows.iter().map(|row| row.id).collect())
        };
        assert!(!ids("6.1", Edition::Dk2009).contains(&"L6.10a"));
        assert!(ids("6.10", Edition::Dk2009).contains(&"L6.10a"));
        assert!(!ids("I", Edition::M2023).contains(&"LF1"));
        assert_eq!(ids("9.1 (A)", Edition::Hu2005), ["L9.1b1a"]);
        assert_eq!(ids("a5.5", Edition::M2023), ["LA4d1", "LM.A.5.5"]);
    }

    #[test]
    fn what_is_not_there_is_answered_with_the_nearest() {
        let error = find("7.4c", Edition::Dk2009).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no row \"7.4c\", and no such article in the Laws of 2009 (Denmark); \
             the nearest are 7.4a, 7.4b, 4.4c, 7.1a and 7.1b"
        );
        assert_eq!(row("L9.2").unwrap_err().nearest[0], "L9.2a");
        let edition = row("m2018").unwrap_err().to_string();
        assert!(edition.ends_with("; an edition is named by --edition"), "{edition}");
        assert!(row("touch").unwrap_err().to_string().ends_with("articles as 9.2"));
        let long = find(&"9".repeat(100_000), Edition::M2023).unwrap_err();
        assert_eq!(long.query.len(), QUERY_MAX);
    }
}
