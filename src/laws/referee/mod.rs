//! The referee: a state machine that is told what happens at the board and says what the Laws make
//! of it.
//!
//! It is told of every sensor, press, word and order, in the order of their time, and answers with
//! rulings for the arbiter and orders for the clock. It decides nothing that is the arbiter's:
//! penalties, restorations and verdicts are proposals until the arbiter confirms them. Automatic
//! are mate, stalemate, the proven dead position, from 2018 the fifth occurrence and the 75 moves,
//! and what the players themselves declare.
//!
//! Which moves were played it is told by the record, and by nothing else. Only where that says
//! nothing does it see a move by itself: while the clock stands, where words decide, and what a
//! pawn becomes on a board that knows no names.
//!
//! Its parts keep their own state and know nothing of each other. [`Referee`] tells each what
//! concerns it; what they share is their context.

mod adjourn;
mod board;
mod claim;
mod clock;
mod conclusion;
mod confirm;
mod context;
mod declare;
mod display;
mod faults;
mod flag;
mod late;
mod life;
mod matter;
mod motion;
mod moves;
mod offer;
mod order;
mod outbox;
mod penalty;
mod pending;
mod query;
mod record;
mod setup;
mod sheet;
mod stop;
mod told;

pub use clock::Clocks;
pub use display::Display;
pub use matter::MayAct;
pub use outbox::Said;
pub use pending::Pending;
pub use sheet::{Sheet, SheetMove};
pub use told::Told;

use super::act::Act;
use super::code::Code;
use super::terms::Terms;
use crate::table::{Placement, defaults};
use crate::time::Mono;
use adjourn::Sitting;
use board::BoardSeen;
use claim::Claims;
use context::{Context, Phase};
use flag::Flags;
use late::Presence;
use life::Liveness;
use motion::{Cause, Motion};
use offer::Offers;
use shakmaty::{CastlingMode, Chess, Square};

defaults! {
    /// The referee of one game.
    ///
    /// ```
    /// use rokade::laws::{Binding, Clocks, Referee, Sheet, SheetMove, Terms, Told};
    /// use rokade::table::{Placement, Reading};
    /// use rokade::time::Mono;
    /// use shakmaty::{CastlingMode, Chess, Color, Position, Square};
    /// let start = Chess::new();
    /// let seen = Placement::from(start.board().clone());
    /// let (terms, mode) = (Terms::default(), CastlingMode::Standard);
    /// let mut referee = Referee::new(terms, start.clone(), mode, seen);
    /// let running = Some(Color::White);
    /// referee.tell(Mono(0), &Told::Clock(Clocks { running, ..Clocks::default() }));
    /// referee.tell(Mono::from_millis(100), &Told::Square(Square::E2, Reading::Empty));
    /// assert_eq!(referee.binding(), Some(Binding::Move(Square::E2)));
    /// let pawn = Reading::Piece(Color::White.pawn());
    /// referee.tell(Mono::from_millis(400), &Told::Square(Square::E4, pawn));
    /// // The record says what was played.
    /// let m = start.legal_moves().into_iter().find(|m| m.to() == Square::E4).unwrap();
    /// let made = SheetMove { m, is_illegal: false, is_completed: false, is_replied: false };
    /// let sheet = Sheet { moves: vec![made], ..Sheet::default() };
    /// referee.tell(Mono::from_millis(600), &Told::Moves(sheet));
    /// assert_eq!(referee.moves(), ["e2e4"]);
    /// ```
    #[derive(Clone, Debug)]
    pub struct Referee {
        given {
            cx: Context,
            claims: Claims,
        }
        motion: Motion,
        offers: Offers,
        sitting: Sitting,
        flags: Flags,
        late: Presence,
        /// This half-move was pressed and is completed when the clocks run again.
        completes_on_resume: Option<usize>,
        /// The board lies the wrong way round, and the pieces are carried over when the clocks
        /// stand.
        is_turned: bool,
        life: Liveness,
    }
}

impl Referee {
    /// A game from `start` under `terms`. The board shows `seen`.
    pub fn new(terms: Terms, start: Chess, mode: CastlingMode, seen: Placement) -> Self {
        let board = BoardSeen::new(seen, terms.is_rotated);
        let claims = Claims::new(setup::is_wrong_array(&start, &terms, mode));
        Self::begin(Context::new(terms, start, mode, board), claims)
    }

    /// Takes what happened at `at` and answers. Never fails; what cannot be is refused with the
    /// reason and changes nothing.
    pub fn tell(&mut self, at: Mono, told: &Told) -> Said {
        self.cx.now = self.cx.now.max(at);
        self.watch_time();
        match told {
            Told::Square(sq, reading) => self.on_square(*sq, *reading),
            Told::Picture(picture) => self.on_picture(picture),
            Told::Unseen(picture) => self.on_unseen(picture),
            Told::Record(record) => self.on_record(record),
            Told::Moves(sheet) => self.on_moves(sheet),
            Told::Pressed(by) => self.on_press(*by),
            Told::Flag(side) => {
                let is_concluded = self.claims.is_concluded(&self.cx);
                self.flags.on_flag(&mut self.cx, *side, is_concluded);
            }
            Told::FlagsUnknown => self.flags.on_order_unknown(&mut self.cx),
            Told::Act(act) => self.on_act(act),
            Told::Reopened => self.reopen(),
            Told::Clock(clocks) => self.on_clock(*clocks),
            Told::Final => self.on_final(),
            Told::Looked => self.judge(Cause::Called),
            Told::Stands => self.judge(Cause::Stands),
            Told::Illegal(by) => self.on_illegal_found(*by),
            Told::Passed => {
                let is_end_open = self.is_end_open();
                self.life.watch(&mut self.cx, is_end_open);
            }
        }
        self.watch_time();
        self.cx.out.take()
    }

    fn on_act(&mut self, act: &Act) {
        match act {
            Act::Declared { by, said } => self.on_declared(*by, said),
            Act::Signed { score } => self.on_signed(*score),
            Act::Announced { by, words } => self.on_announced(*by, words),
            Act::Sealed { by, text } => self.on_sealed(*by, text),
            Act::Ordered { order, .. } => self.on_ordered(order),
            Act::Stopped { by } => self.on_stopped(*by),
            Act::Scheduled => self.late.schedule(self.cx.now),
        }
    }

    /// Time is counted anew from here: the daemon was started again. What waited for its moment is
    /// judged now.
    pub fn begin_again(&mut self, now: Mono) {
        self.cx.board.begin_again(now);
        self.life.stop();
        self.cx.now = now;
        self.cx.out.take();
        self.late.begin_again(now);
    }

    /// When [`Told::Passed`] is due.
    pub fn wake_at(&self) -> Option<Mono> {
        [
            self.cx.board.rests_at(),
            self.not_pressed_at(),
            self.sitting.ends_at(&self.cx, self.late.started()),
            self.late.due_at(&self.cx),
            self.motion.missing_at(&self.cx, self.is_idle()),
            self.life.due_at(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// The whole board.
    pub(super) fn on_picture(&mut self, picture: &Placement) {
        let is_before = self.cx.game.plies().is_empty()
            && self.cx.clock.running().is_none()
            && !self.cx.is_over()
            && self.motion.stirred().is_empty()
            && self.cx.phase != Phase::Running;
        if is_before {
            setup::check(&mut self.cx, picture);
            return;
        }
        let is_changed = |sq: &Square| self.cx.board.seen().get(*sq) != picture.get(*sq);
        let changed: Vec<Square> = Square::ALL.into_iter().filter(is_changed).collect();
        let is_news = !changed.is_empty();
        for sq in changed {
            self.cx.board.set(sq, picture.get(sq));
            self.motion.forget_touch(sq);
        }
        if self.cx.matters.demand().is_some() {
            self.restore_if_shown();
        } else if is_news || self.cx.board.rests_at().is_none() {
            // What shows nothing new postpones nothing.
            self.cx.await_rest();
        }
    }

    fn on_clock(&mut self, clocks: Clocks) {
        let was_idle = self.is_idle();
        self.cx.clock.read(clocks, self.cx.phase == Phase::Running);
        if was_idle && !self.is_idle() {
            // What was shown while the clock stood was no play.
            self.motion.forget_shown();
            self.cx.await_rest();
        }
        if clocks.running.is_some() && self.cx.phase == Phase::Ready && !self.cx.is_over() {
            // The clock runs although nobody said that it starts: the game is under way.
            self.late.all_present();
            self.begin_play();
        }
    }

    /// Whether what is moved or pressed from now on does not count: a flag is being ruled upon, or
    /// a claim has concluded the game.
    pub(super) fn is_play_over(&self) -> bool {
        self.cx.matters.flag_seen().is_some() || self.claims.is_concluded(&self.cx)
    }

    /// Play begins; the terms are fixed.
    fn begin_play(&mut self) {
        self.cx.phase = Phase::Running;
        self.late.start(self.cx.now);
        let limit = self.cx.terms.lateness().as_secs();
        let facts = format!("{}, default time {limit} s", self.cx.terms.profile);
        self.cx.out.log_with(Code::GameStart, None, facts);
    }

    /// What is due because time has passed.
    fn watch_time(&mut self) {
        if self.cx.board.has_come_to_rest(self.cx.now) {
            self.judge(Cause::Rest);
        }
        if self.cx.is_over() {
            self.claims.drop_open();
            self.life.stop();
            return;
        }
        let is_idle = self.is_idle();
        self.motion.watch_missing(&mut self.cx, is_idle);
        self.watch_not_pressed();
        self.flags.watch(&mut self.cx);
        self.late.watch(&mut self.cx);
        self.sitting.watch(&mut self.cx, self.late.started());
    }

    fn not_pressed_at(&self) -> Option<Mono> {
        let after = self.cx.terms.not_pressed?;
        let ply = self.cx.game.last_ply().filter(|ply| !ply.is_completed && !ply.is_illegal)?;
        let is_due = !self.motion.is_not_pressed_noted() && self.cx.clock.running() == Some(ply.by);
        (is_due && !self.cx.is_over()).then(|| ply.made + after)
    }

    fn watch_not_pressed(&mut self) {
        if self.not_pressed_at().is_some_and(|due| due <= self.cx.now) {
            self.motion.note_not_pressed();
            let by = self.cx.game.last_ply().map(|ply| ply.by);
            self.cx.out.log(Code::NotPressed, by);
        }
    }
}
