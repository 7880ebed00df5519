//! The processes of the system and the connections between them.

use testkit::proxy::{Mode, Proxy};

/// A process that can be killed, frozen or restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Process {
    Intake1,
    Intake2,
    Notifier1,
    Notifier2,
    Crm1,
    Crm2,
    Desk1,
    Desk2,
    Broker,
    Database,
    Nginx,
}

impl Process {
    pub(crate) const ALL: [Self; 11] = [
        Self::Intake1,
        Self::Intake2,
        Self::Notifier1,
        Self::Notifier2,
        Self::Crm1,
        Self::Crm2,
        Self::Desk1,
        Self::Desk2,
        Self::Broker,
        Self::Database,
        Self::Nginx,
    ];

    /// The replicas of each kind.
    pub(crate) const KINDS: [&[Self]; 7] = [
        &[Self::Intake1, Self::Intake2],
        &[Self::Notifier1, Self::Notifier2],
        &[Self::Crm1, Self::Crm2],
        &[Self::Desk1, Self::Desk2],
        &[Self::Broker],
        &[Self::Database],
        &[Self::Nginx],
    ];

    pub(crate) fn is_service(self) -> bool {
        !matches!(self, Self::Broker | Self::Database | Self::Nginx)
    }

    /// The name used by the supervisor and for log files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intake1 => "lead-intake-1",
            Self::Intake2 => "lead-intake-2",
            Self::Notifier1 => "notifier-1",
            Self::Notifier2 => "notifier-2",
            Self::Crm1 => "crm-sync-1",
            Self::Crm2 => "crm-sync-2",
            Self::Desk1 => "desk-1",
            Self::Desk2 => "desk-2",
            Self::Broker => "rabbitmq",
            Self::Database => "postgres",
            Self::Nginx => "nginx",
        }
    }
}

/// A connection between two kinds of processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Link {
    NginxIntake,
    IntakeBroker,
    IntakeCrm,
    NotifierBroker,
    NotifierCrm,
    NotifierSmtp,
    CrmBroker,
    CrmDatabase,
}

impl Link {
    pub(crate) const ALL: [Self; 8] = [
        Self::NginxIntake,
        Self::IntakeBroker,
        Self::IntakeCrm,
        Self::NotifierBroker,
        Self::NotifierCrm,
        Self::NotifierSmtp,
        Self::CrmBroker,
        Self::CrmDatabase,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NginxIntake => "nginx-intake",
            Self::IntakeBroker => "intake-broker",
            Self::IntakeCrm => "intake-crm",
            Self::NotifierBroker => "notifier-broker",
            Self::NotifierCrm => "notifier-crm",
            Self::NotifierSmtp => "notifier-smtp",
            Self::CrmBroker => "crm-broker",
            Self::CrmDatabase => "crm-database",
        }
    }
}

/// The proxies of every link, one per target.
pub(crate) struct Links(Vec<(Link, Vec<Proxy>)>);

impl Links {
    /// Starts the proxies; `targets` returns the ports behind a link.
    pub(crate) async fn start(targets: impl Fn(Link) -> Vec<u16>) -> std::io::Result<Self> {
        let mut links = Vec::new();
        for link in Link::ALL {
            let mut proxies = Vec::new();
            for port in targets(link) {
                proxies.push(Proxy::start(format!("127.0.0.1:{port}")).await?);
            }
            links.push((link, proxies));
        }
        Ok(Self(links))
    }

    /// The proxies' ports, to be used instead of the targets'.
    pub(crate) fn ports(&self, link: Link) -> Vec<u16> {
        self.of(link).map(|proxy| proxy.address().port()).collect()
    }

    /// Sets the mode for all connections of a link.
    pub(crate) fn set(&self, link: Link, mode: Mode) {
        self.of(link).for_each(|proxy| proxy.set(mode));
    }

    fn of(&self, link: Link) -> impl Iterator<Item = &Proxy> {
        self.0.iter().filter(move |(of, _)| *of == link).flat_map(|(_, proxies)| proxies)
    }
}
