//! A client of RabbitMQ's management API, for one virtual host.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::{Client, Method, StatusCode, Url};
use serde_json::{Value, json};

/// A queue and its number of messages, ready or unacknowledged.
pub struct Depth {
    pub queue: String,
    /// 1 if the broker has not counted the messages yet, because the queue may contain some.
    pub messages: u64,
}

impl Depth {
    /// Whether a work queue has messages; dead letters do not count.
    pub fn is_work(&self) -> bool {
        self.messages > 0 && !self.queue.ends_with(".dead-letters")
    }
}

/// A client with an administrator's permissions.
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
    pub fn new(url: &str, vhost: impl Into<String>, timeout: Duration) -> Self {
        Self {
            http: Client::new(),
            url: url.parse().expect("a URL"),
            timeout,
            vhost: vhost.into(),
        }
    }

    /// Creates the virtual host with full permissions for the administrator only.
    pub async fn create_vhost(&self) -> Result<()> {
        self.call(Method::PUT, &["vhosts", &self.vhost], None)
            .await?;
        let permissions = json!({ "configure": ".*", "write": ".*", "read": ".*" });
        let path = ["permissions", &self.vhost, self.url.username()];
        self.call(Method::PUT, &path, Some(permissions))
            .await
            .map(drop)
    }

    pub async fn delete_vhost(&self) -> Result<()> {
        self.call(Method::DELETE, &["vhosts", &self.vhost], None)
            .await
            .map(drop)
    }

    /// Imports only these kinds of entries, into this virtual host.
    pub async fn import_here(&self, definitions: &Value, kinds: &[&str]) -> Result<()> {
        let mut here = json!({ "vhosts": [{ "name": self.vhost }] });
        for kind in kinds {
            here[*kind] = definitions[*kind].clone();
            for entry in here[*kind].as_array_mut().into_iter().flatten() {
                entry["vhost"] = json!(self.vhost);
            }
        }
        self.call(Method::POST, &["definitions"], Some(here))
            .await
            .map(drop)
    }

    pub async fn depths(&self) -> Result<Vec<Depth>> {
        let answer = self
            .call(Method::GET, &["queues", &self.vhost], None)
            .await?;
        let depth = |queue: &Value| {
            let name = queue["name"].as_str()?.to_owned();
            Some(Depth {
                queue: name,
                messages: queue["messages"].as_u64().unwrap_or(1),
            })
        };
        Ok(answer
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(depth)
            .collect())
    }

    /// Limits the number of messages in a queue, or removes the limit. The queue rejects publishes while it exceeds the limit.
    pub async fn limit(&self, queue: &str, length: Option<u32>) -> Result<()> {
        let path = ["policies", &self.vhost, queue];
        let Some(length) = length else {
            return self.call(Method::DELETE, &path, None).await.map(drop);
        };
        let pattern = format!("^{}$", queue.replace('.', "\\."));
        let policy = json!({ "pattern": pattern, "definition": { "max-length": length }, "apply-to": "queues" });
        self.call(Method::PUT, &path, Some(policy)).await.map(drop)
    }

    /// Publishes a message to a queue through the default exchange. `encoding` of the payload is `string` or `base64`.
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
        ensure!(answer["routed"] == true, "RabbitMQ has no queue {queue}");
        Ok(())
    }

    /// Returns the first 10 000 messages of a queue, with `properties`, `routing_key` and `payload` in base64. Removes
    /// them from the queue if `is_removing`.
    pub async fn messages(&self, queue: &str, is_removing: bool) -> Result<Vec<Value>> {
        let ackmode = if is_removing {
            "ack_requeue_false"
        } else {
            "ack_requeue_true"
        };
        let request = json!({ "count": 10_000, "ackmode": ackmode, "encoding": "base64" });
        let path = ["queues", &self.vhost, queue, "get"];
        let answer = self.call(Method::POST, &path, Some(request)).await?;
        Ok(answer.as_array().cloned().unwrap_or_default())
    }

    /// Calls the API. Returns null if the resource does not exist.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &[&str],
        body: Option<Value>,
    ) -> Result<Value> {
        let mut url = self.url.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().push("api").extend(path);
        }
        let mut request = self.http.request(method, url).timeout(self.timeout);
        if let Some(body) = &body {
            request = request.json(body);
        }
        let answer = request
            .send()
            .await
            .context("RabbitMQ's management interface")?;
        let (status, path) = (answer.status(), path.join("/"));
        let text = answer.text().await?;
        match status {
            StatusCode::NOT_FOUND => Ok(Value::Null),
            _ if status.is_success() => Ok(serde_json::from_str(&text).unwrap_or(Value::Null)),
            _ => bail!("RabbitMQ answered {status} to {path}: {text}"),
        }
    }
}
