//! Signs that no person filled in the form. They are noted for sales, and never a reason to refuse.

use chrono::TimeDelta;

use super::lead::Lead;

/// Nobody reads a page and fills in a form within that.
const HASTE: TimeDelta = TimeDelta::seconds(5);

/// A person who asks something has fewer links to show.
const LINKS: usize = 3;

/// Where a link begins.
const LINK: [&str; 3] = ["http://", "https://", "www."];

/// How links are written by who does not know what a form shows.
const MARKUP: [&str; 2] = ["<a ", "[url"];

/// One sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Sent within seconds of the visit's beginning.
    Haste,
    /// A question stuffed with links.
    Links,
    /// Sent by ourselves.
    Canary,
}

impl Sign {
    /// The signs that a lead bears; of our own there is no more to say.
    #[must_use]
    pub fn of(lead: &Lead) -> Vec<Self> {
        if lead.is_canary {
            return vec![Self::Canary];
        }
        let age = lead.submitted_at - lead.session.started_at;
        let is_hasty = (TimeDelta::zero()..HASTE).contains(&age);
        let has_links = is_stuffed_with_links(&lead.registration.questions);
        [(Self::Haste, is_hasty), (Self::Links, has_links)]
            .into_iter()
            .filter_map(|(sign, is_there)| is_there.then_some(sign))
            .collect()
    }
}

fn is_stuffed_with_links(text: &str) -> bool {
    let text = text.to_lowercase();
    // An address may begin in two of these ways at once.
    let links: usize =
        text.split_whitespace().map(|word| usize::from(LINK.iter().any(|it| word.contains(it)))).sum();
    links >= LINKS || MARKUP.iter().any(|it| text.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_counted_however_they_are_written() {
        let cheap = "Cheap https://a.example and http://b.example and www.c.example";
        for text in [cheap, "<A href=x>", "[URL=x]"] {
            assert!(is_stuffed_with_links(text), "{text}");
        }
        for text in ["", "I saw https://www.a.example and www.b.example", "Is 80 m < A3?"] {
            assert!(!is_stuffed_with_links(text), "{text}");
        }
    }
}
