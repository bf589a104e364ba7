//! What a board shows once it is durable: the page and the lines of the log.

use super::delays::Delays;
use super::http::ShownView;
use super::journal::{Joined, Noted, Position, Reached, Room, WriterEvent};
use super::orders::Reply;
use super::status::Status;
use std::collections::VecDeque;
use std::io;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};
use tracing::{error, info, trace, warn};

/// What is to be published when a batch of the journal has been written.
#[derive(Debug, Default)]
pub struct After {
    /// The new view document, once it is rendered: the disk need not wait for that.
    pub shown: Option<oneshot::Receiver<Arc<ShownView>>>,
    /// New lines of the arbiter's log.
    pub lines: Vec<String>,
    /// The answer to an order.
    pub reply: Option<Reply>,
    /// When what is recorded was heard.
    pub heard: Option<Instant>,
    /// A game has ended.
    pub is_end: bool,
}

/// Where lines of the log go, besides the journal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Echo {
    /// To the system's log.
    Tracing,
    /// To standard output, as in a demo.
    Stdout,
}

/// Publishes one board's news.
#[derive(Debug)]
pub struct Publisher {
    /// The board's name.
    pub name: String,
    /// Where the log's lines go.
    pub echo: Echo,
    /// The page's view document, which is not the board's to say where the public is behind it.
    pub view: watch::Sender<Arc<ShownView>>,
    /// Told when the disk does not take the record, and when it does again.
    pub status: watch::Sender<Status>,
    /// How far the record is on the disk.
    pub reached: watch::Receiver<Reached>,
    /// How far the record is on the disk, for whoever copies it.
    pub safe: watch::Sender<Position>,
    /// Told once the record has what was kept in memory behind another past.
    pub late: Option<oneshot::Sender<()>>,
    /// Counts how long records take.
    pub delays: Arc<Delays>,
    /// What was given to the journal, in the order in which it comes out again.
    pub sent: mpsc::UnboundedReceiver<SentBatch>,
}

/// A disk that has not answered for so long stands still: a card that tidies up takes less.
const STALL: Duration = Duration::from_secs(2);

/// A batch on its way to the disk.
#[derive(Debug)]
pub struct SentBatch {
    at: Instant,
    lines: Vec<String>,
    /// Whether the arbiter was told of it, because the disk stands still.
    is_told: bool,
}

impl SentBatch {
    /// A batch with these lines of the log, given to the journal now.
    pub fn now(lines: Vec<String>) -> Self {
        Self { at: Instant::now(), lines, is_told: false }
    }
}

/// The head of the record is published so often at the most,
const HEAD_EVERY: Duration = Duration::from_secs(5);
/// and goes to the log so often, and when a game ends.
const HEAD_LOGGED_EVERY: Duration = Duration::from_secs(600);

/// When the head of the record was published last, and logged.
#[derive(Debug, Default)]
struct HeadNotice {
    told: Option<Noted>,
    due: Option<Instant>,
    logged: Option<(Instant, Noted)>,
}

/// What is on its way to the disk.
#[derive(Debug, Default)]
struct Waiting {
    queue: VecDeque<SentBatch>,
    is_stalled: bool,
}

impl Waiting {
    /// When it is to be said that the disk stands still.
    fn due(&self) -> Option<Instant> {
        self.queue.iter().find(|sent| !sent.is_told).map(|sent| sent.at + STALL)
    }
}

impl Publisher {
    /// Publishes until the journal's writer is gone.
    pub async fn run(mut self, mut events: mpsc::UnboundedReceiver<WriterEvent<After>>) {
        let mut withheld = Withheld::default();
        let mut waiting = Waiting::default();
        let mut head = HeadNotice::default();
        loop {
            self.delays.note_waiting(waiting.queue.len());
            let due = waiting.due();
            let event = tokio::select! {
                biased;
                event = events.recv() => event,
                Some(sent) = self.sent.recv() => {
                    waiting.queue.push_back(sent);
                    continue;
                }
                Ok(()) = self.reached.changed() => {
                    self.reached_more(&mut head);
                    continue;
                }
                () = sleep_until(head.due.unwrap_or_else(Instant::now)), if head.due.is_some() => {
                    self.tell_head(&mut head, false);
                    continue;
                }
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    self.stalled(&mut waiting);
                    continue;
                }
            };
            let Some(event) = event else { break };
            match event {
                WriterEvent::Written { after, durable, at } => {
                    self.answered(&mut waiting, durable);
                    if let Some(heard) = after.heard.filter(|_| durable) {
                        self.count(at.saturating_duration_since(heard));
                    }
                    let is_end = after.is_end;
                    withheld.shown = self.tell(after, durable).await.or(withheld.shown);
                    if durable {
                        self.show(&mut withheld);
                        if is_end {
                            self.tell_head(&mut head, true);
                        }
                    }
                }
                event => self.take(event, &mut withheld),
            }
        }
        self.reached_more(&mut head);
        self.tell_head(&mut head, true);
    }

    /// A record is on the disk, so long after it was heard.
    fn count(&self, delay: Duration) {
        self.delays.note(delay);
        trace!(board = self.name, durable_us = delay.as_micros(), "on record");
    }

    /// What the journal's writer says besides that a batch was written.
    fn take(&mut self, event: WriterEvent<After>, withheld: &mut Withheld) {
        match event {
            WriterEvent::Written { .. } => {}
            WriterEvent::Refused(error) => {
                withheld.is_for_good = true;
                let why = format!("an entry is not on record: {error}");
                self.status.send_modify(|status| status.disk = Some(why));
                error!(
                    board = self.name,
                    %error,
                    "AN ENTRY IS NOT ON RECORD: the page shows nothing more; restart"
                );
            }
            WriterEvent::Mishap(error) => {
                warn!(board = self.name, %error, "the journal goes on in a new file");
            }
            WriterEvent::Failing(error) => {
                error!(
                    board = self.name,
                    %error,
                    "NOT RECORDING TO DISK: the record is in memory only; free or replace the \
                     disk"
                );
                self.status.send_modify(|status| status.disk = Some(error.to_string()));
            }
            WriterEvent::Room(room) => self.room(room),
            WriterEvent::Joined(joined) => self.joined(joined, withheld),
            WriterEvent::Recovered { .. } => {
                if !withheld.is_for_good {
                    self.status.send_modify(|status| status.disk = None);
                }
                self.show(withheld);
                info!(board = self.name, "the journal is on the disk again, without a gap");
            }
        }
    }

    /// The disk has more of the record: whoever copies it is told at once, others within seconds.
    fn reached_more(&mut self, head: &mut HeadNotice) {
        let position = self.reached.borrow_and_update().position;
        self.safe.send_replace(position);
        let soon = if head.told.is_none() { Duration::ZERO } else { HEAD_EVERY };
        head.due.get_or_insert_with(|| Instant::now() + soon);
    }

    /// Publishes the head of the record, and logs it if it is due or `is_end`.
    fn tell_head(&self, head: &mut HeadNotice, is_end: bool) {
        head.due = None;
        let Some(noted) = self.reached.borrow().noted.clone() else { return };
        let now = Instant::now();
        let logged = head.logged.as_ref();
        let is_new = logged.is_none_or(|(_, before)| *before != noted);
        let is_due = logged.is_none_or(|(at, _)| now.duration_since(*at) >= HEAD_LOGGED_EVERY);
        if is_new && (is_end || is_due) {
            info!(board = self.name, head = %noted, "the record's last line and its hash");
            head.logged = Some((now, noted.clone()));
        }
        if head.told.as_ref() != Some(&noted) {
            self.status.send_modify(|status| status.head = Some(noted.to_string()));
            head.told = Some(noted);
        }
    }

    /// The room that is kept for a full disk is in use, or cannot be had; or it is there again.
    fn room(&self, room: Room) {
        let why = match room {
            Room::Reserved => {
                info!(board = self.name, "the disk has space again");
                None
            }
            Room::Used => {
                error!(
                    board = self.name,
                    "THE DISK IS FULL: recording goes on in reserved space, enough for about one \
                     game; free some"
                );
                Some(
                    "the disk is full: the record uses its reserved space, enough for about one \
                     game"
                        .to_owned(),
                )
            }
            Room::Lacking(why) => {
                error!(
                    board = self.name,
                    why, "NO DISK SPACE COULD BE RESERVED: free some before a game begins"
                );
                Some(format!("no disk space could be reserved: {why}"))
            }
        };
        self.status.send_modify(|status| status.room = why);
    }

    /// The record's folder can be used at last.
    fn joined(&mut self, Joined { torn, late }: Joined, withheld: &mut Withheld) {
        if !withheld.is_for_good {
            self.status.send_modify(|status| status.disk = None);
        }
        if let Some(torn) = torn {
            let (file, bytes, kept_as) = (torn.file, torn.bytes, torn.kept_as.join(", "));
            warn!(board = self.name, file, bytes, kept_as, "an unfinished end was set aside");
        }
        if late.is_some()
            && let Some(late) = self.late.take()
        {
            // The board may have ended meanwhile.
            late.send(()).ok();
        }
    }

    /// The disk stands still: the arbiter hears so, and what waits for it.
    fn stalled(&self, waiting: &mut Waiting) {
        if !std::mem::replace(&mut waiting.is_stalled, true) {
            error!(
                board = self.name,
                "THE DISK DOES NOT ANSWER: what happens is in memory only; the public sees nothing \
                 of it"
            );
            let why = "the disk does not answer".to_owned();
            self.status.send_modify(|status| status.disk = Some(why));
        }
        let now = Instant::now();
        for sent in waiting.queue.iter_mut().filter(|sent| !sent.is_told && sent.at + STALL <= now)
        {
            sent.is_told = true;
            sent.lines.iter().for_each(|line| self.echo(NOT_KEPT, line));
        }
    }

    /// The disk has dealt with the batch that was sent first.
    fn answered(&mut self, waiting: &mut Waiting, is_durable: bool) {
        while let Ok(sent) = self.sent.try_recv() {
            waiting.queue.push_back(sent);
        }
        waiting.queue.pop_front();
        let is_late = waiting.queue.front().is_some_and(|sent| sent.is_told);
        if is_durable && !is_late && std::mem::take(&mut waiting.is_stalled) {
            info!(board = self.name, "the disk answers again");
            self.status.send_modify(|status| status.disk = None);
        }
    }

    fn echo(&self, mark: &str, line: &str) {
        match self.echo {
            Echo::Tracing => info!(board = self.name, "{mark}{line}"),
            // Whoever reads our output may have seen enough.
            Echo::Stdout => drop(writeln!(io::stdout(), "{mark}{line}")),
        }
    }

    /// Tells the arbiter, who may know what is not kept yet, and gives back what is for the public.
    async fn tell(&self, after: After, is_durable: bool) -> Option<Arc<ShownView>> {
        let mark = if is_durable { "" } else { NOT_KEPT };
        after.lines.iter().for_each(|line| self.echo(mark, line));
        if let Some(reply) = after.reply {
            reply.give(is_durable);
        }
        // Whoever fails over rendering it has nothing to show.
        after.shown?.await.ok()
    }

    /// Shows the public what was withheld, now that it is on the disk.
    fn show(&self, withheld: &mut Withheld) {
        if let Some(shown) = withheld.shown.take_if(|_| !withheld.is_for_good) {
            shown.show_own(&self.view);
        }
    }
}

/// Before a line of the log that is in memory only.
const NOT_KEPT: &str = "NOT KEPT YET  ";

/// What the public may not see before the disk has it.
#[derive(Debug, Default)]
struct Withheld {
    /// The newest view.
    shown: Option<Arc<ShownView>>,
    /// Something will never be on the disk, and all that is shown after it would rest on it.
    is_for_good: bool,
}
