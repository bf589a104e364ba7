//! How a game ends, and when its end is withdrawn.
//!
//! A mate that a piece only passed, or that a border was read as, is none. A position ends the game
//! once the whole board has been scanned since it last changed, and shows it.

use super::Play;
use crate::game::entry::Fact;
use crate::laws::{Ending, Finding, FindingKind, Reason};
use crate::time::Mono;
use crate::track::tracker::TAIL_MAX;
use crate::track::weigh::CLEAR_LEAD;
use shakmaty::{Bitboard, Board, Chess, Color, Position, Rank, Role, Square};
use std::time::Duration;

/// A board has looked at each of its squares within this time. Source: protocol 1.10.
const SCANNED: Duration = Duration::from_millis(250);
/// A board that has sent no picture within this time of its last change does not answer.
const UNANSWERED: Duration = Duration::from_millis(1_000);
/// A move that ends the game, and that nobody pressed the clock on, must stand this long. One that
/// was pressed ends it after this time even where hands have disturbed the pieces at once.
const FINAL_AFTER: Duration = Duration::from_secs(4);
/// So many moves that were pressed after a result are no pieces being put away.
const PLAYED_ON: usize = 4;
/// So many pieces that have come back, or home, were set up. One may be seen on two squares.
const SET_UP_FROM: usize = 3;

impl Play {
    /// Whether nothing that is moved belongs to this game any more.
    pub fn is_over(&self) -> bool {
        self.is_closed || self.ending.is_some()
    }

    /// The game is over, by a result that takes the place of any before.
    pub(in crate::game) fn end(&mut self, ending: Ending, facts: &mut Vec<Fact>) {
        (self.ending, self.is_closed, self.n_after_end) = (Some(ending), false, 0);
        self.is_left = self.tracker.pictured_at() == self.resumed_at;
        facts.push(Fact::Ended(ending));
    }

    /// The game is over without a result.
    pub(in crate::game) fn close(&mut self, facts: &mut Vec<Fact>) {
        (self.ending, self.is_closed) = (None, true);
        facts.push(Fact::GameClosed);
    }

    /// Whether the last position on record ends the game is open: the opponent may claim how the
    /// move was made.
    pub(in crate::game) fn hold_end(&mut self, is_open: bool) {
        self.is_end_open = is_open;
    }

    /// Withdraws the result, if there is one: the game goes on.
    pub(in crate::game) fn reopen(&mut self, facts: &mut Vec<Fact>) {
        facts.extend(self.ending.take().map(Fact::Reopened));
    }

    /// Withdraws an end that a position brought to which the record does not lead any more: what
    /// was missed has come to light. If it was the end after all, it is found again.
    pub(super) fn withdraw_false_end(&mut self, facts: &mut Vec<Fact>) {
        let said = self.ending.filter(Ending::is_by_position);
        if said.is_some_and(|said| Ending::of(self.sheet.last()) != Some(said)) {
            self.reopen(facts);
        }
    }

    /// Withdraws a king's move that was only the way to the center, where both kings stand.
    pub(in crate::game) fn withdraw_way_of_king(&mut self, facts: &mut Vec<Fact>) {
        let n = self.sheet.len();
        let was_the_way = self.sheet.moves().last().is_some_and(|last| {
            last.m.role() == Role::King
                && last.completed.is_none()
                && Ending::is_center(last.m.to())
        });
        if was_the_way {
            self.sheet.truncate(n - 1);
            facts.push(Fact::MoveRetracted { ply: n });
        }
    }

    /// The end that the last position on record brings by itself. Where no mate was possible before
    /// the last move either, as in a study or a position that was set up, no move has ended the
    /// game, and it is played on. 2023: Art. 5.2.2.
    pub(in crate::game) fn end_of_position(&self) -> Option<Ending> {
        let before = self.sheet.position(self.sheet.len().saturating_sub(1));
        let ending = Ending::of(self.sheet.last())?;
        let is_old = ending.reason == Reason::DeadPosition && Ending::of(before) == Some(ending);
        (!is_old).then_some(ending)
    }

    /// Ends the game if the last position on record does, and is beyond a second thought. Returns
    /// when that will be, as things stand, if it is not yet.
    pub(in crate::game) fn end_by_position(
        &mut self,
        at: Mono,
        facts: &mut Vec<Fact>,
    ) -> Option<Mono> {
        let ending = self.end_of_position().filter(|_| !self.is_end_open)?;
        let due = self.final_at()?;
        if at < due {
            return Some(due);
        }
        self.end_by_move(at, ending, facts);
        None
    }

    /// Ends the game by the last move on record, which that completes.
    pub(in crate::game) fn end_by_move(&mut self, at: Mono, ending: Ending, facts: &mut Vec<Fact>) {
        self.vouch(self.n_agreed(), CLEAR_LEAD, facts);
        self.tracker.complete_at_game_end(at);
        self.complete(at, facts);
        self.end(ending, facts);
    }

    /// Pieces were moved, by whomever.
    pub(in crate::game) fn note_left(&mut self) {
        self.is_left |= self.is_over();
    }

    /// Whether a start position on the board is another game's: the players have left this one,
    /// which a repetition may have ended with that very position.
    pub(in crate::game) fn gives_way(&self) -> bool {
        self.is_over() && self.is_left
    }

    /// How many pieces of `board`, which is shown, were set up anew: no play brings them there. The
    /// last two moves may have been others than those on record.
    fn n_set_up(&self, board: &Board) -> usize {
        let before = self.sheet.position(self.sheet.len().saturating_sub(2));
        n_come_back(board, before)
    }

    /// Whether no play leads from what is on record to `board`, which shows every piece on one
    /// square.
    pub(in crate::game) fn is_set_up_anew(&self, board: &Board) -> bool {
        self.n_set_up(board) > 0
    }

    /// Where the pieces have been set up anew since a position ended the game, what is seen from
    /// here on says nothing of that end.
    pub(super) fn forget_if_set_up(&mut self) {
        if self.ending.is_some() && self.n_set_up(self.tracker.seen().known()) >= SET_UP_FROM {
            self.past.forget();
        }
    }

    /// The board is read after nobody heard it for a while, and stands otherwise than it did: what
    /// was seen before, and led to a position that ended the game, says nothing of what is played
    /// now. That may be the next game.
    pub(in crate::game) fn forget_before_gap(&mut self) {
        if self.ending.is_some() {
            self.past.forget();
        }
    }

    /// Somebody presses after the end. After one that no position has brought the moves that are
    /// pressed are on no record, which is told once.
    pub(super) fn watch_played_on(&mut self, facts: &mut Vec<Fact>) {
        let is_move = self.is_last_press(self.tracker.last_change());
        if !is_move || !self.is_ended_otherwise() {
            return;
        }
        self.n_after_end += 1;
        if self.n_after_end == PLAYED_ON {
            facts.push(Fact::Found(Finding { kind: FindingKind::PlayedOn, by: None }));
        }
    }

    /// Whether the last position on record may have come about otherwise: an illegal move that was
    /// answered, and a piece that does not show where it stands, are pieces over a border more
    /// often than not.
    fn is_doubtful(&self) -> bool {
        let best = self.tracker.best();
        self.has_recent_illegal() || !best.astray.is_empty() || best.masked.any()
    }

    /// Whether one of the last moves on record is illegal.
    pub(in crate::game) fn has_recent_illegal(&self) -> bool {
        self.sheet.moves().iter().rev().take(TAIL_MAX).any(|m| m.is_illegal)
    }

    /// Whether one of the last moves led from `to` to `from`: whoever puts that piece back from
    /// `from` takes it back or sets it right, or it was pushed back over the border. Not if he
    /// `has_pressed` for it and that move was legal.
    pub(in crate::game) fn is_taking_back(
        &self,
        from: Square,
        to: Square,
        has_pressed: bool,
    ) -> bool {
        let on_record = self.sheet.moves().iter().rev().take(TAIL_MAX);
        let on_record = on_record.map(|scored| (scored.m, scored.is_illegal));
        let open = self.tracker.best().plies.iter().map(|ply| (ply.m, ply.is_illegal));
        on_record.chain(open).any(|(m, is_illegal)| {
            (is_illegal || !has_pressed) && m.from() == Some(to) && m.to() == from
        })
    }

    /// Whether nobody has pressed the clock since `at`.
    fn is_last_press(&self, at: Mono) -> bool {
        self.presses.iter().all(|(press, _)| *press <= at)
    }

    /// Whether nothing but a new piece does not stand where it was put: it may be exchanged for
    /// another one, with which the position may be no end.
    fn may_exchange_new_piece(&self) -> bool {
        let last = self.sheet.moves().last().map(|last| last.m);
        let differs = self.tracker.bare_difference().single_square();
        last.is_some_and(|m| m.is_promotion() && differs == Some(m.to()))
    }

    /// When the last move on record is beyond a second thought, as things stand. `None` if it is
    /// not, or if the game is over.
    pub(in crate::game) fn final_at(&self) -> Option<Mono> {
        if self.is_over() {
            return None;
        }
        let changed = self.tracker.last_change();
        let is_pictured = self.tracker.pictured_at() > changed;
        let scanned = changed + if is_pictured { SCANNED } else { UNANSWERED };
        let shows = self.tracker.mismatch().is_none();
        if self.is_doubtful() {
            let pressed = self.presses.last().map_or(changed, |(press, _)| *press);
            return shows.then_some(changed.max(pressed) + FINAL_AFTER);
        }
        match self.sheet.moves().last().and_then(|last| last.completed) {
            Some(_) if shows => Some(scanned),
            Some(_) if self.may_exchange_new_piece() => None,
            // Whoever presses again plays on, or stops a clock: pieces in motion do not tell which.
            Some(done) if self.is_last_press(done.at) => Some(done.at + FINAL_AFTER),
            Some(_) => None,
            None => shows.then_some(changed + FINAL_AFTER),
        }
    }
}

/// So many pieces that have come back were set up for another game: one may have been in the way of
/// a move that was taken back.
pub(in crate::game) const SET_UP_MIN: usize = 2;

/// How many pieces on `board` cannot come after `before` in one game: captured ones that have come
/// back, and pawns that are home again.
pub(in crate::game) fn n_come_back(board: &Board, before: &Chess) -> usize {
    let was = before.board();
    let more = |is: Bitboard, was: Bitboard| is.count().saturating_sub(was.count());
    let of_color = |color: Color| {
        let pawns = |board: &Board| board.by_piece(Role::Pawn.of(color));
        let home = Bitboard::from(color.relative_rank(Rank::Second));
        let n_back = more(board.by_color(color), was.by_color(color));
        n_back.max(more(pawns(board), pawns(was))) + (pawns(board) & home & !pawns(was)).count()
    };
    Color::ALL.into_iter().map(of_color).sum()
}
