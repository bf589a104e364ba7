//! Games for hands to play: one that everybody knows, and as many invented ones as are wanted.

use fastrand::Rng;
use shakmaty::{Chess, Move, Position, Role, san::SanPlus};

/// Morphy against the Duke of Brunswick and Count Isouard, Paris 1858.
const OPERA: &str = "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 \
    cxb5 Bxb5+ Nbd7 O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#";

/// The names of two players.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Players {
    /// White's name.
    pub white: &'static str,
    /// Black's name.
    pub black: &'static str,
}

/// The game that Morphy won at the opera, in seventeen moves and with castling to the far side.
///
/// ```
/// use shakmaty::{Chess, Position};
/// let (players, moves) = rokade::sim::games::opera();
/// assert_eq!(players.white, "Morphy, Paul");
/// let end = moves.iter().try_fold(Chess::default(), |pos, &m| pos.play(m))?;
/// assert!(end.is_checkmate());
/// # Ok::<(), shakmaty::PlayError<Chess>>(())
/// ```
pub fn opera() -> (Players, Vec<Move>) {
    let players = Players { white: "Morphy, Paul", black: "Duke Karl / Count Isouard" };
    let mut pos = Chess::default();
    let moves = OPERA.split_whitespace().map(|san| {
        let san = SanPlus::from_ascii(san.as_bytes()).expect("the opera game is written in SAN");
        let m = san.san.to_move(&pos).expect("the opera game is legal");
        pos.play_unchecked(m);
        m
    });
    (players, moves.collect())
}

/// A legal game from the usual start, until it is over or `n_plies_max` half-moves long. Captures,
/// castling, promotions of every kind and en passant come up far more often than people play them.
pub fn random_game(seed: u64, n_plies_max: usize) -> Vec<Move> {
    random_game_from(&Chess::default(), seed, n_plies_max)
}

/// As [`random_game`], from another position.
pub fn random_game_from(start: &Chess, seed: u64, n_plies_max: usize) -> Vec<Move> {
    let mut rng = Rng::with_seed(seed);
    let mut pos = start.clone();
    let mut moves = Vec::new();
    while moves.len() < n_plies_max && !pos.is_game_over() {
        let legal = pos.legal_moves();
        let total: u32 = legal.iter().map(|&m| liking(&pos, m)).sum();
        let mut ticket = rng.u32(0..total);
        let drawn = legal.iter().find(|&&m| {
            let liked = liking(&pos, m);
            let is_drawn = ticket < liked;
            ticket = ticket.saturating_sub(liked);
            is_drawn
        });
        let m = *drawn.expect("a ticket below the sum belongs to a move");
        moves.push(m);
        pos.play_unchecked(m);
    }
    moves
}

/// How many tickets a move has in the draw.
fn liking(pos: &Chess, m: Move) -> u32 {
    match m {
        Move::Castle { .. } => 60,
        Move::EnPassant { .. } => 60,
        Move::Normal { promotion: Some(_), .. } => 12,
        Move::Normal { role: Role::Pawn, to, .. } => {
            // A pawn that has come far goes on, or nobody would ever promote.
            let rank = u32::from(if pos.turn().is_white() {
                to.rank()
            } else {
                to.rank().flip_vertical()
            });
            if rank >= 4 { 6 * rank } else { 3 }
        }
        // Kings that stay at home can castle.
        Move::Normal { role: Role::King, capture: None, .. } => 1,
        Move::Normal { capture: Some(_), .. } => 6,
        Move::Normal { .. } | Move::Put { .. } => 3,
    }
}
