//! What a referee can be asked.

use super::super::notation::{MateSign, write};
use super::super::said::{Binding, GameResult, OfferState};
use super::super::score::Score;
use super::super::terms::Terms;
use super::super::why::Wrong;
use super::Referee;
use super::context::Phase;
use super::matter::MayAct;
use shakmaty::{CastlingSide, Chess, Color, Position};

impl Referee {
    /// The terms of the game.
    pub fn terms(&self) -> &Terms {
        &self.cx.terms
    }

    /// What the clock shows, with all that was ordered of it since it was read.
    pub fn clocks(&self) -> super::Clocks {
        self.cx.clock.shown()
    }

    /// The position after the last move that was made.
    pub fn position(&self) -> &Chess {
        self.cx.game.last()
    }

    /// The moves that count, in UCI notation; an illegal one only if it stands.
    pub fn moves(&self) -> Vec<&str> {
        self.cx.game.plies().iter().map(|ply| ply.uci.as_str()).collect()
    }

    /// How many of [`Self::moves`] are completed, from the first.
    pub fn n_completed(&self) -> usize {
        self.cx.game.plies().iter().take_while(|ply| ply.is_completed).count()
    }

    /// Whether pieces that move now belong to no move of the game: people have ended it, a flag is
    /// being ruled upon, or the move is being sealed. What a position ended is the record's matter.
    pub fn is_suspended(&self) -> bool {
        let is_ended = |known: &GameResult| !known.code.is_end_by_position();
        self.cx.end.result().is_some_and(is_ended)
            || self.is_play_over()
            || self.sitting.requested().is_some()
            || self.sitting.is_adjourned()
    }

    /// How the game ended.
    pub fn result(&self) -> Option<&GameResult> {
        self.cx.end.result()
    }

    /// What the player concerned is obliged to do now.
    pub fn binding(&self) -> Option<Binding> {
        if let Some(breach) =
            self.motion.breaches().find(|it| it.first.is_some() && !it.is_answered)
        {
            return Some(breach.binding.clone());
        }
        let last = self.cx.game.last_ply().filter(|ply| !ply.is_completed && !ply.is_illegal);
        if let Some(ply) = last
            && self.motion.touches().is_empty()
            && let Some(role) = ply.m.promotion()
        {
            return Some(Binding::Promote(ply.m.to(), Some(role)));
        }
        if let Some(m) = self.motion.promoted() {
            return Some(Binding::Promote(m.to(), m.promotion()));
        }
        if let Some(case) = self.cx.matters.standing_illegal()
            && self.motion.touches().is_empty()
        {
            return case.touches.binding(self.cx.game.position(case.ply));
        }
        match self.motion.bound(&self.cx) {
            Some(Binding::Any)
                if self.cx.board.seen().differs(self.cx.game.last().board()).any() =>
            {
                self.motion.touches().pinned(self.cx.game.last()).or(Some(Binding::Any))
            }
            bound => bound,
        }
    }

    /// The illegal placement that stands and was not pressed on: by whom, and why.
    pub fn illegal_on_board(&self) -> Option<(Color, Wrong)> {
        self.motion.on_board().map(|on_board| (on_board.by, on_board.why))
    }

    /// Whether the last move is made and not completed.
    pub fn has_open_move(&self) -> bool {
        self.cx.is_last_open() && self.motion.touches().is_empty()
    }

    /// The position that the arbiter wants to see on the board, as a FEN.
    pub fn demanded_fen(&self) -> Option<String> {
        self.demanded().map(|(_, fen)| fen)
    }

    /// The pieces of the position that is demanded, or else of the game.
    pub fn target_board(&self) -> shakmaty::Board {
        let of_game = || self.cx.game.last().board().clone();
        self.demanded().map_or_else(of_game, |(board, _)| board)
    }

    /// Whether the envelope is open and its move is to be made.
    pub fn is_envelope_open(&self) -> bool {
        self.sitting.is_opened()
    }

    /// Who had sealed what, once the envelope that is known here has been opened.
    pub fn read_from_envelope(&self) -> Option<(Color, &str)> {
        self.sitting.read()
    }

    /// What was written, for the arbiter who closes the envelope. It stays out of every record
    /// until the envelope is opened.
    pub fn sealed(&self) -> Option<(Color, u32, &str)> {
        self.sitting.sealed().map(|(by, text)| (by, self.cx.game.next_no(), text))
    }

    /// Whether a released piece stands where its move could not have gone.
    pub fn has_gone_beyond(&self) -> bool {
        self.motion.has_gone_beyond()
    }

    /// Whether the player who is to move has taken back a piece that he had released, and the board
    /// shows the position: a press is for no move then.
    pub fn has_taken_back(&self) -> bool {
        self.motion.has_taken_back() && self.cx.shows(self.cx.game.last().board())
    }

    /// The choices that are open.
    pub fn prompts(&self) -> impl Iterator<Item = &[String]> {
        self.cx.matters.iter().map(|matter| matter.options.as_slice())
    }

    /// Whether the Laws let the arbiter step in unasked, in the matter that came up last.
    pub fn may_act(&self) -> Option<MayAct> {
        self.cx.matters.may_act()
    }

    /// How often the position has occurred. All editions: Art. 9.2.
    pub fn occurrences(&self) -> usize {
        self.cx.game.occurrences()
    }

    /// The number of the next move.
    pub fn next_move_no(&self) -> u32 {
        self.cx.game.next_no()
    }

    /// Whether the pieces stand as they must and play may begin.
    pub fn is_ready(&self) -> bool {
        self.cx.phase != Phase::Setup
    }

    /// What both score.
    pub fn points(&self) -> Option<shakmaty::ByColor<u8>> {
        self.cx.end.points()
    }

    /// What both signed.
    pub fn signed(&self) -> Option<Score> {
        self.cx.end.signed()
    }

    /// Castling rights before and after the last move, as in a FEN.
    pub fn castling_rights(&self) -> (String, String) {
        (rights(self.cx.game.before_last()), rights(self.cx.game.last()))
    }

    /// The last completed move as a score sheet has it: `2.Nf3 (=)`, `4...0-0`. An illegal one that
    /// stands is in PGN's notation.
    pub fn notation(&self) -> Option<String> {
        let idx = self.cx.game.plies().iter().rposition(|ply| ply.is_completed)?;
        let (ply, pos) = (&self.cx.game.plies()[idx], self.cx.game.position(idx));
        let dots = if ply.by.is_white() { "." } else { "..." };
        let offer = if ply.has_offer { " (=)" } else { "" };
        let text = if ply.is_illegal {
            ply.san.clone()
        } else {
            write(pos, ply.m, self.cx.terms.written, MateSign::default())
        };
        Some(format!("{}{dots}{text}{offer}", ply.no))
    }

    /// How the offer of `by` stands. One that is open lapses with the end of the game.
    pub fn offer(&self, by: Color) -> Option<OfferState> {
        match self.offers.state(by) {
            Some(OfferState::Open) if self.cx.is_over() => Some(OfferState::Lapsed),
            state => state,
        }
    }
}

fn rights(pos: &Chess) -> String {
    let mut text = String::new();
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if pos.castles().has(color, side) {
                let letter = match side {
                    CastlingSide::KingSide => 'k',
                    CastlingSide::QueenSide => 'q',
                };
                text.push(color.fold_wb(letter.to_ascii_uppercase(), letter));
            }
        }
    }
    if text.is_empty() { "-".to_owned() } else { text }
}
