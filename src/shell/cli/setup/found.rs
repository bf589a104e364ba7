//! Where boards may be that are there now.

use crate::shell::config::Maker;
use crate::shell::serial::{RadioPeer, board_ports, hid_ports, near};
use std::fmt;

/// A port at which a board may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundPort {
    /// As the settings have it.
    pub(super) port: String,
    /// By what it calls itself, if it does.
    pub(super) name: String,
    /// Whose board it is, if that is known.
    pub(super) maker: Option<Maker>,
}

impl fmt::Display for FoundPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => f.write_str(&self.port),
            name => write!(f, "{} ({name})", self.port),
        }
    }
}

impl FoundPort {
    /// Whether it is at the other end of a cable, and so nobody else's.
    pub(super) fn is_plugged_in(&self) -> bool {
        self.port.starts_with('/')
    }
}

/// Those at the end of cables.
pub(super) fn on_cables() -> Vec<FoundPort> {
    let of = |path: std::path::PathBuf, name: &str, maker| FoundPort {
        port: path.display().to_string(),
        name: name.to_owned(),
        maker,
    };
    let serial = board_ports().into_iter().map(|path| of(path, "", None));
    let hid = hid_ports().into_iter();
    serial.chain(hid.map(|path| of(path, "Chessnut", Some(Maker::Chessnut)))).collect()
}

/// Those in reach of a radio, if there is one. Takes some seconds then.
pub(super) async fn on_air() -> Vec<FoundPort> {
    // Without a radio there is nothing to be said of it.
    let heard = near().await.unwrap_or_default();
    let board = |(address, name): (String, String)| {
        let maker = Maker::of_device(&name)?;
        let port = RadioPeer::Address(address).to_string();
        Some(FoundPort { port, name, maker: Some(maker) })
    };
    heard.into_iter().filter_map(board).collect()
}
