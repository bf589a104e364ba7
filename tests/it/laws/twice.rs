//! Every game twice: without a referee, and with one of each edition. The record is the same; what
//! he adds are his words, and the ends that only the Laws know.

use rokade::game::{Clocked, Effect, Entry, Event, Fact, Game, Settings};
use rokade::laws::{Act, Clocks, Edition, Ending, Profile, Reason, Terms};
use rokade::relay::log::Log;
use rokade::relay::pgn::{self, Tags};
use rokade::relay::view::View;
use rokade::sim::hands::{self, Also, Manners};
use rokade::sim::replay::settings_of;
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::{Replay, Script, TableKind};
use rokade::table::{Placement, Reading, Sight};
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::san::SanPlus;
use shakmaty::{ByColor, CastlingMode, Chess, Color, KnownOutcome, Move, Position, Square};
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::position;

const EDITIONS: [Edition; 5] =
    [Edition::Hu2005, Edition::Dk2009, Edition::No2009, Edition::M2018, Edition::M2023];
const PROFILES: [&str; 5] = ["clean", "club", "school", "blitz", "scramble"];
const N_GAMES: u64 = 3;

const PIECES: TableKind = TableKind { sight: Sight::Pieces, has_clock: true };

/// A replay with a referee of this edition.
fn with_referee(script: &Script, edition: Edition) -> Replay {
    let profile = Profile { edition, ..Profile::default() };
    let terms = Some(Terms { profile, ..Terms::default() });
    Replay::run_with(script, Settings { terms, ..settings_of(&script.header) })
}

/// What a record says of the game, line by line, up to an end that only a referee brings.
fn game_of(replay: &Replay) -> Vec<String> {
    let is_of_laws = |fact: &Fact| {
        let by_counting = [Reason::Fivefold, Reason::SeventyFiveMoves, Reason::DeadPosition];
        matches!(fact, Fact::Ended(ending) if by_counting.contains(&ending.reason))
    };
    let entries = replay.entries.iter().take_while(|entry| !is_of_laws(&entry.fact));
    let of_game = entries.filter(|entry| {
        matches!(
            entry.fact,
            Fact::GameStarted { .. }
                | Fact::MoveMade { .. }
                | Fact::MoveMarked { .. }
                | Fact::MoveRetracted { .. }
                | Fact::MoveCompleted { .. }
                | Fact::IllegalMove { .. }
                | Fact::Ended(_)
                | Fact::GameClosed
        )
    });
    of_game.map(|entry| format!("{} {:?}", entry.at.mono, entry.fact)).collect()
}

/// How many games of each kind are asked for.
fn n_seeds() -> Option<u64> {
    std::env::var("ROKADE_SEEDS").ok()?.parse().ok()
}

/// Where a referee with whom nothing is open knows other moves than are on record, after the board
/// has been at rest and shows them.
fn knows_otherwise(refereed: &Replay) -> Option<String> {
    let (play, referee) = (refereed.game.play()?, refereed.game.referee()?);
    let is_shown = play.tracker().seen().differs(play.sheet().last().board()).is_empty();
    // What nobody knows of a game no referee knows.
    let has_gap = !play.sheet().gaps().is_empty();
    if !is_shown || has_gap || !referee.may_follow() || referee.waits_for_piece() {
        return None;
    }
    let recorded: Vec<String> =
        play.sheet().moves().iter().map(|scored| scored.uci.to_string()).collect();
    let known = referee.moves();
    (known != recorded).then(|| format!("he knows {known:?}, on record are {recorded:?}"))
}

/// Where the record with a referee of some edition is another one than that without.
///
/// Unless many games are asked for, today's edition and one of the older ones have to do.
fn differences(n: usize, name: &str, script: &Script, bare: &Replay) -> Vec<String> {
    let known = game_of(bare);
    let differs = |edition: Edition| {
        let refereed = with_referee(script, edition);
        let seen = game_of(&refereed);
        if let Some(why) = knows_otherwise(&refereed) {
            return Some(format!("{name} {}: {why}", edition.word()));
        }
        let n = known.iter().zip(&seen).take_while(|(a, b)| a == b).count();
        let is_cut = seen.len() == n
            && refereed.entries.iter().any(|entry| {
                matches!(entry.fact, Fact::Ended(Ending { reason, .. })
                if reason.is_of_position() || reason == Reason::Time)
            });
        if n == known.len().max(seen.len()) || is_cut {
            return None;
        }
        let at = |lines: &[String]| lines.get(n).cloned().unwrap_or_default();
        Some(format!("{name} {}: {:?} instead of {:?}", edition.word(), at(&seen), at(&known)))
    };
    let editions = match n_seeds() {
        Some(_) => EDITIONS.to_vec(),
        None => vec![Edition::M2023, EDITIONS[n % (EDITIONS.len() - 1)]],
    };
    editions.into_iter().filter_map(differs).collect()
}

#[test]
fn a_referee_changes_no_record_of_a_trace() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut wrong = Vec::new();
    let mut n_games = 0;
    for entry in fs::read_dir(folder).expect("tests/traces is a folder") {
        let path = entry.expect("an entry of it").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if !name.ends_with(".jsonl") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a script");
        let script = Script::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let bare = Replay::run_with(&script, settings_of(&script.header));
        wrong.extend(differences(n_games, &name, &script, &bare));
        n_games += 1;
    }
    assert!(n_games > 200, "{n_games} scripts");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// `ROKADE_SEEDS=200` plays that many games of each kind.
#[test]
fn a_referee_changes_no_record_of_hands() {
    let tables = [
        PIECES,
        TableKind { has_clock: false, ..PIECES },
        TableKind { sight: Sight::Occupied, ..PIECES },
    ];
    let (mut wrong, mut n) = (Vec::new(), 0_usize);
    for profile in PROFILES {
        for table in tables {
            for seed in 0..n_seeds().unwrap_or(N_GAMES) {
                n += 1;
                let also = if n.is_multiple_of(2) { Also::ALL } else { Also::NONE };
                let recipe = Recipe { also, ..Recipe::invented(seed, profile, table, 40) };
                let trial = Trial::run(recipe, &[]);
                let bare = trial.replay.as_ref().expect("a replay");
                let name = recipe.to_string();
                wrong.extend(differences(n, &name, &trial.performance.script, bare));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// A game that its last move ends.
struct Ended {
    start: &'static str,
    moves: &'static str,
    reason: Reason,
    /// Whether the record knows this end without a referee.
    is_plain: bool,
    /// Whether only editions from 2018 know it.
    is_modern: bool,
}

const fn ended(start: &'static str, moves: &'static str, reason: Reason) -> Ended {
    Ended { start, moves, reason, is_plain: true, is_modern: false }
}

const ARRAY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const LOYD: &str = "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6";
/// After 1. e3 e6, so that they do not end in the array, which begins another game.
const KNIGHTS: &str = "e3 e6 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8";
const ROOK: &str = "8/8/4k3/8/8/3R4/4K3/8 w - - 148 120";
const LAST_PAWN: &str = "8/8/4k3/8/8/3p4/4K3/8 w - - 0 60";
/// After the bishop is taken nobody gets through.
const WALL: &str = "1k6/B7/8/p1p1p1p1/P1P1P1P1/8/8/K7 b - - 0 60";

const ENDS: [Ended; 7] = [
    ended(ARRAY, "f3 e5 g4 Qh4#", Reason::Checkmate),
    ended(ARRAY, "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", Reason::Checkmate),
    ended(ARRAY, LOYD, Reason::Stalemate),
    ended(LAST_PAWN, "Kxd3", Reason::DeadPosition),
    Ended { is_plain: false, ..ended(WALL, "Kxa7", Reason::DeadPosition) },
    Ended { is_plain: false, is_modern: true, ..ended(ARRAY, KNIGHTS, Reason::Fivefold) },
    Ended { is_plain: false, is_modern: true, ..ended(ROOK, "Rd4 Ke5", Reason::SeventyFiveMoves) },
];

fn moves_of(start: &Chess, sans: &str) -> Vec<Move> {
    let mut pos = start.clone();
    let read = |san: &str| {
        let san: SanPlus = san.parse().unwrap_or_else(|e| panic!("{san}: {e}"));
        let m = san.san.to_move(&pos).unwrap_or_else(|e| panic!("{san}: {e}"));
        pos.play_unchecked(m);
        m
    };
    sans.split(' ').map(read).collect()
}

/// What stands in the page's document, the log and the PGN of `replay`.
fn outputs(replay: &Replay) -> (Vec<String>, Option<&'static str>, String, String) {
    let view = View::new("1", &replay.game, Mono::default());
    let play = replay.game.play().expect("a game");
    let mut log = Log::default();
    let lines = replay.entries.iter().filter_map(|entry| log.line(&entry.fact));
    let log = lines.collect::<Vec<_>>().join("\n");
    let outcome: Option<KnownOutcome> = play.ending().map(|ending| ending.outcome);
    let pgn = pgn::render(&Tags::default(), play.sheet(), play.sheet().len(), outcome);
    (view.moves.into_iter().map(|m| m.san).collect(), view.reason, log, pgn)
}

/// What is missing of the end of a game in one of its outputs.
fn missing(end: &Ended, replay: &Replay, is_known: bool) -> Option<String> {
    let moves: Vec<&str> = end.moves.split(' ').collect();
    let last = moves.last().expect("a move");
    let play = replay.game.play().expect("a game");
    let (shown, reason, log, pgn) = outputs(replay);
    let wanted = is_known.then_some(end.reason);
    let recorded = play.ending().map(|ending| ending.reason);
    let n_completed = play.sheet().n_completed();
    let is_right = recorded == wanted
        && reason == wanted.map(Reason::word)
        && shown == moves
        && (n_completed == moves.len() || !is_known && n_completed + 1 >= moves.len())
        && log.contains(last)
        && pgn.contains(last);
    let text = || format!("{recorded:?}, {n_completed} completed, {shown:?}\n{log}\n{pgn}");
    (!is_right).then(text)
}

#[test]
fn the_move_that_ends_a_game_is_on_record_everywhere() {
    let mut wrong = Vec::new();
    for end in &ENDS {
        let start = position(end.start);
        let moves = moves_of(&start, end.moves);
        for (profile, has_clock) in [("clean", true), ("club", true), ("clean", false)] {
            let table = TableKind { has_clock, ..PIECES };
            let manners = Manners::named(profile).expect("a profile");
            let manners = Manners { illegal_pressed: 0.0, illegal_fixed: 0.0, ..manners };
            let mode = CastlingMode::Standard;
            let played = hands::perform(&start, mode, &moves, None, &manners, table, 1);
            let mut script = played.script;
            // The last move may have to rest.
            let last = script.happenings.last_mut().expect("an end");
            last.0 = last.0 + Duration::from_secs(40);
            let bare = Replay::run(&script);
            let name = |edition: &str| format!("{} {profile} {has_clock} {edition}", end.moves);
            let short = missing(end, &bare, end.is_plain);
            wrong.extend(short.map(|why| format!("{}: {why}", name("no referee"))));
            for edition in EDITIONS {
                let is_old = end.is_modern && !edition.is_modern();
                let short = missing(end, &with_referee(&script, edition), !is_old);
                wrong.extend(short.map(|why| format!("{}: {why}", name(edition.word()))));
            }
        }
    }
    assert!(wrong.is_empty(), "{} fall short\n{}", wrong.len(), wrong.join("\n"));
}

/// A game by hand, with a referee of today.
struct Sitting {
    game: Game,
    now: Mono,
    entries: Vec<Entry>,
}

impl Sitting {
    /// The array stands, and White's clock runs.
    fn new() -> Self {
        let settings = Settings { terms: Some(Terms::default()), ..Settings::default() };
        let (now, entries) = (Mono::default(), Vec::new());
        let mut sitting = Self { game: Game::new(settings), now, entries };
        sitting.event(&Event::Pictured(Placement::from(Chess::new().board().clone())));
        sitting.show(Color::White);
        sitting
    }

    fn event(&mut self, event: &Event) {
        let mut effects = Vec::new();
        self.game.handle(Stamp { mono: self.now, wall: Wall(0) }, event, &mut effects);
        self.entries.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Record(entry) => Some(entry),
            _ => None,
        }));
    }

    fn show(&mut self, running: Color) {
        let left = ByColor::new_with(|_| Duration::from_secs(600));
        self.event(&Event::Clocked(Clocked::Shows(Clocks { left, running: Some(running) })));
    }

    fn pass(&mut self, ms: u64) {
        let until = self.now + Duration::from_millis(ms);
        while let Some(due) = self.game.wake_at().filter(|due| *due <= until) {
            assert!(due >= self.now, "woken in the past");
            self.now = due;
            self.event(&Event::Timeout);
        }
        self.now = until;
    }

    /// A piece goes, and the player presses if he is to.
    fn play(&mut self, from: Square, to: Square, presses: bool) {
        let seen = self.game.play().expect("a game").tracker().seen().clone();
        self.event(&Event::Sensed(from, Reading::Empty));
        self.pass(300);
        self.event(&Event::Sensed(to, seen.get(from)));
        self.pass(600);
        let by = seen.known().color_at(from).expect("a piece");
        if presses {
            self.event(&Event::Pressed(by));
            self.show(!by);
            self.pass(1_500);
        }
    }

    /// 1. f3 e5 2. g4 Qh4#, and Black does not press.
    fn fools_mate() -> Self {
        let mut sitting = Self::new();
        sitting.play(Square::F2, Square::F3, true);
        sitting.play(Square::E7, Square::E5, true);
        sitting.play(Square::G2, Square::G4, true);
        sitting.play(Square::D8, Square::H4, false);
        sitting
    }

    fn words(text: &str) -> Event {
        Event::Act(Act::read(text, "arbiter", "").unwrap_or_else(|e| panic!("{text}: {e}")))
    }

    /// Why the game is over, the moves that are completed, and what the log ends with.
    fn end(&self) -> (Option<Reason>, usize) {
        let play = self.game.play().expect("a game");
        (play.ending().map(|ending| ending.reason), play.sheet().n_completed())
    }
}

#[test]
fn a_mate_is_one_however_soon_somebody_speaks() {
    for event in [
        Event::Clocked(Clocked::Flag(Color::Black)),
        Event::Clocked(Clocked::FlagsUnknown),
        Sitting::words("white resign"),
        Sitting::words("white offer_draw"),
    ] {
        let mut sitting = Sitting::fools_mate();
        assert_eq!(sitting.end(), (None, 3), "before {event:?}");
        sitting.event(&event);
        assert_eq!(sitting.end(), (Some(Reason::Checkmate), 4), "{event:?}");
    }
}

/// What looked like mate goes on: it was a piece on its way.
#[test]
fn a_piece_that_goes_on_has_not_mated() {
    let mut sitting = Sitting::fools_mate();
    sitting.event(&Event::Sensed(Square::H4, Reading::Empty));
    sitting.pass(300);
    let queen = Reading::Piece(Color::Black.queen());
    sitting.event(&Event::Sensed(Square::G5, queen));
    sitting.pass(600);
    sitting.event(&Event::Pressed(Color::Black));
    sitting.show(Color::White);
    sitting.pass(20_000);
    assert_eq!(sitting.end(), (None, 4));
    let moves = sitting.game.play().expect("a game").sheet().moves();
    assert_eq!(moves[3].uci.to_string(), "d8g5");
}

/// What people say, order or do ends a game whose moves are all on record.
#[test]
fn a_game_that_people_end_keeps_its_moves() {
    let kings = [(Square::E1, Square::E4), (Square::E8, Square::D5)];
    for (words, wanted) in [
        (&["white resign"][..], Reason::Resignation),
        (&["white offer_draw", "black accept_draw"], Reason::Agreement),
        (&["result 0-1"], Reason::Arbiter),
        (&["flag black"], Reason::Time),
        (&["kings"], Reason::KingsInCenter),
    ] {
        let mut sitting = Sitting::new();
        sitting.play(Square::E2, Square::E3, true);
        sitting.play(Square::E7, Square::E6, true);
        for word in words {
            match *word {
                "kings" => {
                    for (from, to) in kings {
                        let seen = sitting.game.play().expect("a game").tracker().seen().clone();
                        sitting.event(&Event::Sensed(from, Reading::Empty));
                        sitting.event(&Event::Sensed(to, seen.get(from)));
                    }
                    sitting.pass(5_000);
                }
                "flag black" => sitting.event(&Event::Clocked(Clocked::Flag(Color::Black))),
                words => sitting.event(&Sitting::words(words)),
            }
        }
        sitting.pass(10_000);
        if wanted == Reason::Time {
            sitting.event(&Sitting::words("confirm"));
        }
        assert_eq!(sitting.end(), (Some(wanted), 2), "{words:?}");
        let play = sitting.game.play().expect("a game");
        let outcome = play.ending().map(|ending| ending.outcome);
        let pgn = pgn::render(&Tags::default(), play.sheet(), play.sheet().len(), outcome);
        let moves = pgn.rsplit_once("]\n\n").map_or("", |(_, moves)| moves);
        let words_of = |text: &str| text.split('}').next_back().unwrap_or("").trim().to_owned();
        let said: String = moves.split('{').map(words_of).collect::<Vec<_>>().join(" ");
        assert!(said.starts_with("1. e3 1... e6 "), "{words:?}: {pgn}");
    }
}
