//! `rokade order`: what the arbiter orders and the players say, to the daemon that runs.

use super::{Failure, chain};
use crate::laws::Act;
use crate::laws::act::{ActError, CHAPTERS};
use crate::shell::config::Config;
use crate::shell::orders::{Answer, AnswerClass, Request, VERSION};
use clap::Args;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// An order is answered once it is on the disk. A card may stall for long.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Gives an arbiter's order, or enters what a player says, at a board of the daemon that runs on
/// this machine.
///
/// The order goes on record with your user name, the name given by --by and the reason; then the
/// referee's answer is printed. What a player says starts with white or black. --open shows what is
/// waiting for you, and --list everything that can be ordered or said.
///
/// To give orders you must be in the group of the socket (for the service: rokade).
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  rokade order --open                         what is waiting for the arbiter
  rokade order confirm --reason \"seen by me\"  carries out what is proposed
  rokade order add_time black 120             two minutes more for Black
  rokade order resume white                   White's clock runs
  rokade order settle 12 e7e8r                half-move 12 was this move
  rokade order black resign                   Black resigns
  rokade order white claim threefold Ng8      White claims a draw with the intended move
  rokade order white sealed -                 White's sealed move, typed without being shown")]
pub(super) struct OrderCommand {
    /// The board, if there are several; without it --open shows all of them
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    #[command(flatten)]
    author: Author,
    /// Refuse the order if anything has happened since this state, as shown by --open
    #[arg(long, value_name = "STATE", conflicts_with_all = ["open", "list"])]
    at: Option<u64>,
    /// Print what is waiting for the arbiter: uncertain moves, proposals, claims
    #[arg(long, conflicts_with_all = ["list", "order"])]
    open: bool,
    /// Print every order and everything that players can say, with an example
    #[arg(long, conflicts_with = "order")]
    list: bool,
    /// The order, or white or black and what that player says; - as the last word reads it from
    /// standard input
    #[arg(value_name = "ORDER", required_unless_present_any = ["open", "list"], num_args = 1..)]
    order: Vec<String>,
}

/// Who orders something, why, and of which daemon.
#[derive(Debug, Args)]
pub(super) struct Author {
    /// The name of whoever orders it, in addition to your user name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(super) by: String,
    /// The reason, which goes on record with the order
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(super) reason: String,
    /// The daemon's socket, instead of the one in the settings
    #[arg(long, value_name = "PATH")]
    pub(super) socket: Option<PathBuf>,
}

impl Author {
    /// Asks the daemon for this in the author's name, and prints what it says.
    pub(super) fn have_done(
        &self,
        asked: Request,
        config: impl FnOnce() -> Result<Config, Failure>,
    ) -> Result<(), Failure> {
        let (by, reason) = (self.by.clone(), self.reason.clone());
        let places = match &self.socket {
            Some(path) => vec![path.clone()],
            None => config()?.orders_at(),
        };
        show(&ask(&places, &Request { rokade: VERSION, by, reason, ..asked })?)
    }
}

impl OrderCommand {
    pub(super) fn run(
        &self,
        config: impl FnOnce() -> Result<Config, Failure>,
    ) -> Result<(), Failure> {
        if self.list {
            return list();
        }
        let text = self.text()?;
        // What cannot be understood needs no daemon to be told so.
        if let Some(text) = &text {
            Act::read(text, &self.author.by, &self.author.reason).map_err(|why| unclear(&why))?;
        }
        let (board, at, open) = (self.board.clone(), self.at, self.open);
        self.author
            .have_done(Request { board, order: text, at, open, ..Request::default() }, config)
    }

    /// The words of the order as one text.
    fn text(&self) -> Result<Option<String>, Failure> {
        if self.order.is_empty() {
            return Ok(None);
        }
        let mut words = self.order.clone();
        if words.last().is_some_and(|last| last == "-") {
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line);
            read.map_err(Failure::io("cannot read the rest of the order"))?;
            words.pop();
            words.push(line.trim().to_owned());
        }
        Ok(Some(words.join(" ")))
    }
}

fn unclear(why: &ActError) -> Failure {
    Failure::Usage(format!("{why}\nrokade order --list explains them all"))
}

/// Everything that can be ordered or said.
fn list() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut print = || {
        for (idx, chapter) in CHAPTERS.iter().enumerate() {
            let gap = if idx == 0 { "" } else { "\n" };
            writeln!(out, "{gap}{}", chapter.title)?;
            for lesson in chapter.lessons {
                writeln!(out, "  {:<34} {}", lesson.example, lesson.does)?;
            }
        }
        out.flush()
    };
    print().map_err(Failure::io("cannot print"))
}

/// Asks the first daemon that listens.
pub(super) fn ask(places: &[PathBuf], request: &Request) -> Result<Answer, Failure> {
    let mut tried = Vec::new();
    for path in places {
        match UnixStream::connect(path) {
            Ok(stream) => return exchange(stream, request),
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => {
                return Err(Failure::Device(format!(
                    "{}: you may not give orders; join the socket's group (for the service: \
                     usermod -aG rokade NAME), then log in again",
                    path.display()
                )));
            }
            Err(e) => tried.push(format!("{}: {e}", path.display())),
        }
    }
    Err(Failure::Device(format!(
        "no daemon takes orders; start `rokade run`, or name its socket with --socket ({})",
        tried.join("; ")
    )))
}

fn exchange(mut stream: UnixStream, request: &Request) -> Result<Answer, Failure> {
    let silent = "the daemon did not answer; `rokade log` shows whether the order is on record";
    let mut line = serde_json::to_vec(request).expect("a request is plain data");
    line.push(b'\n');
    let mut answer = String::new();
    let talk = || {
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.write_all(&line)?;
        BufReader::new(stream).read_line(&mut answer)
    };
    talk().map_err(Failure::io(silent))?;
    serde_json::from_str(&answer).map_err(|e| Failure::Other(format!("{silent} ({})", chain(&e))))
}

/// Prints what the daemon says; what was not done is a failure.
pub(super) fn show(answer: &Answer) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let mut print = || {
        for line in &answer.lines {
            writeln!(out, "{line}")?;
        }
        out.flush()
    };
    print().map_err(Failure::io("cannot print"))?;
    let why = answer.why.clone().unwrap_or_default();
    match answer.class {
        AnswerClass::Done => Ok(()),
        AnswerClass::Refused | AnswerClass::Overtaken => Err(Failure::Refused(why)),
        AnswerClass::Unclear => Err(Failure::Usage(why)),
        AnswerClass::Unread => Err(Failure::Input(why)),
        AnswerClass::Unkept => Err(Failure::Journal(why)),
        AnswerClass::Busy => Err(Failure::Other(why)),
    }
}
