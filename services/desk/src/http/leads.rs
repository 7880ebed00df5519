//! Lists, shows and changes leads.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};
use chrono::{DateTime, Days, TimeDelta, Utc};
use contracts::crm::v1::{
    self as crm, GetLeadRequest, LeadFilter, ListLeadsRequest, RecordLeadRequest, UpdateLeadRequest,
    get_lead_request::Key, update_lead_request,
};
use lead::{
    Channel, ClosingReason, Interest, Language, Lead, LeadState,
    field::timestamp,
    id_of, privacy_policy,
    text::{ascii_line, several_lines, single_line},
};
use runtime::clock::start_of_day;
use serde::{Deserialize, Deserializer, Serialize};
use tracing::info;
use uuid::Uuid;

use super::{
    Body, Desk, DeskError, LoggedIn,
    view::{LeadView, Row},
};

const PAGE: u32 = 50;

/// A clock may be so much behind.
const JUST_NOW: TimeDelta = TimeDelta::minutes(1);

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListQuery {
    /// Only the person's own leads.
    mine: bool,
    /// Only leads to follow up today.
    due: bool,
    search: String,
    after: String,
}

#[derive(Serialize)]
pub(super) struct Page {
    leads: Vec<Row>,
    next: Option<String>,
}

/// Absent fields stay unchanged, but a state replaces the follow-up.
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
    /// The corrected phone number.
    #[serde(default)]
    mobile: String,
    /// Required with a state or an owner, so that a colleague's change in the meantime is not overwritten: `changed_at` of
    /// the progress that the page shows, or null when nobody had changed the lead.
    #[serde(default, deserialize_with = "present")]
    seen: Option<Option<DateTime<Utc>>>,
}

/// The form of a visitor who is at the sales gallery or on the phone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewLead {
    /// Made by the page, the same for each retry, so that the lead is stored once.
    key: Uuid,
    name: String,
    mobile: String,
    email: String,
    questions: String,
    interests: Vec<Interest>,
    language: Language,
    /// The channels that the visitor agreed to.
    channels: Vec<Channel>,
    /// Whether the visitor has accepted the privacy policy.
    privacy_accepted: bool,
}

/// Distinguishes null from an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<DateTime<Utc>>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The query is in the body, because addresses are logged and search texts are personal.
pub(super) async fn list_leads(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Body(ListQuery { mine, due, search, after }): Body<ListQuery>,
) -> Result<Json<Page>, DeskError> {
    let owner = if mine { person.name().to_owned() } else { String::new() };
    let unfinished = search.is_empty().then_some(true);
    let next_step_before = due.then(|| timestamp(desk.end_of_day()));
    let filter = LeadFilter { owner, unfinished, next_step_before, search, ..LeadFilter::default() };
    let request = ListLeadsRequest { page_size: PAGE, page_token: after, filter: Some(filter) };
    let page =
        desk.call(person.name(), request, async |mut crm, request| crm.list_leads(request).await).await?;
    let leads = page.leads.into_iter().map(Row::from_contract).collect::<Result<_, _>>()?;
    Ok(Json(Page { leads, next: Some(page.next_page_token).filter(|token| !token.is_empty()) }))
}

pub(super) async fn show_lead(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Path(id): Path<String>,
) -> Result<Json<LeadView>, DeskError> {
    Ok(Json(LeadView::full(desk.get_lead(person.name(), parse_id(&id)?).await?)?))
}

pub(super) async fn change_lead(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, team }: LoggedIn,
    Path(id): Path<String>,
    Body(change): Body<Change>,
) -> Result<Json<LeadView>, DeskError> {
    let id = parse_id(&id)?;
    let is_unknown = |owner: &str| !owner.is_empty() && team.named(owner).is_none();
    let is_closed = change.state == Some(LeadState::Closed);
    let is_past = |time: DateTime<Utc>| time < desk.clock.now() - JUST_NOW;
    let is_blind = (change.state.is_some() || change.owner.is_some()) && change.seen.is_none();
    if change.owner.as_deref().is_some_and(is_unknown)
        || is_closed != change.closing_reason.is_some()
        || change.next_step_at.is_some_and(is_past)
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
        mobile: change.mobile,
        seen: change.seen.map(|at| update_lead_request::Seen { changed_at: at.map(timestamp) }),
    };
    desk.call(person.name(), request, async |mut crm, request| crm.update_lead(request).await).await?;
    info!(lead_id = %id, "lead updated");
    Ok(Json(LeadView::full(desk.get_lead(person.name(), id).await?)?))
}

/// Stores a lead that the person enters by hand. The CRM checks the form.
pub(super) async fn enter_lead(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Body(form): Body<NewLead>,
) -> Result<Json<LeadView>, DeskError> {
    if !form.privacy_accepted {
        return Err(DeskError::Invalid);
    }
    let lead = Lead {
        name: single_line(&form.name).into(),
        mobile: single_line(&form.mobile).into(),
        email: ascii_line(&form.email).into(),
        questions: several_lines(&form.questions).into(),
        interests: form.interests,
        language: form.language,
        privacy_policy_version: privacy_policy::current().into(),
        channels: form.channels,
        ..Lead::empty(id_of(form.key), desk.clock.now())
    };
    let id = lead.id;
    let request = RecordLeadRequest { lead: Some(lead.into()) };
    desk.call(person.name(), request, async |mut crm, request| crm.record_lead(request).await).await?;
    info!(lead_id = %id, "lead entered");
    Ok(Json(LeadView::full(desk.get_lead(person.name(), id).await?)?))
}

/// The booked visit as an event for calendars.
pub(super) async fn show_visit(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, DeskError> {
    let lead = LeadView::full(desk.get_lead(person.name(), parse_id(&id)?).await?)?;
    let event = lead.visit_event(desk.clock.now())?.ok_or(DeskError::NotFound)?;
    Ok(([(header::CONTENT_TYPE, "text/calendar; charset=utf-8")], event))
}

fn parse_id(text: &str) -> Result<Uuid, DeskError> {
    Uuid::try_parse(text).map_err(|_| DeskError::NoSuchLead)
}

impl Desk {
    /// Reads a lead in the name of `person`.
    pub(super) async fn get_lead(&self, person: &str, lead: Uuid) -> Result<crm::Lead, DeskError> {
        let request = GetLeadRequest { key: Some(Key::LeadId(lead.to_string())) };
        let found = self.call(person, request, async |mut crm, request| crm.get_lead(request).await).await?;
        found.lead.ok_or(DeskError::NoSuchLead)
    }

    /// The end of the day in the sales team's time zone.
    fn end_of_day(&self) -> DateTime<Utc> {
        let now = self.clock.now();
        let tomorrow = now.with_timezone(&self.config.time_zone).date_naive() + Days::new(1);
        start_of_day(tomorrow, &self.config.time_zone).unwrap_or(now)
    }
}
