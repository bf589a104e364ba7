//! One line of the journal: what it says, how it is written, and how a damaged one is told from a
//! whole one before anything in it is believed.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io;
use std::str::FromStr;

use serde::de::IgnoredAny;
use serde_json::Value;
use thiserror::Error;

use crate::time::{Mono, Stamp, Wall};

/// The version that this program writes, and the only one it reads.
pub const VERSION: u32 = 1;

/// The longest body, in bytes. A score sheet of 300 moves is a tenth of it.
pub const MAX_BODY: usize = 256 * 1024;

/// Checksum in hexadecimal and one space.
const CRC_LEN: usize = 9;

/// Which start of the computer a line was written in: monotonic times compare only within one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct BootId([u8; 16]);

impl BootId {
    /// Reads 32 hexadecimal digits; hyphens, as the kernel writes them, are skipped.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: String = text.trim().chars().filter(|c| *c != '-').collect();
        parse_hex(&digits).map(Self)
    }

    /// The id of the running system: from `ROKADE_BOOT_ID`, which our systemd unit sets because
    /// its sandbox hides the kernel's file, or else from `/proc/sys/kernel/random/boot_id`.
    pub fn of_this_boot() -> io::Result<Self> {
        let text = match std::env::var("ROKADE_BOOT_ID") {
            Ok(text) => text,
            Err(_) => std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?,
        };
        Self::parse(&text).ok_or_else(|| io::Error::other("the boot id is not 32 hex digits"))
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

/// The first 16 bytes of the BLAKE3 hash of a whole line, newline included.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LineHash([u8; 16]);

impl LineHash {
    /// The hash of `raw`, a whole line with its newline.
    pub fn of(raw: &[u8]) -> Self {
        let mut short = [0; 16];
        short.copy_from_slice(&blake3::hash(raw).as_bytes()[..16]);
        Self(short)
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

/// A line's number and hash: whoever noted it finds out later whether anything up to that line was
/// changed or cut off, even by someone who made all later hashes anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The line's number.
    pub line: u64,
    /// Its hash, or the first digits of it.
    hash: String,
}

impl Noted {
    /// The fewest digits of a hash that prove anything.
    const DIGITS_MIN: usize = 8;

    /// This line with its whole hash.
    pub fn of(line: u64, hash: LineHash) -> Self {
        Self { line, hash: hash.to_string() }
    }

    /// Whether it is the hash that was noted.
    pub fn is(&self, hash: LineHash) -> bool {
        hash.to_string().starts_with(&self.hash)
    }
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.hash)
    }
}

impl FromStr for Noted {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = "use the line and at least 8 digits of its hash, as in 431:9c3f01aa";
        let (line, hash) = text.trim().split_once(':').ok_or(wrong)?;
        let is_hash = hash.len() >= Self::DIGITS_MIN && hash.bytes().all(|b| b.is_ascii_hexdigit());
        let line = line.parse().ok().filter(|line| *line > 0 && is_hash).ok_or(wrong)?;
        Ok(Self { line, hash: hash.to_ascii_lowercase() })
    }
}

/// What the journal is asked to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLine {
    /// When it happened.
    pub stamp: Stamp,
    /// What happened: one JSON object.
    pub body: String,
}

/// What the journal gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// Its number; the first line of a journal is 1, and none is missing.
    pub seq: u64,
    /// The start of the computer that `stamp.mono` belongs to.
    pub boot: BootId,
    /// When it happened.
    pub stamp: Stamp,
    /// What happened, as it was given; characters that steer a terminal are escaped.
    pub body: String,
}

/// Why a line is not believed.
#[derive(Copy, Clone, Debug, Error, PartialEq, Eq)]
pub enum Flaw {
    /// The file ends inside the line.
    #[error("the line has no end")]
    Unfinished,
    /// A line should start here; there are zeros, and other bytes after them.
    #[error("there are zeros where a line should start, and other bytes after them")]
    Hole,
    /// The bytes are not those that were written.
    #[error("the checksum does not match")]
    Crc,
    /// The checksum matches but the line is none of ours.
    #[error("the line is not a journal entry")]
    Json,
    /// Written by another program version.
    #[error("the line has version {0}, which this program cannot read")]
    Version(u32),
    /// A line is missing, doubled or out of place.
    #[error("line {found} stands where line {expected} should")]
    Sequence {
        /// The number that belongs here.
        expected: u64,
        /// The number that is here.
        found: u64,
    },
    /// The line does not continue the one before it.
    #[error("the hash of the line before does not match")]
    Chain,
}

impl Flaw {
    /// Whether a power cut can have caused it. A line that is whole but wrong was made so.
    pub fn can_be_torn(self) -> bool {
        matches!(self, Self::Unfinished | Self::Hole | Self::Crc)
    }
}

/// A line as it stands in the file, borrowed.
#[derive(Copy, Clone, Debug)]
pub(super) struct Parsed<'a> {
    pub(super) seq: u64,
    /// Every line up to this one was known to be on the disk when this one was made.
    pub(super) synced: u64,
    pub(super) boot: BootId,
    pub(super) stamp: Stamp,
    pub(super) prev: LineHash,
    pub(super) body: &'a str,
}

impl Parsed<'_> {
    pub(super) fn to_line(self) -> JournalLine {
        JournalLine {
            seq: self.seq,
            boot: self.boot,
            stamp: self.stamp,
            body: self.body.to_owned(),
        }
    }
}

/// What a line says besides its body and its time.
#[derive(Copy, Clone, Debug)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) synced: u64,
    pub(super) boot: BootId,
    pub(super) prev: LineHash,
}

/// The whole line, newline included.
pub(super) fn encode(head: &Head, stamp: Stamp, body: &str) -> Vec<u8> {
    let Head { seq, synced, boot, prev } = head;
    let (mono, wall) = (stamp.mono.0, stamp.wall.0);
    let json = format!(
        "{{\"v\":{VERSION},\"seq\":{seq},\"synced\":{synced},\"boot\":\"{boot}\",\
         \"mono_us\":{mono},\"wall_us\":{wall},\"prev\":\"{prev}\",\"body\":{body}}}"
    );
    format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes()
}

/// `body` as it may be written, or `None` if it is not one JSON object. What it says stays the
/// same, so that everything that can be said can be kept and read back: characters that steer a
/// terminal are escaped, and texts are cut only where the whole would be too long for a line.
pub(super) fn sound(body: &str) -> Option<Cow<'_, str>> {
    let is_plain = body.ends_with('}') && !body.contains(|c: char| c.is_ascii_control());
    let body = if is_plain && body.starts_with('{') && is_built(body) {
        Cow::Borrowed(body)
    } else {
        let value: Value = serde_json::from_str(body).ok()?;
        Cow::Owned(value.is_object().then(|| value.to_string())?)
    };
    let body = escaped(body);
    if body.len() <= MAX_BODY { Some(body) } else { shortened(&body).map(Cow::Owned) }
}

/// Characters above ASCII stand in JSON inside of texts only, so each may be escaped where it is.
fn escaped(body: Cow<'_, str>) -> Cow<'_, str> {
    if !body.contains(steers) {
        return body;
    }
    let mut plain = String::with_capacity(body.len() + 16);
    for c in body.chars() {
        if steers(c) {
            let _ = write!(plain, "\\u{:04x}", u32::from(c));
        } else {
            plain.push(c);
        }
    }
    Cow::Owned(plain)
}

/// Characters that a terminal obeys instead of showing them: controls, ends of lines, and those
/// that turn the direction of writing.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}')
}

/// The same with its texts cut, as little as need be.
fn shortened(body: &str) -> Option<String> {
    let mut value: Value = serde_json::from_str(body).ok()?;
    let mut most = MAX_BODY / 8;
    while most > 0 {
        cut_texts(&mut value, most);
        let short = escaped(Cow::Owned(value.to_string())).into_owned();
        if short.len() <= MAX_BODY {
            return Some(short);
        }
        most /= 2;
    }
    None
}

fn cut_texts(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(most) {
                text.truncate(at);
                text.push('\u{2026}');
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| cut_texts(value, most)),
        Value::Object(fields) => fields.values_mut().for_each(|value| cut_texts(value, most)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether `body` can be built in memory, not only walked through: no reader may choke on it.
fn is_built(body: &str) -> bool {
    serde_json::from_str::<Value>(body).is_ok()
}

/// Whether `body` is one JSON object, without building it.
fn is_object(body: &str) -> bool {
    body.starts_with('{') && serde_json::from_str::<IgnoredAny>(body).is_ok()
}

/// Reads `raw`, a line with its newline.
pub(super) fn parse(raw: &[u8]) -> Result<Parsed<'_>, Flaw> {
    let Some((b'\n', line)) = raw.split_last() else { return Err(Flaw::Unfinished) };
    if line.len() <= CRC_LEN {
        return Err(Flaw::Crc);
    }
    let (crc, json) = line.split_at(CRC_LEN);
    if !is_sum(crc, crc32fast::hash(json)) {
        return Err(Flaw::Crc);
    }
    let json = std::str::from_utf8(json).map_err(|_| Flaw::Json)?;
    let mut cursor = Unparsed(json);
    cursor.literal("{\"v\":").ok_or(Flaw::Json)?;
    let version = cursor.number().ok_or(Flaw::Json)?;
    if version != VERSION {
        return Err(Flaw::Version(version));
    }
    let parsed = parse_fields(cursor).ok_or(Flaw::Json)?;
    if parsed.synced >= parsed.seq || !is_object(parsed.body) {
        return Err(Flaw::Json);
    }
    Ok(parsed)
}

/// Whether `written` is `sum` as [`encode`] writes it. Whole journals are read at the start, line
/// by line: nothing is allocated for it.
fn is_sum(written: &[u8], sum: u32) -> bool {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |shift: u32| DIGITS[(sum >> shift & 0xf) as usize];
    let expected = (0..8_u32).rev().map(|nth| digit(nth * 4)).chain([b' ']);
    expected.eq(written.iter().copied())
}

/// Our own lines have their fields in one order and no blanks, so the body is taken as it stands.
fn parse_fields(mut cursor: Unparsed<'_>) -> Option<Parsed<'_>> {
    cursor.literal(",\"seq\":")?;
    let seq = cursor.number()?;
    cursor.literal(",\"synced\":")?;
    let synced = cursor.number()?;
    cursor.literal(",\"boot\":\"")?;
    let boot = BootId(cursor.hex()?);
    cursor.literal("\",\"mono_us\":")?;
    let mono = Mono(cursor.number()?);
    cursor.literal(",\"wall_us\":")?;
    let wall = Wall(cursor.number()?);
    cursor.literal(",\"prev\":\"")?;
    let prev = LineHash(cursor.hex()?);
    cursor.literal("\",\"body\":")?;
    let body = cursor.0.strip_suffix('}')?;
    Some(Parsed { seq, synced, boot, stamp: Stamp { mono, wall }, prev, body })
}

/// The part of a line that is still to be read.
struct Unparsed<'a>(&'a str);

impl Unparsed<'_> {
    fn literal(&mut self, text: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(text)?;
        Some(())
    }

    fn number<T: FromStr>(&mut self) -> Option<T> {
        let (digits, rest) = self.0.split_at(self.0.find(',')?);
        self.0 = rest;
        digits.parse().ok()
    }

    fn hex(&mut self) -> Option<[u8; 16]> {
        let (digits, rest) = self.0.split_at_checked(32)?;
        self.0 = rest;
        parse_hex(digits)
    }
}

fn parse_hex(digits: &str) -> Option<[u8; 16]> {
    if digits.len() != 32 || digits.starts_with('+') {
        return None;
    }
    u128::from_str_radix(digits, 16).ok().map(u128::to_be_bytes)
}

fn write_hex(bytes: &[u8; 16], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{:032x}", u128::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(body: &str) -> Vec<u8> {
        synced_to(6, body)
    }

    /// Line 7, at whose writing the first `synced` lines were durable.
    fn synced_to(synced: u64, body: &str) -> Vec<u8> {
        let boot = BootId::parse("0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0").unwrap();
        let stamp = Stamp { mono: Mono(u64::MAX), wall: Wall(-5) };
        let head = Head { seq: 7, synced, boot, prev: LineHash::of(b"before") };
        encode(&head, stamp, body)
    }

    #[test]
    fn a_line_is_noted_by_its_number_and_eight_digits_of_its_hash() {
        let noted: Noted = " 431:9C3F01AA ".parse().unwrap();
        assert_eq!((noted.line, &*noted.hash), (431, "9c3f01aa"));
        for wrong in ["431:9c3f01a", "431:9c3f01zz", "0:9c3f01aa", "x:9c3f01aa", "431 9c3f01aa"] {
            assert!(wrong.parse::<Noted>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_line_comes_back_as_it_was_written() {
        let body = "{\"say\":\"\u{265e} \\\"}\\u0000\",\"n\":[1,{}]}";
        let raw = sample(body);
        let parsed = parse(&raw).unwrap();
        assert_eq!(parsed.body, body);
        assert_eq!((parsed.seq, parsed.synced), (7, 6));
        assert_eq!(parsed.stamp, Stamp { mono: Mono(u64::MAX), wall: Wall(-5) });
        assert_eq!(parsed.prev, LineHash::of(b"before"));
        assert_eq!(parsed.boot.to_string(), "0f1e2d3c4b5a69788796a5b4c3d2e1f0");
    }

    #[test]
    fn no_single_bit_can_change_unseen() {
        let whole = sample("{\"a\":1}");
        for bit in 0..whole.len() * 8 {
            let mut raw = whole.clone();
            raw[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&raw).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn a_whole_line_of_another_kind_is_named() {
        let seal =
            |json: &str| format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())).into_bytes();
        assert_eq!(parse(&seal("{\"v\":2,\"n\":1}")).unwrap_err(), Flaw::Version(2));
        assert_eq!(parse(&seal("{\"v\":1,\"n\":1}")).unwrap_err(), Flaw::Json);
        assert_eq!(parse(&seal("")).unwrap_err(), Flaw::Crc);
    }

    #[test]
    fn no_line_is_durable_before_it_is_written() {
        assert!(parse(&synced_to(6, "{}")).is_ok());
        assert_eq!(parse(&synced_to(7, "{}")).unwrap_err(), Flaw::Json);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert_eq!(sound("{}").unwrap(), "{}");
        for body in ["", "1", "[]", "{", "{} {}", "{\"a\":\"\0\"}", "{\"a\":1}\n{}"] {
            assert!(sound(body).is_none(), "{body:?}");
        }
        assert!(sound(&format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200))).is_none());
    }

    #[test]
    fn whatever_can_be_said_can_be_written_and_read_back() {
        for code in (0..0x3000).chain(0xfff0..0x1_0010) {
            let Some(c) = char::from_u32(code) else { continue };
            let said = serde_json::json!({ "white": format!("a{c}b") });
            let body = sound(&said.to_string()).unwrap().into_owned();
            assert!(!body.contains(steers), "{code:x}");
            let raw = sample(&body);
            let read: Value = serde_json::from_str(parse(&raw).unwrap().body).unwrap();
            assert_eq!(read, said, "{code:x}");
        }
        assert_eq!(sound("{\"a\":\n1}\n").unwrap(), "{\"a\":1}");
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_and_the_others_are_kept() {
        for filling in ["x", "\u{7f}", "\u{265e}"] {
            let name = filling.repeat(300_000);
            let said = serde_json::json!({ "white": name, "black": "B", "ply": 7 }).to_string();
            let body = sound(&said).unwrap();
            assert!(body.len() <= MAX_BODY);
            let read: Value = serde_json::from_str(&body).unwrap();
            let white = read["white"].as_str().unwrap();
            let n = white.chars().count();
            assert!(n > 1_000 && name.starts_with(white.strip_suffix('\u{2026}').unwrap()), "{n}");
            assert_eq!((read["black"].as_str(), read["ply"].as_u64()), (Some("B"), Some(7)));
        }
    }

    #[test]
    fn a_boot_id_needs_32_digits() {
        assert!(BootId::of_this_boot().is_ok());
        assert!(BootId::parse("0f1e").is_none());
        assert!(BootId::parse(&"g".repeat(32)).is_none());
        assert!(BootId::parse(&format!("{}\n", "A".repeat(32))).is_some());
    }
}
