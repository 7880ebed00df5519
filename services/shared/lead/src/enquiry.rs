//! The floor plans, visit times and kinds of homes that a visitor can ask about. The site sends their ids.

use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::enums::Language;

/// Ids and texts. A test of the site compares `enquiry.json` with the site's ids and texts.
static CHOICES: LazyLock<Choices> =
    LazyLock::new(|| serde_json::from_str(include_str!("enquiry.json")).expect("times and plans"));

#[derive(Deserialize)]
struct Choices {
    /// Between the times of a list.
    separator: Words,
    times: Vec<VisitTime>,
    bedrooms: Vec<HomePreference>,
    purposes: Vec<HomePreference>,
    plans: Vec<Plan>,
}

/// One of the site's texts, in each language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    en: String,
    zh: String,
}

impl Words {
    /// The text in this language.
    pub fn get(&self, language: Language) -> &str {
        match language {
            Language::English => &self.en,
            Language::Chinese => &self.zh,
        }
    }
}

/// A floor plan of the site. JSON has only its id.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct Plan {
    /// E.g. `C2N`.
    pub id: String,
    /// Area in square feet, e.g. `1,324`.
    pub area: String,
    /// E.g. `3 Bedroom Premium + Study C2N`.
    pub name: Words,
}

impl Plan {
    /// Returns `None` for an unknown id.
    pub fn find(id: &str) -> Option<&'static Self> {
        CHOICES.plans.iter().find(|plan| plan.id == id)
    }

    /// Number of bedrooms, by the class of the plan at the start of its id.
    pub fn bedrooms(&self) -> u32 {
        match self
            .id
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == 'N')
        {
            "A" => 1,
            "B" => 2,
            "C" => 3,
            "D" => 4,
            _ => 5,
        }
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id)
    }
}

/// A part of the week in which a visitor could come to the show flat. JSON has only its id.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct VisitTime {
    /// E.g. `weekday-evenings`.
    pub id: String,
    /// E.g. `weekday evenings`.
    pub name: Words,
}

impl VisitTime {
    /// The times with these ids, in the order of the form, without duplicates. Drops unknown ids.
    pub fn known_from_contract<T: AsRef<str>>(ids: &[T]) -> Vec<&'static Self> {
        CHOICES
            .times
            .iter()
            .filter(|time| ids.iter().any(|id| id.as_ref() == time.id))
            .collect()
    }

    /// The number of times that a visitor can choose.
    pub fn count() -> usize {
        CHOICES.times.len()
    }

    /// The times in one text, e.g. `weekday evenings, weekend mornings`; `None` without times.
    pub fn list(times: &[&Self], language: Language) -> Option<String> {
        let names: Vec<_> = times.iter().map(|time| time.name.get(language)).collect();
        Some(names.join(CHOICES.separator.get(language))).filter(|list| !list.is_empty())
    }

    /// The first time and the number of further times, e.g. `weekday evenings +1`; `None` without times.
    pub fn shorten(times: &[&Self], language: Language) -> Option<String> {
        let (first, others) = times.split_first()?;
        let first = first.name.get(language);
        Some(if others.is_empty() {
            first.to_owned()
        } else {
            format!("{first} +{}", others.len())
        })
    }
}

impl Serialize for VisitTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id)
    }
}

/// A number of bedrooms, or a purpose of a home, that a visitor looks for. JSON has only its id.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub struct HomePreference {
    /// E.g. `3-bedroom` or `own-use`.
    pub id: String,
    /// E.g. `3 bedrooms` or `to live in`.
    pub name: Words,
    /// The number in a list of several, e.g. `3`; `None` for a purpose.
    number: Option<Words>,
}

impl HomePreference {
    /// The preferences with these ids, in the order of the form, without duplicates. Drops unknown ids.
    pub fn known_from_contract<T: AsRef<str>>(ids: &[T]) -> Vec<&'static Self> {
        CHOICES
            .bedrooms
            .iter()
            .chain(&CHOICES.purposes)
            .filter(|preference| ids.iter().any(|id| id.as_ref() == preference.id))
            .collect()
    }

    /// The preferences in one text, e.g. `3 or 4 bedrooms, to live in`; `None` without preferences.
    pub fn describe(preferences: &[&Self], language: Language) -> Option<String> {
        let comma = match language {
            Language::English => ", ",
            Language::Chinese => "，",
        };
        let purposes: Vec<_> = preferences
            .iter()
            .filter(|preference| preference.number.is_none())
            .map(|purpose| purpose.name.get(language))
            .collect();
        let parts = [
            describe_bedrooms(preferences, language),
            join_with_or(&purposes, language),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        Some(parts.join(comma)).filter(|text| !text.is_empty())
    }
}

impl Serialize for HomePreference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.id)
    }
}

/// E.g. `3 or 4 bedrooms`, or `2 to 5 bedrooms` if no number in between is missing.
fn describe_bedrooms(preferences: &[&HomePreference], language: Language) -> Option<String> {
    let places: Vec<usize> = (0..CHOICES.bedrooms.len())
        .filter(|place| preferences.contains(&&CHOICES.bedrooms[*place]))
        .collect();
    let first = *places.first()?;
    let last = *places.last()?;
    if first == last {
        return Some(CHOICES.bedrooms[first].name.get(language).to_owned());
    }
    let number = |place: usize| {
        let words = CHOICES.bedrooms[place].number.as_ref();
        words.map_or("", |words| words.get(language))
    };
    let has_gap = last - first >= places.len();
    let numbers: Vec<_> = places.iter().copied().map(number).collect();
    let list = || join_with_or(&numbers, language).unwrap_or_default();
    Some(match language {
        Language::English if has_gap || places.len() == 2 => format!("{} bedrooms", list()),
        Language::English => format!("{} to {} bedrooms", number(first), number(last)),
        Language::Chinese if has_gap => format!("{}卧房", list()),
        Language::Chinese => format!("{}至{}卧房", number(first), number(last)),
    })
}

/// E.g. `1, 3 or 5`; `None` without words.
fn join_with_or(words: &[&str], language: Language) -> Option<String> {
    let or = match language {
        Language::English => " or ",
        Language::Chinese => "或",
    };
    let (last, others) = words.split_last()?;
    let separator = CHOICES.separator.get(language);
    Some(if others.is_empty() {
        (*last).to_owned()
    } else {
        format!("{}{or}{last}", others.join(separator))
    })
}

/// Drops an id that only a newer version defines.
pub(crate) fn deserialize_plan<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'static Plan>, D::Error> {
    let id = Option::<String>::deserialize(deserializer)?;
    Ok(id.as_deref().and_then(Plan::find))
}

/// Drops ids that only a newer version defines.
pub(crate) fn deserialize_visit_times<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<&'static VisitTime>, D::Error> {
    let ids = Vec::<String>::deserialize(deserializer)?;
    Ok(VisitTime::known_from_contract(&ids))
}

/// Drops ids that only a newer version defines.
pub(crate) fn deserialize_home_preferences<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<&'static HomePreference>, D::Error> {
    let ids = Vec::<String>::deserialize(deserializer)?;
    Ok(HomePreference::known_from_contract(&ids))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::lead::Lead;

    #[test]
    fn finds_plans_by_id() {
        let plan = Plan::find("C2N").unwrap();
        assert_eq!(
            plan.name.get(Language::English),
            "3 Bedroom Premium + Study C2N"
        );
        assert_eq!((Plan::find(""), Plan::find("c2n")), (None, None));
    }

    #[test]
    fn bedrooms_agree_with_the_names_of_plans() {
        let numbers = ["一", "两", "三", "四", "五"];
        for plan in &CHOICES.plans {
            let place = numbers.iter().position(|number| {
                plan.name
                    .get(Language::Chinese)
                    .starts_with(&format!("{number}卧房"))
            });
            let bedrooms = place.map(|place| u32::try_from(place).unwrap() + 1);
            assert_eq!(bedrooms, Some(plan.bedrooms()), "{}", plan.id);
        }
    }

    #[test]
    fn known_times_are_in_the_order_of_the_form() {
        let times = VisitTime::known_from_contract(&[
            "weekend-mornings",
            "tomorrow",
            "weekday-evenings",
            "weekend-mornings",
        ]);
        assert_eq!(
            json!(times),
            json!(["weekday-evenings", "weekend-mornings"])
        );
    }

    #[test]
    fn lists_times_in_the_language_of_the_reader() {
        let times = VisitTime::known_from_contract(&["weekday-evenings", "weekend-mornings"]);
        assert_eq!(
            VisitTime::list(&times, Language::English).as_deref(),
            Some("weekday evenings, weekend mornings")
        );
        assert_eq!(
            VisitTime::list(&times, Language::Chinese).as_deref(),
            Some("平日傍晚、周末上午")
        );
        assert_eq!(VisitTime::list(&[], Language::English), None);
    }

    #[test]
    fn shortens_times_to_the_first() {
        let times = VisitTime::known_from_contract(&[
            "weekday-mornings",
            "weekday-afternoons",
            "weekday-evenings",
        ]);
        let shorten = |count| VisitTime::shorten(&times[..count], Language::Chinese);
        assert_eq!(
            (shorten(0), shorten(1)),
            (None, Some("平日上午".to_owned()))
        );
        assert_eq!(shorten(3).as_deref(), Some("平日上午 +2"));
    }

    #[test]
    fn known_preferences_are_in_the_order_of_the_form() {
        let preferences = HomePreference::known_from_contract(&[
            "own-use",
            "villa",
            "4-bedroom",
            "3-bedroom",
            "own-use",
        ]);
        assert_eq!(
            json!(preferences),
            json!(["3-bedroom", "4-bedroom", "own-use"])
        );
    }

    #[test]
    fn describes_homes_in_the_language_of_the_reader() {
        for (ids, english, chinese) in [
            (&["1-bedroom"][..], "1 bedroom", "一卧房"),
            (
                &["2-bedroom", "investment"],
                "2 bedrooms, as an investment",
                "两卧房，投资",
            ),
            (
                &["3-bedroom", "4-bedroom", "own-use"],
                "3 or 4 bedrooms, to live in",
                "三至四卧房，自住",
            ),
            (
                &["2-bedroom", "3-bedroom", "4-bedroom"],
                "2 to 4 bedrooms",
                "二至四卧房",
            ),
            (
                &["1-bedroom", "3-bedroom", "5-bedroom"],
                "1, 3 or 5 bedrooms",
                "一、三或五卧房",
            ),
            (
                &["own-use", "investment"],
                "to live in or as an investment",
                "自住或投资",
            ),
        ] {
            let preferences = HomePreference::known_from_contract(ids);
            let text = |language| HomePreference::describe(&preferences, language);
            assert_eq!(text(Language::English).as_deref(), Some(english));
            assert_eq!(text(Language::Chinese).as_deref(), Some(chinese));
        }
        assert_eq!(HomePreference::describe(&[], Language::English), None);
    }

    #[test]
    fn json_of_other_versions_is_readable() {
        let mut json = json!(Lead::empty(Uuid::nil(), DateTime::UNIX_EPOCH));
        json["plan"] = json!("E9");
        json["visit_times"] = json!(["weekend-nights", "weekend-evenings"]);
        json["home_preferences"] = json!(["villa", "5-bedroom"]);
        let newer: Lead = serde_json::from_value(json.clone()).unwrap();
        assert_eq!((newer.plan, newer.visit_times.len()), (None, 1));
        assert_eq!(
            newer.home_preferences,
            HomePreference::known_from_contract(&["5-bedroom"])
        );

        let fields = json.as_object_mut().unwrap();
        fields.remove("plan");
        fields.remove("visit_times");
        fields.remove("home_preferences");
        let earlier: Lead = serde_json::from_value(json).unwrap();
        assert_eq!((earlier.plan, earlier.visit_times.len()), (None, 0));
        assert_eq!(earlier.home_preferences.len(), 0);
    }
}
