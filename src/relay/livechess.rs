//! What programs say and hear that follow boards through LiveChess: the calls of its interface,
//! version 1.0, and the feed of a board's events (section 8 of `protocol.md`).
//!
//! A program names the position that its game has reached (`setup`) and from then on is told all
//! moves since, one more with each event, because some programs hold back two that come at once. A
//! list that gets shorter takes moves back. Moves are those of the record as the public may see it:
//! with a clock those that are completed.

use crate::game::{LinkState, Recovered, ScoreSheet};
use crate::table::{Placement, Reading, Times};
use serde::Serialize;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{Board, CastlingMode, Chess, Color, Position as _, PositionError, Square};
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many feeds a program may have.
const FEEDS_MAX: usize = 256;

/// Of moves that a program missed so many are told one by one, and those before them at once.
const CATCH_UP: usize = 16;
/// The longest id of a feed, as text.
const ID_MAX: usize = 64;

/// What programs may know of a board.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Its serial number, or one that stands for it.
    pub serial: String,
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
    /// what is seen on it is `seen`; a board whose public `is_behind` says so.
    pub fn new(
        name: &str,
        record: &Recovered,
        sheet: Option<Arc<ScoreSheet>>,
        seen: Option<&Placement>,
        is_behind: bool,
        wall_ms: i64,
    ) -> Self {
        let moves = sheet.as_ref().map_or(&[][..], |sheet| sheet.moves());
        let n_told = record.n_public().min(moves.len());
        let position = sheet.as_ref().map(|sheet| sheet.position(n_told).board());
        Self {
            serial: record.serial().unwrap_or_default().to_owned(),
            name: name.to_owned(),
            state: match record.link() {
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

/// Anything that is said to a program.
#[derive(Serialize)]
struct ProgramMessage<'a, P> {
    response: &'static str,
    id: &'a Value,
    param: P,
    time: i64,
}

/// What a call is answered with.
#[derive(Serialize)]
#[serde(untagged)]
enum CallAnswer<'a> {
    /// It is done, and there is nothing to tell.
    Done,
    Boards(Vec<ListedBoard<'a>>),
}

/// Why a call is not answered.
#[derive(Serialize)]
struct Refusal {
    message: String,
}

/// What a feed tells of a board: what it does not name has not changed.
#[derive(Clone, Debug, Serialize)]
struct BoardEvent {
    serialnr: String,
    flipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<Option<ToldClock>>,
    #[serde(flatten)]
    moves: Option<SetupMoves>,
}

/// The moves since the position that a program has named.
#[derive(Clone, Debug, Serialize)]
struct SetupMoves {
    start: String,
    san: Vec<String>,
    #[serde(rename = "match")]
    does_match: bool,
}

/// As one line of JSON.
fn said<P: Serialize>(response: &'static str, id: &Value, param: P, time: i64) -> String {
    serde_json::to_string(&ProgramMessage { response, id, param, time }).unwrap_or_default()
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
    let mut order: Vec<usize> = (0..boards.len()).collect();
    order.sort_by_key(|idx| !boards[*idx].is_live());
    order.into_iter().map(|idx| boards[idx].listed(serialnr(boards, idx))).collect()
}

/// A number that is a board's own: its serial number; where it has none of five or ten digits, or
/// another board tells the same, its place in the settings.
pub fn serialnr(boards: &[Arc<Live>], idx: usize) -> String {
    let serial = &boards[idx].serial;
    let is_number =
        matches!(serial.len(), 5 | 10) && serial.bytes().all(|byte| byte.is_ascii_digit());
    let is_own = boards.iter().filter(|live| live.serial == *serial).count() == 1;
    if is_number && is_own { serial.clone() } else { format!("{:05}", 90_001 + idx) }
}

/// The position from which a program wants to be told moves.
#[derive(Clone, Debug)]
struct Setup {
    fen: String,
    position: Chess,
}

/// What a program has been told of a board.
#[derive(Clone, Debug, Default)]
struct ToldBoard {
    board: Option<String>,
    clock: Option<ClockTold>,
    sans: Vec<String>,
    does_match: bool,
    /// The game in which the position of the setup was found, and behind how many half-moves.
    found: Option<(usize, usize)>,
    /// The game on record whose moves are not told: the pieces have been set back to the position
    /// of the setup.
    left: Option<usize>,
}

/// Both times in seconds, and whose time runs.
type ClockTold = (u64, u64, Option<Color>);

/// A feed that a program has asked for.
#[derive(Clone, Debug)]
struct AskedFeed {
    id: Value,
    /// The board; `None` for all.
    board: Option<usize>,
    is_flipped: bool,
    setup: Option<Setup>,
    told: BTreeMap<usize, ToldBoard>,
}

/// The dialogue with one program.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    feeds: Vec<AskedFeed>,
}

impl Dialogue {
    /// What is said to a call, `ms` after 1970.
    pub fn hear(&mut self, text: &str, boards: &[Arc<Live>], ms: i64) -> Vec<String> {
        let call: Value = serde_json::from_str(text).unwrap_or_default();
        let id = &call["id"];
        let mut events = Vec::new();
        let answer = match self.obey(&call, boards, &mut events) {
            Ok(answer) => said("call", id, answer, ms),
            Err(message) => said("error", id, Refusal { message }, ms),
        };
        let events = events.into_iter().map(|(id, event)| said("feed", &id, event, ms));
        [answer].into_iter().chain(events).collect()
    }

    /// What is said because the board at `idx` has changed.
    pub fn follow(&mut self, idx: usize, boards: &[Arc<Live>], ms: i64) -> Vec<String> {
        let of_it = self.feeds.iter_mut().filter(|feed| feed.board.is_none_or(|it| it == idx));
        let news = of_it.flat_map(|feed| {
            let id = feed.id.clone();
            feed.news(idx, boards).into_iter().map(move |event| said("feed", &id, event, ms))
        });
        news.collect()
    }

    fn obey<'a>(
        &mut self,
        call: &Value,
        boards: &'a [Arc<Live>],
        events: &mut Vec<(Value, BoardEvent)>,
    ) -> Result<CallAnswer<'a>, String> {
        let param = &call["param"];
        match call["call"].as_str() {
            Some("eboards") => Ok(CallAnswer::Boards(listed(boards))),
            Some("subscribe") => {
                events.extend(self.subscribe(call, boards)?);
                Ok(CallAnswer::Done)
            }
            Some("unsubscribe") => self.unsubscribe(&param["id"]),
            Some("call") if param["method"] == "unsubscribe" => self.unsubscribe(&param["id"]),
            Some("call") => {
                let feed = self.feeds.iter_mut().find(|feed| is_same(&feed.id, &param["id"]));
                let feed = feed.ok_or("no feed has this id; subscribe first")?;
                feed.call(param["method"].as_str().unwrap_or_default(), &param["param"])?;
                events.extend(feed.all_news(boards));
                Ok(CallAnswer::Done)
            }
            Some(other) => Err(format!(
                "there is no call {other:?}; known are eboards, subscribe, unsubscribe and call"
            )),
            None => Err("write {\"id\": 1, \"call\": \"eboards\"}".to_owned()),
        }
    }

    /// Follows a feed from now on. The events that it begins with.
    fn subscribe(
        &mut self,
        call: &Value,
        boards: &[Arc<Live>],
    ) -> Result<Vec<(Value, BoardEvent)>, String> {
        let param = &call["param"];
        if param["feed"] != "eboardevent" {
            return Err("there is no such feed; known is eboardevent".to_owned());
        }
        let board = match &param["param"]["serialnr"] {
            Value::Null => None,
            wanted => {
                let wanted = wanted.as_str().map_or_else(|| wanted.to_string(), str::to_owned);
                let found = (0..boards.len()).find(|idx| serialnr(boards, *idx) == wanted);
                Some(found.ok_or("no board has this serialnr; call eboards")?)
            }
        };
        let id = if param["id"].is_null() { call["id"].clone() } else { param["id"].clone() };
        if id.to_string().len() > ID_MAX {
            return Err(format!("an id has at most {ID_MAX} characters"));
        }
        self.feeds.retain(|feed| !is_same(&feed.id, &id));
        if self.feeds.len() >= FEEDS_MAX {
            return Err(format!("{FEEDS_MAX} feeds are the most; unsubscribe some"));
        }
        let told = BTreeMap::new();
        let mut feed = AskedFeed { id, board, is_flipped: false, setup: None, told };
        let events = feed.all_news(boards);
        self.feeds.push(feed);
        Ok(events)
    }

    fn unsubscribe(&mut self, id: &Value) -> Result<CallAnswer<'static>, String> {
        let n = self.feeds.len();
        self.feeds.retain(|feed| !is_same(&feed.id, id));
        let is_gone = self.feeds.len() < n;
        is_gone.then_some(CallAnswer::Done).ok_or_else(|| "no feed has this id".to_owned())
    }
}

/// Whether two ids are one. Some programs send a number once and its text another time.
fn is_same(a: &Value, b: &Value) -> bool {
    let text = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    text(a) == text(b)
}

impl AskedFeed {
    /// Obeys a call to this feed.
    fn call(&mut self, method: &str, param: &Value) -> Result<(), String> {
        match (method, &param["flip"], &param["fen"]) {
            // One program sends its flip as a setup.
            ("flip" | "setup", Value::Bool(flip), _) => {
                self.is_flipped = *flip;
                self.told.values_mut().for_each(|told| told.board = None);
                Ok(())
            }
            ("setup", _, Value::String(fen)) => {
                let wrong = |e: &dyn std::fmt::Display| format!("{fen:?} is no position: {e}");
                let read: Fen = fen.parse().map_err(|e| wrong(&e))?;
                // Some programs make it of what stands on the board, and claim all rights.
                let position = read
                    .into_position(CastlingMode::Chess960)
                    .or_else(PositionError::ignore_invalid_castling_rights)
                    .or_else(PositionError::ignore_invalid_ep_square)
                    .or_else(PositionError::ignore_too_much_material)
                    .or_else(PositionError::ignore_impossible_check);
                let position = position.map_err(|e| wrong(&e))?;
                self.setup = Some(Setup { fen: fen.clone(), position });
                self.told.clear();
                Ok(())
            }
            ("setup", ..) => Err("setup needs a fen".to_owned()),
            ("flip", ..) => Err("flip needs true or false".to_owned()),
            _ => Err(format!("there is no method {method:?}; known are setup, flip, unsubscribe")),
        }
    }

    /// The events of all boards that it is about, each with its id.
    fn all_news(&mut self, boards: &[Arc<Live>]) -> Vec<(Value, BoardEvent)> {
        let (id, about) = (self.id.clone(), self.board);
        let of_it = (0..boards.len()).filter(|idx| about.is_none_or(|it| it == *idx));
        let news = of_it.flat_map(|idx| self.news(idx, boards));
        news.map(|param| (id.clone(), param)).collect()
    }

    /// The events that tell of all that has changed, one half-move after the other.
    fn news(&mut self, idx: usize, boards: &[Arc<Live>]) -> Vec<BoardEvent> {
        let live = &boards[idx];
        let is_first = !self.told.contains_key(&idx);
        let board = live.placement.clone();
        let clock =
            live.clock.map(|it| (it.times.white.as_secs(), it.times.black.as_secs(), it.running));
        let told = self.told.entry(idx).or_default();
        let mut event = BoardEvent {
            serialnr: serialnr(boards, idx),
            flipped: self.is_flipped,
            board: None,
            clock: None,
            moves: None,
        };
        if is_first || board != told.board {
            let turned = |it: &String| if self.is_flipped { turned(it) } else { it.clone() };
            event.board = Some(board.as_ref().map(turned));
            told.board.clone_from(&board);
        }
        if is_first || clock != told.clock {
            event.clock = Some(live.clock.map(LiveClock::told));
            told.clock = clock;
        }
        let is_news = event.board.is_some() || event.clock.is_some();
        let Some(setup) = &self.setup else {
            return is_news.then_some(event).into_iter().collect();
        };
        told.left = setup.leaves(live, is_first, told.left);
        let (sans, end) = match told.left {
            Some(_) => (Vec::new(), setup.position.board().clone()),
            None => setup.moves(live, &mut told.found),
        };
        let does_match = board.is_some_and(|board| board == end.board_fen().to_string());
        if !is_news && sans == told.sans && does_match == told.does_match {
            return Vec::new();
        }
        let n_same = sans.iter().zip(&told.sans).take_while(|(a, b)| a == b).count();
        // Back to where both lists agree, then on by one.
        let next = (n_same + 1).max(sans.len().saturating_sub(CATCH_UP));
        let mut lens: Vec<usize> = (next..=sans.len()).collect();
        if n_same < told.sans.len() || lens.is_empty() {
            lens.insert(0, n_same);
        }
        if is_first {
            lens.insert(0, 0);
            lens.dedup();
        }
        (told.sans, told.does_match) = (sans, does_match);
        let events = lens.into_iter().map(|n| {
            let is_all = n == told.sans.len();
            let moves = SetupMoves {
                start: setup.fen.clone(),
                san: told.sans[..n].to_vec(),
                does_match: is_all && does_match,
            };
            BoardEvent { moves: Some(moves), ..event.clone() }
        });
        events.collect()
    }
}

impl Setup {
    /// The game on record, if its moves were played before the pieces came to stand as in the
    /// position: they do when the program names it, and the record goes on from there. It is so
    /// until they stand as the record has them, or another game is on record. A game that is over
    /// is none that a program follows which names where it began: that one waits for the next.
    fn leaves(&self, live: &Live, is_first: bool, left: Option<usize>) -> Option<usize> {
        let sheet = live.sheet.as_ref()?;
        let n_told = live.n_told.min(sheet.len());
        if live.is_over && (left == Some(live.game) || is_first && n_told > 0) {
            let is_begun = (1..=n_told).any(|n| self.is_at(sheet, n));
            return (!is_begun && self.is_at(sheet, 0)).then_some(live.game);
        }
        let stands = |there: &Board| {
            live.placement.as_ref().is_some_and(|it| *it == there.board_fen().to_string())
        };
        if stands(sheet.position(n_told).board()) {
            return None;
        }
        let leaves = match is_first {
            true => stands(self.position.board()) && (0..n_told).any(|n| self.is_at(sheet, n)),
            false => left == Some(live.game),
        };
        leaves.then_some(live.game)
    }

    /// Whether it is the position behind so many half-moves.
    fn is_at(&self, sheet: &ScoreSheet, n: usize) -> bool {
        let there = sheet.position(n);
        (there.board(), there.turn()) == (self.position.board(), self.position.turn())
    }

    /// The moves since the position, as far as programs can follow them, and the position behind
    /// them: up to a gap, or a move that the Laws do not allow.
    fn moves(&self, live: &Live, found: &mut Option<(usize, usize)>) -> (Vec<String>, Board) {
        let none = (Vec::new(), self.position.board().clone());
        let Some(sheet) = &live.sheet else { return none };
        let n_told = live.n_told.min(sheet.len());
        let is_it = |n: &usize| self.is_at(sheet, *n);
        let known = found.filter(|(game, n)| *game == live.game && *n <= n_told && is_it(n));
        *found = known.or_else(|| {
            let n = (0..=n_told).rev().find(is_it)?;
            Some((live.game, n))
        });
        let Some((_, from)) = *found else { return none };
        let gap = sheet.gaps().iter().find(|gap| gap.ply > from);
        let to = gap.map_or(n_told, |gap| gap.ply.min(n_told));
        let moves = sheet.moves()[from..to].iter().take_while(|it| !it.is_illegal);
        let sans: Vec<String> = moves.map(|it| it.san.to_string()).collect();
        let end = from + sans.len();
        let board = match gap {
            Some(gap) if gap.ply == end => gap.before.board(),
            _ => sheet.position(end).board(),
        };
        (sans, board.clone())
    }
}

/// The first field of a FEN, seen from the other side.
fn turned(placement: &str) -> String {
    let Ok(seen) = Placement::parse(placement) else { return placement.to_owned() };
    let mut turned = Placement::empty();
    for sq in Square::ALL {
        match seen.get(sq) {
            Reading::Empty => {}
            reading => turned.set(sq.rotate_180(), reading),
        }
    }
    turned.fen()
}
