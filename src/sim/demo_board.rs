//! A DGT board on which a game that is on record is played once more, for programs and walls of
//! lights that follow such boards.
//!
//! It speaks as a board with a clock does and is moved as by hands: one piece after the other, a
//! press behind each move. What is taken back on record is taken back here, and behind moves that
//! nobody knows the pieces are put where the record goes on.

use super::board::{BoardSim, Delivery};
use crate::game::ScoreSheet;
use crate::table::{End, Times, defaults};
use crate::time::Mono;
use crate::wire::{ClockTime, FieldCode, Orientation, SideTime};
use shakmaty::{Board, CastlingMode, Chess, Color, Move, Position as _, Square};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// From one square to the next of a move.
const REACH: Duration = Duration::from_millis(120);
/// From a press to the next move, and from a move to its press: programs see a position only if it
/// stands for a moment.
const PAUSE: Duration = Duration::from_millis(400);
/// More than these wait only if something is wrong; then the board is set up as it is to stand.
const DEEDS_MAX: usize = 2_000;
/// White sits at this end of the clock.
const WHITE: End = End::Left;

/// Both clocks, as they were read at some moment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ShownTimes {
    /// Both times then.
    pub times: Times,
    /// Whose time runs.
    pub running: Option<Color>,
    /// When that was.
    pub at: Mono,
}

/// What a hand does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Deed {
    Put(Square, FieldCode),
    /// The clock is pressed: this player is on move.
    Press(Color),
}

defaults! {
    /// The board, and what is yet to be done on it.
    #[derive(Clone, Debug)]
    pub struct DemoBoard {
        given {
            board: BoardSim,
        }
        /// The game, and how many half-moves of it will stand there once all is done.
        game: Option<(Arc<ScoreSheet>, usize)>,
        /// How the board will stand then.
        planned: Board = Board::new(),
        deeds: VecDeque<(Duration, Deed)>,
        /// When the next of them is done, and when the last one was.
        due: Mono,
        done_at: Mono,
        turn: Color = Color::White,
        clock: Option<ShownTimes>,
        /// The clock is shown to run.
        runs: bool,
        /// When the clock shows something else next.
        ticks_at: Option<Mono>,
    }
}

impl DemoBoard {
    /// A board with this serial number and the usual start position on it, without a clock.
    pub fn new(serial: &str) -> Self {
        let board = BoardSim::new(Board::new(), Orientation::Normal, None).numbered(serial);
        Self::begin(board)
    }

    /// `n` half-moves of the game on `sheet` are to be seen. The first game is set up as it stands,
    /// because a board that is found in the middle of a game shows no more of it.
    pub fn follow(&mut self, at: Mono, sheet: &Arc<ScoreSheet>, n: usize) {
        self.advance(at);
        let before = self.game.replace((Arc::clone(sheet), n));
        let was_idle = self.deeds.is_empty();
        let start = match &before {
            None => {
                self.set_up(at, sheet.position(n));
                return;
            }
            Some((known, n_known)) if Arc::ptr_eq(known, sheet) && *n_known == n => return,
            Some((known, n_known)) => {
                let n_alike = alike(known, *n_known, sheet, n);
                if n_alike.is_none_or(|alike| alike < *n_known) {
                    self.stand(sheet.position(n_alike.unwrap_or(0)));
                }
                n_alike.unwrap_or(0)
            }
        };
        for idx in start..n {
            self.play(sheet, idx);
        }
        if self.planned != *sheet.position(n).board() {
            self.stand(sheet.position(n));
        }
        if self.deeds.len() > DEEDS_MAX {
            self.set_up(at, sheet.position(n));
        } else if was_idle && let Some((pause, _)) = self.deeds.front() {
            self.due = at.max(self.done_at + *pause);
        }
    }

    /// The clocks are these from now on; without any there is no clock.
    pub fn show_times(&mut self, at: Mono, clock: Option<ShownTimes>) {
        self.advance(at);
        if self.clock.is_some() && clock.is_none() {
            self.board.no_clock(at);
        }
        self.clock = clock;
        self.tick(at);
    }

    /// A host has sent these bytes.
    pub fn host_bytes(&mut self, at: Mono, bytes: &[u8]) {
        self.advance(at);
        self.board.host_bytes(at, bytes);
    }

    /// Nobody listens any more: the board sleeps until the next host wakes it.
    pub fn sleep(&mut self, at: Mono) {
        self.advance(at);
        self.board.power_cycle(at);
    }

    /// When [`DemoBoard::take`] may have something new.
    pub fn next_at(&self) -> Option<Mono> {
        let deed = self.deeds.front().map(|_| self.due);
        deed.into_iter().chain(self.ticks_at).chain(self.board.next_at()).min()
    }

    /// Appends what has been said to the host by `now`.
    pub fn take(&mut self, now: Mono, out: &mut Vec<u8>) {
        self.advance(now);
        if self.ticks_at.is_some_and(|at| at <= now) {
            self.tick(now);
        }
        self.board.take(now, out);
    }

    /// What stands on it now.
    pub fn placement(&self) -> Board {
        self.board.placement()
    }

    /// Does what was due by `now`, each at its own time.
    fn advance(&mut self, now: Mono) {
        while self.due <= now
            && let Some((_, deed)) = self.deeds.pop_front()
        {
            let at = self.due;
            self.done_at = at;
            match deed {
                Deed::Put(square, code) => self.board.set(at, square, code, Delivery::Sent),
                Deed::Press(turn) => {
                    self.turn = turn;
                    self.tick(at);
                }
            }
            if let Some((pause, _)) = self.deeds.front() {
                self.due = at + *pause;
            }
        }
    }

    /// Everything is put where it stands in `position`, at once.
    fn set_up(&mut self, at: Mono, position: &Chess) {
        self.deeds.clear();
        self.planned = position.board().clone();
        for square in Square::ALL {
            let code = FieldCode::from(position.board().piece_at(square));
            self.board.set(at, square, code, Delivery::Sent);
        }
        (self.turn, self.done_at) = (position.turn(), at);
        self.tick(at);
    }

    /// The half-move `idx`, counted from 0, is played and pressed for.
    fn play(&mut self, sheet: &ScoreSheet, idx: usize) {
        if self.planned != *sheet.position(idx).board() {
            self.stand(sheet.position(idx));
        }
        let after = reached(sheet, idx + 1);
        if let Move::Castle { king, .. } = sheet.moves()[idx].m
            && sheet.mode() == CastlingMode::Standard
        {
            // The king goes first. 2023: Art. 4.4.1.
            let turn = sheet.position(idx).turn();
            let mut half = self.planned.clone();
            let to = after.board().king_of(turn);
            if let (Some(piece), Some(to)) = (half.remove_piece_at(king), to) {
                half.set_piece_at(to, piece);
                self.put(&half);
            }
        }
        self.stand(after);
    }

    /// The pieces are put as in `position`, and the clock is pressed.
    fn stand(&mut self, position: &Chess) {
        self.put(position.board());
        self.deeds.push_back((PAUSE, Deed::Press(position.turn())));
    }

    /// First what goes is lifted, then all is put down.
    fn put(&mut self, board: &Board) {
        let differs = |sq: &Square| self.planned.piece_at(*sq) != board.piece_at(*sq);
        let squares: Vec<Square> = Square::ALL.into_iter().filter(differs).collect();
        let (left, taken): (Vec<Square>, Vec<Square>) =
            squares.iter().copied().partition(|sq| board.piece_at(*sq).is_none());
        let lifted = left.into_iter().chain(taken);
        let lifted = lifted.filter(|sq| self.planned.piece_at(*sq).is_some());
        let lifted = lifted.map(|sq| Deed::Put(sq, FieldCode::Empty));
        let put = squares.iter().filter_map(|sq| Some((*sq, board.piece_at(*sq)?)));
        let put = put.map(|(sq, piece)| Deed::Put(sq, FieldCode::Piece(piece)));
        let deeds: Vec<Deed> = lifted.chain(put).collect();
        let pauses = std::iter::once(PAUSE).chain(std::iter::repeat(REACH));
        self.deeds.extend(pauses.zip(deeds));
        self.planned = board.clone();
    }

    /// The clock shows what it does at `at`. It stands still only behind the last move: to hosts
    /// what happens beside a clock that stands is no play.
    fn tick(&mut self, at: Mono) {
        self.ticks_at = None;
        let Some(clock) = self.clock else { return };
        let side = |color: Color| {
            let seconds = left(&clock, color, at).as_micros().div_ceil(1_000_000);
            SideTime::of_seconds(u32::try_from(seconds).unwrap_or(u32::MAX))
        };
        let high = if self.turn == Color::White { WHITE } else { WHITE.other() };
        let (left_end, right_end) = (side(Color::White), side(Color::Black));
        let rests_at = self.done_at + PAUSE;
        let is_behind = !self.deeds.is_empty() || at < rests_at;
        self.runs = clock.running.is_some() || self.runs && is_behind;
        let running = self.runs;
        let time =
            ClockTime { left: left_end, right: right_end, running, high, battery_low: false };
        self.board.clock(at, time);
        let runs = clock.running.map(|color| left(&clock, color, at));
        self.ticks_at = runs.filter(|left| !left.is_zero()).map(|left| {
            let part = Duration::from_nanos(u64::from(left.subsec_nanos()));
            at + if part.is_zero() { Duration::from_secs(1) } else { part }
        });
        if running && clock.running.is_none() && self.deeds.is_empty() {
            self.ticks_at = Some(rests_at);
        }
    }
}

/// What `color` has left at `at`.
fn left(clock: &ShownTimes, color: Color, at: Mono) -> Duration {
    let left = *clock.times.get(color);
    if clock.running == Some(color) { left.saturating_sub(at.since(clock.at)) } else { left }
}

/// The position that the half-moves before `n` lead to: where there is a gap, that before it.
fn reached(sheet: &ScoreSheet, n: usize) -> &Chess {
    let gap = sheet.gaps().iter().find(|gap| gap.ply == n);
    gap.map_or_else(|| sheet.position(n), |gap| &gap.before)
}

/// How many half-moves both records have alike; `None` if not even their beginning is.
fn alike(known: &ScoreSheet, n_known: usize, new: &ScoreSheet, n: usize) -> Option<usize> {
    let is_alike = |idx: &usize| {
        let (one, other) = (reached(known, *idx), reached(new, *idx));
        one.board() == other.board() && one.turn() == other.turn()
    };
    (0..=n_known.min(n)).take_while(is_alike).last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{BoardCommand, BoardMessage, ClockMessage, Decoder, Dump, Item};
    use shakmaty::uci::UciMove;
    use shakmaty::{ByColor, fen::Fen};

    fn sheet(moves: &str) -> ScoreSheet {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        for uci in moves.split_whitespace() {
            let m = uci.parse::<UciMove>().unwrap().to_move(sheet.last()).unwrap();
            sheet.push(m, Vec::new());
        }
        sheet
    }

    /// A program that follows the board, and all placements that it has seen.
    struct WallProgram {
        demo: DemoBoard,
        decoder: Decoder,
        dump: Dump,
        seen: Vec<String>,
        clock: Option<ClockTime>,
        now: Mono,
    }

    impl WallProgram {
        fn wake(demo: DemoBoard) -> Self {
            let dump = Dump::new(&Board::empty(), Orientation::Normal);
            let decoder = Decoder::default();
            let (seen, clock, now) = (Vec::new(), None, Mono::from_millis(1_000));
            let mut follower = Self { demo, decoder, dump, seen, clock, now };
            for command in [BoardCommand::UpdateNice, BoardCommand::SendBoard] {
                follower.demo.host_bytes(follower.now, &command.encode());
            }
            follower.listen(1_000);
            follower
        }

        /// Listens for so many milliseconds.
        fn listen(&mut self, ms: u64) {
            let end = self.now + Duration::from_millis(ms);
            while let Some(at) = self.demo.next_at().filter(|at| *at <= end) {
                self.now = self.now.max(at);
                let (mut bytes, mut items) = (Vec::new(), Vec::new());
                self.demo.take(self.now, &mut bytes);
                self.decoder.push(self.now, &bytes, &mut items);
                for item in items {
                    match item {
                        Item::Message(BoardMessage::Dump(dump)) => self.dump = *dump,
                        Item::Message(BoardMessage::Field { field, code }) => {
                            self.dump.0[usize::from(field.index())] = code;
                        }
                        Item::Message(BoardMessage::Clock(ClockMessage::Time(time))) => {
                            self.clock = Some(time);
                        }
                        Item::Message(BoardMessage::Clock(ClockMessage::NoClock)) => {
                            self.clock = None;
                        }
                        other => panic!("{other:?}"),
                    }
                    self.seen.push(self.placement());
                }
            }
            self.now = end;
        }

        fn placement(&self) -> String {
            self.dump.placement(Orientation::Normal).board_fen().to_string()
        }

        fn follow(&mut self, sheet: &ScoreSheet, n: usize) {
            self.demo.follow(self.now, &Arc::new(sheet.clone()), n);
        }

        /// Whether the positions behind these half-moves were seen, in their order.
        fn has_seen(&self, sheet: &ScoreSheet, plies: std::ops::RangeInclusive<usize>) -> bool {
            let mut seen = self.seen.iter();
            let fen = |ply: usize| sheet.position(ply).board().board_fen().to_string();
            plies.map(fen).all(|fen| seen.any(|it| *it == fen))
        }
    }

    const GAME: &str = "e2e4 d7d5 e4d5 d8d5 g1f3 c8g4 f1e2 b8c6 e1g1 e8c8 h2h3 g4f3 e2f3 d5d2";

    #[test]
    fn every_position_of_the_game_is_seen() {
        let game = sheet(GAME);
        let mut host = WallProgram::wake(DemoBoard::new("90001"));
        assert_eq!(host.placement(), Board::new().board_fen().to_string());
        host.follow(&game, 3);
        host.listen(10_000);
        host.follow(&game, 14);
        host.listen(30_000);
        // The first game is set up as it stands, and played from there.
        assert!(host.has_seen(&game, 3..=14), "{:?}", host.seen);
        assert!(!host.has_seen(&game, 1..=1));
        // The next one begins with the pieces set up.
        let next = sheet("d2d4 g8f6");
        host.follow(&next, 2);
        host.listen(20_000);
        assert!(host.has_seen(&next, 0..=2));
        assert_eq!(host.clock, None);
    }

    #[test]
    fn what_is_withdrawn_is_taken_back() {
        let (wrong, right) = (sheet("e2e4 e7e5 f1c4"), sheet("e2e4 e7e5 f1b5 a7a6"));
        let mut host = WallProgram::wake(DemoBoard::new("90001"));
        host.follow(&wrong, 0);
        host.listen(1_000);
        host.follow(&wrong, 3);
        host.listen(10_000);
        assert!(host.has_seen(&wrong, 0..=3));
        host.seen.clear();
        host.follow(&right, 4);
        host.listen(10_000);
        assert!(host.has_seen(&right, 2..=4), "{:?}", host.seen);
        host.follow(&right, 2);
        host.listen(10_000);
        assert_eq!(host.placement(), right.position(2).board().board_fen().to_string());
    }

    #[test]
    fn behind_a_gap_the_pieces_are_put_where_the_record_goes_on() {
        let mut game = sheet("e2e4 e7e5");
        let fen: Fen =
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w - - 2 3".parse().unwrap();
        let adopted = fen.into_position(CastlingMode::Standard).unwrap();
        let mut host = WallProgram::wake(DemoBoard::new("90001"));
        host.follow(&game, 2);
        host.listen(1_000);
        host.seen.clear();
        game.open_gap(adopted, crate::game::Unknown::at_least(2));
        let m = "f1b5".parse::<UciMove>().unwrap().to_move(game.last()).unwrap();
        game.push(m, Vec::new());
        host.follow(&game, 3);
        host.listen(10_000);
        assert!(host.has_seen(&game, 2..=3), "{:?}", host.seen);
        assert!(!host.has_seen(&game, 1..=1), "nothing is taken back: {:?}", host.seen);
    }

    #[test]
    fn the_clock_runs_and_its_lever_follows_the_moves() {
        let game = sheet("e2e4 e7e5");
        let mut host = WallProgram::wake(DemoBoard::new("90001"));
        host.follow(&game, 0);
        let times =
            ByColor { white: Duration::from_millis(60_500), black: Duration::from_secs(90) };
        let clock = |running, at| Some(ShownTimes { times, running, at });
        host.demo.show_times(host.now, clock(Some(Color::White), host.now));
        host.listen(2_000);
        let heard = host.clock.unwrap();
        assert_eq!((heard.left.seconds, heard.right.seconds), (59, 90));
        assert_eq!((heard.high, heard.running), (WHITE, true));
        host.follow(&game, 1);
        host.demo.show_times(host.now, clock(Some(Color::Black), host.now));
        // The last reading is on the line for a moment.
        host.listen(5_100);
        let heard = host.clock.unwrap();
        assert_eq!((heard.left.seconds, heard.right.seconds), (61, 85));
        assert_eq!(heard.high, WHITE.other());
        host.demo.show_times(host.now, clock(None, host.now));
        host.listen(5_000);
        assert!(host.clock.is_some_and(|time| !time.running && time.right.seconds == 90));
        host.demo.show_times(host.now, None);
        host.listen(5_000);
        assert_eq!(host.clock, None);
    }

    #[test]
    fn the_clock_is_stopped_behind_the_last_move() {
        let game = sheet("e2e4 e7e5");
        let mut host = WallProgram::wake(DemoBoard::new("90001"));
        host.follow(&game, 0);
        let times = ByColor::new_with(|_| Duration::from_secs(60));
        let clock = |running, at| Some(ShownTimes { times, running, at });
        host.demo.show_times(host.now, clock(Some(Color::White), host.now));
        host.listen(1_000);
        // Both moves come at once, and the clock was stopped behind them.
        host.follow(&game, 2);
        host.demo.show_times(host.now, clock(None, host.now));
        let mut n_positions = 0;
        while host.clock.is_some_and(|time| time.running) {
            host.listen(10);
            n_positions +=
                usize::from(host.placement() == game.last().board().board_fen().to_string());
            assert!(n_positions < 200, "it is not stopped");
        }
        assert!(n_positions > 40, "the last move was pressed for");
        assert_eq!(host.clock.map(|time| time.high), Some(WHITE));
    }

    #[test]
    fn a_long_way_back_is_set_up_at_once() {
        let game = sheet(GAME);
        let mut host = WallProgram::wake(DemoBoard::new("90001"));
        host.follow(&game, 0);
        for _ in 0..100 {
            host.follow(&game, 14);
            host.follow(&game, 0);
        }
        host.follow(&game, 14);
        host.listen(900_000);
        assert_eq!(host.placement(), game.position(14).board().board_fen().to_string());
    }
}
