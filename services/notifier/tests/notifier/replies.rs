//! Replies of real mail servers.

use std::str::FromStr;

use notifier::smtp::ReplyClass;
use serde::Deserialize;
use testkit::smtp::{At, Fault, SmtpServer, Times};

use crate::{
    smtp::mailer_to,
    support::{full, mail_about},
};

#[derive(Deserialize)]
struct Corpus {
    reply: Vec<Reply>,
}

#[derive(Deserialize)]
struct Reply {
    provider: String,
    to: String,
    text: String,
    class: String,
    source: String,
}

impl Reply {
    fn at(&self) -> Option<At> {
        match self.to.as_str() {
            "greeting" => Some(At::Greeting),
            "sender" => Some(At::Sender),
            "recipient" => Some(At::Recipient("sales@zyongrand.example")),
            "content" => Some(At::Content),
            _ => None,
        }
    }
}

fn corpus() -> Vec<Reply> {
    let text = include_str!("../replies/replies.toml");
    toml::from_str::<Corpus>(text).expect("a corpus").reply
}

#[tokio::test]
async fn replies_of_real_servers_have_their_class() {
    let server = SmtpServer::start().await.unwrap();
    let mail = mail_about(&full());
    let mut misread = Vec::new();
    for reply in corpus() {
        // Without an idle connection, so the greeting is read too.
        let mailer = mailer_to(&server);
        let text: &'static str = reply.text.replace('\n', "\r\n").leak();
        let at = reply.at().expect(&reply.to);
        server.fail(at, Fault::Answer(text), Times::Once);
        let error = mailer.send(&mail).await.unwrap_err();
        let expected = ReplyClass::from_str(&reply.class).expect(&reply.class);
        if error.class != expected {
            misread.push(format!(
                "{}: {:?} is {expected}, not {}",
                reply.provider, reply.text, error.class
            ));
        }
        server.heal();
    }
    assert!(
        misread.is_empty(),
        "{} misread:\n{}",
        misread.len(),
        misread.join("\n")
    );
}

#[test]
fn corpus_has_many_providers_with_sources_and_every_class() {
    let replies = corpus();
    let count = |of: fn(&Reply) -> &str| {
        let values: std::collections::BTreeSet<_> = replies.iter().map(of).collect();
        values.len()
    };
    assert!(replies.len() >= 60);
    assert!(count(|it| &it.provider) >= 10);
    assert!(count(|it| &it.text) == replies.len());
    assert_eq!(count(|it| &it.class), 5);
    assert!(replies.iter().all(|it| it.source.starts_with("http")));
}
