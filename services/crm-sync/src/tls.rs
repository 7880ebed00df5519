//! TLS for the gRPC port. Each connection reads the certificate files, so renewed certificates need no restart.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures_util::{Stream, StreamExt};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
    },
    server::TlsStream,
};
use tracing::warn;

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of concurrent handshakes.
const HANDSHAKES: usize = 256;

/// PEM files of the certificate chain and the private key.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub chain: PathBuf,
    pub key: PathBuf,
}

impl Certificate {
    pub fn load_config(&self) -> io::Result<ServerConfig> {
        let unreadable = |file: &Path, error: pem::Error| {
            io::Error::other(format!("{}: {error}", file.display()))
        };
        let chain = CertificateDer::pem_file_iter(&self.chain).and_then(Iterator::collect);
        let chain = chain.map_err(|error| unreadable(&self.chain, error))?;
        let key = PrivateKeyDer::from_pem_file(&self.key)
            .map_err(|error| unreadable(&self.key, error))?;
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key);
        let mut config = config.map_err(io::Error::other)?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(config)
    }

    /// Performs the TLS handshake on each connection. Logs and drops connections whose handshake fails.
    pub(crate) fn encrypt(
        self,
        incoming: impl Stream<Item = io::Result<TcpStream>>,
    ) -> impl Stream<Item = io::Result<TlsStream<TcpStream>>> {
        let accepted = incoming.map(move |stream| {
            let certificate = self.clone();
            async move {
                let (stream, config) = (stream?, certificate.load_config());
                let handshake = async { TlsAcceptor::from(Arc::new(config?)).accept(stream).await };
                let failure = match timeout(HANDSHAKE_TIMEOUT, handshake).await {
                    Ok(Ok(stream)) => return Ok(Some(stream)),
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => "handshake timed out".to_owned(),
                };
                warn!(failure, "TLS handshake failed");
                Ok(None)
            }
        });
        accepted
            .buffer_unordered(HANDSHAKES)
            .filter_map(async |accepted| accepted.transpose())
    }
}
