//! A private nginx with the production configuration of `deploy/nginx`, rendered for this machine.

use std::net::{Ipv6Addr, TcpListener};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;
use rustix::process::Signal;

use crate::files;
use crate::http;
use crate::packages::{self, nginx_brotli_static};
use crate::process::{self, command_with};
use crate::session::Interrupt;
use crate::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(15);

/// Rate limits per address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rate of leads, e.g. `10r/m`.
    pub lead_rate: String,
    pub lead_burst: u32,
    /// Rate of anonymous sessions, e.g. `60r/m`.
    pub session_rate: String,
    pub session_burst: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lead_rate: "10r/m".to_owned(),
            lead_burst: 20,
            session_rate: "60r/m".to_owned(),
            session_burst: 60,
        }
    }
}

impl Limits {
    /// No effective limits, for tests whose visitors share an address. The limits have their own tests.
    pub fn lifted() -> Self {
        let (rate, burst) = ("1000000r/s".to_owned(), 1_000_000);
        Self { lead_rate: rate.clone(), lead_burst: burst, session_rate: rate, session_burst: burst }
    }
}

/// A server to start.
pub struct Nginx {
    /// The rendered configuration and all files written by nginx.
    pub directory: PathBuf,
    /// On loopback.
    pub port: u16,
    pub site: PathBuf,
    /// On loopback.
    pub intake_ports: Vec<u16>,
    /// On loopback.
    pub desk_ports: Vec<u16>,
    /// Networks of trusted proxies, whose X-Forwarded-For is used.
    pub real_ip_from: Vec<String>,
    pub limits: Limits,
    /// UDP port on loopback for the log that becomes metrics.
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
        self.write("conf.d/site.conf", &site)?;
        self.write("main.d/local.conf", &local_directives())?;
        if nginx_brotli_static().is_some() {
            self.write("conf.d/brotli.conf", "brotli_static on;\n")?;
        }
        Ok(())
    }

    fn command(&self) -> Result<Command> {
        // A killed master would leave its workers running and the port in use.
        let mut nginx = command_with(&["--pdeathsig=TERM"], packages::find("nginx")?);
        nginx.arg("-p").arg(&self.directory).arg("-c").arg(self.directory.join("nginx.conf"));
        nginx.args(["-e", "stderr", "-g", "daemon off;"]);
        Ok(nginx)
    }

    fn variables(&self) -> [(&'static str, String); 10] {
        let lines = |directives: Vec<String>| directives.join("\n    ");
        let servers = |ports: &[u16]| match ports {
            [] => "server 127.0.0.1:9 down;".to_owned(),
            ports => {
                lines(ports.iter().map(|port| format!("server 127.0.0.1:{port} max_fails=0;")).collect())
            }
        };
        let mut listen = vec![format!("listen 127.0.0.1:{};", self.port)];
        // Some programs resolve localhost to ::1.
        if TcpListener::bind((Ipv6Addr::LOCALHOST, self.port)).is_ok() {
            listen.push(format!("listen [::1]:{};", self.port));
        }
        [
            ("LISTEN", lines(listen)),
            ("SITE_ROOT", self.site.display().to_string()),
            ("INTAKE_UPSTREAM", servers(&self.intake_ports)),
            ("DESK_UPSTREAM", servers(&self.desk_ports)),
            (
                "REAL_IP_FROM",
                lines(
                    self.real_ip_from.iter().map(|network| format!("set_real_ip_from {network};")).collect(),
                ),
            ),
            (
                "EDGE_LOG",
                self.edge_log.map_or_else(String::new, |port| {
                    format!("access_log syslog:server=127.0.0.1:{port},nohostname,tag=edge edge;")
                }),
            ),
            ("LEAD_RATE", self.limits.lead_rate.clone()),
            ("LEAD_BURST", self.limits.lead_burst.to_string()),
            ("SESSION_RATE", self.limits.session_rate.clone()),
            ("SESSION_BURST", self.limits.session_burst.to_string()),
        ]
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        files::replace(&self.directory.join(name), text.as_bytes(), files::PUBLIC)
    }
}

/// Creates the files that nginx requires of a built site in `directory`, for callers that load no pages.
pub fn write_stand_in_site(directory: &Path) -> Result<PathBuf> {
    for language in ["en", "zh"] {
        let documents = directory.join("documents").join(language);
        fs::create_dir_all(&documents)?;
        for page in ["index.html", "not-found.html"] {
            files::replace(&documents.join(page), b"stand-in", files::PUBLIC)?;
        }
    }
    let frames = b"map \"\" $frame_src { default \"'none'\"; }\n";
    files::replace(&directory.join("frame-src.conf"), frames, files::PUBLIC)?;
    Ok(directory.to_owned())
}

/// Machine-specific directives of nginx's main context.
fn local_directives() -> String {
    let mut directives = String::new();
    if let Some(module) = nginx_brotli_static() {
        directives.push_str(&format!("load_module {};\n", module.display()));
    }
    if rustix::process::geteuid().is_root() {
        // nginx's default user may have no access to root's checkout.
        directives.push_str("user root;\n");
    }
    directives
}
