//! The rounds of an event: what becomes of a list of pairings at the boards, in the PGN of a round,
//! and over a restart.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use rokade::shell::pty::{PtyBoardStub, Speed};
use rokade::sim::hands::Span;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::{assert_sentence, pgn_moves};
use crate::daemon::game;
use crate::livechess;
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of, plug};

const HEAD: &str =
    "round;board;white;white_title;white_elo;white_fide_id;white_fed;white_team;black\n";
pub(crate) const ROUND_1: &str =
    "1;1;Ærø, Åse;GM;2539;1400011;DEN;Aarhus;Ben\n1;2;Cid;;;;;;Dan\n1;3;Eve;;;;;;Fay\n";
const ROUND_2: &str = "2;1;Ben;;;;;;Cid\n2;2;Dan;;;;;;Eve\n2;3;Fay;;;;;;Ærø, Åse\n";

/// Three boards of an event.
pub(crate) fn event(rounds: &str) -> Place {
    let place = Place::with_boards(3);
    place.add("[event]\nname = \"Club Open\"\nsite = \"Aarhus\"\nfederation = \"DEN\"\n");
    place.add("time_control = \"90m+30s\"\npairings = \"list.csv\"\n");
    write(&place, rounds);
    place
}

fn write(place: &Place, rounds: &str) {
    fs::write(place.path("list.csv"), format!("{HEAD}{rounds}")).unwrap();
}

/// The values of a tag, game by game.
pub(crate) fn values(pgn: &str, tag: &str) -> Vec<String> {
    let start = format!("[{tag} \"");
    let of = |line: &str| line.strip_prefix(&start)?.strip_suffix("\"]").map(str::to_owned);
    pgn.lines().filter_map(of).collect()
}

/// Whether all boards stand in round 2, and the first game of table-1 is won.
fn has_both_rounds(pgn: &str) -> bool {
    values(pgn, "Round") == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]
        && values(pgn, "Result") == ["1-0", "*", "*", "*", "*", "*"]
}

/// Waits for a file of games that is as the test wants it: boards write theirs one by one.
async fn games(place: &Place, daemon: &Daemon, is_it: impl Fn(&str) -> bool) -> String {
    let end = Instant::now() + LIMIT;
    loop {
        let pgn = place.get("/games.pgn").await.unwrap_or_default();
        if is_it(&pgn) {
            return pgn;
        }
        assert!(Instant::now() < end, "{pgn}\n{}", daemon.said());
        sleep(STEP).await;
    }
}

/// The first line of an answer, and all of it.
async fn ask(place: &Place, path: &str, more: &str) -> String {
    let mut stream = TcpStream::connect(place.addr).await.unwrap();
    let ask = format!("GET {path} HTTP/1.1\r\nHost: x.local\r\nConnection: close\r\n{more}\r\n");
    let ask = ask.replace("x.local", &place.addr.to_string());
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// A game is over, and the next one at its board is paired: a result says of which of them it is.
async fn players_who_do_not_come_lose_their_own_game(place: &Place, daemon: &Daemon) {
    let order = |words: &'static [&'static str]| {
        let words = [&["order", "--board", "table-1", "result"], words].concat();
        async move { place.run(&words).await }
    };
    let vague = order(&["0-1", "default"]).await;
    assert_sentence(
        &vague,
        7,
        &["1.1 Ærø, Åse", "is over with 1-0", "2.1 Ben - Cid", "result next 0-1"],
    );
    let next = order(&["next", "0-1", "default"]).await;
    assert_eq!(next.code, Some(0), "{next:?}");
    assert!(next.out.contains("Ben - Cid"), "it says whose game it is: {}", next.out);
    let results = ["1-0", "*", "*", "0-1", "*", "*"];
    games(place, daemon, |pgn| values(pgn, "Result") == results).await;
    // There is one game that is over, and none that waits: no more need be said.
    order(&["next", "1-0"]).await;
    let again = order(&["next", "1-0"]).await;
    assert_sentence(&again, 7, &["no next game is paired"]);
    let corrected = order(&["1/2-1/2"]).await;
    assert_eq!(corrected.code, Some(0), "{corrected:?}");
    let results = ["1-0", "*", "*", "1/2-1/2", "*", "*"];
    games(place, daemon, |pgn| values(pgn, "Result") == results).await;
}

#[tokio::test]
async fn rounds_are_played_one_after_the_other_without_a_restart() {
    let place = event(ROUND_1);
    let (intended, played) = game(8, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    // Silent boards stand there with their tags, each in its place.
    let silent = games(&place, &daemon, |pgn| values(pgn, "Round") == ["1.1", "1.2", "1.3"]).await;
    assert_eq!(values(&silent, "White"), ["Ærø, Åse", "Cid", "Eve"]);
    assert_eq!(values(&silent, "Event"), ["Club Open"; 3]);
    assert_eq!(values(&silent, "Site"), ["Aarhus DEN"; 3]);
    assert_eq!(values(&silent, "TimeControl"), ["5400+30"; 3]);
    for (tag, value) in [
        ("WhiteTitle", "GM"),
        ("WhiteElo", "2539"),
        ("WhiteFideId", "1400011"),
        ("WhiteFed", "DEN"),
        ("WhiteTeam", "Aarhus"),
    ] {
        assert_eq!(values(&silent, tag), [value], "{tag}");
    }
    assert!(ask(&place, "/round/2/games.pgn", "").await.starts_with("HTTP/1.1 404"));
    assert!(ask(&place, "/round/x/games.pgn", "").await.starts_with("HTTP/1.1 404"));

    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view).len() == intended.len()).await;
    // While the game is on, the next round changes nothing of it.
    write(&place, &format!("{ROUND_1}{ROUND_2}"));
    let next = place.run(&["round", "next", "--by", "A. Arbiter"]).await;
    assert_eq!(next.code, Some(0), "{next:?}\n{}", daemon.said());
    assert!(next.out.contains("table-1  ") && next.out.contains("2.1  Ben - Cid by A. Arbiter ["));
    assert!(next.out.contains("stays as it is") && next.out.contains("2.3  Fay - Ærø, Åse"));
    assert_eq!(place.view().await.unwrap()["white"], "Ærø, Åse");
    let result = place.run(&["order", "--board", "table-1", "result", "1-0"]).await;
    assert_eq!(result.code, Some(0), "{result:?}");
    let both = games(&place, &daemon, has_both_rounds).await;
    let moves: Vec<usize> = pgn_moves(&both).iter().map(Vec::len).collect();
    assert_eq!(moves, [intended.len(), 0, 0, 0, 0, 0]);
    place.seen(|view| view["white"] == "Ærø, Åse" && view["result"] == "1-0").await;

    let first = ask(&place, "/round/1/games.pgn", "").await;
    let (head, body) = first.split_once("\r\n\r\n").unwrap();
    assert_eq!(values(body, "Round"), ["1.1", "1.2", "1.3"]);
    let etag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
    let known = format!("If-None-Match: {etag}\r\n");
    assert!(ask(&place, "/round/1/games.pgn", &known).await.starts_with("HTTP/1.1 304"));

    // What cannot be used changes nothing, and is said.
    write(&place, &format!("{ROUND_1}{ROUND_2}3;1;A;;;;;;B\n3;1;C;;;;;;D\n"));
    let twice = place.run(&["round", "next"]).await;
    assert_sentence(&twice, 7, &["round 2 is paired", "no game of it", "write 3"]);
    let wrong = place.run(&["round", "3"]).await;
    assert_sentence(&wrong, 6, &["list.csv, line 9", "board 1 of round 3", "line 8"]);
    daemon.says("THE PAIRINGS ARE NOT USED").await;
    let none = place.run(&["round", "7"]).await;
    assert_sentence(&none, 7, &["list.csv, ", "no round 7", "1, 2, 3"]);
    assert_eq!(place.get("/games.pgn").await.unwrap(), both);

    daemon.kill().await;
    fs::remove_file(place.path("list.csv")).unwrap();
    let daemon = place.start();
    games(&place, &daemon, |pgn| pgn == both).await;
    daemon.says("list.csv").await;
    let log = place.run(&["log", "--board", "table-2"]).await;
    assert!(log.out.contains("paired     1.2  Cid - Dan"), "{}", log.out);
    players_who_do_not_come_lose_their_own_game(&place, &daemon).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A file of the folder that programs watch.
async fn file(place: &Place, name: &str, is_it: impl Fn(&str) -> bool) -> String {
    let end = Instant::now() + LIMIT;
    loop {
        let text = fs::read_to_string(place.path("out").join(name)).unwrap_or_default();
        if is_it(&text) {
            return text;
        }
        assert!(Instant::now() < end, "{name}: {text}");
        sleep(STEP).await;
    }
}

#[tokio::test]
async fn programs_that_watch_a_folder_have_each_round_in_it() {
    let place = event(&format!("{ROUND_1}2;2;Dan;;;;;;Eve\n"));
    place.add(&format!("[folder]\npath = {:?}\n", place.path("out")));
    // Something is in the way: it is said, and tried again.
    fs::write(place.path("out"), "").unwrap();
    let (intended, played) = game(6, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    daemon.says("THE FOLDER FOR BROADCASTS IS NOT WRITTEN").await;
    fs::remove_file(place.path("out")).unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    let has = |n: usize| move |pgn: &str| !pgn.is_empty() && pgn_moves(pgn)[0].len() == n;
    let pgn = file(&place, "round-1/game-1.pgn", has(intended.len())).await;
    assert_eq!(
        (values(&pgn, "Round"), values(&pgn, "White")),
        (vec!["1.1".into()], vec!["Ærø, Åse".into()])
    );
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let json = read(&file(&place, "round-1/game-1.json", |text| text.contains("+")).await);
    assert_eq!(json["moves"].as_array().unwrap().len(), intended.len(), "{json}");
    assert_eq!((&json["result"], &json["live"]), (&"*".into(), &true.into()));
    assert!(json["clock"]["white"].is_u64() && !json["clock"]["run"].is_null(), "{json}");
    let index = read(&file(&place, "round-1/index.json", |text| text.contains("true")).await);
    let white = &index["pairings"][0]["white"];
    assert_eq!((&white["lname"], &white["fname"]), (&"Ærø".into(), &"Åse".into()));
    assert_eq!((&white["fideid"], &white["title"]), (&1_400_011.into(), &"GM".into()));
    assert_eq!(index["pairings"].as_array().unwrap().len(), 3);
    let all = file(&place, "round-1/games.pgn", |text| values(text, "Round").len() == 3).await;
    assert_eq!(values(&all, "Round"), ["1.1", "1.2", "1.3"]);
    // Other users' programs read it, where records are for nobody else.
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    let names = ["out", "out/round-1", "out/round-1/games.pgn"];
    assert_eq!(names.map(mode), [0o755, 0o755, 0o644]);
    let rounds =
        |counts: Value| json!({ "id": "Club Open", "name": "Club Open", "rounds": counts });
    let first = read(&file(&place, "tournament.json", |text| text.contains("\"live\":1")).await);
    assert_eq!(first, rounds(json!([{ "count": 3, "live": 1 }])));

    // What is corrected takes the place of what was there.
    for result in ["1-0", "1/2-1/2"] {
        // What contradicts an order that was just given must be given again.
        let words = ["order", "--board", "table-1", "result", result];
        let ordered = place.run(&words).await;
        let ordered = if ordered.code == Some(7) { place.run(&words).await } else { ordered };
        assert_eq!(ordered.code, Some(0), "{ordered:?}");
        let is_it = |text: &str| values(text, "Result") == [result];
        file(&place, "round-1/game-1.pgn", is_it).await;
        let named = format!("\"result\":\"{result}\"");
        file(&place, "round-1/index.json", |text| text.contains(&named)).await;
    }
    // Nobody plays at the first table: the others keep their places.
    assert_eq!(place.run(&["round", "next"]).await.code, Some(0));
    let second = file(&place, "round-2/game-2.pgn", |text| !text.is_empty()).await;
    assert_eq!(values(&second, "White"), ["Dan"]);
    let index = read(&file(&place, "round-2/index.json", |text| text.contains("Dan")).await);
    assert_eq!(
        (&index["pairings"][0]["white"], &index["pairings"][1]["result"]),
        (&Value::Null, &"*".into())
    );
    assert!(!place.path("out/round-2/game-1.pgn").exists());
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// What LiveChess tells programs of tournaments, as one of them asks for it.
#[tokio::test]
async fn programs_are_told_of_the_event_by_livechess() {
    let place = event(&format!("{ROUND_1}{ROUND_2}"));
    place.add("round = 1\n");
    let port = livechess::serve(&place);
    let (intended, played) = game(4, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view).len() == intended.len()).await;
    let get = async |path: &str| livechess::get(port, path).await;
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let all = read(get("tournaments").await);
    let uuid = all[0]["uuid"].as_str().unwrap().to_owned();
    assert_eq!((&all[0]["description"], &all[0]["rounds"]), (&"Club Open".into(), &1.into()));
    let detail = read(get(&format!("tournament/{uuid}")).await);
    assert_eq!((&detail["location"], &detail["country"]), (&"Aarhus".into(), &"DEN".into()));
    assert_eq!(detail["eboards"].as_array().unwrap().len(), 3);
    let first = read(get(&format!("round/{uuid}/0")).await);
    let pairing = &first["pairings"][0];
    assert_eq!(
        (&first["nr"], &pairing["nr"], &pairing["live"]),
        (&1.into(), &1.into(), &true.into())
    );
    assert_eq!((&pairing["white"]["lname"], &pairing["result"]), (&"Ærø".into(), &Value::Null));
    let address = format!("game/{}", pairing["uuid"].as_str().unwrap());
    // The page has a move as soon as it is made, programs once it is completed.
    let whole = async {
        loop {
            let game = read(get(&address).await);
            if game["moves"].as_array().unwrap().len() == intended.len() {
                return game;
            }
            sleep(STEP).await;
        }
    };
    let game = timeout(LIMIT, whole).await.expect("all moves completed");
    let moves = game["moves"].as_array().unwrap();
    assert!(moves.iter().all(|m| m.as_str().unwrap().split(' ').count() == 2), "{game}");
    assert!(game["clock"]["white"].is_u64() && game["chess960"] == 518, "{game}");
    let result = place.run(&["order", "--board", "table-1", "result", "0-1"]).await;
    assert_eq!(result.code, Some(0), "{result:?}");
    let over = async || read(get(&format!("round/{uuid}/0")).await)["pairings"][0].clone();
    while over().await["result"] != "BLACKWIN" {
        sleep(STEP).await;
    }
    assert_eq!(over().await["live"], false);
    for path in [format!("round/{uuid}/1"), format!("round/{uuid}/x"), "game/1".to_owned()] {
        assert_eq!(get(&path).await, "There is nothing at this address.\n", "{path}");
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// An event of two rounds, with a game of the first at table 1 of which so many half-moves have
/// been played.
async fn late_in_round_1() -> (Place, Daemon, PtyBoardStub, usize) {
    let place = event(&format!("{ROUND_1}{ROUND_2}"));
    place.add("round = 1\n");
    let (intended, played) = game(4, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    let n_plies = intended.len();
    place.seen(|view| moves_of(view).len() == n_plies).await;
    (place, daemon, board, n_plies)
}

/// The whole hall is told late of a round; where the game of the last one has ended and nothing is
/// set up yet, that game keeps its names.
#[tokio::test]
async fn a_game_that_is_over_stays_what_it_is_when_a_round_is_ordered_late() {
    let (place, daemon, _board, _) = late_in_round_1().await;
    let result = place.run(&["order", "--board", "table-1", "result", "1-0"]).await;
    assert_eq!(result.code, Some(0), "{result:?}");
    let now = place.run(&["round", "2", "--now"]).await;
    assert_eq!(now.code, Some(0), "{now:?}");
    assert!(!now.out.contains("(the game that has begun)"), "{now:?}");
    // At the other tables nothing has been played.
    assert_eq!(now.out.matches("table-1  its last game is over").count(), 1, "{now:?}");
    assert_eq!(now.out.matches("its last game is over").count(), 1, "{now:?}");
    games(&place, &daemon, has_both_rounds).await;
    assert_eq!(place.view().await.unwrap()["white"], "Ærø, Åse");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// What was played before the round began took its place; the arbiter says that it does not count.
#[tokio::test]
async fn a_round_is_played_anew_by_order() {
    let (place, daemon, _board, n_plies) = late_in_round_1().await;
    let result = place.run(&["order", "--board", "table-1", "result", "1-0"]).await;
    assert_eq!(result.code, Some(0), "{result:?}");
    games(&place, &daemon, |pgn| values(pgn, "Result") == ["1-0", "*", "*"]).await;
    let whole = place.run(&["round", "1", "--anew"]).await;
    assert_eq!(whole.code, Some(2), "not for a whole hall: {whole:?}");
    let anew = place.run(&["round", "1", "--board", "table-1", "--anew"]).await;
    assert_eq!(anew.code, Some(0), "{anew:?}");
    assert!(anew.out.contains("does not count"), "{anew:?}");
    let pgn = games(&place, &daemon, |pgn| values(pgn, "Result") == ["*", "*", "*"]).await;
    assert_eq!(values(&pgn, "Round"), ["1.1", "1.2", "1.3"]);
    let exported = place.run(&["export", "--round", "1"]).await;
    assert_eq!(
        (exported.code, values(&exported.out, "Result")),
        (Some(0), vec!["*".to_owned(); 3])
    );
    daemon.kill().await;
    let daemon = place.start();
    games(&place, &daemon, |pgn| values(pgn, "Result") == ["*", "*", "*"]).await;
    // It is on record all the same.
    let all = place.run(&["export", "--board", "table-1"]).await;
    assert_eq!(pgn_moves(&all.out)[0].len(), n_plies);
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Boards of the event and others stand in one file; without an event it is that of the boards.
#[tokio::test]
async fn a_board_that_is_not_paired_stands_in_the_file_as_well() {
    let place = event(ROUND_1);
    fs::remove_file(place.path("list.csv")).unwrap();
    let daemon = place.start();
    place.warned(&daemon, None).await;
    write(&place, ROUND_1);
    let words = ["round", "1", "--board", "table-2"];
    assert_eq!(place.run(&words).await.code, Some(0));
    games(&place, &daemon, |pgn| values(pgn, "White") == ["Cid", "Ann", "Ann"]).await;
    let one = ask(&place, "/round/1/games.pgn", "").await;
    assert_eq!(values(&one, "White"), ["Cid"]);
    assert_eq!(daemon.stop().await.0, Some(0));
    // The event is over, and its list is taken out of the settings.
    let settings = fs::read_to_string(place.path("rokade.toml")).unwrap();
    let settings = settings.replace("pairings = \"list.csv\"\n", "");
    fs::write(place.path("rokade.toml"), settings).unwrap();
    let daemon = place.start();
    place.warned(&daemon, None).await;
    let pgn = games(&place, &daemon, |pgn| values(pgn, "White").len() == 3).await;
    assert_eq!(values(&pgn, "White"), ["Ann", "Ann", "Ann"]);
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// The arbiter says that the game that is on is of the new round already; corrections replace.
#[tokio::test]
async fn a_round_that_was_ordered_late_is_that_of_the_game_that_is_on() {
    let (place, daemon, _board, n_plies) = late_in_round_1().await;
    let words = ["round", "2", "--board", "table-1", "--now", "--reason", "ordered late"];
    let now = place.run(&words).await;
    assert_eq!(now.code, Some(0), "{now:?}");
    assert!(now.out.contains("(the game that has begun)") && !now.out.contains("table-2"));
    place.seen(|view| view["white"] == "Ben" && view["round"] == "2.1").await;
    let late = games(&place, &daemon, |pgn| values(pgn, "Round").contains(&"2.1".into())).await;
    assert_eq!(values(&late, "Round"), ["1.1", "1.2", "1.3", "2.1"]);
    let moves: Vec<usize> = pgn_moves(&late).iter().map(Vec::len).collect();
    assert_eq!(moves, [0, 0, 0, n_plies]);
    // A name is corrected in the list: the same round once more.
    write(&place, &format!("{ROUND_1}{}", ROUND_2.replace("Ben", "Bent")));
    let again = place.run(&words).await;
    assert_eq!(again.code, Some(0), "{again:?}");
    let mended = games(&place, &daemon, |pgn| values(pgn, "White").contains(&"Bent".into())).await;
    assert_eq!(pgn_moves(&mended).len(), 4);
    let same = place.run(&words).await;
    assert!(same.code == Some(0) && same.out.contains("table-1  as before  2.1"), "{same:?}");
    daemon.kill().await;
    let daemon = place.start();
    games(&place, &daemon, |pgn| pgn == mended).await;
    place.seen(|view| view["white"] == "Bent").await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

#[tokio::test]
async fn without_a_list_there_are_no_rounds_and_boards_run() {
    let place = Place::new();
    place.add("[event]\npairings = \"nowhere.trf\"\n");
    let daemon = place.start();
    place.warned(&daemon, None).await;
    assert!(daemon.said().contains("nowhere.trf: it cannot be read"), "{}", daemon.said());
    let pgn = place.get("/games.pgn").await.unwrap();
    assert_eq!(values(&pgn, "White"), ["Ann"], "what the settings say");
    let outcome = place.run(&["round", "1"]).await;
    assert_sentence(&outcome, 6, &["nowhere.trf", "cannot be read"]);
    assert_eq!(daemon.stop().await.0, Some(0));

    let place = Place::new();
    let daemon = place.start();
    place.warned(&daemon, None).await;
    let outcome = place.run(&["round", "1"]).await;
    assert_sentence(&outcome, 7, &["pairings = \"FILE\" in [event]"]);
    assert_eq!(daemon.stop().await.0, Some(0));
}
