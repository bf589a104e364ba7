//! Moves written, spoken and read in every language, against the tables.

use super::{position, rows};
use proptest::prelude::*;
use rokade::laws::notation::{Language, MateSign, Misread, read, speak, write};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Role};

fn uci(m: Move) -> String {
    UciMove::from_move(m, CastlingMode::Standard).to_string()
}

fn played(pos: &Chess, word: &str) -> Move {
    let parsed: UciMove = word.parse().unwrap_or_else(|e| panic!("{word}: {e}"));
    parsed.to_move(pos).unwrap_or_else(|e| panic!("{word}: {e}"))
}

#[test]
fn letters_are_those_of_the_table() {
    let table = rows::<2>(include_str!("../../tables/laws/letters.csv"));
    assert_eq!(table.len(), Language::ALL.len());
    for [language, letters] in table {
        let language: Language = language.parse().expect("a language");
        let roles = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let said: String = roles.iter().filter_map(|&role| language.letter(role)).collect();
        assert_eq!(said, letters, "{language}");
        for role in roles {
            let letter = language.letter(role).expect("a letter");
            assert_eq!(language.role(letter), Some(role));
        }
    }
    assert!("dk".parse::<Language>().unwrap_err().to_string().contains("da"));
}

#[test]
fn moves_are_written_as_the_appendix_says_and_read_again() {
    let table = rows::<9>(include_str!("../../tables/laws/notation.csv"));
    assert_eq!(table.len(), 39);
    for [row, fen, word, en, da, nb, hu, de, comment] in table {
        let pos = position(fen);
        let m = played(&pos, word);
        for (language, expected) in Language::ALL.into_iter().zip([en, da, nb, hu, de]) {
            let said = write(&pos, m, language, MateSign::Hash);
            // The examples leave the sign for check out where it is not their point.
            let plain = said.trim_end_matches('+');
            assert!(said == expected || plain == expected, "{row} {fen}: {said} {comment}");
            assert_eq!(read(&pos, expected, language), Ok(m), "{row} {fen} {expected} {comment}");
            assert_eq!(read(&pos, &speak(m, language), language), Ok(m), "{row} {fen}");
        }
    }
}

#[test]
fn the_sample_game_is_read_and_written_in_every_language() {
    let table = rows::<9>(include_str!("../../tables/laws/sample-game.csv"));
    assert_eq!(table.len(), 21);
    let lines = rows::<2>(include_str!("../../tables/laws/sample-lines.csv"));
    for (idx, language) in Language::ALL.into_iter().enumerate() {
        let (mut pos, mut sheet) = (Chess::default(), Vec::new());
        for cells in &table {
            let m = read(&pos, cells[2 + idx], language);
            let m = m.unwrap_or_else(|e| panic!("{language} {}: {e}", cells[2 + idx]));
            assert_eq!(uci(m), cells[1]);
            assert_eq!(read(&pos, &speak(m, language), language), Ok(m));
            let number = if pos.turn().is_white() {
                format!("{}. ", pos.fullmoves())
            } else {
                String::new()
            };
            let offer = if cells[7].is_empty() { "" } else { " (=)" };
            sheet.push(format!("{number}{}{offer}", write(&pos, m, language, MateSign::Hash)));
            pos.play_unchecked(m);
            assert_eq!(Fen::from_position(&pos, EnPassantMode::Legal).to_string(), cells[8]);
        }
        let [code, expected] = lines[idx];
        assert_eq!((code, expected), (language.word(), sheet.join(" ").as_str()));
    }
}

#[test]
fn mates_have_either_sign() {
    let pos = position("7k/6pp/8/8/8/8/8/R5K1 w - - 0 1");
    let m = played(&pos, "a1a8");
    assert_eq!(write(&pos, m, Language::German, MateSign::Hash), "Ta8#");
    assert_eq!(write(&pos, m, Language::German, MateSign::DoublePlus), "Ta8++");
}

#[test]
fn spoken_words_are_those_of_the_table() {
    let table = rows::<4>(include_str!("../../tables/laws/spoken.csv"));
    assert_eq!(table.len(), 96);
    let both = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for [language, kind, value, word] in table {
        let language: Language = language.parse().expect("a language");
        if kind == "castling" {
            let m = played(&both, if value == "O-O" { "e1g1" } else { "e1c1" });
            assert_eq!(speak(m, language), word);
            assert_eq!(read(&both, word, language), Ok(m));
            continue;
        }
        // A move of which the word is a part: by the piece from or to a square.
        let role = if kind == "piece" { value.chars().next() } else { Some('q') };
        let role = role.and_then(Role::from_char).expect("a piece");
        let to: shakmaty::Square = match kind {
            "file" => format!("{value}8").parse().expect("a square"),
            "rank" => format!("h{value}").parse().expect("a square"),
            _ => shakmaty::Square::H8,
        };
        let from = shakmaty::Square::A1;
        let m = Move::Normal { role, from, capture: None, to, promotion: None };
        let is_silent = role == Role::Pawn;
        let said = speak(m, language);
        assert_eq!(said.split(' ').any(|part| part == word), !is_silent, "{language} {said}");
    }
}

#[test]
fn texts_mean_what_the_table_says() {
    let table = rows::<5>(include_str!("../../tables/laws/read.csv"));
    assert_eq!(table.len(), N_TEXTS);
    let mut wrong = Vec::new();
    for [fen, language, text, means, comment] in table {
        let pos = position(fen);
        let said = match read(&pos, text, language.parse().expect("a language")) {
            Ok(m) => uci(m),
            Err(Misread::Unintelligible) => "unintelligible".to_owned(),
            Err(Misread::Ambiguous(moves)) => {
                assert!(moves.len() > 1);
                "ambiguous".to_owned()
            }
            Err(Misread::PieceMissing(_)) => "piece missing".to_owned(),
            Err(Misread::Illegal) => "illegal".to_owned(),
        };
        if said != means {
            wrong.push(format!("{fen} {language} {text:?}: {said}, not {means} ({comment})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn castling_of_chess960_is_read() {
    let fen: Fen = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1".parse().expect("a FEN");
    let pos: Chess = fen.into_position(CastlingMode::Chess960).expect("a position");
    let castles = read(&pos, "0-0", Language::English).expect("castling");
    assert!(castles.is_castle());
    assert_eq!(speak(castles, Language::Danish), "kort rokade");
    // The king's own square is taken by the rook, so that it can only be castling.
    assert_eq!(read(&pos, "Kg1", Language::English), Ok(castles));
}

/// The number of rows in `read.csv`.
const N_TEXTS: usize = 133;

proptest! {
    #[test]
    fn every_move_is_read_as_it_is_written_and_spoken(seed in any::<u64>()) {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut pos = Chess::default();
        for _ in 0..60 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[chance.usize(..moves.len())];
            for language in Language::ALL {
                let text = write(&pos, m, language, MateSign::DoublePlus);
                prop_assert_eq!(read(&pos, &text, language), Ok(m), "{}", text);
                let words = speak(m, language);
                prop_assert_eq!(read(&pos, &words, language), Ok(m), "{}", words);
            }
            pos.play_unchecked(m);
        }
    }

    #[test]
    fn any_text_is_answered(text in ".{0,120}") {
        for language in Language::ALL {
            let pos = Chess::default();
            if let Ok(m) = read(&pos, &text, language) {
                prop_assert!(pos.is_legal(m));
            }
        }
    }
}
