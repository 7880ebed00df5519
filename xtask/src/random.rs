//! Randomness from the system, for secrets and the jitter of restarts.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use crate::error::{Error, Result};

/// 64 hexadecimal digits, 256 bits.
pub fn secret() -> Result<String> {
    Ok(bytes::<32>()?.iter().map(|byte| format!("{byte:02x}")).collect())
}

pub fn number() -> Result<u16> {
    bytes().map(u16::from_ne_bytes)
}

/// A random duration from half of `duration` to all of it.
pub fn jitter(duration: Duration) -> Duration {
    // Without randomness the full duration is used.
    let share = bytes::<1>().map_or(255, |[byte]| byte);
    duration / 2 + duration / 2 * u32::from(share) / 255
}

fn bytes<const N: usize>() -> Result<[u8; N]> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; N];
    File::open(path)
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|error| Error::file("read", path, &error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_differ() {
        let (one, other) = (secret().expect("random"), secret().expect("random"));
        assert_eq!(one.len(), 64);
        assert_ne!(one, other);
    }

    #[test]
    fn jitter_stays_between_half_and_all() {
        for _ in 0..100 {
            let jittered = jitter(Duration::from_secs(2));
            assert!((Duration::from_secs(1)..=Duration::from_secs(2)).contains(&jittered), "{jittered:?}");
        }
    }
}
