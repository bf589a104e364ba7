//! What a page asks for once: earlier games of a board, and the words of a language.

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{InHall, JSON, Named, cached, missing, no_such_board, pgn, sentence};
use crate::laws::notation::Language;
use crate::relay::phrases;

/// The list of earlier games.
pub(super) async fn list(State(hall): InHall, name: Named, headers: HeaderMap) -> Response {
    let Some(feed) = hall.feed(name) else { return no_such_board() };
    let text = feed.past.borrow().list();
    cached(JSON, text, &headers)
}

/// The view document of one of them, or behind `.pgn` the game as PGN.
pub(super) async fn game(
    State(hall): InHall,
    address: Named<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Ok(Path((name, file))) = address else { return missing() };
    let as_pgn = file.strip_suffix(".pgn");
    let Ok(number) = as_pgn.unwrap_or(&file).parse::<usize>() else { return missing() };
    let Some(feed) = hall.feed(Ok(Path(name))) else { return no_such_board() };
    let past = feed.past.borrow().clone();
    match (past.view(number), past.pgn(number)) {
        (_, Some(game)) if as_pgn.is_some() => pgn(game.to_owned(), &headers),
        (Some(view), _) => cached(JSON, view.to_owned(), &headers),
        _ => sentence(StatusCode::NOT_FOUND, "http no-game"),
    }
}

/// All that a page says in a language.
pub(super) async fn words(code: Named, headers: HeaderMap) -> Response {
    let known = |code: &str| Language::ALL.into_iter().find(|language| language.word() == code);
    match code.ok().and_then(|Path(code)| known(&code)) {
        Some(language) => cached(JSON, phrases::to_json(language), &headers),
        None => missing(),
    }
}
