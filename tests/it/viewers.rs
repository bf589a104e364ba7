//! What viewers do on the pages, and in which looks and languages they have them: stepping, earlier
//! games, words for those who hear the page, letters for those who sit far away.

#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::Arc;

use rokade::game::ScoreSheet;
use rokade::laws::{Ending, Reason};
use rokade::relay::pgn::Tags;
use rokade::shell::past::PastGames;
use rokade::shell::record::RecordedGame;
use serde_json::json;

use crate::browser::{LARGE, SCORE, STATUS, mated, open, piece_on, press, squares, text};
use crate::chromium::Chromium;
use crate::stage::{Ply, Stage, View};

/// The placement that the board shows, as far as its pieces have arrived.
const PLACEMENT: &str = "(() => {
    const letters = { pawn: 'p', knight: 'n', bishop: 'b', rook: 'r', queen: 'q', king: 'k' };
    const men = new Map([...document.querySelectorAll('cg-board piece:not(.fading):not(.ghost)')]
        .map(piece => {
            const [color, role] = piece.className.split(' ');
            const letter = letters[role];
            return [piece.cgKey, color === 'white' ? letter.toUpperCase() : letter];
        }));
    return [...'87654321'].map(rank => [...'abcdefgh'].map(file => men.get(file + rank) ?? '1')
        .join('').replace(/1+/g, ones => ones.length)).join('/');
})()";

/// Moves with all that is odd about them, and the placement behind each; what follows a gap of
/// moves nobody knows begins anew.
fn odd_game() -> (View, Vec<String>) {
    let sans = [
        "e4", "Nf6", "e5", "d5", "exd6", "c6", "Nf3", "Bg4", "Be2", "Nbd7", "O-O", "Qb6", "h3",
        "O-O-O", "dxe7", "Bh5", "exd8=N", "Kxd8",
    ];
    let mut pos = shakmaty::Chess::default();
    let board = |pos: &shakmaty::Chess| shakmaty::Position::board(pos).board_fen().to_string();
    let mut placements = vec![board(&pos)];
    let mut moves = Vec::new();
    for (idx, san) in sans.into_iter().enumerate() {
        let m = san.parse::<shakmaty::san::San>().unwrap().to_move(&pos).unwrap();
        let uci = shakmaty::uci::UciMove::from_move(m, shakmaty::CastlingMode::Standard);
        pos = shakmaty::Position::play(pos, m).unwrap();
        placements.push(board(&pos));
        let ply = u32::try_from(idx).unwrap() + 1;
        moves.push(Ply {
            ply,
            number: ply.div_ceil(2),
            color: if ply % 2 == 1 { "white" } else { "black" },
            san,
            uci: String::leak(uci.to_string()),
            state: "completed",
            uncertain: false,
            alternatives: &[],
        });
    }
    let fen = format!("{} w - - 0 10", board(&pos));
    (View { moves, fen, last: Some(["c8", "d8"]), ..View::start() }, placements)
}

#[tokio::test]
async fn the_moves_are_stepped_through_while_the_game_goes_on() {
    let (view, placements) = odd_game();
    let n = view.moves.len();
    let (stage, page) = open(&view).await;
    page.wait_for(PLACEMENT, &*placements[n]).await;
    for placement in placements[..n].iter().rev() {
        page.ask(&press("ArrowLeft")).await;
        page.wait_for(PLACEMENT, &**placement).await;
    }
    page.wait_for(&text(".looking-at span"), "Start position").await;
    page.ask(&press("ArrowLeft")).await;
    for placement in &placements[1..4] {
        page.ask(&press("ArrowRight")).await;
        page.wait_for(PLACEMENT, &**placement).await;
    }
    page.wait_for(&text(".looking-at span"), "After 2. e5").await;
    page.wait_for(&squares("last-move"), "e4 e5").await;
    page.wait_for(&text("#announce"), "White, move 2: Eva four Eva five").await;
    // The game goes on beside it, and is where it was left.
    let mut longer = view.clone();
    let (first, san, uci) = (view.moves[0].clone(), "a3", "a2a3");
    longer.moves.push(Ply { ply: 19, number: 10, san, uci, ..first });
    stage.publish(&longer);
    page.wait_for("document.querySelectorAll('#moves button').length", 19).await;
    assert_eq!(page.ask(PLACEMENT).await, *placements[3]);
    page.ask("document.querySelectorAll('#moves button')[10].click()").await;
    page.wait_for(PLACEMENT, &*placements[11]).await;
    page.wait_for(&text("#moves .shown"), "0-0").await;
    page.ask(&press("End")).await;
    page.wait_for(&text(".looking-at"), json!(null)).await;
    page.wait_for(&text("#moves .shown"), "a3").await;
    page.ask(&press("Home")).await;
    page.wait_for(PLACEMENT, &*placements[0]).await;
    // What was looked at is withdrawn with the game: back to the newest.
    stage.publish(&View::start());
    page.wait_for(&text(".looking-at"), json!(null)).await;
    page.wait_for(PLACEMENT, &*placements[0]).await;
}

#[tokio::test]
async fn a_finger_on_the_board_steps_through_the_moves() {
    let (view, placements) = odd_game();
    let (_stage, page) = open(&view).await;
    let swipe = |from: i32, to: i32| {
        format!(
            "[['pointerdown', {from}], ['pointerup', {to}]].forEach(([kind, clientX]) =>
                 document.querySelector('.board').dispatchEvent(
                     new PointerEvent(kind, {{ clientX, clientY: 300, bubbles: true }})))"
        )
    };
    let n = view.moves.len();
    for (from, to, shown) in
        [(100, 200, n - 1), (100, 200, n - 2), (200, 210, n - 2), (200, 100, n - 1)]
    {
        page.ask(&swipe(from, to)).await;
        page.wait_for(PLACEMENT, &*placements[shown]).await;
    }
}

#[tokio::test]
async fn what_is_known_of_the_players_is_shown_and_round_and_table_stay() {
    let view = View {
        event: "The very long name of an open tournament of which nobody remembers the end".into(),
        round: "3.12".to_owned(),
        players: json!({
            "white": { "title": "GM", "rating": "2839", "federation": "NOR", "team": "A <b>" },
            "black": { "title": "", "rating": "", "federation": "XYZ", "team": "" },
        }),
        differs: &["e4"],
        ..View::start()
    };
    let stage = Stage::open(&view).await;
    let page = Chromium::start().await;
    page.open(&stage.url("/board/table-1")).await;
    page.wait_for(STATUS, "differs").await;
    let about = "[...document.querySelectorAll('#bottom .about *')]
        .map(part => part.textContent || (part.complete && part.naturalWidth > 0)).join('|')";
    page.wait_for(about, "GM|true|NOR|2839|A <b>").await;
    // A federation without a flag is a word.
    page.wait_for("document.querySelectorAll('#top img').length", 0).await;
    let is_whole = "(() => {
        const [where, all] = [document.querySelector('.where'), document.querySelector('header')]
            .map(part => part.getBoundingClientRect());
        return `${document.querySelector('.where').textContent} ${where.right <= all.right + 1}`;
    })()";
    for (width, height) in [(1920, 1080), (1280, 720), (500, 1000)] {
        page.resize(width, height).await;
        page.wait_for(is_whole, " · Round 3 · Table 12 true").await;
    }
}

#[tokio::test]
async fn a_television_shows_enough_of_the_score() {
    let (view, _) = odd_game();
    let (_stage, page) = open(&view).await;
    page.resize(1920, 1080).await;
    let seen = "(() => {
        const box = document.querySelector('#moves').getBoundingClientRect();
        return [...document.querySelectorAll('#moves li')].filter(row => {
            const { top, bottom } = row.getBoundingClientRect();
            return top >= box.top - 1 && bottom <= box.bottom + 1;
        }).length;
    })()";
    page.wait_for(&format!("{seen} >= 8"), true).await;
    page.wait_for("document.querySelector('#moves').scrollTop", 0).await;
}

/// The game before the one that is on.
fn played_before() -> PastGames {
    let mut sheet = ScoreSheet::new(shakmaty::Chess::default(), shakmaty::CastlingMode::Standard);
    for san in ["d4", "Nf6"] {
        let m = san.parse::<shakmaty::san::San>().unwrap().to_move(sheet.last()).unwrap();
        sheet.push(m, Vec::new());
    }
    let tags = Tags {
        white: "<b>Ann</b>".to_owned(),
        black: "Ben".to_owned(),
        round: "2.12".to_owned(),
        date: "2026.11.24".to_owned(),
        ..Tags::default()
    };
    let outcome = shakmaty::KnownOutcome::Draw;
    let ending = Some(Ending { outcome, reason: Reason::Agreement });
    let game = RecordedGame { number: 4, tags, sheet, n_public: 2, ending, pairing: None };
    let mut past = PastGames::default();
    past.take("table-1", &game);
    past
}

#[tokio::test]
async fn earlier_games_are_found_and_shown() {
    let (stage, page) = open(&View::after_e4()).await;
    stage.past.send_replace(Arc::new(played_before()));
    page.ask(&press("m")).await;
    page.wait_for("document.getElementById('panel').open", true).await;
    let entry = "[...document.querySelectorAll('#panel li:last-child a *')]
        .map(part => part.textContent).join('|')";
    page.wait_for(entry, "<b>Ann</b> – Ben|½–½|Round 2 · Table 12 · 2026-11-24").await;
    assert_eq!(page.barriers().await, Vec::<String>::new());
    page.ask("document.querySelector('#panel li:last-child a').click()").await;
    page.wait_for(STATUS, "past").await;
    page.wait_for(SCORE, "1. d4 Nf6").await;
    page.wait_for(&text("#result span"), "agreement").await;
    page.wait_for(&text("#bottom .name"), "<b>Ann</b>").await;
    page.wait_for(&text("#event .date"), " · 2026-11-24").await;
    page.ask(&press("ArrowLeft")).await;
    page.wait_for(&piece_on("f6"), json!(null)).await;
    page.wait_for(&piece_on("d4"), "white pawn").await;
    let link = "document.querySelector('#panel a[download]').getAttribute('href')";
    page.wait_for(link, "/board/table-1/games/4.pgn").await;
    let pgn = stage.ask("GET /board/table-1/games/4.pgn", &[]).await;
    assert!(pgn.body.contains("[Result \"1/2-1/2\"]") && pgn.body.contains("1. d4 Nf6"), "{pgn:?}");
    // The game that is on does not come in between.
    stage.publish(&View::start());
    page.wait_for(&text(".looking-at span"), "After 1. d4").await;
    // One that is not there leads to the one that is.
    page.open(&stage.url("/board/table-1?game=77")).await;
    page.wait_for(STATUS, "live").await;
}

#[tokio::test]
async fn the_page_speaks_five_languages() {
    let (view, _) = odd_game();
    let (stage, page) = open(&view).await;
    for (language, title, knight, said) in [
        ("en", "Round 3 · Table 12", "Nf6", "Black, move 1: knight Gustav eight Felix six"),
        ("da", "Runde 3 · Bord 12", "Sf6", "Sort, træk 1: springer Gustav otte Frederik seks"),
        ("nb", "Runde 3 · Bord 12", "Sf6", "Svart, trekk 1: springer Gustav åtte Felix seks"),
        ("hu", "3. forduló · 12. tábla", "Hf6", "Sötét, 1. lépés: huszár Gustav nyolc Felix hat"),
        ("de", "Runde 3 · Brett 12", "Sf6", "Schwarz, Zug 1: Springer Gustav acht Felix sechs"),
    ] {
        stage.publish(&View { round: "3.12".to_owned(), ..view.clone() });
        page.open(&stage.url(&format!("/board/table-1?language={language}"))).await;
        page.wait_for("document.documentElement.lang", language).await;
        page.wait_for(&text(".where"), format!(" · {title}")).await;
        page.wait_for(&text("#moves .black"), knight).await;
        page.ask(&press("Home")).await;
        page.ask(&press("ArrowRight")).await;
        page.ask(&press("ArrowRight")).await;
        page.wait_for(&text("#announce"), said).await;
        let missing = "[...document.querySelectorAll('button, dialog *, section')]
            .filter(part => !part.textContent && !part.ariaLabel && !part.closest('input, svg'))
            .map(part => part.outerHTML).join()";
        assert_eq!(page.ask(missing).await, "", "{language}");
        page.open(&stage.url(&format!("/hall?language={language}"))).await;
        page.wait_for(
            &text("#event"),
            format!("Paris 1858 · {}", title.split(" · ").next().unwrap()),
        )
        .await;
    }
}

#[tokio::test]
async fn the_position_is_told_in_words() {
    let (stage, page) = open(&mated()).await;
    let told = "[...document.querySelectorAll('section.spoken > *')]
        .map(part => part.textContent).join('\\n')";
    let words = "The position\n\
        White: king e1; queen d1; rook a1, h1; bishop c1, f1; knight b1, g1; \
        pawn a2, b2, c2, d2, e2, f3, g4, h2\n\
        Black: king e8; queen h4; rook a8, h8; bishop c8, f8; knight b8, g8; \
        pawn a7, b7, c7, d7, e5, f7, g7, h7";
    page.wait_for(told, words).await;
    page.wait_for(&text("#announce"), "Black, move 2: queen David eight Hector four, checkmate")
        .await;
    page.ask(&press("ArrowLeft")).await;
    page.ask(&press("ArrowLeft")).await;
    let doubtful = "Black, move 1: Eva seven Eva five. 1… may have been e6 or d5";
    page.wait_for(&text("#announce"), doubtful).await;
    // A board that names no pieces, before a game.
    let fen = "8/8/8/8/8/8/8/8 w - - 0 1".to_owned();
    stage.publish(&View { fen, idle: true, unnamed: &["e2", "e4"], ..View::start() });
    page.wait_for(told, "The position\nPieces that the board cannot name: e2, e4").await;
    page.wait_for("document.querySelectorAll('cg-board piece').length", 0).await;
    page.wait_for("document.querySelectorAll('cg-board square.unnamed').length", 2).await;
    page.open(&stage.url("/hall")).await;
    page.wait_for("document.querySelectorAll('#grid square.unnamed').length", 2).await;
}

#[tokio::test]
async fn what_is_chosen_stays_chosen() {
    let (stage, page) = open(&View::after_e4()).await;
    let pressed =
        |nth: usize| format!("document.querySelectorAll('.bar button')[{nth}].ariaPressed");
    page.wait_for(&pressed(5), "false").await;
    assert_eq!(page.ask("document.documentElement.dataset.theme").await, "auto");
    page.ask(&press("f")).await;
    page.wait_for(&text("#top .name"), "Morphy, Paul").await;
    page.ask("document.querySelector('[name=theme][value=contrast]').click()").await;
    page.open(&stage.url("/board/table-1")).await;
    page.wait_for(STATUS, "live").await;
    page.wait_for("document.documentElement.dataset.theme", "contrast").await;
    page.wait_for(&text("#top .name"), "Morphy, Paul").await;
    page.wait_for(&pressed(5), "false").await;
    page.ask(&press("s")).await;
    page.wait_for(&pressed(5), "true").await;
    // An address says it for a screen that nobody touches.
    page.open(&stage.url("/board/table-1?theme=light&flip=off")).await;
    page.wait_for("document.documentElement.dataset.theme", "light").await;
    page.wait_for(&text("#bottom .name"), "Morphy, Paul").await;
}

/// The demo board in another site's frame, and over a video.
const EMBEDDED: &str = "/board/table-1?view=embed&";
const OVERLAY: &str = "/board/table-1?view=overlay&";

#[tokio::test]
async fn nobody_is_shut_out_in_any_theme_or_size() {
    let (view, _) = odd_game();
    let view = View {
        moves: [
            &view.moves[..17],
            &[Ply { uncertain: true, alternatives: &["Kb8"], ..view.moves[17].clone() }],
        ]
        .concat(),
        ..view
    };
    let (stage, page) = open(&view).await;
    for theme in ["light", "dark", "contrast", "hall"] {
        for (width, height) in [(1920, 1080), (500, 1000)] {
            for path in ["/board/table-1?", "/hall?", EMBEDDED, OVERLAY] {
                page.open(&stage.url(&format!("{path}theme={theme}"))).await;
                page.wait_for(STATUS, "live").await;
                page.resize(width, height).await;
                assert_eq!(page.barriers().await, Vec::<String>::new(), "{path} {theme} {width}");
            }
        }
    }
    page.open(&stage.url("/hall?theme=dark")).await;
    page.wait_for("document.querySelectorAll('#grid .tile').length", 1).await;
    page.ask("document.querySelector('#grid .tile').click()").await;
    page.wait_for(LARGE, "table-1").await;
    assert_eq!(page.barriers().await, Vec::<String>::new());
}

/// 15 in a hundred of the height of 55 inches are 10 cm, of which capitals are 7.4 cm high: the two
/// hundredth part of 15 m.
#[tokio::test]
async fn a_big_hall_has_large_letters() {
    let (view, _) = odd_game();
    let (stage, page) = open(&view).await;
    page.open(&stage.url("/board/table-1?theme=hall")).await;
    page.resize(1920, 1080).await;
    page.wait_for(STATUS, "live").await;
    let faults = |least: f64| format!("(() => {{ const least = {least}; {HALL_FAULTS} }})()");
    page.wait_for(&faults(0.15), "large").await;
    page.wait_for(&text(".newest"), "9… Kxd8").await;
    // A long move, a square screen: smaller, but all of it.
    let (number, san) = (134, "exd8=Q+");
    let last = Ply { number, san, ..view.moves[17].clone() };
    let moves = [&view.moves[..17], &[last]].concat();
    stage.publish(&View { moves, white: "Qyjgpq".to_owned(), ..view.clone() });
    page.wait_for(&text(".newest"), "134… exd8Q+").await;
    page.wait_for(&faults(0.12), "large").await;
    page.resize(1024, 768).await;
    page.wait_for(&faults(0.07), "large").await;
    let event = "The very long name of an open tournament of which nobody remembers the end";
    let round = "3.12".to_owned();
    stage.publish(&View { idle: true, event: event.to_owned(), round, ..view });
    page.open(&stage.url("/board/table-1?theme=hall&language=de")).await;
    for (width, height) in [(1024, 768), (1920, 1080)] {
        page.resize(width, height).await;
        page.wait_for(STATUS, "idle").await;
        page.wait_for(&faults(0.07), "large").await;
    }
}

/// What is wrong with a page in large letters, none of which that must be read may be smaller than
/// `least` of the screen's height.
const HALL_FAULTS: &str = "
        const faults = [];
        const read = ['#bottom .name', '.newest', '#top .time', '#bottom .time'];
        for (const of of [...read, 'cg-board', 'header', 'h1']) {
            const part = document.querySelector(of);
            const box = part.getBoundingClientRect();
            if (box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight)
                faults.push(`${of} is cut`);
            const is_cut = part.scrollWidth > part.clientWidth + 1
                || of === 'h1' && getComputedStyle(part.firstElementChild).display !== 'inline';
            if (is_cut) faults.push(`${of} has no room`);
            const size = parseFloat(getComputedStyle(part).fontSize) / innerHeight;
            if (read.includes(of) && size < least) faults.push(`${of} is ${size}`);
        }
        const [board, top] = ['cg-board', '.top'].map(of =>
            document.querySelector(of).getBoundingClientRect());
        if (board.right > top.left) faults.push('the board is below the names');
        const header = document.querySelector('header').getBoundingClientRect();
        if (header.bottom > board.top) faults.push('the header lies upon the board');
        return faults.join(', ') || 'large';
";

#[tokio::test]
async fn a_picture_over_a_video_has_no_ground() {
    let (stage, page) = open(&View::after_e4()).await;
    page.open(&stage.url("/board/table-1?view=overlay&theme=hall")).await;
    page.wait_for(&text(".newest"), "1. e4").await;
    let grounds = "['html', 'body', 'main'].map(of =>
        getComputedStyle(document.querySelector(of)).backgroundColor).join('; ')";
    page.wait_for(grounds, ["rgba(0, 0, 0, 0)"; 3].join("; ")).await;
    page.wait_for("document.querySelector('.bar').checkVisibility()", false).await;
    page.wait_for("document.querySelector('#top .time').checkVisibility()", true).await;
    // A long name and a long move, over a video that lies, and over one that stands.
    let last = Ply { number: 134, san: "exd8=Q+", ..View::after_e4().moves[0].clone() };
    let white = "Nepomniachtchi, Ian Alexandrovich".to_owned();
    stage.publish(&View { white, moves: vec![last], ..View::after_e4() });
    for (width, height) in [(1920, 1080), (540, 960), (480, 640)] {
        page.resize(width, height).await;
        page.wait_for(&text(".newest"), "134. exd8Q+").await;
        page.wait_for(OVERLAY_FAULTS, "whole").await;
    }
}

/// What is cut of what stands over a video, or lies upon another part of it.
const OVERLAY_FAULTS: &str = "(() => {
    const faults = [];
    const parts = ['#top', '#bottom', '.score', 'cg-board'];
    const box = of => document.querySelector(of).getBoundingClientRect();
    const lies = (a, b) => a.left >= b.left - 1 && a.top >= b.top - 1
        && a.right <= b.right + 1 && a.bottom <= b.bottom + 1;
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    for (const part of parts) if (!lies(box(part), screen)) faults.push(`${part} is cut`);
    for (const part of ['.name', '.time']) for (const of of ['#top', '#bottom']) {
        if (!lies(box(`${of} ${part}`), box(of))) faults.push(`${part} is not in ${of}`);
        const { scrollWidth, clientWidth } = document.querySelector(`${of} ${part}`);
        if (scrollWidth > clientWidth + 1) faults.push(`${part} has no room in ${of}`);
    }
    if (!lies(box('.newest'), box('.score'))) faults.push('the move is not in its bar');
    for (const one of parts) for (const other of parts) {
        const [a, b] = [box(one), box(other)];
        const meet = a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        if (one < other && meet) faults.push(`${one} lies upon ${other}`);
    }
    return faults.join(', ') || 'whole';
})()";

#[tokio::test]
async fn the_pages_are_small() {
    let stage = Stage::open(&View::after_e4()).await;
    for path in ["/board/table-1", "/hall"] {
        // One that has nothing of it yet.
        let page = Chromium::start().await;
        page.open(&stage.url(path)).await;
        page.wait_for(STATUS, "live").await;
        let size = "['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
            .reduce((sum, entry) => sum + entry.decodedBodySize, 0)";
        let size = page.ask(size).await.as_f64().unwrap();
        assert!((50_000.0..300_000.0).contains(&size), "{path}: {size} bytes");
        let elsewhere = "performance.getEntriesByType('resource')
            .filter(entry => new URL(entry.name).host !== location.host).length";
        assert_eq!(page.ask(elsewhere).await, 0);
        println!("{path}: {size} bytes");
    }
}

/// Each time from a server whose parts the browser does not know yet; the best of five. What is
/// promised is 300 ms, on a machine that does nothing else (`ROKADE_QUIET=1`): beside other tests a
/// page that waits for something is still found, by how long a page of one word takes there.
#[tokio::test]
async fn a_page_is_painted_at_once() {
    let page = Chromium::start().await;
    let is_quiet = std::env::var_os("ROKADE_QUIET").is_some();
    for path in ["/board/table-1", "/hall"] {
        let (mut times, mut of_word) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let stage = Stage::open(&View::after_e4()).await;
            page.open(&stage.url(path)).await;
            page.wait_for(STATUS, "live").await;
            times.push(first_paint(&page).await);
            page.open("data:text/html,<title>word</title>word").await;
            page.wait_for("document.title", "word").await;
            of_word.push(first_paint(&page).await);
        }
        println!("{path}: first paint after {times:.0?} ms, of a word after {of_word:.0?} ms");
        let best = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
        let most = if is_quiet { 300.0 } else { 1_000.0_f64.max(20.0 * best(&of_word)) };
        assert!(best(&times) < most, "{path}: {times:.0?} ms, {of_word:.0?} ms");
    }
}

/// When the page that is open showed something first, in milliseconds since it was asked for.
async fn first_paint(page: &Chromium) -> f64 {
    let painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    page.wait_for(&format!("{painted} > 0"), true).await;
    page.ask(painted).await.as_f64().unwrap()
}

/// What the daemon itself writes speaks the viewer's language and is barred to nobody.
#[tokio::test]
async fn the_list_and_what_is_not_there_speak_five_languages() {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let stage = Stage::open_at(any, &["table-1", "<Bræt> 2"], &View::start()).await;
    let page = Chromium::start().await;
    for (language, boards, nothing) in [
        ("en", "Boards", "There is no board of this name here."),
        ("da", "Brætter", "Her er intet bræt med dette navn."),
        ("nb", "Brett", "Her er det ikke noe brett med dette navnet."),
        ("hu", "Táblák", "Itt nincs ilyen nevű tábla."),
        ("de", "Bretter", "Ein Brett dieses Namens gibt es hier nicht."),
    ] {
        page.open(&stage.url(&format!("/?language={language}&theme=dark"))).await;
        page.wait_for("document.documentElement.dataset.theme", "dark").await;
        page.wait_for("document.documentElement.lang", language).await;
        page.wait_for("document.title", boards).await;
        page.wait_for(&text("li:last-child a"), "<Bræt> 2").await;
        let goes_on = format!("?language={language}&theme=dark");
        page.wait_for("document.querySelector('p a').search", goes_on).await;
        assert_eq!(page.barriers().await, Vec::<String>::new(), "{language}");
        page.open(&stage.url(&format!("/board/table-9?language={language}"))).await;
        page.wait_for(&text("main p"), nothing).await;
        page.wait_for("document.documentElement.lang", language).await;
        assert_eq!(page.barriers().await, Vec::<String>::new(), "{language}");
    }
    // What was chosen on this screen counts where the address names nothing.
    page.ask("localStorage.setItem('rokade-language', 'hu')").await;
    page.open(&stage.url("/")).await;
    page.wait_for(&text("h1"), "Táblák").await;
    page.resize(390, 844).await;
    let is_cut = "document.documentElement.scrollWidth > innerWidth";
    assert_eq!(page.ask(is_cut).await, false);
    page.open(&stage.url("/nothing")).await;
    page.wait_for("document.title", "404").await;
    page.wait_for(&text("main p"), "Ezen a címen nincs semmi.").await;
    page.ask("document.querySelector('main a').click()").await;
    page.wait_for(&text("h1"), "Táblák").await;
}
