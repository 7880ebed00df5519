//! A client of RabbitMQ's management API, for one virtual host.

use std::time::Duration;

use reqwest::{Client, Method, StatusCode, Url};
use serde_json::{Value, json};

/// A request to the management API failed.
#[derive(Debug, thiserror::Error)]
pub enum ManagementError {
    /// The queue, binding or other resource does not exist.
    #[error("RabbitMQ has no {0}")]
    NotFound(String),
    /// The message was routed to no queue.
    #[error("RabbitMQ has no queue {0}")]
    Unrouted(String),
    /// An answer with any other failing status.
    #[error("RabbitMQ answered {status} to {path}: {text}")]
    Refused {
        /// The status of the answer.
        status: StatusCode,
        /// The path of the request.
        path: String,
        /// The body of the answer.
        text: String,
    },
    /// The API could not be reached.
    #[error("RabbitMQ's management interface: {0}")]
    Away(#[from] reqwest::Error),
}

type Result<T> = std::result::Result<T, ManagementError>;

/// A queue and its number of messages, ready or unacknowledged.
pub struct Depth {
    /// The queue's name.
    pub queue: String,
    /// 1 if the broker has no count yet, as the queue may not be empty.
    pub messages: u64,
}

impl Depth {
    /// Whether a work queue has messages; dead letters do not count.
    #[must_use]
    pub fn is_work(&self) -> bool {
        self.messages > 0 && !self.queue.ends_with(".dead-letters")
    }
}

/// The broker as seen by an administrator.
#[derive(Clone)]
pub struct Management {
    http: Client,
    url: Url,
    timeout: Duration,
    /// The virtual host of all calls.
    pub vhost: String,
}

impl Management {
    /// `url` contains the administrator's name and password; `timeout` applies to each request.
    ///
    /// # Panics
    /// When `url` is invalid.
    #[must_use]
    pub fn new(url: &str, vhost: impl Into<String>, timeout: Duration) -> Self {
        Self { http: Client::new(), url: url.parse().expect("a URL"), timeout, vhost: vhost.into() }
    }

    /// Creates a new HTTP client for use in another runtime, with a new timeout.
    pub fn renew(&mut self, timeout: Duration) {
        (self.http, self.timeout) = (Client::new(), timeout);
    }

    /// Creates the virtual host with full permissions for the administrator only.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn create_vhost(&self) -> Result<()> {
        self.call(Method::PUT, &["vhosts", &self.vhost], None).await?;
        let permissions = json!({ "configure": ".*", "write": ".*", "read": ".*" });
        let path = ["permissions", &self.vhost, self.url.username()];
        self.call(Method::PUT, &path, Some(permissions)).await.map(drop)
    }

    /// Deletes the virtual host with its contents.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn delete_vhost(&self) -> Result<()> {
        self.call(Method::DELETE, &["vhosts", &self.vhost], None).await.map(drop)
    }

    /// Imports definitions unchanged.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn import(&self, definitions: Value) -> Result<()> {
        self.call(Method::POST, &["definitions"], Some(definitions)).await.map(drop)
    }

    /// Imports these kinds of entries, redirected into this virtual host.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn import_here(&self, definitions: &Value, kinds: &[&str]) -> Result<()> {
        let mut here = json!({ "vhosts": [{ "name": self.vhost }] });
        for kind in kinds {
            here[*kind] = definitions[*kind].clone();
            for entry in here[*kind].as_array_mut().into_iter().flatten() {
                entry["vhost"] = json!(self.vhost);
            }
        }
        self.import(here).await
    }

    /// The depths of all queues.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn depths(&self) -> Result<Vec<Depth>> {
        let answer = self.call(Method::GET, &["queues", &self.vhost], None).await?;
        let depth = |queue: &Value| {
            let name = queue["name"].as_str()?.to_owned();
            Some(Depth { queue: name, messages: queue["messages"].as_u64().unwrap_or(1) })
        };
        Ok(answer.as_array().into_iter().flatten().filter_map(depth).collect())
    }

    /// Whether the queue exists.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn has_queue(&self, queue: &str) -> Result<bool> {
        match self.call(Method::GET, &["queues", &self.vhost, queue], None).await {
            Ok(_) => Ok(true),
            Err(ManagementError::NotFound(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes a queue.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn delete_queue(&self, queue: &str) -> Result<()> {
        self.call(Method::DELETE, &["queues", &self.vhost, queue], None).await.map(drop)
    }

    /// Deletes the ready messages of a queue.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn purge(&self, queue: &str) -> Result<()> {
        self.call(Method::DELETE, &["queues", &self.vhost, queue, "contents"], None).await.map(drop)
    }

    /// Binds a queue to an exchange with the routing key `key`.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn bind(&self, exchange: &str, queue: &str, key: &str) -> Result<()> {
        let path = ["bindings", &self.vhost, "e", exchange, "q", queue];
        self.call(Method::POST, &path, Some(json!({ "routing_key": key }))).await.map(drop)
    }

    /// Deletes a binding.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn delete_binding(&self, exchange: &str, queue: &str, key: &str) -> Result<()> {
        let path = ["bindings", &self.vhost, "e", exchange, "q", queue, key];
        self.call(Method::DELETE, &path, None).await.map(drop)
    }

    /// Limits a queue to `length` messages; `None` removes the limit.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn limit(&self, queue: &str, length: Option<u32>) -> Result<()> {
        let path = ["policies", &self.vhost, queue];
        let Some(length) = length else { return self.call(Method::DELETE, &path, None).await.map(drop) };
        let pattern = format!("^{}$", queue.replace('.', "\\."));
        let policy =
            json!({ "pattern": pattern, "definition": { "max-length": length }, "apply-to": "queues" });
        self.call(Method::PUT, &path, Some(policy)).await.map(drop)
    }

    /// Publishes a message to a queue through the default exchange. `encoding` of the payload is `string` or `base64`.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn publish(
        &self,
        queue: &str,
        properties: &Value,
        payload: &Value,
        encoding: &str,
    ) -> Result<()> {
        let message = json!({
            "routing_key": queue, "properties": properties, "payload": payload, "payload_encoding": encoding,
        });
        let path = ["exchanges", &self.vhost, "amq.default", "publish"];
        let answer = self.call(Method::POST, &path, Some(message)).await?;
        if answer["routed"] == json!(true) {
            Ok(())
        } else {
            Err(ManagementError::Unrouted(queue.to_owned()))
        }
    }

    /// The first 10 000 messages of a queue with `properties`, `routing_key` and `payload` in base64. `take` removes
    /// them.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn messages(&self, queue: &str, take: bool) -> Result<Vec<Value>> {
        let ackmode = if take { "ack_requeue_false" } else { "ack_requeue_true" };
        let ask = json!({ "count": 10_000, "ackmode": ackmode, "encoding": "base64" });
        let path = ["queues", &self.vhost, queue, "get"];
        let answer = self.call(Method::POST, &path, Some(ask)).await?;
        Ok(answer.as_array().cloned().unwrap_or_default())
    }

    /// The names of all client connections.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn connections(&self) -> Result<Vec<String>> {
        let answer = self.call(Method::GET, &["vhosts", &self.vhost, "connections"], None).await?;
        let name = |connection: &Value| connection["name"].as_str().map(str::to_owned);
        Ok(answer.as_array().into_iter().flatten().filter_map(name).collect())
    }

    /// Closes a client connection.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn close_connection(&self, name: &str) -> Result<()> {
        self.call(Method::DELETE, &["connections", name], None).await.map(drop)
    }

    /// RabbitMQ's and Erlang's versions.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn versions(&self) -> Result<String> {
        let overview = self.call(Method::GET, &["overview"], None).await?;
        let version = |name: &str| overview[name].as_str().unwrap_or("unknown").to_owned();
        Ok(format!("{}, Erlang {}", version("rabbitmq_version"), version("erlang_version")))
    }

    async fn call(&self, method: Method, path: &[&str], body: Option<Value>) -> Result<Value> {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().push("api").extend(path);
        }
        let mut request = self.http.request(method, url).timeout(self.timeout);
        if let Some(body) = &body {
            request = request.json(body);
        }
        let answer = request.send().await?;
        let (status, path) = (answer.status(), path.join("/"));
        let text = answer.text().await?;
        match status {
            StatusCode::NOT_FOUND => Err(ManagementError::NotFound(path)),
            _ if status.is_success() => Ok(serde_json::from_str(&text).unwrap_or(Value::Null)),
            _ => Err(ManagementError::Refused { status, path, text }),
        }
    }
}
