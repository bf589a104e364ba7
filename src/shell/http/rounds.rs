//! The games at all boards as PGN, of an event or of one round of it.
//!
//! Whoever broadcasts pairs games with boards by their names, or by their order: no board ever
//! drops out of a file, and one without a game stands there with its tags.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{Feed, Hall, pgn, sentence};

/// The games of the event, round by round, each in the order of tables. Where nothing is paired:
/// the games that are on, in the order of the boards.
pub(super) async fn all(State(hall): State<Arc<Hall>>, headers: HeaderMap) -> Response {
    let text = of_event(&hall, |_| true).unwrap_or_else(|| of_boards(&hall));
    pgn(text, &headers)
}

/// The games of one round, in the order of tables.
pub(super) async fn one(
    State(hall): State<Arc<Hall>>,
    number: Result<Path<u16>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let number = number.ok().map(|Path(number)| number);
    match of_event(&hall, |round| Some(round) == number) {
        Some(text) if !text.is_empty() => pgn(text, &headers),
        _ => sentence(StatusCode::NOT_FOUND, "There is no such round here."),
    }
}

/// `None` if nothing is paired at any board.
fn of_event(hall: &Hall, is_wanted: impl Fn(u16) -> bool) -> Option<String> {
    let books: Vec<_> = hall.boards.iter().map(|it| it.feed.book.borrow().clone()).collect();
    if books.iter().all(|book| book.is_empty()) {
        return None;
    }
    let mut games: Vec<_> = books.iter().flat_map(|book| book.games()).collect();
    games.retain(|(round, ..)| is_wanted(*round));
    games.sort_by_key(|(round, table, _)| (*round, *table));
    Some(games.into_iter().map(|(.., pgn)| &**pgn).collect())
}

fn of_boards(hall: &Hall) -> String {
    let mut text = String::new();
    for Feed { pgn, awaited, .. } in hall.boards.iter().map(|board| &board.feed) {
        let game = pgn.borrow();
        text += if game.is_empty() { awaited } else { &game };
    }
    text
}
