//! Games on their way to a broadcast: a server that answers as Lichess does, is away, hangs,
//! refuses and talks nonsense; and a live daemon that sends to it.

#![allow(clippy::unwrap_used)]

mod stood;

use std::collections::VecDeque;
use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, sleep, timeout};

use crate::cli::pgn_moves;
use crate::daemon::game;
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of, own_address, plug};

const TOKEN: &str = "lip_Qx7Vw2Ry9Kz4";

/// What the server does with the next request.
#[derive(Clone, Debug)]
enum Turn {
    /// This status, these headers, this body.
    Say(u16, &'static str, &'static str),
    /// The page of a hotel, in Latin-1.
    Hotel,
    /// Nothing, for as long as the other one waits.
    Hang,
    /// It takes all games but that in which this stands.
    Refuse(&'static str),
}

/// What it was asked.
#[derive(Clone, Debug)]
struct Asked {
    at: Instant,
    head: String,
    body: String,
}

impl Asked {
    fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The value of a header.
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// A server of broadcasts, until it is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Broadcast {
    addr: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    turns: Arc<Mutex<VecDeque<Turn>>>,
    /// Who is let in; all, if it is empty.
    token: Arc<Mutex<String>>,
}

/// One request: its head and its body.
async fn read(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let end = loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let lower = head.to_ascii_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length = length.or(head.starts_with("GET ").then_some("0"));
    let length: usize = length.expect("a body of known length").parse().unwrap();
    while bytes.len() < end + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some((head, String::from_utf8(bytes[end + 4..].to_vec()).unwrap()))
}

/// The games of a body, and their number of moves.
fn games(body: &str) -> Vec<(String, usize)> {
    let moves = pgn_moves(body);
    let tags = |tag: &str| {
        let start = format!("[{tag} \"");
        body.lines().filter_map(move |line| line.strip_prefix(&start).map(str::to_owned))
    };
    let whites: Vec<String> = tags("White").map(|it| it.trim_end_matches("\"]").into()).collect();
    assert_eq!(whites.len(), moves.len(), "{body}");
    whites.into_iter().zip(moves.iter().map(Vec::len)).collect()
}

impl Broadcast {
    fn open() -> Self {
        Self::open_at(SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    fn open_at(addr: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_reuseaddr(true).unwrap();
        socket.bind(addr).unwrap();
        let listener = socket.listen(16).unwrap();
        let server = Self {
            addr: listener.local_addr().unwrap(),
            asked: Arc::default(),
            turns: Arc::default(),
            token: Arc::default(),
        };
        let own = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(own.clone().attend(stream));
            }
        });
        server
    }

    async fn attend(self, mut stream: TcpStream) {
        while let Some((head, body)) = read(&mut stream).await {
            let asked = Asked { at: Instant::now(), head: head.clone(), body: body.clone() };
            let is_known = {
                let token = self.token.lock().unwrap().clone();
                let known = format!("Bearer {token}");
                token.is_empty() || asked.header("authorization") == Some(known.as_str())
            };
            self.asked.lock().unwrap().push(asked);
            let turn = self.turns.lock().unwrap().pop_front();
            let (status, headers, text) = match turn {
                Some(Turn::Hang) => {
                    sleep(LIMIT * 10).await;
                    return;
                }
                Some(Turn::Say(status, headers, text)) => (status, headers, text.into()),
                Some(Turn::Hotel) => (200, "", b"<html>Bienvenue \xe0 l'h\xf4tel".to_vec()),
                _ if !is_known => (401, "", json!({ "error": "No such token" }).to_string().into()),
                Some(Turn::Refuse(name)) => (200, "", answer(&body, name).into()),
                None if head.starts_with("PUT ") => (204, "", Vec::new()),
                None if head.starts_with("GET ") => (200, "", self.kept().into()),
                None => (200, "", answer(&body, "\u{1}").into()),
            };
            let length = text.len();
            let head = format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n");
            if stream.write_all(&[head.into_bytes(), text].concat()).await.is_err() {
                return;
            }
        }
    }

    fn next(&self, turns: impl IntoIterator<Item = Turn>) {
        self.turns.lock().unwrap().extend(turns);
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The most moves that any game had in anything that was sent.
    pub(crate) fn n_moves(&self) -> usize {
        let of = |asked: &Asked| games(&asked.body).into_iter().map(|(_, n)| n).max();
        self.asked().iter().filter_map(of).max().unwrap_or(0)
    }

    /// What was put there last.
    fn kept(&self) -> String {
        let asked = self.asked();
        let put = asked.iter().rev().find(|asked| asked.line().starts_with("PUT "));
        put.expect("something is looked for after it was put there").body.clone()
    }

    /// Waits until nothing has been sent for a while; how much was until then.
    async fn quiet(&self, daemon: &Daemon) -> usize {
        let end = Instant::now() + LIMIT;
        loop {
            let n = self.asked().len();
            sleep(Duration::from_millis(2_500)).await;
            if self.asked().len() == n {
                return n;
            }
            assert!(Instant::now() < end, "{}", daemon.said());
        }
    }

    /// Waits until something was sent of which this holds.
    async fn sent(&self, daemon: &Daemon, is_it: impl Fn(&Asked) -> bool) -> Asked {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(asked) = self.asked().into_iter().rev().find(|asked| is_it(asked)) {
                return asked;
            }
            assert!(Instant::now() < end, "{:?}\n{}", self.asked().last(), daemon.said());
            sleep(STEP).await;
        }
    }
}

/// As the server of Lichess answers for each game.
fn answer(body: &str, refused: &str) -> String {
    let of = |(white, n): (String, usize)| {
        if white.contains(refused) {
            json!({ "tags": { "White": white }, "error": "Cannot play Nf3" })
        } else {
            json!({ "tags": { "White": white }, "moves": n })
        }
    };
    json!({ "games": games(body).into_iter().map(of).collect::<Vec<_>>() }).to_string()
}

/// What is sent to the broadcast's round by a board without pairings.
pub(crate) fn to_round(place: &Place) -> Broadcast {
    let server = Broadcast::open();
    write_token(place, TOKEN);
    place.add(&format!(
        "[push]\ntoken_file = \"token\"\nround = \"abcdefgh\"\nserver = \"http://{}\"\n",
        server.addr
    ));
    server
}

/// A file on this server has the games.
pub(crate) fn to_file(place: &Place) -> Broadcast {
    let server = Broadcast::open();
    place.add(&format!("[push]\nurl = \"http://{}/live/games.pgn\"\n", server.addr));
    server
}

fn write_token(place: &Place, token: &str) {
    fs::write(place.path("token"), format!("{token}\n")).unwrap();
    fs::set_permissions(place.path("token"), Permissions::from_mode(0o640)).unwrap();
}

/// What the health check says of the first server.
pub(crate) async fn health(place: &Place, is_it: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + SENT_WITHIN;
    loop {
        let report = place.get("/healthz").await.unwrap_or_default();
        let report: Value = serde_json::from_str(&report).unwrap_or_default();
        if is_it(&report["push"][0]) {
            return report["push"][0].clone();
        }
        assert!(Instant::now() < end, "{}", report["push"]);
        sleep(STEP).await;
    }
}

fn n_said(daemon: &Daemon, text: &str) -> usize {
    daemon.said().matches(text).count()
}

async fn said(daemon: &Daemon, text: &str) {
    let end = Instant::now() + SENT_WITHIN;
    while n_said(daemon, text) == 0 {
        assert!(Instant::now() < end, "{text:?} is not in: {}", daemon.said());
        sleep(STEP).await;
    }
}

/// What is sent again is sent twenty seconds later, and then takes its time.
const SENT_WITHIN: Duration = Duration::from_secs(20).saturating_add(LIMIT);
const HEAD: &str = "round;board;white;black\n";

#[tokio::test]
async fn a_round_goes_to_its_page_and_the_next_to_its_own() {
    let place = Place::with_boards(3);
    let server = Broadcast::open();
    *server.token.lock().unwrap() = TOKEN.to_owned();
    write_token(&place, TOKEN);
    let list = format!("{HEAD}1;1;Ann;Ben\n1;2;Cid;Dan\n1;3;Eve;Fay\n2;1;Ben;Cid\n2;2;Dan;Eve\n");
    fs::write(place.path("list.csv"), list).unwrap();
    place.add(&format!(
        "[event]\nname = \"Open\"\npairings = \"list.csv\"\nround = 1\n[push]\n\
         token_file = \"token\"\nserver = \"http://{}/\"\n\
         rounds = {{ 1 = \"https://lichess.org/broadcast/open/round-1/aaaaaaa1\", \
         2 = \"bbbbbbb2\" }}\n",
        server.addr
    ));
    server.next([Turn::Refuse("Cid"), Turn::Refuse("Cid")]);
    let (intended, played) = game(8, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    let whole = |asked: &Asked| {
        games(&asked.body) == [("Ann".into(), intended.len()), ("Cid".into(), 0), ("Eve".into(), 0)]
    };
    let sent = server.sent(&daemon, whole).await;
    assert_eq!(sent.line(), "POST /api/broadcast/round/aaaaaaa1/push HTTP/1.1");
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
    assert_eq!(sent.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(sent.header("user-agent").unwrap().starts_with("rokade/"));

    // The operator sees what became of each game, and hears of it once.
    let is_whole = |pushed: &Value| pushed["sent"][0]["games"][0]["moves"] == intended.len();
    let pushed = health(&place, is_whole).await;
    assert_eq!(pushed["to"], server.addr.to_string());
    assert_eq!(pushed["trouble"], Value::Null);
    assert_eq!(pushed["sent"][0]["what"], "round 1");
    assert_eq!(pushed["sent"][0]["games"][1], json!({ "game": "1.2 Cid - Dan", "moves": 0 }));
    let lines = daemon.said();
    let refused: Vec<_> = lines.lines().filter(|it| it.contains("NOT TAKE THIS GAME")).collect();
    assert_eq!(refused.len(), 1, "{lines}");
    assert!(refused[0].contains("1.2 Cid - Dan") && refused[0].contains("Cannot play Nf3"));
    assert_eq!(n_said(&daemon, "takes this game again"), 1, "{lines}");

    let result = place.run(&["order", "--board", "table-1", "result", "1-0"]).await;
    assert_eq!(result.code, Some(0), "{result:?}");
    server.sent(&daemon, |asked| asked.body.contains("[Result \"1-0\"]")).await;
    assert_eq!(place.run(&["round", "next"]).await.code, Some(0));
    let next = server.sent(&daemon, |asked| asked.line().contains("/bbbbbbb2/")).await;
    assert_eq!(games(&next.body), [("Ben".into(), 0), ("Dan".into(), 0)]);
    let n = server.quiet(&daemon).await;
    let first = |asked: &&Asked| asked.line().contains("/aaaaaaa1/");
    assert!(server.asked().iter().rfind(first).unwrap().body.contains("1-0"), "it stays");

    // A daemon that was away sends what there is, and then nothing as long as nothing changes.
    assert_eq!(daemon.stop().await.0, Some(0));
    let (daemon, stopped) = (place.start(), Instant::now());
    let again =
        |round: &'static str| move |asked: &Asked| asked.at > stopped && asked.body.contains(round);
    let one = server.sent(&daemon, again("[Round \"1.3\"]")).await;
    let two = server.sent(&daemon, again("[Round \"2.2\"]")).await;
    assert!(one.body.contains("1-0") && two.body.contains("[Round \"2.1\"]"));
    assert_eq!(server.quiet(&daemon).await, n + 2, "{:?}", server.asked().last());
    assert!(!daemon.said().contains(TOKEN));
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A night without a network, a server in trouble, one that wants fewer requests, one that talks
/// nonsense: said once each, nothing is lost, and it goes on by itself.
#[tokio::test]
async fn a_server_in_trouble_has_everything_once_it_is_well() {
    let place = Place::new();
    let server = to_round(&place);
    server.next([
        Turn::Say(500, "", "Oh \u{1b}[31mno"),
        Turn::Say(500, "", "It is 12:00:01"),
        Turn::Say(429, "Retry-After: 3\r\n", "Slow down"),
        Turn::Say(200, "", "<html>Welcome to the hotel</html>"),
    ]);
    let (intended, played) = game(6, Span::new(100, 200), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let (played, ()) = tokio::join!(board.play(played.script.happenings, Speed::REAL), async {
        server.sent(&daemon, |asked| games(&asked.body)[0].1 == intended.len()).await;
    });
    played.unwrap();
    let well = |pushed: &Value| {
        pushed["trouble"].is_null() && pushed["sent"][0]["games"][0]["moves"] == intended.len()
    };
    health(&place, well).await;
    let asked = server.asked();
    let gaps: Vec<Duration> = asked.windows(2).map(|two| two[1].at - two[0].at).collect();
    let least = [1, 2].map(Duration::from_secs);
    assert!(gaps[0] >= least[0].mul_f64(0.7) && gaps[1] >= least[1].mul_f64(0.7), "{gaps:?}");
    assert!(gaps[2] >= Duration::from_secs(3), "{gaps:?}");
    // In whatever words it says it.
    for text in ["it is in trouble (500: ", "wants fewer requests", "the hotel"] {
        assert_eq!(n_said(&daemon, text), 1, "{text}: {}", daemon.said());
    }
    assert!(!daemon.said().contains("\u{1b}[31mno"), "what it says steers no terminal");
    said(&daemon, "games are sent there again").await;
    assert_eq!(daemon.stop().await.0, Some(0));

    // It is not there at all, and then it is.
    let addr = own_address();
    let settings = fs::read_to_string(place.path("rokade.toml")).unwrap();
    let settings = settings.replace(&server.addr.to_string(), &addr.to_string());
    fs::write(place.path("rokade.toml"), settings).unwrap();
    let daemon = place.start();
    health(&place, |pushed| pushed["trouble"].as_str().is_some_and(|it| it.contains("reached")))
        .await;
    sleep(Duration::from_secs(2)).await;
    assert_eq!(n_said(&daemon, "it cannot be reached"), 1, "{}", daemon.said());
    let server = Broadcast::open_at(addr);
    server.sent(&daemon, |asked| games(&asked.body)[0].1 == intended.len()).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A token that is wrong is told with the remedy and tried seldom, until there is another.
#[tokio::test]
async fn a_wrong_token_waits_for_the_right_one() {
    let place = Place::new();
    let server = to_round(&place);
    *server.token.lock().unwrap() = TOKEN.to_owned();
    fs::remove_file(place.path("token")).unwrap();
    let daemon = place.start();
    said(&daemon, "token: No such file").await;
    fs::write(place.path("token"), "lip_old\n").unwrap();
    fs::set_permissions(place.path("token"), Permissions::from_mode(0o644)).unwrap();
    said(&daemon, "the token is not valid; make one with the scope study:write").await;
    said(&daemon, "EVERYBODY ON THIS MACHINE CAN READ THIS SECRET").await;
    let is_refused = |trouble: &str| trouble.contains("(401: ");
    health(&place, |pushed| pushed["trouble"].as_str().is_some_and(is_refused)).await;
    sleep(Duration::from_secs(7)).await;
    assert_eq!(server.asked().len(), 1, "nobody is asked again and again");
    assert!(!place.get("/healthz").await.unwrap().contains("lip_"));
    write_token(&place, TOKEN);
    health(&place, |pushed| pushed["trouble"].is_null() && pushed["sent"][0].is_object()).await;
    assert_eq!(n_said(&daemon, "the token is not valid"), 1, "{}", daemon.said());
    assert_eq!(n_said(&daemon, "EVERYBODY"), 1, "{}", daemon.said());
    assert!(!daemon.said().contains("lip_"));
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// One that takes the request and never answers holds up neither boards nor others, nor the end.
#[tokio::test]
async fn a_server_that_hangs_slows_nobody() {
    let place = Place::new();
    let files = Broadcast::open();
    let server = to_round(&place);
    server.next([Turn::Hang]);
    files.next(std::iter::repeat_n(Turn::Say(204, "", ""), 100));
    place.add(&format!("url = \"http://{}/live/games.pgn\"\nlogin_file = \"login\"\n", files.addr));
    fs::write(place.path("login"), "ann:s:cret").unwrap();
    let (intended, played) = game(8, Span::new(200, 400), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let asked = server.sent(&daemon, |_| true).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view).len() == intended.len()).await;
    let put = files.sent(&daemon, |asked| games(&asked.body)[0].1 == intended.len()).await;
    assert_eq!(server.asked().len(), 1, "it is not waited for");
    assert_eq!(put.line(), "PUT /live/games.pgn HTTP/1.1");
    assert_eq!(put.header("authorization"), Some("Basic YW5uOnM6Y3JldA=="));
    assert_eq!(put.header("content-type"), Some("application/x-chess-pgn; charset=utf-8"));
    assert_eq!(put.body, place.get("/games.pgn").await.unwrap());
    assert_eq!(server.asked().len(), 1);
    // After a while it is given up, and asked once more.
    let next = server.sent(&daemon, |asked| games(&asked.body)[0].1 == intended.len()).await;
    assert!(next.at - asked.at > Duration::from_secs(19), "{:?}", next.at - asked.at);
    assert_eq!(n_said(&daemon, "it does not answer"), 1, "{}", daemon.said());
    server.next([Turn::Hang]);
    let order = ["order", "--board", "table-1", "result", "1-0"];
    assert_eq!(place.run(&order).await.code, Some(0));
    server.sent(&daemon, |asked| asked.body.contains("1-0")).await;
    let (code, took) = daemon.stop().await;
    // An answer is waited for twenty seconds.
    assert!(code == Some(0) && took < Duration::from_secs(18), "{code:?} after {took:?}");
}

#[tokio::test]
async fn more_than_64_games_go_in_two_requests_and_files_round_by_round() {
    let place = Place::with_boards(65);
    let server = Broadcast::open();
    let files = Broadcast::open();
    files.next(std::iter::repeat_n(Turn::Say(201, "", ""), 100));
    write_token(&place, TOKEN);
    let of = |table: usize| format!("1;{table};White {table};Black {table}\n");
    let list: String = (1..=65).map(of).collect();
    fs::write(place.path("list.csv"), format!("{HEAD}{list}")).unwrap();
    place.add(&format!(
        "[event]\nname = \"Open\"\npairings = \"list.csv\"\n[push]\ntoken_file = \"token\"\n\
         rounds = {{ 1 = \"aaaaaaa1\" }}\nserver = \"http://{}\"\n\
         url = \"http://{}/round-{{round}}.pgn\"\n",
        server.addr, files.addr
    ));
    let daemon = place.start();
    // Boards come in one by one, so fewer games may be sent at first.
    let has_65 = |asked: &Asked| asked.body.contains("White 65\"");
    server.sent(&daemon, |asked| games(&asked.body).len() == 64 && !has_65(asked)).await;
    server.sent(&daemon, |asked| games(&asked.body).len() == 1 && has_65(asked)).await;
    let pushed = health(&place, |pushed| pushed["sent"][1].is_object()).await;
    assert_eq!(pushed["sent"][0]["what"], "round 1, games 1 to 64");
    assert_eq!(pushed["sent"][1]["games"][0]["game"], "1.65 White 65 - Black 65");
    let file = files.sent(&daemon, |asked| games(&asked.body).len() == 65).await;
    assert_eq!(file.line(), "PUT /round-1.pgn HTTP/1.1");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// A server that says yes to anything is not believed, until it shows the file.
#[tokio::test]
async fn a_file_that_a_server_does_not_show_is_sent_again() {
    let place = Place::new();
    let server = to_file(&place);
    server.next([Turn::Hotel, Turn::Hotel, Turn::Say(200, "", "saved")]);
    let daemon = place.start();
    said(&daemon, "it says that it has the file, but does not show it (200: <html>Bienvenue").await;
    health(&place, |pushed| pushed["trouble"].as_str().is_some_and(|it| it.contains("sent again")))
        .await;
    // One that answers with words of its own, and shows the file, has it.
    health(&place, |pushed| pushed["trouble"].is_null()).await;
    said(&daemon, "games are sent there again").await;
    assert_eq!(n_said(&daemon, "does not show it"), 1, "{}", daemon.said());
    let asked = server.asked();
    let methods: Vec<_> = asked.iter().filter_map(|it| it.line().split(' ').next()).collect();
    assert_eq!(methods, ["PUT", "GET", "PUT", "GET"]);
    let apart = asked[2].at - asked[0].at;
    assert!(apart > Duration::from_secs(18), "{apart:?}");
    assert_eq!(asked[2].body, asked[0].body, "nothing has changed");
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// What is no server of certificates is told, and nothing is sent to it.
#[tokio::test]
async fn a_server_that_cannot_show_who_it_is_gets_nothing() {
    let place = Place::new();
    let server = to_round(&place);
    let settings = fs::read_to_string(place.path("rokade.toml")).unwrap();
    fs::write(place.path("rokade.toml"), settings.replace("\"http://", "\"https://")).unwrap();
    let daemon = place.start();
    said(&daemon, "GAMES ARE NOT SENT THERE").await;
    assert!(server.asked().is_empty());
    assert_eq!(daemon.stop().await.0, Some(0));
}
