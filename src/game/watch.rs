//! The judging side of a game: when to look at the board, and what to report to the arbiter.

use super::entry::{Fact, Stage};
use super::machine::{Game, KINGS_HOLD, RESTART_HOLD, VERIFY_AFTER};
use super::play::Play;
use super::timers::Timer;
use crate::clock::Device;
use crate::laws::{Ending, Finding, FindingKind};
use crate::time::Mono;
use crate::track::tracker::{SCAN, STEP_MAX};
use crate::track::{Mismatch, Placement};
use shakmaty::{Bitboard, Color, Role};
use std::time::Duration;

/// A press that no legal move accounts for is reported after this: a flying hand, the scan and a
/// dump have had their time.
const SUSPECT_AFTER: Duration = Duration::from_millis(900);
/// Board and record may differ this long before it is reported.
const DISPLACED_AFTER: Duration = Duration::from_secs(5);
/// A single lifted piece may be held this long.
const HELD_AFTER: Duration = Duration::from_secs(30);

/// Between looks at a board that is still while not everything is told.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// After this stillness nothing more comes of looking.
const LOOK_UNTIL: Duration = Duration::from_secs(10);

/// What is being watched, and what has been reported already.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    suspect: Option<(Color, Mono)>,
    differs_since: Option<Mono>,
    is_displaced: bool,
    told_illegal: Option<Mismatch>,
    told_no_start: bool,
    serials: Vec<String>,
}

impl Watch {
    pub(super) fn new_game(&mut self) {
        *self = Self { serials: std::mem::take(&mut self.serials), ..Self::default() };
    }

    /// Whether a press waits for the move that it completes.
    pub(super) fn has_suspect(&self) -> bool {
        self.suspect.is_some()
    }

    pub(super) fn is_new_serial(&mut self, serial: &str) -> bool {
        let is_new = !self.serials.iter().any(|known| known == serial);
        if is_new {
            self.serials.push(serial.to_owned());
        }
        is_new
    }

    pub(super) fn note_no_start(&mut self, facts: &mut Vec<Fact>) {
        if !std::mem::replace(&mut self.told_no_start, true) {
            facts.push(Fact::Found(Finding { kind: FindingKind::NoStartPosition, by: None }));
        }
    }
}

impl Game {
    /// Whether the clock has been stopped in the middle of the game. What is moved meanwhile is
    /// analysis, a claim being shown, or the kings announcing a result.
    pub(super) fn is_interrupted(&self) -> bool {
        self.clock.device() == Device::Present && self.clock.has_run() && !self.clock.is_running()
    }

    fn is_over(&self) -> bool {
        self.play.as_ref().is_none_or(|play| play.ending().is_some())
    }

    pub(super) fn settle_time(&self) -> Duration {
        let settle = &self.settings.settle;
        if self.clock.is_running() { settle.with_clock } else { settle.without_clock }
    }

    pub(super) fn board_changed(&mut self, now: Mono) {
        self.timers.set(Timer::Verify, now + VERIFY_AFTER);
        self.timers.set(Timer::Settle, now + self.settle_time());
        let kings = self.kings_in_center();
        if kings.is_none() {
            self.timers.clear(Timer::Kings);
        } else if !self.timers.is_set(Timer::Kings) {
            self.timers.set(Timer::Kings, now + KINGS_HOLD);
        }
    }

    pub(super) fn on_press(&mut self, now: Mono, by: Color) {
        if self.is_over() {
            return;
        }
        self.facts.push(Fact::Pressed { by });
        let times = self.clock.times();
        let Some(play) = &mut self.play else { return };
        play.press(now, by, times, &mut self.facts);
        if play.has_open_press(now) {
            self.watch.suspect = Some((by, now));
            self.timers.set(Timer::Suspect, now + SUSPECT_AFTER);
            self.session.want_dump(now, &mut self.commands);
        }
        self.note_difference(now);
    }

    pub(super) fn on_stopped(&mut self, now: Mono) {
        // The players stop the clock on a finished position: the last move needs no press to be
        // believed, but it must stand exactly.
        let is_exact = |play: &Play| play.mismatch().is_none() || play.shows_one_more_move();
        let is_exact = self.play.as_ref().is_some_and(is_exact);
        if is_exact && !self.is_over() {
            self.look(now, STEP_MAX);
        }
        self.timers.clear(Timer::Settle);
        self.timers.clear(Timer::Displaced);
    }

    pub(super) fn look(&mut self, now: Mono, depth: usize) {
        let is_patient = self.clock.is_running()
            || self.play.as_ref().is_some_and(|play| {
                now.since(play.tracker().last_change()) >= self.settings.settle.doubtful
            });
        let has_clock = self.clock.device() == Device::Present && self.clock.has_run();
        let Some(play) = &mut self.play else { return };
        play.look(now, depth, Haste { is_patient, has_clock }, &mut self.facts);
        // Stillness convinces by lasting: look again while there is more to be told.
        let still = now.since(play.tracker().last_change());
        if play.has_more_to_tell() && still < LOOK_UNTIL && !self.is_interrupted() {
            self.timers.set(Timer::Settle, now + LOOK_EVERY);
        }
        self.note_difference(now);
    }

    pub(super) fn run_timers(&mut self, now: Mono) {
        if self.timers.take(Timer::Verify, now) {
            self.session.want_dump(now, &mut self.commands);
        }
        if self.timers.take(Timer::Settle, now) && !self.is_over() && !self.is_interrupted() {
            self.look(now, STEP_MAX);
            self.tell_illegal_on_board();
        }
        if self.timers.take(Timer::Suspect, now) {
            self.judge_suspect(now);
        }
        if self.timers.take(Timer::Displaced, now) && !self.is_over() && !self.is_interrupted() {
            self.tell_displaced();
        }
        if self.timers.take(Timer::Kings, now) {
            self.judge_kings();
        }
        if self.timers.take(Timer::Restart, now) {
            self.restart(now);
        }
    }

    /// A press has stood without a legal move: say what stands on the board instead.
    fn judge_suspect(&mut self, now: Mono) {
        let Some((by, pressed)) = self.watch.suspect.take() else { return };
        if self.is_over() {
            return;
        }
        self.look(now, STEP_MAX);
        let Some(play) = self.play.as_ref().filter(|play| play.has_open_press(pressed)) else {
            return;
        };
        let mismatch = play.mismatch();
        let stood = |sq| play.tracker().changed_at(sq) <= pressed + SCAN;
        let kind = match mismatch {
            None if self.watch.told_illegal.is_some() => return,
            None => FindingKind::PressWithoutMove,
            Some(Mismatch::IllegalMove { by: mover, from, to, .. }) if mover == by && stood(to) => {
                FindingKind::IllegalCompleted { from, to }
            }
            Some(Mismatch::PawnOnLastRank { by: mover, to, .. }) if mover == by && stood(to) => {
                FindingKind::PromotionIncomplete { at: to }
            }
            Some(_) => return,
        };
        let finding = Finding { kind, by: Some(by) };
        self.watch.told_illegal = mismatch;
        self.facts.push(match finding.kind {
            FindingKind::PressWithoutMove => Fact::Found(finding),
            _ => Fact::IllegalMove { stage: Stage::Completed, by, finding },
        });
    }

    /// The arbiter hears of an illegal move as soon as it stands, although it may be corrected
    /// without penalty until the press.
    fn tell_illegal_on_board(&mut self) {
        let mismatch = self.play.as_ref().and_then(|play| play.mismatch());
        let Some(Mismatch::IllegalMove { by, from, to, piece }) = mismatch else { return };
        let is_castling = piece.role == Role::King && from.distance(to) > 1;
        if self.watch.told_illegal == mismatch || self.watch.suspect.is_some() || is_castling {
            return;
        }
        let finding = Finding { kind: FindingKind::IllegalOnBoard { from, to }, by: Some(by) };
        self.facts.push(Fact::IllegalMove { stage: Stage::Made, by, finding });
        self.watch.told_illegal = mismatch;
    }

    /// Starts, or ends, the watch over a board that differs from the record.
    fn note_difference(&mut self, now: Mono) {
        let Some(play) = &self.play else { return };
        if play.mismatch().is_some() {
            let since = *self.watch.differs_since.get_or_insert(now);
            if !self.watch.is_displaced && !self.timers.is_set(Timer::Displaced) {
                self.timers.set(Timer::Displaced, since + self.patience());
            }
            return;
        }
        self.watch.differs_since = None;
        self.watch.told_illegal = None;
        self.timers.clear(Timer::Displaced);
        if std::mem::take(&mut self.watch.is_displaced) {
            self.facts.push(Fact::Found(Finding { kind: FindingKind::Restored, by: None }));
        }
    }

    fn difference(&self) -> Bitboard {
        let Some(play) = &self.play else { return Bitboard::EMPTY };
        let tracker = play.tracker();
        tracker.seen().differs(shakmaty::Position::board(&tracker.best().pos))
    }

    fn patience(&self) -> Duration {
        let differs = self.difference();
        let is_held = differs.single_square().is_some()
            && self
                .play
                .as_ref()
                .is_some_and(|p| (p.tracker().seen().occupied() & differs).is_empty());
        if is_held { HELD_AFTER } else { DISPLACED_AFTER }
    }

    fn tell_displaced(&mut self) {
        let differs = self.difference();
        if differs.is_empty() || self.watch.told_illegal.is_some() {
            return;
        }
        self.watch.is_displaced = true;
        let kind = FindingKind::Displaced { squares: differs.into_iter().collect() };
        self.facts.push(Fact::PositionLost(Finding { kind, by: None }));
    }

    fn kings_in_center(&self) -> Option<Ending> {
        let seen = self.play.as_ref()?.tracker().seen().known();
        Ending::of_kings(seen.king_of(Color::White)?, seen.king_of(Color::Black)?)
    }

    fn judge_kings(&mut self) {
        let ending = self.kings_in_center();
        if let (Some(ending), Some(play)) = (ending, &mut self.play)
            && play.ending().is_none()
        {
            play.end_by_kings(ending, &mut self.facts);
        }
    }

    /// A start position set up anew begins a new game, unless a clock runs or play has led there.
    pub(super) fn watch_for_restart(&mut self, now: Mono, placement: &Placement) {
        let Some(play) = &self.play else { return };
        let may_restart = (play.ending().is_some() || !self.clock.is_running())
            && (play.mismatch().is_some() || play.ending().is_some())
            && self.start_shown(placement).is_some();
        if !may_restart {
            self.timers.clear(Timer::Restart);
        } else if !self.timers.is_set(Timer::Restart) {
            self.timers.set(Timer::Restart, now + RESTART_HOLD);
        }
    }

    fn restart(&mut self, now: Mono) {
        let Some(play) = &self.play else { return };
        let placement = play.tracker().seen().clone();
        let Some((start, mode)) = self.start_shown(&placement) else { return };
        if play.ending().is_none() {
            self.facts.push(Fact::GameClosed);
        }
        self.begin(now, start, mode);
        self.on_picture(now, &placement);
    }
}

/// How eagerly a still board is believed.
#[derive(Copy, Clone, Debug)]
pub(super) struct Haste {
    /// The board has been still so long that even a move that may go on is believed.
    pub(super) is_patient: bool,
    /// A clock runs, so that presses complete the moves; otherwise replies do.
    pub(super) has_clock: bool,
}
