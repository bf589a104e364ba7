//! A dump of the whole board is evidence and not the truth: a stray byte shifts all that follows
//! it. One that cannot be, or that is far from what was known, is asked for again before it changes
//! anything; it is believed when the next one says the same. On a line with noise on it every field
//! needs two dumps to change, and a piece that comes from nowhere is left to them. So does a lever
//! that is said to be over need two readings of the clock.

use crate::time::Mono;
use crate::wire::{ClockMessage, Dump, Field, FieldCode, Lever, Signal};
use shakmaty::{Color, Role};
use std::time::Duration;

/// Messages that get lost on a line that is up change so few fields, at the most.
pub(super) const NEAR: usize = 4;
/// Hands change so many while a line is down for a while; more are looked at twice.
pub(super) const NEAR_AFTER_GAP: usize = 12;
/// Two dumps that differ in so many fields at the most say the same: play goes on between them.
pub(super) const AGREE: usize = 2;
/// Pieces of both colors.
const PIECES_MAX: usize = 32;
/// A line on which noise was heard is mistrusted for so long.
const NOISY_FOR: Duration = Duration::from_secs(120);
/// Noise three times in this time: any message may be hurt.
const DENSE: Duration = Duration::from_secs(20);
/// Noise that comes sooner after noise is the same.
const APART: Duration = Duration::from_millis(100);
/// Noise that comes so soon after a dump belongs to it: a byte too many has pushed its end out.
const SPILLED: Duration = Duration::from_millis(50);

/// What has been read of a board and is not believed yet.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    /// The last picture of the whole board, and when it came.
    dump: Option<(Mono, Box<Dump>)>,
    /// A figure that says how the game ended, and whether a picture of the whole board has shown it
    /// as well.
    signal: Option<(Field, Signal, bool)>,
    /// When noise was heard last, newest first.
    noise: [Option<Mono>; 3],
    /// When a picture showed just what was known, if nothing has come since.
    confirmed: Option<Mono>,
    /// How the lever stands, as far as it is believed; `None` inside if no clock is connected.
    lever: Option<Option<Lever>>,
    /// How the last reading has it, if that is in doubt.
    turned: Option<Option<Lever>>,
}

impl Doubts {
    /// Bytes came that make no message.
    pub(super) fn note_noise(&mut self, now: Mono) {
        match self.noise[0] {
            // What one hurt message leaves behind comes in pieces.
            Some(last) if now.since(last) < APART => self.noise[0] = Some(now),
            last => self.noise = [Some(now), last, self.noise[1]],
        }
        self.confirmed = None;
        self.dump.take_if(|(at, _)| now.since(*at) <= SPILLED);
    }

    pub(super) fn is_noisy(&self, now: Mono) -> bool {
        self.noise[0].is_some_and(|at| now.since(at) <= NOISY_FOR)
    }

    /// Whether there is so much noise that any message may be hurt.
    pub(super) fn is_dense(&self, now: Mono) -> bool {
        self.noise[2].is_some_and(|at| now.since(at) <= DENSE)
    }

    /// When what is known of the board was last read twice, if that is needed. `None` if it is yet
    /// to be.
    pub(super) fn confirmed(&self, now: Mono) -> Option<Mono> {
        if self.is_noisy(now) { self.confirmed } else { Some(now) }
    }

    /// The whole board was read; `is_confirmed` if it is as was known. What it showed the last
    /// time, if that is in doubt.
    pub(super) fn read(&mut self, now: Mono, is_confirmed: bool) -> Option<Box<Dump>> {
        self.confirmed = is_confirmed.then_some(now);
        self.dump.take().map(|(_, dump)| dump)
    }

    /// `dump` is in doubt until the next one comes.
    pub(super) fn doubt(&mut self, now: Mono, dump: &Dump) {
        self.dump = Some((now, Box::new(dump.clone())));
    }

    /// The dump that has been in doubt for so long, if it may be one of a game.
    pub(super) fn take_doubted_since(&mut self, now: Mono, span: Duration) -> Option<Box<Dump>> {
        let doubted = self.dump.take_if(|(at, dump)| now.since(*at) >= span && can_be(dump));
        doubted.map(|(_, dump)| dump)
    }

    /// A field was read by itself; `is_known` if it reads what was known.
    pub(super) fn note_change(&mut self, is_known: bool) {
        self.confirmed.take_if(|_| !is_known);
    }

    /// The clock was read. Whether that is believed: on a line with noise on it a lever that is
    /// over, and a clock that has come or gone, must be read twice.
    pub(super) fn believes_clock(&mut self, now: Mono, message: &ClockMessage) -> bool {
        let lever = match message {
            ClockMessage::NoClock => None,
            ClockMessage::Ack(_) | ClockMessage::Empty => return true,
            ClockMessage::Time(_) | ClockMessage::Rejected { .. } => message.lever(),
        };
        let is_same = self.lever == Some(lever) || self.turned == Some(lever);
        if is_same || !self.is_noisy(now) {
            (self.lever, self.turned) = (Some(lever), None);
            return true;
        }
        self.turned = Some(lever);
        false
    }

    /// A figure was read that says how the game ended, and may be a hurt byte.
    pub(super) fn doubt_signal(&mut self, field: Field, signal: Signal) {
        self.signal = Some((field, signal, false));
    }

    /// The figure that says how the game ended, if the whole board shows it as well; on a line with
    /// noise on it two pictures in a row have to.
    pub(super) fn signal_shown(&mut self, now: Mono, dump: &Dump) -> Option<Signal> {
        let shown = |(field, signal, _): &(Field, Signal, bool)| {
            dump.code(*field) == FieldCode::Signal(*signal)
        };
        let (field, signal, was_shown) = self.signal.take().filter(shown)?;
        let is_shown = was_shown || !self.is_noisy(now);
        self.signal = (!is_shown).then_some((field, signal, true));
        is_shown.then_some(signal)
    }

    /// Whether such a figure needs another picture of the board.
    pub(super) fn awaits_signal(&self) -> bool {
        self.signal.is_some()
    }
}

pub(super) fn differs(a: &Dump, b: &Dump) -> usize {
    a.0.iter().zip(&b.0).filter(|(a, b)| a != b).count()
}

/// Whether the pieces may be those of a game: one king each, and no more than there are.
pub(super) fn can_be(dump: &Dump) -> bool {
    let count = |color, role| dump.0.iter().filter(|code| code.is(color, role)).count();
    let has_one_king = |color| count(color, Role::King) <= 1;
    let n = dump.0.iter().filter(|code| **code != FieldCode::Empty).count();
    n <= PIECES_MAX && Color::ALL.into_iter().all(has_one_king)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::End;
    use crate::wire::{ClockTime, SideTime};

    #[test]
    fn one_reading_of_a_lever_proves_nothing_amid_noise() {
        let side = SideTime::of_seconds(300);
        let time = |high| {
            let time =
                ClockTime { left: side, right: side, running: true, high, battery_low: false };
            ClockMessage::Time(time)
        };
        let (left, right, gone) = (time(End::Left), time(End::Right), ClockMessage::NoClock);
        let now = Mono::from_millis(5_000);
        let mut doubts = Doubts::default();
        for heard in [&left, &right, &gone, &left] {
            assert!(doubts.believes_clock(now, heard), "a line in order: {heard:?}");
        }
        doubts.note_noise(now);
        let told = [&right, &left, &gone, &right, &right, &right, &left, &left];
        let told = told.map(|heard| doubts.believes_clock(now, heard));
        assert_eq!(told, [false, true, false, false, true, true, false, true]);
        let later = now + NOISY_FOR + Duration::from_secs(1);
        assert!(doubts.believes_clock(later, &right));
    }

    #[test]
    fn a_figure_that_ends_the_game_is_seen_twice_more_amid_noise() {
        let (now, draw) = (Mono::from_millis(5_000), FieldCode::Signal(Signal::Draw));
        let field = Field::all().next().unwrap();
        let (mut shown, empty) = (Dump([FieldCode::Empty; 64]), Dump([FieldCode::Empty; 64]));
        shown.0[usize::from(field.index())] = draw;
        let mut doubts = Doubts::default();
        let mut told = |is_noisy: bool, dumps: &[&Dump]| {
            if is_noisy {
                doubts.note_noise(now);
            }
            doubts.doubt_signal(field, Signal::Draw);
            let told = dumps.iter().map(|dump| doubts.signal_shown(now, dump)).collect::<Vec<_>>();
            (told, doubts.awaits_signal())
        };
        let draw = Some(Signal::Draw);
        assert_eq!(told(false, &[&shown]), (vec![draw], false));
        assert_eq!(told(false, &[&empty, &shown]), (vec![None, None], false));
        assert_eq!(told(true, &[&shown]), (vec![None], true));
        assert_eq!(told(true, &[&shown, &shown]), (vec![None, draw], false));
        assert_eq!(told(true, &[&shown, &empty, &shown]), (vec![None; 3], false));
    }
}
