//! A TCP proxy with injectable network faults.

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{ReadHalf, WriteHalf},
    },
    sync::watch,
    time::sleep,
};
use tokio_util::task::TaskTracker;

const CHUNK: usize = 16 * 1024;

/// Wait before accepting again when the process has no free file descriptor.
const OUT_OF_FILES: Duration = Duration::from_millis(50);

/// Treatment of existing and new connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Forwards everything.
    Pass,
    /// Closes connections normally, new ones at once.
    Cut,
    /// Closes connections with a reset.
    Reset,
    /// Keeps connections but forwards nothing in this direction; held data follows once it forwards again.
    Stall(Direction),
    /// Drops the target's side and discards what the client sends. Affected connections stay dead; after a change of
    /// mode only new ones are forwarded.
    HalfOpen,
    /// Forwards each chunk after this delay.
    Delay(Duration),
}

/// A direction of data flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Both ways.
    Both,
    /// From the client to the target.
    ToTarget,
    /// From the target to the client.
    ToClient,
}

/// A proxy in front of a target. Dropping it closes all connections.
pub struct Proxy {
    address: SocketAddr,
    mode: watch::Sender<Mode>,
    connections: TaskTracker,
}

impl Proxy {
    /// Listens on a free local port and forwards to `target`, a `host:port` that may become available later.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start(target: String) -> io::Result<Self> {
        Self::start_on(SocketAddr::from(([127, 0, 0, 1], 0)), target).await
    }

    /// Listens on `listen` and forwards to `target`, a `host:port` that may become available later.
    ///
    /// # Errors
    /// When `listen` cannot be bound.
    pub async fn start_on(listen: SocketAddr, target: String) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let (mode, modes) = watch::channel(Mode::Pass);
        let connections = TaskTracker::new();
        #[expect(clippy::disallowed_methods, reason = "ends with the proxy, whose sender it listens to")]
        tokio::spawn(accept(listener, target, modes, connections.clone()));
        Ok(Self { address, mode, connections })
    }

    /// The address to use instead of the target's.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Number of current connections.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Applies the mode to existing and new connections.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    /// Sets [`Mode::Cut`].
    pub fn cut(&self) {
        self.set(Mode::Cut);
    }

    /// Sets [`Mode::Pass`].
    pub fn restore(&self) {
        self.set(Mode::Pass);
    }
}

/// The way a connection is ended by the proxy.
enum Fault {
    Cut,
    Reset,
    HalfOpen,
}

impl Mode {
    fn passes(self, direction: Direction) -> bool {
        match self {
            Self::Stall(stalled) => stalled != direction && stalled != Direction::Both,
            Self::Pass | Self::Delay(_) | Self::Cut | Self::Reset | Self::HalfOpen => true,
        }
    }

    fn delay(self) -> Option<Duration> {
        match self {
            Self::Delay(delay) => Some(delay),
            Self::Pass | Self::Stall(_) | Self::Cut | Self::Reset | Self::HalfOpen => None,
        }
    }

    fn fault(self) -> Option<Fault> {
        match self {
            Self::Pass | Self::Stall(_) | Self::Delay(_) => None,
            Self::Cut => Some(Fault::Cut),
            Self::Reset => Some(Fault::Reset),
            Self::HalfOpen => Some(Fault::HalfOpen),
        }
    }
}

async fn accept(
    listener: TcpListener,
    target: String,
    mut modes: watch::Receiver<Mode>,
    connections: TaskTracker,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = dropped(&mut modes) => return,
        };
        match accepted {
            Ok((client, _)) => {
                connections.spawn(carry(client, target.clone(), modes.clone()));
            }
            Err(_) => sleep(OUT_OF_FILES).await,
        }
    }
}

async fn dropped(modes: &mut watch::Receiver<Mode>) {
    while modes.changed().await.is_ok() {}
}

/// Forwards one connection until it ends.
async fn carry(mut client: TcpStream, target: String, mut modes: watch::Receiver<Mode>) {
    let mut others = modes.clone();
    let connected = tokio::select! {
        fault = fault(&mut modes) => Err(fault),
        server = connect(target, &mut others) => Ok(server),
    };
    let (mut server, fault) = match connected {
        Ok(Ok(mut server)) => {
            let fault = tokio::select! {
                _ = pass_both_ways(&mut client, &mut server, modes.clone()) => return,
                fault = fault(&mut modes) => fault,
            };
            (Some(server), fault)
        }
        Ok(Err(_)) => return,
        Err(fault) => (None, fault),
    };
    match fault {
        Fault::Cut => {}
        Fault::Reset => {
            for peer in std::iter::once(&client).chain(&server) {
                // Fails if the peer is already gone, which is fine.
                let _ = peer.set_zero_linger();
            }
        }
        Fault::HalfOpen => {
            drop(server.take());
            swallow(client, &mut modes).await;
        }
    }
}

/// Waits for a mode that ends connections; dropping the proxy counts as a cut.
async fn fault(modes: &mut watch::Receiver<Mode>) -> Fault {
    let ending = modes.wait_for(|mode| mode.fault().is_some()).await;
    ending.ok().and_then(|mode| mode.fault()).unwrap_or(Fault::Cut)
}

/// Connects once at least one direction is not stalled.
async fn connect(target: String, modes: &mut watch::Receiver<Mode>) -> io::Result<TcpStream> {
    let stalled = Mode::Stall(Direction::Both);
    modes.wait_for(|mode| *mode != stalled).await.map_err(|_| io::ErrorKind::ConnectionAborted)?;
    TcpStream::connect(target).await
}

async fn pass_both_ways(
    client: &mut TcpStream,
    server: &mut TcpStream,
    modes: watch::Receiver<Mode>,
) -> io::Result<()> {
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
    tokio::try_join!(
        pass(from_client, to_server, Direction::ToTarget, modes.clone()),
        pass(from_server, to_client, Direction::ToClient, modes),
    )?;
    Ok(())
}

/// Forwards one direction, including the end of the stream.
async fn pass(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    direction: Direction,
    mut modes: watch::Receiver<Mode>,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = from.read(&mut chunk).await?;
        // Data read before a stall began is held, too.
        let mode = modes.wait_for(|mode| mode.passes(direction)).await.map(|mode| *mode);
        let mode = mode.map_err(|_| io::ErrorKind::ConnectionAborted)?;
        if let Some(delay) = mode.delay() {
            sleep(delay).await;
        }
        match length {
            0 => return to.shutdown().await,
            length => to.write_all(&chunk[..length]).await?,
        }
    }
}

/// Reads and discards the client's data until it disconnects or the proxy ends connections.
async fn swallow(mut client: TcpStream, modes: &mut watch::Receiver<Mode>) {
    let ends = |mode: &Mode| matches!(mode.fault(), Some(Fault::Cut | Fault::Reset));
    let mut chunk = vec![0; CHUNK];
    let reset = tokio::select! {
        () = async { while client.read(&mut chunk).await.is_ok_and(|length| length > 0) {} } => false,
        ended = modes.wait_for(ends) => ended.is_ok_and(|mode| *mode == Mode::Reset),
    };
    if reset {
        let _ = client.set_zero_linger();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait;

    const TIMEOUT: Duration = Duration::from_millis(100);

    /// Starts an echo server.
    async fn echo() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
        tokio::spawn(async move {
            let peers = TaskTracker::new();
            while let Ok((mut peer, _)) = listener.accept().await {
                peers.spawn(async move {
                    let (mut from, mut to) = peer.split();
                    tokio::io::copy(&mut from, &mut to).await
                });
            }
        });
        address.to_string()
    }

    async fn proxy() -> (Proxy, TcpStream) {
        let proxy = Proxy::start(echo().await).await.unwrap();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(said_back(&mut client, b"hello").await.unwrap(), b"hello");
        (proxy, client)
    }

    async fn said_back(client: &mut TcpStream, words: &[u8]) -> io::Result<Vec<u8>> {
        client.write_all(words).await?;
        hear(client, words.len()).await
    }

    async fn hear(client: &mut TcpStream, length: usize) -> io::Result<Vec<u8>> {
        let mut heard = vec![0; length];
        client.read_exact(&mut heard).await?;
        Ok(heard)
    }

    /// Whether nothing arrives within [`TIMEOUT`]. A slow proxy may be taken for a silent one, but not the reverse.
    async fn is_silent(client: &mut TcpStream) -> bool {
        tokio::time::timeout(TIMEOUT, client.read_u8()).await.is_err()
    }

    async fn outcome(client: &mut TcpStream) -> Result<usize, io::ErrorKind> {
        client.read(&mut [0; 64]).await.map_err(|error| error.kind())
    }

    #[tokio::test]
    async fn a_cut_ends_in_good_order_and_a_reset_does_not() {
        let (proxy, mut client) = proxy().await;
        proxy.cut();
        assert_eq!(outcome(&mut client).await, Ok(0));
        let mut late = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(outcome(&mut late).await, Ok(0));

        proxy.restore();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(said_back(&mut client, b"hello").await.unwrap(), b"hello");
        proxy.set(Mode::Reset);
        assert_eq!(outcome(&mut client).await, Err(io::ErrorKind::ConnectionReset));
    }

    #[tokio::test]
    async fn what_was_sent_during_a_stall_follows_after_it() {
        let (proxy, mut client) = proxy().await;
        proxy.set(Mode::Stall(Direction::Both));
        let mut late = TcpStream::connect(proxy.address()).await.unwrap();
        for client in [&mut client, &mut late] {
            client.write_all(b"are you there").await.unwrap();
            assert!(is_silent(client).await);
        }
        proxy.restore();
        assert_eq!(hear(&mut client, 13).await.unwrap(), b"are you there");
        assert_eq!(hear(&mut late, 13).await.unwrap(), b"are you there");
    }

    #[tokio::test]
    async fn a_stall_in_one_direction_lets_the_other_pass() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(listener.local_addr().unwrap().to_string()).await.unwrap();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        proxy.set(Mode::Stall(Direction::ToClient));
        client.write_all(b"question").await.unwrap();
        assert_eq!(hear(&mut server, 8).await.unwrap(), b"question");
        server.write_all(b"answer").await.unwrap();
        assert!(is_silent(&mut client).await);
        proxy.set(Mode::Stall(Direction::ToTarget));
        assert_eq!(hear(&mut client, 6).await.unwrap(), b"answer");
        client.write_all(b"question").await.unwrap();
        assert!(is_silent(&mut server).await);
    }

    #[tokio::test]
    async fn a_half_open_connection_is_gone_for_the_server_alone() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(listener.local_addr().unwrap().to_string()).await.unwrap();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        proxy.set(Mode::HalfOpen);
        assert_eq!(outcome(&mut server).await, Ok(0));
        for _ in 0..100 {
            client.write_all(&[0; CHUNK]).await.unwrap();
        }
        assert!(is_silent(&mut client).await);
        proxy.restore();
        assert!(is_silent(&mut client).await, "what is dead came back to life");
        drop(client);
        wait::until("the connection to be forgotten", async || proxy.connections() == 0).await;
    }

    #[tokio::test]
    async fn each_chunk_is_late_by_the_delay() {
        let (proxy, mut client) = proxy().await;
        proxy.set(Mode::Delay(TIMEOUT));
        let started = tokio::time::Instant::now();
        assert_eq!(said_back(&mut client, b"hello").await.unwrap(), b"hello");
        assert!(started.elapsed() >= 2 * TIMEOUT, "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn a_target_may_come_later_and_connections_leave_nothing_behind() {
        let reserved = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = reserved.local_addr().unwrap();
        drop(reserved);
        let proxy = Proxy::start(target.to_string()).await.unwrap();
        let mut early = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(outcome(&mut early).await, Ok(0));

        let listener = TcpListener::bind(target).await.unwrap();
        for _ in 0..1000 {
            let mut client = TcpStream::connect(proxy.address()).await.unwrap();
            let (mut server, _) = listener.accept().await.unwrap();
            client.write_all(b"bye").await.unwrap();
            drop(client);
            assert_eq!(hear(&mut server, 3).await.unwrap(), b"bye");
        }
        wait::until("all connections to be forgotten", async || proxy.connections() == 0).await;
    }
}
