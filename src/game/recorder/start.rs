//! How a game begins: with a start position on the board, or with one that is named.

use super::pause::position;
use super::timers::Timer;
use super::{Cx, Recorder};
use crate::game::clock::Beginning;
use crate::game::entry::{Fact, LinkState};
use crate::game::pairing::Pairing;
use crate::game::play::{self, GapEvidence, Play, SET_UP_MIN, n_come_back};
use crate::game::settings::Settings;
use crate::laws::{Finding, FindingKind};
use crate::table::Placement;
use crate::time::Mono;
use crate::track::legal;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, File, Move, Position, Rank, Role, Square,
};
use std::time::Duration;

/// A start position must stand this long to begin a new game.
const RESTART_HOLD: Duration = Duration::from_secs(2);
/// The same while the clock of a game runs.
const RESTART_HOLD_RUNNING: Duration = Duration::from_secs(5);

impl Recorder {
    /// Begins a game if a start position is on the board that one may begin from.
    pub(super) fn begin_if_shown(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        placement: &Placement,
    ) -> bool {
        let named = play::start_of(cx.settings);
        let start = named.or_else(|| start_shown(cx.settings, placement));
        if let Some((start, mode)) = start.clone() {
            self.begin(cx, now, start, mode);
        }
        start.is_some()
    }

    /// A game begins from `start`.
    pub(in crate::game) fn begin(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        start: Chess,
        mode: CastlingMode,
    ) {
        cx.seat_referee(&start, mode);
        self.open_record(cx, now, start, mode, Beginning::Seen);
    }

    /// A game is joined in `pos`.
    pub(in crate::game) fn begin_joined(&mut self, cx: &mut Cx<'_>, now: Mono, pos: Chess) {
        self.close_open(cx);
        let mode = self.joined_mode(cx.settings);
        cx.seat_referee(&pos, mode);
        self.open_record(cx, now, pos.clone(), mode, Beginning::Unseen);
        if let Some(play) = &mut self.play {
            play.begin_from(now, pos, true, cx.facts);
        }
        self.vouch_as_is(now);
    }

    /// The record of a game that is another one ends.
    pub(super) fn close_open(&mut self, cx: &mut Cx<'_>) {
        if !self.is_over() {
            self.leave_open(cx.facts);
            cx.facts.push(Fact::GameClosed);
        }
    }

    /// What is seen on a board on which no game is on record.
    pub(in crate::game) fn unrecorded(&self) -> Option<&Placement> {
        self.joining.seen().filter(|_| self.play.is_none() && self.link == LinkState::Live)
    }

    /// How castling is played in a game that is joined.
    pub(in crate::game) fn joined_mode(&self, settings: &Settings) -> CastlingMode {
        let known = self.play.as_ref().filter(|play| !play.is_over());
        let named = CastlingMode::from_chess960(settings.is_chess960);
        known.map_or(named, |play| play.sheet().mode())
    }

    /// A result is due of a game that nobody has begun, as of players who did not come.
    pub(in crate::game) fn begin_unplayed(&mut self, cx: &mut Cx<'_>, now: Mono) {
        let (start, mode) = start_due(cx.settings, None);
        self.open_record(cx, now, start, mode, Beginning::Seen);
    }

    /// The record of a game begins at `start`, or in that position.
    pub(super) fn open_record(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        start: Chess,
        mode: CastlingMode,
        beginning: Beginning,
    ) {
        let fen = shakmaty::fen::Fen::from_position(&start, shakmaty::EnPassantMode::Legal);
        cx.facts.push(started(cx.settings, fen.to_string(), mode == CastlingMode::Chess960));
        self.tell_bad_setup(cx, &start);
        self.play = Some(Play::new(start, mode));
        self.memory.forget();
        self.forget_silence();
        self.own_board.begin();
        cx.clock.record_seats(cx.facts);
        self.watch.new_game();
        cx.clock.begin(now, beginning, cx.facts);
        self.joining.forget_stands();
        self.timers.set(Timer::Rest, now + self.rest_time(cx));
    }

    /// Tells if kings and queens stand in each other's places where a game begins.
    fn tell_bad_setup(&mut self, cx: &mut Cx<'_>, start: &Chess) {
        let ranks = [Bitboard::from(Rank::First), Rank::Eighth.into()];
        let both = ranks[0] | ranks[1];
        let is_named = cx.settings.start.is_some() || cx.settings.is_chess960;
        let wrong = [ranks[0], ranks[1], both]
            .into_iter()
            .find(|swapped| swapped_board(*swapped) == *start.board());
        if let (Some(swapped), false) = (wrong, is_named) {
            let moved = swapped & (Bitboard::from(File::D) | Bitboard::from(File::E));
            let kind = FindingKind::BadSetup { squares: moved.into_iter().collect() };
            cx.facts.push(Fact::Found(Finding { kind, by: None }));
        }
    }

    /// A start position set up anew begins a new game, unless play has led there.
    pub(super) fn watch_for_restart(&mut self, cx: &mut Cx<'_>, now: Mono) {
        if !self.may_restart(cx) {
            self.timers.clear(Timer::Restart);
        } else if !self.timers.is_set(Timer::Restart) {
            let is_playing = !self.is_over()
                && cx.clock.is_running()
                && self.play.as_ref().is_some_and(|play| !play.sheet().is_empty());
            let hold = if is_playing { RESTART_HOLD_RUNNING } else { RESTART_HOLD };
            self.timers.set(Timer::Restart, now + hold);
        }
    }

    /// Whether a start position is on the board to which play has not led, as far as is known yet.
    fn may_restart(&self, cx: &Cx<'_>) -> bool {
        let may_be = !self.is_blind && !self.is_away();
        let Some(play) = self.play.as_ref().filter(|_| may_be) else { return false };
        start_shown(cx.settings, play.tracker().seen()).is_some()
            && (play.mismatch().is_some() || play.gives_way())
    }

    /// A start position that has stood long enough begins a new game. What it shows is to be looked
    /// at again then.
    pub(in crate::game) fn restart_if_due(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
    ) -> Option<Placement> {
        let is_due = self.timers.take(Timer::Restart, now);
        (is_due && self.may_restart(cx)).then(|| self.restart(cx, now)).flatten()
    }

    /// Whether the array of another game is on the board: this one was played and is over, or play
    /// cannot lead back there. Kings and queens in each other's places may yet be put right.
    pub(super) fn shows_next_game(&self, cx: &Cx<'_>) -> bool {
        self.next_game_shown(cx).is_some()
    }

    fn next_game_shown(&self, cx: &Cx<'_>) -> Option<Chess> {
        let play = self.play.as_ref().filter(|_| !self.is_blind)?;
        let start = array_shown(cx.settings, play.tracker().seen())?;
        let is_played = !play.sheet().is_empty();
        let is_left = play.is_over() && is_played;
        let gives_way = || !is_played || play.is_set_up_anew(start.board());
        (is_left || play.mismatch().is_some() && gives_way()).then_some(start)
    }

    /// Pieces are about to leave `lifted`, and with them a start position that has not stood for
    /// long. Nobody lifts a piece that can move there but to play.
    pub(in crate::game) fn restart_if_left(
        &mut self,
        cx: &mut Cx<'_>,
        now: Mono,
        lifted: Bitboard,
    ) -> Option<Placement> {
        let start = self.next_game_shown(cx)?;
        let may_leave = |m: Move| m.from().is_some_and(|sq| lifted.contains(sq));
        let is_played = legal::moves(&start).any(may_leave);
        is_played.then(|| self.restart(cx, now)).flatten()
    }

    /// The start position on the board begins a new game.
    pub(super) fn restart(&mut self, cx: &mut Cx<'_>, now: Mono) -> Option<Placement> {
        let play = self.play.as_ref()?;
        let placement = play.tracker().seen().clone();
        let (start, mode) = start_shown(cx.settings, &placement)?;
        self.close_open(cx);
        self.begin(cx, now, start, mode);
        Some(placement)
    }

    /// Nobody heard the board, and it stands now as no play leads to from what is on record: pieces
    /// have come back. Where a clock runs the next game is on, and is joined. True if so.
    pub(super) fn join_next(&mut self, cx: &mut Cx<'_>, now: Mono, evidence: GapEvidence) -> bool {
        let is_stand = evidence.is_pressed || evidence.has_rested;
        let is_doubtful = evidence.is_other_board || self.is_noise() || cx.board.is_noisy(now);
        if !is_stand || is_doubtful || !cx.clock.is_running() {
            return false;
        }
        let Some((board, play)) = self.joining.board().zip(self.play.as_ref()) else {
            return false;
        };
        if n_come_back(board, play.sheet().last()) < SET_UP_MIN {
            return false;
        }
        let mode = self.joined_mode(cx.settings);
        let turn = evidence.turn.unwrap_or(Color::White);
        let of = |turn: Color| position(board, turn, mode);
        let Some(pos) = of(turn).or_else(|| of(!turn)) else { return false };
        self.begin_joined(cx, now, pos);
        self.follow_stands(cx, now, &[]);
        true
    }

    /// What is on record was no play: the record begins from `pos`.
    pub(super) fn begin_set_up(&mut self, cx: &mut Cx<'_>, now: Mono, pos: Chess) {
        let Some(play) = &mut self.play else { return };
        play.withdraw_all(cx.facts);
        play.begin_from(now, pos.clone(), true, cx.facts);
        let mode = play.sheet().mode();
        cx.reseat(&pos, mode);
    }
}

/// What goes on record of a game that begins from `fen`: it is that of the pairing that is due.
fn started(settings: &Settings, fen: String, is_chess960: bool) -> Fact {
    let due = settings.next.as_deref();
    let of = |due: Option<&String>, known: &String| due.unwrap_or(known).clone();
    Fact::GameStarted {
        fen,
        is_chess960,
        white: of(due.map(|it| &it.players.white.name), &settings.white),
        black: of(due.map(|it| &it.players.black.name), &settings.black),
        event: of(due.map(|it| &it.event), &settings.event),
        site: of(due.map(|it| &it.site), &settings.site),
        round: due.map_or_else(|| settings.round.clone(), Pairing::round_tag),
    }
}

/// What a game begins from: the start position that is named, the array that is `shown`, or the
/// usual one.
pub(in crate::game) fn start_due(
    settings: &Settings,
    shown: Option<(Chess, CastlingMode)>,
) -> (Chess, CastlingMode) {
    let usual = (Chess::new(), CastlingMode::from_chess960(settings.is_chess960));
    play::start_of(settings).or(shown).unwrap_or(usual)
}

/// The array on the board that nobody sets up by mistake: the usual one, or any where Chess960 is
/// played.
fn array_shown(settings: &Settings, placement: &Placement) -> Option<Chess> {
    let (shown, mode) = start_shown(settings, placement)?;
    let is_usual = *shown.board() == Board::new();
    (is_usual || settings.is_chess960 && mode == CastlingMode::Chess960).then_some(shown)
}

/// The start position on the board, if it is one that a game may begin from.
pub(in crate::game) fn start_shown(
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
