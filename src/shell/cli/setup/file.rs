//! The settings file that is written.

use super::super::Failure;
use super::questions::SetupAnswers;
use crate::shell::config::{DELIVERED, USUAL_PATH};
use rustix::fs::{Access, access};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// Whoever runs the daemon reads it; there is no secret in it.
const MODE: u32 = 0o644;

/// A file that can be written.
#[derive(Clone, Debug)]
pub(super) struct SettingsFile {
    /// As it was named.
    pub(super) named: PathBuf,
    /// What a link leads to is replaced, and not the link.
    pub(super) path: PathBuf,
}

impl SettingsFile {
    /// # Errors
    /// It cannot be written there, which is said before anything is asked.
    pub(super) fn at(named: &Path) -> Result<Self, Failure> {
        let path = fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
        let folder = path.ancestors().skip(1).find(|it| it.is_dir()).unwrap_or(Path::new("."));
        access(folder, Access::WRITE_OK).map_err(|why| {
            Failure::Usage(format!(
                "{} cannot be written ({why}); use sudo, or name another file with --config",
                path.display()
            ))
        })?;
        Ok(Self { named: named.to_owned(), path })
    }

    /// Whether it is there and somebody has changed it.
    pub(super) fn is_changed(&self) -> Result<bool, Failure> {
        match fs::read(&self.path) {
            Ok(text) => Ok(text != DELIVERED.as_bytes()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(e) => Err(Failure::io(format!("cannot read {}", self.path.display()))(e)),
        }
    }

    /// Where a file that was changed is kept.
    pub(super) fn old(&self) -> PathBuf {
        beside(&self.path, ".old")
    }

    /// Where the code is kept that opens a page for it.
    pub(super) fn code(&self) -> PathBuf {
        self.path.with_file_name("setup.code")
    }

    /// Whether a daemon without further words reads it.
    pub(super) fn is_usual(&self) -> bool {
        self.named == Path::new(USUAL_PATH)
    }

    /// Whether the service goes by it.
    pub(super) fn is_of_service(&self) -> bool {
        self.is_usual() && Path::new("/run/systemd/system").exists()
    }

    /// Writes it from these answers; `keep` keeps what is there.
    ///
    /// # Errors
    /// Settings that cannot be together, or a disk that does not take it; nothing is changed then.
    pub(super) fn write(&self, answers: &SetupAnswers, keep: bool) -> Result<(), Failure> {
        let text = answers.text(&self.path)?;
        if keep {
            let old = self.old();
            fs::copy(&self.path, &old)
                .map_err(Failure::io(format!("cannot write {}", old.display())))?;
        }
        replace(&self.path, &text)
            .map_err(Failure::io(format!("cannot write {}", self.path.display())))?;
        // Nobody has to be asked on a page any more.
        fs::remove_file(self.code()).ok();
        Ok(())
    }
}

pub(in super::super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Puts the text there at once or not at all, with the owner and the rights of what is there.
pub(in super::super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let new = beside(path, ".new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(MODE).open(&new)?;
    file.write_all(text.as_bytes())?;
    let old = fs::metadata(path).ok();
    let mode = old.as_ref().map_or(MODE, |it| it.mode() & 0o777);
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    if let Some(old) = old {
        chown(&new, Some(old.uid()), Some(old.gid()))?;
    }
    file.sync_all()?;
    fs::rename(&new, path)
}
