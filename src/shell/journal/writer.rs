//! Nothing may be shown before it is safe, and nobody may wait for a card: a thread of [`Disk`]
//! writes the journal, and what is to be published comes out at its other end once it is durable.
//!
//! All batches that wait go to the disk together with one sync (group commit), so a slow card makes
//! the groups larger instead of the queue longer.

use std::mem::discriminant;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout_at};

use super::storage::Storage;
use super::{Joined, Journal, JournalError, NewLine, Noted, Position};
use crate::shell::backoff::Backoff;
use crate::shell::disk::Disk;

/// How many batches may wait for the writer before [`Writer::send`] makes the sender wait.
pub const QUEUE: usize = 4_096;

/// Lines to keep, and what to give back once they are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<T> {
    /// The lines; may be none, if `after` has only to keep its place.
    pub lines: Vec<NewLine>,
    /// Comes back in [`WriterEvent::Written`].
    pub after: T,
}

/// How far the record is safe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Up to where it is.
    pub position: Position,
    /// The last line that is, with its hash, if all are.
    pub noted: Option<Noted>,
}

/// What is kept free for the game in progress, should the disk be full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Room {
    /// Enough for about a game.
    Reserved,
    /// Enough for about a game, and it is being written to.
    Used,
    /// None can be made, and the disk has said why; that is tried again. What is recorded still
    /// finds its place.
    Lacking(String),
}

/// What the writer says, in the order in which it happened.
#[derive(Debug)]
pub enum WriterEvent<T> {
    /// A batch was dealt with, in the order of sending.
    Written {
        /// What came with the batch.
        after: T,
        /// Whether its lines are on the disk. If not, they are in memory and will follow, unless
        /// [`WriterEvent::Refused`] came just before.
        durable: bool,
        /// When it was.
        at: Instant,
    },
    /// The lines of the batch that comes next were not taken, hence, and never will be.
    Refused(JournalError),
    /// There is another room for a disk that is full than there was: at first [`Room::Reserved`].
    Room(Room),
    /// This write failed; a new segment has taken over and nothing is missing.
    Mishap(JournalError),
    /// The disk does not take lines any more, of which this write failed last. Said once, then the
    /// writer tries again and again.
    Failing(JournalError),
    /// A folder that could not be used at the start can be now.
    Joined(Joined),
    /// After [`WriterEvent::Failing`]: everything is on the disk again, up to here.
    Recovered(Position),
}

/// How long to wait between attempts on a disk that fails. A card that was pulled is back within
/// seconds of being put in again; a full one may take the arbiter some minutes.
pub const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(10));

/// The way to the task that writes.
#[derive(Debug)]
pub struct Writer<T, S: Storage> {
    queue: mpsc::Sender<Batch<T>>,
    ended: oneshot::Receiver<Journal<S>>,
    reached: watch::Receiver<Reached>,
}

impl<T, S> Writer<T, S>
where
    T: Send + 'static,
    S: Storage + Send + 'static,
    S::File: Send,
{
    /// Starts writing on a thread of `disk`. Events come out of the receiver, which is not bounded:
    /// whoever sends batches and reads events in one task could otherwise wait for himself.
    pub fn start(
        disk: &Disk,
        journal: Journal<S>,
        backoff: Backoff,
    ) -> (Self, mpsc::UnboundedReceiver<WriterEvent<T>>) {
        let (queue, batches) = mpsc::channel(QUEUE);
        let (events, receiver) = mpsc::unbounded_channel();
        let (end, ended) = oneshot::channel();
        let (reach, reached) = watch::channel(Reached::default());
        let now = Instant::now();
        let work = Work {
            journal,
            reach,
            batches,
            events,
            backoff,
            retry: None,
            room: Room::Reserved,
            reserve_at: Some(now),
        };
        disk.spawn(async move {
            // Whoever does not wait for the end needs no journal.
            end.send(work.run().await).ok();
        });
        (Self { queue, ended, reached }, receiver)
    }

    /// How far the record is safe.
    pub fn reached(&self) -> watch::Receiver<Reached> {
        self.reached.clone()
    }

    /// Hands a batch over; waits only while [`QUEUE`] others do. Gives the batch back if the
    /// writing has ended.
    pub async fn send(&self, batch: Batch<T>) -> Result<(), Batch<T>> {
        self.queue.send(batch).await.map_err(|refused| refused.0)
    }

    /// As [`Writer::send`], for threads that may block.
    pub fn blocking_send(&self, batch: Batch<T>) -> Result<(), Batch<T>> {
        self.queue.blocking_send(batch).map_err(|refused| refused.0)
    }

    /// Lets what still waits be written, waits for that, and returns the journal.
    /// [`Journal::n_waiting`] tells what the disk did not take. `None` if the writing panicked or
    /// its [`Disk`] is gone.
    pub async fn finish(self) -> Option<Journal<S>> {
        drop(self.queue);
        self.ended.await.ok()
    }

    /// As [`Writer::finish`], for threads that may block.
    pub fn blocking_finish(self) -> Option<Journal<S>> {
        drop(self.queue);
        self.ended.blocking_recv().ok()
    }
}

/// What comes out of the queue.
enum Dequeued<T> {
    Batches(Vec<Batch<T>>),
    /// The wait is over.
    Nothing,
    /// No batch will come any more.
    Closed,
}

struct Work<T, S: Storage> {
    journal: Journal<S>,
    reach: watch::Sender<Reached>,
    batches: mpsc::Receiver<Batch<T>>,
    events: mpsc::UnboundedSender<WriterEvent<T>>,
    backoff: Backoff,
    /// When to try again; set while the disk fails.
    retry: Option<Instant>,
    /// What was said of the reserve.
    room: Room,
    /// When the reserve is to be made, if it is not there.
    reserve_at: Option<Instant>,
}

impl<T, S: Storage> Work<T, S> {
    async fn run(mut self) -> Journal<S> {
        self.commit();
        if self.retry.is_none() {
            // Whoever waits to hear how far a record is hears it of an empty one too.
            self.reach.send_modify(|_| ());
        }
        loop {
            match self.take().await {
                Dequeued::Batches(batches) => self.write(batches),
                Dequeued::Nothing => {
                    self.commit();
                    self.keep_reserve();
                }
                Dequeued::Closed => {
                    self.commit();
                    return self.journal;
                }
            }
        }
    }

    /// Waits for a batch and takes all that wait with it.
    async fn take(&mut self) -> Dequeued<T> {
        let due = self.retry.or(self.reserve_at);
        let first = match due {
            None => self.batches.recv().await,
            Some(at) => match timeout_at(at, self.batches.recv()).await {
                Ok(batch) => batch,
                Err(_) => return Dequeued::Nothing,
            },
        };
        let Some(first) = first else { return Dequeued::Closed };
        let mut taken = vec![first];
        while taken.len() < QUEUE
            && let Ok(batch) = self.batches.try_recv()
        {
            taken.push(batch);
        }
        Dequeued::Batches(taken)
    }

    fn write(&mut self, batches: Vec<Batch<T>>) {
        let mut done = Vec::with_capacity(batches.len());
        for Batch { lines, after } in batches {
            let mut appended = self.journal.append(&lines);
            if matches!(appended, Err(JournalError::Full { .. })) && self.retry.is_none() {
                self.commit();
                appended = self.journal.append(&lines);
            }
            done.push((after, appended));
        }
        if self.retry.is_none_or(|retry| retry <= Instant::now()) {
            self.commit();
        }
        let at = Instant::now();
        for (after, appended) in done {
            let durable = appended.is_ok() && self.retry.is_none();
            if let Err(error) = appended {
                self.say(WriterEvent::Refused(error));
            }
            self.say(WriterEvent::Written { after, durable, at });
        }
    }

    /// Makes the reserve, once nothing else waits and the disk takes what is written.
    fn keep_reserve(&mut self) {
        let now = Instant::now();
        if self.retry.is_some() || self.reserve_at.is_none_or(|at| at > now) {
            return;
        }
        let reserved = self.journal.keep_reserve();
        self.reserve_at = reserved.is_err().then_some(now + self.backoff.longest());
        self.tell_room(match reserved {
            _ if self.journal.is_on_reserve() => Room::Used,
            Ok(()) => Room::Reserved,
            Err(why) => Room::Lacking(why.to_string()),
        });
    }

    /// Says it unless that was said last, for whatever reason.
    fn tell_room(&mut self, room: Room) {
        if discriminant(&room) != discriminant(&self.room) {
            self.room = room.clone();
            self.say(WriterEvent::Room(room));
        }
    }

    /// Commits, and says so when the disk starts or stops failing.
    fn commit(&mut self) {
        let result = self.journal.commit();
        let mishap = self.journal.take_mishap();
        self.journal
            .take_joined()
            .into_iter()
            .for_each(|joined| self.say(WriterEvent::Joined(joined)));
        match result {
            Ok(position) => {
                mishap.into_iter().for_each(|error| self.say(WriterEvent::Mishap(error)));
                let reached = Reached { position, noted: self.journal.noted() };
                self.reach.send_if_modified(|it| std::mem::replace(it, reached.clone()) != reached);
                if self.journal.is_on_reserve() && self.room != Room::Used {
                    self.reserve_at = Some(Instant::now() + self.backoff.longest());
                    self.tell_room(Room::Used);
                }
                if self.retry.take().is_some() {
                    self.backoff.reset();
                    self.say(WriterEvent::Recovered(position));
                }
            }
            Err(error) => {
                let was_failing = self.retry.replace(Instant::now() + self.backoff.wait());
                if was_failing.is_none() {
                    self.say(WriterEvent::Failing(error));
                }
            }
        }
    }

    /// Nobody listens at the end of the daemon; the writing goes on all the same.
    fn say(&self, event: WriterEvent<T>) {
        let _ = self.events.send(event);
    }
}
