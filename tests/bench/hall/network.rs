//! How long records take beside a network that means harm, beside a quiet one, and beside the same
//! harm that falls upon a server that is not ours. The last is what they are held against: how
//! much longer than that a record takes is what the network can do to it by way of the daemon.
//! What the machine itself does to a recorder, when a crowd is on it, is printed beside it.

use crate::{Hall, crowd, figure};
use rokade::sim::hands::Span;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Boards whose record is timed.
const N_TIMED: usize = 32;
/// Each of the three is measured so often, in turn.
const N_ROUNDS: u64 = 4;
/// A crowd of so many is no load for the machine that it runs on.
const N_SMALL: usize = 500;
/// How long the crowd takes to come, and to be gone.
const COMING: Duration = Duration::from_secs(6);
const GOING: Duration = Duration::from_secs(3);

/// Where the crowd is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Network {
    Quiet,
    /// It falls upon another server.
    Control,
    /// It falls upon the daemon.
    Loud,
}

const NETWORKS: [(Network, &str); 3] =
    [(Network::Quiet, "quiet"), (Network::Control, "control"), (Network::Loud, "loud")];

/// What was measured beside one of them.
#[derive(Debug, Default)]
struct Found {
    /// From the bytes that a board sent to the line of the log that tells their record, as seen
    /// from outside.
    outside: Vec<Duration>,
    /// From the bytes' stamp to the record on the disk, by the daemon's own clock.
    inside: Vec<Duration>,
    /// How long the recording's threads waited for a processor, and how often one was given.
    waited: Duration,
    n_given: u64,
}

/// Processes that are ended with their owner.
#[derive(Debug)]
struct Crowd(Vec<Child>);

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// This program again, in another part, at such a rank.
fn again(rank: &[&str], part: &str, address: SocketAddr) -> Child {
    let mut command = Command::new(rank[0]);
    command.args(&rank[1..]).arg(std::env::current_exe().expect("this program"));
    command.env(part, address.to_string()).spawn().expect("one more process")
}

/// The crowd at `address`. It runs when nobody else does, and so does the server of the control.
fn gather(network: Network, ours: SocketAddr, control: SocketAddr) -> Option<Crowd> {
    const LAST: [&str; 3] = ["chrt", "-i", "0"];
    let address = if network == Network::Control { control } else { ours };
    let mut all = Vec::new();
    match network {
        Network::Quiet => return None,
        Network::Control => all.push(again(&LAST, "ROKADE_HALL_CONTROL", control)),
        Network::Loud => {}
    }
    thread::sleep(Duration::from_millis(500));
    all.push(again(&LAST, "ROKADE_HALL_FLOOD", address));
    thread::sleep(COMING);
    Some(Crowd(all))
}

/// How long the threads of the recording have waited for a processor, and how often they were
/// given one.
fn waited(hall: &Hall) -> (Duration, u64) {
    let tasks = fs::read_dir(format!("/proc/{}/task", hall.daemon.id())).expect("a process");
    let of = |task: std::path::PathBuf| -> Option<(u64, u64)> {
        let name = fs::read_to_string(task.join("comm")).ok()?;
        if !matches!(name.trim(), "rokade" | "disk") {
            return None;
        }
        let stat = fs::read_to_string(task.join("schedstat")).ok()?;
        let mut fields = stat.split_whitespace().skip(1).filter_map(|field| field.parse().ok());
        Some((fields.next()?, fields.next()?))
    };
    let all = tasks.filter_map(|task| of(task.ok()?.path()));
    let (nanos, n) = all.fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    (Duration::from_nanos(nanos), n)
}

/// The number behind `key` in a line of the log.
fn number(line: &str, key: &str) -> Option<u64> {
    let rest = line.split(key).nth(1)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// Measures for so long; `each` is called all the while.
fn measure(hall: &Hall, span: Duration, found: &mut Found, mut each: impl FnMut()) {
    hall.said.lock().expect("no panic").clear();
    let before = waited(hall);
    let end = Instant::now() + span;
    while Instant::now() < end {
        thread::sleep(Duration::from_millis(2));
        let said = std::mem::take(&mut *hall.said.lock().expect("no panic"));
        for (at, line) in &said {
            let micros = number(line, "durable_us=");
            found.inside.extend(micros.map(Duration::from_micros));
            if line.contains(" completed")
                && let Some(n) = number(line, "board=\"table-")
            {
                let n = usize::try_from(n).expect("a board");
                let sent = hall.boards.lock().expect("no panic")[n].sent;
                found.outside.extend(at.checked_duration_since(sent));
            }
        }
        each();
    }
    let after = waited(hall);
    // A thread that has ended meanwhile takes its waiting with it.
    found.waited += after.0.saturating_sub(before.0);
    found.n_given += after.1.saturating_sub(before.1);
}

/// The one of a hundred, in milliseconds.
fn at(times: &mut [Duration], of_hundred: usize) -> f64 {
    times.sort_unstable();
    let idx = (times.len() * of_hundred / 100).min(times.len().saturating_sub(1));
    times.get(idx).map_or(f64::NAN, |it| it.as_secs_f64() * 1e3)
}

/// All that for so many seconds of measuring.
pub(crate) fn bad_network(seconds: u64) -> bool {
    let hall = Hall::open(N_TIMED, Span::new(200, 600));
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let control = free.local_addr().expect("a bound port");
    drop(free);
    thread::sleep(Duration::from_secs(8));
    let mut all: [Found; 3] = Default::default();
    let (mut checks, mut orders) = (Vec::new(), Vec::new());
    let mut memory: f64 = 0.0;
    let span = Duration::from_secs(seconds) / (N_ROUNDS as u32 * 3);
    for _ in 0..N_ROUNDS {
        for ((network, _), found) in NETWORKS.iter().zip(&mut all) {
            let crowd = gather(*network, hall.address, control);
            let mut check_at = Instant::now();
            measure(&hall, span, found, || {
                if *network == Network::Loud && check_at <= Instant::now() {
                    checks.push(hall.health());
                    orders.push(hall.arbiter());
                    memory = memory.max(hall.memory_mb());
                    check_at = Instant::now() + Duration::from_millis(500);
                }
            });
            if let Some(crowd) = crowd {
                drop(crowd);
                thread::sleep(GOING);
            }
        }
    }
    let mut p99s = [(0.0, 0.0); 3];
    for (((_, name), found), p99) in NETWORKS.iter().zip(&mut all).zip(&mut p99s) {
        let wait = found.waited.as_secs_f64() * 1e3 / found.n_given.max(1) as f64;
        *p99 = (at(&mut found.outside, 99), at(&mut found.inside, 99));
        println!(
            "network.{name}: {} moves, from outside {:.2} ms in the median, 99 of 100 {:.2} ms; {} \
             records by the daemon's clock {:.2} ms, {:.2} ms; {wait:.3} ms for a processor",
            found.outside.len(),
            at(&mut found.outside, 50),
            p99.0,
            found.inside.len(),
            at(&mut found.inside, 50),
            p99.1,
        );
    }
    let [quiet, control, loud] = p99s;
    println!(
        "network.machine x{:.2} by the crowd alone, x{:.2} with us under it",
        control.1 / quiet.1,
        loud.1 / quiet.1
    );
    // A crowd that costs the machine itself nothing may cost nothing by way of us either.
    let held = if crowd::n_crowd() <= N_SMALL { quiet } else { control };
    let mut is_good = figure("network.record-p99", loud.1, " ms", held.1 * 1.1);
    is_good &= figure("network.record-p99-from-outside", loud.0, " ms", held.0 * 1.1);
    is_good &= figure("network.health-p99", at(&mut checks, 99), " ms", 100.0);
    is_good &= figure("network.arbiter-p99", at(&mut orders, 99), " ms", 100.0);
    is_good &= figure("network.memory", memory, " MB", 256.0);
    is_good
}
