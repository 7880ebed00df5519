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
use secrecy::ExposeSecret;
use tokio::{net::TcpStream, time::timeout};

use super::{
    error::{ReplyClass, SendError, TlsSetupError},
    settings::{Settings, TlsMode},
};
use crate::mail::Mail;

const CONNECTING: &str = "connecting to the mail server";

/// Opens sessions.
pub(super) struct Connector {
    pub(super) settings: Settings,
    /// `None` without encryption.
    tls: Option<TlsParameters>,
}

/// A connection that is encrypted and logged in as configured.
pub(super) struct Session(AsyncSmtpConnection);

impl Connector {
    pub(super) fn new(settings: Settings) -> Result<Self, TlsSetupError> {
        let tls = match settings.tls {
            TlsMode::None => None,
            TlsMode::Starttls | TlsMode::Implicit => {
                Some(TlsParameters::new(settings.host.clone()).map_err(TlsSetupError)?)
            }
        };
        Ok(Self { settings, tls })
    }

    pub(super) async fn connect(&self) -> Result<Session, SendError> {
        let timed_out = |_| SendError::timed_out(ReplyClass::ServerDown, CONNECTING);
        timeout(self.settings.connect_timeout(), self.open_session()).await.map_err(timed_out)?
    }

    async fn open_session(&self) -> Result<Session, SendError> {
        let Settings { host, port, hello, login, .. } = &self.settings;
        let (server, hello) = ((host.as_str(), *port), &ClientId::Domain(hello.clone()));
        let is_implicit = self.settings.tls == TlsMode::Implicit;
        let mut connection = if is_implicit {
            // lettre gives no access to this socket.
            AsyncSmtpConnection::connect_tokio1(server, None, hello, self.tls.clone(), None).await
        } else {
            let stream = TcpStream::connect(server).await.map_err(SendError::unreachable)?;
            // A mail and its final dot are two writes: with Nagle's algorithm the second would wait for the server's
            // delayed acknowledgement of the first.
            stream.set_nodelay(true).map_err(SendError::unreachable)?;
            AsyncSmtpConnection::connect_with_transport(Box::new(stream), hello).await
        }
        .map_err(SendError::server_down(CONNECTING))?;
        if let Some(tls) = self.tls.clone().filter(|_| !is_implicit) {
            let failed = SendError::server_down("encrypting the connection to the mail server");
            connection.starttls(tls, hello).await.map_err(failed)?;
        }
        if let Some(login) = login {
            let password = login.password.expose_secret().to_owned();
            let credentials = Credentials::new(login.username.clone(), password);
            let failed = SendError::server_down("logging in at the mail server");
            connection.auth(DEFAULT_MECHANISMS, &credentials).await.map_err(failed)?;
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
        connection
            .command(MailFrom::new(Some(sender.clone()), Vec::new()))
            .await
            .map_err(SendError::sender)?;
        connection.command(Rset).await.map_err(SendError::sender)?;
        // The probe has succeeded, so an error of QUIT does not matter.
        let _ = connection.quit().await;
        Ok(())
    }

    /// Sends a mail and returns the server's final reply.
    pub(super) async fn send(&mut self, mail: &Mail) -> Result<String, SendError> {
        let Self(connection) = self;
        let sender = MailFrom::new(Some(mail.sender.clone()), Vec::new());
        connection.command(sender).await.map_err(SendError::sender)?;
        let recipient = Rcpt::new(mail.recipient.clone(), Vec::new());
        connection.command(recipient).await.map_err(SendError::recipient)?;
        connection.command(Data).await.map_err(SendError::content)?;
        let reply = connection.message(&mail.bytes).await.map_err(SendError::content)?;
        if reply.code().severity == Severity::PositiveCompletion {
            return Ok(one_line(&reply));
        }
        // The server expects more: it has not accepted responsibility.
        Err(SendError::new(ReplyClass::TryLater, "DATA", format!("server replied {}", reply.code())))
    }
}

fn one_line(reply: &Response) -> String {
    let lines: Vec<_> = reply.message().collect();
    format!("{} {}", reply.code(), lines.join(" ")).trim_end().to_owned()
}
