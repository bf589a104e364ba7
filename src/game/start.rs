//! How a game begins: with a start position on the board, or with one that is named.

use super::entry::Fact;
use super::flags::Flags;
use super::machine::Game;
use super::play::{self, Play};
use super::timers::Timer;
use crate::time::Mono;
use crate::track::Placement;
use shakmaty::{Board, CastlingMode, Chess};
use std::time::Duration;

/// A start position must stand this long to begin a new game.
const RESTART_HOLD: Duration = Duration::from_secs(2);
/// The same while the clock of a game runs.
const RESTART_HOLD_RUNNING: Duration = Duration::from_secs(5);

/// Whether the beginning of a game was seen.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    Seen,
    Unseen,
}

impl Game {
    /// The start position on the board, if it is one that a game may begin from.
    pub(super) fn try_start(&mut self, now: Mono, placement: &Placement) {
        let named = play::start_of(&self.settings);
        let Some((start, mode)) = named.or_else(|| self.start_shown(placement)) else {
            return;
        };
        self.begin(now, start, mode);
        self.on_picture(now, placement);
    }

    pub(super) fn start_shown(&self, placement: &Placement) -> Option<(Chess, CastlingMode)> {
        // Every array stands on the same squares; to compare all of them takes its time.
        if placement.occupied() != Board::new().occupied() {
            return None;
        }
        if placement.differs(&Board::new()).is_empty() && !self.settings.is_chess960 {
            return Some((Chess::new(), CastlingMode::Standard));
        }
        let shown = (0..960).map(Board::chess960).find(|b| placement.differs(b).is_empty());
        let Some(board) = shown else {
            let swapped = Self::swapped_start(placement).filter(|_| !self.settings.is_chess960);
            return swapped.map(|start| (start, CastlingMode::Standard));
        };
        let mut setup = shakmaty::Setup::initial();
        setup.castling_rights = board.rooks();
        setup.board = board;
        let mode = CastlingMode::Chess960;
        Some((setup.position(mode).ok()?, mode))
    }

    pub(super) fn begin(&mut self, now: Mono, start: Chess, mode: CastlingMode) {
        self.begin_as(now, start, mode, Beginning::Seen);
    }

    /// A game begins from `start`, or is found in that position.
    pub(super) fn begin_as(
        &mut self,
        now: Mono,
        start: Chess,
        mode: CastlingMode,
        beginning: Beginning,
    ) {
        self.seat_referee(&start, mode);
        self.open_record(now, start, mode, beginning);
    }

    /// What a game begins from: the start position that is named, the array that is `shown`, or the
    /// usual one.
    pub(super) fn start_due(&self, shown: Option<(Chess, CastlingMode)>) -> (Chess, CastlingMode) {
        let usual = (Chess::new(), CastlingMode::from_chess960(self.settings.is_chess960));
        play::start_of(&self.settings).or(shown).unwrap_or(usual)
    }

    /// A result is due of a game that nobody has begun, as of players who did not come.
    pub(super) fn begin_unplayed(&mut self, now: Mono) {
        let (start, mode) = self.start_due(None);
        self.open_record(now, start, mode, Beginning::Seen);
    }

    fn open_record(&mut self, now: Mono, start: Chess, mode: CastlingMode, beginning: Beginning) {
        let fen = shakmaty::fen::Fen::from_position(&start, shakmaty::EnPassantMode::Legal);
        self.facts.push(Fact::GameStarted {
            fen: fen.to_string(),
            is_chess960: mode == CastlingMode::Chess960,
            white: self.settings.white.clone(),
            black: self.settings.black.clone(),
            event: self.settings.event.clone(),
            site: self.settings.site.clone(),
            round: self.settings.round.clone(),
        });
        self.tell_bad_setup(&start);
        self.play = Some(Play::new(start, mode));
        self.memory.forget();
        self.forget_silence();
        self.record_seats();
        self.watch.new_game();
        self.clock.forget_run();
        self.begin_time(now, beginning);
        self.joining.new_game();
        self.flags = Flags::default();
        self.clock_stands = self.clock_stands.new_game();
        self.timers.set(Timer::Settle, now + self.settle_time());
    }

    /// A start position set up anew begins a new game, unless play has led there.
    pub(super) fn watch_for_restart(&mut self, now: Mono, placement: &Placement) {
        let Some(play) = &self.play else { return };
        let may_restart = (play.mismatch().is_some() || play.gives_way())
            && self.start_shown(placement).is_some();
        let is_begun = !play.is_over() && !play.sheet().is_empty();
        let is_playing = is_begun && self.clock.is_running();
        let hold = if is_playing { RESTART_HOLD_RUNNING } else { RESTART_HOLD };
        if !may_restart {
            self.timers.clear(Timer::Restart);
        } else if !self.timers.is_set(Timer::Restart) {
            self.timers.set(Timer::Restart, now + hold);
        }
    }

    pub(super) fn restart(&mut self, now: Mono) {
        let Some(play) = &self.play else { return };
        let placement = play.tracker().seen().clone();
        let Some((start, mode)) = self.start_shown(&placement) else { return };
        if !play.is_over() {
            self.facts.push(Fact::GameClosed);
        }
        self.begin(now, start, mode);
        self.on_picture(now, &placement);
    }
}
