//! The pages on screens of every size, with names longer than any screen is wide: nothing is cut
//! that must be read or pressed, and nothing lies upon anything else.

#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;

use serde_json::json;

use crate::browser::{LARGE, STATUS, press};
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

/// What lies upon what it should not among the parts of a player, or is on more than one line.
const PLAYER_FAULTS: &str = "(() => {
    const faults = [];
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
        && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    for (const player of document.querySelectorAll('.player')) {
        const box = of => player.querySelector(of).getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(player.querySelector('.time'));
        const { left, right } = range.getBoundingClientRect();
        const { top, bottom } = box('.time');
        const time = { left, right, top, bottom };
        for (const of of ['.about', 'h2']) {
            const { display } = getComputedStyle(player.querySelector(of));
            if (display === 'none') continue;
            if (meet(box(of), time)) faults.push(`${of} under the time`);
        }
        if (meet(box('.about'), box('h2'))) faults.push('.about under the name');
        const shown = [...player.querySelectorAll('.about > :not(.team)')]
            .map(part => part.getBoundingClientRect()).filter(({ width }) => width > 0);
        if (shown.some(part => part.top > shown[0].bottom)) faults.push('two lines');
    }
    return faults.join(', ') || 'apart';
})()";

#[tokio::test]
async fn what_is_known_of_a_player_takes_one_line() {
    let stage = Stage::open(&titled()).await;
    let page = Chromium::start().await;
    page.open(&stage.url("/board/table-1")).await;
    for (width, height) in [(1280, 900), (1920, 1080), (1280, 720), (800, 450), (500, 1000)] {
        page.resize(width, height).await;
        page.wait_for(STATUS, "live").await;
        page.wait_for(PLAYER_FAULTS, "apart").await;
        page.wait_for(&cut(".player, .time, .bar button"), "").await;
    }
    // The team is left out where it has no room, and the rating is not.
    page.resize(1280, 900).await;
    let rating = "(() => {
        const about = document.querySelector('#bottom .about').getBoundingClientRect();
        const [, rating] = document.querySelectorAll('#bottom .about span:not(.team)');
        return rating.textContent + (rating.getBoundingClientRect().bottom <= about.bottom + 1);
    })()";
    page.wait_for(rating, "2771true").await;
}

/// Words of names that are on more than one line, and names of which letters are cut.
const BROKEN: &str = "(() => {
    const broken = [];
    for (const name of document.querySelectorAll('.player .name')) {
        const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
            const text = walker.currentNode;
            for (const word of text.data.matchAll(/[^ -]+/g)) {
                const range = document.createRange();
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                const boxes = [...range.getClientRects()].filter(({ width }) => width > 0);
                if (new Set(boxes.map(({ top }) => top)).size > 1) broken.push(word[0]);
            }
        }
        if (name.scrollWidth > name.clientWidth + 1) broken.push(`${name.textContent} is cut`);
    }
    return broken.join(', ');
})()";

#[tokio::test]
async fn no_word_of_a_name_is_broken() {
    let stage = Stage::open(&titled()).await;
    for (width, height) in [(360, 740), (320, 480), (480, 360), (400, 300)] {
        let page = Chromium::of_size(width, height).await;
        for query in ["", "?view=embed"] {
            page.open(&stage.url(&format!("/board/table-1{query}"))).await;
            page.wait_for(STATUS, "live").await;
            page.wait_for(BROKEN, "").await;
        }
    }
}

#[tokio::test]
async fn a_small_frame_has_clocks_buttons_and_moves() {
    let [white, black] = LONG.map(str::to_owned);
    let stage = Stage::open(&View { white, black, ..titled() }).await;
    for (width, height) in [(480, 360), (400, 300), (320, 480)] {
        let page = Chromium::of_size(width, height).await;
        for language in ["en", "hu"] {
            page.open(&stage.url(&format!("/board/table-1?view=embed&language={language}"))).await;
            page.wait_for(STATUS, "live").await;
            let size = "[innerWidth, document.documentElement.scrollHeight].join()";
            page.wait_for(size, format!("{width},{height}")).await;
            page.wait_for(&cut(".player, .time, .bar button, .bar svg, .where, #status"), "").await;
            page.wait_for(PLAYER_FAULTS, "apart").await;
            let move_seen = "(() => {
                const [list, move] = ['#moves', '.san.last']
                    .map(of => document.querySelector(of).getBoundingClientRect());
                return move.top >= list.top - 1 && move.bottom <= list.bottom + 1;
            })()";
            page.wait_for(move_seen, true).await;
            let event = "[...document.querySelectorAll('.what, .where')]
                .filter(part => part.clientHeight > 0 && part.clientWidth < 60).length";
            page.wait_for(event, 0).await;
        }
    }
}

#[tokio::test]
async fn two_of_a_name_have_their_initials() {
    let all =
        [["Smith, Jo", "Smith, Al"], ["So, Wesley", "Ding, Liren"], ["Smith, Ann", "Wei, Yi"]];
    let (stage, page) = open_hall(&all, "").await;
    let names = "[...document.querySelectorAll('#grid .name')].map(it => it.textContent).join('|')";
    page.wait_for(names, "Smith, Al|Smith, J|Ding|So|Wei|Smith, An").await;
    page.open(&stage.url("/hall?boards=2-3")).await;
    page.wait_for(names, "Ding|So|Wei|Smith").await;
    let name = |at: &str| format!("document.querySelector('#{at} .name')?.innerText ?? null");
    for (board, top, bottom) in [("1", "Smith, A", "Smith, J"), ("2", "Ding", "So")] {
        page.open(&stage.url(&format!("/board/{board}?theme=hall"))).await;
        page.wait_for(&name("top"), top).await;
        page.wait_for(&name("bottom"), bottom).await;
        page.wait_for("document.querySelector('#top .name').textContent.includes(', ')", true)
            .await;
    }
}

#[tokio::test]
async fn no_flag_is_asked_for_that_is_not_there() {
    let mut view = titled();
    let stage = Stage::open(&view).await;
    let page = Chromium::start().await;
    page.open(&stage.url("/board/table-1")).await;
    for (white, black, n) in [("FID", "NOR", 1), ("OOO", "", 1), ("nor", "../x", 1), ("HUN", "", 2)]
    {
        view.players["white"]["federation"] = json!(white);
        view.players["black"]["federation"] = json!(black);
        stage.publish(&view);
        page.wait_for("document.querySelector('#bottom .about span').textContent", white).await;
        let flags = "[...new Set(performance.getEntriesByType('resource')
            .filter(({ name, responseStatus }) => name.includes('flag-') || responseStatus !== 200)
            .map(({ name, responseStatus }) => `${name} ${responseStatus}`))].length";
        page.wait_for(flags, n).await;
    }
    let faults = "performance.getEntriesByType('resource')
        .filter(({ responseStatus }) => responseStatus >= 400).map(({ name }) => name).join()";
    assert_eq!(page.ask(faults).await, "");
}

#[tokio::test]
async fn few_boards_stand_in_the_middle_and_fill_the_page() {
    let (stage, page) = open_hall(&[LONG], "?rotate=9").await;
    let faults = "(() => {
        const [grid, ...tiles] = [...document.querySelectorAll('#grid, #grid .tile')]
            .map(part => part.getBoundingClientRect());
        const [left, right] = [Math.min(...tiles.map(tile => tile.left)) - grid.left,
            grid.right - Math.max(...tiles.map(tile => tile.right))];
        const faults = [];
        if (Math.abs(left - right) > 2) faults.push(`${left} and ${right} beside them`);
        const is_full = tiles[0].height > 0.9 * grid.height || tiles[0].width > 0.9 * grid.width;
        if (!is_full) faults.push(`${tiles[0].height} of ${grid.height}`);
        if (!document.getElementById('large').hidden) faults.push('one is large');
        return faults.join(', ') || 'full';
    })()";
    for (width, height) in [(1920, 1080), (1280, 720), (500, 900)] {
        page.resize(width, height).await;
        page.wait_for(faults, "full").await;
    }
    let all = open_hall(&[LONG; 2], "").await;
    all.1.resize(1920, 1080).await;
    all.1.wait_for(faults, "full").await;
    drop(stage);
}

#[tokio::test]
async fn a_hall_that_rotates_shows_its_first_board_at_once() {
    let (_stage, page) = open_hall(&[LONG; 3], "?rotate=3600").await;
    page.wait_for(LARGE, "1").await;
    page.ask(&press("Escape")).await;
    page.wait_for(LARGE, json!(null)).await;
    for large in [json!(null), json!("1")] {
        page.ask(&press("r")).await;
        page.wait_for(LARGE, large).await;
    }
}

/// A forty-fifth of the height of 55 inches is 15 mm, of which capitals are 11 mm high.
#[tokio::test]
async fn names_in_a_hall_have_a_size_below_which_they_do_not_go() {
    let players: Vec<_> = [LONG, ["So, Wesley", "Wei, Yi"]].into_iter().cycle().take(16).collect();
    let (_stage, page) = open_hall(&players, "").await;
    page.resize(1920, 1080).await;
    let faults = "(() => {
        const faults = [];
        for (const row of document.querySelectorAll('#grid .player-row')) {
            const [name, time] = row.children;
            const size = parseFloat(getComputedStyle(name).fontSize);
            if (size < 24) faults.push(`${name.textContent} in ${size} px`);
            if (name.clientWidth < 4 * size) faults.push(`${name.textContent} has no room`);
            if (time.getBoundingClientRect().right > row.getBoundingClientRect().right)
                faults.push('time');
        }
        const tiles = [...document.querySelectorAll('#grid .tile')];
        if (tiles.some(tile => tile.getBoundingClientRect().bottom > innerHeight))
            faults.push('cut');
        return faults.join(', ') || 'large';
    })()";
    page.wait_for(faults, "large").await;
}

#[tokio::test]
async fn a_printed_board_is_a_sheet_with_the_moves() {
    let view = View { result: "1-0", reason: Some("resignation"), ..titled() };
    let stage = Stage::open(&view).await;
    let page = Chromium::start().await;
    let sheet = "(() => {
        const seen = of => [...document.querySelectorAll(of)].filter(it => it.checkVisibility());
        const order = seen('.player, #result, #moves')
            .map(it => [it.getBoundingClientRect().top, it.dataset.color ?? it.id]);
        order.sort(([a], [b]) => a - b);
        return [
            seen('h1')[0].textContent, order.map(([, of]) => of).join(),
            seen('#moves .san').map(it => it.textContent).join(' ').trim(),
            getComputedStyle(document.getElementById('moves')).columnCount,
            getComputedStyle(document.body).backgroundColor,
            seen('cg-board, .bar, .time, .spoken, dialog, #status').length,
        ].join('; ');
    })()";
    for (query, round) in [
        ("?theme=dark", "Round 3 · Table 12"),
        ("?theme=hall&language=de&flip=on", "Runde 3 · Brett 12"),
    ] {
        page.open(&stage.url(&format!("/board/table-1{query}"))).await;
        page.wait_for(STATUS, "over").await;
        let wanted =
            format!("{EVENT} · {round}; white,black,result,moves; e4; 2; rgb(255, 255, 255); 0");
        assert_eq!(page.on_paper(sheet).await, wanted);
    }
    page.ask(&press("m")).await;
    let pgn = "[...document.querySelectorAll('#panel a')]
        .map(link => `${link.textContent} ${link.pathname}`)
        .find(said => said.includes('PGN')) ?? null";
    page.wait_for(pgn, "Diese Partie als PGN /board/table-1/game.pgn").await;
}

#[tokio::test]
async fn a_standing_screen_in_a_hall_has_large_letters() {
    let stage = Stage::open(&titled()).await;
    let page = Chromium::start().await;
    page.open(&stage.url("/board/table-1?theme=hall")).await;
    for (width, height) in [(1080, 1920), (500, 1000), (1024, 1366)] {
        page.resize(width, height).await;
        page.wait_for(STATUS, "live").await;
        let faults = "(() => {
            const faults = [];
            for (const name of document.querySelectorAll('.name')) {
                const range = document.createRange();
                range.selectNodeContents(name);
                const { width, height } = range.getBoundingClientRect();
                const is_wide = width > 0.6 * innerWidth || height > 0.07 * innerHeight;
                if (!is_wide) faults.push(`${name.textContent} is ${width} wide`);
                if (name.scrollWidth > name.clientWidth + 1) faults.push(name.textContent);
            }
            for (const of of ['.time', '.newest']) {
                const size = parseFloat(getComputedStyle(document.querySelector(of)).fontSize);
                if (size < 0.06 * innerHeight && size < 0.1 * innerWidth)
                    faults.push(`${of} is ${size}`);
            }
            return faults.join(', ') || 'large';
        })()";
        page.wait_for(faults, "large").await;
        page.wait_for(PLAYER_FAULTS, "apart").await;
        // The buttons are put away after a while.
        let parts = ".player, .time, .newest, body:not(.resting) .bar button, #status";
        page.wait_for(&cut(parts), "").await;
    }
}

#[tokio::test]
async fn both_names_over_a_video_have_one_size() {
    let stage = Stage::open(&titled()).await;
    let page = Chromium::start().await;
    page.open(&stage.url("/board/table-1?view=overlay")).await;
    let names = [LONG, ["Nepomniachtchi, Ian", "So, Wesley"], ["Ann", "Ben"]];
    for [white, black] in names.map(|names| names.map(str::to_owned)) {
        stage.publish(&View { white: white.clone(), black, ..titled() });
        page.wait_for("document.querySelector('#bottom .name').textContent", white).await;
        for (width, height) in [(1080, 1920), (1920, 1080)] {
            page.resize(width, height).await;
            let faults = "(() => {
                const sizes = [...document.querySelectorAll('.name')]
                    .map(name => getComputedStyle(name).fontSize);
                const faults = sizes[0] === sizes[1] ? [] : [sizes.join()];
                if (parseFloat(sizes[0]) < 0.02 * Math.min(innerWidth, innerHeight))
                    faults.push(sizes[0]);
                for (const player of document.querySelectorAll('.player')) {
                    const bottom = of => player.querySelector(of).getBoundingClientRect().bottom;
                    const room = player.getBoundingClientRect().bottom - bottom('.about');
                    if (room < 0.006 * innerHeight) faults.push(`${room} below .about`);
                    const rating = bottom('.about span:not(.team) + span') - bottom('.about');
                    if (rating > 1) faults.push('no rating');
                }
                return faults.join(', ') || 'alike';
            })()";
            page.wait_for(faults, "alike").await;
            page.wait_for(PLAYER_FAULTS, "apart").await;
        }
    }
}
