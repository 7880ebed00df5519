//! Parses the CRM's address and connects to it, with TLS for `https://`.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::ArgAction;
use hyper_util::rt::TokioIo;
use runtime::network::is_loopback;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{
        ClientConfig, RootCertStore,
        pki_types::{CertificateDer, ServerName, pem::PemObject},
    },
};
use tonic::transport::{Channel, Endpoint, Uri};
use tower::{BoxError, service_fn};

#[derive(Clone, Debug, Default, clap::Args)]
#[group(skip)]
pub struct Encryption {
    /// PEM file with the CA certificates for https:// in CRM_URL; read again for each connection
    #[arg(long, env)]
    pub crm_ca_file: Option<PathBuf>,
    /// Set to true to allow http:// to other machines in CRM_URL, if the network encrypts, e.g. a service mesh
    #[arg(long, env, action = ArgAction::Set, default_value_t = false)]
    pub grpc_plaintext: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAddress {
    #[error("contains no address")]
    Missing,
    #[error("{0:?} is not an address: use https://HOST:PORT or http://HOST:PORT")]
    Malformed(String),
    /// Calls would carry leads over a network without encryption.
    #[error(
        "{0:?} is not encrypted and not on this machine: use https://, or allow plaintext if the network encrypts"
    )]
    Plaintext(String),
    /// An `https://` address without CA certificates.
    #[error("{0:?} needs a file with CA certificates")]
    NoAuthorities(String),
}

#[derive(Clone, Debug)]
pub struct Address {
    /// Connection options; change them before connecting.
    pub endpoint: Endpoint,
    /// File of CA certificates; `None` connects without TLS.
    authorities: Option<Arc<Path>>,
}

impl Address {
    /// Parses `https://HOST:PORT`, or `http://HOST:PORT` on this machine or over a network that encrypts.
    ///
    /// # Errors
    /// [`InvalidAddress`]
    pub fn new(address: &str, encryption: &Encryption) -> Result<Self, InvalidAddress> {
        let address = || address.to_owned();
        let endpoint =
            Endpoint::from_shared(address()).map_err(|_| InvalidAddress::Malformed(address()))?;
        let host = endpoint.uri().host().unwrap_or_default();
        let authorities = match endpoint.uri().scheme_str() {
            Some("http") if encryption.grpc_plaintext || is_loopback(host) => None,
            Some("http") => return Err(InvalidAddress::Plaintext(address())),
            Some("https") => match &encryption.crm_ca_file {
                Some(file) => Some(file.as_path().into()),
                None => return Err(InvalidAddress::NoAuthorities(address())),
            },
            _ => return Err(InvalidAddress::Malformed(address())),
        };
        Ok(Self {
            endpoint,
            authorities,
        })
    }

    /// Returns a channel that connects on first use. Must be called within a tokio runtime.
    #[must_use]
    pub fn connect_lazy(&self) -> Channel {
        let Some(file) = self.authorities.clone() else {
            return self.endpoint.connect_lazy();
        };
        self.endpoint
            .connect_with_connector_lazy(service_fn(move |uri| connect(uri, file.clone())))
    }
}

/// Connects with TLS. Reads the CA certificates again for each connection, so that operators can replace them.
async fn connect(
    uri: Uri,
    authorities: Arc<Path>,
) -> Result<TokioIo<TlsStream<TcpStream>>, BoxError> {
    let config = read_authorities(&authorities);
    let config = config.map_err(|error| format!("{}: {error}", authorities.display()))?;
    let host = uri
        .host()
        .unwrap_or_default()
        .trim_matches(['[', ']'])
        .to_owned();
    let stream = TcpStream::connect((host.as_str(), uri.port_u16().unwrap_or(443))).await?;
    stream.set_nodelay(true)?;
    let stream = TlsConnector::from(Arc::new(config))
        .connect(ServerName::try_from(host)?, stream)
        .await?;
    Ok(TokioIo::new(stream))
}

fn read_authorities(file: &Path) -> Result<ClientConfig, BoxError> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file)? {
        roots.add(certificate?)?;
    }
    let mut config = ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plaintext_only_on_loopback() {
        let tls = Encryption {
            crm_ca_file: Some("ca.crt".into()),
            grpc_plaintext: false,
        };
        let mesh = Encryption {
            crm_ca_file: None,
            grpc_plaintext: true,
        };
        let none = Encryption::default();
        for (address, encryption, expected) in [
            ("http://127.0.0.1:50051", &none, Ok(())),
            ("http://[::1]:50051", &none, Ok(())),
            ("http://localhost:50051", &none, Ok(())),
            (
                "http://crm:50051",
                &none,
                Err(InvalidAddress::Plaintext("http://crm:50051".to_owned())),
            ),
            (
                "http://crm:50051",
                &tls,
                Err(InvalidAddress::Plaintext("http://crm:50051".to_owned())),
            ),
            ("http://crm:50051", &mesh, Ok(())),
            (
                "https://crm:50051",
                &none,
                Err(InvalidAddress::NoAuthorities(
                    "https://crm:50051".to_owned(),
                )),
            ),
            ("https://crm:50051", &tls, Ok(())),
            (
                "crm:50051",
                &mesh,
                Err(InvalidAddress::Malformed("crm:50051".to_owned())),
            ),
            (
                "ftp://crm",
                &mesh,
                Err(InvalidAddress::Malformed("ftp://crm".to_owned())),
            ),
            (
                "http://a b",
                &mesh,
                Err(InvalidAddress::Malformed("http://a b".to_owned())),
            ),
        ] {
            assert_eq!(
                Address::new(address, encryption).map(drop),
                expected,
                "{address}"
            );
        }
    }
}
