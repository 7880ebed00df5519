//! A mail server that accepts and counts every mail at once.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use testkit::smtp::{Inbox, Mail, SmtpServer};
use tokio::sync::Notify;
use tokio::time::timeout;
use xtask::error::{Error, Result};

/// Maximum wait for the next mail.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running mail server; stops when dropped.
pub(crate) struct Sink {
    server: SmtpServer,
    tray: Arc<Tray>,
}

#[derive(Default)]
struct Tray {
    taken: Mutex<Taken>,
    more: Notify,
}

#[derive(Clone, Default)]
pub(crate) struct Taken {
    pub(crate) count: u64,
    pub(crate) first: Option<Instant>,
    pub(crate) last: Option<Instant>,
    pub(crate) mail: Option<Mail>,
}

impl Inbox for Tray {
    fn take(&self, mail: Mail) -> std::result::Result<(), &'static str> {
        let now = Instant::now();
        let mut taken = lock(&self.taken);
        taken.count += 1;
        taken.first.get_or_insert(now);
        taken.last = Some(now);
        taken.mail = Some(mail);
        drop(taken);
        self.more.notify_waiters();
        Ok(())
    }
}

impl Sink {
    /// Listens on a free port.
    pub(crate) async fn start() -> Result<Self> {
        let tray = Arc::new(Tray::default());
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = SmtpServer::start_on(address, Arc::clone(&tray))
            .await
            .map_err(|error| Error::failed(format!("cannot start the mail server: {error}")))?;
        Ok(Self { server, tray })
    }

    /// The port on loopback.
    pub(crate) fn port(&self) -> u16 {
        self.server.address().port()
    }

    pub(crate) fn taken(&self) -> Taken {
        lock(&self.tray.taken).clone()
    }

    /// Waits until `mails` mails were taken in total; `tell` receives each count.
    pub(crate) async fn wait_for(&self, mails: u64, tell: impl Fn(u64)) -> Result<Taken> {
        loop {
            let mut more = std::pin::pin!(self.tray.more.notified());
            // Registers before the count is read, so that no mail is missed.
            more.as_mut().enable();
            let count = lock(&self.tray.taken).count;
            if count >= mails {
                return Ok(self.taken());
            }
            tell(count);
            timeout(TIMEOUT, more)
                .await
                .map_err(|_| Error::failed(format!("only {count} of {mails} emails arrived in time")))?;
        }
    }
}

impl Taken {
    /// Mails per second between the first and the last; an error for fewer than two.
    pub(crate) fn per_second(&self) -> Result<f64> {
        let span = self.first.zip(self.last).map(|(first, last)| last - first).unwrap_or_default();
        if self.count < 2 || span.is_zero() {
            return Err(Error::failed("too few emails for a rate"));
        }
        Ok((self.count - 1) as f64 / span.as_secs_f64())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
