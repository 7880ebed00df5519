//! Measures lists and searches among many leads on both databases, and fails if one takes too long.
//!
//! `cargo bench -p crm-sync --bench lookup [-- --rows N --only sqlite]`. As in tests, the PostgreSQL server is in
//! `TEST_POSTGRES_URL`.
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

mod leads;
mod questions;

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use crm_sync::{
    db::{Store, settings::Settings},
    search::filter::Filter,
    statistics::Spans,
};
use testkit::database::{Database, postgres, sqlite};

use crate::{leads::submitted_at, questions::Question};

/// Upper bound of the 95th percentile.
const LIMIT: Duration = Duration::from_millis(100);

/// Runs of each query.
const TIMES: usize = 40;

const EXPORTED: usize = 100_000;

/// Measures the duration of lookups and compares it with the limit.
#[derive(Parser)]
struct Arguments {
    /// Number of leads in PostgreSQL. SQLite gets a twentieth
    #[arg(long, default_value_t = 1_000_000)]
    rows: u32,
    /// Measure only this database: sqlite or postgres
    #[arg(long)]
    only: Option<String>,
    /// Ignored: cargo passes it to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments {
        rows,
        only,
        bench: _,
    } = Arguments::parse();
    let mut is_quick = true;
    // SQLite is for few leads.
    let databases = [
        ("sqlite", sqlite as fn() -> Database, rows / 20),
        ("postgres", postgres, rows),
    ];
    for (name, open, rows) in databases {
        if only.as_deref().is_none_or(|only| only == name) {
            is_quick &= measure(name, &open(), rows).await;
        }
    }
    if is_quick {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn measure(name: &str, database: &Database, rows: u32) -> bool {
    let settings = Settings::new(database.url(), 4).unwrap();
    Store::migrate(&settings, None).await.unwrap();
    let store = Store::connect(&settings, testkit::crm::SUPPRESSION_KEY.parse().unwrap())
        .await
        .unwrap();
    let start = Instant::now();
    leads::record(&store, rows).await;
    let rate = f64::from(rows) / start.elapsed().as_secs_f64();
    println!("\n{name}: {rows} leads, recorded at {rate:.0} a second");
    leads::work_on(database.url()).await;

    println!("{:<40} {:>6} {:>8} {:>8}", "", "found", "p50 ms", "p95 ms");
    let mut is_quick = true;
    for question in questions::all(rows) {
        is_quick &= measure_question(&store, &question).await;
    }
    read_all(&store, rows).await;
    is_quick
}

async fn measure_question(store: &Store, question: &Question) -> bool {
    let (mut times, mut found) = (Vec::with_capacity(TIMES), 0);
    for turn in 0..TIMES {
        let (filter, after) = (question.ask)(turn);
        let filter = Filter::parse(filter).unwrap();
        let start = Instant::now();
        let page = store
            .page(&filter, after, question.page_size, &[])
            .await
            .unwrap();
        times.push(start.elapsed());
        found = page.leads.len();
    }
    times.sort_unstable();
    let [p50, p95] = [50, 95].map(|percent| times[(TIMES * percent).div_ceil(100) - 1]);
    let [median, high] = [p50, p95].map(|it| it.as_secs_f64() * 1000.0);
    // No user waits for a page of hundreds.
    let is_slow = p95 > LIMIT && question.page_size == 0;
    let remark = if is_slow { "  TOO SLOW" } else { "" };
    println!(
        "{:<40} {found:>6} {median:>8.1} {high:>8.1}{remark}",
        question.name
    );
    !is_slow
}

/// Prints the times of operations that no user waits for; they have no limit.
async fn read_all(store: &Store, rows: u32) {
    let start = Instant::now();
    let days = (0..30).map(|day| submitted_at(rows / 30 * day)).collect();
    let statistics = store
        .count_leads(&Spans::new(days, submitted_at(rows)).unwrap())
        .await
        .unwrap();
    println!(
        "statistics of {} leads in 30 periods: {:.1} s",
        statistics.total.unwrap().leads,
        start.elapsed().as_secs_f64()
    );

    let start = Instant::now();
    let total = store.total(&Filter::default()).await.unwrap();
    println!("total of {total}: {:.2} s", start.elapsed().as_secs_f64());

    let start = Instant::now();
    let (mut after, mut exported) = (None, 0);
    while exported < EXPORTED {
        let page = store
            .page(&Filter::default(), after, 250, &[])
            .await
            .unwrap();
        exported += page.leads.len();
        after = page.last;
        if after.is_none() {
            break;
        }
    }
    println!(
        "export of {exported}: {:.1} s",
        start.elapsed().as_secs_f64()
    );
}
