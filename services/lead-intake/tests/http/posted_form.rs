//! Tests the no-JavaScript form.

use std::time::Duration;

use contracts::leads::v1::{ContactChannel, Interest, Language, SpamSignal};
use lead::privacy_policy;
use reqwest::{Client, RequestBuilder, Response, redirect::Policy};
use testkit::broker::Vhost;

use crate::support::{Intake, Setup, error, published};

const PATH: &str = "/functions/v1/posted-form?lang=zh";

/// 101 characters.
const LONG: &str = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

/// The fields of the form, with changes.
fn fields(changes: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    let whole = [
        ("name", " 陈伟 "),
        ("mobile", "+65 9123 4567"),
        ("email", "chen@example.com"),
        ("questions", "有三房吗？\r\n🏙️"),
        ("antiSpam", "7"),
        ("privacyAccepted", "on"),
        ("privacyPolicyVersion", privacy_policy::current()),
        ("website", ""),
    ];
    let value = |(field, value)| {
        changes
            .iter()
            .find(|(it, _)| *it == field)
            .map_or(value, |(_, it)| *it)
    };
    let kept = whole
        .into_iter()
        .map(|it| (it.0, value(it)))
        .filter(|(_, value)| *value != "absent");
    [("interests", "showflat"), ("interests", "brochure")]
        .into_iter()
        .chain(kept)
        .collect()
}

fn browser() -> Client {
    Client::builder().redirect(Policy::none()).build().unwrap()
}

fn post(intake: &Intake, changes: &[(&'static str, &'static str)]) -> RequestBuilder {
    posting(intake, fields(changes))
}

fn posting<'a>(
    intake: &Intake,
    fields: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> RequestBuilder {
    let body = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let request = browser()
        .post(format!("http://{}{PATH}", intake.address))
        .body(body);
    request.header("Content-Type", "application/x-www-form-urlencoded")
}

/// Starts a session and returns its cookie.
async fn cookie(intake: &Intake) -> String {
    let address = format!("http://{}/functions/v1/form-session", intake.address);
    let answer = browser().get(&address).send().await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["content-type"]),
        (200, &"image/gif".parse().unwrap())
    );
    let cookie = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
    let (value, rest) = cookie.split_once(';').unwrap();
    assert_eq!(
        rest,
        " Path=/functions/v1; Max-Age=3600; HttpOnly; SameSite=Strict"
    );
    let again = browser()
        .get(&address)
        .header("Cookie", value)
        .send()
        .await
        .unwrap();
    assert!(
        !again.headers().contains_key("set-cookie"),
        "an existing session is not replaced"
    );
    let https = browser()
        .get(&address)
        .header("X-Forwarded-Proto", "https")
        .send()
        .await
        .unwrap();
    assert!(
        https.headers()["set-cookie"]
            .to_str()
            .unwrap()
            .ends_with("; SameSite=Strict; Secure")
    );
    value.to_owned()
}

fn location(answer: &Response) -> String {
    assert_eq!(answer.status(), 303);
    answer.headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn form_has_plan_and_visit_times() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let cookie = cookie(&intake).await;
    let send = async |plan| {
        let choices = [
            ("plan", plan),
            ("times", "weekend-mornings"),
            ("times", "weekday-evenings"),
            ("times", "tomorrow"),
        ];
        let form = fields(&[]).into_iter().chain(choices);
        let answer = posting(&intake, form)
            .header("Cookie", &cookie)
            .send()
            .await
            .unwrap();
        location(&answer)
    };
    let first = send("B2").await;
    assert_eq!(send("B2").await, first, "the same form is the same lead");
    assert_ne!(send("C2N").await, first, "another plan is another lead");
    assert_ne!(send("E9").await, first, "an unknown plan is none");

    let leads = published(&vhost, 4).await;
    let plans: Vec<_> = leads.iter().map(|(_, lead)| lead.plan.as_str()).collect();
    assert_eq!(plans, ["B2", "B2", "C2N", ""]);
    for (_, lead) in &leads {
        assert_eq!(lead.visit_times, ["weekday-evenings", "weekend-mornings"]);
    }
}

#[tokio::test]
async fn form_has_the_homes_that_the_visitor_looks_for() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let cookie = cookie(&intake).await;
    let send = async |homes: &[&'static str]| {
        let homes = homes.iter().map(|id| ("homes", *id));
        let form = fields(&[]).into_iter().chain(homes);
        let request = posting(&intake, form).header("Cookie", &cookie);
        location(&request.send().await.unwrap())
    };
    let first = send(&["own-use", "3-bedroom"]).await;
    let repeated = send(&["3-bedroom", "villa", "own-use"]).await;
    assert_eq!(repeated, first, "the order of the boxes is no change");
    assert_ne!(send(&["3-bedroom"]).await, first);
    assert_ne!(send(&[]).await, first);

    let leads = published(&vhost, 4).await;
    let homes = leads
        .iter()
        .map(|(_, lead)| lead.home_preferences.join(", "));
    assert_eq!(
        homes.collect::<Vec<_>>(),
        ["3-bedroom, own-use", "3-bedroom, own-use", "3-bedroom", ""]
    );
}

#[tokio::test]
async fn plan_of_the_address_is_the_plan_without_javascript() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let send = async |page: &str, plan: &'static str| {
        let form = fields(&[]).into_iter().chain([("plan", plan)]);
        let answer = posting(&intake, form).header("Referer", page).send();
        location(&answer.await.unwrap());
    };
    send("https://zyongrand.example/?lang=zh&ask=C2N,brochure", "").await;
    send("https://zyongrand.example/?ask=brochure,D1,A1", "").await;
    send("https://zyongrand.example/?ask=showflat", "").await;
    send("https://zyongrand.example/?ask=E9", "").await;
    send("https://zyongrand.example/?ask=C2N", "B1").await;
    let leads = published(&vhost, 5).await;
    let plans: Vec<_> = leads.iter().map(|(_, lead)| lead.plan.as_str()).collect();
    assert_eq!(plans, ["C2N", "D1", "", "", "B1"]);
}

#[tokio::test]
async fn times_without_the_show_flat_are_no_times() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let form = fields(&[])
        .into_iter()
        .filter(|field| *field != ("interests", "showflat"));
    let answer = posting(&intake, form.chain([("times", "weekend-mornings")]));
    location(&answer.send().await.unwrap());
    let leads = published(&vhost, 1).await;
    assert!(leads[0].1.visit_times.is_empty());
}

#[tokio::test]
async fn no_javascript_form_makes_a_lead() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let cookie = cookie(&intake).await;
    intake.clock.advance(Duration::from_secs(90));
    let answer = post(&intake, &[])
        .header("Cookie", format!("lang=zh; {cookie}"))
        .send()
        .await
        .unwrap();
    let published = published(&vhost, 1).await;
    let (_, lead) = &published[0];
    let target = location(&answer);
    let start = format!("/registered?reference={}&", lead.reference);
    assert!(
        target.starts_with(&start) && target.ends_with("&lang=zh"),
        "{target}"
    );
    assert_eq!(
        (lead.name.as_str(), lead.mobile.as_str()),
        ("陈伟", "+65 9123 4567")
    );
    assert_eq!(
        (lead.email.as_str(), lead.questions.as_str()),
        ("chen@example.com", "有三房吗？\n🏙️")
    );
    assert_eq!(
        lead.interests().collect::<Vec<_>>(),
        [Interest::Brochure, Interest::Showflat]
    );
    assert_eq!(
        (lead.language(), lead.privacy_policy_version.as_str()),
        (Language::Zh, privacy_policy::current())
    );
    let start = testkit::start_of_time().timestamp();
    assert_eq!(
        lead.session.as_ref().unwrap().started_at.unwrap().seconds,
        start
    );
    assert_eq!(lead.submitted_at.unwrap().seconds, start + 90);
    assert_eq!(lead.signals().count(), 0);
}

#[tokio::test]
async fn form_posted_twice_is_one_lead() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let cookie = cookie(&intake).await;
    let send = async |changes, cookie: &str| {
        location(
            &post(&intake, changes)
                .header("Cookie", cookie)
                .send()
                .await
                .unwrap(),
        )
    };
    let first = send(&[], &cookie).await;
    assert_eq!(send(&[], &cookie).await, first);
    assert_ne!(send(&[("name", "李")], &cookie).await, first);
    let without = send(&[], "").await;
    assert_eq!(
        send(&[], "").await,
        without,
        "without a cookie, the key is the same for a day"
    );
    intake.clock.advance(Duration::from_secs(24 * 60 * 60));
    assert_ne!(send(&[], "").await, without);
}

#[tokio::test]
async fn posted_forms_count_for_their_network() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    for (name, expected) in [("A", false), ("B", false), ("C", false), ("D", true)] {
        let answer = post(&intake, &[("name", name)])
            .header("Visitor-Network", "203.0.113.0/24")
            .send()
            .await;
        assert!(location(&answer.unwrap()).starts_with("/registered?"));
        let (_, lead) = published(&vhost, 1).await.remove(0);
        assert_eq!(lead.session.unwrap().is_network_busy, expected, "{name}");
    }
}

#[tokio::test]
async fn automated_form_is_marked_and_accepted() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let old = cookie(&intake).await;
    intake.clock.advance(Duration::from_secs(60));
    let fresh = cookie(&intake).await;
    for (changes, cookie, signals) in [
        (
            &[("website", "https://buy.example")][..],
            &old,
            vec![SpamSignal::Trapped],
        ),
        (&[], &fresh, vec![SpamSignal::TooFast]),
    ] {
        let answer = post(&intake, changes)
            .header("Cookie", cookie)
            .send()
            .await
            .unwrap();
        assert!(location(&answer).starts_with("/registered?"));
        let published = published(&vhost, 1).await;
        assert_eq!(published[0].1.signals().collect::<Vec<_>>(), signals);
    }
}

#[tokio::test]
async fn form_without_session_is_not_called_fast() {
    let vhost = Vhost::create().await;
    let broker = &vhost.url_of("lead-intake");
    // With a clock that advances, a visit could start after its form was received.
    let intake = Intake::start_with(Setup {
        broker,
        is_real_time: true,
        ..Setup::default()
    })
    .await;
    let answer = post(&intake, &[])
        .header("Cookie", "form_session=forged")
        .send()
        .await
        .unwrap();
    assert!(location(&answer).starts_with("/registered?"));
    let (_, lead) = published(&vhost, 1).await.remove(0);
    assert_eq!(lead.signals().collect::<Vec<_>>(), [SpamSignal::NoSession]);
}

#[tokio::test]
async fn visitor_without_a_channel_gets_a_token_to_agree() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let answer = post(&intake, &[]).send().await.unwrap();
    let target = location(&answer);
    let (_, token) = target.split_once("&token=").unwrap();
    let token = token.strip_suffix("&lang=zh").unwrap();
    let agree = format!(
        "http://{}/functions/v1/agree?token={token}&lang=zh",
        intake.address
    );
    let request = browser()
        .post(agree)
        .header("Content-Type", "application/x-www-form-urlencoded");
    let agreed = request.body("channel=phone").send().await.unwrap();
    assert_eq!(location(&agreed), "/agreed?channel=phone&lang=zh");

    let ticked = fields(&[]).into_iter().chain([("channels", "phone")]);
    let answer = posting(&intake, ticked).send().await.unwrap();
    assert!(!location(&answer).contains("token"));
}

#[tokio::test]
async fn form_posted_with_other_consent_is_another_lead() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let cookie = cookie(&intake).await;
    let consents: [&[&str]; 4] = [
        &["phone"],
        &[],
        &["phone", "message"],
        &["message", "phone"],
    ];
    let mut references = Vec::new();
    for channels in consents {
        let ticked = channels.iter().map(|channel| ("channels", *channel));
        let answer = posting(&intake, fields(&[]).into_iter().chain(ticked))
            .header("Cookie", &cookie)
            .send()
            .await
            .unwrap();
        references.push(location(&answer));
    }
    assert_eq!(
        references[2], references[3],
        "the order of the boxes is no change"
    );
    references.pop();
    references.sort_unstable();
    references.dedup();
    assert_eq!(references.len(), 3);
    let leads = published(&vhost, 4).await;
    let stored: Vec<Vec<ContactChannel>> = leads
        .iter()
        .map(|(_, lead)| lead.channels().collect())
        .collect();
    let phone = ContactChannel::Phone;
    let message = ContactChannel::Message;
    assert_eq!(
        stored,
        [
            vec![phone],
            vec![],
            vec![phone, message],
            vec![phone, message]
        ]
    );
}

#[tokio::test]
async fn lists_mistakes_in_form_order() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let none = [
        ("name", " "),
        ("mobile", "1"),
        ("email", "x"),
        ("antiSpam", "8"),
        ("privacyAccepted", "absent"),
    ];
    for (changes, expected) in [
        (
            &none[..],
            "name_required,mobile_too_short,email_invalid,anti_spam_wrong,privacy_required&lang=zh",
        ),
        (
            &[("antiSpam", "07"), ("name", LONG)],
            "name_too_long,anti_spam_wrong&lang=zh",
        ),
        (&[("privacyAccepted", "absent")], "privacy_required&lang=zh"),
        (
            &[("privacyPolicyVersion", "2099-never-existed")],
            "privacy_required&lang=zh",
        ),
    ] {
        let answer = post(&intake, changes).send().await.unwrap();
        assert_eq!(
            location(&answer),
            format!("/not-registered?errors={expected}")
        );
    }
    let english = format!("http://{}/functions/v1/posted-form", intake.address);
    let nothing = browser()
        .post(english)
        .header("Content-Type", "application/x-www-form-urlencoded");
    assert_eq!(
        location(&nothing.send().await.unwrap()),
        "/not-registered?errors=interests_required,name_required,mobile_too_short,email_invalid,anti_spam_wrong,\
         privacy_required"
    );
    let text = String::from_utf8(intake.context.metrics.encode().unwrap()).unwrap();
    assert!(
        text.contains(r#"http_server_requests_rejected_total{code="validation_failed"} 5"#),
        "{text}"
    );
}

#[tokio::test]
async fn only_ticked_boxes_give_consent() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    let refused = "/not-registered?errors=privacy_required&lang=zh";
    for value in ["", "false", "off", "no", "0", "1", "ON", "onn"] {
        let answer = post(&intake, &[("privacyAccepted", value)]).send().await;
        assert_eq!(location(&answer.unwrap()), refused, "{value:?}");
    }
    for value in ["on", "true"] {
        let mut form = fields(&[("privacyAccepted", value), ("name", value)]);
        form.extend([
            ("channels", "message"),
            ("channels", ""),
            ("channels", "on"),
            ("channels", "phone=false"),
        ]);
        let answer = posting(&intake, form).send().await.unwrap();
        assert!(location(&answer).starts_with("/registered?"), "{value}");
        let (_, lead) = published(&vhost, 1).await.remove(0);
        let channels: Vec<_> = lead.channels().collect();
        assert_eq!(channels, [ContactChannel::Message]);
    }
}

#[tokio::test]
async fn form_errors_match_the_api() {
    let intake = Intake::start(crate::support::NO_BROKER).await;
    assert_eq!(
        error(post(&intake, &[]).send().await.unwrap()).await,
        (503, "unavailable".to_owned())
    );
    let questions = "x".repeat(20_000);
    let large = posting(&intake, [("questions", questions.as_str())])
        .send()
        .await
        .unwrap();
    assert_eq!(error(large).await, (413, "body_too_large".to_owned()));
}

#[tokio::test]
async fn rejects_form_of_another_site() {
    let vhost = Vhost::create().await;
    let intake = Intake::start(&vhost.url_of("lead-intake")).await;
    for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"),
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
    ] {
        let answer = post(&intake, &[]).header(name, value).send().await.unwrap();
        assert_eq!(
            error(answer).await,
            (403, "other_site".to_owned()),
            "{name}: {value}"
        );
    }
    for content_type in ["text/plain", "multipart/form-data; boundary=x"] {
        let request = browser()
            .post(format!("http://{}{PATH}", intake.address))
            .body("name=x");
        let answer = request
            .header("Content-Type", content_type)
            .send()
            .await
            .unwrap();
        assert_eq!(
            error(answer).await,
            (415, "unsupported_media_type".to_owned())
        );
    }
    let own = post(&intake, &[]).header("Origin", format!("http://{}", intake.address));
    assert!(location(&own.send().await.unwrap()).starts_with("/registered?"));
}
