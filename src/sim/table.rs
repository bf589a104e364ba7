//! What stands on a table, for replay and for simulated boards alike: a board and a clock.
//!
//! A DGT board speaks through its line; a scanned board, which names no pieces, is heard at once.
//! Hands do what a trace says they do. Nothing here reads a clock: every method is told the time,
//! which must never go back.

use super::board::{BoardSim, Delivery};
use super::clock::{self, ClockSim};
use super::dgt_clock::DgtClockSim;
use super::maker::{self, MakerSim};
use super::script::{Happening, Header};
use crate::game::Event;
use crate::table::{End, Placement, Reading, Sight};
use crate::time::Mono;
use crate::wire::{
    BoardMessage, Button, Buttons, ClockCommand, ClockMessage, FieldCode, Orientation,
};
use shakmaty::{Board, Color, Square};
use std::time::Duration;

/// From the beginning of a trace until its clock is set running.
const CLOCK_STARTS: Duration = Duration::from_millis(1_500);
/// From moving the lever until the arbiter sets the clock running again.
const CLOCK_RESUMES: Duration = Duration::from_millis(50);

/// A scanned board is read as a whole this long after a reading was lost.
const REREAD_AFTER: Duration = Duration::from_secs(1);

/// A board and, perhaps, a clock.
#[derive(Debug)]
pub struct Table {
    board: Option<BoardSim>,
    /// A board of another maker, in place of it.
    maker: Option<Box<dyn MakerSim>>,
    placement: Placement,
    /// The line to a scanned board is down.
    is_cut_off: bool,
    reread_at: Option<Mono>,
    clock: Option<ClockSim>,
    /// A clock that obeys a host, in place of the other. White sits at its left end.
    driven: Option<DgtClockSim>,
    /// What the other one becomes when a host sets it; until then it answers for it.
    standby: Option<DgtClockSim>,
    turn: Color,
    starts_at: Option<(Mono, Color)>,
}

impl Table {
    /// Sets up what the header of a script describes, at time zero. The clock stands.
    pub fn new(header: &Header) -> Self {
        let setup = header.start.clone().map(shakmaty::fen::Fen::into_setup);
        let start = setup.as_ref().map_or_else(Board::new, |setup| setup.board.clone());
        let turn = setup.map_or(Color::White, |setup| setup.turn);
        let mut clock =
            header.has_clock.then(|| ClockSim::new(clock::USUAL.0, clock::USUAL.1, End::Left));
        if let Some(clock) = &mut clock {
            clock.set_lever(Mono::default(), turn);
        }
        let time = clock.as_ref().map(ClockSim::time);
        let maker = header.maker.and_then(|kind| maker::board(kind, header.sight, &start));
        let is_dgt = maker.is_none() && header.sight == Sight::Pieces;
        let board = is_dgt.then(|| BoardSim::new(start.clone(), Orientation::Normal, time));
        let board = board.map(BoardSim::well_used);
        let placement = header.sight.of_board(&start);
        let (is_cut_off, reread_at, starts_at) = (false, None, None);
        Self {
            board,
            maker,
            placement,
            is_cut_off,
            reread_at,
            clock,
            driven: None,
            standby: None,
            turn,
            starts_at,
        }
    }

    /// The same table, whose clock the arbiter has set to `base` for each side, with `increment`
    /// for each move.
    pub fn with_clock_set(mut self, base: Duration, increment: Duration) -> Self {
        if let Some(clock) = &mut self.clock {
            *clock = ClockSim::new(base, increment, End::Left);
            clock.set_lever(Mono::default(), self.turn);
            if let Some(board) = &mut self.board {
                board.clock(Mono::default(), clock.time());
            }
        }
        self
    }

    /// The same table with a clock that obeys, if there is a board to carry commands. What was the
    /// arbiter's hand at the other clock is his hand at the button in the middle of this one.
    pub fn with_driven_clock(mut self, clock: DgtClockSim) -> Self {
        if let Some(board) = self.board.take() {
            let mut board = board.with_answering_clock();
            board.clock(Mono::default(), clock.time());
            self.board = Some(board);
            self.clock = None;
            self.driven = Some(clock);
        }
        self
    }

    /// The same table, whose clock counts by itself until a host sets it, and obeys from then on;
    /// or refuses to be set, if it is in another option. Texts and questions it answers in any
    /// case.
    pub fn with_clock_that_answers(mut self, clock: DgtClockSim) -> Self {
        if self.clock.is_some()
            && let Some(board) = self.board.take()
        {
            self.board = Some(board.with_answering_clock());
            self.standby = Some(clock);
        }
        self
    }

    /// The same table with a board that does not tell what it remembers, if it has a line.
    pub fn that_forgets(mut self) -> Self {
        self.board = self.board.take().map(BoardSim::that_forgets);
        self
    }

    /// The same table with a board of this serial number, which is its address on a line that many
    /// share. What the board leaves to chance comes from `seed`.
    pub fn numbered(mut self, serial: &str, seed: u64) -> Self {
        self.board = self.board.take().map(|it| it.numbered(serial).with_chance(seed));
        self
    }

    /// The clock that obeys, if there is one.
    pub fn driven(&self) -> Option<&DgtClockSim> {
        self.driven.as_ref()
    }

    /// A script begins: soon the clock is set running for the player who has the move at its start.
    pub fn begin(&mut self, at: Mono) {
        let has_clock = self.clock.is_some() || self.driven.is_some();
        self.starts_at = has_clock.then_some((at + CLOCK_STARTS, self.turn));
    }

    /// Whether the board speaks over a line.
    pub fn has_line(&self) -> bool {
        self.board.is_some() || self.maker.is_some()
    }

    /// Bytes of a host have come over the line.
    pub fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        match (&mut self.board, &mut self.maker) {
            (Some(board), _) => board.host_bytes(now, bytes),
            (None, Some(maker)) => maker.host_bytes(now, bytes),
            (None, None) => {}
        }
    }

    /// Takes what has come over the line to the host.
    pub fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        match (&mut self.board, &mut self.maker) {
            (Some(board), _) => board.take(now, bytes),
            (None, Some(maker)) => maker.take(now, bytes),
            (None, None) => {}
        }
    }

    /// The power of the board was gone for a moment.
    pub fn power_cycle(&mut self, now: Mono) {
        match (&mut self.board, &mut self.maker) {
            (Some(board), _) => board.power_cycle(now),
            (None, Some(maker)) => maker.power(now, true),
            (None, None) => {}
        }
    }

    /// Whether the board tells its host of changes.
    pub fn is_awake(&self) -> bool {
        self.board.as_ref().is_some_and(|it| it.mode().sends_fields() || it.is_polled())
            || self.maker.as_ref().is_some_and(|it| it.is_awake())
    }

    /// The DGT board; `None` if another one stands here.
    pub fn board(&self) -> Option<&BoardSim> {
        self.board.as_ref()
    }

    /// The DGT board, to talk to it.
    pub fn board_mut(&mut self) -> Option<&mut BoardSim> {
        self.board.as_mut()
    }

    /// What the sensors of a scanned board read. Of a board with a line: what stood there first.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// When the table next does something by itself.
    pub fn next_at(&self) -> Option<Mono> {
        let board = self.board.as_ref().and_then(BoardSim::next_at);
        let maker = self.maker.as_ref().and_then(|it| it.next_at());
        let clock = self.clock.as_ref().and_then(ClockSim::next_at);
        let driven = self.driven.as_ref().and_then(DgtClockSim::next_at);
        let starts_at = self.starts_at.map(|(at, _)| at);
        [board, maker, clock, driven, starts_at, self.reread_at].into_iter().flatten().min()
    }

    /// The clock goes on. What is returned is heard at once: that is so only of a scanned board and
    /// of the clock beside it.
    pub fn tick(&mut self, now: Mono) -> Option<Event> {
        if self.driven.is_some() {
            self.obey(now);
            return None;
        }
        self.answer(now);
        if self.driven.is_some() {
            return None;
        }
        if self.reread_at.take_if(|at| *at <= now).is_some() {
            return Some(Event::Pictured(self.placement.clone()));
        }
        let clock = self.clock.as_mut()?;
        if let Some((_, turn)) = self.starts_at.take_if(|(at, _)| *at <= now) {
            clock.run(now, turn);
        }
        clock.advance(now);
        self.show_clock(now)
    }

    /// Hands do something. What is returned is heard at once, past any line. The bytes of a tape
    /// do nothing here.
    pub fn happen(&mut self, now: Mono, happening: &Happening) -> Option<Event> {
        if self.driven.is_some() && self.happen_to_driven(now, happening) {
            return None;
        }
        match happening {
            Happening::Sensed { sq, reading, is_lost } => self.sense(now, *sq, *reading, *is_lost),
            Happening::Press(by) => {
                let has_moved = self.clock.as_mut()?.press(now, *by);
                // A button that is already down is heard by no lever, but by the clock.
                if has_moved { self.show_clock(now) } else { Some(Event::Pressed(*by)) }
            }
            Happening::ClockStopped => {
                self.clock.as_mut()?.stop(now);
                self.show_clock(now)
            }
            Happening::Resume(turn) => {
                let clock = self.clock.as_mut()?;
                clock.stop(now);
                clock.set_lever(now, *turn);
                let event = self.show_clock(now);
                self.starts_at = Some((now + CLOCK_RESUMES, *turn));
                event
            }
            Happening::LineDown => self.line_down(now),
            Happening::LineUp => self.line_up(now),
            Happening::PowerOff | Happening::PowerOn => {
                self.power(now, *happening == Happening::PowerOn);
                None
            }
            Happening::Exchanged(serial) => {
                self.board.as_mut()?.exchange(now, serial);
                None
            }
            Happening::Received(_)
            | Happening::Sent(_)
            | Happening::Killed
            | Happening::Started
            | Happening::End => None,
        }
    }

    /// What a host has sent for a clock that counts by itself is answered. If it obeys a setting,
    /// the host is its master from then on.
    fn answer(&mut self, now: Mono) {
        let (Some(board), Some(counting)) = (&mut self.board, &self.clock) else { return };
        let commands = board.take_clock_commands(now);
        let Some(clock) = &mut self.standby else { return };
        let mut is_set = false;
        for command in commands {
            if matches!(command, ClockCommand::SetAndRun(_)) && clock.obeys() {
                is_set = true;
                // Its lever stands where the other's stood.
                clock.press(now, counting.time().high.other());
            }
            if let Some(ack) = clock.obey(now, &command) {
                board.answer(now, ack);
            }
        }
        if is_set {
            board.clock(now, clock.time());
            (self.driven, self.clock) = (self.standby.take(), None);
        }
    }

    /// What a host has sent for the clock is done, and the board looks at it.
    fn obey(&mut self, now: Mono) {
        let (Some(clock), Some(board)) = (&mut self.driven, &mut self.board) else { return };
        if self.starts_at.take_if(|(at, _)| *at <= now).is_some() {
            press_middle(clock, board, now);
        }
        for command in board.take_clock_commands(now) {
            if let Some(ack) = clock.obey(now, &command) {
                board.answer(now, ack);
            }
        }
        clock.advance(now);
        board.clock(now, clock.time());
    }

    /// True if it was something that hands do to a clock.
    fn happen_to_driven(&mut self, now: Mono, happening: &Happening) -> bool {
        let (Some(clock), Some(board)) = (&mut self.driven, &mut self.board) else { return false };
        match happening {
            Happening::Press(by) => {
                clock.press(now, end_of(*by));
            }
            Happening::ClockStopped => press_middle(clock, board, now),
            Happening::Resume(turn) => {
                clock.press(now, end_of(!*turn));
                self.starts_at = Some((now + CLOCK_RESUMES, *turn));
            }
            _ => return false,
        }
        board.clock(now, clock.time());
        true
    }

    fn power(&mut self, now: Mono, is_on: bool) {
        if let Some(maker) = &mut self.maker {
            maker.power(now, is_on);
        }
        match &mut self.board {
            Some(board) if is_on => board.power_on(now),
            Some(board) => board.power_off(now),
            None => {}
        }
    }

    fn line_down(&mut self, now: Mono) -> Option<Event> {
        if let Some(maker) = &mut self.maker {
            maker.cut(true);
            return None;
        }
        let Some(board) = &mut self.board else {
            (self.is_cut_off, self.reread_at) = (true, None);
            return Some(Event::LinkDown);
        };
        board.line_down(now);
        None
    }

    fn line_up(&mut self, now: Mono) -> Option<Event> {
        if let Some(maker) = &mut self.maker {
            maker.cut(false);
            return None;
        }
        let Some(board) = &mut self.board else {
            self.is_cut_off = false;
            return Some(Event::Pictured(self.placement.clone()));
        };
        board.line_up(now);
        None
    }

    fn show_clock(&mut self, now: Mono) -> Option<Event> {
        let time = self.clock.as_ref()?.time();
        if self.maker.is_some() {
            return Some(Event::Clock(ClockMessage::Time(time)));
        }
        match &mut self.board {
            Some(board) => {
                board.clock(now, time);
                None
            }
            None => Some(Event::Board(BoardMessage::Clock(ClockMessage::Time(time)))),
        }
    }

    fn sense(&mut self, now: Mono, sq: Square, reading: Reading, is_lost: bool) -> Option<Event> {
        if let Some(maker) = &mut self.maker {
            maker.sense(sq, reading, is_lost);
            return None;
        }
        let Some(board) = &mut self.board else {
            self.placement.set(sq, reading);
            if is_lost && !self.is_cut_off {
                self.reread_at.get_or_insert(now + REREAD_AFTER);
            }
            return (!is_lost && !self.is_cut_off).then_some(Event::Sensed(sq, reading));
        };
        let code = match reading {
            Reading::Piece(piece) => FieldCode::Piece(piece),
            Reading::Empty | Reading::Colored(_) | Reading::Something => FieldCode::Empty,
        };
        let delivery = if is_lost { Delivery::Lost } else { Delivery::Sent };
        board.set(now, sq, code, delivery);
        None
    }
}

const fn end_of(color: Color) -> End {
    match color {
        Color::White => End::Left,
        Color::Black => End::Right,
    }
}

fn press_middle(clock: &DgtClockSim, board: &mut BoardSim, now: Mono) {
    if let Some(ack) = clock.press_buttons(Buttons::of(&[Button::Run])) {
        board.answer(now, ack);
    }
}
