//! What arbiters order: rulings, times, papers. Words as the commands and records write them.

use super::edition::Edition;
use super::name::{UnknownName, first_words};
use super::order_words::{ClaimBasis, DeclaredFor, Judgment, Paper, WhichGame};
use super::score::Score;
use crate::table::Word;
use crate::time::parse_span;
use shakmaty::{Color, fen::Fen, uci::UciMove};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The most that one order may set, add or take: 100 hours.
const SPAN_MAX: Duration = Duration::from_hours(100);
/// The most half-moves that one order may insert.
const MOVES_MAX: usize = 64;

/// Whom an order concerns.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    /// One player.
    One(Color),
    /// Both players.
    Both,
}

impl Whose {
    /// Whether `color` is meant.
    pub fn includes(self, color: Color) -> bool {
        match self {
            Self::One(one) => one == color,
            Self::Both => true,
        }
    }
}

/// How play goes on.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum GoingOn {
    /// Play goes on for good.
    Finally,
    /// Until the matter is decided.
    Provisionally,
}

/// Where a game is taken back to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    /// The last position that is known square by square. All editions: Art. 7.4 (7.5.1).
    LastIdentifiable,
    /// After so many half-moves, on which both records agree. 2009: Art. E2.8.
    AgreedPly(usize),
}

/// A position that a game is played from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenPosition {
    /// The position of this FEN.
    Named(Box<Fen>),
    /// The one on the board, with this player to move.
    OnBoard(Color),
}

/// What an arbiter writes behind an order: a word that decides something, or a text for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phrase<W> {
    /// One of the words.
    Word(W),
    /// Any other text; it may be empty.
    Text(String),
}

impl<W: Word> Phrase<W> {
    fn read(text: &str) -> Self {
        W::parse(text).map_or_else(|| Self::Text(text.to_owned()), Self::Word)
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Word(word) => word.word(),
            Self::Text(text) => text,
        }
    }
}

impl<W: Word> fmt::Display for Phrase<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

first_words! {
    /// What an arbiter orders.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Order {
        /// The game begins, from the start position; White's clock is started.
        Start = "start",
        /// The record begins from this position.
        Position(GivenPosition) = "position",
        /// The board is taken over as it stands, with this player to move if that is said.
        Adopt(Option<Color>) = "adopt",
        /// What is proposed or claimed is carried out; the matter's number, if it is named.
        Confirm(Option<u32>) = "confirm",
        /// It is not.
        Dismiss(Option<u32>) = "dismiss",
        /// A judgment on a claim.
        Rule(Judgment) = "rule",
        /// Play goes on.
        Continue(GoingOn) = "continue",
        /// Both clocks stop.
        Pause = "pause",
        /// This player's clock runs.
        Resume(Color) = "resume",
        /// A time is set.
        SetTime(Whose, Duration) = "set_time",
        /// Time is given.
        AddTime(Whose, Duration) = "add_time",
        /// Time is taken.
        SubTime(Whose, Duration) = "sub_time",
        /// The move counter is set to so many completed moves.
        SetMoves(u16) = "set_moves",
        /// The next move has this number.
        Renumber(u16) = "renumber",
        /// The pieces stand as demanded.
        Restored = "restored",
        /// The game goes back.
        Restore(Where) = "restore",
        /// The arbiter has seen this flag down.
        Flag(Color) = "flag",
        /// A penalty of Article 13.4 (12.9) other than time or points.
        Penalize(Color, String) = "penalise",
        /// A score is changed.
        Points(Color, String) = "points",
        /// A result is declared: of which game, if the one on record is over and another one is
        /// paired.
        Result(Option<WhichGame>, Score, Phrase<DeclaredFor>) = "result",
        /// A move was made with two hands.
        TwoHands(Color) = "two_hands",
        /// An electronic device.
        Device(Color) = "device",
        /// The clocks were stopped for no valid reason.
        NoReason(Color) = "no_reason",
        /// A player gets an assistant.
        Assistant(Color) = "assistant",
        /// The colors are reversed.
        ColorsReversed = "colours_reversed",
        /// The board is turned.
        BoardTurned = "board_turned",
        /// What looks like a move was none: pieces were displaced.
        Displaced = "displaced",
        /// This player touched what was last touched.
        TouchedBy(Color) = "touched_by",
        /// The clock is defective.
        ClockDefect = "clock_defect",
        /// The sensors saw nothing for so long.
        SensorGap(Duration) = "sensor_gap",
        /// What a claim rests on.
        Basis(Phrase<ClaimBasis>) = "basis",
        /// This player is to seal his move.
        Seal(Color) = "seal",
        /// The envelope is opened.
        OpenEnvelope = "open_envelope",
        /// It cannot be found.
        EnvelopeMissing = "envelope_missing",
        /// It was checked.
        EnvelopeChecked = "envelope_checked",
        /// The position cannot be established.
        PositionLost = "position_lost",
        /// Position, times, side to move and count are written down.
        Snapshot = "snapshot",
        /// A paper.
        Export(Phrase<Paper>) = "export",
        /// Both players agree to correct what could not be corrected. 2009: Art. B3c.
        AgreedCorrection = "agreed_correction",
        /// The score sheets are complete.
        SheetsOk = "sheets_ok",
        /// Another profile is asked for.
        SetProfile(String) = "set_profile",
        /// What this half-move, counted from 1, was: the sensors left it open.
        Settle(u16, UciMove) = "settle",
        /// What this half-move, counted from 1, was, whatever the sensors say.
        Replace(u16, UciMove) = "replace",
        /// These moves were played before this half-move, counted from 1.
        Insert(u16, Vec<UciMove>) = "insert",
        /// From this half-move on, counted from 1, so many were not played.
        Remove(u16, u16) = "remove",
        /// A note.
        Note(String) = "note",
        /// A ruling for which there is no word.
        Other(String) = "other",
    }
}

impl Order {
    /// The first word of every order but `other`.
    pub const fn words() -> &'static [&'static str] {
        let [known @ .., _other] = &Self::WORDS;
        known
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Confirm(Some(matter)) | Self::Dismiss(Some(matter)) => write!(f, " {matter}"),
            Self::Rule(judgment) => write!(f, " {}", judgment.word()),
            Self::Continue(GoingOn::Provisionally) => f.write_str(" provisional"),
            Self::Position(GivenPosition::Named(fen)) => write!(f, " {fen}"),
            Self::Position(GivenPosition::OnBoard(color)) | Self::Adopt(Some(color)) => {
                write!(f, " {color}")
            }
            Self::Resume(color)
            | Self::Flag(color)
            | Self::TwoHands(color)
            | Self::Device(color)
            | Self::NoReason(color)
            | Self::Assistant(color)
            | Self::TouchedBy(color)
            | Self::Seal(color) => write!(f, " {color}"),
            Self::SetTime(whose, span)
            | Self::AddTime(whose, span)
            | Self::SubTime(whose, span) => {
                match whose {
                    Whose::One(color) => write!(f, " {color}")?,
                    Whose::Both => f.write_str(" both")?,
                }
                write!(f, " {}", span.as_secs_f64())
            }
            Self::Settle(ply, uci) | Self::Replace(ply, uci) => write!(f, " {ply} {uci}"),
            Self::Insert(ply, moves) => {
                write!(f, " {ply}")?;
                moves.iter().try_for_each(|uci| write!(f, " {uci}"))
            }
            Self::Remove(ply, n) => write!(f, " {ply} {n}"),
            Self::SetMoves(n) | Self::Renumber(n) => write!(f, " {n}"),
            Self::Restore(Where::LastIdentifiable) => f.write_str(" last_identifiable"),
            Self::Restore(Where::AgreedPly(n)) => write!(f, " agreed_ply {n}"),
            Self::Penalize(color, text) | Self::Points(color, text) => {
                write!(f, " {color} {text}")
            }
            Self::Result(None, score, text) => write!(f, " {score} {text}"),
            Self::Result(Some(which), score, text) => {
                write!(f, " {} {score} {text}", which.word())
            }
            Self::SensorGap(span) => write!(f, " {}", span.as_secs_f64()),
            Self::Basis(basis) => write!(f, " {basis}"),
            Self::Export(paper) => write!(f, " {paper}"),
            Self::SetProfile(text) | Self::Note(text) | Self::Other(text) => write!(f, " {text}"),
            _ => Ok(()),
        }
    }
}

impl FromStr for Order {
    type Err = UnknownName;

    /// Reads the words after the arbiter's name.
    ///
    /// ```
    /// use rokade::laws::Order;
    /// let order: Order = "add_time black 120".parse()?;
    /// assert_eq!(order.to_string(), "add_time black 120");
    /// assert_eq!("conform".parse::<Order>().unwrap_err().nearest, Some("confirm"));
    /// # Ok::<(), rokade::laws::UnknownName>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let (verb, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let rest = rest.trim();
        match verb {
            "colors_reversed" => Ok(Self::ColorsReversed),
            _ => Self::of_word(verb).map_or_else(|| with_words(verb, rest), Ok),
        }
    }
}

/// The orders that take words.
fn with_words(verb: &str, rest: &str) -> Result<Order, UnknownName> {
    let (first, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let more = more.trim();
    let side = || color(first);
    Ok(match verb {
        "position" => Order::Position(standing(rest)?),
        "adopt" if rest.is_empty() => Order::Adopt(None),
        "adopt" => Order::Adopt(Some(side()?)),
        "confirm" => Order::Confirm(matter(rest)?),
        "dismiss" => Order::Dismiss(matter(rest)?),
        "rule" => Order::Rule(judgment(rest)?),
        "continue" => Order::Continue(match first {
            "" => GoingOn::Finally,
            "provisional" => GoingOn::Provisionally,
            other => return Err(UnknownName::new("way to continue", other, &["provisional"])),
        }),
        "resume" => Order::Resume(side()?),
        "set_time" => Order::SetTime(whose(first)?, seconds(more)?),
        "add_time" => Order::AddTime(whose(first)?, seconds(more)?),
        "sub_time" => Order::SubTime(whose(first)?, seconds(more)?),
        "set_moves" => Order::SetMoves(number(first)?),
        "renumber" => Order::Renumber(number(first)?),
        "restore" => Order::Restore(match first {
            "last_identifiable" => Where::LastIdentifiable,
            "agreed_ply" => Where::AgreedPly(usize::from(number(more)?)),
            other => {
                let known = ["last_identifiable", "agreed_ply"];
                return Err(UnknownName::new("place to restore", other, &known));
            }
        }),
        "flag" => Order::Flag(side()?),
        "penalise" | "penalize" => Order::Penalize(side()?, more.to_owned()),
        "points" => Order::Points(side()?, more.to_owned()),
        "result" => match WhichGame::parse(first) {
            Some(which) => {
                let (score, why) = more.split_once(char::is_whitespace).unwrap_or((more, ""));
                Order::Result(Some(which), score.parse()?, Phrase::read(why.trim()))
            }
            None => Order::Result(None, first.parse()?, Phrase::read(more)),
        },
        "two_hands" => Order::TwoHands(side()?),
        "device" => Order::Device(side()?),
        "no_reason" => Order::NoReason(side()?),
        "assistant" => Order::Assistant(side()?),
        "touched_by" => Order::TouchedBy(side()?),
        "sensor_gap" => Order::SensorGap(seconds(first)?),
        "basis" => Order::Basis(Phrase::read(rest)),
        "seal" => Order::Seal(side()?),
        "export" => Order::Export(Phrase::read(rest)),
        "settle" => Order::Settle(ply(first)?, uci(more)?),
        "replace" => Order::Replace(ply(first)?, uci(more)?),
        "insert" if more.is_empty() => return Err(uci("").expect_err("that is no move")),
        "insert" => {
            let moves = more.split_whitespace().take(MOVES_MAX).map(uci);
            Order::Insert(ply(first)?, moves.collect::<Result<_, _>>()?)
        }
        "remove" if more.is_empty() => Order::Remove(ply(first)?, 1),
        "remove" => Order::Remove(ply(first)?, number(more)?),
        "set_profile" => Order::SetProfile(first.parse::<Edition>()?.to_string()),
        "note" => Order::Note(rest.to_owned()),
        "other" => Order::Other(rest.to_owned()),
        _ => return Err(UnknownName::new("order", verb, Order::words())),
    })
}

fn standing(text: &str) -> Result<GivenPosition, UnknownName> {
    let wanted = "a position as a FEN, or white or black for who is to move on the board as it is";
    match text {
        "white" | "black" => color(text).map(GivenPosition::OnBoard),
        "" => Err(UnknownName::wanting("position", text, wanted)),
        _ => match text.parse::<Fen>() {
            Ok(fen) => Ok(GivenPosition::Named(Box::new(fen))),
            Err(_) => Err(UnknownName::wanting("position", text, wanted)),
        },
    }
}

/// `white` or `black`.
pub(super) fn color(word: &str) -> Result<Color, UnknownName> {
    match word {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err(UnknownName::new("player", word, &["white", "black"])),
    }
}

fn whose(word: &str) -> Result<Whose, UnknownName> {
    match word {
        "both" => Ok(Whose::Both),
        "white" | "black" => color(word).map(Whose::One),
        _ => Err(UnknownName::new("player", word, &["white", "black", "both"])),
    }
}

fn judgment(word: &str) -> Result<Judgment, UnknownName> {
    let known = || UnknownName::new("judgment", word, &Judgment::ALL.map(Judgment::word));
    Judgment::parse(word).ok_or_else(known)
}

fn number(word: &str) -> Result<u16, UnknownName> {
    let word = word.split_whitespace().next().unwrap_or_default();
    let wanted = "a number, such as 12";
    word.parse().map_err(|_| UnknownName::wanting("number of moves", word, wanted))
}

/// A matter's number; none if it is not named.
fn matter(word: &str) -> Result<Option<u32>, UnknownName> {
    let wanted = "a matter's number, as --open shows it, such as 3";
    let unclear = |_| UnknownName::wanting("matter", word, wanted);
    if word.is_empty() { Ok(None) } else { word.parse().map(Some).map_err(unclear) }
}

/// A half-move, counted from 1.
fn ply(word: &str) -> Result<u16, UnknownName> {
    let wanted = "the number of a half-move, such as 23 for White's twelfth";
    let found = word.parse().ok().filter(|ply| *ply > 0);
    found.ok_or_else(|| UnknownName::wanting("half-move", word, wanted))
}

fn uci(word: &str) -> Result<UciMove, UnknownName> {
    let wanted = "the squares that it goes from and to, such as e2e4 or e7e8q";
    let found = word.parse().ok().filter(|uci| matches!(uci, UciMove::Normal { .. }));
    found.ok_or_else(|| UnknownName::wanting("move", word, wanted))
}

fn seconds(text: &str) -> Result<Duration, UnknownName> {
    let word = text.split_whitespace().next().unwrap_or_default();
    let wanted = "seconds such as 120, or 1:30:00 or 2:00, up to 100 hours";
    let found = parse_span(word).filter(|span| *span <= SPAN_MAX);
    found.ok_or_else(|| UnknownName::wanting("time", word, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        let samples = [
            "rule postpone",
            "rule postpone 0",
            "continue",
            "continue provisional",
            "set_time both 12.5",
            "sub_time white 60",
            "renumber 47",
            "restore agreed_ply 2",
            "penalise white warning",
            "points white -1/2",
            "result 1/2-1/2 agreement_before_round",
            "sensor_gap 20",
            "basis display_only",
            "set_profile m2023",
            "note reported_by=spectator",
            "position 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "position black",
            "adopt",
            "adopt white",
            "other a word of the arbiter",
        ];
        for text in samples {
            assert_eq!(text.parse::<Order>().unwrap().to_string(), text);
        }
        assert_eq!("set_time both 1:30:00".parse(), "set_time both 5400".parse::<Order>());
        assert_eq!("add_time black 2:00".parse(), "add_time black 120".parse::<Order>());
        let plain = Order::words().iter().filter_map(|word| word.parse::<Order>().ok());
        assert_eq!(
            plain.filter(|order| Order::words().contains(&order.to_string().as_str())).count(),
            18
        );
    }

    #[test]
    fn nonsense_is_refused_with_the_nearest_word() {
        for (text, nearest) in [
            ("conform", Some("confirm")),
            ("set_time whit 60", Some("white")),
            ("set_profile m2032", Some("m2023")),
            ("rule drew", Some("draw")),
            ("set_time white -1", None),
            ("add_time white 1e9", None),
            ("settle 0 e2e4", None),
        ] {
            assert_eq!(text.parse::<Order>().unwrap_err().nearest, nearest, "{text}");
        }
    }
}
