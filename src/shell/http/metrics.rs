//! A report as Prometheus reads it, in the text form of OpenMetrics 1.0. `src/METRICS.md` lists
//! what is in it.

use std::collections::BTreeMap;
use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeGaugeValue, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use crate::game::LinkState;
use crate::shell::report::{BoardReport, PlayReport, Report};

/// What the text is.
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The text.
pub(super) fn text(report: Report) -> String {
    let mut registry = Registry::with_prefix("rokade");
    registry.register_collector(Box::new(Scrape(report)));
    let mut text = String::new();
    encode(&mut text, &registry).expect("a string takes all text");
    text
}

/// What one scrape tells.
#[derive(Debug)]
struct Scrape(Report);

impl Collector for Scrape {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let mut families = Families { encoder };
        self.daemon(&mut families)?;
        self.boards(&mut families)?;
        self.play(&mut families)?;
        self.for_the_arbiter(&mut families)
    }
}

/// Labels, by name.
type Labels<'a> = Vec<(&'static str, &'a str)>;

/// Writes one family after the other.
struct Families<'e> {
    encoder: DescriptorEncoder<'e>,
}

impl Families<'_> {
    fn gauge<'a, V: EncodeGaugeValue>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (Labels<'a>, V)>,
    ) -> fmt::Result {
        let mut family = self.encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (labels, value) in samples {
            family.encode_family(&labels)?.encode_gauge(&value)?;
        }
        Ok(())
    }

    fn counter<'a>(
        &mut self,
        name: &str,
        help: &str,
        samples: impl IntoIterator<Item = (Labels<'a>, u64)>,
    ) -> fmt::Result {
        let mut family = self.encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (labels, value) in samples {
            family.encode_family(&labels)?.encode_counter::<NoLabelSet, _, u64>(&value, None)?;
        }
        Ok(())
    }
}

/// One sample for each board that tells it.
fn each<V>(
    boards: &[BoardReport],
    value: impl Fn(&BoardReport) -> Option<V>,
) -> impl Iterator<Item = (Labels<'_>, V)> {
    boards.iter().filter_map(move |it| Some((vec![("board", it.name.as_str())], value(it)?)))
}

/// One sample for each board and each word that it counts.
fn each_word<'a>(
    boards: &'a [BoardReport],
    label: &'static str,
    words: impl Fn(&'a BoardReport) -> Option<&'a BTreeMap<String, u64>>,
) -> impl Iterator<Item = (Labels<'a>, u64)> {
    boards.iter().flat_map(move |board| {
        let counted = words(board).into_iter().flatten();
        counted.map(move |(word, n)| (vec![("board", &*board.name), (label, word)], *n))
    })
}

impl Scrape {
    /// The daemon and its machine.
    fn daemon(&self, families: &mut Families<'_>) -> fmt::Result {
        let Self(report) = self;
        let one = |value: f64| [(Labels::new(), value)];
        let build = [(vec![("version", report.version.as_str())], 1_u64)];
        families.gauge("build_info", "The daemon's version.", build)?;
        let is_live = f64::from(u8::from(report.status == "ok"));
        families.gauge("live", "Whether the loop that records runs.", one(is_live))?;
        families.gauge(
            "uptime_seconds",
            "How long the daemon has run.",
            one(report.up_s as f64),
        )?;
        let connected = report.connections.map(|n| (Labels::new(), n as f64));
        families.gauge("http_connections", "Connections to the pages.", connected)?;
        let trouble = report.push.iter().filter_map(|it| {
            let is_there = it["trouble"].is_string();
            Some((vec![("to", it["to"].as_str()?)], u64::from(is_there)))
        });
        let help = "Whether games cannot be sent to this server.";
        families.gauge("push_trouble", help, trouble)?;
        let temperature = report.host.temperature.map(|it| (Labels::new(), it));
        let help = "Temperature of the processor.";
        families.gauge("host_temperature_celsius", help, temperature)?;
        let voltage = report.host.is_undervolted.map(|it| (Labels::new(), u64::from(it)));
        let help = "Whether the power supply of the Raspberry Pi is too weak.";
        families.gauge("host_undervoltage", help, voltage)
    }

    /// What everybody may know of the boards.
    fn boards(&self, families: &mut Families<'_>) -> fmt::Result {
        let boards = &self.0.boards;
        let recorded = each(boards, |it| Some(u64::from(it.recorded)));
        let help = "Whether the board's record is open and reaches the disk.";
        families.gauge("board_recorded", help, recorded)?;
        let warned = each(boards, |it| Some(u64::from(it.warning.is_some())));
        let help = "Whether something should be seen to, such as a disk that is almost full.";
        families.gauge("board_warning", help, warned)?;
        let links = boards.iter().flat_map(|board| {
            LinkState::ALL.map(|state| {
                let labels = vec![("board", &*board.name), ("state", state.word())];
                (labels, u64::from(board.link == state.word()))
            })
        });
        let help = "The way to the board: 1 for the state that it is in.";
        families.gauge("board_link", help, links)?;
        let opened = each(boards, |it| Some(it.opened));
        families.counter("board_link_opened", "How often that way was opened.", opened)?;
        let skipped = each_word(boards, "reason", |it| Some(&it.skipped));
        let help = "Runs of bytes that were no message, on lines that speak as DGT's boards do.";
        families.counter("board_skipped", help, skipped)?;
        let bytes = each(boards, |it| Some(it.skipped_bytes));
        families.counter("board_skipped_bytes", "Bytes in these runs.", bytes)
    }

    /// What tells at once that somebody has moved.
    fn play(&self, families: &mut Families<'_>) -> fmt::Result {
        fn of(it: &BoardReport) -> Option<&PlayReport> {
            it.play.as_ref()
        }
        let boards = &self.0.boards;
        let silent = each(boards, |it| of(it)?.silent_s);
        let help = "How long nothing was heard of the board.";
        families.gauge("board_silent_seconds", help, silent)?;
        let still = each(boards, |it| of(it)?.still_s);
        families.gauge("board_still_seconds", "How long no sensor has changed.", still)?;
        let resyncs = each(boards, |it| Some(of(it)?.resyncs));
        let help = "How often the whole board was read and was not as believed.";
        families.counter("board_resyncs", help, resyncs)?;
        let presses = each_word(boards, "side", |it| Some(&of(it)?.presses));
        families.counter("board_presses", "Presses of the clock.", presses)?;
        let completions = each_word(boards, "by", |it| Some(&of(it)?.completions));
        let help = "Completed moves, by what completed them.";
        families.counter("board_completions", help, completions)?;
        let waiting = each_word(boards, "queue", |it| Some(&of(it)?.waiting));
        let help = "What waits: heard of the board, for the journal, and orders.";
        families.gauge("board_waiting", help, waiting)?;
        let help = "From the bytes of the board to the record on the disk.";
        let name = "board_durable_seconds";
        let mut family =
            families.encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
        for (labels, all) in each(boards, |it| it.durable.as_ref().cloned()) {
            let n = all.lengths.iter().map(|(_, n)| n).sum();
            let mut sample = family.encode_family(&labels)?;
            sample.encode_histogram::<NoLabelSet>(all.sum, n, &all.lengths, None)?;
        }
        Ok(())
    }

    /// What is the arbiter's alone.
    fn for_the_arbiter(&self, families: &mut Families<'_>) -> fmt::Result {
        let boards = &self.0.boards;
        let findings = each_word(boards, "code", |it| it.findings.as_ref());
        families.counter("board_findings", "Findings, by code.", findings)?;
        let rulings = each_word(boards, "code", |it| it.rulings.as_ref());
        families.counter("board_rulings", "What the referee said, by code.", rulings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_quotes_is_one_label() {
        let name = "the \"gold\" \\ board\n".to_owned();
        let findings = Some(BTreeMap::from([("NOT_PRESSED".to_owned(), 3)]));
        let board = BoardReport { name, link: "live".to_owned(), findings, ..Default::default() };
        let text = text(Report { boards: vec![board], ..Report::default() });
        let label = r#"board="the \"gold\" \\ board\n""#;
        for line in [
            format!("rokade_board_link{{{label},state=\"live\"}} 1"),
            format!("rokade_board_link{{{label},state=\"lost\"}} 0"),
            format!("rokade_board_findings_total{{{label},code=\"NOT_PRESSED\"}} 3"),
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in\n{text}");
        }
    }
}
