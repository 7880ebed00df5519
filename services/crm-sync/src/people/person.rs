//! Selects the leads of people, and finds the leads of other mailboxes that may be theirs.

use std::collections::{BTreeMap, BTreeSet};

use contracts::crm::v1 as crm;
use lead::{EmailKey, lookup_digits};
use sea_orm::{
    ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select,
    prelude::Uuid, sea_query::ExprTrait,
};

use crate::{
    db::{Result, Store, transaction::chunks, with_timeout},
    leads::{conflict, do_not_contact::NumbersByText, keys::Key, row as lead_row},
};

/// Fewer digits do not identify a person.
const FEWEST_DIGITS: usize = 5;

/// The person to export or erase. Does not implement `Debug`, because it contains personal data.
#[derive(Clone, PartialEq, Eq)]
pub enum Person {
    /// An address, which stands for all spellings of its mailbox.
    Email(EmailKey),
    /// The digits of a number, with its country code when known. Several people may share a number.
    Digits(String),
}

impl Person {
    /// Parses an email address, a phone number or at least 5 digits. Returns `None` for other texts.
    pub fn parse(typed: &str) -> Option<Self> {
        if typed.contains('@') {
            return Some(Self::Email(EmailKey::new(typed)));
        }
        let digits = lookup_digits(typed);
        (digits.len() >= FEWEST_DIGITS).then_some(Self::Digits(digits))
    }

    /// `None` for digits, which do not identify a contact.
    pub(crate) fn key(&self) -> Option<Key> {
        match self {
            Self::Email(email) => Some(Key::from_email(email)),
            Self::Digits(_) => None,
        }
    }

    /// `None` for digits.
    fn mailbox(&self) -> Option<String> {
        match self {
            Self::Email(email) => Some(email.mailbox()),
            Self::Digits(_) => None,
        }
    }

    /// `None` for an address.
    fn digits(&self) -> Option<&str> {
        match self {
            Self::Email(_) => None,
            Self::Digits(digits) => Some(digits),
        }
    }
}

impl Store {
    /// The ids of the leads that have a mailbox or number of the people, or a conflict with it, oldest first.
    pub async fn ids_of_people(&self, people: &[Person]) -> Result<Vec<Uuid>> {
        with_timeout(select_by_people(people).into_tuple().all(&self.reader)).await
    }

    /// The leads that belong to the contact of one of the leads `own` or have the number of one, also in a conflict, or that
    /// were submitted with a mailbox of the people and corrected later, without the leads `own`, oldest first. A stranger may
    /// have entered name and number, so somebody must decide.
    pub async fn find_possible_leads(
        &self,
        people: &[Person],
        own: &[Uuid],
    ) -> Result<Vec<crm::PossibleLead>> {
        let rows = self.find_rows(own).await?;
        let contacts: BTreeSet<Uuid> = rows.iter().filter_map(|row| row.contact_id).collect();
        let numbers = digits_of(&rows);
        let same_contact = self.ids_with_contact(contacts).await?;
        let same_number = self.ids_with_number(numbers).await?;
        let corrected_email = self.ids_submitted_by(people).await?;
        let mut ids = corrected_email.clone();
        ids.extend(same_contact.iter().chain(&same_number));
        for id in own {
            ids.remove(id);
        }
        let mut others = self.find_rows(&Vec::from_iter(ids)).await?;
        others.sort_by_key(|row| (row.submitted_at, row.id));
        let to_message = |row: lead_row::Model| crm::PossibleLead {
            lead_id: row.id.to_string(),
            same_contact: same_contact.contains(&row.id),
            same_number: same_number.contains(&row.id),
            corrected_email: corrected_email.contains(&row.id),
            reference: row.reference,
            email: row.email,
            name: row.name,
        };
        Ok(others.into_iter().map(to_message).collect())
    }

    /// The rows of those leads that are neither erased nor canaries.
    async fn find_rows(&self, ids: &[Uuid]) -> Result<Vec<lead_row::Model>> {
        let mut rows = BTreeMap::new();
        for ids in chunks(ids) {
            let found = lead_row::find(ids).filter(lead_row::Column::ErasedAt.is_null());
            let found = with_timeout(found.all(&self.reader)).await?;
            rows.extend(found.into_iter().map(|row| (row.id, row)));
        }
        Ok(rows.into_values().collect())
    }

    async fn ids_with_contact(&self, contacts: BTreeSet<Uuid>) -> Result<BTreeSet<Uuid>> {
        let contacts = Vec::from_iter(contacts);
        let mut ids = BTreeSet::new();
        for contacts in chunks(&contacts) {
            let select = lead_row::select_ids()
                .filter(lead_row::Column::ContactId.is_in(contacts.iter().copied()));
            ids.extend(with_timeout(select.into_tuple::<Uuid>().all(&self.reader)).await?);
        }
        Ok(ids)
    }

    async fn ids_submitted_by(&self, people: &[Person]) -> Result<BTreeSet<Uuid>> {
        let hashes = people.iter().filter_map(|person| match person {
            Person::Email(email) => Some(self.suppression.hash_mailbox(email)),
            Person::Digits(_) => None,
        });
        let select = lead_row::select_ids()
            .filter(lead_row::Column::SubmittedMailboxHash.is_in(hashes))
            .filter(lead_row::Column::ErasedAt.is_null());
        let ids = with_timeout(select.into_tuple::<Uuid>().all(&self.reader)).await?;
        Ok(ids.into_iter().collect())
    }

    async fn ids_with_number(&self, numbers: BTreeSet<String>) -> Result<BTreeSet<Uuid>> {
        let numbers = Vec::from_iter(numbers);
        let mut ids = BTreeSet::new();
        for numbers in chunks(&numbers) {
            let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
            let leads =
                lead_row::select_ids().filter(lead_row::Column::Digits.is_in(numbers.clone()));
            ids.extend(with_timeout(leads.into_tuple::<Uuid>().all(&self.reader)).await?);
            let conflicts = conflict::Entity::find()
                .select_only()
                .column(conflict::Column::LeadId)
                .filter(conflict::Column::Digits.is_in(numbers));
            ids.extend(with_timeout(conflicts.into_tuple::<Uuid>().all(&self.reader)).await?);
        }
        Ok(ids)
    }
}

/// The digits of the numbers of leads, as other leads with one of these numbers have them.
fn digits_of(leads: &[lead_row::Model]) -> BTreeSet<String> {
    let numbers = NumbersByText::read(&leads.iter().collect::<Vec<_>>());
    let typed = leads.iter().map(|row| &row.digits);
    let typed = typed.filter(|digits| digits.len() >= FEWEST_DIGITS);
    let of_numbers = numbers.all().map(|number| number.digits().to_owned());
    of_numbers.chain(typed.cloned()).collect()
}

pub(super) fn select_by_people(people: &[Person]) -> Select<lead_row::Entity> {
    let mailboxes: Vec<String> = people.iter().filter_map(Person::mailbox).collect();
    let digits: Vec<&str> = people.iter().filter_map(Person::digits).collect();
    let has_key = lead_row::Column::Mailbox
        .is_in(mailboxes.clone())
        .or(lead_row::Column::Digits.is_in(digits.clone()));
    let conflicts = conflict::Entity::find()
        .select_only()
        .column(conflict::Column::LeadId)
        .filter(
            conflict::Column::Mailbox
                .is_in(mailboxes)
                .or(conflict::Column::Digits.is_in(digits)),
        );
    let has_conflict = lead_row::Column::Id.in_subquery(conflicts.into_query());
    lead_row::select_ids()
        .filter(
            lead_row::Column::ErasedAt
                .is_null()
                .and(has_key)
                .or(has_conflict),
        )
        .order_by_asc(lead_row::Column::SubmittedAt)
        .order_by_asc(lead_row::Column::Id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_email_address_or_number() {
        let email = Person::parse(" Wei@Example.COM ");
        assert!(email == Some(Person::Email(EmailKey::new("wei@example.com"))));
        for typed in ["+6591234567", "9123 4567"] {
            assert!(
                Person::parse(typed) == Some(Person::Digits("6591234567".to_owned())),
                "{typed}"
            );
        }
        assert!(Person::parse("9123 4567 ext 1") == Some(Person::Digits("6591234567".to_owned())));
    }

    #[test]
    fn text_without_an_address_or_a_number_is_no_person() {
        for typed in ["", " ", "陈伟", "ZG-7F3K-2Q", "1234", "+"] {
            assert!(Person::parse(typed).is_none(), "{typed}");
        }
    }
}
