//! Implements the calls of `crm.v1`. Each method checks the caller's role, parses the request, calls the store and logs
//! the call.

use std::{any::type_name, collections::BTreeSet, slice};

use contracts::{
    crm::v1::{crm_service_server::CrmService, get_lead_request::Key, *},
    leads::v1::SpamSignal,
};
use futures_util::{Stream, StreamExt, stream, stream::BoxStream};
use lead::{
    ConsentMeans, FieldError, Reference, RequestKind,
    field::{filled, uuid},
};
use runtime::{clock::SharedClock, crash};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, async_trait};
use tracing::info;
use uuid::Uuid;

use crate::{
    auth::{
        Caller, PERSON_LENGTH,
        Role::{self, Canary, Desk, Intake, Notifier, Operator, Sales},
    },
    db::{Store, audit::Call, error::StoreError},
    deliveries::{Claim, ClaimResult, DeliveryFilter, FailedAction, Lease, Reports, brochure},
    error::Invalid,
    leads::{Change, EnteredLead, Source, Withdrawal, parse_lead},
    metrics::Metrics,
    people::person::Person,
    search::{filter::Filter, lookup::Part},
    statistics::Spans,
    tasks::{self, TaskClaim},
};

/// Maximum number of lead ids in the error about an ambiguous reference.
const AMBIGUOUS_LISTED: u64 = 10;

/// Leads per message of an export. A page of the largest leads still fits into a client's message limit.
const EXPORT_PAGE: u32 = 250;

/// Leads with their history per message of an export. Stays well below a client's message limit.
const PERSON_EXPORT_PAGE: usize = 50;

/// Leads of other mailboxes per message of an export.
const POSSIBLE_LEADS_PAGE: usize = 250;

/// Maximum number of further email addresses of a person in one request.
const MOST_FURTHER_EMAILS: usize = 50;

/// Maximum length of an email address in the form. Phone numbers are shorter.
const ADDRESS_LENGTH: usize = 255;

/// Maximum number of leads in one request to split a person.
const MOST_LEADS: usize = 100;

type Reply<T> = Result<Response<T>, Status>;

type Pages<T> = BoxStream<'static, Result<T, Status>>;

pub(crate) struct Crm {
    pub(crate) store: Store,
    pub(crate) metrics: Metrics,
    pub(crate) clock: SharedClock,
    /// Ends exports when the process stops.
    pub(crate) stop: CancellationToken,
}

#[async_trait]
impl CrmService for Crm {
    async fn record_lead(&self, request: Request<RecordLeadRequest>) -> Reply<RecordLeadResponse> {
        let (caller, request) = admit(request, &[Intake, Notifier, Desk])?;
        let lead = parse_lead(request.lead, self.clock.now())?;
        let leads = slice::from_ref(&lead);
        let (source, recorded) = if caller.role == Desk {
            let entered = EnteredLead {
                submission: lead.clone(),
                consent_means: ConsentMeans::from_contract(request.consent_means)
                    .map_err(Invalid::from)?,
                confirm: request.confirm,
                person: caller.author(),
            };
            (Source::Desk, self.store.enter_lead(&entered).await?)
        } else {
            (
                Source::Grpc,
                self.store.record_leads(Source::Grpc, leads).await?,
            )
        };
        self.metrics.add_recorded(source, recorded, leads);
        crash::point("crm-sync-recorded");
        let created = recorded.created > 0;
        info!(client = %caller.name, lead_id = %lead.id, reference = %lead.reference, created, "RecordLead");
        Ok(Response::new(RecordLeadResponse { created }))
    }

    async fn withdraw_lead(
        &self,
        request: Request<WithdrawLeadRequest>,
    ) -> Reply<WithdrawLeadResponse> {
        let (caller, request) = admit(request, &[Intake])?;
        let withdrawal = Withdrawal::parse(request.withdrawal)?;
        let lead_id = withdrawal.lead_id;
        self.store.withdraw(&withdrawal).await?;
        info!(client = %caller.name, %lead_id, "WithdrawLead");
        Ok(Response::new(WithdrawLeadResponse {}))
    }

    async fn update_lead(&self, request: Request<UpdateLeadRequest>) -> Reply<UpdateLeadResponse> {
        let (caller, request) = admit(request, &[Desk, Sales, Operator])?;
        let change = Change::parse(request, caller.author(), self.clock.now())?;
        let id = change.lead_id;
        let progress = self.store.update_lead(&change).await?;
        info!(client = %caller.name, lead_id = %id, state = ?progress.state(), "UpdateLead");
        Ok(Response::new(UpdateLeadResponse {
            progress: Some(progress),
        }))
    }

    async fn mail_lead(&self, request: Request<MailLeadRequest>) -> Reply<MailLeadResponse> {
        let (caller, request) = admit(request, &[Desk])?;
        let id = parse_id("lead_id", &request.lead_id)?;
        let person =
            filled("person", request.person.trim(), PERSON_LENGTH).map_err(Invalid::from)?;
        let kind = if request.brochure {
            RequestKind::BrochureTest
        } else {
            RequestKind::Login
        };
        self.store
            .request_email(id, kind, &person, &caller.author())
            .await?;
        info!(client = %caller.name, lead_id = %id, "MailLead");
        Ok(Response::new(MailLeadResponse {}))
    }

    async fn get_lead(&self, request: Request<GetLeadRequest>) -> Reply<GetLeadResponse> {
        let (caller, request) = admit(request, &[Canary, Desk, Sales, Operator])?;
        let id = match request
            .key
            .ok_or(Invalid::from(FieldError::Missing("key")))?
        {
            Key::LeadId(id) => parse_id("lead_id", &id)?,
            Key::Reference(reference) => self.id_by_reference(&reference).await?,
        };
        let lead = self.store.lead(id).await?;
        let is_canary = lead
            .submission
            .as_ref()
            .is_some_and(|it| it.signals == [SpamSignal::Canary as i32]);
        if caller.role == Canary && !is_canary {
            return Err(StoreError::NoSuchLead(id).into());
        }
        self.audit_read(&caller, "read", &[id]).await?;
        info!(client = %caller.name, lead_id = %id, "GetLead");
        Ok(Response::new(GetLeadResponse { lead: Some(lead) }))
    }

    async fn list_leads(&self, request: Request<ListLeadsRequest>) -> Reply<ListLeadsResponse> {
        let (caller, request) = admit(request, &[Notifier, Desk, Sales, Operator])?;
        let token = Some(request.page_token).filter(|token| !token.is_empty());
        let after = token.map(|id| parse_id("page_token", &id)).transpose()?;
        let filter = Filter::parse(request.filter.unwrap_or_default())?;
        let page = self
            .store
            .page(&filter, after, request.page_size, &[])
            .await?;
        self.audit_read(&caller, "list", &page.ids).await?;
        info!(client = %caller.name, leads = page.leads.len(), "ListLeads");
        let next_page_token = page.last.map(|id| id.to_string()).unwrap_or_default();
        Ok(Response::new(ListLeadsResponse {
            leads: page.leads,
            next_page_token,
        }))
    }

    async fn count_leads(&self, request: Request<CountLeadsRequest>) -> Reply<CountLeadsResponse> {
        let (caller, request) = admit(request, &[Notifier, Sales, Operator])?;
        let counted = self.store.count_leads(&Spans::parse(request)?).await?;
        self.audit_read(&caller, "count", &[]).await?;
        info!(client = %caller.name, leads = counted.total.as_ref().map(|total| total.leads), "CountLeads");
        Ok(Response::new(counted))
    }

    type ExportLeadsStream = Pages<ExportLeadsResponse>;

    /// Reads each page when the client has room for it, so memory does not grow with the export.
    async fn export_leads(
        &self,
        request: Request<ExportLeadsRequest>,
    ) -> Reply<Self::ExportLeadsStream> {
        let (caller, request) = admit(request, &[Sales, Operator])?;
        let filter = Filter::parse(request.filter.unwrap_or_default())?;
        let total = self.store.total(&filter).await?;
        info!(client = %caller.name, leads = total, "ExportLeads");
        let store = self.store.clone();
        let author = caller.author();
        // Only the first message contains the total.
        let pages = stream::try_unfold(Some((None, total)), move |position| {
            let store = store.clone();
            let filter = filter.clone();
            let author = author.clone();
            async move {
                let Some((after, total)) = position else {
                    return Ok(None);
                };
                let page = store
                    .page(&filter, after, EXPORT_PAGE, &[Part::SameNumber])
                    .await?;
                let call = Call {
                    author: &author,
                    action: "export",
                };
                store.audit_read(call, &page.ids).await?;
                let message = ExportLeadsResponse {
                    leads: page.leads,
                    total,
                };
                Ok(Some((message, page.last.map(|after| (Some(after), 0)))))
            }
        });
        Ok(Response::new(self.until_stop(pages)))
    }

    async fn claim_deliveries(
        &self,
        request: Request<ClaimDeliveriesRequest>,
    ) -> Reply<ClaimDeliveriesResponse> {
        let (caller, request) = admit(request, &[Notifier])?;
        let claim = Claim::parse(request, self.clock.now())?;
        let claimed = self.store.claim(&claim).await?;
        self.metrics.add_claimed(&claim.submission, &claimed);
        crash::point("crm-sync-claimed");
        let granted = claimed
            .results
            .iter()
            .filter(|it| matches!(it, ClaimResult::Granted { .. }))
            .count();
        let (lead_id, holder) = (claim.submission.id, &claim.holder);
        info!(client = %caller.name, %lead_id, holder, granted, "ClaimDeliveries");
        Ok(Response::new(claimed.into_message(claim.recipients)))
    }

    async fn report_deliveries(
        &self,
        request: Request<ReportDeliveriesRequest>,
    ) -> Reply<ReportDeliveriesResponse> {
        let (caller, request) = admit(request, &[Notifier])?;
        let reports = Reports::parse(request)?;
        let recorded = self.store.report(&reports).await?;
        self.metrics.add_reported(&reports, recorded);
        let count = reports.reports.len();
        info!(client = %caller.name, lead_id = %reports.lead_id, reports = count, "ReportDeliveries");
        Ok(Response::new(ReportDeliveriesResponse {}))
    }

    async fn lease_pending(
        &self,
        request: Request<LeasePendingRequest>,
    ) -> Reply<LeasePendingResponse> {
        let (caller, request) = admit(request, &[Notifier])?;
        let lease = Lease::parse(request)?;
        let leased = self.store.lease(&lease).await?;
        let leads = leased.leads.len();
        let notices = leased.erasure_notices.len() + leased.update_notices.len();
        if leads + notices > 0 {
            self.metrics.add_leased(leads);
            info!(client = %caller.name, holder = lease.holder, leads, notices, "LeasePending");
        }
        Ok(Response::new(leased))
    }

    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Reply<ListDeliveriesResponse> {
        let (caller, request) = admit(request, &[Operator])?;
        let filter = DeliveryFilter::parse(request.filter)?;
        let listed = self.store.list_deliveries(&filter, request.failed).await?;
        let listed_ids = parse_ids(listed.deliveries.iter().map(|it| &it.lead_id))?;
        let leads: BTreeSet<Uuid> = listed_ids.into_iter().collect();
        self.audit_read(&caller, "list-deliveries", &Vec::from_iter(leads))
            .await?;
        info!(client = %caller.name, total = listed.total, "ListDeliveries");
        Ok(Response::new(listed))
    }

    async fn retry_deliveries(
        &self,
        request: Request<RetryDeliveriesRequest>,
    ) -> Reply<RetryDeliveriesResponse> {
        let (caller, request) = admit(request, &[Operator])?;
        let filter = DeliveryFilter::parse(request.filter)?;
        let deliveries = self
            .store
            .resolve_failed(&filter, &FailedAction::Retry, &caller.name)
            .await?;
        info!(client = %caller.name, deliveries, "RetryDeliveries");
        Ok(Response::new(RetryDeliveriesResponse { deliveries }))
    }

    async fn discard_deliveries(
        &self,
        request: Request<DiscardDeliveriesRequest>,
    ) -> Reply<DiscardDeliveriesResponse> {
        let (caller, request) = admit(request, &[Operator])?;
        let action = FailedAction::discard(&request.reason)?;
        let filter = DeliveryFilter::parse(request.filter)?;
        let deliveries = self
            .store
            .resolve_failed(&filter, &action, &caller.name)
            .await?;
        info!(client = %caller.name, deliveries, "DiscardDeliveries");
        Ok(Response::new(DiscardDeliveriesResponse { deliveries }))
    }

    async fn send_brochure(
        &self,
        request: Request<SendBrochureRequest>,
    ) -> Reply<SendBrochureResponse> {
        let (caller, request) = admit(request, &[Desk, Sales, Operator])?;
        let submitted_from = brochure::parse_start(&request)?;
        let sent = match request.limit {
            0 => {
                let counted = self.store.count_brochures(submitted_from).await?;
                self.audit_read(&caller, "count", &[]).await?;
                counted
            }
            limit => {
                self.store
                    .send_brochures(submitted_from, limit, &caller.author())
                    .await?
            }
        };
        info!(client = %caller.name, requested = sent.requested, left = sent.left, "SendBrochure");
        Ok(Response::new(sent))
    }

    type ExportPersonStream = Pages<ExportPersonResponse>;

    async fn export_person(
        &self,
        request: Request<ExportPersonRequest>,
    ) -> Reply<Self::ExportPersonStream> {
        let (caller, request) = admit(request, &[Operator])?;
        let person = parse_person("person", &request.person)?;
        let is_mailbox = matches!(person, Person::Email(_));
        let mut people = parse_further_emails(&request.further_emails)?;
        people.push(person);
        let ids = self.store.ids_of_people(&people).await?;
        let others = if is_mailbox {
            self.store.find_possible_leads(&people, &ids).await?
        } else {
            Vec::new()
        };
        // The audit comes first: a call that cannot be recorded must return no data.
        let others_shown = parse_ids(others.iter().map(|lead| &lead.lead_id))?;
        let shown = [ids.as_slice(), others_shown.as_slice()].concat();
        self.audit_read(&caller, "export-person", &shown).await?;
        info!(client = %caller.name, leads = ids.len(), others = others.len(), "ExportPerson");
        let pages: Vec<_> = ids
            .chunks(PERSON_EXPORT_PAGE)
            .map(<[Uuid]>::to_vec)
            .collect();
        let store = self.store.clone();
        let pages = stream::iter(pages).then(move |ids| {
            let store = store.clone();
            async move {
                Ok(ExportPersonResponse {
                    leads: store.leads(&ids).await?,
                    others: Vec::new(),
                })
            }
        });
        let others: Vec<_> = others
            .chunks(POSSIBLE_LEADS_PAGE)
            .map(|others| {
                Ok(ExportPersonResponse {
                    leads: Vec::new(),
                    others: others.to_vec(),
                })
            })
            .collect();
        Ok(Response::new(
            self.until_stop(pages.chain(stream::iter(others))),
        ))
    }

    async fn erase_person(
        &self,
        request: Request<ErasePersonRequest>,
    ) -> Reply<ErasePersonResponse> {
        let (caller, request) = admit(request, &[Operator])?;
        let (people, also) = parse_erasure(&request)?;
        let erased = self
            .store
            .erase_people(&people, &also, &caller.name)
            .await?;
        self.metrics.add_erased("person", erased.len() as u64);
        info!(client = %caller.name, leads = erased.len(), "ErasePerson");
        Ok(Response::new(ErasePersonResponse {
            lead_ids: texts(erased),
        }))
    }

    async fn merge_people(
        &self,
        request: Request<MergePeopleRequest>,
    ) -> Reply<MergePeopleResponse> {
        let (caller, request) = admit(request, &[Sales, Operator])?;
        let kept = parse_id("lead_id", &request.lead_id)?;
        let joining = parse_id("other_lead_id", &request.other_lead_id)?;
        let moved = self.store.merge_people(kept, joining, &caller.name).await?;
        info!(client = %caller.name, leads = moved.len(), "MergePeople");
        Ok(Response::new(MergePeopleResponse {
            moved_lead_ids: texts(moved),
        }))
    }

    async fn split_person(
        &self,
        request: Request<SplitPersonRequest>,
    ) -> Reply<SplitPersonResponse> {
        let (caller, request) = admit(request, &[Sales, Operator])?;
        let leads = parse_ids(&request.lead_ids)?;
        if leads.is_empty() || leads.len() > MOST_LEADS {
            return Err(Invalid::NumberOfLeads.into());
        }
        let moved = self.store.split_person(&leads, &caller.name).await?;
        info!(client = %caller.name, leads = moved.len(), "SplitPerson");
        Ok(Response::new(SplitPersonResponse {
            moved_lead_ids: texts(moved),
        }))
    }

    async fn claim_task(&self, request: Request<ClaimTaskRequest>) -> Reply<ClaimTaskResponse> {
        let (caller, request) = admit(request, &[Notifier, Desk])?;
        let claim = TaskClaim::parse(request)?;
        if caller.role == Desk && !claim.is_for_desk() {
            return Err(Status::permission_denied(
                "role desk may only claim tasks of magic links and sessions, for up to 30 days",
            ));
        }
        let granted = self.store.claim_task(&claim).await?;
        info!(client = %caller.name, task = claim.name, holder = claim.holder, granted, "ClaimTask");
        Ok(Response::new(ClaimTaskResponse { granted }))
    }

    async fn finish_task(&self, request: Request<FinishTaskRequest>) -> Reply<FinishTaskResponse> {
        let (caller, request) = admit(request, &[Notifier, Desk])?;
        let (task, holder) = tasks::parse_name_and_holder(&request.task, &request.holder)?;
        if caller.role == Desk && !tasks::is_for_desk(&task) {
            return Err(Status::permission_denied(
                "role desk may only finish tasks of magic links and sessions",
            ));
        }
        self.store.finish_task(&task, &holder).await?;
        info!(client = %caller.name, task, holder, "FinishTask");
        Ok(Response::new(FinishTaskResponse {}))
    }

    /// Succeeds for every role, because `authenticate` has already validated the token.
    async fn check_token(&self, _: Request<CheckTokenRequest>) -> Reply<CheckTokenResponse> {
        Ok(Response::new(CheckTokenResponse {}))
    }
}

impl Crm {
    /// Records which leads a person reads. The call fails if the rows cannot be written. Changes are recorded in their own
    /// transaction.
    async fn audit_read(
        &self,
        caller: &Caller,
        action: &'static str,
        leads: &[Uuid],
    ) -> Result<(), Status> {
        if caller.role.is_audited() {
            let author = &caller.author();
            self.store
                .audit_read(Call { author, action }, leads)
                .await?;
        }
        Ok(())
    }

    async fn id_by_reference(&self, typed: &str) -> Result<Uuid, Status> {
        let reference: Reference = typed
            .parse()
            .map_err(|error| Invalid::from(FieldError::from(error)))?;
        let leads = self
            .store
            .find_by_reference(&reference, AMBIGUOUS_LISTED)
            .await?;
        let kept: Vec<Uuid> = leads
            .iter()
            .filter(|(_, erased_at)| erased_at.is_none())
            .map(|(id, _)| *id)
            .collect();
        match kept[..] {
            [] => Err(match leads.first() {
                Some((erased, _)) => StoreError::Erased(*erased).into(),
                None => Status::not_found(format!("there is no lead {reference}")),
            }),
            [id] => Ok(id),
            _ => Err(Status::failed_precondition(format!(
                "{reference} matches several leads, use one of these ids: {}",
                texts(kept).join(", ")
            ))),
        }
    }

    /// Ends the stream with an error when the process stops, so clients do not treat a partial export as complete.
    fn until_stop<T: Send + 'static>(
        &self,
        pages: impl Stream<Item = Result<T, Status>> + Send + 'static,
    ) -> Pages<T> {
        let stop = self.stop.clone();
        let stopping = || Status::unavailable("crm-sync is stopping: export again");
        pages
            .map(move |page| {
                if stop.is_cancelled() {
                    Err(stopping())
                } else {
                    page
                }
            })
            .boxed()
    }
}

/// Returns the caller and the message. Rejects callers that have none of these roles.
fn admit<T>(request: Request<T>, roles: &[Role]) -> Result<(Caller, T), Status> {
    let caller = request.extensions().get::<Caller>().cloned();
    let caller = caller.ok_or_else(|| Status::unauthenticated("missing token"))?;
    caller.check_role(roles, type_name::<T>())?;
    Ok((caller, request.into_inner()))
}

fn texts(ids: impl IntoIterator<Item = Uuid>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

fn parse_id(field: &'static str, text: &str) -> Result<Uuid, Invalid> {
    Ok(uuid(field, text)?)
}

fn parse_ids(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Vec<Uuid>, Invalid> {
    texts
        .into_iter()
        .map(|text| parse_id("lead_ids", text.as_ref()))
        .collect()
}

fn parse_person(field: &'static str, typed: &str) -> Result<Person, Invalid> {
    Person::parse(&filled(field, typed.trim(), ADDRESS_LENGTH)?).ok_or(Invalid::NotPerson)
}

fn parse_further_emails(typed: &[String]) -> Result<Vec<Person>, Invalid> {
    if typed.len() > MOST_FURTHER_EMAILS {
        return Err(Invalid::NumberOfEmails);
    }
    let emails = typed
        .iter()
        .map(|typed| parse_email("further_emails", typed));
    emails.collect()
}

/// Rejects a phone number, because several people may share it.
fn parse_email(field: &'static str, typed: &str) -> Result<Person, Invalid> {
    match parse_person(field, typed)? {
        Person::Digits(_) => Err(Invalid::SharedNumber),
        person @ Person::Email(_) => Ok(person),
    }
}

/// Returns the people to erase and the ids of further leads, which may not be stored yet.
fn parse_erasure(request: &ErasePersonRequest) -> Result<(Vec<Person>, Vec<Uuid>), Invalid> {
    let also = parse_ids(&request.lead_ids)?;
    let mut people = parse_further_emails(&request.further_emails)?;
    if !request.email.is_empty() || (also.is_empty() && people.is_empty()) {
        people.push(parse_email("email", &request.email)?);
    }
    Ok((people, also))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_people_without_repeating_them() {
        assert!(
            parse_person("person", " wei@example.com ").is_ok()
                && parse_person("person", "+65 9123 4567").is_ok()
        );
        for (typed, refusal) in [
            (" ", FieldError::Empty("person").into()),
            ("陈伟", Invalid::NotPerson),
            ("12", Invalid::NotPerson),
            (
                &format!("{}@b.co", "x".repeat(251)),
                FieldError::TooLong("person", 255).into(),
            ),
        ] {
            assert!(
                parse_person("person", typed).err() == Some(refusal),
                "{typed}"
            );
        }
        let request = |email: &str, id: &str| {
            parse_erasure(&ErasePersonRequest {
                email: email.to_owned(),
                lead_ids: vec![id.to_owned()],
                ..ErasePersonRequest::default()
            })
        };
        let seven = Uuid::from_u128(7).to_string();
        assert!(
            request("wei@example.com", "7").err() == Some(FieldError::NotUuid("lead_ids").into())
        );
        assert!(request("wei@example.com", &seven).is_ok());
        assert!(
            request("", &seven).is_ok_and(|(people, also)| people.is_empty() && also.len() == 1)
        );
        assert!(request(" ", &seven).err() == Some(FieldError::Empty("email").into()));
        assert!(request("9123 4567", &seven).err() == Some(Invalid::SharedNumber));
    }
}
