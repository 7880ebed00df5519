//! Storing leads and notifications: each once, the first stands.

use sea_orm::{EntityTrait, sea_query::OnConflict};

use super::{
    Store, StoreError,
    entity::{lead, notification},
    within,
};
use crate::domain::{lead::Submission, notification::Notification};

impl Store {
    /// Stores leads in one statement, all or none, and says how many were new.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was stored.
    pub async fn insert_leads(&self, submissions: &[Submission]) -> Result<u64, StoreError> {
        let mut ordered: Vec<_> = submissions.iter().collect();
        // In one order everywhere, so that two such statements cannot wait for each other.
        ordered.sort_by_key(|submission| submission.id);
        let known = OnConflict::column(lead::Column::Id).do_nothing().to_owned();
        let insert = lead::Entity::insert_many(ordered.into_iter().map(lead::to_row)).on_conflict(known);
        within(insert.exec_without_returning(&self.writer)).await
    }

    /// Stores notifications in one statement, all or none, and says how many were new.
    ///
    /// # Errors
    /// [`StoreError`]; nothing was stored.
    pub async fn insert_notifications(&self, notifications: &[Notification]) -> Result<u64, StoreError> {
        let mut ordered: Vec<_> = notifications.iter().collect();
        ordered.sort_by_key(|notification| (notification.lead_id, &notification.recipient));
        let key = [notification::Column::LeadId, notification::Column::Recipient];
        let known = OnConflict::columns(key).do_nothing().to_owned();
        let rows = ordered.into_iter().map(notification::to_row);
        let insert = notification::Entity::insert_many(rows).on_conflict(known);
        within(insert.exec_without_returning(&self.writer)).await
    }
}
