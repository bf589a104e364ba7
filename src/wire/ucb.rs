//! Novag's Universal Chess Board: lines of text, in which the board says the moves that were made
//! on it, and not its squares. Protocol 7.5.

use crate::wire::blocks::{BlockLanguage, Cut};
use shakmaty::{Role, Square};

/// Bits in a second on its line (protocol 7.5).
pub const BAUD: u32 = 9_600;
/// The longest line of such a board. Ours; the longest that is known has 16.
const LINE_MAX: usize = 40;

/// What a host says.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum UcbCommand {
    /// `XON`: moves are to be told.
    TellMoves,
    /// `UON`: the board plays no side itself.
    Referee,
}

/// What a board says.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum UcbMessage {
    /// It tells moves from now on.
    TellsMoves,
    /// It plays no side.
    IsReferee,
    /// A new game begins.
    NewGame,
    /// A move was made.
    Moved {
        /// From there.
        from: Square,
        /// To there.
        to: Square,
        /// A pawn has become this.
        promotion: Option<Role>,
    },
    /// The last move was taken back.
    TakenBack,
    /// A line of another kind.
    Other,
}

/// What a board says, as a language.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct FromUcb;

/// What is said to a board, as a language.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct ToUcb;

/// The line at the beginning of `bytes`, without its end, and its length.
fn line(bytes: &[u8]) -> Result<(&str, usize), Cut<()>> {
    if matches!(bytes[0], b'\r' | b'\n' | b' ') {
        return Err(Cut::Blank);
    }
    let seen = &bytes[..bytes.len().min(LINE_MAX)];
    let end = seen.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
    if seen[..end.unwrap_or(seen.len())].iter().any(|byte| !(b' '..=b'~').contains(byte)) {
        return Err(Cut::Noise);
    }
    match end {
        Some(end) => {
            let text = std::str::from_utf8(&bytes[..end]).map_err(|_| Cut::Noise)?;
            Ok((text.trim_end(), end + 1))
        }
        None if bytes.len() >= LINE_MAX => Err(Cut::Noise),
        None => Err(Cut::Partial),
    }
}

/// What stands at the beginning of `bytes`, by what a line means.
fn cut_line<T>(bytes: &[u8], parse: impl FnOnce(&str) -> Option<T>) -> Cut<T> {
    match line(bytes) {
        Ok((text, len)) => parse(text).map_or(Cut::Noise, |it| Cut::Whole(it, len)),
        Err(Cut::Blank) => Cut::Blank,
        Err(Cut::Partial) => Cut::Partial,
        Err(Cut::Noise | Cut::Whole(..)) => Cut::Noise,
    }
}

impl BlockLanguage for FromUcb {
    type Message = UcbMessage;

    fn cut(bytes: &[u8]) -> Cut<UcbMessage> {
        // A line that is not understood is passed over whole: a move within it would be none.
        cut_line(bytes, |text| Some(parse(text).unwrap_or(UcbMessage::Other)))
    }
}

fn parse(text: &str) -> Option<UcbMessage> {
    match text.trim_matches('.') {
        "Xmit" => return Some(UcbMessage::TellsMoves),
        "Referee" => return Some(UcbMessage::IsReferee),
        "N" | "New Game" => return Some(UcbMessage::NewGame),
        "T" => return Some(UcbMessage::TakenBack),
        _ => {}
    }
    let said = text.strip_prefix('M')?;
    let (squares, promotion) = match said.split_once('/') {
        Some((squares, letter)) => (squares, Some(letter)),
        None => (said, None),
    };
    let (from, to) = squares.split_at_checked(2)?;
    let promotion = match promotion {
        Some(letter) => {
            let role = letter.parse().ok().and_then(Role::from_char)?;
            Some(role).filter(|it| !matches!(it, Role::King | Role::Pawn)).map(Some)?
        }
        None => None,
    };
    Some(UcbMessage::Moved { from: from.parse().ok()?, to: to.parse().ok()?, promotion })
}

impl UcbMessage {
    /// The bytes on the line.
    pub fn encode(&self) -> Vec<u8> {
        let text = match self {
            Self::TellsMoves => "Xmit..".to_owned(),
            Self::IsReferee => ".Referee..".to_owned(),
            Self::NewGame => "N..".to_owned(),
            Self::TakenBack => "T..".to_owned(),
            Self::Other => "?".to_owned(),
            Self::Moved { from, to, promotion: None } => format!("M{from}{to}"),
            Self::Moved { from, to, promotion: Some(role) } => {
                format!("M{from}{to}/{}", role.upper_char())
            }
        };
        (text + "\r\n").into_bytes()
    }
}

impl BlockLanguage for ToUcb {
    type Message = UcbCommand;

    fn cut(bytes: &[u8]) -> Cut<UcbCommand> {
        cut_line(bytes, |text| match text {
            "XON" => Some(UcbCommand::TellMoves),
            "UON" => Some(UcbCommand::Referee),
            _ => None,
        })
    }
}

impl UcbCommand {
    /// The bytes on the line.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::TellMoves => b"XON\r\n".to_vec(),
            Self::Referee => b"UON\r\n".to_vec(),
        }
    }
}
