//! A board that looks at its squares one after the other, as DGT's do: every 200 to 250 ms it has
//! been at each of them (`wire` says no more of it than that its messages come in that rhythm).

use crate::sim::script::Happening;
use fastrand::Rng;
use shakmaty::Square;
use std::collections::BTreeMap;

/// One look at all squares takes between these, in milliseconds.
const PASS_MS: (u64, u64) = (200, 250);
/// No square is looked at to the millisecond.
const JITTER_MS: u64 = 4;

/// When each square is looked at.
struct Scan {
    /// The passes, in their order: when one begins and how long it takes, in milliseconds.
    passes: Vec<(u64, u64)>,
    seed: u64,
}

impl Scan {
    fn new(rng: &mut Rng, until_ms: u64) -> Self {
        let usual_ms = rng.u64(PASS_MS.0..=PASS_MS.1);
        let mut begins_ms = 0;
        let mut passes = Vec::new();
        while begins_ms <= until_ms + 2 * PASS_MS.1 {
            let takes_ms = usual_ms.saturating_sub(3) + rng.u64(0..=6);
            passes.push((begins_ms, takes_ms));
            begins_ms += takes_ms;
        }
        Self { passes, seed: rng.u64(..) }
    }

    fn looks_at(&self, sq: Square, pass: usize) -> u64 {
        let (begins_ms, takes_ms) = self.passes[pass];
        let idx = u64::from(u32::from(sq));
        let mut rng = Rng::with_seed(self.seed ^ (pass as u64 * 64 + idx));
        begins_ms + idx * takes_ms / 64 + rng.u64(0..=JITTER_MS)
    }

    /// When `sq` is looked at for the first time from `at_ms` on.
    fn next(&self, sq: Square, at_ms: u64) -> u64 {
        let near = self.passes.partition_point(|(begins_ms, _)| *begins_ms < at_ms);
        let passes = near.saturating_sub(2)..self.passes.len();
        let looks = passes.map(|pass| self.looks_at(sq, pass)).find(|look| *look >= at_ms);
        looks.expect("the scan goes on for longer than the hands")
    }
}

/// What a scanning board tells of `happenings`, which are in the order of time: what was there when
/// it looked. `reads_first` is what a square read before anything happened.
pub(super) fn scanned(
    happenings: Vec<(u64, Happening)>,
    reads_first: impl Fn(Square) -> crate::table::Reading,
    rng: &mut Rng,
) -> Vec<(u64, Happening)> {
    let until_ms = happenings.last().map_or(0, |(at_ms, _)| *at_ms);
    let scan = Scan::new(rng, until_ms);
    let mut told = Vec::with_capacity(happenings.len());
    let mut of_square: BTreeMap<Square, Vec<(u64, Happening)>> = BTreeMap::new();
    for (at_ms, what) in happenings {
        match what {
            Happening::Sensed { sq, .. } => of_square.entry(sq).or_default().push((at_ms, what)),
            _ => told.push((at_ms, what)),
        }
    }
    for (sq, changes) in of_square {
        let mut last = reads_first(sq);
        let mut changes = changes.into_iter().peekable();
        while let Some((at_ms, mut what)) = changes.next() {
            let look_ms = scan.next(sq, at_ms);
            while let Some((_, later)) = changes.next_if(|(at_ms, _)| *at_ms <= look_ms) {
                what = later;
            }
            let Happening::Sensed { reading, .. } = what else { continue };
            if reading != last {
                last = reading;
                told.push((look_ms, what));
            }
        }
    }
    told.sort_by_key(|(at_ms, _)| *at_ms);
    told
}
