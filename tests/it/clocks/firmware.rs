//! The firmware of the bridge, compiled for this machine: its lines against ours, and a simulated
//! clock behind it. `tests/bridge/` has the chips that it runs on.

use super::world::times;
use rokade::sim::Dgt3000Sim;
use rokade::sim::dgt3000::Dgt3000State;
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::bridge::{FromBridge, Lines, ToBridge};
use rokade::wire::dgt3000::{Address, WriteEnd};
use rokade::wire::{
    BridgeLink, ClockDriver, ClockNews, ClockText, DriverOutput, PortDriver, PortInput, Runs,
    Wanted,
};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// What the firmware runs on.
#[derive(Clone, Copy, Debug)]
enum Chip {
    /// One that does as it is told.
    Plain,
    /// The registers of an RP2040, with its own part of the firmware.
    Pico,
}

const CHIPS: [Chip; 2] = [Chip::Plain, Chip::Pico];

impl Chip {
    /// The program, made once.
    fn program(self) -> &'static Path {
        static PROGRAMS: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
        let name = match self {
            Self::Plain => "plain",
            Self::Pico => "pico",
        };
        PROGRAMS[self as usize].get_or_init(|| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bridge-{name}"));
            let strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];
            let checked = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
            let made = Command::new("cc")
                .args(strict)
                .args(checked)
                .arg("-o")
                .arg(&to)
                .arg(root.join("hardware/bridge/protocol.c"))
                .arg(root.join("tests/bridge/desk.c"))
                .arg(root.join(format!("tests/bridge/{name}.c")))
                .output()
                .expect("a C compiler named cc");
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            to
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("two digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// What it did, beside speaking.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Did {
    Wrote(Vec<u8>),
    Listens(Address),
    Reset,
}

/// The firmware at work.
struct Firmware {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
    did: Vec<Did>,
}

impl Firmware {
    /// Just switched on; it has greeted.
    fn on(chip: Chip) -> Self {
        let mut child = Command::new(chip.program())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the firmware runs");
        let orders = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut firmware = Self { child, orders, answers, did: Vec::new() };
        assert_eq!(firmware.order("at 0", |_| WriteEnd::Done), FromBridge::Hello(1).encode());
        firmware
    }

    /// Lets it do something; `write` says how its writes end. Returns the bytes for the host.
    fn order(&mut self, order: &str, mut write: impl FnMut(&[u8]) -> WriteEnd) -> Vec<u8> {
        writeln!(self.orders, "{order}").expect("it listens");
        let mut said = Vec::new();
        loop {
            let mut answer = String::new();
            self.answers.read_line(&mut answer).expect("it answers in text");
            assert!(answer.ends_with('\n'), "it has ended after {order:?}");
            let (what, bytes) =
                answer.trim_end().split_once(' ').unwrap_or((answer.trim_end(), ""));
            let bytes = unhex(bytes);
            match what {
                "" => return said,
                "says" => said.extend(bytes),
                "writes" => {
                    let end = match write(&bytes) {
                        WriteEnd::Done => "ok",
                        WriteEnd::NoAnswer => "none",
                        WriteEnd::Collision => "clash",
                        WriteEnd::Stuck => "stuck",
                    };
                    self.did.push(Did::Wrote(bytes));
                    writeln!(self.orders, "{end}").expect("it listens");
                }
                "listens" => {
                    let address = Address::of_bits(bytes[0]).expect("an address of ours");
                    self.did.push(Did::Listens(address));
                }
                "resets" => self.did.push(Did::Reset),
                other => panic!("{other}"),
            }
        }
    }

    /// The same, for what is not about writes.
    fn simply(&mut self, order: &str) -> Vec<u8> {
        self.order(order, |frame| panic!("{frame:?}"))
    }

    /// The lines that bytes of the host are answered with; every write is taken.
    fn host(&mut self, bytes: &[u8]) -> Vec<FromBridge> {
        lines(&self.order(&format!("host {}", hex(bytes)), |_| WriteEnd::Done))
    }
}

impl Drop for Firmware {
    fn drop(&mut self) {
        // It may have ended by itself, with a complaint.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Reads what it said; all of it must be lines.
fn lines(said: &[u8]) -> Vec<FromBridge> {
    let (mut reader, mut bodies) = (Lines::default(), Vec::new());
    reader.push(said, &mut bodies);
    assert_eq!(reader.n_skipped(), 0, "{}", String::from_utf8_lossy(said));
    bodies
        .iter()
        .map(|body| FromBridge::parse(body).expect("a line that means something"))
        .collect()
}

#[test]
fn it_understands_the_lines_of_the_table() {
    CHIPS.into_iter().for_each(understands_the_lines_of_the_table);
}

fn understands_the_lines_of_the_table(chip: Chip) {
    let mut n_rows = 0;
    for row in include_str!("../../tables/bridge.csv").lines().skip(1) {
        let columns: Vec<_> = row.splitn(5, ';').collect();
        let [id, "to-bridge", line, meaning, _] = columns[..] else { continue };
        n_rows += 1;
        let mut firmware = Firmware::on(chip);
        let said = firmware.host(format!("{line}\r\n").as_bytes());
        let mut bodies = Vec::new();
        Lines::default().push(format!("{line}\n").as_bytes(), &mut bodies);
        let (expected, did) = match bodies.first().and_then(|body| ToBridge::parse(body)) {
            None => (vec![], vec![]),
            Some(ToBridge::Hello) => (vec![FromBridge::Hello(1)], vec![]),
            Some(ToBridge::Listen(address)) => (vec![], vec![Did::Listens(address)]),
            Some(ToBridge::Reset) => (vec![], vec![Did::Reset]),
            Some(ToBridge::Write { number, frame }) => {
                (vec![FromBridge::End { number, end: WriteEnd::Done }], vec![Did::Wrote(frame)])
            }
        };
        assert_eq!(meaning == "-", said.is_empty() && firmware.did.is_empty(), "{id}");
        assert_eq!((said, &firmware.did), (expected, &did), "{id}");
    }
    assert_eq!(n_rows, 11);
}

#[test]
fn each_end_of_a_write_has_its_word() {
    for chip in CHIPS {
        let mut firmware = Firmware::on(chip);
        // Several times, for a chip has several ways to come to one.
        let ends = [WriteEnd::Done, WriteEnd::NoAnswer, WriteEnd::Collision, WriteEnd::Stuck];
        for (number, end) in (240..).zip([ends; 3].concat()) {
            // The longest frame that there is.
            let line = ToBridge::Write { number, frame: vec![0x10; 51] }.encode();
            let said = firmware.order(&format!("host {}", hex(&line)), |_| end);
            assert_eq!(lines(&said), [FromBridge::End { number, end }]);
        }
    }
}

#[test]
fn noise_and_slices_change_nothing() {
    CHIPS.into_iter().for_each(noise_and_slices);
}

fn noise_and_slices(chip: Chip) {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..60 {
        let mut firmware = Firmware::on(chip);
        let (mut stream, mut expected, mut did) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..20 {
            let frame: Vec<u8> = (0..rng.usize(1..=51)).map(|_| rng.u8(..)).collect();
            let mut line = ToBridge::Write { number, frame: frame.clone() }.encode();
            match rng.u8(0..4) {
                // One byte is wrong; the line break is left, for else two lines are one.
                0 => {
                    let at = rng.usize(..line.len() - 1);
                    let wrong = line[at] ^ rng.u8(1..);
                    line[at] = if wrong == b'\n' { b'#' } else { wrong };
                }
                // The beginning or the end is missing.
                1 => drop(line.drain(..rng.usize(1..line.len()))),
                2 => {
                    let noise = (0..rng.usize(..300)).map(|_| rng.u8(..)).collect::<Vec<_>>();
                    stream.extend(noise.into_iter().filter(|byte| *byte != b'!'));
                    expected.push(FromBridge::End { number, end: WriteEnd::Done });
                    did.push(Did::Wrote(frame));
                }
                _ => {
                    expected.push(FromBridge::End { number, end: WriteEnd::Done });
                    did.push(Did::Wrote(frame));
                }
            }
            stream.extend(line);
        }
        let mut said = Vec::new();
        while !stream.is_empty() {
            let n = rng.usize(1..=stream.len().min(90));
            let part: Vec<u8> = stream.drain(..n).collect();
            said.extend(firmware.host(&part));
        }
        assert_eq!(said, expected);
        assert_eq!(firmware.did, did);
    }
}

#[test]
fn a_frame_gets_its_address_back_and_its_age() {
    CHIPS.into_iter().for_each(address_and_age);
}

fn address_and_age(chip: Chip) {
    let mut firmware = Firmware::on(chip);
    firmware.host(&ToBridge::Listen(Address::General).encode());
    // The line is full for 850 us.
    firmware.simply("room 0");
    firmware.simply("at 100");
    for frame in ["1007022201 05", "1008010B080074", "0000", "1007022201FF"] {
        firmware.simply(&format!("bus {}", frame.replace(' ', "")));
    }
    firmware.simply("at 950");
    let said = lines(&firmware.simply("room 9999"));
    let age = Duration::from_micros(850);
    let expected = [
        "00100702220105",
        "201008010B080074",
        "000000",
        // Its sum is wrong: whatever it was, the host judges it.
        "001007022201FF",
    ];
    let expected = expected.map(|frame| FromBridge::Got { age, frame: unhex(frame) });
    assert_eq!(said, expected);
}

#[test]
fn it_beats_and_counts_what_it_lost() {
    CHIPS.into_iter().for_each(beats_and_counts);
}

fn beats_and_counts(chip: Chip) {
    let mut firmware = Firmware::on(chip);
    firmware.simply("at 999999");
    assert_eq!(lines(&firmware.simply("at 1000000")), [FromBridge::Beat { up: 1, lost: 0 }]);
    firmware.simply("room 0");
    // Seven wait.
    for n in 0..300 {
        firmware.simply(&format!("bus 10{n:04X}"));
    }
    let said = lines(&firmware.simply("room 99999"));
    assert_eq!(said.len(), 7);
    // The counter of its microseconds wraps after 71 minutes.
    let beats = [4_294_900_000_u64, 4_295_900_000, 4_296_900_000].map(|at| {
        let said = lines(&firmware.simply(&format!("at {}", at % (1 << 32))));
        said.last().cloned()
    });
    let beat = |up| Some(FromBridge::Beat { up, lost: 293 });
    assert_eq!(beats, [beat(4_294), beat(4_295), beat(4_296)]);
    // A line that is closed: what waited for it is forgotten, greeting and all.
    firmware.simply("room 3");
    firmware.simply("bus 100203");
    firmware.simply("rest");
    assert_eq!(lines(&firmware.simply("room 9999")), []);
}

/// A host, the firmware and a clock.
struct Desk {
    now: Mono,
    driver: BridgeLink,
    firmware: Firmware,
    clock: Dgt3000Sim,
    /// On their way to the host.
    bytes: Vec<u8>,
    rng: fastrand::Rng,
    news: Vec<ClockNews>,
}

impl Desk {
    fn on(chip: Chip) -> Self {
        let clock = Dgt3000Sim::new(Dgt3000State::Asleep, 50);
        let (driver, firmware, rng) =
            (BridgeLink::default(), Firmware::on(chip), fastrand::Rng::with_seed(9));
        let (now, bytes, news) = (Mono::default(), Vec::new(), Vec::new());
        let mut desk = Self { now, driver, firmware, clock, bytes, rng, news };
        desk.drive(|driver, at, out| driver.handle(at, &PortInput::Up, out));
        desk
    }

    fn drive(&mut self, act: impl FnOnce(&mut BridgeLink, Mono, &mut Vec<DriverOutput<Vec<u8>>>)) {
        let mut out = Vec::new();
        act(&mut self.driver, self.now, &mut out);
        for act in out {
            match act {
                DriverOutput::Tell(news) => self.news.push(news),
                DriverOutput::Send(bytes) => {
                    let (clock, now) = (&mut self.clock, self.now);
                    let order = format!("host {}", hex(&bytes));
                    let said = self.firmware.order(&order, |frame| clock.write(now, frame));
                    self.bytes.extend(said);
                }
            }
        }
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let order = format!("at {}", self.now.0);
            self.bytes.extend(self.firmware.simply(&order));
            for frame in self.clock.take(self.now) {
                let order = format!("bus {}", hex(&frame[1..]));
                self.bytes.extend(self.firmware.simply(&order));
            }
            if !self.bytes.is_empty() {
                let n = self.rng.usize(1..=self.bytes.len());
                let part = self.bytes.drain(..n).collect();
                self.drive(|driver, at, out| driver.handle(at, &PortInput::Bytes(part), out));
                continue;
            }
            let second = Mono((self.now.0 / 1_000_000 + 1) * 1_000_000);
            let wakes = [self.driver.wake_at(), self.clock.next_at(), Some(second)];
            let next = wakes.into_iter().flatten().min().expect("a second");
            let next = next.max(Mono(self.now.0 + 1));
            if next > until {
                break;
            }
            self.now = next;
            self.drive(|driver, at, out| driver.on_timeout(at, out));
        }
        self.now = until;
    }
}

#[test]
fn a_clock_behind_it_shows_what_is_wanted() {
    CHIPS.into_iter().for_each(clock_shows_what_is_wanted);
}

fn clock_shows_what_is_wanted(chip: Chip) {
    let mut desk = Desk::on(chip);
    let times = Some(times(300, 299, Runs::Left, Mono::default()));
    let wanted = Wanted { times, text: Some(ClockText::plain("e2e4")), ..Wanted::default() };
    desk.drive(|driver, at, out| driver.want(at, wanted, out));
    desk.pass(10 * SECOND);
    assert_eq!(desk.driver.difference(), None, "{:?}", desk.news);
    assert_eq!(desk.clock.text().as_ref(), Some(b"e2e4       "));
    assert!((290..=291).contains(&desk.clock.time().left));
    desk.clock.press(desk.now, End::Left);
    desk.pass(SECOND);
    assert!(desk.news.contains(&ClockNews::Lever(End::Right)), "{:?}", desk.news);
    assert_eq!(desk.driver.n_faults(), (0, 0));
    // It has the clock for an hour, and beats all the while.
    desk.pass(600 * SECOND);
    assert!(desk.driver.is_linked() && !desk.news.contains(&ClockNews::Gone), "{:?}", desk.news);
}

#[test]
fn a_pico_hears_what_comes_while_it_writes() {
    let mut firmware = Firmware::on(Chip::Pico);
    // The longest of the clock's, which is longer than what the chip keeps by itself.
    let frame = format!("10{}", "A5".repeat(22));
    firmware.simply(&format!("meanwhile {frame}"));
    let write = ToBridge::Write { number: 7, frame: unhex("1020050F48") };
    let said = firmware.host(&write.encode());
    let [FromBridge::End { number: 7, end: WriteEnd::Done }, FromBridge::Got { frame: got, .. }] =
        &said[..]
    else {
        panic!("{said:?}")
    };
    assert_eq!(hex(got), format!("00{frame}"));
}

#[test]
fn a_pico_tells_frames_apart_that_follow_at_once() {
    let mut firmware = Firmware::on(Chip::Pico);
    let said = lines(&firmware.simply("at-once 1007022201 1008010B080074"));
    let frames: Vec<_> = said
        .iter()
        .map(|line| match line {
            FromBridge::Got { frame, .. } => hex(&frame[1..]),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(frames, ["1007022201", "1008010B080074"]);
}

#[test]
fn a_pico_holds_no_line_for_who_reads_from_it() {
    let mut firmware = Firmware::on(Chip::Pico);
    assert_eq!(lines(&firmware.simply("asked")), []);
}
