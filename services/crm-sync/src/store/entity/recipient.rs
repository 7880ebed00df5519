//! Rows of `recipient`.

use std::fmt;

use sea_orm::{ActiveValue::NotSet, Set, entity::prelude::*};

use crate::{
    domain::ledger::State,
    store::{entity::by_tag, error::StoreError},
};

#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recipient")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub lead_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub recipient: String,
    pub state: String,
    /// Whose claim it is; empty unless held.
    pub holder: String,
    /// When the claim, or the wait, is over.
    pub until: Option<DateTimeUtc>,
    /// How many claims were granted.
    pub attempts: i32,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// sea-orm asks for it; addresses stay out.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("recipient").field("lead_id", &self.lead_id).finish_non_exhaustive()
    }
}

/// A row to insert of somebody whom nobody has tried yet, or who was told.
pub(in crate::store) fn to_row(lead_id: Uuid, recipient: &str, state: State) -> ActiveModel {
    ActiveModel {
        lead_id: Set(lead_id),
        recipient: Set(recipient.to_owned()),
        state: Set(state.tag().to_owned()),
        holder: NotSet,
        until: NotSet,
        attempts: NotSet,
    }
}

impl Model {
    /// What the column `state` says.
    pub(in crate::store) fn state(&self) -> Result<State, StoreError> {
        by_tag(State::ALL, State::tag, &self.state).ok_or(StoreError::Unreadable("recipient.state"))
    }
}
