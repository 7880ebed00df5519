//! What the system promises about names, seen from outside.

use uuid::{Uuid, uuid};

/// The namespace of lead ids, which is for ever.
const NAMESPACE: Uuid = uuid!("5f0d9c5e-6a3b-4a53-9f2e-7a4f1c0b8d21");

/// The lead that an idempotency key stands for.
pub(crate) fn id(key: Uuid) -> Uuid {
    Uuid::new_v5(&NAMESPACE, key.as_bytes())
}

/// The first part of the Message-ID of the mail about a lead to a recipient.
pub(crate) fn mail_id(lead: Uuid, recipient: &str) -> Uuid {
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
