//! The table of results.

use crate::measure::{Comparison, Other};

const COLUMNS: usize = 6;
const HEAD: [&str; COLUMNS] = [
    "figure",
    "ours",
    "Express app (ratio)",
    "baseline (ratio)",
    "goal",
    "result",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    Milliseconds,
    /// CPU time.
    Microseconds,
    /// A million bytes.
    Megabytes,
}

/// The result that a run must reach to succeed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    AtMost(f64),
    /// Better than the Express app.
    BeatExpress,
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) values: Comparison,
    pub(crate) goal: Goal,
}

impl Row {
    /// `None` without a comparison with the Express app.
    fn beats_express(&self) -> Option<bool> {
        let ratio = self.values.express?.ratio;
        Some(if self.unit == Unit::PerSecond {
            ratio > 1.0
        } else {
            ratio < 1.0
        })
    }

    pub(crate) fn misses_goal(&self) -> bool {
        match self.goal {
            Goal::AtMost(limit) => self.values.ours > limit,
            Goal::BeatExpress => self.beats_express() != Some(true),
            Goal::None => false,
        }
    }

    fn cells(&self) -> [String; COLUMNS] {
        let Comparison {
            ours,
            express,
            baseline,
        } = self.values;
        let dash = || "–".to_owned();
        let other = |other: Option<Other>| {
            other.map_or_else(dash, |Other { value, ratio }| {
                format!("{} ({ratio:.2})", self.format(value))
            })
        };
        let goal = match self.goal {
            Goal::AtMost(limit) => format!("≤ {}", self.format(limit)),
            Goal::BeatExpress => "beat the Express app".to_owned(),
            Goal::None => dash(),
        };
        let comparison = self
            .beats_express()
            .map(|beats| if beats { "won" } else { "lost" });
        let reached = if self.misses_goal() {
            "goal MISSED"
        } else {
            "goal reached"
        };
        let reached = (self.goal != Goal::None).then_some(reached);
        let result = comparison
            .into_iter()
            .chain(reached)
            .collect::<Vec<_>>()
            .join(", ");
        [
            self.name.clone(),
            self.format(ours),
            other(express),
            other(baseline),
            goal,
            result,
        ]
    }

    fn format(&self, value: f64) -> String {
        match self.unit {
            Unit::PerSecond => format!("{value:.0} /s"),
            Unit::Milliseconds => format!("{value:.1} ms"),
            Unit::Microseconds => format!("{value:.0} µs"),
            Unit::Megabytes => format!("{value:.1} MB"),
        }
    }
}

/// A row for each of the values.
pub(crate) fn rows<const N: usize>(
    values: [Comparison; N],
    rows: [(impl Into<String>, Unit, Goal); N],
) -> Vec<Row> {
    let row = |(values, (name, unit, goal))| Row {
        name,
        unit,
        values,
        goal,
    };
    values
        .into_iter()
        .zip(rows.map(|(name, unit, goal)| (name.into(), unit, goal)))
        .map(row)
        .collect()
}

/// The rows as a Markdown table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut table = comfy_table::Table::new();
    table
        .load_style(comfy_table::presets::ASCII_MARKDOWN)
        .set_header(HEAD);
    table.add_rows(rows.iter().map(Row::cells)).to_string()
}
