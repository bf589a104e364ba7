//! The record is never left contradicting the board: where it rests on what the record does not
//! explain, the stretch since an undisputed position is looked at again, and what one other line
//! explains exactly takes the place of the record, in the open.

use super::Play;
use super::shadow::Shadows;
use crate::game::entry::{Basis, Fact};
use crate::game::score::Scored;
use crate::laws::{Finding, FindingKind};
use crate::table::{Placement, Reading, Times};
use crate::time::Mono;
use crate::track::Ply;
use crate::track::line::CompletedBy;
use crate::track::past::{PAST_MAX, PRESSED_ON, Snap};
use crate::track::repair::{Explanation, RecordedMove, Stretch};
use crate::track::weigh::{Cost, POINT, SURE_LEAD};
use shakmaty::{Bitboard, Chess, Color, Move, Position, Square};
use std::time::Duration;

/// A board that has been still for so long is looked at again: what has been seen is weighed then.
pub(in crate::game) const REPAIR_AFTER: Duration = Duration::from_millis(1_600);
/// Stretches that are looked at, in snaps: first what has just happened, then all there is.
const STRETCHES: [usize; 2] = [24, PAST_MAX];
/// Moves that nobody pressed for are added to a record that is right so far after this stillness.
pub(in crate::game) const ADDED_AFTER: Duration = Duration::from_secs(3);
/// By so much another line must be better than a record that the resting board contradicts.
const LEAD: Cost = 2 * POINT;
/// A line that is better by less leaves the record that it replaces named beside it.
const CERTAIN_LEAD: Cost = 2 * SURE_LEAD;
/// On so many half-moves of the record the board rests where a move was answered.
const ANSWERED: usize = 2;
/// At a press, where hands are quick, the board must have contradicted the record for so long.
const CONTRADICTED: Duration = Duration::from_secs(2);

impl Play {
    /// After how many half-moves the game stands as the board shows it, by the best line.
    fn n_shown(&self) -> Option<usize> {
        let best = self.tracker.best();
        let is_shown =
            best.n_standing() == best.plies.len() && self.tracker.bare_difference().is_empty();
        is_shown.then_some(self.tracker.n_settled() + best.plies.len())
    }

    /// The sensor of `sq` is about to read `reading`.
    pub(super) fn note_stir(&mut self, at: Mono, sq: Square, reading: Reading) {
        if self.tracker.seen().get(sq) != reading {
            self.forget_if_set_up();
            let (n_shown, round) = (self.n_shown(), self.tracker.round());
            self.past.stir((at, sq, reading), round, self.tracker.seen(), n_shown);
            self.heard.note(at, sq, reading);
        }
    }

    /// The whole board is about to read as `picture`.
    pub(super) fn note_picture(&mut self, at: Mono, picture: &Placement) {
        if self.tracker.seen() != picture {
            self.forget_if_set_up();
            let (n_shown, round) = (self.n_shown(), self.tracker.round());
            for sq in self.tracker.seen().changes(picture) {
                let reading = picture.get(sq);
                self.past.stir((at, sq, reading), round, self.tracker.seen(), n_shown);
                self.heard.note(at, sq, reading);
            }
        }
    }

    /// `by` has pressed the clock.
    pub(super) fn keep_press(&mut self, at: Mono, by: Color) {
        let n_shown = self.n_shown();
        self.past.press(at, by, self.tracker.seen(), n_shown);
    }

    /// Takes a press after the game was ended by its position: if play goes on, it was no end. True
    /// if that is so.
    pub(in crate::game) fn press_after_end(
        &mut self,
        at: Mono,
        by: Color,
        times: Option<Times>,
        facts: &mut Vec<Fact>,
    ) -> bool {
        self.watch_played_on(facts);
        self.remember_press(at, times);
        self.keep_press(at, by);
        self.repair(at, facts)
    }

    /// Looks at what was seen again if the board contradicts the record, and corrects it if one
    /// other line explains all that the board shows. True if that is so.
    pub(in crate::game) fn repair(&mut self, at: Mono, facts: &mut Vec<Fact>) -> bool {
        if self.is_set_aside || self.is_ended_otherwise() || !self.is_suspect() {
            return false;
        }
        if self.shows_record() {
            return false;
        }
        let still = at.since(self.tracker.last_change());
        let n_shown = self.n_shown();
        if still >= REPAIR_AFTER {
            self.past.rest(self.tracker.seen(), n_shown);
        } else if n_shown.is_some() || at.since(self.past.agreed()) < CONTRADICTED {
            return false;
        }
        let mut looked = None;
        for stretch in STRETCHES {
            if stretch == PAST_MAX && still < REPAIR_AFTER {
                break;
            }
            let first = self.first_of(stretch);
            if first.is_none() || std::mem::replace(&mut looked, first) == first {
                continue;
            }
            let Some((n, found)) = first.and_then(|first| self.found_from(first)) else { continue };
            if self.is_better(n, &found, still) {
                self.correct(at, n, found, facts);
                return true;
            }
        }
        false
    }

    /// Whether the board differs from the record only where pieces are believed to lie astray.
    pub(in crate::game) fn difference_is_hidden(&self) -> bool {
        self.tracker.difference().is_empty() && !self.has_faulty_sensors()
    }

    /// Whether the board shows a position of the record: it agrees, moves were taken back, or the
    /// pieces are being set up anew.
    pub(super) fn shows_record(&self) -> bool {
        let (seen, untold) = (self.tracker.seen(), self.tracker.bare_untold());
        let shows = |n: usize| (seen.differs(self.sheet.position(n).board()) & !untold).is_empty();
        let is_right = self.ending.is_none() && self.sheet.moves().iter().all(|m| !m.is_illegal);
        (0..self.sheet.len()).rev().any(shows) || is_right && shows(self.sheet.len())
    }

    /// Whether the game is over by something else than its position: play that goes on after a mate
    /// tells that it was none, and of a resignation it tells nothing.
    pub(super) fn is_ended_otherwise(&self) -> bool {
        self.is_over() && self.ending.is_none_or(|ending| self.end_of_position() != Some(ending))
    }

    /// Whether something is wrong with the record, or may be. A piece that whoever is to move holds
    /// is nothing of the kind.
    fn is_suspect(&self) -> bool {
        let best = self.tracker.best();
        let has_illegal = self.sheet.moves().iter().rev().take(PAST_MAX).any(|m| m.is_illegal);
        let held = (best.standing().us() & !self.tracker.seen().occupied()).single_square();
        let diff = self.tracker.bare_difference();
        diff.any() && held.is_none_or(|held| diff != Bitboard::from(held))
            || best.plies.iter().any(|ply| ply.is_illegal)
            || has_illegal
            || best.faulty.any()
            || self.ending.is_some()
    }

    /// The first of the last `n_snaps` snaps that shows a position on record.
    fn first_of(&mut self, n_snaps: usize) -> Option<usize> {
        let untold = self.untold_then();
        let snaps = self.past.snaps();
        let first = snaps.len().saturating_sub(n_snaps);
        let sheet = &self.sheet;
        let begins = |idx: &usize| {
            snaps[*idx].n_plies.is_some_and(|n| {
                n <= sheet.len()
                    && (snaps[*idx].seen.differs(sheet.position(n).board()) & !untold).is_empty()
            })
        };
        (first..snaps.len().saturating_sub(1)).find(begins)
    }

    /// The squares that told nothing, whatever is believed to be at fault by now.
    pub(super) fn untold_then(&self) -> Bitboard {
        self.tracker.bare_untold() & !self.tracker.best().faulty
    }

    /// What explains the snaps from the `first` on, and after how many half-moves that begins.
    fn found_from(&mut self, first: usize) -> Option<(usize, Explanation)> {
        let untold = self.untold_then();
        let (snaps, sheet) = (self.past.snaps(), &self.sheet);
        let n = snaps[first].n_plies?;
        let recorded =
            |scored: &Scored| RecordedMove { m: scored.m, is_illegal: scored.is_illegal };
        let record: Vec<RecordedMove> = sheet.moves()[n..].iter().map(recorded).collect();
        let stretch =
            Stretch { start: sheet.position(n), record: &record, snaps: &snaps[first..], untold };
        stretch.explain(SURE_LEAD.min(LEAD)).map(|found| (n, found))
    }

    /// Whether what was `found` after `n` half-moves is better than the record beyond doubt.
    fn is_better(&self, n: usize, found: &Explanation, still: Duration) -> bool {
        let record = &self.sheet.moves()[n..];
        let n_shared = n_shared(record, &found.plies);
        if n_shared == record.len() && n_shared == found.plies.len() {
            return false;
        }
        let pressed = |ply: &Ply| ply.completion.is_some_and(|done| done.by == CompletedBy::Press);
        let mut later = found.plies.iter().skip(n_shared + 1);
        let goes_on =
            later.clone().any(pressed) || !self.past.has_presses() && later.nth(1).is_some();
        if self.ending.is_some() && !goes_on || self.was_pressed_on(n, n_shared, found) {
            return false;
        }
        if n_shared == record.len() {
            let best = self.tracker.best();
            let believed = self.sheet.moves()[n..].iter().map(|scored| scored.m);
            let believed = believed.take(self.tracker.n_settled().saturating_sub(n)).chain(
                best.plies.iter().skip(n.saturating_sub(self.tracker.n_settled())).map(|p| p.m),
            );
            if believed.eq(found.plies.iter().map(|ply| ply.m)) {
                // The tracker has it, and tells when it is due.
                return false;
            }
            let are_pressed = found.plies[n_shared..].iter().all(pressed);
            if !are_pressed && (still < ADDED_AFTER || self.past.has_presses()) {
                return false;
            }
        }
        let is_last_pressed = found.plies.last().is_none_or(pressed);
        if !is_last_pressed && self.past.has_presses() && found.plies.len() > n_shared {
            return false;
        }
        let lead =
            if found.is_record_exact || self.has_faulty_sensors() { SURE_LEAD } else { LEAD };
        found.recorded.is_none_or(|recorded| found.cost + lead <= recorded)
    }

    /// Whether both players have pressed on what is on record after `n` half-moves and `n_shared`
    /// more, or the board has rested on it before and after the reply, while it showed exactly that
    /// and never what was `found`: a piece that was put beside its square would have been set right
    /// by then. A sensor at fault may show anything.
    fn was_pressed_on(&self, n: usize, n_shared: usize, found: &Explanation) -> bool {
        if self.has_faulty_sensors() {
            return false;
        }
        let untold = self.untold_then();
        let shows =
            |snap: &Snap, pos: &Chess| (snap.seen.differs(pos.board()) & !untold).is_empty();
        let mut others = vec![self.sheet.position(n).clone()];
        for ply in &found.plies {
            let mut pos = others[others.len() - 1].clone();
            pos.play_unchecked(ply.m);
            others.push(pos);
        }
        let is_of_record = |snap: &&Snap| {
            let n_plies = snap.n_plies.filter(|k| *k > n + n_shared && *k <= self.sheet.len());
            n_plies.is_some_and(|k| shows(snap, self.sheet.position(k)))
        };
        let is_apart = |snap: &&Snap| !others.iter().any(|pos| shows(snap, pos));
        let n_apart = |snaps: &mut dyn Iterator<Item = &Snap>| {
            snaps.filter(is_of_record).filter(is_apart).count()
        };
        if self.past.has_presses() {
            return n_apart(&mut self.past.at_presses()) >= PRESSED_ON;
        }
        // Where nobody presses, it has been answered while it rested farther away than beside.
        let (old, new) = (&self.sheet.moves()[n + n_shared..], &found.plies[n_shared..]);
        let is_far = old.first().zip(new.first()).is_some_and(|(old, new)| {
            old.m.from() == new.m.from() && old.m.to().distance(new.m.to()) > 1
        });
        is_far && n_apart(&mut self.past.all()) >= ANSWERED
    }

    /// Writes what was `found` after `n` half-moves in the place of what is on record.
    pub(super) fn correct(
        &mut self,
        at: Mono,
        n: usize,
        mut found: Explanation,
        facts: &mut Vec<Fact>,
    ) {
        let n_kept = n + n_shared(&self.sheet.moves()[n..], &found.plies);
        let done = self.sheet.moves().iter().filter_map(|scored| scored.completed);
        let times: Vec<(Mono, Option<Times>)> = done.map(|done| (done.at, done.times)).collect();
        let times_at = |play: &Self, press: Mono| {
            let known = times.iter().find(|(at, _)| *at == press).and_then(|(_, times)| *times);
            known.or_else(|| play.times_at(press))
        };
        self.reopen(facts);
        let old = self.sheet.moves().get(n_kept).cloned();
        let new = found.plies.get(n_kept - n).map(|ply| ply.m);
        let is_close = found.recorded.is_some_and(|cost| cost < found.cost + CERTAIN_LEAD);
        let is_named = self.tracker.seen().unnamed().is_empty();
        let is_open = |old: &Scored| is_close || is_named && old.is_uncertain();
        let may_be = |old: &&Scored| is_open(old) && !old.is_illegal;
        if let Some(old) = old.as_ref().filter(may_be)
            && let Some(others) = found.others.get_mut(n_kept - n)
            && !others.contains(&old.m)
        {
            others.push(old.m);
        }
        if self.sheet.len() > n_kept {
            self.sheet.truncate(n_kept);
            facts.push(Fact::MoveRetracted { ply: n_kept + 1 });
        }
        for (idx, (ply, others)) in found.plies.iter().zip(&found.others).enumerate() {
            let n_ply = n + idx + 1;
            if n_ply > n_kept {
                self.write(at, ply, others, facts);
            }
            // A press stands for more than the reply that stood for it.
            let is_known = |by: CompletedBy| {
                let known = self.sheet.moves()[n_ply - 1].completed;
                known
                    .is_some_and(|known| known.by == CompletedBy::Press || by == CompletedBy::Reply)
            };
            if let Some(done) = ply.completion.filter(|done| !is_known(done.by)) {
                let times = match done.by {
                    CompletedBy::Press => times_at(self, done.at),
                    CompletedBy::Reply | CompletedBy::GameEnd => None,
                };
                self.sheet.complete(n_ply, done.at, done.by, times);
                let pressed_before = at.since_on_record(done.at);
                facts.push(Fact::MoveCompleted { ply: n_ply, by: done.by, pressed_before, times });
            }
        }
        self.audit_found(n, n_kept, &found, facts);
        self.tell_corrected(old.map(|old| old.m), new, facts);
        self.believe_record(at);
    }

    /// Tells that a move was withdrawn for another one.
    fn tell_corrected(&self, old: Option<Move>, new: Option<Move>, facts: &mut Vec<Fact>) {
        if old.is_none() {
            return;
        }
        let squares = old.into_iter().chain(new).flat_map(|m| [m.from(), Some(m.to())]);
        let squares: Bitboard = squares.flatten().collect();
        let kind = FindingKind::Corrected { squares: squares.into_iter().collect() };
        facts.push(Fact::Found(Finding { kind, by: None }));
    }

    /// The tracker begins anew from what is on record.
    fn believe_record(&mut self, at: Mono) {
        let n_settled = self.sheet.n_completed();
        let open: Vec<Move> = self.sheet.moves()[n_settled..].iter().map(|open| open.m).collect();
        self.tracker.restart_right(self.sheet.position(n_settled).clone(), n_settled);
        for m in open {
            self.tracker.believe(m, at);
        }
        self.shadows = Shadows::default();
        self.forget_heard(at);
        (self.other, self.searched, self.beneath) = (None, None, Bitboard::EMPTY);
    }

    /// Puts `ply` on record, which may have been one of `others`.
    fn write(&mut self, at: Mono, ply: &Ply, others: &[Move], facts: &mut Vec<Fact>) {
        let mode = self.sheet.mode();
        let others: Vec<_> = others.iter().map(|m| m.to_uci(mode)).collect();
        let alternatives = others.iter().map(ToString::to_string).collect();
        let is_illegal = ply.is_illegal;
        let scored = if is_illegal {
            self.sheet.push_illegal(ply.m)
        } else {
            self.sheet.push(ply.m, others)
        };
        let (uci, san) = (scored.uci.to_string(), scored.san.to_string());
        facts.push(Fact::MoveMade {
            ply: self.sheet.len(),
            uci,
            san,
            is_illegal,
            basis: Basis::Later,
            alternatives,
            released_before: at.since_on_record(ply.released),
        });
    }
}

/// How many half-moves `record` and `plies` share from the start.
fn n_shared(record: &[Scored], plies: &[Ply]) -> usize {
    let is_same =
        |(scored, ply): &(&Scored, &Ply)| scored.m == ply.m && scored.is_illegal == ply.is_illegal;
    record.iter().zip(plies).take_while(is_same).count()
}
