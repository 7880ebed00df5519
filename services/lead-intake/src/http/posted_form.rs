//! Accepts the no-JavaScript form.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawForm, State, rejection::RawFormRejection},
    http::{HeaderMap, Uri, header},
    response::{IntoResponse, Redirect, Response},
};
use lead::{
    Attribution, Channel, HomePreference, Interest, Language, Lead, Plan, SpamSignal, Visit,
    VisitTime, id_of, text::ascii_line,
};
use ring::digest::{SHA256, digest};
use runtime::http::ErrorCode;
use serde_json::json;
use uuid::Uuid;

use super::{
    Intake,
    body::form_values,
    error::ApiError,
    late_consent,
    leads::{NETWORK, header_text, parse_channels, parse_language},
    session::{ACCESS_LIFETIME, SessionToken},
};
use crate::rules::{Broken, RegistrationBody, Rule};

/// The answer to the form's sum, 5+2.
const SUM: &str = "7";

const COOKIE: &str = "form_session";

/// One transparent pixel.
const PIXEL: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// Starts a session for the no-JavaScript form.
///
/// Returns an image and sets a cookie.
#[utoipa::path(
    get, path = "/functions/v1/form-session", tag = "session", operation_id = "beginFormSession", security(()),
    responses((status = 200, description = "A transparent pixel; sets the cookie `form_session` unless the request has a valid one", content_type = "image/gif")),
)]
pub(crate) async fn begin_session(
    State(intake): State<Arc<Intake>>,
    headers: HeaderMap,
) -> Response {
    let mut answer = ([(header::CONTENT_TYPE, "image/gif")], PIXEL).into_response();
    if find_visit(&intake, &headers).is_none() {
        let now = intake.clock.now();
        let visit = intake.new_visit(Attribution::default(), now);
        let token = SessionToken::Access.sign(&visit, &intake.config.session_keys, now);
        let seconds = ACCESS_LIFETIME.num_seconds();
        // nginx sets the header to the scheme in the browser's address.
        let is_https = headers
            .get("x-forwarded-proto")
            .is_some_and(|scheme| scheme == "https");
        let secure = if is_https { "; Secure" } else { "" };
        let cookie = format!(
            "{COOKIE}={token}; Path=/functions/v1; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
        );
        // Always succeeds, because a token consists of letters, digits, dots, dashes and underscores.
        if let Ok(cookie) = cookie.parse() {
            answer.headers_mut().insert(header::SET_COOKIE, cookie);
        }
    }
    answer
}

/// Registers interest with the no-JavaScript form.
///
/// Redirects to another page, so a reload does not submit the form again. nginx replaces error responses with a page.
#[utoipa::path(
    post, path = "/functions/v1/posted-form", tag = "leads", operation_id = "submitPostedForm", security(()),
    request_body(content = String, content_type = "application/x-www-form-urlencoded", description = "The fields of the form. Only `privacyAccepted=on` or `privacyAccepted=true` accepts the version in `privacyPolicyVersion`, and only `channels=phone` and `channels=message` agree to a channel. `plan` is the id of a floor plan, `times` are visit times, and `homes` are homes that the visitor looks for, as in the headers of `submitLead`"),
    params(("lang" = Option<String>, Query, description = "Language of the page: `en` or `zh`.")),
    responses(
        (status = 303, description = "Stored durably: redirects to `/registered?reference=`, with a `token` for the page `/agree` if the visitor chose no channel; rules broken: to `/not-registered?errors=`"),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "The lead may not be stored: try again", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn post_form(
    State(intake): State<Arc<Intake>>,
    address: Uri,
    headers: HeaderMap,
    form: Result<RawForm, RawFormRejection>,
) -> Result<Response, ApiError> {
    let RawForm(form) = form.map_err(|rejection| ApiError::unreadable_body(rejection.status()))?;
    let language = form_values(address.query().unwrap_or_default().as_bytes(), "lang").next();
    let language = parse_language(&language.unwrap_or_default());
    let suffix = match language {
        Language::English => "",
        Language::Chinese => "&lang=zh",
    };
    let asked = headers
        .get(header::REFERER)
        .and_then(|page| page.to_str().ok());
    let asked = asked.and_then(find_asked_plan);
    match read_lead(
        &form,
        asked,
        language,
        find_visit(&intake, &headers),
        &intake,
    ) {
        Ok(lead) => {
            let reference = lead.reference.clone();
            // Only the visitor receives this response.
            let token = late_consent::sign_token(&intake, &lead)
                .map_or_else(String::new, |token| format!("&token={token}"));
            let network = header_text(&headers, NETWORK)
                .unwrap_or_default()
                .to_owned();
            intake.submit(lead, network).await?;
            Ok(
                Redirect::to(&format!("/registered?reference={reference}{token}{suffix}"))
                    .into_response(),
            )
        }
        Err(broken) => {
            let codes: Vec<_> = broken
                .iter()
                .filter_map(|(_, rules)| Some(rules.first()?.code()))
                .collect();
            let page = Redirect::to(&format!(
                "/not-registered?errors={}{suffix}",
                codes.join(",")
            ));
            Ok((
                Extension(ErrorCode(ApiError::ValidationFailed(broken).code())),
                page,
            )
                .into_response())
        }
    }
}

/// Reads a lead from a form. Treats absent fields as empty and ignores unknown fields, which browser extensions may add.
fn read_lead(
    form: &[u8],
    asked: Option<&'static Plan>,
    language: Language,
    visit: Option<Visit>,
    intake: &Intake,
) -> Result<Lead, Broken> {
    let value = |name| form_values(form, name).last().unwrap_or_default();
    let registration = RegistrationBody::from_form(|field| form_values(form, field).collect());
    let now = intake.clock.now();
    // Repeated submissions of a form get the same id within a visit, or within a day if the visit is unknown.
    let scope = visit.as_ref().map_or_else(
        || now.date_naive().to_string(),
        |visit| visit.id.to_string(),
    );
    let plan = Plan::find(&value("plan")).or(asked);
    // Without JavaScript the form shows the times to all visitors.
    let wants_visit = form_values(form, "interests").any(|id| id == Interest::Showflat.id());
    let times: Vec<_> = form_values(form, "times").filter(|_| wants_visit).collect();
    let visit_times = VisitTime::known_from_contract(&times);
    let homes: Vec<_> = form_values(form, "homes").collect();
    let home_preferences = HomePreference::known_from_contract(&homes);
    let ticked_channels: Vec<_> = form_values(form, "channels").collect();
    let channels = parse_channels(ticked_channels.iter().map(String::as_str));
    let choices = Choices {
        plan,
        visit_times: &visit_times,
        home_preferences: &home_preferences,
        channels: &channels,
    };
    let id = id_of(idempotency_key(&scope, &registration, &choices));
    let accepted_version =
        is_ticked(&value("privacyAccepted")).then(|| value("privacyPolicyVersion"));
    let lead = registration.into_lead(Lead {
        language,
        privacy_policy_version: accepted_version.unwrap_or_default().into(),
        channels,
        plan,
        visit_times,
        home_preferences,
        visit,
        ..Lead::empty(id, now)
    });
    if !is_right_sum(&value("antiSpam")) {
        let mut broken = lead.err().unwrap_or_default();
        // The form shows the sum before the privacy policy.
        let place = broken
            .iter()
            .position(|(field, _)| field == "privacyAccepted")
            .unwrap_or(broken.len());
        broken.insert(place, ("antiSpam".into(), vec![Rule::AntiSpamWrong]));
        return Err(broken);
    }
    let mut lead = lead?;
    // People cannot see this field.
    if !value("website").is_empty() {
        lead.signals.push(SpamSignal::Trapped);
    }
    // After the spam check, which would find the visitor of a visit that begins now too fast. The visit counts the leads of
    // its network.
    lead.visit
        .get_or_insert_with(|| intake.new_visit(Attribution::default(), now));
    Ok(lead)
}

/// The plan in the address of the page with the form, such as `/?ask=C2N` after "Ask about this plan". Without JavaScript the
/// form does not show it. Of two plans, a script would name the second in the question.
fn find_asked_plan(page: &str) -> Option<&'static Plan> {
    let (_, query) = page.split_once('?')?;
    let asked = form_values(query.as_bytes(), "ask").next()?;
    asked.split(',').find_map(Plan::find)
}

/// What the visitor chose beside the fields of the body.
#[derive(Default)]
struct Choices<'a> {
    plan: Option<&'static Plan>,
    visit_times: &'a [&'static VisitTime],
    home_preferences: &'a [&'static HomePreference],
    channels: &'a [Channel],
}

/// Derives a key that is equal for repeated submissions of a form, and differs after any change, also of the consent.
fn idempotency_key(scope: &str, registration: &RegistrationBody, choices: &Choices<'_>) -> Uuid {
    let Choices {
        plan,
        visit_times,
        home_preferences,
        channels,
    } = *choices;
    let channel_ids: Vec<_> = channels.iter().map(|it| it.id()).collect();
    let mut fields = registration.fields();
    // A field of a newer version does not change the keys of forms without it. The first version had `questions`.
    fields.retain(|field, value| field == "questions" || value.as_str() != Some(""));
    // JSON delimits the fields, so different leads have different texts. The shorter texts are those of versions that did
    // not know the other choices, because a form may be repeated after an upgrade.
    let form = if !home_preferences.is_empty() {
        json!([
            scope,
            fields,
            plan,
            visit_times,
            channel_ids,
            home_preferences
        ])
    } else if !channel_ids.is_empty() {
        json!([scope, fields, plan, visit_times, channel_ids])
    } else if plan.is_some() || !visit_times.is_empty() {
        json!([scope, fields, plan, visit_times])
    } else {
        json!([scope, fields])
    };
    let text = form.to_string();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest(&SHA256, text.as_bytes()).as_ref()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

/// Browsers send `on` for a ticked box, and no field for an empty one. Programs may send `true`.
fn is_ticked(value: &str) -> bool {
    matches!(value, "on" | "true")
}

/// With JavaScript, the site's script checks the sum instead.
fn is_right_sum(answer: &str) -> bool {
    ascii_line(answer) == SUM
}

/// Returns the visit of a valid session cookie.
fn find_visit(intake: &Intake, headers: &HeaderMap) -> Option<Visit> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    let token = cookies
        .split(';')
        .find_map(|it| it.trim().strip_prefix(COOKIE)?.strip_prefix('='))?;
    SessionToken::Access
        .verify(token, &intake.config.session_keys, intake.clock.now())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form of the first version. A form may be repeated after an upgrade.
    #[test]
    fn new_empty_field_does_not_change_the_key() {
        let form =
            b"interests=purchase&name=Tan+Wei&mobile=91234567&email=wei%40example.com&questions=";
        let registration = RegistrationBody::from_form(|field| form_values(form, field).collect());
        let key = idempotency_key("2026-03-01", &registration, &Choices::default());
        assert_eq!(key.to_string(), "4cebfcf5-ea32-8908-95b6-af38a986a85d");
    }

    #[test]
    fn cleans_the_answer_to_the_sum() {
        for answer in ["7", " 7", "7 ", "７", "\u{200e}7\u{3000}"] {
            assert!(is_right_sum(answer), "{answer:?}");
        }
        for answer in ["", "8", "07", "seven", "7 7"] {
            assert!(!is_right_sum(answer), "{answer:?}");
        }
    }
}
