//! Tracks the sales team's progress with a lead.

use chrono::TimeDelta;
use contracts::crm::v1 as crm;
use lead::{
    ClosingReason, LeadState, RequestKind,
    field::{optional_text, optional_time, uuid},
    parse_email, parse_mobile, parse_name,
    text::{ascii_line, search_key, single_line},
};
use sea_orm::{
    ActiveModelTrait, IntoActiveModel, Set,
    prelude::{DateTimeUtc, Uuid},
};

use super::{
    dnc_check::DncCheck,
    do_not_contact,
    lock::{SUPPRESSION_LOCK, lock_leads, lock_people},
};
use crate::{
    auth::PERSON_LENGTH,
    db::{
        Result, Store,
        audit::Call,
        error::StoreError,
        transaction::{Purpose, Transaction},
    },
    deliveries::request,
    error::Invalid,
    leads::{
        row,
        timeline::{self, Event, entry},
    },
};

const NOTE_LENGTH: usize = 2000;

/// Within this time, a repeated note or result is added once.
const ONCE_WITHIN: TimeDelta = TimeDelta::minutes(1);

/// The lead's `changed_at` when the author read the lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen(pub Option<DateTimeUtc>);

/// A change to a lead's progress. `None` leaves a field unchanged, except that a state also replaces the next step.
#[derive(Clone, Default)]
pub struct Change {
    pub lead_id: Uuid,
    pub state: Option<LeadState>,
    pub owner: Option<String>,
    pub next_step_at: Option<DateTimeUtc>,
    pub closing_reason: Option<ClosingReason>,
    pub do_not_contact: Option<bool>,
    /// The withdrawal that the author has read. Contact after another withdrawal is not allowed.
    pub seen_withdrawn_at: Option<DateTimeUtc>,
    /// The corrected name.
    pub name: Option<String>,
    /// The corrected phone number.
    pub mobile: Option<String>,
    /// The corrected email address.
    pub email: Option<String>,
    /// A result of the Do Not Call registry, which is added to the timeline.
    pub dnc_check: Option<DncCheck>,
    /// Added to the timeline unless empty.
    pub note: String,
    /// The change is rejected if the lead has changed since. `None` skips this check.
    pub seen: Option<Seen>,
    /// The client, or the person who uses the desk.
    pub author: String,
}

impl Store {
    pub async fn update_lead(&self, change: &Change) -> Result<crm::Progress> {
        let call = Call {
            author: &change.author,
            action: "change",
        };
        // A correction or a mark may change all leads of the person.
        let purpose = Purpose::of_person("update lead");
        self.write_audited(purpose, call, |tx| async move {
            Ok((change.apply(&tx).await?, vec![change.lead_id]))
        })
        .await
    }
}

impl Change {
    pub(crate) fn parse(
        request: crm::UpdateLeadRequest,
        author: String,
        now: DateTimeUtc,
    ) -> Result<Self, Invalid> {
        let owner = request
            .owner
            .map(|owner| optional_text("owner", owner.trim(), PERSON_LENGTH))
            .transpose()?;
        let seen = request
            .seen
            .map(|seen| optional_time("seen", seen.changed_at).map(Seen))
            .transpose()?;
        let typed = |text: &str| Some(single_line(text)).filter(|_| !text.is_empty());
        let email = Some(request.email.as_str()).filter(|email| !email.is_empty());
        Ok(Self {
            lead_id: uuid("lead_id", &request.lead_id)?,
            state: LeadState::from_contract(request.state)?,
            owner,
            next_step_at: optional_time("next_step_at", request.next_step_at)?,
            closing_reason: ClosingReason::from_contract(request.closing_reason)?,
            do_not_contact: request.do_not_contact,
            seen_withdrawn_at: optional_time("seen_withdrawn_at", request.seen_withdrawn_at)?,
            name: typed(&request.name).map(|it| parse_name(&it)).transpose()?,
            mobile: typed(&request.mobile)
                .map(|it| parse_mobile(&it))
                .transpose()?,
            email: email.map(|it| parse_email(&ascii_line(it))).transpose()?,
            dnc_check: request
                .dnc_check
                .map(|check| DncCheck::parse(check, now))
                .transpose()?,
            note: optional_text("note", request.note.trim(), NOTE_LENGTH)?,
            seen,
            author,
        })
    }

    /// The row after the change at `now`. Only changed columns are set.
    fn change_row(&self, row: &row::Model, now: DateTimeUtc) -> row::ActiveModel {
        let mut after = row.clone().into_active_model();
        if let Some(state) = self.state {
            let closing_reason = self.closing_reason.filter(|_| state == LeadState::Closed);
            after.state.set_if_not_equals(state.id().to_owned());
            after
                .closing_reason
                .set_if_not_equals(closing_reason.map_or("", ClosingReason::id).to_owned());
        }
        if let Some(owner) = &self.owner {
            after.owner.set_if_not_equals(owner.clone());
            after.owner_key.set_if_not_equals(search_key(owner));
        }
        if self.state.is_some() || self.next_step_at.is_some() {
            after.next_step_at.set_if_not_equals(self.next_step_at);
        }
        if let Some(do_not_contact) = self.do_not_contact {
            let since = row.do_not_contact_at.unwrap_or(now);
            after
                .do_not_contact_at
                .set_if_not_equals(do_not_contact.then_some(since));
        }
        if after.is_changed() {
            after.changed_at = Set(Some(now));
            after.changed_by = Set(self.author.clone());
            let is_contacted = matches!(
                self.state,
                Some(LeadState::Contacted | LeadState::VisitBooked)
            );
            if is_contacted && row.contacted_at.is_none() {
                after.contacted_at = Set(Some(now));
            }
        }
        after
    }

    pub(super) async fn apply(&self, tx: &Transaction) -> Result<crm::Progress> {
        if self.name.is_some() || self.mobile.is_some() || self.email.is_some() {
            self.correct(tx).await
        } else {
            self.change_progress(tx).await
        }
    }

    pub(super) async fn change_progress(&self, tx: &Transaction) -> Result<crm::Progress> {
        let locked = match self.do_not_contact {
            Some(_) => {
                tx.advisory_lock(SUPPRESSION_LOCK).await?;
                lock_people(tx, &[self.lead_id], None).await?
            }
            None => lock_leads(tx, &[self.lead_id]).await?,
        };
        let before = locked.lead(self.lead_id)?;
        let now = tx.now().await?;
        let change = self.change_row(before, now);
        // A change that is already stored succeeds, because a client may repeat it after a lost response.
        if change.is_changed() {
            self.check_seen(before)?;
        }
        if matches!(change.do_not_contact_at, Set(None)) {
            self.check_new_consent(tx, before).await?;
        }
        self.add_remarks(tx, before, now).await?;
        if !change.is_changed() {
            return Ok(before.progress());
        }
        if let Set(since) = change.do_not_contact_at {
            let leads: Vec<&row::Model> = locked.leads().collect();
            if let Some(since) = since {
                do_not_contact::mark(tx, &leads, since, None, &self.author).await?;
            } else {
                do_not_contact::allow(tx, &leads, &before.mailbox_hash, &self.author).await?;
            }
        }
        let has_progressed = change.state.is_set()
            || change.owner.is_set()
            || change.next_step_at.is_set()
            || change.closing_reason.is_set();
        let progress = change.update(&tx.db).await?.progress();
        if has_progressed {
            let progressed = Event::Progressed(entry::Progressed {
                state: progress.state,
                owner: progress.owner.clone(),
                client: progress.changed_by.clone(),
                next_step_at: progress.next_step_at,
                closing_reason: progress.closing_reason,
            });
            timeline::add(tx, &[self.lead_id], &progressed).await?;
        }
        let owner = &progress.owner;
        if !owner.is_empty() && *owner != before.owner && *owner != self.author {
            request::email_person(tx, before, RequestKind::Lead, owner).await?;
        }
        Ok(progress)
    }

    /// Rejects the change if the lead has changed since the author read it.
    pub(super) fn check_seen(&self, lead: &row::Model) -> Result<()> {
        match self.seen {
            Some(seen) if seen != Seen(lead.changed_at) => Err(StoreError::Changed),
            Some(_) | None => Ok(()),
        }
    }

    /// Adds the note and the result of the Do Not Call registry to the timeline. Skips those that a client repeats after a
    /// lost response.
    async fn add_remarks(
        &self,
        tx: &Transaction,
        before: &row::Model,
        now: DateTimeUtc,
    ) -> Result<()> {
        let client = || self.author.clone();
        let noted = Some(self.note.clone())
            .filter(|text| !text.is_empty())
            .map(|text| {
                Event::Noted(entry::Noted {
                    text,
                    client: client(),
                })
            });
        let checked = self.dnc_check.as_ref().map(|check| {
            Event::DncChecked(entry::DncChecked {
                check: Some(check.to_message()),
                client: client(),
            })
        });
        let last_change = before.changed_at.max(before.contact_changed_at);
        let since = last_change.max(Some(now - ONCE_WITHIN)).unwrap_or(now);
        for event in noted.into_iter().chain(checked) {
            if !timeline::contains(tx, self.lead_id, &event, since).await? {
                timeline::add(tx, &[self.lead_id], &event).await?;
            }
        }
        Ok(())
    }

    /// Rejects contact after a withdrawal that the author has not seen, or without a note about the new consent.
    async fn check_new_consent(&self, tx: &Transaction, lead: &row::Model) -> Result<()> {
        let withdrawn = do_not_contact::find_withdrawal(&tx.db, &tx.suppression, lead).await?;
        match withdrawn {
            Some(at) if self.seen_withdrawn_at != Some(at) => Err(StoreError::Changed),
            Some(_) if self.note.is_empty() => Err(StoreError::NoConsentNote),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use lead::Lead;
    use sea_orm::TryIntoModel;

    use super::*;
    use crate::leads::{Source, keys::Keys};

    fn change(state: Option<LeadState>, owner: Option<&str>) -> Change {
        Change {
            lead_id: Uuid::from_u128(1),
            state,
            owner: owner.map(str::to_owned),
            author: "leadctl".to_owned(),
            ..Change::default()
        }
    }

    fn at(seconds: i64) -> DateTimeUtc {
        DateTimeUtc::from_timestamp(seconds, 0).unwrap()
    }

    fn new_lead() -> row::Model {
        let lead = Lead::empty(Uuid::from_u128(1), at(0));
        row::to_row(&lead, &Keys::from_lead(&lead), None, Source::Grpc)
    }

    /// The row after a change, or `None` if the change has no effect.
    fn changed(row: &row::Model, change: &Change, seconds: i64) -> Option<row::Model> {
        let after = change.change_row(row, at(seconds));
        after.is_changed().then(|| after.try_into_model().unwrap())
    }

    #[test]
    fn first_contact_keeps_its_time() {
        let visiting =
            changed(&new_lead(), &change(Some(LeadState::VisitBooked), None), 1).unwrap();
        assert_eq!(
            (visiting.contacted_at, visiting.changed_at),
            (Some(at(1)), Some(at(1)))
        );
        let back = changed(&visiting, &change(Some(LeadState::New), None), 2).unwrap();
        let contacted = changed(&back, &change(Some(LeadState::Contacted), None), 3).unwrap();
        assert_eq!(
            (contacted.contacted_at, contacted.changed_at),
            (Some(at(1)), Some(at(3)))
        );
    }

    #[test]
    fn state_replaces_next_step_and_only_closed_has_reason() {
        let step = |at| Change {
            next_step_at: Some(at),
            ..change(None, None)
        };
        let again = changed(&new_lead(), &step(at(50)), 1).unwrap();
        assert_eq!(
            (again.state.as_str(), again.next_step_at, again.contacted_at),
            ("new", Some(at(50)), None)
        );
        let given = changed(&again, &change(None, Some("Mei")), 2).unwrap();
        assert_eq!(
            given.next_step_at,
            Some(at(50)),
            "another owner keeps the next step"
        );
        let closing = |state| Change {
            closing_reason: Some(ClosingReason::Bought),
            ..change(Some(state), None)
        };
        let closed = changed(&given, &closing(LeadState::Closed), 3).unwrap();
        assert_eq!(
            (closed.next_step_at, closed.closing_reason.as_str()),
            (None, "bought")
        );
        let open = changed(&closed, &closing(LeadState::New), 4).unwrap();
        assert_eq!(open.closing_reason, "");
    }

    #[test]
    fn first_do_not_contact_request_keeps_its_time() {
        let asked = |do_not_contact| Change {
            do_not_contact: Some(do_not_contact),
            ..change(None, None)
        };
        let silent = changed(&new_lead(), &asked(true), 1).unwrap();
        assert_eq!(silent.do_not_contact_at, Some(at(1)));
        assert!(changed(&silent, &asked(true), 2).is_none());
        assert_eq!(
            changed(&silent, &asked(false), 3)
                .unwrap()
                .do_not_contact_at,
            None
        );
    }

    #[test]
    fn closing_does_not_count_as_contact() {
        for state in [LeadState::Closed, LeadState::Invalid] {
            assert_eq!(
                changed(&new_lead(), &change(Some(state), None), 1)
                    .unwrap()
                    .contacted_at,
                None
            );
        }
    }

    #[test]
    fn absent_fields_and_equal_values_change_nothing() {
        let taken = changed(&new_lead(), &change(None, Some("Mei")), 1).unwrap();
        assert_eq!((taken.state.as_str(), taken.owner.as_str()), ("new", "Mei"));
        assert!(changed(&taken, &change(Some(LeadState::New), Some("Mei")), 2).is_none());
        assert!(changed(&taken, &change(None, None), 2).is_none());
        let free = changed(&taken, &change(Some(LeadState::Closed), Some("")), 2).unwrap();
        assert_eq!((free.state.as_str(), free.owner.as_str()), ("closed", ""));
    }

    fn parsed(state: i32, owner: Option<&str>) -> Result<Change, Invalid> {
        let lead_id = "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned();
        let owner = owner.map(str::to_owned);
        let request = crm::UpdateLeadRequest {
            lead_id,
            state,
            owner,
            ..crm::UpdateLeadRequest::default()
        };
        Change::parse(request, "leadctl".to_owned(), at(0))
    }

    #[test]
    fn empty_owner_is_a_change_and_an_absent_owner_is_not() {
        let nothing = parsed(0, None).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(nothing.state.is_none() && nothing.owner.is_none());
        let no_owner = parsed(4, Some(" ")).unwrap_or_else(|invalid| panic!("{invalid}"));
        assert!(no_owner.state == Some(LeadState::Closed) && no_owner.owner.as_deref() == Some(""));
    }

    #[test]
    fn rejects_unknown_states_and_long_owners() {
        assert_eq!(
            parsed(9, None).err(),
            Some(lead::FieldError::UnknownValue("state").into())
        );
        assert_eq!(
            parsed(1, Some(&"x".repeat(101))).err(),
            Some(lead::FieldError::TooLong("owner", 100).into())
        );
    }
}
