//! Sends the daily summary of due follow-ups and uncontacted leads.

use std::{collections::BTreeSet, sync::Arc};

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lettre::Address;
use runtime::{clock::start_of_day, service::Context};
use tokens::Person;
use tokio::time::sleep;
use tonic::Code;
use tracing::{info, warn};

use crate::{
    delivery::{deliverer::Deliverer, retry::DeliveryError, sender::Sender},
    mail::{self, Backlog},
    metrics::count,
};

/// Maximum delay of a summary after the scheduled time.
const MAX_DELAY: TimeDelta = TimeDelta::hours(2);

/// Minimum age of uncontacted leads in the summary.
const UNCONTACTED_FOR: TimeDelta = TimeDelta::hours(12);

/// Sends the summary at a time of day in the sales team's time zone.
pub(crate) fn start(at: NaiveTime, deliverer: Arc<Deliverer>, context: &Context) {
    let (soft, hard) = (context.lifecycle.soft_stop(), context.lifecycle.hard_stop());
    context
        .lifecycle
        .spawn_until("daily-summary", hard, async move {
            // The tasks of the day that this process has finished.
            let mut mailed = BTreeSet::new();
            while soft
                .run_until_cancelled(sleep(deliverer.sender.config.daily_summary_interval))
                .await
                .is_some()
            {
                match due_date(
                    deliverer.sender.clock.now(),
                    deliverer.sender.config.mail_context.time_zone,
                    at,
                ) {
                    Some(date) => send_all(&deliverer, date, &mut mailed).await,
                    None => mailed.clear(),
                }
            }
        });
}

/// Sends the summary to each recipient whose task this or another process has not finished.
async fn send_all(deliverer: &Deliverer, date: NaiveDate, mailed: &mut BTreeSet<String>) {
    for recipient in &deliverer.sender.routes().default {
        let task = task_name(date, recipient);
        if deliverer.sender.breaker.is_closed()
            && let Err(error) = send_one(deliverer, &task, recipient, mailed).await
        {
            warn!(task, %error, "daily summary delayed: CRM unavailable");
            return;
        }
    }
}

/// The name of the task that only one process finishes. Does not depend on the order of the recipients, which a reloaded
/// routes file may change while the summary is due.
fn task_name(date: NaiveDate, recipient: &Address) -> String {
    format!("daily-summary/{date}/{}", Person::id_of(recipient.as_ref()))
}

async fn send_one(
    deliverer: &Deliverer,
    task: &str,
    recipient: &Address,
    mailed: &mut BTreeSet<String>,
) -> Result<(), Code> {
    let ledger = &deliverer.ledger;
    let Sender {
        metrics,
        clock,
        config,
        ..
    } = &deliverer.sender;
    if !ledger.claim_task(task).await? {
        return Ok(());
    }
    if !mailed.contains(task) {
        let now = clock.now();
        let time_zone = config.mail_context.time_zone;
        let tomorrow = now.with_timezone(&time_zone).date_naive() + Days::new(1);
        let tomorrow = start_of_day(tomorrow, &time_zone).unwrap_or(now + TimeDelta::days(1));
        let backlog = Backlog {
            headline: ledger.find_headline(time_zone).await,
            ..ledger.list_backlog(tomorrow, now - UNCONTACTED_FOR).await?
        };
        let result = match send_email(deliverer, &backlog, recipient).await {
            Ok(result) => result,
            Err(error) if error.is_final() => {
                warn!(task, class = error.class(), %error, "daily summary not sent");
                "failed"
            }
            Err(error) => {
                warn!(task, class = error.class(), %error, "daily summary not sent, retrying");
                return Ok(());
            }
        };
        count(&metrics.summaries, "result", result);
        mailed.insert(task.to_owned());
    }
    ledger.finish_task(task).await
}

/// Returns the result for the metric.
async fn send_email(
    deliverer: &Deliverer,
    backlog: &Backlog,
    recipient: &Address,
) -> Result<&'static str, DeliveryError> {
    let (due, leads) = (backlog.due.total, backlog.new.total);
    if due + leads == 0 {
        return Ok("none");
    }
    let mail = mail::summary(
        backlog,
        recipient,
        &deliverer.sender.mail_context(),
        deliverer.sender.clock.now(),
    )?;
    deliverer.sender.send_to_sales(&mail, None).await?;
    info!(due, leads, mail = %mail.message_id, "daily summary sent");
    Ok("sent")
}

/// The local day whose summary is due.
fn due_date(now: DateTime<Utc>, time_zone: Tz, at: NaiveTime) -> Option<NaiveDate> {
    let local = now.with_timezone(&time_zone).naive_local();
    let today = local.date();
    let days = [Some(today), today.checked_sub_days(Days::new(1))];
    days.into_iter().flatten().find(|date| {
        let late = local - date.and_time(at);
        late >= TimeDelta::zero() && late < MAX_DELAY
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day_at(now: &str, time_zone: Tz, at: &str) -> Option<String> {
        let at = NaiveTime::parse_from_str(at, "%H:%M").unwrap();
        due_date(now.parse().unwrap(), time_zone, at).map(|date| date.to_string())
    }

    #[test]
    fn task_belongs_to_a_recipient_and_a_day() {
        let date = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
        let name = |recipient: &str| task_name(date, &recipient.parse().unwrap());
        assert_eq!(name("Mei@x.co"), name("mei@x.co"));
        assert_ne!(name("mei@x.co"), name("anna@x.co"));
        assert!(!name("mei@x.co").contains("mei"), "logs contain the name");
        let tomorrow = task_name(date + Days::new(1), &"mei@x.co".parse().unwrap());
        assert_ne!(name("mei@x.co"), tomorrow);
    }

    #[test]
    fn summary_is_due_for_two_hours() {
        let day_at = |now| day_at(now, Tz::Asia__Singapore, "08:30");
        assert_eq!(day_at("2026-03-01T00:29:59.999Z"), None);
        assert_eq!(
            day_at("2026-03-01T00:30:00Z").as_deref(),
            Some("2026-03-01")
        );
        assert_eq!(
            day_at("2026-03-01T02:29:59.999Z").as_deref(),
            Some("2026-03-01")
        );
        assert_eq!(day_at("2026-03-01T02:30:00Z"), None);
    }

    #[test]
    fn summary_after_midnight_is_of_the_day_before() {
        let day_at = |now| day_at(now, Tz::Asia__Singapore, "23:30");
        assert_eq!(
            day_at("2026-02-28T15:30:00Z").as_deref(),
            Some("2026-02-28")
        );
        assert_eq!(
            day_at("2026-02-28T17:29:00Z").as_deref(),
            Some("2026-02-28")
        );
        assert_eq!(day_at("2026-02-28T17:30:00Z"), None);
    }

    #[test]
    fn skipped_local_time_moves_forward() {
        // 02:30 does not exist: at 01:00 UTC the local time jumps from 01:59:59 to 03:00.
        let day_at = |now| day_at(now, Tz::Europe__Berlin, "02:30");
        assert_eq!(day_at("2026-03-29T00:59:59Z"), None);
        assert_eq!(
            day_at("2026-03-29T01:00:00Z").as_deref(),
            Some("2026-03-29")
        );
    }
}
