//! Lists of pairings, as PGN, as a report to FIDE or as a table: used whole, or refused in one
//! line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::shell::pairings::Pairings;

fuzz_target!(|bytes: &[u8]| {
    let is_one_line = |why: &str| !why.is_empty() && !why.chars().any(char::is_control);
    match Pairings::parse(bytes) {
        Err(why) => assert!(is_one_line(&why.to_string()), "{why:?}"),
        Ok(list) => {
            let first = list.first_open().expect("a list with a game has a round");
            for round in [first, first.wrapping_add(1), 0] {
                if let Err(why) = list.round(round) {
                    assert!(is_one_line(&why.to_string()), "{why:?}");
                }
            }
        }
    }
});
