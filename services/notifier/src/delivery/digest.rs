//! Digests: one mail about many leads, used above the limit of single mails per recipient.

use std::{collections::BTreeMap, panic::AssertUnwindSafe};

use futures_util::{FutureExt, StreamExt, stream};
use messaging::Reason;
use runtime::{backoff::Backoff, crash};
use tokio::time::{Instant, sleep};
use tracing::info;

use super::{
    context::{DeliveryContext, DigestItem, Source},
    deliverer::{Deliverer, Limits},
    error::DeliveryError,
};
use crate::{
    crm::outcome::{Delivered, Outcome},
    mail::{self, Mail},
    smtp::Accepted,
};

/// Concurrent reports.
const REPORTS: usize = 8;

impl Deliverer {
    /// Defers a lead to the digest of the next interval. A pending lead that has been deferred before goes into this
    /// one.
    pub(super) fn defer_to_digest(&self, source: Source, attempt: u32) -> Outcome {
        match (source, attempt) {
            (Source::Pending, 2..) => Outcome::InDigest,
            (Source::Pending, 0..=1) | (Source::Queue, _) => Outcome::Retry {
                after: self.throttle.until_next(),
                reason: Reason::new("digest", "deferred to a digest: too many leads"),
                counts: true,
            },
        }
    }

    /// Mails each recipient one digest of its items, then reports. If the process dies between mail and reports, all
    /// leads of the digest are mailed again.
    pub(crate) async fn deliver_digests(&self, mut items: Vec<DigestItem>, limits: &Limits<'_>) {
        items.sort_by_key(|one| (one.context.lead.submitted_at, one.context.lead.id));
        let mut by_recipient: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (index, one) in items.iter().enumerate() {
            for address in &one.recipients {
                by_recipient.entry(address.to_string()).or_default().push(index);
            }
        }
        for (name, indexes) in by_recipient {
            let group: Vec<_> = indexes.iter().map(|index| &items[*index].context).collect();
            let mailing = AssertUnwindSafe(self.mail_digest(&group, &name)).catch_unwind().await;
            let outcomes = self.outcomes(&group, &name, &mailing.unwrap_or(Err(DeliveryError::Panicked)));
            for (index, outcome) in indexes.into_iter().zip(outcomes) {
                items[index].context.add([(name.clone(), outcome)].into_iter());
            }
        }
        crash::point("notifier-mailed");
        let reports = stream::iter(items);
        reports.for_each_concurrent(REPORTS, async |one| self.report_until(one.context, limits).await).await;
    }

    async fn mail_digest(
        &self,
        group: &[&DeliveryContext],
        name: &str,
    ) -> Result<(Mail, Accepted), DeliveryError> {
        let first = group.first().ok_or(DeliveryError::Late)?;
        let oldest_claim = group.iter().map(|one| one.claimed_at).min();
        let sales = first.audience.sales.iter().find(|address| address.to_string() == name);
        let (address, now) = (sales.ok_or(DeliveryError::Unaddressable)?, self.clock.now());
        let mail_context = &self.settings.mail_context;
        let mail = if group.len() == 1 {
            mail::sales(&first.lead, &first.related(), address, None, mail_context, now)?
        } else {
            let leads: Vec<_> = group.iter().map(|one| &one.lead).collect();
            mail::digest(&leads, address, mail_context, now)?
        };
        self.throttle.count(address);
        let accepted = self.send(&mail, oldest_claim).await?;
        self.metrics.in_digest(group.len());
        info!(leads = group.len(), mail = %mail.message_id, "digest sent");
        Ok((mail, accepted))
    }

    /// One outcome per lead of a digest.
    fn outcomes(
        &self,
        group: &[&DeliveryContext],
        name: &str,
        mailed: &Result<(Mail, Accepted), DeliveryError>,
    ) -> Vec<Outcome> {
        let outcome = |context: &&DeliveryContext| {
            let recipient = context.audience.recipients().find(|recipient| recipient.name() == name)?;
            Some(match mailed {
                Ok((mail, accepted)) => {
                    self.metrics.mailed(self.clock.now() - context.lead.submitted_at);
                    Outcome::Delivered(Delivered::new(recipient, mail, accepted, self.clock.now()))
                }
                Err(error) => self.failed(context, recipient, context.attempt(recipient), error),
            })
        };
        group.iter().filter_map(outcome).collect()
    }

    async fn report_until(&self, mut context: DeliveryContext, limits: &Limits<'_>) {
        let mut backoff = Backoff::new();
        while self.report(&mut context).await.is_err() && Instant::now() < limits.until {
            tokio::select! {
                () = sleep(backoff.next_delay()) => {}
                () = limits.stop.cancelled() => return,
            }
        }
    }
}
