//! Generates load from many concurrent callers for a fixed time.

use std::future::Future;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep_until;
use xtask::error::{Error, Result};
use xtask::stack::services::ANON_KEY;

use crate::lead::{LANDING_PATH, Lead, Leads, POLICY_VERSION, REFERRER_HOST};

const PACED_CONNECTIONS: usize = 64;

/// At most one answer in this many may differ from 202.
const REFUSED_ONE_IN: u64 = 1000;

/// The length of a measurement.
#[derive(Clone, Copy)]
pub(crate) struct Length {
    /// Work in this first part is not counted.
    pub(crate) warm_up: Duration,
    /// Work in this part is counted.
    pub(crate) counted: Duration,
}

/// The interval in which work is counted.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    from: Instant,
    to: Instant,
}

impl Window {
    fn from_now(length: Length) -> Self {
        let from = Instant::now() + length.warm_up;
        Self { from, to: from + length.counted }
    }

    /// Whether more work may be started.
    pub(crate) fn is_open(self) -> bool {
        Instant::now() < self.to
    }

    /// 1 if work completed now counts, otherwise 0.
    pub(crate) fn counts(self) -> u64 {
        u64::from((self.from..self.to).contains(&Instant::now()))
    }
}

/// Leads that were acknowledged.
pub(crate) struct Acknowledged {
    pub(crate) per_second: f64,
    /// Those before the counted interval included.
    pub(crate) all: u64,
}

/// Counted work per second of `size` concurrent workers, each returning its own count.
pub(crate) async fn callers<F>(
    size: usize,
    length: Length,
    worker: impl Fn(usize, Window) -> F,
) -> Result<f64>
where
    F: Future<Output = Result<u64>> + Send + 'static,
{
    let window = Window::from_now(length);
    let mut workers = JoinSet::new();
    for number in 0..size {
        workers.spawn(worker(number, window));
    }
    let mut counted = 0;
    while let Some(joined) = workers.join_next().await {
        counted += joined.map_err(|_| Error::failed("a worker panicked; see its message above"))??;
    }
    if counted == 0 {
        return Err(Error::failed("no operation completed during the measurement"));
    }
    Ok(counted as f64 / length.counted.as_secs_f64())
}

/// The port leads are sent to, with the session of the visit.
#[derive(Clone)]
pub(crate) struct Door {
    port: u16,
    authorization: Arc<str>,
}

impl Door {
    /// Starts a session at a port that serves sessions.
    pub(crate) async fn open(port: u16) -> Result<Self> {
        let failed = |error: reqwest::Error| Error::failed(format!("cannot request a session: {error}"));
        let url = format!("http://{}:{port}/auth/v1/session", Ipv4Addr::LOCALHOST);
        let visit = json!({ "landing_path": LANDING_PATH, "referrer_host": REFERRER_HOST });
        let answer = reqwest::Client::new().post(url).json(&visit).send().await.map_err(failed)?;
        let answer: Value = answer.json().await.map_err(failed)?;
        let token = answer["access_token"]
            .as_str()
            .ok_or_else(|| Error::failed("the session response contains no token"))?;
        Ok(Self { port, authorization: format!("Bearer {token}").into() })
    }

    /// For a port that looks at no session.
    pub(crate) fn without_session(port: u16) -> Self {
        Self { port, authorization: "Bearer none".into() }
    }

    /// The same session for another port.
    pub(crate) fn at(&self, port: u16) -> Self {
        Self { port, ..self.clone() }
    }

    /// Leads acknowledged over `connections` connections.
    pub(crate) async fn acknowledged(
        &self,
        connections: usize,
        length: Length,
        leads: &Leads,
    ) -> Result<Acknowledged> {
        let all = Arc::new(AtomicU64::new(0));
        let per_second = callers(connections, length, |_, window| {
            let (mut browser, leads, all) = (Browser::new(self.clone()), leads.clone(), Arc::clone(&all));
            async move {
                let (mut counted, mut refused) = (0, 0);
                while window.is_open() {
                    if browser.submit(leads.next()).await? == 202 {
                        counted += window.counts();
                        all.fetch_add(1, Ordering::Relaxed);
                    } else {
                        refused += 1;
                    }
                }
                if refused * REFUSED_ONE_IN > counted {
                    return Err(Error::failed(format!("{refused} leads were rejected, {counted} accepted")));
                }
                Ok(counted)
            }
        })
        .await?;
        Ok(Acknowledged { per_second, all: all.load(Ordering::Relaxed) })
    }
}

impl Door {
    /// Sends leads at a rate. Returns the milliseconds from when each was due until it was acknowledged.
    pub(crate) async fn paced(&self, per_second: u32, length: Duration, leads: &Leads) -> Result<Vec<f64>> {
        let start = Instant::now();
        let between = Duration::from_secs(1) / per_second;
        let number = Arc::new(AtomicU64::new(0));
        let mut browsers = JoinSet::new();
        for _ in 0..PACED_CONNECTIONS {
            let (mut browser, leads, number) =
                (Browser::new(self.clone()), leads.clone(), Arc::clone(&number));
            browsers.spawn(async move {
                let mut times = Vec::new();
                loop {
                    let turn = number.fetch_add(1, Ordering::Relaxed);
                    let due = start + between * u32::try_from(turn).unwrap_or(u32::MAX);
                    if due >= start + length {
                        return Ok::<_, Error>(times);
                    }
                    sleep_until(due.into()).await;
                    match browser.submit(leads.next()).await? {
                        202 => times.push(due.elapsed().as_secs_f64() * 1e3),
                        status => return Err(Error::failed(format!("a lead received status {status}"))),
                    }
                }
            });
        }
        let mut all = Vec::new();
        while let Some(joined) = browsers.join_next().await {
            all.extend(joined.map_err(|_| Error::failed("a browser panicked; see its message above"))??);
        }
        Ok(all)
    }
}

/// A browser with one connection and one request at a time.
pub(crate) struct Browser {
    door: Door,
    connection: Option<SendRequest<Full<Bytes>>>,
    drivers: JoinSet<()>,
}

impl Browser {
    pub(crate) fn new(door: Door) -> Self {
        Self { door, connection: None, drivers: JoinSet::new() }
    }

    /// Sends a lead like the form does and returns the status of the answer.
    pub(crate) async fn submit(&mut self, lead: Lead) -> Result<u16> {
        let body = serde_json::to_vec(&lead.form())
            .map_err(|error| Error::failed(format!("cannot serialise a form: {error}")))?;
        let request = Request::post("/functions/v1/send-contact-email")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("apikey", ANON_KEY)
            .header("authorization", &*self.door.authorization)
            .header("idempotency-key", lead.key().to_string())
            .header("content-language", "en")
            .header("privacy-policy-version", POLICY_VERSION)
            .header("traceparent", lead.trace())
            .header("x-forwarded-for", lead.address().to_string())
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| Error::failed(format!("cannot build a request: {error}")))?;
        let broken = |error: hyper::Error| Error::failed(format!("a lead received no response: {error}"));
        let mut connection = self.connected().await?;
        let answer = connection.send_request(request).await.map_err(broken)?;
        let status = answer.status().as_u16();
        answer.into_body().collect().await.map_err(broken)?;
        self.connection = Some(connection);
        Ok(status)
    }

    /// Reuses the connection, or opens a new one if the server closed it, as nginx does after a thousand requests.
    async fn connected(&mut self) -> Result<SendRequest<Full<Bytes>>> {
        if let Some(mut connection) = self.connection.take()
            && connection.ready().await.is_ok()
        {
            return Ok(connection);
        }
        let unreachable =
            |error: std::io::Error| Error::failed(format!("cannot connect to the server: {error}"));
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.door.port)).await.map_err(unreachable)?;
        stream.set_nodelay(true).map_err(unreachable)?;
        let (connection, driver) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| Error::failed(format!("cannot connect to the server: {error}")))?;
        self.drivers.spawn(async move {
            // The error is also returned by the request it affects.
            let _told = driver.await;
        });
        Ok(connection)
    }
}
