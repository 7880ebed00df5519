//! Limits emails per mailbox and day, and to all visitors per hour, because the form accepts any address.

use ::lead::EmailKey;

use super::{
    brochure,
    claim::{Answer, Claim},
    delivery::{BROCHURE, Deliveries, State, is_visitor},
};
use crate::{db::prelude::*, search::filter::escaped};

/// Reason class of emails that a limit cancels or defers.
const LIMIT: &str = "limit";
const DAILY: &str = "daily email limit of the address reached";

const DAY: TimeDelta = TimeDelta::days(1);
const HOUR: TimeDelta = TimeDelta::hours(1);

/// Wait before an email that exceeds the hourly limit is retried.
const LATER: TimeDelta = TimeDelta::minutes(10);

/// One registered domain, with its subdomains, may use a fifteenth of the hourly limit, e.g. 20 of 300. A domain may accept
/// every address, so one client could otherwise exhaust the limit for all visitors.
const SHARE_OF_DOMAIN: u32 = 15;

/// Domains of large email providers, which are exempt from the limit per domain.
const LARGE_PROVIDERS: &str = "126.com 163.com aol.com foxmail.com gmail.com gmx.com hotmail.com icloud.com live.com me.com \
    msn.com outlook.com proton.me qq.com sina.com singnet.com.sg starhub.net.sg yahoo.com yahoo.com.sg ymail.com";

/// Counts the other emails to a mailbox, and the emails to all visitors within the last hour. Excludes unclaimed
/// brochures, which were part of a confirmation. `smtp-rejected` is notifier's class for an address that the mail
/// server rejects permanently.
const COUNT_EMAILS: &str = "
    WITH of_mailbox AS (
        SELECT delivery.* FROM lead JOIN delivery ON lead_id = id
        WHERE mailbox = $1 AND (recipient = 'visitor' OR recipient = 'brochure' AND attempts > 0)
            AND NOT (lead_id = $2 AND recipient = $3)
    ), of_hour AS (
        SELECT lead_id FROM delivery
        WHERE (recipient = 'visitor' OR recipient = 'brochure' AND attempts > 0)
            AND changed_at > $4 AND state IN ('claimed', 'delivered') AND NOT (lead_id = $2 AND recipient = $3)
    )
    SELECT
        (SELECT count(*) FROM of_mailbox WHERE reason_class = 'smtp-rejected') AS rejected,
        (SELECT count(*) FROM of_mailbox WHERE state = 'delivered' AND changed_at > $5) AS delivered,
        (SELECT count(*) FROM of_mailbox WHERE state = 'claimed' AND until > $6) AS under_way,
        (SELECT max(until) FROM of_mailbox WHERE state = 'claimed' AND until > $6) AS under_way_until,
        (SELECT count(*) FROM of_hour) AS to_all,
        (SELECT count(*) FROM of_hour JOIN lead ON id = lead_id
            WHERE mailbox LIKE $7 ESCAPE '\\' OR mailbox LIKE $8 ESCAPE '\\') AS to_domain";

#[derive(FromQueryResult)]
struct EmailCounts {
    rejected: i64,
    delivered: i64,
    under_way: i64,
    under_way_until: Option<DateTimeUtc>,
    to_all: i64,
    to_domain: i64,
}

/// Returns `None` if the visitor may be emailed now. Otherwise cancels or defers the delivery.
pub(crate) async fn apply_limits(
    deliveries: &mut Deliveries<'_>,
    claim: &Claim,
    stored: &lead::Model,
    row: &delivery::Model,
) -> Result<Option<Answer>> {
    let (lead, now) = (&claim.submission, deliveries.now);
    let email = EmailKey::new(&lead.email);
    if stored.email_key != email.as_str() {
        // Only the address of the stored lead may be emailed.
        deliveries.set(row.clone(), None);
        return Ok(Some(Answer::Cancelled));
    }
    let limit = if stored.do_not_contact_at.is_some() {
        Some(Limit::Cancel("the visitor is marked as do not contact"))
    } else {
        let mailbox = email.mailbox();
        let (_, host) = mailbox.rsplit_once('@').unwrap_or_default();
        // `None` for a public suffix, e.g. `com.sg`.
        let domain = psl::domain_str(host).unwrap_or(host);
        let any_of = |separator| format!("%{separator}{}", escaped(domain));
        let values = [
            mailbox.as_str().into(),
            lead.id.into(),
            row.recipient.as_str().into(),
            (now - HOUR).into(),
            (now - DAY).into(),
            now.into(),
            any_of('@').into(),
            any_of('.').into(),
        ];
        let db = &deliveries.tx.db;
        let counts = EmailCounts::find_by_statement(sql(db, COUNT_EMAILS, values))
            .one(db)
            .await?;
        let counts = counts.ok_or_else(|| StoreError::Failed("emails not counted".to_owned()))?;
        counts.find_limit(claim, &row.recipient, domain, now)
    };
    match limit {
        None => Ok(None),
        Some(Limit::Cancel(detail)) => {
            deliveries.cancel(row.clone(), LIMIT, detail);
            Ok(Some(Answer::Cancelled))
        }
        Some(Limit::Defer(until, answer, detail)) => {
            let reason = delivery::reason(LIMIT, detail);
            let deferred = row.clone().because_of(&reason, State::Deferred, now);
            deliveries.set(delivery::Model { until, ..deferred }, None);
            Ok(Some(answer))
        }
    }
}

/// Reason classes of notifier that are about the visitor's address.
const ABOUT_ADDRESS: [&str; 3] = ["smtp-rejected", "smtp", "address"];

/// Makes the undelivered emails to the visitor due, from the first attempt, for the corrected address of the lead. Emails
/// that ended for another reason than the address stay ended. The transaction must have locked the lead.
pub(crate) async fn redirect_emails(tx: &Transaction, lead: &lead::Model) -> Result<()> {
    let mut deliveries = Deliveries::load(tx, &[lead.id]).await?;
    let now = deliveries.now;
    let waits_or_ended = |row: &&delivery::Model| match row.state {
        State::Deferred => true,
        State::Failed | State::Cancelled => ABOUT_ADDRESS.contains(&row.reason_class.as_str()),
        // A pending email goes to the current address. A claimed email may be on its way.
        State::Pending | State::Claimed | State::Delivered => false,
    };
    let redirected: Vec<delivery::Model> = deliveries
        .rows()
        .filter(|row| is_visitor(&row.recipient))
        .filter(waits_or_ended)
        .cloned()
        .collect();
    for row in redirected {
        let due = delivery::Model {
            attempts: 0,
            until: Some(now),
            ..row.in_state(State::Deferred, now)
        };
        deliveries.set(due, None);
    }
    // The address before may have the brochure, which says nothing about the corrected one.
    let has_brochure = deliveries.find(lead.id, BROCHURE).is_some()
        || brochure::has_flag(tx, &lead.email_key, lead.id).await?;
    brochure::set_flag(tx, &[lead.id], has_brochure).await?;
    deliveries.save([lead], true).await
}

/// The reason why the visitor cannot be emailed now.
enum Limit {
    Cancel(&'static str),
    /// Until the time at which a claim checks the limits again, for this reason.
    Defer(Option<DateTimeUtc>, Answer, &'static str),
}

impl EmailCounts {
    /// Checks the limits for a confirmation or the brochure. Defers a brochure at limits that cancel a confirmation,
    /// because the visitor requested the brochure.
    fn find_limit(
        &self,
        claim: &Claim,
        recipient: &str,
        domain: &str,
        now: DateTimeUtc,
    ) -> Option<Limit> {
        let [daily, hourly] =
            [claim.visitor_daily_limit, claim.visitors_hourly_limit].map(i64::from);
        let share_of_domain = i64::from(claim.visitors_hourly_limit.div_ceil(SHARE_OF_DOMAIN));
        let is_large = || LARGE_PROVIDERS.split(' ').any(|it| it == domain);
        let is_brochure = recipient == BROCHURE;
        let is_network_busy = claim
            .submission
            .visit
            .as_ref()
            .is_some_and(|visit| visit.is_network_busy);
        let later = Some(now + LATER);
        let limit = if self.rejected > 0 {
            Limit::Cancel("the address rejected an earlier email")
        } else if self.delivered >= daily && is_brochure {
            Limit::Defer(Some(now + DAY), Answer::Deferred, DAILY)
        } else if self.delivered >= daily {
            Limit::Cancel(DAILY)
        } else if self.delivered + self.under_way >= daily {
            let detail = "another email to the address is being sent";
            Limit::Defer(self.under_way_until, Answer::Deferred, detail)
        } else if hourly == 0 {
            return None;
        } else if self.to_domain >= share_of_domain && !is_large() {
            let detail = "hourly email limit of the domain reached";
            Limit::Defer(later, Answer::Deferred, detail)
        } else if is_brochure {
            // Reserves half of the limit for confirmations.
            let detail =
                "half of the hourly email limit is used, and the rest is for confirmations";
            return (self.to_all >= (hourly + 1) / 2).then_some(Limit::Defer(
                Some(now + HOUR),
                Answer::Deferred,
                detail,
            ));
        } else if self.to_all >= hourly / 2 && !claim.submission.signals.is_empty() {
            Limit::Cancel("possible spam while half of the hourly email limit is used")
        } else if self.to_all >= hourly / 2 && is_network_busy {
            // Prevents one network from using up the limit for all visitors.
            let detail = "half of the hourly email limit is used, and the visitor's network sent several leads";
            Limit::Defer(later, Answer::Deferred, detail)
        } else if self.to_all >= hourly {
            let detail = "hourly email limit of all visitors reached";
            Limit::Defer(later, Answer::DeferredByAll, detail)
        } else {
            return None;
        };
        Some(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{db::tests::query_plan, deliveries::delivery::VISITOR};

    #[tokio::test]
    async fn counting_emails_uses_indexes() {
        let now = || DateTimeUtc::UNIX_EPOCH.into();
        let values = [
            "a@b.co".into(),
            Uuid::nil().into(),
            VISITOR.into(),
            now(),
            now(),
            now(),
            "%@b.co".into(),
            "%.b.co".into(),
        ];
        let plan = query_plan(COUNT_EMAILS, values).await;
        assert!(
            ["lead_mailbox", "delivery_visitor", "delivery_brochure"]
                .iter()
                .all(|it| plan.contains(it)),
            "{plan}"
        );
        assert!(
            !plan.contains("SCAN lead") && !plan.contains("SCAN delivery"),
            "{plan}"
        );
    }
}
