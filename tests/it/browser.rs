//! The demo board as its readers see it: the real page from the real server in a real browser.

#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::time::Duration;

use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use serde_json::json;

use crate::chromium::Chromium;
use crate::daemon::game;
use crate::program::{Place, is_live, moves_of, plug};
use crate::stage::{Clock, Ply, Stage, View};

/// The piece on a square, such as `white pawn`, or null.
pub(crate) fn piece_on(square: &str) -> String {
    format!(
        "[...document.querySelectorAll('cg-board piece')]
           .filter(piece => piece.cgKey === '{square}' && !piece.classList.contains('fading'))
           .map(piece => piece.className.replace(' anim', ''))[0] ?? null"
    )
}

/// The squares with this mark, in order.
pub(crate) fn squares(mark: &str) -> String {
    format!(
        "[...document.querySelectorAll('cg-board square.{mark}')]
           .filter(square => square.checkVisibility())
           .map(square => square.cgKey).sort().join(' ')"
    )
}

/// The text of an element.
pub(crate) fn text(selector: &str) -> String {
    format!("document.querySelector('{selector}')?.textContent ?? null")
}

/// The score, one row a line.
pub(crate) const SCORE: &str = "[...document.querySelectorAll('#moves li')]
    .map(row => [...row.children].map(cell => cell.textContent).join(' ').trim()).join('\\n')";
pub(crate) const STATUS: &str = "document.getElementById('status')?.dataset.state ?? null";

pub(crate) async fn open(view: &View) -> (Stage, Chromium) {
    let stage = Stage::open(view).await;
    let page = Chromium::start().await;
    page.open(&stage.url("/")).await;
    let is_over = view.result != "*" && view.link == "live";
    page.wait_for(STATUS, if is_over { "over" } else { view.link }).await;
    (stage, page)
}

#[tokio::test]
async fn the_page_follows_the_game() {
    let (stage, page) = open(&View::start()).await;
    page.wait_for("document.querySelectorAll('cg-board piece').length", 32).await;
    for (square, piece) in [
        ("a1", "white rook"),
        ("d1", "white queen"),
        ("e1", "white king"),
        ("e2", "white pawn"),
        ("b8", "black knight"),
        ("c8", "black bishop"),
        ("e8", "black king"),
        ("h7", "black pawn"),
    ] {
        page.wait_for(&piece_on(square), piece).await;
    }
    page.wait_for(&text("#bottom .name"), "Morphy, Paul").await;
    page.wait_for(&text("#top .name"), "Duke Karl / Count Isouard").await;
    page.wait_for(&text("#event"), "Paris 1858 · table-1").await;

    stage.publish(&View::after_e4());
    page.wait_for(&piece_on("e4"), "white pawn").await;
    page.wait_for(&piece_on("e2"), json!(null)).await;
    page.wait_for(&squares("last-move"), "e2 e4").await;
    page.wait_for(SCORE, "1. e4").await;
    page.wait_for(&text("#announce"), "White, move 1: Eva two Eva four").await;
    // Where the piece stands on the screen, not only in the library's books.
    let fifth_rank_from_above = "(() => {
        const piece = [...document.querySelectorAll('piece')].find(p => p.cgKey === 'e4');
        const [square, board] =
            [piece, document.querySelector('cg-board')].map(e => e.getBoundingClientRect());
        const at = (a, b) => Math.round((a - b) / square.width * 10) / 10;
        return [at(square.left, board.left), at(square.top, board.top)].join(' ');
    })()";
    page.wait_for(fifth_rank_from_above, "4 4").await;
}

#[tokio::test]
async fn clocks_run_between_messages_and_stop_at_zero() {
    let (running, estimated) = (Some("white"), false);
    let clock = Clock { white_ms: 2_500, black_ms: 61_000, running, age_ms: 300, estimated };
    let view = View { clock: Some(clock), ..View::start() };
    let (stage, page) = open(&view).await;
    page.wait_for("document.getElementById('bottom').matches('.running.short')", true).await;
    // Nothing is published, so whatever changes is the page's own doing.
    let before = page.ask("Number(document.querySelector('#bottom .time').textContent)").await;
    assert!(before.as_f64().expect("tenths") < 2.3, "{before}");
    page.wait_for(&text("#bottom .time"), "0.0").await;
    assert_eq!(page.ask(&text("#top .time")).await, "1:01");

    let (running, estimated) = (None, true);
    let clock = Clock { white_ms: 0, black_ms: 3_725_900, running, age_ms: 5_000, estimated };
    stage.publish(&View { clock: Some(clock), ..view.clone() });
    page.wait_for(&text("#top .time"), "1:02:05").await;
    page.wait_for("document.getElementById('top').matches('.estimated')", true).await;
    page.wait_for(&text("#status"), "Clock not heard: times are reckoned").await;
    let caption = "document.querySelector('#bottom .time').dataset.reckoned";
    page.wait_for(caption, "reckoned").await;
    // Nobody knows its tenths.
    page.wait_for(&text("#bottom .time"), "0:00").await;
    stage.publish(&View { clock: None, ..view });
    page.wait_for(&text("#top .time"), "").await;
    page.wait_for(&text("#status"), "Live").await;
    page.wait_for("document.querySelectorAll('.estimated').length", 0).await;
}

#[tokio::test]
async fn the_page_recovers_when_the_daemon_restarts() {
    let (stage, page) = open(&View::start()).await;
    page.ask("window.is_the_same_page = true").await;
    let addr = stage.close().await;
    page.wait_for(STATUS, "cut").await;
    assert_eq!(page.ask(&piece_on("e2")).await, "white pawn");
    let _stage = Stage::open_at(addr, &["table-1"], &View::after_e4()).await;
    page.wait_for(STATUS, "live").await;
    page.wait_for(&piece_on("e4"), "white pawn").await;
    page.wait_for(SCORE, "1. e4").await;
    assert_eq!(page.ask("window.is_the_same_page").await, true);
}

#[tokio::test]
async fn a_move_on_the_wood_arrives_on_the_page_and_survives_the_daemon() {
    let place = Place::new();
    let (intended, played) = game(4, Span::new(1_500, 2_000), 1);
    assert_eq!(intended, ["e2e4", "e7e5", "g1f3", "d7d6"]);
    let board = plug(&played.script, &place.board());
    let daemon = place.start();
    place.seen(is_live).await;
    let page = Chromium::start().await;
    page.open(&format!("http://{}/", place.addr)).await;
    page.wait_for(STATUS, "live").await;
    page.wait_for(&text("#bottom .name"), "Ann").await;
    page.ask("window.is_the_same_page = true").await;

    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    page.wait_for(&piece_on("e4"), "white pawn").await;
    page.wait_for(&text("#moves li .san"), "e4").await;
    daemon.kill().await;
    page.wait_for(STATUS, "cut").await;
    assert_eq!(page.ask(&piece_on("e4")).await, "white pawn");
    let daemon = place.start();
    page.wait_for(STATUS, "live").await;
    page.wait_for(SCORE, "1. e4 e5\n2. Nf3 d6").await;
    page.wait_for(&piece_on("f3"), "white knight").await;
    page.wait_for(&piece_on("d6"), "black pawn").await;
    assert_eq!(page.ask("window.is_the_same_page").await, true);
    assert_eq!(moves_of(&place.view().await.unwrap()), intended);
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// The fool's mate: checked, mated, not yet pressed, seen from Black's side.
pub(crate) fn mated() -> View {
    let sans = [("f3", "f2f3"), ("e5", "e7e5"), ("g4", "g2g4"), ("Qh4#", "d8h4")];
    let moves = sans.iter().zip(1..).map(|(&(san, uci), ply)| Ply {
        ply,
        number: u32::div_ceil(ply, 2),
        color: if ply % 2 == 1 { "white" } else { "black" },
        san,
        uci,
        state: if ply == 4 { "made" } else { "completed" },
        uncertain: ply == 2,
        alternatives: if ply == 2 { &["e6", "d5"] } else { &[] },
    });
    View {
        fen: "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3".to_owned(),
        last: Some(["d8", "h4"]),
        check: Some("e1"),
        orientation: "black",
        moves: moves.collect(),
        result: "0-1",
        reason: Some("checkmate"),
        link: "lost",
        ..View::start()
    }
}

#[tokio::test]
async fn check_result_and_doubt_are_shown() {
    let (stage, page) = open(&mated()).await;
    page.wait_for(&squares("check"), "e1").await;
    page.wait_for(&squares("last-move"), "d8 h4").await;
    page.wait_for(SCORE, "1. f3 e5\n1… may have been e6 or d5\n2. g4 Qh4#").await;
    page.wait_for(&text("#moves .made"), "Qh4#").await;
    page.wait_for(&text("#moves .uncertain"), "e5").await;
    page.wait_for(&text("#result strong"), "0–1").await;
    page.wait_for(&text("#result span"), "checkmate").await;
    page.wait_for(&text("#bottom .name"), "Duke Karl / Count Isouard").await;
    page.wait_for("document.title", "0–1 Morphy, Paul – Duke Karl / Count Isouard").await;
    // A correction takes moves back; all marks go with them.
    stage.publish(&View::after_e4());
    page.wait_for(SCORE, "1. e4").await;
    page.wait_for(&squares("check"), "").await;
    page.wait_for("document.getElementById('result').hidden", true).await;
    page.wait_for(&text("#moves .made, #moves .uncertain"), json!(null)).await;
    page.wait_for(&piece_on("e4"), "white pawn").await;
}

#[tokio::test]
async fn names_are_text_whatever_they_hold() {
    let nasty = "<img src=x onerror=\"document.title='owned'\"><script>owned=1</script>";
    let view = View { white: nasty.to_owned(), event: nasty.to_owned(), ..View::start() };
    let (_stage, page) = open(&view).await;
    page.wait_for(&text("#bottom .name"), nasty).await;
    assert_eq!(page.ask("document.querySelectorAll('img').length").await, 0);
    assert_eq!(page.ask("typeof owned").await, "undefined");
}

#[tokio::test]
async fn the_last_move_is_in_sight_on_every_screen() {
    let moves = (1..=160).map(|ply| Ply {
        ply,
        number: u32::div_ceil(ply, 2),
        color: if ply % 2 == 1 { "white" } else { "black" },
        san: "Nbxd5+",
        uci: "b4d5",
        state: "completed",
        uncertain: false,
        alternatives: &[],
    });
    let view = View { moves: moves.collect(), result: "1/2-1/2", ..View::start() };
    let (stage, page) = open(&View { clock: None, ..view.clone() }).await;
    let screens = [(1920, 1080), (1280, 720), (500, 1000), (1024, 1366)];
    for ((width, height), estimated) in screens.into_iter().flat_map(|s| [(s, false), (s, true)]) {
        let times = Clock { white_ms: 6_280_000, black_ms: 59_000, ..View::start().clock.unwrap() };
        let clock = Clock { estimated, running: None, ..times };
        stage.publish(&View { clock: Some(clock), ..view.clone() });
        page.wait_for("document.querySelectorAll('.estimated').length / 2", estimated as u8).await;
        page.resize(width, height).await;
        page.wait_for(
            "(() => {
                const box = selector => document.querySelector(selector).getBoundingClientRect();
                const inside = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
                    && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
                const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
                const cut =
                    ['cg-board', '#moves', '#result', '.top .time', '.bottom .time', '#status']
                    .filter(part => !inside(box(part), screen));
                for (const time of document.querySelectorAll('.time')) {
                    if (time.scrollWidth > time.clientWidth) cut.push(`${time.textContent}`);
                }
                if (!inside(box('.san.last'), box('#moves'))) cut.push('the last move');
                return cut.length ? `${innerWidth}x${innerHeight}: ${cut}` : 'all in sight';
            })()",
            "all in sight",
        )
        .await;
    }
}

/// What the tile at this place, from 1, shows: players and times from above, table, move, result.
fn tile(place: usize) -> String {
    format!(
        "[...document.querySelectorAll('#grid .tile:nth-child({place}) span')]
             .map(part => part.textContent).join('|')"
    )
}

pub(crate) const LARGE: &str =
    "document.querySelector('#large:not([hidden]) .table')?.textContent ?? null";

/// As many boards, named by their numbers, and the page with all of them.
async fn open_all(n: usize, query: &str) -> (Stage, Chromium) {
    let names: Vec<String> = (1..=n).map(|number| number.to_string()).collect();
    let named: Vec<&str> = names.iter().map(String::as_str).collect();
    let addr = SocketAddr::from(([127, 0, 0, 1], 0));
    let stage = Stage::open_at(addr, &named, &View::start()).await;
    for (idx, board) in names.into_iter().enumerate() {
        stage.publish_at(idx, &View { board, ..View::start() });
    }
    let page = Chromium::start().await;
    page.open(&stage.url(&format!("/hall{query}"))).await;
    (stage, page)
}

#[tokio::test]
async fn all_boards_are_on_one_screen_and_each_follows_its_game() {
    let (stage, page) = open_all(20, "").await;
    page.wait_for("document.querySelectorAll('#grid .tile').length", 20).await;
    let runs = "/^1:29:/.test(document.querySelector('.tile .running .left')?.textContent)";
    page.wait_for(runs, true).await;
    let stands = Clock { running: None, ..View::start().clock.unwrap() };
    let board = "7".to_owned();
    stage.publish_at(6, &View { board, clock: Some(stands), ..View::start() });
    page.wait_for(&tile(7), "Duke Karl / Count Isouard|1:30:00|Morphy|1:30:00|7||").await;
    page.wait_for(&text("#status"), "20 in play").await;
    let piece = "[...document.querySelectorAll('#grid .tile:nth-child(3) piece')]
        .find(piece => piece.cgKey === 'e4')?.className ?? null";
    assert_eq!(page.ask(piece).await, json!(null));
    let nasty = "<img src=x onerror=owned=1>, A";
    let e4 = View { board: "3".to_owned(), white: nasty.to_owned(), ..View::after_e4() };
    stage.publish_at(2, &View { differs: &["a1"], clock: None, ..e4.clone() });
    let said = "Duke Karl / Count Isouard||<img src=x onerror=owned=1>||3|the board differs|";
    page.wait_for(&tile(3), said).await;
    page.wait_for(piece, "white pawn").await;
    let board = "4".to_owned();
    stage.publish_at(3, &View { board, result: "1/2-1/2", ..View::after_e4() });
    page.wait_for(&tile(4), "Duke Karl / Count Isouard|½|Morphy|½|4|1. e4|½–½").await;
    page.wait_for(&text("#status"), "19 in play, 1 over").await;
    assert_eq!(page.ask("typeof owned").await, "undefined");

    // One is large: by mouse and by keys.
    page.ask("document.querySelector('#grid .tile:nth-child(3)').click()").await;
    page.wait_for(LARGE, "3").await;
    page.wait_for(&text("#large [data-color=white] .name"), nasty).await;
    stage.publish_at(2, &e4);
    page.wait_for(&text("#large .move"), "1. e4").await;
    for (key, large) in [("ArrowRight", "4"), ("ArrowLeft", "3"), ("ArrowLeft", "2")] {
        page.ask(&press(key)).await;
        page.wait_for(LARGE, large).await;
    }
    page.ask(&press("Escape")).await;
    page.wait_for(LARGE, json!(null)).await;
    page.ask("document.querySelector('#grid .tile:nth-child(9)').focus()").await;
    page.ask(&press("Enter")).await;
    page.wait_for(LARGE, "9").await;
    // Whoever uses the keys goes on from where he is, also when the large board is put back.
    let focus = "document.activeElement.closest('section')?.id + ' ' +
        document.activeElement.querySelector('.table')?.textContent";
    assert_eq!(page.ask(focus).await, "grid 9");
    page.ask("document.querySelector('#large .tile').focus()").await;
    page.ask(&press("Enter")).await;
    page.wait_for(LARGE, json!(null)).await;
    assert_eq!(page.ask(focus).await, "grid 9");
    page.ask(&press("Enter")).await;
    page.wait_for(LARGE, "9").await;

    page.ask("window.is_the_same_page = true").await;
    let addr = stage.close().await;
    page.wait_for(STATUS, "cut").await;
    let _stage = Stage::open_at(addr, &["1"], &View::after_e4()).await;
    page.wait_for(STATUS, "live").await;
    page.wait_for("document.querySelector('#grid .tile .move').textContent", "1. e4").await;
    assert_eq!(page.ask("window.is_the_same_page").await, true);
}

#[tokio::test]
async fn boards_are_as_large_as_they_fit() {
    let (_stage, page) = open_all(20, "").await;
    page.wait_for("document.querySelectorAll('#grid .tile').length", 20).await;
    let fits = |columns: u32| {
        format!(
            "(() => {{
                const boxes = [...document.querySelectorAll('#grid .tile')]
                    .map(tile => tile.getBoundingClientRect());
                const [grid, one] = [document.getElementById('grid'), boxes[0]];
                const faults = [];
                if (boxes.some(box => box.right > innerWidth || box.left < 0)) faults.push('wide');
                const board = document.querySelector('#grid .cg-wrap').clientWidth;
                if (boxes.some(box => box.height < board * 1.3)) faults.push('squashed');
                if (grid.scrollWidth > grid.clientWidth) faults.push('scrolls sideways');
                const is_cut = boxes.some(box => box.bottom > innerHeight);
                if (is_cut && innerWidth > 600) faults.push('cut');
                const columns = boxes.filter(box => box.top === one.top).length;
                if (columns !== {columns}) faults.push(`${{columns}} columns`);
                const names = document.querySelectorAll('#grid .left');
                if ([...names].some(it => it.scrollWidth > it.clientWidth + 1)) faults.push('time');
                return faults.join(', ') || 'fits';
            }})()"
        )
    };
    // Of a telephone in the hand the first rows are in sight, the others are scrolled.
    for (width, height, columns) in [(1920, 1080, 7), (1280, 720, 7), (500, 900, 2)] {
        page.resize(width, height).await;
        page.wait_for(&fits(columns), "fits").await;
    }
    page.resize(1920, 1080).await;
    page.ask("document.querySelector('#grid .tile').click()").await;
    page.wait_for(&fits(5), "fits").await;
    let beside = "(() => {
        const [large, grid] = ['large', 'grid']
            .map(id => document.getElementById(id).getBoundingClientRect());
        return large.right <= grid.left && large.bottom <= innerHeight && large.width > 700;
    })()";
    page.wait_for(beside, true).await;
}

#[tokio::test]
async fn the_large_board_changes_by_itself_among_those_in_play() {
    let (stage, page) = open_all(4, "?rotate=3&boards=2-4").await;
    page.wait_for("document.querySelectorAll('#grid .tile').length", 3).await;
    let board = "3".to_owned();
    stage.publish_at(2, &View { board, result: "0-1", ..View::after_e4() });
    for large in ["2", "4", "2"] {
        page.wait_for(LARGE, large).await;
    }
}

/// A hall that is larger than any screen, in which sixty boards a second change: of the page only
/// what has changed is touched. How many pictures there are depends on who else uses the machine,
/// and is printed.
#[tokio::test]
async fn two_hundred_boards_are_followed() {
    let (stage, page) = open_all(200, "").await;
    page.resize(1920, 1080).await;
    page.wait_for("document.querySelectorAll('#grid .tile').length", 200).await;
    let count = "(() => {
        window.gaps = [];
        window.changes = 0;
        const within = node => 1 + (node.querySelectorAll?.('*').length ?? 0);
        const sum = (n, node) => n + within(node);
        const count = all => {
            for (const one of all) {
                changes += 1 + [...one.addedNodes].reduce(sum, 0);
            }
        };
        new MutationObserver(count).observe(
            document.body,
            { subtree: true, childList: true, attributes: true, characterData: true },
        );
        let last = performance.now();
        const look = now => {
            gaps.push(now - last);
            last = now;
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
    })()";
    page.ask(count).await;
    let mut pace = tokio::time::interval(Duration::from_millis(1_000 / 60));
    for n in 0..600 {
        pace.tick().await;
        let board = (n * 7 % 200 + 1).to_string();
        let view = if n / 200 % 2 == 0 { View::after_e4() } else { View::start() };
        stage.publish_at(n * 7 % 200, &View { board, ..view });
    }
    page.wait_for(&text("#grid .tile:nth-child(7) .move"), "1. e4").await;
    let found = "[changes, gaps.length, gaps.filter(gap => gap > 100).length, Math.max(...gaps)]";
    let found: Vec<f64> = serde_json::from_value(page.ask(found).await).unwrap();
    let [n_changes, n, n_late, longest] = found[..] else { panic!("{found:?}") };
    println!(
        "{n_changes} changes of the page, {n} pictures in ten seconds, {n_late} after 100 ms, the \
         longest after {longest:.0} ms"
    );
    // Twelve for each board that changes; a tile that is made anew is over fifty.
    assert!((600.0..12_000.0).contains(&n_changes), "{n_changes} changes of the page");
}

/// Presses a key, as somebody at the keyboard.
pub(crate) fn press(key: &str) -> String {
    format!(
        "document.activeElement.dispatchEvent(
             new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true, cancelable: true }}))"
    )
}
