//! Calls of lead-intake and the desk.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use xtask::ports::free_ports;
use xtask::process::{command_with, output};
use xtask::session::Interrupt;
use xtask::supervisor::{Service, Supervisor};
use xtask::{files, http, packages};

use super::{Intake, Server, Settings, WORST, code};
use crate::create_certificate;

#[test]
fn each_upstream_receives_only_its_cookie() {
    let server = Server::start(Settings::default());
    for (path, sent, received) in [
        (
            "/functions/v1/form-session",
            "lang=zh; form_session=a.b-c_d; other=x",
            Some("form_session=a.b-c_d"),
        ),
        ("/functions/v1/form-session", "desk=c.d-e_f", None),
        ("/desk/api/me", "lang=zh; form_session=a.b; desk=c.d-e_f", Some("desk=c.d-e_f")),
        ("/desk/api/me", "desk=planted; lang=zh; __Host-desk=c.d-e_f", Some("__Host-desk=c.d-e_f")),
    ] {
        server.get(path, &[&format!("Cookie: {sent}")]);
        assert_eq!(server.last_request().header("cookie"), received, "{path} with {sent}");
    }
}

#[test]
fn desk_has_dedicated_policies() {
    let server = Server::start(Settings::default());
    let document = server.get("/desk?lang=zh", &[]);
    assert_eq!((document.status, document.text().as_str()), (200, "desk zh"));
    assert_eq!(document.header("referrer-policy"), Some("no-referrer"));
    let policy = document.header("content-security-policy").expect("a policy");
    assert!(policy.contains("connect-src 'self'; ") && policy.contains("form-action 'none'"), "{policy}");
    assert!(!policy.contains("maps.example") && !policy.contains("data:"), "{policy}");
    let call = server.get("/desk/api/leads?whose=mine", &[]);
    let policy = call.header("content-security-policy");
    assert_eq!(policy, Some("default-src 'none'; frame-ancestors 'none'"));
    assert_eq!(call.header("cache-control"), Some("no-store"));
    assert_eq!(server.last_request().head.lines().next(), Some("GET /desk/api/leads?whose=mine HTTP/1.1"));
}

#[test]
fn desk_links_have_a_separate_limit() {
    let server = Server::start(Settings { lead_burst: 1, ..Settings::default() });
    // All calls with links share one limit.
    let paths = ["/desk/api/key", "/desk/api/log-in", "/desk/api/link"];
    let tries: Vec<u16> =
        paths.iter().cycle().take(25).map(|path| server.post(path, &[], "{}").status).collect();
    assert!(tries[..21].iter().all(|status| *status != 429) && tries.contains(&429), "{tries:?}");
    assert_ne!(server.get("/desk/api/me", &[]).status, 429);
    assert_eq!(server.post("/functions/v1/send-contact-email", &[], "{}").status, 202);
    let note = |length: usize| server.post("/desk/api/leads/x", &[], &"x".repeat(length)).status;
    assert_eq!((note(20_000) == 413, note(33_000)), (false, 413));
}

#[test]
fn browser_errors_have_a_separate_limit() {
    let server = Server::start(Settings { lead_burst: 1, ..Settings::default() });
    let report = |length: usize| server.post("/functions/v1/browser-error", &[], &"x".repeat(length)).status;
    assert_eq!(report(1025), 413);
    let statuses: Vec<u16> = (0..30).map(|_| report(100)).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(server.post("/functions/v1/send-contact-email", &[], "{}").status, 202);
}

#[test]
fn forwards_only_needed_headers() {
    let server = Server::start(Settings::default());
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let answer = server.post(
        "/functions/v1/send-contact-email",
        &[
            &format!("traceparent: {traceparent}"),
            "apikey: zg-anon-local",
            "Authorization: Bearer token",
            "Idempotency-Key: 5f2c7f1e-2b1f-4a37-9a3c-0d6f5c1a9b11",
            "Content-Language: zh",
            "Cookie: lang=zh",
            "X-Forwarded-For: 203.0.113.9",
            "X-Real-IP: 203.0.113.9",
            "Forwarded: for=203.0.113.9",
        ],
        r#"{"name":"陈伟"}"#,
    );
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let seen = server.last_request();
    assert!(seen.head.starts_with("POST /functions/v1/send-contact-email HTTP/1.1"), "{}", seen.head);
    assert_eq!(seen.body, r#"{"name":"陈伟"}"#);
    for (name, expected) in [
        ("traceparent", Some(traceparent)),
        ("apikey", Some("zg-anon-local")),
        ("authorization", Some("Bearer token")),
        ("idempotency-key", Some("5f2c7f1e-2b1f-4a37-9a3c-0d6f5c1a9b11")),
        ("content-language", Some("zh")),
        ("x-forwarded-for", Some("127.0.0.1")),
        ("x-forwarded-proto", Some("http")),
        ("x-real-ip", None),
        ("forwarded", None),
        ("cookie", None),
    ] {
        assert_eq!(seen.header(name), expected, "{name}");
    }
}

#[test]
fn lead_intake_gets_the_network_that_nginx_sees() {
    let server = Server::start(Settings { is_behind_proxy: true, ..Settings::default() });
    for (address, network) in [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("2001:db8::3", "2001:db8::/48"),
    ] {
        for path in ["send-contact-email", "posted-form"] {
            let (claimed, forged) =
                (format!("X-Forwarded-For: {address}"), "Visitor-Network: 198.51.100.0/24");
            server.post(&format!("/functions/v1/{path}"), &[&claimed, forged], "{}");
            let received = server.last_request();
            assert_eq!(received.header("visitor-network"), Some(network), "{path} from {address}");
        }
    }
}

#[test]
fn api_errors_pass_unchanged() {
    let server = Server::start(Settings::default());
    let answer = server.post("/functions/v1/refused", &[], "{}");
    assert_eq!((answer.status, answer.text().as_str()), (422, r#"{"error":"own"}"#));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let busy = server.post("/functions/v1/busy", &[], "{}");
    assert_eq!((busy.status, busy.text().as_str()), (503, r#"{"error":"own"}"#));
    assert_eq!(busy.header("retry-after"), Some("1"));
}

#[test]
fn large_body_gets_a_json_error() {
    let server = Server::start(Settings::default());
    let fits = server.post("/functions/v1/send-contact-email", &[], &"x".repeat(16 * 1024));
    assert_eq!(fits.status, 202);
    let answer = server.post("/functions/v1/send-contact-email", &[], &"x".repeat(16 * 1024 + 1));
    assert_eq!((answer.status, code(&answer).as_str()), (413, "body_too_large"));
    assert_eq!(server.requests(), 1);
}

#[test]
fn limits_leads_per_address() {
    let server = Server::start(Settings::default());
    let statuses: Vec<u16> =
        (0..22).map(|_| server.post("/functions/v1/send-contact-email", &[], "{}").status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 21, "{statuses:?}");
    // A forged forwarded address does not reset the limit.
    let answer = server.post("/functions/v1/send-contact-email", &["X-Forwarded-For: 203.0.113.77"], "{}");
    assert_eq!((answer.status, code(&answer).as_str()), (429, "rate_limited"));
    assert_eq!(answer.header("retry-after"), Some("6"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(server.post("/auth/v1/session", &[], "{}").status, 201, "sessions have a separate limit");
    assert_eq!(server.get("/", &[]).status, 200, "pages have no limit");
}

/// The statuses of leads whose X-Forwarded-For has these values.
fn statuses<const N: usize>(server: &Server, addresses: [&str; N]) -> [u16; N] {
    addresses.map(|address| {
        let claimed = format!("X-Forwarded-For: {address}");
        server.post("/functions/v1/send-contact-email", &[&claimed], "{}").status
    })
}

#[test]
fn trusts_only_configured_proxies() {
    let server = Server::start(Settings { lead_burst: 1, is_behind_proxy: true, ..Settings::default() });
    let (one, other) = ("198.51.100.200, 203.0.113.1", "198.51.100.200, 203.0.113.2");
    assert_eq!(statuses(&server, [one, one, one, other]), [202, 202, 429, 202]);
    assert_eq!(server.last_request().header("x-forwarded-for"), Some("203.0.113.2"));
}

#[test]
fn ipv6_network_shares_a_limit() {
    let server = Server::start(Settings { lead_burst: 1, is_behind_proxy: true, ..Settings::default() });
    let network = ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:1:a:b:c:d"];
    assert_eq!(statuses(&server, network), [202, 202, 429]);
    assert_eq!(statuses(&server, ["2001:db8::2:0:0:0:1", "2001:db8::3:0:0:0:1"]), [202, 202]);
}

#[test]
fn slow_clients_do_not_delay_visitors() {
    let server = Server::start(Settings { lead_burst: 1_000, is_behind_proxy: true, ..Settings::default() });
    let lead = "POST /functions/v1/send-contact-email HTTP/1.1\r\nHost: localhost\r\n";
    let body = |from: String| format!("{lead}X-Forwarded-For: {from}\r\nContent-Length: 16000\r\n\r\n");
    let mut heads: Vec<_> = (0..200).map(|_| server.begin(lead)).collect();
    let mut bodies: Vec<_> =
        (0..200).map(|n| server.begin(&body(format!("198.51.100.{}", n % 10)))).collect();
    let mut greedy: Vec<_> = (0..100).map(|_| server.begin(&body("192.0.2.1".to_owned()))).collect();
    let visitor = "X-Forwarded-For: 203.0.113.1";
    let (started, mut slowest, mut visits) = (Instant::now(), Duration::ZERO, 0);
    // Each slow client sends a byte a second, to avoid the timeout between two reads.
    while !heads.is_empty() {
        assert!(started.elapsed() < Duration::from_secs(15), "{} heads are still read", heads.len());
        for clients in [&mut heads, &mut bodies, &mut greedy] {
            clients.retain_mut(|client| is_open(client) && client.write_all(b"x").is_ok());
        }
        for _ in 0..5 {
            let asked = Instant::now();
            assert_eq!(server.get("/", &[visitor]).status, 200);
            assert_eq!(server.post("/functions/v1/send-contact-email", &[visitor], "{}").status, 202);
            slowest = slowest.max(asked.elapsed());
            visits += 1;
            thread::sleep(Duration::from_millis(200).saturating_sub(asked.elapsed()));
        }
    }
    assert!(visits >= 20 && slowest < Duration::from_secs(1), "{visits} visits, the slowest {slowest:?}");
    assert_eq!((bodies.len(), greedy.len()), (200, 32), "one address has at most 32 requests in flight");
}

/// Whether the server has neither answered nor closed.
fn is_open(client: &mut TcpStream) -> bool {
    matches!(client.read(&mut [0; 512]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

#[test]
fn unavailable_lead_intake_gets_a_json_error() {
    let server = Server::start(Settings { intakes: vec![Intake::RefusesConnections], ..Settings::default() });
    for path in ["/functions/v1/send-contact-email", "/auth/v1/session", "/api/openapi.json"] {
        let answer = server.post(path, &[], "{}");
        assert_eq!((answer.status, code(&answer).as_str()), (503, "unavailable"), "{path}");
        assert_eq!(answer.header("retry-after"), Some("2"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
    }
    assert_eq!(server.get("/", &[]).status, 200);
}

fn two_replicas() -> Vec<Intake> {
    vec![Intake::Answers, Intake::Answers]
}

#[test]
fn request_is_retried_on_another_replica() {
    let refuses = Intake::RefusesConnections;
    // Three as a Kubernetes Service that still has a deleted pod, which may get each connection.
    for unavailable in
        [vec![refuses], vec![refuses; 3], vec![Intake::ClosesInsteadOfAnswering], vec![Intake::IsBusy]]
    {
        let intakes = [unavailable.clone(), vec![Intake::Answers]].concat();
        let server = Server::start(Settings { intakes, ..Settings::default() });
        for _ in 0..6 {
            let answer = server.post("/functions/v1/send-contact-email", &[], "{}");
            assert_eq!(answer.status, 202, "the other replica: {unavailable:?}");
            let answer = server.post("/functions/v1/posted-form", &[], "name=x");
            assert_eq!(answer.status, 303, "the other replica: {unavailable:?}");
        }
    }
}

#[test]
fn each_replica_is_asked_once_per_lead() {
    let server = Server::start(Settings { intakes: two_replicas(), lead_burst: 100, ..Settings::default() });
    // Enough requests for each worker of nginx, because each counts failures separately.
    for asked in (2..=60).step_by(2) {
        let answer = server.post("/functions/v1/busy", &[], "{}");
        assert_eq!((answer.status, answer.text().as_str()), (503, r#"{"error":"own"}"#));
        assert_eq!((answer.header("retry-after"), server.requests()), (Some("1"), asked));
    }
    assert_eq!(server.post("/functions/v1/send-contact-email", &[], "{}").status, 202);
}

#[test]
fn silent_replicas_end_within_five_seconds() {
    let server = Server::start(Settings { intakes: two_replicas(), ..Settings::default() });
    let started = Instant::now();
    let answer = server.post("/functions/v1/slowly-busy", &[], "{}");
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert_eq!(server.requests(), 1, "a slow rejection is not retried");
    assert!(started.elapsed() < WORST, "{:?}", started.elapsed());

    let started = Instant::now();
    let answer = server.post("/functions/v1/hang", &[], "{}");
    assert_eq!((answer.status, code(&answer).as_str()), (503, "unavailable"));
    assert!(started.elapsed() < WORST, "{:?}", started.elapsed());
}

#[test]
fn counts_responses_by_route_and_status() {
    let server = Server::start(Settings { lead_burst: 1, ..Settings::default() });
    let metrics = server.count_answers();
    for _ in 0..3 {
        server.post("/functions/v1/send-contact-email", &[], "{}");
    }
    let deadline = Instant::now() + WORST;
    let expected = [
        r#"{route="lead",status="202"} 2"#,
        r#"{route="lead",status="429"} 1"#,
        r#"{route="page",status="200"}"#,
    ];
    loop {
        // mtail processes a line when the next one arrives.
        server.get("/", &[]);
        let text = http::request("GET", metrics, "/metrics", &[], "", WORST).expect("metrics").body;
        if expected.iter().all(|line| text.contains(&format!("nginx_responses_total{line}"))) {
            break;
        }
        assert!(Instant::now() < deadline, "{text}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn access_log_has_no_personal_data() {
    let intakes = vec![Intake::Answers, Intake::RefusesConnections];
    let server = Server::start(Settings { lead_burst: 2, is_behind_proxy: true, intakes });
    let personal = [
        "X-Forwarded-For: 203.0.113.77",
        "Referer: http://localhost/?name=Mei",
        "Cookie: lang=secret",
        "traceparent: 00-x\"y",
    ];
    let post = |path: &str, body: &str| {
        server.post(&format!("/functions/v1/{path}?email=mei@example.com"), &personal, body).status
    };
    let large = "x".repeat(17_000);
    let statuses = [
        post("send-contact-email", r#"{"name":"Mei"}"#),
        post("send-contact-email", &large),
        post("hang", "{}"),
        // nginx tries the other upstream first, here or above, and it refuses the connection.
        post("refused", "{}"),
        post("refused", "{}"),
    ];
    assert_eq!(statuses, [202, 413, 503, 422, 429]);
    // Of these, the log has only requests that cannot be probes of Kubernetes.
    for (path, agent) in
        [("/robots.txt", "kube-probe/1.36"), ("/?probe", "kube-probe/1.36"), ("/robots.txt", "curl")]
    {
        assert_eq!(server.get(path, &[&format!("User-Agent: {agent}")]).status, 200);
    }
    let log = server.stopped_log();
    let entries = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let entries: Vec<_> = entries.collect();
    assert_eq!(entries.iter().filter(|entry| entry["status"] == 200).count(), 2, "{log}");
    // Two workers write to the log, each after its response.
    let entry = entries.iter().find(|entry| entry["status"] == 202).expect("a line of the lead");
    assert_eq!(entry["path"], "/functions/v1/send-contact-email");
    assert_eq!(entry["network"], "203.0.113.0/24");
    for personal in ["mei@example.com", "Mei", "secret", "203.0.113.77", "x\\\"y", "x\"y"] {
        assert!(!log.contains(personal), "{personal} is in {log}");
    }
}

#[test]
fn compose_proxy_adds_https() {
    let server = Server::start(Settings { lead_burst: 1, is_behind_proxy: true, ..Settings::default() });
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path().display();
    let ports = free_ports(2).expect("ports");
    create_certificate(directory.path(), "www.zyongrand.example");
    let proxy = fs::read_to_string(files::path("deploy/compose/tls.conf")).expect("its text");
    let proxy = proxy
        .replace("listen 80;", &format!("listen 127.0.0.1:{};", ports[0]))
        .replace("listen 443 ", &format!("listen 127.0.0.1:{} ", ports[1]))
        .replace("/etc/letsencrypt/live/www.zyongrand.example/fullchain.pem", &format!("{here}/tls.crt"))
        .replace("/etc/letsencrypt/live/www.zyongrand.example/privkey.pem", &format!("{here}/tls.key"))
        .replace("127.0.0.1:8080", &format!("127.0.0.1:{}", server.port()));
    let user = if rustix::process::geteuid().is_root() { "user root;" } else { "" };
    let configuration =
        format!("{user} daemon off; pid {here}/pid; events {{}} http {{ access_log off; {proxy} }}");
    fs::write(directory.path().join("nginx.conf"), configuration).expect("the configuration");
    let mut proxy = command_with(&["--pdeathsig=TERM"], packages::find("nginx").expect("nginx"));
    proxy.args(["-p", ".", "-c", "nginx.conf", "-e", "stderr"]).current_dir(&directory);
    let supervisor = Supervisor::new(Interrupt::default());
    let listens = || TcpStream::connect(("127.0.0.1", ports[1])).is_ok();
    supervisor.start(Service::new("proxy", proxy, directory.path()), WORST, listens).expect("nginx");

    let curl = |arguments: &[&str]| {
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--show-error",
            "--include",
            "--http2",
            "--cacert",
            "tls.crt",
            "--noproxy",
            "*",
        ])
        .args(["--connect-to", &format!("www.zyongrand.example:80:127.0.0.1:{}", ports[0])])
        .args(["--connect-to", &format!("www.zyongrand.example:443:127.0.0.1:{}", ports[1])])
        .args(arguments)
        .current_dir(&directory);
        output(&mut curl).expect("a response").to_lowercase()
    };
    let page = curl(&["https://www.zyongrand.example/?lang=zh"]);
    assert!(page.starts_with("http/2 200") && page.contains("strict-transport-security: max-age="), "{page}");
    assert!(page.contains("; secure"), "{page}");
    let lead = ["--data", "{}", "https://www.zyongrand.example/functions/v1/send-contact-email"];
    let claims = ["203.0.113.1", "203.0.113.2", "203.0.113.3"].map(|address| {
        let claimed = format!("X-Forwarded-For: {address}");
        curl(&[&["--header", &claimed], lead.as_slice()].concat())
    });
    assert!(claims[1].starts_with("http/2 202") && claims[2].starts_with("http/2 429"), "{claims:?}");
    let plain = curl(&["http://www.zyongrand.example/floor-plans?x=1"]);
    assert!(plain.starts_with("http/1.1 301 "), "{plain}");
    assert!(plain.contains("\nlocation: https://www.zyongrand.example/floor-plans?x=1\r"), "{plain}");
}
