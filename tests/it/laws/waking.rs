//! Whoever asks when to wake the game, and does so, is not told the same moment again: over whole
//! games of hands in which people say and order anything at any time.

use rokade::game::{Clocked, Effect, Event, Game, Settings};
use rokade::laws::act::CHAPTERS;
use rokade::laws::{Act, Clocks, Terms};
use rokade::sim::TableKind;
use rokade::sim::hands::Also;
use rokade::sim::replay::settings_of;
use rokade::sim::script::Happening;
use rokade::sim::trial::{Recipe, Trial};
use rokade::table::{Placement, Reading, Sight};
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::{Board, ByColor, Color, Square};
use std::time::Duration;

const N_GAMES: u64 = 24;
const N_PLIES_MAX: usize = 24;
/// A timer that is due again at once would be woken this often and more.
const WAKES_MAX: usize = 20_000;

/// All that people can enter.
fn words() -> Vec<Act> {
    let all = CHAPTERS.iter().flat_map(|chapter| chapter.lessons.iter());
    all.filter_map(|word| Act::read(word.example, "arbiter", "").ok()).collect()
}

/// A game that is handed what happens, and what it says of its timers.
struct Sitting {
    game: Game,
    now: Mono,
    n_wakes: usize,
}

impl Sitting {
    fn event(&mut self, event: &Event) {
        let mut effects: Vec<Effect> = Vec::new();
        self.game.handle(Stamp { mono: self.now, wall: Wall(0) }, event, &mut effects);
    }

    /// Wakes the game whenever it wants that. What it says wrongly of it, in words.
    fn pass(&mut self, until: Mono) -> Result<(), String> {
        while let Some(due) = self.game.wake_at().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.event(&Event::Timeout);
            self.n_wakes += 1;
            let next = self.game.wake_at();
            if next.is_some_and(|next| next <= self.now) || self.n_wakes > WAKES_MAX {
                return Err(format!("woken at {}, and again at {next:?}", self.now));
            }
        }
        self.now = self.now.max(until);
        Ok(())
    }

    fn show(&mut self, running: Option<Color>) {
        let left = ByColor::new_with(|_| Duration::from_secs(5_400));
        self.event(&Event::Clocked(Clocked::Shows(Clocks { left, running })));
    }
}

/// A game of hands in which somebody speaks now and then.
fn play(seed: u64, words: &[Act]) -> Result<(), String> {
    let profile = ["club", "school", "blitz", "scramble"][(seed % 4) as usize];
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let also = if seed.is_multiple_of(3) { Also::ALL } else { Also::NONE };
    let recipe = Recipe { also, ..Recipe::invented(seed, profile, table, N_PLIES_MAX) };
    let trial = Trial::run(recipe, &[]);
    let script = &trial.performance.script;
    let settings = Settings { terms: Some(Terms::default()), ..settings_of(&script.header) };
    let mut sitting = Sitting { game: Game::new(settings), now: Mono::default(), n_wakes: 0 };
    sitting.event(&Event::Pictured(Placement::from(Board::new())));
    sitting.show(Some(Color::White));
    let mut rng = fastrand_of(seed);
    for (at, happening) in &script.happenings {
        sitting.pass(*at)?;
        match happening {
            Happening::Sensed { sq, reading, is_lost: false } => {
                sitting.event(&Event::Sensed(*sq, *reading));
            }
            Happening::Press(by) => {
                sitting.event(&Event::Pressed(*by));
                sitting.show(Some(!*by));
            }
            Happening::ClockStopped => sitting.show(None),
            Happening::Resume(side) => sitting.show(Some(*side)),
            _ => {}
        }
        if rng().is_multiple_of(40) {
            let act = words[rng() as usize % words.len()].clone();
            let name = format!("{act:?}");
            sitting.event(&Event::Act(act));
            let soon = sitting.now + Duration::from_millis(rng() % 1_200);
            sitting.pass(soon).map_err(|why| format!("after {name}: {why}"))?;
        }
    }
    let end = sitting.now + Duration::from_secs(900);
    sitting.pass(end)
}

/// Numbers that a seed decides.
fn fastrand_of(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 16
    }
}

/// A search for a mate in what is left is under way when a player resigns.
#[test]
fn a_game_that_is_over_is_not_searched() {
    let start = "8/8/4k3/8/8/3p4/4K3/7R w - - 0 60".parse().expect("a FEN");
    let settings =
        Settings { terms: Some(Terms::default()), start: Some(start), ..Settings::default() };
    let mut sitting = Sitting { game: Game::new(settings), now: Mono::default(), n_wakes: 0 };
    let shown = Placement::parse("8/8/4k3/8/8/3p4/4K3/7R").expect("a board");
    sitting.event(&Event::Pictured(shown));
    sitting.show(Some(Color::White));
    sitting.pass(Mono::from_millis(1_000)).expect("nothing happens");
    for (sq, reading) in [
        (Square::E2, Reading::Empty),
        (Square::D3, Reading::Empty),
        (Square::D3, Reading::Piece(Color::White.king())),
    ] {
        sitting.event(&Event::Sensed(sq, reading));
        sitting.now = sitting.now + Duration::from_millis(200);
    }
    let n_made = |sitting: &Sitting| sitting.game.referee().expect("a referee").moves().len();
    while n_made(&sitting) == 0 {
        let due = sitting.game.wake_at().expect("something is due");
        sitting.now = sitting.now.max(due);
        sitting.event(&Event::Timeout);
    }
    let resigns = Act::read("black resign", "arbiter", "").expect("words");
    sitting.event(&Event::Act(resigns));
    assert!(sitting.game.referee().expect("a referee").result().is_some());
    let end = sitting.now + Duration::from_secs(60);
    sitting.pass(end).expect("nothing is due in the past");
}

/// `ROKADE_SEEDS=1000` plays that many games.
#[test]
fn a_game_that_was_woken_sleeps() {
    let words = words();
    assert!(words.len() > 60, "{} words", words.len());
    let n = std::env::var("ROKADE_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(N_GAMES);
    let wrong: Vec<String> = (0..n)
        .filter_map(|seed| Some(format!("seed {seed}: {}", play(seed, &words).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {n}\n{}", wrong.len(), wrong.join("\n"));
}
