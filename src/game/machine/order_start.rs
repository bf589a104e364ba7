//! Orders that say what a game is played from: its start position, another one, or the board as it
//! stands.

use super::Game;
use crate::game::entry::Fact;
use crate::game::play::Play;
use crate::game::recorder::{start_due, start_shown};
use crate::game::score::Unknown;
use crate::table::Placement;
use crate::time::Mono;
use crate::track::bridge;
use shakmaty::fen::Fen;
use shakmaty::{Board, CastlingMode, Chess, Color, Position, PositionError};
use std::num::NonZeroU32;

const UNREAD: &str =
    "the board cannot be read, or does not name its pieces; give the position as a FEN";

const NOT_AFTER: &str = "that position cannot come after the one on record; end the game with \
                         \"result\", then order \"adopt\" or \"position\"";

impl Game {
    /// The game begins from the start position: the one that is named, the array that stands, or
    /// the usual one. A referee is told as well, who rules on its clock; where one sits a game that
    /// has moves, or is over, is his matter.
    pub(super) fn order_start(&mut self, now: Mono) -> Result<(), String> {
        let is_begun = |play: &Play| play.is_over() || !play.sheet().is_empty();
        if self.bench.is_some() && self.recorder.play().is_some_and(is_begun) {
            return Ok(());
        }
        let shown = self.recorder.board().cloned().map(Placement::from);
        let shown = shown.and_then(|placement| start_shown(&self.settings, &placement));
        let (start, mode) = start_due(&self.settings, shown);
        let is_so = self.open().is_some_and(|play| {
            play.sheet().is_empty() && !play.sheet().is_joined() && *play.sheet().start() == start
        });
        match self.bench {
            Some(_) if is_so => Ok(()),
            _ => self.begin_by_order(now, start, mode),
        }
    }

    /// The game is played from this position.
    pub(super) fn order_position(&mut self, now: Mono, fen: &Fen) -> Result<(), String> {
        let mode = self.recorder.joined_mode(&self.settings);
        let pos = fen.clone().into_position::<Chess>(mode);
        let pos = pos.or_else(PositionError::ignore_too_much_material);
        let pos = pos.map_err(|why| format!("no game can be played from there: {why}"))?;
        self.begin_by_order(now, pos, mode)
    }

    /// The game is played from how the board stands, with `turn` to move.
    pub(super) fn order_standing(&mut self, now: Mono, turn: Color) -> Result<(), String> {
        let mode = self.recorder.joined_mode(&self.settings);
        let board = self.recorder.board().ok_or(UNREAD)?;
        let pos = standing(board, turn, mode)?;
        self.begin_by_order(now, pos, mode)
    }

    /// The board is right as it stands: the record goes on from there, with a gap where moves are
    /// on record already.
    pub(super) fn order_adopt(&mut self, now: Mono, turn: Option<Color>) -> Result<(), String> {
        let board = self.recorder.board().ok_or(UNREAD)?.clone();
        let is_heard = self.clock.is_running() && !self.recorder.is_away();
        let by_clock = self.clock.on_move().filter(|_| is_heard);
        let Some(play) = self.open() else {
            let turn = turn.or(by_clock).unwrap_or(Color::White);
            let pos = standing(&board, turn, self.recorder.joined_mode(&self.settings))?;
            let (recorder, mut cx) = self.parts();
            recorder.begin_joined(&mut cx, now, pos);
            self.show_board(now);
            return Ok(());
        };
        let (last, mode) = (play.sheet().last().clone(), play.sheet().mode());
        let is_empty = play.sheet().is_empty();
        let turn = turn.or(by_clock);
        if *last.board() == board && turn.is_none_or(|turn| turn == last.turn()) {
            return Err("the board already agrees with the record".to_owned());
        }
        let (recorder, mut cx) = self.parts();
        if !is_empty && recorder.adopt_unseen(&mut cx, now, &board, turn) {
            recorder.look_at_rest(&cx, now);
            return Ok(());
        }
        if !is_empty {
            return Err(NOT_AFTER.to_owned());
        }
        let pos = standing(&board, turn.unwrap_or(last.turn()), mode)?;
        self.begin_anew(now, pos, true);
        Ok(())
    }

    fn open(&self) -> Option<&Play> {
        self.recorder.play().filter(|play| !play.is_over())
    }

    /// A game begins from `pos`, or the one that has begun does so.
    fn begin_by_order(&mut self, now: Mono, pos: Chess, mode: CastlingMode) -> Result<(), String> {
        let Some(play) = self.open() else {
            let (recorder, mut cx) = self.parts();
            recorder.begin(&mut cx, now, pos.clone(), mode);
            cx.reseat(&pos, mode);
            self.show_board(now);
            return Ok(());
        };
        let n = play.sheet().len();
        if n > 0 && self.recorder.is_unnamed() {
            return self.adopt_named(now, &pos);
        }
        if n > 0 {
            let what = Unknown::exactly(n);
            return Err(format!(
                "{what} on record already; end the game with \"result\" first, or order \"adopt\" \
                 to record the board as it stands"
            ));
        }
        if !play.sheet().is_joined() && *play.sheet().start() == pos {
            return Err("the record already begins from there".to_owned());
        }
        self.begin_anew(now, pos, false);
        Ok(())
    }

    /// The game on record goes on from `pos`, with a gap before it: the board does not tell
    /// which pieces stand on it.
    fn adopt_named(&mut self, now: Mono, pos: &Chess) -> Result<(), String> {
        let (recorder, mut cx) = self.parts();
        if !recorder.adopt_unseen(&mut cx, now, pos.board(), Some(pos.turn())) {
            return Err(NOT_AFTER.to_owned());
        }
        self.show_board(now);
        Ok(())
    }

    /// The record of the game that has begun, and has no moves, begins from `pos`.
    fn begin_anew(&mut self, now: Mono, pos: Chess, is_joined: bool) {
        let Some(play) = self.recorder.play_mut() else { return };
        play.begin_from(now, pos.clone(), is_joined, &mut self.out.facts);
        let mode = play.sheet().mode();
        self.parts().1.reseat(&pos, mode);
        self.recorder.forget_silence();
        self.show_board(now);
    }

    /// What the sensors see is held against the record that has just begun.
    fn show_board(&mut self, now: Mono) {
        let Some(seen) = self.recorder.seen().cloned() else { return };
        self.tell_picture(now, &seen);
        if let Some(play) = self.recorder.play_mut() {
            play.witness(now, &seen);
        }
        let (recorder, mut cx) = self.parts();
        recorder.look_at_rest(&cx, now);
        recorder.note_difference(&mut cx, now);
    }

    /// Whether `fact` is that a game begins: who ordered that says so to the referee of that game.
    pub(super) const fn begins(fact: &Fact) -> bool {
        matches!(fact, Fact::GameStarted { .. } | Fact::Began { .. })
    }
}

/// The position on `board`, with `turn` to move.
fn standing(board: &Board, turn: Color, mode: CastlingMode) -> Result<Chess, String> {
    let pos = bridge::standing(board, None, mode, turn, NonZeroU32::MIN);
    pos.ok_or_else(|| format!("the board shows no legal position with {turn} to move"))
}
