//! `rokade doctor` for hall sensors that tell colors: whether each of them shows something, and
//! what they show with a piece of each color.

use super::doctor::Diagnosis;
use super::switches::{entered, lead, listed};
use super::{Failure, replace, say};
use crate::board::Calibration;
use crate::board::hall::{HallTable, RAILS};
use crate::board::hall_walk::HallWalk;
use crate::shell::config::BoardConfig;
use crate::shell::matrix::halls::HallReader;
use crate::shell::matrix::{self, MatrixError};
use crate::shell::now::Now;
use shakmaty::{ByColor, Color, Square};
use std::fs;
use std::time::Duration;

/// The empty board is read so often, for the mean of its noise.
const N_EMPTY: u32 = 50;
/// A piece that was put down rests by then, and shows all that it will.
const STANDS: Duration = Duration::from_millis(200);

/// Whether each sensor of a board shows something.
pub(super) fn look(board: &BoardConfig) -> Vec<Diagnosis> {
    let settings = &board.matrix;
    let values = matrix::open_halls(settings).and_then(|mut reader| reader.values());
    let values = match values {
        Ok(values) => values,
        Err(why) => return vec![Diagnosis::bad(board, why.to_string(), "")],
    };
    // It was read a moment ago, or there would be no board to look at.
    let text = fs::read_to_string(&settings.calibration).unwrap_or_default();
    let Ok(table) = HallTable::parse(&text) else { return Vec::new() };
    let is_silent = |sq: &Square| !(RAILS.0..=RAILS.1).contains(&values[table.get(*sq).input]);
    let silent: Vec<Square> = Square::ALL.into_iter().filter(is_silent).collect();
    if silent.is_empty() {
        return vec![Diagnosis::good(board, "each hall sensor shows something")];
    }
    let saw = format!("the hall sensors of {} show nothing", listed(&silent));
    let means = "they are dead, or have no supply, or a wire is off; until they are mended those \
                 squares read as empty, and the record says where that is in doubt";
    vec![Diagnosis::bad(board, saw, means)]
}

/// Learns what the sensors show, and writes it to the file that the settings name.
pub(super) fn calibrate(board: &BoardConfig) -> Result<(), Failure> {
    let settings = &board.matrix;
    let device = |why: MatrixError| Failure::Device(why.to_string());
    let mut reader = matrix::open_halls(settings).map_err(device)?;
    let (now, skips) = (Now::start(), entered());
    say("Take all pieces off the board, and press Enter. From then on Enter skips a square that \
         shows nothing.")?;
    if skips.recv().is_err() {
        return Err(Failure::Usage(
            "there is nobody to press Enter; run this in a terminal".to_owned(),
        ));
    }
    let mut learned = HallWalk::new(empty(reader.as_mut()).map_err(device)?);
    for input in learned.silent() {
        let name = settings.input_name(input);
        say(format!("{name} shows nothing: its sensor is dead or has no supply."))?;
    }
    let mut led = |color: Color, piece: &str| {
        let mut scan = || Ok(learned.see(color, &reader.values()?));
        lead(settings, Calibration::new(STANDS), piece, (&now, &skips), &mut scan)
    };
    let white = led(Color::White, "white piece")?;
    let black = led(Color::Black, "black piece")?;
    let table = learned.table(&ByColor { white, black }).map_err(|sq| {
        Failure::Device(format!(
            "{sq} was a different input with the black piece than with the white one; nothing was \
             written, so start again"
        ))
    })?;
    replace(&settings.calibration, &table.to_string())?;
    say(format!("What was learned is in {}.", settings.calibration.display()))?;
    if table.dead().is_empty() {
        return Ok(());
    }
    let dead = listed(&table.dead());
    Err(Failure::Device(format!(
        "nothing is known of {dead}: a color moved their sensors too little, or both to one side; \
         check sensors and magnets"
    )))
}

/// The mean values of an empty board.
fn empty(reader: &mut dyn HallReader) -> Result<[u16; 64], MatrixError> {
    let mut sums = [0; 64];
    for _ in 0..N_EMPTY {
        for (sum, value) in sums.iter_mut().zip(reader.values()?) {
            *sum += u32::from(value);
        }
    }
    Ok(sums.map(|sum| u16::try_from(sum / N_EMPTY).unwrap_or(u16::MAX)))
}
