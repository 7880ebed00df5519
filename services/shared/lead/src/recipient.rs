//! Names of a lead's recipients other than the sales team's addresses.

/// The visitor, as the recipient of the confirmation. Replaces the address, which the lead already contains.
pub const VISITOR: &str = "visitor";

/// The visitor, as the recipient of the brochure.
pub const BROCHURE: &str = "brochure";

/// Prefix for a system that receives leads by webhook.
pub const WEBHOOK: &str = "webhook:";

/// Prefix for a person in the routes to whom a colleague sends the lead. `NAME#NUMBER` follows, because each request is a
/// separate email.
pub const PERSON: &str = "person:";

/// Prefix for a person in the routes who requests a login link. `NAME#NUMBER` follows.
pub const LOGIN: &str = "login:";

/// Prefix for a person in the routes who requests a test copy of the brochure. `NAME#NUMBER` follows.
pub const BROCHURE_TEST: &str = "brochure-test:";

/// Prefix for a person in the routes, or an address, to notify once that the visitor withdrew consent.
pub const WITHDRAWAL: &str = "withdrawal:";

/// Prefix for a person in the routes, or an address, to notify once that the visitor requested erasure.
pub const ERASURE: &str = "erasure:";

/// Prefix for a system that may have received the lead, to notify of the lead's erasure. An erased lead has no other
/// recipients.
pub const ERASED: &str = "erased:";

/// Prefix for a system that may have received the lead, to notify of a changed phone number or mark as do-not-contact.
/// `NAME#NUMBER` follows, because several changes may need several notices.
pub const UPDATED: &str = "updated:";

/// The webhook that a notice of an update or of an erasure goes to. `None` for other recipients.
pub fn notified_webhook(recipient: &str) -> Option<&str> {
    let updated = || recipient.strip_prefix(UPDATED)?.split('#').next();
    recipient.strip_prefix(ERASED).or_else(updated)
}

/// Prefixes of recipients that a request names instead of the routes, and that are claimed separately.
pub const REQUESTED: [&str; 5] = [PERSON, LOGIN, BROCHURE_TEST, WITHDRAWAL, ERASURE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_name_their_webhook() {
        for (recipient, webhook) in [
            ("updated:crm#12", Some("crm")),
            ("erased:crm", Some("crm")),
            ("webhook:crm", None),
            ("person:Mei#1", None),
            ("sales@zyongrand.example", None),
        ] {
            assert_eq!(notified_webhook(recipient), webhook, "{recipient}");
        }
    }
}
