//! What can never happen, told from where men can get to at best.
//!
//! For each man the squares are gathered that it can possibly reach if everybody helps: a square is
//! added only when a man that is there already could step onto it, and what stands there now could
//! have gone or been captured before. Order, turns and checks are left out of account, so the sets
//! are too large rather than too small: what they rule out is impossible. Blocked pawns stay, and
//! whatever stays closes squares to the enemy king.

use shakmaty::attacks::{
    bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Position, Rank, Role, Square};

/// A man and where it can get to at best.
#[derive(Clone, Debug)]
struct Man {
    role: Role,
    color: Color,
    start: Square,
    /// Squares that it can reach as what it is now.
    here: Bitboard,
    /// Squares that it can reach once promoted, as any piece.
    crowned: Bitboard,
    /// It can be captured where it stands now.
    is_takable: bool,
}

impl Man {
    fn everywhere(&self) -> Bitboard {
        self.here | self.crowned
    }

    fn is_mobile(&self) -> bool {
        self.everywhere() != Bitboard::from_square(self.start)
    }

    /// It stands where it stands until the end.
    fn is_frozen(&self) -> bool {
        !self.is_mobile() && !self.is_takable
    }
}

/// The squares one step away from any of `from`. A slider steps along its line, as it could stop on
/// each square that it passes.
fn steps(role: Role, color: Color, from: Bitboard) -> Bitboard {
    from.into_iter().fold(Bitboard::EMPTY, |all, sq| all | step(role, color, sq))
}

/// The squares one step away; for a pawn those that it attacks.
fn step(role: Role, color: Color, sq: Square) -> Bitboard {
    // With every square occupied a slider sees its neighbors only.
    match role {
        Role::Pawn => pawn_attacks(color, sq),
        Role::Knight => knight_attacks(sq),
        Role::Bishop => bishop_attacks(sq, Bitboard::FULL),
        Role::Rook => rook_attacks(sq, Bitboard::FULL),
        Role::Queen | Role::King => king_attacks(sq),
    }
}

/// Where the men of a position can get to at best.
#[derive(Clone, Debug)]
pub(super) struct Mobility {
    men: Vec<Man>,
}

/// What the men of one round of gathering can rely on.
#[derive(Copy, Clone, Debug, Default)]
struct Footing {
    /// Squares that are empty or could become so.
    clear: Bitboard,
    /// Squares that a man of this color can step onto.
    landable: Bitboard,
    /// Squares on which an enemy may be captured.
    prey: Bitboard,
    /// Squares that men which never leave attack: closed to the king of this color.
    barred: Bitboard,
}

impl Mobility {
    pub(super) fn of(pos: &Chess) -> Self {
        let passed = pos.ep_square(EnPassantMode::PseudoLegal);
        let board = pos.board();
        let man = |(start, piece): (Square, shakmaty::Piece)| Man {
            role: piece.role,
            color: piece.color,
            start,
            here: Bitboard::from_square(start),
            crowned: Bitboard::EMPTY,
            // The pawn that can be taken in passing is not taken on its square.
            is_takable: passed.is_some_and(|to| {
                piece.role == Role::Pawn
                    && piece.color != pos.turn()
                    && is_behind(to, start, piece.color)
            }),
        };
        let mut mobility = Self { men: board.clone().into_iter().map(man).collect() };
        mobility.castle(pos);
        while mobility.gather(passed) {}
        mobility
    }

    /// Castling puts king and rook on their squares, whatever lies between.
    fn castle(&mut self, pos: &Chess) {
        for color in Color::ALL {
            for side in shakmaty::CastlingSide::ALL {
                let Some(rook) = pos.castles().rook(color, side) else { continue };
                for man in &mut self.men {
                    if man.color == color && man.role == Role::King {
                        man.here.add(side.king_to(color));
                    } else if man.start == rook {
                        man.here.add(side.rook_to(color));
                    }
                }
            }
        }
    }

    /// One round; whether anything was added.
    fn gather(&mut self, passed: Option<Square>) -> bool {
        let mut is_new = false;
        let grounds = [self.ground(Color::White, passed), self.ground(Color::Black, passed)];
        let ground_of = |color: Color| &grounds[usize::from(color.is_black())];
        let takes = [self.takes(Color::White, &grounds[0]), self.takes(Color::Black, &grounds[1])];
        for man in &mut self.men {
            let ground = ground_of(man.color);
            let (here, crowned) = grown(man, ground);
            let is_takable = man.is_takable
                || (man.role != Role::King
                    && takes[usize::from(man.color.is_white())].contains(man.start));
            is_new |= here != man.here || crowned != man.crowned || is_takable != man.is_takable;
            (man.here, man.crowned, man.is_takable) = (here, crowned, is_takable);
        }
        is_new
    }

    fn ground(&self, color: Color, passed: Option<Square>) -> Footing {
        let mut ground = Footing { clear: Bitboard::FULL, ..Footing::default() };
        for man in &self.men {
            if !man.is_mobile() && !man.is_takable {
                ground.clear.discard(man.start);
            }
            if man.color != color {
                if man.role != Role::King {
                    ground.landable.add(man.start);
                    ground.prey |= man.everywhere();
                }
                if man.is_frozen() {
                    ground.barred |= step(man.role, man.color, man.start);
                }
            }
        }
        ground.landable |= ground.clear;
        // Given to both sides: a way too many never rules out what is possible.
        ground.prey.extend(passed);
        ground
    }

    /// Squares on which men of this color could capture at best.
    fn takes(&self, color: Color, ground: &Footing) -> Bitboard {
        let own = self.men.iter().filter(|man| man.color == color);
        own.fold(Bitboard::EMPTY, |all, man| {
            let squares = steps(man.role, color, man.here);
            let closed = if man.role == Role::King { ground.barred } else { Bitboard::EMPTY };
            all | squares.without(closed) | piece_steps(man.crowned)
        })
    }

    /// Whether a mate by this color can be excluded.
    pub(super) fn excludes_mate(&self, by: Color) -> bool {
        let kings = |color| {
            let king = self.men.iter().find(|man| man.color == color && man.role == Role::King);
            king.map_or(Bitboard::EMPTY, |man| man.here)
        };
        let (covers, checks) = (Reach::of(self, by, |_| true), Reach::of(self, by, Man::is_mobile));
        let own = self.men.iter().filter(|man| man.color != by && man.role != Role::King);
        let blocks = own.fold(Bitboard::EMPTY, |all, man| all | man.everywhere());
        !kings(!by).into_iter().any(|king| {
            // What no king is needed for does not depend on where it stands.
            let flights = king_attacks(king);
            let open = flights
                .into_iter()
                .filter(|&sq| !blocks.contains(sq) && !covers.covers(sq, king, !by));
            let open: Bitboard = open.collect();
            let is_near = |other: Square| other == king || flights.contains(other);
            checks.attacks(king, !by)
                && kings(by)
                    .into_iter()
                    .any(|other| !is_near(other) && open.is_subset(king_attacks(other)))
        })
    }
}

/// Whether `pawn` stands just beyond the square that it passed.
fn is_behind(passed: Square, pawn: Square, color: Color) -> bool {
    passed.offset(color.fold_wb(8, -8)) == Some(pawn)
}

fn piece_steps(from: Bitboard) -> Bitboard {
    from.into_iter().fold(Bitboard::EMPTY, |all, sq| all | king_attacks(sq) | knight_attacks(sq))
}

/// Where a man can get to one step further.
fn grown(man: &Man, ground: &Footing) -> (Bitboard, Bitboard) {
    let mut here = man.here;
    let mut crowned = man.crowned | (piece_steps(man.crowned) & ground.landable);
    match man.role {
        Role::Pawn => {
            let ahead = man.here.shift(man.color.fold_wb(8, -8)) & ground.clear;
            here |= ahead | (steps(Role::Pawn, man.color, man.here) & ground.prey);
            let last = Bitboard::from_rank(man.color.fold_wb(Rank::Eighth, Rank::First));
            crowned |= here & last;
            here = here.without(last);
        }
        Role::King => {
            here |=
                (steps(Role::King, man.color, man.here) & ground.landable).without(ground.barred);
        }
        role => here |= steps(role, man.color, man.here) & ground.landable,
    }
    (here, crowned)
}

/// From where the men of one color can attack at best, the king left out.
#[derive(Copy, Clone, Debug, Default)]
struct Reach {
    pawns: Bitboard,
    knights: Bitboard,
    diagonals: Bitboard,
    straights: Bitboard,
}

impl Reach {
    fn of(mobility: &Mobility, color: Color, is_counted: impl Fn(&Man) -> bool) -> Self {
        let mut reach = Self::default();
        for man in mobility.men.iter().filter(|man| man.color == color && is_counted(man)) {
            let (here, crowned) = (man.here, man.crowned);
            reach.knights |= crowned;
            reach.diagonals |= crowned;
            reach.straights |= crowned;
            match man.role {
                Role::Pawn => reach.pawns |= here,
                Role::Knight => reach.knights |= here,
                Role::Bishop => reach.diagonals |= here,
                Role::Rook => reach.straights |= here,
                Role::Queen => {
                    reach.diagonals |= here;
                    reach.straights |= here;
                }
                Role::King => {}
            }
        }
        reach
    }

    /// Whether a square can be attacked; `victim` is the color of who would stand there.
    fn attacks(&self, sq: Square, victim: Color) -> bool {
        (pawn_attacks(victim, sq) & self.pawns).any()
            || (knight_attacks(sq) & self.knights).any()
            || (bishop_attacks(sq, Bitboard::FULL) & self.diagonals).any()
            || (rook_attacks(sq, Bitboard::FULL) & self.straights).any()
    }

    /// Whether a flight square of a king can be attacked, also through the king.
    fn covers(&self, flight: Square, king: Square, victim: Color) -> bool {
        let beside = self.without(king);
        if beside.attacks(flight, victim) {
            return true;
        }
        let line = queen_attacks(king, Bitboard::FULL) & shakmaty::attacks::ray(flight, king);
        let beyond = line.without(flight);
        let is_straight = rook_attacks(king, Bitboard::FULL).contains(flight);
        let sliders = if is_straight { self.straights } else { self.diagonals };
        (beyond & sliders).any()
    }

    fn without(self, sq: Square) -> Self {
        Self {
            pawns: self.pawns.without(sq),
            knights: self.knights.without(sq),
            diagonals: self.diagonals.without(sq),
            straights: self.straights.without(sq),
        }
    }
}
