//! The words with which a visitor agrees to calls or messages after they sent the form. The site's page has the same file.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::{
    enquiry::Words,
    enums::{Channel, Language},
};

static OFFER: LazyLock<Offer> = LazyLock::new(|| {
    let json = include_str!("../../../../frontend/site/content/consent.json");
    serde_json::from_str(json).expect("embedded at build time and read by a test")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Offer {
    question: Words,
    phone: Words,
    message: Words,
}

/// What the offer asks the visitor.
pub fn question(language: Language) -> &'static str {
    OFFER.question.get(language)
}

/// The words that the visitor agrees to, recorded with the consent.
pub fn wording(channel: Channel, language: Language) -> &'static str {
    let words = match channel {
        Channel::Phone => &OFFER.phone,
        Channel::Message => &OFFER.message,
    };
    words.get(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_words_that_name_the_project() {
        for language in Language::ALL {
            assert!(!question(*language).is_empty());
            for channel in Channel::ALL {
                assert!(wording(*channel, *language).contains("Zyon Grand"));
            }
        }
    }
}
