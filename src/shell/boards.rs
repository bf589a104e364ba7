//! The boards that are recorded: they come and go with the settings, and none notices the others.

use super::apart::Apart;
use super::bus::{self, BusSeat};
use super::config::{BoardConfig, Config};
use super::copy::Original;
use super::disk::Disk;
use super::gate::{self, Gate};
use super::http::Feed;
use super::keeper::{Calls, Handle, Keeper};
use super::now::Now;
use super::orders::Asked;
use super::pairings::Roster;
use super::reload::Changes;
use super::run::{OwnClocks, RunError, RunMode};
use super::status::{Recording, Status};
use crate::game::{Lit, Pairing, RoundDelays};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{info, warn};

/// How long boards have to write what is left once they are to end.
const GRACE: Duration = Duration::from_secs(2);
/// How long is waited for the records of boards that have come.
const OPENING: Duration = Duration::from_secs(10);

/// A board that is recorded, as others have it.
#[derive(Debug)]
struct Member {
    feed: Feed,
    original: Original,
    /// The last ping of the watchdog that its loop has seen; closed once the board has ended.
    alive: watch::Receiver<u64>,
    orders: mpsc::Sender<Asked>,
    lit: watch::Receiver<Lit>,
    settings: watch::Sender<BoardConfig>,
    delay: watch::Sender<RoundDelays>,
    stop: watch::Sender<bool>,
}

/// A line that boards share. As long as it is open its boards are the same, and it ends with them.
#[derive(Debug)]
struct OpenLine {
    boards: Vec<String>,
    tasks: JoinSet<()>,
}

/// All boards.
#[derive(Debug)]
pub(super) struct Boards {
    manner: RunMode,
    now: Now,
    disk: Arc<Disk>,
    clocks: OwnClocks,
    /// In the order of the settings.
    members: Vec<Member>,
    keepers: JoinSet<()>,
    /// The lines that boards share, by their ports.
    lines: BTreeMap<String, OpenLine>,
    gates: mpsc::UnboundedSender<Gate>,
    /// What writes the games' files.
    writing: Apart,
    ping: watch::Receiver<u64>,
    answers: watch::Sender<Vec<watch::Receiver<u64>>>,
}

impl Boards {
    /// None yet. `ping` is the watchdog's, `answers` where it finds who answers to it.
    ///
    /// # Errors
    /// The system gives no threads.
    pub(super) fn start(
        (manner, now, clocks): (RunMode, Now, OwnClocks),
        ping: watch::Receiver<u64>,
        answers: watch::Sender<Vec<watch::Receiver<u64>>>,
    ) -> Result<Self, RunError> {
        let disk = Arc::new(Disk::start().map_err(RunError::Threads)?);
        let (gates, to_write) = mpsc::unbounded_channel();
        let writing = gate::keep_all(to_write).map_err(RunError::Threads)?;
        let (members, keepers, lines) = (Vec::new(), JoinSet::new(), BTreeMap::new());
        Ok(Self {
            manner,
            now,
            disk,
            clocks,
            members,
            keepers,
            lines,
            gates,
            writing,
            ping,
            answers,
        })
    }

    /// From now on the boards are those of `config`: those that go end in order before others
    /// come, and the rest go on. Returns once all records are open, or it has taken too long.
    pub(super) async fn become_those_of(&mut self, config: &Config, changes: &Changes) {
        self.end_those(|name| changes.ends(name)).await;
        let mut seats = self.open_lines(config);
        let roster = Roster::of(config);
        let names: Vec<_> = config.boards.iter().map(|board| board.name.clone()).collect();
        let is_new = |name: &String| self.members.iter().all(|it| it.feed.name != *name);
        let firsts = match names.iter().any(is_new) {
            true => first_round(roster.as_ref()).await,
            false => None,
        };
        let mut before = std::mem::take(&mut self.members);
        for (idx, settings) in config.boards.iter().enumerate() {
            let stays = before.iter().position(|it| it.feed.name == settings.name);
            let member = match stays {
                Some(at) => before.swap_remove(at),
                None => {
                    let first = firsts.as_ref().map(|firsts| firsts.get(idx).cloned());
                    self.begin(config, settings, seats.remove(&settings.name), first)
                }
            };
            self.members.push(member);
        }
        self.tell_watchdog();
        self.renew(config, changes);
        self.opened().await;
    }

    /// Boards whose own settings have changed take them up.
    pub(super) fn renew(&self, config: &Config, changes: &Changes) {
        for (member, settings) in self.members.iter().zip(&config.boards) {
            if changes.renews(&settings.name) {
                member.delay.send_replace(settings.delay.clone());
                member.settings.send_replace(settings.clone());
            }
        }
    }

    /// The watchdog asks those that are there from now on.
    fn tell_watchdog(&self) {
        self.answers.send_replace(self.members.iter().map(|it| it.alive.clone()).collect());
    }

    /// Begins to record a board, which has `first` for its pairing at its first start where a list
    /// of pairings is set.
    fn begin(
        &mut self,
        config: &Config,
        settings: &BoardConfig,
        seat: Option<BusSeat>,
        first: Option<Option<Pairing>>,
    ) -> Member {
        let folder = config.folder(settings);
        let clock = self.clocks.remove(&settings.name);
        let (echo, disk) = (self.manner.echo(), Arc::clone(&self.disk));
        let (keeper, handle) = Keeper::new(settings, folder, clock, echo, disk, self.now);
        let Handle { feed, gate, original, alive, orders, lit, renew: settings, delay } = handle;
        let mut keeper = keeper.seated(seat);
        let feed = match first {
            Some(first) => {
                keeper = keeper.paired(first);
                feed
            }
            None => without_event(feed),
        };
        let (stop, stops) = watch::channel(false);
        self.keepers.spawn(keeper.run(Calls { stop: stops, ping: self.ping.clone() }));
        // An error means that what writes files has failed: it was said, and recording goes on.
        self.gates.send(gate).ok();
        Member { feed, original, alive, orders, lit, settings, delay, stop }
    }

    /// Opens the shared lines that are not open: the places on them by the names of their boards.
    fn open_lines(&mut self, config: &Config) -> BTreeMap<String, BusSeat> {
        let mut seats = BTreeMap::new();
        for (port, boards) in bus::lines(config) {
            if !self.lines.contains_key(port) {
                let mut tasks = JoinSet::new();
                let mut on_line = bus::start(port, &boards, self.now, &mut tasks);
                let line = OpenLine { boards: on_line.keys().cloned().collect(), tasks };
                self.lines.insert(port.to_owned(), line);
                seats.append(&mut on_line);
            }
        }
        seats
    }

    /// Ends those boards, and the lines on which nobody is left, in order.
    async fn end_those(&mut self, ends: impl Fn(&str) -> bool) {
        let all = std::mem::take(&mut self.members);
        let (gone, stay): (Vec<_>, _) = all.into_iter().partition(|it| ends(&it.feed.name));
        self.members = stay;
        if gone.is_empty() {
            return;
        }
        self.tell_watchdog();
        for member in &gone {
            info!(board = member.feed.name, "the board ends");
            member.stop.send_replace(true);
        }
        let lines = std::mem::take(&mut self.lines);
        let is_gone = |name: &String| gone.iter().any(|it| it.feed.name == *name);
        let is_over = |(_, line): &(String, OpenLine)| line.boards.iter().all(is_gone);
        let (over, open): (BTreeMap<_, _>, _) = lines.into_iter().partition(is_over);
        self.lines = open;
        let ended = async {
            for mut member in gone {
                while member.alive.changed().await.is_ok() {}
            }
            for line in over.into_values() {
                line.tasks.join_all().await;
            }
        };
        if timeout(GRACE, ended).await.is_err() {
            warn!("the boards did not end in time");
        }
    }

    /// Waits until each board's record is open or cannot be opened, but not for ever.
    async fn opened(&self) {
        let is_known = |status: &Status| status.record != Recording::Opening;
        let all = async {
            for Member { feed, .. } in &self.members {
                // An error is the end of a board, which is noticed elsewhere.
                feed.status.clone().wait_for(is_known).await.ok();
                // What is on record is let out before anybody looks, unless the disk is in the way.
                let (mut is_ready, mut status) = (feed.is_ready.clone(), feed.status.clone());
                tokio::select! {
                    _ = is_ready.wait_for(|is_ready| *is_ready) => {}
                    _ = status.wait_for(|status| status.fault().is_some()) => {}
                }
            }
        };
        if timeout(OPENING, all).await.is_err() {
            warn!("the disk is slow; the records are being opened");
        }
    }

    /// Why the daemon is of no use, if so.
    ///
    /// # Errors
    /// All records are another daemon's; in a demonstration, one cannot be written.
    pub(super) fn refused(&self) -> Result<(), RunError> {
        let is_demo = self.manner == RunMode::Demo;
        let off = |Member { feed, .. }: &Member| {
            let Status { record, disk, .. } = feed.status.borrow().clone();
            match (record, disk) {
                (Recording::Off { why, is_taken }, _) => Some((feed.name.clone(), why, is_taken)),
                (Recording::On, Some(why)) if is_demo => Some((feed.name.clone(), why, false)),
                (Recording::Opening | Recording::On, _) => None,
            }
        };
        let off: Vec<_> = self.members.iter().filter_map(off).collect();
        let are_taken = off.len() == self.members.len() && off.iter().all(|(.., taken)| *taken);
        match off.into_iter().next() {
            Some((board, why, _)) if is_demo => Err(RunError::Record { board, why }),
            Some((board, why, _)) if are_taken => Err(RunError::Taken { board, why }),
            _ => Ok(()),
        }
    }

    /// Returns only by the panic of a keeper: the process ends by it, systemd starts it anew, and
    /// the journals restore the games.
    pub(super) async fn failed(&mut self) {
        loop {
            match self.keepers.join_next().await {
                Some(Err(error)) if error.is_panic() => {
                    std::panic::resume_unwind(error.into_panic());
                }
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// The boards write what is left, and what leaves their records is written.
    pub(super) async fn end(self, grace: Duration) {
        for member in &self.members {
            member.stop.send_replace(true);
        }
        if timeout(GRACE, self.keepers.join_all()).await.is_err() {
            warn!("the boards did not end in time");
        }
        drop(self.gates);
        self.writing.ended(grace).await;
    }

    /// What is told of each board.
    pub(super) fn feeds(&self) -> Vec<Feed> {
        self.members.iter().map(|it| it.feed.clone()).collect()
    }

    /// What is lit below each.
    pub(super) fn lits(&self) -> Vec<watch::Receiver<Lit>> {
        self.members.iter().map(|it| it.lit.clone()).collect()
    }

    /// Their records, for who copies them.
    pub(super) fn originals(&self) -> Vec<Original> {
        self.members.iter().map(|it| it.original.clone()).collect()
    }

    /// Where orders for each go, by their names.
    pub(super) fn desks(&self) -> Vec<(String, mpsc::Sender<Asked>)> {
        self.members.iter().map(|it| (it.feed.name.clone(), it.orders.clone())).collect()
    }
}

/// Without a list, the rounds on record are those of an event that is over.
fn without_event(feed: Feed) -> Feed {
    Feed { book: watch::channel(Arc::default()).1, ..feed }
}

/// Who plays at each board at the first start; `None` if no list of pairings is set. One that
/// cannot be used is said, and the boards are recorded all the same.
async fn first_round(roster: Option<&Roster>) -> Option<Vec<Pairing>> {
    let roster = roster?;
    let paired = async {
        let list = roster.read().await?;
        let number = roster.first_round().or_else(|| list.first_open()).unwrap_or(1);
        let paired = roster.pair(&list, number)?;
        if list.is_latin {
            let path = roster.path().display();
            warn!(%path, "the pairings are not UTF-8 and were read as Latin-1; check the names");
        }
        Ok::<_, String>(paired)
    };
    match paired.await {
        Ok(paired) => Some(paired),
        Err(why) => {
            warn!(why, "THE PAIRINGS ARE NOT USED; the boards go on with what they had");
            Some(Vec::new())
        }
    }
}
