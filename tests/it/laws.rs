//! The Laws as data: every table of `tests/tables/laws`.
//!
//! Tables are separated by semicolons and have a header; the last column may be a remark.

pub(crate) mod book;
mod command;
mod coverage;
mod dead;
mod gaps;
mod hands;
mod kept;
mod live;
mod matrix;
mod messy;
mod notation;
mod numbers;
mod offered;
mod profiles;
mod provisions;
mod recovery;
mod referee;
mod repetition;
mod scenario;
mod switched;
mod traces;
mod twice;
mod waking;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

/// The position of a FEN.
fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().unwrap_or_else(|e| panic!("{fen}: {e}"));
    let mode = CastlingMode::detect(fen.as_setup());
    fen.clone().into_position(mode).unwrap_or_else(|e| panic!("{fen}: {e}"))
}

/// The rows of a table: `N` columns separated by semicolons.
fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    let split = |line| -> [&str; N] {
        let columns: Vec<&str> = str::split(line, ';').collect();
        columns.try_into().unwrap_or_else(|_| panic!("a row of {N} columns: {line}"))
    };
    table.lines().skip(1).map(split).collect()
}
