//! Watching, across processes: what is recorded is seen once, soon, and only if it passes.

use ::lead::Language;
use std::pin::pin;

use crm_sync::{
    db::Store,
    leads::{recorder::Recorder, source::Source},
    search::{filter::Filter, watch::watch},
};
use futures_util::{FutureExt, StreamExt};
use testkit::database::{Database, postgres, sqlite};

use crate::support::{migrated, settings, submission};

fn recorder(store: Store) -> Recorder {
    Recorder::new(store, &testkit::context("crm-sync").0)
}

async fn sees_both_processes(database: Database) {
    let here = recorder(migrated(&database).await);
    let there = recorder(Store::open(&settings(database.url())).await.unwrap());
    here.record_leads(Source::Broker, &[submission(1)]).await.unwrap();

    let (context, _) = testkit::context("crm-sync");
    let stop = context.lifecycle.soft_stop();
    let english = Filter { language: Some(Language::English), ..Filter::default() };
    let mut all = pin!(watch(&here, Filter::default(), stop.clone()).await.unwrap());
    let mut english = pin!(watch(&here, english, stop).await.unwrap());

    let mut in_english = submission(4);
    in_english.language = Language::English;
    there.record_leads(Source::Grpc, &[submission(2)]).await.unwrap();
    there.record_leads(Source::Grpc, &[submission(2), submission(3)]).await.unwrap();
    here.record_leads(Source::Broker, &[in_english]).await.unwrap();

    let mut seen = Vec::new();
    while seen.len() < 3 {
        seen.push(all.next().await.unwrap().unwrap().submission.id.as_u128());
    }
    assert_eq!(seen, [2, 3, 4], "from now on, each once");
    assert_eq!(english.next().await.unwrap().unwrap().submission.id.as_u128(), 4);
    assert!(all.next().now_or_never().is_none(), "nothing else");

    context.lifecycle.stop();
    assert!(all.next().await.is_none() && english.next().await.is_none(), "it ends with the process");
}

#[tokio::test]
async fn sees_both_processes_on_sqlite() {
    sees_both_processes(sqlite()).await;
}

#[tokio::test]
async fn sees_both_processes_on_postgres() {
    sees_both_processes(postgres()).await;
}

#[tokio::test]
async fn more_than_one_look_can_hold_are_all_seen() {
    let database = sqlite();
    let recorder = recorder(migrated(&database).await);
    let (context, _) = testkit::context("crm-sync");
    let leads = watch(&recorder, Filter::default(), context.lifecycle.soft_stop()).await.unwrap();
    let batch: Vec<_> = (1..=450).map(submission).collect();
    recorder.record_leads(Source::Broker, &batch).await.unwrap();
    let seen: Vec<_> = leads.take(450).map(|lead| lead.unwrap().submission.id.as_u128()).collect().await;
    assert_eq!(seen, (1..=450).collect::<Vec<_>>());
}
