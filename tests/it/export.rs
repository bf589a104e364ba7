//! `rokade export`: what is on record for other programs, and as score sheets for people.

#![allow(clippy::unwrap_used)]

use rokade::game::{Pairing, Player, ScoreSheet};
use rokade::laws::notation::Language;
use rokade::relay::paper::ScorePaper;
use rokade::relay::pgn::Tags;
use rokade::relay::whole::WholeGame;
use rokade::shell::pdf;
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use serde_json::Value;
use shakmaty::{ByColor, CastlingMode, Chess};
use tokio::time::timeout;

use crate::cli::{assert_sentence, pgn_moves};
use crate::daemon::game;
use crate::games::classics;
use crate::program::{LIMIT, Place, moves_of, plug};

const LIST: &str = "\
round;board;white;white_title;white_elo;white_fide_id;white_fed;white_team;black
1;1;Ærø, Åse;GM;2539;1400011;DEN;Aarhus;Þór, Ben
1;2;Cid;;;;;;Dan
";

/// The sheets of long games between players with long names and letters of many alphabets.
fn papers(language: Language) -> Vec<ScorePaper> {
    let mut papers = Vec::new();
    for game in classics() {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        for m in &game.moves {
            sheet.push(*m, Vec::new());
        }
        let player = |name: &str| Player { name: name.to_owned(), ..Player::default() };
        let players = ByColor {
            white: player("Őry-Žižková, Þórdís"),
            black: player(&"Каспаров ".repeat(20)),
        };
        let pairing =
            Pairing { event: "Open \u{202e}".to_owned(), round: 1, players, ..Pairing::default() };
        let mut tags = Tags::default();
        tags.pair(&pairing);
        let whole = WholeGame { tags: &tags, sheet: &sheet, ending: None, offers: &[3] };
        papers.push(ScorePaper::new(&whole, language));
    }
    papers
}

/// How many pages a PDF has.
fn n_pages(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    text.matches("/Type/Page").count() - text.matches("/Type/Pages").count()
        + text.matches("/Type /Page").count()
        - text.matches("/Type /Pages").count()
}

#[test]
fn score_sheets_are_printed_in_every_language() {
    let all = papers(Language::English);
    let n_min = all.len();
    for language in Language::ALL {
        let bytes = pdf::render(&papers(language)).unwrap();
        assert!(
            bytes.starts_with(b"%PDF-") && bytes.trim_ascii_end().ends_with(b"%%EOF"),
            "{language}"
        );
        assert!(n_pages(&bytes) >= n_min, "{language}: {} of {n_min}", n_pages(&bytes));
        // The letters in use, and not the whole font.
        assert!(bytes.len() < 200_000 + 40_000 * n_min, "{language}: {}", bytes.len());
    }
}

#[tokio::test]
async fn a_round_is_exported_as_it_is_wanted() {
    let place = Place::with_boards(2);
    std::fs::write(place.path("list.csv"), LIST).unwrap();
    place.add(
        "time_control = \"90m+30s\"\n[event]\nname = \"Club Open\"\npairings = \"list.csv\"\n",
    );
    let (intended, played) = game(7, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended).await;
    for words in [
        ["order", "--board", "table-1", "white", "offer_draw"].as_slice(),
        &["order", "--board", "table-1", "result", "1/2-1/2", "agreement"],
    ] {
        let outcome = place.run(words).await;
        assert_eq!(outcome.code, Some(0), "{words:?}: {outcome:?}");
    }
    assert_eq!(daemon.stop().await.0, Some(0));

    let pgn = place.run(&["export", "--round", "1"]).await;
    assert_eq!((pgn.code, &*pgn.err), (Some(0), ""));
    assert_eq!(pgn_moves(&pgn.out), [intended.clone(), vec![]], "a silent board has its tags");
    assert!(pgn.out.contains("[Round \"1.1\"]") && pgn.out.contains("[White \"Cid\"]"));
    assert!(pgn.out.contains("{[%clk 1:") && pgn.out.contains("[%emt 0:00:"), "{}", pgn.out);

    let json = place.run(&["export", "--round", "1", "--format", "json", "--language", "da"]).await;
    let games: Vec<Value> =
        json.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [first, second] = games.as_slice() else { panic!("{}", json.out) };
    let ucis: Vec<&str> =
        first["moves"].as_array().unwrap().iter().map(|m| m["uci"].as_str().unwrap()).collect();
    assert_eq!(ucis, intended);
    assert_eq!((&first["white"]["title"], &first["reason"]), (&"GM".into(), &"agreement".into()));
    assert!(first["moves"][0]["white_ms"].is_u64(), "{first}");
    assert_eq!((&second["black"]["name"], &second["result"]), (&"Dan".into(), &"*".into()));

    let words = ["export", "--board", "table-1", "--round", "1", "--format", "text"];
    let sheet = place.run(&[&words[..], &["--language", "nb"]].concat()).await.out;
    for text in ["Partiskjema", "Hvit", "GM Ærø, Åse (2539) DEN", "1/2-1/2 (enighet)", " (=)"] {
        assert!(sheet.contains(text), "{text:?} is not in: {sheet}");
    }
    assert!(!sheet.contains("Cid"), "{sheet}");

    let file = place.text("sheets.pdf");
    let words =
        ["export", "--round", "1", "--format", "pdf", "--language", "hu", "--output", &file];
    let pdf = place.run(&words).await;
    assert_eq!((pdf.code, &*pdf.out, &*pdf.err), (Some(0), "", ""));
    assert_eq!(n_pages(&std::fs::read(&file).unwrap()), 2);

    let none = place.run(&["export", "--round", "7"]).await;
    assert_sentence(&none, 2, &["nothing is paired in round 7", "on record: 1"]);
    // Without a format it is PGN, which is the same for programs in every language.
    let german = place.run(&["export", "--round", "1", "--language", "de"]).await;
    assert_eq!((german.code, &german.out), (Some(0), &pgn.out));
    for words in ["PGN has English letters", "--format text, pdf or json"] {
        assert!(german.err.contains(words), "{}", german.err);
    }
    let unknown = place.run(&["export", "--format", "text", "--language", "dansk"]).await;
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
}
