//! What leaves a board's record for others: the games' files, and what the public may have.
//!
//! A gate follows the journal, so that nothing leaves that a restart would not have. The files are
//! the house's own and always up to date; the public may be behind by what the settings say.

use super::apart::{Apart, Share};
use super::book::Book;
use super::http::ShownView;
use super::journal::{DiskStorage, Follower, JournalError, Position, Storage, open_file};
use super::now::Now;
use super::past::PastGames;
use super::record::{self, Games, RecordedGame};
use crate::game::{Entry, Fact, LinkState, PairedFor, RoundDelays, ScoreSheet};
use crate::relay::delay::Held;
use crate::relay::livechess::{Live, LiveClock};
use crate::relay::view::View;
use crate::table::Placement;
use crate::time::{Stamp, Wall};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

/// How long to wait before a record that could not be read is read again.
const RETRY: Duration = Duration::from_secs(2);
/// How long to wait before a gate that has failed is opened again.
const AFTER_PANIC: Duration = Duration::from_secs(30);
/// How much what writes the games' files gives way to the boards.
const SHARE: Share = Share::Nice(5);
/// Nothing is to be waited for.
const FAR: Duration = Duration::from_secs(3_600);

/// What of a board the public may have.
#[derive(Clone, Debug)]
pub struct Public {
    /// The game as PGN: behind a move that the Laws do not allow another game goes on.
    pub pgn: watch::Sender<Arc<str>>,
    /// The same games, each by itself, where nothing is paired.
    pub parts: watch::Sender<Arc<[String]>>,
    /// The games of the event, if the board is paired in one.
    pub book: watch::Sender<Arc<Book>>,
    /// The games before the last one.
    pub past: watch::Sender<Arc<PastGames>>,
    /// What programs may know of it.
    pub live: watch::Sender<Arc<Live>>,
    /// The page's view document. Where the public is not behind the board, the board publishes its
    /// own there, which also has what is on no record.
    pub view: watch::Sender<Arc<ShownView>>,
    /// Whether all that is on record has been read once.
    pub is_ready: watch::Sender<bool>,
}

/// What of a record outputs are made from.
#[derive(Clone, Debug, Default)]
struct Scene {
    games: Games,
    /// The games of the event.
    book: Book,
    /// The games before the last one, where these are what the public sees.
    past: Option<PastGames>,
    /// What is seen on the board.
    seen: Option<Placement>,
    /// When the last entry was made.
    at: Wall,
    /// The sheet as it stood last.
    sheet: Option<Arc<ScoreSheet>>,
    /// What programs were told of the clock.
    clock: Option<LiveClock>,
}

impl Scene {
    /// Nothing yet; whether it is what the public sees of this board.
    fn new(is_public: bool) -> Self {
        Self { past: is_public.then(PastGames::default), ..Self::default() }
    }

    /// Takes the next entry of `board`, and gives back the game that it closes.
    fn take(&mut self, board: &str, entry: &Entry) -> Option<RecordedGame> {
        match &entry.fact {
            Fact::Sensed { sq, reading } => {
                self.seen.iter_mut().for_each(|seen| seen.set(*sq, *reading));
            }
            Fact::Pictured(placement) => self.seen = Some(placement.clone()),
            // A picture is on record only if it is another than was believed, and this is believed.
            Fact::GameStarted { fen, .. } | Fact::Began { fen, .. } | Fact::Gap { fen, .. } => {
                self.seen = Placement::parse(fen).ok();
            }
            _ => {}
        }
        if entry.fact.is_public() {
            self.sheet = None;
        }
        self.at = entry.at.wall;
        let closed = self.games.take(entry).closed;
        if let Fact::Paired { pairing, holds, .. } = &entry.fact {
            if *holds == PairedFor::Anew {
                self.book.void(pairing.round, self.games.last_played());
            }
            self.book.pair(pairing, *holds, record::date(entry.at.wall));
        }
        if let Some(closed) = closed.as_ref().filter(|it| it.pairing.is_some()) {
            self.book.take(closed.clone(), &closed.public_pgn(""));
        }
        if let Some((past, closed)) = self.past.as_mut().zip(closed.as_ref()) {
            past.take(board, closed);
        }
        closed
    }

    /// What programs may know of the board.
    fn live(&mut self, board: &str, (link, is_delayed): (LinkState, bool), at: Wall) -> Live {
        let record = self.games.fold();
        if self.sheet.is_none() {
            self.sheet = record.sheet().cloned().map(Arc::new);
        }
        let (sheet, seen) = (self.sheet.clone(), self.seen.as_ref());
        let wall_ms = at.0 / 1_000;
        let live = Live::new(board, record, sheet, seen, (link, is_delayed), wall_ms);
        // The clock of a game that begins shows what it showed, until it is heard anew.
        let stood = self.clock.map(|clock| LiveClock { running: None, ..clock });
        self.clock = live.clock.or(stood);
        Live { game: self.games.n_games(), clock: self.clock, ..live }
    }
}

/// The gate of one board.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The board's name.
    pub board: String,
    /// The folder of its record.
    pub folder: PathBuf,
    /// The place of its games, for those whose record does not tell it.
    pub site: String,
    /// How far the record is on the disk.
    pub safe: watch::Receiver<Position>,
    /// How far the public is to be behind the board.
    pub delay: watch::Receiver<RoundDelays>,
    /// Told how far it is.
    pub kept: watch::Sender<RoundDelays>,
    /// The time.
    pub now: Now,
    /// What goes out.
    pub public: Public,
}

/// Starts writing the games' files, and telling the public what it may have, of each gate that
/// comes, until no more can come and the last has ended.
///
/// # Errors
/// The system gives no thread.
pub(super) fn keep_all(mut gates: mpsc::UnboundedReceiver<Gate>) -> io::Result<Apart> {
    let work = move || async move {
        let mut kept = JoinSet::new();
        loop {
            tokio::select! {
                Some(gate) = gates.recv() => drop(kept.spawn(gate.keep())),
                Some(_) = kept.join_next() => {}
                else => return,
            }
        }
    };
    Apart::start("gates", SHARE, work)
}

impl Gate {
    /// As [`Gate::run`]: what cannot be let out of one record is no concern of the others'.
    async fn keep(self) {
        while let Err(error) = tokio::spawn(self.clone().run()).await {
            warn!(
                board = self.board,
                %error,
                "NOTHING MORE LEAVES THIS RECORD, NO FILE AND NO PGN; recording goes on, and this \
                 is tried again"
            );
            sleep(AFTER_PANIC).await;
            if self.safe.has_changed().is_err() {
                return;
            }
        }
    }

    /// Lets the record out until nothing more will come. It waits for the disk.
    pub async fn run(self) {
        let storage = DiskStorage::new(&self.folder);
        self.follow(storage).await;
    }

    /// As [`Gate::run`], with the record in `storage`.
    pub async fn follow<S: Storage>(self, storage: S) {
        let Self { board, folder, site, mut safe, mut delay, kept, now, public } = self;
        let delays = delay.borrow_and_update().clone();
        if !delays.is_none() {
            info!(board, delay = %delays, "the public is behind the board");
        }
        public.is_ready.send_replace(false);
        let mut follower = Follower::new(storage);
        let mut shelf = Shelf::new(&board, &folder, &site, delays.is_none());
        kept.send_replace(delays.clone());
        let mut window = Window::new(&board, &site, delays, public);
        let (mut said, mut is_told) = (None, false);
        loop {
            let (to, is_new) = {
                let newest = safe.borrow_and_update();
                (*newest, newest.has_changed())
            };
            is_told |= is_new;
            let mut trouble = None;
            let has_all = loop {
                if *delay.borrow_and_update() != *kept.borrow() {
                    let delays = delay.borrow().clone();
                    window.renew(&delays, &mut shelf.scene, now.stamp());
                    kept.send_replace(delays);
                }
                match follower.poll(to) {
                    Ok(lines) if lines.is_empty() => break follower.has_read(to),
                    Ok(lines) => {
                        let at = now.stamp();
                        for entry in lines.iter().filter_map(record::entry_of) {
                            window.take(&entry, at);
                            shelf.take(&entry);
                        }
                    }
                    Err(error) => {
                        trouble = Some(error);
                        break false;
                    }
                }
                yield_now().await;
            };
            say(&board, trouble, &mut said);
            // A record that is read in part tells of games that are long over.
            let mut due = FAR;
            if has_all && is_told {
                let has_filled = shelf.fill();
                due = window.show(&mut shelf.scene, now).unwrap_or(FAR);
                due = if has_filled { due } else { due.min(RETRY) };
            } else if is_told {
                due = RETRY;
            }
            let ended = tokio::select! {
                changed = safe.changed() => {
                    is_told |= changed.is_ok();
                    changed.is_err()
                }
                Ok(()) = delay.changed() => false,
                () = sleep_until(now.instant(now.stamp().mono + due)) => false,
            };
            if ended && *safe.borrow() == to {
                return;
            }
        }
    }
}

/// Says why the record cannot be read, once for each reason.
fn say(board: &str, trouble: Option<JournalError>, said: &mut Option<String>) {
    let trouble = trouble.map(|error| match std::error::Error::source(&error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    });
    if let Some(why) = trouble.as_ref().filter(|why| said.as_ref() != Some(*why)) {
        warn!(board, why, "the record cannot be read for PGN and broadcasts; this is tried again");
    }
    *said = trouble;
}

/// The games' files.
#[derive(Debug)]
struct Shelf<'a> {
    board: &'a str,
    folder: &'a Path,
    site: &'a str,
    scene: Scene,
    /// The highest number that a file had before any was written. A file below it is another
    /// record's if it is not ours: it is left alone.
    n_before: usize,
    /// Whether the games are those of now, and not those of a record that is still being read.
    has_filled: bool,
    /// What was written last.
    written: Option<(usize, String)>,
    /// What could not be written, by the number of the game.
    unwritten: BTreeMap<usize, String>,
    /// That was said.
    has_said: bool,
}

impl<'a> Shelf<'a> {
    fn new(board: &'a str, folder: &'a Path, site: &'a str, is_public: bool) -> Self {
        Self {
            board,
            folder,
            site,
            scene: Scene::new(is_public),
            n_before: record::n_files(folder),
            has_filled: false,
            written: None,
            unwritten: BTreeMap::new(),
            has_said: false,
        }
    }

    /// Takes the next entry. The game that it closes gets its file; one that may have had it before
    /// this run only if it is the last of those, which may be behind.
    fn take(&mut self, entry: &Entry) {
        if let Some(closed) = self.scene.take(self.board, entry)
            && (self.has_filled || closed.number >= self.n_before)
        {
            self.write(closed.number, closed.own_pgn(self.site));
        }
    }

    /// Writes the file of the game in progress, and what could not be written before; whether all
    /// of that could be.
    fn fill(&mut self) -> bool {
        self.has_filled = true;
        for (number, text) in std::mem::take(&mut self.unwritten) {
            self.write(number, text);
        }
        let game = self.scene.games.current();
        if let Some(game) = game.filter(|game| game.number >= self.n_before) {
            self.write(game.number, game.own_pgn(self.site));
        }
        self.unwritten.is_empty()
    }

    fn write(&mut self, number: usize, text: String) {
        if self.written.as_ref().is_some_and(|(n, before)| (*n, before) == (number, &text)) {
            return;
        }
        let path = self.folder.join(record::file_name(number));
        let is_there = fs::read(&path).is_ok_and(|before| before == text.as_bytes());
        let written = if is_there { Ok(()) } else { replace(&path, text.as_bytes()) };
        match written {
            Ok(()) => {
                self.unwritten.remove(&number);
                self.written = Some((number, text));
            }
            Err(error) => {
                if !self.has_said {
                    let (board, path) = (self.board, path.display());
                    warn!(board, %path, %error, "the game's file was not written; tried again");
                }
                self.unwritten.insert(number, text);
            }
        }
        self.has_said = !self.unwritten.is_empty();
    }
}

/// What the public sees.
#[derive(Debug)]
struct Window<'a> {
    board: &'a str,
    site: &'a str,
    held: Held,
    /// It may be behind the board.
    is_behind: bool,
    /// What has been let through, where it may be.
    scene: Scene,
    /// Something has passed that is not shown yet.
    has_more: bool,
    /// How the line to the board was shown to be.
    link: LinkState,
    public: Public,
}

impl<'a> Window<'a> {
    fn new(board: &'a str, site: &'a str, delay: RoundDelays, public: Public) -> Self {
        let is_behind = !delay.is_none();
        let window = Self {
            board,
            site,
            held: Held::new(delay),
            is_behind,
            scene: Scene::new(is_behind),
            has_more: false,
            link: LinkState::Absent,
            public,
        };
        window.mark_view();
        window
    }

    /// From now on the view document is the gate's where the public may be behind the board, and
    /// the board's where it may not.
    fn mark_view(&self) {
        self.public.view.send_if_modified(|shown| {
            let is_otherwise = shown.is_behind != self.is_behind;
            if is_otherwise {
                *shown = Arc::new(ShownView { is_behind: self.is_behind, ..(**shown).clone() });
            }
            is_otherwise
        });
    }

    /// Takes up other delays. What has been shown stays so, and nothing more of what waits is shown
    /// than the new ones let through. `all` is what is on record.
    fn renew(&mut self, delays: &RoundDelays, all: &mut Scene, at: Stamp) {
        info!(board = self.board, delay = %delays, "from now on the public is behind by this");
        self.held.renew(delays.clone());
        self.pass(at);
        let was_behind = std::mem::replace(&mut self.is_behind, !delays.is_none());
        if self.is_behind && !was_behind {
            let past = all.past.take();
            self.scene = Scene { past, ..all.clone() };
            self.has_more = true;
        } else if was_behind && !self.is_behind {
            all.past = std::mem::take(&mut self.scene).past;
        }
        self.mark_view();
    }

    /// Takes the next entry, read at `at`. What came before the record was read once is of an
    /// earlier run, or as good as that: the time of day tells how long ago it was.
    fn take(&mut self, entry: &Entry, at: Stamp) {
        self.held.take(entry, *self.public.is_ready.borrow(), at);
        self.pass(at);
    }

    /// Lets through what may be by now. At once with what is taken, so that a long record is not
    /// held in memory, and what is withdrawn later has passed as it did then.
    fn pass(&mut self, at: Stamp) {
        for entry in self.held.due(at) {
            if self.is_behind {
                self.scene.take(self.board, &entry);
            }
            self.has_more = true;
        }
    }

    /// Shows what may be shown by now of what is on record, `all` of it. In how long there will be
    /// more, if anything waits.
    fn show(&mut self, all: &mut Scene, now: Now) -> Option<Duration> {
        let at = now.stamp();
        self.pass(at);
        let is_first = !*self.public.is_ready.borrow();
        let mut has_more = std::mem::take(&mut self.has_more) || is_first;
        let (is_behind, newest) = (self.is_behind, all.games.fold().link());
        let scene = if is_behind { &mut self.scene } else { all };
        // That a board is there is told before anything that is done on it.
        let is_bare = is_behind && scene.games.fold().sheet().is_none();
        let link = if is_bare { newest } else { scene.games.fold().link() };
        has_more |= std::mem::replace(&mut self.link, link) != link;
        let game = scene.games.current();
        let text = game.as_ref().map_or_else(String::new, |game| game.public_pgn(self.site));
        let lone = game.as_ref().filter(|game| game.pairing.is_none());
        let parts = lone.map_or_else(Vec::new, |game| game.public_parts(self.site));
        if let Some(game) = game {
            scene.book.take(game, &text);
        }
        tell_if_new(&self.public.book, &scene.book, |it| Arc::new(it.clone()));
        if let Some(past) = &scene.past {
            tell_if_new(&self.public.past, past, |it| Arc::new(it.clone()));
        }
        tell_if_new(&self.public.pgn, &*text, |it| it.into());
        tell_if_new(&self.public.parts, &*parts, |it| it.into());
        if has_more || !is_behind {
            // Programs reckon on from when a clock was read: where they are behind, from now.
            let wall = if is_behind { at.wall } else { scene.at };
            let is_delayed = self.held.is_behind();
            self.public.live.send_replace(Arc::new(scene.live(
                self.board,
                (link, is_delayed),
                wall,
            )));
        }
        if is_behind && has_more {
            let (games, seen) = (&scene.games, scene.seen.as_ref());
            let mut tags = games.tags().clone();
            if let (None, Some(due)) = (games.fold().sheet(), games.due()) {
                // Who plays is no secret, long before the first move may be shown.
                tags.pair(due);
            }
            let text = View::of_record(self.board, games.fold(), &tags, seen, link).to_json();
            let shown = ShownView { text, made: Instant::now(), is_behind };
            self.public.view.send_replace(Arc::new(shown));
        }
        // Last, since who waits for it takes the rest for that of the whole record.
        self.public.is_ready.send_replace(true);
        self.held.due_in(at)
    }
}

/// Tells `newest` unless it was told last; `kept` is how it is kept then.
fn tell_if_new<T: ?Sized + PartialEq>(
    told: &watch::Sender<Arc<T>>,
    newest: &T,
    kept: impl FnOnce(&T) -> Arc<T>,
) {
    told.send_if_modified(|told| {
        let is_new = **told != *newest;
        if is_new {
            *told = kept(newest);
        }
        is_new
    });
}

/// Replaces a file as a whole: a reader sees the old one or the new one, never a part.
///
/// # Errors
/// Those of the file system.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut options = OpenOptions::new();
    let mut file = open_file(&temporary, options.write(true).create(true).truncate(true))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    if let Err(error) = written.and_then(|()| fs::rename(&temporary, path)) {
        // Half a file is of no use, and the record may need the room.
        drop(fs::remove_file(&temporary));
        return Err(error);
    }
    Ok(())
}
