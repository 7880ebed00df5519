//! Names of a lead's recipients that are not addresses of the sales team.

/// The visitor, who is thanked. Replaces their address, so that no address is stored twice.
pub const VISITOR: &str = "visitor";

/// The visitor, who gets the brochure.
pub const BROCHURE: &str = "brochure";

/// Begins the name of a system.
pub const WEBHOOK: &str = "webhook:";

/// Begins the name of a person of the routes to whom somebody sends the lead; `NAME#NUMBER` follows, because each request
/// is a separate email.
pub const PERSON: &str = "person:";

/// Begins the name of a person of the routes who requests a link that logs in; `NAME#NUMBER` follows.
pub const LOGIN: &str = "login:";

/// Begins the name of a person of the routes who requests the brochure to look at; `NAME#NUMBER` follows.
pub const BROCHURE_TEST: &str = "brochure-test:";

/// Begins the name of a person of the routes, or an address, to be told once that the visitor withdrew their consent.
pub const WITHDRAWAL: &str = "withdrawal:";

/// Begins the name of a person of the routes, or an address, to be told once that the visitor requested erasure.
pub const ERASURE: &str = "erasure:";

/// Begins the name of a system that may have received the lead, to be told that it was erased. The only recipients of an
/// erased lead.
pub const ERASED: &str = "erased:";

/// Beginnings of recipients who are named by a request instead of the routes, and claimed separately.
pub const REQUESTED: [&str; 5] = [PERSON, LOGIN, BROCHURE_TEST, WITHDRAWAL, ERASURE];
