//! Each target holds against the inputs that are committed for it.

use std::path::Path;
use std::process::Command;

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
    let paths = inputs.iter().map(|name| folder.join(name));
    let said = Command::new(program).args(paths).output().expect("the target starts");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}
