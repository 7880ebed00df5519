//! How long to wait before each further try.

use std::{str::FromStr, sync::Arc, time::Duration};

/// The broker counts a queue's waiting time in milliseconds, in 32 bits.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const DEFAULT: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_secs(30),
    Duration::from_secs(2 * 60),
    Duration::from_secs(10 * 60),
    Duration::from_secs(60 * 60),
    Duration::from_secs(6 * 60 * 60),
];

/// The waits before the second, third, ... try; after the last a message is parked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(Arc<[Duration]>);

/// Not a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSchedule {
    /// There is no first wait.
    #[error("must name one wait at least")]
    Empty,
    /// A wait is not a number and a unit.
    #[error("{0:?} is not a wait, such as 5s, 2m or 6h")]
    Unreadable(String),
    /// A wait is shorter than a second, longer than thirty days, or not whole seconds.
    #[error("each wait must be whole seconds, from one second to thirty days")]
    OutOfRange,
    /// A wait is shorter than the one before it.
    #[error("no wait may be shorter than the one before it")]
    Decreasing,
}

impl Schedule {
    /// These waits, in this order.
    ///
    /// # Errors
    /// [`InvalidSchedule`] when there is none, or one is out of range or shorter than the one before it.
    pub fn new(waits: &[Duration]) -> Result<Self, InvalidSchedule> {
        let in_range = |wait: &Duration| wait.subsec_nanos() == 0 && !wait.is_zero() && *wait <= LONGEST;
        if waits.is_empty() {
            Err(InvalidSchedule::Empty)
        } else if !waits.iter().all(in_range) {
            Err(InvalidSchedule::OutOfRange)
        } else if !waits.is_sorted() {
            Err(InvalidSchedule::Decreasing)
        } else {
            Ok(Self(waits.into()))
        }
    }

    /// How long a message waits after its `attempt`th try (the first is 1) failed; `None`: it will be parked.
    #[must_use]
    pub fn after(&self, attempt: u32) -> Option<Duration> {
        let index = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
        self.0.get(index).copied()
    }

    /// The shortest wait.
    #[must_use]
    pub fn first(&self) -> Duration {
        self.0.first().copied().unwrap_or(LONGEST)
    }

    /// The longest wait.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.0.last().copied().unwrap_or(LONGEST)
    }

    /// The waits, each once however often it comes.
    pub fn distinct(&self) -> impl Iterator<Item = Duration> {
        self.0.chunk_by(|one, next| one == next).filter_map(|same| same.first().copied())
    }
}

impl Default for Schedule {
    /// 5 s, 30 s, 2 m, 10 m, 1 h, 6 h.
    fn default() -> Self {
        Self(DEFAULT.into())
    }
}

impl FromStr for Schedule {
    type Err = InvalidSchedule;

    /// Reads waits separated by commas, each a number with `s`, `m` or `h`: `5s,30s,2m`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let waits = text.split(',').map(str::trim).filter(|wait| !wait.is_empty());
        Self::new(&waits.map(wait).collect::<Result<Vec<_>, _>>()?)
    }
}

fn wait(text: &str) -> Result<Duration, InvalidSchedule> {
    let unreadable = || InvalidSchedule::Unreadable(text.to_owned());
    let units = [('s', 1), ('m', 60), ('h', 60 * 60)];
    let (number, seconds) = units
        .into_iter()
        .find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))
        .ok_or_else(unreadable)?;
    let number = number.parse::<u64>().map_err(|_| unreadable())?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or(InvalidSchedule::OutOfRange)
}

/// A wait in its largest whole unit: `2m`, not `120s`.
pub(crate) fn short(wait: Duration) -> String {
    match wait.as_secs() {
        seconds if seconds % 3600 == 0 && seconds > 0 => format!("{}h", seconds / 3600),
        seconds if seconds % 60 == 0 && seconds > 0 => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_what_its_text_says() {
        assert_eq!("5s,30s,2m,10m,1h,6h".parse(), Ok(Schedule::default()));
    }

    #[test]
    fn only_waits_that_grow_pass() {
        use InvalidSchedule::{Decreasing, Empty, OutOfRange};
        let unreadable = |text: &str| InvalidSchedule::Unreadable(text.to_owned());
        for (text, expected) in [
            ("", Empty),
            (" , ", Empty),
            ("0s", OutOfRange),
            ("721h", OutOfRange),
            ("9999999999999999999h", OutOfRange),
            ("2m,30s", Decreasing),
            ("5", unreadable("5")),
            ("5s,soon", unreadable("soon")),
            ("1.5s", unreadable("1.5s")),
            ("-5s", unreadable("-5s")),
        ] {
            assert_eq!(text.parse::<Schedule>(), Err(expected), "{text}");
        }
        assert_eq!(Schedule::new(&[Duration::from_millis(1500)]), Err(OutOfRange));
    }

    #[test]
    fn equal_waits_share_a_queue() {
        let schedule: Schedule = "60s, 1m, 2m".parse().unwrap();
        assert_eq!(schedule.distinct().map(short).collect::<Vec<_>>(), ["1m", "2m"]);
        assert_eq!(schedule.after(2), Some(Duration::from_secs(60)));
    }
}
