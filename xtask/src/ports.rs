//! The ports of the system, and the choice of free ports.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Result, bail, ensure};
use parking_lot::Mutex;

/// The loopback ports of a stack. The lists have one port for each replica or node.
#[derive(Clone)]
pub struct Ports {
    pub site: u16,
    /// maildev's web page and REST interface.
    pub mail: u16,
    pub smtp: u16,
    pub amqp: Vec<u16>,
    /// RabbitMQ's management page and REST interface.
    pub management: Vec<u16>,
    /// Between the nodes of RabbitMQ.
    pub distribution: Vec<u16>,
    pub postgres: u16,
    pub intake: Vec<u16>,
    pub desk: Vec<u16>,
    /// crm-sync's gRPC service.
    pub grpc: Vec<u16>,
    /// The admin ports of each service, in the order of their start.
    pub admin: [(&'static str, Vec<u16>); 4],
}

impl Ports {
    /// The usual ports, each plus `offset`. Fails with the purpose of each port that is in use.
    pub fn standard(offset: u16) -> Result<Self> {
        let mut problems = String::new();
        let ports = Self::assign(1, 1, |usual, purpose| {
            let port = usual + offset;
            if let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
                problems += &format!("cannot use port {port} for {purpose}: {error}\n");
            }
            port
        })?;
        ensure!(
            problems.is_empty(),
            "{problems}Stop the program that uses it, or use other ports with --port-offset 100"
        );
        Ok(ports)
    }

    /// Distinct ports that are currently free, for `replicas` of each service and `nodes` of RabbitMQ.
    pub fn free(replicas: usize, nodes: usize) -> Result<Self> {
        let mut free = free_ports(4 + 7 * replicas + 2 * nodes)?.into_iter();
        Self::assign(replicas, nodes, |_, _| {
            free.next().expect("as many as requested")
        })
    }

    fn assign(
        replicas: usize,
        nodes: usize,
        mut port: impl FnMut(u16, &str) -> u16,
    ) -> Result<Self> {
        let mut several = |count, usual, purpose: &str| -> Vec<u16> {
            (0..count).map(|_| port(usual, purpose)).collect()
        };
        let amqp = several(nodes, 5673, "RabbitMQ");
        let management = several(nodes, 15673, "RabbitMQ's management page");
        let mut each = |usual, purpose: &str| several(replicas, usual, purpose);
        Ok(Self {
            intake: each(9001, "lead-intake"),
            desk: each(9004, "the desk"),
            grpc: each(50051, "the CRM's gRPC service"),
            admin: [
                ("crm-sync", 9103),
                ("notifier", 9102),
                ("lead-intake", 9101),
                ("desk", 9104),
            ]
            .map(|(service, usual)| {
                (
                    service,
                    each(usual, &format!("the admin port of {service}")),
                )
            }),
            site: port(8080, "the site"),
            mail: port(8025, "the mail catcher"),
            smtp: port(8026, "the mail catcher's SMTP server"),
            amqp,
            management,
            distribution: free_ports(nodes)?,
            postgres: port(5433, "PostgreSQL"),
        })
    }
}

/// The ports that [`free_ports`] has returned. Their programs may not have bound them yet.
static RETURNED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// Distinct free loopback ports, which are never returned again. They are below the range for outgoing connections,
/// so that no connection takes one before its use.
pub fn free_ports(count: usize) -> Result<Vec<u16>> {
    const FIRST: u16 = 20_000;
    const LAST: u16 = 29_999;
    let mut returned = RETURNED.lock();
    let random = RandomState::new().hash_one(0);
    let start = FIRST + u16::try_from(random % u64::from(LAST - FIRST)).expect("below 10,000");
    let free: Vec<u16> = (start..=LAST)
        .chain(FIRST..start)
        .filter(|port| {
            !returned.contains(port) && TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()
        })
        .take(count)
        .collect();
    if free.len() < count {
        bail!(
            "fewer than {count} ports from {FIRST} to {LAST} are free: stop other programs and try again"
        );
    }
    returned.extend(&free);
    Ok(free)
}
