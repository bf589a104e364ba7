//! A piece that is held for a while and put back.

use rokade::game::{Effect, Event, Fact, Game};
use rokade::laws::FindingKind;
use rokade::sim::replay::settings_of;
use rokade::sim::script::Header;
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::{BoardMessage, Dump, Orientation};
use shakmaty::{Board, Square};

/// What is told to be displaced on a board on which these squares change, at these milliseconds.
/// Of a clock nothing is heard, not even that there is none.
fn lost(changes: &[(u64, Square, Option<Square>)], until: u64) -> Vec<FindingKind> {
    let mut game = Game::new(settings_of(&Header::dgt()));
    let (mut effects, start) = (Vec::new(), Board::new());
    let mut handle = |ms: u64, event: &Event| {
        let at = Stamp { mono: Mono::from_millis(ms), wall: Wall(0) };
        game.handle(at, event, &mut effects);
    };
    let (way, mut stands) = (Orientation::Normal, start.clone());
    handle(0, &Event::LinkUp);
    let mut changes = changes.iter().peekable();
    for ms in (1_000..until).step_by(10) {
        while let Some((_, sq, piece_of)) = changes.next_if(|(at, ..)| *at <= ms) {
            stands.discard_piece_at(*sq);
            if let Some(piece) = piece_of.and_then(|from| start.piece_at(from)) {
                stands.set_piece_at(*sq, piece);
            }
            let field = way.field(*sq);
            let code = Dump::new(&stands, way).code(field);
            handle(ms, &Event::Board(BoardMessage::Field { field, code }));
        }
        // The board is read again and again.
        if ms % 1_000 == 0 {
            handle(ms, &Event::Board(BoardMessage::Dump(Box::new(Dump::new(&stands, way)))));
        }
        handle(ms, &Event::Timeout);
    }
    let lost = effects.into_iter().filter_map(|effect| match effect {
        Effect::Record(entry) => match entry.fact {
            Fact::PositionLost(finding) => Some(finding.kind),
            _ => None,
        },
        _ => None,
    });
    lost.collect()
}

/// How long the board has differed from the record counts from when it last agreed with it.
#[test]
fn the_time_in_a_hand_does_not_count_for_what_differs_later() {
    use Square::*;
    let held = [(4_000, E2, None), (7_000, E2, Some(E2))];
    let moved = [
        (8_000, E2, None),
        (8_250, E4, Some(E2)),
        (9_250, E7, None),
        (9_500, E5, Some(E7)),
        (10_900, G1, None),
        (11_150, F3, Some(G1)),
    ];
    let changes = [&held[..], &moved[..]].concat();
    assert_eq!(lost(&changes, 20_000), []);
    // Two that are gone for so long are told.
    let gone = [(4_000, A2, None), (4_300, B2, None)];
    assert_eq!(lost(&gone, 20_000), [FindingKind::Displaced { squares: vec![A2, B2] }]);
}
