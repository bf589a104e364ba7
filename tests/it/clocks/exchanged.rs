//! Cables are exchanged while the clocks behind two boards are driven: the other board's clock is
//! left alone.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rokade::shell::pty::{Pty, PtyBoard, PtyBoardStub, Speed};
use rokade::sim::{DgtClockSim, Obedience, Script, Table};
use rokade::time::Mono;
use rokade::wire::{BoardCommand, ClockKind, CommandDecoder, HostItem};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::program::{Daemon, LIMIT, Place, STEP, is_live, moves_of};

/// A move each; then the cable is out.
const OWN: &str = r#"{"trace":1,"board":"dgt","clock":true}
{"t":2000,"sq":"e2","p":""}
{"t":2200,"sq":"e4","p":"P"}
{"t":2600,"press":"white"}
{"t":3600,"sq":"e7","p":""}
{"t":3800,"sq":"e5","p":"p"}
{"t":4200,"press":"black"}
{"t":62000,"end":true}
"#;

/// What is played at the other table, while its board is heard in the place of the first.
const OTHER: &str = r#"{"trace":1,"board":"dgt","clock":true}
{"t":500,"sq":"d2","p":""}
{"t":700,"sq":"d4","p":"P"}
{"t":1100,"press":"white"}
{"t":2500,"sq":"g8","p":""}
{"t":2700,"sq":"f6","p":"n"}
{"t":3100,"press":"black"}
{"t":62000,"end":true}
"#;

fn table(script: &Script) -> Table {
    let clock = DgtClockSim::new(ClockKind::Dgt3000, Obedience::Remote, 0);
    Table::new(&script.header).with_driven_clock(clock)
}

/// The board of another table, and what it is told while it is plugged in.
struct Other {
    said: Arc<Mutex<Vec<u8>>>,
    board: JoinHandle<()>,
}

impl Other {
    fn plug(link: PathBuf) -> Self {
        let script = Script::parse(OTHER).expect("a script");
        let mut table = table(&script).numbered("02047", 0);
        let pty = Pty::open(Some(link)).expect("a pseudo-terminal");
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let board = tokio::spawn(async move {
            let began = Instant::now();
            table.begin(Mono::default());
            let mut left = script.happenings.into_iter().peekable();
            let (mut buf, mut out) = ([0; 256], Vec::new());
            loop {
                let now = Mono::default() + began.elapsed();
                if let Ok(n) = pty.read(&mut buf) {
                    heard.lock().expect("nobody panics").extend(&buf[..n]);
                    table.host_bytes(now, &buf[..n]);
                }
                while let Some((at, what)) = left.next_if(|(at, _)| *at <= now) {
                    table.happen(at, &what);
                }
                table.tick(now);
                table.take(now, &mut out);
                let n = pty.write(&out).unwrap_or(0);
                out.drain(..n);
                sleep(STEP).await;
            }
        });
        Self { said, board }
    }

    async fn unplug(self) -> Vec<HostItem> {
        self.board.abort();
        self.board.await.ok();
        let mut items = Vec::new();
        CommandDecoder::default().push(&self.said.lock().expect("nobody panics"), &mut items);
        items
    }
}

async fn logged(place: &Place, words: &str) {
    let end = Instant::now() + LIMIT;
    loop {
        let log = place.run(&["log"]).await.out;
        if log.contains(words) {
            return;
        }
        assert!(Instant::now() < end, "{words}: {log}");
        sleep(STEP * 20).await;
    }
}

/// A game with two moves on record, on a clock that is driven.
async fn began(place: &Place) -> (PtyBoardStub, Daemon) {
    let script = Script::parse(OWN).expect("a script");
    let (stub, actor) = PtyBoard::open(table(&script), Some(place.board())).expect("a board");
    tokio::spawn(actor.run());
    let daemon = place.start();
    place.seen(is_live).await;
    place.seen(|view| view["clock"]["white_ms"] == 5_400_000).await;
    stub.play(script.happenings, Speed::REAL).await.expect("hands");
    place.seen(|view| moves_of(view).len() == 2).await;
    (stub, daemon)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_behind_another_board_is_left_alone() {
    let place = Place::new();
    place.add("laws = \"m2023\"\ntime_control = \"90m+30s\"\ndrive_clock = true\n");
    let (stub, daemon) = began(&place).await;
    stub.cable.unplug().await.expect("a cable");
    let other = Other::plug(place.board());
    logged(&place, "BOARD_EXCHANGED").await;
    sleep(Duration::from_secs(5)).await;
    let said = other.unplug().await;
    let is_dump = |item: &HostItem| matches!(item, HostItem::Command(BoardCommand::SendBoard));
    assert!(said.iter().any(is_dump), "it was not spoken to: {said:?}");
    let is_clock = |item: &HostItem| matches!(item, HostItem::Command(BoardCommand::Clock(_)));
    assert!(!said.iter().any(is_clock), "{said:?}");

    stub.cable.plug().await.expect("a cable");
    logged(&place, "BOARD_BACK").await;
    place.seen(is_live).await;
    // It is driven again.
    let words = ["order", "set_time", "white", "0:10:00", "--by", "A. Arbiter"];
    let ordered = place.run(&words).await;
    assert_eq!(ordered.code, Some(0), "{ordered:?}");
    place.seen(|view| view["clock"]["white_ms"].as_u64().is_some_and(|ms| ms <= 600_000)).await;
    assert_eq!(moves_of(&place.seen(is_live).await).len(), 2);
    assert_eq!(daemon.stop().await.0, Some(0));
}
