//! Pages and files of the site.

use std::fs;
use std::process::Command;

use xtask::{files, http, packages};

use super::{FORM, Intake, LEAD, SHARED, Server, TIMEOUT};

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
    let visitor = SHARED.visitor();
    for (path, cookie, expected, kept) in [
        ("/", "", "home en", None),
        ("/", "a=b; lang=zh", "home zh", None),
        ("/", "lang=zh-Hans", "home zh", None),
        ("/?lang=zh&utm_source=x", "lang=en", "home zh", Some("zh")),
        ("/?lang=en-GB", "lang=zh", "home en", Some("en")),
        ("/?lang=zh-Hans-SG", "", "home zh", Some("zh")),
        ("/?lang=zh_CN", "lang=en", "home zh", Some("zh")),
        ("/?lang=ZH", "", "home zh", Some("zh")),
        ("/?lang=zhx", "", "home en", None),
        ("/?lang=zh;x", "", "home en", None),
        ("/?lang=fr", "lang=zh", "home zh", None),
        ("/?lang=../secret", "lang=../secret", "home en", None),
        (
            "/floor-plans?bedrooms=2&lang=zh",
            "",
            "two bedrooms zh",
            Some("zh"),
        ),
        ("/floor-plans/?plan=B2", "", "plan B2 en", None),
        (
            "/floor-plans?plan=B2&bedrooms=2",
            "",
            "two bedrooms en",
            None,
        ),
        (
            "/floor-plans?plan=B2&view=living",
            "",
            "living room B2 en",
            None,
        ),
        ("/floor-plans?plan=B2&view=attic", "", "plan B2 en", None),
        (
            "/floor-plans?plan=B2&view=../living",
            "",
            "plan B2 en",
            None,
        ),
        (
            "/floor-plans?bedrooms=2&plan=B2&view=living",
            "",
            "two bedrooms en",
            None,
        ),
        ("/floor-plans?plan=X9", "", "floor plans en", None),
        ("/floor-plans?plan=../B2", "", "floor plans en", None),
        ("/floor-plans?bedrooms=22", "", "floor plans en", None),
        ("/?bedrooms=2&plan=B2", "", "home en", None),
    ] {
        let page = visitor.get(path, &[&format!("Cookie: {cookie}")]);
        assert_eq!(page.shown(), (200, expected), "{path} with {cookie}");
        let kept =
            kept.map(|language| format!("lang={language}; Path=/; Max-Age=31536000; SameSite=Lax"));
        assert_eq!(page.header("set-cookie"), kept.as_deref(), "{path}");
        assert_eq!(page.header("cache-control"), Some("no-cache"));
        assert_eq!(page.header("vary"), Some("Cookie, Accept-Encoding"));
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
    }
    for path in ["/assets/app-abc123.js?lang=zh", "/api/openapi.json?lang=zh"] {
        assert_eq!(visitor.get(path, &[]).header("set-cookie"), None, "{path}");
    }
}

#[test]
fn punctuation_after_an_address_redirects_to_its_page() {
    let visitor = SHARED.visitor();
    for (path, page) in [
        ("/%E3%80%82", "/"),
        ("/floor-plans%E3%80%82", "/floor-plans"),
        ("/floor-plans%ef%bc%8c", "/floor-plans"),
        ("/floor-plans%EF%BC%89%E3%80%82", "/floor-plans"),
        ("/floor-plans).", "/floor-plans"),
        ("/desk%E3%80%82", "/desk"),
        ("/?lang=zh%E3%80%82", "/?lang=zh"),
        ("/floor-plans?plan=B2%EF%BC%81", "/floor-plans?plan=B2"),
    ] {
        let response = visitor.get(path, &[]);
        assert_eq!(response.status, 301, "{path}");
        assert_eq!(response.header("location"), Some(page), "{path}");
    }
    for path in ["/plans.", "/floor-plans%E3%80%82x", "/floor-plans%0A."] {
        assert_eq!(visitor.get(path, &[]).status, 404, "{path}");
    }
}

#[test]
fn https_sets_secure_cookies_and_hsts() {
    let visitor = SHARED.visitor();
    let https = ["X-Forwarded-Proto: https"];
    let page = visitor.get("/?lang=zh", &https);
    assert_eq!(
        page.header("strict-transport-security"),
        Some("max-age=31536000")
    );
    assert!(
        page.header("set-cookie")
            .is_some_and(|cookie| cookie.ends_with("; SameSite=Lax; Secure"))
    );
    let call = visitor.get("/api/openapi.json", &https);
    assert_eq!(call.received("x-forwarded-proto").as_deref(), Some("https"));
    assert_eq!(
        visitor.get("/", &[]).header("strict-transport-security"),
        None
    );
}

#[test]
fn serves_pages_with_sixteen_kilobytes_of_cookies() {
    let cookies = format!("Cookie: lang=zh; other={}", "x".repeat(16 * 1024));
    assert_eq!(SHARED.visitor().get("/", &[&cookies]).text, "home zh");
    // As much as nginx reads before it rejects a request. It would reset the connection if more was sent.
    let line = |start: &str| format!("{start}{}", "x".repeat(32 * 1024 - start.len()));
    for (request, status, code) in [
        (
            format!("GET / HTTP/1.1\r\nHost: a\r\n{}", line("Cookie: ")),
            431,
            "header_too_large",
        ),
        (line("GET /api/"), 414, "uri_too_long"),
        ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400, "bad_request"),
    ] {
        let response = http::exchange(SHARED.nginx.port, &request, TIMEOUT).unwrap();
        assert_eq!(response.status, status);
        assert!(
            response.body.contains(&format!("\"code\":\"{code}\"")),
            "{}",
            response.body
        );
    }
}

#[test]
fn no_javascript_form_gets_a_page_in_its_language() {
    let visitor = SHARED.visitor();
    for (path, expected) in [
        (
            "/registered?reference=ZG-7F3K-2Q&lang=zh",
            "registered zh ZG-7F3K-2Q",
        ),
        (
            "/registered?reference=ZG-7F3K-2Q&token=ey.J-_&lang=zh",
            "registered zh ZG-7F3K-2Q ey.J-_",
        ),
        ("/registered?token=%22%3E%3Cscript", "registered en"),
        ("/registered?reference=CALL-90000000", "registered en"),
        ("/registered", "registered en"),
        (
            "/not-registered?errors=mobile_too_short,name_required&lang=zh",
            "name_required zh",
        ),
        ("/not-registered?errors=%22name_required", ""),
        ("/withdraw?token=ey.J-_&lang=zh", "withdraw zh ey.J-_"),
        ("/withdraw?token=%22%3E%3Cscript", "withdraw en"),
        ("/withdrawn?request=erasure", "withdrawn en erasure"),
        ("/agree?token=ey.J-_&lang=zh", "agree zh ey.J-_"),
        ("/agree?token=%22%3E%3Cscript", "agree en"),
        ("/agreed?channel=phone&lang=zh", "agreed zh calls"),
        ("/agreed?channel=%22", "agreed en"),
        ("/not-withdrawn?errors=link", "not withdrawn en link"),
    ] {
        let page = visitor.get(path, &[]);
        assert_eq!(page.shown(), (200, expected), "{path}");
        assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
        let may_have_token = ["/withdraw?", "/agree?", "/registered"]
            .iter()
            .any(|start| path.starts_with(start));
        let referrer_policy = if may_have_token {
            "no-referrer"
        } else {
            "strict-origin-when-cross-origin"
        };
        assert_eq!(
            page.header("referrer-policy"),
            Some(referrer_policy),
            "{path}"
        );
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{path}"
        );
    }
}

#[test]
fn rejected_form_gets_a_page_with_its_status() {
    let visitor = SHARED.visitor();
    let withdraw = "/functions/v1/withdraw?token=x&lang=zh";
    let agree = "/functions/v1/agree?token=x&lang=zh";
    let form = format!("{FORM}?lang=zh");
    for (path, answer, body, status, text) in [
        (form.as_str(), "Answer: 503", "name=x", 503, "failed zh"),
        (
            &form,
            "Answer: 303",
            &"x".repeat(16 * 1024 + 1),
            413,
            "failed zh",
        ),
        (
            withdraw,
            "Answer: 401",
            "request=withdrawal",
            401,
            "not withdrawn zh link",
        ),
        (
            agree,
            "Answer: 401",
            "channel=phone",
            401,
            "not withdrawn zh link",
        ),
        (agree, "Answer: 404", "channel=fax", 404, "not withdrawn zh"),
        (
            withdraw,
            "Answer: 503",
            "request=withdrawal",
            503,
            "not withdrawn zh",
        ),
    ] {
        assert_eq!(visitor.post(path, &[answer], body).shown(), (status, text));
    }
    let [.., limited] = [(); 22].map(|()| visitor.post(&form, &[], "name=x"));
    assert_eq!(limited.shown(), (429, "rate_limited zh"));
    assert_eq!(
        limited.header("content-type"),
        Some("text/html; charset=utf-8")
    );
}

#[test]
fn unavailable_lead_intake_gets_a_page_or_json() {
    let server = Server::start(&[Intake::RefusesConnections], |_| {});
    let visitor = server.visitor();
    for path in [LEAD, "/auth/v1/session", "/api/openapi.json"] {
        let response = visitor.post(path, &[], "{}");
        assert_eq!(response.error(), (503, "unavailable".to_owned()), "{path}");
        assert_eq!(response.header("retry-after"), Some("2"), "{path}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
    }
    assert_eq!(
        visitor.post(FORM, &[], "name=x").shown(),
        (502, "failed en")
    );
    assert_eq!(visitor.get("/", &[]).status, 200);
}

#[test]
fn files_have_a_type_and_a_lifetime() {
    let visitor = SHARED.visitor();
    for (path, text, kind, lifetime) in [
        (
            "/assets/app-abc123.js",
            "plain",
            "text/javascript; charset=utf-8",
            "public, max-age=31536000, immutable",
        ),
        (
            "/plans/a1-en.pdf",
            "%PDF-1.7",
            "application/pdf",
            "no-cache",
        ),
        (
            "/social/a1-en.jpg",
            "picture",
            "image/jpeg",
            "public, max-age=3600",
        ),
        (
            "/robots.txt",
            "User-agent: *",
            "text/plain; charset=utf-8",
            "public, max-age=3600",
        ),
    ] {
        let file = visitor.get(path, &[]);
        assert_eq!(file.shown(), (200, text));
        assert_eq!(file.header("content-type"), Some(kind), "{path}");
        assert_eq!(file.header("cache-control"), Some(lifetime), "{path}");
        assert_eq!(file.header("vary"), Some("Accept-Encoding"), "{path}");
        // Webmail shows the picture in emails.
        let policy = if path.starts_with("/social/") {
            "cross-origin"
        } else {
            "same-origin"
        };
        assert_eq!(
            file.header("cross-origin-resource-policy"),
            Some(policy),
            "{path}"
        );
    }
}

#[test]
fn unknown_path_gets_the_not_found_page() {
    let visitor = SHARED.visitor();
    let long = format!("/{}", "x".repeat(400));
    let paths = "/nope /nope/ /assets/ /assets/gone-123.js /gone.svg /documents/en/index.html /index.html \
                 /documents /en /.env /api /frame-src.conf /plans/a2-en.pdf /plans/a1-en.txt /social/a2-en.jpg";
    for path in paths.split_whitespace().chain([long.as_str()]) {
        let page = visitor.get(path, &["Cookie: lang=zh"]);
        assert_eq!(page.shown(), (404, "not found zh"), "{path}");
        assert_eq!(page.header("cache-control"), Some("no-cache"), "{path}");
        assert_eq!(
            page.header("vary"),
            Some("Cookie, Accept-Encoding"),
            "{path}"
        );
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8"),
            "{path}"
        );
    }
    assert_eq!(
        visitor.post("/nope", &[], "name=x").shown(),
        (404, "not found en")
    );
}

#[test]
fn documents_allow_only_get_and_head() {
    let visitor = SHARED.visitor();
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let response = visitor.send(method, "/", &[], "");
        assert_eq!(
            (response.status, response.header("allow")),
            (405, Some("GET, HEAD")),
            "{method}"
        );
    }
    let head = visitor.send("HEAD", "/", &[], "");
    assert_eq!(head.shown(), (200, ""));
    let unchanged = format!("If-None-Match: {}", head.header("etag").expect("an ETag"));
    let again = visitor.get("/", &[&unchanged]);
    assert_eq!(
        (again.status, again.header("vary")),
        (304, Some("Cookie, Accept-Encoding"))
    );
}

#[test]
fn serves_precompressed_files() {
    let visitor = SHARED.visitor();
    let has_brotli = packages::nginx_brotli_static().is_some();
    let best = if has_brotli {
        ("br", "brotlied")
    } else {
        ("gzip", "gzipped")
    };
    for path in ["/assets/app-abc123.js", "/"] {
        for (accepted, (encoding, text)) in
            [("gzip", ("gzip", "gzipped")), ("gzip, deflate, br", best)]
        {
            let file = visitor.get(path, &[&format!("Accept-Encoding: {accepted}")]);
            assert_eq!(
                (file.header("content-encoding"), file.text.as_str()),
                (Some(encoding), text)
            );
            assert_eq!(
                file.header("content-type"),
                visitor.get(path, &[]).header("content-type")
            );
        }
    }
}

#[test]
fn every_response_has_security_headers_once() {
    let visitor = SHARED.visitor();
    let responses = [
        (200, visitor.get("/", &[])),
        (404, visitor.get("/nope", &[])),
        (200, visitor.get("/assets/app-abc123.js", &[])),
        (405, visitor.send("PUT", "/", &[], "")),
        (202, visitor.get("/api/openapi.json", &[])),
        (404, visitor.get("/api/nope", &["Answer: 404"])),
        (202, visitor.post("/auth/v1/session", &[], "{}")),
        (202, visitor.post(LEAD, &[], "{}")),
        (413, visitor.post(LEAD, &[], &"x".repeat(17_000))),
        (400, visitor.get("/", &["Host: a b"])),
        (
            429,
            [(); 21]
                .map(|()| visitor.post(LEAD, &[], "{}"))
                .into_iter()
                .last()
                .expect("a response"),
        ),
    ];
    for (status, response) in responses {
        assert_eq!(response.status, status);
        for (name, value) in SECURITY_HEADERS {
            assert_eq!(
                response.header(name),
                Some(value),
                "{name} of {status}: {:?}",
                response.headers
            );
        }
        assert_eq!(
            response.header("server"),
            Some("nginx"),
            "the header has no version"
        );
    }
}

#[test]
fn security_contact_is_a_setting() {
    let get = || SHARED.visitor().get("/.well-known/security.txt", &[]);
    // The start script, with `true` instead of mtail and nginx, writes to the prefix of this nginx.
    let prefix = &SHARED.nginx.directory;
    for program in ["mtail", "nginx"] {
        std::os::unix::fs::symlink("/bin/true", prefix.join(program)).unwrap();
    }
    let source = files::path("deploy/nginx");
    let script = fs::read_to_string(source.join("image/start")).unwrap();
    let script = script
        .replace("/tmp", &prefix.display().to_string())
        .replace("/etc/site/", &format!("{}/", source.display()));
    for (contact, exit) in [
        ("security@example.com", 64),
        ("", 0),
        ("mailto:security@example.com", 0),
    ] {
        assert_eq!(get().status, 404);
        let mut start = Command::new("sh");
        let path = format!("{}:/usr/bin:/bin", prefix.display());
        start
            .args(["-c", &script])
            .env("PATH", path)
            .env("SECURITY_CONTACT", contact);
        assert_eq!(start.status().unwrap().code(), Some(exit), "{contact}");
    }
    let file = get();
    assert_eq!(
        (file.status, file.header("content-type")),
        (200, Some("text/plain; charset=utf-8"))
    );
    assert!(
        file.text
            .starts_with("Contact: mailto:security@example.com\nExpires: 20"),
        "{}",
        file.text
    );
    assert!(file.text.ends_with("Z\n"), "{}", file.text);
}
