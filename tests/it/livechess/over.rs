//! Programs that come to a board whose game is over.

use std::sync::Arc;

use rokade::relay::dialogue::Dialogue;
use rokade::relay::livechess::Live;
use serde_json::json;
use shakmaty::Position as _;

use super::{START_FEN, asked, following, live, said, sans, sheet};

/// A program that begins a game of its own names the start position while the pieces of the last
/// one stand where it ended, or are being put back: its first move is none of that game.
#[test]
fn a_game_that_is_over_is_not_told_to_one_who_begins_another() {
    let mate = ["f3", "e5", "g4", "Qh4#"];
    let over = |sans: &[&str]| Arc::new(Live { is_over: true, ..Live::clone(&live(sans)) });
    let swept =
        Arc::new(Live { placement: Some("8/8/8/8/8/8/8/8".into()), ..Live::clone(&over(&mate)) });
    let next = Arc::new(Live { game: 2, ..Live::clone(&live(&["d4"])) });
    let boards = [over(&mate)];
    let mut dialogue = Dialogue::default();
    let subscribe =
        json!({"id": 1, "call": "subscribe", "param": {"feed": "eboardevent", "id": 1}});
    let setup = |fen: &str| {
        let param = json!({"id": 1, "method": "setup", "param": {"fen": fen}});
        json!({"id": 2, "call": "call", "param": param})
    };
    asked(&mut dialogue, &subscribe, &boards);
    let told = asked(&mut dialogue, &setup(START_FEN), &boards);
    assert_eq!(sans(&told[1..]), [Vec::<String>::new()]);
    assert_eq!(sans(&said(dialogue.follow(0, &[swept], 7))), [Vec::<String>::new()]);
    assert_eq!(sans(&said(dialogue.follow(0, &[next], 7))).last().unwrap(), &["d4"]);
    // One who has followed it half the way has the rest.
    let half = format!("{} w KQkq - 0 2", sheet(&mate[..2]).last().board().board_fen());
    let mut dialogue = Dialogue::default();
    asked(&mut dialogue, &subscribe, &boards);
    let told = asked(&mut dialogue, &setup(&half), &boards);
    assert_eq!(sans(&told[1..]).last().unwrap(), &["g4", "Qh4#"]);
    // And whoever has followed it all sees that it is over, and no less of it.
    let mut dialogue = following(&[live(&mate[..3])]);
    let told = sans(&said(dialogue.follow(0, &[over(&mate)], 7)));
    assert_eq!(told.last().unwrap(), &mate);
}
