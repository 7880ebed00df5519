//! Users of this machine.

use std::fs;

use crate::process::User;

/// The first of these users that exists.
pub fn find(names: &[&str]) -> Option<User> {
    let table = fs::read_to_string("/etc/passwd").unwrap_or_default();
    names.iter().find_map(|name| entry(&table, name))
}

fn entry(table: &str, name: &str) -> Option<User> {
    table.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(User { uid, gid })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_its_whole_name() {
        let table = "post:x:1:2::/:/bin/sh\npostgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\n";
        assert_eq!(entry(table, "postgres"), Some(User { uid: 101, gid: 104 }));
        assert_eq!(entry(table, "nobody"), None);
    }
}
