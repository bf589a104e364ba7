//! `rokade demo`: the whole daemon at work, on a board that is only simulated.

use super::daemon::{failure, openable};
use super::sim_desk::SimDesk;
use super::tools::{SimGame, SimulateOptions};
use super::{Failure, chain, runtime, start_tracing};
use crate::clock::{PerMove, TimeControl};
use crate::laws::ClockOrder;
use crate::laws::Edition;
use crate::shell::clock::kind::Source;
use crate::shell::config::{BoardConfig, Config, Http, parse_listen};
use crate::shell::now::{Now, Speed};
use crate::shell::pty::{PtyBridge, PtyBridgeStub, PtyError};
use crate::shell::run::{self, OwnClocks, RunMode};
use crate::sim::script::Happening;
use crate::sim::{DgtClockSim, Obedience, Table};
use crate::table::{End, Sight};
use crate::wire;
use crate::wire::contact::Shape;
use clap::{Args, ValueEnum};
use shakmaty::Color;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::debug;

/// After the hands have ended the daemon gets this long to come to its conclusions: more than the
/// kings in the center have to stand.
const LAST_LOOK: Duration = Duration::from_secs(4);

/// A clock that does not run so long after its button was pressed has not heard it.
const STARTS_WITHIN: Duration = Duration::from_secs(2);
/// What the simulated arbiter has announced for a clock that the daemon runs.
const CONTROL: &str = "90m+30s";

/// A simulated board and clock behind a real pseudo-terminal play a game with human hands; the
/// daemon reads them as it would read a board on a cable. Prints the arbiter's log and the address
/// of the page.
#[derive(Debug, Args)]
pub(super) struct Demo {
    #[command(flatten)]
    simulate: SimulateOptions,
    /// The address of the page
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8960")]
    #[arg(value_parser = parse_listen)]
    listen: SocketAddr,
    /// The clock of the board
    #[arg(long, value_enum, default_value = "plain")]
    clock: DemoClock,
    /// Seat a referee, so that you can try `rokade order`: hu2005, dk2009, no2009, m2018 or m2023
    #[arg(long, value_name = "EDITION")]
    laws: Option<Edition>,
    /// Keep the journal and the PGN in this folder, instead of a temporary one
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Exit when the game is over, instead of serving the page until Ctrl-C
    #[arg(long)]
    once: bool,
}

/// The clock of a demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DemoClock {
    /// A clock behind the board, which the arbiter has set and the daemon reads
    Plain,
    /// A DGT 3000 behind the board, which the daemon sets and runs
    Dgt3000,
    /// Two buttons and two displays on the pins of a Pi; the daemon keeps the time
    Gpio,
    /// Any clock with a contact at its lever: presses, but no times
    Lever,
    /// A DGT 3000 on its own jack, which the daemon sets and runs through a bridge
    Bridge,
    /// A clock behind the board that gives random answers and shows random times
    Nonsense,
    /// No clock
    None,
}

impl Demo {
    pub(super) fn run(&self, config: Option<&Path>, verbose: u8) -> Result<(), Failure> {
        let _log = (verbose > 0).then(|| start_tracing(verbose));
        let game = self.simulate.game(Sight::Pieces)?;
        // Of a configuration that is named the first board's terms count.
        let board = match config {
            Some(_) => Config::load(config)?.boards.swap_remove(0),
            None => BoardConfig::default(),
        };
        let (folder, is_temporary) = match &self.keep {
            Some(folder) => (folder.clone(), false),
            None => (temporary_folder()?, true),
        };
        let done = runtime()?.block_on(self.play(game, board, &folder));
        if is_temporary {
            // It holds nothing that anyone was promised.
            std::fs::remove_dir_all(&folder).ok();
        }
        done
    }

    async fn play(&self, game: SimGame, board: BoardConfig, folder: &Path) -> Result<(), Failure> {
        // One time for the table and the daemon: what must rest for a while rests as long for both.
        let now = Now::start_at(self.simulate.speed());
        let (stub, actor) = SimulateOptions::open_table(self.table(&game, &board), None)?;
        let mut actor = actor.in_time_of(now);
        let (mut clocks, mut begin) = (OwnClocks::new(), None);
        if self.clock == DemoClock::Gpio {
            let control = control_of(&board).parse().expect("a time control");
            let desk = SimDesk::open(control, Shape::Buttons, now);
            clocks.insert("demo".to_owned(), desk.stub);
            begin = Some(desk.orders);
            actor = actor.with_clock_beside(desk.hands);
        }
        if self.clock == DemoClock::Lever {
            let desk = SimDesk::open(TimeControl::NoClock, Shape::Lever(End::Left), now);
            clocks.insert("demo".to_owned(), desk.stub);
            actor = actor.with_clock_beside(desk.hands);
        }
        let mut bridge = None;
        if self.clock == DemoClock::Bridge {
            let stub = open_bridge(now)?;
            actor = actor.with_clock_beside(stub.hands());
            bridge = Some(stub);
        }
        let config = self.config(&game, board, folder, stub.cable.path(), bridge.as_ref());
        let board = tokio::spawn(actor.run());
        let port = stub.cable.path();
        let journal = folder.join("demo");
        let socket = config.orders_from();
        let ready = |address: Option<SocketAddr>| {
            let page = address.map_or_else(|| "none".to_owned(), openable);
            let (port, journal) = (port.display(), journal.display());
            say(&format!("Board     {port} (simulated)\nPage      {page}\nJournal   {journal}"));
            say(&format!("Orders    rokade order --socket {} --open", socket.display()));
            say("Stop it with Ctrl-C.\n");
        };
        let is_once = self.once;
        let stop = async move {
            let mut stub = stub;
            let played = async {
                stub.woken().await?;
                if let Some(bridge) = &mut bridge {
                    bridge.is_set().await?;
                }
                stub.play(game.script.happenings, Speed::REAL).await?;
                if let Some(orders) = begin {
                    // The arbiter starts White's clock; no press of Black's would be in the script.
                    orders.give(ClockOrder::Run(Color::White)).await;
                }
                if let Some(bridge) = &mut bridge {
                    start(bridge, now).await?;
                }
                stub.played().await?;
                now.sleep_until(now.stamp().mono + LAST_LOOK).await;
                Ok::<_, PtyError>(())
            };
            if let Err(error) = played.await {
                debug!("{}", chain(&error));
            }
            if !is_once {
                say("\nThe game is over; the page stays until Ctrl-C.");
                std::future::pending::<()>().await;
            }
        };
        let ended = run::run(&config, now, clocks, RunMode::Demo, stop, ready).await;
        board.abort();
        ended.map_err(|error| failure(&error))
    }

    /// The board, and a clock that hangs on it, set by the time control of the game.
    fn table(&self, game: &SimGame, board: &BoardConfig) -> Table {
        let mut header = game.script.header.clone();
        let obedience = match self.clock {
            DemoClock::Dgt3000 => Some(Obedience::Remote),
            DemoClock::Nonsense => Some(Obedience::Nonsense),
            _ => None,
        };
        header.has_clock &= obedience.is_some() || self.clock == DemoClock::Plain;
        let table = Table::new(&header);
        let Some(obedience) = obedience else {
            return match first_period(board) {
                Some((base, increment)) => table.with_clock_set(base, increment),
                None => table,
            };
        };
        // As good a crystal as any.
        table.with_driven_clock(DgtClockSim::new(wire::ClockKind::Dgt3000, obedience, 20))
    }

    /// The daemon's settings.
    fn config(
        &self,
        game: &SimGame,
        board: BoardConfig,
        folder: &Path,
        port: PathBuf,
        bridge: Option<&PtyBridgeStub>,
    ) -> Config {
        let is_driven =
            !matches!(self.clock, DemoClock::Plain | DemoClock::Lever | DemoClock::None);
        Config {
            state_dir: folder.to_owned(),
            http: Http { listen: self.listen, ..Http::default() },
            boards: vec![BoardConfig {
                name: "demo".to_owned(),
                port: port.display().to_string(),
                white: game.white.clone(),
                black: game.black.clone(),
                event: game.event.clone(),
                laws: self.laws.map_or(board.laws.clone(), |laws| laws.word().to_owned()),
                clock: bridge.map_or(Source::Board, |_| Source::Bridge),
                clock_port: bridge.map_or_else(String::new, path_of),
                drive_clock: is_driven,
                time_control: if is_driven {
                    control_of(&board).to_owned()
                } else {
                    board.time_control.clone()
                },
                ..board
            }],
            ..Config::default()
        }
    }
}

/// What each player begins with, and is given for each move, by the time control of the settings.
fn first_period(board: &BoardConfig) -> Option<(Duration, Duration)> {
    let control = board.time_control().ok()??;
    let first = control.periods(Color::White)?.as_slice().first().copied()?;
    match first.per_move {
        PerMove::Increment(span) => Some((first.allotment, span)),
        _ => Some((first.allotment, Duration::ZERO)),
    }
}

/// The time control of a clock that the daemon runs.
fn control_of(board: &BoardConfig) -> &str {
    match board.time_control.trim() {
        "" => CONTROL,
        named => named,
    }
}

/// A bridge with a clock on its jack.
fn open_bridge(now: Now) -> Result<PtyBridgeStub, Failure> {
    let (stub, actor) = PtyBridge::open(now, None).map_err(|e| Failure::Device(chain(&e)))?;
    tokio::spawn(actor.run());
    Ok(stub)
}

/// The arbiter starts White's clock, and looks whether it runs: at a high speed the bridge is deaf
/// for long while it speaks, and may miss a button.
pub(super) async fn start(bridge: &mut PtyBridgeStub, now: Now) -> Result<(), PtyError> {
    let hands = bridge.hands();
    // Who is not there any more presses nothing.
    hands.send(Happening::Resume(Color::White)).ok();
    loop {
        let looks = now.sleep_until(now.stamp().mono + STARTS_WITHIN);
        tokio::select! {
            runs = bridge.is_running() => return runs,
            () = looks => {
                hands.send(Happening::ClockStopped).ok();
            }
        }
    }
}

fn path_of(bridge: &PtyBridgeStub) -> String {
    bridge.cable.path().display().to_string()
}

/// Prints for whoever still reads: `head` may have seen enough, but the page goes on.
fn say(text: &str) {
    writeln!(io::stdout(), "{text}").ok();
}

fn temporary_folder() -> Result<PathBuf, Failure> {
    let folder = std::env::temp_dir().join(format!("rokade-demo-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(Failure::io(format!("{}: cannot be made", folder.display())))?;
    Ok(folder)
}
