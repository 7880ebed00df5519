//! Listening sockets.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use tokio::net::TcpListener;

/// Binds a TCP listener. `[::]` accepts IPv4 as well, and stands for `0.0.0.0` on a machine without IPv6.
///
/// # Errors
/// When the address cannot be bound.
pub async fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    match TcpListener::bind(address).await {
        Err(error)
            if address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
                && error.kind() != io::ErrorKind::AddrInUse =>
        {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).await.map_err(|_| error)
        }
        bound => bound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_addresses_are_those_of_ipv4_and_ipv6() {
        let listener = listen("[::]:0".parse().unwrap()).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let has_ipv6 = TcpListener::bind("[::1]:0").await.is_ok();
        for loopback in ["127.0.0.1", if has_ipv6 { "::1" } else { "127.0.0.1" }] {
            tokio::net::TcpStream::connect((loopback, port)).await.unwrap();
        }
        let in_use = listen(listener.local_addr().unwrap()).await;
        assert_eq!(in_use.unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }
}
