//! The statements of a report. Each reads the leads of the period once, by an index of their time.

use chrono::TimeDelta;
use lead::Recipient;
use sea_orm::{ConnectionTrait, FromQueryResult, Value, prelude::DateTimeUtc};

use super::period::Period;
use crate::{
    db::{Result, Store, sql, with_timeout},
    search::filter::{CAMPAIGN, REFERRER, SOURCE, VISIT_BOOKED},
};

/// A lead of the period that is neither erased, a canary nor suspected as spam.
const COUNTED: &str =
    "submitted_at >= $1 AND submitted_at < $2 AND erased_at IS NULL AND signals = '[]'";

/// Tolerance between the clocks of lead-intake and of the database: a visit is booked after the submission of its lead.
const CLOCK_SKEW: TimeDelta = TimeDelta::days(1);

/// Leads of one part of the period with equal interests.
#[derive(FromQueryResult)]
struct PartRow {
    part: i64,
    interests: String,
    kind: String,
    leads: i64,
}

/// What a row of `lead` counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Kind {
    Lead,
    Erased,
    Canary,
    Spam,
}

pub(super) struct PartGroup {
    /// The start of the part.
    pub(super) from: DateTimeUtc,
    pub(super) interests: String,
    pub(super) kind: Kind,
    pub(super) leads: u64,
}

/// Leads of one origin.
#[derive(FromQueryResult)]
pub(super) struct SourceGroup {
    pub(super) campaign: String,
    pub(super) utm_source: String,
    pub(super) referrer: String,
    pub(super) is_entered: bool,
    leads: i64,
    visits: i64,
}

impl SourceGroup {
    pub(super) fn leads(&self) -> u64 {
        self.leads.unsigned_abs()
    }

    pub(super) fn visits(&self) -> u64 {
        self.visits.unsigned_abs()
    }
}

/// Leads with equal wishes.
#[derive(FromQueryResult)]
pub(super) struct WishGroup {
    pub(super) plan: String,
    pub(super) interests: String,
    pub(super) language: String,
    pub(super) visit_times: String,
    pub(super) may_call: bool,
    leads: i64,
}

impl WishGroup {
    pub(super) fn leads(&self) -> u64 {
        self.leads.unsigned_abs()
    }
}

/// Leads of one owner in one state.
#[derive(FromQueryResult)]
pub(super) struct ProgressGroup {
    pub(super) state: String,
    pub(super) closing_reason: String,
    pub(super) owner_key: String,
    /// One of the spellings of the owner's name.
    pub(super) owner: String,
    leads: i64,
    contacted: i64,
    follow_ups: i64,
    overdue: i64,
}

impl ProgressGroup {
    pub(super) fn leads(&self) -> u64 {
        self.leads.unsigned_abs()
    }

    pub(super) fn contacted(&self) -> u64 {
        self.contacted.unsigned_abs()
    }

    pub(super) fn follow_ups(&self) -> u64 {
        self.follow_ups.unsigned_abs()
    }

    pub(super) fn overdue(&self) -> u64 {
        self.overdue.unsigned_abs()
    }
}

/// Leads of one owner that were first contacted after the same time.
#[derive(FromQueryResult)]
pub(super) struct ContactGroup {
    pub(super) owner_key: String,
    /// Whole minutes from submission to first contact.
    pub(super) minutes: i64,
    leads: i64,
}

impl ContactGroup {
    pub(super) fn leads(&self) -> u64 {
        self.leads.unsigned_abs()
    }
}

/// Emails of one kind in one state.
#[derive(FromQueryResult)]
pub(super) struct DeliveryGroup {
    /// The text of a [`Recipient`].
    pub(super) recipient: String,
    pub(super) state: String,
    pub(super) reason_class: String,
    deliveries: i64,
}

impl DeliveryGroup {
    pub(super) fn deliveries(&self) -> u64 {
        self.deliveries.unsigned_abs()
    }
}

impl Store {
    /// Counts the leads of each part of the days and weeks.
    pub(super) async fn count_parts(&self, period: &Period) -> Result<Vec<PartGroup>> {
        let boundaries = period.boundaries();
        let values: Vec<_> = (1..boundaries.len())
            .map(|part| format!("({part}, ${part}, ${})", part + 1))
            .collect();
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let select = format!(
            "WITH part (number, starts, ends) AS (VALUES {})
            SELECT CAST(part.number AS bigint) AS part, interests, CASE WHEN signals = '[\"canary\"]' THEN 'canary'
                WHEN erased_at IS NOT NULL THEN 'erased' WHEN signals <> '[]' THEN 'spam' ELSE 'lead' END AS kind,
                count(*) AS leads
            FROM part JOIN lead ON submitted_at >= starts AND submitted_at < ends
            GROUP BY 1, 2, 3",
            values.join(", ")
        );
        let times = boundaries.iter().map(|time| (*time).into());
        let rows: Vec<PartRow> = self.rows(select, times).await?;
        let groups = rows.into_iter().filter_map(|row| {
            let part = usize::try_from(row.part - 1).ok()?;
            Some(PartGroup {
                from: *boundaries.get(part)?,
                interests: row.interests,
                kind: row.kind.parse().ok()?,
                leads: row.leads.unsigned_abs(),
            })
        });
        Ok(groups.collect())
    }

    pub(super) async fn count_sources(&self, period: &Period) -> Result<Vec<SourceGroup>> {
        let select = format!(
            "SELECT {CAMPAIGN} AS campaign, {SOURCE} AS utm_source, {REFERRER} AS referrer, source = 'desk' AS is_entered,
                count(*) AS leads, count(booked.lead_id) AS visits
            FROM lead LEFT JOIN (SELECT DISTINCT lead_id FROM timeline WHERE {VISIT_BOOKED} AND at >= $3) booked
                ON booked.lead_id = lead.id
            WHERE {COUNTED} GROUP BY 1, 2, 3, 4"
        );
        let since = period.from() - CLOCK_SKEW;
        self.rows(select, of_period(period).chain([since.into()]))
            .await
    }

    pub(super) async fn count_wishes(&self, period: &Period) -> Result<Vec<WishGroup>> {
        let select = format!(
            "SELECT plan, interests, language, visit_times, channels LIKE '%\"phone\"%' AS may_call, count(*) AS leads
            FROM lead WHERE {COUNTED} GROUP BY 1, 2, 3, 4, 5"
        );
        self.rows(select, of_period(period)).await
    }

    pub(super) async fn count_progress(&self, period: &Period) -> Result<Vec<ProgressGroup>> {
        let select = format!(
            "SELECT state, closing_reason, owner_key, max(owner) AS owner, count(*) AS leads,
                count(contacted_at) AS contacted, count(next_step_at) AS follow_ups,
                count(CASE WHEN next_step_at < $3 THEN 1 END) AS overdue
            FROM lead WHERE {COUNTED} GROUP BY 1, 2, 3"
        );
        self.rows(select, of_period(period).chain([period.now.into()]))
            .await
    }

    /// Counts contacted leads by time to first contact. Excludes leads entered by hand, whose visitors were contacted before.
    pub(super) async fn count_contacts(&self, period: &Period) -> Result<Vec<ContactGroup>> {
        let select = format!(
            "SELECT owner_key, {} / 60 AS minutes, count(*) AS leads FROM lead
            WHERE {COUNTED} AND contacted_at IS NOT NULL AND source <> 'desk' GROUP BY 1, 2",
            self.seconds_to_contact()
        );
        self.rows(select, of_period(period)).await
    }

    /// People without a first contact, whenever they sent their leads.
    pub(super) async fn count_waiting(&self) -> Result<u64> {
        // The conditions of the partial index `lead_waiting`.
        let select = "SELECT count(DISTINCT contact_id) AS people FROM lead
            WHERE state = 'new' AND erased_at IS NULL AND signals = '[]' AND do_not_contact_at IS NULL";
        let select = sql(&self.reader, select, []);
        let row = with_timeout(self.reader.query_one_raw(select)).await?;
        let people: Option<i64> = row.map(|row| row.try_get("", "people")).transpose()?;
        Ok(people.unwrap_or(0).unsigned_abs())
    }

    /// Counts emails to visitors. Fixed recipients are literals, to match the partial indexes.
    pub(super) async fn count_deliveries(&self, period: &Period) -> Result<Vec<DeliveryGroup>> {
        let of = |recipient: Recipient| {
            format!(
                "SELECT recipient, state, reason_class, count(*) AS deliveries FROM delivery
                WHERE recipient = '{recipient}' AND changed_at >= $1 GROUP BY 1, 2, 3"
            )
        };
        let select = [of(Recipient::Visitor), of(Recipient::Brochure)].join(" UNION ALL ");
        self.rows(select, [period.from().into()]).await
    }

    async fn rows<T: FromQueryResult>(
        &self,
        select: String,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Vec<T>> {
        let found = T::find_by_statement(sql(&self.reader, select, values));
        with_timeout(found.all(&self.reader)).await
    }
}

/// The values of [`COUNTED`].
fn of_period(period: &Period) -> impl Iterator<Item = Value> {
    [period.from().into(), period.now.into()].into_iter()
}
