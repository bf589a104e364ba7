//! Bytes on their way from a model to its host, at the speed of a line.

use crate::time::Mono;
use std::collections::VecDeque;
use std::time::Duration;

/// A byte with start, stop and parity or an eighth bit, at 38400 bits in a second.
const BYTE_TIME: Duration = Duration::from_micros(260);

/// What a host has yet to hear.
#[derive(Clone, Debug, Default)]
pub(super) struct Outgoing {
    /// Each with the moment at which it is there.
    bytes: VecDeque<(Mono, u8)>,
    /// The line is free from then on.
    free_at: Mono,
    is_cut: bool,
}

impl Outgoing {
    /// Sends `bytes` behind all that was sent before.
    pub(super) fn send(&mut self, now: Mono, bytes: &[u8]) {
        self.free_at = self.free_at.max(now);
        for byte in bytes {
            self.free_at = self.free_at + BYTE_TIME;
            self.bytes.push_back((self.free_at, *byte));
        }
    }

    /// When all that was sent is there: nobody needs to wake for each byte.
    pub(super) fn arrives_at(&self) -> Option<Mono> {
        self.bytes.back().map(|(at, _)| *at)
    }

    /// Takes what is there.
    pub(super) fn take(&mut self, now: Mono, bytes: &mut Vec<u8>) {
        while let Some((_, byte)) = self.bytes.pop_front_if(|(at, _)| *at <= now) {
            bytes.push(byte);
        }
    }

    /// What was on its way is lost.
    pub(super) fn lose(&mut self) {
        *self = Self { is_cut: self.is_cut, ..Self::default() };
    }

    /// The cable is pulled, and what was on its way is lost, or it is plugged in again.
    pub(super) fn cut(&mut self, is_cut: bool) {
        self.is_cut = is_cut;
        if is_cut {
            self.lose();
        }
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }
}
