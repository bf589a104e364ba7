//! A contact that bounces, and what it means: buttons, a rocker, or the lever of any clock.
//!
//! A press is stamped with its first edge and believed once the contact has rested, so the stamp is
//! as exact as the edge's, and a spike is no press. Edges are hints only: where many come at once
//! some are lost, so the level is read again when the contact should have come to rest. All numbers
//! are ours.

use std::time::Duration;

use crate::table::End;
use crate::time::Mono;

/// Without an edge for this long a contact has come to rest: buttons bounce for 1 to 5 ms.
pub const REST: Duration = Duration::from_millis(5);
/// A contact that finds no rest for this long is believed as it stands: it is bad, but a press on
/// it must not be lost.
pub const RESTLESS: Duration = Duration::from_millis(50);

/// What a contact does.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Level {
    /// No current: a button is up.
    Open,
    /// Current: a button is down.
    Closed,
}

/// A contact at rest, or on its way.
#[derive(Debug, Clone)]
pub struct Contact {
    stable: Level,
    seen: Level,
    /// The first and the last edge since the last rest.
    edges: Option<(Mono, Mono)>,
}

impl Contact {
    /// A contact that rests.
    pub const fn new(stable: Level) -> Self {
        Self { stable, seen: stable, edges: None }
    }

    /// Where it rested last.
    pub const fn stable(&self) -> Level {
        self.stable
    }

    /// An edge at `at`, after which the contact stood so; or its level was read. Edges come in the
    /// order of their time. If the contact has come to rest elsewhere: when it left, and where it
    /// is.
    pub fn read(&mut self, at: Mono, level: Level) -> Option<(Mono, Level)> {
        // Long after the rest this is a new edge; just after it, one of the old that was not seen.
        let is_new = self.rests_at().is_some_and(|rest| rest + REST <= at);
        let rested = if is_new { self.rest(at) } else { None };
        if level != self.seen {
            self.seen = level;
            let first = self.edges.map_or(at, |(first, _)| first);
            self.edges = Some((first, at));
        }
        rested.or_else(|| self.rest(at))
    }

    /// The time has come to `at`, and no edge with it.
    fn rest(&mut self, at: Mono) -> Option<(Mono, Level)> {
        let (first, _) = self.edges.filter(|_| self.rests_at().is_some_and(|rest| rest <= at))?;
        self.edges = None;
        let has_moved = self.seen != self.stable;
        self.stable = self.seen;
        has_moved.then_some((first, self.stable))
    }

    fn rests_at(&self) -> Option<Mono> {
        self.edges.map(|(first, last)| (last + REST).min(first + RESTLESS))
    }

    /// When its level must be read, whether an edge comes or not.
    pub fn wake_at(&self) -> Option<Mono> {
        self.rests_at()
    }
}

/// How contacts and presses belong together.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A button at each end; closed is pressed.
    Buttons,
    /// One contact below a rocker or a lever, closed while this end is down.
    Lever(End),
}

/// The contacts of one clock.
#[derive(Debug, Clone)]
pub struct Contacts {
    shape: Shape,
    /// Left and right; a lever has only the left one.
    contacts: [Contact; 2],
}

impl Contacts {
    /// Contacts that stand so when they are first read.
    pub const fn new(shape: Shape, left: Level, right: Level) -> Self {
        Self { shape, contacts: [Contact::new(left), Contact::new(right)] }
    }

    /// The contact at `end` was read, or an edge of it was seen. The end that was pressed, and
    /// when. A lever has its one contact at the left.
    pub fn read(&mut self, at: Mono, end: End, level: Level) -> Option<(Mono, End)> {
        let (when, level) = self.contacts[end.idx()].read(at, level)?;
        let pressed = match (self.shape, level) {
            (Shape::Buttons, Level::Closed) => end,
            (Shape::Buttons, Level::Open) => return None,
            (Shape::Lever(down), Level::Closed) => down,
            (Shape::Lever(down), Level::Open) => down.other(),
        };
        Some((when, pressed))
    }

    /// The end of a lever that is down; `None` with buttons, which do not stay.
    pub fn down(&self) -> Option<End> {
        match (self.shape, self.contacts[0].stable()) {
            (Shape::Buttons, _) => None,
            (Shape::Lever(down), Level::Closed) => Some(down),
            (Shape::Lever(down), Level::Open) => Some(down.other()),
        }
    }

    /// When the levels of all contacts must be read.
    pub fn wake_at(&self) -> Option<Mono> {
        self.contacts.iter().filter_map(Contact::wake_at).min()
    }
}
