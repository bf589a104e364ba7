//! Bytes against words: every table of DGT bytes, read and written.
//!
//! A table has a header, an id to find the row by, and a comment that says why the row is there.

pub(crate) mod describe;
mod pair;
mod properties;
mod session;
mod torrent;

use crate::table::rows;
use describe::{command, events, hex, item, items, message, unhex};
use rokade::time::Mono;
use rokade::wire::{
    BoardCommand, BoardMessage, CommandDecoder, Decoder, Field, HostItem, Item, Orientation,
    decode_log, segments,
};

fn decode(bytes: &[u8]) -> Vec<Item> {
    let mut out = Vec::new();
    Decoder::default().push(Mono(0), bytes, &mut out);
    out
}

#[test]
fn messages_mean_what_the_table_says() {
    let rows = rows::<4>(include_str!("../tables/dgt-messages.csv"));
    assert_eq!(rows.len(), 79);
    for [id, bytes, expected, _] in rows {
        let decoded = BoardMessage::decode(&unhex(bytes)).unwrap_or_else(|| panic!("{id}"));
        assert_eq!(message(&decoded), expected, "{id}");
        // The frame decoder agrees, and takes all the bytes.
        assert_eq!(decode(&unhex(bytes)), [Item::Message(decoded.clone())], "{id}");
        // What we would send for it means the same.
        assert_eq!(BoardMessage::decode(&decoded.encode()), Some(decoded), "{id}");
        // Only the first byte of a message has its high bit set, so another one begins the next.
        for at in 1..unhex(bytes).len() {
            let mut hurt = unhex(bytes);
            hurt[at] |= 0x80;
            assert_eq!(BoardMessage::decode(&hurt), None, "{id}: byte {at}");
        }
    }
}

#[test]
fn messages_of_captures_are_written_byte_for_byte() {
    // Not so the rows that were derived with other bits for "whose turn", or in an old form.
    let derived = ["bwtime-1h23m45", "bwtime-battery", "bwtime-flag-shown", "bwtime-nine"];
    let old = ["serial-1998", "battery-short", "field-high-bits", "clock-ack-left"];
    for [id, bytes, ..] in rows::<4>(include_str!("../tables/dgt-messages.csv")) {
        if derived.iter().chain(&old).any(|prefix| id.starts_with(prefix)) {
            continue;
        }
        let decoded = BoardMessage::decode(&unhex(bytes)).unwrap_or_else(|| panic!("{id}"));
        assert_eq!(hex(&decoded.encode()), bytes, "{id}");
    }
}

#[test]
fn commands_are_written_and_read_as_the_table_says() {
    for [id, bytes, expected, _] in rows::<4>(include_str!("../tables/dgt-commands.csv")) {
        let decoded = BoardCommand::decode(&unhex(bytes)).unwrap_or_else(|| panic!("{id}"));
        assert_eq!(command(&decoded), expected, "{id}");
        assert_eq!(hex(&decoded.encode()), bytes, "{id}");
    }
}

#[test]
fn a_board_reads_all_commands_in_one_stream() {
    let rows = rows::<4>(include_str!("../tables/dgt-commands.csv"));
    let stream: Vec<u8> = rows.iter().flat_map(|[_, bytes, ..]| unhex(bytes)).collect();
    for slice in [1, 7, stream.len()] {
        let (mut decoder, mut out) = (CommandDecoder::default(), Vec::new());
        stream.chunks(slice).for_each(|bytes| decoder.push(bytes, &mut out));
        let heard: Vec<_> = out
            .iter()
            .map(|item| match item {
                HostItem::Command(it) => command(it),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<_> = rows.iter().map(|[_, _, expected, _]| *expected).collect();
        assert_eq!(heard, expected);
    }
}

#[test]
fn a_board_ignores_what_it_does_not_know() {
    let (mut decoder, mut out) = (CommandDecoder::default(), Vec::new());
    decoder.push(&unhex("4E 51 53 56 00 81 2B 03 03 77 00 60 FF 42"), &mut out);
    let ignored = |bytes: &str| HostItem::Ignored(unhex(bytes));
    let expected = [
        ignored("4E"),
        ignored("51"),
        ignored("53"),
        ignored("56"),
        ignored("00"),
        HostItem::Bus(0x81),
        ignored("2B 03 03 77 00"),
        ignored("60 FF"),
        HostItem::Command(BoardCommand::SendBoard),
    ];
    assert_eq!(out, expected);
}

#[test]
fn streams_are_cut_as_the_table_says_however_they_are_sliced() {
    for [id, bytes, expected, _] in rows::<4>(include_str!("../tables/dgt-streams.csv")) {
        let bytes = unhex(bytes);
        for slice in [1, 2, 3, bytes.len()] {
            let (mut decoder, mut out) = (Decoder::default(), Vec::new());
            bytes.chunks(slice).for_each(|part| decoder.push(Mono(0), part, &mut out));
            assert_eq!(items(&out), expected, "{id} in slices of {slice}");
        }
    }
}

#[test]
fn logs_tell_what_the_table_says() {
    for [id, bytes, expected, _] in rows::<4>(include_str!("../tables/dgt-log.csv")) {
        let bytes = unhex(bytes);
        let decoded = decode_log(&bytes);
        assert_eq!(events(&decoded), expected, "{id}");
        let mut written = Vec::new();
        decoded.iter().for_each(|event| event.encode(&mut written));
        assert_eq!(events(&decode_log(&written)), expected, "{id}");
    }
}

#[test]
fn fields_are_squares_both_ways_round() {
    let rows = rows::<4>(include_str!("../tables/dgt-fields.csv"));
    assert_eq!(rows.len(), 64);
    for [field, square, rotated, _] in rows {
        let field = Field::new(field.parse().unwrap());
        for (orientation, name) in [(Orientation::Normal, square), (Orientation::Rotated, rotated)]
        {
            let square = name.parse().unwrap();
            assert_eq!(orientation.square(field), square);
            assert_eq!(orientation.field(square), field);
        }
    }
}

#[test]
fn letters_are_drawn_as_the_table_says() {
    for [letter, expected, _] in rows::<3>(include_str!("../tables/seven-segments.csv")) {
        let letter = letter.chars().next().unwrap();
        assert_eq!(hex(&[segments::glyph(letter)]), expected, "{letter}");
    }
}

#[test]
fn orientation_is_decided_on_a_start_only() {
    let rows = [
        // placement as the board numbers it, orientation
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", Some(Orientation::Normal), "the start"),
        ("RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr", Some(Orientation::Rotated), "turned"),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR", Some(Orientation::Normal), "Chess960"),
        ("RKRNNQBB/PPPPPPPP/8/8/8/8/pppppppp/rkrnnqbb", Some(Orientation::Rotated), "and turned"),
        ("8/8/8/8/8/8/PPPPPPPP/RNBQKBNR", Some(Orientation::Normal), "Black not set up yet"),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", None, "a move made"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR", None, "odds of a rook: ask the arbiter"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/KNBQKBNR", None, "two kings"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQkBNR", None, "a black king among the white"),
        ("8/8/8/8/8/8/8/8", None, "empty"),
    ];
    for (placement, expected, comment) in rows {
        let board = placement.parse().unwrap();
        let dump = rokade::wire::Dump::new(&board, Orientation::Normal);
        assert_eq!(dump.orientation(), expected, "{comment}");
    }
}

/// What a decoder says after reads at given milliseconds.
fn at_times(reads: &[(u64, &str)]) -> String {
    let (mut decoder, mut out) = (Decoder::default(), Vec::new());
    for (ms, bytes) in reads {
        decoder.push(Mono::from_millis(*ms), &unhex(bytes), &mut out);
    }
    items(&out)
}

#[test]
fn a_message_that_stalls_is_given_up() {
    let rows: &[(&[(u64, &str)], &str)] = &[
        (&[(0, "8E 00"), (499, "05 34"), (998, "00")], "field e2 ."),
        (
            &[(0, "8E 00 05"), (500, "34 00 8E 00 05 24 01")],
            "skipped 3 timed-out, skipped 2 noise, field e4 P",
        ),
        (&[(0, "8E 00 05"), (500, "")], "skipped 3 timed-out"),
        (&[(0, "8F 00 07 24"), (2_499, "41 34"), (4_998, "00")], "log 24 41 34 00"),
        (&[(0, "8F 00 07 24"), (2_500, "41 34 00")], "skipped 4 timed-out"),
        (&[(0, "8F 00 07 24"), (600, "8E 00 05 34 00")], "skipped 4 interrupted, field e2 ."),
        (&[(0, "8F 00"), (500, "07 24 41 34 00")], "skipped 2 timed-out"),
        (&[(0, "31"), (499, "")], ""),
        (&[(0, "31 32"), (500, "")], "skipped 2 noise"),
        // Time never runs backwards, but a decoder must not care.
        (&[(900, "8E 00"), (0, "05 34 00")], "field e2 ."),
    ];
    for (reads, expected) in rows {
        assert_eq!(at_times(reads), *expected, "{reads:?}");
    }
}

#[test]
fn a_decoder_says_when_it_wants_to_be_asked() {
    let (mut decoder, mut out) = (Decoder::default(), Vec::new());
    assert_eq!(decoder.wake_at(), None);
    decoder.push(Mono::from_millis(10), &[0x8e], &mut out);
    assert_eq!(decoder.wake_at(), Some(Mono::from_millis(510)));
    decoder.push(Mono::from_millis(510), &[], &mut out);
    assert_eq!(decoder.wake_at(), None);
    decoder.push(Mono::from_millis(600), &[0x8e, 0x00], &mut out);
    decoder.reset(&mut out);
    assert_eq!(items(&out), "skipped 1 timed-out, skipped 2 interrupted");
}

#[test]
fn endless_noise_is_reported_in_bounded_runs() {
    let mut out = decode(&[0x55; 600]);
    assert_eq!(items(&out), "skipped 256 noise, skipped 256 noise");
    out.clear();
    // The longest message there is.
    let mut log = vec![0x8f, 0x3e, 0x03];
    log.resize(0x1f03, 0x7f);
    Decoder::default().push(Mono(0), &log, &mut out);
    assert!(matches!(&out[..], [Item::Message(BoardMessage::Log(log))] if log.len() == 0x1f00));
}

#[test]
fn a_board_of_a_hundred_fields_is_not_supported_and_no_error() {
    let mut dump = vec![0x86, 0x00, 0x67];
    dump.resize(103, 0x00);
    assert_eq!(item(&decode(&dump)[0]), "skipped 103 unsupported");
}

/// Of half a board of a hundred fields each code is four bits.
#[test]
fn half_a_board_of_a_hundred_fields_is_read() {
    let frame = |code: u8| [&[0x94, 0, 53][..], &[code; 50]].concat();
    let read = Item::Message(BoardMessage::BlackFields(Box::new([0x0c; 50])));
    assert_eq!(decode(&frame(0x0c)), std::slice::from_ref(&read));
    assert_eq!(decode(&frame(0x7c)), [read]);
}

/// Row L2.1a: a board of fewer than 64 squares is no board, so no game begins on it.
#[test]
fn a_picture_of_fewer_squares_is_none() {
    for (n, is_board) in [(56_u8, false), (63, false), (64, true)] {
        let mut frame = vec![0x86, 0, n + 3];
        frame.resize(usize::from(n) + 3, 0);
        let decoded = rokade::wire::BoardMessage::decode(&frame);
        assert_eq!(matches!(decoded, Some(rokade::wire::BoardMessage::Dump(_))), is_board, "{n}");
    }
}
