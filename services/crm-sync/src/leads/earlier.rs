//! Keeps the values of a lead before their corrections.

use lead::{Lead, UserText};
use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};

/// Values before their corrections, oldest first: the first one of a field is the submitted one. Does not show its
/// contents in `Debug`, which sea-orm requires.
#[derive(
    Clone, Default, PartialEq, Eq, derive_more::Debug, Serialize, Deserialize, FromJsonQueryResult,
)]
#[debug("earlier")]
#[serde(default)]
pub(crate) struct Earlier {
    pub(crate) name: Vec<String>,
    pub(crate) mobile: Vec<String>,
    pub(crate) email: Vec<String>,
}

impl Earlier {
    /// The earlier values after the fields in `after` have replaced those in `before`.
    pub(super) fn with_correction(self, before: &Fields, after: &Fields) -> Self {
        Self {
            name: with_replaced(self.name, &before.name, &after.name),
            mobile: with_replaced(self.mobile, &before.mobile, &after.mobile),
            email: with_replaced(self.email, &before.email, &after.email),
        }
    }

    /// The stored lead, with each field of `sent` that has an earlier value of the field. Queued messages have the
    /// submitted values, and leased leads the values at the time of their lease.
    pub(super) fn as_sent(&self, stored: Lead, sent: &Lead) -> Lead {
        Lead {
            name: earlier_or(&self.name, stored.name, &sent.name),
            mobile: earlier_or(&self.mobile, stored.mobile, &sent.mobile),
            email: earlier_or(&self.email, stored.email, &sent.email),
            ..stored
        }
    }
}

/// The fields of a lead that can be corrected.
pub(super) struct Fields {
    pub(super) name: String,
    pub(super) mobile: String,
    pub(super) email: String,
}

fn with_replaced(mut values: Vec<String>, before: &str, after: &str) -> Vec<String> {
    if before != after && !values.iter().any(|value| value == before) {
        values.push(before.to_owned());
    }
    values
}

fn earlier_or(values: &[String], stored: UserText, sent: &UserText) -> UserText {
    if values.iter().any(|value| value == sent.as_str()) {
        sent.clone()
    } else {
        stored
    }
}
