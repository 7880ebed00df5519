//! Publishes with plain lapin: one connection, several channels, confirms.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use contracts::leads::v1::LeadSubmitted;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Confirmation, Connection, ConnectionProperties};
use messaging::topology::{EXCHANGE, Route};
use prost::Message;
use runtime::clock::{Clock, SystemClock};
use tokio::task::JoinSet;
use xtask::error::{Error, Result};

use crate::lead::Leads;
use crate::measure::Who;

/// `delivery_mode` of a message that survives a broker restart.
const PERSISTENT: u8 = 2;
/// Channels that publish concurrently.
pub(crate) const CHANNELS: usize = 8;
/// Unconfirmed publishes per channel.
pub(crate) const IN_FLIGHT: usize = 64;

/// Publishes and awaits confirms. Clones share the connection.
#[derive(Clone)]
pub(crate) struct Publisher {
    shared: Arc<Shared>,
}

struct Shared {
    channels: Vec<Channel>,
    next: AtomicUsize,
    _connection: Connection,
}

impl Publisher {
    pub(crate) async fn connect(url: &str) -> Result<Self> {
        let connection = Connection::connect(url, ConnectionProperties::default())
            .await
            .map_err(|error| failed(&error))?;
        let mut channels = Vec::with_capacity(CHANNELS);
        for _ in 0..CHANNELS {
            let channel = connection.create_channel().await.map_err(|error| failed(&error))?;
            channel.confirm_select(ConfirmSelectOptions::default()).await.map_err(|error| failed(&error))?;
            channels.push(channel);
        }
        let shared = Shared { channels, next: AtomicUsize::new(0), _connection: connection };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Publishes a lead and returns once the broker has confirmed it.
    pub(crate) async fn publish(&self, lead: &LeadSubmitted, trace: &str) -> Result<()> {
        self.publish_body(&lead.lead_id, &lead.encode_to_vec(), trace).await
    }

    async fn publish_body(&self, id: &str, body: &[u8], trace: &str) -> Result<()> {
        let key = Route::LeadSubmittedV1.key();
        let mut headers = FieldTable::default();
        headers.insert("traceparent".into(), AMQPValue::LongString(trace.into()));
        let properties = BasicProperties::default()
            .with_delivery_mode(PERSISTENT)
            .with_message_id(id.into())
            .with_type(key.into())
            .with_content_type("application/x-protobuf".into())
            .with_headers(headers);
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let channel = &self.shared.channels[number % CHANNELS];
        let options = BasicPublishOptions::default();
        let publishing = async {
            channel.basic_publish(EXCHANGE.into(), key.into(), options, body, properties).await?.await
        };
        match publishing.await {
            Ok(Confirmation::Ack(_)) => Ok(()),
            Ok(Confirmation::Nack(_) | Confirmation::NotRequested) => {
                Err(Error::failed("the broker did not confirm a message"))
            }
            Err(error) => Err(failed(&error)),
        }
    }

    /// Publishes `count` leads, as ours or the peer's; `tell` receives the progress.
    pub(crate) async fn fill(&self, whose: Who, count: u64, leads: &Leads, tell: impl Fn(u64)) -> Result<()> {
        let mut under_way = JoinSet::new();
        for number in 0..count {
            if under_way.len() >= CHANNELS * IN_FLIGHT {
                confirmed(under_way.join_next().await)?;
            }
            let (publisher, lead) = (self.clone(), leads.next());
            let now = SystemClock.now();
            let body = match whose {
                Who::Ours | Who::Ceiling => lead.event(now).encode_to_vec(),
                Who::Peer => lead.event_of_peer(now),
            };
            let id = ::lead::id_of(lead.key()).to_string();
            under_way.spawn(async move { publisher.publish_body(&id, &body, &lead.trace()).await });
            if number.is_multiple_of(1000) {
                tell(number);
            }
        }
        while let Some(joined) = under_way.join_next().await {
            confirmed(Some(joined))?;
        }
        Ok(())
    }
}

fn confirmed(joined: Option<std::result::Result<Result<()>, tokio::task::JoinError>>) -> Result<()> {
    match joined {
        Some(joined) => joined.map_err(|_| Error::failed("publishing panicked; see its message above"))?,
        None => Ok(()),
    }
}

fn failed(error: &lapin::Error) -> Error {
    Error::failed(format!("lapin: {error}"))
}
