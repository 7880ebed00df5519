//! Requests one reminder for each lead that waits for its first contact.

use chrono::{DateTime, Utc};
use contracts::crm::v1 as crm;
use lead::{FieldError, Interest, LeadState, Recipient, field::required_time};
use sea_orm::prelude::Uuid;

use super::{
    ledger::{Ledger, OTHER_OWNER, Obstacle, reason},
    parse::parse_recipient,
    row::{self, Leases},
};
use crate::{
    db::{Result, Store},
    error::Invalid,
    leads::{lock::select_for_update, row as lead_row, source::Source},
};

/// Leads per call.
const LARGEST_BATCH: u64 = 256;

/// Reason class of reminders that nobody needs any more.
const CLASS: &str = "reminder";

/// The value of `signals` for a lead without signs of spam.
const NO_SIGNALS: &str = "[]";

/// The leads for which [`find_reason_against`] may find no reason. `other-owner` is [`OTHER_OWNER`].
const CANDIDATES: &str = "
    SELECT * FROM lead
    WHERE state = 'new' AND submitted_at > $1 AND submitted_at <= $2 AND erased_at IS NULL
        AND contacted_at IS NULL AND next_step_at IS NULL
        AND do_not_contact_at IS NULL AND erasure_requested_at IS NULL
        AND signals = '[]' AND source <> 'desk'
        AND (interests LIKE '%\"purchase\"%' OR interests LIKE '%\"showflat\"%')
        AND EXISTS (SELECT 1 FROM delivery WHERE lead_id = id AND NOT requested
            AND recipient <> 'visitor' AND recipient NOT LIKE 'webhook:%'
            AND state = 'delivered' AND delivered_at <= $2)
        AND NOT EXISTS (SELECT 1 FROM delivery WHERE lead_id = id AND recipient LIKE 'reminder:%'
            AND NOT (state = 'cancelled' AND reason_class = 'other-owner'))
    ORDER BY submitted_at, id LIMIT $3";

/// Which leads get a reminder, and from whom its recipient is chosen.
#[derive(Clone)]
pub struct Reminders {
    /// Older leads get no reminder.
    pub submitted_after: DateTime<Utc>,
    /// The sales team must have had the lead at this time.
    pub waiting_since: DateTime<Utc>,
    /// Addresses to remind of leads without an owner.
    pub default_recipients: Vec<String>,
}

impl Store {
    /// Adds a reminder, due immediately, for each lead that waits for its first contact and has none. Returns the number of
    /// leads.
    pub async fn request_reminders(&self, reminders: &Reminders) -> Result<u64> {
        self.write("request reminders", |tx| async move {
            let values = [
                reminders.submitted_after.into(),
                reminders.waiting_since.into(),
                LARGEST_BATCH.into(),
            ];
            let candidates = select_for_update(&tx, CANDIDATES, values).await?;
            // Loaded after locking the leads, because another transaction may have changed the deliveries.
            let ids: Vec<Uuid> = candidates.iter().map(|lead| lead.id).collect();
            let mut ledger = row::load(&tx, &ids).await?;
            let mut reminded = Vec::new();
            for lead in &candidates {
                let is_due = reminders.is_due(lead, &ledger);
                if is_due && ledger.remind(lead.id, &reminders.recipients_of(lead)) {
                    reminded.push(lead);
                }
            }
            let leads = reminded.len() as u64;
            row::save(&tx, &ledger, reminded, Leases::End).await?;
            Ok(leads)
        })
        .await
    }
}

impl Reminders {
    pub(crate) fn parse(request: crm::RequestRemindersRequest) -> Result<Self, Invalid> {
        const RECIPIENTS: &str = "default_recipients";
        let mut default_recipients = Vec::new();
        for text in &request.default_recipients {
            let Recipient::Sales(address) = parse_recipient(RECIPIENTS, text)? else {
                return Err(FieldError::UnknownValue(RECIPIENTS).into());
            };
            default_recipients.push(address);
        }
        if default_recipients.is_empty() {
            return Err(FieldError::Empty(RECIPIENTS).into());
        }
        Ok(Self {
            submitted_after: required_time("submitted_after", request.submitted_after)?,
            waiting_since: required_time("waiting_since", request.waiting_since)?,
            default_recipients,
        })
    }

    /// Whether nobody has contacted the visitor although the sales team has had the lead since [`Self::waiting_since`].
    fn is_due(&self, lead: &lead_row::Model, ledger: &Ledger) -> bool {
        let is_recent = lead.submitted_at > self.submitted_after;
        let has_waited = |since: DateTime<Utc>| since <= self.waiting_since;
        is_recent
            && has_waited(lead.submitted_at)
            && ledger
                .find_first_sales_email(lead.id)
                .is_some_and(has_waited)
            && find_reason_against(lead).is_none()
    }

    fn recipients_of(&self, lead: &lead_row::Model) -> Vec<Recipient> {
        if lead.owner.is_empty() {
            let addresses = self.default_recipients.iter().cloned();
            addresses.map(Recipient::Reminder).collect()
        } else {
            vec![Recipient::Reminder(lead.owner.clone())]
        }
    }
}

/// Why a claimed reminder to `to` must not be sent. The lead may have changed since the request.
pub(super) fn find_obstacle(lead: &lead_row::Model, to: &str) -> Option<Obstacle> {
    if let Some(detail) = find_reason_against(lead) {
        return Some(Obstacle::Cancel(reason(CLASS, detail)));
    }
    if is_responsible(lead, to) {
        return None;
    }
    let detail = "the lead has another owner";
    Some(Obstacle::Cancel(reason(OTHER_OWNER, detail)))
}

/// Whether `to` is the owner, or an address if the lead has no owner.
fn is_responsible(lead: &lead_row::Model, to: &str) -> bool {
    if lead.owner.is_empty() {
        Recipient::from(to).sales_address().is_some()
    } else {
        lead.owner == to
    }
}

/// Why nobody needs a reminder of the lead. `None` if a buyer waits for the first contact.
fn find_reason_against(lead: &lead_row::Model) -> Option<&'static str> {
    if lead.erased_at.is_some() {
        return Some("the lead is erased or a canary");
    }
    if lead.do_not_contact_at.is_some() {
        return Some("the visitor is marked as do not contact");
    }
    if lead.erasure_requested_at.is_some() {
        return Some("the visitor asked for erasure");
    }
    if lead.source == Source::Desk.into_str() {
        return Some("the sales team entered the lead by hand");
    }
    if lead.signals != NO_SIGNALS {
        return Some("the lead may be spam");
    }
    let is_buyers = |interest: &Interest| match interest {
        Interest::Purchase | Interest::Showflat => true,
        Interest::Brochure => false,
    };
    if !lead_row::interests(&lead.interests).iter().any(is_buyers) {
        return Some("the visitor asked for the brochure only");
    }
    if lead.contacted_at.is_some() {
        return Some("the visitor was contacted");
    }
    if lead.state != LeadState::New.id() {
        return Some("the lead is not new any more");
    }
    if lead.next_step_at.is_some() {
        return Some("the next step is planned");
    }
    None
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use lead::{Lead, Outcome, Receipt, SpamSignal};

    use super::*;
    use crate::{
        db::tests::query_plan,
        deliveries::ledger::{ClaimTerms, ReportPath},
        leads::keys::Keys,
    };

    const ANNA: &str = "anna@sales.example";

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_000_000 + seconds, 0).unwrap()
    }

    fn to_row(lead: &Lead, source: Source) -> lead_row::Model {
        lead_row::to_row(lead, &Keys::from_lead(lead), None, source)
    }

    /// A lead, submitted at 0 seconds.
    fn buyer() -> Lead {
        Lead {
            interests: vec![Interest::Brochure, Interest::Purchase],
            ..Lead::empty(Uuid::from_u128(1), at(0))
        }
    }

    fn waiting() -> lead_row::Model {
        to_row(&buyer(), Source::Broker)
    }

    /// The deliveries of a lead whose email to Anna was delivered after this number of seconds.
    fn emailed_after(seconds: i64) -> Ledger {
        let mut ledger = Ledger::new(at(seconds), []);
        let anna = Recipient::from(ANNA);
        let terms = ClaimTerms {
            holder: "one",
            lease: std::time::Duration::from_secs(60),
        };
        let receipt = Receipt {
            delivered_at: at(seconds),
            ..Receipt::default()
        };
        let lead_id = Uuid::from_u128(1);
        ledger.claim(lead_id, &anna, terms, None);
        let outcome = Outcome::Delivered(receipt);
        ledger.report(lead_id, &anna, "one", &outcome, ReportPath::Call);
        ledger
    }

    /// The reminders of leads that waited at this time.
    fn reminders(waiting_since: i64) -> Reminders {
        Reminders {
            submitted_after: at(-100),
            waiting_since: at(waiting_since),
            default_recipients: vec![ANNA.to_owned()],
        }
    }

    #[test]
    fn is_due_once_sales_has_had_the_lead_long_enough() {
        let emailed = emailed_after(20);
        assert!(!reminders(19).is_due(&waiting(), &emailed));
        assert!(reminders(20).is_due(&waiting(), &emailed));
        let unsent = Ledger::new(at(0), []);
        assert!(!reminders(20).is_due(&waiting(), &unsent));
    }

    #[test]
    fn old_lead_is_not_due() {
        let old = Reminders {
            submitted_after: at(0),
            ..reminders(20)
        };
        assert!(!old.is_due(&waiting(), &emailed_after(20)));
    }

    #[test]
    fn either_interest_of_a_buyer_is_enough() {
        for (interests, is_buyer) in [
            (vec![Interest::Purchase], true),
            (vec![Interest::Showflat], true),
            (vec![Interest::Brochure, Interest::Showflat], true),
            (vec![Interest::Brochure], false),
        ] {
            let lead = Lead {
                interests: interests.clone(),
                ..buyer()
            };
            let row = to_row(&lead, Source::Grpc);
            assert_eq!(
                find_reason_against(&row).is_none(),
                is_buyer,
                "{interests:?}"
            );
        }
    }

    #[test]
    fn nobody_is_reminded_of_a_lead_that_does_not_wait() {
        let spam = Lead {
            signals: vec![SpamSignal::TooFast],
            ..buyer()
        };
        let canary = Lead {
            signals: vec![SpamSignal::Canary],
            ..buyer()
        };
        let now = Some(at(1));
        let cases = [
            ("by hand", to_row(&buyer(), Source::Desk)),
            ("spam", to_row(&spam, Source::Broker)),
            ("canary", to_row(&canary, Source::Broker)),
            (
                "do not contact",
                lead_row::Model {
                    do_not_contact_at: now,
                    ..waiting()
                },
            ),
            (
                "erasure",
                lead_row::Model {
                    erasure_requested_at: now,
                    ..waiting()
                },
            ),
            (
                "erased",
                lead_row::Model {
                    erased_at: now,
                    ..waiting()
                },
            ),
            (
                "was contacted",
                lead_row::Model {
                    contacted_at: now,
                    ..waiting()
                },
            ),
            (
                "not new",
                lead_row::Model {
                    state: LeadState::Closed.id().to_owned(),
                    ..waiting()
                },
            ),
            (
                "planned",
                lead_row::Model {
                    next_step_at: now,
                    ..waiting()
                },
            ),
        ];
        for (detail, row) in cases {
            let reason = find_reason_against(&row).unwrap_or_default();
            assert!(reason.contains(detail), "{detail}: {reason}");
            assert!(!reminders(20).is_due(&row, &emailed_after(20)), "{detail}");
            let cancelled = find_obstacle(&row, ANNA);
            assert!(matches!(cancelled, Some(Obstacle::Cancel(why)) if why.class == CLASS));
        }
    }

    #[test]
    fn owner_takes_the_place_of_the_default_recipients() {
        let owned = lead_row::Model {
            owner: "Mei".to_owned(),
            ..waiting()
        };
        let unowned = waiting();
        let texts = |row: &lead_row::Model| {
            let recipients = reminders(20).recipients_of(row);
            recipients
                .iter()
                .map(Recipient::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(&unowned), ["reminder:anna@sales.example"]);
        assert_eq!(texts(&owned), ["reminder:Mei"]);
        for (row, to, is_sent) in [
            (&owned, "Mei", true),
            (&owned, "Wei", false),
            (&owned, ANNA, false),
            (&unowned, ANNA, true),
            (&unowned, "Mei", false),
        ] {
            let obstacle = find_obstacle(row, to);
            assert_eq!(obstacle.is_none(), is_sent, "{to}");
            if let Some(Obstacle::Cancel(why)) = obstacle {
                assert_eq!(why.class, OTHER_OWNER);
            }
        }
    }

    #[test]
    fn request_needs_addresses_of_the_sales_team() {
        let time = Some(lead::field::timestamp(at(0) + TimeDelta::seconds(1)));
        let parse = |default_recipients: &[&str]| {
            Reminders::parse(crm::RequestRemindersRequest {
                submitted_after: time,
                waiting_since: time,
                default_recipients: default_recipients.iter().map(ToString::to_string).collect(),
            })
        };
        assert!(parse(&[ANNA]).is_ok());
        for recipients in [&[][..], &["visitor"], &["person:Mei#1"], &[ANNA, ""]] {
            assert!(parse(recipients).is_err(), "{recipients:?}");
        }
    }

    #[tokio::test]
    async fn finding_leads_uses_the_index_of_states() {
        let values = [at(0).into(), at(1).into(), LARGEST_BATCH.into()];
        let plan = query_plan(CANDIDATES, values).await;
        assert!(plan.contains("lead_state"), "{plan}");
        assert!(!plan.contains("SCAN"), "{plan}");
    }
}
