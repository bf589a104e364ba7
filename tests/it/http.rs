//! The public side: every newest view for everybody, nothing for intruders, and nobody can hold up
//! anybody else.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rokade::game::LinkState;
use rokade::shell::status::{Recording, Status};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::stage::{LIMIT, SEATS, Stage, View};

type Viewer = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn viewer(stage: &Stage) -> Viewer {
    let url = format!("ws://{}/board/table-1/ws", stage.addr);
    let (viewer, _) = timeout(LIMIT, connect_async(url)).await.expect("in time").expect("let in");
    viewer
}

/// The next envelope that this viewer gets.
async fn next_view(viewer: &mut Viewer) -> Value {
    loop {
        let message = timeout(LIMIT, viewer.next()).await.expect("a message in time");
        if let Message::Text(text) = message.expect("an open line").expect("a message") {
            return serde_json::from_str(&text).expect("an envelope");
        }
    }
}

/// Reads on until the view says so in its field `round`.
async fn wait_for_round(viewer: &mut Viewer, round: &str) {
    while next_view(viewer).await["view"]["round"] != round {}
}

fn round(n: usize) -> View {
    View { round: n.to_string(), ..View::start() }
}

/// The header lines of a WebSocket handshake.
const UPGRADE: [&str; 3] = [
    "Upgrade: websocket\r\nConnection: upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

/// A viewer that opens the line and then neither reads nor answers.
async fn sleeper(addr: SocketAddr) -> TcpStream {
    let (stream, head) = try_to_stay(addr).await;
    assert_eq!(&head, b"HTTP/1.1 101");
    stream
}

/// What a viewer is answered first.
async fn try_to_stay(addr: SocketAddr) -> (TcpStream, [u8; 12]) {
    let mut stream = TcpStream::connect(addr).await.expect("an open port");
    let request = format!(
        "GET /board/table-1/ws HTTP/1.1\r\nHost: {addr}\r\n{}\r\n\r\n",
        UPGRADE.join("\r\n")
    );
    stream.write_all(request.as_bytes()).await.expect("a listening server");
    let mut head = [0; 12];
    timeout(LIMIT, stream.read_exact(&mut head)).await.expect("in time").expect("an answer");
    (stream, head)
}

#[tokio::test]
async fn a_viewer_gets_the_current_view_at_once_and_then_every_newest() {
    let stage = Stage::open(&View::start()).await;
    let mut viewer = viewer(&stage).await;
    let first = next_view(&mut viewer).await;
    assert_eq!(first["view"]["white"], "Morphy, Paul");
    assert!(first["age_ms"].as_u64().expect("an age") < 10_000);
    for n in 1..=20 {
        stage.publish(&round(n));
        assert_eq!(next_view(&mut viewer).await["view"]["round"], n.to_string());
    }
}

#[tokio::test]
async fn a_view_grows_older_while_it_waits() {
    let stage = Stage::open(&View::start()).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3)).await;
    tokio::time::resume();
    let answer = stage.ask("GET /board/table-1/view.json", &[]).await;
    let envelope: Value = serde_json::from_str(&answer.body).expect("an envelope");
    assert!(envelope["age_ms"].as_u64().expect("an age") >= 3_000);
    assert_eq!(envelope["view"]["type"], "view");
    assert_eq!(answer.header("cache-control"), "no-store");
}

#[tokio::test]
async fn a_viewer_that_does_not_read_delays_nobody_and_is_cut() {
    let stage = Stage::open(&View::start()).await;
    let mut asleep = sleeper(stage.addr).await;
    let mut awake = viewer(&stage).await;
    // Far more than all buffers between two sockets hold.
    for n in 1..=200 {
        let event = "x".repeat(200_000);
        stage.publish(&View { event, ..round(n) });
        wait_for_round(&mut awake, &n.to_string()).await;
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(6)).await;
    tokio::time::resume();
    stage.publish(&round(201));
    wait_for_round(&mut awake, "201").await;
    let rest = async {
        let (mut some, mut n_kept) = (vec![0; 1 << 16], 0);
        while let Ok(n @ 1..) = asleep.read(&mut some).await {
            n_kept += n;
        }
        n_kept
    };
    let n_kept = timeout(LIMIT, rest).await.expect("the end of the line");
    // Both ends together; five thousand of them must fit into the daemon's memory.
    assert!(n_kept < 400_000, "{n_kept} bytes waited for who does not read");
}

#[tokio::test]
async fn a_viewer_that_answers_no_ping_is_cut() {
    let stage = Stage::open(&View::start()).await;
    let mut asleep = sleeper(stage.addr).await;
    tokio::time::pause();
    let before = tokio::time::Instant::now();
    let mut some = vec![0; 1 << 16];
    while asleep.read(&mut some).await.is_ok_and(|n| n > 0) {}
    assert!((10..=30).contains(&before.elapsed().as_secs()), "{:?}", before.elapsed());
}

#[tokio::test]
async fn half_a_request_does_not_keep_a_seat() {
    let stage = Stage::open(&View::start()).await;
    let mut slow = TcpStream::connect(stage.addr).await.expect("an open port");
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").await.expect("a listening server");
    assert_eq!(stage.ask("GET /healthz", &[]).await.status, 200);
    tokio::time::pause();
    let rest = async { while slow.read(&mut [0; 64]).await.is_ok_and(|n| n > 0) {} };
    timeout(Duration::from_secs(60), rest).await.expect("the end of the line");
}

#[tokio::test]
async fn whoever_talks_too_much_is_cut() {
    let stage = Stage::open(&View::start()).await;
    let mut viewer = viewer(&stage).await;
    next_view(&mut viewer).await;
    viewer.send(Message::text("hello")).await.expect("an open line");
    stage.publish(&round(1));
    wait_for_round(&mut viewer, "1").await;
    viewer.send(Message::text("x".repeat(2_000))).await.expect("an open line");
    let rest = async { while let Some(Ok(_)) = viewer.next().await {} };
    timeout(LIMIT, rest).await.expect("the end of the line");
}

#[tokio::test]
async fn a_page_of_another_host_gets_no_view() {
    let stage = Stage::open(&View::start()).await;
    let own = format!("Origin: http://{}", stage.addr);
    let host = format!("Host: {}", stage.addr);
    let port = stage.addr.port();
    let near = format!("Origin: http://127.0.0.1:{}", port.wrapping_add(1));
    for (origin, status) in [
        (own.as_str(), 101),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("Origin: ", 403),
        (near.as_str(), 403),
        (&format!("{own}.evil.example"), 403),
        (&format!("{own}\r\nOrigin: http://evil.example"), 403),
        (&format!("{host}\r\nHost: evil.example"), 421),
    ] {
        let mut request = format!("GET /board/table-1/ws HTTP/1.1\r\n{}\r\n", UPGRADE.join("\r\n"));
        if !origin.starts_with("Host:") {
            request += &format!("{host}\r\n");
        }
        request += &format!("{origin}\r\n\r\n");
        let mut stream = TcpStream::connect(stage.addr).await.expect("an open port");
        stream.write_all(request.as_bytes()).await.expect("a listening server");
        let mut head = [0; 12];
        timeout(LIMIT, stream.read_exact(&mut head)).await.expect("in time").expect("an answer");
        assert_eq!(head, *format!("HTTP/1.1 {status}").as_bytes(), "{origin}");
    }
}

#[tokio::test]
async fn the_line_needs_a_websocket() {
    let stage = Stage::open(&View::start()).await;
    assert_eq!(stage.ask("GET /board/table-1/ws", &[]).await.status, 426);
    assert_eq!(stage.ask("GET /board/table-2/ws", &UPGRADE).await.status, 404);
}

#[tokio::test]
async fn no_path_leads_out() {
    let stage = Stage::open(&View::start()).await;
    let long = format!("/assets/{}", "a".repeat(8_000));
    for path in [
        "/nothing",
        "/board/",
        "/board/table-2",
        "/board/table-1/",
        "/board/table-1/../../etc/passwd",
        "/board/..%2f..%2fetc%2fpasswd/game.pgn",
        "/assets/",
        "/assets/../Cargo.toml",
        "/assets/../../../../etc/passwd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2f..%2f..%2fetc%2fpasswd",
        "/assets/%2fetc%2fpasswd",
        "/assets/demo.js%00.css",
        "/assets/%ff%fe",
        "/assets/demo.js/",
        "//etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        long.as_str(),
    ] {
        let answer = stage.ask(&format!("GET {path}"), &[]).await;
        let expected: &[u16] = if cfg!(feature = "web") { &[404] } else { &[404, 501] };
        assert!(expected.contains(&answer.status), "{path}: {}", answer.status);
        assert!(!answer.body.contains("root:") && answer.body.ends_with(".\n"), "{path}");
    }
    let raw = b"GET /assets/\xff\x01 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert_eq!(stage.ask_bytes(raw).await.status, 400);
    assert_eq!(stage.ask("GET /healthz", &[]).await.status, 200);
}

/// What comes back until the line ends, however it ends.
async fn all_that_comes(stage: &Stage, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(stage.addr).await.expect("an open port");
    // A server that has seen enough closes the line in the middle of it.
    stream.write_all(request).await.ok();
    let mut answer = Vec::new();
    let reading =
        timeout(LIMIT, async { while stream.read_buf(&mut answer).await.is_ok_and(|n| n > 0) {} });
    reading.await.expect("an end in time");
    String::from_utf8_lossy(&answer).into_owned()
}

/// What two servers in a row could read as one request and as two is refused, as is what is no
/// HTTP; and what is hidden behind it is not answered.
#[tokio::test]
async fn a_request_is_one_request_or_none() {
    let stage = Stage::open(&View::start()).await;
    let host = stage.addr;
    let hidden = format!("GET /board/table-1/game.pgn HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let whole = format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    assert!(all_that_comes(&stage, whole.as_bytes()).await.starts_with("HTTP/1.1 200"));
    for (line, header) in [
        ("GET /healthz HTTP/1.1", "Content-Length: 1\r\nContent-Length: 2".to_owned()),
        ("GET /healthz HTTP/1.1", "Content-Length: -1".to_owned()),
        ("GET /healthz HTTP/1.1", "Content-Length: 1, 2".to_owned()),
        ("GET /healthz HTTP/1.1", "Content-Length : 5".to_owned()),
        ("GET /healthz HTTP/1.1", "X: a\0b".to_owned()),
        ("GET /healthz HTTP/9.9", "X: a".to_owned()),
        ("GET /health z HTTP/1.1", "X: a".to_owned()),
        ("G\tT /healthz HTTP/1.1", "X: a".to_owned()),
    ] {
        let request = format!("{line}\r\nHost: {host}\r\n{header}\r\n\r\n{hidden}");
        let answer = all_that_comes(&stage, request.as_bytes()).await;
        let is_refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(is_refused && !answer.contains("HTTP/1.1 200"), "{line} {header}: {answer}");
    }
    assert_eq!(stage.ask("GET /healthz", &[]).await.status, 200);
}

#[tokio::test]
async fn every_answer_is_guarded_and_nothing_can_be_written() {
    let stage = Stage::open(&View::start()).await;
    for (line, status) in [
        ("GET /board/table-1/game.pgn", 200),
        ("HEAD /board/table-1/game.pgn", 200),
        ("GET /games.pgn", 200),
        ("POST /games.pgn", 405),
        ("GET /board/table-1/view.json", 200),
        ("GET /healthz", 200),
        ("GET /nothing", 404),
        ("POST /board/table-1/view.json", 405),
        ("DELETE /healthz", 405),
        ("PUT /board/table-1", 405),
        ("OPTIONS /", 405),
    ] {
        let answer = stage.ask(line, &[]).await;
        assert_eq!(answer.status, status, "{line}");
        assert_eq!(answer.body.is_empty(), line.starts_with("HEAD"), "{line}");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self'"), "{line}");
        assert!(
            policy.ends_with("; frame-ancestors https://club.example.org")
                && !policy.contains("unsafe"),
            "{line}"
        );
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{line}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{line}");
    }
}

#[tokio::test]
async fn the_game_is_fetched_once_for_each_change() {
    let stage = Stage::open(&View::start()).await;
    let first = stage.ask("GET /board/table-1/game.pgn", &[]).await;
    assert_eq!(first.header("content-type"), "application/x-chess-pgn; charset=utf-8");
    assert!(first.body.contains("Paris 1858"));
    let known = format!("If-None-Match: W/\"other\", {}", first.header("etag"));
    assert_eq!(stage.ask("GET /board/table-1/game.pgn", &[&known]).await.status, 304);
    stage.pgn.send_replace("[Event \"Paris 1858\"]\n\n1. e4 *\n".into());
    let second = stage.ask("GET /board/table-1/game.pgn", &[&known]).await;
    assert_eq!((second.status, second.body.contains("1. e4")), (200, true));
}

#[tokio::test]
async fn all_boards_are_one_file_in_their_order() {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let stage = Stage::open_at(any, &["table-2", "table-1"], &View::start()).await;
    stage.pgn.send_replace("".into());
    let none = stage.ask("GET /games.pgn", &[]).await;
    let awaited = "[White \"table-2\"]\n\n*\n\n[White \"table-1\"]\n\n*\n\n";
    assert_eq!((none.status, none.body.as_str()), (200, awaited));
    stage.pgn.send_replace("[Event \"Paris 1858\"]\n\n1. e4 *\n\n".into());
    let known = format!("If-None-Match: {}", none.header("etag"));
    let both = stage.ask("GET /games.pgn", &[&known]).await;
    assert_eq!((both.status, both.body.matches("1. e4 *\n\n").count()), (200, 2));
    assert_eq!(both.header("content-type"), "application/x-chess-pgn; charset=utf-8");
    let known = format!("If-None-Match: {}", both.header("etag"));
    assert_eq!(stage.ask("GET /games.pgn", &[&known]).await.status, 304);
}

#[cfg(feature = "web")]
#[tokio::test]
async fn pages_and_their_parts_are_in_the_binary() {
    let stage = Stage::open(&View::start()).await;
    let front = stage.ask("GET /", &[]).await;
    assert_eq!((front.status, front.header("location")), (307, "/board/table-1"));
    let front = stage.ask("GET /?theme=hall", &[]).await;
    assert_eq!(front.header("location"), "/board/table-1?theme=hall");
    for (path, mime) in [
        ("/board/table-1", "text/html; charset=utf-8"),
        ("/assets/demo.js", "text/javascript; charset=utf-8"),
        ("/assets/chessground.min.js", "text/javascript; charset=utf-8"),
        ("/assets/demo.css", "text/css; charset=utf-8"),
        ("/assets/icon.svg", "image/svg+xml"),
    ] {
        let answer = stage.ask(&format!("GET {path}"), &[]).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, mime), "{path}");
        assert!(!answer.body.contains("https://"), "{path} loads from elsewhere");
        let known = format!("If-None-Match: {}", answer.header("etag"));
        assert_eq!(stage.ask(&format!("GET {path}"), &[&known]).await.status, 304, "{path}");
    }
}

#[cfg(feature = "web")]
#[tokio::test]
async fn several_boards_are_a_list() {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let stage = Stage::open_at(any, &["table-1", "<Bræt> 2"], &View::start()).await;
    let front = stage.ask("GET /", &[]).await;
    assert_eq!(front.status, 200);
    assert!(front.body.contains("<a href=\"/board/table-1\">table-1</a>"));
    assert_eq!(front.header("content-language"), "en");
    let danish = stage.ask("GET /", &["Accept-Language: da, en;q=0.5"]).await;
    assert!(danish.body.contains("<h1 data-say=\"boards\">Brætter</h1>"), "{}", danish.body);
    assert!(front.body.contains("<a href=\"/board/%3CBr%C3%A6t%3E%202\">&lt;Bræt&gt; 2</a>"));
    assert_eq!(stage.ask("GET /board/%3CBr%C3%A6t%3E%202", &[]).await.status, 200);
}

#[cfg(not(feature = "web"))]
#[tokio::test]
async fn a_build_without_pages_says_so() {
    let stage = Stage::open(&View::start()).await;
    for path in ["/board/table-1", "/assets/demo.js"] {
        let answer = stage.ask(&format!("GET {path}"), &[]).await;
        assert_eq!((answer.status, answer.body.contains("no pages")), (501, true), "{path}");
    }
}

#[tokio::test]
async fn the_end_is_quick_even_with_viewers() {
    let stage = Stage::open(&View::start()).await;
    let mut viewer = viewer(&stage).await;
    let _asleep = sleeper(stage.addr).await;
    next_view(&mut viewer).await;
    let addr = stage.close().await;
    let last = loop {
        match timeout(LIMIT, viewer.next()).await.expect("in time") {
            Some(Ok(Message::Close(frame))) => break frame.expect("a reason"),
            Some(Ok(_)) => {}
            gone => panic!("the line broke without a word: {gone:?}"),
        }
    };
    assert_eq!(u16::from(last.code), 1001);
    Stage::open_at(addr, &["table-1"], &View::start()).await;
}

#[tokio::test]
async fn a_full_house_keeps_nobody_from_asking() {
    let stage = Stage::open(&View::start()).await;
    let mut viewers = Vec::new();
    for _ in 0..SEATS.viewers {
        viewers.push(sleeper(stage.addr).await);
    }
    let mut idle = Vec::new();
    for _ in 0..4 * SEATS.guests {
        idle.push(TcpStream::connect(stage.addr).await.expect("an open port"));
    }
    let answer = stage.ask("GET /healthz", &[]).await;
    let health: Value = serde_json::from_str(&answer.body).expect("a report");
    assert_eq!(health["connections"], SEATS.viewers + SEATS.guests);
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(stage.ask("GET /board/table-1/view.json", &[]).await.status, 200);
    assert_eq!(&try_to_stay(stage.addr).await.1, b"HTTP/1.1 503");
    // The oldest had to go, and viewers had not.
    let end = timeout(LIMIT, idle[0].read(&mut [0; 8])).await.expect("the end of the line");
    assert!(end.is_ok_and(|n| n == 0), "the first idle one is cut");
    viewers.pop();
    let mut more = viewer(&stage).await;
    next_view(&mut more).await;
}

/// What a server that has a second for it answers to this request, while our own thread only waits.
fn ask_standing_still(stage: &Stage, request: &str) -> std::io::Result<String> {
    let mut stream = std::net::TcpStream::connect(stage.addr)?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    write!(stream, "{request} HTTP/1.1\r\nHost: {}\r\n\r\n", stage.addr)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map(|_| answer)
}

#[tokio::test]
async fn a_health_check_waits_for_no_pages() {
    let stage = Stage::open(&View::start()).await;
    assert_eq!(stage.ask("GET /board/table-1/view.json", &[]).await.status, 200);
    // This very thread serves the pages: while it waits for an answer they stand still.
    for (request, status) in [("GET /healthz", 200), ("GET /readyz", 503), ("HEAD /healthz", 200)] {
        let answer = ask_standing_still(&stage, request).expect("an answer");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {answer}");
        // Whoever asks for anything else comes again, and to the pages.
        assert!(answer.contains("connection: close"), "{request}: {answer}");
    }
    ask_standing_still(&stage, "GET /board/table-1/view.json").expect_err("nobody answers");
    assert_eq!(stage.ask("GET /board/table-1/view.json", &[]).await.status, 200);
    assert_eq!(stage.ask("GET /healthy", &[]).await.status, 404);
    assert_eq!(stage.ask("POST /healthz", &[]).await.status, 405);
    let misled = stage.ask("GET /healthz", &["Host: evil.example"]).await;
    assert_eq!(misled.status, 421);
}

#[tokio::test]
async fn a_reader_of_single_bytes_is_cut() {
    let stage = Stage::open(&View::start()).await;
    stage.pgn.send_replace("x".repeat(8 << 20).into());
    let mut slow = TcpStream::connect(stage.addr).await.expect("an open port");
    let ask = format!("GET /board/table-1/game.pgn HTTP/1.1\r\nHost: {}\r\n\r\n", stage.addr);
    slow.write_all(ask.as_bytes()).await.expect("a listening server");
    tokio::time::pause();
    let begun = Instant::now();
    let mut n_bytes = 0;
    while begun.elapsed() < Duration::from_secs(70) {
        tokio::time::sleep(Duration::from_millis(500)).await;
        n_bytes += slow.read(&mut [0; 1]).await.unwrap_or(0);
    }
    tokio::time::resume();
    let rest = async {
        let mut some = vec![0; 1 << 16];
        while let Ok(n @ 1..) = slow.read(&mut some).await {
            n_bytes += n;
        }
    };
    timeout(LIMIT, rest).await.expect("the end of the line");
    assert!(n_bytes < 8 << 20, "the whole file was waited for");
}

#[tokio::test]
async fn a_flood_of_requests_waits_and_others_do_not() {
    let stage = Stage::open(&View::start()).await;
    let ask = format!("GET /board/table-1/view.json HTTP/1.1\r\nHost: {}\r\n\r\n", stage.addr);
    let mut flood = TcpStream::connect(stage.addr).await.expect("an open port");
    flood.write_all(ask.repeat(300).as_bytes()).await.expect("a listening server");
    let begun = Instant::now();
    let mut heard = String::new();
    let mut answered = async |n_answers: usize| {
        let mut some = vec![0; 1 << 16];
        while heard.matches("HTTP/1.1 200").count() < n_answers {
            let n = timeout(LIMIT, flood.read(&mut some)).await.expect("an answer").expect("bytes");
            heard += &String::from_utf8_lossy(&some[..n]);
        }
    };
    answered(60).await;
    assert!(begun.elapsed() >= Duration::from_millis(800), "{:?}", begun.elapsed());
    tokio::select! {
        biased;
        answer = stage.ask("GET /healthz", &[]) => assert_eq!(answer.status, 200),
        () = answered(300) => panic!("the flood came first"),
    }
}

#[tokio::test]
async fn only_names_of_this_machine_are_answered() {
    let stage = Stage::open(&View::start()).await;
    for (host, status) in [
        ("127.0.0.1", 200),
        ("192.168.1.7:8960", 200),
        ("[fe80::1]:8960", 200),
        ("localhost:8960", 200),
        ("LOCALHOST", 200),
        ("Boards.Example.org:80", 200),
        ("boards.example.org.", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("boards.example.org.evil.example", 421),
        ("", 421),
    ] {
        let host = format!("Host: {host}");
        let answer = stage.ask("GET /board/table-1/view.json", &[&host]).await;
        assert_eq!(answer.status, status, "{host}");
        assert_eq!(answer.body.contains("Morphy"), status == 200, "{host}");
    }
}

#[tokio::test]
async fn being_alive_is_not_being_ready() {
    let stage = Stage::open(&View::start()).await;
    let ask = async |path: &str| {
        let answer = stage.ask(&format!("GET {path}"), &[]).await;
        let report: Value = serde_json::from_str(&answer.body).expect("a report");
        (answer.status, report)
    };
    let is = |link, disk: Option<&str>| {
        let disk = disk.map(str::to_owned);
        stage.status.send_replace(Status {
            record: Recording::On,
            link,
            disk,
            ..Status::default()
        });
    };
    is(LinkState::Live, None);
    let (status, report) = ask("/readyz").await;
    assert_eq!((status, &report["ready"]), (200, &true.into()));
    assert_eq!(report["boards"][0]["fault"], Value::Null);
    for (link, disk, word) in
        [(LinkState::Lost, None, "lost"), (LinkState::Live, Some("it is full"), "live")]
    {
        is(link, disk);
        let (status, report) = ask("/readyz").await;
        assert_eq!((status, &report["ready"]), (503, &false.into()));
        assert_eq!(report["boards"][0]["link"], word);
        assert_eq!(report["boards"][0]["fault"].as_str(), disk);
        assert_eq!(ask("/healthz").await.0, 200);
    }
    stage.pulse.send_replace(Instant::now().checked_sub(Duration::from_secs(9)).expect("a past"));
    let (status, report) = ask("/healthz").await;
    assert_eq!((status, &report["status"]), (503, &"stalled".into()));
}

#[tokio::test]
async fn a_board_that_is_not_recorded_is_shown_as_such() {
    let stage = Stage::open(&View::start()).await;
    let mut viewer = viewer(&stage).await;
    assert_eq!(next_view(&mut viewer).await["recorded"], true);
    let record = Recording::Off { why: "its folder is gone".to_owned(), is_taken: false };
    stage.status.send_replace(Status { record, ..Status::default() });
    let shown = next_view(&mut viewer).await;
    assert_eq!(
        (&shown["recorded"], &shown["view"]["white"]),
        (&false.into(), &"Morphy, Paul".into())
    );
    stage.status.send_replace(Status { record: Recording::On, ..Status::default() });
    assert_eq!(next_view(&mut viewer).await["recorded"], true);
}

#[tokio::test]
async fn words_and_earlier_games_are_fetched_once() {
    let stage = Stage::open(&View::start()).await;
    for (path, status, part) in [
        ("/words/de", 200, "\"N\":\"S\""),
        ("/words/xx", 404, "nothing at this address"),
        ("/words/..%2f", 404, "nothing at this address"),
        ("/board/table-1/games.json", 200, "{\"games\":[]}"),
        ("/board/table-1/games/1", 404, "no such game"),
        ("/board/table-1/games/1.pgn", 404, "no such game"),
        ("/board/table-1/games/x", 404, "nothing at this address"),
        ("/board/table-1/games/.pgn", 404, "nothing at this address"),
        ("/board/table-9/games.json", 404, "no board of this name"),
        ("/board/table-9/games/1", 404, "no board of this name"),
    ] {
        let answer = stage.ask(&format!("GET {path}"), &[]).await;
        assert_eq!((answer.status, answer.body.contains(part)), (status, true), "{path}");
        let known = format!("If-None-Match: {}", answer.header("etag"));
        let again = stage.ask(&format!("GET {path}"), &[&known]).await.status;
        assert_eq!(again, if status == 200 { 304 } else { 404 }, "{path}");
    }
}
