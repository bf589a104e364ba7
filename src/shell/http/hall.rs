//! All boards on one page, by one line: what a grid shows of each, whenever that changes.
//!
//! The views are read once for all viewers, and a few times a second at the most: many boards on a
//! screen are looked at, not studied. Nothing is read while nobody looks.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::WebSocket;
use axum::extract::{ConnectInfo, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

use super::view::PING;
use super::viewer::{FarEnd, Viewer, changed};
use super::{Asker, Feed, InHall, ShownView, Upgrade, line_for, missing, pages, sentence};
use crate::relay::brief;
use crate::relay::record::VERSION;

/// How often the boards are looked at for what has changed, while anybody looks at the page.
const LOOK: Duration = Duration::from_millis(200);

/// What the grid shows of a board.
#[derive(Debug)]
pub(super) struct Tile {
    /// Which look it comes from.
    look: u64,
    shown: Arc<ShownView>,
    brief: String,
    is_recorded: bool,
}

/// All of them, in the order of the boards.
pub(super) type Tiles = Arc<[Arc<Tile>]>;

/// The page.
pub(super) async fn page(headers: HeaderMap) -> Response {
    pages::file("hall.html", &headers).unwrap_or_else(missing)
}

/// What changes on it.
pub(super) async fn watch_all(
    State(hall): InHall,
    ConnectInfo(Asker(seat)): ConnectInfo<Asker>,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Response {
    match line_for(&seat, &headers, upgrade) {
        Ok(line) => {
            let (tiles, closing) = (hall.tiles.clone(), hall.closing.clone());
            hall.looked.notify_one();
            line.on_upgrade(move |socket| attend(socket, tiles, closing)).into_response()
        }
        Err((status, why)) => sentence(status, why),
    }
}

/// Looks at the boards for ever, and tells what has changed. It is called when somebody has come.
pub(super) async fn gather(mut feeds: Vec<Feed>, told: watch::Sender<Tiles>, looked: Arc<Notify>) {
    let mut tiles: Vec<Arc<Tile>> = Vec::new();
    for look in 1.. {
        // The hall itself has one of them.
        if told.receiver_count() <= 1 {
            looked.notified().await;
            continue;
        }
        let mut has_news = false;
        for (idx, feed) in feeds.iter_mut().enumerate() {
            let is_recorded = feed.status.borrow().is_recorded();
            let known = tiles.get(idx);
            let is_same = known.is_some_and(|tile| tile.is_recorded == is_recorded);
            if is_same && !feed.view.has_changed().unwrap_or(false) {
                continue;
            }
            let shown = Arc::clone(&feed.view.borrow_and_update());
            let brief = brief::of(&shown.text).unwrap_or_else(|| "null".to_owned());
            let tile = Arc::new(Tile { look, shown, brief, is_recorded });
            match tiles.get_mut(idx) {
                Some(known) => *known = tile,
                None => tiles.push(tile),
            }
            has_news = true;
        }
        if has_news {
            told.send_replace(tiles.as_slice().into());
        }
        sleep(LOOK).await;
    }
}

/// Tells a viewer what has changed, until he leaves, fails to answer, or `closing` turns true.
async fn attend(
    socket: WebSocket,
    mut tiles: watch::Receiver<Tiles>,
    closing: watch::Receiver<bool>,
) {
    tiles.mark_changed();
    let mut seen = 0;
    let mut viewer = Viewer::new(socket, closing, PING);
    while let Some(end) = viewer.wait(changed(&mut tiles)).await {
        let text = match end {
            FarEnd::Waits(()) => {
                let newest = tiles.borrow_and_update().clone();
                let text = news(&newest, seen);
                seen = newest.iter().map(|tile| tile.look).max().unwrap_or(0);
                text
            }
            // So that the page can tell quiet games from a dead line.
            FarEnd::Lives => news(&[], 0),
            FarEnd::Says(_) => continue,
        };
        if viewer.tell(text).await.is_none() {
            return;
        }
    }
}

/// The boards that have changed since the look that was `seen`:
/// `{"v":1,"boards":[{"n":0,"age_ms":12,"recorded":true,"view":{...}}]}`.
fn news(tiles: &[Arc<Tile>], seen: u64) -> String {
    let mut text = format!("{{\"v\":{VERSION},\"boards\":[");
    let mut is_first = true;
    for (n, tile) in tiles.iter().enumerate().filter(|(_, tile)| tile.look > seen) {
        let comma = if is_first { "" } else { "," };
        is_first = false;
        let (age, is_recorded) = (tile.shown.made.elapsed().as_millis(), tile.is_recorded);
        let brief = &tile.brief;
        write!(
            text,
            "{comma}{{\"n\":{n},\"age_ms\":{age},\"recorded\":{is_recorded},\"view\":{brief}}}"
        )
        .expect("a string takes everything");
    }
    text.push_str("]}");
    text
}
