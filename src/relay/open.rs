//! What is open at a board, for the arbiter: uncertain moves, proposals, claims, and the orders
//! that settle each.

use super::log::hms;
use crate::game::{Game, Gap, ScoreSheet, Scored};
use crate::laws::Pending;
use crate::time::Mono;
use shakmaty::Position;
use std::fmt::Write;

/// The lines about `game` as it stands at `at`.
pub fn lines(game: &Game, at: Mono) -> Vec<String> {
    let mut lines = vec![situation(game, at)];
    if let Some(play) = game.play() {
        let moves = play.sheet().moves().iter().zip(1..);
        let open = moves.filter(|(scored, _)| scored.is_uncertain());
        lines.extend(open.map(|(scored, ply)| uncertain(scored, ply, play.sheet())));
        lines.extend(play.sheet().gaps().iter().map(|gap| unknown(gap, play.sheet())));
    }
    match game.referee() {
        None => lines.push(
            "no referee: the settings name no laws. Results, moves and notes can be entered"
                .to_owned(),
        ),
        Some(referee) => {
            lines.extend(referee.pending().iter().map(waits));
        }
    }
    if lines.len() == 1 {
        lines.push("nothing waits for a ruling".to_owned());
    }
    lines
}

/// The number of half-move `ply`, from 1, with its dots.
fn number(sheet: &ScoreSheet, ply: usize) -> String {
    let before = sheet.position(ply - 1);
    let dots = if before.turn().is_white() { "." } else { "..." };
    format!("{}{dots}", before.fullmoves())
}

/// Who is on move, and both clocks.
fn situation(game: &Game, at: Mono) -> String {
    let Some(play) = game.play() else { return "no game has begun".to_owned() };
    let sheet = play.sheet();
    let mut text = match (play.ending(), sheet.moves().last()) {
        (Some(ending), _) => format!("the game is over: {}", ending.outcome),
        (None, None) => "no move has been made".to_owned(),
        (None, Some(last)) => {
            let number = number(sheet, sheet.len());
            format!("{number} {} was made, {} is on move", last.san, sheet.last().turn())
        }
    };
    if let Some(estimate) = game.estimate(at) {
        let times = estimate.shown();
        let [white, black] = [times.white, times.black].map(hms);
        let runs = match estimate.running {
            Some(side) => format!("{side}'s runs"),
            None => "both stand".to_owned(),
        };
        write!(text, "; white {white}, black {black}, {runs}").expect("a string takes all");
    }
    text
}

fn uncertain(scored: &Scored, ply: usize, sheet: &ScoreSheet) -> String {
    let number = number(sheet, ply);
    let mut text = format!("uncertain  {number} {}; settle it by", scored.san);
    let others = scored.alternatives.iter();
    for uci in [&scored.uci].into_iter().chain(others) {
        write!(text, "  \"settle {ply} {uci}\"").expect("a string takes all");
    }
    text
}

fn unknown(gap: &Gap, sheet: &ScoreSheet) -> String {
    let after = match gap.ply {
        0 => "before the first move".to_owned(),
        ply => format!("after {} {}", number(sheet, ply), sheet.moves()[ply - 1].san),
    };
    let order = format!("insert {} MOVE MOVE ..", gap.ply + 1);
    format!("gap        {} not known {after}; from the score sheets:  \"{order}\"", gap.n)
}

fn waits(known: &Pending) -> String {
    let label = if known.orders.is_empty() { "stands     " } else { "waits      " };
    let mut text = label.to_owned();
    if let Some(number) = known.number {
        write!(text, "{number}: ").expect("a string takes all");
    }
    text.push_str(&known.what);
    if known.is_on_request {
        text.push_str("; only if a player asks");
    }
    let quoted = known.orders.iter().map(|order| match known.number {
        Some(number) if ["confirm", "dismiss"].contains(order) => format!("\"{order} {number}\""),
        _ => format!("\"{order}\""),
    });
    let quoted: Vec<_> = quoted.collect();
    if !quoted.is_empty() {
        write!(text, "  {}", quoted.join(" or ")).expect("a string takes all");
    }
    if !known.options.is_empty() {
        write!(text, "  (choices: {})", known.options.join(", ")).expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::entry::Basis;
    use crate::game::{Event, Fact, Recovered, Settings};
    use crate::laws::Act;
    use crate::laws::Terms;
    use crate::time::{Stamp, Wall};
    use std::time::Duration;

    const STAMP: Stamp = Stamp { mono: Mono(0), wall: Wall(0) };

    /// A game in which one of two captures was recorded.
    fn game(terms: Option<Terms>) -> Game {
        let started = Fact::started("6k1/2p1p3/8/3N4/8/8/8/6K1 w - - 0 12");
        let made = Fact::MoveMade {
            ply: 1,
            uci: "d5c7".to_owned(),
            san: "Nxc7".to_owned(),
            is_illegal: false,
            basis: Basis::Press,
            alternatives: vec!["d5e7".to_owned()],
            released_before: Duration::ZERO,
        };
        let fold = Recovered::of(STAMP.mono, [started, made]);
        fold.into_game(Settings { terms, ..Settings::default() })
    }

    #[test]
    fn an_uncertain_move_comes_with_the_orders_that_settle_it() {
        let mut game = game(None);
        let before = lines(&game, Mono(0));
        assert_eq!(before[0], "12. Nxc7 was made, black is on move");
        assert_eq!(
            before[1],
            "uncertain  12. Nxc7; settle it by  \"settle 1 d5c7\"  \"settle 1 d5e7\""
        );
        assert!(before[2].starts_with("no referee: the settings"));
        let act = Act::read("settle 1 d5e7", "arbiter", "").unwrap();
        game.handle(STAMP, &Event::Act(act), &mut Vec::new());
        let after = lines(&game, Mono(0));
        assert_eq!(after[0], "12. Nxe7+ was made, black is on move");
        assert!(!after.iter().any(|line| line.starts_with("uncertain")), "{after:?}");
    }

    #[test]
    fn nothing_that_waits_is_said_to_be_nothing() {
        let game = Game::new(Settings { terms: Some(Terms::default()), ..Settings::default() });
        assert_eq!(lines(&game, Mono(0)), ["no game has begun", "nothing waits for a ruling"]);
    }
}
