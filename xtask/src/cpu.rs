//! CPU time: of the machine total, idle and stolen; of a process.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Result};

/// Clock ticks a second in `/proc`, the same on every Linux that people run.
const TICKS: u64 = 100;

/// What a process and its threads have spent, in user and kernel mode.
pub fn process_time(pid: u32) -> Result<Duration> {
    let path = PathBuf::from(format!("/proc/{pid}/stat"));
    let stat = fs::read_to_string(&path).map_err(|error| Error::file("read", &path, &error))?;
    ticks(&stat)
        .map(|ticks| Duration::from_millis(ticks * 1000 / TICKS))
        .ok_or_else(|| Error::failed(format!("{} contains no CPU times", path.display())))
}

/// The sum of utime and stime: fields 14 and 15 (proc_pid_stat(5)), the 12th and 13th behind the name in brackets.
fn ticks(stat: &str) -> Option<u64> {
    let (_, behind) = stat.rsplit_once(')')?;
    let mut fields = behind.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(next()? + next()?)
}

/// CPU time since boot, in kernel ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuUsage {
    total: u64,
    idle: u64,
    stolen: u64,
}

impl CpuUsage {
    /// The usage until now; zero without `/proc/stat`.
    pub fn now() -> Self {
        Self::read(&fs::read_to_string("/proc/stat").unwrap_or_default())
    }

    /// Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. Guest times are
    /// already included in user and nice (proc_stat(5)).
    fn read(stat: &str) -> Self {
        let line = stat.lines().next().unwrap_or_default();
        let ticks: Vec<u64> =
            line.split_whitespace().skip(1).take(8).map_while(|it| it.parse().ok()).collect();
        let tick = |index: usize| ticks.get(index).copied().unwrap_or_default();
        Self { total: ticks.iter().sum(), idle: tick(3) + tick(4), stolen: tick(7) }
    }

    /// The share taken by other virtual machines since `before`, from 0 to 1.
    pub fn stolen_since(self, before: Self) -> f64 {
        self.share_since(before, |usage| usage.stolen)
    }

    /// The idle share since `before`, from 0 to 1.
    pub fn idle_since(self, before: Self) -> f64 {
        self.share_since(before, |usage| usage.idle)
    }

    fn share_since(self, before: Self, part: impl Fn(Self) -> u64) -> f64 {
        let total = self.total.saturating_sub(before.total).max(1);
        part(self).saturating_sub(part(before)) as f64 / total as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_process_stand_behind_its_name() {
        assert_eq!(ticks("7 (a) b) S 1 1 1 0 -1 0 1 2 3 4 150 25 9 9 20 0 3 0 9\n"), Some(175));
        assert_eq!(ticks(""), None);
    }

    #[test]
    fn shares_are_of_all_time() {
        let before = CpuUsage::read("cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n");
        assert_eq!(before, CpuUsage { total: 1000, idle: 810, stolen: 35 });
        let now = CpuUsage::read("cpu  150 0 50 810 10 0 5 75 9 0\n");
        assert_eq!((now.stolen_since(before), now.idle_since(before)), (0.4, 0.1));
        assert_eq!(CpuUsage::read("").stolen_since(before), 0.0);
    }
}
