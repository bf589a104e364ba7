//! Pure renderings of a game for the world outside: records, PGN, the view document, the log.

pub mod brief;
mod clock_note;
pub mod delay;
pub mod folder;
pub mod held;
mod keeping;
pub mod livechess;
pub mod log;
pub mod open;
pub mod pairing;
pub mod paper;
pub mod pgn;
pub mod phrases;
pub mod push;
pub mod record;
pub mod rows;
pub mod sensors;
pub mod table;
pub mod times;
pub mod tournament;
pub mod view;
pub mod whole;
pub mod words;
