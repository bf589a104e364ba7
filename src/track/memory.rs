//! What a board remembers, joined to what was heard of it.
//!
//! A board with a memory of its own has seen every change in its order, also those whose messages
//! were lost, but it knows no time of day. Two things are found out here: from which moment of
//! the memory on something was missed, and when each of its steps may have happened. Only what
//! fits at both ends is believed: the memory must pass through the placement that was last known
//! to be right, and end in the one that stands on the board now.

use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Bitboard, Board, Color, Square};
use std::time::Duration;

/// Squares on which a memory must agree with the last known placement at least. One whose beginning
/// has been overwritten knows less of the board than that, and proves nothing. Ours.
const KNOWN_MIN: usize = 16;
/// The time on a clock may be this much different when the board reads it. Ours: boards look at
/// their clock two or three times a second (protocol 2.6).
const CLOCK_OFF: Duration = Duration::from_secs(1);
/// Squares on which pieces that are only adjusted may stand: one hand, one capture begun. Two
/// players who go back to where they were leave four. Ours.
const FIDDLED_MAX: usize = 3;
/// A moment before which this much more was done between what was heard is another one than the
/// moment with the least: two moves and what a cable swallows of them. Ours.
const ASIDE_MIN: usize = 4;
/// So many pairs of a step that is remembered and one that was heard are compared at the most; what
/// is remembered before them was not heard. Ours: whole games of blitz, and 4 MB for a moment.
const PAIRS_MAX: usize = 2_000_000;
/// How much longer a slow step counts than a fast one where times are guessed.
const SLOW: u64 = 10;

/// One thing that a board remembers, or that was heard of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A sensor changed.
    Sensed {
        /// The square of the sensor.
        sq: Square,
        /// What it read then.
        reading: Reading,
    },
    /// The lever of the clock went over.
    Pressed {
        /// The player who pressed.
        by: Color,
        /// What his time showed then; `None` where it is not known.
        left: Option<Duration>,
    },
    /// The whole board as it was found after a time without power.
    Found(Placement),
    /// The board showed this start position, or nothing at all.
    Showed(Placement),
}

/// One step out of a board's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recalled {
    /// The step.
    pub step: Step,
    /// It came at once after the step before: within a quarter of a second.
    pub is_fast: bool,
}

/// Why a memory cannot be joined to what is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Misfit {
    /// It ends in another placement than the one on the board.
    End,
    /// It never passes through what was last known, or no longer reaches back to it.
    Start,
    /// It passes through what was last known more than once.
    Ambiguous,
}

/// What is known of the moment at which the memory is to be joined.
#[derive(Copy, Clone, Debug)]
pub struct Joint<'a> {
    /// The placement at that moment.
    pub seen: &'a Placement,
    /// What the clock told until then.
    pub clocks: PriorPresses,
    /// What was heard of the sensors just before it, oldest first: what came over a line that was
    /// whole, though single messages may be missing.
    pub before: &'a [Step],
    /// What was heard after it, oldest first.
    pub heard: &'a [(Mono, Step)],
}

/// What is known of the presses before a moment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PriorPresses {
    /// Nothing is known of the clock.
    Unknown,
    /// There were none in this game.
    Unpressed,
    /// What the clocks of White and Black showed when each was last pressed, or at first.
    Shown([Duration; 2]),
}

/// What a memory knows of the board after some of its steps.
#[derive(Clone, Copy)]
struct MemoryState {
    readings: [Option<Reading>; 64],
    left: [Option<Duration>; 2],
    /// It has told of the whole board at once.
    is_whole: bool,
}

impl MemoryState {
    fn take(&mut self, step: &Step) {
        match step {
            Step::Sensed { sq, reading } => self.readings[usize::from(*sq)] = Some(*reading),
            Step::Pressed { by, left } => self.left[side(*by)] = *left,
            Step::Found(placement) | Step::Showed(placement) => {
                (self.left, self.is_whole) = ([None; 2], true);
                for sq in Square::ALL {
                    self.readings[usize::from(sq)] = Some(placement.get(sq));
                }
            }
        }
    }

    /// Whether nothing that is known speaks against `seen`.
    fn agrees(&self, seen: &Placement) -> bool {
        Square::ALL
            .into_iter()
            .all(|sq| self.readings[usize::from(sq)].is_none_or(|reading| reading == seen.get(sq)))
    }

    fn n_known(&self) -> usize {
        self.readings.iter().flatten().count()
    }

    /// Whether what the memory does not know yet may read as in `seen`: its first change there is
    /// one. Where no press is known before, this must do for the clocks too, as in the memory of a
    /// board that keeps what was not fetched and no more.
    fn may_begin_at(&self, seen: &Placement, first: &[Option<Reading>; 64]) -> bool {
        let is_unknown = |sq: &Square| self.readings[usize::from(*sq)].is_none();
        !self.is_whole
            && self.left == [None; 2]
            && Square::ALL
                .into_iter()
                .filter(is_unknown)
                .all(|sq| first[usize::from(sq)].is_none_or(|reading| reading != seen.get(sq)))
    }

    /// Whether the clocks were pressed as is known, as far as the memory tells.
    fn has_clocks(&self, clocks: PriorPresses) -> bool {
        match clocks {
            PriorPresses::Unknown => true,
            PriorPresses::Unpressed => self.left == [None; 2],
            PriorPresses::Shown(shown) => {
                let is_near = |(left, shown): (&Option<Duration>, Duration)| {
                    left.is_none_or(|left| left.abs_diff(shown) <= CLOCK_OFF)
                };
                self.left != [None; 2] && self.left.iter().zip(shown).all(is_near)
            }
        }
    }
}

/// From which step of `memory` on it tells what happened after `joint`, if it ends in `now`.
///
/// # Errors
/// It does not fit, and nothing in it is proven.
pub fn join(memory: &[Recalled], joint: &Joint<'_>, now: &Placement) -> Result<usize, Misfit> {
    let mut known = MemoryState { readings: [None; 64], left: [None; 2], is_whole: false };
    let (first, mut fits) = (first_changes(memory), Vec::new());
    for (idx, recalled) in memory.iter().enumerate() {
        let is_whole = known.n_known() >= KNOWN_MIN && known.agrees(joint.seen);
        let begins = || known.may_begin_at(joint.seen, &first);
        if is_whole && (known.has_clocks(joint.clocks) || begins()) {
            fits.push(idx);
        }
        known.take(&recalled.step);
    }
    if !known.agrees(now) {
        return Err(Misfit::End);
    }
    if known.agrees(joint.seen) && known.has_clocks(joint.clocks) {
        fits.push(memory.len());
    }
    // Squares of which the memory knows nothing have not changed as long as it reaches back.
    let untold = |sq: Square| known.readings[usize::from(sq)].is_none();
    if Square::ALL.into_iter().any(|sq| untold(sq) && now.get(sq) != joint.seen.get(sq)) {
        return Err(Misfit::Start);
    }
    let last = *fits.last().ok_or(Misfit::Start)?;
    // What was known is of an earlier game that began alike.
    let begins = |recalled: &Recalled| begins_anew(recalled, joint.seen);
    if memory[last..].iter().any(begins) {
        return Err(Misfit::Start);
    }
    let start = memory[..last].iter().rposition(is_start);
    fits.retain(|idx| start.is_none_or(|start| *idx > start));
    moment(memory, &told_by(memory, fits, joint.before), joint.heard)
}

/// What each square read when it changed for the first time.
fn first_changes(memory: &[Recalled]) -> [Option<Reading>; 64] {
    let mut first = [None; 64];
    for recalled in memory {
        match &recalled.step {
            Step::Sensed { sq, reading } => {
                first[usize::from(*sq)].get_or_insert(*reading);
            }
            Step::Pressed { .. } => {}
            // From here on all is known.
            Step::Found(_) | Step::Showed(_) => break,
        }
    }
    first
}

/// Whether a game begins with this step on a board that has stood as `seen`.
fn begins_anew(recalled: &Recalled, seen: &Placement) -> bool {
    match &recalled.step {
        Step::Showed(placement) => placement != seen,
        // The board was switched on.
        Step::Found(placement) => placement != seen && *placement == Placement::from(Board::new()),
        Step::Sensed { .. } | Step::Pressed { .. } => false,
    }
}

fn is_start(recalled: &Recalled) -> bool {
    matches!(recalled.step, Step::Showed(_) | Step::Found(_))
}

/// Which of the moments that look alike have what was heard `before` them behind them. In the right
/// one that is all there, with no more in between than messages that were lost; in another one far
/// more was done in between, or something is not there at all.
fn told_by(memory: &[Recalled], fits: Vec<usize>, before: &[Step]) -> Vec<usize> {
    let n_between = |idx: usize| {
        let mut rest = idx;
        for step in before.iter().rev() {
            rest = memory[..rest].iter().rposition(|recalled| recalled.step == *step)?;
        }
        Some(idx - rest - before.len())
    };
    let between: Vec<(usize, usize)> =
        fits.iter().filter_map(|&idx| Some((n_between(idx)?, idx))).collect();
    let Some(least) = between.iter().map(|(n, _)| *n).min() else { return fits };
    let is_near = |(n, idx): (usize, usize)| (n < least + ASIDE_MIN).then_some(idx);
    between.into_iter().filter_map(is_near).collect()
}

/// The moment that is meant by several that look alike in one game: nothing but adjusting may have
/// come in between. Then it is
/// the last one after which all that was heard could be.
fn moment(memory: &[Recalled], fits: &[usize], heard: &[(Mono, Step)]) -> Result<usize, Misfit> {
    let (first, last) = (*fits.first().ok_or(Misfit::Start)?, fits[fits.len() - 1]);
    let stirred = memory[first..last].iter().filter_map(|recalled| match &recalled.step {
        Step::Sensed { sq, .. } => Some(*sq),
        Step::Pressed { .. } | Step::Found(_) | Step::Showed(_) => None,
    });
    if stirred.collect::<Bitboard>().count() > FIDDLED_MAX {
        return Err(Misfit::Ambiguous);
    }
    let follows = |idx: &usize| matches(&memory[*idx..], heard).1.is_empty();
    Ok(fits.iter().copied().rev().find(follows).unwrap_or(first))
}

/// The steps of `memory`, each with the time at which it was `heard`, or may have happened between
/// `from` and `until`. What was heard and is not in the memory, such as a press that came too fast
/// for the board, is put in between. The first `n_whole` were heard before anything was missed.
pub fn align(
    memory: &[Recalled],
    heard: &[(Mono, Step)],
    n_whole: usize,
    from: Mono,
    until: Mono,
) -> Vec<(Mono, Step)> {
    let n_first = memory.iter().zip(&heard[..n_whole.min(heard.len())]);
    let n_first = n_first.take_while(|(step, (_, heard))| is_same(&step.step, heard)).count();
    // The beginning is where both meet for certain, and what comes again later is not it.
    let (mut times, extra) = matches(&memory[n_first..], &heard[n_first..]);
    times.splice(0..0, heard[..n_first].iter().map(|(at, _)| Some(*at)));
    let mut steps: Vec<(Mono, Step)> = guess(memory, &times, from, until)
        .into_iter()
        .zip(memory.iter().map(|recalled| recalled.step.clone()))
        .collect();
    for (at, step) in extra.into_iter().rev() {
        if matches!(step, Step::Pressed { .. }) {
            let idx = steps.partition_point(|(before, _)| *before <= at);
            steps.insert(idx, (at, step));
        }
    }
    steps
}

/// When each step of `memory` was heard, and what was heard but is not in it, newest first. As many
/// as possible are found: one that is missing in either must not lead to one long before it that
/// looks alike.
fn matches(memory: &[Recalled], heard: &[(Mono, Step)]) -> (Vec<Option<Mono>>, Vec<(Mono, Step)>) {
    let mut times: Vec<Option<Mono>> = vec![None; memory.len()];
    let mut extra = Vec::new();
    let n_same = memory.iter().rev().zip(heard.iter().rev());
    let n_same = n_same.take_while(|(step, (_, heard))| is_same(&step.step, heard)).count();
    for idx in 1..=n_same {
        // The end is where both meet for certain.
        times[memory.len() - idx] = Some(heard[heard.len() - idx].0);
    }
    let (mut m, mut h) = (memory.len() - n_same, heard.len() - n_same);
    let first = m.saturating_sub(PAIRS_MAX / (h + 1));
    let most = most_pairs(&memory[first..m], &heard[..h]);
    while h > 0 {
        let of = |m: usize, h: usize| most[m - first][h];
        if m > first && is_same(&memory[m - 1].step, &heard[h - 1].1) {
            times[m - 1] = Some(heard[h - 1].0);
            (m, h) = (m - 1, h - 1);
        } else if m > first && of(m - 1, h) == of(m, h) {
            m -= 1;
        } else {
            extra.push(heard[h - 1].clone());
            h -= 1;
        }
    }
    (times, extra)
}

/// How many steps the first of `memory` and the first that were `heard` have in common at the most,
/// in their order.
fn most_pairs(memory: &[Recalled], heard: &[(Mono, Step)]) -> Vec<Vec<u16>> {
    let mut most = vec![vec![0_u16; heard.len() + 1]];
    for recalled in memory {
        let before = &most[most.len() - 1];
        let mut row = vec![0_u16; heard.len() + 1];
        for (idx, (_, step)) in heard.iter().enumerate() {
            let pair = before[idx] + u16::from(is_same(&recalled.step, step));
            row[idx + 1] = pair.max(before[idx + 1]).max(row[idx]);
        }
        most.push(row);
    }
    most
}

fn is_same(recalled: &Step, heard: &Step) -> bool {
    match (recalled, heard) {
        (Step::Pressed { by, left }, Step::Pressed { by: heard, left: shown }) => {
            by == heard && left.zip(*shown).is_none_or(|(a, b)| a.abs_diff(b) <= CLOCK_OFF)
        }
        _ => recalled == heard,
    }
}

/// Puts the steps without a time between those with one: the fast ones close behind the one before,
/// the others in equal distances.
fn guess(memory: &[Recalled], times: &[Option<Mono>], from: Mono, until: Mono) -> Vec<Mono> {
    let mut guessed: Vec<Mono> = Vec::with_capacity(times.len());
    let weight = |idx: usize| if memory[idx].is_fast { 1 } else { SLOW };
    let mut idx = 0;
    let mut before = from;
    while idx < times.len() {
        let end = (idx..times.len()).find(|next| times[*next].is_some()).unwrap_or(times.len());
        let after = times.get(end).copied().flatten().unwrap_or(until).max(before);
        let whole: u64 = (idx..end).map(weight).sum::<u64>() + SLOW;
        let span = after.0 - before.0;
        let mut passed = 0;
        for next in idx..end {
            passed += weight(next);
            guessed.push(Mono(before.0 + span / whole * passed));
        }
        if end < times.len() {
            guessed.push(after);
        }
        before = after;
        idx = end + 1;
    }
    guessed
}

/// An index for each side.
const fn side(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakmaty::Piece;

    fn sensed(sq: Square, piece: Option<Piece>) -> Step {
        Step::Sensed { sq, reading: piece.map_or(Reading::Empty, Reading::Piece) }
    }

    fn slow(step: Step) -> Recalled {
        Recalled { step, is_fast: false }
    }

    fn pressed(by: Color, seconds: u64) -> Step {
        Step::Pressed { by, left: Some(Duration::from_secs(seconds)) }
    }

    fn start() -> Placement {
        Placement::from(shakmaty::Board::new())
    }

    /// `placement` after these steps.
    fn after(placement: &Placement, steps: &[Recalled]) -> Placement {
        let mut placement = placement.clone();
        for recalled in steps {
            if let Step::Sensed { sq, reading } = recalled.step {
                placement.set(sq, reading);
            }
        }
        placement
    }

    /// A knight goes out with a press of White, or comes back.
    fn knight(from: Square, to: Square, seconds: u64) -> Vec<Recalled> {
        let knight = Some(Color::White.knight());
        let steps = [sensed(from, None), sensed(to, knight), pressed(Color::White, seconds)];
        steps.map(slow).to_vec()
    }

    /// An earlier game passed through the same placement with the times that are known, and this
    /// one with others: what the board remembers of both is no play.
    #[test]
    fn a_game_that_began_later_is_another_one() {
        let now = after(&start(), &knight(Square::G1, Square::F3, 90));
        let joint = Joint {
            seen: &now,
            clocks: PriorPresses::Shown([Duration::from_secs(90); 2]),
            before: &[],
            heard: &[],
        };
        let game = |seconds| {
            let out = knight(Square::G1, Square::F3, seconds);
            [vec![slow(Step::Showed(start()))], out].concat()
        };
        assert_eq!(join(&game(90), &joint, &now), Ok(4));
        assert_eq!(join(&[game(90), game(50)].concat(), &joint, &now), Err(Misfit::Start));
        assert_eq!(join(&[game(50), game(90)].concat(), &joint, &now), Ok(8));
    }

    /// The same placement three times: what was heard before tells which, unless far more was done
    /// in between than messages get lost.
    #[test]
    fn a_moment_is_known_by_what_was_heard_before_it() {
        let out = knight(Square::G1, Square::F3, 90);
        let back = knight(Square::F3, Square::G1, 80);
        let memory = [out.clone(), back.clone(), out.clone(), back.clone(), out.clone()].concat();
        let fits = vec![2, 8, 14];
        let told = |before: &[Recalled]| {
            let before: Vec<Step> = before.iter().map(|recalled| recalled.step.clone()).collect();
            told_by(&memory, fits.clone(), &before)
        };
        assert_eq!(told(&out[..2]), fits);
        assert_eq!(told(&back), [8, 14]);
        assert_eq!(told(&[&out[..], &back].concat()), [8, 14]);
        assert_eq!(told(&[&back[..], &out, &back].concat()), [14]);
        // Nothing tells of what was never heard.
        assert_eq!(told(&[slow(pressed(Color::Black, 70))]), fits);
        // One move may have come in between, two are too many.
        let one = knight(Square::B1, Square::C3, 70);
        let long = [&out[..2], &one, &knight(Square::C3, Square::B1, 60)].concat();
        let heard: Vec<Step> = out[..2].iter().map(|recalled| recalled.step.clone()).collect();
        assert_eq!(told_by(&long, vec![2, 5, 8], &heard), [2, 5]);
    }

    /// A board on a shared line keeps what was not fetched, and no press before it.
    #[test]
    fn what_was_not_fetched_is_joined_where_it_begins() {
        let seen = after(&start(), &knight(Square::G1, Square::F3, 90));
        let pawn = Some(Color::Black.pawn());
        let steps = [sensed(Square::E7, None), sensed(Square::E5, pawn), pressed(Color::Black, 85)];
        let missed = steps.map(slow).to_vec();
        let now = after(&seen, &missed);
        let untold = Square::ALL.into_iter().filter(|sq| ![Square::E7, Square::E5].contains(sq));
        let reads = |sq| slow(Step::Sensed { sq, reading: now.get(sq) });
        let still: Vec<Recalled> = untold.map(reads).collect();
        let clocks = PriorPresses::Shown([Duration::from_secs(90); 2]);
        let joint = Joint { seen: &seen, clocks, before: &[], heard: &[] };
        let memory = [still, missed].concat();
        assert_eq!(join(&memory, &joint, &now), Ok(62));
        // What was known comes once more.
        let lifted = after(&seen, &memory[..63]);
        assert_eq!(join(&memory, &Joint { seen: &lifted, ..joint }, &now), Ok(63));
        // It does not reach back to the knight's move.
        assert_eq!(join(&memory, &Joint { seen: &start(), ..joint }, &now), Err(Misfit::Start));
    }

    #[test]
    fn a_memory_is_joined_where_it_is_proven() {
        let (start, now) = (start(), after(&start(), &knight(Square::G1, Square::F3, 90)));
        let showed = || vec![slow(Step::Showed(start.clone()))];
        let out = || knight(Square::G1, Square::F3, 90);
        let back = || knight(Square::F3, Square::G1, 80);
        let lifted: Vec<Recalled> =
            [sensed(Square::A1, None), sensed(Square::A1, Some(Color::White.rook()))]
                .map(slow)
                .to_vec();
        type Row = (&'static str, Vec<Vec<Recalled>>, PriorPresses, Result<usize, Misfit>);
        let rows: [Row; 8] = [
            ("from the start", vec![showed(), out()], PriorPresses::Unpressed, Ok(1)),
            (
                "an earlier game",
                vec![showed(), out(), back(), showed(), out()],
                PriorPresses::Unpressed,
                Ok(8),
            ),
            (
                "the same, and nothing is known of the clock",
                vec![showed(), out(), back(), showed(), out()],
                PriorPresses::Unknown,
                Ok(8),
            ),
            ("adjusted", vec![showed(), lifted, out()], PriorPresses::Unpressed, Ok(3)),
            (
                "out, back, out",
                vec![showed(), out(), back(), out()],
                PriorPresses::Unpressed,
                Ok(1),
            ),
            (
                "the same, but it was back",
                vec![showed(), out(), back(), out()],
                PriorPresses::Shown([Duration::from_secs(80), Duration::from_secs(99)]),
                Ok(7),
            ),
            (
                "another end",
                vec![showed(), out(), back()],
                PriorPresses::Unpressed,
                Err(Misfit::End),
            ),
            ("overwritten", vec![out()], PriorPresses::Unknown, Err(Misfit::Start)),
        ];
        for (name, memory, clocks, expected) in rows {
            let joint = Joint { seen: &start, clocks, before: &[], heard: &[] };
            assert_eq!(join(&memory.concat(), &joint, &now), expected, "{name}");
        }
        // A press that the memory has not leaves the first of the moments that fit: none of them is
        // before the game began.
        let memory = [showed(), out(), back(), showed(), out()].concat();
        let heard = [(Mono::from_millis(500), pressed(Color::Black, 70))];
        let joint =
            Joint { seen: &start, clocks: PriorPresses::Unknown, before: &[], heard: &heard };
        assert_eq!(join(&memory, &joint, &now), Ok(8));
    }

    #[test]
    fn what_comes_back_without_a_clock_proves_nothing() {
        let piece = |sq, piece| slow(sensed(sq, piece));
        let (white, black) = (Some(Color::White.knight()), Some(Color::Black.knight()));
        let memory = vec![
            slow(Step::Showed(start())),
            piece(Square::G1, None),
            piece(Square::F3, white),
            piece(Square::G8, None),
            piece(Square::F6, black),
            piece(Square::F3, None),
            piece(Square::G1, white),
            piece(Square::F6, None),
            piece(Square::G8, black),
        ];
        let join_after = |before: &[Step]| {
            let joint = Joint { seen: &start(), clocks: PriorPresses::Unknown, before, heard: &[] };
            join(&memory, &joint, &start())
        };
        assert_eq!(join_after(&[]), Err(Misfit::Ambiguous));
        // What was heard just before tells which time it was; one message was lost.
        let step = |idx: usize| memory[idx].step.clone();
        assert_eq!(join_after(&[step(4), step(5), step(7), step(8)]), Ok(9));
    }

    #[test]
    fn what_was_heard_keeps_its_time_and_fast_presses_are_put_in() {
        let memory = knight(Square::G1, Square::F3, 90);
        let ms = Mono::from_millis;
        let heard = [
            (ms(5_000), sensed(Square::F3, Some(Color::White.knight()))),
            (ms(5_200), pressed(Color::White, 90)),
            (ms(5_900), pressed(Color::Black, 70)),
        ];
        let steps = align(&memory, &heard, 0, ms(1_000), ms(9_000));
        let times: Vec<u64> = steps.iter().map(|(at, _)| at.millis()).collect();
        assert_eq!(times, [3_000, 5_000, 5_200, 5_900]);
        assert_eq!(steps[3].1, pressed(Color::Black, 70));
    }

    /// A press that the board tells twice was once led to one before it that looks alike, and with
    /// it all that was heard before.
    #[test]
    fn what_was_heard_twice_leads_nothing_astray() {
        let memory = [knight(Square::G1, Square::F3, 90), knight(Square::F3, Square::E5, 120)];
        let ms = Mono::from_millis;
        let steps: Vec<Step> =
            memory.concat().into_iter().map(|recalled| recalled.step.clone()).collect();
        let at = |idx: usize| ms(1_000 * (idx as u64 + 1));
        let mut heard: Vec<(Mono, Step)> =
            steps.iter().enumerate().map(|(idx, step)| (at(idx), step.clone())).collect();
        let again = (ms(4_500), pressed(Color::White, 90));
        heard.insert(4, again.clone());
        let aligned = align(&memory.concat(), &heard, 0, ms(0), ms(9_000));
        assert_eq!(aligned, heard);
    }

    /// A piece was lifted just before the cable came out, and another one from the same square long
    /// after: all that nobody heard once counted as done in the moment between.
    #[test]
    fn what_was_heard_before_anything_was_missed_is_the_first_that_is_remembered() {
        let out = [knight(Square::G1, Square::F3, 90), knight(Square::F3, Square::G1, 120)];
        let memory = [out.concat(), knight(Square::G1, Square::H3, 150)].concat();
        let ms = Mono::from_millis;
        let heard = [(ms(1_100), memory[0].step.clone()), (ms(9_000), memory[8].step.clone())];
        let steps = align(&memory, &heard, 1, ms(1_000), ms(10_000));
        let times: Vec<u64> = steps.iter().map(|(at, _)| at.millis()).collect();
        assert_eq!((times[0], times[8]), (1_100, 9_000));
        assert!(times.windows(2).all(|two| two[1] - two[0] > 900), "{times:?}");
    }

    proptest! {
        #[test]
        fn guessed_times_never_go_back(
            fast in proptest::collection::vec(any::<bool>(), 0..40),
            known in proptest::collection::vec((0_usize..40, 0_u64..100_000), 0..8),
        ) {
            let step = |idx: usize| sensed(Square::ALL[idx], None);
            let memory: Vec<Recalled> = (0..fast.len())
                .map(|idx| Recalled { step: step(idx), is_fast: fast[idx] })
                .collect();
            let is_there = |(idx, _): &(usize, u64)| *idx < fast.len();
            let mut known: Vec<_> = known.into_iter().filter(is_there).collect();
            let mut times: Vec<u64> = known.iter().map(|(_, at)| *at).collect();
            known.sort_unstable();
            times.sort_unstable();
            known.dedup_by_key(|(idx, _)| *idx);
            let heard: Vec<(Mono, Step)> =
                known.iter().zip(&times).map(|((idx, _), at)| (Mono(*at), step(*idx))).collect();
            let steps = align(&memory, &heard, 0, Mono(0), Mono(100_000));
            prop_assert_eq!(steps.len(), memory.len());
            prop_assert!(steps.windows(2).all(|two| two[0].0 <= two[1].0));
            prop_assert!(steps.iter().all(|(at, _)| *at <= Mono(100_000)));
            for (at, step) in &heard {
                prop_assert!(steps.contains(&(*at, step.clone())));
            }
        }
    }

    #[test]
    fn what_was_heard_and_is_not_remembered_is_extra() {
        let heard = [(Mono(1), sensed(Square::E2, None)), (Mono(2), pressed(Color::White, 9))];
        assert_eq!(matches(&[], &heard), (Vec::new(), vec![heard[1].clone(), heard[0].clone()]));
        let memory = [slow(sensed(Square::D2, None)), slow(heard[1].1.clone())];
        let (times, extra) = matches(&memory, &heard);
        assert_eq!((times, extra), (vec![None, Some(Mono(2))], vec![heard[0].clone()]));
    }
}
