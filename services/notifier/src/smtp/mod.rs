//! Sending mail.
//!
//! Connections are lettre's, the pool is ours: lettre's own takes back a connection whose sending was given up, and
//! the reply that comes late is then read as the answer to the next mail; nor does it say which command was
//! refused, and a refused recipient must be told from a refused login.

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
    settings::{Login, Settings, TlsMode, is_loopback},
};
use crate::mail::Mail;

/// Mail servers hang up after minutes; a connection that has rested for longer than this is not used again.
const LONGEST_REST: Duration = Duration::from_secs(30);

/// How long a connection that has rested may take to say that it is alive. All of them together must leave enough of
/// the time that a mail may take.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// The mail server took responsibility for a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// What it said, e.g. `250 2.0.0 Ok: queued as 4XyZ`. May quote addresses.
    pub reply: String,
}

/// Sends mail, over connections that are kept for the next.
pub struct Mailer {
    connector: session::Connector,
    timeout: Duration,
    resting: Mutex<Vec<(Session, Instant)>>,
    most_resting: usize,
}

impl Mailer {
    /// Sends through this server and keeps at most `most_resting` connections open between mails. Connects when
    /// there is a mail.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn new(settings: Settings, most_resting: usize) -> Result<Self, TlsSetupError> {
        Ok(Self {
            timeout: settings.timeout,
            connector: session::Connector::new(settings)?,
            resting: Mutex::default(),
            most_resting,
        })
    }

    /// Sends a mail and answers once the server has taken responsibility for it.
    ///
    /// # Errors
    /// [`SendError`]. After [`SendError::Failed`] the server may have the mail all the same.
    pub async fn send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let span = self.connector.span();
        let result = self.try_send(mail).instrument(span.clone()).await;
        if result.is_err() {
            // What the server said may quote addresses.
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
        // Whatever goes wrong, the connection is not used again: a late reply would be taken for the next one's.
        timeout(self.timeout, sending)
            .await
            .map_err(|_| SendError::Failed { step: Step::Mail, cause: Cause::TimedOut })?
    }

    /// Whether the server would take a mail of this sender: connects anew, logs in and goes as far as naming the
    /// sender.
    ///
    /// # Errors
    /// [`SendError::Failed`]
    pub async fn probe(&self, sender: &Address) -> Result<(), SendError> {
        let mut session = self.connector.connect().await?;
        timeout(self.timeout, session.probe(sender))
            .await
            .map_err(|_| SendError::Failed { step: Step::Sender, cause: Cause::TimedOut })?
    }

    /// A connection that has rested and still answers.
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
