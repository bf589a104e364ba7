//! Brings the boards' news over to the pages' thread, so that a board wakes one task there and not
//! each of its viewers.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::{JoinSet, yield_now};

use super::{Feed, Shown};

/// A view that has changed is passed on in so many portions. Between two of them others have their
/// turn: five thousand viewers at once would keep everybody waiting for a tenth of a second.
const PORTIONS: usize = 16;

/// A board's feed as the pages' thread has it.
#[derive(Debug)]
pub(super) struct Local {
    /// For all that is asked once.
    pub(super) feed: Feed,
    /// For the viewers, each of whom has one of them.
    views: Vec<watch::Receiver<Arc<Shown>>>,
}

impl Local {
    /// Takes over a feed; `tasks` do so until they are dropped.
    pub(super) fn new(feed: Feed, tasks: &mut JoinSet<()>) -> Self {
        let status = pass_on(feed.status.clone(), 1, tasks).remove(0);
        let views = pass_on(feed.view.clone(), PORTIONS, tasks);
        Self { feed: Feed { status, ..feed }, views }
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
