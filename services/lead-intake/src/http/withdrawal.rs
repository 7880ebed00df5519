//! Accepts the withdrawal of a visitor's consent, from the link in an email or from the visitor's mail program (RFC 8058).

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::{StatusCode, Uri},
    response::{IntoResponse, Redirect, Response},
};
use tokens::WithdrawalToken;

use super::{Intake, body::form_values, error::ApiError};

/// Shows the page that asks whether to withdraw. Changes nothing, because mail scanners open links.
#[utoipa::path(
    get, path = "/functions/v1/withdraw", tag = "withdrawal", operation_id = "showWithdrawal", security(()),
    params(
        ("token" = String, Query, description = "The token in the link of an email."),
        ("lang" = Option<String>, Query, description = "Language of the page: `en` or `zh`."),
    ),
    responses((status = 303, description = "Redirects to `/withdraw`")),
)]
pub(crate) async fn show(address: Uri) -> Redirect {
    let query = address.query().unwrap_or_default().as_bytes();
    Redirect::to(&page(
        "withdraw",
        [
            ("token", &value(query, "token")),
            ("lang", &value(query, "lang")),
        ],
    ))
}

/// Withdraws the consent to be contacted, for all leads of the mailbox that received the link.
#[utoipa::path(
    post, path = "/functions/v1/withdraw", tag = "withdrawal", operation_id = "withdraw", security(()),
    params(
        ("token" = String, Query, description = "The token in the link of an email."),
        ("lang" = Option<String>, Query, description = "Language of the page: `en` or `zh`."),
    ),
    request_body(content = String, content_type = "application/x-www-form-urlencoded", description = "`request=withdrawal` or `request=erasure` from the page; `List-Unsubscribe=One-Click` from a mail program"),
    responses(
        (status = 200, description = "Stored durably; the answer to a mail program"),
        (status = 303, description = "Stored durably: redirects to `/withdrawn`"),
        (status = "4XX", description = "Rejected, see `error.code`", body = super::error::ErrorAnswer),
        (status = 503, description = "The withdrawal may not be stored: try again", body = super::error::ErrorAnswer),
    ),
)]
pub(crate) async fn withdraw(
    State(intake): State<Arc<Intake>>,
    address: Uri,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = body.map_err(|rejection| ApiError::unreadable_body(rejection.status()))?;
    let query = address.query().unwrap_or_default().as_bytes();
    let token = WithdrawalToken::verify(&value(query, "token"), &intake.config.withdrawal_keys)
        .ok_or(ApiError::TokenInvalid)?;
    let request = value(&body, "request");
    intake
        .submitter
        .withdraw(token, intake.clock.now(), request == "erasure")
        .await?;
    if request.is_empty() {
        // The request is from a mail program, which does not follow redirects.
        return Ok(StatusCode::OK.into_response());
    }
    let page = page(
        "withdrawn",
        [("request", &request), ("lang", &value(query, "lang"))],
    );
    Ok(Redirect::to(&page).into_response())
}

/// Returns the first value of a field or parameter, or an empty text if it is absent.
pub(super) fn value(form: &[u8], name: &str) -> String {
    form_values(form, name).next().unwrap_or_default()
}

/// Formats the path of a page of the site. Omits empty parameters.
pub(super) fn page(name: &str, parameters: [(&str, &String); 2]) -> String {
    let given = parameters
        .into_iter()
        .filter(|(_, value)| !value.is_empty());
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(given)
        .finish();
    format!("/{name}?{query}")
}
