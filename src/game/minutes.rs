//! What is on record of a table, told to a referee who takes over. What he would say of it has been
//! said; a press in doubt is settled as it was.

use super::entry::{Fact, Weighed};
use super::machine::Game;
use super::play::Play;
use super::rules::{Bench, told_of};
use super::score::ScoreSheet;
use super::settings::Settings;
use crate::laws::{Clocks, Ending, Picture, Recorded, Thing, Told};
use crate::time::Mono;
use crate::track::line::CompletedBy;
use shakmaty::{Bitboard, ByColor, CastlingMode, Chess, Color, Position, Square};
use std::time::Duration;

/// A press in doubt is settled by then. In a record that does not say how, it was told as it came.
const SETTLED_AFTER: Duration = Duration::from_secs(6);

/// Something that a referee is told, or that decides what he is told.
#[derive(Clone, Debug)]
enum Item {
    Told(Told),
    /// A half-move was put on record.
    Made(Recorded),
    /// Half-move `ply`, from 1, was completed; the clock then, if the press was just now.
    Completed(usize, Option<Clocks>),
    /// It was withdrawn.
    Retracted(usize),
    Weighed(Weighed),
    Ended(Ending),
}

/// What is on record of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Minutes {
    items: Vec<(Mono, Item)>,
    last: Mono,
    /// What lies before the time of this run of the daemon.
    before: Mono,
    /// Messages of the board may have been lost.
    has_gap: bool,
}

impl Minutes {
    /// Takes down `fact`, recorded at `at` with `sheet` as it is then, if a referee is told of it
    /// or of what follows from it.
    pub(super) fn note(&mut self, at: Mono, fact: &Fact, sheet: Option<&ScoreSheet>) {
        if at < self.last {
            self.before = self.end();
            self.has_gap = true;
        }
        self.last = at;
        let first = sheet.map_or(Color::White, |sheet| sheet.start().turn());
        let item = match fact {
            Fact::Link(_) => {
                self.has_gap = true;
                return;
            }
            Fact::MoveMade { is_illegal, .. } => {
                let Some(scored) = sheet.and_then(|sheet| sheet.moves().last()) else { return };
                let (m, is_illegal) = (scored.m, *is_illegal);
                Item::Made(Recorded { m, is_illegal, is_completed: false })
            }
            Fact::MoveCompleted { ply, by, pressed_before, times } => {
                let is_now = *by == CompletedBy::Press && pressed_before.is_zero();
                let next = if ply.is_multiple_of(2) { first } else { !first };
                let clocks = times.filter(|_| is_now).map(|times| Clocks {
                    left: ByColor { white: times.white, black: times.black },
                    running: Some(next),
                });
                Item::Completed(*ply, clocks)
            }
            Fact::MoveRetracted { ply } => Item::Retracted(*ply),
            Fact::Weighed(outcome) => Item::Weighed(*outcome),
            Fact::Ended(ending) => Item::Ended(*ending),
            _ => match (told_of(fact), std::mem::take(&mut self.has_gap)) {
                (Some(Told::Picture(picture)), true) if sheet.is_some() => {
                    Item::Told(Told::Unseen(picture))
                }
                (told, had_gap) => {
                    self.has_gap = had_gap && !matches!(fact, Fact::Pictured(_));
                    let Some(told) = told else { return };
                    Item::Told(told)
                }
            },
        };
        self.items.push((self.end(), item));
    }

    /// A game begins. If moves of another one are on record, a new referee is seated for it; if
    /// not, he who was there before the game stays, with what he was told.
    pub(super) fn begin(&mut self) {
        let has_moves = self.items.iter().rev().find_map(|(_, item)| match item {
            Item::Made(_) => Some(true),
            Item::Retracted(ply) => Some(*ply > 1),
            _ => None,
        });
        if has_moves == Some(true) {
            self.items.clear();
        }
    }

    fn end(&self) -> Mono {
        Mono(self.before.0.saturating_add(self.last.0))
    }

    /// A referee of this game who knows all of it; none if the settings name no terms.
    pub(super) fn seat(
        &self,
        settings: &Settings,
        start: &Chess,
        mode: CastlingMode,
    ) -> Option<Bench> {
        let terms = settings.terms.clone()?;
        let mut game = Game::new(settings.clone());
        game.bench = Some(Bench::from(terms, start.clone(), mode));
        let play = |ending| Some(Play::resumed(ScoreSheet::new(start.clone(), mode), ending));
        game.play = play(None);
        let mut record: Vec<Recorded> = Vec::new();
        let mut seen = Picture::new(start.board().clone(), Bitboard::EMPTY);
        let mut ended: Option<(Mono, Ending)> = None;
        for (at, item) in &self.items {
            if let Some((_, ending)) = ended.filter(|(then, _)| then < at) {
                game.play = play(Some(ending));
            }
            pass(&mut game, *at);
            match item {
                Item::Told(Told::Pressed(by)) => game.press_told(*at, *by),
                Item::Told(told) => {
                    see(&mut seen, told);
                    game.tell(*at, told);
                }
                Item::Made(recorded) => record.push(*recorded),
                Item::Completed(ply, clocks) => {
                    if let Some(recorded) = record.get_mut(*ply - 1) {
                        recorded.is_completed = true;
                    }
                    if let Some(clocks) = clocks {
                        game.tell(*at, &Told::Clock(*clocks));
                    }
                }
                Item::Retracted(ply) => record.truncate(*ply - 1),
                Item::Weighed(Weighed::Followed) => {
                    game.take_outcome(*at, Weighed::Followed, record.clone(), seen.clone());
                }
                Item::Weighed(outcome) if game.is_in_doubt() => {
                    game.take_outcome(*at, *outcome, record.clone(), seen.clone());
                }
                Item::Weighed(_) => {}
                // What brought it about is on record behind it.
                Item::Ended(ending) => ended = Some((*at, *ending)),
            }
            game.facts.clear();
        }
        pass(&mut game, self.end());
        if game.is_in_doubt() {
            game.take_outcome(self.end(), Weighed::Dropped, record, seen);
        }
        let mut bench = game.bench.take()?;
        bench.take_orders();
        bench.said.clear();
        bench.referee.begin_again();
        Some(bench)
    }
}

/// Time passes until `at`.
fn pass(game: &mut Game, at: Mono) {
    let is_old = |due: Mono| due + SETTLED_AFTER <= at;
    while game.doubt_ends_at().is_some_and(is_old) {
        game.end_doubt();
    }
    while let Some(due) = game.bench_wakes_at().filter(|due| *due <= at && !game.is_in_doubt()) {
        game.tell_now(due, &Told::Passed);
        if game.bench_wakes_at() == Some(due) {
            break;
        }
    }
}

/// What the sensors show after `told`.
fn see(seen: &mut Picture, told: &Told) {
    match told {
        Told::Square(sq, thing) => seen.set(*sq, *thing),
        Told::Picture(picture) | Told::Unseen(picture) => {
            for sq in Square::ALL {
                let thing: Option<Thing> = picture.get(sq);
                seen.set(sq, thing);
            }
        }
        _ => {}
    }
}
