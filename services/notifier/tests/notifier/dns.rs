//! The DNS records that check-config prints, from a real server.

use std::net::SocketAddr;

use hickory_resolver::{
    TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolverConfig},
    net::runtime::TokioRuntimeProvider,
};
use notifier::{dns, mail::MailContext};
use tokio::net::UdpSocket;
use tokio_util::task::TaskTracker;

use crate::support::mail_context;

const RECORDS: [(&str, &str); 3] = [
    (
        "zyongrand.example",
        "v=spf1 include:_spf.provider.example -all",
    ),
    ("zyongrand.example", "some-verification=1"),
    ("_dmarc.zyongrand.example", "v=DMARC1; p=quarantine"),
];

/// Answers queries for TXT records with [`RECORDS`], and with NXDOMAIN for other names.
async fn start_server() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    let address = socket.local_addr().expect("its address");
    TaskTracker::new().spawn(async move {
        let mut query = [0; 512];
        while let Ok((_, client)) = socket.recv_from(&mut query).await {
            // The name starts after the header, as labels that each follow their length.
            let (mut labels, mut end) = (Vec::new(), 12);
            while query[end] != 0 {
                let next = end + 1 + usize::from(query[end]);
                labels.push(String::from_utf8_lossy(&query[end + 1..next]).to_lowercase());
                end = next;
            }
            let name = labels.join(".");
            let texts: Vec<_> = RECORDS
                .iter()
                .filter(|(it, _)| *it == name)
                .map(|(_, text)| text)
                .collect();
            let code = if texts.is_empty() { 3 } else { 0 };
            let count = u8::try_from(texts.len()).expect("few records");
            let mut reply = [
                &query[..2],
                &[0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0],
            ]
            .concat();
            reply.extend(&query[12..end + 5]);
            for text in texts {
                let length = u8::try_from(text.len()).expect("a short text");
                reply.extend([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, length + 1, length]);
                reply.extend(text.as_bytes());
            }
            socket.send_to(&reply, client).await.expect("sent");
        }
    });
    address
}

async fn records(server: SocketAddr, context: &MailContext) -> String {
    let mut connection = ConnectionConfig::udp();
    connection.port = server.port();
    let server = NameServerConfig::new(server.ip(), true, vec![connection]);
    let config = ResolverConfig::from_name_servers(vec![server]);
    let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    dns::look_up_records(builder, context).await
}

#[tokio::test]
async fn prints_each_record_of_the_sender() {
    let server = start_server().await;
    let printed = records(server, &mail_context()).await;
    for line in [
        "  SPF   zyongrand.example  v=spf1 include:_spf.provider.example -all",
        "  DMARC _dmarc.zyongrand.example  v=DMARC1; p=quarantine",
        "  DKIM  not checked: set DKIM_SELECTOR to the selector of the mail server's key",
    ] {
        assert!(
            printed.lines().any(|found| found == line),
            "{line} is not in\n{printed}"
        );
    }
    let context = MailContext {
        dkim_selector: Some("key1".to_owned()),
        visitor_bounces_to: Some("bounces@mail.zyongrand.example".parse().unwrap()),
        ..mail_context()
    };
    let printed = records(server, &context).await;
    for line in [
        "  DKIM  key1._domainkey.zyongrand.example  not found",
        "  SPF   mail.zyongrand.example  not found",
    ] {
        assert!(
            printed.lines().any(|found| found == line),
            "{line} is not in\n{printed}"
        );
    }
}

#[tokio::test]
async fn silent_resolver_is_reported() {
    let silent = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    let printed = records(silent.local_addr().expect("its address"), &mail_context()).await;
    assert!(
        printed.contains("zyongrand.example  not checked: no resolver answered\n"),
        "{printed}"
    );
}
