//! A whole hall: many boards in one daemon, and a network that means harm. Prints
//! `name value target PASS|FAIL` and ends with exit code 1 if anything failed.
//!
//! `cargo bench --bench hall` takes nine minutes; `ROKADE_HALL=boards` or `network` is one half of
//! it, `ROKADE_HALL_BOARDS` and `ROKADE_HALL_SECONDS` make it smaller. The boards are simulated
//! behind pseudo-terminals by this very process, and the network's clients by another one
//! that runs when nobody else does, as they would be other machines.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

mod hall {
    pub(crate) mod crowd;
    pub(crate) mod network;
}

use hall::{crowd, network};
use rokade::shell::pty::Pty;
use rokade::sim::games::random_game;
use rokade::sim::hands::Span;
use rokade::sim::{Manners, Table, TableKind, perform, script::Happening};
use rokade::table::Sight;
use rokade::time::Mono;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use shakmaty::{CastlingMode, Chess};
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Half-moves of a game, at most.
const N_PLIES: usize = 300;
/// A board that names its pieces, with a clock.
const TABLE: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };

fn main() -> ExitCode {
    raise_limit();
    if let Ok(address) = std::env::var("ROKADE_HALL_FLOOD") {
        crowd::flood(address.parse().expect("an address"));
    }
    if let Ok(address) = std::env::var("ROKADE_HALL_CONTROL") {
        crowd::answer(address.parse().expect("an address"));
    }
    let seconds = number("ROKADE_HALL_SECONDS", 240);
    let half = std::env::var("ROKADE_HALL").unwrap_or_default();
    let mut is_good = true;
    if half != "network" {
        is_good &= many_boards(number("ROKADE_HALL_BOARDS", 200), seconds as u64);
    }
    if half != "boards" {
        is_good &= network::bad_network(seconds as u64);
    }
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The number that the environment has under `name`.
fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
}

/// Whoever measures waits for nobody, or he would measure himself. Where that is not allowed, he
/// does.
fn before_all() {
    let thread = rustix::thread::gettid().as_raw_nonzero().to_string();
    Command::new("chrt").args(["-f", "-p", "10", &thread]).stderr(Stdio::null()).status().ok();
}

fn raise_limit() {
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most }).expect("more files");
}

/// Prints a figure.
fn figure(name: &str, value: f64, unit: &str, most: f64) -> bool {
    let is_good = value <= most;
    let verdict = if is_good { "PASS" } else { "FAIL" };
    println!("{name} {value:.2}{unit} <={most:.2}{unit} {verdict}");
    is_good
}

/// A daemon with boards, and what it says with the moment of each line.
struct Hall {
    folder: tempfile::TempDir,
    address: SocketAddr,
    daemon: Child,
    boards: Arc<Mutex<Vec<Board>>>,
    said: Arc<Mutex<Vec<(Instant, String)>>>,
}

/// A simulated board with hands at it.
struct Board {
    pty: Pty,
    table: Table,
    script: VecDeque<(Mono, Happening)>,
    /// When bytes left it last.
    sent: Instant,
}

impl Hall {
    /// Hands play at all boards from some seconds on, each player taking so long.
    fn open(n_boards: usize, think: Span) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = free.local_addr().expect("a bound port");
        drop(free);
        let mut config = format!(
            "state_dir = {:?}\n[http]\nlisten = \"{address}\"\n",
            folder.path().join("state")
        );
        let mut boards = Vec::new();
        for n in 0..n_boards {
            let link = folder.path().join(format!("board-{n}"));
            config += &format!("[[board]]\nname = \"table-{n}\"\nport = {link:?}\n");
            let moves = random_game(n as u64, N_PLIES);
            let manners = Manners { think, ..Manners::club() };
            let mode = CastlingMode::Standard;
            let played = perform(&Chess::new(), mode, &moves, None, &manners, TABLE, n as u64);
            let start = 6_000 + n as u64 * 7;
            let later = |(at, what): (Mono, Happening)| (at + Duration::from_millis(start), what);
            boards.push(Board {
                pty: Pty::open(Some(link)).expect("a pseudo-terminal"),
                table: Table::new(&played.script.header),
                script: played.script.happenings.into_iter().map(later).collect(),
                sent: Instant::now(),
            });
        }
        fs::write(folder.path().join("rokade.toml"), config).expect("a configuration");
        let boards = Arc::new(Mutex::new(boards));
        let hands = Arc::clone(&boards);
        thread::spawn(move || {
            before_all();
            play(&hands);
        });
        let mut daemon = Command::new(env!("CARGO_BIN_EXE_rokade"))
            .args(["run", "--config"])
            .arg(folder.path().join("rokade.toml"))
            .env("ROKADE_LOG", "info,rokade::shell::publish=trace")
            .stderr(Stdio::piped())
            .spawn()
            .expect("the daemon");
        let lines = BufReader::new(daemon.stderr.take().expect("what it says")).lines();
        let said = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&said);
        thread::spawn(move || {
            before_all();
            for line in lines.map_while(Result::ok) {
                listener.lock().expect("no panic").push((Instant::now(), line));
            }
        });
        Self { folder, address, daemon, boards, said }
    }

    /// Processor time so far, in seconds.
    fn processor(&self) -> f64 {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.daemon.id())).expect("a process");
        let fields = stat.rsplit(')').next().expect("fields");
        let ticks = fields.split_whitespace().skip(11).take(2);
        ticks.map(|ticks| ticks.parse::<f64>().expect("ticks")).sum::<f64>() / 100.0
    }

    fn memory_mb(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.daemon.id()));
        let status = status.expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
        let kib = line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number");
        kib * 1_024.0 / 1e6
    }

    fn n_threads(&self) -> usize {
        fs::read_dir(format!("/proc/{}/task", self.daemon.id())).expect("a process").count()
    }

    /// How long it takes to be told what waits for the arbiter.
    fn arbiter(&self) -> Duration {
        let begun = Instant::now();
        let ask = || -> std::io::Result<String> {
            let mut stream = UnixStream::connect(self.folder.path().join("state/orders.sock"))?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            stream.write_all(b"{\"rokade\":1,\"board\":\"table-0\",\"open\":true}\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        match ask() {
            Ok(answer) if answer.contains("\"class\":\"done\"") => begun.elapsed(),
            _ => Duration::from_secs(99),
        }
    }

    /// How long a health check takes.
    fn health(&self) -> Duration {
        let begun = Instant::now();
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(self.address)?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            write!(
                stream,
                "GET /healthz HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                self.address
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        match ask() {
            Ok(answer) if answer.starts_with("HTTP/1.1 200") => begun.elapsed(),
            _ => Duration::from_secs(99),
        }
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        self.daemon.kill().ok();
        self.daemon.wait().ok();
        self.boards.lock().expect("no panic").clear();
        drop(fs::read_dir(self.folder.path()));
    }
}

/// Lets all boards live until they are taken away.
fn play(boards: &Mutex<Vec<Board>>) {
    let start = Instant::now();
    let mut buf = [0; 1_024];
    let mut bytes = Vec::new();
    loop {
        {
            let mut boards = boards.lock().expect("no panic");
            if boards.is_empty() {
                return;
            }
            let now = Mono::default() + start.elapsed();
            for board in boards.iter_mut() {
                if let Ok(n @ 1..) = board.pty.read(&mut buf) {
                    board.table.board_mut().expect("a line").host_bytes(now, &buf[..n]);
                }
                while board.script.front().is_some_and(|(at, _)| *at <= now) {
                    let (at, what) = board.script.pop_front().expect("a happening");
                    board.table.happen(at, &what);
                }
                while let Some(at) = board.table.next_at().filter(|at| *at <= now) {
                    board.table.tick(at);
                    board.table.board_mut().expect("a line").take(at, &mut bytes);
                }
                if !bytes.is_empty() {
                    board.sent = Instant::now();
                    // What nobody reads is lost, as on a cable.
                    board.pty.write(&bytes).ok();
                    bytes.clear();
                }
            }
        }
        thread::sleep(Duration::from_micros(500));
    }
}

/// 200 boards at club speed: all are recorded, with few threads, little memory and one processor.
fn many_boards(n_boards: usize, seconds: u64) -> bool {
    let hall = Hall::open(n_boards, Span::new(4_000, 12_000));
    thread::sleep(Duration::from_secs(8));
    let (before, n_first) = (hall.processor(), hall.n_threads());
    let mut n_most = n_first;
    let mut memory: f64 = 0.0;
    for _ in 0..seconds {
        thread::sleep(Duration::from_secs(1));
        n_most = n_most.max(hall.n_threads());
        memory = memory.max(hall.memory_mb());
    }
    let share = (hall.processor() - before) / seconds as f64;
    let is_recorded = |n: &usize| {
        let game = hall.folder.path().join(format!("state/table-{n}/game-0001.pgn"));
        fs::read_to_string(game).is_ok_and(|text| text.contains("1. "))
    };
    let n_missing = n_boards - (0..n_boards).filter(is_recorded).count();
    let mut is_good = figure("hall.boards-not-recorded", n_missing as f64, "", 0.0);
    is_good &= figure("hall.processors", share, "", 1.0);
    is_good &= figure("hall.memory", memory, " MB", 100.0);
    is_good &= figure("hall.threads", n_most as f64, "", 32.0);
    is_good
}
