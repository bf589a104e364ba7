//! Brings the boards' news over to the pages' thread, so that a board wakes one task there and not
//! each of its viewers.
//!
//! Nothing else there reads what a board publishes. Whoever reads it holds a lock for which the
//! board would have to wait, and the pages' thread gives way to others: with the lock in hand it
//! would be put aside for as long as a flood lasts. What passes it on holds the lock for the copy
//! of one pointer.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::{JoinSet, yield_now};

use super::{Feed, ShownView};

/// A view that has changed is passed on in so many portions. Between two of them others have their
/// turn: five thousand viewers at once would keep everybody waiting for a tenth of a second.
const PORTIONS: usize = 16;

/// A board's feed as the pages' thread has it.
#[derive(Debug)]
pub(super) struct Local {
    /// For all that is asked once.
    pub(super) feed: Feed,
    /// For the viewers, each of whom has one of them.
    views: Vec<watch::Receiver<Arc<ShownView>>>,
}

impl Local {
    /// Takes over a feed; `tasks` do so until they are dropped.
    pub(super) fn new(feed: Feed, tasks: &mut JoinSet<()>) -> Self {
        let status = pass_on(feed.status, 1, tasks).remove(0);
        let pgn = pass_on(feed.pgn, 1, tasks).remove(0);
        let live = pass_on(feed.live, 1, tasks).remove(0);
        let book = pass_on(feed.book, 1, tasks).remove(0);
        let past = pass_on(feed.past, 1, tasks).remove(0);
        let views = pass_on(feed.view, PORTIONS, tasks);
        let view = views[0].clone();
        Self { feed: Feed { status, pgn, book, past, live, view, ..feed }, views }
    }

    /// The feed for one more viewer.
    pub(super) fn for_viewer(&self, number: usize) -> Feed {
        Feed { view: self.views[number % self.views.len()].clone(), ..self.feed.clone() }
    }
}

/// Passes all that comes out of `from` on to so many receivers.
fn pass_on<T: Clone + Send + Sync + 'static>(
    mut from: watch::Receiver<T>,
    n: usize,
    tasks: &mut JoinSet<()>,
) -> Vec<watch::Receiver<T>> {
    let first = from.borrow_and_update().clone();
    let (to, receivers): (Vec<_>, Vec<_>) = (0..n).map(|_| watch::channel(first.clone())).unzip();
    tasks.spawn(async move {
        while from.changed().await.is_ok() {
            let newest = from.borrow_and_update().clone();
            for to in &to {
                to.send_replace(newest.clone());
                yield_now().await;
            }
        }
    });
    receivers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn no_reader_on_the_pages_thread_holds_a_lock_of_a_board() {
        let made = tokio::time::Instant::now();
        let shown = ShownView { text: "1".to_owned(), made, is_behind: false };
        let (view, views) = watch::channel(Arc::new(shown));
        let (pgn, pgns) = watch::channel(Arc::from("1"));
        let (book, books) = watch::channel(Arc::default());
        let (past, pasts) = watch::channel(Arc::default());
        let (status, statuses) = watch::channel(super::super::Status::default());
        let feed = Feed {
            name: "table-1".to_owned(),
            view: views.clone(),
            pgn: pgns.clone(),
            parts: watch::channel(Arc::default()).1,
            book: books.clone(),
            past: pasts.clone(),
            live: watch::channel(Arc::default()).1,
            awaited: watch::channel(Arc::from("")).1,
            is_ready: watch::channel(true).1,
            status: statuses.clone(),
            delays: Arc::default(),
            counts: Arc::default(),
        };
        let mut tasks = JoinSet::new();
        let local = Local::new(feed, &mut tasks);
        for reader in [local.feed.clone(), local.for_viewer(0), local.for_viewer(17)] {
            assert!(!reader.view.same_channel(&views));
            assert!(!reader.pgn.same_channel(&pgns));
            assert!(!reader.book.same_channel(&books));
            assert!(!reader.past.same_channel(&pasts));
            assert!(!reader.status.same_channel(&statuses));
        }
        // And yet they hear all of it.
        pgn.send_replace(Arc::from("2"));
        let mut reader = local.feed.pgn.clone();
        reader.wait_for(|pgn| &**pgn == "2").await.expect("it is passed on");
        drop((view, status, book, past));
    }
}
