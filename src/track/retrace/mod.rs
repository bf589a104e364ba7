//! A stretch of play looked at again as a whole, by what hands can do and a board that looks at its
//! squares in rounds can tell.
//!
//! The lines of the tracker weigh each reading as it comes. A reading of a board in rounds is up to
//! a round old, so that in a time scramble several moves lie between two looks at a square, and the
//! order of what is read is not the order of what was done. But what was read and not read there
//! bounds when each piece was lifted and let go; a hand holds one piece at a time, goes out when
//! the other has let go, and presses after that. Here all moves that lead through what was read are
//! followed at once, each at the earliest moment that these bounds allow, and what is left over
//! costs: moments in the wrong order, readings of no move, presses for none.

mod course;
mod growth;
mod tape;

pub use tape::{PlayTape, RestingBoard};

use super::line::{CompletedBy, Completion, Ply};
use super::weigh::{Cost, POINT};
use crate::time::Mono;
use course::{Course, Price};
use shakmaty::{Chess, Move, Position};
use std::collections::BTreeMap;
use std::time::Duration;
use tape::Timeline;

/// Courses that are followed at once, of those that have come as far.
const KEPT_MAX: usize = 20;
/// One that is so much dearer than the cheapest that has come as far is given up.
const HOPELESS: Price = 800;
/// Courses that have come as far: to within so many milliseconds.
const STEP_MS: i64 = 50;
/// What is within this of the cheapest is named beside it.
const NAMED_WITHIN: Price = 100;
/// Courses that are looked at in the whole of a tape, if that is enough. For so many more than its
/// share a stretch is followed by half as many at once, and by fewer still for more.
const NODES: usize = 60_000;
const NODES_MORE: usize = 5_000;
/// At the most.
const NODES_MAX: usize = 4 * NODES;
/// How much a look at a square may come late.
const JITTER: Duration = Duration::from_millis(20);

/// The cheapest course through a stretch that ends on what the board shows.
#[derive(Clone, Debug)]
pub struct Retraced {
    /// Its moves, with their completions.
    pub plies: Vec<Ply>,
    /// What speaks against it.
    pub cost: Cost,
    /// What speaks against what is on record; `None` if no such course was found.
    pub recorded: Option<Cost>,
    /// Moves that may have been played instead: at which of its places, and how much dearer.
    pub others: Vec<(usize, Move)>,
    /// The clock's messages came late, so that the presses tell less.
    pub is_clock_late: bool,
}

/// The courses that lead from `start` through `tape`; `record` is what is believed so far. A square
/// is looked at once in a `round`.
pub fn retrace(
    tape: &PlayTape,
    start: &Chess,
    record: &[Move],
    round: Duration,
) -> Option<Retraced> {
    let line = tape.timeline()?;
    let round = (round + JITTER).as_millis() as i64;
    let mut all = CourseSearch::new(&line, round, None);
    all.run(start)?;
    let best = all.found.first()?;
    let is_record =
        |course: &Course| course.made.iter().map(|made| made.m).eq(record.iter().copied());
    let recorded = match all.found.iter().find(|course| is_record(course)) {
        Some(course) => Some(course.price),
        None => {
            let mut only = CourseSearch::new(&line, round, Some(record));
            only.run(start)?;
            only.found.first().map(|course| course.price)
        }
    };
    Some(Retraced {
        plies: plies_of(best, tape.began().at),
        cost: cost(best.price),
        recorded: recorded.map(cost),
        others: others(best, &all.found),
        is_clock_late: line.late > 0,
    })
}

fn cost(price: Price) -> Cost {
    Cost::from(price) * (POINT / 100)
}

/// The moves of a course that began then.
fn plies_of(course: &Course, began: Mono) -> Vec<Ply> {
    let at = |ms: i64| began + Duration::from_millis(ms.max(0) as u64);
    let ply = |(idx, made): (usize, &course::Made)| {
        let later = course.made.get(idx + 1).map(|later| at(later.released.max(later.read)));
        let by_press = made.pressed.map(|at| Completion { at, by: CompletedBy::Press });
        let by_reply = later.map(|at| Completion { at, by: CompletedBy::Reply });
        Ply {
            m: made.m,
            is_illegal: false,
            released: at(made.released.max(made.read)),
            completion: by_press.or(by_reply),
            is_unwatched: false,
        }
    };
    course.made.iter().enumerate().map(ply).collect()
}

/// What the moves of `best` may have been by all that is hardly dearer.
fn others(best: &Course, found: &[Course]) -> Vec<(usize, Move)> {
    let mut others = best.twins.clone();
    for other in &found[1..] {
        others.extend(parting(best, other));
    }
    others.sort_by_key(|(idx, _)| *idx);
    others.dedup();
    others
}

/// Where `other` parts from `best` first, and by which move.
fn parting(best: &Course, other: &Course) -> Option<(usize, Move)> {
    let idx = best.made.iter().zip(&other.made).position(|(a, b)| a.m != b.m)?;
    Some((idx, other.made[idx].m))
}

struct CourseSearch<'a> {
    line: &'a Timeline,
    round: i64,
    /// Only these moves are followed.
    only: Option<&'a [Move]>,
    n_nodes: usize,
    /// Courses to the end of the tape, the cheapest first.
    found: Vec<Course>,
}

impl<'a> CourseSearch<'a> {
    fn new(line: &'a Timeline, round: i64, only: Option<&'a [Move]>) -> Self {
        Self { line, round, only, n_nodes: 0, found: Vec::new() }
    }

    /// Follows all courses, those first that are behind. `None` if there are too many.
    fn run(&mut self, start: &Chess) -> Option<()> {
        let mut waiting: BTreeMap<i64, Vec<Course>> = BTreeMap::new();
        waiting.insert(0, vec![Course::new(start)]);
        while let Some((step, courses)) = waiting.pop_first() {
            let n_kept = self.n_kept(step * STEP_MS);
            for course in best_of(courses, n_kept) {
                self.finish(&course);
                let next = self.only.map(|only| only.get(course.made.len()).copied());
                let grown = growth::grow(self.line, self.round, &course, next);
                self.n_nodes += grown.len();
                if self.n_nodes > NODES_MAX {
                    return None;
                }
                for child in grown {
                    waiting.entry(child.until / STEP_MS).or_default().push(child);
                }
            }
        }
        self.found.sort_by_key(|course| course.price);
        Some(())
    }

    /// How many courses are followed at once by then, so that a long stretch of play is followed to
    /// its end.
    fn n_kept(&self, until: i64) -> usize {
        let whole = self.line.said.last().map_or(1, |(at, _)| *at).max(1);
        let share = until.clamp(0, whole) * NODES as i64 / whole;
        let n_more = self.n_nodes.saturating_sub(share as usize);
        (KEPT_MAX * NODES_MORE / (NODES_MORE + n_more)).max(1)
    }

    /// Keeps the course as one that has come to the end, if nothing better has.
    fn finish(&mut self, course: &Course) {
        let is_short = self.only.is_some_and(|only| course.made.len() < only.len());
        if is_short || self.line.last.differs(course.pos.board()).any() {
            return;
        }
        let least = self.found.iter().map(|course| course.price).min();
        let bound = least.map_or(Price::MAX, |least| least + NAMED_WITHIN);
        let mut course = course.clone();
        if !course.finish(self.line, self.round, bound) {
            return;
        }
        let bound = least.map_or(course.price, |least| least.min(course.price)) + NAMED_WITHIN;
        self.found.retain(|known| known.price <= bound);
        self.found.push(course);
    }
}

/// The cheapest, each once, and no more than `n_max`.
fn best_of(mut courses: Vec<Course>, n_max: usize) -> Vec<Course> {
    courses.sort_by_key(|course| course.price);
    let least = courses[0].price;
    let mut kept: Vec<Course> = Vec::with_capacity(n_max);
    for course in courses {
        if kept.len() == n_max || course.price > least + HOPELESS {
            break;
        }
        let is_same = |known: &&mut Course| {
            known.told == course.told && known.unseen == course.unseen && known.pos == course.pos
        };
        match kept.iter_mut().find(is_same) {
            Some(known) if course.price <= known.price + NAMED_WITHIN => {
                let twin = parting(known, &course);
                known.twins.extend(twin.filter(|twin| !known.twins.contains(twin)));
            }
            Some(_) => {}
            None => kept.push(course),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Placement, Reading};
    use shakmaty::{Color, Piece, Square};

    const ROUND: Duration = Duration::from_millis(250);

    fn at(ms: u64) -> Mono {
        Mono::from_millis(ms)
    }

    /// What was said from the usual start on: `279 c2 -` or `553 a3 N` is a reading, `411 white` a
    /// press.
    fn tape(said: &str) -> PlayTape {
        tape_from(&Chess::default(), said)
    }

    fn tape_from(start: &Chess, said: &str) -> PlayTape {
        let wood = Placement::from(start.board().clone());
        let mut tape = PlayTape::new(RestingBoard { at: at(0), n: 0, wood });
        for item in said.split(", ") {
            let words: Vec<&str> = item.split(' ').collect();
            let at = at(words[0].parse().unwrap());
            match words[1..] {
                ["white"] => tape.press(at, Color::White),
                ["black"] => tape.press(at, Color::Black),
                [sq, what] => {
                    let piece = Piece::from_char(what.chars().next().unwrap());
                    let reading = piece.map_or(Reading::Empty, Reading::Piece);
                    tape.read(at, Square::from_ascii(sq.as_bytes()).unwrap(), reading);
                }
                _ => panic!("{item}"),
            }
        }
        tape
    }

    fn moves(said: &str) -> String {
        moves_from(&Chess::default(), said)
    }

    fn moves_from(start: &Chess, said: &str) -> String {
        let found = retrace(&tape_from(start, said), start, &[], ROUND).unwrap();
        let words: Vec<String> = found.plies.iter().map(|ply| ply.m.to_string()).collect();
        words.join(" ")
    }

    #[test]
    fn a_hand_holds_one_piece_at_a_time() {
        // The knight is read first where it goes, but the pawn was lifted first, and pressed for.
        let said = "2277 c2 -, 2411 white, 2452 g7 -, 2492 b1 -, 2553 a3 N, 2588 c4 P, \
            2617 black, 2639 g5 p, 2700 white";
        assert_eq!(moves(said), "c2-c4 g7-g5 Nb1-a3");
    }

    fn position(fen: &str) -> Chess {
        let fen: shakmaty::fen::Fen = fen.parse().unwrap();
        fen.into_position(shakmaty::CastlingMode::Standard).unwrap()
    }

    /// King and rook are read in any order, and the rook may stand already when the king is pressed
    /// for. A king that goes one square has not castled, and neither has one whose rook stays.
    #[test]
    fn castling_is_found_by_its_two_pieces() {
        let start = position("r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1");
        let short = "2000 e1 -, 2200 g1 K, 2300 h1 -, 2500 f1 R, 2700 white";
        let rook_first = "2000 h1 -, 2200 f1 R, 2300 e1 -, 2500 g1 K, 2700 white";
        let long = "2000 e1 -, 2200 c1 K, 2300 a1 -, 2500 d1 R, 2700 white";
        let reply = "3200 e8 -, 3400 c8 k, 3500 a8 -, 3700 d8 r, 3900 black";
        let short_reply = "3200 e8 -, 3400 g8 k, 3500 h8 -, 3700 f8 r, 3900 black";
        for (said, played) in [
            (format!("{short}, {reply}"), "O-O O-O-O"),
            (format!("{rook_first}, {short_reply}"), "O-O O-O"),
            (format!("{long}, {reply}"), "O-O-O O-O-O"),
            (
                "2000 e1 -, 2200 f1 K, 2400 white, 3200 e8 -, 3400 d8 k, 3600 black".to_owned(),
                "Ke1-f1 Ke8-d8",
            ),
            (
                "2000 h1 -, 2200 f1 R, 2400 white, 3200 a8 -, 3400 d8 r, 3600 black".to_owned(),
                "Rh1-f1 Ra8-d8",
            ),
        ] {
            assert_eq!(moves_from(&start, &said), played, "{said}");
        }
    }

    #[test]
    fn a_pawn_takes_in_passing_and_promotes() {
        let start = position("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1");
        let said = "2000 d2 -, 2200 d4 P, 2400 white, 2900 e4 -, 3100 d3 p, 3300 d4 -, 3500 black";
        assert_eq!(moves_from(&start, said), "d2-d4 e4xd3");
        let start = position("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
        let said = "2000 a7 -, 2200 a8 N, 2400 white, 2900 e8 -, 3100 e7 k, 3300 black";
        assert_eq!(moves_from(&start, said), "a7-a8=N Ke8-e7");
        let said = "2000 b8 -, 2100 a7 -, 2300 b8 Q, 2400 white, 2900 e8 -, 3100 e7 k, 3300 black";
        assert_eq!(moves_from(&start, said), "a7xb8=Q Ke8-e7");
    }

    #[test]
    fn a_piece_goes_on_before_the_board_looks() {
        let said = "2300 d2 -, 2469 d4 P, 2529 white, 2782 a7 -, 2940 d4 -, 2944 black, 2987 a6 p, \
            3043 g7 -, 3138 white, 3158 black, 3248 g6 p, 3419 white, 3478 d6 P";
        assert_eq!(moves(said), "d2-d4 a7-a6 d4-d5 g7-g6 d5-d6");
    }

    /// Six half-moves in a scramble, by a clock whose messages come so much later.
    fn said_late(late: u64) -> PlayTape {
        let moves = ["e2 e4 P", "e7 e5 p", "g1 f3 N", "b8 c6 n", "f1 c4 B", "f8 c5 b"];
        let mut said = Vec::new();
        for (m, began) in moves.iter().zip((2_000..).step_by(400)) {
            let words: Vec<&str> = m.split(' ').collect();
            let by = if words[2] < "a" { "white" } else { "black" };
            said.push((began, format!("{began} {} -", words[0])));
            said.push((began + 150, format!("{} {} {}", began + 150, words[1], words[2])));
            said.push((began + 100 + late, format!("{} {by}", began + 100 + late)));
        }
        said.sort();
        let said: Vec<String> = said.into_iter().map(|(_, said)| said).collect();
        tape(&said.join(", "))
    }

    #[test]
    fn a_clock_whose_messages_come_late_is_heard_as_one_that_is_not_late() {
        let found = |late| retrace(&said_late(late), &Chess::default(), &[], ROUND).unwrap();
        let (prompt, late) = (found(0), found(300));
        let moves = |found: &Retraced| found.plies.iter().map(|ply| ply.m).collect::<Vec<_>>();
        assert_eq!((moves(&prompt).len(), moves(&prompt)), (6, moves(&late)));
        assert_eq!(prompt.cost, late.cost);
        assert_eq!((prompt.is_clock_late, late.is_clock_late), (false, true));
        let completed = |found: &Retraced| found.plies[0].completion.unwrap().at;
        assert_eq!((completed(&prompt), completed(&late)), (at(2_100), at(2_400)));
    }

    #[test]
    fn a_press_belongs_to_a_move_that_was_made_by_then() {
        let said = "2277 e2 -, 2300 e4 P, 2411 white, 2700 g8 -, 2750 f6 n, 2800 black";
        let found = retrace(&tape(said), &Chess::default(), &[], ROUND).unwrap();
        let pressed: Vec<_> = found.plies.iter().map(|ply| ply.completion.unwrap()).collect();
        let by = CompletedBy::Press;
        assert_eq!(pressed, [Completion { at: at(2_411), by }, Completion { at: at(2_800), by }]);
        assert!(found.plies.iter().zip(&pressed).all(|(ply, done)| ply.released <= done.at));
    }

    /// What the record costs tells whether it can have been so, and what costs the same is named.
    #[test]
    fn the_record_is_held_against_the_same() {
        let said = "2277 e2 -, 2500 e4 P, 2600 white";
        let (start, two) = (Chess::default(), moves_of("e2e4"));
        let of_record = |record: &[Move]| retrace(&tape(said), &start, record, ROUND).unwrap();
        let right = of_record(&two);
        assert_eq!(right.recorded, Some(right.cost));
        assert_eq!(of_record(&moves_of("d2d4")).recorded, None);
        assert!(right.others.is_empty());
    }

    fn moves_of(uci: &str) -> Vec<Move> {
        let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
        vec![uci.to_move(&Chess::default()).unwrap()]
    }

    /// Queens and rooks of both players that go to and fro for a minute, a move every 300 ms, as a
    /// board sees it that looks at each square four times a second.
    fn long_scramble() -> (Chess, PlayTape, Vec<Move>) {
        let start = position("r2qk2r/8/8/8/8/8/8/R2QK2R w - - 0 1");
        let way = "a1a3 a8a6 d1d3 d8d6 h1h3 h8h6 a3b3 a6b6 d3c3 d6c6 h3h1 h6h8 b3a3 b6a6 c3d3 c6d6";
        let back = "a3a1 a6a8 d3d1 d6d8";
        let mut pos = start.clone();
        let (mut said, mut played) = (Vec::new(), Vec::new());
        let seen_at = |at: i64, sq: Square| at + (i64::from(sq.to_u32()) * 37 - at).rem_euclid(250);
        for (uci, at) in
            [way, back].join(" ").split(' ').cycle().take(200).zip((1_000..).step_by(300))
        {
            let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
            let m = uci.to_move(&pos).unwrap();
            let (from, piece) =
                (m.from().unwrap(), pos.board().piece_at(m.from().unwrap()).unwrap());
            said.push((seen_at(at, from), Some((from, Reading::Empty)), pos.turn()));
            said.push((
                seen_at(at + 150, m.to()),
                Some((m.to(), Reading::Piece(piece))),
                pos.turn(),
            ));
            said.push((at + 200, None, pos.turn()));
            pos.play_unchecked(m);
            played.push(m);
        }
        said.sort_by_key(|(at, _, _)| *at);
        let wood = Placement::from(start.board().clone());
        let mut tape = PlayTape::new(RestingBoard { at: at(0), n: 0, wood });
        for (ms, read, by) in said {
            let at = at(ms.try_into().unwrap());
            match read {
                Some((sq, reading)) => tape.read(at, sq, reading),
                None => tape.press(at, by),
            }
        }
        (start, tape, played)
    }

    #[test]
    fn a_long_stretch_is_followed_to_its_end() {
        let (start, tape, played) = long_scramble();
        let line = tape.timeline().unwrap();
        let mut all = CourseSearch::new(&line, 270, None);
        all.run(&start).expect("not given up");
        let moves: Vec<Move> = all.found[0].made.iter().map(|made| made.m).collect();
        assert_eq!(moves, played);
        assert!(all.n_nodes > NODES, "{}", all.n_nodes);
    }

    #[test]
    fn a_board_that_shows_no_end_of_any_course_tells_nothing() {
        assert!(retrace(&tape("2277 e2 -"), &Chess::default(), &[], ROUND).is_none());
    }

    #[test]
    fn a_tape_begins_where_the_board_rested_the_time_before_last() {
        let mut tape = tape("2277 e2 -, 2500 e4 P, 2600 white");
        let mut pos = Chess::default();
        let rest = |at: Mono, n: usize, pos: &Chess| RestingBoard {
            at,
            n,
            wood: Placement::from(pos.board().clone()),
        };
        assert_eq!((tape.began().n, tape.n_rested()), (0, 0));
        pos.play_unchecked(moves_of("e2e4")[0]);
        tape.rest(rest(at(5_000), 1, &pos));
        assert_eq!((tape.began().n, tape.n_rested()), (0, 1));
        tape.read(at(6_000), Square::E7, Reading::Empty);
        tape.read(at(6_200), Square::E5, Reading::Piece(Color::Black.pawn()));
        tape.press(at(6_300), Color::Black);
        tape.rest(rest(at(9_000), 2, &pos));
        assert_eq!((tape.began().n, tape.n_rested()), (1, 2));
        let found = retrace(&tape, &pos, &[], ROUND).unwrap();
        assert_eq!(found.plies.len(), 1);
    }
}
