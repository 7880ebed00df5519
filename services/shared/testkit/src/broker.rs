//! A virtual host of the broker for one test.

use std::{thread, time::Duration};

use base64::prelude::*;
use reqwest::{Client, StatusCode, Url};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::{backend, unique_name, wait};

/// What production imports: exchange, queues, bindings, and each user's rights.
const DEFINITIONS: &str = include_str!("../../../../deploy/rabbitmq/definitions.json");

/// How long the management port may take on a busy machine: a virtual host that is deleted while its queues are still
/// being made breaks RabbitMQ 3.10 for all tests after it.
const ANSWER: Duration = Duration::from_secs(60);

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
pub struct Vhost {
    name: String,
    management: Url,
    http: Client,
}

impl Vhost {
    /// Makes one with queues and rights as in production.
    ///
    /// # Panics
    /// When the broker for tests is not there.
    pub async fn create() -> Self {
        let vhost = Self::empty().await;
        let mut definitions: Value = serde_json::from_str(DEFINITIONS).expect("JSON");
        for kind in ["permissions", "exchanges", "queues", "bindings"] {
            for entry in definitions[kind].as_array_mut().expect("an array") {
                entry["vhost"] = json!(vhost.name);
            }
        }
        let users = definitions["permissions"].as_array().expect("an array").iter();
        let users =
            users.map(|right| json!({ "name": right["user"], "password": right["user"], "tags": "" }));
        let users = json!({ "users": users.collect::<Value>() });
        definitions["users"] = json!([]);
        definitions["vhosts"] = json!([]);
        // Two imports at once that both add a user: RabbitMQ refuses the second.
        USERS.get_or_init(|| vhost.import(&users)).await;
        vhost.import(&definitions).await;
        vhost
    }

    async fn import(&self, definitions: &Value) {
        self.call(self.http.post(self.path(&["definitions"])).json(definitions)).await;
    }

    /// Makes one with nothing in it, where nobody but the administrator may do anything.
    ///
    /// # Panics
    /// When the broker for tests is not there.
    pub async fn empty() -> Self {
        let management = backend("TEST_AMQP_MANAGEMENT_URL").parse().expect("a URL");
        let vhost = Self { name: unique_name(), management, http: Client::new() };
        vhost.call(vhost.http.put(vhost.path(&["vhosts", &vhost.name]))).await;
        let permissions = json!({ "configure": ".*", "write": ".*", "read": ".*" });
        let path = vhost.path(&["permissions", &vhost.name, vhost.management.username()]);
        vhost.call(vhost.http.put(path).json(&permissions)).await;
        vhost
    }

    /// Its AMQP address for the administrator, who may do everything.
    #[must_use]
    pub fn url(&self) -> String {
        let mut url: Url = backend("TEST_AMQP_URL").parse().expect("a URL");
        url.set_path(&self.name);
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
    pub async fn messages(&self, queue: &str) -> Vec<Value> {
        self.get(queue, "ack_requeue_true").await
    }

    /// Takes messages out of a queue until it has given so many, and returns them in the order they came.
    pub async fn take_messages(&self, queue: &str, count: usize) -> Vec<Value> {
        let mut taken = Vec::new();
        wait::until(&format!("{count} messages out of {queue}"), async || {
            taken.extend(self.get(queue, "ack_requeue_false").await);
            taken.len() >= count
        })
        .await;
        assert_eq!(taken.len(), count, "{queue} held more");
        taken
    }

    async fn get(&self, queue: &str, acknowledge: &str) -> Vec<Value> {
        let ask = json!({ "count": 1000, "ackmode": acknowledge, "encoding": "base64" });
        let request = self.http.post(self.path(&["queues", &self.name, queue, "get"])).json(&ask);
        let answer = self.call(request).await;
        serde_json::from_str(&answer).expect("an array of messages")
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
        let answer = self.call(self.http.get(self.path(&["queues", &self.name, queue]))).await;
        let queue: Value = serde_json::from_str(&answer).expect("JSON");
        queue.get("name").is_some()
    }

    /// Deletes a queue, as an operator's slip would.
    pub async fn delete_queue(&self, queue: &str) {
        self.call(self.http.delete(self.path(&["queues", &self.name, queue]))).await;
    }

    /// Deletes the bindings of a queue to an exchange with this routing key, as an operator's slip would.
    pub async fn delete_binding(&self, exchange: &str, queue: &str, routing_key: &str) {
        let path = self.path(&["bindings", &self.name, "e", exchange, "q", queue, routing_key]);
        self.call(self.http.delete(path)).await;
    }

    /// Binds a queue to an exchange with this routing key.
    pub async fn bind(&self, exchange: &str, queue: &str, routing_key: &str) {
        let path = self.path(&["bindings", &self.name, "e", exchange, "q", queue]);
        self.call(self.http.post(path).json(&json!({ "routing_key": routing_key }))).await;
    }

    /// Lets a queue hold no more than so many messages, until [`Vhost::unbound`].
    pub async fn bound(&self, queue: &str, length: u32) {
        let pattern = format!("^{}$", queue.replace('.', "\\."));
        let policy =
            json!({ "pattern": pattern, "definition": { "max-length": length }, "apply-to": "queues" });
        let path = self.path(&["policies", &self.name, queue]);
        self.call(self.http.put(path).json(&policy)).await;
    }

    /// Lets a queue hold as much as it can again.
    pub async fn unbound(&self, queue: &str) {
        self.call(self.http.delete(self.path(&["policies", &self.name, queue]))).await;
    }

    /// Publishes a raw message to a queue, as a stranger would.
    pub async fn publish_raw(&self, queue: &str, properties: Value, payload: &str) {
        self.publish(queue, &properties, &json!(payload), "string").await;
    }

    /// Publishes a copy of a message, as [`Vhost::messages`] has it, to a queue.
    pub async fn publish_copy(&self, queue: &str, message: &Value) {
        self.publish(queue, &message["properties"], &message["payload"], "base64").await;
    }

    async fn publish(&self, queue: &str, properties: &Value, payload: &Value, encoding: &str) {
        let message = json!({
            "routing_key": queue, "properties": properties, "payload": payload, "payload_encoding": encoding,
        });
        let path = self.path(&["exchanges", &self.name, "amq.default", "publish"]);
        let answer = self.call(self.http.post(path).json(&message)).await;
        assert!(answer.contains("true"), "not routed to {queue}: {answer}");
    }

    /// Ends every connection of clients to this virtual host, as a restart would.
    pub async fn close_connections(&self) {
        let path = self.path(&["vhosts", &self.name, "connections"]);
        let names = wait::for_some("the broker to list connections", async || {
            let answer: Vec<Value> =
                serde_json::from_str(&self.call(self.http.get(path.clone())).await).ok()?;
            (!answer.is_empty()).then_some(answer)
        })
        .await;
        for connection in names {
            let name = connection["name"].as_str().expect("a name").to_owned();
            self.call(self.http.delete(self.path(&["connections", &name]))).await;
        }
    }

    fn path(&self, segments: &[&str]) -> Url {
        let mut url = self.management.clone();
        url.path_segments_mut().expect("an HTTP URL").clear().push("api").extend(segments);
        url
    }

    async fn call(&self, request: reqwest::RequestBuilder) -> String {
        let answer = request.timeout(ANSWER).send().await.expect("the broker's management port");
        let (status, path) = (answer.status(), answer.url().path().to_owned());
        let text = answer.text().await.expect("an answer");
        assert!(status.is_success() || status == StatusCode::NOT_FOUND, "{path}: {status} {text}");
        text
    }
}

impl Drop for Vhost {
    fn drop(&mut self) {
        let path = self.path(&["vhosts", &self.name]);
        // A thread, a runtime and a client of its own: those of the test may stand still while this waits.
        let cleanup = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            runtime.block_on(async { Client::new().delete(path).timeout(CLEANUP).send().await }).ok()
        });
        let _ = cleanup.join();
    }
}
