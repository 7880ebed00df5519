//! Sends email over a pool of SMTP connections.
//!
//! The connections are lettre's, the pool is not: lettre's own pool takes back a connection whose send was cancelled,
//! so a late reply is read as the answer to the next email. It also does not report which command was refused, and a
//! refused recipient must be distinguished from a refused login.

mod error;
mod session;
mod settings;

use std::time::Duration;

use lettre::{
    Address,
    transport::smtp::{client::TlsParameters, extension::ClientId},
};
use parking_lot::Mutex;
use runtime::trace::TARGET;
use tokio::time::{Instant, timeout};
use tracing::{Instrument, field::Empty, info_span};

use self::{error::Step, session::Session};
pub use self::{
    error::{ReplyClass, SendError, TlsSetupError},
    settings::{Settings, TlsMode},
};
use crate::mail::Mail;

/// Connections kept open between emails.
pub(crate) const MOST_IDLE: usize = 8;

/// Idle connections older than this are not reused, as mail servers close them after minutes.
const MAX_IDLE: Duration = Duration::from_secs(30);

/// Time limit for the first reply on an idle connection.
const IDLE_REPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// Sends emails and keeps connections open between them.
pub struct Mailer {
    settings: Settings,
    sender: Address,
    hello: ClientId,
    /// `None` without encryption.
    tls: Option<TlsParameters>,
    idle: Mutex<Vec<(Session, Instant)>>,
}

impl Mailer {
    /// The first email opens the first connection.
    ///
    /// # Errors
    /// [`TlsSetupError`] when TLS cannot be set up.
    pub fn new(settings: Settings, sender: Address) -> Result<Self, TlsSetupError> {
        let encrypts = settings.smtp_tls != TlsMode::None;
        let tls = encrypts.then(|| TlsParameters::new(settings.smtp_host.clone()));
        let tls = tls.transpose().map_err(TlsSetupError)?;
        let hello = settings.smtp_hello.clone().unwrap_or_else(|| sender.domain().to_owned());
        Ok(Self { settings, sender, hello: ClientId::Domain(hello), tls, idle: Mutex::default() })
    }

    /// Sends an email and returns once the server has accepted responsibility for it, with its reply, e.g.
    /// `250 2.0.0 Ok: queued as 4XyZ`, which may contain addresses.
    ///
    /// # Errors
    /// [`SendError`]. The server may still have accepted the email, unless it is [`ReplyClass::Rejected`].
    pub async fn send(&self, mail: &Mail) -> Result<String, SendError> {
        let span = info_span!(
            target: TARGET,
            "send",
            otel.name = "send mail",
            otel.kind = "client",
            otel.status_code = Empty,
            network.protocol.name = "smtp",
            server.address = self.settings.smtp_host,
            server.port = self.settings.port(),
        );
        // After any error the connection is dropped: a late reply would be read as the answer to the next email.
        let sending = within(self.settings.timeout, Step::Send, self.try_send(mail));
        let result = sending.instrument(span.clone()).await;
        if result.is_err() {
            // The reply is not recorded, as it may contain addresses.
            span.record("otel.status_code", "ERROR");
        }
        result
    }

    async fn try_send(&self, mail: &Mail) -> Result<String, SendError> {
        let mut session = self.begin(&mail.sender).await?;
        let reply = session.finish(mail).await?;
        let mut idle = self.idle.lock();
        idle.retain(|(_, since)| since.elapsed() < MAX_IDLE);
        if idle.len() < MOST_IDLE {
            idle.push((session, Instant::now()));
        }
        Ok(reply)
    }

    /// Checks whether the server would accept an email of our sender: opens a connection, logs in and sends MAIL.
    ///
    /// # Errors
    /// [`SendError`] names the step.
    pub async fn probe(&self) -> Result<(), SendError> {
        let mut session = self.connect().await?;
        let probing = async {
            session.begin(&self.sender).await?;
            session.cancel().await
        };
        within(self.settings.timeout, Step::Mail, probing).await
    }

    async fn connect(&self) -> Result<Session, SendError> {
        let opening = Session::open(&self.settings, self.tls.clone(), &self.hello);
        within(self.settings.connect_timeout(), Step::Connect, opening).await
    }

    /// A connection on which the server has accepted MAIL.
    async fn begin(&self, sender: &Address) -> Result<Session, SendError> {
        let idle = self.idle.lock().pop().filter(|(_, since)| since.elapsed() < MAX_IDLE);
        if let Some((mut session, _)) = idle {
            if within(IDLE_REPLY_TIMEOUT, Step::Mail, session.begin(sender)).await.is_ok() {
                return Ok(session);
            }
            // The email begins again on a new connection. What ended this one has probably ended the others.
            self.idle.lock().clear();
        }
        let mut session = self.connect().await?;
        session.begin(sender).await?;
        Ok(session)
    }
}

async fn within<T>(
    limit: Duration,
    step: Step,
    work: impl Future<Output = Result<T, SendError>>,
) -> Result<T, SendError> {
    timeout(limit, work).await.unwrap_or_else(|_| Err(SendError::unanswered(step, "timed out")))
}
