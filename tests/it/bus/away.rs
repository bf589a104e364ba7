//! Boards that nobody hears for a while, on a line with noise on it and without: what was played
//! meanwhile lies in their memory, and nobody is named for how they come back.

use rokade::game::{Entry, Fact, Settings};
use rokade::laws::{Code, Edition};
use rokade::sim::script::Happening;
use rokade::sim::trouble::{Noise, TroubleCase, TroubleKind};
use rokade::sim::{Replay, TableKind, blame};
use rokade::table::Sight;
use rokade::time::Mono;
use std::time::Duration;

use super::house::{FIRST, House};

/// So many boards are on the line.
const N_BOARDS: u64 = 8;

/// What became of the games on one line.
#[derive(Debug, Default)]
struct Return {
    n_gaps: usize,
    /// Gaps that were told, also if they were closed since.
    n_told: usize,
    n_accused: usize,
    n_again: usize,
}

/// Games with a cable that is out once in each, from this seed on, with so many of ten thousand
/// bytes hurt.
fn returned(profile: &'static str, seed: u64, hurt: u32, laws: Option<Edition>) -> Return {
    let case = |seed| TroubleCase {
        kind: TroubleKind::Cable,
        profile,
        table: TableKind { sight: Sight::Pieces, has_clock: true },
        seed,
        is_forgetful: false,
        laws,
    };
    let cases: Vec<_> = (seed..seed + N_BOARDS).map(case).collect();
    let played: Vec<_> = cases.iter().map(|case| case.prepare(&[])).collect();
    let settings: Vec<_> = cases
        .iter()
        .zip(&played)
        .map(|(case, (played, _))| Settings { shares_line: true, ..case.settings(played) })
        .collect();
    let tables = (FIRST..).zip(&played).map(|(address, (played, _))| {
        rokade::sim::Table::new(&played.script.header).numbered(&format!("{address:05}"), 1)
    });
    let n = u16::try_from(N_BOARDS).expect("few");
    let mut house = House::new(tables.collect(), n).recorded(&settings);
    for (idx, (played, trouble)) in played.iter().enumerate() {
        house.plays(idx, &played.script.happenings);
        for out in &trouble.outs {
            house.plays(idx, &[(out.from, Happening::LineDown), (out.until, Happening::LineUp)]);
        }
    }
    house.run_until(Mono::from_millis(19_000));
    house.spoiled((hurt > 0).then(|| Noise::new(hurt, seed)));
    house.run_until(house.last() + Duration::from_secs(180));
    let mut all = Return::default();
    for (replay, (played, _)) in house.replays().iter().zip(&played) {
        all.add(replay, &played.truth);
    }
    all
}

impl Return {
    fn add(&mut self, replay: &Replay, truth: &rokade::sim::hands::Truth) {
        let is_again =
            |fact: &Fact| matches!(fact, Fact::Ruled(it) if it.code == Some(Code::PressAgain));
        self.n_gaps += replay.game.play().map_or(0, |play| play.sheet().gaps().len());
        let is_gap = |entry: &&Entry| matches!(entry.fact, Fact::Gap { .. });
        self.n_told += replay.entries.iter().filter(is_gap).count();
        self.n_accused += blame::undeserved(truth, &replay.entries).len();
        self.n_again += replay.entries.iter().filter(|entry| is_again(&entry.fact)).count();
    }
}

/// What a shared line carries has a checksum, and what is hurt is asked for again: noise on it is
/// no reason to leave the memory of a board alone.
#[test]
fn noise_leaves_no_gap_open() {
    for hurt in [0, 5, 20] {
        let all: Vec<_> = [100, 200, 300].map(|seed| returned("club", seed, hurt, None)).into();
        println!("{hurt}: {all:?}");
        let n_gaps: usize = all.iter().map(|it| it.n_gaps).sum();
        assert!(n_gaps <= 1, "{hurt}: {n_gaps}");
    }
}

/// What was fetched is at hand, and is asked for although the players never pause.
#[test]
fn quick_players_are_not_waited_for() {
    let all: Vec<_> = [700, 800, 900].map(|seed| returned("blitz", seed, 0, None)).into();
    let sum = |of: fn(&Return) -> usize| all.iter().map(of).sum::<usize>();
    assert_eq!(sum(|it| it.n_gaps), 0, "{all:?}");
    // Some stand for a moment: what was fetched comes after the picture.
    assert!(sum(|it| it.n_told) <= 3, "{all:?}");
}

/// What comes of a board before it has been read says nothing of whose turn it is.
#[test]
fn nobody_is_named_before_the_board_has_been_read() {
    for hurt in [0, 5, 20] {
        for seed in [400, 500, 600] {
            let all = returned("club", seed, hurt, Some(Edition::M2023));
            assert_eq!((all.n_again, all.n_accused), (0, 0), "{hurt} {seed}");
        }
    }
}
