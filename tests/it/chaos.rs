//! Hands that respect nothing: whatever is put wherever, the tracker goes on.

use proptest::prelude::*;
use rokade::table::Reading;
use rokade::time::Mono;
use rokade::track::Tracker;
use rokade::track::tracker::{GAP_STEP_MAX, LINES_MAX, STEP_MAX};
use shakmaty::{Chess, Color, Piece, Position, Role, Square};

/// What may happen at a board.
#[derive(Clone, Debug)]
enum Act {
    /// A sensor reads something else.
    Sense(u8, Option<(bool, u8)>),
    /// A piece of the board is carried to another square, wherever that is.
    Carry(u8, u8),
    /// One of the legal moves of the best line is made.
    Move(u8),
    /// A player presses the clock.
    Press(bool),
    /// Nothing happens for so many hundredths of a second.
    Rest(u8),
    /// The board is looked at, for moves of a gap or not.
    Look(bool),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => (0..64u8, prop::option::of((any::<bool>(), 0..6u8)))
            .prop_map(|(sq, piece)| Act::Sense(sq, piece)),
        3 => (0..64u8, 0..64u8).prop_map(|(from, to)| Act::Carry(from, to)),
        6 => any::<u8>().prop_map(Act::Move),
        5 => any::<bool>().prop_map(Act::Press),
        3 => (1..250u8).prop_map(Act::Rest),
        2 => any::<bool>().prop_map(Act::Look),
    ]
}

fn color(is_white: bool) -> Color {
    if is_white { Color::White } else { Color::Black }
}

fn square(idx: u8) -> Square {
    Square::new(u32::from(idx))
}

/// Plays `acts` and checks after each what must hold of the tracker.
fn play(acts: &[Act]) {
    let mut tracker = Tracker::new(Chess::default(), 0);
    let mut ms = 1_000;
    for act in acts {
        ms += 60;
        let now = Mono::from_millis(ms);
        match act {
            Act::Sense(sq, piece) => {
                let reading = piece.map_or(Reading::Empty, |(is_white, role)| {
                    Reading::Piece(Role::ALL[usize::from(role)].of(color(is_white)))
                });
                tracker.sense(now, square(*sq), reading);
            }
            Act::Carry(from, to) => carry(&mut tracker, &mut ms, square(*from), square(*to)),
            Act::Move(pick) => {
                let pos = tracker.best().standing().clone();
                let moves = pos.legal_moves();
                let m = moves.get(usize::from(*pick) % moves.len().max(1));
                if let Some((m, from)) = m.and_then(|m| Some((m, m.from()?))) {
                    carry(&mut tracker, &mut ms, from, m.to());
                }
            }
            Act::Press(is_white) => tracker.press(now, color(*is_white)),
            Act::Rest(hundredths) => ms += u64::from(*hundredths) * 10,
            Act::Look(is_gap) => {
                tracker.look(now, if *is_gap { GAP_STEP_MAX } else { STEP_MAX });
                tracker.settle(tracker.n_undisputed());
            }
        }
        let best = tracker.best();
        assert!(tracker.n_lines() <= LINES_MAX);
        assert!(best.n_standing() <= best.plies.len());
        for color in Color::ALL {
            let n_kings = best.pos.board().by_piece(Role::King.of(color)).count();
            assert_eq!(n_kings, 1, "{act:?}: {}", best.pos.board());
        }
    }
}

fn carry(tracker: &mut Tracker, ms: &mut u64, from: Square, to: Square) {
    let Reading::Piece(piece @ Piece { .. }) = tracker.seen().get(from) else { return };
    tracker.sense(Mono::from_millis(*ms), from, Reading::Empty);
    *ms += 150;
    tracker.sense(Mono::from_millis(*ms), to, Reading::Piece(piece));
}

proptest! {
    #[test]
    fn the_tracker_goes_on_whatever_hands_do(acts in prop::collection::vec(act(), 1..40)) {
        play(&acts);
    }
}
