//! nginx with the production configuration and a small site, in front of a stand-in for lead-intake that records its
//! requests.

mod api;
mod documents;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use ureq::Agent;
use ureq::http::{HeaderMap, Request};
use xtask::files;
use xtask::http;
use xtask::packages;
use xtask::ports::free_ports;
use xtask::process::command;
use xtask::session::Interrupt;
use xtask::stack::nginx::{Limits, Nginx};
use xtask::supervisor::{Service, Supervisor};

/// The longest duration of a request.
const WORST: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(10);

/// Longer than nginx waits before it tries another lead-intake.
const TOO_LATE_FOR_ANOTHER: Duration = Duration::from_secs(1);

/// Settings that tests change.
struct Settings {
    lead_burst: u32,
    /// Whether nginx takes the addresses of visitors from X-Forwarded-For.
    is_behind_proxy: bool,
    intakes: Vec<Intake>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { lead_burst: 20, is_behind_proxy: false, intakes: vec![Intake::Answers] }
    }
}

/// The behaviour of a stand-in for lead-intake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intake {
    Answers,
    RefusesConnections,
    ClosesInsteadOfAnswering,
    IsBusy,
}

/// A request that lead-intake received.
#[derive(Clone)]
struct Seen {
    head: String,
    body: String,
}

impl Seen {
    fn header(&self, wanted: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
    }
}

/// A response whose body is still encoded.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    /// The value of a header that occurs exactly once.
    fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let first = values.next()?;
        values.next().is_none().then(|| first.to_str().expect("ASCII"))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The status, and the text without spaces around it.
    fn shown(&self) -> (u16, String) {
        (self.status, self.text().trim().to_owned())
    }
}

/// nginx and its upstreams, stopped and removed on drop.
struct Server {
    supervisor: Supervisor,
    directory: TempDir,
    nginx: Nginx,
    seen: Arc<Mutex<Vec<Seen>>>,
    _refusing: Refusing,
}

impl Server {
    fn start(settings: Settings) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let (site, seen, refusing) = (directory.path().join("site"), Arc::default(), Refusing::new());
        make_site(&site);
        let port_of = |intake: &Intake| match intake {
            Intake::RefusesConnections => refusing.port(),
            Intake::Answers | Intake::ClosesInsteadOfAnswering | Intake::IsBusy => {
                stand_in(*intake, Arc::clone(&seen))
            }
        };
        let ports = free_ports(2).expect("free ports");
        let nginx = Nginx {
            directory: directory.path().join("nginx"),
            port: ports[0],
            site,
            intake_ports: settings.intakes.iter().map(port_of).collect(),
            desk_ports: vec![port_of(&Intake::Answers)],
            real_ip_from: settings.is_behind_proxy.then(|| "127.0.0.0/8".to_owned()).into_iter().collect(),
            limits: Limits { lead_burst: settings.lead_burst, ..Limits::default() },
            edge_log: Some(ports[1]),
        };
        let interrupt = Interrupt::default();
        let supervisor = Supervisor::new(interrupt.clone());
        nginx.start(&supervisor, directory.path(), &interrupt).expect("nginx starts");
        Self { supervisor, directory, nginx, seen, _refusing: refusing }
    }

    /// Starts mtail. Returns the port of the metrics.
    fn count_answers(&self) -> u16 {
        let port = free_ports(1).expect("a free port")[0];
        let program = files::path("deploy/nginx/edge.mtail").display().to_string();
        let logs = format!("udp://127.0.0.1:{}", self.nginx.edge_log.expect("a port"));
        let mut mtail = command(packages::find("mtail").expect("mtail"));
        mtail.args(["-progs", &program, "-logs", &logs, "-address", "127.0.0.1", "-port", &port.to_string()]);
        mtail.args(["-emit_prog_label=false", "-logtostderr"]);
        let service = Service::new("mtail", mtail, self.directory.path());
        self.supervisor.start(service, TIMEOUT, || http::connects(port)).expect("mtail starts");
        port
    }

    /// nginx's prefix, below which it writes.
    fn prefix(&self) -> PathBuf {
        self.nginx.directory.clone()
    }

    fn port(&self) -> u16 {
        self.nginx.port
    }

    /// The process id of nginx's master.
    fn master(&self) -> String {
        fs::read_to_string(self.prefix().join("nginx.pid")).expect("a process").trim().to_owned()
    }

    fn get(&self, path: &str, headers: &[&str]) -> Answer {
        self.send("GET", path, headers, "")
    }

    fn post(&self, path: &str, headers: &[&str], body: &str) -> Answer {
        self.send("POST", path, headers, body)
    }

    fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(TIMEOUT));
        let config = config.max_redirects(0).max_redirects_will_error(false).max_idle_connections(0);
        let agent: Agent = config.build().into();
        let url = format!("http://127.0.0.1:{}{path}", self.port());
        let request = headers.iter().fold(Request::builder().method(method).uri(url), |request, header| {
            let (name, value) = header.split_once(": ").expect("a header");
            request.header(name, value)
        });
        let response = match method {
            "POST" | "PUT" => agent.run(request.body(body.to_owned()).expect("a request")),
            _ => agent.run(request.body(()).expect("a request")),
        };
        let (head, mut body) = response.expect("a response").into_parts();
        let body = body.read_to_vec().expect("a body");
        Answer { status: head.status.as_u16(), headers: head.headers, body }
    }

    fn raw(&self, request: &str) -> http::Response {
        http::exchange(self.port(), request, TIMEOUT).expect("an answer")
    }

    /// Opens a connection and sends a part of a request.
    fn begin(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port())).expect("connected");
        stream.write_all(request.as_bytes()).expect("sent");
        stream.set_nonblocking(true).expect("non-blocking");
        stream
    }

    fn requests(&self) -> usize {
        self.seen.lock().expect("no test panicked with the lock").len()
    }

    fn last_request(&self) -> Seen {
        self.seen.lock().expect("no test panicked with the lock").last().expect("a request").clone()
    }

    /// Stops nginx and returns its complete log.
    fn stopped_log(&self) -> String {
        self.supervisor.stop_all();
        fs::read_to_string(self.directory.path().join("nginx.log")).expect("a log")
    }
}

/// A port that refuses connections, reserved so that no other program listens on it.
struct Refusing {
    connected: TcpStream,
    _listener: TcpListener,
}

impl Refusing {
    fn new() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let connected = TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
        Self { connected, _listener: listener }
    }

    fn port(&self) -> u16 {
        self.connected.local_addr().expect("connected").port()
    }
}

/// The `code` of an error in the format of the API.
fn code(answer: &Answer) -> String {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert!(body["error"]["message"].is_string(), "{body}");
    body["error"]["code"].as_str().expect("a code").to_owned()
}

/// The documents of each language, where LANG is its name.
const DOCUMENTS: [(&str, &str); 11] = [
    ("index", "home LANG"),
    ("floor-plans/index", "floor plans LANG"),
    ("floor-plans/bedrooms-2", "two bedrooms LANG"),
    ("floor-plans/plan-B2", "plan B2 LANG"),
    ("desk/index", "desk LANG"),
    ("registered", r#"registered LANG <!--# echo var="reference" default="" -->"#),
    (
        "not-registered",
        r#"<!--# if expr="$arg_errors = /\bname_required\b/" -->name_required LANG<!--# endif -->
        <!--# if expr="$arg_errors = /\bfailed\b/" -->failed LANG<!--# endif -->
        <!--# if expr="$arg_errors = /\brate_limited\b/" -->rate_limited LANG<!--# endif -->"#,
    ),
    (
        "withdraw",
        r#"withdraw LANG <!--# if expr="$withdrawal_token" --><!--# echo var="withdrawal_token" --><!--# endif -->"#,
    ),
    ("withdrawn", r#"withdrawn LANG <!--# if expr="$arg_request = erasure" -->erasure<!--# endif -->"#),
    ("not-withdrawn", r#"not withdrawn LANG <!--# if expr="$arg_errors = link" -->link<!--# endif -->"#),
    ("not-found", "not found LANG"),
];

const FILES: [(&str, &str); 10] = [
    ("documents/en/index.html.gz", "gzipped"),
    ("documents/en/index.html.br", "brotlied"),
    ("assets/app-abc123.js", "plain"),
    ("assets/app-abc123.js.gz", "gzipped"),
    ("assets/app-abc123.js.br", "brotlied"),
    ("plans/a1-en.pdf", "%PDF-1.7"),
    ("plans/a1-en.txt", "not to be served"),
    ("social/a1-en.jpg", "picture"),
    ("robots.txt", "User-agent: *\n"),
    ("frame-src.conf", "map \"\" $frame_src { default \"https://maps.example:8443\"; }\n"),
];

fn make_site(site: &Path) {
    let write = |path: &str, text: &str| {
        let path = site.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    for language in ["en", "zh"] {
        for (name, text) in DOCUMENTS {
            write(&format!("documents/{language}/{name}.html"), &text.replace("LANG", language));
        }
    }
    FILES.iter().for_each(|(path, text)| write(path, text));
}

const OWN_ERROR: &str = r#"{"error":"own"}"#;
/// The status, further headers and body for each path.
const ANSWERS: [(&str, &str, &str, &str); 8] = [
    ("/functions/v1/send-contact-email", "202 Accepted", "Cache-Control: public\r\n", "{}"),
    ("/functions/v1/posted-form", "303 See Other", "Location: /registered\r\n", ""),
    ("/functions/v1/withdraw", "401 Unauthorized", "", OWN_ERROR),
    ("/functions/v1/refused", "422 Unprocessable Content", "", OWN_ERROR),
    ("/functions/v1/busy", "503 Service Unavailable", "Retry-After: 1\r\n", OWN_ERROR),
    ("/functions/v1/slowly-busy", "503 Service Unavailable", "Retry-After: 1\r\n", OWN_ERROR),
    ("/auth/v1/session", "201 Created", "X-Content-Type-Options: nosniff\r\n", "{}"),
    ("/api/openapi.json", "200 OK", "", "{}"),
];

/// Starts a stand-in for lead-intake on a loopback port.
fn stand_in(intake: Intake, seen: Arc<Mutex<Vec<Seen>>>) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let seen = Arc::clone(&seen);
            thread::spawn(move || serve(intake, stream, &seen));
        }
    });
    port
}

fn serve(intake: Intake, mut stream: TcpStream, seen: &Mutex<Vec<Seen>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let request = Seen { head, body: String::new() };
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let request = Seen { body: String::from_utf8_lossy(&body).into_owned(), ..request };
        let path = request.head.split([' ', '?']).nth(1).unwrap_or_default().to_owned();
        seen.lock().expect("no test panicked with the lock").push(request);
        match path.as_str() {
            _ if matches!(intake, Intake::ClosesInsteadOfAnswering) => return None,
            "/functions/v1/slowly-busy" => thread::sleep(TOO_LATE_FOR_ANOTHER),
            // Waits until nginx closes the connection.
            "/functions/v1/hang" => return reader.read_to_end(&mut Vec::new()).map(drop).ok(),
            _ => {}
        }
        let answer = ANSWERS.iter().find(|(known, ..)| *known == path);
        let (status, headers, body) = match (intake, answer) {
            (Intake::IsBusy, _) => ("503 Service Unavailable", "", "{}"),
            (_, Some((_, status, headers, body))) => (*status, *headers, *body),
            (_, None) => ("404 Not Found", "", OWN_ERROR),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).ok()?;
    }
}
