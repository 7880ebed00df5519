//! Sends mail over a pool of SMTP connections.
//!
//! The connections are lettre's, the pool is not: lettre's own pool takes back a connection whose send was cancelled,
//! so a late reply is read as the answer to the next mail. It also does not report which command was refused, and a
//! refused recipient must be distinguished from a refused login.

mod error;
mod session;
mod settings;

use parking_lot::Mutex;
use std::time::Duration;

use lettre::Address;
use tokio::time::{Instant, timeout};
use tracing::Instrument;

use self::{error::Cause, session::Session};
pub use self::{
    error::{Scope, SendError, Step, TlsSetupError},
    settings::{Login, Settings, TlsMode},
};
use crate::mail::Mail;

/// Idle connections older than this are not reused, as mail servers close them after minutes.
const LONGEST_REST: Duration = Duration::from_secs(30);

/// Time limit for checking an idle connection. The checks of all of them must leave enough of a mail's timeout.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// The mail server accepted responsibility for a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// E.g. `250 2.0.0 Ok: queued as 4XyZ`. May contain addresses.
    pub reply: String,
}

/// Sends mails and reuses connections.
pub struct Mailer {
    connector: session::Connector,
    timeout: Duration,
    resting: Mutex<Vec<(Session, Instant)>>,
    most_resting: usize,
}

impl Mailer {
    /// Keeps at most `most_resting` idle connections. The first mail opens the first connection.
    ///
    /// # Errors
    /// [`TlsSetupError`] when TLS cannot be set up.
    pub fn new(settings: Settings, most_resting: usize) -> Result<Self, TlsSetupError> {
        Ok(Self {
            timeout: settings.timeout,
            connector: session::Connector::new(settings)?,
            resting: Mutex::default(),
            most_resting,
        })
    }

    /// Sends a mail and returns once the server has accepted responsibility for it.
    ///
    /// # Errors
    /// [`SendError`]. After [`SendError::Failed`] the server may still have accepted the mail.
    pub async fn send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let span = self.connector.span();
        let result = self.try_send(mail).instrument(span.clone()).await;
        if result.is_err() {
            // The reply is not recorded, as it may contain addresses.
            span.record("otel.status_code", "ERROR");
        }
        result
    }

    async fn try_send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let sending = async {
            let mut session = match self.rested().await {
                Some(session) => session,
                None => self.connector.connect().await?,
            };
            let reply = session.send(mail).await?;
            self.rest(session);
            Ok(Accepted { reply })
        };
        // After any error the connection is dropped: a late reply would be read as the answer to the next mail.
        timeout(self.timeout, sending)
            .await
            .map_err(|_| SendError::Failed { step: Step::Mail, cause: Cause::TimedOut })?
    }

    /// Checks whether the server would accept a mail of this sender: opens a connection, logs in and sends MAIL.
    ///
    /// # Errors
    /// [`SendError::Failed`] names the step.
    pub async fn probe(&self, sender: &Address) -> Result<(), SendError> {
        let mut session = self.connector.connect().await?;
        timeout(self.timeout, session.probe(sender))
            .await
            .map_err(|_| SendError::Failed { step: Step::Sender, cause: Cause::TimedOut })?
    }

    /// An idle connection that still answers.
    async fn rested(&self) -> Option<Session> {
        loop {
            let (mut session, since) = self.resting.lock().pop()?;
            if since.elapsed() < LONGEST_REST && timeout(SIGN_OF_LIFE, session.is_alive()).await == Ok(true) {
                return Some(session);
            }
        }
    }

    fn rest(&self, session: Session) {
        let mut resting = self.resting.lock();
        resting.retain(|(_, since)| since.elapsed() < LONGEST_REST);
        if resting.len() < self.most_resting {
            resting.push((session, Instant::now()));
        }
    }
}
