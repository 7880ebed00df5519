//! Telling of many leads in one mail, when there are more than one recipient is mailed singly.

use std::{collections::BTreeMap, panic::AssertUnwindSafe};

use futures_util::{FutureExt, StreamExt, stream};
use lettre::Address;
use messaging::Reason;
use runtime::crash;
use tokio::{sync::OwnedMutexGuard, time::Instant};
use tracing::{info, warn};
use uuid::Uuid;

use super::{
    Teller,
    outcome::{Granted, Telling},
    setback::Setback,
    told::Progress,
};
use crate::{
    domain::Lead,
    mail::{self, Mail},
    recipients::{Audience, Recipient},
    smtp::Accepted,
    wire::{Failed, Grant, Notification, Submission},
};

/// How many are reported side by side.
const CONCURRENCY: usize = 8;

/// A lead that one recipient is to be told of together with others. Claimed, and kept from others while it lives.
pub(crate) struct Gathered {
    pub(super) submission: Submission,
    pub(super) lead: Lead,
    pub(super) audience: Audience,
    pub(super) recipient: Address,
    pub(super) grant: Grant,
    pub(super) claimed: Instant,
    pub(super) progress: OwnedMutexGuard<Progress>,
}

impl Teller {
    /// Has the ledger bring a lead again when the next interval begins, with all others of this one.
    pub(super) async fn put_off(&self, lead: Uuid, recipient: &Address) {
        let reason = Reason::new("digest", "told together with others, as there are many");
        let what_follows = Failed::Waiting(self.rate.until_next(), &reason);
        if let Err(error) = self.ledger.failed(lead, Recipient::Sales(recipient), &what_follows).await {
            // The claim expires, and the lead is brought then.
            warn!(lead_id = %lead, %error, "the ledger did not hear that a lead is put off");
        }
    }

    /// Tells each recipient of all that was gathered for them, in one mail; says what came of each lead that could
    /// not be told. A process that dies between the mail and its reports leaves all its leads to be told again.
    pub(crate) async fn tell_gathered(&self, gathered: Vec<Gathered>) -> Vec<(Submission, Telling)> {
        let mut by_recipient: BTreeMap<String, Vec<Gathered>> = BTreeMap::new();
        for one in gathered {
            by_recipient.entry(one.recipient.to_string()).or_default().push(one);
        }
        let mut failed = Vec::new();
        for mut group in by_recipient.into_values() {
            group.sort_by_key(|one| (one.lead.submitted_at, one.lead.id));
            let mailing = AssertUnwindSafe(self.mail_together(&group)).catch_unwind().await;
            match mailing.unwrap_or(Err(Setback::Panicked)) {
                Ok((mail, accepted)) => {
                    crash::point("notifier-mailed");
                    self.report_together(group, &mail, &accepted).await;
                }
                Err(setback) => failed.extend(group.into_iter().map(|one| one.failed(&setback))),
            }
        }
        failed
    }

    async fn mail_together(&self, group: &[Gathered]) -> Result<(Mail, Accepted), Setback> {
        let Some(first) = group.first() else { return Err(Setback::Late) };
        // The claims must last until the mail server has answered.
        if group.iter().any(|one| one.claimed.elapsed() > self.ledger.lease() / 4) {
            return Err(Setback::Late);
        }
        if !self.may_mail() {
            return Err(Setback::Closed);
        }
        let (recipient, now) = (&first.recipient, self.clock.now());
        let mail = if group.len() == 1 {
            mail::sales(&first.lead, &first.grant.earlier, recipient, &self.letterhead, now)?
        } else {
            let leads: Vec<_> = group.iter().map(|one| &one.lead).collect();
            mail::digest(&leads, recipient, &self.letterhead, now)?
        };
        self.rate.count(recipient);
        let accepted = self.send(&mail).await?;
        self.metrics.gathered(group.len());
        info!(leads = group.len(), mail = %mail.message_id, "told");
        Ok((mail, accepted))
    }

    async fn report_together(&self, mut group: Vec<Gathered>, mail: &Mail, accepted: &Accepted) {
        let now = self.clock.now();
        // First of all, so that a report that fails is made up for later, and no lead is mailed again.
        for one in &mut group {
            let recipient = Recipient::Sales(&one.recipient);
            self.metrics.mailed(now - one.lead.submitted_at);
            let notification = Notification::new(&one.lead, recipient, mail, accepted, now, &one.audience);
            one.progress.notification = Some(notification);
            one.progress.about = Some(one.submission.fingerprint());
        }
        stream::iter(group)
            .for_each_concurrent(CONCURRENCY, async |mut one| {
                // What nobody hears is owed.
                let _ = self.report(&mut one.progress, None, None).await;
            })
            .await;
    }
}

impl Gathered {
    fn failed(self, setback: &Setback) -> (Submission, Telling) {
        let mut telling = Telling::done(self.lead.id);
        telling.add(setback, format!("together with others: {setback}"));
        telling.failed.push(Granted { recipient: self.recipient, attempt: self.grant.attempt });
        (self.submission, telling)
    }
}
