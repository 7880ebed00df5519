//! RabbitMQ's management interface, for one virtual host.

use std::time::Duration;

use reqwest::{Client, Method, StatusCode, Url};
use serde_json::{Value, json};

/// The broker did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ManagementError {
    /// There is no such thing.
    #[error("RabbitMQ has no {0}")]
    NotFound(String),
    /// The message was routed to no queue.
    #[error("RabbitMQ has no queue {0}")]
    Unrouted(String),
    /// It refused.
    #[error("RabbitMQ answered {status} to {path}: {text}")]
    Refused {
        /// Its status.
        status: StatusCode,
        /// What was asked.
        path: String,
        /// What it said.
        text: String,
    },
    /// It did not answer.
    #[error("RabbitMQ's management interface: {0}")]
    Away(#[from] reqwest::Error),
}

type Result<T> = std::result::Result<T, ManagementError>;

/// A queue and how many messages it holds, ready or in a consumer's hands.
pub struct Depth {
    /// Its name.
    pub queue: String,
    /// 1 where the broker has not counted yet: the queue is not known to be empty.
    pub messages: u64,
}

impl Depth {
    /// Whether there is something for a consumer to do.
    #[must_use]
    pub fn is_work(&self) -> bool {
        self.messages > 0 && !self.queue.ends_with(".dead-letters")
    }
}

/// The broker as an administrator sees it.
#[derive(Clone)]
pub struct Management {
    http: Client,
    url: Url,
    timeout: Duration,
    /// The virtual host that every call is about.
    pub vhost: String,
}

impl Management {
    /// `url` has the administrator's name and password.
    ///
    /// # Panics
    /// When `url` is none.
    #[must_use]
    pub fn new(url: &str, vhost: impl Into<String>, timeout: Duration) -> Self {
        Self { http: Client::new(), url: url.parse().expect("a URL"), timeout, vhost: vhost.into() }
    }

    /// Another client and timeout, for a runtime of its own.
    pub fn renew(&mut self, timeout: Duration) {
        (self.http, self.timeout) = (Client::new(), timeout);
    }

    /// Makes the virtual host, where the administrator alone may do anything.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn create_vhost(&self) -> Result<()> {
        self.call(Method::PUT, &["vhosts", &self.vhost], None).await?;
        let permissions = json!({ "configure": ".*", "write": ".*", "read": ".*" });
        let path = ["permissions", &self.vhost, self.url.username()];
        self.call(Method::PUT, &path, Some(permissions)).await.map(drop)
    }

    /// Deletes the virtual host with all that is in it.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn delete_vhost(&self) -> Result<()> {
        self.call(Method::DELETE, &["vhosts", &self.vhost], None).await.map(drop)
    }

    /// Imports definitions as they are.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn import(&self, definitions: Value) -> Result<()> {
        self.call(Method::POST, &["definitions"], Some(definitions)).await.map(drop)
    }

    /// Imports these kinds of entries into the virtual host instead of the one that the definitions name.
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

    /// Every queue.
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

    /// Whether there is such a queue.
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

    /// Deletes a queue, as an operator's slip would.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn delete_queue(&self, queue: &str) -> Result<()> {
        self.call(Method::DELETE, &["queues", &self.vhost, queue], None).await.map(drop)
    }

    /// Throws away what is in a queue.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn purge(&self, queue: &str) -> Result<()> {
        self.call(Method::DELETE, &["queues", &self.vhost, queue, "contents"], None).await.map(drop)
    }

    /// Binds a queue to an exchange with this routing key.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn bind(&self, exchange: &str, queue: &str, key: &str) -> Result<()> {
        let path = ["bindings", &self.vhost, "e", exchange, "q", queue];
        self.call(Method::POST, &path, Some(json!({ "routing_key": key }))).await.map(drop)
    }

    /// Deletes a binding, as an operator's slip would.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn delete_binding(&self, exchange: &str, queue: &str, key: &str) -> Result<()> {
        let path = ["bindings", &self.vhost, "e", exchange, "q", queue, key];
        self.call(Method::DELETE, &path, None).await.map(drop)
    }

    /// Whether events of this key go from an exchange to a queue.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn is_bound(&self, exchange: &str, queue: &str, key: &str) -> Result<bool> {
        let path = ["bindings", &self.vhost, "e", exchange, "q", queue];
        let bindings = self.call(Method::GET, &path, None).await?;
        Ok(bindings.as_array().into_iter().flatten().any(|binding| binding["routing_key"] == key))
    }

    /// Lets a queue hold no more than so many messages; `None`: as many as it can.
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

    /// Puts a message into a queue, as a stranger might. `encoding` of the payload is `string` or `base64`.
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

    /// The first messages of a queue with `properties`, `routing_key` and `payload` in base64. They stay there unless
    /// they are to be taken.
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

    /// The names of all connections of clients.
    ///
    /// # Errors
    /// [`ManagementError`]
    pub async fn connections(&self) -> Result<Vec<String>> {
        let answer = self.call(Method::GET, &["vhosts", &self.vhost, "connections"], None).await?;
        let name = |connection: &Value| connection["name"].as_str().map(str::to_owned);
        Ok(answer.as_array().into_iter().flatten().filter_map(name).collect())
    }

    /// Ends a connection, as a restart would.
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
