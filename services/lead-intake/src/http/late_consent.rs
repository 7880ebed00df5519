//! Offers and accepts a visitor's consent to calls and messages after the form, from the page after it or the link in an email.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::Uri,
    response::Redirect,
};
use lead::{Lead, consent};
use serde::Serialize;
use tokens::ConsentToken;
use utoipa::ToSchema;

use super::{
    Intake,
    body::form_values,
    error::ApiError,
    leads::{parse_channels, parse_language},
    withdrawal::{page, value},
};

/// The offer to agree to calls and messages, for a visitor who chose neither.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConsentOffer {
    /// What to ask the visitor, in the language of the form.
    question: &'static str,
    /// Address of the page on which the visitor can agree.
    #[schema(example = "/agree?token=eyJ&lang=en")]
    address: String,
}

impl ConsentOffer {
    /// `None` if the visitor has chosen a channel, and for canaries.
    pub(super) fn for_lead(intake: &Intake, lead: &Lead) -> Option<Self> {
        let token = sign_token(intake, lead)?;
        let language = lead.language.id().to_owned();
        Some(Self {
            question: consent::question(lead.language),
            address: page("agree", [("token", &token), ("lang", &language)]),
        })
    }
}

/// The token with which the visitor of a lead can agree. `None` if they have chosen a channel, and for canaries.
pub(super) fn sign_token(intake: &Intake, lead: &Lead) -> Option<String> {
    if !lead.channels.is_empty() || lead.is_canary() {
        return None;
    }
    let token = ConsentToken {
        lead: lead.id,
        mailbox_hash: None,
    };
    Some(token.sign(&intake.config.withdrawal_keys))
}

/// Records that the visitor agrees to calls or messages. Opening the page changes nothing, because mail scanners open links.
#[utoipa::path(
    post, path = "/functions/v1/agree", tag = "consent", operation_id = "agree", security(()),
    params(
        ("token" = String, Query, description = "The token in the link."),
        ("lang" = Option<String>, Query, description = "Language of the page: `en` or `zh`."),
    ),
    request_body(content = String, content_type = "application/x-www-form-urlencoded", description = "`channel=phone` or `channel=message`"),
    responses(
        (status = 303, description = "Stored durably: redirects to `/agreed`"),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "The consent may not be stored: try again", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn agree(
    State(intake): State<Arc<Intake>>,
    address: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Result<Redirect, ApiError> {
    let body = body.map_err(|rejection| ApiError::unreadable_body(rejection.status()))?;
    let query = address.query().unwrap_or_default().as_bytes();
    let token = ConsentToken::verify(&value(query, "token"), &intake.config.withdrawal_keys)
        .ok_or(ApiError::TokenInvalid)?;
    let given: Vec<String> = form_values(&body, "channel").collect();
    let channels = parse_channels(given.iter().map(String::as_str));
    let lang = value(query, "lang");
    // Each button names one channel, and the recorded words are those of that button.
    let [channel] = channels[..] else {
        return Err(ApiError::NotFound);
    };
    let wording = consent::wording(channel, parse_language(&lang));
    let now = intake.clock.now();
    intake.submitter.agree(token, channel, wording, now).await?;
    let channel = channel.id().to_owned();
    Ok(Redirect::to(&page(
        "agreed",
        [("channel", &channel), ("lang", &lang)],
    )))
}
