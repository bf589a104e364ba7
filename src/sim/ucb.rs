//! A Universal Chess Board of Novag's, which knows the rules: once what stands on it is one legal
//! move away and rests, it says the move. Protocol 7.5.

use super::maker::MakerSim;
use super::outgoing::Outgoing;
use crate::table::{Reading, defaults};
use crate::time::Mono;
use crate::wire::blocks::Blocks;
use crate::wire::ucb::ToUcb;
use crate::wire::{UcbCommand, UcbMessage};
use shakmaty::uci::UciMove;
use shakmaty::{Board, CastlingMode, Chess, Position, Role, Square};
use std::time::Duration;

/// What stands on it has to rest for so long. Nobody has told how long it is; ours.
const RESTS: Duration = Duration::from_millis(200);
/// It looks at its squares so often. Ours.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

defaults! {
    /// The model of such a board.
    #[derive(Clone, Debug)]
    pub struct UcbSim {
        given {
            board: Board,
            /// What stood on it when it was looked at last, since when, and whether that was
            /// judged.
            seen: (Board, Mono, bool),
        }
        /// The positions of its game, the last one behind.
        game: Vec<Chess> = vec![Chess::new()],
        looks_at: Mono,
        blocks: Blocks,
        out: Outgoing,
        tells: bool,
        is_on: bool = true,
    }
}

impl UcbSim {
    /// A board on which a game begins, with these pieces on it.
    pub fn new(board: Board) -> Self {
        let seen = (board.clone(), Mono::default(), true);
        Self::begin(board, seen)
    }

    /// What was done on the board since the last position, if it is that: a move, also another one
    /// instead of the last.
    fn judge(&mut self) -> Vec<UcbMessage> {
        let last = self.game.last().cloned().unwrap_or_default();
        let before = self.game.len().checked_sub(2).map(|idx| self.game[idx].clone());
        if *last.board() == self.board {
            return Vec::new();
        }
        if before.as_ref().is_some_and(|pos| *pos.board() == self.board) {
            self.game.pop();
            return vec![UcbMessage::TakenBack];
        }
        if self.board == Board::new() {
            self.game = vec![Chess::new()];
            return vec![UcbMessage::NewGame];
        }
        if let Some((said, pos)) = self.move_from(&last) {
            self.game.push(pos);
            return vec![said];
        }
        let Some((said, pos)) = before.and_then(|before| self.move_from(&before)) else {
            return Vec::new();
        };
        self.game.pop();
        self.game.push(pos);
        vec![UcbMessage::TakenBack, said]
    }

    /// The legal move that leads from there to what stands on the board.
    fn move_from(&self, pos: &Chess) -> Option<(UcbMessage, Chess)> {
        pos.legal_moves().into_iter().find_map(|m| {
            let after = pos.clone().play(m).ok().filter(|it| *it.board() == self.board)?;
            let UciMove::Normal { from, to, promotion } = m.to_uci(CastlingMode::Standard) else {
                return None;
            };
            let promotion = promotion.filter(|role| *role != Role::Queen);
            Some((UcbMessage::Moved { from, to, promotion }, after))
        })
    }
}

impl MakerSim for UcbSim {
    /// It looks at its squares again and again: nothing gets lost.
    fn sense(&mut self, sq: Square, reading: Reading, _is_lost: bool) {
        match reading {
            Reading::Piece(piece) => self.board.set_piece_at(sq, piece),
            _ => self.board.discard_piece_at(sq),
        }
    }

    fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        if !self.is_on || self.out.is_cut() {
            return;
        }
        for command in self.blocks.push::<ToUcb>(now, bytes).messages {
            let answer = match command {
                UcbCommand::TellMoves => UcbMessage::TellsMoves,
                UcbCommand::Referee => UcbMessage::IsReferee,
            };
            if command == UcbCommand::TellMoves && !std::mem::replace(&mut self.tells, true) {
                self.looks_at = now;
            }
            self.out.send(now, &answer.encode());
        }
    }

    fn next_at(&self) -> Option<Mono> {
        let looks = (self.is_on && self.tells).then_some(self.looks_at);
        self.out.arrives_at().into_iter().chain(looks).min()
    }

    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        if self.is_on && self.tells && now >= self.looks_at {
            self.looks_at = now + LOOKS_EVERY;
            let (seen, since, is_judged) = &mut self.seen;
            if *seen != self.board {
                (*seen, *since, *is_judged) = (self.board.clone(), now, false);
            } else if now >= *since + RESTS && !std::mem::replace(is_judged, true) {
                for said in self.judge() {
                    self.out.send(now, &said.encode());
                }
            }
        }
        self.out.take(now, bytes);
    }

    fn cut(&mut self, is_cut: bool) {
        self.out.cut(is_cut);
    }

    fn power(&mut self, _now: Mono, is_on: bool) {
        (self.is_on, self.tells) = (is_on, false);
        self.out.lose();
    }

    fn is_awake(&self) -> bool {
        self.tells
    }
}
