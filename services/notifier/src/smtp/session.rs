//! One connection to the mail server.

use lettre::{
    Address,
    transport::smtp::{
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, TlsParameters},
        commands::{Data, Mail as MailFrom, Rcpt, Rset},
        extension::ClientId,
        response::{Response, Severity},
    },
};
use runtime::trace::TARGET;
use secrecy::ExposeSecret;
use tokio::{net::TcpStream, time::timeout};
use tracing::{Span, field::Empty, info_span};

use super::{
    error::{Cause, SendError, Step, TlsSetupError},
    settings::{Settings, TlsMode},
};
use crate::mail::Mail;

pub(super) struct Connector {
    settings: Settings,
    hello: ClientId,
    encryption: Encryption,
}

enum Encryption {
    None,
    Starttls(TlsParameters),
    Implicit(TlsParameters),
}

/// A connection that is encrypted and logged in as configured.
pub(super) struct Session(AsyncSmtpConnection);

impl Connector {
    pub(super) fn new(settings: Settings) -> Result<Self, TlsSetupError> {
        let parameters = || TlsParameters::new(settings.host.clone()).map_err(TlsSetupError);
        let encryption = match settings.tls {
            TlsMode::None => Encryption::None,
            TlsMode::Starttls => Encryption::Starttls(parameters()?),
            TlsMode::Implicit => Encryption::Implicit(parameters()?),
        };
        let hello = ClientId::Domain(settings.hello.clone());
        Ok(Self { settings, hello, encryption })
    }

    /// The span of sending one mail.
    pub(super) fn span(&self) -> Span {
        info_span!(
            target: TARGET,
            "send",
            otel.name = "send mail",
            otel.kind = "client",
            otel.status_code = Empty,
            network.protocol.name = "smtp",
            server.address = self.settings.host,
            server.port = self.settings.port,
        )
    }

    pub(super) async fn connect(&self) -> Result<Session, SendError> {
        timeout(self.settings.connect_timeout(), self.open())
            .await
            .map_err(|_| SendError::Failed { step: Step::Connect, cause: Cause::TimedOut })?
    }

    async fn open(&self) -> Result<Session, SendError> {
        let server = (self.settings.host.as_str(), self.settings.port);
        let mut connection = match &self.encryption {
            Encryption::None | Encryption::Starttls(_) => {
                let stream = TcpStream::connect(server).await.map_err(SendError::unreachable)?;
                // A mail and its final dot are two writes: with Nagle's algorithm the second would wait for the
                // server's delayed acknowledgement of the first.
                stream.set_nodelay(true).map_err(SendError::unreachable)?;
                AsyncSmtpConnection::connect_with_transport(Box::new(stream), &self.hello).await
            }
            // lettre gives no access to this socket.
            Encryption::Implicit(parameters) => {
                let parameters = Some(parameters.clone());
                AsyncSmtpConnection::connect_tokio1(server, None, &self.hello, parameters, None).await
            }
        }
        .map_err(SendError::failed(Step::Connect))?;
        if let Encryption::Starttls(parameters) = &self.encryption {
            let parameters = parameters.clone();
            connection.starttls(parameters, &self.hello).await.map_err(SendError::failed(Step::Tls))?;
        }
        if let Some(login) = &self.settings.login {
            let password = login.password.expose_secret().to_owned();
            let credentials = Credentials::new(login.username.clone(), password);
            connection
                .auth(DEFAULT_MECHANISMS, &credentials)
                .await
                .map_err(SendError::failed(Step::Login))?;
        }
        Ok(Session(connection))
    }
}

impl Session {
    pub(super) async fn is_alive(&mut self) -> bool {
        self.0.test_connected().await
    }

    /// Sends MAIL and RSET, then quits.
    pub(super) async fn probe(&mut self, sender: &Address) -> Result<(), SendError> {
        let Self(connection) = self;
        let sender = MailFrom::new(Some(sender.clone()), Vec::new());
        connection.command(sender).await.map_err(SendError::failed(Step::Sender))?;
        connection.command(Rset).await.map_err(SendError::failed(Step::Sender))?;
        // The probe has succeeded, so an error of QUIT does not matter.
        let _ = connection.quit().await;
        Ok(())
    }

    /// Sends a mail and returns the server's final reply.
    pub(super) async fn send(&mut self, mail: &Mail) -> Result<String, SendError> {
        let Self(connection) = self;
        let sender = MailFrom::new(Some(mail.sender.clone()), Vec::new());
        connection.command(sender).await.map_err(SendError::failed(Step::Sender))?;
        let recipient = Rcpt::new(mail.recipient.clone(), Vec::new());
        connection.command(recipient).await.map_err(SendError::refusable(Step::Recipient))?;
        connection.command(Data).await.map_err(SendError::refusable(Step::Content))?;
        let reply = connection.message(&mail.bytes).await.map_err(SendError::refusable(Step::Content))?;
        match reply.code().severity {
            Severity::PositiveCompletion => Ok(one_line(&reply)),
            // The server expects more: it has not accepted responsibility.
            Severity::PositiveIntermediate
            | Severity::TransientNegativeCompletion
            | Severity::PermanentNegativeCompletion => {
                Err(SendError::Failed { step: Step::Content, cause: Cause::Answered(reply.code().into()) })
            }
        }
    }
}

fn one_line(reply: &Response) -> String {
    let lines: Vec<_> = reply.message().collect();
    format!("{} {}", reply.code(), lines.join(" ")).trim_end().to_owned()
}
