//! Errors of sending mail. They leave out the server's replies, which quote addresses.

use std::{error::Error, fmt, io};

use lettre::transport::smtp;

/// Codes about the session, the login or the server's disk space rather than about this mail.
const NOT_ABOUT_THIS_MAIL: [u16; 3] = [503, 530, 552];

/// Codes about the server as a whole, in reply to any command: it is closing, or requires a login.
const ABOUT_THE_SERVER: [u16; 2] = [421, 530];

#[derive(Debug, thiserror::Error)]
#[error("cannot set up TLS for the mail server")]
pub struct TlsSetupError(#[source] pub(super) smtp::Error);

/// The mail server did not accept a mail.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("mail server rejected the email: {code} in reply to {step}")]
    Refused {
        step: Step,
        /// 5xx.
        code: u16,
    },
    #[error("{step}: {cause}")]
    Failed { step: Step, cause: Cause },
}

/// What a failure affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All mails: the server is unavailable or rejects our login or sender.
    Server,
    /// All our mails: a quota or a block list.
    Us,
    Mail,
    /// This mail only, permanently.
    ForGood,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Includes the greeting.
    Connect,
    Tls,
    Login,
    /// The exact command is unknown.
    Mail,
    Sender,
    Recipient,
    Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The server refused with this code.
    Answered(u16),
    /// The server refused permanently with this code, because of its policy or our quota.
    Policy(u16),
    TimedOut,
    /// The connection failed or broke.
    Network(io::ErrorKind),
    /// TLS negotiation failed.
    Tls,
    /// The server offers no STARTTLS or no supported login mechanism, or does not speak SMTP.
    Protocol,
}

impl SendError {
    #[must_use]
    pub fn scope(&self) -> Scope {
        let (step, cause) = match self {
            Self::Refused { .. } => return Scope::ForGood,
            Self::Failed { step, cause } => (step, cause),
        };
        match (step, cause) {
            (_, Cause::Answered(code)) if ABOUT_THE_SERVER.contains(code) => Scope::Server,
            (Step::Connect | Step::Tls | Step::Login, _) | (Step::Sender, Cause::Answered(_)) => {
                Scope::Server
            }
            (_, Cause::Policy(_)) => Scope::Us,
            (
                Step::Sender | Step::Mail | Step::Recipient | Step::Content,
                Cause::Answered(_) | Cause::TimedOut | Cause::Network(_) | Cause::Tls | Cause::Protocol,
            ) => Scope::Mail,
        }
    }

    /// The TCP connection failed.
    pub(super) fn unreachable(error: io::Error) -> Self {
        Self::Failed { step: Step::Connect, cause: Cause::Network(error.kind()) }
    }

    /// A failure that may not recur, regardless of the reply code.
    pub(super) fn failed(step: Step) -> impl Fn(smtp::Error) -> Self {
        move |error| Self::Failed { step, cause: Cause::of(&error) }
    }

    /// A failure in a step where most 5xx replies refuse this mail permanently.
    pub(super) fn refusable(step: Step) -> impl Fn(smtp::Error) -> Self {
        move |error| match Cause::of(&error) {
            Cause::Answered(code @ 500..)
                if !NOT_ABOUT_THIS_MAIL.contains(&code) && is_about_us(&error, step) =>
            {
                Self::Failed { step, cause: Cause::Policy(code) }
            }
            // Caused by the mail's content or by our reputation; the reply does not distinguish them.
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

/// Whether a refusal concerns us as a sender: providers answer 5.4.5 (congestion) when a quota is used up; 5.7.*
/// (security and policy) comes to RCPT before the server has seen the content.
fn is_about_us(error: &smtp::Error, step: Step) -> bool {
    let status = enhanced_status(error);
    status == "5.4.5" || (step == Step::Recipient && status.starts_with("5.7."))
}

/// The enhanced status code (RFC 3463) at the start of the reply's text; empty when there is none.
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
            Self::Mail => "sending the email",
            Self::Sender => "MAIL",
            Self::Recipient => "RCPT",
            Self::Content => "DATA",
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(code) => write!(f, "server replied {code}"),
            Self::Policy(code) => write!(f, "server replied {code}: sending policy or quota"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Network(kind) => write!(f, "{kind}"),
            Self::Tls => f.write_str("TLS negotiation failed"),
            Self::Protocol => f.write_str("connection closed, or STARTTLS or login mechanism not supported"),
        }
    }
}
