//! What programs say to the daemon: calls of LiveChess, and lines at the socket for orders. Each
//! call has an answer, and all that is said is JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::relay::dialogue::Dialogue;
use rokade::relay::livechess::Live;
use rokade::shell::orders::Request;
use serde_json::Value;
use std::sync::Arc;

fuzz_target!(|text: &str| {
    let placement = Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR".to_owned());
    let board = |serial: &str| {
        let (serial, name) = (serial.to_owned(), "table".to_owned());
        let placement = placement.clone();
        Arc::new(Live { serial, name, state: "ACTIVE", placement, ..Live::default() })
    };
    let boards = [board("12345"), board("")];
    let mut dialogue = Dialogue::default();
    for line in text.lines() {
        let mut said: Vec<String> = dialogue.hear(line, &boards, 0).collect();
        assert!(!said.is_empty(), "no answer");
        said.extend(dialogue.follow(0, &boards, 1));
        for answer in &said {
            serde_json::from_str::<Value>(answer).unwrap_or_else(|why| panic!("{answer}: {why}"));
        }
        if let Ok(request) = serde_json::from_str::<Request>(line) {
            let again = serde_json::to_string(&request).expect("a request");
            assert_eq!(serde_json::from_str::<Request>(&again).ok(), Some(request));
        }
    }
});
