//! Sends email over a pool of SMTP connections.
//!
//! The connections are from lettre, the pool is not: lettre's pool reuses a connection whose send was cancelled, and reads
//! a late reply as the reply to the next email. It also does not report the rejected command, but a rejected recipient must
//! be distinguished from a rejected login.

mod error;
mod reply;

use std::{io, time::Duration};

use clap::{ValueEnum, builder::TypedValueParser, value_parser};
use lettre::{
    Address,
    transport::smtp::{
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, TlsParameters},
        commands::{Data, Mail as MailFrom, Rcpt},
        extension::ClientId,
        response::Severity,
    },
};
use parking_lot::Mutex;
use runtime::{
    config::SECRETS,
    trace::{TARGET, traced},
};
use secrecy::{ExposeSecret, SecretString};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};
use tracing::{field::Empty, info_span};

use self::reply::Step;
pub use self::{error::SendError, reply::ReplyClass};
use crate::mail::Mail;

pub(crate) const MAX_IDLE_CONNECTIONS: usize = 8;

/// Connections that were idle for longer are not reused, because mail servers close them after minutes.
const MAX_IDLE_TIME: Duration = Duration::from_secs(30);

/// Time limit for the first reply on an idle connection.
const IDLE_REPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// Time limit for connecting, including encryption and login.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Clone, clap::Args)]
#[group(skip)]
pub struct Settings {
    /// Host name of the mail server
    #[arg(long, env)]
    pub smtp_host: String,
    /// Port of the mail server; unset: 587 with starttls, 465 with implicit, 25 with none
    #[arg(long, env)]
    pub smtp_port: Option<u16>,
    /// Our name in EHLO; unset: the domain of MAIL_FROM
    // Receiving servers compare this name with the sender's address and the reverse DNS.
    #[arg(long, env)]
    pub smtp_hello: Option<String>,
    /// Encryption of the connection, without fallback to another mode; none only for localhost
    #[arg(long, env, value_enum, default_value = "starttls")]
    pub smtp_tls: TlsMode,
    /// User name for the mail server; unset: no login
    #[arg(long, env, requires = "smtp_password")]
    pub smtp_username: Option<String>,
    /// Host name of the mail catcher, which shows emails without delivering them; the log and /readyz warn if it equals
    /// SMTP_HOST
    #[arg(long, env)]
    pub mail_catcher_host: Option<String>,
    /// Time limit in seconds for sending one email, until the server's last reply; a claim lasts a quarter longer
    // Servers that scan email are slow to reply.
    #[arg(long, env, default_value = "120", value_parser = value_parser!(u64).range(1..).map(Duration::from_secs))]
    pub smtp_timeout_seconds: Duration,
    /// Password for SMTP_USERNAME
    #[arg(long, env, help_heading = SECRETS, requires = "smtp_username")]
    pub smtp_password: Option<SecretString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TlsMode {
    None,
    /// STARTTLS, before any other command
    Starttls,
    /// From the first byte
    Implicit,
}

impl Settings {
    /// Longer than the longest email, so no other notifier sends the same email meanwhile.
    #[must_use]
    pub fn claim_lifetime(&self) -> Duration {
        self.smtp_timeout_seconds * 5 / 4
    }

    #[must_use]
    pub fn is_mail_catcher(&self) -> bool {
        self.mail_catcher_host.as_ref() == Some(&self.smtp_host)
    }

    fn port(&self) -> u16 {
        self.smtp_port.unwrap_or(match self.smtp_tls {
            TlsMode::None => 25,
            TlsMode::Starttls => 587,
            TlsMode::Implicit => 465,
        })
    }
}

pub struct Mailer {
    settings: Settings,
    sender: Address,
    hello: ClientId,
    /// `None` without encryption.
    tls: Option<TlsParameters>,
    idle: Mutex<Vec<(Session, Instant)>>,
}

impl Mailer {
    /// Opens no connection before the first email.
    pub fn new(
        settings: Settings,
        sender: Address,
    ) -> Result<Self, lettre::transport::smtp::Error> {
        let encrypts = settings.smtp_tls != TlsMode::None;
        let tls = encrypts
            .then(|| TlsParameters::new(settings.smtp_host.clone()))
            .transpose()?;
        let hello = settings
            .smtp_hello
            .clone()
            .unwrap_or_else(|| sender.domain().to_owned());
        Ok(Self {
            settings,
            sender,
            hello: ClientId::Domain(hello),
            tls,
            idle: Mutex::default(),
        })
    }

    /// Sends an email. Returns the reply with which the server accepts responsibility, e.g. `250 2.0.0 Ok: queued as 4XyZ`,
    /// which may contain addresses. After an error other than [`ReplyClass::BadAddress`], the server may have accepted the
    /// email.
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
        // An error drops the connection, because a late reply would be read as the reply to the next email.
        let sending = within(
            self.settings.smtp_timeout_seconds,
            Step::Send,
            self.try_send(mail),
        );
        // The span does not record the reply, which may contain addresses.
        traced(span, sending).await
    }

    async fn try_send(&self, mail: &Mail) -> Result<String, SendError> {
        let mut session = self.start_transaction(&mail.sender).await?;
        let reply = session.finish_transaction(mail).await?;
        let mut idle = self.idle.lock();
        idle.retain(|(_, since)| since.elapsed() < MAX_IDLE_TIME);
        if idle.len() < MAX_IDLE_CONNECTIONS {
            idle.push((session, Instant::now()));
        }
        Ok(reply)
    }

    /// Checks whether the server accepts our sender: opens a connection, logs in and sends MAIL.
    pub async fn probe(&self) -> Result<(), SendError> {
        let mut session = self.connect().await?;
        let probing = async {
            session.start_transaction(&self.sender).await?;
            session.quit().await;
            Ok(())
        };
        within(self.settings.smtp_timeout_seconds, Step::Mail, probing).await
    }

    async fn connect(&self) -> Result<Session, SendError> {
        let connecting = Session::connect(&self.settings, self.tls.clone(), &self.hello);
        let limit = CONNECT_TIMEOUT.min(self.settings.smtp_timeout_seconds / 2);
        within(limit, Step::Connect, connecting).await
    }

    /// Returns an idle or new connection on which the server has accepted MAIL.
    async fn start_transaction(&self, sender: &Address) -> Result<Session, SendError> {
        let idle = self
            .idle
            .lock()
            .pop()
            .filter(|(_, since)| since.elapsed() < MAX_IDLE_TIME);
        if let Some((mut session, _)) = idle {
            if within(
                IDLE_REPLY_TIMEOUT,
                Step::Mail,
                session.start_transaction(sender),
            )
            .await
            .is_ok()
            {
                return Ok(session);
            }
            // The other idle connections have probably ended too.
            self.idle.lock().clear();
        }
        let mut session = self.connect().await?;
        session.start_transaction(sender).await?;
        Ok(session)
    }
}

/// A connection, with encryption and login as configured.
struct Session(AsyncSmtpConnection);

impl Session {
    /// `tls` is `None` without encryption.
    async fn connect(
        settings: &Settings,
        tls: Option<TlsParameters>,
        hello: &ClientId,
    ) -> Result<Self, SendError> {
        let server = (settings.smtp_host.as_str(), settings.port());
        let is_implicit = settings.smtp_tls == TlsMode::Implicit;
        let connecting = if is_implicit {
            // lettre does not expose this socket.
            AsyncSmtpConnection::connect_tokio1(server, None, hello, tls.clone(), None).await
        } else {
            let stream = TcpStream::connect(server).await.and_then(|stream| {
                // An email and its final dot are two writes. With Nagle's algorithm, the second would wait for the server's
                // delayed TCP acknowledgement of the first.
                stream.set_nodelay(true)?;
                Ok(stream)
            });
            let failed = |error: io::Error| {
                SendError::without_reply(Step::Connect, error.kind().to_string())
            };
            AsyncSmtpConnection::connect_with_transport(Box::new(stream.map_err(failed)?), hello)
                .await
        };
        let mut connection = connecting.map_err(SendError::from_smtp(Step::Connect))?;
        if let Some(tls) = tls.filter(|_| !is_implicit) {
            connection
                .starttls(tls, hello)
                .await
                .map_err(SendError::from_smtp(Step::Encrypt))?;
        }
        if let (Some(username), Some(password)) = (&settings.smtp_username, &settings.smtp_password)
        {
            let credentials =
                Credentials::new(username.clone(), password.expose_secret().to_owned());
            let logging_in = connection.auth(DEFAULT_MECHANISMS, &credentials);
            logging_in
                .await
                .map_err(SendError::from_smtp(Step::LogIn))?;
        }
        Ok(Self(connection))
    }

    /// Sends MAIL.
    async fn start_transaction(&mut self, sender: &Address) -> Result<(), SendError> {
        let from = MailFrom::new(Some(sender.clone()), Vec::new());
        self.0
            .command(from)
            .await
            .map(drop)
            .map_err(SendError::from_smtp(Step::Mail))
    }

    /// Ends the session, also after MAIL. Ignores errors.
    async fn quit(mut self) {
        let _ = self.0.quit().await;
    }

    /// Sends the rest of an email after MAIL, and returns the server's final reply.
    async fn finish_transaction(&mut self, mail: &Mail) -> Result<String, SendError> {
        let Self(connection) = self;
        let to = Rcpt::new(mail.recipient.clone(), Vec::new());
        connection
            .command(to)
            .await
            .map_err(SendError::from_smtp(Step::Rcpt))?;
        connection
            .command(Data)
            .await
            .map_err(SendError::from_smtp(Step::Data))?;
        let reply = connection
            .message(&mail.bytes)
            .await
            .map_err(SendError::from_smtp(Step::Data))?;
        let code = reply.code();
        if code.severity == Severity::PositiveCompletion {
            let text = reply.message().collect::<Vec<_>>().join(" ");
            return Ok(format!("{code} {text}").trim_end().to_owned());
        }
        // The server expects more input, so it has not accepted responsibility.
        Err(SendError::from_reply(Step::Data, code.into(), ""))
    }
}

async fn within<T>(
    limit: Duration,
    step: Step,
    work: impl Future<Output = Result<T, SendError>>,
) -> Result<T, SendError> {
    timeout(limit, work)
        .await
        .unwrap_or_else(|_| Err(SendError::without_reply(step, "timed out")))
}
