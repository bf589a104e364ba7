//! Pure renderings of a game for the world outside: records, PGN, the view document, the log.

pub mod brief;
pub mod chess960;
mod clock_note;
pub mod delay;
pub mod dialogue;
pub mod folder;
pub mod held;
mod keeping;
pub mod label;
pub mod livechess;
pub mod log;
pub mod open;
pub mod pairing;
pub mod paper;
pub mod pgn;
pub mod phrases;
pub mod push;
pub mod record;
mod remarks;
pub mod rows;
pub mod sensors;
pub mod table;
pub mod times;
pub mod tournament;
pub mod view;
pub mod whole;
pub mod words;
