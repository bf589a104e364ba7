//! One line for each figure: what was measured, how much it is, how much it may be.

#![allow(dead_code, reason = "no bench needs all of it")]

use std::time::Duration;

/// What a figure may be.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Target {
    /// Less than this.
    Under(f64),
    /// More than this.
    Over(f64),
    /// Printed for its own sake.
    Free,
}

/// Prints `name value target PASS|FAIL`.
pub(crate) fn print(name: &str, value: f64, unit: &str, target: Target) {
    let (target, verdict) = match target {
        Target::Under(most) => (format!("<{most}{unit}"), word(value < most)),
        Target::Over(least) => (format!(">{least}{unit}"), word(value > least)),
        Target::Free => ("-".to_owned(), "-"),
    };
    println!("{name} {value:.3}{unit} {target} {verdict}");
}

fn word(is_met: bool) -> &'static str {
    if is_met { "PASS" } else { "FAIL" }
}

/// Many measurements of one thing, in order of size.
#[derive(Clone, Debug)]
pub(crate) struct Spread(Vec<Duration>);

impl Spread {
    pub(crate) fn of(mut spans: Vec<Duration>) -> Self {
        assert!(!spans.is_empty(), "something was measured");
        spans.sort_unstable();
        Self(spans)
    }

    /// What `share` of the measurements do not exceed, in microseconds.
    pub(crate) fn at_us(&self, share: f64) -> f64 {
        let last = self.0.len() - 1;
        self.0[(last as f64 * share).round() as usize].as_secs_f64() * 1e6
    }

    /// Prints the median, the 99th and 99.9th of a hundred, and the worst; the target is for the
    /// 99th.
    pub(crate) fn print(&self, name: &str, target: Target) {
        print(&format!("{name}.median"), self.at_us(0.5), "us", Target::Free);
        print(&format!("{name}.p99"), self.at_us(0.99), "us", target);
        print(&format!("{name}.p99.9"), self.at_us(0.999), "us", Target::Free);
        print(&format!("{name}.max"), self.at_us(1.0), "us", Target::Free);
    }
}

/// Whether figures are wanted: not when the benches are only tested or listed.
pub(crate) fn is_wanted() -> bool {
    std::env::args().any(|arg| arg == "--bench")
}
