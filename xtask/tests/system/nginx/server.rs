//! An nginx with a small site, and a stand-in for lead-intake that records its requests.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, Request};
use xtask::checkout;
use xtask::files;
use xtask::http;
use xtask::packages;
use xtask::ports::free_ports;
use xtask::process::command;
use xtask::session::Interrupt;
use xtask::stack::nginx::{Limits, Nginx};
use xtask::supervisor::{Service, Supervisor};

const TIMEOUT: Duration = Duration::from_secs(10);

/// Longer than nginx waits before it tries another lead-intake.
const TOO_LATE_FOR_ANOTHER: Duration = Duration::from_secs(1);

/// Settings that tests change.
pub(crate) struct Settings {
    pub(crate) lead_burst: u32,
    pub(crate) real_ip_from: Vec<String>,
    pub(crate) intakes: Vec<Intake>,
    pub(crate) edge_log: Option<u16>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { lead_burst: 20, real_ip_from: Vec::new(), intakes: vec![Intake::Answers], edge_log: None }
    }
}

/// The behaviour of a stand-in for lead-intake.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Intake {
    Answers,
    RefusesConnections,
    ClosesInsteadOfAnswering,
    IsBusy,
}

/// A request that lead-intake received.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .map(|(_, value)| value)
    }
}

/// A response whose body is still encoded.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The value of a header that occurs exactly once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let first = values.next()?;
        values.next().is_none().then(|| first.to_str().expect("ASCII"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// nginx and its upstreams, stopped and removed on drop.
pub(crate) struct Server {
    supervisor: Supervisor,
    directory: PathBuf,
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    _refusing: Refusing,
}

impl Server {
    pub(crate) fn start(settings: Settings) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("nginx-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let site = directory.join("site");
        make_site(&site);

        let seen = Arc::new(Mutex::new(Vec::new()));
        let refusing = Refusing::new();
        let intake_ports = settings
            .intakes
            .iter()
            .map(|intake| match intake {
                Intake::RefusesConnections => refusing.port(),
                Intake::Answers | Intake::ClosesInsteadOfAnswering | Intake::IsBusy => {
                    stand_in(*intake, Arc::clone(&seen))
                }
            })
            .collect();
        let port = free_ports(1).expect("a free port")[0];
        let nginx = Nginx {
            directory: directory.join("nginx"),
            port,
            site,
            intake_ports,
            desk_ports: vec![stand_in(Intake::Answers, Arc::clone(&seen))],
            real_ip_from: settings.real_ip_from,
            limits: Limits { lead_burst: settings.lead_burst, ..Limits::default() },
            edge_log: settings.edge_log,
        };
        let interrupt = Interrupt::default();
        let supervisor = Supervisor::new(interrupt.clone());
        nginx.start(&supervisor, &directory, &interrupt).expect("nginx starts");
        Self { supervisor, directory, port, seen, _refusing: refusing }
    }

    /// Starts mtail with the log at this UDP port. Returns the port of the metrics.
    pub(crate) fn count_answers(&self, edge_log: u16) -> u16 {
        let port = free_ports(1).expect("a free port")[0];
        let program = checkout::path("deploy/nginx/edge.mtail").display().to_string();
        let (logs, metrics) = (format!("udp://127.0.0.1:{edge_log}"), port.to_string());
        let mut mtail = command(packages::find("mtail").expect("mtail"));
        mtail.args(["-progs", &program, "-logs", &logs, "-address", "127.0.0.1", "-port", &metrics]);
        mtail.args(["-emit_prog_label=false", "-logtostderr"]);
        let service = Service::new("mtail", mtail, &self.directory);
        self.supervisor.start(service, TIMEOUT, || http::connects(port)).expect("mtail starts");
        port
    }

    /// nginx's prefix, below which it writes.
    pub(crate) fn prefix(&self) -> PathBuf {
        self.directory.join("nginx")
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The process id of nginx's master.
    pub(crate) fn master(&self) -> String {
        fs::read_to_string(self.directory.join("nginx/nginx.pid")).expect("a process").trim().to_owned()
    }

    pub(crate) fn get(&self, path: &str, headers: &[&str]) -> Answer {
        self.send("GET", path, headers, "")
    }

    pub(crate) fn post(&self, path: &str, headers: &[&str], body: &str) -> Answer {
        self.send("POST", path, headers, body)
    }

    pub(crate) fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(TIMEOUT));
        let config = config.max_redirects(0).max_redirects_will_error(false).max_idle_connections(0);
        let agent: Agent = config.build().into();
        let url = format!("http://127.0.0.1:{}{path}", self.port);
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

    pub(crate) fn raw(&self, request: &str) -> http::Response {
        http::exchange(self.port, request, TIMEOUT).expect("an answer")
    }

    /// Opens a connection and sends a part of a request.
    pub(crate) fn begin(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("connected");
        stream.write_all(request.as_bytes()).expect("sent");
        stream.set_nonblocking(true).expect("non-blocking");
        stream
    }

    pub(crate) fn has_brotli(&self) -> bool {
        packages::nginx_brotli_static().is_some()
    }

    pub(crate) fn requests(&self) -> usize {
        self.seen.lock().expect("no test panicked with the lock").len()
    }

    pub(crate) fn last_request(&self) -> Seen {
        self.seen.lock().expect("no test panicked with the lock").last().expect("a request").clone()
    }

    /// Stops nginx and returns its complete log.
    pub(crate) fn stopped_log(&self) -> String {
        self.supervisor.stop_all();
        fs::read_to_string(self.directory.join("nginx.log")).expect("a log")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.supervisor.stop_all();
        files::remove(&self.directory).expect("removed");
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
pub(crate) fn code(answer: &Answer) -> String {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert!(body["error"]["message"].is_string(), "{body}");
    body["error"]["code"].as_str().expect("a code").to_owned()
}

fn make_site(site: &Path) {
    let write = |path: String, text: &str| {
        let path = site.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    };
    for language in ["en", "zh"] {
        write(format!("documents/{language}/index.html"), &format!("home {language}"));
        write(format!("documents/{language}/floor-plans/index.html"), &format!("floor plans {language}"));
        write(format!("documents/{language}/desk/index.html"), &format!("desk {language}"));
        write(
            format!("documents/{language}/floor-plans/bedrooms-2.html"),
            &format!("two bedrooms {language}"),
        );
        write(format!("documents/{language}/floor-plans/plan-B2.html"), &format!("plan B2 {language}"));
        write(
            format!("documents/{language}/registered.html"),
            &format!("registered {language} <!--# echo var=\"reference\" default=\"\" -->"),
        );
        write(
            format!("documents/{language}/not-registered.html"),
            &["name_required", "failed", "rate_limited"].map(|code| {
                format!("<!--# if expr=\"$arg_errors = /\\b{code}\\b/\" -->{code} {language}<!--# else --><!--# endif -->")
            }).concat(),
        );
        write(
            format!("documents/{language}/withdraw.html"),
            &format!(
                "withdraw {language} <!--# if expr=\"$withdrawal_token\" --><!--# echo var=\"withdrawal_token\" --><!--# endif -->"
            ),
        );
        write(
            format!("documents/{language}/withdrawn.html"),
            &format!(
                "withdrawn {language} <!--# if expr=\"$arg_request = erasure\" -->erasure<!--# endif -->"
            ),
        );
        write(
            format!("documents/{language}/not-withdrawn.html"),
            &format!("not withdrawn {language} <!--# if expr=\"$arg_errors = link\" -->link<!--# endif -->"),
        );
        write(format!("documents/{language}/not-found.html"), &format!("not found {language}"));
    }
    write("documents/en/index.html.gz".to_owned(), "gzipped");
    write("documents/en/index.html.br".to_owned(), "brotlied");
    write("assets/app-abc123.js".to_owned(), "plain");
    write("assets/app-abc123.js.gz".to_owned(), "gzipped");
    write("assets/app-abc123.js.br".to_owned(), "brotlied");
    write("plans/a1-en.pdf".to_owned(), "%PDF-1.7");
    write("plans/a1-en.txt".to_owned(), "not to be served");
    write("social/a1-en.jpg".to_owned(), "picture");
    write("robots.txt".to_owned(), "User-agent: *\n");
    write("frame-src.conf".to_owned(), "map \"\" $frame_src { default \"https://maps.example:8443\"; }\n");
}

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
        let (status, headers, body) = match (intake, path.as_str()) {
            (Intake::ClosesInsteadOfAnswering | Intake::RefusesConnections, _) => return None,
            (Intake::IsBusy, _) => ("503 Service Unavailable", "", "{}"),
            (Intake::Answers, "/functions/v1/send-contact-email") => {
                ("202 Accepted", "Cache-Control: public\r\n", "{}")
            }
            (Intake::Answers, "/functions/v1/posted-form") => {
                ("303 See Other", "Location: /registered\r\n", "")
            }
            (Intake::Answers, "/functions/v1/withdraw") => ("401 Unauthorized", "", r#"{"error":"own"}"#),
            (Intake::Answers, "/functions/v1/refused") => {
                ("422 Unprocessable Content", "", r#"{"error":"own"}"#)
            }
            (Intake::Answers, "/functions/v1/busy") => {
                ("503 Service Unavailable", "Retry-After: 1\r\n", r#"{"error":"own"}"#)
            }
            (Intake::Answers, "/functions/v1/slowly-busy") => {
                thread::sleep(TOO_LATE_FOR_ANOTHER);
                ("503 Service Unavailable", "Retry-After: 1\r\n", r#"{"error":"own"}"#)
            }
            // Waits until nginx closes the connection.
            (Intake::Answers, "/functions/v1/hang") => {
                return reader.read_to_end(&mut Vec::new()).map(drop).ok();
            }
            (Intake::Answers, "/auth/v1/session") => {
                ("201 Created", "X-Content-Type-Options: nosniff\r\n", "{}")
            }
            (Intake::Answers, "/api/openapi.json") => ("200 OK", "", "{}"),
            (Intake::Answers, _) => ("404 Not Found", "", r#"{"error":"own"}"#),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).ok()?;
    }
}
