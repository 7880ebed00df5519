//! Computes ids of leads and emails independently of the services.

use uuid::{Uuid, uuid};

/// The services' namespace of lead ids, which never changes.
const NAMESPACE: Uuid = uuid!("5f0d9c5e-6a3b-4a53-9f2e-7a4f1c0b8d21");

/// The id of the lead with this idempotency key.
pub(crate) fn id(key: Uuid) -> Uuid {
    Uuid::new_v5(&NAMESPACE, key.as_bytes())
}

/// The part before the `@` in the Message-ID of the email about a lead to a recipient.
pub(crate) fn email_id(lead: Uuid, recipient: &str) -> Uuid {
    Uuid::new_v5(&lead, recipient.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_released_versions() {
        assert_eq!(id(Uuid::nil()), uuid!("8bf6c5b6-0fe0-5856-bb54-b075fc5ed029"));
    }
}
