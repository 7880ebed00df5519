//! The mail that thanks the visitor. Anybody may type anybody's address: nothing in it was typed by the visitor.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{Interest, Language, Lead};

use super::{
    brochure::Brochure,
    headers::{self, Origin},
    letterhead::Letterhead,
    message::{ComposeError, Draft, Letter, Mail},
    message_id::MessageId,
    moment::Moment,
};

#[derive(Template)]
#[template(path = "acknowledgement.en.txt")]
struct EnglishText<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "acknowledgement.en.html")]
struct EnglishHtml<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "acknowledgement.zh.txt")]
struct ChineseText<'a> {
    view: &'a View<'a>,
}

#[derive(Template)]
#[template(path = "acknowledgement.zh.html")]
struct ChineseHtml<'a> {
    view: &'a View<'a>,
}

struct View<'a> {
    reference: String,
    date: String,
    wants_brochure: bool,
    wants_showflat: bool,
    host: &'a str,
    floor_plans: String,
    brochure: Option<String>,
    privacy: String,
}

/// Writes the mail that thanks the visitor in the language of the visit; `None` when no header can hold the address.
///
/// # Errors
/// [`ComposeError`], for no lead that is known.
pub fn acknowledgement(
    lead: &Lead,
    letterhead: &Letterhead,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    acknowledgement_with(Brochure::published(), lead, letterhead, now)
}

/// Likewise, with this e-brochure.
pub(crate) fn acknowledgement_with(
    brochure: Option<&Brochure>,
    lead: &Lead,
    letterhead: &Letterhead,
    now: DateTime<Utc>,
) -> Result<Option<Mail>, ComposeError> {
    let Letterhead { sender, time_zone, site } = letterhead;
    let Some(visitor) = headers::address(lead) else { return Ok(None) };
    let moment = Moment::new(lead.submitted_at, *time_zone);
    let (tag, date) = match lead.language {
        Language::English => ("en", moment.english_date()),
        Language::Chinese => ("zh", moment.chinese_date()),
    };
    let wants = |interest| lead.interests.contains(&interest);
    let view = &View {
        reference: lead.reference.to_string(),
        date,
        wants_brochure: wants(Interest::Brochure),
        wants_showflat: wants(Interest::Showflat),
        host: site.host(),
        floor_plans: format!("{site}/floor-plans?lang={tag}"),
        brochure: brochure.map(|brochure| brochure.link(lead.language, site)),
        privacy: format!("{site}/?lang={tag}#privacy-policy"),
    };
    let letter = match lead.language {
        Language::English => Letter {
            subject: format!("Your Zyon Grand registration · {}", view.reference),
            text: EnglishText { view }.render()?,
            html: EnglishHtml { view }.render()?,
        },
        Language::Chinese => Letter {
            subject: format!("已收到您的 Zyon Grand 登记 · {}", view.reference),
            text: ChineseText { view }.render()?,
            html: ChineseHtml { view }.render()?,
        },
    };
    let draft = Draft {
        message_id: MessageId::for_visitor(lead.id, &sender.email),
        letter,
        sender,
        recipient: &visitor,
        reply_to: None,
        thread: None,
        origin: Origin::Replied,
        now,
    };
    draft.encode().map(Some)
}
