//! The games at all boards as PGN, of an event or of one round of it.
//!
//! Whoever broadcasts pairs games with boards by their names, or by their order: no board ever
//! drops out of a file, and one without a game stands there with its tags.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{Feed, InHall, Named, pgn, sentence};

/// The games of the event, round by round, each in the order of tables, and behind them those that
/// are on at boards where nothing is paired, in the order of the boards.
pub(super) async fn all(State(hall): InHall, headers: HeaderMap) -> Response {
    pgn(of_event(hall.feeds(), |_| true) + &of_others(hall.feeds()), &headers)
}

/// The games of one round, in the order of tables.
pub(super) async fn one(State(hall): InHall, number: Named<u16>, headers: HeaderMap) -> Response {
    let number = number.ok().map(|Path(number)| number);
    let text = of_event(hall.feeds(), |round| Some(round) == number);
    if text.is_empty() {
        return sentence(StatusCode::NOT_FOUND, "http no-round");
    }
    pgn(text, &headers)
}

/// The games that are paired, of the rounds that are wanted.
pub(in crate::shell) fn of_event<'a>(
    feeds: impl Iterator<Item = &'a Feed>,
    is_wanted: impl Fn(u16) -> bool,
) -> String {
    let books: Vec<_> = feeds.map(|feed| feed.book.borrow().clone()).collect();
    let mut games: Vec<_> = books.iter().flat_map(|book| book.games()).collect();
    games.retain(|(round, ..)| is_wanted(*round));
    games.sort_by_key(|(round, table, _)| (*round, *table));
    games.into_iter().map(|(.., pgn)| &**pgn).collect()
}

/// The games at boards where nothing is paired.
pub(in crate::shell) fn of_others<'a>(feeds: impl Iterator<Item = &'a Feed>) -> String {
    let mut text = String::new();
    for Feed { pgn, awaited, .. } in feeds.filter(|feed| feed.book.borrow().is_empty()) {
        let game = pgn.borrow();
        if game.is_empty() { text += &awaited.borrow() } else { text += &game }
    }
    text
}
