//! A tape or a trace through the very core that runs at the board, in virtual time.
//!
//! The bytes of a tape are fed as they came; nobody answers what the core sends. The readings of a
//! trace move the pieces of a simulated board, which sends what a real one would send over its
//! line, and answers what it is asked.

use super::script::{Happening, Header, Script};
use super::table::Table;
use super::trouble::{Away, Noise, Out, Trouble};
use super::{certabo, pegasus};
use crate::game::{BoardKind, Ear, Effect, Entry, Event, Game, Recovered, Settings};
use crate::table::{Sight, defaults};
use crate::time::{Mono, Stamp, Wall};
use std::collections::VecDeque;
use std::iter::Peekable;
use std::slice::Iter;
use std::time::Duration;

/// After the last line of a script the core gets this long to come to its conclusions: long enough
/// for the board to be read once more ([`crate::wire::session::REFRESH`]).
const AFTERMATH: Duration = Duration::from_secs(11);
/// The same while the board's own memory is awaited, which takes its time.
const AFTERMATH_OF_MEMORY: Duration = Duration::from_secs(90);
/// Between closing a line and opening it again.
const REOPEN_AFTER: Duration = Duration::from_millis(50);
/// From a cable being pulled to another one being plugged in in its place.
pub const PLUGGED_IN: Duration = Duration::from_secs(3);
/// The number of the board beside.
const OTHER_SERIAL: &str = "02047";

/// A finished replay: what was put on record, and the game as it stands.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The record, in order.
    pub entries: Vec<Entry>,
    /// The core after the last event.
    pub game: Game,
}

/// Settings for a script: those of its header.
pub fn settings_of(header: &Header) -> Settings {
    Settings {
        white: header.white.clone(),
        black: header.black.clone(),
        event: header.event.clone(),
        start: header.start.clone(),
        is_chess960: header.is_chess960,
        time_control: header.time_control.clone(),
        ..Settings::default()
    }
}

impl Replay {
    /// Runs `script` from its beginning to its end. Takes no real time but that of computing.
    pub fn run(script: &Script) -> Self {
        Self::run_with(script, settings_of(&script.header))
    }

    /// The same with other settings than those of its header.
    pub fn run_with(script: &Script, settings: Settings) -> Self {
        Self::run_amid(script, settings, &Trouble::default())
    }

    /// The same on a line that has its troubles. The bytes of a tape have had theirs already.
    pub fn run_amid(script: &Script, settings: Settings, trouble: &Trouble) -> Self {
        Self::run_watched(script, settings, trouble, &mut |_, _| {})
    }

    /// The same. `watch` sees the game after each event that puts something on record, and what is
    /// on record by then.
    pub fn run_watched(
        script: &Script,
        settings: Settings,
        trouble: &Trouble,
        watch: &mut dyn FnMut(&Game, &[Entry]),
    ) -> Self {
        // A board that names its pieces is played with its line.
        let has_line = script.is_tape() || script.header.sight == Sight::Pieces;
        let of_sight = if has_line { BoardKind::Dgt } else { BoardKind::Scanned };
        let board = script.header.maker.unwrap_or(of_sight);
        let chips = if settings.chips.is_empty() { certabo::set() } else { settings.chips.clone() };
        let mut run = Run::new(Settings { board, chips, key: pegasus::KEY, ..settings }, watch);
        if script.is_tape() {
            run.tape(script);
        } else {
            run.noise.clone_from(&trouble.noise);
            run.trace(script, trouble);
        }
        Self { entries: run.entries, game: run.game }
    }
}

/// Who hears a board goes, or comes back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Pull {
    Out(Away),
    In(Away),
}

fn pulls(script: &Script, trouble: &Trouble) -> VecDeque<(Mono, Pull)> {
    let of_out = |out: &Out| match out.what {
        // One cable is pulled before the other one is plugged in, and again.
        Away::Exchanged { until } => vec![
            (out.from, Pull::Out(Away::Cable)),
            (out.from + PLUGGED_IN, Pull::In(out.what)),
            (until, Pull::Out(out.what)),
            (out.until, Pull::In(Away::Cable)),
        ],
        what => vec![(out.from, Pull::Out(what)), (out.until, Pull::In(what))],
    };
    let outs = trouble.outs.iter().flat_map(of_out);
    let of_daemon = script.happenings.iter().filter_map(|(at, what)| match what {
        Happening::Killed => Some((*at, Pull::Out(Away::Daemon))),
        Happening::Started => Some((*at, Pull::In(Away::Daemon))),
        _ => None,
    });
    let mut pulls: Vec<(Mono, Pull)> = outs.chain(of_daemon).collect();
    pulls.sort_by_key(|(at, _)| *at);
    pulls.into()
}

/// A table, and what is yet to be done on it.
struct ScriptedTable<'s> {
    table: Table,
    happenings: Peekable<Iter<'s, (Mono, Happening)>>,
}

impl<'s> ScriptedTable<'s> {
    fn new(script: &'s Script, is_forgetful: bool) -> Self {
        let table = Table::new(&script.header);
        let table = if is_forgetful { table.that_forgets() } else { table };
        Self { table, happenings: script.happenings.iter().peekable() }
    }

    fn next_at(&mut self) -> Option<Mono> {
        let happening = self.happenings.peek().map(|(at, _)| *at);
        [happening, self.table.next_at()].into_iter().flatten().min()
    }
}

/// The table that hangs on the line, and the one beside it.
struct BothTables<'s> {
    heard: ScriptedTable<'s>,
    other: Option<ScriptedTable<'s>>,
}

impl<'s> BothTables<'s> {
    fn new(script: &'s Script, trouble: &'s Trouble) -> Self {
        let other = trouble.other.as_ref().map(|other| {
            let mut other = ScriptedTable::new(other, trouble.is_forgetful);
            other.table = other.table.numbered(OTHER_SERIAL, 0);
            other.table.begin(Mono::default());
            other.table.happen(Mono::default(), &Happening::LineDown);
            other
        });
        Self { heard: ScriptedTable::new(script, trouble.is_forgetful), other }
    }

    /// The other table hangs on the line from now on.
    fn exchange(&mut self) {
        if let Some(other) = &mut self.other {
            std::mem::swap(&mut self.heard, other);
        }
    }

    fn next_at(&mut self) -> Option<Mono> {
        let other = self.other.as_mut().and_then(ScriptedTable::next_at);
        [self.heard.next_at(), other].into_iter().flatten().min()
    }

    /// What is done on the table beside is heard by nobody.
    fn pass_unheard(&mut self, now: Mono) {
        let Some(ScriptedTable { table, happenings }) = &mut self.other else { return };
        while let Some((_, happening)) = happenings.next_if(|(at, _)| *at <= now) {
            table.happen(now, happening);
        }
        if table.next_at().is_some_and(|at| at <= now) {
            table.tick(now);
            table.take(now, &mut Vec::new());
        }
    }
}

defaults! {
    /// The core with its effects gathered.
    struct Run<'w> {
        given {
            watch: &'w mut dyn FnMut(&Game, &[Entry]),
            game: Game,
            settings: Settings,
        }
        ear: Ear,
        effects: Vec<Effect>,
        entries: Vec<Entry>,
        /// What the core has sent since it was last looked at, in bytes.
        sent: Vec<u8>,
        wants_reopen: bool,
        noise: Option<Noise>,
        /// What is yet to be done to the cable.
        pulls: VecDeque<(Mono, Pull)>,
        is_unplugged: bool,
        is_killed: bool,
        /// When the daemon was started.
        started: Mono,
    }
}

impl<'w> Run<'w> {
    fn new(settings: Settings, watch: &'w mut dyn FnMut(&Game, &[Entry])) -> Self {
        Self::begin(watch, Game::new(settings.clone()), settings)
    }

    fn tape(&mut self, script: &Script) {
        let mut last = Mono::default();
        if script.header.maker.is_some() {
            // Its driver asks what was asked when the tape was made, and hears the answers.
            self.event(last, &Event::LinkUp);
        }
        for (at, happening) in &script.happenings {
            self.wake_until(*at);
            last = *at;
            if let Happening::Received(bytes) = happening {
                self.receive(*at, bytes);
            }
        }
        self.wake_until(last + AFTERMATH);
    }

    fn trace(&mut self, script: &Script, trouble: &Trouble) {
        let mut tables = BothTables::new(script, trouble);
        tables.heard.table.begin(Mono::default());
        self.pulls = pulls(script, trouble);
        let last = script.happenings.last().map_or(Mono::default(), |(at, _)| *at);
        if self.pulls.front().is_some_and(|(at, _)| *at == Mono::default()) {
            // There is no daemon yet.
            self.pull(Mono::default(), &mut tables);
        } else if tables.heard.table.has_line() {
            self.event(Mono::default(), &Event::LinkUp);
        } else {
            let placement = tables.heard.table.placement().clone();
            self.event(Mono::default(), &Event::Pictured(placement));
        }
        loop {
            let next_pull = self.pulls.front().map(|(at, _)| *at);
            let wake = self.wake_at().filter(|_| !self.is_killed);
            let next = [next_pull, tables.next_at(), wake];
            let awaits_memory = self.game.awaits_memory();
            let end = last + if awaits_memory { AFTERMATH_OF_MEMORY } else { AFTERMATH };
            let Some(now) = next.into_iter().flatten().min().filter(|now| *now <= end) else {
                return;
            };
            tables.pass_unheard(now);
            let ScriptedTable { table, happenings } = &mut tables.heard;
            if next_pull == Some(now) {
                self.pull(now, &mut tables);
            } else if let Some((_, happening)) = happenings.next_if(|(at, _)| *at == now) {
                if let Some(event) = table.happen(now, happening) {
                    self.event(now, &event);
                }
            } else if table.next_at() == Some(now) {
                self.pass(now, table);
            } else if wake == Some(now) {
                self.event(now, &Event::Timeout);
            }
            self.carry_out(now, &mut tables.heard.table);
        }
    }

    /// Pulls a cable or plugs one in.
    fn pull(&mut self, now: Mono, tables: &mut BothTables<'_>) {
        let Some((_, pull)) = self.pulls.pop_front() else { return };
        self.is_unplugged = matches!(pull, Pull::Out(_));
        let happening = if self.is_unplugged { Happening::LineDown } else { Happening::LineUp };
        if matches!(pull, Pull::In(Away::Exchanged { .. })) {
            tables.exchange();
        }
        let heard = tables.heard.table.happen(now, &happening);
        if matches!(pull, Pull::Out(Away::Exchanged { .. })) {
            tables.exchange();
        }
        match pull {
            Pull::Out(Away::Power) => _ = tables.heard.table.happen(now, &Happening::PowerOff),
            Pull::In(Away::Power) => _ = tables.heard.table.happen(now, &Happening::PowerOn),
            _ => {}
        }
        self.ear.forget();
        self.is_killed = pull == Pull::Out(Away::Daemon);
        if pull == Pull::In(Away::Daemon) {
            self.start_again(now);
        }
        // A daemon that is not there hears of nothing.
        if self.is_killed || now == Mono::default() {
            return;
        }
        let of_line = if self.is_unplugged { Event::LinkDown } else { Event::LinkUp };
        self.event(now, &of_line);
        if let Some(heard) = heard.filter(|heard| *heard != of_line) {
            self.event(now, &heard);
        }
    }

    /// The daemon is started anew, and goes on from what is on record.
    fn start_again(&mut self, now: Mono) {
        self.started = now;
        let mut fold = Recovered::default();
        for (idx, entry) in self.entries.iter().enumerate() {
            fold.fold(idx, entry).expect("what was recorded can be recovered");
        }
        fold.note_gone(self.entries.last().map(|last| now.since(last.at.mono)));
        self.game = fold.into_game(self.settings.clone());
        (self.effects, self.sent, self.wants_reopen) = Default::default();
    }

    /// Lets the clock go on and the bytes arrive.
    fn pass(&mut self, now: Mono, table: &mut Table) {
        if let Some(event) = table.tick(now) {
            self.event(now, &event);
        }
        let mut bytes = Vec::new();
        table.take(now, &mut bytes);
        if let Some(noise) = &mut self.noise {
            noise.spoil(&mut bytes);
        }
        if !bytes.is_empty() {
            self.receive(now, &bytes);
        }
    }

    /// Hands the board what was sent, and opens the line anew when that was asked for.
    fn carry_out(&mut self, now: Mono, table: &mut Table) {
        if std::mem::take(&mut self.wants_reopen) && !self.is_unplugged {
            self.event(now, &Event::LinkDown);
            self.ear.forget();
            self.event(now + REOPEN_AFTER, &Event::LinkUp);
        }
        let mut sent = std::mem::take(&mut self.sent);
        if let Some(noise) = &mut self.noise {
            noise.spoil(&mut sent);
        }
        if !sent.is_empty() {
            table.host_bytes(now, &sent);
        }
    }

    /// Lets every timer that is due before `until` fire at its time.
    fn wake_until(&mut self, until: Mono) {
        while let Some(due) = self.wake_at().filter(|due| *due < until) {
            self.event(due, &Event::Timeout);
        }
    }

    fn receive(&mut self, at: Mono, bytes: &[u8]) {
        if self.is_killed {
            return;
        }
        self.ear.hear(self.stamp(at), bytes, &mut self.game, &mut self.effects);
        self.gather();
    }

    fn event(&mut self, at: Mono, event: &Event) {
        if self.is_killed {
            return;
        }
        self.game.handle(self.stamp(at), event, &mut self.effects);
        self.gather();
    }

    fn gather(&mut self) {
        let n_known = self.entries.len();
        for effect in self.effects.drain(..) {
            match effect {
                Effect::Record(Entry { at, fact }) => {
                    let mono = at.mono + self.started.since(Mono::default());
                    self.entries.push(Entry { at: Stamp { mono, ..at }, fact });
                }
                Effect::Send(bytes) => self.sent.extend(bytes),
                Effect::Reopen => self.wants_reopen = true,
                Effect::Show | Effect::Clock(_) => {}
            }
        }
        if self.entries.len() > n_known {
            (self.watch)(&self.game, &self.entries);
        }
    }

    /// What a daemon that was started at `started` calls this time. In a replay the clock on the
    /// wall shows the time since the start of all.
    fn stamp(&self, at: Mono) -> Stamp {
        let mono = Mono::default() + at.since(self.started);
        Stamp { mono, wall: Wall(i64::try_from(at.0).unwrap_or(i64::MAX)) }
    }

    /// When the core wants to be woken.
    fn wake_at(&self) -> Option<Mono> {
        self.game.wake_at().map(|due| due + self.started.since(Mono::default()))
    }
}
