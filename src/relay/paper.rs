//! The score sheet as it is printed: all that stands on it, in the words and letters of a language.

use super::label::{Label, gap_line, in_language, others, written};
use super::log::hms;
use super::whole::WholeGame;
use super::words::plain;
use crate::laws::notation::Language;
use shakmaty::fen::Fen;
use shakmaty::{ByColor, EnPassantMode, Position};

/// A score sheet as it is printed. Texts have no characters that steer anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScorePaper {
    /// In this language.
    pub language: Language,
    /// What is known of event, round and place, each with its label.
    pub heads: Vec<(Label, String)>,
    /// Who plays: title, name, rating, federation; empty for unknown.
    pub players: ByColor<String>,
    /// The moves.
    pub lines: Vec<PaperLine>,
    /// What is to be said of moves that have a mark.
    pub notes: Vec<String>,
    /// The result, and why.
    pub result: String,
}

/// A line of the moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaperLine {
    /// A move of both.
    Moves {
        /// Its number.
        number: u32,
        /// The half-move of each; `None` where there is none.
        of: ByColor<Option<PaperMove>>,
    },
    /// What is to be said between moves.
    Between(String),
}

/// A half-move on paper.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaperMove {
    /// In the language's notation, with `(=)` behind it for an offer of a draw and `*` for a note.
    pub text: String,
    /// What the mover's clock showed at the press, as `1:29:58`; empty for unknown.
    pub clock: String,
}

impl ScorePaper {
    /// The score sheet of `game`.
    pub fn new(game: &WholeGame<'_>, language: Language) -> Self {
        let mut paper = Self {
            language,
            heads: heads(game),
            players: players(game),
            lines: Vec::new(),
            notes: Vec::new(),
            result: match game.ending {
                Some(ending) => format!(
                    "{} ({})",
                    ending.outcome.as_str(),
                    in_language(ending.reason.word(), language)
                ),
                None => Label::NoResult.in_language(language).to_owned(),
            },
        };
        let start = Fen::from_position(game.sheet.start(), EnPassantMode::Legal);
        if game.sheet.is_joined() {
            let joined = Label::Joined.in_language(language);
            paper.lines.push(PaperLine::Between(format!("{joined}: {start}")));
        } else if *game.sheet.start() != shakmaty::Chess::new() {
            let from = Label::From.in_language(language);
            paper.lines.push(PaperLine::Between(format!("{from} {start}")));
        }
        for idx in 0..=game.sheet.len() {
            if let Some(gap) = game.sheet.gaps().iter().find(|gap| gap.ply == idx) {
                let said = gap_line(game.sheet, gap, language);
                paper.lines.push(PaperLine::Between(format!("({said})")));
            }
            if idx < game.sheet.len() {
                paper.inscribe(game, idx);
            }
        }
        paper
    }

    fn inscribe(&mut self, game: &WholeGame<'_>, idx: usize) {
        let (scored, before) = (&game.sheet.moves()[idx], game.sheet.position(idx));
        let (number, turn) = (before.fullmoves().get(), before.turn());
        let mut text = written(game.sheet, idx, self.language);
        let named = format!("{number}.{}{text}", if turn.is_white() { " " } else { ".. " });
        let said = |label: Label| label.in_language(self.language);
        if scored.is_illegal {
            self.notes.push(format!("* {named}: {}", said(Label::Illegal)));
        } else if scored.is_uncertain() {
            let others = others(game.sheet, idx, self.language);
            self.notes.push(format!("* {named} {others}: {}", said(Label::Uncertain)));
        }
        if game.offers.contains(&(idx + 1)) {
            text.push_str(" (=)");
        }
        if scored.is_illegal || scored.is_uncertain() {
            text.push('*');
        }
        let clock = scored.completed.and_then(|done| done.times);
        let clock = clock.map_or_else(String::new, |times| hms(*times.get(turn)));
        let half = Some(PaperMove { text, clock });
        if turn.is_black()
            && let Some(PaperLine::Moves { number: of_white, of }) = self.lines.last_mut()
            && *of_white == number
            && of.black.is_none()
        {
            of.black = half;
        } else {
            let mut of = ByColor { white: None, black: None };
            *of.get_mut(turn) = half;
            self.lines.push(PaperLine::Moves { number, of });
        }
    }

    /// The score sheet as plain text, a move on each line.
    pub fn to_text(&self) -> String {
        let said = |label: Label| label.in_language(self.language);
        let mut text = format!("{}\n\n", said(Label::ScoreSheet));
        let ByColor { white, black } = &self.players;
        let players = [(Label::White, white), (Label::Black, black)];
        let heads = self.heads.iter().map(|(label, value)| (*label, value)).chain(players);
        let heads: Vec<_> = heads.chain([(Label::Result, &self.result)]).collect();
        let widest = heads.iter().map(|(label, _)| said(*label).chars().count()).max();
        let widest = widest.unwrap_or_default();
        for (label, value) in heads {
            row(&mut text, &format!("{:widest$}  {value}", said(label)));
        }
        text.push('\n');
        let width = self.widths();
        let cell = |half: &Option<PaperMove>| {
            let PaperMove { text, clock } = half.clone().unwrap_or_default();
            format!("{text:width$}  {clock:>7}")
        };
        for line in &self.lines {
            match line {
                PaperLine::Moves { number, of } => {
                    let (white, black) = (cell(&of.white), cell(&of.black));
                    row(&mut text, &format!("{number:>3}.  {white}   {black}"));
                }
                PaperLine::Between(said) => row(&mut text, &format!("      {said}")),
            }
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        self.notes.iter().for_each(|note| row(&mut text, note));
        text.push_str("\n\n");
        text
    }

    /// How many characters the longest half-move has.
    fn widths(&self) -> usize {
        let halves = self.lines.iter().flat_map(|line| match line {
            PaperLine::Moves { of, .. } => [of.white.as_ref(), of.black.as_ref()],
            PaperLine::Between(_) => [None, None],
        });
        halves.flatten().map(|half| half.text.chars().count()).max().unwrap_or_default()
    }
}

/// Writes a line without blanks at its end.
fn row(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

fn heads(game: &WholeGame<'_>) -> Vec<(Label, String)> {
    let tags = game.tags;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let split = tags.round.split_once('.');
    let (round, table) = split
        .filter(|(round, table)| is_number(round) && is_number(table))
        .unwrap_or((&tags.round, ""));
    let control = tags.time_control.as_ref().map_or_else(String::new, ToString::to_string);
    let heads = [
        (Label::Event, &*tags.event),
        (Label::Site, &*tags.site),
        (Label::Date, &*tags.date.replace('.', "-")),
        (Label::Round, round),
        (Label::Table, table),
        (Label::TimeControl, &*control),
    ]
    .map(|(label, text)| (label, plain(text).into_owned()));
    heads.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

fn players(game: &WholeGame<'_>) -> ByColor<String> {
    let names = ByColor { white: &game.tags.white, black: &game.tags.black };
    let listed = game.tags.players.as_deref();
    ByColor::new_with(|color| {
        let text = match listed.map(|players| players.get(color)) {
            Some(player) if player.federation.is_empty() => player.to_string(),
            Some(player) => format!("{player} {}", player.federation),
            None => (*names.get(color)).clone(),
        };
        plain(&text).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{ScoreSheet, Unknown};
    use crate::laws::{Ending, Reason};
    use crate::relay::pgn::Tags;
    use crate::time::Mono;
    use crate::track::line::CompletedBy;
    use shakmaty::uci::UciMove;
    use shakmaty::{CastlingMode, Chess, KnownOutcome};
    use std::time::Duration;

    fn legal_move(sheet: &mut ScoreSheet, uci: &str, others: &[&str]) {
        let m = uci.parse::<UciMove>().unwrap().to_move(sheet.last()).unwrap();
        sheet.push(m, others.iter().map(|uci| uci.parse().unwrap()).collect());
    }

    /// A game with all that a score sheet may have to say.
    fn eventful() -> ScoreSheet {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        legal_move(&mut sheet, "g1f3", &["g1h3"]);
        let times =
            ByColor { white: Duration::from_secs(5_395), black: Duration::from_secs(5_400) };
        sheet.complete(1, Mono::default(), CompletedBy::Press, Some(times));
        legal_move(&mut sheet, "e7e5", &[]);
        let illegal = sheet.illegal_move(&"h1g3".parse().unwrap()).unwrap();
        sheet.push_illegal(illegal);
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/8/5NR1/PPPPPPP1/RNBQKB2 w Qkq - 0 4";
        let adopted: Chess =
            fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        sheet.open_gap(adopted, Unknown::at_least(1));
        legal_move(&mut sheet, "f3e5", &[]);
        sheet
    }

    #[test]
    fn a_score_sheet_says_what_is_not_certain() {
        let sheet = eventful();
        let game = WholeGame {
            tags: &Tags {
                event: "Open".to_owned(),
                date: "2026.11.24".to_owned(),
                round: "3.12".to_owned(),
                white: "Ann".to_owned(),
                black: "Ben\u{202e}".to_owned(),
                ..Tags::default()
            },
            sheet: &sheet,
            ending: Some(Ending { outcome: KnownOutcome::Draw, reason: Reason::Agreement }),
            offers: &[2],
        };
        let german = "\
Partieformular

Turnier   Open
Datum     2026-11-24
Runde     3
Brett     12
Weiß      Ann
Schwarz   Ben\\u{202e}
Ergebnis  1/2-1/2 (Vereinbarung)

  1.  Sf3*     1:29:55   e5 (=)
  2.  Th1-g3*
      (Halbzüge: ≥ 1, unbekannt; ab r1bqkbnr/pppp1ppp/2n5/4p3/8/5NR1/PPPPPPP1/RNBQKB2 w Qkq - 0 4)
  4.  Sxe5

* 1. Sf3 oder Sh3: unsicher
* 2. Th1-g3: regelwidrig, und beantwortet


";
        assert_eq!(ScorePaper::new(&game, Language::German).to_text(), german);
        let hungarian = ScorePaper::new(&game, Language::Hungarian).to_text();
        assert!(hungarian.contains("  1.  Hf3* ") && hungarian.contains("  4.  Hxe5\n"));
    }

    #[test]
    fn a_game_that_has_not_begun_is_a_sheet_without_moves() {
        let sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        let game = WholeGame { tags: &Tags::default(), sheet: &sheet, ending: None, offers: &[] };
        let paper = ScorePaper::new(&game, Language::English);
        assert!(paper.lines.is_empty() && paper.notes.is_empty());
        assert_eq!(paper.result, "no result");
    }
}
