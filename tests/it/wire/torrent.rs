//! A torrent of bytes through each decoder of a line, as long as the line lives: none panics or
//! hangs, and what is kept of the bytes has its limit.

use std::collections::VecDeque;
use std::fmt::Debug;

use rokade::time::Mono;
use rokade::wire::blocks::{BlockLanguage, Blocks};
use rokade::wire::bridge::{FromBridge, Lines};
use rokade::wire::bus::BusDecoder;
use rokade::wire::certabo::FromCertabo;
use rokade::wire::chesslink::{FromBoard, ToBoard};
use rokade::wire::chessnut::{FromChessnut, ToChessnut};
use rokade::wire::ucb::FromUcb;
use rokade::wire::{CommandDecoder, Decoder, Item, decode_log};

use super::unhex;
use crate::table::rows;

/// As many in each run; `ROKADE_BYTES` says how many else.
const N_BYTES: usize = 2_000_000;
/// The bytes of one read, at most.
const READ_MAX: usize = 64;
/// What a decoder keeps is looked at after so many reads.
const LOOK_EVERY: usize = 20_000;
/// The longest message is a board's memory, of 8 KiB; each byte of it is printed in five letters.
const KEPT_MAX: usize = 5 * 9_000;

/// Messages to and from boards and clocks, of which the torrent has whole ones, and pieces.
fn samples() -> Vec<Vec<u8>> {
    let of_boards = rows::<4>(include_str!("../../tables/dgt-messages.csv"));
    let to_boards = rows::<4>(include_str!("../../tables/dgt-commands.csv"));
    let tables = of_boards.iter().chain(&to_boards).map(|[_, bytes, ..]| unhex(bytes));
    let others: [&[u8]; 7] = [
        include_bytes!("../../fuzz/corpus/makers/bus"),
        include_bytes!("../../fuzz/corpus/makers/certabo"),
        include_bytes!("../../fuzz/corpus/makers/chesslink"),
        include_bytes!("../../fuzz/corpus/makers/chessnut"),
        include_bytes!("../../fuzz/corpus/makers/novag"),
        include_bytes!("../../fuzz/corpus/line/impossible-length"),
        include_bytes!("../../fuzz/corpus/line/resync-header-inside-body"),
    ];
    let of_bridge = FromBridge::parse("got 850 0010070522").expect("a line").encode();
    tables.chain(others.map(<[u8]>::to_vec)).chain([of_bridge]).collect()
}

/// A stream, read 1 to [`READ_MAX`] bytes at a time: messages, pieces
/// of them, hurt now and then, and bytes that mean nothing.
struct Torrent {
    rng: fastrand::Rng,
    samples: Vec<Vec<u8>>,
    waiting: VecDeque<u8>,
}

impl Torrent {
    fn new() -> Self {
        Self { rng: fastrand::Rng::with_seed(1), samples: samples(), waiting: VecDeque::new() }
    }

    fn read(&mut self) -> Vec<u8> {
        let len = self.rng.usize(1..=READ_MAX);
        while self.waiting.len() < len {
            self.pour();
        }
        self.waiting.drain(..len).collect()
    }

    /// The next message, or piece of one, or what is none.
    fn pour(&mut self) {
        if self.rng.u8(..8) == 0 {
            let (n, has_seven_bits) = (self.rng.usize(1..=READ_MAX), self.rng.bool());
            let mask = if has_seven_bits { 0x7f } else { 0xff };
            self.waiting.extend((0..n).map(|_| self.rng.u8(..) & mask));
            return;
        }
        let sample = &self.samples[self.rng.usize(..self.samples.len())];
        let is_whole = self.rng.bool();
        let begin = if is_whole { 0 } else { self.rng.usize(..sample.len()) };
        let end = if is_whole { sample.len() } else { self.rng.usize(begin..sample.len()) };
        self.waiting.extend(&sample[begin..end]);
        if self.rng.u8(..4) == 0
            && let Some(last) = self.waiting.back_mut()
        {
            *last ^= 1 << self.rng.u8(..8);
        }
    }
}

/// Gives a decoder all bytes. `take` returns how many messages a read has completed.
fn run<D: Debug>(what: &str, mut decoder: D, mut take: impl FnMut(&mut D, Mono, &[u8]) -> usize) {
    let n_bytes = std::env::var("ROKADE_BYTES").map_or(N_BYTES, |n| n.parse().expect("a number"));
    let mut torrent = Torrent::new();
    let (mut n_read, mut n_messages, mut at) = (0, 0_u64, Mono(0));
    for n in 1.. {
        // Now and then the line stands still.
        at.0 += if n % 100 == 0 { 2_000_000 } else { 5_000 };
        let bytes = torrent.read();
        n_read += bytes.len();
        n_messages += u64::try_from(take(&mut decoder, at, &bytes)).expect("a count");
        let is_done = n_read >= n_bytes;
        if n % LOOK_EVERY == 0 || is_done {
            let kept = format!("{decoder:?}").len();
            assert!(kept < KEPT_MAX, "{what} keeps {kept} letters' worth after {n_read} bytes");
        }
        if is_done {
            break;
        }
    }
    // Torrents in which nothing is understood show nothing.
    assert!(n_messages > 100, "{what}: {n_messages} messages");
    println!("torrent: {n_read} bytes for {what}, {n_messages} messages");
}

fn run_blocks<L: BlockLanguage>(what: &str) {
    run(what, Blocks::default(), |blocks, at, bytes| {
        let cuttings = blocks.push::<L>(at, bytes);
        cuttings.messages.len()
    });
}

#[test]
fn a_torrent_goes_through_every_decoder() {
    let (mut items, mut asked, mut told) = (Vec::new(), Vec::new(), Vec::new());
    run("a DGT board", Decoder::default(), |decoder, at, bytes| {
        items.clear();
        decoder.push(at, bytes, &mut items);
        if let [Item::Message(rokade::wire::BoardMessage::Log(payload)), ..] = &items[..] {
            decode_log(payload);
        }
        items.iter().filter(|item| matches!(item, Item::Message(_))).count()
    });
    run("what asks a DGT board", CommandDecoder::default(), |decoder, _, bytes| {
        asked.clear();
        decoder.push(bytes, &mut asked);
        asked.len()
    });
    run("a bus", BusDecoder::default(), |decoder, _, bytes| {
        told.clear();
        decoder.push(bytes, &mut told);
        told.len()
    });
    let mut lines = Vec::new();
    run("a bridge", Lines::default(), |decoder, _, bytes| {
        lines.clear();
        decoder.push(bytes, &mut lines);
        lines.len()
    });
    run_blocks::<FromBoard>("ChessLink");
    run_blocks::<ToBoard>("what asks ChessLink");
    run_blocks::<FromCertabo>("Certabo");
    run_blocks::<FromChessnut>("Chessnut");
    run_blocks::<ToChessnut>("what asks Chessnut");
    run_blocks::<FromUcb>("Novag");
}
