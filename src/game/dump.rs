//! A dump of the whole board is evidence and not the truth: a stray byte shifts all that follows
//! it. One that cannot be, or that is far from what was known, is asked for again before it changes
//! anything; it is believed when the next one says the same. On a line with noise on it every field
//! needs two dumps to change, and a piece that comes from nowhere is left to them.

use super::entry::LinkState;
use super::machine::Game;
use super::play;
use crate::time::Mono;
use crate::track::Tracker;
use crate::wire::{Code, Dump, Field, Orientation, Signal};
use shakmaty::{Board, Color, Piece, Position, Role};
use std::time::Duration;

/// Messages that get lost on a line that is up change so few fields, at the most.
const NEAR: usize = 4;
/// Hands change so many while a line is down for a while; more are looked at twice.
const NEAR_AFTER_GAP: usize = 12;
/// Two dumps that differ in so many fields at the most say the same: play goes on between them.
const AGREE: usize = 2;
/// Pieces of both colors.
const PIECES_MAX: usize = 32;
/// A line on which noise was heard is mistrusted for so long.
const NOISY_FOR: Duration = Duration::from_secs(120);
/// Noise three times in this time: any message may be hurt.
const DENSE: Duration = Duration::from_secs(20);
/// Noise that comes sooner after noise is the same.
const APART: Duration = Duration::from_millis(100);
/// A dump that was asked for has come after this, or does not come.
const UNANSWERED: Duration = Duration::from_secs(1);
/// Noise that comes so soon after a dump belongs to it: a byte too many has pushed its end out.
const SPILLED: Duration = Duration::from_millis(50);

/// What has been read of a board and is not believed yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts {
    /// The last picture of the whole board, and when it came.
    dump: Option<(Mono, Box<Dump>)>,
    /// A figure that says how the game ended.
    signal: Option<(Field, Signal)>,
    /// When noise was heard last, newest first.
    noise: [Option<Mono>; 3],
    /// The last picture showed just what was known, and nothing has come since.
    is_confirmed: bool,
    /// What was believed when it last did so.
    base: Option<(Mono, Tracker)>,
}

impl Doubts {
    /// The line is another one.
    pub(super) fn link_up(&mut self) {
        *self = Self::default();
    }

    /// Bytes came that make no message.
    pub(super) fn note_noise(&mut self, now: Mono) {
        match self.noise[0] {
            // What one hurt message leaves behind comes in pieces.
            Some(last) if now.since(last) < APART => self.noise[0] = Some(now),
            last => self.noise = [Some(now), last, self.noise[1]],
        }
        self.is_confirmed = false;
        self.dump.take_if(|(at, _)| now.since(*at) <= SPILLED);
    }

    pub(super) fn is_noisy(&self, now: Mono) -> bool {
        self.noise[0].is_some_and(|at| now.since(at) <= NOISY_FOR)
    }

    /// Whether there is so much noise that any message may be hurt.
    fn is_dense(&self, now: Mono) -> bool {
        self.noise[2].is_some_and(|at| now.since(at) <= DENSE)
    }

    /// Whether what is known of the board has been read twice, if that is needed.
    pub(super) fn is_settled(&self, now: Mono) -> bool {
        self.is_confirmed || !self.is_noisy(now)
    }

    /// What is on record is known otherwise by now.
    pub(super) fn forget_base(&mut self) {
        self.base = None;
    }
}

impl Game {
    /// Bytes came that make no message.
    pub(super) fn on_noise(&mut self, now: Mono) {
        self.serials.note_noise(now);
        self.doubts.note_noise(now);
        if self.doubts.is_dense(now) && self.link == LinkState::Live && !self.is_blind {
            let base = self.doubts.base.take();
            self.begin_noise(now, base);
        }
        self.session.want_dump(now, &mut self.commands);
    }

    /// The board was read as a whole, and stands as was believed.
    pub(super) fn confirm_base(&mut self, now: Mono) {
        if self.doubts.is_noisy(now) && self.doubts.is_confirmed && !self.is_silent() {
            self.doubts.base = self.play.as_ref().map(|play| (now, play.tracker().clone()));
        }
    }

    /// What may be believed of `dump`, if it may change anything. If not all of it, the board is
    /// asked again.
    pub(super) fn believed(&mut self, now: Mono, dump: &Dump) -> Option<Dump> {
        let before = self.doubts.dump.take().map(|(_, dump)| dump);
        self.doubts.is_confirmed = self.has_dumped && *dump == self.fields;
        let is_near = |other: &Dump, n| differs(dump, other) <= n;
        let is_same = before.as_ref().is_some_and(|before| is_near(before, AGREE));
        let is_noisy = self.doubts.is_noisy(now);
        if is_same && !is_noisy || self.is_likely(dump, is_noisy) {
            self.has_dumped = true;
            return Some(dump.clone());
        }
        self.doubts.dump = Some((now, Box::new(dump.clone())));
        self.session.want_dump(now, &mut self.commands);
        let before = before.filter(|before| is_same || is_near(before, NEAR))?;
        if !can_be(dump) {
            return None;
        }
        // Where two in a row say the same it is so.
        let mut agreed = if self.has_dumped { self.fields.clone() } else { *before.clone() };
        for field in Field::all().filter(|field| before.code(*field) == dump.code(*field)) {
            agreed.0[usize::from(field.index())] = dump.code(field);
        }
        if is_near(&self.fields, NEAR) || is_same {
            self.has_dumped = true;
            return Some(agreed);
        }
        None
    }

    /// Whether `dump` is so much like what is to be expected that it needs no second one.
    fn is_likely(&self, dump: &Dump, is_noisy: bool) -> bool {
        if is_noisy && self.has_dumped {
            return *dump == self.fields;
        }
        if !self.has_dumped {
            return self.is_expected(dump);
        }
        // Before a game is on, and after it, boards are set up and swept clear.
        if self.play.is_none() || self.is_over() {
            return true;
        }
        let is_whole = self.link == LinkState::Live && !self.is_blind && !self.has_gap;
        let near = if is_whole { NEAR } else { NEAR_AFTER_GAP };
        can_be(dump) && differs(dump, &self.fields) <= near
    }

    /// Whether the first dump of all shows what a game begins from, or goes on from.
    fn is_expected(&self, dump: &Dump) -> bool {
        let lies = self.orientation.or(dump.orientation()).unwrap_or(Orientation::Normal);
        let shown = self.sight_by(dump).of_board(&dump.placement(lies));
        let is_as = |board: &Board| shown.differs(board).is_empty();
        match &self.play {
            Some(play) if !play.is_over() => {
                let n = shown.differs(play.sheet().last().board()).count();
                can_be(dump) && n <= NEAR_AFTER_GAP
            }
            _ => {
                let named = play::start_of(&self.settings);
                named.is_some_and(|(start, _)| is_as(start.board()))
                    || self.start_shown(&shown).is_some()
                    || dump.0.iter().all(|code| *code == Code::Empty)
            }
        }
    }

    /// A first dump that was asked for again in vain, on a line that is in order, has to do.
    pub(super) fn believe_unanswered(&mut self, now: Mono) {
        let is_late = |at: Mono| now.since(at) >= UNANSWERED;
        let may = !self.has_dumped && !self.doubts.is_noisy(now);
        let late = self.doubts.dump.take_if(|(at, dump)| may && is_late(*at) && can_be(dump));
        if let Some((_, dump)) = late {
            self.has_dumped = true;
            self.take_dump(now, &dump);
        }
    }

    /// Whether a piece may have come to a field by a hand: on a line with noise on it only one that
    /// is missing elsewhere. Another one is left to the next dumps.
    pub(super) fn may_have_come(&mut self, now: Mono, field: Field, code: Code) -> bool {
        if let Code::Signal(signal) = code {
            if self.doubts.is_noisy(now) {
                self.doubts.signal = Some((field, signal));
                self.session.want_dump(now, &mut self.commands);
            } else {
                self.on_signal(signal);
            }
            return true;
        }
        self.doubts.is_confirmed &= self.fields.code(field) == code;
        let Some(piece) = code.piece().filter(|_| self.doubts.is_noisy(now)) else { return true };
        let Some(play) = self.play.as_ref().filter(|play| !play.is_over()) else { return true };
        let board = play.tracker().best().standing().board();
        let is_missing = |piece: Piece| {
            let n_seen = self.fields.0.iter().filter(|code| code.piece() == Some(piece)).count();
            n_seen < board.by_piece(piece).count()
        };
        let pawn = Role::Pawn.of(piece.color);
        let is_known = is_missing(piece) || self.fields.code(field) == code;
        let may = is_known || is_missing(pawn) && piece.role != Role::King;
        if !may {
            self.session.want_dump(now, &mut self.commands);
        }
        may
    }

    /// The figure that says how the game ended, if the whole board shows it as well.
    pub(super) fn signal_shown(&mut self, dump: &Dump) -> Option<Signal> {
        let (field, signal) = self.doubts.signal.take()?;
        (dump.code(field) == Code::Signal(signal)).then_some(signal)
    }
}

fn differs(a: &Dump, b: &Dump) -> usize {
    a.0.iter().zip(&b.0).filter(|(a, b)| a != b).count()
}

/// Whether the pieces may be those of a game: one king each, and no more than there are.
fn can_be(dump: &Dump) -> bool {
    let count = |color, role| dump.0.iter().filter(|code| code.is(color, role)).count();
    let has_one_king = |color| count(color, Role::King) <= 1;
    let n = dump.0.iter().filter(|code| **code != Code::Empty).count();
    n <= PIECES_MAX && Color::ALL.into_iter().all(has_one_king)
}
