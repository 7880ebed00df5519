//! Fuzzes the reading of the desk's keys: no text is one that was not signed, and a signed one changed anywhere is none.

#![no_main]

use std::sync::LazyLock;

use chrono::DateTime;
use magic_link::MagicLink;
use jwt::SigningKeys;
use libfuzzer_sys::fuzz_target;
use uuid::Uuid;

static KEYS: LazyLock<SigningKeys> = LazyLock::new(|| SigningKeys::new(&"k".repeat(40)).expect("long enough"));

fuzz_target!(|input: (&str, u16, u8)| {
    let (text, at, byte) = input;
    let now = DateTime::UNIX_EPOCH;
    assert!(MagicLink::verify(text, &KEYS, now).is_err());
    let key = MagicLink { person: Uuid::from_u128(1), lead: Uuid::from_u128(2), signs_in: None };
    let signed = key.sign(&KEYS, now);
    let mut changed = signed.clone().into_bytes();
    let at = usize::from(at) % changed.len();
    changed[at] = byte;
    if let Ok(changed) = String::from_utf8(changed) {
        assert_eq!(MagicLink::verify(&changed, &KEYS, now).is_ok(), changed == signed, "{changed}");
    }
});
