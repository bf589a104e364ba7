//! What is asked, at a terminal and on a page, and the settings that become of the answers.

use super::super::interview::OfferedWord;
use super::found::FoundPort;
use crate::laws::Edition;
use crate::shell::clock::kind::Source;
use crate::shell::config::{Config, ConfigError, Filled, Maker, add_board, fill, parse_listen};
use crate::shell::serial::RadioPeer;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

/// Who may see the pages.
pub(super) const PAGES: [OfferedWord<'static>; 2] = [
    ("this-machine", "only this machine"),
    ("network", "everybody in the network; the pages are read-only"),
];

/// Something that is asked.
#[derive(Debug)]
pub(super) struct SetupQuestion {
    /// How options, the form and, where it is one, the setting of a board call it.
    pub(super) key: &'static str,
    pub(super) text: &'static str,
    /// Words to choose from, the first of them usual; any text where there are none.
    pub(super) choices: Vec<OfferedWord<'static>>,
    /// What is meant if nothing is entered.
    pub(super) usual: String,
}

impl SetupQuestion {
    fn open(key: &'static str, text: &'static str, usual: &str) -> Self {
        Self { key, text, choices: Vec::new(), usual: usual.to_owned() }
    }

    fn of(key: &'static str, text: &'static str, choices: Vec<OfferedWord<'static>>) -> Self {
        Self { key, text, usual: choices[0].0.to_owned(), choices }
    }

    /// # Errors
    /// Why this is no answer, for whoever gave it.
    pub(super) fn check(&self, answer: &str) -> Result<(), String> {
        if !self.choices.is_empty() {
            let is_one = self.choices.iter().any(|(word, _)| *word == answer);
            return if is_one { Ok(()) } else { Err(format!("{answer:?} is not in the list")) };
        }
        if self.key == TIME_ZONE {
            return match jiff::tz::db().get(answer) {
                Ok(_) => Ok(()),
                Err(_) => Err(format!(
                    "there is no time zone {answer:?}; Europe/Copenhagen is one, and `timedatectl \
                     list-timezones` prints all"
                )),
            };
        }
        let mut settings = vec![Filled { section: BOARD, key: self.key, value: answer }];
        if self.key == KEY {
            settings.push(Filled { section: BOARD, key: "maker", value: PEGASUS });
        }
        let text = fill(&settings);
        match Config::parse(&text, Path::new("rokade.toml")) {
            Ok(_) => Ok(()),
            Err(ConfigError::Wrong { why, .. }) => Err(why),
            Err(why) => Err(why.to_string()),
        }
    }
}

const BOARD: &str = "[[board]]";
const TIME_ZONE: &str = "time_zone";
/// What a Pegasus is woken by; other boards have none.
pub(super) const KEY: &str = "developer_key";
pub(super) const PEGASUS: &str = "pegasus";
/// Settings of every board, by their keys.
const OF_ALL: [&str; 7] = ["maker", KEY, "clock", "laws", "time_control", "event", "site"];

/// All that is asked beside the ports, in the order in which it is asked, for so many boards.
pub(super) fn questions(n_boards: usize) -> Vec<SetupQuestion> {
    let name = match n_boards {
        1 => "What is the board called?",
        _ => "What is the first board called? The others count on from it.",
    };
    let mut all = vec![
        SetupQuestion::open("name", name, "table-1"),
        SetupQuestion::of("maker", "Whose board is it?", Maker::OFFERED.to_vec()),
        SetupQuestion::open(KEY, "Which key has DGT given you for a Pegasus: six bytes?", ""),
        SetupQuestion::of("clock", "Where is the clock?", clocks()),
        SetupQuestion::open(
            "time_control",
            "What is the time control, such as 90m+30s or 3m+2s? Leave it empty to take what the \
             clock shows.",
            "",
        ),
        SetupQuestion::of(
            "laws",
            "Which Laws does the referee apply? What it finds goes to the arbiter's log.",
            editions(),
        ),
    ];
    if n_boards == 1 {
        all.push(SetupQuestion::open("white", "Who plays White, such as \"Morphy, Paul\"?", ""));
        all.push(SetupQuestion::open("black", "Who plays Black?", ""));
    }
    all.extend([
        SetupQuestion::open("event", "What is the event called?", ""),
        SetupQuestion::open("site", "Where is it played: hall, town?", ""),
        SetupQuestion::of("page", "Who may see the games?", PAGES.to_vec()),
    ]);
    if let Some(here) = time_zone() {
        all.push(SetupQuestion::open(TIME_ZONE, "Which time zone is it here?", &here));
    }
    all
}

/// That of this machine, if it has a name.
fn time_zone() -> Option<String> {
    jiff::tz::TimeZone::system().iana_name().map(str::to_owned)
}

pub(super) fn clocks() -> Vec<OfferedWord<'static>> {
    Source::OFFERED.into_iter().chain([("none", "there is no clock")]).collect()
}

pub(super) fn editions() -> Vec<OfferedWord<'static>> {
    let all = Edition::ALL.iter().rev().map(|it| (it.word(), it.title()));
    std::iter::once(("none", "no referee: games are only recorded")).chain(all).collect()
}

/// What was answered.
#[derive(Debug, Default)]
pub(super) struct SetupAnswers {
    pub(super) ports: Vec<String>,
    /// By the keys of the questions.
    pub(super) by_key: BTreeMap<&'static str, String>,
}

impl SetupAnswers {
    fn given(&self, key: &str) -> &str {
        self.by_key.get(key).map_or("", String::as_str)
    }

    /// In the words of the settings.
    fn setting(&self, key: &str) -> &str {
        match (key, self.given(key)) {
            ("clock", "none") => "board",
            ("laws", "none") => "",
            (KEY, _) if self.given("maker") != PEGASUS => "",
            // Without a clock there is no time control, unless somebody says so.
            ("time_control", "") if self.given("clock") == "none" => "-",
            (_, given) => given,
        }
    }

    /// Where the pages are.
    pub(super) fn listen(&self) -> SocketAddr {
        parse_listen(self.listen_text()).expect("an address of ours")
    }

    fn listen_text(&self) -> &'static str {
        if self.given("page") == "network" { "[::]:8960" } else { "127.0.0.1:8960" }
    }

    /// The time zone, if it is to be another than this machine's.
    pub(super) fn new_time_zone(&self) -> Option<&str> {
        let given = Some(self.given(TIME_ZONE)).filter(|it| !it.is_empty())?;
        (time_zone().as_deref() != Some(given)).then_some(given)
    }

    /// The settings file.
    ///
    /// # Errors
    /// Why the settings cannot be together.
    pub(super) fn text(&self, path: &Path) -> Result<String, ConfigError> {
        let of_board = |idx: usize| {
            let own = [
                ("name", counted(self.given("name"), idx)),
                ("port", self.ports[idx].clone()),
                ("white", self.given("white").to_owned()),
                ("black", self.given("black").to_owned()),
            ];
            let shared = OF_ALL.map(|key| (key, self.setting(key).to_owned()));
            own.into_iter().chain(shared).filter(|(_, value)| !value.is_empty())
        };
        let first: Vec<_> = of_board(0).collect();
        let mut settings: Vec<_> =
            first.iter().map(|(key, value)| Filled { section: BOARD, key, value }).collect();
        settings.push(Filled { section: "[http]", key: "listen", value: self.listen_text() });
        let mut text = fill(&settings);
        for idx in 1..self.ports.len() {
            let settings: Vec<_> = of_board(idx).collect();
            let settings: Vec<_> = settings.iter().map(|(key, it)| (*key, it.as_str())).collect();
            add_board(&mut text, &settings);
        }
        Config::parse(&text, path)?;
        Ok(text)
    }
}

/// The ports that an answer means: numbers of those that were found, or paths.
///
/// # Errors
/// Why it means none.
pub(super) fn ports(answer: &str, found: &[FoundPort]) -> Result<Vec<String>, String> {
    let mut meant = Vec::new();
    for word in answer.split_whitespace() {
        let port = match word.parse::<usize>() {
            Ok(number) => {
                let named = number.checked_sub(1).and_then(|idx| found.get(idx));
                named.ok_or_else(|| format!("there is no port {number} above"))?.port.clone()
            }
            Err(_) if word.starts_with('/') || ["auto", "gpio"].contains(&word) => word.to_owned(),
            Err(_) => match RadioPeer::parse(word) {
                Some(peer) => peer?.to_string(),
                None => {
                    return Err(format!(
                        "{word:?} is neither a number nor a path such as /dev/ttyUSB0"
                    ));
                }
            },
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

/// Of these ports those that are recorded unless it is said otherwise, by their numbers. One board
/// is found wherever it is plugged in; of several each is named. One that only a radio hears may be
/// somebody else's.
pub(super) fn usual_ports(found: &[FoundPort]) -> String {
    let plugged_in: Vec<String> = (1..)
        .zip(found)
        .filter(|(_, it)| it.is_plugged_in())
        .map(|(number, _)| number.to_string())
        .collect();
    match (plugged_in.len(), found) {
        (0, [only]) => only.port.clone(),
        (0 | 1, _) => "auto".to_owned(),
        _ => plugged_in.join(" "),
    }
}

/// Whose boards these are, if all that were found at these ports are one maker's.
pub(super) fn maker_of(ports: &[String], found: &[FoundPort]) -> Option<&'static str> {
    let of = |port: &String| found.iter().find(|it| it.port == *port)?.maker;
    let first = of(ports.first()?)?;
    ports.iter().all(|port| of(port) == Some(first)).then(|| first.word())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(port: &str) -> FoundPort {
        let maker = port.starts_with("bluetooth:").then_some(Maker::Chessnut);
        FoundPort { port: port.to_owned(), name: String::new(), maker }
    }

    #[test]
    fn a_board_that_only_a_radio_hears_may_be_somebody_elses() {
        let usual =
            |found: &[&str]| usual_ports(&found.iter().map(|it| at(it)).collect::<Vec<_>>());
        assert_eq!(usual(&[]), "auto");
        assert_eq!(usual(&["/dev/a"]), "auto");
        assert_eq!(usual(&["/dev/a", "/dev/b", "bluetooth:x"]), "1 2");
        assert_eq!(usual(&["/dev/a", "bluetooth:x"]), "auto");
        assert_eq!(usual(&["bluetooth:x"]), "bluetooth:x");
        assert_eq!(usual(&["bluetooth:x", "bluetooth:y"]), "auto");
        let found = ["/dev/a", "bluetooth:x"].map(at);
        let of = |ports: &[&str]| {
            maker_of(&ports.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(), &found)
        };
        assert_eq!(of(&["bluetooth:x"]), Some("chessnut"));
        assert_eq!(of(&["bluetooth:x", "/dev/a"]), None);
        assert_eq!(of(&["auto"]), None);
    }

    #[test]
    fn boards_count_on_from_the_first() {
        let names = |first| [0, 1, 2].map(|idx| counted(first, idx));
        assert_eq!(names("table-9"), ["table-9", "table-10", "table-11"]);
        assert_eq!(names("gold"), ["gold", "gold-2", "gold-3"]);
        assert_eq!(names("7"), ["7", "8", "9"]);
    }

    #[test]
    fn ports_are_meant_by_number_or_path() {
        let found = ["/dev/rokade/a", "/dev/ttyUSB0"].map(at);
        assert_eq!(ports("2 1", &found).unwrap(), ["/dev/ttyUSB0", "/dev/rokade/a"]);
        let on_air = "bluetooth:C0:01:D0:0D:00:2A";
        assert_eq!(ports(&on_air.to_lowercase(), &found).unwrap(), [on_air]);
        assert_eq!(ports(" /dev/rfcomm0 ", &found).unwrap(), ["/dev/rfcomm0"]);
        assert_eq!(ports("auto", &[]).unwrap(), ["auto"]);
        for wrong in ["", "3", "0", "1 1", "1 /dev/rokade/a", "ttyUSB0", "bluetooth:"] {
            assert!(ports(wrong, &found).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn whatever_is_chosen_is_a_setting() {
        for question in questions(1) {
            for (word, _) in &question.choices {
                let given =
                    [("name", "table-1"), ("time_control", "90m+30s"), (question.key, *word)];
                let mut by_key: BTreeMap<_, _> =
                    given.map(|(key, word)| (key, word.to_owned())).into();
                by_key.insert(KEY, "01 23 45 67 89 ab".to_owned());
                // A Pegasus is not looked for.
                let port = if *word == "pegasus" { "bluetooth:DGT_PEGASUS" } else { "auto" };
                let answers = SetupAnswers { ports: vec![port.to_owned()], by_key };
                answers.text(Path::new("rokade.toml")).expect(word);
            }
        }
    }

    #[test]
    fn an_answer_that_cannot_be_is_told_where_it_is_given() {
        let wrong = [
            ("name", "the board"),
            ("time_control", "ninety"),
            ("time_zone", "Europe/Rokade"),
            ("laws", "m1066"),
            (KEY, "01 23"),
            ("white", "Morphy,\u{7}Paul"),
        ];
        for question in questions(1) {
            // A Pegasus has no usual key.
            assert_eq!(question.check(&question.usual).is_ok(), question.key != KEY);
            for (_, answer) in wrong.iter().filter(|(key, _)| *key == question.key) {
                question.check(answer).expect_err(answer);
            }
        }
    }
}
