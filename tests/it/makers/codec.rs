//! Bytes against words, both ways, and what noise and slices change.

use rokade::board::certabo::learn;
use rokade::time::Mono;
use rokade::wire::blocks::{BlockLanguage, Blocks, Cuttings};
use rokade::wire::certabo::{Chip, FromCertabo, encode_lights, lines_of, parse_chips};
use rokade::wire::chesslink::{FromBoard, ToBoard};
use rokade::wire::chessnut::{FromChessnut, ToChessnut};
use rokade::wire::ucb::{FromUcb, ToUcb};
use rokade::wire::{
    BoardCommand, CertaboLights, CertaboMessage, ChessLinkCommand, ChessLinkMessage,
    ChessnutCommand, ChessnutMessage, Dump, Field, Orientation, UcbCommand, UcbMessage, pegasus,
};
use shakmaty::{Board, Color, Role, Square};
use std::time::Duration;

use crate::table::rows;
use crate::wire::describe::{hex, unhex};

const TABLE: &str = include_str!("../../tables/chesslink.csv");

fn position(dump: &Dump) -> String {
    let (lies, name) = match dump.orientation() {
        Some(Orientation::Normal) => (Orientation::Normal, "normal"),
        Some(Orientation::Rotated) => (Orientation::Rotated, "rotated"),
        None => (Orientation::Normal, "unknown"),
    };
    format!("position {} {name}", dump.placement(lies))
}

fn said_by_host(command: &ChessLinkCommand) -> String {
    match command {
        ChessLinkCommand::Version => "version".into(),
        ChessLinkCommand::Position => "position".into(),
        ChessLinkCommand::Light(table) => {
            // White's way to read a board: file by file, from the first rank on.
            let mut lit: Vec<Square> = table.squares(Orientation::Normal).into_iter().collect();
            lit.sort_by_key(|sq| (sq.file(), sq.rank()));
            // A square between two that are lit has all its corners lit, too.
            lit.retain(|sq| *sq != Square::E3);
            lit.iter().fold("light".into(), |text: String, sq| text + " " + &sq.to_string())
        }
        ChessLinkCommand::Dark => "dark".into(),
        ChessLinkCommand::Restart => "restart".into(),
        ChessLinkCommand::Read(register) => format!("read {register:?}"),
        ChessLinkCommand::Write(register, value) => format!("write {register:?} {value}"),
    }
}

fn said_by_board(message: &ChessLinkMessage) -> String {
    match message {
        ChessLinkMessage::Version { major, minor } => format!("version {major}.{minor}"),
        ChessLinkMessage::Position(dump) => position(dump),
        ChessLinkMessage::Lit => "lit".into(),
        ChessLinkMessage::Dark => "dark".into(),
        ChessLinkMessage::Read(register, value) => format!("read {register:?} {value}"),
        ChessLinkMessage::Written(register, value) => format!("written {register:?} {value}"),
    }
}

fn cut<L: BlockLanguage>(bytes: &[u8]) -> Cuttings<L::Message> {
    Blocks::default().push::<L>(Mono(0), bytes)
}

#[test]
fn chesslink_says_what_the_table_says() {
    let rows = rows::<5>(TABLE);
    assert_eq!(rows.len(), 19);
    for [id, direction, bytes, meaning, _] in rows {
        let (words, again) = match direction {
            "to-board" => {
                let cuttings = cut::<ToBoard>(&unhex(bytes));
                assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
                (said_by_host(&cuttings.messages[0]), cuttings.messages[0].encode())
            }
            _ => {
                let cuttings = cut::<FromBoard>(&unhex(bytes));
                assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
                (said_by_board(&cuttings.messages[0]), cuttings.messages[0].encode())
            }
        };
        assert_eq!((words.as_str(), hex(&again).as_str()), (meaning, bytes), "{id}");
    }
}

/// All that boards say in the table, one after the other.
fn stream() -> (Vec<u8>, Vec<String>) {
    let rows = rows::<5>(TABLE);
    let of_board = rows.iter().filter(|row| row[1] == "from-board");
    let (bytes, words): (Vec<_>, Vec<_>) =
        of_board.map(|row| (unhex(row[2]), row[3].to_owned())).unzip();
    (bytes.concat(), words)
}

#[test]
fn slices_change_nothing() {
    let (bytes, words) = stream();
    for slice in [1, 2, 3, 7, 66, bytes.len()] {
        let (mut blocks, mut said) = (Blocks::default(), Vec::new());
        for part in bytes.chunks(slice) {
            let cuttings = blocks.push::<FromBoard>(Mono(0), part);
            assert_eq!(cuttings.n_noise, 0, "in slices of {slice}");
            said.extend(cuttings.messages.iter().map(said_by_board));
        }
        assert_eq!(said, words, "in slices of {slice}");
    }
}

/// A bit that is turned over costs its own message, and is never believed.
#[test]
fn a_bit_that_is_turned_over_costs_one_message() {
    let (bytes, words) = stream();
    for idx in 0..bytes.len() {
        for bit in 0..8 {
            let mut hurt = bytes.clone();
            hurt[idx] ^= 1 << bit;
            let cuttings = cut::<FromBoard>(&hurt);
            let said: Vec<String> = cuttings.messages.iter().map(said_by_board).collect();
            let of_words = words.iter().filter(|word| said.contains(word)).count();
            assert_eq!(said.len(), of_words, "byte {idx}, bit {bit}: {said:?}");
            assert!(said.len() + 1 >= words.len(), "byte {idx}, bit {bit}: {said:?}");
            assert!(cuttings.n_noise > 0 || said.len() < words.len());
        }
    }
}

#[test]
fn two_bytes_that_agree_in_error_are_caught_by_the_sum() {
    let start = Dump::new(&Board::new(), Orientation::Normal);
    let mut bytes = ChessLinkMessage::Position(Box::new(start)).encode();
    // A black rook becomes a white one: two bits of one byte keep its parity.
    bytes[1] ^= 0x20 | 0x80;
    assert_eq!(cut::<FromBoard>(&bytes), Cuttings { messages: Vec::new(), n_noise: bytes.len() });
}

/// Bytes with the sum and the parity of this text.
fn summed(text: &str, as_digits: fn(u8) -> String) -> Vec<u8> {
    let sum = as_digits(text.bytes().fold(0, |sum, byte| sum ^ byte));
    let odd = |byte: u8| if byte.count_ones().is_multiple_of(2) { byte | 0x80 } else { byte };
    text.bytes().chain(sum.bytes()).map(odd).collect()
}

/// What looks like a number to a computer, or has its sum in other letters, was hurt on its way.
#[test]
fn only_what_may_stand_there_makes_a_message() {
    let upper: fn(u8) -> String = |sum| format!("{sum:02X}");
    let lower: fn(u8) -> String = |sum| format!("{sum:02x}");
    let rows = [
        ("v0105", upper, true),
        ("v+105", upper, false),
        ("v01 5", upper, false),
        ("r0214", upper, true),
        ("r+214", upper, false),
        ("w02+1", upper, false),
        ("l", upper, true),
        ("l", lower, false),
    ];
    for (text, digits, is_one) in rows {
        let cuttings = cut::<FromBoard>(&summed(text, digits));
        assert_eq!(cuttings.messages.len(), usize::from(is_one), "{text:?}");
    }
    for (text, is_one) in [("R02", true), ("R+2", false), ("W0214", true), ("W+214", false)] {
        let cuttings = cut::<ToBoard>(&summed(text, upper));
        assert_eq!(cuttings.messages.len(), usize::from(is_one), "{text:?}");
    }
}

/// A letter that begins the longest of messages, alone in noise, keeps no other message waiting.
#[test]
fn what_comes_behind_a_stray_letter_is_told_at_once() {
    for stray in ["s", "srnb", "v01", "r0"] {
        let stray: Vec<u8> = summed(stray, |_| String::new());
        let bytes = [&stray[..], &ChessLinkMessage::Lit.encode()].concat();
        let found = Cuttings { messages: vec![ChessLinkMessage::Lit], n_noise: stray.len() };
        assert_eq!(cut::<FromBoard>(&bytes), found, "{stray:x?}");
    }
    let stray = summed("L", |_| String::new());
    let bytes = [&stray[..], &ChessLinkCommand::Version.encode()].concat();
    assert_eq!(cut::<ToBoard>(&bytes).messages, [ChessLinkCommand::Version]);
}

#[test]
fn a_message_that_stops_is_given_up() {
    let (bytes, words) = stream();
    let mut blocks = Blocks::default();
    let start = ChessLinkMessage::Position(Box::new(Dump::new(&Board::new(), Orientation::Normal)));
    let half = &start.encode()[..40];
    assert_eq!(blocks.push::<FromBoard>(Mono(0), half).n_noise, 0);
    let late = Mono(0) + Duration::from_millis(600);
    let cuttings = blocks.push::<FromBoard>(late, &bytes);
    assert_eq!(cuttings.n_noise, half.len());
    assert_eq!(cuttings.messages.iter().map(said_by_board).collect::<Vec<_>>(), words);
}

/// The squares of a set, those of a rank that stand side by side as one: `a2-d2 f2-h2`.
fn runs(occupied: &[bool; 64]) -> String {
    let name = |idx: usize| Orientation::Normal.square(Field::new(idx.try_into().unwrap()));
    let mut text = String::new();
    for rank in 0..8 {
        let squares: Vec<usize> = (rank * 8..rank * 8 + 8).filter(|idx| occupied[*idx]).collect();
        for run in squares.chunk_by(|a, b| a + 1 == *b) {
            text += &match run {
                [one] => format!(" {}", name(*one)),
                more => format!(" {}-{}", name(more[0]), name(*more.last().unwrap())),
            };
        }
    }
    text
}

fn said_by_certabo(message: &CertaboMessage) -> String {
    match message {
        CertaboMessage::Occupied(fields) => format!("occupied{}", runs(fields)),
        CertaboMessage::Chips(chips) => {
            let there = chips.iter().zip(Field::all()).filter(|(chip, _)| **chip != Chip::NONE);
            let words = there.map(|(Chip(it), field)| {
                let numbers = it.map(|number| number.to_string()).join(".");
                format!(" {}={numbers}", Orientation::Normal.square(field))
            });
            format!("chips{}", words.collect::<String>())
        }
        CertaboMessage::HasLights => "lights".into(),
        CertaboMessage::HasColors => "colors".into(),
    }
}

#[test]
fn certabo_says_what_the_table_says() {
    let rows = rows::<5>(include_str!("../../tables/certabo.csv"));
    assert_eq!(rows.len(), 9);
    for [id, direction, bytes, meaning, _] in rows {
        if direction == "from-board" {
            let cuttings = cut::<FromCertabo>(&unhex(bytes));
            assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
            assert_eq!(said_by_certabo(&cuttings.messages[0]), meaning, "{id}");
            assert_eq!(hex(&cuttings.messages[0].encode()), bytes, "{id}");
            continue;
        }
        let (kind, squares) = meaning.split_once(' ').unwrap_or((meaning, ""));
        let squares = squares.split_whitespace().map(|sq| sq.parse::<Square>().unwrap()).collect();
        let kind = match kind {
            "squares" => CertaboLights::Squares,
            _ => CertaboLights::Corners,
        };
        assert_eq!(hex(&encode_lights(squares, Orientation::Normal, kind)), bytes, "{id}");
    }
}

/// Letters and stars may stand anywhere between lines, and a line that is hurt is none.
#[test]
fn lines_of_certabo_are_found_however_they_are_sliced_and_hurt() {
    let line = b":255 255 0 0 0 0 255 255\r\n";
    let stream =
        [b"5 0 255\r\nL".as_slice(), line, b"*\r\nD", line, b":255 255 0 0", line].concat();
    for slice in [1, 2, 5, 13, stream.len()] {
        let (mut blocks, mut said, mut n_noise) = (Blocks::default(), Vec::new(), 0);
        for part in stream.chunks(slice) {
            let cuttings = blocks.push::<FromCertabo>(Mono(0), part);
            said.extend(cuttings.messages.iter().map(said_by_certabo));
            n_noise += cuttings.n_noise;
        }
        let start = "occupied a8-h8 a7-h7 a2-h2 a1-h1";
        assert_eq!(said, ["lights", start, "colors", start, start], "in slices of {slice}");
        assert_eq!(n_noise, 14, "in slices of {slice}");
    }
    for hurt in ["256 255 0 0 0 0 255 255", "255 255 0 0 0 0 255", "255 255 0 x 0 0 255 255", ""] {
        let cuttings = cut::<FromCertabo>(format!(":{hurt}\r\n").as_bytes());
        assert!(cuttings.messages.is_empty() && cuttings.n_noise > 0, "{hurt}");
    }
}

#[test]
fn chips_are_learnt_from_the_start_position() {
    let picture = |lies: Orientation, board: &Board| {
        let mut chips = [Chip::NONE; 64];
        for (n, (sq, _)) in (1..).zip(board.clone()) {
            chips[usize::from(lies.field(sq).index())] = Chip([n, 1, 2, 3, 4]);
        }
        chips
    };
    let mut start = Board::new();
    start.set_piece_at(Square::D3, Role::Queen.of(Color::White));
    for lies in [Orientation::Normal, Orientation::Rotated] {
        let mut pictures = vec![picture(lies, &start); 9];
        // A weak chip is read once only.
        for weak in &mut pictures[1..] {
            weak[usize::from(lies.field(Square::G8).index())] = Chip::NONE;
        }
        let chips = learn(&pictures, lies).unwrap();
        assert_eq!(chips.len(), 33);
        let of = |role: Role| chips.values().filter(|it| **it == role.of(Color::White)).count();
        assert_eq!((of(Role::Pawn), of(Role::Queen), of(Role::King)), (8, 2, 1));
        assert_eq!(parse_chips(&lines_of(&chips)).unwrap(), chips);
        for (sq, piece, why) in [
            (Square::E2, None, "no chip can be read on e2"),
            (Square::E4, Some(Role::Pawn.of(Color::White)), "e4 should be empty but has a chip"),
        ] {
            let mut other = start.clone();
            other.discard_piece_at(sq);
            if let Some(piece) = piece {
                other.set_piece_at(sq, piece);
            }
            assert_eq!(learn(&[picture(lies, &other)], lies).unwrap_err(), why);
        }
    }
    for (line, why) in [
        ("K 1 2 3 4", "is no piece with its chip"),
        ("X 1 2 3 4 5", "is no piece with its chip"),
        ("K 1 2 3 4 256", "is no piece with its chip"),
    ] {
        assert!(parse_chips(&[line.to_owned()]).unwrap_err().contains(why), "{line}");
    }
    let twice = ["K 1 2 3 4 5", "k 1 2 3 4 5"].map(str::to_owned);
    assert!(parse_chips(&twice).unwrap_err().contains("another piece has"));
}

fn said_by_chessnut(message: &ChessnutMessage) -> String {
    match message {
        ChessnutMessage::Position { dump, is_long } => {
            let length = if *is_long { "long" } else { "short" };
            format!("position {} {length}", dump.placement(Orientation::Normal))
        }
        ChessnutMessage::Battery { percent, is_charging } => {
            format!("battery {percent}{}", if *is_charging { " charging" } else { "" })
        }
    }
}

fn said_to_chessnut(command: &ChessnutCommand) -> String {
    let ChessnutCommand::Light(_) = command else { return "start".into() };
    // White's way to read a board: file by file, from the first rank on.
    let mut lit: Vec<Square> = command.lit(Orientation::Normal).into_iter().collect();
    lit.sort_by_key(|sq| (sq.file(), sq.rank()));
    lit.into_iter().fold("light".into(), |text: String, sq| format!("{text} {sq}"))
}

#[test]
fn chessnut_says_what_the_table_says() {
    let rows = rows::<5>(include_str!("../../tables/chessnut.csv"));
    assert_eq!(rows.len(), 10);
    for [id, direction, bytes, meaning, _] in rows {
        let (said, again) = if direction == "to-board" {
            let cuttings = cut::<ToChessnut>(&unhex(bytes));
            assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
            (said_to_chessnut(&cuttings.messages[0]), cuttings.messages[0].encode())
        } else {
            let cuttings = cut::<FromChessnut>(&unhex(bytes));
            assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
            (said_by_chessnut(&cuttings.messages[0]), cuttings.messages[0].encode())
        };
        assert_eq!(said, meaning, "{id}");
        // How long the board has been on stands behind the position of a short report.
        let n_known = if bytes.starts_with("01 24") { 34 } else { again.len() };
        assert_eq!(hex(&again[..n_known]), bytes[..3 * n_known - 1], "{id}");
    }
}

/// Reports are filled up with zeros, and what is none costs no other.
#[test]
fn reports_of_chessnut_are_found_however_they_are_sliced_and_hurt() {
    let start = Box::new(Dump::new(&Board::new(), Orientation::Normal));
    let report = ChessnutMessage::Position { dump: start, is_long: true }.encode();
    let battery = ChessnutMessage::Battery { percent: 7, is_charging: false }.encode();
    let mut hurt = report.clone();
    // There is no thirteenth piece.
    hurt[2] = 0xd8;
    let stream = [&report[..], &[0], &hurt, &[0xff, 0x77], &battery, &[0; 59], &report].concat();
    for slice in [1, 2, 5, 13, 64, stream.len()] {
        let (mut blocks, mut said) = (Blocks::default(), Vec::new());
        for part in stream.chunks(slice) {
            let cuttings = blocks.push::<FromChessnut>(Mono(0), part);
            said.extend(cuttings.messages.iter().map(said_by_chessnut));
        }
        let position = "position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR long";
        assert_eq!(said, [position, "battery 7", position], "in slices of {slice}");
    }
}

#[test]
fn each_square_of_chessnut_is_read_and_lit_in_its_place() {
    for lies in [Orientation::Normal, Orientation::Rotated] {
        for sq in Square::ALL {
            assert_eq!(ChessnutCommand::light(sq.into(), lies).lit(lies), sq.into());
            for (color, role) in Color::ALL.into_iter().flat_map(|it| Role::ALL.map(|r| (it, r))) {
                let mut board = Board::empty();
                board.set_piece_at(sq, role.of(color));
                let dump = Box::new(Dump::new(&board, lies));
                let report = ChessnutMessage::Position { dump, is_long: false };
                let cuttings = cut::<FromChessnut>(&report.encode());
                assert_eq!(cuttings.messages, [report]);
            }
        }
    }
}

#[test]
fn each_square_of_a_pegasus_is_lit_in_its_place() {
    for lies in [Orientation::Normal, Orientation::Rotated] {
        for sq in Square::ALL {
            let leds = pegasus::light(sq.into(), lies);
            assert_eq!(pegasus::lit(&leds, lies), sq.into());
            let bytes = BoardCommand::PegasusLeds(leds).encode();
            assert_eq!(bytes, [0x60, 6, 5, 4, 0, 2, lies.field(sq).index(), 0]);
        }
    }
    let leds = pegasus::light(shakmaty::Bitboard::EMPTY, Orientation::Normal);
    assert_eq!(BoardCommand::PegasusLeds(leds).encode(), [0x60, 2, 0, 0]);
    let leds = pegasus::light(shakmaty::Bitboard::FULL, Orientation::Normal);
    let bytes = BoardCommand::PegasusLeds(leds).encode();
    assert_eq!((bytes.len(), bytes[1]), (71, 69));
}

fn said_by_ucb(message: &UcbMessage) -> String {
    match message {
        UcbMessage::TellsMoves => "tells".into(),
        UcbMessage::IsReferee => "is referee".into(),
        UcbMessage::NewGame => "new game".into(),
        UcbMessage::TakenBack => "taken back".into(),
        UcbMessage::Other => "other".into(),
        UcbMessage::Moved { from, to, promotion } => {
            let letter = promotion.map_or(String::new(), |role| role.char().to_string());
            format!("move {from}{to}{letter}")
        }
    }
}

#[test]
fn novag_says_what_the_table_says() {
    let rows = rows::<5>(include_str!("../../tables/ucb.csv"));
    assert_eq!(rows.len(), 9);
    for [id, direction, bytes, meaning, _] in rows {
        let (said, again) = if direction == "to-board" {
            let cuttings = cut::<ToUcb>(&unhex(bytes));
            let word = match cuttings.messages[..] {
                [UcbCommand::TellMoves] => "tell",
                [UcbCommand::Referee] => "referee",
                _ => panic!("{id}: {cuttings:?}"),
            };
            (word.to_owned(), cuttings.messages[0].encode())
        } else {
            let cuttings = cut::<FromUcb>(&unhex(bytes));
            assert_eq!((cuttings.messages.len(), cuttings.n_noise), (1, 0), "{id}");
            (said_by_ucb(&cuttings.messages[0]), cuttings.messages[0].encode())
        };
        assert_eq!((said.as_str(), hex(&again).as_str()), (meaning, bytes), "{id}");
    }
}

/// A line that is not understood is passed over as a whole, and no move is found within it.
#[test]
fn lines_of_novag_are_found_however_they_are_sliced_and_hurt() {
    let stream = b"2e4\r\nXmit..\r\nPosition Board\r\n.8..r+n+\r\nIllegal Me2e5\r\nMe2e4\r\n\r\n\
                   Me9e4\r\nMe2e4/P\r\nM\x80e7e5\r\nT..\r\n";
    for slice in [1, 2, 5, 13, stream.len()] {
        let (mut blocks, mut said) = (Blocks::default(), Vec::new());
        for part in stream.chunks(slice) {
            let cuttings = blocks.push::<FromUcb>(Mono(0), part);
            said.extend(cuttings.messages.iter().map(said_by_ucb));
        }
        let known: Vec<_> = said.iter().filter(|it| *it != "other").collect();
        assert_eq!(known, ["tells", "move e2e4", "taken back"], "in slices of {slice}");
    }
}

/// A line of numbers that does not end is given up where it is longer than any.
#[test]
fn a_line_without_an_end_is_noise() {
    let cuttings = cut::<FromCertabo>(format!(":{}", "1 ".repeat(4_000)).as_bytes());
    assert!(cuttings.n_noise > 0 && cuttings.messages.is_empty());
    let cuttings = cut::<FromCertabo>(format!(":{}", "1 ".repeat(20)).as_bytes());
    assert_eq!(cuttings.n_noise, 0, "it may still become a message");
}
