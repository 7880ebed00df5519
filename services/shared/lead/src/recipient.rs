//! How the recipients of a lead are named that are not addresses of the sales team.

/// The visitor, who is thanked. Replaces their address, so that no address is stored twice.
pub const VISITOR: &str = "visitor";

/// The visitor, who gets the brochure.
pub const BROCHURE: &str = "brochure";

/// Begins the name of a system.
pub const WEBHOOK: &str = "webhook:";

/// Begins the name of a person of the routes whom somebody asked to have mailed; `NAME#NUMBER` follows, as one mail must be
/// told from another.
pub const PERSON: &str = "person:";
