//! Stores conflicts: leads with the id of a stored lead and different contents.

use std::collections::HashMap;

use lead::Lead;
use sea_orm::{QueryOrder, Set, entity::prelude::*};
use serde_json::json;

use super::{keys::Keys, lock::lock_leads, source::Source};
use crate::{
    db::{
        Relation, Result,
        error::StoreError,
        transaction::{Transaction, chunks},
    },
    leads::{
        row,
        timeline::{self, Event, entry},
    },
};

/// sea-orm requires `Debug`, which omits personal data.
#[derive(Clone, PartialEq, derive_more::Debug, DeriveEntityModel, DeriveActiveModelBehavior)]
#[debug("conflict {lead_id}")]
#[sea_orm(table_name = "conflict")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub number: i64,
    pub lead_id: Uuid,
    pub recorded_at: DateTimeUtc,
    pub source: String,
    /// See [`EmailKey::mailbox`](lead::EmailKey::mailbox).
    pub mailbox: String,
    pub digits: String,
    /// A [`Lead`] as JSON.
    pub contents: Json,
}

/// Stores leads that differ from the stored lead and from its earlier conflicts. Returns their number.
pub(crate) async fn insert_new(tx: &Transaction, source: Source, leads: &[&Lead]) -> Result<u64> {
    let ids: Vec<Uuid> = leads.iter().map(|submission| submission.id).collect();
    let rows = row::load(tx, &ids).await?;
    let kept = rows.into_iter().filter(|row| row.erased_at.is_none());
    let stored: HashMap<Uuid, row::Model> = kept.map(|row| (row.id, row)).collect();
    let mut different: Vec<&Lead> = Vec::new();
    for submission in leads {
        if let Some(row) = stored.get(&submission.id)
            && !row.has_same_form(submission)?
        {
            different.push(submission);
        }
    }
    if different.is_empty() {
        return Ok(0);
    }
    let ids: Vec<_> = different.iter().map(|submission| submission.id).collect();
    let locked = lock_leads(tx, &ids).await?;
    // Leads may have been erased while the transaction waited for the locks.
    different.retain(|submission| locked.lead(submission.id).is_ok());
    let kept = find_by_leads(&tx.db, &ids).await?;
    let mut new: Vec<&Lead> = Vec::new();
    for submission in different {
        if !kept
            .iter()
            .chain(new.iter().copied())
            .any(|known| known.has_same_form(submission))
        {
            new.push(submission);
        }
    }
    let rows = new.iter().map(|submission| {
        let keys = Keys::from_lead(submission);
        ActiveModel {
            lead_id: Set(submission.id),
            source: Set(source.into_str().to_owned()),
            mailbox: Set(keys.email.mailbox()),
            digits: Set(keys.digits),
            contents: Set(json!(submission)),
            ..Default::default()
        }
    });
    let rows: Vec<ActiveModel> = rows.collect();
    for rows in chunks(&rows) {
        Entity::insert_many(rows.iter().cloned())
            .exec_without_returning(&tx.db)
            .await?;
    }
    let conflicting = Event::Conflicting(entry::Conflicting {});
    let ids: Vec<Uuid> = new.iter().map(|submission| submission.id).collect();
    timeline::add(tx, &ids, &conflicting).await?;
    Ok(new.len() as u64)
}

/// The conflicts under these ids, of one page or batch, oldest first.
pub(crate) async fn find_by_leads(
    connection: &impl ConnectionTrait,
    ids: &[Uuid],
) -> Result<Vec<Lead>> {
    let select = Entity::find().filter(Column::LeadId.is_in(ids.iter().copied()));
    let rows = select
        .order_by_asc(Column::Number)
        .all(connection)
        .await?
        .into_iter();
    let contents = rows.map(|row| serde_json::from_value(row.contents));
    contents
        .collect::<Result<_, _>>()
        .map_err(|_| StoreError::Unreadable("conflict.contents"))
}
