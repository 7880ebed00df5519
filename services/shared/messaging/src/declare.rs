//! Makes the broker's queues what [`crate::topology`] says, or checks that they are there.

use lapin::{
    Channel, Connection, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::FieldTable,
};

use crate::{
    definitions::arguments,
    settings::{Settings, TopologyMode},
    topology::{self, EXCHANGE},
};

/// The broker's queues are not what they should be.
#[derive(Debug, thiserror::Error)]
#[error("{what} could not be {mode}: {source}")]
pub struct DeclareError {
    what: String,
    mode: &'static str,
    source: lapin::Error,
}

pub(crate) async fn ensure(connection: &Connection, settings: &Settings) -> Result<(), DeclareError> {
    let passive = settings.topology == TopologyMode::Check;
    let failed = |what: &str| {
        let what = what.to_owned();
        let mode = if passive { "found" } else { "declared" };
        move |source| DeclareError { what, mode, source }
    };
    let channel = connection.create_channel().await.map_err(failed("a channel"))?;
    let options = ExchangeDeclareOptions { passive, durable: true, ..Default::default() };
    channel
        .exchange_declare(EXCHANGE.into(), ExchangeKind::Topic, options, FieldTable::default())
        .await
        .map_err(failed("exchange leads"))?;
    for queue in topology::queues(&settings.retry_after) {
        let options = QueueDeclareOptions { passive, durable: true, ..Default::default() };
        channel
            .queue_declare(queue.name.as_str().into(), options, arguments(&queue))
            .await
            .map_err(failed(&format!("queue {}", queue.name)))?;
    }
    if !passive {
        bind(&channel).await.map_err(failed("a binding"))?;
    }
    channel.close(200, "done".into()).await.map_err(failed("a channel"))
}

async fn bind(channel: &Channel) -> Result<(), lapin::Error> {
    for binding in topology::bindings() {
        let (queue, key) = (binding.queue.as_str().into(), binding.route.key().into());
        channel
            .queue_bind(queue, EXCHANGE.into(), key, QueueBindOptions::default(), FieldTable::default())
            .await?;
    }
    Ok(())
}
