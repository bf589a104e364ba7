//! `rokade export all` and `rokade import`: everything on record, from one machine to another.

use super::setup::{beside, replace};
use super::{Failure, chain, say};
use crate::shell::backup::{self, BackupError, BackupManifest};
use crate::shell::config::{Config, DELIVERED, USUAL_PATH};
use clap::Args;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The records of all boards with the games as PGN, and the settings, as a tar archive. Boards may
/// be recorded meanwhile. Tokens and lists of pairings that the settings name are not in it.
#[derive(Debug, Args)]
pub(super) struct ExportAll {
    /// The file; - means standard output
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Everything in the backup must be as it was written, and no record may stand in the place of one
/// of its records: else nothing is changed. The daemon must be stopped for it. The settings are
/// taken too if those of this machine are as they were delivered; otherwise they go beside them,
/// as rokade.toml.imported.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// A file written by `rokade export all`; - means standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        match error {
            BackupError::Io { doing, path, source } => {
                Self::Io { what: format!("cannot {doing} {}", path.display()), source }
            }
            BackupError::Journal(_) | BackupError::Taken(_) => Self::Journal(chain(&error)),
            BackupError::Other | BackupError::Newer(_) | BackupError::Damaged(_) => {
                Self::Input(chain(&error))
            }
        }
    }
}

fn is_standard(file: &Path) -> bool {
    file == Path::new("-")
}

impl ExportAll {
    pub(super) fn run(&self, config: &Config, settings: Option<&Path>) -> Result<(), Failure> {
        let records: Vec<_> =
            config.boards.iter().map(|it| (it.name.clone(), config.folder(it))).collect();
        let settings = settings.unwrap_or(Path::new(USUAL_PATH));
        let settings = Some(settings).filter(|path| path.exists());
        if is_standard(&self.file) {
            return told(&backup::pack(&records, settings, io::stdout().lock())?);
        }
        // What is cut short by a full disk is not taken for a backup.
        let new = beside(&self.file, ".new");
        let failed = || Failure::io(format!("cannot write {}", self.file.display()));
        let file = File::create(&new).map_err(failed())?;
        let manifest = backup::pack(&records, settings, &file)?;
        file.sync_all().and_then(|()| fs::rename(&new, &self.file)).map_err(failed())?;
        told(&manifest)
    }
}

/// What is in the backup, where it can be read: its file may be the standard output.
fn told(manifest: &BackupManifest) -> Result<(), Failure> {
    if manifest.records.is_empty() {
        return Err(Failure::Journal("no board has a record yet".to_owned()));
    }
    for record in &manifest.records {
        let state = if record.is_sound { "" } else { "; IT IS DAMAGED, see `rokade verify`" };
        eprintln!("{}: up to line {}{state}", record.board, record.noted);
    }
    Ok(())
}

impl Import {
    pub(super) fn run(&self, config: Option<&Path>) -> Result<(), Failure> {
        let path = config.unwrap_or(Path::new(USUAL_PATH));
        let here = if path.exists() { Config::load_apart(Some(path))? } else { Config::default() };
        let staging = here.state_dir.join(".import");
        if staging.exists() {
            let failed = Failure::io(format!("cannot remove {}", staging.display()));
            fs::remove_dir_all(&staging).map_err(failed)?;
        }
        let imported = self.take(&here, path, &staging);
        // What was not taken is of no use to anybody.
        fs::remove_dir_all(&staging).ok();
        imported
    }

    fn take(&self, here: &Config, path: &Path, staging: &Path) -> Result<(), Failure> {
        let input: Box<dyn Read> = if is_standard(&self.file) {
            Box::new(io::stdin().lock())
        } else {
            let unread = |e| Failure::Input(format!("{}: {e}", self.file.display()));
            Box::new(io::BufReader::new(File::open(&self.file).map_err(unread)?))
        };
        let manifest = backup::unpack(input, staging)?;
        backup::put_in_place(&manifest, staging, &here.state_dir)?;
        for record in &manifest.records {
            let state = if record.is_sound { "" } else { "; it was damaged when it was exported" };
            say(format_args!("{}: imported, up to line {}{state}", record.board, record.noted))?;
        }
        put_settings(&staging.join(backup::SETTINGS), path)
    }
}

/// Puts the settings of the backup in their place, or beside those that somebody has changed.
fn put_settings(imported: &Path, path: &Path) -> Result<(), Failure> {
    let Ok(text) = fs::read_to_string(imported) else { return Ok(()) };
    let here = fs::read_to_string(path).ok();
    if here.as_ref() == Some(&text) {
        return Ok(());
    }
    let is_delivered = here.is_none_or(|here| here == DELIVERED);
    let place = if is_delivered { path.to_owned() } else { beside(path, ".imported") };
    let failed = Failure::io(format!("cannot write {}", place.display()));
    replace(&place, &text).map_err(failed)?;
    if is_delivered {
        return say(format_args!("{}: taken up", place.display()));
    }
    say(format_args!(
        "{} stays as it is; the settings of the backup are in {}",
        path.display(),
        place.display()
    ))
}
