//! Games of simulated hands whose record hangs on little: the first thirty of a list drawn by
//! chance, and more of it that came out otherwise when one condition of the tracker was changed.
//!
//! `tests/tables/narrow.csv` says what comes of each. `UPDATE_GOLDEN=1` writes that anew: read the
//! difference, for a game that was exact and is not any more is a loss.

use rokade::sim::trial::{Choice, Recipe, Trial};
use rokade::sim::{Also, Manners, TableKind};
use rokade::table::Sight;
use std::fs;
use std::path::Path;

const HEAD: &str =
    "seed;hands;also;board;clock;game;record;by press;uncertain;withdrawn;alarms;missed\n";

/// The row's game.
fn recipe(row: &[&str; 12]) -> Recipe {
    let [seed, hands, also, board, clock, game, ..] = row;
    let known = Manners::NAMES.into_iter().find(|known| known == hands);
    let sight = match *board {
        "dgt" => Sight::Pieces,
        "color" => Sight::Colors,
        "reed" => Sight::Occupied,
        _ => panic!("{board} is no board"),
    };
    Recipe {
        seed: seed.parse().expect("a seed"),
        choice: if *game == "chess960" { Choice::Chess960 } else { Choice::Invented },
        profile: known.expect("manners"),
        also: if also.is_empty() { Also::NONE } else { Also::parse(also).expect("habits") },
        table: TableKind { sight, has_clock: *clock == "clock" },
        n_plies_max: 80,
    }
}

/// The row as it comes out.
fn played(row: &[&str; 12]) -> String {
    let verdict = Trial::run(recipe(row), &[]).verdict;
    let record = match (verdict.is_exact, verdict.is_twin, &verdict.mark) {
        (true, ..) => "exact",
        (_, true, _) => "same",
        (_, _, Some(_)) => "marked",
        _ => "silent",
    };
    format!(
        "{};{record};{} of {};{};{};{};{}\n",
        row[..6].join(";"),
        verdict.n_by_press,
        verdict.n_presses,
        verdict.n_uncertain,
        verdict.n_retracted,
        verdict.n_false_alarms,
        verdict.n_missed
    )
}

#[test]
fn games_that_hang_on_little_come_out_as_they_did() {
    let text = include_str!("../tables/narrow.csv");
    assert!(text.starts_with(HEAD));
    let rows = text.lines().skip(1).map(|line| line.split(';').collect::<Vec<_>>());
    let rows: Vec<[&str; 12]> =
        rows.map(|row| row.try_into().unwrap_or_else(|row| panic!("{row:?}"))).collect();
    let n_workers = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut lines: Vec<(usize, String)> = std::thread::scope(|scope| {
        let work = |worker| {
            let mine = rows.iter().enumerate().skip(worker).step_by(n_workers);
            mine.map(|(idx, row)| (idx, played(row))).collect::<Vec<_>>()
        };
        let workers: Vec<_> =
            (0..n_workers).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    lines.sort();
    let found: String =
        std::iter::once(HEAD.to_owned()).chain(lines.into_iter().map(|(_, line)| line)).collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/narrow.csv");
        fs::write(&path, &found).expect("the table can be written");
        return;
    }
    let pairs = text.lines().zip(found.lines()).filter(|(known, now)| known != now);
    let other: Vec<String> = pairs.map(|(known, now)| format!("- {known}\n+ {now}")).collect();
    assert!(other.is_empty(), "{HEAD}{}", other.join("\n"));
}
