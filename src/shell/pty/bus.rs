//! Many simulated boards on one line, behind one pseudo-terminal.

use super::{PtyActor, PtyError, PtyStub, Simulated, TableScript};
use crate::sim::SharedLine;
use crate::sim::script::Happening;
use crate::time::Mono;
use std::collections::VecDeque;
use std::path::PathBuf;

/// What hands do at which of the tables.
type BusScript = Vec<(usize, TableScript)>;

/// Hands at the tables along a line, and at its cable. What is still to be done at tables that a
/// script does not name goes on.
pub type PtyBusStub = PtyStub<BusScript>;

/// The simulated line itself.
pub type PtyBusActor = PtyActor<SharedLine>;

/// Where many boards on one line begin.
#[derive(Debug)]
pub struct PtyBus;

impl PtyBus {
    /// Plugs in the `line`. With a `link` the host's end has that name.
    ///
    /// Must be called inside a runtime.
    ///
    /// # Errors
    /// There is no pseudo-terminal or no link.
    pub fn open(
        line: SharedLine,
        link: Option<PathBuf>,
    ) -> Result<(PtyBusStub, PtyBusActor), PtyError> {
        PtyActor::open(line, link)
    }
}

impl Simulated for SharedLine {
    type Script = BusScript;
    /// At which table, and what.
    type Act = (usize, Happening);

    const NAME: &str = "line";

    fn next_at(&self) -> Option<Mono> {
        self.next_at()
    }

    fn tick(&mut self, now: Mono) {
        self.tick(now);
    }

    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        self.take(now, bytes);
    }

    fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        self.host_bytes(now, bytes);
    }

    fn happen(&mut self, now: Mono, (table, what): Self::Act) {
        self.happen(now, table, &what);
    }

    fn is_awake(&self) -> bool {
        self.are_awake()
    }

    /// The boards have their power from elsewhere.
    fn power_cycle(&mut self, _now: Mono) {}

    fn begin(
        &mut self,
        now: Mono,
        script: BusScript,
        left: VecDeque<(Mono, Self::Act)>,
    ) -> VecDeque<(Mono, Self::Act)> {
        for (table, _) in script.iter().filter(|(_, script)| !script.is_empty()) {
            self.table_mut(*table).begin(now);
        }
        let later = script.into_iter().flat_map(|(table, script)| {
            let at_table = move |(at, what): (Mono, Happening)| {
                (now + at.since(Mono::default()), (table, what))
            };
            script.into_iter().map(at_table)
        });
        let mut acts: Vec<_> = left.into_iter().chain(later).collect();
        acts.sort_by_key(|(at, _)| *at);
        acts.into()
    }
}
