//! Implements `PersonService`.

use contracts::crm::v1::{
    ErasePersonRequest, ErasePersonResponse, ExportPersonRequest, ExportPersonResponse,
    MergePeopleRequest, MergePeopleResponse, SplitPersonRequest, SplitPersonResponse,
    person_service_server::PersonService,
};
use futures_util::{StreamExt, stream};
use lead::field::required_text;
use tonic::{Request, Response, async_trait};
use tracing::info;
use uuid::Uuid;

use super::call::{Crm, Pages, Reply, authorize, parse_id, parse_ids, to_strings};
use crate::{
    auth::Role::{Operator, Sales},
    error::Invalid,
    people::person::Person,
};

/// Leads with their history per message of an export. Stays well below a client's message limit.
const PERSON_EXPORT_PAGE: usize = 50;

/// Leads of other mailboxes per message of an export.
const POSSIBLE_LEADS_PAGE: usize = 250;

/// Maximum number of further email addresses of a person in one request.
const MAX_FURTHER_EMAILS: usize = 50;

/// Maximum length of an email address in the form. Phone numbers are shorter.
const ADDRESS_LENGTH: usize = 255;

/// Maximum number of leads in one request to split a person.
const MAX_LEADS: usize = 100;

#[async_trait]
impl PersonService for Crm {
    type ExportPersonStream = Pages<ExportPersonResponse>;

    async fn export_person(
        &self,
        request: Request<ExportPersonRequest>,
    ) -> Reply<Self::ExportPersonStream> {
        let (caller, request) = authorize(request, &[Operator])?;
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
        let (caller, request) = authorize(request, &[Operator])?;
        let (people, also) = parse_erasure(&request)?;
        let erased = self
            .store
            .erase_people(&people, &also, &caller.name)
            .await?;
        self.metrics.add_erased("person", erased.len() as u64);
        info!(client = %caller.name, leads = erased.len(), "ErasePerson");
        Ok(Response::new(ErasePersonResponse {
            lead_ids: to_strings(erased),
        }))
    }

    async fn merge_people(
        &self,
        request: Request<MergePeopleRequest>,
    ) -> Reply<MergePeopleResponse> {
        let (caller, request) = authorize(request, &[Sales, Operator])?;
        let kept = parse_id("lead_id", &request.lead_id)?;
        let joining = parse_id("other_lead_id", &request.other_lead_id)?;
        let moved = self.store.merge_people(kept, joining, &caller.name).await?;
        info!(client = %caller.name, leads = moved.len(), "MergePeople");
        Ok(Response::new(MergePeopleResponse {
            moved_lead_ids: to_strings(moved),
        }))
    }

    async fn split_person(
        &self,
        request: Request<SplitPersonRequest>,
    ) -> Reply<SplitPersonResponse> {
        let (caller, request) = authorize(request, &[Sales, Operator])?;
        let leads = parse_ids(&request.lead_ids)?;
        if leads.is_empty() || leads.len() > MAX_LEADS {
            return Err(Invalid::NumberOfLeads.into());
        }
        let moved = self.store.split_person(&leads, &caller.name).await?;
        info!(client = %caller.name, leads = moved.len(), "SplitPerson");
        Ok(Response::new(SplitPersonResponse {
            moved_lead_ids: to_strings(moved),
        }))
    }
}

fn parse_person(field: &'static str, typed: &str) -> Result<Person, Invalid> {
    Person::parse(&required_text(field, typed.trim(), ADDRESS_LENGTH)?).ok_or(Invalid::NotPerson)
}

fn parse_further_emails(typed: &[String]) -> Result<Vec<Person>, Invalid> {
    if typed.len() > MAX_FURTHER_EMAILS {
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
    use lead::FieldError;

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
