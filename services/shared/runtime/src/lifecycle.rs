//! Start and stop: supervised tasks, a soft stop that finishes work in progress, and a hard stop that aborts it.

use std::{
    convert::Infallible,
    fmt::Display,
    future::Future,
    io,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    signal::unix::{SignalKind, signal},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{error, info, warn};

/// Time for tasks to end after the hard stop. The process then exits with unfinished tasks.
const HARD_STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// The lifecycle of the process, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    soft: CancellationToken,
    hard: CancellationToken,
    tasks: TaskTracker,
    crashed: Arc<AtomicBool>,
}

impl Lifecycle {
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancelled when the process must accept no new work and finish its current work.
    pub fn soft_stop(&self) -> CancellationToken {
        self.soft.clone()
    }

    /// Cancelled when the grace period is over.
    pub fn hard_stop(&self) -> CancellationToken {
        self.hard.clone()
    }

    /// Starts the soft stop, like SIGTERM.
    pub fn stop(&self) {
        self.soft.cancel();
    }

    /// Spawns a task. If the task fails or panics, the process stops with exit status 1.
    pub fn spawn<E: Display + Send + 'static>(
        &self,
        name: &'static str,
        task: impl Future<Output = Result<(), E>> + Send + 'static,
    ) {
        #[expect(clippy::disallowed_methods, reason = "watched by the task below")]
        let handle = tokio::spawn(task);
        let this = self.clone();
        self.tasks.spawn(async move {
            match handle.await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error!(task = name, %error, "task failed, stopping the process"),
                Err(_) => error!(task = name, "task panicked, stopping the process"),
            }
            this.crashed.store(true, Ordering::Relaxed);
            this.soft.cancel();
        });
    }

    /// Spawns a task that is dropped when `stop` is cancelled.
    pub fn spawn_until(
        &self,
        name: &'static str,
        stop: CancellationToken,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        self.spawn(name, async move {
            stop.run_until_cancelled(task).await;
            Ok::<_, Infallible>(())
        });
    }

    /// Waits for SIGTERM, SIGINT or a crashed task, then for all tasks: at most `grace`, or until a second signal. Returns
    /// the exit status, which is 0 unless a task crashed or did not finish.
    ///
    /// # Errors
    /// When signal handlers cannot be installed.
    pub async fn run(&self, grace: Duration) -> io::Result<ExitCode> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::select! {
            _ = terminate.recv() => info!("SIGTERM received, finishing work in progress"),
            _ = interrupt.recv() => info!("SIGINT received, finishing work in progress"),
            () = self.soft.cancelled() => {}
        }
        self.soft.cancel();
        self.tasks.close();

        tokio::select! {
            () = self.tasks.wait() => {}
            () = sleep(grace) => warn!(?grace, "grace period over, aborting unfinished tasks"),
            _ = terminate.recv() => warn!("second SIGTERM received, aborting unfinished tasks"),
            _ = interrupt.recv() => warn!("second SIGINT received, aborting unfinished tasks"),
        }
        self.hard.cancel();
        let finished = timeout(HARD_STOP_TIMEOUT, self.tasks.wait()).await.is_ok();
        if !finished {
            warn!("exiting with unfinished tasks");
        }
        let ok = finished && !self.crashed.load(Ordering::Relaxed);
        info!(ok, "stopped");
        Ok(if ok {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn soft_stop_lets_tasks_finish() {
        let lifecycle = Lifecycle::new();
        let (soft, done) = (lifecycle.soft_stop(), CancellationToken::new());
        let finished = done.clone();
        lifecycle.spawn("worker", async move {
            soft.cancelled().await;
            finished.cancel();
            Ok::<_, Infallible>(())
        });
        lifecycle.stop();
        assert_eq!(lifecycle.run(GRACE).await.unwrap(), ExitCode::SUCCESS);
        assert!(done.is_cancelled());
    }

    #[tokio::test]
    async fn stop_ends_a_task() {
        let lifecycle = Lifecycle::new();
        lifecycle.spawn_until("job", lifecycle.soft_stop(), std::future::pending());
        lifecycle.stop();
        assert_eq!(lifecycle.run(GRACE).await.unwrap(), ExitCode::SUCCESS);
    }

    #[tokio::test]
    async fn failed_task_stops_the_process() {
        let lifecycle = Lifecycle::new();
        let soft = lifecycle.soft_stop();
        lifecycle.spawn("bystander", async move {
            soft.cancelled().await;
            Ok::<_, Infallible>(())
        });
        lifecycle.spawn("culprit", async { Err("out of luck") });
        assert_eq!(lifecycle.run(GRACE).await.unwrap(), ExitCode::FAILURE);
    }

    #[tokio::test]
    async fn panicking_task_stops_the_process() {
        let lifecycle = Lifecycle::new();
        lifecycle.spawn("culprit", async {
            if true {
                panic!("on purpose")
            } else {
                Ok::<_, Infallible>(())
            }
        });
        assert_eq!(lifecycle.run(GRACE).await.unwrap(), ExitCode::FAILURE);
    }

    #[tokio::test]
    async fn hard_stop_ends_remaining_tasks() {
        let lifecycle = Lifecycle::new();
        let hard = lifecycle.hard_stop();
        lifecycle.spawn("stubborn", async move {
            hard.cancelled().await;
            Ok::<_, Infallible>(())
        });
        lifecycle.stop();
        assert_eq!(
            lifecycle.run(Duration::ZERO).await.unwrap(),
            ExitCode::SUCCESS
        );
    }
}
