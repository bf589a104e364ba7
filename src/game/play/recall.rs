//! What the board remembers takes the place of what had to be guessed, and what is on record of its
//! sensors that of what a daemon had in mind that is gone.

use super::end::{SET_UP_MIN, n_come_back};
use super::{BOUNCE, Play};
use crate::game::entry::{Basis, Fact};
use crate::table::{Placement, Times};
use crate::time::Mono;
use crate::track::bridge::{self, Unseen};
use crate::track::line::CompletedBy;
use crate::track::tracker::STEP_MAX;
use crate::track::weigh::CLEAR_LEAD;
use crate::track::{Step, Tracker};
use shakmaty::{Bitboard, Color};

/// Squares that one move and a piece in a hand change at the most, castling aside. Ours.
const IN_HAND_MAX: usize = 3;

/// So many steps behind the last press are looked at for a move: it is the first thing done there.
const LATER_MAX: usize = 16;

/// What a board remembers, laid along what is known of it.
pub(in crate::game) struct Remembered<'a> {
    /// What was believed before something was missed.
    pub(in crate::game) base: Tracker,
    /// What has happened since.
    pub(in crate::game) steps: &'a [(Mono, Step)],
    /// Nothing that came later was play.
    pub(in crate::game) stopped: Option<Mono>,
    /// What the clocks showed at the last press before.
    pub(in crate::game) shown: Option<Times>,
    /// It is believed only if it explains all that the board shows.
    pub(in crate::game) must_explain: bool,
}

impl Play {
    /// The sensors showed `seen` when they were heard last. A tracker that has `followed` them
    /// until then knows what else the moves on record may have been. At `open_press` the clock was
    /// pressed for none of these. The game goes on at `begins`.
    pub(in crate::game) fn see_again(
        &mut self,
        followed: Option<Tracker>,
        begins: Mono,
        seen: &Placement,
        open_press: Option<Mono>,
    ) {
        if let Some(tracker) = followed {
            self.tracker = tracker;
        }
        self.tracker.witness(begins, seen);
        self.forget_heard(begins);
        self.resumed_at = begins;
        self.presses.extend(open_press.map(|at| (at, None)));
    }

    /// Lets a tracker as it was before something was missed see what the board `remembers` of the
    /// time since, and goes on with it. False, and nothing is changed, if that does not lead to the
    /// board as it is, or explains less of it than what is on record.
    pub(in crate::game) fn recall(
        &mut self,
        at: Mono,
        remembers: Remembered<'_>,
        facts: &mut Vec<Fact>,
    ) -> bool {
        let Remembered { base: tracker, steps, stopped, shown, must_explain } = remembers;
        let mut recall =
            Recall { tracker, shown, presses: Vec::new(), untouched: None, is_open: false };
        let is_play = |when: Mono| stopped.is_none_or(|stopped| when <= stopped);
        let n_play = steps.iter().take_while(|(when, _)| is_play(*when)).count();
        for (when, step) in &steps[..n_play] {
            recall.step(*when, step, true, &self.presses);
        }
        let has_gone_on = goes_on(recall.tracker.clone(), &steps[n_play..]);
        for (when, step) in &steps[n_play..] {
            recall.step(*when, step, is_play(*when), &self.presses);
        }
        let Recall { mut tracker, presses, is_open, .. } = recall;
        if is_open {
            return false;
        }
        // A last move that no press completed is told by the stillness after it.
        tracker.look(at, STEP_MAX);
        let fits = tracker.seen() == self.tracker.seen();
        let is_worse = match must_explain {
            true => tracker.bare_difference().any() || !has_stirred(&tracker, steps),
            false => tracker.difference().count() > self.tracker.difference().count(),
        };
        if !fits || is_worse {
            return false;
        }
        if n_come_back(self.tracker.seen().known(), tracker.best().standing()) >= SET_UP_MIN {
            // It tells of pieces that were set up for the next game.
            return false;
        }
        if tracker.mismatch().is_none() {
            tracker.complete_answered(at);
        }
        // A base that is no position of the record says nothing of it.
        let Some(from) = self.joins_at(&tracker) else { return false };
        self.recalled.extend(presses.iter().map(|(when, _)| *when));
        self.presses.extend(presses);
        self.tracker = tracker;
        self.other = None;
        self.close_gaps_from(from, facts);
        self.doubt_settled(facts);
        let best = self.tracker.best();
        let is_still = self.tracker.mismatch().is_none();
        let n_told = if is_still { best.n_standing() } else { best.n_completed() };
        self.bring_up(at, n_told, 0, Basis::Memory, facts);
        if has_gone_on && self.is_over() {
            self.leave_open(facts);
        }
        true
    }

    /// Withdraws what was recorded as uncertain and no longer is, to be recorded again as certain.
    fn doubt_settled(&mut self, facts: &mut Vec<Fact>) {
        let base = self.tracker.n_settled();
        let is_settled = |idx: &usize| {
            self.sheet.moves()[base + idx].is_uncertain()
                && self.tracker.alternatives(*idx, CLEAR_LEAD).is_empty()
        };
        if let Some(idx) = (0..self.n_agreed()).find(is_settled) {
            self.sheet.truncate(base + idx);
            facts.push(Fact::MoveRetracted { ply: base + idx + 1 });
        }
    }

    /// Whether what was played after the first `n` half-moves is in doubt: the board is not
    /// explained, something else explains it as well, or a move has no press although the clock is
    /// used.
    pub(in crate::game) fn is_doubted_since(&self, n: usize) -> bool {
        let n_best = self.tracker.best().n_standing();
        let is_disputed = self.tracker.n_undisputed() < n_best;
        let has_rival = |idx: usize| !self.tracker.alternatives(idx, CLEAR_LEAD).is_empty();
        let is_unpressed = |idx: usize| {
            let done = self.sheet.moves()[idx].completed;
            let is_answered = idx + 1 < self.sheet.len() && !self.presses.is_empty();
            is_answered && done.is_none_or(|done| done.by == CompletedBy::Reply)
        };
        let mut new = n.min(self.sheet.len())..self.sheet.len();
        self.tracker.mismatch().is_some()
            || is_disputed
            || (0..n_best).any(has_rival)
            || new.any(|idx| self.sheet.moves()[idx].is_uncertain() || is_unpressed(idx))
            || self.tracker.n_settled() + n_best != self.sheet.len()
    }

    /// Whether a clock was pressed in this game, as far as is remembered.
    pub(in crate::game) fn is_pressed(&self) -> bool {
        !self.presses.is_empty() || self.sheet.n_completed() > 0
    }

    /// What the clocks showed when one of them was last pressed.
    pub(in crate::game) fn shown_last(&self) -> Option<Times> {
        if let Some((_, times)) = self.presses.last() {
            return *times;
        }
        let completed = self.sheet.moves().iter().rev().filter_map(|scored| scored.completed);
        completed.map(|done| done.times).find_map(|times| times)
    }
}

/// Whether something was read where each move of the best line ends. Where all that changed is
/// known, one of which nothing was read was not made.
fn has_stirred(tracker: &Tracker, steps: &[(Mono, Step)]) -> bool {
    let read = steps.iter().filter_map(|(_, step)| match step {
        Step::Sensed { sq, .. } => Some(*sq),
        Step::Pressed { .. } | Step::Found(_) | Step::Showed(_) => None,
    });
    let read: Bitboard = read.collect();
    let since = steps.first().map_or(Mono::default(), |(at, _)| *at);
    let mut new = tracker.best().plies.iter().filter(|ply| ply.released >= since);
    new.all(|ply| ply.m.is_castle() || read.contains(ply.m.to()))
}

/// Whether a move was made after the last press, as far as `tracker` goes: a player may have made
/// it and stopped the clock, and it may have been tried out behind the end.
fn goes_on(mut tracker: Tracker, later: &[(Mono, Step)]) -> bool {
    let n = tracker.best().n_standing();
    later.iter().take(LATER_MAX).any(|(when, step)| {
        if let Step::Sensed { sq, reading } = step {
            tracker.sense(*when, *sq, *reading);
        }
        tracker.best().n_standing() > n
    })
}

/// A tracker to which is told what a board remembers.
struct Recall {
    tracker: Tracker,
    /// What the clocks showed when one of them was last pressed.
    shown: Option<Times>,
    /// Presses that were not heard, with what both clocks showed.
    presses: Vec<(Mono, Option<Times>)>,
    /// The last press, if nothing has stirred since.
    untouched: Option<(Mono, Color)>,
    /// The board was without power while moves were made that are not forced.
    is_open: bool,
}

impl Recall {
    /// The next step, at the time `when`. `heard` are the presses that came over the line.
    fn step(&mut self, when: Mono, step: &Step, is_play: bool, heard: &[(Mono, Option<Times>)]) {
        match step {
            Step::Sensed { sq, reading } => {
                self.untouched = None;
                if is_play {
                    self.tracker.sense(when, *sq, *reading);
                } else {
                    self.tracker.observe(when, *sq, *reading);
                }
            }
            Step::Pressed { by, left } if is_play => {
                match heard.iter().find(|(at, _)| *at == when) {
                    Some((_, times)) => self.shown = times.or(self.shown),
                    None => {
                        self.shown = self.shown.zip(*left).map(|(mut shown, left)| {
                            *shown.get_mut(*by) = left;
                            shown
                        });
                        self.presses.push((when, self.shown));
                    }
                }
                self.press(when, *by);
            }
            Step::Found(placement) => {
                self.untouched = None;
                self.find(when, placement);
            }
            Step::Pressed { .. } | Step::Showed(_) => {}
        }
    }

    /// The board had no power for a while, and found this when it had it again. What was played
    /// meanwhile is known if it leads there in one way only. A piece may have been in a hand then,
    /// and that one move is seen by what comes.
    fn find(&mut self, when: Mono, placement: &Placement) {
        let tracker = &mut self.tracker;
        let n_changed = tracker.seen().changes(placement).count();
        let shores = tracker.shores(when, placement);
        let unseen = Unseen::found(&shores, placement, tracker.untold());
        let bridged = (n_changed > 0).then(|| bridge::bridge(&unseen)).flatten();
        match bridged {
            Some(bridged) if bridged.is_whole && tracker.follow(when, &bridged.common) => {
                tracker.witness(when, placement);
            }
            None if n_changed <= IN_HAND_MAX => {
                tracker.picture(when, placement);
                tracker.look(when, 1);
            }
            _ => self.is_open = true,
        }
    }

    /// A lever that comes back at once was touched and not pressed, as in live play.
    fn press(&mut self, when: Mono, by: Color) {
        let is_open = |at| self.tracker.best().open.iter().any(|press| press.at == at);
        if let Some((at, other)) = self.untouched.take()
            && other != by
            && when.since(at) < BOUNCE
            && is_open(at)
        {
            self.tracker.forget_press(at);
            return;
        }
        self.tracker.press(when, by);
        self.untouched = Some((when, by));
    }
}
