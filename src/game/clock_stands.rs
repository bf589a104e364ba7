//! A clock that the host runs and that nobody has started: players who do not look at it would play
//! a whole game without time.

use super::entry::Fact;
use super::machine::Game;
use super::settings::ClockRole;
use crate::clock::Device;
use crate::laws::{Finding, FindingKind};
use crate::wire;

/// Half-moves without a press after which the players have begun all the same.
const BEGUN: usize = 2;

/// What is known of such a clock in this game.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct ClockStands {
    /// The end that is up.
    high: Option<wire::End>,
    is_told: bool,
}

impl ClockStands {
    /// A new game begins at the same clock.
    pub(super) const fn new_game(self) -> Self {
        Self { is_told: false, ..self }
    }
}

impl Game {
    /// A reading of the clock says which end is up. Whoever presses for a move while a driven clock
    /// stands has not seen that it does.
    pub(super) fn watch_standing_clock(&mut self, high: wire::End) {
        let has_turned = self.clock_stands.high.replace(high).is_some_and(|before| before != high);
        let has_moved = || self.play().is_some_and(|play| play.shows_one_more_move());
        if has_turned && (self.has_begun_without_clock(1) || self.may_stand() && has_moved()) {
            self.tell_standing_clock();
        }
    }

    /// The same of players who do not press at all.
    pub(super) fn watch_start(&mut self) {
        let is_move = |fact: &Fact| matches!(fact, Fact::MoveMade { .. });
        if self.facts.iter().any(is_move) && self.has_begun_without_clock(BEGUN) {
            self.tell_standing_clock();
        }
    }

    fn may_stand(&self) -> bool {
        let is_driven = self.settings().clock_role == ClockRole::Driven;
        let is_there = self.clock().device() == Device::Present;
        is_driven && is_there && !self.clock().is_running() && !self.is_over()
    }

    /// Whether so many half-moves are on record while the clock has not run.
    fn has_begun_without_clock(&self, n_plies: usize) -> bool {
        self.may_stand()
            && !self.clock().has_run()
            && self.play().is_some_and(|play| play.sheet().len() >= n_plies)
    }

    fn tell_standing_clock(&mut self) {
        if !std::mem::replace(&mut self.clock_stands.is_told, true) {
            self.facts.push(Fact::Found(Finding { kind: FindingKind::ClockStands, by: None }));
        }
    }
}
