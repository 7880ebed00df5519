//! The values of generated leads, with their weights.

use fastrand::Rng;

/// Surname and given name; English, then Chinese.
pub(crate) const NAMES: [(&str, &str); 12] = [
    ("Tan", "Mei Ling"),
    ("Lim", "Wei Jie"),
    ("Ng", "Hui Min"),
    ("Rahman", "Siti Nur"),
    ("Kumar", "Arjun"),
    ("Pereira", "Grace"),
    ("Chua", "Kai Xin"),
    ("陈", "美玲"),
    ("林", "志明"),
    ("王", "秀英"),
    ("李", "国华"),
    ("张", "建文"),
];

/// People of `deploy/notifier/routes.toml`.
pub const OWNERS: [&str; 2] = ["Mei Tan", "Daniel Koh"];

/// `utm_campaign`, `utm_source` and `utm_medium`; empty for visitors who followed no advertisement.
pub(crate) const CAMPAIGNS: [(u32, [&str; 3]); 7] = [
    (40, ["", "", ""]),
    (20, ["launch", "google", "cpc"]),
    (14, ["launch", "facebook", "social"]),
    (9, ["launch", "wechat", "social"]),
    (8, ["preview-weekend", "newsletter", "email"]),
    (6, ["showflat-opening", "propertyguru", "listing"]),
    (3, ["", "newsletter", "email"]),
];

pub(crate) const REFERRERS: [(u32, &str); 5] = [
    (45, ""),
    (25, "www.google.com"),
    (15, "news.example"),
    (10, "forum.example"),
    (5, "blog.example"),
];

pub(crate) const PLANS: [(u32, &str); 13] = [
    (35, ""),
    (8, "A1"),
    (5, "A2"),
    (4, "A3"),
    (10, "B1"),
    (12, "B2"),
    (9, "C1"),
    (8, "C2N"),
    (4, "D1"),
    (2, "D2"),
    (1, "PH1"),
    (1, "PH2"),
    (1, "PH3"),
];

pub(crate) const VISIT_TIMES: [(u32, &str); 6] = [
    (5, "weekday-mornings"),
    (8, "weekday-afternoons"),
    (25, "weekday-evenings"),
    (30, "weekend-mornings"),
    (35, "weekend-afternoons"),
    (10, "weekend-evenings"),
];

pub(crate) const BEDROOMS: [(u32, &str); 5] = [
    (20, "1-bedroom"),
    (30, "2-bedroom"),
    (30, "3-bedroom"),
    (15, "4-bedroom"),
    (5, "5-bedroom"),
];

pub(crate) const PURPOSES: [(u32, &str); 2] = [(65, "own-use"), (35, "investment")];

/// Leads by hour of the day in the sales team's time zone.
pub(crate) const HOURS: [u32; 24] = [
    2, 1, 1, 0, 0, 1, 3, 6, 9, 12, 13, 12, 14, 12, 9, 8, 8, 9, 12, 16, 20, 22, 16, 7,
];

/// One of the values, by their weights.
pub(crate) fn weighted<T: Copy>(values: &[(u32, T)], random: &mut Rng) -> T {
    let total: u32 = values.iter().map(|(weight, _)| weight).sum();
    let mut place = random.u32(..total);
    for (weight, value) in values {
        if place < *weight {
            return *value;
        }
        place -= weight;
    }
    values[0].1
}

/// Whether an event with this probability happens.
pub(crate) fn happens(percent: u32, random: &mut Rng) -> bool {
    random.u32(..100) < percent
}
