//! Bytes against words, both ways, and what noise and slices change.

use rokade::time::Mono;
use rokade::wire::blocks::{Blocks, Cuttings, Language};
use rokade::wire::chesslink::{FromBoard, ToBoard};
use rokade::wire::{ChessLinkCommand, ChessLinkMessage, Dump, Orientation};
use shakmaty::{Board, Square};
use std::time::Duration;

use crate::table::rows;
use crate::wire::describe::{hex, unhex};

const TABLE: &str = include_str!("../../tables/chesslink.csv");

fn position(dump: &Dump) -> String {
    let (lies, name) = match dump.orientation() {
        Some(Orientation::Normal) => (Orientation::Normal, "normal"),
        Some(Orientation::Rotated) => (Orientation::Rotated, "rotated"),
        None => (Orientation::Normal, "unknown"),
    };
    format!("position {} {name}", dump.placement(lies))
}

fn said_by_host(command: &ChessLinkCommand) -> String {
    match command {
        ChessLinkCommand::Version => "version".into(),
        ChessLinkCommand::Position => "position".into(),
        ChessLinkCommand::Light(table) => {
            // White's way to read a board: file by file, from the first rank on.
            let mut lit: Vec<Square> = table.squares(Orientation::Normal).into_iter().collect();
            lit.sort_by_key(|sq| (sq.file(), sq.rank()));
            // A square between two that are lit has all its corners lit, too.
            lit.retain(|sq| *sq != Square::E3);
            lit.iter().fold("light".into(), |text: String, sq| text + " " + &sq.to_string())
        }
        ChessLinkCommand::Dark => "dark".into(),
        ChessLinkCommand::Restart => "restart".into(),
        ChessLinkCommand::Read(register) => format!("read {register:?}"),
        ChessLinkCommand::Write(register, value) => format!("write {register:?} {value}"),
    }
}

fn said_by_board(message: &ChessLinkMessage) -> String {
    match message {
        ChessLinkMessage::Version { major, minor } => format!("version {major}.{minor}"),
        ChessLinkMessage::Position(dump) => position(dump),
        ChessLinkMessage::Lit => "lit".into(),
        ChessLinkMessage::Dark => "dark".into(),
        ChessLinkMessage::Read(register, value) => format!("read {register:?} {value}"),
        ChessLinkMessage::Written(register, value) => format!("written {register:?} {value}"),
    }
}

fn cut<L: Language>(bytes: &[u8]) -> Cuttings<L::Message> {
    Blocks::default().push::<L>(Mono(0), bytes)
}

#[test]
fn chesslink_says_what_the_table_says() {
    let rows = rows::<5>(TABLE);
    assert_eq!(rows.len(), 19);
    for [id, direction, bytes, meaning, _] in rows {
        let (words, again) = match direction {
            "to-board" => {
                let cuttings = cut::<ToBoard>(&unhex(bytes));
                assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
                (said_by_host(&cuttings.messages[0]), cuttings.messages[0].encode())
            }
            _ => {
                let cuttings = cut::<FromBoard>(&unhex(bytes));
                assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
                (said_by_board(&cuttings.messages[0]), cuttings.messages[0].encode())
            }
        };
        assert_eq!((words.as_str(), hex(&again).as_str()), (meaning, bytes), "{id}");
    }
}

/// All that boards say in the table, one after the other.
fn stream() -> (Vec<u8>, Vec<String>) {
    let rows = rows::<5>(TABLE);
    let of_board = rows.iter().filter(|row| row[1] == "from-board");
    let (bytes, words): (Vec<_>, Vec<_>) =
        of_board.map(|row| (unhex(row[2]), row[3].to_owned())).unzip();
    (bytes.concat(), words)
}

#[test]
fn slices_change_nothing() {
    let (bytes, words) = stream();
    for slice in [1, 2, 3, 7, 66, bytes.len()] {
        let (mut blocks, mut said) = (Blocks::default(), Vec::new());
        for part in bytes.chunks(slice) {
            let cuttings = blocks.push::<FromBoard>(Mono(0), part);
            assert_eq!(cuttings.n_noise, 0, "in slices of {slice}");
            said.extend(cuttings.messages.iter().map(said_by_board));
        }
        assert_eq!(said, words, "in slices of {slice}");
    }
}

/// A bit that is turned over costs its own message, and is never believed.
#[test]
fn a_bit_that_is_turned_over_costs_one_message() {
    let (bytes, words) = stream();
    for idx in 0..bytes.len() {
        for bit in 0..8 {
            let mut hurt = bytes.clone();
            hurt[idx] ^= 1 << bit;
            let cuttings = cut::<FromBoard>(&hurt);
            let said: Vec<String> = cuttings.messages.iter().map(said_by_board).collect();
            let of_words = words.iter().filter(|word| said.contains(word)).count();
            assert_eq!(said.len(), of_words, "byte {idx}, bit {bit}: {said:?}");
            assert!(said.len() + 1 >= words.len(), "byte {idx}, bit {bit}: {said:?}");
            assert!(cuttings.n_noise > 0 || said.len() < words.len());
        }
    }
}

#[test]
fn two_bytes_that_agree_in_error_are_caught_by_the_sum() {
    let start = Dump::new(&Board::new(), Orientation::Normal);
    let mut bytes = ChessLinkMessage::Position(Box::new(start)).encode();
    // A black rook becomes a white one: two bits of one byte keep its parity.
    bytes[1] ^= 0x20 | 0x80;
    assert_eq!(cut::<FromBoard>(&bytes), Cuttings { messages: Vec::new(), n_noise: bytes.len() });
}

#[test]
fn a_message_that_stops_is_given_up() {
    let (bytes, words) = stream();
    let mut blocks = Blocks::default();
    let start = ChessLinkMessage::Position(Box::new(Dump::new(&Board::new(), Orientation::Normal)));
    let half = &start.encode()[..40];
    assert_eq!(blocks.push::<FromBoard>(Mono(0), half).n_noise, 0);
    let late = Mono(0) + Duration::from_millis(600);
    let cuttings = blocks.push::<FromBoard>(late, &bytes);
    assert_eq!(cuttings.n_noise, half.len());
    assert_eq!(cuttings.messages.iter().map(said_by_board).collect::<Vec<_>>(), words);
}
