//! Which game a pairing is of: the next one, or the one that has begun.

use super::Game;
use crate::game::entry::Fact;
use crate::game::pairing::{Paired, PairedFor};

impl Game {
    /// Puts on record who plays the next game, and the one that is on, if no move is made in it or
    /// that is said. Nothing, if all of it is on record already.
    pub(super) fn pair(&mut self, paired: &Paired) {
        let Paired { pairing, is_current, is_anew, .. } = paired;
        let play = self.recorder.play();
        let is_on = play.is_some_and(|play| !play.is_over());
        let is_fresh = play.is_some_and(|play| play.sheet().is_empty());
        let holds = match play {
            Some(_) if *is_anew => PairedFor::Anew,
            Some(_) if is_on && (is_fresh || *is_current) => PairedFor::Current,
            Some(_) if is_on => PairedFor::Later,
            _ => PairedFor::Next,
        };
        let settings = &mut self.settings;
        let is_known = settings.due() == Some(pairing);
        let is_so = holds != PairedFor::Current || settings.pairing.as_deref() == Some(pairing);
        if is_known && is_so && holds != PairedFor::Anew {
            return;
        }
        // A game without a move that is of the round already is the one that is to be played.
        let is_set_up = is_on && is_fresh && settings.pairing.as_deref() == Some(pairing);
        let pairing = Box::new(pairing.clone());
        if holds == PairedFor::Current || play.is_none() || is_set_up {
            settings.pair(pairing);
        } else {
            settings.next = Some(pairing);
        }
        self.out.facts.push(Fact::paired(paired, holds));
    }

    /// A game that has begun is that of the pairing that was due.
    pub(super) fn note_paired(&mut self) {
        if self.settings.next.is_some()
            && self.out.facts.iter().any(is_start)
            && let Some(pairing) = self.settings.next.take()
        {
            self.settings.pair(pairing);
        }
    }
}

const fn is_start(fact: &Fact) -> bool {
    matches!(fact, Fact::GameStarted { .. })
}
