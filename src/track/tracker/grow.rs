//! How lines grow: by the legal moves that would mend what the board shows otherwise, by the
//! illegal move that it shows, and back to a position that it shows again.

use super::amend::set_up_again;
use super::fault;
use super::press::{match_late, match_presses};
use super::{
    BRANCH_MAX, PRESS_PROMPT, REPLY_AHEAD, REST_MIN, RESTED, SEARCH_WITHIN, TWIN_AHEAD, Tracker,
    total,
};
use crate::table::Reading;
use crate::time::Mono;
use crate::track::illegal;
use crate::track::legal;
use crate::track::line::{
    CompletedBy, Line, OpenPress, Ply, arrivals_of, departures_of, squares_of,
};
use crate::track::search;
use crate::track::weigh::{self, Cost};
use shakmaty::{Bitboard, Move, Piece, Position, Role, Square, attacks};
use std::time::Duration;

/// A piece that is put down before it is missed where it stood is seen on both for this long.
const TWIN_MAX: Duration = Duration::from_millis(50);
/// What was seen of a piece this long before it was lifted is of another move.
const UNLIFTED_MAX: Duration = Duration::from_millis(400);
/// A hand goes out so much before the opponent has released his piece, and no more.
const EAGER_MIN: Duration = Duration::from_millis(100);
/// What is counted of it.
const EAGER_MAX: Duration = Duration::from_millis(300);

impl Tracker {
    /// Branches every line that the board contradicts by the legal moves that would mend it.
    pub fn branch(&mut self, at: Mono) {
        let (mut budget, mut is_cut) = (search::NODES_MAX, false);
        let mut from = 0;
        for _ in 0..BRANCH_MAX {
            let until = self.lines.len();
            for idx in from..until {
                let children = self.children(&self.lines[idx], 1, usize::MAX, at, &mut budget);
                is_cut |= children.len() >= search::FOUND_MAX;
                self.lines.extend(children);
            }
            from = until;
        }
        self.n_cut += u64::from(is_cut || budget == 0);
    }

    /// Has the best line go back where the board has come to rest at an earlier position of it.
    pub(in crate::track) fn go_back(&mut self, at: Mono) {
        if at.since(self.last_change()) >= RESTED {
            let returned = self.returned(&self.lines[0]);
            self.lines.extend(returned);
        }
    }

    /// Searches longer and longer lines until one explains the board to within `content`.
    /// Takes the positions that it looks at from `budget`.
    pub(in crate::track) fn search_on(
        &mut self,
        at: Mono,
        depth_max: usize,
        content: Cost,
        mut budget: usize,
    ) {
        let mut is_cut = false;
        let others =
            [Self::hidden, Self::irregular, Self::strewn, Self::half_castled, Self::passed];
        for depth in 1..=depth_max {
            let least = self.lines.iter().map(total).min().unwrap_or(0);
            let bare = self.lines.iter().map(|line| line.cost).min().unwrap_or(0);
            let explained = |line: &Line| total(line) + self.contradicts(line, line.pos.turn());
            if self.lines.iter().map(explained).min().unwrap_or(0) < bare + content {
                break;
            }
            let slack = if depth <= 2 { 1 } else { 0 };
            for idx in 0..self.lines.len() {
                if total(&self.lines[idx]) <= least + SEARCH_WITHIN {
                    let children = self.children(&self.lines[idx], depth, slack, at, &mut budget);
                    is_cut |= children.len() >= search::FOUND_MAX;
                    self.lines.extend(children);
                    if depth == 1 && !self.is_gap {
                        for find in others {
                            let children = find(self, &self.lines[idx], at, &mut budget);
                            self.lines.extend(children);
                        }
                    }
                }
            }
        }
        self.n_cut += u64::from(is_cut || budget == 0);
    }

    /// What becomes of `line` if exactly `depth` plies have been played since.
    pub(in crate::track) fn children(
        &self,
        line: &Line,
        depth: usize,
        slack: usize,
        at: Mono,
        budget: &mut usize,
    ) -> Vec<Line> {
        if line.differs(&self.seen).is_empty() && !self.seen.hides_castling(&line.pos) {
            return Vec::new();
        }
        let mut children = self.corrected(line, at, budget);
        children.extend(self.exchanged(line));
        children.extend(self.castled_after_step(line));
        children.extend(self.amended(line, at, budget));
        // Whoever answers a pawn that was left on the last rank answers a queen.
        let queened = line.queened().map_or(Vec::new(), |queened| {
            self.grown(&queened, self.seen.unexchanged(), depth, slack, at, budget)
        });
        if queened.is_empty() {
            children.extend(self.grown(line, Bitboard::EMPTY, depth, slack, at, budget));
        }
        children.extend(queened);
        children
    }

    /// What becomes of `line` by `depth` legal plies. What is seen on the squares `aside` tells
    /// nothing.
    pub(in crate::track) fn grown(
        &self,
        line: &Line,
        aside: Bitboard,
        depth: usize,
        slack: usize,
        at: Mono,
        budget: &mut usize,
    ) -> Vec<Line> {
        let mut grown = Vec::new();
        let untold = line.untold(&self.seen) | aside;
        let strewn = line.strewn(&self.seen);
        for moves in search::lines(&line.pos, &self.seen, depth, slack, untold, budget) {
            // Where a piece is astray nothing is seen to arrive.
            if moves.iter().any(|m| strewn.contains(m.to())) {
                continue;
            }
            let Some((first, later)) = moves.split_first() else { continue };
            let mut child = self.with_move(line, *first, at);
            for m in later {
                child = self.with_move(&child, *m, at);
            }
            match_presses(&mut child, self.scan());
            grown.push(child);
        }
        grown
    }

    /// `line` with `m`, and with what speaks against that.
    pub(in crate::track) fn with_move(&self, line: &Line, m: Move, at: Mono) -> Line {
        let mut child = line.clone();
        let released = self.released(line, m, at);
        child.cost += weigh::PLY
            + self.unstirred(line, m, squares_of(m, line.pos.turn()))
            + self.hurried(line, m)
            + self.just_amended(line, m)
            + self.eager(line, m)
            + self.stale(line, m)
            + self.strayed(line, m)
            + self.unlifted(line, m)
            + self.doubled(line, m)
            + self.assumed(m)
            + fault::unseen(line, m)
            + self.untouched(line, m)
            + set_up_again(line, m)
            + disordered(line, self.came(line, m, released) + self.round());
        child.push(m, released, self.is_gap);
        child
    }

    /// What becomes of `line` if its last move, which is illegal and not answered, was replaced by
    /// a legal one: the board shows exactly that.
    fn corrected(&self, line: &Line, at: Mono, budget: &mut usize) -> Vec<Line> {
        if line.n_standing() == line.plies.len() {
            return Vec::new();
        }
        let mut before = line.clone();
        let illegal = before.plies[line.n_standing()];
        before.take_back(line.n_standing(), line.standing().clone());
        // A press just before the last piece was in its place was meant for it.
        if let Some(done) = illegal.completion.filter(|done| done.by == CompletedBy::Press) {
            before.open.push(OpenPress { by: before.pos.turn(), at: done.at });
        }
        let legal = search::lines(&before.pos, &self.seen, 1, 0, before.untold(&self.seen), budget);
        let corrected = legal.into_iter().flatten().map(|m| {
            let mut child = before.clone();
            child.cost += weigh::PLY;
            child.push(m, self.released(&before, m, at), false);
            // The same move, finished late: the other pawn is taken away, or this one exchanged.
            if (m.from(), m.to()) == (illegal.m.from(), illegal.m.to()) {
                child.plies.last_mut().expect("a ply was pushed").completion = illegal.completion;
                child
                    .open
                    .retain(|press| illegal.completion.is_none_or(|done| done.at != press.at));
            }
            match_presses(&mut child, self.scan());
            child.unexplained.append(&mut child.open);
            child
        });
        corrected.collect()
    }

    /// What becomes of `line` if the piece that its last move promoted to, and on which nobody has
    /// pressed, was exchanged for the one that stands there.
    fn exchanged(&self, line: &Line) -> Option<Line> {
        let (last, n) = (line.plies.last()?, line.n_standing());
        let Reading::Piece(piece) = self.seen.get(last.m.to()) else { return None };
        let Move::Normal { role, from, capture, to, promotion: Some(_) } = last.m else {
            return None;
        };
        let m = Move::Normal { role, from, capture, to, promotion: Some(piece.role) };
        let is_pressed = last.completion.is_some_and(|done| done.by == CompletedBy::Press);
        let mut before = self.root.clone();
        line.plies[..line.plies.len() - 1].iter().for_each(|ply| before.play_unchecked(ply.m));
        let is_other = last.m != m && piece.color == before.turn() && legal::is_legal(&before, m);
        if is_pressed || !is_other || n < line.plies.len() {
            return None;
        }
        let mut child = line.clone();
        child.cost += weigh::PLY;
        child.take_back(n - 1, before);
        child.push(m, self.changed_at(to), last.is_unwatched);
        Some(child)
    }

    /// What becomes of `line` if a piece has arrived where what is seen since before hides it: the
    /// piece that moved last stands half on that square.
    pub(in crate::track) fn hidden(&self, line: &Line, at: Mono, budget: &mut usize) -> Vec<Line> {
        let mut hidden = search::masked(&line.pos, &self.seen, line.untold(&self.seen), budget);
        let arrivals = |m: &Move| arrivals_of(*m, line.pos.turn());
        hidden.retain(|m| arrivals(m).into_iter().any(|sq| self.is_veiled(line, sq)));
        let mut grown = Vec::new();
        for m in hidden {
            let mut child = line.clone();
            let left = departures_of(m);
            let lifted = left.into_iter().map(|sq| self.changed[usize::from(sq)]).max();
            let released = lifted.unwrap_or(at).min(at);
            child.cost += weigh::PLY
                + weigh::MASKED
                + self.unstirred(line, m, left)
                + self.hurried(line, m)
                + disordered(line, released + self.round());
            child.masked |= arrivals_of(m, line.pos.turn());
            child.push(m, released, false);
            child.masked &= child.differs(&self.seen);
            match_presses(&mut child, self.scan());
            grown.extend(self.children(&child, 1, 1, at, budget));
            grown.push(child);
        }
        grown
    }

    /// Whether what is seen on `sq` was there before a piece of its kind was lifted: that one has
    /// not come there.
    fn is_veiled(&self, line: &Line, sq: Square) -> bool {
        let Reading::Piece(piece) = self.seen.get(sq) else { return false };
        let missed = line.pos.board().by_piece(piece) & self.seen.differs(line.pos.board());
        missed.into_iter().all(|from| self.changed_at(sq) < self.changed_at(from))
    }

    /// What becomes of `line` if the illegal move that the board shows stands, and if it has been
    /// answered.
    pub(in crate::track) fn irregular(
        &self,
        line: &Line,
        at: Mono,
        budget: &mut usize,
    ) -> Vec<Line> {
        let is_first = self.is_taken_over && line.plies.is_empty();
        if line.n_standing() < line.plies.len() || is_first {
            return Vec::new();
        }
        let seen = self.seen.trusting(line.pos.board(), line.untold(&self.seen));
        let Some(m) = illegal::shown(&line.pos, &seen) else { return Vec::new() };
        let released = self.released(line, m, at);
        let mut child = line.clone();
        child.cost += weigh::ILLEGAL
            + self.unstirred(line, m, squares_of(m, line.pos.turn()))
            + self.hurried(line, m)
            + disordered(line, released + self.round());
        // Whoever still owes a press for his move before, and did not press at once, has pressed
        // for that one.
        let is_prompt = |press: &OpenPress| press.at <= released + PRESS_PROMPT;
        let mut open = std::mem::take(&mut child.open);
        open.retain(|press| is_prompt(press) || !match_late(&mut child, *press));
        child.open = open;
        child.push_illegal(m, released);
        match_presses(&mut child, self.scan());
        let mut children = self.children(&child, 1, 1, at, budget);
        children.push(child);
        children
    }

    /// What becomes of `line` if its last plies were taken back: the board shows exactly what stood
    /// before them. The whole game is never taken back: whoever sets the pieces up anew begins
    /// another one.
    fn returned(&self, line: &Line) -> Option<Line> {
        if line.differs(&self.seen).is_empty() {
            return None;
        }
        let mut pos = self.root.clone();
        let mut found = None;
        for (n, ply) in line.plies.iter().enumerate() {
            let differs = self.seen.differs(pos.board()) & !line.untold(&self.seen);
            if self.n_settled() + n > 0 && differs.is_empty() {
                found = Some((n, pos.clone()));
            }
            pos.play_unchecked(ply.m);
        }
        let (n, pos) = found?;
        let mut child = line.clone();
        let is_unpressed =
            |ply: &Ply| ply.completion.is_none_or(|done| done.by != CompletedBy::Press);
        for idx in (n..line.plies.len()).filter(|idx| is_unpressed(&line.plies[*idx])) {
            child.taken_back[line.mover(idx)] = true;
        }
        child.cost += weigh::TAKE_BACK + weigh::TAKEN_BACK * (line.plies.len() - n) as Cost;
        child.take_back(n, pos);
        Some(child)
    }

    /// What it speaks against `m` that some of its `squares` have not stirred since the move
    /// before.
    fn unstirred(&self, line: &Line, m: Move, squares: Bitboard) -> Cost {
        let since = line.plies.last().map_or(Mono::default(), |last| last.released);
        // Where pieces have no names, a capture is told by its square having stirred of its own,
        // after the last move that ended there and not before the capturing piece was lifted.
        let is_told_by_touch = |sq: Square| {
            sq == m.to() && self.seen.something().contains(sq) && line.pos.them().contains(sq)
        };
        let lifted = m.from().map_or(Mono::default(), |from| self.changed_at(from));
        let stirred = |sq: Square| {
            let changed = self.changed[usize::from(sq)];
            let ahead = if is_told_by_touch(sq) { Duration::ZERO } else { REPLY_AHEAD };
            let is_later = changed + ahead > since || since == Mono::default();
            let is_too_early = is_told_by_touch(sq) && changed + TWIN_AHEAD <= lifted;
            is_later && !is_too_early && changed != Mono::default()
        };
        let told = squares & !line.faulty;
        let weight = |sq: Square| match m.from() {
            _ if m.is_castle() || !self.may_pass(line) => weigh::UNSTIRRED,
            Some(from) if sq == from && self.has_passed(line, m) => 0,
            _ if sq == m.to() && self.seen.get(sq) == Reading::Empty => weigh::PASSED,
            _ => weigh::UNSTIRRED,
        };
        told.into_iter().filter(|&sq| !stirred(sq)).map(weight).sum()
    }

    /// What it speaks against `m` that its piece had hardly come to rest where it goes on from. A
    /// piece that is dragged stops for a moment on squares where it would be legal; a piece that
    /// moves again has waited for the opponent's answer.
    fn hurried(&self, line: &Line, m: Move) -> Cost {
        let Some(from) = m.from().filter(|from| !line.faulty.contains(*from)) else { return 0 };
        let piece = m.role().of(line.pos.turn());
        let arrives = |ply: &Ply| !ply.m.is_castle() && ply.m.to() == from;
        let Some(idx) = line.plies.iter().rposition(arrives) else { return 0 };
        if self.has_passed(line, m) {
            return 0;
        }
        let since = idx.checked_sub(1).map_or(Mono::default(), |idx| line.plies[idx].released);
        let rested = self.history.rested(from, piece, since);
        // Where it may not stand it was on its way, unless it stood for longer.
        let least = if line.plies[idx].is_illegal { RESTED } else { REST_MIN };
        weigh::micros(least.saturating_sub(rested)) * weigh::HURRIED_PER_MICRO
    }

    /// Whether a message was lost since `since`, as far as is known: what was seen then came late.
    pub fn has_missed_since(&self, since: Mono) -> bool {
        self.missed.is_some_and(|missed| missed >= since)
    }

    /// What it speaks against `m` that its piece was lifted well before the move that it answers
    /// was released: whoever replies waits for that. When a piece was released that is captured by
    /// `m` at once, or whose message was lost, is not known so well.
    fn eager(&self, line: &Line, m: Move) -> Cost {
        let Some(from) = m.from().filter(|from| !line.faulty.contains(*from)) else { return 0 };
        let Some(answered) = line.plies.last().filter(|ply| ply.m.to() != m.to()) else { return 0 };
        let piece = m.role().of(line.pos.turn());
        let Some(lifted) = self.history.last_shown(from, piece) else { return 0 };
        if self.has_missed_since(lifted) {
            return 0;
        }
        let ahead =
            answered.released.since(lifted).saturating_sub(EAGER_MIN + self.round()).min(EAGER_MAX);
        weigh::micros(ahead) * weigh::EAGER_PER_MICRO
    }

    /// What it speaks against `m` that its piece was seen off the way since it was lifted. What is
    /// seen of it beside the square that it has come to already is no other way.
    fn strayed(&self, line: &Line, m: Move) -> Cost {
        let Some(from) = m.from().filter(|_| !m.is_castle()) else { return 0 };
        let piece = m.role().of(line.pos.turn());
        let Some(lifted) = self.history.last_shown(from, piece) else { return 0 };
        let may_pass = way(from, m.to()) | line.pos.board().by_piece(piece);
        if self.is_seen_off(piece, m.to(), may_pass, lifted) { weigh::STRAYED } else { 0 }
    }

    /// What it speaks against `m` that its piece was seen on its way, or where it went, long before
    /// it was lifted: it had come from elsewhere.
    fn unlifted(&self, line: &Line, m: Move) -> Cost {
        let Some(from) = m.from().filter(|_| !m.is_castle()) else { return 0 };
        let piece = m.role().of(line.pos.turn());
        let Some(lifted) = self.history.last_shown(from, piece) else { return 0 };
        let arrived = self.arrived_on(line, from);
        let squares = way(from, m.to()).with(m.to()) & !line.pos.board().by_piece(piece);
        let still =
            (self.seen.get(m.to()) == Reading::Piece(piece)).then(|| self.changed_at(m.to()));
        let sightings = self.history.sightings(piece, arrived);
        let seen = sightings.filter(|(sq, _)| squares.contains(*sq)).map(|(_, at)| at);
        let is_near = |at: &Mono| lifted.since(*at) <= UNLIFTED_MAX;
        let first = seen.chain(still).filter(is_near).min().unwrap_or(lifted);
        let ahead = lifted.since(first);
        let ahead = ahead.saturating_sub(self.round());
        let is_twin = !ahead.is_zero() && !self.has_missed_since(lifted);
        let twin = if is_twin { weigh::TWIN } else { 0 };
        twin + weigh::micros(ahead.saturating_sub(TWIN_MAX)) * weigh::UNLIFTED_PER_MICRO
    }

    /// From when on what is seen beside `from` belongs to the next move of the piece that `line`
    /// put there, if it was seen to leave since: until then it may have been put half on another
    /// square.
    fn arrived_on(&self, line: &Line, from: Square) -> Mono {
        let arrives = |ply: &&Ply| !ply.m.is_castle() && ply.m.to() == from;
        let came = line.plies.iter().rev().find(arrives).map(|ply| ply.released);
        came.filter(|came| self.changed_at(from) > *came)
            .map_or(Mono::default(), |came| came + TWIN_AHEAD)
    }

    /// Whether `piece`, that has come to `to`, was seen since `since` anywhere but there and on the
    /// squares that it `may_pass`.
    fn is_seen_off(&self, piece: Piece, to: Square, may_pass: Bitboard, since: Mono) -> bool {
        let stands = |at: Mono| {
            self.seen.get(to).may_be(piece) && self.changed_at(to) <= at
                || self.history.showed_at(to, piece, at)
        };
        self.history
            .sightings(piece, since)
            .any(|(sq, at)| sq != to && !may_pass.contains(sq) && !stands(at))
    }

    /// What it speaks against `m` that its piece stood there before the mover's last move.
    fn stale(&self, line: &Line, m: Move) -> Cost {
        let Some(idx) = line.plies.len().checked_sub(2) else { return 0 };
        let arrived = self.changed[usize::from(m.to())];
        // What has no name may be what was taken: one piece pushes the other off its square.
        let is_victims = m.is_capture() && self.seen.unnamed().contains(m.to());
        let is_told = !m.is_castle() && !is_victims && !line.faulty.contains(m.to());
        let is_stale = is_told && arrived + self.round() < line.plies[idx].released;
        if is_stale { weigh::STALE } else { 0 }
    }

    /// What it speaks against `m` that its piece was seen on yet another square before, since it
    /// was lifted, and still is: it stands half there, and the square that it came to first is its
    /// own. What was seen there before the piece was lifted belongs to its move before.
    fn doubled(&self, line: &Line, m: Move) -> Cost {
        let piece = m.role().of(line.pos.turn());
        let named = self.seen.known().by_piece(piece) & !line.pos.board().by_piece(piece);
        let unnamed = self.seen.unnamed() & !line.pos.board().occupied();
        let twins = if unnamed.contains(m.to()) { unnamed } else { named };
        let Some(from) = m.from().filter(|_| twins.contains(m.to())) else { return 0 };
        let changed = |sq: Square| self.changed[usize::from(sq)];
        let arrived = self.arrived_on(line, from);
        let is_of_this_move = |sq: Square| {
            changed(sq) + TWIN_AHEAD + self.round() > changed(from) && changed(sq) > arrived
        };
        let came_first = |sq: Square| is_of_this_move(sq) && changed(sq) < changed(m.to());
        let is_doubled = twins.without(m.to()).into_iter().any(came_first);
        if !is_of_this_move(m.to()) {
            weigh::LEFT_OVER
        } else if is_doubled {
            weigh::DOUBLED
        } else {
            0
        }
    }

    /// What it speaks against `m`, where pieces have no names, that a piece of the opponent was
    /// lifted and put back, or replaced, on another square than where it captures.
    fn untouched(&self, line: &Line, m: Move) -> Cost {
        let Some(from) = m.from().filter(|_| !m.is_castle()) else { return 0 };
        let others = self.seen.unnamed() & line.pos.them() & !squares_of(m, line.pos.turn());
        let was_touched = |sq: Square| self.changed_at(sq) > self.changed_at(from);
        others.into_iter().filter(|&sq| was_touched(sq)).count() as Cost * weigh::TOUCHED
    }

    /// Whether the one who is to move in `line` has taken, where pieces have no names: since he
    /// lifted a piece, something was put down where one of the opponent's stands that it can take.
    pub(in crate::track) fn has_taken(&self, line: &Line) -> bool {
        let (seen, pos) = (&self.seen, &line.pos);
        let victims = seen.something() & pos.them();
        if victims.is_empty() {
            return false;
        }
        let lifted = line.differs(seen) & pos.us() & !seen.occupied();
        let Some(from) = lifted.single_square() else { return false };
        let was_touched = |sq: &Square| self.changed_at(*sq) > self.changed_at(from);
        let touched: Bitboard = victims.into_iter().filter(was_touched).collect();
        let takes = |m: Move| m.from() == Some(from) && touched.contains(m.to());
        touched.any() && legal::moves(pos).any(takes)
    }

    /// What it speaks against `m` that it promotes to something rare, where only the sensors could
    /// tell and cannot.
    fn assumed(&self, m: Move) -> Cost {
        let is_rare = m.promotion().is_some_and(|role| role != Role::Queen);
        let is_unnamed = self.seen.unnamed().contains(m.to());
        if is_rare && is_unnamed { weigh::UNDERPROMOTION } else { 0 }
    }

    /// A piece has come to `sq`. Lines that had put it there, but from where it had gone on to
    /// another square since, are as doubtful as if it came there only now.
    pub(in crate::track) fn come_again(&mut self, sq: Square) {
        let Reading::Piece(piece) = self.seen.get(sq) else { return };
        let mut lines = std::mem::take(&mut self.lines);
        for line in &mut lines {
            let board = line.pos.board();
            let Some(ply) = line.plies.iter().rev().find(|ply| ply.m.to() == sq) else { continue };
            if board.piece_at(sq) != Some(piece) {
                continue;
            }
            let others = self.seen.known().by_piece(piece) & !board.by_piece(piece);
            let has_gone_on = |other: Square| self.changed_at(other) > ply.released;
            let is_last = line.plies.last() == Some(ply);
            if is_last && others.into_iter().any(has_gone_on) {
                line.cost += weigh::DOUBLED;
            }
            let left = self.history.last_shown(sq, piece).filter(|left| *left >= ply.released);
            if left.is_some_and(|left| self.is_seen_off(piece, sq, board.by_piece(piece), left)) {
                line.cost += weigh::STRAYED;
            }
        }
        self.lines = lines;
    }

    /// When the piece of `m`, released at `released`, came to where it stands: what wobbles was
    /// there before it was let go for the last time.
    fn came(&self, line: &Line, m: Move, released: Mono) -> Mono {
        let Some(from) = m.from().filter(|_| !m.is_castle()) else { return released };
        let turn = line.pos.turn();
        let stands = m.promotion().unwrap_or(m.role()).of(turn);
        let came = self.history.came(m.to(), stands, self.changed_at(m.to()));
        let lifted = self.history.last_shown(from, m.role().of(turn)).unwrap_or(released);
        if self.seen.get(m.to()).may_be(stands) { came.max(lifted).min(released) } else { released }
    }

    /// The best guess of when the hand let go: the last change on a square of the move. A piece
    /// that was hidden by another one's reading had come before it was seen.
    fn released(&self, line: &Line, m: Move, at: Mono) -> Mono {
        let was_hidden = |sq: &Square| {
            let hid = self.history.shown_before(*sq, self.changed_at(*sq));
            !departures_of(m).contains(*sq)
                && hid.is_some_and(|hid| line.pos.board().piece_at(*sq) != Some(hid))
        };
        let squares = squares_of(m, line.pos.turn());
        let seen = squares.into_iter().filter(|sq| !was_hidden(sq));
        seen.map(|sq| self.changed_at(sq)).max().unwrap_or(at).min(at)
    }
}

/// The squares that a piece passes from `from` to `to`: those between in a straight line, or for a
/// knight those of the smallest field that has both in it.
pub(in crate::track) fn way(from: Square, to: Square) -> Bitboard {
    if attacks::ray(from, to).any() {
        return attacks::between(from, to);
    }
    let is_between = |a: u32, b: u32, c: u32| a.min(b) <= c && c <= a.max(b);
    let is_passed = |sq: &Square| {
        is_between(from.file().into(), to.file().into(), sq.file().into())
            && is_between(from.rank().into(), to.rank().into(), sq.rank().into())
    };
    Square::ALL.into_iter().filter(is_passed).collect()
}

/// What it speaks against a move that it was released before one of the two that it follows.
fn disordered(line: &Line, released: Mono) -> Cost {
    let before = line.plies.iter().rev().take(2).map(|ply| ply.released).max();
    before.map_or(0, |before| early(before, released))
}

/// What it speaks against a move released at `released` that it follows one released at `before`.
fn early(before: Mono, released: Mono) -> Cost {
    weigh::micros(before.since(released)) * weigh::EARLY_PER_MICRO
}
