//! The start positions of Chess960 by their numbers, as LiveChess and the programs that read it
//! have them.

use shakmaty::{Chess, Color, Position as _, Role};

/// How many there are.
const N_STARTS: usize = 960;
/// The places of the knights among the five that are free, in the order of their numbers.
const KNIGHTS: [(usize, usize); 10] =
    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];

/// The number of a start position; `None` for one that is no such. The usual one is 518.
///
/// ```
/// use rokade::relay::chess960::start_number;
/// assert_eq!(start_number(&shakmaty::Chess::new()), Some(518));
/// ```
pub fn start_number(start: &Chess) -> Option<usize> {
    let shown = start.board().board_fen().to_string();
    let is_it = |n: &usize| {
        let white: String = back_rank(*n).iter().map(|role| role.upper_char()).collect();
        let black = white.to_lowercase();
        shown == format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white}")
    };
    (0..N_STARTS).find(|n| start.turn() == Color::White && is_it(n))
}

/// The pieces of a start position from the a-file on, as Reinhard Scharnagl counts them.
fn back_rank(number: usize) -> [Role; 8] {
    let mut row = [None; 8];
    let (n, light) = (number / 4, number % 4);
    let (n, dark) = (n / 4, n % 4);
    let (n, queen) = (n / 6, n % 6);
    row[2 * light + 1] = Some(Role::Bishop);
    row[2 * dark] = Some(Role::Bishop);
    let mut place = |nth: usize, role: Role| {
        let free = row.iter_mut().filter(|at| at.is_none()).nth(nth);
        *free.expect("as many places are free as are counted") = Some(role);
    };
    let (first, second) = KNIGHTS[n];
    place(queen, Role::Queen);
    place(second, Role::Knight);
    place(first, Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        place(0, role);
    }
    row.map(|at| at.expect("eight pieces have been placed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    #[test]
    fn each_start_has_the_number_that_it_is_known_by() {
        for (rank, number) in [
            ("bbqnnrkr", 0),
            ("bqnbnrkr", 1),
            ("qbbnrnkr", 100),
            ("nrbkqrnb", 343),
            ("rnbqkbnr", 518),
            ("rbbqknnr", 692),
            ("rkrnnqbb", 959),
        ] {
            let row: String = rank.to_uppercase();
            let fen = format!("{rank}/pppppppp/8/8/8/8/PPPPPPPP/{row} w KQkq - 0 1");
            let fen: Fen = fen.parse().unwrap();
            let start: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
            assert_eq!(start_number(&start), Some(number), "{rank}");
        }
        let fen: Fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
        let other: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        assert_eq!(start_number(&other), None);
    }

    #[test]
    fn all_numbers_are_starts_of_their_own() {
        let all: std::collections::BTreeSet<String> = (0..N_STARTS)
            .map(|n| back_rank(n).iter().map(|role| role.upper_char()).collect())
            .collect();
        assert_eq!(all.len(), N_STARTS);
        let is_lawful = |row: &String| {
            let at = |piece| row.find(piece).unwrap();
            let bishops: usize = row.match_indices('B').map(|(at, _)| at).sum();
            at('R') < at('K') && at('K') < row.rfind('R').unwrap() && bishops % 2 == 1
        };
        assert!(all.iter().all(is_lawful));
    }
}
