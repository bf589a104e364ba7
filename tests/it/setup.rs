//! `rokade setup`, at a terminal and in scripts.

#![allow(clippy::unwrap_used)]

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Stdio;
use std::time::Duration;

use rokade::shell::config::{Config, DELIVERED};
use rokade::shell::pty::Pty;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpSocket;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

#[cfg(feature = "web")]
use crate::chromium::Chromium;
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
    let mut setup = place.command(&["setup"]);
    setup.env("TZ", "Europe/Copenhagen");
    let mut terminal = Terminal::start(setup);
    terminal.enter("Which are to be recorded?", "auto", "nonsense").await;
    terminal.see("\"nonsense\" is neither a number").await;
    terminal.enter("Which are to be recorded?", "auto", &place.board().to_string_lossy()).await;
    terminal.enter("What is the board called?", "table-1", "the board").await;
    terminal.see("use letters, digits").await;
    terminal.enter("What is the board called?", "table-1", "").await;
    terminal.enter("Whose board is it?", "dgt", "").await;
    terminal.enter("Where is the clock?", "board", "1").await;
    terminal.enter("What is the time control", "", "ninety").await;
    terminal.see("time control \"ninety\"").await;
    terminal.enter("What is the time control", "", "90m+30s").await;
    terminal.enter("Which Laws", "none", "m2023").await;
    terminal.enter("Who plays White", "", "Morphy, \"Paul\"").await;
    terminal.enter("Who plays Black", "", "").await;
    terminal.enter("the event called", "", "Opera").await;
    terminal.enter("Where is it played", "", "Paris").await;
    terminal.enter("Who may see the games?", "this-machine", "network").await;
    terminal.enter("Which time zone", "Europe/Copenhagen", "Europe/Oxford").await;
    terminal.see("there is no time zone \"Europe/Oxford\"").await;
    terminal.enter("Which time zone", "Europe/Copenhagen", "").await;
    terminal.see("rokade.toml was written").await;
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
    let board = &config.boards[0];
    assert_eq!((&*board.laws, &*board.time_control), ("m2023", "90m+30s"));
    assert_eq!(
        (&*board.white, &*board.event, &*board.site),
        ("Morphy, \"Paul\"", "Opera", "Paris")
    );
}

/// A page that asks, and its code.
struct Page {
    child: Child,
    address: SocketAddr,
    code: String,
}

impl Page {
    async fn start(mut command: Command, address: SocketAddr) -> Self {
        command.args(["--browser", &address.to_string()]);
        command.env("TZ", "Europe/Copenhagen").stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = timeout(LIMIT, lines.next_line()).await.expect("a line in time").unwrap();
        let line = line.expect("an address and a code");
        assert!(line.contains(&format!("http://{address}/")), "{line}");
        let code = line.rsplit(' ').next().unwrap().trim_end_matches('.').to_owned();
        Self { child, address, code }
    }

    /// The page that answers this form.
    async fn post(&self, fields: &[(&str, &str)]) -> String {
        let address = format!("http://{}/", self.address);
        let mut form = form_urlencoded::Serializer::new(String::new());
        let form = form.extend_pairs(fields).finish();
        let posted = move || ureq::post(&address).send(form.as_bytes());
        let answer = tokio::task::spawn_blocking(posted).await.unwrap();
        answer.unwrap().into_body().read_to_string().unwrap()
    }

    async fn end(mut self) -> Option<i32> {
        timeout(LIMIT, self.child.wait()).await.expect("an end in time").unwrap().code()
    }
}

#[cfg(feature = "web")]
#[tokio::test]
async fn a_page_asks_until_it_is_answered() {
    let place = Place::new();
    let path = place.path("rokade.toml");
    fs::write(&path, DELIVERED).unwrap();
    let page = Page::start(place.command(&["setup"]), place.addr).await;
    let browser = Chromium::start().await;
    let address = format!("http://{}/", page.address);
    browser.open(&address).await;
    assert_eq!(browser.barriers().await, Vec::<String>::new());
    let set = |key: &str, value: &str| {
        format!("document.querySelector('[name={key}]:not([type=checkbox])').value = {value:?}")
    };
    let given = [
        ("port", "/dev/ttyUSB7"),
        ("name", "the board"),
        ("white", "<b>\"Morphy\"</b>"),
        ("laws", "m2023"),
        ("time_control", "90m+30s"),
        ("code", "0"),
    ];
    for (key, value) in given {
        browser.ask(&set(key, value)).await;
    }
    browser.ask("document.forms[0].requestSubmit()").await;
    let n_wrong = "document.querySelectorAll('.wrong').length";
    browser.wait_for(n_wrong, 3).await;
    assert_eq!(browser.barriers().await, Vec::<String>::new());
    assert_eq!(fs::read_to_string(&path).unwrap(), DELIVERED, "nothing is written yet");
    // What was entered stands there still, as text.
    let kept = browser.ask("document.querySelector('[name=white]').value").await;
    assert_eq!(kept, "<b>\"Morphy\"</b>");
    browser.ask(&set("name", "gold")).await;
    browser.ask(&set("code", &page.code)).await;
    browser.ask("document.forms[0].requestSubmit()").await;
    browser.wait_for("document.querySelector('h1').textContent", "Rokade is set up").await;
    let link = browser.ask("document.querySelector('.next a').href").await;
    assert_eq!(link, format!("http://{}:8960/", place.addr.ip()));
    assert_eq!(browser.barriers().await, Vec::<String>::new());
    assert_eq!(page.end().await, Some(0));
    let config = Config::load(Some(&path)).unwrap();
    let board = &config.boards[0];
    let found = [&board.name, &board.port, &board.white, &board.laws].map(String::as_str);
    assert_eq!(found, ["gold", "/dev/ttyUSB7", "<b>\"Morphy\"</b>", "m2023"]);
    assert_eq!(config.http.listen.to_string(), "[::]:8960");
}

#[tokio::test]
async fn a_page_takes_the_code_that_waits_for_it_and_goes_with_it() {
    let place = Place::new();
    let (path, code) = (place.path("rokade.toml"), place.path("setup.code"));
    let before = fs::read_to_string(&path).unwrap();
    fs::write(&code, "12345678\n").unwrap();
    let page = Page::start(place.command(&["setup"]), place.addr).await;
    assert_eq!(page.code, "1234-5678");
    // Somebody has changed the settings, and nobody has said that they may go.
    let said = page.post(&[("code", "12345678"), ("name", "gold")]).await;
    assert!(said.contains("Somebody has changed the settings; allow"), "{said}");
    let said = page.post(&[("code", "1234 5679"), ("replace", "on")]).await;
    assert!(said.contains("That is not the code"), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), before);

    // A form that is no form, and one that is far too long, change nothing.
    let said = page.post(&[("\u{0}", "%"), ("code", "")]).await;
    assert!(said.contains("That is not the code"), "{said}");
    let long = "x".repeat(20_000);
    let address = format!("http://{}/", page.address);
    let posted = tokio::task::spawn_blocking(move || ureq::post(&address).send(long)).await;
    assert!(matches!(posted.unwrap(), Err(ureq::Error::StatusCode(400))));

    let two = [("port", "/dev/ttyUSB0 /dev/ttyUSB1"), ("name", "gold-1"), ("clock", "none")];
    let mut form = vec![("code", "1234-5678"), ("replace", "on"), ("page", "this-machine")];
    form.extend(two);
    let said = page.post(&form).await;
    assert!(said.contains("Rokade is set up"), "{said}");
    assert_eq!(page.end().await, Some(0));
    assert!(!code.exists());
    assert_eq!(fs::read_to_string(place.path("rokade.toml.old")).unwrap(), before);
    let config = Config::load(Some(&path)).unwrap();
    let names: Vec<_> = config.boards.iter().map(|it| (&*it.name, &*it.time_control)).collect();
    assert_eq!(names, [("gold-1", "-"), ("gold-2", "-")]);
    assert_eq!(config.http.listen.to_string(), "127.0.0.1:8960");

    // An answer at a terminal closes a page that waits.
    fs::write(&code, "12345678\n").unwrap();
    let page = Page::start(place.command(&["setup"]), place.addr).await;
    assert_eq!(place.run(&["setup", "--yes", "--replace"]).await.code, Some(0));
    assert_eq!(page.end().await, Some(0));
    let said = place.run(&["setup", "--browser", "192.0.2.1:80"]).await;
    assert_sentence(&said, 8, &["cannot serve the page at 192.0.2.1:80", "--browser"]);
}

/// Says this to the page from another address of this machine; what is answered, if anything is.
async fn say_from(from: [u8; 4], to: SocketAddr, words: String) -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from((from, 0))).unwrap();
    let mut answer = String::new();
    if let Ok(mut stream) = socket.connect(to).await {
        stream.write_all(words.as_bytes()).await.ok();
        timeout(LIMIT, stream.read_to_string(&mut answer)).await.ok();
    }
    answer
}

fn try_code(code: &str, host: &str) -> String {
    let form = format!("code={code}&name=gold&replace=on");
    let n = form.len();
    format!(
        "POST / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {n}\r\n\r\n\
         {form}"
    )
}

#[tokio::test]
async fn who_knows_the_code_gets_in_whoever_else_tries_and_stays() {
    let place = Place::new();
    fs::write(place.path("rokade.toml"), DELIVERED).unwrap();
    fs::write(place.path("setup.code"), "12345678\n").unwrap();
    let page = Page::start(place.command(&["setup"]), place.addr).await;
    let to = page.address;
    // A page from elsewhere that has our address under its own name sees nothing.
    let said = say_from([127, 0, 0, 2], to, try_code("12345678", "elsewhere.example")).await;
    assert!(said.starts_with("HTTP/1.1 421"), "{said}");

    let mut others = JoinSet::new();
    // More than there are seats begin to ask, and say no more.
    for _ in 0..100 {
        others.spawn(say_from([127, 0, 0, 2], to, "POST / HTTP/1.1\r\nHost: x".to_owned()));
    }
    // Codes are tried all the time.
    for n in 0..40 {
        others.spawn(async move {
            for code in 0..1_000 {
                let code = format!("{n:02}{code:06}");
                say_from([127, 0, 0, 3], to, try_code(&code, "localhost")).await;
            }
            String::new()
        });
    }
    sleep(Duration::from_secs(2)).await;
    let again = say_from([127, 0, 0, 3], to, try_code("0", "localhost")).await;
    assert!(!again.contains("Rokade is set up"), "{again}");
    let began = Instant::now();
    let said = page.post(&[("code", "12345678"), ("name", "gold"), ("replace", "on")]).await;
    assert!(said.contains("Rokade is set up"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    others.abort_all();
    assert_eq!(page.end().await, Some(0));
}

/// A hundred million codes last: each wrong one holds up the next, whether its answer is awaited or
/// not.
#[tokio::test]
async fn codes_are_tried_one_a_second_at_the_most() {
    let place = Place::new();
    fs::write(place.path("rokade.toml"), DELIVERED).unwrap();
    fs::write(place.path("setup.code"), "12345678\n").unwrap();
    let page = Page::start(place.command(&["setup"]), place.addr).await;
    let began = Instant::now();
    for n in 2..6 {
        let said = say_from([127, 0, 0, n], page.address, try_code("1", "localhost")).await;
        assert!(said.contains("That is not the code"), "{said}");
    }
    assert!(began.elapsed() >= Duration::from_secs(3), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_file_that_somebody_has_changed_is_not_replaced_unasked() {
    let place = Place::new();
    let path = place.path("rokade.toml");
    let before = fs::read_to_string(&path).unwrap();
    let mut terminal = Terminal::start(place.command(&["setup"]));
    terminal.enter("was changed by somebody. Replace it?", "no", "").await;
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
