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
use std::fmt;

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
pub trait MakerSim: fmt::Debug + Send {
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

/// A board of this kind, which sees so much, with these pieces on it; none if that is no maker's.
pub fn board(kind: BoardKind, sight: Sight, placement: &Board) -> Option<Box<dyn MakerSim>> {
    let lies = Orientation::Normal;
    let board: Box<dyn MakerSim> = match kind {
        BoardKind::ChessLink => Box::new(ChessLinkSim::new(placement.clone(), lies)),
        BoardKind::Certabo => Box::new(CertaboSim::new(placement, lies, sight)),
        BoardKind::Chessnut => Box::new(ChessnutSim::new(placement.clone(), lies)),
        BoardKind::Ucb => Box::new(UcbSim::new(placement.clone())),
        BoardKind::Pegasus => Box::new(PegasusSim::new(placement, lies)),
        BoardKind::Dgt | BoardKind::Scanned => return None,
    };
    Some(board)
}
