//! Boards of other makers than DGT, for a table.

use super::certabo::CertaboSim;
use super::chesslink::ChessLinkSim;
use super::chessnut::ChessnutSim;
use super::pegasus::PegasusSim;
use super::ucb::UcbSim;
use crate::game::BoardKind;
use crate::table::{Reading, Sight};
use crate::time::Mono;
use crate::wire::Orientation;
use shakmaty::{Board, Square};
use std::ops::{Deref, DerefMut};

/// Their names in scripts.
const NAMES: [(&str, BoardKind); 5] = [
    ("certabo", BoardKind::Certabo),
    ("chessnut", BoardKind::Chessnut),
    ("millennium", BoardKind::ChessLink),
    ("novag", BoardKind::Ucb),
    ("pegasus", BoardKind::Pegasus),
];

/// All their names.
pub fn names() -> String {
    NAMES.map(|(name, _)| name).join(", ")
}

/// The name of the boards of this kind; that of the usual ones is not written.
pub fn word(kind: BoardKind) -> &'static str {
    NAMES.iter().find(|(_, of)| *of == kind).map_or("", |(name, _)| name)
}

/// The kind of board of this name.
pub fn parse(name: &str) -> Option<BoardKind> {
    NAMES.iter().find(|(of, _)| *of == name).map(|(_, kind)| *kind)
}

/// A board with a line and a language of its own.
pub trait MakerSim {
    /// A sensor reads something else now. The message about it may get lost.
    fn sense(&mut self, sq: Square, reading: Reading, is_lost: bool);
    /// Bytes of a host are there.
    fn host_bytes(&mut self, now: Mono, bytes: &[u8]);
    /// When something is there for the host, or the board does something by itself.
    fn next_at(&self) -> Option<Mono>;
    /// Time has passed: takes what has arrived at the host.
    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>);
    /// The cable is cut, or whole again. The board keeps its power.
    fn cut(&mut self, is_cut: bool);
    /// Takes it its power, or gives it back.
    fn power(&mut self, now: Mono, is_on: bool);
    /// Whether it tells of changes by itself.
    fn is_awake(&self) -> bool;
}

/// The boards of this kind that there are.
#[derive(Clone, Debug)]
pub enum AnyMaker {
    /// One of Millennium's.
    ChessLink(Box<ChessLinkSim>),
    /// One of Certabo's.
    Certabo(Box<CertaboSim>),
    /// One of Chessnut's.
    Chessnut(Box<ChessnutSim>),
    /// Novag's.
    Ucb(Box<UcbSim>),
    /// DGT's Pegasus.
    Pegasus(Box<PegasusSim>),
}

impl AnyMaker {
    /// A board of this kind, which sees so much, with these pieces on it; none if that is no
    /// maker's.
    pub fn new(kind: BoardKind, sight: Sight, placement: &Board) -> Option<Self> {
        match kind {
            BoardKind::ChessLink => {
                let board = ChessLinkSim::new(placement.clone(), Orientation::Normal);
                Some(Self::ChessLink(Box::new(board)))
            }
            BoardKind::Certabo => {
                let board = CertaboSim::new(placement, Orientation::Normal, sight);
                Some(Self::Certabo(Box::new(board)))
            }
            BoardKind::Chessnut => {
                let board = ChessnutSim::new(placement.clone(), Orientation::Normal);
                Some(Self::Chessnut(Box::new(board)))
            }
            BoardKind::Ucb => Some(Self::Ucb(Box::new(UcbSim::new(placement.clone())))),
            BoardKind::Pegasus => {
                let board = PegasusSim::new(placement, Orientation::Normal);
                Some(Self::Pegasus(Box::new(board)))
            }
            _ => None,
        }
    }
}

impl Deref for AnyMaker {
    type Target = dyn MakerSim;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::ChessLink(board) => &**board,
            Self::Certabo(board) => &**board,
            Self::Chessnut(board) => &**board,
            Self::Ucb(board) => &**board,
            Self::Pegasus(board) => &**board,
        }
    }
}

impl DerefMut for AnyMaker {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::ChessLink(board) => &mut **board,
            Self::Certabo(board) => &mut **board,
            Self::Chessnut(board) => &mut **board,
            Self::Ucb(board) => &mut **board,
            Self::Pegasus(board) => &mut **board,
        }
    }
}
