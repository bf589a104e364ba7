//! Whatever the program wrote, it reads: a closed loop of a board that sends damaged bytes, people
//! who enter anything, names out of any alphabet, and a machine that goes down at any call.
//!
//! After each life `verify` calls the record sound, the reader gives back what was written, every
//! line tells the fact it was made from, the facts fold without a contradiction into the game that
//! the core believed in, and the next start has all of that. `ROKADE_LOOP_GAMES`, and
//! `ROKADE_LOOP_SEED` for the first of the seeds, play more.

use super::disk::{MemStorage, Survival};
use super::{SMALL, boot};
use rokade::clock::ClockNote;
use rokade::game::{Ear, Effect, Entry, Event, Fact, Game, ScoreSheet, Settings};
use rokade::laws::act::CHAPTERS;
use rokade::laws::notation::Language;
use rokade::laws::{Act, Terms};
use rokade::relay::log::Log;
use rokade::relay::record::Record;
use rokade::shell::journal::{Journal, JournalReader, verify};
use rokade::shell::record::{self, Games, Nonsense};
use rokade::sim::games::random_game_from;
use rokade::sim::hands;
use rokade::sim::script::Happening;
use rokade::sim::table::Table;
use rokade::sim::{Manners, TableKind};
use rokade::table::{Sight, Times};
use rokade::time::{Mono, Stamp, Wall};
use rokade::track::line::CompletedBy;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess};
use std::time::Duration;

const N_GAMES: u64 = 60;
/// One call in so many is the last before the power goes.
const CALLS_TO_A_CRASH: u64 = 60;

/// What came of many games.
#[derive(Debug, Default)]
struct Sum {
    n_games: u64,
    n_crashes: u64,
    n_orders: u64,
    n_lines: u64,
    n_bytes_hurt: u64,
}

/// Texts that people put into a configuration, or that a wrong code page makes of them.
fn text(rng: &mut fastrand::Rng) -> String {
    let odd = [
        "",
        "Carlsen, M",
        "\u{8e}i\u{9e}ek",
        "O\u{92}Kelly",
        "a\u{7f}b",
        "\u{1b}[31mred",
        "x\ny",
        "\u{202e}desrever",
        "\"quoted\\\"",
        "{}",
        "\u{0}",
        "\u{feff}",
        "\u{2028}",
        "王",
        "🙂",
        "1\u{85}2",
        "tab\there",
    ];
    match rng.u8(0..20) {
        0 => odd[rng.usize(..odd.len())].repeat(rng.usize(1..400)),
        1..8 => (0..rng.usize(..40)).map(|_| rng.char(..)).collect(),
        _ => odd[rng.usize(..odd.len())].to_owned(),
    }
}

fn order(rng: &mut fastrand::Rng, n_plies: usize) -> Result<Act, String> {
    let lessons: Vec<&str> =
        CHAPTERS.iter().flat_map(|chapter| chapter.lessons).map(|lesson| lesson.example).collect();
    let mut words = lessons[rng.usize(..lessons.len())].to_owned();
    if rng.u8(0..4) == 0 {
        words = words.split(' ').map(|word| word.to_owned() + " ").collect();
        words += &text(rng);
    }
    if rng.u8(0..3) == 0 {
        words = words.replace("12", &rng.usize(..n_plies + 3).to_string());
    }
    Act::read(&words, &text(rng), &text(rng)).map_err(|e| e.to_string())
}

/// One start of the program, until it goes down.
struct Life {
    game: Game,
    ear: Ear,
    effects: Vec<Effect>,
    games: Games,
    log: Log,
    journal: Journal<MemStorage>,
    /// When it began, in the time of the table.
    born: Mono,
    /// What was put on record, with what the arbiter was told: as it must be read back.
    written: Vec<(String, Option<String>)>,
    /// How many of them were said to be kept.
    n_kept: usize,
}

/// What a reader makes of the journal in `disk`.
fn read(disk: &MemStorage) -> (Games, Log, Vec<(String, Option<String>)>) {
    let (mut games, mut log, mut lines) = (Games::default(), Log::default(), Vec::new());
    let mut nonsense = Nonsense::default();
    let mut reader = JournalReader::new(disk.clone());
    loop {
        let more = reader.poll().unwrap();
        if more.is_empty() {
            break;
        }
        for line in more {
            let entry = record::entry_of(&line).unwrap_or_else(|| panic!("unread: {}", line.body));
            let why = games.take(&entry).nonsense;
            nonsense.note(line.seq, &entry.fact, why);
            lines.push((line.body, log.line(&entry.fact)));
        }
    }
    assert_eq!(nonsense.all(), None);
    (games, log, lines)
}

impl Life {
    fn begin(disk: &MemStorage, settings: &Settings, born: Mono) -> Option<Self> {
        let (mut games, mut log, mut written) = (Games::default(), Log::default(), Vec::new());
        let opened = Journal::open_with(disk.clone(), boot(), SMALL, &mut |line| {
            let entry = record::entry_of(&line).expect("an entry");
            assert_eq!(games.take(&entry).nonsense, None, "line {}", line.seq);
            written.push((line.body, log.line(&entry.fact)));
        });
        let (journal, _) = opened.ok()?;
        let game = games.clone().into_fold().into_game(settings.clone());
        let n_kept = written.len();
        let (ear, effects) = (Ear::default(), Vec::new());
        Some(Self { game, ear, effects, games, log, journal, born, written, n_kept })
    }

    fn stamp(&self, at: Mono) -> Stamp {
        let mono = Mono::default() + at.since(self.born);
        Stamp { mono, wall: Wall(1_790_000_000_000_000 + i64::try_from(at.0).unwrap()) }
    }

    fn handle(&mut self, at: Mono, event: &Event) {
        self.game.handle(self.stamp(at), event, &mut self.effects);
    }

    fn hear(&mut self, at: Mono, bytes: &[u8]) {
        self.ear.hear(self.stamp(at), bytes, &mut self.game, &mut self.effects);
    }

    fn wake_at(&self) -> Option<Mono> {
        self.game.wake_at().map(|due| self.born + due.since(Mono::default()))
    }

    /// Puts on record what is to be, and hands back what is to be sent and whether the line is to
    /// be opened anew.
    fn carry_out(&mut self) -> (Vec<u8>, bool) {
        let (mut sent, mut wants_reopen, mut lines) = (Vec::new(), false, Vec::new());
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Record(entry) => lines.push(self.note(&entry)),
                Effect::Send(bytes) => sent.extend(bytes),
                Effect::Reopen => wants_reopen = true,
                Effect::Show | Effect::Clock(_) => {}
            }
        }
        self.journal.append(&lines).expect("whatever is said can be kept");
        if self.journal.commit().is_ok() {
            self.n_kept = self.written.len();
        }
        (sent, wants_reopen)
    }

    /// The last lines, for whoever looks for what went wrong.
    fn latest(&self) -> Vec<&str> {
        let first = self.written.len().saturating_sub(60);
        self.written[first..].iter().map(|(body, _)| &**body).collect()
    }

    fn note(&mut self, entry: &Entry) -> rokade::shell::journal::NewLine {
        let nonsense = self.games.take(entry).nonsense;
        assert_eq!(nonsense, None, "{entry:?}, after {:#?}", self.latest());
        let said = self.log.line(&entry.fact);
        let line = record::line_of(entry);
        // What it says is what a reader makes of it: the same document of the same fact.
        let record: Record = serde_json::from_str(&line.body).unwrap();
        assert_eq!(record.to_json(), line.body);
        self.written.push((line.body.clone(), said));
        line
    }

    /// The record on `disk` is what this life has written, at least as far as it was kept.
    fn check(&self, disk: &MemStorage) {
        let verdict = verify(disk).unwrap();
        assert!(verdict.is_sound(), "{verdict}");
        let (games, _, lines) = read(disk);
        assert!(lines.len() >= self.n_kept, "{} of {}", lines.len(), self.n_kept);
        let value = |text: &String| serde_json::from_str::<serde_json::Value>(text).unwrap();
        for ((body, said), (read, told)) in self.written.iter().zip(&lines) {
            assert_eq!((value(body), said), (value(read), told));
        }
        if lines.len() == self.written.len() {
            let pgn =
                |games: &Games| games.current().as_ref().map(|it| it.to_pgn(Language::English));
            assert_eq!(pgn(&games), pgn(&self.games));
            let believed = self.game.play().map(|play| play.sheet().moves().to_vec());
            let folded = games.current().map(|game| game.sheet.moves().to_vec());
            let uci = |moves: Vec<rokade::game::Scored>| -> Vec<String> {
                moves.iter().map(|scored| scored.uci.to_string()).collect()
            };
            assert_eq!(folded.map(uci), believed.map(uci));
        }
    }
}

/// The machine and what is plugged into it.
struct World {
    rng: fastrand::Rng,
    settings: Settings,
    disk: MemStorage,
    life: Life,
    table: Table,
    sum: Sum,
    /// One byte of so many is hurt; 0 for none.
    hurts: u32,
}

impl World {
    fn new(seed: u64) -> (Self, hands::Performance) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let sight = if rng.u8(0..4) == 0 { Sight::Occupied } else { Sight::Pieces };
        let kind = TableKind { sight, has_clock: rng.u8(0..4) > 0 };
        let manners =
            Manners::named(Manners::NAMES[rng.usize(..Manners::NAMES.len())]).expect("manners");
        let moves = random_game_from(&Chess::default(), seed, rng.usize(4..30));
        let end = [None, Some(shakmaty::KnownOutcome::Draw)][rng.usize(..2)];
        let mode = CastlingMode::Standard;
        let played = hands::perform(&Chess::default(), mode, &moves, end, &manners, kind, seed);
        let settings = Settings {
            white: text(&mut rng),
            black: text(&mut rng),
            event: text(&mut rng),
            round: text(&mut rng),
            terms: (rng.u8(0..3) > 0).then(Terms::default),
            time_control: (rng.u8(0..3) == 0).then(|| "5m+3s".parse().expect("a time control")),
            ..Settings::default()
        };
        let disk = MemStorage::new();
        let life = Life::begin(&disk, &settings, Mono::default()).expect("an empty disk");
        let mut table = Table::new(&played.script.header);
        table.begin(Mono::default());
        let hurts = [0, 30, 300, 3_000][rng.usize(..4)];
        (Self { rng, settings, disk, life, table, sum: Sum::default(), hurts }, played)
    }

    fn play(&mut self, played: &hands::Performance) {
        let mut happenings = played.script.happenings.iter().peekable();
        let last = played.script.happenings.last().expect("a game").0;
        let end = last + Duration::from_secs(20);
        let mut order_at = Mono::from_millis(self.rng.u64(0..=last.millis()));
        self.plan_crash();
        self.life.handle(Mono::default(), &Event::LinkUp);
        self.carry_out(Mono::default());
        let mut clock = Mono::default();
        loop {
            let happens = happenings.peek().map(|(at, _)| *at);
            let due = [happens, self.table.next_at(), self.life.wake_at(), Some(order_at)];
            let due = due.into_iter().flatten().min().expect("orders come for ever");
            let now = due.max(clock);
            if now > end {
                return;
            }
            if happens == Some(due) {
                let (_, happening) = happenings.next().expect("it was peeked");
                if let Some(event) = self.table.happen(now, happening) {
                    self.life.handle(now, &event);
                }
                if matches!(happening, Happening::End) {
                    self.hurts = 0;
                }
            } else if self.table.next_at() == Some(due) {
                self.pass(now);
            } else if order_at == due {
                self.order(now);
                order_at = now + Duration::from_millis(self.rng.u64(1..=20_000));
            } else {
                clock = now + self.lateness();
                self.life.handle(clock, &Event::Timeout);
                let wake = self.life.wake_at();
                assert!(wake.is_none_or(|wake| wake > clock), "a timer in the past at {clock}");
            }
            clock = clock.max(now);
            self.carry_out(clock);
        }
    }

    /// How late a loop is that has other things to do.
    fn lateness(&mut self) -> Duration {
        match self.rng.u8(0..8) {
            0 => Duration::from_millis(self.rng.u64(1..3_000)),
            1 => Duration::from_micros(self.rng.u64(1..1_000)),
            _ => Duration::ZERO,
        }
    }

    fn order(&mut self, now: Mono) {
        let n_plies = self.life.game.play().map_or(0, |play| play.sheet().len());
        if let Ok(act) = order(&mut self.rng, n_plies) {
            let (author, reason) = (text(&mut self.rng), text(&mut self.rng));
            self.sum.n_orders += 1;
            self.life.handle(now, &Event::Entered { author, reason });
            self.life.handle(now, &Event::Act(act));
        }
    }

    /// Lets the clock go on and the bytes arrive, some of them hurt.
    fn pass(&mut self, now: Mono) {
        if let Some(event) = self.table.tick(now) {
            self.life.handle(now, &event);
        }
        let mut bytes = Vec::new();
        if let Some(board) = self.table.board_mut() {
            board.take(now, &mut bytes);
        }
        let mut heard = Vec::with_capacity(bytes.len());
        for byte in bytes {
            let is_hurt = self.hurts > 0 && self.rng.u32(..self.hurts) == 0;
            self.sum.n_bytes_hurt += u64::from(is_hurt);
            match is_hurt.then(|| self.rng.u8(0..3)) {
                None => heard.push(byte),
                Some(0) => {}
                Some(1) => heard.push(self.rng.u8(..)),
                Some(_) => heard.extend([byte, self.rng.u8(..)]),
            }
        }
        if !heard.is_empty() {
            self.life.hear(now, &heard);
        }
    }

    fn plan_crash(&mut self) {
        self.disk.cut_power_at(self.rng.u64(1..=2 * CALLS_TO_A_CRASH));
    }

    fn carry_out(&mut self, now: Mono) {
        let (sent, wants_reopen) = self.life.carry_out();
        if let (Some(board), false) = (self.table.board_mut(), sent.is_empty()) {
            board.host_bytes(now, &sent);
        }
        if wants_reopen {
            self.life.handle(now, &Event::LinkDown);
            self.life.ear.forget();
            self.life.handle(now, &Event::LinkUp);
        }
        if self.disk.is_off() {
            self.crash(now);
        }
    }

    /// The machine goes down and comes up again, perhaps not at the first attempt.
    fn crash(&mut self, now: Mono) {
        let survival = match self.rng.u8(0..4) {
            0 => Survival::Nothing,
            1 => Survival::Everything,
            _ => Survival::Torn(self.rng.u64(..)),
        };
        self.sum.n_crashes += 1;
        self.disk = self.disk.after_power_cut(survival);
        self.life.check(&self.disk);
        if self.rng.u8(0..4) == 0 {
            self.disk.cut_power_at(self.rng.u64(1..6));
            drop(Life::begin(&self.disk, &self.settings, now));
            self.disk = self.disk.after_power_cut(Survival::Torn(self.rng.u64(..)));
        }
        self.life = Life::begin(&self.disk, &self.settings, now).expect("it starts");
        self.plan_crash();
        self.life.handle(now, &Event::LinkUp);
    }
}

#[test]
fn whatever_is_written_is_read_back() {
    let env = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first: u64 = env("ROKADE_LOOP_SEED").unwrap_or(1);
    let n_games = env("ROKADE_LOOP_GAMES").unwrap_or(N_GAMES);
    let mut all = Sum::default();
    for seed in first..first + n_games {
        let played = std::panic::catch_unwind(|| {
            let (mut world, played) = World::new(seed);
            world.play(&played);
            world.life.check(&world.disk);
            world.sum.n_lines = world.life.written.len() as u64;
            world.sum
        });
        let sum = played.unwrap_or_else(|_| panic!("seed {seed}: ROKADE_LOOP_SEED={seed}"));
        all.n_games += 1;
        all.n_crashes += sum.n_crashes;
        all.n_orders += sum.n_orders;
        all.n_lines += sum.n_lines;
        all.n_bytes_hurt += sum.n_bytes_hurt;
    }
    println!("{all:?}");
    assert!(all.n_crashes >= all.n_games / 2, "{all:?}");
}

/// Records of every kind, as they have been written from the beginning, are read and written so, up
/// to the words of their sentences.
#[test]
fn records_are_what_they_have_always_been() {
    let wordless = |line: &str| match line.split_once(",\"text\":\"") {
        Some((before, rest)) => before.to_owned() + &rest[rest.rfind('"').unwrap() - 1..],
        None => line.to_owned(),
    };
    for line in include_str!("../../tables/records.jsonl").lines() {
        let read = serde_json::from_str::<Record>(line);
        let record = read.unwrap_or_else(|why| panic!("{line}: {why}"));
        assert_eq!(wordless(&record.to_json()), wordless(line));
    }
}

/// The control: a fact that is written in another way than it is read does not get through.
#[test]
fn a_line_that_tells_less_than_it_should_is_noticed() {
    let fact = Fact::Act(Act::Announced { by: shakmaty::Color::White, words: "check".to_owned() });
    let json = Record::new(0, &fact).to_json().replace("check", "mate");
    let read = serde_json::from_str::<Record>(&json).unwrap().fact;
    assert_ne!(read, fact);
}

/// A clock's time has fractions that no record keeps.
#[test]
fn a_time_is_told_the_same_once_it_is_read() {
    let both = |span| Times { white: span, black: span };
    let shown = both(Duration::from_secs(5_760));
    for micros in [0, 1, 300, 999, 1_000, 999_999] {
        let estimated = both(Duration::from_micros(5_706_000_000 + micros));
        let fact = Fact::ClockNote(ClockNote::Back { estimated, shown });
        let json = Record::new(0, &fact).to_json();
        let read = serde_json::from_str::<Record>(&json).unwrap().fact;
        assert_eq!(Record::new(0, &read).to_json(), json);
    }
}

/// A half-move that took 2.9995 s between moments that the record keeps as 3 s apart took 3 s.
#[test]
fn a_half_move_took_as_long_once_it_is_read() {
    let micros = |n| Mono::default() + Duration::from_micros(n);
    let took = |first: Mono, second: Mono| {
        let mut sheet = ScoreSheet::new(Chess::default(), CastlingMode::Standard);
        for uci in ["e2e4", "e7e5"] {
            let uci: UciMove = uci.parse().unwrap();
            let m = uci.to_move(sheet.last()).unwrap();
            sheet.push(m, Vec::new());
        }
        sheet.complete(1, first, CompletedBy::Press, None);
        sheet.complete(2, second, CompletedBy::Press, None);
        sheet.moves()[1].completed.unwrap().elapsed.unwrap()
    };
    for (first, second) in [(1_000_900, 4_000_400), (1_000_400, 4_000_900), (999_999, 1_000_000)] {
        let (first, second) = (micros(first), micros(second));
        let read = |at: Mono| Mono::from_millis(at.millis());
        assert_eq!(took(first, second), took(read(first), read(second)));
    }
}
