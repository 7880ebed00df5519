//! Opens magic links, logs people in and out, and emails login links.

use std::{sync::Arc, time::Duration};

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use contracts::crm::v1::{ClaimTaskRequest, Lead, MailLeadRequest};
use lead::{
    REQUEST_INTERVAL, Recipient, RequestKind,
    field::{duration, optional_time},
};
use opentelemetry::KeyValue;
use serde::{Deserialize, Serialize};
use tokens::{InvalidMagicLink, LINK_LIFETIME, MagicLink, Person, Team};
use tracing::{info, warn};
use uuid::Uuid;

use super::{Body, Desk, DeskError, LoggedIn, view::LeadView};
use crate::session::{Session, expired_cookie};

const REPEATABLE_FOR: Duration = Duration::from_mins(2);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkRequest {
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoginRequest {
    key: String,
    /// Generated once by the page. Identifies the browser when it repeats a request after a lost response.
    browser: Uuid,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MailRequest {
    key: String,
    /// Defaults to the address of the link's person.
    email: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Mailed {
    /// The masked address, because anyone with the link can read it. `None` if the request contains an address, whether or
    /// not the address belongs to a person.
    mailbox: Option<String>,
    /// Why this request sent no email. Always `None` if the request contains an address.
    unsent: Option<Unsent>,
}

#[derive(Serialize)]
struct Unsent {
    reason: UnsentReason,
    /// When the next request sends an email.
    until: DateTime<Utc>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum UnsentReason {
    /// An email was sent less than [`REQUEST_INTERVAL`] ago.
    Recent,
    /// The person's emails of this hour are used up.
    Limit,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogoutRequest {
    /// Ends all sessions of the person, in all browsers.
    #[serde(default)]
    everywhere: bool,
}

/// The person who is logged in, and their colleagues.
#[derive(Serialize)]
pub(super) struct Me {
    name: String,
    people: Vec<String>,
    /// Time zone of the sales team.
    time_zone: &'static str,
    may_send_brochures: bool,
    may_see_report: bool,
    /// How long a visitor may wait for the first contact; 0: without limit.
    reminder_minutes: u32,
}

#[derive(Serialize)]
pub(super) struct Opened {
    /// `None` if nobody is logged in: the lead then contains only the contents of the email.
    me: Option<Me>,
    /// The recipient of the email.
    invited: String,
    /// Whether the link can start a session, unless a browser has already used it.
    may_log_in: bool,
    time_zone: &'static str,
    lead: LeadView,
}

/// Opens the lead of a link without logging in, because email scanners also open links and run the page's script.
pub(super) async fn open_link(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Body(LinkRequest { key }): Body<LinkRequest>,
) -> Result<Json<Opened>, DeskError> {
    let team = desk.config.routes_file.current();
    let person = desk.authenticate(&headers, &team).await?;
    let (link, is_fresh) =
        match MagicLink::verify(&key, &desk.config.magic_link_keys, desk.clock.now()) {
            Ok(link) => (link, true),
            Err(InvalidMagicLink::Expired(link) | InvalidMagicLink::Lapsed(link))
                if person.is_some() =>
            {
                (link, false)
            }
            Err(invalid) => return Err(invalid.into()),
        };
    let invited = team.find_by_id(link.person).ok_or(DeskError::InvalidLink)?;
    if person.is_none() {
        desk.link_limit
            .try_acquire(link, desk.clock.now())
            .map_err(DeskError::RateLimited)?;
    }
    let by = if person.is_some() { "session" } else { "mail" };
    let name = person.map_or_else(
        || name_with_link(invited),
        |person| person.name().to_owned(),
    );
    let lead = desk.get_lead(&name, link.lead).await?;
    let login = link.login.filter(|_| is_fresh);
    // The recipient is already logged in, so mark the link as used: a forwarded email must not log in anyone else.
    if let Some(login) = login
        && person == Some(invited)
        && desk
            .claim_mail(login.email, desk.ids.next_id(), &name)
            .await
            .is_err()
    {
        warn!(lead_id = %link.lead, "magic link not marked as used, it can still log in a browser");
    }
    desk.links_opened.add(1, &[KeyValue::new("by", by)]);
    info!(lead_id = %link.lead, by, "magic link opened");
    desk.describe_link(person, invited, login.is_some(), lead, &team)
        .map(Json)
}

/// Starts a session for the link's person, only in the first browser that uses the link. A repeated request continues this
/// session, unless it has been ended.
pub(super) async fn log_in(
    State(desk): State<Arc<Desk>>,
    Body(LoginRequest { key, browser }): Body<LoginRequest>,
) -> Result<Response, DeskError> {
    let now = desk.clock.now();
    let team = desk.config.routes_file.current();
    let link = MagicLink::verify(&key, &desk.config.magic_link_keys, now)?;
    let invited = team.find_by_id(link.person).ok_or(DeskError::InvalidLink)?;
    desk.link_limit
        .try_acquire(link, now)
        .map_err(DeskError::RateLimited)?;
    let login = link.login.ok_or(DeskError::UsedLink)?;
    let link_name = name_with_link(invited);
    // Reads the lead first, because a failed request must not use up the link.
    let lead = desk.get_lead(&link_name, link.lead).await?;
    let opened = desk.describe_link(Some(invited), invited, true, lead, &team)?;
    if !desk.claim_mail(login.email, browser, &link_name).await? {
        return Err(DeskError::UsedLink);
    }
    let session = Session::start(invited.id(), login.email, now);
    if !desk.claim(invited.name(), session.claim()).await? {
        return Err(DeskError::UsedLink);
    }
    desk.logins.add(1, &[]);
    info!(lead_id = %link.lead, "logged in with a magic link");
    let cookie = session.to_cookie(&desk.config.desk_session_keys, desk.config.is_secure(), now);
    Ok(([(header::SET_COOKIE, cookie)], Json(opened)).into_response())
}

/// Emails a login link to the link's person, or to a colleague unless the link has expired. Neither the response nor its
/// duration reveals whether the colleague exists. Only the link's person reads that no email is sent because the link's
/// lead was erased.
pub(super) async fn mail_link(
    State(desk): State<Arc<Desk>>,
    Body(MailRequest { key, email }): Body<MailRequest>,
) -> Result<Json<Mailed>, DeskError> {
    let now = desk.clock.now();
    let team = desk.config.routes_file.current();
    let (link, is_fresh) = match MagicLink::verify(&key, &desk.config.magic_link_keys, now) {
        Ok(link) => (link, true),
        Err(InvalidMagicLink::Expired(link)) => (link, false),
        Err(invalid) => return Err(invalid.into()),
    };
    let invited = team.find_by_id(link.person).ok_or(DeskError::InvalidLink)?;
    desk.link_limit
        .try_acquire(link, now)
        .map_err(DeskError::RateLimited)?;
    let mailbox = email.is_none().then(|| masked(invited.email()));
    let email = email.as_deref().unwrap_or(invited.email());
    let limited = desk.mail_limit.try_acquire(Person::id_of(email), now).err();
    let link_name = name_with_link(invited);
    let person = team
        .find_by_email(email)
        .filter(|person| is_fresh || person.id() == link.person);
    let outcome = match person.filter(|_| limited.is_none()) {
        Some(person) => {
            let request = MailLeadRequest {
                lead_id: link.lead.to_string(),
                person: person.name().to_owned(),
                brochure: false,
            };
            desk.call(&link_name, request, async |mut crm, request| {
                crm.deliveries.mail_lead(request).await
            })
            .await
            .map(drop)
        }
        // Makes an equally slow call, to hide that no email is sent.
        None => desk.get_lead(&link_name, link.lead).await.map(drop),
    };
    // Neither the limit, the last email nor the erased lead of another address may be revealed.
    let is_hidden = mailbox.is_none() && matches!(outcome, Err(DeskError::NoSuchLead));
    if !is_hidden {
        outcome?;
    }
    let unsent = if mailbox.is_none() {
        None
    } else if let Some(wait) = limited {
        Some(Unsent {
            reason: UnsentReason::Limit,
            until: now + wait,
        })
    } else {
        let lead = desk.get_lead(&link_name, link.lead).await?;
        find_recent_email(&lead, invited.name(), now)?.map(Unsent::after_email)
    };
    Ok(Json(Mailed { mailbox, unsent }))
}

impl Unsent {
    fn after_email(sent_at: DateTime<Utc>) -> Self {
        Self {
            reason: UnsentReason::Recent,
            until: sent_at + REQUEST_INTERVAL,
        }
    }
}

/// When the person's last login email was sent, if that was before `now` and no newer one is in flight.
fn find_recent_email(
    lead: &Lead,
    person: &str,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, DeskError> {
    let number_of = |recipient: &str| {
        let Ok(Recipient::Requested {
            kind: RequestKind::Login,
            person: of,
            number,
        }) = recipient.parse()
        else {
            return None;
        };
        (of == person).then_some(number)
    };
    let unfinished = lead.unfinished.iter();
    let on_its_way = unfinished.filter_map(|it| number_of(&it.recipient)).max();
    let delivered = lead
        .deliveries
        .iter()
        .filter_map(|it| Some((number_of(&it.recipient)?, it.delivered_at)))
        .max_by_key(|(number, _)| *number);
    let Some((number, delivered_at)) = delivered else {
        return Ok(None);
    };
    let delivered_at = optional_time("delivered_at", delivered_at)?;
    Ok(delivered_at.filter(|at| on_its_way < Some(number) && *at < now))
}

pub(super) async fn show_person(
    State(desk): State<Arc<Desk>>,
    LoggedIn { person, team }: LoggedIn,
) -> Json<Me> {
    Json(desk.describe_person(&person, &team))
}

/// Ends the session in the CRM, which also invalidates copies of the cookie. A session that has ended cannot end the others.
pub(super) async fn log_out(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Body(LogoutRequest { everywhere }): Body<LogoutRequest>,
) -> Result<Response, DeskError> {
    let team = desk.config.routes_file.current();
    if let Some((session, person)) = desk.session(&headers, &team) {
        if everywhere && !desk.claim(person.name(), session.claim()).await? {
            return Err(DeskError::LoggedOut);
        }
        let request = session.finish(everywhere);
        desk.call(person.name(), request, async |mut crm, request| {
            crm.access.finish_task(request).await
        })
        .await?;
    }
    Ok((
        StatusCode::NO_CONTENT,
        [(header::SET_COOKIE, expired_cookie(desk.config.is_secure()))],
    )
        .into_response())
}

/// `m…@example.com`
fn masked(email: &str) -> String {
    let (local_part, domain) = email.split_once('@').unwrap_or((email, ""));
    format!(
        "{}…@{domain}",
        local_part.chars().take(1).collect::<String>()
    )
}

/// The name in timelines and the audit log for a person who uses a link without a session.
fn name_with_link(person: &Person) -> String {
    format!("{} (link)", person.name())
}

impl Desk {
    fn describe_person(&self, person: &Person, team: &Team) -> Me {
        Me {
            name: person.name().to_owned(),
            people: team.names().map(str::to_owned).collect(),
            time_zone: self.config.time_zone.name(),
            may_send_brochures: person.may_send_brochures(),
            may_see_report: person.may_see_report(),
            reminder_minutes: team.reminder_minutes().minutes(),
        }
    }

    fn describe_link(
        &self,
        person: Option<&Person>,
        invited: &Person,
        may_log_in: bool,
        lead: Lead,
        team: &Team,
    ) -> Result<Opened, DeskError> {
        let lead = if person.is_some() {
            LeadView::full(lead)?
        } else {
            LeadView::public(&lead)?
        };
        Ok(Opened {
            me: person.map(|person| self.describe_person(person, team)),
            invited: invited.name().to_owned(),
            may_log_in,
            time_zone: self.config.time_zone.name(),
            lead,
        })
    }

    /// Returns true for the first browser that uses the link of an email, also when it repeats the request within
    /// [`REPEATABLE_FOR`]. The CRM stores the claim for longer than the link is valid.
    async fn claim_mail(&self, mail: Uuid, browser: Uuid, person: &str) -> Result<bool, DeskError> {
        self.claim(
            person,
            ClaimTaskRequest {
                task: format!("desk-link/{mail}"),
                holder: format!("desk-{browser}"),
                lease: (LINK_LIFETIME * 2).to_std().ok().map(duration),
                repeatable_for: Some(duration(REPEATABLE_FOR)),
            },
        )
        .await
    }
}
