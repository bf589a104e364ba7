//! Whether all is well, for programs that look after the daemon. It is read off what the boards
//! have published, and waits for nothing.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::watch;
use tokio::time::Instant;

use super::Feed;
use super::seats::House;
use crate::shell::push::Pushed;

/// The loop that records shows every half second that it runs; one that did not for so long hangs.
const PULSE_MAX: Duration = Duration::from_secs(5);

/// What a health check asks for.
#[derive(Debug)]
pub(super) struct Health {
    /// The boards, as they were handed to the server.
    pub(super) feeds: Vec<Feed>,
    /// When the loop that records has last shown that it runs.
    pub(super) pulse: watch::Receiver<Instant>,
    /// How it stands with those to whom games are sent.
    pub(super) pushed: Vec<watch::Receiver<Pushed>>,
    /// Who is connected.
    pub(super) house: Arc<House>,
}

/// The addresses of health checks.
pub(super) fn routes(health: Arc<Health>) -> Router {
    Router::new().route("/healthz", get(live)).route("/readyz", get(ready)).with_state(health)
}

/// The same answers, and the end of the connection behind each: whoever wants anything else has to
/// come again.
pub(super) fn hanging_up(app: Router) -> Router {
    app.layer(map_response(async |mut response: Response| {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }))
}

/// Whether the daemon runs: for those who would start it again.
async fn live(State(health): State<Arc<Health>>) -> Response {
    health.report(health.is_live())
}

/// Whether every board answers and its record reaches the disk: for those who look after the hall.
async fn ready(State(health): State<Arc<Health>>) -> Response {
    health.report(health.is_live() && health.is_ready())
}

impl Health {
    /// Whether the loop that records runs.
    fn is_live(&self) -> bool {
        self.pulse.borrow().elapsed() < PULSE_MAX
    }

    fn is_ready(&self) -> bool {
        self.feeds.iter().all(|feed| feed.status.borrow().is_ready())
    }

    fn report(&self, is_well: bool) -> Response {
        let code = if is_well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let boards = self.feeds.iter().map(|feed| {
            let status = feed.status.borrow().clone();
            // Both tell at once that somebody has moved.
            let now = !feed.is_behind;
            serde_json::json!({
                "name": feed.name,
                "recorded": status.is_recorded(),
                "link": status.link.word(),
                "fault": status.fault(),
                "warning": status.warning(),
                "head": status.head.as_ref().filter(|_| now),
                "durable_ms": now.then(|| feed.delays.summary()),
            })
        });
        let report = serde_json::json!({
            "status": if self.is_live() { "ok" } else { "stalled" },
            "ready": self.is_ready(),
            "version": env!("CARGO_PKG_VERSION"),
            "boards": boards.collect::<Vec<_>>(),
            "push": self.pushed.iter().map(|it| it.borrow().clone()).collect::<Vec<_>>(),
            "connections": self.house.n_taken(),
        });
        let about =
            [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
        (code, about, report.to_string()).into_response()
    }
}
