//! How the machine itself is, as far as its system tells: too hot or short of power, a Raspberry Pi
//! slows down or drops its USB ports in the middle of a game.

use super::apart::{Apart, Share};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::interval;
use tracing::{error, info};

/// How often it is looked at. The kernel of a Pi asks for its voltage every two seconds.
const EVERY: Duration = Duration::from_secs(5);

/// What is told of the machine.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HostState {
    /// Of its processor, in degrees Celsius.
    pub temperature: Option<f64>,
    /// Whether the voltage is too low. Only a Raspberry Pi knows.
    pub is_undervolted: Option<bool>,
}

/// The files that tell of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Gauges {
    temperature: Option<PathBuf>,
    undervoltage: Option<PathBuf>,
}

impl Gauges {
    /// Those of the system whose files are below `root`.
    fn find(root: &Path) -> Self {
        let temperature = root.join("sys/class/thermal/thermal_zone0/temp");
        let folders = fs::read_dir(root.join("sys/class/hwmon")).into_iter().flatten().flatten();
        let is_voltage = |folder: &PathBuf| {
            fs::read_to_string(folder.join("name")).is_ok_and(|name| name.trim() == "rpi_volt")
        };
        let voltage = folders.map(|found| found.path()).find(is_voltage);
        Self {
            temperature: Some(temperature).filter(|path| path.is_file()),
            undervoltage: voltage.map(|folder| folder.join("in0_lcrit_alarm")),
        }
    }

    fn read(&self) -> HostState {
        let number = |path: &Option<PathBuf>| {
            fs::read_to_string(path.as_ref()?).ok()?.trim().parse::<i32>().ok()
        };
        HostState {
            temperature: number(&self.temperature).map(|milli| f64::from(milli) / 1e3),
            is_undervolted: number(&self.undervoltage).map(|alarm| alarm != 0),
        }
    }
}

/// How the machine is now whose system has its files below `root`.
pub(in crate::shell) fn look(root: &Path) -> HostState {
    Gauges::find(root).read()
}

/// Starts looking at this machine, on a thread of its own; none if the system tells nothing of it.
///
/// # Errors
/// The system gives no thread.
pub fn start() -> io::Result<(Option<Apart>, watch::Receiver<HostState>)> {
    let gauges = Gauges::find(Path::new("/"));
    let (tell, told) = watch::channel(gauges.read());
    if gauges == Gauges::default() {
        return Ok((None, told));
    }
    let thread = Apart::start("host", Share::Spare, move || keep(gauges, tell))?;
    Ok((Some(thread), told))
}

/// Looks until nobody wants to know any more.
async fn keep(gauges: Gauges, tell: watch::Sender<HostState>) {
    let mut beat = interval(EVERY);
    let mut was_undervolted = false;
    loop {
        tokio::select! {
            _ = beat.tick() => {}
            () = tell.closed() => return,
        }
        let state = gauges.read();
        let is_undervolted = state.is_undervolted == Some(true);
        if is_undervolted && !was_undervolted {
            error!(
                "THE POWER SUPPLY IS TOO WEAK: boards may drop out, and the card may be damaged; \
                 use the supply made for this Pi, and a short cable"
            );
        } else if was_undervolted && !is_undervolted {
            info!("the power supply is strong enough again");
        }
        was_undervolted = is_undervolted;
        tell.send_replace(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pi_tells_its_temperature_and_whether_it_has_power() {
        let root = tempfile::tempdir().expect("a folder");
        assert_eq!(Gauges::find(root.path()), Gauges::default());
        assert_eq!(Gauges::default().read(), HostState::default());
        let write = |path: &str, text: &str| {
            let path = root.path().join("sys/class").join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("a file");
        };
        write("thermal/thermal_zone0/temp", "61322\n");
        write("hwmon/hwmon0/name", "cpu_thermal\n");
        write("hwmon/hwmon1/name", "rpi_volt\n");
        write("hwmon/hwmon1/in0_lcrit_alarm", "1\n");
        let gauges = Gauges::find(root.path());
        let expected = HostState { temperature: Some(61.322), is_undervolted: Some(true) };
        assert_eq!(gauges.read(), expected);
        write("hwmon/hwmon1/in0_lcrit_alarm", "0\n");
        write("thermal/thermal_zone0/temp", "nothing");
        let expected = HostState { temperature: None, is_undervolted: Some(false) };
        assert_eq!(gauges.read(), expected);
    }
}
