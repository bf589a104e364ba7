//! The table of a scenario: board, clock, hands, and the game that watches them.

use super::Scenario;
use rokade::clock::{Change, ClockModel, Manner, PerMove, TimeControl};
use rokade::game::settings::ClockRole;
use rokade::game::{Clocked, Effect, Entry, Event, Game, Settings};
use rokade::laws::{
    Act, Bonus, ClockOrder, Clocks, Code, FlagWatch, FlagWitness, Impaired, PeriodCredit, Profile,
    Referee, Rules, Ruling, Terms, Venue, terms,
};
use rokade::table::{Placement, Reading};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::{ClockMessage, ClockTime, SideTime};
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{Board, ByColor, CastlingSide, Color, Move, Piece, Position, Role, Square};
use std::time::Duration;

/// Steps in which a clock runs.
const SECOND: Duration = Duration::from_secs(1);
/// Hands are slow: whoever takes a piece holds it, what is put down has been released, and what is
/// on the board stays there until it has been told.
const PAUSE: Duration = Duration::from_secs(6);
/// Between events in one touch window.
const JOINED: Duration = Duration::from_millis(10);

/// What is switched off at a table.
#[derive(Copy, Clone)]
pub(in super::super) enum Off<'a> {
    Nothing,
    /// Other rules hold than the profile's.
    Rule(&'a dyn Fn(Rules) -> Rules),
    /// Nothing is said under this code.
    Code(Code),
}

/// A table in play.
pub(super) struct Table {
    pub game: Game,
    clock: ClockModel,
    /// The time of the chess clock, which runs by `wait` alone.
    ticked: Mono,
    pub(super) now: Mono,
    /// Sensor time that no `wait` has accounted for yet.
    ahead: Duration,
    is_measured: bool,
    is_unnamed: bool,
    silent: Option<Code>,
    board: Board,
    /// The side whose end of the lever is up.
    on_move: Color,
    /// What went on record.
    pub(super) entries: Vec<Entry>,
    /// What was said, with the number of the event.
    pub said: Vec<(usize, Ruling)>,
    /// The first event whose words may be expected now.
    pub from: usize,
    pub event: usize,
    /// How far each kind of outcome has been found, in order.
    pub found: Vec<(String, usize)>,
}

fn seconds(value: &Value) -> Option<Duration> {
    value.as_f64().map(Duration::from_secs_f64)
}

fn color(word: &str) -> Result<Color, String> {
    match word {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err(format!("no side {word:?}")),
    }
}

fn both<T>(value: &Value, read: impl Fn(&Value) -> T) -> ByColor<T> {
    ByColor { white: read(&value["white"]), black: read(&value["black"]) }
}

fn period(value: &Value) -> terms::AnnouncedPeriod {
    terms::AnnouncedPeriod {
        moves: value["moves"].as_u64().and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0),
        time: seconds(&value["s"]).unwrap_or_default(),
        bonus: None,
    }
}

/// The terms that a scenario sets.
fn terms_of(scenario: &Scenario, edition: &str) -> Result<Terms, String> {
    let config = &scenario.config;
    let clock = &scenario.start["clock"];
    let word = |key: &str| config[key].as_str().unwrap_or_default();
    let wrong = |e: rokade::laws::UnknownName| e.to_string();
    let supervision = match word("supervision") {
        "" => "adequate",
        named => named,
    };
    let profile = Profile {
        edition: edition.parse().map_err(wrong)?,
        variant: scenario.variant.parse().map_err(wrong)?,
        supervision: supervision.parse().map_err(wrong)?,
    };
    let periods: Vec<_> =
        config["periods"].as_array().map_or_else(Vec::new, |all| all.iter().map(period).collect());
    let count = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    let per_move = seconds(&clock["per_move_s"]).filter(|span| !span.is_zero());
    let standard = Terms::default();
    Ok(Terms {
        profile,
        pace: match word("pace") {
            "" => None,
            named => Some(named.parse().map_err(wrong)?),
        },
        rest: seconds(&config["settle_s"]).unwrap_or(standard.rest),
        brush: seconds(&config["brush_s"]).unwrap_or(standard.brush),
        default_time: seconds(&config["default_time_s"]),
        periods: ByColor { white: periods.clone(), black: periods },
        credit: match word("period_credit") {
            "on_zero" => PeriodCredit::OnZero,
            _ => PeriodCredit::OnMoves,
        },
        period: clock["period"].as_u64().map_or(1, |n| n as usize),
        is_last_period: config["last_period"].as_bool().unwrap_or(false),
        bonus: per_move.map_or(Bonus::Nothing, Bonus::PerMove),
        completed: both(&clock["completed"], count),
        illegal_before: both(&config["illegal_before"], |value| count(value) as u8),
        not_pressed: seconds(&config["not_pressed_s"]),
        flag_witness: match word("flag_witness") {
            "authoritative" => FlagWitness::Authoritative,
            _ => FlagWitness::Advisory,
        },
        flag_watch: match word("flag_watch") {
            "full" => FlagWatch::Full,
            "none" => FlagWatch::Silent,
            _ => FlagWatch::Limited,
        },
        impaired: color(word("blind")).ok().map(|side| Impaired {
            side,
            n_boards: config["boards"].as_u64().map_or(1, |n| n as u8),
        }),
        array: config["array"].as_str().map(str::to_owned),
        venue: match config["arbiter_present"].as_bool() {
            Some(false) => Venue::WithoutArbiter,
            _ => Venue::WithArbiter,
        },
        no_draw_before: config["no_draw_before_move"].as_u64().map(|n| n as u32),
        guidelines: match &config["guidelines_iii"] {
            Value::String(part) => vec![part.clone()],
            Value::Bool(true) => vec!["III".to_owned()],
            list => super::strings(list),
        },
        sitting_left: seconds(&config["sitting_left_s"]),
        is_rotated: config["rotation"] == 180 || config["rotation"] == true,
        ..standard
    })
}

/// What may stand in a scenario's `config`.
const KNOWN: [&str; 24] = [
    "pace",
    "chess960",
    "settle_s",
    "brush_s",
    "rotation",
    "sensor",
    "supervision",
    "last_period",
    "periods",
    "period_credit",
    "default_time_s",
    "illegal_before",
    "not_pressed_s",
    "flag_witness",
    "flag_watch",
    "flag_order",
    "blind",
    "boards",
    "array",
    "arbiter_present",
    "no_draw_before_move",
    "guidelines_iii",
    "sitting_left_s",
    "illegal_counting",
];

fn unknown_setting(scenario: &Scenario) -> Option<&String> {
    let mut keys = scenario.config.as_object().into_iter().flat_map(|config| config.keys());
    keys.find(|key| !KNOWN.contains(&key.as_str()))
}

/// The clock of a scenario, set and not running.
fn clock_of(clock: &Value) -> Result<ClockModel, String> {
    let per_move = seconds(&clock["per_move_s"]).unwrap_or_default();
    let per_move = match clock["mode"].as_str().unwrap_or("none") {
        "none" => PerMove::Nothing,
        "fischer" => PerMove::Increment(per_move),
        "delay" => PerMove::Delay(per_move),
        other => return Err(format!("no clock mode {other:?}")),
    };
    let control = TimeControl::sudden_death(Duration::from_secs(7_200), per_move)
        .map_err(|e| e.to_string())?;
    let mut model = ClockModel::new(control, Manner::default());
    let left = |key: &str| seconds(&clock[key]).unwrap_or(Duration::from_secs(7_200));
    model.set_time(Mono(0), Color::White, left("white_s"));
    model.set_time(Mono(0), Color::Black, left("black_s"));
    Ok(model)
}

impl Table {
    /// The table as the scenario begins.
    pub(super) fn set(scenario: &Scenario, edition: &str) -> Result<Self, String> {
        Self::set_without(scenario, edition, Off::Nothing)
    }

    /// The same without a rule.
    pub(super) fn set_without(
        scenario: &Scenario,
        edition: &str,
        off: Off,
    ) -> Result<Self, String> {
        if let Some(key) = unknown_setting(scenario) {
            return Err(format!("no setting {key:?}"));
        }
        let fen = scenario.start["fen"].as_str().unwrap_or_default();
        let fen: Fen = fen.parse().map_err(|e| format!("{fen:?}: {e}"))?;
        let terms = terms_of(scenario, edition)?;
        let terms = match off {
            Off::Rule(swap) => Terms { instead: Some(swap(terms.rules())), ..terms },
            _ => terms,
        };
        let turn = fen.as_setup().turn;
        let board = fen.as_setup().board.clone();
        let settings = Settings {
            start: Some(fen),
            is_chess960: scenario.variant == "chess960" || scenario.config["chess960"] == true,
            terms: Some(terms),
            white_end: Some(rokade::table::End::Left),
            // A clock whose readings stand while nothing happens is one that is driven.
            clock_role: ClockRole::Driven,
            ..Settings::default()
        };
        let game = Game::new(settings);
        if game.referee().is_none() {
            return Err("the FEN is no position".to_owned());
        }
        let mut table = Self {
            game,
            clock: clock_of(&scenario.start["clock"])?,
            ticked: Mono(0),
            now: Mono::from_millis(1_000),
            ahead: Duration::ZERO,
            is_measured: !scenario.config["settle_s"].is_null(),
            is_unnamed: scenario.config["sensor"].as_str() == Some("occupancy"),
            silent: if let Off::Code(code) = off { Some(code) } else { None },
            board,
            on_move: turn,
            said: Vec::new(),
            entries: Vec::new(),
            from: 0,
            event: 0,
            found: Vec::new(),
        };
        let begins_with_setup = |event: &String| event.starts_with("setup");
        let is_before = scenario.events.first().is_some_and(begins_with_setup);
        let running = match scenario.start["clock"]["running"].as_str() {
            None if is_before => None,
            None => Some(turn),
            Some("none") => None,
            Some(word) => Some(color(word)?),
        };
        if !is_before {
            table.show_board();
        }
        if let Some(side) = running {
            table.clock.start(Mono(0), side);
        }
        table.show_clock();
        Ok(table)
    }

    pub(super) fn referee(&self) -> &Referee {
        self.game.referee().expect("a scenario has terms")
    }

    /// What the chess clock shows.
    pub(super) fn clocks(&self) -> Clocks {
        let left =
            ByColor { white: self.clock.left(Color::White), black: self.clock.left(Color::Black) };
        Clocks { left, running: self.clock.running() }
    }

    /// The event is over.
    pub(super) fn next_event(&mut self) {
        self.event += 1;
        self.found.clear();
    }

    fn handle(&mut self, event: &Event) {
        let at = Stamp { mono: self.now, wall: Wall(0) };
        let mut effects = Vec::new();
        self.game.handle(at, event, &mut effects);
        let is_heard = |ruling: &&Ruling| match ruling {
            Ruling::Log(note) => Some(note.code) != self.silent,
            _ => true,
        };
        let said = self.game.rulings().iter().filter(is_heard);
        self.said.extend(said.map(|ruling| (self.event, ruling.clone())));
        let mut is_set = false;
        for effect in effects {
            match effect {
                Effect::Clock(order) => {
                    self.set_clock(order);
                    is_set = true;
                }
                Effect::Record(entry) => self.entries.push(entry),
                _ => {}
            }
        }
        if is_set {
            self.show_clock();
        }
    }

    fn set_clock(&mut self, order: ClockOrder) {
        let at = self.ticked;
        match order {
            ClockOrder::Stop => self.clock.stop(at),
            ClockOrder::Run(side) => self.clock.start(at, side),
            ClockOrder::Set(side, span) => self.clock.set_time(at, side, span),
            ClockOrder::Add(side, span) | ClockOrder::Credit(side, span) => {
                self.clock.add(at, side, span)
            }
            ClockOrder::Subtract(side, span) => self.clock.subtract(at, side, span),
            ClockOrder::Increment(span) => self.clock.set_per_move(at, PerMove::Increment(span)),
            ClockOrder::Moves(_) => Vec::new(),
        };
    }

    /// The clock is read, and says what it shows to the millisecond.
    fn show_clock(&mut self) {
        let shown = self.clocks();
        let time = self.reading(shown);
        self.handle(&Event::Clock(ClockMessage::Time(time)));
        self.handle(&Event::Clocked(Clocked::Shows(shown)));
    }

    /// What a clock behind the board says of this.
    fn reading(&mut self, shown: Clocks) -> ClockTime {
        self.on_move = shown.running.unwrap_or(self.on_move);
        // That a flag is down a scenario says in words.
        let side = |color: Color| {
            let whole = shown.left[color].as_millis().div_ceil(1_000).max(1);
            SideTime::of_seconds(u32::try_from(whole).unwrap_or(u32::MAX))
        };
        ClockTime {
            left: side(Color::White),
            right: side(Color::Black),
            running: shown.running.is_some(),
            high: self.on_move.fold_wb(rokade::table::End::Left, rokade::table::End::Right),
            battery_low: false,
        }
    }

    /// The board is read as a whole.
    pub(super) fn show_board(&mut self) {
        let mut placement = Placement::from(self.board.clone());
        if self.is_unnamed {
            for sq in self.board.occupied() {
                placement.set(sq, Reading::Something);
            }
        }
        self.handle(&Event::Pictured(placement));
    }

    /// Sensor time passes; the chess clocks do not run.
    fn pass(&mut self, span: Duration) {
        let until = self.now + span;
        while let Some(due) = self.game.wake_at().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.handle(&Event::Timeout);
            let next = self.game.wake_at();
            assert!(next.is_none_or(|next| next > due), "{due} is due for ever");
        }
        self.now = until;
    }

    /// Nothing happens for a while; the chess clocks do not run.
    pub(super) fn idle(&mut self, span: Duration) {
        self.pass(span);
    }

    /// Time passes on the running clock; what the sensors took before is part of it.
    fn wait(&mut self, span: Duration) {
        let mut left = span;
        while !left.is_zero() {
            let step = left.min(SECOND);
            left -= step;
            let used = self.ahead.min(step);
            self.ahead -= used;
            self.pass(step - used);
            self.ticked = self.ticked + step;
            let changes = self.clock.advance(self.ticked);
            for change in changes {
                if let Change::FlagFell { by, .. } = change {
                    self.handle(&Event::Clocked(Clocked::Flag(by)));
                }
            }
            self.show_clock();
        }
    }

    fn sense(&mut self, sq: Square, piece: Option<Piece>, is_joined: bool) {
        match piece {
            Some(piece) => self.board.set_piece_at(sq, piece),
            None => self.board.discard_piece_at(sq),
        }
        let reading = match piece {
            None => Reading::Empty,
            Some(_) if self.is_unnamed => Reading::Something,
            Some(piece) => Reading::Piece(piece),
        };
        self.handle(&Event::Sensed(sq, reading));
        let span = match (self.is_measured, is_joined) {
            (true, _) => return,
            (false, true) => JOINED,
            (false, false) => PAUSE,
        };
        self.pass(span);
        self.ahead = span;
    }

    fn press(&mut self, by: Color) {
        self.clock.press(self.ticked, by);
        if self.on_move == by && self.clock.running().is_some() {
            // The lever goes over, which the reading tells.
            self.on_move = !by;
        } else {
            self.handle(&Event::Pressed(by));
        }
        self.show_clock();
    }

    /// An impaired player says his move.
    fn announce(&mut self, by: Color, m: Move) {
        if self.referee().terms().impaired.is_none_or(|impaired| impaired.side != by) {
            return;
        }
        let piece = match m.promotion() {
            None => "",
            Some(Role::Queen) => " queen",
            Some(Role::Rook) => " rook",
            Some(Role::Bishop) => " bishop",
            Some(_) => " knight",
        };
        let spaced = |sq: Square| format!("{} {}", sq.file().char(), sq.rank().char());
        let words = match m.castling_side() {
            Some(CastlingSide::KingSide) => "short castling".to_owned(),
            Some(CastlingSide::QueenSide) => "long castling".to_owned(),
            None => format!("{} {}{piece}", spaced(first_lifted(m)), spaced(m.to())),
        };
        self.handle(&Event::Act(Act::Announced { by, words }));
    }

    /// Plays legal moves the ordinary way.
    fn play_moves(&mut self, sans: &str) -> Result<(), String> {
        for text in sans.split_whitespace() {
            let pos = self.referee().position().clone();
            let san: SanPlus = text.parse().map_err(|e| format!("{text}: {e}"))?;
            let m = san.san.to_move(&pos).map_err(|e| format!("{text}: {e}"))?;
            let by = pos.turn();
            let mut after = pos.clone();
            after.play_unchecked(m);
            let changed: Vec<Square> = Square::ALL
                .into_iter()
                .filter(|sq| pos.board().piece_at(*sq) != after.board().piece_at(*sq))
                .collect();
            self.announce(by, m);
            let first = first_lifted(m);
            let mut lifts: Vec<Square> = changed
                .iter()
                .copied()
                .filter(|sq| pos.board().piece_at(*sq).is_some() && *sq != first)
                .collect();
            lifts.insert(0, first);
            for sq in lifts {
                self.sense(sq, None, false);
            }
            for sq in changed {
                if let Some(piece) = after.board().piece_at(sq) {
                    self.sense(sq, Some(piece), false);
                }
            }
            if self.referee().result().is_none() {
                self.press(by);
            }
            if self.is_measured {
                // Moves in one word are not what is measured: nobody answers at once.
                self.pass(PAUSE);
            }
        }
        Ok(())
    }

    /// One event of the scenario.
    pub(super) fn play(&mut self, event: &str, is_joined: bool) -> Result<(), String> {
        self.from = self.event;
        let (verb, rest) = event.split_once(' ').unwrap_or((event, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let word = |idx: usize| words.get(idx).copied().unwrap_or_default();
        let square = || word(0).parse::<Square>().map_err(|e| format!("{:?}: {e}", word(0)));
        match verb {
            "lift" | "lift+" => self.sense(square()?, None, is_joined),
            "place" | "place+" | "swap" => {
                let letter = word(1).chars().next().unwrap_or(' ');
                let piece = Piece::from_char(letter).ok_or(format!("no piece {letter:?}"))?;
                self.sense(square()?, Some(piece), is_joined);
            }
            "press" => self.press(color(word(0))?),
            "wait" => {
                self.from = self.event.saturating_sub(1);
                let span = word(0).parse().map_err(|e| format!("{e}"))?;
                self.wait(Duration::from_secs_f64(span));
            }
            "play" => self.play_moves(rest)?,
            "setup" => {
                let placement = Placement::parse(rest).map_err(|e| e.to_string())?;
                self.board = placement.known().clone();
                self.handle(&Event::Pictured(placement));
            }
            "flag" => self.handle(&Event::Clocked(Clocked::Flag(color(word(0))?))),
            "flags" => self.handle(&Event::Clocked(Clocked::FlagsUnknown)),
            "pause" if word(0) == "arbiter" => self.order("pause")?,
            "pause" => {
                self.clock.stop(self.ticked);
                self.handle(&Event::Act(Act::Stopped { by: color(word(0))? }));
                self.show_clock();
            }
            "start" => self.order("start")?,
            "scheduled" => self.handle(&Event::Act(Act::Scheduled)),
            "announce" | "seal" => {
                let by = color(word(0))?;
                let text = words[1..].join(" ");
                let act = if verb == "seal" {
                    Act::Sealed { by, text }
                } else {
                    Act::Announced { by, words: text }
                };
                self.handle(&Event::Act(act));
            }
            "player" => self.declare(&words)?,
            "arbiter" => {
                if word(0) == "restored" {
                    self.board = self.referee().target_board();
                    self.show_board();
                }
                self.order(rest)?;
            }
            _ => return Err(format!("no verb {verb:?}")),
        }
        if !self.is_measured && !["lift", "lift+", "place", "place+", "swap"].contains(&verb) {
            // What is not decided at once has its time between events.
            self.pass(PAUSE);
        }
        Ok(())
    }

    fn order(&mut self, words: &str) -> Result<(), String> {
        if words.starts_with("resume") {
            // What the sensors took before the clocks stood is no part of what runs now.
            self.ahead = Duration::ZERO;
        }
        let order = words.parse().map_err(|e: rokade::laws::UnknownName| e.to_string())?;
        let (author, reason) = ("arbiter".to_owned(), String::new());
        self.handle(&Event::Act(Act::Ordered { order, author, reason }));
        Ok(())
    }

    fn declare(&mut self, words: &[&str]) -> Result<(), String> {
        let wrong = |e: rokade::laws::UnknownName| e.to_string();
        let act = match words {
            ["both", "sign", score] => Act::Signed { score: score.parse().map_err(wrong)? },
            [side, rest @ ..] => {
                Act::Declared { by: color(side)?, said: rest.join(" ").parse().map_err(wrong)? }
            }
            [] => return Err("who?".to_owned()),
        };
        self.handle(&Event::Act(act));
        Ok(())
    }
}

/// Where White's king stands in `fen`.
pub(super) fn king_of_white(fen: &str) -> Option<Square> {
    fen.parse::<Fen>().ok()?.as_setup().board.king_of(Color::White)
}

/// The piece that a hand lifts first.
fn first_lifted(m: Move) -> Square {
    m.from().unwrap_or(m.to())
}
