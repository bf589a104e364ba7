//! Wrong a move is illegal, in the words of the log.

use super::history::History;
use crate::table::{Placement, words};
use shakmaty::san::San;
use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, Move, Piece, Position, Rank, Role, Square,
    attacks,
};

macro_rules! reasons {
    ($($name:ident = $words:literal,)*) => {
        words! {
            /// Why a move is illegal.
            #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
            pub enum Wrong {
                $(#[doc = concat!("In the log: ", $words, ".")] $name = $words,)*
            }
        }
    };
}

reasons! {
    KingCaptured = "king captured",
    NoMove = "no move made",
    TwoHands = "two hands",
    NoLegalMove = "no legal move explains the board",
    CastlingNotDone = "castling not carried out",
    PawnNotReplaced = "pawn not replaced",
    CaptiveNotRemoved = "captured pawn not removed",
    Exchanged = "another piece was put down",
    PromotedToNoPiece = "promotion only to queen, rook, bishop or knight",
    PromotedToEnemy = "promotion piece of the wrong colour",
    OwnPiece = "square occupied by an own piece",
    NotAKnightMove = "not a knight move",
    NotABishopMove = "not a bishop move",
    NotARookMove = "not a rook move",
    NotAQueenMove = "not a queen move",
    NotAPawnMove = "not a pawn move",
    NotAKingMove = "not a king move",
    PassesOverPiece = "passes over a piece",
    AheadOccupied = "square ahead occupied",
    NotFromOriginal = "double step not from the original square",
    ThreeSquares = "three squares",
    FourSquares = "four squares",
    FiveSquares = "five squares",
    EnPassantTooLate = "en passant only directly after the double step",
    NothingToCapture = "nothing to capture",
    SquareAttacked = "square attacked",
    CastlingUpward = "castling only along the first rank",
    KingHasMoved = "king has moved before",
    RookHasMoved = "rook has moved before",
    PathOccupied = "square on the path occupied",
    PieceBetween = "piece between king and rook",
    KingInCheck = "king in check",
    CastlingOutOfCheck = "castling out of check",
    CrossesAttacked = "crosses an attacked square",
    TargetAttacked = "target square attacked",
    CheckNotAnswered = "check not answered",
    KingExposed = "own king exposed",
}

impl Wrong {
    /// Whether a piece of another kind was put down than the one that went. To those who go by
    /// moves nothing but disorder can look so.
    pub const fn is_exchange(self) -> bool {
        matches!(self, Self::Exchanged | Self::PromotedToNoPiece | Self::PromotedToEnemy)
    }
}

/// A piece that went where it may not go.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    pub piece: Piece,
    pub from: Square,
    pub to: Square,
}

words! {
    /// How far an illegal move got.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Stage {
        /// It stands on the board.
        Made = "made",
        /// The clock was pressed on it.
        Completed = "completed",
    }
}

/// The one move of the side to move that the board shows, legal or not. Where several pieces have
/// gone, a king that set out to castle counts, then the last of `lifted`.
pub(super) fn attempt(pos: &Chess, seen: &Placement, lifted: &[Square]) -> Option<Attempt> {
    let turn = pos.turn();
    let diff = seen.differs(pos.board());
    let mut found: Vec<Attempt> = Vec::new();
    for to in diff & seen.occupied() {
        for from in diff & pos.us() {
            let Some(piece) = pos.board().piece_at(from) else { continue };
            let is_promoted = piece.role == Role::Pawn && is_last(to, turn);
            let may_be = seen.get(to).may_be(piece) || is_promoted && seen.piece_at(to).is_some();
            let is_gone = seen.piece_at(from) != Some(piece);
            if from != to && may_be && is_gone {
                found.push(Attempt { piece, from, to });
            }
        }
    }
    if found.is_empty() {
        found = exchanged(pos, seen, diff);
    }
    let is_king = |attempt: &&Attempt| attempt.piece.role == Role::King;
    let rank = |attempt: &Attempt| lifted.iter().rposition(|sq| *sq == attempt.from);
    found.iter().find(is_king).copied().or_else(|| found.into_iter().max_by_key(rank))
}

/// A piece that went, if another of its color was put down in its place. Kings are never taken for
/// others.
fn exchanged(pos: &Chess, seen: &Placement, diff: Bitboard) -> Vec<Attempt> {
    let is_king = |piece: Piece| piece.role == Role::King;
    let mut found = Vec::new();
    for to in diff & seen.known().by_color(pos.turn()) & !pos.us() {
        for from in diff & pos.us() & !seen.occupied() {
            let Some(piece) = pos.board().piece_at(from) else { continue };
            let has_king = is_king(piece) || seen.piece_at(to).is_none_or(is_king);
            if !has_king {
                found.push(Attempt { piece, from, to });
            }
        }
    }
    found
}

fn is_last(sq: Square, color: Color) -> bool {
    sq.rank() == color.relative_rank(Rank::Eighth)
}

impl Attempt {
    /// How a score sheet would have it, without asking whether it is legal.
    pub(super) fn san(&self, pos: &Chess) -> String {
        let Self { piece, from, to } = *self;
        let capture = pos.them().contains(to);
        let file = (piece.role == Role::Pawn && capture).then(|| from.file());
        San::Normal { role: piece.role, file, rank: None, capture, to, promotion: None }.to_string()
    }

    /// The move as one that could be played without asking whether it is legal; for the position
    /// that stands.
    pub(super) fn as_move(&self, pos: &Chess, seen: &Placement) -> Option<Move> {
        let capture = pos.board().piece_at(self.to).map(|piece| piece.role);
        let arrived = seen.piece_at(self.to).unwrap_or(self.piece);
        let promotion = Some(arrived.role).filter(|role| *role != self.piece.role);
        let m = Move::Normal {
            role: self.piece.role,
            from: self.from,
            capture,
            to: self.to,
            promotion,
        };
        let castle = castle_of(pos, self).map(|(rook, _)| Move::Castle { king: self.from, rook });
        [Some(m), castle].into_iter().flatten().find(|m| {
            let is_king = capture == Some(Role::King);
            !is_king && is_free(pos, *m) && {
                let mut after = pos.clone();
                after.play_unchecked(*m);
                seen.differs(after.board()).is_empty()
            }
        })
    }

    fn is_promotion(&self) -> bool {
        self.piece.role == Role::Pawn && is_last(self.to, self.piece.color)
    }

    /// Whether another piece was put down than the one that went.
    pub(super) fn is_exchanged(&self, seen: &Placement) -> bool {
        seen.piece_at(self.to).is_some_and(|arrived| arrived != self.piece)
    }

    /// Why it is illegal.
    pub(super) fn why(&self, history: &History, seen: &Placement, stage: Stage) -> Wrong {
        let pos = history.last();
        let Self { piece, to, .. } = *self;
        if let Some(arrived) = seen.piece_at(to)
            && arrived != piece
        {
            return if arrived.color == piece.color && !self.is_promotion() {
                Wrong::Exchanged
            } else if arrived.color == piece.color {
                Wrong::PromotedToNoPiece
            } else {
                Wrong::PromotedToEnemy
            };
        }
        if pos.board().piece_at(to).is_some_and(|victim| victim.role == Role::King) {
            return Wrong::KingCaptured;
        }
        if let Some((rook, side)) = castle_of(pos, self) {
            return self.why_no_castling(history, rook, side, stage);
        }
        if pos.us().contains(to) {
            return Wrong::OwnPiece;
        }
        match piece.role {
            Role::Pawn => self.why_no_pawn_move(pos),
            Role::King => self.why_no_king_move(seen, stage),
            role => self.why_no_officer_move(pos, role),
        }
    }

    fn why_no_officer_move(&self, pos: &Chess, role: Role) -> Wrong {
        let free = attacks::attacks(self.from, self.piece, Bitboard::EMPTY);
        if !free.contains(self.to) {
            return match role {
                Role::Knight => Wrong::NotAKnightMove,
                Role::Bishop => Wrong::NotABishopMove,
                Role::Rook => Wrong::NotARookMove,
                _ => Wrong::NotAQueenMove,
            };
        }
        if !attacks::attacks(self.from, self.piece, pos.board().occupied()).contains(self.to) {
            return Wrong::PassesOverPiece;
        }
        exposed(pos)
    }

    fn why_no_pawn_move(&self, pos: &Chess) -> Wrong {
        let up = if self.piece.color.is_white() { 1 } else { -1 };
        let ranks = (self.to.rank() as i32 - self.from.rank() as i32) * up;
        let files = (self.to.file() as i32 - self.from.file() as i32).abs();
        let occupied = pos.board().occupied();
        let between = attacks::between(self.from, self.to);
        match (files, ranks) {
            (0, 1) if occupied.contains(self.to) => Wrong::AheadOccupied,
            (0, 2) if self.from.rank() != self.piece.color.relative_rank(Rank::Second) => {
                Wrong::NotFromOriginal
            }
            (0, 2) if !(between & occupied).is_empty() => Wrong::PassesOverPiece,
            (0, 2) if occupied.contains(self.to) => Wrong::AheadOccupied,
            (0, 3) => Wrong::ThreeSquares,
            (0, 4) => Wrong::FourSquares,
            (0, 5) => Wrong::FiveSquares,
            (1, 1) if !occupied.contains(self.to) => self.why_no_diagonal(pos),
            (0, 1 | 2) | (1, 1) => exposed(pos),
            _ => Wrong::NotAPawnMove,
        }
    }

    /// A pawn went to an empty square beside its file.
    fn why_no_diagonal(&self, pos: &Chess) -> Wrong {
        let passed = Square::from_coords(self.to.file(), self.from.rank());
        let is_pawn = |sq| pos.board().piece_at(sq) == Some(Role::Pawn.of(!self.piece.color));
        let is_fifth = self.from.rank() == self.piece.color.relative_rank(Rank::Fifth);
        if pos.legal_ep_square() == Some(self.to) {
            Wrong::CaptiveNotRemoved
        } else if pos.pseudo_legal_ep_square() == Some(self.to) {
            exposed(pos)
        } else if is_fifth && is_pawn(passed) {
            Wrong::EnPassantTooLate
        } else {
            Wrong::NothingToCapture
        }
    }

    fn why_no_king_move(&self, seen: &Placement, stage: Stage) -> Wrong {
        if attacks::king_attacks(self.from).contains(self.to) {
            return Wrong::SquareAttacked;
        }
        let passed = attacks::between(self.from, self.to);
        let rook = Role::Rook.of(self.piece.color);
        let is_vertical = self.from.file() == self.to.file()
            && passed.single_square().is_some_and(|sq| seen.piece_at(sq) == Some(rook));
        if stage == Stage::Completed && is_vertical {
            Wrong::CastlingUpward
        } else {
            Wrong::NotAKingMove
        }
    }

    fn why_no_castling(
        &self,
        history: &History,
        rook: Square,
        side: CastlingSide,
        stage: Stage,
    ) -> Wrong {
        let (pos, turn) = (history.last(), self.piece.color);
        let has_right = pos.castles().rook(turn, side) == Some(rook);
        let moved = |role: Role, sq: Square| {
            history.plies().iter().any(|ply| {
                ply.by == turn && ply.m.role() == role && (ply.m.from() == Some(sq))
                    || ply.by == turn && ply.m.is_castle()
            })
        };
        if !has_right {
            let has_other = pos.castles().rook(turn, !side).is_some();
            return if moved(Role::King, self.from) {
                Wrong::KingHasMoved
            } else if moved(Role::Rook, rook) || has_other {
                Wrong::RookHasMoved
            } else {
                Wrong::KingHasMoved
            };
        }
        let (king_to, rook_to) = (side.king_to(turn), side.rook_to(turn));
        let pieces = Bitboard::from(self.from).with(rook);
        let kings_way = attacks::between(self.from, king_to).with(king_to);
        let rooks_way = attacks::between(rook, rook_to).with(rook_to);
        if !((kings_way | rooks_way) & pos.board().occupied() & !pieces).is_empty() {
            return match history.mode() {
                CastlingMode::Chess960 => Wrong::PathOccupied,
                CastlingMode::Standard => Wrong::PieceBetween,
            };
        }
        let is_attacked =
            |sq: Square| !pos.king_attackers(sq, !turn, pos.board().occupied()).is_empty();
        if is_attacked(self.from) {
            return match stage {
                Stage::Made => Wrong::KingInCheck,
                Stage::Completed => Wrong::CastlingOutOfCheck,
            };
        }
        let passes = attacks::between(self.from, king_to).into_iter().any(is_attacked);
        if passes { Wrong::CrossesAttacked } else { Wrong::TargetAttacked }
    }
}

/// Whether king and rook find no third piece where they come to stand: nothing is captured by
/// castling.
fn is_free(pos: &Chess, m: Move) -> bool {
    let (Move::Castle { king, rook }, Some(side)) = (m, m.castling_side()) else { return true };
    let turn = pos.turn();
    let ends = Bitboard::from(side.king_to(turn)).with(side.rook_to(turn));
    (ends & pos.board().occupied() & !Bitboard::from(king).with(rook)).is_empty()
}

/// The check was not answered, or the move brings it about.
fn exposed(pos: &Chess) -> Wrong {
    if pos.is_check() { Wrong::CheckNotAnswered } else { Wrong::KingExposed }
}

/// If a king goes to where it stands after castling, the rook it would castle with.
pub(super) fn castle_of(pos: &Chess, attempt: &Attempt) -> Option<(Square, CastlingSide)> {
    let turn = pos.turn();
    let is_home = attempt.from.rank() == turn.backrank() && attempt.to.rank() == turn.backrank();
    if attempt.piece.role != Role::King || !is_home || attempt.from.distance(attempt.to) < 2 {
        return None;
    }
    let side = CastlingSide::ALL.into_iter().find(|side| side.king_to(turn) == attempt.to)?;
    let rooks = pos.board().by_piece(Role::Rook.of(turn));
    let is_beyond = |sq: &Square| {
        sq.rank() == turn.backrank()
            && match side {
                CastlingSide::KingSide => sq.file() > attempt.from.file(),
                CastlingSide::QueenSide => sq.file() < attempt.from.file(),
            }
    };
    let right = pos.castles().rook(turn, side);
    let rook = right.or_else(|| rooks.into_iter().find(is_beyond))?;
    Some((rook, side))
}
