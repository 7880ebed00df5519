//! Handles GetLead, ListLeads, ExportLeads and CountLeads.

use std::{fmt::Display, pin::Pin};

use contracts::crm::v1::{
    self as crm, CountLeadsRequest, CountLeadsResponse, ExportLeadsRequest, ExportLeadsResponse,
    GetLeadRequest, GetLeadResponse, ListLeadsRequest, ListLeadsResponse, get_lead_request::Key,
};
use futures_util::{Stream, StreamExt, stream};
use lead::{FieldError, Interest, InvalidReference, Language, LeadState, Reference, field::required_time};
use prost_types::Timestamp;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tracing::info;
use uuid::Uuid;

use super::service::Crm;
use crate::{
    auth::{Caller, Role},
    db::Store,
    error::Invalid,
    leads::stored::StoredLead,
    search::{
        filter::Filter,
        page::{Cursor, InvalidCursor, PageSize},
    },
    statistics::{Count, Spans, States, Statistics},
};

/// Leads listed in the error about an ambiguous reference.
const AMBIGUOUS_LISTED: u64 = 10;

/// Leads per message of an export: even of the largest leads, less than a client accepts.
const EXPORT_PAGE: u32 = 250;

const MOST_SPANS: usize = 1000;

pub(super) type Pages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

pub(super) async fn get_lead(
    crm: &Crm,
    caller: &Caller,
    request: GetLeadRequest,
) -> Result<GetLeadResponse, Status> {
    let store = &crm.store;
    let lead = match request.key {
        Some(Key::LeadId(id)) => by_id(store, &id).await?,
        Some(Key::Reference(reference)) => by_reference(store, &reference).await?,
        None => return Err(Invalid::from(FieldError::Missing("key")).into()),
    };
    if caller.role() == Role::Canary && !lead.submission.is_canary() {
        return Err(absent(lead.submission.id, false));
    }
    if caller.role().is_audited() {
        store.audit_lead(&caller.author(), "read", lead.submission.id).await?;
    }
    let related = store.related(&lead).await?;
    info!(client = %caller, lead_id = %lead.submission.id, "GetLead");
    let mut leads = store.with_same_number(vec![lead.clone()]).await?;
    let same_number = leads.pop().map(|it| it.same_number).unwrap_or_default();
    let lead = store.with_history(vec![lead]).await?.pop();
    Ok(GetLeadResponse { lead: lead.map(|lead| crm::Lead { related, same_number, ..lead }) })
}

async fn by_id(store: &Store, id: &str) -> Result<StoredLead, Status> {
    let id = Uuid::try_parse(id).map_err(|_| Status::invalid_argument("lead_id is not a UUID"))?;
    match store.lead(id).await? {
        Some(lead) => Ok(lead),
        None => Err(absent(id, store.is_erased(id).await?)),
    }
}

fn absent(name: impl Display, was_erased: bool) -> Status {
    let what =
        if was_erased { format!("lead {name} was erased") } else { format!("there is no lead {name}") };
    Status::not_found(what)
}

async fn by_reference(store: &Store, reference: &str) -> Result<StoredLead, Status> {
    let invalid = |invalid: InvalidReference| Status::invalid_argument(invalid.to_string());
    let reference: Reference = reference.parse().map_err(invalid)?;
    let mut leads = store.leads_called(&reference, AMBIGUOUS_LISTED).await?;
    match (leads.pop(), leads.is_empty()) {
        (None, _) => Err(absent(&reference, store.is_erased_called(&reference).await?)),
        (Some(lead), true) => Ok(lead),
        (Some(last), false) => {
            leads.push(last);
            let ids: Vec<_> = leads.iter().map(|lead| lead.submission.id.to_string()).collect();
            let ids = ids.join(", ");
            Err(Status::failed_precondition(format!(
                "{reference} matches several leads, use one of these ids: {ids}"
            )))
        }
    }
}

pub(super) async fn list_leads(
    crm: &Crm,
    caller: &Caller,
    request: ListLeadsRequest,
) -> Result<ListLeadsResponse, Status> {
    let ListLeadsRequest { page_size, page_token, filter } = request;
    let after = match page_token.as_str() {
        "" => None,
        token => {
            let invalid = |invalid: InvalidCursor| Status::invalid_argument(invalid.to_string());
            Some(token.parse::<Cursor>().map_err(invalid)?)
        }
    };
    let filter = Filter::from_proto(filter)?;
    let page = crm.store.page(&filter, after, PageSize::new(page_size)).await?;
    if caller.role().is_audited() {
        crm.store.audit(&caller.author(), "list", page.leads.len() as u64).await?;
    }
    info!(client = %caller, leads = page.leads.len(), "ListLeads");
    Ok(ListLeadsResponse {
        leads: page.leads.into_iter().map(Into::into).collect(),
        next_page_token: page.next.map(|cursor| cursor.to_string()).unwrap_or_default(),
    })
}

/// Reads a page when the client has room for it, so that an export of any length takes the same memory.
pub(super) async fn export_leads(
    crm: &Crm,
    caller: &Caller,
    request: ExportLeadsRequest,
) -> Result<Pages<ExportLeadsResponse>, Status> {
    let filter = Filter::from_proto(request.filter)?;
    let total = crm.store.total(&filter).await?;
    crm.store.audit(&caller.to_string(), "export", total).await?;
    info!(client = %caller, leads = total, "ExportLeads");
    let export = Export { store: crm.store.clone(), filter, total, after: None };
    let pages = stream::try_unfold(Some(export), async |export| match export {
        Some(export) => export.next_page().await.map(Some),
        None => Ok(None),
    });
    Ok(until_stop(pages, &crm.stop))
}

/// Ends with an error on `stop`, so that half an export is not taken for all of it.
pub(super) fn until_stop<T: Send + 'static>(
    pages: impl Stream<Item = Result<T, Status>> + Send + 'static,
    stop: &CancellationToken,
) -> Pages<T> {
    let stop = stop.clone();
    Box::pin(stream::unfold(Some(Box::pin(pages)), move |pages| {
        let stop = stop.clone();
        async move {
            let mut pages = pages?;
            tokio::select! {
                biased;
                () = stop.cancelled() => {
                    Some((Err(Status::unavailable("crm-sync is stopping: export again")), None))
                }
                page = pages.next() => page.map(|page| (page, Some(pages))),
            }
        }
    }))
}

struct Export {
    store: Store,
    filter: Filter,
    /// The number of leads in the first message, 0 afterwards.
    total: u64,
    after: Option<Cursor>,
}

impl Export {
    async fn next_page(self) -> Result<(ExportLeadsResponse, Option<Self>), Status> {
        let page = self.store.page(&self.filter, self.after, PageSize::new(EXPORT_PAGE)).await?;
        let leads = self.store.with_same_number(page.leads).await?;
        let message = ExportLeadsResponse { leads, total: self.total };
        let rest = page.next.map(|after| Self { total: 0, after: Some(after), ..self });
        Ok((message, rest))
    }
}

pub(super) async fn count_leads(
    crm: &Crm,
    caller: &Caller,
    request: CountLeadsRequest,
) -> Result<CountLeadsResponse, Status> {
    let spans = parse_spans(request.from, request.before)?;
    let statistics = crm.store.statistics(spans).await?;
    info!(client = %caller, leads = statistics.total.leads, "CountLeads");
    Ok(statistics.into())
}

fn parse_spans(from: Vec<Timestamp>, before: Option<Timestamp>) -> Result<Spans, Invalid> {
    if from.is_empty() {
        return Err(FieldError::Empty("from").into());
    }
    if from.len() > MOST_SPANS {
        return Err(FieldError::TooMany("from", MOST_SPANS).into());
    }
    let from = from.into_iter().map(|it| required_time("from", Some(it))).collect::<Result<_, _>>()?;
    Spans::new(from, required_time("before", before)?).ok_or(Invalid::NotInOrder)
}

impl From<Statistics> for CountLeadsResponse {
    fn from(statistics: Statistics) -> Self {
        let Statistics { spans, total, owners, median_to_contact, p90_to_contact } = statistics;
        let owners = owners.into_iter();
        let owners = owners.map(|(owner, of)| crm::OwnerCount { owner, states: state_counts(of) }).collect();
        // A duration of 32-bit seconds always fits.
        let duration = |it| prost_types::Duration::try_from(it).ok();
        Self {
            spans: spans.iter().map(count_message).collect(),
            total: Some(crm::Count { owners, ..count_message(&total) }),
            median_to_contact: median_to_contact.and_then(duration),
            p90_to_contact: p90_to_contact.and_then(duration),
        }
    }
}

fn count_message(count: &Count) -> crm::Count {
    let interests = Interest::ALL.iter().copied().zip(count.interests);
    let languages = Language::ALL.iter().copied().zip(count.languages);
    crm::Count {
        leads: count.leads,
        interests: interests
            .map(|(it, leads)| crm::InterestCount { interest: Interest::number(it), leads })
            .collect(),
        languages: languages
            .map(|(it, leads)| crm::LanguageCount { language: Language::number(it), leads })
            .collect(),
        states: state_counts(count.states),
        spam: count.spam,
        owners: Vec::new(),
    }
}

fn state_counts(counts: States) -> Vec<crm::StateCount> {
    let states = LeadState::ALL.iter().copied().zip(counts);
    states.map(|(it, leads)| crm::StateCount { state: LeadState::number(Some(it)), leads }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp { seconds, nanos: 0 }
    }

    #[test]
    fn spans_are_few_and_follow_each_other() {
        let refused = |from: Vec<i64>, before: Option<i64>| {
            parse_spans(from.into_iter().map(at).collect(), before.map(at)).err()
        };
        assert_eq!(refused((0..1000).collect(), Some(1000)), None);
        assert_eq!(refused((0..1001).collect(), Some(1001)), Some(FieldError::TooMany("from", 1000).into()));
        assert_eq!(refused(vec![], Some(1)), Some(FieldError::Empty("from").into()));
        assert_eq!(refused(vec![0], None), Some(FieldError::Missing("before").into()));
        assert_eq!(refused(vec![i64::MAX], Some(1)), Some(FieldError::NotTimestamp("from").into()));
        assert_eq!(refused(vec![5, 1], Some(9)), Some(Invalid::NotInOrder));
    }
}
