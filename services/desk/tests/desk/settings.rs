//! Tests the settings.

use desk::config::Config;

#[test]
fn errors_contain_no_secret() {
    let good = [
        (
            "ROUTES_FILE",
            concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../deploy/notifier/routes.toml"
            ),
        ),
        ("MAGIC_LINK_KEYS", "0123456789abcdef0123456789abcdef"),
        ("DESK_SESSION_KEYS", "0123456789abcdef0123456789abcdef"),
        ("SITE_URL", "https://www.zyongrand.example"),
        ("CRM_URL", "http://127.0.0.1:50051"),
        ("CRM_TOKEN", "hiddentoken"),
    ];
    for (wrong, expected) in [
        (("HTTP_ADDR", "nowhere"), "--http-addr <HTTP_ADDR>"),
        (
            ("ROUTES_FILE", "/no/such/file"),
            "'/no/such/file' for '--routes-file <ROUTES_FILE>'",
        ),
        (
            ("MAGIC_LINK_KEYS", "shortsecret"),
            "--magic-link-keys <MAGIC_LINK_KEYS>",
        ),
        (("SITE_URL", ""), "--site-url <SITE_URL>"),
    ] {
        let variables = good
            .iter()
            .filter(|(name, _)| *name != wrong.0)
            .chain([&wrong]);
        let error = testkit::settings::<Config>(variables.copied())
            .err()
            .expect("an error");
        assert!(error.contains(expected), "{error}");
        assert!(
            !error.contains("shortsecret") && !error.contains("hidden"),
            "{error}"
        );
    }
}
