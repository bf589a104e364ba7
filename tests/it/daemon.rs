//! The daemon as a process: killed at any moment, stopped in order, watched by a service manager.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::ops::{Range, RangeInclusive};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rokade::game::entry::Fact;
use rokade::shell::journal::{DiskStorage, JournalReader};
use rokade::shell::pty::{Pty, PtyBoard, PtyBoardStub, Speed};
use rokade::shell::record;
use rokade::sim::Table;
use rokade::sim::hands::{self, Manners, Span, TableKind};
use rokade::sim::script::{Happening, Header, Script};
use rokade::table::Sight;
use rokade::time::Mono;
use serde_json::Value;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Move};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::UnixDatagram;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::{assert_sentence, pgn_moves, quiet};
use crate::games::classics;
use crate::program::{Daemon, LIMIT, Place, STEP, finish, is_live, moves_of, plug, rokade};

const TABLE: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };
const N_KILLS: usize = 50;
const N_PLIES: usize = 30;
/// How many daemons are killed one right after the other, most of them before they know the board.
const BURST: RangeInclusive<usize> = 3..=7;
/// How long such a daemon lives.
const SHORT_MS: RangeInclusive<u64> = 0..=60;
/// The last of them lives until it has shown one more move, whatever that takes, and so long. What
/// becomes of a game of which hardly anything is seen is for another test.
const LATER_MS: RangeInclusive<u64> = 0..=1_600;
/// Nobody is killed during the last half-moves: how far the hands have got by then depends on how
/// fast daemons come back, and the end is to be seen.
const N_LAST: usize = 4;

fn uci(moves: &[Move]) -> Vec<String> {
    let uci = |&m| UciMove::from_move(m, CastlingMode::Standard).to_string();
    moves.iter().map(uci).collect()
}

/// A long game, and hands that play it fast but not all too fast.
pub(crate) fn game(n_plies: usize, think: Span, seed: u64) -> (Vec<String>, hands::Performance) {
    let classics = classics();
    let game = classics.iter().find(|game| game.moves.len() >= n_plies).expect("a long game");
    let moves = &game.moves[..n_plies];
    let manners = Manners {
        think,
        illegal_fixed: 0.0,
        illegal_pressed: 0.0,
        knock_over: 0.0,
        ..Manners::blitz()
    };
    let mode = CastlingMode::Standard;
    (uci(moves), hands::perform(&Chess::new(), mode, moves, None, &manners, TABLE, seed))
}

/// Everything that the page has shown, in its order.
#[derive(Clone, Debug, Default)]
struct Gallery {
    shown: Arc<Mutex<Vec<Vec<String>>>>,
    n_looks: Arc<Mutex<usize>>,
}

impl Gallery {
    fn watch(&self, place: &Arc<Place>) -> JoinHandle<()> {
        let (gallery, place) = (self.clone(), Arc::clone(place));
        tokio::spawn(async move {
            loop {
                if let Some(view) = place.view().await {
                    let moves = moves_of(&view);
                    let mut shown = gallery.shown.lock().unwrap();
                    if shown.last() != Some(&moves) {
                        shown.push(moves);
                    }
                }
                *gallery.n_looks.lock().unwrap() += 1;
                sleep(STEP).await;
            }
        })
    }

    /// What was shown up to now. To be asked while no daemon runs.
    async fn all(&self) -> Vec<Vec<String>> {
        let enough = *self.n_looks.lock().unwrap() + 2;
        let looked = async {
            while *self.n_looks.lock().unwrap() < enough {
                sleep(STEP).await;
            }
        };
        timeout(LIMIT, looked).await.expect("a look at the page");
        self.shown.lock().unwrap().clone()
    }
}

/// The record as it is written, followed from outside.
#[derive(Debug)]
struct Shadow {
    reader: JournalReader<DiskStorage>,
    bodies: Vec<String>,
    moves: Vec<String>,
    /// Which of them are marked as doubtful.
    doubted: Vec<bool>,
    /// The game after each entry that changed it.
    states: Vec<Vec<String>>,
    n_retracted: usize,
    /// From state to state in which order things were shown: how far that has been checked.
    checked: (usize, usize),
}

impl Shadow {
    fn new(place: &Place) -> Self {
        Self {
            reader: JournalReader::new(DiskStorage::new(place.journal())),
            bodies: Vec::new(),
            moves: Vec::new(),
            doubted: Vec::new(),
            states: vec![Vec::new()],
            n_retracted: 0,
            checked: (0, 0),
        }
    }

    fn catch_up(&mut self) {
        loop {
            let lines = self.reader.poll().unwrap();
            if lines.is_empty() {
                return;
            }
            for line in lines {
                self.take(&record::entry_of(&line).expect("a known record").fact);
                self.bodies.push(line.body);
            }
        }
    }

    fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::GameStarted { .. } => self.moves.clear(),
            Fact::MoveMade { ply, uci, alternatives, .. } => {
                assert_eq!(*ply, self.moves.len() + 1, "{uci}");
                self.moves.push(uci.clone());
                self.doubted.truncate(ply - 1);
                self.doubted.push(!alternatives.is_empty());
            }
            Fact::MoveRetracted { ply } => {
                self.n_retracted += 1;
                self.moves.truncate(ply - 1);
            }
            _ => return,
        }
        self.states.push(self.moves.clone());
    }

    /// Everything shown was on record, in the same order, and is still there or openly withdrawn.
    fn check(&mut self, shown: &[Vec<String>]) {
        let (mut n_shown, mut n_states) = self.checked;
        for moves in &shown[n_shown..] {
            let found = self.states[n_states..].iter().position(|state| state.starts_with(moves));
            let found = found.unwrap_or_else(|| {
                panic!("shown but not on record: {moves:?}\non record: {:?}", self.moves)
            });
            (n_shown, n_states) = (n_shown + 1, n_states + found);
        }
        self.checked = (n_shown, n_states);
    }
}

fn millis(span: Duration) -> u128 {
    span.as_millis()
}

/// How many half-moves of a game that the page has are completed in the end: a lever that is
/// brushed back behind the last press completes nothing.
fn n_completed(script: &Script) -> usize {
    let last_press = script.happenings.iter().rev().find_map(|(_, it)| match it {
        Happening::Press(by) => Some(*by),
        _ => None,
    });
    let is_pressed = last_press == Some(Color::from_white(N_PLIES % 2 == 1));
    if is_pressed { N_PLIES } else { N_PLIES - 1 }
}

#[tokio::test]
async fn no_kill_costs_a_move() {
    let seed = std::env::var("ROKADE_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("seed {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let (intended, played) = game(N_PLIES, Span::new(900, 1_700), seed);
    let place = Arc::new(Place::new());
    let mut board = plug(&played.script, &place.board());
    let gallery = Gallery::default();
    let watching = gallery.watch(&place);
    let mut shadow = Shadow::new(&place);
    let mut daemon = place.start();
    board.woken().await.unwrap();
    place.seen(is_live).await;
    let begun = Instant::now();
    let n_completed = n_completed(&played.script);
    board.play(played.script.happenings, Speed::REAL).await.unwrap();

    let ends = |ply: &hands::Performed| ply.completed.unwrap_or(ply.rested).since(Mono::default());
    let ends: Vec<Duration> = played.truth.plies.iter().map(ends).collect();
    let mut restarts = Vec::new();
    let (mut n_burst, mut last_kill, mut n_kills) = (0, None, 0);
    // When no daemon knew the board.
    let (mut outs, mut is_out) = (Vec::new(), None);
    while n_kills < N_KILLS && begun.elapsed() < ends[N_PLIES - N_LAST] {
        if n_burst > 0 {
            n_burst -= 1;
            sleep(Duration::from_millis(rng.u64(SHORT_MS))).await;
        } else {
            n_burst = rng.usize(BURST) - 1;
            let live = place.seen(is_live).await;
            restarts.extend(last_kill.map(|at: Instant| millis(at.elapsed())));
            outs.extend(is_out.take().map(|from| from..begun.elapsed()));
            let n_shown = moves_of(&live).len();
            let is_over = || begun.elapsed() > ends[N_PLIES - 1];
            place.seen(|view| moves_of(view).len() > n_shown || is_over()).await;
            sleep(Duration::from_millis(rng.u64(LATER_MS))).await;
        }
        daemon.kill().await;
        (n_kills, last_kill) = (n_kills + 1, Some(Instant::now()));
        is_out.get_or_insert(begun.elapsed());
        println!("kill {n_kills} at {} ms", millis(begun.elapsed()));
        shadow.catch_up();
        shadow.check(&gallery.all().await);
        daemon = place.start();
    }
    let took = begun.elapsed();
    place.seen(is_live).await;
    outs.extend(is_out.map(|from| from..begun.elapsed()));
    place.seen(|view| moves_of(view).last() == intended[..n_completed].last()).await;
    let (code, _) = daemon.stop().await;
    assert_eq!(code, Some(0));
    shadow.catch_up();
    shadow.check(&gallery.all().await);
    watching.abort();

    restarts.sort_unstable();
    println!(
        "{n_kills} kills in {took:?}; {} withdrawn; from kill to following the board: \
         {restarts:?} ms",
        shadow.n_retracted
    );
    let has_gap = check_moves(&shadow, &intended, &ends, &outs);
    assert!(n_kills >= 5, "the game is long enough for kills");
    if !has_gap {
        check_documents(&place, &shadow).await;
    }
}

/// Moves that nobody saw are unknown where more than one series fits: there is a gap, and what
/// follows is right. Or they may have been played in another order, and are marked. `ends` says
/// when each half-move was over, `outs` when no daemon knew the board. True if there is a gap.
fn check_moves(
    shadow: &Shadow,
    intended: &[String],
    ends: &[Duration],
    outs: &[Range<Duration>],
) -> bool {
    let n_doubted = shadow.doubted.iter().filter(|is| **is).count();
    println!("{n_doubted} moves are marked as doubtful");
    let mut played = intended.iter();
    let mut follows =
        |idx: usize| shadow.doubted[idx] || played.any(|uci| *uci == shadow.moves[idx]);
    let is_right = (0..shadow.moves.len()).all(&mut follows);
    assert!(is_right, "{:?}\n{:?}\n{intended:?}", shadow.moves, shadow.doubted);
    let n_unknown = intended.len() - shadow.moves.len();
    let has_gap = shadow.bodies.iter().any(|body| body.contains("\"type\":\"gap\""));
    assert!(n_unknown == 0 || has_gap, "{n_unknown} moves are missing without a word");
    // How much nobody saw depends on how fast daemons come back; what is made of it does not.
    let is_unseen = |n: &usize| {
        let begins = n.checked_sub(1).map_or(Duration::ZERO, |before| ends[before]);
        outs.iter().any(|out| out.start < ends[*n] && begins < out.end)
    };
    let n_unseen = (0..N_PLIES).filter(is_unseen).count();
    assert!(n_unknown <= 2 * n_unseen / 3, "{n_unknown} of {n_unseen} unknown");
    assert!(n_doubted <= n_unseen / 3, "{n_unseen} were missed: {:?}", shadow.doubted);
    has_gap
}

/// What the program's own commands say of the record afterwards.
async fn check_documents(place: &Place, shadow: &Shadow) {
    let verified = place.run(&["verify"]).await;
    assert_eq!((verified.code, &*verified.err), (Some(0), ""), "{}", verified.out);
    assert!(!verified.out.contains("DAMAGED"), "{}", verified.out);
    let logged = place.run(&["log", "--json"]).await;
    let bodies: Vec<_> = logged.out.lines().collect();
    assert_eq!(bodies, shadow.bodies);
    let exported = place.run(&["export"]).await;
    assert_eq!(pgn_moves(&exported.out)[0], shadow.moves);
    let in_folder = fs::read_to_string(place.journal().join("game-0001.pgn")).unwrap();
    let without_site = |pgn: &str| pgn.lines().skip(7).collect::<Vec<_>>().join("\n");
    assert_eq!(without_site(&in_folder), without_site(&exported.out));
    let kinds: BTreeSet<_> = bodies
        .iter()
        .filter(|body| body.contains("position_lost") || body.contains("illegal_move"))
        .collect();
    println!("{} entries; findings: {kinds:?}", bodies.len());
}

/// A daemon that follows a game, slowly enough for nothing to be missed.
async fn follow(place: &Place, n_plies: usize) -> (Vec<String>, PtyBoardStub, Daemon) {
    let (intended, played) = game(n_plies, Span::new(300, 600), 1);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.unwrap().unwrap();
    place.seen(is_live).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    (intended, board, daemon)
}

pub(crate) fn has_moves(n: usize) -> impl Fn(&Value) -> bool {
    move |view| moves_of(view).len() >= n
}

#[tokio::test]
async fn a_polite_request_ends_it_in_order() {
    let place = Place::new();
    let (intended, _board, daemon) = follow(&place, 8).await;
    place.seen(has_moves(3)).await;
    let (code, took) = daemon.stop().await;
    assert_eq!(code, Some(0));
    println!("an orderly end takes {took:?}");
    // Nine seconds at a load of eight; what hangs takes longer than this.
    assert!(took < Duration::from_secs(20), "{took:?}");
    let verified = place.run(&["verify"]).await;
    assert_eq!((verified.code, &*verified.err), (Some(0), ""));
    assert!(!verified.out.contains("unfinished"), "{}", verified.out);
    // What was on record when it ended is in the game's file as well.
    let exported = pgn_moves(&place.run(&["export"]).await.out);
    let in_folder = fs::read_to_string(place.journal().join("game-0001.pgn")).unwrap();
    let in_folder = pgn_moves(&in_folder);
    assert!(exported[0].starts_with(&in_folder[0]), "{in_folder:?} {exported:?}");
    assert!(in_folder[0].len() >= 3 && intended.starts_with(&exported[0]), "{exported:?}");
}

#[tokio::test]
async fn the_service_manager_is_kept_informed() {
    let place = Place::new();
    let socket = UnixDatagram::bind(place.path("notify")).unwrap();
    let mut command = quiet(place.command(&["run"]));
    command.env("NOTIFY_SOCKET", place.path("notify")).env("WATCHDOG_USEC", "2000000");
    let hear = || async {
        let mut buf = [0; 256];
        let n = timeout(Duration::from_secs(2), socket.recv(&mut buf)).await;
        String::from_utf8(buf[..n.expect("a word in time").unwrap()].to_vec()).unwrap()
    };
    let daemon = place.start_as(command);
    let mut words = [hear().await, hear().await, hear().await];
    words.sort_unstable();
    let status = "STATUS=recording 1 of 1 boards, 0 connected";
    assert_eq!(
        words.iter().map(|word| word.trim()).collect::<Vec<_>>(),
        ["READY=1", status, "WATCHDOG=1"]
    );
    for _ in 0..4 {
        assert_eq!(hear().await.trim(), "WATCHDOG=1");
    }
    let (code, _) = daemon.stop().await;
    assert_eq!(code, Some(0));
    let last = async {
        loop {
            match hear().await.trim() {
                "WATCHDOG=1" => {}
                other => return other.to_owned(),
            }
        }
    };
    assert_eq!(last.await, "STOPPING=1");
}

#[tokio::test]
async fn a_journal_has_one_daemon_and_an_address_one_server() {
    let place = Place::new();
    let daemon = place.start();
    place.seen(|_| true).await;
    let second = finish(quiet(place.command(&["run"]))).await;
    assert_sentence(&second, 5, &["table-1", "another program is recording"]);
    let other = Place::new();
    let text = fs::read_to_string(other.path("rokade.toml")).unwrap();
    let text = text.replace(&other.addr.to_string(), &place.addr.to_string());
    fs::write(other.path("rokade.toml"), text).unwrap();
    let waiting = other.start();
    waiting.says("THE PAGES ARE NOT SERVED").await;
    waiting.says(&place.addr.to_string()).await;
    let listen = ["demo", "--once", "--listen", &place.addr.to_string()];
    let refused = finish(quiet(rokade(&listen))).await;
    assert_sentence(&refused, 8, &[&place.addr.to_string(), "in use", "[http]"]);
    // The second has the pages as soon as the first is gone.
    assert_eq!(daemon.stop().await.0, Some(0));
    place.seen(|_| true).await;
    assert_eq!(waiting.stop().await.0, Some(0));
}

#[tokio::test]
async fn a_changed_byte_is_found() {
    let place = Place::new();
    let (_, _board, daemon) = follow(&place, 8).await;
    place.seen(has_moves(2)).await;
    daemon.stop().await;
    let file = fs::read_dir(place.journal()).unwrap().map(|entry| entry.unwrap().path());
    let file = file.filter(|path| path.extension().is_some_and(|ext| ext == "journal"));
    let [file] = &*file.collect::<Vec<_>>() else { panic!("one segment") };
    let mut bytes = fs::read(file).unwrap();
    let at = bytes.windows(4).position(|word| word == b"e2e4").expect("the first move");
    bytes[at] = b'd';
    fs::write(file, &bytes).unwrap();
    let line = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |idx| idx + 1);
    let name = file.file_name().unwrap().to_str().unwrap();
    let changed = place.run(&["verify"]).await;
    assert_sentence(&changed, 5, &[name, "DAMAGED", &format!("at byte {line}")]);
}

#[tokio::test]
async fn what_is_made_by_hand_is_its_users_alone() {
    for (is_unit, folder_mode, file_mode) in [(false, 0o700, 0o600), (true, 0o755, 0o644)] {
        let place = Place::new();
        // Whoever runs this test, the daemon starts with the usual mask.
        let run = format!("umask 022; exec {} run --config \"$0\"", env!("CARGO_BIN_EXE_rokade"));
        let mut command = quiet(place.command(&[]));
        command = {
            let mut shell = tokio::process::Command::new("sh");
            shell.arg("-c").arg(run).arg(place.path("rokade.toml")).kill_on_drop(true);
            for (name, value) in command.as_std().get_envs() {
                match value {
                    Some(value) => shell.env(name, value),
                    None => shell.env_remove(name),
                };
            }
            shell
        };
        if is_unit {
            command.env("STATE_DIRECTORY", place.path("state"));
        }
        let daemon = place.start_as(command);
        place.seen(|_| true).await;
        assert_eq!(daemon.stop().await.0, Some(0));
        let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(place.path("state")), folder_mode);
        assert_eq!(mode(place.journal()), folder_mode);
        assert_eq!(mode(place.journal().join("lock")), file_mode);
    }
}

#[tokio::test]
async fn a_terminal_of_another_program_is_only_asked_whether_it_is_a_board() {
    let place = Place::new();
    // The link of a board that was put away, and whose terminal's number was given out again.
    let other = Pty::open(None).unwrap();
    symlink(other.path(), place.board()).unwrap();
    let _daemon = place.start();
    let mut heard = Vec::new();
    let end = Instant::now() + Duration::from_secs(8);
    while Instant::now() < end {
        let mut buf = [0; 64];
        match other.read(&mut buf) {
            Ok(n) => heard.extend_from_slice(&buf[..n]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(STEP).await,
            Err(error) => panic!("{error}"),
        }
        // A shell echoes what it is told, and says more.
        if other.write("M\x07p\u{e9}age login: ".as_bytes()).is_err() {
            panic!("nobody has it open");
        }
        sleep(100 * STEP).await;
    }
    assert!(!heard.is_empty(), "it is asked");
    assert!(heard.iter().all(|byte| *byte == 0x4d), "{heard:x?}");
    assert!(!place.view().await.is_some_and(|view| is_live(&view)));
    // Once a board is there it is found.
    let _board = plug(&game(2, Span::new(300, 600), 1).1.script, &place.board());
    place.seen(is_live).await;
}

#[tokio::test]
async fn a_board_may_come_late() {
    let place = Place::new();
    let daemon = place.start();
    place.seen(|view| view["link"] == "absent").await;
    let said = |daemon: &Daemon| daemon.said().matches("there is no such device").count();
    let begun = Instant::now();
    // Long enough for several attempts.
    while begun.elapsed() < Duration::from_millis(1_200) {
        assert!(said(&daemon) <= 1, "{}", daemon.said());
        sleep(STEP * 10).await;
    }
    assert_eq!(said(&daemon), 1, "{}", daemon.said());
    let (intended, played) = game(2, Span::new(300, 600), 1);
    let board = plug(&played.script, &place.board());
    place.seen(is_live).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    assert_eq!(moves_of(&place.seen(has_moves(2)).await), intended);
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Why a board is not heard is warned of, once for each reason until it was heard.
#[tokio::test]
async fn why_a_board_is_not_heard_is_warned_of_once() {
    let place = Place::new();
    let daemon = place.start();
    let n_warned = |words: &str| {
        let said = daemon.said();
        said.lines().filter(|line| line.contains("WARN") && line.contains(words)).count()
    };
    let warned = async |words: &str, n: usize| {
        let end = Instant::now() + LIMIT;
        while n_warned(words) < n {
            assert!(Instant::now() < end, "{words}\n{}", daemon.said());
            sleep(STEP).await;
        }
    };
    warned("there is no such device; check that the board's cable", 1).await;
    let (stub, actor) = PtyBoard::open(Table::new(&Header::dgt()), Some(place.board())).unwrap();
    warned("no board answers; check its power", 1).await;
    // It is asked several times more.
    sleep(Duration::from_secs(6)).await;
    tokio::spawn(actor.run());
    place.seen(is_live).await;
    assert_eq!(["no such device", "no board answers"].map(n_warned), [1, 1], "{}", daemon.said());
    stub.cable.unplug().await.unwrap();
    warned("no such device", 2).await;
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Reads the game's file again and again. Returns the versions that it saw.
async fn versions(path: PathBuf, n_plies: usize) -> BTreeSet<String> {
    let mut versions = BTreeSet::new();
    loop {
        let text = fs::read_to_string(&path).unwrap_or_default();
        if !text.is_empty() && versions.insert(text.clone()) {
            assert!(text.starts_with("[Event \"Club evening\"]\n"), "{text}");
            assert!(text.ends_with("*\n\n"), "not the whole file: {text}");
            if pgn_moves(&text)[0].len() == n_plies {
                return versions;
            }
        }
        // A tight loop, but others have their turn.
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn the_game_is_at_hand_while_it_goes_on() {
    let place = Place::new();
    let (intended, _board, daemon) = follow(&place, 10).await;
    let file = place.journal().join("game-0001.pgn");
    let reading = tokio::spawn(versions(file, intended.len()));
    let mut log = place.command(&["log", "--follow"]);
    let mut log = log.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(log.stdout.take().unwrap()).lines();
    for n in 1..=intended.len() {
        let completed = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.contains("completed") {
                    return Instant::now();
                }
            }
            panic!("the log ends");
        };
        let shown = async {
            place.seen(has_moves(n)).await;
            Instant::now()
        };
        let (logged, shown) = timeout(LIMIT, async { tokio::join!(completed, shown) })
            .await
            .expect("log and page follow");
        let late = logged.saturating_duration_since(shown);
        assert!(late < Duration::from_secs(10), "{late:?}");
    }
    let versions = timeout(LIMIT, reading).await.expect("the file follows").unwrap();
    assert!(versions.len() >= intended.len() / 2, "{}", versions.len());
    let exported = place.run(&["export"]).await;
    assert_eq!(pgn_moves(&exported.out)[0], intended);
    let flat = exported.out.replace('\n', " ");
    assert_eq!(flat.matches("[%clk 1:3").count(), intended.len(), "{flat}");
    assert_eq!(flat.matches("[%emt 0:00:").count(), intended.len(), "{flat}");
    assert_eq!(daemon.stop().await.0, Some(0));
}
