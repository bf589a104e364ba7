//! A referee at a board that nobody saw for a while: he is told what is on record of it, keeps what
//! he still can know, and says what he cannot.

use rokade::game::{Clocked, Effect, Entry, Event, Fact, Game, Recovered, Settings};
use rokade::laws::terms::AnnouncedPeriod;
use rokade::laws::{Act, Clocks, Code, Edition, Pending, Referee, Terms};
use rokade::relay::log::Log;
use rokade::relay::record::Record;
use rokade::sim::TableKind;
use rokade::sim::trouble::{TroubleCase, TroubleKind};
use rokade::table::{Placement, Reading, Sight};
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::{Board, ByColor, Color, Position, Square};
use std::time::Duration;

/// The same of every kind of trouble, with seeds of games that have gaps.
const ROWS: [(TroubleKind, bool, &[u64]); 3] = [
    (TroubleKind::Cable, true, &[1, 2, 3, 4]),
    (TroubleKind::Noise, false, &[1, 2, 3, 4, 5, 6, 7, 8, 11, 12]),
    (TroubleKind::Cable, false, &[1, 2]),
];

/// Where he believes the game to be, and the record.
fn stand(game: &Game) -> [(Vec<String>, String, Color); 2] {
    let referee = game.referee().expect("a referee");
    let sheet = game.play().expect("a game").sheet();
    let of =
        |moves: Vec<String>, pos: &shakmaty::Chess| (moves, pos.board().to_string(), pos.turn());
    let known = referee.moves().into_iter().map(str::to_owned).collect();
    let recorded = sheet.moves().iter().map(|scored| scored.uci.to_string()).collect();
    [of(known, referee.position()), of(recorded, sheet.last())]
}

#[test]
fn he_stands_where_the_record_stands() {
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let mut n_gaps = 0;
    for (kind, is_forgetful, seeds) in ROWS {
        for (idx, &seed) in seeds.iter().enumerate() {
            let laws = Some(Edition::ALL[idx % Edition::ALL.len()]);
            let case = TroubleCase { seed, kind, profile: "club", table, laws, is_forgetful };
            let troubled = case.run(&[]);
            let game = &troubled.replay.game;
            n_gaps += game.play().expect("a game").sheet().gaps().len();
            let [known, recorded] = stand(game);
            assert_eq!(known, recorded, "{case:?}");
            let ending = game
                .play()
                .and_then(|play| play.ending())
                .map(|ending| ending.reason.is_of_position());
            let result = game.referee().and_then(Referee::result);
            let is_ended = result.map(|known| known.code.is_end_by_position());
            assert_eq!(is_ended, ending, "{case:?}: {result:?}");
        }
    }
    assert!(n_gaps >= 4, "{n_gaps} gaps");
}

/// How the board stands after it was out of sight: several series of moves lead there.
const FOUND: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R";

fn handle(game: &mut Game, ms: u64, event: &Event, entries: &mut Vec<Entry>) {
    let mut effects = Vec::new();
    game.handle(Stamp { mono: Mono::from_millis(ms), wall: Wall(0) }, event, &mut effects);
    entries.extend(effects.into_iter().filter_map(|effect| match effect {
        Effect::Record(entry) => Some(entry),
        _ => None,
    }));
}

fn say(game: &mut Game, ms: u64, by: Color, words: &str, entries: &mut Vec<Entry>) {
    let said = words.parse().expect("a declaration");
    handle(game, ms, &Event::Act(Act::Declared { by, said }), entries);
}

fn ordered(words: &str) -> Act {
    let order = words.parse().expect("an order");
    Act::Ordered { order, author: "A. Rbiter".to_owned(), reason: String::new() }
}

fn order(game: &mut Game, ms: u64, words: &str, entries: &mut Vec<Entry>) {
    handle(game, ms, &Event::Act(ordered(words)), entries);
}

/// One move was made by each, a draw was offered, and then nobody saw the board for a minute.
fn found_after_a_minute() -> (Game, Vec<Entry>) {
    found_after(Terms::default(), &[])
}

/// The same after `acts`.
fn found_after(terms: Terms, acts: &[Act]) -> (Game, Vec<Entry>) {
    let mut game = Game::new(Settings { terms: Some(terms), ..Settings::default() });
    let mut entries = Vec::new();
    let shows = |left: [u64; 2], running| {
        let [white, black] = left.map(Duration::from_secs);
        let left = ByColor { white, black };
        Event::Clocked(Clocked::Shows(Clocks { left, running: Some(running) }))
    };
    handle(&mut game, 0, &Event::Pictured(Placement::from(Board::new())), &mut entries);
    handle(&mut game, 0, &shows([600, 600], Color::White), &mut entries);
    handle(&mut game, 1_000, &Event::LinkUp, &mut entries);
    handle(&mut game, 1_500, &Event::Pictured(Placement::from(Board::new())), &mut entries);
    let sides = [(Color::White, Square::E2, Square::E4), (Color::Black, Square::E7, Square::E5)];
    for (ms, (by, from, to)) in [5_000, 10_000].into_iter().zip(sides) {
        handle(&mut game, ms, &Event::Sensed(from, Reading::Empty), &mut entries);
        let pawn = Reading::Piece(by.pawn());
        handle(&mut game, ms + 500, &Event::Sensed(to, pawn), &mut entries);
        handle(&mut game, ms + 1_000, &Event::Pressed(by), &mut entries);
        handle(&mut game, ms + 1_000, &shows([590, 590], !by), &mut entries);
        for ms in (ms + 1_050..ms + 4_000).step_by(50) {
            handle(&mut game, ms, &Event::Timeout, &mut entries);
        }
    }
    say(&mut game, 14_000, Color::White, "offer_draw", &mut entries);
    for act in acts {
        handle(&mut game, 14_500, &Event::Act(act.clone()), &mut entries);
    }
    handle(&mut game, 15_000, &Event::LinkDown, &mut entries);
    handle(&mut game, 62_000, &Event::LinkUp, &mut entries);
    handle(&mut game, 62_000, &shows([570, 570], Color::Black), &mut entries);
    let found = Placement::parse(FOUND).expect("a board");
    handle(&mut game, 63_000, &Event::Pictured(found), &mut entries);
    for ms in (63_050..75_000).step_by(50) {
        handle(&mut game, ms, &Event::Timeout, &mut entries);
    }
    let sheet = game.play().expect("a game").sheet();
    assert_eq!((sheet.len(), sheet.gaps().len()), (2, 1));
    (game, entries)
}

/// An offer that may have been answered by a move nobody saw can be accepted no more.
#[test]
fn an_offer_from_before_is_not_open() {
    let (mut game, mut entries) = found_after_a_minute();
    say(&mut game, 75_000, Color::Black, "accept_draw", &mut entries);
    assert_eq!(game.referee().expect("terms are set").result(), None);
    assert_eq!(game.play().and_then(|play| play.ending()), None);
}

/// How often a position has stood, and how long nothing was taken, he knows at the least. A claim
/// that rests on more is not called wrong.
#[test]
fn a_claim_that_rests_on_what_nobody_saw_is_the_arbiters() {
    for claim in ["claim threefold", "claim fifty"] {
        let (mut game, mut entries) = found_after_a_minute();
        let [known, recorded] = stand(&game);
        assert_eq!(known, recorded);
        let on_move = game.referee().expect("terms are set").position().turn();
        say(&mut game, 75_000, on_move, claim, &mut entries);
        let said = format!("{:?}", game.rulings());
        assert!(said.contains("verdict: Unknown"), "{claim}: {said}");
        assert!(!said.contains("Penalty"), "{claim}: {said}");
        order(&mut game, 76_000, "confirm", &mut entries);
        let ending = game.play().and_then(|play| play.ending()).expect("a draw");
        assert_eq!(ending.outcome, shakmaty::KnownOutcome::Draw);
    }
}

/// The arbiter has said that the position cannot be established: that he has to answer himself,
/// whatever is found behind a gap.
#[test]
fn that_the_position_is_lost_outlasts_what_nobody_saw() {
    let lost = ordered("position_lost");
    let (mut game, mut entries) = found_after(Terms::default(), &[lost]);
    assert_eq!(stand(&game)[0], stand(&game)[1], "play is followed beside it");
    let asked = game.referee().expect("terms are set").pending();
    let is_it = |asked: &Pending| asked.what.contains("a new game if confirmed");
    assert!(asked.iter().any(is_it), "{asked:?}");
    order(&mut game, 76_000, "confirm", &mut entries);
    let result = game.referee().and_then(Referee::result).expect("annulled");
    assert_eq!(result.code, Code::Annulled);
}

/// Why the clocks were stopped is not asked any more once play that nobody saw has gone on.
#[test]
fn a_stop_from_before_is_not_asked_about() {
    let stop = Act::Stopped { by: Color::White };
    let (game, entries) = found_after(Terms::default(), &[stop]);
    let asked = |known: &Entry| format!("{:?}", known.fact).contains("no valid reason");
    assert!(entries.iter().any(asked), "it was asked: {entries:#?}");
    let open = game.referee().expect("terms are set").pending();
    assert!(open.iter().all(|asked| !asked.what.contains("valid")), "{open:?}");
}

/// He says that he does not know, and who takes over from the record knows the same.
#[test]
fn what_he_was_told_is_on_record() {
    let (game, entries) = found_after_a_minute();
    let notes = entries.iter().filter(|entry| match &entry.fact {
        Fact::Ruled(ruled) => ruled.code == Some(Code::ArbiterNote),
        _ => false,
    });
    assert_eq!(notes.count(), 1);
    let mut fold = Recovered::default();
    for (idx, entry) in entries.iter().enumerate() {
        let line = serde_json::to_string(&Record::new(entry.at.mono.millis(), &entry.fact));
        let back: Record = serde_json::from_str(&line.expect("data")).expect("what was written");
        let fact = back.fact;
        fold.fold(idx, &Entry { at: entry.at, fact }).unwrap_or_else(|e| panic!("{e}"));
    }
    let mut again = fold.into_game(game.settings().clone());
    handle(&mut again, 0, &Event::Timeout, &mut Vec::new());
    assert_eq!(stand(&again), stand(&game));
    let open = |game: &Game| format!("{:?}", game.referee().map(Referee::pending));
    assert_eq!(open(&again), open(&game));
}

/// By the numbers of the record each has played a second move among those. A control at that move
/// is met by both, one beyond it by nobody, and one that was met before is not met once more.
#[test]
fn a_control_that_lies_where_nobody_looked_is_met() {
    let periods = |moves: &[u16]| {
        let to = |moves| AnnouncedPeriod { moves, time: Duration::from_secs(600), bonus: None };
        moves.iter().copied().map(Some).chain([None]).map(to).collect::<Vec<_>>()
    };
    let rows: [(&[u16], &[&str]); 5] = [
        (&[2], &["white", "black"]),
        (&[3], &[]),
        (&[2, 1], &["white", "black"]),
        (&[1], &["white", "black"]),
        (&[1, 1], &["white", "black", "white", "black"]),
    ];
    for (moves, wanted) in rows {
        let periods = ByColor { white: periods(moves), black: periods(moves) };
        let (_, entries) = found_after(Terms { periods, ..Terms::default() }, &[]);
        let mut log = Log::default();
        let lines: Vec<String> = entries.iter().filter_map(|it| log.line(&it.fact)).collect();
        let passed = lines.iter().filter(|line| line.contains("PERIOD_PASSED 600 s"));
        let by: Vec<&str> =
            passed.map(|line| if line.contains("white") { "white" } else { "black" }).collect();
        assert_eq!(by, wanted, "{moves:?}: {lines:#?}");
    }
}
