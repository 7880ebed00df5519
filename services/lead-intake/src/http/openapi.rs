//! Serves the API's description, generated from the handlers.

use axum::Json;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self,
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use super::{browser_errors, leads, posted_form, session, withdrawal};

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
        withdrawal::show,
        withdrawal::withdraw,
        browser_errors::take
    ),
    servers((url = "/")),
    modifiers(&Credentials)
)]
struct Description;

/// What a lead is sent with. The other operations are public.
struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let apikey = ApiKeyValue::with_description("apikey", "The site's public anonymous key.");
        let session = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").description(
            Some("The session's access token. To submit a lead without a session, the public key."),
        );
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("apikey", SecurityScheme::ApiKey(ApiKey::Header(apikey)));
        components.add_security_scheme("session", SecurityScheme::Http(session.build()));
    }
}

/// The OpenAPI 3.1 document.
#[must_use]
pub fn document() -> openapi::OpenApi {
    Description::openapi()
}

pub(super) async fn serve() -> Json<openapi::OpenApi> {
    Json(document())
}
