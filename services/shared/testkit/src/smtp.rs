//! A test mail server with injectable faults. It speaks plain SMTP and stores accepted emails.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinSet,
};

const EXTENSIONS: &str =
    "250-testkit\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-AUTH PLAIN\r\n250 SIZE 1048576";

#[derive(Clone)]
pub struct Mail {
    /// The client's name in `EHLO`.
    pub client: String,
    pub from: String,
    /// The addresses of each accepted `RCPT TO`.
    pub to: Vec<String>,
    /// The message with dot-stuffing undone.
    pub raw: Vec<u8>,
}

/// The point in the session where a fault occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// On connecting, instead of the greeting.
    Greeting,
    Login,
    Sender,
    /// On RCPT with this address.
    Recipient(&'static str),
    /// After the content; the email is not accepted.
    Content,
    /// After the email was accepted, before the reply.
    Reply,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Replies with this text, e.g. `550 5.1.1 no such mailbox`.
    Answer(&'static str),
    HangUp,
    /// Stops replying until [`SmtpServer::heal`], then continues normally.
    Silence,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// At the next matching point only.
    Once,
    /// Until [`SmtpServer::heal`].
    Always,
}

/// Stores an email before the reply is sent. An error is the reply that rejects the email, e.g. `450 4.2.0 greylisted`.
type Inbox = Box<dyn Fn(Mail) -> Result<(), &'static str> + Send + Sync>;

/// A mail server that stops on drop.
pub struct SmtpServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// The task that accepts connections.
    listening: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct Shared {
    inbox: Option<Inbox>,
    mails: Mutex<Vec<Mail>>,
    faults: Mutex<Vec<(At, Fault, Times)>>,
    connections: AtomicUsize,
    healed: Notify,
}

impl SmtpServer {
    /// Starts on a free local port.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start() -> io::Result<Self> {
        Self::listen(Shared::default()).await
    }

    /// Like [`Self::start`], but `inbox` stores the emails instead of [`Self::emails`]. An error of `inbox` is the reply
    /// that rejects the email, e.g. `450 4.2.0 greylisted`.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start_with(
        inbox: impl Fn(Mail) -> Result<(), &'static str> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::listen(Shared {
            inbox: Some(Box::new(inbox)),
            ..Shared::default()
        })
        .await
    }

    async fn listen(shared: Shared) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (address, shared) = (listener.local_addr()?, Arc::new(shared));
        let server = Self {
            address,
            shared,
            listening: Mutex::default(),
        };
        server.serve(listener);
        Ok(server)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn emails(&self) -> Vec<Mail> {
        self.shared.mails.lock().clone()
    }

    /// Number of connections since the start.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    pub fn fail(&self, at: At, fault: Fault, times: Times) {
        self.shared.faults.lock().push((at, fault, times));
    }

    pub fn heal(&self) {
        self.shared.faults.lock().clear();
        self.shared.healed.notify_waiters();
    }

    /// Closes all connections and refuses new ones.
    pub async fn refuse_connections(&self) {
        let mut listening = std::mem::take(&mut *self.listening.lock());
        listening.shutdown().await;
    }

    /// Listens again on the same port.
    ///
    /// # Errors
    /// When the port is in use by another process.
    pub async fn accept_connections(&self) -> io::Result<()> {
        self.serve(TcpListener::bind(self.address).await?);
        Ok(())
    }

    fn serve(&self, listener: TcpListener) {
        self.listening
            .lock()
            .spawn(accept(Arc::clone(&self.shared), listener));
    }
}

async fn accept(shared: Arc<Shared>, listener: TcpListener) {
    // Dropping the set aborts all connections when this task ends.
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        shared.connections.fetch_add(1, Ordering::Relaxed);
        let shared = Arc::clone(&shared);
        // An error means that the client has disconnected, which is not a test failure.
        connections.spawn(async move { shared.converse(BufReader::new(client)).await });
    }
}

impl Shared {
    async fn converse(&self, mut client: BufReader<TcpStream>) -> io::Result<()> {
        self.reply_at(At::Greeting, "220 testkit ESMTP", &mut client)
            .await?;
        let (mut name, mut from, mut to) = (String::new(), String::new(), Vec::new());
        loop {
            let line = read_line(&mut client).await?;
            let command = String::from_utf8_lossy(&line).trim_end().to_owned();
            let verb = command
                .split([' ', ':'])
                .next()
                .unwrap_or_default()
                .to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" | "HELO" => {
                    name = command.split(' ').nth(1).unwrap_or_default().to_owned();
                    reply(EXTENSIONS, &mut client).await?;
                }
                "AUTH" => {
                    self.reply_at(At::Login, "235 2.7.0 welcome", &mut client)
                        .await?
                }
                "MAIL" => {
                    (from, to) = (address(&command), Vec::new());
                    self.reply_at(At::Sender, "250 2.1.0 Ok", &mut client)
                        .await?;
                }
                "RCPT" => {
                    let recipient = address(&command);
                    let fault =
                        self.apply_fault(|at| matches!(at, At::Recipient(at) if at == recipient));
                    let fault = fault.await?;
                    if fault.is_none() {
                        to.push(recipient);
                    }
                    reply(fault.unwrap_or("250 2.1.5 Ok"), &mut client).await?;
                }
                "DATA" if to.is_empty() => reply("503 5.5.1 no recipient", &mut client).await?,
                "DATA" => {
                    reply("354 go on", &mut client).await?;
                    let raw = read_message(&mut client).await?;
                    if let Some(fault) = self.apply_fault(|at| at == At::Content).await? {
                        reply(fault, &mut client).await?;
                        continue;
                    }
                    // Quotes the recipients, as real servers do.
                    let accepted = format!("250 2.0.0 Ok: queued for {}", to.join(" "));
                    let to = std::mem::take(&mut to);
                    match self.store(Mail {
                        client: name.clone(),
                        from: from.clone(),
                        to,
                        raw,
                    }) {
                        Ok(()) => self.reply_at(At::Reply, &accepted, &mut client).await?,
                        Err(refusal) => reply(refusal, &mut client).await?,
                    }
                }
                "RSET" => {
                    to.clear();
                    reply("250 2.0.0 Ok", &mut client).await?;
                }
                "NOOP" => reply("250 2.0.0 Ok", &mut client).await?,
                "QUIT" => return reply("221 2.0.0 Bye", &mut client).await,
                _ => reply("502 5.5.2 unknown command", &mut client).await?,
            }
        }
    }

    fn store(&self, mail: Mail) -> Result<(), &'static str> {
        match &self.inbox {
            Some(inbox) => inbox(mail),
            None => {
                self.mails.lock().push(mail);
                Ok(())
            }
        }
    }

    /// Sends the reply of a fault at this point, or else the usual reply.
    async fn reply_at(
        &self,
        point: At,
        usual: &str,
        client: &mut BufReader<TcpStream>,
    ) -> io::Result<()> {
        let fault = self.apply_fault(|at| at == point).await?;
        reply(fault.unwrap_or(usual), client).await
    }

    /// Applies a matching fault: `Some` replaces the usual reply, an error closes the connection.
    async fn apply_fault(&self, matches: impl Fn(At) -> bool) -> io::Result<Option<&'static str>> {
        let mut healed = pin!(self.healed.notified());
        // Registers before reading the fault, to receive a concurrent `heal`.
        healed.as_mut().enable();
        match self.next_fault(matches) {
            None => Ok(None),
            Some(Fault::Answer(reply)) => Ok(Some(reply)),
            Some(Fault::HangUp) => Err(io::ErrorKind::ConnectionAborted.into()),
            Some(Fault::Silence) => {
                healed.await;
                Ok(None)
            }
        }
    }

    fn next_fault(&self, matches: impl Fn(At) -> bool) -> Option<Fault> {
        let mut faults = self.faults.lock();
        let index = faults.iter().position(|(at, _, _)| matches(*at))?;
        let (_, fault, times) = faults[index];
        if times == Times::Once {
            faults.remove(index);
        }
        Some(fault)
    }
}

async fn reply(text: &str, client: &mut BufReader<TcpStream>) -> io::Result<()> {
    client.write_all(format!("{text}\r\n").as_bytes()).await
}

async fn read_line(client: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    match client.read_until(b'\n', &mut line).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(line),
    }
}

async fn read_message(client: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut message = Vec::new();
    loop {
        let line = read_line(client).await?;
        if line == b".\r\n" {
            return Ok(message);
        }
        message.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
    }
}

/// Returns the text between the angle brackets.
fn address(command: &str) -> String {
    let bracketed = command
        .split_once('<')
        .and_then(|(_, rest)| rest.rsplit_once('>'));
    bracketed.map_or_else(String::new, |(address, _)| address.to_owned())
}
