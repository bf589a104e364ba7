//! The view of one board, to one viewer who follows it: the newest only, whenever there is one.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::WebSocket;
use tokio::sync::watch;

use super::Feed;
use super::viewer::{FarEnd, Viewer, never};

/// How often a viewer has to show that it is there. It gets the view again at the same time, so
/// that a page can tell a quiet game from a dead line.
pub(super) const PING: Duration = Duration::from_secs(10);

/// Sends every newest view until the viewer leaves, fails to answer, or `closing` turns true. What
/// was published during a send is skipped but for the newest.
pub(super) async fn attend(socket: WebSocket, mut feed: Feed, closing: watch::Receiver<bool>) {
    feed.view.mark_changed();
    let mut viewer = Viewer::new(socket, closing, PING);
    while let Some(end) = viewer.wait(changed(&mut feed)).await {
        let shown = match end {
            FarEnd::Waits(()) | FarEnd::Lives => Arc::clone(&feed.view.borrow_and_update()),
            FarEnd::Says(_) => continue,
        };
        if viewer.tell(feed.envelope(&shown)).await.is_none() {
            return;
        }
    }
}

/// There is another view, or the board is recorded again, or no more. Of a board that is gone the
/// last view stays true.
async fn changed(feed: &mut Feed) {
    let was_recorded = feed.status.borrow().is_recorded();
    let changed = tokio::select! {
        changed = feed.view.changed() => changed,
        changed = feed.status.wait_for(|now| now.is_recorded() != was_recorded) => {
            changed.map(drop)
        }
    };
    if changed.is_err() {
        never().await;
    }
}
