//! Records that sales looked up a phone number in Singapore's Do Not Call registry.

use contracts::crm::v1 as crm;
use lead::{
    Channel, FieldError,
    field::{required_time, timestamp},
};
use sea_orm::prelude::DateTimeUtc;

use super::record::CLOCK_SKEW;
use crate::{db::Result, error::Invalid};

/// The result of looking up the lead's phone number in the Do Not Call registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DncCheck {
    pub checked_at: DateTimeUtc,
    /// The channels for which the registry lists the number.
    pub listed: Vec<Channel>,
}

impl DncCheck {
    pub(super) fn parse(check: crm::DncCheck, now: DateTimeUtc) -> Result<Self, Invalid> {
        let checked_at = required_time("dnc_check.checked_at", check.checked_at)?;
        if checked_at > now + CLOCK_SKEW {
            return Err(FieldError::InFuture("dnc_check.checked_at").into());
        }
        Ok(Self {
            checked_at,
            listed: Channel::known_from_contract(&check.listed),
        })
    }

    pub(super) fn to_message(&self) -> crm::DncCheck {
        crm::DncCheck {
            checked_at: Some(timestamp(self.checked_at)),
            listed: self.listed.iter().map(|it| Channel::number(*it)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn rejects_times_in_the_future() {
        let now = DateTimeUtc::UNIX_EPOCH;
        let parse = |checked_at: DateTimeUtc| {
            let check = crm::DncCheck {
                checked_at: Some(timestamp(checked_at)),
                listed: vec![Channel::number(Channel::Phone), 99],
            };
            DncCheck::parse(check, now)
        };
        let check = parse(now).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert_eq!(check.listed, [Channel::Phone]);
        assert_eq!(
            parse(now + TimeDelta::days(2)).err(),
            Some(FieldError::InFuture("dnc_check.checked_at").into())
        );
    }
}
