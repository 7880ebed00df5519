//! Permissions of the production users, tested on each exchange and queue.

use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties, ErrorKind, ExchangeKind,
    options::{
        BasicGetOptions, BasicPublishOptions, BasicQosOptions, ExchangeDeclareOptions,
        QueueBindOptions, QueueDeclareOptions, QueueDeleteOptions, QueuePurgeOptions,
    },
    protocol::AMQPSoftError,
    types::FieldTable,
};
use messaging::topology::SUBSCRIPTIONS;
use testkit::broker::Vhost;

const EXCHANGES: [&str; 6] = [
    "leads",
    "dead-letters",
    "",
    "amq.topic",
    "amq.direct",
    "amq.fanout",
];

const SUBMITTED: &str = "lead.submitted.v1";
const WITHDRAWN: &str = "lead.withdrawn.v1";
const CONSENTED: &str = "lead.consented.v1";
const DELIVERED: &str = "lead.delivered.v1";

/// A key without a queue, with which publishers probe.
const PROBE: (&str, &str) = ("leads", "nowhere");

/// A user, the exchanges and keys that it may publish to, and the queues that it may read. All else must be denied.
type Rights = (
    &'static str,
    &'static [(&'static str, &'static str)],
    fn(&str) -> bool,
);

const RIGHTS: [Rights; 4] = [
    (
        "lead-intake",
        &[
            ("leads", SUBMITTED),
            ("leads", WITHDRAWN),
            ("leads", CONSENTED),
            PROBE,
        ],
        |_| false,
    ),
    (
        "notifier",
        &[
            ("leads", DELIVERED),
            PROBE,
            ("dead-letters", "notifier.dead-letters"),
        ],
        |queue| queue == "notifier.leads",
    ),
    (
        "crm-sync",
        &[PROBE, ("dead-letters", "crm-sync.dead-letters")],
        |queue| queue == "crm-sync.leads",
    ),
    (
        "operator",
        &[
            ("dead-letters", "crm-sync.leads"),
            ("dead-letters", "notifier.leads"),
        ],
        |queue| queue.ends_with(".dead-letters"),
    ),
];

struct User {
    name: &'static str,
    connection: Connection,
}

impl User {
    async fn connect(vhost: &Vhost, name: &'static str) -> Self {
        let properties = ConnectionProperties::default();
        let connection = Connection::connect(&vhost.url_of(name), properties)
            .await
            .unwrap();
        Self { name, connection }
    }

    /// Whether an operation is allowed. Uses a new channel, because a denial closes it.
    async fn can<T>(
        &self,
        operation: impl AsyncFnOnce(&Channel) -> Result<T, lapin::Error>,
    ) -> bool {
        let channel = self.connection.create_channel().await.unwrap();
        let Err(error) = operation(&channel).await else {
            return true;
        };
        let refused = matches!(error.kind(), ErrorKind::ProtocolError(error)
            if error.get_id() == AMQPSoftError::ACCESSREFUSED.get_id());
        // A denied publish may close the channel before the next operation is sent.
        let refused = refused || matches!(error.kind(), ErrorKind::InvalidChannelState(..));
        assert!(refused, "{}: {error}", self.name);
        false
    }

    async fn can_publish(&self, exchange: &str, key: &str) -> bool {
        self.can(async |channel| {
            let (options, properties) =
                (BasicPublishOptions::default(), BasicProperties::default());
            channel
                .basic_publish(exchange.into(), key.into(), options, b"", properties)
                .await?;
            // A publish has no response, so the next operation gets the denial.
            channel.basic_qos(1, BasicQosOptions::default()).await
        })
        .await
    }

    async fn can_get(&self, queue: &str) -> bool {
        self.can(async |channel| {
            channel
                .basic_get(queue.into(), BasicGetOptions::default())
                .await
        })
        .await
    }

    async fn can_purge(&self, queue: &str) -> bool {
        self.can(async |channel| {
            channel
                .queue_purge(queue.into(), QueuePurgeOptions::default())
                .await
        })
        .await
    }

    async fn can_declare(&self, queue: &str) -> bool {
        let options = QueueDeclareOptions {
            durable: true,
            ..Default::default()
        };
        self.can(async |channel| {
            channel
                .queue_declare(queue.into(), options, FieldTable::default())
                .await
        })
        .await
    }

    async fn can_delete(&self, queue: &str) -> bool {
        self.can(async |channel| {
            channel
                .queue_delete(queue.into(), QueueDeleteOptions::default())
                .await
        })
        .await
    }

    async fn can_bind(&self, queue: &str, exchange: &str, key: &str) -> bool {
        let (options, arguments) = (QueueBindOptions::default(), FieldTable::default());
        self.can(async |channel| {
            channel
                .queue_bind(
                    queue.into(),
                    exchange.into(),
                    key.into(),
                    options,
                    arguments,
                )
                .await
        })
        .await
    }

    async fn can_declare_exchange(&self, exchange: &str) -> bool {
        let options = ExchangeDeclareOptions {
            durable: true,
            ..Default::default()
        };
        self.can(async |channel| {
            let arguments = FieldTable::default();
            channel
                .exchange_declare(exchange.into(), ExchangeKind::Topic, options, arguments)
                .await
        })
        .await
    }
}

#[tokio::test]
async fn users_have_only_needed_permissions() {
    let vhost = Vhost::create().await;
    let queues = SUBSCRIPTIONS
        .map(|service| [service.queue, service.dead_letter_queue])
        .concat();
    let events = [
        "nowhere",
        "elsewhere",
        SUBMITTED,
        WITHDRAWN,
        CONSENTED,
        DELIVERED,
        "lead.submitted.v12",
    ];
    let keys: Vec<&str> = events.into_iter().chain(queues.iter().copied()).collect();
    for (name, publishes, reads) in RIGHTS {
        let user = User::connect(&vhost, name).await;
        for exchange in EXCHANGES {
            for key in &keys {
                let allowed = publishes.contains(&(exchange, *key));
                assert_eq!(
                    user.can_publish(exchange, key).await,
                    allowed,
                    "{name} to {exchange:?} with {key}"
                );
            }
        }
        for exchange in ["leads", "new"] {
            assert!(
                !user.can_declare_exchange(exchange).await,
                "{name} declares {exchange}"
            );
        }
        for queue in &queues {
            let allowed = reads(queue);
            assert_eq!(user.can_get(queue).await, allowed, "{name} reads {queue}");
            assert_eq!(
                user.can_purge(queue).await,
                allowed,
                "{name} purges {queue}"
            );
            assert!(!user.can_delete(queue).await, "{name} deletes {queue}");
            assert!(!user.can_declare(queue).await, "{name} declares {queue}");
            let own = *queue == format!("{name}.leads");
            assert_eq!(
                user.can_bind(queue, "leads", SUBMITTED).await,
                own,
                "{name} binds {queue}"
            );
            assert!(
                !user.can_bind(queue, "leads", "#").await,
                "{name} binds {queue} to all"
            );
            assert!(
                !user.can_bind(queue, "dead-letters", "#").await,
                "{name} binds {queue} to dead letters"
            );
        }
        assert!(!user.can_declare("new").await, "{name} declares a queue");
    }
}
