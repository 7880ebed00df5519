//! The line in the inbox.

use super::headers::plain;
use crate::domain::Lead;

/// Leading interest, name, reference, e.g. `Showflat preview · 陈伟 · ZG-7F3K-2Q`.
pub(super) fn of(lead: &Lead) -> String {
    plain(&format!("{} · {} · {}", lead.interests.leading().short(), lead.name, lead.reference))
}
