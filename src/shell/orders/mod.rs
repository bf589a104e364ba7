//! The way from a person to the referee: a Unix socket of the daemon, on which arbiters' orders and
//! players' declarations come in. There is no way from the network.
//!
//! # The protocol
//!
//! A client connects, writes one line, reads one line, and is done. Both lines are JSON objects
//! that end with a newline; the client's has [`REQUEST_MAX`] bytes at the most, and must be there
//! within [`PATIENCE`]. A line without its end is nothing: who was cut off in the middle of a
//! sentence has not said it. What is asked for is [`Request`]:
//!
//! ```json
//! {"rokade":1,"board":"table-1","by":"A. Arbiter","reason":"seen by me","order":"confirm"}
//! {"rokade":1,"board":"table-1","at":431,"order":"result 1-0"}
//! {"rokade":1,"board":"table-1","open":true}
//! {"rokade":1,"round":"next"}
//! {"rokade":1,"status":true}
//! ```
//!
//! `rokade` is the version and must be there. `board` may be left out where there is one board; to
//! ask what is `open` without it is to ask all.
//! `order` is what [`Act::read`] reads: an arbiter's order as it is, a player's words with `white`
//! or `black` before them. `at` may say how many entries were on record as far as the client knows,
//! as `open` tells; an order that was overtaken is not carried out. `open` asks what waits instead.
//! `round` has who plays in that round read from the list of pairings, at one board or all; `now`
//! says that the games that are on are of it already. `status` asks how everything stands; the
//! answer has a [`Report`]. An unknown key is refused. The answer is [`Answer`]:
//!
//! ```json
//! {"class":"done","board":"table-1","lines":["14:02:11  order      confirm by A. [arbiter]"]}
//! ```
//!
//! | class | means |
//! |---|---|
//! | `done` | it is on the disk, with its author and reason; `lines` are what the log says now |
//! | `refused` | it is on the disk, and changed nothing; `why` says why, then come the choices |
//! | `unclear` | the request cannot be understood; nothing is on record |
//! | `unkept` | it was done, but the disk does not take the record now |
//! | `overtaken` | its author may not know of what `why` tells; nothing is done or on record |
//! | `busy` | too many clients or orders at once; try again |
//!
//! The author is the client's user as the kernel knows him (`SO_PEERCRED`), behind the name that he
//! gives himself in `by`. Who may connect is a matter of the socket's mode and group.

pub mod desk;
mod door;
mod round;

pub use door::{OrdersActor, OrdersError, channel};
pub use round::Rounds;

use super::report::Report;
use crate::game::Paired;
use crate::laws::Act;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// The version of the protocol.
pub const VERSION: u32 = 1;
/// The longest line of a client, in bytes, with its end.
pub const REQUEST_MAX: usize = 4096;
/// A client has so long for its line, and again for taking the answer.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// The socket's name in its folder.
pub const SOCKET: &str = "orders.sock";

/// A client's line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// [`VERSION`].
    pub rokade: u32,
    /// The board's name; needed where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Who says that he speaks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// The reason for the order; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What is ordered or said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// How many entries were on record, as far as the client knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Asks what waits for the arbiter.
    #[serde(default)]
    pub open: bool,
    /// The round, by its number or as `next`, whose pairings are to be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<String>,
    /// The games that are on are of that round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub now: bool,
    /// What was played of that round does not count; the next game does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
    /// Asks how everything stands.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub status: bool,
}

/// What became of a request.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerClass {
    /// It is done, and durable.
    Done,
    /// It is on record and changed nothing.
    Refused,
    /// It cannot be understood.
    Unclear,
    /// A file that it needs is not what it should be.
    Unread,
    /// It is done, and not durable yet.
    Unkept,
    /// It was overtaken, or contradicts another; nothing is on record.
    Overtaken,
    /// There are too many clients, or orders.
    Busy,
}

/// The daemon's line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What became of it.
    pub class: AnswerClass,
    /// At which board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the log says to it, or what waits.
    pub lines: Vec<String>,
    /// How everything stands, if that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Box<Report>>,
}

impl Answer {
    /// Nothing but what became of it.
    pub const fn of(class: AnswerClass) -> Self {
        Self { class, board: None, why: None, lines: Vec::new(), report: None }
    }

    /// Nothing was done, for this reason.
    pub fn without_effect(class: AnswerClass, why: impl Into<String>) -> Self {
        Self { why: Some(why.into()), ..Self::of(class) }
    }
}

/// What a board is asked, as it was understood.
#[derive(Debug)]
pub struct Asked {
    /// The question or the act.
    pub what: BoardRequest,
    /// In which words; empty for a question.
    pub text: String,
    /// How many entries were on record, as far as the client knows.
    pub state: Option<u64>,
    /// The person who asks.
    pub author: String,
    /// The reason that was given; may be empty.
    pub reason: String,
    /// Where the answer goes, once it is durable.
    pub reply: oneshot::Sender<Answer>,
}

/// What a board can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardRequest {
    /// Something was ordered or said.
    Act(Act),
    /// It is said who plays.
    Paired(Box<Paired>),
    /// What waits for the arbiter?
    Open,
}

/// A board's end: its requests. `None` for a board that nobody can ask.
pub type Requests = mpsc::Receiver<Asked>;

/// An answer on its way to the disk first.
#[derive(Debug)]
pub struct Reply {
    /// The answer, if all goes well.
    pub answer: Answer,
    /// Whoever waits for it.
    pub to: oneshot::Sender<Answer>,
}

impl Reply {
    /// What it says has been written, or at least tried. Whoever asked may have gone.
    pub fn give(self, is_durable: bool) {
        let Self { mut answer, to } = self;
        if !is_durable && matches!(answer.class, AnswerClass::Done | AnswerClass::Refused) {
            answer.class = AnswerClass::Unkept;
            let why = "the disk does not take the record at the moment; it is kept in memory and \
                       will follow";
            answer.why.get_or_insert_with(|| why.to_owned());
        }
        to.send(answer).ok();
    }
}
