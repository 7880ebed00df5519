//! A row of the table.

use crate::measure::Compared;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    PerSecond,
    Milliseconds,
    /// Microseconds of CPU time.
    Core,
    /// A million bytes.
    Megabytes,
    /// A number per lead.
    Count,
}

/// The goal of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// At least this share of the baseline.
    Share(f64),
    /// At least this share of the baseline, and this many times the Express app.
    ShareAndPeer(f64, f64),
    /// At most this multiple of the baseline, where less is better.
    Times(f64),
    AtMost(f64),
    /// No goal: the figure is only recorded.
    None,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) figure: Compared,
    pub(crate) goal: Goal,
}

impl Row {
    /// A figure that is compared with others.
    pub(crate) fn beside(what: impl Into<String>, unit: Unit, figure: Compared, goal: Goal) -> Self {
        Self { what: what.into(), unit, figure, goal }
    }

    /// A figure without a comparison.
    pub(crate) fn alone(what: impl Into<String>, unit: Unit, ours: f64, goal: Goal) -> Self {
        let figure = Compared { ours, ceiling: None, peer: None, itself: None, stolen: 0.0 };
        Self::beside(what, unit, figure, goal)
    }

    /// Sets the CPU steal where it was not measured with the figure.
    pub(crate) fn while_stolen(mut self, share: f64) -> Self {
        if self.figure.ceiling.is_none() {
            self.figure.stolen = share;
        }
        self
    }

    /// The CPU steal from 0 to 1; `None` for units that do not depend on it.
    pub(crate) fn stolen(&self) -> Option<f64> {
        match self.unit {
            Unit::PerSecond | Unit::Milliseconds | Unit::Core => Some(self.figure.stolen),
            Unit::Megabytes | Unit::Count => None,
        }
    }

    /// `None` without a goal. A goal relative to the baseline is missed without a baseline.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        let Compared { ours, ceiling, peer, .. } = self.figure;
        let [ceiling, peer] = [ceiling, peer].map(|other| other.map(|other| other.ratio));
        match self.goal {
            Goal::Share(share) => Some(ceiling.is_some_and(|ratio| ratio >= share)),
            Goal::ShareAndPeer(share, times) => {
                Some(ceiling.is_some_and(|ratio| ratio >= share) && peer.is_some_and(|ratio| ratio >= times))
            }
            Goal::Times(times) => Some(ceiling.is_some_and(|ratio| ratio <= times)),
            Goal::AtMost(most) => Some(ours <= most),
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
            Self::Core => format!("{value:.0} µs"),
            Self::Megabytes => format!("{value:.1} MB"),
            Self::Count => format!("{value:.1}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Other;

    #[test]
    fn more_is_better_for_rates_and_less_for_times() {
        let reached = |ceiling, peer, goal| {
            let [ceiling, peer] = [ceiling, peer].map(|ratio| Some(Other { value: 1.0, ratio }));
            let figure = Compared { ours: 1.0, ceiling, peer, itself: None, stolen: 0.0 };
            Row::beside("", Unit::PerSecond, figure, goal).is_reached()
        };
        assert_eq!([0.89, 0.9].map(|it| reached(it, 0.0, Goal::Share(0.9))), [Some(false), Some(true)]);
        assert_eq!([1.5, 1.6].map(|it| reached(it, 0.0, Goal::Times(1.5))), [Some(true), Some(false)]);
        let both = Goal::ShareAndPeer(0.85, 2.0);
        assert_eq!([1.9, 2.0].map(|it| reached(0.9, it, both)), [Some(false), Some(true)]);
        assert_eq!(reached(0.1, 0.1, Goal::None), None);
        assert_eq!(Row::alone("", Unit::Megabytes, 12.1, Goal::AtMost(12.0)).is_reached(), Some(false));
    }
}
