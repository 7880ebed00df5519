//! Computes the report on the launch, in the database.

mod period;
mod statements;
mod totals;

use contracts::crm::v1::{GetReportResponse, ReportHeadline};
use lead::field::timestamp;

pub use self::period::Period;
use self::{
    statements::WishGroup,
    totals::{
        Medians, count_days, list_deliveries, list_outcome, list_sources, list_wishes, total_in,
    },
};
use crate::db::{Result, Store, error::StoreError};

impl Store {
    /// Computes the report on a period. Leads stored during the call may or may not count.
    pub async fn compute_report(&self, period: &Period) -> Result<GetReportResponse> {
        // Takes as long as the other statements together.
        let sources = self.count_sources(period);
        let others = async {
            let parts = self.count_parts(period).await?;
            let wishes = self.count_wishes(period).await?;
            let progress = self.count_progress(period).await?;
            let medians = Medians::new(self.count_contacts(period).await?);
            let waiting = self.count_waiting().await?;
            let deliveries = self.count_deliveries(period).await?;
            Ok::<_, StoreError>((parts, wishes, progress, medians, waiting, deliveries))
        };
        let (sources, others) = tokio::try_join!(sources, others)?;
        let (parts, wishes, progress, medians, waiting, deliveries) = others;
        let may_call = wishes.iter().filter(|group| group.may_call);
        let headline = ReportHeadline {
            this_week: total_in(period.this_week, &parts),
            week_before_so_far: total_in(period.week_before_so_far, &parts),
            week_before: total_in(period.week_before, &parts),
            waiting,
            leads: wishes.iter().map(WishGroup::leads).sum(),
            agreed_to_calls: may_call.map(WishGroup::leads).sum(),
            contacted: medians.contacted,
            median_to_contact: medians.all,
        };
        Ok(GetReportResponse {
            computed_at: Some(timestamp(period.now)),
            time_zone: period.zone.name().to_owned(),
            from: Some(timestamp(period.from())),
            before: Some(timestamp(period.now)),
            headline: Some(headline),
            days: count_days(period, &parts),
            sources: Some(list_sources(&sources)),
            wishes: Some(list_wishes(&wishes)),
            outcome: Some(list_outcome(&progress, &sources, medians)),
            deliveries: list_deliveries(&deliveries),
        })
    }
}
