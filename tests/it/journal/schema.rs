//! A record of each version that was handed out is read by this one as it was read then, and gone
//! on with.

use std::fs;
use std::path::{Path, PathBuf};

use rokade::game::{Entry, Fact, Keeping};
use rokade::shell::journal::{BootId, DiskStorage, Journal, verify};
use rokade::shell::record::{self, PriorRecord, line_of};
use rokade::time::Stamp;

use crate::program::{finish, rokade};

/// The records, by the versions that have written them.
fn versions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
    let mut versions: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    versions.sort();
    assert!(!versions.is_empty());
    versions
}

/// A copy of the record that can be written to.
fn copy(version: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(version).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

/// What our program prints of it.
async fn printed(command: &str, folder: &Path) -> String {
    let mut command = rokade(&[command, "--journal"]);
    command.arg(folder).env("TZ", "UTC");
    let outcome = finish(command).await;
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert_eq!(outcome.err, "");
    outcome.out
}

#[tokio::test]
async fn records_of_all_versions_are_read_as_they_were() {
    for version in versions() {
        let folder = copy(&version);
        for (command, file) in [("log", "log.golden"), ("export", "games.pgn")] {
            let expected = fs::read_to_string(version.join(file)).unwrap();
            assert_eq!(printed(command, folder.path()).await, expected, "{}", version.display());
        }
        printed("verify", folder.path()).await;
    }
}

#[test]
fn records_of_all_versions_are_gone_on_with() {
    for version in versions() {
        let folder = copy(&version);
        let boot = BootId::parse(&"5".repeat(32)).unwrap();
        let (mut journal, found) = Journal::open(DiskStorage::new(folder.path()), boot).unwrap();
        assert!(found.torn.is_none() && found.damage.is_empty(), "{}", version.display());
        let mut prior = PriorRecord::default();
        for line in &found.lines {
            assert!(record::entry_of(line).is_some(), "{}: {}", version.display(), line.body);
            prior.take(line);
        }
        assert_eq!(prior.nonsense.all(), None);
        let fact = Fact::Record(Keeping::GamesBefore { n: prior.games.n_games() });
        journal.append(&[line_of(&Entry { at: Stamp::default(), fact })]).unwrap();
        journal.commit().unwrap();
        drop(journal);
        let verdict = verify(&DiskStorage::new(folder.path())).unwrap();
        assert!(verdict.is_sound() && verdict.last == found.lines.len() as u64 + 1, "{verdict}");
    }
}
