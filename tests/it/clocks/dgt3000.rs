//! The frames of a DGT3000 on its jack, against the table and against noise.

use super::hms;
use crate::wire::describe::{hex, unhex};
use proptest::prelude::*;
use rokade::table::End;
use rokade::wire::dgt3000::{
    AckVerdict, Address, BEEP_MAX, FRAME_MAX, FrameFault, I2cAck, I2cCommand, I2cMessage, I2cSet,
    I2cTime, KeyEvent, Keys, SideRun, crc,
};
use rokade::wire::{Button, Buttons, LONG_TEXT_LEN, TimeFault};

const TO_CLOCK: &str = "host-to-clock";

fn rows(table: &str) -> Vec<[&str; 5]> {
    let row = |line| {
        let columns: Vec<&str> = str::splitn(line, 5, ';').collect();
        columns.try_into().unwrap_or_else(|_| panic!("a row of five columns: {line}"))
    };
    table.lines().skip(1).map(row).collect()
}

fn end(end: End) -> &'static str {
    match end {
        End::Left => "left",
        End::Right => "right",
    }
}

fn buttons(buttons: Buttons) -> String {
    let name = |button| match button {
        Button::Back => "back",
        Button::Minus => "minus",
        Button::Run => "run",
        Button::Plus => "plus",
        Button::Forward => "forward",
    };
    buttons.iter().map(name).collect::<Vec<_>>().join("+")
}

fn command(command: &I2cCommand) -> String {
    let runs = |run| match run {
        SideRun::Stop => "stop",
        SideRun::Down => "down",
        SideRun::Up => "up",
    };
    match command {
        I2cCommand::Wake => "wake".into(),
        I2cCommand::SetCentralControl => "central-control".into(),
        I2cCommand::Mode25 => "mode-25".into(),
        I2cCommand::Off => "off".into(),
        I2cCommand::EndDisplay => "end-display".into(),
        I2cCommand::Silent => "silent".into(),
        I2cCommand::SetAndRun(I2cSet { left, right, left_runs, right_runs }) => {
            let (left_runs, right_runs) = (runs(*left_runs), runs(*right_runs));
            format!("set {} {left_runs} {} {right_runs}", hms(*left), hms(*right))
        }
        I2cCommand::Display { text, beep, left_dots, right_dots } => {
            let text = String::from_utf8_lossy(text);
            format!("display |{text}| beep {beep} dots {left_dots:02X} {right_dots:02X}")
        }
    }
}

fn message(message: &I2cMessage) -> String {
    let event = |event: KeyEvent| match event {
        KeyEvent::Pressed(pressed) => format!("pressed {}", buttons(pressed)),
        KeyEvent::PowerPressed => "power-down".into(),
        KeyEvent::PowerReleased => "power-up".into(),
        KeyEvent::Lever(high) => format!("lever {}", end(high)),
    };
    match message {
        I2cMessage::Ack(ack) => {
            let verdict = match ack.verdict() {
                AckVerdict::Done => "done",
                AckVerdict::TextShown => "text-shown",
                AckVerdict::Refused => "refused",
            };
            format!("ack {:02X} {verdict}", ack.command)
        }
        I2cMessage::Hello => "hello".into(),
        I2cMessage::Time(I2cTime { left, right, high, is_repeat }) => {
            let repeat = if *is_repeat { " repeat" } else { "" };
            format!("time {} {} high {}{repeat}", hms(*left), hms(*right), end(*high))
        }
        I2cMessage::Keys { now, before } => {
            let events: Vec<_> = now.since(*before).into_iter().map(event).collect();
            format!("keys {}", if events.is_empty() { "-".into() } else { events.join(", ") })
        }
        I2cMessage::Empty => "empty".into(),
        I2cMessage::Other(kind) => format!("other {kind:02X}"),
    }
}

fn fault(fault: FrameFault) -> String {
    match fault {
        FrameFault::Size(n) => format!("size {n}"),
        FrameFault::Length { said, came } => format!("length {said:02X} of {came}"),
        FrameFault::Checksum => "checksum".into(),
        FrameFault::Stranger => "stranger".into(),
        FrameFault::Short => "short".into(),
        FrameFault::Time(TimeFault::Hours(it)) => format!("{} hours", end(it)),
        FrameFault::Time(TimeFault::Minutes(it)) => format!("{} minutes", end(it)),
        FrameFault::Time(TimeFault::Seconds(it)) => format!("{} seconds", end(it)),
    }
}

#[test]
fn frames_mean_what_the_table_says() {
    let table = rows(include_str!("../../tables/dgt3000.csv"));
    assert_eq!(table.len(), 40);
    for [id, direction, bytes, meaning, _] in table {
        if direction == TO_CLOCK {
            let decoded =
                I2cCommand::decode(&unhex(bytes)).unwrap_or_else(|e| panic!("{id}: {e:?}"));
            assert_eq!(command(&decoded), meaning, "{id}");
            assert_eq!(hex(&decoded.encode()), bytes, "{id}");
        } else {
            let decoded =
                I2cMessage::decode(&unhex(bytes)).unwrap_or_else(|e| panic!("{id}: {e:?}"));
            assert_eq!(message(&decoded), meaning, "{id}");
            let again = I2cMessage::decode(&decoded.encode());
            assert_eq!(again, Ok(decoded), "{id}: what we would send for it means the same");
        }
    }
}

#[test]
fn what_is_no_frame_is_told_as_the_table_says() {
    for [id, direction, bytes, expected, _] in rows(include_str!("../../tables/dgt3000-faults.csv"))
    {
        let bytes = unhex(bytes);
        let why = if direction == TO_CLOCK {
            I2cCommand::decode(&bytes).expect_err(id)
        } else {
            I2cMessage::decode(&bytes).expect_err(id)
        };
        assert_eq!(fault(why), expected, "{id}");
    }
}

#[test]
fn the_first_bytes_of_a_frame_are_the_addresses_of_both() {
    for address in Address::ALL {
        assert_eq!(Address::of_bits(address.bits()), Some(address));
    }
    assert_eq!(Address::of_bits(0x11), None);
    assert_eq!(I2cCommand::Wake.encode()[0], Address::Wake.bits() << 1);
    assert_eq!(I2cCommand::Mode25.encode()[0], Address::Clock.bits() << 1);
}

fn set() -> impl Strategy<Value = I2cSet> {
    let run = || prop_oneof![Just(SideRun::Stop), Just(SideRun::Down), Just(SideRun::Up)];
    (0_u32..36_000, 0_u32..36_000, run(), run()).prop_map(|(left, right, left_runs, right_runs)| {
        I2cSet { left, right, left_runs, right_runs }
    })
}

fn any_command() -> impl Strategy<Value = I2cCommand> {
    let text = prop::array::uniform11(0x20_u8..0x7f);
    prop_oneof![
        Just(I2cCommand::Wake),
        Just(I2cCommand::SetCentralControl),
        Just(I2cCommand::Mode25),
        Just(I2cCommand::Off),
        Just(I2cCommand::EndDisplay),
        Just(I2cCommand::Silent),
        set().prop_map(I2cCommand::SetAndRun),
        (text, 0..=BEEP_MAX, any::<u8>(), any::<u8>()).prop_map(
            |(text, beep, left_dots, right_dots): ([u8; LONG_TEXT_LEN], _, _, _)| {
                I2cCommand::Display { text, beep, left_dots, right_dots }
            }
        ),
    ]
}

fn time() -> impl Strategy<Value = I2cTime> {
    let high = prop_oneof![Just(End::Left), Just(End::Right)];
    (0_u32..36_000, 0_u32..36_000, high, any::<bool>())
        .prop_map(|(left, right, high, is_repeat)| I2cTime { left, right, high, is_repeat })
}

fn any_message() -> impl Strategy<Value = I2cMessage> {
    let on = prop_oneof![Just(Address::General), Just(Address::HostAck)];
    prop_oneof![
        time().prop_map(I2cMessage::Time),
        (any::<u8>(), any::<u8>())
            .prop_map(|(now, before)| I2cMessage::Keys { now: Keys(now), before: Keys(before) }),
        (on, any::<u8>(), any::<u8>()).prop_map(|(on, command, status)| I2cMessage::Ack(I2cAck {
            on,
            command,
            status
        })),
        Just(I2cMessage::Hello),
        Just(I2cMessage::Empty),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn commands_go_there_and_back(command in any_command()) {
        let frame = command.encode();
        prop_assert!(frame.len() <= FRAME_MAX);
        prop_assert_eq!(I2cCommand::decode(&frame), Ok(command));
    }

    #[test]
    fn messages_go_there_and_back(message in any_message()) {
        let frame = message.encode();
        prop_assert!(frame.len() <= FRAME_MAX);
        prop_assert_eq!(I2cMessage::decode(&frame), Ok(message));
    }

    /// A checksum of eight bits tells every burst of eight, so every byte; two bytes it may not.
    #[test]
    fn one_wrong_byte_is_never_another_time(time in time(), idx in 0_usize..24, wrong in 1_u8..) {
        let mut frame = I2cMessage::Time(time).encode();
        frame[idx] ^= wrong;
        prop_assert!(I2cMessage::decode(&frame).is_err(), "{}", hex(&frame));
    }

    #[test]
    fn one_byte_too_few_or_too_many_is_never_a_time(time in time(), idx in 0_usize..24, more: u8) {
        let frame = I2cMessage::Time(time).encode();
        let (mut fewer, mut longer) = (frame.clone(), frame);
        fewer.remove(idx);
        longer.insert(idx, more);
        prop_assert!(I2cMessage::decode(&fewer).is_err());
        prop_assert!(I2cMessage::decode(&longer).is_err());
    }

    #[test]
    fn one_wrong_byte_sets_no_other_time(set in set(), idx in 0_usize..12, wrong in 1_u8..) {
        let mut frame = I2cCommand::SetAndRun(set).encode();
        frame[idx] ^= wrong;
        prop_assert!(I2cCommand::decode(&frame).is_err());
    }

    #[test]
    fn any_bytes_are_read_without_harm(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = (I2cMessage::decode(&bytes), I2cCommand::decode(&bytes));
        // The same with a head and a checksum that fit, or noise would never come far.
        let (mut frame, length) = (vec![0x00, 0x10, 0], bytes.len().clamp(1, 40));
        frame.extend(bytes.iter().copied().chain([0x04]).take(length));
        frame[2] = u8::try_from(frame.len() + 1).expect("short");
        frame.push(crc(&frame));
        if let Ok(I2cMessage::Time(time)) = I2cMessage::decode(&frame) {
            prop_assert!(time.left < 36_000 && time.right < 36_000);
        }
    }

    /// What happened between two states is told once, whichever way the keys went.
    #[test]
    fn keys_that_do_not_change_mean_nothing(keys: u8, other: u8) {
        prop_assert_eq!(Keys(keys).since(Keys(keys)), vec![]);
        let turned = |events: Vec<KeyEvent>| {
            events.iter().filter(|event| matches!(event, KeyEvent::Lever(_))).count()
        };
        let has_turned = usize::from(Keys(keys).high() != Keys(other).high());
        prop_assert_eq!(turned(Keys(keys).since(Keys(other))), has_turned);
    }
}
