//! Which line may follow which. One set of rules for the recovery, for `rokade verify` and for
//! the reader, so that the three can never disagree about what the journal says.

use std::collections::VecDeque;
use std::io::BufRead;

use super::JournalError;
use super::damage::{Damage, Remainder, Rest};
use super::line::{Flaw, LineHash, Parsed, parse};
use super::storage::Storage;

const SUFFIX: &str = ".journal";

/// The name of segment `number`, the first being 1.
pub(super) fn segment_name(number: u64) -> String {
    format!("{number:06}{SUFFIX}")
}

/// The segments in the folder, in order.
pub(super) fn segments<S: Storage>(storage: &S) -> Result<Vec<(u64, String)>, JournalError> {
    let names = storage.list().map_err(|e| JournalError::io("list", storage.label(), e))?;
    let mut found: Vec<(u64, String)> = names
        .into_iter()
        .filter_map(|name| {
            let number = name.strip_suffix(SUFFIX)?.parse().ok()?;
            (segment_name(number) == name).then_some((number, name))
        })
        .collect();
    found.sort();
    Ok(found)
}

/// All of a file from `from` on.
pub(super) fn read_all<S: Storage>(
    storage: &S,
    name: &str,
    from: u64,
) -> Result<Vec<u8>, JournalError> {
    storage.read(name, from, usize::MAX).map_err(|e| JournalError::io("read", name, e))
}

/// As much of a file as its first line can need.
pub(super) fn read_start<S: Storage>(storage: &S, name: &str) -> Result<Vec<u8>, JournalError> {
    let most = 4 * super::MAX_BODY;
    storage.read(name, 0, most).map_err(|e| JournalError::io("read", name, e))
}

/// What stands at one place of a segment.
#[derive(Debug)]
pub(super) enum CutLine<'a> {
    /// Nothing more, or only zeros.
    End,
    /// Bytes up to and with a newline.
    Raw(&'a [u8]),
    /// Bytes that are no line that follows.
    Flaw(Flaw),
}

/// Looks at `bytes`, which is the whole rest of a segment.
pub(super) fn cut_line(bytes: &[u8]) -> CutLine<'_> {
    match bytes.first() {
        None => CutLine::End,
        Some(0) if bytes.iter().all(|byte| *byte == 0) => CutLine::End,
        Some(0) => CutLine::Flaw(Flaw::Hole),
        Some(_) => first_line(bytes).map_or(CutLine::Flaw(Flaw::Unfinished), CutLine::Raw),
    }
}

/// The first line of `bytes`, newline included.
pub(super) fn first_line(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    let len = rest.skip_until(b'\n').expect("memory can be read");
    bytes[..len].ends_with(b"\n").then_some(&bytes[..len])
}

/// What a line is to the journal so far.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Novelty {
    /// The next line.
    Fresh,
    /// A line seen before, written again at the start of a new segment.
    Repeat,
}

/// What the next line of a segment is.
#[derive(Debug)]
pub(super) enum NextLine<'a> {
    /// There is none.
    End,
    /// One that can be believed, with its bytes.
    Line(&'a [u8], Parsed<'a>, Novelty),
    /// One that cannot.
    Flaw(Flaw),
}

/// How far the journal is known.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The number of the next line.
    pub(super) next: u64,
    /// The hash of the last line.
    pub(super) head: LineHash,
    /// Some later line says that all lines up to this one were on the disk.
    pub(super) proven: u64,
    /// The lines after `proven`, whole: what a segment may repeat.
    pub(super) unproven: VecDeque<Vec<u8>>,
}

impl Chain {
    pub(super) fn new() -> Self {
        Self { next: 1, head: LineHash::default(), proven: 0, unproven: VecDeque::new() }
    }

    /// The number of the last line, 0 if there is none.
    pub(super) fn last(&self) -> u64 {
        self.next - 1
    }

    /// Judges a line. `before` is the number of the line before it in the same segment.
    pub(super) fn judge(
        &self,
        parsed: &Parsed<'_>,
        raw: &[u8],
        before: Option<u64>,
    ) -> Result<Novelty, Flaw> {
        let found = parsed.seq;
        let expected = before.map_or(self.next, |before| before + 1);
        let may_repeat = before.is_none() && found > self.proven && found < self.next;
        if found != expected && !may_repeat {
            return Err(Flaw::Sequence { expected, found });
        }
        if found == self.next {
            return if parsed.prev == self.head { Ok(Novelty::Fresh) } else { Err(Flaw::Chain) };
        }
        let known = found
            .checked_sub(self.proven + 1)
            .and_then(|idx| self.unproven.get(usize::try_from(idx).ok()?));
        if known.is_some_and(|known| known == raw) { Ok(Novelty::Repeat) } else { Err(Flaw::Chain) }
    }

    /// Reads one line from the start of `bytes`, the whole rest of a segment.
    pub(super) fn read<'a>(&self, bytes: &'a [u8], before: Option<u64>) -> NextLine<'a> {
        let raw = match cut_line(bytes) {
            CutLine::End => return NextLine::End,
            CutLine::Flaw(flaw) => return NextLine::Flaw(flaw),
            CutLine::Raw(raw) => raw,
        };
        match parse(raw).and_then(|parsed| Ok((parsed, self.judge(&parsed, raw, before)?))) {
            Ok((parsed, step)) => NextLine::Line(raw, parsed, step),
            Err(flaw) => NextLine::Flaw(flaw),
        }
    }

    /// Goes on behind what cannot be read: `next` comes, and says that `prev` was before it. The
    /// lines in front of it are never written again, as what is written again stands at the end.
    pub(super) fn skip_to(&mut self, next: u64, prev: LineHash) {
        (self.next, self.head) = (next, prev);
        self.confirm();
    }

    /// Nothing that was read up to now is to be written again.
    pub(super) fn confirm(&mut self) {
        self.proven = self.last();
        self.unproven.clear();
    }

    /// Takes a line that was judged [`Novelty::Fresh`].
    pub(super) fn accept(&mut self, parsed: &Parsed<'_>, raw: &[u8]) {
        self.next += 1;
        self.head = LineHash::of(raw);
        self.unproven.push_back(raw.to_vec());
        while self.proven < parsed.synced {
            self.proven += 1;
            self.unproven.pop_front();
        }
    }
}

/// One segment as the walk found it.
#[derive(Clone, Debug)]
pub(super) struct Walked {
    pub(super) number: u64,
    pub(super) name: String,
    /// The length of the file.
    pub(super) len: u64,
    /// Where the last good line ends.
    pub(super) used: u64,
    /// The numbers of its first and last good line.
    pub(super) span: Option<(u64, u64)>,
}

/// The place from which on nothing was ever confirmed.
#[derive(Clone, Debug)]
pub(super) struct Break {
    /// Index into [`Walk::segments`].
    pub(super) segment_idx: usize,
    pub(super) offset: u64,
    pub(super) flaw: Flaw,
}

/// A journal read from its start.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) chain: Chain,
    pub(super) segments: Vec<Walked>,
    /// An end that was being written when the power went.
    pub(super) broken: Option<Break>,
    /// What was once safe and is not as it was. The lines around it were read.
    pub(super) damage: Vec<Damage>,
    /// How many lines were read.
    pub(super) n_lines: u64,
}

/// Reads all segments and shows each line once to `each`.
///
/// A segment that cannot be read on from is no break if a later one continues from there: that is
/// how the writer leaves a file whose sync has failed.
pub(super) fn walk<S: Storage>(
    storage: &S,
    each: &mut dyn FnMut(&Parsed<'_>),
) -> Result<Walk, JournalError> {
    let mut walk = Walk {
        chain: Chain::new(),
        segments: Vec::new(),
        broken: None,
        damage: Vec::new(),
        n_lines: 0,
    };
    let all = segments(storage)?;
    let mut rest = Rest::new(storage, &all);
    for (idx, (number, name)) in all.iter().enumerate() {
        let bytes = read_all(storage, name, 0)?;
        if walk.broken.is_some() {
            let (len, number, name) = (bytes.len() as u64, *number, name.clone());
            walk.segments.push(Walked { number, name, len, used: 0, span: None });
            continue;
        }
        rest.later = &all[idx + 1..];
        walk.segment(*number, name, &bytes, &mut rest, each)?;
    }
    Ok(walk)
}

impl Walk {
    /// The number that a new segment gets.
    pub(super) fn next_segment(&self) -> u64 {
        self.segments.last().map_or(1, |last| last.number + 1)
    }

    fn segment<S: Storage>(
        &mut self,
        number: u64,
        name: &str,
        bytes: &[u8],
        rest: &mut Rest<'_, S>,
        each: &mut dyn FnMut(&Parsed<'_>),
    ) -> Result<(), JournalError> {
        let mut at = 0;
        let mut span: Option<(u64, u64)> = None;
        // Up to where what stands there is used, damaged or not.
        let mut used = 0;
        loop {
            let before = span.map(|(_, last)| last);
            let (raw, flaw) = match self.chain.read(&bytes[at..], before) {
                NextLine::End => break,
                NextLine::Line(raw, parsed, step) => {
                    if step == Novelty::Fresh {
                        self.take(&parsed, raw, each);
                    }
                    span = Some((span.map_or(parsed.seq, |(first, _)| first), parsed.seq));
                    at += raw.len();
                    used = at;
                    continue;
                }
                NextLine::Flaw(flaw) => (&bytes[at..], flaw),
            };
            match rest.beyond(&self.chain, raw, before, flaw)? {
                Remainder::Superseded => break,
                Remainder::Torn => {
                    let segment_idx = self.segments.len();
                    self.broken = Some(Break { segment_idx, offset: at as u64, flaw });
                    break;
                }
                Remainder::Damage(found) => {
                    let found = found.at(name, at as u64);
                    if let Some(raw) = &found.mended {
                        let parsed = parse(raw).expect("a line that was mended");
                        self.take(&parsed, raw, each);
                        self.chain.confirm();
                        span = Some((span.map_or(parsed.seq, |(first, _)| first), parsed.seq));
                    }
                    self.chain.skip_to(found.next, found.prev);
                    at += found.skips;
                    used = at;
                    if span.is_some() {
                        span = span.map(|(first, _)| (first, self.chain.last()));
                    }
                    self.damage.push(found.damage);
                    if at >= bytes.len() {
                        break;
                    }
                }
            }
        }
        let (len, used, name) = (bytes.len() as u64, used as u64, name.to_owned());
        self.segments.push(Walked { number, name, len, used, span });
        Ok(())
    }

    fn take(&mut self, parsed: &Parsed<'_>, raw: &[u8], each: &mut dyn FnMut(&Parsed<'_>)) {
        self.chain.accept(parsed, raw);
        self.n_lines += 1;
        each(parsed);
    }
}

/// How many bytes `bytes` has without the zeros at its end.
pub(super) fn len_without_zeros(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}
