//! The games of an event at one board, a round on each page, as the public may have them.

use super::record::RecordedGame;
use crate::game::{PairedFor, Pairing, Player, ScoreSheet};
use crate::relay::folder;
use crate::relay::livechess::{Live, LiveClock};
use crate::relay::pgn::{self, Tags};
use shakmaty::{ByColor, CastlingMode, Chess, KnownOutcome};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How far the game of a round is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RoundState {
    /// The game has not begun.
    Awaited,
    /// The game has begun, and has no moves yet.
    Begun,
    /// The game has moves.
    Played,
    /// The game has a result.
    Over,
}

/// The game of one round.
#[derive(Clone, Debug)]
pub struct Page {
    /// Who plays, and at which table.
    pub pairing: Box<Pairing>,
    /// The day of the game, or on which it was paired, as PGN writes it.
    pub date: String,
    /// The game, once it has begun.
    game: Option<Arc<RecordedGame>>,
    stand: RoundState,
    /// The number of the game in the record; 0 before it has begun.
    number: usize,
    /// Its tags, without any moves.
    header: Arc<str>,
    pgn: Arc<str>,
}

impl PartialEq for Page {
    /// What the PGN does not tell, nobody is told.
    fn eq(&self, other: &Self) -> bool {
        let of = |page: &Self| (page.stand, page.number, Arc::clone(&page.pgn));
        of(self) == of(other) && self.header == other.header
    }
}

impl Page {
    /// Whether the game is on, by what is known of its board now: where another one has begun
    /// there, one without a result is over too.
    pub fn is_live(&self, live: &Live) -> bool {
        let is_open = matches!(self.stand, RoundState::Begun | RoundState::Played);
        is_open && live.game == self.number
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<KnownOutcome> {
        self.game.as_ref().and_then(|game| game.ending).map(|ending| ending.outcome)
    }

    /// The game as it stands; one without moves, before it has begun.
    pub fn game(&self) -> RecordedGame {
        if let Some(game) = &self.game {
            return (**game).clone();
        }
        let mut tags = Tags { date: self.date.clone(), ..Tags::default() };
        tags.pair(&self.pairing);
        RecordedGame {
            number: 0,
            tags,
            sheet: ScoreSheet::new(Chess::new(), CastlingMode::Standard),
            n_public: 0,
            ending: None,
            pairing: Some(self.pairing.clone()),
        }
    }

    /// The game as PGN, and behind each move that the Laws do not allow another game from there.
    pub const fn pgn(&self) -> &Arc<str> {
        &self.pgn
    }

    /// The same games, each by itself.
    pub fn parts(&self) -> Vec<String> {
        let awaited = || vec![self.header.to_string()];
        self.game.as_ref().map_or_else(awaited, |game| game.public_parts(""))
    }

    /// The game as LiveChess has it in JSON, with what is known of its board now.
    pub fn json(&self, live: &Live) -> String {
        match &self.game {
            Some(game) => {
                let RecordedGame { tags, sheet, n_public, .. } = &**game;
                let (is_live, clock) = (self.is_live(live), self.clock(live));
                folder::game(tags, sheet, *n_public, self.outcome(), is_live, clock)
            }
            None => {
                let sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
                folder::game(&Tags::default(), &sheet, 0, None, false, None)
            }
        }
    }

    /// The clock of a game that is on, by what is known of its board now.
    pub fn clock(&self, live: &Live) -> Option<LiveClock> {
        live.clock.filter(|_| self.is_live(live))
    }
}

/// The games of an event at one board.
///
/// Of each round one game counts: the first that was brought to a result, for what is played after
/// it is no game of the round; until there is one, the last that has moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// `None` where nothing is paired.
    event: Option<String>,
    pages: BTreeMap<u16, Page>,
    /// Up to which number games do not count, for rounds that were to be played anew.
    void: BTreeMap<u16, usize>,
}

impl Book {
    /// Whether nothing is paired at the board.
    pub fn is_empty(&self) -> bool {
        self.event.is_none()
    }

    /// The event; empty where nothing is paired.
    pub fn event(&self) -> &str {
        self.event.as_deref().unwrap_or_default()
    }

    /// The game of each round.
    pub const fn pages(&self) -> &BTreeMap<u16, Page> {
        &self.pages
    }

    /// The games as PGN, each with its round and table, in the order of rounds.
    pub fn games(&self) -> impl Iterator<Item = (u16, u16, &Arc<str>)> {
        self.pages.iter().map(|(round, page)| (*round, page.pairing.table, &page.pgn))
    }

    /// No game of the record up to number `last` is of this round.
    pub fn void(&mut self, round: u16, last: usize) {
        self.pages.remove(&round);
        self.void.insert(round, last);
    }

    /// A game is paired, on this `date` as PGN writes it. What was awaited of later rounds is not
    /// any more; another event is another book.
    pub fn pair(&mut self, pairing: &Pairing, holds: PairedFor, date: String) {
        if self.event.as_ref() != Some(&pairing.event) {
            if !self.goes_on_with(pairing) {
                self.pages.clear();
                self.void.clear();
            }
            self.event = Some(pairing.event.clone());
        }
        let round = pairing.round;
        if holds == PairedFor::Current {
            self.void.remove(&round);
        }
        self.pages.retain(|of, page| *of <= round || page.stand > RoundState::Awaited);
        if self.pages.get(&round).is_some_and(|page| page.stand > RoundState::Awaited) {
            return;
        }
        self.pages.remove(&round);
        if pairing.is_played() {
            let mut tags = Tags { date: date.clone(), ..Tags::default() };
            tags.pair(pairing);
            let header: Arc<str> = pgn::awaited(&tags).into();
            let (pgn, pairing) = (Arc::clone(&header), Box::new(pairing.clone()));
            let stand = RoundState::Awaited;
            let page = Page { pairing, date, game: None, stand, number: 0, header, pgn };
            self.pages.insert(round, page);
        }
    }

    /// Whether a pairing of an event by another name is of this one, which has been given that
    /// name: the same two play that round, or its round comes after those that were played.
    fn goes_on_with(&self, Pairing { round, players, .. }: &Pairing) -> bool {
        let names = |players: &ByColor<Player>| players.as_ref().map(|it| it.name.clone());
        let mut later = self.pages.range(round + 1..);
        let known = self.pages.get(round);
        let is_next = match known {
            Some(page) if names(&page.pairing.players) == names(players) => true,
            Some(page) if page.stand == RoundState::Over => false,
            _ => *round > 1 && !self.pages.is_empty(),
        };
        is_next && !later.any(|(_, page)| page.stand > RoundState::Awaited)
    }

    /// Takes a game of the record as it stands, which is `pgn`.
    pub fn take(&mut self, game: RecordedGame, pgn: &str) {
        let Some(pairing) = game.pairing.clone() else { return };
        let stand = match game.ending {
            Some(_) => RoundState::Over,
            None if game.n_public > 0 => RoundState::Played,
            None => RoundState::Begun,
        };
        let known = self.pages.get(&pairing.round).map(|page| &page.pairing.event);
        let is_ours = [self.event.as_ref(), known].contains(&Some(&pairing.event));
        let is_void = self.void.get(&pairing.round).is_some_and(|last| game.number <= *last);
        if !is_ours || is_void || !pairing.is_played() && stand == RoundState::Begun {
            return;
        }
        for (round, page) in &mut self.pages {
            if page.number == game.number && *round != pairing.round {
                // It was paired anew, and is none of that round.
                (page.stand, page.number, page.game) = (RoundState::Awaited, 0, None);
                page.pgn = Arc::clone(&page.header);
            }
        }
        let known = self.pages.get(&pairing.round);
        let is_other = known.is_some_and(|page| page.number != game.number);
        let counts = known.is_none_or(|page| page.stand != RoundState::Over && page.stand <= stand);
        if is_other && !counts {
            return;
        }
        let header: Arc<str> = pgn::awaited(&game.tags).into();
        let (number, date, pgn) = (game.number, game.tags.date.clone(), pgn.into());
        let (round, game) = (pairing.round, Some(Arc::new(game)));
        self.pages.insert(round, Page { pairing, date, game, stand, number, header, pgn });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Ending, Reason};
    use shakmaty::Position as _;

    fn pairing(round: u16) -> Pairing {
        let player = |name: &str| Player { name: name.to_owned(), ..Player::default() };
        let players = ByColor { white: player("Ann"), black: player("Ben") };
        Pairing { event: "Open".to_owned(), round, table: 1, players, ..Pairing::default() }
    }

    /// Takes a game of a round with so many moves into the book; it is named by its number.
    fn take(book: &mut Book, number: usize, round: u16, n: usize, is_over: bool) {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        for _ in 0..n {
            let m = sheet.last().legal_moves()[0];
            sheet.push(m, Vec::new());
        }
        let outcome = KnownOutcome::Draw;
        let ending = is_over.then_some(Ending { outcome, reason: Reason::Agreement });
        let pairing = Some(Box::new(pairing(round)));
        let tags = Tags::default();
        let game = RecordedGame { number, tags, sheet, n_public: n, ending, pairing };
        book.take(game, &format!("game {number}, {n} moves"));
    }

    /// What the book has of each round, and whether those are tags alone.
    fn rounds(book: &Book) -> Vec<(u16, String)> {
        let of = |text: &str| {
            if text.starts_with('[') { "tags".to_owned() } else { text.to_owned() }
        };
        book.games().map(|(round, _, pgn)| (round, of(pgn))).collect()
    }

    fn is(round: u16, text: &str) -> (u16, String) {
        (round, text.to_owned())
    }

    #[test]
    fn of_each_round_one_game_counts() {
        let mut book = Book::default();
        assert!(book.is_empty());
        book.pair(&pairing(1), PairedFor::Next, String::new());
        assert_eq!(rounds(&book), [is(1, "tags")]);
        take(&mut book, 1, 1, 0, false);
        take(&mut book, 1, 1, 3, false);
        // It was begun anew, with nothing played yet, and then with moves.
        take(&mut book, 2, 1, 0, false);
        assert_eq!(rounds(&book), [is(1, "game 1, 3 moves")]);
        take(&mut book, 2, 1, 2, false);
        take(&mut book, 2, 1, 2, true);
        // They play once more before they go.
        take(&mut book, 3, 1, 9, true);
        assert_eq!(rounds(&book), [is(1, "game 2, 2 moves")]);
        // The result is withdrawn, and the game goes on.
        take(&mut book, 2, 1, 4, false);
        assert_eq!(rounds(&book), [is(1, "game 2, 4 moves")]);
    }

    #[test]
    fn a_game_that_was_left_is_not_on_once_the_board_plays_another() {
        let mut book = Book::default();
        let is_live = |book: &Book, game: usize| {
            let live = Live { game, ..Live::default() };
            let told = |page: &Page| {
                let json: serde_json::Value = serde_json::from_str(&page.json(&live)).unwrap();
                assert_eq!(json["live"], page.is_live(&live));
                page.is_live(&live)
            };
            book.pages().values().map(told).collect::<Vec<_>>()
        };
        book.pair(&pairing(1), PairedFor::Next, String::new());
        assert_eq!(is_live(&book, 0), [false], "it has not begun");
        take(&mut book, 1, 1, 3, false);
        book.pair(&pairing(2), PairedFor::Next, String::new());
        assert_eq!(is_live(&book, 1), [true, false]);
        take(&mut book, 2, 2, 1, false);
        assert_eq!(is_live(&book, 2), [false, true]);
        // Or one that is of no round.
        assert_eq!(is_live(&book, 3), [false, false]);
    }

    #[test]
    fn a_round_that_is_played_anew_has_the_next_game() {
        let mut book = Book::default();
        book.pair(&pairing(1), PairedFor::Next, String::new());
        take(&mut book, 1, 1, 9, true);
        assert_eq!(rounds(&book), [is(1, "game 1, 9 moves")]);
        book.void(1, 1);
        book.pair(&pairing(1), PairedFor::Anew, String::new());
        take(&mut book, 1, 1, 9, true);
        assert_eq!(rounds(&book), [is(1, "tags")]);
        take(&mut book, 2, 1, 3, false);
        assert_eq!(rounds(&book), [is(1, "game 2, 3 moves")]);
        // That was wrong: the game that is on is said to be of the round.
        book.void(1, 2);
        book.pair(&pairing(1), PairedFor::Anew, String::new());
        take(&mut book, 2, 1, 4, false);
        assert_eq!(rounds(&book), [is(1, "tags")]);
        book.pair(&pairing(1), PairedFor::Current, String::new());
        take(&mut book, 2, 1, 4, false);
        assert_eq!(rounds(&book), [is(1, "game 2, 4 moves")]);
    }

    #[test]
    fn a_game_is_of_the_round_that_was_said_last() {
        let mut book = Book::default();
        book.pair(&pairing(1), PairedFor::Next, String::new());
        take(&mut book, 1, 1, 3, false);
        book.pair(&pairing(5), PairedFor::Next, String::new());
        book.pair(&pairing(2), PairedFor::Next, String::new());
        assert_eq!(rounds(&book), [is(1, "game 1, 3 moves"), is(2, "tags")], "5 was a slip");
        take(&mut book, 1, 2, 3, false);
        assert_eq!(rounds(&book), [is(1, "tags"), is(2, "game 1, 3 moves")]);
        let other = Pairing { event: "Blitz".to_owned(), ..pairing(1) };
        book.pair(&other, PairedFor::Next, String::new());
        assert_eq!(rounds(&book), [is(1, "tags")]);
        take(&mut book, 1, 2, 4, false);
        assert_eq!(rounds(&book), [is(1, "tags")], "a game of the event before");
        let nobody = Pairing { players: ByColor::default(), round: 2, ..other };
        book.pair(&nobody, PairedFor::Next, String::new());
        assert_eq!(rounds(&book), [is(1, "tags")]);
    }

    #[test]
    fn an_event_that_is_given_another_name_keeps_its_rounds() {
        let mut book = Book::default();
        book.pair(&pairing(1), PairedFor::Next, String::new());
        take(&mut book, 1, 1, 3, true);
        let renamed = |round| Pairing { event: "Open 2026".to_owned(), ..pairing(round) };
        let before = book.clone();
        for round in [1, 2] {
            book.pair(&renamed(round), PairedFor::Next, String::new());
            assert_eq!(book.event(), "Open 2026");
            assert_eq!(rounds(&book)[0], is(1, "game 1, 3 moves"));
        }
        // The result of the first round is withdrawn, and it goes on under its old name.
        take(&mut book, 1, 1, 4, false);
        assert_eq!(rounds(&book), [is(1, "game 1, 4 moves"), is(2, "tags")]);
        // A first round of others is another event.
        let mut book = before;
        let mut other = renamed(1);
        other.players.white.name = "Cyd".to_owned();
        book.pair(&other, PairedFor::Next, String::new());
        assert_eq!(rounds(&book), [is(1, "tags")]);
    }
}
