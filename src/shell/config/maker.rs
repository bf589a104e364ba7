//! Whose board it is: `maker` of a board.

use crate::game::BoardKind;
use crate::table::words;
use crate::wire::gatt::{self, GattPorts};
use crate::wire::{certabo, chesslink, ucb};

/// 9600 baud: all that a DGT board speaks. Source: protocol 1.1.
pub(in crate::shell) const DGT_BAUD: u32 = 9_600;

words! {
    /// Whose board is at the end of a serial line.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum Maker {
        /// DGT, or another that speaks as DGT's boards do.
        #[default]
        Dgt = "dgt",
        /// Millennium: ChessLink.
        Millennium = "millennium",
        /// Certabo, or Tabutronic.
        Certabo = "certabo",
        /// Chessnut.
        Chessnut = "chessnut",
        /// Novag: the Universal Chess Board.
        Novag = "novag",
        /// DGT's Pegasus, on Bluetooth LE.
        Pegasus = "pegasus",
    }
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
