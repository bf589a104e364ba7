//! Boards on Bluetooth LE: what they say comes from one characteristic of theirs, and what they are
//! told goes to another. Protocol 1.12, 7.1 to 7.3.

/// The two characteristics of a kind of board, by their numbers.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct GattPorts {
    /// What the board says.
    pub from_board: &'static str,
    /// What it is told.
    pub to_board: &'static str,
}

/// The two of Nordic's serial line, which many makers have taken over: Pegasus and Certabo.
pub const NORDIC_UART: GattPorts = GattPorts {
    from_board: "6e400003-b5a3-f393-e0a9-e50e24dcca9e",
    to_board: "6e400002-b5a3-f393-e0a9-e50e24dcca9e",
};
/// Those of Chessnut. Answers to commands come from a third one, of which nothing is needed.
pub const CHESSNUT: GattPorts = GattPorts {
    from_board: "1b7e8262-2877-41c3-b46e-cf057c562023",
    to_board: "1b7e8272-2877-41c3-b46e-cf057c562023",
};
/// Those of Millennium.
pub const CHESSLINK: GattPorts = GattPorts {
    from_board: "49535343-1e4d-4bd9-ba61-23c647249616",
    to_board: "49535343-8841-43f4-a8d4-ecbe34729bb3",
};
