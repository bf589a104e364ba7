//! Demo boards: at each a game that the public may see is played once more, behind a
//! pseudo-terminal, for whatever program opens it.
//!
//! They are made of what the gates let out, on a thread of their own on which nothing waits. One
//! that cannot be opened is said once, and tried again.

use super::cable::{self, Cable};
use super::{PtyError, READ_MAX};
use crate::relay::livechess::{Live, LiveClock};
use crate::shell::apart::{Apart, Share};
use crate::shell::backoff::Backoff;
use crate::shell::config::Config;
use crate::shell::http::Feed;
use crate::shell::now::Now;
use crate::sim::{DemoBoard, ShownTimes};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, sleep_until};
use tracing::{info, warn};

/// How long to wait before a place that cannot be had is tried again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));
/// So many bytes wait only if nobody reads: two seconds of a real line.
const UNREAD_MAX: u64 = 2_048;

/// A demo board that is wanted.
#[derive(Clone, Debug)]
struct DemoBoardPlace {
    /// The name of the board that it follows.
    board: String,
    /// The name of the end that programs open.
    path: PathBuf,
    /// The serial number that it tells.
    serial: String,
    /// What programs may know of the board.
    live: watch::Receiver<Arc<Live>>,
}

/// Starts what keeps the demo boards that are set, if any are: each follows a board's feed.
///
/// # Errors
/// The system gives no thread.
pub fn start(config: &Config, feeds: &[Feed], now: Now) -> io::Result<Option<Apart>> {
    let places = config.boards.iter().zip(feeds).zip(90_001..).map(|((board, feed), serial)| {
        let (board, path) = (board.name.clone(), board.demo_board.clone());
        DemoBoardPlace { board, path, serial: format!("{serial:05}"), live: feed.live.clone() }
    });
    let places: Vec<_> = places.filter(|place| !place.path.as_os_str().is_empty()).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let work = move || async move {
        places.into_iter().map(|place| keep(place, now)).collect::<JoinSet<()>>().join_all().await;
    };
    Apart::start("demo boards", Share::Spare, work).map(Some)
}

/// Keeps a demo board there until there is nothing more to follow.
async fn keep(place: DemoBoardPlace, now: Now) {
    let mut backoff = BACKOFF;
    let mut said = None;
    while place.live.has_changed().is_ok() {
        let trouble = match serve(&place, now, &mut said).await {
            Ok(()) => return,
            Err(error) => error.to_string(),
        };
        let (board, path) = (&place.board, place.path.display());
        if said.as_ref() != Some(&trouble) {
            warn!(board, %path, why = trouble, "THE DEMO BOARD CANNOT BE OPENED; recording goes \
                                                on");
            said = Some(trouble);
        }
        sleep(backoff.wait()).await;
    }
}

/// Serves whoever opens it, until there is nothing more to follow. What was `said` against it is
/// over then.
async fn serve(
    place: &DemoBoardPlace,
    now: Now,
    said: &mut Option<String>,
) -> Result<(), PtyError> {
    let (_stub, cable) = Cable::open(Some(place.path.clone()))?;
    cable.allow_all()?;
    *said = None;
    let (board, path) = (&place.board, place.path.display());
    info!(board, %path, "a demo board follows the game");
    let mut live = place.live.clone();
    live.mark_changed();
    let mut demo = DemoBoard::new(&place.serial);
    let mut buf = [0; READ_MAX];
    loop {
        let next = demo.next_at();
        let wake = now.instant(next.unwrap_or_default());
        tokio::select! {
            changed = live.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                let live = live.borrow_and_update().clone();
                follow(&mut demo, &live, now);
            }
            n = cable::read(cable.plugged.as_ref(), &mut buf) => {
                let n = n.map_err(PtyError::Open)?;
                cable.share();
                demo.host_bytes(now.stamp().mono, &buf[..n]);
            }
            () = sleep_until(wake), if next.is_some() => {}
        }
        let mut bytes = Vec::new();
        let at = now.stamp().mono;
        demo.take(at, &mut bytes);
        if bytes.is_empty() {
            continue;
        }
        if cable.n_unread() > UNREAD_MAX {
            // Who comes next is to hear the board as it stands then, and not what was.
            demo.sleep(at);
            cable.forget_unread();
        } else {
            cable.write(&bytes);
        }
    }
}

fn follow(demo: &mut DemoBoard, live: &Live, now: Now) {
    let at = now.stamp();
    if let Some(sheet) = &live.sheet {
        demo.follow(at.mono, sheet, live.n_told);
    }
    let shown = |LiveClock { times, running, read_ms }: LiveClock| {
        let age = (at.wall.0 / 1_000).saturating_sub(read_ms);
        let age = Duration::from_millis(u64::try_from(age).unwrap_or(0));
        ShownTimes { times, running, at: at.mono.earlier(age) }
    };
    demo.show_times(at.mono, live.clock.map(shown));
}
