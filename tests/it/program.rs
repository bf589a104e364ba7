//! The real program, with a real configuration in a folder of its own, reading a simulated board
//! through a real pseudo-terminal. Nothing of it is left when a test ends, however it ends.

#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use rokade::shell::pty::{PtyBoard, PtyBoardStub};
use rokade::sim::hands::Performance;
use rokade::sim::script::Happening;
use rokade::sim::{Script, Table};
use rokade::time::Mono;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

/// Nothing here takes this long, even while the machine is busy building. A game that is played at
/// the pace of real hands takes half a minute by itself.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);
/// Between looks at what cannot be waited for.
pub(crate) const STEP: Duration = Duration::from_millis(5);
/// A daemon that has just been started takes orders within this time.
const SOON: Duration = Duration::from_secs(3);

/// The program with these arguments; killed when it is dropped.
pub(crate) fn rokade(args: &[&str]) -> Command {
    // Tests that are killed take their daemons with them.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", env!("CARGO_BIN_EXE_rokade")]).args(args);
    command.kill_on_drop(true).stdin(Stdio::null());
    // What the service manager of this machine told us is not meant for it.
    for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM"] {
        command.env_remove(name);
    }
    command.env_remove("STATE_DIRECTORY").env_remove("ROKADE_LOG");
    command
}

/// What the program said, and how it ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// An address that was free just now, and that nobody else is given: each caller has an address of
/// this machine to itself. A port of the address that all share may be another test's before it is
/// listened at, whose answers are then taken for one's own.
pub(crate) fn own_address() -> SocketAddr {
    static N_GIVEN: AtomicU16 = AtomicU16::new(1);
    let [high, low] = N_GIVEN.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    let [.., process] = std::process::id().to_be_bytes();
    let ip = Ipv4Addr::new(127, 64 + process % 128, high, low);
    TcpListener::bind((ip, 0)).unwrap().local_addr().unwrap()
}

/// Runs the program to its end.
pub(crate) async fn run(args: &[&str]) -> Outcome {
    finish(rokade(args)).await
}

/// Runs it to its end.
pub(crate) async fn finish(mut command: Command) -> Outcome {
    let output = timeout(LIMIT, command.output()).await.expect("an end in time").unwrap();
    Outcome {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Sends a signal to a program that runs.
pub(crate) fn signal(child: &Child, signal: Signal) {
    let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    kill_process(pid.expect("a program that runs"), signal).unwrap();
}

/// A folder with a configuration for one board, `table-1`, and room for its journal.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
    pub(crate) addr: SocketAddr,
}

impl Place {
    /// The pages are to be at an address of its own.
    pub(crate) fn new() -> Self {
        Self::with_boards(1)
    }

    /// The same with so many boards: `table-1`, `table-2` and so on. The cable of the first ends at
    /// `board`, that of another at `board-2`, `board-3` and so on.
    pub(crate) fn with_boards(n: usize) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap(), addr: own_address() };
        let mut text =
            format!("state_dir = {:?}\n[http]\nlisten = \"{}\"\n", place.path("state"), place.addr);
        for number in 1..=n {
            text += &format!(
                "[[board]]\nname = \"table-{number}\"\nport = {:?}\nwhite = \"Ann\"\n\
                 black = \"Ben\"\nevent = \"Club evening\"\n",
                place.cable(number)
            );
        }
        fs::write(place.path("rokade.toml"), text).unwrap();
        place
    }

    /// Adds lines to the section of the board.
    pub(crate) fn add(&self, lines: &str) {
        let mut text = fs::read_to_string(self.path("rokade.toml")).unwrap();
        text.push_str(lines);
        fs::write(self.path("rokade.toml"), text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Where the board's cable ends.
    pub(crate) fn board(&self) -> PathBuf {
        self.path("board")
    }

    /// Where the cable of the board of this number ends.
    pub(crate) fn cable(&self, number: usize) -> PathBuf {
        if number == 1 { self.board() } else { self.path(&format!("board-{number}")) }
    }

    /// The journal's folder, with the games' files.
    pub(crate) fn journal(&self) -> PathBuf {
        self.path("state/table-1")
    }

    /// The program with this configuration.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = rokade(args);
        command.arg("--config").arg(self.path("rokade.toml"));
        command
    }

    /// Runs it to its end.
    pub(crate) async fn run(&self, args: &[&str]) -> Outcome {
        // A daemon may serve its pages a moment before it takes orders.
        let end = Instant::now() + SOON;
        let has_daemon = self.path("daemon.log").exists();
        loop {
            let outcome = finish(self.command(args)).await;
            let is_early = has_daemon && outcome.err.contains("no daemon takes orders");
            if !is_early || Instant::now() >= end {
                return outcome;
            }
            sleep(STEP).await;
        }
    }

    /// The daemon. What it says is added to a file.
    pub(crate) fn start(&self) -> Daemon {
        self.start_as(self.command(&["run"]))
    }

    pub(crate) fn start_as(&self, mut command: Command) -> Daemon {
        let said = self.path("daemon.log");
        let log = OpenOptions::new().create(true).append(true).open(&said).unwrap();
        let begins_at = usize::try_from(log.metadata().unwrap().len()).unwrap();
        let child = command.stdout(log.try_clone().unwrap()).stderr(log).spawn();
        Daemon { child: child.unwrap(), said, begins_at }
    }

    /// The body of a page; nothing while nobody answers, or it is not there.
    pub(crate) async fn get(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(self.addr).await.ok()?;
        let host = self.addr;
        let ask = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(ask.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        if head.starts_with("HTTP/1.1 404") {
            return None;
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        // Whoever was killed in the middle of a sentence has not said it.
        (length?.parse() == Ok(body.len())).then(|| body.to_owned())
    }

    /// Waits until the health check says that the board is recorded, with a warning that contains
    /// this, or without any.
    pub(crate) async fn warned(&self, daemon: &Daemon, expected: Option<&str>) {
        let end = Instant::now() + LIMIT;
        loop {
            let report = self.get("/healthz").await.unwrap_or_default();
            let health: Value = serde_json::from_str(&report).unwrap_or_default();
            let board = &health["boards"][0];
            let warning = board["warning"].as_str();
            if board["recorded"] == true && warning.is_some() == expected.is_some() {
                let warning = warning.unwrap_or_default();
                assert!(warning.contains(expected.unwrap_or_default()), "{board}");
                return;
            }
            assert!(Instant::now() < end, "{board}, not {expected:?}\n{}", daemon.said());
            sleep(STEP).await;
        }
    }

    /// The newest view document.
    pub(crate) async fn view(&self) -> Option<Value> {
        self.view_of(1).await
    }

    /// The newest view document of the board of this number.
    pub(crate) async fn view_of(&self, number: usize) -> Option<Value> {
        let text = self.get(&format!("/board/table-{number}/view.json")).await?;
        let mut envelope: Value = serde_json::from_str(&text).unwrap();
        Some(envelope["view"].take())
    }

    /// Waits for a view document.
    pub(crate) async fn seen(&self, is_enough: impl Fn(&Value) -> bool) -> Value {
        self.seen_within(LIMIT, is_enough).await
    }

    /// Waits this long for a view document.
    pub(crate) async fn seen_within(
        &self,
        limit: Duration,
        is_enough: impl Fn(&Value) -> bool,
    ) -> Value {
        self.seen_of(1, limit, is_enough).await
    }

    /// The same for the board of this number.
    pub(crate) async fn seen_of(
        &self,
        number: usize,
        limit: Duration,
        is_enough: impl Fn(&Value) -> bool,
    ) -> Value {
        let end = Instant::now() + limit;
        loop {
            let view = self.view_of(number).await;
            if let Some(view) = view.as_ref().filter(|view| is_enough(view)) {
                return view.clone();
            }
            assert!(Instant::now() < end, "at the end: {view:?}\n{}", self.said());
            sleep(STEP).await;
        }
    }

    /// What its daemons have said.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(self.path("daemon.log")).unwrap_or_default()
    }
}

/// Whether the daemon knows the whole board.
pub(crate) fn is_live(view: &Value) -> bool {
    view["link"] == "live"
}

/// The moves of a view document.
pub(crate) fn moves_of(view: &Value) -> Vec<String> {
    let moves = view["moves"].as_array().unwrap();
    moves.iter().map(|m| m["uci"].as_str().unwrap().to_owned()).collect()
}

/// A daemon that runs, until it is dropped at the latest.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) child: Child,
    said: PathBuf,
    /// Where in that file it begins to speak.
    begins_at: usize,
}

impl Daemon {
    /// Asks it to read its settings anew, as `systemctl reload` does.
    pub(crate) fn hangup(&self) {
        signal(&self.child, Signal::HUP);
    }

    /// `kill -9`, and what was left is cleared away.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Asks it to end. Returns its exit code, and how long it took.
    pub(crate) async fn stop(mut self) -> (Option<i32>, Duration) {
        let asked = Instant::now();
        signal(&self.child, Signal::TERM);
        let ended = timeout(LIMIT, self.child.wait()).await.expect("an end in time").unwrap();
        (ended.code(), asked.elapsed())
    }

    /// Waits until it says that it knows the whole board of this number, whatever the pages show.
    pub(crate) async fn connected(&self, number: usize) {
        let (end, name) = (Instant::now() + LIMIT, format!("table-{number}"));
        let is_it = |line: &str| line.contains(&name) && line.contains("connected");
        while !self.said()[self.begins_at..].lines().any(is_it) {
            assert!(Instant::now() < end, "{name} is not connected\n{}", self.said());
            sleep(STEP).await;
        }
    }

    /// Waits until it, or one before it in the same place, has said this: its log is written by a
    /// thread of its own, and may come behind what it tells of.
    pub(crate) async fn says(&self, words: &str) {
        let end = Instant::now() + LIMIT;
        while !self.said().contains(words) {
            assert!(Instant::now() < end, "not said: {words}\n{}", self.said());
            sleep(STEP).await;
        }
    }

    /// All it has said so far, and those before it in the same place.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap()
    }
}

/// What hands do, in parts: up to the end of the first so many plies, of the second, and so on. The
/// times of each are counted from its beginning, so that a test can wait for what it needs between.
pub(crate) fn parts<const N: usize>(
    played: &Performance,
    plies: [usize; N],
) -> Vec<Vec<(Mono, Happening)>> {
    let (mut rest, mut begins) = (played.script.happenings.as_slice(), Mono::default());
    let mut parts = Vec::new();
    let ends = plies.map(|n| {
        let ply = &played.truth.plies[n - 1];
        ply.completed.unwrap_or(ply.rested)
    });
    for end in ends.into_iter().chain([Mono(u64::MAX)]) {
        let (part, later) = rest.split_at(rest.partition_point(|(at, _)| *at <= end));
        let from = |(at, what): &(Mono, Happening)| (Mono(at.0 - begins.0), what.clone());
        parts.push(part.iter().map(from).collect());
        (rest, begins) = (later, end);
    }
    parts
}

/// A simulated board with its cable in.
pub(crate) fn plug(script: &Script, link: &Path) -> PtyBoardStub {
    let (stub, actor) = PtyBoard::open(Table::new(&script.header), Some(link.to_owned())).unwrap();
    tokio::spawn(actor.run());
    stub
}
