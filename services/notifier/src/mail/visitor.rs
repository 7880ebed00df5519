//! The emails to visitors: the confirmation and the e-brochure. They contain no text from the form, because the address may
//! belong to another person.

use askama::Template;
use chrono::{DateTime, Utc};
use lead::{Channel, Interest, Language, Lead, Recipient, VisitTime, consent};
use lettre::{Address, message::Mailbox};
use tokens::{ConsentToken, WithdrawalToken};
use uuid::Uuid;

use super::{
    context::MailContext,
    message::{ComposeError, Mail, MailContent, MessageId},
    view::{self, translated},
};

/// Local parts of mailboxes that cannot belong to a visitor.
const ROLES: [&str; 8] = [
    "abuse",
    "hostmaster",
    "mailer-daemon",
    "no-reply",
    "noreply",
    "postmaster",
    "root",
    "webmaster",
];

templates! { VisitorView:
    ConfirmationText = "confirmation.txt",
    ConfirmationHtml = "confirmation.html",
    BrochureText = "brochure.txt",
    BrochureHtml = "brochure.html",
}

struct VisitorView<'a> {
    /// Templates must not use text that the visitor typed.
    lead: &'a Lead,
    context: &'a MailContext,
    is_chinese: bool,
    /// URL of the plan's picture, or of the site's. The same for all visitors, so it tracks nobody.
    picture: String,
    brochure: Option<String>,
    /// Date of the submission.
    date: String,
    floor_plans: String,
    privacy: String,
    /// Link to the page on which the visitor can agree to calls or messages, unless they already have.
    consent: Option<String>,
    /// Link to the page on which the visitor can withdraw consent.
    withdrawal: String,
}

impl<'a> VisitorView<'a> {
    fn new(lead: &'a Lead, mailbox_hash: Option<&str>, context: &'a MailContext) -> Self {
        let site = &context.site_url;
        let language = lead.language;
        let code = language.id();
        let date = lead.submitted_at.with_timezone(&context.time_zone);
        let (plan, picture) = match lead.plan {
            Some(plan) => (
                format!("&plan={}", plan.id),
                format!("/{}", plan.id.to_ascii_lowercase()),
            ),
            None => (String::new(), String::new()),
        };
        Self {
            lead,
            context,
            is_chinese: language == Language::Chinese,
            picture: format!("{site}/social{picture}-{code}.jpg"),
            brochure: context.brochure_link(language),
            date: date
                .format(translated(language, "%-d %B %Y", "%Y年%-m月%-d日"))
                .to_string(),
            floor_plans: format!("{site}/floor-plans?lang={code}{plan}"),
            privacy: format!("{site}/?lang={code}#privacy-policy"),
            consent: consent_link(lead, mailbox_hash, context),
            withdrawal: withdrawal_link(lead, mailbox_hash, "withdraw", context),
        }
    }

    /// URL of the site's picture, the same for all visitors.
    fn cover(&self) -> String {
        let code = self.lead.language.id();
        format!("{}/social-{code}.jpg", self.context.site_url)
    }

    /// Whether the visitor chose every time of the form.
    fn is_free_any_day(&self) -> bool {
        self.lead.visit_times.len() == VisitTime::count()
    }

    fn visit_times(&self) -> Option<String> {
        VisitTime::list(&self.lead.visit_times, self.lead.language)
    }

    fn consent_question(&self) -> &'static str {
        consent::question(self.lead.language)
    }

    fn t<'t>(&self, english: &'t str, chinese: &'t str) -> &'t str {
        translated(self.lead.language, english, chinese)
    }
}

/// `mailbox_hash` identifies the mailbox of a corrected address in the links to withdraw consent.
pub fn confirmation(
    lead: &Lead,
    mailbox_hash: Option<&str>,
    context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let (view, visitor) = (
        &VisitorView::new(lead, mailbox_hash, context),
        visitor_address(lead, context)?,
    );
    let (text, html) = (
        ConfirmationText { view }.render()?,
        ConfirmationHtml { view }.render()?,
    );
    let mail = MailContent {
        is_reply: true,
        ..visitor_content(lead, mailbox_hash, &text, html, context)
    };
    mail.encode(
        MessageId::new(
            lead.id,
            &Recipient::Visitor.to_string(),
            &context.mail_from.email,
        ),
        context,
        &visitor,
        now,
    )
}

/// `mailbox_hash` identifies the mailbox of a corrected address in the links to withdraw consent.
pub fn brochure(
    lead: &Lead,
    mailbox_hash: Option<&str>,
    context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    let (visitor, mail) = (
        visitor_address(lead, context)?,
        brochure_content(lead, mailbox_hash, context)?,
    );
    mail.encode(
        MessageId::new(
            lead.id,
            &Recipient::Brochure.to_string(),
            &context.mail_from.email,
        ),
        context,
        &visitor,
        now,
    )
}

/// Composes the email with the brochure for a person in the team. `recipient` is the recipient in the CRM.
pub fn brochure_test(
    lead: &Lead,
    recipient: &Recipient,
    person: &Address,
    context: &MailContext,
    now: DateTime<Utc>,
) -> Result<Mail, ComposeError> {
    // A nil id, so the links withdraw no visitor's consent.
    let mail = brochure_content(
        &Lead {
            id: Uuid::nil(),
            ..lead.clone()
        },
        None,
        context,
    )?;
    let subject = format!(
        "{}{}",
        translated(lead.language, "Test: ", "测试："),
        mail.subject
    );
    let test = MailContent {
        subject,
        unsubscribe: None,
        ..mail
    };
    test.encode(
        MessageId::new(lead.id, &recipient.to_string(), &context.mail_from.email),
        context,
        person,
        now,
    )
}

fn brochure_content(
    lead: &Lead,
    mailbox_hash: Option<&str>,
    context: &MailContext,
) -> Result<MailContent, ComposeError> {
    let view = &VisitorView::new(lead, mailbox_hash, context);
    if view.brochure.is_none() {
        return Err(ComposeError::NoBrochure);
    }
    Ok(visitor_content(
        lead,
        mailbox_hash,
        &BrochureText { view }.render()?,
        BrochureHtml { view }.render()?,
        context,
    ))
}

fn visitor_content(
    lead: &Lead,
    mailbox_hash: Option<&str>,
    text: &str,
    html: String,
    context: &MailContext,
) -> MailContent {
    MailContent {
        html,
        reply_to: context.visitor_reply_to.clone().map(Mailbox::from),
        bounces_to: context.visitor_bounces_to.clone(),
        unsubscribe: Some(withdrawal_link(
            lead,
            mailbox_hash,
            "functions/v1/withdraw",
            context,
        )),
        ..MailContent::with_subject(text)
    }
}

/// The address of the visitor. Roles and our own domain are not allowed.
fn visitor_address(lead: &Lead, context: &MailContext) -> Result<Address, ComposeError> {
    let is_allowed = |address: &Address| {
        let local_part = address.user().to_ascii_lowercase();
        !ROLES.contains(&local_part.as_str())
            && !address
                .domain()
                .eq_ignore_ascii_case(context.mail_from.email.domain())
    };
    view::header_address(lead)
        .filter(is_allowed)
        .ok_or(ComposeError::Unaddressable)
}

/// The link changes nothing when it is opened, because mail scanners open links.
fn consent_link(lead: &Lead, mailbox_hash: Option<&str>, context: &MailContext) -> Option<String> {
    let token = ConsentToken {
        lead: lead.id,
        mailbox_hash: mailbox_hash.map(str::to_owned),
    };
    let token = token.sign(&context.withdrawal_keys);
    let language = translated(lead.language, "en", "zh");
    let site = &context.site_url;
    let link = format!("{site}/agree?token={token}&lang={language}");
    lead.channels.is_empty().then_some(link)
}

fn withdrawal_link(
    lead: &Lead,
    mailbox_hash: Option<&str>,
    path: &str,
    context: &MailContext,
) -> String {
    let token = WithdrawalToken {
        lead: lead.id,
        mailbox_hash: mailbox_hash.map(str::to_owned),
    };
    let token = match lead.id.is_nil() {
        true => "test".to_owned(),
        false => token.sign(&context.withdrawal_keys),
    };
    let language = translated(lead.language, "", "&lang=zh");
    format!("{}/{path}?token={token}{language}", context.site_url)
}
