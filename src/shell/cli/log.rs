//! `rokade log` and `rokade verify`: what is on record, for people.

use super::{Failure, JournalPlace, Which, chain, say};
use crate::game::Entry;
use crate::relay;
use crate::relay::times::{LastTimes, shortest_first};
use crate::shell::config::Config;
use crate::shell::journal::{
    self, DiskStorage, JournalError, JournalLine, JournalReader, Noted, Salvaged,
};
use crate::shell::record::{self, Games, Nonsense, RecordedGame};
use clap::Args;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

/// Between looks at a journal that is being followed.
const FOLLOW_EVERY: Duration = Duration::from_millis(200);

/// One line for each move and each finding, with both clocks. Findings are for the arbiter: they
/// state what was seen and the article that speaks of it, and rule nothing.
#[derive(Debug, Args)]
pub(super) struct LogCommand {
    #[command(flatten)]
    which: Which,
    /// Keep printing as things happen
    #[arg(long, short)]
    follow: bool,
    /// Print every entry of the journal, including sensor readings
    #[arg(long)]
    json: bool,
    /// Print what the clocks of all boards showed last, shortest time first
    #[arg(long, conflicts_with_all = ["follow", "json", "board", "journal"])]
    times: bool,
}

/// Each entry carries a checksum and the hash of the entry before it, so no line can be changed,
/// removed, added or moved without being found.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    which: Which,
    /// Print what can still be read of journal ends that were set aside
    #[arg(long)]
    salvage: bool,
    /// Check that the journal still has this line, as shown by the page, log or health check
    #[arg(long, value_name = "LINE:HASH")]
    noted: Option<Noted>,
}

fn journal_error(error: &JournalError) -> Failure {
    Failure::Journal(chain(error))
}

/// A folder that is something else, or a daemon that has heard of no board yet.
fn nothing_in(folder: &Path) -> Failure {
    Failure::Journal(format!("{}: there is no journal in this folder", folder.display()))
}

/// The boards of the configuration on which a game goes on.
fn print_times(config: &Config) -> Result<(), Failure> {
    let mut boards = Vec::new();
    for board in &config.boards {
        let folder = config.folder(board);
        let mut reader = JournalReader::new(DiskStorage::new(&folder));
        let mut shown = LastTimes::default();
        while folder.is_dir() {
            let lines = reader.poll().map_err(|e| journal_error(&e))?;
            lines.iter().filter_map(record::entry_of).for_each(|entry| shown.take(&entry.fact));
            if lines.is_empty() {
                break;
            }
        }
        boards.push((&board.name, shown));
    }
    let mut out = std::io::stdout().lock();
    for (name, times) in shortest_first(boards) {
        let (white, black) = (relay::log::hms(times.white), relay::log::hms(times.black));
        writeln!(out, "white {white}  black {black}  {name}")
            .map_err(Failure::io("cannot print"))?;
    }
    Ok(())
}

/// A board's journal as it is printed.
struct Followed {
    place: JournalPlace,
    reader: JournalReader<DiskStorage>,
    log: relay::log::Log,
}

impl Followed {
    fn new(place: &JournalPlace) -> Self {
        let reader = JournalReader::new(DiskStorage::new(&place.folder));
        Self { place: place.clone(), reader, log: relay::log::Log::default() }
    }
}

impl LogCommand {
    pub(super) fn run(&self, config: &Config) -> Result<(), Failure> {
        if self.times {
            return print_times(config);
        }
        let mut out = BufWriter::new(std::io::stdout().lock());
        if !self.follow {
            return self.which.for_each(config, |place| {
                let n_lines = self.print_new(&mut Followed::new(place), &mut out)?;
                if !self.json {
                    print_aside(place, &mut out)?;
                }
                if n_lines > 0 { Ok(()) } else { Err(nothing_in(&place.folder)) }
            });
        }
        let mut boards: Vec<_> = self.which.places(config)?.iter().map(Followed::new).collect();
        loop {
            for followed in boards.iter_mut().filter(|followed| followed.place.folder.is_dir()) {
                self.print_new(followed, &mut out)?;
            }
            std::thread::sleep(FOLLOW_EVERY);
        }
    }

    /// Prints what has come since this was done last, and says how many lines of the journal.
    fn print_new(&self, of: &mut Followed, out: &mut impl Write) -> Result<usize, Failure> {
        let mut n_lines = 0;
        loop {
            let lines = of.reader.poll().map_err(|e| journal_error(&e))?;
            for damage in of.reader.take_damage() {
                eprintln!("{}: {damage}", of.place.folder.display());
            }
            if lines.is_empty() {
                out.flush().map_err(Failure::io("cannot print"))?;
                return Ok(n_lines);
            }
            n_lines += lines.len();
            let board = of.place.board.as_deref();
            for line in &lines {
                print(board, line, self.json, &mut of.log, out)
                    .map_err(Failure::io("cannot print"))?;
            }
        }
    }
}

/// Prints a line of the journal. Where several boards are meant, it begins with its board's name.
fn print(
    board: Option<&str>,
    line: &JournalLine,
    is_json: bool,
    log: &mut relay::log::Log,
    out: &mut impl Write,
) -> std::io::Result<()> {
    if is_json {
        return match (board, line.body.strip_prefix('{')) {
            (Some(board), Some(rest)) => writeln!(out, "{{\"board\":\"{board}\",{rest}"),
            _ => writeln!(out, "{}", line.body),
        };
    }
    let Some(entry) = record::entry_of(line) else { return Ok(()) };
    let Some(text) = log.line(&entry.fact) else { return Ok(()) };
    if let Some(board) = board {
        write!(out, "{board}  ")?;
    }
    writeln!(out, "{}  {text}", record::moment(entry.at.wall))
}

/// What can be read of ends that were set aside: that is not on record, and may have been.
fn print_aside(place: &JournalPlace, out: &mut impl Write) -> Result<(), Failure> {
    let JournalPlace { board, folder } = place;
    let salvaged = journal::salvage(&DiskStorage::new(folder)).map_err(|e| journal_error(&e))?;
    for Salvaged { file, lines, unread } in salvaged {
        eprintln!(
            "{}/{file}: set aside, not on record; {unread} bytes are unread",
            folder.display()
        );
        let mut log = relay::log::Log::default();
        for line in &lines {
            print(board.as_deref(), line, false, &mut log, out)
                .map_err(Failure::io("cannot print"))?;
        }
        out.flush().map_err(Failure::io("cannot print"))?;
    }
    Ok(())
}

/// Folds the journal in a folder into its games. `each` is told each entry, how the games stand
/// behind it, and the game that it closed.
pub(super) fn fold(
    folder: &Path,
    each: &mut dyn FnMut(&Entry, &Games, Option<RecordedGame>),
) -> Result<(Games, Nonsense), Failure> {
    let mut reader = JournalReader::new(DiskStorage::new(folder));
    let mut games = Games::default();
    let mut nonsense = Nonsense::default();
    let mut n_lines = 0;
    loop {
        let lines = reader.poll().map_err(|e| journal_error(&e))?;
        n_lines += lines.len();
        if lines.is_empty() {
            return if n_lines > 0 { Ok((games, nonsense)) } else { Err(nothing_in(folder)) };
        }
        for line in &lines {
            let Some(entry) = record::entry_of(line) else { continue };
            let taken = games.take(&entry);
            nonsense.note(line.seq, &entry.fact, taken.nonsense);
            each(&entry, &games, taken.closed);
        }
    }
}

impl Verify {
    pub(super) fn run(&self, config: &Config) -> Result<(), Failure> {
        if self.noted.is_some() && self.which.places(config)?.len() > 1 {
            return Err(Failure::Usage("--noted needs the --board whose line it is".to_owned()));
        }
        self.which.for_each(config, |place| self.verify(place))
    }

    fn verify(&self, place: &JournalPlace) -> Result<(), Failure> {
        let folder = &place.folder;
        let storage = DiskStorage::new(folder);
        let verdict = journal::verify(&storage).map_err(|e| journal_error(&e))?;
        if self.salvage {
            print_aside(place, &mut std::io::stdout().lock())?;
        }
        if verdict.segments == 0 {
            return Err(nothing_in(folder));
        }
        if !verdict.is_sound() {
            return Err(Failure::Journal(format!("{}: {verdict}", folder.display())));
        }
        let (_, nonsense) = fold(folder, &mut |_, _, _| ())?;
        if let Some(nonsense) = nonsense.all() {
            return Err(Failure::Journal(format!("{}: {verdict}; {nonsense}", folder.display())));
        }
        say(format_args!("{}: {verdict}", folder.display()))?;
        self.noted.as_ref().map_or(Ok(()), |noted| still_has(&storage, folder, noted))
    }
}

/// Whether the journal still has a line of which somebody kept the hash.
fn still_has(storage: &DiskStorage, folder: &Path, noted: &Noted) -> Result<(), Failure> {
    let line = noted.line;
    let found = journal::contains(storage, noted).map_err(|e| journal_error(&e))?;
    let why = match found {
        Some(true) => {
            let as_noted = format!("line {line} and all before it are as noted");
            return say(format_args!("{}: {as_noted}", folder.display()));
        }
        Some(false) => format!("line {line} IS NOT AS NOTED: the record was written anew"),
        None => format!("THE RECORD IS CUT: line {line} was noted but is missing"),
    };
    Err(Failure::Journal(format!("{}: {why}", folder.display())))
}
