//! gRPC over TLS with certificates that are renewed at run time.

use std::{fs, path::Path, time::Duration};

use contracts::crm::v1::RecordLeadRequest;
use crm_client::{CrmClient, Encryption, Settings, Token};
use crm_sync::{
    app::App,
    config::{Config, Grpc},
    tls::Certificate,
};
use tempfile::TempDir;
use testkit::{crm::INTAKE, database::sqlite};
use tonic::Status;

use crate::support::{NO_BROKER, config, lead};

const IN_TIME: Duration = Duration::from_secs(5);

/// Writes a new self-signed certificate for localhost, which is also its authority.
fn write_certificate(directory: &Path) -> Certificate {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = Certificate {
        chain: directory.join("tls.crt"),
        key: directory.join("tls.key"),
    };
    fs::write(&certificate.chain, made.cert.pem()).unwrap();
    fs::write(&certificate.key, made.signing_key.serialize_pem()).unwrap();
    certificate
}

/// Records the lead over a new connection.
async fn record(url: &str, authorities: &Path) -> Result<bool, Status> {
    let encryption = Encryption {
        crm_ca_file: Some(authorities.into()),
        grpc_plaintext: true,
    };
    let token = Token::new(&INTAKE.into()).unwrap();
    let settings = Settings::new(url, token, encryption).unwrap();
    let request = || RecordLeadRequest {
        lead: Some(lead(1)),
        ..RecordLeadRequest::default()
    };
    let call = CrmClient::new(&settings)
        .call(IN_TIME, async |mut crm| {
            crm.leads.record_lead(request()).await
        })
        .await;
    call.map(|answer| answer.created)
}

#[tokio::test]
async fn calls_are_encrypted_with_the_renewed_certificate() {
    let database = sqlite();
    let directory = TempDir::new().unwrap();
    let other = TempDir::new().unwrap();
    let certificate = write_certificate(directory.path());
    let (context, _) = testkit::context("crm-sync");
    let grpc = Grpc {
        grpc_certificate_file: Some(certificate.chain.clone()),
        grpc_key_file: Some(certificate.key.clone()),
        ..Grpc::without_tls("127.0.0.1:0".parse().unwrap())
    };
    let config = Config {
        grpc,
        ..config(NO_BROKER, database.url())
    };
    let port = App::start(config, &context).await.unwrap().grpc_addr.port();
    let url = format!("https://localhost:{port}");
    assert!(record(&url, &certificate.chain).await.unwrap());

    let stranger = write_certificate(other.path());
    record(&url, &stranger.chain)
        .await
        .expect_err("the authority is unknown");
    record(&format!("http://localhost:{port}"), &certificate.chain)
        .await
        .expect_err("plaintext");

    write_certificate(directory.path());
    assert!(
        !record(&url, &certificate.chain).await.unwrap(),
        "already stored"
    );
    fs::write(&certificate.key, "no key").unwrap();
    record(&url, &certificate.chain)
        .await
        .expect_err("invalid key");
    write_certificate(directory.path());
    record(&url, &certificate.chain).await.unwrap();
}
