//! Who is asked for what, and when, on a line that many boards share. Pure: it is told the time and
//! what came, and says what to send.
//!
//! Boards are visited in rounds. A visit fetches a board's changes, and before them its clock or
//! its picture where they are wanted: of those there are a few in each round, so that no round of
//! forty boards takes longer than a second. Of boards that do not answer one is asked in a round.
//! Before the first round, boards that nobody expects and boards with the same address are looked
//! for by a ping for all, which each answers at a random moment.

use super::board::{BusBoard, BusFault};
use super::roll::RollCall;
use super::{ALL, BusAnswer, BusCommand, BusDecoder, BusItem, BusMessage, BusRequest};
use crate::time::Mono;
use crate::wire::command::{BoardCommand, CommandDecoder, HostItem};
use crate::wire::message::BoardMessage;
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// From the opening of the line to the first byte sent, as in single mode (protocol 1.1).
const OPENING_PAUSE: Duration = Duration::from_millis(500);
/// From the last byte of a question until an answer is overdue, beside the time that both take on
/// the line (protocol 4.3).
const ANSWER_WAIT: Duration = Duration::from_millis(80);
/// An answer that stops for this long is over: a bridge of USB may keep bytes for 16 ms. Ours.
const STOPPED: Duration = Duration::from_millis(30);
/// A board is not asked for its changes more often: it scans itself in 200 ms. Ours.
const VISIT_EVERY: Duration = Duration::from_millis(100);
/// Each clock is read so often, where there is time for it. Ours.
const CLOCK_EVERY: Duration = Duration::from_secs(1);
/// So many clocks at least are read in one round if they are wanted; if nobody wants them, one of
/// so many boards. Ours.
const N_CLOCKS: usize = 2;
const CLOCK_IN: usize = 8;
/// A round is to be over after this, whatever is wanted. Ours: hands change something meanwhile,
/// and a board that does not answer takes its time.
const ROUND: Duration = Duration::from_millis(720);
/// What a board that tells no changes takes of it, its clock, and its picture, with the questions,
/// at 9600 baud.
const QUERY_TAKES: Duration = Duration::from_millis(15);
const CLOCK_TAKES: Duration = Duration::from_millis(23);
const BOARD_TAKES: Duration = Duration::from_millis(82);
/// A question whose answer is hurt is asked so often in one visit. Ours.
const N_TRIES: u32 = 3;
/// A board that has not answered for so long is given up,
const LOST_AFTER: Duration = Duration::from_secs(2);
/// if it was asked so often meanwhile,
const N_LOST: u32 = 2;
/// and is looked for from then on, first after this time, then ever less often. Ours.
const PROBE_FIRST: Duration = Duration::from_secs(1);
const PROBE_LAST: Duration = Duration::from_secs(5);
/// Answers that are hurt so often, one after the other, are perhaps those of two boards. Ours.
const N_HURT: u32 = 5;
/// Who has an address together with another one is looked for so often. Ours.
const DOUBLED_FOR: Duration = Duration::from_secs(60);

/// What is known of a board now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BusNews {
    /// It answers.
    Up,
    /// It is not followed any more, or cannot be.
    Down(BusFault),
    /// It would have said this in single mode.
    Said(BoardMessage),
    /// An answer of it was hurt.
    Noise,
}

/// How a board stands to the line.
#[derive(Debug, Copy, Clone, Default, PartialEq, Eq)]
enum Standing {
    /// It was not asked yet.
    #[default]
    New,
    /// It answered last then, and was asked in vain so often since.
    Up { heard: Mono, n_failed: u32 },
    /// It is looked for at that time, and after that wait the next time.
    Silent { at: Mono, wait: Duration },
    /// So is it, but by a ping for all.
    Doubled { at: Mono },
}

#[derive(Debug, Clone, Default)]
struct Seated {
    board: BusBoard,
    standing: Standing,
    ear: CommandDecoder,
    /// When it was asked for its changes last.
    visited: Mono,
    clock_read: Mono,
    /// In this round its clock is read, or its board.
    reads_clock: bool,
    reads_board: bool,
    /// Answers that were hurt, one after the other.
    n_hurt: u32,
}

/// A question that is under way.
#[derive(Debug, Copy, Clone)]
struct Question {
    idx: usize,
    command: BusCommand,
    /// Without a byte until then there is no answer.
    until: Mono,
    n_sent: u32,
    is_hurt: bool,
}

/// What the line does.
#[derive(Debug, Clone, Default)]
enum BusPhase {
    #[default]
    Down,
    Pausing(Mono),
    Visiting,
    Calling(RollCall),
}

/// A line and the boards that are expected on it.
#[derive(Debug, Clone, Default)]
pub struct BusLine {
    seats: Vec<Seated>,
    /// Changes are left to whoever follows the games: they are told once.
    only_looks: bool,
    phase: BusPhase,
    decoder: BusDecoder,
    question: Option<Question>,
    /// What is still to be asked of the board that is being visited.
    visit: VecDeque<(usize, BusCommand)>,
    /// Who is still to be visited in this round.
    round: VecDeque<usize>,
    /// When all were pinged last.
    pinged: Mono,
    strangers: BTreeSet<u16>,
    untold: Vec<u16>,
    news: VecDeque<(usize, BusNews)>,
    sent: Vec<Vec<u8>>,
}

impl BusLine {
    /// A line on which boards with these addresses are expected, each 1..=[`super::ADDRESS_MAX`].
    pub fn new(addresses: &[u16]) -> Self {
        let seat = |address: &u16| Seated { board: BusBoard::new(*address), ..Seated::default() };
        Self { seats: addresses.iter().map(seat).collect(), ..Self::default() }
    }

    /// The same line, of which only is looked at who answers.
    #[must_use]
    pub fn only_looking(self) -> Self {
        Self { only_looks: true, ..self }
    }

    /// The line was opened.
    pub fn link_up(&mut self, now: Mono) {
        self.link_down();
        self.phase = BusPhase::Pausing(now + OPENING_PAUSE);
    }

    /// The line is gone, and with it all boards. They are not told of by [`BusLine::poll`].
    pub fn link_down(&mut self) {
        self.phase = BusPhase::Down;
        self.decoder = BusDecoder::default();
        if let Some(question) = self.question.take_if(|question| question.command.is_for_changes())
        {
            self.seats[question.idx].board.expect_repeat();
        }
        self.question = None;
        self.visit.clear();
        self.round.clear();
        self.news.clear();
        for seat in &mut self.seats {
            seat.standing = Standing::New;
        }
    }

    /// Whether the board answers.
    pub fn is_up(&self, idx: usize) -> bool {
        matches!(self.seats[idx].standing, Standing::Up { .. })
    }

    /// What happened, and to which of the boards, counted as they were named. `None` if that was
    /// all.
    pub fn poll(&mut self) -> Option<(usize, BusNews)> {
        self.news.pop_front()
    }

    /// Addresses that answered and are not expected, each told once.
    pub fn take_strangers(&mut self) -> Vec<u16> {
        std::mem::take(&mut self.untold)
    }

    /// What is to be sent since this was asked last.
    pub fn take_sent(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.sent)
    }

    /// When [`BusLine::on_timeout`] is due. Calling it early does no harm.
    pub fn wake_at(&self) -> Option<Mono> {
        match &self.phase {
            BusPhase::Down => None,
            BusPhase::Pausing(until) | BusPhase::Calling(RollCall { until, .. }) => Some(*until),
            BusPhase::Visiting => match &self.question {
                Some(question) => Some(question.until),
                None => self.seats.iter().filter_map(Seated::wakes).min(),
            },
        }
    }

    /// Bytes for the board, in the words of single mode. Nothing of it goes over the line as it is:
    /// one such byte would turn all boards to single mode (protocol 4.1).
    pub fn order(&mut self, now: Mono, idx: usize, bytes: &[u8]) {
        let mut items = Vec::new();
        self.seats[idx].ear.push(bytes, &mut items);
        for item in items {
            if let HostItem::Command(command) = item {
                self.obey(now, idx, &command);
            }
        }
        self.go_on(now);
    }

    fn obey(&mut self, now: Mono, idx: usize, command: &BoardCommand) {
        let is_up = self.is_up(idx);
        let board = &mut self.seats[idx].board;
        let said = match command {
            BoardCommand::SendVersion => {
                board.wants.version = true;
                return;
            }
            BoardCommand::SendBoard => {
                board.wants.dump.get_or_insert(now);
                return;
            }
            BoardCommand::SendClock => {
                board.wants.clock.get_or_insert(now);
                return;
            }
            BoardCommand::SendLog => {
                board.want_log();
                return;
            }
            // The address is the serial number (protocol 4.2).
            BoardCommand::ReturnSerial => BoardMessage::Serial(format!("{:05}", board.address)),
            BoardCommand::ReturnBusAddress => BoardMessage::BusAddress(board.address),
            _ => return,
        };
        if is_up {
            self.news.push_back((idx, BusNews::Said(said)));
        }
    }

    /// Bytes have come.
    pub fn on_bytes(&mut self, now: Mono, bytes: &[u8]) {
        if matches!(self.phase, BusPhase::Down | BusPhase::Pausing(_)) {
            return;
        }
        let mut items = Vec::new();
        self.decoder.push(bytes, &mut items);
        if let Some(question) = &mut self.question {
            question.until = now + STOPPED;
        }
        for item in items {
            match item {
                BusItem::Message(message) => self.hear(now, message),
                BusItem::Hurt(_) => self.hurt(),
            }
        }
        self.go_on(now);
    }

    /// A moment of [`BusLine::wake_at`] has come.
    pub fn on_timeout(&mut self, now: Mono) {
        match &self.phase {
            BusPhase::Pausing(until) if now >= *until => self.call(now, RollCall::at_opening(now)),
            BusPhase::Calling(roll) if now >= roll.until => self.end_window(now),
            BusPhase::Visiting if self.question.is_some_and(|question| now >= question.until) => {
                let mut items = Vec::new();
                self.decoder.reset(&mut items);
                if !items.is_empty() {
                    self.hurt();
                }
                self.fail(now);
            }
            _ => {}
        }
        self.go_on(now);
    }

    fn hear(&mut self, now: Mono, message: BusMessage) {
        let BusMessage { address, answer } = message;
        if let BusPhase::Calling(roll) = &mut self.phase {
            if answer == BusAnswer::Pong {
                roll.hear(address);
            }
            return;
        }
        let is_answer = |question: &Question| {
            self.seats[question.idx].board.address == address && answer.answers(question.command)
        };
        if let Some(question) = self.question.take_if(|question| is_answer(question)) {
            self.answered(now, question.idx, question.command, answer);
        } else if matches!(answer, BusAnswer::Changes(_))
            && let Some(seat) = self.seats.iter_mut().find(|seat| seat.board.address == address)
        {
            // It comes too late, and the board will not tell it again unless it is asked to.
            seat.board.expect_repeat();
        } else if answer == BusAnswer::Pong {
            // It has answered all the same, later than boards do.
            self.note_there(address);
        }
    }

    /// A board with this address is on the line.
    fn note_there(&mut self, address: u16) {
        let is_expected = self.seats.iter().any(|seat| seat.board.address == address);
        if !is_expected && self.strangers.insert(address) {
            self.untold.push(address);
        }
    }

    fn answered(&mut self, now: Mono, idx: usize, command: BusCommand, answer: BusAnswer) {
        let seat = &mut self.seats[idx];
        if !matches!(seat.standing, Standing::Up { .. }) {
            seat.board.begin();
            self.news.push_back((idx, BusNews::Up));
        }
        seat.standing = Standing::Up { heard: now, n_failed: 0 };
        if matches!(answer, BusAnswer::Changes(_)) {
            // Two boards with one address show the same clock more often than the same changes.
            seat.n_hurt = 0;
        }
        let mut said = Vec::new();
        match answer {
            BusAnswer::Version { major, minor } => {
                seat.board.wants.version = false;
                said.push(BoardMessage::Version { major, minor });
            }
            BusAnswer::Clock(clock) => {
                seat.clock_read = now;
                seat.board.take_clock(clock);
            }
            BusAnswer::Board(dump) => seat.board.take_dump(dump),
            BusAnswer::Changes(changes) => {
                let is_last = command == BusCommand::SendChanges;
                seat.board.take_changes(now, changes, is_last, &mut said);
            }
            BusAnswer::FromStart(_) | BusAnswer::Pong | BusAnswer::StartSet => {}
        }
        self.news.extend(said.into_iter().map(|message| (idx, BusNews::Said(message))));
    }

    /// An answer was hurt. Whose, is known by the question.
    fn hurt(&mut self) {
        if let BusPhase::Calling(roll) = &mut self.phase {
            roll.note_hurt();
        }
        let Some(question) = &mut self.question else { return };
        if !std::mem::replace(&mut question.is_hurt, true) {
            let seat = &mut self.seats[question.idx];
            seat.n_hurt += 1;
            if matches!(seat.standing, Standing::Up { .. }) {
                self.news.push_back((question.idx, BusNews::Noise));
            }
        }
    }

    /// A question has no answer, or none that can be read.
    fn fail(&mut self, now: Mono) {
        let Some(question) = self.question.take() else { return };
        let Question { idx, command, n_sent, is_hurt, .. } = question;
        let seat = &mut self.seats[idx];
        let is_changes = command.is_for_changes();
        if is_changes {
            seat.board.miss_changes(is_hurt);
        }
        // The first command may be swallowed by a board that was in single mode (protocol 4.1).
        let is_again = is_hurt && n_sent < N_TRIES || seat.standing == Standing::New && n_sent < 2;
        if is_again {
            let command = if is_changes { BusCommand::RepeatChanges } else { command };
            return self.ask(now, idx, command, n_sent + 1);
        }
        self.visit.clear();
        seat.standing = match seat.standing {
            Standing::Up { heard, n_failed }
                if now.since(heard) < LOST_AFTER || n_failed + 1 < N_LOST =>
            {
                Standing::Up { heard, n_failed: n_failed + 1 }
            }
            Standing::Silent { wait, .. } => {
                let wait = (wait * 2).min(PROBE_LAST);
                Standing::Silent { at: now + wait, wait }
            }
            Standing::Up { .. } | Standing::New => {
                self.news.push_back((idx, BusNews::Down(BusFault::Silent(seat.board.address))));
                Standing::Silent { at: now + PROBE_FIRST, wait: PROBE_FIRST }
            }
            doubled @ Standing::Doubled { .. } => doubled,
        };
    }

    /// Asks what is to be asked next, if nothing is under way.
    fn go_on(&mut self, now: Mono) {
        if !matches!(self.phase, BusPhase::Visiting) || self.question.is_some() {
            return;
        }
        if let Some((idx, command)) = self.visit.pop_front() {
            return self.ask(now, idx, command, 1);
        }
        if self.must_ping(now) {
            return self.call(now, RollCall::amid_play(now));
        }
        if self.round.is_empty() {
            self.begin_round(now);
        }
        if let Some(idx) = self.round.pop_front() {
            self.plan_visit(now, idx);
            self.go_on(now);
        }
    }

    /// Who is visited in this round, and of whom more is asked than changes.
    fn begin_round(&mut self, now: Mono) {
        let is_due = |seat: &Seated| seat.due().is_some_and(|due| due <= now);
        if !self.seats.iter().any(is_due) {
            return;
        }
        // Who answers is visited in each round, so that none waits for two of them.
        let is_up = |seat: &Seated| matches!(seat.standing, Standing::Up { n_failed: 0, .. });
        let is_in = |seat: &Seated| is_due(seat) || is_up(seat);
        let due: Vec<usize> = (0..self.seats.len()).filter(|&i| is_in(&self.seats[i])).collect();
        let fails = |idx: &&usize| {
            matches!(self.seats[**idx].standing, Standing::Silent { .. })
                || matches!(self.seats[**idx].standing, Standing::Up { n_failed: 1.., .. })
        };
        let failing = due.iter().filter(fails).min_by_key(|idx| self.seats[**idx].visited);
        self.round = due.iter().filter(|idx| !fails(idx)).chain(failing).copied().collect();
        for seat in &mut self.seats {
            (seat.reads_clock, seat.reads_board) = (false, false);
        }
        let wants = |idx: usize| self.seats[idx].board.wants;
        let dump = self.round.iter().filter_map(|&idx| Some((wants(idx).dump?, idx))).min();
        let n_urgent = self.round.iter().filter(|&&idx| wants(idx).clock_is_urgent).count();
        // A press that waits for its clock is worth more than a picture.
        let dump = dump.filter(|_| n_urgent <= self.n_clocks(true));
        let clocks = self.clocks(now, dump.is_some());
        for idx in clocks {
            self.seats[idx].reads_clock = true;
        }
        if let Some((_, idx)) = dump {
            self.seats[idx].reads_board = true;
        }
    }

    /// Whose clocks are read in this round, in which a board's picture is read as well, or none.
    fn clocks(&self, now: Mono, has_dump: bool) -> Vec<usize> {
        let n_wanted = self.n_clocks(has_dump);
        let n_unwanted = n_wanted.min(N_CLOCKS.max(self.round.len() / CLOCK_IN));
        let mut clocks: Vec<_> = self
            .round
            .iter()
            .map(|&idx| {
                let wants = self.seats[idx].board.wants;
                let is_wanted = wants.clock.is_some();
                (!wants.clock_is_urgent, !is_wanted, self.seats[idx].clock_read, idx)
            })
            .filter(|(_, is_unwanted, read, _)| !is_unwanted || now.since(*read) >= CLOCK_EVERY)
            .collect();
        clocks.sort_unstable();
        let is_read = |(place, (_, is_unwanted, ..)): &(usize, (bool, bool, Mono, usize))| {
            *place < if *is_unwanted { n_unwanted } else { n_wanted }
        };
        clocks.into_iter().enumerate().filter(is_read).map(|(_, (.., idx))| idx).collect()
    }

    /// How many clocks can be read in this round, if they are wanted.
    fn n_clocks(&self, has_dump: bool) -> usize {
        let n_boards = u32::try_from(self.round.len()).unwrap_or(u32::MAX);
        let taken = QUERY_TAKES * n_boards + if has_dump { BOARD_TAKES } else { Duration::ZERO };
        let left = ROUND.saturating_sub(taken).as_micros() / CLOCK_TAKES.as_micros();
        N_CLOCKS.max(usize::try_from(left).unwrap_or(usize::MAX))
    }

    fn plan_visit(&mut self, now: Mono, idx: usize) {
        let seat = &mut self.seats[idx];
        seat.visited = now;
        if self.only_looks || !matches!(seat.standing, Standing::Up { .. }) {
            return self.visit.push_back((idx, BusCommand::Ping));
        }
        let wanted = [
            (seat.board.wants.version, BusCommand::SendVersion),
            (seat.reads_clock, BusCommand::SendClock),
            (seat.reads_board, BusCommand::SendBoard),
            (seat.board.must_repeat, BusCommand::RepeatChanges),
            // What came before is told with them, and is never older than they.
            (true, BusCommand::SendChanges),
        ];
        let wanted = wanted.into_iter().filter(|(is_wanted, _)| *is_wanted);
        self.visit.extend(wanted.map(|(_, command)| (idx, command)));
    }

    fn ask(&mut self, now: Mono, idx: usize, command: BusCommand, n_sent: u32) {
        let address = self.seats[idx].board.address;
        self.sent.push(BusRequest { command, address }.encode().to_vec());
        let takes = match command {
            BusCommand::SendBoard => BOARD_TAKES,
            BusCommand::SendClock => CLOCK_TAKES,
            _ => QUERY_TAKES,
        };
        let until = now + ANSWER_WAIT + takes;
        self.question = Some(Question { idx, command, until, n_sent, is_hurt: false });
    }

    /// Whether two boards may have one address.
    fn must_ping(&self, now: Mono) -> bool {
        let may_be = |seat: &Seated| match seat.standing {
            Standing::Doubled { at } => at <= now,
            _ => seat.n_hurt >= N_HURT && now.since(self.pinged) >= DOUBLED_FOR,
        };
        self.seats.iter().any(may_be)
    }

    /// Asks all who is there.
    fn call(&mut self, now: Mono, roll: RollCall) {
        let mut items = Vec::new();
        self.decoder.reset(&mut items);
        self.sent.push(BusRequest { command: BusCommand::Ping, address: ALL }.encode().to_vec());
        self.phase = BusPhase::Calling(roll);
        self.pinged = now;
    }

    /// All who could answer have.
    fn end_window(&mut self, now: Mono) {
        let phase = std::mem::replace(&mut self.phase, BusPhase::Visiting);
        let BusPhase::Calling(mut roll) = phase else { return };
        if roll.goes_on(now) {
            return self.call(now, roll);
        }
        let (there, doubled) = roll.found();
        there.into_iter().for_each(|address| self.note_there(address));
        for (idx, seat) in self.seats.iter_mut().enumerate() {
            seat.n_hurt = 0;
            let was_doubled = matches!(seat.standing, Standing::Doubled { .. });
            if doubled.contains(&seat.board.address) {
                if !was_doubled {
                    let fault = BusFault::Doubled(seat.board.address);
                    self.news.push_back((idx, BusNews::Down(fault)));
                }
                seat.standing = Standing::Doubled { at: now + DOUBLED_FOR };
            } else if was_doubled {
                seat.standing = Standing::New;
            }
        }
    }
}

impl Seated {
    /// When it is to be visited.
    fn due(&self) -> Option<Mono> {
        match self.standing {
            Standing::New => Some(Mono::default()),
            Standing::Up { .. } => Some(self.visited + VISIT_EVERY),
            Standing::Silent { at, .. } => Some(at),
            // Only a ping for all tells.
            Standing::Doubled { .. } => None,
        }
    }

    /// When the line is to look at it.
    fn wakes(&self) -> Option<Mono> {
        match self.standing {
            Standing::Doubled { at } => Some(at),
            _ => self.due(),
        }
    }
}
