//! Which positions have been seen: their hashes of 128 bits, in a table that only grows.

/// A set of hashes. Two positions with the same hash would be taken for one; among a million
/// positions the odds of that are below one in 10^26.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// A power of two of places; 0 is an empty one.
    places: Vec<u128>,
    n_used: usize,
}

impl Seen {
    pub(super) fn new() -> Self {
        Self { places: vec![0; 1 << 8], n_used: 0 }
    }

    /// Whether `hash` is new; it is not so a second time.
    pub(super) fn insert(&mut self, hash: u128) -> bool {
        if 2 * self.n_used >= self.places.len() {
            let larger = vec![0; 4 * self.places.len()];
            for old in std::mem::replace(&mut self.places, larger) {
                if old != 0 {
                    let idx = self.place(old);
                    self.places[idx] = old;
                }
            }
        }
        // Empty places are 0, so that hash is another.
        let hash = hash.max(1);
        let idx = self.place(hash);
        let is_new = self.places[idx] == 0;
        self.n_used += usize::from(is_new);
        self.places[idx] = hash;
        is_new
    }

    /// Where `hash` stands or would stand.
    fn place(&self, hash: u128) -> usize {
        let mask = self.places.len() - 1;
        let low = u64::try_from(hash & u128::from(u64::MAX)).unwrap_or(0);
        let mut idx = usize::try_from(low & u64::from(u32::MAX)).unwrap_or(0) & mask;
        while self.places[idx] != 0 && self.places[idx] != hash {
            idx = (idx + 1) & mask;
        }
        idx
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_agrees_with_a_set_of_the_standard_library() {
        let (mut seen, mut known) = (Seen::new(), BTreeSet::new());
        let mut x = 1_u128;
        for n in 0..20_000_u128 {
            x = x.wrapping_mul(0x2545_F491_4F6C_DD1D_2545_F491_4F6C_DD1D).wrapping_add(n);
            let hash = x % 9_000 * 0x1_0000_0001_0000_0000;
            assert_eq!(seen.insert(hash.max(1)), known.insert(hash.max(1)), "{n}");
        }
    }
}
