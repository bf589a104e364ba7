//! The event, its rounds and games as LiveChess serves them to programs: made of the boards' books,
//! so behind as all else is.

use super::Hall;
use crate::relay::livechess::{Live, serialnr};
use crate::relay::tournament::{self, ListedGame};
use crate::shell::book::{Book, Page};
use serde_json::Value;
use std::sync::Arc;

/// What is known of the boards of the event, in the order of their tables.
#[derive(Debug)]
pub(super) struct Tournament {
    boards: Vec<EventBoard>,
}

#[derive(Debug)]
struct EventBoard {
    book: Arc<Book>,
    live: Arc<Live>,
    serial: String,
}

impl EventBoard {
    /// The table, by the round that was paired last.
    fn table(&self) -> Option<u16> {
        self.book.pages().values().next_back().map(|page| page.pairing.table)
    }
}

impl Tournament {
    /// As the boards stand now.
    pub(super) fn of(hall: &Hall) -> Self {
        let lives: Vec<_> = hall.feeds().map(|feed| feed.live.borrow().clone()).collect();
        let board = |(idx, book): (usize, Arc<Book>)| EventBoard {
            book,
            live: Arc::clone(&lives[idx]),
            serial: serialnr(&lives, idx),
        };
        let books = hall.feeds().map(|feed| feed.book.borrow().clone());
        let mut boards: Vec<_> = books.enumerate().map(board).collect();
        boards.retain(|board| board.table().is_some());
        boards.sort_by_key(EventBoard::table);
        Self { boards }
    }

    /// All tournaments.
    pub(super) fn list(&self) -> Value {
        let event = self.event().map(|event| (self.uuid(), event));
        let event = event.as_ref().map(|(uuid, event)| (&**uuid, *event));
        tournament::list(event, self.n_rounds())
    }

    /// The one that is asked for; `None` if there is no such.
    pub(super) fn detail(&self, uuid: &str) -> Option<Value> {
        let event = self.event().filter(|_| self.uuid() == uuid)?;
        let serials: Vec<_> = self.boards.iter().map(|board| board.serial.clone()).collect();
        let mut pages = self.boards.iter().flat_map(|board| board.book.pages().values());
        let site = pages.next().map_or("", |page| &page.pairing.site);
        Some(tournament::detail(uuid, event, site, self.n_rounds(), &serials))
    }

    /// A round of it, from 0.
    pub(super) fn round(&self, uuid: &str, idx: u16) -> Option<Value> {
        let number =
            idx.checked_add(1).filter(|_| self.event().is_some() && self.uuid() == uuid)?;
        let games: Vec<_> = self.games(number).collect();
        let date = games.first().map_or("", |(_, page, _)| &page.date);
        let listed = games.iter().map(|(nr, page, board)| ListedGame {
            nr: *nr,
            uuid: self.uuid_of(number, *nr),
            pairing: &page.pairing,
            is_live: page.is_live(&board.live),
            outcome: page.outcome(),
        });
        let listed: Vec<_> = listed.collect();
        (usize::from(number) <= self.n_rounds()).then(|| tournament::round(number, date, &listed))
    }

    /// A game of it.
    pub(super) fn game(&self, uuid: &str) -> Option<Value> {
        let rounds = 1..=u16::try_from(self.n_rounds()).unwrap_or(u16::MAX);
        let mut games = rounds.flat_map(|number| self.games(number).map(move |it| (number, it)));
        let found = games.find(|(number, (nr, ..))| self.uuid_of(*number, *nr) == uuid);
        let (_, (_, page, board)) = found?;
        let game = page.game();
        let clock = page.clock(&board.live);
        Some(tournament::game(&game.sheet, game.n_public, page.outcome(), clock))
    }

    /// The games of a round, with their places in the order of tables.
    fn games(&self, number: u16) -> impl Iterator<Item = (usize, &Page, &EventBoard)> {
        let boards = self.boards.iter().enumerate();
        boards.filter_map(move |(idx, board)| {
            Some((idx + 1, board.book.pages().get(&number)?, board))
        })
    }

    fn event(&self) -> Option<&str> {
        self.boards.first().map(|board| board.book.event())
    }

    fn n_rounds(&self) -> usize {
        let pages = self.boards.iter().flat_map(|board| board.book.pages().keys());
        pages.max().map_or(0, |last| usize::from(*last))
    }

    /// The same for an event of the same name, also after a restart.
    fn uuid(&self) -> String {
        uuid(self.event().unwrap_or_default().as_bytes())
    }

    fn uuid_of(&self, round: u16, nr: usize) -> String {
        uuid(format!("{}\n{round}\n{nr}", self.event().unwrap_or_default()).as_bytes())
    }
}

/// An id in the form of a UUID, which is always the same for the same `name` (RFC 9562, version 8).
fn uuid(name: &[u8]) -> String {
    let hash = blake3::hash(name);
    let mut bytes: [u8; 16] = std::array::from_fn(|idx| hash.as_bytes()[idx]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &hex[part]).join("-")
}
