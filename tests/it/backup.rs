//! Records are moved to another machine, and taken out of the way of new ones: nothing is lost, and
//! nothing that is there is written over.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rokade::shell::backup::{self, BackupError};
use rokade::shell::journal::{BootId, DiskStorage, Journal, NewLine};
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::time::Stamp;
use tokio::time::{Instant, sleep, timeout};

use crate::cli::{assert_sentence, pgn_moves};
use crate::daemon::game;
use crate::program::{Daemon, LIMIT, Place, STEP, moves_of, plug};

/// A daemon that has recorded a game, which goes on.
async fn recorded(place: &Place, seed: u64) -> (Daemon, Vec<String>) {
    let (intended, played) = game(4, Span::new(300, 600), seed);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    sleep(Duration::from_millis(500)).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended).await;
    (daemon, intended)
}

/// Every file below a folder, by its path in it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("lock") {
                // The lock stays behind whoever has looked whether somebody records there.
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

#[tokio::test]
async fn everything_moves_to_another_machine_while_a_game_goes_on() {
    let (old, new) = (Place::new(), Place::new());
    let file = old.text("backup.tar");
    let none = old.run(&["export", "all", &file]).await;
    assert_sentence(&none, 5, &["no board has a record yet"]);
    let (daemon, intended) = recorded(&old, 81).await;
    let exported = old.run(&["export", "all", &file]).await;
    assert_eq!(exported.code, Some(0), "{exported:?}");
    assert!(exported.err.starts_with("table-1: up to line "), "{exported:?}");

    let imported = new.run(&["import", &file]).await;
    assert_eq!(imported.code, Some(0), "{imported:?}");
    assert!(imported.out.contains("table-1: imported, up to line "), "{imported:?}");
    let settings = fs::read(new.path("rokade.toml.imported")).unwrap();
    assert_eq!(settings, fs::read(old.path("rokade.toml")).unwrap());
    let noted = exported.err.trim().rsplit(' ').next().unwrap();
    let verified = new.run(&["verify", "--noted", noted]).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(pgn_moves(&new.run(&["export"]).await.out), [intended]);
    assert!(new.path("state/table-1/game-0001.pgn").exists());
    assert!(!new.path("state/.import").exists());

    // What is there is not written over, neither by the same nor while a daemon records.
    let before = files(&new.path("state"));
    let again = new.run(&["import", &file]).await;
    assert_sentence(
        &again,
        5,
        &["there is already a record in", "state/table-1", "rokade archive"],
    );
    assert_eq!(files(&new.path("state")), before);
    let busy = old.run(&["import", &file]).await;
    assert_sentence(&busy, 5, &["another program is recording", "systemctl stop rokade"]);
    assert_eq!(daemon.stop().await.0, Some(0));
}

#[tokio::test]
async fn old_games_are_taken_out_of_the_way_and_new_ones_are_numbered_on() {
    let place = Place::new();
    let archive = place.text("archive");
    let nothing = place.run(&["archive", &archive]).await;
    assert_eq!((nothing.code, nothing.out.trim()), (Some(0), "table-1: no game is on record"));
    let (daemon, intended) = recorded(&place, 82).await;
    let busy = place.run(&["archive", &archive]).await;
    assert_sentence(&busy, 5, &["another program is recording", "systemctl stop rokade"]);
    assert_eq!(daemon.stop().await.0, Some(0));
    let before = files(&place.path("state"));
    let unfinished = place.run(&["archive", &archive]).await;
    assert_sentence(&unfinished, 2, &["has no result", "--unfinished"]);
    assert_eq!(files(&place.path("state")), before);
    fs::write(place.journal().join("notes.txt"), "the arbiter's").unwrap();

    let log = place.run(&["log"]).await.out;
    let done = place.run(&["archive", &archive, "--unfinished"]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let folder = fs::read_dir(&archive).unwrap().next().unwrap().unwrap().path();
    let folder = folder.display().to_string();
    let noted = done.out.trim().rsplit(' ').next().unwrap();
    let verified = place.run(&["verify", "--journal", &folder, "--noted", noted]).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(place.run(&["log", "--journal", &folder]).await.out, log);
    let exported = place.run(&["export", "--journal", &folder]).await;
    assert_eq!(pgn_moves(&exported.out), [intended]);
    assert!(Path::new(&folder).join("game-0001.pgn").exists());
    let log = place.run(&["log"]).await.out;
    let words = format!("this record continues one with 1 game that ends with {noted}");
    assert!(log.contains(&words) && log.lines().count() == 1, "{log}");
    let again = place.run(&["archive", &archive]).await;
    assert_eq!((again.code, again.out.trim()), (Some(0), "table-1: no game is on record"));
    assert_eq!(fs::read(place.journal().join("notes.txt")).unwrap(), b"the arbiter's");

    let (daemon, intended) = recorded(&place, 83).await;
    let second = place.path("state/table-1/game-0002.pgn");
    let end = Instant::now() + LIMIT;
    while fs::read_to_string(&second).map_or(vec![], |it| pgn_moves(&it)) != [intended.clone()] {
        assert!(Instant::now() < end, "{}", daemon.said());
        sleep(STEP).await;
    }
    assert!(!place.path("state/table-1/game-0001.pgn").exists());
    assert_eq!(daemon.stop().await.0, Some(0));
    assert_eq!(place.run(&["verify"]).await.code, Some(0));
}

/// A backup of a record with a few lines.
fn packed(folder: &Path) -> Vec<u8> {
    let record = folder.join("table-1");
    let boot = BootId::parse(&"5".repeat(32)).unwrap();
    let (mut journal, _) = Journal::open(DiskStorage::new(&record), boot).unwrap();
    let body = r#"{"t":1,"kind":"noise"}"#.to_owned();
    let line = NewLine { stamp: Stamp::default(), body };
    journal.append(&[line.clone(), line]).unwrap();
    journal.commit().unwrap();
    fs::write(record.join("game-0001.pgn"), "[Event \"?\"]\n\n*\n").unwrap();
    let mut bytes = Vec::new();
    backup::pack(&[("table-1".to_owned(), record)], None, &mut bytes).unwrap();
    bytes
}

/// Wherever a backup is cut or hurt, it is refused, or what comes out of it is what went in.
#[test]
fn a_backup_that_is_hurt_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let bytes = packed(place.path());
    let out = place.path().join("out");
    let take = |bytes: &[u8]| {
        let taken = backup::unpack(bytes, &out);
        let found = files(&out);
        fs::remove_dir_all(&out).unwrap();
        (taken, found)
    };
    let (taken, right) = take(&bytes);
    assert_eq!(taken.unwrap().records.len(), 1);
    assert_eq!(right.len(), 2);
    let mut n_refused = 0;
    let hurt = (0..bytes.len()).step_by(41).map(|at| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x11;
        bytes
    });
    for bytes in hurt.chain((0..bytes.len()).step_by(97).map(|at| bytes[..at].to_vec())) {
        match take(&bytes) {
            (Ok(_), found) => assert_eq!(found, right),
            (Err(error), _) => {
                n_refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(n_refused > 50, "{n_refused}");
}

/// A tar archive of these files.
fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        // Paths that lead out are refused by the builder, and have to be by the reader.
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

#[test]
fn what_is_no_backup_is_refused_and_leads_nowhere() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out");
    let refused = |files: &[(&str, &str)]| {
        let error = backup::unpack(&*tar(files), &out).unwrap_err();
        fs::remove_dir_all(&out).unwrap();
        error
    };
    assert!(matches!(refused(&[("letters.txt", "Dear Ann")]), BackupError::Other));
    assert!(matches!(backup::unpack(&b"Dear Ann"[..], &out), Err(BackupError::Other)));
    fs::remove_dir_all(&out).unwrap();
    let newer = refused(&[("rokade-backup", "2"), ("anything", "")]);
    assert!(matches!(&newer, BackupError::Newer(version) if version == "2"), "{newer}");
    for path in ["../out.txt", "/etc/rokade", "records/../../x.journal", "records/a/passwd"] {
        let error = refused(&[("rokade-backup", "1"), (path, "x")]);
        assert!(matches!(error, BackupError::Damaged(_)), "{error}");
    }
    let names: Vec<_> = fs::read_dir(place.path()).unwrap().collect();
    assert_eq!(names.len(), 0, "{names:?}");
    let twice = ("records/a/000001.journal", "x");
    assert!(matches!(refused(&[("rokade-backup", "1"), twice, twice]), BackupError::Damaged(_)));
}
