//! maildev: an SMTP server that shows received mails on a web page.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;
use crate::files;
use crate::http;
use crate::process::Invocation;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(60);
const ANSWER: Duration = Duration::from_secs(2);

/// A maildev to start; its packages must be installed.
pub struct Maildev {
    /// `deploy/maildev`.
    pub source: PathBuf,
    /// Storage of mails while it runs.
    pub directory: PathBuf,
    /// Web page and API.
    pub web_port: u16,
    pub smtp_port: u16,
}

impl Maildev {
    /// Starts it and waits until it answers.
    pub fn start(&self, supervisor: &Supervisor, logs: &Path) -> Result<()> {
        files::private_directory(&self.directory)?;
        let script = self.source.join("node_modules/maildev/bin/maildev");
        let invocation = Invocation::new("node", [script.as_os_str()])
            .argument("--ip")
            .argument("127.0.0.1")
            .argument("--web")
            .argument(self.web_port.to_string())
            .argument("--smtp")
            .argument(self.smtp_port.to_string())
            .argument("--mail-directory")
            .argument(&self.directory);
        supervisor.start(Service::new("maildev", invocation, logs), TIMEOUT, || {
            http::get(self.web_port, "/healthz", &[], ANSWER).is_ok_and(|answer| answer.status == 200)
        })
    }
}
