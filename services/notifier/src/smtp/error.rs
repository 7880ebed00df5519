//! Errors of sending emails, with their classification. They do not contain the server's replies, which quote addresses.

use std::{error::Error, io};

use lettre::transport::smtp;

/// The effect of a failure on this email and on all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyClass {
    /// No email can be sent: the server is unavailable, or rejects our login or sender.
    ServerDown,
    /// Our quota is used up, or we are on a block list.
    OverQuota,
    /// The server may accept this email later.
    TryLater,
    /// The server will never accept this email.
    Rejected,
}

#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub struct SendError {
    pub class: ReplyClass,
    step: Step,
    cause: String,
}

/// The failed command, or the failed part of the connection.
#[derive(Clone, Copy, Debug, strum::Display)]
pub(super) enum Step {
    #[strum(to_string = "connecting to the mail server")]
    Connect,
    #[strum(to_string = "encrypting the connection to the mail server")]
    Encrypt,
    #[strum(to_string = "logging in at the mail server")]
    LogIn,
    #[strum(to_string = "MAIL")]
    Mail,
    #[strum(to_string = "RCPT")]
    Rcpt,
    #[strum(to_string = "DATA")]
    Data,
    #[strum(to_string = "sending the email")]
    Send,
}

impl Step {
    /// `code` and `enhanced` are the status codes of the reply (RFC 5321, RFC 3463); `code` is `None` without a reply.
    fn classify(self, code: Option<u16>, enhanced: &str) -> ReplyClass {
        let is_policy = enhanced.starts_with("5.7.");
        match (self, code) {
            (Self::Connect | Self::Encrypt | Self::LogIn, _) => ReplyClass::ServerDown,
            // Replies to MAIL concern our sender.
            (Self::Mail, Some(_)) => ReplyClass::ServerDown,
            // The server closes the connection, or requires a login.
            (_, Some(421 | 530)) => ReplyClass::ServerDown,
            // The session or the server's disk space.
            (_, Some(503 | 552)) => ReplyClass::TryLater,
            // Providers answer 5.4.5 (congestion) when a quota is used up.
            (_, Some(500..)) if enhanced == "5.4.5" => ReplyClass::OverQuota,
            // Security or policy. At RCPT the cause is the sender, because the server does not know the content yet. At DATA
            // the cause is either the content or our reputation.
            (Self::Rcpt, Some(500..)) if is_policy => ReplyClass::OverQuota,
            (_, Some(500..)) if is_policy => ReplyClass::TryLater,
            (_, Some(500..)) => ReplyClass::Rejected,
            (_, Some(_) | None) => ReplyClass::TryLater,
        }
    }
}

impl SendError {
    pub(super) fn without_reply(step: Step, cause: impl Into<String>) -> Self {
        Self {
            class: step.classify(None, ""),
            step,
            cause: cause.into(),
        }
    }

    pub(super) fn from_reply(step: Step, code: u16, enhanced: &str) -> Self {
        let class = step.classify(Some(code), enhanced);
        let note = match class {
            ReplyClass::OverQuota => ": sending policy or quota",
            ReplyClass::Rejected => ": email rejected",
            ReplyClass::ServerDown | ReplyClass::TryLater => "",
        };
        Self {
            class,
            step,
            cause: format!("server replied {code}{note}"),
        }
    }

    pub(super) fn from_smtp(step: Step) -> impl Fn(smtp::Error) -> Self {
        move |error| match error.status() {
            Some(code) => {
                // The text of the reply begins with the enhanced status code.
                let text = error.source().map(ToString::to_string).unwrap_or_default();
                Self::from_reply(
                    step,
                    code.into(),
                    text.split_whitespace().next().unwrap_or_default(),
                )
            }
            None if error.is_tls() => Self::without_reply(step, "TLS negotiation failed"),
            None => Self::without_reply(step, describe_io_error(&error)),
        }
    }
}

fn describe_io_error(error: &smtp::Error) -> String {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            return io.kind().to_string();
        }
        source = cause.source();
    }
    "connection closed, or STARTTLS or login mechanism not supported".to_owned()
}
