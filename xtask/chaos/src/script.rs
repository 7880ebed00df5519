//! The schedule of faults, determined by seed, length and faults.

use std::collections::HashMap;
use std::time::Duration;

use fastrand::Rng;

use crate::fault::{Fault, Target};

/// A scheduled fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) at: Duration,
    pub(crate) lasts: Duration,
    pub(crate) fault: Fault,
}

/// One more round of all faults for each such length of the run.
const ROUND: Duration = Duration::from_secs(6 * 60);
/// A round of this length has faults of one to four seconds; others are scaled.
const SHORT_ROUND: Duration = Duration::from_secs(2 * 60);
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(4);
/// Recovery time between faults with the same target.
const RECOVERY: Duration = Duration::from_secs(2);

/// Schedules every fault at least once within `length`, in random order.
pub(crate) fn write(seed: u64, length: Duration, faults: &[Fault]) -> Vec<Step> {
    let mut random = Rng::with_seed(seed);
    let rounds = u32::try_from(length.as_secs() / ROUND.as_secs()).unwrap_or(u32::MAX).max(1);
    let round = length / rounds;
    let scale = (round.as_secs_f64() / SHORT_ROUND.as_secs_f64()).clamp(0.25, 4.0);
    let mut free: HashMap<Target, Duration> = HashMap::new();
    let mut steps = Vec::new();
    for number in 0..rounds {
        let mut order = faults.to_vec();
        random.shuffle(&mut order);
        let slot = round / u32::try_from(order.len().max(1)).unwrap_or(u32::MAX);
        for (place, fault) in (0_u32..).zip(order) {
            let planned = round * number + slot.mul_f64(f64::from(place) + random.f64() * 0.8);
            let lasts = milliseconds(length_between(SHORTEST, LONGEST, random.f64()).mul_f64(scale));
            let earliest = free.get(&fault.target()).copied().unwrap_or_default();
            let at =
                Duration::from_millis(u64::try_from(planned.max(earliest).as_millis()).unwrap_or(u64::MAX));
            free.insert(fault.target(), at + lasts + RECOVERY);
            steps.push(Step { at, lasts, fault });
        }
    }
    steps.sort_by_key(|step| step.at);
    steps
}

fn length_between(shortest: Duration, longest: Duration, share: f64) -> Duration {
    shortest + (longest - shortest).mul_f64(share)
}

/// Truncates to whole milliseconds.
fn milliseconds(duration: Duration) -> Duration {
    Duration::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_MINUTES: Duration = Duration::from_secs(120);

    #[test]
    fn the_same_seed_gives_the_same_script() {
        let all = Fault::all();
        assert_eq!(write(7, TWO_MINUTES, &all), write(7, TWO_MINUTES, &all));
        assert_ne!(write(7, TWO_MINUTES, &all), write(8, TWO_MINUTES, &all));
    }

    #[test]
    fn every_fault_comes_once_in_two_minutes_and_at_least_twice_in_twenty() {
        let all = Fault::all();
        let times = |steps: &[Step], fault| steps.iter().filter(|step| step.fault == fault).count();
        let (short, long) = (write(1, TWO_MINUTES, &all), write(1, TWO_MINUTES * 10, &all));
        for fault in &all {
            assert_eq!(times(&short, *fault), 1, "{fault}");
            assert!(times(&long, *fault) >= 2, "{fault}");
        }
    }

    #[test]
    fn nothing_is_wrong_in_two_ways_at_once_but_different_things_are() {
        let steps = write(3, TWO_MINUTES, &Fault::all());
        let end = |step: &Step| step.at + step.lasts;
        let mut overlapping = 0;
        for (place, step) in steps.iter().enumerate() {
            for later in &steps[place + 1..] {
                if later.at < end(step) {
                    assert_ne!(step.fault.target(), later.fault.target(), "{} {}", step.fault, later.fault);
                    overlapping += 1;
                }
            }
        }
        assert!(overlapping > 10, "{overlapping}");
    }
}
