//! Where hindsight finds nothing that explains the board either, what was played since a position
//! that it showed exactly is unknown: the board is taken over as it stands, behind a gap.

use super::Play;
use crate::game::entry::Fact;
use crate::game::score::Unknown;
use crate::time::Mono;
use crate::track::Tracker;
use crate::track::bridge::{self, Bridged};
use crate::track::past::Snap;
use shakmaty::{Color, Position};

/// So many presses on boards that the record contradicts are more than a press for nothing, or an
/// illegal move that the clock is stopped for.
const PRESSES_MIN: usize = 2;
/// So few squares may be off by pieces that were knocked over.
const ASTRAY_MAX: usize = 3;
/// So many half-moves may have been played while a spare board took the place of another one. More
/// would tell little: another game in its first moves is some half-moves away as well.
const UNSEEN_MAX: usize = 1;

impl Play {
    /// Takes the board over as it stands, if no line explains it, it shows no position of the
    /// record, and the clock was pressed more than once since it last did. True if that is so.
    pub(in crate::game) fn adopt_apart(&mut self, at: Mono, facts: &mut Vec<Fact>) -> bool {
        let is_named = self.tracker.seen().unnamed().is_empty();
        let is_explained = self.tracker.mismatch().is_none() || self.shows_record();
        let off = self.tracker.seen().differs(self.sheet.last().board()) & !self.tracker.untold();
        if off.count() <= ASTRAY_MAX {
            return false;
        }
        if self.is_set_aside || self.is_over() || !is_named || is_explained {
            return false;
        }
        let agreed = self.agreed();
        let Some((last, n_presses, turn)) = self.turn_apart(&agreed) else { return false };
        let seen = self.tracker.seen().clone();
        // What the board showed may have been another position that looked the same: then it has
        // pieces now that it had no more.
        let found = agreed.iter().map(|(_, n)| *n).chain((0..last).rev()).find_map(|n| {
            let gap = self.sheet.gaps().iter().find(|gap| gap.ply == n);
            let before = gap.map_or(self.sheet.position(n), |gap| &gap.before);
            let unknown = Unknown::at_least(bridge::least(before, &seen, Some(turn)));
            let pos = self.adoptable(
                before,
                seen.known(),
                (Some(turn), None),
                (unknown, unknown.likely()),
            )?;
            Some((n, pos, unknown))
        });
        let Some((n, pos, unknown)) = found.filter(|_| n_presses >= PRESSES_MIN) else {
            return false;
        };
        if self.sheet.len() > n {
            self.sheet.truncate(n);
            facts.push(Fact::MoveRetracted { ply: n + 1 });
        }
        self.adopt(at, pos, unknown, facts);
        true
    }

    /// The snaps that showed a position of the record exactly, the last one first, and after how
    /// many half-moves that was.
    fn agreed(&mut self) -> Vec<(usize, usize)> {
        let untold = self.untold_then();
        let (snaps, sheet) = (self.past.snaps(), &self.sheet);
        let agreed = snaps.iter().enumerate().rev().filter_map(|(idx, snap)| {
            let n = snap.n_plies.filter(|n| *n <= sheet.len())?;
            let differs = snap.seen.differs(sheet.position(n).board()) & !untold;
            differs.is_empty().then_some((idx, n))
        });
        agreed.collect()
    }

    /// After how many half-moves the board agreed with the record first, how often the clock was
    /// pressed since it last did, and who is on move now.
    fn turn_apart(&mut self, agreed: &[(usize, usize)]) -> Option<(usize, usize, Color)> {
        let (last, (_, first)) = (agreed.first()?.0, *agreed.last()?);
        let presses = |snaps: &[Snap]| snaps.iter().filter(|snap| snap.press.is_some()).count();
        let snaps = &self.past.snaps()[last + 1..];
        let n_presses = presses(snaps);
        let pressed = snaps.iter().rev().find(|snap| snap.press.is_some())?.clone();
        let by = pressed.press?;
        // Whoever was on move then has moved since, if anything has changed.
        let has_moved = pressed.seen != *self.tracker.seen();
        Some((first, n_presses, if has_moved { by } else { !by }))
    }
}

/// Whether a board that takes the place of another one shows the game as `base` knows it, or at
/// most [`UNSEEN_MAX`] half-moves on.
pub(super) fn shows_game(base: &Tracker, bridged: Option<&Bridged>) -> bool {
    let n_known = base.best().n_standing();
    bridged.is_some_and(|it| it.is_whole && it.common.len() <= n_known + UNSEEN_MAX)
}
