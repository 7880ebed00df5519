//! A row of the table.

use crate::measure::Compared;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    Milliseconds,
    /// A million bytes.
    Megabytes,
}

/// What a figure is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// So much of the ceiling, or more.
    Share(f64),
    /// So many times the ceiling, or less: where less is better.
    Times(f64),
    AtMost(f64),
    /// Nothing: it is recorded.
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) ours: f64,
    /// The ceiling and the ratio to it, where there is one.
    pub(crate) against: Option<Compared>,
    pub(crate) goal: Goal,
    /// The share of the machine's time that others took meanwhile, where that may matter.
    pub(crate) stolen: Option<f64>,
}

impl Row {
    /// A figure beside its ceiling.
    pub(crate) fn beside(what: impl Into<String>, unit: Unit, compared: Compared, goal: Goal) -> Self {
        Self { what: what.into(), unit, ours: compared.ours, against: Some(compared), goal, stolen: None }
    }

    /// A figure by itself.
    pub(crate) fn alone(what: impl Into<String>, unit: Unit, ours: f64, goal: Goal) -> Self {
        Self { what: what.into(), unit, ours, against: None, goal, stolen: None }
    }

    /// The same, with what others took of the machine while it was measured. A number of bytes does not depend on it.
    pub(crate) fn while_stolen(self, share: f64) -> Self {
        let stolen = (self.unit != Unit::Megabytes).then_some(share);
        Self { stolen, ..self }
    }

    /// Whether it reaches its goal, if it has one. What is compared with a ceiling that is not there does not.
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
    /// A value as people read it.
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
