//! The games that were played at a board before its last one, as the public may have them.

use super::record::RecordedGame;
use crate::relay::view::View;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

/// So many are kept, the newest: what they take of memory has an end.
const GAMES_MAX: usize = 16;

/// A game that is not the board's last any more.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PastGame {
    number: usize,
    /// What a list has of it.
    title: Value,
    /// Its view document.
    view: Arc<str>,
    pgn: Arc<str>,
}

/// The last games of a board but the one that is on, or was the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastGames {
    games: VecDeque<Arc<PastGame>>,
}

impl PastGames {
    /// Takes a game that another has followed at `board`, unless the public knows nothing of it.
    pub fn take(&mut self, board: &str, game: &RecordedGame) {
        if game.n_public == 0 {
            return;
        }
        let RecordedGame { number, tags, sheet, n_public, ending, .. } = game;
        let view = View::of_past(board, tags, sheet, *n_public, *ending);
        let title = json!({
            "number": number,
            "date": tags.date,
            "event": view.event,
            "round": view.round,
            "white": view.white,
            "black": view.black,
            "result": view.result,
        });
        self.games.retain(|known| known.number != *number);
        self.games.push_back(Arc::new(PastGame {
            number: *number,
            title,
            view: view.to_json().into(),
            pgn: game.public_pgn("").into(),
        }));
        if self.games.len() > GAMES_MAX {
            self.games.pop_front();
        }
    }

    /// The games, the newest first, as one JSON object: `{"games":[{"number":7,...}]}`.
    pub fn list(&self) -> String {
        let titles: Vec<_> = self.games.iter().rev().map(|game| &game.title).collect();
        json!({ "games": titles }).to_string()
    }

    /// The view document of a game by its number in the record.
    pub fn view(&self, number: usize) -> Option<&str> {
        self.game(number).map(|game| &*game.view)
    }

    /// The same game as PGN.
    pub fn pgn(&self, number: usize) -> Option<&str> {
        self.game(number).map(|game| &*game.pgn)
    }

    fn game(&self, number: usize) -> Option<&PastGame> {
        self.games.iter().find(|game| game.number == number).map(|game| &**game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::ScoreSheet;
    use crate::relay::pgn::Tags;
    use shakmaty::{CastlingMode, Chess, Position as _};

    fn game(number: usize, n: usize, n_public: usize) -> RecordedGame {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        for _ in 0..n {
            let m = sheet.last().legal_moves()[0];
            sheet.push(m, Vec::new());
        }
        let tags = Tags { white: "Ann".to_owned(), ..Tags::default() };
        RecordedGame { number, tags, sheet, n_public, ending: None, pairing: None }
    }

    #[test]
    fn the_last_games_are_kept_as_far_as_they_are_public() {
        let mut past = PastGames::default();
        assert_eq!(past.list(), r#"{"games":[]}"#);
        past.take("table-1", &game(1, 3, 2));
        past.take("table-1", &game(2, 3, 0));
        let view: Value = serde_json::from_str(past.view(1).expect("a game")).expect("a view");
        assert_eq!(view["moves"].as_array().map(Vec::len), Some(2), "the third is not completed");
        assert_eq!((&view["white"], &view["idle"]), (&json!("Ann"), &json!(false)));
        let pgn = past.pgn(1).expect("a game");
        assert!(pgn.contains("[White \"Ann\"]") && !pgn.contains("2. "), "{pgn}");
        assert_eq!(past.view(2), None, "nothing of it is public");
        for number in 3..=GAMES_MAX + 3 {
            past.take("table-1", &game(number, 2, 2));
        }
        let list: Value = serde_json::from_str(&past.list()).expect("a list");
        let games = list["games"].as_array().expect("games");
        assert_eq!((games.len(), &games[0]["number"]), (GAMES_MAX, &json!(GAMES_MAX + 3)));
        assert_eq!(past.view(1), None, "memory has an end");
    }
}
