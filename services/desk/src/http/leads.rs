//! Lists, shows and changes leads.

use std::{mem, sync::Arc};

use axum::{
    Json,
    extract::{Path, State},
    http::header,
    response::IntoResponse,
};
use chrono::{DateTime, Days, TimeDelta, Utc};
use contracts::crm::v1::{
    self as crm, GetLeadRequest, LeadFilter, LeadOrder, ListLeadsRequest, RecordLeadRequest,
    UpdateLeadRequest, VisitorEmailFilter, get_lead_request::Key, update_lead_request,
};
use lead::{
    Channel, ClosingReason, ConsentMeans, Interest, Language, Lead, LeadState, Reference,
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

/// Tolerance for a browser's clock.
const JUST_NOW: TimeDelta = TimeDelta::minutes(1);

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ListQuery {
    /// Only the person's own leads.
    mine: bool,
    /// Only leads to follow up today.
    due: bool,
    /// Only leads whose visitors asked for erasure, also finished ones.
    erasure_requested: bool,
    search: String,
    after: String,
    // The filters of the report. With any of them, the list also has finished leads, and leaves out those suspected as spam,
    // like the report. An empty text stands for leads without a source, campaign, referring host or owner, or closed without
    // a reason.
    source: Option<String>,
    campaign: Option<String>,
    referrer: Option<String>,
    /// Ids of floor plans; an empty id stands for leads without a plan.
    plans: Vec<String>,
    interest: Option<Interest>,
    language: Option<Language>,
    state: Option<LeadState>,
    closing_reason: Option<String>,
    visit_time: String,
    owner: Option<String>,
    /// Whether the visitor was ever contacted.
    contacted: Option<YesOrNo>,
    /// Whether a visit was ever booked.
    visit_booked: Option<YesOrNo>,
    /// Kind and state of an email to the visitor, such as `confirmation-failed`. Also finds leads suspected as spam.
    visitor_email: String,
    /// Since when the email has been in this state.
    emailed_from: Option<DateTime<Utc>>,
    from: Option<DateTime<Utc>>,
    before: Option<DateTime<Utc>>,
}

/// An answer in the address of the page.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum YesOrNo {
    Yes,
    No,
}

impl YesOrNo {
    fn is_yes(self) -> bool {
        self == Self::Yes
    }
}

impl ListQuery {
    /// The filter for the list of `person`, whose day ends at `end_of_day`.
    ///
    /// # Errors
    /// [`DeskError::Invalid`] if the closing reason or the email is unknown.
    fn into_filter(self, person: &str, end_of_day: DateTime<Utc>) -> Result<LeadFilter, DeskError> {
        let is_without_reason = self.closing_reason.as_deref() == Some("");
        let given_reason = self.closing_reason.filter(|reason| !reason.is_empty());
        let closing_reason: Option<ClosingReason> = given_reason
            .map(|reason| reason.parse())
            .transpose()
            .map_err(|_| DeskError::Invalid)?;
        let is_unassigned = self.owner.as_deref() == Some("");
        let visitor_email = parse_visitor_email(&self.visitor_email, self.emailed_from)?;
        let report = LeadFilter {
            source: self.source,
            campaign: self.campaign,
            referrer: self.referrer,
            plans: self.plans,
            interest: Interest::number(self.interest),
            language: Language::number(self.language),
            state: LeadState::number(self.state),
            closing_reason: ClosingReason::number(closing_reason),
            closed_with_reason: is_without_reason.then_some(false),
            visit_time: self.visit_time,
            owner: self.owner.unwrap_or_default(),
            assigned: is_unassigned.then_some(false),
            contacted: self.contacted.map(YesOrNo::is_yes),
            visit_booked: self.visit_booked.map(YesOrNo::is_yes),
            visitor_email,
            submitted_from: self.from.map(timestamp),
            submitted_before: self.before.map(timestamp),
            ..LeadFilter::default()
        };
        let is_of_report = report != LeadFilter::default();
        let has_finished = is_of_report || self.erasure_requested || !self.search.is_empty();
        let has_no_spam = is_of_report && report.visitor_email.is_none();
        Ok(LeadFilter {
            owner: if self.mine {
                person.to_owned()
            } else {
                report.owner
            },
            spam: has_no_spam.then_some(false),
            unfinished: (!has_finished).then_some(true),
            next_step_before: self.due.then(|| timestamp(end_of_day)),
            search: self.search,
            erasure_requested: self.erasure_requested.then_some(true),
            ..report
        })
    }

    /// Due leads are ordered by the time at which they are due.
    fn order(&self) -> LeadOrder {
        if self.due {
            LeadOrder::NextStep
        } else {
            LeadOrder::Unspecified
        }
    }
}

/// Parses the kind and the state of an email. The CRM checks both.
fn parse_visitor_email(
    text: &str,
    changed_from: Option<DateTime<Utc>>,
) -> Result<Option<VisitorEmailFilter>, DeskError> {
    if text.is_empty() {
        return Ok(None);
    }
    let (kind, state) = text.split_once('-').ok_or(DeskError::Invalid)?;
    Ok(Some(VisitorEmailFilter {
        kind: kind.to_owned(),
        state: state.to_owned(),
        changed_from: changed_from.map(timestamp),
    }))
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
    /// `withdrawn_at` of the lead on the page. Required, with a note, to allow contact after a withdrawal.
    seen_withdrawn_at: Option<DateTime<Utc>>,
    /// The corrected name.
    #[serde(default)]
    name: String,
    /// The corrected phone number.
    #[serde(default)]
    mobile: String,
    /// The corrected email address.
    #[serde(default)]
    email: String,
    dnc_check: Option<DncCheck>,
    /// `changed_at` of the progress on the page, or null if nobody had changed the lead. Required with a state, an owner or a
    /// correction, to reject a change that would overwrite a colleague's change.
    #[serde(default, deserialize_with = "present")]
    seen: Option<Option<DateTime<Utc>>>,
}

impl Change {
    /// Whether the change replaces a value that a colleague may have set.
    fn may_overwrite(&self) -> bool {
        let corrections = [&self.name, &self.mobile, &self.email];
        self.state.is_some()
            || self.owner.is_some()
            || corrections.iter().any(|text| !text.is_empty())
    }
}

/// The result of looking up the visitor's number in the Do Not Call registry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DncCheck {
    checked_at: DateTime<Utc>,
    /// The channels for which the registry lists the number.
    listed: Vec<Channel>,
}

impl DncCheck {
    fn into_message(self) -> crm::DncCheck {
        crm::DncCheck {
            checked_at: Some(timestamp(self.checked_at)),
            listed: self.listed.into_iter().map(Channel::number).collect(),
        }
    }
}

/// The form that sales fills in for a visitor at the sales gallery or on the phone.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewLead {
    /// Generated by the page and equal for each retry, so that the CRM stores the lead once.
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
    /// How the visitor gave consent. Absent from pages of an older version, like `confirm`.
    consent_means: Option<ConsentMeans>,
    /// Whether to email the visitor the confirmation, which contains the withdrawal link.
    #[serde(default)]
    confirm: bool,
}

/// Distinguishes null from an absent field.
fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<DateTime<Utc>>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// The query is in the body, because logs contain URLs and search texts are personal data.
pub(super) async fn list_leads(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Body(mut query): Body<ListQuery>,
) -> Result<Json<Page>, DeskError> {
    let page_token = mem::take(&mut query.after);
    let request = ListLeadsRequest {
        page_size: PAGE,
        page_token,
        order: query.order().into(),
        filter: Some(query.into_filter(person.name(), desk.end_of_day())?),
    };
    let page = desk
        .call(person.name(), request, async |mut crm, request| {
            crm.leads.list_leads(request).await
        })
        .await?;
    let leads = page
        .leads
        .into_iter()
        .map(Row::from_contract)
        .collect::<Result<_, _>>()?;
    Ok(Json(Page {
        leads,
        next: Some(page.next_page_token).filter(|token| !token.is_empty()),
    }))
}

/// Shows a lead by its id or by its reference, which links to leads with the same phone number have.
pub(super) async fn show_lead(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Path(key): Path<String>,
) -> Result<Json<LeadView>, DeskError> {
    let lead = if let Ok(reference) = key.parse() {
        desk.find_lead(person.name(), &reference).await?
    } else {
        desk.get_lead(person.name(), parse_id(&key)?).await?
    };
    Ok(Json(LeadView::full(lead)?))
}

pub(super) async fn change_lead(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, team }: LoggedIn,
    Path(id): Path<String>,
    Body(change): Body<Change>,
) -> Result<Json<LeadView>, DeskError> {
    let id = parse_id(&id)?;
    let is_unknown = |owner: &str| !owner.is_empty() && team.find_by_name(owner).is_none();
    let is_closed = change.state == Some(LeadState::Closed);
    let is_past = |time: DateTime<Utc>| time < desk.clock.now() - JUST_NOW;
    let lacks_seen = change.may_overwrite() && change.seen.is_none();
    if change.owner.as_deref().is_some_and(is_unknown)
        || is_closed != change.closing_reason.is_some()
        || change.next_step_at.is_some_and(is_past)
        || lacks_seen
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
        seen_withdrawn_at: change.seen_withdrawn_at.map(timestamp),
        name: change.name,
        mobile: change.mobile,
        email: change.email,
        dnc_check: change.dnc_check.map(DncCheck::into_message),
        seen: change.seen.map(|at| update_lead_request::Seen {
            changed_at: at.map(timestamp),
        }),
    };
    desk.call(person.name(), request, async |mut crm, request| {
        crm.leads.update_lead(request).await
    })
    .await?;
    info!(lead_id = %id, "lead updated");
    Ok(Json(LeadView::full(
        desk.get_lead(person.name(), id).await?,
    )?))
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
    let id = id_of(form.key);
    // Without `..`, the compiler reports a new field. Decide whether salespeople enter it.
    let lead = Lead {
        id,
        reference: Reference::from_id(id),
        submitted_at: desk.clock.now(),
        name: single_line(&form.name).into(),
        mobile: single_line(&form.mobile).into(),
        email: ascii_line(&form.email).into(),
        questions: several_lines(&form.questions).into(),
        plan: None,
        visit_times: Vec::new(),
        home_preferences: Vec::new(),
        interests: form.interests,
        language: form.language,
        privacy_policy_version: privacy_policy::current().into(),
        channels: form.channels,
        visit: None,
        signals: Vec::new(),
    };
    let request = RecordLeadRequest {
        lead: Some(lead.into()),
        consent_means: ConsentMeans::number(form.consent_means),
        confirm: form.confirm,
    };
    desk.call(person.name(), request, async |mut crm, request| {
        crm.leads.record_lead(request).await
    })
    .await?;
    info!(lead_id = %id, "lead entered");
    Ok(Json(LeadView::full(
        desk.get_lead(person.name(), id).await?,
    )?))
}

/// Returns the booked visit as a calendar event.
pub(super) async fn show_visit(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, .. }: LoggedIn,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, DeskError> {
    let lead = LeadView::full(desk.get_lead(person.name(), parse_id(&id)?).await?)?;
    let event = lead
        .visit_event(desk.clock.now())?
        .ok_or(DeskError::NotFound)?;
    Ok((
        [(header::CONTENT_TYPE, "text/calendar; charset=utf-8")],
        event,
    ))
}

fn parse_id(text: &str) -> Result<Uuid, DeskError> {
    Uuid::try_parse(text).map_err(|_| DeskError::NoSuchLead)
}

impl Desk {
    /// Reads a lead on behalf of `person`.
    pub(super) async fn get_lead(&self, person: &str, lead: Uuid) -> Result<crm::Lead, DeskError> {
        self.read_lead(person, Key::LeadId(lead.to_string())).await
    }

    /// Reads the only lead with this reference on behalf of `person`.
    async fn find_lead(&self, person: &str, reference: &Reference) -> Result<crm::Lead, DeskError> {
        self.read_lead(person, Key::Reference(reference.to_string()))
            .await
            .map_err(|error| {
                // The CRM has one code for both.
                if matches!(error, DeskError::ConsentNoteMissing) {
                    DeskError::AmbiguousReference
                } else {
                    error
                }
            })
    }

    async fn read_lead(&self, person: &str, key: Key) -> Result<crm::Lead, DeskError> {
        let request = GetLeadRequest { key: Some(key) };
        let found = self
            .call(person, request, async |mut crm, request| {
                crm.leads.get_lead(request).await
            })
            .await?;
        found.lead.ok_or(DeskError::NoSuchLead)
    }

    /// Returns the end of the day in the sales team's time zone.
    fn end_of_day(&self) -> DateTime<Utc> {
        let now = self.clock.now();
        let tomorrow = now.with_timezone(&self.config.time_zone).date_naive() + Days::new(1);
        start_of_day(tomorrow, &self.config.time_zone).unwrap_or(now)
    }
}
