//! `notifier` as it is started.

use std::process::{Command, Output};

fn serve(variables: &[(&str, &str)]) -> Output {
    let usual = [
        ("AMQP_URL", "amqp://127.0.0.1:1/%2f"),
        ("SMTP_HOST", "mail.example"),
        ("MAIL_FROM", "Zyon Grand <leads@zyongrand.example>"),
        ("SALES_RECIPIENTS", "sales@zyongrand.example"),
        ("CRM_URL", "http://127.0.0.1:1"),
        ("CRM_TOKEN", "token"),
        // Refused whatever else is: a check that is lost must not leave a process behind.
        ("LOG_FORMAT", "neither"),
    ];
    let variables = usual.iter().chain(variables).copied();
    Command::new(env!("CARGO_BIN_EXE_notifier"))
        .arg("serve")
        .env_clear()
        .envs(variables)
        .output()
        .expect("the binary")
}

fn refusal(variables: &[(&str, &str)]) -> String {
    let output = serve(variables);
    assert_eq!(output.status.code(), Some(64));
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn leads_do_not_cross_the_network_unencrypted() {
    let message = refusal(&[("SMTP_TLS", "none")]);
    assert!(message.contains("leads would cross the network to mail.example unencrypted"), "{message}");
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let message = refusal(&[
        ("SMTP_HOST", ""),
        ("SMTP_TLS", "maybe"),
        ("SMTP_PORT", "many"),
        ("SMTP_PASSWORD", "secret"),
        ("MAIL_FROM", "nobody"),
        ("SALES_RECIPIENTS", "a@x.co,b,c"),
        ("AMQP_URL", ""),
    ]);
    for part in [
        "SMTP_HOST is not set",
        "SMTP_TLS=\"maybe\": must be `none`, `starttls` or `implicit`",
        "SMTP_PORT=\"many\"",
        "SMTP_PASSWORD is set and SMTP_USERNAME is not",
        "MAIL_FROM=\"nobody\"",
        "not e-mail addresses in ASCII: \"b\", \"c\"",
        "neither AMQP_URL nor AMQP_URL_FILE is set",
    ] {
        assert!(message.contains(part), "{part} is not in\n{message}");
    }
    assert!(!message.contains("secret"), "{message}");
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
        "MAIL_FROM",
        "SALES_RECIPIENTS",
        "CRM_URL",
        "CRM_TOKEN",
        "UNTOLD_AFTER_SECONDS",
        "ADMIN_ADDR",
        "LOG_FORMAT",
    ] {
        assert!(help.contains(&format!("\n  {name} ")), "{name} is not in\n{help}");
    }
}
