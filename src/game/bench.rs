//! The referee's bench: the referee, what it said last, and the press that it has not been told yet
//! because the record may know better.

use super::entry::Fact;
use super::play;
use super::settings::Settings;
use crate::laws::{
    ClockOrder, Clocks, Code, Finding, FindingKind, Note, Referee, Ruling, Said, Severity, Stage,
    Terms, Told,
};
use crate::table::{Placement, defaults};
use crate::time::Mono;
use shakmaty::{CastlingMode, Chess, Color, Position};
use std::time::Duration;

/// Between records of what a clock shows.
const SHOWN_EVERY: Duration = Duration::from_secs(10);

defaults! {
    /// The referee and what it said last.
    #[derive(Clone, Debug)]
    pub(super) struct Bench {
        given {
            referee: Referee,
            /// What it was seated before.
            start: Chess,
        }
        said: Vec<Ruling>,
        /// A press in doubt.
        doubt: Option<Doubt>,
        orders: Vec<ClockOrder>,
        /// What the clock showed when it was last recorded.
        shown: Option<(Mono, Clocks)>,
        /// What it shows now.
        latest: Option<Clocks>,
    }
}

impl Bench {
    /// A referee for the game that the settings name, if they name its terms.
    pub(super) fn of(settings: &Settings) -> Option<Self> {
        let terms = settings.terms.clone()?;
        let mode = CastlingMode::from_chess960(settings.is_chess960);
        let (start, mode) = match settings.start {
            Some(_) => play::start_of(settings)?,
            None => (Chess::new(), mode),
        };
        Some(Self::seated(terms, start, mode))
    }

    /// A referee before this position.
    pub(super) fn seated(terms: Terms, start: Chess, mode: CastlingMode) -> Self {
        let seen = Placement::from(start.board().clone());
        let referee = Referee::new(terms, start.clone(), mode, seen);
        Self::begin(referee, start)
    }

    pub(super) const fn referee(&self) -> &Referee {
        &self.referee
    }

    /// What the referee was seated before.
    pub(super) const fn start(&self) -> &Chess {
        &self.start
    }

    /// What it said to the last event.
    pub(super) fn said(&self) -> &[Ruling] {
        &self.said
    }

    /// Whether it has followed a game that has moves, or a result.
    pub(super) fn is_used(&self) -> bool {
        !self.referee.moves().is_empty() || self.referee.result().is_some()
    }

    /// The record begins behind the beginning of the game.
    pub(super) fn set_joined(&mut self) {
        self.referee.set_joined();
    }

    /// Tells the referee; what it rules.
    pub(super) fn tell(&mut self, now: Mono, told: &Told) -> Vec<Ruling> {
        let Said { rulings, clock } = self.referee.tell(now, told);
        self.orders.extend(clock);
        rulings
    }

    /// This was said to the event that is being handled, by whoever was seated then.
    pub(super) fn note_said(&mut self, rulings: &[Ruling]) {
        self.said.extend_from_slice(rulings);
    }

    /// What was said to the last event is past.
    pub(super) fn clear(&mut self) {
        self.said.clear();
    }

    /// What the referee has ordered of the clock since this was asked last.
    pub(super) fn take_orders(&mut self) -> Vec<ClockOrder> {
        std::mem::take(&mut self.orders)
    }

    /// Another referee takes over, who knows what is on record.
    pub(super) fn begin_again(&mut self, now: Mono) {
        self.orders.clear();
        self.said.clear();
        self.referee.begin_again(now);
    }

    /// The clock shows this now.
    pub(super) const fn note_clock(&mut self, clocks: Clocks) {
        self.latest = Some(clocks);
    }

    /// What the clock shows now, if that is not on record; it is taken for recorded then.
    pub(super) fn take_latest(&mut self, now: Mono) -> Option<Clocks> {
        let known = self.shown.map(|(_, clocks)| clocks);
        let latest = self.latest.filter(|latest| known != Some(*latest))?;
        self.shown = Some((now, latest));
        Some(latest)
    }

    /// Whether the clock shows that somebody's time runs.
    pub(super) fn is_clock_running(&self) -> bool {
        self.latest.is_some_and(|latest| latest.running.is_some())
    }

    /// Whether what the clock shows is to go on record: when another side runs, when time was
    /// given, and from time to time. It is taken for recorded then.
    pub(super) fn is_to_record(&mut self, now: Mono, clocks: Clocks) -> bool {
        let is_turn = self.shown.is_none_or(|(at, known)| {
            known.running != clocks.running
                || clocks.left.white > known.left.white
                || clocks.left.black > known.left.black
                || known != clocks && now.since(at) >= SHOWN_EVERY
        });
        if is_turn {
            self.shown = Some((now, clocks));
        }
        is_turn
    }

    /// The press that waits for the record.
    pub(super) const fn doubt(&self) -> Option<&Doubt> {
        self.doubt.as_ref()
    }

    /// Nothing waits any more; what did.
    pub(super) const fn take_doubt(&mut self) -> Option<Doubt> {
        self.doubt.take()
    }

    /// Lets a press wait, if the referee would blame somebody for it; or would have it made again,
    /// unless the board `is_in_step`. True if it waits.
    pub(super) fn doubts(&mut self, pressed: Mono, by: Color, is_in_step: bool) -> bool {
        let blame = self.blame(pressed, by, is_in_step);
        self.doubt = blame.map(|blame| Doubt { pressed, by, blame, behind: Vec::new() });
        self.doubt.is_some()
    }

    /// What comes while a press waits, waits behind it. True if one does.
    pub(super) fn keep_waiting(&mut self, now: Mono, told: &Told) -> bool {
        let Some(doubt) = &mut self.doubt else { return false };
        doubt.behind.push((now, told.clone()));
        true
    }

    /// What the referee would blame somebody for if it were told of this press now.
    fn blame(&self, now: Mono, by: Color, is_in_step: bool) -> Option<Blame> {
        let mut referee = self.referee.clone();
        let said = referee.tell(now, &Told::Pressed(by));
        let is_beyond = referee.has_gone_beyond() && !self.referee.has_gone_beyond();
        let blames = || said.rulings.iter().filter_map(Blame::of);
        let illegal = blames().find(|blame| *blame != Blame::Disorder);
        let beyond = is_beyond.then_some(Blame::Beyond);
        let is_again = |ruling: &Ruling| {
            matches!(ruling, Ruling::Log(Note { code: Code::PressAgain, .. })) && !is_in_step
        };
        let again = said.rulings.iter().any(is_again).then_some(Blame::Again);
        illegal.or(beyond).or_else(|| blames().next()).or(again)
    }

    /// Whether the press of `by` that waits would be that on an illegal move if it came now, after
    /// all that waits behind it.
    pub(super) fn still_blames(&self, now: Mono, by: Color) -> bool {
        let mut referee = self.referee.clone();
        for (at, told) in self.doubt.iter().flat_map(|doubt| &doubt.behind) {
            referee.tell(*at, told);
        }
        let said = referee.tell(now, &Told::Pressed(by));
        said.rulings.iter().filter_map(Blame::of).any(|blame| blame == Blame::Illegal)
    }

    /// Whether a piece would still stand where it may not have gone on to, by all that waits.
    pub(super) fn is_still_beyond(&self, now: Mono) -> bool {
        let mut referee = self.referee.clone();
        for (at, told) in self.doubt.iter().flat_map(Doubt::all) {
            referee.tell(at, &told);
        }
        // What was put right rests by now.
        referee.tell(now, &Told::Passed);
        referee.has_gone_beyond()
    }
}

/// What a referee would blame somebody for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// That an illegal move was completed.
    Illegal,
    /// That a piece was exchanged for one of another kind on its way. To the record nothing but
    /// disorder can look so.
    Exchanged,
    /// That a released piece went on to where it may not go. Its move stands on record, which has
    /// nothing against it.
    Beyond,
    /// Something else: that nothing was moved, or that pieces lie about.
    Disorder,
    /// That he is to press again, as the clock does not run for him. Whose turn it is nobody knows
    /// of a board that was away.
    Again,
}

impl Blame {
    fn of(ruling: &Ruling) -> Option<Self> {
        match ruling {
            Ruling::IllegalCompleted { why, .. } if why.is_exchange() => Some(Self::Exchanged),
            Ruling::IllegalCompleted { .. } => Some(Self::Illegal),
            // How a legal move was made is not in doubt.
            Ruling::Log(Note {
                code: Code::TouchMove | Code::RookFirst | Code::MovedAfterRelease,
                ..
            }) => None,
            Ruling::Log(note) if note.code.severity() == Severity::Irregularity => {
                Some(Self::Disorder)
            }
            _ => None,
        }
    }

    /// Whether `fact`, which the record has just found, holds the same against `by`.
    pub(super) fn is_shared_by(self, fact: &Fact, by: Color) -> bool {
        match self {
            Self::Illegal => is_illegal_of(fact, by) || is_king_captured(fact, by),
            Self::Exchanged => matches!(fact, Fact::PositionLost(_)) || is_disorder_of(fact, by),
            Self::Beyond | Self::Disorder => is_disorder_of(fact, by),
            Self::Again => false,
        }
    }
}

/// A press that waits for the record, because the referee would blame somebody.
#[derive(Clone, Debug)]
pub(super) struct Doubt {
    /// When it came.
    pub(super) pressed: Mono,
    pub(super) by: Color,
    pub(super) blame: Blame,
    /// What came after it.
    pub(super) behind: Vec<(Mono, Told)>,
}

impl Doubt {
    /// The press and what came after it, in their order.
    fn all(&self) -> impl Iterator<Item = (Mono, Told)> {
        let press = (self.pressed, Told::Pressed(self.by));
        std::iter::once(press).chain(self.behind.iter().cloned())
    }
}

/// Whether the record has just found an illegal move that `by` completed.
fn is_illegal_of(fact: &Fact, by: Color) -> bool {
    matches!(fact, Fact::IllegalMove { stage: Stage::Completed, by: known, .. } if *known == by)
}

/// Whether the record has just found that `by` has captured a king, which is no move.
fn is_king_captured(fact: &Fact, by: Color) -> bool {
    matches!(fact, Fact::Found(Finding { kind: FindingKind::KingCaptured { .. }, by: Some(known) })
        if *known == by)
}

/// Whether the record has just found another fault with a press of `by`.
fn is_disorder_of(fact: &Fact, by: Color) -> bool {
    match fact {
        Fact::Found(finding) => {
            finding.by == Some(by) && finding.severity() == Severity::Irregularity
        }
        _ => is_illegal_of(fact, by),
    }
}
