//! Buttons for promotions beside a board that is not on the pins: they are all that is read there,
//! and whatever is wrong with them, the board goes on.

use super::{MatrixNews, MatrixStub, PinReader, open_buttons};
use crate::shell::config::BoardConfig;
use crate::shell::now::Now;
use crate::shell::serial::BACKOFF;
use std::thread;
use std::time::Duration;
use tracing::{error, info, warn};

/// Between two looks: a button is held down for longer.
const PERIOD: Duration = Duration::from_millis(10);

/// Starts reading the buttons of the board of these settings, if it has any there.
pub(in crate::shell) fn start(board: &BoardConfig, now: Now) -> Option<MatrixStub> {
    board.has_buttons_beside().then(|| {
        let (stub, reader) = PinReader::of(board, now);
        // Without a thread nothing is heard of them.
        if let Err(why) = thread::Builder::new().name("buttons".to_owned()).spawn(|| run(reader)) {
            error!(board = board.name, "there is no thread to read its buttons: {why}");
        }
        stub
    })
}

fn run(mut reader: PinReader) {
    let (mut backoff, mut said) = (BACKOFF, None);
    while reader.is_wanted() {
        let why = match open_buttons(&reader.settings) {
            Ok(mut buttons) => {
                (backoff, said) = (BACKOFF, None);
                info!(board = reader.board, "the buttons for promotions are read");
                loop {
                    if !reader.is_wanted() {
                        return;
                    }
                    let at = reader.now.stamp();
                    match buttons.chosen(at.mono) {
                        Ok(Some(role)) => reader.tell(at, MatrixNews::Chosen(role)),
                        Ok(None) => {}
                        Err(why) => break why,
                    }
                    thread::sleep(PERIOD);
                }
            }
            Err(why) => why,
        };
        if said.as_ref() != Some(&why) {
            warn!(board = reader.board, "the buttons for promotions are not read: {why}");
            said = Some(why);
        }
        reader.rest(backoff.wait());
    }
}
