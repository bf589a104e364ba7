//! A game in progress: what the tracker believes, held against what is already on record.

mod anew;
mod apart;
mod audit;
mod end;
mod fault;
mod gap;
mod recall;
mod repair;
mod rest;
mod retrace;
mod settle;
mod shadow;
mod stop;
mod unseen;

pub(super) use end::{SET_UP_MIN, n_come_back};
pub(super) use repair::{ADDED_AFTER, REPAIR_AFTER};
pub use settle::OrderError;

pub(super) use self::gap::{SHOWN_OFF, millis, sum};
pub(super) use self::recall::Remembered;
pub(super) use unseen::GapEvidence;

use self::fault::Other;
use super::entry::{Basis, Fact};
use super::score::ScoreSheet;
use super::settings::{Rests, Settings};
use crate::laws::{Ending, Finding, FindingKind};
use crate::table::{Placement, Reading, Times, defaults};
use crate::time::Mono;
use crate::track::audit::Testimony;
use crate::track::line::CompletedBy;
use crate::track::past::Past;
use crate::track::tracker::{RESTED, STEP_MAX};
use crate::track::weigh::{CLEAR_LEAD, Cost, SURE_LEAD};
use crate::track::{Line, Mismatch, Ply, Tracker, legal};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, ByColor, CastlingMode, Chess, Color, Move, Position, Square};
use std::time::Duration;

/// A lever that comes back within this time, with nothing moved, was touched and not pressed.
pub(super) const BOUNCE: Duration = Duration::from_millis(700);
/// Presses whose clock times are remembered until their moves are recorded.
const PRESSES_MAX: usize = 32;

/// What still has rivals when the board has been still for so long is recorded all the same, and
/// marked: stillness tells no more, and silence would hide it.
const DOUBT_TOLD_AFTER: Duration = Duration::from_secs(3);
defaults! {
    /// One game at one board.
    #[derive(Clone, Debug)]
    pub struct Play {
        given {
            sheet: ScoreSheet,
            tracker: Tracker,
            /// What was heard of the moves that are still open.
            heard: Testimony,
            ending: Option<Ending>,
        }
        presses: Vec<(Mono, Option<Times>)>,
        /// The times now, for moves that no press completes.
        lent: Option<Times>,
        /// Presses of which only the board's memory tells; their times are estimates.
        recalled: Vec<Mono>,
        /// What marked moves may have been instead.
        shadows: shadow::Shadows,
        /// It was closed without a result.
        pub(super) is_closed: bool,
        /// A claim of the opponent may still undo the move that would end the game.
        pub(super) is_end_open: bool,
        /// Another explanation, by which a sensor is at fault.
        other: Option<Other>,
        /// The board as it has stood since then was searched for faults.
        searched: Option<Mono>,
        /// Squares that have lost their pieces without a move.
        beneath: Bitboard,
        /// Squares of whose sensors that has been told.
        told_faulty: Bitboard,
        /// The half-move, from 1, that was withdrawn last, and what it was, if it was marked.
        doubted: Option<(usize, UciMove)>,
        /// What is played waits for a press, and that has been told.
        is_held: bool,
        /// What is believed to have been played was pieces being set up, as long as the board does
        /// not show it again.
        is_set_aside: bool,
        /// What was seen when the board rested and when a clock was pressed.
        past: Past,
        /// When the last move was released that is not.
        open_since: Mono,
        /// When a daemon took the game up again.
        resumed_at: Mono,
        /// The board as it has rested since then was held against all open moves.
        audited: Option<Mono>,
        /// Moves that were pressed since the result.
        n_after_end: usize,
        /// Whether pieces were moved since the result, or nobody saw whether they were.
        is_left: bool = true,
    }
}

impl Play {
    /// A game from `start`.
    pub fn new(start: Chess, mode: CastlingMode) -> Self {
        let tracker = Tracker::new(start.clone(), 0);
        let sheet = ScoreSheet::new(start, mode);
        Self::with(sheet, tracker, None)
    }

    /// The clock shows this, and runs or stands.
    pub(super) fn hear_clock(&mut self, at: Mono, running: Option<Color>, times: Times) {
        self.sheet.hear_clock(at, running, times);
    }

    fn with(sheet: ScoreSheet, tracker: Tracker, ending: Option<Ending>) -> Self {
        let heard = Testimony::new(Mono::default(), tracker.seen().clone());
        Self::begin(sheet, tracker, heard, ending)
    }

    /// A game that is taken up again with what is on record of it.
    pub fn resumed(mut sheet: ScoreSheet, ending: Option<Ending>) -> Self {
        sheet.forget_times();
        let n_settled = sheet.n_completed();
        let mut tracker = Tracker::new(sheet.last().clone(), n_settled);
        tracker.restart(sheet.position(n_settled).clone(), n_settled);
        if sheet.is_taken_over_at(n_settled) {
            tracker.note_taken_over();
        }
        let mut play = Self::with(sheet, tracker, ending);
        play.believe_rest();
        play
    }

    /// The record.
    pub fn sheet(&self) -> &ScoreSheet {
        &self.sheet
    }

    /// What the sensors see and the lines that explain it.
    pub fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// How the game ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// What keeps the board from showing the best line's position.
    pub fn mismatch(&self) -> Option<Mismatch> {
        self.tracker.mismatch()
    }

    pub(super) fn sense(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        self.note_stir(at, sq, reading);
        if let Some(other) = &mut self.other {
            other.tracker.sense(at, sq, reading);
        }
        self.tracker.sense(at, sq, reading)
    }

    /// A sensor changed while the clock stands: that is seen, but it is no play.
    pub(super) fn observe(&mut self, at: Mono, sq: Square, reading: Reading) -> bool {
        self.past.forget();
        self.forget_heard(at);
        if let Some(other) = &mut self.other {
            other.tracker.observe(at, sq, reading);
        }
        self.tracker.observe(at, sq, reading)
    }

    pub(super) fn picture(&mut self, at: Mono, picture: &Placement) -> bool {
        self.note_picture(at, picture);
        if let Some(other) = &mut self.other {
            other.tracker.picture(at, picture);
        }
        self.tracker.picture(at, picture)
    }

    /// A press: the best moment to look.
    pub(super) fn press(
        &mut self,
        at: Mono,
        by: Color,
        times: Option<Times>,
        facts: &mut Vec<Fact>,
    ) {
        self.remember_press(at, times);
        self.heard.press(at, by);
        self.tracker.press(at, by);
        self.is_held = false;
        if let Some(other) = &mut self.other {
            other.tracker.press(at, by);
        }
        self.suspect(at);
        self.compare(at);
        self.recast(at, Some(by), facts);
        if self.recalled.len() > PRESSES_MAX {
            self.recalled.remove(0);
        }
        let best = self.tracker.best();
        // A piece of the presser that stands where the move does not put it: something else was
        // played than the best line says.
        let n_told = if self.tracker.is_astray(by) { 0 } else { best.n_completed() };
        let n_told = n_told.min(self.tracker.is_on_two_squares(by).unwrap_or(n_told));
        self.bring_up(at, n_told, 0, Basis::Press, facts);
        self.keep_press(at, by);
        self.repair(at, facts);
    }

    fn remember_press(&mut self, at: Mono, times: Option<Times>) {
        self.presses.push((at, times));
        if self.presses.len() > PRESSES_MAX {
            self.presses.remove(0);
        }
    }

    /// The times now, for moves that no press completes.
    pub(super) fn lend_times(&mut self, times: Option<Times>) {
        self.lent = times;
    }

    /// The press at `at` is to be made again: the clock goes for its player as before.
    pub(super) fn give_back_press(&mut self, at: Mono) {
        self.tracker.give_back_press(at);
        if let Some(other) = &mut self.other {
            other.tracker.give_back_press(at);
        }
    }

    /// Forgets the press at `at`: the lever was only touched.
    pub(super) fn forget_press(&mut self, at: Mono) {
        self.tracker.forget_press(at);
        if let Some(other) = &mut self.other {
            other.tracker.forget_press(at);
        }
    }

    /// Looks at the board while nothing moves, for up to `depth` moves that may have been missed,
    /// and brings the record up to what the tracker believes. Without a clock a move that may go on
    /// must have rested for as long as `rests` says.
    pub(super) fn look(
        &mut self,
        at: Mono,
        depth: usize,
        rests: Option<&Rests>,
        facts: &mut Vec<Fact>,
    ) {
        if depth > STEP_MAX {
            self.past.forget();
        }
        self.tracker.look(at, depth);
        self.look_at_sensors(at, depth);
        if at.since(self.tracker.last_change()) >= RESTED {
            self.recast(at, None, facts);
        }
        let still = at.since(self.tracker.last_change());
        let has_rested = rests.is_none_or(|rests| still >= self.rest_of(rests));
        let is_held = rests.is_none() && self.is_analysis();
        if is_held {
            self.tell_analysis(facts);
        }
        let is_still = self.tracker.mismatch().is_none() && has_rested && !is_held;
        if is_still {
            self.tracker.complete_answered(at);
        }
        let best = self.tracker.best();
        let n_completed = best.n_completed();
        let n_told = match n_completed.checked_sub(1) {
            _ if is_still && self.may_become_castling() => best.n_standing() - 1,
            _ if is_still => best.n_standing(),
            Some(last) if self.tracker.is_astray(best.mover(last)) => 0,
            _ => n_completed,
        };
        let basis = if depth > STEP_MAX { Basis::Gap } else { Basis::Quiet };
        // A board at rest has told that the move was made; what it was may still be open.
        let n_clear = if is_still && rests.is_some() { self.tracker.n_uncontradicted() } else { 0 };
        self.bring_up(at, n_told, n_clear, basis, facts);
    }

    /// Tells up to `n_told` plies of the best line, as far as no rival disputes them, or the first
    /// `n_clear` in any case.
    fn bring_up(
        &mut self,
        at: Mono,
        n_told: usize,
        n_clear: usize,
        basis: Basis,
        facts: &mut Vec<Fact>,
    ) {
        self.is_set_aside &= self.tracker.mismatch().is_some();
        if self.is_set_aside {
            return;
        }
        // An illegal move stands once it is answered, whoever has pressed for it.
        let n_told = n_told.min(self.tracker.best().n_standing());
        let still = at.since(self.tracker.last_change());
        let n_clear = n_clear.max(self.tracker.n_undisputed());
        let n_told = if still < DOUBT_TOLD_AFTER { n_told.min(n_clear) } else { n_told };
        self.publish(at, n_told, basis, facts);
        self.withdraw_false_end(facts);
        self.end_by_position(at, facts);
        self.tell_faulty(facts);
        self.tell_doubt(at, facts);
        self.audit(at, facts);
        self.settle_agreed();
        self.follow_shadows(facts);
    }

    /// Marks recorded moves that no line disputed at first, and that another one explains as well
    /// by now: those that are no longer open to revision from here on, or all of them if the board
    /// is still.
    fn tell_doubt(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let n_agreed = self.n_agreed();
        let is_still = at.since(self.tracker.last_change()) >= DOUBT_TOLD_AFTER;
        let n = if is_still { n_agreed } else { self.tracker.n_ripe(n_agreed) };
        let base = self.tracker.n_settled();
        for idx in 0..n {
            let scored = &self.sheet.moves()[base + idx];
            if scored.is_uncertain() || scored.is_illegal {
                continue;
            }
            let others = self.tracker.equals(idx);
            if !others.is_empty() {
                let mode = self.sheet.mode();
                let others: Vec<UciMove> = others.into_iter().map(|m| m.to_uci(mode)).collect();
                let alternatives = others.iter().map(UciMove::to_string).collect();
                self.sheet.mark(base + idx + 1, others);
                facts.push(Fact::MoveMarked { ply: base + idx + 1, alternatives });
            }
        }
    }

    /// The tracker takes over what is on record but not completed.
    fn believe_rest(&mut self) {
        for scored in &self.sheet.moves()[self.tracker.n_settled()..] {
            self.tracker.believe(scored.m, Mono::default());
        }
    }

    /// Whether the best line is not what is on record, or a move there is only shown.
    pub(super) fn has_more_to_tell(&self) -> bool {
        let open = &self.sheet.moves()[self.tracker.n_settled()..];
        let n_best = self.tracker.best().n_standing();
        let is_only_shown = open.last().is_some_and(|last| last.is_only_shown);
        n_best > open.len() || self.n_agreed() < open.len() || is_only_shown
    }

    /// Who has made the first move, from the start or behind a gap, if the board shows the position
    /// after it.
    pub(super) fn first_mover(&self) -> Option<Color> {
        let turn = self.tracker.best().standing().turn();
        match self.tracker.n_settled() + self.tracker.best().n_standing() {
            0 => self.shows_one_more_move().then_some(turn),
            1 => self.mismatch().is_none().then_some(!turn),
            _ => None,
        }
    }

    /// Whether the board shows exactly one legal move more than the best line has.
    pub(super) fn shows_one_more_move(&self) -> bool {
        self.tracker.shows_one_more_move()
    }

    /// Whether the best line has no move for the press at `at`.
    pub(super) fn has_open_press(&self, at: Mono) -> bool {
        let best = self.tracker.best();
        best.open.iter().chain(&best.unexplained).any(|press| press.at == at)
    }

    /// Whether the press at `at` has completed a move that is on record.
    pub(super) fn stands_pressed(&self, at: Mono) -> bool {
        if self.tracker.is_illegal_press(at) && self.tracker.mismatch().is_some() {
            return false;
        }
        self.sheet.moves().iter().rev().take(PRESSES_MAX).any(|scored| {
            scored.completed.is_some_and(|done| done.at == at && done.by == CompletedBy::Press)
        }) || self.tracker.is_late_press(at)
    }

    /// Whether a moment may tell more of the press of `by` at `at`: it was for a move that is
    /// answered, and he has put a piece astray since, or for one that is seen on two squares.
    pub(super) fn is_unclear_press(&self, at: Mono, by: Color) -> bool {
        self.tracker.is_late_press(at) && self.tracker.is_astray(by)
            || self.tracker.is_on_two_squares(by).is_some()
    }

    /// Whether the players go through moves rather than play: moves of both sides were taken back,
    /// and nobody has pressed the clock since before.
    fn is_analysis(&self) -> bool {
        self.tracker.best().taken_back == ByColor { black: true, white: true }
    }

    /// Whether what is played waits for a press, as players go through moves.
    pub(super) fn is_held(&self) -> bool {
        self.is_held
    }

    /// Tells of that once, until a clock is pressed.
    fn tell_analysis(&mut self, facts: &mut Vec<Fact>) {
        if !std::mem::replace(&mut self.is_held, true) {
            facts.push(Fact::Found(Finding { kind: FindingKind::MayBeOver, by: None }));
        }
    }

    /// The last move of the best line that stands, and the position before it.
    fn last_standing(&self) -> Option<(Chess, Ply)> {
        let best = self.tracker.best();
        let (last, earlier) = best.plies[..best.n_standing()].split_last()?;
        let mut before = self.sheet.position(self.tracker.n_settled()).clone();
        for ply in earlier {
            before.play_unchecked(ply.m);
        }
        Some((before, *last))
    }

    /// Brings the record up to `n_told` plies of the best line, and completes them.
    fn publish(&mut self, at: Mono, n_told: usize, basis: Basis, facts: &mut Vec<Fact>) {
        self.withdraw(n_told, facts);
        let lead = if basis == Basis::Press { SURE_LEAD } else { CLEAR_LEAD };
        self.vouch(n_told, lead, facts);
        self.record(at, n_told, basis, lead, facts);
        self.complete(at, facts);
    }

    /// Withdraws what is on record and no part of the best line, if that has more to be told or
    /// nothing speaks for it any more.
    fn withdraw(&mut self, n_told: usize, facts: &mut Vec<Fact>) {
        let base = self.tracker.n_settled();
        let n_shared = self.n_agreed();
        let is_denied = || self.tracker.mismatch().is_none() && self.is_denied(n_shared);
        if self.sheet.len() - base > n_shared && (n_told > n_shared || is_denied()) {
            if self.tracker.best().plies.len() == n_shared && self.tracker.mismatch().is_none() {
                // The players have taken moves back: what was seen before is no part of the game.
                self.past.forget();
            }
            let n = base + n_shared;
            let gone = &self.sheet.moves()[n];
            // Where pieces have no names a move gives way to what alone can have been played.
            let is_named = self.tracker.seen().unnamed().is_empty();
            self.doubted = (gone.is_uncertain() && is_named).then_some((n + 1, gone.uci));
            self.sheet.truncate(n);
            facts.push(Fact::MoveRetracted { ply: n + 1 });
        }
    }

    /// Puts up to `n_told` plies of the best line on record, if all that is there belongs to it,
    /// each with what else it may have been by lines that are worse by less than `lead`.
    fn record(&mut self, at: Mono, n_told: usize, basis: Basis, lead: Cost, facts: &mut Vec<Fact>) {
        let base = self.tracker.n_settled();
        let from = self.sheet.len() - base;
        if from > self.n_agreed() {
            return;
        }
        let new: Vec<_> =
            self.tracker.best().plies.iter().take(n_told).skip(from).copied().collect();
        let n_new = new.len();
        for (idx, ply) in new.into_iter().enumerate() {
            let mut others = self.others(from + idx, lead);
            others.extend(self.doubted_for(base + from + idx + 1, ply.m, &others));
            let alternatives = others.iter().map(UciMove::to_string).collect();
            let scored = if ply.is_illegal {
                self.sheet.push_illegal(ply.m)
            } else {
                self.sheet.push(ply.m, others)
            };
            let (uci, san) = (scored.uci.to_string(), scored.san.to_string());
            let basis = self.basis_of(&ply, idx + 1 < n_new, basis);
            if !basis.is_timed() {
                self.sheet.forget_last_time();
            }
            facts.push(Fact::MoveMade {
                ply: self.sheet.len(),
                uci,
                san,
                is_illegal: ply.is_illegal,
                basis,
                alternatives,
                released_before: at.since_on_record(ply.released),
            });
        }
        self.shadows.note_told(base + from, self.sheet.len());
    }

    /// What half-move `ply`, from 1, was on record as when it was withdrawn, if that was marked and
    /// it is `m` now: the one was as good as the other. It is not among the `others` yet.
    fn doubted_for(&mut self, ply: usize, m: Move, others: &[UciMove]) -> Option<UciMove> {
        let (_, was) = self.doubted.take_if(|(known, _)| *known == ply)?;
        let is_new = was != m.to_uci(self.sheet.mode()) && !others.contains(&was);
        (is_new && legal::read(&was, self.sheet.last()).is_ok()).then_some(was)
    }

    /// What the record of `ply` rests on, if `basis` is why it is told now.
    fn basis_of(&self, ply: &Ply, is_answered: bool, basis: Basis) -> Basis {
        let pressed = ply.completion.filter(|done| done.by == CompletedBy::Press);
        match pressed {
            Some(done) if basis != Basis::Gap && !self.recalled.contains(&done.at) => Basis::Press,
            _ if is_answered && basis.is_timed() => Basis::Reply,
            _ => basis,
        }
    }

    /// How many open plies the record shares with the best line.
    fn n_agreed(&self) -> usize {
        self.n_recorded_of(self.tracker.best())
    }

    /// How many open plies the record shares with `line`.
    fn n_recorded_of(&self, line: &Line) -> usize {
        let recorded = &self.sheet.moves()[self.tracker.n_settled()..];
        recorded.iter().zip(&line.plies).take_while(|(a, b)| a.m == b.m).count()
    }

    /// Whether no line in the running speaks for what is recorded after the first `n` open plies.
    fn is_denied(&self, n: usize) -> bool {
        self.tracker.is_clear_of(|line| self.n_recorded_of(line) > n)
    }

    fn complete(&mut self, at: Mono, facts: &mut Vec<Fact>) {
        let base = self.tracker.n_settled();
        let plies = self.tracker.best().plies.clone();
        for (idx, ply) in plies.iter().enumerate() {
            let n = base + idx + 1;
            let Some(scored) = self.sheet.moves().get(n - 1) else { break };
            if scored.m != ply.m || scored.is_only_shown {
                break;
            }
            let Some(done) = ply.completion else { continue };
            // A press that is learned of late stands for more than the reply that stood for it,
            // or than a press before the piece came.
            let is_late = scored.completed.is_some_and(|known| {
                let was_early = known.at + self.tracker.scan() < ply.released && known.at < done.at;
                done.by == CompletedBy::Press && (known.by == CompletedBy::Reply || was_early)
            });
            if scored.completed.is_some() && !is_late {
                continue;
            }
            let times = match done.by {
                CompletedBy::Press => self.times_at(done.at),
                // Of moves that are found together, an earlier one was completed at another time.
                CompletedBy::Reply | CompletedBy::GameEnd if idx + 2 < plies.len() => None,
                CompletedBy::Reply | CompletedBy::GameEnd => self.lent,
            };
            self.sheet.complete(n, done.at, done.by, times);
            let pressed_before = at.since_on_record(done.at);
            facts.push(Fact::MoveCompleted { ply: n, by: done.by, pressed_before, times });
        }
    }

    fn times_at(&self, press: Mono) -> Option<Times> {
        self.presses.iter().rev().find(|(at, _)| *at == press).and_then(|(_, times)| *times)
    }
}

/// The start position for `settings`, where they name one.
pub(super) fn start_of(settings: &Settings) -> Option<(Chess, CastlingMode)> {
    let setup = settings.start.clone()?.into_setup();
    let mode = CastlingMode::from_chess960(settings.is_chess960);
    match setup.position::<Chess>(mode) {
        Ok(pos) => Some((pos, mode)),
        Err(e) => e.ignore_too_much_material().ok().map(|pos| (pos, mode)),
    }
}
