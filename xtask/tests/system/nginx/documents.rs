//! Pages and files of the site.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use xtask::{files, packages};

use super::{Intake, Server, Settings, WORST};

const SECURITY_HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self' https://maps.example:8443; frame-src https://maps.example:8443; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'; manifest-src 'self'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    (
        "permissions-policy",
        "accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

#[test]
fn language_comes_from_query_cookie_or_default() {
    let server = Server::start(Settings::default());
    for (path, cookie, expected) in [
        ("/", "", "home en"),
        ("/?lang=zh", "", "home zh"),
        ("/", "lang=zh", "home zh"),
        ("/", "a=b; lang=zh", "home zh"),
        ("/?lang=en", "lang=zh", "home en"),
        ("/?lang=zh&utm_source=x", "lang=en", "home zh"),
        ("/?lang=zh-CN", "", "home zh"),
        ("/?lang=zh-Hans-SG", "", "home zh"),
        ("/?lang=zh_CN", "lang=en", "home zh"),
        ("/?lang=ZH", "", "home zh"),
        ("/?lang=en-GB", "lang=zh", "home en"),
        ("/", "lang=zh-Hans", "home zh"),
        ("/", "lang=zh_TW", "home zh"),
        ("/?lang=zhx", "", "home en"),
        ("/?lang=english", "lang=zh", "home zh"),
        ("/?lang=fr", "lang=zh", "home zh"),
        ("/?lang=fr", "lang=fr", "home en"),
        ("/?lang=../secret", "lang=../secret", "home en"),
    ] {
        let answer = server.get(path, &[&format!("Cookie: {cookie}")]);
        assert_eq!((answer.status, answer.text().as_str()), (200, expected), "{path} with {cookie}");
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        assert_eq!(answer.header("vary"), Some("Cookie, Accept-Encoding"));
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    }
}

#[test]
fn query_language_is_kept_in_a_cookie() {
    let server = Server::start(Settings::default());
    let cookie = |language| format!("lang={language}; Path=/; Max-Age=31536000; SameSite=Lax");
    for (path, expected) in [
        ("/?lang=zh", Some(cookie("zh"))),
        ("/?lang=zh-Hans", Some(cookie("zh"))),
        ("/floor-plans?utm_source=x&lang=en", Some(cookie("en"))),
        ("/nope?lang=zh", Some(cookie("zh"))),
        ("/", None),
        ("/?lang=fr", None),
        ("/?lang=zh;x", None),
        ("/assets/app-abc123.js?lang=zh", None),
        ("/api/openapi.json?lang=zh", None),
    ] {
        let answer = server.get(path, &["Cookie: lang=en"]);
        assert_eq!(answer.header("set-cookie"), expected.as_deref(), "{path}");
    }
}

#[test]
fn https_sets_secure_cookies_and_hsts() {
    let server = Server::start(Settings::default());
    let answer = server.get("/?lang=zh", &["X-Forwarded-Proto: https"]);
    assert_eq!(answer.header("strict-transport-security"), Some("max-age=31536000"));
    assert!(answer.header("set-cookie").is_some_and(|cookie| cookie.ends_with("; SameSite=Lax; Secure")));
    server.get("/api/openapi.json", &["X-Forwarded-Proto: https"]);
    assert_eq!(server.last_request().header("x-forwarded-proto"), Some("https"));
    assert_eq!(server.get("/", &[]).header("strict-transport-security"), None);
}

#[test]
fn serves_pages_with_sixteen_kilobytes_of_cookies() {
    let server = Server::start(Settings::default());
    let cookies = format!("Cookie: lang=zh; other={}", "x".repeat(16 * 1024));
    assert_eq!(server.get("/", &[&cookies]).text(), "home zh");
    // As much as nginx reads before it rejects a request. It would reset the connection if more was sent.
    let line = |start: &str| format!("{start}{}", "x".repeat(32 * 1024 - start.len()));
    for (answer, status, code) in [
        (server.raw(&format!("GET / HTTP/1.1\r\nHost: a\r\n{}", line("Cookie: "))), 431, "header_too_large"),
        (server.raw(&line("GET /api/")), 414, "uri_too_long"),
        (server.raw("GET / HTTP/1.1\r\n\r\n"), 400, "bad_request"),
    ] {
        assert_eq!(answer.status, status);
        assert!(answer.body.contains(&format!("\"code\":\"{code}\"")), "{}", answer.body);
    }
}

#[test]
fn raises_a_low_limit_of_open_files() {
    let server = Server::start(Settings::default());
    let master = server.master();
    let run = |program: &str, arguments: &[&str]| {
        let ran = Command::new(program).args(arguments).arg(&master).status();
        assert!(ran.is_ok_and(|status| status.success()), "{program}");
    };
    let workers = || {
        let children = fs::read_to_string(format!("/proc/{master}/task/{master}/children"));
        children.expect("the workers").split(' ').map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let before = workers();
    run("prlimit", &["--nofile=256:", "--pid"]);
    run("kill", &["-HUP"]);
    let deadline = Instant::now() + WORST;
    while workers().iter().any(|worker| !worker.is_empty() && before.contains(worker)) {
        assert!(Instant::now() < deadline, "the workers are not replaced");
        thread::sleep(Duration::from_millis(20));
    }
    let idle: Vec<_> = (0..600).map(|_| server.begin("GET / HTTP/1.1\r\n")).collect();
    let asked = Instant::now();
    assert_eq!(server.get("/", &[]).text(), "home en", "beside {} connections", idle.len());
    // nginx closes idle connections after five seconds, which would free a connection.
    assert!(asked.elapsed() < Duration::from_secs(4), "{:?}", asked.elapsed());
}

#[test]
fn floor_plans_have_documents_for_bedrooms_and_plans() {
    let server = Server::start(Settings::default());
    for (path, expected) in [
        ("/floor-plans?lang=zh", "floor plans zh"),
        ("/floor-plans?bedrooms=2", "two bedrooms en"),
        ("/floor-plans/?lang=zh&bedrooms=2", "two bedrooms zh"),
        ("/floor-plans?plan=B2", "plan B2 en"),
        ("/floor-plans?plan=B2&lang=zh", "plan B2 zh"),
        ("/floor-plans?plan=B2&bedrooms=2", "two bedrooms en"),
        ("/floor-plans?plan=X9", "floor plans en"),
        ("/floor-plans?plan=../B2", "floor plans en"),
        ("/?plan=B2", "home en"),
        ("/floor-plans?bedrooms=22", "floor plans en"),
        ("/floor-plans?bedrooms=../2", "floor plans en"),
        ("/?bedrooms=2", "home en"),
    ] {
        let answer = server.get(path, &[]);
        assert_eq!(answer.shown(), (200, expected.to_owned()), "{path}");
    }
}

#[test]
fn no_javascript_form_gets_a_page_in_its_language() {
    let server = Server::start(Settings::default());
    for (path, expected) in [
        ("/registered?reference=ZG-7F3K-2Q&lang=zh", "registered zh ZG-7F3K-2Q"),
        ("/registered?reference=CALL-90000000", "registered en "),
        ("/registered", "registered en "),
        ("/not-registered?errors=mobile_too_short,name_required&lang=zh", "name_required zh"),
        ("/not-registered?errors=%22name_required", ""),
        ("/not-registered", ""),
        ("/withdraw?token=ey.J-_&lang=zh", "withdraw zh ey.J-_"),
        ("/withdraw?token=%22%3E%3Cscript", "withdraw en "),
        ("/withdrawn?request=erasure", "withdrawn en erasure"),
        ("/withdrawn?lang=zh", "withdrawn zh "),
        ("/not-withdrawn?errors=link", "not withdrawn en link"),
    ] {
        let answer = server.get(path, &[]);
        assert_eq!((answer.status, answer.text().trim()), (200, expected.trim()), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
    }
}

#[test]
fn rejected_form_gets_a_page_with_its_status() {
    let form = "/functions/v1/posted-form?lang=zh";
    let withdraw =
        |server: &Server| server.post("/functions/v1/withdraw?token=x&lang=zh", &[], "request=withdrawal");
    let server = Server::start(Settings { lead_burst: 2, ..Settings::default() });
    let invalid_link = withdraw(&server);
    let large = server.post(form, &[], &"x".repeat(16 * 1024 + 1));
    let [.., limited] = [(); 5].map(|()| server.post(form, &[], "name=x"));
    assert_eq!(limited.header("content-type"), Some("text/html; charset=utf-8"));
    let nobody = Server::start(Settings { intakes: vec![Intake::RefusesConnections], ..Settings::default() });
    let busy = Server::start(Settings { intakes: vec![Intake::IsBusy], ..Settings::default() });
    for (answer, status, text) in [
        (large, 413, "failed zh"),
        (limited, 429, "rate_limited zh"),
        (nobody.post(form, &[], "name=x"), 502, "failed zh"),
        (busy.post(form, &[], "name=x"), 503, "failed zh"),
        (invalid_link, 401, "not withdrawn zh link"),
        (withdraw(&busy), 503, "not withdrawn zh"),
    ] {
        assert_eq!(answer.shown(), (status, text.to_owned()));
    }
}

#[test]
fn files_have_a_type_and_a_lifetime() {
    let server = Server::start(Settings::default());
    let (year, hour) = (Some("public, max-age=31536000, immutable"), Some("public, max-age=3600"));
    for (path, text, kind, lifetime) in [
        ("/assets/app-abc123.js", "plain", "text/javascript; charset=utf-8", year),
        ("/plans/a1-en.pdf", "%PDF-1.7", "application/pdf", Some("no-cache")),
        ("/social/a1-en.jpg", "picture", "image/jpeg", hour),
        ("/robots.txt", "User-agent: *", "text/plain; charset=utf-8", hour),
    ] {
        let answer = server.get(path, &[]);
        assert_eq!(answer.shown(), (200, text.to_owned()));
        assert_eq!(
            (answer.header("content-type"), answer.header("cache-control")),
            (Some(kind), lifetime),
            "{path}"
        );
    }
    assert_eq!(server.get("/assets/app-abc123.js", &[]).header("vary"), Some("Accept-Encoding"));
    // Webmail shows the picture in emails.
    let picture = server.get("/social/a1-en.jpg", &[]);
    assert_eq!(picture.header("cross-origin-resource-policy"), Some("cross-origin"));
}

#[test]
fn unknown_path_gets_the_not_found_page() {
    let server = Server::start(Settings::default());
    let long = format!("/{}", "x".repeat(400));
    let paths = "/nope /nope/ /assets/ /assets/gone-123.js /gone.svg /documents/en/index.html /index.html \
                 /documents /en /.env /api /frame-src.conf /plans/a2-en.pdf /plans/a1-en.txt /social/a2-en.jpg";
    for path in paths.split_whitespace().chain([long.as_str()]) {
        let answer = server.get(path, &["Cookie: lang=zh"]);
        assert_eq!((answer.status, answer.text().as_str()), (404, "not found zh"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-cache"), "{path}");
        assert_eq!(answer.header("vary"), Some("Cookie, Accept-Encoding"), "{path}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(server.get(path, &[]).text(), "not found en", "{path}");
    }
    let posted = server.post("/nope", &[], "name=x");
    assert_eq!((posted.status, posted.text().as_str()), (404, "not found en"));
}

#[test]
fn documents_allow_only_get_and_head() {
    let server = Server::start(Settings::default());
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer = server.send(method, "/", &[], "");
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD")), "{method}");
    }
    let head = server.send("HEAD", "/", &[], "");
    assert_eq!((head.status, head.body.len()), (200, 0));
    let unchanged = format!("If-None-Match: {}", head.header("etag").expect("an ETag"));
    let again = server.get("/", &[&unchanged]);
    assert_eq!((again.status, again.header("vary")), (304, Some("Cookie, Accept-Encoding")));
}

#[test]
fn serves_precompressed_files() {
    let server = Server::start(Settings::default());
    for path in ["/assets/app-abc123.js", "/"] {
        let gzip = server.get(path, &["Accept-Encoding: gzip"]);
        assert_eq!(
            (gzip.header("content-encoding"), gzip.text().as_str()),
            (Some("gzip"), "gzipped"),
            "{path}"
        );
        let both = server.get(path, &["Accept-Encoding: gzip, deflate, br"]);
        let has_brotli = packages::nginx_brotli_static().is_some();
        let expected = if has_brotli { (Some("br"), "brotlied") } else { (Some("gzip"), "gzipped") };
        assert_eq!((both.header("content-encoding"), both.text().as_str()), expected, "{path}");
        assert_eq!(both.header("content-type"), server.get(path, &[]).header("content-type"), "{path}");
    }
}

#[test]
fn every_response_has_security_headers_once() {
    let server = Server::start(Settings { lead_burst: 1, ..Settings::default() });
    let lead = "/functions/v1/send-contact-email";
    let answers = [
        (200, server.get("/", &[])),
        (404, server.get("/nope", &[])),
        (200, server.get("/assets/app-abc123.js", &[])),
        (404, server.get("/assets/gone.js", &[])),
        (405, server.send("PUT", "/", &[], "")),
        (200, server.get("/api/openapi.json", &[])),
        (404, server.get("/api/nope", &[])),
        (201, server.post("/auth/v1/session", &[], "{}")),
        (202, server.post(lead, &[], "{}")),
        (202, server.post(lead, &[], "{}")),
        (429, server.post(lead, &[], "{}")),
        (413, server.post(lead, &[], &"x".repeat(17_000))),
        (400, server.get("/", &["Host: a b"])),
    ];
    for (status, answer) in answers {
        assert_eq!(answer.status, status, "{answer:?}");
        for (name, value) in SECURITY_HEADERS {
            assert_eq!(answer.header(name), Some(value), "{name} of {status}: {:?}", answer.headers);
        }
        assert_eq!(answer.header("server"), Some("nginx"), "the header has no version");
    }
}

#[test]
fn security_contact_is_a_setting() {
    let server = Server::start(Settings::default());
    let path = "/.well-known/security.txt";
    assert_eq!(server.get(path, &[]).status, 404);

    // The start script, with `true` instead of mtail and nginx.
    let directory = tempfile::tempdir().expect("a directory");
    let nothing = fs::canonicalize("/bin/true").expect("a program");
    for program in ["mtail", "nginx"] {
        std::os::unix::fs::symlink(&nothing, directory.path().join(program)).expect("a link");
    }
    let source = files::path("deploy/nginx");
    let script = fs::read_to_string(source.join("image/start")).expect("the script");
    let script = script
        .replace("/tmp", &directory.path().display().to_string())
        .replace("/etc/site/", &format!("{}/", source.display()));
    let start = |contact: &str| {
        let mut start = Command::new("sh");
        let path = format!("{}:/usr/bin:/bin", directory.path().display());
        start.args(["-c", &script]).env("PATH", path).env("SECURITY_CONTACT", contact);
        start.output().expect("sh starts").status.code()
    };
    assert_eq!(start("security@example.com"), Some(64), "not a URI");
    assert_eq!(start(""), Some(0));
    let file = directory.path().join("security.txt");
    assert!(!file.exists(), "there is no default contact");
    assert_eq!(start("mailto:security@example.com"), Some(0));
    fs::copy(file, server.prefix().join("security.txt")).expect("nginx's prefix");

    let answer = server.get(path, &[]);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/plain; charset=utf-8")));
    let text = answer.text();
    assert!(text.starts_with("Contact: mailto:security@example.com\nExpires: 20"), "{text}");
    assert!(text.ends_with("Z\n"), "{text}");
}
