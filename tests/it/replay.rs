//! Every recorded or imagined sitting through the whole core, held to what an arbiter is told.
//!
//! `tests/README.md` says how to add one. `UPDATE_GOLDEN=1` writes the golden files anew: read them
//! before they are committed, for a golden file that nobody has judged proves nothing.

use rokade::table::End;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rokade::game::{Effect, Event, Fact, Game, Recovered, Settings};
use rokade::laws::Act;
use rokade::relay::log::Log;
use rokade::relay::pgn::{self, Tags};
use rokade::relay::view::View;
use rokade::sim::script::Happening;
use rokade::sim::{BoardSim, ClockSim, Delivery, Replay, Script};
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::{Decoder, FieldCode, Item, Orientation};
use shakmaty::{Board, Color, Piece, Square};

const TRACES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces");

/// The endings of files that are run.
const KINDS: [&str; 2] = [".trace.jsonl", ".tape.jsonl"];

/// Every file to run, with its golden file, by name; only one if `ROKADE_TRACE` names it.
fn scripts() -> Vec<(PathBuf, PathBuf)> {
    let entries = fs::read_dir(TRACES).expect("tests/traces is a folder");
    let mut found: Vec<_> = entries
        .map(|entry| entry.expect("an entry of tests/traces").path())
        .filter_map(|path| Some((path.clone(), golden_of(&path)?)))
        .collect();
    if let Ok(name) = std::env::var("ROKADE_TRACE") {
        found.retain(|(path, _)| stem(path) == name);
    }
    found.sort();
    found
}

fn golden_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let stem = KINDS.iter().find_map(|kind| name.strip_suffix(kind))?;
    Some(path.with_file_name(format!("{stem}.golden")))
}

fn parse(path: &Path) -> Script {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Script::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What the header of a script says that its golden file falls short of.
fn falls_short(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let first = text.lines().next().unwrap_or_default();
    let header: serde_json::Value =
        serde_json::from_str(first).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    header.get("falls_short").and_then(|why| why.as_str()).map(str::to_owned)
}

/// A name without its folder and ending.
fn stem(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('.').next().unwrap_or(name).to_owned()
}

/// Says, past what the test runner keeps to itself, which golden files are not what they should be.
fn tell_what_falls_short(scripts: &[(PathBuf, PathBuf)]) {
    let short: Vec<String> = scripts
        .iter()
        .filter_map(|(path, _)| Some(format!("  {}: {}", stem(path), falls_short(path)?)))
        .collect();
    let count = format!("{} of {} scripts fall short:", short.len(), scripts.len());
    let text = format!("{count}\n{}\n", short.join("\n"));
    // A closed standard error is no reason to fail.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The arbiter's log of a run, each line with its second.
fn log_of(script: &Script) -> String {
    let mut log = Log::default();
    let mut text = String::new();
    for entry in &Replay::run(script).entries {
        if let Some(line) = log.line(&entry.fact) {
            text.push_str(&format!("{}  {line}\n", entry.at.mono));
        }
    }
    text
}

/// The lines of both texts: `-` only expected, `+` only found, by their longest common sequence.
fn diff(expected: &str, found: &str) -> String {
    let (a, b): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let mut common = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut text) = (0, 0, String::new());
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            text.push_str(&format!("  {}\n", a[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == b.len() || (i < a.len() && common[i + 1][j] >= common[i][j + 1]) {
            text.push_str(&format!("- {}\n", a[i]));
            i += 1;
        } else {
            text.push_str(&format!("+ {}\n", b[j]));
            j += 1;
        }
    }
    text
}

#[test]
fn every_script_tells_the_arbiter_what_its_golden_file_says() {
    let is_update = std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    if is_update {
        fs::write(simulated_tape(), Recording::new().run()).expect("the tape can be written");
    }
    let mut wrong = String::new();
    let scripts = scripts();
    assert!(!scripts.is_empty(), "{TRACES}: no trace and no tape");
    for (path, golden) in &scripts {
        let found = log_of(&parse(path));
        if is_update {
            fs::write(golden, &found).expect("the golden file can be written");
            continue;
        }
        let expected = fs::read_to_string(golden).unwrap_or_default();
        if expected != found {
            wrong.push_str(&format!("{}\n{}\n", path.display(), diff(&expected, &found)));
        }
    }
    tell_what_falls_short(&scripts);
    let remedy = "read the lines; if the new ones are right, run again with UPDATE_GOLDEN=1";
    assert!(wrong.is_empty(), "{remedy}\n- golden file, + this run\n\n{wrong}");
}

/// What is wrong with the table of situations, beside what the folder holds: the names of all
/// scripts, and whether each falls short.
fn wrong_with_table(table: &str, scripts: &[(String, bool)]) -> Vec<String> {
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let numbers: Vec<&str> = rows.iter().filter_map(|row| row.first().copied()).collect();
    let mut wrong: Vec<String> = (1..=90)
        .filter(|n| !numbers.contains(&n.to_string().as_str()))
        .map(|n| format!("no row has the number {n}"))
        .collect();
    for row in rows.iter().filter(|row| row.len() == 4) {
        let names = || row[2].split('`').skip(1).step_by(2).filter(|name| !name.contains("::"));
        let known = |name: &str| scripts.iter().find(|(known, _)| known == name);
        let unknown = names().filter(|name| known(name).is_none());
        wrong.extend(unknown.map(|name| format!("{}: there is no trace {name}", row[0])));
        let is_short = |name: &str| known(name).is_some_and(|(_, is_short)| *is_short);
        if names().next().is_some() && names().any(is_short) != row[3].starts_with("falls short") {
            wrong.push(format!("{}: the headers do not say {:?}", row[0], row[3]));
        }
    }
    let is_numbered = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
    for (name, _) in scripts.iter().filter(|(name, _)| is_numbered(name)) {
        if !table.contains(&format!("`{name}`")) {
            wrong.push(format!("no row names {name}"));
        }
    }
    wrong
}

#[test]
fn every_situation_has_its_row_and_every_trace_exists() {
    let sample = "| 1 | a | `01-a`<br>`x::y` | ideal |\n| 2 | b | `02-b` | ideal |\n";
    let said = wrong_with_table(sample, &[("01-a".into(), true), ("03-c".into(), false)]);
    assert_eq!(said.len(), 88 + 3, "{said:?}");

    let path = Path::new(TRACES).join("README.md");
    let table = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let found: Vec<_> =
        scripts().iter().map(|(path, _)| (stem(path), falls_short(path).is_some())).collect();
    let wrong = wrong_with_table(&table, &found);
    assert!(wrong.is_empty(), "{}:\n{}", path.display(), wrong.join("\n"));
}

#[test]
fn a_script_runs_the_same_way_twice() {
    for (path, _) in scripts() {
        let script = parse(&path);
        let (once, again) = (Replay::run(&script), Replay::run(&script));
        assert_eq!(once.entries, again.entries, "{}", path.display());
    }
}

/// A daemon that is started anew late in a game comes back as one that is started anew early: what
/// it knows is as old as the record says, not as the program is.
#[test]
fn a_daemon_that_was_long_there_comes_back_as_one_that_was_not() {
    // Within the first period, as a flag would change what is said.
    const LATER: Duration = Duration::from_secs(3_600);
    let is_restart = |(_, what): &(Mono, Happening)| *what == Happening::Started;
    let said = |script: &Script| -> Vec<String> {
        let text = log_of(script);
        // Not when, nor how much time was left then.
        let words = |line: &str| {
            let words = line.split_whitespace().skip(1).filter(|word| !word.contains(':'));
            words.collect::<Vec<_>>().join(" ")
        };
        text.lines().map(words).collect()
    };
    let mut n_restarts = 0;
    for (path, _) in scripts() {
        let early = parse(&path);
        if early.header.maker.is_some() || !early.happenings.iter().any(is_restart) {
            continue;
        }
        let mut late = early.clone();
        late.happenings.iter_mut().for_each(|(at, _)| *at = *at + LATER);
        assert_eq!(said(&late), said(&early), "{}", path.display());
        n_restarts += 1;
    }
    assert!(n_restarts >= 18, "{n_restarts}");
}

#[test]
fn a_difference_is_shown_line_by_line() {
    assert_eq!(diff("a\nb\nc\n", "a\nc\nd\n"), "  a\n- b\n  c\n+ d\n");
    assert_eq!(diff("", "a\n"), "+ a\n");
}

#[test]
fn only_traces_and_tapes_are_run() {
    let golden = |name: &str| golden_of(Path::new(name));
    assert_eq!(golden("x.trace.jsonl"), Some(PathBuf::from("x.golden")));
    assert_eq!(golden("x.tape.jsonl"), Some(PathBuf::from("x.golden")));
    assert_eq!(golden("x.golden"), None);
}

/// How a tape's bytes reach the decoder.
#[derive(Copy, Clone, Debug)]
enum Slicing {
    /// Each line of the tape at its time.
    AsCaptured,
    /// One byte after the other, each at the time of its line.
    ByteByByte,
    /// The whole tape at the time of its last line.
    AtOnce,
}

fn decode(reads: &[(Mono, Vec<u8>)], slicing: Slicing) -> Vec<Item> {
    let mut decoder = Decoder::default();
    let mut items = Vec::new();
    match slicing {
        Slicing::AsCaptured => {
            for (at, bytes) in reads {
                decoder.push(*at, bytes, &mut items);
            }
        }
        Slicing::ByteByByte => {
            for (at, byte) in reads.iter().flat_map(|(at, all)| all.iter().map(|b| (*at, *b))) {
                decoder.push(at, &[byte], &mut items);
            }
        }
        Slicing::AtOnce => {
            let all: Vec<u8> = reads.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
            let last = reads.last().map_or(Mono::default(), |(at, _)| *at);
            decoder.push(last, &all, &mut items);
        }
    }
    items
}

#[test]
fn a_tape_says_the_same_however_it_is_sliced() {
    let tapes: Vec<_> = scripts().into_iter().filter(|(path, _)| parse(path).is_tape()).collect();
    assert!(!tapes.is_empty(), "{TRACES}: no tape");
    for (path, _) in tapes {
        let reads = received(&parse(&path));
        let captured = decode(&reads, Slicing::AsCaptured);
        assert!(captured.iter().any(|item| matches!(item, Item::Message(_))));
        for slicing in [Slicing::ByteByByte, Slicing::AtOnce] {
            assert_eq!(decode(&reads, slicing), captured, "{}: {slicing:?}", path.display());
        }
    }
}

fn received(script: &Script) -> Vec<(Mono, Vec<u8>)> {
    let bytes = |(at, what): &(Mono, Happening)| match what {
        Happening::Received(bytes) => Some((*at, bytes.clone())),
        _ => None,
    };
    script.happenings.iter().filter_map(bytes).collect()
}

/// The tape that no board was needed for.
fn simulated_tape() -> PathBuf {
    Path::new(TRACES).join("simulated-two-moves.tape.jsonl")
}

/// What a hand does, and when.
#[derive(Copy, Clone, Debug)]
enum Hand {
    Start,
    Set(Square, Option<Piece>),
    Press(Color),
}

/// 1. e4 Nf6, with a clock.
fn two_moves() -> Vec<(Mono, Hand)> {
    let steps = [
        (1_500, Hand::Start),
        (3_000, Hand::Set(Square::E2, None)),
        (3_400, Hand::Set(Square::E4, Some(Color::White.pawn()))),
        (3_900, Hand::Press(Color::White)),
        (6_000, Hand::Set(Square::G8, None)),
        (6_500, Hand::Set(Square::F6, Some(Color::Black.knight()))),
        (7_100, Hand::Press(Color::Black)),
    ];
    steps.into_iter().map(|(ms, hand)| (Mono::from_millis(ms), hand)).collect()
}

/// A simulated board, its clock, and the core on the other end of the line.
struct Recording {
    board: BoardSim,
    clock: ClockSim,
    game: Game,
    decoder: Decoder,
    lines: Vec<String>,
}

impl Recording {
    fn new() -> Self {
        let (base, increment) = rokade::sim::clock::USUAL;
        let clock = ClockSim::new(base, increment, End::Left);
        let board = BoardSim::new(Board::new(), Orientation::Normal, Some(clock.time()));
        let header = r#"{"tape":1,"note":"a simulated board: 1. e4 Nf6, each pressed"}"#;
        let (game, decoder) = (Game::new(Settings::default()), Decoder::default());
        Self { board, clock, game, decoder, lines: vec![header.to_owned()] }
    }

    /// What a host that was there from the beginning would have written down.
    fn run(mut self) -> String {
        let mut hands = two_moves().into_iter().peekable();
        self.event(Mono::default(), &Event::LinkUp);
        let end = Mono::from_millis(9_000);
        loop {
            let hand = hands.peek().map(|(at, _)| *at);
            let next = [hand, self.board.next_at(), self.clock.next_at(), self.game.wake_at()];
            let Some(now) = next.into_iter().flatten().min().filter(|now| *now <= end) else {
                return self.lines.join("\n") + "\n";
            };
            if let Some((_, hand)) = hands.next_if(|(at, _)| *at == now) {
                self.hand(now, hand);
            }
            self.clock.advance(now);
            self.board.clock(now, self.clock.time());
            self.pass(now);
        }
    }

    fn hand(&mut self, now: Mono, hand: Hand) {
        match hand {
            Hand::Start => self.clock.run(now, Color::White),
            Hand::Set(sq, piece) => {
                let code = piece.map_or(FieldCode::Empty, FieldCode::Piece);
                self.board.set(now, sq, code, Delivery::Sent);
            }
            Hand::Press(by) => {
                self.clock.press(now, by);
            }
        }
    }

    fn pass(&mut self, now: Mono) {
        let (mut bytes, mut items) = (Vec::new(), Vec::new());
        self.board.take(now, &mut bytes);
        if bytes.is_empty() {
            self.event(now, &Event::Timeout);
            return;
        }
        self.lines.push(format!(r#"{{"t":{},"rx":"{}"}}"#, now.millis(), hex(&bytes)));
        self.decoder.push(now, &bytes, &mut items);
        for item in items {
            if let Item::Message(message) = item {
                self.event(now, &Event::Board(message));
            }
        }
    }

    fn event(&mut self, at: Mono, event: &Event) {
        let mut effects = Vec::new();
        self.game.handle(Stamp { mono: at, wall: Wall(0) }, event, &mut effects);
        let is_send = |effect: Effect| match effect {
            Effect::Send(bytes) => Some(bytes),
            _ => None,
        };
        let sent: Vec<u8> = effects.into_iter().filter_map(is_send).flatten().collect();
        if !sent.is_empty() {
            self.lines.push(format!(r#"{{"t":{},"tx":"{}"}}"#, at.millis(), hex(&sent)));
            self.board.host_bytes(at, &sent);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_simulated_tape_is_what_the_simulated_board_says() {
    let path = simulated_tape();
    let found = Recording::new().run();
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == found, "{}\n{}", path.display(), diff(&expected, &found));
}

/// Findings are for the arbiter: no word of one may be in what the page is sent.
#[test]
fn no_finding_is_public() {
    let mut n_findings = 0;
    for (path, _) in scripts() {
        let replay = Replay::run(&parse(&path));
        let view = View::new("table-1", &replay.game, Mono::from_millis(60_000)).to_json();
        for entry in &replay.entries {
            let (Fact::Found(finding)
            | Fact::PositionLost(finding)
            | Fact::IllegalMove { finding, .. }) = &entry.fact
            else {
                continue;
            };
            n_findings += 1;
            assert!(!entry.fact.is_public(), "{}: {finding}", path.display());
            for secret in [finding.code().to_owned(), finding.to_string()] {
                assert!(!view.contains(&secret), "{}: {secret}", path.display());
            }
        }
    }
    assert!(n_findings > 0, "no script has a finding, so this has shown nothing");
}

#[test]
fn an_illegal_move_that_was_answered_is_recovered_and_stays_out_of_the_moves_of_a_pgn() {
    let path = Path::new(TRACES).join("61-illegal-and-answered.trace.jsonl");
    let replay = Replay::run(&parse(&path));
    let sheet = replay.game.play().expect("a game").sheet();
    let illegal: Vec<_> = sheet.moves().iter().map(|scored| scored.is_illegal).collect();
    assert_eq!(illegal, [false, true, false, false, false, false, false, false]);

    let pgn = pgn::render(&Tags::default(), sheet, sheet.len(), None);
    let words = pgn.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "1. e4 {[%clk 1:30:29] [%emt 0:00:01]} {illegal and answered: 1... Nb8b6; the game \
                goes on from r1bqkbnr/pppppppp/1n6/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 2: 2. d4 \
                d5 3. Nc3 e6 4. Nf3 Bd6} *";
    assert!(words.ends_with(said), "{pgn}");

    let mut fold = Recovered::default();
    for (idx, entry) in replay.entries.iter().enumerate() {
        fold.fold(idx, entry).unwrap_or_else(|e| panic!("{e}"));
    }
    let recovered = fold.sheet().expect("a game");
    assert_eq!(recovered.moves(), sheet.moves());
    assert_eq!(recovered.last(), sheet.last());
}

#[test]
fn an_order_of_the_arbiter_settles_an_uncertain_move() {
    let path = Path::new(TRACES).join("17b-reed-victim-unseen.trace.jsonl");
    let mut game = Replay::run(&parse(&path)).game;
    let scored = &game.play().expect("a game").sheet().moves()[0];
    let (recorded, other) = (scored.uci.to_string(), scored.alternatives[0].to_string());
    let order = |game: &mut Game, text: &str| {
        let order = text.parse().unwrap_or_else(|e| panic!("{e}"));
        let (author, reason) = ("A. Arbiter".to_owned(), "seen at the board".to_owned());
        let act = Event::Act(Act::Ordered { order, author, reason });
        let at = Stamp { mono: Mono::from_millis(60_000), wall: Wall(0) };
        let mut effects = Vec::new();
        game.handle(at, &act, &mut effects);
        let mut log = Log::default();
        effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Record(entry) => log.line(&entry.fact),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n")
    };
    let said = order(&mut game, "settle 9 e2e4");
    assert!(said.contains("\"settle 9 e2e4\" is refused: there is no half-move 9"), "{said}");
    assert_eq!(game.play().unwrap().sheet().moves()[0].uci.to_string(), recorded);

    let said = order(&mut game, &format!("settle 1 {other}"));
    assert!(said.contains("by A. Arbiter (seen at the board)"), "{said}");
    let scored = &game.play().unwrap().sheet().moves()[0];
    assert_eq!(scored.uci.to_string(), other);
    assert!(!scored.is_uncertain());
}
