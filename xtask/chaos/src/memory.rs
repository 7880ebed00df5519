//! Memory usage of the services.

use std::collections::HashMap;

use crate::stack::Stack;
use crate::stack::parts::Process;

/// Resident memory in kilobytes.
pub(crate) type Usage = u64;

/// Current usage of each service; services without a known process are missing.
pub(crate) fn of_services(stack: &Stack) -> HashMap<Process, Usage> {
    let of = |process: Process| {
        let pid = stack.supervisor.pid(process.name())?;
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        Some((process, resident(&status)?))
    };
    Process::SERVICES.into_iter().filter_map(of).collect()
}

fn resident(status: &str) -> Option<Usage> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_status() {
        assert_eq!(resident("Name:\tx\nVmRSS:\t  1234 kB\nThreads: 2\n"), Some(1234));
        assert_eq!(resident("Name:\tx\n"), None);
    }
}
