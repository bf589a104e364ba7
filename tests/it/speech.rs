//! In which language the server itself speaks, and to whom it speaks on a page.

use crate::stage::{Stage, View};

/// Text for programs, in the language that they ask for; a browser has a page of it.
#[tokio::test]
async fn what_is_said_is_said_in_the_language_of_who_asks() {
    let stage = Stage::open(&View::start()).await;
    let (da, page) = ("Accept-Language: da", "Accept: text/html,*/*;q=0.8");
    for (line, told) in [
        ("GET /nothing", "Der er intet på denne adresse.\n"),
        ("GET /board/x", "Her er intet bræt med dette navn.\n"),
        ("GET /board/table-1/games/7", "Her er intet sådant parti.\n"),
        ("GET /round/7/games.pgn", "Her er ingen sådan runde.\n"),
        ("POST /", "Her kan man kun læse: brug GET eller HEAD.\n"),
        ("GET /hall/ws", "Denne adresse taler kun WebSocket.\n"),
    ] {
        assert_eq!(stage.ask(line, &[da]).await.body, told, "{line}");
        assert!(stage.ask(line, &[]).await.body.is_ascii(), "{line}");
        if cfg!(feature = "web") {
            let answer = stage.ask(line, &[da, page]).await;
            assert!(answer.header("content-type").starts_with("text/html"), "{line}");
            assert!(answer.body.contains(told.trim_end()), "{line}");
        }
    }
    let strange = stage.ask("GET /", &[da, "Host: boards.example.net"]).await;
    assert!(strange.body.starts_with("Dette navn kendes ikke her"), "{}", strange.body);
}
