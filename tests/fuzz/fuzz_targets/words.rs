//! What people type: orders, time controls, moves in five languages, traces. What is understood
//! means the same when it is written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::clock::TimeControl;
use rokade::laws::notation::{self, Language};
use rokade::laws::{Act, Declaration, Order};
use rokade::relay::words::plain;
use rokade::sim::script::Script;
use shakmaty::Chess;

fuzz_target!(|text: &str| {
    Act::read(text, "arbiter", text).ok();
    if let Ok(order) = text.parse::<Order>() {
        assert_eq!(order.to_string().parse(), Ok(order));
    }
    if let Ok(said) = text.parse::<Declaration>() {
        assert_eq!(said.to_string().parse(), Ok(said));
    }
    if let Ok(control) = text.parse::<TimeControl>() {
        assert_eq!(control.to_string().parse(), Ok(control));
    }
    for language in Language::ALL {
        if let Ok(m) = notation::read(&Chess::default(), text, language) {
            notation::speak(m, language);
        }
    }
    if let Ok(script) = Script::parse(text) {
        let again = Script::parse(&script.to_text()).expect("what was written");
        assert_eq!(again.to_text(), script.to_text());
    }
    assert!(!plain(text).chars().any(char::is_control));
});
