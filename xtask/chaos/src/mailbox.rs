//! The sales team's mailboxes: an SMTP server in this process.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::Result;
use parking_lot::Mutex;
use testkit::smtp::{At, Fault, Mail, SmtpServer, Times};
use uuid::Uuid;

use crate::visitor::{Millis, now};

/// The part before the `@` in the Message-ID of the email about a lead to a recipient, computed without notifier's code.
pub(crate) fn email_id(lead: Uuid, recipient: &str) -> Uuid {
    Uuid::new_v5(&lead, recipient.as_bytes())
}

/// A fault of the mail server, which lasts until the server is healed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub(crate) enum MailFault {
    /// After every email.
    Busy,
    /// Instead of the greeting.
    Refusing,
    /// Accepts the email and disconnects instead of replying.
    ReplyLost,
}

pub(crate) struct Mailbox {
    server: SmtpServer,
    contents: Arc<Contents>,
}

#[derive(Default)]
struct Contents {
    /// The times when each email was accepted, by its [`email_id`].
    emails: Mutex<HashMap<Uuid, Vec<Millis>>>,
    refused: Mutex<HashSet<Uuid>>,
}

impl Mailbox {
    pub(crate) async fn start() -> Result<Self> {
        let contents = Arc::new(Contents::default());
        let inbox = Arc::clone(&contents);
        let server = SmtpServer::start_with(move |mail| inbox.store(&mail)).await;
        Ok(Self {
            server: server?,
            contents,
        })
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// The times when each email was accepted, by its [`email_id`].
    pub(crate) fn emails(&self) -> HashMap<Uuid, Vec<Millis>> {
        self.contents.emails.lock().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.contents.emails.lock().values().map(Vec::len).sum()
    }

    pub(crate) fn inject(&self, fault: MailFault) {
        let (at, reply) = match fault {
            MailFault::Busy => (At::Content, Fault::Answer("451 4.3.0 try again later")),
            MailFault::Refusing => (
                At::Greeting,
                Fault::Answer("554 5.3.2 not accepting messages"),
            ),
            MailFault::ReplyLost => (At::Reply, Fault::HangUp),
        };
        self.server.fail(at, reply, Times::Always);
    }

    pub(crate) fn heal(&self) {
        self.server.heal();
    }

    /// Refuses the email about a lead to a recipient permanently.
    pub(crate) fn refuse(&self, lead: Uuid, recipient: &str) {
        self.contents
            .refused
            .lock()
            .insert(email_id(lead, recipient));
    }
}

impl Contents {
    fn store(&self, mail: &Mail) -> std::result::Result<(), &'static str> {
        let Some(id) = message_id(&mail.raw) else {
            return Err("550 5.6.0 no Message-ID of ours");
        };
        if self.refused.lock().contains(&id) {
            // Not 5.7.1, which may concern the sender and is therefore retried.
            return Err("550 5.1.1 no such mailbox");
        }
        self.emails.lock().entry(id).or_default().push(now());
        Ok(())
    }
}

/// The part of the Message-ID before its `@`.
fn message_id(raw: &[u8]) -> Option<Uuid> {
    let text = String::from_utf8_lossy(raw);
    let headers = text.split("\r\n\r\n").next()?;
    let value = headers
        .lines()
        .find_map(|line| line.strip_prefix("Message-ID:"))?;
    value
        .trim()
        .strip_prefix('<')?
        .split('@')
        .next()?
        .parse()
        .ok()
}
