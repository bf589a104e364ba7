//! Each target holds against the inputs that are committed for it, and against others that are made
//! of them by chance, the same each time: a short search. `tests/fuzz.sh` searches for long.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fastrand::Rng;

/// So many inputs are made for each target.
const MADE: usize = 1_000;
/// Of so many bytes at the most.
const MADE_MAX_BYTES: usize = 4_096;

/// Gives the program of each target all inputs in its folder.
macro_rules! targets {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                hold(stringify!($target), env!(concat!("CARGO_BIN_EXE_", stringify!($target))));
            }
        )*

        #[test]
        fn each_target_is_tried() {
            let tried = [$(concat!(stringify!($target), ".rs")),*];
            for (known, of) in [(names("fuzz_targets"), "target"), (names("corpus"), "folder")] {
                assert_eq!(known.len(), tried.len(), "a {of} too many or too few: {known:?}");
            }
            assert!(names("fuzz_targets").iter().all(|name| tried.contains(&name.as_str())));
        }
    };
}

targets! { line clocks journal words settings game makers pairings programs backup }

fn names(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = folder.read_dir().expect("a folder of the fuzz targets");
    entries.map(|entry| entry.expect("its file").file_name().into_string().expect("text")).collect()
}

fn hold(target: &str, program: &str) {
    let inputs = names(&format!("corpus/{target}"));
    assert!(!inputs.is_empty(), "{target} has no inputs");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let paths: Vec<PathBuf> = inputs.iter().map(|name| folder.join(name)).collect();
    let known: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).expect("an input")).collect();
    let place = tempfile::tempdir().expect("a folder");
    let mut rng = Rng::with_seed(1);
    let made = (0..MADE).map(|n| {
        let path = place.path().join(n.to_string());
        fs::write(&path, made_of(&known, &mut rng)).expect("an input");
        path
    });
    let all: Vec<PathBuf> = paths.into_iter().chain(made).collect();
    let said = Command::new(program).args(all).output().expect("the target starts");
    if !said.status.success() {
        let kept = place.keep();
        let why = String::from_utf8_lossy(&said.stderr);
        panic!("{why}\nThe inputs that were made are kept in {}.", kept.display());
    }
}

/// One of these inputs with some of its bytes changed, gone, or put where others were.
fn made_of(known: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut input = known[rng.usize(..known.len())].clone();
    let from = rng.usize(..=input.len().saturating_sub(MADE_MAX_BYTES));
    input.drain(..from);
    input.truncate(MADE_MAX_BYTES);
    for _ in 0..rng.usize(1..=8) {
        let (a, b) = (rng.usize(..=input.len()), rng.usize(..=input.len()));
        let span = a.min(b)..a.max(b).min(a.min(b) + 64);
        match rng.u8(..5) {
            0 if a < input.len() => input[a] ^= 1 << rng.u8(..8),
            1 if a < input.len() => input[a] = rng.u8(..),
            2 => drop(input.drain(span)),
            3 => {
                let part = input[span].to_vec();
                input.splice(b..b, part);
            }
            _ => input.insert(a, *rng.choice(b"\0\n\xff\x80{}[],:\"-0 ").expect("a byte")),
        }
    }
    input
}
