//! Maps the columns of `lead` that concern deliveries and erasure.

use sea_orm::entity::prelude::*;

use crate::leads::lead;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "lead")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub recorded_at: DateTimeUtc,
    pub source: String,
    /// Whether a delivery is pending, claimed or deferred, or none is known yet.
    pub open: bool,
    pub leased_until: Option<DateTimeUtc>,
    pub leases: i32,
    /// Whether the brochure was asked for, for whichever lead of the address, or came with an acknowledgement. A lead that
    /// came later does not know.
    pub brochure: bool,
    pub email_key: String,
    pub contact_id: Option<Uuid>,
    pub signals: String,
    pub do_not_contact_at: Option<DateTimeUtc>,
    pub erased_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Whether the lead was erased. Canaries have `erased_at` too, but are only hidden.
    pub(crate) fn is_erased(&self) -> bool {
        self.erased_at.is_some() && self.signals != lead::CANARY
    }
}
