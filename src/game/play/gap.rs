//! What the record makes of a stretch of play that nobody saw: the moves that are forced, and a gap
//! where others may have been played too.

use super::Play;
use super::apart::shows_game;
use super::shadow::Shadows;
use super::unseen::{GapEvidence, pressed_since_root, unseen};
use crate::game::entry::{Basis, Fact};
use crate::game::score::{Gap, ScoreSheet, Unknown};
use crate::table::{Placement, Times};
use crate::time::Mono;
use crate::track::Tracker;
use crate::track::bridge::{self, Bridged};
use crate::track::heard::HeardReadings;
use crate::track::legal;
use crate::track::line::CompletedBy;
use shakmaty::fen::Fen;
use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, Move, Position};
use std::ops::Range;
use std::time::Duration;

/// So many half-moves there is time for in twenty seconds.
const SHORT: usize = 134;
/// The increments that are in use. Where a clock's is not known it is one of these.
const USUAL: [u64; 13] = [0, 1, 2, 3, 5, 8, 10, 12, 15, 20, 25, 30, 60];

impl Play {
    /// Whether the board is still as `base` saw it.
    pub(in crate::game) fn is_as(&self, base: &Tracker) -> bool {
        self.tracker.seen() == base.seen()
    }

    /// Whether no more half-moves are on record than `base` knows of.
    pub(in crate::game) fn has_none_since(&self, base: &Tracker) -> bool {
        self.sheet.len() <= base.n_settled() + base.best().n_standing()
    }

    /// The whole board, after nobody saw it for a while. True if it has changed.
    pub(in crate::game) fn witness(&mut self, at: Mono, picture: &Placement) -> bool {
        self.other = None;
        self.past.forget();
        self.forget_heard(at);
        self.tracker.witness(at, picture)
    }

    /// The clock was found pressed.
    pub(in crate::game) fn note_press(&mut self, at: Mono, times: Option<Times>) {
        self.presses.push((at, times));
    }

    /// Goes on with `base`: nothing has happened since, unless the record was changed by an order,
    /// or the board was taken over.
    pub(in crate::game) fn resume_from(&mut self, base: Tracker) {
        let has_gap_since = |from: usize| self.sheet.gaps().iter().any(|gap| gap.ply >= from);
        if self.joins_at(&base).is_some_and(|from| !has_gap_since(from)) {
            self.tracker = base;
        }
        self.past.forget();
        self.forget_heard(self.tracker.last_change());
    }

    /// Tells what was played since `base`, as far as it is forced, and takes the board over as it
    /// is `seen` where more was played, unless pieces have no names: a few moves look like many
    /// others then. What was `heard` meanwhile tells between moves that lead there. False if the
    /// board does not tell yet; nothing is changed.
    pub(in crate::game) fn bridge(
        &mut self,
        at: Mono,
        base: &Tracker,
        (seen, heard): (&Placement, Option<&HeardReadings>),
        evidence: GapEvidence,
        facts: &mut Vec<Fact>,
    ) -> bool {
        let mut own = None;
        let (base, from) = match self.joins_at(base) {
            Some(from) => (base, from),
            // The record was changed meanwhile.
            None => (&*own.insert(self.begun_after_record()), self.sheet.len() + 1),
        };
        let shores = base.shores(evidence.since.unwrap_or_default(), seen);
        let n_pressed = pressed_since_root(base, evidence);
        let bridged = bridge::bridge(&unseen(base, &shores, (seen, heard), evidence));
        let bridged = bridged.filter(|_| !(evidence.is_turn_open && self.is_bare()));
        if evidence.is_other_board && !shows_game(base, bridged.as_ref()) {
            return false;
        }
        let is_cut = self.note_cut(bridged.as_ref());
        let is_unexplained = is_cut || bridged.is_none();
        if let Some(earlier) = self.before_gap(base).filter(|_| is_unexplained) {
            let n_max = usize::MAX / 2;
            let all = GapEvidence { n_pressed: None, n_max, is_turn_open: false, ..evidence };
            return self.bridge(at, &earlier, (seen, None), all, facts);
        }
        let is_no_stand = Self::is_no_stand(evidence, bridged.as_ref());
        let (common, least, board, turn) = match bridged {
            Some(Bridged { common, is_whole: true, .. }) => {
                self.close_gaps_from(from, facts);
                self.take_forced(at, base, &common, evidence, facts);
                return true;
            }
            Some(Bridged { common, least, board, turn, .. }) => (common, Some(least), board, turn),
            None => (bridge::shared(&shores), None, None, None),
        };
        let before = after(base.root(), &common);
        let is_told = evidence.is_told && !is_no_stand && seen.unnamed().is_empty();
        let named = is_told.then(|| seen.known().clone());
        let Some(board) = named.map(|named| board.unwrap_or(named)) else { return false };
        let left = |n: usize| n.saturating_sub(common.len());
        let counted = (left(least.unwrap_or(0)), n_pressed.map(left));
        let standing = self.standing_after(&before, &board, seen, (evidence, turn), counted);
        let Some((pos, n)) = standing else { return false };
        if heard.is_some() && bridge::has_pawn_back(before.board(), &board) {
            // It is being put straight, and that it was put back is not heard yet.
            return false;
        }
        // What stands when the clock does may be no play. A mate is: it ended the game, and nobody
        // puts pieces away like that.
        if evidence.is_stopped && !pos.is_checkmate() {
            return false;
        }
        if self.is_bare() && self.sheet.gaps().is_empty() {
            // How the board stood when the game was joined need not have been a position.
            self.take_over(at, pos, 0, facts);
            return true;
        }
        self.close_gaps_from(from, facts);
        self.take_forced(at, base, &common, evidence, facts);
        self.adopt(at, pos, n, facts);
        true
    }

    /// Whether the search for what was played was cut short, which is noted.
    fn note_cut(&mut self, bridged: Option<&Bridged>) -> bool {
        let is_cut = bridged.is_some_and(|bridged| bridged.is_cut);
        if is_cut {
            self.tracker.note_cut();
        }
        is_cut
    }

    /// Whether what stands need not be how the board stands between two moves. Nobody has pressed
    /// the clock on it, and whose move it is differs between what may have been played, as
    /// `bridged` has it; or nothing explains it, though there was no time for much.
    fn is_no_stand(evidence: GapEvidence, bridged: Option<&Bridged>) -> bool {
        let is_stand = evidence.is_pressed || evidence.has_rested;
        let is_told = match bridged {
            Some(bridged) => bridged.is_cut || bridged.turn.is_some(),
            None => evidence.n_max > SHORT,
        };
        evidence.turn.is_some() && !is_stand && !is_told
    }

    /// The position of `board` in which the game goes on after `before`, and how many half-moves
    /// nobody knows between the two: at `least` so many, or as many as were `pressed`. `after` is
    /// who is on move after all that may have been played, if that is the same player.
    fn standing_after(
        &self,
        before: &Chess,
        board: &Board,
        seen: &Placement,
        (evidence, after): (GapEvidence, Option<Color>),
        (least, pressed): (usize, Option<usize>),
    ) -> Option<(Chess, Unknown)> {
        // He may have replied before the press.
        let has_moved = |turn: &Color| {
            after == Some(turn.other())
                || evidence.made == Some(*turn)
                || evidence.has_rested && gives_check(board, *turn)
        };
        let after_move = |unpressed: Option<Color>| {
            let turn = unpressed.map(Color::other).or(evidence.turn);
            let least = || Unknown::at_least(least.max(bridge::least(before, seen, turn)));
            let made = pressed.map(|n| n + usize::from(unpressed.is_some()));
            let n = made.map_or_else(least, |n| self.by_presses(n));
            let likely = made.unwrap_or(n.likely());
            let seems = evidence.moved.map(Color::other);
            self.adoptable(before, board, (turn, seems), (n, likely)).map(|pos| (pos, n))
        };
        let unpressed = evidence.turn.filter(has_moved);
        after_move(unpressed).or_else(|| after_move(None))
    }

    /// How many half-moves `n` presses are.
    fn by_presses(&self, n: usize) -> Unknown {
        let n = Unknown::by_presses(n);
        if self.sheet.is_always_pressed() { n } else { Unknown { at_most: None, ..n } }
    }

    /// What was known before the gap from which the board was taken over where `base` begins, if
    /// nothing is known since: how it stood need not have been a position.
    fn before_gap(&self, base: &Tracker) -> Option<Tracker> {
        let n = base.n_settled();
        let gap = self.sheet.gaps().iter().find(|gap| gap.ply == n)?;
        let is_bare = self.sheet.len() == n && base.best().plies.is_empty();
        if !is_bare || is_same(base.root(), &gap.before) {
            return None;
        }
        let mut earlier = base.clone();
        earlier.restart(gap.before.clone(), n);
        Some(earlier)
    }

    /// The position of `board` from which the game may go on, `n` half-moves after `before`, and
    /// most likely `likely`. Who is on move is known, or only `seems` to be.
    pub(in crate::game) fn adoptable(
        &self,
        before: &Chess,
        board: &Board,
        (turn, seems): (Option<Color>, Option<Color>),
        (n, likely): (Unknown, usize),
    ) -> Option<Chess> {
        let mode = self.sheet.mode();
        let by_count = n
            .at_most
            .filter(|most| *most == n.at_least)
            .map(|n| if n.is_multiple_of(2) { before.turn() } else { !before.turn() });
        let on_move = turn.or(by_count).or(seems).unwrap_or(before.turn());
        let is_black = usize::from(before.turn().is_black());
        let n_moves = u32::try_from((likely + is_black) / 2).unwrap_or(0);
        let fullmoves = before.fullmoves().saturating_add(n_moves);
        let standing = |turn: Color| bridge::standing(board, Some(before), mode, turn, fullmoves);
        // Who gives mate has moved, even if he has not pressed the clock.
        let may_be = |pos: &Chess| turn.is_none() || pos.is_checkmate();
        standing(on_move).or_else(|| standing(!on_move).filter(may_be))
    }

    /// Puts `moves`, which began where `base` does, on record as far as they are not.
    fn take_forced(
        &mut self,
        at: Mono,
        base: &Tracker,
        moves: &[Move],
        evidence: GapEvidence,
        facts: &mut Vec<Fact>,
    ) {
        let first = base.n_settled();
        let known = self.sheet.moves()[first..].iter().zip(moves);
        let n_agreed = first + known.take_while(|(scored, m)| scored.m == **m).count();
        if self.sheet.len() > n_agreed {
            self.sheet.truncate(n_agreed);
            facts.push(Fact::MoveRetracted { ply: n_agreed + 1 });
        }
        let plies = &base.best().plies;
        for (idx, m) in moves.iter().enumerate().skip(n_agreed - first) {
            let ply = plies.get(idx).filter(|ply| ply.m == *m);
            // What is known of `moves` may come from another line than the best.
            let is_illegal = !legal::moves(self.sheet.last()).any(|known| known == *m);
            let scored = match is_illegal {
                true => self.sheet.push_illegal(*m),
                false => self.sheet.push(*m, Vec::new()),
            };
            facts.push(Fact::MoveMade {
                ply: first + idx + 1,
                uci: scored.uci.to_string(),
                san: scored.san.to_string(),
                is_illegal,
                basis: Basis::Gap,
                alternatives: Vec::new(),
                released_before: ply.map_or(Duration::ZERO, |ply| at.since_on_record(ply.released)),
            });
            self.sheet.forget_last_time();
        }
        let n = self.sheet.len();
        let last_press = self.presses.last().map(|(at, _)| *at);
        let heard = last_press.filter(|press| evidence.since.is_some_and(|since| *press > since));
        let is_pressed = evidence.turn.is_some_and(|turn| self.sheet.last().turn() == turn);
        for idx in first.min(self.sheet.n_completed())..n {
            if self.sheet.moves()[idx].completed.is_some() {
                continue;
            }
            let ply = idx.checked_sub(first).and_then(|idx| plies.get(idx));
            let done = ply.and_then(|ply| ply.completion);
            let done = done.filter(|done| done.by == CompletedBy::Press);
            let (done_at, by) = match done {
                Some(done) => (done.at, done.by),
                None if idx + 1 < n => (at, CompletedBy::Reply),
                None if is_pressed => (evidence.turned.or(heard).unwrap_or(at), CompletedBy::Press),
                None => break,
            };
            self.complete_unseen(at, idx + 1, done_at, by, facts);
        }
        self.begin_after(at);
    }

    fn complete_unseen(
        &mut self,
        at: Mono,
        ply: usize,
        done: Mono,
        by: CompletedBy,
        facts: &mut Vec<Fact>,
    ) {
        let times = self.times_at(done);
        self.sheet.complete(ply, done, by, times);
        facts.push(Fact::MoveCompleted {
            ply,
            by,
            pressed_before: at.since_on_record(done),
            times,
        });
    }

    /// A tracker that begins from what is on record.
    fn begun_after_record(&self) -> Tracker {
        let n = self.sheet.len();
        let mut tracker = self.tracker.clone();
        tracker.restart(self.sheet.last().clone(), n);
        tracker
    }

    /// A tracker that begins from what is on record, and has seen the board stand so.
    pub(in crate::game) fn told_until(&self, at: Mono) -> Tracker {
        let mut tracker = self.begun_after_record();
        tracker.witness(at, &Placement::from(self.sheet.last().board().clone()));
        tracker
    }

    /// The tracker begins anew from what is on record.
    fn begin_after(&mut self, at: Mono) {
        let n = self.sheet.n_completed();
        self.tracker.restart(self.sheet.position(n).clone(), n);
        for scored in &self.sheet.moves()[n..] {
            self.tracker.believe(scored.m, at);
        }
        self.other = None;
        self.past.forget();
        self.forget_heard(at);
        self.shadows = Shadows::default();
    }

    /// Has the record go on from `pos` with a gap before it.
    pub(in crate::game) fn adopt(
        &mut self,
        at: Mono,
        pos: Chess,
        n: Unknown,
        facts: &mut Vec<Fact>,
    ) {
        let ply = self.sheet.len();
        for open in self.sheet.n_completed()..ply {
            self.complete_unseen(at, open + 1, at, CompletedBy::Reply, facts);
        }
        self.sheet.open_gap(pos, n);
        facts.extend(self.gap_fact(ply));
        self.begin_after(at);
        self.tracker.note_taken_over();
    }

    /// The game is over, or gives way to another one, and nobody knows what was played after the
    /// last half-move on record: a gap from which the record does not go on.
    pub(in crate::game) fn leave_open(&mut self, facts: &mut Vec<Fact>) {
        let ply = self.sheet.len();
        self.sheet.open_gap(self.sheet.last().clone(), Unknown::at_least(0));
        facts.extend(self.gap_fact(ply));
    }

    /// Nothing was missed before the end: takes back that there is a gap.
    pub(in crate::game) fn close_end(&mut self, facts: &mut Vec<Fact>) {
        if self.sheet.gaps().last().is_some_and(|gap| self.sheet.is_open_end(gap)) {
            self.close_gaps_from(self.sheet.len(), facts);
        }
    }

    /// Whether the board was taken over as it stood, and nothing is on record since.
    pub(in crate::game) fn is_bare(&self) -> bool {
        self.sheet.is_taken_over_at(self.sheet.len())
    }

    /// Whether the board was taken over as it stood, and nothing has been played since.
    pub(in crate::game) fn is_fresh(&self) -> bool {
        self.is_bare() && self.tracker.best().plies.is_empty()
    }

    /// The position that is taken over as `board` stands, with `turn` to move.
    pub(in crate::game) fn taken_over(&self, board: &Board, turn: Color) -> Option<Chess> {
        let before = self.sheet.gaps().last().map(|gap| &gap.before);
        let fullmoves = self.sheet.last().fullmoves();
        bridge::standing(board, before, self.sheet.mode(), turn, fullmoves)
    }

    /// Has the record go on from `pos` in place of the position that was taken over, at most
    /// `n_later` half-moves later than that. If that is how the board stood before the gap, there
    /// is none: what stood meanwhile was set right.
    pub(in crate::game) fn take_over(
        &mut self,
        at: Mono,
        pos: Chess,
        n_later: usize,
        facts: &mut Vec<Fact>,
    ) {
        match self.sheet.gaps().last() {
            Some(gap) if is_same(&pos, &gap.before) => {
                let ply = gap.ply;
                self.close_gaps_from(ply, facts);
                self.begin_after(at);
            }
            Some(gap) => {
                let n = unknown_to(gap, self.sheet.last(), &pos);
                let n = n.plus(Unknown { at_least: 0, at_most: Some(n_later) });
                let n = n.of_parity(gap.before.turn() == pos.turn());
                self.adopt(at, pos, n, facts);
            }
            None => self.begin_from(at, pos, true, facts),
        }
    }

    /// Has the record begin from `pos`, before any move. `is_joined` if nobody saw the beginning.
    pub(in crate::game) fn begin_from(
        &mut self,
        at: Mono,
        pos: Chess,
        is_joined: bool,
        facts: &mut Vec<Fact>,
    ) {
        let mode = self.sheet.mode();
        let fen = Fen::from_position(&pos, EnPassantMode::Legal).to_string();
        self.sheet = match is_joined {
            true => ScoreSheet::joined(pos, mode),
            false => ScoreSheet::new(pos, mode),
        };
        self.is_set_aside = false;
        facts.push(Fact::Began { fen, is_joined });
        self.begin_after(at);
        if is_joined {
            self.tracker.note_taken_over();
        }
        self.tracker.trust_sensors();
        (self.other, self.beneath) = (None, Bitboard::EMPTY);
    }

    /// Withdraws all moves on record: they were none.
    pub(in crate::game) fn withdraw_all(&mut self, facts: &mut Vec<Fact>) {
        if !self.sheet.is_empty() {
            self.sheet.truncate(0);
            facts.push(Fact::MoveRetracted { ply: 1 });
        }
    }

    /// Withdraws all moves on record until the board shows them again.
    pub(in crate::game) fn set_aside(&mut self, facts: &mut Vec<Fact>) {
        self.withdraw_all(facts);
        self.is_set_aside = true;
    }

    /// Whether a clock was pressed on any move of this game.
    pub(in crate::game) fn is_ever_pressed(&self) -> bool {
        let by_press = |scored: &crate::game::score::Scored| {
            scored.completed.is_some_and(|done| done.by == CompletedBy::Press)
        };
        !self.presses.is_empty() || self.sheet.moves().iter().any(by_press)
    }

    /// What goes on record of the gap after half-move `ply`, if there is one.
    pub(super) fn gap_fact(&self, ply: usize) -> Option<Fact> {
        let gap = self.sheet.gaps().iter().find(|gap| gap.ply == ply)?;
        let fen = Fen::from_position(self.sheet.position(ply), EnPassantMode::Legal).to_string();
        Some(Fact::Gap { ply, fen, n: gap.n })
    }

    /// After how many half-moves on record gaps are closed by what `tracker` knows since its root:
    /// that may be how the board was taken over after a gap, or the last position before it. `None`
    /// if it is no position of the record.
    pub(in crate::game) fn joins_at(&self, tracker: &Tracker) -> Option<usize> {
        let (n, root) = (tracker.n_settled(), tracker.root());
        let is_root = |pos: &Chess| is_same(pos, root);
        let gap = self.sheet.gaps().iter().find(|gap| gap.ply == n);
        if n <= self.sheet.len() && is_root(self.sheet.position(n)) {
            return Some(n + usize::from(gap.is_some()));
        }
        gap.filter(|gap| is_root(&gap.before)).map(|_| n)
    }

    /// Takes the gaps after half-move `n` away, with all that is on record since: it is known
    /// otherwise now.
    pub(in crate::game) fn close_gaps_from(&mut self, n: usize, facts: &mut Vec<Fact>) {
        while let Some(ply) = self.sheet.gaps().last().map(|gap| gap.ply).filter(|ply| *ply >= n) {
            if self.sheet.len() > ply {
                self.sheet.truncate(ply);
                facts.push(Fact::MoveRetracted { ply: ply + 1 });
            }
            self.sheet.close_gap();
            facts.push(Fact::GapClosed { ply });
        }
    }

    /// What the clock adds for each move, as the times on record show: two presses that are far
    /// enough apart tell, if nobody has moved between them without a press.
    pub(in crate::game) fn increment_shown(&self) -> Option<Duration> {
        let pressed = |idx: usize| {
            let done = self.sheet.moves()[idx].completed?;
            (done.by == CompletedBy::Press).then_some(done)
        };
        let shown = |idx: usize| pressed(idx).and_then(|done| Some((idx, done.at, done.times?)));
        // Times of two runs of the program are not compared.
        let from = self.sheet.n_before_gap();
        let middle = self.sheet.n_foreign().clamp(from, self.sheet.len());
        let both = |range: Range<usize>| {
            let indices: Vec<usize> = range.collect();
            let runs = indices.chunk_by(|_, idx| pressed(*idx).is_some());
            let spans = runs.filter_map(|run| {
                let (first, at, before) = run.iter().copied().find_map(shown)?;
                let (last, until, after) = run.iter().copied().rev().find_map(shown)?;
                (last > first).then(|| (last - first, until.since(at), before, after))
            });
            spans.max_by_key(|(n, ..)| *n)
        };
        let (n, passed, before, after) =
            both(middle..self.sheet.len()).or_else(|| both(from..middle))?;
        let n = i64::try_from(n).ok()?;
        let gained = millis(sum(after)) - millis(sum(before)) + millis(passed);
        let mut usual = USUAL.into_iter().filter(|inc| {
            let inc = i64::try_from(*inc).unwrap_or(0) * 1_000;
            (gained - inc * n).abs() <= SHOWN_OFF
        });
        let inc = usual.next()?;
        usual.next().is_none().then(|| Duration::from_secs(inc))
    }
}

/// The position after these moves.
fn after(pos: &Chess, moves: &[Move]) -> Chess {
    let mut pos = pos.clone();
    moves.iter().for_each(|m| pos.play_unchecked(*m));
    pos
}

/// Whether the player on move by the clock gives check: he has moved, and not pressed the clock.
fn gives_check(board: &Board, turn: Color) -> bool {
    let king = board.king_of(!turn);
    king.is_some_and(|king| board.attacks_to(king, turn, board.occupied()).any())
}

/// Whether two positions stand alike, with the same player to move.
pub(super) fn is_same(one: &Chess, other: &Chess) -> bool {
    one.board() == other.board() && one.turn() == other.turn()
}

/// How many half-moves nobody knows in a gap from which `pos` is taken over, and not `last`: what
/// that was reached in need not have been played.
fn unknown_to(gap: &Gap, last: &Chess, pos: &Chess) -> Unknown {
    if last.board() == pos.board() {
        return gap.n;
    }
    let seen = Placement::from(pos.board().clone());
    let least = bridge::least(&gap.before, &seen, Some(pos.turn()));
    Unknown { at_least: gap.n.at_least.min(least), ..gap.n }
}

/// Two readings of both clocks in whole seconds are off by so much at the most, in milliseconds.
pub(in crate::game) const SHOWN_OFF: i64 = 2_100;

/// What both clocks show together.
pub(in crate::game) fn sum(times: Times) -> Duration {
    times.white + times.black
}

/// A span in milliseconds, to be subtracted from.
pub(in crate::game) fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Recovered;
    use shakmaty::CastlingMode;

    const STOOD: &str = "4k1n1/8/8/8/8/8/4P3/4K3 b - - 0 1";
    /// The knight had moved when the board was taken over.
    const TAKEN_OVER: &str = "4k3/8/7n/8/8/8/4P3/4K3 b - - 0 1";

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
    }

    /// What is known of a stretch of play goes back behind a gap: what is told of it stands on the
    /// position before the gap, and not on the one that was taken over.
    #[test]
    fn moves_that_are_known_from_before_a_gap_close_it() {
        let mut facts = vec![Fact::started(STOOD)];
        let sheet = ScoreSheet::new(position(STOOD), CastlingMode::Standard);
        let mut play = Play::resumed(sheet, None);
        let base = play.tracker().clone();
        let at = Mono::from_millis(9_000);
        play.adopt(at, position(TAKEN_OVER), Unknown::at_least(2), &mut facts);
        assert_eq!(play.joins_at(&base), Some(0));
        let seen = Placement::parse("4k3/8/7n/8/8/8/4P3/4K3").unwrap();
        play.witness(at, &seen);
        let evidence =
            GapEvidence { n_max: 4, is_told: true, has_rested: true, ..GapEvidence::default() };
        assert!(play.bridge(at, &base, (&seen, None), evidence, &mut facts));
        assert_eq!((play.sheet().len(), play.sheet().gaps()), (1, &[][..]), "{facts:?}");
        assert_eq!(Recovered::of(at, facts).sheet().unwrap().last(), play.sheet().last());
    }
}
