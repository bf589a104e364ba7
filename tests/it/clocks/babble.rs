//! Clocks that answer anything at all: no driver may be talked into a flood, and what was wanted of
//! a clock that comes to its senses is done.

use proptest::prelude::*;
use rokade::sim::{DgtClockSim, Obedience};
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::{
    Ack, BoardCommand, ClockDriver, ClockKind, ClockLine, ClockMessage, ClockNews, ClockText,
    DriverOutput, LineInput, Runs, Wanted,
};
use std::time::Duration;

use super::world::times;

const SECOND: Duration = Duration::from_secs(1);
const PER_MINUTE: usize = 60;

/// What a clock may say to a command.
#[derive(Copy, Clone, Debug)]
enum Says {
    Nothing,
    /// As it should.
    Yes,
    /// "I am ready", as one emulator of a board says to each setting.
    Ready,
    /// It did as it should, and is ready besides.
    YesReady,
    NotRemote,
    Error,
    /// An answer to another command.
    Another(u8),
    /// Any four bytes.
    Bytes([u8; 4]),
    /// It is gone, and back.
    GoneAndBack,
    /// The lever follows the setting.
    Follows,
}

/// A driver and a clock that answers by a list, over and over.
struct Talk {
    now: Mono,
    driver: ClockLine,
    clock: DgtClockSim,
    list: Vec<Says>,
    n_said: usize,
    late: Duration,
    to_host: Vec<(Mono, ClockMessage)>,
    sent: Vec<Mono>,
    news: Vec<ClockNews>,
}

impl Talk {
    fn new(list: Vec<Says>, late: Duration) -> Self {
        let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0);
        let mut talk = Self {
            now: Mono::default(),
            driver: ClockLine::default(),
            clock,
            list,
            n_said: 0,
            late,
            to_host: Vec::new(),
            sent: Vec::new(),
            news: Vec::new(),
        };
        talk.drive(|driver, at, out| driver.handle(at, &LineInput::Up, out));
        talk.show();
        talk
    }

    fn show(&mut self) {
        let at = self.now + self.late;
        self.to_host.push((at, ClockMessage::Time(self.clock.time())));
    }

    fn drive(
        &mut self,
        act: impl FnOnce(&mut ClockLine, Mono, &mut Vec<DriverOutput<BoardCommand>>),
    ) {
        let mut out = Vec::new();
        act(&mut self.driver, self.now, &mut out);
        for act in out {
            match act {
                DriverOutput::Tell(news) => self.news.push(news),
                DriverOutput::Send(BoardCommand::Clock(command)) => {
                    self.sent.push(self.now);
                    let ack = self.clock.obey(self.now, &command);
                    let says = self.list.get(self.n_said % self.list.len().max(1));
                    self.n_said += 1;
                    let says = says.copied().unwrap_or(Says::Yes);
                    self.answer(says, command.id(), ack);
                }
                DriverOutput::Send(_) => self.show(),
            }
        }
    }

    fn answer(&mut self, says: Says, id: u8, ack: Option<Ack>) {
        let at = self.now + self.late;
        let ready = ClockMessage::Ack(Ack([0x10, 0x81, 0x20, 0]));
        let yes = ack.map(ClockMessage::Ack);
        let answers = match says {
            Says::Nothing => Vec::new(),
            Says::Yes => yes.into_iter().collect(),
            Says::Ready => vec![ready],
            Says::YesReady => yes.into_iter().chain([ready]).collect(),
            Says::NotRemote => vec![ClockMessage::Ack(Ack([0x40, id, 0, 0]))],
            Says::Error => vec![ClockMessage::Ack(Ack([0x20, id, 0, 0]))],
            Says::Another(other) => vec![ClockMessage::Ack(Ack([0x10, other, 0, 0]))],
            Says::Bytes(bytes) => vec![ClockMessage::Ack(Ack(bytes))],
            Says::GoneAndBack => {
                vec![ClockMessage::NoClock, ClockMessage::Time(self.clock.time())]
            }
            Says::Follows => {
                self.clock.press(self.now, self.clock.time().high);
                let time = ClockMessage::Time(self.clock.time());
                yes.into_iter().chain([time]).collect()
            }
        };
        self.to_host.extend(answers.into_iter().map(|message| (at, message)));
    }

    fn want(&mut self, wanted: Wanted) {
        self.drive(|driver, at, out| driver.want(at, wanted, out));
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let host = self.to_host.iter().map(|(at, _)| *at).min();
            let driver = self.driver.wake_at().map(|at| at.max(Mono(self.now.0 + 1)));
            let Some(at) = host.into_iter().chain(driver).min().filter(|at| *at <= until) else {
                break;
            };
            self.now = self.now.max(at);
            self.clock.advance(self.now);
            if let Some(idx) = self.to_host.iter().position(|(at, _)| *at <= self.now) {
                let (_, message) = self.to_host.remove(idx);
                self.drive(|driver, at, out| driver.handle(at, &LineInput::Clock(message), out));
            } else {
                self.drive(ClockLine::on_timeout);
            }
        }
        self.now = until;
        self.clock.advance(until);
    }

    fn most_in_a_minute(&self) -> usize {
        let within = |at: &Mono| {
            self.sent.iter().filter(|other| *other >= at && other.since(*at) < 60 * SECOND).count()
        };
        self.sent.iter().map(within).max().unwrap_or(0)
    }
}

fn driven(runs: Runs, since: Mono) -> Wanted {
    Wanted { times: Some(times(300, 300, runs, since)), ..Wanted::default() }
}

#[test]
fn ready_is_the_answer_of_some_clocks() {
    for says in [Says::Ready, Says::YesReady] {
        // The question for the version is answered as by everybody.
        let mut talk = Talk::new(vec![Says::Yes], Duration::from_millis(40));
        talk.want(Wanted { text: Some(ClockText::plain("1-0")), ..Wanted::default() });
        talk.pass(5 * SECOND);
        talk.list = vec![says];
        talk.want(driven(Runs::Left, talk.now));
        talk.pass(120 * SECOND);
        assert!(talk.sent.len() < 20, "{says:?}: {} commands in two minutes", talk.sent.len());
        let is_restart = |news: &&ClockNews| **news == ClockNews::Restarted;
        assert_eq!(talk.news.iter().filter(is_restart).count(), 0, "{says:?}: {:?}", talk.news);
        assert_eq!(talk.driver.difference(), None, "{says:?}");
    }
}

#[test]
fn a_clock_that_starts_anew_all_the_time_is_told_of_once() {
    let mut talk = Talk::new(vec![Says::Yes], Duration::from_millis(40));
    talk.want(driven(Runs::Left, talk.now));
    talk.pass(5 * SECOND);
    for _ in 0..100 {
        let ready = ClockMessage::Ack(Ack([0x10, 0x81, 0x20, 0]));
        talk.drive(|driver, at, out| driver.handle(at, &LineInput::Clock(ready), out));
        talk.pass(3 * SECOND);
    }
    let is_restart = |news: &&ClockNews| **news == ClockNews::Restarted;
    assert_eq!(talk.news.iter().filter(is_restart).count(), 1);
    assert!(talk.most_in_a_minute() <= PER_MINUTE);
}

#[test]
fn a_lever_that_follows_a_setting_is_no_press() {
    let mut talk = Talk::new(vec![Says::Yes], Duration::from_millis(40));
    talk.want(driven(Runs::Pause, talk.now));
    talk.pass(10 * SECOND);
    talk.news.clear();
    // The lever stands at one side; the other is set running, and it goes there.
    let other = talk.clock.time().high.other();
    let runs = if other == End::Left { Runs::Left } else { Runs::Right };
    talk.list = vec![Says::Follows];
    talk.want(driven(runs, talk.now));
    talk.pass(SECOND);
    let is_lever = |news: &ClockNews| matches!(news, ClockNews::Lever(_));
    assert!(!talk.news.iter().any(is_lever), "{:?}", talk.news);
    // A player who presses later is heard.
    talk.list = vec![Says::Yes];
    talk.pass(3 * SECOND);
    talk.clock.press(talk.now, other);
    talk.show();
    talk.pass(SECOND);
    assert!(talk.news.contains(&ClockNews::Lever(other.other())), "{:?}", talk.news);
}

fn says() -> impl Strategy<Value = Says> {
    prop_oneof![
        2 => Just(Says::Nothing),
        3 => Just(Says::Yes),
        3 => Just(Says::Ready),
        2 => Just(Says::YesReady),
        1 => Just(Says::NotRemote),
        2 => Just(Says::Error),
        1 => (0_u8..16).prop_map(Says::Another),
        2 => any::<[u8; 4]>().prop_map(Says::Bytes),
        1 => Just(Says::GoneAndBack),
        1 => Just(Says::Follows),
    ]
}

/// How many dialogues are held: `ROKADE_DIALOGUES`, or as many as take a few seconds.
fn n_dialogues() -> u32 {
    std::env::var("ROKADE_DIALOGUES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_dialogues(), ..ProptestConfig::default() })]

    /// Sixty commands a minute at the most, whatever the clock answers; and once it answers as it
    /// should, it is set to what is wanted.
    #[test]
    fn no_clock_is_flooded_and_no_wish_is_lost(
        list in prop::collection::vec(says(), 1..8),
        late_ms in 1_u64..900,
        moves in prop::collection::vec(1_200_u64..6_000, 1..40),
    ) {
        let mut talk = Talk::new(list, Duration::from_millis(late_ms));
        for (idx, ms) in moves.into_iter().enumerate() {
            let runs = if idx % 2 == 0 { Runs::Left } else { Runs::Right };
            let mut wanted = driven(runs, talk.now);
            wanted.text = (idx % 3 == 0).then(|| ClockText::plain("e2e4"));
            talk.want(wanted);
            talk.pass(Duration::from_millis(ms));
        }
        talk.list = vec![Says::Yes];
        talk.want(driven(Runs::Pause, talk.now));
        talk.pass(200 * SECOND);
        let most = talk.most_in_a_minute();
        prop_assert!(most <= PER_MINUTE, "{} in a minute", most);
        prop_assert_eq!(talk.driver.difference(), None);
        let time = talk.clock.time();
        prop_assert_eq!((time.left.seconds, time.right.seconds), (300, 300));
    }
}
