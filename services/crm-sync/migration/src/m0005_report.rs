//! Adds the indexes of the report and of the filters by source, campaign, referring host and plan. Programs of the previous
//! schema keep working, and the report counts their leads, because the indexes are of expressions instead of new columns.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// The columns that the report reads, except those of the visit.
const COVERED: &str = "interests, signals, erased_at, language, plan, visit_times, channels, source, state, \
    closing_reason, owner_key, owner, contacted_at, next_step_at";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    fn use_transaction(&self) -> Option<bool> {
        Some(true)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let report = if manager.get_database_backend() == DbBackend::Sqlite {
            format!("CREATE INDEX lead_report ON lead (submitted_at, {COVERED})")
        } else {
            // Without the statistics, PostgreSQL expects a source for each lead, and sorts the leads.
            format!(
                "CREATE INDEX lead_report ON lead (submitted_at) INCLUDE ({COVERED});
                CREATE STATISTICS lead_origin ON (coalesce(visit -> 'campaign' ->> 'name', '')),
                    (coalesce(visit -> 'campaign' ->> 'source', '')), (coalesce(visit ->> 'referrer_host', '')) FROM lead"
            )
        };
        for statements in [include_str!("report.sql"), &report] {
            manager
                .get_connection()
                .execute_unprepared(statements)
                .await?;
        }
        Ok(())
    }
}
