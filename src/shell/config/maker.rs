//! Whose board it is, and what it lights: `maker` and `lights` of a board.

use crate::game::{BoardKind, Lights};
use crate::wire::gatt::{self, GattPorts};
use crate::wire::{certabo, chesslink, ucb};
use serde::Deserialize;

/// 9600 baud: all that a DGT board speaks. Source: protocol 1.1.
pub(in crate::shell) const DGT_BAUD: u32 = 9_600;

/// Whose board is at the end of a serial line.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maker {
    /// DGT, or another that speaks as DGT's boards do.
    #[default]
    Dgt,
    /// Millennium: ChessLink.
    Millennium,
    /// Certabo, or Tabutronic.
    Certabo,
    /// Chessnut.
    Chessnut,
    /// Novag: the Universal Chess Board.
    Novag,
    /// DGT's Pegasus, on Bluetooth LE.
    Pegasus,
}

impl Maker {
    /// Their words in the settings, and whom `rokade setup` says that they mean.
    pub(in crate::shell) const OFFERED: [(&'static str, &'static str); 6] = [
        ("dgt", "DGT, or another board that speaks as those do"),
        ("millennium", "Millennium ChessLink"),
        ("certabo", "Certabo or Tabutronic"),
        ("chessnut", "Chessnut"),
        ("novag", "Novag Universal Chess Board"),
        ("pegasus", "DGT Pegasus, for which DGT gives a key"),
    ];

    /// How its boards on Bluetooth LE call themselves, at the beginning of their names. Protocol
    /// 1.12 and 7.3; the others as their makers sell them.
    const fn called(self) -> &'static [&'static str] {
        match self {
            Self::Dgt | Self::Novag => &[],
            Self::Millennium => &["MILLENNIUM"],
            Self::Certabo => &["Certabo", "Tabutronic"],
            Self::Chessnut => &["Chessnut"],
            Self::Pegasus => &["DGT_PEGASUS", "DGT Pegasus"],
        }
    }

    /// Whose board a device on Bluetooth LE is that calls itself so, if it is one.
    pub(in crate::shell) fn of_device(name: &str) -> Option<Self> {
        let begins =
            |with: &&str| name.get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with));
        let all = [Self::Millennium, Self::Certabo, Self::Chessnut, Self::Pegasus];
        all.into_iter().find(|maker| maker.called().iter().any(begins))
    }

    /// Its word in the settings.
    pub(in crate::shell) fn word(self) -> &'static str {
        match self {
            Self::Dgt => "dgt",
            Self::Millennium => "millennium",
            Self::Certabo => "certabo",
            Self::Chessnut => "chessnut",
            Self::Novag => "novag",
            Self::Pegasus => "pegasus",
        }
    }

    /// The kind of board.
    pub fn kind(self) -> BoardKind {
        match self {
            Self::Dgt => BoardKind::Dgt,
            Self::Millennium => BoardKind::ChessLink,
            Self::Certabo => BoardKind::Certabo,
            Self::Chessnut => BoardKind::Chessnut,
            Self::Novag => BoardKind::Ucb,
            Self::Pegasus => BoardKind::Pegasus,
        }
    }

    /// By what its boards on Bluetooth LE are heard, if there are any.
    pub(in crate::shell) fn gatt(self) -> Option<GattPorts> {
        match self {
            Self::Dgt | Self::Novag => None,
            Self::Pegasus | Self::Certabo => Some(gatt::NORDIC_UART),
            Self::Chessnut => Some(gatt::CHESSNUT),
            Self::Millennium => Some(gatt::CHESSLINK),
        }
    }

    /// Bits in a second on its line.
    pub fn baud(self) -> u32 {
        match self {
            // A HID device has no speed, nor has a radio; what stands for one takes any.
            Self::Dgt | Self::Chessnut | Self::Pegasus => DGT_BAUD,
            Self::Millennium => chesslink::BAUD,
            Self::Certabo => certabo::BAUD,
            Self::Novag => ucb::BAUD,
        }
    }
}

/// What a board lights.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shine {
    /// No square is lit.
    #[default]
    Off,
    /// The last move that the public sees.
    LastMove,
    /// The last move, and before a game the squares that are not yet as it begins.
    SetUp,
    /// The same, or squares that the board contradicts.
    Help,
}

impl Shine {
    /// The same to the core.
    pub fn lights(self) -> Lights {
        match self {
            Self::Off => Lights::Off,
            Self::LastMove => Lights::LastMove,
            Self::SetUp => Lights::SetUp,
            Self::Help => Lights::Help,
        }
    }
}
