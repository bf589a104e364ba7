//! The referee: a state machine that is told what happens at the board and says what the Laws make
//! of it.
//!
//! It is told of every sensor, press, word and order, in the order of their time, and answers with
//! rulings for the arbiter and orders for the clock. It decides nothing that is the arbiter's:
//! penalties, restorations and verdicts are proposals until he confirms them. Automatic are mate,
//! stalemate, the proven dead position, from 2018 the fifth occurrence and the 75 moves, and what
//! the players themselves declare.

mod adjourn;
mod blind;
mod claim;
mod confirm;
mod declare;
mod display;
mod evidence;
mod flag;
mod illegal;
mod late;
mod life;
mod matter;
mod offer;
mod order;
mod pending;
mod press;
mod query;
mod record;
mod release;
mod setup;
mod stop;
mod turn;

pub use display::Display;
pub use matter::MayAct;
pub use pending::Pending;
pub use record::{Recorded, Sheet};

use super::code::Code;
use super::declaration::Declaration;
use super::history::History;
use super::order::Order;
use super::picture::{Picture, Thing};
use super::profile::Rules;
use super::said::{Binding, ClockOrder, Confidence, Note, Ruling, Verdicted};
use super::score::Score;
use super::terms::Terms;
use super::touch::Touches;
use crate::time::Mono;
use adjourn::Sitting;
use claim::Open;
use matter::{Breach, Demand, Matter};
use offer::Offers;
use shakmaty::{
    Bitboard, ByColor, CastlingMode, CastlingSide, Chess, Color, Move, Position, Role, Square,
};
use std::time::Duration;

/// What the chess clock shows.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// The time left to both.
    pub left: ByColor<Duration>,
    /// Whose time runs.
    pub running: Option<Color>,
}

/// What a referee is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A sensor reads something else.
    Square(Square, Option<Thing>),
    /// The whole board, before the game or after a gap.
    Picture(Box<Picture>),
    /// The whole board after a gap in what was seen.
    Unseen(Box<Picture>),
    /// The moves on record, where they differ from the referee's for long.
    Record(Sheet),
    /// A player pressed his side of the clock. Told before the clock is read anew.
    Pressed(Color),
    /// A player stopped both sides.
    Stopped(Color),
    /// The clock says that this flag is down.
    Flag(Color),
    /// Both flags were found down, and nobody knows which was first.
    FlagsUnknown,
    /// The announced start is reached; the clocks are not started.
    Scheduled,
    /// A player says something.
    Declared(Color, Declaration),
    /// Both sign this score.
    Signed(Score),
    /// A move is announced aloud. 2009: Art. E2.1.
    Announced(Color, String),
    /// A move is written for the envelope.
    Sealed(Color, String),
    /// The arbiter orders something.
    Ordered(Order),
    /// The game's result is withdrawn, and the game goes on.
    Reopened,
    /// The clock was read.
    Clock(Clocks),
    /// The record has nothing more to say of the half-moves that the referee knows.
    Final,
    /// Those who keep the record have found no move in what stands, or find order again.
    Looked,
    /// They have found that this player completed an illegal move.
    Illegal(Color),
    /// Time has passed.
    Passed,
}

impl Told {
    /// Whether it is of the board, the clock's times or time itself: nobody's act, and no one waits
    /// for an answer. A flag that falls is not: it may end the game, and what came before counts.
    pub const fn is_observed(&self) -> bool {
        matches!(
            self,
            Self::Square(..)
                | Self::Picture(_)
                | Self::Unseen(_)
                | Self::Clock(_)
                | Self::Looked
                | Self::Illegal(_)
                | Self::Passed
        )
    }
}

/// What a referee answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// For the arbiter.
    pub rulings: Vec<Ruling>,
    /// For the clock.
    pub clock: Vec<ClockOrder>,
}

/// How far the game is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// The pieces do not stand as they must.
    Setup,
    /// They do; the clock has not been started.
    Ready,
    /// It runs, or has run.
    Running,
}

/// Who stopped both clocks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum PausedBy {
    Player(Color),
    Arbiter,
}

/// A placement that no legal move explains, before the clock is pressed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct OnBoard {
    pub by: Color,
    pub why: &'static str,
}

/// What the player who is to move has done so far.
#[derive(Clone, Debug, Default)]
struct Turn {
    touches: Touches,
    /// He said "I adjust".
    is_adjusting: bool,
    /// Something was announced as on the way and released: it binds beyond the touch.
    released: Option<Binding>,
    /// What stands illegally, as was noted.
    on_board: Option<OnBoard>,
    /// It stood so, and was taken back.
    was_illegal: bool,
    /// The rook was touched before the king.
    rook_first: Option<CastlingSide>,
    castling_announced: bool,
    /// The move announced aloud.
    announced: Option<Move>,
    /// The piece named for a promotion.
    promotes_to: Option<Role>,
    /// What binds from before: an illegal move taken back, an announced one.
    carried: Option<Binding>,
    /// Where a pawn was released by an illegal move that was taken back.
    released_before: Option<Binding>,
    /// The squares whose sensors stirred.
    stirred: Bitboard,
    not_pressed_noted: bool,
    /// What seems to be an illegal move, and from where: no press and no record has said so yet.
    suspect: Option<(Square, OnBoard)>,
    /// Whose pieces lay right beside them, knocked over or put there by half.
    lying: Bitboard,
    /// Since when pieces are missing beside a move that stands.
    missing: Option<Mono>,
    /// Own and enemy piece were touched at once.
    is_simultaneous: bool,
    /// When the piece that was moved last left its new square again.
    withdrawn: Option<Mono>,
}

/// The referee of one game.
///
/// ```
/// use rokade::laws::{Binding, Clocks, Picture, Referee, Terms, Thing, Told};
/// use rokade::time::Mono;
/// use shakmaty::{Bitboard, CastlingMode, Chess, Color, Position, Square};
/// let start = Chess::new();
/// let seen = Picture::new(start.board().clone(), Bitboard::EMPTY);
/// let mut referee = Referee::new(Terms::default(), start, CastlingMode::Standard, seen);
/// let running = Some(Color::White);
/// referee.tell(Mono(0), &Told::Clock(Clocks { running, ..Clocks::default() }));
/// referee.tell(Mono::from_millis(100), &Told::Square(Square::E2, None));
/// assert_eq!(referee.binding(), Some(Binding::Move(Square::E2)));
/// let pawn = Some(Thing::Piece(Color::White.pawn()));
/// referee.tell(Mono::from_millis(400), &Told::Square(Square::E4, pawn));
/// referee.tell(Mono::from_millis(1_000), &Told::Passed);
/// assert_eq!(referee.moves(), ["e2e4"]);
/// ```
#[derive(Clone, Debug)]
pub struct Referee {
    terms: Terms,
    rules: Rules,
    phase: Phase,
    seen: Picture,
    game: History,
    turn: Turn,
    /// Breaches of Article 4 by the player who moved last.
    breaches: Vec<Breach>,
    matters: Vec<Matter>,
    /// How many matters and claims have come up.
    n_matters: u32,
    demand: Option<Demand>,
    offers: Offers,
    claim: Option<Open>,
    sitting: Sitting,
    clocks: Clocks,
    initial: Option<ByColor<Duration>>,
    paused: Option<PausedBy>,
    flags: flag::Flags,
    late: late::Presence,
    illegal: ByColor<u8>,
    /// Who is making his move with two hands and has not pressed yet.
    two_hands: ByColor<bool>,
    low_time: ByColor<bool>,
    quickplay_noted: ByColor<bool>,
    settle_at: Option<Mono>,
    last_change: Mono,
    /// Whether the arbiter may step in, in the matter that came up last.
    may_act: Option<MayAct>,
    /// He pressed on a move that other pieces in disorder still hide.
    pressed_early: Option<Color>,
    /// This half-move was pressed and is completed when the clocks run again.
    completes_on_resume: Option<usize>,
    /// A claim that the arbiter has not decided yet, while play goes on. 10.2b.
    postponed: Option<Open>,
    /// The last decision is final. 10.2d.
    was_final: bool,
    signed: Option<Score>,
    is_turned: bool,
    doubt: Option<life::Doubt>,
    /// The position after so many half-moves is proven to be dead.
    dead_after: Option<usize>,
    result: Option<Verdicted>,
    points: Option<ByColor<u8>>,
    is_remapped: bool,
    is_array_wrong: bool,
    /// What stands is to be judged although nobody pressed.
    is_called: bool,
    /// Squares whose piece reads as another of its color, and was never seen to leave.
    misread: Bitboard,
    /// The clock when it was seen to be set going for the side whose it runs, or ran last.
    began: Option<Clocks>,
    now: Mono,
    said: Said,
}

impl Referee {
    /// A game from `start` under `terms`. The board shows `seen`.
    pub fn new(terms: Terms, start: Chess, mode: CastlingMode, seen: Picture) -> Self {
        let rules = terms.rules();
        let is_array_wrong = setup::is_wrong_array(&start, &terms, mode);
        Self {
            illegal: terms.illegal_before,
            is_remapped: terms.is_rotated,
            flags: flag::Flags::new(&terms),
            late: late::Presence::default(),
            rules,
            terms,
            phase: Phase::Ready,
            seen,
            game: History::new(start, mode),
            turn: Turn::default(),
            breaches: Vec::new(),
            matters: Vec::new(),
            n_matters: 0,
            demand: None,
            offers: Offers::default(),
            claim: None,
            sitting: Sitting::default(),
            clocks: Clocks::default(),
            initial: None,
            paused: None,
            two_hands: ByColor::default(),
            low_time: ByColor::default(),
            quickplay_noted: ByColor::default(),
            settle_at: None,
            last_change: Mono::default(),
            may_act: None,
            pressed_early: None,
            completes_on_resume: None,
            postponed: None,
            was_final: false,
            signed: None,
            is_turned: false,
            doubt: None,
            dead_after: None,
            result: None,
            points: None,
            is_array_wrong,
            is_called: false,
            misread: Bitboard::EMPTY,
            began: None,
            now: Mono::default(),
            said: Said::default(),
        }
    }

    /// Takes what happened at `at` and answers. Never fails; what cannot be is refused with the
    /// reason and changes nothing.
    pub fn tell(&mut self, at: Mono, told: &Told) -> Said {
        self.now = self.now.max(at);
        self.watch_time();
        match told {
            Told::Square(sq, thing) => self.on_square(*sq, *thing),
            Told::Picture(picture) => self.on_picture(picture),
            Told::Unseen(picture) => self.on_unseen(picture),
            Told::Record(record) => self.on_record(record),
            Told::Pressed(by) => self.on_press(*by),
            Told::Stopped(by) => self.on_stopped(*by),
            Told::Flag(side) => self.on_flag(*side),
            Told::FlagsUnknown => self.on_flags_unknown(),
            Told::Scheduled => self.late.scheduled = Some(self.now),
            Told::Declared(by, said) => self.on_declared(*by, said),
            Told::Signed(score) => self.on_signed(*score),
            Told::Announced(by, words) => self.on_announced(*by, words),
            Told::Sealed(by, text) => self.on_sealed(*by, text),
            Told::Ordered(order) => self.on_ordered(order),
            Told::Reopened => self.reopen(),
            Told::Clock(clocks) => self.on_clock(*clocks),
            Told::Final => self.on_final(),
            Told::Looked => self.on_looked(),
            Told::Illegal(by) => self.on_illegal_found(*by),
            Told::Passed => self.watch_life(),
        }
        self.watch_time();
        std::mem::take(&mut self.said)
    }

    /// Time is counted anew from here: the daemon was started again. What waited for its moment is
    /// judged now.
    pub fn begin_again(&mut self) {
        self.settle_at = self.settle_at.map(|_| Mono::default());
        self.doubt = None;
        self.now = Mono::default();
        self.last_change = Mono::default();
        self.said = Said::default();
        self.late.begin_again();
    }

    /// When [`Told::Passed`] is due.
    pub fn wake_at(&self) -> Option<Mono> {
        let life = self.doubt.as_ref().map(|doubt| doubt.due);
        let (late, missing) = (self.late_at(), self.missing_at());
        [self.settle_at, self.not_pressed_at(), self.sitting_ends_at(), late, missing, life]
            .into_iter()
            .flatten()
            .min()
    }

    fn on_clock(&mut self, clocks: Clocks) {
        let was_idle = self.is_idle();
        self.clocks = clocks;
        match (clocks.running, &mut self.began) {
            // What the other was given for his move may come a little later.
            (Some(side), Some(began)) if began.running == Some(side) => {
                began.left[!side] = clocks.left[!side];
            }
            (Some(_), began) => *began = Some(clocks),
            (None, _) => {}
        }
        if was_idle && !self.is_idle() {
            // What was shown while the clock stood was no play.
            self.turn = Turn { carried: self.turn.carried.take(), ..Turn::default() };
            self.settle_at = Some(self.now + self.terms.settle);
        }
        let is_being_set = self.phase != Phase::Running && clocks.running.is_none();
        if self.initial.is_none() || is_being_set {
            self.initial = Some(clocks.left);
        }
        if clocks.running.is_some() && self.phase == Phase::Ready && self.result().is_none() {
            // The clock runs although nobody said that it starts: the game is under way.
            self.late.all_present();
            self.begin();
        }
    }

    /// Play begins; the terms are fixed.
    fn begin(&mut self) {
        self.phase = Phase::Running;
        self.late.started = Some(self.now);
        let facts = format!("{}, default time {} s", self.terms.profile, self.late_limit_s());
        self.log_with(Code::GameStart, None, facts);
    }

    fn late_limit_s(&self) -> u64 {
        self.terms.lateness().as_secs()
    }

    /// What is due because time has passed.
    fn watch_time(&mut self) {
        self.settle_if_due();
        if self.result.is_some() {
            return;
        }
        self.watch_missing();
        self.watch_not_pressed();
        self.watch_low_time();
        self.watch_lateness();
        self.watch_sitting();
    }

    fn settle_if_due(&mut self) {
        if self.settle_at.is_some_and(|due| due <= self.now) {
            self.settle_at = None;
            self.settle();
        }
    }

    fn not_pressed_at(&self) -> Option<Mono> {
        let after = self.terms.not_pressed?;
        let ply = self.game.last_ply().filter(|ply| !ply.is_completed && !ply.is_illegal)?;
        let is_due = !self.turn.not_pressed_noted && self.clocks.running == Some(ply.by);
        (is_due && self.result.is_none()).then(|| ply.made + after)
    }

    fn watch_not_pressed(&mut self) {
        if self.not_pressed_at().is_some_and(|due| due <= self.now) {
            self.turn.not_pressed_noted = true;
            let by = self.game.last_ply().map(|ply| ply.by);
            self.log(Code::NotPressed, by);
        }
    }

    /// The player who is to move.
    fn mover(&self) -> Color {
        self.game.last().turn()
    }

    fn say(&mut self, ruling: Ruling) {
        self.said.rulings.push(ruling);
    }

    fn log(&mut self, code: Code, by: Option<Color>) {
        self.log_with(code, by, String::new());
    }

    fn log_with(&mut self, code: Code, by: Option<Color>, facts: String) {
        self.log_row(code, by, code.row(), facts);
    }

    fn log_row(&mut self, code: Code, by: Option<Color>, row: &'static str, facts: String) {
        let confidence = match code {
            Code::TouchMove | Code::RookFirst | Code::MovedAfterRelease | Code::IllegalOnBoard => {
                Confidence::Presumed
            }
            _ => Confidence::Observed,
        };
        self.say(Ruling::Log(Note { code, by, row, confidence, facts }));
    }

    fn order_clock(&mut self, order: ClockOrder) {
        if !matches!(order, ClockOrder::Stop | ClockOrder::Run(_)) {
            self.began = None;
        }
        match order {
            ClockOrder::Stop => self.clocks.running = None,
            ClockOrder::Run(side) => self.clocks.running = Some(side),
            ClockOrder::Set(side, span) => self.clocks.left[side] = span,
            ClockOrder::Add(side, span) | ClockOrder::Credit(side, span) => {
                self.clocks.left[side] += span;
            }
            ClockOrder::Subtract(side, span) => {
                self.clocks.left[side] = self.clocks.left[side].saturating_sub(span);
            }
            ClockOrder::Increment(_) | ClockOrder::Moves(_) => {}
        }
        self.said.clock.push(order);
    }

    /// The game is over.
    fn finish(&mut self, code: Code, score: Score, reason: &str) {
        self.finish_flagged(code, score, reason, None);
    }

    fn finish_flagged(&mut self, code: Code, score: Score, reason: &str, flagged: Option<Color>) {
        self.order_clock(ClockOrder::Stop);
        self.log_with(code, None, reason.to_owned());
        let verdicted = Verdicted { code, score, reason: reason.to_owned(), flagged };
        self.say(Ruling::Result(verdicted.clone()));
        if let Score::Halves(halves) = score {
            self.say(Ruling::Points(halves));
            self.points = Some(halves);
        }
        self.result = Some(verdicted);
        self.doubt = None;
        self.matters.clear();
        self.demand = None;
        self.claim = None;
    }

    /// Something is refused: it is on record, and changes nothing.
    fn refuse(&mut self, by: Option<Color>, why: &str) {
        self.log_with(Code::ClaimRefused, by, why.to_owned());
    }
}
