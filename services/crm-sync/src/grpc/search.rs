//! Handles GetLead, ListLeads, ExportLeads and CountLeads.

use std::{fmt::Display, pin::Pin};

use contracts::{
    crm::v1::{self as crm, get_lead_request::Key},
    leads::v1::SpamSignal,
};
use futures_util::{Stream, StreamExt, stream};
use lead::{FieldError, InvalidReference, Reference, field::required_time};
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
    search::{
        filter::Filter,
        lookup::Part,
        page::{Cursor, InvalidCursor, PageSize},
    },
    statistics::Spans,
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
    request: crm::GetLeadRequest,
) -> Result<crm::GetLeadResponse, Status> {
    let id = match request.key {
        Some(Key::LeadId(id)) => {
            Uuid::try_parse(&id).map_err(|_| Status::invalid_argument("lead_id is not a UUID"))?
        }
        Some(Key::Reference(reference)) => id_by_reference(&crm.store, &reference).await?,
        None => return Err(Invalid::from(FieldError::Missing("key")).into()),
    };
    let Some(lead) = crm.store.lead(id).await? else {
        return Err(absent(id, crm.store.is_erased(id).await?));
    };
    let is_canary = lead.submission.as_ref().is_some_and(|it| it.signals == [SpamSignal::Canary as i32]);
    if caller.role() == Role::Canary && !is_canary {
        return Err(absent(id, false));
    }
    if caller.role().is_audited() {
        crm.store.audit(&caller.author(), "read", 1, Some(id)).await?;
    }
    info!(client = %caller, lead_id = %id, "GetLead");
    Ok(crm::GetLeadResponse { lead: Some(lead) })
}

fn absent(name: impl Display, was_erased: bool) -> Status {
    let what =
        if was_erased { format!("lead {name} was erased") } else { format!("there is no lead {name}") };
    Status::not_found(what)
}

async fn id_by_reference(store: &Store, reference: &str) -> Result<Uuid, Status> {
    let invalid = |invalid: InvalidReference| Status::invalid_argument(invalid.to_string());
    let reference: Reference = reference.parse().map_err(invalid)?;
    match store.ids_by_reference(&reference, AMBIGUOUS_LISTED).await?.as_slice() {
        [] => Err(absent(&reference, store.is_reference_erased(&reference).await?)),
        [id] => Ok(*id),
        ids => {
            let ids = ids.iter().map(Uuid::to_string).collect::<Vec<_>>().join(", ");
            Err(Status::failed_precondition(format!(
                "{reference} matches several leads, use one of these ids: {ids}"
            )))
        }
    }
}

pub(super) async fn list_leads(
    crm: &Crm,
    caller: &Caller,
    request: crm::ListLeadsRequest,
) -> Result<crm::ListLeadsResponse, Status> {
    let crm::ListLeadsRequest { page_size, page_token, filter } = request;
    let after = match page_token.as_str() {
        "" => None,
        token => {
            let invalid = |invalid: InvalidCursor| Status::invalid_argument(invalid.to_string());
            Some(token.parse::<Cursor>().map_err(invalid)?)
        }
    };
    let filter = Filter::parse(filter.unwrap_or_default())?;
    let page = crm.store.page(&filter, after, PageSize::new(page_size), &[]).await?;
    if caller.role().is_audited() {
        crm.store.audit(&caller.author(), "list", page.leads.len() as u64, None).await?;
    }
    info!(client = %caller, leads = page.leads.len(), "ListLeads");
    Ok(crm::ListLeadsResponse {
        leads: page.leads,
        next_page_token: page.next.map(|cursor| cursor.to_string()).unwrap_or_default(),
    })
}

/// Reads a page when the client has room for it, so that an export of any length takes the same memory.
pub(super) async fn export_leads(
    crm: &Crm,
    caller: &Caller,
    request: crm::ExportLeadsRequest,
) -> Result<Pages<crm::ExportLeadsResponse>, Status> {
    let filter = Filter::parse(request.filter.unwrap_or_default())?;
    let total = crm.store.total(&filter).await?;
    crm.store.audit(&caller.to_string(), "export", total, None).await?;
    info!(client = %caller, leads = total, "ExportLeads");
    let store = crm.store.clone();
    // The first message has the total.
    let pages = stream::try_unfold(Some((None, total)), move |position| {
        let (store, filter) = (store.clone(), filter.clone());
        async move {
            let Some((after, total)) = position else { return Ok(None) };
            let page = store.page(&filter, after, PageSize::new(EXPORT_PAGE), &[Part::SameNumber]).await?;
            let message = crm::ExportLeadsResponse { leads: page.leads, total };
            Ok(Some((message, page.next.map(|after| (Some(after), 0)))))
        }
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
            match stop.run_until_cancelled(pages.next()).await {
                Some(page) => page.map(|page| (page, Some(pages))),
                None => Some((Err(Status::unavailable("crm-sync is stopping: export again")), None)),
            }
        }
    }))
}

pub(super) async fn count_leads(
    crm: &Crm,
    caller: &Caller,
    request: crm::CountLeadsRequest,
) -> Result<crm::CountLeadsResponse, Status> {
    let spans = parse_spans(request.from, request.before)?;
    let counted = crm.store.count_leads(&spans).await?;
    info!(client = %caller, leads = counted.total.as_ref().map(|total| total.leads), "CountLeads");
    Ok(counted)
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
