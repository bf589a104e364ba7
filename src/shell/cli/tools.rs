//! `rokade simulate` and `rokade record`: a board for programs, and a tape of a board.

use super::games::GamesOptions;
use super::{Failure, chain, read, runtime, say, sim_bus, sim_matrix, sim_sign, start_tracing};
use crate::game::{Ear, Effect, Event, Game};
use crate::relay::log::Log;
use crate::shell::config::{BoardConfig, Config, SwitchReader};
use crate::shell::heard::Heard;
use crate::shell::link::line_of;
use crate::shell::now::Now;
use crate::shell::pty::{PtyBoard, PtyBoardActor, PtyBoardStub, PtyBridge, PtyError, Speed};
use crate::shell::serial::{self, LineNews, LineStub};
use crate::shell::tape::{Tape, TapeError};
use crate::shell::text;
use crate::sim::hands::{self, Manners, Span, TableKind};
use crate::sim::script::Header;
use crate::sim::trial::KnownGame;
use crate::sim::{DgtClockSim, Obedience, Script, Table, games};
use crate::table::Sight;
use crate::time::Stamp;
use crate::wire;
use clap::Args;
use pgn_reader::{RawTag, Reader as PgnReader, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Chess, KnownOutcome, Move, Position};
use std::io::Write;
use std::num::NonZeroU32;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tokio::signal::unix::{SignalKind, signal};

/// As good a crystal as any, in parts of a million.
const DRIFT_PPM: i32 = 20;

/// What is played on a simulated board, and how.
#[derive(Clone, Debug, Args)]
pub(super) struct SimulateOptions {
    /// Play the first game of this PGN file, instead of Morphy's Opera Game
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    game: Option<PathBuf>,
    /// Play this trace
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// How the players handle the pieces: clean, club (the default), blitz, scramble, school, lossy
    #[arg(long, value_name = "MANNERS", alias = "profile", value_parser = manners)]
    pub(super) manners: Option<&'static str>,
    /// The seed: another one gives other hands
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(super) seed: u64,
    /// How many times faster than real time the board's time passes
    #[arg(long, value_name = "TIMES", default_value = "1")]
    speed: NonZeroU32,
}

/// A game to be played by simulated hands.
#[derive(Debug)]
pub(super) struct SimGame {
    pub(super) white: String,
    pub(super) black: String,
    pub(super) event: String,
    pub(super) script: Script,
}

impl SimulateOptions {
    /// Whether a trace is played: it says what the clock does.
    fn is_trace(&self) -> bool {
        self.trace.is_some()
    }

    /// The same game by other hands.
    pub(super) fn with_seed(&self, seed: u64) -> Self {
        Self { seed, ..self.clone() }
    }

    pub(super) fn speed(&self) -> Speed {
        Speed(self.speed)
    }

    /// The game on a board that sees so much, unless it is a trace, which says so itself.
    pub(super) fn game(&self, sight: Sight) -> Result<SimGame, Failure> {
        if let Some(path) = &self.trace {
            let script = Script::parse(&read(path)?)
                .map_err(|e| Failure::Input(format!("{}, {e}", path.display())))?;
            if script.is_tape() {
                return Err(Failure::Input(format!(
                    "{}: this is a tape of a real board; a simulated one plays traces",
                    path.display()
                )));
            }
            let Header { white, black, event, .. } = script.header.clone();
            return Ok(SimGame { white, black, event, script });
        }
        let mut manners = self.manners.and_then(Manners::named).unwrap_or(Manners::club());
        let game = match &self.game {
            Some(path) => first_game(&read_games(path)?)
                .map_err(|why| Failure::Input(format!("{}: {why}", path.display())))?,
            None => {
                // Nobody wants to wait for a game that everybody knows.
                manners.think = Span { min_ms: 300, max_ms: 2_000 };
                opera()
            }
        };
        let table = TableKind { sight, has_clock: true };
        let mode = CastlingMode::Standard;
        let PgnGame { white, black, event, moves, outcome } = game;
        let start = Chess::new();
        let played = hands::perform(&start, mode, &moves, outcome, &manners, table, self.seed);
        Ok(SimGame { white, black, event, script: played.script })
    }

    /// All games of the PGN file that start from the usual position; none without a file.
    pub(super) fn known(&self) -> Result<Vec<KnownGame>, Failure> {
        let Some(path) = &self.game else { return Ok(Vec::new()) };
        let text = read_games(path)?;
        let mut reader = PgnReader::new(text.as_bytes());
        let games: Result<Vec<_>, _> = reader.read_games(&mut FirstGame).collect();
        let wrong = |why: String| Failure::Input(format!("{}: {why}", path.display()));
        let games = games.map_err(|e| wrong(format!("cannot be read as PGN: {e}")))?;
        let known = |game: PgnGame| KnownGame { moves: game.moves, outcome: game.outcome };
        let known: Vec<KnownGame> = games.into_iter().filter_map(Result::ok).map(known).collect();
        if known.is_empty() {
            return Err(wrong("it has no game that can be played".to_owned()));
        }
        Ok(known)
    }

    pub(super) fn open_table(
        table: Table,
        link: Option<PathBuf>,
    ) -> Result<(PtyBoardStub, PtyBoardActor), Failure> {
        PtyBoard::open(table, link).map_err(|e| Failure::Device(chain(&e)))
    }
}

/// The name of manners that there are.
fn manners(name: &str) -> Result<&'static str, String> {
    let found = Manners::NAMES.into_iter().find(|known| *known == name);
    found.ok_or_else(|| format!("there are {}", Manners::NAMES.join(", ")))
}

struct PgnGame {
    white: String,
    black: String,
    event: String,
    moves: Vec<Move>,
    outcome: Option<KnownOutcome>,
}

fn opera() -> PgnGame {
    let (players, moves) = games::opera();
    PgnGame {
        white: players.white.to_owned(),
        black: players.black.to_owned(),
        event: "Paris Opera 1858".to_owned(),
        moves,
        outcome: Some(KnownOutcome::Decisive { winner: shakmaty::Color::White }),
    }
}

/// A file with games, as any program writes one.
fn read_games(path: &Path) -> Result<String, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|e| Failure::Input(format!("{}: cannot be read: {e}", path.display())))?;
    Ok(text::decode(&bytes).0)
}

/// The first game of a PGN file that starts from the usual position.
fn first_game(text: &str) -> Result<PgnGame, String> {
    let mut reader = PgnReader::new(text.as_bytes());
    match reader.read_game(&mut FirstGame) {
        Ok(Some(game)) => game,
        Ok(None) => Err("it has no game; expected PGN".to_owned()),
        Err(e) => Err(format!("cannot be read as PGN: {e}")),
    }
}

struct FirstGame;

struct FirstMoves {
    game: PgnGame,
    pos: Chess,
}

impl Visitor for FirstGame {
    type Tags = PgnGame;
    type Movetext = FirstMoves;
    type Output = Result<PgnGame, String>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        let (white, black, event) = (String::new(), String::new(), String::new());
        ControlFlow::Continue(PgnGame { white, black, event, moves: Vec::new(), outcome: None })
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy().into_owned();
        match name {
            b"White" => tags.white = value,
            b"Black" => tags.black = value,
            b"Event" => tags.event = value,
            b"Result" => tags.outcome = value.parse().ok(),
            b"FEN" => {
                let why = "the first game does not start from the usual position; use a trace";
                return ControlFlow::Break(Err(why.to_owned()));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, game: PgnGame) -> ControlFlow<Self::Output, Self::Movetext> {
        ControlFlow::Continue(FirstMoves { game, pos: Chess::new() })
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<Self::Output, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn san(&mut self, text: &mut FirstMoves, san: SanPlus) -> ControlFlow<Self::Output> {
        match san.san.to_move(&text.pos) {
            Ok(m) => {
                text.pos.play_unchecked(m);
                text.game.moves.push(m);
                ControlFlow::Continue(())
            }
            Err(_) => {
                let ply = text.game.moves.len() + 1;
                ControlFlow::Break(Err(format!("half-move {ply}, {san}, is not legal")))
            }
        }
    }

    fn end_game(&mut self, text: FirstMoves) -> Self::Output {
        Ok(text.game)
    }
}

/// The board answers whatever program opens it, plays the game once when it has been woken, and
/// stays until Ctrl-C. With --games there is no board: whole games are played through the core in
/// virtual time, and the record is held against what was meant.
#[derive(Debug, Args)]
pub(super) struct Simulate {
    #[command(flatten)]
    simulate: SimulateOptions,
    /// A name for the board's end of the line, which survives replugging. For a board of switches,
    /// the socket in place of the bus: `bus = "PATH"` under [board.matrix]
    #[arg(long, value_name = "PATH")]
    link: Option<PathBuf>,
    /// A name for the line of a simulated bridge with a DGT 3000 on its jack, in place of the clock
    /// behind the board
    #[arg(long, value_name = "PATH")]
    bridge: Option<PathBuf>,
    /// The number of DGT boards on one line in bus mode, 1 to 40; their addresses are 1025 and up
    #[arg(long, value_name = "BOARDS", conflicts_with_all = ["bridge", "games", "board"],
          value_parser = clap::value_parser!(u16).range(1..=40))]
    bus: Option<u16>,
    /// Simulate lights instead of a board, with this socket in place of their bus: `bus = "PATH"`
    /// under [board.leds] or [board.wall]. They are drawn whenever they change
    #[arg(long, value_name = "PATH",
          conflicts_with_all = ["bridge", "games", "board", "bus", "link"])]
    leds: Option<PathBuf>,
    /// Simulate a display instead of a board, with this socket in place of its bus: `bus = "PATH"`
    /// under [board.display]. Its rows are printed whenever they change
    #[arg(long, value_name = "PATH",
          conflicts_with_all = ["bridge", "games", "board", "bus", "link", "leds"])]
    display: Option<PathBuf>,
    #[command(flatten)]
    games: GamesOptions,
}

impl Simulate {
    pub(super) fn run(&self, verbose: u8) -> Result<(), Failure> {
        let _log = start_tracing(verbose);
        if let Some(n_games) = self.games.games {
            return self.games.run(n_games, &self.simulate);
        }
        if let Some(path) = &self.leds {
            return runtime()?.block_on(sim_sign::leds(path));
        }
        if let Some(path) = &self.display {
            return runtime()?.block_on(sim_sign::display(path));
        }
        if let Some(n_boards) = self.bus {
            let link = self.link.clone();
            return runtime()?.block_on(sim_bus::serve(&self.simulate, n_boards, link));
        }
        let mut game = self.simulate.game(self.games.board.sight)?;
        if let Some(maker) = self.games.board.maker {
            game.script.header.maker = Some(maker);
        }
        match (game.script.header.sight, &self.link) {
            (Sight::Pieces, _) => {}
            _ if game.script.header.maker.is_some() => {}
            (sight @ (Sight::Occupied | Sight::Colors), Some(link)) => {
                let (bridge, speed) = (self.bridge.as_deref(), self.simulate.speed());
                let board = self.games.board;
                let chips = if board.sight == sight { board.chips } else { reader_of(sight) };
                return runtime()?.block_on(sim_matrix::serve(game, chips, link, bridge, speed));
            }
            (Sight::Occupied | Sight::Colors, None) => {
                let why = "a board of switches needs a path for its socket; name one with --link, \
                           and set it as the bus under [board.matrix]";
                return Err(Failure::Usage(why.to_owned()));
            }
        }
        runtime()?.block_on(self.serve(game))
    }

    /// Plays the game on a board with a line, once a host has woken it, and stays until Ctrl-C.
    async fn serve(&self, game: SimGame) -> Result<(), Failure> {
        let mut header = game.script.header.clone();
        // Behind other makers' boards there is no clock.
        let is_behind = self.bridge.is_none() && header.maker.is_none();
        header.has_clock &= is_behind && !self.games.no_clock;
        // What a trace says of the clock is so, whatever a host would have.
        let option =
            if self.simulate.is_trace() { Obedience::WrongOption } else { Obedience::Remote };
        let clock = DgtClockSim::new(wire::ClockKind::Dgt3000, option, DRIFT_PPM);
        let table = Table::new(&header).with_clock_that_answers(clock);
        let (mut stub, mut actor) = SimulateOptions::open_table(table, self.link.clone())?;
        // The bridge is there as long as its stub is.
        let mut beside = None;
        if let Some(link) = &self.bridge {
            let (bridge, clock) = PtyBridge::open(Now::start(), Some(link.clone()))
                .map_err(|e| Failure::Device(chain(&e)))?;
            tokio::spawn(clock.run());
            actor = actor.with_clock_beside(bridge.hands());
            say(bridge.cable.path().display())?;
            beside = Some(bridge);
        }
        let board = tokio::spawn(actor.run());
        say(self.link.clone().unwrap_or_else(|| stub.cable.path()).display())?;
        let play = async {
            stub.woken().await?;
            stub.play(game.script.happenings, self.simulate.speed()).await?;
            std::future::pending::<Result<(), PtyError>>().await
        };
        let done = tokio::select! {
            failed = play => failed.map_err(|e| Failure::Device(chain(&e))),
            stopped = asked_to_stop() => stopped,
        };
        // The link goes with the board that it leads to.
        board.abort();
        board.await.ok();
        drop(beside);
        done
    }
}

/// What usually reads a board that sees so much, for a trace that says no more.
fn reader_of(sight: Sight) -> SwitchReader {
    let found = SwitchReader::ALL.into_iter().find(|chips| chips.sight() == sight);
    found.unwrap_or_default()
}

/// Wakes the board, shows what it plays, and writes every byte in both directions until Ctrl-C.
/// The tape can be replayed, and is what a bug report needs.
#[derive(Debug, Args)]
pub(super) struct RecordCommand {
    /// The board's port, instead of that of the first board in the settings
    #[arg(long, value_name = "PORT")]
    port: Option<String>,
    /// The new file
    #[arg(value_name = "TAPE")]
    tape: PathBuf,
}

impl RecordCommand {
    pub(super) fn run(&self, config: &Config, verbose: u8) -> Result<(), Failure> {
        let _log = start_tracing(verbose);
        let port = self.port.as_ref().unwrap_or(&config.boards[0].port);
        let board = board_at(config, port)?;
        if port == "gpio" {
            let why = "switches on the pins send no bytes that could be recorded; name a port";
            return Err(Failure::Usage(why.to_owned()));
        }
        if config.boards.iter().any(|it| it.is_on_bus() && it.port == *port) {
            let why = "boards that share a line do not speak unasked; connect the board alone, and \
                       leave its bus_address out";
            return Err(Failure::Usage(why.to_owned()));
        }
        runtime()?.block_on(self.record(port, board))
    }

    async fn record(&self, port: &str, board: &BoardConfig) -> Result<(), Failure> {
        let input = |e: TapeError| Failure::Input(chain(&e));
        if self.tape.exists() {
            return Err(input(TapeError::Exists(self.tape.clone())));
        }
        let now = Now::start();
        let (mut line, actor) = serial::channel(line_of(board, port), now);
        let actor = tokio::spawn(actor.run());
        // No port, no tape.
        let up = match line.heard().await {
            Some(Heard { at, what: LineNews::Up }) => at,
            Some(Heard { what: LineNews::Down { why }, .. }) => {
                return Err(Failure::Device(chain(&why)));
            }
            _ => return Err(Failure::Device(format!("{port}: the line was closed"))),
        };
        let core = Game::new(board.settings());
        let kind = core.settings().board;
        let maker = kind.has_own_language().then_some(kind);
        let header = Header { maker, has_clock: maker.is_none(), ..Header::dgt() };
        let tape = Tape::create(&self.tape, &header, up).map_err(input)?;
        let mut recorder = TapeRecorder {
            core,
            ear: Ear::default(),
            line,
            tape,
            log: Log::default(),
            now,
            n_bytes: 0,
        };
        eprintln!("recording {port} to {}; end with Ctrl-C", self.tape.display());
        recorder.event(&Event::LinkUp);
        let done = tokio::select! {
            () = recorder.run() => Ok(()),
            stopped = asked_to_stop() => stopped,
        };
        recorder.line.close();
        // The last bytes leave; a panic in there would be our only news of it, and too late.
        actor.await.ok();
        eprintln!("{} bytes from the board", recorder.n_bytes);
        recorder.tape.finish().map_err(input)?;
        done
    }
}

/// The board at `port`, or any of the configuration if all are one maker's: what is said on a line,
/// and what it means, depends on that.
fn board_at<'c>(config: &'c Config, port: &str) -> Result<&'c BoardConfig, Failure> {
    let boards = &config.boards;
    if let Some(board) = boards.iter().find(|board| board.port == port) {
        return Ok(board);
    }
    let first = &boards[0];
    if boards.iter().all(|board| board.maker == first.maker) {
        return Ok(first);
    }
    Err(Failure::Usage(format!(
        "no board of the configuration is at {port:?}, and they are of several makers; write \
         `port = {port:?}` into the section of the board that it is"
    )))
}

/// Waits for Ctrl-C, or for whoever else ends a program in order.
pub(super) async fn asked_to_stop() -> Result<(), Failure> {
    let failed = |e| Failure::io("cannot wait for a signal to stop")(e);
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut hangup = signal(SignalKind::hangup()).map_err(failed)?;
    tokio::select! {
        stopped = tokio::signal::ctrl_c() => stopped.map_err(failed),
        _ = terminate.recv() => Ok(()),
        _ = hangup.recv() => Ok(()),
    }
}

struct TapeRecorder {
    core: Game,
    ear: Ear,
    line: LineStub,
    tape: Tape,
    log: Log,
    now: Now,
    n_bytes: usize,
}

impl TapeRecorder {
    /// Runs for ever.
    async fn run(&mut self) {
        loop {
            let wake = self.core.wake_at().map(|due| self.now.instant(due));
            let sleep = async {
                match wake {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                heard = self.line.heard() => match heard {
                    Some(heard) => self.hear(heard),
                    None => return,
                },
                () = sleep => self.event(&Event::Timeout),
            }
        }
    }

    fn hear(&mut self, heard: Heard<LineNews>) {
        let Heard { at, what } = heard;
        match what {
            LineNews::Up => {
                self.ear.forget();
                self.event(&Event::LinkUp);
            }
            LineNews::Down { why } => {
                eprintln!("{}", chain(&why));
                self.event(&Event::LinkDown);
            }
            LineNews::Bytes(bytes) => {
                self.n_bytes += bytes.len();
                self.tape.received(at, &bytes);
                let mut effects = Vec::new();
                self.ear.hear(at, &bytes, &mut self.core, &mut effects);
                self.carry_out(at, effects);
            }
        }
    }

    fn event(&mut self, event: &Event) {
        let at = self.now.stamp();
        let mut effects = Vec::new();
        self.core.handle(at, event, &mut effects);
        self.carry_out(at, effects);
    }

    fn carry_out(&mut self, at: Stamp, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(bytes) => {
                    self.tape.sent(at, &bytes);
                    self.line.send(bytes);
                }
                Effect::Reopen => {
                    eprintln!("nothing answers there; check the board's cable and power");
                    self.line.reopen();
                }
                Effect::Record(entry) => {
                    if let Some(line) = self.log.line(&entry.fact) {
                        let at = at.mono.to_string();
                        // Whoever reads our output may have seen enough.
                        writeln!(std::io::stdout(), "{at:>9}  {line}").ok();
                    }
                }
                Effect::Show | Effect::Clock(_) => {}
            }
        }
    }
}
