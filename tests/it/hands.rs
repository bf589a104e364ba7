//! Human hands: what they do to a board must lead where the moves lead, whatever happens between.

use rokade::sim::games::random_game_from;
use rokade::sim::hands::Odd;
use rokade::sim::script::Happening;
use rokade::sim::{Also, Manners, Performance, Script, TableKind, Truth, perform};
use rokade::table::{Placement, Sight};
use rokade::time::Mono;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, CastlingSide, Chess, KnownOutcome, Move, Position};
use std::collections::BTreeMap;

const SIGHTS: [Sight; 3] = [Sight::Pieces, Sight::Colors, Sight::Occupied];
const DGT: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };

fn position(fen: &str, mode: CastlingMode) -> Chess {
    let fen: Fen = fen.parse().expect("a FEN");
    fen.into_position(mode).expect("a legal position")
}

/// What stands on the board at the end, heard of or not.
fn wood(start: &Chess, script: &Script) -> Placement {
    let mut placement = script.header.sight.of_board(start.board());
    for (_, happening) in &script.happenings {
        if let Happening::Sensed { sq, reading, .. } = happening {
            placement.set(*sq, *reading);
        }
    }
    placement
}

fn play(manners: &Manners, table: TableKind, seed: u64) -> Performance {
    let start = Chess::default();
    let moves = random_game_from(&start, seed, 60);
    perform(&start, CastlingMode::Standard, &moves, None, manners, table, seed)
}

#[test]
fn seed_decides_everything() {
    for name in Manners::NAMES {
        let manners = Manners::named(name).unwrap();
        assert_eq!(play(&manners, DGT, 7), play(&manners, DGT, 7), "{name}");
        assert_ne!(play(&manners, DGT, 7).script, play(&manners, DGT, 8).script, "{name}");
    }
}

#[test]
fn hands_leave_the_position_that_was_played() {
    for name in Manners::NAMES {
        let manners = Manners::named(name).unwrap();
        for seed in 0..40 {
            let table = TableKind { sight: SIGHTS[seed as usize % 3], has_clock: seed % 4 != 0 };
            let Performance { script, truth } = play(&manners, table, seed);
            let wood = wood(&Chess::default(), &script);
            assert!(wood.differs(truth.last.board()).is_empty(), "seed {seed} profile {name}");
            assert_eq!(wood.occupied(), truth.last.board().occupied(), "seed {seed} {name}");
            assert!(script.happenings.is_sorted_by_key(|(at, _)| *at), "seed {seed} {name}");
            assert!(truth.plies.iter().all(|ply| ply.made <= ply.rested), "seed {seed} {name}");
        }
    }
}

/// Each habit alone, and all together.
fn habits() -> Vec<Also> {
    Also::EACH.into_iter().map(|(_, also)| also).chain([Also::ALL]).collect()
}

#[test]
fn other_habits_lead_to_the_position_that_was_played_too() {
    for also in habits() {
        for (idx, name) in Manners::NAMES.into_iter().enumerate() {
            let manners = Manners { also, ..Manners::named(name).unwrap() };
            for seed in 0..6 {
                let table = TableKind { sight: SIGHTS[idx % 3], has_clock: seed % 4 != 0 };
                let Performance { script, truth } = play(&manners, table, seed);
                let wood = wood(&Chess::default(), &script);
                let what = format!("seed {seed} profile {name}+{also}");
                assert!(wood.differs(truth.last.board()).is_empty(), "{what}");
                assert_eq!(wood.occupied(), truth.last.board().occupied(), "{what}");
                assert!(script.happenings.is_sorted_by_key(|(at, _)| *at), "{what}");
                let played = play(&Manners { also: Also::NONE, ..manners }, table, seed).truth;
                let moves = |truth: &Truth| truth.plies.iter().map(|ply| ply.m).collect::<Vec<_>>();
                assert_eq!(moves(&truth), moves(&played), "{what}");
            }
        }
    }
}

/// A habit that changes nothing is none.
#[test]
fn each_habit_is_seen() {
    for also in habits() {
        let differs = |seed: u64| {
            let manners = Manners { also, ..Manners::scramble() };
            let is_other = |table| {
                play(&manners, table, seed).script != play(&Manners::scramble(), table, seed).script
            };
            is_other(DGT) || is_other(TableKind { sight: Sight::Occupied, ..DGT })
        };
        assert!((0..4).any(differs), "{also}");
    }
    let all = Manners { also: Also::ALL, no_press: 0.0, ..Manners::blitz() };
    let odd: Vec<Odd> = (0..60)
        .flat_map(|seed| play(&all, DGT, seed).truth.oddities)
        .map(|oddity| oddity.what)
        .collect();
    for what in [Odd::TakenBack, Odd::PressedBack, Odd::PressedAmid, Odd::PressedBadly] {
        assert!(odd.contains(&what), "{what:?}");
    }
}

/// No square is told of twice within a scan, nor later than a scan and a half after it changed.
#[test]
fn a_scanning_board_looks_at_a_square_once_in_a_while() {
    let manners = Manners { also: Also::SCAN, ..Manners::scramble() };
    let mut last = BTreeMap::new();
    for (at, happening) in play(&manners, DGT, 3).script.happenings {
        if let Happening::Sensed { sq, .. } = happening {
            let before: Option<Mono> = last.insert(sq, at);
            assert!(before.is_none_or(|before| at.since(before).as_millis() >= 190), "{sq} {at}");
        }
    }
}

#[test]
fn words_for_habits_are_read_and_written() {
    for also in habits() {
        assert_eq!(Also::parse(&also.to_string()), Ok(also));
    }
    assert_eq!(Also::parse("none"), Ok(Also::NONE));
    assert!(Also::parse("scan,haste").unwrap_err().contains("takeback"));
}

#[test]
fn scripts_survive_being_written() {
    for name in Manners::NAMES {
        let manners = Manners { kings: 0.5, post_mortem: 1.0, ..Manners::named(name).unwrap() };
        for seed in 0..10 {
            let moves = random_game_from(&Chess::default(), seed, 40);
            let mode = CastlingMode::Standard;
            let outcome = Some(KnownOutcome::Draw);
            let start = Chess::default();
            let script = perform(&start, mode, &moves, outcome, &manners, DGT, seed).script;
            assert_eq!(Script::parse(&script.to_text()), Ok(script), "seed {seed} profile {name}");
        }
    }
}

#[test]
fn tape_survives_being_written() {
    let text = "{\"tape\":1,\"board\":\"dgt\",\"clock\":true,\"chess960\":false,\"white\":\"A\",\
        \"black\":\"B\",\"event\":\"\"}\n{\"t\":1,\"tx\":\"4b\"}\n\
        {\"t\":3,\"rx\":\"8e00050c01\"}\n";
    assert_eq!(Script::parse(text).unwrap().to_text(), text);
}

#[test]
fn end_comes_last_whatever_its_time() {
    let text = "{\"trace\":1}\n{\"t\":900,\"line\":\"up\"}\n{\"t\":700,\"end\":true}\n";
    let script = Script::parse(text).unwrap();
    assert_eq!(script.happenings.last(), Some(&(Mono::from_millis(900), Happening::End)));
    let early = "{\"trace\":1}\n{\"t\":900,\"line\":\"down\"}\n{\"t\":700,\"line\":\"up\"}\n";
    assert_eq!(Script::parse(early).unwrap_err().line, 3);
}

/// In Chess960 a piece may stay, or take the place of the other, or both exchange their places.
#[test]
fn castling_works_where_pieces_are_in_each_others_way() {
    let mut gestures: BTreeMap<String, usize> = BTreeMap::new();
    for (rank, rooks) in [
        ("R3K2R", "AH"),
        ("6KR", "H"),
        ("R1K5", "A"),
        ("3RK3", "D"),
        ("4KR2", "F"),
        ("5K1R", "H"),
        ("4K1R1", "G"),
        ("5KR1", "G"),
        ("2RK4", "C"),
        ("RK6", "A"),
        ("5RK1", "F"),
    ] {
        let fen = format!("4k3/8/8/8/8/8/8/{rank} w {rooks} - 0 1");
        castle_many_times(&position(&fen, CastlingMode::Chess960), &mut gestures);
    }
    let names: Vec<&str> = gestures.keys().map(String::as_str).collect();
    let all = ["both hands", "king alone", "king first", "rook alone", "rook first"];
    assert_eq!(names, all.map(|name| format!("castling, {name}")));
}

fn castle_many_times(pos: &Chess, gestures: &mut BTreeMap<String, usize>) {
    let manners = Manners { rook_first: 0.3, both_hands: 0.3, ..Manners::clean() };
    let castlings = pos.castling_moves(CastlingSide::KingSide);
    let other = pos.castling_moves(CastlingSide::QueenSide);
    assert!(!castlings.is_empty() || !other.is_empty());
    for &m in castlings.iter().chain(&other) {
        for seed in 0..30 {
            let mode = CastlingMode::Chess960;
            let Performance { script, truth } = perform(pos, mode, &[m], None, &manners, DGT, seed);
            let wood = wood(pos, &script);
            assert!(wood.differs(truth.last.board()).is_empty(), "seed {seed} {m:?}");
            *gestures.entry(truth.plies[0].gesture.clone()).or_default() += 1;
        }
    }
}

#[test]
fn every_way_to_make_a_move_occurs() {
    let mut seen = String::new();
    for seed in 0..300 {
        for ply in play(&Manners::school(), DGT, seed).truth.plies {
            seen.push_str(&ply.gesture);
            seen.push('\n');
        }
    }
    for name in [
        "plain",
        "dragged",
        "dragged with a rest",
        "placed first",
        "capture, victim unseen",
        "capture, victim first",
        "capture, mover first",
        "capture, both at once",
        "seen in transit",
        "castling, king first",
        "castling, rook first",
        "castling, both hands",
        "en passant, victim first",
        "en passant, victim last",
        "pawn exchanged",
        "piece placed",
        "piece first",
        "wrong piece first",
    ] {
        assert!(seen.contains(name), "{name}");
    }
}

#[test]
fn illegal_moves_are_made_and_restored() {
    let (mut n_fixed, mut n_pressed) = (0, 0);
    for seed in 0..60 {
        let Performance { script, truth } = play(&Manners::school(), DGT, seed);
        for wrong in &truth.irregularities {
            assert!(wrong.made < wrong.restored, "seed {seed}");
            let pos =
                replayed(&truth.plies[..wrong.ply - 1].iter().map(|p| p.m).collect::<Vec<_>>());
            assert_eq!(pos.turn(), wrong.by, "seed {seed}");
            let goes = |m: &Move| m.from() == Some(wrong.from) && m.to() == wrong.to;
            assert!(!pos.legal_moves().iter().any(goes), "seed {seed}");
            match wrong.completed {
                Some(_) => n_pressed += 1,
                None => n_fixed += 1,
            }
        }
        let n_resumed = script.happenings.iter().filter(|(_, h)| matches!(h, Happening::Resume(_)));
        let pressed = truth.irregularities.iter().filter(|wrong| wrong.completed.is_some());
        assert_eq!(n_resumed.count(), pressed.count(), "seed {seed}");
    }
    assert!(n_fixed > 20 && n_pressed > 10, "{n_fixed} {n_pressed}");
}

fn replayed(moves: &[Move]) -> Chess {
    moves.iter().fold(Chess::default(), |pos, &m| pos.play(m).expect("a legal move"))
}

#[test]
fn kings_announce_the_result() {
    let start = position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", CastlingMode::Standard);
    let manners = Manners { kings: 1.0, ..Manners::clean() };
    for (outcome, seed) in [("1-0", 1), ("0-1", 2), ("1/2-1/2", 3), ("1/2-1/2", 4)] {
        let outcome = KnownOutcome::from_ascii(outcome.as_bytes()).unwrap();
        let mode = CastlingMode::Standard;
        let done = perform(&start, mode, &[], Some(outcome), &manners, DGT, seed);
        let seen = wood(&start, &done.script);
        let king = |color| seen.known().king_of(color).unwrap();
        let ending = rokade::laws::Ending::of_kings(
            king(shakmaty::Color::White),
            king(shakmaty::Color::Black),
        );
        assert_eq!(ending.map(|ending| ending.outcome), Some(outcome), "seed {seed}");
        assert_eq!(done.truth.signalled, Some(outcome));
        let last = done.script.happenings.last().unwrap().0;
        assert!(last >= Mono::from_millis(5_000), "seed {seed}");
    }
}
