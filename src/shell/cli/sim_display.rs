//! `rokade simulate --display`: a display that is none, printed in the terminal.

use super::tools::asked_to_stop;
use super::{Failure, say};
use crate::relay::rows::{FourRows, N_COLUMNS};
use crate::shell::config::DisplaySettings;
use crate::shell::display::simulated::SimulatedDisplay;
use std::path::Path;

/// Serves whatever daemon writes it, and prints its rows whenever they change, until Ctrl-C.
pub(super) async fn serve(path: &Path) -> Result<(), Failure> {
    let opened = SimulatedDisplay::open(path, DisplaySettings::default().address);
    let (display, mut seen) =
        opened.map_err(|e| Failure::Device(format!("{}: {e}", path.display())))?;
    let served = tokio::spawn(display.run());
    say(path.display())?;
    let print = async {
        while seen.changed().await.is_ok() {
            say(framed(&seen.borrow_and_update().clone()))?;
        }
        Ok(())
    };
    let done = tokio::select! {
        done = print => done,
        stopped = asked_to_stop() => stopped,
    };
    // The socket goes with the display.
    served.abort();
    served.await.ok();
    done
}

/// The rows in a frame.
fn framed(rows: &FourRows) -> String {
    let edge = format!("+{}+", "-".repeat(N_COLUMNS));
    let rows = rows.iter().map(|row| format!("|{row:N_COLUMNS$}|\n"));
    format!("{edge}\n{}{edge}", rows.collect::<String>())
}
