//! Who is asked when, what comes of it, and whole games on a line of several boards, in virtual
//! time.

use std::ops::Range;
use std::time::Duration;

use rokade::sim::hands::{Manners, Performance, Span};
use rokade::sim::replay::settings_of;
use rokade::sim::script::Happening;
use rokade::sim::trial::Recipe;
use rokade::sim::trouble::Noise;
use rokade::sim::verdict::TrialVerdict;
use rokade::sim::{Replay, TableKind, blame, games, hands};
use rokade::table::{Reading, Sight};
use rokade::time::Mono;
use rokade::wire::bus::{BusAnswer, BusFault, BusLine, BusMessage};
use rokade::wire::{
    BoardCommand, BoardMessage, ClockMessage, FieldCode, LogEvent, Orientation, decode_log,
};
use shakmaty::{CastlingMode, Chess, Square};

use super::house::{BEGINS, FIRST, House, later, table};

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn moved(at: u64, from: Square, to: Square) -> Vec<(Mono, Happening)> {
    let piece = shakmaty::Board::new().piece_at(from).unwrap();
    let sensed = |at, sq, reading| {
        (Mono::from_millis(at), Happening::Sensed { sq, reading, is_lost: false })
    };
    vec![sensed(at, from, Reading::Empty), sensed(at + 300, to, Reading::Piece(piece))]
}

fn fields(house: &House, idx: usize) -> Vec<(Mono, Square, FieldCode)> {
    let field = |(at, i, message): &(Mono, usize, BoardMessage)| match message {
        BoardMessage::Field { field, code } if *i == idx => {
            Some((*at, Orientation::Normal.square(*field), *code))
        }
        _ => None,
    };
    house.told.iter().filter_map(field).collect()
}

/// What hands change at the sensors, and when.
fn changes(happenings: &[(Mono, Happening)]) -> Vec<(Mono, Square, FieldCode)> {
    let mut board = shakmaty::Board::new();
    let mut changes = Vec::new();
    for (at, what) in happenings {
        let Happening::Sensed { sq, reading, .. } = what else { continue };
        let piece = match reading {
            Reading::Piece(piece) => Some(*piece),
            _ => None,
        };
        if board.piece_at(*sq) != piece {
            board.discard_piece_at(*sq);
            if let Some(piece) = piece {
                board.set_piece_at(*sq, piece);
            }
            changes.push((later(*at), *sq, FieldCode::from(piece)));
        }
    }
    changes
}

/// How long changes take from the board to whoever follows its game, and pictures from the
/// question on, at the most.
#[derive(Debug)]
struct Slowest {
    /// While all clocks have just been started: presses wait until it is known that they run.
    at_start: Duration,
    afterwards: Duration,
    picture: Duration,
}

/// Clubs' hands at all boards of a line but the silent ones. Each board is asked for its picture
/// once in a minute.
fn slowest(n_boards: usize, n_silent: usize, half_moves_a_minute: u64) -> Slowest {
    let mut house = House::of(u16::try_from(n_boards).unwrap());
    let each = 60_000 / half_moves_a_minute;
    // Hands take some 1.2 s for a move and a press.
    let think = Span::new(each - 1_700, each - 700);
    let manners = Manners { think, ..Manners::named("club").unwrap() };
    let kind = TableKind { sight: Sight::Pieces, has_clock: true };
    let mut expected = Vec::new();
    for idx in 0..n_boards {
        let (moves, mode, seed) = (games::random_game(idx as u64, 10), CastlingMode::Standard, 1);
        let played = hands::perform(&Chess::new(), mode, &moves, None, &manners, kind, seed);
        let is_silent = idx < n_silent;
        let happenings = match is_silent {
            true => vec![(Mono::default(), Happening::PowerOff)],
            false => played.script.happenings,
        };
        expected.push(changes(&happenings));
        house.plays(idx, &happenings);
    }
    let mut picture = Duration::ZERO;
    let mut asked: Vec<Option<Mono>> = vec![None; n_boards];
    let (mut at, end) = (BEGINS, house.last() + secs(3));
    while at < end {
        at = at + secs(1);
        let before = house.told.len();
        house.run_until(at);
        for (when, idx, message) in &house.told[before..] {
            if matches!(message, BoardMessage::Dump(_))
                && let Some(since) = asked[*idx].take()
            {
                picture = picture.max(when.since(since));
            }
        }
        for idx in
            (n_silent..n_boards).filter(|i| (at.millis() / 1_000 + *i as u64).is_multiple_of(60))
        {
            asked[idx].get_or_insert(at);
            house.order(idx, &BoardCommand::SendBoard);
        }
    }
    let (mut at_start, mut all) = (Duration::ZERO, Vec::new());
    for (idx, expected) in expected.iter().enumerate() {
        let told = fields(&house, idx);
        let of = |list: &[(Mono, Square, FieldCode)]| -> Vec<_> {
            list.iter().map(|(_, sq, code)| (*sq, *code)).collect()
        };
        assert_eq!(of(&told), of(expected), "board {idx}: each change once and in its order");
        for ((was, ..), (is, ..)) in expected.iter().zip(&told) {
            match was.since(BEGINS) < secs(15) {
                true => at_start = at_start.max(is.since(*was)),
                false => all.push(is.since(*was)),
            }
        }
    }
    let afterwards = all.into_iter().max().unwrap_or_default();
    Slowest { at_start, afterwards, picture }
}

#[test]
fn a_change_is_fetched_within_a_second_on_a_line_of_forty() {
    for (n_boards, n_silent, rate, within) in
        [(2, 0, 20, 250), (20, 0, 20, 900), (40, 0, 20, 1_000), (40, 3, 20, 1_000)]
    {
        let found = slowest(n_boards, n_silent, rate);
        println!("{n_boards} boards, {n_silent} silent, {rate} half-moves a minute: {found:?}");
        assert!(found.afterwards <= Duration::from_millis(within), "{n_boards}: {found:?}");
        assert!(found.at_start <= secs(1), "{n_boards}: {found:?}");
        assert!(found.picture <= secs(60), "{n_boards}: {found:?}");
    }
}

/// Boards that nobody expects are told of, and of two with one address neither is followed until
/// one of them is gone; the others go on.
#[test]
fn addresses_that_are_wrong_are_told() {
    let tables = [(FIRST, 1), (FIRST + 1, 2), (FIRST + 1, 3), (FIRST + 9, 4)];
    let mut house = House::new(tables.map(|(address, seed)| table(address, seed)).into(), 3);
    house.run_until(BEGINS);
    assert_eq!(house.bus.take_strangers(), [FIRST + 9]);
    let doubled = Some(BusFault::Doubled(FIRST + 1));
    let silent = Some(BusFault::Silent(FIRST + 2));
    let told =
        |house: &House| -> Vec<_> { house.ups.iter().map(|(_, idx, it)| (*idx, *it)).collect() };
    assert_eq!(told(&house), [(1, doubled), (0, None), (2, silent)]);
    house.plays(0, &moved(100, Square::E2, Square::E4));
    house.run_until(BEGINS + secs(2));
    assert_eq!(fields(&house, 0).len(), 2, "the others go on");
    assert!(fields(&house, 1).is_empty());
    house.plays(2, &[(Mono::from_millis(3_000), Happening::PowerOff)]);
    house.run_until(BEGINS + secs(90));
    assert_eq!(told(&house)[3..], [(1, None)], "one of them is gone");
    house.plays(1, &moved(91_000, Square::E2, Square::E4));
    house.run_until(BEGINS + secs(95));
    assert_eq!(fields(&house, 1).len(), 2);
}

/// A board that answers later than boards do is there all the same.
#[test]
fn an_answer_to_all_that_comes_late_counts() {
    let mut house = House::new(vec![table(FIRST, 1)], 3);
    house.run_until(BEGINS);
    assert!(house.bus.take_strangers().is_empty());
    for address in [FIRST, FIRST + 9, FIRST + 9] {
        let pong = BusMessage { address, answer: BusAnswer::Pong }.encode();
        house.bus.on_bytes(BEGINS, &pong);
    }
    assert_eq!(house.bus.take_strangers(), [FIRST + 9]);
}

/// A host that is held up for some tenths of a second now and then is told each change once, and
/// all of them in their order.
#[test]
fn a_host_that_is_held_up_misses_nothing() {
    for seed in 0..40 {
        let mut house = House::of(4);
        let kind = TableKind { sight: Sight::Pieces, has_clock: true };
        // Of two answers that say the same, as of a piece that wobbles, one may do for both.
        let manners = Manners { wobble: 0.0, ghost: 0.0, ..Manners::named("blitz").unwrap() };
        let mut expected = Vec::new();
        for idx in 0..4 {
            let moves = games::random_game(seed * 4 + idx, 40);
            let mode = CastlingMode::Standard;
            let played = hands::perform(&Chess::new(), mode, &moves, None, &manners, kind, seed);
            expected.push(changes(&played.script.happenings));
            house.plays(usize::try_from(idx).unwrap(), &played.script.happenings);
        }
        house.run_until(BEGINS);
        house.with_stalls(seed, 60);
        house.run_until(house.last() + secs(10));
        for (idx, expected) in expected.iter().enumerate() {
            let told = fields(&house, idx);
            let of = |list: &[(Mono, Square, FieldCode)]| -> Vec<_> {
                list.iter().map(|(_, sq, code)| (*sq, *code)).collect()
            };
            let (told, expected) = (of(&told), of(expected));
            let n_same = told.iter().zip(&expected).take_while(|(a, b)| a == b).count();
            let after = |list: &[(Square, FieldCode)]| {
                format!("{:?}", list.iter().skip(n_same).take(4).collect::<Vec<_>>())
            };
            assert!(
                told == expected,
                "seed {seed}, board {idx}: {n_same} of {}, then {} for {}",
                expected.len(),
                after(&told),
                after(&expected)
            );
        }
    }
}

/// Whatever comes over the line, and whatever a board's loop says, there is always a later moment
/// to wait for, and no flood of questions.
#[test]
fn no_bytes_make_the_line_spin() {
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bus = BusLine::new(&[FIRST, FIRST + 1, FIRST + 2]);
        bus.link_up(Mono::default());
        let mut now = Mono::default();
        for _ in 0..2_000 {
            let due = bus.wake_at().unwrap();
            assert!(due > now, "seed {seed}: {due:?} is over at {now:?}");
            now = if rng.u8(0..4) == 0 { now + Duration::from_millis(rng.u64(0..40)) } else { due };
            let address = FIRST + rng.u16(0..4);
            let answer = match rng.u8(0..5) {
                0 => BusAnswer::Pong,
                1 => BusAnswer::Clock(ClockMessage::NoClock),
                2 => BusAnswer::Version { major: 1, minor: 8 },
                3 => BusAnswer::Changes(Vec::new()),
                _ => BusAnswer::Changes((0..8).map(|_| rng.u8(..0x80)).collect()),
            };
            let mut bytes = BusMessage { address, answer }.encode();
            Noise::new(300, rng.u64(..)).spoil(&mut bytes);
            match rng.u8(0..8) {
                0 => bus.order(now, rng.usize(0..3), &bytes),
                1 => bus.order(now, rng.usize(0..3), &BoardCommand::SendLog.encode()),
                2 => bus.order(now, rng.usize(0..3), &BoardCommand::SendBoard.encode()),
                _ => bus.on_bytes(now, &bytes),
            }
            bus.on_timeout(now);
            assert!(bus.take_sent().len() <= 2, "seed {seed}");
            while bus.poll().is_some() {}
        }
    }
}

/// A board joins a line on which another one has its address: their answers spoil each other, which
/// is found out, and told.
#[test]
fn a_second_board_with_an_address_is_found_while_it_plays() {
    let tables = [(FIRST, 1), (FIRST + 1, 2), (FIRST, 3)];
    let mut house = House::new(tables.map(|(address, seed)| table(address, seed)).into(), 2);
    house.line.happen(Mono::default(), 2, &Happening::PowerOff);
    house.run_until(BEGINS);
    assert_eq!(house.ups.len(), 2);
    let comes = BEGINS + secs(40);
    house.plays(2, &[(Mono::from_millis(40_000), Happening::PowerOn)]);
    for n in 0..40 {
        // They do not say the same any more.
        let (from, to) =
            if n % 2 == 0 { (Square::E2, Square::E4) } else { (Square::E4, Square::E2) };
        let piece = shakmaty::Board::new().piece_at(Square::E2).unwrap();
        let sensed = |sq, reading| Happening::Sensed { sq, reading, is_lost: false };
        let at = Mono::from_millis(42_000 + 700 * n);
        house.plays(
            0,
            &[(at, sensed(from, Reading::Empty)), (at, sensed(to, Reading::Piece(piece)))],
        );
    }
    house.run_until(comes + secs(60));
    let told: Vec<_> = house.ups[2..].iter().map(|(_, idx, it)| (*idx, *it)).collect();
    assert_eq!(told, [(0, Some(BusFault::Doubled(FIRST)))]);
    assert!(house.line.n_collisions() > 5);
}

/// A board whose power is out for a while is told of, is found again, and tells what was done
/// before it is followed only to who asks for its memory.
#[test]
fn boards_leave_and_join() {
    let mut house = House::of(3);
    house.plays(1, &[(Mono::from_millis(1_000), Happening::PowerOff)]);
    house.plays(1, &[(Mono::from_millis(30_000), Happening::PowerOn)]);
    house.plays(0, &moved(10_000, Square::E2, Square::E4));
    house.run_until(BEGINS + secs(60));
    let told: Vec<_> = house.ups[3..].iter().collect();
    let [(gone, 1, Some(BusFault::Silent(_))), (back, 1, None)] = told[..] else {
        panic!("{told:?}")
    };
    assert!(gone.since(BEGINS + secs(1)) < secs(4), "{gone:?}");
    assert!(back.since(BEGINS + secs(30)) < secs(6), "{back:?}");
    assert_eq!(fields(&house, 0).len(), 2, "the others go on");
    assert!(fields(&house, 1).is_empty(), "what it found when it got its power is no play");
}

/// Whoever asked ends with a change in hand: the next one has it in the board's memory with all
/// that has come since.
#[test]
fn what_was_fetched_last_is_in_the_memory_for_the_next_who_asks() {
    for n_told in [1, 2] {
        let mut house = House::of(1);
        house.plays(0, &moved(1_000, Square::E2, Square::E4));
        house.plays(0, &moved(2_500, Square::E7, Square::E5));
        let mut until = BEGINS;
        while fields(&house, 0).len() < n_told {
            until = until + Duration::from_millis(1);
            house.run_until(until);
        }
        house.asked_anew();
        house.run_until(BEGINS + secs(10));
        assert_eq!(fields(&house, 0).len(), n_told, "they are for the memory alone");
        house.order(0, &BoardCommand::SendBoard);
        house.order(0, &BoardCommand::SendLog);
        house.run_until(BEGINS + secs(12));
        let log = house.told.iter().find_map(|(_, _, message)| match message {
            BoardMessage::Log(log) => Some(decode_log(log)),
            _ => None,
        });
        let log = log.expect("the memory");
        let changed: Vec<Square> = log
            .iter()
            .filter_map(|event| match event {
                LogEvent::Change { field, .. } => Some(Orientation::Normal.square(*field)),
                _ => None,
            })
            .collect();
        let all = [Square::E2, Square::E4, Square::E7, Square::E5];
        assert!(changed.ends_with(&all[n_told - 1..]), "{n_told}: {changed:?}");
    }
}

/// With noise that hurts one byte in two hundred all changes arrive, once and in their order.
#[test]
fn what_is_hurt_is_asked_for_again() {
    let mut house = House::of(4);
    let kind = TableKind { sight: Sight::Pieces, has_clock: true };
    let manners = Manners::named("club").unwrap();
    let mut expected = Vec::new();
    for idx in 0..4 {
        let moves = games::random_game(idx, 60);
        let mode = CastlingMode::Standard;
        let played = hands::perform(&Chess::new(), mode, &moves, None, &manners, kind, idx);
        expected.push(changes(&played.script.happenings));
        house.plays(usize::try_from(idx).unwrap(), &played.script.happenings);
    }
    house.run_until(BEGINS);
    house.spoiled(Some(Noise::new(50, 1)));
    house.run_until(house.last() + secs(5));
    let (mut n_all, mut n_wrong) = (0, 0);
    for (idx, expected) in expected.iter().enumerate() {
        let told = fields(&house, idx);
        let of = |list: &[(Mono, Square, FieldCode)]| -> Vec<_> {
            list.iter().map(|(_, sq, code)| (*sq, *code)).collect()
        };
        n_all += expected.len();
        let (told, expected) = (of(&told), of(expected));
        n_wrong += usize::from(told != expected);
        let n_same = told.iter().zip(&expected).take_while(|(a, b)| a == b).count();
        println!("board {idx}: {} told of {}, {n_same} the same", told.len(), expected.len());
    }
    assert!(n_all > 400, "{n_all}");
    // A sum of seven bits lets one of 128 hurt answers through.
    assert!(n_wrong <= 1, "{n_wrong}");
}

fn recorded(
    (profile, seeds, n_plies_max): (&'static str, Range<u64>, usize),
    noise: Option<Noise>,
    stalls: Option<u64>,
) -> Vec<(Recipe, TrialVerdict, usize)> {
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let recipe = |seed| Recipe::invented(seed, profile, table, n_plies_max);
    let played: Vec<_> = seeds.map(|seed| (recipe(seed), recipe(seed).perform(&[]))).collect();
    let scripts: Vec<_> = played.iter().map(|(_, (.., played))| played.script.clone()).collect();
    let tables = (FIRST..).zip(&scripts).map(|(address, script)| {
        rokade::sim::Table::new(&script.header).numbered(&format!("{address:05}"), 1)
    });
    let n = u16::try_from(scripts.len()).unwrap();
    let settings: Vec<_> = scripts
        .iter()
        .map(|script| rokade::game::Settings { shares_line: true, ..settings_of(&script.header) })
        .collect();
    let mut house = House::new(tables.collect(), n).recorded(&settings);
    for (idx, script) in scripts.iter().enumerate() {
        house.plays(idx, &script.happenings);
    }
    house.run_until(BEGINS);
    house.spoiled(noise);
    if let Some(seed) = stalls {
        house.with_stalls(seed, 1_500);
    }
    house.run_until(house.last() + secs(30));
    let replays = house.replays();
    let verdict = |((recipe, (start, _, played)), replay): (_, &Replay)| {
        let (recipe, start, played): (Recipe, Chess, Performance) = (recipe, start, played);
        let verdict = TrialVerdict::new(&start, &played.truth, replay, &played.script);
        (recipe, verdict, blame::undeserved(&played.truth, &replay.entries).len())
    };
    played.into_iter().zip(&replays).map(verdict).collect()
}

/// Games of several boards on one line are recorded as well as on lines of their own.
#[test]
fn games_on_a_shared_line_are_recorded() {
    for (profile, seeds, n_plies, n_wrong) in [
        ("club", 0..8, 40, 0),
        ("blitz", 0..8, 40, 0),
        ("scramble", 0..4, 40, 1),
        ("club", 0..40, 10, 2),
    ] {
        let n = seeds.end;
        let verdicts = recorded((profile, seeds, n_plies), None, None);
        let wrong: Vec<_> = verdicts.iter().filter(|(_, it, _)| !it.is_right()).collect();
        for (recipe, verdict, accused) in &wrong {
            println!("{recipe}: {verdict}, {accused} accused");
        }
        println!("{profile}: {} of {n} wrong", wrong.len());
        let is_silent = |it: &TrialVerdict| {
            it.is_silently_wrong() && it.parting.is_some_and(|it| it.1.is_some())
        };
        let n_silent = verdicts.iter().filter(|(_, it, _)| is_silent(it)).count();
        assert_eq!(n_silent, 0, "{profile}");
        assert!(wrong.len() <= n_wrong, "{profile}: {} wrong", wrong.len());
    }
}

/// So are they by a host that is held up now and then.
#[test]
fn games_are_recorded_by_a_host_that_is_held_up() {
    for seed in 0..4 {
        let seeds = 200 + 8 * seed..208 + 8 * seed;
        let verdicts = recorded(("blitz", seeds, 40), None, Some(seed));
        for (recipe, verdict, accused) in &verdicts {
            if !verdict.is_right() {
                println!("{recipe}: {verdict}, {accused} accused");
            }
            assert!(!verdict.is_silently_wrong(), "{recipe}: {verdict}");
        }
        let n_right = verdicts.iter().filter(|(_, it, _)| it.is_right()).count();
        assert!(n_right >= 7, "seed {seed}: {n_right} of 8");
    }
}

#[test]
fn noise_on_a_shared_line_invents_nothing() {
    let verdicts = recorded(("club", 100..108, 40), Some(Noise::new(20, 7)), None);
    for (recipe, verdict, accused) in &verdicts {
        println!("{recipe}: {verdict}, {accused} accused");
        assert!(!verdict.is_silently_wrong(), "{recipe}: {verdict}");
    }
    let n_right = verdicts.iter().filter(|(_, it, _)| it.is_right()).count();
    assert!(n_right >= 7, "{n_right} of 8");
}
