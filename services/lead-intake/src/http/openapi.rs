//! Serves the API's description, generated from the handlers.

use axum::Json;
use utoipa::{OpenApi, openapi};

use super::{browser_errors, leads, posted_form, session};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Zyon Grand lead intake",
        description = "The API of the site: anonymous sessions and the enquiry form. Every error is \
                       `{\"error\": {\"message\", \"code\", \"fields\"?}}`; 429 and 503 carry Retry-After.",
    ),
    paths(
        session::create,
        session::refresh,
        leads::submit,
        posted_form::submit,
        posted_form::begin_session,
        browser_errors::take
    )
)]
struct Description;

/// The OpenAPI 3.1 document.
#[must_use]
pub fn document() -> openapi::OpenApi {
    Description::openapi()
}

pub(super) async fn serve() -> Json<openapi::OpenApi> {
    Json(document())
}
