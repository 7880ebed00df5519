//! Dead deliveries for people.

use chrono_tz::Tz;

use super::{
    columns::{GAP, columns, usable},
    detail,
    text::{heading, minute, one_line, second},
    timeline::because,
};
use crate::dead::DeadDelivery;

/// A row each, below a header.
pub(super) fn table(deliveries: &[DeadDelivery], width: u16, zone: Tz) -> String {
    let (since, lead, tries) = (16, 10, 5);
    let left = usable(width) - since - lead - tries - 4 * GAP;
    let recipient = (left / 2).min(30);
    let since_heading = heading("SINCE", deliveries.first().map(|it| it.since), zone);
    let header = [&since_heading, "LEAD", "RECIPIENT", "TRIES", "WHY"].map(str::to_owned);
    let rows = std::iter::once(header).chain(deliveries.iter().map(|it| row(it, zone)));
    columns(rows, [since, lead, recipient, tries, left - recipient])
}

fn row(delivery: &DeadDelivery, zone: Tz) -> [String; 5] {
    [
        minute(delivery.since, zone),
        one_line(name(delivery)),
        one_line(&delivery.recipient),
        delivery.attempts.to_string(),
        because(&delivery.reason),
    ]
}

/// One delivery, with all that is known of it.
pub(super) fn full(delivery: &DeadDelivery, width: u16, zone: Tz) -> String {
    let fields = vec![
        ("Lead", one_line(&delivery.lead_id)),
        ("Attempts", delivery.attempts.to_string()),
        ("Reason", because(&delivery.reason)),
        ("Since", second(delivery.since, zone)),
    ];
    let title = format!("{}  {}", one_line(name(delivery)), one_line(&delivery.recipient));
    format!("{title}\n\n{}", detail::fields(fields, width))
}

/// The reference, or the id of a lead that the CRM does not hold.
fn name(delivery: &DeadDelivery) -> &str {
    if delivery.reference.is_empty() { &delivery.lead_id } else { &delivery.reference }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::{lead::Reason, output::json};

    fn delivery(recipient: &str, attempts: u32, class: &str, detail: &str) -> DeadDelivery {
        DeadDelivery {
            lead_id: "6f9619ff-8b86-5011-b42d-00cf4fc964ff".to_owned(),
            reference: "ZG-7F3K-2Q".to_owned(),
            recipient: recipient.to_owned(),
            attempts,
            reason: Reason { class: class.to_owned(), detail: detail.to_owned() },
            since: DateTime::from_timestamp(1_772_337_906, 0).unwrap(),
        }
    }

    fn deliveries() -> [DeadDelivery; 3] {
        let unknown = delivery("\x1b[2Jboss\u{202e}@zyon.example", 1, "x\x07", "\x1b]0;owned\u{9b}2J");
        [
            delivery("sales@zyon.example", 1, "smtp-rejected", "550 5.1.1 no such user here: 收件人不存在"),
            delivery("visitor", 7, "smtp", "451 4.7.1 greylisted, try again later"),
            DeadDelivery { reference: String::new(), ..unknown },
        ]
    }

    #[test]
    fn the_table_fits_eighty_columns_and_nothing_steers_the_terminal() {
        let text = table(&deliveries(), 80, Tz::Asia__Singapore);
        assert_eq!(text.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("dead", text);
    }

    #[test]
    fn one_is_shown_with_all_that_is_known_of_it() {
        let shown = deliveries().map(|it| full(&it, 80, Tz::Asia__Singapore)).join("\n\n");
        assert_eq!(shown.chars().find(|it| it.is_control() && *it != '\n'), None);
        insta::assert_snapshot!("dead_show", shown);
        insta::assert_snapshot!("dead_show.json", json::pretty(&deliveries()[1]));
    }
}
