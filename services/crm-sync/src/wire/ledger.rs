//! Claims, leases, reports and notes.

use std::time::Duration;

use contracts::crm::v1::{
    self as crm, ClaimRecipientRequest, ClaimRecipientResponse, LeaseUntoldRequest, NoteLeadRequest,
    ReportRecipientRequest, claim_recipient_response as response, report_recipient_request as reported,
};

use super::{
    Invalid,
    decode::{address, filled, limited, storable, submission, told, uuid},
    encode::other_lead,
};
use crate::{
    domain::{
        ledger::{Answer, Claim, Lease, Outcome, Setback, Told, VISITOR},
        timeline::{Action, Note, Reason},
    },
    store::Claimed,
};

/// Longest name of a holder.
const HOLDER_LENGTH: usize = 200;

/// Longest reason of an operator.
const WHY_LENGTH: usize = 500;

/// What came of mailing one recipient.
pub enum Report {
    /// They were told.
    Told(Told),
    /// They were not.
    Setback(Setback),
}

/// A claim, as the notifier makes it.
///
/// # Errors
/// [`Invalid`] when the notifier could never have made it.
pub fn claim(request: ClaimRecipientRequest) -> Result<Claim, Invalid> {
    let recipients =
        request.recipients.iter().map(|it| address("recipients", it)).collect::<Result<_, _>>()?;
    if request.visitor.is_some() != (request.recipient == VISITOR) {
        return Err(Invalid::NotVisitor);
    }
    Ok(Claim {
        submission: submission(request.lead.ok_or(Invalid::Missing("lead"))?)?,
        recipient: address("recipient", &request.recipient)?,
        recipients,
        holder: holder(&request.holder)?,
        lease: some_time("lease", request.lease)?,
        daily_limit: request.visitor.map(|visitor| visitor.daily_limit),
    })
}

/// What the ledger says to a claim.
#[must_use]
pub fn answer(claimed: Claimed) -> ClaimRecipientResponse {
    let answer = match claimed.answer {
        Answer::Granted { attempt } => {
            let earlier = claimed.earlier.into_iter().map(other_lead).collect();
            response::Answer::Granted(response::Granted { attempt, earlier })
        }
        Answer::AlreadyTold => response::Answer::AlreadyTold(response::AlreadyTold {}),
        Answer::Held { remaining } => {
            // Too long for the contract is a mistake of whoever claimed; its longest is long enough to wait.
            let longest = prost_types::Duration { seconds: i64::MAX, nanos: 0 };
            let remaining = Some(remaining.try_into().unwrap_or(longest));
            response::Answer::Held(response::Held { remaining })
        }
        Answer::Erased => response::Answer::Erased(response::Erased {}),
        Answer::Declined => response::Answer::Declined(response::Declined {}),
    };
    ClaimRecipientResponse { answer: Some(answer) }
}

/// A wish for leads that nobody was told of.
///
/// # Errors
/// [`Invalid`] when the notifier could never have wished it.
pub fn lease(request: LeaseUntoldRequest) -> Result<Lease, Invalid> {
    Ok(Lease {
        holder: holder(&request.holder)?,
        untold_for: duration("untold_for", request.untold_for)?,
        lease: some_time("lease", request.lease)?,
        limit: request.limit,
    })
}

/// What came of mailing, as the notifier says it.
///
/// # Errors
/// [`Invalid`] when the notifier could never have said it.
pub fn report(request: ReportRecipientRequest) -> Result<Report, Invalid> {
    let lead_id = uuid("lead_id", &request.lead_id)?;
    let recipient = address("recipient", &request.recipient)?;
    let outcome = match request.outcome.ok_or(Invalid::Missing("outcome"))? {
        reported::Outcome::Told(message) => {
            let told = told(message)?;
            if told.notification.lead_id != lead_id {
                return Err(Invalid::Mismatch("lead_id"));
            }
            if told.notification.recipient != recipient {
                return Err(Invalid::Mismatch("recipient"));
            }
            return Ok(Report::Told(told));
        }
        reported::Outcome::Waiting(waiting) => Outcome::Waiting {
            at_least: duration("waiting.at_least", waiting.at_least)?,
            reason: reason("waiting.reason", waiting.reason)?,
        },
        reported::Outcome::Parked(parked) => Outcome::Parked(reason("parked.reason", parked.reason)?),
        reported::Outcome::Released(reported::Released {}) => Outcome::Released,
        reported::Outcome::Declined(declined) => {
            Outcome::Declined(reason("declined.reason", declined.reason)?)
        }
    };
    let holder = holder(&request.holder)?;
    Ok(Report::Setback(Setback { lead_id, recipient, holder, outcome }))
}

/// What an operator did, as `client` says.
///
/// # Errors
/// [`Invalid`] when a field is none that there is.
pub fn note(request: NoteLeadRequest, client: String) -> Result<Note, Invalid> {
    let action = crm::Action::try_from(request.action).map_err(|_| Invalid::UnknownValue("action"))?;
    let action = match action {
        crm::Action::Unspecified => return Err(Invalid::UnknownValue("action")),
        crm::Action::Replayed => Action::Replayed,
        crm::Action::Discarded => Action::Discarded,
    };
    let why = limited("why", &request.why, WHY_LENGTH)?;
    Ok(Note { lead_id: uuid("lead_id", &request.lead_id)?, action, why, client })
}

pub(super) fn holder(text: &str) -> Result<String, Invalid> {
    filled("holder", text, HOLDER_LENGTH)
}

fn reason(field: &'static str, reason: Option<crm::Reason>) -> Result<Reason, Invalid> {
    let reason = reason.ok_or(Invalid::Missing(field))?;
    Ok(Reason { class: storable(&reason.class), detail: storable(&reason.detail) })
}

fn duration(field: &'static str, duration: Option<prost_types::Duration>) -> Result<Duration, Invalid> {
    let duration = duration.ok_or(Invalid::Missing(field))?;
    Duration::try_from(duration).map_err(|_| Invalid::NotDuration(field))
}

pub(super) fn some_time(
    field: &'static str,
    text: Option<prost_types::Duration>,
) -> Result<Duration, Invalid> {
    let length = duration(field, text)?;
    if length.is_zero() { Err(Invalid::NotDuration(field)) } else { Ok(length) }
}

#[cfg(test)]
mod tests {
    use contracts::{crm::v1::claim_recipient_request::Visitor, leads::v1::LeadSubmitted};

    use super::*;

    const ID: &str = "6f9619ff-8b86-5011-b42d-00cf4fc964ff";

    fn lead() -> LeadSubmitted {
        LeadSubmitted {
            lead_id: ID.to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            submitted_at: Some(prost_types::Timestamp { seconds: 1, nanos: 0 }),
            interests: vec![1],
            name: "n".to_owned(),
            mobile: "12345678".to_owned(),
            email: "a@b.co".to_owned(),
            language: 1,
            ..LeadSubmitted::default()
        }
    }

    fn waiting() -> ReportRecipientRequest {
        ReportRecipientRequest {
            lead_id: ID.to_owned(),
            recipient: "sales@example.com".to_owned(),
            holder: "notifier-1".to_owned(),
            outcome: Some(reported::Outcome::Waiting(reported::Waiting {
                at_least: Some(prost_types::Duration { seconds: 5, nanos: 0 }),
                reason: Some(crm::Reason::default()),
            })),
        }
    }

    fn refused(change: impl FnOnce(&mut ReportRecipientRequest)) -> Option<Invalid> {
        let mut changed = waiting();
        change(&mut changed);
        report(changed).err()
    }

    #[test]
    fn a_report_says_whose_and_what() {
        assert_eq!(refused(|_| {}), None);
        let released = Some(reported::Outcome::Released(reported::Released {}));
        assert_eq!(refused(|it| it.outcome = released), None);
        assert_eq!(refused(|it| it.lead_id.clear()), Some(Invalid::NotUuid("lead_id")));
        assert_eq!(refused(|it| it.recipient.clear()), Some(Invalid::Empty("recipient")));
        assert_eq!(refused(|it| it.holder.clear()), Some(Invalid::Empty("holder")));
        assert_eq!(refused(|it| it.outcome = None), Some(Invalid::Missing("outcome")));
        let parked = Some(reported::Outcome::Parked(reported::Parked { reason: None }));
        assert_eq!(refused(|it| it.outcome = parked), Some(Invalid::Missing("parked.reason")));
    }

    #[test]
    fn the_visitor_has_a_limit_and_nobody_else() {
        let recipients = |recipient: &str, visitor| ClaimRecipientRequest {
            lead: Some(lead()),
            recipient: recipient.to_owned(),
            recipients: Vec::new(),
            holder: "notifier-1".to_owned(),
            lease: Some(prost_types::Duration { seconds: 60, nanos: 0 }),
            visitor,
        };
        let limit = |recipient, visitor| claim(recipients(recipient, visitor)).map(|claim| claim.daily_limit);
        let two = Some(Visitor { daily_limit: 2 });
        assert_eq!(limit("visitor", two), Ok(Some(2)));
        assert_eq!(limit("sales@example.com", None), Ok(None));
        assert_eq!(limit("visitor", None), Err(Invalid::NotVisitor));
        assert_eq!(limit("sales@example.com", two), Err(Invalid::NotVisitor));
    }

    #[test]
    fn lengths_of_time_go_forward() {
        let lease = |seconds, nanos| {
            let lease = Some(prost_types::Duration { seconds, nanos });
            let untold_for = Some(prost_types::Duration::default());
            lease_of(LeaseUntoldRequest { holder: "n".to_owned(), untold_for, lease, limit: 1 })
        };
        assert_eq!(lease(60, 1), Ok(Duration::new(60, 1)));
        for (seconds, nanos) in [(0, 0), (-1, 0), (0, -1)] {
            assert_eq!(lease(seconds, nanos), Err(Invalid::NotDuration("lease")), "{seconds}.{nanos}");
        }
    }

    fn lease_of(request: LeaseUntoldRequest) -> Result<Duration, Invalid> {
        lease(request).map(|lease| lease.lease)
    }

    #[test]
    fn a_note_has_an_action() {
        let request =
            |action, why: &str| NoteLeadRequest { lead_id: ID.to_owned(), action, why: why.to_owned() };
        let refusal = |action, why: &str| note(request(action, why), "leadctl".to_owned()).err();
        assert_eq!(refusal(1, ""), None);
        assert_eq!(refusal(0, ""), Some(Invalid::UnknownValue("action")));
        assert_eq!(refusal(9, ""), Some(Invalid::UnknownValue("action")));
        assert_eq!(refusal(2, &"x".repeat(501)), Some(Invalid::TooLong("why", 500)));
    }
}
