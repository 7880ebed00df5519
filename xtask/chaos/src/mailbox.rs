//! The sales team's mailboxes: an SMTP server in this process. Also the ids of leads and emails, computed independently of
//! the services.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::Result;
use parking_lot::Mutex;
use testkit::smtp::{At, Fault, Mail, SmtpServer, Times};
use uuid::{Uuid, uuid};

use crate::visitor::{Millis, now};

/// The services' namespace of lead ids, which never changes.
const NAMESPACE: Uuid = uuid!("5f0d9c5e-6a3b-4a53-9f2e-7a4f1c0b8d21");

/// The id of the lead with this idempotency key.
pub(crate) fn lead_id(key: Uuid) -> Uuid {
    Uuid::new_v5(&NAMESPACE, key.as_bytes())
}

/// The part before the `@` in the Message-ID of the email about a lead to a recipient.
pub(crate) fn email_id(lead: Uuid, recipient: &str) -> Uuid {
    Uuid::new_v5(&lead, recipient.as_bytes())
}

/// What the mail server does wrong, until it is healed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray)]
pub(crate) enum Trouble {
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
    /// When each email was accepted, by the first part of its Message-ID.
    emails: Mutex<HashMap<Uuid, Vec<Millis>>>,
    refused: Mutex<HashSet<Uuid>>,
}

impl Mailbox {
    pub(crate) async fn start() -> Result<Self> {
        let contents = Arc::new(Contents::default());
        let inbox = Arc::clone(&contents);
        let server = SmtpServer::start_with(move |mail| inbox.store(&mail)).await;
        Ok(Self { server: server?, contents })
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.address().port()
    }

    /// When each email was accepted, by the first part of its Message-ID.
    pub(crate) fn emails(&self) -> HashMap<Uuid, Vec<Millis>> {
        self.contents.emails.lock().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.contents.emails.lock().values().map(Vec::len).sum()
    }

    pub(crate) fn make(&self, trouble: Trouble) {
        let (at, reply) = match trouble {
            Trouble::Busy => (At::Content, Fault::Answer("451 4.3.0 try again later")),
            Trouble::Refusing => (At::Greeting, Fault::Answer("554 5.3.2 not accepting messages")),
            Trouble::ReplyLost => (At::Reply, Fault::HangUp),
        };
        self.server.fail(at, reply, Times::Always);
    }

    pub(crate) fn heal(&self) {
        self.server.heal();
    }

    /// Refuses the email about a lead to a recipient permanently.
    pub(crate) fn refuse(&self, lead: Uuid, recipient: &str) {
        self.contents.refused.lock().insert(email_id(lead, recipient));
    }
}

impl Contents {
    fn store(&self, mail: &Mail) -> std::result::Result<(), &'static str> {
        let Some(id) = message_id(&mail.raw) else { return Err("550 5.6.0 no Message-ID of ours") };
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
    let value = headers.lines().find_map(|line| line.strip_prefix("Message-ID:"))?;
    value.trim().strip_prefix('<')?.split('@').next()?.parse().ok()
}
