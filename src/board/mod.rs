//! Boards. Each kind has a driver, which knows how such a board is woken and kept awake, how it
//! says what, and how far that is to be believed; whoever follows the game hears of readings,
//! pictures and lost messages alone. A driver is pure: it is told the time and what came over the
//! line, and asked what follows from that and what is to be sent.

pub mod calibration;
pub mod certabo;
pub mod chesslink;
pub mod chessnut;
pub mod dgt;
mod doubts;
pub mod hall;
pub mod hall_walk;
mod identity;
pub mod matrix;
mod mirror;
pub mod pegasus;
mod recalled;
pub mod rows;
pub mod scanned;
pub mod ucb;

pub use calibration::Calibration;
pub use certabo::Certabo;
pub use chesslink::ChessLink;
pub use chessnut::Chessnut;
pub use dgt::Dgt;
pub use doubts::Doubts;
pub use matrix::{Debounce, Wiring};
pub use pegasus::Pegasus;
pub use scanned::Scanned;
pub use ucb::Ucb;

use crate::table::{End, Placement, Reading, Sight};
use crate::time::Mono;
use crate::track::Recalled;
use crate::wire::certabo::Chips;
use crate::wire::pegasus::KEY_LEN;
use crate::wire::{BoardMessage, ClockMessage, Orientation, Signal};
use shakmaty::{Bitboard, Board, Square};
use std::ops::{Deref, DerefMut};

/// What is known of a board by what it has said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing had come since then, and something comes now: messages may have been lost.
    WasQuiet(Mono),
    /// There is so much noise on the line that any message may be hurt.
    Noise,
    /// The whole board was read for the first time since the line is open.
    Live,
    /// This is what it can tell of a piece.
    Sees(Sight),
    /// It lies so.
    Lies(Orientation),
    /// A square reads something else now.
    Sensed(Square, Reading),
    /// The whole board was read.
    Pictured(Placement),
    /// It is heard again, and cannot tell what was played meanwhile.
    Untold,
    /// The clock behind it has said something.
    Clock(ClockMessage),
    /// A figure on it says how the game ended.
    Signal(Signal),
    /// It told its memory, oldest first.
    Remembered(Vec<Recalled>),
    /// It told a serial number that is not on record.
    Identified(String),
}

/// What a driver may ask whoever follows the game, to hold against it what a board says.
pub trait Expects {
    /// The position on record of the game that is on.
    fn on_record(&self) -> Option<&Board>;
    /// The position that the game that is on is believed to have come to.
    fn standing(&self) -> Option<&Board>;
    /// Whether a game may begin from what is shown.
    fn may_begin_from(&self, shown: &Placement) -> bool;
    /// Whether all that the board did since it was last read as a whole has been heard.
    fn is_whole(&self) -> bool;
    /// Who plays at that end of the clock.
    fn player_at(&self, end: End) -> shakmaty::Color;
}

/// What was known of a board before the program was started.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// How it lay.
    pub lies: Option<Orientation>,
    /// What it could tell of a piece.
    pub sight: Option<Sight>,
    /// The serial numbers that it told, in their order.
    pub serials: Vec<String>,
}

/// A kind of board. What comes over the line is told by the first group of methods, and
/// [`Driver::poll`] is asked until it has no more to say. Most boards need few of the others.
pub trait Driver {
    /// The line is open. `asks_clock` says that the clock behind the board was heard before, and
    /// that it is to be asked for first.
    fn link_up(&mut self, now: Mono, asks_clock: bool);
    /// The line is gone.
    fn link_down(&mut self);
    /// Bytes have arrived, whatever they will turn out to say.
    fn on_bytes(&mut self, _now: Mono) {}
    /// Bytes of a board have arrived whose language its driver alone knows.
    fn on_said(&mut self, _now: Mono, _bytes: &[u8]) {}
    /// A DGT board has sent a message.
    fn on_message(&mut self, _now: Mono, _message: &BoardMessage) {}
    /// Bytes came that make no message.
    fn on_noise(&mut self, _now: Mono) {}
    /// A square of a scanned board reads something else now.
    fn on_sensed(&mut self, _now: Mono, _sq: Square, _reading: Reading) {}
    /// A scanned board was read as a whole.
    fn on_picture(&mut self, _now: Mono, _placement: &Placement) {}

    /// What follows next from what came over the line. `None` if that was all.
    fn poll(&mut self, now: Mono, expects: &dyn Expects) -> Option<News>;

    /// What is to be sent over the line since this was asked last.
    fn take_sent(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }
    /// When [`Driver::on_timeout`] is due. Calling early does no harm.
    fn wake_at(&self) -> Option<Mono> {
        None
    }
    /// The moment of [`Driver::wake_at`] has come.
    fn on_timeout(&mut self, _now: Mono) {}
    /// Whether nobody answers: the line is to be closed and opened again.
    fn is_given_up(&self) -> bool {
        false
    }
    /// Why, if the board has said so, in one sentence with the remedy.
    fn why_given_up(&self) -> Option<&'static str> {
        None
    }
    /// The line will be closed on purpose.
    fn leave(&mut self) {}

    /// The whole board is to be read, as soon as that can be.
    fn want_picture(&mut self, now: Mono);
    /// Whether what stands on it is reckoned from the moves that it says: where it says none,
    /// nobody can tell whether one was played.
    fn is_reckoned(&self) -> bool {
        false
    }
    /// By the arbiter's word this stands on it.
    fn stands(&mut self, _board: &Board) {}
    /// These squares are to be lit, if it has lights.
    fn light(&mut self, _now: Mono, _squares: Bitboard) {}
    /// Whether it has a memory of its own that is of use.
    fn has_memory(&self) -> bool {
        false
    }
    /// Whether its memory is at hand: to tell it takes no time in which nothing else is heard.
    fn has_memory_at_hand(&self) -> bool {
        false
    }
    /// The memory is to be told, which takes seconds unless it is at hand. False if it cannot be
    /// asked for now.
    fn want_memory(&mut self, _now: Mono) -> bool {
        false
    }

    /// What has been read and is not believed yet, of a board on whose line bytes may be hurt.
    fn doubts(&self) -> Option<&Doubts> {
        None
    }
    /// Whether the line has had noise on it of late, so that one reading proves nothing.
    fn is_noisy(&self, now: Mono) -> bool {
        self.doubts().is_some_and(|doubts| doubts.is_noisy(now))
    }
    /// When what is known of the board was last read twice, if that is needed. `None` if it is yet
    /// to be.
    fn confirmed(&self, now: Mono) -> Option<Mono> {
        self.doubts().map_or(Some(now), |doubts| doubts.confirmed(now))
    }
    /// When something came over the line for the last time.
    fn last_heard(&self) -> Mono;
    /// Whether it has told since its line is open which board it is, as far as it ever does.
    fn is_identified(&self) -> bool {
        true
    }
    /// How it lies, if it matters and is known.
    fn lies(&self) -> Option<Orientation> {
        None
    }
    /// Goes on with what was known of the board.
    fn take_up(&mut self, _known: Known) {}
}

/// How a board is read.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum BoardKind {
    /// It speaks over a line as those of DGT do.
    #[default]
    Dgt,
    /// Its squares are looked at one after the other.
    Scanned,
    /// It speaks over a line as those of Millennium do.
    ChessLink,
    /// It speaks over a line as those of Certabo do.
    Certabo,
    /// It speaks over USB as those of Chessnut do.
    Chessnut,
    /// It says finished moves, as Novag's Universal Chess Board does.
    Ucb,
    /// It speaks as DGT's Pegasus does.
    Pegasus,
}

impl BoardKind {
    /// Whether it speaks in a language that its driver alone knows.
    pub const fn has_own_language(self) -> bool {
        matches!(self, Self::ChessLink | Self::Certabo | Self::Chessnut | Self::Ucb | Self::Pegasus)
    }

    /// Whether a clock can be plugged into it.
    pub const fn has_clock_socket(self) -> bool {
        matches!(self, Self::Dgt)
    }
}

/// How a board is connected, as far as its driver must know.
#[derive(Clone, Debug)]
pub struct Connection<'a> {
    /// How it lies; `None` if that is to be found out.
    pub orientation: Option<Orientation>,
    /// Which chip is below which piece, if that was taught.
    pub chips: &'a Chips,
    /// The key that wakes a Pegasus.
    pub key: [u8; KEY_LEN],
    /// Others speak on the same line. Whoever keeps it asks for the clocks along it.
    pub shares_line: bool,
    /// The clock behind it is asked for its times: not by the board's driver if another drives it,
    /// who must know what it was asked.
    pub watches_clock: bool,
}

/// The kinds of boards, for one that is driven.
#[derive(Clone, Debug)]
pub enum AnyBoard {
    /// One that speaks as those of DGT do.
    Dgt(Box<Dgt>),
    /// One whose squares are looked at one after the other.
    Scanned(Scanned),
    /// One of Millennium's.
    ChessLink(Box<ChessLink>),
    /// One of Certabo's, or of Tabutronic's.
    Certabo(Box<Certabo>),
    /// One of Chessnut's.
    Chessnut(Box<Chessnut>),
    /// Novag's Universal Chess Board.
    Ucb(Box<Ucb>),
    /// DGT's Pegasus.
    Pegasus(Box<Pegasus>),
}

impl AnyBoard {
    /// A board of this kind that has not spoken yet.
    pub fn new(kind: BoardKind, by: &Connection<'_>) -> Self {
        match kind {
            BoardKind::Dgt if by.shares_line => {
                Self::Dgt(Dgt::new(by.orientation, false).sharing_line().into())
            }
            BoardKind::Dgt => Self::Dgt(Dgt::new(by.orientation, by.watches_clock).into()),
            BoardKind::Scanned => Self::Scanned(Scanned::default()),
            BoardKind::ChessLink => Self::ChessLink(ChessLink::new(by.orientation).into()),
            BoardKind::Certabo => {
                Self::Certabo(Certabo::new(by.orientation, by.chips.clone()).into())
            }
            BoardKind::Chessnut => Self::Chessnut(Chessnut::new(by.orientation).into()),
            BoardKind::Ucb => Self::Ucb(Box::default()),
            BoardKind::Pegasus => Self::Pegasus(Pegasus::new(by.orientation, by.key).into()),
        }
    }
}

impl Deref for AnyBoard {
    type Target = dyn Driver;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Dgt(board) => &**board,
            Self::Scanned(board) => board,
            Self::ChessLink(board) => &**board,
            Self::Certabo(board) => &**board,
            Self::Chessnut(board) => &**board,
            Self::Ucb(board) => &**board,
            Self::Pegasus(board) => &**board,
        }
    }
}

impl DerefMut for AnyBoard {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Dgt(board) => &mut **board,
            Self::Scanned(board) => board,
            Self::ChessLink(board) => &mut **board,
            Self::Certabo(board) => &mut **board,
            Self::Chessnut(board) => &mut **board,
            Self::Ucb(board) => &mut **board,
            Self::Pegasus(board) => &mut **board,
        }
    }
}
