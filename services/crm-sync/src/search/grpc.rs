//! Handles GetLead and ListLeads.

use std::fmt::Display;

use contracts::crm::v1::{
    self as crm, GetLeadRequest, GetLeadResponse, ListLeadsRequest, ListLeadsResponse, get_lead_request::Key,
};
use lead::{FieldError, InvalidReference, Reference};
use tonic::Status;
use tracing::info;
use uuid::Uuid;

use super::{
    cursor::{Cursor, InvalidCursor, PageSize},
    filter::Filter,
};
use crate::{
    auth::{Caller, Role},
    db::Store,
    error::Invalid,
    leads::stored::StoredLead,
};

/// Leads listed in the error about an ambiguous reference.
const AMBIGUOUS_LISTED: u64 = 10;

pub(crate) async fn get(
    store: &Store,
    caller: &Caller,
    request: GetLeadRequest,
) -> Result<GetLeadResponse, Status> {
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

pub(crate) async fn list(
    store: &Store,
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
    let filter = Filter::from_contract(filter)?;
    let page = store.page(&filter, after, PageSize::asked(page_size)).await?;
    if caller.role().is_audited() {
        store.audit(&caller.author(), "list", page.leads.len() as u64).await?;
    }
    info!(client = %caller, leads = page.leads.len(), "ListLeads");
    Ok(ListLeadsResponse {
        leads: page.leads.into_iter().map(Into::into).collect(),
        next_page_token: page.next.map(|cursor| cursor.to_string()).unwrap_or_default(),
    })
}
