//! The sales team's mail server and the receiver of webhooks, a separate process so that it can be killed. It writes
//! every mail to its journal before it replies.

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use testkit::smtp::{At, Fault, Inbox, Mail, SmtpServer, Times};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use xtask::error::{Error, Result};

use crate::journal::{self, Journal, Mailed};
use crate::webhook_receiver;

/// Faults of the mail server, each switched on by one word per line on the control port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Trouble {
    /// 4xx after every mail.
    Busy,
    /// 5xx instead of the greeting.
    Refusing,
    /// 5xx to every sender.
    RefusingSenders,
    /// 4xx for the first attempt of each mail.
    Greylisting,
    /// 5xx to every login.
    LoginRefused,
    /// Accepts the mail and disconnects instead of replying.
    ReplyLost,
}

impl Trouble {
    pub(crate) const ALL: [Self; 6] = [
        Self::Busy,
        Self::Refusing,
        Self::RefusingSenders,
        Self::Greylisting,
        Self::LoginRefused,
        Self::ReplyLost,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Busy => "4xx",
            Self::Refusing => "5xx-greeting",
            Self::RefusingSenders => "5xx-sender",
            Self::Greylisting => "greylisting",
            Self::LoginRefused => "login-refused",
            Self::ReplyLost => "reply-lost",
        }
    }
}

/// The word that ends all faults.
const HEAL: &str = "heal";

/// Switches a fault on, or all off, through the control port.
pub(crate) async fn tell(control: u16, trouble: Option<Trouble>) -> Result<()> {
    say(control, trouble.map_or(HEAL, Trouble::word)).await
}

/// Makes the mail server refuse one mail permanently.
pub(crate) async fn refuse(control: u16, mail: Uuid) -> Result<()> {
    say(control, &mail.to_string()).await
}

async fn say(control: u16, word: &str) -> Result<()> {
    let talk = async {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, control)).await?;
        stream.write_all(format!("{word}\n").as_bytes()).await?;
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).await?;
        std::io::Result::Ok(answer)
    };
    match talk.await {
        Ok(answer) if answer == "ok\n" => Ok(()),
        Ok(answer) => Err(Error::failed(format!("the mail server replied {answer:?} to {word}"))),
        Err(error) => Err(Error::failed(format!("cannot reach the mail server: {error}"))),
    }
}

/// Serves until killed.
pub(crate) async fn serve(
    smtp: u16,
    control: u16,
    webhook: u16,
    journal: &Path,
    refused: &Path,
) -> Result<()> {
    let failed = |error: std::io::Error| Error::failed(format!("cannot start the mail server: {error}"));
    let desk = Arc::new(Desk::open(journal, refused)?);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, smtp));
    let server = Arc::new(SmtpServer::start_on(address, Arc::clone(&desk)).await.map_err(failed)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, control)).await.map_err(failed)?;
    let webhooks = TcpListener::bind((Ipv4Addr::LOCALHOST, webhook)).await.map_err(failed)?;
    let tasks = TaskTracker::new();
    let webhook_journal = journal.to_owned();
    tasks.spawn(async move { webhook_receiver::serve(webhooks, &webhook_journal).await });
    loop {
        let (client, _) = listener.accept().await.map_err(failed)?;
        let (desk, server) = (Arc::clone(&desk), Arc::clone(&server));
        tasks.spawn(async move {
            // A client that disconnected needs no answer.
            let _gone = obey(client, &desk, &server).await;
        });
    }
}

async fn obey(client: TcpStream, desk: &Desk, server: &SmtpServer) -> std::io::Result<()> {
    let mut client = BufReader::new(client);
    let mut line = String::new();
    while client.read_line(&mut line).await? > 0 {
        let word = line.trim();
        let trouble = Trouble::ALL.into_iter().find(|trouble| trouble.word() == word);
        let answer = match (word.parse::<Uuid>(), trouble) {
            (Ok(mail), _) => desk.refuse(mail).map_or("failed", |()| "ok"),
            (Err(_), Some(trouble)) => {
                desk.make(trouble, server);
                "ok"
            }
            (Err(_), None) if word == HEAL => {
                desk.greylisting.store(false, Ordering::SeqCst);
                server.heal();
                "ok"
            }
            (Err(_), None) => "unknown",
        };
        client.write_all(format!("{answer}\n").as_bytes()).await?;
        line.clear();
    }
    Ok(())
}

/// Decides about mails.
struct Desk {
    journal: Journal,
    refusals: Journal,
    refused: Mutex<HashSet<Uuid>>,
    greylisting: AtomicBool,
    seen: Mutex<HashSet<Uuid>>,
}

impl Desk {
    fn open(journal: &Path, refusals: &Path) -> Result<Self> {
        let (journal, refusals) = (Journal::open(journal)?, Journal::open(refusals)?);
        let mut refused = HashSet::new();
        journal::read(
            refusals.path(),
            |line| line.parse().ok(),
            |mail| {
                refused.insert(mail);
            },
        )?;
        Ok(Self {
            journal,
            refusals,
            refused: Mutex::new(refused),
            greylisting: AtomicBool::new(false),
            seen: Mutex::default(),
        })
    }

    fn refuse(&self, mail: Uuid) -> std::io::Result<()> {
        self.refusals.append(&mail.to_string())?;
        lock(&self.refused).insert(mail);
        Ok(())
    }

    fn make(&self, trouble: Trouble, server: &SmtpServer) {
        let (at, reply) = match trouble {
            Trouble::Busy => (At::Content, Fault::Answer("451 4.3.0 try again later")),
            Trouble::Refusing => (At::Greeting, Fault::Answer("554 5.3.2 not accepting messages")),
            Trouble::RefusingSenders => (At::Sender, Fault::Answer("550 5.7.1 sending is not allowed")),
            Trouble::LoginRefused => (At::Login, Fault::Answer("535 5.7.8 wrong user name or password")),
            Trouble::ReplyLost => (At::Reply, Fault::HangUp),
            Trouble::Greylisting => {
                lock(&self.seen).clear();
                self.greylisting.store(true, Ordering::SeqCst);
                return;
            }
        };
        server.fail(at, reply, Times::Always);
    }
}

impl Inbox for Desk {
    fn take(&self, mail: Mail) -> std::result::Result<(), &'static str> {
        let Some(id) = message_id(&mail.raw) else { return Err("550 5.6.0 no Message-ID of ours") };
        let taken = !lock(&self.refused).contains(&id);
        if taken && self.greylisting.load(Ordering::SeqCst) && lock(&self.seen).insert(id) {
            return Err("450 4.2.0 greylisted, try again later");
        }
        for recipient in mail.to {
            let mailed = Mailed { at: journal::now(), taken, id, recipient };
            if self.journal.append(&mailed.line()).is_err() {
                return Err("452 4.3.1 no room");
            }
        }
        // Not 5.7.1, which may concern the sender and is therefore retried.
        if taken { Ok(()) } else { Err("550 5.1.1 no such mailbox") }
    }
}

/// The part of the Message-ID before its `@`.
fn message_id(raw: &[u8]) -> Option<Uuid> {
    let text = String::from_utf8_lossy(raw);
    let headers = text.split("\r\n\r\n").next()?;
    let value = headers.lines().find_map(|line| line.strip_prefix("Message-ID:"))?;
    value.trim().strip_prefix('<')?.split('@').next()?.parse().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_id_is_read_from_the_headers_alone() {
        let id = Uuid::from_u128(9);
        let mail = format!("From: a\r\nMessage-ID: <{id}@zyongrand.example>\r\n\r\nMessage-ID: <x@y>");
        assert_eq!(message_id(mail.as_bytes()), Some(id));
        let quoted = format!("From: a\r\n\r\nMessage-ID: <{id}@zyongrand.example>");
        assert_eq!(message_id(quoted.as_bytes()), None);
    }

    #[test]
    fn every_trouble_has_a_word_of_its_own() {
        for (position, trouble) in Trouble::ALL.iter().enumerate() {
            assert!(Trouble::ALL[..position].iter().all(|other| other.word() != trouble.word()));
            assert_ne!(trouble.word(), HEAL);
        }
    }
}
