//! Sends mail over a pool of SMTP connections.
//!
//! The connections are lettre's, the pool is not: lettre's own pool takes back a connection whose send was cancelled,
//! so a late reply is read as the answer to the next mail. It also does not report which command was refused, and a
//! refused recipient must be distinguished from a refused login.

mod error;
mod session;
mod settings;

use std::time::Duration;

use lettre::Address;
use parking_lot::Mutex;
use runtime::trace::TARGET;
use tokio::time::{Instant, timeout};
use tracing::{Instrument, field::Empty, info_span};

use self::session::{Connector, Session};
pub use self::{
    error::{ReplyClass, SendError, TlsSetupError},
    settings::{Login, Settings, TlsMode},
};
use crate::mail::Mail;

/// Idle connections older than this are not reused, as mail servers close them after minutes.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// Time limit for checking an idle connection. The checks of all of them must leave enough of a mail's timeout.
const NOOP_TIMEOUT: Duration = Duration::from_secs(2);

/// The mail server accepted responsibility for a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// E.g. `250 2.0.0 Ok: queued as 4XyZ`. May contain addresses.
    pub reply: String,
}

/// Sends mails and keeps connections open between them.
pub struct Mailer {
    connector: Connector,
    idle: Mutex<Vec<(Session, Instant)>>,
    most_idle: usize,
}

impl Mailer {
    /// Keeps at most `most_idle` idle connections. The first mail opens the first connection.
    ///
    /// # Errors
    /// [`TlsSetupError`] when TLS cannot be set up.
    pub fn new(settings: Settings, most_idle: usize) -> Result<Self, TlsSetupError> {
        Ok(Self { connector: Connector::new(settings)?, idle: Mutex::default(), most_idle })
    }

    /// Sends a mail and returns once the server has accepted responsibility for it.
    ///
    /// # Errors
    /// [`SendError`]. The server may still have accepted the mail, unless it is [`ReplyClass::Rejected`].
    pub async fn send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let span = info_span!(
            target: TARGET,
            "send",
            otel.name = "send mail",
            otel.kind = "client",
            otel.status_code = Empty,
            network.protocol.name = "smtp",
            server.address = self.connector.settings.host,
            server.port = self.connector.settings.port,
        );
        // After any error the connection is dropped: a late reply would be read as the answer to the next mail.
        let sending = timeout(self.connector.settings.timeout, self.try_send(mail));
        let timed_out = |_| SendError::timed_out(ReplyClass::TryLater, "sending the email");
        let result = sending.instrument(span.clone()).await.map_err(timed_out).flatten();
        if result.is_err() {
            // The reply is not recorded, as it may contain addresses.
            span.record("otel.status_code", "ERROR");
        }
        result
    }

    async fn try_send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let mut session = match self.idle_session().await {
            Some(session) => session,
            None => self.connector.connect().await?,
        };
        let reply = session.send(mail).await?;
        let mut idle = self.idle.lock();
        idle.retain(|(_, since)| since.elapsed() < MAX_IDLE);
        if idle.len() < self.most_idle {
            idle.push((session, Instant::now()));
        }
        Ok(Accepted { reply })
    }

    /// Checks whether the server would accept a mail of this sender: opens a connection, logs in and sends MAIL.
    ///
    /// # Errors
    /// [`SendError`] names the step.
    pub async fn probe(&self, sender: &Address) -> Result<(), SendError> {
        let mut session = self.connector.connect().await?;
        let timed_out = |_| SendError::timed_out(ReplyClass::ServerDown, "MAIL");
        timeout(self.connector.settings.timeout, session.probe(sender)).await.map_err(timed_out)?
    }

    /// An idle connection that still answers.
    async fn idle_session(&self) -> Option<Session> {
        loop {
            let (mut session, since) = self.idle.lock().pop()?;
            if since.elapsed() < MAX_IDLE && timeout(NOOP_TIMEOUT, session.is_alive()).await == Ok(true) {
                return Some(session);
            }
        }
    }
}
