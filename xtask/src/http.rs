//! A minimal HTTP/1.0 client for loopback. Servers answer this version without chunks.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

const READY_TIMEOUT: Duration = Duration::from_secs(2);

pub struct Response {
    pub status: u16,
    pub body: String,
}

pub fn connects(port: u16) -> bool {
    TcpStream::connect_timeout(
        &SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        READY_TIMEOUT,
    )
    .is_ok()
}

/// Whether a GET request to `path` returns 200.
pub fn is_ready(port: u16, path: &str) -> bool {
    request("GET", port, path, &[], "", READY_TIMEOUT).is_ok_and(|response| response.status == 200)
}

/// Sends a request to a loopback port; `headers` are lines of the form `Name: value`.
pub fn request(
    method: &str,
    port: u16,
    path: &str,
    headers: &[&str],
    body: &str,
    timeout: Duration,
) -> io::Result<Response> {
    let headers: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    let head = format!(
        "{method} {path} HTTP/1.0\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    exchange(port, &format!("{head}{body}"), timeout)
}

/// Sends a whole request to a loopback port and reads the response until the server closes the connection.
pub fn exchange(port: u16, request: &str, timeout: Duration) -> io::Result<Response> {
    let mut stream =
        TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let parse = || {
        let (head, body) = text.split_once("\r\n\r\n")?;
        Some(Response {
            status: head.split(' ').nth(1)?.parse().ok()?,
            body: body.to_owned(),
        })
    };
    parse().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not an HTTP response"))
}
