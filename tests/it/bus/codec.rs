//! Bytes against words, both ways, and what noise and slices change.

use rokade::sim::trouble::Noise;
use rokade::table::End;
use rokade::wire::bus::{BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage, BusRequest};
use rokade::wire::{ClockMessage, FieldCode, LogEvent, Orientation, decode_log};

use crate::table::rows;
use crate::wire::describe::{hex, unhex};

const TABLE: &str = include_str!("../../tables/bus.csv");

fn wanted(request: BusRequest) -> String {
    let word = match request.command {
        BusCommand::SendClock => "clock",
        BusCommand::SendBoard => "board",
        BusCommand::SendChanges => "changes",
        BusCommand::RepeatChanges => "changes-again",
        BusCommand::SetStartOfGame => "set-start",
        BusCommand::SendFromStart => "from-start",
        BusCommand::Ping => "ping",
        BusCommand::EndBusMode => "end",
        BusCommand::Reset => "reset",
        BusCommand::IgnoreNextPing => "ignore-ping",
        BusCommand::SendVersion => "version",
        BusCommand::SendAll => "all",
    };
    format!("{word} {}", request.address)
}

fn changes(log: &[u8]) -> String {
    let mut text = String::new();
    for event in decode_log(log) {
        text += &match event {
            LogEvent::Change { field, code, .. } => {
                let char = match code {
                    FieldCode::Piece(piece) => piece.char(),
                    _ => '.',
                };
                format!(" {}={char}", Orientation::Normal.square(field))
            }
            LogEvent::Time { end: End::Left, seconds } => format!(" left:{seconds}"),
            LogEvent::Time { end: End::Right, seconds } => format!(" right:{seconds}"),
            other => format!(" {other:?}"),
        };
    }
    text
}

fn told(message: &BusMessage) -> String {
    let address = message.address;
    match &message.answer {
        BusAnswer::Board(dump) => {
            format!("board {address} {}", dump.placement(Orientation::Normal))
        }
        BusAnswer::Clock(ClockMessage::Time(time)) => {
            let runs = if time.running { "running" } else { "standing" };
            let (left, right) = (time.left.seconds, time.right.seconds);
            format!("clock {address} left {left} right {right} {runs}")
        }
        BusAnswer::Clock(other) => format!("clock {address} {other:?}"),
        BusAnswer::Changes(log) => format!("changes {address}{}", changes(log)),
        BusAnswer::FromStart(log) => format!("from-start {address}{}", changes(log)),
        BusAnswer::Pong => format!("pong {address}"),
        BusAnswer::StartSet => format!("start-set {address}"),
        BusAnswer::Version { major, minor } => format!("version {address} {major}.{minor:02}"),
    }
}

fn messages(bytes: &[u8], slice: usize) -> Vec<BusItem> {
    let (mut decoder, mut items) = (BusDecoder::default(), Vec::new());
    for part in bytes.chunks(slice) {
        decoder.push(part, &mut items);
    }
    decoder.reset(&mut items);
    items
}

#[test]
fn each_row_of_the_table_is_read_and_written() {
    for [id, direction, bytes, meaning, _] in rows::<5>(TABLE) {
        let bytes = unhex(bytes);
        if direction == "to-board" {
            let request = BusRequest::decode(bytes[..].try_into().unwrap()).expect(id);
            assert_eq!(wanted(request), meaning, "{id}");
            assert_eq!(hex(&request.encode()), hex(&bytes), "{id}");
            continue;
        }
        let message = BusMessage::decode(&bytes).expect(id);
        assert_eq!(told(&message), meaning, "{id}");
        if id != "told-old-version" && id != "told-bwtime" {
            assert_eq!(hex(&message.encode()), hex(&bytes), "{id}");
        }
        for at in 0..bytes.len() {
            let mut hurt = bytes.clone();
            hurt[at] ^= 1;
            assert_eq!(BusMessage::decode(&hurt), None, "{id}: byte {at} is another one");
        }
    }
}

#[test]
fn only_some_commands_may_be_for_all() {
    assert_eq!(BusRequest::decode([0x83, 0, 0, 0x03]), None);
    assert_eq!(BusRequest::decode([0x81, 8, 1, 0x0b]), None, "a wrong sum");
    assert!(BusRequest::decode([0x87, 0, 0, 0x07]).is_some());
}

/// However a stream is cut the answers are the same, and noise on it makes none that was not sent
/// more often than a checksum of seven bits lets through.
#[test]
fn slices_change_nothing_and_noise_is_seen() {
    let rows = rows::<5>(TABLE);
    let from_board = rows.iter().filter(|row| row[1] == "from-board");
    let frames: Vec<Vec<u8>> = from_board.map(|row| unhex(row[2])).collect();
    let stream: Vec<u8> = frames.concat();
    let whole = messages(&stream, stream.len());
    assert_eq!(whole.len(), frames.len());
    for slice in 1..20 {
        assert_eq!(messages(&stream, slice), whole, "slices of {slice}");
    }
    let (mut n_false, mut n_hurt) = (0, 0);
    for seed in 0..400 {
        let mut heard = stream.clone();
        Noise::new(200, seed).spoil(&mut heard);
        for item in messages(&heard, 7) {
            match item {
                BusItem::Hurt(_) => n_hurt += 1,
                BusItem::Message(_) if whole.contains(&item) => {}
                BusItem::Message(_) => n_false += 1,
            }
        }
    }
    assert!(n_hurt > 500, "{n_hurt}");
    assert!(n_false * 100 < n_hurt, "{n_false} false for {n_hurt} hurt");
}
