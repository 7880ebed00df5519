//! Handles ExportPerson, ErasePerson, MergePeople and SplitPerson.

use ::lead::field::{filled, uuid};
use contracts::crm::v1 as crm;
use futures_util::{StreamExt, stream};
use tonic::Status;
use tracing::info;
use uuid::Uuid;

use super::{
    search::{Pages, until_stop},
    service::Crm,
};
use crate::{
    auth::Caller,
    error::Invalid,
    metrics::ErasureCause,
    people::{
        assign::{Assignment, NotAssigned},
        erase::Person,
    },
};

/// The longest address that the form accepts; numbers are shorter.
const PERSON_LENGTH: usize = 255;

/// Leads with their history in one message: far less than a client accepts.
const PAGE: usize = 50;

/// Leads in one request to split a person.
const MOST_LEADS: usize = 100;

pub(super) async fn export_person(
    crm: &Crm,
    caller: &Caller,
    request: crm::ExportPersonRequest,
) -> Result<Pages<crm::ExportPersonResponse>, Status> {
    let person = parse_person("person", &request.person)?;
    let ids = crm.store.ids_of_person(&person).await?;
    // Audited before it is given out.
    crm.store.audit(&caller.to_string(), "export-person", ids.len() as u64, None).await?;
    info!(client = %caller, leads = ids.len(), "ExportPerson");
    let pages: Vec<_> = ids.chunks(PAGE).map(<[Uuid]>::to_vec).collect();
    let store = crm.store.clone();
    let pages = stream::iter(pages).then(move |ids| {
        let store = store.clone();
        async move { Ok(crm::ExportPersonResponse { leads: store.leads(ids).await? }) }
    });
    Ok(until_stop(pages, &crm.stop))
}

pub(super) async fn erase_person(
    crm: &Crm,
    caller: &Caller,
    request: crm::ErasePersonRequest,
) -> Result<crm::ErasePersonResponse, Status> {
    let (person, also) = parse_erasure(&request)?;
    let erased = crm.store.erase_person(person.as_ref(), &also, &caller.to_string()).await?;
    crm.metrics.add_erased(ErasureCause::Person, erased.len() as u64);
    info!(client = %caller, leads = erased.len(), "ErasePerson");
    Ok(crm::ErasePersonResponse { lead_ids: erased.iter().map(ToString::to_string).collect() })
}

pub(super) async fn merge_people(
    crm: &Crm,
    caller: &Caller,
    request: crm::MergePeopleRequest,
) -> Result<crm::MergePeopleResponse, Status> {
    let leads = vec![lead_id("other_lead_id", &request.other_lead_id)?];
    let person_of = Some(lead_id("lead_id", &request.lead_id)?);
    let moved = crm.store.assign(&Assignment { leads, person_of, client: caller.to_string() }).await??;
    info!(client = %caller, leads = moved.len(), "MergePeople");
    Ok(crm::MergePeopleResponse { moved_lead_ids: moved.iter().map(ToString::to_string).collect() })
}

pub(super) async fn split_person(
    crm: &Crm,
    caller: &Caller,
    request: crm::SplitPersonRequest,
) -> Result<crm::SplitPersonResponse, Status> {
    if request.lead_ids.is_empty() || request.lead_ids.len() > MOST_LEADS {
        return Err(Invalid::NumberOfLeads.into());
    }
    let leads = request.lead_ids.iter().map(|id| lead_id("lead_ids", id)).collect::<Result<_, _>>()?;
    let moved =
        crm.store.assign(&Assignment { leads, person_of: None, client: caller.to_string() }).await??;
    info!(client = %caller, leads = moved.len(), "SplitPerson");
    Ok(crm::SplitPersonResponse { moved_lead_ids: moved.iter().map(ToString::to_string).collect() })
}

impl From<NotAssigned> for Status {
    fn from(error: NotAssigned) -> Self {
        match error {
            NotAssigned::Unknown(id) => Self::not_found(format!("there is no lead {id}")),
            NotAssigned::SeveralPeople => Invalid::SeveralPeople.into(),
        }
    }
}

fn lead_id(field: &'static str, id: &str) -> Result<Uuid, Invalid> {
    Ok(uuid(field, id)?)
}

fn parse_person(field: &'static str, typed: &str) -> Result<Person, Invalid> {
    Person::parse(&filled(field, typed.trim(), PERSON_LENGTH)?).ok_or(Invalid::NotPerson)
}

/// The person to erase, and leads that may not be stored yet.
fn parse_erasure(request: &crm::ErasePersonRequest) -> Result<(Option<Person>, Vec<Uuid>), Invalid> {
    let also: Vec<Uuid> =
        request.lead_ids.iter().map(|id| lead_id("lead_ids", id)).collect::<Result<_, _>>()?;
    if request.email.is_empty() && !also.is_empty() {
        return Ok((None, also));
    }
    match parse_person("email", &request.email)? {
        Person::Digits(_) => Err(Invalid::SharedNumber),
        person @ Person::Email(_) => Ok((Some(person), also)),
    }
}

#[cfg(test)]
mod tests {
    use ::lead::FieldError;

    use super::*;

    #[test]
    fn invalid_people_are_refused_and_not_repeated() {
        assert!(
            parse_person("person", " wei@example.com ").is_ok()
                && parse_person("person", "+65 9123 4567").is_ok()
        );
        for (typed, refusal) in [
            (" ", FieldError::Empty("person").into()),
            ("陈伟", Invalid::NotPerson),
            ("12", Invalid::NotPerson),
            (&format!("{}@b.co", "x".repeat(251)), FieldError::TooLong("person", 255).into()),
        ] {
            assert!(parse_person("person", typed).err() == Some(refusal), "{typed}");
        }
        let request = |email: &str, id: &str| {
            parse_erasure(&crm::ErasePersonRequest { email: email.to_owned(), lead_ids: vec![id.to_owned()] })
        };
        let seven = Uuid::from_u128(7).to_string();
        assert!(request("wei@example.com", "7").err() == Some(FieldError::NotUuid("lead_ids").into()));
        assert!(request("wei@example.com", &seven).is_ok());
        assert!(request("", &seven).is_ok_and(|(person, also)| person.is_none() && also.len() == 1));
        assert!(request(" ", &seven).err() == Some(FieldError::Empty("email").into()));
        assert!(request("9123 4567", &seven).err() == Some(Invalid::SharedNumber));
    }
}
