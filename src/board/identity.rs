//! Which board it is: what it tells of itself, and whether that is to be believed.

use crate::time::Mono;
use std::time::Duration;

/// A number that is told so soon after noise may be noise itself.
const NOISE_LASTS: Duration = Duration::from_secs(10);
/// The shortest number that counts then. Boards have five digits or ten.
const LEN_MIN: usize = 4;

/// What a serial number says beside those on record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// It is on record, or none.
    Known,
    /// It is the first of its kind, or another one.
    New,
    /// It came out of noise, or is another one than is known: the board is to be asked again.
    Doubtful,
}

/// The serial numbers of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Serials {
    known: Vec<String>,
    /// When bytes came last that were no message.
    noise_at: Option<Mono>,
    /// What was told last and is in doubt, of each length.
    told: Vec<String>,
    /// The board has told one of the known ones since the line is open.
    is_told: bool,
}

impl Serials {
    /// The line is open: another board may be there.
    pub(super) fn link_up(&mut self) {
        self.is_told = false;
    }

    /// Whether the board that is there has told which one it is, as far as it ever does.
    pub(super) fn are_told(&self) -> bool {
        self.is_told || self.known.is_empty()
    }

    /// Whether boards are told apart by this number: by the short one, which is asked for first,
    /// unless they have none.
    pub(super) fn tells_apart(&self, serial: &str) -> bool {
        self.known.iter().all(|known| known.len() >= serial.len())
    }

    /// The number in whose place `serial` is.
    pub(super) fn like(&self, serial: &str) -> Option<&str> {
        self.known.iter().find(|known| known.len() == serial.len()).map(String::as_str)
    }

    /// Bytes came that are no message.
    pub(super) fn note_noise(&mut self, now: Mono) {
        self.noise_at = Some(now);
    }

    /// A board tells its serial number, short or long. Noise that happens to be such a message is
    /// not told twice alike, nor is a digit that was hurt.
    pub(super) fn hear(&mut self, now: Mono, serial: &str) -> Identity {
        if serial.is_empty() || self.known.iter().any(|known| known == serial) {
            self.told.retain(|told| told.len() != serial.len());
            self.is_told |= !serial.is_empty();
            return Identity::Known;
        }
        let is_noisy = self.noise_at.is_some_and(|at| now.since(at) < NOISE_LASTS);
        let is_other = self.known.iter().any(|known| known.len() == serial.len());
        if is_noisy || is_other {
            let was_told = self.told.iter().any(|told| told == serial);
            self.told.retain(|told| told.len() != serial.len());
            self.told.push(serial.to_owned());
            if !was_told || serial.len() < LEN_MIN {
                return Identity::Doubtful;
            }
        }
        self.take(serial);
        self.is_told = true;
        Identity::New
    }

    /// A serial number is on record.
    pub(super) fn take(&mut self, serial: &str) {
        self.known.retain(|known| known.len() != serial.len());
        self.known.push(serial.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_noise_counts_once_it_is_told_twice_alike() {
        let at = Mono::from_millis;
        let mut serials = Serials::default();
        assert_eq!(serials.hear(at(1), ""), Identity::Known);
        assert_eq!(serials.hear(at(1), "01025"), Identity::New);
        serials.note_noise(at(2));
        assert_eq!(serials.hear(at(3), "01025"), Identity::Known);
        assert_eq!(serials.hear(at(3), "77"), Identity::Doubtful);
        assert_eq!(serials.hear(at(4), "77"), Identity::Doubtful);
        assert_eq!(serials.hear(at(5), "02047"), Identity::Doubtful);
        assert_eq!(serials.hear(at(6), "02048"), Identity::Doubtful);
        assert_eq!(serials.hear(at(7), "02048"), Identity::New);
        assert_eq!(serials.hear(at(10_003), "3000001025"), Identity::New);
    }

    #[test]
    fn another_board_tells_its_number_twice() {
        let at = Mono::from_millis;
        let mut serials = Serials::default();
        assert_eq!(serials.hear(at(1), "01025"), Identity::New);
        // A digit was hurt.
        assert_eq!(serials.hear(at(2_000), "41025"), Identity::Doubtful);
        assert_eq!(serials.hear(at(2_100), "01025"), Identity::Known);
        assert_eq!(serials.hear(at(4_000), "41025"), Identity::Doubtful);
        assert_eq!(serials.hear(at(4_100), "41025"), Identity::New);
    }
}
