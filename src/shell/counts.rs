//! What has happened at each board since the daemon was started, counted: for those who look after
//! a hall.

use crate::game::Fact;
use crate::table::Word;
use crate::time::Mono;
use crate::wire::{Item, SkipReason};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counters of one board. Its loop alone counts; whoever reads holds up nobody, hence no lock.
#[derive(Debug, Default)]
pub struct Counts {
    /// When anything was heard of the board last, and when a sensor changed; 0 before that.
    heard: AtomicU64,
    sensed: AtomicU64,
    /// How often the way to the board was opened.
    opened: AtomicU64,
    /// Runs of bytes that were no message, by the reason, and how many bytes that were.
    skipped: WordCounts<8>,
    skipped_bytes: AtomicU64,
    /// How often the whole board was read, and was not as believed.
    resyncs: AtomicU64,
    /// Presses by player.
    presses: WordCounts<2>,
    /// Completed moves by what completed them.
    completions: WordCounts<4>,
    /// Findings by code.
    findings: WordCounts<32>,
    /// What the referee said, by code.
    rulings: WordCounts<128>,
    /// What waits for the loop: of the board, and of people.
    from_board: AtomicU64,
    from_people: AtomicU64,
}

/// What has happened at a board, as counted at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// When anything was heard of the board last.
    pub heard: Option<Mono>,
    /// When a sensor changed last.
    pub sensed: Option<Mono>,
    /// How often the way to the board was opened.
    pub opened: u64,
    /// Runs of bytes that were no message, by the reason.
    pub skipped: BTreeMap<String, u64>,
    /// How many bytes that were.
    pub skipped_bytes: u64,
    /// How often the whole board was read, and was not as believed.
    pub resyncs: u64,
    /// Presses by player.
    pub presses: BTreeMap<String, u64>,
    /// Completed moves by what completed them.
    pub completions: BTreeMap<String, u64>,
    /// Findings by code.
    pub findings: BTreeMap<String, u64>,
    /// What the referee said, by code.
    pub rulings: BTreeMap<String, u64>,
    /// What was heard of the board and waits.
    pub from_board: u64,
    /// Orders that wait.
    pub from_people: u64,
}

impl Counts {
    /// Something was heard of the board.
    pub fn note_heard(&self, at: Mono) {
        self.heard.store(at.0.max(1), Ordering::Relaxed);
    }

    /// The way to the board is open.
    pub fn note_opened(&self) {
        self.opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes were cut into these.
    pub fn note_items(&self, items: &[Item]) {
        for item in items {
            let (bytes, why) = match *item {
                Item::Message(_) => continue,
                Item::Skipped { bytes, why } => (bytes, why),
                Item::Unknown { bytes, .. } => (bytes, SkipReason::UnknownId),
            };
            self.skipped.count(why.word());
            self.skipped_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// This goes on record.
    pub fn note_fact(&self, at: Mono, fact: &Fact) {
        if let Some(finding) = fact.finding() {
            self.findings.count(finding.code());
        }
        match fact {
            Fact::Sensed { .. } => self.sensed.store(at.0.max(1), Ordering::Relaxed),
            Fact::Pictured(_) => drop(self.resyncs.fetch_add(1, Ordering::Relaxed)),
            Fact::Pressed { by } => self.presses.count(by.word()),
            Fact::MoveCompleted { by, .. } => self.completions.count(by.word()),
            Fact::Ruled(ruled) => ruled.code.iter().for_each(|it| self.rulings.count(it.word())),
            _ => {}
        }
    }

    /// So much waits for the loop.
    pub fn note_waiting(&self, from_board: usize, from_people: usize) {
        self.from_board.store(from_board as u64, Ordering::Relaxed);
        self.from_people.store(from_people as u64, Ordering::Relaxed);
    }

    /// All since the daemon was started.
    pub fn read(&self) -> Counted {
        let number = |it: &AtomicU64| it.load(Ordering::Relaxed);
        let moment = |it| Some(number(it)).filter(|at| *at > 0).map(Mono);
        Counted {
            heard: moment(&self.heard),
            sensed: moment(&self.sensed),
            opened: number(&self.opened),
            skipped: self.skipped.read(),
            skipped_bytes: number(&self.skipped_bytes),
            resyncs: number(&self.resyncs),
            presses: self.presses.read(),
            completions: self.completions.read(),
            findings: self.findings.read(),
            rulings: self.rulings.read(),
            from_board: number(&self.from_board),
            from_people: number(&self.from_people),
        }
    }
}

/// How often each of `N` words at the most was said. Places are taken in the order in which words
/// come, so that no list of all words is needed.
#[derive(Debug)]
struct WordCounts<const N: usize>([(OnceLock<&'static str>, AtomicU64); N]);

impl<const N: usize> Default for WordCounts<N> {
    fn default() -> Self {
        Self([const { (OnceLock::new(), AtomicU64::new(0)) }; N])
    }
}

impl<const N: usize> WordCounts<N> {
    fn count(&self, word: &'static str) {
        let place = self.0.iter().find(|(known, _)| *known.get_or_init(|| word) == word);
        debug_assert!(place.is_some(), "there are more than {N} words");
        if let Some((_, n)) = place {
            n.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn read(&self) -> BTreeMap<String, u64> {
        let said = self.0.iter().map_while(|(word, n)| Some((word.get()?, n)));
        said.map(|(word, n)| ((*word).to_owned(), n.load(Ordering::Relaxed))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruled;
    use crate::laws::{Code, Confidence, Edition, Finding, FindingKind};
    use crate::track::line::CompletedBy;
    use shakmaty::Color;

    #[test]
    fn words_have_places_of_their_own() {
        let counts = WordCounts::<3>::default();
        assert!(counts.read().is_empty());
        for word in ["noise", "timed-out", "noise"] {
            counts.count(word);
        }
        let said: Vec<_> = counts.read().into_iter().collect();
        assert_eq!(said, [("noise".to_owned(), 2), ("timed-out".to_owned(), 1)]);
    }

    #[test]
    fn there_is_a_place_for_every_code_of_the_referee() {
        let counts = Counts::default();
        for code in Code::ALL {
            let ruled = Ruled {
                code: Some(code),
                by: None,
                row: None,
                edition: Edition::M2023,
                confidence: Confidence::Observed,
                text: String::new(),
            };
            counts.note_fact(Mono(7), &Fact::Ruled(ruled));
        }
        assert_eq!(counts.read().rulings.len(), Code::ALL.len());
    }

    #[test]
    fn facts_are_counted_by_what_they_are() {
        let counts = Counts::default();
        let finding = Finding { kind: FindingKind::PressWithoutMove, by: Some(Color::Black) };
        let by = CompletedBy::Press;
        for fact in [
            Fact::Pressed { by: Color::White },
            Fact::MoveCompleted { ply: 1, by, pressed_before: Default::default(), times: None },
            Fact::Found(finding),
        ] {
            counts.note_fact(Mono(7), &fact);
        }
        let counted = counts.read();
        assert_eq!(counted.presses["white"], 1);
        assert_eq!(counted.completions["press"], 1);
        assert_eq!(counted.findings["PRESS_WITHOUT_MOVE"], 1);
        assert_eq!((counted.heard, counted.sensed), (None, None));
    }
}
