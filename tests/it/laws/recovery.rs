//! A referee who comes back from the record in the middle of a game of messy hands knows what the
//! one who was there knew, and holds nothing against anybody that he had not.

use rokade::game::{Effect, Entry, Event, Fact, Game, LinkState, Recovered, Settings};
use rokade::laws::{Referee, Terms};
use rokade::relay::record::Record;
use rokade::sim::replay::settings_of;
use rokade::sim::script::Happening;
use rokade::sim::trial::{Recipe, Trial};
use rokade::sim::{Replay, Script, TableKind};
use rokade::table::{Placement, Reading, Sight};
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::Square;

const PROFILES: [&str; 4] = ["club", "school", "blitz", "scramble"];
const N_GAMES: u64 = 12;
/// A record is cut at so many moments of each game.
const N_CUTS: usize = 5;

/// What a referee would say when he is asked. The times at the start of an illegal move are from
/// readings of the clock, of which not all are on record.
fn state(referee: &Referee) -> String {
    let without_times =
        |what: String| what.split("; by the times").next().map(str::to_owned).unwrap_or_default();
    let pending = referee.pending().into_iter().map(|open| without_times(open.what));
    let pending: Vec<String> = pending.collect();
    let prompts: Vec<_> = referee.prompts().collect();
    format!(
        "{} {:?} {pending:?} {prompts:?} {} {:?} {:?}",
        referee.moves().join(" "),
        referee.n_completed(),
        referee.has_gone_beyond(),
        referee.demanded_fen(),
        referee.result(),
    )
}

/// What a journal gives back of `entries`.
fn read_back(entries: &[Entry]) -> Vec<Entry> {
    let back = entries.iter().map(|entry| {
        let line = serde_json::to_string(&Record::new(0, &entry.fact)).expect("plain data");
        let record: Record = serde_json::from_str(&line).expect("what was written");
        Entry { at: entry.at, fact: record.fact }
    });
    back.collect()
}

/// The game as it is recovered from `entries`.
fn recovered(entries: &[Entry], settings: &Settings) -> Game {
    let mut fold = Recovered::default();
    for (idx, entry) in read_back(entries).iter().enumerate() {
        fold.fold(idx, entry).unwrap_or_else(|e| panic!("{e}"));
    }
    let mut game = fold.into_game(settings.clone());
    handle(&mut game, 0, &Event::Timeout, &mut Vec::new());
    game
}

fn handle(game: &mut Game, ms: u64, event: &Event, entries: &mut Vec<Entry>) {
    let mut effects = Vec::new();
    let at = Stamp { mono: Mono::from_millis(ms), wall: Wall(0) };
    game.handle(at, event, &mut effects);
    entries.extend(effects.into_iter().filter_map(|effect| match effect {
        Effect::Record(entry) => Some(entry),
        _ => None,
    }));
}

/// What the sensors showed last.
fn was_seen(game: &Game) -> Placement {
    game.play().expect("a game").tracker().seen().clone()
}

/// The daemon finds the board as it was left, and nobody touches it for some seconds.
fn look(game: &mut Game, seen: &Placement, entries: &mut Vec<Entry>) {
    handle(game, 1_000, &Event::LinkUp, entries);
    let at = Stamp { mono: Mono::from_millis(1_000), wall: Wall(0) };
    entries.push(Entry { at, fact: Fact::Link(LinkState::Live) });
    handle(game, 2_000, &Event::Pictured(seen.clone()), entries);
    for ms in (2_050..12_000).step_by(50) {
        handle(game, ms, &Event::Timeout, entries);
    }
}

/// The game until just before its happening number `n`.
fn until(script: &Script, n: usize) -> Script {
    let mut script = script.clone();
    let at = script.happenings.get(n).map(|(at, _)| *at);
    script.happenings.truncate(n);
    script.happenings.extend(at.map(|at| (at, Happening::End)));
    script
}

#[test]
fn he_comes_back_as_he_was() {
    let (mut wrong, mut n_cut) = (Vec::new(), 0);
    for profile in PROFILES {
        // In the last one a press was in doubt for longer than usual.
        for seed in (0..N_GAMES).chain([206]) {
            let sight = if seed % 2 == 0 { Sight::Pieces } else { Sight::Occupied };
            let table = TableKind { sight, has_clock: true };
            let recipe = Recipe::invented(seed, profile, table, 60);
            let script = Trial::run(recipe, &[]).performance.script;
            for cut in 1..=N_CUTS {
                let script = until(&script, script.happenings.len() * cut / N_CUTS);
                let terms = Some(Terms::default());
                let settings = Settings { terms, ..settings_of(&script.header) };
                let run = Replay::run_with(&script, settings);
                let (mut entries, settings) = (run.entries, run.game.settings());
                let Some(was) = run.game.referee() else { continue };
                let mut game = recovered(&entries, settings);
                let Some(is) = game.referee().filter(|_| game.play().is_some()) else { continue };
                n_cut += 1;
                if state(is) != state(was) {
                    wrong.push(format!("{recipe} {cut}\n  {}\n  {}", state(was), state(is)));
                }
                let seen = was_seen(&run.game);
                look(&mut game, &seen, &mut entries);
                let again = recovered(&entries, settings);
                let (Some(was), Some(is)) = (game.referee(), again.referee()) else { continue };
                if state(is) != state(was) {
                    wrong.push(format!("{recipe} {cut}, twice\n  {}\n  {}", state(was), state(is)));
                }
            }
        }
    }
    let n_wrong = wrong.len();
    assert!(wrong.is_empty(), "{n_wrong} of {n_cut}\n{}", wrong.join("\n"));
    assert!(n_cut > 60, "{n_cut} games were recovered");
}

const HEAD: &str = r#"{"trace":1,"board":"dgt","clock":true,"note":"A scene."}"#;

/// What is on record of a scene: a line for each thing that happens, without its time, and how many
/// milliseconds pass before it. Then so many pass until the daemon stops.
fn scene(lines: &[(u64, &str)], then: u64) -> Replay {
    let mut text = format!("{HEAD}\n");
    let mut at = 0;
    for (wait, line) in lines {
        at += wait;
        text += &format!("{{\"t\":{at},{line}}}\n");
    }
    text += &format!("{{\"t\":{},\"end\":true}}\n", at + then);
    let script = Script::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let settings = Settings { terms: Some(Terms::default()), ..settings_of(&script.header) };
    Replay::run_with(&script, settings)
}

const OPENING: &[(u64, &str)] = &[
    (2_000, r#""sq":"e2","p":"""#),
    (350, r#""sq":"e4","p":"P""#),
    (450, r#""press":"white""#),
    (1_500, r#""sq":"e7","p":"""#),
    (350, r#""sq":"e5","p":"p""#),
    (450, r#""press":"black""#),
];

/// The pieces are set up again, nobody has won, and play begins anew: the first game is closed.
#[test]
fn a_closed_game_is_none_of_his_business() {
    let set_up: &[(u64, &str)] = &[
        (2_000, r#""sq":"e5","p":"""#),
        (400, r#""sq":"e7","p":"p""#),
        (400, r#""sq":"e4","p":"""#),
        (400, r#""sq":"e2","p":"P""#),
        (40_000, r#""sq":"d2","p":"""#),
        (350, r#""sq":"d4","p":"P""#),
        (450, r#""press":"white""#),
    ];
    let run = scene(&[OPENING, set_up].concat(), 9_000);
    let was = run.game.referee().expect("a referee");
    assert_eq!(was.moves(), ["d2d4"]);
    let game = recovered(&run.entries, run.game.settings());
    assert_eq!(state(game.referee().expect("a referee")), state(was));
}

/// The daemon stops while a press waits for the record: that doubt is gone for good, also for those
/// who read of it later. What the press was for the next daemon tells.
#[test]
fn a_doubt_that_a_stop_has_ended_stays_ended() {
    let beyond: &[(u64, &str)] = &[
        (1_500, r#""sq":"b1","p":"""#),
        (350, r#""sq":"d5","p":"N""#),
        (450, r#""press":"white""#),
    ];
    let run = scene(&[OPENING, beyond].concat(), 100);
    let settings = run.game.settings();
    let cut = run.entries.iter().take_while(|entry| entry.at.mono <= Mono::from_millis(7_500));
    let mut entries: Vec<Entry> = cut.cloned().collect();
    let mut first = recovered(&entries, settings);
    let seen = was_seen(&first);
    look(&mut first, &seen, &mut entries);
    handle(&mut first, 20_000, &Event::Sensed(Square::G1, Reading::Empty), &mut entries);
    let was = first.referee().expect("a referee");
    let what: Vec<_> = was.pending().into_iter().map(|open| open.what).collect();
    assert!(what.len() == 2 && what[0].starts_with("illegal move of white"), "{what:?}");
    let second = recovered(&entries, settings);
    assert_eq!(state(second.referee().expect("a referee")), state(was));
}
