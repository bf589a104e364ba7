//! Many boards on one line: all hear the host, and who speaks while another one does spoils the
//! words of both. Protocol 4.

use super::script::Happening;
use super::table::Table;
use crate::time::Mono;
use std::time::Duration;

/// A byte at 9600 baud (protocol 1.1).
const BYTE_TIME: Duration = Duration::from_micros(1_042);

/// Those who speak at one time do for longer than this: less is a rounding of the times.
const MET_WITHIN: Duration = Duration::from_micros(BYTE_TIME.as_micros() as u64 / 2);

/// A host hears so many bytes together. Made up.
const PIECE: usize = 8;

/// A line and the tables along it.
#[derive(Debug)]
pub struct SharedLine {
    tables: Vec<Table>,
    /// What is on the line, and who has sent it; in the order in which it begins.
    on_line: Vec<(usize, Chunk)>,
    n_collisions: u64,
}

/// Bytes on their way over a line that others speak on as well.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// When the last of them has passed.
    pub end: Mono,
    /// At least one.
    pub bytes: Vec<u8>,
}

impl Chunk {
    fn start(&self) -> Mono {
        let span = BYTE_TIME.as_micros() * self.bytes.len() as u128;
        Mono(self.end.0.saturating_sub(u64::try_from(span).unwrap_or(u64::MAX)))
    }

    /// The message as a host hears it, some bytes at a time.
    fn pieces(self) -> Vec<Self> {
        let start = self.start();
        let mut n_before = 0;
        let piece = |bytes: &[u8]| {
            n_before += bytes.len();
            let span = BYTE_TIME.as_micros() * n_before as u128;
            let end = Mono(start.0 + u64::try_from(span).unwrap_or(u64::MAX));
            Self { end, bytes: bytes.to_vec() }
        };
        self.bytes.chunks(PIECE).map(piece).collect()
    }
}

impl SharedLine {
    /// A line along these tables. Those without a DGT board have no part in it.
    pub fn new(tables: Vec<Table>) -> Self {
        Self { tables, on_line: Vec::new(), n_collisions: 0 }
    }

    /// One of the tables.
    pub fn table(&self, idx: usize) -> &Table {
        &self.tables[idx]
    }

    /// One of the tables, to do something at it.
    pub fn table_mut(&mut self, idx: usize) -> &mut Table {
        &mut self.tables[idx]
    }

    /// How many tables there are.
    pub fn n_tables(&self) -> usize {
        self.tables.len()
    }

    /// How often boards have spoken at one time.
    pub fn n_collisions(&self) -> u64 {
        self.n_collisions
    }

    /// Whether each board is asked for its changes.
    pub fn are_awake(&self) -> bool {
        self.tables.iter().all(Table::is_awake)
    }

    /// Bytes of a host have come.
    pub fn host_bytes(&mut self, now: Mono, bytes: &[u8]) {
        for table in &mut self.tables {
            table.host_bytes(now, bytes);
        }
        self.gather(now);
    }

    /// Hands do something at a table. A board whose power is gone says nothing more.
    pub fn happen(&mut self, now: Mono, idx: usize, happening: &Happening) {
        self.tables[idx].happen(now, happening);
        if matches!(happening, Happening::PowerOff | Happening::LineDown) {
            self.on_line.retain(|(sender, _)| *sender != idx);
        }
        self.gather(now);
    }

    /// Time has passed at the tables.
    pub fn tick(&mut self, now: Mono) {
        for table in &mut self.tables {
            if table.next_at().is_some_and(|at| at <= now) {
                table.tick(now);
            }
        }
        self.gather(now);
    }

    /// When something happens by itself.
    pub fn next_at(&self) -> Option<Mono> {
        let tables = self.tables.iter().filter_map(Table::next_at);
        tables.chain(self.first().map(|(_, end)| end)).min()
    }

    /// Takes what has come to the host.
    pub fn take(&mut self, now: Mono, out: &mut Vec<u8>) {
        while let Some((n, end)) = self.first().filter(|(_, end)| *end <= now) {
            self.n_collisions += u64::from(n > 1);
            let chunks: Vec<Chunk> = self.on_line.drain(..n).map(|(_, chunk)| chunk).collect();
            debug_assert!(chunks.iter().all(|chunk| chunk.end <= end), "they end together");
            out.extend(merged(&chunks));
        }
    }

    /// How many of those that began first have met each other, and when they are over.
    fn first(&self) -> Option<(usize, Mono)> {
        let mut chunks = self.on_line.iter().map(|(_, chunk)| chunk);
        let mut end = chunks.next()?.end;
        let met = chunks.take_while(|chunk| {
            let has_met = chunk.start() + MET_WITHIN < end;
            end = end.max(if has_met { chunk.end } else { end });
            has_met
        });
        let n = 1 + met.count();
        Some((n, end))
    }

    fn gather(&mut self, now: Mono) {
        for (idx, table) in self.tables.iter_mut().enumerate() {
            let Some(board) = table.board_mut() else { continue };
            let pieces = board.take_chunks(now).into_iter().flat_map(Chunk::pieces);
            self.on_line.extend(pieces.map(|piece| (idx, piece)));
        }
        self.on_line.sort_by_key(|(_, chunk)| chunk.start());
    }
}

/// What a host hears of those who speak at one time: who pulls the line up is heard.
fn merged(chunks: &[Chunk]) -> Vec<u8> {
    let Some(start) = chunks.iter().map(Chunk::start).min() else { return Vec::new() };
    let mut heard: Vec<u8> = Vec::new();
    for chunk in chunks {
        let late = chunk.start().since(start) + BYTE_TIME / 2;
        let offset = usize::try_from(late.as_micros() / BYTE_TIME.as_micros()).unwrap_or(0);
        heard.resize(heard.len().max(offset + chunk.bytes.len()), 0);
        for (to, from) in heard[offset..].iter_mut().zip(&chunk.bytes) {
            *to |= from;
        }
    }
    heard
}
