//! Dead letters for people.

use chrono_tz::Tz;

use super::{
    columns::{GAP, columns, usable},
    detail::{self, Field},
    text::{heading, minute, one_line, second},
};
use crate::dead_letters::{Message, Report};

/// A row each, below a header.
pub(super) fn table(messages: &[Message], width: u16, zone: Tz) -> String {
    let (queue, name, since, class) = (8, 10, 16, 14);
    let detail = usable(width) - queue - name - since - class - 4 * GAP;
    let since_heading = heading("SINCE", messages.iter().find_map(|message| message.since), zone);
    let header = ["QUEUE", "MESSAGE", &since_heading, "CLASS", "DETAIL"].map(str::to_owned);
    let rows = std::iter::once(header).chain(messages.iter().map(|message| row(message, zone)));
    columns(rows, [queue, name, since, class, detail])
}

fn row(message: &Message, zone: Tz) -> [String; 5] {
    let since = message.since.map(|time| minute(time, zone));
    [
        message.queue.to_owned(),
        one_line(&message.name),
        since.unwrap_or_else(|| "-".to_owned()),
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
        ("Since", message.since.map(|time| second(time, zone)).unwrap_or_default()),
        ("Replayed", replayed),
        ("Class", one_line(&message.class)),
        ("Detail", one_line(&message.detail)),
        ("Trace", message.trace_id.clone().unwrap_or_default()),
    ];
    match message.contents() {
        Some(contents) => {
            fields.extend(contents.lead.iter().flat_map(detail::form));
            fields.extend(contents.reports.iter().map(|it| ("Report", report(it))));
        }
        None => fields.push(("Contents", "cannot be read".to_owned())),
    }
    format!("{title}\n\n{}", detail::fields(fields, width))
}

fn report(report: &Report) -> String {
    let Report { recipient, outcome, detail } = report;
    format!("{outcome}: {}, {}", one_line(recipient), one_line(detail))
}

#[cfg(test)]
mod tests {
    use messaging::Event;

    use super::*;
    use crate::output::{json, samples};

    fn messages() -> Vec<Message> {
        let mut unknown =
            samples::dead_letter("crm-sync", "m-feed0000", "undecodable", "unknown message type");
        unknown.since = None;
        let limit = "delivered again and again, never settled";
        vec![
            samples::dead_letter("notifier", "ZG-7F3K-2Q", "panic", "index out of bounds: 收件人不存在"),
            samples::dead_letter("notifier", "6f9619ff", "delivery-limit", limit),
            unknown,
        ]
    }

    #[test]
    fn the_table_fits_eighty_columns() {
        insta::assert_snapshot!("dead_letters", table(&messages(), 80, Tz::Asia__Singapore));
    }

    #[test]
    fn one_is_shown_with_what_it_says() {
        let mut lead = messages().remove(0);
        lead.event = Some(Event::LeadSubmitted(samples::submission()));
        let mut report = messages().remove(1);
        report.kind = "lead.delivered.v1".to_owned();
        report.event = Some(Event::LeadDelivered(samples::delivered()));
        let unknown = messages().remove(2);
        let shown =
            [&lead, &report, &unknown].map(|message| full(message, 80, Tz::Asia__Singapore)).join("\n\n");
        insta::assert_snapshot!("dead_letter", shown);
        insta::assert_snapshot!("dead_letter.json", [&lead, &report].map(json::message).join("\n"));
    }
}
