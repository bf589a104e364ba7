//! What clocks say: behind a board, on a bridge, on the DGT 3000's own wire. Drivers neither panic
//! nor wait for a moment that is over.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::time::Mono;
use rokade::wire::bridge::{FromBridge, ToBridge};
use rokade::wire::dgt3000::I2cMessage;
use rokade::wire::{
    BridgeLink, ClockDriver, ClockLine, ClockMessage, LineInput, PortInput, Wanted,
};

fuzz_target!(|bytes: &[u8]| {
    let (mut line, mut out) = (ClockLine::default(), Vec::new());
    line.handle(Mono(0), &LineInput::Up, &mut out);
    line.want(Mono(0), Wanted::default(), &mut out);
    let mut bridge = BridgeLink::default();
    let mut asked = Vec::new();
    bridge.handle(Mono(0), &PortInput::Up, &mut asked);
    bridge.want(Mono(0), Wanted::default(), &mut asked);
    for (part, ms) in bytes.chunks(7).zip((0..).step_by(90)) {
        let now = Mono::from_millis(ms);
        if let Ok(message) = part.try_into() {
            let message = ClockMessage::decode(message);
            line.handle(now, &LineInput::Clock(message), &mut out);
        }
        bridge.handle(now, &PortInput::Bytes(part.to_vec()), &mut asked);
        if line.wake_at().is_some_and(|due| due <= now) {
            line.on_timeout(now, &mut out);
            assert!(line.wake_at().is_none_or(|due| due > now), "a time that is over");
        }
        if bridge.wake_at().is_some_and(|due| due <= now) {
            bridge.on_timeout(now, &mut asked);
            assert!(bridge.wake_at().is_none_or(|due| due > now), "a time that is over");
        }
    }
    if let Ok(message) = I2cMessage::decode(bytes) {
        assert_eq!(I2cMessage::decode(&message.encode()), Ok(message));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        FromBridge::parse(text);
        ToBridge::parse(text);
    }
});
