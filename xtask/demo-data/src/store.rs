//! Stores a launch in the CRM's database, with times in the past, which no call of the CRM accepts.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use contracts::crm::v1::timeline_entry::{Event, Progressed};
use crm_sync::{db::Store, leads::Source};
use lead::{ClosingReason, Lead, LeadState, Recipient, field::timestamp, text::search_key};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, Statement, TransactionTrait, Value,
};
use serde_json::json;
use uuid::Uuid;

use crate::launch::{EmailKind, EmailState, LaunchLead, VisitorEmail};

/// Leads per transaction. Few, because the services write, too.
const BATCH: usize = 200;

/// The wait before a reminder, by default.
const REMINDER_WAIT: TimeDelta = TimeDelta::minutes(15);

/// The recipient of all emails to the sales team.
const SALES: &str = "mei@zyongrand.example";

/// The author of erasures in the audit.
const AUTHOR: &str = "demo-data";

/// An open database of the CRM.
pub struct Target<'t> {
    pub store: &'t Store,
    /// The same database.
    pub connection: &'t DatabaseConnection,
}

impl Target<'_> {
    /// Whether a lead is stored.
    ///
    /// # Errors
    /// The database fails.
    pub async fn has_lead(&self, id: Uuid) -> Result<bool> {
        let select = self.statement("SELECT 1 FROM lead WHERE id = $1", [id.into()]);
        Ok(self.connection.query_one_raw(select).await?.is_some())
    }

    /// Stores the leads. No notifier sends an email for them, because their finished deliveries are stored first.
    ///
    /// # Errors
    /// The database fails. A part of the leads may be stored.
    pub async fn store(&self, leads: &[LaunchLead]) -> Result<()> {
        for batch in leads.chunks(BATCH) {
            self.store_deliveries(batch)
                .await
                .context("cannot store deliveries")?;
            let submissions: Vec<Lead> = batch.iter().map(|lead| lead.submission.clone()).collect();
            self.store
                .record_leads(Source::Broker, &submissions)
                .await
                .context("cannot store leads")?;
            self.store_progress(batch)
                .await
                .context("cannot store what became of the leads")?;
        }
        let erased = leads.iter().filter(|lead| lead.is_erased);
        let erased: Vec<Uuid> = erased.map(|lead| lead.submission.id).collect();
        self.store
            .erase_people(&[], &erased, AUTHOR)
            .await
            .context("cannot erase leads")?;
        Ok(())
    }

    async fn store_deliveries(&self, leads: &[LaunchLead]) -> Result<()> {
        let transaction = self.connection.begin().await?;
        for lead in leads {
            let id = lead.submission.id;
            let sent_at = lead.submission.submitted_at + TimeDelta::seconds(2);
            let to_sales = Row {
                recipient: Recipient::Sales(SALES.to_owned()),
                state: EmailState::Delivered,
                changed_at: sent_at,
            };
            // Otherwise notifier would remind sales of the leads of the last day.
            let reminder = Row {
                recipient: Recipient::Reminder(SALES.to_owned()),
                changed_at: sent_at + REMINDER_WAIT,
                ..to_sales.clone()
            };
            let is_waiting = lead.state == LeadState::New;
            let to_visitor = lead.emails.iter().map(Row::from);
            let rows = to_visitor
                .chain([to_sales])
                .chain(is_waiting.then_some(reminder));
            for row in rows {
                self.insert_delivery(&transaction, id, &row).await?;
            }
        }
        Ok(transaction.commit().await?)
    }

    async fn insert_delivery(
        &self,
        transaction: &DatabaseTransaction,
        lead_id: Uuid,
        row: &Row,
    ) -> Result<()> {
        let is_delivered = row.state == EmailState::Delivered;
        let (state, reason, detail) = match row.state {
            EmailState::Delivered => ("delivered", "", ""),
            EmailState::Deferred => ("deferred", "smtp", "451 4.7.1 Try again later"),
            EmailState::Failed => ("failed", "smtp", "550 5.1.1 Unknown user"),
            EmailState::Cancelled => ("cancelled", "limit", "too many emails to the visitor"),
        };
        let text = |text: &str| Value::from(text.to_owned());
        let values = [
            lead_id.into(),
            text(&row.recipient.to_string()),
            text(state),
            (row.state == EmailState::Deferred)
                .then_some(row.changed_at)
                .into(),
            text(reason),
            text(detail),
            row.changed_at.into(),
            text(if is_delivered {
                "<demo@zyongrand.example>"
            } else {
                ""
            }),
            text(if is_delivered { "250 2.0.0 OK" } else { "" }),
            is_delivered.then_some(row.changed_at).into(),
            row.recipient.is_requested().into(),
        ];
        let insert = self.statement(
            "INSERT INTO delivery (lead_id, recipient, state, holder, until, attempts, reason_class, reason_detail,
                changed_at, mail_message_id, server_reply, delivered_at, requested)
            VALUES ($1, $2, $3, '', $4, 1, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
            values,
        );
        transaction.execute_raw(insert).await?;
        Ok(())
    }

    async fn store_progress(&self, leads: &[LaunchLead]) -> Result<()> {
        let transaction = self.connection.begin().await?;
        for lead in leads {
            self.update_lead(&transaction, lead).await?;
            for (at, state) in steps(lead) {
                self.insert_event(&transaction, lead, at, state).await?;
            }
        }
        Ok(transaction.commit().await?)
    }

    async fn update_lead(
        &self,
        transaction: &DatabaseTransaction,
        lead: &LaunchLead,
    ) -> Result<()> {
        let text = |text: &str| Value::from(text.to_owned());
        let last_change = lead.visit_booked_at.or(lead.contacted_at);
        let has_brochure = lead
            .emails
            .iter()
            .any(|email| email.kind == EmailKind::Brochure);
        let values = [
            lead.submission.id.into(),
            (lead.submission.submitted_at + TimeDelta::seconds(1)).into(),
            text(if lead.is_entered { "desk" } else { "broker" }),
            text(lead.state.id()),
            text(lead.owner),
            text(&search_key(lead.owner)),
            last_change.into(),
            text(if last_change.is_some() {
                lead.owner
            } else {
                ""
            }),
            lead.contacted_at.into(),
            lead.next_step_at.into(),
            text(lead.closing_reason.map_or("", ClosingReason::id)),
            lead.do_not_contact_at.into(),
            has_brochure.into(),
        ];
        let update = self.statement(
            "UPDATE lead SET recorded_at = $2, source = $3, state = $4, owner = $5, owner_key = $6, changed_at = $7,
                changed_by = $8, contacted_at = $9, next_step_at = $10, closing_reason = $11, do_not_contact_at = $12,
                brochure = $13, open = FALSE
            WHERE id = $1",
            values,
        );
        transaction.execute_raw(update).await?;
        Ok(())
    }

    async fn insert_event(
        &self,
        transaction: &DatabaseTransaction,
        lead: &LaunchLead,
        at: DateTime<Utc>,
        state: LeadState,
    ) -> Result<()> {
        let is_last = state == lead.state;
        let event = Event::Progressed(Progressed {
            state: LeadState::number(state),
            owner: lead.owner.to_owned(),
            client: lead.owner.to_owned(),
            next_step_at: lead.next_step_at.filter(|_| is_last).map(timestamp),
            closing_reason: ClosingReason::number(lead.closing_reason.filter(|_| is_last)),
        });
        let values = [lead.submission.id.into(), at.into(), json!(event).into()];
        let insert = self.statement(
            "INSERT INTO timeline (lead_id, at, recipient, details) VALUES ($1, $2, '', $3)",
            values,
        );
        transaction.execute_raw(insert).await?;
        Ok(())
    }

    fn statement(&self, text: &str, values: impl IntoIterator<Item = Value>) -> Statement {
        Statement::from_sql_and_values(self.connection.get_database_backend(), text, values)
    }
}

/// The states of a lead after the first, oldest first.
fn steps(lead: &LaunchLead) -> Vec<(DateTime<Utc>, LeadState)> {
    let contacted = lead.contacted_at.map(|at| (at, LeadState::Contacted));
    let booked = lead.visit_booked_at.map(|at| (at, LeadState::VisitBooked));
    let last_change = lead.visit_booked_at.or(lead.contacted_at);
    let closed = last_change
        .filter(|_| lead.state == LeadState::Closed)
        .map(|at| (at + TimeDelta::minutes(1), LeadState::Closed));
    [contacted, booked, closed].into_iter().flatten().collect()
}

/// A row of `delivery`.
#[derive(Clone)]
struct Row {
    recipient: Recipient,
    state: EmailState,
    changed_at: DateTime<Utc>,
}

impl From<&VisitorEmail> for Row {
    fn from(email: &VisitorEmail) -> Self {
        Self {
            recipient: match email.kind {
                EmailKind::Confirmation => Recipient::Visitor,
                EmailKind::Brochure => Recipient::Brochure,
            },
            state: email.state,
            changed_at: email.changed_at,
        }
    }
}
