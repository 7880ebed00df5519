//! A CRM in memory, whose state and requests the tests inspect.

use std::{
    iter,
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex},
};

use contracts::{
    crm::v1::{
        crm_service_server::{CrmService, CrmServiceServer},
        *,
    },
    leads::v1::LeadSubmitted,
};
use lead::{EmailKey, PhoneNumber};
use prost_types::Timestamp;
use runtime::lifecycle::Lifecycle;
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status, async_trait,
    codegen::tokio_stream::{self, Stream},
    transport::{Server, server::TcpIncoming},
};

/// Number of leads in one message of an export.
const AT_ONCE: usize = 100;

/// Maximum number of listed failed deliveries.
const LISTED: usize = 1000;

/// The data of the CRM, and the requests that it received.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) leads: Vec<Lead>,
    pub(crate) filters: Vec<LeadFilter>,
    pub(crate) changes: Vec<UpdateLeadRequest>,
    pub(crate) counted: Vec<CountLeadsRequest>,
    pub(crate) erasures: Vec<ErasePersonRequest>,
    pub(crate) failed: Vec<DeliverySummary>,
    pub(crate) filters_of_deliveries: Vec<DeliveryFilter>,
    pub(crate) replays: Vec<DeliveryFilter>,
    pub(crate) discards: Vec<DiscardDeliveriesRequest>,
    /// Counts of the brochure.
    pub(crate) brochure: SendBrochureResponse,
    /// Number of messages after which an export fails.
    pub(crate) breaks_after: Option<usize>,
    /// Number of generated leads, which replace the stored leads in an export.
    pub(crate) made_up: Option<u32>,
}

/// A running CRM.
pub(crate) struct Fake {
    pub(crate) address: SocketAddr,
    pub(crate) state: Arc<Mutex<State>>,
}

impl Fake {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::<Mutex<State>>::default();
        let server = Server::builder().add_service(CrmServiceServer::new(Crm(Arc::clone(&state))));
        Lifecycle::new().spawn("crm", server.serve_with_incoming(TcpIncoming::from(listener)));
        Self { address, state }
    }

    /// Stores a lead.
    pub(crate) fn add_lead(&self, submission: LeadSubmitted) {
        self.state.lock().unwrap().leads.push(lead(submission));
    }
}

fn lead(submission: LeadSubmitted) -> Lead {
    Lead {
        recorded_at: submission.submitted_at,
        contact_id: submission.lead_id.clone(),
        progress: Some(Progress { state: LeadState::New.into(), ..Progress::default() }),
        submission: Some(submission),
        ..Lead::default()
    }
}

struct Crm(Arc<Mutex<State>>);

impl Crm {
    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> Result<Response<T>, Status> {
        Ok(Response::new(work(&mut self.0.lock().unwrap())))
    }
}

/// For calls that no test makes.
fn unused<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("not in this test"))
}

fn is_theirs(lead: &Lead, person: &str) -> bool {
    let submission = lead.submission.as_ref().unwrap();
    let phone = PhoneNumber::parse(person);
    EmailKey::new(&submission.email) == EmailKey::new(person)
        || phone.is_some() && PhoneNumber::parse(&submission.mobile) == phone
}

impl State {
    fn matching(&self, filter: &DeliveryFilter) -> Vec<DeliverySummary> {
        self.failed.iter().filter(|failed| matches(filter, failed)).cloned().collect()
    }

    /// Removes the matching deliveries and returns their number.
    fn decide(&mut self, filter: &DeliveryFilter) -> u64 {
        let before = self.failed.len();
        self.failed.retain(|failed| !matches(filter, failed));
        (before - self.failed.len()) as u64
    }
}

fn matches(filter: &DeliveryFilter, failed: &DeliverySummary) -> bool {
    let seconds = |time: Option<Timestamp>| time.map_or(i64::MIN, |it| it.seconds);
    (filter.lead_id.is_empty() || filter.lead_id == failed.lead_id)
        && (filter.recipient.is_empty() || filter.recipient == failed.recipient)
        && seconds(filter.since) <= seconds(failed.since)
}

type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[async_trait]
impl CrmService for Crm {
    async fn record_lead(
        &self,
        _: Request<RecordLeadRequest>,
    ) -> Result<Response<RecordLeadResponse>, Status> {
        unused()
    }

    async fn withdraw_lead(
        &self,
        _: Request<WithdrawLeadRequest>,
    ) -> Result<Response<WithdrawLeadResponse>, Status> {
        unused()
    }

    async fn get_lead(&self, request: Request<GetLeadRequest>) -> Result<Response<GetLeadResponse>, Status> {
        let wanted = match request.into_inner().key.unwrap() {
            get_lead_request::Key::LeadId(id) => id,
            get_lead_request::Key::Reference(reference) => reference.to_uppercase(),
        };
        let state = self.0.lock().unwrap();
        let is_it = |lead: &&Lead| {
            let submission = lead.submission.as_ref().unwrap();
            submission.lead_id == wanted || submission.reference == wanted
        };
        let found: Vec<_> = state.leads.iter().filter(is_it).cloned().collect();
        match <[Lead; 1]>::try_from(found) {
            Ok([lead]) => Ok(Response::new(GetLeadResponse { lead: Some(lead) })),
            Err(none) if none.is_empty() => Err(Status::not_found(format!("there is no lead {wanted}"))),
            Err(several) => {
                let ids: Vec<_> = several.into_iter().map(|it| it.submission.unwrap().lead_id).collect();
                Err(Status::failed_precondition(format!("{wanted} names several leads: {}", ids.join(", "))))
            }
        }
    }

    async fn list_leads(
        &self,
        request: Request<ListLeadsRequest>,
    ) -> Result<Response<ListLeadsResponse>, Status> {
        self.with(|state| {
            state.filters.extend(request.into_inner().filter);
            ListLeadsResponse { leads: state.leads.clone(), next_page_token: String::new() }
        })
    }

    async fn claim_deliveries(
        &self,
        _: Request<ClaimDeliveriesRequest>,
    ) -> Result<Response<ClaimDeliveriesResponse>, Status> {
        unused()
    }

    async fn report_deliveries(
        &self,
        _: Request<ReportDeliveriesRequest>,
    ) -> Result<Response<ReportDeliveriesResponse>, Status> {
        unused()
    }

    async fn lease_pending(
        &self,
        _: Request<LeasePendingRequest>,
    ) -> Result<Response<LeasePendingResponse>, Status> {
        unused()
    }

    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Result<Response<ListDeliveriesResponse>, Status> {
        let filter = request.into_inner().filter.unwrap();
        self.with(|state| {
            let mut deliveries = state.matching(&filter);
            let total = deliveries.len() as u64;
            deliveries.truncate(LISTED);
            state.filters_of_deliveries.push(filter);
            ListDeliveriesResponse { deliveries, total }
        })
    }

    async fn retry_deliveries(
        &self,
        request: Request<RetryDeliveriesRequest>,
    ) -> Result<Response<RetryDeliveriesResponse>, Status> {
        let filter = request.into_inner().filter.unwrap();
        self.with(|state| {
            let deliveries = state.decide(&filter);
            state.replays.push(filter);
            RetryDeliveriesResponse { deliveries }
        })
    }

    async fn discard_deliveries(
        &self,
        request: Request<DiscardDeliveriesRequest>,
    ) -> Result<Response<DiscardDeliveriesResponse>, Status> {
        let request = request.into_inner();
        self.with(|state| {
            let deliveries = state.decide(request.filter.as_ref().unwrap());
            state.discards.push(request);
            DiscardDeliveriesResponse { deliveries }
        })
    }

    async fn update_lead(
        &self,
        request: Request<UpdateLeadRequest>,
    ) -> Result<Response<UpdateLeadResponse>, Status> {
        let request = request.into_inner();
        self.with(|state| {
            let (to, owner) = (request.state, request.owner.clone().unwrap_or_default());
            state.changes.push(request);
            let at = Some(Timestamp { seconds: 1_772_337_906, nanos: 0 });
            let changed_by = "leadctl".to_owned();
            let progress = Progress {
                state: to,
                owner,
                changed_at: at,
                changed_by,
                contacted_at: at,
                ..Progress::default()
            };
            UpdateLeadResponse { progress: Some(progress) }
        })
    }

    type ExportLeadsStream = Streamed<ExportLeadsResponse>;

    async fn export_leads(
        &self,
        request: Request<ExportLeadsRequest>,
    ) -> Result<Response<Self::ExportLeadsStream>, Status> {
        let mut state = self.0.lock().unwrap();
        state.filters.extend(request.into_inner().filter);
        if let Some(count) = state.made_up {
            let chunk = move |first: u32| {
                let numbers = first..=count.min(first + u32::try_from(AT_ONCE).unwrap() - 1);
                let leads = numbers.map(crate::support::lead).map(lead).collect();
                Ok(ExportLeadsResponse { leads, total: count.into() })
            };
            let chunks = (1..=count).step_by(AT_ONCE).map(chunk);
            return Ok(Response::new(Box::pin(tokio_stream::iter(chunks))));
        }
        let total = u64::try_from(state.leads.len()).unwrap();
        let chunks = state.leads.chunks(AT_ONCE).map(<[Lead]>::to_vec);
        let messages = chunks.map(|leads| Ok(ExportLeadsResponse { leads, total }));
        let mut messages: Vec<_> = messages.collect();
        if let Some(whole) = state.breaks_after {
            messages.truncate(whole);
            messages.extend(iter::once(Err(Status::unavailable("the database is away"))));
        }
        Ok(Response::new(Box::pin(tokio_stream::iter(messages))))
    }

    async fn count_leads(
        &self,
        request: Request<CountLeadsRequest>,
    ) -> Result<Response<CountLeadsResponse>, Status> {
        let request = request.into_inner();
        self.with(|state| {
            let spans =
                (0..).zip(&request.from).map(|(leads, _)| Count { leads, ..Count::default() }).collect();
            let states = vec![StateCount { state: LeadState::New.into(), leads: 3 }];
            let total = Some(Count { leads: 3, states, spam: 1, ..Count::default() });
            let contact = |seconds| Some(prost_types::Duration { seconds, nanos: 0 });
            state.counted.push(request);
            CountLeadsResponse {
                spans,
                total,
                median_to_contact: contact(2520),
                p90_to_contact: contact(18_600),
            }
        })
    }

    type ExportPersonStream = Streamed<ExportPersonResponse>;

    async fn export_person(
        &self,
        request: Request<ExportPersonRequest>,
    ) -> Result<Response<Self::ExportPersonStream>, Status> {
        let person = request.into_inner().person;
        let state = self.0.lock().unwrap();
        let theirs = state.leads.iter().filter(|lead| is_theirs(lead, &person)).cloned();
        let pages: Vec<_> = theirs.map(|lead| Ok(ExportPersonResponse { leads: vec![lead] })).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(pages))))
    }

    async fn erase_person(
        &self,
        request: Request<ErasePersonRequest>,
    ) -> Result<Response<ErasePersonResponse>, Status> {
        let request = request.into_inner();
        self.with(|state| {
            let mut lead_ids = request.lead_ids.clone();
            state.leads.retain(|lead| {
                let id = &lead.submission.as_ref().unwrap().lead_id;
                let goes =
                    !request.email.is_empty() && is_theirs(lead, &request.email) || lead_ids.contains(id);
                if goes && !lead_ids.contains(id) {
                    lead_ids.push(id.clone());
                }
                !goes
            });
            state.erasures.push(request);
            ErasePersonResponse { lead_ids }
        })
    }

    async fn merge_people(
        &self,
        _: Request<MergePeopleRequest>,
    ) -> Result<Response<MergePeopleResponse>, Status> {
        unused()
    }

    async fn split_person(
        &self,
        _: Request<SplitPersonRequest>,
    ) -> Result<Response<SplitPersonResponse>, Status> {
        unused()
    }

    async fn send_brochure(
        &self,
        request: Request<SendBrochureRequest>,
    ) -> Result<Response<SendBrochureResponse>, Status> {
        let limit = u64::from(request.into_inner().limit);
        self.with(|state| {
            let brochure = &mut state.brochure;
            if limit == 0 {
                let counted = *brochure;
                // By the next call they are emailed.
                brochure.delivered += std::mem::take(&mut brochure.waiting);
                return counted;
            }
            let requested = limit.min(brochure.left);
            brochure.left -= requested;
            brochure.waiting += requested;
            let left = brochure.left.min(1);
            SendBrochureResponse { requested, left, ..SendBrochureResponse::default() }
        })
    }

    async fn mail_lead(&self, _: Request<MailLeadRequest>) -> Result<Response<MailLeadResponse>, Status> {
        unused()
    }

    async fn claim_task(&self, _: Request<ClaimTaskRequest>) -> Result<Response<ClaimTaskResponse>, Status> {
        unused()
    }

    async fn finish_task(
        &self,
        _: Request<FinishTaskRequest>,
    ) -> Result<Response<FinishTaskResponse>, Status> {
        unused()
    }

    async fn check_token(
        &self,
        _: Request<CheckTokenRequest>,
    ) -> Result<Response<CheckTokenResponse>, Status> {
        unused()
    }
}
