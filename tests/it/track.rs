//! What is held of each trace beside what goes on record: the lines with their prices, and what
//! hindsight makes of the whole. Any change of how things are weighed shows here. And what is held
//! just before each limit of time, at it and just after it.

use crate::laws::book::Book;
use rokade::game::{Entry, Game};
use rokade::relay::held::{self, points};
use rokade::sim::replay::settings_of;
use rokade::sim::script::Happening;
use rokade::sim::trouble::Trouble;
use rokade::sim::{Replay, Script};
use rokade::table::{Placement, Reading};
use rokade::time::Mono;
use rokade::track::Tracker;
use rokade::track::audit::{OpenMoves, Testimony};
use rokade::track::line::UNEXPLAINED_MAX;
use rokade::track::past::{PAST_MAX, Past};
use rokade::track::repair::{Explanation, RecordedMove, Stretch};
use rokade::track::tracker::STEP_MAX;
use shakmaty::fen::Fen;
use shakmaty::{Bitboard, Chess, Color, Position};
use shakmaty::{CastlingMode, Piece, Square};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What is held of each trace.
const LINES: &str = "tests/tables/lines.txt";
/// What is held at each limit of `limits.csv`.
const LIMITS: &str = "tests/tables/limits.txt";

/// How late a board that looks at its squares in rounds tells of a change.
const ROUND: Duration = Duration::from_millis(250);

/// A line without its price.
fn without_price(line: &str) -> &str {
    line.trim_start().split_once("  ").map_or("", |(_, words)| words)
}

/// The lines whenever something goes on record and they are others than before.
fn lines(script: &Script) -> (String, Replay) {
    let (mut text, mut last) = (String::new(), Vec::new());
    let mut watch = |game: &Game, entries: &[Entry]| {
        let Some(play) = game.play() else { return };
        let lines = held::lines(play.tracker());
        let words: Vec<String> = lines.iter().map(|line| without_price(line).to_owned()).collect();
        if words != last {
            let at = entries.last().expect("something is on record").at.mono;
            writeln!(text, "{at}\n{}", lines.join("\n")).expect("a string takes all");
            last = words;
        }
    };
    let settings = settings_of(&script.header);
    let replay = Replay::run_watched(script, settings, &Trouble::default(), &mut watch);
    (text, replay)
}

/// What a script says of one game without a gap: pictures of the board, and all that was heard.
struct Told {
    past: Past,
    heard: Testimony,
    seen: Placement,
}

/// `None` if somebody was not there to see it, or if it is too long for hindsight.
fn told(script: &Script, start: &Chess) -> Option<Told> {
    let seen = Placement::from(start.board().clone());
    let heard = Testimony::new(Mono::default(), seen.clone());
    let mut told = Told { past: Past::default(), heard, seen };
    told.past.rest(&told.seen, Some(0));
    for (at, happening) in &script.happenings {
        match happening {
            Happening::Sensed { is_lost: true, .. } => {}
            Happening::Sensed { sq, reading, .. } => {
                told.past.stir((*at, *sq, *reading), Duration::ZERO, &told.seen, None);
                told.heard.note(*at, *sq, *reading);
                told.seen.set(*sq, *reading);
            }
            Happening::Press(by) => {
                told.past.press(*at, *by, &told.seen, None);
                told.heard.press(*at, *by);
            }
            Happening::ClockStopped | Happening::Resume(_) | Happening::End => {}
            _ => return None,
        }
    }
    told.past.rest(&told.seen, None);
    (told.past.snaps().len() < PAST_MAX).then_some(told)
}

/// What each of the moves `found` may as well have been, by all that was heard of them.
fn others(start: &Chess, found: &Explanation, told: &Told) -> String {
    let mut text = String::new();
    for late in [Duration::ZERO, ROUND] {
        for idx in 0..found.plies.len() {
            let (plies, since) = (&found.plies[..], Mono::default());
            let open = OpenMoves { root: start, plies, since, seen: &told.seen, late };
            let others = told.heard.others(&open, idx);
            let words: Vec<String> = others.iter().map(ToString::to_string).collect();
            if !words.is_empty() {
                let m = plies[idx].m;
                writeln!(text, "  {late:?} late: {m} as well as {}", words.join(", "))
                    .expect("a string takes all");
            }
        }
    }
    text
}

/// What hindsight makes of what a script tells, beside what went on record.
fn hindsight(script: &Script, replay: &Replay) -> String {
    let Some(play) = replay.game.play() else { return String::new() };
    let (sheet, start) = (play.sheet(), play.sheet().position(0));
    let Some(mut told) = told(script, start) else { return String::new() };
    let of_sheet = sheet.moves().iter();
    let record: Vec<RecordedMove> = of_sheet
        .map(|scored| RecordedMove { m: scored.m, is_illegal: scored.is_illegal })
        .collect();
    let snaps = told.past.snaps();
    let stretch = Stretch { start, record: &record, snaps, untold: Bitboard::EMPTY };
    let Some(found) = stretch.explain(0) else { return "nothing\n".to_owned() };
    let recorded = found.recorded.map_or("too much".to_owned(), points);
    let moves = held::moves(Color::White, 1, &found.plies);
    let is_exact = if found.is_record_exact { "" } else { ", not shown" };
    let mut text = format!("{}  {moves}\n{recorded}  on record{is_exact}\n", points(found.cost));
    for (ply, others) in found.plies.iter().zip(&found.others) {
        let words: Vec<String> = others.iter().map(ToString::to_string).collect();
        if !words.is_empty() {
            writeln!(text, "  {} or {}", ply.m, words.join(", ")).expect("a string takes all");
        }
    }
    text + &others(start, &found, &told)
}

#[test]
fn what_is_held_of_each_trace_is_what_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let only = std::env::var("ROKADE_TRACE").ok();
    let mut book = Book::default();
    for entry in fs::read_dir(folder).expect("tests/traces is a folder") {
        let path = entry.expect("an entry of it").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".trace.jsonl") else { continue };
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a trace");
        let script = Script::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (lines, replay) = lines(&script);
        book.add(name, "hindsight", hindsight(&script, &replay));
        book.add(name, "lines", lines);
    }
    let wrong = book.hold(LINES, only.is_none());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The moment that `word` names: milliseconds and `L`, the limit, with `+` between them.
fn moment(word: &str, limit: Duration) -> Mono {
    let span = |term: &str| match term {
        "L" => limit,
        ms => Duration::from_millis(ms.parse().unwrap_or_else(|e| panic!("{word}: {e}"))),
    };
    word.split('+').map(span).fold(Mono::default(), |at, span| at + span)
}

/// What happens, as in `1000+L:e4=P`: a reading of a square, a press, or a look at the board.
fn happen(tracker: &mut Tracker, word: &str, limit: Duration) {
    let (at, what) = word.split_once(':').unwrap_or_else(|| panic!("{word}: no time"));
    let at = moment(at, limit);
    match what {
        "white" => tracker.press(at, Color::White),
        "black" => tracker.press(at, Color::Black),
        "look" => tracker.look(at, STEP_MAX),
        _ => {
            let (sq, letter) = what.split_once('=').unwrap_or_else(|| panic!("{word}: no square"));
            let reading = match letter.chars().next() {
                None => Reading::Empty,
                Some('x') => Reading::Something,
                Some(c) => Reading::Piece(Piece::from_char(c).expect("a letter of a piece")),
            };
            tracker.sense(at, sq.parse::<Square>().expect("a square"), reading);
        }
    }
}

/// What is held after `words` have happened in their order from `fen` on.
fn held_after(fen: &str, is_unnamed: bool, words: &str, limit: Duration) -> String {
    let fen: Fen = fen.parse().unwrap_or_else(|e| panic!("{fen}: {e}"));
    let start: Chess = fen.into_position(CastlingMode::Standard).expect("a position");
    let mut tracker = Tracker::new(start.clone(), 0);
    if is_unnamed {
        let mut seen = Placement::empty();
        start.board().occupied().into_iter().for_each(|sq| seen.set(sq, Reading::Something));
        tracker.witness(Mono::default(), &seen);
    }
    let mut words: Vec<&str> = words.split_whitespace().collect();
    words.sort_by_key(|word| moment(word.split(':').next().unwrap_or_default(), limit));
    words.into_iter().for_each(|word| happen(&mut tracker, word, limit));
    let round = if tracker.round().is_zero() { "" } else { "looked at in rounds\n" };
    format!("{}\n{round}", held::lines(&tracker).join("\n"))
}

/// Whether two texts differ by more than the time that has passed in between.
fn tells(one: &str, other: &str) -> bool {
    let price = |line: &str| line.split_whitespace().next().and_then(|word| word.parse().ok());
    let is_near = |a: &str, b: &str| match (price(a), price(b)) {
        (Some::<f64>(a), Some::<f64>(b)) => (a - b).abs() < 0.025,
        (a, b) => a == b,
    };
    one.lines().count() != other.lines().count()
        || one
            .lines()
            .zip(other.lines())
            .any(|(a, b)| without_price(a) != without_price(b) || !is_near(a, b))
}

#[test]
fn at_each_limit_something_changes() {
    let (mut book, mut wrong) = (Book::default(), Vec::new());
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for row in include_str!("../tables/limits.csv").lines().skip(1) {
        let columns: Vec<&str> = row.split(';').collect();
        let [id, ms, fen, sight, words, _] = columns[..] else { panic!("six columns: {row}") };
        let fen = if fen.is_empty() { usual } else { fen };
        let limit = Duration::from_millis(ms.parse().unwrap_or_else(|e| panic!("{row}: {e}")));
        let least = Duration::from_micros(1);
        let spans = [("before", limit - least), ("at", limit), ("after", limit + least)];
        let all = spans.map(|(when, span)| {
            let text = held_after(fen, sight == "reed", words, span);
            book.add(id, when, text.clone());
            text
        });
        if !all.iter().any(|text| tells(text, &all[0])) {
            wrong.push(format!("{id}: the limit makes no difference\n{}", all[0]));
        }
    }
    wrong.extend(book.hold(LIMITS, true));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A tracker from the start position after `words`.
fn tracker_after(words: &str) -> Tracker {
    let mut tracker = Tracker::new(Chess::default(), 0);
    words.split_whitespace().for_each(|word| happen(&mut tracker, word, Duration::ZERO));
    tracker
}

#[test]
fn who_has_moved_since_a_piece_came_astray_is_asked_of_its_owner() {
    // A rook of White's lies on h4: after Black's reply, and before White's own move.
    let after = "1000:g1= 1200:f3=N 1300:white 2000:b8= 2200:c6=n 2300:black 3000:h1= 3100:h4=R";
    let tracker = tracker_after(after);
    assert!(tracker.is_last_of(Color::White, Square::H4));
    assert!(!tracker.is_last_of(Color::Black, Square::H4));
    assert!(!tracker.is_last_of(Color::White, Square::A1), "nobody saw that one come");
    let before = tracker_after("1000:h1= 1100:h4=R 2000:g1= 2200:f3=N 2300:white 2400:look");
    assert_eq!(before.best().plies.len(), 1);
    assert!(!before.is_last_of(Color::White, Square::H4));
}

#[test]
fn presses_for_nothing_are_remembered_up_to_a_limit() {
    let presses: Vec<String> = (1..12).map(|n| format!("{}:white", n * 5_000)).collect();
    let tracker = tracker_after(&format!("1000:e2= 1200:e4=P 1300:white {}", presses.join(" ")));
    assert_eq!(tracker.best().unexplained.len(), UNEXPLAINED_MAX);
}

#[test]
fn a_search_that_was_cut_elsewhere_is_counted() {
    let mut tracker = tracker_after("1000:e2=");
    tracker.note_cut();
    assert_eq!(tracker.n_cut(), 1);
}
