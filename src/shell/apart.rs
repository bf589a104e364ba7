//! A thread and an event loop of their own, for what must never hold up the boards.

use std::future::Future;
use std::io;
use std::thread;
use std::time::Duration;

use thread_priority::{
    NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How much of the processor a thread claims where there is not enough of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Share {
    /// By so much less than the boards; 0 is as much.
    Nice(i32),
    /// What nobody else wants: it gives way at once, also in the middle of what it does.
    Spare,
}

impl Share {
    /// Gives this share to the calling thread alone, which has that of others where this is
    /// forbidden.
    fn take(self) {
        let nice = match self {
            Self::Nice(nice) => nice,
            Self::Spare => {
                let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
                set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle).ok();
                NICE_MAX
            }
        };
        rustix::process::setpriority_process(None, nice).ok();
    }
}

/// The least that a thread can claim.
const NICE_MAX: i32 = 19;

/// Something that runs on its own.
#[derive(Debug)]
pub struct Apart {
    ended: oneshot::Receiver<()>,
    cut: oneshot::Sender<()>,
}

impl Apart {
    /// Starts `work` on a thread of this name, with this share of the processor.
    ///
    /// # Errors
    /// The system gives no thread, or no event loop.
    pub fn start<W>(
        name: &str,
        share: Share,
        work: impl FnOnce() -> W + Send + 'static,
    ) -> io::Result<Self>
    where
        W: Future<Output = ()>,
    {
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build()?;
        let (end, ended) = oneshot::channel();
        let (cut, is_cut) = oneshot::channel();
        let run = move || {
            share.take();
            runtime.block_on(async {
                tokio::select! {
                    () = work() => {}
                    Ok(()) = is_cut => {}
                }
            });
            drop(runtime);
            // Nobody waits any more.
            end.send(()).ok();
        };
        thread::Builder::new().name(name.to_owned()).spawn(run)?;
        Ok(Self { ended, cut })
    }

    /// Waits so long for its end; then it is cut off where it waits.
    pub async fn ended(mut self, limit: Duration) {
        if timeout(limit, self.over()).await.is_err() {
            self.cut(limit).await;
        }
    }

    /// Cuts it off where it waits. What it does without waiting is given so long.
    pub async fn cut(self, limit: Duration) {
        let Self { ended, cut } = self;
        // One that is over already needs none.
        cut.send(()).ok();
        timeout(limit, ended).await.ok();
    }

    /// Waits for its end, once or more often.
    pub async fn over(&mut self) {
        if !self.ended.is_terminated() {
            // An error means that it has panicked: that is an end too.
            (&mut self.ended).await.ok();
        }
    }
}
