//! Games with a clock to which anything may happen: whatever is done, game and clock agree in the
//! end, and the log has told each difference by its kind.

mod acts;
mod causes;
mod set;

use super::faults::{Badness, FaultyLine};
use causes::Cause;
use rokade::clock::{ClockModel, ClockNote, FirstIncrement, Manner};
use rokade::drive::{ClockDesk, OwnAct, OwnClock};
use rokade::game::terms::at_control;
use rokade::game::{ClockRole, Effect, Entry, Event, Fact, Game, Settings};
use rokade::laws::{self, Terms};
use rokade::sim::{DgtClockSim, Obedience};
use rokade::table::{End, Times};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::contact::{Contacts, Level, Shape};
use rokade::wire::{
    BoardCommand, BoardMessage, ClockKind, ClockMessage, ClockTime, CommandDecoder, DriverOutput,
    Dump, HostItem, Orientation, SideTime,
};
use set::Set;
use shakmaty::{Board, Color};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// A board looks at its clock this often (protocol 2.6).
const POLL: Duration = Duration::from_millis(400);
/// From a command of the host to its answer, and from a question to its.
const WAY: Duration = Duration::from_millis(20);
const CONTROL: &str = "40/90m+30s:30m+30s";
const INCREMENT: Duration = Duration::from_secs(30);
/// What a display and the way of a reading account for.
const SLACK: Duration = Duration::from_secs(2);
/// For so long a cause may be spoken of: what it changes must last to be told.
const SPOKEN_OF: Duration = Duration::from_secs(15);

/// A clock and how the game comes to hear of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A DGT clock behind the board that the host runs.
    Driven,
    /// Buttons and displays on the pins.
    Own,
    /// A clock behind the board that the arbiter has set, and sets.
    Read,
}

enum Device {
    Driven(DgtClockSim, Box<ClockDesk>),
    Own(Box<OwnClock>),
    Read(Box<Set>),
}

fn up(left: Duration) -> u32 {
    u32::try_from(left.as_micros().div_ceil(1_000_000)).expect("some hours")
}

/// A table at which a game is played, and all that is between clock and game.
struct Hall {
    kind: Kind,
    now: Mono,
    chance: fastrand::Rng,
    game: Game,
    device: Device,
    is_plugged: bool,
    is_line_up: bool,
    is_line_bad: bool,
    /// To the board, and to the host.
    faults: [FaultyLine; 2],
    to_board: Vec<(Mono, BoardCommand)>,
    to_host: Vec<(Mono, BoardMessage)>,
    polled: Mono,
    sent: Option<ClockMessage>,
    /// Buttons that are still down.
    held: Vec<(Mono, End)>,
    causes: Vec<(Mono, Cause)>,
    log: Vec<String>,
    /// Where game and clock do not agree, or a difference was told of in no way.
    wrong: Vec<String>,
    /// Notes for which nothing accounts that was done.
    mistold: Vec<String>,
    /// Since when the game shows something else than the clock.
    apart_since: Option<Mono>,
    /// It was told of since they last agreed.
    is_told_apart: bool,
    /// When something was last done at the clock.
    done: Mono,
    /// When the arbiter last ordered something, which is on record.
    ordered: Mono,
    /// Since when the clock cannot be heard.
    gone_at: Mono,
    /// The same, if it has said nothing since it can be heard again.
    unheard_since: Mono,
    /// Before that the clock is being set.
    has_begun: bool,
    /// One game is looked at: its log has every message.
    is_detailed: bool,
}

impl Hall {
    fn new(kind: Kind, seed: u64) -> Self {
        let mut chance = fastrand::Rng::with_seed(seed);
        let control = || CONTROL.parse().expect("a time control");
        let first_increment = FirstIncrement::WithPress;
        let model = ClockModel::new(control(), Manner { first_increment, ..Manner::default() });
        let device = match kind {
            Kind::Driven => {
                let kind = if chance.bool() { ClockKind::Xl } else { ClockKind::Dgt3000 };
                let clock = DgtClockSim::new(kind, Obedience::Remote, chance.i32(-50..=50));
                Device::Driven(clock, Box::new(ClockDesk::new(control(), End::Left)))
            }
            Kind::Own => {
                let contacts = Contacts::new(Shape::Buttons, Level::Open, Level::Open);
                Device::Own(Box::new(OwnClock::new(model, End::Left, contacts)))
            }
            Kind::Read => Device::Read(Box::new(Set {
                truth: model,
                second: chance.u64(999_950..=1_000_050),
                is_turned: false,
                turn: Color::White,
                is_battery_low: false,
            })),
        };
        let settings = Settings {
            white_end: Some(End::Left),
            time_control: Some(control()),
            terms: Some(at_control(Terms::default(), &control())),
            clock_role: match kind {
                Kind::Driven => ClockRole::Driven,
                Kind::Own => ClockRole::Own,
                Kind::Read => ClockRole::Read,
            },
            ..Settings::default()
        };
        let faults = [seed, !seed].map(|seed| FaultyLine::new(Badness::NONE, seed));
        let mut hall = Self {
            kind,
            now: Mono::default(),
            chance,
            game: Game::new(settings),
            device,
            is_plugged: true,
            is_line_up: true,
            is_line_bad: false,
            faults,
            to_board: Vec::new(),
            to_host: Vec::new(),
            polled: Mono::default(),
            sent: None,
            held: Vec::new(),
            causes: Vec::new(),
            log: Vec::new(),
            wrong: Vec::new(),
            mistold: Vec::new(),
            apart_since: None,
            is_told_apart: false,
            done: Mono::default(),
            ordered: Mono::default(),
            gone_at: Mono(u64::MAX),
            unheard_since: Mono(u64::MAX),
            has_begun: false,
            is_detailed: false,
        };
        hall.tell(hall.now, &Event::LinkUp);
        hall.drive_own(OwnClock::on_timeout);
        hall
    }

    /// The game hears first how the clock is driven.
    fn tell(&mut self, at: Mono, event: &Event) {
        self.tell_kept();
        self.tell_now(at, event);
        // What was ordered with it.
        self.tell_kept();
    }

    fn tell_kept(&mut self) {
        let Device::Driven(_, desk) = &mut self.device else { return };
        if let Some(driven) = desk.take_driving() {
            self.tell_now(self.now, &driven);
        }
    }

    fn tell_now(&mut self, at: Mono, event: &Event) {
        let before = self.game.estimate(at);
        let mut effects = Vec::new();
        self.game.handle(Stamp { mono: at, wall: Wall(0) }, event, &mut effects);
        let after = self.game.estimate(at);
        let mut is_told = false;
        for effect in effects {
            match effect {
                Effect::Send(bytes) => {
                    for item in sent(&bytes) {
                        self.send(item);
                    }
                }
                Effect::Clock(order) => self.obey_order(order),
                Effect::Record(Entry { fact, .. }) => {
                    // What a clock shows that was not heard before goes on record as it is.
                    let is_back = before.is_none_or(|before| before.is_estimated);
                    is_told |= matches!(fact, Fact::ClockNote(_))
                        || is_back && matches!(fact, Fact::Clock { .. });
                    self.take(&fact);
                }
                _ => {}
            }
        }
        let (Some(before), Some(after), true) = (before, after, self.has_begun) else { return };
        for color in Color::ALL {
            let (from, to) = (*before.times.get(color), *after.times.get(color));
            let is_credit = to.abs_diff(from + INCREMENT) < SLACK;
            let is_ordered = self.now.since(self.ordered) < WAY;
            if from.abs_diff(to) > SLACK && !is_credit && !is_told && !is_ordered {
                self.wrong.push(format!("{at}: {color} leaps from {from:?} to {to:?}, untold"));
            }
        }
    }

    /// The referee's word, as the daemon passes it on.
    fn obey_order(&mut self, order: laws::ClockOrder) {
        match &mut self.device {
            Device::Driven(_, desk) => {
                let mut out = Vec::new();
                desk.obey(self.now, order, &mut out);
                self.carry_out(out);
            }
            Device::Own(_) => {
                self.drive_own(|clock, at, out| clock.order(at, order, out));
            }
            // He who is told what is to be set by hand does it, or does not.
            Device::Read(_) => {}
        }
    }

    fn take(&mut self, fact: &Fact) {
        if let Device::Driven(_, desk) = &mut self.device {
            let mut out = Vec::new();
            desk.note(self.now, fact, &mut out);
            self.carry_out(out);
        }
        let Fact::ClockNote(note) = fact else { return };
        self.is_told_apart |=
            matches!(note, ClockNote::Unexplained { .. } | ClockNote::Reset { .. });
        self.log.push(format!("{}  {note} {}", self.now, note.code()));
        let is_recent = |at: &Mono| self.now.since(*at) <= SPOKEN_OF;
        // A drift is told of when it has added up.
        let lasts = |cause: &Cause| match cause {
            // Told of when the clock can be heard again.
            Cause::Battery => true,
            // Presses that were heard late add up to the same.
            Cause::Bad => matches!(note, ClockNote::Drift { .. }),
            _ => false,
        };
        let silent = self.gone_at.min(self.unheard_since);
        let may =
            |cause: &Cause, at: &Mono| is_recent(at) || lasts(cause) || *at + SPOKEN_OF >= silent;
        if !self.causes.iter().any(|(at, cause)| may(cause, at) && cause.explains(self.kind, note))
        {
            self.mistold.push(format!(
                "{}: nothing accounts for: {note} {}",
                self.now,
                note.code()
            ));
        }
    }

    /// What is worth a line only where one game is looked at.
    fn detail(&mut self, what: impl FnOnce() -> String) {
        if self.is_detailed {
            self.log.push(format!("{}  {}", self.now, what()));
        }
    }

    fn cause(&mut self, cause: Cause) {
        self.log.push(format!("{}  ({cause:?})", self.now));
        self.causes.push((self.now, cause));
    }

    fn carry_out(&mut self, acts: Vec<DriverOutput<BoardCommand>>) {
        for act in acts {
            let DriverOutput::Send(command) = act else { continue };
            self.send(command);
        }
    }

    /// What is asked of the board alone is none of this test's business, and arrives.
    fn send(&mut self, command: BoardCommand) {
        let arrivals = match command {
            BoardCommand::Clock(_) | BoardCommand::SendClock => self.faults[0].pass(self.now),
            _ => vec![self.now],
        };
        self.to_board.extend(arrivals.into_iter().map(|at| (at + WAY, command.clone())));
    }

    fn drive_own(&mut self, act: impl FnOnce(&mut OwnClock, Mono, &mut Vec<OwnAct>)) {
        let Device::Own(clock) = &mut self.device else { return };
        let mut out = Vec::new();
        act(clock, self.now, &mut out);
        for act in out {
            if let OwnAct::Reading(at, message) = act {
                self.tell(at, &Event::Board(BoardMessage::Clock(message)));
            }
        }
    }

    fn shown(&self) -> ClockTime {
        match &self.device {
            Device::Driven(clock, _) => clock.time(),
            Device::Own(clock) => {
                let times = clock.model().times(self.now);
                let side = |color| SideTime::of_seconds(up(*times.get(color)));
                ClockTime {
                    left: side(Color::White),
                    right: side(Color::Black),
                    running: clock.model().running().is_some(),
                    high: End::Left,
                    battery_low: false,
                }
            }
            Device::Read(set) => set.time(self.now),
        }
    }

    fn say(&mut self, message: ClockMessage) {
        self.is_heard_again();
        let arrivals = self.faults[1].pass(self.now);
        let message = BoardMessage::Clock(message);
        self.to_host.extend(arrivals.into_iter().map(|at| (at + WAY, message.clone())));
    }

    fn reading(&self) -> ClockMessage {
        if self.is_plugged { ClockMessage::Time(self.shown()) } else { ClockMessage::NoClock }
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let queued = self.to_board.iter().map(|(at, _)| *at);
            let queued = queued.chain(self.to_host.iter().map(|(at, _)| *at)).min();
            let device = match &self.device {
                Device::Driven(_, desk) => desk.wake_at(),
                Device::Own(clock) => clock.wake_at(),
                Device::Read(_) => None,
            };
            let held = self.held.first().map(|(at, _)| *at);
            let wakes = [queued, device, self.game.wake_at(), held, Some(self.polled + POLL)];
            let next = wakes.into_iter().flatten().min().map(|at| at.max(Mono(self.now.0 + 1)));
            let Some(at) = next.filter(|at| *at <= until) else { break };
            self.now = at;
            self.step();
        }
        self.now = until;
        self.advance();
        self.compare();
    }

    fn advance(&mut self) {
        match &mut self.device {
            Device::Driven(clock, _) => clock.advance(self.now),
            Device::Own(_) => {}
            Device::Read(set) => {
                let own = set.own(self.now);
                set.truth.advance(own);
            }
        }
    }

    fn step(&mut self) {
        let now = self.now;
        self.advance();
        self.tell_kept();
        while let Some(idx) = earliest(&self.to_board, now) {
            let (_, command) = self.to_board.remove(idx);
            self.detail(|| format!("> {command:?}"));
            self.obey(&command);
        }
        while let Some(idx) = earliest(&self.to_host, now) {
            let (_, message) = self.to_host.remove(idx);
            if !self.is_line_up {
                continue;
            }
            if let BoardMessage::Clock(message) = &message {
                self.detail(|| format!("< {message:?}"));
            }
            if let Device::Driven(_, desk) = &mut self.device {
                let mut out = Vec::new();
                desk.hear(now, &message, &mut out);
                self.carry_out(out);
            }
            self.tell(now, &Event::Board(message));
        }
        if self.polled + POLL <= now {
            self.polled = now;
            let message = self.reading();
            if !matches!(self.device, Device::Own(_)) && self.sent.as_ref() != Some(&message) {
                self.say(message.clone());
                self.sent = Some(message);
            }
            self.compare();
        }
        if self.held.first().is_some_and(|(at, _)| *at <= now) {
            let (_, end) = self.held.remove(0);
            self.drive_own(|clock, at, out| clock.read(at, end, Level::Open, out));
        }
        let held: Vec<End> = self.held.iter().map(|(_, end)| *end).collect();
        self.drive_own(|clock, at, out| {
            for end in [End::Left, End::Right] {
                let level = if held.contains(&end) { Level::Closed } else { Level::Open };
                clock.read(at, end, level, out);
            }
            clock.on_timeout(at, out);
            assert!(clock.wake_at().is_none_or(|wake| wake > at), "a timer in the past at {at}");
        });
        if let Device::Driven(_, desk) = &mut self.device {
            let mut out = Vec::new();
            desk.on_timeout(now, &mut out);
            let is_ahead = desk.wake_at().is_none_or(|wake| wake > now);
            assert!(is_ahead, "a timer of the driver in the past at {now}");
            self.carry_out(out);
        }
        if self.game.wake_at().is_some_and(|at| at <= now) {
            self.tell(now, &Event::Timeout);
        }
    }

    fn obey(&mut self, command: &BoardCommand) {
        if !self.is_line_up {
            return;
        }
        let answer = match command {
            BoardCommand::SendClock => {
                let message = self.reading();
                return self.say(message);
            }
            BoardCommand::Clock(command) => {
                let now = self.now;
                if let (Device::Driven(clock, _), true) = (&mut self.device, self.is_plugged)
                    && let Some(ack) = clock.obey(now, command)
                {
                    self.say(ClockMessage::Ack(ack));
                }
                return;
            }
            BoardCommand::SendBoard => {
                BoardMessage::Dump(Box::new(Dump::new(&Board::new(), Orientation::Normal)))
            }
            BoardCommand::SendVersion => BoardMessage::Version { major: 1, minor: 8 },
            BoardCommand::ReturnSerial => BoardMessage::Serial("01025".to_owned()),
            _ => return,
        };
        self.to_host.push((self.now + WAY, answer));
    }

    /// The game may be apart from the clock for as long as a difference must last to be told.
    fn compare(&mut self) {
        let is_heard = self.gone_at.min(self.unheard_since) == Mono(u64::MAX);
        let Some(estimate) = self.game.estimate(self.now).filter(|_| is_heard) else {
            self.apart_since = None;
            return;
        };
        let Some(apart) = self.apart(estimate.shown()) else {
            (self.apart_since, self.is_told_apart) = (None, false);
            return;
        };
        // A driver leaves a clock in peace for half a minute that would not show what it was told.
        if self.kind == Kind::Driven && self.is_told_apart {
            return;
        }
        let since = *self.apart_since.get_or_insert(self.now);
        if self.now.since(since) > SPOKEN_OF {
            self.wrong.push(format!("{}: apart since {since}: {apart}", self.now));
            self.apart_since = Some(Mono(u64::MAX));
        }
    }

    fn apart(&self, estimated: Times) -> Option<String> {
        let time = self.shown();
        let (left, right) = match self.game.clock().white_end() {
            End::Left => (estimated.white, estimated.black),
            End::Right => (estimated.black, estimated.white),
        };
        let ends = [(left, time.left.seconds), (right, time.right.seconds)];
        let is_off = |(reckoned, shown): &(Duration, u32)| up(*reckoned).abs_diff(*shown) > 2;
        ends.iter().any(is_off).then(|| format!("{ends:?}"))
    }

    fn end(&mut self) {
        self.bad(false);
        self.line(true);
        self.plug(true);
        self.pass(60 * SECOND);
        if self.kind == Kind::Driven {
            // What came late over a bad line is mended with the next setting, two minutes later.
            self.pass(90 * SECOND);
        }
        let Some(estimate) = self.game.estimate(self.now) else {
            self.wrong.push("the game knows no times".to_owned());
            return;
        };
        let is_running = self.is_running();
        if estimate.is_estimated || estimate.running.is_some() != is_running {
            self.wrong.push(format!("in the end {estimate:?}, running {is_running}"));
        }
        if let Some(apart) = self.apart(estimate.shown()) {
            self.wrong.push(format!("in the end apart: {apart}"));
        }
        if let Device::Driven(clock, desk) = &self.device {
            let times = desk.model().times(self.now);
            for (end, left) in [(End::Left, times.white), (End::Right, times.black)] {
                // It is set to the second that has begun, and commands take their time.
                let shown = clock.left(end);
                if shown + Duration::from_millis(5) < left || left + SECOND < shown {
                    self.wrong.push(format!("in the end desk {left:?}, clock {shown:?}"));
                }
            }
        }
    }
}

fn earliest<T>(queue: &[(Mono, T)], now: Mono) -> Option<usize> {
    let due = queue.iter().enumerate().filter(|(_, (at, _))| *at <= now);
    due.min_by_key(|(idx, (at, _))| (*at, *idx)).map(|(idx, _)| idx)
}

/// One game from a seed.
fn play(kind: Kind, seed: u64, is_detailed: bool) -> Hall {
    let mut hall = Hall { is_detailed, ..Hall::new(kind, seed) };
    hall.pass(12 * SECOND);
    hall.stop_or_go_on();
    hall.pass(5 * SECOND);
    if !hall.is_running() {
        hall.wrong.push("the clock was not started".to_owned());
    }
    let n = hall.chance.u32(5..120);
    hall.has_begun = true;
    for _ in 0..n {
        hall.happen();
    }
    hall.end();
    hall
}

/// Games from seeds: `ROKADE_CLOCK_GAMES=10000` plays that many of each kind, and
/// `ROKADE_CLOCK_SEED=139` one of each. In all of them game and clock agree in the end, no
/// difference goes untold, and none is told that nothing accounts for.
fn play_all(kind: Kind, usual: u64) {
    let number = |name| std::env::var(name).ok().map(|n| n.parse::<u64>().expect("a number"));
    let one = number("ROKADE_CLOCK_SEED");
    let seeds = match one {
        Some(seed) => seed..seed + 1,
        None => 0..number("ROKADE_CLOCK_GAMES").unwrap_or(usual),
    };
    let (mut failed, mut first) = (Vec::new(), None);
    for seed in seeds.clone() {
        let hall = play(kind, seed, one.is_some());
        if let Some(what) = hall.wrong.first().or(hall.mistold.first()) {
            failed.push(format!("seed {seed} {kind:?}: {what}"));
            first.get_or_insert_with(|| hall.log.join("\n  "));
        }
    }
    let n = seeds.count();
    assert!(
        failed.is_empty(),
        "{} of {n} games:\n{}\nthe first:\n  {}",
        failed.len(),
        failed.join("\n"),
        first.unwrap_or_default()
    );
}

#[test]
fn a_clock_that_is_driven_and_the_game_agree_in_the_end() {
    play_all(Kind::Driven, 40);
}

#[test]
fn a_clock_of_ones_own_and_the_game_agree_in_the_end() {
    play_all(Kind::Own, 40);
}

#[test]
fn a_clock_that_the_arbiter_has_set_and_the_game_agree_in_the_end() {
    play_all(Kind::Read, 100);
}

/// The commands that a host has sent.
fn sent(bytes: &[u8]) -> Vec<BoardCommand> {
    let mut items = Vec::new();
    CommandDecoder::default().push(bytes, &mut items);
    let command = |item| match item {
        HostItem::Command(command) => Some(command),
        HostItem::Bus(_) | HostItem::Ignored(_) => None,
    };
    items.into_iter().filter_map(command).collect()
}
