//! Counts the pooled database connections.

use sea_orm::DatabaseConnection;

use super::{Store, settings::Kind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    pub used: u64,
    pub idle: u64,
}

impl Store {
    #[must_use]
    pub fn connections(&self) -> Connections {
        let pools: &[&DatabaseConnection] = match self.kind {
            Kind::Sqlite => &[&self.reader, &self.writer],
            // Readers use the writer's pool.
            Kind::Postgres => &[&self.writer],
        };
        let mut connections = Connections { used: 0, idle: 0 };
        for pool in pools {
            let (size, idle) = match self.kind {
                Kind::Sqlite => {
                    let pool = pool.get_sqlite_connection_pool();
                    (pool.size(), pool.num_idle())
                }
                Kind::Postgres => {
                    let pool = pool.get_postgres_connection_pool();
                    (pool.size(), pool.num_idle())
                }
            };
            let idle = idle as u64;
            connections.idle += idle;
            connections.used += u64::from(size).saturating_sub(idle);
        }
        connections
    }
}
