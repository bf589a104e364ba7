//! The games that hands play in tests: legal to their end, and with every kind of move among them.

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use rokade::sim::games::random_game;
use shakmaty::{CastlingSide, Chess, KnownOutcome, Move, Outcome, Position};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const CLASSICS: &str = include_str!("../games/classics.pgn");

/// A game of the collection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classic {
    pub(crate) white: String,
    pub(crate) moves: Vec<Move>,
    pub(crate) outcome: Option<KnownOutcome>,
    pub(crate) last: Chess,
}

struct Collector;

impl Visitor for Collector {
    type Tags = Classic;
    type Movetext = Classic;
    type Output = Classic;

    fn begin_tags(&mut self) -> ControlFlow<Classic, Classic> {
        ControlFlow::Continue(Classic::default())
    }

    fn tag(
        &mut self,
        tags: &mut Classic,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name == b"White" {
            tags.white = value.decode_utf8_lossy().into_owned();
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Classic) -> ControlFlow<Classic, Classic> {
        ControlFlow::Continue(tags)
    }

    fn san(&mut self, game: &mut Classic, san: SanPlus) -> ControlFlow<Classic> {
        let m = san.san.to_move(&game.last).expect("a legal move");
        game.last.play_unchecked(m);
        game.moves.push(m);
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Classic, outcome: Outcome) -> ControlFlow<Classic> {
        game.outcome = outcome.known();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Classic) -> Classic {
        game
    }
}

/// The whole collection.
pub(crate) fn classics() -> Vec<Classic> {
    Reader::new(CLASSICS.as_bytes())
        .read_games(&mut Collector)
        .collect::<Result<_, _>>()
        .expect("a string can be read")
}

/// What is special about the moves of a game.
fn specials(moves: &[Move]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for m in moves {
        match m.castling_side() {
            Some(CastlingSide::KingSide) => found.insert("O-O".to_owned()),
            Some(CastlingSide::QueenSide) => found.insert("O-O-O".to_owned()),
            None if m.is_en_passant() => found.insert("e.p.".to_owned()),
            None => m.promotion().is_some_and(|role| found.insert(format!("={}", role.char()))),
        };
    }
    found
}

#[test]
fn classics_are_legal_to_their_end() {
    let games = classics();
    assert!(games.len() >= 12, "{}", games.len());
    for game in &games {
        let by_position = game.last.outcome().known();
        assert!(by_position.is_none() || by_position == game.outcome, "{}", game.white);
    }
    let n_mates = games.iter().filter(|game| game.last.is_checkmate()).count();
    assert_eq!(n_mates, 8);
    let all: Vec<Move> = games.iter().flat_map(|game| game.moves.clone()).collect();
    let found: Vec<String> = specials(&all).into_iter().collect();
    assert_eq!(found, ["=n", "=q", "O-O", "O-O-O", "e.p."]);
}

#[test]
fn opera_is_among_the_classics() {
    let (players, moves) = rokade::sim::games::opera();
    let game = classics().into_iter().find(|game| game.white == players.white);
    assert_eq!(game.expect("Morphy's game").moves, moves);
}

#[test]
fn random_games_hold_every_special_move() {
    let mut found = BTreeSet::new();
    for seed in 0..200 {
        let moves = random_game(seed, 80);
        assert_eq!(moves, random_game(seed, 80), "seed {seed}");
        let mut pos = Chess::default();
        for m in &moves {
            assert!(pos.is_legal(*m), "seed {seed}: {m}");
            pos.play_unchecked(*m);
        }
        found.extend(specials(&moves));
    }
    let found: Vec<String> = found.into_iter().collect();
    assert_eq!(found, ["=b", "=n", "=q", "=r", "O-O", "O-O-O", "e.p."]);
}
