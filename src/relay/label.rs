//! What is said of a game in the words and letters of a language, beside its moves.

use crate::game::{Gap, ScoreSheet, Unknown};
use crate::laws::notation::{Language, MateSign, write};
use crate::table::words;
use crate::track::legal;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{EnPassantMode, Move, Square};
use std::fmt::Write as _;

words! {
    /// What is printed beside names and moves. The reasons for which games end are words of the
    /// same file.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum Label {
        /// The kind of paper.
        ScoreSheet = "score sheet",
        /// The event.
        Event = "event",
        /// The place.
        Site = "site",
        /// The day.
        Date = "date",
        /// The round.
        Round = "round",
        /// The table.
        Table = "table",
        /// The first player.
        White = "white",
        /// The second player.
        Black = "black",
        /// Who signs beside the players.
        Arbiter = "arbiter",
        /// The time control.
        TimeControl = "time control",
        /// The result.
        Result = "result",
        /// Between moves of which one was played.
        Or = "or",
        /// The sensors do not tell which of these moves was played.
        Uncertain = "uncertain",
        /// The Laws do not allow the move; it was answered.
        Illegal = "illegal",
        /// Moves that nobody saw.
        NotKnown = "not known",
        /// The game was joined.
        Joined = "joined",
        /// Before the position from which a game goes on.
        From = "from",
        /// What is counted of moves that nobody saw.
        HalfMoves = "half-moves",
        /// The game has no result.
        NoResult = "no result",
    }
}

impl Label {
    /// What is printed in this language.
    ///
    /// ```
    /// use rokade::laws::notation::Language;
    /// use rokade::relay::label::Label;
    /// assert_eq!(Label::White.in_language(Language::Hungarian), "Világos");
    /// ```
    pub fn in_language(self, language: Language) -> &'static str {
        in_language(self.word(), language)
    }
}

/// The word of the file in this language; as it stands, if it is not in the file.
pub(super) fn in_language(word: &'static str, language: Language) -> &'static str {
    let mut rows = include_str!("paper.csv").lines().map(|row| row.split(';'));
    let codes = rows.next().into_iter().flatten();
    let column = codes.into_iter().position(|code| code == language.word());
    let mut row = rows.find(|row| row.clone().next() == Some(word));
    let cell = row.as_mut().zip(column).and_then(|(row, column)| row.nth(column));
    cell.unwrap_or(word)
}

/// The half-move `idx`, counted from 0, as a score sheet of this language has it. A move that the
/// Laws do not allow is written with the squares from and to.
pub fn written(sheet: &ScoreSheet, idx: usize, language: Language) -> String {
    let scored = &sheet.moves()[idx];
    if !scored.is_illegal {
        return write(sheet.position(idx), scored.m, language, MateSign::Hash);
    }
    match scored.m {
        Move::Normal { role, from, to, capture, promotion } => {
            let mut text: String = language.letter(role).into_iter().collect();
            let mark = if capture.is_some() { "x" } else { "-" };
            write!(text, "{from}{mark}{to}").expect("writing to a string cannot fail");
            text.extend(promotion.and_then(|role| language.letter(role)));
            text
        }
        m => format!("{}-{}", m.from().map_or(String::new(), |sq: Square| sq.to_string()), m.to()),
    }
}

/// What else half-move `idx` may have been, as `or Nh3`.
pub(super) fn others(sheet: &ScoreSheet, idx: usize, language: Language) -> String {
    let (scored, before) = (&sheet.moves()[idx], sheet.position(idx));
    let or = Label::Or.in_language(language);
    let of = |uci: &UciMove| match legal::read(uci, before) {
        Ok(m) => format!("{or} {}", write(before, m, language, MateSign::Hash)),
        Err(_) => format!("{or} {uci}"),
    };
    scored.alternatives.iter().map(of).collect::<Vec<_>>().join(" ")
}

/// What is said where moves are missing.
pub(super) fn gap_line(sheet: &ScoreSheet, gap: &Gap, language: Language) -> String {
    let n = match gap.n {
        Unknown { at_least: 0, at_most: None } => "?".to_owned(),
        Unknown { at_least, at_most: None } => format!("≥ {at_least}"),
        Unknown { at_least, at_most: Some(most) } if at_least == most => most.to_string(),
        Unknown { at_least, at_most: Some(most) } => format!("{at_least}–{most}"),
    };
    let [half_moves, not_known, from] =
        [Label::HalfMoves, Label::NotKnown, Label::From].map(|label| label.in_language(language));
    if sheet.is_open_end(gap) {
        return format!("{half_moves}: {n}, {not_known}");
    }
    let fen = Fen::from_position(sheet.position(gap.ply), EnPassantMode::Legal);
    format!("{half_moves}: {n}, {not_known}; {from} {fen}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Reason;

    #[test]
    fn every_word_is_there_in_every_language() {
        let labels = Label::ALL.map(Label::word);
        let reasons = Reason::ALL.map(Reason::word);
        let words: Vec<_> = labels.into_iter().chain(reasons).collect();
        let rows: Vec<Vec<_>> =
            include_str!("paper.csv").lines().skip(1).map(|it| it.split(';').collect()).collect();
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), words);
        for row in rows {
            assert_eq!(row.len(), 1 + Language::ALL.len(), "{row:?}");
            assert!(row.iter().all(|cell| !cell.trim().is_empty()), "{row:?}");
        }
    }
}
