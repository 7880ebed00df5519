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

/// Time limit for checking an idle connection. The checks of all of them must leave enough of an email's timeout.
const NOOP_TIMEOUT: Duration = Duration::from_secs(2);

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
        let sending = timeout(self.settings.timeout, self.try_send(mail));
        let timed_out = |_| SendError::timed_out(Step::Send);
        let result = sending.instrument(span.clone()).await.map_err(timed_out).flatten();
        if result.is_err() {
            // The reply is not recorded, as it may contain addresses.
            span.record("otel.status_code", "ERROR");
        }
        result
    }

    async fn try_send(&self, mail: &Mail) -> Result<String, SendError> {
        let mut session = match self.idle_session().await {
            Some(session) => session,
            None => self.connect().await?,
        };
        let reply = session.send(mail).await?;
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
        let session = self.connect().await?;
        let timed_out = |_| SendError::timed_out(Step::Mail);
        timeout(self.settings.timeout, session.probe(&self.sender)).await.map_err(timed_out)?
    }

    async fn connect(&self) -> Result<Session, SendError> {
        let opening = Session::open(&self.settings, self.tls.clone(), &self.hello);
        let timed_out = |_| SendError::timed_out(Step::Connect);
        timeout(self.settings.connect_timeout(), opening).await.map_err(timed_out)?
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
