//! A clock on a table, as a check hears of it: whole seconds, a little late.

use rokade::clock::{Check, ClockModel, ClockNote, ClockReading, Estimate, FirstIncrement, Manner};
use rokade::table::Times;
use rokade::time::Mono;
use shakmaty::Color;
use std::time::Duration;

/// A device and what is made of its readings.
pub(super) struct Desk {
    /// What the device holds.
    pub(super) truth: ClockModel,
    pub(super) check: Check,
    pub(super) now: Mono,
    pub(super) notes: Vec<ClockNote>,
    /// Its second in microseconds of true time.
    second: u64,
    is_turned: bool,
    is_silent: bool,
    late: Duration,
    n_readings: u64,
}

impl Desk {
    /// A device set for `device`; the program is told `control`, or not.
    pub(super) fn new(control: Option<&str>, device: &str) -> Self {
        let before = device.strip_prefix("first ");
        let manner = Manner {
            first_increment: match before {
                Some(_) => FirstIncrement::BeforeStart,
                None => FirstIncrement::WithPress,
            },
            ..Manner::default()
        };
        let parse = |text: &str| text.parse().expect("a time control");
        let mut desk = Self {
            truth: ClockModel::new(parse(before.unwrap_or(device)), manner),
            check: Check::new(control.map(parse)),
            now: Mono(0),
            notes: Vec::new(),
            second: 1_000_000,
            is_turned: false,
            is_silent: false,
            late: Duration::ZERO,
            n_readings: 0,
        };
        desk.show(None);
        desk
    }

    /// The device's own time.
    pub(super) fn own(&self) -> Mono {
        Mono(
            u64::try_from(u128::from(self.now.0) * 1_000_000 / u128::from(self.second))
                .expect("a time"),
        )
    }

    /// A display shows the second that has begun.
    fn display(&self) -> Times {
        let up = |span: Duration| Duration::from_secs(span.as_micros().div_ceil(1_000_000) as u64);
        let times = self.truth.times(self.own());
        let (white, black) = (up(times.white), up(times.black));
        if self.is_turned { Times { white: black, black: white } } else { Times { white, black } }
    }

    /// The device sends what it shows. Its way takes from 5 to 45 ms, and what `late` adds.
    pub(super) fn show(&mut self, pressed: Option<Color>) {
        let shown = ClockReading {
            times: Some(self.display()),
            running: self.truth.running(),
            pressed,
            is_battery_low: false,
        };
        self.send(shown);
    }

    pub(super) fn send(&mut self, shown: ClockReading) {
        self.n_readings += 1;
        let way = Duration::from_millis(5 + self.n_readings * 7 % 41) + self.late;
        if !self.is_silent {
            self.check.read(self.now + way, shown, &mut self.notes);
        }
    }

    /// Lets `span` pass; the device sends each second that goes by.
    pub(super) fn wait(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let left = self.truth.running().map(|color| self.truth.left(color));
            let rest = left.map_or(u64::MAX, |left| {
                let micros = left.as_micros() as u64;
                let to_tick =
                    if micros.is_multiple_of(1_000_000) { 1_000_000 } else { micros % 1_000_000 };
                (to_tick * self.second).div_ceil(1_000_000)
            });
            let tick = Mono(self.now.0.saturating_add(rest));
            let next = tick.min(end);
            if let Some(due) = self.check.wake_at().filter(|due| *due < next) {
                self.check.on_timeout(due, &mut self.notes);
            }
            self.now = next;
            self.truth.advance(self.own());
            if tick > end || left.is_some_and(|left| left.is_zero()) {
                self.now = end;
                self.truth.advance(self.own());
                return;
            }
            self.show(None);
        }
    }

    pub(super) fn press(&mut self, by: Color) {
        self.truth.press(self.own(), by);
        self.show(Some(by));
    }

    pub(super) fn estimate(&self) -> Estimate {
        self.check.estimate(self.now).expect("the clock has shown a time")
    }

    /// Does one step of a script.
    pub(super) fn step(&mut self, step: &str) {
        let words: Vec<&str> = step.split(' ').collect();
        let number = |n: usize| -> u64 { words[n].parse().expect("a number") };
        let color = |n: usize| match words[n] {
            "white" => Color::White,
            "black" => Color::Black,
            word => panic!("{word} is no color"),
        };
        let own = self.own();
        match words[0] {
            "wait" => return self.wait(Duration::from_secs(number(1))),
            "press" => return self.press(color(1)),
            "unseen" => {
                // The lever goes over and back between two messages.
                self.truth.press(own, color(1));
                return;
            }
            "start" => drop(self.truth.start(own, color(1))),
            "stop" => drop(self.truth.stop(own)),
            "set" => drop(self.truth.set_time(own, color(1), Duration::from_secs(number(2)))),
            "odd" => {
                // This press adds so many seconds more than the mode says.
                let left = *self.truth.times(own).get(color(1));
                self.truth.set_time(own, color(1), left + Duration::from_secs(number(2)));
                return self.press(color(1));
            }
            "turn" => self.is_turned = !self.is_turned,
            "second" => self.second = number(1),
            "late" => {
                self.late = Duration::from_secs(number(1));
                return;
            }
            "lose" => {
                self.is_silent = true;
                self.check.lost();
                return;
            }
            "hush" => {
                self.is_silent = true;
                return;
            }
            "find" => self.is_silent = false,
            "old" => {
                let mut times = self.display();
                times.white += Duration::from_secs(number(1));
                let running = self.truth.running();
                let shown = ClockReading {
                    times: Some(times),
                    running,
                    pressed: None,
                    is_battery_low: false,
                };
                return self.send(shown);
            }
            "low" => {
                let (times, running) = (Some(self.display()), self.truth.running());
                return self.send(ClockReading {
                    times,
                    running,
                    pressed: None,
                    is_battery_low: true,
                });
            }
            _ => panic!("no such step: {step}"),
        }
        self.show(None);
    }
}
