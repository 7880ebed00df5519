//! A lead as mails to the sales team show it.

use lead::{
    Attribution, Interest, Language, Lead, Reference,
    text::{Line, Paragraphs},
};
use uuid::Uuid;

/// Cleans each text of a lead where a template asks for it.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a>(pub(super) &'a Lead);

impl<'a> Shown<'a> {
    pub(super) fn id(self) -> Uuid {
        self.0.id
    }

    pub(super) fn reference(self) -> &'a Reference {
        &self.0.reference
    }

    pub(super) fn name(self) -> Line {
        self.0.name.line()
    }

    pub(super) fn mobile(self) -> Line {
        self.0.mobile.line()
    }

    pub(super) fn email(self) -> Line {
        self.0.email.line()
    }

    /// What the visitor wrote at length, each with its heading.
    pub(super) fn answers(self) -> [(&'static str, Option<Paragraphs>); 1] {
        [("Question", self.question())]
    }

    pub(super) fn question(self) -> Option<Paragraphs> {
        Paragraphs::new(&self.0.questions)
    }

    /// The most committed interest in a few words, for a subject line.
    pub(super) fn kind(self) -> &'static str {
        match leading(self.0) {
            Some(Interest::Purchase) => "Purchase",
            Some(Interest::Showflat) => "Showflat preview",
            Some(Interest::Brochure) | None => "Brochure",
        }
    }

    /// The words the visitor ticked, as the form has them, the most committed first.
    pub(super) fn interests(self) -> Vec<&'static str> {
        let label = |interest: &Interest| match interest {
            Interest::Purchase => "Interested to Purchase",
            Interest::Showflat => "Interested in Early Brid Showflat Preview when Ready",
            Interest::Brochure => "Send me E-Brochure, Floor Plan & Pricing when Released!",
        };
        BY_COMMITMENT.iter().filter(|interest| self.0.interests.contains(interest)).map(label).collect()
    }

    /// The language's name in itself.
    pub(super) fn language(self) -> &'static str {
        match self.0.language {
            Language::English => "English",
            Language::Chinese => "中文",
        }
    }

    /// The language's name for who may not read it.
    pub(super) fn language_in_english(self) -> &'static str {
        match self.0.language {
            Language::English => "English",
            Language::Chinese => "Chinese (中文)",
        }
    }

    /// The language's tag, as HTML has it.
    pub(super) fn html_lang(self) -> &'static str {
        match self.0.language {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    /// Version of the policy, when it is known.
    pub(super) fn policy(self) -> Option<Line> {
        Line::new(&self.0.privacy_policy_version)
    }

    pub(super) fn landing_path(self) -> Option<Line> {
        Line::new(&self.attribution()?.landing_path)
    }

    pub(super) fn referrer_host(self) -> Option<Line> {
        Line::new(&self.attribution()?.referrer_host)
    }

    /// Name and value of each campaign parameter.
    pub(super) fn campaign(self) -> Vec<(&'static str, Line)> {
        let parts = self.attribution().map(|attribution| attribution.campaign.parts());
        let line = |(name, value): (_, &lead::Typed)| Line::new(value).map(|value| (name, value));
        parts.into_iter().flatten().filter_map(line).collect()
    }

    fn attribution(self) -> Option<&'a Attribution> {
        self.0.visit.as_ref().map(|visit| &visit.attribution)
    }
}

const BY_COMMITMENT: [Interest; 3] = [Interest::Purchase, Interest::Showflat, Interest::Brochure];

/// The most committed interest.
pub(super) fn leading(lead: &Lead) -> Option<Interest> {
    BY_COMMITMENT.into_iter().find(|interest| lead.interests.contains(interest))
}
