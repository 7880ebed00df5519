//! The faults made in a run, and the duplicate mails that they explain.

use std::fmt::Write as _;

use crate::fault::Fault;
use crate::journal::Millis;
use crate::mail_server::Trouble;
use crate::stack::parts::{Link, Process};

/// Faults have effects beyond their end, until claims and leases expire and connections are re-established.
const AFTERMATH: Millis = 5_000;

/// A fault with its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) fault: Fault,
    pub(crate) from: Millis,
    /// Includes recovery.
    pub(crate) to: Millis,
}

impl Window {
    /// Whether the fault or its aftermath overlaps this interval.
    fn touches(&self, first: Millis, last: Millis) -> bool {
        self.from <= last && first <= self.to + AFTERMATH
    }

    /// Whether the fault can cause duplicate mails: a notifier died before it processed the server's reply, the reply
    /// was lost, or the CRM was unavailable.
    pub(crate) fn excuses_second_mails(&self) -> bool {
        match self.fault {
            Fault::Kill(process) | Fault::Freeze(process) | Fault::Restart(process) => match process {
                Process::Notifier1
                | Process::Notifier2
                | Process::Crm1
                | Process::Crm2
                | Process::Database
                | Process::MailServer => true,
                Process::Intake1 | Process::Intake2 | Process::Broker | Process::Nginx => false,
            },
            Fault::Cut(link) | Fault::Stall(link) | Fault::Reset(link) | Fault::HalfOpen(link) => {
                match link {
                    Link::NotifierCrm | Link::NotifierSmtp | Link::CrmDatabase => true,
                    Link::NginxIntake
                    | Link::IntakeBroker
                    | Link::IntakeCrm
                    | Link::NotifierBroker
                    | Link::CrmBroker => false,
                }
            }
            Fault::Mail(Trouble::ReplyLost)
            | Fault::ReadOnly
            | Fault::OutOfConnections
            | Fault::Locked
            | Fault::Deadlock
            | Fault::DatabaseDiskFull => true,
            Fault::Mail(
                Trouble::Busy
                | Trouble::Refusing
                | Trouble::RefusingSenders
                | Trouble::Greylisting
                | Trouble::LoginRefused,
            )
            | Fault::RecipientRefused
            | Fault::Alarm(_)
            | Fault::QueueDeleted(_)
            | Fault::BindingDeleted(_)
            | Fault::BrokerDiskFull
            | Fault::Poison(..) => false,
        }
    }
}

/// The first fault that explains a duplicate mail sent at `second` after one at `first`.
pub(crate) fn explanation(windows: &[Window], first: Millis, second: Millis) -> Option<&Window> {
    windows.iter().find(|window| window.excuses_second_mails() && window.touches(first, second))
}

/// Whether a fault that explains duplicates was active at this time.
pub(crate) fn in_doubt(windows: &[Window], at: Millis) -> bool {
    windows.iter().any(|window| window.excuses_second_mails() && window.touches(at, at))
}

/// The names of active faults, for a progress line.
pub(crate) fn names(faults: &[Fault]) -> String {
    let mut text = String::new();
    for fault in faults {
        let _infallible = write!(text, " {fault}");
    }
    text.trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(fault: Fault, from: Millis, to: Millis) -> Window {
        Window { fault, from, to }
    }

    #[test]
    fn a_second_mail_is_explained_by_a_fault_between_the_two() {
        let windows = [window(Fault::Kill(Process::Notifier1), 100_000, 101_000)];
        assert!(explanation(&windows, 99_000, 102_000).is_some());
        assert!(explanation(&windows, 100_500, 100_600).is_some());
        assert!(explanation(&windows, 90_000, 99_999).is_none(), "both before");
        assert!(explanation(&windows, 104_000, 104_500).is_some(), "in its aftermath");
        assert!(explanation(&windows, 107_000, 109_000).is_none(), "long after");
    }

    #[test]
    fn a_fault_on_the_primary_path_explains_no_second_mail() {
        for fault in [
            Fault::Kill(Process::Broker),
            Fault::Cut(Link::IntakeBroker),
            Fault::Stall(Link::NotifierBroker),
            Fault::Mail(Trouble::Greylisting),
        ] {
            assert!(explanation(&[window(fault, 0, 100_000)], 10, 20).is_none(), "{fault}");
        }
    }
}
