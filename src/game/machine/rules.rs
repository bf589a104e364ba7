//! The Laws in the game: what happens at the table is told to the referee, and what it says goes on
//! record and to the clock.
//!
//! The record of moves is the tracker's, which weighs what hands do. The referee is told of each
//! change of it, and says what the Laws make of that and of touches, presses and words.

use super::Game;
use super::told::{call_of, reason_of, record_of};
use crate::game::bench::Bench;
use crate::game::effect::Effect;
use crate::game::entry::{Fact, Ruled, Weighed};
use crate::game::event::Clocked;
use crate::game::play::Play;
use crate::laws::{Clocks, Code, Ending, Referee, Ruling, Score, Stage, Told};
use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Move, Position, Role, Square};
use std::time::Duration;

/// The referee follows the record after this stillness.
const FOLLOW_AFTER: Duration = Duration::from_secs(3);

impl Game {
    /// The referee, if the settings name the terms of the game.
    pub fn referee(&self) -> Option<&Referee> {
        self.bench.as_ref().map(Bench::referee)
    }

    /// What the referee said to the last event.
    pub fn rulings(&self) -> &[Ruling] {
        self.bench.as_ref().map_or(&[], Bench::said)
    }

    /// Where the record begins from another position than the referee was told, it begins anew.
    fn seat_at_beginning(&mut self, now: Mono) {
        let has_begun = self.out.facts.iter().any(|fact| matches!(fact, Fact::Began { .. }));
        let (Some(bench), Some(play), true) = (&self.bench, self.recorder.play(), has_begun) else {
            return;
        };
        let (start, mode) = (play.sheet().start().clone(), play.sheet().mode());
        let is_joined = play.sheet().is_joined();
        if *bench.start() != start {
            self.parts().1.reseat(&start, mode);
        }
        if let Some(bench) = self.bench.as_mut().filter(|_| is_joined) {
            bench.set_joined();
        }
        self.tell_shown(now);
        self.tell_reading(now);
    }

    /// What the sensors see, for a referee who knows only the position.
    pub(super) fn tell_shown(&mut self, now: Mono) {
        let Some(play) = self.recorder.play() else { return };
        let picture = Box::new(play.tracker().seen().clone());
        self.tell(now, &Told::Unseen(picture));
    }

    /// Whether pieces that move now belong to no move: the game is over for the referee, a flag is
    /// being ruled upon, or the move is to stay secret.
    pub(super) fn is_suspended(&self) -> bool {
        self.bench.as_ref().is_some_and(|bench| bench.referee().is_suspended())
    }

    pub(super) fn on_clocked(&mut self, now: Mono, clocked: Clocked) {
        match clocked {
            Clocked::Shows(clocks) => {
                if let Some(bench) = &mut self.bench {
                    bench.note_clock(clocks);
                }
                self.record_shown(now, clocks);
                self.tell(now, &Told::Clock(clocks));
            }
            Clocked::Flag(side) => {
                self.out.facts.push(Fact::Flag { side: Some(side) });
                self.tell(now, &Told::Flag(side));
            }
            Clocked::FlagsUnknown => {
                self.out.facts.push(Fact::Flag { side: None });
                self.tell(now, &Told::FlagsUnknown);
            }
        }
    }

    /// Before people act, what the clock shows goes on record: their claims rest on it.
    pub(super) fn record_latest(&mut self, now: Mono) {
        if let Some(latest) = self.bench.as_mut().and_then(|bench| bench.take_latest(now)) {
            self.record_clock(latest);
        }
    }

    /// What a clock shows goes on record when another side runs, when time was given, and from time
    /// to time.
    fn record_shown(&mut self, now: Mono, clocks: Clocks) {
        if self.bench.as_mut().is_some_and(|bench| bench.is_to_record(now, clocks)) {
            self.record_clock(clocks);
        }
    }

    fn record_clock(&mut self, Clocks { left, running }: Clocks) {
        self.out.facts.push(Fact::Clock { running, times: Some(left), is_connected: true });
    }

    /// What the clock behind the board shows, in the referee's words.
    pub(super) fn tell_reading(&mut self, now: Mono) {
        let Some(left) = self.clock.times() else { return };
        self.tell(now, &Told::Clock(Clocks { left, running: self.clock.running() }));
    }

    pub(super) fn tell_square(&mut self, now: Mono, sq: Square, reading: Reading) {
        let seen = self.recorder.seen().filter(|_| self.is_unsure(now));
        let told = match seen {
            Some(seen) => Told::Unseen(Box::new(seen.clone())),
            None => Told::Square(sq, reading),
        };
        self.tell(now, &told);
    }

    /// Whether what is read may be a hurt byte, or what was played is not known: it says nothing of
    /// what hands did, and nobody is named for it. The record tells which moves they were.
    pub(super) fn is_unsure(&self, now: Mono) -> bool {
        self.recorder.play().is_some() && (self.recorder.is_silent() || self.board.is_noisy(now))
    }

    pub(super) fn tell_picture(&mut self, now: Mono, placement: &Placement) {
        let picture = Box::new(placement.clone());
        let is_unseen = self.recorder.play().is_some() && !self.recorder.sees_all();
        let told = if is_unseen || self.is_unsure(now) {
            Told::Unseen(picture)
        } else {
            Told::Picture(picture)
        };
        self.tell(now, &told);
    }

    /// The record is the tracker's, which weighs all that was seen. Where the referee has had
    /// another view for long, of a board that shows what is on record, it follows the record.
    ///
    /// It follows at once what the record has completed, and a stretch that nobody saw, whatever
    /// waits for an answer: what was open before that stretch is open no more.
    fn follow_record(&mut self, now: Mono) {
        if let Some((ply, m)) = self.named_promotion()
            && let Some(play) = self.recorder.play_mut()
        {
            // What was played later may forbid it; then the record stands.
            play.settle_order(now, ply, m, &mut self.out.facts).ok();
        }
        let has_gap = self.out.facts.iter().any(is_of_gap);
        if has_gap {
            self.drop_doubt(now);
        }
        let (Some(play), Some(bench)) = (self.recorder.play(), &self.bench) else { return };
        if !has_gap && (bench.doubt().is_some() || !bench.referee().may_follow()) {
            return;
        }
        let sheet = play.sheet();
        let is_still = now.since(play.tracker().last_change()) >= FOLLOW_AFTER;
        let is_completed = |fact: &Fact| matches!(fact, Fact::MoveCompleted { .. });
        let may_be_behind = self.out.facts.iter().any(is_completed);
        if !has_gap && !is_still && !may_be_behind {
            return;
        }
        let shows = || {
            let differs = play.tracker().seen().differs(sheet.last().board());
            (differs & !play.tracker().untold()).is_empty()
        };
        let record = record_of(sheet);
        let is_behind = may_be_behind && bench.referee().is_behind(&record);
        let differs = || bench.referee().differs(&record) && !bench.referee().waits_for_piece();
        if has_gap || is_behind || is_still && differs() && shows() {
            self.out.facts.push(Fact::Weighed(Weighed::Followed));
            self.tell(now, &Told::Record(record));
        }
    }

    /// A recorded promotion to what the sensors cannot tell, and to what the player has said it is.
    fn named_promotion(&self) -> Option<(usize, Move)> {
        let (sheet, bench) = (self.recorder.play()?.sheet(), self.bench.as_ref()?);
        let (ply, m) = bench.referee().promotes_otherwise(&record_of(sheet))?;
        let seen = self.recorder.play()?.tracker().seen();
        let names = matches!(seen.get(m.to()), Reading::Piece(piece) if piece.role != Role::Pawn);
        if names {
            return None;
        }
        let is_open = sheet.moves()[ply - 1].alternatives.contains(&m.to_uci(sheet.mode()));
        is_open.then_some((ply, m))
    }

    /// Whether the record has ended the game by what no referee sees: the kings in the center, a
    /// piece with a signal. What is moved then is none of its business.
    pub(super) fn is_closed(&self) -> bool {
        let is_over = self.recorder.play().is_some_and(Play::is_over);
        is_over && self.bench.as_ref().is_some_and(|bench| bench.referee().result().is_none())
    }

    /// Tells the referee, and takes down what it says.
    pub(super) fn tell(&mut self, now: Mono, told: &Told) {
        if told.is_observed() && self.is_closed() {
            return;
        }
        if matches!(told, Told::Flag(_) | Told::FlagsUnknown) {
            self.look_before(now, told);
        }
        if !self.keep_waiting(now, told) {
            self.tell_now(now, told);
        }
    }

    pub(super) fn tell_now(&mut self, now: Mono, told: &Told) {
        let Some(bench) = &mut self.bench else { return };
        let rulings = bench.tell(now, told);
        let edition = bench.referee().terms().profile.edition;
        if let Some(play) = self.recorder.play_mut() {
            play.hold_end(bench.referee().is_end_open());
        }
        if self.recorder.play().is_none()
            && rulings.iter().any(|said| matches!(said, Ruling::Result(_)))
        {
            let (recorder, mut cx) = self.parts();
            recorder.begin_unplayed(&mut cx, now);
        }
        for ruling in &rulings {
            self.out.facts.extend(Ruled::of(ruling, edition).map(Fact::Ruled));
        }
        if let Some(bench) = &mut self.bench {
            bench.note_said(&rulings);
        }
        for ruling in rulings {
            if let Ruling::Result(verdicted) = ruling {
                self.end_by_ruling(now, verdicted.code, verdicted.score);
            }
        }
    }

    /// The referee's result is the game's, unless the board had ended it already.
    fn end_by_ruling(&mut self, now: Mono, code: Code, score: Score) {
        let Some(play) = self.recorder.play_mut().filter(|play| !play.is_over()) else { return };
        match (score.outcome(), reason_of(code)) {
            (Some(outcome), Some(reason)) if reason.is_of_position() => {
                play.end_by_move(now, Ending { outcome, reason }, &mut self.out.facts);
            }
            (Some(outcome), Some(reason)) => {
                self.recorder.end(Ending { outcome, reason }, &mut self.out.facts);
            }
            _ => self.recorder.close(&mut self.out.facts),
        }
    }

    /// When the referee wants to be told that time has passed.
    pub(super) fn bench_wakes_at(&self) -> Option<Mono> {
        let bench = self.bench.as_ref().filter(|_| !self.is_closed())?;
        match self.doubt_ends_at() {
            // Those who keep the record look at the press themselves, and it is decided then.
            Some(_) if self.recorder.has_suspect() => None,
            Some(due) => Some(due),
            None => bench.referee().wake_at(),
        }
    }

    /// A new event: what was said to the last one is past.
    pub(super) fn clear_bench(&mut self) {
        self.refused = None;
        if let Some(bench) = &mut self.bench {
            bench.clear();
        }
    }

    /// Tells the moves on record, if they have changed.
    pub(super) fn tell_made(&mut self, now: Mono) {
        let is_change =
            |fact: &Fact| matches!(fact, Fact::MoveMade { .. } | Fact::MoveRetracted { .. });
        let is_changed = self.out.facts[self.n_told..].iter().any(is_change);
        self.n_told = self.out.facts.len();
        if let Some(play) = self.recorder.play().filter(|_| is_changed) {
            let record = record_of(play.sheet());
            self.tell(now, &Told::Moves(record));
        }
    }

    pub(super) fn run_bench(&mut self, now: Mono, effects: &mut Vec<Effect>) {
        self.seat_at_beginning(now);
        self.tell_made(now);
        self.decide_doubt(now);
        let found = self.out.facts.iter().find_map(|fact| match fact {
            Fact::IllegalMove { stage: Stage::Completed, by, .. } => Some(*by),
            _ => None,
        });
        let doubted = self.bench.as_ref().and_then(Bench::doubt).map(|doubt| doubt.by);
        if found.is_some_and(|by| doubted == Some(!by)) {
            // Who presses an illegal move back gives its player the time that is his.
            self.drop_doubt(now);
        }
        // How the board stands after a stretch that nobody saw is judged by what the record has of
        // that.
        let is_unseen = self.out.facts.iter().any(is_of_gap);
        if is_unseen {
            self.tell_reopened(now);
            self.follow_record(now);
        }
        let call = self.out.facts.iter().find_map(call_of);
        if let Some(call) = call.filter(|_| !self.is_unsure(now)) {
            self.tell(now, &call);
        }
        if self.bench_wakes_at().is_some_and(|due| due <= now) {
            self.tell(now, &Told::Passed);
        }
        if !is_unseen {
            self.tell_reopened(now);
            self.follow_record(now);
        }
        self.end_by_position(now);
        if let Some(by) = found {
            self.tell(now, &Told::Illegal(by));
        }
        self.pass_orders(now, effects);
    }

    /// What the referee has ordered goes to the clock.
    fn pass_orders(&mut self, now: Mono, effects: &mut Vec<Effect>) {
        let Some(bench) = &mut self.bench else { return };
        let orders = bench.take_orders();
        if orders.is_empty() {
            return;
        }
        let (after, is_over) = (bench.referee().clocks().left, bench.referee().result().is_some());
        self.clock.order(now, &orders, after, is_over, &mut self.out.facts);
        effects.extend(orders.into_iter().map(Effect::Clock));
    }
}

/// Whether this says what is known of a stretch that nobody saw.
fn is_of_gap(fact: &Fact) -> bool {
    matches!(fact, Fact::Gap { .. } | Fact::GapClosed { .. })
}
