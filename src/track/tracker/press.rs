//! What a press tells: whose move it completes, and what the board says against a line by then.

use super::{
    ADJUSTED, HEARD_LATE, PRESS_AHEAD, PRESS_LATE, PRESS_PROMPT, PRESS_SOON, REST_MIN, STEP_MAX,
    TWIN_AHEAD, Tracker, total,
};
use crate::table::{Placement, Reading};
use crate::time::Mono;
use crate::track::line::{CompletedBy, Completion, Line, OpenPress, Ply, squares_of};
use crate::track::mismatch::{self, Mismatch};
use crate::track::search;
use crate::track::weigh::{self, AT_PRESS, Cost};
use shakmaty::{Bitboard, ByColor, Color, Move, Piece, Position, Square};
use std::time::Duration;

/// A press, and what the board has told since of how it stood then: one that looks at its squares
/// in rounds has told of all of them a round later.
#[derive(Clone, Debug)]
pub(in crate::track) struct Closing {
    press: OpenPress,
    seen: Placement,
    /// What has changed since.
    pub(in crate::track) later: Vec<(Square, Reading)>,
}

impl Tracker {
    /// Whether `by` has a piece astray that the opponent's last move does not explain, and has made
    /// no legal move, by the best line, since the piece on `to` came there: he has moved that one,
    /// and no other. False where nobody saw it come.
    pub fn is_last_of(&self, by: Color, to: Square) -> bool {
        let (best, came) = (self.best(), self.changed_at(to));
        let is_later = |idx: usize| !best.plies[idx].is_illegal && best.plies[idx].released >= came;
        let has_moved = (0..best.plies.len()).any(|idx| best.mover(idx) == by && is_later(idx));
        came > Mono::default() && self.is_astray(by) && !has_moved
    }

    /// Whether the piece on `to` came there before the opponent of `by` made his last move: it has
    /// not been moved in answer to that.
    pub fn came_before_reply(&self, by: Color, to: Square) -> bool {
        let best = self.best();
        let theirs = (0..best.plies.len()).rev().find(|idx| best.mover(*idx) != by);
        let came = self.changed_at(to) + self.scan() + REST_MIN;
        theirs.is_some_and(|idx| came < best.plies[idx].released)
    }

    /// Whether the press at `at` belongs to a move that the opponent had already answered.
    pub fn is_late_press(&self, at: Mono) -> bool {
        is_for_answered(self.best(), at)
    }

    /// Whether the press at `at` completed a move that was made after the piece on `sq` came there.
    pub fn is_press_for_later(&self, at: Mono, sq: Square) -> bool {
        completes(self.best(), at, |ply| !ply.is_illegal && ply.released > self.changed_at(sq))
    }

    /// Whether the press at `at` completed an illegal move, as the best line has it.
    pub fn is_illegal_press(&self, at: Mono) -> bool {
        completes(self.best(), at, |ply| ply.is_illegal)
    }

    /// Whether the press at `at` completed a legal move, as the best line has it, and not one of
    /// the piece that went from `from` to `to`. A king that went far has castled, whatever its rook
    /// did.
    pub fn is_press_for_other(&self, at: Mono, from: Square, to: Square) -> bool {
        let best = self.best();
        let has_castled = from.distance(to) > 1 && best.standing().board().kings().contains(from);
        !has_castled && completes(best, at, |ply| !ply.is_illegal && ply.m.from() != Some(from))
    }

    /// Whether it did so by any line that may still turn out to be the best.
    pub fn may_be_illegal_press(&self, at: Mono) -> bool {
        let is_illegal = |line: &Line| completes(line, at, |ply| ply.is_illegal);
        is_illegal(self.best()) || self.rivals(weigh::SURE_LEAD).any(is_illegal)
    }

    /// Whether the press at `at` may have been for a move that the opponent had answered, as a line
    /// has it that may still turn out to be the best: the hand had only just left its piece.
    pub fn may_be_late_press(&self, at: Mono) -> bool {
        let is_late = |line: &Line| {
            let Some(idx) = answered(line, at) else { return false };
            self.has_just_left(line.plies[idx].m, OpenPress { by: line.mover(idx), at })
        };
        is_late(self.best()) || self.rivals(weigh::SURE_LEAD).any(is_late)
    }

    /// Whether the press of `by` at `at` may have been for what he had moved before the piece on
    /// `to` came there: no other press is known for that, and it was let go shortly before.
    pub fn may_be_for_earlier(&self, by: Color, at: Mono, to: Square) -> bool {
        let (best, came) = (self.best(), self.changed_at(to));
        let is_earlier = |idx: &usize| {
            let ply = &best.plies[*idx];
            best.mover(*idx) == by && !ply.is_illegal && ply.released < came
        };
        (0..best.plies.len()).rev().find(is_earlier).is_some_and(|idx| {
            let ply = &best.plies[idx];
            let is_pressed = |done: Completion| done.by == CompletedBy::Press && done.at < at;
            at.since(ply.released) <= HEARD_LATE && !ply.completion.is_some_and(is_pressed)
        })
    }

    /// What kept the board at the press at `at` from showing the position of the best line. If that
    /// press completed an illegal move, what not even this explains is left aside.
    pub fn mismatch_at(&self, at: Mono) -> Option<Mismatch> {
        let best = self.best();
        if !self.is_illegal_press(at) {
            return self.mismatch();
        }
        let aside = best.untold(&self.seen) | best.differs(&self.seen);
        let pos = best.standing();
        mismatch::classify(pos, &self.seen.trusting(pos.board(), aside)).or(self.mismatch())
    }

    /// The last move of `by` in the best line, by its place, if its piece is seen on another square
    /// as well and may have gone there instead: a moment tells.
    pub fn is_on_two_squares(&self, by: Color) -> Option<usize> {
        let best = self.best();
        let idx = (0..best.n_standing()).rev().find(|idx| best.mover(*idx) == by)?;
        let piece = best.pos.board().piece_at(best.plies[idx].m.to())?;
        let twins = self.seen.known().by_piece(piece) & best.differs(&self.seen);
        let goes_there = |rival: &Line| {
            rival.n_shared(best) == idx
                && rival.plies.get(idx).is_some_and(|ply| twins.contains(ply.m.to()))
        };
        self.rivals(weigh::SURE_LEAD).any(goes_there).then_some(idx)
    }

    /// `by` has pressed the clock: the best moment there is to look.
    pub fn press(&mut self, at: Mono, by: Color) {
        self.pass(at);
        self.go_back(at);
        let press = OpenPress { by, at };
        let mut lines = std::mem::take(&mut self.lines);
        lines.iter_mut().for_each(|line| line.taken_back = ByColor::default());
        let (mut veiled, mut budget) = (Vec::new(), search::NODES_MAX);
        for line in &mut lines {
            let mut before = line.clone();
            let is_late = self.take_press(line, press);
            before.open.push(press);
            if is_late {
                veiled.extend(self.hidden(&before, at, &mut budget));
            }
            if is_late || is_for_answered(line, at) {
                veiled.extend(self.irregular(&before, at, &mut budget));
            }
        }
        lines.append(&mut veiled);
        self.lines = lines;
        self.search_on(at, STEP_MAX, weigh::POOR, budget);
        let elsewhere =
            |line: &Line| if self.went_elsewhere(line, by) { weigh::ELSEWHERE } else { 0 };
        let against = |line: &Line| (self.contradicts_at(line, press), elsewhere(line));
        let against: Vec<(Cost, Cost)> = self.lines.iter().map(against).collect();
        let is_closed = self.round().is_zero();
        for (line, (cost, elsewhere)) in self.lines.iter_mut().zip(against) {
            line.cost += cost + elsewhere;
            if !is_closed {
                line.charged.push((at, cost));
            }
        }
        if !is_closed {
            self.closing.push(Closing { press, seen: self.seen.clone(), later: Vec::new() });
        }
        self.prune();
    }

    /// Closes the pictures of presses that are a round ago: by now each square has told what stood
    /// there when the clock was pressed. What came right meanwhile is forgiven.
    pub(in crate::track) fn close_pictures(&mut self, at: Mono) {
        let round = self.round();
        let is_due = |closing: &Closing| at > closing.press.at + round;
        let n = self.closing.iter().take_while(|closing| is_due(closing)).count();
        for closing in self.closing.drain(..n).collect::<Vec<_>>() {
            let mut lines = std::mem::take(&mut self.lines);
            for line in &mut lines {
                let is_of_this = |(at, _): &(Mono, Cost)| *at == closing.press.at;
                let Some(idx) = line.charged.iter().position(is_of_this) else { continue };
                let (_, charged) = line.charged.remove(idx);
                if charged > 0 {
                    line.cost -= (charged - self.said_by(&closing, line)).max(0);
                }
            }
            self.lines = lines;
        }
    }

    /// Whether `known` will be dearer than `line`, which has the same moves, once the pictures of
    /// the presses are closed, as far as they tell by now.
    pub(in crate::track) fn is_dearer(&self, known: &Line, line: &Line) -> bool {
        let is_open = !known.charged.is_empty() || !line.charged.is_empty();
        is_open && self.due(known) > self.due(line)
    }

    /// What speaks against `line` without what will be forgiven, as far as that is known.
    fn due(&self, line: &Line) -> Cost {
        let forgiven = |closing: &Closing| {
            let charged = line.charged.iter().find(|(at, _)| *at == closing.press.at);
            charged.map_or(0, |(_, cost)| (cost - self.said_by(closing, line)).max(0))
        };
        total(line) - self.closing.iter().map(forgiven).sum::<Cost>()
    }

    /// What the closed picture of a press says against `line` as it stood then.
    fn said_by(&self, closing: &Closing, line: &Line) -> Cost {
        let press = closing.press;
        let pressed = Completion { at: press.at, by: CompletedBy::Press };
        let n = line.plies.iter().position(|ply| ply.completion == Some(pressed));
        let mut then = line.clone();
        if let Some(n) = n.map(|idx| idx + 1).filter(|n| *n < line.plies.len()) {
            let mut pos = self.root.clone();
            line.plies[..n].iter().for_each(|ply| pos.play_unchecked(ply.m));
            then.take_back(n, pos);
        }
        let mut seen = closing.seen.clone();
        let by_them = then.plies.iter().enumerate().rev().take(2);
        let concerns = |sq: Square| {
            by_them.clone().any(|(idx, ply)| {
                let by = then.mover(idx);
                let piece = ply.m.promotion().unwrap_or(ply.m.role()).of(by);
                squares_of(ply.m, by).contains(sq) || closing.seen.get(sq) == Reading::Piece(piece)
            })
        };
        for (sq, reading) in closing.later.iter().filter(|(sq, _)| concerns(*sq)) {
            let piece = then.pos.board().piece_at(*sq);
            let is_right = piece.map_or(*reading == Reading::Empty, |piece| reading.may_be(piece));
            if is_right {
                seen.set(*sq, *reading);
            }
        }
        Cost::from(weigh::disorder(&seen, &then, !press.by, &AT_PRESS)) * 1_000
    }

    /// True if it was for a move that has been answered.
    fn take_press(&self, line: &mut Line, press: OpenPress) -> bool {
        let starts_the_clock = self.n_settled() + line.plies.len() == 0
            && press.by != line.pos.turn()
            && line.open.is_empty();
        if starts_the_clock {
            return false;
        }
        line.open.push(press);
        match_presses(line, self.scan());
        let ours = self.seen.by_color(press.by);
        let arrived = line.differs(&self.seen) & ours;
        let is_prompt = |sq| press.at <= self.changed[usize::from(sq)] + PRESS_PROMPT;
        let is_meant_for_another = arrived.into_iter().any(is_prompt);
        let is_late = line.open.last() == Some(&press)
            && (!is_meant_for_another || self.is_late_for_adjusting(line, press))
            && match_late(line, press);
        if is_late {
            line.open.pop();
        }
        is_late
    }

    /// Whether the presser's hand has only just left the piece that he moved before: that is what
    /// he presses for.
    fn is_late_for_adjusting(&self, line: &Line, press: OpenPress) -> bool {
        late_ply(line, press).is_some_and(|idx| self.has_just_left(line.plies[idx].m, press))
    }

    /// Whether the presser's hand has only just left the piece of `m`, or let go of what stood half
    /// beside it.
    fn has_just_left(&self, m: Move, press: OpenPress) -> bool {
        let piece = m.role().of(press.by);
        let since = |at: Mono| at <= press.at && press.at.since(at) <= ADJUSTED;
        let touched = |sq: Square| self.history.last_shown(sq, piece).is_some_and(since);
        since(self.changed[usize::from(m.to())])
            || shakmaty::attacks::king_attacks(m.to()).into_iter().any(touched)
    }

    /// What the board says against `line` at `press`. The opponent may have a piece in the air, but
    /// where the press is for a move whose answer is completed already, the presser again. He may
    /// also have gone on with the piece that he presses for.
    fn contradicts_at(&self, line: &Line, press: OpenPress) -> Cost {
        let pressed = Completion { at: press.at, by: CompletedBy::Press };
        let Some(idx) = line.plies.iter().position(|ply| ply.completion == Some(pressed)) else {
            return self.contradicts(line, !press.by);
        };
        let usual = self.contradicts(line, !press.by) - self.wobbling(line, idx, press.at);
        let answer = line.plies.get(idx + 1);
        if answer.is_some_and(|answer| answer.completion.is_some()) {
            return usual.min(self.contradicts(line, press.by) + weigh::BEGUN);
        }
        let m = line.plies[idx].m;
        if self.has_left(m.to(), m.role().of(press.by), press.at) {
            usual.min(self.contradicts(line, press.by) + weigh::GONE_ON)
        } else {
            usual
        }
    }

    /// Whether the last move of `by` in `line` captures, where pieces have no names, what nobody
    /// touched, while something was put down where none should be: that is where the piece went.
    pub(in crate::track) fn went_elsewhere(&self, line: &Line, by: Color) -> bool {
        let Some(idx) = (0..line.plies.len()).rev().find(|idx| line.mover(*idx) == by) else {
            return false;
        };
        let m = line.plies[idx].m;
        let Some(from) = m.from().filter(|_| m.is_capture()) else { return false };
        let lifted = self.history.last_shown(from, m.role().of(by)).unwrap_or_default();
        let is_untouched =
            self.seen.something().contains(m.to()) && self.changed_at(m.to()) + TWIN_AHEAD < lifted;
        let astray =
            line.differs(&self.seen) & self.seen.something() & !line.pos.board().occupied();
        is_untouched && astray.into_iter().any(|sq| self.changed_at(sq) > lifted)
    }

    /// What it matters less that other pieces of the presser are not seen at `at`, because they
    /// have moved before and are not yet still. `idx` is the ply that he presses for.
    fn wobbling(&self, line: &Line, idx: usize, at: Mono) -> Cost {
        let board = line.pos.board();
        let by = line.mover(idx);
        let is_other = |other: &usize| *other != idx && line.mover(*other) == by;
        let others = (0..line.plies.len()).filter(is_other).map(|other| line.plies[other].m.to());
        let squares: Bitboard = others.collect();
        let wobbles = |sq: &Square| {
            board
                .piece_at(*sq)
                .is_some_and(|piece| piece.color == by && self.has_left(*sq, piece, at))
        };
        let n = squares.into_iter().filter(wobbles).count() as Cost;
        n * Cost::from(AT_PRESS.missing - AT_PRESS.lifted) * 1_000
    }

    /// Whether `piece` has just been taken from `sq` again.
    fn has_left(&self, sq: Square, piece: Piece, at: Mono) -> bool {
        let left = self.history.last_shown(sq, piece);
        self.seen.get(sq) == Reading::Empty && left.is_some_and(|left| at.since(left) <= ADJUSTED)
    }
}

/// Lets each open press complete the move that it belongs to: the presser's last one that stood, or
/// the first one to be seen soon after. 2023: Art. 6.2.1. Moves before it that no press followed
/// are completed by the replies to them, Art. 6.2.1.2.
pub(in crate::track) fn match_presses(line: &mut Line, scan: Duration) {
    let presses = std::mem::take(&mut line.open);
    for press in presses {
        let first = line.n_completed();
        let is_his = |idx: &usize| line.mover(*idx) == press.by;
        let stands = |idx: &usize| line.plies[*idx].released <= press.at + scan;
        let follows = |idx: &usize| line.plies[*idx].released <= press.at + PRESS_AHEAD;
        let open = first..line.plies.len();
        let last = open.clone().rev().find(|idx| is_his(idx) && stands(idx));
        let Some(idx) = last.or_else(|| open.clone().find(|idx| is_his(idx) && follows(idx)))
        else {
            if !match_anew(line, press, scan) {
                line.open.push(press);
            }
            continue;
        };
        for ply in &mut line.plies[first..idx] {
            ply.completion = Some(Completion { at: press.at, by: CompletedBy::Reply });
            line.cost += if ply.is_unwatched { 0 } else { weigh::UNPRESSED };
        }
        line.plies[idx].completion = Some(Completion { at: press.at, by: CompletedBy::Press });
        if let Some(answer) = line.plies.get(idx + 1) {
            let since = press.at.since(answer.released).min(PRESS_LATE);
            let late = since.saturating_sub(PRESS_SOON);
            line.cost += weigh::micros(late) * weigh::LATE_PER_MICRO;
        }
    }
}

/// A press after a piece stands is for its move, whatever was pressed before the piece came: that
/// was for nothing, unless the opponent has pressed for a reply since. True if it is so.
fn match_anew(line: &mut Line, press: OpenPress, scan: Duration) -> bool {
    let Some(idx) = (0..line.plies.len()).rev().find(|idx| line.mover(*idx) == press.by) else {
        return false;
    };
    let by_press = |ply: &Ply| ply.completion.filter(|done| done.by == CompletedBy::Press);
    if line.plies[idx + 1..].iter().any(|reply| by_press(reply).is_some()) {
        return false;
    }
    let ply = &mut line.plies[idx];
    let Some(done) = by_press(ply) else { return false };
    if done.at + scan >= ply.released || ply.released > press.at + scan {
        return false;
    }
    ply.completion = Some(Completion { at: press.at, by: CompletedBy::Press });
    line.unexplained.push(OpenPress { by: press.by, at: done.at });
    line.cost += weigh::OPEN_PRESS;
    true
}

/// Whether the press at `at` completes a move of `line` that is such.
fn completes(line: &Line, at: Mono, is_such: impl Fn(&Ply) -> bool) -> bool {
    let pressed = Completion { at, by: CompletedBy::Press };
    line.plies.iter().any(|ply| ply.completion == Some(pressed) && is_such(ply))
}

/// The move of `line` that the press at `at` completes although it has been answered.
fn answered(line: &Line, at: Mono) -> Option<usize> {
    let pressed = Completion { at, by: CompletedBy::Press };
    let done = |ply: &Ply| !ply.is_illegal && ply.completion == Some(pressed);
    line.plies.split_last()?.1.iter().rposition(done)
}

/// Whether the press at `at` completes a move of `line` that has been answered.
fn is_for_answered(line: &Line, at: Mono) -> bool {
    answered(line, at).is_some()
}

/// A press that comes after the opponent's answer still belongs to the move that was answered.
pub(in crate::track) fn match_late(line: &mut Line, press: OpenPress) -> bool {
    let Some(idx) = late_ply(line, press) else { return false };
    line.plies[idx].completion = Some(Completion { at: press.at, by: CompletedBy::Press });
    line.cost -= weigh::UNPRESSED;
    true
}

/// The answered move of `line` that `press` may still belong to.
fn late_ply(line: &Line, press: OpenPress) -> Option<usize> {
    let is_answered = |idx: &usize| {
        let done = line.plies[*idx].completion;
        let by_reply = done.is_some_and(|done| done.by == CompletedBy::Reply);
        let released = line.plies[*idx].released;
        by_reply && line.mover(*idx) == press.by && press.at.since(released) <= PRESS_LATE
    };
    (0..line.plies.len()).rev().find(is_answered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Chess;
    use shakmaty::uci::UciMove;

    /// What a press of White's costs so long after the answer to his move.
    fn price(since: Duration) -> Cost {
        let mut line = Line::new(Chess::default());
        for (uci, released) in [("g1f3", 1_000), ("b8c6", 2_000)] {
            let uci: UciMove = uci.parse().expect("a move");
            let m = uci.to_move(&line.pos).expect("a legal move");
            line.push(m, Mono::from_millis(released), false);
        }
        let before = line.cost;
        line.open.push(OpenPress { by: Color::White, at: Mono::from_millis(2_000) + since });
        match_presses(&mut line, Duration::ZERO);
        assert!(line.plies[0].completion.is_some() && line.open.is_empty());
        line.cost - before
    }

    #[test]
    fn the_later_a_press_the_dearer_up_to_a_limit() {
        let (soon, at_most) = (price(PRESS_SOON), price(PRESS_LATE));
        assert_eq!(soon, 0);
        assert_eq!(price(PRESS_SOON + Duration::from_micros(1)), weigh::LATE_PER_MICRO);
        assert_eq!(at_most, weigh::micros(PRESS_LATE - PRESS_SOON) * weigh::LATE_PER_MICRO);
        assert_eq!(price(PRESS_LATE * 4), at_most);
    }
}
