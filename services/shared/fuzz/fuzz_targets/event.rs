//! Fuzzes the decoding of queue messages: any bytes must be decoded or rejected without a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use messaging::{Event, topology::Route};

fuzz_target!(|body: &[u8]| {
    for route in Route::ALL {
        match Event::decode(route.key(), body) {
            Ok(Event::LeadSubmitted(event)) => {
                let _ = lead::Lead::try_from(event);
            }
            Ok(Event::LeadDelivered(event)) => {
                let _ = crm_sync::deliveries::contract::reports_of_event(event);
            }
            Err(_) => {}
        }
    }
});
