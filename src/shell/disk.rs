//! The few threads that wait for the disk, for all boards together.
//!
//! A thread for each board would be the simplest, but a hall has two hundred of them, and a service
//! has a limit. Whoever waits here keeps a thread busy meanwhile; others go on with the next one.

use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// So many writes are under way at once. A card brings them all to its flash with one flush, so
/// several that wait together wait hardly longer than one.
pub const THREADS: usize = 4;

/// The threads that wait for the disk. What runs on them ends with this.
#[derive(Debug)]
pub struct Disk {
    /// Taken when it ends.
    runtime: Option<Runtime>,
    /// Counts what the disk gives.
    progress: AtomicU64,
}

impl Disk {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system gives none.
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(1)
            .thread_name("disk")
            .enable_time()
            .build()?;
        Ok(Self { runtime: Some(runtime), progress: AtomicU64::new(0) })
    }

    /// Runs something that may block while it writes.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.as_ref().expect("threads until the end").spawn(work);
    }

    /// Does something that may wait for the disk. `None` if it panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, waited) = oneshot::channel();
        self.spawn(async move {
            // Whoever waited may have been told to stop.
            done.send(work()).ok();
        });
        waited.await.ok()
    }

    /// The disk has given something to somebody who waits for more.
    pub fn has_given(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until the disk has given nothing to anybody for so long.
    pub async fn stalled(&self, limit: Duration) {
        loop {
            let before = self.progress.load(Ordering::Relaxed);
            sleep(limit).await;
            if self.progress.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A card that does not answer must not hold up the end.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
