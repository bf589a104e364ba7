//! `rokade doctor` at a line of a board's own: whether a board answers, and what clock is behind it
//! or beside it.

use super::chain;
use super::doctor::Diagnosis;
use crate::board::{AnyBoard, Connection, Driver, Expects, News};
use crate::clock::Hms;
use crate::game::Ear;
use crate::shell::clock::kind::Through;
use crate::shell::config::{BoardConfig, Maker};
use crate::shell::heard::Heard;
use crate::shell::link::line_of;
use crate::shell::now::Now;
use crate::shell::serial::{self, LineError, LineNews};
use crate::table::{End, Placement};
use crate::time::Mono;
use crate::wire::{ClockKind, ClockMessage, ClockNews, ClockTime, DriverOutput, Item, PortInput};
use shakmaty::{Board, Color};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// A board that is there has answered by then: it is asked for its version once a second.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
/// One that has answered has said so soon what else it was asked, and what its clock shows.
const SAYS_WITHIN: Duration = Duration::from_secs(2);

/// What a board said.
#[derive(Debug, Default)]
struct BoardAnswer {
    is_live: bool,
    serial: Option<String>,
    n_occupied: Option<usize>,
    clock: Option<ClockMessage>,
    n_bytes: usize,
}

/// Nobody follows a game here: a board is taken at its word.
struct NoGame;

impl Expects for NoGame {
    fn on_record(&self) -> Option<&Board> {
        None
    }

    fn standing(&self) -> Option<&Board> {
        None
    }

    fn may_begin_from(&self, _: &Placement) -> bool {
        true
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn player_at(&self, _: End) -> Color {
        Color::White
    }
}

/// Asks the board at the end of this port who it is.
pub(super) async fn board(board: &BoardConfig, port: &str) -> Vec<Diagnosis> {
    match listen(board, port).await {
        Ok(answer) => told(board, port, &answer),
        Err(why) => vec![Diagnosis::unopened(board, &why)],
    }
}

async fn listen(board: &BoardConfig, port: &str) -> Result<BoardAnswer, LineError> {
    let now = Now::start();
    let (mut line, actor) = serial::channel(line_of(board, port), now);
    let actor = tokio::spawn(actor.run());
    let kind = board.maker.kind();
    let settings = board.settings();
    let by = Connection {
        orientation: None,
        chips: &settings.chips,
        key: settings.key,
        shares_line: false,
        watches_clock: true,
    };
    let (mut driver, mut ear) = (AnyBoard::new(kind, &by), Ear::default());
    let (mut answer, mut end) = (BoardAnswer::default(), Instant::now() + ANSWERS_WITHIN);
    while Instant::now() < end && !driver.is_given_up() {
        let wake = driver.wake_at().map_or(end, |due| now.instant(due)).min(end);
        tokio::select! {
            heard = timeout_at(end, line.heard()) => match heard {
                Ok(Some(Heard { at, what: LineNews::Up })) => driver.link_up(at.mono, true),
                Ok(Some(Heard { at, what: LineNews::Bytes(bytes) })) => {
                    answer.n_bytes += bytes.len();
                    hear(&mut *driver, &mut ear, at.mono, &bytes, kind.has_own_language());
                }
                Ok(Some(Heard { what: LineNews::Down { why }, .. })) => return Err(why),
                Ok(None) | Err(_) => break,
            },
            () = sleep_until(wake) => driver.on_timeout(now.stamp().mono),
        }
        let was_live = answer.is_live;
        while let Some(news) = driver.poll(now.stamp().mono, &NoGame) {
            answer.take(news);
        }
        if answer.is_live && !was_live {
            end = Instant::now() + SAYS_WITHIN;
        }
        for bytes in driver.take_sent() {
            line.send(bytes);
        }
    }
    driver.leave();
    for bytes in driver.take_sent() {
        line.send(bytes);
    }
    line.close();
    // It ends by itself, and has nothing more to tell.
    actor.await.ok();
    Ok(answer)
}

fn hear(driver: &mut dyn Driver, ear: &mut Ear, at: Mono, bytes: &[u8], has_own_language: bool) {
    driver.on_bytes(at);
    if has_own_language {
        driver.on_said(at, bytes);
        return;
    }
    for item in ear.decode(at, bytes) {
        match item {
            Item::Message(message) => driver.on_message(at, &message),
            Item::Skipped { .. } => driver.on_noise(at),
            // A board may say more than we know of.
            Item::Unknown { .. } => {}
        }
    }
}

impl BoardAnswer {
    fn take(&mut self, news: News) {
        match news {
            News::Live | News::Untold => self.is_live = true,
            News::Identified(serial) => self.serial = Some(serial),
            News::Pictured(placement) => {
                self.n_occupied = Some(placement.occupied().count());
            }
            News::Clock(message @ (ClockMessage::Time(_) | ClockMessage::NoClock)) => {
                self.clock = Some(message);
            }
            _ => {}
        }
    }
}

/// What that says of the board and of the clock behind it.
fn told(board: &BoardConfig, port: &str, answer: &BoardAnswer) -> Vec<Diagnosis> {
    let speed = match board.maker {
        // A HID device has none.
        Maker::Chessnut => String::new(),
        maker => format!(" at {} baud", maker.baud()),
    };
    if !answer.is_live {
        let (saw, means) = if answer.n_bytes == 0 {
            (
                "nothing answers",
                "is the board's supply on, and is this its cable? A board of another maker wants \
                 `maker`",
            )
        } else {
            (
                "no board is understood",
                "what arrives is not its protocol: a board of another maker (`maker`), another \
                 device, or a board that is set to another speed",
            )
        };
        return vec![Diagnosis::bad(board, format!("{saw} on {port}{speed}"), means)];
    }
    let serial = answer.serial.as_ref().map(|it| format!(", serial number {it}"));
    let squares = match board.maker {
        Maker::Novag => Some("; it reports moves, not positions".to_owned()),
        _ => answer.n_occupied.map(|n| format!("; {n} squares are occupied")),
    };
    let saw = format!(
        "a board answers on {port}{speed}{}{}",
        serial.unwrap_or_default(),
        squares.unwrap_or_default()
    );
    let of_clock = board.maker.kind().has_clock_socket() && board.clock.is_behind_board();
    let clock = of_clock.then(|| clock_behind(board, answer.clock.as_ref()));
    [Diagnosis::good(board, saw)].into_iter().chain(clock).collect()
}

fn clock_behind(board: &BoardConfig, said: Option<&ClockMessage>) -> Diagnosis {
    match said {
        Some(ClockMessage::Time(time)) => {
            let found = Diagnosis::good(board, format!("the clock behind it {}", shows(time)));
            if board.drive_clock {
                let means = "it cannot be asked whether it can be set: that needs option 23 on a \
                             DGT XL, 25 on a DGT 3000";
                found.with(means)
            } else {
                found
            }
        }
        _ if board.drive_clock => Diagnosis::bad(
            board,
            "no clock answers behind it, and drive_clock is set",
            "switch the clock on, then plug it in; a DGT XL wants option 23, a DGT 3000 option 25",
        ),
        _ => Diagnosis::good(board, "no clock answers behind it"),
    }
}

fn shows(time: &ClockTime) -> String {
    let side = |end| Hms(u64::from(time.side(end).seconds));
    format!("shows {} on the left and {} on the right", side(End::Left), side(End::Right))
}

/// Asks the bridge at the jack of this board's clock what it hears.
pub(super) async fn bridge(board: &BoardConfig) -> Diagnosis {
    let port = &board.clock_port;
    match listen_to_bridge(port).await {
        Ok((kind, time)) => {
            let kind = match kind {
                Some(ClockKind::Dgt3000) => "DGT 3000",
                _ => "clock",
            };
            let saw = format!("the bridge answers, and a {kind} behind it {}", shows(&time));
            Diagnosis::good(board, saw)
        }
        Err(why) => Diagnosis::bad(board, format!("clock_port = {port:?}: {why}"), ""),
    }
}

async fn listen_to_bridge(port: &str) -> Result<(Option<ClockKind>, ClockTime), String> {
    let now = Now::start();
    let (mut line, actor) = serial::channel(Through::Bridge.line(port), now);
    let actor = tokio::spawn(actor.run());
    let mut driver = Through::Bridge.driver();
    let end = Instant::now() + ANSWERS_WITHIN;
    let (mut out, mut kind, mut shown) = (Vec::new(), None, None);
    while shown.is_none() && Instant::now() < end {
        let wake = driver.wake_at().map_or(end, |due| now.instant(due)).min(end);
        tokio::select! {
            heard = timeout_at(end, line.heard()) => match heard {
                Ok(Some(Heard { at, what: LineNews::Up })) => {
                    driver.handle(at.mono, &PortInput::Up, &mut out);
                }
                Ok(Some(Heard { at, what: LineNews::Bytes(bytes) })) => {
                    driver.handle(at.mono, &PortInput::Bytes(bytes), &mut out);
                }
                Ok(Some(Heard { what: LineNews::Down { why }, .. })) => return Err(chain(&why)),
                Ok(None) | Err(_) => break,
            },
            () = sleep_until(wake) => driver.on_timeout(now.stamp().mono, &mut out),
        }
        for act in out.drain(..) {
            match act {
                DriverOutput::Send(bytes) => line.send(bytes),
                DriverOutput::Tell(ClockNews::Found(found)) => kind = Some(found),
                DriverOutput::Tell(ClockNews::Reading(time)) => shown = Some(time),
                DriverOutput::Tell(_) => {}
            }
        }
    }
    for bytes in driver.leave() {
        line.send(bytes);
    }
    line.close();
    actor.await.ok();
    shown.map(|time| (kind, time)).ok_or_else(|| driver.silence().to_owned())
}
