//! Tests failover between replicas within the deadline.

use std::{net::SocketAddr, time::Duration};

use contracts::crm::v1::RecordLeadRequest;
use crm_client::{Crm, CrmClient, Encryption, Settings, Token};
use testkit::{
    proxy::{Mode, Proxy},
    wait,
};
use tokio::{join, net::TcpListener, time::Instant};
use tonic::{Code, Status};

use crate::replica::{Behaviour, Replica};

pub(crate) const TOKEN: &str = "crm-client-0123456789abcdef";

/// lead-intake's deadline.
const WITHIN: Duration = Duration::from_millis(1500);
/// Tolerance for a busy machine.
const SLACK: Duration = Duration::from_millis(500);

fn client(replicas: &[SocketAddr]) -> CrmClient {
    let addresses: Vec<_> = replicas
        .iter()
        .map(|address| format!("http://{address}"))
        .collect();
    let token = Token::new(&TOKEN.into()).unwrap();
    let settings = Settings::new(&addresses.join(","), token, Encryption::default()).unwrap();
    CrmClient::new(&settings)
}

async fn record(client: &CrmClient) -> Result<(), Status> {
    let started = Instant::now();
    let call =
        |mut crm: Crm| async move { crm.leads.record_lead(RecordLeadRequest::default()).await };
    let answer = client.call(WITHIN, call).await;
    assert!(
        started.elapsed() < WITHIN + SLACK,
        "{:?}",
        started.elapsed()
    );
    answer.map(drop)
}

async fn code(client: &CrmClient) -> Code {
    record(client).await.unwrap_err().code()
}

/// An address without a listener.
async fn unused_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
}

#[tokio::test]
async fn fails_over_and_prefers_the_replica_that_answered() {
    let (first, second) = (
        Replica::start(Behaviour::Answers).await,
        Replica::start(Behaviour::Answers).await,
    );
    let proxy = Proxy::start(first.address.to_string()).await.unwrap();
    let client = client(&[proxy.address(), second.address]);
    proxy.set(Mode::Reset);
    record(&client).await.unwrap();
    proxy.restore();
    record(&client).await.unwrap();
    assert_eq!((first.calls(), second.calls()), (0, 2));
}

#[tokio::test]
async fn stalled_replica_fails_over_within_the_deadline() {
    let (hanging, healthy) = (
        Replica::start(Behaviour::Hangs).await,
        Replica::start(Behaviour::Answers).await,
    );
    let client = client(&[hanging.address, healthy.address]);
    record(&client).await.unwrap();
    for _ in 0..3 {
        record(&client).await.unwrap();
    }
    assert_eq!(
        (hanging.calls(), healthy.calls()),
        (1, 4),
        "the client prefers the replica that answered"
    );
}

#[tokio::test]
async fn silent_replica_is_skipped() {
    let hanging = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let healthy = Replica::start(Behaviour::Answers).await;
    let client = client(&[hanging.local_addr().unwrap(), healthy.address]);
    record(&client).await.unwrap();
}

#[tokio::test]
async fn interrupted_call_is_repeated_elsewhere() {
    let (cut, healthy) = (
        Replica::start(Behaviour::Hangs).await,
        Replica::start(Behaviour::Answers).await,
    );
    let proxy = Proxy::start(cut.address.to_string()).await.unwrap();
    let client = client(&[proxy.address(), healthy.address]);
    let started = Instant::now();
    let (answer, ()) = join!(record(&client), async {
        wait::until("the call to be in flight", async || cut.calls() == 1).await;
        proxy.cut();
    });
    answer.unwrap();
    assert!(
        started.elapsed() < WITHIN / 2,
        "the client waited for the first replica's share of the deadline"
    );
    assert_eq!((cut.calls(), healthy.calls()), (1, 1));
}

#[tokio::test]
async fn call_to_a_dying_replica_is_repeated_elsewhere() {
    let (broken, healthy) = (
        Replica::start(Behaviour::Panics).await,
        Replica::start(Behaviour::Answers).await,
    );
    let client = client(&[broken.address, healthy.address]);
    let started = Instant::now();
    record(&client).await.unwrap();
    assert!(started.elapsed() < WITHIN / 2, "{:?}", started.elapsed());
}

#[tokio::test]
async fn recovered_replica_is_used_again() {
    let (first, second) = (
        Replica::start(Behaviour::Answers).await,
        Replica::start(Behaviour::Answers).await,
    );
    let proxies = [
        Proxy::start(first.address.to_string()).await.unwrap(),
        Proxy::start(second.address.to_string()).await.unwrap(),
    ];
    let client = client(&proxies.each_ref().map(Proxy::address));
    for away in [0, 1, 0, 1] {
        proxies[away].cut();
        assert!(
            record(&client).await.is_ok(),
            "the call failed without replica {away}"
        );
        proxies[away].restore();
    }
}

#[tokio::test]
async fn replica_that_answers_unavailable_is_skipped() {
    let without = Replica::start(Behaviour::Fails(Code::Unavailable)).await;
    let healthy = Replica::start(Behaviour::Answers).await;
    let client = client(&[without.address, healthy.address]);
    record(&client).await.unwrap();
}

#[tokio::test]
async fn rejected_call_is_not_repeated() {
    let first = Replica::start(Behaviour::Answers).await;
    let second = Replica::start(Behaviour::Answers).await;
    let client = client(&[first.address, second.address]);
    for refusal in [
        Code::InvalidArgument,
        Code::NotFound,
        Code::FailedPrecondition,
        Code::Unauthenticated,
        Code::DataLoss,
    ] {
        first.set_behaviour(Behaviour::Fails(refusal));
        assert_eq!(code(&client).await, refusal);
    }
    first.set_behaviour(Behaviour::Answers);
    record(&client).await.unwrap();
    assert_eq!((first.calls(), second.calls()), (6, 0));
}

#[tokio::test]
async fn no_replica_fails_immediately() {
    let client = client(&[unused_address().await, unused_address().await]);
    let started = Instant::now();
    assert_eq!(code(&client).await, Code::Unavailable);
    assert!(started.elapsed() < SLACK, "{:?}", started.elapsed());
}

#[tokio::test]
async fn deadline_ends_calls_to_stalled_replicas() {
    let replicas = [
        Replica::start(Behaviour::Hangs).await,
        Replica::start(Behaviour::Hangs).await,
    ];
    let client = client(&replicas.each_ref().map(|replica| replica.address));
    assert_eq!(code(&client).await, Code::DeadlineExceeded);
    assert_eq!(
        replicas.each_ref().map(Replica::calls),
        [1, 1],
        "each replica got one call"
    );

    for replica in &replicas {
        replica.set_behaviour(Behaviour::Answers);
    }
    record(&client)
        .await
        .expect("calls succeed once the replicas answer");
}

#[tokio::test]
async fn concurrent_calls_share_the_failover() {
    let (hanging, healthy) = (
        Replica::start(Behaviour::Hangs).await,
        Replica::start(Behaviour::Answers).await,
    );
    let client = client(&[hanging.address, healthy.address]);
    let (one, other) = join!(record(&client), record(&client));
    assert!(one.is_ok() && other.is_ok());
    record(&client).await.unwrap();
    assert_eq!(
        (hanging.calls(), healthy.calls()),
        (2, 3),
        "concurrent calls fail over once"
    );
}

#[tokio::test]
async fn rejected_token_is_not_ready() {
    for (behaviour, ready) in [
        (Behaviour::Answers, 200),
        (Behaviour::Fails(Code::Unauthenticated), 503),
    ] {
        let replica = Replica::start(behaviour).await;
        let (context, _) = testkit::context("crm-client");
        context.readiness.set_ready();
        client(&[replica.address]).watch_token(&context);
        wait::until("a check", async || replica.calls() == 1).await;
        wait::until("its result", async || {
            context.readiness.status().0.as_u16() == ready
        })
        .await;
    }
}
