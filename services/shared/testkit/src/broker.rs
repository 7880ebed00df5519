//! Creates a virtual host of the broker per test.

use std::{thread, time::Duration};

use base64::prelude::*;
use reqwest::{Method, Url};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::{backend, management::Management, unique_name, wait};

/// The production definitions: exchange, queues, bindings and permissions.
const DEFINITIONS: &str = include_str!("../../../../deploy/rabbitmq/definitions.json");

/// Long, because deleting a virtual host while its queues are still being created breaks RabbitMQ 3.10 for all later
/// tests.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum wait for deleting a virtual host. The broker completes the deletion afterwards.
const CLEANUP: Duration = Duration::from_secs(2);

/// Decodes the body of a message from [`Vhost::messages`].
///
/// # Panics
/// When the value is not such a message.
pub fn payload(message: &Value) -> Vec<u8> {
    let text = message["payload"].as_str().expect("a payload");
    match message["payload_encoding"].as_str() {
        Some("base64") => BASE64_STANDARD.decode(text).expect("base64"),
        _ => text.as_bytes().to_vec(),
    }
}

/// Replaces the host and port of an AMQP address with those of a proxy.
///
/// # Panics
/// When the address has no host or port to replace.
pub fn through(url: &str, proxy: std::net::SocketAddr) -> String {
    let mut url: Url = url.parse().expect("a URL");
    url.set_port(Some(proxy.port()))
        .expect("AMQP URLs have ports");
    url.set_ip_host(proxy.ip()).expect("AMQP URLs have hosts");
    url.to_string()
}

/// Initialised once this process has added the production users.
static USERS: OnceCell<()> = OnceCell::const_new();

/// A virtual host that is deleted on drop. The methods panic if the broker is unavailable or returns an error.
pub struct Vhost(Management);

impl Vhost {
    /// Creates a virtual host with queues and permissions as in production.
    pub async fn create() -> Self {
        let vhost = Self::empty().await;
        let definitions: Value = serde_json::from_str(DEFINITIONS).expect("JSON");
        let users = definitions["permissions"]
            .as_array()
            .expect("an array")
            .iter();
        let users = users
            .map(|right| json!({ "name": right["user"], "password": right["user"], "tags": "" }));
        let users = json!({ "users": users.collect::<Value>() });
        // Once per process: RabbitMQ rejects one of two concurrent imports that add the same user.
        let add = async || {
            drop(
                vhost
                    .call(Method::POST, &["definitions"], Some(users))
                    .await,
            )
        };
        USERS.get_or_init(add).await;
        vhost.import_definitions().await;
        vhost
    }

    /// Creates an empty virtual host that only the administrator can use.
    pub async fn empty() -> Self {
        let vhost = Self(Management::new(
            &backend("TEST_AMQP_MANAGEMENT_URL"),
            unique_name(),
            TIMEOUT,
        ));
        vhost.0.create_vhost().await.expect("a virtual host");
        vhost
    }

    /// Imports the production definitions into this virtual host, which restores deleted queues and bindings.
    pub async fn import_definitions(&self) {
        let definitions: Value = serde_json::from_str(DEFINITIONS).expect("JSON");
        let kinds = [
            "permissions",
            "topic_permissions",
            "exchanges",
            "queues",
            "bindings",
        ];
        self.0
            .import_here(&definitions, &kinds)
            .await
            .expect("definitions");
    }

    pub fn url(&self) -> String {
        let mut url: Url = backend("TEST_AMQP_URL").parse().expect("a URL");
        url.set_path(&self.0.vhost);
        url.to_string()
    }

    pub fn url_of(&self, user: &str) -> String {
        let mut url: Url = self.url().parse().expect("a URL");
        url.set_username(user)
            .and_then(|()| url.set_password(Some(user)))
            .expect("AMQP URLs have users");
        url.to_string()
    }

    /// `host:port` of the broker, for a proxy.
    pub fn target(&self) -> String {
        let url: Url = self.url().parse().expect("a URL");
        format!(
            "{}:{}",
            url.host_str().expect("a host"),
            url.port().expect("a port")
        )
    }

    /// Returns the messages of a queue, oldest first, without removing them. A missing queue has none. Each message has
    /// the management API's format, with `properties` and `routing_key`; [`payload`] decodes the body. Each call counts as
    /// a delivery, so use [`Vhost::take_messages`] for a queue with a delivery limit.
    pub async fn messages(&self, queue: &str) -> Vec<Value> {
        self.0.messages(queue, false).await.expect("messages")
    }

    /// Removes exactly `count` messages from a queue and returns them in order.
    pub async fn take_messages(&self, queue: &str, count: usize) -> Vec<Value> {
        let mut taken = Vec::new();
        wait::until(&format!("{count} messages out of {queue}"), async || {
            taken.extend(self.0.messages(queue, true).await.expect("messages"));
            taken.len() >= count
        })
        .await;
        assert_eq!(taken.len(), count, "{queue} contained more messages");
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

    pub async fn has_queue(&self, queue: &str) -> bool {
        !self
            .call(Method::GET, &["queues", &self.0.vhost, queue], None)
            .await
            .is_null()
    }

    /// Deletes a queue; it may be missing.
    pub async fn delete_queue(&self, queue: &str) {
        self.call(Method::DELETE, &["queues", &self.0.vhost, queue], None)
            .await;
    }

    /// Deletes a binding; it may be missing.
    pub async fn delete_binding(&self, exchange: &str, queue: &str, routing_key: &str) {
        let path = [
            "bindings",
            &self.0.vhost,
            "e",
            exchange,
            "q",
            queue,
            routing_key,
        ];
        self.call(Method::DELETE, &path, None).await;
    }

    /// Limits a queue to `length` messages; `None` removes the limit.
    pub async fn limit(&self, queue: &str, length: Option<u32>) {
        self.0
            .limit(queue, length)
            .await
            .expect("an answer of the broker");
    }

    /// Publishes a message with any properties and text to a queue.
    pub async fn publish_raw(&self, queue: &str, properties: Value, payload: &str) {
        self.0
            .publish(queue, &properties, &json!(payload), "string")
            .await
            .expect("routed");
    }

    /// Publishes a copy of a message from [`Vhost::messages`] to a queue.
    pub async fn publish_copy(&self, queue: &str, message: &Value) {
        let (properties, payload) = (&message["properties"], &message["payload"]);
        self.0
            .publish(queue, properties, payload, "base64")
            .await
            .expect("routed");
    }

    /// Closes all client connections to this virtual host; waits for at least one.
    pub async fn close_connections(&self) {
        let path = ["vhosts", &self.0.vhost, "connections"];
        let connections = wait::for_some("the broker to list connections", async || {
            let listed = self.call(Method::GET, &path, None).await;
            listed
                .as_array()
                .filter(|connections| !connections.is_empty())
                .cloned()
        })
        .await;
        for name in connections
            .iter()
            .filter_map(|connection| connection["name"].as_str())
        {
            self.call(Method::DELETE, &["connections", name], None)
                .await;
        }
    }

    async fn call(&self, method: Method, path: &[&str], body: Option<Value>) -> Value {
        self.0
            .call(method, path, body)
            .await
            .expect("an answer of the broker")
    }
}

impl Drop for Vhost {
    fn drop(&mut self) {
        let vhost = self.0.vhost.clone();
        // Uses a separate thread, runtime and client, because this wait blocks the test's runtime.
        let cleanup = thread::spawn(move || {
            let management = Management::new(&backend("TEST_AMQP_MANAGEMENT_URL"), vhost, CLEANUP);
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .ok()?;
            runtime.block_on(management.delete_vhost()).ok()
        });
        let _ = cleanup.join();
    }
}
