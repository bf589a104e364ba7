//! The interface of LiveChess: a WebSocket at `/api/v1.0`, and the list of boards beside it.

use super::seats::Seat;
use super::tournament::Tournament;
use super::viewer::{FarEnd, Viewer, changed};
use super::{Asker, Hall, JSON, Upgrade, WAIT_MAX, fresh, is_same_host, sentence};
use crate::relay::dialogue::Dialogue;
use crate::relay::livechess::{Live, listed};
use crate::shell::now::wall;
use axum::Router;
use axum::extract::ws::WebSocket;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Serialize;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tracing::warn;

/// Sites whose pages know boards by LiveChess. Tornelo says so of its own, and has them under both
/// names.
const KNOWN: [&str; 6] = [
    "https://lichess.org",
    "https://lichess.dev",
    "https://www.chess.com",
    "https://chess.com",
    "https://tornelo.com",
    "https://app.tornelo.com",
];
/// The longest call.
const CALL_MAX_BYTES: usize = 16 * 1024;
/// So many sites that were refused are named to the operator; more are somebody's game.
const REFUSED_MAX: usize = 16;
/// The most that is shown of a site's name.
const SITE_MAX: usize = 100;
/// How much is read at a time: each connection keeps room for it.
const READ_BYTES: usize = 1024;
/// How often a program has to show that it is there.
const PING: Duration = Duration::from_secs(20);

/// A page of this site may not ask.
#[derive(Debug)]
struct Refused;

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        sentence(StatusCode::FORBIDDEN, "http origin")
    }
}

/// What is known at the desk, as those who answer are given it.
type AtDesk = State<Arc<LiveChessState>>;

/// What every caller can see.
#[derive(Debug)]
struct LiveChessState {
    hall: Hall,
    origins: Vec<String>,
    /// Counts the changes of all boards.
    changes: watch::Receiver<u64>,
    /// Sites that were refused, which was said.
    refused: Mutex<BTreeSet<String>>,
    /// Addresses from which too much was said at once, which was told.
    loud: Mutex<BTreeSet<IpAddr>>,
}

/// The ways in. `tasks` listen to the boards until they are dropped.
pub(super) fn routes(hall: Hall, origins: Vec<String>, tasks: &mut JoinSet<()>) -> Router {
    let (changed, changes) = watch::channel(0_u64);
    for board in &hall.boards {
        let (mut live, changed) = (board.feed.live.clone(), changed.clone());
        tasks.spawn(async move {
            while live.changed().await.is_ok() {
                live.mark_unchanged();
                changed.send_modify(|n| *n += 1);
            }
        });
    }
    Router::new()
        .route("/api/v1.0", get(talk))
        .route("/api/v1.0/", get(talk))
        .route("/api/v1.0/eboards", get(list))
        .route("/api/v1.0/tournaments", get(tournaments))
        .route("/api/v1.0/tournament/{uuid}", get(tournament))
        .route("/api/v1.0/round/{uuid}/{idx}", get(round))
        .route("/api/v1.0/game/{uuid}", get(game))
        .with_state(Arc::new(LiveChessState {
            hall,
            origins,
            changes,
            refused: Mutex::default(),
            loud: Mutex::default(),
        }))
}

impl LiveChessState {
    /// What is known of all boards.
    fn boards(&self) -> Vec<Arc<Live>> {
        self.hall.boards.iter().map(|board| board.feed.live.borrow().clone()).collect()
    }

    /// The site of the page that asks, if it may. A program that is no browser sends none, and may.
    fn origin<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a HeaderValue>, Refused> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let origin = origins.next();
        let may = |origin: &HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            let mut allowed = KNOWN.into_iter().chain(self.origins.iter().map(String::as_str));
            allowed.any(|it| it.eq_ignore_ascii_case(origin)) || is_same_host(headers)
        };
        if origins.next().is_some() || !origin.is_none_or(may) {
            origin.into_iter().for_each(|origin| self.tell_refused(origin));
            return Err(Refused);
        }
        Ok(origin)
    }

    /// Tells the operator of each such site once: he may want it to be let in.
    fn tell_refused(&self, origin: &HeaderValue) {
        let shown = String::from_utf8_lossy(origin.as_bytes());
        let site: String = shown.escape_debug().take(SITE_MAX).collect();
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.len() < REFUSED_MAX && refused.insert(site.clone()) {
            warn!(
                site,
                "A PAGE OF THIS SITE ASKED FOR THE BOARDS AND WAS REFUSED; if it may have them, \
                 name it under [livechess] origins"
            );
        }
    }

    /// Tells the operator once of each address from which a program said too much at once.
    fn tell_loud(&self, from: IpAddr) {
        let mut loud = self.loud.lock().unwrap_or_else(PoisonError::into_inner);
        if loud.len() < REFUSED_MAX && loud.insert(from) {
            warn!(
                %from,
                "A PROGRAM SAID MORE THAN {CALL_MAX_BYTES} BYTES AT ONCE TO THE INTERFACE OF \
                 LIVECHESS, AND WAS CUT OFF; no call is that long: check what runs there",
            );
        }
    }

    /// Answers what was asked, to whom may ask.
    fn tell<T: Serialize>(
        &self,
        headers: &HeaderMap,
        what: impl FnOnce() -> Option<T>,
    ) -> Response {
        let origin = match self.origin(headers) {
            Ok(origin) => origin.cloned(),
            Err(refused) => return refused.into_response(),
        };
        let Some(told) = what().and_then(|it| serde_json::to_string(&it).ok()) else {
            return sentence(StatusCode::NOT_FOUND, "http nothing");
        };
        let mut response = fresh(JSON, told);
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
        if let Some(origin) = origin {
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        }
        response
    }
}

/// The boards as a list.
async fn list(State(desk): AtDesk, headers: HeaderMap) -> Response {
    let boards = desk.boards();
    desk.tell(&headers, || Some(listed(&boards)))
}

/// The event as a list of tournaments.
async fn tournaments(State(desk): AtDesk, headers: HeaderMap) -> Response {
    desk.tell(&headers, || Some(Tournament::of(&desk.hall).list()))
}

async fn tournament(State(desk): AtDesk, headers: HeaderMap, Path(uuid): Path<String>) -> Response {
    desk.tell(&headers, || Tournament::of(&desk.hall).detail(&uuid))
}

async fn round(
    State(desk): AtDesk,
    headers: HeaderMap,
    Path((uuid, idx)): Path<(String, String)>,
) -> Response {
    desk.tell(&headers, || Tournament::of(&desk.hall).round(&uuid, idx.parse().ok()?))
}

async fn game(State(desk): AtDesk, headers: HeaderMap, Path(uuid): Path<String>) -> Response {
    desk.tell(&headers, || Tournament::of(&desk.hall).game(&uuid))
}

async fn talk(
    State(desk): AtDesk,
    ConnectInfo(Asker(seat)): ConnectInfo<Asker>,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Response {
    if let Err(refused) = desk.origin(&headers) {
        return refused.into_response();
    }
    let Ok(upgrade) = upgrade else {
        return sentence(StatusCode::UPGRADE_REQUIRED, "http websocket");
    };
    if !seat.stay() {
        return sentence(StatusCode::SERVICE_UNAVAILABLE, "http full");
    }
    let closing = desk.hall.closing.clone();
    upgrade
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .max_message_size(CALL_MAX_BYTES)
        .max_frame_size(CALL_MAX_BYTES)
        .on_upgrade(move |socket| attend(socket, desk, seat, closing))
}

/// Talks with one program until it leaves, fails to answer, or `closing` turns true.
async fn attend(
    socket: WebSocket,
    desk: Arc<LiveChessState>,
    seat: Arc<Seat>,
    closing: watch::Receiver<bool>,
) {
    let mut dialogue = Dialogue::default();
    let mut changes = desk.changes.clone();
    let mut lives: Vec<_> = desk.hall.boards.iter().map(|it| it.feed.live.clone()).collect();
    let mut program = Viewer::new(socket, closing, PING);
    while let Some(end) = program.wait(changed(&mut changes)).await {
        match end {
            FarEnd::Says(call) => {
                // Calls count as requests do.
                sleep(seat.wait(false).min(WAIT_MAX)).await;
                let said = dialogue.hear(&call, &desk.boards(), millis());
                if tell_all(&mut program, said).await.is_none() {
                    return;
                }
            }
            FarEnd::Waits(()) => {
                for (idx, live) in lives.iter_mut().enumerate() {
                    if !live.has_changed().unwrap_or(false) {
                        continue;
                    }
                    live.mark_unchanged();
                    let said = dialogue.follow(idx, &desk.boards(), millis());
                    if tell_all(&mut program, said).await.is_none() {
                        return;
                    }
                }
            }
            FarEnd::Lives => {}
        }
    }
    if program.said_too_much() {
        desk.tell_loud(seat.from);
    }
}

/// Tells a program all of this. `None` if it is gone or too slow.
async fn tell_all(program: &mut Viewer, said: impl Iterator<Item = String>) -> Option<()> {
    for text in said {
        program.tell(text).await?;
    }
    Some(())
}

/// Milliseconds since 1970.
fn millis() -> i64 {
    wall().0 / 1_000
}
