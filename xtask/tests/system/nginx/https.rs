//! The HTTPS server of Compose, in front of [`SHARED`].

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use xtask::ports::free_ports;
use xtask::process::{children, command, command_with, output};
use xtask::session::Interrupt;
use xtask::supervisor::{Service, Supervisor};
use xtask::{files, packages};

use super::{LEAD, SHARED, TIMEOUT, WITHDRAW, WORST};
use crate::create_certificate;

const NAME: &str = "www.zyongrand.example";

/// nginx of a host, with `deploy/compose/https`. certbot is a script that checks the challenge on port 80, as the certificate
/// authority does, and issues the certificate in the directory.
struct Proxy {
    directory: TempDir,
    supervisor: Supervisor,
    http_port: u16,
    https_port: u16,
}

impl Proxy {
    /// Starts nginx without a certificate, and runs the script.
    fn start() -> Self {
        let ports = free_ports(2).unwrap();
        let proxy = Self {
            directory: tempfile::tempdir().unwrap(),
            supervisor: Supervisor::new(Interrupt::default()),
            http_port: ports[0],
            https_port: ports[1],
        };
        for directory in ["conf.d", "bin", "webroot"] {
            fs::create_dir(proxy.file(directory)).unwrap();
        }
        proxy.write_nginx();
        proxy.write_certbot();
        proxy.issue();
        let pid_file = proxy.file("pid");
        let service = Service::new("proxy", proxy.nginx(), proxy.directory.path());
        proxy
            .supervisor
            .start(service, WORST, || {
                fs::read_to_string(&pid_file).is_ok_and(|pid| !pid.trim().is_empty())
            })
            .expect("nginx");
        let mut script = proxy.script();
        output(script.args([NAME, "operator@zyongrand.example"])).unwrap();
        proxy.wait_for_issued();
        proxy
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// nginx that finds its configuration in the directory.
    fn nginx(&self) -> Command {
        command_with(&["--pdeathsig=TERM"], self.file("bin/nginx"))
    }

    fn script(&self) -> Command {
        let mut script = command(files::path("deploy/compose/https"));
        let path = output(command("sh").args(["-c", "echo $PATH"])).unwrap();
        script
            .env(
                "PATH",
                format!("{}:{}", self.file("bin").display(), path.trim()),
            )
            .env("NGINX_DIRECTORY", self.directory.path())
            .env("LETSENCRYPT_DIRECTORY", self.file("letsencrypt"))
            .env("WEBROOT", self.file("webroot"));
        script
    }

    /// Writes a program `nginx` that uses free ports, and a configuration like the packages of nginx, which log all requests
    /// and errors.
    fn write_nginx(&self) {
        let here = self.directory.path().display();
        let user = if rustix::process::geteuid().is_root() {
            "user root;"
        } else {
            ""
        };
        let configuration = format!(
            "{user} daemon off; pid {here}/pid; error_log {here}/error.log; events {{}}
            http {{ access_log {here}/access.log; include conf.d/*.conf; }}"
        );
        fs::write(self.file("nginx.conf"), configuration).unwrap();
        let http = self.http_port;
        let https = self.https_port;
        let site = SHARED.nginx.port;
        let nginx = packages::find("nginx").expect("nginx");
        let program = format!(
            "#!/bin/sh
            cd {here} || exit
            if [ -e conf.d/zyon-grand.conf ]; then
                sed -i -e '/listen .::.:/d' -e 's/listen 80;/listen 127.0.0.1:{http};/' \\
                    -e 's/listen 443 /listen 127.0.0.1:{https} /' -e 's/127.0.0.1:8080/127.0.0.1:{site}/' \\
                    -e 's#/var/log/nginx/#{here}/#' conf.d/zyon-grand.conf
            fi
            exec {nginx} -p . -c nginx.conf -e stderr \"$@\"\n",
            nginx = nginx.display(),
        );
        write_program(&self.file("bin/nginx"), &program);
    }

    fn write_certbot(&self) {
        let here = self.directory.path().display();
        let port = self.http_port;
        let program = format!(
            "#!/bin/sh -e
            cd {here}
            mkdir -p webroot/.well-known/acme-challenge letsencrypt/live/{NAME}
            echo proof >webroot/.well-known/acme-challenge/token
            curl --silent --fail --retry 20 --retry-delay 1 --retry-all-errors --noproxy '*' --header 'Host: {NAME}' \\
                http://127.0.0.1:{port}/.well-known/acme-challenge/token | grep -q proof
            cp tls.crt letsencrypt/live/{NAME}/fullchain.pem
            cp tls.key letsencrypt/live/{NAME}/privkey.pem\n"
        );
        write_program(&self.file("bin/certbot"), &program);
    }

    /// Creates the certificate that certbot will get.
    fn issue(&self) {
        create_certificate(self.directory.path(), NAME);
    }

    /// Renews the certificate, and calls the hook with this lineage.
    fn renew(&self, lineage: &str) {
        self.issue();
        let live = self.file("letsencrypt/live").join(NAME);
        fs::copy(self.file("tls.crt"), live.join("fullchain.pem")).unwrap();
        fs::copy(self.file("tls.key"), live.join("privkey.pem")).unwrap();
        let lineage = self.file("letsencrypt/live").join(lineage);
        output(self.script().env("RENEWED_LINEAGE", lineage)).unwrap();
    }

    /// Whether nginx serves the certificate that was issued last.
    fn serves_issued(&self) -> bool {
        self.try_curl(&["https://www.zyongrand.example/"])
            .is_ok_and(|page| page.starts_with("http/2 200"))
    }

    /// Workers that still accept connections. After a reload, nginx stops the former worker only when the new one serves.
    fn count_workers(&self) -> usize {
        let master = fs::read_to_string(self.file("pid")).unwrap();
        children(master.trim().parse().unwrap())
            .into_iter()
            .filter_map(|worker| fs::read_to_string(format!("/proc/{worker}/cmdline")).ok())
            .filter(|title| !title.contains("shutting down"))
            .count()
    }

    /// Waits until every connection gets the certificate that was issued last.
    fn wait_for_issued(&self) {
        let deadline = Instant::now() + TIMEOUT;
        while !(self.serves_issued() && self.count_workers() == 1) {
            assert!(
                Instant::now() < deadline,
                "nginx serves another certificate"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Sends a request with curl. Returns headers and body in lower case.
    fn curl(&self, arguments: &[&str]) -> String {
        self.try_curl(arguments).unwrap()
    }

    fn try_curl(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--show-error",
            "--include",
            "--http2",
            "--cacert",
            "tls.crt",
        ]);
        for (public, port) in [(80, self.http_port), (443, self.https_port)] {
            curl.args([
                "--connect-to",
                &format!("www.zyongrand.example:{public}:127.0.0.1:{port}"),
            ]);
        }
        curl.args(["--noproxy", "*"]).args(arguments);
        Ok(output(curl.current_dir(&self.directory))?.to_lowercase())
    }
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn compose_proxy_adds_https() {
    let proxy = Proxy::start();
    let page = proxy.curl(&["https://www.zyongrand.example/?lang=zh"]);
    assert!(
        page.starts_with("http/2 200") && page.contains("strict-transport-security: max-age="),
        "{page}"
    );
    assert!(page.contains("; secure"), "{page}");
    let lead = format!("https://www.zyongrand.example{LEAD}");
    let lead = proxy.curl(&[
        "--header",
        "X-Forwarded-For: 203.0.113.1",
        "--data",
        "{}",
        &lead,
    ]);
    assert!(
        lead.starts_with("http/2 202") && lead.contains("\"x-forwarded-for\":\"127.0.0.1\""),
        "{lead}"
    );
    let plain = proxy.curl(&["http://www.zyongrand.example/floor-plans?x=1"]);
    assert!(plain.starts_with("http/1.1 301 "), "{plain}");
    assert!(
        plain.contains("\nlocation: https://www.zyongrand.example/floor-plans?x=1\r"),
        "{plain}"
    );
}

#[test]
fn compose_proxy_logs_no_requests() {
    let proxy = Proxy::start();
    for scheme in ["http", "https"] {
        let address = format!("{scheme}://www.zyongrand.example{WITHDRAW}?token=secret");
        // nginx logs the second request as an error, because its body is too large.
        for length in ["0", "2000000"] {
            proxy.curl(&[
                "--request",
                "POST",
                "--header",
                &format!("Content-Length: {length}"),
                "--referer",
                "https://www.zyongrand.example/withdraw?token=secret",
                "--cookie",
                "form_session=secret",
                &address,
            ]);
        }
    }
    // Completes the logs.
    proxy.supervisor.stop_all();
    for log in ["access.log", "error.log", "proxy.log"] {
        let log = fs::read_to_string(proxy.directory.path().join(log)).unwrap();
        assert!(
            !log.contains("secret") && !log.contains("127.0.0.1"),
            "{log}"
        );
    }
}

#[test]
fn compose_proxy_serves_a_renewed_certificate() {
    let proxy = Proxy::start();
    proxy.renew("another.example");
    assert!(!proxy.serves_issued(), "the hook of another certificate");
    proxy.renew(NAME);
    proxy.wait_for_issued();
    // The script may be repeated.
    let mut script = proxy.script();
    output(script.args([NAME, "operator@zyongrand.example"])).unwrap();
    proxy.wait_for_issued();
}
