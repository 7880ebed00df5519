//! Finds other leads of the same person, mailbox or phone number.

use contracts::crm::v1 as crm;
use lead::{Interest, field::timestamp};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect,
    prelude::{Expr, Uuid},
    sea_query::{ExprTrait, Order},
};

use crate::{db::Result, leads::row};

const LIMIT: u64 = 50;
const SAME_NUMBER: usize = 10;

/// Maximum number of rows read for a page of leads. Bounds the cost of a number with many leads.
const SAME_NUMBER_ROWS: u64 = 1000;

/// Whose leads with the same number [`same_number`] lists.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// Other people, matched by address, or by number and name.
    People,
    /// Other mailboxes, also of the same person. A stranger may have entered the person's name and number.
    Mailboxes,
}

impl Others {
    fn include(self, own: &row::Model, other: &SameNumber) -> bool {
        match self {
            Self::People => own.contact_id.is_some_and(|id| id != other.contact_id),
            Self::Mailboxes => own.mailbox != other.mailbox,
        }
    }
}

#[derive(FromQueryResult)]
struct SameNumber {
    digits: String,
    contact_id: Uuid,
    mailbox: String,
    reference: String,
}

/// For each lead, references of others' leads with the same phone number: newest first, at most [`SAME_NUMBER`].
pub(crate) async fn same_number(
    connection: &impl ConnectionTrait,
    leads: &[row::Model],
    others: Others,
) -> Result<Vec<Vec<String>>> {
    // Only leads with a valid number have a number key.
    let has_number = |lead: &&row::Model| !lead.number_key.is_empty();
    let numbers = leads.iter().filter(has_number);
    let rows: Vec<SameNumber> = row::Entity::find()
        .select_only()
        .columns([
            row::Column::Digits,
            row::Column::ContactId,
            row::Column::Mailbox,
            row::Column::Reference,
        ])
        .filter(row::Column::Digits.is_in(numbers.map(|lead| lead.digits.as_str())))
        // Excludes erased leads and canaries.
        .filter(row::Column::ContactId.is_not_null())
        .order_by_desc(row::Column::SubmittedAt)
        .limit(SAME_NUMBER_ROWS)
        .into_model()
        .all(connection)
        .await?;
    let references = |lead: &row::Model| {
        rows.iter()
            .filter(|row| has_number(&lead) && row.digits == lead.digits)
            .filter(|row| others.include(lead, row))
            .map(|row| row.reference.clone())
            .take(SAME_NUMBER)
            .collect()
    };
    Ok(leads.iter().map(references).collect())
}

/// The other leads of a person, newest first, at most 50.
pub(crate) async fn find_others_of_person(
    connection: &impl ConnectionTrait,
    lead: &row::Model,
) -> Result<Vec<crm::RelatedLead>> {
    let Some(contact) = lead.contact_id else {
        return Ok(Vec::new());
    };
    // Erased leads have no contact.
    let is_other = row::Column::ContactId
        .eq(contact)
        .and(row::Column::Id.ne(lead.id));
    find(connection, is_other, Order::Desc).await
}

/// The leads of the same mailbox that were submitted before a lead, oldest first, at most 50. Emails quote them, so leads
/// of other mailboxes with the same name and number do not count: they may be a stranger's.
pub(crate) async fn find_earlier_of_mailbox(
    connection: &impl ConnectionTrait,
    lead: &row::Model,
) -> Result<Vec<crm::RelatedLead>> {
    let is_earlier = row::Column::Mailbox
        .eq(lead.mailbox.as_str())
        .and(row::Column::ErasedAt.is_null())
        .and(row::Column::SubmittedAt.lt(lead.submitted_at))
        .and(row::Column::Id.ne(lead.id));
    find(connection, is_earlier, Order::Asc).await
}

async fn find(
    connection: &impl ConnectionTrait,
    which: Expr,
    order: Order,
) -> Result<Vec<crm::RelatedLead>> {
    let rows = row::Entity::find()
        .filter(which)
        .order_by(row::Column::SubmittedAt, order.clone())
        .order_by(row::Column::Id, order)
        .limit(LIMIT)
        .all(connection)
        .await?;
    let to_message = |row: row::Model| crm::RelatedLead {
        lead_id: row.id.to_string(),
        submitted_at: Some(timestamp(row.submitted_at)),
        interests: row::interests(&row.interests)
            .into_iter()
            .map(Interest::number)
            .collect(),
        state: row.progress().state,
        reference: row.reference,
    };
    Ok(rows.into_iter().map(to_message).collect())
}
