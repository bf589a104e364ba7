//! How a game begins: with a start position on the board, or with one that is named.

use super::entry::Fact;
use super::machine::Game;
use super::play::{self, Play};
use super::settings::Settings;
use super::timers::Timer;
use crate::laws::{Finding, FindingKind};
use crate::time::Mono;
use crate::track::Placement;
use shakmaty::{Bitboard, Board, CastlingMode, Chess, File, Position, Rank, Role, Square};
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
        let Some((start, mode)) = named.or_else(|| start_shown(&self.settings, placement)) else {
            return;
        };
        self.begin(now, start, mode);
        self.on_picture(now, placement);
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
        self.clock.record_seats(&mut self.facts);
        self.watch.new_game();
        self.clock.begin(now, beginning, &mut self.facts);
        self.joining.new_game();
        self.timers.set(Timer::Settle, now + self.settle_time());
    }

    /// Tells if kings and queens stand in each other's places where a game begins.
    fn tell_bad_setup(&mut self, start: &Chess) {
        let ranks = [Bitboard::from(Rank::First), Rank::Eighth.into()];
        let both = ranks[0] | ranks[1];
        let is_named = self.settings.start.is_some() || self.settings.is_chess960;
        let wrong = [ranks[0], ranks[1], both]
            .into_iter()
            .find(|swapped| swapped_board(*swapped) == *start.board());
        if let (Some(swapped), false) = (wrong, is_named) {
            let moved = swapped & (Bitboard::from(File::D) | Bitboard::from(File::E));
            let kind = FindingKind::BadSetup { squares: moved.into_iter().collect() };
            self.facts.push(Fact::Found(Finding { kind, by: None }));
        }
    }

    /// A start position set up anew begins a new game, unless play has led there.
    pub(super) fn watch_for_restart(&mut self, now: Mono, placement: &Placement) {
        let Some(play) = &self.play else { return };
        let may_restart = (play.mismatch().is_some() || play.gives_way())
            && start_shown(&self.settings, placement).is_some();
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
        let Some((start, mode)) = start_shown(&self.settings, &placement) else { return };
        if !play.is_over() {
            self.facts.push(Fact::GameClosed);
        }
        self.begin(now, start, mode);
        self.on_picture(now, &placement);
    }
}

/// The start position on the board, if it is one that a game may begin from.
pub(super) fn start_shown(
    settings: &Settings,
    placement: &Placement,
) -> Option<(Chess, CastlingMode)> {
    // Every array stands on the same squares; to compare all of them takes its time.
    if placement.occupied() != Board::new().occupied() {
        return None;
    }
    if placement.differs(&Board::new()).is_empty() && !settings.is_chess960 {
        return Some((Chess::new(), CastlingMode::Standard));
    }
    let shown = (0..960).map(Board::chess960).find(|b| placement.differs(b).is_empty());
    let Some(board) = shown else {
        let swapped = swapped_start(placement).filter(|_| !settings.is_chess960);
        return swapped.map(|start| (start, CastlingMode::Standard));
    };
    let mut setup = shakmaty::Setup::initial();
    setup.castling_rights = board.rooks();
    setup.board = board;
    let mode = CastlingMode::Chess960;
    Some((setup.position(mode).ok()?, mode))
}

/// The start position with kings and queens in each other's places, as it is often set up: as
/// it stands, a game may begin from it all the same.
fn swapped_start(placement: &Placement) -> Option<Chess> {
    let ranks = [Bitboard::from(Rank::First), Rank::Eighth.into()];
    let boards = ranks.into_iter().map(|rank| (rank, swapped_board(rank)));
    let shows = |(_, board): &(Bitboard, Board)| placement.differs(board).is_empty();
    let (swapped, board) = boards.into_iter().find(shows)?;
    let mut setup = shakmaty::Setup::initial();
    setup.castling_rights = board.rooks() & !swapped;
    setup.board = board;
    setup.position(CastlingMode::Standard).ok()
}

/// The start position with king and queen exchanged on the ranks in `swapped`.
fn swapped_board(swapped: Bitboard) -> Board {
    let mut board = Board::new();
    for sq in swapped & board.by_role(Role::King) {
        let king = board.piece_at(sq).expect("a king stands there");
        let queen = Square::from_coords(File::D, sq.rank());
        board.set_piece_at(sq, Role::Queen.of(king.color));
        board.set_piece_at(queen, king);
    }
    board
}
