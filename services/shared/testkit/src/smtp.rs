//! A test mail server with injectable faults. It speaks plain SMTP and stores accepted mails.

use parking_lot::{Mutex, MutexGuard};
use std::{io, net::SocketAddr, pin::pin, sync::Arc};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
};

const EXTENSIONS: &str = "250-testkit\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-AUTH PLAIN\r\n250 SIZE 1048576";
/// The reply quotes the recipient, like that of real servers.
const ACCEPTED: &str = "250 2.0.0 Ok: queued for";

/// An accepted mail.
#[derive(Clone)]
pub struct Mail {
    /// The client's name in `EHLO`.
    pub client: String,
    /// The address of `MAIL FROM`.
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
    /// On AUTH.
    Login,
    /// On MAIL.
    Sender,
    /// On RCPT with this address.
    Recipient(&'static str),
    /// After the content; the mail is not accepted.
    Content,
    /// After the mail was accepted, before the reply.
    Reply,
}

/// The kind of fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Replies with this text, e.g. `550 5.1.1 no such mailbox`.
    Answer(&'static str),
    /// Closes the connection.
    HangUp,
    /// Stops replying until [`SmtpServer::heal`], then continues normally.
    Silence,
}

/// The number of times a fault occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// At the next matching point only.
    Once,
    /// Until [`SmtpServer::heal`].
    Always,
}

/// Receives mails instead of [`SmtpServer::mails`], which then stays empty.
pub trait Inbox: Send + Sync + 'static {
    /// Called before the reply is sent.
    ///
    /// # Errors
    /// The reply that rejects the mail, e.g. `450 4.2.0 greylisted`.
    fn take(&self, mail: Mail) -> Result<(), &'static str>;
}

impl<T: Inbox> Inbox for Arc<T> {
    fn take(&self, mail: Mail) -> Result<(), &'static str> {
        T::take(self, mail)
    }
}

/// A mail server that stops on drop.
pub struct SmtpServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Mutex<Option<watch::Sender<()>>>,
}

#[derive(Default)]
struct Shared {
    inbox: Option<Box<dyn Inbox>>,
    mails: Mutex<Vec<Mail>>,
    faults: Mutex<Vec<(At, Fault, Times)>>,
    connections: Mutex<usize>,
    healed: tokio::sync::Notify,
}

impl SmtpServer {
    /// Starts on a free local port.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start() -> io::Result<Self> {
        Self::listen(SocketAddr::from(([127, 0, 0, 1], 0)), None).await
    }

    /// Starts on `address` and passes mails to `inbox`.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn start_on(address: SocketAddr, inbox: impl Inbox) -> io::Result<Self> {
        Self::listen(address, Some(Box::new(inbox))).await
    }

    async fn listen(address: SocketAddr, inbox: Option<Box<dyn Inbox>>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let shared = Arc::new(Shared { inbox, ..Shared::default() });
        let server = Self { address: listener.local_addr()?, shared, listening: Mutex::new(None) };
        server.serve(listener);
        Ok(server)
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepted mails, oldest first.
    #[must_use]
    pub fn mails(&self) -> Vec<Mail> {
        lock(&self.shared.mails).clone()
    }

    /// Number of connections since the start.
    #[must_use]
    pub fn connections(&self) -> usize {
        *lock(&self.shared.connections)
    }

    /// Injects a fault.
    pub fn fail(&self, at: At, fault: Fault, times: Times) {
        lock(&self.shared.faults).push((at, fault, times));
    }

    /// Removes all faults.
    pub fn heal(&self) {
        lock(&self.shared.faults).clear();
        self.shared.healed.notify_waiters();
    }

    /// Closes all connections; once this returns, new ones are refused.
    pub async fn refuse_connections(&self) {
        let listening = lock(&self.listening).take();
        if let Some(listening) = listening {
            listening.send_replace(());
            listening.closed().await;
        }
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
        let (listening, stopped) = watch::channel(());
        *lock(&self.listening) = Some(listening);
        #[expect(clippy::disallowed_methods, reason = "ends with the server, whose sender it listens to")]
        tokio::spawn(accept(stopped, Arc::clone(&self.shared), listener));
    }
}

// The listener is the last parameter and so dropped first: it is closed once `stopped` has no receiver.
async fn accept(mut stopped: watch::Receiver<()>, shared: Arc<Shared>, listener: TcpListener) {
    loop {
        let client = tokio::select! {
            Ok((client, _)) = listener.accept() => client,
            _ = stopped.changed() => return,
        };
        *lock(&shared.connections) += 1;
        let (shared, mut stopped) = (Arc::clone(&shared), stopped.clone());
        #[expect(clippy::disallowed_methods, reason = "ends with the connection or the server")]
        tokio::spawn(async move {
            tokio::select! {
                // A disconnected client is not a test failure.
                _ = shared.converse(BufReader::new(client)) => {}
                _ = stopped.changed() => {}
            }
        });
    }
}

impl Shared {
    async fn converse(&self, mut client: BufReader<TcpStream>) -> io::Result<()> {
        self.answer(&mut client, At::Greeting, "220 testkit ESMTP").await?;
        let (mut name, mut from, mut to) = (String::new(), String::new(), Vec::new());
        loop {
            let line = read_line(&mut client).await?;
            let command = String::from_utf8_lossy(&line).trim_end().to_owned();
            let verb = command.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            match verb.as_str() {
                "EHLO" | "HELO" => {
                    name = command.split(' ').nth(1).unwrap_or_default().to_owned();
                    say(&mut client, EXTENSIONS).await?;
                }
                "AUTH" => self.answer(&mut client, At::Login, "235 2.7.0 welcome").await?,
                "MAIL" => {
                    (from, to) = (address(&command), Vec::new());
                    self.answer(&mut client, At::Sender, "250 2.1.0 Ok").await?;
                }
                "RCPT" => {
                    let recipient = address(&command);
                    let trouble =
                        self.trouble(|at| matches!(at, At::Recipient(at) if at == recipient)).await?;
                    if trouble.is_none() {
                        to.push(recipient);
                    }
                    say(&mut client, trouble.unwrap_or("250 2.1.5 Ok")).await?;
                }
                "DATA" if to.is_empty() => say(&mut client, "503 5.5.1 no recipient").await?,
                "DATA" => {
                    say(&mut client, "354 go on").await?;
                    let raw = read_message(&mut client).await?;
                    if let Some(reply) = self.trouble(|at| at == At::Content).await? {
                        say(&mut client, reply).await?;
                        continue;
                    }
                    let reply = format!("{ACCEPTED} {}", to.join(" "));
                    let mail =
                        Mail { client: name.clone(), from: from.clone(), to: std::mem::take(&mut to), raw };
                    match self.take(mail) {
                        Ok(()) => self.answer(&mut client, At::Reply, &reply).await?,
                        Err(refusal) => say(&mut client, refusal).await?,
                    }
                }
                "RSET" => {
                    to.clear();
                    say(&mut client, "250 2.0.0 Ok").await?;
                }
                "NOOP" => say(&mut client, "250 2.0.0 Ok").await?,
                "QUIT" => return say(&mut client, "221 2.0.0 Bye").await,
                _ => say(&mut client, "502 5.5.2 unknown command").await?,
            }
        }
    }

    fn take(&self, mail: Mail) -> Result<(), &'static str> {
        match &self.inbox {
            Some(inbox) => inbox.take(mail),
            None => {
                lock(&self.mails).push(mail);
                Ok(())
            }
        }
    }

    async fn answer(&self, client: &mut BufReader<TcpStream>, at: At, reply: &str) -> io::Result<()> {
        let trouble = self.trouble(|wanted| wanted == at).await?;
        say(client, trouble.unwrap_or(reply)).await
    }

    /// Applies a matching fault: `Some` replaces the usual reply, an error closes the connection.
    async fn trouble(&self, matches: impl Fn(At) -> bool) -> io::Result<Option<&'static str>> {
        let mut healed = pin!(self.healed.notified());
        // Registers before the fault is read, so that no heal is missed.
        healed.as_mut().enable();
        match self.fault(matches) {
            None => Ok(None),
            Some(Fault::Answer(reply)) => Ok(Some(reply)),
            Some(Fault::HangUp) => Err(io::ErrorKind::ConnectionAborted.into()),
            Some(Fault::Silence) => {
                healed.await;
                Ok(None)
            }
        }
    }

    fn fault(&self, matches: impl Fn(At) -> bool) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let index = faults.iter().position(|(at, _, _)| matches(*at))?;
        let (_, fault, times) = faults[index];
        if times == Times::Once {
            faults.remove(index);
        }
        Some(fault)
    }
}

async fn say(client: &mut BufReader<TcpStream>, reply: &str) -> io::Result<()> {
    client.write_all(format!("{reply}\r\n").as_bytes()).await
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

/// The text between the angle brackets.
fn address(command: &str) -> String {
    let bracketed = command.split_once('<').and_then(|(_, rest)| rest.rsplit_once('>'));
    bracketed.map_or_else(String::new, |(address, _)| address.to_owned())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}
