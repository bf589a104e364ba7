//! What a page asks for once: earlier games of a board, and the words of a language.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::{Hall, cached, missing, no_such_board, sentence};
use crate::laws::notation::Language;
use crate::relay::phrases;

const JSON: &str = "application/json";

/// The list of earlier games.
pub(super) async fn list(
    State(hall): State<Arc<Hall>>,
    name: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let Some(feed) = hall.feed(name) else { return no_such_board() };
    let text = feed.past.borrow().list();
    cached(JSON, text, &headers)
}

/// The view document of one of them.
pub(super) async fn game(
    State(hall): State<Arc<Hall>>,
    address: Result<Path<(String, usize)>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let Ok(Path((name, number))) = address else { return missing() };
    let Some(feed) = hall.feed(Ok(Path(name))) else { return no_such_board() };
    let text = feed.past.borrow().view(number).map(str::to_owned);
    match text {
        Some(text) => cached(JSON, text, &headers),
        None => sentence(StatusCode::NOT_FOUND, "http no-game"),
    }
}

/// All that a page says in a language.
pub(super) async fn words(
    code: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let known = |code: &str| Language::ALL.into_iter().find(|language| language.word() == code);
    match code.ok().and_then(|Path(code)| known(&code)) {
        Some(language) => cached(JSON, phrases::to_json(language), &headers),
        None => missing(),
    }
}
