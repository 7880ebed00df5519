//! RabbitMQ's management interface.

use std::time::Duration;

use reqwest::{Client, Method};
use serde_json::{Value, json};
use xtask::error::{Error, Result};
use xtask::stack::rabbitmq::RabbitMq;

/// A million messages are not thrown away at once.
const TIMEOUT: Duration = Duration::from_secs(120);
const USER: &str = "guest";

/// The broker as an administrator sees it.
pub(crate) struct Broker {
    http: Client,
    management: String,
    amqp_port: u16,
}

impl Broker {
    pub(crate) fn new(node: &RabbitMq) -> Self {
        Self { http: Client::new(), management: node.management_url(), amqp_port: node.amqp_port }
    }

    /// Makes a virtual host with exchange, queues and bindings as in production, and returns its AMQP address.
    pub(crate) async fn add(&self, vhost: &str) -> Result<String> {
        self.call(Method::PUT, &format!("/api/vhosts/{vhost}"), None).await?;
        let permissions = json!({ "configure": ".*", "write": ".*", "read": ".*" });
        self.call(Method::PUT, &format!("/api/permissions/{vhost}/{USER}"), Some(permissions)).await?;
        let definitions = in_vhost(messaging::definitions(), vhost);
        self.call(Method::POST, "/api/definitions", Some(definitions)).await?;
        Ok(format!("amqp://{USER}:{USER}@127.0.0.1:{}/{vhost}", self.amqp_port))
    }

    /// Deletes a virtual host with all that is in it.
    pub(crate) async fn remove(&self, vhost: &str) -> Result<()> {
        self.call(Method::DELETE, &format!("/api/vhosts/{vhost}"), None).await.map(drop)
    }

    /// Throws away what is in a queue.
    pub(crate) async fn purge(&self, vhost: &str, queue: &str) -> Result<()> {
        self.call(Method::DELETE, &format!("/api/queues/{vhost}/{queue}/contents"), None).await.map(drop)
    }

    /// RabbitMQ's and Erlang's versions.
    pub(crate) async fn versions(&self) -> Result<String> {
        let overview = self.call(Method::GET, "/api/overview", None).await?;
        let version = |name: &str| overview[name].as_str().unwrap_or("unknown").to_owned();
        Ok(format!("{}, Erlang {}", version("rabbitmq_version"), version("erlang_version")))
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let failed = |error: reqwest::Error| Error::failed(format!("RabbitMQ's {path}: {error}"));
        let request = self.http.request(method, format!("{}{path}", self.management)).timeout(TIMEOUT);
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

/// Definitions of `/` as those of another virtual host, which is there already and has an administrator alone.
fn in_vhost(mut definitions: Value, vhost: &str) -> Value {
    for kind in ["exchanges", "queues", "bindings"] {
        for entry in definitions[kind].as_array_mut().into_iter().flatten() {
            entry["vhost"] = json!(vhost);
        }
    }
    definitions["permissions"] = json!([]);
    definitions["vhosts"] = json!([{ "name": vhost }]);
    definitions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_defined_is_in_the_virtual_host() {
        let definitions = in_vhost(messaging::definitions(), "elsewhere");
        let text = definitions.to_string();
        assert!(text.contains(r#""vhost":"elsewhere""#) && !text.contains(r#""vhost":"/""#), "{text}");
    }
}
