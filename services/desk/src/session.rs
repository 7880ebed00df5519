//! The session of a person in a browser, stored in a signed cookie.

use axum::http::{HeaderMap, HeaderValue, header};
use chrono::{DateTime, TimeDelta, Utc, serde::ts_seconds};
use contracts::crm::v1::{ClaimTaskRequest, FinishTaskRequest};
use lead::field::duration;
use serde::{Deserialize, Serialize};
use tokens::SigningKeys;
use uuid::Uuid;

/// A session expires after this time without use. A phone stays logged in during a week of leave.
const IDLE_TIMEOUT: TimeDelta = TimeDelta::days(7);

/// A session expires after this time regardless of use.
const MAX_LIFETIME: TimeDelta = TimeDelta::days(30);

/// Minimum time between two renewals of a cookie.
const RENEWAL_INTERVAL: TimeDelta = TimeDelta::hours(1);

const PURPOSE: &str = "desk-session";

/// All replicas claim sessions under this name, so each of them can claim and finish every session.
const HOLDER: &str = "desk";

/// Identifies the person by [`Person::id`](tokens::Person::id) instead of a name.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Session {
    #[serde(rename = "sub")]
    pub(crate) person: Uuid,
    #[serde(rename = "jti")]
    pub(crate) id: Uuid,
    #[serde(with = "ts_seconds")]
    started_at: DateTime<Utc>,
    #[serde(with = "ts_seconds")]
    ends_at: DateTime<Utc>,
}

impl Session {
    /// `id` is the id of the email whose link logs in, so a link starts at most one session.
    pub(crate) fn start(person: Uuid, id: Uuid, now: DateTime<Utc>) -> Self {
        Self {
            person,
            id,
            started_at: now,
            ends_at: now + IDLE_TIMEOUT,
        }
    }

    /// Returns the session of a request's cookie, or `None` without a cookie that is valid at `now`. Only the CRM stores
    /// whether the person has logged out.
    pub(crate) fn from_headers(
        headers: &HeaderMap,
        keys: &SigningKeys,
        is_secure: bool,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let cookies = headers.get(header::COOKIE)?.to_str().ok()?.split(';');
        let mut tokens = cookies.filter_map(|it| {
            it.trim()
                .strip_prefix(cookie_name(is_secure))?
                .strip_prefix('=')
        });
        tokens.find_map(|token| keys.verify(PURPOSE, token, now).ok())
    }

    /// The request that starts the session in the CRM. The CRM grants repeated claims until the session is finished.
    pub(crate) fn claim(self) -> ClaimTaskRequest {
        let (task, holder) = (
            format!("desk-session/{}/{}", self.person, self.id),
            HOLDER.to_owned(),
        );
        ClaimTaskRequest {
            task,
            holder,
            lease: MAX_LIFETIME.to_std().ok().map(duration),
            repeatable_for: None,
        }
    }

    /// The request that ends the session, or all sessions of the person.
    pub(crate) fn finish(self, everywhere: bool) -> FinishTaskRequest {
        let id = if everywhere {
            String::new()
        } else {
            self.id.to_string()
        };
        FinishTaskRequest {
            task: format!("desk-session/{}/{id}", self.person),
            holder: HOLDER.to_owned(),
        }
    }

    /// Extends the session. Returns `None` if that would add at most [`RENEWAL_INTERVAL`].
    pub(crate) fn renew(self, now: DateTime<Utc>) -> Option<Self> {
        let ends_at = (now + IDLE_TIMEOUT).min(self.started_at + MAX_LIFETIME);
        (ends_at - self.ends_at > RENEWAL_INTERVAL).then_some(Self { ends_at, ..self })
    }

    pub(crate) fn to_cookie(
        self,
        keys: &SigningKeys,
        is_secure: bool,
        now: DateTime<Utc>,
    ) -> HeaderValue {
        let token = keys.sign(PURPOSE, &self, Some(self.ends_at));
        format_cookie(&token, (self.ends_at - now).num_seconds(), is_secure)
    }
}

/// The cookie that deletes the session cookie.
pub(crate) fn expired_cookie(is_secure: bool) -> HeaderValue {
    format_cookie("", 0, is_secure)
}

fn format_cookie(token: &str, seconds: i64, is_secure: bool) -> HeaderValue {
    let (name, secure) = (
        cookie_name(is_secure),
        if is_secure { "; Secure" } else { "" },
    );
    let cookie =
        format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::try_from(cookie)
        .expect("a token consists of letters, digits, dots, dashes and underscores")
}

/// Browsers accept a `__Host-` cookie only over https and only from this host, so other subdomains cannot set it. The name
/// without https is for a developer's machine.
fn cookie_name(is_secure: bool) -> &'static str {
    if is_secure { "__Host-desk" } else { "desk" }
}
