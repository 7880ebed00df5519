//! Calls of lead-intake and the desk.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use xtask::ports::free_ports;
use xtask::process::{command, output};
use xtask::session::Interrupt;
use xtask::supervisor::Service;
use xtask::{files, http, packages};

use super::{FORM, Intake, LEAD, SHARED, Server, TIMEOUT, Visitor, WITHDRAW, WORST};

#[test]
fn each_upstream_receives_only_its_cookie() {
    let visitor = SHARED.visitor();
    for (path, sent, received) in [
        (
            "/functions/v1/form-session",
            "lang=zh; form_session=a.b-c_d; other=x",
            Some("form_session=a.b-c_d"),
        ),
        ("/functions/v1/form-session", "desk=c.d-e_f", None),
        (
            "/desk/api/me",
            "lang=zh; form_session=a.b; desk=c.d-e_f",
            Some("desk=c.d-e_f"),
        ),
        (
            "/desk/api/me",
            "desk=planted; lang=zh; __Host-desk=c.d-e_f",
            Some("__Host-desk=c.d-e_f"),
        ),
    ] {
        let response = visitor.get(path, &[&format!("Cookie: {sent}")]);
        assert_eq!(
            response.received("cookie").as_deref(),
            received,
            "{path} with {sent}"
        );
    }
}

#[test]
fn desk_has_dedicated_policies() {
    let visitor = SHARED.visitor();
    let document = visitor.get("/desk?lang=zh", &[]);
    assert_eq!(document.shown(), (200, "desk zh"));
    assert_eq!(document.header("referrer-policy"), Some("no-referrer"));
    let policy = document
        .header("content-security-policy")
        .expect("a policy");
    assert!(
        policy.contains("connect-src 'self'; ") && policy.contains("form-action 'none'"),
        "{policy}"
    );
    assert!(
        !policy.contains("maps.example") && !policy.contains("data:"),
        "{policy}"
    );
    let call = visitor.get("/desk/api/leads?whose=mine", &[]);
    let policy = call.header("content-security-policy");
    assert_eq!(policy, Some("default-src 'none'; frame-ancestors 'none'"));
    assert_eq!(call.header("cache-control"), Some("no-store"));
    assert_eq!(call.request()["uri"], "/desk/api/leads?whose=mine");
}

/// The number of POST requests, up to 40, that nginx accepts in a row.
fn accepted(visitor: &Visitor, paths: &[&str], headers: &[&str]) -> usize {
    let mut paths = paths.iter().cycle().take(80);
    paths
        .position(|path| visitor.post(path, headers, "{}").status == 429)
        .expect("a limit")
}

#[test]
fn limits_leads_per_address() {
    let visitor = SHARED.visitor();
    assert_eq!(accepted(&visitor, &[LEAD], &[]), 21);
    let limited = visitor.post(FORM, &[], "name=x");
    assert_eq!(limited.status, 429, "the form shares the limit");
    let limited = visitor.post(LEAD, &[], "{}");
    assert_eq!(limited.error(), (429, "rate_limited".to_owned()));
    assert_eq!(limited.header("retry-after"), Some("6"));
    assert_eq!(limited.header("content-type"), Some("application/json"));
    assert_eq!(
        visitor.post("/auth/v1/session", &[], "{}").status,
        202,
        "sessions have a separate limit"
    );
    assert_eq!(visitor.get("/", &[]).status, 200, "pages have no limit");
}

#[test]
fn limits_requests_for_the_api_description() {
    let visitor = SHARED.visitor();
    let mut statuses = (0..40).map(|_| visitor.get("/api/openapi.json", &[]).status);
    let accepted = statuses.position(|status| status == 429).expect("a limit");
    assert!((21..30).contains(&accepted), "{accepted}");
}

#[test]
fn ipv6_network_shares_a_limit() {
    let from = |address| SHARED.visitor_from(address).post(LEAD, &[], "{}").status;
    assert_eq!(
        accepted(&SHARED.visitor_from("2001:db8:0:1::1"), &[LEAD], &[]),
        21
    );
    assert_eq!(
        ["2001:db8:0:1:ffff::2", "2001:db8:0:1:a:b:c:d"].map(from),
        [429, 429]
    );
    assert_eq!(
        ["2001:db8::2:0:0:0:1", "2001:db8::3:0:0:0:1"].map(from),
        [202, 202]
    );
}

#[test]
fn desk_links_have_a_separate_limit() {
    let visitor = SHARED.visitor();
    // All calls with links share one limit.
    let links = ["/desk/api/key", "/desk/api/log-in", "/desk/api/link"];
    assert!((61..65).contains(&accepted(&visitor, &links, &[])));
    assert_eq!(visitor.get("/desk/api/me", &[]).status, 202);
    assert_eq!(visitor.post(LEAD, &[], "{}").status, 202);
}

#[test]
fn browser_errors_have_a_separate_limit() {
    let visitor = SHARED.visitor();
    assert!((21..25).contains(&accepted(&visitor, &["/functions/v1/browser-error"], &[])));
    assert_eq!(visitor.post(LEAD, &[], "{}").status, 202);
}

#[test]
fn withdrawals_have_a_separate_limit() {
    let visitor = SHARED.visitor();
    let withdraw = || {
        let body = "List-Unsubscribe=One-Click";
        visitor.post(WITHDRAW, &[], body).status
    };
    let first: Vec<u16> = (0..150).map(|_| withdraw()).collect();
    assert_eq!(first, [202; 150]);
    assert_eq!(visitor.post("/auth/v1/session", &[], "{}").status, 202);
    assert_eq!(visitor.post(LEAD, &[], "{}").status, 202);
    // In parallel, to exceed 20 requests a second.
    let further: Vec<u16> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (0..100).map(|_| withdraw()).collect::<Vec<_>>()))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(further.contains(&429));
}

#[test]
fn large_body_gets_a_json_error() {
    let visitor = SHARED.visitor();
    for (path, most) in [
        (LEAD, 16 * 1024),
        ("/functions/v1/browser-error", 1024),
        ("/desk/api/leads/x", 32 * 1024),
    ] {
        assert_eq!(
            visitor.post(path, &[], &"x".repeat(most)).status,
            202,
            "{path}"
        );
        let large = visitor.post(path, &[], &"x".repeat(most + 1));
        assert_eq!(large.error(), (413, "body_too_large".to_owned()), "{path}");
    }
}

#[test]
fn forwards_only_needed_headers() {
    let kept = [
        (
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ),
        ("apikey", "zg-anon-local"),
        ("authorization", "Bearer token"),
        ("idempotency-key", "5f2c7f1e-2b1f-4a37-9a3c-0d6f5c1a9b11"),
        ("content-language", "zh"),
    ];
    let dropped = [
        ("cookie", "lang=zh"),
        ("x-real-ip", "203.0.113.9"),
        ("forwarded", "for=203.0.113.9"),
    ];
    let sent = kept
        .iter()
        .chain(&dropped)
        .map(|(name, value)| format!("{name}: {value}"));
    let sent: Vec<String> = sent.collect();
    let sent: Vec<&str> = sent.iter().map(String::as_str).collect();
    let response = SHARED.visitor().post(LEAD, &sent, r#"{"name":"陈伟"}"#);
    assert_eq!(
        (response.status, response.header("cache-control")),
        (202, Some("no-store"))
    );
    assert_eq!(response.request()["uri"], LEAD);
    assert_eq!(response.request()["body"], r#"{"name":"陈伟"}"#);
    assert_eq!(
        response.received("x-forwarded-proto").as_deref(),
        Some("http")
    );
    for (name, value) in kept {
        assert_eq!(response.received(name).as_deref(), Some(value), "{name}");
    }
    for (name, _) in dropped {
        assert_eq!(response.received(name), None, "{name}");
    }
}

#[test]
fn lead_intake_gets_the_network_that_nginx_sees() {
    for (address, network) in [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("2001:db8::3", "2001:db8::/48"),
    ] {
        for path in [LEAD, FORM] {
            let forged = ["Visitor-Network: 198.51.100.0/24"];
            let response = SHARED.visitor_from(address).post(path, &forged, "{}");
            assert_eq!(
                response.received("visitor-network").as_deref(),
                Some(network),
                "{path} {address}"
            );
        }
    }
}

#[test]
fn trusts_only_configured_proxies() {
    let forwarded = |server: &Server, claimed: &str| {
        let response = server.visitor_from(claimed).post(LEAD, &[], "{}");
        (response.status, response.received("x-forwarded-for"))
    };
    let (claimed, trusted) = ("198.51.100.200, 203.0.113.1", "203.0.113.1".to_owned());
    assert_eq!(forwarded(&SHARED, claimed), (202, Some(trusted)));

    let direct = Server::start(&[Intake::Answers], |nginx| {
        nginx.real_ip_from.clear();
        nginx.limits.lead_burst = 1;
    });
    assert_eq!(
        forwarded(&direct, claimed),
        (202, Some("127.0.0.1".to_owned()))
    );
    assert_eq!(direct.visitor().post(LEAD, &[], "{}").status, 202);
    assert_eq!(
        direct.visitor().post(LEAD, &[], "{}").status,
        429,
        "another claim does not reset the limit"
    );
}

#[test]
fn api_errors_pass_unchanged() {
    for (answer, status, retry_after) in
        [("Answer: 422", 422, None), ("Answer: 503", 503, Some("1"))]
    {
        let response = SHARED.visitor().post(LEAD, &[answer], "{}");
        assert_eq!(
            (response.status, response.header("retry-after")),
            (status, retry_after)
        );
        assert_eq!(response.header("content-type"), Some("application/json"));
        assert_eq!(response.request()["uri"], LEAD);
    }
}

#[test]
fn request_is_retried_on_another_replica() {
    let intakes = [
        Intake::RefusesConnections,
        Intake::Writes(""),
        Intake::Writes("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
        Intake::Answers,
    ];
    let server = Server::start(&intakes, |_| {});
    // Each worker of nginx takes the replicas in turn.
    for requests in 1..=12 {
        let visitor = server.visitor();
        assert_eq!(visitor.post(LEAD, &[], "{}").status, 202);
        assert_eq!(visitor.post(FORM, &["Answer: 303"], "name=x").status, 303);
        assert_eq!(server.requests(), 2 * requests);
    }
}

#[test]
fn silent_replicas_end_within_five_seconds() {
    let server = Server::start(&[Intake::Answers, Intake::Answers], |_| {});
    // Enough requests for each worker of nginx, because each counts failures separately.
    for asked in (2..=60).step_by(2) {
        let busy = server.visitor().post(LEAD, &["Answer: 503"], "{}");
        assert_eq!((busy.status, busy.header("retry-after")), (503, Some("1")));
        assert_eq!(server.requests(), asked, "each replica is asked once");
    }
    let visitor = server.visitor();
    assert_eq!(visitor.post(LEAD, &[], "{}").status, 202);

    for (delay, retry_after) in [("Delay: 1", "1"), ("Delay: 10", "2")] {
        let (started, before) = (Instant::now(), server.requests());
        let late = visitor.post(LEAD, &[delay, "Answer: 503"], "{}");
        assert_eq!(
            (late.status, late.header("retry-after")),
            (503, Some(retry_after))
        );
        assert!(started.elapsed() < WORST, "{:?}", started.elapsed());
        assert_eq!(
            server.requests(),
            before + 1,
            "a slow response is not requested again"
        );
    }
}

#[test]
fn slow_clients_do_not_delay_visitors() {
    let server = Server::start(&[Intake::Answers], |nginx| nginx.limits.lead_burst = 1_000);
    lower_limit_of_open_files(&server);
    let begin = |request: &str| {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, server.nginx.port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.set_nonblocking(true).unwrap();
        stream
    };
    let lead = format!("POST {LEAD} HTTP/1.1\r\nHost: localhost\r\n");
    let body =
        |from: &str| format!("{lead}X-Forwarded-For: {from}\r\nContent-Length: 16000\r\n\r\n");
    let mut heads: Vec<_> = (0..200).map(|_| begin(&lead)).collect();
    let mut bodies: Vec<_> = (0..200)
        .map(|n| begin(&body(&format!("198.51.100.{}", n % 10))))
        .collect();
    let mut greedy: Vec<_> = (0..100).map(|_| begin(&body("192.0.2.1"))).collect();
    let (visitor, started, mut visits) = (server.visitor(), Instant::now(), 0);
    // Each slow client sends a byte a second, to avoid the timeout between two reads.
    while !heads.is_empty() {
        assert!(
            started.elapsed() < Duration::from_secs(15),
            "{} heads are still read",
            heads.len()
        );
        for clients in [&mut heads, &mut bodies, &mut greedy] {
            clients.retain_mut(|client| is_open(client) && client.write_all(b"x").is_ok());
        }
        for _ in 0..5 {
            let asked = Instant::now();
            assert_eq!(visitor.get("/", &[]).status, 200);
            assert_eq!(visitor.post(LEAD, &[], "{}").status, 202);
            assert!(
                asked.elapsed() < Duration::from_secs(1),
                "{:?}",
                asked.elapsed()
            );
            visits += 1;
            thread::sleep(Duration::from_millis(200).saturating_sub(asked.elapsed()));
        }
    }
    assert!(visits >= 20, "{visits} visits");
    assert_eq!(
        (bodies.len(), greedy.len()),
        (200, 32),
        "one address has at most 32 requests in flight"
    );
}

/// Whether the server has neither answered nor closed.
fn is_open(client: &mut TcpStream) -> bool {
    matches!(client.read(&mut [0; 512]), Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// Replaces the workers of nginx by workers that start with a low limit, as in a container, and must raise it.
fn lower_limit_of_open_files(server: &Server) {
    // The pid file is empty until nginx has started, because `nginx -t` creates it.
    let master = server.supervisor.pid("nginx").unwrap().to_string();
    let workers = || {
        let children =
            fs::read_to_string(format!("/proc/{master}/task/{master}/children")).unwrap();
        children
            .split_whitespace()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    // nginx listens before it starts its workers.
    let interrupt = Interrupt::default();
    let started = || Ok(!workers().is_empty());
    interrupt
        .poll("nginx starts no workers", TIMEOUT, started)
        .unwrap();
    let before = workers();
    output(command("prlimit").args(["--nofile=64:", "--pid", &master])).unwrap();
    output(command("kill").args(["-HUP", &master])).unwrap();
    let replaced = || Ok(workers().is_disjoint(&before));
    interrupt
        .poll("the workers are not replaced", TIMEOUT, replaced)
        .unwrap();
}

#[test]
fn logs_have_no_personal_data_and_become_metrics() {
    // Each worker of nginx tries the first replica first, so an error of an upstream occurs.
    let intakes = [Intake::RefusesConnections, Intake::Answers];
    let server = Server::start(&intakes, |nginx| nginx.limits.lead_burst = 1);
    let metrics = free_ports(1).unwrap()[0];
    let logs = format!("udp://127.0.0.1:{}", server.nginx.edge_log.unwrap());
    let mut mtail = command(packages::find("mtail").expect("mtail"));
    mtail
        .arg("-progs")
        .arg(files::path("deploy/nginx/edge.mtail"))
        .args(["-logs", &logs]);
    mtail.args(["-address", "127.0.0.1", "-port", &metrics.to_string()]);
    mtail.args(["-emit_prog_label=false", "-logtostderr"]);
    let mtail = Service::new("mtail", mtail, server.directory.path());
    server
        .supervisor
        .start(mtail, TIMEOUT, || http::connects(metrics))
        .expect("mtail starts");

    let personal = [
        "Referer: http://localhost/?name=Mei",
        "Cookie: lang=secret",
        "traceparent: 00-x\"y",
    ];
    let visitor = server.visitor_from("203.0.113.77");
    let post = |body: &str, answer: &str| {
        let headers = [personal.as_slice(), &[answer]].concat();
        visitor
            .post(&format!("{LEAD}?email=mei@example.com"), &headers, body)
            .status
    };
    let statuses = [
        post(r#"{"name":"Mei"}"#, "Answer: 202"),
        post("{}", "Answer: 422"),
        post("{}", "Answer: 202"),
        post(&"x".repeat(17_000), "Answer: 202"),
    ];
    assert_eq!(statuses, [202, 422, 429, 413]);
    // Of these, the log has only requests that cannot be probes of Kubernetes.
    for (path, agent) in [
        ("/robots.txt", "kube-probe/1.36"),
        ("/?probe", "kube-probe/1.36"),
        ("/robots.txt", "curl"),
    ] {
        assert_eq!(
            visitor.get(path, &[&format!("User-Agent: {agent}")]).status,
            200
        );
    }
    let counts = [
        "lead\",status=\"202\"} 1",
        "lead\",status=\"429\"} 1",
        // The alert needs the series before its first event.
        "lead\",status=\"504\"} 0",
        "page\",status=\"200\"} ",
    ];
    let is_counted = || {
        // mtail processes a line when the next one arrives.
        http::request("HEAD", server.nginx.port, "/nope", &[], "", TIMEOUT)?;
        let text = http::request("GET", metrics, "/metrics", &[], "", TIMEOUT)?.body;
        Ok(counts
            .iter()
            .all(|count| text.contains(&format!("nginx_responses_total{{route=\"{count}"))))
    };
    Interrupt::default()
        .poll("the responses are not counted", TIMEOUT, is_counted)
        .unwrap();

    // Completes the log.
    server.supervisor.stop_all();
    let log = fs::read_to_string(server.directory.path().join("nginx.log")).unwrap();
    let entries: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert_eq!(
        entries
            .iter()
            .filter(|entry| entry["status"] == 200)
            .count(),
        2,
        "{log}"
    );
    // Two workers write to the log, each after its response.
    let entry = entries
        .iter()
        .find(|entry| entry["status"] == 202)
        .expect("a line of the lead");
    assert_eq!(entry["path"], LEAD);
    assert_eq!(entry["network"], "203.0.113.0/24");
    for personal in [
        "mei@example.com",
        "Mei",
        "secret",
        "203.0.113.77",
        "x\\\"y",
        "x\"y",
    ] {
        assert!(!log.contains(personal), "{personal} is in {log}");
    }
}
