//! Detects signs that a form was filled in automatically.

use chrono::TimeDelta;

use lead::{Lead, SpamSignal};

/// No person reads the page and fills in the form within this time.
const TOO_FAST: TimeDelta = TimeDelta::seconds(5);

/// Genuine questions contain fewer links.
const LINKS: usize = 3;

const LINK: [&str; 3] = ["http://", "https://", "www."];

/// Links in markup, which the form does not render.
const MARKUP: [&str; 2] = ["<a ", "[url"];

/// The signals of a lead. A canary has only its own.
pub(super) fn detect(lead: &Lead, is_canary: bool) -> Vec<SpamSignal> {
    if is_canary {
        return vec![SpamSignal::Canary];
    }
    let age = lead.visit.as_ref().map(|visit| lead.submitted_at - visit.started_at);
    let is_too_fast = age.is_some_and(|age| (TimeDelta::zero()..TOO_FAST).contains(&age));
    let has_links = is_stuffed_with_links(&lead.questions);
    let has_no_session = lead.visit.is_none();
    [
        (SpamSignal::TooFast, is_too_fast),
        (SpamSignal::Links, has_links),
        (SpamSignal::NoSession, has_no_session),
    ]
    .into_iter()
    .filter_map(|(signal, is_there)| is_there.then_some(signal))
    .collect()
}

fn is_stuffed_with_links(text: &str) -> bool {
    let text = text.to_lowercase();
    // Counted by word: one address may contain two of these.
    let links: usize =
        text.split_whitespace().map(|word| usize::from(LINK.iter().any(|it| word.contains(it)))).sum();
    links >= LINKS || MARKUP.iter().any(|it| text.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_links_in_any_spelling() {
        let cheap = "Cheap https://a.example and http://b.example and www.c.example";
        for text in [cheap, "<A href=x>", "[URL=x]"] {
            assert!(is_stuffed_with_links(text), "{text}");
        }
        for text in ["", "I saw https://www.a.example and www.b.example", "Is 80 m < A3?"] {
            assert!(!is_stuffed_with_links(text), "{text}");
        }
    }
}
