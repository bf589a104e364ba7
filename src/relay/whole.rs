//! A whole game as other programs ask for it: JSON with all that the record has of its moves.

use super::pgn::Tags;
use crate::game::{Player, ScoreSheet};
use crate::laws::Ending;
use crate::laws::notation::Language;
use crate::table::Word as _;
use crate::time::millis;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, EnPassantMode, Position};

/// Version of the document.
const VERSION: u32 = 1;

/// A game on record, and what stands on its score sheet besides.
#[derive(Copy, Clone, Debug)]
pub struct WholeGame<'a> {
    /// Its tags.
    pub tags: &'a Tags,
    /// Its moves.
    pub sheet: &'a ScoreSheet,
    /// How it ended, if it has.
    pub ending: Option<Ending>,
    /// The half-moves, from 1, with which a draw was offered.
    pub offers: &'a [usize],
}

impl WholeGame<'_> {
    /// The game as JSON on one line. `written` is each move as the score sheet of `language` has
    /// it; times are in milliseconds.
    pub fn to_json(&self, board: &str, number: usize, language: Language) -> String {
        let Self { tags, sheet, ending, .. } = self;
        let moves: Vec<Value> = (0..sheet.len()).map(|idx| self.half_move(idx, language)).collect();
        let gaps = sheet.gaps().iter().map(|gap| {
            let (at_least, at_most) = (gap.n.at_least, gap.n.at_most);
            let fen = fen_of(sheet.position(gap.ply));
            json!({ "ply": gap.ply, "at_least": at_least, "at_most": at_most, "fen": fen })
        });
        let player = |name: &str, listed: Option<&Player>| match listed {
            Some(player) => json!({
                "name": player.name,
                "title": player.title,
                "rating": player.rating,
                "fide_id": player.fide_id,
                "federation": player.federation,
                "team": player.team,
            }),
            None => json!({ "name": name }),
        };
        let listed = tags.players.as_deref();
        json!({
            "v": VERSION,
            "type": "game",
            "board": board,
            "number": number,
            "event": tags.event,
            "site": tags.site,
            "date": tags.date,
            "round": tags.round,
            "white": player(&tags.white, listed.map(|it| &it.white)),
            "black": player(&tags.black, listed.map(|it| &it.black)),
            "time_control": tags.time_control.as_ref().map(ToString::to_string),
            "chess960": sheet.mode() == CastlingMode::Chess960,
            "joined": sheet.is_joined(),
            "start": fen_of(sheet.start()),
            "moves": moves,
            "gaps": gaps.collect::<Vec<_>>(),
            "result": ending.map_or("*", |ending| ending.outcome.as_str()),
            "reason": ending.map(|ending| ending.reason.word()),
        })
        .to_string()
    }

    fn half_move(&self, idx: usize, language: Language) -> Value {
        let (scored, before) = (&self.sheet.moves()[idx], self.sheet.position(idx));
        let completed = scored.completed;
        let times = completed.and_then(|done| done.times).map(|times| times.map(millis));
        json!({
            "ply": idx + 1,
            "number": before.fullmoves(),
            "color": before.turn().word(),
            "san": scored.san.to_string(),
            "uci": scored.uci.to_string(),
            "written": super::label::written(self.sheet, idx, language),
            "is_illegal": scored.is_illegal,
            "alternatives": self.sheet.alternatives(idx),
            "draw_offered": self.offers.contains(&(idx + 1)),
            "completed_by": completed.map(|done| done.by.word()),
            "white_ms": times.map(|times| times.white),
            "black_ms": times.map(|times| times.black),
            "elapsed_ms": completed.and_then(|done| done.elapsed).map(millis),
        })
    }
}

fn fen_of(pos: &shakmaty::Chess) -> String {
    Fen::from_position(pos, EnPassantMode::Legal).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Reason;
    use crate::time::Mono;
    use crate::track::line::CompletedBy;
    use shakmaty::{ByColor, Chess, KnownOutcome};
    use std::time::Duration;

    #[test]
    fn all_that_is_on_record_of_a_move_is_told() {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        for (idx, uci) in ["g1f3", "d7d5"].iter().enumerate() {
            let m = uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(sheet.last()).unwrap();
            sheet.push(m, Vec::new());
            let times = ByColor { white: Duration::from_secs(90), black: Duration::from_secs(80) };
            let at = Mono::from_millis(1_500 * idx as u64);
            sheet.complete(idx + 1, at, CompletedBy::Press, Some(times));
        }
        let outcome = KnownOutcome::Draw;
        let game = WholeGame {
            tags: &Tags { white: "Ann \"A\"".to_owned(), ..Tags::default() },
            sheet: &sheet,
            ending: Some(Ending { outcome, reason: Reason::Agreement }),
            offers: &[2],
        };
        let text = game.to_json("table-1", 3, Language::German);
        assert!(!text.contains('\n'));
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&told["number"], &told["reason"]), (&json!(3), &json!("agreement")));
        assert_eq!(told["white"], json!({ "name": "Ann \"A\"" }));
        let (first, second) = (&told["moves"][0], &told["moves"][1]);
        assert_eq!((&first["san"], &first["written"]), (&json!("Nf3"), &json!("Sf3")));
        assert_eq!((&first["white_ms"], &second["elapsed_ms"]), (&json!(90_000), &json!(1_500)));
        assert_eq!(
            (&first["draw_offered"], &second["draw_offered"]),
            (&json!(false), &json!(true))
        );
    }
}
