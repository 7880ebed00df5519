//! A TCP proxy that can be cut, to stand between a service and what it depends on.

use std::{io, net::SocketAddr};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// Passes connections on to a target until it is cut.
pub struct Proxy {
    address: SocketAddr,
    open: watch::Sender<bool>,
}

impl Proxy {
    /// Listens on a free port and passes on to `target`, a `host:port`.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start(target: String) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (open, is_open) = watch::channel(true);
        #[expect(clippy::disallowed_methods, reason = "ends with the proxy, whose sender it listens to")]
        tokio::spawn(accept(listener, target, is_open));
        Ok(Self { address, open })
    }

    /// Where to connect instead of to the target.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all connections and closes new ones at once.
    pub fn cut(&self) {
        self.open.send_replace(false);
    }

    /// Passes new connections on again.
    pub fn restore(&self) {
        self.open.send_replace(true);
    }
}

async fn accept(listener: TcpListener, target: String, mut is_open: watch::Receiver<bool>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            gone = is_open.wait_for(|_| false) => { let _ = gone; return }
        };
        let Ok((mut client, _)) = accepted else { return };
        let (target, mut is_open) = (target.clone(), is_open.clone());
        #[expect(clippy::disallowed_methods, reason = "ends with the connection or the proxy")]
        tokio::spawn(async move {
            if !*is_open.borrow() {
                return;
            }
            let Ok(mut server) = TcpStream::connect(target).await else { return };
            tokio::select! {
                _ = copy_bidirectional(&mut client, &mut server) => {}
                _ = is_open.wait_for(|open| !open) => {}
            }
        });
    }
}
