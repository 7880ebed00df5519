//! Marks visitors as not to be contacted. A link in an email proves control of one mailbox, so a withdrawal marks the
//! leads of that mailbox. A salesperson has spoken with the visitor, so a mark by sales covers all leads of the person.
//! Suppressions, keyed hashes of the mailboxes and phone numbers, survive an erasure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use contracts::leads::v1::LeadWithdrawn;
use lead::{
    EmailKey, FieldError, NoticeKind, PhoneNumber,
    field::{optional_text, required_time, uuid},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter,
    QuerySelect, Set,
    prelude::{DateTimeUtc, Expr, Uuid},
    sea_query::OnConflict,
};

use super::{
    keys::Keys,
    lock::{SUPPRESSION_LOCK, lock_mailbox},
};
use crate::{
    db::{
        Result, Store,
        error::StoreError,
        suppression_key::{HASH_LENGTH, SuppressionKey},
        transaction::{Purpose, Transaction, chunks},
    },
    deliveries::request,
    error::Invalid,
    leads::{
        row,
        timeline::{self, Event, entry},
    },
};

/// A visitor's withdrawal of consent.
pub(crate) struct Withdrawal {
    pub(crate) lead_id: Uuid,
    pub(crate) withdrawn_at: DateTimeUtc,
    /// The mailbox that received the link. `None` if the email went to the submitted address.
    pub(crate) mailbox_hash: Option<String>,
    pub(crate) erasure_requested: bool,
}

/// The author of a withdrawal in timelines.
const VISITOR: &str = "visitor";

impl Withdrawal {
    pub(crate) fn parse(message: Option<LeadWithdrawn>) -> Result<Self, Invalid> {
        let message = message.ok_or(FieldError::Missing("withdrawal"))?;
        Ok(Self {
            lead_id: uuid("lead_id", &message.lead_id)?,
            withdrawn_at: required_time("withdrawn_at", message.withdrawn_at)?,
            mailbox_hash: Some(optional_text(
                "mailbox_hash",
                &message.mailbox_hash,
                HASH_LENGTH,
            )?)
            .filter(|hash| !hash.is_empty()),
            erasure_requested: message.erasure_requested,
        })
    }

    async fn apply(&self, tx: &Transaction) -> Result<()> {
        tx.advisory_lock(SUPPRESSION_LOCK).await?;
        let Some(mailbox_hash) = self.find_mailbox(tx).await? else {
            return Ok(());
        };
        let locked = lock_mailbox(tx, &mailbox_hash).await?;
        let leads: Vec<&row::Model> = locked.leads().collect();
        let since = Ord::min(self.withdrawn_at, tx.now().await?);
        // The mailbox may have no lead that is not erased.
        let mailbox = suppression::Model::from_mailbox(&mailbox_hash, since, Some(since));
        insert_suppressions(tx, &[mailbox]).await?;
        let marked = mark(tx, &leads, since, Some(since), VISITOR).await?;
        let requesting = self.add_erasure_request(tx, &leads).await?;
        // The email about an erasure request also reports the withdrawal.
        let kind = if requesting.is_empty() {
            NoticeKind::Withdrawal
        } else {
            NoticeKind::Erasure
        };
        let is_news = |row: &&row::Model| marked.contains(&row.id) || requesting.contains(&row.id);
        let news: Vec<&row::Model> = leads.into_iter().filter(is_news).collect();
        request::notify_sales(tx, &news, self.lead_id, kind).await
    }

    /// The hash of the mailbox that received the link. `None` if the lead was erased before it was stored.
    async fn find_mailbox(&self, tx: &Transaction) -> Result<Option<String>> {
        let lead = row::Entity::find_by_id(self.lead_id).one(&tx.db).await?;
        let lead = lead.filter(|row| row.erased_at.is_none() || row.is_erased());
        let lead = lead.ok_or(StoreError::NoSuchLead(self.lead_id))?;
        let submitted = lead.submitted_mailbox_hash();
        let mailbox_hash = self.mailbox_hash.as_deref().unwrap_or(submitted);
        Ok(Some(mailbox_hash.to_owned()).filter(|hash| !hash.is_empty()))
    }

    /// Adds the erasure request to those leads that do not have one. Returns these leads.
    async fn add_erasure_request(
        &self,
        tx: &Transaction,
        leads: &[&row::Model],
    ) -> Result<BTreeSet<Uuid>> {
        if !self.erasure_requested {
            return Ok(BTreeSet::new());
        }
        let is_new = |row: &&&row::Model| row.erasure_requested_at.is_none();
        let ids: Vec<Uuid> = leads.iter().filter(is_new).map(|row| row.id).collect();
        let columns = row::ActiveModel {
            erasure_requested_at: Set(Some(tx.now().await?)),
            ..Default::default()
        };
        row::update(tx, &ids, columns).await?;
        let requested = Event::ErasureRequested(entry::ErasureRequested {});
        timeline::add(tx, &ids, &requested).await?;
        Ok(ids.into_iter().collect())
    }
}

impl Store {
    /// Marks the leads of the mailbox that received the link, suppresses the mailbox, and notifies the sales team once.
    /// Leads of other mailboxes stay unchanged, even with the same name and number. The lead of the link may be erased.
    pub(crate) async fn withdraw(&self, withdrawal: &Withdrawal) -> Result<()> {
        let purpose = Purpose::of_person("withdraw lead");
        self.write(purpose, |tx| async move { withdrawal.apply(&tx).await })
            .await
    }
}

/// Marks leads as not to be contacted since a time. Suppresses their mailboxes, and their numbers unless other leads have
/// the number. The suppressions store the withdrawal that caused the mark, if any. Returns the leads that were not marked
/// before. The transaction must hold [`SUPPRESSION_LOCK`] and have locked the leads.
pub(crate) async fn mark(
    tx: &Transaction,
    leads: &[&row::Model],
    since: DateTimeUtc,
    withdrawn_at: Option<DateTimeUtc>,
    author: &str,
) -> Result<BTreeSet<Uuid>> {
    let unmarked = leads.iter().filter(|row| row.do_not_contact_at.is_none());
    let marked: BTreeSet<Uuid> = unmarked.map(|row| row.id).collect();
    set_mark(tx, &marked, Some(since), author).await?;
    let numbers = NumbersByText::read(leads);
    let shared = find_shared_numbers(tx, leads, &numbers).await?;
    // Sorted to prevent deadlocks.
    let mut suppressions = BTreeMap::new();
    for row in leads {
        let mailbox = suppression::Model::from_mailbox(&row.mailbox_hash, since, withdrawn_at);
        let numbers = numbers.of_lead(row).map(|number| suppression::Model {
            hash: tx.suppression.hash_number(number),
            shared: shared.contains(number.digits()),
            ..mailbox.clone()
        });
        for suppression in [mailbox.clone()].into_iter().chain(numbers) {
            let key = (suppression.hash.clone(), suppression.mailbox_hash.clone());
            suppressions.insert(key, suppression);
        }
    }
    let suppressions: Vec<suppression::Model> = suppressions.into_values().collect();
    insert_suppressions(tx, &suppressions).await?;
    Ok(marked)
}

/// Allows contact again with the visitor of one mailbox: clears the marks of its leads among `leads`, and deletes the
/// suppressions that they set. Requires the same locks as [`mark`].
pub(crate) async fn allow(
    tx: &Transaction,
    leads: &[&row::Model],
    mailbox_hash: &str,
    author: &str,
) -> Result<()> {
    let marked = leads
        .iter()
        .filter(|row| row.mailbox_hash == mailbox_hash && row.do_not_contact_at.is_some());
    let allowed: BTreeSet<Uuid> = marked.map(|row| row.id).collect();
    set_mark(tx, &allowed, None, author).await?;
    suppression::Entity::delete_many()
        .filter(suppression::Column::MailboxHash.eq(mailbox_hash))
        .exec(&tx.db)
        .await?;
    // The previous version did not store which mailbox set a suppression.
    let of_mailbox = leads.iter().copied();
    let of_mailbox = of_mailbox.filter(|row| row.mailbox_hash == mailbox_hash);
    let numbers = NumbersByText::read(&of_mailbox.collect::<Vec<_>>());
    let hashes: BTreeSet<String> = numbers
        .all()
        .map(|number| tx.suppression.hash_number(number))
        .chain([mailbox_hash.to_owned()])
        .collect();
    for hashes in chunks(&Vec::from_iter(hashes)) {
        suppression::Entity::delete_many()
            .filter(suppression::Column::MailboxHash.eq(""))
            .filter(suppression::Column::Hash.is_in(hashes.iter().cloned()))
            .exec(&tx.db)
            .await?;
    }
    Ok(())
}

/// Sets or clears the mark of leads, adds the change to their timelines, and notifies their webhooks.
async fn set_mark(
    tx: &Transaction,
    leads: &BTreeSet<Uuid>,
    since: Option<DateTimeUtc>,
    author: &str,
) -> Result<()> {
    let ids: Vec<Uuid> = leads.iter().copied().collect();
    let changed_at = tx.time_after_locks().await?;
    let columns = row::ActiveModel {
        do_not_contact_at: Set(since),
        contact_changed_at: Set(Some(changed_at)),
        ..Default::default()
    };
    row::update(tx, &ids, columns).await?;
    request::notify_of_updates(tx, &ids).await?;
    let changed = Event::ContactChanged(entry::ContactChanged {
        allowed: since.is_none(),
        client: author.to_owned(),
    });
    timeline::add(tx, &ids, &changed).await
}

/// Existing suppressions keep their times. A withdrawal is added to the suppression that sales set before.
async fn insert_suppressions(tx: &Transaction, rows: &[suppression::Model]) -> Result<()> {
    let withdrawn_at = Expr::cust("COALESCE(suppression.withdrawn_at, excluded.withdrawn_at)");
    let existing =
        OnConflict::columns([suppression::Column::Hash, suppression::Column::MailboxHash])
            .value(suppression::Column::WithdrawnAt, withdrawn_at)
            .to_owned();
    for rows in chunks(rows) {
        let rows = rows.iter().map(|row| row.clone().into_active_model());
        suppression::Entity::insert_many(rows)
            .on_conflict(existing.clone())
            .exec_without_returning(&tx.db)
            .await?;
    }
    Ok(())
}

/// The digits of those numbers of the leads that other leads have too.
async fn find_shared_numbers(
    tx: &Transaction,
    leads: &[&row::Model],
    numbers: &NumbersByText<'_>,
) -> Result<BTreeSet<String>> {
    let own: BTreeSet<Uuid> = leads.iter().map(|row| row.id).collect();
    let numbers: BTreeSet<String> = numbers
        .all()
        .map(|number| number.digits().to_owned())
        .collect();
    let numbers: Vec<String> = numbers.into_iter().collect();
    let mut shared = BTreeSet::new();
    for numbers in chunks(&numbers) {
        let carriers: Vec<(Uuid, String)> = row::select_ids()
            .column(row::Column::Digits)
            .filter(row::Column::Digits.is_in(numbers.iter().cloned()))
            .filter(row::Column::ErasedAt.is_null())
            .into_tuple()
            .all(&tx.db)
            .await?;
        let others = carriers.into_iter().filter(|(id, _)| !own.contains(id));
        shared.extend(others.map(|(_, digits)| digits));
    }
    Ok(shared)
}

/// The current and the earlier numbers of a lead. The earlier ones may be other numbers of the visitor.
fn numbers_of(row: &row::Model) -> impl Iterator<Item = PhoneNumber> {
    number_texts(row).flat_map(PhoneNumber::find_all)
}

fn number_texts(row: &row::Model) -> impl Iterator<Item = &str> {
    let earlier = row.earlier.iter().flat_map(|earlier| &earlier.mobile);
    [&row.mobile].into_iter().chain(earlier).map(String::as_str)
}

/// The current and the earlier numbers of leads. Parses each text once, because parsing is slow, and the leads of a person
/// mostly have the same text.
pub(crate) struct NumbersByText<'l>(HashMap<&'l str, Vec<PhoneNumber>>);

impl<'l> NumbersByText<'l> {
    pub(crate) fn read(leads: &[&'l row::Model]) -> Self {
        let texts: BTreeSet<&str> = leads.iter().flat_map(|row| number_texts(row)).collect();
        let numbers = texts.into_iter();
        Self(
            numbers
                .map(|text| (text, PhoneNumber::find_all(text)))
                .collect(),
        )
    }

    fn of_lead(&self, row: &row::Model) -> impl Iterator<Item = &PhoneNumber> {
        number_texts(row)
            .filter_map(|text| self.0.get(text))
            .flatten()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &PhoneNumber> {
        self.0.values().flatten()
    }
}

/// Ends the suppression of the lead's numbers by its mailbox, because the lead moves to another mailbox. Sales still sees
/// that somebody with the number withdrew.
pub(super) async fn share_numbers(tx: &Transaction, lead: &row::Model) -> Result<()> {
    let numbers = numbers_of(lead).map(|number| tx.suppression.hash_number(&number));
    suppression::Entity::update_many()
        .col_expr(suppression::Column::Shared, Expr::value(true))
        .filter(suppression::Column::MailboxHash.eq(lead.mailbox_hash.as_str()))
        .filter(suppression::Column::Hash.is_in(numbers))
        .exec(&tx.db)
        .await?;
    Ok(())
}

/// Whether the visitor of the mailbox has withdrawn consent.
pub(super) async fn has_withdrawn(tx: &Transaction, mailbox_hash: &str) -> Result<bool> {
    let withdrawals = suppression::Entity::find()
        .filter(suppression::Column::Hash.eq(mailbox_hash))
        .filter(suppression::Column::MailboxHash.is_in([mailbox_hash, ""]))
        .filter(suppression::Column::WithdrawnAt.is_not_null());
    Ok(withdrawals.count(&tx.db).await? > 0)
}

/// Returns the times since which the visitors of new leads must not be contacted. A shared number does not count.
pub(crate) async fn find_since(
    tx: &Transaction,
    leads: &[(Uuid, &Keys)],
) -> Result<HashMap<Uuid, DateTimeUtc>> {
    let hashes = leads.iter().flat_map(|(lead, keys)| {
        let mailbox = tx.suppression.hash_mailbox(&keys.email);
        let numbers = keys
            .numbers
            .iter()
            .map(|number| tx.suppression.hash_number(number));
        [mailbox]
            .into_iter()
            .chain(numbers)
            .map(move |hash| (hash, *lead))
    });
    let hashes: Vec<(String, Uuid)> = hashes.collect();
    let mut found = HashMap::new();
    for part in chunks(&hashes) {
        let any = part.iter().map(|(hash, _)| hash.as_str());
        let rows = suppression::Entity::find()
            .filter(suppression::Column::Hash.is_in(any))
            .filter(suppression::Column::Shared.eq(false));
        for row in rows.all(&tx.db).await? {
            for (_, lead) in hashes.iter().filter(|(hash, _)| *hash == row.hash) {
                let since = found.entry(*lead).or_insert(row.since);
                *since = Ord::min(row.since, *since);
            }
        }
    }
    Ok(found)
}

/// When the visitor of a marked lead withdrew consent: the last withdrawal of its mailbox, also of one before a correction,
/// or of its numbers unless they were shared. `None` if only sales set the mark.
pub(crate) async fn find_withdrawal(
    connection: &impl ConnectionTrait,
    key: &SuppressionKey,
    lead: &row::Model,
) -> Result<Option<DateTimeUtc>> {
    if lead.do_not_contact_at.is_none() {
        return Ok(None);
    }
    let numbers = numbers_of(lead).map(|number| key.hash_number(&number));
    // A correction of the address must not replace the note about the new consent.
    let earlier_emails = lead.earlier.iter().flat_map(|earlier| &earlier.email);
    let earlier_mailboxes = earlier_emails.map(|email| key.hash_mailbox(&EmailKey::new(email)));
    let hashes = numbers
        .chain([lead.mailbox_hash.clone()])
        .chain(earlier_mailboxes);
    let rows = suppression::Entity::find()
        .filter(suppression::Column::Hash.is_in(hashes))
        .filter(suppression::Column::Shared.eq(false))
        .all(connection)
        .await?;
    Ok(rows.iter().filter_map(|row| row.withdrawn_at).max())
}

/// For each lead, when the visitor of another mailbox with the lead's number last asked not to be contacted.
pub(crate) async fn find_number_withdrawals(
    connection: &impl ConnectionTrait,
    key: &SuppressionKey,
    leads: &[row::Model],
) -> Result<Vec<Option<DateTimeUtc>>> {
    let hashes_of = |lead: &row::Model| {
        let numbers = PhoneNumber::find_all(&lead.mobile);
        numbers
            .iter()
            .map(|number| key.hash_number(number))
            .collect()
    };
    let hashes: Vec<Vec<String>> = leads.iter().map(hashes_of).collect();
    let rows = suppression::Entity::find()
        .filter(suppression::Column::Hash.is_in(hashes.iter().flatten().cloned()))
        .all(connection)
        .await?;
    let last = |(lead, hashes): (&row::Model, &Vec<String>)| {
        let of_numbers = rows.iter().filter(|row| hashes.contains(&row.hash));
        of_numbers
            .filter(|row| row.mailbox_hash != lead.mailbox_hash)
            .map(|row| row.since)
            .max()
    };
    Ok(leads.iter().zip(&hashes).map(last).collect())
}

mod suppression {
    use sea_orm::entity::prelude::*;

    use crate::db::Relation;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, DeriveActiveModelBehavior)]
    #[sea_orm(table_name = "suppression")]
    pub(crate) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub hash: String,
        /// The mailbox whose leads set the suppression. Empty in rows of the previous version.
        #[sea_orm(primary_key, auto_increment = false)]
        pub mailbox_hash: String,
        pub since: DateTimeUtc,
        /// When the visitor withdrew consent. `None` if only sales set the suppression.
        pub withdrawn_at: Option<DateTimeUtc>,
        /// Whether leads of other mailboxes had the number.
        pub shared: bool,
    }

    impl Model {
        /// The suppression of a mailbox, set by its own leads.
        pub(super) fn from_mailbox(
            mailbox_hash: &str,
            since: DateTimeUtc,
            withdrawn_at: Option<DateTimeUtc>,
        ) -> Self {
            Self {
                hash: mailbox_hash.to_owned(),
                mailbox_hash: mailbox_hash.to_owned(),
                since,
                withdrawn_at,
                shared: false,
            }
        }
    }
}
