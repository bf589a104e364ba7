//! The lines between us and a bridge, and a clock behind one.

use super::behind::Room;
use super::world::times;
use proptest::prelude::*;
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::bridge::{FromBridge, LINE_MAX, Lines, ToBridge};
use rokade::wire::dgt3000::{Address, WriteEnd};
use rokade::wire::{
    BridgeLink, ClockDriver, ClockNews, ClockText, Difference, DriverOutput, PortInput, Runs,
    Wanted,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn lines_mean_what_the_table_says() {
    let mut n_rows = 0;
    for row in include_str!("../../tables/bridge.csv").lines().skip(1) {
        let columns: Vec<_> = row.splitn(5, ';').collect();
        let [id, direction, line, meaning, _] = columns[..] else { panic!("five columns: {row}") };
        n_rows += 1;
        let mut bodies = Vec::new();
        Lines::default().push(format!("{line}\r\n").as_bytes(), &mut bodies);
        let body = bodies.first().map(String::as_str);
        let (read, written) = if direction == "to-bridge" {
            let read = body.and_then(ToBridge::parse);
            (read.as_ref().map(|it| format!("{it:?}")), read.map(|it| it.encode()))
        } else {
            let read = body.and_then(FromBridge::parse);
            (read.as_ref().map(|it| format!("{it:?}")), read.map(|it| it.encode()))
        };
        assert_eq!(read.unwrap_or_else(|| "-".into()), meaning, "{id}");
        if let Some(written) = written {
            assert_eq!(String::from_utf8(written).unwrap(), format!("{line}\n"), "{id}");
        }
    }
    assert_eq!(n_rows, 24);
}

fn frame() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..=51)
}

fn from_bridge() -> impl Strategy<Value = FromBridge> {
    let end = prop_oneof![
        Just(WriteEnd::Done),
        Just(WriteEnd::NoAnswer),
        Just(WriteEnd::Collision),
        Just(WriteEnd::Stuck)
    ];
    prop_oneof![
        any::<u16>().prop_map(FromBridge::Hello),
        (any::<u8>(), end).prop_map(|(number, end)| FromBridge::End { number, end }),
        (any::<u32>(), frame()).prop_map(|(us, frame)| FromBridge::Got {
            age: Duration::from_micros(us.into()),
            frame
        }),
        (any::<u32>(), any::<u32>()).prop_map(|(up, lost)| FromBridge::Beat { up, lost }),
    ]
}

/// Where a byte became one that was passed over, the sum of what was left was right by accident.
#[test]
fn a_carriage_return_amid_a_line_is_no_end_and_not_nothing() {
    let mut bodies = Vec::new();
    let mut reader = Lines::default();
    reader.push(b"!got 30054815\r0 000000*6F\n", &mut bodies);
    assert_eq!((bodies.len(), reader.n_skipped()), (0, 1));
    let line = FromBridge::Beat { up: 1, lost: 0 };
    let text = String::from_utf8(line.encode()).expect("plain text");
    reader.push(text.replace('\n', "\r\n").as_bytes(), &mut bodies);
    assert_eq!(FromBridge::parse(&bodies[0]), Some(line));
}

/// Of a line that is too long nothing is believed, whatever its first bytes are.
#[test]
fn a_line_that_is_too_long_is_none() {
    let mut bodies = Vec::new();
    let text = FromBridge::Hello(7).encode();
    let mut line = text[..text.len() - 1].to_vec();
    line.resize(LINE_MAX + 5, b' ');
    line.push(b'\n');
    Lines::default().push(&line, &mut bodies);
    assert!(bodies.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn lines_go_there_and_back(
        noise in prop::collection::vec(any::<u8>(), 0..40),
        lines in prop::collection::vec(from_bridge(), 1..5),
        (number, bytes) in (any::<u8>(), frame()),
        slice in 1_usize..30,
    ) {
        // After whatever noise, the first mark begins a line.
        let mut stream = noise;
        stream.push(b'x');
        stream.extend(lines.iter().flat_map(FromBridge::encode));
        let (mut reader, mut bodies) = (Lines::default(), Vec::new());
        stream.chunks(slice).for_each(|part| reader.push(part, &mut bodies));
        let read: Vec<_> = bodies.iter().filter_map(|body| FromBridge::parse(body)).collect();
        prop_assert!(read.ends_with(&lines));
        let line = ToBridge::Write { number, frame: bytes };
        let text = line.encode();
        prop_assert!(text.len() <= LINE_MAX);
        let mut bodies = Vec::new();
        Lines::default().push(&text, &mut bodies);
        prop_assert_eq!(ToBridge::parse(&bodies[0]), Some(line));
    }

    #[test]
    fn one_wrong_byte_is_never_another_line(
        line in from_bridge(), at in any::<prop::sample::Index>(), wrong in 1_u8..,
    ) {
        let mut text = line.encode();
        // Without the last line break, which may come with the next line.
        let at = at.index(text.len() - 1);
        text[at] ^= wrong;
        let mut bodies = Vec::new();
        Lines::default().push(&text, &mut bodies);
        let read: Vec<_> = bodies.iter().filter_map(|body| FromBridge::parse(body)).collect();
        prop_assert!(read.iter().all(|it| *it == line), "{}", String::from_utf8_lossy(&text));
    }
}

fn wanted() -> Wanted {
    let times = Some(times(300, 299, Runs::Left, Mono::default()));
    Wanted { times, text: Some(ClockText::plain("e2e4")), ..Wanted::default() }
}

#[test]
fn a_clock_behind_a_bridge_shows_what_is_wanted() {
    let mut desk = Room::open(BridgeLink::default(), 50);
    desk.drive(|driver, at, out| driver.want(at, wanted(), out));
    desk.pass(10 * SECOND);
    assert_eq!(desk.host.difference(), None);
    assert_eq!(desk.bridge.clock.text().as_ref(), Some(b"e2e4       "));
    // Set in whole seconds, up to one late.
    assert!((290..=291).contains(&desk.bridge.clock.time().left));
    desk.bridge.clock.press(desk.now, End::Left);
    desk.pass(SECOND);
    assert!(desk.news.contains(&ClockNews::Lever(End::Right)), "{:?}", desk.news);
    assert_eq!(desk.host.n_faults(), (0, 0));
}

#[test]
fn a_bridge_that_falls_silent_is_greeted_until_it_answers() {
    let mut desk = Room::open(BridgeLink::default(), 50);
    desk.drive(|driver, at, out| driver.want(at, wanted(), out));
    desk.pass(10 * SECOND);
    desk.is_mute = true;
    desk.pass(20 * SECOND);
    assert_eq!(desk.host.difference(), Some(Difference::Absent));
    assert!(desk.news.contains(&ClockNews::Gone), "{:?}", desk.news);
    desk.is_mute = false;
    desk.pass(10 * SECOND);
    assert_eq!(desk.host.difference(), None);
    // Its power may go as well, and it then forgets where it should listen.
    desk.bridge.power_cycle(desk.now);
    desk.pass(10 * SECOND);
    assert_eq!(desk.host.difference(), None);
    desk.bridge.unplug();
    desk.pass(20 * SECOND);
    assert_eq!(desk.host.difference(), Some(Difference::Absent));
    desk.bridge.plug();
    desk.pass(20 * SECOND);
    assert_eq!(desk.host.difference(), None);
}

#[test]
fn a_bridge_of_another_version_is_told_of_once() {
    let mut driver = BridgeLink::default();
    let mut out = Vec::new();
    driver.handle(Mono(0), &PortInput::Up, &mut out);
    for _ in 0..3 {
        let line = PortInput::Bytes(FromBridge::Hello(2).encode());
        driver.handle(Mono(1), &line, &mut out);
    }
    let told =
        out.iter().filter(|act| matches!(act, DriverOutput::Tell(ClockNews::Silent(_)))).count();
    assert_eq!(told, 1);
    assert!(!out.contains(&DriverOutput::Send(ToBridge::Listen(Address::General).encode())));
}

/// The end of a write that was given up comes late: it says nothing of the one that is under way.
#[test]
fn the_end_of_another_write_is_none_of_this_one() {
    let (mut driver, mut out) = (BridgeLink::default(), Vec::new());
    let ended =
        |number| PortInput::Bytes(FromBridge::End { number, end: WriteEnd::NoAnswer }.encode());
    let n_written = |out: &[DriverOutput<Vec<u8>>]| {
        let is_write = |line: &Vec<u8>| String::from_utf8_lossy(line).contains("write");
        out.iter().filter(|act| matches!(act, DriverOutput::Send(line) if is_write(line))).count()
    };
    driver.handle(Mono(0), &PortInput::Up, &mut out);
    driver.handle(Mono(1), &PortInput::Bytes(FromBridge::Hello(1).encode()), &mut out);
    driver.want(Mono(2), wanted(), &mut out);
    let mut now = Mono(2);
    while n_written(&out) == 0 {
        now = ClockDriver::wake_at(&driver).unwrap();
        ClockDriver::on_timeout(&mut driver, now, &mut out);
    }
    let (wake_at, n) = (ClockDriver::wake_at(&driver), n_written(&out));
    driver.handle(now, &ended(200), &mut out);
    assert_eq!((ClockDriver::wake_at(&driver), n_written(&out)), (wake_at, n));
    driver.handle(now, &ended(1), &mut out);
    assert_ne!(ClockDriver::wake_at(&driver), wake_at, "it has no answer, and is tried again");
}
