//! Which board on Bluetooth LE is meant, as the settings name it.

use crate::wire::gatt::GattPorts;
use std::fmt;
use std::path::PathBuf;

/// What a port begins with that is on Bluetooth LE.
pub(in crate::shell) const PREFIX: &str = "bluetooth:";
/// The longest name of a device, in bytes. Source: Bluetooth Core, GAP.
const NAME_MAX: usize = 248;

/// Which device is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RadioPeer {
    /// The one with this address, in capitals.
    Address(String),
    /// The one whose name begins so.
    Name(String),
}

impl RadioPeer {
    /// The device that a port names; `None` if that is no port of Bluetooth LE.
    ///
    /// # Errors
    /// What follows is neither an address nor a name, in words.
    pub fn parse(port: &str) -> Option<Result<Self, String>> {
        let named = match port.strip_prefix(PREFIX) {
            Some(named) => named.trim(),
            None if port == "bluetooth" => "",
            None => return None,
        };
        let is_byte = |it: &str| it.len() == 2 && it.bytes().all(|b| b.is_ascii_hexdigit());
        let parts: Vec<&str> = named.split(':').collect();
        let is_address = parts.len() == 6 && parts.iter().all(|it| is_byte(it));
        Some(if is_address {
            Ok(Self::Address(named.to_ascii_uppercase()))
        } else if named.is_empty() || named.len() > NAME_MAX || named.contains(char::is_control) {
            Err("name the board, as in \"bluetooth:DGT_PEGASUS\", or write its address, as in \
                 \"bluetooth:01:23:45:67:89:AB\""
                .to_owned())
        } else if parts.len() > 4 {
            Err(format!("{named:?} is no address; write six bytes, as in \"01:23:45:67:89:AB\""))
        } else {
            Ok(Self::Name(named.to_owned()))
        })
    }

    /// Whether a device with this address and these names is meant.
    pub(super) fn is(&self, address: &str, names: &[&str]) -> bool {
        match self {
            Self::Address(wanted) => address.eq_ignore_ascii_case(wanted),
            Self::Name(wanted) => names.iter().any(|name| name.starts_with(wanted)),
        }
    }
}

impl fmt::Display for RadioPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Address(named) | Self::Name(named)) = self;
        write!(f, "{PREFIX}{named}")
    }
}

/// A board on Bluetooth LE: which, and by what it is heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RadioPort {
    /// Which device.
    pub peer: RadioPeer,
    /// Its characteristics.
    pub ports: GattPorts,
}

impl RadioPort {
    /// What stands for a path.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(self.peer.to_string())
    }
}
