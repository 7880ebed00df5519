//! Lists and shows leads, and takes what happened to them.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
};
use chrono::{DateTime, Days, TimeDelta, Utc};
use contracts::crm::v1::{
    self as crm, GetLeadRequest, LeadFilter, ListLeadsRequest, UpdateLeadRequest, get_lead_request,
    update_lead_request,
};
use crm_client::Crm;
use lead::{ClosingReason, LeadState, field::timestamp};
use runtime::clock::start_of_day;
use serde::{Deserialize, Deserializer, Serialize};
use tonic::Request;
use tracing::info;
use uuid::Uuid;

use super::{
    Body, Desk, LoggedIn,
    error::DeskError,
    view::{LeadView, Row},
};

const PAGE: u32 = 50;

/// A clock may be so much behind.
const JUST_NOW: TimeDelta = TimeDelta::minutes(1);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    #[serde(default)]
    whose: Whose,
    /// What is to be done today.
    #[serde(default)]
    due: bool,
    #[serde(default)]
    search: String,
    #[serde(default)]
    after: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Whose {
    Mine,
    #[default]
    All,
}

#[derive(Serialize)]
pub(super) struct Page {
    leads: Vec<Row>,
    next: Option<String>,
}

/// What happened to a lead. What is absent stays as it is, but a state replaces the next step.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    state: Option<LeadState>,
    owner: Option<String>,
    next_step_at: Option<DateTime<Utc>>,
    closing_reason: Option<ClosingReason>,
    #[serde(default)]
    note: String,
    do_not_contact: Option<bool>,
    /// Given with a state or an owner, so that what a colleague said meanwhile is not overwritten.
    #[serde(default, deserialize_with = "given")]
    seen: Option<Seen>,
}

/// `changed_at` of the progress that the page shows; `None`: nobody had changed the lead.
#[derive(Deserialize)]
struct Seen(Option<DateTime<Utc>>);

/// Tells null from what is absent.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Seen>, D::Error> {
    Seen::deserialize(deserializer).map(Some)
}

/// In the body, as addresses are logged and what is searched for is personal.
pub(super) async fn list(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Body(Which { whose, due, search, after }): Body<Which>,
) -> Result<Json<Page>, DeskError> {
    let filter = LeadFilter {
        owner: match whose {
            Whose::Mine => person.name().to_owned(),
            Whose::All => String::new(),
        },
        unfinished: search.is_empty().then_some(true),
        next_step_before: due.then(|| timestamp(desk.tomorrow())),
        search,
        ..LeadFilter::default()
    };
    let request = ListLeadsRequest { page_size: PAGE, page_token: after, filter: Some(filter) };
    let list = |mut crm: Crm, request: Request<_>| async move { crm.list_leads(request).await };
    let page = desk.crm.call(person.name(), request, list).await?;
    let leads = page.leads.into_iter().map(Row::read).collect::<Result<_, _>>()?;
    Ok(Json(Page { leads, next: Some(page.next_page_token).filter(|token| !token.is_empty()) }))
}

impl Desk {
    /// When the day ends where the sales team is.
    fn tomorrow(&self) -> DateTime<Utc> {
        let now = self.clock.now();
        let tomorrow = now.with_timezone(&self.time_zone).date_naive() + Days::new(1);
        start_of_day(tomorrow, &self.time_zone).unwrap_or(now)
    }
}

pub(super) async fn show(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Path(id): Path<String>,
) -> Result<Json<LeadView>, DeskError> {
    LeadView::whole(read(&desk, person.name(), lead_id(&id)?).await?).map(Json)
}

/// A lead of the CRM, read in the name of `person`.
pub(super) async fn read(desk: &Desk, person: &str, lead: Uuid) -> Result<crm::Lead, DeskError> {
    let request = GetLeadRequest { key: Some(get_lead_request::Key::LeadId(lead.to_string())) };
    let get = |mut crm: Crm, request: Request<_>| async move { crm.get_lead(request).await };
    desk.crm.call(person, request, get).await?.lead.ok_or(DeskError::NoSuchLead)
}

pub(super) async fn change(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, team }: LoggedIn,
    Path(id): Path<String>,
    Body(change): Body<Change>,
) -> Result<Json<LeadView>, DeskError> {
    let id = lead_id(&id)?;
    let is_unknown = |owner: &str| !owner.is_empty() && team.named(owner).is_none();
    let is_closed = change.state == Some(LeadState::Closed);
    let is_over = |step: DateTime<Utc>| step < desk.clock.now() - JUST_NOW;
    let is_blind = (change.state.is_some() || change.owner.is_some()) && change.seen.is_none();
    if change.owner.as_deref().is_some_and(is_unknown)
        || is_closed != change.closing_reason.is_some()
        || change.next_step_at.is_some_and(is_over)
        || is_blind
    {
        return Err(DeskError::Invalid);
    }
    let request = UpdateLeadRequest {
        lead_id: id.to_string(),
        state: LeadState::number(change.state),
        owner: change.owner,
        next_step_at: change.next_step_at.map(timestamp),
        closing_reason: ClosingReason::number(change.closing_reason),
        note: change.note,
        do_not_contact: change.do_not_contact,
        seen: change.seen.map(|Seen(at)| update_lead_request::Seen { changed_at: at.map(timestamp) }),
    };
    let set = |mut crm: Crm, request: Request<_>| async move { crm.update_lead(request).await };
    desk.crm.call(person.name(), request, set).await?;
    info!(lead_id = %id, "lead updated");
    LeadView::whole(read(&desk, person.name(), id).await?).map(Json)
}

fn lead_id(text: &str) -> Result<Uuid, DeskError> {
    Uuid::try_parse(text).map_err(|_| DeskError::NoSuchLead)
}
