//! Measures and prints the time spent per part and step.

use std::time::{Duration, Instant};

use crate::cpu::CpuUsage;
use crate::progress::{Ended, elapsed};

/// Shorter steps are not listed.
const SHORTEST: Duration = Duration::from_secs(1);

/// The kind of work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Build,
    Wait,
    Work,
}

impl Kind {
    /// Determined by the first word of the step's title.
    fn of(title: &str) -> Self {
        match title.split(' ').next().unwrap_or_default() {
            "build" | "install" => Self::Build,
            "start" | "stop" | "wait" | "migrate" => Self::Wait,
            _ => Self::Work,
        }
    }

    fn column(self) -> usize {
        match self {
            Self::Build => 0,
            Self::Wait => 1,
            Self::Work => 2,
        }
    }
}

/// The time of one part; its steps may run in parallel.
pub(super) struct PartTime {
    name: &'static str,
    took: Duration,
    idle: f64,
    stolen: f64,
    steps: Vec<Ended>,
}

/// Measures a part from its start.
pub(super) struct PartClock(Instant, CpuUsage);

impl PartClock {
    pub(super) fn start() -> Self {
        Self(Instant::now(), CpuUsage::now())
    }

    pub(super) fn stop(self, name: &'static str, steps: Vec<Ended>) -> PartTime {
        let Self(started, before) = self;
        let now = CpuUsage::now();
        let (idle, stolen) = (now.idle_since(before), now.stolen_since(before));
        PartTime { name, took: started.elapsed(), idle, stolen, steps }
    }
}

/// One line per part and per step.
pub(super) fn table(parts: &[PartTime]) -> String {
    let mut text = format!("{:<36}{:>14}{:>14}{:>14}\n", "", "build", "wait", "work");
    for part in parts {
        let shares = format!("{:.0} % idle, {:.0} % CPU steal", part.idle * 100.0, part.stolen * 100.0);
        text.push_str(&format!("{}: {}, {shares}\n", part.name, elapsed(part.took)));
        for Ended { title, took } in part.steps.iter().filter(|step| step.took >= SHORTEST) {
            let width = 14 * (Kind::of(title).column() + 1);
            text.push_str(&format!("  {title:<34}{:>width$}\n", elapsed(*took)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_stands_in_the_column_of_what_it_does() {
        let step =
            |title: &str, seconds| Ended { title: title.to_owned(), took: Duration::from_secs(seconds) };
        let steps = vec![
            step("build the tests", 80),
            step("start RabbitMQ", 5),
            step("cargo test", 61),
            step("stop", 0),
        ];
        let part =
            PartTime { name: "rust", took: Duration::from_secs(146), idle: 0.25, stolen: 0.034, steps };
        let expected = "                                             build          wait          work
rust: 2 min 26 s, 25 % idle, 3 % CPU steal
  build the tests                       1 min 20 s
  start RabbitMQ                                           5.0 s
  cargo test                                                        1 min 01 s
";
        assert_eq!(table(&[part]), expected);
    }
}
