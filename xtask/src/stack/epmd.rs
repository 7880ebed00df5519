//! Registers names at epmd, Erlang's directory of the nodes of a host.
//!
//! Erlang asks the epmd of its own host for the port of another node. With a dedicated epmd for each node, each node can
//! reach its peers through different proxies.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

const TIMEOUT: Duration = Duration::from_secs(5);
/// `ALIVE2_REQ` and its replies, `ALIVE2_RESP` and `ALIVE2_X_RESP`.
const REQUEST: u8 = 120;
const REPLIES: [u8; 2] = [121, 118];
const NORMAL_NODE: u8 = 77;
const TCP: u8 = 0;
/// The versions of the distribution protocol, highest first.
const VERSIONS: [u16; 2] = [6, 5];

/// A registered name. Dropping it removes the name.
pub struct Registration {
    _connection: TcpStream,
}

/// Registers a node that listens on `port` at the epmd on `epmd_port`.
pub fn register(epmd_port: u16, name: &str, port: u16) -> Result<Registration> {
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, epmd_port))?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    let length = u16::try_from(name.len()).context("the name is too long")?;
    let mut body = vec![REQUEST];
    body.extend(port.to_be_bytes());
    body.extend([NORMAL_NODE, TCP]);
    body.extend(VERSIONS.into_iter().flat_map(u16::to_be_bytes));
    body.extend(length.to_be_bytes());
    body.extend(name.as_bytes());
    // No extra data.
    body.extend(0_u16.to_be_bytes());
    let size = u16::try_from(body.len()).context("the name is too long")?;
    connection.write_all(&size.to_be_bytes())?;
    connection.write_all(&body)?;
    let mut reply = [0; 2];
    connection.read_exact(&mut reply)?;
    let [kind, result] = reply;
    ensure!(
        REPLIES.contains(&kind) && result == 0,
        "epmd did not register {name}: {reply:?}"
    );
    Ok(Registration {
        _connection: connection,
    })
}
