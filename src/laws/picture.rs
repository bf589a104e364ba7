//! What stands on the board, held against a position and its legal moves.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position, Role, Square};

/// What the sensor of one square tells.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Thing {
    /// A piece with its name.
    Piece(Piece),
    /// Something: the sensor knows no names.
    Something,
}

/// What stands where, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    known: Board,
    something: Bitboard,
}

impl Picture {
    /// The squares that are seen, of named pieces and of unnamed ones.
    pub const fn new(known: Board, something: Bitboard) -> Self {
        Self { known, something }
    }

    /// What stands on `sq`.
    pub fn get(&self, sq: Square) -> Option<Thing> {
        match self.known.piece_at(sq) {
            Some(piece) => Some(Thing::Piece(piece)),
            None if self.something.contains(sq) => Some(Thing::Something),
            None => None,
        }
    }

    /// The piece on `sq`, if it is known by name.
    pub fn piece_at(&self, sq: Square) -> Option<Piece> {
        self.known.piece_at(sq)
    }

    /// From now on `thing` stands on `sq`.
    pub fn set(&mut self, sq: Square, thing: Option<Thing>) {
        self.known.discard_piece_at(sq);
        self.something.discard(sq);
        match thing {
            None => {}
            Some(Thing::Piece(piece)) => self.known.set_piece_at(sq, piece),
            Some(Thing::Something) => self.something.add(sq),
        }
    }

    /// The pieces known by name.
    pub const fn known(&self) -> &Board {
        &self.known
    }

    /// The squares with something without a name.
    pub const fn something(&self) -> Bitboard {
        self.something
    }

    /// The squares on which anything stands.
    pub fn occupied(&self) -> Bitboard {
        self.known.occupied() | self.something
    }

    /// The squares that contradict `board`.
    pub fn differs(&self, board: &Board) -> Bitboard {
        let seen = &self.known;
        let colors = (seen.white() ^ board.white()) | (seen.black() ^ board.black());
        let named = Role::ALL
            .into_iter()
            .fold(colors, |all, role| all | (seen.by_role(role) ^ board.by_role(role)));
        (named & !self.something) | (self.something & !board.occupied())
    }

    /// Whether `sq` may show what `board` has there.
    fn fits(&self, sq: Square, board: &Board) -> bool {
        match self.get(sq) {
            None => !board.occupied().contains(sq),
            Some(Thing::Piece(piece)) => board.piece_at(sq) == Some(piece),
            Some(Thing::Something) => board.occupied().contains(sq),
        }
    }
}

/// The squares on which `m` changes what stands there.
pub fn squares_of(m: Move, turn: Color) -> Bitboard {
    match m {
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(king < rook);
            Bitboard::from(king).with(rook).with(side.king_to(turn)).with(side.rook_to(turn))
        }
        Move::EnPassant { from, to } => Bitboard::from(from).with(to).with(victim_of(m)),
        Move::Normal { from, to, .. } => Bitboard::from(from).with(to),
        Move::Put { to, .. } => to.into(),
    }
}

/// Where the piece that `m` captures stands; the target of a move that captures nothing.
pub fn victim_of(m: Move) -> Square {
    match m {
        Move::EnPassant { from, to } => Square::from_coords(to.file(), from.rank()),
        _ => m.to(),
    }
}

/// Where the moving piece comes to stand: of castling, the king.
pub fn target_of(m: Move, turn: Color) -> Square {
    m.castling_side().map_or(m.to(), |side| side.king_to(turn))
}

/// The legal moves. Where a king stands in a check that was ignored, its capture is none of them.
fn legal(pos: &Chess) -> impl Iterator<Item = Move> {
    pos.legal_moves().into_iter().filter(|m| m.capture() != Some(Role::King))
}

/// The legal moves after which the board would look as it does.
pub fn exact(pos: &Chess, seen: &Picture) -> Vec<Move> {
    let diff = seen.differs(pos.board());
    let fits = |m: &Move| {
        if !(diff & !squares_of(*m, pos.turn())).is_empty() {
            return false;
        }
        let mut after = pos.clone();
        after.play_unchecked(*m);
        seen.differs(after.board()).is_empty()
    };
    legal(pos).filter(fits).collect()
}

/// The legal moves on the way of which the board may look as it does.
pub fn partial(pos: &Chess, seen: &Picture) -> Vec<Move> {
    let diff = seen.differs(pos.board());
    legal(pos).filter(|m| is_on_the_way(pos, seen, *m, diff)).collect()
}

/// Whether each square of `diff` shows what it may show while `m` is being made.
fn is_on_the_way(pos: &Chess, seen: &Picture, m: Move, diff: Bitboard) -> bool {
    let turn = pos.turn();
    if !(diff & !squares_of(m, turn)).is_empty() {
        return false;
    }
    let mut after = pos.clone();
    after.play_unchecked(m);
    let is_pawn_arriving = |sq: Square| {
        m.is_promotion() && sq == m.to() && seen.piece_at(sq) == Some(Role::Pawn.of(turn))
    };
    diff.into_iter()
        .all(|sq| seen.get(sq).is_none() || seen.fits(sq, after.board()) || is_pawn_arriving(sq))
}

/// A legal move all of whose own squares show its end while other squares are in disorder.
pub fn disturbed(pos: &Chess, seen: &Picture) -> Option<(Move, Bitboard)> {
    let diff = seen.differs(pos.board());
    let turn = pos.turn();
    let mut found = legal(pos).filter_map(|m| {
        let mut after = pos.clone();
        after.play_unchecked(m);
        let own = squares_of(m, turn);
        let is_done = own.into_iter().all(|sq| seen.fits(sq, after.board()));
        let astray = seen.differs(after.board());
        (is_done && !astray.is_empty() && !(diff & !astray).is_empty()).then_some((m, astray))
    });
    let first = found.next()?;
    let fewest =
        found.fold(first, |best, next| if next.1.count() < best.1.count() { next } else { best });
    Some(fewest)
}

/// The position with the other side to move, where that makes one.
pub fn with_other_turn(pos: &Chess) -> Option<Chess> {
    pos.clone().swap_turn().ok()
}
