//! Finds other leads of the same person.

use ::lead::Interest;

use crate::db::prelude::*;

const LIMIT: u64 = 50;
const SAME_NUMBER: usize = 10;

/// Maximum number of rows read for a page of leads. Bounds the cost of a number with many leads.
const SAME_NUMBER_ROWS: u64 = 1000;

/// For each lead, references of other people's leads with the same phone number: newest first, at most [`SAME_NUMBER`].
pub(crate) async fn same_number(
    connection: &impl ConnectionTrait,
    leads: &[lead::Model],
) -> Result<Vec<Vec<String>>> {
    // Only leads with a valid number have a number key.
    let has_number = |lead: &&lead::Model| !lead.number_key.is_empty();
    let rows: Vec<(String, Uuid, String)> = lead::Entity::find()
        .select_only()
        .columns([
            lead::Column::Digits,
            lead::Column::ContactId,
            lead::Column::Reference,
        ])
        .filter(
            lead::Column::Digits.is_in(
                leads
                    .iter()
                    .filter(has_number)
                    .map(|lead| lead.digits.as_str()),
            ),
        )
        // Excludes erased leads and canaries.
        .filter(lead::Column::ContactId.is_not_null())
        .order_by_desc(lead::Column::SubmittedAt)
        .limit(SAME_NUMBER_ROWS)
        .into_tuple()
        .all(connection)
        .await?;
    let of_others = |lead: &lead::Model| {
        let others = rows.iter().filter(|(digits, contact, _)| {
            has_number(&lead)
                && *digits == lead.digits
                && lead.contact_id.is_some_and(|own| own != *contact)
        });
        others
            .map(|(_, _, reference)| reference.clone())
            .take(SAME_NUMBER)
            .collect()
    };
    Ok(leads.iter().map(of_others).collect())
}

/// The leads of a person that meet a condition, at most 50.
pub(crate) async fn find_by_contact(
    connection: &impl ConnectionTrait,
    contact: Uuid,
    which: Expr,
    order: Order,
) -> Result<Vec<crm::RelatedLead>> {
    let rows = lead::Entity::find()
        // Erased leads have no contact.
        .filter(lead::Column::ContactId.eq(contact))
        .filter(which)
        .order_by(lead::Column::SubmittedAt, order.clone())
        .order_by(lead::Column::Id, order)
        .limit(LIMIT)
        .all(connection)
        .await?;
    rows.into_iter()
        .map(|row| {
            Ok(crm::RelatedLead {
                lead_id: row.id.to_string(),
                submitted_at: Some(timestamp(row.submitted_at)),
                interests: lead::interests(&row.interests)
                    .into_iter()
                    .map(Interest::number)
                    .collect(),
                state: row.progress()?.state,
                reference: row.reference,
            })
        })
        .collect()
}
