//! A minimal HTTP/1.1 client for loopback, for readiness checks and for raw requests in tests of nginx.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// An answer with header names in lower case.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// In the order received.
    pub headers: Vec<(String, String)>,
    /// The body, dechunked but otherwise still encoded.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header that occurs exactly once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values =
            self.headers.iter().filter(|(found, _)| found == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (Some(only), None) => Some(only),
            (None | Some(_), _) => None,
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Requests `path` from a loopback port; `headers` are lines of the form `Name: value`.
pub fn get(port: u16, path: &str, headers: &[&str], patience: Duration) -> io::Result<Answer> {
    let mut request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for header in headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    exchange(port, request.as_bytes(), patience)
}

/// Posts a JSON body to `path` on a loopback port.
pub fn post(port: u16, path: &str, headers: &[&str], body: &str, patience: Duration) -> io::Result<Answer> {
    let mut request = format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    request.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len()));
    for header in headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    request.push_str(body);
    exchange(port, request.as_bytes(), patience)
}

/// Sends raw bytes to a loopback port and reads one answer until the peer closes the connection.
pub fn exchange(port: u16, request: &[u8], patience: Duration) -> io::Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    stream.write_all(request)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> io::Result<Answer> {
    let malformed = || io::Error::new(io::ErrorKind::InvalidData, "not an HTTP response");
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").ok_or_else(malformed)?;
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.split(' ').nth(1))
        .and_then(|code| code.parse().ok())
        .ok_or_else(malformed)?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = &bytes[end + 4..];
    let body = if chunked { unchunk(body).ok_or_else(malformed)? } else { body.to_vec() };
    Ok(Answer { status, headers, body })
}

fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_chunks_is_put_together() {
        let answer = parse(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
        )
        .expect("an answer");
        assert_eq!(answer.status, 200);
        assert_eq!(answer.text(), "abcde");
    }

    #[test]
    fn a_header_sent_twice_is_not_taken_for_one() {
        let answer = parse(b"HTTP/1.1 200 OK\r\nVary: Cookie\r\nVary: Accept\r\nServer: x\r\n\r\n")
            .expect("an answer");
        assert_eq!(answer.header("vary"), None);
        assert_eq!(answer.header("server"), Some("x"));
    }
}
