//! Sends the daily mail about what is due and about uncontacted leads.

use std::{collections::BTreeSet, convert::Infallible, sync::Arc};

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use lettre::Address;
use runtime::{clock::SharedClock, service::Context};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::{
    config::Morning,
    crm::ledger::{Ledger, Unanswered},
    delivery::deliverer::Deliverer,
    metrics::Metrics,
};

/// A late mail is sent until this long after the scheduled time.
const LATEST: TimeDelta = TimeDelta::hours(2);

/// More recent leads are still being worked on and are left out.
const UNCONTACTED_FOR: TimeDelta = TimeDelta::hours(12);

pub(crate) struct MorningMail {
    pub(crate) morning: Morning,
    pub(crate) time_zone: Tz,
    pub(crate) deliverer: Arc<Deliverer>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) clock: SharedClock,
    pub(crate) metrics: Metrics,
}

/// This process's progress with the day's tasks.
#[derive(Default)]
struct Day {
    mailed: BTreeSet<String>,
    finished: BTreeSet<String>,
}

impl MorningMail {
    pub(crate) fn start(self, context: &Context) {
        let (soft, hard) = (context.lifecycle.soft_stop(), context.lifecycle.hard_stop());
        context.lifecycle.spawn("daily-summary", async move {
            tokio::select! {
                () = self.run(&soft) => {}
                () = hard.cancelled() => {}
            }
            Ok::<_, Infallible>(())
        });
    }

    async fn run(&self, soft: &CancellationToken) {
        let mut day = Day::default();
        loop {
            tokio::select! {
                () = sleep(self.morning.look) => {}
                () = soft.cancelled() => return,
            }
            match due(self.clock.now(), self.time_zone, self.morning.at) {
                Some(date) => self.send(date, &mut day).await,
                None => day = Day::default(),
            }
        }
    }

    /// Sends to each recipient not served yet by this or another process.
    async fn send(&self, date: NaiveDate, day: &mut Day) {
        for (index, recipient) in self.deliverer.routes().default_recipients().iter().enumerate() {
            let task = format!("daily-summary/{date}/{}", index + 1);
            if !day.finished.contains(&task)
                && self.deliverer.is_available()
                && let Err(error) = self.send_one(&task, recipient, day).await
            {
                warn!(task, %error, "daily summary delayed: CRM unavailable");
                return;
            }
        }
    }

    async fn send_one(&self, task: &str, recipient: &Address, day: &mut Day) -> Result<(), Unanswered> {
        if !day.mailed.contains(task) {
            if !self.ledger.claim_task(task).await? {
                return Ok(());
            }
            let now = self.clock.now();
            let backlog = self.ledger.backlog(tomorrow(now, self.time_zone), now - UNCONTACTED_FOR).await?;
            if backlog.due.total() + backlog.new.total() == 0 {
                self.metrics.morning("none");
            } else {
                match self.deliverer.mail_backlog(&backlog, recipient).await {
                    Ok(()) => self.metrics.morning("sent"),
                    Err(error) if error.is_final() => {
                        self.metrics.morning("failed");
                        warn!(task, class = error.class(), %error, "daily summary not sent");
                    }
                    Err(error) => {
                        warn!(task, class = error.class(), %error, "daily summary not sent, retrying");
                        return Ok(());
                    }
                }
            }
            day.mailed.insert(task.to_owned());
        }
        self.ledger.finish_task(task).await?;
        day.finished.insert(task.to_owned());
        Ok(())
    }
}

/// When the day ends, by local time.
fn tomorrow(now: DateTime<Utc>, time_zone: Tz) -> DateTime<Utc> {
    let tomorrow = now.with_timezone(&time_zone).date_naive() + Days::new(1);
    let midnight = tomorrow.and_time(NaiveTime::MIN).and_local_timezone(time_zone).earliest();
    // A midnight that the clocks leave out is an hour away at most.
    midnight.map_or(now + TimeDelta::days(1), |midnight| midnight.to_utc())
}

/// The day whose mail is due, by local time; `None` when none is due.
fn due(now: DateTime<Utc>, time_zone: Tz, at: NaiveTime) -> Option<NaiveDate> {
    let local = now.with_timezone(&time_zone).naive_local();
    let today = local.date();
    let days = [Some(today), today.checked_sub_days(Days::new(1))];
    days.into_iter().flatten().find(|date| {
        let late = local - date.and_time(at);
        late >= TimeDelta::zero() && late < LATEST
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day_at(now: &str, time_zone: Tz, at: &str) -> Option<String> {
        let at = NaiveTime::parse_from_str(at, "%H:%M").unwrap();
        due(now.parse().unwrap(), time_zone, at).map(|date| date.to_string())
    }

    #[test]
    fn a_mail_is_due_for_two_hours_from_its_time() {
        let day_at = |now| day_at(now, Tz::Asia__Singapore, "08:30");
        assert_eq!(day_at("2026-03-01T00:29:59.999Z"), None);
        assert_eq!(day_at("2026-03-01T00:30:00Z").as_deref(), Some("2026-03-01"));
        assert_eq!(day_at("2026-03-01T02:29:59.999Z").as_deref(), Some("2026-03-01"));
        assert_eq!(day_at("2026-03-01T02:30:00Z"), None);
    }

    #[test]
    fn after_midnight_it_is_still_the_mail_of_the_day_before() {
        let day_at = |now| day_at(now, Tz::Asia__Singapore, "23:30");
        assert_eq!(day_at("2026-02-28T15:30:00Z").as_deref(), Some("2026-02-28"));
        assert_eq!(day_at("2026-02-28T17:29:00Z").as_deref(), Some("2026-02-28"));
        assert_eq!(day_at("2026-02-28T17:30:00Z"), None);
    }

    #[test]
    fn a_time_that_the_clocks_leave_out_comes_right_after() {
        // 02:30 does not exist: at 01:00 UTC the local time jumps from 01:59:59 to 03:00.
        let day_at = |now| day_at(now, Tz::Europe__Berlin, "02:30");
        assert_eq!(day_at("2026-03-29T00:59:59Z"), None);
        assert_eq!(day_at("2026-03-29T01:00:00Z").as_deref(), Some("2026-03-29"));
    }
}
