//! Games on lines that have their troubles, through the core: a cable that is out for a while, a
//! daemon that comes too late, bytes that are hurt. What is on record was played, and what is not
//! known is said to be unknown.
//!
//! `ROKADE_TROUBLES` sets how many games a row has; `rokade simulate --games 200 --trouble cable`
//! plays more and names those that fail.

#![allow(clippy::unwrap_used)]

use rokade::game::Unknown;
use rokade::game::entry::{Entry, Fact};
use rokade::laws::{Edition, FindingKind};
use rokade::sim::account::Discrepancies;
use rokade::sim::trouble::{Away, Noise, Toll, TroubleCase, TroubleKind};
use rokade::sim::{Replay, TableKind, Truth};
use rokade::table::Sight;
use rokade::track::line::CompletedBy;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode, Position};
use std::collections::BTreeMap;

const DGT: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };

const fn case(seed: u64, kind: TroubleKind) -> TroubleCase {
    TroubleCase { seed, kind, profile: "blitz", table: DGT, laws: None, is_forgetful: false }
}

/// Each row with its games; the last figure is for how many half-moves of a hundred games at the
/// most the record may be wrong. These only fall.
fn row(case: TroubleCase, n_invented_max: usize) {
    let n = std::env::var("ROKADE_TROUBLES").map_or(6, |n| n.parse().unwrap());
    let mut toll = Toll::default();
    for seed in 0..n {
        let troubled = TroubleCase { seed, ..case }.run(&[]);
        toll.add(&troubled.account, troubled.n_accused);
    }
    println!("{case}: {toll}");
    let n = usize::try_from(n).unwrap();
    assert!(100 * toll.n_invented <= n_invented_max * n, "{case}: {toll}");
    assert_eq!((toll.n_nothing, toll.n_false_ends), (0, 0), "{case}: {toll}");
    // Of a hurt message nobody knows that it was, at times.
    let n_accused_max = usize::from(case.kind == TroubleKind::Noise);
    assert!(toll.n_accused <= n_accused_max, "{case}: {toll}");
}

/// Seeds of blitz with bytes hurt that were wrong once.
const HURT: [u64; 8] = [
    31_500_017, 31_500_225, 31_600_409, 31_600_441, 31_600_462, 31_700_022, 31_700_079, 31_800_139,
];

/// Seeds of blitz on boards that lost their mode that were wrong before a picture told of it.
const MUTE: [u64; 5] = [53_000_022, 53_000_024, 53_000_078, 53_000_116, 53_000_130];

/// The row of such games, of those on boards without a memory, and of those with a referee.
fn rows(case: TroubleCase) {
    row(case, 0);
    row(TroubleCase { is_forgetful: true, ..case }, 0);
    row(TroubleCase { laws: Some(Edition::M2023), ..case }, 0);
}

#[test]
fn nothing_is_invented_while_a_cable_is_out() {
    rows(case(0, TroubleKind::Cable));
}

/// The board is without power for a moment while its cable stays in, and answers: that it has lost
/// its mode is known when its running clock is told of no more, or when a picture shows what no
/// change has told. Of a hundred games of blitz one half-move may be wrong.
#[test]
fn little_is_invented_while_a_board_has_lost_its_mode() {
    let blitz = case(0, TroubleKind::Power);
    row(TroubleCase { profile: "club", ..blitz }, 0);
    row(blitz, 1);
    row(TroubleCase { is_forgetful: true, ..blitz }, 1);
    row(TroubleCase { laws: Some(Edition::M2023), ..blitz }, 1);
    for seed in MUTE {
        let account = case(seed, TroubleKind::Power).run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// The cable of another board is plugged in for a while, on which another game is played.
#[test]
fn nothing_is_taken_from_another_board() {
    rows(case(0, TroubleKind::Exchange));
}

/// A plug that is loose, and a daemon that is killed now and then: of a hundred games of blitz four
/// half-moves may be wrong.
#[test]
fn nothing_is_invented_by_a_loose_plug() {
    rows(TroubleCase { profile: "club", ..case(0, TroubleKind::Loose) });
    row(case(0, TroubleKind::Loose), 4);
    row(TroubleCase { is_forgetful: true, ..case(0, TroubleKind::Loose) }, 4);
}

/// Each of these had moves on record that nobody played: the board was taken over while the line
/// was down, as it had stood amid a move; with the wrong player on move, where the last move was
/// not pressed; or a new daemon took what the last one had read, and not yet explained, for what
/// had stood all the time.
#[test]
fn what_is_missed_again_and_again_stays_unknown() {
    let club = [(false, 5_300_019), (false, 5_300_150), (true, 5_300_087), (true, 5_300_272)];
    let blitz = [32, 53, 81, 170, 255].map(|seed| (false, 5_300_000 + seed));
    let forgetful = [26, 28, 45, 81].map(|seed| (true, 5_300_000 + seed));
    let scramble = [22, 72].map(|seed| (false, 5_300_000 + seed));
    let blitz = blitz.into_iter().chain(forgetful).map(|case| ("blitz", case));
    let club = club.map(|case| ("club", case));
    let scramble = scramble.map(|case| ("scramble", case));
    for (profile, (is_forgetful, seed)) in blitz.chain(club).chain(scramble) {
        let case = TroubleCase { profile, is_forgetful, ..case(seed, TroubleKind::Loose) };
        let account = case.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{case:?}: {account:?}");
    }
}

/// Each of these had moves on record that nobody played: the board's memory was laid wrongly along
/// what had been heard, or what was played while it was read came all at once.
#[test]
fn what_the_memory_tells_was_played() {
    for seed in [47, 70, 93, 98] {
        let case = case(seed, TroubleKind::Cable);
        let (played, mut trouble) = case.prepare(&[]);
        // The board has its power from elsewhere.
        trouble.outs.iter_mut().for_each(|out| out.what = Away::Cable);
        let replay = Replay::run_amid(&played.script, case.settings(&played), &trouble);
        let account = Discrepancies::new(&played.truth, &replay.entries, &trouble.outs);
        assert_eq!(account, Discrepancies::default(), "seed {seed}");
    }
}

/// Each of these had moves on record that nobody played, in an order in which they were not played,
/// or a player who was named for a board that nobody heard: the board had its power from the cable
/// that was out, or a piece was seen twice where it was taken over.
#[test]
fn what_a_board_without_power_missed_stays_unknown() {
    let blitz = [96_100_040, 96_100_131, 98_000_310, 98_100_154, 98_100_601];
    // How many half-moves are unknown was said too narrowly, or one was made up of which no square
    // had told.
    let counted = [43_000_146, 98_000_748, 43_000_575];
    let named = [98_100_268, 98_100_838, 98_100_951];
    for seed in blitz.into_iter().chain(named).chain(counted) {
        let troubled = case(seed, TroubleKind::Cable).run(&[]);
        let account = (troubled.account.n_invented, troubled.account.n_missing);
        assert_eq!((account, troubled.n_accused), ((0, 0), 0), "seed {seed}");
    }
    for seed in [98_000_630, 98_000_696, 98_100_024] {
        let laws = Some(Edition::M2023);
        let troubled = TroubleCase { laws, ..case(seed, TroubleKind::Cable) }.run(&[]);
        assert_eq!(troubled.n_accused, 0, "seed {seed}: judged before the gap was on record");
    }
    let joined = case(98_000_203, TroubleKind::Join).run(&[]).account;
    assert_eq!((joined.n_invented, joined.is_end_false), (0, false), "a piece seen twice");
}

/// The last move of each of these was made, and the clock stopped instead of being pressed, while
/// nobody heard it. The memory tells of it, and not that it was play: the record was said to
/// be whole without it.
#[test]
fn what_was_done_behind_the_last_press_leaves_the_end_open() {
    for seed in [98_200_044, 98_200_075, 98_200_107, 98_200_207, 98_200_357] {
        let case = TroubleCase { profile: "school", ..case(seed, TroubleKind::End) };
        let account = case.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// Each of these had a position on record that never stood on the board: pieces were in somebody's
/// hand or on their way when it was taken over, or it was somebody else's move. What came next was
/// then an illegal move on record that nobody had made, or one that was put before it.
#[test]
fn what_is_taken_over_stood_on_the_board() {
    let outs = [47, 133, 148, 183, 187, 960_004, 960_022, 960_072, 960_119, 960_178];
    let joined = [38, 71, 141, 960_021, 960_057, 970_089, 970_114, 970_174];
    let outs = outs.map(|seed| case(seed, TroubleKind::Cable));
    let joined = joined.map(|seed| case(seed, TroubleKind::Join));
    for case in outs.into_iter().chain(joined) {
        let account = TroubleCase { is_forgetful: true, ..case }.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{case:?}: {account:?}");
    }
}

/// Each of these was taken over without a piece that had been knocked over, or with one where it
/// had only been tried, or with fewer half-moves unknown than were played by hands that press for
/// two at once. What was set right then counted as an illegal move.
#[test]
fn what_is_set_right_stood_where_a_board_is_taken_over() {
    let scrambles = [960_009, 960_030, 960_037, 960_064, 960_085, 970_051];
    let schools = [960_006, 960_009, 960_026, 960_069, 960_082];
    let scrambles =
        scrambles.map(|seed| TroubleCase { profile: "scramble", ..case(seed, TroubleKind::Kill) });
    let schools =
        schools.map(|seed| TroubleCase { profile: "school", ..case(seed, TroubleKind::Kill) });
    for case in scrambles.into_iter().chain(schools) {
        let account = TroubleCase { is_forgetful: true, ..case }.run(&[]).account;
        assert_eq!(account.n_invented, 0, "{case:?}: {account:?}");
    }
}

#[test]
fn who_joins_a_game_records_it_from_there() {
    row(case(0, TroubleKind::Join), 0);
    row(TroubleCase { laws: Some(Edition::M2023), ..case(0, TroubleKind::Join) }, 0);
}

#[test]
fn a_killed_daemon_goes_on_from_its_record() {
    rows(case(0, TroubleKind::Kill));
}

/// Each of these had moves on record that nobody played: a new daemon knew neither what had been
/// heard since the last move on record nor what else the last moves may have been, and laid the
/// board's memory wrongly along them.
#[test]
fn a_new_daemon_knows_what_the_last_one_had_heard() {
    let scrambles = [22, 28, 33, 55, 62, 72, 91].map(|seed| ("scramble", 960_000 + seed));
    let blitz = [960_056, 970_014].map(|seed| ("blitz", seed));
    for (profile, seed) in scrambles.into_iter().chain(blitz) {
        let account = TroubleCase { profile, ..case(seed, TroubleKind::Kill) }.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{seed}: {account:?}");
    }
}

/// A mate that was on the board when the daemon came back ended the game at once. What the board
/// remembered was then put on record without its last move, and the result stood over a position
/// that was no mate. One that nobody had pressed, or after which the clock was stopped, was not
/// taken over at all.
#[test]
fn a_mate_behind_a_gap_stands_over_a_mate() {
    const NO_CLOCK: TableKind = TableKind { has_clock: false, ..DGT };
    for table in [DGT, NO_CLOCK] {
        rows(TroubleCase { table, ..case(0, TroubleKind::Late) });
    }
}

#[test]
fn noise_makes_gaps_and_no_moves() {
    // What is hurt and looks like a message is not always found out: 5 in 100 games.
    row(case(0, TroubleKind::Noise), 17);
}

/// Each of these had positions or moves on record that never were on the board: it was taken over
/// in the middle of a move, with a piece put back that had been captured, or with the wrong player
/// on move because one reading of the lever was hurt.
#[test]
fn what_is_taken_over_amid_noise_was_read_twice_at_a_press() {
    let seeds = [8, 20, 31, 33, 37, 54, 55, 56, 69, 73, 78, 108, 126, 135, 140, 161, 168];
    for seed in seeds {
        let account = case(960_000 + seed, TroubleKind::Noise).run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// Each of these had moves or positions on record that never were on the board. What had been read
/// twice was forgotten as soon as a gap was over, so that a hurt reading right behind it was what
/// the record went on from; an illegal move stood on the board when it was taken over, and the
/// clock was set running for its player again; or a game went on behind a gap from where it was
/// joined, which was such a board.
#[test]
fn what_was_read_twice_is_what_is_gone_back_to() {
    for seed in [960_024, 970_057, 970_150, 970_170, 970_178] {
        let account = case(seed, TroubleKind::Noise).run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// Each of these had moves or positions on record that never were: a board that had been taken over
/// was taken over again though it was not read twice since, a piece that a pawn had become for a
/// moment stood for the one that it became, or a press by who was on move there was forgotten.
#[test]
fn what_is_taken_over_anew_was_read_twice_too() {
    let blitz = [2_102_088, 2_102_118].map(|seed| case(seed, TroubleKind::Noise));
    let club = [2_102_019, 2_102_076, 2_102_090, 2_102_098, 2_102_131]
        .map(|seed| TroubleCase { profile: "club", ..case(seed, TroubleKind::Noise) });
    for case in blitz.into_iter().chain(club) {
        let account = case.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{case:?}: {account:?}");
    }
}

/// Each of these had moves or positions on record that never were, or half-moves were missing: a
/// board that had lost its mode was believed; a hurt reading and the right one made two moves, or
/// one that a picture contradicts; a press that was heard late turned the clock's ends around; a
/// clock that had not been read since told whose move it was; what was read since a game had been
/// joined counted as read twice; or the other player's move had not been heard where a board was
/// taken over, and so the one behind it told that he was not on move.
#[test]
fn what_is_hurt_among_what_was_heard_makes_no_moves() {
    for seed in HURT {
        let account = case(seed, TroubleKind::Noise).run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
    let club = TroubleCase { profile: "club", ..case(33_000_241, TroubleKind::Noise) };
    assert_eq!(club.run(&[]).account.n_invented, 0);
}

/// Whose cable is out until both kings stand in the center has played on unheard: the result has a
/// gap before it, and so has one that an arbiter enters.
#[test]
fn a_result_that_comes_from_a_board_nobody_heard_has_a_gap_before_it() {
    rows(case(0, TroubleKind::End));
}

/// A press completed the move before it once more, or a pawn that was long in a hand left a dead
/// sensor behind, where a radio link told late of what was moved. Where both players move and press
/// before anything is told, that looks like a lever that was touched: these are completed by the
/// replies, one in a hundred at the most.
#[test]
fn what_a_radio_holds_up_is_completed_by_the_press_for_it() {
    rows(case(0, TroubleKind::Held));
    let (mut n_pressed, mut n_missed) = (0, 0);
    for seed in 0..40 {
        let troubled = case(seed, TroubleKind::Held).run(&[]);
        let mut completed = BTreeMap::new();
        for entry in &troubled.replay.entries {
            match entry.fact {
                Fact::MoveCompleted { ply, by, .. } => _ = completed.insert(ply, by),
                Fact::MoveRetracted { ply } => _ = completed.split_off(&ply),
                _ => {}
            }
        }
        let by_press = |ply| completed.get(&ply) == Some(&CompletedBy::Press);
        let plies = (1..).zip(&troubled.performance.truth.plies);
        let pressed: Vec<usize> =
            plies.filter(|(_, ply)| ply.completed.is_some()).map(|(n, _)| n).collect();
        assert!(pressed.last().is_none_or(|last| by_press(*last)), "seed {seed}");
        n_pressed += pressed.len();
        n_missed += pressed.into_iter().filter(|ply| !by_press(*ply)).count();
    }
    assert!(n_missed * 100 <= n_pressed, "{n_missed} of {n_pressed}");
}

/// One hurt byte made a figure of a knight, on a line that was in order so far, and that ended the
/// game.
#[test]
fn a_figure_that_ends_the_game_is_read_twice() {
    for seed in [7_100_010, 7_100_032] {
        let account = case(seed, TroubleKind::Noise).run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// A referee named players of these games for readings that were hurt, and for presses whose moves
/// were.
#[test]
fn no_referee_names_anybody_while_bytes_are_hurt() {
    for seed in [7_100_018, 7_100_028, 7_100_043, 7_100_093, 7_200_008, 7_200_038] {
        let case = TroubleCase { laws: Some(Edition::M2023), ..case(seed, TroubleKind::Noise) };
        assert_eq!(case.run(&[]).n_accused, 0, "seed {seed}");
    }
}

/// Nobody is named for what was not read twice: a rook that castles was, as its message was hurt.
#[test]
fn nobody_is_named_for_a_message_that_was_hurt() {
    let case = TroubleCase { profile: "club", ..case(2_102_021, TroubleKind::Noise) };
    assert_eq!(case.run(&[]).n_accused, 0);
}

/// Each of these began with a piece that was not there: it had been captured, or was on its way,
/// and was seen by the first reading of the board, or in a hand that pressed the clock.
#[test]
fn what_a_hand_carries_over_the_board_does_not_stand_where_a_game_is_joined() {
    for seed in [2_102_011, 2_102_028, 2_102_089, 2_102_125] {
        let account = case(seed, TroubleKind::Join).run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// What was heard just before the cable came out was taken for what the board remembers of long
/// after it, and all between for the work of a moment.
#[test]
fn what_was_heard_before_the_cable_came_out_is_remembered_first() {
    let account = case(2_102_013, TroubleKind::Cable).run(&[]).account;
    assert_eq!((account.n_invented, account.n_missing), (0, 0), "{account:?}");
}

/// The last move, on which nobody pressed, gave check while the cable was out: by the lever whoever
/// gave it was on move, in no position, and the board was never taken over.
#[test]
fn who_gives_check_has_moved_though_nobody_pressed() {
    for seed in [2_102_087, 2_102_169] {
        let scramble = TroubleCase { profile: "scramble", ..case(seed, TroubleKind::Cable) };
        let account = TroubleCase { is_forgetful: true, ..scramble }.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// A piece that had been knocked over lay where it could not stand when the board was taken over,
/// and was set right before the first press; or a press was believed to be the last one, because
/// something was in a hand at the next.
#[test]
fn what_is_taken_over_from_hands_in_a_hurry_stood_on_the_board() {
    let blitz = TroubleCase { is_forgetful: true, ..case(960_044, TroubleKind::Kill) };
    let scramble = |seed, kind| TroubleCase { profile: "scramble", ..case(seed, kind) };
    let joined = [970_000, 970_015].map(|seed| scramble(seed, TroubleKind::Join));
    for case in [blitz].into_iter().chain(joined) {
        let account = case.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{case:?}: {account:?}");
    }
}

/// Each of these had moves on record that nobody played amid noise: a castling whose rook came
/// first and was read on its square; a piece that a hand had put back to where it was taken long
/// ago; a rook that had moved, taken for a captured piece that had lain there; times that were
/// hurt, and counted presses; a reading that a later picture had corrected.
#[test]
fn what_was_hurt_amid_noise_is_read_again() {
    let few = [157, 317, 362].map(|seed| 12_000_000 + seed);
    let seeds = [141, 159, 265, 274, 335, 363, 409, 412, 568, 650, 672, 776, 793, 922, 931];
    for seed in few.into_iter().chain(seeds.map(|seed| 22_000_000 + seed)) {
        let club = TroubleCase { profile: "club", ..case(seed, TroubleKind::Noise) };
        let account = club.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// Nobody had pressed yet for what stood on the board when the game was joined: its player was
/// asked to move again, also where he had been answered.
#[test]
fn who_has_moved_and_not_pressed_has_moved_where_a_game_is_joined() {
    let scramble = [61_000_028, 62_000_182, 61_000_023, 62_000_047].map(|seed| ("scramble", seed));
    let school = [61_000_240, 63_000_066, 63_000_772].map(|seed| ("school", seed));
    for (profile, seed) in scramble.into_iter().chain(school) {
        let case = TroubleCase { profile, ..case(seed, TroubleKind::Join) };
        let account = case.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{case:?}: {account:?}");
    }
}

/// The board's memory told what a press had been for that was taken for an illegal move, and the
/// piece was seen where it belongs: its player was named all the same.
#[test]
fn what_the_memory_explains_is_held_against_nobody() {
    let case = case(61_000_151, TroubleKind::Kill);
    assert_eq!(case.run(&[]).n_accused, 0);
}

/// Each of these had moves on record that nobody played: half-moves that nobody had pressed for
/// were counted as presses; a move that had been answered was taken for one still to be pressed
/// for; a piece that the player on move had just moved was taken over where it rested; or what was
/// believed when the board was read twice was not what stood there.
#[test]
fn what_nobody_pressed_for_is_not_counted() {
    let loose = [17, 19, 24, 31, 32, 43, 65, 78].map(|seed| ("school", TroubleKind::Loose, seed));
    let school = [98, 115].map(|seed| ("school", TroubleKind::Noise, seed));
    let scramble = [12, 35, 50].map(|seed| ("scramble", TroubleKind::Noise, seed));
    let all = loose.into_iter().chain(school).chain(scramble);
    for (profile, kind, seed) in all.chain([("blitz", TroubleKind::Noise, 117)]) {
        let case = TroubleCase { profile, ..case(773_000 + seed, kind) };
        let account = case.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{case:?}: {account:?}");
    }
}

/// Amid noise a piece was put back into the position that was taken over because a picture told
/// late that it was gone; who had replied before the press was on move again; and moves of which
/// the pieces were seen at other times counted as heard, or made of a hurt reading more moves than
/// there were.
#[test]
fn what_a_picture_tells_late_was_not_moved_just_now() {
    let blitz = [180, 275, 403, 462, 476, 489].map(|seed| ("blitz", seed));
    let school = [79, 119, 182, 344, 358].map(|seed| ("school", seed));
    let scramble = [0, 17, 42, 97, 254].map(|seed| ("scramble", seed));
    for (profile, seed) in blitz.into_iter().chain(school).chain(scramble) {
        let case = TroubleCase { profile, ..case(32_000_000 + seed, TroubleKind::Noise) };
        let account = case.run(&[]).account;
        assert_eq!(account.n_invented, 0, "{case:?}: {account:?}");
    }
}

/// A bishop that was slid over a square counted as put down there, as where it went was hurt; and a
/// pawn as what it had been exchanged for before the press.
#[test]
fn a_piece_that_was_seen_once_may_have_gone_on() {
    for (profile, seed) in [("club", 88_120_387), ("school", 88_120_101)] {
        let case = TroubleCase { profile, ..case(seed, TroubleKind::Noise) };
        let account = case.run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "{case:?}: {account:?}");
    }
}

/// What a board remembers was taken for the game: moves of an earlier one that began alike, and a
/// piece that was slid on while the memory was told, as if it had rested on its way.
#[test]
fn what_is_remembered_of_another_game_is_not_played() {
    for (seed, kind) in [(12_000_365, TroubleKind::Late), (31_000_195, TroubleKind::Cable)] {
        let account = case(seed, kind).run(&[]).account;
        assert_eq!((account.n_invented, account.n_missing), (0, 0), "seed {seed}: {account:?}");
    }
}

/// Where so many bytes are hurt that the board can never be read, that is said, once.
#[test]
fn a_line_on_which_nothing_comes_through_is_told_of() {
    for seed in [31_400_034, 31_400_277] {
        let troubled = case(seed, TroubleKind::Noise).run(&[]);
        let account = &troubled.account;
        assert_eq!((account.is_nothing, account.n_missing), (true, 0), "seed {seed}: {account:?}");
        let is_it = |entry: &&Entry| match &entry.fact {
            Fact::Found(finding) => finding.kind == FindingKind::LineHurt,
            _ => false,
        };
        assert_eq!(troubled.replay.entries.iter().filter(is_it).count(), 1, "seed {seed}");
    }
}

/// What a game of simulated hands is on record as, if all goes well.
fn calm() -> (Truth, Vec<Entry>) {
    let troubled = TroubleCase { profile: "clean", ..case(0, TroubleKind::Noise) };
    let (played, _) = troubled.prepare(&[]);
    let replay = rokade::sim::Replay::run(&played.script);
    (played.truth, replay.entries)
}

fn made(entry: &Entry, n: usize) -> bool {
    matches!(entry.fact, Fact::MoveMade { ply, .. } if ply == n)
}

#[test]
fn the_judge_finds_what_was_not_played() {
    let (truth, entries) = calm();
    assert_eq!(Discrepancies::new(&truth, &entries, &[]), Discrepancies::default());
    // A record of another game is wrong wherever that is another one.
    let other =
        TroubleCase { profile: "clean", ..case(1, TroubleKind::Noise) }.prepare(&[]).0.truth;
    let account = Discrepancies::new(&other, &entries, &[]);
    assert!(account.n_invented > 20, "{account:?}");
    // One that ends early misses what came later.
    let end = entries.iter().position(|entry| made(entry, 31)).unwrap();
    let account = Discrepancies::new(&truth, &entries[..end], &[]);
    assert_eq!((account.n_invented, account.n_missing), (0, truth.plies.len() - 30));
}

#[test]
fn the_judge_knows_a_gap_that_was_one() {
    let (truth, entries) = calm();
    let after = |n: usize| {
        let plies = truth.plies.iter().take(n);
        plies.fold(Chess::new(), |pos, ply| pos.play(ply.m).unwrap())
    };
    let end = entries.iter().position(|entry| made(entry, 11)).unwrap();
    let with_gap = |n: usize, unknown: Unknown| {
        let fen = Fen::from_position(&after(n), EnPassantMode::Legal).to_string();
        let gap = Fact::Gap { ply: 10, fen, n: unknown };
        let mut entries = entries[..end].to_vec();
        entries.push(Entry { fact: gap, ..entries[end - 1].clone() });
        Discrepancies::new(&truth, &entries, &[])
    };
    let account = with_gap(14, Unknown::exactly(4));
    assert_eq!((account.n_invented, account.n_unknown, account.n_gaps), (0, 4, 1));
    // The line was up, and these half-moves can have been seen.
    assert_eq!(account.n_late, 4);
    assert_eq!(with_gap(14, Unknown::exactly(5)).n_invented, 1);
}

#[test]
fn noise_hurts_as_many_bytes_as_it_is_told_to() {
    let n_hurt = |hurt| {
        let mut bytes = vec![0; 100_000];
        Noise::new(hurt, 1).spoil(&mut bytes);
        bytes.iter().filter(|byte| **byte != 0).count()
    };
    assert_eq!(n_hurt(0), 0);
    // Of a thousand a quarter is dropped.
    let n = n_hurt(100);
    assert!((600..900).contains(&n), "{n}");
}
