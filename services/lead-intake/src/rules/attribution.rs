//! Limits a visit's origin to what a token can hold.

use lead::{
    Attribution, Campaign, UserText,
    text::{single_line, truncated},
};

const LONGEST_PATH: usize = 200;
const LONGEST_VALUE: usize = 100;

/// Puts each value on one line, cut to a length that fits a token, and removes the path's query.
pub fn capped(attribution: Attribution) -> Attribution {
    let Attribution { landing_path, referrer_host, campaign } = attribution;
    let Campaign { source, medium, name, term, content } = campaign;
    let path = landing_path.split(['?', '#']).next().unwrap_or_default();
    let value = |value: UserText| UserText::from(truncated(&single_line(&value), LONGEST_VALUE));
    Attribution {
        landing_path: truncated(&single_line(path), LONGEST_PATH).into(),
        referrer_host: value(referrer_host),
        campaign: Campaign {
            source: value(source),
            medium: value(medium),
            name: value(name),
            term: value(term),
            content: value(content),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribution_is_cut_to_size_and_loses_the_query() {
        let attribution = Attribution {
            landing_path: format!("/floor-plans?email=mei@example.com{}", "x".repeat(500)).into(),
            campaign: Campaign { source: "宝".repeat(200).into(), ..Campaign::default() },
            ..Attribution::default()
        };
        let capped = capped(attribution);
        assert_eq!(capped.landing_path, "/floor-plans");
        assert_eq!(capped.campaign.source.chars().count(), 100);
    }
}
