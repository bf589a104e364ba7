//! What a display of four rows with twenty letters each shows of a view document: both players with
//! their times, the last move and the result, and how the board stands.

use super::brief::Brief;
use super::phrases::say;
use crate::laws::notation::Language;
use serde_json::Value;
use shakmaty::{Color, Role};
use std::time::Duration;

/// FourRows of the display.
pub const N_ROWS: usize = 4;
/// Letters of a row.
pub const N_COLUMNS: usize = 20;

/// What the four rows say.
pub type FourRows = [String; N_ROWS];

/// The rows for a view document that is so old, in a language. `is_recorded` says whether what it
/// shows is kept. `plain` writes a text in the letters that the display has; nothing is shown of a
/// document that is none.
///
/// ```
/// use rokade::game::{Game, Settings};
/// use rokade::laws::notation::Language;
/// use rokade::relay::{rows, view::View};
/// use rokade::time::Mono;
/// let settings = Settings { white: "Kis, Ann".into(), ..Settings::default() };
/// let view = View::new("table-1", &Game::new(settings), Mono::default()).to_json();
/// let rows = rows::of(&view, Default::default(), true, Language::German, str::to_owned);
/// let said = [" Kis, Ann", " Schwarz", "", "nicht angeschlossen"];
/// assert_eq!(rows.each_ref().map(|row| row.trim_end()), said);
/// ```
pub fn of(
    view: &str,
    age: Duration,
    is_recorded: bool,
    language: Language,
    plain: impl Fn(&str) -> String,
) -> FourRows {
    let Some(brief) = Brief::read(view) else { return FourRows::default() };
    let player = |color: Color| {
        let name = match color {
            Color::White => &brief.white,
            Color::Black => &brief.black,
        };
        let name = if name.is_empty() { say(language, color_name(color)) } else { name };
        let is_next = brief.result == "*" && !brief.idle && brief.turn == color_name(color);
        let time = time(&brief.clock, color, age);
        // A name that does not fit is its family's alone.
        let (name, room) = (plain(name), N_COLUMNS - 2 - time.chars().count());
        let family = name.split(',').next().unwrap_or_default();
        let name = if name.chars().count() > room { family } else { &name };
        both_ends(&format!("{}{name}", if is_next { '>' } else { ' ' }), &time)
    };
    let result = if brief.result == "*" { "" } else { &brief.result };
    let state = plain(&state(&brief, is_recorded, language));
    [
        player(Color::White),
        player(Color::Black),
        both_ends(&plain(&written(&brief.r#move, language)), result),
        both_ends(&state, ""),
    ]
}

const fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// A row with one text at its beginning, as much of it as fits, and another at its end.
fn both_ends(left: &str, right: &str) -> String {
    let n_right = right.chars().count().min(N_COLUMNS);
    let gap = usize::from(n_right > 0);
    let room = N_COLUMNS - n_right - gap;
    let left: String = left.chars().take(room).collect();
    format!("{left:room$}{:gap$}{right}", "")
}

/// The time of a side, as clocks show it; behind one that is only reckoned stands a question mark.
fn time(clock: &Value, color: Color, age: Duration) -> String {
    let ms = |name: &str| clock.get(name).and_then(Value::as_u64);
    let name = if color == Color::White { "white_ms" } else { "black_ms" };
    let Some(mut left) = ms(name) else { return String::new() };
    if clock["running"] == color_name(color) {
        let age = crate::time::millis(age);
        left = left.saturating_sub(age.saturating_add(ms("age_ms").unwrap_or(0)));
    }
    let seconds = left / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let mark = if clock["estimated"] == true { "?" } else { "" };
    match hours {
        0 => format!("{minutes}:{seconds:02}{mark}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}{mark}"),
    }
}

/// A move of PGN, with its number, as score sheets in this language have it.
fn written(san: &str, language: Language) -> String {
    let letter = |c: char| match c {
        'O' => Some('0'),
        '=' => None,
        'A'..='Z' => Some(Role::from_char(c).and_then(|role| language.letter(role)).unwrap_or(c)),
        _ => Some(c),
    };
    san.replace('…', "...").chars().filter_map(letter).collect()
}

/// What stands against what is shown; if nothing does, where in the event the game is played.
fn state(brief: &Brief, is_recorded: bool, language: Language) -> String {
    let against = match brief.link.as_str() {
        _ if !is_recorded => "not-recorded",
        "lost" => "not-answering",
        "absent" => "not-connected",
        _ if brief.differs => "board-differs",
        _ => "",
    };
    if !against.is_empty() {
        return say(language, against).to_owned();
    }
    let of = |name: &str, n: &str| say(language, name).replace("{n}", n);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    match brief.round.split_once('.') {
        Some((round, table)) if is_number(round) && is_number(table) => {
            format!("{} {}", of("round", round), of("table", table))
        }
        _ if brief.round.is_empty() => {
            if brief.event.is_empty() {
                brief.board.clone()
            } else {
                brief.event.clone()
            }
        }
        _ => of("round", &brief.round),
    }
}
