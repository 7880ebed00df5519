//! Export streams all matching leads in pages, which are read on demand.

use contracts::{
    crm::v1::{ExportLeadsRequest, ExportLeadsResponse, LeadFilter},
    leads::v1::Language,
};
use crm_sync::{db::Store, leads::Source};
use runtime::service::Context;
use testkit::database::Database;
use tonic::{Code, Streaming};

use crate::support::{
    Client, NO_BROKER, client, execute, migrated, number_of, on_postgres, start, submission,
};

on_postgres! {
    export_has_each_match_once_and_the_total,
    export_does_not_read_ahead_of_the_client,
    service_stop_ends_an_export_with_an_error,
}

struct Crm {
    store: Store,
    client: Client,
    context: Context,
}

impl Crm {
    /// Starts the service with this number of leads.
    async fn start(database: &Database, leads: u128) -> Self {
        let store = migrated(database).await;
        for begin in (1..=leads).step_by(500) {
            let batch: Vec<_> = (begin..=leads.min(begin + 499)).map(submission).collect();
            store.record_leads(Source::Broker, &batch).await.unwrap();
        }
        let (context, _) = testkit::context("crm-sync");
        let app = start(NO_BROKER, database.url(), &context).await.unwrap();
        Self {
            store,
            client: client(app.grpc_addr).await,
            context,
        }
    }

    async fn export(&mut self, filter: Option<LeadFilter>) -> Streaming<ExportLeadsResponse> {
        self.client
            .leads
            .export_leads(ExportLeadsRequest { filter })
            .await
            .unwrap()
            .into_inner()
    }
}

/// Collects a stream: the numbers of the leads, and the totals of its messages.
async fn collect(mut stream: Streaming<ExportLeadsResponse>) -> (Vec<u128>, Vec<u64>) {
    let (mut numbers, mut totals) = (Vec::new(), Vec::new());
    while let Some(message) = stream.message().await.unwrap() {
        numbers.extend(message.leads.iter().map(number_of));
        totals.push(message.total);
    }
    (numbers, totals)
}

async fn export_has_each_match_once_and_the_total(database: Database) {
    let mut crm = Crm::start(&database, 600).await;
    let mut english = submission(601);
    english.language = ::lead::Language::English;
    crm.store
        .record_leads(Source::Broker, &[english])
        .await
        .unwrap();
    execute(
        database.url(),
        "UPDATE lead SET erased_at = recorded_at WHERE reference = 'ZG-0000-07'",
    )
    .await;

    let all: Vec<u128> = (1..=601).rev().filter(|number| *number != 7).collect();
    assert_eq!(
        collect(crm.export(None).await).await,
        (all.clone(), vec![600, 0, 0])
    );
    let filter = LeadFilter {
        language: Language::En.into(),
        ..LeadFilter::default()
    };
    assert_eq!(
        collect(crm.export(Some(filter)).await).await,
        (vec![601], vec![1])
    );
    let filter = LeadFilter {
        search: "陈".to_owned(),
        ..LeadFilter::default()
    };
    assert_eq!(
        collect(crm.export(Some(filter)).await).await,
        (all, vec![600, 0, 0])
    );
    let filter = LeadFilter {
        search: "nobody".to_owned(),
        ..LeadFilter::default()
    };
    assert_eq!(
        collect(crm.export(Some(filter)).await).await,
        (vec![], vec![0])
    );
    let filter = Some(LeadFilter {
        search: "x".repeat(256),
        ..LeadFilter::default()
    });
    let refused = crm
        .client
        .leads
        .export_leads(ExportLeadsRequest { filter })
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
}

async fn export_does_not_read_ahead_of_the_client(database: Database) {
    let mut crm = Crm::start(&database, 3000).await;
    let mut export = crm.export(None).await;
    let first = export.message().await.unwrap().unwrap();
    assert_eq!((first.total, first.leads.len()), (3000, 250));
    // The service reads only as far as sockets and flow control buffer. Later pages show later changes.
    execute(
        database.url(),
        "UPDATE lead SET erased_at = recorded_at WHERE reference < 'ZG-0010-00'",
    )
    .await;
    let rest: Vec<_> = collect(export).await.0;
    assert!(
        rest.len() < 2750,
        "read ahead of the client: {}",
        rest.len()
    );
}

async fn service_stop_ends_an_export_with_an_error(database: Database) {
    let mut crm = Crm::start(&database, 5000).await;
    let mut export = crm.export(None).await;
    export.message().await.unwrap().unwrap();
    crm.context.lifecycle.stop();
    let end = loop {
        match export.message().await {
            Ok(Some(_)) => {}
            end => break end,
        }
    };
    // Without an error the client would consider the export complete.
    assert_eq!(end.unwrap_err().code(), Code::Unavailable);
}
