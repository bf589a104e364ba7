//! Adjournment and the sealed move. Guidelines for adjourned games (2005: Art. A, from 2018:
//! Guidelines I).

use super::super::code::Code;
use super::super::notation::{Misread, read};
use super::super::said::{Binding, ClockOrder, Ruling};
use super::super::score::Score;
use super::Referee;
use super::clock::PausedBy;
use super::context::{Context, Phase};
use super::late::Presence;
use super::life::cannot_mate;
use super::matter::{Case, MayAct};
use crate::time::Mono;
use shakmaty::san::San;
use shakmaty::{Color, Move};

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

/// How the sitting stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Sitting {
    /// Who is to seal.
    pub requested: Option<Color>,
    /// What he has written. Kept here alone: it goes to no record before the envelope is opened.
    pub text: Option<String>,
    /// The move on the board that must be sealed.
    pub on_board: Option<Move>,
    /// The envelope is closed.
    pub is_adjourned: bool,
    sealed_by: Option<Color>,
    /// The envelope is open and its move is to be made.
    pub is_opened: bool,
    is_missing: bool,
    /// Who sealed his reply instead of making it. Guidelines 9c.
    reply_by: Option<Color>,
    /// What was read from the envelope.
    read: Option<(Color, String)>,
    /// The game was adjourned, and nobody has moved since but for the envelope.
    pub is_resuming: bool,
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
}

impl Referee {
    pub(super) fn on_seal_requested(&mut self, side: Color) {
        if side != self.cx.mover() || self.cx.is_over() {
            self.cx.out.refuse(Some(side), "the player is not on move");
            return;
        }
        self.sitting.requested = Some(side);
        self.cx.out.say(Ruling::SealRequested { by: side });
    }

    /// When the sitting is over, by the time since play began. Guidelines 13.
    pub(super) fn sitting_ends_at(&self) -> Option<Mono> {
        let is_open = self.cx.phase == Phase::Running && !self.cx.is_over();
        let is_due = is_open && !self.sitting.has_ended && self.sitting.requested.is_none();
        let ends = self.late.started? + self.cx.terms.sitting_left?;
        is_due.then_some(ends)
    }

    /// The end of the sitting is told: the player on move is to seal.
    pub(super) fn watch_sitting(&mut self) {
        if self.sitting_ends_at().is_some_and(|due| due <= self.cx.now) {
            self.sitting.has_ended = true;
            let by = self.cx.mover();
            self.cx.out.log_row(
                Code::ArbiterNote,
                Some(by),
                "LG13",
                "end of the sitting".to_owned(),
            );
            self.cx.out.say(Ruling::Prompt {
                options: vec![format!("seal {}", by.fold_wb("white", "black"))],
            });
        }
    }

    pub(super) fn on_adjourn(&mut self, by: Color) {
        self.on_seal_requested(by);
        if let Some(left) = self.cx.terms.sitting_left.filter(|_| self.sitting.seals(by)) {
            let facts = format!("{} s of the sitting are his", left.as_secs());
            self.cx.out.log_with(Code::ArbiterNote, Some(by), facts);
        }
    }

    /// A move is written: for the envelope, or as read from it.
    pub(super) fn on_sealed(&mut self, by: Color, text: &str) {
        if self.sitting.is_opened && !text.is_empty() {
            self.read_envelope(by, text);
        } else if self.sitting.is_opened {
            self.cx.out.refuse(Some(by), "the envelope is open");
        } else if self.sitting.seals(by) {
            self.sitting.text = Some(text.to_owned());
            self.cx.out.say(Ruling::SealedPending);
        } else if self.late.resumed.is_some() && by == self.cx.mover() {
            // He may do so because his opponent is away.
            self.late.expect(!by);
            self.sitting.text = Some(text.to_owned());
            self.sitting.reply_by = Some(by);
            self.sitting.sealed_by = Some(by);
            let no = self.cx.game.next_no();
            self.cx.out.say(Ruling::Sealed { by, no });
        } else {
            self.cx.out.refuse(Some(by), "no move was to be sealed");
        }
    }

    /// The player who seals has stopped his clock: the envelope is closed.
    pub(super) fn seal_finally(&mut self, by: Color) {
        self.sitting.is_adjourned = true;
        self.sitting.is_resuming = true;
        self.sitting.sealed_by = Some(by);
        self.late = Presence::default();
        self.cx.clock.pause(PausedBy::Arbiter);
        let no = self.cx.game.next_no();
        self.cx.out.say(Ruling::Sealed { by, no });
        fill_envelope(&mut self.cx);
    }

    /// A clock is started at the resumption of an adjourned game: as long as the envelope is closed
    /// that of the player who is to reply and is away, or the sealer's, if both are. Guidelines 7,
    /// 9.
    pub(super) fn take_up_again(&mut self, side: Color) {
        let sealer = self.cx.mover();
        self.late.resumed.get_or_insert(self.cx.now);
        self.late.expect(side);
        if self.sitting.is_adjourned && side != sealer {
            self.late.came(sealer);
        } else if self.sitting.is_resuming {
            self.late.expect(!side);
        }
    }

    /// Whether what is moved on the board belongs to no move: the clocks stand by the arbiter's
    /// order, or the move to come is in an envelope that is closed.
    pub(super) fn is_board_idle(&self) -> bool {
        let is_stopped =
            self.cx.clock.paused() == Some(PausedBy::Arbiter) || self.sitting.is_adjourned;
        is_stopped && !self.sitting.is_opened
    }

    /// Guidelines 7: only when the player who is to reply is there.
    pub(super) fn on_open_envelope(&mut self) {
        let replying = !self.cx.mover();
        if self.cx.is_over() || !self.late.is_there(replying) {
            self.cx.out.refuse(Some(replying), "the player who is to reply is not there");
            return;
        }
        self.cx.out.note("the envelope is opened");
        self.sitting.is_opened = true;
        self.sitting.is_adjourned = false;
        self.sitting.requested = None;
        // After a restart the move is known to the envelope alone.
        let text = self.sitting.text.take().filter(|text| !text.is_empty());
        self.sitting.read = self.sitting.sealed_by.zip(text);
        if let Some((by, text)) = self.sitting.read.clone() {
            self.read_envelope(by, &text);
        }
    }

    /// Whether the envelope is open and its move is to be made.
    pub fn is_envelope_open(&self) -> bool {
        self.sitting.is_opened
    }

    /// Who had sealed what, once the envelope that is known here has been opened.
    pub fn read_from_envelope(&self) -> Option<(Color, &str)> {
        self.sitting.read.as_ref().map(|(by, text)| (*by, text.as_str()))
    }

    fn read_envelope(&mut self, by: Color, text: &str) {
        let pos = self.cx.game.last();
        let why = match read(pos, text, self.cx.terms.written) {
            Ok(m) => {
                let san = San::from_move(pos, m).to_string();
                self.turn.carried = Some(Binding::Play(san));
                return;
            }
            Err(Misread::Ambiguous(_) | Misread::PieceMissing(_)) => "ambiguous",
            Err(Misread::Unintelligible) => "unintelligible",
            Err(Misread::Illegal) => "illegal",
        };
        self.cx.out.say(Ruling::SealedInvalid { why });
        self.cx.open(Case::Envelope(by), &["declare lost", "other"], MayAct::Yes);
    }

    /// Guidelines 8: a sealed move that cannot be played loses, unless the opponent cannot mate.
    pub(super) fn lose_by_envelope(&mut self, by: Color) {
        let pos = self.cx.game.last().clone();
        if cannot_mate(&pos, !by) {
            let reason = "sealed move invalid, opponent cannot mate";
            self.cx.finish(Code::ArbiterResult, Score::DRAW, reason);
        } else {
            self.cx.finish(Code::ArbiterResult, Score::win(!by), "sealed move invalid");
        }
    }

    /// Guidelines 11: position and times of the adjournment; the sealer plays what he says he
    /// sealed.
    pub(super) fn on_envelope_missing(&mut self) {
        self.cx.out.note("the envelope is missing");
        self.sitting.is_missing = true;
        self.sitting.is_adjourned = false;
        self.sitting.is_resuming = false;
        self.sitting.requested = None;
        self.late.all_present();
        if self.cx.phase == Phase::Ready {
            self.cx.order_clock(ClockOrder::Stop);
        }
    }

    /// The move that stands for a lost envelope's is noted as such.
    pub(super) fn note_if_missing(&mut self) {
        if std::mem::take(&mut self.sitting.is_missing) {
            self.cx.out.note("played as the move that is said to have been sealed");
        }
    }

    /// What was written, for the arbiter who closes the envelope. It stays out of every record
    /// until the envelope is opened.
    pub fn sealed(&self) -> Option<(Color, u32, &str)> {
        let by = self.sitting.sealed_by?;
        Some((by, self.cx.game.next_no(), self.sitting.text.as_deref().unwrap_or_default()))
    }
}

/// The sheet on the envelope is to be filled in.
pub(super) fn fill_envelope(cx: &mut Context) {
    cx.out.say(Ruling::Envelope { fields: FIELDS.to_vec() });
    cx.out.log_with(Code::Exported, None, "envelope sheet".to_owned());
}
