//! A game whose beginning nobody saw: a daemon that wakes in the middle of one, a position that was
//! set up, odds. It is recorded from the position that stands.
//!
//! That something is on the board does not make it a game: pieces are set up, put away and
//! analyzed with. What makes it one is a clock that runs, or moves that follow each other as the
//! Laws want it. So it is kept how the board stood each time the clock was pressed and each time
//! it was at rest; where legal moves lead from one of these stands to the next, the game is joined
//! at the first of them, and these moves are recorded.

use super::gap::RESTED;
use super::in_hand::Handling;
use super::pause::{Begun, LateSteps, MOVES_TOLD, PAUSED, is_step, position, step};
use super::timers::Timer;
use super::{Cx, Recorder};
use crate::clock::ClockPresence;
use crate::game::entry::{Fact, LinkState};
use crate::game::play::{Play, n_come_back};
use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Board, CastlingMode, Color, Position, Role, Square};
use std::time::Duration;

/// A board that has been still for so long may stand between two moves.
const AT_REST: Duration = Duration::from_millis(1_000);
/// So long after a press the presser's move is scanned.
const SCANNED: Duration = Duration::from_millis(250);
/// So long a position has stood that no move is known to have led to.
const STOOD: Duration = Duration::from_secs(3);
/// A board that no game begins from is told of after this.
const NO_START_AFTER: Duration = Duration::from_secs(5);
/// A record of more half-moves than these, none of them pressed, is not taken for pieces that were
/// being set up.
const SET_UP_MAX: usize = 8;
/// On so many squares a board must differ from such a record to contradict it.
const SET_UP_FROM: usize = 6;
/// Stands that are kept at the most.
const STANDS_MAX: usize = 8;

/// A board on which a move may have ended.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    /// Since when it stood so.
    at: Mono,
    board: Board,
    /// Who pressed the clock on it.
    by: Option<Color>,
    /// Who had moved a piece last then, if that may have been a move.
    made: Option<Color>,
    /// Whose move led to it from the stand before.
    moved: Option<Color>,
    /// How many half-moves were on record as completed then.
    n_known: usize,
    /// What the record had on the board then.
    on_record: Board,
}

/// A press, until the board has been scanned after it.
#[derive(Clone, Debug)]
struct Pressed {
    at: Mono,
    by: Color,
    /// What was on the board then.
    board: Board,
    /// Who had moved a piece last then, if that may have been a move.
    made: Option<Color>,
}

/// What is watched for a game that has not been seen from its beginning.
#[derive(Clone, Debug, Default)]
pub(super) struct Joining {
    /// What the sensors see.
    seen: Placement,
    /// When that last changed.
    changed: Mono,
    /// A piece was put down then.
    was_put: bool,
    /// What the sensors have said of late.
    steps: LateSteps,
    /// The board was read as a whole since the line is open.
    is_pictured: bool,
    pressed: Option<Pressed>,
    /// What is in somebody's hand.
    hands: Handling,
    /// A piece may have been missing at the press before, which was passed over. Where that goes on
    /// to be so, as on a line that is opened again and again, the game is joined all the same.
    has_waited: bool,
    /// How the board stood, oldest first.
    stands: Vec<Arrival>,
    /// When the board was first seen without a game.
    since: Option<Mono>,
}

impl Joining {
    /// A sensor tells.
    pub(super) fn sense(&mut self, now: Mono, sq: Square, reading: Reading) {
        let before = self.seen.get(sq);
        if before == reading {
            return;
        }
        match (before, reading) {
            (Reading::Piece(piece), Reading::Empty) => self.hands.lift(now, sq, piece),
            (_, Reading::Piece(piece)) => self.hands.put(now, sq, piece),
            _ => {}
        }
        self.seen.set(sq, reading);
        self.steps.note(now, sq, reading);
        (self.changed, self.was_put) = (now, matches!(reading, Reading::Piece(_)));
    }

    /// `sq` is about to read this. Where it lifts a piece from a board on which one was put down
    /// before, and nothing stirred for a moment, that may have stood between two moves. Where moves
    /// that follow each other tell, what they began from.
    pub(super) fn pause(
        &mut self,
        now: Mono,
        (sq, reading): (Square, Reading),
        mode: CastlingMode,
    ) -> Option<Begun> {
        let is_lifted = reading == Reading::Empty && self.seen.get(sq) != Reading::Empty;
        let has_paused = self.was_put && now.since(self.changed) >= PAUSED;
        let board = self.board().filter(|_| is_lifted && has_paused)?.clone();
        let (at, on_record, made) = (self.changed, board.clone(), self.made());
        let stand = Arrival { at, board, by: None, made, moved: None, n_known: 0, on_record };
        self.stand(stand, mode);
        self.begun().filter(|_| self.run().len() > MOVES_TOLD)
    }

    /// What the moves that follow each other began from, if nobody has pressed a clock for them.
    fn begun(&self) -> Option<Begun> {
        let (Arrival { at, board, .. }, stands) = self.run().split_first()?;
        let turn = stands.first()?.moved.filter(|_| self.run().iter().all(|it| it.by.is_none()))?;
        Some(Begun { at: *at, board: board.clone(), turn, steps: self.steps.since(*at)? })
    }

    /// The clock was pressed.
    pub(super) fn press(&mut self, by: Color) {
        self.hands.press(by);
    }

    /// The whole board was read.
    pub(super) fn picture(&mut self, now: Mono, picture: &Placement) {
        let changes = self.seen.changes(picture);
        for sq in changes {
            self.sense(now, sq, picture.get(sq));
        }
        if changes.any() {
            self.hands.forget_order();
        }
        if !std::mem::replace(&mut self.is_pictured, true) {
            // What has come and gone since was not moved just now.
            self.hands.begin(now);
        }
        self.since.get_or_insert(now);
    }

    /// The line is gone: how the board stood then leads to nothing.
    pub(super) fn link_down(&mut self) {
        (self.is_pictured, self.pressed) = (false, None);
        self.hands = Handling::default();
        self.stands.clear();
    }

    /// A game begins, or has ended: how the board stood until now leads to no other one.
    pub(super) fn forget_stands(&mut self) {
        (self.pressed, self.since) = (None, None);
        self.stands.clear();
    }

    /// Whose piece was moved last, by what was seen since the board was first read.
    pub(super) fn moved(&self) -> Option<Color> {
        self.hands.moved
    }

    /// Whose piece came last to where it stands, if it may have been moved there.
    pub(super) fn made(&self) -> Option<Color> {
        self.board().and_then(|board| self.hands.made(board))
    }

    /// What is on the board; `None` if the sensors name no pieces.
    pub(super) fn board(&self) -> Option<&Board> {
        self.seen().filter(|seen| seen.unnamed().is_empty()).map(Placement::known)
    }

    /// What the sensors see, if they have been read as a whole.
    pub(super) fn seen(&self) -> Option<&Placement> {
        self.is_pictured.then_some(&self.seen)
    }

    /// How the board stood at the press. What has changed since is the opponent's next move, unless
    /// the presser's piece was still to be scanned, or to be put down. `None` if a piece of the
    /// opponent's has come from nowhere: he held it, and nobody knows where it stood; or if one was
    /// only passing where it was seen then: it had been captured.
    fn board_pressed(&self, pressed: &Pressed) -> Option<Board> {
        let (now, mut board) = (self.board()?, pressed.board.clone());
        let theirs = |board: &Board| board.by_color(!pressed.by);
        let gone = theirs(&board) & !theirs(now);
        let was_passing = gone.into_iter().any(|sq| self.hands.has_passed(pressed.at, sq));
        if theirs(now).count() > theirs(&board).count() || was_passing {
            return None;
        }
        for role in Role::ALL {
            let piece = role.of(pressed.by);
            let (was, is) = (pressed.board.by_piece(piece), now.by_piece(piece));
            let (gone, come) = (was & !is, is & !was);
            if come.count() < gone.count() {
                // What is missing is in the opponent's hand, and was captured.
                continue;
            }
            gone.into_iter().for_each(|sq| board.discard_piece_at(sq));
            come.into_iter().for_each(|sq| board.set_piece_at(sq, piece));
        }
        Some(board)
    }

    /// What stands on the board between two moves: pieces that somebody has in hand, or has taken
    /// off, are on their squares, if as many stood on the board `before`.
    pub(super) fn between_moves(&self, now: Mono, before: &Board) -> Option<Board> {
        let mut board = self.board()?.clone();
        self.hands.put_back(now, before, &mut board);
        Some(board)
    }

    /// Until when `board`, which stands there, is taken for no position, as a piece is missing, or
    /// may be seen twice.
    pub(super) fn missed_until(&self, now: Mono, before: &Board, board: &Board) -> Option<Mono> {
        let missed = self.hands.missed_until(now, before, board);
        missed.max(self.hands.seen_twice_until(now, before, board))
    }

    /// Until when a piece may be seen twice, as there are more of its kind than a game begins with.
    fn seen_twice_until(&self, now: Mono) -> Option<Mono> {
        self.hands.seen_twice_until(now, &Board::new(), self.board()?)
    }

    /// The stand that a legal move leads to `board` from, and whose move that is.
    fn leads_to(&self, board: &Board, mode: CastlingMode) -> Option<(usize, Color)> {
        self.stands.iter().enumerate().rev().find_map(|(idx, stand)| {
            let mover = step(&stand.board, board, stand.moved.map(|color| !color), mode)?;
            Some((idx, mover))
        })
    }

    /// The board stands so.
    fn stand(&mut self, stand: Arrival, mode: CastlingMode) {
        if let Some(last) = self.stands.last_mut().filter(|last| last.board == stand.board) {
            (last.by, last.made) = (stand.by.or(last.by), stand.made);
            return;
        }
        let from = self.leads_to(&stand.board, mode);
        if let Some((idx, _)) = from {
            self.stands.truncate(idx + 1);
        }
        if self.stands.len() == STANDS_MAX {
            self.stands.remove(0);
        }
        self.stands.push(Arrival { moved: from.map(|(_, mover)| mover), ..stand });
    }

    /// The last stands that follow from each other, the first of which is where they began.
    fn run(&self) -> &[Arrival] {
        let n = self.stands.iter().rev().take_while(|stand| stand.moved.is_some()).count();
        &self.stands[self.stands.len().saturating_sub(n + 1)..]
    }
}

/// What makes a game of what stands on the board.
enum JoinedAs {
    /// Nobody has recorded a game here: it is joined at the first stand.
    Game,
    /// What is on record was pieces being set up.
    SetUp,
    /// The board was taken over otherwise than it stood.
    Anew,
    /// The game on record went on unseen.
    Gap,
}

impl Recorder {
    /// Whether what the board does may tell of a game that is not on record.
    fn may_join(&self) -> bool {
        self.link == LinkState::Live && !self.is_blind && !self.is_silent()
    }

    /// The board has changed, or was read.
    pub(super) fn note_stand(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let is_watched = match &self.play {
            None => true,
            Some(play) => play.is_over() || play.is_bare() || !play.is_ever_pressed(),
        };
        // Where no game is on record the page shows the board as it is.
        *cx.wants_show |= self.play.is_none();
        if is_watched && self.joining.pressed.is_none() {
            self.timers.set(Timer::Join, now + AT_REST);
        }
    }

    /// The clock was pressed.
    pub(super) fn press_stand(&mut self, cx: &mut Cx<'_>, now: Mono, by: Color) {
        let is_watched = match &self.play {
            None => true,
            Some(play) => play.is_over() || play.is_bare() || play.mismatch().is_some(),
        };
        if !is_watched {
            self.joining.stands.clear();
            return;
        }
        let is_unclear = self.joining.hands.is_unclear(now);
        let has_waited = std::mem::replace(&mut self.joining.has_waited, is_unclear);
        // A piece may be missing from what stands now, and has moved since the press before.
        let is_missing = is_unclear && !has_waited;
        let Some(board) = self.joining.between_moves(now, &Board::new()) else { return };
        if is_missing || !self.is_hand_empty(cx, now, Some(&board)) {
            self.joining.pressed = None;
            return self.note_stand(cx, now);
        }
        let made = self.joining.made();
        self.joining.pressed = Some(Pressed { at: now, by, board, made });
        self.timers.set(Timer::Join, now + SCANNED);
    }

    /// The clock was started: what stands now is what is played from.
    pub(in crate::game) fn start_stand(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let is_at_rest = now.since(self.joining.changed) >= AT_REST;
        if let Some(board) = self.joining.board().cloned().filter(|_| is_at_rest) {
            self.take_stand_of(cx, board, None);
        }
        self.note_stand(cx, now);
    }

    /// Looks whether a game can be joined.
    pub(super) fn watch_join(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if !self.may_join() || self.is_yet_to_be_read(cx, now) {
            return;
        }
        if let Some(until) = self.joining.seen_twice_until(now).filter(|_| self.play.is_none()) {
            self.timers.set(Timer::Join, until);
            return;
        }
        if let Some(pressed) = self.joining.pressed.take_if(|known| now.since(known.at) >= SCANNED)
        {
            let is_noisy = cx.board.is_noisy(now);
            let is_read = !is_noisy || self.joining.changed <= pressed.at;
            if let Some(board) = self.joining.board_pressed(&pressed).filter(|_| is_read) {
                if is_noisy {
                    self.pass_if_still(cx, now, &board, pressed.by);
                }
                self.take_stand_of(cx, board, Some(&pressed));
            }
            self.note_stand(cx, now);
        } else if !self.take_rest(cx, now) {
            return;
        }
        self.join_if_told(cx, now);
        self.take_over_pressed(cx, now);
        if self.play.is_none() {
            self.join_running(cx, now);
        }
        self.tell_no_start(cx, now);
    }

    /// Whether the board, on a line with noise on it, is still to be read twice as it stands, or as
    /// it stood when the clock was pressed. If so it is asked for.
    fn is_yet_to_be_read(&mut self, cx: &mut Cx<'_>, now: Mono) -> bool {
        let changed = self.joining.changed;
        let pressed = self.joining.pressed.as_ref().filter(|pressed| changed <= pressed.at);
        let scanned = pressed.map_or(Mono::default(), |pressed| pressed.at + SCANNED);
        if cx.board.confirmed(now).is_some_and(|confirmed| confirmed >= scanned) {
            return false;
        }
        cx.board.want_picture(now);
        self.timers.set(Timer::Join, now + SCANNED);
        true
    }

    /// Takes the board as it is at rest. False if it is not, yet.
    fn take_rest(&mut self, cx: &mut Cx<'_>, now: Mono) -> bool {
        let Some(board) = self.joining.board().cloned() else { return true };
        let is_led_to = self.joining.stands.last().is_some_and(|last| last.board == board)
            || self.joining.leads_to(&board, self.joined_mode(cx.settings)).is_some();
        let is_short = is_led_to || cx.clock.is_running();
        let due = self.joining.changed + if is_short { AT_REST } else { STOOD };
        if now < due {
            self.timers.set(Timer::Join, due);
            return false;
        }
        if !is_short {
            self.doubt_set_up(cx, &board);
        }
        self.take_stand_of(cx, board, None);
        true
    }

    /// A board that stands far from what is on record of a game in which nobody has pressed a
    /// clock: that was pieces being set up, until it agrees again.
    fn doubt_set_up(&mut self, cx: &mut Cx<'_>, board: &Board) {
        let is_open = |play: &&mut Play| !play.is_over() && !play.is_ever_pressed();
        let Some(play) = self.play.as_mut().filter(is_open) else { return };
        let best = play.tracker().best().standing().board();
        let n = Placement::from(board.clone()).differs(best).count();
        let is_open = play.tracker().n_settled() == 0 && play.sheet().len() <= SET_UP_MAX;
        if n >= SET_UP_FROM && is_open {
            play.set_aside(cx.facts);
        }
    }

    /// The board stands so. Where the record agrees there is nothing to join.
    fn take_stand_of(&mut self, cx: &mut Cx<'_>, board: Board, pressed: Option<&Pressed>) {
        let open = self.play.as_ref().filter(|play| !play.is_over());
        let agrees = |play: &Play| {
            let pos = play.tracker().best().standing();
            *pos.board() == board || is_step(pos, &board)
        };
        if open.is_some_and(agrees) {
            self.joining.stands.clear();
            return;
        }
        let n_known = open.map_or(0, |play| play.sheet().n_completed());
        let on_record = open.map_or_else(Board::empty, |play| play.sheet().last().board().clone());
        let mode = self.joined_mode(cx.settings);
        let (at, by) = (self.joining.changed, pressed.map(|pressed| pressed.by));
        let made = match pressed {
            Some(pressed) => pressed.made.filter(|_| pressed.board == board),
            None => self.joining.made(),
        };
        let stand = Arrival { at, board, by, made, moved: None, n_known, on_record };
        self.joining.stand(stand, mode);
    }

    /// What the stands that follow from each other make known, if they are enough.
    fn found(&self, cx: &Cx<'_>) -> Option<JoinedAs> {
        let run = self.joining.run();
        let (first, n) = (run.first()?, run.len() - 1);
        let is_running = cx.clock.is_running();
        // Where a clock stands, what is moved is no play.
        let has_none = cx.clock.device() != ClockPresence::Present;
        let needed = if is_running { 1 } else { 2 };
        let is_enough = n >= needed && (is_running || has_none);
        let Some(play) = &self.play else { return is_enough.then_some(JoinedAs::Game) };
        if play.is_over() {
            let is_other = || n_come_back(&first.board, play.sheet().last()) > 0;
            return (is_enough && is_running && is_other()).then_some(JoinedAs::Game);
        }
        let best = play.tracker().best().standing();
        if run.last().is_some_and(|last| last.board == *best.board()) {
            return None;
        }
        let is_unpressed = first.by.is_none() && !play.is_ever_pressed();
        match () {
            () if is_enough && play.is_bare() => Some(JoinedAs::Anew),
            () if is_enough && self.is_set_up(play, run, is_unpressed) => Some(JoinedAs::SetUp),
            // Nothing that was pressed for since is on record.
            () if is_running && n > 2 && first.n_known == play.sheet().n_completed() => {
                Some(JoinedAs::Gap)
            }
            () => None,
        }
    }

    /// Whether what is on record of `play` was pieces being set up for what is played now: nobody
    /// has pressed for it, and no move of `run` brings a piece back to where the record has it.
    fn is_set_up(&self, play: &Play, run: &[Arrival], is_unpressed: bool) -> bool {
        let differs = |stand: &Arrival| {
            Placement::from(stand.board.clone()).differs(&run[0].on_record).count()
        };
        // Pieces that are missing from the beginning are odds; later they are something else.
        let is_far = differs(&run[0]) >= SET_UP_FROM;
        is_unpressed
            && (is_far || run[0].on_record == *play.sheet().start().board())
            && play.sheet().len() <= SET_UP_MAX
            && run.windows(2).all(|pair| differs(&pair[1]) >= differs(&pair[0]))
    }

    fn join_if_told(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(found) = self.found(cx) else { return };
        let (run, begun) = (self.joining.run().to_vec(), self.joining.begun());
        let Some(turn) = run.get(1).and_then(|stand| stand.moved) else { return };
        let Some(pos) = position(&run[0].board, turn, self.joined_mode(cx.settings)) else {
            return;
        };
        if !self.find_ends(cx, &run) {
            self.joining.stands.clear();
            return;
        }
        match found {
            JoinedAs::Game => self.begin_joined(cx, now, pos),
            JoinedAs::SetUp => self.begin_set_up(cx, now, pos),
            JoinedAs::Anew => {
                let Some(play) = &mut self.play else { return };
                let pos = play.taken_over(pos.board(), turn).unwrap_or(pos);
                play.take_over(now, pos, 0, cx.facts);
            }
            JoinedAs::Gap => {
                if !self.adopt_unseen(cx, now, &run[0].board, Some(turn)) {
                    self.joining.stands.clear();
                    return;
                }
            }
        }
        match begun {
            Some(begun) => self.follow_steps(cx, now, begun),
            None => self.follow_stands(cx, now, &run[1..]),
        }
    }

    /// The clock was pressed on a board that no legal move leads to from how it was taken over: it
    /// stood otherwise then, with a piece in a hand, or it was somebody else's move. It is taken
    /// over as it stands now, and what was pressed for is not known.
    fn take_over_pressed(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let leads_nowhere = |play: &&mut Play| {
            let is_apart = play.is_fresh() || play.mismatch().is_some();
            !play.is_over() && play.is_bare() && is_apart
        };
        let Some(play) = self.play.as_mut().filter(leads_nowhere) else { return };
        let last = self.joining.stands.last().filter(|_| cx.clock.is_running());
        let Some((board, by)) = last.and_then(|last| Some((&last.board, last.by?))) else { return };
        let Some(pos) = play.taken_over(board, !by) else { return };
        play.take_over(now, pos, 1, cx.facts);
        self.follow_stands(cx, now, &[]);
    }

    /// White's end of the clock is the other one if those who pressed are not those who moved.
    /// False if that cannot be.
    fn find_ends(&mut self, cx: &mut Cx<'_>, run: &[Arrival]) -> bool {
        let mut pressed = run[1..].iter().filter_map(|stand| stand.by.zip(stand.moved)).peekable();
        if pressed.peek().is_none() || pressed.clone().all(|(by, mover)| by == mover) {
            return true;
        }
        let is_known = cx.settings.white_end.is_some();
        if is_known || !pressed.all(|(by, mover)| by != mover) {
            return false;
        }
        cx.clock.seat_white(cx.clock.white_end().other(), cx.facts);
        true
    }

    /// Puts the moves on record that have led from each stand to the next.
    pub(super) fn follow_stands(&mut self, cx: &mut Cx<'_>, now: Mono, stands: &[Arrival]) {
        let seen = self.joining.seen.clone();
        let times = cx.clock.times();
        let Some(play) = &mut self.play else { return };
        for (idx, stand) in stands.iter().enumerate() {
            play.picture(now, &Placement::from(stand.board.clone()));
            if let Some(mover) = stand.moved.filter(|_| stand.by.is_some()) {
                let times = times.filter(|_| idx + 1 == stands.len());
                play.press(now, mover, times, cx.facts);
            }
        }
        play.picture(now, &seen);
        self.go_on_joined(cx, now);
    }

    /// The record has the moves that have been seen since the game was joined, and the board as it
    /// stood then.
    pub(super) fn go_on_joined(&mut self, cx: &mut Cx<'_>, now: Mono) {
        self.joining.stands.clear();
        self.watch.note_gap(now);
        self.look(cx, now, 0);
        self.rejudge(cx, now);
        cx.facts.push(Fact::Pictured(self.joining.seen.clone()));
    }

    /// Where no game is on record and a clock runs, one is played.
    fn join_running(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(turn) = cx.clock.running() else { return };
        let Some(stand) = self.joining.stands.last() else { return };
        if cx.board.is_noisy(now) && self.joining.board() != Some(&stand.board) {
            return;
        }
        // Where messages are hurt, the lever may have been turned by a press that was not heard.
        let stood = self.joining.changed + RESTED;
        if cx.board.is_noisy(now) && stand.by.is_none() && cx.clock.read_at() < stood {
            self.timers.set(Timer::Join, stood.max(now + AT_REST));
            return;
        }
        let turn = stand.by.map_or(turn, |by| !by);
        // Who is on move by the clock and has moved is yet to press for it.
        let turn = if stand.made == Some(turn) { !turn } else { turn };
        let mode = self.joined_mode(cx.settings);
        let other = || position(&stand.board, !turn, mode);
        let Some(pos) = position(&stand.board, turn, mode).or_else(other) else { return };
        self.begin_joined(cx, now, pos);
        self.follow_stands(cx, now, &[]);
    }

    fn tell_no_start(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let Some(since) = self.joining.since.filter(|_| self.play.is_none()) else { return };
        if now.since(since) >= NO_START_AFTER {
            match self.is_unnamed() {
                true => self.watch.note_unknown(cx.facts),
                false => self.watch.note_no_start(cx.facts),
            }
        } else {
            self.timers.set(Timer::Join, since + NO_START_AFTER);
        }
    }
}
