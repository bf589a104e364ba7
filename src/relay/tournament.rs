//! What LiveChess tells by GET of tournaments, rounds and games (section 8.6 of `protocol.md`).
//!
//! There is one tournament: the event. Rounds are asked for from 0 on, and counted from 1 in the
//! answer; games are counted from 1 in the order of tables.

use super::chess960::start_number;
use super::folder::player;
use super::livechess::LiveClock;
use super::pgn::stretches;
use super::remarks;
use crate::game::{Pairing, ScoreSheet, Scored};
use crate::laws::notation::Language;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{Color, EnPassantMode, KnownOutcome};

/// The tournaments that there are: one, or none.
pub fn list(event: Option<(&str, &str)>, n_rounds: usize) -> Value {
    let Some((uuid, name)) = event else { return json!([]) };
    json!([{ "uuid": uuid, "description": name, "rounds": n_rounds }])
}

/// The tournament, and the serial number of each board in the order of tables.
pub fn detail(uuid: &str, name: &str, site: &str, n_rounds: usize, serials: &[String]) -> Value {
    let (location, country) = split_place(site);
    json!({
        "uuid": uuid,
        "name": name,
        "description": name,
        "location": location,
        "country": country,
        "rounds": n_rounds,
        "eboards": serials,
    })
}

/// The place, and its federation where PGN has one: three letters at the end, as in `Oslo NOR`.
fn split_place(site: &str) -> (&str, &str) {
    let is_federation =
        |word: &str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    site.rsplit_once(' ').filter(|(_, last)| is_federation(last)).unwrap_or((site, ""))
}

/// A game of a round.
#[derive(Clone, Debug)]
pub struct ListedGame<'a> {
    /// Its place in the order of tables, from 1.
    pub nr: usize,
    /// What it is asked for by.
    pub uuid: String,
    /// Who plays.
    pub pairing: &'a Pairing,
    /// It is on.
    pub is_live: bool,
    /// How it ended, if it has.
    pub outcome: Option<KnownOutcome>,
}

/// A round.
pub fn round(number: u16, date: &str, games: &[ListedGame<'_>]) -> Value {
    let of = |game: &ListedGame<'_>| {
        let [white, black] = [&game.pairing.players.white, &game.pairing.players.black].map(player);
        json!({
            "nr": game.nr,
            "uuid": game.uuid,
            "white": white,
            "black": black,
            "live": game.is_live,
            "result": game.outcome.map(result),
        })
    };
    let pairings: Vec<Value> = games.iter().map(of).collect();
    json!({ "nr": number, "date": date, "pairings": pairings })
}

/// The first `n` half-moves of a game, each with the seconds that it took. Where those are not
/// known nothing stands behind the blank, which is there all the same: a program takes a move
/// without one for a guess of LiveChess, and breaks at one that is no two words.
///
/// They are those that can be played from the start that is named, so none of a game whose
/// beginning was not seen; programs refuse to read what has a key that they do not know, so what
/// else there is stands in words in the comment.
pub fn game(
    sheet: &ScoreSheet,
    n: usize,
    outcome: Option<KnownOutcome>,
    clock: Option<LiveClock>,
) -> Value {
    let chess960 = start_number(sheet.start());
    let mut stretches = stretches(sheet, n);
    let first = chess960.map(|_| stretches.remove(0).1).unwrap_or_default();
    let told = |scored: &Scored| {
        let took = scored.completed.and_then(|done| done.elapsed);
        let took = took.map_or_else(String::new, |took| took.as_secs().to_string());
        format!("{} {took}", scored.san)
    };
    let moves: Vec<String> = sheet.moves()[first].iter().map(told).collect();
    let rest: Vec<String> = stretches
        .into_iter()
        .map(|(start, plies)| {
            let fen = Fen::from_position(start, EnPassantMode::Legal);
            format!("from {fen}: {}", remarks::moves(sheet, plies, Language::English))
        })
        .collect();
    json!({
        "chess960": chess960,
        "result": outcome.map(result),
        "comment": (!rest.is_empty()).then(|| rest.join("; ")),
        "clock": clock.map(LiveClock::told),
        "moves": moves,
    })
}

const fn result(outcome: KnownOutcome) -> &'static str {
    match outcome {
        KnownOutcome::Draw => "DRAW",
        KnownOutcome::Decisive { winner: Color::White } => "WHITEWIN",
        KnownOutcome::Decisive { winner: Color::Black } => "BLACKWIN",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Player;
    use shakmaty::{ByColor, CastlingMode, Chess, Position as _};

    #[test]
    fn a_round_has_its_games_with_results_as_words() {
        let player = |name: &str| Player { name: name.to_owned(), ..Player::default() };
        let players = ByColor { white: player("Ærø, Åse"), black: player("Ben") };
        let pairing = Pairing { players, ..Pairing::default() };
        let game = |nr, outcome: Option<KnownOutcome>| ListedGame {
            nr,
            uuid: format!("u{nr}"),
            pairing: &pairing,
            is_live: outcome.is_none(),
            outcome,
        };
        let white = KnownOutcome::Decisive { winner: Color::White };
        let told = round(1, "2026.11.24", &[game(1, Some(white)), game(2, None)]);
        assert_eq!((&told["nr"], &told["date"]), (&json!(1), &json!("2026.11.24")));
        let [first, second] = [&told["pairings"][0], &told["pairings"][1]];
        assert_eq!((&first["result"], &first["live"]), (&json!("WHITEWIN"), &json!(false)));
        assert_eq!((&second["result"], &second["live"]), (&Value::Null, &json!(true)));
        assert_eq!(
            (&first["white"]["lname"], &first["white"]["fname"]),
            (&json!("Ærø"), &json!("Åse"))
        );
        assert_eq!(first["white"]["gender"], Value::Null);
        assert_eq!(list(None, 0), json!([]));
        for (site, location, country) in [
            ("Oslo NOR", "Oslo", "NOR"),
            ("Bad Ragaz", "Bad Ragaz", ""),
            ("Ulm Ost", "Ulm Ost", ""),
        ] {
            let told = detail("u", "Open", site, 2, &[]);
            assert_eq!((&told["location"], &told["country"]), (&json!(location), &json!(country)));
        }
        let named = json!([{ "uuid": "u", "description": "Open", "rounds": 2 }]);
        assert_eq!(list(Some(("u", "Open")), 2), named);
    }

    #[test]
    fn each_move_has_its_seconds() {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        let m = sheet.last().legal_moves()[0];
        sheet.push(m, Vec::new());
        let told = game(&sheet, 1, Some(KnownOutcome::Draw), None);
        let san = sheet.moves()[0].san.to_string();
        assert_eq!(
            (&told["moves"], &told["result"]),
            (&json!([format!("{san} ")]), &json!("DRAW"))
        );
        assert_eq!((&told["chess960"], &told["clock"]), (&json!(518), &Value::Null));
        let illegal = sheet.illegal_move(&"h8h5".parse().unwrap()).unwrap();
        sheet.push_illegal(illegal);
        let m = sheet.last().legal_moves()[0];
        sheet.push(m, Vec::new());
        let told = game(&sheet, 3, None, None);
        assert_eq!(told["moves"], json!([format!("{san} ")]));
        let comment = told["comment"].as_str().unwrap();
        assert!(comment.starts_with("from rnbqkbn1/pppppppp/8/7r/"), "{comment}");
        assert!(comment.ends_with(&format!(": 2. {}", sheet.moves()[2].san)), "{comment}");
        let keys: Vec<_> = told.as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 5, "a program refuses to read any other: {keys:?}");
    }
}
