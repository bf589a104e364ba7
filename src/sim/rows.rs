//! Sixty-four switches between eight rows and eight columns, with a diode at each or without.
//!
//! A row that is pulled low pulls those columns low whose switches it has closed. Without a diode a
//! column that is low pulls its other rows low as well, and those further columns: an empty square
//! between three occupied ones then reads as occupied.

use super::switches::{ReaderSim, Switches};
use crate::time::Mono;

/// The wires of a board, and the switches between them.
#[derive(Clone, Debug)]
pub struct RowsSim {
    switches: Switches,
    rows: [u8; 8],
    columns: [u8; 8],
    /// Switches without a diode, by their inputs.
    bare: u64,
    /// Rows that are pulled low.
    driven: u8,
    /// Rows and columns that have got a connection to ground.
    grounded: (u8, u8),
    is_plugged: bool,
}

impl RowsSim {
    /// Switches between rows at these pins and columns at those.
    pub fn new(switches: Switches, rows: [u8; 8], columns: [u8; 8]) -> Self {
        let (bare, driven, grounded, is_plugged) = (0, 0, (0, 0), true);
        Self { switches, rows, columns, bare, driven, grounded, is_plugged }
    }

    /// The switches of these inputs have no diode.
    pub fn without_diodes(mut self, bare: u64) -> Self {
        self.bare = bare;
        self
    }

    /// This row touches ground somewhere.
    pub fn with_shorted_row(mut self, row: usize) -> Self {
        self.grounded.0 |= 1 << row;
        self
    }

    /// This column touches ground somewhere.
    pub fn with_shorted_column(mut self, column: usize) -> Self {
        self.grounded.1 |= 1 << column;
        self
    }

    /// The columns that are low.
    fn low_columns(&self, at: Mono) -> u8 {
        if !self.is_plugged {
            return 0;
        }
        let closed = self.switches.closed(at).to_le_bytes();
        let bare = (self.switches.closed(at) & self.bare).to_le_bytes();
        let (mut rows, mut columns) = (self.driven | self.grounded.0, self.grounded.1);
        loop {
            let before = (rows, columns);
            for row in 0..8 {
                if rows >> row & 1 == 1 {
                    columns |= closed[row];
                }
                if columns & bare[row] != 0 {
                    rows |= 1 << row;
                }
            }
            if (rows, columns) == before {
                return columns;
            }
        }
    }
}

impl ReaderSim for RowsSim {
    fn switches(&mut self) -> &mut Switches {
        &mut self.switches
    }

    /// Without its cable no column is ever low.
    fn power(&mut self, is_on: bool) {
        self.is_plugged = is_on;
    }

    fn drive(&mut self, _at: Mono, pin: u8, is_high: bool) {
        if let Some(row) = self.rows.iter().position(|it| *it == pin) {
            self.driven = self.driven & !(1 << row) | u8::from(!is_high) << row;
        }
    }

    fn level(&mut self, at: Mono, pin: u8) -> bool {
        let column = self.columns.iter().position(|it| *it == pin);
        column.is_none_or(|column| self.low_columns(at) >> column & 1 == 0)
    }
}
