//! The listener: it lets in few clients at once, reads one line of each, and passes it on.

use super::round::{self, Rounds};
use super::{
    Answer, AnswerClass, Asked, BoardRequest, PATIENCE, REQUEST_MAX, Request, Requests, VERSION,
};
use crate::laws::Act;
use crate::shell::report::{Audience, Outlook};
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{debug, warn};

/// So many clients are served at once; the next ones are told to come again.
const SEATS: usize = 16;
/// So many requests may wait at a board.
const QUEUE_MAX: usize = SEATS;
/// Owner and group may connect.
const MODE: u32 = 0o660;

/// Why no orders can be given.
#[derive(Debug, thiserror::Error)]
pub enum OrdersError {
    /// Another daemon listens there.
    #[error("{}: another daemon already takes orders there; set another socket in \
             [orders]", .0.display())]
    Taken(PathBuf),
    /// Something that is no socket is there.
    #[error("{}: not a socket; set another one in [orders]", .0.display())]
    NoSocket(PathBuf),
    /// The socket cannot be had.
    #[error("{}: cannot take orders there", .path.display())]
    Socket {
        /// The path of the socket.
        path: PathBuf,
        /// The system's reason.
        #[source]
        source: io::Error,
    },
}

/// The listener and the ways to the boards.
#[derive(Debug)]
pub struct OrdersActor {
    listener: UnixListener,
    path: PathBuf,
    boards: Vec<(String, mpsc::Sender<Asked>)>,
    rounds: Rounds,
    outlook: Outlook,
}

/// The two ends of a board's requests.
pub fn channel() -> (mpsc::Sender<Asked>, Requests) {
    mpsc::channel(QUEUE_MAX)
}

impl OrdersActor {
    /// Listens at `path`, for these boards. What a daemon that was killed has left there is cleared
    /// away. Must be called inside a runtime.
    ///
    /// # Errors
    /// Another daemon listens there, or the system refuses.
    pub fn open(
        path: PathBuf,
        boards: Vec<(String, mpsc::Sender<Asked>)>,
        rounds: Rounds,
        outlook: Outlook,
    ) -> Result<Self, OrdersError> {
        let failed = |source| OrdersError::Socket { path: path.clone(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
        }
        let listener = match UnixListener::bind(&path) {
            Ok(listener) => listener,
            Err(e) if e.kind() == io::ErrorKind::AddrInUse => {
                if std::os::unix::net::UnixStream::connect(&path).is_ok() {
                    return Err(OrdersError::Taken(path));
                }
                let is_socket = std::fs::symlink_metadata(&path)
                    .is_ok_and(|found| found.file_type().is_socket());
                if !is_socket {
                    // Somebody's file is in the way, and stays.
                    return Err(OrdersError::NoSocket(path));
                }
                std::fs::remove_file(&path).map_err(failed)?;
                UnixListener::bind(&path).map_err(failed)?
            }
            Err(source) => return Err(failed(source)),
        };
        std::fs::set_permissions(&path, Permissions::from_mode(MODE)).map_err(failed)?;
        Ok(Self { listener, path, boards, rounds, outlook })
    }

    /// Where it listens.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Serves until it is dropped or aborted.
    pub async fn run(self) {
        let mut clients = JoinSet::new();
        loop {
            let next = self.listener.accept().await;
            // Those who are done make room.
            while clients.try_join_next().is_some() {}
            match next {
                Ok((stream, _)) if clients.len() >= SEATS => turn_away(&stream),
                Ok((stream, _)) => {
                    let (boards, rounds) = (self.boards.clone(), self.rounds.clone());
                    let outlook = self.outlook.clone();
                    clients.spawn(async move {
                        if let Err(error) = serve(stream, &boards, &rounds, &outlook).await {
                            debug!(%error, "a client of the orders has gone");
                        }
                    });
                }
                Err(error) => {
                    warn!(%error, "nobody can connect to give orders");
                    tokio::time::sleep(PATIENCE).await;
                }
            }
        }
    }
}

impl Drop for OrdersActor {
    fn drop(&mut self) {
        // Nobody listens there any more.
        std::fs::remove_file(&self.path).ok();
    }
}

fn turn_away(stream: &UnixStream) {
    let answer = Answer::without_effect(AnswerClass::Busy, "too many clients; try again");
    // If it cannot be written at once the client sees the end all the same.
    stream.try_write(&line(&answer)).ok();
}

fn line(answer: &Answer) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(answer).expect("an answer is plain data");
    bytes.push(b'\n');
    bytes
}

/// One client, from its line to its answer.
async fn serve(
    mut stream: UnixStream,
    boards: &[(String, mpsc::Sender<Asked>)],
    rounds: &Rounds,
    outlook: &Outlook,
) -> io::Result<()> {
    let user = name_of(stream.peer_cred()?.uid());
    let heard = timeout(PATIENCE, hear(&mut stream)).await;
    let answer = match heard.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))? {
        None => {
            let why = format!("a line has at most {REQUEST_MAX} bytes, and an end");
            Answer::without_effect(AnswerClass::Unclear, why)
        }
        Some(request) => match understand(&request, boards, &user) {
            Err(why) => Answer::without_effect(AnswerClass::Unclear, why),
            Ok(wanted) => match &wanted.sought {
                Sought::Round(request) => {
                    let is_first = |(name, _): &(String, _)| *name == wanted.boards[0].0;
                    let first = boards.iter().position(is_first).unwrap_or(0);
                    round::pair(rounds, request, wanted.boards, first, &wanted.author).await
                }
                Sought::Status => {
                    let report = Some(Box::new(outlook.report(Audience::Arbiter)));
                    Answer { report, ..Answer::of(AnswerClass::Done) }
                }
                Sought::OfBoard(what) if wanted.boards.len() > 1 => ask_all(&wanted, what).await,
                Sought::OfBoard(what) => {
                    let (name, board) = &wanted.boards[0];
                    let asked = wanted.asked(what);
                    Answer { board: Some(name.clone()), ..ask(board, asked).await }
                }
            },
        },
    };
    let answer = line(&answer);
    timeout(PATIENCE, async {
        stream.write_all(&answer).await?;
        stream.shutdown().await
    })
    .await
    .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

/// What one board says.
pub(super) async fn ask(
    board: &mpsc::Sender<Asked>,
    asked: impl FnOnce(oneshot::Sender<Answer>) -> Asked,
) -> Answer {
    let (reply, answered) = oneshot::channel();
    let is_passed = board.send(asked(reply)).await.is_ok();
    let answer = if is_passed { answered.await.ok() } else { None };
    answer
        .unwrap_or_else(|| Answer::without_effect(AnswerClass::Busy, "the daemon is shutting down"))
}

/// What all of them say, each line with the name of its board.
async fn ask_all(wanted: &ClientRequest<'_>, what: &BoardRequest) -> Answer {
    let mut lines = Vec::new();
    for (name, board) in wanted.boards {
        let answer = ask(board, wanted.asked(what)).await;
        let said = answer.lines.into_iter().chain(answer.why);
        lines.extend(said.map(|line| format!("{name}  {line}")));
    }
    Answer { lines, ..Answer::of(AnswerClass::Done) }
}

/// The client's line without its end; `None` if it is too long or has none.
async fn hear(stream: &mut UnixStream) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = u64::try_from(REQUEST_MAX).unwrap_or(u64::MAX);
    BufReader::new(stream.take(most)).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        // Somebody looked whether we are there.
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.strip_suffix(b"\n").map(<[u8]>::to_vec))
}

/// What a client wants, of which boards, and who he is and why.
struct ClientRequest<'a> {
    boards: &'a [(String, mpsc::Sender<Asked>)],
    sought: Sought,
    text: String,
    state: Option<u64>,
    author: String,
    reason: String,
}

enum Sought {
    /// Something of each of the boards.
    OfBoard(BoardRequest),
    /// The pairings of a round.
    Round(Box<Request>),
    /// How everything stands.
    Status,
}

impl ClientRequest<'_> {
    /// `what`, as it is asked of a board.
    fn asked(&self, what: &BoardRequest) -> impl FnOnce(oneshot::Sender<Answer>) -> Asked {
        let (what, text, state) = (what.clone(), self.text.clone(), self.state);
        let (author, reason) = (self.author.clone(), self.reason.clone());
        move |reply| Asked { what, text, state, author, reason, reply }
    }
}

/// What a client wants, or why that is not clear.
fn understand<'a>(
    line: &[u8],
    boards: &'a [(String, mpsc::Sender<Asked>)],
    user: &str,
) -> Result<ClientRequest<'a>, String> {
    let request: Request =
        serde_json::from_slice(line).map_err(|e| format!("not a request: {e}"))?;
    if request.rokade != VERSION {
        return Err(format!("version {} of the protocol is not supported", request.rokade));
    }
    let names = || boards.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let boards = match &request.board {
        None if boards.len() == 1 || request.open || request.round.is_some() => boards,
        None if request.status => boards,
        None => return Err(format!("which board? Known: {}", names())),
        Some(named) => {
            let idx = boards.iter().position(|(name, _)| name == named);
            let idx = idx.ok_or_else(|| format!("no such board; known: {}", names()))?;
            &boards[idx..=idx]
        }
    };
    let author = match request.by.trim() {
        "" => user.to_owned(),
        named => format!("{named} [{user}]"),
    };
    let reason = request.reason.trim().to_owned();
    let text = request.order.as_deref().unwrap_or_default().trim().to_owned();
    let state = request.at;
    let sought = match (&request.order, request.open, &request.round, request.status) {
        (Some(_), false, None, false) => {
            let act = Act::read(&text, &author, &reason).map_err(|why| why.to_string())?;
            Sought::OfBoard(BoardRequest::Act(act))
        }
        (None, true, None, false) => Sought::OfBoard(BoardRequest::Open),
        (None, false, Some(_), false) => Sought::Round(Box::new(request)),
        (None, false, None, true) => Sought::Status,
        _ => {
            let one = "a request has either an order or \"open\" or \"round\" or \"status\"";
            return Err(one.to_owned());
        }
    };
    Ok(ClientRequest { boards, sought, text, state, author, reason })
}

/// The name of a user of this machine. Read from the file, as nothing else of the system's name
/// service is needed; users who are only there are known by their number.
fn name_of(uid: u32) -> String {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    found.unwrap_or_else(|| format!("user {uid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_known_by_name_or_number() {
        assert_eq!(name_of(0), "root");
        assert_eq!(name_of(4_000_000_000), "user 4000000000");
    }
}
