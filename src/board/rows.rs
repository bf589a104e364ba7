//! What a picture of switches between rows and columns tells of their diodes.
//!
//! Where three corners of a rectangle are closed, current finds its way to the fourth unless a
//! diode stops it. So without diodes any two rows read alike or have no column in common.

/// Pieces on a board.
const N_PIECES: u32 = 32;

/// The inputs, as bits of a scan, whose diodes have been seen to stop a current: of a rectangle the
/// corner opposite to one that reads open.
///
/// ```
/// use rokade::board::rows::diodes_shown;
/// // Three corners: the fourth stays open because of the diode across it.
/// assert_eq!(diodes_shown(0x0000_0000_0000_0103), 0x01);
/// assert_eq!(diodes_shown(0x0000_0000_0000_0303), 0);
/// ```
pub fn diodes_shown(scan: u64) -> u64 {
    let rows = scan.to_le_bytes();
    let mut shown = [0; 8];
    for (shown, row) in shown.iter_mut().zip(rows) {
        for other in rows {
            // Current would run on from columns that both have to one that only this row has.
            if row & !other != 0 {
                *shown |= row & other;
            }
        }
    }
    u64::from_le_bytes(shown)
}

/// Whether no pieces can stand so: there are more than a set has, and each two rows read alike or
/// have no column in common.
pub fn is_impossible(scan: u64) -> bool {
    scan.count_ones() > N_PIECES && diodes_shown(scan) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start position: ranks 1, 2, 7 and 8.
    const START: u64 = 0xffff_0000_0000_ffff;
    /// After 1. e4.
    const E4: u64 = 0xffff_0000_1000_efff;

    #[test]
    fn play_shows_diodes_and_their_absence() {
        assert_eq!(diodes_shown(START), 0);
        assert!(!is_impossible(START));
        // All of rank 1 and of black's ranks, by the holes at e2 and beside e4.
        assert_eq!(diodes_shown(E4), 0xffff_0000_0000_00ff);
        // Without diodes the whole rank of e4 reads as occupied.
        assert!(is_impossible(0xffff_0000_ff00_ffff));
        assert!(!is_impossible(E4));
        // More than a set has, but held apart by diodes: somebody put more pieces on.
        assert!(!is_impossible(0xffff_0000_ff01_ffff));
    }
}
