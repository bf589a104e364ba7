//! Whole games in virtual time, by the same hands, on a DGT board and on one of another maker.

use rokade::game::entry::Fact;
use rokade::game::{BoardKind, Settings};
use rokade::laws::{Edition, FindingKind, Profile, Terms};
use rokade::sim::account::Discrepancies;
use rokade::sim::replay::settings_of;
use rokade::sim::trial::Recipe;
use rokade::sim::trouble::{Noise, Toll, Trouble, TroubleCase, TroubleKind};
use rokade::sim::verdict::TrialVerdict;
use rokade::sim::{Replay, Script, TableKind, blame};
use rokade::table::Sight;

/// Games for each kind of hands.
const N_GAMES: u64 = 6;

fn on(kind: BoardKind, script: &Script) -> Script {
    let mut script = script.clone();
    script.header.maker = Some(kind);
    script
}

/// How many games of such hands have the right record, and how many by a DGT board that tells no
/// memory, as none of the others has one.
fn contest(
    (kind, sight): (BoardKind, Sight),
    profile: &'static str,
    has_clock: bool,
) -> (usize, usize) {
    let table = TableKind { sight, has_clock };
    let forgets = Trouble { is_forgetful: true, ..Trouble::default() };
    let (mut n_dgt, mut n_right) = (0, 0);
    for seed in 0..N_GAMES {
        let recipe = Recipe::invented(seed, profile, table, 40);
        let (start, _, performance) = recipe.perform(&[]);
        let verdict = |script: &Script| {
            let replay = Replay::run_amid(script, settings_of(&script.header), &forgets);
            TrialVerdict::new(&start, &performance.truth, &replay, script)
        };
        let by_dgt = verdict(&performance.script);
        let by_maker = verdict(&on(kind, &performance.script));
        assert!(!by_maker.is_silently_wrong(), "{recipe}: {by_maker}");
        if !by_maker.is_right() {
            println!("{recipe}: {by_dgt} // {by_maker}");
        }
        n_dgt += usize::from(by_dgt.is_right());
        n_right += usize::from(by_maker.is_right());
    }
    println!(
        "{kind:?}, {sight:?}, {profile}, clock {has_clock}: {n_right}, DGT {n_dgt}, of {N_GAMES}"
    );
    (n_right, n_dgt)
}

/// A clock beside the board is heard while its cable is out, one behind it is not; so of moves that
/// were pressed meanwhile it is not known on which side of the silence they were made, and the
/// record has a gap where that of a DGT board has a move.
#[test]
fn chesslink_records_as_well_as_a_dgt_board() {
    for (profile, has_clock, n_fewer) in [
        ("club", true, 0),
        ("club", false, 0),
        ("blitz", true, 0),
        ("scramble", true, 1),
        ("lossy", true, N_GAMES.div_ceil(4)),
    ] {
        let (n_right, n_dgt) = contest((BoardKind::ChessLink, Sight::Pieces), profile, has_clock);
        assert!(n_right + n_fewer as usize >= n_dgt, "{profile}: {n_right} for {n_dgt}");
    }
}

#[test]
fn certabo_records_as_well() {
    for (sight, profile, has_clock, n_fewer) in [
        (Sight::Occupied, "club", true, 0),
        (Sight::Occupied, "club", false, 0),
        (Sight::Occupied, "blitz", true, 0),
        (Sight::Pieces, "club", false, 0),
        // Blitz on a board of chips is too quick for it, as its sheet says.
    ] {
        let (n_right, n_other) = contest((BoardKind::Certabo, sight), profile, has_clock);
        assert!(n_right + n_fewer >= n_other, "{sight:?} {profile}: {n_right} for {n_other}");
    }
}

/// It is asked twice a second, so of a change that it does not tell nothing is known that long.
#[test]
fn pegasus_records_as_well_as_switches() {
    for (profile, has_clock, n_fewer) in
        [("club", true, 0), ("club", false, 0), ("blitz", true, 0), ("lossy", true, 0)]
    {
        let (n_right, n_other) = contest((BoardKind::Pegasus, Sight::Occupied), profile, has_clock);
        assert!(n_right + n_fewer >= n_other, "{profile}: {n_right} for {n_other}");
    }
}

/// Of a report that is lost nothing is known until the next one, at most two seconds later.
#[test]
fn chessnut_records_as_well_as_a_dgt_board() {
    for (profile, has_clock, n_fewer) in [
        ("club", true, 0),
        ("club", false, 0),
        ("blitz", true, 0),
        ("scramble", true, 1),
        ("lossy", true, N_GAMES.div_ceil(4)),
    ] {
        let (n_right, n_dgt) = contest((BoardKind::Chessnut, Sight::Pieces), profile, has_clock);
        assert!(n_right + n_fewer as usize >= n_dgt, "{profile}: {n_right} for {n_dgt}");
    }
}

/// A board that says moves alone loses its way where hands are quick. That a move may be missing is
/// told, and nobody is blamed for what it does not say, with a referee or without.
#[test]
fn nobody_is_blamed_for_what_novag_does_not_say() {
    let mut n_told = 0;
    for laws in [None, Some(Edition::M2023)] {
        for seed in 0..N_GAMES {
            let table = TableKind { sight: Sight::Pieces, has_clock: true };
            let (.., played) = Recipe::invented(seed, "blitz", table, 40).perform(&[]);
            let script = on(BoardKind::Ucb, &played.script);
            let of = |edition| Profile { edition, ..Profile::default() };
            let terms = laws.map(|laws| Terms { profile: of(laws), ..Terms::default() });
            let settings = Settings { terms, ..settings_of(&script.header) };
            let replay = Replay::run_amid(&script, settings, &Trouble::default());
            let accused = blame::undeserved(&played.truth, &replay.entries);
            assert!(accused.is_empty(), "seed {seed}, {laws:?}: {accused:?}");
            let is_told = |fact: &Fact| match fact {
                Fact::Found(found) => found.kind == FindingKind::NotTold,
                _ => false,
            };
            n_told += replay.entries.iter().filter(|entry| is_told(&entry.fact)).count();
        }
    }
    assert!(n_told > 0, "hands are quick");
}

/// What came of games on lines that have their troubles.
fn toll_of(board: BoardKind, kind: TroubleKind, hurt: Option<u32>) -> Toll {
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let mut toll = Toll::default();
    for seed in 0..N_GAMES {
        let (profile, laws) = ("club", None);
        let case = TroubleCase { seed, kind, profile, table, laws, is_forgetful: false };
        let (played, mut trouble) = case.prepare(&[]);
        if let Some(hurt) = hurt {
            trouble.noise = Some(Noise::new(hurt, seed));
        }
        let script = on(board, &played.script);
        let replay = Replay::run_amid(&script, settings_of(&script.header), &trouble);
        let account = Discrepancies::new(&played.truth, &replay.entries, &trouble.outs);
        let n_accused = blame::undeserved(&played.truth, &replay.entries).len();
        if account.n_invented + n_accused > 0 {
            println!("{kind:?}, seed {seed}: {account:?}, {n_accused} accused");
        }
        toll.add(&account, n_accused);
    }
    println!("{board:?}, {kind:?}: {toll}");
    toll
}

/// With a cable that comes out, a daemon that joins in the middle, or noise on the line, nothing is
/// recorded that was not played.
#[test]
fn troubled_lines_of_other_makers_invent_nothing() {
    // A cable beside a mobile telephone is better than one byte in two hundred.
    for (kind, hurt) in
        [(TroubleKind::Cable, None), (TroubleKind::Join, None), (TroubleKind::Noise, Some(50))]
    {
        let toll = toll_of(BoardKind::ChessLink, kind, hurt);
        let found = (toll.n_invented, toll.n_nothing, toll.n_accused);
        assert_eq!(found, (0, 0, 0), "{kind:?}: {toll}");
    }
    for kind in [TroubleKind::Cable, TroubleKind::Join] {
        let toll = toll_of(BoardKind::Chessnut, kind, None);
        let found = (toll.n_invented, toll.n_nothing, toll.n_accused);
        assert_eq!(found, (0, 0, 0), "{kind:?}: {toll}");
    }
    // Where most reports are hurt there is little on record, but nothing that was not played.
    let toll = toll_of(BoardKind::ChessLink, TroubleKind::Noise, None);
    assert_eq!(toll.n_invented, 0, "{toll}");
}
