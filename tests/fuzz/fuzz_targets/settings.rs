//! Configurations: accepted or refused in one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rokade::shell::config::Config;
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("rokade-fuzz-{}.toml", std::process::id())));

fuzz_target!(|text: &str| {
    std::fs::write(&*FILE, text).expect("a file for a moment");
    if let Err(why) = Config::load(Some(&FILE)) {
        let why = why.to_string();
        assert!(!why.is_empty() && !why.chars().any(char::is_control), "{why:?}");
    }
    std::fs::remove_file(&*FILE).ok();
});
