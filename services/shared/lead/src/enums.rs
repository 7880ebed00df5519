//! Enums shared by the protobuf contract, JSON and the database.

/// The number in messages of a value that only a newer version defines. Programs display it as `unknown`.
pub const UNKNOWN_NUMBER: i32 = -1;

/// Declares an enum with the contract's numbers. JSON and the database use the variants' names in snake case. Error
/// messages contain the field name after `in`.
macro_rules! contract_enum {
    ($(#[$meta:meta])* pub enum $name:ident in $field:literal { $($(#[$of_variant:meta])* $variant:ident = $number:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[derive(strum::EnumString, strum::FromRepr, strum::IntoStaticStr, strum::VariantArray)]
        #[serde(rename_all = "snake_case")]
        #[strum(serialize_all = "snake_case")]
        #[repr(i32)]
        pub enum $name { $($(#[$of_variant])* $variant = $number,)+ }

        impl $name {
            /// All values, in the order of the contract.
            pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

            /// The name in JSON and in the database.
            pub fn id(self) -> &'static str {
                self.into()
            }

            /// Converts a number from a message; 0 means no value.
            ///
            /// # Errors
            /// [`FieldError::UnknownValue`](crate::FieldError::UnknownValue)
            pub fn from_contract(number: i32) -> Result<Option<Self>, crate::FieldError> {
                match (number, Self::from_repr(number)) {
                    (0, _) => Ok(None),
                    (_, known) => known.map(Some).ok_or($crate::FieldError::UnknownValue($field)),
                }
            }

            /// The number in messages; 0 for `None`.
            pub fn number(value: impl Into<Option<Self>>) -> i32 {
                value.into().map_or(0, |value| value as i32)
            }

            /// Drops unknown numbers and duplicates. Returns the values in the order of the contract.
            pub fn known_from_contract(numbers: &[i32]) -> Vec<Self> {
                Self::ALL.iter().copied().filter(|value| numbers.contains(&(*value as i32))).collect()
            }
        }
    };
}

contract_enum! {
    /// An option of the form. The variants follow the form's order.
    pub enum Interest in "interest" {
        /// E-brochure, floor plans and pricing when released.
        Brochure = 1,
        Purchase = 2,
        /// Early show flat preview.
        Showflat = 3,
    }
}

impl Interest {
    /// All values, by how close the visitor is to buying.
    pub const MOST_COMMITTED_FIRST: [Self; 3] = [Self::Purchase, Self::Showflat, Self::Brochure];

    /// The most committed of these interests; `None` without any.
    pub fn main(interests: &[Self]) -> Option<Self> {
        Self::MOST_COMMITTED_FIRST
            .into_iter()
            .find(|interest| interests.contains(interest))
    }
}

contract_enum! {
    /// A channel on which sales may contact the visitor. Each needs a separate consent.
    pub enum Channel in "channels" {
        Phone = 1,
        /// Messages by WhatsApp or SMS.
        Message = 2,
    }
}

contract_enum! {
    #[derive(Default)]
    pub enum Language in "language" {
        /// The default.
        #[default]
        #[serde(rename = "en")]
        #[strum(serialize = "en")]
        English = 1,
        #[serde(rename = "zh")]
        #[strum(serialize = "zh")]
        Chinese = 2,
    }
}

contract_enum! {
    /// A reason to suspect an automatic submission. Sales sees the signals; lead-intake accepts the lead.
    pub enum SpamSignal in "signals" {
        /// The visitor submitted the form within seconds of the start of the visit.
        TooFast = 1,
        /// The question contains many links.
        Links = 2,
        /// A synthetic lead; see [`Lead::is_canary`](crate::Lead::is_canary).
        Canary = 3,
        /// The submission fills in a field that people cannot see.
        Trapped = 4,
        /// The submission has no session: it contains only the public key, or a form without JavaScript came without its
        /// cookie.
        NoSession = 5,
    }
}

contract_enum! {
    /// A step of the work on a lead.
    #[derive(Default)]
    pub enum LeadState in "state" {
        /// Sales has not contacted the visitor.
        #[default]
        New = 1,
        Contacted = 2,
        /// The visitor will visit, or has visited, the show flat.
        VisitBooked = 3,
        /// Sales has finished work on the lead.
        Closed = 4,
        /// Not a real enquiry.
        Invalid = 5,
    }
}

contract_enum! {
    /// How a visitor gave consent to a person of the sales team.
    pub enum ConsentMeans in "consent_means" {
        /// In conversation, face to face.
        InPerson = 1,
        SignedForm = 2,
        PhoneCall = 3,
        /// In a written message, such as an email or by WhatsApp.
        Message = 4,
    }
}

contract_enum! {
    pub enum ClosingReason in "closing_reason" {
        /// The visitor bought a home here.
        Bought = 1,
        BoughtElsewhere = 2,
        /// The visitor does not want to buy.
        NotInterested = 3,
        /// The visitor never answered.
        Unreachable = 4,
        /// A note may state the reason.
        Other = 5,
    }
}

#[cfg(test)]
mod tests {
    use contracts::{crm::v1 as crm, leads::v1 as leads};

    use crate::{Channel, ClosingReason, ConsentMeans, Interest, Language, LeadState, SpamSignal};

    /// Compares numbers and names with the contract's.
    macro_rules! assert_same {
        ($($ours:ident and $theirs:ty, $prefix:literal;)+) => {$(
            for number in -1..9 {
                let name = <$theirs>::try_from(number).ok().map(|it| it.as_str_name().to_lowercase());
                let ours = $ours::from_contract(number).map(|it| it.map_or("unspecified", $ours::id));
                assert_eq!(ours.ok().map(|id| format!("{}{id}", $prefix)), name, "{number}");
            }
            for value in $ours::ALL {
                assert_eq!($ours::from_contract($ours::number(*value)), Ok(Some(*value)));
            }
        )+};
    }

    #[test]
    fn numbers_and_names_match_the_contract() {
        assert_same! {
            LeadState and crm::LeadState, "lead_state_";
            ClosingReason and crm::ClosingReason, "closing_reason_";
            ConsentMeans and crm::ConsentMeans, "consent_means_";
            Interest and leads::Interest, "interest_";
            Language and leads::Language, "language_";
            SpamSignal and leads::SpamSignal, "spam_signal_";
            Channel and leads::ContactChannel, "contact_channel_";
        }
        assert_eq!(
            SpamSignal::known_from_contract(&[9, 2, 1, 2]),
            [SpamSignal::TooFast, SpamSignal::Links]
        );
    }
}
