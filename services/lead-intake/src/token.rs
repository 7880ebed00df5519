//! The tokens of a session: signed, stateless, anonymous.

use chrono::{DateTime, TimeDelta, Utc};
use lead::Visit;
use strum::IntoStaticStr;
use tokens::{InvalidToken, SigningKeys};

pub const ACCESS_LIFETIME: TimeDelta = TimeDelta::hours(1);
/// A visitor who returns within this time keeps the session.
pub const REFRESH_LIFETIME: TimeDelta = TimeDelta::days(30);
/// A session ends after this, however often it is renewed.
const SESSION_LIFETIME: TimeDelta = TimeDelta::days(90);

/// The purpose of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum SessionToken {
    /// Submits a lead.
    Access,
    /// Renews the session.
    Refresh,
}

impl SessionToken {
    /// A token for this visit, valid from `now` on.
    pub fn sign(self, visit: &Visit, keys: &SigningKeys, now: DateTime<Utc>) -> String {
        let lifetime = match self {
            Self::Access => ACCESS_LIFETIME,
            Self::Refresh => REFRESH_LIFETIME,
        };
        let expires_at = (now + lifetime).min(visit.started_at + SESSION_LIFETIME);
        keys.sign(self.into(), visit, Some(expires_at))
    }

    /// The visit that a token was issued for.
    ///
    /// # Errors
    /// [`InvalidToken`] when the token was not issued here, is for another purpose, or has expired at `now`.
    pub fn verify(
        self,
        token: &str,
        keys: &SigningKeys,
        now: DateTime<Utc>,
    ) -> Result<Visit, InvalidToken<()>> {
        keys.verify(self.into(), token, now).map_err(|invalid| match invalid {
            InvalidToken::Forged => InvalidToken::Forged,
            InvalidToken::Expired::<Visit>(_, expired_at) => InvalidToken::Expired((), expired_at),
        })
    }
}

#[cfg(test)]
mod tests {
    use lead::Attribution;
    use uuid::Uuid;

    use super::*;

    fn keys() -> SigningKeys {
        "new-new-new-new-new-new-new-new-new".parse().unwrap()
    }

    fn visit() -> Visit {
        Visit { id: Uuid::from_u128(7), started_at: now(), attribution: Attribution::default() }
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_772_337_906, 0).unwrap()
    }

    #[test]
    fn a_token_is_good_until_its_last_second() {
        let token = SessionToken::Access.sign(&visit(), &keys(), now());
        let verify = |at| SessionToken::Access.verify(&token, &keys(), at);
        assert_eq!(verify(now() + ACCESS_LIFETIME - TimeDelta::seconds(1)), Ok(visit()));
        assert_eq!(verify(now() + ACCESS_LIFETIME), Err(InvalidToken::Expired((), now() + ACCESS_LIFETIME)));
    }

    #[test]
    fn a_session_ends_after_ninety_days_however_often_it_is_renewed() {
        let (mut at, mut renewals) = (now(), 0);
        let mut token = SessionToken::Refresh.sign(&visit(), &keys(), at);
        while let Ok(visit) = SessionToken::Refresh.verify(&token, &keys(), at) {
            (at, renewals) = (at + TimeDelta::days(7), renewals + 1);
            token = SessionToken::Refresh.sign(&visit, &keys(), at);
        }
        assert_eq!((at - now(), renewals), (TimeDelta::days(91), 13));
    }

    #[test]
    fn a_token_is_good_for_its_purpose_only() {
        let token = SessionToken::Refresh.sign(&visit(), &keys(), now());
        assert_eq!(SessionToken::Access.verify(&token, &keys(), now()), Err(InvalidToken::Forged));
        assert_eq!(SessionToken::Refresh.verify(&token, &keys(), now()), Ok(visit()));
    }

    /// Signed by Python's hmac with the same key.
    #[test]
    fn accepts_a_jwt_of_another_library() {
        let token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJpZCI6IjAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwM\
             DAwNyIsInN0YXJ0ZWRfYXQiOiIyMDI2LTAzLTAxVDA0OjA1OjA2WiIsImxhbmRpbmdfcGF0aCI6Ii8iLCJleHAiOjE\
             3NzIzNDE1MDYsInB1cnBvc2UiOiJhY2Nlc3MifQ.t2Umvv94CA7jYfoCNhRpEW-RdOl2O-0m6RDYHRdHHHM";
        let attribution = Attribution { landing_path: "/".into(), ..Attribution::default() };
        let verified = SessionToken::Access.verify(token, &keys(), now());
        assert_eq!(verified, Ok(Visit { attribution, ..visit() }));
    }
}
