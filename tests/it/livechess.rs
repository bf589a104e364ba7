//! Programs that know boards by LiveChess follow ours: written dialogues, and the daemon itself.

#![allow(clippy::unwrap_used)]

mod late;
mod over;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rokade::game::{ScoreSheet, Unknown};
use rokade::relay::dialogue::Dialogue;
use rokade::relay::livechess::{Live, listed};
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::sim::script::Script;
use serde_json::{Value, json};
use shakmaty::san::San;
use shakmaty::{CastlingMode, Chess, Position as _};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::daemon::game;
use crate::program::{Daemon, LIMIT, Place, is_live, plug};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
pub(crate) const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The usual start and these moves.
fn sheet(sans: &[&str]) -> ScoreSheet {
    let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
    for san in sans {
        let san: San = san.parse().unwrap();
        let m = san.to_move(sheet.last()).unwrap();
        sheet.push(m, Vec::new());
    }
    sheet
}

/// A board on which the last of these moves stands.
fn live(sans: &[&str]) -> Arc<Live> {
    let sheet = sheet(sans);
    Arc::new(Live {
        serial: "23946".to_owned(),
        serials: vec!["23946".to_owned()],
        name: "table-1".to_owned(),
        state: "ACTIVE",
        placement: Some(sheet.last().board().board_fen().to_string()),
        game: 1,
        n_told: sheet.len(),
        sheet: Some(Arc::new(sheet)),
        clock: None,
        is_over: false,
    })
}

fn said(texts: impl IntoIterator<Item = String>) -> Vec<Value> {
    texts.into_iter().map(|text| serde_json::from_str(&text).unwrap()).collect()
}

/// What is said to a call, and how.
fn asked(dialogue: &mut Dialogue, call: &Value, boards: &[Arc<Live>]) -> Vec<Value> {
    said(dialogue.hear(&call.to_string(), boards, 7))
}

/// The moves of each event.
fn sans(events: &[Value]) -> Vec<Vec<String>> {
    let of = |event: &Value| serde_json::from_value(event["param"]["san"].clone()).unwrap();
    events.iter().map(of).collect()
}

/// A program that has asked to be told the moves from the usual start.
fn following(boards: &[Arc<Live>]) -> Dialogue {
    let mut dialogue = Dialogue::default();
    let subscribe = json!({"id": 2, "call": "subscribe", "param":
        {"feed": "eboardevent", "id": 1, "param": {"serialnr": "23946"}}});
    asked(&mut dialogue, &subscribe, boards);
    let setup = json!({"id": 3, "call": "call", "param":
        {"id": 1, "method": "setup", "param": {"fen": START_FEN}}});
    asked(&mut dialogue, &setup, boards);
    dialogue
}

/// The recorded exchange of a page with LiveChess, answered by us.
#[test]
fn calls_are_answered_as_programs_expect() {
    let boards = [live(&[])];
    let mut dialogue = Dialogue::default();
    let list = asked(&mut dialogue, &json!({"id": 1, "call": "eboards"}), &boards);
    let board = json!({
        "serialnr": "23946", "source": "table-1", "state": "ACTIVE", "battery": null,
        "comment": "table-1", "board": START, "flipped": false, "clock": null,
    });
    assert_eq!(list, [json!({"response": "call", "id": 1, "param": [board], "time": 7})]);
    let subscribe = json!({"id": "2", "call": "subscribe", "param":
        {"feed": "eboardevent", "id": 1, "param": {"serialnr": "23946"}}});
    let first = json!({"serialnr": "23946", "flipped": false, "board": START, "clock": null});
    assert_eq!(
        asked(&mut dialogue, &subscribe, &boards),
        [
            json!({"response": "call", "id": "2", "param": null, "time": 7}),
            json!({"response": "feed", "id": 1, "param": first, "time": 7}),
        ]
    );
    // No moves before a setup.
    let next = said(dialogue.follow(0, &[live(&["e4"])], 8));
    let board = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    let param = json!({"serialnr": "23946", "flipped": false, "board": board});
    assert_eq!(next, [json!({"response": "feed", "id": 1, "param": param, "time": 8})]);
    assert_eq!(dialogue.follow(0, &[live(&["e4"])], 9).next(), None, "nothing has changed");
    let setup = json!({"id": 3, "call": "call", "param":
        {"id": 1, "method": "setup", "param": {"fen": START_FEN}}});
    let answer = asked(&mut dialogue, &setup, &[live(&["e4"])]);
    assert_eq!(sans(&answer[1..]), [vec![], vec!["e4".to_owned()]]);
    assert_eq!(answer[2]["param"]["start"], START_FEN);
    assert_eq!(answer[2]["param"]["match"], true);
    for method in ["flip", "setup"] {
        let flip = json!({"id": 4, "call": "call", "param":
            {"id": 1, "method": method, "param": {"flip": method == "flip"}}});
        let turned = asked(&mut dialogue, &flip, &[live(&["e4"])]);
        let is_turned = method == "flip";
        assert_eq!(turned[1]["param"]["flipped"], is_turned);
        let shown = turned[1]["param"]["board"].as_str().unwrap();
        assert_eq!(shown.starts_with("RNBKQBNR"), is_turned, "{shown}");
    }
    for call in [
        json!({"id": 5, "call": "call", "param": {"id": 1, "method": "unsubscribe"}}),
        json!({"id": 5, "call": "unsubscribe", "param": {"id": 1}}),
    ] {
        let answer = asked(&mut dialogue.clone(), &call, &boards);
        assert_eq!(answer, [json!({"response": "call", "id": 5, "param": null, "time": 7})]);
    }
}

/// The dialogues of programs of others are answered to the letter: some end at the first error, and
/// some look for pieces of text.
#[test]
fn programs_of_others_are_answered_as_they_ask() {
    let behind_e4 = || [live(&["e4"])];
    let mut boards = behind_e4();
    let mut program = Dialogue::default();
    let mut answers = VecDeque::new();
    let table = include_str!("../tables/livechess.txt");
    for line in table.lines().chain(["#"]) {
        match line.split_once(' ') {
            Some((">", call)) => {
                assert_eq!(answers, [""; 0], "{line}");
                answers = program.hear(&call.replace("\\n", "\n"), &boards, 7).collect();
            }
            Some(("<", answer)) => assert_eq!(answers.pop_front().as_deref(), Some(answer)),
            Some(("=", stands)) => {
                assert_eq!(answers, [""; 0], "{line}");
                let words: Vec<_> = stands.split(' ').collect();
                boards = [Arc::new(Live {
                    placement: Some(words[0].to_owned()),
                    game: words[1].parse().unwrap(),
                    ..Live::clone(&live(&words[2..]))
                })];
                answers = program.follow(0, &boards, 7).collect();
            }
            _ => {
                assert_eq!(answers, [""; 0], "{line}");
                (program, boards) = (Dialogue::default(), behind_e4());
            }
        }
    }
}

/// Positions as programs write them that have no rules: all rights that there are, a pawn that
/// might be taken in passing behind each double step, more than can be.
#[test]
fn a_position_need_not_be_a_lawful_one() {
    let rights = "rnbq1bnr/ppppkppp/8/4p3/4P3/8/PPPPKPPP/RNBQ1BNR w KQkq - 4 3";
    let moves = ["e4", "e5", "Ke2", "Ke7", "Nf3"];
    for (fen, sans, n) in [
        (rights, &moves[..], 1),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", &["e4", "c5"], 1),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq d3 0 1", &["e4", "c5"], 1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", &["e4", "c5"], 2),
        ("QQQQkQQQ/QQQQQQQQ/8/8/8/8/8/4K3 b - - 0 1", &["e4"], 0),
    ] {
        let mut dialogue = following(&[live(&[])]);
        let setup = json!({"id": 3, "call": "call", "param":
            {"id": 1, "method": "setup", "param": {"fen": fen}}});
        let told = asked(&mut dialogue, &setup, &[live(sans)]);
        assert_eq!(told[0]["response"], "call", "{fen}: {}", told[0]);
        assert_eq!(sans_of_last(&told), sans[sans.len() - n..], "{fen}");
    }
}

fn sans_of_last(events: &[Value]) -> Vec<String> {
    sans(events.split_at(1).1).pop().unwrap_or_default()
}

#[test]
fn nonsense_is_refused_with_what_to_do() {
    let boards = [live(&[])];
    let subscribe = |param: Value| json!({"id": 1, "call": "subscribe", "param": param});
    let call = |param: Value| json!({"id": 1, "call": "call", "param": param});
    for (asked, expected) in [
        (json!("{"), "eboards"),
        (json!({"id": 1, "call": "dance"}), "no call \"dance\""),
        (subscribe(json!({"feed": "weather"})), "eboardevent"),
        (subscribe(json!({"feed": "eboardevent", "param": {"serialnr": "1"}})), "call eboards"),
        (call(json!({"id": 9, "method": "flip"})), "subscribe first"),
        (json!({"id": 1, "call": "unsubscribe", "param": {"id": 9}}), "no feed has this id"),
    ] {
        let answer = said(Dialogue::default().hear(&asked.to_string(), &boards, 7));
        assert_eq!((answer.len(), &answer[0]["response"]), (1, &"error".into()), "{asked}");
        let why = answer[0]["param"]["message"].as_str().unwrap();
        assert!(why.contains(expected), "{why}");
    }
    let wrong = json!({"id": 1, "method": "setup", "param": {"fen": "8/8 w"}});
    let answer = asked(&mut following(&boards), &call(wrong), &boards);
    assert!(answer[0]["param"]["message"].as_str().unwrap().contains("is not a position"));
}

#[test]
fn moves_come_one_at_a_time_and_corrections_go_back_to_where_both_agree() {
    let mut dialogue = following(&[live(&[])]);
    let mut follow = |moves: &[&str]| sans(&said(dialogue.follow(0, &[live(moves)], 7)));
    assert_eq!(follow(&["e4"]), [["e4"]]);
    assert_eq!(follow(&["e4", "e5", "Nf3"]), [vec!["e4", "e5"], vec!["e4", "e5", "Nf3"]]);
    assert_eq!(follow(&["e4", "e5"]), [["e4", "e5"]], "a move is taken back");
    assert_eq!(
        follow(&["e4", "c5", "Nf3"]),
        [vec!["e4"], vec!["e4", "c5"], vec!["e4", "c5", "Nf3"]],
        "a record that was corrected"
    );
}

/// A feed of all boards looks for its position on each of them.
#[test]
fn a_position_that_comes_again_is_that_of_the_first_time_on_each_board() {
    let named = |serial: &str, sans: &[&str]| {
        Arc::new(Live { serial: serial.to_owned(), ..Live::clone(&live(sans)) })
    };
    let mut boards = [named("11111", &[]), named("22222", &[])];
    let mut dialogue = Dialogue::default();
    for call in [
        json!({"id": 1, "call": "subscribe", "param": {"feed": "eboardevent", "id": 1}}),
        json!({"id": 2, "call": "call", "param":
            {"id": 1, "method": "setup", "param": {"fen": START_FEN}}}),
    ] {
        asked(&mut dialogue, &call, &boards);
    }
    let back = ["Nf3", "Nf6", "Ng1", "Ng8"];
    boards[1] = named("22222", &["e4"]);
    dialogue.follow(1, &boards, 7).for_each(drop);
    boards[0] = named("11111", &back);
    let told = sans(&said(dialogue.follow(0, &boards, 7)));
    assert_eq!(*told.last().unwrap(), back);
}

#[test]
fn moves_are_told_from_the_position_that_a_program_names() {
    let middle = sheet(&["e4", "e5"]);
    let fen = format!("{} w KQkq - 0 2", middle.last().board().board_fen());
    let mut dialogue = following(&[live(&["e4"])]);
    let setup = json!({"id": 3, "call": "call", "param":
        {"id": 1, "method": "setup", "param": {"fen": fen}}});
    let waiting = asked(&mut dialogue, &setup, &[live(&["e4"])]);
    assert_eq!(
        (sans(&waiting[1..]), &waiting[1]["param"]["match"]),
        (vec![Vec::new()], &false.into())
    );
    let there = said(dialogue.follow(0, &[live(&["e4", "e5"])], 7));
    assert_eq!((sans(&there), &there[0]["param"]["match"]), (vec![Vec::new()], &true.into()));
    // The position comes again: the list goes on.
    let back = ["e4", "e5", "Nf3", "Nf6", "Ng1", "Ng8"];
    let all = sans(&said(dialogue.follow(0, &[live(&back)], 7)));
    assert_eq!(all.last().unwrap(), &back[2..]);
}

/// Programs refuse a move that is not legal where it stands, and what follows it.
#[test]
fn no_move_is_told_behind_a_gap() {
    let mut with_gap = sheet(&["e4", "e5"]);
    let adopted = sheet(&["e4", "e5", "Nf3", "Nc6"]).last().clone();
    with_gap.open_gap(adopted.clone(), Unknown { at_least: 2, at_most: Some(2) });
    let san: San = "Bb5".parse().unwrap();
    with_gap.push(san.to_move(with_gap.last()).unwrap(), Vec::new());
    let behind = Live {
        n_told: with_gap.len(),
        placement: Some(with_gap.last().board().board_fen().to_string()),
        sheet: Some(Arc::new(with_gap)),
        ..Live::clone(&live(&[]))
    };
    let boards = [Arc::new(behind)];
    let mut dialogue = following(&[live(&["e4"])]);
    let told = said(dialogue.follow(0, &boards, 7));
    assert_eq!(sans(&told), [["e4", "e5"]]);
    assert_eq!(told[0]["param"]["match"], false);
    // From the position behind it, a program can follow again.
    let fen = format!("{} w KQkq - 4 3", adopted.board().board_fen());
    let setup = json!({"id": 3, "call": "call", "param":
        {"id": 1, "method": "setup", "param": {"fen": fen}}});
    let told = asked(&mut dialogue, &setup, &boards);
    assert_eq!(sans(&told[1..]), [vec![], vec!["Bb5".to_owned()]]);
    assert_eq!(told[2]["param"]["match"], true);
}

#[test]
fn boards_that_play_are_listed_first_and_all_can_be_followed_at_once() {
    let idle = Arc::new(Live { name: "table-1".to_owned(), state: "INACTIVE", ..Live::default() });
    let boards = [idle, live(&["d4"])];
    let list = json!(listed(&boards));
    let serials: Vec<_> = list.as_array().unwrap().iter().map(|it| &it["serialnr"]).collect();
    assert_eq!(serials, ["23946", "90001"]);
    // Two boards that tell one number, as copies of a board do.
    let twins = json!(listed(&[live(&[]), live(&[])]));
    assert_eq!((&twins[0]["serialnr"], &twins[1]["serialnr"]), (&"90001".into(), &"90002".into()));
    let all = json!({"id": 4, "call": "subscribe", "param": {"feed": "eboardevent"}});
    let mut dialogue = Dialogue::default();
    let told = asked(&mut dialogue, &all, &boards);
    let of: Vec<_> = told[1..].iter().map(|it| (&it["id"], &it["param"]["serialnr"])).collect();
    assert_eq!(of, [(&json!(4), &json!("90001")), (&json!(4), &json!("23946"))]);
}

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Comes to the daemon as a page of this site.
pub(crate) async fn come(port: u16, origin: &str) -> Result<Socket, Box<dyn std::error::Error>> {
    let mut request = format!("ws://localhost:{port}/api/v1.0").into_client_request()?;
    request.headers_mut().insert("Origin", origin.parse()?);
    Ok(connect_async(request).await?.0)
}

pub(crate) async fn say(socket: &mut Socket, call: Value) {
    socket.send(Message::text(call.to_string())).await.unwrap();
}

/// The next thing that is said, until the daemon is gone.
pub(crate) async fn next(socket: &mut Socket) -> Option<Value> {
    loop {
        match timeout(LIMIT, socket.next()).await.expect("in time")?.ok()? {
            Message::Text(text) => return Some(serde_json::from_str(&text).unwrap()),
            Message::Close(_) => return None,
            _ => {}
        }
    }
}

/// The next thing that is said.
async fn hear(socket: &mut Socket) -> Value {
    next(socket).await.expect("a daemon that is there")
}

/// Has the daemon of this place serve programs, and says at which port.
pub(crate) fn serve(place: &Place) -> u16 {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let file = place.path("rokade.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let section = format!(
        "[livechess]\nenabled = true\nlisten = \"{port}\"\n\
         origins = [\"http://absolute\"]\n[http]\n"
    );
    std::fs::write(&file, text.replacen("[http]\n", &section, 1)).unwrap();
    port
}

/// The body of what is asked for by GET.
pub(crate) async fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let ask = format!(
        "GET /api/v1.0/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    body.to_owned()
}

/// A machine without IPv6 has no second address; on all others it is served there too.
async fn ask_by_ipv6(port: u16) {
    let Ok(mut stream) = TcpStream::connect(("::1", port)).await else {
        return assert!(std::net::TcpListener::bind("[::1]:0").is_err());
    };
    let ask = format!("GET /api/v1.0/eboards HTTP/1.0\r\nHost: [::1]:{port}\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.0 200 OK"), "{answer}");
}

/// Some programs come by IPv6, and some send their text as bytes.
async fn ask_otherwise(port: u16) {
    ask_by_ipv6(port).await;
    let mut page = come(port, "https://lichess.org").await.unwrap();
    let call = json!({"id": 9, "call": "eboards"}).to_string();
    page.send(Message::binary(call.into_bytes())).await.unwrap();
    assert_eq!(hear(&mut page).await["id"], 9);
}

/// What the board page of Lichess does, while a game is played on a board.
#[tokio::test]
async fn a_page_follows_a_live_board() {
    let place = Place::new();
    let port = serve(&place);
    let (intended, played) = game(10, Span::new(300, 600), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    // Not one of the known, which the operator is told once. A page that is a file of its own has
    // a name as well, which he may let in.
    for origin in ["https://elsewhere.example.org", "https://elsewhere.example.org", "null"] {
        assert!(come(port, origin).await.is_err(), "{origin}");
    }
    refusals_are_told_once(&daemon).await;
    come(port, "http://absolute").await.expect("the name that a local file has in OBS");
    ask_otherwise(port).await;
    let mut page = come(port, "https://lichess.org").await.unwrap();
    say(&mut page, json!({"id": 1, "call": "eboards"})).await;
    let serial = loop {
        let list = hear(&mut page).await;
        let first = &list["param"][0];
        if first["state"] == "ACTIVE" && first["board"] == START {
            break first["serialnr"].as_str().unwrap().to_owned();
        }
        sleep(Duration::from_millis(50)).await;
        say(&mut page, json!({"id": 1, "call": "eboards"})).await;
    };
    say(
        &mut page,
        json!({"id": 2, "call": "subscribe", "param":
        {"feed": "eboardevent", "id": 1, "param": {"serialnr": serial}}}),
    )
    .await;
    assert_eq!(hear(&mut page).await["response"], "call");
    assert_eq!(hear(&mut page).await["param"]["board"], START);
    say(
        &mut page,
        json!({"id": 3, "call": "call", "param":
        {"id": 1, "method": "setup", "param": {"fen": START_FEN}}}),
    )
    .await;
    let play = board.play(played.script.happenings, Speed::REAL);
    let listen = async {
        let (mut lists, mut n_boards) = (Vec::new(), 0);
        loop {
            let heard = hear(&mut page).await;
            n_boards += usize::from(heard["param"]["board"].is_string());
            let Some(sans) = heard["param"]["san"].as_array() else { continue };
            if lists.last() != Some(sans) {
                lists.push(sans.clone());
            }
            if sans.len() == intended.len() && heard["param"]["match"] == true {
                return (lists, n_boards);
            }
        }
    };
    let (played, heard) = tokio::join!(play, timeout(LIMIT, listen));
    played.unwrap();
    let (lists, n_boards) = heard.expect("the whole game in time");
    let expected: Vec<usize> = (0..=intended.len()).collect();
    assert_eq!(lists.iter().map(Vec::len).collect::<Vec<_>>(), expected, "one more with each");
    let told: Vec<_> = lists.last().unwrap().iter().map(|san| san.as_str().unwrap()).collect();
    let ucis: Vec<_> = sheet(&told).moves().iter().map(|it| it.uci.to_string()).collect();
    assert_eq!(ucis, intended);
    assert!(n_boards > intended.len(), "pieces in hands are seen too: {n_boards}");
    drop(page);
    too_much_is_told_once(port, &daemon).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A program that says far too much at once is cut off, and the operator is told once.
async fn too_much_is_told_once(port: u16, daemon: &Daemon) {
    let said = "LIVECHESS, AND WAS CUT OFF";
    for _ in 0..2 {
        let mut program = come(port, "https://lichess.org").await.unwrap();
        program.send(Message::text("x".repeat(100_000))).await.ok();
        let why = async {
            loop {
                if let Message::Close(why) = program.next().await.expect("a word").expect("a word")
                {
                    return why;
                }
            }
        };
        let why = timeout(LIMIT, why).await.expect("an end").expect("a reason");
        assert_eq!(u16::from(why.code), 1009, "{}", why.reason);
    }
    daemon.says(said).await;
    assert_eq!(daemon.said().matches(said).count(), 1, "{}", daemon.said());
}

/// The operator is told of each site once. The log is written by a thread of its own, line by line:
/// behind the last all are there.
async fn refusals_are_told_once(daemon: &Daemon) {
    for site in ["null", "https://elsewhere.example.org"] {
        let said = format!("name it under [livechess] origins site=\"{site}\"");
        daemon.says(&said).await;
        assert_eq!(daemon.said().matches(&said).count(), 1, "{}", daemon.said());
    }
}

/// Asks for the boards until the first is shown so.
async fn shown(port: u16, placement: &str) -> Value {
    let until = async {
        loop {
            let boards: Value = serde_json::from_str(&get(port, "eboards").await).unwrap();
            if boards[0]["board"] == placement {
                return boards[0].clone();
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(LIMIT, until).await.expect("a board that is shown as it stands")
}

/// Pieces that stand in no start position, with no game on record: programs are told each change,
/// and what comes later, or after a restart, is told how they stand.
#[tokio::test]
async fn a_board_without_a_game_is_shown_as_it_stands() {
    const DUMPED: &str = "4k3/8/8/8/8/2p5/3Q4/4K3";
    let script = Script::parse(
        r#"{"trace":1,"board":"dgt","start":"4k3/8/8/8/8/2p5/3Q4/4K3 w - - 0 1"}
{"t":300,"sq":"c3","p":""}
{"t":900,"sq":"d2","p":""}
{"t":1500,"sq":"d5","p":"Q"}
{"t":1600,"end":true}"#,
    )
    .unwrap();
    let place = Place::new();
    let port = serve(&place);
    let board = plug(&script, &place.board());
    let daemon = place.start();
    place.seen(is_live).await;
    assert_eq!(shown(port, DUMPED).await["state"], "ACTIVE");
    let mut page = come(port, "https://lichess.org").await.unwrap();
    let feed = json!({"feed": "eboardevent", "id": 1});
    say(&mut page, json!({"id": 1, "call": "subscribe", "param": feed})).await;
    assert_eq!(hear(&mut page).await["response"], "call");
    assert_eq!(hear(&mut page).await["param"]["board"], DUMPED);
    let setup =
        json!({"id": 1, "method": "setup", "param": {"fen": format!("{DUMPED} w - - 0 1")}});
    say(&mut page, json!({"id": 2, "call": "call", "param": setup})).await;
    assert_eq!(hear(&mut page).await["response"], "call");
    let first = hear(&mut page).await;
    assert_eq!((&first["param"]["san"], &first["param"]["match"]), (&json!([]), &json!(true)));
    let (played, seen) = tokio::join!(board.play(script.happenings, Speed::REAL), async {
        let mut seen = Vec::new();
        while seen.len() < 3 {
            let heard = hear(&mut page).await;
            assert_eq!(
                (&heard["param"]["san"], &heard["param"]["match"]),
                (&json!([]), &json!(false))
            );
            seen.extend(heard["param"]["board"].as_str().map(str::to_owned));
        }
        seen
    });
    played.unwrap();
    let last = "4k3/8/8/3Q4/8/8/8/4K3";
    assert_eq!(seen, ["4k3/8/8/8/8/8/3Q4/4K3", "4k3/8/8/8/8/8/8/4K3", last]);
    let view = place.seen(|view| view["fen"].as_str().unwrap().starts_with(last)).await;
    assert_eq!(view["idle"], true);
    drop(page);
    assert_eq!(daemon.stop().await.0, Some(0));
    drop(board);
    let daemon = place.start();
    place.seen(|_| true).await;
    shown(port, last).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}
