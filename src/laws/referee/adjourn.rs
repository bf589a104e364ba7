//! Adjournment and the sealed move. Guidelines for adjourned games (2005: Art. A, from 2018:
//! Guidelines I).

use super::super::code::Code;
use super::super::notation::{Misread, read};
use super::super::said::{Binding, ClockOrder, Ruling};
use super::super::score::Score;
use super::clock::PausedBy;
use super::context::{Context, Phase};
use super::late::Presence;
use super::life::cannot_mate;
use super::matter::{Case, MayAct};
use crate::time::Mono;
use shakmaty::Color;
use shakmaty::san::San;

/// What must stand on the envelope. Guidelines 2.
const FIELDS: [&str; 9] = [
    "white name",
    "black name",
    "position before",
    "time used white",
    "time used black",
    "sealed by",
    "move number",
    "draw offer",
    "date time venue",
];

/// What a written move does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sealed {
    Nothing,
    /// It is read from the envelope, and must be played.
    Binds(Binding),
    /// The clock of this player, who is away, is to be started.
    Awaits(Color),
}

/// How the sitting stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Sitting {
    /// Who is to seal.
    requested: Option<Color>,
    /// What he has written. Kept here alone: it goes to no record before the envelope is opened.
    text: Option<String>,
    /// The envelope is closed.
    is_adjourned: bool,
    sealed_by: Option<Color>,
    /// The envelope is open and its move is to be made.
    is_opened: bool,
    is_missing: bool,
    /// Who sealed his reply instead of making it. Guidelines 9c.
    reply_by: Option<Color>,
    /// What was read from the envelope.
    read: Option<(Color, String)>,
    /// The game was adjourned, and nobody has moved since but for the envelope.
    is_resuming: bool,
    /// The arbiter was told that the sitting is over.
    has_ended: bool,
}

impl Sitting {
    /// Whether `side` is writing his move for the envelope.
    pub(super) fn seals(&self, side: Color) -> bool {
        self.requested == Some(side) && !self.is_adjourned
    }

    /// Whether the press of `side` starts the clock of an absent opponent instead of completing a
    /// move.
    pub(super) fn presses_sealed(&mut self, side: Color) -> bool {
        self.reply_by.take_if(|by| *by == side).is_some()
    }

    /// Who is to seal, or has.
    pub(super) fn requested(&self) -> Option<Color> {
        self.requested
    }

    /// Whether the move for the envelope is written.
    pub(super) fn is_written(&self) -> bool {
        self.text.is_some()
    }

    /// Whether the envelope is closed.
    pub(super) fn is_adjourned(&self) -> bool {
        self.is_adjourned
    }

    /// Whether the envelope is open and its move is to be made.
    pub(super) fn is_opened(&self) -> bool {
        self.is_opened
    }

    /// The envelope's move is made. True if it was one.
    pub(super) fn has_played(&mut self) -> bool {
        std::mem::take(&mut self.is_opened)
    }

    /// Whether the game was adjourned, and nobody has moved since but for the envelope.
    pub(super) fn is_resuming(&self) -> bool {
        self.is_resuming
    }

    /// A player has moved: the game is under way again.
    pub(super) fn end_resuming(&mut self) {
        self.is_resuming = false;
    }

    /// Who had sealed what, once the envelope that is known here has been opened.
    pub(super) fn read(&self) -> Option<(Color, &str)> {
        self.read.as_ref().map(|(by, text)| (*by, text.as_str()))
    }

    /// Who has sealed what.
    pub(super) fn sealed(&self) -> Option<(Color, &str)> {
        Some((self.sealed_by?, self.text.as_deref().unwrap_or_default()))
    }

    pub(super) fn on_seal_requested(&mut self, cx: &mut Context, side: Color) {
        if side != cx.mover() || cx.is_over() {
            cx.out.refuse(Some(side), "the player is not on move");
            return;
        }
        self.requested = Some(side);
        cx.out.say(Ruling::SealRequested { by: side });
    }

    /// When the sitting is over, by the time since play began. Guidelines 13.
    pub(super) fn ends_at(&self, cx: &Context, started: Option<Mono>) -> Option<Mono> {
        let is_open = cx.phase == Phase::Running && !cx.is_over();
        let is_due = is_open && !self.has_ended && self.requested.is_none();
        let ends = started? + cx.terms.sitting_left?;
        is_due.then_some(ends)
    }

    /// The end of the sitting is told: the player on move is to seal.
    pub(super) fn watch(&mut self, cx: &mut Context, started: Option<Mono>) {
        if self.ends_at(cx, started).is_some_and(|due| due <= cx.now) {
            self.has_ended = true;
            let by = cx.mover();
            cx.out.log_row(Code::ArbiterNote, Some(by), "LG13", "end of the sitting".to_owned());
            cx.out.say(Ruling::Prompt {
                options: vec![format!("seal {}", by.fold_wb("white", "black"))],
            });
        }
    }

    pub(super) fn on_adjourn(&mut self, cx: &mut Context, by: Color) {
        self.on_seal_requested(cx, by);
        if let Some(left) = cx.terms.sitting_left.filter(|_| self.seals(by)) {
            let facts = format!("{} s of the sitting are his", left.as_secs());
            cx.out.log_with(Code::ArbiterNote, Some(by), facts);
        }
    }

    /// A move is written: for the envelope, or as read from it.
    pub(super) fn on_sealed(
        &mut self,
        cx: &mut Context,
        by: Color,
        text: &str,
        is_resumed: bool,
    ) -> Sealed {
        if self.is_opened && !text.is_empty() {
            return Self::read_envelope(cx, by, text).map_or(Sealed::Nothing, Sealed::Binds);
        } else if self.is_opened {
            cx.out.refuse(Some(by), "the envelope is open");
        } else if self.seals(by) {
            self.text = Some(text.to_owned());
            cx.out.say(Ruling::SealedPending);
        } else if is_resumed && by == cx.mover() {
            self.text = Some(text.to_owned());
            self.reply_by = Some(by);
            self.sealed_by = Some(by);
            let no = cx.game.next_no();
            cx.out.say(Ruling::Sealed { by, no });
            // He may do so because his opponent is away.
            return Sealed::Awaits(!by);
        } else {
            cx.out.refuse(Some(by), "no move was to be sealed");
        }
        Sealed::Nothing
    }

    /// The player who seals has stopped his clock: the envelope is closed.
    pub(super) fn seal_finally(&mut self, cx: &mut Context, by: Color) {
        self.is_adjourned = true;
        self.is_resuming = true;
        self.sealed_by = Some(by);
        cx.clock.pause(PausedBy::Arbiter);
        let no = cx.game.next_no();
        cx.out.say(Ruling::Sealed { by, no });
        fill_envelope(cx);
    }

    /// Whether what is moved on the board belongs to no move: the clocks stand by the arbiter's
    /// order, or the move to come is in an envelope that is closed.
    pub(super) fn keeps_still(&self, cx: &Context) -> bool {
        let is_stopped = cx.clock.paused() == Some(PausedBy::Arbiter) || self.is_adjourned;
        is_stopped && !self.is_opened
    }

    /// Guidelines 7: only when the player who is to reply is there.
    pub(super) fn on_open(&mut self, cx: &mut Context, late: &Presence) -> Option<Binding> {
        let replying = !cx.mover();
        if cx.is_over() || !late.is_there(replying) {
            cx.out.refuse(Some(replying), "the player who is to reply is not there");
            return None;
        }
        cx.out.note("the envelope is opened");
        self.is_opened = true;
        self.is_adjourned = false;
        self.requested = None;
        // After a restart the move is known to the envelope alone.
        let text = self.text.take().filter(|text| !text.is_empty());
        self.read = self.sealed_by.zip(text);
        let (by, text) = self.read.clone()?;
        Self::read_envelope(cx, by, &text)
    }

    /// What is read from the envelope binds, if it can be played.
    fn read_envelope(cx: &mut Context, by: Color, text: &str) -> Option<Binding> {
        let pos = cx.game.last();
        let why = match read(pos, text, cx.terms.written) {
            Ok(m) => return Some(Binding::Play(San::from_move(pos, m).to_string())),
            Err(Misread::Ambiguous(_) | Misread::PieceMissing(_)) => "ambiguous",
            Err(Misread::Unintelligible) => "unintelligible",
            Err(Misread::Illegal) => "illegal",
        };
        cx.out.say(Ruling::SealedInvalid { why });
        cx.open(Case::Envelope(by), &["declare lost", "other"], MayAct::Yes);
        None
    }

    /// Guidelines 8: a sealed move that cannot be played loses, unless the opponent cannot mate.
    pub(super) fn lose(cx: &mut Context, by: Color) {
        let pos = cx.game.last().clone();
        if cannot_mate(&pos, !by) {
            let reason = "sealed move invalid, opponent cannot mate";
            cx.finish(Code::ArbiterResult, Score::DRAW, reason);
        } else {
            cx.finish(Code::ArbiterResult, Score::win(!by), "sealed move invalid");
        }
    }

    /// Guidelines 11: position and times of the adjournment; the sealer plays what he says he
    /// sealed.
    pub(super) fn on_missing(&mut self, cx: &mut Context) {
        cx.out.note("the envelope is missing");
        self.is_missing = true;
        // What was in it is what its player says now.
        self.text = None;
        self.sealed_by = None;
        self.is_adjourned = false;
        self.is_resuming = false;
        self.requested = None;
        if cx.phase == Phase::Ready {
            cx.order_clock(ClockOrder::Stop);
        }
    }

    /// The move that stands for a lost envelope's is noted as such.
    pub(super) fn note_if_missing(&mut self, cx: &mut Context) {
        if std::mem::take(&mut self.is_missing) {
            cx.out.note("played as the move that is said to have been sealed");
        }
    }
}

/// The sheet on the envelope is to be filled in.
pub(super) fn fill_envelope(cx: &mut Context) {
    cx.out.say(Ruling::Envelope { fields: FIELDS.to_vec() });
    cx.out.log_with(Code::Exported, None, "envelope sheet".to_owned());
}
