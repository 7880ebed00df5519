//! A disposable PostgreSQL leaves nothing in the kernel, where nothing would remove it before the next start of the machine.

use std::fs;
use std::path::Path;

use xtask::ports::free_ports;
use xtask::session::Interrupt;
use xtask::stack::plan::Storage;
use xtask::stack::postgres::Postgres;
use xtask::supervisor::Supervisor;

#[test]
fn killed_postgres_leaves_no_shared_memory() {
    let directory = tempfile::tempdir().unwrap();
    let supervisor = Supervisor::new(Interrupt::default());
    let port = free_ports(1).unwrap()[0];
    let postgres = Postgres::initialise(directory.path(), port, Storage::Fresh).unwrap();
    postgres.start(&supervisor, directory.path()).unwrap();
    let server = supervisor.pid("postgres").unwrap();

    // Each line is an address range, permissions, offset, device, inode and path. PostgreSQL has one System V segment, whose
    // id is the inode.
    let maps = fs::read_to_string(format!("/proc/{server}/maps")).unwrap();
    assert!(!maps.contains("/dev/shm/"), "{maps}");
    let segments: Vec<_> = maps
        .lines()
        .filter(|line| line.contains("/SYSV"))
        .filter_map(|line| line.split_whitespace().nth(4))
        .collect();
    assert_eq!(segments.len(), 1, "{maps}");
    let exists = |id: &str| {
        let list = fs::read_to_string("/proc/sysvipc/shm").unwrap();
        list.lines()
            .any(|line| line.split_whitespace().nth(1) == Some(id))
    };
    assert!(exists(segments[0]));

    supervisor.kill_all();
    assert!(!Path::new(&format!("/proc/{server}")).exists());
    assert!(!exists(segments[0]));
    postgres.remove().unwrap();
}
