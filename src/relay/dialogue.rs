//! What programs say and hear that follow boards through LiveChess: the calls of its interface,
//! version 1.0, and the feed of a board's events (section 8 of `protocol.md`).
//!
//! A program names the position that its game has reached (`setup`) and from then on is told all
//! moves since, one more with each event, because some programs hold back two that come at once,
//! also of what one that comes late has missed. A list that gets shorter takes moves back. Moves
//! are those of the record as the public may see it: with a clock those that are completed.

use super::livechess::{ListedBoard, Live, LiveClock, ToldClock, listed_as, serialnr, stand_in};
use crate::game::ScoreSheet;
use crate::table::{Placement, Reading};
use serde::Serialize;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{Board, CastlingMode, Chess, Color, Position as _, PositionError, Square};
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many feeds a program may have.
const FEEDS_MAX: usize = 256;

/// The longest id of a feed, as text.
const ID_MAX: usize = 64;

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
#[derive(Clone, Debug, Default, Serialize)]
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

/// Where moves begin, all of them, and how many each event has.
type MoveSteps = (Arc<str>, Arc<[String]>, Vec<usize>);

/// What a feed has to tell of a board, one half-move after the other. Each event names all moves up
/// to its own, so they are made as they are told: a hall of long games would fill the memory.
#[derive(Clone, Debug)]
struct BoardNews {
    id: Value,
    event: BoardEvent,
    /// Without a setup none.
    moves: Option<MoveSteps>,
    /// Whether the board shows what is behind the last of them.
    does_match: bool,
}

impl BoardNews {
    /// As they are said, `ms` after 1970.
    fn said(self, ms: i64) -> impl Iterator<Item = String> + use<> {
        let Self { id, event, moves, does_match } = self;
        let lens = moves.as_ref().map_or_else(|| vec![0], |(_, _, lens)| lens.clone());
        lens.into_iter().map(move |n| {
            let moves = moves.as_ref().map(|(start, sans, _)| SetupMoves {
                start: start.to_string(),
                san: sans[..n].to_vec(),
                does_match: does_match && n == sans.len(),
            });
            said("feed", &id, BoardEvent { moves, ..event.clone() }, ms)
        })
    }
}

/// As one line of JSON.
fn said<P: Serialize>(response: &'static str, id: &Value, param: P, time: i64) -> String {
    serde_json::to_string(&ProgramMessage { response, id, param, time }).unwrap_or_default()
}

/// The position from which a program wants to be told moves.
#[derive(Clone, Debug)]
struct Setup {
    fen: Arc<str>,
    position: Chess,
}

/// What a program has been told of a board.
#[derive(Clone, Debug, Default)]
struct ToldBoard {
    board: Option<String>,
    clock: Option<ClockTold>,
    sans: Arc<[String]>,
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
    /// The numbers of the boards that were followed, as they were then: a board may tell its own
    /// later, and what a program has asked for keeps the name by which it knows it.
    names: BTreeMap<usize, String>,
}

impl Dialogue {
    /// What is said to a call, `ms` after 1970.
    pub fn hear(
        &mut self,
        text: &str,
        boards: &[Arc<Live>],
        ms: i64,
    ) -> impl Iterator<Item = String> + use<> {
        let call: Value = serde_json::from_str(text).unwrap_or_default();
        let id = &call["id"];
        let mut events = Vec::new();
        let answer = match self.obey(&call, boards, &mut events) {
            Ok(answer) => said("call", id, answer, ms),
            Err(message) => said("error", id, Refusal { message }, ms),
        };
        [answer].into_iter().chain(events.into_iter().flat_map(move |news| news.said(ms)))
    }

    /// What is said because the board at `idx` has changed.
    pub fn follow(
        &mut self,
        idx: usize,
        boards: &[Arc<Live>],
        ms: i64,
    ) -> impl Iterator<Item = String> + use<> {
        let name = self.name(idx, boards);
        let of_it = self.feeds.iter_mut().filter(|feed| feed.board.is_none_or(|it| it == idx));
        let news: Vec<_> = of_it.filter_map(|feed| feed.news(idx, &boards[idx], &name)).collect();
        news.into_iter().flat_map(move |news| news.said(ms))
    }

    /// The number by which this program knows a board.
    fn name(&self, idx: usize, boards: &[Arc<Live>]) -> String {
        let own = || {
            let name = serialnr(boards, idx);
            let is_taken = self.names.values().any(|known| *known == name);
            if is_taken { stand_in(idx) } else { name }
        };
        self.names.get(&idx).cloned().unwrap_or_else(own)
    }

    fn obey<'a>(
        &mut self,
        call: &Value,
        boards: &'a [Arc<Live>],
        events: &mut Vec<BoardNews>,
    ) -> Result<CallAnswer<'a>, String> {
        let param = &call["param"];
        match call["call"].as_str() {
            Some("eboards") => {
                Ok(CallAnswer::Boards(listed_as(boards, |idx| self.name(idx, boards))))
            }
            Some("subscribe") => {
                self.subscribe(call, boards)?;
                events.extend(self.all_news(self.feeds.len() - 1, boards));
                Ok(CallAnswer::Done)
            }
            Some("unsubscribe") => self.unsubscribe(&param["id"]),
            Some("call") if param["method"] == "unsubscribe" => self.unsubscribe(&param["id"]),
            Some("call") => {
                let at = self.feeds.iter().position(|feed| is_same(&feed.id, &param["id"]));
                let at = at.ok_or("no feed has this id; subscribe first")?;
                let method = param["method"].as_str().unwrap_or_default();
                self.feeds[at].call(method, &param["param"])?;
                events.extend(self.all_news(at, boards));
                Ok(CallAnswer::Done)
            }
            Some(other) => Err(format!(
                "there is no call {other:?}; known are eboards, subscribe, unsubscribe and call"
            )),
            None => Err("write {\"id\": 1, \"call\": \"eboards\"}".to_owned()),
        }
    }

    /// What the feed at this place has to tell of each board that it is about.
    fn all_news(&mut self, at: usize, boards: &[Arc<Live>]) -> Vec<BoardNews> {
        let about = self.feeds[at].board;
        let of_it = (0..boards.len()).filter(|idx| about.is_none_or(|it| it == *idx));
        let news = of_it.filter_map(|idx| {
            let name = self.name(idx, boards);
            let news = self.feeds[at].news(idx, &boards[idx], &name);
            self.names.insert(idx, name);
            news
        });
        news.collect()
    }

    /// Follows a feed from now on, which is the last one then.
    fn subscribe(&mut self, call: &Value, boards: &[Arc<Live>]) -> Result<(), String> {
        let param = &call["param"];
        if param["feed"] != "eboardevent" {
            return Err("there is no such feed; the only one is eboardevent".to_owned());
        }
        let board = match &param["param"]["serialnr"] {
            Value::Null => None,
            wanted => {
                let wanted = wanted.as_str().map_or_else(|| wanted.to_string(), str::to_owned);
                let found = self.find(&wanted, boards);
                let board = found.ok_or("no board has this serialnr; call eboards")?;
                self.names.entry(board).or_insert(wanted);
                Some(board)
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
        self.feeds.push(AskedFeed { id, board, is_flipped: false, setup: None, told });
        Ok(())
    }

    /// The board of this number: as the program knows it, as it is now, as the board has told it
    /// before, a short one before its long one, or as it was before the board had told any, which a
    /// program may have from the day before.
    fn find(&self, wanted: &str, boards: &[Arc<Live>]) -> Option<usize> {
        let all = 0..boards.len();
        let known = all.clone().find(|idx| self.name(*idx, boards) == wanted);
        let now = || all.clone().find(|idx| serialnr(boards, *idx) == wanted);
        let before = || all.clone().find(|idx| boards[*idx].serials.iter().any(|it| it == wanted));
        let early = || all.clone().find(|idx| stand_in(*idx) == wanted);
        known.or_else(now).or_else(before).or_else(early)
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
                let wrong = |e: &dyn std::fmt::Display| format!("{fen:?} is not a position: {e}");
                let read: Fen = fen.parse().map_err(|e| wrong(&e))?;
                // Some programs make it of what stands on the board, and claim all rights.
                let position = read
                    .into_position(CastlingMode::Chess960)
                    .or_else(PositionError::ignore_invalid_castling_rights)
                    .or_else(PositionError::ignore_invalid_ep_square)
                    .or_else(PositionError::ignore_too_much_material)
                    .or_else(PositionError::ignore_impossible_check);
                let position = position.map_err(|e| wrong(&e))?;
                self.setup = Some(Setup { fen: fen.as_str().into(), position });
                self.told.clear();
                Ok(())
            }
            ("setup", ..) => Err("setup needs a fen".to_owned()),
            ("flip", ..) => Err("flip needs true or false".to_owned()),
            _ => Err(format!("there is no method {method:?}; known are setup, flip, unsubscribe")),
        }
    }

    /// All that has changed at the board at `idx`, one half-move after the other.
    fn news(&mut self, idx: usize, live: &Live, name: &str) -> Option<BoardNews> {
        let is_first = !self.told.contains_key(&idx);
        let board = live.placement.clone();
        let clock =
            live.clock.map(|it| (it.times.white.as_secs(), it.times.black.as_secs(), it.running));
        let told = self.told.entry(idx).or_default();
        let mut event = BoardEvent {
            serialnr: name.to_owned(),
            flipped: self.is_flipped,
            ..BoardEvent::default()
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
        let id = self.id.clone();
        let Some(setup) = &self.setup else {
            return is_news.then_some(BoardNews { id, event, moves: None, does_match: false });
        };
        told.left = setup.leaves(live, is_first, told.left);
        let (sans, end) = match told.left {
            Some(_) => (Vec::new(), setup.position.board().clone()),
            None => setup.moves(live, &mut told.found),
        };
        let does_match = board.is_some_and(|board| board == end.board_fen().to_string());
        if !is_news && sans == *told.sans && does_match == told.does_match {
            return None;
        }
        let n_same = sans.iter().zip(&*told.sans).take_while(|(a, b)| a == b).count();
        // Back to where both lists agree, then on by one.
        let mut lens: Vec<usize> = (n_same + 1..=sans.len()).collect();
        if n_same < told.sans.len() || lens.is_empty() {
            lens.insert(0, n_same);
        }
        if is_first {
            lens.insert(0, 0);
            lens.dedup();
        }
        (told.sans, told.does_match) = (sans.into(), does_match);
        let moves = Some((Arc::clone(&setup.fen), Arc::clone(&told.sans), lens));
        Some(BoardNews { id, event, moves, does_match })
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
