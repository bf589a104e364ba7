//! What the recorder watches, and what it has reported already.

use crate::game::clock::ClockSide;
use crate::game::entry::Fact;
use crate::game::play::Play;
use crate::laws::{Finding, FindingKind};
use crate::time::Mono;
use crate::track::{Mismatch, Tracker};
use shakmaty::{Bitboard, ByColor, Chess, Color, Piece, Position, Square};
use std::time::Duration;

/// A press without a legal move is reported after this: hand, scan and dump have had their time.
pub(super) const SUSPECT_AFTER: Duration = Duration::from_millis(900);
/// After the line was down, findings wait this long for the moves that were missed.
const GAP_GRACE: Duration = Duration::from_secs(5);

/// Between looks at a board that is still while not everything is told.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(50);

/// What is being watched, and what has been reported already.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    pub(super) suspect: Option<Suspect>,
    /// The illegal move that it may have been for, if that may be a piece over a border.
    pub(super) on_border: Option<OnBorder>,
    /// The illegal move that its player may have pressed for, or for what he moved before.
    pub(super) left: Option<LeftStanding>,
    /// Who pressed without a move, and when, if that is not told yet.
    pub(super) for_nothing: Option<(Color, Mono)>,
    /// The last press, as long as what stood there may be put back.
    pub(super) pressed: Option<PressedFor>,
    pub(super) has_pressed: bool,
    pub(super) last_gap: Option<Mono>,
    pub(super) searched: Option<Mono>,
    pub(super) differs_since: Option<Mono>,
    /// That was a single piece in a hand at first, lifted from here.
    pub(super) held: Option<Square>,
    pub(super) is_displaced: bool,
    pub(super) told_illegal: Option<Mismatch>,
    /// Behind so many half-moves a move may be missing that the board was to say, which has been
    /// told: how it stands is not known since.
    pub(super) untold_after: Option<usize>,
    /// When the piece came to its square of whose illegal move it was told that it was completed.
    pub(super) told_completed: Option<Mono>,
    /// Who completed an illegal move, and how many half-moves were on record: the clock is set
    /// going for him again.
    pub(super) illegal_by: Option<(Color, usize)>,
    pub(super) told_no_start: bool,
    /// It was told that bytes are hurt, and the board has not been read since.
    pub(super) told_hurt: bool,
    /// It was told that nobody knows how the pieces stand.
    pub(super) told_unknown: bool,
    pub(super) untidy: Option<Untidy>,
    pub(super) in_hand: Option<InHand>,
    pub(super) unpressed: Option<MissingPress>,
    /// The last press.
    pub(super) last_press: Option<(Color, Mono)>,
    /// The last press of each player.
    pub(super) presses: ByColor<Mono>,
    /// The clock was stopped, and nothing has been heard of the board since: what the next picture
    /// shows was there before.
    pub(super) is_stop_unseen: bool,
    /// Where board and record differed when the clock was stopped.
    pub(super) stopped_on: Bitboard,
    /// Searches cut short that have been told.
    pub(super) n_cut: u64,
}

/// How a press was heard.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::game) enum PressSource {
    /// The lever went over.
    Lever,
    /// A button was pressed whose end may have been down already.
    Button,
}

/// A press that no legal move accounts for yet.
#[derive(Copy, Clone, Debug)]
pub(super) struct Suspect {
    pub(super) by: Color,
    pub(super) at: Mono,
    pub(super) how: PressSource,
    /// When its player had pressed before.
    pub(super) before: Mono,
    /// See [`Watch::is_on_move`], then.
    pub(super) is_on_move: bool,
    /// A lever that comes back within this time was touched.
    pub(super) grace: Duration,
}

/// A press of a move that stands, with other pieces of the presser missing.
#[derive(Copy, Clone, Debug)]
pub(super) struct Untidy {
    pub(super) pressed: Mono,
    pub(super) squares: Bitboard,
}

/// A press while the piece to be moved was in the air.
#[derive(Copy, Clone, Debug)]
pub(super) struct InHand {
    pub(super) by: Color,
    pub(super) pressed: Mono,
}

/// What is known of a player who does not press.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum MissingPress {
    /// He has made a move, and his time runs.
    Waits(Color),
    /// The arbiter has been told.
    Told(Color),
}

/// An illegal move that may be a piece over a border.
#[derive(Clone, Debug)]
pub(super) struct OnBorder {
    pub(super) by: Color,
    pub(super) pressed: Mono,
    pub(super) piece: Piece,
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) mismatch: Mismatch,
    pub(super) finding: Finding,
}

/// An illegal move of which it is not clear that it was pressed for.
#[derive(Clone, Debug)]
pub(super) struct LeftStanding {
    pub(super) by: Color,
    pub(super) mismatch: Mismatch,
    pub(super) finding: Finding,
}

/// A press, and what its player may have completed by it.
#[derive(Clone, Debug)]
pub(super) struct PressedFor {
    pub(super) by: Color,
    pub(super) at: Mono,
    /// How the pieces stood when he was to move.
    pub(super) before: Chess,
    /// What stood there instead, once hand and scan had had their time.
    pub(super) illegal: Option<Mismatch>,
    /// When all stood again as it did before.
    pub(super) back: Option<Mono>,
}

impl Suspect {
    /// Whether `by`, who presses at `now`, has only pushed a lever back that was touched, or that
    /// one message alone, which may be hurt, had shown on his side.
    pub(super) fn is_touch(
        &self,
        now: Mono,
        by: Color,
        tracker: &Tracker,
        clock: &ClockSide,
    ) -> bool {
        let was_read_once = self.how == PressSource::Lever && clock.was_turned_once();
        self.by != by
            && (now.since(self.at) < self.grace || was_read_once)
            && tracker.last_change() < self.at
            && !tracker.may_be_illegal_press(self.at)
    }
}

impl Watch {
    /// Whether `by` is to move, and not to press back what was no legal move.
    pub(super) fn is_on_move(&self, play: &Play, by: Color) -> bool {
        play.tracker().best().standing().turn() == by
            && self.illegal_by != Some((!by, play.sheet().len()))
    }

    /// A lever went over. True if it was not the first of the game.
    pub(super) fn note_lever(&mut self) -> bool {
        std::mem::replace(&mut self.has_pressed, true)
    }

    /// The record has been corrected: what was held against somebody rested on what it was before.
    pub(super) fn forget_blame(&mut self) {
        (self.told_illegal, self.told_completed) = (None, None);
        (self.suspect, self.illegal_by, self.left) = (None, None, None);
        self.for_nothing = None;
    }

    /// The line was down: what was pressed meanwhile, nobody knows.
    pub(super) fn note_gap(&mut self, now: Mono) {
        self.note_silence(now);
        (self.suspect, self.for_nothing, self.pressed) = (None, None, None);
    }

    /// The line was down, and nothing was played meanwhile.
    pub(super) fn note_silence(&mut self, now: Mono) {
        self.last_gap = Some(now);
    }

    /// The board as it has stood since `changed` is searched. True if it has been before.
    pub(super) fn note_search(&mut self, changed: Option<Mono>) -> bool {
        std::mem::replace(&mut self.searched, changed) == changed && changed.is_some()
    }

    pub(super) fn is_after_gap(&self, now: Mono) -> bool {
        self.last_gap.is_some_and(|gap| now.since(gap) < GAP_GRACE)
    }

    pub(super) fn new_game(&mut self) {
        *self = Self::default();
    }

    /// Whether a press waits for the move that it completes.
    pub(super) fn has_suspect(&self) -> bool {
        self.suspect.is_some()
    }

    /// `by` presses at `now`. The last press before, and his own last.
    pub(super) fn note_press(&mut self, now: Mono, by: Color) -> (Option<(Color, Mono)>, Mono) {
        self.left = None;
        let last = self.last_press.replace((by, now));
        (last, std::mem::replace(&mut self.presses[by], now))
    }

    /// What `suspect` was for is not clear yet.
    pub(super) fn await_suspect(&mut self, suspect: Suspect) {
        self.suspect = Some(suspect);
    }

    /// How long board and record have differed.
    pub(super) fn differs_for(&self, now: Mono) -> Duration {
        self.differs_since.map_or(Duration::ZERO, |since| now.since(since))
    }

    /// That pieces are displaced is being told. True if it has been before.
    pub(super) fn note_displaced(&mut self) -> bool {
        std::mem::replace(&mut self.is_displaced, true)
    }

    /// Whether it has been told that pieces are displaced, and they still are.
    pub(super) fn is_displaced(&self) -> bool {
        self.is_displaced
    }

    /// A sensor changed, or the whole board was read. True if that is the first that is heard of
    /// the board since the clock was stopped.
    pub(super) fn note_board(&mut self) -> bool {
        std::mem::take(&mut self.is_stop_unseen)
    }

    pub(super) fn is_new_cut(&mut self, n: u64) -> bool {
        std::mem::replace(&mut self.n_cut, n) < n
    }

    pub(super) fn note_hurt(&mut self, facts: &mut Vec<Fact>) {
        if !std::mem::replace(&mut self.told_hurt, true) {
            facts.push(Fact::Found(Finding { kind: FindingKind::LineHurt, by: None }));
        }
    }

    pub(super) fn note_unknown(&mut self, facts: &mut Vec<Fact>) {
        if !std::mem::replace(&mut self.told_unknown, true) {
            facts.push(Fact::Found(Finding { kind: FindingKind::PositionUnknown, by: None }));
        }
    }

    pub(super) fn note_no_start(&mut self, facts: &mut Vec<Fact>) {
        if !std::mem::replace(&mut self.told_no_start, true) {
            facts.push(Fact::Found(Finding { kind: FindingKind::NoStartPosition, by: None }));
        }
    }
}
