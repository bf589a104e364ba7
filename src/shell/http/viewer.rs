//! One viewer of one board. Viewers are slow, asleep, or gone without a word, and each holds a
//! connection: so each gets the newest view only, answers pings, and is cut when it does not.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::{Feed, SEND_MAX};

/// How often a viewer has to show that it is there. It gets the view again at the same time, so
/// that a page can tell a quiet game from a dead line.
pub(super) const PING: Duration = Duration::from_secs(10);

/// Sends every newest view until the viewer leaves, fails to answer, or `closing` turns true.
pub(super) async fn attend(
    mut socket: WebSocket,
    mut feed: Feed,
    mut closing: watch::Receiver<bool>,
) {
    feed.view.mark_changed();
    let mut has_feed = true;
    let mut has_answered = true;
    let mut ping = interval_at(Instant::now() + PING, PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let sent = tokio::select! {
            changed = changed(&mut feed), if has_feed => match changed {
                Ok(()) => send_view(&mut socket, &mut feed).await,
                Err(_) => {
                    // The board is gone; its last view stays true.
                    has_feed = false;
                    Some(())
                }
            },
            heard = socket.recv() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => None,
                Some(Ok(_)) => {
                    has_answered = true;
                    Some(())
                }
            },
            _ = ping.tick() => {
                if !std::mem::take(&mut has_answered) {
                    return;
                }
                match send(&mut socket, Message::Ping(Vec::new().into())).await {
                    Some(()) => send_view(&mut socket, &mut feed).await,
                    None => None,
                }
            }
            _ = closing.changed() => {
                let code = close_code::AWAY;
                let frame = CloseFrame { code, reason: Utf8Bytes::from_static("restart") };
                send(&mut socket, Message::Close(Some(frame))).await;
                None
            }
        };
        if sent.is_none() {
            return;
        }
    }
}

/// There is another view, or the board is recorded again, or no more.
async fn changed(feed: &mut Feed) -> Result<(), watch::error::RecvError> {
    let was_recorded = feed.status.borrow().is_recorded();
    tokio::select! {
        changed = feed.view.changed() => changed,
        changed = feed.status.wait_for(|now| now.is_recorded() != was_recorded) => {
            changed.map(drop)
        }
    }
}

/// Whatever was published during the last send is skipped but for the newest.
async fn send_view(socket: &mut WebSocket, feed: &mut Feed) -> Option<()> {
    let shown = Arc::clone(&feed.view.borrow_and_update());
    send(socket, Message::Text(feed.envelope(&shown).into())).await
}

/// `None` if the viewer is gone or too slow.
pub(super) async fn send(socket: &mut WebSocket, message: Message) -> Option<()> {
    timeout(SEND_MAX, socket.send(message)).await.ok()?.ok()
}
