//! TLS of the gRPC port. The files are read for each connection, so that renewed ones are used from then on.

use std::{io, path::PathBuf, sync::Arc, time::Duration};

use futures_util::{Stream, StreamExt};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        self, ServerConfig,
        pki_types::{CertificateDer, PrivateKeyDer, pem, pem::PemObject},
    },
    server::TlsStream,
};
use tracing::warn;

/// Limit of one handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// Handshakes at once.
const HANDSHAKES: usize = 256;

/// The files of the port's certificate and its key, in PEM.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub chain: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum UnusableCertificate {
    #[error("{0}: {1}")]
    File(PathBuf, pem::Error),
    #[error("cannot use certificate and key: {0}")]
    Pair(#[from] rustls::Error),
}

impl Certificate {
    pub fn load_config(&self) -> Result<ServerConfig, UnusableCertificate> {
        let unreadable = |file: &PathBuf| {
            let file = file.clone();
            move |error| UnusableCertificate::File(file, error)
        };
        let chain = CertificateDer::pem_file_iter(&self.chain).map_err(unreadable(&self.chain))?;
        let chain = chain.collect::<Result<Vec<_>, _>>().map_err(unreadable(&self.chain))?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(unreadable(&self.key))?;
        let mut config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key)?;
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(config)
    }

    /// These connections, encrypted. One whose handshake fails is left out.
    pub(crate) fn encrypt(
        self,
        incoming: impl Stream<Item = io::Result<TcpStream>>,
    ) -> impl Stream<Item = io::Result<TlsStream<TcpStream>>> {
        let accepted = incoming.map(move |stream| {
            let certificate = self.clone();
            async move {
                let handshake = certificate.accept_tls(stream?);
                let failure = match timeout(HANDSHAKE_TIMEOUT, handshake).await {
                    Ok(Ok(stream)) => return Ok(Some(stream)),
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => "handshake timed out".to_owned(),
                };
                warn!(failure, "TLS handshake failed");
                Ok(None)
            }
        });
        accepted.buffer_unordered(HANDSHAKES).filter_map(async |accepted| accepted.transpose())
    }

    async fn accept_tls(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let config = self.load_config().map_err(io::Error::other)?;
        TlsAcceptor::from(Arc::new(config)).accept(stream).await
    }
}
