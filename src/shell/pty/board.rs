//! A simulated board behind a pseudo-terminal, with the whole cable to itself.

use super::{PtyActor, PtyError, PtyStub, Simulated, TableScript};
use crate::sim::Table;
use crate::sim::script::Happening;
use crate::time::Mono;
use std::collections::VecDeque;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// Hands and cable of one board.
pub type PtyBoardStub = PtyStub<TableScript>;

/// The simulated board itself.
pub type PtyBoardActor = PtyActor<LoneTable>;

/// A simulated board behind a pseudo-terminal: where it begins.
#[derive(Debug)]
pub struct PtyBoard;

impl PtyBoard {
    /// Plugs in the board of `table`. With a `link` the host's end has that name as often as the
    /// board is plugged in. The table's time begins now; nothing answers until the actor runs.
    ///
    /// Must be called inside a runtime.
    ///
    /// # Errors
    /// The table has no board with a line, or there is no pseudo-terminal or no link.
    pub fn open(
        table: Table,
        link: Option<PathBuf>,
    ) -> Result<(PtyBoardStub, PtyBoardActor), PtyError> {
        if !table.has_line() {
            return Err(PtyError::NoLine);
        }
        PtyActor::open(LoneTable { table, beside: None }, link)
    }
}

/// A table whose board has the cable to itself.
#[derive(Debug)]
pub struct LoneTable {
    table: Table,
    /// Where hands go that reach for a clock beside the table.
    beside: Option<mpsc::UnboundedSender<Happening>>,
}

impl PtyBoardActor {
    /// The clock is not on the table: what hands do to it is told to `beside`.
    pub fn with_clock_beside(mut self, beside: mpsc::UnboundedSender<Happening>) -> Self {
        self.simulated.beside = Some(beside);
        self
    }
}

impl Simulated for LoneTable {
    type Script = TableScript;
    type Act = Happening;

    const NAME: &str = "board";

    fn next_at(&self) -> Option<Mono> {
        self.table.next_at()
    }

    fn tick(&mut self, now: Mono) {
        self.table.tick(now);
    }

    fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        self.table.take(now, bytes);
    }

    fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        self.table.host_bytes(now, bytes);
    }

    fn happen(&mut self, now: Mono, act: Happening) {
        self.table.happen(now, &act);
        if let Some(beside) = &self.beside {
            // Nobody there, nobody to press.
            beside.send(act).ok();
        }
    }

    fn is_awake(&self) -> bool {
        self.table.is_awake()
    }

    fn power_cycle(&mut self, now: Mono) {
        self.table.power_cycle(now);
    }

    fn begin(
        &mut self,
        now: Mono,
        script: TableScript,
        _left: VecDeque<(Mono, Happening)>,
    ) -> VecDeque<(Mono, Happening)> {
        self.table.begin(now);
        let later = |(at, what): (Mono, Happening)| (now + at.since(Mono::default()), what);
        script.into_iter().map(later).collect()
    }
}
