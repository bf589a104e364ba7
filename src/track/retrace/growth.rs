//! What a course may go on with: the moves whose pieces are missed where they stood and read where
//! they go, or that went on before the board looked.

use super::course::{Course, Made, PRESSABLE, Price, STRADDLES, UNPRESSED, WOBBLES, disorder};
use super::tape::{SquareSpan, Timeline};
use crate::table::Reading;
use crate::track::legal;
use crate::track::line::squares_of;
use shakmaty::{Color, Move, Piece, Position, Role, Square, attacks};

/// A half-move.
const PLY: Price = 50;
/// A piece that was not read where it was put, as it went on before the board looked.
const PASSED_UNSEEN: Price = 150;
/// A piece that is missed where it stood although nothing was read to change there.
const AWAY: Price = 300;
/// A castling piece that stands where it goes.
const CASTLED_BEFORE: Price = 100;
/// A piece that has gone on unseen, and has not been read anywhere.
const VANISHED: Price = 300;
/// A piece that is carried for longer than half a second, for each millisecond, up to a limit.
const CARRY_MS: i64 = 500;
const CARRIED_MAX: i64 = 1_000;

/// A hand takes this long from one square to another, at the least.
const HAND_MS: i64 = 40;
/// A hand goes out this long before the opponent's piece is let go, and no more.
const AHEAD_MS: i64 = 80;
/// Two moves are made at least so long apart.
const APART_MS: i64 = 20;
/// What came this long before the last move belongs to what came before.
const BEHIND_MS: i64 = 150;
/// A piece that wobbles may have come so much before it is read.
const WOBBLED_MS: i64 = 500;
/// A piece is put down within this after it was lifted; one that is promoted.
const PUT_MS: i64 = 3_000;
const PROMOTED_MS: i64 = 6_000;
/// A piece stands half on the square that it left for no longer.
const STRADDLED_MS: i64 = 2_300;
/// A pawn that was taken in passing is taken off within this.
const TAKEN_OFF_MS: i64 = 1_800;
/// Two pieces that castle are moved within this.
const CASTLING_MS: i64 = 4_000;
/// Before everything.
const LONG_AGO: i64 = i64::MIN / 4;
/// Departures that are looked at.
const LIFTS_MAX: usize = 8;
/// The dearest castling.
const CASTLING_MAX: Price = PLY + 350;

/// A piece that was lifted: from where, at which reading of that square, when it was missed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Lift {
    at: i64,
    from: Square,
    idx: u8,
}

/// How the piece of a move is read where it goes.
#[derive(Copy, Clone, Debug)]
enum Put {
    /// By this reading.
    Read(u8),
    /// By this reading, after it had wobbled there.
    Wobbled(u8),
    /// As what stood there before.
    Alike,
    /// Not at all.
    Unseen,
}

/// All that may follow on `course`; only what is on record `next`, if that is given.
pub(super) fn grow(
    line: &Timeline,
    round: i64,
    course: &Course,
    next: Option<Option<Move>>,
) -> Vec<Course> {
    let growth = Growth { line, round, course };
    let lifts = growth.lifts();
    let is_next = |m: &Move| next.is_none_or(|next| next == Some(*m));
    let moves: shakmaty::MoveList = legal::moves(&course.pos).filter(is_next).collect();
    let mut grown = Vec::new();
    for m in &moves {
        if let Move::Castle { king, rook } = *m {
            if lifts.iter().any(|lift| lift.from == king || lift.from == rook) {
                grown.extend(growth.castled(*m));
            }
            continue;
        }
        for lift in lifts.iter().filter(|lift| m.from() == Some(lift.from)) {
            growth.moved(*m, *lift, &mut grown);
        }
    }
    grown
}

struct Growth<'a> {
    line: &'a Timeline,
    round: i64,
    course: &'a Course,
}

impl Growth<'_> {
    fn told(&self, sq: Square) -> u8 {
        self.course.told[usize::from(sq)]
    }

    /// The first pieces of whoever is to move that are missed where they stand.
    fn lifts(&self) -> Vec<Lift> {
        let course = self.course;
        let mut lifts = Vec::new();
        for from in course.pos.us() {
            let piece = course.pos.board().piece_at(from);
            let mut is_shown = course.now(self.line, from).shows(piece);
            if !is_shown {
                let unseen = course.unseen.filter(|(sq, _)| *sq == from);
                let at = unseen.map_or(course.until, |(_, put)| put + self.round);
                lifts.push(Lift { at, from, idx: self.told(from) });
            }
            let mut n = 0;
            for (idx, span) in self.line.after(from, self.told(from)) {
                let was_shown = std::mem::replace(&mut is_shown, span.shows(piece));
                if was_shown && !is_shown {
                    lifts.push(Lift { at: span.from, from, idx });
                    n += 1;
                }
                if n == 2 {
                    break;
                }
            }
        }
        lifts.sort_unstable();
        lifts.truncate(LIFTS_MAX);
        lifts
    }

    /// Adds what becomes of the course by `m`, whose piece was lifted so.
    fn moved(&self, m: Move, lift: Lift, grown: &mut Vec<Course>) {
        let (course, to, turn) = (self.course, m.to(), self.course.pos.turn());
        let piece = m.promotion().unwrap_or(m.role()).of(turn);
        let later =
            || self.line.after(to, self.told(to)).filter(|(_, span)| span.shows(Some(piece)));
        let is_of_now = |span: &SquareSpan| span.from >= course.until - BEHIND_MS;
        self.straddled(m, lift, later().find(|(_, span)| is_of_now(span)), grown);
        let mut n = 0;
        let is_unseen_there = course.unseen.is_some_and(|(sq, _)| sq == to);
        if is_unseen_there && course.now(self.line, to).shows(Some(piece)) {
            grown.push(self.played(m, lift, Put::Alike));
            n += 1;
        }
        let within = if m.is_promotion() { PROMOTED_MS } else { PUT_MS };
        for (idx, span) in later().take_while(|(_, span)| span.from <= lift.at + within) {
            if span.from <= lift.at - self.round - 60 || !is_of_now(&span) {
                continue;
            }
            let child = self.played(m, lift, Put::Read(idx));
            let made = child.made.last().expect("a move was played");
            if made.released > made.lifted + 60 && made.released >= span.from - self.round {
                grown.push(self.played(m, lift, Put::Wobbled(idx)));
            }
            grown.push(child);
            n += 1;
            if n == 2 {
                break;
            }
        }
        let is_read =
            later().any(|(_, span)| is_of_now(&span) && span.from <= lift.at + self.round);
        if n == 0 && !is_read && !m.is_promotion() && self.may_vanish(lift, to, piece) {
            grown.push(self.played(m, lift, Put::Unseen));
        }
    }

    /// Adds the course by `m` if its piece stands half on the square that it left.
    fn straddled(
        &self,
        m: Move,
        lift: Lift,
        came: Option<(u8, SquareSpan)>,
        grown: &mut Vec<Course>,
    ) {
        let told = self.told(lift.from);
        let is_first = lift.idx == told.saturating_add(1);
        let is_shown =
            self.line.span(lift.from, told).shows(self.course.pos.board().piece_at(lift.from));
        let is_near = attacks::king_attacks(m.to()).contains(lift.from);
        let Some((idx, span)) = came.filter(|_| is_near && is_first && is_shown) else { return };
        let before = lift.at - span.from;
        if (self.round + 60..STRADDLED_MS).contains(&before) {
            let lift = Lift { at: span.from, idx: told, ..lift };
            grown.push(self.played(m, lift, Put::Read(idx)));
        }
    }

    /// Whether `piece`, put on `to` unseen, is read elsewhere soon, or may be taken there.
    fn may_vanish(&self, lift: Lift, to: Square, piece: Piece) -> bool {
        if self.round == 0 {
            return false;
        }
        let (course, board) = (self.course, self.course.pos.board());
        let is_soon = |span: &SquareSpan, rounds: i64| {
            (lift.at - self.round..=lift.at + rounds * self.round).contains(&span.from)
        };
        let after = |sq: Square| self.line.after(sq, self.told(sq)).map(|(_, span)| span);
        let occupied = board.occupied().without(lift.from);
        let mut reach = attacks::attacks(to, piece, occupied).with(lift.from);
        if piece.role == Role::Pawn {
            let step = if piece.color == Color::White { 8 } else { -8 };
            let one = to.offset(step);
            reach.extend(one.into_iter().chain(one.and_then(|one| one.offset(step))));
        }
        let is_read = |sq: Square| {
            sq != to && after(sq).any(|span| is_soon(&span, 5) && span.shows(Some(piece)))
        };
        let is_theirs = |span: SquareSpan| span.reading.color() == Some(!piece.color);
        let takers = board.attacks_to(to, !piece.color, occupied) & course.pos.them();
        let leaves =
            |sq: Square| after(sq).any(|span| is_soon(&span, 3) && !span.shows(board.piece_at(sq)));
        after(to).any(|span| is_soon(&span, 5) && is_theirs(span))
            || takers.into_iter().any(leaves)
            || reach.into_iter().any(is_read)
    }

    /// When a piece may have been lifted that was missed then, and what that costs. A hand holds
    /// one piece at a time, and goes out when the opponent's has let go.
    fn lifted(&self, lift: Lift, piece: Piece) -> (i64, Price) {
        let made = &self.course.made;
        let is_unseen = self.course.unseen.is_some_and(|(sq, _)| sq == lift.from);
        let (first, mut price) = match lift.idx.checked_sub(1) {
            Some(before) if lift.idx > self.told(lift.from) => {
                let since = self.line.span(lift.from, before).from;
                (since.max(lift.at - self.round), 0)
            }
            _ if self.line.span(lift.from, lift.idx).shows(Some(piece)) => (LONG_AGO, STRADDLES),
            _ => (LONG_AGO, if is_unseen { 0 } else { AWAY }),
        };
        let theirs = made.last().map_or(LONG_AGO, |last| last.released - AHEAD_MS);
        let own = made.iter().rev().nth(1).map_or(LONG_AGO, |own| own.released);
        let least = theirs.max(own);
        price += disorder(least.saturating_sub(lift.at));
        (first.max(least).min(lift.at), price)
    }

    /// When the piece of `m`, lifted at `lifted` and missed at `missed`, may have been let go, by
    /// how it was `put`, and what that costs.
    fn released(&self, m: Move, (lifted, missed): (i64, i64), put: Put) -> (i64, Price) {
        let (idx, wobbled) = match put {
            Put::Read(idx) => (idx, 0),
            Put::Wobbled(idx) => (idx, WOBBLED_MS),
            Put::Alike => return (lifted + HAND_MS, 0),
            Put::Unseen => return (lifted + HAND_MS + APART_MS, PASSED_UNSEEN),
        };
        let read = self.line.span(m.to(), idx).from;
        let since = self.line.span(m.to(), idx.saturating_sub(1)).from;
        let first = read - self.round - wobbled;
        let first = if wobbled > 0 { first } else { first.max(since) };
        let before = self.course.made.last().map_or(LONG_AGO, |last| last.released + APART_MS);
        let least = first.max(lifted + HAND_MS).max(before);
        let slow = (first - missed - CARRY_MS).clamp(0, CARRIED_MAX) * 3 / 10;
        let slow = if m.is_promotion() { 0 } else { slow as Price };
        let wobbles = if wobbled > 0 { WOBBLES + PLY } else { 0 };
        (least.min(read), disorder(least - read) + slow + wobbles)
    }

    /// The course by `m`, whose piece was lifted and put down so.
    fn played(&self, m: Move, lift: Lift, put: Put) -> Course {
        let (turn, to) = (self.course.pos.turn(), m.to());
        let piece = m.role().of(turn);
        let victim = self.course.pos.board().piece_at(to);
        let mut child = self.course.clone();
        let (lifted, of_lift) = self.lifted(lift, piece);
        let (released, of_put) = self.released(m, (lifted, lift.at), put);
        child.price += PLY + of_lift + of_put;
        child.take(self.line, self.round, (lift.from, lift.idx), |_| false);
        match put {
            Put::Read(idx) | Put::Wobbled(idx) => {
                let is_free = |reading| victim.is_some() && reading == Reading::Empty;
                let is_free = |reading| is_free(reading) || m.is_promotion();
                child.take(self.line, self.round, (to, idx), is_free);
            }
            Put::Unseen if victim.is_some() => {
                let gone = self.line.after(to, self.told(to)).next();
                let is_soon = |span: &SquareSpan| span.from < lift.at + 2 * self.round;
                let is_empty = |span: &SquareSpan| span.reading == Reading::Empty && is_soon(span);
                if let Some((idx, _)) = gone.filter(|(_, span)| is_empty(span)) {
                    child.take(self.line, self.round, (to, idx), |_| false);
                }
            }
            Put::Unseen | Put::Alike => {}
        }
        if let Move::EnPassant { from, to } = m {
            self.take_passed(&mut child, Square::from_coords(to.file(), from.rank()), released);
        }
        if let Some((sq, since)) = child.unseen {
            let has_vanished = released > since + self.round + 60 || matches!(put, Put::Unseen);
            let is_told = sq == lift.from || sq == to;
            child.price += if has_vanished && !is_told { VANISHED } else { 0 };
            child.unseen = child.unseen.filter(|_| !has_vanished && !is_told);
        }
        if matches!(put, Put::Unseen) {
            child.unseen = Some((to, released));
        }
        let read = match put {
            Put::Read(idx) | Put::Wobbled(idx) => self.line.span(to, idx).from,
            Put::Unseen | Put::Alike => released,
        };
        let pressed = None;
        self.end(child, Made { m, by: turn, lifted, released, read, pressed, piece, to, victim })
    }

    /// The pawn on `sq` was taken in passing.
    fn take_passed(&self, child: &mut Course, sq: Square, released: i64) {
        let is_gone = |span: &SquareSpan| {
            span.reading == Reading::Empty && span.from < released + TAKEN_OFF_MS
        };
        match self.line.after(sq, self.told(sq)).find(|(_, span)| is_gone(span)) {
            Some((idx, _)) => child.take(self.line, self.round, (sq, idx), |_| false),
            None => child.price += AWAY,
        }
    }

    /// The course by castling with `m`, if its pieces are read where they go.
    fn castled(&self, m: Move) -> Option<Course> {
        let (course, turn) = (self.course, self.course.pos.turn());
        let side = m.castling_side()?;
        let (mut child, mut price) = (course.clone(), PLY);
        let (mut first, mut last) = (i64::MAX, LONG_AGO);
        for sq in squares_of(m, turn) {
            let role = if sq == side.king_to(turn) {
                Some(Role::King)
            } else {
                (sq == side.rook_to(turn)).then_some(Role::Rook)
            };
            let piece = role.map(|role| role.of(turn));
            let is_it =
                |span: &SquareSpan| span.shows(piece) && span.from >= course.until - BEHIND_MS;
            if course.now(self.line, sq).shows(piece) {
                price += CASTLED_BEFORE;
            } else if let Some((idx, span)) =
                self.line.after(sq, self.told(sq)).find(|(_, span)| is_it(span))
            {
                (first, last) = (first.min(span.from), last.max(span.from));
                child.take(self.line, self.round, (sq, idx), |reading| reading == Reading::Empty);
            } else {
                price += AWAY;
            }
        }
        if price > CASTLING_MAX || first == i64::MAX || last - first > CASTLING_MS {
            return None;
        }
        let least = course.made.last().map_or(LONG_AGO, |last| last.released - AHEAD_MS);
        child.price += price + disorder(least.saturating_sub(first));
        let lifted = least.max(first - self.round).min(first);
        let released = (last - self.round).max(lifted + HAND_MS + APART_MS);
        let (piece, to) = (Role::King.of(turn), side.king_to(turn));
        let (read, pressed, victim) = (last, None, None);
        let made = Made { m, by: turn, lifted, released, read, pressed, piece, to, victim };
        Some(self.end(child, made))
    }

    fn end(&self, mut child: Course, made: Made) -> Course {
        child.pos.play_unchecked(made.m);
        child.until = child.until.max(made.released);
        child.made.push(made);
        let old = child.made.len().checked_sub(PRESSABLE + 1).map(|idx| child.made[idx]);
        child.price += if old.is_some_and(|old| old.pressed.is_none()) { UNPRESSED } else { 0 };
        let until = child.until - BEHIND_MS;
        child.pay(self.line, self.round, until);
        child
    }
}
