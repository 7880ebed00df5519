//! One connection to the mail server.

use lettre::{
    Address,
    transport::smtp::{
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, TlsParameters},
        commands::{Data, Mail as MailFrom, Rcpt, Rset},
        extension::ClientId,
        response::Severity,
    },
};
use secrecy::ExposeSecret;
use tokio::net::TcpStream;

use super::{
    error::{SendError, Step},
    settings::{Settings, TlsMode},
};
use crate::mail::Mail;

/// A connection that is encrypted and logged in as configured.
pub(super) struct Session(AsyncSmtpConnection);

impl Session {
    /// `tls` is `None` without encryption.
    pub(super) async fn open(
        settings: &Settings,
        tls: Option<TlsParameters>,
        hello: &ClientId,
    ) -> Result<Self, SendError> {
        let server = (settings.smtp_host.as_str(), settings.port());
        let is_implicit = settings.smtp_tls == TlsMode::Implicit;
        let connecting = if is_implicit {
            // lettre gives no access to this socket.
            AsyncSmtpConnection::connect_tokio1(server, None, hello, tls.clone(), None).await
        } else {
            let stream = TcpStream::connect(server).await.and_then(|stream| {
                // An email and its final dot are two writes: with Nagle's algorithm the second would wait for the server's
                // delayed acknowledgement of the first.
                stream.set_nodelay(true)?;
                Ok(stream)
            });
            let failed =
                |error: std::io::Error| SendError::unanswered(Step::Connect, error.kind().to_string());
            AsyncSmtpConnection::connect_with_transport(Box::new(stream.map_err(failed)?), hello).await
        };
        let mut connection = connecting.map_err(SendError::at(Step::Connect))?;
        if let Some(tls) = tls.filter(|_| !is_implicit) {
            connection.starttls(tls, hello).await.map_err(SendError::at(Step::Encrypt))?;
        }
        if let (Some(username), Some(password)) = (&settings.smtp_username, &settings.smtp_password) {
            let credentials = Credentials::new(username.clone(), password.expose_secret().to_owned());
            let logging_in = connection.auth(DEFAULT_MECHANISMS, &credentials);
            logging_in.await.map_err(SendError::at(Step::LogIn))?;
        }
        Ok(Self(connection))
    }

    /// Sends MAIL.
    pub(super) async fn begin(&mut self, sender: &Address) -> Result<(), SendError> {
        let from = MailFrom::new(Some(sender.clone()), Vec::new());
        self.0.command(from).await.map(drop).map_err(SendError::at(Step::Mail))
    }

    /// Sends RSET after MAIL, then quits.
    pub(super) async fn cancel(mut self) -> Result<(), SendError> {
        self.0.command(Rset).await.map_err(SendError::at(Step::Mail))?;
        // An error of QUIT does not matter.
        let _ = self.0.quit().await;
        Ok(())
    }

    /// Sends the rest of an email after MAIL, and returns the server's final reply.
    pub(super) async fn finish(&mut self, mail: &Mail) -> Result<String, SendError> {
        let Self(connection) = self;
        let to = Rcpt::new(mail.recipient.clone(), Vec::new());
        connection.command(to).await.map_err(SendError::at(Step::Rcpt))?;
        connection.command(Data).await.map_err(SendError::at(Step::Data))?;
        let reply = connection.message(&mail.bytes).await.map_err(SendError::at(Step::Data))?;
        let code = reply.code();
        if code.severity == Severity::PositiveCompletion {
            let text = reply.message().collect::<Vec<_>>().join(" ");
            return Ok(format!("{code} {text}").trim_end().to_owned());
        }
        // The server expects more: it has not accepted responsibility.
        Err(SendError::replied(Step::Data, code.into(), ""))
    }
}
