//! Creates a virtual host of the broker per test.

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

/// The production definitions: exchange, queues, bindings and permissions.
const DEFINITIONS: &str = include_str!("../../../../deploy/rabbitmq/definitions.json");

/// Long, because deleting a virtual host while its queues are still being created breaks RabbitMQ 3.10 for all later
/// tests.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum wait for deleting a virtual host; the broker completes it in any case.
const CLEANUP: Duration = Duration::from_secs(2);

/// The body of a message from [`Vhost::messages`].
///
/// # Panics
/// When the value is not such a message.
#[must_use]
pub fn payload(message: &Value) -> Vec<u8> {
    let text = message["payload"].as_str().expect("a payload");
    match message["payload_encoding"].as_str() {
        Some("base64") => BASE64_STANDARD.decode(text).expect("base64"),
        _ => text.as_bytes().to_vec(),
    }
}

/// Replaces host and port of an AMQP address by those of a proxy.
///
/// # Panics
/// When the address has no host or port to replace.
#[must_use]
pub fn through(url: &str, proxy: std::net::SocketAddr) -> String {
    let mut url: Url = url.parse().expect("a URL");
    url.set_port(Some(proxy.port())).expect("AMQP URLs have ports");
    url.set_ip_host(proxy.ip()).expect("AMQP URLs have hosts");
    url.to_string()
}

/// Initialised once this process has added the production users.
static USERS: OnceCell<()> = OnceCell::const_new();

/// A virtual host that is deleted on drop.
pub struct Vhost(Management);

impl Vhost {
    /// Creates a virtual host with queues and permissions as in production.
    ///
    /// # Panics
    /// When the test broker is not running.
    pub async fn create() -> Self {
        let vhost = Self::empty().await;
        let definitions: Value = serde_json::from_str(DEFINITIONS).expect("JSON");
        let users = definitions["permissions"].as_array().expect("an array").iter();
        let users =
            users.map(|right| json!({ "name": right["user"], "password": right["user"], "tags": "" }));
        let users = json!({ "users": users.collect::<Value>() });
        // Once per process: RabbitMQ rejects one of two concurrent imports that add the same user.
        USERS.get_or_init(async || vhost.0.import(users).await.expect("users")).await;
        vhost.import_definitions().await;
        vhost
    }

    /// Imports the production definitions, which creates what was deleted.
    ///
    /// # Panics
    /// When the broker refuses.
    pub async fn import_definitions(&self) {
        let definitions = serde_json::from_str(DEFINITIONS).expect("JSON");
        let kinds = ["permissions", "topic_permissions", "exchanges", "queues", "bindings"];
        self.0.import_here(&definitions, &kinds).await.expect("definitions");
    }

    /// Creates an empty virtual host that only the administrator can use.
    ///
    /// # Panics
    /// When the test broker is not running.
    pub async fn empty() -> Self {
        let vhost = Self(Management::new(&backend("TEST_AMQP_MANAGEMENT_URL"), unique_name(), TIMEOUT));
        vhost.0.create_vhost().await.expect("a virtual host");
        vhost
    }

    /// The AMQP address for the administrator.
    #[must_use]
    pub fn url(&self) -> String {
        let mut url: Url = backend("TEST_AMQP_URL").parse().expect("a URL");
        url.set_path(&self.0.vhost);
        url.to_string()
    }

    /// The AMQP address for a production user.
    ///
    /// # Panics
    /// When the name cannot be part of a URL.
    #[must_use]
    pub fn url_of(&self, user: &str) -> String {
        let mut url: Url = self.url().parse().expect("a URL");
        url.set_username(user).and_then(|()| url.set_password(Some(user))).expect("AMQP URLs have users");
        url.to_string()
    }

    /// `host:port` of the broker, for a proxy.
    ///
    /// # Panics
    /// When the broker's URL has no port.
    #[must_use]
    pub fn target(&self) -> String {
        let url: Url = self.url().parse().expect("a URL");
        format!("{}:{}", url.host_str().expect("a host"), url.port().expect("a port"))
    }

    /// The messages of a queue, oldest first, without removing them. Each is in the management API's form, with
    /// `properties` and `routing_key`; [`payload`] returns its body. Each call counts as a delivery, so use
    /// [`Vhost::take_messages`] for a queue with a delivery limit.
    ///
    /// # Panics
    /// When the broker refuses; this holds for the methods below, too.
    pub async fn messages(&self, queue: &str) -> Vec<Value> {
        self.0.messages(queue, false).await.or_else(nothing).expect("messages")
    }

    /// Removes exactly `count` messages from a queue and returns them in order.
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

    /// Waits until exactly `count` messages are ready in a queue, and returns them.
    pub async fn wait_for_messages(&self, queue: &str, count: usize) -> Vec<Value> {
        wait::for_some(&format!("{count} messages in {queue}"), async || {
            let messages = self.messages(queue).await;
            (messages.len() == count).then_some(messages)
        })
        .await
    }

    /// Whether the queue exists.
    pub async fn has_queue(&self, queue: &str) -> bool {
        self.0.has_queue(queue).await.expect("an answer")
    }

    /// Deletes a queue; it may be missing.
    pub async fn delete_queue(&self, queue: &str) {
        self.0.delete_queue(queue).await.or_else(nothing).expect("no queue");
    }

    /// Deletes a binding; it may be missing.
    pub async fn delete_binding(&self, exchange: &str, queue: &str, routing_key: &str) {
        self.0.delete_binding(exchange, queue, routing_key).await.or_else(nothing).expect("no binding");
    }

    /// Binds a queue to an exchange.
    pub async fn bind(&self, exchange: &str, queue: &str, routing_key: &str) {
        self.0.bind(exchange, queue, routing_key).await.expect("a binding");
    }

    /// Limits a queue to `length` messages; `None` removes the limit.
    pub async fn limit(&self, queue: &str, length: Option<u32>) {
        self.0.limit(queue, length).await.or_else(nothing).expect("a policy");
    }

    /// Publishes a message with any properties and text to a queue.
    pub async fn publish_raw(&self, queue: &str, properties: Value, payload: &str) {
        self.0.publish(queue, &properties, &json!(payload), "string").await.expect("routed");
    }

    /// Publishes a copy of a message from [`Vhost::messages`] to a queue.
    pub async fn publish_copy(&self, queue: &str, message: &Value) {
        let (properties, payload) = (&message["properties"], &message["payload"]);
        self.0.publish(queue, properties, payload, "base64").await.expect("routed");
    }

    /// Closes all client connections to this virtual host; waits for at least one.
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

/// Treats a missing resource as success.
fn nothing<T: Default>(error: ManagementError) -> Result<T, ManagementError> {
    if matches!(error, ManagementError::NotFound(_)) { Ok(T::default()) } else { Err(error) }
}

impl Drop for Vhost {
    fn drop(&mut self) {
        let mut management = self.0.clone();
        // Uses its own thread, runtime and client, because the test's runtime may be blocked meanwhile.
        let cleanup = thread::spawn(move || {
            management.renew(CLEANUP);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            runtime.block_on(management.delete_vhost()).ok()
        });
        let _ = cleanup.join();
    }
}
