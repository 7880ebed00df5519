//! Rows of `contact_key`: the person that an e-mail address or telephone number belongs to.

use std::fmt;

use sea_orm::entity::prelude::*;
use serde::Serialize;

#[derive(Clone, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[sea_orm(table_name = "contact_key")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub value: String,
    pub contact_id: Uuid,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Required by sea-orm; omits personal data.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("contact_key").field("kind", &self.kind).finish_non_exhaustive()
    }
}
