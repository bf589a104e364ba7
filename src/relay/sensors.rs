//! Which sensors of a board did not tell what stood on them, by the findings of its last games: one
//! that is dead today is dead tomorrow.

use crate::game::Fact;
use crate::laws::FindingKind;
use shakmaty::{Bitboard, Square};
use std::collections::VecDeque;

/// So many games are looked back on: a sensor that was mended is not named for ever.
const N_GAMES: usize = 5;

/// The squares that were named in each of the last games.
#[derive(Clone, Debug, Default)]
pub struct FaultySensors {
    /// The last one behind, with whether a move was made in it.
    games: VecDeque<(Bitboard, bool)>,
}

impl FaultySensors {
    /// Takes the next fact of the record.
    pub fn take(&mut self, fact: &Fact) {
        match fact {
            // An array that nobody played from is no game.
            Fact::GameStarted { .. }
                if self.games.back().is_none_or(|(_, is_played)| *is_played) =>
            {
                self.games.push_back((Bitboard::EMPTY, false));
                if self.games.len() > N_GAMES {
                    self.games.pop_front();
                }
            }
            Fact::MoveMade { .. } => {
                if let Some((_, is_played)) = self.games.back_mut() {
                    *is_played = true;
                }
            }
            Fact::Found(finding) => {
                if let FindingKind::SensorFault { squares } = &finding.kind
                    && let Some((named, _)) = self.games.back_mut()
                {
                    named.extend(squares.iter().copied());
                }
            }
            _ => {}
        }
    }

    /// How many games were looked back on.
    pub fn n_games(&self) -> usize {
        self.games.iter().filter(|(_, is_played)| *is_played).count()
    }

    /// The squares that were named, with the number of games, the worst first.
    pub fn named(&self) -> Vec<(Square, usize)> {
        let n_of = |sq: &Square| self.games.iter().filter(|(named, _)| named.contains(*sq)).count();
        let mut named: Vec<(Square, usize)> =
            Square::ALL.into_iter().map(|sq| (sq, n_of(&sq))).filter(|(_, n)| *n > 0).collect();
        named.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        named
    }
}
