//! All that is said in a scenario, and what it changes for whom: also what no expectation names,
//! and what should not have been said at all.

use super::super::book::without_article;
use super::table::Table;
use rokade::game::Fact;
use rokade::laws::{Binding, Code, MayAct, Pending};
use rokade::relay::log::Log;
use std::fmt::Write;

/// What is said in one scenario, event by event.
#[derive(Default)]
pub(super) struct Minutes {
    log: Log,
    n_taken: usize,
    state: Vec<String>,
    pub text: String,
}

impl Minutes {
    /// Takes down what event `idx` has brought.
    pub(super) fn take(&mut self, idx: i64, table: &Table) {
        for entry in &table.entries[self.n_taken..] {
            let line = self.log.line(&entry.fact);
            if let Some(line) = line.filter(|_| is_his(&entry.fact)) {
                let line = without_article(&line);
                let words: Vec<&str> = line.split_whitespace().collect();
                writeln!(self.text, "{idx} {}", words.join(" ")).expect("a string takes all");
            }
        }
        self.n_taken = table.entries.len();
        let state = state(table);
        for now in state.iter().filter(|now| idx >= 0 && !self.state.contains(now)) {
            writeln!(self.text, "{idx} : {now}").expect("a string takes all");
        }
        self.state = state;
    }
}

/// Whether the referee says so, and not in every game. What is on record besides is held by traces.
fn is_his(fact: &Fact) -> bool {
    matches!(fact, Fact::Ruled(ruled) if ruled.code != Some(Code::GameStart))
}

/// What may be asked of the referee, one answer a line.
fn state(table: &Table) -> Vec<String> {
    let referee = table.referee();
    let clocks = table.clocks();
    let running = clocks.running.map_or_else(|| "nobody".to_owned(), |by| by.to_string());
    let left = clocks.left.map(|left| left.as_secs_f64());
    let bound = referee.binding().unwrap_or(Binding::Any);
    let act = match referee.may_act() {
        None => "has nothing to rule on",
        Some(MayAct::Yes) => "may act",
        Some(_) => "may act if asked",
    };
    let asked: Vec<String> = referee.prompts().map(|options| options.join(" | ")).collect();
    let waits: Vec<String> = referee.pending().iter().map(waiting).collect();
    vec![
        format!("bound to {bound}"),
        format!("the arbiter {act}"),
        format!("open: {}", or_nothing(asked.join("; "))),
        format!("waits: {}", or_nothing(waits.join("; "))),
        format!("the clock runs for {running}"),
        format!("time left: {} and {}", left.white, left.black),
        format!("demanded: {}", or_nothing(referee.demanded_fen().unwrap_or_default())),
        format!("the public sees {}", referee.display()),
        format!("the next move is number {}", referee.next_move_no()),
    ]
}

/// What waits, and which orders answer it.
fn waiting(open: &Pending) -> String {
    match open.orders[..] {
        [] => open.what.clone(),
        _ => format!("{} [{}]", open.what, open.orders.join(" | ")),
    }
}

fn or_nothing(text: String) -> String {
    if text.is_empty() { "nothing".to_owned() } else { text }
}
