//! nginx with the production configuration and a small site, in front of stand-ins for lead-intake and the desk.

mod api;
mod documents;
mod https;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::IntoResponse;
use axum::{Json, Router};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime;
use ureq::Agent;
use ureq::http::Request;
use xtask::ports::free_ports;
use xtask::session::Interrupt;
use xtask::stack::nginx::{Limits, Nginx};
use xtask::supervisor::Supervisor;

/// The longest duration of a request.
const WORST: Duration = Duration::from_secs(5);
const TIMEOUT: Duration = Duration::from_secs(10);
const LEAD: &str = "/functions/v1/send-contact-email";
const FORM: &str = "/functions/v1/posted-form";
const WITHDRAW: &str = "/functions/v1/withdraw";

/// The server of most tests. Each of their visitors has another address, and thus other limits.
static SHARED: LazyLock<Server> = LazyLock::new(|| Server::start(&[Intake::Answers], |_| {}));

/// The behaviour of a replica of lead-intake.
enum Intake {
    /// Runs [`answer`].
    Answers,
    /// Reads a request, writes this text and closes the connection.
    Writes(&'static str),
    RefusesConnections,
}

impl Intake {
    /// Starts a replica that counts its requests. Returns its port on loopback.
    fn start(&self, requests: &Arc<AtomicUsize>) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        match *self {
            // The discard service, which no machine runs.
            Self::RefusesConnections => return 9,
            Self::Writes(text) => drop(thread::spawn(move || {
                for mut stream in listener.incoming().flatten() {
                    let _ = stream
                        .read(&mut [0; 4096])
                        .and_then(|_| stream.write_all(text.as_bytes()));
                }
            })),
            Self::Answers => {
                let app = Router::new()
                    .fallback(answer)
                    .with_state(Arc::clone(requests));
                listener.set_nonblocking(true).unwrap();
                let runtime = runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                thread::spawn(move || {
                    runtime.block_on(async {
                        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                        axum::serve(listener, app).await.unwrap();
                    });
                });
            }
        }
        port
    }
}

/// Answers with the request as JSON. Its headers `Answer` and `Delay` choose the status and the seconds before it.
async fn answer(
    State(requests): State<Arc<AtomicUsize>>,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> impl IntoResponse {
    requests.fetch_add(1, Ordering::Relaxed);
    let headers: BTreeMap<_, _> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap_or_default()))
        .collect();
    let number = |name, default| {
        headers
            .get(name)
            .map_or(default, |text| text.parse::<u16>().unwrap())
    };
    tokio::time::sleep(Duration::from_secs(number("delay", 0).into())).await;
    let status = StatusCode::from_u16(number("answer", 202)).unwrap();
    let retry_after = (status == StatusCode::SERVICE_UNAVAILABLE).then_some([("Retry-After", "1")]);
    // nginx replaces these headers.
    let replaced = [
        ("Cache-Control", "public"),
        ("X-Content-Type-Options", "nosniff"),
    ];
    (
        status,
        replaced,
        retry_after,
        Json(json!({ "uri": uri.to_string(), "headers": headers, "body": body })),
    )
}

struct Response {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Response {
    /// The value of a header that occurs exactly once.
    fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let first = values.next()?;
        values.next().is_none().then(|| first.to_str().unwrap())
    }

    /// The status, and the text without spaces around it.
    fn shown(&self) -> (u16, &str) {
        (self.status, self.text.trim())
    }

    /// The status, and the code of an error in the format of the API.
    fn error(&self) -> (u16, String) {
        let body: Value = serde_json::from_str(&self.text).unwrap();
        assert!(body["error"]["message"].is_string(), "{body}");
        (
            self.status,
            body["error"]["code"].as_str().unwrap().to_owned(),
        )
    }

    /// The request that [`answer`] received.
    fn request(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// A header of the request that [`answer`] received.
    fn received(&self, name: &str) -> Option<String> {
        self.request()["headers"][name].as_str().map(str::to_owned)
    }
}

/// nginx and its upstreams. nginx ends with this process at the latest.
struct Server {
    supervisor: Supervisor,
    directory: TempDir,
    nginx: Nginx,
    /// The number of requests that replicas of lead-intake answered.
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Starts nginx, which takes the addresses of visitors from X-Forwarded-For, with these changes.
    fn start(intakes: &[Intake], change: impl FnOnce(&mut Nginx)) -> Self {
        // The shared server is not dropped, so its files stay there.
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let (site, requests) = (directory.path().join("site"), Arc::default());
        make_site(&site);
        let ports = free_ports(2).unwrap();
        let mut nginx = Nginx {
            directory: directory.path().join("nginx"),
            port: ports[0],
            site,
            intake_ports: intakes
                .iter()
                .map(|intake| intake.start(&requests))
                .collect(),
            desk_ports: vec![Intake::Answers.start(&Arc::default())],
            real_ip_from: vec!["127.0.0.0/8".to_owned()],
            limits: Limits::default(),
            edge_log: Some(ports[1]),
        };
        change(&mut nginx);
        let interrupt = Interrupt::default();
        let supervisor = Supervisor::new(interrupt.clone());
        nginx
            .start(&supervisor, directory.path(), &interrupt)
            .expect("nginx starts");
        Self {
            supervisor,
            directory,
            nginx,
            requests,
        }
    }

    /// A visitor with an address that no other test uses.
    fn visitor(&self) -> Visitor {
        static LAST: AtomicU8 = AtomicU8::new(0);
        self.visitor_from(&format!(
            "198.18.0.{}",
            LAST.fetch_add(1, Ordering::Relaxed)
        ))
    }

    /// A visitor whose requests have this X-Forwarded-For.
    fn visitor_from(&self, address: &str) -> Visitor {
        Visitor {
            port: self.nginx.port,
            address: address.to_owned(),
        }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

struct Visitor {
    port: u16,
    address: String,
}

impl Visitor {
    fn get(&self, path: &str, headers: &[&str]) -> Response {
        self.send("GET", path, headers, "")
    }

    fn post(&self, path: &str, headers: &[&str], body: &str) -> Response {
        self.send("POST", path, headers, body)
    }

    /// Sends a request with headers of the form `Name: value`.
    fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Response {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT));
        let config = config
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0);
        let agent: Agent = config.build().into();
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://127.0.0.1:{}{path}", self.port));
        request = request.header("X-Forwarded-For", &self.address);
        for header in headers {
            let (name, value) = header.split_once(": ").expect("a header");
            request = request.header(name, value);
        }
        let response = match method {
            "POST" | "PUT" => agent.run(request.body(body.to_owned()).unwrap()),
            _ => agent.run(request.body(()).unwrap()),
        };
        let (head, mut body) = response.expect("a response").into_parts();
        Response {
            status: head.status.as_u16(),
            headers: head.headers,
            text: body.read_to_string().expect("a body"),
        }
    }
}

/// The documents of each language, where LANG is its name.
const DOCUMENTS: [(&str, &str); 14] = [
    ("index", "home LANG"),
    ("floor-plans/index", "floor plans LANG"),
    ("floor-plans/bedrooms-2", "two bedrooms LANG"),
    ("floor-plans/plan-B2", "plan B2 LANG"),
    ("floor-plans/plan-B2-living", "living room B2 LANG"),
    ("desk/index", "desk LANG"),
    (
        "registered",
        r#"registered LANG <!--# echo var="reference" default="" --> <!--# if expr="$withdrawal_token" --><!--# echo var="withdrawal_token" --><!--# endif -->"#,
    ),
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
    (
        "agree",
        r#"agree LANG <!--# if expr="$withdrawal_token" --><!--# echo var="withdrawal_token" --><!--# endif -->"#,
    ),
    (
        "agreed",
        r#"agreed LANG <!--# if expr="$arg_channel = phone" -->calls<!--# endif -->"#,
    ),
    (
        "withdrawn",
        r#"withdrawn LANG <!--# if expr="$arg_request = erasure" -->erasure<!--# endif -->"#,
    ),
    (
        "not-withdrawn",
        r#"not withdrawn LANG <!--# if expr="$arg_errors = link" -->link<!--# endif -->"#,
    ),
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
    (
        "frame-src.conf",
        "map \"\" $frame_src { default \"https://maps.example:8443\"; }\n",
    ),
];

fn make_site(site: &Path) {
    let write = |path: &str, text: &str| {
        let path = site.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for language in ["en", "zh"] {
        for (name, text) in DOCUMENTS {
            write(
                &format!("documents/{language}/{name}.html"),
                &text.replace("LANG", language),
            );
        }
    }
    FILES.iter().for_each(|(path, text)| write(path, text));
}
