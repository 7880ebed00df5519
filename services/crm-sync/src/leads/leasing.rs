//! Rows of `lead`, as far as they say whether something is still to be delivered, and what may be kept of the lead.

use sea_orm::entity::prelude::*;

use crate::leads::lead;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "lead")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub recorded_at: DateTimeUtc,
    pub source: String,
    /// Whether something is still to be delivered.
    pub open: bool,
    pub leased_until: Option<DateTimeUtc>,
    pub leases: i32,
    pub contact_id: Option<Uuid>,
    pub signals: String,
    pub erased_at: Option<DateTimeUtc>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// Whether the lead was erased; a canary is only hidden.
    pub(crate) fn is_erased(&self) -> bool {
        self.erased_at.is_some() && self.signals != lead::CANARY
    }
}
