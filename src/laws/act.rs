//! The words with which a person enters what the arbiter orders and what the players say: parsing,
//! and one example for each.
//!
//! An arbiter's order is written as it is ([`Order`]). What a player says begins with
//! `white` or `black`, and what both sign with `both`; no order begins so.

use super::declaration::Declaration;
use super::name::UnknownName;
use super::order::Order;
use super::score::Score;
use crate::table::written;
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use std::fmt;

/// The longest text that is read, in characters.
pub const TEXT_MAX: usize = 400;
/// The longest name.
pub const NAME_MAX: usize = 100;
/// The longest reason.
pub const REASON_MAX: usize = 200;

/// Words that are no act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActError {
    /// An unknown word, with the nearest that is known.
    Unknown(UnknownName),
    /// It was said, but not by whom.
    Whose(String),
    /// Nothing was said.
    Empty,
    /// A text is too long, or has characters that would break a line of the log.
    Unfit(&'static str),
}

impl fmt::Display for ActError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Whose(text) => {
                write!(f, "who says that? Write \"white {text}\" or \"black {text}\"")
            }
            Self::Empty => f.write_str("no order was given; the list has one on each line"),
            Self::Unfit(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ActError {}

impl From<UnknownName> for ActError {
    fn from(unknown: UnknownName) -> Self {
        Self::Unknown(unknown)
    }
}

/// What people at the table do and say, beside moving pieces and pressing the clock: as it is
/// entered, as the referee is told of it, and as it is written on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Act {
    /// A player declares something.
    Declared {
        /// The player who speaks.
        #[serde(with = "written::word")]
        by: Color,
        /// The declaration.
        #[serde(with = "written::text")]
        said: Declaration,
    },
    /// Both players sign a score.
    Signed {
        /// The score that is signed.
        #[serde(with = "written::text")]
        score: Score,
    },
    /// A move is announced aloud, in blind play. 2009: Art. E2.1.
    Announced {
        /// The player who announces it.
        #[serde(with = "written::word")]
        by: Color,
        /// The announcement, word by word.
        words: String,
    },
    /// A move is written for the envelope, or read from it.
    Sealed {
        /// The player who seals it.
        #[serde(with = "written::word")]
        by: Color,
        /// The move as it is written; on record empty as long as the envelope is closed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// The arbiter orders something.
    Ordered {
        /// The order.
        #[serde(with = "written::text")]
        order: Order,
        /// The person who gives the order.
        author: String,
        /// The reason that is given with it; may be empty.
        reason: String,
    },
    /// A player stops both sides of the clock.
    Stopped {
        /// The player who stops the clock.
        #[serde(with = "written::word")]
        by: Color,
    },
    /// The announced start is reached; the clocks are not started.
    Scheduled,
}

impl Act {
    /// The same without what was sealed: that is in the envelope and nowhere else.
    pub fn unread(mut self) -> Self {
        if let Self::Sealed { text, .. } = &mut self {
            text.clear();
        }
        self
    }

    /// The note that takes its place on record when it is refused.
    pub fn refused(&self, why: &str) -> Self {
        let (author, reason) = match self {
            Self::Ordered { author, reason, .. } => (author.clone(), reason.clone()),
            _ => (String::new(), String::new()),
        };
        let words = match self {
            Self::Ordered { order, .. } => order.to_string(),
            Self::Declared { by, said } => format!("{by} {said}"),
            Self::Signed { score } => format!("both sign {score}"),
            Self::Announced { by, .. } => format!("{by} announce"),
            Self::Sealed { by, .. } => format!("{by} sealed"),
            Self::Stopped { by } => format!("{by} stop"),
            Self::Scheduled => "scheduled".to_owned(),
        };
        let order = Order::Note(format!("\"{}\" is refused: {why}", words.trim_end()));
        Self::Ordered { order, author, reason }
    }
}

impl Act {
    /// Reads what a person enters. `author` and `reason` are kept with an order.
    ///
    /// ```
    /// use rokade::laws::Act;
    /// use shakmaty::Color;
    /// let said = Act::read("black resign", "arbiter", "")?;
    /// assert!(matches!(said, Act::Declared { by: Color::Black, .. }));
    /// assert!(matches!(Act::read("confirm", "arbiter", "")?, Act::Ordered { .. }));
    /// let why = Act::read("resign", "arbiter", "").unwrap_err();
    /// assert!(why.to_string().starts_with("who says that? Write \"white resign\""));
    /// # Ok::<(), rokade::laws::act::ActError>(())
    /// ```
    ///
    /// # Errors
    /// The words are unknown or unfit for a line of the log.
    pub fn read(text: &str, author: &str, reason: &str) -> Result<Self, ActError> {
        for (text, max) in [(text, TEXT_MAX), (author, NAME_MAX), (reason, REASON_MAX)] {
            if text.chars().count() > max {
                return Err(ActError::Unfit("too long: 400 characters, 200 of them for a reason"));
            }
            if text.chars().any(char::is_control) {
                return Err(ActError::Unfit("a character that does not belong in a line of text"));
            }
        }
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match first {
            "" => Err(ActError::Empty),
            "white" => said_by(Color::White, rest.trim()),
            "black" => said_by(Color::Black, rest.trim()),
            "both" => match rest.trim().split_once(char::is_whitespace) {
                Some(("sign", score)) => Ok(Self::Signed { score: score.trim().parse()? }),
                Some((verb, _)) => Err(UnknownName::new("word for both", verb, &["sign"]).into()),
                None => Err(UnknownName::new("word for both", rest.trim(), &["sign"]).into()),
            },
            "scheduled" => Ok(Self::Scheduled),
            _ => match text.parse() {
                Ok(order) => {
                    let (author, reason) = (author.trim().to_owned(), reason.trim().to_owned());
                    Ok(Self::Ordered { order, author, reason })
                }
                Err(_) if said_by(Color::White, text).is_ok() => {
                    Err(ActError::Whose(text.to_owned()))
                }
                Err(unknown) => Err(unknown.into()),
            },
        }
    }
}

/// What a player says or does.
fn said_by(by: Color, text: &str) -> Result<Act, ActError> {
    let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let worded =
        |what| if rest.is_empty() { Err(ActError::Unfit(what)) } else { Ok(rest.to_owned()) };
    match verb {
        "stop" if rest.is_empty() => Ok(Act::Stopped { by }),
        "announce" => worded("announce what?").map(|words| Act::Announced { by, words }),
        "sealed" => worded("which move? \"white sealed -\" asks for it without showing it")
            .map(|text| Act::Sealed { by, text }),
        _ => Ok(Act::Declared { by, said: text.parse()? }),
    }
}

/// One kind of act, for the help.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// What can be entered, as it is written.
    pub example: &'static str,
    /// What it does.
    pub does: &'static str,
}

/// A chapter of the help.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// What its lessons have in common.
    pub title: &'static str,
    /// The lessons, in the order in which they are taught.
    pub lessons: &'static [Lesson],
}

macro_rules! chapters {
    ($($title:literal { $($example:literal: $does:literal,)* })*) => {
        &[$(Chapter {
            title: $title,
            lessons: &[$(Lesson { example: $example, does: $does },)*],
        },)*]
    };
}

/// Everything that can be entered, each with an example that can be entered as it stands.
pub const CHAPTERS: &[Chapter] = chapters! {
    "What is proposed or claimed (see --open)" {
        "confirm": "accept the proposal, or what the record says about the claim",
        "confirm 3": "accept matter 3; if several are open, name one",
        "dismiss": "reject it",
        "dismiss 3": "reject matter 3",
        "rule draw": "decide a claim: draw, postpone, reject, grant or loss",
        "rule postpone 0": "the same, without two more minutes for the opponent",
        "continue": "play goes on: withdraw a result; only an illegal move still waits",
        "continue provisional": "play goes on until the matter is settled",
        "basis display_only": "what a claim rests on",
        "settle 12 e7e8r": "half-move 12 was this move, where the sensors left a choice",
    }
    "The record (needs no referee)" {
        "replace 12 g8f6": "half-move 12 was this move, whatever the sensors say",
        "insert 13 f3e5 c6e5": "these moves were played before half-move 13, or at the end",
        "remove 13 2": "half-moves 13 and 14 were not played; later ones stay",
        "adopt": "the board is right: the record goes on from its position",
        "adopt black": "the same, with Black to move",
        "position 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1": "the game is played from this position",
        "position white": "the game is played from the position on the board, White to move",
    }
    "The clock" {
        "start": "the game begins from the start position; start White's clock",
        "pause": "stop both clocks",
        "resume white": "start this side's clock",
        "set_time both 5400": "seconds, or a time such as 1:30:00; white, black or both",
        "add_time black 120": "give time",
        "sub_time white 60": "take time",
        "set_moves 12": "each player has completed so many moves",
        "renumber 41": "the next move has this number",
        "flag white": "you saw this player's flag down",
        "clock_defect": "the clock is defective",
    }
    "The board" {
        "restored": "the pieces are where they must be",
        "restore last_identifiable": "name the last position that is known square by square",
        "restore agreed_ply 24": "go back to this half-move, up to which both records agree",
        "displaced": "what looks like a move was none: pieces were displaced",
        "touched_by white": "this player touched what was touched last",
        "colours_reversed": "the players have each other's pieces",
        "board_turned": "the board lies the wrong way",
        "position_lost": "the position cannot be established",
        "sensor_gap 20": "the sensors saw nothing for so many seconds; nobody is blamed",
        "agreed_correction": "both players agree to correct what could not be corrected",
        "assistant white": "this player gets an assistant",
    }
    "Penalties and results" {
        "penalise white warning": "a penalty other than time, points or the game",
        "points black -1/2": "change a score",
        "two_hands white": "a move was made with two hands",
        "device black": "an electronic device",
        "no_reason white": "the clocks were stopped for no valid reason",
        "result 1-0 default": "a result and the reason; it replaces any earlier one",
        "result last 1-0": "the result of the last game, if the next is already paired",
        "result next 1-0 default": "the result of the next game, whose players did not come",
        "sheets_ok": "the score sheets are complete",
    }
    "Adjournment" {
        "seal white": "this player is to seal his move",
        "open_envelope": "the envelope is opened; the opponent must be there (black arrive)",
        "envelope_checked": "the envelope was checked",
        "envelope_missing": "the envelope cannot be found",
    }
    "Papers" {
        "snapshot": "write down position, times, side to move and move count",
        "export record": "make a paper",
        "set_profile m2023": "use another edition of the Laws, before play begins",
        "scheduled": "the announced start time is reached; who is absent is late",
        "note told by a spectator": "a note",
        "other the board was exchanged": "a ruling that has no order of its own",
    }
    "What players say; each begins with white or black" {
        "white adjust": "\"I adjust\"",
        "white offer_draw": "offers a draw",
        "black accept_draw": "accepts it",
        "black decline_draw": "declines it",
        "white withdraw_offer": "wants to take it back",
        "black resign": "resigns",
        "white arrive": "has come to the board",
        "white stop": "stops both clocks",
        "white promote N": "what a pawn becomes, where the sensors cannot tell",
        "white announce_castling": "\"I am about to castle\", in Chess960",
        "white request_increment": "asks for five seconds a move (Guideline III.4)",
        "black protest": "protests against a ruling or result",
        "both sign 1-0": "both sign this score",
    }
    "What players claim" {
        "black claim threefold": "the position stands for the third time",
        "black claim threefold Ng8": "it will, after this move",
        "white claim fifty": "fifty moves; a move may be named as well",
        "white claim time": "the opponent's flag is down",
        "black claim illegal": "the opponent's move was illegal",
        "black claim touch": "the opponent must move what he touched",
        "white claim quickplay cannot_win": "no way, or no_effort, to win in the last two minutes",
        "white claim setup": "the pieces were set up wrongly",
        "white claim defect": "the clock is defective",
        "white claim clock_wrong": "the clock was set wrongly",
        "white withdraw_claim": "wants to take a claim back",
    }
    "Blind play and sealed moves" {
        "white announce knight f three": "a move is announced aloud",
        "white ask_status": "asks for moves and times",
        "white adjourn": "adjourns before the sitting ends",
        "white sealed Bc4": "writes a move for the envelope; - asks for it. Then \"white stop\"",
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    fn lessons() -> impl Iterator<Item = &'static Lesson> {
        CHAPTERS.iter().flat_map(|chapter| chapter.lessons)
    }

    /// A word of the vocabulary that the help forgets would be one that nobody finds.
    #[test]
    fn the_help_teaches_every_word() {
        let taught: Vec<_> = lessons().map(|it| it.example).collect();
        let has = |text: &str| {
            taught.iter().any(|example| {
                example
                    .strip_prefix(text)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
        };
        for word in Order::words() {
            assert!(has(word), "{word}");
        }
        for word in Declaration::WORDS {
            assert!(has(&format!("white {word}")) || has(&format!("black {word}")), "{word}");
        }
        for kind in crate::laws::Claim::WORDS {
            let text = format!("claim {kind}");
            assert!(has(&format!("white {text}")) || has(&format!("black {text}")), "{text}");
        }
    }

    #[test]
    fn every_example_can_be_entered_as_it_stands() {
        for lesson in lessons() {
            let act = Act::read(lesson.example, "arbiter", "");
            let act = act.unwrap_or_else(|why| panic!("{}: {why}", lesson.example));
            let again = match act {
                Act::Ordered { order, .. } => order.to_string(),
                Act::Declared { by, said } => format!("{by} {said}"),
                _ => continue,
            };
            assert_eq!(again.trim_end(), lesson.example);
        }
    }

    #[test]
    fn what_cannot_be_read_is_answered_with_what_can() {
        for (text, answer) in [
            ("conform", "did you mean confirm"),
            ("white resing", "did you mean resign"),
            ("resign", "Write \"white resign\" or \"black resign\""),
            ("claim threefold", "Write \"white claim threefold\""),
            ("both sing 1-0", "did you mean sign"),
            ("both sign 2-0", "no score"),
            ("white sealed", "which move"),
            ("", "no order"),
            ("note a\nresult     1-0", "does not belong in a line of text"),
        ] {
            let why = Act::read(text, "arbiter", "").unwrap_err().to_string();
            assert!(why.contains(answer), "{text}: {why}");
        }
        assert!(Act::read("confirm", "arbiter\u{1b}[2J", "").is_err());
        assert!(Act::read("confirm", "arbiter", &"x".repeat(201)).is_err());
        assert!(Act::read(&"x".repeat(500), "arbiter", "").is_err());
    }
}
