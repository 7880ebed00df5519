//! Startup.

use std::time::Duration;

use crm_sync::{
    app::{App, StartError},
    config::{Config, Grpc},
};
use testkit::{
    database::{postgres, sqlite},
    proxy::Proxy,
};

use crate::support::{NO_BROKER, all, client, config, migrated, start};

#[tokio::test]
async fn waits_for_the_database_server() {
    let database = postgres();
    drop(migrated(&database).await);
    let (before, rest) = database.url().rsplit_once('@').unwrap();
    let (target, name) = rest.split_once('/').unwrap();
    let proxy = Proxy::start(target.to_owned()).await.unwrap();
    proxy.cut();
    let (context, _) = testkit::context("crm-sync");
    let url = format!("{before}@{}/{name}", proxy.address());
    let mut starting = std::pin::pin!(start(NO_BROKER, &url, &context));
    let early = tokio::time::timeout(Duration::from_millis(300), &mut starting).await;
    assert!(early.is_err(), "expected to wait for the database");
    proxy.restore();
    let app = starting.await.unwrap();
    assert!(all(&mut client(app.grpc_addr).await).await.is_empty());
}

#[tokio::test]
async fn waits_for_the_schema() {
    let database = postgres();
    let (context, _) = testkit::context("crm-sync");
    let mut starting = std::pin::pin!(start(NO_BROKER, database.url(), &context));
    let early = tokio::time::timeout(Duration::from_millis(300), &mut starting).await;
    assert!(early.is_err(), "expected to wait for the schema");
    drop(migrated(&database).await);
    let app = starting.await.unwrap();
    assert!(all(&mut client(app.grpc_addr).await).await.is_empty());
}

#[tokio::test]
async fn stops_while_waiting_for_the_database() {
    let (context, _) = testkit::context("crm-sync");
    context.lifecycle.stop();
    let started = start(NO_BROKER, "postgres://nobody@127.0.0.1:1/crm", &context).await;
    assert!(matches!(started, Err(StartError::Stopped)));
}

#[tokio::test]
async fn permanent_errors_end_the_start_immediately() {
    let (context, _) = testkit::context("crm-sync");
    let empty = postgres();
    let (_, server) = empty.url().rsplit_once('@').unwrap();
    let wrong = format!("postgres://nobody:wrong@{server}");
    let error = start(NO_BROKER, &wrong, &context).await.err().unwrap();
    assert!(
        matches!(
            error,
            StartError::Store(crm_sync::db::error::StoreError::NotAdmitted(_))
        ),
        "{error}"
    );

    let error = start(NO_BROKER, "sqlite:///nowhere/crm.sqlite", &context)
        .await
        .err()
        .unwrap();
    assert!(matches!(error, StartError::Store(_)), "{error}");
}

#[tokio::test]
async fn port_in_use_is_an_error() {
    let database = sqlite();
    let (context, _) = testkit::context("crm-sync");
    let first = start(NO_BROKER, database.url(), &context).await.unwrap();
    let config = Config {
        grpc: Grpc::without_tls(first.grpc_addr),
        ..config(NO_BROKER, database.url())
    };
    let error = App::start(config, &context).await.err().unwrap();
    assert!(
        error
            .to_string()
            .contains(&first.grpc_addr.port().to_string()),
        "{error}"
    );
}
