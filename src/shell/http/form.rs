//! A page with a form, which is there until somebody has answered it. Whoever comes to it is let in
//! as those are who look at the games: a seat and so much time for each, and so many answers.

use super::door::{self, Desks, Door};
use super::seats::{House, Seats};
use super::{HouseRules, receive, serve_callers};
use axum::Router;
use axum::http::HeaderValue;
use axum::middleware::{from_fn_with_state, map_response_with_state};
use std::future::{Future, IntoFuture};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// The form is for one person, beside whom a hall may look in.
const SEATS: Seats = Seats { guests: 64, viewers: 0 };

/// Answers with `app` under `policy` whoever calls this machine by one of `names` on `listener`,
/// until `stop` is ready, and for `grace` after that at the most.
pub(in crate::shell) async fn serve_form(
    listener: TcpListener,
    app: Router,
    (names, policy): (Vec<String>, &'static str),
    stop: impl Future,
    grace: Duration,
) -> io::Result<()> {
    let rules = Arc::new(HouseRules { names, policy: HeaderValue::from_static(policy) });
    let app = app
        .layer(from_fn_with_state(Arc::clone(&rules), receive))
        .layer(map_response_with_state(rules, super::guard));
    let address = listener.local_addr()?;
    let (close, closing) = watch::channel(false);
    let (pages, callers) = mpsc::channel(door::WAITING);
    let desks = Desks { checks: pages.clone(), pages };
    let mut front = tokio::spawn(door::admit(listener, House::new(SEATS), desks, closing.clone()));
    let mut server = serve_callers(Door::new(callers, address), app, closing).into_future();
    tokio::select! {
        ended = &mut server => return ended,
        _ = &mut front => return Err(io::Error::other("nobody is let in any more")),
        _ = stop => {}
    }
    close.send_replace(true);
    timeout(grace, server).await.unwrap_or(Ok(()))
}

/// A text as it stands in a page.
pub(in crate::shell) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
