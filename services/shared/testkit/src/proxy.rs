//! A TCP proxy with injectable network faults.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

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
    Pass,
    /// Closes connections normally, and new ones immediately.
    Cut,
    /// Closes connections with a reset.
    Reset,
    /// Keeps connections open but stops forwarding in this direction. Pending data follows when forwarding resumes.
    Stall(Direction),
    /// Closes the target's side and discards data from the client. Affected connections never recover: after a change
    /// of mode, the proxy forwards only new connections.
    HalfOpen,
    /// Forwards each chunk after this delay.
    Delay(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Both,
    ToTarget,
    ToClient,
}

impl Mode {
    fn is_stalling(self, direction: Direction) -> bool {
        matches!(self, Self::Stall(stalled) if stalled == direction || stalled == Direction::Both)
    }

    fn is_closing(self) -> bool {
        matches!(self, Self::Cut | Self::Reset)
    }
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
        Self::start_balanced(vec![target]).await
    }

    /// Distributes connections over several targets in turn, and skips those that refuse.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start_balanced(targets: Vec<String>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (mode, modes) = watch::channel(Mode::Pass);
        let proxy = Self {
            address: listener.local_addr()?,
            mode,
            connections: TaskTracker::new(),
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "ends when the proxy drops the sender of modes"
        )]
        tokio::spawn(accept(listener, targets, modes, proxy.connections.clone()));
        Ok(proxy)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn connections(&self) -> usize {
        self.connections.len()
    }

    /// Applies the mode to existing and new connections.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }

    pub fn cut(&self) {
        self.set(Mode::Cut);
    }

    pub fn restore(&self) {
        self.set(Mode::Pass);
    }
}

async fn accept(
    listener: TcpListener,
    mut targets: Vec<String>,
    mut modes: watch::Receiver<Mode>,
    connections: TaskTracker,
) {
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    connections.spawn(forward(client, targets.clone(), modes.clone()));
                    targets.rotate_left(1);
                }
                Err(_) => sleep(OUT_OF_FILES).await,
            },
            changed = modes.changed() => if changed.is_err() { return },
        }
    }
}

/// Forwards one connection until it ends.
async fn forward(mut client: TcpStream, targets: Vec<String>, mut modes: watch::Receiver<Mode>) {
    let (mut server, forwarding) = (None, modes.clone());
    let mut fault = tokio::select! {
        fault = wait_for(&mut modes, |mode| mode.is_closing() || mode == Mode::HalfOpen) => fault,
        _ = try_forward(&mut client, &mut server, &targets, forwarding) => return,
    };
    if fault == Mode::HalfOpen {
        drop(server.take());
        let mut chunk = vec![0; CHUNK];
        fault = tokio::select! {
            () = async { while client.read(&mut chunk).await.is_ok_and(|length| length > 0) {} } => return,
            fault = wait_for(&mut modes, Mode::is_closing) => fault,
        };
    }
    if fault == Mode::Reset {
        for peer in std::iter::once(&client).chain(&server) {
            // Fails harmlessly if the peer has disconnected.
            let _ = peer.set_zero_linger();
        }
    }
}

/// Waits for a matching mode. Returns [`Mode::Cut`] after the proxy is dropped.
async fn wait_for(modes: &mut watch::Receiver<Mode>, matches: impl Fn(Mode) -> bool) -> Mode {
    modes
        .wait_for(|mode| matches(*mode))
        .await
        .map_or(Mode::Cut, |mode| *mode)
}

async fn try_forward(
    client: &mut TcpStream,
    server: &mut Option<TcpStream>,
    targets: &[String],
    mut modes: watch::Receiver<Mode>,
) -> io::Result<()> {
    // Connects once at least one direction is not stalled.
    wait_for(&mut modes, |mode| mode != Mode::Stall(Direction::Both)).await;
    let server = server.insert(connect(targets).await?);
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let ((from_client, to_client), (from_server, to_server)) = (client.split(), server.split());
    tokio::try_join!(
        pass(from_client, to_server, Direction::ToTarget, modes.clone()),
        pass(from_server, to_client, Direction::ToClient, modes),
    )?;
    Ok(())
}

/// Connects to the first target that accepts.
async fn connect(targets: &[String]) -> io::Result<TcpStream> {
    let mut outcome = Err(io::ErrorKind::ConnectionRefused.into());
    for target in targets {
        outcome = TcpStream::connect(target).await;
        if outcome.is_ok() {
            break;
        }
    }
    outcome
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
        // A stall also delays data that was read before it began.
        if let Mode::Delay(delay) = wait_for(&mut modes, |mode| !mode.is_stalling(direction)).await
        {
            sleep(delay).await;
        }
        match length {
            0 => return to.shutdown().await,
            length => to.write_all(&chunk[..length]).await?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait;

    const TIMEOUT: Duration = Duration::from_millis(100);

    /// Starts an echo server and returns its address.
    async fn start_echo_server() -> String {
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

    async fn start_proxy() -> (Proxy, TcpStream) {
        let proxy = Proxy::start(start_echo_server().await).await.unwrap();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(
            send_and_receive(&mut client, b"hello").await.unwrap(),
            b"hello"
        );
        (proxy, client)
    }

    async fn send_and_receive(client: &mut TcpStream, words: &[u8]) -> io::Result<Vec<u8>> {
        client.write_all(words).await?;
        receive(client, words.len()).await
    }

    async fn receive(client: &mut TcpStream, length: usize) -> io::Result<Vec<u8>> {
        let mut heard = vec![0; length];
        client.read_exact(&mut heard).await?;
        Ok(heard)
    }

    /// Whether no data arrives within [`TIMEOUT`]. A slow proxy may appear silent, but never the reverse.
    async fn is_silent(client: &mut TcpStream) -> bool {
        tokio::time::timeout(TIMEOUT, client.read_u8())
            .await
            .is_err()
    }

    async fn outcome(client: &mut TcpStream) -> Result<usize, io::ErrorKind> {
        client
            .read(&mut [0; 64])
            .await
            .map_err(|error| error.kind())
    }

    #[tokio::test]
    async fn cut_proxy_closes_connections_and_reset_proxy_resets_them() {
        let (proxy, mut client) = start_proxy().await;
        proxy.cut();
        assert_eq!(outcome(&mut client).await, Ok(0));
        let mut late = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(outcome(&mut late).await, Ok(0));

        proxy.restore();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(
            send_and_receive(&mut client, b"hello").await.unwrap(),
            b"hello"
        );
        proxy.set(Mode::Reset);
        assert_eq!(
            outcome(&mut client).await,
            Err(io::ErrorKind::ConnectionReset)
        );
    }

    #[tokio::test]
    async fn stalled_data_follows_later() {
        let (proxy, mut client) = start_proxy().await;
        proxy.set(Mode::Stall(Direction::Both));
        let mut late = TcpStream::connect(proxy.address()).await.unwrap();
        for client in [&mut client, &mut late] {
            client.write_all(b"are you there").await.unwrap();
            assert!(is_silent(client).await);
        }
        proxy.restore();
        assert_eq!(receive(&mut client, 13).await.unwrap(), b"are you there");
        assert_eq!(receive(&mut late, 13).await.unwrap(), b"are you there");
    }

    #[tokio::test]
    async fn stall_affects_one_direction() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(listener.local_addr().unwrap().to_string())
            .await
            .unwrap();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        proxy.set(Mode::Stall(Direction::ToClient));
        client.write_all(b"question").await.unwrap();
        assert_eq!(receive(&mut server, 8).await.unwrap(), b"question");
        server.write_all(b"answer").await.unwrap();
        assert!(is_silent(&mut client).await);
        proxy.set(Mode::Stall(Direction::ToTarget));
        assert_eq!(receive(&mut client, 6).await.unwrap(), b"answer");
        client.write_all(b"question").await.unwrap();
        assert!(is_silent(&mut server).await);
    }

    #[tokio::test]
    async fn half_open_closes_only_the_server_side() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(listener.local_addr().unwrap().to_string())
            .await
            .unwrap();
        let mut client = TcpStream::connect(proxy.address()).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        proxy.set(Mode::HalfOpen);
        assert_eq!(outcome(&mut server).await, Ok(0));
        for _ in 0..100 {
            client.write_all(&[0; CHUNK]).await.unwrap();
        }
        assert!(is_silent(&mut client).await);
        proxy.restore();
        assert!(
            is_silent(&mut client).await,
            "a half-open connection forwarded data again"
        );
        drop(client);
        wait::until("the connection to close", async || proxy.connections() == 0).await;
    }

    #[tokio::test]
    async fn delays_each_chunk() {
        let (proxy, mut client) = start_proxy().await;
        proxy.set(Mode::Delay(TIMEOUT));
        let started = tokio::time::Instant::now();
        assert_eq!(
            send_and_receive(&mut client, b"hello").await.unwrap(),
            b"hello"
        );
        assert!(started.elapsed() >= 2 * TIMEOUT, "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn balances_over_targets_that_accept() {
        let mut listeners = Vec::new();
        for _ in 0..3 {
            listeners.push(TcpListener::bind("127.0.0.1:0").await.unwrap());
        }
        let target = |listener: &TcpListener| listener.local_addr().unwrap().to_string();
        let proxy = Proxy::start_balanced(listeners.iter().map(target).collect())
            .await
            .unwrap();
        drop(listeners.remove(1));
        for listener in [&listeners[0], &listeners[1], &listeners[1], &listeners[0]] {
            let _client = TcpStream::connect(proxy.address()).await.unwrap();
            listener.accept().await.unwrap();
        }
    }

    #[tokio::test]
    async fn target_may_start_later() {
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
            assert_eq!(receive(&mut server, 3).await.unwrap(), b"bye");
        }
        wait::until("all connections to close", async || {
            proxy.connections() == 0
        })
        .await;
    }
}
