//! Every kind of board in a daemon, at its simulated device, with a referee and without.
//!
//! `ROKADE_TRACES=FOLDER` plays the traces there, `club-NAME.trace.jsonl` and
//! `blitz-NAME.trace.jsonl`, each on all kinds of boards that see what it tells, and holds the
//! record against `NAME.truth.json`, which says what was meant; without it each kind plays a short
//! game of our own hands. `ROKADE_KINDS=reed,bus` plays on these kinds alone. Each kind, profile
//! and referee is a row of the table that is printed.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rokade::game::{BoardKind, Entry, Recovered};
use rokade::relay::record::Record;
use rokade::shell::config::SwitchReader;
use rokade::shell::matrix::simulated::SimulatedStub;
use rokade::shell::now::Now;
use rokade::shell::pty::{PtyBoard, PtyBoardStub, PtyBridgeStub, PtyBusStub, Speed};
use rokade::sim::hands::{Performance, Span};
use rokade::sim::script::{Happening, Header};
use rokade::sim::{Script, Table, maker};
use rokade::table::{Reading, Sight};
use rokade::time::Wall;
use serde_json::Value;
use shakmaty::KnownOutcome;
use tokio::time::{Instant, sleep_until};

use crate::bus::house::FIRST;
use crate::bus::live::{plug as plug_line, section};
use crate::live::journal;
use crate::makers::bluez::{Bus, FakeBluez};
use crate::makers::live::plug as plug_maker;
use crate::makers::radio::{by_radio, on_air, start as start_on};
use crate::matrix::{
    PLIES, Row, configure, is_unhurried, live_seed, performance, plug as plug_chips, start,
    wait_until_live,
};
use crate::program::{Place, STEP};

/// So many boards one daemon has at once; the machine plays their hands as well.
const AT_ONCE: usize = 48;
/// A machine that is held up for longer plays hands of its own.
const HELD_UP: Duration = Duration::from_millis(300);
/// A board whose line is silent for so long may be taken for lost.
const SILENT: Duration = Duration::from_secs(2);
/// Games of hands that were held up so are played again, until they have been played so often.
const TRIES: usize = 3;
/// After its last act a game is concluded within this time.
const LINGER: Duration = Duration::from_secs(11);
/// What is told of an illegal move after its end is still told of it.
const GRACE_MS: u64 = 2_000;

/// Where a board is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Station {
    /// A board of DGT on a line of its own.
    Line,
    /// One on a line that many share.
    Shared,
    Maker(BoardKind),
    Bluetooth(BoardKind),
    Chips(SwitchReader),
}

#[derive(Copy, Clone, Debug)]
struct Kind {
    station: Station,
    sight: Sight,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.station, self.sight) {
            (Station::Line, _) => f.pad("dgt"),
            (Station::Shared, _) => f.pad("bus"),
            (Station::Maker(BoardKind::Certabo), Sight::Occupied) => f.pad("sentio"),
            (Station::Bluetooth(BoardKind::Certabo), Sight::Occupied) => f.pad("sentio-ble"),
            (Station::Maker(kind), _) => f.pad(maker::word(kind)),
            (Station::Bluetooth(kind), _) => f.pad(&format!("{}-ble", maker::word(kind))),
            (Station::Chips(chips), _) => f.pad(chips.board_word()),
        }
    }
}

impl Kind {
    /// All that there are.
    fn all() -> Vec<Self> {
        let makers = [
            (BoardKind::ChessLink, Sight::Pieces),
            (BoardKind::Certabo, Sight::Pieces),
            (BoardKind::Certabo, Sight::Occupied),
            (BoardKind::Chessnut, Sight::Pieces),
            (BoardKind::Pegasus, Sight::Occupied),
            (BoardKind::Ucb, Sight::Pieces),
        ];
        let of_dgt = [Station::Line, Station::Shared];
        let of_dgt = of_dgt.map(|station| Self { station, sight: Sight::Pieces });
        let on_cables =
            makers.iter().map(|&(kind, sight)| Self { station: Station::Maker(kind), sight });
        let has_radio = |(kind, sight): &&(BoardKind, Sight)| match kind {
            BoardKind::Ucb => false,
            BoardKind::Certabo => *sight == Sight::Occupied,
            _ => true,
        };
        let on_air = makers.iter().filter(has_radio);
        let on_air = on_air.map(|&(kind, sight)| Self { station: Station::Bluetooth(kind), sight });
        let of_chips = SwitchReader::ALL
            .map(|chips| Self { station: Station::Chips(chips), sight: chips.sight() });
        of_dgt.into_iter().chain(on_cables).chain(on_air).chain(of_chips).collect()
    }

    /// Those that are to be played on.
    fn wanted() -> Vec<Self> {
        let all = Self::all();
        let Ok(words) = std::env::var("ROKADE_KINDS") else { return all };
        let words: Vec<_> = words.split(',').collect();
        let is_known = |word: &&str| all.iter().any(|kind| kind.to_string() == **word);
        assert!(words.iter().all(is_known), "{words:?}: there is {}", names(&all));
        all.into_iter().filter(|kind| words.contains(&&*kind.to_string())).collect()
    }

    fn has_chips_below_pieces(self) -> bool {
        self.station == Station::Maker(BoardKind::Certabo) && self.sight == Sight::Pieces
    }

    /// Presses overtake a board that reads the chips of its pieces: it has no clock.
    fn has_clock(self) -> bool {
        !self.has_chips_below_pieces()
    }

    /// Whether it tells each change with its piece, as a board of DGT does.
    fn is_like_dgt(self) -> bool {
        let (Station::Maker(kind) | Station::Bluetooth(kind)) = self.station else {
            return matches!(self.station, Station::Line | Station::Shared);
        };
        matches!(kind, BoardKind::ChessLink | BoardKind::Chessnut)
    }

    /// Whether such a board sees what a trace tells.
    fn sees(self, sight: Sight) -> bool {
        (self.sight == Sight::Occupied) == (sight == Sight::Occupied)
    }
}

fn names(kinds: &[Kind]) -> String {
    kinds.iter().map(Kind::to_string).collect::<Vec<_>>().join(",")
}

/// What is to be on record.
#[derive(Clone, Debug)]
struct Meant {
    /// Each half-move, and whether the clock was pressed on it.
    plies: Vec<(String, bool)>,
    /// Illegal moves on which the clock was pressed: by whom, and from when until when.
    illegal: Vec<(String, u64, u64)>,
    /// The result that the kings showed.
    result: Option<String>,
}

impl Meant {
    fn parse(text: &str) -> Self {
        let truth: Value = serde_json::from_str(text).unwrap();
        let list = |key: &str| truth[key].as_array().unwrap().clone();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let ply = |ply: Value| (word(&ply["uci"]), !ply["completed"].is_null());
        let pressed = list("irregularities");
        let pressed = pressed.iter().filter(|it| it["kind"] == "illegal_move_completed");
        let ms = |value: &Value| value.as_u64().unwrap();
        Self {
            plies: list("moves").into_iter().map(ply).collect(),
            illegal: pressed
                .map(|it| (word(&it["by"]), ms(&it["made"]), ms(&it["restored"])))
                .collect(),
            result: (truth["signalled"] == true).then(|| word(&truth["result"])),
        }
    }
}

/// What hands do, and what they mean by it.
#[derive(Clone, Debug)]
struct Trace {
    name: String,
    profile: &'static str,
    script: Script,
    meant: Meant,
}

impl Trace {
    fn read(path: &Path) -> Self {
        let name = path.file_name().unwrap().to_str().unwrap();
        let name = name.strip_suffix(".trace.jsonl").unwrap().to_owned();
        let profile = if name.starts_with("blitz") { "blitz" } else { "club" };
        let script = Script::parse(&fs::read_to_string(path).unwrap()).unwrap();
        let truth = path.with_file_name(format!("{name}.truth.json"));
        let meant = Meant::parse(&fs::read_to_string(truth).unwrap());
        Self { name, profile, script, meant }
    }

    /// A short game of our own hands, which such a board can follow.
    fn short(kind: Kind, row: &Row, seed: usize) -> Self {
        let think = match kind.station {
            Station::Maker(BoardKind::Ucb) => Span::new(1_000, 1_500),
            _ if kind.has_chips_below_pieces() => Span::new(2_000, 3_500),
            _ => Span::new(300, 1_500),
        };
        // A button that is down already completes no move; what quick captures cost is told in
        // virtual time.
        let may_be = |it: &Performance| {
            it.truth.plies.is_sorted_by_key(|ply| ply.completed)
                && (kind.sight == Sight::Pieces || is_unhurried(&it.script))
        };
        let (moves, played) = performance(seed, row, kind.sight, (PLIES.0, think), may_be);
        let pressed = played.truth.plies.iter().map(|ply| ply.completed.is_some());
        let plies = moves.into_iter().zip(pressed).collect();
        let meant = Meant { plies, illegal: Vec::new(), result: None };
        Self { name: format!("short-{seed}"), profile: row.profile, script: played.script, meant }
    }

    /// What such a board sees of it.
    fn seen_by(mut self, kind: Kind) -> Self {
        self.script.header.sight = kind.sight;
        let seen = |what: &mut Happening| match what {
            Happening::Sensed { reading: reading @ Reading::Piece(_), .. } => {
                if let Reading::Piece(piece) = *reading {
                    *reading = kind.sight.of(Some(piece));
                }
                true
            }
            Happening::Press(_) | Happening::ClockStopped | Happening::Resume(_) => {
                kind.has_clock()
            }
            _ => true,
        };
        if !kind.has_clock() {
            // Where no clock is stopped nobody shows a result, nor tries out moves on the board.
            let is_stop = |(_, what): &(_, Happening)| *what == Happening::ClockStopped;
            let n = self.script.happenings.iter().position(is_stop);
            self.script.happenings.truncate(n.unwrap_or(usize::MAX));
            self.meant.result = None;
            // What nobody presses is not completed, illegal or not.
            self.meant.plies.iter_mut().for_each(|(_, is_pressed)| *is_pressed = false);
            self.meant.illegal.clear();
        }
        self.script.happenings.retain_mut(|(_, what)| seen(what));
        self
    }
}

enum Hands {
    Cable(PtyBoardStub),
    Shared(PtyBusStub, usize),
    Chips(SimulatedStub),
}

/// A game at a board of its own.
struct Seat {
    kind: Kind,
    laws: &'static str,
    trace: Trace,
    hands: Hands,
    clock: Option<PtyBridgeStub>,
}

/// What is to be played, and where.
type Plan = (Kind, &'static str, Trace);

/// Sets up all these boards, and writes the settings.
fn seats(place: &Place, plans: Vec<Plan>) -> (Vec<Seat>, String) {
    let n_shared = plans.iter().filter(|(kind, ..)| kind.station == Station::Shared).count();
    let addresses: Vec<u16> = (FIRST..).take(n_shared).collect();
    let line = (n_shared > 0).then(|| plug_line(place, &addresses));
    let mut shared = addresses.iter().enumerate();
    let (mut seats, mut text) = (Vec::new(), String::new());
    for (number, (kind, laws, mut trace)) in (1..).zip(plans) {
        let row = Row { profile: trace.profile, laws, has_clock: kind.has_clock() };
        let header: &mut Header = &mut trace.script.header;
        let (hands, clock) = match kind.station {
            Station::Line => {
                let port = place.cable(number);
                text += &format!("[[board]]\nname = \"table-{number}\"\nport = {port:?}\n");
                text += &format!("laws = {laws:?}\n");
                let (board, actor) = PtyBoard::open(Table::new(header), Some(port)).unwrap();
                tokio::spawn(actor.run());
                (Hands::Cable(board), None)
            }
            Station::Shared => {
                let (idx, address) = shared.next().unwrap();
                text += &section(place, number, *address, laws);
                (Hands::Shared(line.clone().unwrap(), idx), None)
            }
            Station::Maker(of) | Station::Bluetooth(of) => {
                let (board, clock) = plug_maker((place, number), &row, (of, header), &mut text);
                (Hands::Cable(board), clock)
            }
            Station::Chips(chips) => {
                let (board, clock) = plug_chips((place, number), &row, (chips, header), &mut text);
                (Hands::Chips(board), clock)
            }
        };
        seats.push(Seat { kind, laws, trace, hands, clock });
    }
    (seats, text)
}

/// Plays a game to its end; and when it began.
async fn play(mut seat: Seat) -> (Seat, Wall) {
    if let Some(clock) = &mut seat.clock {
        clock.is_set().await.unwrap();
    }
    let script = seat.trace.script.happenings.clone();
    let lasts = script.last().unwrap().0.millis();
    match &mut seat.hands {
        Hands::Cable(board) => {
            board.woken().await.unwrap();
            board.play(script, Speed::REAL).await.unwrap();
        }
        Hands::Shared(line, idx) => line.play(vec![(*idx, script)], Speed::REAL).await.unwrap(),
        Hands::Chips(board) => board.play(script, Speed::REAL).await.unwrap(),
    }
    let ends = Instant::now() + Duration::from_millis(lasts) + LINGER;
    let began = Now::start().stamp().wall;
    if let Some(clock) = &mut seat.clock {
        start(clock).await;
    }
    sleep_until(ends).await;
    (seat, began)
}

/// What came of games.
#[derive(Copy, Clone, Debug, Default)]
struct Tally {
    n_games: usize,
    n_exact: usize,
    n_plies: usize,
    /// Half-moves on record before the first that is wrong.
    n_right: usize,
    n_pressed: usize,
    n_completed: usize,
    n_illegal: usize,
    n_illegal_seen: usize,
    n_accused: usize,
    n_results: usize,
    n_results_seen: usize,
}

impl Tally {
    const HEADER: &str = "exact        right      completed   illegal   accused  results";

    fn of(meant: &Meant, began: Wall, entries: &[Entry]) -> Self {
        let (mut made, mut completed) = (BTreeMap::new(), BTreeMap::new());
        let (mut illegal, mut record) = (Vec::new(), Recovered::default());
        for (idx, entry) in entries.iter().enumerate() {
            record.fold(idx, entry).unwrap();
            let t = u64::try_from((entry.at.wall.0 - began.0).max(0)).unwrap() / 1_000;
            let said: Value = serde_json::from_str(&Record::new(t, &entry.fact).to_json()).unwrap();
            let ply = said["ply"].as_u64().unwrap_or(0);
            match said["type"].as_str().unwrap() {
                "move_made" => _ = made.insert(ply, said["uci"].as_str().unwrap().to_owned()),
                "move_retracted" => {
                    made.split_off(&ply);
                    completed.split_off(&ply);
                }
                "move_completed" => _ = completed.insert(ply, t),
                "illegal_move" if said["stage"] == "completed" => illegal.push((t, said)),
                _ => {}
            }
        }
        let is_right = |((_, said), (uci, _)): &(&(u64, String), &(String, bool))| said == uci;
        let made: Vec<(u64, String)> = made.into_iter().collect();
        let n_right = made.iter().zip(&meant.plies).take_while(is_right).count();
        let pressed: Vec<u64> =
            (1..).zip(&meant.plies).filter(|(_, (_, is))| *is).map(|(n, _)| n).collect();
        let is_told = |(by, from, until): &&(String, u64, u64)| {
            let of = |(t, said): &(u64, Value)| {
                said["by"] == **by && (*from..=until + GRACE_MS).contains(t)
            };
            illegal.iter().any(of)
        };
        let result = record.ending().map(|end| KnownOutcome::as_str(end.outcome));
        let shows =
            |result: Option<&str>| meant.result.is_some() && result == meant.result.as_deref();
        Self {
            n_games: 1,
            n_exact: usize::from(n_right == made.len() && n_right == meant.plies.len()),
            n_plies: meant.plies.len(),
            n_right,
            n_pressed: pressed.len(),
            n_completed: pressed.iter().filter(|n| completed.contains_key(n)).count(),
            n_illegal: meant.illegal.len(),
            n_illegal_seen: meant.illegal.iter().filter(is_told).count(),
            n_accused: illegal.len().saturating_sub(meant.illegal.len()),
            n_results: usize::from(meant.result.is_some()),
            n_results_seen: usize::from(shows(result)),
        }
    }

    fn add(&mut self, other: &Self) {
        self.n_games += other.n_games;
        self.n_exact += other.n_exact;
        self.n_plies += other.n_plies;
        self.n_right += other.n_right;
        self.n_pressed += other.n_pressed;
        self.n_completed += other.n_completed;
        self.n_illegal += other.n_illegal;
        self.n_illegal_seen += other.n_illegal_seen;
        self.n_accused += other.n_accused;
        self.n_results += other.n_results;
        self.n_results_seen += other.n_results_seen;
    }

    fn is_all_right(&self) -> bool {
        self.n_exact == self.n_games && self.n_completed == self.n_pressed && self.n_accused == 0
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |n: usize, of: usize| format!("{n}/{of}");
        write!(
            f,
            "{:<8}{:>10}{:>15}{:>10}{:>10}{:>9}",
            of(self.n_exact, self.n_games),
            of(self.n_right, self.n_plies),
            of(self.n_completed, self.n_pressed),
            of(self.n_illegal_seen, self.n_illegal),
            self.n_accused,
            of(self.n_results_seen, self.n_results)
        )
    }
}

/// Rows of the table: kind, profile and referee.
type Rows = BTreeMap<(String, &'static str, &'static str), Tally>;

/// These boards by daemon: a Pi has its pins once, so each board of chips is on one of its own.
fn daemons(plans: &[Plan]) -> Vec<Vec<Plan>> {
    let is_on_pins = |(kind, ..): &&Plan| matches!(kind.station, Station::Chips(_));
    let (on_pins, on_lines): (Vec<&Plan>, Vec<&Plan>) = plans.iter().partition(is_on_pins);
    let on_lines = on_lines.into_iter().cloned().collect::<Vec<_>>();
    let single = on_pins.into_iter().map(|plan| vec![plan.clone()]);
    std::iter::once(on_lines).chain(single).filter(|plans| !plans.is_empty()).collect()
}

/// Plays all these at once in one daemon; again if the hands were held up for longer than a board
/// may be silent and a record is wrong, as that tells nothing of the daemon.
async fn play_all(plans: Vec<Plan>) -> Rows {
    for _ in 1..TRIES {
        let (rows, held_up) = play_once(plans.clone()).await;
        if held_up < SILENT || rows.values().all(Tally::is_all_right) {
            return rows;
        }
    }
    play_once(plans).await.0
}

/// Plays them once. Also for how long the hands were held up at the most.
async fn play_once(plans: Vec<Plan>) -> (Rows, Duration) {
    let mut rows = Rows::new();
    let place = Place::new();
    let (seats, text) = seats(&place, plans);
    let is_on_air = |(_, seat): &(usize, &Seat)| match seat.kind.station {
        Station::Bluetooth(of) => Some(of),
        _ => None,
    };
    let numbered = || (1..).zip(&seats);
    let on_the_air: Vec<_> =
        numbered().filter_map(|it| is_on_air(&it).map(|of| (it.0, of))).collect();
    configure(&place, &by_radio(&place, &text, on_the_air.iter().map(|(number, _)| *number)));
    let bus = Bus::start(&place.path("")).await;
    let devices = on_the_air.iter().map(|(number, of)| on_air(&place, *of, *number)).collect();
    let _bluez = FakeBluez::start(&bus, devices).await;
    let daemon = start_on(&place, &bus);
    for number in 1..=seats.len() {
        wait_until_live(&place, number, &daemon).await;
    }
    let longest = Arc::new(Mutex::new(Duration::ZERO));
    let watch = tokio::spawn(held_up(Arc::clone(&longest)));
    let games: Vec<_> = seats.into_iter().map(|seat| tokio::spawn(play(seat))).collect();
    let mut played = Vec::new();
    for game in games {
        played.push(game.await.unwrap());
    }
    watch.abort();
    assert_eq!(daemon.stop().await.0, Some(0));
    let held_up = *longest.lock().unwrap();
    println!("kinds: the machine was held up for {held_up:?} at the most");
    for (number, (seat, began)) in (1..).zip(&played) {
        let entries = journal(&place, number);
        let tally = Tally::of(&seat.trace.meant, *began, &entries);
        if !tally.is_all_right() || tally.n_illegal_seen < tally.n_illegal {
            let log = place.run(&["log", "--board", &format!("table-{number}")]).await.out;
            println!("{} {} {:?}: {tally}\n{log}", seat.kind, seat.trace.name, seat.laws);
        }
        let row = (seat.kind.to_string(), seat.trace.profile, seat.laws);
        rows.entry(row).or_default().add(&tally);
    }
    (rows, held_up)
}

/// For how long the machine did nothing at the most; it is told whenever that was long.
async fn held_up(longest: Arc<Mutex<Duration>>) {
    loop {
        let due = Instant::now() + STEP * 10;
        sleep_until(due).await;
        let late = due.elapsed();
        if late > HELD_UP {
            println!("the machine was held up for {late:?}");
        }
        let mut longest = longest.lock().unwrap();
        *longest = longest.max(late);
    }
}

/// What is to be played: traces, or short games.
fn plans() -> Vec<Plan> {
    let kinds = Kind::wanted();
    let Ok(folder) = std::env::var("ROKADE_TRACES") else {
        let rows = ["club", "blitz"]
            .into_iter()
            .cycle()
            .zip(["", "m2023", "m2023", ""].into_iter().cycle());
        let short = |(number, (kind, (profile, laws))): (usize, (Kind, _))| {
            let profile =
                if kind.station == Station::Maker(BoardKind::Ucb) { "clean" } else { profile };
            let row = Row { profile, laws, has_clock: kind.has_clock() };
            (kind, laws, Trace::short(kind, &row, number + live_seed()))
        };
        return (1..).zip(kinds.into_iter().zip(rows)).map(short).collect();
    };
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_trace = |path: &std::path::PathBuf| path.to_str().unwrap().ends_with(".trace.jsonl");
    let mut traces: Vec<Trace> = files.filter(is_trace).map(|path| Trace::read(&path)).collect();
    // Long games with long ones.
    traces.sort_by_key(|trace| trace.script.happenings.last().map(|(at, _)| *at));
    let mut plans = Vec::new();
    for trace in traces {
        for kind in kinds.iter().filter(|kind| kind.sees(trace.script.header.sight)) {
            plans.extend(["", "m2023"].map(|laws| (*kind, laws, trace.clone().seen_by(*kind))));
        }
    }
    plans
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_board_is_recorded_in_one_daemon() {
    let is_short = std::env::var("ROKADE_TRACES").is_err();
    let mut rows = Rows::new();
    for plans in plans().chunks(AT_ONCE) {
        let played: Vec<_> = daemons(plans).into_iter().map(play_all).map(tokio::spawn).collect();
        for daemon in played {
            for (row, tally) in daemon.await.unwrap() {
                rows.entry(row).or_default().add(&tally);
            }
        }
    }
    println!("kinds: {:<16}{:<7}{:<9}{}", "board", "hands", "referee", Tally::HEADER);
    for ((kind, profile, laws), tally) in &rows {
        println!(
            "kinds: {kind:<16}{profile:<7}{:<9}{tally}",
            if laws.is_empty() { "none" } else { laws }
        );
    }
    for kind in Kind::wanted().into_iter().filter(|kind| is_short || kind.is_like_dgt()) {
        let of_kind = rows.iter().filter(|((name, ..), _)| *name == kind.to_string());
        for (row, tally) in of_kind {
            assert!(tally.is_all_right(), "{row:?}: {tally}");
        }
    }
}
