//! `rokade doctor` at a line that several boards share: who answers on it.

use crate::shell::heard::Heard;
use crate::shell::now::Now;
use crate::shell::serial::{self, LineError, LineNews, SerialLine};
use crate::wire::bus::{BusFault, BusLine, BusNews};
use std::time::Duration;
use tokio::time::{Instant, sleep_until, timeout_at};

/// Who is there has answered by then: two pings for all, and each board's own.
const LOOK: Duration = Duration::from_secs(5);

/// What a shared line has shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Looked {
    /// Whether the boards answer, in the order of their addresses in the settings.
    pub(super) boards: Vec<Result<(), BusFault>>,
    /// Addresses that no board of the settings has.
    pub(super) strangers: Vec<u16>,
}

/// Looks for these boards at the line of this port.
///
/// # Errors
/// The line cannot be opened.
pub(super) async fn look(port: &str, addresses: &[u16]) -> Result<Looked, LineError> {
    let now = Now::start();
    let (mut line, actor) = serial::channel(SerialLine::named(port), now);
    let actor = tokio::spawn(actor.run());
    let mut bus = BusLine::new(addresses).only_looking();
    let mut looked = Looked {
        boards: addresses.iter().map(|address| Err(BusFault::Silent(*address))).collect(),
        strangers: Vec::new(),
    };
    let end = Instant::now() + LOOK;
    while Instant::now() < end {
        let wake = bus.wake_at().map_or(end, |due| now.instant(due)).min(end);
        tokio::select! {
            heard = timeout_at(end, line.heard()) => match heard {
                Ok(Some(Heard { at, what: LineNews::Up })) => bus.link_up(at.mono),
                Ok(Some(Heard { at, what: LineNews::Bytes(bytes) })) => {
                    bus.on_bytes(at.mono, &bytes);
                }
                Ok(Some(Heard { what: LineNews::Down { why }, .. })) => return Err(why),
                Ok(None) | Err(_) => break,
            },
            () = sleep_until(wake) => bus.on_timeout(now.stamp().mono),
        }
        for bytes in bus.take_sent() {
            line.send(bytes);
        }
        while let Some((idx, news)) = bus.poll() {
            match news {
                BusNews::Up => looked.boards[idx] = Ok(()),
                BusNews::Down(fault) => looked.boards[idx] = Err(fault),
                BusNews::Said(_) | BusNews::Noise => {}
            }
        }
        looked.strangers.extend(bus.take_strangers());
    }
    line.close();
    // It ends by itself, and has nothing more to tell.
    actor.await.ok();
    Ok(looked)
}
