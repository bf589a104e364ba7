//! Pieces that do not show where they are: knocked over, half on another square, or gone on
//! before anybody looked. What happens to them later tells where they had gone.

use super::Tracker;
use super::press::match_presses;
use crate::table::{Placement, Reading};
use crate::time::Mono;
use crate::track::history::ReadingHistory;
use crate::track::legal;
use crate::track::line::{ASTRAY_MAX, Astray, CompletedBy, Line, Ply, arrivals_of};
use crate::track::past::PRESSED_ON;
use crate::track::weigh::{self, Cost};
use shakmaty::{Bitboard, Chess, Move, Position, Role, Square, attacks};
use std::time::Duration;

/// A piece that is knocked over comes to the next square at once.
const AT_ONCE: Duration = Duration::from_millis(60);

/// Hands that are in a hurry press three times on a piece that lies badly: it must have stood so
/// long, too.
const STOOD: Duration = Duration::from_secs(15);

/// A piece that makes two moves within this may not have been seen in between, where a board looks
/// at its squares in rounds.
const PASSED_MAX: Duration = Duration::from_millis(1_000);

/// Two looks at a square are so much more than a round apart, at the most.
const JITTER: Duration = Duration::from_millis(20);

impl Tracker {
    /// The board stood as `seen` at `at`, and had for long. What it has shown since is to be told
    /// again.
    pub fn go_on_from(&mut self, at: Mono, seen: Placement) {
        self.history = ReadingHistory::default();
        self.changed = [Mono::default(); 64];
        (self.last_change, self.now, self.pictured) = (at, at, at);
        (self.seen, self.missed) = (seen, None);
        self.closing.clear();
    }

    /// What becomes of `line` if one of its moves went to another square than it says: the piece is
    /// missing there, and the other square explains where it is now, or why it is nowhere.
    pub(in crate::track) fn amended(&self, line: &Line, at: Mono, budget: &mut usize) -> Vec<Line> {
        let diff = line.differs(&self.seen);
        let missing = diff & line.pos.board().occupied();
        let mut amended = Vec::new();
        if missing.is_empty() || self.is_gap {
            return amended;
        }
        let mut before = self.root.clone();
        let mut n_played = 0;
        for (idx, ply) in line.plies.iter().enumerate() {
            if !missing.contains(ply.m.to()) || !is_plain(ply.m) || ply.is_unwatched {
                continue;
            }
            let piece = ply.m.role().of(line.mover(idx));
            // Back where it came from it has been taken back.
            let is_back = || {
                ply.m.from().is_some_and(|from| {
                    self.history.last_shown(from, piece).is_some_and(|shown| shown > ply.released)
                })
            };
            if line.pos.board().piece_at(ply.m.to()) != Some(piece) || is_back() {
                continue;
            }
            line.plies[n_played..idx].iter().for_each(|ply| before.play_unchecked(ply.m));
            n_played = idx;
            let shown = self.come_from(ply.m.to(), diff & self.seen.known().by_piece(piece));
            amended.extend(self.instead(line, idx, &before, shown, at, budget));
        }
        amended
    }

    /// The one of the squares that `show` a piece to which it may have come from `left`, where it
    /// was seen before.
    fn come_from(&self, left: Square, show: Bitboard) -> Bitboard {
        let is_later =
            |sq: &Square| self.changed_at(*sq) + AT_ONCE + self.round() >= self.changed_at(left);
        show.single_square().filter(is_later).map_or(Bitboard::EMPTY, Bitboard::from)
    }

    /// The lines in which ply `idx`, played from `before`, went elsewhere, while its piece is
    /// `shown` where it is not expected.
    fn instead(
        &self,
        line: &Line,
        idx: usize,
        before: &Chess,
        shown: Bitboard,
        at: Mono,
        budget: &mut usize,
    ) -> Vec<Line> {
        let ply = line.plies[idx];
        let taken: Bitboard = (idx + 1..line.plies.len())
            .filter(|later| line.mover(*later) != line.mover(idx))
            .map(|later| line.plies[later].m.to())
            .collect();
        let n_before = line.differs(&self.seen).count();
        let piece = ply.m.role().of(line.mover(idx));
        let since = idx.checked_sub(1).map_or(Mono::default(), |idx| line.plies[idx].released);
        let rested = self.history.rested(ply.m.to(), piece, since);
        let has_stayed = rested > 2 * self.round();
        let mut lines = Vec::new();
        if was_pressed_on(line, idx, rested) {
            return lines;
        }
        for m in legal::moves(before) {
            if m.from() != ply.m.from() || m.to() == ply.m.to() || !is_plain(m) {
                continue;
            }
            // Farther away than on the next square nothing can have stood that was read for long.
            let is_near = m.to().distance(ply.m.to()) <= 1;
            let is_told = shown.contains(m.to()) || taken.contains(m.to());
            if !(is_near && is_told) && has_stayed || !is_told && shown.is_empty() {
                continue;
            }
            let is_legal = shown.contains(m.to()) && may_go(&line.pos, ply.m.to(), m.to());
            let is_passed = self.is_passed(ply.m.to(), m, rested);
            if is_legal && !is_near && !is_passed {
                continue;
            }
            *budget = budget.saturating_sub(1);
            let Some(mut child) = replaced(line, idx, before, m) else { continue };
            child.cost += match (is_near, is_legal) {
                _ if is_passed && is_told => weigh::PASSED,
                (true, false) => weigh::AMENDED,
                (true, true) => weigh::AMENDED_LEGAL,
                (false, _) => weigh::AMENDED_FAR,
            };
            if is_told {
                if child.differs(&self.seen).count() < n_before {
                    lines.push(child);
                }
                continue;
            }
            // It went on from there before anybody looked.
            let mut on = self.grown(&child, Bitboard::EMPTY, 1, 0, at, budget);
            on.retain(|line| line.plies.last().is_some_and(|last| last.m.from() == Some(m.to())));
            lines.extend(on);
        }
        lines
    }
}

/// Whether the piece of ply `idx`, which `rested` where it was put, was read there at so many
/// presses that it had not been put beside its square.
fn was_pressed_on(line: &Line, idx: usize, rested: Duration) -> bool {
    let ply = line.plies[idx];
    let done = line.plies[idx..].iter().filter_map(|ply| ply.completion);
    let mut pressed = done.filter(|done| done.by == CompletedBy::Press).map(|done| done.at);
    let is_read = !line.faulty.contains(ply.m.to());
    let last = pressed.nth(PRESSED_ON - 1).filter(|_| is_read);
    rested >= STOOD && last.is_some_and(|last| last.since(ply.released) <= rested)
}

impl Tracker {
    /// Whether the piece that went from `from` to `to`, where it may not go, may stand half on that
    /// square and belong to the next one: it may go there. A pawn that has taken in passing, or a
    /// king that has castled, stands as it was put.
    pub fn may_stand_beside(&self, from: Square, to: Square) -> bool {
        let pos = self.best().standing();
        let is_beside = |m: &Move| m.from() == Some(from) && m.to().distance(to) == 1;
        let is_meant =
            pos.legal_ep_square() == Some(to) || from.distance(to) > 1 && is_king(pos, from);
        !is_meant && legal::moves(pos).any(|m| is_beside(&m))
    }

    /// `line` with a piece astray that is missing where it stands, and was seen to come to the next
    /// square when it went.
    pub(in crate::track) fn strewn(&self, line: &Line, at: Mono, budget: &mut usize) -> Vec<Line> {
        if line.astray.len() >= ASTRAY_MAX {
            return Vec::new();
        }
        let diff = line.differs(&self.seen);
        let board = line.pos.board();
        let missing = diff & board.occupied() & !self.seen.occupied();
        let mut strewn = Vec::new();
        for home in missing {
            let piece = board.piece_at(home).expect("a piece is missing there");
            let near = attacks::king_attacks(home) & diff & self.seen.known().by_piece(piece);
            for lies in near & !board.by_piece(piece) {
                let (left, came) = (self.changed_at(home), self.changed_at(lies));
                if left.since(came).max(came.since(left)) > AT_ONCE + self.round() {
                    continue;
                }
                let mut child = line.clone();
                let Some(cost) = self.knocked(line, home, lies) else { continue };
                child.cost += cost;
                child.astray.push(Astray { piece, home, lies: Some(lies) });
                strewn.extend(self.children(&child, 1, 1, at, budget));
                strewn.push(child);
            }
        }
        strewn
    }

    /// What becomes of `line` if the one who is to move has castled: his king stands where that
    /// brings it, and the rook has left its square and is read nowhere, over a border.
    pub(in crate::track) fn half_castled(
        &self,
        line: &Line,
        at: Mono,
        budget: &mut usize,
    ) -> Vec<Line> {
        let turn = line.pos.turn();
        let piece = Role::Rook.of(turn);
        let strays = line.differs(&self.seen) & self.seen.known().by_piece(piece);
        let mut castled = Vec::new();
        if line.astray.len() >= ASTRAY_MAX || strays.any() {
            return castled;
        }
        for m in legal::moves(&line.pos) {
            let (Move::Castle { king, rook }, Some(side)) = (m, m.castling_side()) else {
                continue;
            };
            let (to, home) = (side.king_to(turn), side.rook_to(turn));
            let is_there = king.distance(to) > 1
                && self.seen.get(to) == Reading::Piece(Role::King.of(turn))
                && [king, rook, home].into_iter().all(|sq| self.seen.get(sq) == Reading::Empty);
            if !is_there {
                continue;
            }
            let mut child = line.clone();
            child.cost += weigh::PLY + weigh::MASKED;
            child.astray.push(Astray { piece, home, lies: None });
            child.push(m, self.changed_at(king).max(self.changed_at(rook)).min(at), false);
            match_presses(&mut child, self.scan());
            castled.extend(self.children(&child, 1, 1, at, budget));
            castled.push(child);
        }
        castled
    }

    /// What it speaks against `line` that the piece that stands on `home` shows on `lies`: none
    /// where it may have moved there.
    fn knocked(&self, line: &Line, home: Square, lies: Square) -> Option<Cost> {
        let n = line.plies.len();
        let has_come =
            |idx: &usize| arrivals_of(line.plies[*idx].m, line.mover(*idx)).contains(home);
        if let Some(idx) = (n.saturating_sub(2)..n).rev().find(has_come) {
            let from = line.plies[idx].m.from()?;
            let may_have_gone = may_go(&self.position_before(line, idx), from, lies);
            return (!may_have_gone).then_some(weigh::BESIDE);
        }
        let is_own = line.pos.us().contains(home);
        let cost = if is_own { weigh::KNOCKED_OWN } else { weigh::KNOCKED };
        (!may_go(&line.pos, home, lies)).then_some(cost)
    }

    /// What becomes of `line` if its last move, a step of the king on which nobody has pressed, was
    /// the first half of a castling in Chess960: the rook has followed, and the board shows it.
    pub(in crate::track) fn castled_after_step(&self, line: &Line) -> Option<Line> {
        let (last, n) = (line.plies.last()?, line.plies.len());
        let is_step = matches!(last.m, Move::Normal { role: Role::King, .. });
        if !is_step || line.n_standing() < n || last.completion.is_some() {
            return None;
        }
        let before = self.position_before(line, n - 1);
        let turn = before.turn();
        let leads_here = |m: &Move| {
            m.castling_side().is_some_and(|side| side.king_to(turn) == last.m.to())
                && before
                    .clone()
                    .play(*m)
                    .is_ok_and(|after| self.seen.differs(after.board()).is_empty())
        };
        let castling = legal::moves(&before).find(leads_here)?;
        let released = self.changed_at(castling.castling_side()?.rook_to(turn));
        let mut child = line.clone();
        child.take_back(n - 1, before);
        child.push(castling, released, last.is_unwatched);
        Some(child)
    }

    /// The position before ply `idx` of `line`.
    fn position_before(&self, line: &Line, idx: usize) -> Chess {
        let mut pos = self.root.clone();
        line.plies[..idx].iter().for_each(|ply| pos.play_unchecked(ply.m));
        pos
    }

    /// What becomes of `line` if a piece made a move, was answered, and went on before the board
    /// looked at where it had been.
    pub(in crate::track) fn passed(&self, line: &Line, at: Mono, budget: &mut usize) -> Vec<Line> {
        let (turn, board) = (line.pos.turn(), line.pos.board());
        let diff = line.differs(&self.seen);
        let missing = diff & line.pos.us() & !self.seen.occupied();
        let arrived = diff & self.seen.known().by_color(turn);
        let mut passed = Vec::new();
        let is_needless = missing.is_empty() || arrived.is_empty();
        if self.round().is_zero() || self.is_gap || is_needless {
            return passed;
        }
        for from in missing {
            let piece = board.piece_at(from).expect("a piece is missing there");
            let ends = arrived & self.seen.known().by_piece(piece);
            let came = ends.into_iter().map(|sq| self.changed_at(sq)).max();
            if came.is_none_or(|came| came.since(self.changed_at(from)) > PASSED_MAX) {
                continue;
            }
            let legal: shakmaty::MoveList = legal::moves(&line.pos).collect();
            if legal.iter().any(|m| m.from() == Some(from) && ends.contains(m.to())) {
                continue;
            }
            for m in legal.into_iter().filter(|m| m.from() == Some(from) && is_plain(*m)) {
                if self.seen.get(m.to()) == Reading::Empty {
                    passed.extend(self.gone_on(line, m, at, budget));
                }
            }
        }
        passed
    }

    /// Whether a piece may pass a square unseen after the last move of `line`: the board looks at
    /// its squares in rounds, and no message was lost.
    pub(in crate::track) fn may_pass(&self, line: &Line) -> bool {
        let since = line.plies.last().map_or(Mono::default(), |last| last.released);
        !self.round().is_zero() && !self.is_gap && !self.has_missed_since(since)
    }

    /// Whether a piece that `rested` on `sq` may only have passed there with `m`: the board looked
    /// at that square once.
    fn is_passed(&self, sq: Square, m: Move, rested: Duration) -> bool {
        let is_once = !self.round().is_zero() && rested <= self.round() + JITTER;
        is_once && m.from().is_some_and(|from| attacks::between(from, m.to()).contains(sq))
    }

    /// Whether the piece of `m` came to where it goes on from, and left it, between two looks of
    /// the board at that square: so soon that nobody need have seen it there.
    pub(in crate::track) fn has_passed(&self, line: &Line, m: Move) -> bool {
        let Some(from) = m.from().filter(|_| self.may_pass(line)) else { return false };
        let arrives = |ply: &&Ply| !ply.m.is_castle() && ply.m.to() == from;
        let Some(ply) = line.plies.iter().rev().find(arrives) else { return false };
        let Some(left) = ply.m.from().map(|sq| self.changed_at(sq)) else { return false };
        self.changed_at(from) < left && self.changed_at(m.to()).since(left) <= PASSED_MAX
    }

    /// What it speaks against `m` that the square which its piece leaves has shown it only since
    /// the opponent's last move, although it is said to have come there before: what came right so
    /// late was let go there on its way.
    pub(in crate::track) fn just_amended(&self, line: &Line, m: Move) -> Cost {
        let Some(from) = m.from().filter(|from| !line.faulty.contains(*from)) else { return 0 };
        let arrives = |ply: &&Ply| !ply.m.is_castle() && ply.m.to() == from;
        let Some(arrival) = line.plies.iter().rev().find(arrives) else { return 0 };
        let Some(answered) = line.plies.last().map(|ply| ply.released) else { return 0 };
        let piece = m.role().of(line.pos.turn());
        let shown = self.history.first_shown(from, piece, arrival.released);
        let is_late = shown.is_some_and(|shown| shown > answered + self.scan());
        if is_late && !self.has_missed_since(answered) { weigh::JUST_AMENDED } else { 0 }
    }

    /// The lines in which `m` was played and answered, and its piece has gone on.
    fn gone_on(&self, line: &Line, m: Move, at: Mono, budget: &mut usize) -> Vec<Line> {
        let mut child = self.with_move(line, m, at);
        child.astray.push(Astray { piece: m.role().of(line.pos.turn()), home: m.to(), lies: None });
        let mut lines = Vec::new();
        for answered in self.grown(&child, Bitboard::EMPTY, 1, usize::MAX, at, budget) {
            let on = self.grown(&answered, Bitboard::EMPTY, 1, usize::MAX, at, budget);
            let goes_on =
                |line: &Line| line.plies.last().is_some_and(|last| last.m.from() == Some(m.to()));
            lines.extend(on.into_iter().filter(goes_on));
        }
        for line in &mut lines {
            line.astray.retain(|astray| astray.home != m.to());
        }
        lines
    }
}

/// What it speaks against `m` after `line` that its piece goes back to the next square, where it
/// came from, while nobody has pressed since, although the players do press: it was knocked over
/// and is set up again. More, if the opponent's piece has just gone back as well: nobody plays so.
pub(in crate::track) fn set_up_again(line: &Line, m: Move) -> Cost {
    let is_pressed = |ply: &Ply| ply.completion.is_some_and(|done| done.by == CompletedBy::Press);
    let n = line.plies.len();
    let [own, reply] = line.plies[n.saturating_sub(2)..] else { return 0 };
    let is_way_back =
        |from: Move, to: Move| from.from() == Some(to.to()) && to.from() == Some(from.to());
    let is_unpressed = !is_pressed(&own) && !is_pressed(&reply) && !own.is_unwatched;
    let has_clock = line.plies.iter().any(is_pressed);
    let is_it = is_way_back(own.m, m) && is_plain(own.m) && own.m.to().distance(m.to()) == 1;
    if !is_it || !is_unpressed || !has_clock {
        return 0;
    }
    let before = n.checked_sub(3).map(|idx| line.plies[idx]);
    let is_again = |first: Ply| is_way_back(first.m, reply.m) && !is_pressed(&first);
    weigh::SET_UP_AGAIN + if before.is_some_and(is_again) { weigh::ALL_SET_UP_AGAIN } else { 0 }
}

/// Whether a king stands on `sq`.
fn is_king(pos: &Chess, sq: Square) -> bool {
    pos.board().role_at(sq) == Some(Role::King)
}

/// Whether a piece may go `from` there `to` there now.
fn may_go(pos: &Chess, from: Square, to: Square) -> bool {
    pos.us().contains(from) && legal::moves(pos).any(|m| m.from() == Some(from) && m.to() == to)
}

/// Whether `m` is told by one piece that goes from one square to another.
fn is_plain(m: Move) -> bool {
    matches!(m, Move::Normal { promotion: None, .. }) && m.capture() != Some(Role::King)
}

/// `line` with `m` in the place of its ply `idx`, which was played from `before`; none if what
/// follows could not have been played then.
fn replaced(line: &Line, idx: usize, before: &Chess, m: Move) -> Option<Line> {
    let mut child = line.clone();
    let mut pos = before.clone();
    pos.play_unchecked(m);
    if child.plies[idx].is_illegal {
        child.cost -= weigh::ILLEGAL;
    }
    child.plies[idx] = Ply { m, is_illegal: false, ..child.plies[idx] };
    for ply in &mut child.plies[idx + 1..] {
        if ply.is_illegal {
            return None;
        }
        ply.m = legal::moves(&pos).find(|other| is_same(ply.m, *other))?;
        pos.play_unchecked(ply.m);
    }
    let n = child.plies.len();
    child.take_back(n, pos);
    Some(child)
}

/// Whether both moves lead the same piece the same way, whatever they capture.
fn is_same(one: Move, other: Move) -> bool {
    one.from() == other.from()
        && one.to() == other.to()
        && one.role() == other.role()
        && one.promotion() == other.promotion()
        && one.is_castle() == other.is_castle()
}
