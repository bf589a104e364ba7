//! New settings while the daemon runs: which boards take them up, which end and begin, and that no
//! other board notices.

use super::bus;
use super::config::{BoardConfig, Config};
use tracing::{info, warn};

/// Reads the settings anew: what is otherwise in them than in `config`. That they cannot be used is
/// said.
pub(super) fn read_anew(config: &Config) -> Option<(Config, Changes)> {
    let Some(source) = &config.source else {
        warn!("the settings cannot be reloaded: there is no file");
        return None;
    };
    let read = Config::load_apart(Some(source)).map_err(|error| error.to_string());
    let compared = read.and_then(|new| Ok((Changes::between(config, &new)?, new)));
    match compared {
        Ok((changes, new)) => {
            changes.tell();
            Some((new, changes))
        }
        Err(why) => {
            warn!(why, "THE NEW SETTINGS ARE NOT USED; everything goes on as before");
            None
        }
    }
}

/// What is otherwise in new settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Boards that are not there any more, or begin anew as others.
    end: Vec<String>,
    /// Boards that are new, or begin anew.
    begin: Vec<String>,
    /// Boards that take up new settings.
    renew: Vec<String>,
    /// Whether what others have of the boards begins anew.
    are_for_all: bool,
}

impl Changes {
    /// Why none can be taken up, if so.
    fn between(old: &Config, new: &Config) -> Result<Self, String> {
        let is_new_fault = |it: &&BoardConfig| {
            it.fault.is_some() && named(old, &it.name).is_none_or(|before| before.fault.is_none())
        };
        if let Some(why) = new.boards.iter().find(is_new_fault).and_then(|it| it.fault.clone()) {
            return Err(why);
        }
        let stays = |name: &str| {
            let places = named(old, name).zip(named(new, name));
            places.is_some_and(|(before, after)| place(old, before) == place(new, after))
        };
        let those = |config: &Config, is: &dyn Fn(&BoardConfig) -> bool| -> Vec<String> {
            config.boards.iter().filter(|it| is(it)).map(|it| it.name.clone()).collect()
        };
        let is_renewed = |it: &BoardConfig| stays(&it.name) && named(old, &it.name) != Some(it);
        Ok(Self {
            end: those(old, &|it| !stays(&it.name)),
            begin: those(new, &|it| !stays(&it.name)),
            renew: those(new, &is_renewed),
            are_for_all: !old.sections_unlike(new).is_empty()
                || !old.boards.iter().map(shown).eq(new.boards.iter().map(shown)),
        })
    }

    /// Whether this board ends, by its name.
    pub(super) fn ends(&self, name: &str) -> bool {
        self.end.iter().any(|it| it == name)
    }

    /// Whether this board takes up new settings, by its name.
    pub(super) fn renews(&self, name: &str) -> bool {
        self.renew.iter().any(|it| it == name)
    }

    /// Whether boards take up new settings, and that is all.
    pub(super) const fn are_for_boards_alone(&self) -> bool {
        self.end.is_empty() && !self.are_for_all
    }

    fn tell(&self) {
        let [boards, end, begin] = [&self.renew, &self.end, &self.begin].map(|it| it.join(", "));
        info!(boards, end, begin, "the settings were reloaded");
    }
}

fn named<'a>(config: &'a Config, name: &str) -> Option<&'a BoardConfig> {
    config.boards.iter().find(|board| board.name == name)
}

/// What a board has for as long as it is kept: with another it is another board.
fn place<'a>(config: &'a Config, board: &'a BoardConfig) -> impl PartialEq + use<'a> {
    // Who is on a line is said when it is opened.
    let line = || bus::lines(config).remove_entry(board.port.as_str());
    let line = board.is_on_bus().then(line).flatten();
    (config.folder(board), board.site.as_str(), config.event.has_list(), line)
}

/// What of a board others know for as long as they run.
fn shown(board: &BoardConfig) -> impl PartialEq + use<'_> {
    let BoardConfig { name, table, leds, wall, display, demo_board, .. } = board;
    (name, table, leds, wall, display, demo_board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Add;
    use std::path::Path;

    fn config(text: &str) -> Config {
        Config::parse_apart(text, Path::new("rokade.toml")).expect(text)
    }

    const OLD: &str = "[[board]]\nname = \"a\"\nport = \"/dev/a\"\n\
                       [[board]]\nname = \"b\"\nport = \"/dev/b\"\n";
    const LINE: &str = "[[board]]\nname = \"a\"\nport = \"/dev/a\"\n\
                        [[board]]\nname = \"b\"\nport = \"/dev/b\"\nbus_address = 2\n\
                        [[board]]\nname = \"c\"\nport = \"/dev/b\"\nbus_address = 3\n";

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// What ends, begins and is renewed, and whether what others have begins anew.
    fn changes(old: &str, new: &str) -> Changes {
        Changes::between(&config(old), &config(new)).expect("settings that can be used")
    }

    #[test]
    fn only_what_has_changed_is_taken_up() {
        assert_eq!(changes(OLD, OLD), Changes::default());
        let moved = changes(OLD, &OLD.replace("/dev/b", "/dev/c"));
        assert_eq!(moved, Changes { renew: names(&["b"]), ..Changes::default() });
        assert!(moved.are_for_boards_alone());
        let sections = changes(OLD, &format!("[http]\nlisten = \"8961\"\n{OLD}table = 7"));
        let renew = names(&["b"]);
        assert_eq!(sections, Changes { renew, are_for_all: true, ..Changes::default() });
        let old = config(OLD);
        let refused = |text: &str| Changes::between(&old, &config(text)).expect_err(text);
        let why = refused(&OLD.replace("/dev/b", "/dev/a"));
        assert!(why.contains("the same line"), "{why}");
        let why = refused(&format!("{OLD}[[board]]\nname = \"c\"\nport = \"/dev/a\""));
        assert!(why.contains("the same line"), "{why}");
    }

    #[test]
    fn boards_come_and_go_and_those_on_their_line_begin_anew() {
        let third = format!("{OLD}[[board]]\nname = \"c\"\nport = \"/dev/c\"\n");
        let all = Changes { are_for_all: true, ..Changes::default() };
        assert_eq!(changes(OLD, &third), Changes { begin: names(&["c"]), ..all.clone() });
        assert_eq!(changes(&third, OLD), Changes { end: names(&["c"]), ..all.clone() });
        let another = changes(OLD, &OLD.replace("\"b\"", "\"d\""));
        let (end, begin) = (names(&["b"]), names(&["d"]));
        assert_eq!(another, Changes { end, begin, ..all.clone() });
        // A line is opened for the boards that are on it.
        let fourth = format!("{LINE}[[board]]\nname = \"d\"\nport = \"/dev/b\"\nbus_address = 4\n");
        let (end, begin) = (names(&["b", "c"]), names(&["b", "c", "d"]));
        assert_eq!(changes(LINE, &fourth), Changes { end, begin, ..all });
        let (end, begin) = (names(&["b", "c"]), names(&["b", "c"]));
        let readdressed = changes(LINE, &LINE.replace("bus_address = 3", "bus_address = 7"));
        assert_eq!(readdressed, Changes { end, begin, ..Changes::default() });
        assert!(!readdressed.are_for_boards_alone());
    }

    #[test]
    fn a_board_that_was_at_fault_is_taken_up_once_it_is_mended() {
        let third = "[[board]]\nname = \"c\"\nport = \"/dev/c\"\nlaws = \"m1066\"\n";
        let old = OLD.replace("/dev/b", "/dev/a").add(third);
        assert_eq!(config(&old).usable().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a"]);
        // The third is left as it is; that keeps nobody from taking up the second.
        let taken = changes(&old, &OLD.to_owned().add(third));
        assert_eq!(taken, Changes { renew: names(&["b"]), ..Changes::default() });
    }
}
