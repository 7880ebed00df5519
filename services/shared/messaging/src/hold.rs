//! Taking what lies in a queue in hand without settling it, and letting it go.

use lapin::{
    Channel,
    options::{BasicGetOptions, BasicNackOptions},
};

use crate::message::Message;

/// Everything that is ready in a queue, the first of it first. Nothing is acknowledged: what still is not when it is let
/// go of, or the channel is lost, lies in the queue as before.
pub(crate) async fn hold(channel: &Channel, queue: &str) -> Result<Vec<Message>, lapin::Error> {
    let mut messages = Vec::new();
    while let Some(got) = channel.basic_get(queue.into(), BasicGetOptions::default()).await? {
        messages.push(Message::from(got.delivery));
    }
    Ok(messages)
}

/// Lets go of all that is held on a channel and closes it. Who looks next finds it there: what a closed channel held comes
/// back by itself, but some time later.
pub(crate) async fn let_go(channel: &Channel) -> Result<(), lapin::Error> {
    const ALL: u64 = 0;
    channel.basic_nack(ALL, BasicNackOptions { multiple: true, requeue: true }).await?;
    channel.close(200, "done".into()).await
}
