//! Dead positions: the table, and that nothing which can be mated is ever called dead.

use super::{position, rows};
use proptest::prelude::*;
use rokade::laws::dead::{self, CanMate, Life, MateSearch};
use shakmaty::zobrist::Zobrist128;
use shakmaty::{
    Board, CastlingMode, Chess, Color, EnPassantMode, File, Move, Piece, Position, Rank, Role,
    Setup, Square,
};
use std::collections::{BTreeSet, VecDeque};

/// A line is a proof: its moves are legal, and the last one mates.
fn assert_mates(pos: &Chess, by: Color, line: &[Move]) {
    let mut pos = pos.clone();
    for &m in line {
        assert!(pos.is_legal(m), "{m:?} of {line:?}");
        pos.play_unchecked(m);
    }
    assert!(pos.is_checkmate() && pos.turn() != by, "{line:?}");
}

fn word(pos: &Chess, by: Color) -> &'static str {
    match dead::can_mate(pos, by, dead::BUDGET) {
        CanMate::Yes(line) => {
            assert_mates(pos, by, &line);
            "yes"
        }
        CanMate::No => "no",
        CanMate::Undecided => "undecided",
    }
}

#[test]
fn who_can_mate_stands_in_the_table() {
    let table = rows::<4>(include_str!("../../tables/laws/dead.csv"));
    assert_eq!(table.len(), 94);
    let mut n_open = 0;
    for [fen, white, black, comment] in table {
        let pos = position(fen);
        assert_eq!(word(&pos, Color::White), white, "{fen}, White: {comment}");
        assert_eq!(word(&pos, Color::Black), black, "{fen}, Black: {comment}");
        n_open += [white, black].iter().filter(|&&word| word == "undecided").count();
        let expected = match (white, black) {
            ("no", "no") => "dead",
            (white, black) if [white, black].contains(&"yes") => "live",
            _ => "undecided",
        };
        let said = match dead::life(&pos, 2 * dead::BUDGET) {
            Life::Dead => "dead",
            Life::Live { by, line } => {
                assert_mates(&pos, by, &line);
                "live"
            }
            Life::Undecided => "undecided",
        };
        assert_eq!(said, expected, "{fen}: {comment}");
    }
    // The completeness that the documents claim: 181 of 188 questions.
    assert_eq!(n_open, 7);
}

#[test]
fn a_search_can_be_taken_up_again() {
    let pos = position("4k3/7p/8/8/8/8/8/3BK3 w - - 0 1");
    let mut search = MateSearch::new(&pos, Color::White);
    let mut n_calls = 0;
    let line = loop {
        n_calls += 1;
        match search.run(100) {
            CanMate::Yes(line) => break line,
            answer => assert_eq!(answer, CanMate::Undecided),
        }
    };
    assert!(n_calls > 3);
    assert_eq!(dead::can_mate(&pos, Color::White, dead::BUDGET), CanMate::Yes(line.clone()));
    let n_spent = search.spent();
    assert_eq!(search.run(100), CanMate::Yes(line), "an answer stays");
    assert_eq!(search.spent(), n_spent);
}

/// The order in which positions are looked at changes no answer, but how soon it comes: these say
/// what a change of it gains or costs.
#[test]
fn the_search_goes_straight() {
    let spent = |pos: &Chess, by: Color| {
        let mut search = MateSearch::new(pos, by);
        let answer = search.run(dead::BUDGET);
        if answer == CanMate::Undecided { 0 } else { search.spent() }
    };
    let table = rows::<4>(include_str!("../../tables/laws/dead.csv"));
    let of_table = table.iter().map(|[fen, ..]| position(fen));
    let n_table: u32 = of_table.flat_map(|pos| Color::ALL.map(|by| spent(&pos, by))).sum();
    let games = (0..400).filter_map(random_mate);
    let late =
        games.filter_map(|(game, by)| Some((game.get(game.len().checked_sub(24)?)?.clone(), by)));
    let n_games: u32 = late.map(|(pos, by)| spent(&pos, by)).sum();
    assert_eq!(
        (n_table, n_games),
        (266_091, 62_690),
        "for the table, and for games that ended in mate"
    );
}

#[test]
fn no_budget_means_no_search() {
    let start = Chess::default();
    assert_eq!(dead::can_mate(&start, Color::White, 0), CanMate::Undecided);
    assert_eq!(dead::life(&start, 0), Life::Undecided);
    let bare = position("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    assert_eq!(dead::life(&bare, 0), Life::Dead);
}

/// A game of random moves that ended in mate: its positions, and who mated.
fn random_mate(seed: u64) -> Option<(Vec<Chess>, Color)> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut game = vec![Chess::default()];
    for _ in 0..400 {
        let pos = &game[game.len() - 1];
        let moves = pos.legal_moves();
        if moves.is_empty() {
            break;
        }
        // The same games on every processor: `usize` draws otherwise where it has 32 bits.
        let drawn = chance.u64(..u64::try_from(moves.len()).expect("few moves"));
        let drawn = usize::try_from(drawn).expect("one of them");
        let next = pos.clone().play(moves[drawn]).expect("a legal move");
        game.push(next);
    }
    let last = &game[game.len() - 1];
    let by = !last.turn();
    last.is_checkmate().then_some((game, by))
}

/// Pawns against pawns on most files, two kings and now and then a piece.
fn wall(seed: u64) -> Option<Chess> {
    let mut chance = fastrand::Rng::with_seed(seed);
    let mut board = Board::empty();
    let low = chance.u32(1..5);
    for file in File::ALL {
        let rank = low + chance.u32(0..2);
        if chance.u8(0..10) < 8 {
            let at = |rank| Square::from_coords(file, Rank::new(rank));
            board.set_piece_at(at(rank), Piece { color: Color::White, role: Role::Pawn });
            board.set_piece_at(at(rank + 1), Piece { color: Color::Black, role: Role::Pawn });
        }
    }
    let mut men = vec![(Color::White, Role::King, 0..3), (Color::Black, Role::King, 5..8)];
    if chance.u8(0..3) == 0 {
        men.push((Color::White, Role::Bishop, 0..8));
    }
    for (color, role, ranks) in men {
        let free: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|&sq| ranks.contains(&u32::from(sq.rank())) && board.piece_at(sq).is_none())
            .collect();
        board.set_piece_at(free[chance.usize(..free.len())], Piece { color, role });
    }
    let turn = if chance.bool() { Color::White } else { Color::Black };
    let setup = Setup { board, turn, ..Setup::empty() };
    setup.position(CastlingMode::Standard).ok()
}

/// Whether a mate by `by` lies within the first `n_max` positions, by no means but trying.
fn is_mate_found(pos: &Chess, by: Color, n_max: usize) -> bool {
    let hash = |pos: &Chess| {
        let Zobrist128(hash) = pos.zobrist_hash(EnPassantMode::Legal);
        hash
    };
    let mut seen = BTreeSet::from([hash(pos)]);
    let mut queue = VecDeque::from([pos.clone()]);
    while let Some(pos) = queue.pop_front() {
        for m in pos.legal_moves() {
            let next = pos.clone().play(m).expect("a legal move");
            if next.is_checkmate() && next.turn() != by {
                return true;
            }
            if seen.len() < n_max && seen.insert(hash(&next)) {
                queue.push_back(next);
            }
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_led_to_mate_was_never_dead(seed in any::<u64>()) {
        if let Some((game, by)) = random_mate(seed) {
            for pos in game.iter().rev().step_by(7) {
                let answer = dead::can_mate(pos, by, 300);
                prop_assert_ne!(answer, CanMate::No);
                prop_assert_ne!(dead::life(pos, 600), Life::Dead);
            }
        }
    }

    #[test]
    fn no_wall_is_called_dead_that_can_be_mated_behind(seed in any::<u64>()) {
        if let Some(pos) = wall(seed) {
            for by in Color::ALL {
                if dead::can_mate(&pos, by, 1_000) == CanMate::No {
                    prop_assert!(!is_mate_found(&pos, by, 5_000));
                }
            }
        }
    }
}

/// An illegal move stands: White has left the king in check, and it is Black's turn.
#[test]
fn a_king_that_was_left_in_check_is_not_taken() {
    let fen: shakmaty::fen::Fen = "4k3/8/8/8/4r3/8/8/4K2R w - - 0 1".parse().unwrap();
    let mut pos: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let (role, from, to) = (Role::Rook, Square::H1, Square::H2);
    pos.play_unchecked(Move::Normal { role, from, capture: None, to, promotion: None });
    for by in Color::ALL {
        assert_ne!(dead::can_mate(&pos, by, dead::BUDGET), CanMate::No);
    }
    assert_ne!(dead::life(&pos, dead::BUDGET), Life::Dead);
}
