//! What else the open moves may have been: for whoever asks why a record says what it says.

use crate::track::line::{CompletedBy, Line};
use crate::track::weigh::{Cost, POINT};
use crate::track::{Ply, Tracker};
use shakmaty::{Color, Position};

/// Lines that are told, at the most.
const TOLD_MAX: usize = 4;

/// The lines that explain the board best, the best first. Before it stands what speaks against it
/// since the game began, in points, before each other what speaks against that besides.
///
/// A move that was pressed for has a `*`, one that the Laws do not allow a `?`. A press that waits
/// for its move, pieces that lie astray and squares whose sensors do not tell are named at the end.
pub fn lines(tracker: &Tracker) -> Vec<String> {
    let rows = tracker.held().take(TOLD_MAX).enumerate().map(|(n, (line, more))| {
        let price = if n == 0 { points(tracker.burden()) } else { format!("+{}", points(more)) };
        format!("{price:>6}  {}", words(tracker, line))
    });
    rows.collect()
}

/// `cost` in points, to the hundredth.
pub fn points(cost: Cost) -> String {
    let hundredths = cost / (POINT / 100);
    let sign = if hundredths < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
}

fn words(tracker: &Tracker, line: &Line) -> String {
    let root = tracker.root();
    let mut words = vec![moves(root.turn(), root.fullmoves().get(), &line.plies)];
    words.extend(line.open.iter().map(|press| format!("press of {} waits", press.by)));
    words.extend(line.astray.iter().map(|astray| {
        let lies = astray.lies.map_or("nowhere".to_owned(), |sq| sq.to_string());
        format!("{}{} is on {lies}", astray.piece.char(), astray.home)
    }));
    words.extend(line.faulty.into_iter().map(|sq| format!("{sq} does not tell")));
    words.join(", ")
}

/// `plies`, the first of them move `n` of `turn`.
pub fn moves(turn: Color, n: u32, plies: &[Ply]) -> String {
    let first = 2 * n + u32::from(turn.is_black());
    let word = |(half, ply): (u32, &Ply)| {
        let is_pressed = ply.completion.is_some_and(|done| done.by == CompletedBy::Press);
        let (pressed, wrong) =
            (if is_pressed { "*" } else { "" }, if ply.is_illegal { "?" } else { "" });
        let number = match half % 2 {
            0 => format!("{}. ", half / 2),
            _ if half == first => format!("{}... ", half / 2),
            _ => String::new(),
        };
        format!("{number}{}{wrong}{pressed}", ply.m)
    };
    let words: Vec<String> = (first..).zip(plies).map(word).collect();
    if words.is_empty() { "no move".to_owned() } else { words.join(" ") }
}
