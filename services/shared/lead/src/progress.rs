//! Where sales are with a lead.

use crate::contract_enum::contract_enum;

contract_enum! {
    /// A step of the work on a lead.
    #[derive(Default)]
    pub enum LeadState in "state" {
        /// The visitor has not been contacted.
        #[default]
        New = 1,
        /// The visitor was contacted.
        Contacted = 2,
        /// The visitor will visit, or has visited, the show flat.
        VisitBooked = 3,
        /// No work is left.
        Closed = 4,
        /// Not a real enquiry.
        Invalid = 5,
    }
}

contract_enum! {
    /// Why a lead was closed.
    pub enum ClosingReason in "closing_reason" {
        /// The visitor bought a home here.
        Bought = 1,
        /// The visitor bought elsewhere.
        BoughtElsewhere = 2,
        /// The visitor does not want to buy.
        NotInterested = 3,
        /// The visitor never answered.
        Unreachable = 4,
        /// Another reason, which a note may give.
        Other = 5,
    }
}
