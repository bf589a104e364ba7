//! What is known about a board before it speaks.

use super::pairing::Pairing;
use crate::board::BoardKind;
pub use crate::clock::TimeControl;
use crate::laws::Terms;
use crate::table::{End, defaults, words};
use crate::wire::Orientation;
use crate::wire::certabo::Chips;
use crate::wire::pegasus::KEY_LEN;
use shakmaty::Bitboard;
use shakmaty::fen::Fen;
use std::time::Duration;

defaults! {
    /// How long the board must be still before a move counts as made although no clock was pressed.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct Rests {
        /// While a clock runs: the press is the better witness, so this can be long.
        pub with_clock: Duration = Duration::from_millis(1_500),
        /// Without a clock, or before it is first set running.
        pub without_clock: Duration = Duration::from_millis(200),
        /// While no clock runs, where the piece could go on in the same direction: it may only rest
        /// on its way.
        pub on_its_way: Duration = Duration::from_millis(550),
        /// While no clock runs, where the piece could go on and came to where it rests so soon
        /// after it was last seen on its square that it was hardly lifted: it is being slid.
        pub slid: Duration = Duration::from_millis(900),
        /// While no clock runs, where the move may be the first half of another: a rook move that
        /// may begin a castling.
        pub doubtful: Duration = Duration::from_millis(1_500),
        /// A player whose time runs this long after his move was made has not pressed, and the
        /// arbiter is told.
        pub unpressed: Duration = Duration::from_secs(10),
        /// A press that looks to the referee like an illegal move waits this long for the record to
        /// find a legal one: the piece may still be on its way down.
        pub illegal_press: Duration = Duration::from_millis(900),
    }
}

/// What the program does about the clock.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum ClockRole {
    /// It listens, and a clock that is not heard for some seconds runs on all the same.
    #[default]
    Read,
    /// It drives the clock: a press that is not heard changes no side.
    Driven,
    /// It is the clock.
    Own,
}

words! {
    /// Which squares are lit on a board that has lights.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum Lights {
        /// No square is lit.
        #[default]
        Off = "off",
        /// Those of the last move that everybody may see.
        LastMove = "last-move",
        /// Those of the last move, and before a game those that are not yet as it begins.
        SetUp = "set-up",
        /// The same, or those on which the board has contradicted the record for long.
        Help = "help",
    }
}

/// The cause for which squares are lit.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum LightCause {
    /// The last move that everybody may see.
    #[default]
    LastMove,
    /// They are not yet as the next game begins.
    SetUp,
    /// The board has contradicted the record there for long.
    Contradicted,
}

/// Squares that are lit.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Lit {
    /// The squares.
    pub squares: Bitboard,
    /// The cause.
    pub cause: LightCause,
}

/// The settings of one board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// White's name, as it is to stand in the record.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The event.
    pub event: String,
    /// The place.
    pub site: String,
    /// The round.
    pub round: String,
    /// The pairing that these are from, if they are from one.
    pub pairing: Option<Box<Pairing>>,
    /// The pairing of the next game, where that of the one on record is another.
    pub next: Option<Box<Pairing>>,
    /// The position to start from; `None` waits for any start position of chess or Chess960.
    pub start: Option<Fen>,
    /// Castling and start position by the rules of Chess960.
    pub is_chess960: bool,
    /// How the board is read.
    pub board: BoardKind,
    /// It shares its line with others, and is asked by turns.
    pub shares_line: bool,
    /// Which chip is below which piece, on a board that knows them by that.
    pub chips: Chips,
    /// The key that wakes a Pegasus.
    pub key: [u8; KEY_LEN],
    /// What is lit on it.
    pub lights: Lights,
    /// How the board lies; `None` finds it out from the start position.
    pub orientation: Option<Orientation>,
    /// White's end of the clock; `None` finds it out from the first press.
    pub white_end: Option<End>,
    /// The Laws and the terms under which the game is refereed; `None` only records.
    pub terms: Option<Terms>,
    /// The time control; `None` takes what the clock shows as it comes.
    pub time_control: Option<TimeControl>,
    /// What is done about the clock behind the board.
    pub clock_role: ClockRole,
    /// Quiet times.
    pub rests: Rests,
}

impl Settings {
    /// The pairing of the next game, which may have begun.
    pub fn due(&self) -> Option<&Pairing> {
        self.next.as_deref().or(self.pairing.as_deref())
    }

    /// The game on record, or the next one if there is none, is that of `pairing`.
    pub fn pair(&mut self, pairing: Box<Pairing>) {
        self.white.clone_from(&pairing.players.white.name);
        self.black.clone_from(&pairing.players.black.name);
        self.event.clone_from(&pairing.event);
        self.site.clone_from(&pairing.site);
        self.round = pairing.round_tag();
        (self.pairing, self.next) = (Some(pairing), None);
    }
}
