//! Presents a lead's fields for mails to the sales team.

use lead::{
    Attribution, Interest, Language, Lead, Reference,
    text::{Line, Paragraphs},
};
use uuid::Uuid;

/// Cleans each text when a template reads it.
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
            Some(Interest::Showflat) => "Show flat preview",
            Some(Interest::Brochure) | None => "Brochure",
        }
    }

    /// The ticked interests as worded on the form, most committed first.
    pub(super) fn interests(self) -> Vec<&'static str> {
        let label = |interest: &Interest| match interest {
            Interest::Purchase => "Interested to Purchase",
            Interest::Showflat => "Interested in Early Brid Showflat Preview when Ready",
            Interest::Brochure => "Send me E-Brochure, Floor Plan & Pricing when Released!",
        };
        BY_COMMITMENT.iter().filter(|interest| self.0.interests.contains(interest)).map(label).collect()
    }

    /// The language's own name.
    pub(super) fn language(self) -> &'static str {
        match self.0.language {
            Language::English => "English",
            Language::Chinese => "中文",
        }
    }

    pub(super) fn language_in_english(self) -> &'static str {
        match self.0.language {
            Language::English => "English",
            Language::Chinese => "Chinese (中文)",
        }
    }

    /// Value of the HTML `lang` attribute.
    pub(super) fn html_lang(self) -> &'static str {
        match self.0.language {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    /// Version of the privacy policy, if known.
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

pub(super) fn leading(lead: &Lead) -> Option<Interest> {
    BY_COMMITMENT.into_iter().find(|interest| lead.interests.contains(interest))
}
