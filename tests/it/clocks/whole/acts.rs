//! What is done to a clock: by players, by an arbiter, and by chance.

use super::causes::Cause;
use super::{Device, Hall, POLL, SPOKEN_OF};
use crate::clocks::faults::Badness;
use rokade::game::Event;
use rokade::laws::{Act, ClockOrder};
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::contact::Level;
use rokade::wire::{Ack, Button, Buttons, ClockMessage};
use shakmaty::Color;
use std::time::Duration;

impl Hall {
    pub(super) fn turn(&self) -> Color {
        let time = match &self.device {
            Device::Own(clock) => return clock.model().running().unwrap_or(Color::White),
            Device::Driven(clock, _) => clock.time(),
            Device::Read(set) => return set.turn,
        };
        if time.high == End::Left { Color::White } else { Color::Black }
    }

    /// What is done while the clock cannot be heard, or not well, is spoken of when it is.
    pub(super) fn hearing_changed(&mut self) {
        let is_heard = self.is_plugged && self.is_line_up && !self.is_line_bad;
        if !is_heard {
            self.gone_at = self.gone_at.min(self.now);
        } else if self.gone_at != Mono(u64::MAX) {
            self.unheard_since = std::mem::replace(&mut self.gone_at, Mono(u64::MAX));
        }
    }

    /// The clock can be heard again, and says something: one that stands says nothing by itself.
    pub(super) fn is_heard_again(&mut self) {
        let since = std::mem::replace(&mut self.unheard_since, Mono(u64::MAX));
        let meanwhile = self.causes.iter().filter(|(at, _)| *at + SPOKEN_OF >= since);
        let again: Vec<_> = meanwhile.map(|(_, cause)| (self.now, *cause)).collect();
        self.causes.extend(again);
    }

    pub(super) fn is_running(&self) -> bool {
        self.shown().running
    }

    /// Something is done at the clock, perhaps too soon after the last thing to be told apart.
    pub(super) fn hurry(&mut self) {
        if self.now.since(std::mem::replace(&mut self.done, self.now)) < 2 * POLL {
            self.cause(Cause::Twice);
        }
    }

    pub(super) fn press(&mut self) {
        let (now, by) = (self.now, self.turn());
        self.log.push(format!("{now}  press {by}, running {}", self.is_running()));
        self.hurry();
        match &mut self.device {
            Device::Driven(clock, _) => {
                clock.press(now, if by == Color::White { End::Left } else { End::Right });
            }
            Device::Own(_) => {
                let end = if by == Color::White { End::Left } else { End::Right };
                if self.held.iter().all(|(_, held)| *held != end) {
                    self.drive_own(|clock, at, out| clock.read(at, end, Level::Closed, out));
                    self.held.push((now + Duration::from_millis(80), end));
                }
            }
            Device::Read(set) => {
                if set.truth.running().is_none() {
                    return;
                }
                let own = set.own(now);
                set.truth.press(own, by);
                set.turn = !by;
                let done = set.truth.completed(by);
                if done == 40 {
                    self.cause(Cause::Period);
                }
            }
        }
    }

    pub(super) fn stop_or_go_on(&mut self) {
        let now = self.now;
        let turn = self.turn();
        self.log.push(format!("{now}  button"));
        self.hurry();
        match &mut self.device {
            Device::Driven(clock, _) => {
                if let Some(ack) = clock.press_buttons(Buttons::of(&[Button::Run]))
                    && self.is_plugged
                {
                    self.say(ClockMessage::Ack(ack));
                }
            }
            Device::Own(clock) => {
                let order = match clock.model().running() {
                    Some(_) => ClockOrder::Stop,
                    None => ClockOrder::Run(turn),
                };
                self.drive_own(|clock, at, out| clock.order(at, order, out));
            }
            Device::Read(set) => {
                let own = set.own(now);
                match set.truth.running() {
                    Some(_) => drop(set.truth.stop(own)),
                    None => drop(set.truth.start(own, turn)),
                }
            }
        }
    }

    /// The arbiter sets a time while the clock stands.
    pub(super) fn set(&mut self) {
        if self.is_running() {
            return;
        }
        let (color, span) =
            (if self.chance.bool() { Color::White } else { Color::Black }, self.chance.u64(5..600));
        let span = Duration::from_secs(span);
        let now = self.now;
        match &mut self.device {
            Device::Driven(..) => (),
            Device::Own(_) => {
                self.cause(Cause::Set);
                self.drive_own(|clock, at, out| clock.order(at, ClockOrder::Add(color, span), out));
            }
            Device::Read(set) => {
                let own = set.own(now);
                set.truth.add(own, color, span);
                self.cause(Cause::Set);
            }
        }
    }

    /// The arbiter orders something of the clock. Where it is set by hand he does it as well,
    /// unless something comes between.
    pub(super) fn order(&mut self) {
        let (turn, is_white, n) = (self.turn(), self.chance.bool(), self.chance.u64(10..600));
        let (side, span) = (Color::from_white(is_white), Duration::from_secs(n));
        let text = match self.chance.u32(0..5) {
            0 => format!("add_time {side} {n}"),
            1 => format!("sub_time {side} {n}"),
            2 => format!("set_time {side} {}", 3_000 + n),
            3 => "pause".to_owned(),
            _ => format!("resume {turn}"),
        };
        self.cause(Cause::Ordered);
        self.log.push(format!("{}  order {text}", self.now));
        self.ordered = self.now;
        let act = Act::read(&text, "arbiter", "").expect("an order");
        self.tell(self.now, &Event::Act(act));
        let does = self.chance.u32(0..3) > 0;
        let now = self.now;
        let Device::Read(set) = &mut self.device else { return };
        let own = set.own(now);
        match text.split(' ').next() {
            Some("add_time") if does && set.truth.running().is_none() => {
                set.truth.add(own, side, span);
            }
            Some("sub_time") if does && set.truth.running().is_none() => {
                set.truth.subtract(own, side, span);
            }
            _ => {}
        }
    }

    pub(super) fn reset(&mut self) {
        let now = self.now;
        if self.is_running() {
            return;
        }
        let Device::Read(set) = &mut self.device else { return };
        let own = set.own(now);
        for color in Color::ALL {
            set.truth.set_time(own, color, Duration::from_secs(5_400));
        }
        self.cause(Cause::Reset);
    }

    pub(super) fn forget(&mut self) {
        let now = self.now;
        let Device::Driven(clock, _) = &mut self.device else { return };
        clock.forget(now);
        let speaks = self.chance.bool();
        self.cause(Cause::Forgot);
        if speaks && self.is_plugged {
            self.say(ClockMessage::Ack(Ack([0x10, 0x81, 0, 0])));
        }
    }

    pub(super) fn plug(&mut self, plug: bool) {
        if matches!(self.device, Device::Own(_)) || self.is_plugged == plug {
            return;
        }
        self.is_plugged = plug;
        self.cause(Cause::Gone);
        self.hearing_changed();
        if plug && self.chance.bool() {
            self.forget();
        }
    }

    pub(super) fn line(&mut self, up: bool) {
        if self.is_line_up == up || matches!(self.device, Device::Own(_)) {
            return;
        }
        self.is_line_up = up;
        self.cause(Cause::Gone);
        self.hearing_changed();
        let now = self.now;
        if let Device::Driven(_, desk) = &mut self.device {
            let mut out = Vec::new();
            desk.link_changed(now, &mut out);
            self.carry_out(out);
        }
        self.to_board.clear();
        self.to_host.clear();
        self.tell(now, if up { &Event::LinkUp } else { &Event::LinkDown });
        // The board is woken, and its clock is news again.
        self.sent = None;
    }

    pub(super) fn bad(&mut self, is_bad: bool) {
        if self.is_line_bad == is_bad {
            return;
        }
        self.is_line_bad = is_bad;
        self.cause(Cause::Bad);
        self.hearing_changed();
        let badness = Badness {
            lost: self.chance.u8(0..30),
            twice: self.chance.u8(0..10),
            late: Duration::from_millis(self.chance.u64(100..1_500)),
        };
        let badness = if is_bad { badness } else { Badness::NONE };
        self.faults.iter_mut().for_each(|faults| faults.set(badness));
    }

    pub(super) fn happen(&mut self) {
        match self.chance.u32(0..100) {
            0..60 => self.press(),
            60..70 => self.stop_or_go_on(),
            70..73 => self.set(),
            73..76 => self.order(),
            76..78 => self.reset(),
            78..80 => self.forget(),
            80..83 => self.plug(false),
            83..88 => self.plug(true),
            88..90 => self.line(false),
            90..94 => self.line(true),
            94..95 => self.bad(true),
            95..98 => self.bad(false),
            98..99 => self.turn_round(),
            _ => self.low(),
        }
        let most = [2_000, 10_000, 60_000][self.chance.usize(0..3)];
        let span = Duration::from_millis(self.chance.u64(50..most));
        self.pass(span);
    }

    pub(super) fn turn_round(&mut self) {
        if self.is_running() {
            return;
        }
        let Device::Read(set) = &mut self.device else { return };
        set.is_turned = !set.is_turned;
        self.cause(Cause::Turned);
    }

    pub(super) fn low(&mut self) {
        let Device::Read(set) = &mut self.device else { return };
        if !std::mem::replace(&mut set.is_battery_low, true) {
            self.cause(Cause::Battery);
        }
    }
}
