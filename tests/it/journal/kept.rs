//! Nothing is shown that is not kept, everything that can be said can be kept, and no record keeps
//! the program from going on.

use super::disk::{Call, MemStorage};
use super::{LONG, open};
use crate::program::LIMIT;
use rokade::game::entry::Basis;
use rokade::game::{Delay, Effect, Entry, Event, Fact, Game, Keeping, RoundDelays, Settings};
use rokade::laws::notation::Language;
use rokade::relay::livechess::Live;
use rokade::relay::log::Log;
use rokade::shell::backoff::Backoff;
use rokade::shell::disk::Disk;
use rokade::shell::gate::{self, Gate};
use rokade::shell::http::ShownView;
use rokade::shell::journal::{
    Batch, Journal, Limits, NewLine, Position, Reached, Writer, WriterEvent,
};
use rokade::shell::now::Now;
use rokade::shell::past::PastGames;
use rokade::shell::publish::{After, Echo, Publisher, SentBatch};
use rokade::shell::record::{self, Games, Nonsense};
use rokade::shell::status::Status;
use rokade::table::Placement;
use rokade::time::{Mono, Stamp, Wall};
use shakmaty::{Board, ByColor, Color};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

fn at(ms: u64) -> Stamp {
    Stamp { mono: Mono::from_millis(ms), wall: Wall(1_790_000_000_000_000) }
}

/// What a game with these names puts on record when the board is first seen.
fn begun(settings: Settings) -> Vec<Entry> {
    let mut game = Game::new(settings);
    let mut effects = Vec::new();
    let start = Placement::from(Board::new());
    game.handle(at(0), &Event::Pictured(start), &mut effects);
    for ms in 1..400 {
        game.handle(at(ms * 50), &Event::Timeout, &mut effects);
    }
    let entries: Vec<Entry> = effects
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Record(entry) => Some(entry),
            _ => None,
        })
        .collect();
    assert!(entries.iter().any(|entry| matches!(entry.fact, Fact::GameStarted { .. })));
    entries
}

fn fold(disk: &MemStorage) -> (Games, Nonsense) {
    let (mut games, mut nonsense) = (Games::default(), Nonsense::default());
    let (_, lines, _) = open(disk.clone(), LONG).unwrap();
    for line in &lines {
        let entry = record::entry_of(line).expect("an entry");
        let why = games.take(&entry).nonsense;
        nonsense.note(line.seq, &entry.fact, why);
    }
    (games, nonsense)
}

/// Names in which a wrong code page has left characters that steer a terminal, or of any length:
/// such a game once was shown to its end and could not be read afterwards.
#[test]
fn a_game_of_any_names_is_kept_and_read_back() {
    for name in ["\u{8e}i\u{9e}ek".to_owned(), "O\u{92}Kelly\u{7f}".to_owned(), "x".repeat(300_000)]
    {
        let disk = MemStorage::new();
        let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
        let mut entries = begun(Settings { white: name.clone(), ..Settings::default() });
        entries.push(Entry { at: at(30_000), fact: Fact::Identified { serial: "a\u{7f}".into() } });
        let lines: Vec<NewLine> = entries.iter().map(record::line_of).collect();
        journal.append(&lines).unwrap();
        journal.commit().unwrap();
        drop(journal);
        let (games, nonsense) = fold(&disk);
        assert_eq!(nonsense.all(), None);
        let white = games.current().unwrap().tags.white;
        assert!(name.starts_with(white.trim_end_matches('\u{2026}')) && white.len() >= 6);
    }
}

/// Names of a record that another program has written, or an older one, steer no terminal, break no
/// line and turn no text: not in the log, nor in the PGN. Site and round are in it too.
#[test]
fn names_are_shown_as_text_and_the_pgn_has_all_tags() {
    let name = "Kis\u{1b}[2J\u{85}\nAB \u{202e}desrever\"\\";
    let settings = Settings {
        white: name.to_owned(),
        site: "Wijk aan Zee".to_owned(),
        round: "7.2".to_owned(),
        ..Settings::default()
    };
    let (mut games, mut log) = (Games::default(), Log::default());
    let mut lines = Vec::new();
    for entry in begun(settings) {
        lines.extend(log.line(&entry.fact));
        games.take(&entry);
    }
    let pgn = games.current().unwrap().to_pgn(Language::English);
    assert!(lines.iter().any(|line| line.contains("Kis")), "{lines:?}");
    for line in lines.iter().map(String::as_str).chain(pgn.lines()) {
        let steers = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!line.contains(steers), "{line:?}");
    }
    let white = r#"[White "Kis\\u{1b}[2J\\u{85}\\u{a}AB \\u{202e}desrever\"\\"]"#;
    for tag in [white, "[Site \"Wijk aan Zee\"]", "[Round \"7.2\"]"] {
        assert!(pgn.lines().any(|line| line == tag), "{tag} is missing\n{pgn}");
    }
}

fn moved(ply: usize, uci: &str) -> Fact {
    Fact::MoveMade {
        ply,
        uci: uci.to_owned(),
        san: String::new(),
        is_illegal: false,
        basis: Basis::Quiet,
        released_before: Duration::ZERO,
        alternatives: Vec::new(),
    }
}

/// The record of a program that lost the beginning of a game, and of one that went on with a game
/// that had been closed.
#[test]
fn lines_that_make_no_sense_are_passed_over_and_said() {
    let disk = MemStorage::new();
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    let facts = [
        moved(1, "e2e4"),
        moved(2, "e7e5"),
        moved(7, "a2a3"),
        moved(3, "g1f3"),
        moved(4, "a1a8"),
        Fact::GameClosed,
        moved(5, "b8c6"),
        Fact::MoveRetracted { ply: 5 },
    ];
    let lines: Vec<NewLine> = (0..)
        .zip(facts)
        .map(|(n, fact)| record::line_of(&Entry { at: at(n * 1_000), fact }))
        .collect();
    journal.append(&lines[..5]).unwrap();
    journal.commit().unwrap();
    let (games, nonsense) = {
        drop(journal);
        fold(&disk)
    };
    let game = games.current().unwrap();
    assert_eq!((game.number, game.sheet.len()), (1, 3));
    assert!(
        game.to_pgn(Language::English).contains("1. e4 e5 2. Nf3"),
        "{}",
        game.to_pgn(Language::English)
    );
    let found = nonsense.news().unwrap();
    assert!(matches!(found, Keeping::Nonsense { first: 1, last: 5, n: 3, .. }), "{found:?}");
    // The game goes on from there.
    let sheet = games.into_fold().into_game(Settings::default());
    assert_eq!(sheet.play().unwrap().sheet().len(), 3);
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    journal.append(&lines[5..]).unwrap();
    journal
        .append(&[record::line_of(&Entry {
            at: at(9_000),
            fact: Fact::Record(Keeping::Nonsense { first: 1, last: 8, n: 5, why: "so".into() }),
        })])
        .unwrap();
    journal.commit().unwrap();
    drop(journal);
    // Once it is on record, it is no news any more.
    let (_, nonsense) = fold(&disk);
    assert!(nonsense.all().is_some());
    assert_eq!(nonsense.news(), None);
}

/// A publisher with the ends of what it publishes.
struct Public {
    view: watch::Receiver<Arc<ShownView>>,
    status: watch::Receiver<Status>,
    running: tokio::task::JoinHandle<()>,
}

impl Public {
    /// Waits until the recording stands so.
    async fn says(&mut self, is_so: impl FnMut(&Status) -> bool) -> Status {
        let said = tokio::time::timeout(LIMIT, self.status.wait_for(is_so)).await;
        said.expect("in time").unwrap().clone()
    }
}

/// Publishes what `events` say is kept, of which the entries were `sent`.
fn publish(
    events: mpsc::UnboundedReceiver<WriterEvent<After>>,
    sent: mpsc::UnboundedReceiver<SentBatch>,
) -> Public {
    let shown = ShownView { text: "0".to_owned(), made: Instant::now(), is_behind: false };
    let (view, views) = watch::channel(Arc::new(shown));
    let (status, statuses) = watch::channel(Status::default());
    let publisher = Publisher {
        name: "table-1".to_owned(),
        echo: Echo::Tracing,
        view,
        status,
        late: None,
        reached: watch::channel(Reached::default()).1,
        safe: watch::channel(Position::default()).0,
        delays: Arc::default(),
        sent,
    };
    let running = tokio::spawn(publisher.run(events));
    Public { view: views, status: statuses, running }
}

/// The same of what is written to `journal`.
fn write(disk: &Disk, journal: Journal<MemStorage>) -> (Writer<After, MemStorage>, Public) {
    let at_once = Backoff::new(Duration::ZERO, Duration::from_millis(5));
    let (writer, events) = Writer::start(disk, journal, at_once);
    (writer, publish(events, mpsc::unbounded_channel().1))
}

fn news(n: u64, body: &str) -> Batch<After> {
    let shown = ShownView { text: n.to_string(), made: Instant::now(), is_behind: false };
    let (rendered, news) = oneshot::channel();
    rendered.send(Arc::new(shown)).unwrap();
    let after = After { shown: Some(news), ..After::default() };
    Batch { lines: vec![NewLine { stamp: at(n), body: body.to_owned() }], after }
}

#[tokio::test]
async fn the_public_sees_nothing_that_the_disk_does_not_have() {
    for call in [Call::Create, Call::Write, Call::SyncData, Call::SyncDir] {
        let threads = Disk::start().unwrap();
        let disk = MemStorage::new();
        let (journal, ..) = open(disk.clone(), LONG).unwrap();
        disk.fail(call, 1, u64::MAX);
        let (writer, mut public) = write(&threads, journal);
        for n in 1..=20 {
            writer.send(news(n, "{}")).await.unwrap();
        }
        // Whoever reads the page while the disk fails sees what was there before.
        while disk.n_calls(call) < 4 {
            tokio::task::yield_now().await;
        }
        assert_eq!(public.view.borrow().text, "0", "{call:?}");
        disk.mend();
        public.view.wait_for(|shown| shown.text == "20").await.unwrap();
        assert_eq!(writer.finish().await.unwrap().position().seq, 20);
        public.running.await.unwrap();
    }
}

#[tokio::test]
async fn a_batch_that_cannot_be_kept_is_never_shown_nor_what_rests_on_it() {
    let threads = Disk::start().unwrap();
    let (journal, ..) = open(MemStorage::new(), LONG).unwrap();
    let (writer, mut public) = write(&threads, journal);
    writer.send(news(1, "{}")).await.unwrap();
    public.view.wait_for(|shown| shown.text == "1").await.unwrap();
    writer.send(news(2, "no object")).await.unwrap();
    writer.send(news(3, "{}")).await.unwrap();
    assert_eq!(writer.finish().await.unwrap().position().seq, 2);
    public.running.await.unwrap();
    assert_eq!(public.view.borrow().text, "1");
}

#[test]
fn a_memory_that_is_full_refuses_the_batch() {
    let disk = MemStorage::new();
    let (journal, ..) = open(disk.clone(), Limits { waiting: 2, ..LONG }).unwrap();
    disk.fail(Call::Create, 1, u64::MAX);
    let threads = Disk::start().unwrap();
    let never = Backoff::new(Duration::from_secs(99), Duration::from_secs(99));
    let (writer, mut events) = Writer::start(&threads, journal, never);
    for n in 0..3 {
        let line = NewLine { stamp: at(n), body: "{}".to_owned() };
        writer.blocking_send(Batch { lines: vec![line], after: n }).unwrap();
    }
    drop(writer.blocking_finish());
    let mut refused = false;
    while let Some(event) = events.blocking_recv() {
        match event {
            WriterEvent::Refused { .. } => refused = true,
            WriterEvent::Written { after, durable, .. } => assert!(!durable || after < 2),
            _ => {}
        }
    }
    assert!(refused);
}

/// A disk is full before anything is recorded: that is said, once, and taken back once it has room.
#[tokio::test]
async fn a_disk_that_is_full_before_anything_is_recorded_is_said() {
    let threads = Disk::start().unwrap();
    let disk = MemStorage::new();
    let (journal, ..) = open(disk.clone(), LONG).unwrap();
    disk.fill(true);
    let (writer, mut public) = write(&threads, journal);
    let lacks =
        |status: &Status| status.room.as_ref().is_some_and(|it| it.contains("no disk space"));
    let said = public.says(lacks).await;
    assert!(said.warning().unwrap().contains("cannot keep room in reserve"), "{said:?}");
    assert!(!said.is_ready() && said.disk.is_none(), "{said:?}");
    let n_tries = disk.n_calls(Call::Create);
    while disk.n_calls(Call::Create) < n_tries + 3 {
        tokio::task::yield_now().await;
    }
    assert!(!public.status.has_changed().unwrap(), "it is said again");
    disk.fill(false);
    public.says(|status| status.room.is_none()).await;
    disk.fill(true);
    let is_used = |status: &Status| status.room.as_ref().is_some_and(|it| it.contains("is full"));
    writer.send(news(1, "{}")).await.unwrap();
    public.view.wait_for(|shown| shown.text == "1").await.unwrap();
    public.says(is_used).await;
    disk.fill(false);
    public.says(|status| status.room.is_none()).await;
    writer.finish().await.unwrap();
    public.running.await.unwrap();
}

/// A disk that stands still gives no event at all: it is said, the public sees nothing, and all is
/// well again once it answers.
#[tokio::test(start_paused = true)]
async fn a_disk_that_stands_still_is_said_apart() {
    let (events, received) = mpsc::unbounded_channel();
    let (sending, sent) = mpsc::unbounded_channel();
    let mut public = publish(received, sent);
    for n in 1..=3 {
        sending.send(SentBatch::now(vec![format!("line {n}")])).unwrap();
    }
    let stalled = public.says(|status| status.disk.is_some()).await;
    assert_eq!(stalled.disk.as_deref(), Some("the disk does not answer"));
    assert_eq!(public.view.borrow().text, "0");
    for n in 1..=3 {
        let Batch { after, .. } = news(n, "{}");
        events.send(WriterEvent::Written { after, durable: true, at: Instant::now() }).unwrap();
    }
    public.says(|status| status.disk.is_none()).await;
    // One that is answered in time is not spoken of.
    sending.send(SentBatch::now(Vec::new())).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    events
        .send(WriterEvent::Written { after: After::default(), durable: true, at: Instant::now() })
        .unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(public.status.borrow().disk.is_none() && public.view.borrow().text == "3");
    drop((events, sending));
    public.running.await.unwrap();
}

/// The disk does not wait for what is rendered, nor the public for what will never be.
#[tokio::test(start_paused = true)]
async fn what_is_rendered_after_the_disk_has_it_is_shown_in_its_turn() {
    let (events, received) = mpsc::unbounded_channel();
    let mut public = publish(received, mpsc::unbounded_channel().1);
    let (rendered, slow) = oneshot::channel();
    let (never, failed) = oneshot::channel();
    drop(never);
    let written = |after| WriterEvent::Written { after, durable: true, at: Instant::now() };
    events.send(written(After { shown: Some(slow), ..After::default() })).unwrap();
    events.send(written(After { shown: Some(failed), ..After::default() })).unwrap();
    events.send(written(news(3, "{}").after)).unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(public.view.borrow().text, "0");
    let shown = ShownView { text: "1".to_owned(), made: Instant::now(), is_behind: false };
    rendered.send(Arc::new(shown)).unwrap();
    public.view.wait_for(|shown| shown.text == "3").await.unwrap();
    drop(events);
    public.running.await.unwrap();
}

/// What a gate lets out of a record.
struct Out {
    pgn: watch::Receiver<Arc<str>>,
    past: watch::Receiver<Arc<PastGames>>,
    live: watch::Receiver<Arc<Live>>,
    is_ready: watch::Receiver<bool>,
    safe: watch::Sender<Position>,
    running: tokio::task::JoinHandle<()>,
}

fn let_out(storage: MemStorage, folder: &std::path::Path) -> Out {
    let_out_behind(storage, folder, Delay::None, Now::start())
}

/// The same for a public that is behind the board.
fn let_out_behind(storage: MemStorage, folder: &std::path::Path, delay: Delay, now: Now) -> Out {
    let (past, pasts) = watch::channel(Arc::default());
    let (is_ready, readiness) = watch::channel(false);
    let shown = ShownView { text: "0".to_owned(), made: Instant::now(), is_behind: false };
    let view = watch::channel(Arc::new(shown)).0;
    let (pgn, pgns) = watch::channel(Arc::from(""));
    let (live, lives) = watch::channel(Arc::default());
    let (safe, keeps) = watch::channel(Position::default());
    let gate = Gate {
        board: "table-1".to_owned(),
        folder: folder.to_owned(),
        site: "here".to_owned(),
        safe: keeps,
        delay: watch::channel(delay.into()).1,
        kept: watch::channel(RoundDelays::default()).0,
        now,
        public: gate::Public {
            book: watch::channel(Arc::default()).0,
            past,
            pgn,
            parts: watch::channel(Arc::default()).0,
            live,
            view,
            is_ready,
        },
    };
    Out {
        pgn: pgns,
        past: pasts,
        live: lives,
        is_ready: readiness,
        safe,
        running: tokio::spawn(gate.follow(storage)),
    }
}

/// The gate passes on what is safe, not what is in the file; the games' files are the same.
#[tokio::test]
async fn nothing_leaves_the_record_before_it_is_safe() {
    let (disk, folder) = (MemStorage::new(), tempfile::tempdir().unwrap());
    let file = |number| std::fs::read_to_string(folder.path().join(record::file_name(number)));
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    let append = |journal: &mut Journal<_>, facts: Vec<Fact>| {
        let lines = facts.into_iter().map(|fact| record::line_of(&Entry { at: at(9_000), fact }));
        journal.append(&lines.collect::<Vec<_>>()).unwrap();
        journal.commit().unwrap()
    };
    let start = || begun(Settings::default()).into_iter().map(|entry| entry.fact).collect();
    append(&mut journal, start());
    let first = append(&mut journal, vec![moved(1, "e2e4")]);
    let second = append(&mut journal, vec![moved(2, "e7e5")]);
    let mut out = let_out(disk, folder.path());
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!((&**out.pgn.borrow(), file(1).is_err()), ("", true));
    out.safe.send_replace(first);
    let shown = out.pgn.wait_for(|pgn| pgn.contains("1. e4")).await.unwrap().to_string();
    assert!(!shown.contains("e5") && shown.contains("[Site \"here\"]"), "{shown}");
    assert_eq!(file(1).unwrap(), shown);
    out.safe.send_replace(second);
    out.pgn.wait_for(|pgn| pgn.contains("1. e4 e5")).await.unwrap();
    // What comes with the end is let out too, and a game that is over has its file.
    let mut facts = vec![moved(3, "g1f3")];
    facts.extend::<Vec<Fact>>(start());
    out.safe.send_replace(append(&mut journal, facts));
    drop(out.safe);
    out.running.await.unwrap();
    assert!(file(1).unwrap().contains("2. Nf3") && !file(2).unwrap().contains("1. e4"));
}

/// The clock beside a game that begins shows what it showed, and does not go away for a moment.
#[tokio::test]
async fn a_game_that_begins_takes_no_clock_away() {
    let (disk, folder) = (MemStorage::new(), tempfile::tempdir().unwrap());
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    let mut append = |facts: Vec<Fact>| {
        let lines = facts.into_iter().map(|fact| record::line_of(&Entry { at: at(9_000), fact }));
        journal.append(&lines.collect::<Vec<_>>()).unwrap();
        journal.commit().unwrap()
    };
    let start = || begun(Settings::default()).into_iter().map(|entry| entry.fact);
    let times = ByColor { white: Duration::from_secs(61), black: Duration::from_secs(7) };
    let clock = Fact::Clock { running: Some(Color::White), times: Some(times), is_connected: true };
    let mut out = let_out(disk, folder.path());
    assert!(out.live.borrow().clock.is_none());
    for (game, facts) in
        [(1, start().chain([clock, moved(1, "e2e4")]).collect()), (2, start().collect())]
    {
        out.safe.send_replace(append(facts));
        let live = out.live.wait_for(|live| live.game == game).await.unwrap().clone();
        let clock = live.clock.expect("a clock");
        assert_eq!((clock.times, clock.running), (times, (game == 1).then_some(Color::White)));
    }
}

/// The games before the last one are as far behind the board as all else.
#[tokio::test]
async fn earlier_games_are_listed_once_the_public_knows_of_the_next() {
    for (delay, n_listed) in [
        (Delay::None, 1),
        (Delay::Moves(1), 1),
        // Nobody is told that the next game has begun.
        (Delay::Moves(2), 0),
        (Delay::Minutes(15), 0),
    ] {
        let (disk, folder) = (MemStorage::new(), tempfile::tempdir().unwrap());
        let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
        let now = Now::start();
        let start = || begun(Settings::default()).into_iter().map(|entry| entry.fact);
        let moves = [moved(1, "e2e4"), moved(2, "e7e5")];
        let facts = start().chain(moves).chain(start()).chain([moved(1, "d2d4"), moved(2, "d7d5")]);
        let lines = facts.map(|fact| record::line_of(&Entry { at: now.stamp(), fact }));
        journal.append(&lines.collect::<Vec<_>>()).unwrap();
        let kept = journal.commit().unwrap();
        let mut out = let_out_behind(disk, folder.path(), delay, now);
        out.safe.send_replace(kept);
        out.is_ready.wait_for(|is_ready| *is_ready).await.unwrap();
        let list = out.past.borrow().list();
        assert_eq!(list.matches("\"number\":").count(), n_listed, "{delay}: {list}");
        let view = out.past.borrow().view(1).map(str::to_owned).unwrap_or_default();
        assert_eq!(view.contains("\"san\":\"e5\""), n_listed == 1, "{delay}: {view}");
        assert!(!view.contains("d4") && out.past.borrow().view(2).is_none(), "{delay}: {view}");
    }
}

/// A file of another record is never written over: the record has counted its games on by then.
#[tokio::test]
async fn a_file_that_is_not_ours_is_left_alone() {
    let (disk, folder) = (MemStorage::new(), tempfile::tempdir().unwrap());
    for number in [1, 5] {
        std::fs::write(folder.path().join(record::file_name(number)), "theirs").unwrap();
    }
    let (mut journal, ..) = open(disk.clone(), LONG).unwrap();
    let out = let_out(disk, folder.path());
    let before = Entry { at: at(9_000), fact: Fact::Record(Keeping::GamesBefore { n: 5 }) };
    // Of two games at least three are lost, with their beginnings.
    let start = || begun(Settings::default());
    let found = [start(), start(), vec![before], start()].concat();
    let lines: Vec<_> = found.iter().map(record::line_of).collect();
    journal.append(&lines).unwrap();
    out.safe.send_replace(journal.commit().unwrap());
    drop(out.safe);
    out.running.await.unwrap();
    for (number, is_theirs) in [(1, true), (5, true), (6, false)] {
        let text = std::fs::read_to_string(folder.path().join(record::file_name(number))).unwrap();
        assert_eq!(text == "theirs", is_theirs, "{number}");
    }
}
