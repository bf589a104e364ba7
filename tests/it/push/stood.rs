//! An illegal move that stood, on every output that programs read: each has a second game behind
//! it, and the record is whole.

use std::fs;

use rokade::shell::pty::Speed;
use rokade::sim::script::Script;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::{Broadcast, TOKEN, write_token};
use crate::livechess;
use crate::program::{LIMIT, STEP, moves_of, plug};
use crate::round::{ROUND_1, event, values};

/// 1. e4 Nb6, which is illegal, 2. d4 d5 and so on.
const STOOD: &str = include_str!("../../traces/61-illegal-and-answered.trace.jsonl");
const LATER: [&str; 3] = ["2. d4", "2... d5", "3. Nc3"];

/// The games of table 1, with a part for each that is legal from where it starts.
fn assert_split(pgn: &str, which: &str) {
    let games: Vec<&str> = pgn.split("[Event ").skip(1).collect();
    let of_table: Vec<&&str> = games.iter().filter(|it| it.contains("[Round \"1.1\"]")).collect();
    let [first, second] = of_table[..] else { panic!("{which}: {} games\n{pgn}", of_table.len()) };
    let flat = first.replace('\n', " ");
    assert!(flat.contains("{illegal and answered: 1... Nb8b6"), "{which}: {first}");
    assert!(first.contains("[Part \"1 of 2\"]"), "{which}: {first}");
    assert!(second.starts_with("\"Club Open (part 2)\"]\n"), "{which}: {second}");
    assert!(second.contains("[SetUp \"1\"]\n[FEN \"r1bqkbnr/pppppppp/1n6/8/4P3/"), "{second}");
    let moves = second.split("\n\n").nth(1).unwrap().replace('\n', " ");
    for san in LATER {
        assert!(moves.contains(san), "{which}: {moves}");
    }
    assert!(!moves.contains("illegal"), "{which}: {moves}");
}

#[tokio::test]
async fn an_illegal_move_that_stood_begins_another_game_on_every_output() {
    let place = event(ROUND_1);
    let (server, files) = (Broadcast::open(), Broadcast::open());
    write_token(&place, TOKEN);
    place.add(&format!("[folder]\npath = {:?}\n", place.path("out")));
    place.add(&format!(
        "[push]\ntoken_file = \"token\"\nserver = \"http://{}/\"\nrounds = {{ 1 = \"aaaaaaa1\" }}\n\
         url = \"http://{}/games.pgn\"\n",
        server.addr, files.addr
    ));
    let port = livechess::serve(&place);
    let script = Script::parse(STOOD).unwrap();
    let mut board = plug(&script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view).len() == 8).await;
    let has_all = |pgn: &str| pgn.contains("Bd6");
    let end = Instant::now() + LIMIT;
    let read = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap_or_default();
    let folder = loop {
        let pgn = read("round-1/game-1.pgn");
        if has_all(&pgn) {
            break pgn;
        }
        assert!(Instant::now() < end, "{pgn}\n{}", daemon.said());
        sleep(STEP).await;
    };
    assert_split(&folder, "the folder");
    assert_split(&read("round-1/games.pgn"), "the folder's round");
    for path in ["/games.pgn", "/round/1/games.pgn", "/board/table-1/game.pgn"] {
        assert_split(&place.get(path).await.unwrap(), path);
    }
    assert_split(&server.sent(&daemon, |asked| has_all(&asked.body)).await.body, "the push");
    assert_split(&files.sent(&daemon, |asked| has_all(&asked.body)).await.body, "the file");
    let told: Value = serde_json::from_str(&read("round-1/game-1.json")).unwrap();
    assert_eq!(told["parts"].as_array().unwrap().len(), 2, "{told}");
    let events: Value = serde_json::from_str(&livechess::get(port, "tournaments").await).unwrap();
    let round = format!("round/{}/0", events[0]["uuid"].as_str().unwrap());
    let round: Value = serde_json::from_str(&livechess::get(port, &round).await).unwrap();
    let game = format!("game/{}", round["pairings"][0]["uuid"].as_str().unwrap());
    let game: Value = serde_json::from_str(&livechess::get(port, &game).await).unwrap();
    assert_eq!(game["moves"].as_array().map(Vec::len), Some(1), "{game}");
    assert!(game["comment"].as_str().unwrap().contains("2. d4"), "{game}");
    assert_ne!(game["moves"][0], json!("e4 0"));

    // What the arbiter has is one game.
    let own = fs::read_to_string(place.path("state/table-1/game-0001.pgn")).unwrap();
    let exported = place.run(&["export", "--board", "table-1"]).await.out;
    for whole in [own, exported] {
        assert_eq!(values(&whole, "Result").len(), 1, "{whole}");
        assert!(whole.contains("Bd6") && !whole.contains("[Part "), "{whole}");
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}
