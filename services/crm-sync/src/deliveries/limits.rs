//! Limits emails per mailbox and day, and to all visitors per hour, because the form accepts any address.

use chrono::{DateTime, TimeDelta, Utc};
use lead::{EmailKey, Lead, Recipient};
use sea_orm::{FromQueryResult, prelude::DateTimeUtc};

use super::ledger::{LimitScope, Obstacle, SUPPRESSED, reason};
use crate::{
    db::{Result, error::StoreError, sql, transaction::Transaction},
    leads::row as lead_row,
    search::filter::escaped,
};

/// Reason class of emails that a limit cancels or defers.
pub(super) const CLASS: &str = "limit";

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
/// brochures, which were part of a confirmation. `smtp-rejected` is
/// [`REJECTED`](super::ledger::REJECTED).
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
        (SELECT count(*) FROM of_mailbox
            WHERE state = 'cancelled' AND reason_class = 'smtp-rejected') AS rejected,
        (SELECT count(*) FROM of_mailbox WHERE state = 'delivered' AND changed_at > $5) AS delivered,
        (SELECT count(*) FROM of_mailbox WHERE state = 'claimed' AND until > $6) AS under_way,
        (SELECT max(until) FROM of_mailbox WHERE state = 'claimed' AND until > $6) AS under_way_until,
        (SELECT count(*) FROM of_hour) AS to_all,
        (SELECT count(*) FROM of_hour JOIN lead ON id = lead_id
            WHERE mailbox LIKE $7 ESCAPE '\\' OR mailbox LIKE $8 ESCAPE '\\') AS to_domain";

/// Emails other than the one to send.
#[derive(Clone, Debug, Default, FromQueryResult)]
struct EmailCounts {
    /// Emails to the mailbox that the mail server rejected because the address does not exist.
    rejected: i64,
    /// Emails delivered to the mailbox within a day.
    delivered: i64,
    /// Emails to the mailbox that a notifier may be sending.
    under_way: i64,
    under_way_until: Option<DateTimeUtc>,
    /// Emails to all visitors within an hour.
    to_all: i64,
    /// Emails to the registered domain and its subdomains within an hour.
    to_domain: i64,
}

/// What the limits of an email depend on, besides the counts.
#[derive(Clone, Debug)]
struct Email<'a> {
    is_brochure: bool,
    /// Registered domain of the mailbox.
    domain: &'a str,
    may_be_spam: bool,
    is_network_busy: bool,
    daily_limit: u32,
    /// 0 means no limit.
    hourly_limit: u32,
}

/// The limits of a claim.
#[derive(Clone, Copy)]
pub(super) struct VisitorLimits {
    /// Maximum emails to one mailbox within 24 hours.
    pub(super) daily: u32,
    /// Maximum emails to all visitors within an hour; 0 means no limit.
    pub(super) hourly: u32,
}

/// Why the visitor cannot be emailed now. `lead` is the claim's copy of the stored lead.
pub(super) async fn find_obstacle(
    tx: &Transaction,
    lead: &Lead,
    stored: &lead_row::Model,
    recipient: &Recipient,
    limits: VisitorLimits,
) -> Result<Option<Obstacle>> {
    let address = EmailKey::new(&lead.email);
    if stored.email_key != address.as_str() {
        return Ok(Some(Obstacle::OtherAddress));
    }
    if stored.do_not_contact_at.is_some() {
        return Ok(Some(cancel("the visitor is marked as do not contact")));
    }
    let mailbox = address.mailbox();
    let (_, host) = mailbox.rsplit_once('@').unwrap_or_default();
    // `None` for a public suffix, e.g. `com.sg`.
    let domain = psl::domain_str(host).unwrap_or(host);
    let email = Email {
        is_brochure: *recipient == Recipient::Brochure,
        domain,
        may_be_spam: !lead.signals.is_empty(),
        is_network_busy: lead.visit.as_ref().is_some_and(|it| it.is_network_busy),
        daily_limit: limits.daily,
        hourly_limit: limits.hourly,
    };
    let now = tx.now().await?;
    let any_of = |separator| format!("%{separator}{}", escaped(domain));
    let values = [
        mailbox.as_str().into(),
        lead.id.into(),
        recipient.to_string().into(),
        (now - HOUR).into(),
        (now - DAY).into(),
        now.into(),
        any_of('@').into(),
        any_of('.').into(),
    ];
    let counts = EmailCounts::find_by_statement(sql(&tx.db, COUNT_EMAILS, values))
        .one(&tx.db)
        .await?
        .ok_or_else(|| StoreError::Failed("emails not counted".to_owned()))?;
    Ok(email.find_limit(&counts, now))
}

impl Email<'_> {
    /// Checks the limits for a confirmation or the brochure. Defers a brochure at limits that cancel a confirmation,
    /// because the visitor requested the brochure.
    fn find_limit(&self, counts: &EmailCounts, now: DateTime<Utc>) -> Option<Obstacle> {
        let daily = i64::from(self.daily_limit);
        if counts.rejected > 0 {
            let detail =
                "the mail server answered an earlier email that the address does not exist";
            return Some(Obstacle::Cancel(reason(SUPPRESSED, detail)));
        }
        if counts.delivered >= daily {
            return Some(if self.is_brochure {
                defer(now + DAY, DAILY)
            } else {
                cancel(DAILY)
            });
        }
        if counts.delivered + counts.under_way >= daily {
            let until = counts.under_way_until.unwrap_or(now);
            return Some(defer(until, "another email to the address is being sent"));
        }
        if self.hourly_limit == 0 {
            return None;
        }
        self.find_hourly_limit(counts, now)
    }

    fn find_hourly_limit(&self, counts: &EmailCounts, now: DateTime<Utc>) -> Option<Obstacle> {
        let hourly = i64::from(self.hourly_limit);
        let share_of_domain = i64::from(self.hourly_limit.div_ceil(SHARE_OF_DOMAIN));
        let is_large = LARGE_PROVIDERS.split(' ').any(|it| it == self.domain);
        if counts.to_domain >= share_of_domain && !is_large {
            return Some(defer(
                now + LATER,
                "hourly email limit of the domain reached",
            ));
        }
        if self.is_brochure {
            // Reserves half of the limit for confirmations.
            let is_half_used = counts.to_all >= (hourly + 1) / 2;
            let detail =
                "half of the hourly email limit is used, and the rest is for confirmations";
            return is_half_used.then(|| defer(now + HOUR, detail));
        }
        let is_half_used = counts.to_all >= hourly / 2;
        if is_half_used && self.may_be_spam {
            return Some(cancel(
                "possible spam while half of the hourly email limit is used",
            ));
        }
        if is_half_used && self.is_network_busy {
            // Prevents one network from using up the limit for all visitors.
            let detail = "half of the hourly email limit is used, and the visitor's network sent several leads";
            return Some(defer(now + LATER, detail));
        }
        (counts.to_all >= hourly).then(|| Obstacle::Defer {
            until: now + LATER,
            reason: reason(CLASS, "hourly email limit of all visitors reached"),
            scope: LimitScope::AllVisitors,
        })
    }
}

fn cancel(detail: &str) -> Obstacle {
    Obstacle::Cancel(reason(CLASS, detail))
}

fn defer(until: DateTime<Utc>, detail: &str) -> Obstacle {
    Obstacle::Defer {
        until,
        reason: reason(CLASS, detail),
        scope: LimitScope::Partial,
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::prelude::Uuid;

    use super::*;
    use crate::db::tests::query_plan;

    /// Three emails a day to a mailbox, and sixty an hour to all visitors, so four to a domain.
    const CONFIRMATION: Email<'_> = Email {
        is_brochure: false,
        domain: "b.co",
        may_be_spam: false,
        is_network_busy: false,
        daily_limit: 3,
        hourly_limit: 60,
    };

    fn now() -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }

    /// `cancelled`, or the minutes that the email waits; nothing if it may be sent.
    fn describe(email: &Email<'_>, counts: &EmailCounts) -> String {
        match email.find_limit(counts, now()) {
            None => String::new(),
            Some(Obstacle::Cancel(_)) => "cancelled".to_owned(),
            Some(Obstacle::Defer { until, scope, .. }) => {
                let minutes = (until - now()).num_minutes();
                match scope {
                    LimitScope::Partial => minutes.to_string(),
                    LimitScope::AllVisitors => format!("{minutes} for all"),
                }
            }
            Some(other) => panic!("{other:?} is no limit"),
        }
    }

    #[test]
    fn each_limit_has_its_result_for_confirmation_and_brochure() {
        let brochure = Email {
            is_brochure: true,
            ..CONFIRMATION
        };
        let under_way_until = Some(now() + TimeDelta::minutes(2));
        let sent = |delivered, under_way| EmailCounts {
            delivered,
            under_way,
            under_way_until,
            ..EmailCounts::default()
        };
        let in_hour = |to_all, to_domain| EmailCounts {
            to_all,
            to_domain,
            ..EmailCounts::default()
        };
        let rejected = EmailCounts {
            rejected: 1,
            ..EmailCounts::default()
        };
        for (counts, confirmation, of_brochure) in [
            (EmailCounts::default(), "", ""),
            (rejected, "cancelled", "cancelled"),
            (sent(2, 0), "", ""),
            (sent(2, 1), "2", "2"),
            (sent(3, 0), "cancelled", "1440"),
            (in_hour(4, 4), "10", "10"),
            (in_hour(29, 3), "", ""),
            (in_hour(30, 0), "", "60"),
            (in_hour(59, 0), "", "60"),
            (in_hour(60, 0), "10 for all", "60"),
        ] {
            assert_eq!(describe(&CONFIRMATION, &counts), confirmation, "{counts:?}");
            assert_eq!(describe(&brochure, &counts), of_brochure, "{counts:?}");
        }
    }

    #[test]
    fn suspects_use_half_of_the_hourly_limit() {
        let spam = Email {
            may_be_spam: true,
            ..CONFIRMATION
        };
        let of_busy_network = Email {
            is_network_busy: true,
            ..CONFIRMATION
        };
        for (to_all, of_spam, of_network) in [(29, "", ""), (30, "cancelled", "10")] {
            let counts = EmailCounts {
                to_all,
                ..EmailCounts::default()
            };
            assert_eq!(describe(&spam, &counts), of_spam);
            assert_eq!(describe(&of_busy_network, &counts), of_network);
        }
    }

    #[test]
    fn large_providers_have_no_limit_per_domain() {
        let of_large = Email {
            domain: "gmail.com",
            ..CONFIRMATION
        };
        let counts = EmailCounts {
            to_all: 29,
            to_domain: 29,
            ..EmailCounts::default()
        };
        assert_eq!(describe(&of_large, &counts), "");
    }

    #[test]
    fn without_an_hourly_limit_only_the_mailbox_is_limited() {
        let unlimited = Email {
            hourly_limit: 0,
            ..CONFIRMATION
        };
        let counts = EmailCounts {
            to_all: 1000,
            to_domain: 1000,
            ..EmailCounts::default()
        };
        assert_eq!(describe(&unlimited, &counts), "");
    }

    #[tokio::test]
    async fn counting_emails_uses_indexes() {
        let now = || now().into();
        let values = [
            "a@b.co".into(),
            Uuid::nil().into(),
            "visitor".into(),
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
