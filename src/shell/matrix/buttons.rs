//! Four buttons beside a board whose pieces have no names, for the piece that a pawn becomes, by
//! whatever driver of pins speaks embedded-hal. They are read with each scan.

use super::{MatrixError, Scanner};
use crate::time::Mono;
use crate::wire::contact::{Contact, Level};
use embedded_hal::digital::InputPin;
use shakmaty::Role;
use std::fmt::Debug;

/// What the buttons are for, in the order in which the settings name their pins.
pub const ROLES: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// A board with such buttons beside it.
#[derive(Debug)]
pub struct WithButtons<P> {
    scanner: Box<dyn Scanner>,
    buttons: [(P, Contact); 4],
}

/// Where no squares are read.
#[derive(Debug)]
pub(super) struct NoSquares;

impl Scanner for NoSquares {
    fn scan(&mut self) -> Result<u64, MatrixError> {
        Ok(0)
    }
}

impl<P: InputPin + Debug> WithButtons<P> {
    /// What scans the board, and pins that a button pulls low, for a queen, a rook, a bishop and a
    /// knight.
    pub fn new(scanner: Box<dyn Scanner>, pins: [P; 4]) -> Self {
        // One that is down from the beginning counts as pressed then.
        Self { scanner, buttons: pins.map(|pin| (pin, Contact::new(Level::Open))) }
    }
}

impl<P: InputPin + Debug> Scanner for WithButtons<P> {
    fn scan(&mut self) -> Result<u64, MatrixError> {
        self.scanner.scan()
    }

    fn black(&self) -> Option<u64> {
        self.scanner.black()
    }

    fn slow_khz(&self) -> Option<u32> {
        self.scanner.slow_khz()
    }

    fn chosen(&mut self, now: Mono) -> Result<Option<Role>, MatrixError> {
        let mut chosen = None;
        for ((pin, contact), role) in self.buttons.iter_mut().zip(ROLES) {
            let is_low = pin.is_low().map_err(|e| MatrixError::Pins(format!("{e:?}")))?;
            let level = if is_low { Level::Closed } else { Level::Open };
            if let Some((_, Level::Closed)) = contact.read(now, level) {
                chosen = Some(role);
            }
        }
        Ok(chosen)
    }
}
