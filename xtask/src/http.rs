//! A minimal HTTP/1.1 client for loopback, for readiness checks and for raw requests in tests of nginx.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

const READY_TIMEOUT: Duration = Duration::from_secs(2);

/// A response with header names in lower case.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// In the order received.
    pub headers: Vec<(String, String)>,
    /// The body, dechunked but otherwise still encoded.
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header that occurs exactly once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(found, _)| found == name);
        let first = values.next()?;
        values.next().is_none().then_some(first.1.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

pub fn connects(port: u16) -> bool {
    TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), READY_TIMEOUT).is_ok()
}

/// Whether a GET of `path` returns 200.
pub fn is_ready(port: u16, path: &str, headers: &[&str]) -> bool {
    request("GET", port, path, headers, "", READY_TIMEOUT).is_ok_and(|response| response.status == 200)
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
    let length = format!("Content-Length: {}", body.len());
    let mut lines = vec![format!("{method} {path} HTTP/1.1")];
    lines.extend(
        ["Host: localhost", "Connection: close", &length].iter().chain(headers).map(|it| (*it).into()),
    );
    exchange(port, format!("{}\r\n\r\n{body}", lines.join("\r\n")).as_bytes(), timeout)
}

/// Sends raw bytes to a loopback port and reads one response until the server closes the connection.
pub fn exchange(port: u16, request: &[u8], timeout: Duration) -> io::Result<Response> {
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    stream.set_write_timeout(Some(timeout))?;
    stream.write_all(request)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&bytes).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not an HTTP response"))
}

fn parse(bytes: &[u8]) -> Option<Response> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, body) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 4..]);
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = if is_chunked { dechunk(body)? } else { body.to_vec() };
    Some(Response { status, headers, body })
}

fn dechunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|window| window == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..line]).ok()?.split(';').next()?;
        let size = usize::from_str_radix(size.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        let start = line + 2;
        body.extend_from_slice(rest.get(start..start + size)?);
        rest = rest.get(start + size + 2..)?;
    }
}
