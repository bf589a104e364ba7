//! The referee and the game that he sits in: channels, refusals, journal, speed.

use super::scenario::{Player, ours};
use proptest::prelude::*;
use rokade::game::entry::Weighed;
use rokade::game::{Clocked, Effect, Entry, Event, Fact, Game, Recovered, Ruled, Settings};
use rokade::laws::{
    Act, Clocks, Code, Confidence, Declaration, Edition, Order, Referee, Ruling, Score, Severity,
    Sheet, SheetMove, Terms, Told,
};
use rokade::relay::pgn::{self, Tags};
use rokade::relay::record::Record;
use rokade::relay::view::View;
use rokade::table::{Placement, Reading};
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Board, ByColor, CastlingMode, Chess, Color, Position, Square};
use std::time::Duration;

fn stamp(ms: u64) -> Stamp {
    Stamp { mono: Mono::from_millis(ms), wall: Wall(0) }
}

fn settings() -> Settings {
    Settings { terms: Some(Terms::default()), ..Settings::default() }
}

/// These moves from the start on, as they are on record.
fn on_record(moves: &[&str]) -> Sheet {
    on_record_from(&Chess::default(), moves)
}

/// These moves from `start` on, as they are on record.
fn on_record_from(start: &Chess, moves: &[&str]) -> Sheet {
    let mut pos = start.clone();
    let mut sheet = Sheet::default();
    for text in moves {
        let uci: UciMove = text.parse().expect("a move");
        let m = uci.to_move(&pos).expect("a legal move");
        pos.play_unchecked(m);
        let (is_illegal, is_completed, is_replied) = (false, false, false);
        sheet.moves.push(SheetMove { m, is_illegal, is_completed, is_replied });
    }
    sheet
}

/// A game with a running clock, and the facts so far.
fn begun() -> (Game, Vec<Entry>) {
    let mut game = Game::new(settings());
    let mut entries = Vec::new();
    let left = ByColor { white: Duration::from_secs(600), black: Duration::from_secs(600) };
    for event in [
        Event::Pictured(Placement::from(Board::new())),
        Event::Clocked(Clocked::Shows(Clocks { left, running: Some(Color::White) })),
    ] {
        handle(&mut game, 0, &event, &mut entries);
    }
    (game, entries)
}

fn handle(game: &mut Game, ms: u64, event: &Event, entries: &mut Vec<Entry>) -> bool {
    let mut effects = Vec::new();
    game.handle(stamp(ms), event, &mut effects);
    let is_shown = effects.contains(&Effect::Show);
    entries.extend(effects.into_iter().filter_map(|effect| match effect {
        Effect::Record(entry) => Some(entry),
        _ => None,
    }));
    is_shown
}

fn order(text: &str) -> Event {
    let order = text.parse().expect("an order");
    Event::Act(Act::Ordered { order, author: "A. Rbiter".to_owned(), reason: "because".to_owned() })
}

/// What was due before something happened is said before it, though nobody woke the referee then.
#[test]
fn what_is_due_comes_before_what_happens_next() {
    let (start, mode) = (Chess::default(), CastlingMode::Standard);
    let seen = Placement::from(start.board().clone());
    let not_pressed = Some(Duration::from_secs(20));
    let terms = Terms { not_pressed, ..Terms::default() };
    let mut referee = Referee::new(terms, start, mode, seen);
    let running = Some(Color::White);
    let left = ByColor { white: Duration::from_secs(600), black: Duration::from_secs(600) };
    referee.tell(Mono(0), &Told::Clock(Clocks { left, running }));
    let pawn = Reading::Piece(Color::White.pawn());
    referee.tell(Mono::from_millis(1_000), &Told::Square(Square::E2, Reading::Empty));
    referee.tell(Mono::from_millis(1_300), &Told::Square(Square::E4, pawn));
    referee.tell(Mono::from_millis(1_500), &Told::Moves(on_record(&["e2e4"])));
    // He takes it up again long after.
    referee.tell(Mono::from_millis(9_000), &Told::Square(Square::E4, Reading::Empty));
    assert_eq!(referee.moves(), ["e2e4"]);
    referee.tell(Mono::from_millis(9_200), &Told::Square(Square::E4, pawn));
    // What waits for its moment waits no longer than that.
    while let Some(due) = referee.wake_at().filter(|due| *due < Mono::from_millis(60_000)) {
        let said = referee.tell(due, &Told::Passed);
        assert_ne!(referee.wake_at(), Some(due), "{said:?}");
    }
}

/// A clock that stands although nobody has said why: what is moved then is shown, not played.
#[test]
fn what_is_moved_while_the_clock_stands_is_no_move() {
    let (start, mode) = (Chess::default(), CastlingMode::Standard);
    let seen = Placement::from(start.board().clone());
    let mut referee = Referee::new(Terms::default(), start, mode, seen);
    let left = ByColor { white: Duration::from_secs(600), black: Duration::from_secs(600) };
    let pawn = Reading::Piece(Color::White.pawn());
    for (ms, running, moves) in [(0, None, &[][..]), (60_000, Some(Color::White), &["e2e4"][..])] {
        let at = |more: u64| Mono::from_millis(ms + more);
        referee.tell(at(0), &Told::Clock(Clocks { left, running: Some(Color::White) }));
        referee.tell(at(1_000), &Told::Clock(Clocks { left, running }));
        referee.tell(at(2_000), &Told::Square(Square::E2, Reading::Empty));
        referee.tell(at(2_300), &Told::Square(Square::E4, pawn));
        if running.is_some() {
            referee.tell(at(2_500), &Told::Moves(on_record(&["e2e4"])));
        }
        referee.tell(at(9_000), &Told::Passed);
        assert_eq!(referee.moves(), moves);
        if moves.is_empty() {
            referee.tell(at(10_000), &Told::Square(Square::E4, Reading::Empty));
            referee.tell(at(10_300), &Told::Square(Square::E2, pawn));
        }
    }
}

/// What waits is told in words, with what answers it.
#[test]
fn what_waits_is_told_as_it_stands() {
    let scenarios = ours();
    let told = |id: &str, n_events: usize| {
        let scenario = scenarios.iter().find(|it| it.id == id).expect("a scenario");
        let mut player = Player::new(scenario, "m2023");
        (0..n_events).for_each(|_| assert!(player.step()));
        let pending = player.game().referee().expect("he sits there").pending();
        pending.into_iter().map(|open| open.what).collect::<Vec<_>>()
    };
    let breach = "white did not move b1 as he must; black may claim it";
    assert_eq!(told("breach-displaced-1", 4), [breach]);
    let demanded = "the board must show rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(told("enforced-once-1", 6), ["white must move d2", demanded]);
    let put_right = told("put-right-1", 8);
    assert_eq!(put_right.len(), 1, "{put_right:?}");
    assert_eq!(told("envelope-1", 2), ["white is to seal his move"]);
    let sealed = "white has written his move; it is sealed when he stops the clocks";
    assert_eq!(told("envelope-1", 3), [sealed]);
}

/// Both sign another result than the referee has: it counts, and the arbiter hears that it differs.
#[test]
fn a_signature_under_another_result_is_remarked() {
    let (start, mode) = (Chess::default(), CastlingMode::Standard);
    for (signed, remark) in [
        (Score::win(Color::Black), "signed: 0-1"),
        (Score::DRAW, "signed, not the computed result: 1/2-1/2"),
    ] {
        let seen = Placement::from(start.board().clone());
        let mut referee = Referee::new(Terms::default(), start.clone(), mode, seen);
        let running = Some(Color::White);
        referee.tell(Mono(0), &Told::Clock(Clocks { running, ..Clocks::default() }));
        referee.tell(
            Mono(1),
            &Told::Act(Act::Declared { by: Color::White, said: Declaration::Resign }),
        );
        let said = referee.tell(Mono(2), &Told::Act(Act::Signed { score: signed }));
        let is_it = |ruling: &Ruling| matches!(ruling, Ruling::Log(note) if note.facts == remark);
        assert!(said.rulings.iter().any(is_it), "{said:?}");
    }
}

/// Until the game starts the arbiter chooses the edition, and its rules hold from then on.
#[test]
fn an_edition_can_be_chosen_before_the_start() {
    let start = Chess::default();
    let seen = Placement::from(start.board().clone());
    let mut referee = Referee::new(Terms::default(), start, CastlingMode::Standard, seen);
    let order: Order = "set_profile hu2005".parse().expect("an order");
    referee.tell(
        Mono(0),
        &Told::Act(Act::Ordered { order, author: String::new(), reason: String::new() }),
    );
    assert_eq!(referee.terms().profile.edition, Edition::Hu2005);
}

/// No code of the log reaches what the public reads: the page's document, the PGN, the
/// demonstration board. Held over everything that the scenarios bring about.
#[test]
fn no_code_reaches_the_public() {
    let mut n_said = 0;
    for scenario in ours() {
        let mut player = Player::new(&scenario, &scenario.editions[0]);
        while player.step() {
            let game = player.game();
            let shown = shown(game);
            for code in Code::ALL {
                assert!(!shown.contains(code.word()), "{}: {code} in {shown}", scenario.id);
            }
            for ruling in game.rulings() {
                let Ruling::Log(note) = ruling else { continue };
                let is_said = note.facts.len() > 4 && note.code.severity() != Severity::GameOver;
                let is_move = matches!(note.code, Code::MoveMade | Code::MoveCompleted);
                let leaks = is_said && !is_move && shown.contains(&note.facts);
                assert!(!leaks, "{}: {:?} in {shown}", scenario.id, note.facts);
            }
        }
        n_said += player.facts().filter(|fact| matches!(fact, Fact::Ruled(_))).count();
    }
    assert!(n_said > 1_000, "{n_said} rulings were made");
}

/// Everything that a public output can show of a game.
fn shown(game: &Game) -> String {
    let view = View::new("board", game, Mono::default()).to_json();
    let pgn = game.play().map_or_else(String::new, |play| {
        let ending = play.ending().map(|ending| ending.outcome);
        pgn::render(&Tags::default(), play.sheet(), game.n_public(), ending)
    });
    let display = game.referee().map_or_else(String::new, |referee| referee.display().to_string());
    format!("{view}\n{pgn}\n{display}")
}

/// Each code there is, put on record, changes nothing of what the public sees.
#[test]
fn each_code_is_the_arbiters_alone() {
    const TEXT: &str = "what the arbiter reads";
    let mut fold = Recovered::default();
    let (game, entries) = begun();
    for (idx, entry) in entries.iter().enumerate() {
        fold.fold(idx, entry).expect("what was recorded");
    }
    let plain = shown(&fold.clone().into_game(game.settings().clone()));
    for code in Code::ALL {
        for by in [None, Some(Color::White), Some(Color::Black)] {
            let fact = Fact::Ruled(Ruled {
                code: Some(code),
                by,
                row: Some(code.row().to_owned()),
                edition: Edition::M2023,
                confidence: Confidence::Presumed,
                text: TEXT.to_owned(),
            });
            assert!(!fact.is_public(), "{code}");
            let mut fold = fold.clone();
            let entry = Entry { at: stamp(1), fact };
            fold.fold(entries.len(), &entry).expect("a ruling can be recovered");
            let seen = shown(&fold.into_game(game.settings().clone()));
            assert_eq!(seen, plain, "{code}");
            assert!(!seen.contains(code.word()) && !seen.contains(TEXT));
        }
    }
}

/// What makes the public outputs cannot name what is the arbiter's.
#[test]
fn the_public_outputs_cannot_name_a_code() {
    // Types, and the modules that write what only the arbiter reads.
    const SECRET: [&str; 13] = [
        "Code",
        "Ruled",
        "Ruling",
        "RulingBody",
        "Finding",
        "FindingKind",
        "Note",
        "rulings",
        "Severity",
        "pending",
        "Record",
        "journal",
        "open",
    ];
    let public = [
        ("view", include_str!("../../../src/relay/view.rs")),
        ("pgn", include_str!("../../../src/relay/pgn.rs")),
        ("words", include_str!("../../../src/relay/words.rs")),
        ("display", include_str!("../../../src/laws/referee/display.rs")),
        ("http", include_str!("../../../src/shell/http/mod.rs")),
        ("door", include_str!("../../../src/shell/http/door.rs")),
        ("pages", include_str!("../../../src/shell/http/pages.rs")),
        ("viewer", include_str!("../../../src/shell/http/viewer.rs")),
        ("view of a board", include_str!("../../../src/shell/http/view.rs")),
    ];
    let names = |text: &str| -> Vec<&'static str> {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let words: Vec<&str> =
            code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
        SECRET.into_iter().filter(|secret| words.contains(secret)).collect()
    };
    for (name, text) in public {
        assert!(names(text).is_empty(), "{name} names {:?}", names(text));
    }
    assert_eq!(names("use crate::laws::Code;"), ["Code"]);
    assert!(names("// no room for a Code").is_empty());
}

/// Whatever the referee says, no entry of it is public.
#[test]
fn no_ruling_changes_what_the_public_sees() {
    for scenario in ours() {
        let mut player = Player::new(&scenario, &scenario.editions[0]);
        while player.step() {}
        for fact in player.facts() {
            let is_the_arbiters = matches!(fact, Fact::Ruled(_) | Fact::Act(_) | Fact::Flag { .. });
            assert!(!is_the_arbiters || !fact.is_public(), "{fact:?}");
        }
    }
}

/// What was sealed stands in no record.
#[test]
fn a_sealed_move_stays_in_the_envelope() {
    let scenario = ours().into_iter().find(|s| s.id == "G1-2").expect("a scenario of sealing");
    let mut player = Player::new(&scenario, "m2023");
    while player.step() {}
    let sealed = player.game().referee().and_then(|referee| referee.sealed());
    assert_eq!(sealed.map(|(_, _, text)| text), Some("Bc4"));
    for fact in player.facts() {
        let json = serde_json::to_string(&Record::new(0, fact)).expect("a record is plain data");
        assert!(!json.contains("Bc4") && !json.contains("Bb5"), "{json}");
    }
}

/// Orders and words that do not fit are refused with the reason, and the game is as it was.
#[test]
fn what_does_not_fit_is_refused() {
    let orders = [
        "confirm",
        "dismiss",
        "rule draw",
        "restore agreed_ply 7",
        "open_envelope",
        "seal black",
        "set_profile m2018",
        "start",
    ];
    for text in orders {
        let (mut game, mut entries) = begun();
        let before = format!("{:?}", game.referee().map(|r| (r.moves(), r.result().cloned())));
        handle(&mut game, 10, &order(text), &mut entries);
        let is_refusal =
            |r: &Ruling| matches!(r, Ruling::Log(note) if note.code == Code::ClaimRefused);
        let why = text;
        if text != "open_envelope" {
            assert!(game.rulings().iter().any(is_refusal), "{why}: {:?}", game.rulings());
        }
        let after = format!("{:?}", game.referee().map(|r| (r.moves(), r.result().cloned())));
        assert_eq!(before, after, "{text}");
    }
    for (by, text) in [
        (Color::White, "accept_draw"),
        (Color::White, "withdraw_claim"),
        (Color::Black, "announce_castling"),
        (Color::White, "promote Q"),
        (Color::White, "request_increment"),
        (Color::White, "claim quickplay"),
        (Color::White, "claim touch"),
    ] {
        let (mut game, mut entries) = begun();
        let said: Declaration = text.parse().expect("a declaration");
        handle(&mut game, 10, &Event::Act(Act::Declared { by, said }), &mut entries);
        let refused = game.rulings().iter().any(|r| {
            let is_it = |code, facts: &str| code == Code::ClaimRefused && !facts.is_empty();
            matches!(r, Ruling::Log(note) if is_it(note.code, &note.facts))
        });
        assert!(refused, "{text}: {:?}", game.rulings());
        assert!(game.referee().is_some_and(|referee| referee.result().is_none()));
    }
}

/// A game that was cut off goes on with the same rulings: the referee is rebuilt from the journal.
#[test]
fn the_referee_comes_back_from_the_journal() {
    for scenario in ours() {
        let mut player = Player::new(&scenario, &scenario.editions[0]);
        while player.step() {}
        let mut fold = Recovered::default();
        for (idx, entry) in player.entries().iter().enumerate() {
            let line = serde_json::to_string(&Record::new(entry.at.mono.millis(), &entry.fact));
            let back: Record =
                serde_json::from_str(&line.expect("plain data")).expect("what was written");
            let fact = back.fact;
            // Of unnamed pieces a picture's record says nothing.
            let is_picture = matches!(fact, Fact::Pictured(_));
            assert!(is_picture || fact == entry.fact, "{}: {fact:?}", scenario.id);
            fold.fold(idx, entry).unwrap_or_else(|e| panic!("{}: {e}", scenario.id));
        }
        let mut game = fold.into_game(player.game().settings().clone());
        if game.play().is_none() {
            // An annulled game is closed; a new one begins.
            continue;
        }
        handle(&mut game, 0, &Event::Timeout, &mut Vec::new());
        let (was, is) = (player.game().referee(), game.referee());
        let (was, is) = (was.expect("terms are set"), is.expect("terms are set"));
        assert_eq!(is.moves(), was.moves(), "{}", scenario.id);
        assert_eq!(is.result(), was.result(), "{}", scenario.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is said, in whatever order, nothing fails, and a result once given is changed by
    /// the arbiter alone.
    #[test]
    fn any_order_of_events_is_survived(picks in prop::collection::vec(0_usize..40, 1..60)) {
        let words: Vec<Event> = all_events();
        let (mut game, mut entries) = begun();
        let mut ms = 0;
        for pick in picks {
            ms += 300;
            let event = &words[pick % words.len()];
            let before = game.referee().and_then(|referee| referee.result().cloned());
            handle(&mut game, ms, event, &mut entries);
            let after = game.referee().and_then(|referee| referee.result().cloned());
            let is_arbiters = matches!(event, Event::Act(Act::Ordered { .. }));
            prop_assert!(before.is_none() || before == after || is_arbiters);
        }
    }
}

/// What a referee may be told at a board on which White may castle and promote: every record of a
/// few half-moves, every reading of the squares that these touch, presses, and rulings.
fn all_told(start: &Chess) -> Vec<Told> {
    let lines = [
        "",
        "h1f1",
        "e1g1",
        "e1f1",
        "a7a8q",
        "a7a8n",
        "h1f1 e8e7",
        "e1g1 e8e7",
        "h1f1 e8e7 a7a8r",
        "a7a8q e8e7",
    ];
    let mut told: Vec<Told> = Vec::new();
    for line in lines {
        let sheet = on_record_from(start, &line.split_whitespace().collect::<Vec<_>>());
        told.push(Told::Record(sheet.clone()));
        told.push(Told::Moves(sheet));
    }
    let (white, black) = (Color::White, Color::Black);
    let pieces = [white.king(), white.rook(), white.pawn(), white.queen(), black.king()];
    for sq in ["h1", "f1", "e1", "g1", "a7", "a8", "e8", "e7"] {
        let sq: Square = sq.parse().expect("a square");
        told.push(Told::Square(sq, Reading::Empty));
        told.extend(pieces.map(|piece| Told::Square(sq, Reading::Piece(piece))));
    }
    for by in Color::ALL {
        told.push(Told::Pressed(by));
        told.push(Told::Illegal(by));
    }
    told.extend([Told::Passed, Told::Looked, Told::Stands, Told::Final]);
    for words in ["confirm", "dismiss", "pause", "resume white"] {
        let order = words.parse().expect("an order");
        let (author, reason) = ("A".to_owned(), String::new());
        told.push(Told::Act(Act::Ordered { order, author, reason }));
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The record may say anything at any time: nothing fails, and what is asked is answered.
    #[test]
    fn any_record_is_survived(
        picks in prop::collection::vec((0_usize..1_000, 0_u64..3_000), 1..60),
    ) {
        let fen: Fen = "4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1".parse().expect("a position");
        let mode = CastlingMode::Standard;
        let start: Chess = fen.into_position(mode).expect("a legal one");
        let seen = Placement::from(start.board().clone());
        let mut referee = Referee::new(Terms::default(), start.clone(), mode, seen);
        let running = Some(Color::White);
        referee.tell(Mono(0), &Told::Clock(Clocks { running, ..Clocks::default() }));
        let all = all_told(&start);
        let mut ms = 0;
        for (pick, later) in picks {
            ms += later;
            referee.tell(Mono::from_millis(ms), &all[pick % all.len()]);
            let _ = (referee.demanded_fen(), referee.target_board(), referee.binding());
            let _ = (referee.pending(), referee.notation(), referee.castling_rights());
            prop_assert!(referee.n_completed() <= referee.moves().len());
        }
    }
}

fn all_events() -> Vec<Event> {
    let mut events: Vec<Event> = [
        "confirm",
        "dismiss",
        "rule draw",
        "rule postpone",
        "rule reject",
        "pause",
        "resume white",
        "resume black",
        "set_time white 10",
        "set_moves 3",
        "restored",
        "restore agreed_ply 1",
        "flag white",
        "displaced",
        "two_hands white",
        "continue",
        "seal white",
        "open_envelope",
        "position_lost",
        "snapshot",
        "colours_reversed",
    ]
    .iter()
    .map(|text| order(text))
    .collect();
    for text in [
        "claim threefold",
        "claim touch",
        "claim illegal",
        "claim time",
        "offer_draw",
        "accept_draw",
        "adjust",
        "arrive",
        "claim threefold Nf3",
    ] {
        let said: Declaration = text.parse().expect("a declaration");
        events.push(Event::Act(Act::Declared { by: Color::White, said }));
    }
    events.push(Event::Pressed(Color::White));
    events.push(Event::Pressed(Color::Black));
    events.push(Event::Clocked(Clocked::Flag(Color::White)));
    events.push(Event::Clocked(Clocked::FlagsUnknown));
    for (sq, reading) in [
        (Square::E2, Reading::Empty),
        (Square::E4, Reading::Piece(Color::White.pawn())),
        (Square::E7, Reading::Empty),
        (Square::E5, Reading::Piece(Color::Black.pawn())),
        (Square::E1, Reading::Empty),
        (Square::E3, Reading::Piece(Color::White.king())),
    ] {
        events.push(Event::Sensed(sq, reading));
    }
    events
}

/// The journal has what became of a doubt in a word that reads back.
#[test]
fn what_became_of_a_doubt_survives_the_journal() {
    for outcome in Weighed::ALL {
        let fact = Fact::Weighed(outcome);
        let line = serde_json::to_string(&Record::new(0, &fact)).expect("plain data");
        let back: Record = serde_json::from_str(&line).expect("what was written");
        assert_eq!(back.fact, fact, "{line}");
    }
}

/// The words of every order parse again from what they print; used by the journal.
#[test]
fn orders_survive_the_journal() {
    for scenario in ours() {
        for event in scenario.events.iter().filter_map(|event| event.strip_prefix("arbiter ")) {
            let order: Order = event.parse().unwrap_or_else(|e| panic!("{event}: {e}"));
            assert_eq!(order.to_string().parse::<Order>(), Ok(order), "{event}");
        }
    }
}

/// What nobody saw is not judged: after a gap the referee follows the record, and finds no fault.
#[test]
fn after_a_gap_the_record_is_followed() {
    let (mut game, mut entries) = begun();
    handle(&mut game, 1_000, &Event::LinkUp, &mut entries);
    handle(&mut game, 2_000, &Event::LinkDown, &mut entries);
    handle(&mut game, 3_000, &Event::LinkUp, &mut entries);
    let mut board = Board::new();
    for (from, to) in [(Square::G1, Square::F3), (Square::G8, Square::F6)] {
        let piece = board.remove_piece_at(from).expect("a knight");
        board.set_piece_at(to, piece);
    }
    handle(&mut game, 4_000, &Event::Pictured(Placement::from(board)), &mut entries);
    for ms in (4_050..12_000).step_by(50) {
        handle(&mut game, ms, &Event::Timeout, &mut entries);
    }
    let moves = game.referee().map(|referee| referee.moves().join(" "));
    assert_eq!(moves.as_deref(), Some("g1f3 g8f6"));
    let faults = entries.iter().filter(|entry| match &entry.fact {
        Fact::Ruled(ruled) => {
            ruled.code.is_some_and(|code| code.severity() == rokade::laws::Severity::Irregularity)
        }
        _ => false,
    });
    assert_eq!(faults.count(), 0);
}
