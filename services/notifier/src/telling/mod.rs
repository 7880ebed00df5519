//! Telling everybody of a lead: who is left is asked, mailed and reported. The one way, whoever brought the lead.

mod digest;
mod gate;
mod outcome;
mod rate;
mod setback;
mod told;
mod visitor;

use std::{num::NonZeroU32, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use lettre::Address;
use messaging::{Publisher, Reason, Schedule, TraceParent, Verdict};
use runtime::{clock::SharedClock, crash, service::Context};
use tokio::{sync::OwnedMutexGuard, time::Instant};
use tracing::{info, warn};
use uuid::Uuid;

pub(crate) use self::{outcome::Telling, visitor::Acknowledger};

use self::{
    digest::Gathered,
    gate::Gate,
    outcome::Granted,
    rate::Rate,
    setback::Setback,
    told::{Progress, Told},
};
use crate::{
    config::Digests,
    domain::Lead,
    mail::{self, Letterhead, Mail},
    metrics::Metrics,
    recipients::{Audience, Recipient},
    routes::Routes,
    smtp::{Accepted, Mailer, Scope, SendError},
    wire::{Backlog, Claim, Failed, Grant, Ledger, Malformed, Notification, Submission, Unanswered},
};

/// How many mails are remembered: days of leads, and a few megabytes.
const REMEMBERED: usize = 8192;

/// How others learn that a mail was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Road {
    /// By an event.
    Broker,
    /// By a call.
    Grpc,
}

/// Who brought a lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A message of the queue.
    Queue,
    /// The ledger, with others.
    Ledger,
}

/// Tells everybody.
pub(crate) struct Teller {
    letterhead: Letterhead,
    routes: Routes,
    visitors: Option<NonZeroU32>,
    mailer: Mailer,
    publisher: Publisher,
    schedule: Schedule,
    ledger: Arc<Ledger>,
    clock: SharedClock,
    metrics: Metrics,
    told: Told,
    gate: Gate,
    rate: Rate,
    acknowledgements: visitor::Queue,
}

/// What a [`Teller`] is told by the configuration.
pub(crate) struct Rules {
    /// What all mails share.
    pub(crate) letterhead: Letterhead,
    /// Which leads go to whom.
    pub(crate) routes: Routes,
    /// How many mails a visitor gets a day, if any.
    pub(crate) visitors: Option<NonZeroU32>,
    /// When mails are gathered.
    pub(crate) digests: Digests,
    /// When a visitor who could not be written to is tried again.
    pub(crate) schedule: Schedule,
}

/// A lead on its way to everybody.
struct Errand<'a> {
    id: Uuid,
    submission: &'a Submission,
    lead: &'a Result<Lead, Malformed>,
    audience: &'a Audience,
    trace: Option<&'a TraceParent>,
    source: Source,
}

impl Teller {
    /// Whoever tells, and whoever writes to the visitors it is told of.
    pub(crate) fn new(
        rules: Rules,
        mailer: Mailer,
        publisher: Publisher,
        ledger: Arc<Ledger>,
        metrics: Metrics,
        context: &Context,
    ) -> (Self, Acknowledger) {
        let Rules { letterhead, routes, visitors, digests, schedule } = rules;
        let (acknowledgements, acknowledger) = visitor::queue();
        let (clock, gate) = (context.clock.clone(), Gate::new(metrics.paused()));
        let rate = Rate::new(digests, clock.clone());
        let told = Told::new(REMEMBERED);
        let teller = Self {
            letterhead,
            routes,
            visitors,
            mailer,
            publisher,
            schedule,
            ledger,
            clock,
            metrics,
            told,
            gate,
            rate,
            acknowledgements,
        };
        (teller, acknowledger)
    }

    /// Tells everybody who was not told yet, and reports who was; then has the visitor written to.
    pub(crate) async fn tell(
        &self,
        submission: &Submission,
        trace: Option<&TraceParent>,
        source: Source,
    ) -> Telling {
        let id = match submission.id() {
            Ok(id) => id,
            Err(error) => return Telling::malformed(error),
        };
        let lead = &submission.lead();
        let audience = &self.audience(lead.as_ref().ok());
        let errand = Errand { id, submission, lead, audience, trace, source };
        let mut telling = Telling::done(id);
        for (index, recipient) in audience.sales.iter().enumerate() {
            match self.tell_one(&errand, recipient, &mut telling).await {
                Ok(()) => {}
                Err(Setback::Erased) => return Telling::done(id),
                Err(setback) => {
                    let detail = format!("recipient {} of {}: {setback}", index + 1, audience.sales.len());
                    telling.add(&setback, detail);
                }
            }
        }
        if audience.visitor.is_some() && telling.is_through() {
            self.acknowledge_soon(submission, trace);
        }
        telling
    }

    /// Who is to be told of a lead; of what is none, who is told of everything else.
    fn audience(&self, lead: Option<&Lead>) -> Audience {
        match lead {
            Some(lead) if lead.is_canary() => {
                Audience { sales: self.routes.canary_recipients().to_vec(), visitor: None }
            }
            Some(lead) => {
                let sales = self.routes.recipients(&lead.interests, lead.language);
                Audience { sales, visitor: self.visitors }
            }
            None => Audience { sales: self.routes.default_recipients().to_vec(), visitor: None },
        }
    }

    /// Lets the ledger know what follows for those who could not be told. When it does not hear, it waits for a
    /// claim to expire in vain, and no more is lost.
    pub(crate) async fn report_failed(&self, telling: &Telling, what_follows: &Failed<'_>) {
        let Some(lead) = telling.lead else { return };
        for Granted { recipient, .. } in &telling.failed {
            let recipient = Recipient::Sales(recipient);
            if let Err(error) = self.ledger.failed(lead, recipient, what_follows).await {
                warn!(lead_id = %lead, %error, "the ledger did not hear that a recipient could not be told");
                return;
            }
        }
    }

    /// Lets the ledger know, once it answers again, of what was mailed without it. The claim stores the lead, should
    /// the message that was to store it be lost.
    pub(crate) async fn settle_what_is_owed(&self) {
        for mut progress in self.told.owed() {
            if let Some((submission, recipient)) = &progress.unseen {
                let audience = self.audience(submission.lead().as_ref().ok());
                if self.ask(submission, Recipient::Sales(recipient), &audience).await.is_ok() {
                    progress.unseen = None;
                }
            }
            let unseen = progress.unseen.as_ref().map(|(submission, _)| submission.clone());
            if self.report(&mut progress, None, unseen.as_ref()).await.is_err() || progress.is_owed() {
                return;
            }
        }
    }

    /// Tells one of the sales team of leads that nobody has contacted.
    pub(crate) async fn tell_of_backlog(&self, backlog: &Backlog, recipient: &Address) -> Verdict {
        let Backlog { leads, total } = backlog;
        let told = async {
            let mail = mail::morning(leads, *total, recipient, &self.letterhead, self.clock.now())?;
            self.send(&mail).await?;
            info!(leads = total, mail = %mail.message_id, "told what nobody has contacted");
            Ok::<_, Setback>(())
        };
        match told.await {
            Ok(()) => Verdict::Done,
            Err(setback) => setback.verdict(setback.to_string()),
        }
    }

    /// Whether the mail server is there, as far as is known.
    pub(crate) fn may_mail(&self) -> bool {
        self.gate.is_open()
    }

    /// Whether the mail server is there again.
    pub(crate) async fn probe(&self) -> Result<(), Reason> {
        if self.gate.is_open() {
            return Ok(());
        }
        let Some(_probing) = self.gate.may_probe() else {
            return Err(Reason::new("smtp", "the mail server is left alone for now"));
        };
        let probed = self.mailer.probe(&self.letterhead.sender.email).await;
        probed.map_err(|error| Reason::new("smtp", error.to_string()))?;
        self.gate.open();
        Ok(())
    }

    async fn tell_one(
        &self,
        errand: &Errand<'_>,
        address: &Address,
        telling: &mut Telling,
    ) -> Result<(), Setback> {
        let recipient = Recipient::Sales(address);
        let entry = self.told.entry(errand.id, recipient);
        let Ok(mut progress) = entry.try_lock_owned() else { return Err(Setback::Held) };
        if !progress.is_told() && !self.gate.is_open() {
            return Err(Setback::Closed);
        }
        // Also when this process knows the answer: the question carries the lead, which is stored with it.
        let claim = self.ask(errand.submission, recipient, errand.audience).await;
        match &claim {
            Ok(Claim::AlreadyTold | Claim::Declined) => progress.settled = true,
            Ok(Claim::Erased) => {
                progress.forget();
                return Err(Setback::Erased);
            }
            Ok(Claim::Granted(_) | Claim::Held) => progress.settled = false,
            Err(_) => {}
        }
        let unseen = claim.is_err().then_some(errand.submission);
        if progress.is_told() {
            if unseen.is_some() && progress.about != Some(errand.submission.fingerprint()) {
                // Maybe other words under the same key: nothing is to be mailed, and the ledger has to see them.
                return Err(Setback::Unreported);
            }
        } else {
            let grant = match claim {
                Ok(Claim::Granted(grant)) => Some(grant),
                Ok(Claim::Held | Claim::AlreadyTold | Claim::Erased | Claim::Declined) => {
                    return Err(Setback::Held);
                }
                // The mail goes out all the same: neither road waits for the other.
                Err(_) => None,
            };
            crash::point("notifier-claimed");
            // Without the ledger nobody would bring the lead again.
            if !self.rate.admits(address)
                && let (Some(grant), Ok(lead)) = (&grant, errand.lead)
            {
                return match (errand.source, grant.attempt) {
                    // What the ledger brings again it has put off before.
                    (Source::Ledger, 2..) => {
                        telling.gather(gathered(errand, lead.clone(), address, grant.clone(), progress));
                        Ok(())
                    }
                    (Source::Ledger, 0..=1) | (Source::Queue, _) => {
                        self.put_off(errand.id, address).await;
                        Ok(())
                    }
                };
            }
            // A panic must not leave the ledger without the number of attempts.
            let mailing = AssertUnwindSafe(self.mail(errand, address, grant.as_ref())).catch_unwind().await;
            match mailing.unwrap_or(Err(Setback::Panicked)) {
                Ok(notification) => {
                    progress.notification = Some(notification);
                    progress.about = Some(errand.submission.fingerprint());
                    if grant.is_none() {
                        self.metrics.mailed_unclaimed();
                        progress.unseen = Some((errand.submission.clone(), address.clone()));
                    }
                }
                Err(setback) => {
                    let failed =
                        grant.map(|grant| Granted { recipient: address.clone(), attempt: grant.attempt });
                    telling.failed.extend(failed);
                    return Err(setback);
                }
            }
            crash::point("notifier-mailed");
        }
        self.report(&mut progress, errand.trace, unseen).await
    }

    async fn ask(
        &self,
        submission: &Submission,
        recipient: Recipient<'_>,
        audience: &Audience,
    ) -> Result<Claim, Unanswered> {
        let claim = self.ledger.claim(submission, recipient, audience).await;
        self.metrics.claimed(&claim);
        claim
    }

    async fn mail(
        &self,
        errand: &Errand<'_>,
        address: &Address,
        grant: Option<&Grant>,
    ) -> Result<Notification, Setback> {
        let lead = errand.lead.as_ref().map_err(|malformed| *malformed)?;
        let earlier = grant.map(|grant| grant.earlier.as_slice()).unwrap_or_default();
        let claimed = Instant::now();
        let mail = mail::sales(lead, earlier, address, &self.letterhead, self.clock.now())?;
        let accepted = self.send(&mail).await?;
        // What may have sent a second mail says so: whoever looks into one finds the cause in the log.
        let (lead_id, reference, mail_id) = (lead.id, &lead.reference, &mail.message_id);
        match grant {
            None => {
                warn!(%lead_id, %reference, mail = %mail_id, "mailed without a claim: the CRM did not answer")
            }
            Some(_) if claimed.elapsed() > self.ledger.lease() => {
                warn!(%lead_id, %reference, mail = %mail_id, "mailed after the claim had ended");
            }
            Some(_) => info!(%lead_id, %reference, mail = %mail_id, "told"),
        }
        let (recipient, now) = (Recipient::Sales(address), self.clock.now());
        self.metrics.mailed(now - lead.submitted_at);
        Ok(Notification::new(lead, recipient, &mail, &accepted, now, errand.audience))
    }

    async fn send(&self, mail: &Mail) -> Result<Accepted, SendError> {
        let started = Instant::now();
        let result = self.mailer.send(mail).await;
        self.metrics.sent(&result, started.elapsed().as_secs_f64());
        match &result {
            Ok(_) => self.gate.passed(),
            Err(error) => match error.scope() {
                Scope::Server => self.gate.close(error),
                Scope::Mail | Scope::ForGood => {}
            },
        }
        result
    }

    /// Says what was told over both roads, as far as it was not said: the broker's message lasts, and the ledger's
    /// answer keeps others from mailing before that message is read. A lead that the ledger, which does not answer, may
    /// not have goes with the message.
    async fn report(
        &self,
        progress: &mut Progress,
        trace: Option<&TraceParent>,
        unseen: Option<&Submission>,
    ) -> Result<(), Setback> {
        let Some(notification) = &progress.notification else { return Ok(()) };
        let publish = async {
            progress.published || self.publisher.publish(&notification.event(unseen), trace).await.is_ok()
        };
        let settle =
            async { progress.settled || (unseen.is_none() && self.ledger.told(notification).await.is_ok()) };
        let (published, settled) = tokio::join!(publish, settle);
        for (road, taken) in
            [(Road::Broker, published && !progress.published), (Road::Grpc, settled && !progress.settled)]
        {
            if taken {
                self.metrics.reported(Some(road));
            }
        }
        (progress.published, progress.settled) = (published, settled);
        if published || settled {
            crash::point("notifier-reported");
            Ok(())
        } else {
            self.metrics.reported(None);
            Err(Setback::Unreported)
        }
    }
}

fn gathered(
    errand: &Errand<'_>,
    lead: Lead,
    recipient: &Address,
    grant: Grant,
    progress: OwnedMutexGuard<Progress>,
) -> Gathered {
    Gathered {
        submission: errand.submission.clone(),
        lead,
        audience: errand.audience.clone(),
        recipient: recipient.clone(),
        grant,
        claimed: Instant::now(),
        progress,
    }
}
