//! The board of `tests/pi.sh`: hands that play an invented game on a simulated board, whose line
//! goes to the socket of an emulated adapter, and in the end what the record of the emulated
//! machine makes of it.
//!
//! `pi_board SOCKET SEED HALF-MOVES MANNERS SECONDS`; the last is the longest thought.
//! What it does is said to it, a line each: `plug`, `unplug`, `play`, `heard` (the machine reads
//! the board again), `judge FOLDER`. It says which half-moves are over, and what it judges.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "hands know the world's time")]

use rokade::game::Entry;
use rokade::shell::journal::{DiskStorage, JournalReader};
use rokade::shell::pty::{PtyBoard, PtyBoardStub, Speed};
use rokade::shell::record;
use rokade::sim::account::Discrepancies;
use rokade::sim::games::random_game;
use rokade::sim::hands::{self, Manners, Performance, Span};
use rokade::sim::trouble::{Away, Out};
use rokade::sim::{Table, TableKind, blame};
use rokade::table::Sight;
use rokade::time::Mono;
use shakmaty::{CastlingMode, Chess, san::SanPlus};
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// After the last move, before the game counts as over: a board at rest is asked for its picture
/// once more.
const LINGER: Duration = Duration::from_secs(20);

/// The end of what has not ended yet.
const UNTIL_HEARD: Mono = Mono::from_millis(u64::MAX / 1_000_000);

/// A board with its line, and who plays there.
struct Seat {
    socket: String,
    stub: PtyBoardStub,
    /// The line to the emulated adapter, while the cable is in.
    line: Option<UnixStream>,
    played: Performance,
    /// Its moves.
    sans: Vec<SanPlus>,
    /// When the hands began.
    began: Option<Instant>,
    /// When nobody heard the board.
    outs: Vec<Out>,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or(io::ErrorKind::InvalidInput);
    let socket = next()?;
    let number = |text: String| text.parse::<u64>().map_err(io::Error::other);
    let (seed, n_plies) = (number(next()?)?, number(next()?)?);
    let manners = Manners::named(&next()?).ok_or(io::ErrorKind::InvalidInput)?;
    let think = Span { min_ms: 1_000, max_ms: 1_000 * number(next()?)? };
    let played = perform(seed, n_plies, Manners { think, ..manners });
    let (stub, actor) = PtyBoard::open(Table::new(&played.script.header), None).unwrap();
    tokio::spawn(actor.run());
    stub.cable.unplug().await.map_err(io::Error::other)?;
    let mut pos = Chess::new();
    let plies = played.truth.plies.iter();
    let sans = plies.map(|ply| SanPlus::from_move_and_play_unchecked(&mut pos, ply.m)).collect();
    let mut seat = Seat { socket, stub, line: None, played, sans, began: None, outs: Vec::new() };
    seat.serve().await
}

/// A game without anything that is done on the board after it.
fn perform(seed: u64, n_plies: u64, manners: Manners) -> Performance {
    let manners = Manners { unplugged: 0.0, post_mortem: 0.0, kings: 0.0, ..manners };
    let moves = random_game(seed, usize::try_from(n_plies).unwrap());
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let mode = CastlingMode::Standard;
    let mut played = hands::perform(&Chess::new(), mode, &moves, None, &manners, table, seed);
    // The start position is nothing that anybody has named.
    played.script.header.start = None;
    played
}

impl Seat {
    /// When half-move `n` is over, from 0; behind the last the game is.
    fn due(&self, n: usize) -> Option<Instant> {
        let began = self.began?;
        let plies = &self.played.truth.plies;
        let end =
            |idx: usize| plies[idx].completed.unwrap_or(plies[idx].rested).max(plies[idx].rested);
        let at = if n < plies.len() { end(n) } else { end(plies.len() - 1) + LINGER };
        (n <= plies.len()).then(|| began + at.since(Mono::default()))
    }

    async fn serve(&mut self) -> io::Result<()> {
        let (orders_tx, mut orders) = mpsc::channel(1);
        thread::spawn(move || {
            for order in io::stdin().lines().map_while(Result::ok) {
                if orders_tx.blocking_send(order).is_err() {
                    break;
                }
            }
        });
        let mut n_over = 0;
        loop {
            let due = self.due(n_over);
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.obey(&order).await?,
                    None => return Ok(()),
                },
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    match self.played.truth.plies.get(n_over) {
                        Some(_) => println!("ply {} {}", n_over + 1, self.sans[n_over]),
                        None => println!("over"),
                    }
                    n_over += 1;
                }
            }
        }
    }

    async fn obey(&mut self, order: &str) -> io::Result<()> {
        match order.split_once(' ').unwrap_or((order, "")) {
            ("plug", _) => self.plug().await?,
            ("unplug", _) => self.unplug().await,
            ("heard", _) => {
                let now = self.now();
                if let Some(out) = self.outs.last_mut().filter(|out| out.until == UNTIL_HEARD) {
                    out.until = now;
                }
            }
            ("play", _) => {
                self.stub.play(self.played.script.happenings.clone(), Speed::REAL).await.unwrap();
                self.began = Some(Instant::now());
            }
            ("judge", folder) => println!("{}", self.judge(folder)),
            _ => return Err(io::Error::other(format!("what is {order}?"))),
        }
        println!("done {order}");
        Ok(())
    }

    fn now(&self) -> Mono {
        Mono::default() + self.began.map_or(Duration::ZERO, |began| began.elapsed())
    }

    /// The adapter is plugged in while its socket is connected; the board has its power from it.
    async fn plug(&mut self) -> io::Result<()> {
        self.stub.cable.plug().await.map_err(io::Error::other)?;
        let line = UnixStream::connect(&self.socket)?;
        let host = OpenOptions::new().read(true).write(true).open(self.stub.cable.path())?;
        carry(line.try_clone()?, host.try_clone()?);
        carry(host, line.try_clone()?);
        self.line = Some(line);
        Ok(())
    }

    async fn unplug(&mut self) {
        if let Some(line) = self.line.take() {
            line.shutdown(Shutdown::Both).ok();
        }
        self.stub.cable.unplug().await.ok();
        let heard = self.outs.last().is_none_or(|out| out.until != UNTIL_HEARD);
        if self.began.is_some() && heard {
            self.outs.push(Out { from: self.now(), until: UNTIL_HEARD, what: Away::Power });
        }
    }

    /// What the record in this folder makes of the game.
    fn judge(&self, folder: &str) -> String {
        let mut reader = JournalReader::new(DiskStorage::new(folder));
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let lines = reader.poll().unwrap();
            if lines.is_empty() {
                break;
            }
            entries
                .extend(lines.iter().map(|line| record::entry_of(line).expect("a known record")));
        }
        let truth = &self.played.truth;
        let account = Discrepancies::new(truth, &entries, &self.outs);
        let n_accused = blame::undeserved(truth, &entries).len();
        format!(
            "account half-moves={} invented={} marked={} missing={} unknown={} gaps={} accused={} \
             nothing={} end_false={}",
            truth.plies.len(),
            account.n_invented,
            account.n_marked,
            account.n_missing,
            account.n_unknown,
            account.n_gaps,
            n_accused,
            account.is_nothing,
            account.is_end_false
        )
    }
}

/// Carries bytes until one end is gone.
fn carry(mut from: impl Read + Send + 'static, mut to: impl Write + Send + 'static) {
    thread::spawn(move || {
        let mut buf = [0; 512];
        while let Ok(n @ 1..) = from.read(&mut buf) {
            if to.write_all(&buf[..n]).is_err() {
                break;
            }
        }
    });
}
