//! A pseudo-terminal that stands for a cable: the node is the host's end, the master the board's.
//!
//! Like a cable it can be pulled, which is to drop it: the node vanishes, and with it the link
//! that gave it a steady name. Neither end ever waits.

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, ptsname, unlockpt};
use rustix::termios::{
    OptionalActions, QueueSelector, ioctl_tiocnxcl, tcflush, tcgetattr, tcsetattr,
};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Why there is no pseudo-terminal.
#[derive(Debug, thiserror::Error)]
pub enum PtyError {
    /// The system gives none.
    #[error("opening a pseudo-terminal: {0}; check that /dev/pts is mounted")]
    Open(#[source] io::Error),
    /// The name is taken by something that is no link, so it is left alone.
    #[error("linking {}: something else has this name; choose another", .0.display())]
    Taken(PathBuf),
    /// The link cannot be made.
    #[error("linking {}: {source}", link.display())]
    Link {
        /// Its name.
        link: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Boards that name no pieces are wired to the host itself.
    #[error("a scanned board has no line; name a board with \"board\":\"dgt\"")]
    NoLine,
    /// The actor has ended.
    #[error("the simulated board was removed")]
    Ended,
}

impl From<Errno> for PtyError {
    fn from(errno: Errno) -> Self {
        Self::Open(errno.into())
    }
}

/// A pair of ends and the name of one.
#[derive(Debug)]
pub struct Pty {
    master: OwnedFd,
    /// Without it the master would read errors whenever no host has the node open.
    keeper: OwnedFd,
    node: PathBuf,
    link: Option<PathBuf>,
}

impl Pty {
    /// Opens a pair that passes every byte as it is, and gives the host's end a steady name, which
    /// replaces a link of that name.
    ///
    /// # Errors
    /// The system has no pseudo-terminal left, or the link cannot be made.
    pub fn open(link: Option<PathBuf>) -> Result<Self, PtyError> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        unlockpt(&master)?;
        let keeper = ioctl_tiocgptpeer(&master, flags)?;
        let mut termios = tcgetattr(&keeper)?;
        termios.make_raw();
        tcsetattr(&keeper, OptionalActions::Now, &termios)?;
        let status = rustix::fs::fcntl_getfl(&master)?;
        rustix::fs::fcntl_setfl(&master, status | OFlags::NONBLOCK)?;
        let name = ptsname(&master, Vec::new())?;
        let node = PathBuf::from(OsStr::from_bytes(name.as_bytes()));
        if let Some(link) = &link {
            point(link, &node)?;
        }
        Ok(Self { master, keeper, node, link })
    }

    /// What a host opens: the link if there is one, else the node.
    pub fn path(&self) -> &Path {
        self.link.as_ref().unwrap_or(&self.node)
    }

    /// Lets every program of this machine open the host's end.
    ///
    /// # Errors
    /// The system refuses.
    pub fn allow_all(&self) -> Result<(), PtyError> {
        Ok(rustix::fs::fchmod(&self.keeper, Mode::from_raw_mode(0o666))?)
    }

    /// The next program may open the host's end too: the node outlives who had it for himself.
    pub fn share(&self) {
        ioctl_tiocnxcl(&self.keeper).ok();
    }

    /// How many bytes wait for the host to read them; 0 if that is not known.
    pub fn n_unread(&self) -> u64 {
        rustix::io::ioctl_fionread(&self.keeper).unwrap_or(0)
    }

    /// What waits for the host to read it is lost.
    pub fn forget_unread(&self) {
        tcflush(&self.keeper, QueueSelector::IFlush).ok();
    }

    /// Sends towards the host as many of `bytes` as there is room for.
    ///
    /// # Errors
    /// The system refuses; no room is no error.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::io::write(&self.master, bytes) {
            Err(Errno::AGAIN) => Ok(0),
            other => Ok(other?),
        }
    }

    /// Takes what the host has sent.
    ///
    /// # Errors
    /// `WouldBlock` if there is nothing; otherwise the system refuses.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.master, buf)?)
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }
}

impl AsRawFd for Pty {
    fn as_raw_fd(&self) -> RawFd {
        self.master.as_raw_fd()
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // Somebody else may have taken the name over.
        if let Some(link) = &self.link
            && fs::read_link(link).is_ok_and(|to| to == self.node)
        {
            fs::remove_file(link).ok();
        }
    }
}

/// Makes `link` lead to `node`, in one step for whoever looks.
fn point(link: &Path, node: &Path) -> Result<(), PtyError> {
    if fs::symlink_metadata(link).is_ok_and(|found| !found.is_symlink()) {
        return Err(PtyError::Taken(link.to_owned()));
    }
    let mut name = link.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let passing = link.with_file_name(name);
    let failed = |source| PtyError::Link { link: link.to_owned(), source };
    symlink(node, &passing).map_err(failed)?;
    fs::rename(&passing, link).map_err(|e| {
        fs::remove_file(&passing).ok();
        failed(e)
    })
}
