//! `rokade status`: how the boards of the running daemon stand.

use super::{Failure, order, say};
use crate::shell::config::Config;
use crate::shell::orders::{AnswerClass, Request, VERSION};
use crate::shell::report::{BoardReport, Report};
use clap::Args;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// A daemon answers at once, on a busy machine within seconds, or it hangs.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// Shows the state of every board of the running daemon: whether it is connected and recorded, what
/// was seen, and what is wrong.
///
/// This asks the daemon's socket, as `rokade order` does. Users who may not open it get what
/// /healthz shows everybody.
#[derive(Debug, Args)]
pub(super) struct StatusCommand {
    /// Only this board
    #[arg(long, value_name = "NAME")]
    board: Option<String>,
    /// Print one JSON object with everything; what you may not see is null
    #[arg(long)]
    json: bool,
    /// The daemon's socket, instead of the one in the settings
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
}

impl StatusCommand {
    pub(super) fn run(
        &self,
        config: impl FnOnce() -> Result<Config, Failure>,
    ) -> Result<(), Failure> {
        let (mut report, why_public) = self.ask(config)?;
        if let Some(name) = &self.board {
            let known: Vec<String> = report.boards.iter().map(|it| it.name.clone()).collect();
            report.boards.retain(|board| board.name == *name);
            if report.boards.is_empty() {
                let known = known.join(", ");
                return Err(Failure::Usage(format!("no board {name:?}; known: {known}")));
            }
        }
        if self.json {
            return say(serde_json::to_string(&report).expect("a report is plain data"));
        }
        say(of_daemon(&report))?;
        report.boards.iter().try_for_each(|board| say(of_board(board)))?;
        why_public.map_or(Ok(()), |why| say(format!("\n{why}")))
    }

    /// How everything stands, and if that is not all, why.
    fn ask(
        &self,
        config: impl FnOnce() -> Result<Config, Failure>,
    ) -> Result<(Report, Option<String>), Failure> {
        let request = Request { rokade: VERSION, status: true, ..Request::default() };
        let asked = |places: &[PathBuf]| {
            let answer = order::ask(places, &request)?;
            match (answer.class, answer.report) {
                (AnswerClass::Done, Some(report)) => Ok(*report),
                _ => Err(Failure::Device(answer.why.unwrap_or_default())),
            }
        };
        if let Some(path) = &self.socket {
            return Ok((asked(std::slice::from_ref(path))?, None));
        }
        let config = config()?;
        let by_socket = if config.orders.enabled {
            match asked(&config.orders_at()) {
                Ok(report) => return Ok((report, None)),
                Err(why) => why.to_string(),
            }
        } else {
            "[orders] enabled is false".to_owned()
        };
        let by_pages = if config.http.enabled {
            public(config.http.listen)
        } else {
            Err("[http] enabled is false".to_owned())
        };
        match by_pages {
            Ok(report) => {
                Ok((report, Some(format!("What is for arbiters only is left out: {by_socket}"))))
            }
            Err(by_pages) => Err(Failure::Device(format!(
                "no daemon answers; `sudo systemctl start rokade` starts the service, and \
                 `journalctl -u rokade` shows why it ended; or start `rokade run` ({by_socket}; \
                 {by_pages})"
            ))),
        }
    }
}

/// What the pages' address tells everybody.
pub(super) fn public(listen: SocketAddr) -> Result<Report, String> {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    let address = format!("http://{}/healthz", SocketAddr::new(ip, listen.port()));
    let settings = ureq::Agent::config_builder()
        .timeout_global(Some(ANSWER_WITHIN))
        .http_status_as_error(false)
        // Who sends on is no daemon: the page of `rokade setup` would send us back to itself.
        .max_redirects(0)
        // Whatever the way out of this machine is, this is not out of it.
        .proxy(None);
    let agent: ureq::Agent = settings.build().into();
    let answer = agent.get(&address).call().map_err(|e| format!("{address}: {e}"))?;
    let text = answer.into_body().read_to_string().map_err(|e| format!("{address}: {e}"))?;
    serde_json::from_str(&text).map_err(|e| format!("{address} is not a Rokade daemon: {e}"))
}

/// The first lines: the daemon and its machine.
fn of_daemon(report: &Report) -> String {
    let Report { version, boards, host, push, .. } = report;
    let n_recorded = boards.iter().filter(|it| it.recorded).count();
    let n_live = boards.iter().filter(|it| it.link == "live").count();
    let mut text = format!(
        "rokade {version}, up {}: {n_recorded} of {} boards recorded, {n_live} connected",
        span(report.up_s as f64),
        boards.len(),
    );
    if let Some(celsius) = host.temperature {
        text += &format!("; {celsius:.0} °C");
    }
    if report.status != "ok" {
        text += "\nTHE LOOP THAT RECORDS HANGS; the service restarts by itself";
    }
    if host.is_undervolted == Some(true) {
        text += "\nTHE POWER SUPPLY IS TOO WEAK: use the one made for this Pi";
    }
    for pushed in push {
        let (to, trouble) = (pushed["to"].as_str(), pushed["trouble"].as_str());
        if let (Some(to), Some(trouble)) = (to, trouble) {
            text += &format!("\ngames do not reach {to}: {trouble}");
        }
    }
    text
}

/// How a board stands, in one line.
pub(super) fn in_short(board: &BoardReport) -> String {
    let BoardReport { name, link, recorded, fault, .. } = board;
    let recorded = if *recorded { "recorded" } else { "NOT RECORDED" };
    let why = fault.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    format!("{name}: {link}, {recorded}{why}")
}

/// The lines of a board.
fn of_board(board: &BoardReport) -> String {
    let BoardReport { name, link, recorded, fault, warning, .. } = board;
    let recorded = if *recorded { "recorded" } else { "NOT RECORDED" };
    let mut lines = vec![format!("\n{name}: {link}, {recorded}")];
    lines.extend(fault.iter().map(|why| format!("fault      {why}")));
    lines.extend(warning.iter().map(|why| format!("warning    {why}")));
    let mut line = |what: &str, said: Vec<String>| {
        if !said.is_empty() {
            lines.push(format!("{what:<10} {}", said.join(", ")));
        }
    };
    if let Some(play) = &board.play {
        let mut seen = Vec::new();
        seen.extend(play.silent_s.map(|it| format!("heard {} ago", span(it))));
        seen.extend(play.still_s.map(|it| format!("a sensor changed {} ago", span(it))));
        seen.extend(some("resyncs", play.resyncs));
        line("board", seen);
        line("presses", counted(&play.presses));
        line("completed", counted(&play.completions));
        let waiting = play.waiting.iter().filter(|(_, n)| **n > 0);
        line("waiting", waiting.map(|(what, n)| format!("{n} {what}")).collect());
    }
    let mut noise = counted(&board.skipped);
    noise.extend(some("bytes", board.skipped_bytes));
    line("noise", noise);
    if let Some(it) = board.durable_ms.filter(|it| it.n > 0) {
        let figures = format!(
            "{} records, on the disk after {:.1} ms; 99 of 100 after {:.1}, the slowest {:.1}",
            it.n, it.median, it.p99, it.longest
        );
        line("journal", vec![figures]);
    }
    line("findings", board.findings.as_ref().map(counted).unwrap_or_default());
    line("referee", board.rulings.as_ref().map(counted).unwrap_or_default());
    lines.join("\n  ")
}

fn counted(words: &BTreeMap<String, u64>) -> Vec<String> {
    words.iter().map(|(word, n)| format!("{n} {word}")).collect()
}

fn some(what: &str, n: u64) -> Option<String> {
    (n > 0).then(|| format!("{n} {what}"))
}

/// So many seconds, as people say it.
fn span(seconds: f64) -> String {
    let whole = seconds as u64;
    match (whole / 86_400, whole / 3_600 % 24, whole / 60 % 60) {
        (0, 0, 0) => format!("{whole} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_said_as_people_say_them() {
        let said = [9.9, 60.0, 7_384.0, 200_000.0].map(span);
        assert_eq!(said, ["9 s", "1 min", "2 h 3 min", "2 d 7 h"]);
    }
}
