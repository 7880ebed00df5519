//! Generates the same leads in every run.

use ::lead::{Attribution, Campaign, Interest, Language, Lead, SpamSignal, Visit};
use chrono::{DateTime, TimeDelta, Utc};
use crm_sync::{db::Store, leads::Source};
use fastrand::Rng;
use sea_orm::ConnectionTrait;
use uuid::Uuid;

const SEED: u64 = 20_260_301;

/// Leads per transaction.
const BATCH: u32 = 500;

/// 100 surnames, each for one lead in a hundred.
const SURNAMES: &str =
    "Tan Lim Lee Ng Ong Wong Goh Chua Chan Koh Teo Ang Yeo Tay Ho Low Toh Sim Chong Chia
    Seah Foo Lau Heng Kwek Phua Quek Soh Yap Zhang Wang Li Chen Liu Yang Huang Zhao Zhou Wu Xu
    Sun Zhu Ma Hu Guo He Lin Gao Luo Kumar";

const CHINESE_SURNAMES: &str = "
    陈 林 黄 李 王 张 刘 吴 蔡 杨 许 郑 谢 郭 洪 邱 曾 廖 赖 徐 周 叶 苏 庄 吕 江 何 萧 罗 高 潘 简 朱 钟 游 詹 胡 施 沈 余
    赵 卢 梁 颜 柯 翁 魏 孙 戴 范";

const GIVEN: &str = "Wei Ming Hui Jun Kai Xin Yi Jia Mei Zhi Hao Siti Arjun Grace John";

const CHINESE_GIVEN: &str = "伟 芳 娜 敏 静 丽 强 磊 军 洋 美 玲 大 文 秀 英 建 国 志 明";

/// A name that only one lead has.
pub(crate) const RARE: &str = "Quirinius Zachariassen";

const QUESTION: &str =
    "When does the show flat open, and is there parking for visitors? 请寄户型图, 谢谢. ";

pub(crate) fn id(number: u32) -> Uuid {
    Uuid::from_u128(fastrand::Rng::with_seed(number.into()).u128(..))
}

pub(crate) fn submitted_at(number: u32) -> DateTime<Utc> {
    testkit::start_of_time() + TimeDelta::seconds(30 * i64::from(number))
}

pub(crate) async fn record(store: &Store, rows: u32) {
    let mut random = Rng::with_seed(SEED);
    for begin in (0..rows).step_by(BATCH as usize) {
        let numbers = begin..rows.min(begin + BATCH);
        let batch: Vec<_> = numbers
            .map(|number| submission(number, rows, &mut random))
            .collect();
        store.record_leads(Source::Broker, &batch).await.unwrap();
    }
}

fn submission(number: u32, rows: u32, random: &mut Rng) -> Lead {
    let id = id(number);
    let submitted_at = submitted_at(number);
    let (surnames, given, space) = if random.u32(..100) < 40 {
        (CHINESE_SURNAMES, CHINESE_GIVEN, "")
    } else {
        (SURNAMES, GIVEN, " ")
    };
    let name = [
        one_of(surnames, random),
        one_of(given, random),
        one_of(given, random),
    ]
    .join(space);
    let tag = random.u32(..);
    let interests = [
        (Interest::Brochure, 60),
        (Interest::Purchase, 30),
        (Interest::Showflat, 50),
    ];
    let interests = interests
        .into_iter()
        .filter(|(_, percent)| random.u32(..100) < *percent);
    let mut interests: Vec<_> = interests.map(|(interest, _)| interest).collect();
    if interests.is_empty() {
        interests.push(Interest::Brochure);
    }
    Lead {
        interests,
        email: format!(
            "{}.{tag:x}@mail.example",
            name.to_lowercase().replace(' ', ".")
        )
        .into(),
        name: if number == rows / 3 {
            RARE.into()
        } else {
            name.into()
        },
        mobile: format!(
            "+65 {} {:04}",
            random.u32(8000..10_000),
            random.u32(..10_000)
        )
        .into(),
        questions: QUESTION.repeat(random.usize(..4)).into(),
        language: if random.u32(..100) < 35 {
            Language::Chinese
        } else {
            Language::English
        },
        privacy_policy_version: "2025-07".into(),
        visit: Some(Visit {
            id: Uuid::from_u128(random.u128(..)),
            started_at: submitted_at - TimeDelta::seconds(90),
            is_network_busy: false,
            attribution: Attribution {
                landing_path: "/floor-plans".into(),
                referrer_host: "news.example".into(),
                campaign: Campaign {
                    source: "news".into(),
                    ..Campaign::default()
                },
            },
        }),
        signals: if random.u32(..1000) == 0 {
            vec![SpamSignal::Links]
        } else {
            Vec::new()
        },
        ..Lead::empty(id, submitted_at)
    }
}

fn one_of(names: &'static str, random: &mut Rng) -> &'static str {
    let names: Vec<_> = names.split_whitespace().collect();
    names[random.usize(..names.len())]
}

/// Simulates the sales team's work: of 32 leads one is new, one belongs to each of four owners, and most are closed.
/// The reference serves as a random number. Then vacuums, which PostgreSQL would do automatically after that many changes.
pub(crate) async fn work_on(url: &str) {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let work = "UPDATE lead SET
        state = CASE WHEN substr(reference, 4, 1) = '0' THEN 'new' WHEN substr(reference, 4, 1) < '8' THEN 'contacted'
            WHEN substr(reference, 4, 1) < 'B' THEN 'visit_booked' WHEN substr(reference, 4, 1) = 'Z' THEN 'invalid'
            ELSE 'closed' END,
        contacted_at = CASE WHEN substr(reference, 4, 1) = '0' THEN NULL ELSE recorded_at END,
        owner = CASE WHEN substr(reference, 5, 1) < '4' THEN 'Owner ' || substr(reference, 5, 1) ELSE '' END,
        owner_key = CASE WHEN substr(reference, 5, 1) < '4' THEN 'owner ' || substr(reference, 5, 1) ELSE '' END";
    connection.execute_unprepared(work).await.unwrap();
    let delivered =
        "INSERT INTO delivery (lead_id, recipient, state, holder, attempts, reason_class, reason_detail,
            mail_message_id, server_reply, delivered_at)
        SELECT id, 'sales@sales.example', 'delivered', '', 1, '', '', '<m>', '250', recorded_at FROM lead";
    connection.execute_unprepared(delivered).await.unwrap();
    connection
        .execute_unprepared("UPDATE lead SET open = FALSE")
        .await
        .unwrap();
    if url.starts_with("postgres") {
        connection
            .execute_unprepared("VACUUM ANALYZE")
            .await
            .unwrap();
    }
}
