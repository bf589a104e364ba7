//! A DGT XL or DGT 3000 behind a board, as it obeys and as it does not.
//!
//! The board forwards commands and carries the answers; that they get lost on the way is nothing of
//! the clock's. Protocol 2 and 3.

use super::works::Works;
use crate::table::{End, defaults};
use crate::time::Mono;
use crate::wire::dgt3000::SideRun;
use crate::wire::{Ack, Buttons, ClockCommand, ClockKind, ClockTime, Icons, Runs, SideTime};
use std::time::Duration;

/// How the clock was set up by hand (protocol 3.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obedience {
    /// In the option in which it obeys.
    Remote,
    /// In another: it shows texts and refuses to be set.
    WrongOption,
    /// It can be read and answers nothing, as older clocks.
    ReadOnly,
    /// It says yes to everything and does nothing of it: what it shows is as hands have set it.
    Feigned,
    /// It answers anything and shows any times; only its lever is as hands have put it. A middle
    /// button that is pressed is heard of no better.
    Nonsense,
}

/// What lies over the times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glass {
    /// Nothing: the times are seen.
    Times,
    /// Segments, on an XL.
    Segments([u8; 6]),
    /// Letters, on a DGT 3000.
    Letters([u8; 8]),
}

defaults! {
    /// A clock behind a board.
    #[derive(Clone, Debug)]
    pub struct DgtClockSim {
        given {
            kind: ClockKind,
            obedience: Obedience,
            works: Works,
        }
        toggles: bool,
        glass: Glass = Glass::Times,
        icons: Icons,
        n_beeps: u32,
        n_heard: u8,
    }
}

impl DgtClockSim {
    /// A clock that was just switched on.
    pub fn new(kind: ClockKind, obedience: Obedience, drift_ppm: i32) -> Self {
        Self::begin(kind, obedience, Works::new(drift_ppm))
    }

    /// Whether it is in the option in which it obeys.
    pub fn obeys(&self) -> bool {
        self.obedience == Obedience::Remote
    }

    /// A command has reached it. The answer, if it gives one.
    pub fn obey(&mut self, at: Mono, command: &ClockCommand) -> Option<Ack> {
        self.works.advance(at);
        match self.obedience {
            Obedience::ReadOnly => return None,
            Obedience::Nonsense => return self.babble(command.id()),
            _ => {}
        }
        let mut ack = Ack([0x10, command.id(), 0, 0]);
        match *command {
            ClockCommand::VersionQuery => ack.0[2] = self.version(),
            ClockCommand::SetAndRun(_) if self.obedience == Obedience::WrongOption => {
                ack.0[0] = 0x40;
            }
            _ if self.obedience == Obedience::Feigned => {}
            ClockCommand::SetAndRun(set) => {
                let runs = |end| match (set.runs, end) {
                    (Runs::Both, _) | (Runs::Left, End::Left) | (Runs::Right, End::Right) => {
                        SideRun::Down
                    }
                    _ => SideRun::Stop,
                };
                self.works.set(End::Left, set.left.seconds, runs(End::Left));
                self.works.set(End::Right, set.right.seconds, runs(End::Right));
                self.toggles = set.toggle;
                self.glass = Glass::Times;
            }
            ClockCommand::Display { places, .. } if self.kind == ClockKind::Xl => {
                self.glass = Glass::Segments(places);
            }
            ClockCommand::Text { text, .. } if self.kind != ClockKind::Xl => {
                self.glass = Glass::Letters(text);
            }
            ClockCommand::End => self.glass = Glass::Times,
            ClockCommand::Icons(icons) if self.kind == ClockKind::Xl => self.icons = icons,
            ClockCommand::Beep(_) => self.n_beeps += 1,
            ClockCommand::ButtonQuery => {}
            // Not a language of this clock.
            _ => return None,
        }
        Some(ack)
    }

    /// One answer out of those that have been seen to lead hosts astray, in turn.
    fn babble(&mut self, id: u8) -> Option<Ack> {
        self.n_heard = self.n_heard.wrapping_add(1);
        match self.n_heard % 6 {
            0 => Some(Ack([0x10, 0x81, 0x20, 0])),
            1 => Some(Ack([0x20, id, 0, 0])),
            2 => Some(Ack([0x10, id.wrapping_add(1) & 0x0f, 0x5a, 0xff])),
            3 => None,
            4 => Some(Ack([0x10, id, self.version(), 0])),
            _ => Some(Ack([0xff, self.n_heard, 0x33, id])),
        }
    }

    fn version(&self) -> u8 {
        match self.kind {
            ClockKind::Xl => 0x1e,
            ClockKind::Dgt3000 => 0x20,
            ClockKind::Other(major) => major << 4,
        }
    }

    /// A player pushes the `end` down. True if it was up.
    pub fn press(&mut self, at: Mono, end: End) -> bool {
        self.works.advance(at);
        if self.works.high() != end {
            return false;
        }
        self.works.turn(end.other());
        if self.toggles && self.works.is_running() {
            self.works.run(end, SideRun::Stop);
            self.works.run(end.other(), SideRun::Down);
        }
        true
    }

    /// Somebody presses buttons. The report, if it sends one: in the wrong option they act on the
    /// clock itself (protocol 2.5).
    pub fn press_buttons(&self, buttons: Buttons) -> Option<Ack> {
        match self.obedience {
            Obedience::Remote | Obedience::Feigned => Some(Ack::pressed(buttons)),
            Obedience::Nonsense => Some(Ack([0x10, 0xb8, 0x21, 0])),
            Obedience::WrongOption | Obedience::ReadOnly => None,
        }
    }

    /// The battery is jolted: times and text are gone, the option is not.
    pub fn forget(&mut self, at: Mono) {
        self.works.advance(at);
        self.works.forget();
        self.toggles = false;
        self.glass = Glass::Times;
        self.icons = Icons::default();
    }

    /// The option is chosen anew, with the clock off.
    pub fn choose(&mut self, at: Mono, obedience: Obedience) {
        self.forget(at);
        self.obedience = obedience;
    }

    /// Lets the time pass.
    pub fn advance(&mut self, at: Mono) {
        self.works.advance(at);
    }

    /// When its displays change next, or a little before.
    pub fn next_at(&self) -> Option<Mono> {
        let babbles = self.obedience == Obedience::Nonsense;
        let second = Mono((self.works.now().0 / 1_000_000 + 1) * 1_000_000);
        self.works.next_at().into_iter().chain(babbles.then_some(second)).min()
    }

    /// What the board reads of it.
    pub fn time(&self) -> ClockTime {
        if self.obedience == Obedience::Nonsense {
            return self.any_time();
        }
        ClockTime {
            left: SideTime::of_seconds(self.works.seconds(End::Left)),
            right: SideTime::of_seconds(self.works.seconds(End::Right)),
            running: self.works.is_running(),
            high: self.works.high(),
            battery_low: false,
        }
    }

    /// Times that nothing leads to, others each second.
    fn any_time(&self) -> ClockTime {
        let second = self.works.now().0 / 1_000_000;
        let mixed = second.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let side = |bits: u64| {
            SideTime::of_seconds(u32::try_from(bits % 36_000).expect("less than ten hours"))
        };
        ClockTime {
            left: side(mixed),
            right: side(mixed >> 7),
            running: mixed & 1 == 0,
            high: self.works.high(),
            battery_low: false,
        }
    }

    /// What a side holds, to the microsecond, which nobody is shown.
    pub const fn left(&self, end: End) -> Duration {
        self.works.left(end)
    }

    /// What lies over the times.
    pub const fn glass(&self) -> Glass {
        self.glass
    }

    /// The icons of an XL.
    pub const fn icons(&self) -> Icons {
        self.icons
    }

    /// How often it has sounded.
    pub const fn n_beeps(&self) -> u32 {
        self.n_beeps
    }
}
