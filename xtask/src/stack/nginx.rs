//! A private nginx with the production configuration of `deploy/nginx`, rendered for this machine.

use std::net::{Ipv6Addr, TcpListener};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;
use rustix::process::Signal;

use crate::packages::{self, nginx_brotli_static};
use crate::process::{self, command_with};
use crate::session::Interrupt;
use crate::supervisor::{Service, Supervisor};
use crate::{files, http};

const TIMEOUT: Duration = Duration::from_secs(15);

/// The rate limits for each address, in nginx's format.
#[derive(Clone, Copy)]
pub struct Limits {
    pub lead_rate: &'static str,
    pub lead_burst: u32,
    /// Of anonymous sessions.
    pub session_rate: &'static str,
    pub session_burst: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lead_rate: "10r/m",
            lead_burst: 20,
            session_rate: "60r/m",
            session_burst: 60,
        }
    }
}

impl Limits {
    /// No effective limits, for tests whose visitors share an address.
    pub fn lifted() -> Self {
        let (rate, burst) = ("1000000r/s", 1_000_000);
        Self {
            lead_rate: rate,
            lead_burst: burst,
            session_rate: rate,
            session_burst: burst,
        }
    }
}

/// A server, not started. All ports are on loopback.
pub struct Nginx {
    /// Contains the rendered configuration and the files that nginx writes.
    pub directory: PathBuf,
    pub port: u16,
    pub site: PathBuf,
    pub intake_ports: Vec<u16>,
    pub desk_ports: Vec<u16>,
    /// Networks of proxies whose X-Forwarded-For nginx trusts.
    pub real_ip_from: Vec<String>,
    pub limits: Limits,
    /// The UDP port that receives the log for the metrics.
    pub edge_log: Option<u16>,
}

impl Nginx {
    /// Renders and checks the configuration, starts nginx and waits until it listens.
    pub fn start(&self, supervisor: &Supervisor, logs: &Path, interrupt: &Interrupt) -> Result<()> {
        self.render()?;
        let mut service = Service::new("nginx", self.command()?, logs);
        process::run(self.command()?.arg("-t"), &service.log, interrupt)?;
        service.stop_signal = Signal::QUIT;
        supervisor.start(service, TIMEOUT, || http::connects(self.port))
    }

    fn render(&self) -> Result<()> {
        for directory in ["", "main.d", "conf.d"] {
            files::empty_directory(&self.directory.join(directory))?;
        }
        let source = files::path("deploy/nginx");
        for name in ["nginx.conf", "snippets"] {
            symlink(source.join(name), self.directory.join(name))?;
        }
        let mut site = fs::read_to_string(source.join("templates/site.conf.template"))?;
        // Like envsubst. nginx rejects a variable that is not replaced.
        for (name, value) in self.variables() {
            site = site.replace(&format!("${{{name}}}"), &value);
        }
        fs::write(self.directory.join("conf.d/site.conf"), site)?;
        let mut local = String::new();
        if rustix::process::geteuid().is_root() {
            // nginx's default user may have no access to root's checkout.
            local.push_str("user root;\n");
        }
        if let Some(module) = nginx_brotli_static() {
            local.push_str(&format!("load_module {};\n", module.display()));
            fs::write(
                self.directory.join("conf.d/brotli.conf"),
                "brotli_static on;\n",
            )?;
        }
        Ok(fs::write(self.directory.join("main.d/local.conf"), local)?)
    }

    fn command(&self) -> Result<Command> {
        // The workers of a killed master would continue to run and use the port.
        let mut nginx = command_with(&["--pdeathsig=TERM"], packages::find("nginx")?);
        nginx
            .arg("-p")
            .arg(&self.directory)
            .arg("-c")
            .arg(self.directory.join("nginx.conf"));
        nginx.args(["-e", "stderr", "-g", "daemon off;"]);
        Ok(nginx)
    }

    fn variables(&self) -> [(&'static str, String); 10] {
        let servers = |ports: &[u16]| match ports {
            [] => "server 127.0.0.1:9 down;".to_owned(),
            ports => ports
                .iter()
                .map(|port| format!("server 127.0.0.1:{port} max_fails=0;"))
                .collect(),
        };
        let mut listen = format!("listen 127.0.0.1:{};", self.port);
        // Some programs resolve localhost to ::1.
        if TcpListener::bind((Ipv6Addr::LOCALHOST, self.port)).is_ok() {
            listen.push_str(&format!("listen [::1]:{};", self.port));
        }
        let trusted = self
            .real_ip_from
            .iter()
            .map(|network| format!("set_real_ip_from {network};"));
        let edge_log = self.edge_log.map(|port| {
            format!("access_log syslog:server=127.0.0.1:{port},nohostname,tag=edge edge;")
        });
        let Limits {
            lead_rate,
            lead_burst,
            session_rate,
            session_burst,
        } = self.limits;
        [
            ("LISTEN", listen),
            ("SITE_ROOT", self.site.display().to_string()),
            ("INTAKE_UPSTREAM", servers(&self.intake_ports)),
            ("DESK_UPSTREAM", servers(&self.desk_ports)),
            ("REAL_IP_FROM", trusted.collect()),
            ("EDGE_LOG", edge_log.unwrap_or_default()),
            ("LEAD_RATE", lead_rate.to_owned()),
            ("LEAD_BURST", lead_burst.to_string()),
            ("SESSION_RATE", session_rate.to_owned()),
            ("SESSION_BURST", session_burst.to_string()),
        ]
    }
}

/// Creates the files of a site that nginx requires, for callers that load no pages.
pub fn write_stand_in_site(directory: &Path) -> Result<PathBuf> {
    for language in ["en", "zh"] {
        let documents = directory.join("documents").join(language);
        fs::create_dir_all(&documents)?;
        for page in ["index.html", "not-found.html"] {
            fs::write(documents.join(page), "stand-in")?;
        }
    }
    fs::write(
        directory.join("frame-src.conf"),
        "map \"\" $frame_src { default \"'none'\"; }\n",
    )?;
    Ok(directory.to_owned())
}
