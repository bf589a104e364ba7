//! Tapes and traces: files of JSON lines that say what a board sent, or what hands did to it.
//!
//! A *tape* holds the bytes of a real board. A *trace* holds the readings of the sensors and the
//! presses of the clock; a simulated board turns them into bytes. Both are read here, and a file
//! that is cut or malformed is refused with the number of the line and what was expected there.

use super::maker;
use crate::game::BoardKind;
use crate::game::settings::TimeControl;
use crate::relay::words;
use crate::table::{Reading, Sight, Word};
use crate::time::Mono;
use serde::{Deserialize, Serialize};
use shakmaty::fen::Fen;
use shakmaty::{Color, Square};
use std::fmt;

/// What the first line says of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// What the board can tell of a piece.
    pub sight: Sight,
    /// Whose board it is, if not one of DGT. Its clock stands beside it.
    pub maker: Option<BoardKind>,
    /// A clock is there.
    pub has_clock: bool,
    /// The position to start from, where the file names one.
    pub start: Option<Fen>,
    /// Castling and start position by the rules of Chess960.
    pub is_chess960: bool,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The event.
    pub event: String,
    /// The time control, where the program is to know it.
    pub time_control: Option<TimeControl>,
}

impl Header {
    /// A DGT board with its clock, and nothing known of the game.
    pub fn dgt() -> Self {
        Self { has_clock: true, ..Self::default() }
    }
}

/// One thing that happened at a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// Bytes arrived from a real board.
    Received(Vec<u8>),
    /// Bytes were sent to it.
    Sent(Vec<u8>),
    /// A sensor reads something else now.
    Sensed {
        /// The square of the sensor.
        sq: Square,
        /// What it shows now.
        reading: Reading,
        /// The message about it never arrives.
        is_lost: bool,
    },
    /// A player pressed the clock.
    Press(Color),
    /// The line is cut.
    LineDown,
    /// The line is whole again.
    LineUp,
    /// The board has no power from now on.
    PowerOff,
    /// It has again.
    PowerOn,
    /// The program that records is gone at once, as after `kill -9`.
    Killed,
    /// It is started again, and goes on from its record.
    Started,
    /// Another board stands there, with this serial number and the same pieces.
    Exchanged(String),
    /// Both sides of the clock stand still.
    ClockStopped,
    /// The arbiter sets the clock running for this player.
    Resume(Color),
    /// Nothing more comes.
    End,
}

/// A tape or a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The first line.
    pub header: Header,
    /// The rest, in the order of time.
    pub happenings: Vec<(Mono, Happening)>,
}

/// Why a file is no tape and no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what was expected.
    pub why: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for ScriptError {}

#[derive(Deserialize, Serialize)]
struct HeaderLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    tape: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<u32>,
    #[serde(default)]
    board: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    maker: Option<String>,
    #[serde(default)]
    clock: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(default)]
    chess960: bool,
    #[serde(default)]
    white: String,
    #[serde(default)]
    black: String,
    #[serde(default)]
    event: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time_control: Option<String>,
}

#[derive(Default, Deserialize, Serialize)]
struct BodyLine {
    t: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rx: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tx: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sq: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    press: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    power: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    daemon: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchanged: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arbiter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<bool>,
}

impl Script {
    /// Reads a whole file.
    ///
    /// # Errors
    /// The first line that cannot be read, and what was expected there.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut lines = text.lines().enumerate().map(|(idx, line)| (idx + 1, line));
        let (n, first) = lines.next().ok_or_else(|| ScriptError {
            line: 1,
            why: "the file is empty; expected a header such as {\"tape\":1} or {\"trace\":1}"
                .to_owned(),
        })?;
        let header = parse_header(first).map_err(|why| ScriptError { line: n, why })?;
        let mut happenings: Vec<(Mono, Happening)> = Vec::new();
        for (n, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |why: String| ScriptError { line: n, why };
            let (mut at, happening) = parse_line(line, header.sight).map_err(wrong)?;
            if happening == Happening::End {
                // The end comes last, even if a cable was still out when the last move was made.
                at = at.max(happenings.last().map_or(at, |(before, _)| *before));
            }
            if happenings.last().is_some_and(|(before, _)| *before > at) {
                return Err(wrong(format!(
                    "t is {}, less than in the line before; expected lines in the order of time",
                    at.millis()
                )));
            }
            happenings.push((at, happening));
        }
        Ok(Self { header, happenings })
    }

    /// The whole file, as [`Script::parse`] reads it. Times are cut to whole milliseconds.
    pub fn to_text(&self) -> String {
        let mut lines = vec![line_of(&self.header.to_line(self.is_tape()))];
        lines.extend(
            self.happenings.iter().map(|(at, what)| line_of(&what.to_line(*at, self.header.sight))),
        );
        lines.join("\n") + "\n"
    }

    /// Whether it holds a board's bytes, not the readings of its sensors.
    pub fn is_tape(&self) -> bool {
        self.happenings.iter().any(|(_, what)| matches!(what, Happening::Received(_)))
    }
}

impl Header {
    fn to_line(&self, is_tape: bool) -> HeaderLine {
        HeaderLine {
            tape: is_tape.then_some(1),
            trace: (!is_tape).then_some(1),
            board: Some(self.sight.word().to_owned()),
            maker: self.maker.map(|kind| maker::word(kind).to_owned()),
            clock: self.has_clock,
            start: self.start.as_ref().map(Fen::to_string),
            chess960: self.is_chess960,
            white: self.white.clone(),
            black: self.black.clone(),
            event: self.event.clone(),
            time_control: self.time_control.as_ref().map(TimeControl::to_string),
        }
    }
}

impl Happening {
    fn to_line(&self, at: Mono, sight: Sight) -> BodyLine {
        let line = BodyLine { t: at.millis(), ..BodyLine::default() };
        let some = |word: &str| Some(word.to_owned());
        match self {
            Self::Received(bytes) => BodyLine { rx: Some(hex(bytes)), ..line },
            Self::Sent(bytes) => BodyLine { tx: Some(hex(bytes)), ..line },
            Self::Sensed { sq, reading, is_lost } => BodyLine {
                sq: Some(sq.to_string()),
                p: Some(letter(*reading, sight)),
                lost: *is_lost,
                ..line
            },
            Self::Press(by) => BodyLine { press: some(by.word()), ..line },
            Self::LineDown => BodyLine { line: some("down"), ..line },
            Self::LineUp => BodyLine { line: some("up"), ..line },
            Self::PowerOff => BodyLine { power: some("off"), ..line },
            Self::PowerOn => BodyLine { power: some("on"), ..line },
            Self::Killed => BodyLine { daemon: some("killed"), ..line },
            Self::Started => BodyLine { daemon: some("started"), ..line },
            Self::Exchanged(serial) => BodyLine { exchanged: Some(serial.clone()), ..line },
            Self::ClockStopped => BodyLine { clock: some("stopped"), ..line },
            Self::Resume(turn) => {
                BodyLine { arbiter: some("resume"), turn: some(turn.word()), ..line }
            }
            Self::End => BodyLine { end: Some(true), ..line },
        }
    }
}

fn line_of<T: Serialize>(line: &T) -> String {
    serde_json::to_string(line).expect("a line is plain data")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse_header(line: &str) -> Result<Header, String> {
    let header: HeaderLine = serde_json::from_str(line).map_err(|e| {
        let e = complaint(&e);
        format!("expected a header such as {{\"tape\":1}} or {{\"trace\":1}}, but {e}")
    })?;
    match (header.tape, header.trace) {
        (Some(1), None) | (None, Some(1)) => {}
        (Some(n), None) | (None, Some(n)) => {
            return Err(format!("version {n} is not known; this program reads version 1"));
        }
        _ => return Err("expected either \"tape\":1 or \"trace\":1 in the header".to_owned()),
    }
    let start = match header.start {
        Some(fen) => Some(fen.parse().map_err(|e| format!("start {fen:?} is not a FEN: {e}"))?),
        None => None,
    };
    let parse = |text: String| text.parse::<TimeControl>().map_err(|e| e.to_string());
    let time_control = header.time_control.map(parse).transpose()?;
    let unknown = |name: String| if name == "?" { String::new() } else { name };
    let sight = match header.board {
        Some(word) => Sight::parse(&word)
            .ok_or_else(|| format!("no board is called {word:?}; known: dgt, color, reed"))?,
        None => Sight::Pieces,
    };
    let maker = match header.maker {
        Some(word) => Some(
            maker::parse(&word)
                .ok_or_else(|| format!("no maker is called {word:?}; known: {}", maker::names()))?,
        ),
        None => None,
    };
    Ok(Header {
        sight,
        maker,
        has_clock: header.clock,
        start,
        is_chess960: header.chess960,
        white: unknown(header.white),
        black: unknown(header.black),
        event: unknown(header.event),
        time_control,
    })
}

/// As records write it, but for the colors on a board that sees no more than those.
fn letter(reading: Reading, sight: Sight) -> String {
    match (sight, reading) {
        (Sight::Colors, Reading::Colored(color)) => color.char().to_string(),
        _ => words::letter(reading),
    }
}

fn parse_letter(letter: &str, sight: Sight) -> Result<Reading, String> {
    let color = match (sight, letter) {
        (Sight::Colors, "w") => Some(Color::White),
        (Sight::Colors, "b") => Some(Color::Black),
        _ => None,
    };
    color.map(Reading::Colored).or_else(|| words::parse_letter(letter)).ok_or_else(|| {
        let expected = match sight {
            Sight::Pieces => "a FEN letter",
            Sight::Colors => "w, b",
            Sight::Occupied => "x",
        };
        format!("{letter:?} is not a reading; expected {expected} or \"\"")
    })
}

fn parse_line(line: &str, sight: Sight) -> Result<(Mono, Happening), String> {
    let body: BodyLine = serde_json::from_str(line).map_err(|e| {
        format!("expected a record such as {{\"t\":12,\"rx\":\"8e...\"}}, but {}", complaint(&e))
    })?;
    let at = Mono::from_millis(body.t);
    let happening = if let Some(hex) = body.rx {
        Happening::Received(parse_hex(&hex)?)
    } else if let Some(hex) = body.tx {
        Happening::Sent(parse_hex(&hex)?)
    } else if let Some(sq) = body.sq {
        let letter = body.p.ok_or("expected \"p\" beside \"sq\": a piece letter, x or nothing")?;
        let reading = parse_letter(&letter, sight)?;
        let sq =
            sq.parse().map_err(|_| format!("{sq:?} is not a square; expected one such as e4"))?;
        Happening::Sensed { sq, reading, is_lost: body.lost }
    } else if let Some(side) = body.press {
        Happening::Press(parse_side(&side)?)
    } else if let Some(state) = body.line {
        match state.as_str() {
            "down" => Happening::LineDown,
            "up" => Happening::LineUp,
            _ => return Err(format!("line is {state:?}; expected \"down\" or \"up\"")),
        }
    } else if let Some(state) = body.power {
        match state.as_str() {
            "off" => Happening::PowerOff,
            "on" => Happening::PowerOn,
            _ => return Err(format!("power is {state:?}; expected \"off\" or \"on\"")),
        }
    } else if let Some(state) = body.daemon {
        match state.as_str() {
            "killed" => Happening::Killed,
            "started" => Happening::Started,
            _ => return Err(format!("daemon is {state:?}; expected \"killed\" or \"started\"")),
        }
    } else if let Some(serial) = body.exchanged {
        Happening::Exchanged(serial)
    } else if body.clock.as_deref() == Some("stopped") {
        Happening::ClockStopped
    } else if body.arbiter.as_deref() == Some("resume") {
        let turn = body.turn.ok_or("expected \"turn\" beside \"arbiter\"")?;
        Happening::Resume(parse_side(&turn)?)
    } else if body.end == Some(true) {
        Happening::End
    } else {
        let keys = "rx, tx, sq, press, line, power, daemon, exchanged, clock, arbiter, end";
        return Err(format!("expected one of {keys}"));
    };
    Ok((at, happening))
}

/// What JSON's reader has to say. It has seen one line only, and would call it the first.
fn complaint(e: &serde_json::Error) -> String {
    e.to_string().replace(" at line 1 column ", " at column ")
}

fn parse_side(side: &str) -> Result<Color, String> {
    Color::parse(side).ok_or_else(|| format!("{side:?} is not a player; expected white or black"))
}

fn parse_hex(hex: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
    if !digits.len().is_multiple_of(2) {
        return Err(format!("{} hex digits; expected two for each byte", digits.len()));
    }
    digits
        .chunks(2)
        .map(|pair| {
            let pair: String = pair.iter().collect();
            u8::from_str_radix(&pair, 16)
                .map_err(|_| format!("{pair:?} is not a byte; expected two hex digits"))
        })
        .collect()
}
