//! A thread and an event loop of their own, for what must never hold up the boards.

use std::future::Future;
use std::io;
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Something that runs on its own.
#[derive(Debug)]
pub struct Apart {
    ended: oneshot::Receiver<()>,
}

impl Apart {
    /// Starts `work` on a thread of this name, which is so `nice` to the others.
    ///
    /// # Errors
    /// The system gives no thread, or no event loop.
    pub fn start<W>(
        name: &str,
        nice: i32,
        work: impl FnOnce() -> W + Send + 'static,
    ) -> io::Result<Self>
    where
        W: Future<Output = ()>,
    {
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build()?;
        let (end, ended) = oneshot::channel();
        let run = move || {
            // Of the calling thread alone. Where that is forbidden it has the same share as others.
            rustix::process::setpriority_process(None, nice).ok();
            runtime.block_on(work());
            // Nobody waits any more.
            end.send(()).ok();
        };
        thread::Builder::new().name(name.to_owned()).spawn(run)?;
        Ok(Self { ended })
    }

    /// Waits so long for its end; then it is left to the end of the process.
    pub async fn ended(mut self, limit: Duration) {
        timeout(limit, self.over()).await.ok();
    }

    /// Waits for its end, once or more often.
    pub async fn over(&mut self) {
        if !self.ended.is_terminated() {
            // An error means that it has panicked: that is an end too.
            (&mut self.ended).await.ok();
        }
    }
}
