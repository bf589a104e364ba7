//! Repetition and moves without progress, against the table.

use super::{position, rows};
use rokade::laws::repetition::{
    Automatic, Claimable, FIFTY_MOVES, THREEFOLD, Verdict, occurrences, occurrences_after,
    without_progress, without_progress_after,
};
use shakmaty::san::San;
use shakmaty::{Chess, Position};

/// Every position of the game from the start.
fn history(start: &str, moves: &str) -> Vec<Chess> {
    let mut history = vec![if start == "startpos" { Chess::default() } else { position(start) }];
    for word in moves.split_whitespace() {
        let pos = history[history.len() - 1].clone();
        let san: San = word.parse().unwrap_or_else(|e| panic!("{word}: {e}"));
        let m = san.to_move(&pos).unwrap_or_else(|e| panic!("{start} {moves}: {word}: {e}"));
        history.push(pos.play(m).expect("a legal move"));
    }
    history
}

#[test]
fn positions_and_quiet_moves_are_counted() {
    let table = rows::<6>(include_str!("../../tables/laws/repetition.csv"));
    assert_eq!(table.len(), 25);
    for [start, moves, n_occurrences, n_quiet, automatic, comment] in table {
        let history = history(start, moves);
        let case = format!("{start} {moves}: {comment}");
        assert_eq!(occurrences(&history).to_string(), n_occurrences, "{case}");
        assert_eq!(without_progress(&history).to_string(), n_quiet, "{case}");
        let said = Automatic::of(&history).map_or("", |draw| match draw {
            Automatic::Fivefold => "fivefold",
            Automatic::SeventyFive => "seventy-five",
        });
        assert_eq!(said, automatic, "{case}");
        let claim = Claimable::now(&history);
        let is = |verdict| verdict == Verdict::Right;
        assert_eq!(is(claim.threefold), occurrences(&history) >= THREEFOLD, "{case}");
        assert_eq!(is(claim.fifty), without_progress(&history) >= FIFTY_MOVES, "{case}");
    }
}

#[test]
fn an_announced_move_counts_as_if_it_were_made() {
    for [start, moves, ..] in rows::<6>(include_str!("../../tables/laws/repetition.csv")) {
        let history = history(start, moves);
        for (idx, pos) in history.iter().enumerate().take(history.len() - 1) {
            let next = &history[idx + 1];
            let m = pos.legal_moves().into_iter().find(|&m| {
                let after = pos.clone().play(m).expect("a legal move");
                after.board() == next.board()
            });
            let (m, before) = (m.expect("the move that was made"), &history[..=idx]);
            let after = &history[..=idx + 1];
            assert_eq!(occurrences_after(before, m), occurrences(after), "{start} {moves}");
            assert_eq!(without_progress_after(before, m), Some(without_progress(after)));
            assert_eq!(Claimable::after(before, m), Claimable::now(after));
        }
    }
}
