//! Certabo's and Tabutronic's boards. They tell all squares again and again, unasked, and hear of
//! nothing but their lights. One with chips below its pieces knows a piece only if its chip is in
//! the settings; without any, and on a board without chips, it tells that a square is occupied.

use super::doubts::Doubts;
use super::mirror::{Mirror, by_mirror};
use super::{Driver, News};
use crate::table::Sight;
use crate::time::Mono;
use crate::wire::blocks::Blocks;
use crate::wire::certabo::{Chip, Chips, FromCertabo, encode_lights};
use crate::wire::{CertaboLights, CertaboMessage, Dump, FieldCode, Orientation};
use shakmaty::{Bitboard, Board, Color, Piece, Role, Square};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// A chip that is weak is not read each time: what two of so many readings say is so.
const N_READINGS: usize = 3;
/// Without a picture for this long some may have been lost: a board of chips sends one or two a
/// second.
const GAP_AFTER: Duration = Duration::from_secs(3);
/// Without a picture for this long the line is opened anew.
const LOST_AFTER: Duration = Duration::from_secs(6);
/// Between two commands for the lights (protocol 7.3).
const LIGHTS_GAP: Duration = Duration::from_millis(600);
/// What stands on each occupied square where no pieces are told apart.
const PAWN: Piece = Piece { color: Color::White, role: Role::Pawn };

/// The driver of such a board.
#[derive(Clone, Debug, Default)]
pub struct Certabo {
    mirror: Mirror,
    doubts: Doubts,
    blocks: Blocks,
    chips: Chips,
    /// The last pictures, newest first.
    readings: VecDeque<Dump>,
    is_up: bool,
    is_given_up: bool,
    /// It was told that nothing is heard.
    is_quiet: bool,
    last_heard: Mono,
    shown_at: Mono,
    lights: Option<CertaboLights>,
    lit: Bitboard,
    /// The lights are to be told, once they may be.
    is_dark: bool,
    lit_at: Mono,
    sent: Vec<Vec<u8>>,
}

impl Certabo {
    /// A board that has not spoken yet, and lies so, if that is known, with the chips of its
    /// pieces.
    pub fn new(lies: Option<Orientation>, chips: Chips) -> Self {
        Self { mirror: Mirror::new(lies), chips, ..Self::default() }
    }

    fn hear(&mut self, now: Mono, message: &CertaboMessage) {
        match message {
            CertaboMessage::HasLights => self.know_lights(CertaboLights::Squares),
            CertaboMessage::HasColors => self.know_lights(CertaboLights::Corners),
            CertaboMessage::Occupied(fields) => {
                self.mirror.see(Sight::Occupied);
                let n_needed = if self.doubts.is_noisy(now) { N_READINGS } else { 1 };
                let code = |is_there: &bool| FieldCode::from(is_there.then_some(PAWN));
                self.read(now, Dump(std::array::from_fn(|idx| code(&fields[idx]))), n_needed);
            }
            CertaboMessage::Chips(chips) => {
                let is_blind = self.chips.is_empty();
                self.mirror.see(if is_blind { Sight::Occupied } else { Sight::Pieces });
                let piece = |chip: &Chip| match is_blind {
                    true => (*chip != Chip::NONE).then_some(PAWN),
                    false => self.chips.get(chip).copied(),
                };
                let dump = Dump(std::array::from_fn(|idx| FieldCode::from(piece(&chips[idx]))));
                self.read(now, dump, N_READINGS);
            }
        }
    }

    /// A picture has come, of which so many are looked at.
    fn read(&mut self, now: Mono, dump: Dump, n_looked_at: usize) {
        if now.since(self.shown_at) > GAP_AFTER {
            self.tell_quiet();
            // What was read before it is of another time.
            self.readings.clear();
        }
        (self.shown_at, self.is_quiet) = (now, false);
        self.readings.push_front(dump);
        self.readings.truncate(n_looked_at);
        if self.readings.len() < n_looked_at {
            return;
        }
        let agreed = Dump(std::array::from_fn(|idx| self.agreed(idx)));
        self.mirror.show(now, agreed);
    }

    /// What most of the last readings of a field say; if all differ, the newest.
    fn agreed(&self, idx: usize) -> FieldCode {
        let codes = || self.readings.iter().map(|dump| dump.0[idx]);
        let n_of = |code: FieldCode| codes().filter(|other| *other == code).count();
        codes()
            .find(|code| 2 * n_of(*code) > self.readings.len())
            .unwrap_or(self.readings[0].0[idx])
    }

    fn know_lights(&mut self, kind: CertaboLights) {
        if self.lights.replace(kind) != Some(kind) {
            self.is_dark = true;
        }
    }

    /// Nothing is heard: who presses a clock beside the board meanwhile has made a move that nobody
    /// saw.
    fn tell_quiet(&mut self) {
        if self.mirror.is_live() && !std::mem::replace(&mut self.is_quiet, true) {
            self.mirror.tell(News::WasQuiet(self.shown_at));
            self.mirror.want();
        }
    }

    /// Lights what is to be lit, once the board takes it.
    fn shine(&mut self, now: Mono) {
        let Some(kind) = self.lights.filter(|_| self.is_dark && now >= self.lit_at + LIGHTS_GAP)
        else {
            return;
        };
        let lies = self.mirror.lies().unwrap_or(Orientation::Normal);
        self.sent.push(encode_lights(self.lit, lies, kind));
        (self.is_dark, self.lit_at) = (false, now);
    }
}

impl Driver for Certabo {
    by_mirror!();

    fn link_up(&mut self, now: Mono, _asks_clock: bool) {
        self.link_down();
        (self.is_up, self.is_given_up, self.is_quiet) = (true, false, false);
        (self.last_heard, self.shown_at) = (now, now);
        self.doubts = Doubts::default();
    }

    fn link_down(&mut self) {
        (self.is_up, self.lights) = (false, None);
        self.blocks = Blocks::default();
        self.readings.clear();
        self.mirror.lose();
    }

    fn on_said(&mut self, now: Mono, bytes: &[u8]) {
        self.last_heard = now;
        let cuttings = self.blocks.push::<FromCertabo>(now, bytes);
        // Who comes to a line comes in the middle of a picture.
        if cuttings.n_noise > 0 && self.mirror.is_live() {
            self.doubts.note_noise(now);
            if self.doubts.is_dense(now) {
                self.mirror.tell(News::Noise);
            }
        }
        for message in &cuttings.messages {
            self.hear(now, message);
        }
        self.shine(now);
    }

    fn wake_at(&self) -> Option<Mono> {
        if !self.is_up || self.is_given_up {
            return None;
        }
        let tells = self.mirror.is_live() && !self.is_quiet;
        let quiet = if tells { GAP_AFTER } else { LOST_AFTER };
        Some(self.shown_at + quiet)
    }

    fn on_timeout(&mut self, now: Mono) {
        if self.is_up && now >= self.shown_at + GAP_AFTER {
            self.tell_quiet();
        }
        self.is_given_up |= self.is_up && now >= self.shown_at + LOST_AFTER;
    }

    fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    fn leave(&mut self) {
        if let Some(kind) = self.lights {
            self.sent.push(encode_lights(Bitboard::EMPTY, Orientation::Normal, kind));
        }
        self.link_down();
    }

    /// The next one is told as a whole; they come unasked.
    fn want_picture(&mut self, _now: Mono) {
        self.mirror.want();
    }

    fn light(&mut self, now: Mono, squares: Bitboard) {
        self.is_dark |= std::mem::replace(&mut self.lit, squares) != squares;
        self.shine(now);
    }

    fn is_noisy(&self, now: Mono) -> bool {
        self.doubts.is_noisy(now)
    }
}

/// Learns the chips of a set from pictures of its start position, on a board that lies so. A second
/// queen of each color may stand on d3 and d6.
///
/// # Errors
/// A piece has no chip that can be read, or a chip is where no piece belongs, in one sentence.
pub fn learn(pictures: &[[Chip; 64]], lies: Orientation) -> Result<Chips, String> {
    let mut expected = Board::new();
    let mut chips = Chips::new();
    for (sq, color) in [(Square::D3, Color::White), (Square::D6, Color::Black)] {
        expected.set_piece_at(sq, Role::Queen.of(color));
    }
    for sq in Square::ALL {
        let idx = usize::from(lies.field(sq).index());
        let mut counts: BTreeMap<Chip, usize> = BTreeMap::new();
        for picture in pictures.iter().filter(|picture| picture[idx] != Chip::NONE) {
            *counts.entry(picture[idx]).or_default() += 1;
        }
        let found = counts.into_iter().max_by_key(|(_, n)| *n).map(|(chip, _)| chip);
        match (expected.piece_at(sq), found) {
            (Some(piece), Some(chip)) => {
                if chips.insert(chip, piece).is_some() {
                    return Err(format!("{sq} has the same chip as another square"));
                }
            }
            (Some(_), None) if [Square::D3, Square::D6].contains(&sq) => {}
            (Some(_), None) => return Err(format!("no chip can be read on {sq}")),
            (None, Some(_)) => return Err(format!("{sq} should be empty but has a chip")),
            (None, None) => {}
        }
    }
    Ok(chips)
}
