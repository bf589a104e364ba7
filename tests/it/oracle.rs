//! What games by simulated hands are judged by, and the table of hands beyond the usual.
//!
//! The judges are shown what they must find: a record that is another game, one that cannot be told
//! from what was played, a player who is blamed for nothing. The table is the small version of what
//! `tests/table.sh` prints; `ROKADE_ROW` sets how many games a row has.

use rokade::game::{Entry, Fact, ScoreSheet};
use rokade::laws::Stage;
use rokade::laws::{Edition, Finding, FindingKind};
use rokade::sim::reach::Why;
use rokade::sim::trial::{Choice, Maps, Recipe, RefereeTally, Rows, Tally, Trial};
use rokade::sim::{Also, Replay, Script, TableKind, blame, explain, reach};
use rokade::table::Sight;
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::{Chess, Color, Move, Position, Square, uci::UciMove};

const DGT: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };

fn trial(seed: u64, profile: &'static str, also: Also) -> Trial {
    let choice = if seed.is_multiple_of(5) { Choice::Chess960 } else { Choice::Invented };
    Trial::run(Recipe { seed, choice, profile, also, table: DGT, n_plies_max: 60 }, &[])
}

fn played(trial: &Trial) -> Vec<Move> {
    trial.performance.truth.plies.iter().map(|ply| ply.m).collect()
}

fn sheet_of(trial: &Trial, moves: &[Move]) -> ScoreSheet {
    let mut sheet = ScoreSheet::new(trial.start.clone(), trial.mode);
    moves.iter().for_each(|m| {
        sheet.push(*m, Vec::new());
    });
    sheet
}

/// The moves of a game with another last one.
fn with_another_end(trial: &Trial) -> Vec<Move> {
    let mut moves = played(trial);
    let last = moves.pop().expect("a game has moves");
    let before = moves.iter().fold(trial.start.clone(), |pos, &m| pos.play(m).expect("legal"));
    let other = before.legal_moves().into_iter().find(|m| m.to() != last.to());
    moves.extend(other);
    moves
}

/// An illegal move has left a king to be taken, and another explanation of the open moves does.
#[test]
fn a_king_that_could_be_taken_is_not() {
    assert!(trial(950_150, "scramble", Also::ALL).replay.is_some(), "the core failed");
}

#[test]
fn a_game_that_was_not_played_is_dearer() {
    for (seed, profile) in [(1, "clean"), (2, "blitz"), (3, "scramble")] {
        let trial = trial(seed, profile, Also::ALL);
        let price = |moves: &[Move]| {
            explain::price(&trial.performance.script, &trial.start, moves).expect("legal moves")
        };
        let (own, other) = (price(&played(&trial)), price(&with_another_end(&trial)));
        assert!(own < other, "seed {seed}: {own}, and {other} for another game");
    }
}

#[test]
fn games_that_sensors_cannot_tell_apart_cost_the_same() {
    let name = "17b-reed-victim-unseen";
    let path = format!("{}/tests/traces/{name}.trace.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let script = Script::parse(&text).unwrap();
    let replay = Replay::run(&script);
    let start: Chess = replay.game.play().expect("a game").sheet().start().clone();
    let price = |words: [&str; 2]| {
        let mut pos = start.clone();
        let moves = words.map(|word| {
            let m = word.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
            pos.play_unchecked(m);
            m
        });
        explain::price(&script, &start, &moves).expect("legal moves")
    };
    let recorded = replay.game.play().expect("a game").sheet().moves()[0].uci.to_string();
    assert_ne!(recorded, "d5e7", "another capture fits as well");
    assert_eq!(price([&recorded, "g8h8"]), price(["d5e7", "g8h8"]));
    assert!(price([&recorded, "g8h8"]) < price(["d5f4", "g8h8"]));
}

#[test]
fn the_map_agrees_with_what_was_played_and_with_nothing_else() {
    let calm = trial(1, "clean", Also::NONE);
    let against =
        |moves: &[Move]| reach::disagreement(&calm.performance.script, &sheet_of(&calm, moves));
    assert_eq!(against(&played(&calm)), None);
    let why = against(&with_another_end(&calm)).expect("another game");
    assert!(why.is_contradiction(), "{why}");
    let moves = played(&calm);
    let why = against(&moves[..moves.len() - 1]).expect("a move is missing");
    assert!(matches!(why, Why::Elsewhere(_)), "{why}");
    // Hasty hands leave positions that never stood by themselves.
    for seed in 1..5 {
        let hasty = trial(seed, "blitz", Also::SCAN);
        let sheet = sheet_of(&hasty, &played(&hasty));
        let why = reach::disagreement(&hasty.performance.script, &sheet);
        assert!(why.is_none_or(|why| !why.is_contradiction()), "seed {seed}: {why:?}");
    }
}

#[test]
fn who_did_nothing_is_blamed_for_nothing() {
    let accuse = |at: Mono, by: Color| {
        let kind = FindingKind::IllegalCompleted { from: Square::E2, to: Square::E5 };
        let finding = Finding { kind, by: Some(by) };
        let fact = Fact::IllegalMove { stage: Stage::Completed, by, finding };
        [Entry { at: Stamp { mono: at, wall: Wall(0) }, fact }]
    };
    let calm = trial(1, "clean", Also::NONE).performance.truth;
    let at = calm.plies[3].made;
    assert_eq!(blame::undeserved(&calm, &accuse(at, Color::White)).len(), 1);
    let completed = (0..60).find_map(|seed| {
        let truth = trial(seed, "school", Also::NONE).performance.truth;
        let wrong = truth.irregularities.iter().find(|wrong| wrong.completed.is_some());
        wrong.copied().map(|wrong| (truth, wrong))
    });
    let (truth, wrong) = completed.expect("a child completes an illegal move");
    let pressed = wrong.completed.expect("as chosen");
    assert!(blame::undeserved(&truth, &accuse(pressed, wrong.by)).is_empty());
    assert_eq!(blame::undeserved(&truth, &accuse(pressed, !wrong.by)).len(), 1);
}

/// What all rows come to together.
/// Where pieces have no names, one that pushes another off its square is on it by the press.
#[test]
fn captures_that_push_are_recorded_without_names() {
    let table = TableKind { sight: Sight::Occupied, has_clock: true };
    let game = |seed| Recipe {
        seed,
        choice: Choice::Invented,
        profile: "club",
        also: Also::PUSH,
        table,
        n_plies_max: 60,
    };
    let games: Vec<Trial> = (0..20).map(|seed| Trial::run(game(seed), &[])).collect();
    let sum = sum(games.iter());
    assert!(sum.n_right >= 19 && sum.n_silent == 0, "{sum:?}");
}

#[derive(Debug, Default)]
struct Sum {
    n_games: usize,
    n_right: usize,
    n_silent: usize,
}

/// Of the games of a row of the table: how many are exact at least, in a hundred. These only rise.
const FLOORS: [(&str, usize); 4] = [("club", 100), ("school", 97), ("blitz", 97), ("scramble", 88)];
/// Silently wrong games of a thousand of all rows, at the most. This only falls.
const SILENT_PER_MILLE: usize = 25;

#[test]
fn hands_beyond_the_usual_keep_to_the_table() {
    let n_row = std::env::var("ROKADE_ROW").map_or(2, |n| n.parse().unwrap());
    let habits: Vec<Also> =
        Also::EACH.into_iter().map(|(_, also)| also).chain([Also::ALL]).collect();
    // Where pieces have names, those that push change nothing.
    let habits: Vec<Also> = habits.into_iter().filter(|also| *also != Also::PUSH).collect();
    let rows = FLOORS.map(|(profile, _)| habits.iter().map(move |also| (profile, *also)));
    let rows: Vec<(&str, Also)> = rows.into_iter().flatten().collect();
    let work = |worker: usize, n_workers: usize| {
        let mine = rows.iter().skip(worker).step_by(n_workers);
        let games = mine.flat_map(|(profile, also)| {
            (0..n_row).map(|n| trial(n, profile, *also)).collect::<Vec<_>>()
        });
        games.collect::<Vec<Trial>>()
    };
    let n_workers = std::thread::available_parallelism().map_or(1, usize::from);
    let games: Vec<Trial> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..n_workers).map(|worker| scope.spawn(move || work(worker, n_workers))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    let (mut table, mut maps, mut benches) =
        (Rows::<Tally>::default(), Rows::<Maps>::default(), Rows::<RefereeTally>::default());
    for game in &games {
        table.row(&game.recipe).add(&game.verdict);
        maps.row(&game.recipe).add(game.off_the_map());
        if game.recipe.seed == 1 && [Also::SCAN, Also::ALL].contains(&game.recipe.also) {
            let seated = game.refereed(Edition::M2023);
            assert!(seated.is_same, "{}: a seated referee changes the record", game.recipe);
            benches.row(&game.recipe).add(&seated);
        }
    }
    println!("{table}\n{maps}\n{benches}");
    for (profile, floor) in FLOORS {
        let sum = sum(games.iter().filter(|game| game.recipe.profile == profile));
        println!("{profile}: {sum:?}");
        assert!(100 * (sum.n_right + 1) >= floor * sum.n_games, "{profile}: {sum:?}");
    }
    let sum = sum(games.iter());
    assert!(1_000 * sum.n_silent <= SILENT_PER_MILLE * sum.n_games, "{sum:?}");
    let ends = games.iter().filter(|game| game.verdict.is_end_false).count();
    assert_eq!(ends, 0, "games that end by a position that was not there");
}

fn sum<'a>(games: impl Iterator<Item = &'a Trial>) -> Sum {
    games.fold(Sum::default(), |sum, game| Sum {
        n_games: sum.n_games + 1,
        n_right: sum.n_right + usize::from(game.verdict.is_right()),
        n_silent: sum.n_silent + usize::from(game.verdict.is_silently_wrong()),
    })
}
