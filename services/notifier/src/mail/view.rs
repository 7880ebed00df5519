//! A lead in emails to the sales team.

use lead::{
    Channel, HomePreference, Interest, Language, Lead, PhoneNumber, UserText, VisitTime, digits,
    text::{Line, Paragraphs},
};
use lettre::Address;

/// Maximum number of characters of the question in the preheader.
const PREHEADER_LENGTH: usize = 50;

pub(super) struct LeadView<'a> {
    /// As submitted, or corrected by sales.
    pub(super) form: &'a Lead,
    /// `None` if the visitor typed no question.
    pub(super) question: Option<Paragraphs>,
    /// Language of the email.
    pub(super) reader: Language,
    /// `None` if the submitted text is not a valid number.
    pub(super) phone: Option<PhoneNumber>,
    /// Local part and domain of the address, for links; `None` if the address is not allowed in a link.
    pub(super) mailbox: Option<(&'a str, &'a str)>,
}

impl<'a> LeadView<'a> {
    pub(super) fn new(lead: &'a Lead, reader: Language) -> Self {
        let mailbox = lead.email.rsplit_once('@').filter(|(local_part, domain)| {
            is_plain(&lead.email) && !local_part.is_empty() && !domain.is_empty()
        });
        Self {
            form: lead,
            question: Paragraphs::new(&lead.questions),
            reader,
            phone: PhoneNumber::parse(lead.mobile.line().as_str()),
            mailbox,
        }
    }

    /// The text in the language of the email.
    pub(super) fn t<'t>(&self, english: &'t str, chinese: &'t str) -> &'t str {
        translated(self.reader, english, chinese)
    }

    pub(super) fn is_chinese(&self) -> bool {
        self.reader == Language::Chinese
    }

    /// The number in the call link, if its digits differ from the submitted number.
    pub(super) fn dialled_number(&self) -> Option<&str> {
        let typed = digits(self.form.mobile.line().as_str());
        self.phone
            .as_ref()
            .filter(|phone| phone.digits() != typed)
            .map(PhoneNumber::as_str)
    }

    pub(super) fn start_of_question(&self) -> Option<String> {
        let lines: Vec<_> = self.question.as_ref()?.lines().collect();
        let words = lines.join(" ");
        Some(shorten(words.trim(), PREHEADER_LENGTH))
    }

    pub(super) fn visit_times(&self) -> Option<String> {
        VisitTime::list(&self.form.visit_times, self.reader)
    }

    /// The first visit time and the number of further times.
    pub(super) fn first_visit_time(&self) -> Option<String> {
        VisitTime::shorten(&self.form.visit_times, self.reader)
    }

    /// The homes that the visitor looks for.
    pub(super) fn homes(&self) -> Option<String> {
        HomePreference::describe(&self.form.home_preferences, self.reader)
    }

    /// The visitor's interests, most committed first.
    pub(super) fn interests(&self) -> Vec<Interest> {
        Interest::MOST_COMMITTED_FIRST
            .into_iter()
            .filter(|interest| self.form.interests.contains(interest))
            .collect()
    }

    pub(super) fn main_interest(&self) -> Interest {
        Interest::main(&self.form.interests).unwrap_or(Interest::Brochure)
    }

    /// Value of the HTML `lang` attribute.
    pub(super) fn html_lang(&self) -> &'static str {
        translated(self.form.language, "en", "zh-Hans")
    }

    pub(super) fn has_agreed_to(&self, channel: Channel) -> bool {
        self.form.channels.contains(&channel)
    }

    /// The number for a link, if it is valid, the visitor agreed to the channel, and the number has the channel.
    pub(super) fn number_for(&self, channel: Channel) -> Option<&PhoneNumber> {
        let has_channel = |number: &&PhoneNumber| match channel {
            Channel::Phone => true,
            Channel::Message => number.takes_messages(),
        };
        self.phone
            .as_ref()
            .filter(|_| self.has_agreed_to(channel))
            .filter(has_channel)
    }

    /// What the visitor gave besides the plan, the contact data and the question: label and value, in the language of the
    /// email.
    pub(super) fn facts(&self) -> Vec<(&'static str, Line)> {
        let line = |text: Option<String>| Line::new(&text?);
        let facts = [
            (self.t("Home:", "置业需求："), line(self.homes())),
            (self.t("Can visit:", "可参观："), line(self.visit_times())),
        ];
        let given = |(label, value): (_, Option<Line>)| Some((label, value?));
        facts.into_iter().filter_map(given).collect()
    }

    /// Name and value of each campaign parameter.
    pub(super) fn campaign(&self) -> Vec<(&'static str, Line)> {
        let parts = self
            .form
            .visit
            .as_ref()
            .map(|visit| visit.attribution.campaign.parts());
        let line = |(name, value): (_, &UserText)| Line::new(value).map(|value| (name, value));
        parts.into_iter().flatten().filter_map(line).collect()
    }
}

pub(super) fn translated<'t>(language: Language, english: &'t str, chinese: &'t str) -> &'t str {
    match language {
        Language::English => english,
        Language::Chinese => chinese,
    }
}

/// The visitor's address, if it is allowed in a header. Rejects quoted local parts, which may contain any character and
/// which browsers reject too.
pub(super) fn header_address(lead: &Lead) -> Option<Address> {
    lead.email.parse().ok().filter(|_| is_plain(&lead.email))
}

fn is_plain(address: &str) -> bool {
    address
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'"')
}

/// Splits the text where mail programs detect links (`https://a.b`, `a@b.c`), so visitors cannot add links.
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
            '.' | '@' => {
                before.is_some_and(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric)
            }
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
fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        // A trailing joiner would join the ellipsis to the character before.
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches(['\u{200d}', ' '])),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_links_without_loss() {
        for (text, split) in [
            (
                "See https://www.a.example/x?y=1.2",
                "See https:|//www.|a.|example/x?y=1.|2",
            ),
            ("mei@b.co", "mei@|b.|co"),
            (
                "Is it 80 m? Yes... @home: 陈伟。",
                "Is it 80 m? Yes... @home: 陈伟。",
            ),
            ("", ""),
        ] {
            assert_eq!(split_links(text).join("|"), split);
            assert_eq!(split_links(text).concat(), text);
        }
    }

    #[test]
    fn shortened_text_ends_in_an_ellipsis() {
        assert_eq!(shorten("三房的户型", 5), "三房的户型");
        assert_eq!(shorten("三房 的户型", 3), "三房…");
        assert_eq!(shorten("👩‍👩‍👧", 2), "👩…");
    }
}
