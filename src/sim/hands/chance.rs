//! What chance decides, alike on every machine: what fastrand draws for a `usize` depends on how
//! wide that is, and one seed is to be one game.

use fastrand::Rng;

/// True in `share` of the cases.
pub(super) fn chance(rng: &mut Rng, share: f64) -> bool {
    rng.f64() < share
}

/// A place in something of `len` items, which are not none.
pub(super) fn place(rng: &mut Rng, len: usize) -> usize {
    rng.u64(0..len as u64) as usize
}

/// One of `all`; `None` if there are none.
pub(super) fn one_of<T: Copy>(rng: &mut Rng, all: &[T]) -> Option<T> {
    (!all.is_empty()).then(|| all[place(rng, all.len())])
}

/// Puts `all` into an order by chance.
pub(super) fn shuffle<T>(rng: &mut Rng, all: &mut [T]) {
    for idx in 1..all.len() {
        all.swap(idx, place(rng, idx + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_the_same_on_every_machine() {
        let mut rng = Rng::with_seed(7);
        let mut all: Vec<u8> = (0..8).collect();
        shuffle(&mut rng, &mut all);
        assert_eq!(all, [5, 6, 4, 0, 3, 2, 7, 1]);
        assert_eq!([9; 4].map(|len| place(&mut rng, len)), [0, 1, 3, 5]);
        assert_eq!(one_of(&mut rng, &["a", "b", "c"]), Some("a"));
        assert_eq!(one_of::<u8>(&mut rng, &[]), None);
    }
}
