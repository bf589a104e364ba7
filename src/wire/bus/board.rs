//! One board of a shared line, told in the words of single mode: so whoever follows its game knows
//! nothing of the line. It is asked for its changes again and again; in each visit the clock and
//! the picture come before the changes, which are thus never older than what they are held against.

use crate::table::End;
use crate::time::Mono;
use crate::wire::clock::{ClockMessage, ClockTime};
use crate::wire::field::{Dump, Field};
use crate::wire::log::{LogEvent, decode_log};
use crate::wire::message::BoardMessage;
use std::collections::VecDeque;
use std::fmt;

/// So many events are kept for who asks for the board's memory: as bytes less than a board's own
/// ring has. Ours.
const MEMORY_MAX: usize = 2_500;
/// A clock that is not known to run has not run for longer, in seconds, when a player presses
const RUN_MOST: u32 = 30;
/// and gets no longer increment for it. Ours.
const INCREMENT_MOST: u32 = 60;

/// Why a board of a shared line is not followed.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub enum BusFault {
    /// Nobody answers at this address.
    Silent(u16),
    /// More than one answers at this address, and their answers spoil each other.
    Doubled(u16),
}

impl fmt::Display for BusFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent(address) => write!(
                f,
                "no board answers to bus_address {address}; look at its cable and its power"
            ),
            Self::Doubled(address) => write!(
                f,
                "two boards answer to bus_address {address}; take one of them off the line"
            ),
        }
    }
}

/// What a board is to be asked for beside its changes, each since when.
#[derive(Debug, Copy, Clone, Default)]
pub(super) struct Wants {
    pub(super) version: bool,
    pub(super) dump: Option<Mono>,
    pub(super) clock: Option<Mono>,
    /// Something waits for the clock.
    pub(super) clock_is_urgent: bool,
    log: bool,
}

/// What is known of one board.
#[derive(Debug, Clone, Default)]
pub(super) struct BusBoard {
    pub(super) address: u16,
    pub(super) wants: Wants,
    /// The next question for changes is to be for the same once more: their answer did not come.
    pub(super) must_repeat: bool,
    /// The changes that were answered last may come once more: they were asked for again.
    may_be_twice: bool,
    /// The changes that were answered last.
    answered: Vec<u8>,
    /// Nothing was fetched since the board is followed: what comes first was done before.
    is_fresh: bool,
    fields: Option<Box<Dump>>,
    /// The clock as it was told last.
    clock: Option<ClockTime>,
    /// Asked for in this visit, and to be told with its changes.
    dump: Option<Box<Dump>>,
    reading: Option<ClockMessage>,
    /// Begins with a press of which it is not known whether time runs.
    waiting: VecDeque<LogEvent>,
    /// A press was told in this visit.
    has_pressed: bool,
    /// All that was fetched, oldest first; at most [`MEMORY_MAX`].
    memory: VecDeque<LogEvent>,
}

impl BusBoard {
    /// A board of which nothing is known. Whoever followed it before may have ended with its last
    /// changes in hand, so it is asked for these once more.
    pub(super) fn new(address: u16) -> Self {
        Self { address, must_repeat: true, is_fresh: true, ..Self::default() }
    }

    /// The board is followed from now on, or again. What it remembers is kept.
    pub(super) fn begin(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        let answered = std::mem::take(&mut self.answered);
        let (must_repeat, may_be_twice) = (self.must_repeat, self.may_be_twice);
        let anew = Self::new(self.address);
        *self = Self { memory, answered, must_repeat, may_be_twice, ..anew };
    }

    /// There was no answer for changes, not even one that was `hurt`.
    pub(super) fn miss_changes(&mut self, is_hurt: bool) {
        let has_none = self.must_repeat && !self.may_be_twice && !is_hurt;
        if has_none {
            // It was never asked for changes, and may have nothing to tell once more.
            self.must_repeat = false;
        } else {
            self.expect_repeat();
        }
    }

    /// An answer for changes was lost: they are asked for once more, and may come although they are
    /// known.
    pub(super) fn expect_repeat(&mut self) {
        (self.must_repeat, self.may_be_twice) = (true, true);
    }

    /// The board wants to be asked for its memory after its picture.
    pub(super) fn want_log(&mut self) {
        self.wants.log = true;
    }

    pub(super) fn take_dump(&mut self, dump: Box<Dump>) {
        self.wants.dump = None;
        self.dump = Some(dump);
    }

    pub(super) fn take_clock(&mut self, message: ClockMessage) {
        (self.wants.clock, self.wants.clock_is_urgent) = (None, false);
        self.reading = Some(message);
    }

    /// Changes have come. If they are the `last` of a visit, what was answered before is told with
    /// them.
    pub(super) fn take_changes(
        &mut self,
        now: Mono,
        payload: Vec<u8>,
        is_last: bool,
        out: &mut Vec<BoardMessage>,
    ) {
        self.must_repeat = false;
        let is_known = !payload.is_empty() && payload == self.answered;
        let events = match self.may_be_twice && is_known {
            true => Vec::new(),
            false => decode_log(&payload),
        };
        // Of an answer that was asked for twice both may come, one after the other.
        self.may_be_twice &= is_known || !is_last;
        self.answered = payload;
        self.memory.extend(events.iter().filter(|event| !matches!(event, LogEvent::Nop)));
        self.memory.drain(..self.memory.len().saturating_sub(MEMORY_MAX));
        if let Some(dump) = &mut self.dump {
            apply(dump, &events);
        }
        if self.is_fresh {
            // What was done before the board was followed is for its memory alone.
            self.wants.dump.get_or_insert(now);
            self.is_fresh = !is_last;
        } else {
            self.tell(now, events, out);
        }
        if is_last {
            self.tell_reading(now, out);
            if let Some(dump) = self.dump.take() {
                self.fields = Some(dump.clone());
                out.push(BoardMessage::Dump(dump));
                self.tell_memory(out);
            }
        }
    }

    /// Tells the changes in their order, presses between them.
    fn tell(&mut self, now: Mono, events: Vec<LogEvent>, out: &mut Vec<BoardMessage>) {
        if let Some(ClockMessage::Time(time)) = self.reading
            && let Some(LogEvent::Time { end, .. }) = self.waiting.front()
        {
            // It was read after that press: whether time runs is known now.
            self.tell_clock(ClockTime { high: *end, ..time }, out);
        }
        let is_answered = self.reading.is_some();
        let mut events: VecDeque<LogEvent> = self.waiting.drain(..).chain(events).collect();
        while let Some(event) = events.pop_front() {
            match event {
                LogEvent::Change { field, code, .. } => {
                    if let Some(fields) = &mut self.fields {
                        fields.0[usize::from(field.index())] = code;
                    }
                    if let Some(time) = self.clock {
                        // Perhaps it was stopped meanwhile; or started, and a press will follow.
                        self.wants.clock.get_or_insert(now);
                        self.wants.clock_is_urgent |= !time.running;
                    }
                    out.push(BoardMessage::Field { field, code });
                }
                LogEvent::Time { end, seconds } => match self.clock {
                    Some(time) if time.running || is_answered => {
                        self.has_pressed = true;
                        self.tell_clock(pressed(time, end, seconds), out);
                    }
                    Some(time) if has_run(time, end, seconds) => {
                        self.has_pressed = true;
                        let time = ClockTime { running: true, ..time };
                        self.tell_clock(pressed(time, end, seconds), out);
                    }
                    _ if is_answered => {}
                    _ => {
                        events.push_front(event);
                        self.waiting = events;
                        (self.wants.clock, self.wants.clock_is_urgent) = (Some(now), true);
                        return;
                    }
                },
                // What stands on the board follows, but not what does not; nor is all of it sure.
                LogEvent::PowerUp | LogEvent::Watchdog | LogEvent::Skipped { .. } => {
                    self.wants.dump.get_or_insert(now);
                }
                _ => {}
            }
        }
    }

    /// Tells what the clock showed in this visit, unless a press has come after it.
    fn tell_reading(&mut self, now: Mono, out: &mut Vec<BoardMessage>) {
        let has_pressed = std::mem::take(&mut self.has_pressed);
        match self.reading.take() {
            Some(ClockMessage::Time(time)) => {
                if has_pressed && self.clock.is_some_and(|it| it.high != time.high) {
                    self.wants.clock = Some(now);
                } else {
                    self.tell_clock(time, out);
                }
            }
            Some(other) => {
                self.clock = None;
                out.push(BoardMessage::Clock(other));
            }
            None => {}
        }
    }

    fn tell_clock(&mut self, time: ClockTime, out: &mut Vec<BoardMessage>) {
        self.clock = Some(time);
        out.push(BoardMessage::Clock(ClockMessage::Time(time)));
    }

    /// All that was fetched, behind what stood all the time where nothing has changed.
    fn tell_memory(&mut self, out: &mut Vec<BoardMessage>) {
        let Some(fields) = self.fields.as_ref().filter(|_| self.wants.log) else { return };
        self.wants.log = false;
        let mut touched = [false; 64];
        for event in &self.memory {
            if let LogEvent::Change { field, .. } = event {
                touched[usize::from(field.index())] = true;
            }
        }
        let mut log = Vec::new();
        for field in Field::all().filter(|field| !touched[usize::from(field.index())]) {
            LogEvent::Change { field, code: fields.code(field), fast: false }.encode(&mut log);
        }
        for event in &self.memory {
            event.encode(&mut log);
        }
        LogEvent::Eof.encode(&mut log);
        out.push(BoardMessage::Log(log));
    }
}

/// Whether a clock that stood when it was read last, some seconds ago, has run since: the player at
/// `end` had so many seconds left when he pressed. A lever that is moved at a clock that stands
/// changes no time; who sets it anew sets minutes.
fn has_run(stood: ClockTime, end: End, seconds: u32) -> bool {
    let left = match end {
        End::Left => stood.left.seconds,
        End::Right => stood.right.seconds,
    };
    seconds != left && (left.saturating_sub(RUN_MOST)..=left + INCREMENT_MOST).contains(&seconds)
}

/// What the clock shows once the player at `end` has pressed and has so many seconds left.
fn pressed(mut time: ClockTime, end: End, seconds: u32) -> ClockTime {
    let side = match end {
        End::Left => &mut time.left,
        End::Right => &mut time.right,
    };
    side.seconds = seconds;
    ClockTime { high: end.other(), ..time }
}

/// What the changes leave on a board of which `dump` was read before the last of them.
fn apply(dump: &mut Dump, events: &[LogEvent]) {
    for event in events {
        if let LogEvent::Change { field, code, .. } = event {
            dump.0[usize::from(field.index())] = *code;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::clock::SideTime;
    use crate::wire::field::FieldCode;
    use shakmaty::Color;

    const NOW: Mono = Mono::from_millis(9_000);

    fn encoded(events: &[LogEvent]) -> Vec<u8> {
        let mut payload = Vec::new();
        events.iter().for_each(|event| event.encode(&mut payload));
        payload
    }

    fn presses(end: End, seconds: u32) -> LogEvent {
        LogEvent::Time { end, seconds }
    }

    fn lifts(field: u8) -> LogEvent {
        LogEvent::Change { field: Field::new(field), code: FieldCode::Empty, fast: false }
    }

    fn time(left: u32, right: u32, running: bool, high: End) -> ClockTime {
        let (left, right) = (SideTime::of_seconds(left), SideTime::of_seconds(right));
        ClockTime { left, right, running, high, battery_low: false }
    }

    fn told(time: ClockTime) -> BoardMessage {
        BoardMessage::Clock(ClockMessage::Time(time))
    }

    fn lifted(field: u8) -> BoardMessage {
        BoardMessage::Field { field: Field::new(field), code: FieldCode::Empty }
    }

    /// A visit: the clock where it is read, and the changes.
    fn visit(
        board: &mut BusBoard,
        clock: Option<ClockMessage>,
        events: &[LogEvent],
    ) -> Vec<BoardMessage> {
        let mut out = Vec::new();
        if let Some(clock) = clock {
            board.take_clock(clock);
        }
        board.take_changes(NOW, encoded(events), true, &mut out);
        out
    }

    /// A board that was read once, with what its clock showed then.
    fn followed(clock: Option<ClockTime>) -> BusBoard {
        let mut board = BusBoard::new(1_025);
        let out = visit(&mut board, clock.map(ClockMessage::Time), &[]);
        assert_eq!(out, clock.map(told).as_slice());
        board.wants = Wants::default();
        board
    }

    /// Whether time runs decides what a press means. So one at a clock that nobody has read waits,
    /// with all that came after it, until the clock is read, which is urgent.
    #[test]
    fn a_press_at_an_unknown_clock_waits_for_the_clock() {
        for running in [true, false] {
            let mut board = followed(None);
            let events = [lifts(1), presses(End::Left, 300), lifts(2)];
            assert_eq!(visit(&mut board, None, &events), [lifted(1)]);
            assert!(board.wants.clock.is_some() && board.wants.clock_is_urgent);
            assert_eq!(visit(&mut board, None, &[lifts(3)]), [], "behind the press");
            let read = time(300, 200, running, End::Right);
            let expected = [
                told(ClockTime { high: End::Left, ..read }),
                told(read),
                lifted(2),
                lifted(3),
                told(read),
            ];
            assert_eq!(visit(&mut board, Some(ClockMessage::Time(read)), &[]), expected);
            assert!(!board.wants.clock_is_urgent || !running);
        }
    }

    #[test]
    fn a_press_at_a_clock_that_is_gone_holds_nothing_back() {
        let mut board = followed(None);
        assert_eq!(visit(&mut board, None, &[presses(End::Left, 300), lifts(2)]), []);
        let out = visit(&mut board, Some(ClockMessage::NoClock), &[lifts(3)]);
        assert_eq!(out, [lifted(2), lifted(3), BoardMessage::Clock(ClockMessage::NoClock)]);
    }

    #[test]
    fn a_press_at_a_clock_that_runs_is_told_at_once() {
        let mut board = followed(Some(time(300, 200, true, End::Left)));
        let out = visit(&mut board, None, &[presses(End::Left, 290), lifts(2)]);
        assert_eq!(out, [told(time(290, 200, true, End::Right)), lifted(2)]);
        let out = visit(&mut board, None, &[presses(End::Right, 195)]);
        assert_eq!(out, [told(time(290, 195, true, End::Left))]);
    }

    /// A clock that stood when it was read last has been started since, if it shows less than then,
    /// or an increment more. A lever that is moved at a clock that stands changes no time.
    #[test]
    fn a_press_tells_whether_the_clock_was_started_meanwhile() {
        let rows = [
            (300, false),
            (299, true),
            (270, true),
            (269, false),
            (301, true),
            (360, true),
            (361, false),
        ];
        for (seconds, has_run) in rows {
            let mut board = followed(Some(time(300, 20, false, End::Left)));
            let out = visit(&mut board, None, &[presses(End::Left, seconds)]);
            let expected = told(time(seconds, 20, true, End::Right));
            assert_eq!(out, if has_run { vec![expected] } else { vec![] }, "{seconds}");
            assert_eq!(board.wants.clock_is_urgent, !has_run);
        }
    }

    /// The reading may be older than a press that is told behind it: then the clock is read again,
    /// and the lever does not seem to go back.
    #[test]
    fn a_reading_of_before_a_press_is_not_told_behind_it() {
        let before = time(300, 200, true, End::Left);
        let mut board = followed(Some(before));
        let out = visit(&mut board, Some(ClockMessage::Time(before)), &[presses(End::Left, 299)]);
        assert_eq!(out, [told(time(299, 200, true, End::Right))]);
        assert!(board.wants.clock.is_some());
        let after = time(299, 199, true, End::Right);
        assert_eq!(visit(&mut board, Some(ClockMessage::Time(after)), &[]), [told(after)]);
    }

    /// What was done before the board is followed is for its memory alone, and a picture is wanted.
    #[test]
    fn changes_of_before_the_board_is_followed_are_only_remembered() {
        let mut board = BusBoard::new(1_025);
        let events = [lifts(1), presses(End::Left, 300)];
        assert_eq!(visit(&mut board, None, &events), []);
        assert!(board.wants.dump.is_some() && board.wants.clock.is_none());
        board.want_log();
        let pawn = FieldCode::Piece(Color::White.pawn());
        board.take_dump(Box::new(Dump([pawn; 64])));
        let mut out = visit(&mut board, None, &[lifts(2)]);
        let Some(BoardMessage::Log(log)) = out.pop() else { panic!("{out:?}") };
        let log = decode_log(&log);
        assert_eq!(log.len(), 62 + events.len() + 2, "what stands, what was done, the end");
        assert!(log.ends_with(&[lifts(1), events[1], lifts(2), LogEvent::Eof]), "{log:?}");
        let mut dump = Dump([pawn; 64]);
        dump.0[2] = FieldCode::Empty;
        assert_eq!(out, [lifted(2), BoardMessage::Dump(Box::new(dump))]);
        assert!(board.wants.dump.is_none());
    }

    /// An answer that was asked for twice may come twice. The same changes once more are others, if
    /// nobody has asked for them again.
    #[test]
    fn the_same_changes_come_twice_only_if_they_were_asked_for_twice() {
        let mut board = followed(None);
        let events = [lifts(1)];
        assert_eq!(visit(&mut board, None, &events), [lifted(1)]);
        assert_eq!(visit(&mut board, None, &events), [lifted(1)]);
        board.expect_repeat();
        assert!(board.must_repeat);
        assert_eq!(visit(&mut board, None, &events), []);
        assert!(!board.must_repeat);
        assert_eq!(visit(&mut board, None, &[]), []);
        assert_eq!(visit(&mut board, None, &events), [lifted(1)]);
    }
}
