//! Parked messages for people.

use chrono_tz::Tz;

use super::{
    columns::{GAP, columns, usable},
    detail::{self, Field},
    text::{heading, minute, one_line, second},
};
use crate::parked::{Contents, Message};

/// A row each, below a header.
pub(super) fn table(messages: &[Message], width: u16, zone: Tz) -> String {
    let (queue, name, parked, attempt, class) = (8, 10, 16, 3, 14);
    let detail = usable(width) - queue - name - parked - attempt - class - 5 * GAP;
    let first = messages.iter().find_map(|message| message.parked_at);
    let parked_heading = heading("PARKED", first, zone);
    let header = ["QUEUE", "MESSAGE", &parked_heading, "TRY", "CLASS", "DETAIL"].map(str::to_owned);
    let rows = std::iter::once(header).chain(messages.iter().map(|message| row(message, zone)));
    columns(rows, [queue, name, parked, attempt, class, detail])
}

fn row(message: &Message, zone: Tz) -> [String; 6] {
    let parked = message.parked_at.map(|time| minute(time, zone));
    [
        message.queue.to_owned(),
        one_line(&message.name),
        parked.unwrap_or_else(|| "-".to_owned()),
        message.attempt.to_string(),
        one_line(&message.class),
        one_line(&message.detail),
    ]
}

/// One message, with all that is known of it.
pub(super) fn full(message: &Message, width: u16, zone: Tz) -> String {
    let title = format!("{}  {}", message.queue, one_line(&message.name));
    let replayed = if message.replayed == 0 { String::new() } else { message.replayed.to_string() };
    let mut fields: Vec<Field> = vec![
        ("Message", one_line(&message.message_id)),
        ("Lead", message.lead_id.map(|id| id.to_string()).unwrap_or_default()),
        ("Type", one_line(&message.kind)),
        ("Parked", message.parked_at.map(|time| second(time, zone)).unwrap_or_default()),
        ("Attempt", message.attempt.to_string()),
        ("Replayed", replayed),
        ("Class", one_line(&message.class)),
        ("Detail", one_line(&message.detail)),
        ("Trace", message.trace_id.clone().unwrap_or_default()),
    ];
    match &message.contents {
        Some(Contents::Submitted(form)) => fields.extend(detail::form(form)),
        Some(Contents::Notified { recipient, mail_message_id, server_reply }) => fields.extend([
            ("Told", one_line(recipient)),
            ("Reply", one_line(server_reply)),
            ("Mail", one_line(mail_message_id)),
        ]),
        None => fields.push(("Contents", "cannot be read".to_owned())),
    }
    format!("{title}\n\n{}", detail::fields(fields, width))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;

    use super::*;
    use crate::{lead::Form, output::json};

    fn message(queue: &'static str, name: &str, class: &str, detail: &str) -> Message {
        Message {
            queue,
            name: name.to_owned(),
            message_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            lead_id: Some(Uuid::from_u128(0x6f96_19ff_8b86_5011_b42d_00cf_4fc9_64ff)),
            reference: Some(name.to_owned()),
            kind: "lead.submitted.v1".to_owned(),
            parked_at: DateTime::from_timestamp(1_772_337_906, 0),
            attempt: 7,
            replayed: 1,
            class: class.to_owned(),
            detail: detail.to_owned(),
            trace_id: Some("4bf92f3577b34da6a3ce929d0e0e4736".to_owned()),
            fingerprint: Uuid::nil(),
            contents: None,
        }
    }

    fn messages() -> Vec<Message> {
        let mut unknown = message("crm-sync", "m-feed0000", "undecodable", "unknown message type");
        (unknown.parked_at, unknown.attempt) = (None, 1);
        let limit = "delivered again and again, never settled";
        vec![
            message("notifier", "ZG-7F3K-2Q", "smtp-rejected", "550 5.1.1 no such user here: 收件人不存在"),
            message("notifier", "6f9619ff", "delivery-limit", limit),
            unknown,
        ]
    }

    #[test]
    fn the_table_fits_eighty_columns() {
        insta::assert_snapshot!("parked_list", table(&messages(), 80, Tz::Asia__Singapore));
    }

    #[test]
    fn one_is_shown_with_what_it_says() {
        let mut lead = messages().remove(0);
        lead.contents = Some(Contents::Submitted(Form {
            name: "陈伟".to_owned(),
            mobile: "+65 9123 4567".to_owned(),
            email: "wei@example.com".to_owned(),
            questions: "几时开放?".to_owned(),
            interests: vec!["purchase"],
            language: "zh",
        }));
        let mut report = messages().remove(1);
        report.kind = "lead.notified.v1".to_owned();
        report.contents = Some(Contents::Notified {
            recipient: "sales@zyon.example".to_owned(),
            mail_message_id: "<6f9619ff.sales@zyon.example>".to_owned(),
            server_reply: "250 2.0.0 OK".to_owned(),
        });
        let unknown = messages().remove(2);
        let shown =
            [&lead, &report, &unknown].map(|message| full(message, 80, Tz::Asia__Singapore)).join("\n\n");
        insta::assert_snapshot!("parked_show", shown);
        insta::assert_snapshot!("parked_show.json", json::message(&lead));
    }
}
