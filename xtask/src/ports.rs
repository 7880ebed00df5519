//! The ports of the system, and checks that they are free.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Site,
    /// maildev's web page and REST interface.
    Mail,
    /// maildev's SMTP server.
    Smtp,
    /// RabbitMQ, AMQP 0.9.1.
    Amqp,
    /// RabbitMQ's management page and REST interface.
    AmqpManagement,
    /// crm-sync's gRPC service.
    Grpc,
    /// lead-intake's HTTP interface, behind nginx.
    Intake,
    /// The desk's HTTP interface, behind nginx.
    Desk,
    /// lead-intake's admin port.
    IntakeAdmin,
    /// notifier's admin port.
    NotifierAdmin,
    /// crm-sync's admin port.
    CrmSyncAdmin,
    /// The desk's admin port.
    DeskAdmin,
    Postgres,
}

impl Role {
    pub const ALL: [Self; 13] = [
        Self::Site,
        Self::Mail,
        Self::Smtp,
        Self::Amqp,
        Self::AmqpManagement,
        Self::Grpc,
        Self::Intake,
        Self::Desk,
        Self::IntakeAdmin,
        Self::NotifierAdmin,
        Self::CrmSyncAdmin,
        Self::DeskAdmin,
        Self::Postgres,
    ];

    fn entry(self) -> (u16, &'static str) {
        match self {
            Self::Site => (8080, "the site"),
            Self::Mail => (8025, "the mail catcher"),
            Self::Smtp => (8026, "the mail catcher's SMTP server"),
            Self::Amqp => (5673, "RabbitMQ"),
            Self::AmqpManagement => (15673, "RabbitMQ's management page"),
            Self::Grpc => (50051, "the CRM's gRPC service"),
            Self::Intake => (9001, "lead-intake"),
            Self::Desk => (9004, "the sales team's desk"),
            Self::IntakeAdmin => (9101, "lead-intake's admin port"),
            Self::NotifierAdmin => (9102, "notifier's admin port"),
            Self::CrmSyncAdmin => (9103, "crm-sync's admin port"),
            Self::DeskAdmin => (9104, "the desk's admin port"),
            Self::Postgres => (5433, "PostgreSQL"),
        }
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|role| *role == self).expect("every role is in ALL")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ports([u16; Role::ALL.len()]);

impl Ports {
    /// The usual ports, each plus `offset`.
    pub fn standard(offset: u16) -> Self {
        Self(Role::ALL.map(|role| role.entry().0 + offset))
    }

    /// Distinct ports that are currently free.
    pub fn free() -> Result<Self> {
        let ports: Vec<u16> = free_ports(Role::ALL.len())?;
        Ok(Self(ports.try_into().expect("as many as asked for")))
    }

    pub fn get(&self, role: Role) -> u16 {
        self.0[role.index()]
    }
}

/// Ports that this process was given and may not have bound yet.
static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// Distinct free loopback ports, below the range for outgoing connections, so that none is taken by chance before its
/// use. None is given twice.
pub fn free_ports(count: usize) -> Result<Vec<u16>> {
    const FIRST: u16 = 20_000;
    const LAST: u16 = 29_999;
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    let start = FIRST + random::number()? % (LAST - FIRST);
    let free: Vec<u16> = (start..=LAST)
        .chain(FIRST..start)
        .filter(|port| !given.contains(port) && TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .take(count)
        .collect();
    if free.len() == count {
        given.extend(&free);
        Ok(free)
    } else {
        Err(Error::failed(format!(
            "fewer than {count} ports from {FIRST} to {LAST} are free: stop other programs and try again"
        )))
    }
}

/// Fails if a port is taken, with the purpose of each such port.
pub fn check(ports: &Ports, roles: &[Role]) -> Result<()> {
    let problems: Vec<String> = roles
        .iter()
        .filter_map(|role| {
            let port = ports.get(*role);
            let error = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).err()?;
            Some(format!("port {port} for {} cannot be used: {error}", role.entry().1))
        })
        .collect();
    if problems.is_empty() {
        return Ok(());
    }
    Err(Error::failed(format!(
        "{}\nStop the program that uses it, or use other ports with --port-offset 100",
        problems.join("\n")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice() {
        let ports: Vec<u16> = (0..300).flat_map(|_| free_ports(10).expect("free ports")).collect();
        assert_eq!(ports.iter().collect::<BTreeSet<_>>().len(), ports.len());
    }

    #[test]
    fn a_taken_port_is_reported_with_its_purpose() {
        let ports = Ports::free().expect("free ports");
        check(&ports, &Role::ALL).expect("all free");
        let _taken = TcpListener::bind((Ipv4Addr::LOCALHOST, ports.get(Role::Smtp))).expect("it is free");
        let message = check(&ports, &Role::ALL).expect_err("taken").to_string();
        assert!(message.contains("for the mail catcher's SMTP server cannot be used"), "{message}");
        assert!(message.contains("--port-offset"), "{message}");
        assert_eq!(message.lines().count(), 2, "{message}");
    }
}
