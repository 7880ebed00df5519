//! A row of the table.

use crate::measure::Compared;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    Milliseconds,
    /// A million bytes.
    Megabytes,
}

/// The goal of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// At least this share of the ceiling.
    Share(f64),
    /// At most this multiple of the ceiling, where less is better.
    Times(f64),
    AtMost(f64),
    /// No goal: the figure is only recorded.
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) ours: f64,
    /// `None` without a ceiling.
    pub(crate) against: Option<Compared>,
    pub(crate) goal: Goal,
    /// Share of CPU time stolen by other machines meanwhile; `None` where it does not matter.
    pub(crate) stolen: Option<f64>,
}

impl Row {
    /// A figure with its ceiling.
    pub(crate) fn beside(what: impl Into<String>, unit: Unit, compared: Compared, goal: Goal) -> Self {
        Self { what: what.into(), unit, ours: compared.ours, against: Some(compared), goal, stolen: None }
    }

    /// A figure without a ceiling.
    pub(crate) fn alone(what: impl Into<String>, unit: Unit, ours: f64, goal: Goal) -> Self {
        Self { what: what.into(), unit, ours, against: None, goal, stolen: None }
    }

    /// Adds the stolen share of CPU time, except to sizes, which do not depend on it.
    pub(crate) fn while_stolen(self, share: f64) -> Self {
        let stolen = (self.unit != Unit::Megabytes).then_some(share);
        Self { stolen, ..self }
    }

    /// `None` without a goal. A goal relative to a ceiling is missed when there is no ceiling.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        let ratio = self.against.map(|compared| compared.ratio);
        match self.goal {
            Goal::Share(share) => Some(ratio.is_some_and(|ratio| ratio >= share)),
            Goal::Times(times) => Some(ratio.is_some_and(|ratio| ratio <= times)),
            Goal::AtMost(most) => Some(self.ours <= most),
            Goal::None => None,
        }
    }
}

impl Unit {
    /// Formats a value with its unit.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::PerSecond => format!("{value:.0} /s"),
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Megabytes => format!("{value:.1} MB"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_better_for_rates_and_less_for_times() {
        let compared = |ratio| Compared { ours: ratio, ceiling: 1.0, ratio, itself: None };
        let reached = |ratio, goal| Row::beside("", Unit::PerSecond, compared(ratio), goal).is_reached();
        assert_eq!([0.89, 0.9].map(|ratio| reached(ratio, Goal::Share(0.9))), [Some(false), Some(true)]);
        assert_eq!([1.5, 1.6].map(|ratio| reached(ratio, Goal::Times(1.5))), [Some(true), Some(false)]);
        assert_eq!(reached(0.1, Goal::None), None);
        assert_eq!(Row::alone("", Unit::Megabytes, 12.1, Goal::AtMost(12.0)).is_reached(), Some(false));
    }
}
