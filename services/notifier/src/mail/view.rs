//! A lead as emails to the sales team present it.

use lead::{
    Channel, Interest, Language, Lead, SpamSignal, Telephone, UserText, digits,
    text::{Line, Paragraphs},
};
use lettre::Address;

/// Most committed first.
const BY_COMMITMENT: [Interest; 3] = [Interest::Purchase, Interest::Showflat, Interest::Brochure];

/// Characters of the question in the preheader.
const GLIMPSE: usize = 50;

/// Cleans each text when a template reads it.
pub(super) struct LeadView<'a> {
    pub(super) form: &'a Lead,
    /// `None` when the typed text contains no valid number.
    pub(super) telephone: Option<Telephone>,
    /// Local part and domain of the address, for links; `None` when it cannot be used in a link.
    pub(super) mailbox: Option<(&'a str, &'a str)>,
}

impl<'a> LeadView<'a> {
    pub(super) fn new(lead: &'a Lead) -> Self {
        let mailbox = lead.email.rsplit_once('@').filter(|(local_part, domain)| {
            is_plain(&lead.email) && !local_part.is_empty() && !domain.is_empty()
        });
        Self { form: lead, telephone: Telephone::read(lead.mobile.line().as_str()), mailbox }
    }

    /// The number that is dialled, if its digits differ from those typed.
    pub(super) fn dialled_number(&self) -> Option<&str> {
        let typed = digits(self.form.mobile.line().as_str());
        self.telephone.as_ref().filter(|telephone| telephone.digits() != typed).map(Telephone::as_str)
    }

    pub(super) fn question(&self) -> Option<Paragraphs> {
        Paragraphs::new(&self.form.questions)
    }

    pub(super) fn start_of_question(&self) -> Option<String> {
        let words = self.question()?.lines().collect::<Vec<_>>().join(" ");
        Some(shortened(words.trim(), GLIMPSE))
    }

    /// The most committed interest in a few words.
    pub(super) fn kind(&self) -> &'static str {
        match BY_COMMITMENT.iter().find(|interest| self.form.interests.contains(interest)) {
            Some(Interest::Purchase) => "Purchase",
            Some(Interest::Showflat) => "Show flat preview",
            Some(Interest::Brochure) | None => "Brochure",
        }
    }

    /// The ticked interests as worded on the form, most committed first.
    pub(super) fn interests(&self) -> Vec<&'static str> {
        let label = |interest: &Interest| match interest {
            Interest::Purchase => "Interested to Purchase",
            Interest::Showflat => "Interested in Early Brid Showflat Preview when Ready",
            Interest::Brochure => "Send me E-Brochure, Floor Plan & Pricing when Released!",
        };
        BY_COMMITMENT.iter().filter(|interest| self.form.interests.contains(interest)).map(label).collect()
    }

    /// The language's own name.
    pub(super) fn language(&self) -> &'static str {
        match self.form.language {
            Language::English => "English",
            Language::Chinese => "中文",
        }
    }

    pub(super) fn language_in_english(&self) -> &'static str {
        match self.form.language {
            Language::English => "English",
            Language::Chinese => "Chinese (中文)",
        }
    }

    /// Value of the HTML `lang` attribute.
    pub(super) fn html_lang(&self) -> &'static str {
        match self.form.language {
            Language::English => "en",
            Language::Chinese => "zh-Hans",
        }
    }

    pub(super) fn agreed_to(&self, channel: Channel) -> bool {
        self.form.channels.contains(&channel)
    }

    /// Version of the privacy policy, if known.
    pub(super) fn policy(&self) -> Option<Line> {
        Line::new(&self.form.privacy_policy_version)
    }

    pub(super) fn landing_path(&self) -> Option<Line> {
        Line::new(&self.form.visit.as_ref()?.attribution.landing_path)
    }

    pub(super) fn referrer_host(&self) -> Option<Line> {
        Line::new(&self.form.visit.as_ref()?.attribution.referrer_host)
    }

    /// Name and value of each campaign parameter.
    pub(super) fn campaign(&self) -> Vec<(&'static str, Line)> {
        let parts = self.form.visit.as_ref().map(|visit| visit.attribution.campaign.parts());
        let line = |(name, value): (_, &UserText)| Line::new(value).map(|value| (name, value));
        parts.into_iter().flatten().filter_map(line).collect()
    }

    /// `Form sent after 3 seconds`, or with two signals `Looks automated: form sent after 3 seconds; suspicious links in the
    /// question`. One signal alone is no proof: browsers that fill in forms are fast, too. `None` without spam signals.
    pub(super) fn spam_note(&self) -> Option<String> {
        let signals = self.form.signals.iter().map(|signal| match signal {
            SpamSignal::NoSession => "Sent without a session".to_owned(),
            SpamSignal::TooFast => self.form_duration(),
            SpamSignal::Links => "Suspicious links in the question".to_owned(),
            SpamSignal::Trapped => "Hidden field filled in".to_owned(),
            SpamSignal::Canary => "Canary: a test lead".to_owned(),
        });
        let notes: Vec<_> = signals.collect();
        match notes.as_slice() {
            [] => None,
            [note] => Some(note.clone()),
            _ => Some(format!("Looks automated: {}", notes.join("; ").to_lowercase())),
        }
    }

    fn form_duration(&self) -> String {
        let started = self.form.visit.as_ref().map(|visit| visit.started_at);
        match started.map(|started| (self.form.submitted_at - started).num_seconds()) {
            None => "Form sent very quickly".to_owned(),
            Some(..1) => "Form sent after less than a second".to_owned(),
            Some(1) => "Form sent after 1 second".to_owned(),
            Some(seconds) => format!("Form sent after {seconds} seconds"),
        }
    }
}

/// The visitor's address, if a header can hold it. Browsers accept more; quoted local parts, which they reject, are
/// refused because they may contain anything.
pub(super) fn header_address(lead: &Lead) -> Option<Address> {
    lead.email.parse().ok().filter(|_| is_plain(&lead.email))
}

fn is_plain(address: &str) -> bool {
    address.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

/// Splits the text where mail programs detect links (`https://a.b`, `a@b.c`), so that typed text is not clickable.
pub(super) fn split_links<T: AsRef<str> + ?Sized>(text: &T) -> Vec<&str> {
    let text = text.as_ref();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (index, c) in text.char_indices() {
        let end = index + c.len_utf8();
        let rest = &text[end..];
        let joins = match c {
            ':' => rest.starts_with("//"),
            '.' | '@' => before.is_some_and(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric),
            _ => false,
        };
        if joins {
            parts.push(&text[start..end]);
            start = end;
        }
        before = Some(c);
    }
    parts.push(&text[start..]);
    parts
}

/// The first `characters` characters of the text, with an ellipsis if it was longer.
fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        // A trailing joiner would join the ellipsis to the character before it.
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches(['\u{200d}', ' '])),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_split_and_nothing_is_lost() {
        for (text, split) in [
            ("See https://www.a.example/x?y=1.2", "See https:|//www.|a.|example/x?y=1.|2"),
            ("mei@b.co", "mei@|b.|co"),
            ("Is it 80 m? Yes... @home: 陈伟。", "Is it 80 m? Yes... @home: 陈伟。"),
            ("", ""),
        ] {
            assert_eq!(split_links(text).join("|"), split);
            assert_eq!(split_links(text).concat(), text);
        }
    }

    #[test]
    fn shortened_text_ends_in_an_ellipsis() {
        assert_eq!(shortened("三房的户型", 5), "三房的户型");
        assert_eq!(shortened("三房 的户型", 3), "三房…");
        assert_eq!(shortened("👩‍👩‍👧", 2), "👩…");
    }
}
