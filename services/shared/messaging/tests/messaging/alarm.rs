//! A broker with a memory alarm. A relay simulates the alarm, because a real alarm would block all other tests.

use std::{net::SocketAddr, time::Instant};

use messaging::PublishError;
use testkit::{
    broker::{Vhost, through},
    wait,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy},
    net::{TcpListener, TcpStream},
    sync::broadcast,
};

use crate::support::{PROMPT, has_metric, lead, publisher};

/// `connection.blocked` with the reason "low": frame type, channel, length, class and method, arguments, end.
const BLOCKED: &[u8] = b"\x01\0\0\0\0\0\x08\0\x0a\0\x3c\x03low\xce";
/// `connection.unblocked`.
const UNBLOCKED: &[u8] = b"\x01\0\0\0\0\0\x04\0\x0a\0\x3d\xce";

/// Forwards connections to the broker, and inserts frames while the broker sends none.
async fn relay(target: String, frames: broadcast::Sender<&'static [u8]>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut broker = TcpStream::connect(target).await.unwrap();
        let (mut from_client, mut to_client) = client.split();
        let (mut from_broker, mut to_broker) = broker.split();
        let mut frames = frames.subscribe();
        let answers = async {
            let mut chunk = vec![0; 64 * 1024];
            loop {
                tokio::select! {
                    length = from_broker.read(&mut chunk) => {
                        to_client.write_all(&chunk[..length.unwrap()]).await.unwrap();
                    }
                    frame = frames.recv() => to_client.write_all(frame.unwrap()).await.unwrap(),
                }
            }
        };
        tokio::select! {
            _ = copy(&mut from_client, &mut to_broker) => {}
            () = answers => {}
        }
    });
    address
}

#[tokio::test]
async fn blocked_broker_rejects_until_unblocked() {
    let vhost = Vhost::create().await;
    let broker = broadcast::Sender::new(1);
    let address = relay(vhost.target(), broker.clone()).await;
    let (publisher, context) = publisher(through(&vhost.url(), address));
    publisher.publish(&lead(1)).await.unwrap();

    broker.send(BLOCKED).unwrap();
    wait::until("the alarm", async || {
        has_metric(&context, "messaging_connected{role=\"publish\"} 0")
    })
    .await;
    let started = Instant::now();
    assert_eq!(
        publisher.publish(&lead(2)).await,
        Err(PublishError::Blocked)
    );
    assert!(started.elapsed() < PROMPT, "{:?}", started.elapsed());

    broker.send(UNBLOCKED).unwrap();
    wait::until("the end of the alarm", async || {
        publisher.publish(&lead(3)).await.is_ok()
    })
    .await;
    let messages = vhost.take_messages("notifier.leads", 2).await;
    assert!(messages.iter().all(|message| {
        !message["properties"]["message_id"]
            .as_str()
            .unwrap()
            .ends_with('2')
    }));
}
