//! Sends mails with lettre in a loop, checking the connection before each mail as lettre's own pool does.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use lettre::address::{Address, Envelope};
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::extension::ClientId;
use testkit::smtp::Mail;
use tokio::task::JoinSet;
use tokio::time::Instant;
use xtask::error::{Error, Result};

/// As many as notifier keeps.
pub(crate) const CONNECTIONS: u64 = 8;

/// Sends copies of a mail, in sequence on each connection; returns the duration of each.
pub(crate) async fn send(port: u16, mail: &Mail, copies: u64, connections: u64) -> Result<Vec<Duration>> {
    let address = |text: &str| -> Result<Address> {
        text.parse().map_err(|error| Error::failed(format!("{text} is not an email address: {error}")))
    };
    let to = mail.to.iter().map(|to| address(to)).collect::<Result<_>>()?;
    let envelope = Envelope::new(Some(address(&mail.from)?), to)
        .map_err(|error| Error::failed(format!("cannot create the envelope: {error}")))?;
    let what = Arc::new((envelope, mail.raw.clone()));
    let mut senders = JoinSet::new();
    for number in 0..connections {
        let what = Arc::clone(&what);
        let share = copies / connections + u64::from(number < copies % connections);
        senders.spawn(async move {
            let (envelope, raw) = &*what;
            let server = (Ipv4Addr::LOCALHOST, port);
            let mut connection =
                AsyncSmtpConnection::connect_tokio1(server, None, &ClientId::default(), None, None).await?;
            let mut took = Vec::new();
            for _ in 0..share {
                let began = Instant::now();
                if !connection.test_connected().await {
                    break;
                }
                connection.send(envelope, raw).await?;
                took.push(began.elapsed());
            }
            connection.quit().await?;
            Ok::<_, lettre::transport::smtp::Error>(took)
        });
    }
    let mut took = Vec::new();
    while let Some(joined) = senders.join_next().await {
        let sent = joined.map_err(|_| Error::failed("sending panicked; see its message above"))?;
        took.extend(sent.map_err(|error| Error::failed(format!("lettre cannot send an email: {error}")))?);
    }
    Ok(took)
}
