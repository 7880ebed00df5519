//! Errors of sending emails, classified once. They leave out the server's replies, which quote addresses.

use std::{error::Error, io};

use lettre::transport::smtp;

#[derive(Debug, thiserror::Error)]
#[error("cannot set up TLS for the mail server")]
pub struct TlsSetupError(#[source] pub(super) smtp::Error);

/// What a failure means for this email and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyClass {
    /// No email can be sent: the server is unavailable, or rejects our login or sender.
    ServerDown,
    /// Our quota is used up, or we are on a block list.
    OverQuota,
    /// The server may accept this email later.
    TryLater,
    /// The server never accepts this email.
    Rejected,
}

/// The mail server did not accept an email.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub struct SendError {
    pub class: ReplyClass,
    /// The command or the part of the connection that failed.
    step: &'static str,
    cause: String,
}

impl SendError {
    pub(super) fn new(class: ReplyClass, step: &'static str, cause: impl Into<String>) -> Self {
        Self { class, step, cause: cause.into() }
    }

    pub(super) fn timed_out(class: ReplyClass, step: &'static str) -> Self {
        Self::new(class, step, "timed out")
    }

    /// The TCP connection failed.
    pub(super) fn unreachable(error: io::Error) -> Self {
        Self::new(ReplyClass::ServerDown, "connecting to the mail server", error.kind().to_string())
    }

    /// A failure before the first command about an email.
    pub(super) fn server_down(step: &'static str) -> impl Fn(smtp::Error) -> Self {
        move |error| Self::new(ReplyClass::ServerDown, step, cause(&error))
    }

    /// MAIL failed: replies to it concern our sender.
    pub(super) fn sender(error: smtp::Error) -> Self {
        let class = if error.status().is_some() { ReplyClass::ServerDown } else { ReplyClass::TryLater };
        Self::new(class, "MAIL", cause(&error))
    }

    /// RCPT failed. Replies with 5.7.* (security and policy) concern us: the server has not seen the content yet.
    pub(super) fn recipient(error: smtp::Error) -> Self {
        let is_policy = enhanced_status(&error).starts_with("5.7.");
        Self::about_email(
            "RCPT",
            &error,
            if is_policy { ReplyClass::OverQuota } else { ReplyClass::Rejected },
        )
    }

    /// DATA failed. Replies with 5.7.* are caused by the content or by our reputation, without saying which.
    pub(super) fn content(error: smtp::Error) -> Self {
        let is_policy = enhanced_status(&error).starts_with("5.7.");
        Self::about_email("DATA", &error, if is_policy { ReplyClass::TryLater } else { ReplyClass::Rejected })
    }

    /// `permanent` is the class of a 5xx reply without a more specific meaning.
    fn about_email(step: &'static str, error: &smtp::Error, permanent: ReplyClass) -> Self {
        let class = match error.status().map(u16::from) {
            // The server is closing, or requires a login.
            Some(421 | 530) => ReplyClass::ServerDown,
            // The session or the server's disk space.
            Some(503 | 552) => ReplyClass::TryLater,
            // Providers answer 5.4.5 (congestion) when a quota is used up.
            Some(500..) if enhanced_status(error) == "5.4.5" => ReplyClass::OverQuota,
            Some(500..) => permanent,
            Some(_) | None => ReplyClass::TryLater,
        };
        let note = match class {
            ReplyClass::OverQuota => ": sending policy or quota",
            ReplyClass::Rejected => ": email rejected",
            ReplyClass::ServerDown | ReplyClass::TryLater => "",
        };
        Self::new(class, step, format!("{}{note}", cause(error)))
    }
}

fn cause(error: &smtp::Error) -> String {
    if let Some(code) = error.status() {
        return format!("server replied {code}");
    }
    if error.is_tls() {
        return "TLS negotiation failed".to_owned();
    }
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            return io.kind().to_string();
        }
        source = cause.source();
    }
    "connection closed, or STARTTLS or login mechanism not supported".to_owned()
}

/// The enhanced status code (RFC 3463) at the start of the reply's text; empty when there is none.
fn enhanced_status(error: &smtp::Error) -> String {
    let text = error.source().map(ToString::to_string).unwrap_or_default();
    text.split_whitespace().next().unwrap_or_default().to_owned()
}
