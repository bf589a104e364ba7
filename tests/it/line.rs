//! The line to a board over real pseudo-terminals: opening, losing, finding again, and a game.

use std::env;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rokade::game::{Effect, Event, Game, ScoreSheet};
use rokade::shell::heard::Heard;
use rokade::shell::now::Now;
use rokade::shell::pty::{Pty, PtyBoard, PtyBoardStub, Speed};
use rokade::shell::serial::{LineError, LineNews, LineStub, SerialLine, channel};
use rokade::sim::{Script, Table, replay};
use rokade::time::{Mono, Stamp};
use rokade::wire::{Decoder, Item};
use shakmaty::{Position, Square};
use tempfile::TempDir;
use tokio::time::{sleep, sleep_until, timeout};

/// Nothing here takes this long unless it hangs.
const LIMIT: Duration = Duration::from_secs(60);
/// How often something is looked at that cannot be waited for.
const STEP: Duration = Duration::from_millis(1);

/// A line whose actor runs.
fn line(path: &Path, now: Now) -> LineStub {
    let (stub, actor) = channel(SerialLine::at(path), now);
    tokio::spawn(actor.run());
    stub
}

async fn heard(stub: &mut LineStub) -> Heard<LineNews> {
    let heard = timeout(LIMIT, stub.heard()).await.expect("the line says something in time");
    heard.expect("the line is not closed")
}

async fn up(stub: &mut LineStub) {
    let heard = heard(stub).await;
    assert!(matches!(heard.what, LineNews::Up), "{heard:?}");
}

async fn down(stub: &mut LineStub) -> LineError {
    match heard(stub).await.what {
        LineNews::Down { why } => why,
        other => panic!("expected the line to go down, not {other:?}"),
    }
}

/// The next `n` bytes, with the stamps of their reads.
async fn bytes(stub: &mut LineStub, n: usize) -> (Vec<u8>, Vec<Stamp>) {
    let (mut bytes, mut stamps) = (Vec::new(), Vec::new());
    while bytes.len() < n {
        let heard = heard(stub).await;
        let LineNews::Bytes(more) = heard.what else {
            panic!("expected bytes, not {:?}", heard.what)
        };
        bytes.extend(more);
        stamps.push(heard.at);
    }
    assert_eq!(bytes.len(), n);
    (bytes, stamps)
}

/// What the host has sent, once it is `n` bytes.
async fn arrived(pty: &Pty, n: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let arriving = async {
        while bytes.len() < n {
            let mut buf = [0; 64];
            match pty.read(&mut buf) {
                Ok(n) => bytes.extend_from_slice(&buf[..n]),
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => sleep(STEP).await,
                Err(e) => panic!("the board's end fails: {e}"),
            }
        }
    };
    timeout(LIMIT, arriving).await.expect("the bytes arrive in time");
    bytes
}

/// A name for a cable that does not change when it is plugged in anew.
fn link() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("board");
    (folder, link)
}

#[tokio::test]
async fn bytes_pass_in_order_and_are_stamped_when_read() {
    let pty = Pty::open(None).unwrap();
    let now = Now::start();
    let mut stub = line(pty.path(), now);
    up(&mut stub).await;
    let all: Vec<u8> = (0..=255).collect();
    let before = now.stamp().mono;
    pty.write(&all).unwrap();
    let (first, stamps) = bytes(&mut stub, all.len()).await;
    assert_eq!(first, all, "no byte is altered");
    assert!(stamps.iter().all(|at| before <= at.mono && at.mono <= now.stamp().mono));
    assert!(stamps.iter().all(|at| at.wall.0 > 0));

    stub.send(vec![0x4d, 0x00]);
    stub.send(vec![0xff, 0x0d]);
    assert_eq!(arrived(&pty, 4).await, [0x4d, 0x00, 0xff, 0x0d]);
}

#[tokio::test]
async fn a_core_that_is_late_still_learns_when_bytes_came() {
    let pty = Pty::open(None).unwrap();
    let now = Now::start();
    let mut stub = line(pty.path(), now);
    up(&mut stub).await;
    // On a busy machine the line may be late as well, but not every time.
    for _ in 0..100 {
        pty.write(b"e2").unwrap();
        sleep(Duration::from_millis(20)).await;
        pty.write(b"e4").unwrap();
        sleep(Duration::from_millis(20)).await;
        let late = now.stamp().mono;
        let (two, stamps) = bytes(&mut stub, 4).await;
        assert_eq!(two, b"e2e4");
        if let [first, second] = stamps[..]
            && second.mono - first.mono >= Duration::from_millis(15)
            && late - second.mono >= Duration::from_millis(15)
        {
            return;
        }
    }
    panic!("the stamps tell when the core listened, not when the bytes came");
}

#[tokio::test]
async fn what_cannot_be_opened_is_said_once_and_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    fs::write(&file, "not a board").unwrap();
    let pty = Pty::open(None).unwrap();
    let mut holder = line(pty.path(), Now::start());
    up(&mut holder).await;
    let rows = [
        (folder.path().join("gone"), "check that the board's cable is plugged in", true),
        (file.clone(), "this is not a serial port; name one such as", false),
        (folder.path().to_owned(), "this is not a serial port; name one such as", false),
        (PathBuf::from("/dev/null"), "this is not a serial port; name one such as", false),
        (pty.path().to_owned(), "another program is using it; close that program", false),
    ];
    for (path, remedy, is_absent) in rows {
        let mut stub = line(&path, Now::start());
        let why = down(&mut stub).await;
        let sentence = why.to_string();
        assert!(sentence.starts_with(&format!("opening {}: ", path.display())), "{sentence}");
        assert!(sentence.contains(remedy), "{sentence}");
        assert_eq!((why.is_absent(), why.is_refused()), (is_absent, !is_absent), "{sentence}");
        // It is tried again after 50 and 100 ms, and fails the same: nothing new to say.
        let again = timeout(Duration::from_millis(200), stub.heard()).await;
        assert!(again.is_err(), "{again:?}");
        stub.close();
        assert!(timeout(LIMIT, stub.heard()).await.unwrap().is_none());
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a board");
    pty.write(b"!").unwrap();
    assert_eq!(bytes(&mut holder, 1).await.0, b"!", "the first opener keeps the line");
}

#[tokio::test]
async fn a_port_in_use_is_opened_once_it_is_free() {
    let pty = Pty::open(None).unwrap();
    let mut first = line(pty.path(), Now::start());
    up(&mut first).await;
    let mut second = line(pty.path(), Now::start());
    assert!(matches!(down(&mut second).await, LineError::Busy { .. }));
    first.close();
    up(&mut second).await;
}

/// Set in the process that a test has started for itself alone.
const ALONE: &str = "ROKADE_TEST_ALONE";

#[tokio::test]
async fn a_line_comes_back_however_often_the_cable_is_pulled() {
    if env::var_os(ALONE).is_none() {
        // Descriptors are counted, and the tests beside this one open files too.
        let mut again = Command::new(env::current_exe().expect("this program"));
        again.env(ALONE, "").arg("--exact");
        let output =
            again.arg("line::a_line_comes_back_however_often_the_cable_is_pulled").output();
        let output = output.expect("this program runs again");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("test result: ok. 1 passed;"), "{said}");
        return;
    }
    let (_folder, link) = link();
    let message: Vec<u8> = [vec![0x86, 0x00, 0x43], vec![0; 64]].concat();
    let mut pty = Pty::open(Some(link.clone())).unwrap();
    let mut stub = line(&link, Now::start());
    up(&mut stub).await;
    let n_open = n_descriptors();
    for cycle in 0..100 {
        // In the middle of a message, which the reader may have or not.
        pty.write(&message[..20 + cycle % 40]).unwrap();
        if cycle % 2 == 0 {
            bytes(&mut stub, 20 + cycle % 40).await;
        }
        drop(pty);
        assert!(fs::symlink_metadata(&link).is_err(), "the name goes with the cable");
        pty = Pty::open(Some(link.clone())).unwrap();
        let why = loop {
            match heard(&mut stub).await.what {
                LineNews::Bytes(_) => {}
                LineNews::Down { why } => break why,
                LineNews::Up => panic!("a line that was lost goes down first"),
            }
        };
        assert!(matches!(why, LineError::Cut { .. }), "{why}");
        assert!(why.is_absent());
        up(&mut stub).await;
    }
    pty.write(&message).unwrap();
    assert_eq!(bytes(&mut stub, message.len()).await.0, message);
    assert_eq!(n_descriptors(), n_open, "descriptors leak");
}

fn n_descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("a process has descriptors").count()
}

#[tokio::test]
async fn what_was_sent_to_nobody_is_not_heard() {
    let pty = Pty::open(None).unwrap();
    for _ in 0..100 {
        pty.write(&[0x8e; 250]).unwrap();
    }
    let mut stub = line(pty.path(), Now::start());
    up(&mut stub).await;
    pty.write(b"news").unwrap();
    assert_eq!(bytes(&mut stub, 4).await.0, b"news");
}

#[tokio::test]
async fn a_board_that_takes_nothing_is_lost_and_does_not_hold_up_reading() {
    let pty = Pty::open(None).unwrap();
    let mut stub = line(pty.path(), Now::start());
    up(&mut stub).await;
    stub.send(vec![0x42; 100_000]);
    // The line is full, and yet it is read.
    pty.write(b"alive").unwrap();
    assert_eq!(bytes(&mut stub, 5).await.0, b"alive");
    for _ in 0..100 {
        stub.send(vec![0x42]);
    }
    let why = down(&mut stub).await;
    assert!(matches!(why, LineError::Stuck { .. }), "{why}");
    // What waited for the old line is not sent over the new one.
    up(&mut stub).await;
    while pty.read(&mut [0; 4_096]).is_ok() {}
    stub.send(b"new".to_vec());
    assert_eq!(arrived(&pty, 3).await, b"new");
}

#[tokio::test]
async fn a_line_is_opened_anew_when_that_is_asked_for() {
    let (_folder, link) = link();
    let pty = Pty::open(Some(link.clone())).unwrap();
    let mut stub = line(&link, Now::start());
    up(&mut stub).await;
    stub.reopen();
    assert!(matches!(down(&mut stub).await, LineError::Reopened { .. }));
    up(&mut stub).await;
    // Asked for while the line is down it is what happens anyway.
    drop(pty);
    assert!(matches!(down(&mut stub).await, LineError::Cut { .. }));
    stub.reopen();
    assert!(matches!(down(&mut stub).await, LineError::Missing { .. }));
    let pty = Pty::open(Some(link)).unwrap();
    up(&mut stub).await;
    pty.write(b"!").unwrap();
    assert_eq!(bytes(&mut stub, 1).await.0, b"!");
}

#[tokio::test]
async fn the_last_words_leave_before_a_line_is_closed() {
    let pty = Pty::open(None).unwrap();
    let mut stub = line(pty.path(), Now::start());
    up(&mut stub).await;
    stub.send(vec![0x40]);
    stub.close();
    assert!(timeout(LIMIT, stub.heard()).await.unwrap().is_none());
    assert_eq!(arrived(&pty, 1).await, [0x40]);
}

#[tokio::test]
async fn a_search_goes_from_port_to_port_and_writes_to_one() {
    let dev = tempfile::tempdir().unwrap();
    let modem = Pty::open(Some(dev.path().join("ttyACM0"))).unwrap();
    let board = Pty::open(Some(dev.path().join("ttyUSB0"))).unwrap();
    let port = rokade::shell::serial::Port::Auto;
    let settings = SerialLine { port, dev: dev.path().to_owned(), ..SerialLine::named("auto") };
    let (mut stub, actor) = channel(settings, Now::start());
    tokio::spawn(actor.run());
    up(&mut stub).await;
    stub.send(b"first?".to_vec());
    assert_eq!(arrived(&modem, 6).await, b"first?");
    stub.reopen();
    down(&mut stub).await;
    up(&mut stub).await;
    stub.send(b"second?".to_vec());
    assert_eq!(arrived(&board, 7).await, b"second?");
    assert!(modem.read(&mut [0; 8]).is_err(), "the modem is left alone");
    // The board's cable is pulled and plugged in: the search begins with it only while it is there.
    drop(board);
    assert!(matches!(down(&mut stub).await, LineError::Cut { .. }));
    up(&mut stub).await;
    stub.send(b"third?".to_vec());
    assert_eq!(arrived(&modem, 6).await, b"third?");
}

/// The core at a line, as the daemon runs it, but without a record.
struct Host {
    now: Now,
    stub: LineStub,
    game: Game,
    decoder: Decoder,
    n_lost: usize,
}

impl Host {
    fn new(path: &Path, script: &Script) -> Self {
        let now = Now::start();
        let game = Game::new(replay::settings_of(&script.header));
        Self { now, stub: line(path, now), game, decoder: Decoder::default(), n_lost: 0 }
    }

    /// Runs until `is_enough`.
    async fn run(&mut self, mut is_enough: impl FnMut(&Game) -> bool) {
        while !is_enough(&self.game) {
            let wake = self.game.wake_at();
            let wake = self.now.instant(wake.unwrap_or(Mono(u64::MAX)));
            tokio::select! {
                heard = self.stub.heard() => self.hear(heard.expect("a line that is not closed")),
                () = sleep_until(wake) => self.event(self.now.stamp(), &Event::Timeout),
            }
        }
    }

    fn hear(&mut self, Heard { at, what }: Heard<LineNews>) {
        match what {
            LineNews::Up => {
                self.decoder = Decoder::default();
                self.event(at, &Event::LinkUp);
            }
            LineNews::Down { .. } => {
                self.n_lost += 1;
                self.event(at, &Event::LinkDown);
            }
            LineNews::Bytes(bytes) => {
                let mut items = Vec::new();
                self.decoder.push(at.mono, &bytes, &mut items);
                for item in items {
                    let event = match item {
                        Item::Message(message) => Event::Board(message),
                        Item::Skipped { .. } | Item::Unknown { .. } => Event::Noise,
                    };
                    self.event(at, &event);
                }
            }
        }
    }

    fn event(&mut self, at: Stamp, event: &Event) {
        let mut effects = Vec::new();
        self.game.handle(at, event, &mut effects);
        for effect in effects {
            match effect {
                Effect::Send(bytes) => self.stub.send(bytes),
                Effect::Reopen => self.stub.reopen(),
                Effect::Record(_) | Effect::Show | Effect::Clock(_) => {}
            }
        }
    }

    fn moves(&self) -> Vec<String> {
        moves(&self.game)
    }
}

fn moves(game: &Game) -> Vec<String> {
    let Some(play) = game.play() else { return Vec::new() };
    play.sheet().moves().iter().map(|scored| scored.uci.to_string()).collect()
}

/// A short game with a clock; a move every second, the press after it.
const GAME: &str = r#"{"trace":1,"board":"dgt","clock":true,"white":"Ann","black":"Ben"}
{"t":3000,"sq":"e2","p":""}
{"t":3200,"sq":"e4","p":"P"}
{"t":3600,"press":"white"}
{"t":5000,"sq":"d7","p":""}
{"t":5200,"sq":"d5","p":"p"}
{"t":5600,"press":"black"}
{"t":7000,"sq":"d5","p":""}
{"t":7100,"sq":"e4","p":""}
{"t":7300,"sq":"d5","p":"P"}
{"t":7600,"press":"white"}
{"t":9000,"sq":"d8","p":""}
{"t":9100,"sq":"d5","p":"q"}
{"t":9600,"press":"black"}
{"t":11000,"sq":"b1","p":""}
{"t":11200,"sq":"c3","p":"N"}
{"t":11600,"press":"white"}
"#;
const MOVES: [&str; 5] = ["e2e4", "d7d5", "e4d5", "d8d5", "b1c3"];

fn plugged(script: &Script, link: &Path) -> PtyBoardStub {
    let table = Table::new(&script.header);
    let (stub, actor) = PtyBoard::open(table, Some(link.to_owned())).expect("a pseudo-terminal");
    tokio::spawn(actor.run());
    stub
}

fn is_live(game: &Game) -> bool {
    game.link() == rokade::game::LinkState::Live
}

#[tokio::test]
async fn a_game_passes_the_cable_and_is_recorded() {
    let (_folder, link) = link();
    let script = Script::parse(GAME).unwrap();
    let board = plugged(&script, &link);
    assert_eq!(board.cable.path(), link);
    let mut host = Host::new(&link, &script);
    timeout(LIMIT, host.run(is_live)).await.expect("the board is woken");
    let speed = Speed(NonZeroU32::new(4).unwrap());
    board.play(script.happenings, speed).await.unwrap();
    let ended = |game: &Game| game.n_public() == MOVES.len();
    let ending = timeout(LIMIT, host.run(ended)).await;
    assert_eq!(host.moves(), MOVES);
    ending.expect("all moves are completed by the clock");
    assert_eq!(host.n_lost, 0);
}

#[tokio::test]
async fn the_end_of_a_script_is_not_told_before_its_beginning() {
    let script = Script::parse(GAME).unwrap();
    let (mut stub, actor) = PtyBoard::open(Table::new(&script.header), None).unwrap();
    tokio::spawn(actor.run());
    let begun = tokio::time::Instant::now();
    let speed = Speed(NonZeroU32::new(40).unwrap());
    stub.play(script.happenings, speed).await.unwrap();
    timeout(LIMIT, stub.played()).await.expect("the script ends").unwrap();
    // The last happening is due after 11.6 s.
    assert!(begun.elapsed() >= Duration::from_millis(290), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_board_says_when_it_is_woken() {
    let (_folder, link) = link();
    let script = Script::parse(GAME).unwrap();
    let mut board = plugged(&script, &link);
    assert!(timeout(Duration::from_millis(100), board.woken()).await.is_err());
    let mut host = Host::new(&link, &script);
    timeout(LIMIT, host.run(is_live)).await.expect("the board is woken");
    timeout(LIMIT, board.woken()).await.expect("it says so").unwrap();
}

#[tokio::test]
async fn a_game_survives_a_pulled_cable() {
    let (_folder, link) = link();
    let script = Script::parse(GAME).unwrap();
    let mut board = plugged(&script, &link);
    let mut host = Host::new(&link, &script);
    timeout(LIMIT, host.run(is_live)).await.expect("the board is woken");
    let speed = Speed(NonZeroU32::new(4).unwrap());
    board.play(script.happenings, speed).await.unwrap();
    let begun = |game: &Game| game.n_public() == 2;
    timeout(LIMIT, host.run(begun)).await.expect("the first moves are recorded");
    board.cable.unplug().await.unwrap();
    timeout(LIMIT, host.run(|game| !is_live(game))).await.expect("the loss is noticed");
    // A move is made that nobody sees.
    sleep(Duration::from_millis(300)).await;
    board.cable.plug().await.unwrap();
    // 3. exd5 Qxd5 4. Nc3 and 3. Nc3 dxe4 4. Nxe4 Qd5 5. Nc3 lead there: what was not seen stays
    // open unless it was too little for that, and the record goes on from how the board stands.
    let stands = |game: &Game| {
        let is_there = |sheet: &ScoreSheet| sheet.last().board().piece_at(Square::C3).is_some();
        game.play().is_some_and(|play| is_there(play.sheet()))
    };
    let ending = timeout(LIMIT, host.run(stands)).await;
    ending.expect("the picture makes good what was missed");
    let sheet = host.game.play().unwrap().sheet();
    let n = sheet.gaps().first().map_or(MOVES.len(), |gap| gap.ply);
    assert_eq!(host.moves()[..n], MOVES[..n]);
    assert!(n >= 2 && sheet.gaps().iter().all(|gap| gap.n.at_least >= 1), "{:?}", sheet.gaps());
    assert!(host.n_lost >= 1);
    timeout(LIMIT, board.played()).await.expect("the script ends").unwrap();
}

#[tokio::test]
async fn a_simulated_board_leaves_no_name_behind() {
    let (_folder, link) = link();
    let script = Script::parse(GAME).unwrap();
    let (stub, actor) = PtyBoard::open(Table::new(&script.header), Some(link.clone())).unwrap();
    let running = tokio::spawn(actor.run());
    stub.cable.unplug().await.unwrap();
    // Whether the terminal behind it is gone nobody can say: its number may be another's by now.
    assert!(fs::symlink_metadata(&link).is_err());
    stub.cable.plug().await.unwrap();
    assert!(link.exists());
    drop(stub);
    timeout(LIMIT, running).await.expect("the board is put away").unwrap();
    assert!(fs::symlink_metadata(&link).is_err());

    // A file of that name is not ours to replace.
    fs::write(&link, "precious").unwrap();
    let e = PtyBoard::open(Table::new(&script.header), Some(link.clone())).unwrap_err();
    assert!(e.to_string().contains("something else has this name"), "{e}");
    assert_eq!(fs::read_to_string(&link).unwrap(), "precious");
    let reed = Script::parse(r#"{"trace":1,"board":"reed"}"#).unwrap();
    let e = PtyBoard::open(Table::new(&reed.header), None).unwrap_err();
    assert!(e.to_string().contains("has no line"), "{e}");
}
