//! An arbiter's order about the moves on record: which of those that the sensors allow it was, or
//! what was played whatever the sensors say.

use super::Play;
use super::shadow::{Chosen, Shadows};
use crate::game::entry::{Basis, Fact};
use crate::game::score::{Scored, Unplayable};
use crate::time::Mono;
use crate::track::legal;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};
use std::fmt;
use std::time::Duration;

/// Why an order about a move cannot be carried out. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderError {
    /// There is no such half-move on record.
    NoSuchPly {
        /// The half-move that was named, from 1.
        ply: usize,
        /// How many there are.
        n_recorded: usize,
    },
    /// The move is not legal in the position before it.
    NotLegal {
        /// The half-move, from 1.
        ply: usize,
    },
    /// A move that is recorded after it could not have been played then.
    LaterMove {
        /// That move's half-move, from 1.
        ply: usize,
        /// It, in UCI notation.
        uci: String,
    },
    /// It is on record so.
    Unchanged {
        /// The half-move, from 1.
        ply: usize,
    },
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPly { ply, n_recorded } => {
                write!(f, "there is no half-move {ply} on record, only {n_recorded}")
            }
            Self::NotLegal { ply } => {
                write!(f, "that move is not legal in the position before half-move {ply}")
            }
            Self::LaterMove { ply, uci } => {
                write!(f, "half-move {ply}, {uci}, could not have been played after it")
            }
            Self::Unchanged { ply } => {
                write!(
                    f,
                    "half-move {ply} is already on record like this, and nothing about it is open"
                )
            }
        }
    }
}

impl std::error::Error for OrderError {}

impl From<Unplayable> for OrderError {
    fn from(unplayable: Unplayable) -> Self {
        match unplayable {
            Unplayable::New { ply } => Self::NotLegal { ply },
            Unplayable::Later { ply, uci } => Self::LaterMove { ply, uci },
        }
    }
}

impl Play {
    /// Records half-move `ply`, from 1, as `choice`, and as no longer uncertain. This is done in
    /// the open: the moves from there on are withdrawn and made again, on [`Basis::Order`], with
    /// their completions. What the sensors say of that half-move counts no more.
    ///
    /// # Errors
    /// There is no such half-move, or it cannot have been `choice`, by itself or because of what
    /// was played later.
    pub fn settle_order(
        &mut self,
        at: Mono,
        ply: usize,
        choice: Move,
        facts: &mut Vec<Fact>,
    ) -> Result<(), OrderError> {
        self.edit(at, ply, 1, &[choice.to_uci(self.sheet.mode())], facts)
    }

    /// Records that from half-move `ply` on, counted from 1, not the `n` moves that are on record
    /// were played but these, and then what follows on record. This is done in the open, as by
    /// [`Self::settle_order`].
    ///
    /// # Errors
    /// There are no such half-moves, it is on record so, or a move cannot have been played; nothing
    /// has changed then.
    pub fn edit(
        &mut self,
        at: Mono,
        ply: usize,
        n: usize,
        moves: &[UciMove],
        facts: &mut Vec<Fact>,
    ) -> Result<(), OrderError> {
        let n_recorded = self.sheet.len();
        let Some(first) = ply.checked_sub(1).filter(|first| first + n <= n_recorded) else {
            let ply = (ply + n).saturating_sub(1);
            return Err(OrderError::NoSuchPly { ply, n_recorded });
        };
        let old = &self.sheet.moves()[first..first + n];
        let is_open = old.iter().any(Scored::is_uncertain);
        if !is_open && old.iter().map(|scored| &scored.uci).eq(moves) {
            return Err(OrderError::Unchanged { ply });
        }
        let known_gap = self.gap_fact(first);
        let is_filled = n == 0 && known_gap.is_some();
        self.sheet.splice(first, n, moves)?;
        if first < n_recorded {
            facts.push(Fact::MoveRetracted { ply });
        }
        if is_filled {
            facts.push(Fact::GapClosed { ply: first });
        }
        // A gap that was behind the moves that are gone is here by now.
        facts.extend(self.gap_fact(first).filter(|gap| known_gap.as_ref() != Some(gap)));
        self.record_from(at, first, first + moves.len(), Basis::Order, facts);
        Ok(())
    }

    /// Writes half-move `ply` and what follows it as `chosen`, in the open.
    pub(super) fn replace(
        &mut self,
        at: Mono,
        ply: usize,
        chosen: Chosen<'_>,
        facts: &mut Vec<Fact>,
    ) {
        let Chosen { m, others, later, basis } = chosen;
        let first = ply - 1;
        self.sheet.rewrite(first, m, later);
        self.sheet.mark(ply, others);
        facts.push(Fact::MoveRetracted { ply });
        self.record_from(at, first, ply, basis, facts);
    }

    /// Puts the half-moves from `first` on, counted from 0, on record again. The first `n_ruled` of
    /// all are no longer open to revision.
    fn record_from(
        &mut self,
        at: Mono,
        first: usize,
        n_ruled: usize,
        basis: Basis,
        facts: &mut Vec<Fact>,
    ) {
        self.shadows = Shadows::default();
        self.past.forget();
        self.forget_heard(at);
        for (idx, scored) in self.sheet.moves().iter().enumerate().skip(first) {
            facts.extend(self.gap_fact(idx).filter(|_| idx > first));
            facts.push(Fact::MoveMade {
                ply: idx + 1,
                uci: scored.uci.to_string(),
                san: scored.san.to_string(),
                is_illegal: scored.is_illegal,
                basis,
                alternatives: scored.alternatives.iter().map(ToString::to_string).collect(),
                released_before: Duration::ZERO,
            });
            if let Some(done) = scored.completed {
                let pressed_before = at.since_on_record(done.at);
                let (ply, by, times) = (idx + 1, done.by, done.times);
                facts.push(Fact::MoveCompleted { ply, by, pressed_before, times });
            }
        }
        let n = self.sheet.len();
        facts.extend(self.gap_fact(n).filter(|_| n > first));
        let n_settled = self.sheet.n_completed();
        let open: Vec<Move> = self.sheet.moves()[n_settled..].iter().map(|open| open.m).collect();
        let root = self.sheet.position(n_settled).clone();
        self.tracker.rule(root, n_settled, &open, n_ruled.saturating_sub(n_settled), at);
        self.other = None;
    }

    /// The recorded moves after half-move `ply`, as they read if that was `choice`: what a queen
    /// did may have been done by a rook.
    pub(super) fn later_moves(&self, ply: usize, choice: Move) -> Result<Vec<Move>, OrderError> {
        let n_recorded = self.sheet.len();
        if ply == 0 || ply > n_recorded {
            return Err(OrderError::NoSuchPly { ply, n_recorded });
        }
        let mut pos: Chess = self.sheet.position(ply - 1).clone();
        if !legal::is_legal(&pos, choice) {
            return Err(OrderError::NotLegal { ply });
        }
        pos.play_unchecked(choice);
        let mut later = Vec::with_capacity(n_recorded - ply);
        for (idx, scored) in self.sheet.moves().iter().enumerate().skip(ply) {
            let impossible =
                |_| OrderError::LaterMove { ply: idx + 1, uci: scored.uci.to_string() };
            let m = legal::read(&scored.uci, &pos).map_err(impossible)?;
            pos.play_unchecked(m);
            later.push(m);
        }
        Ok(later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Recovered, ScoreSheet, Unknown};
    use crate::track::line::CompletedBy;
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    const KNIGHT: &str = "6k1/2p1p3/8/3N4/8/8/8/6K1 w - - 0 1";
    const PAWN: &str = "8/4P2k/8/8/8/8/P6K/8 w - - 0 1";

    fn uci(text: &str) -> UciMove {
        text.parse().unwrap()
    }

    /// A game in which each move but the last was pressed; the first was uncertain.
    fn play(fen: &str, moves: &[&str], other: &str) -> Play {
        let start: Chess =
            fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        let mut sheet = ScoreSheet::new(start, CastlingMode::Standard);
        for (idx, text) in moves.iter().enumerate() {
            let m = uci(text).to_move(sheet.last()).unwrap();
            let others = if idx == 0 { vec![uci(other)] } else { Vec::new() };
            sheet.push(m, others);
            if idx + 1 < moves.len() {
                let at = Mono::from_millis(1_000 * (idx as u64 + 1));
                sheet.complete(idx + 1, at, CompletedBy::Press, None);
            }
        }
        Play::resumed(sheet, None)
    }

    fn order(play: &mut Play, ply: usize, text: &str) -> Result<Vec<Fact>, OrderError> {
        let choice = uci(text).to_move(play.sheet().position(ply - 1)).unwrap();
        let mut facts = Vec::new();
        play.settle_order(Mono::from_millis(9_000), ply, choice, &mut facts).map(|()| facts)
    }

    fn recovered(facts: Vec<Fact>) -> ScoreSheet {
        Recovered::of(Mono::from_millis(9_000), facts).sheet().unwrap().clone()
    }

    fn sans(play: &Play) -> Vec<String> {
        play.sheet().moves().iter().map(|scored| scored.san.to_string()).collect()
    }

    #[test]
    fn the_other_capture_takes_the_place_of_the_recorded_one() {
        let moves = ["d5c7", "g8h8", "g1h1"];
        let mut play = play(KNIGHT, &moves, "d5e7");
        assert!(play.sheet().moves()[0].is_uncertain());
        let mut facts = vec![Fact::started(KNIGHT)];
        facts.extend(order(&mut play, 1, "d5e7").unwrap());
        assert_eq!(sans(&play), ["Nxe7+", "Kh8", "Kh1"]);
        assert!(!play.sheet().moves()[0].is_uncertain());
        assert!(matches!(facts[1], Fact::MoveRetracted { ply: 1 }));
        assert!(facts.iter().all(|fact| !matches!(fact, Fact::MoveMade { basis, .. }
                if *basis != Basis::Order)));
        // The last move was not pressed yet, so it may still be; the others stay completed.
        assert_eq!((play.sheet().n_completed(), play.tracker().n_settled()), (2, 2));
        assert_eq!(play.tracker().best().plies.len(), 1);
        assert_eq!(play.tracker().best().pos.board(), play.sheet().last().board());
    }

    /// What was believed before a silence is no longer what to go on with, if an order came in it.
    #[test]
    fn an_order_in_a_silence_outlasts_it() {
        let mut play = play(KNIGHT, &["d5c7", "g8h8", "g1h1", "h8h7"], "d5e7");
        let before = play.tracker().clone();
        order(&mut play, 1, "d5e7").unwrap();
        play.resume_from(before);
        let root = play.sheet().position(play.tracker().n_settled());
        assert_eq!(play.tracker().root().board(), root.board());
    }

    #[test]
    fn what_was_ordered_is_there_again_after_a_restart() {
        let mut play = play(KNIGHT, &["d5c7", "g8h8", "g1h1"], "d5e7");
        let mut facts = vec![Fact::started(KNIGHT)];
        facts
            .extend([(1, "d5c7"), (2, "g8h8"), (3, "g1h1")].map(|(ply, uci)| Fact::made(ply, uci)));
        facts.extend(order(&mut play, 1, "d5e7").unwrap());
        let recovered = recovered(facts);
        assert_eq!(recovered.last(), play.sheet().last());
        assert_eq!(recovered.n_completed(), 2);
        // Times of before the order are not compared with those after it.
        assert!(recovered.moves().iter().all(|m| m.completed.is_none_or(|d| d.elapsed.is_none())));
    }

    /// What a change of moves tells is what is on record then, where moves are unknown too.
    #[test]
    fn a_gap_behind_removed_moves_is_told_where_it_is_now() {
        let knights = "4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1";
        let gap = |ply, fen: &str, n| Fact::Gap { ply, fen: fen.to_owned(), n };
        let first = gap(2, "4k3/8/8/5n2/8/8/8/4K1N1 w - - 0 4", Unknown::exactly(2));
        let second = gap(4, "8/4k3/8/5n2/8/8/4K3/6N1 w - - 0 8", Unknown::at_least(4));
        let made = Fact::made;
        let game = [
            vec![Fact::started(knights), made(1, "g1f3"), made(2, "g8f6"), first],
            vec![made(3, "g1e2"), made(4, "e8e7"), second, made(5, "e2d3"), made(6, "e7d7")],
        ]
        .concat();
        let unknown = |sheet: &ScoreSheet| -> Vec<_> {
            sheet.gaps().iter().map(|gap| (gap.ply, gap.n)).collect()
        };
        // How many are removed from which half-move on, and what is unknown then.
        let lost = [
            (3, 2, vec![(2, Unknown::at_least(8))]),
            (2, 1, vec![(1, Unknown::exactly(3)), (3, Unknown::at_least(4))]),
            (5, 2, vec![(2, Unknown::exactly(2)), (4, Unknown::at_least(4))]),
            (4, 1, vec![(2, Unknown::exactly(2)), (3, Unknown::at_least(5))]),
        ];
        for (ply, n, expected) in lost {
            let mut facts = game.clone();
            let mut play = Play::resumed(recovered(facts.clone()), None);
            play.edit(Mono::from_millis(9_000), ply, n, &[], &mut facts).unwrap();
            let folded = recovered(facts.clone());
            assert_eq!(unknown(play.sheet()), expected, "{ply} {n}");
            assert_eq!(unknown(&folded), expected, "{ply} {n}: {facts:?}");
            assert_eq!(folded.last(), play.sheet().last(), "{ply} {n}");
        }
    }

    #[test]
    fn later_moves_are_those_of_the_piece_that_was_promoted_to() {
        let mut play = play(PAWN, &["e7e8q", "h7g7", "e8e5", "g7f7"], "e7e8r");
        order(&mut play, 1, "e7e8r").unwrap();
        assert_eq!(sans(&play), ["e8=R", "Kg7", "Re5", "Kf7"]);
    }

    #[test]
    fn what_cannot_have_been_played_is_refused_and_nothing_changes() {
        let mut play = play(KNIGHT, &["d5e7", "g8h8", "g1h1", "c7c6"], "d5c7");
        let before = sans(&play);
        let refused = order(&mut play, 1, "d5c7").unwrap_err();
        assert_eq!(refused, OrderError::LaterMove { ply: 4, uci: "c7c6".to_owned() });
        let text = "half-move 4, c7c6, could not have been played after it";
        assert_eq!(refused.to_string(), text);
        let choice = play.sheet().moves()[0].m;
        let mut facts = Vec::new();
        let at = Mono::from_millis(9_000);
        let refused = play.settle_order(at, 3, choice, &mut facts);
        assert_eq!(refused, Err(OrderError::NotLegal { ply: 3 }));
        let refused = play.settle_order(at, 9, choice, &mut facts);
        assert_eq!(refused, Err(OrderError::NoSuchPly { ply: 9, n_recorded: 4 }));
        assert_eq!((sans(&play), facts), (before, Vec::new()));
    }
}
