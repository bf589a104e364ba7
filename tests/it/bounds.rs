//! What one game may take: memory that grows with its moves alone, and so much search for an event
//! and no more.

use rokade::game::{Fact, Scored};
use rokade::sim::{Replay, Script};
use rokade::table::{Placement, Reading};
use rokade::time::Mono;
use rokade::track::Tracker;
use rokade::track::line::UNEXPLAINED_MAX;
use rokade::track::past::{PAST_MAX, Past};
use rokade::track::tracker::{GAP_STEP_MAX, STEP_MAX};
use shakmaty::{Board, Chess, Color, Square};

/// What `src/ARCHITECTURE.md` says of a half-move on record, in bytes.
const HALF_MOVE_MAX: usize = 400;

fn replay(name: &str) -> Replay {
    let path = format!("{}/tests/traces/{name}.trace.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    Replay::run(&Script::parse(&text).expect("a trace of ours"))
}

fn cuts(replay: &Replay) -> Vec<u64> {
    let n_cut = replay.entries.iter().filter_map(|entry| match entry.fact {
        Fact::SearchCut { n } => Some(n),
        _ => None,
    });
    n_cut.collect()
}

/// Every white piece but the king two ranks further on: far more than can be explained.
fn advanced() -> Placement {
    let mut seen = Placement::from(Board::new());
    for (sq, piece) in Board::new().iter().filter(|(_, piece)| piece.color == Color::White) {
        if piece != Color::White.king() {
            seen.set(sq, Reading::Empty);
            let to = Square::from_coords(sq.file(), sq.rank().offset(3).expect("a rank"));
            seen.set(to, Reading::Piece(piece));
        }
    }
    seen
}

#[test]
fn what_hands_and_gaps_bring_is_searched_to_the_end() {
    for name in ["80d-six-plies-in-a-gap", "79-burst"] {
        assert!(cuts(&replay(name)).is_empty(), "{name}");
    }
}

#[test]
fn no_board_makes_the_search_go_on_for_ever() {
    let mut tracker = Tracker::new(Chess::default(), 0);
    // Empty, the board fits too many lines; advanced, none.
    for (second, seen) in [(1, Placement::empty()), (2, advanced()), (3, Placement::empty())] {
        let at = |ms: u64| Mono::from_millis(second * 10_000 + ms);
        tracker.picture(at(0), &seen);
        tracker.press(at(100), Color::White);
        tracker.look(at(2_000), STEP_MAX);
        tracker.look(at(4_000), GAP_STEP_MAX);
        assert_eq!(tracker.seen(), &seen);
    }
    assert!(tracker.n_cut() > 0, "nothing was cut");
}

#[test]
fn presses_without_moves_are_not_kept_for_ever() {
    let mut tracker = Tracker::new(Chess::default(), 0);
    for n in 1..500 {
        let by = if n % 2 == 0 { Color::White } else { Color::Black };
        tracker.press(Mono::from_millis(n * 3_000), by);
    }
    let best = tracker.best();
    assert_eq!((best.plies.len(), best.unexplained.len()), (0, UNEXPLAINED_MAX));
}

#[test]
fn pictures_of_the_past_are_bounded() {
    let (mut past, seen) = (Past::default(), Placement::from(Board::new()));
    for n in 1..500 {
        past.press(Mono::from_millis(n * 3_000), Color::White, &seen, None);
    }
    assert_eq!(past.snaps().len(), PAST_MAX);
}

#[test]
fn a_half_move_takes_as_much_as_the_documents_say() {
    let size = size_of::<Scored>() + size_of::<Chess>();
    assert!(size <= HALF_MOVE_MAX, "{size} bytes");
}
