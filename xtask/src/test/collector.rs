//! A collector for the services' spans and metrics during tests.

use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;
use crate::files;
use crate::ports;
use crate::process::Invocation;
use crate::session::Session;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(20);

/// A running collector; stops when dropped.
pub(super) struct Collector {
    pub(super) file: PathBuf,
    port: u16,
    _supervisor: Supervisor,
}

impl Collector {
    pub(super) fn start(directory: &Path, programs: &Path, session: &Session) -> Result<Self> {
        files::directory(directory)?;
        let program = programs.join("collector");
        let file = directory.join("collected.jsonl");
        let port = ports::free_ports(1)?[0];
        let address = format!("{}:{port}", Ipv4Addr::LOCALHOST);
        let invocation = Invocation::new(program, [&address]).argument(&file);
        let supervisor = Supervisor::new(session.progress.clone(), session.interrupt.clone());
        supervisor.start(Service::new("collector", invocation, directory), TIMEOUT, || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
        })?;
        Ok(Self { file, port, _supervisor: supervisor })
    }

    /// The endpoint for the services.
    pub(super) fn url(&self) -> String {
        format!("http://{}:{}", Ipv4Addr::LOCALHOST, self.port)
    }
}
