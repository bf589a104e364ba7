//! The command line: what it is told wrong is told back in one sentence, with an exit code for each
//! class of trouble; and what it prints can be read by other programs.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::process::Stdio;

use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use rokade::shell::pty::{Pty, Speed};
use rokade::sim::Script;
use rokade::sim::games::opera;
use rokade::sim::hands::{self, Manners, Span, TableKind};
use rokade::table::Sight;
use rustix::process::Signal;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::program::{LIMIT, Outcome, Place, finish, plug, rokade, run, signal};

struct Moves;

impl Visitor for Moves {
    type Tags = Chess;
    type Movetext = (Chess, Vec<String>);
    type Output = Vec<String>;

    fn begin_tags(&mut self) -> ControlFlow<Vec<String>, Chess> {
        ControlFlow::Continue(Chess::new())
    }

    fn tag(
        &mut self,
        start: &mut Chess,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Vec<String>> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).expect("a FEN");
            *start = fen.into_position(CastlingMode::Standard).expect("a position");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<Vec<String>, Self::Movetext> {
        ControlFlow::Continue((start, Vec::new()))
    }

    fn san(&mut self, (pos, moves): &mut Self::Movetext, san: SanPlus) -> ControlFlow<Vec<String>> {
        let m = san.san.to_move(pos).expect("a legal move");
        moves.push(UciMove::from_move(m, CastlingMode::Standard).to_string());
        pos.play_unchecked(m);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (_, moves): Self::Movetext) -> Vec<String> {
        moves
    }
}

/// The moves of each game, as an independent reader finds them.
pub(crate) fn pgn_moves(pgn: &str) -> Vec<Vec<String>> {
    Reader::new(pgn.as_bytes()).read_games(&mut Moves).map(Result::unwrap).collect()
}

/// One sentence on one line, with all these words in it.
pub(crate) fn assert_sentence(outcome: &Outcome, code: i32, words: &[&str]) {
    let err = outcome.err.trim_end_matches('\n');
    assert_eq!(outcome.code, Some(code), "{err}\n{}", outcome.out);
    assert!(err.starts_with("rokade: ") && err.lines().count() == 1, "{err}");
    for word in words {
        assert!(err.contains(word), "{word:?} is not in: {err}");
    }
}

/// The program's own log is not what is looked at here.
pub(crate) fn quiet(mut command: Command) -> Command {
    command.env("ROKADE_LOG", "error");
    command
}

#[tokio::test]
async fn a_wrong_configuration_is_refused() {
    let place = Place::new();
    let none = place.text("none.toml");
    let missing = run(&["log", "--config", &none]).await;
    assert_sentence(&missing, 3, &["none.toml", "no such file", "--config"]);
    for (text, words) in [
        ("stat_dir = \"/x\"\n", ["stat_dir", "state_dir"]),
        ("[[board]]\nporrt = \"auto\"\n", ["porrt", "port"]),
        ("state_dir = \n", ["line 1, column 13", "expected literal string"]),
        ("[http]\nlisten = \"here\"\n", ["listen", "not a socket address"]),
        ("[[board]]\nname = \"../etc\"\n", ["\"../etc\"", "letters, digits"]),
    ] {
        std::fs::write(place.path("rokade.toml"), text).unwrap();
        for subcommand in ["run", "log"] {
            let refused = place.run(&[subcommand]).await;
            assert_sentence(&refused, 3, &["rokade.toml"]);
            assert_sentence(&refused, 3, &words);
        }
    }
}

#[tokio::test]
async fn without_a_journal_there_is_nothing_to_tell() {
    let place = Place::new();
    std::fs::create_dir(place.path("empty")).unwrap();
    for subcommand in ["log", "export", "verify"] {
        let none = place.run(&[subcommand]).await;
        assert_sentence(&none, 5, &["state/table-1", "there is no journal", "--journal"]);
        let empty = place.run(&[subcommand, "--journal", &place.text("empty")]).await;
        assert_sentence(&empty, 5, &["empty", "there is no journal in this folder"]);
        let unknown = place.run(&[subcommand, "--board", "table-9"]).await;
        assert_sentence(&unknown, 2, &["table-9", "table-1"]);
    }
}

#[tokio::test]
async fn tapes_and_traces_that_are_none_are_refused() {
    let place = Place::new();
    for (text, words) in [
        ("", ["line 1", "expected a header"]),
        ("hello\n", ["line 1", "expected a header"]),
        ("{\"trace\":9}\n", ["line 1", "reads version 1"]),
        ("{\"tape\":1,\"trace\":1}\n", ["line 1", "either"]),
        ("{\"trace\":1}\n{\"t\":5,\"sq\":\"e4\",\"p\":\"P\"", ["line 2", "at column 24"]),
        (
            "{\"trace\":1}\n{\"t\":5,\"sq\":\"z9\",\"p\":\"P\"}",
            ["line 2", "\"z9\" is not a square"],
        ),
        ("{\"trace\":1}\n{\"t\":5,\"sq\":\"e4\",\"p\":\"Y\"}", ["line 2", "expected a FEN letter"]),
        ("{\"trace\":1}\n{\"t\":5}\n", ["line 2", "expected one of rx, tx, sq"]),
        ("{\"tape\":1}\n{\"t\":5,\"rx\":\"8e0\"}", ["line 2", "expected two for each byte"]),
        ("{\"tape\":1}\n{\"t\":5,\"rx\":\"8g\"}", ["line 2", "expected two hex digits"]),
        (
            "{\"tape\":1}\n{\"t\":5,\"rx\":\"8e\"}\n{\"t\":4,\"rx\":\"8e\"}",
            ["line 3", "in the order of time"],
        ),
    ] {
        std::fs::write(place.path("bad.tape"), text).unwrap();
        let refused = run(&["replay", &place.text("bad.tape")]).await;
        assert_sentence(&refused, 6, &["bad.tape"]);
        assert_sentence(&refused, 6, &words);
    }
    let missing = run(&["replay", &place.text("none.tape")]).await;
    assert_sentence(&missing, 6, &["none.tape", "cannot be read", "No such file"]);
}

#[tokio::test]
async fn a_tape_is_made_only_of_a_board() {
    let place = Place::new();
    let tape = place.text("new.tape");
    let record = |port: String| {
        let tape = &tape;
        async move { finish(quiet(rokade(&["record", "--port", &port, tape]))).await }
    };
    assert_sentence(&record(place.text("no-port")).await, 4, &["no-port", "no such device"]);
    let file = record(place.text("rokade.toml")).await;
    assert_sentence(&file, 4, &["rokade.toml", "not a serial port"]);
    let pty = Pty::open(Some(place.board())).unwrap();
    let holder = serialport::new(pty.path().to_string_lossy(), 9_600).open_native().unwrap();
    assert_sentence(&record(place.text("board")).await, 4, &["another program is using it"]);
    drop(holder);
    assert!(!place.path("new.tape").exists());

    std::fs::write(place.path("new.tape"), "precious").unwrap();
    let exists = record(place.text("board")).await;
    assert_sentence(&exists, 6, &["new.tape", "exists already"]);
    assert_eq!(std::fs::read_to_string(place.path("new.tape")).unwrap(), "precious");
}

#[tokio::test]
async fn a_board_can_be_taped_and_replayed() {
    let place = Place::new();
    let script = trace(2);
    let mut board = plug(&script, &place.board());
    let tape = place.text("new.tape");
    let mut command = rokade(&["record", "--port", &place.text("board"), &tape]);
    let mut recording = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    timeout(LIMIT, board.woken()).await.unwrap().unwrap();
    board.play(script.happenings, Speed(4.try_into().unwrap())).await.unwrap();
    timeout(LIMIT, board.played()).await.unwrap().unwrap();
    signal(&recording, Signal::INT);
    let ended = timeout(LIMIT, recording.wait()).await.unwrap().unwrap();
    assert_eq!(ended.code(), Some(0));
    let replayed = run(&["replay", "--json", &tape]).await;
    assert_eq!(replayed.code, Some(0), "{}", replayed.err);
    assert_eq!(last_record(&replayed.out)["moves"], json!(["e2e4", "e7e5"]));
}

/// The first moves of the opera game, by clean hands that think a second.
fn trace(n_plies: usize) -> Script {
    let (_, moves) = opera();
    let manners = Manners { think: Span::new(1_000, 1_000), ..Manners::clean() };
    let table = TableKind { sight: Sight::Pieces, has_clock: true };
    let mode = CastlingMode::Standard;
    let moves = &moves[..n_plies];
    hands::perform(&Chess::new(), mode, moves, None, &manners, table, 1).script
}

fn last_record(records: &str) -> Value {
    serde_json::from_str(records.lines().last().unwrap()).unwrap()
}

#[tokio::test]
async fn a_replay_ends_with_the_game() {
    let place = Place::new();
    std::fs::write(place.path("a.trace"), trace(33).to_text()).unwrap();
    let (file, pgn) = (place.text("a.trace"), place.text("a.pgn"));
    let replayed = run(&["replay", "--json", "--pgn", &pgn, &file]).await;
    assert_eq!((replayed.code, &*replayed.err), (Some(0), ""));
    let game = last_record(&replayed.out);
    assert_eq!((&game["type"], &game["result"]), (&json!("game"), &json!("1-0")));
    assert!(replayed.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let written = pgn_moves(&std::fs::read_to_string(&pgn).unwrap());
    assert_eq!(json!(written), json!([game["moves"]]));
    let refused = run(&["replay", "--pgn", &place.text("no/a.pgn"), &file]).await;
    assert_sentence(&refused, 1, &["no/a.pgn", "cannot be written"]);
}

#[tokio::test]
async fn a_replay_writes_every_game_that_was_played() {
    let place = Place::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let file = folder.join("206e-swapped-and-put-right-before-the-next-game.trace.jsonl");
    let pgn = place.text("a.pgn");
    let replayed = run(&["replay", "--pgn", &pgn, file.to_str().unwrap()]).await;
    assert_eq!((replayed.code, &*replayed.err), (Some(0), ""));
    let text = std::fs::read_to_string(&pgn).unwrap();
    let results: Vec<&str> = text.lines().filter(|line| line.starts_with("[Result")).collect();
    assert_eq!(results, ["[Result \"1-0\"]", "[Result \"*\"]"]);
    let lengths: Vec<usize> = pgn_moves(&text).iter().map(Vec::len).collect();
    assert_eq!(lengths, [7, 7]);
}

#[tokio::test]
async fn a_replay_takes_the_terms_of_the_game() {
    let place = Place::new();
    std::fs::write(place.path("a.trace"), trace(33).to_text()).unwrap();
    let file = place.text("a.trace");
    let plain = run(&["replay", "--json", &file]).await;
    assert!(!plain.out.contains("\"type\":\"ruling\""), "{}", plain.out);
    let terms = ["--laws", "dk2009", "--time-control", "5m"];
    let ruled = run(&[&["replay"], &terms[..], &[&*file]].concat()).await;
    assert_eq!((ruled.code, &*ruled.err), (Some(0), ""));
    assert!(ruled.out.contains("Laws of 2009"), "{}", ruled.out);
    place.add("laws = \"m2018\"\n");
    let configured = place.run(&["replay", "--json", &file]).await;
    assert_eq!((configured.code, &*configured.err), (Some(0), ""));
    assert!(configured.out.contains("\"type\":\"ruling\""), "{}", configured.out);
    assert_eq!(last_record(&configured.out)["moves"], last_record(&plain.out)["moves"]);
    let no_board = place.run(&["replay", "--board", "table-9", &file]).await;
    assert_sentence(&no_board, 2, &["table-9", "table-1"]);
    let no_config = run(&["replay", "--board", "table-1", &file]).await;
    assert_sentence(&no_config, 2, &["--config"]);
}

#[tokio::test]
async fn a_reader_who_leaves_is_no_failure() {
    let place = Place::new();
    std::fs::write(place.path("a.trace"), trace(33).to_text()).unwrap();
    let file = place.text("a.trace");
    for format in ["--json", "-v"] {
        // More than a pipe holds.
        let mut arguments = vec!["replay", format];
        arguments.extend(std::iter::repeat_n(&*file, 40));
        let mut command = rokade(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        lines.next_line().await.unwrap().expect("a first line");
        drop(lines);
        let ended = timeout(LIMIT, child.wait_with_output()).await.unwrap().unwrap();
        let err = String::from_utf8(ended.stderr).unwrap();
        assert_eq!((ended.status.code(), &*err), (Some(0), ""));
    }
}

#[tokio::test]
async fn every_command_says_what_it_does() {
    for (subcommand, words) in [
        ("run", "Run the daemon"),
        ("demo", "simulated board"),
        ("replay", "virtual time"),
        ("record", "to a tape"),
        ("simulate", "simulated board"),
        ("log", "arbiter's log"),
        ("export", "score sheets"),
        ("verify", "whole and unchanged"),
    ] {
        let all = run(&["--help"]).await;
        assert_eq!(all.code, Some(0));
        assert!(all.out.contains("FIDE Laws") && all.out.contains(subcommand), "{}", all.out);
        let one = run(&[subcommand, "--help"]).await;
        assert_eq!((one.code, &*one.err), (Some(0), ""));
        assert!(one.out.contains(words) && one.out.contains("--config"), "{}", one.out);
    }
}

#[tokio::test]
async fn games_are_played_by_the_number_and_held_against_the_intent() {
    let args = ["simulate", "--games", "3", "--manners", "club", "--board", "color", "--compare"];
    let games = run(&args).await;
    assert_eq!((games.code, &*games.err), (Some(0), ""), "{}", games.out);
    let lines: Vec<&str> = games.out.lines().collect();
    let [header, tally, "", "exact", names, contest] = lines[..] else { panic!("{}", games.out) };
    assert!(header.starts_with("hands ") && header.contains("silent"), "{header}");
    let begin = |line: &str| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    assert_eq!((begin(tally), begin(contest)), ("club color 3".into(), "club color 3".into()));
    assert!(names.ends_with("still 300 ms  at the press"), "{names}");
    for (args, why) in [
        (["simulate", "--board", "reed"], "--link"),
        (["simulate", "--board", "color"], "--link"),
        (["simulate", "--manners", "rude"], "there are clean, club"),
        (["simulate", "--games", "0"], "0 is not in 1.."),
        (
            ["simulate", "--board", "glass"],
            "known: dgt, sentio, reed, rows, pcf8575, pca9555, mcp23017, mcp23s17, color,",
        ),
        (["replay", "--rule", "quick"], "use still:MILLISECONDS or press"),
    ] {
        let wrong = run(&args).await;
        assert_eq!((wrong.code, &*wrong.out), (Some(2), ""));
        assert!(wrong.err.contains(why), "{}", wrong.err);
    }
}

#[tokio::test]
async fn a_demo_plays_its_game_and_ends() {
    let demo = run(&["demo", "--once", "--speed", "10", "--listen", "127.0.0.1:0"]).await;
    assert_eq!((demo.code, &*demo.err), (Some(0), ""));
    let (_, moves) = opera();
    assert_eq!(demo.out.matches("  completed  ").count(), moves.len(), "{}", demo.out);
    for words in ["http://127.0.0.1:", "completed  1. e4 ", "17. Rd8#", "result     1-0 checkmate"]
    {
        assert!(demo.out.contains(words), "{words:?} is not in: {}", demo.out);
    }
    assert!(!demo.out.contains("The game is over"), "{}", demo.out);
}

#[tokio::test]
async fn a_demo_is_played_by_the_time_control_of_its_settings() {
    let place = Place::new();
    place.add("time_control = \"3m+2s\"\n");
    let demo = ["demo", "--once", "--speed", "10", "--listen", "127.0.0.1:0"];
    let demo = place.run(&demo).await;
    assert_eq!((demo.code, &*demo.err), (Some(0), ""));
    assert!(demo.out.contains("runs for white  white 0:03:00  black 0:03:00"), "{}", demo.out);
    for wrong in ["CLOCK_MISSET", "CLOCK_INCREMENT"] {
        assert!(!demo.out.contains(wrong), "{}", demo.out);
    }
}

#[tokio::test]
async fn a_simulated_board_and_a_tape_end_in_order_when_they_are_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let (link, tape) = (folder.path().join("board"), folder.path().join("new.tape.jsonl"));
    let args = ["simulate", "--no-clock", "--link", link.to_str().unwrap()];
    let mut board = rokade(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(board.stdout.take().unwrap()).lines();
    let path = timeout(LIMIT, said.next_line()).await.unwrap().unwrap();
    assert_eq!(path.as_deref(), link.to_str());

    let args = ["record", "--port", link.to_str().unwrap(), tape.to_str().unwrap()];
    let mut recorder = rokade(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut log = BufReader::new(recorder.stdout.take().unwrap()).lines();
    let mut is_live = false;
    while let Some(line) = timeout(LIMIT, log.next_line()).await.unwrap().unwrap() {
        is_live |= line.contains("board      connected");
        assert!(!line.contains("clock") || line.contains("not connected"), "{line}");
        if is_live {
            break;
        }
    }
    assert!(is_live, "the board speaks");
    for mut child in [recorder, board] {
        signal(&child, Signal::TERM);
        let ended = timeout(LIMIT, child.wait()).await.expect("an end in time").unwrap();
        assert_eq!(ended.code(), Some(0));
    }
    let tape = std::fs::read_to_string(&tape).unwrap();
    assert!(Script::parse(&tape).unwrap().is_tape(), "{tape}");

    assert!(std::fs::symlink_metadata(&link).is_err(), "the name leads nowhere and is gone");
}
