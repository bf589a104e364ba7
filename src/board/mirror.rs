//! What a board shows that tells all its squares at once: the news of each picture is how it
//! differs from the one before.

use super::News;
use crate::table::Sight;
use crate::time::Mono;
use crate::wire::{Dump, Field, FieldCode, Orientation};
use std::collections::VecDeque;
use std::time::Duration;

/// A picture is told as a whole, even if nobody has asked for it, after this time.
const WHOLE_EVERY: Duration = Duration::from_secs(2);

/// What [`Driver`](super::Driver) wants of every board that shows itself by a `mirror`, is sent
/// what is in `sent`, and was `last_heard` then.
macro_rules! by_mirror {
    () => {
        fn poll(&mut self, _now: Mono, _expects: &dyn $crate::board::Expects) -> Option<News> {
            self.mirror.poll()
        }

        fn take_sent(&mut self) -> Vec<Vec<u8>> {
            std::mem::take(&mut self.sent)
        }

        fn last_heard(&self) -> Mono {
            self.last_heard
        }

        fn lies(&self) -> Option<Orientation> {
            self.mirror.lies()
        }

        fn take_up(&mut self, known: $crate::board::Known) {
            self.mirror.take_up(known.lies, known.sight);
        }
    };
}
pub(super) use by_mirror;

/// The board as it was shown last.
#[derive(Clone, Debug, Default)]
pub(super) struct Mirror {
    /// A setting says how the board lies.
    is_way_named: bool,
    lies: Option<Orientation>,
    sight: Sight,
    shown: Option<Box<Dump>>,
    is_live: bool,
    /// Whoever follows the game waits for a picture.
    is_wanted: bool,
    /// When the board was last told of as a whole.
    told_at: Mono,
    news: VecDeque<News>,
}

impl Mirror {
    /// A board that has shown nothing yet, and lies so, if that is known.
    pub(super) fn new(lies: Option<Orientation>) -> Self {
        Self { is_way_named: lies.is_some(), lies, ..Self::default() }
    }

    /// How the board lies, if it is known.
    pub(super) fn lies(&self) -> Option<Orientation> {
        self.lies
    }

    /// Takes up how the board lies and what it tells from the record, unless a setting has said so.
    pub(super) fn take_up(&mut self, lies: Option<Orientation>, sight: Option<Sight>) {
        self.lies = self.lies.or(lies);
        self.sight = sight.unwrap_or(self.sight);
    }

    /// What the board can tell of a piece.
    pub(super) fn see(&mut self, sight: Sight) {
        if std::mem::replace(&mut self.sight, sight) != sight {
            // What it said before meant something else.
            self.shown = None;
            self.news.push_back(News::Sees(sight));
        }
    }

    /// What was shown last.
    pub(super) fn shown(&self) -> Option<&Dump> {
        self.shown.as_deref()
    }

    /// Whether it was shown since the line is open.
    pub(super) fn is_live(&self) -> bool {
        self.is_live
    }

    /// The line is gone.
    pub(super) fn lose(&mut self) {
        (self.is_live, self.is_wanted) = (false, false);
    }

    /// The next picture is to be told as a whole.
    pub(super) fn want(&mut self) {
        self.is_wanted = true;
    }

    /// Something is known that is no picture.
    pub(super) fn tell(&mut self, news: News) {
        self.news.push_back(news);
    }

    /// The board shows this. It is told as a whole if that is wanted or due, or nobody knows yet
    /// what was there before; else what has changed, first what was lifted.
    pub(super) fn show(&mut self, now: Mono, dump: Dump) {
        let mut is_whole = self.is_wanted || now.since(self.told_at) >= WHOLE_EVERY;
        if is_whole {
            (self.is_wanted, self.told_at) = (false, now);
        }
        if !std::mem::replace(&mut self.is_live, true) {
            self.news.push_back(News::Live);
            is_whole = true;
        }
        if let Some(way) = dump.lies_anew(self.lies).filter(|_| !self.is_way_named) {
            self.lies = Some(way);
            self.news.push_back(News::Lies(way));
            is_whole = true;
        }
        let before = self.shown.replace(Box::new(dump.clone()));
        let lies = self.lies.unwrap_or(Orientation::Normal);
        match before {
            Some(before) if !is_whole => {
                let mut changed: Vec<Field> =
                    Field::all().filter(|field| before.code(*field) != dump.code(*field)).collect();
                changed.sort_by_key(|field| dump.code(*field) != FieldCode::Empty);
                for field in changed {
                    let reading = self.sight.of(dump.code(field).piece());
                    self.news.push_back(News::Sensed(lies.square(field), reading));
                }
            }
            _ => {
                let shown = self.sight.of_board(&dump.placement(lies));
                self.news.push_back(News::Pictured(shown));
            }
        }
    }

    /// What is new.
    pub(super) fn poll(&mut self) -> Option<News> {
        self.news.pop_front()
    }
}
