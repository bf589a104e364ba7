//! Backups that anything has happened to: taken whole or refused in one line, and nothing is
//! written outside of the folder that they are unpacked to.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::shell::backup::unpack;
use std::path::PathBuf;
use std::sync::LazyLock;

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    std::env::temp_dir().join(format!("rokade-fuzz-backup-{}", std::process::id()))
});

fuzz_target!(|bytes: &[u8]| {
    let out = FOLDER.join("out");
    if let Err(why) = unpack(bytes, &out) {
        let why = why.to_string();
        assert!(!why.is_empty() && !why.contains('\n'), "{why:?}");
    }
    let beside: Vec<_> = std::fs::read_dir(&*FOLDER).expect("a folder").collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
    std::fs::remove_dir_all(&*FOLDER).expect("our own");
});
