//! A file for a server that takes some by FTP, which lets in who it knows, is away, hangs, breaks
//! off, and has its own mind about names; and a live daemon that sends to it.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};

use crate::cli::pgn_moves;
use crate::daemon::game;
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of, plug};
use crate::push::health;

/// What goes wrong at the next visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It is full, and says so in place of a greeting.
    Full,
    /// It breaks off in the middle of the file.
    Breaks,
    /// It says nothing once it is to take a file.
    Hangs,
    /// It has no such folder.
    NoFolder,
}

/// A server of files, until it is dropped.
#[derive(Clone, Debug)]
struct Server {
    addr: SocketAddr,
    files: Arc<Mutex<BTreeMap<String, String>>>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
    /// All that it was told.
    told: Arc<Mutex<Vec<String>>>,
    /// It puts no file in the place of another.
    is_strict: bool,
}

impl Server {
    async fn open(address: &str, is_strict: bool) -> Self {
        let listener = TcpListener::bind((address, 0)).await.unwrap();
        let server = Self {
            addr: listener.local_addr().unwrap(),
            files: Arc::default(),
            faults: Arc::default(),
            told: Arc::default(),
            is_strict,
        };
        let own = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // Whoever goes away is not missed.
                tokio::spawn(own.clone().attend(stream));
            }
        });
        server
    }

    fn next(&self, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap().extend(faults);
    }

    fn told(&self, command: &str) -> usize {
        self.told.lock().unwrap().iter().filter(|line| line.starts_with(command)).count()
    }

    async fn attend(self, stream: TcpStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        let fault = self.faults.lock().unwrap().pop_front();
        if fault == Some(Fault::Full) {
            return stream.write_all(b"421 Too many users\r\n").await;
        }
        stream.write_all(b"220-Be welcome\r\n220 here\r\n").await?;
        let (mut data, mut from, mut user) = (None, String::new(), String::new());
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let line = line.trim_end();
            self.told.lock().unwrap().push(line.to_owned());
            let (command, name) = line.split_once(' ').unwrap_or((line, ""));
            let answer = match command {
                "USER" => {
                    user = name.to_owned();
                    "331 And the password?".to_owned()
                }
                "PASS" if (user.as_str(), name) == ("ann", "s:cret") => "230 In".to_owned(),
                "PASS" => "530 Login incorrect.".to_owned(),
                "TYPE" => "200 Binary".to_owned(),
                "PASV" | "EPSV" => {
                    let listener = TcpListener::bind((self.addr.ip(), 0)).await?;
                    let port = listener.local_addr()?.port();
                    data = Some(listener);
                    // The address that it has behind its router is nobody else's.
                    let (high, low) = (port >> 8, port & 255);
                    match command {
                        "PASV" => format!("227 Entering (203,0,113,9,{high},{low})"),
                        _ => format!("229 Entering (|||{port}|)"),
                    }
                }
                "STOR" => {
                    if fault == Some(Fault::Hangs) {
                        sleep(LIMIT * 10).await;
                    }
                    if fault == Some(Fault::NoFolder) {
                        "553 Could not create file.".to_owned()
                    } else {
                        stream.write_all(b"150 Go\r\n").await?;
                        let Some(body) = take(data.take(), fault).await? else { return Ok(()) };
                        self.files.lock().unwrap().insert(name.to_owned(), body);
                        "226 Done".to_owned()
                    }
                }
                "RNFR" => {
                    from = name.to_owned();
                    "350 And now?".to_owned()
                }
                "RNTO" => self.rename(&from, name),
                "DELE" => {
                    self.files.lock().unwrap().remove(name);
                    "250 Gone".to_owned()
                }
                "QUIT" => "221 Bye".to_owned(),
                _ => "502 What?".to_owned(),
            };
            stream.write_all(format!("{answer}\r\n").as_bytes()).await?;
        }
    }

    fn rename(&self, from: &str, to: &str) -> String {
        let mut files = self.files.lock().unwrap();
        if self.is_strict && files.contains_key(to) {
            return "553 It is there already".to_owned();
        }
        let file = files.remove(from).expect("a file that was stored");
        files.insert(to.to_owned(), file);
        "250 Called so".to_owned()
    }

    /// Waits until the file there is like this.
    async fn has(&self, daemon: &Daemon, name: &str, is_it: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + LIMIT;
        loop {
            let file = self.files.lock().unwrap().get(name).cloned();
            if let Some(file) = file.filter(|file| is_it(file)) {
                return file;
            }
            let told = self.told.lock().unwrap().clone();
            assert!(Instant::now() < end, "{told:?}\n{}", daemon.said());
            sleep(STEP).await;
        }
    }
}

/// What comes over the line for data; nothing, if it breaks off.
async fn take(data: Option<TcpListener>, fault: Option<Fault>) -> std::io::Result<Option<String>> {
    let (mut line, _) = data.expect("a line for data").accept().await?;
    let mut body = String::new();
    if fault == Some(Fault::Breaks) {
        return Ok(None);
    }
    line.read_to_string(&mut body).await?;
    Ok(Some(body))
}

fn n_moves(pgn: &str) -> usize {
    pgn_moves(pgn).first().map_or(0, Vec::len)
}

fn send_to(place: &Place, scheme: &str, addr: SocketAddr, login: &str) {
    let url = format!("{scheme}://{addr}/live%20games/open.pgn");
    place.add(&format!("[push]\nurl = \"{url}\"\nlogin_file = \"login\"\n"));
    fs::write(place.path("login"), login).unwrap();
}

const FILE: &str = "live games/open.pgn";

/// However often it fails, the whole game is there in the end, and never half of one.
#[tokio::test]
async fn a_game_is_stored_whole_by_ftp() {
    for (address, is_strict) in [("127.0.0.1", true), ("::1", false)] {
        let place = Place::new();
        let server = Server::open(address, is_strict).await;
        server.next([Fault::Full, Fault::Breaks, Fault::NoFolder]);
        send_to(&place, "ftp", server.addr, "ann:s:cret");
        let (intended, played) = game(8, Span::new(200, 400), 5);
        let mut board = plug(&played.script, &place.board());
        let daemon = place.start();
        timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
        health(&place, |it| {
            it["trouble"].as_str().is_some_and(|why| why.contains("create it on the server"))
        })
        .await;
        board.play(played.script.happenings, Speed::REAL).await.unwrap();
        place.seen(|view| moves_of(view).len() == intended.len()).await;
        // Another secret is noticed, and a place that was refused is tried then.
        fs::write(place.path("login"), "ann:wrong").unwrap();
        health(&place, |it| it["trouble"].as_str().is_some_and(|why| why.contains("password")))
            .await;
        fs::write(place.path("login"), "ann:s:cret").unwrap();
        let whole = |file: &str| n_moves(file) == intended.len();
        let file = server.has(&daemon, FILE, whole).await;
        assert_eq!(file, place.get("/games.pgn").await.unwrap());
        let order = ["order", "--board", "table-1", "result", "1-0"];
        assert_eq!(place.run(&order).await.code, Some(0));
        server.has(&daemon, FILE, |file| file.contains("[Result \"1-0\"]")).await;
        health(&place, |it| it["trouble"].is_null()).await;
        let names: Vec<String> = server.files.lock().unwrap().keys().cloned().collect();
        assert_eq!(names, [FILE], "nothing is left beside it");
        for (text, n) in [("421 Too many", 1), ("553 Could not create", 1), ("530 Login", 1)] {
            assert_eq!(daemon.said().matches(text).count(), n, "{text}: {}", daemon.said());
        }
        assert!(!daemon.said().contains("s:cret"), "{}", daemon.said());
        assert_eq!(daemon.stop().await.0, Some(0));
    }
}

/// It costs a thread its time, and nothing else.
#[tokio::test]
async fn a_server_of_files_that_hangs_holds_up_nothing() {
    let place = Place::new();
    let server = Server::open("127.0.0.1", false).await;
    server.next([Fault::Hangs]);
    send_to(&place, "ftp", server.addr, "ann:s:cret");
    let (intended, played) = game(6, Span::new(100, 200), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view).len() == intended.len()).await;
    assert_eq!(server.told("STOR"), 1);
    health(&place, |it| it["trouble"] == "it does not answer").await;
    server.has(&daemon, FILE, |file| n_moves(file) == intended.len()).await;
    server.next([Fault::Hangs]);
    let order = ["order", "--board", "table-1", "result", "1-0"];
    assert_eq!(place.run(&order).await.code, Some(0));
    sleep(Duration::from_secs(2)).await;
    let (code, took) = daemon.stop().await;
    // The server is waited for twenty seconds, of which two are over.
    assert!(code == Some(0) && took < Duration::from_secs(10), "{code:?} after {took:?}");
}

/// A password goes to no server that has no TLS, if `ftps:` was asked for.
#[tokio::test]
async fn a_server_without_tls_gets_no_password() {
    let place = Place::new();
    let server = Server::open("127.0.0.1", false).await;
    send_to(&place, "ftps", server.addr, "ann:s:cret");
    let daemon = place.start();
    health(&place, |it| it["trouble"].as_str().is_some_and(|why| why.contains("has no TLS"))).await;
    assert_eq!((server.told("AUTH TLS"), server.told("USER")), (1, 0));
    assert_eq!(daemon.stop().await.0, Some(0));
}
