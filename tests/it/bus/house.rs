//! A line with its boards, the host's side of it and, where they are wanted, the games, in virtual
//! time.

use std::collections::VecDeque;
use std::time::Duration;

use rokade::game::{Ear, Effect, Entry, Event, Game, Settings};
use rokade::sim::script::{Happening, Header};
use rokade::sim::trouble::Noise;
use rokade::sim::{Replay, SharedLine, Table};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::bus::{BusFault, BusLine, BusNews};
use rokade::wire::{BoardCommand, BoardMessage};

/// All boards have been found and read once by then.
pub(crate) const BEGINS: Mono = Mono::from_millis(20_000);
/// From the closing of a board's conversation to its next beginning.
const REOPEN_AFTER: Duration = Duration::from_millis(50);

/// The first address on the line.
pub(crate) const FIRST: u16 = 1_025;

/// Who follows one board.
struct Recorder {
    game: Game,
    ear: Ear,
    effects: Vec<Effect>,
    entries: Vec<Entry>,
}

/// A line in virtual time.
pub(crate) struct House {
    pub(crate) line: SharedLine,
    pub(crate) bus: BusLine,
    recorders: Vec<Recorder>,
    script: VecDeque<(Mono, usize, Happening)>,
    noise: Option<Noise>,
    /// How often, by chance, the host is held up, until when it is, and what came meanwhile.
    stalls: Option<(fastrand::Rng, u32)>,
    held_until: Mono,
    held: Vec<u8>,
    now: Mono,
    /// What was told of boards that nobody records.
    pub(crate) told: Vec<(Mono, usize, BoardMessage)>,
    pub(crate) ups: Vec<(Mono, usize, Option<BusFault>)>,
    pub(crate) n_sent: usize,
}

pub(crate) fn table(address: u16, seed: u64) -> Table {
    Table::new(&Header::dgt()).numbered(&format!("{address:05}"), seed)
}

impl House {
    /// A line along these tables, of which so many addresses are expected, from [`FIRST`] on.
    pub(crate) fn new(tables: Vec<Table>, n_expected: u16) -> Self {
        let addresses: Vec<u16> = (FIRST..FIRST + n_expected).collect();
        let mut bus = BusLine::new(&addresses);
        bus.link_up(Mono::default());
        Self {
            line: SharedLine::new(tables),
            bus,
            recorders: Vec::new(),
            script: VecDeque::new(),
            noise: None,
            stalls: None,
            held_until: Mono::default(),
            held: Vec::new(),
            now: Mono::default(),
            told: Vec::new(),
            ups: Vec::new(),
            n_sent: 0,
        }
    }

    /// A line of so many boards, each at its address.
    pub(crate) fn of(n: u16) -> Self {
        Self::new((FIRST..FIRST + n).map(|address| table(address, 1)).collect(), n)
    }

    /// The same, with a game at each table.
    pub(crate) fn recorded(mut self, settings: &[Settings]) -> Self {
        let recorder = |settings: &Settings| Recorder {
            game: Game::new(settings.clone()),
            ear: Ear::default(),
            effects: Vec::new(),
            entries: Vec::new(),
        };
        self.recorders = settings.iter().map(recorder).collect();
        self
    }

    /// Hands do this at a table, from [`BEGINS`] on.
    pub(crate) fn plays(&mut self, idx: usize, script: &[(Mono, Happening)]) {
        let later = |(at, what): &(Mono, Happening)| (later(*at), idx, what.clone());
        self.script.extend(script.iter().map(later));
        self.script.make_contiguous().sort_by_key(|(at, ..)| *at);
    }

    /// Whoever asks has ended, and another one asks from now on, who knows nothing.
    pub(crate) fn asked_anew(&mut self) {
        let n = u16::try_from(self.line.n_tables()).expect("as many as there are addresses");
        self.bus = BusLine::new(&(FIRST..FIRST + n).collect::<Vec<_>>());
        self.bus.link_up(self.now);
    }

    pub(crate) fn spoiled(&mut self, noise: Option<Noise>) {
        self.noise = noise;
    }

    /// From now on the host is busy with something else, once in so many times.
    pub(crate) fn with_stalls(&mut self, seed: u64, one_in: u32) {
        self.stalls = Some((fastrand::Rng::with_seed(seed), one_in));
    }

    pub(crate) fn order(&mut self, idx: usize, command: &BoardCommand) {
        self.bus.order(self.now, idx, &command.encode());
        self.exchange(self.now);
    }

    pub(crate) fn last(&self) -> Mono {
        self.script.back().map_or(self.now, |(at, ..)| *at)
    }

    /// Time passes up to this moment.
    pub(crate) fn run_until(&mut self, until: Mono) {
        loop {
            let games = self.recorders.iter().filter_map(|it| it.game.wake_at()).min();
            let hands = self.script.front().map(|(at, ..)| *at);
            let host = [games, self.bus.wake_at()].into_iter().flatten().min();
            let host = host.map(|at| at.max(self.held_until));
            let next = [hands, self.line.next_at(), host];
            let next = next.into_iter().flatten().min().filter(|at| *at <= until);
            let Some(next) = next else { break };
            let now = next.max(self.now);
            if self.now < BEGINS && now >= BEGINS {
                for idx in 0..self.line.n_tables() {
                    self.line.table_mut(idx).begin(BEGINS);
                }
            }
            self.now = now;
            self.step(now);
        }
        self.now = until;
    }

    fn step(&mut self, now: Mono) {
        while let Some((_, idx, what)) = self.script.pop_front_if(|(at, ..)| *at <= now) {
            self.line.happen(now, idx, &what);
        }
        self.line.tick(now);
        let mut bytes = Vec::new();
        self.line.take(now, &mut bytes);
        if let Some(noise) = &mut self.noise {
            noise.spoil(&mut bytes);
        }
        self.held.extend(bytes);
        if now < self.held_until {
            return;
        }
        let bytes = std::mem::take(&mut self.held);
        if let Some((rng, one_in)) = self.stalls.as_mut().filter(|_| self.held_until < now)
            && rng.u32(0..*one_in) == 0
        {
            self.held_until = now + Duration::from_millis(rng.u64(10..400));
            self.held = bytes;
            return;
        }
        // Whoever was held up may look at the time first.
        let is_late = self.stalls.as_mut().is_some_and(|(rng, _)| rng.bool());
        if is_late {
            self.bus.on_timeout(now);
        }
        if !bytes.is_empty() {
            self.bus.on_bytes(now, &bytes);
        }
        self.bus.on_timeout(now);
        for idx in 0..self.recorders.len() {
            if self.recorders[idx].game.wake_at().is_some_and(|at| at <= now) {
                self.event(now, idx, &Event::Timeout);
            }
        }
        self.exchange(now);
    }

    fn exchange(&mut self, now: Mono) {
        while let Some((idx, news)) = self.bus.poll() {
            match &news {
                BusNews::Up => self.ups.push((now, idx, None)),
                BusNews::Down(fault) => self.ups.push((now, idx, Some(*fault))),
                _ => {}
            }
            if self.recorders.is_empty() {
                if let BusNews::Said(message) = news {
                    self.told.push((now, idx, message));
                }
                continue;
            }
            match news {
                BusNews::Up => {
                    self.recorders[idx].ear.forget();
                    self.event(now, idx, &Event::LinkUp);
                }
                BusNews::Down(_) => self.event(now, idx, &Event::LinkDown),
                BusNews::Noise => self.event(now, idx, &Event::Noise),
                BusNews::Said(message) => {
                    let Recorder { game, ear, effects, .. } = &mut self.recorders[idx];
                    ear.hear(stamp(now), &message.encode(), game, effects);
                    self.carry_out(now, idx);
                }
            }
        }
        for mut bytes in self.bus.take_sent() {
            self.n_sent += 1;
            if let Some(noise) = &mut self.noise {
                noise.spoil(&mut bytes);
            }
            self.line.host_bytes(now, &bytes);
        }
    }

    fn event(&mut self, now: Mono, idx: usize, event: &Event) {
        let Recorder { game, effects, .. } = &mut self.recorders[idx];
        game.handle(stamp(now), event, effects);
        self.carry_out(now, idx);
    }

    fn carry_out(&mut self, now: Mono, idx: usize) {
        for effect in std::mem::take(&mut self.recorders[idx].effects) {
            match effect {
                Effect::Record(mut entry) => {
                    // Hands count from the beginning of their script.
                    entry.at.mono = Mono::default() + entry.at.mono.since(BEGINS);
                    self.recorders[idx].entries.push(entry);
                }
                Effect::Send(bytes) => self.bus.order(now, idx, &bytes),
                Effect::Reopen => {
                    self.event(now, idx, &Event::LinkDown);
                    if self.bus.is_up(idx) {
                        self.event(now + REOPEN_AFTER, idx, &Event::LinkUp);
                    }
                }
                Effect::Show | Effect::Clock(_) => {}
            }
        }
    }

    /// What is on record of each game.
    pub(crate) fn replays(self) -> Vec<Replay> {
        let replay = |it: Recorder| Replay { entries: it.entries, game: it.game };
        self.recorders.into_iter().map(replay).collect()
    }
}

/// A moment of a script, in the time of the line.
pub(crate) fn later(at: Mono) -> Mono {
    BEGINS + at.since(Mono::default())
}

fn stamp(at: Mono) -> Stamp {
    Stamp { mono: at, wall: Wall(i64::try_from(at.0).unwrap_or(i64::MAX)) }
}
