//! What most programs for such boards do, to be measured against: a picture of the board that has
//! been still for a moment, and is exactly one legal move away from the position before, is a move.
//!
//! The rule is given the very evidence that the tracker had: the readings and presses on record. It
//! is not fooled by what happens while the clock is stopped, and takes a promotion that no sensor
//! knows for a queen. What it cannot explain it ignores, until the board makes sense again.

use crate::game::{Basis, Entry, Fact, ScoreSheet};
use crate::table::{Placement, defaults};
use crate::time::{Mono, Stamp, Wall};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Move, Position, Role};
use std::time::Duration;

/// When the board is looked at.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// When it has been still for so long.
    Still(Duration),
    /// When the clock is pressed.
    Press,
}

impl Rule {
    /// The rule of that name: `still:` with milliseconds, or `press`.
    ///
    /// ```
    /// use rokade::sim::still::Rule;
    /// use std::time::Duration;
    /// assert_eq!(Rule::parse("still:300"), Some(Rule::Still(Duration::from_millis(300))));
    /// assert_eq!(Rule::parse("quick"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        match name.split_once(':') {
            Some(("still", ms)) => ms.parse().ok().map(Duration::from_millis).map(Self::Still),
            None if name == "press" => Some(Self::Press),
            _ => None,
        }
    }

    /// The game that this rule reads out of what is on record. `None` if no game was begun.
    pub fn read(self, entries: &[Entry]) -> Option<Read> {
        let mut reader = StillReader::begin(self);
        entries.iter().for_each(|entry| reader.take(entry));
        reader.rest_until(Mono(u64::MAX));
        let sheet = reader.sheet?;
        Some(Read { sheet, entries: reader.entries })
    }
}

/// A game as a rule reads it.
#[derive(Clone, Debug)]
pub struct Read {
    /// The game.
    pub sheet: ScoreSheet,
    /// The moves as they were found, after the beginning of the game.
    pub entries: Vec<Entry>,
}

defaults! {
    /// The rule at work.
    struct StillReader {
        given {
            rule: Rule,
        }
        sheet: Option<ScoreSheet>,
        entries: Vec<Entry>,
        seen: Placement,
        last_change: Mono,
        has_run: bool,
        is_stopped: bool,
    }
}

impl StillReader {
    fn take(&mut self, entry: &Entry) {
        let at = entry.at.mono;
        self.rest_until(at);
        match &entry.fact {
            Fact::GameStarted { fen, is_chess960, .. } => {
                self.begin_game(fen, CastlingMode::from_chess960(*is_chess960));
                self.entries.push(entry.clone());
            }
            Fact::Sensed { sq, reading } => {
                self.seen.set(*sq, *reading);
                self.last_change = at;
            }
            Fact::Pictured(picture) => {
                self.seen = picture.clone();
                self.last_change = at;
            }
            Fact::Pressed { .. } if self.rule == Rule::Press => self.look(at),
            Fact::Clock { running, .. } => {
                self.has_run |= running.is_some();
                self.is_stopped = self.has_run && running.is_none();
            }
            _ => {}
        }
    }

    fn begin_game(&mut self, fen: &str, mode: CastlingMode) {
        let fen: Fen = fen.parse().expect("a game on record begins with a FEN");
        let start: Chess = fen.into_position(mode).expect("a game on record begins legally");
        self.seen = Placement::from(start.board().clone());
        self.sheet = Some(ScoreSheet::new(start, mode));
        (self.has_run, self.is_stopped) = (false, false);
    }

    /// Nothing has changed up to `until`: looks at the board if it was still for long enough.
    fn rest_until(&mut self, until: Mono) {
        if let Rule::Still(rest) = self.rule
            && until.since(self.last_change) >= rest
        {
            self.look(self.last_change + rest);
        }
    }

    fn look(&mut self, at: Mono) {
        let Some(sheet) = self.sheet.as_mut().filter(|_| !self.is_stopped) else { return };
        let Some(m) = only_move(sheet.last(), &self.seen) else { return };
        let scored = sheet.push(m, Vec::new());
        let (uci, san) = (scored.uci.to_string(), scored.san.to_string());
        let fact = Fact::MoveMade {
            ply: sheet.len(),
            uci,
            san,
            is_illegal: false,
            basis: if self.rule == Rule::Press { Basis::Press } else { Basis::Quiet },
            alternatives: Vec::new(),
            released_before: at.since(self.last_change),
        };
        let wall = Wall(i64::try_from(at.0).unwrap_or(i64::MAX));
        self.entries.push(Entry { at: Stamp { mono: at, wall }, fact });
    }
}

/// The one legal move that leads to what is seen, if it is not there already.
fn only_move(pos: &Chess, seen: &Placement) -> Option<Move> {
    let is_likely = |m: &Move| m.promotion().is_none_or(|role| role == Role::Queen);
    let leads_there = |m: &Move| {
        let mut after = pos.clone();
        after.play_unchecked(*m);
        seen.differs(after.board()).is_empty()
    };
    if seen.differs(pos.board()).is_empty() {
        return None;
    }
    let found: Vec<Move> = pos.legal_moves().into_iter().filter(leads_there).collect();
    match found.as_slice() {
        [only] => Some(*only),
        several => {
            let mut likely = several.iter().filter(|m| is_likely(m));
            likely.next().copied().filter(|_| likely.next().is_none())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{Replay, Script};

    const HEADER: &str = r#"{"trace":1,"board":"dgt","clock":true}"#;

    /// The moves that each rule reads out of a trace.
    fn read(lines: &str) -> Vec<String> {
        let script = Script::parse(&format!("{HEADER}\n{lines}")).unwrap();
        let replay = Replay::run(&script);
        [Rule::Still(Duration::from_millis(100)), Rule::Still(Duration::from_millis(300))]
            .into_iter()
            .chain([Rule::Press])
            .map(|rule| {
                let sheet = rule.read(&replay.entries).unwrap().sheet;
                let moves: Vec<_> = sheet.moves().iter().map(|m| m.san.to_string()).collect();
                moves.join(" ")
            })
            .collect()
    }

    #[test]
    fn a_pawn_that_rests_on_its_way_fools_whoever_is_in_a_hurry() {
        let slid = r#"
{"t":3000,"sq":"e2","p":""}
{"t":3050,"sq":"e3","p":"P"}
{"t":3250,"sq":"e3","p":""}
{"t":3300,"sq":"e4","p":"P"}
{"t":3900,"press":"white"}
{"t":6000,"end":true}
"#;
        assert_eq!(read(slid), ["e3", "e4", "e4"]);
    }

    #[test]
    fn what_is_shown_with_the_clock_stopped_is_no_move() {
        let shown = r#"
{"t":3000,"sq":"e2","p":""}
{"t":3300,"sq":"e4","p":"P"}
{"t":3900,"press":"white"}
{"t":5000,"clock":"stopped"}
{"t":6000,"sq":"e7","p":""}
{"t":6300,"sq":"e5","p":"p"}
{"t":9000,"end":true}
"#;
        assert_eq!(read(shown), ["e4", "e4", "e4"]);
    }
}
