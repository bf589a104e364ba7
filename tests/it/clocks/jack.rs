//! A driver and a DGT3000 on one bus, which is noisy, and on which both may speak at once.

use super::world::times;
use proptest::prelude::*;
use rokade::sim::Dgt3000Sim;
use rokade::sim::dgt3000::Dgt3000State;
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::dgt3000::{
    Address, Dgt3000, I2cAck, I2cCommand, I2cInput, I2cMessage, I2cOp, SideRun, WriteEnd,
};
use rokade::wire::{
    Button, Buttons, ClockDriver, ClockKind, ClockNews, ClockText, Difference, DriverOutput, Runs,
    Wanted,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// What goes wrong, in percent.
#[derive(Clone, Copy, Debug, Default)]
struct Noise {
    /// Frames for the host that are lost or spoiled.
    to_host: u8,
    /// Writes that nobody takes.
    no_answer: u8,
    /// Writes that meet the other master.
    collision: u8,
}

#[derive(Debug)]
struct Bus {
    now: Mono,
    driver: Dgt3000,
    clock: Dgt3000Sim,
    listens: Option<Address>,
    noise: Noise,
    chance: fastrand::Rng,
    /// The lines are held low.
    is_stuck: bool,
    ops: Vec<I2cOp>,
    news: Vec<ClockNews>,
    wanted: Wanted,
}

impl Bus {
    fn new(state: Dgt3000State) -> Self {
        Self::noisy(state, Noise::default(), 0, 1)
    }

    fn noisy(state: Dgt3000State, noise: Noise, drift_ppm: i32, seed: u64) -> Self {
        let mut bus = Self {
            now: Mono::default(),
            driver: Dgt3000::default(),
            clock: Dgt3000Sim::new(state, drift_ppm),
            listens: None,
            noise,
            chance: fastrand::Rng::with_seed(seed),
            is_stuck: false,
            ops: Vec::new(),
            news: Vec::new(),
            wanted: Wanted::default(),
        };
        bus.hear(I2cInput::Up);
        bus
    }

    fn hear(&mut self, input: I2cInput) {
        self.drive(|driver, at, out| driver.handle(at, &input, out));
    }

    fn drive(&mut self, act: impl FnOnce(&mut Dgt3000, Mono, &mut Vec<DriverOutput<I2cOp>>)) {
        let mut out = Vec::new();
        act(&mut self.driver, self.now, &mut out);
        for act in out {
            match act {
                DriverOutput::Tell(news) => self.news.push(news),
                DriverOutput::Send(op) => {
                    self.ops.push(op.clone());
                    match op {
                        I2cOp::Listen(address) => self.listens = Some(address),
                        I2cOp::Reset => self.listens = None,
                        I2cOp::Write(frame) => self.write(&frame),
                    }
                }
            }
        }
    }

    fn write(&mut self, frame: &[u8]) {
        let fate = self.chance.u8(0..100);
        let Noise { no_answer, collision, .. } = self.noise;
        let end = if self.is_stuck {
            WriteEnd::Stuck
        } else if fate < no_answer {
            WriteEnd::NoAnswer
        } else if fate < no_answer + collision {
            WriteEnd::Collision
        } else {
            self.clock.write(self.now, frame)
        };
        self.now = Mono(self.now.0 + 900);
        self.hear(I2cInput::Written(end));
    }

    fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        self.drive(|driver, at, out| driver.want(at, wanted, out));
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let clock = self.clock.next_at();
            let driver = self.driver.wake_at().map(|at| at.max(Mono(self.now.0 + 1)));
            let next = [clock, driver].into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= until) else { break };
            self.now = self.now.max(at);
            for frame in self.clock.take(self.now) {
                self.deliver(frame);
            }
            if self.driver.wake_at().is_some_and(|at| at <= self.now) {
                self.drive(|driver, at, out| driver.on_timeout(at, out));
                let next = self.driver.wake_at();
                assert!(next.is_none_or(|at| at > self.now), "woken, and did not do what was due");
            }
        }
        self.now = self.now.max(until);
        self.clock.advance(self.now);
    }

    fn deliver(&mut self, mut frame: Vec<u8>) {
        let is_ours = self.listens.is_some_and(|address| address.bits() == frame[0] >> 1);
        if !is_ours || self.is_stuck {
            return;
        }
        if self.chance.u8(0..100) < self.noise.to_host {
            if self.chance.bool() {
                return;
            }
            let idx = self.chance.usize(0..frame.len());
            frame[idx] ^= self.chance.u8(1..);
        }
        self.hear(I2cInput::Frame(frame));
    }

    /// What is not as wanted, by the clock's own truth and by the driver's word.
    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        let time = self.clock.time();
        if let Some(wanted) = self.wanted.times {
            let (left, right) = wanted.shown(self.now);
            for (end, wanted, shown) in
                [(End::Left, left, time.left), (End::Right, right, time.right)]
            {
                if wanted.abs_diff(shown) > 4 {
                    found.push(format!("{end:?}: {shown} s shown, {wanted} s wanted"));
                }
            }
            for (end, left) in [(End::Left, left), (End::Right, right)] {
                let runs = self.clock.runs(end) == SideRun::Down;
                if left > 4 && runs != (wanted.end() == Some(end)) {
                    found.push(format!("{end:?} runs: {runs}"));
                }
            }
        }
        let text = self.wanted.text.map(|text| text.long);
        // Whether a text is there cannot be read; whether the clock has forgotten can, from times.
        if self.wanted.times.is_some() && self.clock.text() != text {
            found.push(format!("{:?} seen, {text:?} wanted", self.clock.text()));
        }
        match self.driver.difference() {
            None | Some(Difference::Lever) => {}
            Some(other) => found.push(format!("the driver says {other:?}")),
        }
        found
    }
}

fn driven(runs: Runs) -> Wanted {
    Wanted { times: Some(times(300, 300, runs, Mono::default())), ..Wanted::default() }
}

fn told(bus: &Bus, is_it: impl Fn(&ClockNews) -> bool) -> usize {
    bus.news.iter().filter(|news| is_it(news)).count()
}

#[test]
fn a_clock_is_taken_and_set_whatever_it_was_doing() {
    for state in
        [Dgt3000State::Idle, Dgt3000State::Asleep, Dgt3000State::Controlled, Dgt3000State::Obeying]
    {
        let mut bus = Bus::new(state);
        bus.want(driven(Runs::Pause));
        bus.pass(5 * SECOND);
        assert_eq!(bus.clock.state(), Dgt3000State::Obeying, "from {state:?}");
        assert_eq!(bus.contradictions(), Vec::<String>::new(), "from {state:?}");
        assert_eq!(told(&bus, |it| *it == ClockNews::Found(ClockKind::Dgt3000)), 1);
    }
}

#[test]
fn control_is_taken_in_the_published_order() {
    let mut bus = Bus::new(Dgt3000State::Asleep);
    // The hello is waited for, and nothing longer than that.
    bus.pass(Duration::from_millis(40));
    let expected = [
        I2cCommand::Mode25,
        I2cCommand::Wake,
        I2cCommand::Mode25,
        I2cCommand::SetCentralControl,
        I2cCommand::Mode25,
    ];
    assert_eq!(written(&bus), expected);
    assert_eq!(bus.clock.state(), Dgt3000State::Obeying);
}

/// A clock that says hello was off, whoever has woken it: it is taken before it is told anything.
#[test]
fn a_clock_that_has_woken_by_itself_is_taken_first() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(driven(Runs::Left));
    bus.pass(5 * SECOND);
    bus.ops.clear();
    bus.hear(I2cInput::Frame(I2cMessage::Hello.encode()));
    bus.pass(SECOND);
    assert_eq!(written(&bus)[0], I2cCommand::Mode25);
    assert_eq!(told(&bus, |it| *it == ClockNews::Restarted), 1, "{:?}", bus.news);
    bus.pass(5 * SECOND);
    assert_eq!(bus.contradictions(), Vec::<String>::new());
}

/// A clock by hand, which takes every frame and answers each command so, for a minute. What it was
/// sent, when, and what was told of it.
fn answered(
    wanted: Wanted,
    answer: impl Fn(&I2cCommand) -> (Address, u8),
) -> (Vec<(Mono, I2cCommand)>, Vec<ClockNews>) {
    let (mut driver, mut now, mut out) = (Dgt3000::default(), Mono::default(), Vec::new());
    let (mut sent, mut news) = (Vec::new(), Vec::new());
    driver.want(now, wanted, &mut out);
    driver.handle(now, &I2cInput::Up, &mut out);
    loop {
        for act in std::mem::take(&mut out) {
            match act {
                DriverOutput::Tell(told) => news.push(told),
                DriverOutput::Send(I2cOp::Write(frame)) => {
                    let command = I2cCommand::decode(&frame).expect("a frame of ours");
                    let (on, status) = answer(&command);
                    let ack = I2cAck { on, command: command.id(), status };
                    sent.push((now, command));
                    now = Mono(now.0 + 2_000);
                    driver.handle(now, &I2cInput::Written(WriteEnd::Done), &mut out);
                    let frame = I2cMessage::Ack(ack).encode();
                    driver.handle(now, &I2cInput::Frame(frame), &mut out);
                }
                DriverOutput::Send(_) => {}
            }
        }
        if out.is_empty() {
            let Some(due) = driver.wake_at().filter(|due| *due < Mono::from_millis(60_000)) else {
                return (sent, news);
            };
            now = now.max(due);
            driver.on_timeout(now, &mut out);
        }
    }
}

/// A clock that gives control and will not be set all the same: it is taken anew three times, told
/// of once, and left in peace for a while then.
#[test]
fn a_clock_that_will_not_be_set_is_told_of_once() {
    let (sent, news) = answered(driven(Runs::Pause), |command| match command {
        I2cCommand::SetAndRun(_) => (Address::HostAck, 0x00),
        I2cCommand::EndDisplay => (Address::HostAck, 0x05),
        _ => (Address::HostAck, 0x08),
    });
    let sets: Vec<Mono> = sent
        .iter()
        .filter(|(_, command)| matches!(command, I2cCommand::SetAndRun(_)))
        .map(|(at, _)| *at)
        .collect();
    let n_at_once = sets.iter().filter(|at| **at < Mono::from_millis(1_000)).count();
    assert_eq!(n_at_once, 4, "{sets:?}");
    assert!(sets[4].since(sets[3]) >= 5 * SECOND, "{sets:?}");
    let [found, refuses, differs] = &news[..] else { panic!("{news:?}") };
    assert_eq!(*found, ClockNews::Found(ClockKind::Dgt3000));
    assert!(matches!(refuses, ClockNews::Refuses(_)), "{news:?}");
    assert_eq!(*differs, ClockNews::Differs(Difference::Refused));
}

/// Every way in which a clock cannot be had is tried out in a moment, and then again after five
/// seconds.
#[test]
fn who_does_not_answer_is_asked_in_rounds() {
    use I2cCommand::{Mode25 as Mode, SetCentralControl as Control, Wake};
    let (nobody, busy, deaf) = (
        Noise { no_answer: 100, ..Noise::default() },
        Noise { collision: 100, ..Noise::default() },
        Noise { to_host: 100, ..Noise::default() },
    );
    let woken = [Mode, Wake, Mode, Wake, Mode, Wake, Mode];
    let controlled = [Mode, Control, Mode, Control, Mode, Control];
    for (noise, is_stuck, round) in [
        (nobody, false, &woken[..]),
        (busy, false, &controlled),
        (deaf, false, &controlled),
        (Noise::default(), true, &woken[..1]),
    ] {
        let mut bus = Bus::noisy(Dgt3000State::Idle, noise, 0, 3);
        bus.is_stuck = is_stuck;
        // The first frame has left before the lines are held low; then they are set up anew.
        bus.pass(6 * SECOND);
        bus.ops.clear();
        bus.pass(9 * SECOND);
        let written = written(&bus);
        assert!(written.len() >= round.len(), "{noise:?}: {written:?}");
        assert!(written.starts_with(round) || written.ends_with(round), "{noise:?}: {written:?}");
        assert!(written.len() <= 2 * round.len(), "{noise:?}: {written:?}");
    }
}

/// What a driver has written.
fn written(bus: &Bus) -> Vec<I2cCommand> {
    let command = |op: &I2cOp| match op {
        I2cOp::Write(frame) => I2cCommand::decode(frame).ok(),
        _ => None,
    };
    bus.ops.iter().filter_map(command).collect()
}

#[test]
fn the_host_listens_for_the_answer_before_it_asks() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(Wanted { text: Some(ClockText::plain("e2e4")), ..driven(Runs::Left) });
    bus.pass(5 * SECOND);
    let mut listens = None;
    for op in &bus.ops {
        match op {
            I2cOp::Listen(address) => listens = Some(*address),
            I2cOp::Reset => {}
            I2cOp::Write(frame) => {
                let command = I2cCommand::decode(frame).expect("a frame of ours");
                if command != I2cCommand::EndDisplay {
                    assert_eq!(listens, Some(command.answers_on()), "{command:?}");
                }
            }
        }
    }
    assert_eq!(listens, Some(Address::General), "in between it listens for keys");
    assert_eq!(bus.clock.text().as_ref(), Some(b"e2e4       "));
}

/// The end of a text that is shown is answered where texts are; who asks once more asks where there
/// is none.
#[test]
fn the_end_of_a_text_is_answered_where_the_text_was() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(Wanted { text: Some(ClockText::plain("e2e4")), ..driven(Runs::Left) });
    bus.pass(5 * SECOND);
    let n = bus.ops.len();
    bus.want(driven(Runs::Left));
    bus.pass(5 * SECOND);
    let (ops, end) = (&bus.ops[n..], I2cOp::Write(I2cCommand::EndDisplay.encode()));
    let ends: Vec<usize> = (0..ops.len()).filter(|idx| ops[*idx] == end).collect();
    let [idx] = ends[..] else { panic!("{ops:?}") };
    let listens = ops[..idx].iter().rev().find(|op| matches!(op, I2cOp::Listen(_)));
    assert_eq!(listens, Some(&I2cOp::Listen(Address::General)), "{ops:?}");
    assert_eq!(bus.clock.text(), None);
}

#[test]
fn a_clock_with_a_game_of_its_own_is_told_of_and_left_in_peace() {
    let mut bus = Bus::new(Dgt3000State::OwnGame);
    bus.want(driven(Runs::Pause));
    bus.pass(60 * SECOND);
    assert_eq!(told(&bus, |it| matches!(it, ClockNews::Refuses(_))), 1, "{:?}", bus.news);
    assert_eq!(bus.driver.difference(), Some(Difference::Refused));
    assert!(bus.ops.len() < 400, "{} operations in a minute", bus.ops.len());
    bus.clock.end_own_game(bus.now);
    bus.pass(20 * SECOND);
    assert_eq!(bus.contradictions(), Vec::<String>::new());
}

#[test]
fn a_clock_that_is_switched_off_is_taken_back() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(driven(Runs::Left));
    bus.pass(5 * SECOND);
    bus.clock.press_power(bus.now);
    bus.pass(5 * SECOND);
    assert_eq!(told(&bus, |it| *it == ClockNews::PowerKey), 1);
    assert_eq!(bus.contradictions(), Vec::<String>::new());
    bus.clock.cut_power(bus.now);
    bus.pass(20 * SECOND);
    assert_eq!(bus.contradictions(), Vec::<String>::new());
}

#[test]
fn no_clock_is_no_alarm_until_there_was_one() {
    let mut bus =
        Bus::noisy(Dgt3000State::Idle, Noise { no_answer: 100, ..Noise::default() }, 0, 1);
    bus.want(driven(Runs::Pause));
    bus.pass(60 * SECOND);
    assert_eq!(bus.news, [ClockNews::Differs(Difference::Absent)]);
    bus.noise = Noise::default();
    bus.pass(10 * SECOND);
    assert!(bus.news.contains(&ClockNews::Agrees), "{:?}", bus.news);
    bus.noise = Noise { no_answer: 100, to_host: 100, ..Noise::default() };
    bus.pass(60 * SECOND);
    assert_eq!(told(&bus, |it| *it == ClockNews::Gone), 1, "{:?}", bus.news);
}

#[test]
fn lines_held_low_are_told_of_once() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(driven(Runs::Pause));
    bus.pass(5 * SECOND);
    bus.is_stuck = true;
    bus.pass(60 * SECOND);
    assert_eq!(told(&bus, |it| *it == ClockNews::Cable), 1, "{:?}", bus.news);
    assert!(bus.ops.contains(&I2cOp::Reset));
    bus.is_stuck = false;
    bus.pass(20 * SECOND);
    assert_eq!(bus.contradictions(), Vec::<String>::new());
}

#[test]
fn a_lost_key_message_is_told_by_the_next() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.pass(3 * SECOND);
    bus.clock.press(bus.now, End::Left);
    // Nobody hears of it, but everybody of what follows.
    bus.noise = Noise { to_host: 100, ..Noise::default() };
    bus.chance = fastrand::Rng::with_seed(4);
    bus.pass(Duration::from_millis(2));
    bus.noise = Noise::default();
    bus.clock.hold(bus.now, Buttons::of(&[Button::Plus]));
    bus.pass(Duration::from_millis(5));
    let pressed = ClockNews::Pressed(Buttons::of(&[Button::Plus]));
    assert!(bus.news.ends_with(&[ClockNews::Lever(End::Right), pressed]), "{:?}", bus.news);
    // And where no key follows, the next time tells.
    bus.noise = Noise { to_host: 100, ..Noise::default() };
    bus.clock.press(bus.now, End::Right);
    bus.pass(Duration::from_millis(2));
    bus.noise = Noise::default();
    bus.pass(SECOND);
    assert_eq!(told(&bus, |it| *it == ClockNews::Lever(End::Left)), 1);
}

#[test]
fn a_beep_is_asked_for_at_once() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(driven(Runs::Pause));
    bus.pass(5 * SECOND);
    let n = bus.ops.len();
    bus.drive(|driver, at, out| driver.beep(at, 8, out));
    assert!(bus.ops.len() > n);
}

/// For some time after it was set a clock still says what it showed before.
#[test]
fn what_a_clock_says_just_after_it_was_set_is_not_believed() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(driven(Runs::Left));
    bus.pass(10 * SECOND);
    let readings = |bus: &Bus| told(bus, |it| matches!(it, ClockNews::Reading(_)));
    let n = readings(&bus);
    assert!(n > 0);
    bus.want(Wanted { times: Some(times(200, 100, Runs::Left, bus.now)), ..Wanted::default() });
    bus.pass(2 * SECOND);
    assert_eq!(readings(&bus), n, "{:?}", bus.news);
    bus.pass(3 * SECOND);
    assert!(readings(&bus) > n);
}

#[test]
fn a_beep_sounds_and_leaves_what_was_shown() {
    for text in [None, Some(ClockText::plain("1-0"))] {
        let mut bus = Bus::new(Dgt3000State::Idle);
        bus.want(Wanted { text, ..driven(Runs::Pause) });
        bus.pass(5 * SECOND);
        bus.drive(|driver, at, out| driver.beep(at, 8, out));
        bus.pass(5 * SECOND);
        assert_eq!(bus.clock.n_beeps(), 1);
        assert_eq!(bus.contradictions(), Vec::<String>::new());
    }
}

#[test]
fn a_text_that_stays_is_said_again_without_a_flicker() {
    let mut bus = Bus::new(Dgt3000State::Idle);
    bus.want(Wanted { text: Some(ClockText::plain("e2e4")), ..driven(Runs::Pause) });
    bus.pass(5 * SECOND);
    bus.ops.clear();
    bus.pass(120 * SECOND);
    assert!(
        written(&bus).iter().all(|it| matches!(it, I2cCommand::Display { .. })),
        "{:?}",
        bus.ops
    );
    assert_eq!(written(&bus).len(), 4, "every half minute");
}

#[derive(Clone, Debug)]
enum Happens {
    Wait(u64),
    Times(u32, u32, Runs),
    Text(Option<String>),
    Lever(End),
    Key(Option<Button>),
    PowerKey,
    Cut,
    Stuck(bool),
    Beep,
    OwnGame,
}

fn happens() -> impl Strategy<Value = Happens> {
    let runs = prop_oneof![Just(Runs::Left), Just(Runs::Right), Just(Runs::Pause)];
    let end = prop_oneof![Just(End::Left), Just(End::Right)];
    prop_oneof![
        6 => (0_u64..3_000).prop_map(Happens::Wait),
        3 => (30_u32..30_000, 30_u32..30_000, runs).prop_map(|(l, r, it)| Happens::Times(l, r, it)),
        2 => prop_oneof![Just(None), "[a-h][1-8][a-h][1-8]".prop_map(Some)].prop_map(Happens::Text),
        2 => end.prop_map(Happens::Lever),
        1 => prop_oneof![Just(None), Just(Some(Button::Run))].prop_map(Happens::Key),
        1 => Just(Happens::PowerKey),
        1 => Just(Happens::Cut),
        1 => any::<bool>().prop_map(Happens::Stuck),
        1 => Just(Happens::Beep),
        1 => Just(Happens::OwnGame),
    ]
}

fn happen(bus: &mut Bus, happening: Happens) {
    let now = bus.now;
    match happening {
        Happens::Wait(ms) => bus.pass(Duration::from_millis(ms)),
        Happens::Times(left, right, runs) => {
            let times = Some(times(left, right, runs, now));
            bus.want(Wanted { times, ..bus.wanted });
        }
        Happens::Text(words) => {
            let text = words.map(|words| ClockText::plain(&words));
            bus.want(Wanted { text, ..bus.wanted });
        }
        Happens::Lever(end) => drop(bus.clock.press(now, end)),
        Happens::Key(button) => {
            bus.clock.hold(now, Buttons::of(button.as_slice()));
        }
        Happens::PowerKey => bus.clock.press_power(now),
        Happens::Cut => bus.clock.cut_power(now),
        Happens::Stuck(is) => bus.is_stuck = is,
        Happens::Beep => bus.drive(|driver, at, out| driver.beep(at, 4, out)),
        Happens::OwnGame => bus.clock.begin_own_game(now),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    /// Whatever has happened on the worst of buses: once it is in order again, the clock shows what
    /// is wanted, and the driver knows.
    #[test]
    fn in_the_end_the_clock_shows_what_is_wanted(
        happenings in prop::collection::vec(happens(), 1..25),
        (to_host, no_answer, collision) in (0_u8..40, 0_u8..30, 0_u8..30),
        drift_ppm in -100_i32..100,
        seed: u64,
    ) {
        let noise = Noise { to_host, no_answer, collision };
        let mut bus = Bus::noisy(Dgt3000State::Asleep, noise, drift_ppm, seed);
        for happening in happenings {
            happen(&mut bus, happening);
        }
        bus.noise = Noise::default();
        bus.is_stuck = false;
        bus.clock.end_own_game(bus.now);
        bus.pass(75 * SECOND);
        prop_assert_eq!(bus.contradictions(), Vec::<String>::new());
        prop_assert!(bus.ops.len() < 4_000, "{} operations", bus.ops.len());
    }
}
