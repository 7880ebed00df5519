//! A virtual host of the broker for one test.

use std::{thread, time::Duration};

use base64::prelude::*;
use reqwest::Url;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::{
    backend,
    management::{Management, ManagementError},
    unique_name, wait,
};

/// What production imports: exchange, queues, bindings, and each user's rights.
const DEFINITIONS: &str = include_str!("../../../../deploy/rabbitmq/definitions.json");

/// How long the management port may take on a busy machine: a virtual host that is deleted while its queues are still
/// being made breaks RabbitMQ 3.10 for all tests after it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How long deleting may hold a test up; the broker goes on with it in any case.
const CLEANUP: Duration = Duration::from_secs(2);

/// The body of a message as [`Vhost::messages`] has it.
///
/// # Panics
/// When it is no such message.
#[must_use]
pub fn payload(message: &Value) -> Vec<u8> {
    let text = message["payload"].as_str().expect("a payload");
    match message["payload_encoding"].as_str() {
        Some("base64") => BASE64_STANDARD.decode(text).expect("base64"),
        _ => text.as_bytes().to_vec(),
    }
}

/// An AMQP address, through a proxy instead.
///
/// # Panics
/// When one of them does not fit the other.
#[must_use]
pub fn through(url: &str, proxy: std::net::SocketAddr) -> String {
    let mut url: Url = url.parse().expect("a URL");
    url.set_port(Some(proxy.port())).expect("AMQP URLs have ports");
    url.set_ip_host(proxy.ip()).expect("AMQP URLs have hosts");
    url.to_string()
}

/// Whether this process has added the users of production.
static USERS: OnceCell<()> = OnceCell::const_new();

/// A virtual host that is deleted when it is dropped.
pub struct Vhost(Management);

impl Vhost {
    /// Makes one with queues and rights as in production.
    ///
    /// # Panics
    /// When the broker for tests is not there.
    pub async fn create() -> Self {
        let vhost = Self::empty().await;
        let definitions: Value = serde_json::from_str(DEFINITIONS).expect("JSON");
        let users = definitions["permissions"].as_array().expect("an array").iter();
        let users =
            users.map(|right| json!({ "name": right["user"], "password": right["user"], "tags": "" }));
        let users = json!({ "users": users.collect::<Value>() });
        // Two imports at once that both add a user: RabbitMQ refuses the second.
        USERS.get_or_init(async || vhost.0.import(users).await.expect("users")).await;
        let kinds = ["permissions", "exchanges", "queues", "bindings"];
        vhost.0.import_here(&definitions, &kinds).await.expect("definitions");
        vhost
    }

    /// Makes one with nothing in it, where nobody but the administrator may do anything.
    ///
    /// # Panics
    /// When the broker for tests is not there.
    pub async fn empty() -> Self {
        let vhost = Self(Management::new(&backend("TEST_AMQP_MANAGEMENT_URL"), unique_name(), TIMEOUT));
        vhost.0.create_vhost().await.expect("a virtual host");
        vhost
    }

    /// Its AMQP address for the administrator, who may do everything.
    #[must_use]
    pub fn url(&self) -> String {
        let mut url: Url = backend("TEST_AMQP_URL").parse().expect("a URL");
        url.set_path(&self.0.vhost);
        url.to_string()
    }

    /// Its AMQP address for a user of production.
    ///
    /// # Panics
    /// When the name does not fit a URL.
    #[must_use]
    pub fn url_of(&self, user: &str) -> String {
        let mut url: Url = self.url().parse().expect("a URL");
        url.set_username(user).and_then(|()| url.set_password(Some(user))).expect("AMQP URLs have users");
        url.to_string()
    }

    /// `host:port` of the broker, for a proxy.
    ///
    /// # Panics
    /// When the broker for tests has no port.
    #[must_use]
    pub fn target(&self) -> String {
        let url: Url = self.url().parse().expect("a URL");
        format!("{}:{}", url.host_str().expect("a host"), url.port().expect("a port"))
    }

    /// The messages in a queue, oldest first; they stay there. Each as the management interface has it, with
    /// `properties` and `routing_key`; [`payload`] reads its body. Every look is a delivery to the broker: a queue
    /// with a limit of them is for [`Vhost::take_messages`].
    ///
    /// # Panics
    /// When the broker refuses, as all that follows.
    pub async fn messages(&self, queue: &str) -> Vec<Value> {
        self.0.messages(queue, false).await.or_else(nothing).expect("messages")
    }

    /// Takes messages out of a queue until it has given so many, and returns them in the order they came.
    pub async fn take_messages(&self, queue: &str, count: usize) -> Vec<Value> {
        let mut taken = Vec::new();
        wait::until(&format!("{count} messages out of {queue}"), async || {
            taken.extend(self.0.messages(queue, true).await.or_else(nothing).expect("messages"));
            taken.len() >= count
        })
        .await;
        assert_eq!(taken.len(), count, "{queue} held more");
        taken
    }

    /// Waits until a queue holds exactly so many messages ready for delivery, and returns them.
    pub async fn wait_for_messages(&self, queue: &str, count: usize) -> Vec<Value> {
        wait::for_some(&format!("{count} messages in {queue}"), async || {
            let messages = self.messages(queue).await;
            (messages.len() == count).then_some(messages)
        })
        .await
    }

    /// Whether there is such a queue.
    pub async fn has_queue(&self, queue: &str) -> bool {
        self.0.has_queue(queue).await.expect("an answer")
    }

    /// Deletes a queue, as an operator's slip would.
    pub async fn delete_queue(&self, queue: &str) {
        self.0.delete_queue(queue).await.or_else(nothing).expect("no queue");
    }

    /// Deletes the bindings of a queue to an exchange with this routing key, as an operator's slip would.
    pub async fn delete_binding(&self, exchange: &str, queue: &str, routing_key: &str) {
        self.0.delete_binding(exchange, queue, routing_key).await.or_else(nothing).expect("no binding");
    }

    /// Binds a queue to an exchange with this routing key.
    pub async fn bind(&self, exchange: &str, queue: &str, routing_key: &str) {
        self.0.bind(exchange, queue, routing_key).await.expect("a binding");
    }

    /// Lets a queue hold no more than so many messages; `None`: as many as it can.
    pub async fn limit(&self, queue: &str, length: Option<u32>) {
        self.0.limit(queue, length).await.or_else(nothing).expect("a policy");
    }

    /// Publishes a raw message to a queue, as a stranger would.
    pub async fn publish_raw(&self, queue: &str, properties: Value, payload: &str) {
        self.0.publish(queue, &properties, &json!(payload), "string").await.expect("routed");
    }

    /// Publishes a copy of a message, as [`Vhost::messages`] has it, to a queue.
    pub async fn publish_copy(&self, queue: &str, message: &Value) {
        let (properties, payload) = (&message["properties"], &message["payload"]);
        self.0.publish(queue, properties, payload, "base64").await.expect("routed");
    }

    /// Ends every connection of clients to this virtual host, as a restart would.
    pub async fn close_connections(&self) {
        let names = wait::for_some("the broker to list connections", async || {
            self.0.connections().await.ok().filter(|names| !names.is_empty())
        })
        .await;
        for name in names {
            self.0.close_connection(&name).await.or_else(nothing).expect("a closed connection");
        }
    }
}

/// What is not there needs nothing done to it.
fn nothing<T: Default>(error: ManagementError) -> Result<T, ManagementError> {
    if matches!(error, ManagementError::NotFound(_)) { Ok(T::default()) } else { Err(error) }
}

impl Drop for Vhost {
    fn drop(&mut self) {
        let mut management = self.0.clone();
        // A thread, a runtime and a client of its own: those of the test may stand still while this waits.
        let cleanup = thread::spawn(move || {
            management.renew(CLEANUP);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            runtime.block_on(management.delete_vhost()).ok()
        });
        let _ = cleanup.join();
    }
}
