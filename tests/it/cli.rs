//! The command line.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

struct Moves;

impl Visitor for Moves {
    type Tags = ();
    type Movetext = (Chess, Vec<String>);
    type Output = Vec<String>;

    fn begin_tags(&mut self) -> ControlFlow<Vec<String>> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), _: &[u8], _: RawTag<'_>) -> ControlFlow<Vec<String>> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<Vec<String>, Self::Movetext> {
        ControlFlow::Continue((Chess::new(), Vec::new()))
    }

    fn san(&mut self, (pos, moves): &mut Self::Movetext, san: SanPlus) -> ControlFlow<Vec<String>> {
        let m = san.san.to_move(pos).expect("a legal move");
        moves.push(UciMove::from_move(m, CastlingMode::Standard).to_string());
        pos.play_unchecked(m);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, moves): Self::Movetext) -> Vec<String> {
        moves
    }
}

/// The moves of each game, as an independent reader finds them.
pub(crate) fn pgn_moves(pgn: &str) -> Vec<Vec<String>> {
    Reader::new(pgn.as_bytes()).read_games(&mut Moves).map(Result::unwrap).collect()
}
