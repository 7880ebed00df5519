//! Errors of sending emails. They do not contain the text of the server's replies, which quotes addresses.

use std::{error::Error, io};

use lettre::transport::smtp;

use super::reply::{ReplyClass, ReplyCodes, Step};

#[derive(Debug, thiserror::Error)]
#[error("{step}: {cause}")]
pub struct SendError {
    pub class: ReplyClass,
    step: Step,
    cause: String,
}

impl SendError {
    pub(super) fn without_reply(step: Step, cause: impl Into<String>) -> Self {
        let class = match step {
            Step::Connect | Step::Encrypt | Step::LogIn => ReplyClass::ServerDown,
            Step::Mail | Step::Rcpt | Step::Data | Step::Send => ReplyClass::TryLater,
        };
        Self {
            class,
            step,
            cause: cause.into(),
        }
    }

    /// `text` is the reply's text after its first code.
    pub(super) fn from_reply(step: Step, code: u16, text: &str) -> Self {
        let codes = ReplyCodes::parse(code, text);
        let class = codes.classify(step, text);
        let note = match class {
            ReplyClass::SenderRefused => ": sender refused",
            ReplyClass::MailboxFull => ": mailbox full",
            ReplyClass::BadAddress => ": address does not exist",
            ReplyClass::ServerDown | ReplyClass::TryLater => "",
        };
        Self {
            class,
            step,
            cause: format!("server replied {codes}{note}"),
        }
    }

    pub(super) fn from_smtp(step: Step) -> impl Fn(smtp::Error) -> Self {
        move |error| match error.status() {
            Some(code) => {
                let text = error.source().map(ToString::to_string).unwrap_or_default();
                Self::from_reply(step, code.into(), &text)
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
