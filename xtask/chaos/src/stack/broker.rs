//! RabbitMQ's management interface, past every fault in between.

use std::time::Duration;

use reqwest::{Client, Method};
use serde_json::{Value, json};
use xtask::error::{Error, Result};

const TIMEOUT: Duration = Duration::from_secs(10);

/// The broker as an administrator sees it.
#[derive(Clone)]
pub(crate) struct Management {
    http: Client,
    url: String,
}

/// A queue's name and how many messages it holds, ready or in somebody's hands.
pub(crate) struct Depth {
    pub(crate) queue: String,
    pub(crate) messages: u64,
}

impl Depth {
    pub(crate) fn is_work(&self) -> bool {
        self.messages > 0 && !self.queue.ends_with(".dead-letters")
    }
}

impl Management {
    pub(crate) fn new(url: String) -> Self {
        Self { http: Client::new(), url }
    }

    pub(crate) async fn depths(&self) -> Result<Vec<Depth>> {
        let answer = self.call(Method::GET, "/api/queues/%2f", None).await?;
        let queues = answer.as_array().cloned().unwrap_or_default();
        let depth = |queue: &Value| {
            let queue_name = queue["name"].as_str()?.to_owned();
            // A queue whose numbers the broker has not gathered yet is not known to be empty.
            Some(Depth { queue: queue_name, messages: queue["messages"].as_u64().unwrap_or(1) })
        };
        Ok(queues.iter().filter_map(depth).collect())
    }

    /// Puts a message into a queue, as a stranger might.
    pub(crate) async fn publish(&self, queue: &str, properties: Value, payload: &str) -> Result<()> {
        let message = json!({
            "routing_key": queue, "properties": properties, "payload": payload, "payload_encoding": "string",
        });
        let path = "/api/exchanges/%2f/amq.default/publish";
        let answer = self.call(Method::POST, path, Some(message)).await?;
        if answer["routed"] == json!(true) {
            Ok(())
        } else {
            Err(Error::failed(format!("there is no queue {queue}")))
        }
    }

    /// The `message_id` of every message in a queue; they stay there.
    pub(crate) async fn message_ids(&self, queue: &str) -> Result<Vec<String>> {
        let ask =
            json!({ "count": 10_000, "ackmode": "ack_requeue_true", "encoding": "base64", "truncate": 1 });
        let path = format!("/api/queues/%2f/{queue}/get");
        let answer = self.call(Method::POST, &path, Some(ask)).await?;
        let id = |message: &Value| {
            message["properties"]["message_id"].as_str().unwrap_or("without a message id").to_owned()
        };
        Ok(answer.as_array().map(|messages| messages.iter().map(id).collect()).unwrap_or_default())
    }

    /// Deletes a queue, as an operator's slip would.
    pub(crate) async fn delete_queue(&self, queue: &str) -> Result<()> {
        self.call(Method::DELETE, &format!("/api/queues/%2f/{queue}"), None).await.map(drop)
    }

    /// Deletes a binding, as an operator's slip would.
    pub(crate) async fn delete_binding(&self, exchange: &str, queue: &str, key: &str) -> Result<()> {
        let path = format!("/api/bindings/%2f/e/{exchange}/q/{queue}/{key}");
        self.call(Method::DELETE, &path, None).await.map(drop)
    }

    /// Whether events of this key go from an exchange to a queue.
    pub(crate) async fn is_bound(&self, exchange: &str, queue: &str, key: &str) -> Result<bool> {
        let path = format!("/api/bindings/%2f/e/{exchange}/q/{queue}");
        let bindings = self.call(Method::GET, &path, None).await?;
        let keys = bindings.as_array().into_iter().flatten().map(|binding| &binding["routing_key"]);
        Ok(keys.into_iter().any(|bound| bound == key))
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let failed = |error: reqwest::Error| Error::failed(format!("RabbitMQ's {path}: {error}"));
        let request = self.http.request(method, format!("{}{path}", self.url)).timeout(TIMEOUT);
        let request = match &body {
            Some(body) => request.json(body),
            None => request,
        };
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let text = answer.text().await.map_err(failed)?;
        if !status.is_success() {
            return Err(Error::failed(format!("RabbitMQ answered {status} to {path}: {text}")));
        }
        Ok(serde_json::from_str(&text).unwrap_or(Value::Null))
    }
}
