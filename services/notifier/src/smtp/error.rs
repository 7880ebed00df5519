//! What can go wrong with a mail. Replies of the server are left out: they quote addresses.

use std::{error::Error, fmt, io};

use lettre::transport::smtp;

/// Codes that speak of the conversation, the login or room on the server's disk rather than of this mail.
const NOT_ABOUT_THIS_MAIL: [u16; 3] = [503, 530, 552];

/// Codes that speak of the server as a whole, to whatever command: it is closing, or wants us to log in.
const ABOUT_THE_SERVER: [u16; 2] = [421, 530];

#[derive(Debug, thiserror::Error)]
#[error("TLS for the mail server cannot be set up")]
pub struct TlsSetupError(#[source] pub(super) smtp::Error);

/// A mail was not taken.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("the mail server refused it for good: {code} to {step}")]
    Refused {
        /// The command it refused.
        step: Step,
        /// Its code, 5xx.
        code: u16,
    },
    #[error("{step}: {cause}")]
    Failed { step: Step, cause: Cause },
}

/// How much a failure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The server is away, or does not want us: no other mail would fare better.
    Server,
    /// Us, or what we may: a quota, a block list. Another mail of ours would hardly fare better.
    Us,
    Mail,
    /// This mail, however often.
    ForGood,
}

/// A step of sending a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Connecting, greetings included.
    Connect,
    Tls,
    Login,
    /// Sending the mail, where it is not known more exactly.
    Mail,
    Sender,
    Recipient,
    /// Handing over the content.
    Content,
}

/// What kept a step from being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The server said no, with this code.
    Answered(u16),
    /// The server said no for good, with this code, for what it thinks of us.
    Policy(u16),
    /// It took too long.
    TimedOut,
    /// The connection failed or broke.
    Network(io::ErrorKind),
    /// The two did not agree on encryption.
    Tls,
    /// The server offers no STARTTLS, or no way to log in that we know, or spoke no SMTP.
    Protocol,
}

impl SendError {
    #[must_use]
    pub fn scope(&self) -> Scope {
        match self {
            Self::Refused { .. } => Scope::ForGood,
            Self::Failed { cause: Cause::Answered(code), .. } if ABOUT_THE_SERVER.contains(code) => {
                Scope::Server
            }
            Self::Failed { step: Step::Connect | Step::Tls | Step::Login, .. }
            | Self::Failed { step: Step::Sender, cause: Cause::Answered(_) } => Scope::Server,
            Self::Failed { cause: Cause::Policy(_), .. } => Scope::Us,
            Self::Failed { step: Step::Sender | Step::Mail | Step::Recipient | Step::Content, .. } => {
                Scope::Mail
            }
        }
    }

    /// Nobody was reached at the server's address.
    pub(super) fn unreachable(error: io::Error) -> Self {
        Self::Failed { step: Step::Connect, cause: Cause::Network(error.kind()) }
    }

    /// A failure that may be otherwise the next time, whatever the server said.
    pub(super) fn failed(step: Step) -> impl Fn(smtp::Error) -> Self {
        move |error| Self::Failed { step, cause: Cause::of(&error) }
    }

    /// A failure in a step where a 5xx is about this very mail.
    pub(super) fn refusable(step: Step) -> impl Fn(smtp::Error) -> Self {
        move |error| match Cause::of(&error) {
            Cause::Answered(code @ 500..)
                if !NOT_ABOUT_THIS_MAIL.contains(&code) && is_about_us(&error, step) =>
            {
                Self::Failed { step, cause: Cause::Policy(code) }
            }
            // Of what is in the mail, or of us: nobody can tell.
            cause @ Cause::Answered(500..) if enhanced_status(&error).starts_with("5.7.") => {
                Self::Failed { step, cause }
            }
            Cause::Answered(code) if code >= 500 && !NOT_ABOUT_THIS_MAIL.contains(&code) => {
                Self::Refused { step, code }
            }
            cause @ (Cause::Answered(_)
            | Cause::Policy(_)
            | Cause::TimedOut
            | Cause::Network(_)
            | Cause::Tls
            | Cause::Protocol) => Self::Failed { step, cause },
        }
    }
}

/// Whether a refusal is about us: X.4.5 is congestion, which mail providers answer when a quota is used up; X.7.* is
/// security and policy, before the server has seen what is in the mail.
fn is_about_us(error: &smtp::Error, step: Step) -> bool {
    let status = enhanced_status(error);
    status == "5.4.5" || (step == Step::Recipient && status.starts_with("5.7."))
}

/// What the text of the reply begins with, RFC 3463; empty when it has none.
fn enhanced_status(error: &smtp::Error) -> String {
    let text = error.source().map(ToString::to_string).unwrap_or_default();
    text.split_whitespace().next().unwrap_or_default().to_owned()
}

impl Cause {
    fn of(error: &smtp::Error) -> Self {
        if let Some(code) = error.status() {
            return Self::Answered(code.into());
        }
        if error.is_tls() {
            return Self::Tls;
        }
        let mut source = error.source();
        while let Some(cause) = source {
            if let Some(io) = cause.downcast_ref::<io::Error>() {
                return Self::Network(io.kind());
            }
            source = cause.source();
        }
        Self::Protocol
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting to the mail server",
            Self::Tls => "encrypting the connection to the mail server",
            Self::Login => "logging in at the mail server",
            Self::Mail => "sending the mail",
            Self::Sender => "MAIL",
            Self::Recipient => "RCPT",
            Self::Content => "DATA",
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(code) => write!(f, "the server answered {code}"),
            Self::Policy(code) => write!(f, "the server answered {code}, for its policy or our quota"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Network(kind) => write!(f, "{kind}"),
            Self::Tls => f.write_str("no agreement on TLS"),
            Self::Protocol => f.write_str("the server hung up, or does not offer what is asked of it"),
        }
    }
}
