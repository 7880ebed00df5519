//! The load: simulated visitors who submit leads and retry until they are acknowledged.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use fastrand::Rng;
use lead::id_of;
use parking_lot::{Mutex, MutexGuard};
use reqwest::{Client, StatusCode};
use runtime::clock::{Clock, SystemClock};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use xtask::stack::services::ANON_KEY;

/// Milliseconds since 1970.
pub(crate) type Millis = i64;

pub(crate) fn now() -> Millis {
    SystemClock.now().timestamp_millis()
}

/// Above the five seconds that nginx and lead-intake promise.
const TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(400);
/// Long enough that waiting visitors do not overload the system.
const LONGEST_PAUSE: Duration = Duration::from_secs(12);

pub(crate) struct Visitors {
    http: Client,
    site: String,
    log: Mutex<Log>,
    random: Mutex<Rng>,
    token: Mutex<String>,
    tasks: TaskTracker,
    runtime: Handle,
    gone: CancellationToken,
}

/// The responses that visitors and sales received.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) leads: HashMap<Uuid, Sent>,
    /// Requests that were not acknowledged: when, and the status unless the connection broke.
    pub(crate) failures: Vec<(Millis, Option<u16>)>,
    /// When each request ended.
    pub(crate) requests: Vec<Millis>,
    /// End and duration of each request of a second or longer.
    pub(crate) slow: Vec<(Millis, Millis)>,
    /// When each request to the desk ended.
    pub(crate) desk_requests: Vec<Millis>,
    /// When the desk failed to respond.
    pub(crate) desk_failures: Vec<Millis>,
}

/// A lead as seen by its visitor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sent {
    pub(crate) is_acknowledged: bool,
    /// Whether a different payload with the same key was acknowledged, too.
    pub(crate) other_contents: bool,
}

impl Log {
    pub(crate) fn acknowledged(&self) -> impl Iterator<Item = (Uuid, Sent)> {
        self.leads
            .iter()
            .filter(|(_, sent)| sent.is_acknowledged)
            .map(|(id, sent)| (*id, *sent))
    }

    fn record(&mut self, key: Uuid, variant: u8, began: Millis, status: Option<u16>) {
        let at = now();
        self.requests.push(at);
        if at - began >= 1_000 {
            self.slow.push((at, at - began));
        }
        if status != Some(202) {
            self.failures.push((at, status));
            return;
        }
        let sent = self.leads.entry(id_of(key)).or_default();
        sent.is_acknowledged = true;
        sent.other_contents |= variant > 0;
    }
}

impl Visitors {
    pub(crate) fn new(site_port: u16, seed: u64, runtime: &Handle) -> Result<Arc<Self>> {
        // Each request uses a new connection, like different browsers.
        let http = Client::builder()
            .pool_max_idle_per_host(0)
            .timeout(TIMEOUT)
            .build()
            .context("cannot create an HTTP client")?;
        Ok(Arc::new(Self {
            http,
            site: format!("http://127.0.0.1:{site_port}"),
            log: Mutex::default(),
            random: Mutex::new(Rng::with_seed(seed)),
            token: Mutex::default(),
            tasks: TaskTracker::new(),
            runtime: runtime.clone(),
            gone: CancellationToken::new(),
        }))
    }

    /// Starts the one session shared by all visitors.
    async fn begin_session(&self) -> Result<()> {
        let request = self
            .http
            .post(format!("{}/auth/v1/session", self.site))
            .json(&json!({}));
        let response: Value = request.send().await?.json().await?;
        let token = response["access_token"]
            .as_str()
            .context("the session response contains no token")?;
        token.clone_into(&mut self.token.lock());
        Ok(())
    }

    /// Starts `rate` visitors per second, until the returned token is cancelled.
    pub(crate) async fn start(self: &Arc<Self>, rate: u32) -> Result<CancellationToken> {
        self.begin_session().await?;
        let over = CancellationToken::new();
        self.tasks
            .spawn_on(Arc::clone(self).watch_desk(over.clone()), &self.runtime);
        self.tasks.spawn_on(
            Arc::clone(self).send_visitors(rate, over.clone()),
            &self.runtime,
        );
        Ok(over)
    }

    async fn send_visitors(self: Arc<Self>, rate: u32, over: CancellationToken) {
        let (started, mut number) = (Instant::now(), 0_u32);
        loop {
            // Measured from the start, so that a late tick does not lower the rate.
            let due = started + Duration::from_secs_f64(f64::from(number) / f64::from(rate));
            tokio::select! {
                () = tokio::time::sleep_until(due) => {}
                () = over.cancelled() => return,
            }
            number += 1;
            let (key, percent, pause) = {
                let mut random = self.random.lock();
                (
                    random_key(&mut random),
                    random.u8(0..100),
                    Duration::from_millis(random.u64(2_000..8_000)),
                )
            };
            let (visitors, over) = (Arc::clone(&self), over.clone());
            self.tasks
                .spawn(async move { visitors.visit(percent, key, pause, &over).await });
        }
    }

    /// Submits one lead with this key.
    pub(crate) fn send_one(self: &Arc<Self>, key: Uuid) {
        let visitors = Arc::clone(self);
        self.tasks
            .spawn_on(async move { visitors.submit(key, 0).await }, &self.runtime);
    }

    /// Number of unfinished visitors.
    pub(crate) fn waiting(&self) -> usize {
        self.tasks.len()
    }

    /// Ends all retries.
    pub(crate) fn give_up(&self) {
        self.gone.cancel();
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock()
    }

    /// Number of leads sent and acknowledged so far.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let log = self.log();
        (log.leads.len(), log.acknowledged().count())
    }

    /// Sends a request without a session to the desk four times a second. The desk rejects it with 401.
    async fn watch_desk(self: Arc<Self>, over: CancellationToken) {
        while !over.is_cancelled() {
            let response = self
                .http
                .get(format!("{}/desk/api/me", self.site))
                .send()
                .await;
            {
                let at = now();
                let mut log = self.log();
                log.desk_requests.push(at);
                if !response.is_ok_and(|response| response.status() == StatusCode::UNAUTHORIZED) {
                    log.desk_failures.push(at);
                }
            }
            sleep(Duration::from_millis(250)).await;
        }
    }

    async fn visit(&self, percent: u8, key: Uuid, pause: Duration, over: &CancellationToken) {
        match percent {
            // Submits twice at the same time, over two connections.
            0..6 => {
                tokio::join!(self.submit(key, 0), self.submit(key, 0));
            }
            // Submits a different payload with the same key seconds later.
            6..12 => {
                self.submit(key, 0).await;
                tokio::select! {
                    () = sleep(pause) => self.submit(key, 1).await,
                    () = over.cancelled() => {}
                }
            }
            _ => self.submit(key, 0).await,
        }
    }

    /// Submits and retries with the same key until the response is final.
    async fn submit(&self, key: Uuid, variant: u8) {
        let body = form(key, variant);
        let language = if is_chinese(key) { "zh" } else { "en" };
        self.log().leads.entry(id_of(key)).or_default();
        let mut pause = FIRST_PAUSE;
        loop {
            let began = now();
            let status = self.post_form(key, language, &body).await;
            self.log().record(key, variant, began, status);
            match status {
                // The session expired while the page was open: browsers then start a new one.
                Some(401) => {
                    let _tried_again = self.begin_session().await;
                }
                None | Some(429 | 502..=504) => {}
                Some(_) => return,
            }
            let jitter = self.random.lock().f64();
            tokio::select! {
                () = sleep(pause.mul_f64(0.5 + jitter / 2.0)) => {}
                () = self.gone.cancelled() => return,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn post_form(&self, key: Uuid, language: &str, body: &Value) -> Option<u16> {
        let token = self.token.lock().clone();
        let request = self
            .http
            .post(format!("{}/functions/v1/send-contact-email", self.site))
            .header("apikey", ANON_KEY)
            .header("Idempotency-Key", key.to_string())
            .header("Content-Language", language)
            .header("Privacy-Policy-Version", lead::privacy_policy::current())
            .bearer_auth(token)
            .json(body);
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        // A truncated response counts as none.
        response.bytes().await.ok().map(|_| status)
    }
}

/// A new idempotency key.
pub(crate) fn random_key(random: &mut Rng) -> Uuid {
    uuid::Builder::from_random_bytes(random.u128(..).to_be_bytes()).into_uuid()
}

fn is_chinese(key: Uuid) -> bool {
    key.as_u128().is_multiple_of(3)
}

/// The form's request body, determined by key and variant.
fn form(key: Uuid, variant: u8) -> Value {
    let number = key.as_u128();
    let choices = [
        ["brochure"].as_slice(),
        &["purchase", "showflat"],
        &["brochure", "purchase", "showflat"],
    ];
    let interests = choices[usize::try_from(number / 3 % 3).unwrap_or_default()];
    let mobile = format!("+65 {:08}", 80_000_000 + number % 20_000_000);
    let email = format!("visitor.{}@example.com", key.simple());
    let (name, questions) = match (is_chinese(key), variant) {
        (true, 0) => ("陈伟 🏙️", "请问三房户型还有吗？\n周末可以看样板间吗？😊"),
        (true, _) => ("陈伟 🏙️", "请改为四房。"),
        (false, 0) => (
            "Mary-Ann O'Neil",
            "Is there a flat with a view? 🌅 <b>Thanks</b> & regards",
        ),
        (false, _) => ("Mary-Ann O'Neil", "On second thoughts, two bedrooms."),
    };
    json!({ "interests": interests, "name": name, "mobile": mobile, "email": email, "questions": questions })
}
