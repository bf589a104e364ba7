//! One board of the daemon: its line, its core, its journal, in one loop.
//!
//! The loop awaits the next event or the core's next timer, hands it to the core, sends what the
//! core wants sent, and passes the records to the journal's thread together with what may be
//! published once they are durable. It never waits for the disk.

use super::clock::own::OwnClockStub;
use super::clock::{self, TableClock};
use super::counts::Counts;
use super::heard::Heard;
use super::http::ShownView;
use super::journal::{BACKOFF, Batch, DiskStorage, Journal, JournalLine, Writer};
use super::keeper::{Calls, Outfit, stopped};
use super::link::{Link, LinkNews};
use super::now::{Now, WallWatch};
use super::orders::desk::{self, OrderDesk};
use super::orders::{self, Answer, AnswerClass, Asked, Reply, Requests};
use super::patience::LateTimers;
use super::publish::{After, Publisher, SentBatch};
use super::record::{self, PriorRecord, RecordError};
use super::status::Status;
use crate::game::{
    self, Delay, Ear, Effect, Entry, Event, Fact, Game, Keeping, LinkState, Lit, Pairing,
    RoundDelays,
};
use crate::laws::Act;
use crate::relay::log::Log;
use crate::relay::open;
use crate::time::{Mono, Stamp};
use crate::wire::{BoardCommand, DriverOutput, Item};
use shakmaty::Role;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tracing::{debug, error, info, warn};

/// A button for the piece that a pawn becomes may be pressed so long before the move is on record.
const CHOSEN_FOR: Duration = Duration::from_secs(60);

/// What is said of a game that is over to whoever wants it to be of the round.
const STAYS: &str = "its last game is over and does not change; this is for the next one";

/// One board, ready to run.
#[derive(Debug)]
pub struct BoardActor {
    name: String,
    /// How far the public is behind the board, and how far it is on record that it is.
    delays: watch::Receiver<RoundDelays>,
    delay: Delay,
    game: Game,
    log: Log,
    desk: OrderDesk,
    ear: Ear,
    effects: Vec<Effect>,
    now: Now,
    line: Link,
    clock: Box<dyn TableClock>,
    /// Told of each batch that goes to the journal.
    sent: mpsc::UnboundedSender<SentBatch>,
    /// Whether the time of day jumps.
    wall: WallWatch,
    /// Up to when the game has been told.
    handled: Mono,
    /// Timers that come late wait for what is to be read.
    patience: LateTimers,
    writer: Writer<After, DiskStorage>,
    status: watch::Sender<Status>,
    /// What is lit for those who play.
    lit: watch::Sender<Lit>,
    /// Counts what happens.
    counts: Arc<Counts>,
    /// The line to the board, as that tells.
    link: LinkState,
    /// The last ping of the watchdog that was seen.
    alive: watch::Sender<u64>,
    /// The button for the piece that a pawn becomes that was pressed last, and when. It waits for
    /// its move to be on record.
    chosen: Option<(Role, Mono)>,
    /// Why the board does not work, by its own word, as it was told last.
    complaint: Option<&'static str>,
    /// Why it could not be heard, as it was told since it was heard last.
    troubles: BTreeSet<String>,
    /// Told once what was kept in memory is on the record, behind another past.
    late: oneshot::Receiver<()>,
    /// Line and publisher: they end when they are told that nothing more comes.
    tasks: JoinSet<()>,
}

/// A record that was opened, with what it tells of before.
#[derive(Debug)]
pub struct OpenedRecord {
    journal: Journal<DiskStorage>,
    /// What it tells of itself that is not on it yet.
    news: Vec<Keeping>,
    past: PriorRecord,
    /// Nothing of it could be read: there may be one.
    is_unread: bool,
    /// Why the disk does not take it at the moment.
    pub trouble: Option<String>,
}

/// Why a board has ended.
#[derive(Debug)]
pub enum Ended {
    /// It was asked to.
    Asked,
    /// The disk takes the record at last, behind a past that could not be read before: the board is
    /// to be taken up again with that.
    Late,
    /// A part of it is gone that should not be.
    Lost(&'static str),
}

impl BoardActor {
    /// Opens the journal in `folder` and reads what is in it. Waits for the disk as long as that
    /// takes. Where the disk does not take a record, what can be read of it is gone on from in
    /// memory.
    ///
    /// `each` is told of each line.
    ///
    /// # Errors
    /// The journal is another program's, or of a newer version.
    pub fn read(folder: &Path, each: &dyn Fn()) -> Result<OpenedRecord, RecordError> {
        let mut past = PriorRecord::default();
        let take = &mut |line: JournalLine| {
            past.take(&line);
            each();
        };
        let error = match record::open(folder, take) {
            Ok((journal, found)) => {
                let news = past.news(found, folder);
                return Ok(OpenedRecord { journal, news, past, is_unread: false, trouble: None });
            }
            Err(error) if error.is_of_disk() => error,
            Err(error) => return Err(error),
        };
        let mut past = PriorRecord::default();
        let (journal, found) = record::open_detached(folder, &mut |line| past.take(&line))?;
        let is_unread = found.is_none();
        let news = match found {
            Some(found) => past.news(found, folder),
            None => {
                past = PriorRecord::default();
                Vec::new()
            }
        };
        Ok(OpenedRecord { journal, news, past, is_unread, trouble: Some(error.sentence()) })
    }

    /// A record in `folder` of which the disk gives nothing: what happens is kept in memory, and
    /// follows what is there once that can be read.
    ///
    /// # Errors
    /// The boot's identity cannot be read.
    pub fn unread(folder: &Path) -> Result<OpenedRecord, RecordError> {
        let trouble = Some("the disk does not answer".to_owned());
        let journal = record::unread(folder)?;
        let past = PriorRecord::default();
        Ok(OpenedRecord { journal, news: Vec::new(), past, is_unread: true, trouble })
    }

    /// Takes up the game of an opened record, and starts line and publisher. A `clock` of our own
    /// takes the place of that in the settings.
    ///
    /// Must be called inside a runtime.
    pub fn open(opened: OpenedRecord, stand: &Outfit, clock: Option<OwnClockStub>) -> Self {
        let (settings, now) = (&stand.settings, stand.now);
        let gone = opened.past.gone(now.stamp().wall);
        let OpenedRecord { journal, news, past, is_unread, .. } = opened;
        let PriorRecord { games, log, desk, delay, .. } = past;
        tell_record(&settings.name, &news);
        // What is on a record that cannot be read yet may be another round.
        let is_first = games.due().is_none() && !is_unread;
        let known = stand.known(&games);
        let mut fold = games.into_fold();
        fold.note_gone(gone);
        let (on_record, mut game) = (fold.clock(), fold.into_game(known));
        if let Some(play) = game.play() {
            info!(board = settings.name, plies = play.sheet().len(), "taking up the recorded game");
        }
        let (writer, events) = Writer::start(&stand.disk, journal, BACKOFF);
        Arc::new(ShownView::of(&settings.name, &game, now.stamp())).show_own(&stand.view);
        let ((sent, sents), (late, is_late)) = (mpsc::unbounded_channel(), oneshot::channel());
        let publisher = Publisher {
            name: settings.name.clone(),
            echo: stand.echo,
            view: stand.view.clone(),
            status: stand.status.clone(),
            reached: writer.reached(),
            safe: stand.safe.clone(),
            late: Some(late),
            delays: Arc::clone(&stand.delays),
            sent: sents,
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(publisher.run(events));
        let line = Link::open(settings, stand.seat.as_ref(), now, &mut tasks);
        let mut clock = clock::open(settings, clock, now);
        if let Some(on_record) = on_record.filter(|_| clock.is_own()) {
            clock.take_up(on_record);
            game.clock_restored(on_record.times);
        }
        let ear = if clock.is_own() { Ear::deaf_to_clock() } else { Ear::default() };
        let at = now.stamp();
        let effects = first_effects(news, stand.first.clone().filter(|_| is_first), &mut game, at);
        stand.status.send_if_modified(|status| status.note_round(&game));
        Self {
            name: settings.name.clone(),
            delays: stand.delayed.clone(),
            delay,
            effects,
            game,
            log,
            desk,
            ear,
            now,
            line,
            clock,
            sent,
            wall: WallWatch::default(),
            handled: Mono::default(),
            patience: LateTimers::default(),
            writer,
            status: stand.status.clone(),
            lit: stand.lit.clone(),
            counts: Arc::clone(&stand.counts),
            link: stand.status.borrow().link,
            alive: stand.alive.clone(),
            chosen: None,
            complaint: None,
            troubles: BTreeSet::new(),
            late: is_late,
            tasks,
        }
    }

    /// Puts on record how far the public is behind the board, if that is otherwise than before.
    fn note_delay(&mut self, at: Stamp) {
        let round = self.game.settings().due().map(|pairing| pairing.round);
        let delay = self.delays.borrow_and_update().of(round);
        if std::mem::replace(&mut self.delay, delay) != delay {
            let fact = Fact::Record(Keeping::PublicDelay { round, delay });
            self.effects.push(Effect::Record(Entry { at, fact }));
        }
    }

    /// Runs until it is to stop or a part of it is gone, then tells the board to be quiet and
    /// writes what is left. What people order and say are the `requests`.
    pub async fn run(mut self, calls: &mut Calls, requests: &mut Requests) -> Ended {
        self.note_delay(self.now.stamp());
        let ended = self.follow(calls, requests).await;
        self.game.leave(&mut self.effects);
        self.carry_out(self.now.stamp(), After::default()).await;
        self.line.close();
        let journal = self.writer.finish().await;
        if journal.is_none_or(|journal| journal.n_waiting() > 0) {
            warn!(board = self.name, "the disk did not take the last entries");
        }
        while self.tasks.join_next().await.is_some() {}
        ended
    }

    /// One thing after the other, until it is to stop.
    async fn follow(&mut self, calls: &mut Calls, requests: &mut Requests) -> Ended {
        loop {
            self.tell_driving(self.now.stamp());
            self.promote(self.now.stamp());
            if !self.effects.is_empty() {
                self.carry_out(self.now.stamp(), After::default()).await;
            }
            let armed = self.now.stamp().mono;
            let due = [self.game.wake_at(), self.clock.wake_at()].into_iter().flatten().min();
            let wake = due.map(|due| self.now.instant(self.patience.until(due)));
            let sleep = async {
                match wake {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            self.counts.note_waiting(self.line.n_waiting(), requests.len());
            tokio::select! {
                biased;
                () = stopped(&mut calls.stop) => return Ended::Asked,
                heard = self.line.heard() => match heard {
                    Some(heard) => self.hear(heard).await,
                    None => return Ended::Lost("the reader of its line has failed"),
                },
                // Without a sender nothing was late.
                Ok(()) = &mut self.late => return Ended::Late,
                Some(_) = self.tasks.join_next() => {
                    return Ended::Lost("its line or its publisher has failed");
                }
                (at, events) = poll_fn(|context| self.clock.poll_events(context)) => {
                    self.hear_line().await;
                    // A press is stamped with its edge and told a little later: no time-out
                    // overtakes it.
                    let at = Stamp { mono: at.mono.max(self.handled), ..at };
                    events.iter().for_each(|event| self.handle(at, event));
                    self.carry_out(at, After::default()).await;
                }
                () = sleep => {
                    let stamp = self.now.stamp();
                    if self.patience.waits(stamp.mono, due, armed) {
                        continue;
                    }
                    self.handle(stamp, &Event::Timeout);
                    self.carry_out(stamp, After::default()).await;
                    self.drive(|clock, out| clock.on_timeout(stamp, out));
                }
                Ok(()) = calls.ping.changed() => {
                    self.alive.send_replace(*calls.ping.borrow_and_update());
                }
                Ok(()) = self.delays.changed() => {
                    self.note_delay(self.now.stamp());
                    // The page may be ours to make again.
                    self.effects.push(Effect::Show);
                }
                // After all that the board has to tell.
                Some(asked) = requests.recv() => self.answer(asked).await,
            }
        }
    }

    /// Somebody orders or says something, or asks what waits. He is answered when it is durable.
    async fn answer(&mut self, asked: Asked) {
        let Asked { what, text, state, author, reason, reply: to } = asked;
        let at = self.now.stamp();
        let mut answer = Answer::of(AnswerClass::Done);
        let event = match what {
            orders::BoardRequest::Open => None,
            orders::BoardRequest::Act(act) => Some(Event::Act(act)),
            orders::BoardRequest::Paired(paired) => Some(Event::Paired(paired)),
        };
        if let Some(event) = event {
            let act = if let Event::Act(act) = &event { Some(act) } else { None };
            let order = || desk::AdmittedOrder { at: at.mono, author: &author, text: &text, state };
            let unclear = act.and_then(|act| self.game.unclear(act));
            let unclear = unclear.map(|why| Answer::without_effect(AnswerClass::Overtaken, why));
            let refused = self.desk.admit(order()).err().map(|answer| *answer);
            if let Some(answer) = refused.or(unclear) {
                to.send(answer).ok();
                return;
            }
            if act.is_some_and(|act| !matches!(act, Act::Ordered { .. })) {
                self.handle(at, &Event::Entered { author: author.clone(), reason });
            }
            self.handle(at, &event);
            if let Event::Paired(paired) = &event {
                self.note_delay(at);
                if paired.is_current && self.game.play().is_some_and(|play| play.is_over()) {
                    answer.lines.push(STAYS.to_owned());
                }
            }
            let refusals = self.game.refusals();
            if !refusals.is_empty() {
                answer.class = AnswerClass::Refused;
                answer.why = Some(refusals.join("; "));
                answer.lines = open::lines(&self.game, at.mono);
            } else {
                self.desk.done(order());
            }
        } else {
            answer.lines = open::lines(&self.game, at.mono);
            let n = self.desk.state();
            answer.lines.push(format!(
                "state      {n}; with --at {n} an order counts only if nothing has happened since"
            ));
        }
        let after = After { reply: Some(Reply { answer, to }), ..After::default() };
        self.carry_out(at, after).await;
    }

    /// Hears what the board has said by now. Where the machine was held up, several moves and their
    /// presses are there at once, and no move comes behind its press.
    async fn hear_line(&mut self) {
        // Whoever reads the line comes first.
        tokio::task::yield_now().await;
        while self.line.n_waiting() > 0
            && let Some(heard) = self.line.heard().await
        {
            self.hear(heard).await;
        }
    }

    async fn hear(&mut self, heard: Heard<LinkNews>) {
        let Heard { at, what } = heard;
        if matches!(what, LinkNews::Bytes(_) | LinkNews::Saw(_)) {
            self.counts.note_heard(at.mono);
        }
        match what {
            LinkNews::Up => {
                self.counts.note_opened();
                self.ear.forget();
                self.drive(|clock, out| clock.link_changed(at, out));
                self.handle(at, &Event::LinkUp);
            }
            LinkNews::Down(why) => {
                self.drive(|clock, out| clock.link_changed(at, out));
                if self.troubles.insert(why.clone()) {
                    warn!(board = self.name, "{why}");
                }
                self.handle(at, &Event::LinkDown);
            }
            LinkNews::Bytes(bytes) if self.game.settings().board.has_own_language() => {
                self.handle(at, &Event::Said(bytes));
            }
            LinkNews::Bytes(bytes) => {
                let items = self.ear.decode(at.mono, &bytes);
                self.counts.note_items(&items);
                self.handle(at, &Event::Bytes);
                let n_noise: usize = items.into_iter().map(|item| self.hear_item(at, item)).sum();
                if n_noise > 0 {
                    debug!(board = self.name, n_noise, "bytes that are not a message");
                }
            }
            LinkNews::Chosen(role) => self.chosen = Some((role, at.mono)),
            LinkNews::Saw(event) => {
                let at = Stamp { mono: at.mono.max(self.handled), ..at };
                self.handle(at, &event);
            }
        }
        self.carry_out(at, After::default()).await;
    }

    /// The clock's driver hears a message before the game does: of two presses in one breath each
    /// is told with its own times, and not with those after both. Returns how many bytes of it
    /// were noise.
    fn hear_item(&mut self, at: Stamp, item: Item) -> usize {
        // The clock behind another board is that of another game.
        let is_own = self.game.hears_own_board();
        if let Item::Message(message) = &item
            && is_own
        {
            self.drive(|clock, out| clock.hear(at, message, out));
            self.tell_driving(at);
        }
        let n_noise = self.ear.tell(at, item, &mut self.game, &mut self.effects);
        if is_own && !self.game.hears_own_board() {
            self.drive(|clock, out| clock.link_changed(at, out));
        }
        n_noise
    }

    fn handle(&mut self, at: Stamp, event: &Event) {
        self.handled = at.mono;
        self.game.handle(at, event, &mut self.effects);
    }

    /// A promotion is on record by now for which a button was pressed: it was to that piece.
    fn promote(&mut self, at: Stamp) {
        let Some((role, since)) = self.chosen else { return };
        if at.mono.since(since) > CHOSEN_FOR {
            self.chosen = None;
        } else if let Some(act) = self.game.promoted_to(role) {
            self.chosen = None;
            let at = Stamp { mono: at.mono.max(self.handled), ..at };
            self.handle(at, &Event::Act(act));
        }
    }

    /// The game hears how the clock is driven, if that has changed.
    fn tell_driving(&mut self, at: Stamp) {
        if let Some(driving) = self.clock.take_driving() {
            let at = Stamp { mono: at.mono.max(self.handled), ..at };
            self.handle(at, &driving);
        }
    }

    /// Lets the clock's driver act, and does what it asks.
    fn drive(
        &mut self,
        act: impl FnOnce(&mut dyn TableClock, &mut Vec<DriverOutput<BoardCommand>>),
    ) {
        let mut acts = Vec::new();
        act(self.clock.as_mut(), &mut acts);
        for act in acts {
            match act {
                DriverOutput::Send(command) => self.line.send(command.encode()),
                DriverOutput::Tell(news) => clock::tell(&self.name, &news),
            }
        }
    }

    /// The board says itself why it does not work, which is told once.
    fn complain(&mut self) {
        if let Some(why) = self.game.why_given_up()
            && self.complaint.replace(why) != Some(why)
        {
            warn!(board = self.name, "{why}");
        }
    }

    /// Sends what is to be sent at once, and passes the rest to the journal.
    async fn carry_out(&mut self, at: Stamp, mut after: After) {
        let jumped =
            self.wall.jumped_from(at).map(|from| Keeping::WallJumped { from, to: at.wall });
        let known = self.wall.source.news(at.mono).map(|is_known| match is_known {
            true => Keeping::WallKnown,
            false => Keeping::WallUnknown,
        });
        for fact in known.into_iter().chain(jumped).map(Fact::Record) {
            self.effects.insert(0, Effect::Record(Entry { at, fact }));
        }
        let mut lines = Vec::new();
        let mut wants_show = false;
        for effect in std::mem::take(&mut self.effects) {
            match effect {
                Effect::Send(bytes) => self.line.send(bytes),
                Effect::Reopen => {
                    self.complain();
                    self.line.reopen();
                }
                Effect::Clock(order) => self.drive(|clock, out| clock.obey(at, order, out)),
                Effect::Show => wants_show = true,
                Effect::Record(entry) => {
                    self.counts.note_fact(entry.at.mono, &entry.fact);
                    self.drive(|clock, out| clock.note(at, &entry.fact, out));
                    let time = record::time_of_day(entry.at.wall);
                    let line = self.log.line(&entry.fact).map(|line| format!("{time}  {line}"));
                    self.desk.note(line.as_deref());
                    after.lines.extend(line);
                    after.is_end |= matches!(entry.fact, Fact::Ended(_) | Fact::GameClosed);
                    lines.push(record::line_of(&entry));
                }
            }
        }
        self.status.send_if_modified(|status| status.note_round(&self.game));
        let lit = self.game.lit(at.mono);
        self.lit.send_if_modified(|was| std::mem::replace(was, lit) != lit);
        let link = self.game.link();
        // Others hold the lock of what is published while they read it: only news is worth that.
        if std::mem::replace(&mut self.link, link) != link {
            if link == LinkState::Live {
                self.troubles.clear();
            }
            self.status.send_modify(|status| status.link = link);
        }
        if let Some(reply) = &mut after.reply {
            reply.answer.lines.splice(..0, after.lines.iter().cloned());
        } else if lines.is_empty() && !wants_show {
            return;
        }
        let shown = wants_show.then(oneshot::channel).map(|(rendered, shown)| {
            after.shown = Some(shown);
            rendered
        });
        after.heard = (!lines.is_empty()).then(|| self.now.instant(at.mono));
        // The publisher may have gone with the writer.
        self.sent.send(SentBatch::now(after.lines.clone())).ok();
        if self.writer.send(Batch { lines, after }).await.is_err() {
            warn!(board = self.name, "the journal's writer is gone");
        }
        // The disk has it in hand; all else is done meanwhile.
        if let Some(rendered) = shown {
            // The publisher may have gone with the writer.
            rendered.send(Arc::new(ShownView::of(&self.name, &self.game, at))).ok();
        }
    }
}

/// What a record tells of itself is the first thing that this run puts on it, and who plays the
/// next.
fn first_effects(
    news: Vec<Keeping>,
    pairing: Option<Pairing>,
    game: &mut Game,
    at: Stamp,
) -> Vec<Effect> {
    let entry = |keeping| Effect::Record(Entry { at, fact: Fact::Record(keeping) });
    let mut effects = news.into_iter().map(entry).collect();
    if let Some(pairing) = pairing {
        let paired = Box::new(game::Paired { pairing, ..game::Paired::default() });
        game.handle(at, &Event::Paired(paired), &mut effects);
    }
    effects
}

/// What of the record is news to the arbiter.
fn tell_record(board: &str, news: &[Keeping]) {
    for news in news {
        match news {
            _ if news.is_loss() => error!(board, "THE RECORD HAS A HOLE: {news}; tell the arbiter"),
            Keeping::Mended { .. } => error!(board, "THE RECORD'S DISK IS FAILING: {news}"),
            _ => warn!(board, "{news}"),
        }
    }
}
