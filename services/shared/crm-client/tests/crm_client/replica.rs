//! A fake CRM replica that treats all methods alike and answers with an empty message.

use std::{
    future,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{Router, extract::Request};
use runtime::lifecycle::Lifecycle;
use tokio::{net::TcpListener, sync::watch};
use tonic::{
    Code, Response, Status,
    server::Grpc,
    service::Routes,
    transport::{Server, server::TcpIncoming},
};
use tonic_prost::ProstCodec;
use tower::service_fn;

use crate::failover::TOKEN;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Answers,
    Fails(Code),
    Hangs,
    Panics,
}

pub(crate) struct Replica {
    pub(crate) address: SocketAddr,
    behaviour: watch::Sender<Behaviour>,
    calls: Arc<AtomicUsize>,
}

impl Replica {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (behaviour, current) = watch::channel(behaviour);
        let calls = Arc::<AtomicUsize>::default();
        let counter = Arc::clone(&calls);
        let answer = move |request: tonic::Request<()>| {
            assert_eq!(
                request.metadata().get("authorization").unwrap(),
                &format!("Bearer {TOKEN}")
            );
            counter.fetch_add(1, Ordering::Relaxed);
            let behaviour = *current.borrow();
            async move {
                match behaviour {
                    Behaviour::Answers => Ok(Response::new(())),
                    Behaviour::Fails(code) => Err(Status::new(code, "on purpose")),
                    Behaviour::Hangs => future::pending().await,
                    Behaviour::Panics => unreachable!("on purpose"),
                }
            }
        };
        let all_calls = Router::new().fallback(async move |request: Request| {
            Grpc::new(ProstCodec::<(), ()>::default())
                .unary(service_fn(answer), request)
                .await
        });
        let server = Server::builder().add_routes(Routes::from(all_calls));
        Lifecycle::new().spawn(
            "replica",
            server.serve_with_incoming(TcpIncoming::from(listener)),
        );
        Self {
            address,
            behaviour,
            calls,
        }
    }

    pub(crate) fn set_behaviour(&self, behaviour: Behaviour) {
        self.behaviour.send_replace(behaviour);
    }

    /// Number of received calls.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}
