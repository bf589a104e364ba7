//! New settings while the daemon runs: boards whose settings have changed take them up, and no
//! other board notices.

use super::config::{BoardConfig, Config};
use crate::game::RoundDelays;
use std::io::{self, IsTerminal};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tracing::{info, warn};

/// Whom to tell of a board's new settings.
#[derive(Debug)]
pub(super) struct Renewal {
    /// Its keeper.
    pub(super) settings: watch::Sender<BoardConfig>,
    /// Its gate.
    pub(super) delay: watch::Sender<RoundDelays>,
}

/// Reads the settings anew whenever a hangup asks for that, for ever. Each board hears of its own
/// by its renewal, in the order of `config`. Where a terminal is, the same signal says that it is
/// gone, and stays the end.
///
/// # Errors
/// The system gives no signals.
pub(super) fn keep(config: Config, boards: Vec<Renewal>) -> io::Result<impl Future<Output = ()>> {
    let hangups = match io::stdin().is_terminal() {
        true => None,
        false => Some(signal(SignalKind::hangup())?),
    };
    Ok(follow(config, boards, hangups))
}

async fn follow(mut config: Config, boards: Vec<Renewal>, hangups: Option<Signal>) {
    let Some(mut hangups) = hangups else { return };
    while hangups.recv().await.is_some() {
        let Some(source) = config.source.clone() else {
            warn!("the settings are not read anew: there is no file of them");
            continue;
        };
        let changes = match Config::load_apart(Some(&source)).map_err(|e| e.to_string()) {
            Ok(new) => Changes::between(&config, new),
            Err(why) => Err(why),
        };
        match changes {
            Ok(changes) => {
                changes.tell();
                for (idx, settings) in changes.boards {
                    config.boards[idx] = settings.clone();
                    boards[idx].delay.send_replace(settings.delay.clone());
                    boards[idx].settings.send_replace(settings);
                }
            }
            Err(why) => warn!(why, "THE NEW SETTINGS ARE NOT USED; all goes on as it was"),
        }
    }
}

/// What is otherwise in new settings.
#[derive(Debug, PartialEq)]
struct Changes {
    /// Boards that can take theirs up, by their places.
    boards: Vec<(usize, BoardConfig)>,
    /// What can be had by a new start only.
    later: Vec<String>,
}

impl Changes {
    /// Why none can be taken up, if so.
    fn between(old: &Config, new: Config) -> Result<Self, String> {
        let names = |config: &Config| -> Vec<String> {
            config.boards.iter().map(|board| board.name.clone()).collect()
        };
        if names(old) != names(&new) {
            return Err("boards have come, gone, or been put in another order; that takes a new \
                        start: systemctl restart rokade"
                .to_owned());
        }
        let is_new = |(before, after): &(&BoardConfig, &BoardConfig)| {
            before.fault.is_none() && after.fault.is_some()
        };
        let spoiled = old.boards.iter().zip(&new.boards).find(is_new);
        if let Some(why) = spoiled.and_then(|(_, after)| after.fault.clone()) {
            return Err(why);
        }
        let mut later = old.sections_unlike(&new);
        let mut boards = Vec::new();
        for (idx, (before, after)) in old.boards.iter().zip(new.boards).enumerate() {
            if *before == after {
                continue;
            }
            match fixed(before, &after) {
                Some(key) => later.push(format!("{key} of board {:?}", after.name)),
                None => boards.push((idx, after)),
            }
        }
        Ok(Self { boards, later })
    }

    fn tell(&self) {
        let names: Vec<&str> = self.boards.iter().map(|(_, board)| board.name.as_str()).collect();
        info!(boards = names.join(", "), "the settings are read anew");
        if !self.later.is_empty() {
            warn!("{} changed too, which takes a new start", self.later.join(", "));
        }
    }
}

/// What of a board others know by its old value for as long as the daemon runs, if it has changed.
fn fixed(before: &BoardConfig, after: &BoardConfig) -> Option<&'static str> {
    let is_shared = before.is_on_bus() || after.is_on_bus();
    let keys = [
        ("table", before.table != after.table),
        ("leds", before.leds != after.leds),
        ("wall", before.wall != after.wall),
        ("display", before.display != after.display),
        ("demo_board", before.demo_board != after.demo_board),
        ("site", before.site != after.site),
        ("bus_address", before.bus_address != after.bus_address),
        ("port", is_shared && before.port != after.port),
    ];
    keys.into_iter().find(|(_, is_changed)| *is_changed).map(|(key, _)| key)
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

    #[test]
    fn only_what_has_changed_is_taken_up() {
        let old = config(OLD);
        let changes = |text: &str| Changes::between(&old, config(text));
        let none = changes(OLD).expect("the same");
        assert_eq!(none, Changes { boards: Vec::new(), later: Vec::new() });
        let moved = changes(&OLD.replace("/dev/b", "/dev/c")).expect("another port");
        assert_eq!(moved.boards.iter().map(|(idx, _)| *idx).collect::<Vec<_>>(), [1]);
        assert_eq!(moved.boards[0].1.port, "/dev/c");
        let later = changes(&format!("[http]\nlisten = \"8961\"\n{OLD}table = 7"));
        let later = later.expect("sections");
        assert_eq!(later.boards, []);
        assert_eq!(later.later, ["[http]", "table of board \"b\""]);
        let why = changes(&OLD.replace("/dev/b", "/dev/a")).expect_err("one line for both");
        assert!(why.contains("the same line"), "{why}");
        let why = changes(&format!("{OLD}[[board]]\nname = \"c\"\nport = \"/dev/c\""));
        assert!(why.expect_err("another board").contains("systemctl restart rokade"));
    }

    #[test]
    fn a_board_that_was_at_fault_is_taken_up_once_it_is_mended() {
        let third = "[[board]]\nname = \"c\"\nport = \"/dev/c\"\nlaws = \"m1066\"\n";
        let old = config(&OLD.replace("/dev/b", "/dev/a").add(third));
        assert_eq!(old.usable().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a"]);
        // The third is left as it is; that keeps nobody from taking up the second.
        let changes = Changes::between(&old, config(&OLD.to_owned().add(third)));
        let changes = changes.expect("fewer faults than before");
        let taken: Vec<_> =
            changes.boards.iter().map(|(idx, it)| (*idx, it.fault.is_some())).collect();
        assert_eq!(taken, [(1, false)]);
    }
}
