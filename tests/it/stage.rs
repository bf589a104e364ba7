//! A web server on a free port of this machine, and the far ends of its feeds.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rokade::shell::host::HostState;
use rokade::shell::http::{Feed, Seats, ShownView, Site, Speaks, serve};
use rokade::shell::now::Now;
use rokade::shell::past::PastGames;
use rokade::shell::report::Outlook;
use rokade::shell::status::{Recording, Status};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use crate::livechess::START_FEN;

/// No answer on the loopback takes this long.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A small house.
pub(crate) const SEATS: Seats = Seats { guests: 8, viewers: 16 };

/// The view document, as far as the page reads it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct View {
    pub(crate) v: u32,
    pub(crate) r#type: &'static str,
    pub(crate) board: String,
    pub(crate) white: String,
    pub(crate) black: String,
    pub(crate) players: Value,
    pub(crate) event: String,
    pub(crate) round: String,
    pub(crate) start: String,
    pub(crate) fen: String,
    pub(crate) last: Option<[&'static str; 2]>,
    pub(crate) check: Option<&'static str>,
    pub(crate) turn: &'static str,
    pub(crate) orientation: &'static str,
    pub(crate) moves: Vec<Ply>,
    pub(crate) result: &'static str,
    pub(crate) reason: Option<&'static str>,
    pub(crate) clock: Option<Clock>,
    pub(crate) link: &'static str,
    pub(crate) joined: bool,
    pub(crate) gaps: Vec<Value>,
    pub(crate) idle: bool,
    pub(crate) unnamed: &'static [&'static str],
    pub(crate) differs: &'static [&'static str],
}

/// One move of the score.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Ply {
    pub(crate) ply: u32,
    pub(crate) number: u32,
    pub(crate) color: &'static str,
    pub(crate) san: &'static str,
    pub(crate) uci: &'static str,
    pub(crate) state: &'static str,
    pub(crate) uncertain: bool,
    pub(crate) alternatives: &'static [&'static str],
}

/// Both clocks.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Clock {
    pub(crate) white_ms: u64,
    pub(crate) black_ms: u64,
    pub(crate) running: Option<&'static str>,
    pub(crate) age_ms: u64,
    pub(crate) estimated: bool,
}

impl View {
    /// Before the first move, White's clock running.
    pub(crate) fn start() -> Self {
        let nobody = json!({ "title": "", "rating": "", "federation": "", "team": "" });
        Self {
            v: 1,
            r#type: "view",
            board: "table-1".to_owned(),
            white: "Morphy, Paul".to_owned(),
            black: "Duke Karl / Count Isouard".to_owned(),
            players: json!({ "white": nobody, "black": nobody }),
            event: "Paris 1858".to_owned(),
            round: String::new(),
            start: START_FEN.to_owned(),
            fen: START_FEN.to_owned(),
            last: None,
            check: None,
            turn: "white",
            orientation: "white",
            moves: Vec::new(),
            result: "*",
            reason: None,
            clock: Some(Clock {
                white_ms: 5_400_000,
                black_ms: 5_400_000,
                running: Some("white"),
                age_ms: 0,
                estimated: false,
            }),
            link: "live",
            joined: false,
            gaps: Vec::new(),
            idle: false,
            unnamed: &[],
            differs: &[],
        }
    }

    /// After 1. e4, the clock pressed.
    pub(crate) fn after_e4() -> Self {
        let e4 = Ply {
            ply: 1,
            number: 1,
            color: "white",
            san: "e4",
            uci: "e2e4",
            state: "completed",
            uncertain: false,
            alternatives: &[],
        };
        Self {
            fen: "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned(),
            last: Some(["e2", "e4"]),
            turn: "black",
            moves: vec![e4],
            clock: Some(Clock {
                white_ms: 5_397_000,
                black_ms: 5_400_000,
                running: Some("black"),
                age_ms: 0,
                estimated: false,
            }),
            ..Self::start()
        }
    }

    fn shown(&self) -> Arc<ShownView> {
        let text = serde_json::to_string(self).expect("a view is JSON");
        Arc::new(ShownView { text, made: Instant::now(), is_behind: false })
    }
}

/// A running server with one or more boards, all showing the same unless told otherwise.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) addr: SocketAddr,
    views: Vec<watch::Sender<Arc<ShownView>>>,
    pub(crate) pgn: watch::Sender<Arc<str>>,
    pub(crate) past: watch::Sender<Arc<PastGames>>,
    pub(crate) status: watch::Sender<Status>,
    pub(crate) pulse: watch::Sender<Instant>,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Stage {
    /// One board, `table-1`, on a free port.
    pub(crate) async fn open(view: &View) -> Self {
        Self::open_at(SocketAddr::from(([127, 0, 0, 1], 0)), &["table-1"], view).await
    }

    /// The boards of these names.
    pub(crate) async fn open_at(addr: SocketAddr, names: &[&str], view: &View) -> Self {
        let listener = TcpListener::bind(addr).await.expect("a port of this machine");
        let addr = listener.local_addr().expect("a bound port");
        let first = view.shown();
        let (views, shown): (Vec<_>, Vec<_>) =
            names.iter().map(|_| watch::channel(first.clone())).unzip();
        let (pgn, game) = watch::channel(Arc::from("[Event \"Paris 1858\"]\n\n*\n"));
        let on = Status { record: Recording::On, ..Status::default() };
        let (past, pasts) = watch::channel(Arc::default());
        let (status, statuses) = watch::channel(on);
        let (pulse, pulses) = watch::channel(Instant::now());
        let feeds = names.iter().zip(shown).map(|(name, view)| Feed {
            name: (*name).to_owned(),
            view,
            pgn: game.clone(),
            parts: watch::channel(Arc::default()).1,
            book: watch::channel(Arc::default()).1,
            past: pasts.clone(),
            awaited: watch::channel(format!("[White \"{name}\"]\n\n*\n\n").into()).1,
            live: watch::channel(Arc::default()).1,
            is_ready: watch::channel(true).1,
            status: statuses.clone(),
            delays: Arc::default(),
            counts: Arc::default(),
        });
        let names = vec!["boards.example.org".to_owned()];
        let site = Site {
            speaks: Speaks::Pages,
            outlook: Outlook {
                feeds: feeds.collect(),
                pulse: pulses,
                pushed: Vec::new(),
                host: watch::channel(HostState::default()).1,
                now: Now::start(),
            },
            trusted: Vec::new(),
            seats: SEATS,
            names,
            embed: vec!["https://club.example.org".to_owned()],
        };
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(async move {
            serve(listener, site, stopped).await.expect("a server that stops when told");
        });
        Self { addr, views, pgn, past, status, pulse, stop, server }
    }

    /// Makes `view` the newest of all boards.
    pub(crate) fn publish(&self, view: &View) {
        (0..self.views.len()).for_each(|idx| self.publish_at(idx, view));
    }

    /// Makes `view` the newest of one board, by its place from 0.
    pub(crate) fn publish_at(&self, idx: usize, view: &View) {
        self.views[idx].send_replace(view.shown());
    }

    /// Stops the server and waits until it has.
    pub(crate) async fn close(self) -> SocketAddr {
        self.stop.send(()).expect("a running server");
        timeout(LIMIT, self.server).await.expect("an end in time").expect("no panic");
        self.addr
    }

    /// The address of a page.
    #[cfg(feature = "web")]
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// Asks with exactly this request line and these header lines; a host is added.
    pub(crate) async fn ask(&self, line: &str, headers: &[&str]) -> Answer {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            request += &format!("Host: {}\r\n", self.addr);
        }
        for header in headers {
            request += &format!("{header}\r\n");
        }
        request += "\r\n";
        self.ask_bytes(request.as_bytes()).await
    }

    /// Asks with exactly these bytes.
    pub(crate) async fn ask_bytes(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.addr).await.expect("an open port");
        stream.write_all(request).await.expect("a listening server");
        let mut answer = Vec::new();
        timeout(LIMIT, stream.read_to_end(&mut answer))
            .await
            .expect("an answer in time")
            .expect("a whole answer");
        Answer::parse(&answer)
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The value of a header, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.head
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map_or("", |(_, value)| value)
    }
}
