//! `rokade setup`: questions and answers become a settings file.

mod file;
mod found;
mod page;
mod questions;

pub(super) use file::{beside, replace};

use super::interview::{Interview, OfferedWord};
use super::{Failure, daemon, runtime, say};
use crate::shell::config::{Maker, USUAL_PATH};
use clap::Args;
use clap::builder::PossibleValuesParser;
use file::SettingsFile;
use found::FoundPort;
use page::Browser;
use questions::{
    KEY, PAGES, PEGASUS, SetupAnswers, SetupQuestion, clocks, editions, maker_of, ports, questions,
    usual_ports,
};
use std::io::{self, BufRead, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes the settings file. Asks what it has to know: which board, where the clock is, the time
/// control, the Laws, who plays, who may see the pages. Enter takes what stands in brackets.
///
/// All other settings are in the file too, each with an explanation and its default. A file that
/// somebody has changed is replaced only if that is agreed to, and kept as rokade.toml.old.
///
/// With --browser the same is asked on a page, which needs a code that is printed here.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  sudo rokade setup                             asks, and writes /etc/rokade/rokade.toml
  sudo rokade setup --browser                   asks on a page: http://NAME.local
  rokade setup --config rokade.toml             asks, and writes your own file
  sudo rokade setup --page network --yes        asks nothing
  rokade setup --time-control 90m+30s --laws m2023   asks the rest")]
pub(super) struct SetupCommand {
    /// The board's name; further boards are numbered from it
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The board's serial line, or auto, gpio or bluetooth:ADDRESS; repeat it for more boards
    #[arg(long, value_name = "PORT")]
    port: Vec<String>,
    /// The maker of the board
    #[arg(long, value_parser = words(&Maker::OFFERED))]
    maker: Option<String>,
    /// The key that DGT gives to developers for a Pegasus: six bytes in hexadecimal
    #[arg(long, value_name = "BYTES")]
    developer_key: Option<String>,
    /// Where the clock is
    #[arg(long, value_parser = words(&clocks()))]
    clock: Option<String>,
    /// The time control, such as 90m+30s; "" accepts what the clock shows
    #[arg(long, value_name = "CONTROL")]
    time_control: Option<String>,
    /// The Laws for the referee; none only records
    #[arg(long, value_parser = words(&editions()))]
    laws: Option<String>,
    /// The player with White, if there is one board
    #[arg(long, value_name = "NAME")]
    white: Option<String>,
    /// The player with Black, if there is one board
    #[arg(long, value_name = "NAME")]
    black: Option<String>,
    /// The name of the event
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The place of the event
    #[arg(long, value_name = "PLACE")]
    site: Option<String>,
    /// Who may see the pages
    #[arg(long, value_parser = words(&PAGES))]
    page: Option<String>,
    /// The time zone of this machine, such as Europe/Copenhagen
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// Ask nothing; use the default for everything that no option sets
    #[arg(long)]
    yes: bool,
    /// Replace a settings file even if it was changed; it is kept as FILE.old
    #[arg(long)]
    replace: bool,
    /// Ask on a page at this address until it has been answered
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "[::]:80",
        conflicts_with = "yes")]
    browser: Option<SocketAddr>,
}

fn words(choices: &[OfferedWord<'static>]) -> PossibleValuesParser {
    PossibleValuesParser::new(choices.iter().map(|(word, _)| *word))
}

impl SetupCommand {
    pub(super) fn run(&self, config: Option<&Path>) -> Result<(), Failure> {
        let named = config.unwrap_or(Path::new(USUAL_PATH));
        let file = SettingsFile::at(named)?;
        if let Some(address) = self.browser {
            return Browser::new(file, self.replace)?.serve(address);
        }
        let mut talk = Interview::new(io::stdin().lock(), io::stdout(), self.yes);
        let keep = self.may_replace(&file, &mut talk)?;
        let mut found = found::on_cables();
        if self.port.is_empty() && !self.yes {
            found.extend(runtime()?.block_on(found::on_air()));
        }
        let answers = self.ask(&mut talk, &found)?;
        file.write(&answers, keep)?;
        if keep {
            say(format!("The old file is kept as {}.", file.old().display()))?;
        }
        say(format!("{} was written; it explains what else can be set.", file.path.display()))?;
        if let Some(zone) = answers.new_time_zone() {
            say(set_time_zone(zone))?;
        }
        say(next(&file, &answers))
    }

    /// Whether there is a file that somebody has changed, and that may be replaced.
    fn may_replace(
        &self,
        file: &SettingsFile,
        talk: &mut Interview<impl BufRead, impl Write>,
    ) -> Result<bool, Failure> {
        if !file.is_changed()? {
            return Ok(false);
        }
        let shown = file.path.display();
        let choices = [("no", "leave it as it is"), ("yes", "keep it as FILE.old, and replace it")];
        let question = format!("{shown} exists and was changed by somebody. Replace it?");
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
        found: &[FoundPort],
    ) -> Result<SetupAnswers, Failure> {
        let ports = if self.port.is_empty() { ask_ports(talk, found)? } else { self.port.clone() };
        let mut answers = SetupAnswers { ports, ..SetupAnswers::default() };
        for mut question in questions(answers.ports.len()) {
            if question.key == "maker"
                && let Some(maker) = maker_of(&answers.ports, found)
            {
                // The first is the usual one.
                question.choices.sort_by_key(|(word, _)| *word != maker);
            }
            let SetupQuestion { key, text, choices, usual } = &question;
            let has_clock = answers.by_key.get("clock").is_none_or(|clock| clock != "none");
            let is_pegasus = answers.by_key.get("maker").is_some_and(|maker| maker == PEGASUS);
            let given = self.option(key);
            let is_idle = *key == "time_control" && !has_clock || *key == KEY && !is_pegasus;
            if is_idle && given.is_none() {
                continue;
            }
            let answer = if choices.is_empty() {
                talk.enter(text, usual, given, |answer| question.check(answer))?
            } else {
                talk.choose(text, choices, given)?
            };
            answers.by_key.insert(key, answer);
        }
        Ok(answers)
    }

    /// The option that answers this question before it is asked.
    fn option(&self, key: &str) -> Option<&str> {
        let given = match key {
            "name" => &self.name,
            "maker" => &self.maker,
            KEY => &self.developer_key,
            "clock" => &self.clock,
            "time_control" => &self.time_control,
            "laws" => &self.laws,
            "white" => &self.white,
            "black" => &self.black,
            "event" => &self.event,
            "site" => &self.site,
            "page" => &self.page,
            "time_zone" => &self.time_zone,
            _ => return None,
        };
        given.as_deref()
    }
}

/// Which of the ports that were found are boards', or which others.
fn ask_ports(
    talk: &mut Interview<impl BufRead, impl Write>,
    found: &[FoundPort],
) -> Result<Vec<String>, Failure> {
    let mut question = match found.len() {
        0 => "No board is plugged in, and none was found on Bluetooth.".to_owned(),
        1 => "This may be a board:".to_owned(),
        _ => "These may be boards:".to_owned(),
    };
    for (port, number) in found.iter().zip(1..) {
        question += &format!("\n  {number}  {port}");
    }
    question += "\nWhich are to be recorded? Numbers or paths with spaces between, gpio for a \
                 board of switches on the pins, bluetooth:ADDRESS, or auto to look for one on a \
                 cable.";
    let is_one = |answer: &str| ports(answer, found).map(drop);
    let entered = talk.enter(&question, &usual_ports(found), None, is_one)?;
    Ok(ports(&entered, found).unwrap_or_default())
}

/// What is to be done now.
fn next(file: &SettingsFile, answers: &SetupAnswers) -> String {
    let by =
        if file.is_usual() { String::new() } else { format!(" --config {}", file.named.display()) };
    let start = if file.is_of_service() {
        "sudo systemctl restart rokade".to_owned()
    } else {
        format!("rokade run{by}")
    };
    format!(
        "Next: `{start}`, then open {}. `rokade status{by}` shows whether the board is connected, \
         and `rokade doctor{by}` what is wrong if it is not.",
        daemon::openable(answers.listen())
    )
}

/// Tells the machine where it is; what is said of that.
fn set_time_zone(zone: &str) -> String {
    match ordered(Command::new("timedatectl").args(["set-timezone", zone])) {
        Ok(()) => format!("This machine is in the time zone {zone} from now on."),
        Err(why) => format!(
            "The time zone could not be set ({why}); as root: timedatectl set-timezone {zone}"
        ),
    }
}

/// Runs a command of the system that says nothing if all is well.
fn ordered(command: &mut Command) -> Result<(), String> {
    let done = command.stdin(Stdio::null()).output().map_err(|e| e.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(said.lines().next().map_or_else(|| done.status.to_string(), |line| line.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ports_that_are_found_are_boards_unless_it_is_said_otherwise() {
        let found = ["/dev/rokade/a", "/dev/rokade/b"].map(|port| FoundPort {
            port: port.to_owned(),
            name: String::new(),
            maker: None,
        });
        let asked = |answer: &str, n: usize| {
            let mut talk = Interview::new(answer.as_bytes(), Vec::new(), false);
            ask_ports(&mut talk, &found[..n]).unwrap()
        };
        assert_eq!(asked("\n", 2), ["/dev/rokade/a", "/dev/rokade/b"]);
        assert_eq!(asked("\n", 1), ["auto"]);
        assert_eq!(asked("5\n2\n", 2), ["/dev/rokade/b"]);
    }

    #[test]
    fn each_question_has_its_option() {
        let word = || Some("x".to_owned());
        let all = SetupCommand {
            name: word(),
            port: Vec::new(),
            maker: word(),
            developer_key: word(),
            clock: word(),
            time_control: word(),
            laws: word(),
            white: word(),
            black: word(),
            event: word(),
            site: word(),
            page: word(),
            time_zone: word(),
            yes: true,
            replace: false,
            browser: None,
        };
        for question in questions(1) {
            assert_eq!(all.option(question.key), Some("x"), "{}", question.key);
        }
    }
}
