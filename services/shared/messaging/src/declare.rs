//! Declares the [`crate::topology`] at the broker, or checks the part that the service uses. Bindings cannot be checked,
//! so a service makes its own in either case.

use lapin::{
    Channel, Connection, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable},
};

use crate::{
    depth::Level,
    error::DeclareError,
    settings::{Settings, TopologyMode},
    topology::{self, Binding, EXCHANGE, Queue, Subscription},
};

pub(crate) async fn ensure(connection: &Connection, settings: &Settings) -> Result<Vec<Level>, DeclareError> {
    let passive = settings.topology == TopologyMode::Check;
    let failed = |what: &str| {
        let what = what.to_owned();
        let mode = if passive { "check" } else { "declare" };
        move |source| DeclareError { what, mode, source }
    };
    let channel = connection.create_channel().await.map_err(failed("the topology"))?;
    let options = ExchangeDeclareOptions { passive, durable: true, ..Default::default() };
    channel
        .exchange_declare(EXCHANGE.into(), ExchangeKind::Topic, options, FieldTable::default())
        .await
        .map_err(failed("exchange leads"))?;
    let mut levels = Vec::new();
    for queue in queues(settings) {
        let options = QueueDeclareOptions { passive, durable: true, ..Default::default() };
        let declared = channel
            .queue_declare(queue.name.as_str().into(), options, arguments(&queue))
            .await
            .map_err(failed(&format!("queue {}", queue.name)))?;
        levels.push(Level {
            queue: queue.name,
            messages: declared.message_count(),
            consumers: declared.consumer_count(),
        });
    }
    bind(&channel, bindings(settings)).await.map_err(failed("the bindings"))?;
    channel.close(200, "done".into()).await.map_err(failed("the topology"))?;
    Ok(levels)
}

/// The arguments of a queue, as in `deploy/rabbitmq/definitions.json`.
fn arguments(queue: &Queue) -> FieldTable {
    let mut arguments = FieldTable::default();
    let mut text = |name: &str, value: &str| {
        arguments.insert(name.into(), AMQPValue::LongString(value.into()));
    };
    text("x-queue-type", "quorum");
    text("x-overflow", "reject-publish");
    if let Some(dead_letters) = &queue.dead_letters_to {
        text("x-dead-letter-exchange", "");
        text("x-dead-letter-routing-key", dead_letters);
        text("x-dead-letter-strategy", "at-least-once");
    }
    arguments.insert("x-delivery-limit".into(), AMQPValue::LongLongInt(queue.delivery_limit.into()));
    arguments
}

/// All queues when declaring; when checking only the service's own, as it has no permission on others.
fn queues(settings: &Settings) -> Vec<Queue> {
    match (settings.topology, settings.subscription) {
        (TopologyMode::Declare, _) => topology::queues(),
        (TopologyMode::Check, Some(subscription)) => subscription.queues().into(),
        (TopologyMode::Check, None) => Vec::new(),
    }
}

fn bindings(settings: &Settings) -> Vec<Binding> {
    match (settings.topology, settings.subscription) {
        (TopologyMode::Declare, _) => topology::bindings(),
        (TopologyMode::Check, subscription) => subscription.iter().flat_map(Subscription::bindings).collect(),
    }
}

async fn bind(channel: &Channel, bindings: Vec<Binding>) -> Result<(), lapin::Error> {
    for binding in bindings {
        let (queue, key) = (binding.queue.as_str().into(), binding.route.key().into());
        channel
            .queue_bind(queue, EXCHANGE.into(), key, QueueBindOptions::default(), FieldTable::default())
            .await?;
    }
    Ok(())
}
