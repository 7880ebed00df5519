//! The command line of `notifier`.

use std::{
    io::Write,
    process::{Command, Output},
};

use tempfile::NamedTempFile;

fn routes(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("room for a file");
    file
}

fn run(command: &str, variables: &[(&str, &str)]) -> Output {
    let routes = routes("default = [\"sales@zyongrand.example\"]");
    let usual = [
        ("AMQP_URL", "amqp://127.0.0.1:1/%2f"),
        ("SMTP_HOST", "mail.example"),
        ("MAIL_FROM", "Zyon Grand <leads@zyongrand.example>"),
        ("ROUTES_FILE", routes.path().to_str().expect("UTF-8")),
        ("SITE_URL", "https://zyongrand.example"),
        ("CRM_URL", "http://127.0.0.1:1"),
        ("CRM_TOKEN", "token"),
        ("VISITOR_REPLY_TO", "hello@zyongrand.example"),
        ("WITHDRAWAL_KEYS", testkit::crm::WITHDRAWAL_KEYS),
    ];
    let variables = usual.iter().chain(variables).copied();
    Command::new(env!("CARGO_BIN_EXE_notifier"))
        .arg(command)
        .env_clear()
        .envs(variables)
        .output()
        .expect("the binary")
}

/// The error of `check-config` with these variables.
fn refusal(variables: &[(&str, &str)]) -> String {
    let output = run("check-config", variables);
    assert_eq!(output.status.code(), Some(64), "{variables:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn remote_crm_requires_tls() {
    let message = refusal(&[("SMTP_TLS", "none")]);
    assert!(
        message.contains("SMTP_TLS=none would send leads to mail.example unencrypted"),
        "{message}"
    );
}

#[test]
fn rejects_invalid_settings_without_secrets() {
    let invalid = routes("default = [\"a@b.co\"]\n[[route]]\ninterests = [\"everything\"]\n");
    let invalid = invalid.path().to_str().unwrap();
    for (name, value, part) in [
        ("SMTP_HOST", "", "--smtp-host <SMTP_HOST>"),
        (
            "SMTP_TLS",
            "maybe",
            "[possible values: none, starttls, implicit]",
        ),
        ("SMTP_PORT", "many", "'many' for '--smtp-port <SMTP_PORT>'"),
        ("SMTP_PASSWORD", "hidden", "--smtp-username <SMTP_USERNAME>"),
        ("SMTP_USERNAME", "me", "--smtp-password <SMTP_PASSWORD>"),
        ("MAIL_FROM", "nobody", "--mail-from <MAIL_FROM>"),
        (
            "ROUTES_FILE",
            "/nowhere/routes.toml",
            "'--routes-file <ROUTES_FILE>': cannot be read",
        ),
        ("ROUTES_FILE", invalid, "line 3, column 14"),
        (
            "ROUTES_FILE",
            invalid,
            "unknown variant `everything`, expected one of `brochure`, `purchase`, `showflat`",
        ),
        ("SITE_URL", "zyongrand", "--site-url <SITE_URL>"),
        ("TIME_ZONE", "Singapore/Asia", "--time-zone <TIME_ZONE>"),
        ("VISITOR_CONFIRMATION", "yes", "[possible values: on, off]"),
        (
            "VISITOR_EMAILS_PER_DAY",
            "0",
            "--visitor-emails-per-day <VISITOR_EMAILS_PER_DAY>",
        ),
        (
            "PENDING_GRACE_SECONDS",
            "6",
            "--pending-grace-seconds <PENDING_GRACE_SECONDS>",
        ),
        (
            "DAILY_SUMMARY_AT",
            "half past eight",
            "--daily-summary-at <DAILY_SUMMARY_AT>",
        ),
        ("AMQP_URL", "hidden", "'--amqp-url <AMQP_URL>': "),
        (
            "WITHDRAWAL_KEYS",
            "hidden",
            "'--withdrawal-keys <WITHDRAWAL_KEYS>': ",
        ),
    ] {
        let message = refusal(&[(name, value)]);
        assert!(
            message.contains(part) && !message.contains("hidden"),
            "{part} is not in\n{message}"
        );
    }
}

#[test]
fn requires_a_reply_address() {
    let variables = [
        ("LOG_FORMAT", "json"),
        ("VISITOR_REPLY_TO", ""),
        ("MAIL_CATCHER_HOST", "mail.example"),
    ];
    let deliver = run("check-config", &variables[..2]);
    let message = String::from_utf8(deliver.stderr).expect("UTF-8");
    assert!(message.contains("VISITOR_REPLY_TO is not set"), "{message}");
    assert_eq!(run("check-config", &variables).status.code(), Some(0));
}

#[test]
fn check_config_prints_settings_without_secrets() {
    let routes = routes(
        r#"
        default = ["sales@zyongrand.example"]
        canary = ["canary@zyongrand.example"]
        [[route]]
        interests = ["purchase"]
        languages = ["zh"]
        recipients = ["mei@zyongrand.example", "desk@zyongrand.example"]
        "#,
    );
    let output = run(
        "check-config",
        &[
            ("ROUTES_FILE", routes.path().to_str().unwrap()),
            ("SMTP_USERNAME", "leads"),
            ("SMTP_PASSWORD", "a secret"),
            ("CRM_TOKEN", "another-secret"),
            ("DAILY_SUMMARY_AT", "08:30"),
            ("MAIL_CATCHER_HOST", "mail.example"),
        ],
    );
    assert_eq!(output.status.code(), Some(0));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(!printed.contains("secret"), "{printed}");
    for line in [
        "SMTP_HOST                    mail.example",
        "SMTP_TLS                     starttls (default)",
        "SMTP_PASSWORD                set, not shown",
        "MAGIC_LINK_KEYS              not set",
        "emails are not delivered: SMTP_HOST is the mail catcher",
        "  canaries      canary@zyongrand.example",
        "  purchase  en  sales@zyongrand.example",
        "  purchase  zh  mei@zyongrand.example, desk@zyongrand.example",
    ] {
        assert!(
            printed.lines().any(|found| found == line),
            "{line} is not in\n{printed}"
        );
    }
}

#[test]
fn reserved_domains_are_not_looked_up() {
    let output = run("check-config", &[]);
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        printed.contains("zyongrand.example is a reserved domain without records"),
        "{printed}"
    );
}
