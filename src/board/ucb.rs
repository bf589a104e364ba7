//! Novag's Universal Chess Board. It says finished moves and not its squares, so what stands on it
//! is reckoned: from the position that the game is believed to have, or the start, and what was
//! moved since. That is what its readings are; a board that stands otherwise cannot be told.

use super::{Driver, Expects, Known, News};
use crate::table::{Reading, Sight};
use crate::time::Mono;
use crate::wire::blocks::Blocks;
use crate::wire::ucb::FromUcb;
use crate::wire::{UcbCommand, UcbMessage};
use shakmaty::{Board, File, Rank, Role, Square};
use std::collections::VecDeque;
use std::time::Duration;

/// A board that has not answered is asked again after this. Ours.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// Questions without any answer before the line is opened anew.
const N_TRIES: u32 = 6;

/// What is known of whether the board hears us.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum UcbPhase {
    #[default]
    Down,
    /// It was asked so often, the last time then.
    Asking(u32, Mono),
    Up,
    GivenUp,
}

/// The driver of such a board.
#[derive(Clone, Debug, Default)]
pub struct Ucb {
    blocks: Blocks,
    phase: UcbPhase,
    last_heard: Mono,
    /// What stands on it, as far as can be reckoned, and what stood there before each move.
    board: Board,
    before: Vec<Board>,
    /// What it has said and was not gone on from.
    said: VecDeque<UcbMessage>,
    /// It has answered, and the game has not been told.
    is_new: bool,
    is_wanted: bool,
    news: VecDeque<News>,
    sent: Vec<Vec<u8>>,
}

impl Ucb {
    fn ask(&mut self, now: Mono, n_asked: u32) {
        self.phase = UcbPhase::Asking(n_asked, now);
        self.sent.extend([UcbCommand::TellMoves, UcbCommand::Referee].map(|it| it.encode()));
    }

    /// Goes on from what the board has said.
    fn follow(&mut self, said: UcbMessage) {
        match said {
            UcbMessage::NewGame => {
                (self.board, self.is_wanted) = (Board::new(), true);
                self.before.clear();
            }
            UcbMessage::TakenBack => {
                if let Some(before) = self.before.pop() {
                    (self.board, self.is_wanted) = (before, true);
                }
            }
            UcbMessage::Moved { from, to, promotion } => {
                let after = moved(&self.board, from, to, promotion);
                let changed: Vec<Square> = Square::ALL
                    .into_iter()
                    .filter(|sq| self.board.piece_at(*sq) != after.piece_at(*sq))
                    .collect();
                // First what was lifted, as hands do it.
                let lifted = [from].into_iter().chain(self.board.piece_at(to).map(|_| to));
                self.news.extend(lifted.map(|sq| News::Sensed(sq, Reading::Empty)));
                let reading = |sq: Square| Sight::Pieces.of(after.piece_at(sq));
                self.news.extend(changed.into_iter().map(|sq| News::Sensed(sq, reading(sq))));
                self.before.push(std::mem::replace(&mut self.board, after));
            }
            UcbMessage::TellsMoves | UcbMessage::IsReferee | UcbMessage::Other => {}
        }
    }
}

/// The board after a move, which need not be legal: a king that goes two files castles, and a pawn
/// that goes aside to an empty square takes the one that it passes.
fn moved(board: &Board, from: Square, to: Square, promotion: Option<Role>) -> Board {
    let mut after = board.clone();
    let Some(mut piece) = after.remove_piece_at(from) else { return after };
    let is_aside = from.file() != to.file();
    match piece.role {
        Role::Pawn => {
            if is_aside && board.piece_at(to).is_none() {
                after.discard_piece_at(Square::from_coords(to.file(), from.rank()));
            }
            if matches!(to.rank(), Rank::First | Rank::Eighth) {
                piece.role = promotion.unwrap_or(Role::Queen);
            }
        }
        Role::King if from.file() == File::E && from.file().distance(to.file()) == 2 => {
            let (corner, beside) =
                if to.file() == File::G { (File::H, File::F) } else { (File::A, File::D) };
            let rook = after.remove_piece_at(Square::from_coords(corner, from.rank()));
            if let Some(rook) = rook {
                after.set_piece_at(Square::from_coords(beside, from.rank()), rook);
            }
        }
        _ => {}
    }
    after.set_piece_at(to, piece);
    after
}

impl Driver for Ucb {
    fn link_up(&mut self, now: Mono, _asks_clock: bool) {
        self.link_down();
        self.last_heard = now;
        self.ask(now, 1);
    }

    fn link_down(&mut self) {
        (self.phase, self.is_new) = (UcbPhase::Down, false);
        (self.blocks, self.said) = (Blocks::default(), VecDeque::new());
        self.news.clear();
    }

    fn on_said(&mut self, now: Mono, bytes: &[u8]) {
        self.last_heard = now;
        let messages = self.blocks.push::<FromUcb>(now, bytes).messages;
        let is_answer = |it: &UcbMessage| *it != UcbMessage::Other;
        if matches!(self.phase, UcbPhase::Asking(..)) && messages.iter().any(is_answer) {
            (self.phase, self.is_new) = (UcbPhase::Up, true);
        }
        if self.phase == UcbPhase::Up {
            self.said.extend(messages);
        }
    }

    fn poll(&mut self, _now: Mono, expects: &dyn Expects) -> Option<News> {
        if std::mem::take(&mut self.is_new) {
            // A game that is on was played on while nobody heard.
            self.news.extend(expects.standing().map(|_| News::Untold));
            self.board = expects.standing().cloned().unwrap_or_else(Board::new);
            self.before.clear();
            self.is_wanted = true;
            return Some(News::Live);
        }
        while self.phase == UcbPhase::Up && self.news.is_empty() && !self.is_wanted {
            let said = self.said.pop_front()?;
            self.follow(said);
        }
        if let Some(news) = self.news.pop_front() {
            return Some(news);
        }
        let is_due = std::mem::take(&mut self.is_wanted) && self.phase == UcbPhase::Up;
        is_due.then(|| News::Pictured(Sight::Pieces.of_board(&self.board)))
    }

    fn take_sent(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.sent)
    }

    fn wake_at(&self) -> Option<Mono> {
        match self.phase {
            UcbPhase::Asking(_, at) => Some(at + ASK_EVERY),
            _ => None,
        }
    }

    fn on_timeout(&mut self, now: Mono) {
        match self.phase {
            UcbPhase::Asking(n, at) if now >= at + ASK_EVERY => match n {
                N_TRIES.. => self.phase = UcbPhase::GivenUp,
                _ => self.ask(now, n + 1),
            },
            _ => {}
        }
    }

    fn is_given_up(&self) -> bool {
        self.phase == UcbPhase::GivenUp
    }

    fn leave(&mut self) {
        self.link_down();
    }

    fn is_reckoned(&self) -> bool {
        true
    }

    fn stands(&mut self, board: &Board) {
        (self.board, self.is_wanted) = (board.clone(), true);
        self.before.clear();
    }

    fn want_picture(&mut self, _now: Mono) {
        self.is_wanted = true;
    }

    fn last_heard(&self) -> Mono {
        self.last_heard
    }

    /// What is known of it is how it lies and what it can tell, and it tells moves.
    fn take_up(&mut self, _known: Known) {}
}
