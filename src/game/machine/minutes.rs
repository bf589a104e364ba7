//! What is on record of a table, told to a referee that takes over. What it would say of it has
//! been said; a press in doubt is decided as it was.

use super::Game;
use super::told::told_of;
use crate::game::bench::Bench;
use crate::game::entry::{Fact, Weighed};
use crate::game::play::Play;
use crate::game::score::ScoreSheet;
use crate::game::settings::Settings;
use crate::laws::{Clocks, Ending, Sheet, SheetMove, Told};
use crate::table::{Placement, defaults};
use crate::time::Mono;
use crate::track::line::CompletedBy;
use shakmaty::{Chess, Color, Position};

/// Something that a referee is told, or that decides what it is told.
#[derive(Clone, Debug)]
enum MinutesItem {
    Told(Told),
    /// A half-move was put on record.
    Made(SheetMove),
    /// Half-move `ply`, from 1, was completed; the clock then, if the press was just now.
    /// The flag says that a reply stands for the press.
    Completed(usize, bool, Option<Clocks>),
    /// It was withdrawn.
    Retracted(usize),
    /// Nobody knows what came after the last half-move; the game goes on from this position.
    Gap(Box<Chess>),
    /// That is known.
    GapClosed,
    Weighed(Weighed),
    Ended(Ending),
    Reopened,
    /// The daemon was started anew.
    Restarted,
}

/// What is on record of a table.
#[derive(Clone, Debug, Default)]
pub(in crate::game) struct Minutes {
    items: Vec<(Mono, MinutesItem)>,
    last: Mono,
    /// What lies before the time of this run of the daemon.
    before: Mono,
    /// Messages of the board may have been lost.
    has_gap: bool,
}

impl Minutes {
    /// Takes down `fact`, recorded at `at` with `sheet` as it is then, if a referee is told of it
    /// or of what follows from it.
    pub(in crate::game) fn note(&mut self, at: Mono, fact: &Fact, sheet: Option<&ScoreSheet>) {
        self.last = at;
        let item = match fact {
            Fact::Link(_) => {
                self.has_gap = true;
                return;
            }
            Fact::MoveMade { is_illegal, .. } => {
                let Some(scored) = sheet.and_then(|sheet| sheet.moves().last()) else { return };
                let (m, is_illegal) = (scored.m, *is_illegal);
                MinutesItem::Made(SheetMove {
                    m,
                    is_illegal,
                    is_completed: false,
                    is_replied: false,
                })
            }
            Fact::MoveCompleted { ply, by, pressed_before, times } => {
                let is_now = *by == CompletedBy::Press && pressed_before.is_zero();
                let known = sheet.filter(|sheet| *ply <= sheet.len());
                let next = known.map_or(Color::White, |sheet| sheet.position(*ply).turn());
                let clocks = times.filter(|_| is_now);
                let clocks = clocks.map(|left| Clocks { left, running: Some(next) });
                MinutesItem::Completed(*ply, *by == CompletedBy::Reply, clocks)
            }
            Fact::MoveRetracted { ply } => MinutesItem::Retracted(*ply),
            Fact::Gap { .. } => match sheet {
                Some(sheet) => MinutesItem::Gap(Box::new(sheet.last().clone())),
                None => return,
            },
            Fact::GapClosed { .. } => MinutesItem::GapClosed,
            // Before the first game a referee is told of the board once it is read again.
            Fact::Sensed { .. } | Fact::Pictured(_) if sheet.is_none() => return,
            Fact::Weighed(outcome) => MinutesItem::Weighed(*outcome),
            Fact::Ended(ending) => MinutesItem::Ended(*ending),
            Fact::Reopened(_) => MinutesItem::Reopened,
            _ => match (told_of(fact), std::mem::take(&mut self.has_gap)) {
                (Some(Told::Picture(picture)), true) if sheet.is_some() => {
                    MinutesItem::Told(Told::Unseen(picture))
                }
                (told, had_gap) => {
                    self.has_gap = had_gap && !matches!(fact, Fact::Pictured(_));
                    let Some(told) = told else { return };
                    MinutesItem::Told(told)
                }
            },
        };
        self.items.push((self.end(), item));
    }

    /// A game begins. If moves of another one are on record, a new referee is seated for it; if
    /// not, the one that was there before the game stays, with what it was told.
    pub(in crate::game) fn begin(&mut self) {
        let has_moves = self.items.iter().rev().find_map(|(_, item)| match item {
            MinutesItem::Made(_) => Some(true),
            MinutesItem::Retracted(ply) => Some(*ply > 1),
            _ => None,
        });
        if has_moves == Some(true) {
            self.items.clear();
        }
    }

    /// The record begins from another position, with a referee who knows nothing else.
    pub(in crate::game) fn begin_anew(&mut self) {
        self.items.clear();
    }

    /// The daemon was started anew: its time begins again, and messages of the board may have been
    /// lost.
    pub(in crate::game) fn note_restart(&mut self) {
        self.items.push((self.end(), MinutesItem::Restarted));
        self.before = self.end();
        self.last = Mono::default();
        self.has_gap = true;
    }

    fn end(&self) -> Mono {
        Mono(self.before.0.saturating_add(self.last.0))
    }

    /// A referee of this game who knows all of it; none if the settings name no terms.
    /// It takes over at `begins`.
    pub(in crate::game) fn seat(
        &self,
        settings: &Settings,
        sheet: &ScoreSheet,
        begins: Mono,
    ) -> Option<Bench> {
        let mut reader = MinutesReader::new(settings, sheet)?;
        for (at, item) in &self.items {
            reader.take(*at, item);
        }
        reader.take(self.end(), &MinutesItem::Restarted);
        let mut bench = reader.game.bench?;
        bench.begin_again(begins);
        Some(bench)
    }
}

defaults! {
    /// Reads the minutes to the referee, with a game that has nothing else.
    struct MinutesReader {
        given {
            game: Game,
            /// What the sensors show.
            seen: Placement,
        }
        record: Sheet,
        /// What the clock showed.
        clocks: Option<Clocks>,
        /// The end of the game, as long as what brought it about may be on record behind it.
        ended: Option<(Mono, Ending)>,
        /// Who has pressed just now, and when.
        pressed: Option<(Mono, Color)>,
        /// When the moves changed, which is not told yet.
        changed: Option<Mono>,
    }
}

impl MinutesReader {
    fn new(settings: &Settings, sheet: &ScoreSheet) -> Option<Self> {
        let terms = settings.terms.clone()?;
        let (start, mode) = (sheet.start(), sheet.mode());
        let mut game = Game::new(settings.clone());
        let bench = game.bench.insert(Bench::seated(terms, start.clone(), mode));
        if sheet.is_joined() {
            bench.set_joined();
        }
        game.recorder.set_play(Play::resumed(ScoreSheet::new(start.clone(), mode), None));
        let seen = Placement::from(start.board().clone());
        Some(Self::begin(game, seen))
    }

    fn take(&mut self, at: Mono, item: &MinutesItem) {
        if self.ended.is_some_and(|(then, _)| then < at)
            && let (Some((_, ending)), Some(play)) =
                (self.ended.take(), self.game.recorder.play_mut())
        {
            play.end(ending, &mut self.game.out.facts);
        }
        let is_of_press = matches!(item, MinutesItem::Made(_) | MinutesItem::Retracted(_))
            || matches!(item, MinutesItem::Completed(..));
        let is_past = |then: Mono| then < at;
        let is_later = self.pressed.is_some_and(|(then, _)| is_past(then))
            || self.changed.is_some_and(is_past);
        if !is_of_press || is_later {
            self.tell_held();
        }
        self.pass(at);
        match item {
            MinutesItem::Told(told) => self.tell(at, told),
            MinutesItem::Weighed(outcome) => self.weigh(at, *outcome),
            MinutesItem::Made(recorded) => {
                self.record.moves.push(*recorded);
                self.changed = Some(at);
            }
            MinutesItem::Completed(ply, is_replied, clocks) => {
                self.complete(at, *ply, *is_replied, *clocks);
            }
            MinutesItem::Retracted(ply) => {
                self.record.moves.truncate(*ply - 1);
                self.record.gaps.retain(|(n, _)| n < ply);
                self.changed = Some(at);
            }
            MinutesItem::Gap(adopted) => {
                self.close_gap();
                self.record.gaps.push((self.record.moves.len(), (**adopted).clone()));
            }
            MinutesItem::GapClosed => self.close_gap(),
            MinutesItem::Ended(ending) => {
                self.ended = Some((at, *ending));
                if ending.reason.is_of_position() {
                    self.end_by_position(at);
                }
            }
            MinutesItem::Reopened => self.reopen(at),
            MinutesItem::Restarted => self.restart(at),
        }
        self.game.out.facts.clear();
        self.game.n_told = 0;
    }

    /// Time passes until `at`.
    fn pass(&mut self, at: Mono) {
        let game = &mut self.game;
        while let Some(due) = game.bench_wakes_at().filter(|due| *due <= at && !game.is_in_doubt())
        {
            game.tell_now(due, &Told::Passed);
            if game.bench_wakes_at() == Some(due) {
                break;
            }
        }
    }

    fn tell(&mut self, at: Mono, told: &Told) {
        if let Told::Pressed(by) = told {
            // What it completes goes on record with it, and is told first.
            self.pressed = Some((at, *by));
            return;
        }
        if let Told::Clock(clocks) = told {
            self.clocks = Some(*clocks);
        }
        see(&mut self.seen, told);
        self.game.tell(at, told);
    }

    /// Tells the moves, if they have changed, and then who has pressed.
    fn tell_held(&mut self) {
        if let Some(at) = self.changed.take() {
            self.game.tell(at, &Told::Moves(self.record.clone()));
        }
        let Some((at, by)) = self.pressed.take() else { return };
        self.game.press_told(at, by);
        self.turn(at, by);
    }

    /// A clock that goes was seen to go for the other player after a press, whatever became of
    /// that: it is on record only where a move was completed at once.
    fn turn(&mut self, at: Mono, by: Color) {
        let Some(Clocks { running: Some(running), .. }) = &mut self.clocks else { return };
        if std::mem::replace(running, !by) == by
            && let Some(clocks) = self.clocks
        {
            self.game.tell(at, &Told::Clock(clocks));
        }
    }

    fn close_gap(&mut self) {
        let n = self.record.moves.len();
        self.record.gaps.retain(|(ply, _)| *ply != n);
    }

    /// What was in doubt is decided so; or, without a doubt, the record was followed.
    fn weigh(&mut self, at: Mono, outcome: Weighed) {
        if outcome == Weighed::Followed || self.game.is_in_doubt() {
            self.game.take_outcome(at, outcome, self.record.clone(), self.seen.clone());
        }
    }

    /// The last move on record ended the game.
    fn end_by_position(&mut self, at: Mono) {
        let Some(bench) = &mut self.game.bench else { return };
        bench.take_doubt();
        if bench.referee().differs(&self.record) {
            self.game.tell_now(at, &Told::Record(self.record.clone()));
        }
        self.game.tell_now(at, &Told::Final);
    }

    fn complete(&mut self, at: Mono, ply: usize, is_replied: bool, clocks: Option<Clocks>) {
        if let Some(recorded) = self.record.moves.get_mut(ply - 1) {
            (recorded.is_completed, recorded.is_replied) = (true, is_replied);
        }
        if let Some(clocks) = clocks {
            self.tell_held();
            self.tell(at, &Told::Clock(clocks));
        }
    }

    fn reopen(&mut self, at: Mono) {
        self.ended = None;
        if let Some(play) = self.game.recorder.play_mut() {
            play.reopen(&mut self.game.out.facts);
        }
        self.game.tell(at, &Told::Reopened);
    }

    /// The daemon stops, and another referee takes over. What the record had not decided is held
    /// against nobody.
    fn restart(&mut self, at: Mono) {
        self.weigh(at, Weighed::Dropped);
        self.clocks = None;
        if let Some(bench) = &mut self.game.bench {
            bench.begin_again(at);
        }
    }
}

/// What the sensors show after `told`.
fn see(seen: &mut Placement, told: &Told) {
    match told {
        Told::Square(sq, reading) => seen.set(*sq, *reading),
        Told::Picture(picture) | Told::Unseen(picture) => seen.clone_from(picture),
        _ => {}
    }
}
