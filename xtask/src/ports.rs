//! The ports of the system with their flags and defaults, and checks that they are free.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

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
    /// In the order of the help text.
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

    /// Flag without dashes, default, description.
    fn entry(self) -> (&'static str, u16, &'static str) {
        match self {
            Self::Site => ("site-port", 8080, "the site"),
            Self::Mail => ("mail-port", 8025, "the mail catcher"),
            Self::Smtp => ("smtp-port", 8026, "the mail catcher's SMTP server"),
            Self::Amqp => ("amqp-port", 5673, "RabbitMQ"),
            Self::AmqpManagement => ("amqp-management-port", 15673, "RabbitMQ's management page"),
            Self::Grpc => ("grpc-port", 50051, "the CRM's gRPC service"),
            Self::Intake => ("intake-port", 9001, "lead-intake"),
            Self::Desk => ("desk-port", 9004, "the sales team's desk"),
            Self::IntakeAdmin => ("intake-admin-port", 9101, "lead-intake's admin port"),
            Self::NotifierAdmin => ("notifier-admin-port", 9102, "notifier's admin port"),
            Self::CrmSyncAdmin => ("crm-sync-admin-port", 9103, "crm-sync's admin port"),
            Self::DeskAdmin => ("desk-admin-port", 9104, "the desk's admin port"),
            Self::Postgres => ("postgres-port", 5433, "PostgreSQL"),
        }
    }

    /// The command-line flag, without dashes.
    pub fn flag(self) -> &'static str {
        self.entry().0
    }

    pub fn default_port(self) -> u16 {
        self.entry().1
    }

    pub fn purpose(self) -> &'static str {
        self.entry().2
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|role| *role == self).expect("every role is in ALL")
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ports([u16; Role::ALL.len()]);

impl Default for Ports {
    fn default() -> Self {
        Self(Role::ALL.map(Role::default_port))
    }
}

impl Ports {
    /// Distinct ports that are currently free.
    pub fn free() -> Result<Self> {
        let ports: Vec<u16> = free_ports(Role::ALL.len())?;
        Ok(Self(ports.try_into().expect("as many as asked for")))
    }

    pub fn get(&self, role: Role) -> u16 {
        self.0[role.index()]
    }

    pub fn set(&mut self, role: Role, port: u16) {
        self.0[role.index()] = port;
    }
}

/// Distinct free loopback ports, below the range for outgoing connections, so that none is taken by chance before its
/// use.
pub fn free_ports(count: usize) -> Result<Vec<u16>> {
    const FIRST: u16 = 20_000;
    const LAST: u16 = 29_999;
    let start = FIRST + random::number()? % (LAST - FIRST);
    let free: Vec<u16> = (start..=LAST)
        .chain(FIRST..start)
        .filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .take(count)
        .collect();
    if free.len() == count {
        Ok(free)
    } else {
        Err(Error::failed(format!(
            "fewer than {count} ports from {FIRST} to {LAST} are free: stop other programs and try again"
        )))
    }
}

/// Fails if a port is taken, with every such role, the process holding the port, and the flag that changes it.
pub fn check(ports: &Ports, roles: &[Role]) -> Result<()> {
    let mut problems = Vec::new();
    for (position, role) in roles.iter().enumerate() {
        let port = ports.get(*role);
        if let Some(other) = roles[..position].iter().find(|other| ports.get(**other) == port) {
            problems.push(format!(
                "port {port} is assigned to both {} and {}: choose different ports",
                other.purpose(),
                role.purpose()
            ));
            continue;
        }
        if let Err(error) = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))) {
            let reason = if error.kind() == io::ErrorKind::AddrInUse {
                format!("is taken by {}: stop it, or ", holder(port).as_deref().unwrap_or("another program"))
            } else {
                format!("cannot be used ({error}): ")
            };
            problems.push(format!(
                "port {port} for {} {reason}choose another port with --{} PORT",
                role.purpose(),
                role.flag()
            ));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::failed(problems.join("\n"))) }
}

/// The program that listens on a port, from `/proc`; `None` elsewhere, or when it belongs to another user.
fn holder(port: u16) -> Option<String> {
    let inode = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .find_map(|table| listening_inode(&table, port))?;
    let socket = format!("socket:[{inode}]");
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid: u32 = process.file_name().to_str()?.parse().ok()?;
        let holds = fs::read_dir(process.path().join("fd")).ok()?.flatten().any(|descriptor| {
            fs::read_link(descriptor.path()).is_ok_and(|target| target.as_os_str() == socket.as_str())
        });
        let name = fs::read_to_string(process.path().join("comm")).ok()?;
        holds.then(|| format!("{} (process {pid})", name.trim()))
    })
}

fn listening_inode(table: &str, port: u16) -> Option<String> {
    const LISTEN: &str = "0A";
    let suffix = format!(":{port:04X}");
    table.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, local, _, state, ..] = fields.as_slice() else { return None };
        (local.ends_with(&suffix) && *state == LISTEN)
            .then(|| fields.get(9).map(|inode| (*inode).to_owned()))?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_named_with_its_purpose_and_flag() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let mut ports = Ports::free().expect("free ports");
        ports.set(Role::Smtp, port);

        let message = check(&ports, &Role::ALL).expect_err("taken").to_string();

        assert!(
            message.contains(&format!("port {port} for the mail catcher's SMTP server is taken by")),
            "{message}"
        );
        assert!(message.contains("--smtp-port PORT"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        if cfg!(target_os = "linux") {
            assert!(message.contains(&format!("(process {})", std::process::id())), "{message}");
        }
    }

    #[test]
    fn free_ports_pass_the_check() {
        check(&Ports::free().expect("free ports"), &Role::ALL).expect("all free");
    }

    #[test]
    fn one_port_for_two_roles_is_refused() {
        let mut ports = Ports::free().expect("free ports");
        ports.set(Role::Grpc, ports.get(Role::Site));
        let message = check(&ports, &Role::ALL).expect_err("twice").to_string();
        assert!(message.contains("to both the site and the CRM's gRPC service"), "{message}");
    }

    #[test]
    fn flags_and_default_ports_are_all_different() {
        for (position, role) in Role::ALL.iter().enumerate() {
            for other in &Role::ALL[..position] {
                assert_ne!(role.flag(), other.flag());
                assert_ne!(role.default_port(), other.default_port());
            }
        }
    }
}
