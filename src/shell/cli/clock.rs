//! `rokade clock`: the clock on the table, seen and set from the shell.
//!
//! It drives the clock itself, so no daemon may hold the port meanwhile; the port's lock sees to
//! that. It ends when the clock shows what was asked for, and tells what to do when it does not.

use super::{Failure, chain, runtime, say, start_tracing};
use crate::clock::Hms;
use crate::shell::clock::kind::Through;
use crate::shell::config::Config;
use crate::shell::heard::Heard;
use crate::shell::now::Now;
use crate::shell::serial::{self, LineNews, LineStub};
use crate::table::End;
use crate::time::{Mono, parse_span};
use crate::wire::{
    ClockKind, ClockNews, ClockTime, Difference, DriverOutput, LINES_LOW, PortDriver, PortInput,
    Runs, SECONDS_MAX, Wanted, WantedTimes,
};
use clap::{Args, Subcommand, ValueEnum};
use std::time::Duration;

/// Longest wait for a clock to show what is asked: three attempts of two seconds, a look, and some.
const PATIENCE: Duration = Duration::from_secs(20);

/// Longest wait for the first time of a clock: a board is asked for its version twice in it, and
/// says at once whether a clock is plugged in.
const ANSWERS_WITHIN: Duration = Duration::from_secs(6);

/// Shows or sets the clock on the table, through its board or a bridge. Left and right are seen
/// from the clock's front. No daemon may use the port meanwhile.
#[derive(Debug, Args)]
pub(super) struct Clock {
    /// The port of the board or bridge, instead of the first one in the settings
    #[arg(long, value_name = "PORT", global = true)]
    port: Option<String>,
    /// What is at the port
    #[arg(long, value_enum, default_value = "board", global = true)]
    through: Through,
    #[command(subcommand)]
    order: ClockAction,
}

#[derive(Clone, Debug, Subcommand)]
enum ClockAction {
    /// Print what the clock shows
    Show,
    /// Set both times, and stop the clock
    Set {
        /// Left: 1:30:00 or 5:00
        #[arg(value_parser = parse_time, allow_hyphen_values = true)]
        left: u32,
        /// Right
        #[arg(value_parser = parse_time, allow_hyphen_values = true)]
        right: u32,
    },
    /// Start the time at one end, from what the clock shows
    Start {
        /// The end whose time runs
        end: ClockEnd,
    },
    /// Stop the clock, and keep what it shows
    Stop,
    /// Add time at one end, and stop the clock
    Add {
        /// The end that gets it
        end: ClockEnd,
        /// How much: 2:00
        #[arg(value_parser = parse_time, allow_hyphen_values = true)]
        time: u32,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ClockEnd {
    Left,
    Right,
}

/// `1:30:00`, `5:00` or `30`, up to 9:59:59, in seconds.
fn parse_time(text: &str) -> Result<u32, String> {
    let whole = parse_span(text).filter(|span| span.subsec_nanos() == 0);
    whole
        .and_then(|span| u32::try_from(span.as_secs()).ok())
        .filter(|seconds| *seconds <= SECONDS_MAX)
        .ok_or_else(|| format!("{text:?} is not a time; write 1:30:00, 5:00 or 30, up to 9:59:59"))
}

impl Clock {
    pub(super) fn run(&self, config: &Config, verbose: u8) -> Result<(), Failure> {
        let _log = (verbose > 0).then(|| start_tracing(verbose));
        let board = &config.boards[0];
        let port = self.port.as_deref().unwrap_or_else(|| self.through.port(board));
        if port == "gpio" {
            let why = "a board of switches has no clock behind it; name the clock's port, or that \
                       of a bridge";
            return Err(Failure::Usage(why.to_owned()));
        }
        runtime()?.block_on(self.talk(port))
    }

    async fn talk(&self, port: &str) -> Result<(), Failure> {
        let now = Now::start();
        let (line, actor) = serial::channel(self.through.line(port), now);
        let actor = tokio::spawn(actor.run());
        let mut talk =
            Talk { line, now, order: self.order.clone(), shown: None, wanted_at: None, mend: None };
        let done = talk.run(self.through.driver().as_mut()).await;
        talk.line.close();
        // A panic in there would be our only news of it, and too late.
        actor.await.ok();
        done
    }
}

/// One order to one clock.
struct Talk {
    line: LineStub,
    now: Now,
    order: ClockAction,
    /// What the clock shows.
    shown: Option<ClockTime>,
    /// When the order was given to the driver.
    wanted_at: Option<Mono>,
    /// What the driver says is to be done.
    mend: Option<&'static str>,
}

impl Talk {
    async fn run(&mut self, driver: &mut dyn PortDriver) -> Result<(), Failure> {
        let begun = tokio::time::Instant::now();
        let (deadline, first_word) = (begun + PATIENCE, begun + ANSWERS_WITHIN);
        let mut out = Vec::new();
        let done = loop {
            let wake = driver.wake_at().unwrap_or(Mono(u64::MAX));
            tokio::select! {
                heard = self.line.heard() => match heard {
                    Some(Heard { at, what }) => match what {
                        LineNews::Up => driver.handle(at.mono, &PortInput::Up, &mut out),
                        LineNews::Down { why } => break Err(Failure::Device(chain(&why))),
                        LineNews::Bytes(bytes) => {
                            driver.handle(at.mono, &PortInput::Bytes(bytes), &mut out);
                        }
                    },
                    None => break Err(Failure::Device("the line was closed".to_owned())),
                },
                () = tokio::time::sleep_until(self.now.instant(wake)) => {
                    driver.on_timeout(self.now.stamp().mono, &mut out);
                }
                () = tokio::time::sleep_until(first_word), if self.shown.is_none() => {
                    break Err(Failure::Device(driver.silence().to_owned()));
                }
                () = tokio::time::sleep_until(deadline) => break Err(self.give_up(driver)),
            }
            self.carry_out(driver, &mut out);
            if self.is_too_much() {
                break Err(Failure::Usage("a clock shows 9:59:59 at most".to_owned()));
            }
            if self.wanted_at.is_none()
                && let Some(wanted) = self.wanted()
            {
                let at = self.now.stamp().mono;
                self.wanted_at = Some(at);
                driver.want(at, wanted, &mut out);
                self.carry_out(driver, &mut out);
            }
            if self.is_done(driver) {
                break Ok(());
            }
            if self.mend.is_some() && !matches!(self.order, ClockAction::Show) {
                break Err(self.give_up(driver));
            }
        };
        for bytes in driver.leave() {
            self.line.send(bytes);
        }
        done.and_then(|()| self.print())
    }

    fn carry_out(&mut self, driver: &dyn PortDriver, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        for act in out.drain(..) {
            match act {
                DriverOutput::Send(bytes) => self.line.send(bytes),
                DriverOutput::Tell(ClockNews::Reading(time)) => {
                    self.shown = Some(time);
                }
                DriverOutput::Tell(ClockNews::Found(kind)) => eprintln!("{}", name(kind)),
                DriverOutput::Tell(ClockNews::Silent(mend) | ClockNews::Refuses(mend)) => {
                    self.mend = Some(mend);
                }
                DriverOutput::Tell(ClockNews::Gone) => self.mend = Some(driver.loss()),
                DriverOutput::Tell(ClockNews::Cable) => self.mend = Some(LINES_LOW),
                DriverOutput::Tell(_) => {}
            }
        }
    }

    /// More is to be added than fits.
    fn is_too_much(&self) -> bool {
        let (ClockAction::Add { end, time }, Some(shown)) = (&self.order, self.shown) else {
            return false;
        };
        let end = if matches!(end, ClockEnd::Left) { End::Left } else { End::Right };
        self.wanted_at.is_none() && shown.side(end).seconds + time > SECONDS_MAX
    }

    /// What the order asks for, once enough is known of the clock.
    fn wanted(&self) -> Option<Wanted> {
        let shown = self.shown.map(|time| (time.left.seconds, time.right.seconds));
        let (left, right, runs) = match (&self.order, shown) {
            (ClockAction::Show, _) => return None,
            (ClockAction::Set { left, right }, _) => (*left, *right, Runs::Pause),
            (ClockAction::Start { end: ClockEnd::Left }, Some((left, right))) => {
                (left, right, Runs::Left)
            }
            (ClockAction::Start { end: ClockEnd::Right }, Some((left, right))) => {
                (left, right, Runs::Right)
            }
            (ClockAction::Stop, Some((left, right))) => (left, right, Runs::Pause),
            (ClockAction::Add { end: ClockEnd::Left, time }, Some((left, right))) => {
                (left + time, right, Runs::Pause)
            }
            (ClockAction::Add { end: ClockEnd::Right, time }, Some((left, right))) => {
                (left, right + time, Runs::Pause)
            }
            (_, None) => return None,
        };
        let time = |seconds: u32| Duration::from_secs(u64::from(seconds));
        let (left, right, since) = (time(left), time(right), self.now.stamp().mono);
        let times = WantedTimes { left, right, runs, turns_by_lever: false, since };
        Some(Wanted { times: Some(times), ..Wanted::default() })
    }

    fn is_done(&self, driver: &dyn PortDriver) -> bool {
        match self.order {
            ClockAction::Show => self.shown.is_some(),
            _ => {
                let is_over = driver.difference().is_none_or(|it| it == Difference::Lever);
                self.wanted_at.is_some() && is_over
            }
        }
    }

    fn give_up(&self, driver: &dyn PortDriver) -> Failure {
        let what = match (self.mend, driver.difference()) {
            (Some(mend), _) => mend,
            (None, Some(Difference::Running)) => {
                "the clock does not run; is its lever in the right position?"
            }
            (None, _) => "the clock does not show what it was told",
        };
        Failure::Device(what.to_owned())
    }

    fn print(&self) -> Result<(), Failure> {
        let Some(time) = self.shown else { return Ok(()) };
        let side = |end| Hms(u64::from(time.side(end).seconds));
        let state = match (time.running, time.high) {
            (false, _) => "stands",
            (true, End::Left) => "left runs",
            (true, End::Right) => "right runs",
        };
        say(format_args!("left {}  right {}  {state}", side(End::Left), side(End::Right)))
    }
}

const fn name(kind: ClockKind) -> &'static str {
    match kind {
        ClockKind::Xl => "DGT XL",
        ClockKind::Dgt3000 => "DGT 3000",
        ClockKind::Other(_) => "a clock of an unknown kind",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_on_a_clock() {
        for (text, seconds) in [("30", 30), ("5:00", 300), ("1:30:00", 5_400), ("90:00", 5_400)] {
            assert_eq!(parse_time(text), Ok(seconds), "{text}");
        }
        for text in
            ["", ":", "5:60", "1:2:3:4", "-5", "+5", "x", "10:00:00", "1:90:00", "100:00", "1.5"]
        {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }
}
