//! The line of a DGT board, either way: no byte panics, and what was understood is written as it
//! was read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::time::Mono;
use rokade::wire::{
    BoardCommand, BoardMessage, BusLine, CommandDecoder, Decoder, HostItem, Item, Session, Streams,
    decode_log,
};

fuzz_target!(|bytes: &[u8]| {
    let (mut decoder, mut items) = (Decoder::default(), Vec::new());
    let (mut session, mut sent) = (Session::new(Streams::BoardAndClock), Vec::new());
    session.link_up(Mono(0), &mut sent);
    // Reads of seven bytes: every message is cut somewhere.
    for (part, ms) in bytes.chunks(7).zip((0..).step_by(40)) {
        let now = Mono::from_millis(ms);
        decoder.push(now, part, &mut items);
        session.on_bytes(now);
        for item in items.drain(..) {
            let Item::Message(message) = item else { continue };
            if let BoardMessage::Log(payload) = &message {
                decode_log(payload);
            }
            session.on_message(now, &message, &mut sent);
            assert_is_read_again(&message);
        }
        if session.wake_at().is_some_and(|due| due <= now) {
            session.on_timeout(now, &mut sent);
            assert!(session.wake_at().is_none_or(|due| due > now), "a time that is over");
        }
    }
    let mut shared = BusLine::new(&[1_025, 1_026]);
    shared.link_up(Mono(0));
    for (part, ms) in bytes.chunks(7).zip((0..).step_by(40)) {
        let now = Mono::from_millis(ms);
        shared.on_bytes(now, part);
        shared.order(now, 0, part);
        shared.on_timeout(now);
        assert!(shared.wake_at().is_some_and(|due| due > now), "a time that is over");
        while shared.poll().is_some() {}
    }
    let (mut host, mut asked) = (CommandDecoder::default(), Vec::new());
    host.push(bytes, &mut asked);
    for item in asked {
        if let HostItem::Command(command) = item {
            assert_eq!(BoardCommand::decode(&command.encode()), Some(command));
        }
    }
});

fn assert_is_read_again(message: &BoardMessage) {
    let mut again = Vec::new();
    Decoder::default().push(Mono(0), &message.encode(), &mut again);
    let [Item::Message(first)] = &again[..] else { panic!("{message:?}: {again:?}") };
    // What a byte can say in two ways is written in one.
    assert_eq!(first.encode(), message.encode());
}
