//! From what is on record back to the game, after a crash, a power cut or a restart.

use super::entry::{Basis, Entry, Fact, LinkState};
use super::machine::{Before, Game, Minutes};
use super::own_board::OwnBoard;
use super::play::Play;
use super::recorder::{LastRead, Legacy};
use super::score::ScoreSheet;
use super::settings::Settings;
use super::trail::Trail;
use crate::board::Known;
use crate::laws::{Ending, Finding, FindingKind};
use crate::table::{End, Sight, Times};
use crate::time::Mono;
use crate::track::legal;
use crate::track::line::CompletedBy;
use crate::wire::Orientation;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, CastlingMode, Chess, Color, Position as _, PositionError};
use std::time::Duration;

/// A recorded fact that cannot be: the record was written by something else, or damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecoverError {
    /// Which fact, counted from 0.
    pub index: usize,
    /// What is wrong with it.
    pub why: String,
}

impl std::fmt::Display for RecoverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record {}: {}", self.index + 1, self.why)
    }
}

impl std::error::Error for RecoverError {}

/// The last game in a record.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    game: Option<(ScoreSheet, Option<Ending>)>,
    /// It was closed without a result.
    is_closed: bool,
    last_at: Mono,
    link: LinkState,
    /// Whether a clock has run in this game.
    has_clock: bool,
    /// The times that were recorded last, whose time ran then, and when.
    times: Option<(Times, Option<Color>, Mono)>,
    /// When the clock was pressed since then.
    presses: Vec<Mono>,
    /// How long ago the last entry was made.
    gone: Option<Duration>,
    /// What the referee was told of.
    minutes: Minutes,
    /// What was heard of the board last.
    trail: Trail,
    /// How the board lies and which end of the clock is White's.
    seats: Option<(Orientation, End)>,
    /// Serial numbers of the board, in the order in which they were told.
    serials: Vec<String>,
    /// Whose board it was.
    own_board: OwnBoard,
    /// What the board was found to tell of a piece.
    sight: Option<Sight>,
}

/// What is on record of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockOnRecord {
    /// The times when it was last known to go.
    pub times: Times,
    /// Whose time ran, or will.
    pub turn: Color,
    /// How many moves each player has completed.
    pub completed: ByColor<u32>,
}

impl Recovered {
    /// Takes the next recorded entry. One that tells what cannot be is passed over, and those
    /// behind it are taken as far as they can be.
    ///
    /// # Errors
    /// The fact names a move that is not legal, a ply that is not there, or no position.
    pub fn fold(&mut self, index: usize, entry: &Entry) -> Result<(), RecoverError> {
        self.note_restart(entry);
        self.take_times(entry);
        self.note_board(&entry.fact);
        if matches!(entry.fact, Fact::GameStarted { .. }) {
            self.minutes.begin();
        }
        if matches!(entry.fact, Fact::Began { .. }) {
            self.minutes.begin_anew();
        }
        self.fold_fact(index, entry)?;
        let sheet = self.game.as_ref().map(|(sheet, _)| sheet);
        self.minutes.note(entry.at.mono, &entry.fact, sheet);
        if let Some(sheet) = sheet {
            self.trail.note(entry.at.mono, &entry.fact, sheet);
        }
        Ok(())
    }

    /// Whose board is heard. What goes on record by it says that the game is played on it.
    fn note_board(&mut self, fact: &Fact) {
        match fact {
            Fact::Identified { serial } => {
                self.own_board.hear(serial);
            }
            Fact::GameStarted { .. } => self.own_board.begin(),
            Fact::MoveMade { basis: Basis::Order | Basis::Later, .. } => {}
            // Records from before it was told say so by a move.
            Fact::Found(Finding { kind: FindingKind::BoardBack, .. }) | Fact::MoveMade { .. } => {
                self.own_board.take_over();
            }
            _ => {}
        }
    }

    fn fold_fact(&mut self, index: usize, entry: &Entry) -> Result<(), RecoverError> {
        let wrong = |why: String| RecoverError { index, why };
        let ago = |span: Duration| Mono(entry.at.mono.0.saturating_sub(micros(span)));
        match &entry.fact {
            Fact::GameStarted { fen, is_chess960, .. } => {
                let mode = CastlingMode::from_chess960(*is_chess960);
                self.begin(fen, mode).map_err(wrong)?;
            }
            Fact::MoveMade { ply: 1, .. } if self.game.is_none() => {
                self.fold_first_move(index, &entry.fact)?;
            }
            Fact::Gap { .. } | Fact::GapClosed { .. } | Fact::Began { .. } => {
                self.fold_unseen(index, &entry.fact)?;
            }
            Fact::MoveMade { .. } => self.fold_move(index, &entry.fact)?,
            Fact::MoveMarked { ply, alternatives } => {
                self.sheet_with(index, *ply, "marked")?.mark(*ply, parsed(alternatives));
            }
            Fact::MoveRetracted { ply } => {
                self.sheet_with(index, *ply, "withdrawn")?.truncate(ply - 1);
            }
            Fact::MoveCompleted { ply, by, pressed_before, times } => {
                let sheet = self.sheet_with(index, *ply, "completed")?;
                sheet.complete(*ply, ago(*pressed_before), *by, *times);
            }
            Fact::Ended(ending) => self.end(index, Some(*ending))?,
            Fact::Reopened(_) => self.end(index, None)?,
            Fact::GameClosed => {
                self.is_closed = true;
                if let Some((_, end)) = &mut self.game {
                    *end = None;
                }
            }
            Fact::Clock { is_connected: false, .. } => self.has_clock = false,
            Fact::Clock { running, times, .. } => {
                self.has_clock |= running.is_some();
                if let (Some((sheet, _)), Some(times)) = (&mut self.game, times) {
                    sheet.hear_clock(entry.at.mono, *running, *times);
                }
            }
            Fact::Pressed { .. } => self.has_clock = true,
            Fact::Identified { serial } => self.serials.push(serial.clone()),
            Fact::Sees(sight) => self.sight = Some(*sight),
            Fact::Seated { connector, white_end } => {
                let lies = match connector {
                    End::Left => Orientation::Normal,
                    End::Right => Orientation::Rotated,
                };
                self.seats = Some((lies, *white_end));
            }
            _ => {}
        }
        Ok(())
    }

    /// The score sheet, which must have half-move `ply`, to which `what` is done.
    fn sheet_with(
        &mut self,
        index: usize,
        ply: usize,
        what: &str,
    ) -> Result<&mut ScoreSheet, RecoverError> {
        let (sheet, _) = self.game.as_mut().ok_or_else(|| no_game(index))?;
        if ply == 0 || ply > sheet.len() {
            let why = format!("ply {ply} of {} {what}", sheet.len());
            return Err(RecoverError { index, why });
        }
        Ok(sheet)
    }

    /// Takes the first move of a game whose beginning is not on record, and says so.
    fn fold_first_move(&mut self, index: usize, fact: &Fact) -> Result<(), RecoverError> {
        let mode = CastlingMode::Standard;
        self.game = Some((ScoreSheet::new(Chess::default(), mode), None));
        self.fold_move(index, fact).inspect_err(|_| self.game = None)?;
        let why = "a first move without a game; the usual start is taken".to_owned();
        Err(RecoverError { index, why })
    }

    /// A game begins from `fen`. Whatever follows does not belong to the one before.
    fn begin(&mut self, fen: &str, mode: CastlingMode) -> Result<(), String> {
        self.game = None;
        let fen: Fen = fen.parse().map_err(|e| format!("{fen}: {e}"))?;
        self.game = Some((ScoreSheet::new(position(&fen, mode)?, mode), None));
        (self.is_closed, self.has_clock) = (false, false);
        Ok(())
    }

    /// Takes a gap in the record, or where the record begins.
    fn fold_unseen(&mut self, index: usize, fact: &Fact) -> Result<(), RecoverError> {
        let wrong = |why: String| RecoverError { index, why };
        let (sheet, _) = self.game.as_mut().ok_or_else(|| no_game(index))?;
        let (n, mode) = (sheet.len(), sheet.mode());
        let read = |fen: &str| {
            let fen: Fen = fen.parse().map_err(|e| wrong(format!("{fen}: {e}")))?;
            position(&fen, mode).map_err(wrong)
        };
        match fact {
            Fact::Gap { ply, .. } | Fact::GapClosed { ply } if *ply != n => {
                return Err(wrong(format!("a gap after ply {ply} of {n}")));
            }
            Fact::Gap { fen, n: unknown, .. } => {
                let pos = read(fen)?;
                sheet.open_gap(pos, *unknown);
            }
            Fact::GapClosed { ply } if !sheet.close_gap() => {
                return Err(wrong(format!("no gap after ply {ply} to be closed")));
            }
            Fact::Began { .. } if n > 0 => {
                return Err(wrong(format!("a beginning after ply {n}")));
            }
            Fact::Began { fen, is_joined } => {
                let pos = read(fen)?;
                *sheet = match is_joined {
                    true => ScoreSheet::joined(pos, mode),
                    false => ScoreSheet::new(pos, mode),
                };
            }
            _ => {}
        }
        Ok(())
    }

    /// The game has this result from now on, or none.
    fn end(&mut self, index: usize, ending: Option<Ending>) -> Result<(), RecoverError> {
        let (_, known) = self.game.as_mut().ok_or_else(|| no_game(index))?;
        *known = ending;
        self.is_closed = false;
        Ok(())
    }

    /// Takes a move, [`Fact::MoveMade`].
    fn fold_move(&mut self, index: usize, fact: &Fact) -> Result<(), RecoverError> {
        let Fact::MoveMade { ply, uci, is_illegal, basis, alternatives, .. } = fact else {
            return Ok(());
        };
        let wrong = |why: String| RecoverError { index, why };
        let (sheet, _) = self.game.as_mut().ok_or_else(|| no_game(index))?;
        if *ply != sheet.len() + 1 {
            return Err(wrong(format!("ply {ply} after ply {}", sheet.len())));
        }
        let m: UciMove = uci.parse().map_err(|e| wrong(format!("{uci}: {e}")))?;
        if *is_illegal {
            let none = || wrong(format!("{uci}: no piece is there to make it"));
            sheet.push_illegal(sheet.illegal_move(&m).ok_or_else(none)?);
        } else {
            let m = legal::read(&m, sheet.last()).map_err(|e| wrong(format!("{uci}: {e}")))?;
            sheet.push(m, parsed(alternatives));
        }
        if !basis.is_timed() {
            sheet.forget_last_time();
        } else if matches!(basis, Basis::Order | Basis::Later) {
            // Its completion is recorded anew, too late to tell how long it took.
            sheet.forget_times();
        }
        Ok(())
    }

    /// What is known of the clock's times, and since when.
    fn take_times(&mut self, entry: &Entry) {
        let at = entry.at.mono;
        if matches!(entry.fact, Fact::Pressed { .. }) {
            self.presses.push(at);
        }
        self.times = match &entry.fact {
            Fact::GameStarted { .. } => None,
            Fact::Clock { running, times: Some(times), .. } => Some((*times, *running, at)),
            Fact::MoveCompleted {
                ply,
                by: CompletedBy::Press,
                times: Some(times),
                pressed_before,
            } => {
                let known = self.sheet().filter(|sheet| *ply <= sheet.len());
                let next = known.map_or(Color::White, |sheet| sheet.position(*ply).turn());
                let then = Mono(at.0.saturating_sub(micros(*pressed_before)));
                Some((*times, Some(next), then))
            }
            _ => return,
        };
        let read = self.times.map(|(_, _, read)| read);
        self.presses.retain(|press| Some(*press) > read);
    }

    /// A daemon that was started anew counts its time from the beginning, and finds the board
    /// without having lost it.
    fn note_restart(&mut self, entry: &Entry) {
        let mut is_new = entry.at.mono < self.last_at;
        let before = std::mem::replace(&mut self.last_at, entry.at.mono);
        if is_new {
            self.link = LinkState::Absent;
        }
        if let Fact::Link(link) = entry.fact {
            is_new |= link == LinkState::Live && self.link == LinkState::Live;
            self.link = link;
        }
        if is_new {
            self.times = self.times_at(before).map(|times| (times, None, entry.at.mono));
            self.minutes.note_restart();
            self.trail.begin_anew(before);
        }
        if let (true, Some((sheet, _))) = (is_new, &mut self.game) {
            sheet.forget_times();
        }
    }

    /// The game as recorded, if one was begun.
    pub fn sheet(&self) -> Option<&ScoreSheet> {
        self.game.as_ref().map(|(sheet, _)| sheet)
    }

    /// The recorded times at `at`.
    fn times_at(&self, at: Mono) -> Option<Times> {
        let (mut times, running, then) = self.times?;
        let passed = at.since(then);
        match running {
            Some(Color::White) => times.white = times.white.saturating_sub(passed),
            Some(Color::Black) => times.black = times.black.saturating_sub(passed),
            None => {}
        }
        Some(times)
    }

    /// The clock of the game as it was when the last entry was made: it ran at least until then.
    pub fn clock(&self) -> Option<ClockOnRecord> {
        let is_over = self.is_closed || self.ending().is_some();
        let sheet = self.sheet().filter(|_| self.has_clock && !is_over)?;
        let n = sheet.n_completed();
        let by = |color| (0..n).filter(|idx| sheet.position(*idx).turn() == color).count();
        let of = |color| u32::try_from(by(color)).unwrap_or(u32::MAX);
        let turn = sheet.position(n).turn();
        Some(ClockOnRecord {
            times: self.times_at(self.last_at)?,
            turn,
            completed: ByColor::new_with(of),
        })
    }

    /// How that game ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.game.as_ref().and_then(|(_, ending)| *ending)
    }

    /// Whether the game has a result, or was closed without one.
    pub fn is_over(&self) -> bool {
        self.is_closed || self.ending().is_some()
    }

    /// How many half-moves the public may see, as [`Game::n_public`].
    pub fn n_public(&self) -> usize {
        let Some(sheet) = self.sheet() else { return 0 };
        if self.has_clock && !self.is_over() { sheet.n_completed() } else { sheet.len() }
    }

    /// The times that the clock showed last, whose time ran, and how long that was before the last
    /// entry.
    pub fn times(&self) -> Option<(Times, Option<Color>, Duration)> {
        let (times, running, at) = self.times?;
        Some((times, running, self.last_at.since(at)))
    }

    /// Nobody has heard the board for so long since the last entry was made, if that is known.
    pub fn note_gone(&mut self, span: Option<Duration>) {
        self.gone = span;
    }

    /// What the clock showed before that, if it went.
    fn clocked(&self) -> Option<LastRead> {
        let (times, running, ago) = self.times()?;
        let at = (self.last_at + self.trail.later()).earlier(ago);
        Some(LastRead { times, turn: running?, at, n_since: self.presses.len() })
    }

    /// The serial numbers that the board has told, the last one last.
    pub fn serials(&self) -> &[String] {
        &self.serials
    }

    /// The line to the board.
    pub const fn link(&self) -> LinkState {
        self.link
    }

    /// A game that goes on where the record stops, once the board has spoken.
    pub fn into_game(self, settings: Settings) -> Game {
        let clocked = self.clocked();
        let (lies, white) = match self.seats.filter(|_| self.game.is_some()) {
            Some((lies, white)) => (Some(lies), white),
            None => (None, End::Left),
        };
        let white = settings.white_end.unwrap_or(white);
        let (trail, mut followed) = (self.trail, None);
        let until = self.last_at + trail.later();
        let begins = until + self.gone.unwrap_or_default();
        let sheet = self.game.as_ref().map(|(sheet, _)| sheet);
        let bench = sheet.and_then(|sheet| self.minutes.seat(&settings, sheet, begins));
        // What was missed before that may be more than there was time for since.
        let is_gone_known = self.gone.is_some() && !trail.has_missed();
        let clocked = clocked.filter(|_| is_gone_known);
        let play = self.game.map(|(sheet, ending)| {
            followed = trail.followed(&sheet);
            let mut play = Play::resumed(sheet, ending);
            play.see_again(followed.clone(), begins, trail.seen(), trail.open_press());
            play.distrust(trail.faulty());
            play.is_closed = self.is_closed;
            play
        });
        let untold_press = trail.untold_press(until).filter(|_| followed.is_some());
        let legacy = Legacy { followed, until, sensed: trail.into_sensed() };
        let known = Known { lies, sight: self.sight, serials: self.serials };
        let mut game = Game::new(settings);
        let (has_clock, own_board) = (self.has_clock, self.own_board);
        game.take_up(Before {
            known,
            white,
            has_clock,
            play,
            bench,
            begins,
            is_gone_known,
            clocked,
            legacy,
            untold_press,
            own_board,
        });
        game
    }
}

/// The position that a game begins from; promoted pieces may be there from the start.
fn position(fen: &Fen, mode: CastlingMode) -> Result<Chess, String> {
    let pos = fen.clone().into_position(mode);
    pos.or_else(PositionError::ignore_too_much_material).map_err(|e| format!("{fen}: {e}"))
}

/// Moves in UCI notation. Names that a newer program writes otherwise are no reason to lose a game.
fn parsed(alternatives: &[String]) -> Vec<UciMove> {
    alternatives.iter().filter_map(|uci| uci.parse().ok()).collect()
}

fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

fn no_game(index: usize) -> RecoverError {
    RecoverError { index, why: "a move without a game".to_owned() }
}

#[cfg(test)]
impl Recovered {
    /// What a record has become on which these facts are, all of one time.
    pub(crate) fn of(at: Mono, facts: impl IntoIterator<Item = Fact>) -> Self {
        let mut fold = Self::default();
        for (idx, fact) in facts.into_iter().enumerate() {
            let at = crate::time::Stamp { mono: at, wall: crate::time::Wall(0) };
            fold.fold(idx, &Entry { at, fact }).unwrap();
        }
        fold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Effect, Event};
    use crate::table::Placement;
    use crate::time::{Stamp, Wall};
    use crate::wire::{BoardMessage, Dump, FieldCode, Orientation};
    use shakmaty::{Position, Square};

    fn entry(ms: u64, fact: Fact) -> Entry {
        Entry { at: Stamp { mono: Mono::from_millis(ms), wall: Wall(0) }, fact }
    }

    /// A record with these entries.
    fn folded(entries: impl IntoIterator<Item = Entry>) -> Recovered {
        let mut fold = Recovered::default();
        for (idx, entry) in entries.into_iter().enumerate() {
            fold.fold(idx, &entry).unwrap();
        }
        fold
    }

    fn started() -> Fact {
        Fact::started(
            &Fen::from_position(&Chess::new(), shakmaty::EnPassantMode::Legal).to_string(),
        )
    }

    fn completed(ply: usize) -> Fact {
        let by = CompletedBy::Press;
        Fact::MoveCompleted { ply, by, pressed_before: Duration::ZERO, times: None }
    }

    #[test]
    fn nothing_is_judged_before_the_board_was_seen_whole() {
        let fold =
            folded([started(), Fact::made(1, "e2e4"), completed(1)].map(|fact| entry(0, fact)));
        let mut game = fold.into_game(Settings::default());
        let mut facts = Vec::new();
        let mut handle = |game: &mut Game, ms: u64, event: &Event| {
            let mut effects = Vec::new();
            game.handle(entry(ms, Fact::GameClosed).at, event, &mut effects);
            facts.extend(effects.into_iter().filter_map(|effect| match effect {
                Effect::Record(entry) => Some(entry.fact),
                _ => None,
            }));
        };
        handle(&mut game, 0, &Event::LinkUp);
        // Nobody saw 1... c5, but the board still sends what it was told to send before.
        let mut board = game.play().unwrap().sheet().last().board().clone();
        for (ms, sq, piece) in
            [(10, Square::D2, None), (200, Square::D4, Some(Color::White.pawn()))]
        {
            let field = Orientation::Normal.field(sq);
            let code = piece.map_or(FieldCode::Empty, FieldCode::Piece);
            handle(&mut game, ms, &Event::Board(BoardMessage::Field { field, code }));
        }
        for ms in (300..6_000).step_by(50) {
            handle(&mut game, ms, &Event::Timeout);
        }
        board.discard_piece_at(Square::B8);
        board.set_piece_at(Square::C6, Color::Black.knight());
        board.discard_piece_at(Square::G1);
        board.set_piece_at(Square::F3, Color::White.knight());
        let dump = Dump::new(&board, Orientation::Normal);
        handle(&mut game, 6_000, &Event::Board(BoardMessage::Dump(Box::new(dump))));
        for ms in (6_050..9_000).step_by(50) {
            handle(&mut game, ms, &Event::Timeout);
        }
        let moves = game.play().unwrap().sheet().moves();
        let moves: Vec<_> = moves.iter().map(|m| m.uci.to_string()).collect();
        assert_eq!(moves, ["e2e4", "b8c6", "g1f3"]);
        let is_finding = |fact: &Fact| matches!(fact, Fact::IllegalMove { .. });
        assert!(!facts.iter().any(is_finding), "{facts:?}");
    }

    /// The last moves stay open to revision, and what was seen since the last is not forgotten.
    #[test]
    fn what_was_seen_last_is_known_to_a_new_daemon() {
        let pawn = Some(Color::White.pawn());
        let sensed = |sq, piece| Fact::Sensed { sq, reading: Sight::Pieces.of(piece) };
        let facts = [
            started(),
            sensed(Square::E2, None),
            sensed(Square::E4, pawn),
            Fact::Pressed { by: Color::White },
            Fact::made(1, "e2e4"),
            completed(1),
            sensed(Square::G8, None),
        ];
        let times = (1_000..).step_by(300);
        let mut fold = folded(times.zip(facts).map(|(ms, fact)| entry(ms, fact)));
        let seen_by = |fold: &Recovered| {
            let game = fold.clone().into_game(Settings::default());
            let tracker = game.play().unwrap().tracker();
            let (n, n_open) = (tracker.n_settled(), tracker.best().plies.len());
            (n, n_open, tracker.seen().get(Square::G8), tracker.last_change())
        };
        let empty = crate::table::Reading::Empty;
        assert_eq!(seen_by(&fold), (0, 1, empty, Mono::from_millis(2_800)));
        // What came before a line was cut, or the daemon was gone, goes on where the board stands
        // as it stood, and leads to nothing where it does not.
        let other = Fact::Pictured(Placement::parse("rnbqkbnr/8/8/8/8/8/8/RNBQKBNR").unwrap());
        let later = [
            (9_000, Fact::Link(LinkState::Lost), (0, 1)),
            (1_000, Fact::Link(LinkState::Live), (0, 1)),
            (1_000, other, (1, 0)),
        ];
        for (idx, (ms, fact, (n, n_open))) in (7..).zip(later) {
            fold.fold(idx, &entry(ms, fact)).unwrap();
            let (n_seen, n_open_seen, ..) = seen_by(&fold);
            assert_eq!((n_seen, n_open_seen), (n, n_open), "{idx}");
        }
    }

    #[test]
    fn a_clock_is_taken_up_as_it_was_when_the_record_stops() {
        let seconds = |white, black| Times {
            white: Duration::from_secs(white),
            black: Duration::from_secs(black),
        };
        let clock = |running, times| Fact::Clock { running, times, is_connected: true };
        let pressed = |ply, times| Fact::MoveCompleted {
            ply,
            by: CompletedBy::Press,
            pressed_before: Duration::from_secs(1),
            times: Some(times),
        };
        let entries = [
            entry(600, Fact::Link(LinkState::Live)),
            entry(600, started()),
            entry(1_000, clock(Some(Color::White), Some(seconds(300, 300)))),
            entry(9_000, Fact::made(1, "e2e4")),
            entry(9_000, pressed(1, seconds(295, 300))),
            // Black thinks; the last that is known of his time is that he thought for so long.
            entry(15_000, Fact::Sensed { sq: Square::E7, reading: crate::table::Reading::Empty }),
        ];
        let mut fold = folded(entries);
        let completed = ByColor { white: 1, black: 0 };
        let on_record = |white, black| {
            Some(ClockOnRecord { times: seconds(white, black), turn: Color::Black, completed })
        };
        assert_eq!(fold.clock(), on_record(295, 293));
        // Nothing passes while the daemon is gone, nor until the clock is started.
        fold.fold(6, &entry(500, Fact::Link(LinkState::Live))).unwrap();
        fold.fold(7, &entry(90_000, Fact::Link(LinkState::Lost))).unwrap();
        assert_eq!(fold.clock(), on_record(295, 293));
    }

    #[test]
    fn the_first_move_took_as_long_as_its_clock_ran() {
        let clock = |running, white: u64| Fact::Clock {
            running,
            times: Some(Times {
                white: Duration::from_secs(white),
                black: Duration::from_secs(300),
            }),
            is_connected: true,
        };
        let white = Some(Color::White);
        let took = |clocks: &[Entry]| {
            let mut entries = vec![entry(600, Fact::Link(LinkState::Live)), entry(600, started())];
            entries.extend(clocks.iter().cloned());
            entries.extend([entry(20_000, Fact::made(1, "e2e4")), entry(20_000, completed(1))]);
            entries.extend([entry(27_000, Fact::made(2, "e7e5")), entry(27_000, completed(2))]);
            let fold = folded(entries);
            let seconds =
                |m: &crate::game::Scored| m.completed.unwrap().elapsed.map(|it| it.as_secs());
            fold.sheet().unwrap().moves().iter().map(seconds).collect::<Vec<_>>()
        };
        assert_eq!(took(&[]), [None, Some(7)], "nobody knows when it began");
        let begun = entry(5_000, clock(white, 300));
        assert_eq!(took(std::slice::from_ref(&begun)), [Some(15), Some(7)]);
        let later = entry(12_000, clock(white, 293));
        assert_eq!(took(&[begun.clone(), later]), [Some(15), Some(7)]);
        // It was stopped for a moment in the middle of the move.
        let stopped = [entry(8_000, clock(None, 297)), entry(9_000, clock(white, 297))];
        assert_eq!(
            took(&[std::slice::from_ref(&begun), &stopped[..]].concat()),
            [Some(15), Some(7)]
        );
        // It was tried before the round, and set anew.
        let anew = [entry(8_000, clock(None, 300)), entry(18_000, clock(white, 300))];
        assert_eq!(took(&[std::slice::from_ref(&begun), &anew[..]].concat()), [Some(2), Some(7)]);
        let set = entry(17_000, clock(white, 5_400));
        assert_eq!(took(&[begun.clone(), set]), [Some(3), Some(7)]);
        // Black's time is not White's, nor that of another run of the daemon.
        assert_eq!(took(&[entry(5_000, clock(Some(Color::Black), 300))]), [None, Some(7)]);
        let restart = entry(10_000, Fact::Link(LinkState::Live));
        assert_eq!(took(&[begun, restart]), [None, Some(7)]);
    }

    #[test]
    fn times_of_two_runs_are_not_compared() {
        // The second run is noticed by its time, the third, which is later, by the board.
        let entries = [
            entry(600, Fact::Link(LinkState::Live)),
            entry(600, started()),
            entry(5_000, Fact::made(1, "e2e4")),
            entry(5_000, completed(1)),
            entry(6_000, Fact::made(2, "e7e5")),
            entry(6_000, completed(2)),
            entry(600, Fact::Link(LinkState::Live)),
            entry(900, Fact::made(3, "g1f3")),
            entry(900, completed(3)),
            entry(950, Fact::Link(LinkState::Live)),
            entry(1_000, Fact::made(4, "b8c6")),
            entry(1_000, completed(4)),
            entry(3_000, Fact::made(5, "f1c4")),
            entry(3_000, completed(5)),
        ];
        let fold = folded(entries);
        let moves = fold.sheet().unwrap().moves();
        let elapsed: Vec<_> = moves.iter().map(|m| m.completed.unwrap().elapsed).collect();
        let seconds = |n| Some(Duration::from_secs(n));
        assert_eq!(elapsed, [None, seconds(1), None, None, seconds(2)]);
    }
}
