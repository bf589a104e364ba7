//! The clock that anyone can build: contacts, displays, and the works between them.

use proptest::prelude::*;
use rokade::clock::{ClockModel, Manner, PerMove, TimeControl};
use rokade::drive::{OwnAct, OwnClock};
use rokade::laws::ClockOrder;
use rokade::sim::DisplaySim;
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::contact::{Contact, Contacts, Level, REST, Shape};
use rokade::wire::ht16k33::FourDigits;
use rokade::wire::{ClockMessage, ClockTime};
use shakmaty::Color;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// How long contacts of cheap buttons bounce at most (see `hardware/clock-gpio.md`).
const BOUNCES_FOR: Duration = Duration::from_millis(4);

/// A button, by its edges.
#[derive(Clone, Debug)]
struct ButtonSim {
    chance: fastrand::Rng,
}

impl ButtonSim {
    /// A button whose bouncing is drawn from a seed.
    fn new(seed: u64) -> Self {
        Self { chance: fastrand::Rng::with_seed(seed) }
    }

    /// The edges of one movement to `level`, which begins at `at`: an odd number.
    fn edges(&mut self, at: Mono, level: Level) -> Vec<(Mono, Level)> {
        let other = match level {
            Level::Open => Level::Closed,
            Level::Closed => Level::Open,
        };
        let n_bounces = self.chance.usize(0..6);
        let most = u64::try_from(BOUNCES_FOR.as_micros()).expect("a few milliseconds");
        let mut moments: Vec<u64> = (0..2 * n_bounces).map(|_| self.chance.u64(1..most)).collect();
        moments.sort_unstable();
        let rest = moments.into_iter().enumerate().map(|(idx, after)| {
            (Mono(at.0 + after), if idx.is_multiple_of(2) { other } else { level })
        });
        std::iter::once((at, level)).chain(rest).collect()
    }
}

fn ms(ms: u64) -> Mono {
    Mono::from_millis(ms)
}

/// Reads a contact at its edges, and whenever it wants to be read.
fn run(edges: &[(Mono, Level)], until: Mono) -> Vec<(Mono, Level)> {
    let (mut contact, mut found) = (Contact::new(Level::Open), Vec::new());
    let mut level = Level::Open;
    let mut edges = edges.iter().copied().peekable();
    loop {
        let edge = edges.peek().map(|(at, _)| *at);
        let Some(at) = [edge, contact.wake_at()].into_iter().flatten().min() else { break };
        if at > until {
            break;
        }
        if edge == Some(at) {
            (_, level) = edges.next().expect("peeked");
        }
        found.extend(contact.read(at, level));
    }
    found
}

#[test]
fn a_spike_is_no_press() {
    let spike = [(ms(10), Level::Closed), (Mono(10_400), Level::Open)];
    assert_eq!(run(&spike, ms(1_000)), []);
}

#[test]
fn a_press_whose_edges_were_lost_is_seen_when_the_level_is_read() {
    let mut contact = Contact::new(Level::Open);
    assert_eq!(contact.read(ms(10), Level::Closed), None);
    // Two edges came and one was told: the level says otherwise at the rest.
    let rest = contact.wake_at().expect("it is on its way");
    assert_eq!(contact.read(rest, Level::Open), None);
    let rest = contact.wake_at().expect("still on its way");
    assert_eq!(contact.read(rest, Level::Closed), None);
    let rest = contact.wake_at().expect("still on its way");
    assert_eq!(contact.read(rest, Level::Closed), Some((ms(10), Level::Closed)));
}

#[test]
fn a_contact_without_rest_is_believed_in_the_end() {
    let noisy: Vec<_> = (0..100_u64)
        .map(|n| (ms(10 + 3 * n), if n % 2 == 0 { Level::Closed } else { Level::Open }))
        .collect();
    assert!(!run(&noisy, ms(1_000)).is_empty());
}

#[test]
fn a_lever_tells_which_end_is_down() {
    let mut lever = Contacts::new(Shape::Lever(End::Left), Level::Open, Level::Open);
    assert_eq!(lever.down(), Some(End::Right));
    assert_eq!(lever.read(ms(10), End::Left, Level::Closed), None);
    assert_eq!(lever.read(ms(15), End::Left, Level::Closed), Some((ms(10), End::Left)));
    assert_eq!(lever.down(), Some(End::Left));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// Each movement of a button is told once, stamped with its first edge, however it bounces.
    #[test]
    fn a_movement_is_told_once(seed: u64, gaps in prop::collection::vec(30_u64..400, 1..20)) {
        let mut button = ButtonSim::new(seed);
        let (mut at, mut edges, mut expected) = (ms(5), Vec::new(), Vec::new());
        for (idx, gap) in gaps.iter().enumerate() {
            let level = if idx % 2 == 0 { Level::Closed } else { Level::Open };
            edges.extend(button.edges(at, level));
            expected.push((at, level));
            at = at + Duration::from_millis(*gap);
        }
        prop_assert_eq!(run(&edges, at + REST), expected);
    }

    #[test]
    fn what_a_display_is_sent_can_be_read(seconds in 0_u32..400_000) {
        let mut display = DisplaySim::default();
        for start in FourDigits::start(4) {
            display.write(&[start]);
        }
        let (setup, digits) = FourDigits::of_seconds(seconds).running().frames();
        display.write(&setup);
        display.write(&digits);
        let expected = match seconds {
            0..3_600 => format!("{:2}:{:02}.", seconds / 60, seconds % 60),
            _ => format!("{:2}:{:02}.", (seconds / 3_600).min(99), seconds / 60 % 60),
        };
        prop_assert_eq!(display.shown(), expected);
        prop_assert_eq!(display.brightness(), 4);
    }
}

/// A clock with its parts.
struct Bench {
    clock: OwnClock,
    displays: [DisplaySim; 2],
    readings: Vec<(Mono, ClockTime)>,
    sounded: Duration,
    now: Mono,
}

impl Bench {
    fn new(shape: Shape) -> Self {
        let control = TimeControl::sudden_death(180 * SECOND, PerMove::Increment(2 * SECOND));
        let model = ClockModel::new(control.expect("3+2"), Manner::default());
        let contacts = Contacts::new(shape, Level::Open, Level::Open);
        let mut bench = Self {
            clock: OwnClock::new(model, End::Left, contacts),
            displays: [DisplaySim::default(), DisplaySim::default()],
            readings: Vec::new(),
            sounded: Duration::ZERO,
            now: Mono::default(),
        };
        for display in &mut bench.displays {
            FourDigits::start(15).into_iter().for_each(|byte| display.write(&[byte]));
        }
        bench.drive(OwnClock::on_timeout);
        bench
    }

    fn drive(&mut self, act: impl FnOnce(&mut OwnClock, Mono, &mut Vec<OwnAct>)) {
        let mut out = Vec::new();
        act(&mut self.clock, self.now, &mut out);
        for act in out {
            match act {
                OwnAct::Show(end, face) => {
                    let (setup, digits) = face.frames();
                    let display = &mut self.displays[usize::from(end == End::Right)];
                    display.write(&setup);
                    display.write(&digits);
                }
                OwnAct::Sound(span) => self.sounded += span,
                OwnAct::Reading(at, ClockMessage::Time(time)) => self.readings.push((at, time)),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Waits, with these contacts closed.
    fn wait(&mut self, until: Mono, closed: &[End]) {
        let level = |end| if closed.contains(&end) { Level::Closed } else { Level::Open };
        while let Some(at) = self.clock.wake_at().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.drive(|clock, at, out| {
                clock.read(at, End::Left, level(End::Left), out);
                clock.read(at, End::Right, level(End::Right), out);
                clock.on_timeout(at, out);
            });
        }
        self.now = until;
    }

    /// A finger on a button for 80 ms.
    fn press(&mut self, end: End) {
        let now = self.now;
        self.drive(|clock, at, out| clock.read(at, end, Level::Closed, out));
        self.wait(now + Duration::from_millis(80), &[end]);
        self.drive(|clock, at, out| clock.read(at, end, Level::Open, out));
        self.wait(now + Duration::from_millis(100), &[]);
    }

    fn shown(&self) -> [String; 2] {
        [self.displays[0].shown(), self.displays[1].shown()]
    }
}

#[test]
fn a_game_is_played_on_two_buttons() {
    let mut bench = Bench::new(Shape::Buttons);
    assert_eq!(bench.shown(), [" 3:00", " 3:00"]);
    bench.wait(ms(10_000), &[]);
    // Black starts White's clock; White thinks for five seconds and presses.
    bench.press(End::Right);
    bench.wait(ms(15_000), &[]);
    assert_eq!(bench.shown(), [" 2:55.", " 3:00"]);
    bench.press(End::Left);
    assert_eq!(bench.shown(), [" 2:57", " 3:00."]);
    // Whoever presses twice does nothing.
    bench.press(End::Left);
    bench.wait(ms(25_000), &[]);
    assert_eq!(bench.shown(), [" 2:57", " 2:50."]);
    let presses = bench.readings.windows(2).filter(|two| two[0].1.high != two[1].1.high);
    let stamps: Vec<_> = presses.map(|two| two[1].0).collect();
    assert_eq!(stamps, [ms(15_000)], "the first press found White to move already");
}

#[test]
fn a_press_counts_from_its_first_edge() {
    let mut bench = Bench::new(Shape::Buttons);
    bench.drive(|clock, at, out| clock.order(at, ClockOrder::Run(Color::White), out));
    bench.wait(ms(4_000), &[]);
    // It bounces, and is believed 8 ms later.
    for (after, level) in [(0, Level::Closed), (2, Level::Open), (3, Level::Closed)] {
        bench.now = ms(4_000 + after);
        bench.drive(|clock, at, out| clock.read(at, End::Left, level, out));
    }
    bench.wait(ms(5_000), &[End::Left]);
    assert_eq!(bench.clock.model().account(Color::White).spent, 4 * SECOND);
    assert_eq!(bench.clock.model().times(ms(5_000)).black, 179 * SECOND);
}

#[test]
fn a_press_before_the_flag_falls_is_in_time_though_it_is_believed_after() {
    let mut bench = Bench::new(Shape::Buttons);
    bench.drive(|clock, at, out| clock.order(at, ClockOrder::Run(Color::White), out));
    bench.wait(ms(179_999), &[]);
    bench.press(End::Left);
    assert!(!bench.clock.model().is_flagged(Color::White));
    assert_eq!(bench.clock.model().left(Color::White), Duration::from_millis(2_001));
}

#[test]
fn a_flag_that_falls_blinks_and_sounds() {
    let mut bench = Bench::new(Shape::Buttons);
    bench.drive(|clock, at, out| clock.order(at, ClockOrder::Run(Color::Black), out));
    bench.wait(ms(180_500), &[]);
    assert!(bench.displays[1].blinks() && !bench.displays[0].blinks());
    assert_eq!(bench.shown()[1], " 0:00.");
    assert!(bench.sounded >= SECOND);
    let (_, last) = bench.readings.last().expect("readings");
    assert!(last.right.flag_blocked && !last.left.flag_blocked);
}

#[test]
fn the_middle_button_stops_the_clock_and_lets_it_go_on() {
    let mut bench = Bench::new(Shape::Buttons);
    bench.drive(|clock, at, out| clock.order(at, ClockOrder::Run(Color::White), out));
    bench.wait(ms(7_000), &[]);
    for (from, to) in [(7_000, 9_000), (9_000, 12_000)] {
        bench.now = ms(from);
        bench.drive(|clock, at, out| clock.read_middle(at, Level::Closed, out));
        bench.now = ms(from + 5);
        bench.drive(|clock, at, out| clock.read_middle(at, Level::Closed, out));
        bench.now = ms(from + 100);
        bench.drive(|clock, at, out| clock.read_middle(at, Level::Open, out));
        bench.now = ms(from + 105);
        bench.drive(|clock, at, out| clock.read_middle(at, Level::Open, out));
        if to == 9_000 {
            // A stopped clock is not started by a press.
            bench.press(End::Left);
        }
        bench.wait(ms(to), &[]);
    }
    assert_eq!(bench.clock.model().account(Color::White).spent, 7 * SECOND);
    assert_eq!(bench.shown(), [" 2:50.", " 3:00"]);
}

#[test]
fn the_arbiter_adds_time() {
    let mut bench = Bench::new(Shape::Buttons);
    bench.drive(|clock, at, out| clock.order(at, ClockOrder::Add(Color::Black, 120 * SECOND), out));
    assert_eq!(bench.shown(), [" 3:00", " 5:00"]);
}

#[test]
fn at_the_lever_of_another_clock_a_press_is_a_press_and_no_time() {
    let contacts = Contacts::new(Shape::Lever(End::Left), Level::Open, Level::Open);
    let model = ClockModel::new(TimeControl::NoClock, Manner::default());
    let mut clock = OwnClock::new(model, End::Left, contacts);
    let mut out = Vec::new();
    clock.on_timeout(ms(0), &mut out);
    clock.read(ms(1_000), End::Left, Level::Closed, &mut out);
    clock.read(ms(1_005), End::Left, Level::Closed, &mut out);
    clock.read(ms(4_000), End::Left, Level::Open, &mut out);
    clock.read(ms(4_005), End::Left, Level::Open, &mut out);
    let expected =
        [OwnAct::Pressed(ms(1_000), Color::White), OwnAct::Pressed(ms(4_000), Color::Black)];
    assert_eq!(out, expected);
    assert_eq!(clock.wake_at(), None);
}
