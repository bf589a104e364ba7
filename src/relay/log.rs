//! The arbiter's log: one line for each move and each finding, with both clocks.

use super::words::plain;
use crate::clock::{ClockNote, Hms};
use crate::game::entry::{Basis, Fact, LinkState, Ruled};
use crate::game::{PairedFor, ScoreSheet};
use crate::laws::{Act, Code, Finding, FindingKind, Severity};
use crate::table::{Sight, Times, defaults};
use crate::track::legal;
use crate::track::line::CompletedBy;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Position as _, PositionError};
use std::time::Duration;

defaults! {
    /// Writes the lines of one board's log. Remembers the moves, because a completion names only
    /// the ply.
    #[derive(Clone, Debug)]
    pub struct Log {
        first: Number = Number { fullmove: 1, turn: Color::White },
        moves: Vec<String>,
        /// The same moves, as far as they can be played, for the names of others.
        sheet: ScoreSheet = ScoreSheet::new(Chess::default(), CastlingMode::Standard),
        /// What was said last of the clock: whether it runs.
        clock_runs: Option<bool>,
        /// What the referee has said since the last move, that the record may have found as well.
        ruled: Vec<Code>,
        /// Who puts on record what comes next.
        entered: Option<String>,
    }
}

#[derive(Copy, Clone, Debug)]
struct Number {
    fullmove: usize,
    turn: Color,
}

impl Log {
    /// The line for `fact`; `None` for what is evidence and not news, such as a sensor's reading.
    /// Characters that would steer a terminal, or break the line, are shown by their numbers.
    pub fn line(&mut self, fact: &Fact) -> Option<String> {
        self.text(fact).map(|text| plain(&text).into_owned())
    }

    fn text(&mut self, fact: &Fact) -> Option<String> {
        Some(match fact {
            Fact::GameStarted { fen, is_chess960, white, black, event, round, .. } => {
                self.begin(fen, *is_chess960);
                let event = [event.as_str(), round].join(" ");
                let names = format!("{} - {}", name(white, "White"), name(black, "Black"));
                format!("game       {names}  {event}").trim_end().to_owned()
            }
            Fact::MoveMade { .. } => return self.made(fact),
            Fact::MoveRetracted { ply } => self.withdrawn(*ply),
            Fact::Gap { .. } | Fact::GapClosed { .. } | Fact::Began { .. } => {
                return self.unseen(fact);
            }
            Fact::MoveMarked { ply, alternatives } => self.uncertain(*ply, alternatives),
            Fact::MoveCompleted { ply, by, times, .. } => {
                let line = format!("completed  {:<16}{}", self.numbered(*ply), clocks(*times));
                self.ruled.clear();
                let by = match by {
                    CompletedBy::Press => "",
                    CompletedBy::Reply => "  (by the reply)",
                    CompletedBy::GameEnd => "  (by the end of the game)",
                };
                format!("{}{by}", line.trim_end())
            }
            Fact::IllegalMove { finding, .. }
            | Fact::Found(finding)
            | Fact::PositionLost(finding) => return self.found(finding),
            Fact::Ended(ending) => {
                format!("result     {} {}", ending.outcome.as_str(), ending.reason)
            }
            Fact::Reopened(ending) => {
                let (result, reason) = (ending.outcome.as_str(), ending.reason);
                format!("reopened   {result} {reason} is withdrawn; the game goes on")
            }
            Fact::GameClosed => "closed     without a result; another game begins".to_owned(),
            Fact::Clock { is_connected: false, .. } => {
                self.clock_runs = None;
                "clock      not connected".to_owned()
            }
            Fact::Clock { running, times, .. } => {
                if self.clock_runs.replace(running.is_some()) == Some(running.is_some()) {
                    return None;
                }
                let state = match running {
                    Some(color) => format!("runs for {color}"),
                    None => "stopped".to_owned(),
                };
                format!("clock      {state:<16}{}", clocks(*times)).trim_end().to_owned()
            }
            Fact::TimeControl(control) => format!("control    {control}"),
            Fact::ClockNote(note) => noted(note),
            Fact::Link(_) | Fact::Identified { .. } | Fact::Sees(_) => of_board(fact)?,
            Fact::Record(keeping) => {
                let label = if keeping.is_loss() { "RECORD    " } else { "record    " };
                format!("{label} {keeping} {}", keeping.code())
            }
            Fact::Ruled(ruled) => {
                self.ruled.extend(ruled.code.filter(|code| code.severity() != Severity::GameOver));
                return ruling(ruled);
            }
            _ => return self.of_people(fact),
        })
    }

    /// Moves that nobody saw, and beginnings.
    fn unseen(&mut self, fact: &Fact) -> Option<String> {
        let after = |log: &Self, ply: usize| match ply {
            0 => "before the first move".to_owned(),
            _ => format!("after {}", log.numbered(ply)),
        };
        Some(match fact {
            Fact::Gap { ply, fen, n } => {
                let after = after(self, *ply);
                self.truncate(*ply);
                if let Some(pos) = position(fen, self.sheet.mode())
                    && self.sheet.len() == *ply
                {
                    self.sheet.open_gap(pos, *n);
                }
                let last = self.sheet.gaps().last();
                if last.is_some_and(|gap| self.sheet.is_open_end(gap)) {
                    return Some(format!("GAP        {n} not known {after}, the last on record"));
                }
                format!("GAP        {n} not known {after}; the record goes on from {fen}")
            }
            Fact::GapClosed { ply } => {
                self.truncate(*ply);
                self.sheet.close_gap();
                format!("gap        closed {}", after(self, *ply))
            }
            Fact::Began { fen, is_joined } => {
                self.begin(fen, self.sheet.mode() == CastlingMode::Chess960);
                match is_joined {
                    true => {
                        format!("JOINED     the beginning was not seen; the record is from {fen}")
                    }
                    false => format!("begins     from {fen}"),
                }
            }
            _ => return None,
        })
    }

    /// What people at the table do and say.
    fn of_act(&mut self, act: &Act) -> String {
        let line = match act {
            Act::Ordered { order, author, reason } => {
                return format!(
                    "order      {order} by {}{}",
                    name(author, "arbiter"),
                    because(reason)
                );
            }
            Act::Declared { by, said } => format!("says       {by} {said}"),
            Act::Signed { score } => format!("signed     {score}"),
            Act::Announced { by, words } => format!("announces  {by} {words}"),
            Act::Sealed { by, text } if text.is_empty() => format!("seals      {by}"),
            Act::Sealed { by, text } => format!("envelope   {text} by {by}"),
            Act::Stopped { by } => format!("clock      stopped by {by}"),
            Act::Scheduled => "scheduled  the announced start".to_owned(),
        };
        self.by_hand(line)
    }

    /// What is entered at a table, and what is asked of people there.
    fn of_people(&mut self, fact: &Fact) -> Option<String> {
        Some(match fact {
            Fact::Act(act) => self.of_act(act),
            Fact::Weighed(_) => return None,
            Fact::Entered { author, reason } => {
                self.entered = Some(format!(", entered by {author}{}", because(reason)));
                return None;
            }
            Fact::Paired { pairing, holds, author, reason } => {
                let of = match holds {
                    PairedFor::Next => "",
                    PairedFor::Current => "  (the game that has begun)",
                    PairedFor::Anew => "  (the next game; what was played of it does not count)",
                    PairedFor::Later => {
                        "  (the next game; the current one stays as it is: use --now if it was \
                         meant)"
                    }
                };
                let by = match author.as_str() {
                    "" => String::new(),
                    author => format!(" by {author}{}", because(reason)),
                };
                format!("paired     {pairing}{by}{of}")
            }
            Fact::ClockDue { what, times } => {
                let shows = times.map_or_else(String::new, |times| {
                    let [white, black] = [times.white, times.black].map(hms);
                    format!("; then it shows white {white}, black {black}")
                });
                format!("BY HAND    the clock: {what}{shows}")
            }
            Fact::Flag { side: Some(side) } => format!("flag       {side}"),
            Fact::Flag { side: None } => "flag       both, order unknown".to_owned(),
            _ => return None,
        })
    }

    /// A finding, unless the referee has spoken of the matter: its word cites row and article.
    fn found(&mut self, finding: &Finding) -> Option<String> {
        let is_it = |code: &Code| {
            let is_disorder = matches!(finding.kind, FindingKind::Displaced { .. });
            code.word() == finding.code()
                || is_disorder && matches!(code, Code::OutOfTurn | Code::SecondMove)
        };
        match self.ruled.iter().position(is_it) {
            Some(idx) => {
                self.ruled.swap_remove(idx);
                None
            }
            None => Some(told(finding)),
        }
    }

    /// What was put on record by a person, with his name.
    fn by_hand(&mut self, line: String) -> String {
        line + &self.entered.take().unwrap_or_default()
    }

    fn made(&mut self, fact: &Fact) -> Option<String> {
        let Fact::MoveMade { ply, uci, san, is_illegal, basis, alternatives, .. } = fact else {
            return None;
        };
        self.truncate(ply.saturating_sub(1));
        self.moves.push(san.clone());
        self.play(uci, *is_illegal);
        let numbered = self.numbered(*ply);
        let why = match basis {
            _ if *is_illegal => return Some(format!("STANDS     {numbered:<16}illegal, answered")),
            _ if !alternatives.is_empty() => return Some(self.uncertain(*ply, alternatives)),
            // The line about its completion comes at once.
            Basis::Press | Basis::Reply => return None,
            Basis::Quiet => "the board is still",
            Basis::Gap => "found after a gap",
            Basis::Memory => "from the board's own memory",
            Basis::Later => "told by later moves",
            Basis::Order => "by the arbiter's order",
        };
        Some(format!("made       {numbered:<16}{why}"))
    }

    fn withdrawn(&mut self, ply: usize) -> String {
        let rest = if self.moves.len() > ply { " and what followed" } else { "" };
        let line = format!("withdrawn  {}{rest}", self.numbered(ply));
        self.truncate(ply.saturating_sub(1));
        line
    }

    /// A move that may have been another one, in the same notation, or that no longer may.
    fn uncertain(&self, ply: usize, alternatives: &[String]) -> String {
        if alternatives.is_empty() {
            return format!("settled    {:<16}by later moves", self.numbered(ply));
        }
        // Moves before that could not be played leave no position to name them from.
        let before = ply.checked_sub(1).filter(|n| *n <= self.sheet.len());
        let san = |uci: &String| {
            let m = legal::read(&uci.parse().ok()?, self.sheet.position(before?)).ok()?;
            Some(SanPlus::from_move(self.sheet.position(before?).clone(), m).to_string())
        };
        let others: Vec<String> =
            alternatives.iter().map(|uci| san(uci).unwrap_or_else(|| uci.clone())).collect();
        format!("UNCERTAIN  {:<16}or {}", self.numbered(ply), others.join(", "))
    }

    fn truncate(&mut self, n: usize) {
        self.moves.truncate(n);
        self.sheet.truncate(n);
    }

    fn play(&mut self, uci: &str, is_illegal: bool) {
        let Ok(uci) = uci.parse::<UciMove>() else { return };
        if self.sheet.len() + 1 != self.moves.len() {
            return;
        }
        if is_illegal {
            self.sheet.illegal_move(&uci).map(|m| self.sheet.push_illegal(m).m);
        } else {
            legal::read(&uci, self.sheet.last()).ok().map(|m| self.sheet.push(m, Vec::new()).m);
        }
    }

    fn begin(&mut self, fen: &str, is_chess960: bool) {
        let setup = fen.parse::<Fen>().unwrap_or_default().into_setup();
        self.first = Number { fullmove: setup.fullmoves.get() as usize, turn: setup.turn };
        self.moves.clear();
        let mode = CastlingMode::from_chess960(is_chess960);
        self.sheet = ScoreSheet::new(position(fen, mode).unwrap_or_default(), mode);
        self.ruled.clear();
    }

    /// A move with its number: `12. Nf3`, `12... Nc6`.
    fn numbered(&self, ply: usize) -> String {
        let san = ply.checked_sub(1).and_then(|idx| self.moves.get(idx));
        let idx = ply.saturating_sub(1);
        let gap = self.sheet.gaps().iter().rfind(|gap| gap.ply <= idx).map(|gap| gap.ply);
        let (from, first) = match gap.map(|ply| (ply, self.sheet.position(ply))) {
            Some((ply, pos)) => {
                let fullmove = pos.fullmoves().get() as usize;
                (ply, Number { fullmove, turn: pos.turn() })
            }
            None => (0, self.first),
        };
        let plies = idx - from + usize::from(first.turn.is_black());
        let dots = if plies.is_multiple_of(2) { "." } else { "..." };
        let number = first.fullmove + plies / 2;
        format!("{number}{dots} {}", san.map_or("?", String::as_str))
    }
}

/// The position that `fen` names; `None` if it is none.
fn position(fen: &str, mode: CastlingMode) -> Option<Chess> {
    let pos = fen.parse::<Fen>().ok()?.into_position(mode);
    pos.or_else(PositionError::ignore_too_much_material).ok()
}

/// What is known of the board and the line to it.
fn of_board(fact: &Fact) -> Option<String> {
    let said = match fact {
        Fact::Link(LinkState::Live) => "connected".to_owned(),
        Fact::Link(LinkState::Lost) => "connection lost".to_owned(),
        Fact::Link(LinkState::Absent) => "not found".to_owned(),
        // Whatever a board calls itself, it is text.
        Fact::Identified { serial } => {
            format!("serial number {}", serial.trim_end().escape_debug())
        }
        Fact::Sees(Sight::Pieces) => "names its pieces".to_owned(),
        Fact::Sees(Sight::Colors) => "tells only the color of a piece".to_owned(),
        Fact::Sees(Sight::Occupied) => {
            "shows only which squares are occupied; what stands there is worked out".to_owned()
        }
        _ => return None,
    };
    Some(format!("board      {said}"))
}

/// A ruling, if it is more than evidence.
fn ruling(ruled: &Ruled) -> Option<String> {
    let label = match ruled.code {
        Some(code) => label(code.severity()),
        None if ruled.text.starts_with("touched ") => return None,
        None => "ruling    ",
    };
    let by = ruled.by.map_or_else(String::new, |by| format!("{by}: "));
    let article = ruled.article().map_or_else(String::new, |article| format!(" [{article}]"));
    Some(format!("{label} {by}{}{article}", ruled.text))
}

fn noted(note: &ClockNote) -> String {
    let article = note.article().map(|article| format!(" [Art. {article}, Laws of 2023]"));
    format!("clock      {note}{} {}", article.unwrap_or_default(), note.code())
}

fn told(finding: &Finding) -> String {
    let label = label(finding.severity());
    format!("{label} {finding} {}", finding.code())
}

fn label(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note      ",
        Severity::Notice => "notice    ",
        Severity::Claim => "claim     ",
        Severity::Irregularity => "IRREGULAR ",
        Severity::GameOver => "game over ",
    }
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}

fn name<'a>(name: &'a str, otherwise: &'a str) -> &'a str {
    if name.is_empty() { otherwise } else { name }
}

fn clocks(times: Option<Times>) -> String {
    times.map_or_else(String::new, |times| {
        format!("white {}  black {}", hms(times.white), hms(times.black))
    })
}

/// Hours, minutes and seconds: `1:29:57`.
///
/// ```
/// use std::time::Duration;
/// assert_eq!(rokade::relay::log::hms(Duration::from_secs(5397)), "1:29:57");
/// ```
pub fn hms(span: Duration) -> String {
    Hms(span.as_secs()).to_string()
}
