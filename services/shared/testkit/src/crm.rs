//! Tokens for the CRM's clients in tests.

use tonic::{GrpcMethod, Request, Status, metadata::MetadataValue, service::Interceptor};

pub const INTAKE: &str = "intake-0123456789abcdef0123456789abcdef";
pub const NOTIFIER: &str = "notifier-0123456789abcdef0123456789abcdef";
pub const CANARY: &str = "canary-0123456789abcdef0123456789abcdef";
pub const DESK: &str = "desk-0123456789abcdef0123456789abcdef";
pub const SALES: &str = "sales-0123456789abcdef0123456789abcdef";
pub const OPERATOR: &str = "operator-0123456789abcdef0123456789abcdef";

pub const WITHDRAWAL_KEYS: &str = "withdrawal-0123456789abcdef0123456789abcdef";

pub const DESK_SESSION_KEYS: &str = "desk-session-0123456789abcdef0123456789abcdef";

pub const SUPPRESSION_KEY: &str = "suppression-0123456789abcdef0123456789abcdef";

/// A value of `CRM_TOKENS` with one client of each role, named like its role.
pub fn tokens() -> String {
    [INTAKE, NOTIFIER, CANARY, DESK, SALES, OPERATOR]
        .map(|token| {
            let (role, _) = token.split_once('-').expect("a token begins with its role");
            format!("{role}:{role}={token}")
        })
        .join(",")
}

/// Adds to each call the token of a role that is allowed to make it.
#[derive(Clone)]
pub struct AnyRole;

impl Interceptor for AnyRole {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let method = request
            .extensions()
            .get::<GrpcMethod<'_>>()
            .map_or("", GrpcMethod::method);
        let token = match method {
            "RecordLead" | "WithdrawLead" => INTAKE,
            "ClaimDeliveries" | "ReportDeliveries" | "LeasePending" | "RequestReminders"
            | "ListLeads" | "ClaimTask" | "FinishTask" => NOTIFIER,
            _ => OPERATOR,
        };
        let value = MetadataValue::try_from(format!("Bearer {token}")).expect("a token is ASCII");
        request.metadata_mut().insert("authorization", value);
        Ok(request)
    }
}
