//! Addresses and listening sockets.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::TcpListener;

/// Binds a TCP listener to the address of a setting. `[::]` also accepts IPv4, and means `0.0.0.0` on a machine without
/// IPv6.
///
/// # Errors
/// When the address cannot be bound. The error names the setting.
pub async fn listen(setting: &str, address: SocketAddr) -> io::Result<TcpListener> {
    let bound = match TcpListener::bind(address).await {
        Err(error)
            if address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
                && error.kind() != io::ErrorKind::AddrInUse =>
        {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port()))
                .await
                .map_err(|_| error)
        }
        bound => bound,
    };
    bound.map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("cannot bind {setting}={address}: {error}"),
        )
    })
}

/// Whether the host is `localhost` or a loopback address. Resolves no names. IPv6 addresses may be in brackets.
pub fn is_loopback(host: &str) -> bool {
    let address = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_loopback() {
        for host in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "127.8.8.8",
            "::1",
            "[::1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "mail.example",
            "10.0.0.1",
            "localhost.example",
            "0.0.0.0",
            "::",
            "127.0.0.1.example",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[tokio::test]
    async fn unspecified_address_covers_ipv4_and_ipv6() {
        let listener = listen("ADDR", "[::]:0".parse().unwrap()).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let has_ipv6 = TcpListener::bind("[::1]:0").await.is_ok();
        for loopback in ["127.0.0.1", if has_ipv6 { "::1" } else { "127.0.0.1" }] {
            tokio::net::TcpStream::connect((loopback, port))
                .await
                .unwrap();
        }
        let in_use = listen("ADDR", listener.local_addr().unwrap()).await;
        assert_eq!(in_use.unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }
}
