//! Messages that no handler can process.

use serde_json::json;
use xtask::error::{Error, Result};

use crate::fault::{Made, Poison, Queue};
use crate::run::Run;

pub(super) async fn put(run: &Run, poison: Poison, queue: Queue) -> Result<Made> {
    let (kind, payload) = match poison {
        Poison::Undecodable => ("lead.submitted.v1", "\u{1}\u{2}no protobuf"),
        Poison::WrongType => ("lead.erased.v1", ""),
        Poison::UnknownVersion => ("lead.submitted.v9", ""),
    };
    let id = run.next_key().to_string();
    let properties = json!({ "message_id": id, "type": kind, "delivery_mode": 2 });
    let management = &run.stack.management;
    management.publish(&queue.name(), &properties, &json!(payload), "string").await.map_err(Error::of)?;
    run.poisoned(queue, id);
    Ok(Made::Done)
}
