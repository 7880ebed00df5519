//! Sending to a mail server with faults.

use std::time::Duration;

use crate::support::{full, mail_about, mail_context, sender};
use lettre::Address;
use notifier::{
    mail::{self, Mail},
    smtp::{Mailer, ReplyClass, Settings, TlsMode},
};
use testkit::smtp::{At, Fault, SmtpServer, Times};

fn settings(server: &SmtpServer) -> Settings {
    Settings {
        smtp_host: server.address().ip().to_string(),
        smtp_port: Some(server.address().port()),
        smtp_tls: TlsMode::None,
        smtp_hello: None,
        smtp_username: None,
        smtp_password: None,
        mail_catcher_host: None,
        smtp_timeout_seconds: Duration::from_secs(20),
    }
}

/// A mailer without login.
pub(crate) fn mailer_to(server: &SmtpServer) -> Mailer {
    mailer(settings(server))
}

fn mailer(settings: Settings) -> Mailer {
    Mailer::new(settings, sender().email).expect("no TLS to set up")
}

/// A mailer with username and password.
fn mailer_with_login(server: &SmtpServer) -> Mailer {
    let smtp_username = Some("notifier".to_owned());
    mailer(Settings {
        smtp_username,
        smtp_password: Some("secret".into()),
        ..settings(server)
    })
}

/// The server's reply or the error.
async fn outcome(mailer: &Mailer, mail: &Mail) -> String {
    mailer
        .send(mail)
        .await
        .unwrap_or_else(|error| error.to_string())
}

#[tokio::test]
async fn sends_exact_bytes_and_keeps_the_reply() {
    let server = SmtpServer::start().await.unwrap();
    let mut event = full();
    event.questions = ".\n..\n.leading dots".to_owned();
    let mail = mail_about(&event);
    let reply = mailer(settings(&server)).send(&mail).await.unwrap();
    assert_eq!(reply, "250 2.0.0 Ok: queued for sales@zyongrand.example");
    let [received] = &server.emails()[..] else {
        panic!("expected one email")
    };
    assert_eq!(
        (received.client.as_str(), received.from.as_str()),
        ("zyongrand.example", "leads@zyongrand.example")
    );
    assert_eq!(received.to, ["sales@zyongrand.example"]);
    assert_eq!(received.raw.trim_ascii_end(), mail.bytes.trim_ascii_end());
}

#[tokio::test]
async fn connection_is_reused() {
    let server = SmtpServer::start().await.unwrap();
    let mailer = mailer(settings(&server));
    for _ in 0..3 {
        mailer.send(&mail_about(&full())).await.unwrap();
    }
    assert_eq!((server.emails().len(), server.connections()), (3, 1));
}

#[tokio::test]
async fn dead_idle_connection_is_replaced() {
    let server = SmtpServer::start().await.unwrap();
    let mailer = mailer(settings(&server));
    mailer.send(&mail_about(&full())).await.unwrap();
    server.refuse_connections().await;
    server.accept_connections().await.unwrap();
    mailer.send(&mail_about(&full())).await.unwrap();
    assert_eq!((server.emails().len(), server.connections()), (2, 2));
    server.fail(
        At::Sender,
        Fault::Answer("421 4.4.2 idle for too long"),
        Times::Once,
    );
    mailer.send(&mail_about(&full())).await.unwrap();
    assert_eq!((server.emails().len(), server.connections()), (3, 3));
}

#[tokio::test]
async fn unavailable_server_is_retried() {
    let server = SmtpServer::start().await.unwrap();
    let mailer = mailer(settings(&server));
    let mail = mail_about(&full());
    server.fail(At::Reply, Fault::HangUp, Times::Once);
    assert!(outcome(&mailer, &mail).await.starts_with("DATA: "));
    server.fail(At::Greeting, Fault::HangUp, Times::Once);
    assert!(
        outcome(&mailer, &mail)
            .await
            .starts_with("connecting to the mail server: ")
    );
    server.refuse_connections().await;
    assert_eq!(
        outcome(&mailer, &mail).await,
        "connecting to the mail server: connection refused"
    );
    server.accept_connections().await.unwrap();
    mailer.send(&mail).await.unwrap();
}

#[tokio::test]
async fn late_reply_does_not_answer_the_next_email() {
    let server = SmtpServer::start().await.unwrap();
    let mailer = mailer(Settings {
        smtp_timeout_seconds: Duration::from_millis(200),
        ..settings(&server)
    });
    server.fail(At::Reply, Fault::Silence, Times::Once);
    assert_eq!(
        outcome(&mailer, &mail_about(&full())).await,
        "sending the email: timed out"
    );
    server.heal();
    let other: Address = "other@zyongrand.example".parse().unwrap();
    let lead = full().try_into().unwrap();
    let mail = mail::sales(
        &lead,
        &mail::RelatedLeads::default(),
        &other,
        None,
        &mail_context(),
        testkit::start_of_time(),
    )
    .unwrap();
    assert_eq!(
        outcome(&mailer, &mail).await,
        "250 2.0.0 Ok: queued for other@zyongrand.example"
    );
}

#[tokio::test]
async fn server_without_greeting_times_out() {
    let server = SmtpServer::start().await.unwrap();
    server.fail(At::Greeting, Fault::Silence, Times::Always);
    let mailer = mailer(Settings {
        smtp_timeout_seconds: Duration::from_millis(400),
        ..settings(&server)
    });
    let outcome = outcome(&mailer, &mail_about(&full())).await;
    assert_eq!(outcome, "connecting to the mail server: timed out");
}

#[tokio::test]
async fn never_sends_without_required_encryption() {
    let server = SmtpServer::start().await.unwrap();
    for (smtp_tls, step) in [
        (TlsMode::Starttls, "encrypting"),
        (TlsMode::Implicit, "connecting"),
    ] {
        let mailer = mailer(Settings {
            smtp_tls,
            ..settings(&server)
        });
        let outcome = outcome(&mailer, &mail_about(&full())).await;
        assert!(outcome.starts_with(step), "{outcome}");
    }
    assert_eq!(server.emails().len(), 0);
}

#[tokio::test]
async fn classifies_server_and_email_failures() {
    use ReplyClass::{BadAddress, MailboxFull, SenderRefused, ServerDown, TryLater};
    const CONNECT: &str = "connecting to the mail server";
    const LOG_IN: &str = "logging in at the mail server";
    let server = SmtpServer::start().await.unwrap();
    let mailer = mailer_with_login(&server);
    let mail = mail_about(&full());
    let recipient = At::Recipient("sales@zyongrand.example");
    for (at, reply, class, step, note) in [
        (At::Greeting, "554 no service", ServerDown, CONNECT, ""),
        (
            At::Greeting,
            "421 too many connections",
            ServerDown,
            CONNECT,
            "",
        ),
        (At::Login, "535 5.7.8 no", ServerDown, LOG_IN, ""),
        (At::Login, "454 4.7.0 later", ServerDown, LOG_IN, ""),
        (At::Sender, "550 5.7.1 not you", ServerDown, "MAIL", ""),
        (recipient, "421 4.3.2 closing", ServerDown, "RCPT", ""),
        (recipient, "530 5.7.0 log in first", ServerDown, "RCPT", ""),
        (recipient, "450 4.2.1 later", TryLater, "RCPT", ""),
        (
            recipient,
            "552 5.2.2 full",
            MailboxFull,
            "RCPT",
            ": mailbox full",
        ),
        (
            recipient,
            "550 5.1.1 <sales@zyongrand.example> unknown",
            BadAddress,
            "RCPT",
            ": address does not exist",
        ),
        (
            recipient,
            "554 5.7.1 blocked",
            SenderRefused,
            "RCPT",
            ": sender refused",
        ),
        (
            recipient,
            "550 5.4.5 daily quota exceeded",
            SenderRefused,
            "RCPT",
            ": sender refused",
        ),
        (At::Content, "421 4.3.2 closing", ServerDown, "DATA", ""),
        (At::Content, "451 4.3.0 try later", TryLater, "DATA", ""),
        (At::Content, "354 still waiting", TryLater, "DATA", ""),
        (
            At::Content,
            "550 5.4.5 daily quota exceeded",
            SenderRefused,
            "DATA",
            ": sender refused",
        ),
        (At::Content, "554 5.7.1 spam", TryLater, "DATA", ""),
        (At::Content, "554 5.6.0 spam", TryLater, "DATA", ""),
    ] {
        server.fail(at, Fault::Answer(reply), Times::Once);
        let error = mailer.send(&mail).await.unwrap_err();
        let is_code = |word: &&str| word.bytes().all(|it| it == b'.' || it.is_ascii_digit());
        let codes: Vec<_> = reply.split(' ').take_while(is_code).collect();
        let expected = format!("{step}: server replied {}{note}", codes.join(" "));
        assert_eq!(
            (error.class, error.to_string()),
            (class, expected),
            "{reply}"
        );
    }
    for (at, class) in [
        (At::Greeting, ServerDown),
        (At::Login, ServerDown),
        (At::Sender, TryLater),
        (At::Content, TryLater),
    ] {
        server.fail(at, Fault::HangUp, Times::Once);
        let error = mailer.send(&mail).await.unwrap_err();
        assert_eq!(error.class, class, "{error}");
    }
    server.refuse_connections().await;
    assert_eq!(mailer.send(&mail).await.unwrap_err().class, ServerDown);
    assert_eq!(server.emails().len(), 0);
    server.accept_connections().await.unwrap();
    mailer.send(&mail).await.unwrap();
}

#[tokio::test]
async fn probe_checks_the_server_without_an_email() {
    let server = SmtpServer::start().await.unwrap();
    let mailer = mailer_with_login(&server);
    mailer.probe().await.unwrap();
    for (at, reply) in [
        (At::Greeting, "554 no service"),
        (At::Login, "535 5.7.8 no"),
        (At::Sender, "550 5.7.1 not you"),
    ] {
        server.fail(at, Fault::Answer(reply), Times::Once);
        assert_eq!(
            mailer.probe().await.unwrap_err().class,
            ReplyClass::ServerDown,
            "{reply}"
        );
    }
    assert_eq!(server.emails().len(), 0);
}
