//! `rokade setup`, at a terminal and in scripts.

#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use rokade::shell::config::{Config, DELIVERED};
use rokade::shell::pty::Pty;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use crate::cli::assert_sentence;
use crate::program::{LIMIT, Place, STEP, finish, is_live, plug, rokade};
use crate::status::illegal_move;

/// Somebody at a terminal.
struct Terminal {
    pty: Pty,
    child: Child,
    /// What stands on the screen, and how much of it has been read.
    screen: String,
    read: usize,
}

impl Terminal {
    fn start(mut command: Command) -> Self {
        let pty = Pty::open(None).unwrap();
        let end = || OpenOptions::new().read(true).write(true).open(pty.path()).unwrap();
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().unwrap();
        Self { pty, child, screen: String::new(), read: 0 }
    }

    /// Waits until this stands on the screen, behind what was waited for before.
    async fn see(&mut self, words: &str) {
        let end = Instant::now() + LIMIT;
        loop {
            let mut bytes = [0; 4096];
            match self.pty.read(&mut bytes) {
                Ok(n) => self.screen += str::from_utf8(&bytes[..n]).unwrap(),
                Err(e) if e.kind() == ErrorKind::WouldBlock => sleep(STEP).await,
                Err(e) => panic!("{e}"),
            }
            if let Some(at) = self.screen[self.read..].find(words) {
                self.read += at + words.len();
                return;
            }
            assert!(Instant::now() < end, "no {words:?} in: {}", self.screen);
        }
    }

    /// Enters this where the default is that.
    async fn enter(&mut self, question: &str, usual: &str, answer: &str) {
        self.see(question).await;
        self.see(&format!("\n[{usual}] ")).await;
        assert_eq!(self.pty.write(format!("{answer}\n").as_bytes()).unwrap(), answer.len() + 1);
    }

    async fn end(mut self) -> Option<i32> {
        timeout(LIMIT, self.child.wait()).await.expect("an end in time").unwrap().code()
    }
}

#[tokio::test]
async fn what_is_answered_is_what_the_daemon_runs_by() {
    let place = Place::new();
    let path = place.path("rokade.toml");
    fs::remove_file(&path).unwrap();
    let mut board = plug(&illegal_move(), &place.board());
    let mut terminal = Terminal::start(place.command(&["setup"]));
    terminal.enter("Which are to be recorded?", "auto", "nonsense").await;
    terminal.see("\"nonsense\" is no number").await;
    terminal.enter("Which are to be recorded?", "auto", &place.board().to_string_lossy()).await;
    terminal.enter("What is the board called?", "table-1", "the board").await;
    terminal.see("use letters, digits").await;
    terminal.enter("What is the board called?", "table-1", "").await;
    terminal.enter("Whose board is it?", "dgt", "").await;
    terminal.enter("Where is the clock?", "board", "1").await;
    terminal.enter("What is the time control", "", "ninety").await;
    terminal.see("time control \"ninety\"").await;
    terminal.enter("What is the time control", "", "90m+30s").await;
    terminal.enter("By which Laws", "none", "m2023").await;
    terminal.enter("Who may see the pages?", "this-machine", "network").await;
    terminal.see("rokade.toml is written").await;
    terminal.see("Next: `rokade run --config ").await;
    assert_eq!(terminal.end().await, Some(0));

    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o644);
    assert_eq!(written.lines().count(), DELIVERED.lines().count());
    let listen = "listen = \"[::]:8960\"";
    assert!(written.contains(listen), "{written}");
    // The address of this test, in place of everybody's.
    fs::write(&path, written.replace(listen, &format!("listen = \"{}\"", place.addr))).unwrap();
    let mut command = place.command(&["run"]);
    command.env("STATE_DIRECTORY", place.path("state")).env("RUNTIME_DIRECTORY", place.path("run"));
    let daemon = place.start_as(command);
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let view = place.seen(is_live).await;
    assert_eq!(view["link"], "live");
    assert_eq!(daemon.stop().await.0, Some(0));
    let config = Config::load(Some(&path)).unwrap();
    assert_eq!((&*config.boards[0].laws, &*config.boards[0].time_control), ("m2023", "90m+30s"));
}

#[tokio::test]
async fn a_file_that_somebody_has_changed_is_not_replaced_unasked() {
    let place = Place::new();
    let path = place.path("rokade.toml");
    let before = fs::read_to_string(&path).unwrap();
    let mut terminal = Terminal::start(place.command(&["setup"]));
    terminal.enter("somebody has changed it. Replace it?", "no", "").await;
    terminal.see("stays as it is").await;
    assert_eq!(terminal.end().await, Some(2));
    assert_sentence(&place.run(&["setup", "--yes"]).await, 2, &["stays as it is", "--replace"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    assert!(!place.path("rokade.toml.old").exists());

    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let said = place.run(&["setup", "--yes", "--replace"]).await;
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("rokade.toml.old"), "{said:?}");
    assert_eq!(fs::read_to_string(place.path("rokade.toml.old")).unwrap(), before);
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
    assert!(!place.path("rokade.toml.new").exists());

    // As it is delivered, nobody's work is lost.
    fs::write(&path, DELIVERED).unwrap();
    fs::remove_file(place.path("rokade.toml.old")).unwrap();
    assert_eq!(place.run(&["setup", "--yes"]).await.code, Some(0));
    assert!(!place.path("rokade.toml.old").exists());
}

#[tokio::test]
async fn options_are_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/rokade.toml");
    let file = path.to_str().unwrap();
    let said = finish(rokade(&[
        "setup",
        "--config",
        file,
        "--yes",
        "--port",
        "/dev/ttyUSB0",
        "--port",
        "/dev/ttyUSB1",
        "--name",
        "gold-9",
        "--clock",
        "none",
        "--page",
        "network",
        "--laws",
        "dk2009",
    ]))
    .await;
    assert_eq!((said.code, &*said.err), (Some(0), ""), "{said:?}");
    let config = Config::load(Some(&path)).unwrap();
    let boards: Vec<_> = config
        .boards
        .iter()
        .map(|it| (&*it.name, &*it.port, &*it.laws, &*it.time_control))
        .collect();
    let expected =
        [("gold-9", "/dev/ttyUSB0", "dk2009", "-"), ("gold-10", "/dev/ttyUSB1", "dk2009", "-")];
    assert_eq!(boards, expected);
    assert_eq!(config.http.listen.to_string(), "[::]:8960");

    // What cannot be is told, and nothing is written.
    let other = folder.path().join("other.toml");
    let setup = |more: &[&str]| {
        let mut command = rokade(&["setup", "--config", other.to_str().unwrap(), "--yes"]);
        command.args(more);
        finish(command)
    };
    let said = setup(&["--time-control", "ninety"]).await;
    assert_sentence(&said, 2, &["time control \"ninety\""]);
    assert_sentence(&setup(&["--clock", "bridge"]).await, 3, &["needs a time_control"]);
    let said = setup(&["--port", "auto", "--port", "/dev/a", "--port", "/dev/a"]).await;
    assert_sentence(&said, 3, &["the same line"]);
    let said = finish(rokade(&["setup", "--config", other.to_str().unwrap()])).await;
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("nobody answers; --yes"), "{said:?}");
    assert!(!other.exists());
}
