//! Why a line is down, in one sentence that also says what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// What was being done at the line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Opening or setting up.
    Opening,
    /// Waiting for bytes, or taking them.
    Reading,
    /// Sending bytes.
    Writing,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opening => "opening",
            Self::Reading => "reading from",
            Self::Writing => "writing to",
        })
    }
}

/// Why a board on Bluetooth LE cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RadioTrouble {
    /// There is no bus by which the system's services are reached.
    #[error(
        "D-Bus does not answer; install it with the Bluetooth service: `sudo apt install bluez`"
    )]
    NoBus,
    /// Nobody answers for Bluetooth.
    #[error(
        "the Bluetooth service does not run; `sudo apt install bluez`, then \
         `sudo systemctl enable --now bluetooth`"
    )]
    NoService,
    /// This user may not ask the service.
    #[error(
        "this user may not use Bluetooth; add it to the group bluetooth \
         (`sudo usermod -aG bluetooth $USER`), then log in again"
    )]
    Forbidden,
    /// No radio.
    #[error(
        "this machine has no Bluetooth adapter; plug one in, or take dtoverlay=disable-bt out of \
         config.txt"
    )]
    NoAdapter,
    /// The radio is off.
    #[error(
        "the Bluetooth adapter is switched off; `sudo rfkill unblock bluetooth`, then \
         `bluetoothctl power on`"
    )]
    Off,
    /// The board does not answer.
    #[error(
        "no such board is in reach; switch it on, keep telephones away that it is connected to, \
         and check its name or address (`bluetoothctl scan le` shows them)"
    )]
    OutOfReach,
    /// More than one board may be meant.
    #[error("both {0} and {1} are in reach; name the address of the one that is meant")]
    Several(String, String),
    /// It wants to be paired.
    #[error("the board wants to be paired first; `bluetoothctl pair` with its address")]
    Unpaired,
    /// It has other characteristics.
    #[error("the device has nothing by which a board of this maker speaks; check maker")]
    NotTheMaker,
    /// Another board of the settings, or another daemon, has it.
    #[error("another program has this board already; close that program")]
    Taken,
    /// The service does not answer.
    #[error("the Bluetooth service does not answer in time; `sudo systemctl restart bluetooth`")]
    Slow,
    /// It was connected.
    #[error("the board is gone; switch it on, and keep it near")]
    Lost,
    /// Anything else.
    #[error("the Bluetooth service says: {0}")]
    Said(String),
}

impl RadioTrouble {
    /// Waiting does not help.
    const fn is_refused(&self) -> bool {
        matches!(
            self,
            Self::Forbidden | Self::Several(..) | Self::Unpaired | Self::NotTheMaker | Self::Taken
        )
    }
}

/// Why a line is down.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// Nothing is at the path.
    #[error("opening {}: there is no such device; check that the board's cable is plugged in \
             and that the path is right", .0.display())]
    Missing(PathBuf),
    /// The search in this folder found no port at all.
    #[error("opening a board: no serial port was found in {}; plug in the board's cable, \
             or name the port's path", .0.display())]
    NoneFound(PathBuf),
    /// The search found no board that is a HID device.
    #[error(
        "opening a board: no Chessnut board was found on USB; plug in its cable, or name its \
             device, such as /dev/hidraw0"
    )]
    NoHid,
    /// Somebody else holds the lock.
    #[error("opening {}: another program is using it; close that program \
             (`fuser -v {}` names it)", .0.display(), .0.display())]
    Busy(PathBuf),
    /// This user may not.
    #[error("opening {}: permission denied; add this user to the group dialout \
             (`sudo usermod -aG dialout $USER`), then log in again", .0.display())]
    Forbidden(PathBuf),
    /// A file, a folder, or another kind of device.
    #[error("opening {}: this is not a serial port; \
             name one such as /dev/ttyACM0 or /dev/ttyUSB0", .0.display())]
    NotSerial(PathBuf),
    /// The far end is gone.
    #[error("{operation} {}: the line was cut; check that the board's cable is plugged in",
            path.display())]
    Cut {
        /// The port.
        path: PathBuf,
        /// What was being done.
        operation: Operation,
    },
    /// The far end takes no more bytes.
    #[error("{} {}: nothing was taken in time; unplug the board and plug it in again",
            Operation::Writing, .0.display())]
    Stuck(PathBuf),
    /// It was asked for: the board does not answer.
    #[error("{}: no board answers; check its power and its cable, and that it is of the maker \
             that is set", .0.display())]
    Reopened(PathBuf),
    /// It is on Bluetooth LE, and cannot be reached.
    #[error("{}: {why}", path.display())]
    Radio {
        /// The board, as the settings name it.
        path: PathBuf,
        /// The trouble with it.
        why: RadioTrouble,
    },
    /// Anything else.
    #[error("{operation} {}: {source}", path.display())]
    Failed {
        /// The port.
        path: PathBuf,
        /// What was being done.
        operation: Operation,
        /// What the system said.
        source: io::Error,
    },
}

impl LineError {
    /// Nothing is plugged in: plugging it in is all that is needed.
    pub fn is_absent(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. }
                | Self::NoneFound { .. }
                | Self::NoHid
                | Self::Cut { .. }
                | Self::Radio { why: RadioTrouble::OutOfReach | RadioTrouble::Lost, .. }
        )
    }

    /// Waiting does not help: somebody must change a setting or stop a program.
    pub fn is_refused(&self) -> bool {
        match self {
            Self::Radio { why, .. } => why.is_refused(),
            other => {
                matches!(other, Self::Busy { .. } | Self::Forbidden { .. } | Self::NotSerial { .. })
            }
        }
    }

    /// Sorts what the system says about a port.
    pub(super) fn of(path: PathBuf, operation: Operation, source: io::Error) -> Self {
        use rustix::io::Errno;
        let of_radio = source.get_ref().and_then(|it| it.downcast_ref::<RadioTrouble>());
        if let Some(why) = of_radio.cloned() {
            return Self::Radio { path, why };
        }
        let errno = source.raw_os_error().map(Errno::from_raw_os_error);
        match errno {
            Some(Errno::NOENT | Errno::NODEV | Errno::NXIO) if operation == Operation::Opening => {
                Self::Missing(path)
            }
            Some(Errno::IO | Errno::PIPE | Errno::NODEV | Errno::NXIO) => {
                Self::Cut { path, operation }
            }
            Some(Errno::BUSY | Errno::WOULDBLOCK) => Self::Busy(path),
            Some(Errno::ACCESS | Errno::PERM) => Self::Forbidden(path),
            Some(Errno::NOTTY | Errno::ISDIR) => Self::NotSerial(path),
            _ => Self::Failed { path, operation, source },
        }
    }
}
