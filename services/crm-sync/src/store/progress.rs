//! How far sales have come with a lead.

use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, sea_query::Expr};

use super::{
    Store, StoreError,
    entity::{lead, timeline},
    lock::lock,
    transaction::{UnitOfWork, now},
};
use crate::domain::{
    contact::name_key,
    progress::{Change, Progress},
};

impl Store {
    /// Says how far sales have come with a lead, or whose it is, and how it stands then; none when there is no such lead.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was changed, or it is not known whether it was: said twice it counts once.
    pub async fn progress(&self, change: &Change) -> Result<Option<Progress>, StoreError> {
        self.transact(change).await
    }
}

impl UnitOfWork for Change {
    const NAME: &'static str = "set state";

    type Outcome = Option<Progress>;

    async fn perform(&self, transaction: &DatabaseTransaction) -> Result<Option<Progress>, StoreError> {
        if !lock(transaction, &[self.lead_id]).await?.is_there(self.lead_id) {
            return Ok(None);
        }
        let row = lead::Entity::find_by_id(self.lead_id).one(transaction).await?;
        let Some(before) = row.map(|row| row.progress()).transpose()? else { return Ok(None) };
        let Some(after) = before.after(self, now(transaction).await?) else { return Ok(Some(before)) };
        lead::Entity::update_many()
            .col_expr(lead::Column::State, Expr::value(after.state.tag()))
            .col_expr(lead::Column::Owner, Expr::value(after.owner.as_str()))
            .col_expr(lead::Column::OwnerKey, Expr::value(name_key(&after.owner)))
            .col_expr(lead::Column::ChangedAt, Expr::value(after.changed_at))
            .col_expr(lead::Column::ChangedBy, Expr::value(after.changed_by.as_str()))
            .col_expr(lead::Column::ContactedAt, Expr::value(after.contacted_at))
            .filter(lead::Column::Id.eq(self.lead_id))
            .exec(transaction)
            .await?;
        let entry = timeline::progressed(self.lead_id, &after);
        timeline::Entity::insert(entry).exec_without_returning(transaction).await?;
        Ok(Some(after))
    }
}
