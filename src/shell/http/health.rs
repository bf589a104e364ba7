//! Whether all is well, for programs that look after the daemon. It is read off what the boards
//! have published, and waits for nothing.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::door::Asker;
use super::seats::House;
use super::{JSON, fresh, metrics};
use crate::shell::report::{Audience, Outlook, Report};

/// What a health check asks for.
#[derive(Debug)]
pub(super) struct Health {
    /// The boards, and how everything stands.
    pub(super) outlook: Outlook,
    /// Addresses that may know of it what is the arbiter's.
    pub(super) trusted: Vec<IpAddr>,
    /// Who is connected.
    pub(super) house: Arc<House>,
}

/// The addresses of health checks.
pub(super) fn routes(health: Arc<Health>) -> Router {
    Router::new()
        .route("/healthz", get(live))
        .route("/readyz", get(ready))
        .route("/metrics", get(measured))
        .with_state(health)
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
    health.answer(health.outlook.is_live())
}

/// Whether every board answers and its record reaches the disk: for those who look after the hall.
async fn ready(State(health): State<Arc<Health>>) -> Response {
    health.answer(health.outlook.is_live() && health.outlook.is_ready())
}

/// All that is counted and measured, for those who draw and watch it.
async fn measured(
    State(health): State<Arc<Health>>,
    ConnectInfo(Asker(seat)): ConnectInfo<Asker>,
) -> Response {
    let is_trusted = health.trusted.iter().any(|address| address.to_canonical() == seat.from);
    let report = health.report(if is_trusted { Audience::Arbiter } else { Audience::Public });
    fresh(metrics::CONTENT_TYPE, metrics::text(report))
}

impl Health {
    fn report(&self, audience: Audience) -> Report {
        Report { connections: Some(self.house.n_taken()), ..self.outlook.report(audience) }
    }

    fn answer(&self, is_well: bool) -> Response {
        let code = if is_well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let report = self.report(Audience::Public);
        let text = serde_json::to_string(&report).expect("a report is plain data");
        (code, fresh(JSON, text)).into_response()
    }
}
