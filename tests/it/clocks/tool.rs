//! `rokade clock`, the real program, against a simulated board with a clock that obeys.

use crate::program::{LIMIT, Outcome, rokade, run, signal};
use rokade::shell::now::Now;
use rokade::shell::pty::{PtyBoard, PtyBridge, Speed};
use rokade::sim::script::{Happening, Header};
use rokade::sim::{DgtClockSim, Obedience, Table};
use rokade::time::Mono;
use rokade::wire::ClockKind;
use rustix::process::Signal;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::ChildStdout;
use tokio::time::timeout;

/// A board on a pseudo-terminal. It stays until the runtime ends.
fn board(obedience: Obedience) -> PathBuf {
    let clock = DgtClockSim::new(ClockKind::Dgt3000, obedience, 40);
    let table = Table::new(&Header::dgt()).with_driven_clock(clock);
    let (stub, actor) = PtyBoard::open(table, None).expect("a pseudo-terminal");
    tokio::spawn(actor.run());
    let path = stub.cable.path();
    // Once all stubs are dropped the board is put away.
    std::mem::forget(stub);
    path
}

async fn clock(port: &str, order: &[&str]) -> Outcome {
    let mut arguments = vec!["clock", "--port", port];
    arguments.extend(order);
    run(&arguments).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_is_set_started_and_given_more() {
    let board = board(Obedience::Remote);
    let port = board.to_str().unwrap();
    let set = clock(port, &["set", "1:30:00", "5:00"]).await;
    assert_eq!(set.out, "left 1:30:00  right 0:05:00  stands\n", "{}", set.err);
    assert_eq!(set.err, "DGT 3000\n");
    let started = clock(port, &["start", "left"]).await;
    assert!(started.out.starts_with("left 1:29:5"), "{}", started.out);
    assert!(started.out.ends_with("right 0:05:00  left runs\n"), "{}", started.out);
    let more = clock(port, &["add", "right", "2:00"]).await;
    assert!(more.out.ends_with("right 0:07:00  stands\n"), "{} {}", more.out, more.err);
    let shown = clock(port, &["show"]).await;
    assert_eq!((shown.code, &shown.out), (Some(0), &more.out));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_in_the_wrong_option_is_told_of() {
    let board = board(Obedience::WrongOption);
    let refused = clock(board.to_str().unwrap(), &["set", "5:00", "5:00"]).await;
    assert_eq!(refused.code, Some(4));
    assert!(refused.err.contains("must be in option 25"), "{}", refused.err);
}

#[tokio::test]
async fn what_is_no_time_is_refused_with_the_right_form() {
    let refused = clock("/dev/null", &["set", "5:00", "5:75"]).await;
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("write 1:30:00, 5:00 or 30"), "{}", refused.err);
    let missing = clock("/dev/no-such-board", &["show"]).await;
    assert_eq!(missing.code, Some(4), "{}", missing.err);
}

/// Six seconds, and what a busy machine needs to start a program.
const SOON: Duration = Duration::from_secs(12);

/// Within a few seconds, one sentence that says what to do, and not as if it had been done.
async fn is_refused(port: &str, order: &[&str], why: &str) {
    let refused = timeout(SOON, clock(port, order)).await.expect("an answer in a few seconds");
    assert_eq!((refused.code, refused.out.as_str()), (Some(4), ""), "{}", refused.err);
    let said: Vec<_> = refused.err.lines().filter(|line| !line.starts_with("DGT")).collect();
    assert!(said.len() == 1 && said[0].contains(why), "{order:?}: {said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_to_a_clock_that_is_not_there_says_what_is_missing() {
    let header = Header { has_clock: false, ..Header::dgt() };
    let (stub, actor) = PtyBoard::open(Table::new(&header), None).expect("a pseudo-terminal");
    tokio::spawn(actor.run());
    let path = stub.cable.path();
    let bare = path.to_str().unwrap();
    for order in [&["show"][..], &["set", "5:00", "5:00"], &["add", "left", "2:00"]] {
        is_refused(bare, order, "no clock is plugged into it; plug it in").await;
    }
    let (bridge, actor) = PtyBridge::open(Now::start(), None).expect("a pseudo-terminal");
    tokio::spawn(actor.run());
    let line = bridge.cable.path();
    is_refused(line.to_str().unwrap(), &["stop"], "no board answers at this port").await;
    is_refused(bare, &["--through", "bridge", "start", "left"], "no bridge answers").await;
    is_refused("/dev/no-such-board", &["stop"], "check that the board's cable is plugged in").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cable_that_is_pulled_during_a_command_is_told_of() {
    let order = ["set", "5:00", "5:00"];
    for is_cut in [true, false] {
        // It answers nothing, so the command waits.
        let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::ReadOnly, 0);
        let table = Table::new(&Header::dgt()).with_driven_clock(clock);
        // By a name of its own: the number of a pseudo-terminal that is gone is soon another's.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("board");
        let (mut stub, actor) =
            PtyBoard::open(table, Some(path.clone())).expect("a pseudo-terminal");
        tokio::spawn(actor.run());
        let pulled = async {
            stub.woken().await.unwrap();
            if is_cut {
                stub.cable.unplug().await.unwrap();
            } else {
                // The line stays, and nothing comes over it any more.
                let down = vec![(Mono::from_millis(500), Happening::LineDown)];
                stub.play(down, Speed::REAL).await.unwrap();
            }
        };
        let port = path.to_str().unwrap();
        let why = if is_cut { "cable is plugged in" } else { "does not answer any more" };
        tokio::join!(pulled, is_refused(port, &order, why));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_clock_can_show_is_refused() {
    let board = board(Obedience::Remote);
    let port = board.to_str().unwrap();
    assert_eq!(clock(port, &["set", "9:59:00", "5:00"]).await.code, Some(0));
    let refused = clock(port, &["add", "left", "2:00"]).await;
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.err.contains("9:59:59 at most"), "{}", refused.err);
}

#[tokio::test]
async fn a_negative_or_absurd_time_is_refused() {
    for time in ["-5:00", "99:00:00", "10:00:00", "5:60", "1:2:3:4", "5m", ""] {
        let refused = clock("/dev/null", &["set", time, "5:00"]).await;
        assert_eq!(refused.code, Some(2), "{time:?}: {}", refused.err);
        assert!(refused.err.contains("up to 9:59:59"), "{}", refused.err);
    }
}

/// What a line says of both times, in seconds.
fn times(line: &str) -> [u32; 2] {
    ["white ", "black "].map(|name| {
        let (_, rest) = line.split_once(name).expect("both times");
        let word = rest.split(' ').next().expect("a time");
        word.split(':').fold(0, |sum, part| 60 * sum + part.parse::<u32>().expect("a number"))
    })
}

/// The next line of a program that is to go on.
async fn next(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    let line = timeout(LIMIT, lines.next_line()).await.expect("in time").expect("a line of text");
    line.expect("it goes on")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_of_ones_own_stands_as_the_record_says_after_the_power_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let keep = ["--speed", "20", "--clock", "gpio", "--keep", folder.path().to_str().unwrap()];
    let start = || {
        let mut demo = rokade(&["demo", "--once", "--listen", "127.0.0.1:0"]);
        let mut demo = demo.args(keep).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(demo.stdout.take().unwrap()).lines();
        (demo, lines)
    };
    let (demo, mut lines) = start();
    let mut completed = Vec::new();
    while completed.len() < 9 {
        let line = next(&mut lines).await;
        completed.extend(Some(line).filter(|line| line.contains("  completed  ")));
    }
    signal(&demo, Signal::KILL);
    while let Some(line) = lines.next_line().await.unwrap() {
        completed.extend(Some(line).filter(|line| line.contains("  completed  ")));
    }
    let (_again, mut lines) = start();
    let mut told = Vec::new();
    while told.len() < 2 {
        let line = next(&mut lines).await;
        told.extend(Some(line).filter(|line| line.contains("  clock      ")));
    }
    // What it showed before it was given its times may have been read as well.
    while !told[told.len() - 1].contains(" white ")
        || times(&told[0]) != times(&told[told.len() - 1])
    {
        let line = next(&mut lines).await;
        told.extend(Some(line).filter(|line| line.contains("  clock      ")));
    }
    let [restored, stopped] = [&told[0], &told[told.len() - 1]];
    assert!(restored.ends_with("CLOCK_RESTORED"), "{told:?}");
    assert!(stopped.contains("clock      stopped "), "{told:?}");
    assert_eq!(times(restored), times(stopped));
    // Since the last press that was told of a player has thought, and perhaps pressed.
    let last = times(completed.last().expect("a press"));
    for (restored, last) in times(restored).into_iter().zip(last) {
        assert!(restored.abs_diff(last) < 60, "{told:?} after {completed:?}");
    }
    assert_ne!(times(restored), [5_400, 5_400]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_is_played_with_any_clock() {
    let demo = async |clock: &str| {
        let listen = ["--listen", "127.0.0.1:0", "--once", "--speed", "30", "--clock", clock];
        let mut arguments = vec!["demo"];
        arguments.extend(listen);
        run(&arguments).await
    };
    let clocks = ["dgt3000", "gpio", "bridge", "lever", "none", "nonsense"];
    // Not all at once: hands that are twenty times as fast as ours need the machine.
    let (driven, own) = tokio::join!(demo(clocks[0]), demo(clocks[1]));
    let (bridge, lever, none) = tokio::join!(demo(clocks[2]), demo(clocks[3]), demo(clocks[4]));
    let nonsense = demo(clocks[5]).await;
    let all = [&driven, &own, &bridge, &lever, &none, &nonsense];
    for (clock, played) in clocks.iter().zip(all) {
        assert_eq!(played.code, Some(0), "{clock}: {}", played.err);
        let completed = played.out.matches("  completed  ").count();
        assert_eq!(completed, 33, "{clock}: {}", played.out);
        assert!(played.out.contains("  result     1-0 checkmate"), "{clock}: {}", played.out);
        // A clock that does what it should is not spoken of; one that does not, once.
        let is_told = *clock == "nonsense";
        let n_told = played.out.matches("CLOCK_").count();
        assert_eq!(n_told, usize::from(is_told), "{clock}: {}", played.out);
        assert_eq!(played.out.matches("CLOCK_NO_TIMES").count(), n_told, "{clock}: {}", played.out);
        // Nobody is named for what the clock does, and no line is told over and over.
        let is_named = played.out.contains("notice");
        assert!(!is_told || !is_named, "{clock}: {}", played.out);
        assert!(!is_told || played.out.lines().count() < 90, "{clock}: {}", played.out);
    }
    // What is reckoned is what was played: some seconds less than the increments each.
    assert!(nonsense.out.contains("white 1:37:"), "{}", nonsense.out);
    for played in [driven, own, bridge] {
        assert!(played.out.contains("white 1:30:00  black 1:30:00"), "{}", played.out);
    }
    for played in [lever, none] {
        assert!(!played.out.contains("white 1:"), "{}", played.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_simulated_bridge_stays_beside_a_simulated_board() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let (board, bridge) = (path("board"), path("bridge"));
    let mut simulated = rokade(&["simulate", "--link", &board, "--bridge", &bridge])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut said = BufReader::new(simulated.stdout.take().expect("its output")).lines();
    assert_eq!(next(&mut said).await, bridge);
    assert_eq!(next(&mut said).await, board);
    let set = clock(&bridge, &["--through", "bridge", "set", "5:00", "5:00"]).await;
    assert_eq!(set.out, "left 0:05:00  right 0:05:00  stands\n", "{}", set.err);
    signal(&simulated, Signal::TERM);
    timeout(LIMIT, simulated.wait()).await.expect("an end in time").expect("an end");
    assert!(std::fs::symlink_metadata(&bridge).is_err(), "the name leads nowhere and is gone");
}
