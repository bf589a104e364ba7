//! What the daemon tells of itself and its boards: to Prometheus, and to whoever asks by
//! `rokade status`.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rokade::shell::pty::Speed;
use rokade::sim::Script;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::assert_sentence;
use crate::program::{LIMIT, Place, STEP, is_live, plug};
use crate::stage::{Stage, View};

/// White's second move is illegal, and he presses.
const ILLEGAL: &str = r#"{"trace":1,"board":"dgt","clock":true}
{"t":1000,"sq":"e2","p":""}
{"t":1200,"sq":"e4","p":"P"}
{"t":1600,"press":"white"}
{"t":2600,"sq":"e7","p":""}
{"t":2800,"sq":"e5","p":"p"}
{"t":3200,"press":"black"}
{"t":4200,"sq":"e1","p":""}
{"t":4400,"sq":"e3","p":"K"}
{"t":4900,"press":"white"}
{"t":9000,"end":true}
"#;

/// A game that begins so.
pub(crate) fn illegal_move() -> Script {
    Script::parse(ILLEGAL).unwrap()
}

/// Samples by name and labels, and types by name, as a strict reader of OpenMetrics finds them.
#[derive(Debug, Default)]
struct Scraped {
    types: BTreeMap<String, String>,
    samples: BTreeMap<(String, BTreeMap<String, String>), f64>,
}

impl Scraped {
    /// # Panics
    /// It is no OpenMetrics.
    fn read(text: &str) -> Self {
        let mut scraped = Self::default();
        let (body, rest) = text.split_once("# EOF\n").expect("an end");
        assert_eq!(rest, "", "something is behind the end");
        let mut family = String::new();
        for line in body.lines() {
            if let Some(told) = line.strip_prefix("# TYPE ") {
                let (name, kind) = told.split_once(' ').unwrap();
                assert!(scraped.types.insert(name.to_owned(), kind.to_owned()).is_none(), "{line}");
                name.clone_into(&mut family);
            } else if !line.starts_with("# HELP ") {
                let (name, labels, value) = sample(line);
                let suffixes: &[&str] = match &*scraped.types[&family] {
                    "counter" => &["_total"],
                    "histogram" => &["_bucket", "_sum", "_count"],
                    "gauge" => &[""],
                    other => panic!("{other} is no type of ours"),
                };
                let is_of = |suffix: &&str| name.strip_suffix(*suffix) == Some(&*family);
                assert!(suffixes.iter().any(is_of), "{line} is not of {family}");
                assert!(scraped.samples.insert((name, labels), value).is_none(), "{line} is twice");
            }
        }
        scraped
    }

    /// The sample with exactly these labels.
    fn get(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        self.samples.get(&(name.to_owned(), labels.iter().map(owned).collect())).copied()
    }

    fn names(&self) -> BTreeSet<&str> {
        self.samples.keys().map(|(name, _)| name.as_str()).collect()
    }
}

/// One line: its name, its labels, its value.
fn sample(line: &str) -> (String, BTreeMap<String, String>, f64) {
    let end = line.find(['{', ' ']).expect("a name");
    let (name, mut rest) = line.split_at(end);
    let mut labels = BTreeMap::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        while !rest.starts_with('}') {
            let (key, quoted) = rest.trim_start_matches(',').split_once("=\"").expect("a label");
            let mut value = String::new();
            let mut chars = quoted.char_indices();
            let end = loop {
                match chars.next().expect("a closing quote") {
                    (at, '"') => break at,
                    (_, '\\') => match chars.next().expect("an escaped character").1 {
                        'n' => value.push('\n'),
                        escaped => value.push(escaped),
                    },
                    (_, plain) => value.push(plain),
                }
            };
            assert!(labels.insert(key.to_owned(), value).is_none(), "{line}: {key} is twice");
            rest = &quoted[end + 1..];
        }
        rest = &rest[1..];
    }
    let value = rest.strip_prefix(' ').expect("a space").parse().expect("a number");
    (name.to_owned(), labels, value)
}

/// What the daemon at `addr` tells somebody who comes from this address of the machine.
async fn scrape(addr: SocketAddr, from: &str) -> Scraped {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
    let mut stream = socket.connect(addr).await.unwrap();
    let ask = format!("GET /metrics HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(LIMIT, stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(head.contains("application/openmetrics-text; version=1.0.0"), "{head}");
    Scraped::read(body)
}

/// The families of the table in the documentation, with their types, and those that are for the
/// arbiter, or tell of play.
fn documented() -> (BTreeMap<String, String>, BTreeSet<String>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/METRICS.md");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `rokade_"));
    let (mut types, mut closed) = (BTreeMap::new(), BTreeSet::new());
    for row in rows {
        let mut cells = row.split(" | ");
        let name = format!("rokade_{}", cells.next().unwrap().trim_end_matches('`'));
        if !row.ends_with("| all |") {
            closed.insert(name.clone());
        }
        types.insert(name, cells.next().unwrap().to_owned());
    }
    (types, closed)
}

/// Two boards, of which the second has a referee and a public that is behind.
fn hall() -> Place {
    let place = Place::with_boards(2);
    let text = fs::read_to_string(place.path("rokade.toml")).unwrap();
    let text = text.replace("[http]\n", "[http]\nmetrics_to = [\"127.0.0.2\"]\n");
    fs::write(place.path("rokade.toml"), text).unwrap();
    place.add("laws = \"m2023\"\ndelay = \"2 moves\"\n");
    place
}

/// What the second address is told, once it says that the illegal move was seen at both boards, and
/// that nothing is on its way to the disk.
async fn told_all(place: &Place) -> Scraped {
    let end = Instant::now() + LIMIT;
    loop {
        let all = scrape(place.addr, "127.0.0.2").await;
        let illegal = |family, board| {
            all.samples.iter().any(|((name, labels), _)| {
                name == family && labels["board"] == board && labels["code"].starts_with("ILLEGAL")
            })
        };
        if illegal("rokade_board_findings_total", "table-1")
            && illegal("rokade_board_rulings_total", "table-2")
            && ["table-1", "table-2"].iter().all(|board| {
                let queue = [("board", *board), ("queue", "journal")];
                all.get("rokade_board_waiting", &queue) == Some(0.0)
            })
        {
            return all;
        }
        assert!(Instant::now() < end, "{all:?}");
        sleep(STEP * 20).await;
    }
}

#[tokio::test]
async fn what_happens_at_boards_is_counted_and_told_to_whom_it_may_be_told() {
    let place = hall();
    let script = illegal_move();
    let mut boards = [1, 2].map(|number| plug(&script, &place.cable(number)));
    let daemon = place.start();
    for board in &mut boards {
        timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    }
    place.seen(is_live).await;
    place.seen_of(2, LIMIT, is_live).await;
    for board in &boards {
        board.play(script.happenings.clone(), Speed::REAL).await.unwrap();
    }
    let all = told_all(&place).await;
    for board in ["table-1", "table-2"] {
        let of = |name: &str, label, word| all.get(name, &[("board", board), (label, word)]);
        assert_eq!(of("rokade_board_presses_total", "side", "white"), Some(2.0), "{board}");
        assert_eq!(of("rokade_board_presses_total", "side", "black"), Some(1.0), "{board}");
        assert_eq!(of("rokade_board_completions_total", "by", "press"), Some(2.0), "{board}");
        assert_eq!(of("rokade_board_link", "state", "live"), Some(1.0), "{board}");
        let alone = [("board", board)];
        assert_eq!(all.get("rokade_board_link_opened_total", &alone), Some(1.0), "{board}");
        assert!(all.get("rokade_board_still_seconds", &alone).unwrap() < 30.0, "{board}");
        let n = all.get("rokade_board_durable_seconds_count", &alone).unwrap();
        assert!(n > 5.0 && of("rokade_board_durable_seconds_bucket", "le", "+Inf") == Some(n));
    }

    let public = scrape(place.addr, "127.0.0.1").await;
    let (types, closed) = documented();
    assert_eq!((&all.types, &public.types), (&types, &types));
    // Of the board that is behind nothing that is closed is told, of the other all but findings.
    let is_arbiters = |name: &str| name.contains("findings") || name.contains("rulings");
    assert!(!public.names().iter().any(|name| is_arbiters(name)), "{public:?}");
    let told = |board: &str| {
        let of = |(name, labels): &&(String, BTreeMap<String, String>)| {
            labels.get("board").is_some_and(|it| it == board)
                && closed.iter().any(|family| name.starts_with(family.as_str()))
        };
        public.samples.keys().filter(of).count()
    };
    assert_eq!(told("table-2"), 0, "{public:?}");
    assert!(told("table-1") > 10, "{public:?}");

    status_says_the_same(&place).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// `rokade status` knows what the arbiter may know from the socket, and from the pages what
/// everybody may.
async fn status_says_the_same(place: &Place) {
    let report = place.run(&["status", "--json"]).await;
    assert_eq!((report.code, &*report.err), (Some(0), ""), "{report:?}");
    let report: Value = serde_json::from_str(&report.out).unwrap();
    for (idx, counts) in [(0, "findings"), (1, "rulings")] {
        let board = &report["boards"][idx];
        assert_eq!(board["play"]["presses"]["white"], 2, "{board}");
        let codes = board[counts].as_object().unwrap();
        assert!(codes.keys().any(|code| code.starts_with("ILLEGAL")), "{board}");
    }
    let said = place.run(&["status"]).await;
    assert_eq!(said.code, Some(0), "{said:?}");
    for words in [
        "2 of 2 boards recorded, 2 connected",
        "table-2: live, recorded",
        "presses    1 black, 2 white",
        "completed  2 press",
        "on the disk after",
    ] {
        assert!(said.out.contains(words), "{words:?} is not in: {}", said.out);
    }
    let one = place.run(&["status", "--board", "table-2"]).await;
    assert!(one.out.contains("table-2") && !one.out.contains("table-1"), "{one:?}");
    let none = place.run(&["status", "--board", "table-7"]).await;
    assert_sentence(&none, 2, &["no board \"table-7\"", "table-1, table-2"]);

    // Somebody to whom the socket is closed.
    let text = fs::read_to_string(place.path("rokade.toml")).unwrap();
    let closed = place.text("closed.toml");
    fs::write(&closed, format!("{text}[orders]\nenabled = false\n")).unwrap();
    let public = crate::program::run(&["status", "--config", &closed, "--json"]).await;
    assert_eq!((public.code, &*public.err), (Some(0), ""), "{public:?}");
    let public: Value = serde_json::from_str(&public.out).unwrap();
    let [first, second] = [0, 1].map(|idx| &public["boards"][idx]);
    assert_eq!(first["play"]["presses"]["white"], 2, "{first}");
    assert!(first["findings"].is_null() && second["rulings"].is_null(), "{public}");
    assert!(second["play"].is_null() && second["head"].is_null(), "{second}");
    let said = crate::program::run(&["status", "--config", &closed]).await;
    assert!(
        said.out.contains("What is for arbiters only is left out: [orders] enabled"),
        "{said:?}"
    );
}

#[tokio::test]
async fn without_a_daemon_it_is_said_what_to_do() {
    let place = Place::new();
    let said = place.run(&["status"]).await;
    assert_sentence(&said, 4, &["no daemon answers", "systemctl start rokade", "journalctl"]);
    let socket = place.text("none.sock");
    let said = place.run(&["status", "--socket", &socket]).await;
    assert_sentence(&said, 4, &["none.sock", "rokade run"]);
    // Somebody else's server is at the address, which sends on whoever asks for what it has not.
    let listener = tokio::net::TcpListener::bind(place.addr).await.unwrap();
    let n_asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&n_asked);
    tokio::spawn(async move {
        let hello = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
        let away = "HTTP/1.1 303 See Other\r\nLocation: /\r\nContent-Length: 0\r\n\
                    Connection: close\r\n\r\n";
        while let Ok((mut stream, _)) = listener.accept().await {
            let asked = stream.read(&mut [0; 1024]).await.unwrap();
            assert!(asked > 0);
            let answer = if counted.fetch_add(1, Ordering::Relaxed) == 0 { hello } else { away };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    for n in 1..=2 {
        let said = place.run(&["status"]).await;
        assert_sentence(&said, 4, &["is not a Rokade daemon"]);
        assert_eq!(n_asked.load(Ordering::Relaxed), n, "nothing else is asked for");
    }
}

#[tokio::test]
async fn whatever_a_board_is_called_a_scrape_can_be_read() {
    let names = ["the \"gold\" board", "back\\slash", "two\nlines", "Žižka {x=\"1\"}"];
    let addr = SocketAddr::from(([127, 0, 0, 1], 0));
    let stage = Stage::open_at(addr, &names, &View::start()).await;
    let scraped = Scraped::read(&stage.ask("GET /metrics", &[]).await.body);
    for name in names {
        let link = scraped.get("rokade_board_link", &[("board", name), ("state", "absent")]);
        assert_eq!(link, Some(1.0), "{name:?}");
    }
    let head = stage.ask("HEAD /metrics", &[]).await;
    assert_eq!((head.status, &*head.body), (200, ""));
    assert_eq!(stage.ask("POST /metrics", &[]).await.status, 405);
    assert_eq!(stage.ask("GET /metrics", &["Host: evil.example"]).await.status, 421);
}
