//! The one configuration file, typed. An unknown key is an error that names the known ones: a
//! misspelt setting must not be a silent one.

mod check;
mod event;
mod maker;
mod matrix;
mod push;
mod serve;
pub mod terms;
mod word;

pub(super) use self::check::is_unseen;
pub use self::event::EventSettings;
pub(super) use self::maker::DGT_BAUD;
pub use self::maker::{Maker, Shine};
pub use self::matrix::{Matrix, Occupied, SwitchReader};
pub use self::push::{Push, ROUND, host_of};
pub use self::serve::{Folder, Http, LiveChess, parse_listen};
use self::terms::Announced;
use super::clock::kind::Source;
use super::orders::SOCKET;
use crate::clock::{ControlError, TimeControl};
use crate::drive::{ArbiterCall, Starter};
use crate::game::settings::Settle;
use crate::game::terms::{at_control, variant_of};
use crate::game::{BoardKind, Settings};
use crate::laws::{Edition, Profile, Terms, UnknownName, Variant};
use crate::relay::delay::Delay;
use crate::table::End;
use crate::wire::Orientation;
use crate::wire::certabo::parse_chips;
use serde::Deserialize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the file is looked for unless the command line names another.
pub const USUAL_PATH: &str = "/etc/rokade/rokade.toml";

/// The folder of the service's records.
const USUAL_STATE: &str = "/var/lib/rokade";

/// The folder that the service's unit gives it while it runs.
const USUAL_RUNTIME: &str = "/run/rokade";

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The named file is not there.
    #[error("{0}: there is no such file; name another with --config")]
    Missing(PathBuf),
    /// It cannot be read, or says something that cannot be.
    #[error("{path}: {why}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong, in one sentence.
        why: String,
    },
}

/// Everything that can be set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The folder of the journals.
    pub state_dir: PathBuf,
    /// What else becomes of the records.
    pub journal: JournalSettings,
    /// The pages.
    pub http: Http,
    /// What programs follow that know boards by LiveChess.
    pub livechess: LiveChess,
    /// What programs watch that upload games.
    pub folder: Folder,
    /// Where games are sent.
    pub push: Push,
    /// Arbiters' orders.
    pub orders: Orders,
    /// The event whose rounds are played.
    pub event: EventSettings,
    /// The boards.
    #[serde(rename = "board")]
    pub boards: Vec<BoardConfig>,
}

/// What becomes of the records, beside their folder.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JournalSettings {
    /// The folder of a second copy of all records, on another disk; empty for none.
    pub copy: PathBuf,
}

/// The way in for arbiters' orders and players' declarations.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Orders {
    /// Whether any are taken.
    pub enabled: bool,
    /// The socket's path; empty for the usual one.
    pub socket: String,
}

/// One board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoardConfig {
    /// Its name: in addresses, folders and the log.
    pub name: String,
    /// The table at which it is, by the numbers of the pairings; 0 for its place in the settings.
    pub table: u16,
    /// Its serial line: a device path, or `auto`; `gpio` for switches on the pins.
    pub port: String,
    /// The address of a DGT board on a line that several share; 0 of one with a line of its own.
    pub bus_address: u16,
    /// Whose board is at the end of the line.
    #[serde(deserialize_with = "word::one_of")]
    pub maker: Maker,
    /// The chips below the pieces of a board that knows them by that.
    pub chips: Vec<String>,
    /// What is lit on it.
    #[serde(deserialize_with = "word::one_of")]
    pub lights: Shine,
    /// How such switches are wired.
    pub matrix: Matrix,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The event.
    pub event: String,
    /// The place.
    pub site: String,
    /// The round.
    pub round: String,
    /// How far the public is behind the board.
    #[serde(deserialize_with = "word::parsed")]
    pub delay: Delay,
    /// How the board lies.
    #[serde(deserialize_with = "word::one_of")]
    pub connector: Connector,
    /// White's end of the clock.
    #[serde(deserialize_with = "word::one_of")]
    pub clock_white: WhiteEnd,
    /// Where the clock is.
    #[serde(deserialize_with = "word::one_of")]
    pub clock: Source,
    /// The serial line of a clock's bridge: a device path, or `auto`.
    pub clock_port: String,
    /// The clock behind the board is set and run by the time control; else it is only read.
    pub drive_clock: bool,
    /// For what a driven clock is stopped and calls the arbiter.
    #[serde(deserialize_with = "word::one_of")]
    pub clock_stops_for: StopsFor,
    /// The first press of the player without the first move starts a driven clock.
    pub clock_starts_by_lever: bool,
    /// A clock that Rokade runs changes sides by itself when its lever turns, instead of waiting
    /// for a command; what that is worth stands in `hardware/README.md`.
    pub clock_turns_by_lever: bool,
    /// A driven clock shows each completed move for some seconds.
    pub clock_shows_moves: bool,
    /// Only Chess960 start positions begin a game.
    pub chess960: bool,
    /// The edition of the Laws that a referee goes by; empty for none.
    pub laws: String,
    /// The form of chess, for the referee; empty if the time control is to tell.
    pub variant: String,
    /// How closely the game is watched, for the referee.
    pub supervision: String,
    /// The time control; empty if the clock is to tell.
    pub time_control: String,
    /// What else the competition lays down, for the referee.
    pub terms: Announced,
    /// Stillness that makes a move while a clock runs, in milliseconds.
    pub settle_with_clock_ms: u64,
    /// Stillness that makes a move without a clock, in milliseconds.
    pub settle_without_clock_ms: u64,
}

/// On whose side the board's connector is, seen by White.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Connector {
    /// Found out from the start position.
    #[default]
    Auto,
    /// On White's left.
    Left,
    /// On White's right.
    Right,
}

/// White's end of the clock, seen from its front.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhiteEnd {
    /// Found out from the first press.
    #[default]
    Auto,
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// For what a driven clock is stopped and calls the arbiter.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopsFor {
    /// The clock is never stopped.
    Nothing,
    /// For an illegal move that was completed.
    #[default]
    IllegalMove,
    /// For all that the log calls an irregularity.
    Irregularity,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            state_dir: usual_state(),
            journal: JournalSettings::default(),
            http: Http::default(),
            livechess: LiveChess::default(),
            folder: Folder::default(),
            push: Push::default(),
            orders: Orders::default(),
            event: EventSettings::default(),
            boards: vec![BoardConfig::default()],
        }
    }
}

impl Default for Orders {
    fn default() -> Self {
        Self { enabled: true, socket: String::new() }
    }
}

impl Default for BoardConfig {
    fn default() -> Self {
        let settle = Settle::default();
        let millis = |span: Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        Self {
            name: "table-1".to_owned(),
            table: 0,
            port: "auto".to_owned(),
            bus_address: 0,
            maker: Maker::default(),
            chips: Vec::new(),
            lights: Shine::default(),
            matrix: Matrix::default(),
            white: String::new(),
            black: String::new(),
            event: String::new(),
            site: String::new(),
            round: String::new(),
            delay: Delay::None,
            connector: Connector::Auto,
            clock_white: WhiteEnd::Auto,
            clock: Source::Board,
            clock_port: "auto".to_owned(),
            drive_clock: false,
            clock_stops_for: StopsFor::IllegalMove,
            clock_starts_by_lever: true,
            clock_turns_by_lever: false,
            clock_shows_moves: false,
            chess960: false,
            laws: String::new(),
            variant: String::new(),
            supervision: Profile::default().supervision.word().to_owned(),
            time_control: String::new(),
            terms: Announced::default(),
            settle_with_clock_ms: millis(settle.with_clock),
            settle_without_clock_ms: millis(settle.without_clock),
        }
    }
}

impl Config {
    /// Reads `path`; without one the usual file, or the defaults where that is not there.
    ///
    /// # Errors
    /// A named file that is missing, a key that is unknown, a value that cannot be.
    pub fn load(path: Option<&Path>) -> Result<Self, ConfigError> {
        let usual = Path::new(USUAL_PATH);
        let path = match path {
            Some(path) if !path.exists() => return Err(ConfigError::Missing(path.to_owned())),
            Some(path) => path,
            None if usual.exists() => usual,
            None => return Ok(Self::default()),
        };
        let wrong = |why: String| ConfigError::Wrong { path: path.to_owned(), why };
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let file = config::File::from(path).format(config::FileFormat::Toml);
        let mut config: Self = config::Config::builder()
            .add_source(file)
            .build()
            .and_then(config::Config::try_deserialize)
            .map_err(|e| wrong(with_line(one_line(&e.to_string()), &text)))?;
        if config.state_dir.as_os_str().is_empty() {
            config.state_dir = usual_state();
        }
        let list = &config.event.pairings;
        if let Some(folder) = path.parent() {
            if !list.as_os_str().is_empty() {
                config.event.pairings = folder.join(list);
            }
            config.push.beside(folder);
        }
        config.check().map_err(wrong)?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        if self.boards.is_empty() {
            return Err("no board is named; add a [[board]] section".to_owned());
        }
        check::copy(self)?;
        check::tables(self)?;
        self.event.check()?;
        self.folder.check(&self.state_dir)?;
        self.push.check(!self.event.pairings.as_os_str().is_empty())?;
        for (idx, board) in self.boards.iter().enumerate() {
            check::name(board)?;
            if self.boards[..idx].iter().any(|other| other.name == board.name) {
                return Err(format!("two boards are named {:?}; each needs its own", board.name));
            }
            check::texts(board)?;
            let profile = board.profile();
            profile.map_err(|e| format!("board {:?}: {e}", board.name))?;
            let control = board.time_control();
            let control = control.map_err(|e| format!("board {:?}: {e}", board.name))?;
            let announced = board.terms.apply(Terms::default());
            announced.map_err(|e| format!("board {:?}: [board.terms] {e}", board.name))?;
            if board.drive_clock && control.is_none() {
                return Err(format!(
                    "board {:?}: drive_clock needs a time_control, as in \"90m+30s\"",
                    board.name
                ));
            }
            if board.clock.has_port() {
                board.check_port(control)?;
            }
            check::matrix(board)?;
            check::maker(board)?;
            check::bus(board)?;
            if !(50..=60_000).contains(&board.settle_with_clock_ms)
                || !(50..=60_000).contains(&board.settle_without_clock_ms)
            {
                return Err(format!(
                    "board {:?}: the settle times are in milliseconds, from 50 to 60000",
                    board.name
                ));
            }
        }
        check::lines(self)
    }

    /// Where the daemon listens for orders: in the folder that its unit gives it, or else in that
    /// of the records.
    pub fn orders_from(&self) -> PathBuf {
        let folder = std::env::var_os("RUNTIME_DIRECTORY").map(PathBuf::from);
        match self.orders.socket.as_str() {
            "" => folder
                .or_else(|| self.own_runtime())
                .unwrap_or_else(|| self.state_dir.clone())
                .join(SOCKET),
            named => PathBuf::from(named),
        }
    }

    /// The folder for the socket of an ordinary user whose records are in the usual place.
    fn own_runtime(&self) -> Option<PathBuf> {
        let folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        folder.filter(|_| own_state().as_ref() == Some(&self.state_dir)).map(|it| it.join("rokade"))
    }

    /// Where a daemon with these settings may listen: one that somebody runs, or the service.
    pub(super) fn orders_at(&self) -> Vec<PathBuf> {
        let service = Path::new(USUAL_RUNTIME).join(SOCKET);
        let mut places = vec![self.orders_from()];
        if self.orders.socket.is_empty() && !places.contains(&service) {
            places.push(service);
        }
        places
    }

    /// The folder of the second copy of all records, if one is set.
    pub fn copy(&self) -> Option<&Path> {
        let folder = self.journal.copy.as_path();
        (!folder.as_os_str().is_empty()).then_some(folder)
    }

    /// The table of each board.
    pub fn tables(&self) -> Vec<u16> {
        let of =
            |(board, place): (&BoardConfig, u16)| if board.table > 0 { board.table } else { place };
        self.boards.iter().zip(1..).map(of).collect()
    }

    /// The folder of one board's journal and games.
    pub fn folder(&self, board: &BoardConfig) -> PathBuf {
        self.state_dir.join(&board.name)
    }
}

/// The folder of the records where none is set: that of the unit, or the service's, or an ordinary
/// user's own.
fn usual_state() -> PathBuf {
    let of_unit = std::env::var_os("STATE_DIRECTORY").map(PathBuf::from);
    of_unit.or_else(own_state).unwrap_or_else(|| PathBuf::from(USUAL_STATE))
}

/// The folder of an ordinary user's records; none for those who run the service, and where the user
/// has none of his own and may read the service's. Source: XDG Base Directory Specification.
fn own_state() -> Option<PathBuf> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|of| of.uid() == 0);
    let named = std::env::var_os("XDG_STATE_HOME").filter(|it| Path::new(it).is_absolute());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
    let folder = named.map(PathBuf::from).or_else(home)?.join("rokade");
    let reads_service = !folder.exists() && std::fs::read_dir(USUAL_STATE).is_ok();
    (!is_root && !reads_service).then_some(folder)
}

/// The complaint about an unknown key or word, with the line in which it stands.
fn with_line(complaint: String, text: &str) -> String {
    let behind = |start: &str| complaint.split_once(start).map(|(_, rest)| rest);
    let key = behind("unknown field `").and_then(|rest| rest.split('`').next());
    let value = behind(word::UNKNOWN).and_then(|rest| rest.split(';').next());
    let is_it = |line: &str| {
        let line = line.trim_start().trim_start_matches('[');
        let has_key = |key| {
            let rest = line.strip_prefix(key);
            rest.is_some_and(|rest| rest.trim_start().starts_with(['=', ']', '.']))
        };
        let has_value = |value| {
            let rest = line.split_once('=').and_then(|(_, rest)| rest.trim().strip_prefix(value));
            rest.is_some_and(|rest| rest.is_empty() || rest.trim_start().starts_with('#'))
        };
        key.is_some_and(has_key) || value.is_some_and(has_value)
    };
    match text.lines().position(is_it) {
        Some(idx) => format!("line {}: {complaint}", idx + 1),
        None => complaint,
    }
}

/// A complaint about the syntax, without the picture of the place: line and column name it.
fn one_line(complaint: &str) -> String {
    let is_text = |line: &&str| !line.contains('|') && !line.starts_with(" in ");
    let lines = complaint.lines().filter(is_text).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(": ")
}

impl BoardConfig {
    /// A clock with a port to itself is always driven: a DGT 3000 on its jack tells its times only
    /// to whom it obeys.
    fn check_port(&self, control: Option<TimeControl>) -> Result<(), String> {
        if control.is_none_or(|control| control == TimeControl::NoClock) {
            return Err(format!(
                "board {:?}: clock = {:?} needs a time_control, as in \"90m+30s\"",
                self.name,
                self.clock.word()
            ));
        }
        if self.clock_port == self.port && self.port != "auto" {
            return Err(format!(
                "board {:?}: port and clock_port are the same line; each device has its own",
                self.name
            ));
        }
        Ok(())
    }

    /// Whether its squares are read by this machine itself, by its pins.
    pub fn is_on_pins(&self) -> bool {
        self.port == matrix::GPIO
    }

    /// Whether it shares its line with others.
    pub fn is_on_bus(&self) -> bool {
        self.bus_address != 0
    }

    /// White's end of a clock that we drive: the left one unless it is said otherwise.
    pub fn left_or_right(&self) -> End {
        match self.clock_white {
            WhiteEnd::Auto | WhiteEnd::Left => End::Left,
            WhiteEnd::Right => End::Right,
        }
    }

    /// Who may start a driven clock.
    pub fn starter(&self) -> Starter {
        if self.clock_starts_by_lever { Starter::Anybody } else { Starter::Arbiter }
    }

    /// For what a clock that we drive calls the arbiter.
    pub(super) const fn calls(&self) -> ArbiterCall {
        match self.clock_stops_for {
            StopsFor::Nothing => ArbiterCall::Never,
            StopsFor::IllegalMove => ArbiterCall::IllegalMove,
            StopsFor::Irregularity => ArbiterCall::Irregularity,
        }
    }

    /// The time control, if one is set.
    pub(super) fn time_control(&self) -> Result<Option<TimeControl>, ControlError> {
        let text = self.time_control.trim();
        if text.is_empty() { Ok(None) } else { text.parse().map(Some) }
    }

    /// The Laws by which the game is refereed, if any are set. The other words must make sense
    /// even so.
    fn profile(&self) -> Result<Option<Profile>, UnknownName> {
        let variant = match self.variant.trim() {
            "" => None,
            named => Some(named.parse()?),
        };
        let supervision = self.supervision.trim().parse()?;
        let laws = self.laws.trim();
        if laws.is_empty() {
            return Ok(None);
        }
        let edition = laws.parse()?;
        let variant = variant.unwrap_or_else(|| self.variant_played(edition));
        Ok(Some(Profile { edition, variant, supervision }))
    }

    /// The form of chess, where none is named: by the time control.
    fn variant_played(&self, edition: Edition) -> Variant {
        let control = self.time_control().ok().flatten();
        let variant = control.map_or(Variant::Standard, |it| variant_of(edition, &it));
        match variant {
            Variant::Standard | Variant::Quickplay if self.chess960 => Variant::Chess960,
            other => other,
        }
    }

    /// The terms under which the game is refereed, if there is a referee.
    fn referee_terms(&self) -> Option<Terms> {
        // It was checked when the file was read.
        let profile = self.profile().unwrap_or_default()?;
        let control = self.time_control().unwrap_or_default();
        let is_960 = profile.variant == Variant::Chess960;
        let played = control.as_ref().filter(|_| is_960);
        let pace = played.map(|control| variant_of(profile.edition, control).pace());
        let terms = Terms { profile, pace, ..Terms::default() };
        let terms = self.terms.apply(terms.clone()).unwrap_or(terms);
        Some(match control {
            Some(control) => at_control(terms, &control),
            None => terms,
        })
    }

    /// These settings as the core wants them.
    pub fn settings(&self) -> Settings {
        let terms = self.referee_terms();
        let control = self.time_control().unwrap_or_default();
        let is_960 = terms.as_ref().is_some_and(|it| it.profile.variant == Variant::Chess960);
        Settings {
            white: self.white.clone(),
            black: self.black.clone(),
            event: self.event.clone(),
            site: self.site.clone(),
            round: self.round.clone(),
            pairing: None,
            next: None,
            start: None,
            board: if self.is_on_pins() { BoardKind::Scanned } else { self.maker.kind() },
            shares_line: self.is_on_bus(),
            // They were checked when the file was read.
            chips: parse_chips(&self.chips).unwrap_or_default(),
            lights: self.lights.lights(),
            is_chess960: self.chess960 || is_960,
            orientation: match self.connector {
                Connector::Auto => None,
                Connector::Left => Some(Orientation::Normal),
                Connector::Right => Some(Orientation::Rotated),
            },
            white_end: match self.clock_white {
                WhiteEnd::Auto => None,
                WhiteEnd::Left => Some(End::Left),
                WhiteEnd::Right => Some(End::Right),
            },
            terms,
            clock_role: self.clock.role(self.drive_clock, control.as_ref()),
            time_control: control,
            settle: Settle {
                with_clock: Duration::from_millis(self.settle_with_clock_ms),
                without_clock: Duration::from_millis(self.settle_without_clock_ms),
                ..Settle::default()
            },
        }
    }
}
