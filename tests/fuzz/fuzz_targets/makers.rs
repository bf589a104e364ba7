//! The lines of other makers' boards and of boards that share one: what was understood is written
//! as it was read, and a game goes on whatever such a board says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::board::BoardKind;
use rokade::game::settings::Settings;
use rokade::game::{Event, Game};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::blocks::{BlockLanguage, Blocks};
use rokade::wire::bus::{BusDecoder, BusItem, BusMessage, BusRequest};
use rokade::wire::certabo::{FromCertabo, decode_squares, parse_chips};
use rokade::wire::chesslink::{FromBoard, ToBoard};
use rokade::wire::chessnut::{FromChessnut, ToChessnut};
use rokade::wire::ucb::FromUcb;
use rokade::wire::{
    CertaboMessage, ChessLinkCommand, ChessLinkMessage, ChessnutCommand, ChessnutMessage,
    Orientation, UcbMessage,
};

/// All that a stream says, cut at every seventh byte. No byte counts twice.
fn cut<L: BlockLanguage>(bytes: &[u8]) -> Vec<L::Message> {
    let (mut blocks, mut messages, mut n_noise) = (Blocks::default(), Vec::new(), 0);
    for (part, ms) in bytes.chunks(7).zip((0..).step_by(40)) {
        let cuttings = blocks.push::<L>(Mono::from_millis(ms), part);
        messages.extend(cuttings.messages);
        n_noise += cuttings.n_noise;
    }
    assert!(n_noise <= bytes.len());
    messages
}

fn is_read_again<L: BlockLanguage<Message: PartialEq>>(message: &L::Message, bytes: &[u8]) {
    let again = Blocks::default().push::<L>(Mono(0), bytes);
    assert!(again.messages.len() == 1 && again.messages.first() == Some(message));
    assert_eq!(again.n_noise, 0);
}

/// A game on a board of this kind, which says these bytes.
fn play(board: BoardKind, bytes: &[u8]) {
    let mut game = Game::new(Settings { board, ..Settings::default() });
    let mut effects = Vec::new();
    let at = |ms| Stamp { mono: Mono::from_millis(ms), wall: Wall(0) };
    game.handle(at(0), &Event::LinkUp, &mut effects);
    for (part, ms) in bytes.chunks(64).zip((0..).step_by(150)) {
        game.handle(at(ms), &Event::Said(part.to_vec()), &mut effects);
        while let Some(mono) = game.wake_at().filter(|due| *due <= at(ms).mono) {
            game.handle(Stamp { mono, wall: Wall(0) }, &Event::Timeout, &mut effects);
            assert!(game.wake_at().is_none_or(|due| due > mono), "a time that is over");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    for said in cut::<FromBoard>(bytes) {
        is_read_again::<FromBoard>(&said, &ChessLinkMessage::encode(&said));
    }
    for asked in cut::<ToBoard>(bytes) {
        is_read_again::<ToBoard>(&asked, &ChessLinkCommand::encode(&asked));
    }
    for said in cut::<FromCertabo>(bytes) {
        is_read_again::<FromCertabo>(&said, &CertaboMessage::encode(&said));
    }
    for said in cut::<FromChessnut>(bytes) {
        is_read_again::<FromChessnut>(&said, &ChessnutMessage::encode(&said));
    }
    for asked in cut::<ToChessnut>(bytes) {
        is_read_again::<ToChessnut>(&asked, &ChessnutCommand::encode(&asked));
    }
    for said in cut::<FromUcb>(bytes) {
        is_read_again::<FromUcb>(&said, &UcbMessage::encode(&said));
    }
    decode_squares(bytes, Orientation::Rotated);
    let lines: Vec<String> = String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect();
    parse_chips(&lines).ok();
    let (mut decoder, mut items) = (BusDecoder::default(), Vec::new());
    bytes.chunks(7).for_each(|part| decoder.push(part, &mut items));
    decoder.reset(&mut items);
    for item in items {
        if let BusItem::Message(message) = item {
            let again = BusMessage::decode(&message.encode());
            assert_eq!(again.map(|it| it.encode()), Some(message.encode()));
        }
    }
    for part in bytes.chunks_exact(4) {
        if let Some(request) = part.try_into().ok().and_then(BusRequest::decode) {
            assert_eq!(BusRequest::decode(request.encode()), Some(request));
        }
    }
    play(BoardKind::ChessLink, bytes);
    play(BoardKind::Certabo, bytes);
    play(BoardKind::Chessnut, bytes);
    play(BoardKind::Ucb, bytes);
    play(BoardKind::Pegasus, bytes);
});
