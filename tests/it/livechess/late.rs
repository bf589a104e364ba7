//! Programs that come late, and boards that do.

use std::sync::Arc;

use rokade::relay::dialogue::Dialogue;
use rokade::relay::livechess::Live;
use serde_json::{Value, json};

use super::{START_FEN, asked, following, live, said, sans};

/// A program that comes late to a long game is told it as those were that have followed it: one
/// more half-move with each message, however many there are.
#[test]
fn what_was_missed_is_told_one_half_move_a_message() {
    let shuffle = [vec!["e4"], ["Nf6", "Nf3", "Ng8", "Ng1"].repeat(100)].concat();
    let one_more = |told: &[Vec<String>]| {
        told.windows(2).all(|it| it[1].len() == it[0].len() + 1 && it[1].starts_with(&it[0]))
    };
    // A setup, a record that is made good for, and a correction that goes back to the start.
    let late = [live(&shuffle)];
    for told in [
        sans(&asked(&mut following(&late), &setup(1, START_FEN), &late)[1..]),
        sans(&said(following(&[live(&[])]).follow(0, &late, 7))),
        sans(&said(following(&[live(&["d4", "d5"])]).follow(0, &late, 7))),
    ] {
        assert!(told[0].len() <= 1, "{}", told[0].len());
        assert_eq!(told.last().unwrap(), &shuffle);
        assert!(one_more(&told));
    }
    // That the board shows it is said with the last one alone.
    let told = said(following(&[live(&[])]).follow(0, &late, 7));
    let matches: Vec<_> = told.iter().filter(|it| it["param"]["match"] == true).collect();
    assert_eq!((told.len(), matches), (401, vec![told.last().unwrap()]));
    let id = json!({"id": "x".repeat(100), "call": "subscribe", "param": {"feed": "eboardevent"}});
    let refused = asked(&mut Dialogue::default(), &id, &[live(&[])]);
    assert_eq!((refused.len(), &refused[0]["response"]), (1, &"error".into()));
}

fn setup(feed: u64, fen: &str) -> Value {
    let param = json!({"id": feed, "method": "setup", "param": {"fen": fen}});
    json!({"id": 9, "call": "call", "param": param})
}

fn subscribe(feed: u64, serialnr: Option<&str>) -> Value {
    let param = serialnr.map(|it| json!({"serialnr": it}));
    json!({"id": feed, "call": "subscribe",
        "param": {"feed": "eboardevent", "id": feed, "param": param}})
}

/// The numbers in a list of boards.
fn serials(list: &[Value]) -> Vec<&str> {
    let boards = list[0]["param"].as_array().unwrap();
    boards.iter().map(|it| it["serialnr"].as_str().unwrap()).collect()
}

/// A board is subscribed to before it has told its number, or before another one tells the same:
/// the program goes on to hear of it by the name that it has asked for, in all that it is told.
#[test]
fn a_board_keeps_the_number_by_which_a_program_follows_it() {
    let named = |serial: &str, sans: &[&str]| {
        let serial = serial.to_owned();
        Arc::new(Live { serials: vec![serial.clone()], serial, ..Live::clone(&live(sans)) })
    };
    let list = json!({"id": 1, "call": "eboards"});
    let mut boards = [named("", &[]), named("23946", &[])];
    for all in [false, true] {
        let mut dialogue = Dialogue::default();
        let known = if all { vec![None] } else { vec![Some("90001"), Some("23946")] };
        for (serialnr, feed) in known.into_iter().zip(1..) {
            let told = asked(&mut dialogue, &subscribe(feed, serialnr), &boards);
            assert_eq!(told[0]["response"], "call");
        }
        // The first tells its own number, then both the same.
        for serial in ["55555", "23946"] {
            let now = [named(serial, &["e4"]), named("23946", &["d4"])];
            assert_eq!(serials(&asked(&mut dialogue, &list, &now)), ["90001", "23946"]);
            for (idx, name) in [(0, "90001"), (1, "23946")] {
                let told = said(dialogue.follow(idx, &now, 7));
                let is_it = |it: &Value| it["param"]["serialnr"] == name;
                assert!(told.iter().all(is_it), "{told:?}");
            }
            let feed = if all { 1 } else { 2 };
            let told = asked(&mut dialogue, &setup(feed, START_FEN), &now);
            let told: Vec<_> = told[1..].iter().map(|it| &it["param"]["serialnr"]).collect();
            assert!(told.iter().all(|it| all || **it == "23946"), "{told:?}");
        }
    }
    // Who comes now hears the numbers as they are. A board is found by the one of before as well,
    // for a program that remembers it.
    boards[0] = named("55555", &[]);
    let mut dialogue = Dialogue::default();
    assert_eq!(serials(&asked(&mut dialogue, &list, &boards)), ["55555", "23946"]);
    for (feed, name) in [(1, "90001"), (2, "90002")] {
        let told = asked(&mut dialogue, &subscribe(feed, Some(name)), &boards);
        assert_eq!((told.len(), &told[1]["param"]["serialnr"]), (2, &name.into()));
    }
    // A number of another board's, or that another board would stand in with, is nobody's own.
    let boards = [named("90002", &[]), named("", &[])];
    let list = asked(&mut Dialogue::default(), &list, &boards);
    assert_eq!(serials(&list), ["90001", "90002"]);
}

/// A program has the list when the board has told its short number, and follows it when it has told
/// its long one.
#[test]
fn a_board_is_found_by_each_number_that_it_has_told() {
    let told = ["01025", "3000001025"].map(str::to_owned);
    let board = Live { serial: told[1].clone(), serials: told.into(), ..Live::clone(&live(&[])) };
    let boards = [live(&[]), Arc::new(board)];
    let mut dialogue = Dialogue::default();
    for (feed, name) in [(1, "01025"), (2, "23946")] {
        let told = asked(&mut dialogue, &subscribe(feed, Some(name)), &boards);
        assert_eq!((told.len(), &told[1]["param"]["serialnr"]), (2, &name.into()));
    }
    let told = asked(&mut dialogue, &subscribe(3, Some("77777")), &boards);
    assert_eq!(told[0]["response"], "error");
}
