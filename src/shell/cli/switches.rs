//! `rokade doctor` for boards on the pins: what their squares show, and how they are wired.

use super::doctor::Diagnosis;
use super::{Failure, halls, say};
use crate::board::calibration::WalkStep;
use crate::board::rows::diodes_shown;
use crate::board::{Calibration, Wiring};
use crate::shell::config::{BoardConfig, Matrix, SwitchReader};
use crate::shell::matrix::{self, MatrixError, Scanner};
use crate::shell::now::Now;
use crate::table::{Placement, Reading};
use crate::time::Mono;
use shakmaty::{Bitboard, Color, File, Rank, Role, Square};
use std::io::{self, BufRead};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// A matrix is looked at for so long.
const LOOK: Duration = Duration::from_secs(1);
/// A square that changes more often in that time, with nobody at it, has a loose contact.
const FLICKERS: u32 = 8;
/// The inputs at the corners of a rectangle of rows and columns; the last is the one that is left
/// empty.
const CORNERS: [usize; 4] = [0, 2, 16, 18];
/// Pieces that are put somewhere are there after this.
const STANDS: Duration = Duration::from_millis(300);

/// A board of switches.
pub(super) fn look(board: &BoardConfig) -> Vec<Diagnosis> {
    let settings = &board.matrix;
    let mut scanner = match matrix::open(settings) {
        Ok(scanner) => scanner,
        Err(why) => return vec![Diagnosis::bad(board, why.to_string(), "")],
    };
    let mut found = Vec::new();
    let (period, slow) = matrix::pace(settings, scanner.as_ref());
    if let Some(told) = slow {
        found.push(Diagnosis::bad(board, told, "restart after the change"));
    }
    let seen = match ScanTally::look(scanner.as_mut(), period) {
        Ok(seen) => seen,
        Err(why) => return vec![Diagnosis::bad(board, why, "")],
    };
    let wiring = settings.wiring();
    let shown = matrix::seen(&wiring, seen.last, scanner.black());
    found.push(Diagnosis::good(
        board,
        format!(
            "read {} times in a second, {} us each; {} squares are occupied\n{}",
            seen.n_scans,
            seen.scan_us,
            shown.occupied().count(),
            drawn(&shown)
        ),
    ));
    if settings.chips == SwitchReader::ShiftRegisters && !settings.loop_back {
        let saw = "it is not known whether the chips answer: loop_back is off";
        found.push(Diagnosis::good(board, saw));
    }
    if settings.promotion_pins().is_some() {
        found.push(Diagnosis::good(board, down(seen.chosen)));
    }
    if settings.chips == SwitchReader::Rows {
        found.push(Diagnosis::good(board, diodes(seen.last)));
    }
    let loose = seen.loose(&wiring);
    if !loose.is_empty() {
        let means = "a wire is loose, an input has no pull-up, or a magnet is too weak";
        found.push(Diagnosis::bad(board, format!("{} do not rest", listed(&loose)), means));
    }
    if settings.chips == SwitchReader::Mcp3008 {
        // The bus is one program's, and so one reader's.
        drop(scanner);
        found.extend(halls::look(board));
    }
    found
}

/// Buttons for promotions beside a board that is not on the pins.
pub(super) fn beside(board: &BoardConfig) -> Option<Diagnosis> {
    board.has_buttons_beside().then(|| match matrix::button_down(&board.matrix, Now::start()) {
        Ok(chosen) => Diagnosis::good(board, down(chosen)),
        Err(why) => Diagnosis::bad(board, format!("the buttons for promotions: {why}"), ""),
    })
}

/// What is said of the button that is down.
fn down(chosen: Option<Role>) -> String {
    match chosen {
        Some(role) => format!("the button for a {} is down", word_of(role)),
        None => "no button for promotions is down; hold each down to try it".to_owned(),
    }
}

/// What a scan says of the diodes of rows and columns.
fn diodes(scan: u64) -> String {
    match diodes_shown(scan).count_ones() {
        0 => {
            "pieces that stand so show nothing of the diodes; from the start position play e4, and \
             look again"
                .to_owned()
        }
        n => format!("{n} diodes are seen to be there"),
    }
}

/// What a matrix showed.
struct ScanTally {
    last: u64,
    n_scans: u32,
    scan_us: u64,
    changes: [u32; 64],
    chosen: Option<Role>,
}

impl ScanTally {
    fn look(scanner: &mut dyn Scanner, period: Duration) -> Result<Self, String> {
        let now = Now::start();
        let mut seen = Self { last: 0, n_scans: 0, scan_us: 0, changes: [0; 64], chosen: None };
        let mut spent = Duration::ZERO;
        while now.stamp().mono < Mono::default() + LOOK {
            let before = now.stamp().mono;
            let scan = scanner.scan().map_err(|why| why.to_string())?;
            spent += now.stamp().mono.since(before);
            let chosen = scanner.chosen(before).map_err(|why| why.to_string())?;
            seen.chosen = chosen.or(seen.chosen);
            if seen.n_scans > 0 {
                for input in Bitboard(scan ^ seen.last) {
                    seen.changes[usize::from(input)] += 1;
                }
            }
            (seen.last, seen.n_scans) = (scan, seen.n_scans + 1);
            thread::sleep(period.saturating_sub(now.stamp().mono.since(before)));
        }
        let each = spent / seen.n_scans.max(1);
        seen.scan_us = u64::try_from(each.as_micros()).unwrap_or(u64::MAX);
        Ok(seen)
    }

    fn loose(&self, wiring: &Wiring) -> Vec<Square> {
        let is_loose = |input: &usize| self.changes[*input] > FLICKERS;
        (0..64).filter(is_loose).map(|input| wiring.square(input)).collect()
    }
}

fn word_of(role: Role) -> &'static str {
    match role {
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn | Role::King => "piece that no pawn becomes",
    }
}

/// The board as White sees it.
fn drawn(shown: &Placement) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text += &format!("      {rank} ");
        for file in File::ALL {
            text += match shown.get(Square::from_coords(file, rank)) {
                Reading::Empty => " .",
                Reading::Colored(Color::White) => " w",
                Reading::Colored(Color::Black) => " b",
                _ => " x",
            };
        }
        text.push('\n');
    }
    text + "         a b c d e f g h"
}

/// Learns the wiring of a board of switches.
pub(super) fn calibrate(board: &BoardConfig) -> Result<(), Failure> {
    if board.matrix.chips == SwitchReader::Mcp3008 {
        return halls::calibrate(board);
    }
    let device = |why: MatrixError| Failure::Device(why.to_string());
    let mut scanner = matrix::open(&board.matrix).map_err(device)?;
    let (now, skips) = (Now::start(), entered());
    say("Take all pieces off the board. Enter skips a square that shows nothing.")?;
    let n_closed = scanner.scan().map_err(device)?.count_ones();
    if n_closed > 0 {
        say(format!("{n_closed} inputs show something; press Enter when the board is empty."))?;
        // Without a terminal nobody can: what shows something is passed over then.
        skips.recv().ok();
    }
    let walk = Calibration::new(board.matrix.debounce());
    let mut scan = || scanner.scan();
    let walk = lead(&board.matrix, walk, "piece", (&now, &skips), &mut scan)?;
    if board.matrix.chips == SwitchReader::Rows {
        corners(board, scanner.as_mut(), &walk.wiring(), &now)?;
    }
    let lines: Vec<String> =
        walk.wiring().groups().iter().map(|it| format!("    {it:?},")).collect();
    say(format!("Put this under [board.matrix]:\ninputs = [\n{}\n]", lines.join("\n")))?;
    if !walk.dead().is_empty() {
        let dead = listed(walk.dead());
        return Err(Failure::Device(format!(
            "no input was found for {dead}; check their switches"
        )));
    }
    Ok(())
}

/// Squares in a sentence.
pub(super) fn listed(squares: &[Square]) -> String {
    let names: Vec<String> = squares.iter().map(Square::to_string).collect();
    names.join(", ")
}

/// Leads somebody over the board, who puts a piece of this name on each square.
pub(super) fn lead(
    settings: &Matrix,
    mut walk: Calibration,
    piece: &str,
    (now, skips): (&Now, &Receiver<()>),
    scan: &mut dyn FnMut() -> Result<u64, MatrixError>,
) -> Result<Calibration, Failure> {
    let mut asked = None;
    while !walk.is_done() {
        let scan = scan().map_err(|why| Failure::Device(why.to_string()))?;
        if let Some(step) = walk.scan(now.stamp().mono, scan) {
            say(told(settings, &step))?;
        }
        if skips.try_recv().is_ok() {
            walk.skip();
        }
        let wants = walk.wants();
        if let Some(sq) = wants.filter(|_| wants != asked) {
            say(format!("Put a {piece} on {sq}."))?;
        }
        asked = wants;
        thread::sleep(settings.period());
    }
    Ok(walk)
}

/// Three corners of a rectangle, whose fourth reads as occupied if there is no diode.
fn corners(
    board: &BoardConfig,
    scanner: &mut dyn Scanner,
    wiring: &Wiring,
    now: &Now,
) -> Result<(), Failure> {
    let [first, across, up, fourth] = CORNERS.map(|input| wiring.square(input));
    say(format!("Put pieces on {first}, {across} and {up}, and let them stand."))?;
    let three = Bitboard::EMPTY.with(first).with(across).with(up);
    let mut rest = LeftAlone::default();
    loop {
        let scan = scanner.scan().map_err(|why| Failure::Device(why.to_string()))?;
        let stand = rest.scan(now.stamp().mono, wiring.squares(scan));
        if stand == Some(three) {
            return say("The diodes hold. Take them off.");
        }
        if stand == Some(three.with(fourth)) {
            return Err(Failure::Device(format!(
                "{fourth} reads as occupied, but is empty: the matrix has no diodes, or one is the \
                 wrong way around; put one in series with every switch, its ring to the row"
            )));
        }
        thread::sleep(board.matrix.period());
    }
}

/// A board that is left alone. Squares are not told apart here: what a diode is missing for closes
/// with the last of the corners, and their contacts bounce together.
#[derive(Default)]
struct LeftAlone(Option<(Mono, Bitboard)>);

impl LeftAlone {
    /// What the whole board shows, once that has not changed for [`STANDS`].
    fn scan(&mut self, now: Mono, shown: Bitboard) -> Option<Bitboard> {
        let (since, _) = self.0.filter(|(_, last)| *last == shown).unwrap_or((now, shown));
        self.0 = Some((since, shown));
        (now.since(since) >= STANDS).then_some(shown)
    }
}

fn told(settings: &Matrix, step: &WalkStep) -> String {
    let list = |inputs: &[usize]| {
        let names: Vec<String> = inputs.iter().map(|input| settings.input_name(*input)).collect();
        names.join(", ")
    };
    match step {
        WalkStep::Begun(stuck) if stuck.is_empty() => "The board is empty.".to_owned(),
        WalkStep::Begun(stuck) => format!(
            "These inputs read as occupied on an empty board and are skipped: {}. A switch is \
             stuck, or an input has no pull-up.",
            list(stuck)
        ),
        WalkStep::Found(sq, input) => format!("{sq} is {}. Lift it.", settings.input_name(*input)),
        WalkStep::Joined(sq, other) => {
            format!("{sq} closes the input of {other}: lift the piece, and put it on {sq} again.")
        }
        WalkStep::Several(inputs) => format!(
            "Several inputs close at once: {}. Lift all pieces, and put one alone; if that does \
             not help, the magnet is too strong.",
            list(inputs)
        ),
    }
}

/// Each time that somebody presses Enter.
pub(super) fn entered() -> Receiver<()> {
    let (tx, rx) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if line.is_err() || tx.send(()).is_err() {
                return;
            }
        }
    });
    rx
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last corner bounces: for one scan it reads as occupied, and the square that lacks a
    /// diode does not yet.
    #[test]
    fn a_board_rests_as_a_whole() {
        let three = Bitboard::EMPTY.with(Square::A1).with(Square::C1).with(Square::A3);
        let four = three.with(Square::C3);
        let mut rest = LeftAlone::default();
        assert_eq!(rest.scan(Mono::from_millis(0), three), None);
        assert_eq!(rest.scan(Mono::from_millis(10), four), None);
        assert_eq!(rest.scan(Mono::from_millis(300), four), None, "changed after the first scan");
        assert_eq!(rest.scan(Mono::from_millis(310), four), Some(four));
    }
}
