//! Boards that do not name their pieces, and that nobody heard for a while: what was played is told
//! to be unknown, and an arbiter tells how the pieces stand.

#![allow(clippy::unwrap_used)]

use rokade::game::{Effect, Entry, Event, Fact, Game};
use rokade::laws::{Act, FindingKind};
use rokade::shell::config::SwitchReader;
use rokade::shell::matrix::simulated;
use rokade::shell::pty::Speed;
use rokade::sim::replay::settings_of;
use rokade::sim::trouble::{Trouble, TroubleCase, TroubleKind};
use rokade::sim::{Replay, Script, TableKind};
use rokade::table::{End, Reading, Sight};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::{ClockMessage, ClockTime, SideTime};
use serde_json::json;
use shakmaty::{Color, Position};

use crate::matrix::{configure, wait_until_live};
use crate::program::Place;

/// Two moves, and the cable is out while Black answers and White plays on.
const OUT: &str = r#"{"trace":1,"board":"reed","clock":true}
{"t":3000,"sq":"e2","p":""}
{"t":3200,"sq":"e4","p":"x"}
{"t":3600,"press":"white"}
{"t":4600,"sq":"e7","p":""}
{"t":4800,"sq":"e5","p":"x"}
{"t":5200,"press":"black"}
{"t":6000,"line":"down"}
{"t":6200,"sq":"g1","p":""}
{"t":6400,"sq":"f3","p":"x"}
{"t":6900,"press":"white"}
{"t":7900,"sq":"b8","p":""}
{"t":8100,"sq":"c6","p":"x"}
{"t":8600,"press":"black"}
{"t":9900,"sq":"f1","p":""}
{"t":10100,"sq":"b5","p":"x"}
{"t":10600,"press":"white"}
{"t":11900,"sq":"a7","p":""}
{"t":12100,"sq":"a6","p":"x"}
{"t":12600,"press":"black"}
{"t":14000,"line":"up"}
{"t":15000,"sq":"b5","p":""}
{"t":15200,"sq":"c6","p":""}
{"t":15500,"sq":"c6","p":"x"}
{"t":15900,"press":"white"}
{"t":40000,"end":true}
"#;
/// Two moves, and four more that may have come in any order while the cable is out; then the clock
/// is stopped, and set running again after the cable is back.
const STOPPED: &str = r#"{"trace":1,"board":"dgt","clock":true}
{"t":3000,"sq":"e2","p":""}
{"t":3200,"sq":"e4","p":"P"}
{"t":3600,"press":"white"}
{"t":4600,"sq":"e7","p":""}
{"t":4800,"sq":"e5","p":"p"}
{"t":5200,"press":"black"}
{"t":6000,"line":"down"}
{"t":6200,"sq":"g1","p":""}
{"t":6400,"sq":"f3","p":"N"}
{"t":6900,"press":"white"}
{"t":7900,"sq":"b8","p":""}
{"t":8100,"sq":"c6","p":"n"}
{"t":8600,"press":"black"}
{"t":9900,"sq":"f1","p":""}
{"t":10100,"sq":"b5","p":"B"}
{"t":10600,"press":"white"}
{"t":11900,"sq":"a7","p":""}
{"t":12100,"sq":"a6","p":"p"}
{"t":12600,"press":"black"}
{"t":13000,"clock":"stopped"}
{"t":14000,"line":"up"}
{"t":30000,"end":true}
"#;
/// How it stands then.
const STANDS: &str = "r1bqkbnr/1ppp1ppp/p1B5/4p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 0 4";

fn case(seed: u64, kind: TroubleKind, sight: Sight) -> TroubleCase {
    let table = TableKind { sight, has_clock: true };
    TroubleCase { seed, kind, profile: "blitz", table, laws: None, is_forgetful: false }
}

fn n_told(entries: &[Entry]) -> usize {
    let is_it = |entry: &&Entry| match &entry.fact {
        Fact::Found(finding) => finding.kind == FindingKind::PositionUnknown,
        _ => false,
    };
    entries.iter().filter(is_it).count()
}

/// Each of these had moves on record that nobody played, found long after the cable was back, when
/// the board happened to stand as a few moves would have left it.
#[test]
fn what_nobody_saw_is_not_made_up_later() {
    for sight in [Sight::Occupied, Sight::Colors] {
        for seed in [11, 12, 17, 18, 26, 33, 36] {
            let account = case(seed, TroubleKind::Cable, sight).run(&[]).account;
            assert_eq!((account.n_invented, account.n_missing), (0, 0), "{seed}: {account:?}");
        }
    }
}

#[test]
fn who_comes_late_says_that_the_position_is_not_known() {
    for sight in [Sight::Occupied, Sight::Colors] {
        let troubled = case(3, TroubleKind::Join, sight).run(&[]);
        assert!(troubled.account.is_nothing && troubled.account.n_missing == 0);
        assert_eq!(n_told(&troubled.replay.entries), 1);
    }
}

/// A board with all that it put on record.
struct Board {
    game: Game,
    entries: Vec<Entry>,
    at: u64,
}

impl Board {
    fn handle(&mut self, after_ms: u64, event: &Event) {
        self.at += after_ms;
        let mut effects = Vec::new();
        let stamp = Stamp { mono: Mono::from_millis(self.at), wall: Wall(0) };
        self.game.handle(stamp, event, &mut effects);
        let records = effects.into_iter().filter_map(|effect| match effect {
            Effect::Record(entry) => Some(entry),
            _ => None,
        });
        self.entries.extend(records);
    }

    fn order(&mut self, text: &str) -> Vec<String> {
        self.handle(1_000, &Event::Act(Act::read(text, "arbiter", "").unwrap()));
        self.game.refusals()
    }

    fn plays(&mut self, from: &str, to: &str) {
        self.handle(1_000, &Event::Sensed(from.parse().unwrap(), Reading::Empty));
        self.handle(300, &Event::Sensed(to.parse().unwrap(), Reading::Something));
        for _ in 0..20 {
            self.handle(100, &Event::Timeout);
        }
        self.handle(100, &Event::Pressed(Color::Black));
        for _ in 0..10 {
            self.handle(100, &Event::Timeout);
        }
    }

    fn moves(&self) -> String {
        let play = self.game.play().unwrap();
        let moves = play.sheet().moves().iter().map(|scored| scored.san.to_string());
        moves.collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn the_position_that_is_told_is_gone_on_from_behind_a_gap() {
    let run = Replay::run(&Script::parse(OUT).unwrap());
    let mut board = Board { game: run.game, entries: run.entries, at: 51_000 };
    assert_eq!((board.moves(), n_told(&board.entries)), ("e4 e5".to_owned(), 1));
    assert_eq!(board.order(&format!("position {STANDS}")), Vec::<String>::new());
    let sheet = board.game.play().unwrap().sheet().clone();
    assert_eq!((sheet.gaps().len(), sheet.last().board().to_string()), (1, board_of(STANDS)));
    board.plays("g8", "f6");
    assert_eq!(board.moves(), "e4 e5 Nf6");
}

/// The arbiter may as well enter the moves that are missing.
#[test]
fn the_moves_that_are_told_are_gone_on_from() {
    let run = Replay::run(&Script::parse(OUT).unwrap());
    let mut board = Board { game: run.game, entries: run.entries, at: 51_000 };
    let refused = board.order("insert 3 g1f3 b8c6 f1b5 a7a6 b5c6");
    assert_eq!(refused, Vec::<String>::new());
    board.plays("g8", "f6");
    assert_eq!(board.moves(), "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 Nf6");
}

/// So may he in two steps, or with a slip that he mends: each order is held against the board, and
/// that it does not lead there is said again.
#[test]
fn moves_that_are_told_one_by_one_are_gone_on_from_once_they_lead_to_the_board() {
    let run = Replay::run(&Script::parse(OUT).unwrap());
    let mut board = Board { game: run.game, entries: run.entries, at: 51_000 };
    assert_eq!(board.order("insert 3 g1f3 b8c6 f1b5 h7h6 b5c6"), Vec::<String>::new());
    for _ in 0..150 {
        board.handle(100, &Event::Timeout);
    }
    assert_eq!(n_told(&board.entries), 2);
    assert_eq!(board.order("replace 6 a7a6"), Vec::<String>::new());
    board.plays("g8", "f6");
    assert_eq!(board.moves(), "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 Nf6");
}

/// Where pieces have names, a board that stands while the clock does is not taken over. What is
/// ordered meanwhile is what play goes on from.
#[test]
fn moves_that_are_told_while_the_clock_stands_outlast_the_silence() {
    let forgetful = Trouble { is_forgetful: true, ..Trouble::default() };
    let script = Script::parse(STOPPED).unwrap();
    let run = Replay::run_amid(&script, settings_of(&script.header), &forgetful);
    let mut board = Board { game: run.game, entries: run.entries, at: 41_000 };
    assert_eq!(board.moves(), "e4 e5");
    assert_eq!(board.order("insert 3 g1f3 b8c6 f1b5 a7a6"), Vec::<String>::new());
    assert_eq!(board.moves(), "e4 e5 Nf3 Nc6 Bb5 a6");
    let (side, high) = (SideTime::of_seconds(5_400), End::Left);
    let time = ClockTime { left: side, right: side, running: true, high, battery_low: false };
    board.handle(1_000, &Event::Clock(ClockMessage::Time(time)));
    for _ in 0..30 {
        board.handle(100, &Event::Timeout);
    }
    assert_eq!(board.moves(), "e4 e5 Nf3 Nc6 Bb5 a6");
    assert!(board.game.play().unwrap().sheet().gaps().is_empty());
}

fn board_of(fen: &str) -> String {
    fen.split(' ').next().unwrap().to_owned()
}

/// Pieces that stand in no start position, before any game: the page shows where some stand, and
/// makes no position of them.
#[tokio::test]
async fn where_pieces_stand_is_shown_before_a_game() {
    let script = Script::parse(
        r#"{"trace":1,"board":"reed","start":"4k3/8/8/8/8/2p5/3Q4/4K3 w - - 0 1"}
{"t":300,"sq":"c3","p":""}
{"t":400,"end":true}"#,
    )
    .unwrap();
    let place = Place::new();
    let bus = place.path("bus");
    configure(
        &place,
        &format!("[[board]]\nname = \"table-1\"\nport = \"gpio\"\n[board.matrix]\nbus = {bus:?}\n"),
    );
    let (board, actor) =
        simulated::open(&script.header, &bus, SwitchReader::ShiftRegisters).unwrap();
    tokio::spawn(actor.run());
    let daemon = place.start();
    wait_until_live(&place, 1, &daemon).await;
    let view = place.seen(|view| view["unnamed"] == json!(["e1", "d2", "c3", "e8"])).await;
    assert_eq!((&view["idle"], &view["fen"]), (&json!(true), &json!("8/8/8/8/8/8/8/8 w - - 0 1")));
    board.play(script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| view["unnamed"] == json!(["e1", "d2", "e8"])).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}
