//! From lead to mail to everybody knowing, on the real broker.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::support::{full, sender};
use contracts::leads::v1::{LeadNotified, LeadSubmitted};
use messaging::{Batching, Consumer, Delivery, Event, Handler, Publisher, Settings, Verdict, topology};
use notifier::{
    app,
    config::Config,
    handler::Notifier,
    smtp::{self, Mailer, Patience, TlsMode},
};
use runtime::service::Context;
use testkit::{
    broker::Vhost,
    proxy::Proxy,
    smtp::{At, Fault, SmtpServer, Times},
    wait,
};

const FIRST: &str = "first@zyongrand.example";
const SECOND: &str = "second@zyongrand.example";

fn another() -> LeadSubmitted {
    LeadSubmitted { lead_id: "00000000-0000-5000-8000-000000000001".to_owned(), ..full() }
}

fn smtp_settings(server: &SmtpServer) -> smtp::Settings {
    smtp::Settings {
        host: server.address().ip().to_string(),
        port: server.address().port(),
        tls: TlsMode::None,
        login: None,
        patience: Patience { connect: Duration::from_secs(10), send: Duration::from_secs(20) },
    }
}

/// Listens where the CRM would.
#[derive(Clone, Default)]
struct Everybody(Arc<Mutex<Vec<LeadNotified>>>);

impl Handler for Everybody {
    async fn handle(&self, batch: &[Delivery]) -> Vec<Verdict> {
        let mut known = self.0.lock().expect("no panic before");
        for delivery in batch {
            match &delivery.event {
                Event::LeadNotified(event) => known.push(event.clone()),
                Event::LeadSubmitted(_) => {}
            }
        }
        vec![Verdict::Done; batch.len()]
    }
}

/// A notifier that mails two recipients, between a broker and a mail server.
struct System {
    vhost: Vhost,
    smtp: SmtpServer,
    publisher: Publisher,
    everybody: Everybody,
    context: Context,
}

impl System {
    async fn start() -> Self {
        let (vhost, smtp) = (Vhost::create().await, SmtpServer::start().await.expect("a port"));
        let (context, _) = testkit::context("notifier");
        let broker = Settings::new(vhost.url().into());
        let publisher = Publisher::start(broker.clone(), &context);
        let everybody = Everybody::default();
        Consumer {
            subscription: topology::CRM_SYNC,
            batching: Batching { size: 1, wait: Duration::ZERO, concurrency: 1 },
            handler: everybody.clone(),
        }
        .start(broker.clone(), publisher.clone(), &context);
        let config = Config {
            broker,
            smtp: smtp_settings(&smtp),
            sender: sender(),
            recipients: format!("{FIRST},{SECOND}").parse().expect("addresses"),
        };
        app::start(config, &context).expect("no TLS to set up");
        wait::until("the queues", async || vhost.has_queue("notifier.parked").await).await;
        Self { vhost, smtp, publisher, everybody, context }
    }

    async fn submit(&self, event: LeadSubmitted) {
        wait::until("the broker to take a lead", async || {
            self.publisher.publish(&Event::LeadSubmitted(event.clone()), None).await.is_ok()
        })
        .await;
    }

    /// Waits until everybody knows of this many recipients told, and returns who knows what, in order.
    async fn notified(&self, count: usize) -> Vec<LeadNotified> {
        wait::for_some(&format!("{count} notifications"), async || {
            let known = self.everybody.0.lock().expect("no panic before").clone();
            (known.len() == count).then_some(known)
        })
        .await
    }

    fn mailed(&self) -> Vec<String> {
        let mut to: Vec<_> = self.smtp.mails().into_iter().flat_map(|mail| mail.to).collect();
        to.sort();
        to
    }

    /// Waits until a line of the metrics begins so.
    async fn counted(&self, line: &str) {
        wait::until(line, async || {
            let metrics = String::from_utf8(self.context.metrics.encode().expect("metrics")).expect("UTF-8");
            metrics.lines().any(|metric| metric.starts_with(line))
        })
        .await;
    }
}

#[tokio::test]
async fn every_recipient_is_told_and_everybody_knows() {
    let system = System::start().await;
    system.submit(full()).await;
    let notified = system.notified(2).await;
    assert_eq!(notified.iter().map(|event| event.recipient.as_str()).collect::<Vec<_>>(), [FIRST, SECOND]);
    assert_eq!(system.mailed(), [FIRST, SECOND]);
    for (event, mail) in notified.iter().zip(system.smtp.mails()) {
        let message = mail_parser::MessageParser::default().parse(&mail.raw).unwrap();
        assert_eq!(event.mail_message_id, format!("<{}>", message.message_id().unwrap()));
        assert_eq!(event.server_reply, format!("250 2.0.0 Ok: queued for {}", event.recipient));
        assert_eq!(event.lead_id, full().lead_id);
        assert_eq!(event.reference, "ZG-7F3K-2Q");
        assert_eq!(event.notified_at.unwrap().seconds, testkit::start_of_time().timestamp());
        assert_eq!(message.subject(), Some("Showflat preview · 陈伟 · ZG-7F3K-2Q"));
    }
    system.counted("notifier_mails_total{result=\"accepted\"} 2").await;
}

#[tokio::test]
async fn a_mail_server_that_is_away_is_tried_again() {
    let system = System::start().await;
    system.smtp.refuse_connections().await;
    system.submit(full()).await;
    let waiting = system.vhost.wait_for_messages("notifier.retry.5s", 1).await;
    let headers = &waiting[0]["properties"]["headers"];
    assert_eq!(headers["x-error-class"], "smtp");
    system.smtp.accept_connections().await.unwrap();
    system.notified(2).await;
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn a_recipient_that_is_refused_keeps_nobody_else_from_being_told() {
    let system = System::start().await;
    let unknown = Fault::Answer("550 5.1.1 <first@zyongrand.example> unknown");
    system.smtp.fail(At::Recipient(FIRST), unknown, Times::Always);
    system.submit(full()).await;
    let parked = system.vhost.wait_for_messages("notifier.parked", 1).await;
    let headers = &parked[0]["properties"]["headers"];
    assert_eq!(headers["x-error-class"], "smtp-rejected");
    assert_eq!(
        headers["x-error-detail"],
        "recipient 1 of 2: the mail server refused it for good: 550 to RCPT"
    );
    assert_eq!(system.notified(1).await[0].recipient, SECOND);
    assert_eq!(system.mailed(), [SECOND]);
}

#[tokio::test]
async fn an_event_is_parked_only_when_nobody_is_left_to_be_told() {
    let system = System::start().await;
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("550 5.1.1 unknown"), Times::Always);
    system.smtp.fail(At::Recipient(SECOND), Fault::Answer("450 4.2.1 later"), Times::Once);
    system.submit(full()).await;
    let waiting = system.vhost.wait_for_messages("notifier.retry.5s", 1).await;
    assert_eq!(
        waiting[0]["properties"]["headers"]["x-error-detail"],
        "recipient 2 of 2: RCPT: the server answered 450"
    );
    system.vhost.wait_for_messages("notifier.parked", 1).await;
    assert_eq!(system.mailed(), [SECOND]);
}

#[tokio::test]
async fn who_was_told_is_not_told_again_when_another_is_tried_again() {
    let system = System::start().await;
    system.smtp.fail(At::Recipient(FIRST), Fault::Answer("450 4.2.1 later"), Times::Once);
    system.submit(full()).await;
    let notified = system.notified(2).await;
    assert_eq!(notified.iter().map(|event| event.recipient.as_str()).collect::<Vec<_>>(), [SECOND, FIRST]);
    assert_eq!(system.mailed(), [FIRST, SECOND]);
}

#[tokio::test]
async fn a_lead_that_comes_twice_is_mailed_once() {
    let system = System::start().await;
    system.submit(full()).await;
    system.submit(full()).await;
    system.submit(another()).await;
    system.notified(4).await;
    system.counted("messaging_settled_total{queue=\"notifier.leads\",verdict=\"done\"} 3").await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn a_lead_whose_mail_is_under_way_when_the_broker_goes_is_mailed_once() {
    let system = System::start().await;
    system.smtp.fail(At::Reply, Fault::Silence, Times::Once);
    system.submit(full()).await;
    wait::until("the first mail", async || system.smtp.mails().len() == 1).await;
    system.vhost.close_connections().await;
    // Comes after the first in the queue: when it is mailed, the first was delivered again.
    system.submit(another()).await;
    wait::until("the other lead's mails", async || system.smtp.mails().len() == 3).await;
    system.smtp.heal();
    system.notified(4).await;
    assert_eq!(system.mailed(), [FIRST, FIRST, SECOND, SECOND]);
}

#[tokio::test]
async fn an_event_that_is_no_lead_is_parked() {
    let system = System::start().await;
    system.submit(LeadSubmitted { lead_id: "no UUID".to_owned(), ..full() }).await;
    let parked = system.vhost.wait_for_messages("notifier.parked", 1).await;
    let headers = &parked[0]["properties"]["headers"];
    assert_eq!(headers["x-error-class"], "malformed");
    assert_eq!(headers["x-error-detail"], "lead_id is missing or not valid");
    assert_eq!(system.mailed(), [""; 0]);
}

#[tokio::test]
async fn a_mail_that_could_not_be_published_is_not_sent_again() {
    let (vhost, smtp) = (Vhost::create().await, SmtpServer::start().await.unwrap());
    let proxy = Proxy::start(vhost.target()).await.unwrap();
    let (context, _) = testkit::context("notifier");
    let publisher = Publisher::start(Settings::new(vhost.url_through(proxy.address()).into()), &context);
    let mailer = Mailer::new(smtp_settings(&smtp), 1).unwrap();
    let notifier = Notifier::new(sender(), FIRST.parse().unwrap(), mailer, publisher, &context);
    let lead = [Delivery { event: Event::LeadSubmitted(full()), trace: None, attempt: 1 }];

    proxy.cut();
    let verdicts = notifier.handle(&lead).await;
    let [Verdict::Retry(reason)] = &verdicts[..] else { panic!("{verdicts:?}") };
    assert_eq!(reason.class, "publish");
    proxy.restore();
    wait::until("the broker to be back", async || notifier.handle(&lead).await == [Verdict::Done]).await;
    assert_eq!(smtp.mails().len(), 1);
    vhost.take_messages("crm-sync.leads", 1).await;
}
