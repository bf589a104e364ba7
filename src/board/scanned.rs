//! A board whose squares are looked at one after the other, as those of a sensor matrix are:
//! nothing gets lost on the way, and nothing needs to be asked for.

use super::{Driver, Expects, News};
use crate::table::{Placement, Reading};
use crate::time::Mono;
use crate::wire::BoardMessage;
use shakmaty::Square;
use std::collections::VecDeque;

/// The driver of a scanned board.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    is_up: bool,
    is_live: bool,
    last_heard: Mono,
    news: VecDeque<News>,
}

impl Driver for Scanned {
    fn link_up(&mut self, now: Mono, _asks_clock: bool) {
        (self.is_up, self.is_live, self.last_heard) = (true, false, now);
    }

    fn link_down(&mut self) {
        (self.is_up, self.is_live) = (false, false);
    }

    /// Of DGT's messages only those of a clock mean anything beside it.
    fn on_message(&mut self, _now: Mono, message: &BoardMessage) {
        if let BoardMessage::Clock(clock) = message {
            self.news.push_back(News::Clock(clock.clone()));
        }
    }

    fn on_sensed(&mut self, now: Mono, sq: Square, reading: Reading) {
        self.last_heard = now;
        self.news.push_back(News::Sensed(sq, reading));
    }

    fn on_picture(&mut self, now: Mono, placement: &Placement) {
        self.last_heard = now;
        if self.is_up && !std::mem::replace(&mut self.is_live, true) {
            self.news.push_back(News::Live);
        }
        self.news.push_back(News::Pictured(placement.clone()));
    }

    fn poll(&mut self, _now: Mono, _expects: &dyn Expects) -> Option<News> {
        self.news.pop_front()
    }

    /// Its scans tell the whole board again and again, unasked.
    fn want_picture(&mut self, _now: Mono) {}

    fn last_heard(&self) -> Mono {
        self.last_heard
    }
}
