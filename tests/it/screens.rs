//! The pages on screens of every size, with names longer than any screen is wide: nothing is cut
//! that must be read or pressed, and nothing lies upon anything else.

#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;

use serde_json::json;

use crate::browser::STATUS;
use crate::chromium::Chromium;
use crate::stage::{Stage, View};

/// Longer than any line for it.
const EVENT: &str = "2nd Grand Open of the Northern Lights, in memory of all who came before";

/// Two players of whom everything is known, and all of it is long.
fn titled() -> View {
    let player = |title: &str, federation: &str, team: &str| {
        json!({ "title": title,
        "rating": "2771", "federation": federation, "team": team })
    };
    View {
        white: "Nepomniachtchi, Ian".to_owned(),
        black: "Vachier-Lagrave, Maxime".to_owned(),
        players: json!({
            "white": player("GM", "FID", "Slough Sharks First Team"),
            "black": player("WGM", "NOR", "Schachklub Bebenhausen 1992"),
        }),
        event: EVENT.to_owned(),
        round: "3.12".to_owned(),
        ..View::after_e4()
    }
}

/// Boards of these players, White's first, and the page with all of them.
async fn open_hall(players: &[[&str; 2]], query: &str) -> (Stage, Chromium) {
    let names: Vec<String> = (1..=players.len()).map(|number| number.to_string()).collect();
    let named: Vec<&str> = names.iter().map(String::as_str).collect();
    let addr = SocketAddr::from(([127, 0, 0, 1], 0));
    let stage = Stage::open_at(addr, &named, &View::start()).await;
    for (idx, (board, [white, black])) in names.into_iter().zip(players).enumerate() {
        let (white, black) = ((*white).to_owned(), (*black).to_owned());
        stage.publish_at(idx, &View { board, white, black, ..titled() });
    }
    let page = Chromium::start().await;
    page.open(&stage.url(&format!("/hall{query}"))).await;
    page.wait_for(STATUS, "live").await;
    page.wait_for("document.querySelectorAll('#grid .tile').length", players.len()).await;
    (stage, page)
}

/// Whether one of these is not wholly on the page.
fn cut(selectors: &str) -> String {
    format!(
        "[...document.querySelectorAll('{selectors}')].filter(part => {{
            const {{ left, top, right, bottom }} = part.getBoundingClientRect();
            return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
        }}).map(part => `${{part.className || part.title}}: ${{part.textContent}}`).join()"
    )
}

const LONG: [&str; 2] = ["Radhakrishnan-Venkataraman, Subramaniam", "Nepomniachtchi, Ian"];

#[tokio::test]
async fn a_narrow_hall_keeps_its_clocks_on_the_page() {
    let (stage, wide) = open_hall(&[LONG; 2], "").await;
    wide.resize(500, 640).await;
    for (page, width) in [(&Chromium::of_size(360, 640).await, 360), (&wide, 500)] {
        page.open(&stage.url("/hall?language=hu")).await;
        page.wait_for("document.querySelectorAll('#grid .tile').length", 2).await;
        page.wait_for(
            "[innerWidth, document.documentElement.scrollWidth].join()",
            format!("{width},{width}"),
        )
        .await;
        page.wait_for(&cut(".bar button, .tile .left, #status"), "").await;
    }
}
