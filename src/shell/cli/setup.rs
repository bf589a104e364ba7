//! `rokade setup`: questions and answers become a settings file.

use super::interview::{Interview, OfferedWord};
use super::{Failure, daemon, say};
use crate::laws::Edition;
use crate::shell::clock::kind::Source;
use crate::shell::config::{
    Config, ConfigError, DELIVERED, Filled, Maker, USUAL_PATH, add_board, fill, parse_listen,
};
use crate::shell::serial::board_ports;
use clap::Args;
use clap::builder::PossibleValuesParser;
use rustix::fs::{Access, access};
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// Whoever runs the daemon reads it; there is no secret in it.
const MODE: u32 = 0o644;

const PAGES: [OfferedWord<'static>; 2] = [
    ("this-machine", "only this machine"),
    ("network", "everybody in the network; the pages are read-only"),
];

/// Writes the settings file. Asks what it has to know: which board, where the clock is, the time
/// control, the Laws, who may see the pages. Enter takes what stands in brackets.
///
/// All other settings are in the file too, each with an explanation and its default. A file that
/// somebody has changed is replaced only if that is agreed to, and kept as rokade.toml.old.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sudo rokade setup                             asks, and writes /etc/rokade/rokade.toml
  rokade setup --config rokade.toml             the same for a file of your own
  sudo rokade setup --page network --yes        asks nothing
  rokade setup --time-control 90m+30s --laws m2023   asks the rest")]
pub(super) struct SetupCommand {
    /// The board's name; further boards count on from it
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The board's serial line, auto to look for it, or gpio; once for each board
    #[arg(long, value_name = "PORT")]
    port: Vec<String>,
    /// Whose board it is
    #[arg(long, value_parser = words(&Maker::OFFERED))]
    maker: Option<String>,
    /// Where the clock is
    #[arg(long, value_parser = words(&clocks()))]
    clock: Option<String>,
    /// The time control, such as 90m+30s; "" takes what the clock shows
    #[arg(long, value_name = "CONTROL")]
    time_control: Option<String>,
    /// The Laws by which a referee goes; none only records
    #[arg(long, value_parser = words(&editions()))]
    laws: Option<String>,
    /// Who may see the pages
    #[arg(long, value_parser = words(&PAGES))]
    page: Option<String>,
    /// Ask nothing: what no option says is as it is delivered
    #[arg(long)]
    yes: bool,
    /// Replace a settings file that has been changed; it is kept as FILE.old
    #[arg(long)]
    replace: bool,
}

/// What was answered, in the words of the settings.
struct SetupAnswers {
    names: Vec<String>,
    ports: Vec<String>,
    maker: String,
    clock: String,
    control: String,
    laws: String,
    listen: &'static str,
}

fn words(choices: &[OfferedWord<'static>]) -> PossibleValuesParser {
    PossibleValuesParser::new(choices.iter().map(|(word, _)| *word))
}

fn clocks() -> Vec<OfferedWord<'static>> {
    Source::OFFERED.into_iter().chain([("none", "there is no clock")]).collect()
}

fn editions() -> Vec<OfferedWord<'static>> {
    let all = Edition::ALL.iter().rev().map(|it| (it.word(), it.title()));
    std::iter::once(("none", "no referee: games are only recorded")).chain(all).collect()
}

impl SetupCommand {
    pub(super) fn run(&self, config: Option<&Path>) -> Result<(), Failure> {
        let named = config.unwrap_or(Path::new(USUAL_PATH));
        // What a link leads to is replaced, and not the link.
        let path = fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
        may_write(&path)?;
        let mut talk = Interview::new(io::stdin().lock(), io::stdout(), self.yes);
        let keep = self.old(&path, &mut talk)?;
        let answers = self.ask(&mut talk, &board_ports(), &path)?;
        let text = answers.text();
        Config::parse(&text, &path)?;
        if keep {
            let old = beside(&path, ".old");
            fs::copy(&path, &old)
                .map_err(Failure::io(format!("cannot write {}", old.display())))?;
            say(format!("What was there is kept as {}.", old.display()))?;
        }
        replace(&path, &text).map_err(Failure::io(format!("cannot write {}", path.display())))?;
        say(format!("{} is written; it says what else can be set.", path.display()))?;
        say(answers.next(named))
    }

    /// Whether there is a file that somebody has changed, and that may be replaced.
    fn old(
        &self,
        path: &Path,
        talk: &mut Interview<impl BufRead, impl Write>,
    ) -> Result<bool, Failure> {
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) => return Err(Failure::io(format!("cannot read {}", path.display()))(e)),
        };
        if text == DELIVERED.as_bytes() {
            return Ok(false);
        }
        let shown = path.display();
        let choices = [("no", "leave it as it is"), ("yes", "keep it as FILE.old, and replace it")];
        let question = format!("{shown} is there, and somebody has changed it. Replace it?");
        if self.replace || talk.choose(&question, &choices, None)? == "yes" {
            return Ok(true);
        }
        Err(Failure::Usage(format!(
            "{shown} stays as it is; --replace replaces it, and --config names another file"
        )))
    }

    fn ask(
        &self,
        talk: &mut Interview<impl BufRead, impl Write>,
        found: &[PathBuf],
        path: &Path,
    ) -> Result<SetupAnswers, Failure> {
        let is_setting = |section: &'static str, key: &'static str| {
            move |value: &str| {
                let text = fill(&[Filled { section, key, value }]);
                match Config::parse(&text, path) {
                    Ok(_) => Ok(()),
                    Err(ConfigError::Wrong { why, .. }) => Err(why),
                    Err(why) => Err(why.to_string()),
                }
            }
        };
        let ports = if self.port.is_empty() { ask_ports(talk, found)? } else { self.port.clone() };
        let question = match ports.len() {
            1 => "What is the board called?",
            _ => "What is the first board called? The others count on from it.",
        };
        let is_name = is_setting("[[board]]", "name");
        let name = talk.enter(question, "table-1", self.name.as_deref(), is_name)?;
        let maker = talk.choose("Whose board is it?", &Maker::OFFERED, self.maker.as_deref())?;
        let clock = talk.choose("Where is the clock?", &clocks(), self.clock.as_deref())?;
        let control = if clock == "none" && self.time_control.is_none() {
            "-".to_owned()
        } else {
            let question = "What is the time control, such as 90m+30s or 3m+2s? Leave it empty \
                            to take what the clock shows.";
            let is_control = is_setting("[[board]]", "time_control");
            talk.enter(question, "", self.time_control.as_deref(), is_control)?
        };
        let question = "By which Laws does a referee go, who tells the arbiter's log?";
        let laws = talk.choose(question, &editions(), self.laws.as_deref())?;
        let page = talk.choose("Who may see the pages?", &PAGES, self.page.as_deref())?;
        let in_settings = |word: String, nothing: &str, instead: &str| {
            if word == nothing { instead.to_owned() } else { word }
        };
        Ok(SetupAnswers {
            names: (0..ports.len()).map(|idx| counted(&name, idx)).collect(),
            ports,
            maker,
            clock: in_settings(clock, "none", "board"),
            control,
            laws: in_settings(laws, "none", ""),
            listen: if page == "network" { "[::]:8960" } else { "127.0.0.1:8960" },
        })
    }
}

impl SetupAnswers {
    fn text(&self) -> String {
        let Self { names, ports, maker, clock, control, laws, listen } = self;
        let of_board = |idx: usize| {
            let [maker, clock, laws] = [maker, clock, laws].map(String::as_str);
            [
                ("name", names[idx].as_str()),
                ("port", ports[idx].as_str()),
                ("maker", maker),
                ("clock", clock),
                ("laws", laws),
                ("time_control", control.as_str()),
            ]
        };
        let first = of_board(0).map(|(key, value)| Filled { section: "[[board]]", key, value });
        let pages = Filled { section: "[http]", key: "listen", value: listen };
        let settings: Vec<_> = first.into_iter().chain([pages]).collect();
        let mut text = fill(&settings);
        for idx in 1..ports.len() {
            add_board(&mut text, &of_board(idx));
        }
        text
    }

    /// What is to be done now, if the file is at this path.
    fn next(&self, path: &Path) -> String {
        let listen = parse_listen(self.listen).expect("an address of ours");
        let is_usual = path == Path::new(USUAL_PATH);
        let by = if is_usual { String::new() } else { format!(" --config {}", path.display()) };
        let start = if is_usual && Path::new("/run/systemd/system").exists() {
            "sudo systemctl restart rokade".to_owned()
        } else {
            format!("rokade run{by}")
        };
        format!(
            "Next: `{start}`, then open {}. `rokade status{by}` tells whether the board is there, \
             and `rokade doctor{by}` what is wrong if it is not.",
            daemon::openable(listen)
        )
    }
}

/// Which of the ports that were found are boards', or which others.
fn ask_ports(
    talk: &mut Interview<impl BufRead, impl Write>,
    found: &[PathBuf],
) -> Result<Vec<String>, Failure> {
    let found: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    let mut question = match found.len() {
        0 => "No board is plugged in now.".to_owned(),
        1 => "This may be a board:".to_owned(),
        _ => "These may be boards:".to_owned(),
    };
    for (port, number) in found.iter().zip(1..) {
        question += &format!("\n  {number}  {port}");
    }
    question += "\nWhich are to be recorded? Numbers or paths with spaces between, gpio for a \
                 board of switches on the pins, or auto to look for one.";
    // One board is found wherever it is plugged in.
    let usual = match found.len() {
        0 | 1 => "auto".to_owned(),
        n => (1..=n).map(|number| number.to_string()).collect::<Vec<_>>().join(" "),
    };
    let entered = talk.enter(&question, &usual, None, |answer| ports(answer, &found).map(drop))?;
    Ok(ports(&entered, &found).unwrap_or_default())
}

/// The ports that an answer means.
fn ports(answer: &str, found: &[String]) -> Result<Vec<String>, String> {
    let mut meant = Vec::new();
    for word in answer.split_whitespace() {
        let port = match word.parse::<usize>() {
            Ok(number) => {
                let named = number.checked_sub(1).and_then(|idx| found.get(idx));
                named.ok_or_else(|| format!("there is no port {number} above"))?.clone()
            }
            Err(_) if word.starts_with('/') || ["auto", "gpio"].contains(&word) => word.to_owned(),
            Err(_) => return Err(format!("{word:?} is no number, and no path as /dev/ttyUSB0 is")),
        };
        if meant.contains(&port) {
            return Err(format!("{port} stands there twice"));
        }
        meant.push(port);
    }
    if meant.is_empty() {
        return Err("name one".to_owned());
    }
    Ok(meant)
}

/// The name of the board at this place, if the first is called so.
fn counted(first: &str, idx: usize) -> String {
    let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
    match first[stem.len()..].parse::<usize>() {
        Ok(number) => format!("{stem}{}", number.saturating_add(idx)),
        Err(_) if idx == 0 => first.to_owned(),
        Err(_) => format!("{first}-{}", idx + 1),
    }
}

/// Whether a file can be written there is said before anything is asked.
fn may_write(path: &Path) -> Result<(), Failure> {
    let folder = path.ancestors().skip(1).find(|it| it.is_dir()).unwrap_or(Path::new("."));
    access(folder, Access::WRITE_OK).map_err(|why| {
        Failure::Usage(format!(
            "{} cannot be written ({why}); use sudo, or name another file with --config",
            path.display()
        ))
    })
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Puts the text there at once or not at all, with the owner and the rights of what is there.
pub(super) fn replace(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let new = beside(path, ".new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(MODE).open(&new)?;
    file.write_all(text.as_bytes())?;
    let old = fs::metadata(path).ok();
    let mode = old.as_ref().map_or(MODE, |it| it.mode() & 0o777);
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    if let Some(old) = old {
        chown(&new, Some(old.uid()), Some(old.gid()))?;
    }
    file.sync_all()?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_count_on_from_the_first() {
        let names = |first| [0, 1, 2].map(|idx| counted(first, idx));
        assert_eq!(names("table-9"), ["table-9", "table-10", "table-11"]);
        assert_eq!(names("gold"), ["gold", "gold-2", "gold-3"]);
        assert_eq!(names("7"), ["7", "8", "9"]);
    }

    #[test]
    fn ports_are_meant_by_number_or_path() {
        let found = ["/dev/rokade/a", "/dev/ttyUSB0"].map(str::to_owned);
        assert_eq!(ports("2 1", &found).unwrap(), ["/dev/ttyUSB0", "/dev/rokade/a"]);
        assert_eq!(ports(" /dev/rfcomm0 ", &found).unwrap(), ["/dev/rfcomm0"]);
        assert_eq!(ports("auto", &[]).unwrap(), ["auto"]);
        for wrong in ["", "3", "0", "1 1", "1 /dev/rokade/a", "ttyUSB0"] {
            assert!(ports(wrong, &found).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn all_ports_that_are_found_are_boards_unless_it_is_said_otherwise() {
        let found = ["/dev/rokade/a", "/dev/rokade/b"].map(PathBuf::from);
        let asked = |answer: &str, n: usize| {
            let mut talk = Interview::new(answer.as_bytes(), Vec::new(), false);
            ask_ports(&mut talk, &found[..n]).unwrap()
        };
        assert_eq!(asked("\n", 2), ["/dev/rokade/a", "/dev/rokade/b"]);
        assert_eq!(asked("\n", 1), ["auto"]);
        assert_eq!(asked("5\n2\n", 2), ["/dev/rokade/b"]);
    }

    #[test]
    fn whatever_is_chosen_is_a_setting() {
        let makers = Maker::OFFERED.map(|(word, _)| ("maker", word)).into_iter();
        let clocks = Source::OFFERED.map(|(word, _)| ("clock", word));
        let laws = Edition::ALL.iter().map(|it| ("laws", it.word()));
        for (key, value) in makers.chain(clocks).chain(laws) {
            let setting = |key, value| Filled { section: "[[board]]", key, value };
            let text = fill(&[setting(key, value), setting("time_control", "90m+30s")]);
            assert!(text.contains(&format!("\n{key} = \"{value}\"\n")), "{key} = {value}");
            Config::parse(&text, Path::new("rokade.toml")).expect(value);
        }
    }
}
