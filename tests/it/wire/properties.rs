//! Laws of the wire that no table can hold: no input stalls, spins or panics; reads may be cut
//! anywhere; what we write is what we read.

use proptest::prelude::*;
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::{
    Ack, Battery, BoardCommand, BoardMessage, ClockMessage, ClockTime, CommandDecoder, Decoder,
    Dump, Field, FieldCode, Item, LogEvent, Orientation, SideTime, decode_log,
};

fn code() -> impl Strategy<Value = FieldCode> {
    (0_u8..16).prop_map(FieldCode::from_byte)
}

fn side() -> impl Strategy<Value = SideTime> {
    (0_u32..36_000, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(seconds, flag_blocked, per_move, flag_shown)| SideTime {
            seconds,
            flag_blocked,
            per_move,
            flag_shown,
        },
    )
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::Left), Just(End::Right)]
}

fn clock() -> impl Strategy<Value = ClockMessage> {
    let time = (side(), side(), any::<bool>(), end(), any::<bool>());
    prop_oneof![
        time.prop_map(|(left, right, running, high, battery_low)| {
            ClockMessage::Time(ClockTime { left, right, running, high, battery_low })
        }),
        Just(ClockMessage::NoClock),
        Just(ClockMessage::Empty),
        any::<[u8; 4]>().prop_map(|bytes| ClockMessage::Ack(Ack(bytes))),
        // Whatever seven bytes say, Rejected among it.
        prop::array::uniform7(0_u8..128).prop_map(ClockMessage::decode),
    ]
}

fn battery() -> impl Strategy<Value = Battery> {
    let minutes = || prop::option::of(0_u16..126 * 60);
    let standby = prop::option::of(0_u32..126 * 24 * 60);
    (0_u8..=100, minutes(), minutes(), standby, any::<bool>(), any::<bool>()).prop_map(
        |(percent, left_min, on_min, standby_min, charging, discharging)| Battery {
            percent,
            left_min,
            on_min,
            standby_min,
            charging,
            discharging,
        },
    )
}

fn message() -> impl Strategy<Value = BoardMessage> {
    let number = || 0_u8..128;
    let bytes = |max| prop::collection::vec(0_u8..128, 0..=max);
    prop_oneof![
        prop::collection::vec(code(), 64).prop_map(|codes| {
            BoardMessage::Dump(Box::new(Dump(codes.try_into().expect("64 codes"))))
        }),
        (number(), code()).prop_map(|(n, code)| BoardMessage::Field { field: Field::new(n), code }),
        clock().prop_map(BoardMessage::Clock),
        bytes(0x1f00).prop_map(BoardMessage::Log),
        (0_u16..1 << 14).prop_map(BoardMessage::BusAddress),
        "[0-9]{1,17}".prop_map(BoardMessage::Serial),
        "[ -~]{10}".prop_map(BoardMessage::LongSerial),
        "[ -~\r\n]{0,256}".prop_map(BoardMessage::Trademark),
        (number(), number()).prop_map(|(major, minor)| BoardMessage::Version { major, minor }),
        battery().prop_map(BoardMessage::Battery),
        any::<bool>().prop_map(|unlocked| BoardMessage::LockState { unlocked }),
        bytes(256).prop_map(BoardMessage::PegasusAnswer),
    ]
}

/// Bytes of a line that is anything but sane: messages, halves of messages, and noise.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let header = prop_oneof![Just(0x86_u8), Just(0x8d), Just(0x8e), Just(0x8f), Just(0xa0)];
    let part = prop_oneof![
        4 => message().prop_map(|message| message.encode()),
        2 => (message(), 0..80_usize).prop_map(|(message, n)| {
            message.encode().into_iter().take(n).collect()
        }),
        2 => (header, 0_u8..128, 0_u8..128).prop_map(|(id, high, low)| vec![id, high, low]),
        2 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::collection::vec(0_u8..128, 0..600),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

/// Cuts `bytes` into reads of the given lengths, again and again.
fn reads<'a>(bytes: &'a [u8], lengths: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let (mut rest, mut lengths) = (bytes, lengths.iter().cycle());
    std::iter::from_fn(move || {
        let (read, after) = rest.split_at((*lengths.next()?).min(rest.len()));
        rest = after;
        (!read.is_empty()).then_some(read)
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(message in message()) {
        let bytes = message.encode();
        prop_assert_eq!(BoardMessage::decode(&bytes), Some(message));
        prop_assert!(bytes[1..].iter().all(|byte| byte & 0x80 == 0));
    }

    #[test]
    fn slicing_does_not_matter(
        bytes in stream(),
        lengths in prop::collection::vec(1_usize..70, 1..6),
    ) {
        let (mut whole, mut sliced) = (Vec::new(), Vec::new());
        let (mut one, mut two) = (Decoder::default(), Decoder::default());
        one.push(Mono(0), &bytes, &mut whole);
        reads(&bytes, &lengths).for_each(|read| two.push(Mono(0), read, &mut sliced));
        prop_assert_eq!(&whole, &sliced);
        // What is left unfinished is the same, too.
        one.reset(&mut whole);
        two.reset(&mut sliced);
        prop_assert_eq!(whole, sliced);
    }

    #[test]
    fn no_byte_is_lost_or_counted_twice(bytes in stream()) {
        let (mut decoder, mut out) = (Decoder::default(), Vec::new());
        decoder.push(Mono(0), &bytes, &mut out);
        decoder.reset(&mut out);
        let mut at = 0;
        for item in out {
            match item {
                Item::Skipped { bytes, .. } | Item::Unknown { bytes, .. } => at += bytes,
                Item::Message(message) => {
                    let len = usize::from(bytes[at + 1]) << 7 | usize::from(bytes[at + 2]);
                    prop_assert_eq!(BoardMessage::decode(&bytes[at..at + len]), Some(message));
                    at += len;
                }
            }
        }
        prop_assert_eq!(at, bytes.len());
    }

    #[test]
    fn a_message_after_any_garbage_is_heard(bytes in stream(), field in 0_u8..64, code in code()) {
        let message = BoardMessage::Field { field: Field::new(field), code };
        let (mut decoder, mut out) = (Decoder::default(), Vec::new());
        decoder.push(Mono(0), &bytes, &mut out);
        decoder.push(Mono(0), &message.encode(), &mut out);
        prop_assert_eq!(out.last(), Some(&Item::Message(message)));
    }

    #[test]
    fn a_board_survives_any_host(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (mut whole, mut sliced) = (Vec::new(), Vec::new());
        CommandDecoder::default().push(&bytes, &mut whole);
        let mut decoder = CommandDecoder::default();
        bytes.iter().for_each(|byte| decoder.push(&[*byte], &mut sliced));
        prop_assert_eq!(whole, sliced);
        if let Some(command) = BoardCommand::decode(&bytes) {
            prop_assert_eq!(BoardCommand::decode(&command.encode()), Some(command));
        }
    }

    #[test]
    fn a_log_is_read_from_any_byte_on(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let events = decode_log(&bytes);
        let mut written = Vec::new();
        events.iter().for_each(|event| event.encode(&mut written));
        prop_assert!(written.len() <= bytes.len());
    }

    #[test]
    fn a_log_that_starts_inside_an_event_is_itself_again_soon(
        changes in prop::collection::vec(
            (0_u8..64, code(), any::<bool>(), end(), 0_u32..36_000), 4..40,
        ),
        cut in 1_usize..3,
    ) {
        let (mut events, mut bytes) = (Vec::new(), Vec::new());
        for (field, code, fast, end, seconds) in changes {
            events.push(LogEvent::Change { field: Field::new(field), code, fast });
            events.push(LogEvent::Time { end, seconds });
        }
        events.push(LogEvent::Eof);
        events.iter().for_each(|event| event.encode(&mut bytes));
        prop_assert_eq!(&decode_log(&bytes), &events);
        // From inside an event, all but the first three are right.
        let late = decode_log(&bytes[cut..]);
        prop_assert!(late.ends_with(&events[3..]));
    }

    #[test]
    fn a_turned_board_is_the_same_board(codes in prop::collection::vec(0_u8..13, 64)) {
        let codes: Vec<_> = codes.into_iter().map(FieldCode::from_byte).collect();
        let dump = Dump(codes.try_into().unwrap());
        for orientation in [Orientation::Normal, Orientation::Rotated] {
            prop_assert_eq!(&Dump::new(&dump.placement(orientation), orientation), &dump);
        }
    }
}
