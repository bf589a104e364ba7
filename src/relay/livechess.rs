//! A board as programs know it that follow boards through LiveChess: how it stands, what its clock
//! shows, and the list of all (section 8 of `protocol.md`).

use crate::game::{LinkState, Recovered, ScoreSheet};
use crate::table::{Placement, Times};
use serde::Serialize;
use shakmaty::{Board, Color, Position as _};
use std::sync::Arc;

/// What programs may know of a board.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Its serial number, or one that stands for it.
    pub serial: String,
    /// All numbers that it has told, the short and the long one among them.
    pub serials: Vec<String>,
    /// Its name.
    pub name: String,
    /// `ACTIVE`, `INACTIVE`, `NOTRESPONDING` or `DELAYED`.
    pub state: &'static str,
    /// What stands where, as the first field of a FEN; `None` before that is known.
    pub placement: Option<String>,
    /// The clock, if there is one.
    pub clock: Option<LiveClock>,
    /// The number of the game in the record.
    pub game: usize,
    /// The game as it is on record.
    pub sheet: Option<Arc<ScoreSheet>>,
    /// How many half-moves of it are told.
    pub n_told: usize,
    /// It has a result, or was closed without one.
    pub is_over: bool,
}

/// A clock as programs are told of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LiveClock {
    /// Both times when it was read.
    pub times: Times,
    /// Whose time ran.
    pub running: Option<Color>,
    /// When that was, in milliseconds since 1970.
    pub read_ms: i64,
}

impl Live {
    /// What is told of a board by its `record` up to now, at `wall_ms`. Its game is on `sheet`, and
    /// what is seen on it is `seen`; `link` is how the line to it is, and a board whose public
    /// `is_behind` says so.
    pub fn new(
        name: &str,
        record: &Recovered,
        sheet: Option<Arc<ScoreSheet>>,
        seen: Option<&Placement>,
        (link, is_behind): (LinkState, bool),
        wall_ms: i64,
    ) -> Self {
        let moves = sheet.as_ref().map_or(&[][..], |sheet| sheet.moves());
        let n_told = record.n_public().min(moves.len());
        let position = sheet.as_ref().map(|sheet| sheet.position(n_told).board());
        Self {
            serial: record.serials().last().cloned().unwrap_or_default(),
            serials: record.serials().to_vec(),
            name: name.to_owned(),
            state: match link {
                LinkState::Live if is_behind => "DELAYED",
                LinkState::Live => "ACTIVE",
                LinkState::Lost => "NOTRESPONDING",
                LinkState::Absent => "INACTIVE",
            },
            placement: seen.map(|seen| named(seen, position).board_fen().to_string()),
            clock: record.times().map(|(times, running, age)| LiveClock {
                times,
                running,
                read_ms: wall_ms - i64::try_from(age.as_millis()).unwrap_or(0),
            }),
            game: 0,
            sheet,
            n_told,
            is_over: record.is_over(),
        }
    }

    /// A board of this name whose record has not been read yet.
    pub fn unknown(name: &str) -> Self {
        Self { name: name.to_owned(), state: "INACTIVE", ..Self::default() }
    }

    fn is_live(&self) -> bool {
        matches!(self.state, "ACTIVE" | "DELAYED")
    }

    /// The board as it stands in a list of boards, where it has this number.
    fn listed(&self, serialnr: String) -> ListedBoard<'_> {
        ListedBoard {
            serialnr,
            source: &self.name,
            state: self.state,
            battery: None,
            comment: &self.name,
            board: self.placement.as_deref(),
            flipped: false,
            clock: self.clock.map(LiveClock::told),
        }
    }
}

impl LiveClock {
    /// The clock as LiveChess writes it.
    pub fn told(self) -> ToldClock {
        let Self { times, running, read_ms } = self;
        ToldClock {
            white: times.white.as_secs(),
            black: times.black.as_secs(),
            run: running.map(|color| color == Color::White),
            time: read_ms,
        }
    }
}

/// A clock as LiveChess writes it. All that programs are told has its keys in the order in which
/// LiveChess has them: a program was seen that looks for a piece of text.
#[derive(Copy, Clone, Debug, Serialize)]
pub struct ToldClock {
    /// White's whole seconds.
    white: u64,
    /// Black's.
    black: u64,
    /// Whether White's time runs; nobody's, if this is `None`.
    run: Option<bool>,
    /// When it was read, in milliseconds since 1970.
    time: i64,
}

/// A board in a list of boards.
#[derive(Debug, Serialize)]
pub struct ListedBoard<'a> {
    serialnr: String,
    source: &'a str,
    state: &'static str,
    battery: Option<&'static str>,
    comment: &'a str,
    board: Option<&'a str>,
    flipped: bool,
    clock: Option<ToldClock>,
}

/// What stands where, with a piece of the record for each that the board does not name.
fn named(seen: &Placement, position: Option<&Board>) -> Board {
    let mut board = seen.known().clone();
    for sq in seen.unnamed() {
        let known = position.and_then(|board| board.piece_at(sq));
        let pawn = seen.get(sq).color().unwrap_or(Color::White).pawn();
        board.set_piece_at(sq, known.filter(|it| seen.get(sq).may_be(*it)).unwrap_or(pawn));
    }
    board
}

/// A list of boards, those that play first: some programs take the first and no other.
pub fn listed(boards: &[Arc<Live>]) -> Vec<ListedBoard<'_>> {
    listed_as(boards, |idx| serialnr(boards, idx))
}

/// As [`listed`], with other names.
pub(super) fn listed_as(
    boards: &[Arc<Live>],
    name: impl Fn(usize) -> String,
) -> Vec<ListedBoard<'_>> {
    let mut order: Vec<usize> = (0..boards.len()).collect();
    order.sort_by_key(|idx| !boards[*idx].is_live());
    order.into_iter().map(|idx| boards[idx].listed(name(idx))).collect()
}

/// A number that is a board's own: its serial number; where it has none of five or ten digits, or
/// another board tells or stands in with the same, one by its place in the settings.
pub fn serialnr(boards: &[Arc<Live>], idx: usize) -> String {
    let serial = &boards[idx].serial;
    let is_number =
        matches!(serial.len(), 5 | 10) && serial.bytes().all(|byte| byte.is_ascii_digit());
    let is_own = boards.iter().filter(|live| live.serial == *serial).count() == 1
        && !(0..boards.len()).map(stand_in).any(|other| other == *serial);
    if is_number && is_own { serial.clone() } else { stand_in(idx) }
}

/// The number of a board that has none.
pub(super) fn stand_in(idx: usize) -> String {
    format!("{:05}", 90_001 + idx)
}
