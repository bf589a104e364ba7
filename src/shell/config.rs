//! The one configuration file, typed. An unknown key is an error that names the known ones: a
//! misspelt setting must not be a silent one.

mod board;
mod check;
mod display;
mod event;
mod fill;
mod leds;
mod maker;
mod matrix;
mod push;
mod serve;
pub mod terms;
mod word;

pub use self::board::{BoardConfig, LeftOrRight};
pub(super) use self::check::is_unseen;
pub use self::display::{DisplayChips, DisplaySettings};
pub use self::event::EventSettings;
pub use self::fill::{DELIVERED, Filled, add_board, fill};
pub use self::leds::{Corner, LedChips, LedSettings};
pub(super) use self::maker::DGT_BAUD;
pub use self::maker::Maker;
pub use self::matrix::{Matrix, Occupied, PinDriver, SwitchReader};
pub use self::push::{Push, ROUND, host_of};
pub use self::serve::{Folder, Http, LiveChess, parse_listen};
use super::orders::SOCKET;
use crate::table::defaults;
use serde::Deserialize;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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

defaults! {
    /// Everything that can be set.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Config {
        /// The folder of the journals.
        pub state_dir: PathBuf = usual_state(),
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
        pub boards: Vec<BoardConfig> = vec![BoardConfig::default()],
        /// The file in which all this stands, if it was read from one.
        #[serde(skip)]
        pub source: Option<PathBuf>,
    }
}

/// What becomes of the records, beside their folder.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JournalSettings {
    /// The folder of a second copy of all records, on another disk; empty for none.
    pub copy: PathBuf,
}

defaults! {
    /// The way in for arbiters' orders and players' declarations.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Orders {
        /// Whether any are taken.
        pub enabled: bool = true,
        /// The socket's path; empty for the usual one.
        pub socket: String,
    }
}

impl Config {
    /// Reads `path`; without one the usual file, or the defaults where that is not there.
    ///
    /// # Errors
    /// A named file that is missing, a key that is unknown, a value that cannot be.
    pub fn load(path: Option<&Path>) -> Result<Self, ConfigError> {
        Self::read(path, Self::parse)
    }

    /// The same. What is wrong with one board keeps no other from being recorded: it is put down
    /// with that board.
    ///
    /// # Errors
    /// A file that cannot be read, or in which something is wrong beside its boards, or with all
    /// of them.
    pub fn load_apart(path: Option<&Path>) -> Result<Self, ConfigError> {
        Self::read(path, Self::parse_apart)
    }

    fn read(
        path: Option<&Path>,
        parse: fn(&str, &Path) -> Result<Self, ConfigError>,
    ) -> Result<Self, ConfigError> {
        let usual = Path::new(USUAL_PATH);
        let path = match path {
            Some(path) if !path.exists() => return Err(ConfigError::Missing(path.to_owned())),
            Some(path) => path,
            None if usual.exists() => usual,
            None => return Ok(Self::default()),
        };
        let wrong = |why: String| ConfigError::Wrong { path: path.to_owned(), why };
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        parse(&text, path)
    }

    /// The sections that are otherwise in `other`, but for those of boards.
    pub(super) fn sections_unlike(&self, other: &Self) -> Vec<String> {
        let is_changed = [
            ("state_dir", self.state_dir != other.state_dir),
            ("[journal]", self.journal != other.journal),
            ("[http]", self.http != other.http),
            ("[livechess]", self.livechess != other.livechess),
            ("[folder]", self.folder != other.folder),
            ("[push]", self.push != other.push),
            ("[orders]", self.orders != other.orders),
            ("[event]", self.event != other.event),
        ];
        is_changed.into_iter().filter(|(_, is)| *is).map(|(name, _)| name.to_owned()).collect()
    }

    /// Reads the text of the file at `path`.
    ///
    /// # Errors
    /// A key that is unknown, a value that cannot be.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let wrong = |why: String| ConfigError::Wrong { path: path.to_owned(), why };
        let config = decode(text).map_err(wrong)?.finish(path).map_err(wrong)?;
        match config.first_fault() {
            Some(why) => Err(wrong(why.to_owned())),
            None => Ok(config),
        }
    }

    /// The same; what is wrong with one board is put down with that board.
    ///
    /// # Errors
    /// Something is wrong beside the boards, or with all of them.
    pub fn parse_apart(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let wrong = |why: String| ConfigError::Wrong { path: path.to_owned(), why };
        let decoded = decode(text).or_else(|why| decode_apart(text).ok_or(why));
        let config = decoded.map_err(wrong)?.finish(path).map_err(wrong)?;
        match config.first_fault().filter(|_| config.usable().next().is_none()) {
            Some(why) => Err(wrong(why.to_owned())),
            None => Ok(config),
        }
    }

    /// What is named in the file at `path` is found from there, and all of it is checked.
    fn finish(mut self, path: &Path) -> Result<Self, String> {
        if self.state_dir.as_os_str().is_empty() {
            self.state_dir = usual_state();
        }
        self.source = Some(path.to_owned());
        let list = &self.event.pairings;
        if let Some(folder) = path.parent() {
            if self.event.has_list() {
                self.event.pairings = folder.join(list);
            }
            self.push.beside(folder);
        }
        self.check()?;
        self.name_event();
        Ok(self)
    }

    /// Without a list of pairings the event's name and place are those of each board that names
    /// none of its own.
    fn name_event(&mut self) {
        if self.event.has_list() {
            return;
        }
        let (name, place) = (&self.event.name, self.event.place());
        for board in &mut self.boards {
            for (own, of_event) in [(&mut board.event, name), (&mut board.site, &place)] {
                if own.is_empty() {
                    own.clone_from(of_event);
                }
            }
        }
    }

    /// What is wrong with the file as a whole; what is wrong with one board is put down there.
    fn check(&mut self) -> Result<(), String> {
        if self.boards.is_empty() {
            return Err("no board is configured; add a [[board]] section".to_owned());
        }
        check::copy(self)?;
        self.event.check()?;
        self.http.check()?;
        self.folder.check(&self.state_dir, self.event.has_list())?;
        self.push.check(self.event.has_list())?;
        for (idx, board) in self.boards.iter().enumerate() {
            check::name(board)?;
            if self.boards[..idx].iter().any(|other| other.name == board.name) {
                return Err(format!("two boards are named {:?}; each needs its own", board.name));
            }
        }
        for board in self.boards.iter_mut().filter(|board| board.fault.is_none()) {
            if let Err(why) = check::alone(board) {
                *board = BoardConfig::at_fault(board.name.clone(), board.table, why);
            }
        }
        while let Err(fault) = check::together(self) {
            let it = self.boards.iter_mut().find(|board| board.name == fault.board);
            let board = it.expect("a fault is of one of the boards");
            *board = BoardConfig::at_fault(fault.board, board.table, fault.why);
        }
        Ok(())
    }

    /// The boards with whose settings nothing is wrong.
    pub(super) fn usable(&self) -> impl Iterator<Item = &BoardConfig> {
        self.boards.iter().filter(|board| board.fault.is_none())
    }

    /// The first fault of a board, if there is one.
    fn first_fault(&self) -> Option<&str> {
        self.boards.iter().find_map(|board| board.fault.as_deref())
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

/// What the text says, as far as its words are known.
fn decode(text: &str) -> Result<Config, String> {
    let file = config::File::from_str(text, config::FileFormat::Toml);
    let built = config::Config::builder().add_source(file).build();
    let decoded = built.and_then(config::Config::try_deserialize);
    decoded.map_err(|e| with_line(one_line(&e.to_string()), text))
}

/// The same, where what is not known stands in boards alone: these are at fault then.
fn decode_apart(text: &str) -> Option<Config> {
    let file = config::File::from_str(text, config::FileFormat::Toml);
    let built = config::Config::builder().add_source(file).build().ok()?;
    let mut sections: config::Map<String, config::Value> = built.try_deserialize().ok()?;
    let boards = sections.remove("board")?.into_array().ok()?;
    let config: Config = config::Value::from(sections).try_deserialize().ok()?;
    let board = |it: config::Value| {
        let mut named = it.clone().into_table().ok()?;
        let decoded = it.try_deserialize::<BoardConfig>();
        let usual = || BoardConfig::default().name;
        let name = named.remove("name").map_or_else(|| Ok(usual()), config::Value::into_string);
        let (name, table) = (name.ok()?, named.remove("table"));
        let table = table.and_then(|it| it.try_deserialize().ok()).unwrap_or_default();
        Some(decoded.unwrap_or_else(|e| {
            let why = with_line(one_line(&e.to_string()), text);
            BoardConfig::at_fault(name.clone(), table, format!("board {name:?}: {why}"))
        }))
    };
    let boards = boards.into_iter().map(board).collect::<Option<Vec<_>>>()?;
    Some(Config { boards, ..config })
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

/// A complaint about the syntax, without the picture of the place: line and column name it. What is
/// quoted from the file may hold anything.
fn one_line(complaint: &str) -> String {
    let is_text = |line: &&str| !line.contains('|') && !line.starts_with(" in ");
    let lines = complaint.lines().filter(is_text).map(str::trim);
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(": ");
    in_words(text.replace(char::is_control, "\u{fffd}"))
}

/// The same with a key such as `board[1]delay` as people look for it, counted from 1.
fn in_words(complaint: String) -> String {
    let of_list = || {
        let (before, key) = complaint.split_once("for key `")?;
        let (list, rest) = key.strip_suffix('`')?.split_once('[')?;
        let (idx, key) = rest.split_once(']')?;
        let number = idx.parse::<usize>().ok()?.checked_add(1)?;
        Some(match key.trim_start_matches('.') {
            "" => format!("{before}in [[{list}]] {number}"),
            key => format!("{before}for key `{key}` of [[{list}]] {number}"),
        })
    };
    of_list().unwrap_or(complaint)
}
