//! `notifier` as it is started.

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

fn refusal(variables: &[(&str, &str)]) -> String {
    // Refused whatever else is: a check that is lost must not leave a process behind.
    let variables: Vec<_> = [("LOG_FORMAT", "neither")].iter().chain(variables).copied().collect();
    let output = run("serve", &variables);
    assert_eq!(output.status.code(), Some(64));
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn leads_do_not_cross_the_network_unencrypted() {
    let message = refusal(&[("SMTP_TLS", "none")]);
    assert!(message.contains("leads would be sent to mail.example unencrypted"), "{message}");
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let routes = routes("default = [\"b\"]\n[[route]]\ninterests = [\"everything\"]\n");
    let message = refusal(&[
        ("SMTP_HOST", ""),
        ("SMTP_TLS", "maybe"),
        ("SMTP_PORT", "many"),
        ("SMTP_PASSWORD", "secret"),
        ("MAIL_FROM", "nobody"),
        ("ROUTES_FILE", routes.path().to_str().unwrap()),
        ("SITE_URL", "zyongrand"),
        ("TIME_ZONE", "Singapore/Asia"),
        ("VISITOR_CONFIRMATION", "yes"),
        ("VISITOR_EMAILS_PER_DAY", "0"),
        ("DAILY_SUMMARY_AT", "half past eight"),
        ("AMQP_URL", ""),
    ]);
    for part in [
        "SMTP_HOST is not set",
        "SMTP_TLS=\"maybe\": must be `none`, `starttls` or `implicit`",
        "SMTP_PORT=\"many\"",
        "SMTP_PASSWORD is set and SMTP_USERNAME is not",
        "MAIL_FROM=\"nobody\"",
        "line 1: \"b\" is not an ASCII email address",
        "line 2: this route has no `recipients`",
        "line 3: \"everything\" is unknown",
        "SITE_URL=\"zyongrand\"",
        "TIME_ZONE=\"Singapore/Asia\"",
        "VISITOR_CONFIRMATION=\"yes\": must be `on` or `off`",
        "VISITOR_EMAILS_PER_DAY=\"0\"",
        "DAILY_SUMMARY_AT=\"half past eight\": must be a time of day, e.g. 08:30",
        "neither AMQP_URL nor AMQP_URL_FILE is set",
    ] {
        assert!(message.contains(part), "{part} is not in\n{message}");
    }
    assert!(!message.contains("secret"), "{message}");
}

#[test]
fn delivered_emails_need_an_address_for_replies() {
    let variables = [("LOG_FORMAT", "json"), ("VISITOR_REPLY_TO", ""), ("MAIL_CATCHER_HOST", "mail.example")];
    let deliver = run("check-config", &variables[..2]);
    let message = String::from_utf8(deliver.stderr).expect("UTF-8");
    assert!(message.contains("VISITOR_REPLY_TO is not set"), "{message}");
    assert_eq!(run("check-config", &variables).status.code(), Some(0));
}

#[test]
fn a_name_without_a_password_is_refused() {
    assert!(refusal(&[("SMTP_USERNAME", "me")]).contains("set both or neither"));
}

#[test]
fn help_lists_every_variable() {
    let output = Command::new(env!("CARGO_BIN_EXE_notifier")).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    for name in [
        "AMQP_URL",
        "SMTP_HOST",
        "SMTP_PORT",
        "SMTP_TLS",
        "SMTP_USERNAME",
        "SMTP_PASSWORD",
        "SMTP_TIMEOUT_SECONDS",
        "MAIL_CATCHER_HOST",
        "MAIL_FROM",
        "ROUTES_FILE",
        "SITE_URL",
        "TIME_ZONE",
        "VISITOR_CONFIRMATION",
        "VISITOR_EMAILS_PER_DAY",
        "VISITOR_EMAILS_PER_HOUR",
        "VISITOR_BOUNCES_TO",
        "VISITOR_REPLY_TO",
        "WITHDRAWAL_KEYS",
        "DAILY_SUMMARY_AT",
        "CRM_URL",
        "CRM_TOKEN",
        "RETRY_DELAYS",
        "PENDING_GRACE_SECONDS",
        "ADMIN_ADDR",
        "LOG_FORMAT",
    ] {
        assert!(help.contains(&format!("\n  {name} ")), "{name} is not in\n{help}");
    }
}

#[test]
fn check_config_says_what_was_understood_and_no_secret() {
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
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!said.contains("secret"), "{said}");
    insta::assert_snapshot!(said, @r"
    sender             Zyon Grand <leads@zyongrand.example>
    mail server        mail.example:587, starttls (mail catcher: emails are not delivered)
    site               https://zyongrand.example
    time zone          Asia/Singapore
    visitor emails     confirmations and brochures, at most 3 a day to one address, 300 an hour in total
    daily summary      at 08:30 to sales@zyongrand.example
    canaries           to canary@zyongrand.example
    recipients of a lead with one interest, by interest and language:
      brochure  en  sales@zyongrand.example
      brochure  zh  sales@zyongrand.example
      purchase  en  sales@zyongrand.example
      purchase  zh  mei@zyongrand.example, desk@zyongrand.example
      showflat  en  sales@zyongrand.example
      showflat  zh  sales@zyongrand.example
    ");
}

#[test]
fn check_config_refuses_what_serve_would() {
    let output = run("check-config", &[("ROUTES_FILE", "/nowhere/routes.toml")]);
    assert_eq!(output.status.code(), Some(64));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("ROUTES_FILE=/nowhere/routes.toml: cannot be read"), "{said}");
}
