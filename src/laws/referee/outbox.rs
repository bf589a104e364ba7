//! What a referee answers, gathered while it is being told something.

use super::super::code::Code;
use super::super::said::{ClockOrder, Confidence, Note, Ruling, Verdict};
use shakmaty::Color;

/// What a referee answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// For the arbiter.
    pub rulings: Vec<Ruling>,
    /// For the clock.
    pub clock: Vec<ClockOrder>,
}

/// The one way out of a referee: every part says what it has to say here.
#[derive(Clone, Debug, Default)]
pub(super) struct Outbox {
    said: Said,
}

impl Outbox {
    /// Takes out what was said since it was last emptied.
    pub(super) fn take(&mut self) -> Said {
        std::mem::take(&mut self.said)
    }

    pub(super) fn say(&mut self, ruling: Ruling) {
        self.said.rulings.push(ruling);
    }

    pub(super) fn order(&mut self, order: ClockOrder) {
        self.said.clock.push(order);
    }

    pub(super) fn log(&mut self, code: Code, by: Option<Color>) {
        self.log_with(code, by, String::new());
    }

    pub(super) fn log_with(&mut self, code: Code, by: Option<Color>, facts: String) {
        self.log_row(code, by, code.row(), facts);
    }

    /// An entry of the log under another row of the Laws than its code has.
    pub(super) fn log_row(
        &mut self,
        code: Code,
        by: Option<Color>,
        row: &'static str,
        facts: String,
    ) {
        let confidence = match code {
            Code::TouchMove | Code::RookFirst | Code::MovedAfterRelease | Code::IllegalOnBoard => {
                Confidence::Presumed
            }
            _ => Confidence::Observed,
        };
        self.say(Ruling::Log(Note { code, by, row, confidence, facts }));
    }

    pub(super) fn note(&mut self, text: &str) {
        self.log_with(Code::ArbiterNote, None, text.to_owned());
    }

    /// A claim is made, and this is what the record says to it.
    pub(super) fn claimed(
        &mut self,
        by: Color,
        kind: &'static str,
        verdict: Verdict,
        san: Option<String>,
    ) {
        self.say(Ruling::Claimed { kind, by, verdict, san });
    }

    /// A claim that may not be made, or not now.
    pub(super) fn inadmissible(&mut self, by: Color, kind: &'static str, why: &str) {
        self.claimed(by, kind, Verdict::Inadmissible, None);
        self.refuse(Some(by), why);
    }

    /// A claim that the record does not bear out.
    pub(super) fn incorrect(&mut self, by: Color, kind: &'static str, why: &str) {
        self.claimed(by, kind, Verdict::Incorrect, None);
        self.refuse(Some(by), why);
    }

    /// Something is refused: it is on record, and changes nothing.
    pub(super) fn refuse(&mut self, by: Option<Color>, why: &str) {
        self.log_with(Code::ClaimRefused, by, why.to_owned());
    }
}
