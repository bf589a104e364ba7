//! Whoever is at the far end of a WebSocket. Viewers are slow, asleep, or gone without a word, and
//! each holds a connection: so each answers pings, and is cut when it does not.

use std::error::Error as _;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_tungstenite::tungstenite;

use super::SEND_MAX;

/// One that is cut off has this long to read why.
const LINGER: Duration = Duration::from_secs(1);

/// A viewer, and what is known of it.
#[derive(Debug)]
pub(super) struct Viewer {
    socket: WebSocket,
    closing: watch::Receiver<bool>,
    ping: Interval,
    has_answered: bool,
    /// It was cut because it said too much at once.
    said_too_much: bool,
}

/// What has happened to a viewer.
#[derive(Debug)]
pub(super) enum FarEnd<T> {
    /// There is this to tell it.
    Waits(T),
    /// It said something.
    Says(Utf8Bytes),
    /// It is there, and was asked whether it still is.
    Lives,
}

impl Viewer {
    /// One who has just come, and is asked `every` so often whether he is still there.
    pub(super) fn new(socket: WebSocket, closing: watch::Receiver<bool>, every: Duration) -> Self {
        let mut ping = interval_at(Instant::now() + every, every);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { socket, closing, ping, has_answered: true, said_too_much: false }
    }

    /// Waits for what comes first: `news` for the viewer, or something from it. `None` once it has
    /// left, has not answered, or was told that the daemon ends.
    pub(super) async fn wait<T>(&mut self, news: impl Future<Output = T>) -> Option<FarEnd<T>> {
        let mut news = pin!(news);
        loop {
            tokio::select! {
                news = &mut news => return Some(FarEnd::Waits(news)),
                heard = self.socket.recv() => {
                    let heard = match heard? {
                        Ok(heard) => heard,
                        Err(e) => {
                            self.said_too_much = is_too_much(&e);
                            if self.said_too_much {
                                self.close(close_code::SIZE, "too long").await;
                                // What it has sent is not read, and cuts off what it is told.
                                sleep(LINGER).await;
                            }
                            return None;
                        }
                    };
                    self.has_answered = true;
                    match heard {
                        Message::Close(_) => return None,
                        Message::Text(text) => return Some(FarEnd::Says(text)),
                        // There are clients that send text so.
                        Message::Binary(bytes) => {
                            let text = String::from_utf8_lossy(&bytes).into_owned();
                            return Some(FarEnd::Says(text.into()));
                        }
                        _ => {}
                    }
                }
                _ = self.ping.tick() => {
                    if !std::mem::take(&mut self.has_answered) {
                        return None;
                    }
                    self.send(Message::Ping(Vec::new().into())).await?;
                    return Some(FarEnd::Lives);
                }
                _ = self.closing.changed() => {
                    self.close(close_code::AWAY, "restart").await;
                    return None;
                }
            }
        }
    }

    /// Whether it was cut because it said more at once than anybody may.
    pub(super) const fn said_too_much(&self) -> bool {
        self.said_too_much
    }

    /// Tells it this. `None` if it is gone or too slow.
    pub(super) async fn tell(&mut self, text: String) -> Option<()> {
        self.send(Message::Text(text.into())).await
    }

    /// Says why it is left.
    async fn close(&mut self, code: u16, why: &'static str) {
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(why) };
        self.send(Message::Close(Some(frame))).await;
    }

    async fn send(&mut self, message: Message) -> Option<()> {
        timeout(SEND_MAX, self.socket.send(message)).await.ok()?.ok()
    }
}

/// Whether what came was longer than anything may be.
fn is_too_much(error: &axum::Error) -> bool {
    let source = error.source().and_then(|source| source.downcast_ref());
    matches!(source, Some(tungstenite::Error::Capacity(_)))
}

/// Waits until there is something new. Where nothing new can come any more, what was seen stays
/// true for ever.
pub(super) async fn changed<T>(seen: &mut watch::Receiver<T>) {
    if seen.changed().await.is_err() {
        never().await;
    }
}

/// Waits for what never comes.
pub(super) async fn never() {
    poll_fn(|_| Poll::<()>::Pending).await;
}
