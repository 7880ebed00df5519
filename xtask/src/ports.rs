//! The ports of the system, and checks that they are free.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};

use anyhow::{Result, anyhow, bail};
use parking_lot::Mutex;

/// The loopback ports of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ports {
    pub site: u16,
    /// maildev's web page and REST interface.
    pub mail: u16,
    pub smtp: u16,
    pub amqp: u16,
    /// RabbitMQ's management page and REST interface.
    pub management: u16,
    pub postgres: u16,
    /// The services' ports, per replica.
    pub replicas: Vec<ReplicaPorts>,
}

/// The ports of one replica of every service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaPorts {
    pub intake: u16,
    pub desk: u16,
    /// crm-sync's gRPC service.
    pub grpc: u16,
    pub intake_admin: u16,
    pub notifier_admin: u16,
    pub crm_sync_admin: u16,
    pub desk_admin: u16,
}

impl Ports {
    /// The usual ports, each plus `offset`; fails with the purpose of each port that is taken.
    pub fn standard(offset: u16) -> Result<Self> {
        let mut problems = Vec::new();
        let ports = Self::assign(1, |usual, purpose| {
            let port = usual + offset;
            if let Err(error) = TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
                problems.push(format!("port {port} for {purpose} cannot be used: {error}\n"));
            }
            port
        });
        if problems.is_empty() {
            return Ok(ports);
        }
        let problems = problems.concat();
        Err(anyhow!("{problems}Stop the program that uses it, or use other ports with --port-offset 100"))
    }

    /// Distinct ports that are currently free.
    pub fn free(replicas: usize) -> Result<Self> {
        let mut free = free_ports(6 + 7 * replicas)?.into_iter();
        Ok(Self::assign(replicas, |_, _| free.next().expect("as many as requested")))
    }

    fn assign(replicas: usize, mut port: impl FnMut(u16, &'static str) -> u16) -> Self {
        Self {
            site: port(8080, "the site"),
            mail: port(8025, "the mail catcher"),
            smtp: port(8026, "the mail catcher's SMTP server"),
            amqp: port(5673, "RabbitMQ"),
            management: port(15673, "RabbitMQ's management page"),
            postgres: port(5433, "PostgreSQL"),
            replicas: (0..replicas)
                .map(|_| ReplicaPorts {
                    intake: port(9001, "lead-intake"),
                    desk: port(9004, "the desk"),
                    grpc: port(50051, "the CRM's gRPC service"),
                    intake_admin: port(9101, "lead-intake's admin port"),
                    notifier_admin: port(9102, "notifier's admin port"),
                    crm_sync_admin: port(9103, "crm-sync's admin port"),
                    desk_admin: port(9104, "the desk's admin port"),
                })
                .collect(),
        }
    }

    pub fn intake(&self) -> Vec<u16> {
        self.replicas.iter().map(|replica| replica.intake).collect()
    }

    pub fn desk(&self) -> Vec<u16> {
        self.replicas.iter().map(|replica| replica.desk).collect()
    }

    pub fn grpc(&self) -> Vec<u16> {
        self.replicas.iter().map(|replica| replica.grpc).collect()
    }
}

/// Ports that this process was given and may not have bound yet.
static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// Distinct free loopback ports, below the range for outgoing connections, so that none is taken by chance before its
/// use. None is given twice.
pub fn free_ports(count: usize) -> Result<Vec<u16>> {
    const FIRST: u16 = 20_000;
    const LAST: u16 = 29_999;
    let mut given = GIVEN.lock();
    let random = RandomState::new().hash_one(0);
    let start = FIRST + u16::try_from(random % u64::from(LAST - FIRST)).expect("below 10,000");
    let free: Vec<u16> = (start..=LAST)
        .chain(FIRST..start)
        .filter(|port| !given.contains(port) && TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .take(count)
        .collect();
    if free.len() < count {
        bail!("fewer than {count} ports from {FIRST} to {LAST} are free: stop other programs and try again");
    }
    given.extend(&free);
    Ok(free)
}
