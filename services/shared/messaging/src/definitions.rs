//! Topology and permissions as RabbitMQ's import file, and as arguments of queue declarations.

use lapin::types::{AMQPValue, FieldTable};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    topology::{self, EXCHANGE, Queue},
    users::USERS,
};

/// A queue's `x-` arguments, identical in the file and in declarations.
#[derive(Serialize)]
struct Arguments {
    #[serde(rename = "x-queue-type")]
    queue_type: &'static str,
    #[serde(rename = "x-overflow")]
    overflow: &'static str,
    #[serde(rename = "x-delivery-limit")]
    delivery_limit: u32,
    #[serde(flatten)]
    dead_letters: Option<DeadLetters>,
}

#[derive(Serialize)]
struct DeadLetters {
    #[serde(rename = "x-dead-letter-exchange")]
    exchange: &'static str,
    #[serde(rename = "x-dead-letter-routing-key")]
    routing_key: String,
    #[serde(rename = "x-dead-letter-strategy")]
    strategy: &'static str,
}

impl Arguments {
    fn of(queue: &Queue) -> Value {
        let dead_letters = queue.dead_letters_to.clone();
        let arguments = Self {
            queue_type: "quorum",
            overflow: "reject-publish",
            delivery_limit: queue.delivery_limit,
            dead_letters: dead_letters.map(|routing_key| DeadLetters {
                exchange: "",
                routing_key,
                strategy: "at-least-once",
            }),
        };
        serde_json::to_value(arguments).unwrap_or_default()
    }
}

/// The arguments for declaring a queue.
pub(crate) fn arguments(queue: &Queue) -> FieldTable {
    let mut table = FieldTable::default();
    for (name, value) in Arguments::of(queue).as_object().into_iter().flatten() {
        let value = match value.as_str() {
            Some(text) => AMQPValue::LongString(text.into()),
            None => AMQPValue::LongLongInt(value.as_i64().unwrap_or_default()),
        };
        table.insert(name.as_str().into(), value);
    }
    table
}

/// Topology and permissions in the format of `rabbitmqctl import_definitions`, for the virtual host `/`. Without users
/// and passwords, which must be created separately.
#[must_use]
pub fn definitions() -> Value {
    let vhost = "/";
    let queues = topology::queues();
    let bindings = topology::bindings();
    json!({
        "vhosts": [{ "name": vhost }],
        "permissions": USERS.map(|user| json!({
            "user": user.name, "vhost": vhost, "configure": "^$", "write": user.write, "read": user.read,
        })),
        "exchanges": [{
            "name": EXCHANGE, "vhost": vhost, "type": "topic",
            "durable": true, "auto_delete": false, "internal": false, "arguments": {},
        }],
        "queues": queues.iter().map(|queue| json!({
            "name": queue.name, "vhost": vhost, "durable": true, "auto_delete": false,
            "arguments": Arguments::of(queue),
        })).collect::<Vec<_>>(),
        "bindings": bindings.iter().map(|binding| json!({
            "source": EXCHANGE, "vhost": vhost, "destination": binding.queue, "destination_type": "queue",
            "routing_key": binding.route.key(), "arguments": {},
        })).collect::<Vec<_>>(),
    })
}
