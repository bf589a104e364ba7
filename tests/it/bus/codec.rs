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
            // The sum has seven bits, and does not see the eighth.
            hurt[at] = bytes[at] ^ 0x80;
            assert_eq!(BusMessage::decode(&hurt), None, "{id}: byte {at} begins a message");
        }
    }
}

#[test]
fn only_some_commands_may_be_for_all() {
    assert_eq!(BusRequest::decode([0x83, 0, 0, 0x03]), None);
    assert_eq!(BusRequest::decode([0x81, 8, 1, 0x0b]), None, "a wrong sum");
    assert!(BusRequest::decode([0x87, 0, 0, 0x07]).is_some());
}

/// An answer with this id and so many bytes of data, whose sum is right.
fn frame(id: u8, n_data: usize) -> Vec<u8> {
    let [high, low] = [(n_data + 6) >> 7, (n_data + 6) & 0x7f].map(|it| u8::try_from(it).unwrap());
    let mut bytes = vec![id, high, low, 0x08, 0x01];
    bytes.resize(5 + n_data, 0);
    bytes.push(bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) & 0x7f);
    bytes
}

#[test]
fn a_version_has_both_its_numbers() {
    let answer = BusAnswer::Version { major: 1, minor: 8 };
    let message = BusMessage { address: 1_025, answer };
    assert_eq!(BusMessage::decode(&message.encode()), Some(message));
    // An old board says nothing of its version.
    let old = BusMessage::decode(&frame(0x89, 0)).map(|message| message.answer);
    assert_eq!(old, Some(BusAnswer::Version { major: 1, minor: 2 }));
}

/// What an answer says of its length is held against its id as soon as it is there: one that lies
/// would keep the line waiting for what never comes.
#[test]
fn an_answer_whose_length_cannot_be_is_given_up_at_once() {
    let ring = 0x1f00;
    let rows: [(u8, &[usize], &[usize]); 8] = [
        (0x83, &[64], &[0, 63, 65]),
        (0x84, &[7], &[0, 6, 8]),
        (0x85, &[0, 1, ring], &[ring + 1]),
        (0x86, &[0, 1, ring], &[ring + 1]),
        (0x87, &[0], &[1, 128]),
        (0x88, &[0], &[1, 128]),
        (0x89, &[0, 2], &[1, 3]),
        (0x8a, &[], &[0, 1]),
    ];
    for (id, good, bad) in rows {
        for n_data in good {
            let bytes = frame(id, *n_data);
            assert!(BusMessage::decode(&bytes).is_some(), "{id:x} with {n_data}");
            assert!(matches!(messages(&bytes, 64)[..], [BusItem::Message(_)]));
        }
        for n_data in bad {
            let bytes = frame(id, *n_data);
            assert_eq!(BusMessage::decode(&bytes), None, "{id:x} with {n_data}");
            let (mut decoder, mut items) = (BusDecoder::default(), Vec::new());
            decoder.push(&bytes[..3], &mut items);
            assert_eq!(items, [BusItem::Hurt(3)], "{id:x} with {n_data}");
        }
        for total in 0..6 {
            let (mut decoder, mut items) = (BusDecoder::default(), Vec::new());
            decoder.push(&[id, 0, total], &mut items);
            assert_eq!(items, [BusItem::Hurt(3)], "{id:x}, {total} bytes with its head");
        }
    }
}

/// Bytes that begin nothing are told with the read in which they came, and with no other.
#[test]
fn noise_is_told_at_once_and_as_one() {
    let pong = frame(0x87, 0);
    let message = BusItem::Message(BusMessage::decode(&pong).unwrap());
    for n in 1..10 {
        let (mut decoder, mut items) = (BusDecoder::default(), Vec::new());
        decoder.push(&vec![0x05; n], &mut items);
        assert_eq!(items, [BusItem::Hurt(n)]);
        items.clear();
        decoder.push(&pong, &mut items);
        assert_eq!(
            items,
            std::slice::from_ref(&message),
            "it has nothing to do with what came before"
        );
        items.clear();
        decoder.push(&[&pong[..5], &pong[..], &vec![0x05; n][..]].concat(), &mut items);
        assert_eq!(items, [BusItem::Hurt(5), message.clone(), BusItem::Hurt(n)]);
    }
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
