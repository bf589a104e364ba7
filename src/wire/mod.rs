//! Bytes to messages and back: the languages of the boards and clocks, and nothing else.
//!
//! Garbage is an item of the output, never an error: a cable beside a chess board is pulled,
//! kicked and plugged in mid-sentence. This layer reads no clock and does no IO; the words are
//! DGT's (*field*, *board dump*, *update nice*), and *left* and *right* of the clock do not leave
//! it unexplained. The facts come from the notes on the protocol, whose sections are cited as
//! "protocol 1.2"; a constant without a citation is a decision of ours and says so.

mod agenda;
pub mod blocks;
pub mod board_link;
pub mod bridge;
pub mod bridge_link;
mod budget;
pub mod bus;
pub mod certabo;
pub mod chesslink;
pub mod chessnut;
pub mod clock;
pub mod clock_command;
pub mod clock_line;
pub mod clock_wish;
pub mod command;
pub mod contact;
pub mod dgt3000;
mod errand;
pub mod expander;
pub mod field;
pub mod frame;
pub mod gatt;
pub mod hd44780;
pub mod ht16k33;
mod in_step;
mod lag;
pub mod led_order;
pub(crate) mod lever_watch;
pub mod log;
pub mod mcp3008;
pub mod message;
pub mod pegasus;
pub mod segments;
pub mod session;
pub mod ucb;
pub mod ws2812;

pub use board_link::BoardLink;
pub use bridge_link::{BridgeLink, LINES_LOW};
pub use bus::{BusLine, BusNews};
pub use certabo::{CertaboLights, CertaboMessage};
pub use chesslink::{ChessLinkCommand, ChessLinkMessage};
pub use chessnut::{ChessnutCommand, ChessnutMessage};
pub use clock::{
    Ack, AckKind, AckOutcome, Button, Buttons, ClockMessage, ClockTime, Lever, SECONDS_MAX,
    SideTime, TimeFault,
};
pub use clock_command::{ClockCommand, Icons, LONG_TEXT_LEN, Runs, SetAndRun, SetTime, TEXT_LEN};
pub use clock_line::{ClockLine, LineInput};
pub use clock_wish::{
    ClockDriver, ClockKind, ClockNews, ClockText, Difference, DriverOutput, PortDriver, PortInput,
    Wanted, WantedTimes,
};
pub use command::{BoardCommand, CommandDecoder, HostItem, Leds, PegasusLeds};
pub use field::{Dump, Field, FieldCode, Orientation, Signal};
pub use frame::{Decoder, Item, SkipReason};
pub use log::{LogEvent, decode_log};
pub use message::{Battery, BoardMessage};
pub use session::{Session, SessionFault, SessionState, Streams};
pub use ucb::{UcbCommand, UcbMessage};
