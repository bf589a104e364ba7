//! Dialogues with clocks that others have published, as far as their logs tell them.
//!
//! A row says what is wanted of a clock, and how it answered: for each answer the command, how
//! many milliseconds later it came, and its bytes, with `!` if the clock did not do it. What is
//! not told is answered as it should be. The talk is what our driver makes of that: every command
//! of ours, and every published answer as our codec reads it.

use crate::table::rows;
use crate::wire::describe::{command, message, unhex};
use rokade::sim::{DgtClockSim, Obedience};
use rokade::time::Mono;
use rokade::wire::{
    BoardCommand, BoardMessage, ClockCommand, ClockDriver, ClockKind, ClockLine, ClockMessage,
    ClockText, ClockTime, Decoder, DriverOutput, Item, LineInput, Runs, Wanted,
};
use std::time::Duration;

use super::world::times;

/// A clock that is told nothing else answers so late.
const USUAL: Duration = Duration::from_millis(100);

/// An answer that was published.
struct Answer {
    to: u8,
    late: Duration,
    bytes: Vec<u8>,
    is_done: bool,
}

impl Answer {
    fn read(text: &str) -> Self {
        let [to, late, bytes] = text.splitn(3, ' ').collect::<Vec<_>>().try_into().expect(text);
        let is_done = !to.starts_with('!');
        Self {
            to: u8::from_str_radix(to.trim_start_matches('!'), 16).expect(text),
            late: Duration::from_millis(late.parse().expect(text)),
            bytes: unhex(bytes),
            is_done,
        }
    }
}

struct Dialogue {
    now: Mono,
    driver: ClockLine,
    clock: DgtClockSim,
    decoder: Decoder,
    answers: Vec<Answer>,
    /// What is under way, and whether it was published.
    to_host: Vec<(Mono, Vec<u8>, bool)>,
    shown: Option<ClockTime>,
    talk: Vec<String>,
}

impl Dialogue {
    fn new(clock: &str, answers: &str) -> Self {
        let kind = if clock == "XL" { ClockKind::Xl } else { ClockKind::Dgt3000 };
        let mut dialogue = Self {
            now: Mono::default(),
            driver: ClockLine::default(),
            clock: DgtClockSim::new(kind, Obedience::Remote, 0),
            decoder: Decoder::default(),
            answers: answers.split(", ").filter(|it| !it.is_empty()).map(Answer::read).collect(),
            to_host: Vec::new(),
            shown: None,
            talk: Vec::new(),
        };
        dialogue.drive(|driver, at, out| driver.handle(at, &LineInput::Up, out));
        dialogue
    }

    fn drive(
        &mut self,
        act: impl FnOnce(&mut ClockLine, Mono, &mut Vec<DriverOutput<BoardCommand>>),
    ) {
        let mut out = Vec::new();
        act(&mut self.driver, self.now, &mut out);
        for act in out {
            match act {
                DriverOutput::Send(BoardCommand::Clock(it)) => {
                    self.note('>', &command(&BoardCommand::Clock(it)));
                    self.answer(&it);
                }
                DriverOutput::Send(_) => self.show(),
                DriverOutput::Tell(_) => {}
            }
        }
    }

    fn note(&mut self, way: char, text: &str) {
        self.talk.push(format!("{} {way} {text}", self.now.millis()));
    }

    fn answer(&mut self, command: &ClockCommand) {
        let published: Vec<_> =
            self.answers.extract_if(.., |answer| answer.to == command.id()).collect();
        let is_done = published.iter().all(|answer| answer.is_done);
        let ack = is_done.then(|| self.clock.obey(self.now, command)).flatten();
        for answer in &published {
            self.to_host.push((self.now + answer.late, answer.bytes.clone(), true));
        }
        if let (true, Some(ack)) = (published.is_empty(), ack) {
            let bytes = BoardMessage::Clock(ClockMessage::Ack(ack)).encode();
            self.to_host.push((self.now + USUAL, bytes, false));
        }
    }

    fn show(&mut self) {
        self.shown = Some(self.clock.time());
        let bytes = BoardMessage::Clock(ClockMessage::Time(self.clock.time())).encode();
        self.to_host.push((self.now + USUAL, bytes, false));
    }

    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        loop {
            let host = self.to_host.iter().map(|(at, ..)| *at).min();
            let driver = self.driver.wake_at().map(|at| at.max(Mono(self.now.0 + 1)));
            let Some(at) = host.into_iter().chain(driver).min().filter(|at| *at <= until) else {
                break;
            };
            self.now = self.now.max(at);
            self.clock.advance(self.now);
            match self.to_host.iter().position(|(at, ..)| *at <= self.now) {
                Some(idx) => self.hear(idx),
                None => self.drive(ClockLine::on_timeout),
            }
            if self.shown != Some(self.clock.time()) {
                self.show();
            }
        }
        self.now = until;
    }

    fn hear(&mut self, idx: usize) {
        let (_, bytes, is_published) = self.to_host.remove(idx);
        let mut items = Vec::new();
        self.decoder.push(self.now, &bytes, &mut items);
        for item in items {
            let Item::Message(it) = item else { panic!("{item:?}") };
            if is_published {
                self.note('<', &message(&it));
            }
            let BoardMessage::Clock(it) = it else { panic!("{it:?}") };
            self.drive(|driver, at, out| driver.handle(at, &LineInput::Clock(it), out));
        }
    }
}

/// Left and right in seconds, or a text.
fn wanted(text: &str) -> Wanted {
    if let Some(text) = text.strip_prefix("text ") {
        return Wanted { text: Some(ClockText::plain(text)), ..Wanted::default() };
    }
    let (left, right) = text.split_once(' ').expect(text);
    let [left, right] = [left, right].map(|it| it.parse().expect(text));
    Wanted { times: Some(times(left, right, Runs::Pause, Mono::default())), ..Wanted::default() }
}

#[test]
fn what_others_have_seen_of_clocks_is_understood() {
    let table = rows::<6>(include_str!("../../tables/dgt-dialogues.csv"));
    assert!(table.len() >= 5);
    let mut wrong = Vec::new();
    for [id, clock, wants, answers, talk, _] in table {
        let mut dialogue = Dialogue::new(clock, answers);
        dialogue.pass(Duration::from_secs(1));
        let wanted = wanted(wants);
        dialogue.drive(|driver, at, out| driver.want(at, wanted, out));
        dialogue.pass(Duration::from_secs(19));
        assert!(dialogue.answers.is_empty(), "{id}: not all was said");
        assert_eq!(dialogue.driver.difference(), None, "{id}");
        let heard = dialogue.talk.join(", ");
        if heard != talk {
            wrong.push(format!("{id}\n  heard {heard}\n  table {talk}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
