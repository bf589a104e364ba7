//! What is looked at before an order is carried out: whether its author has seen what has happened
//! since, whether it was given already, whether it contradicts another, and how many come.

use super::{Answer, AnswerClass};
use crate::time::Mono;
use std::collections::VecDeque;
use std::time::Duration;

/// So many orders one user may give at once.
const BURST: u32 = 20;
/// And one more whenever this time has passed.
const REFILL: Duration = Duration::from_millis(500);
/// So many users are counted; of more the one that was heard longest ago is forgotten.
const AUTHORS_MAX: usize = 64;
/// So many lines of the log are kept, to say what has happened since.
const LINES_MAX: usize = 200;
/// So many of them are told.
const TOLD_MAX: usize = 10;
/// An order that comes again this soon, from the same author and with nothing between, is one.
const REPEATED: Duration = Duration::from_secs(2);
/// An order that contradicts one of the same author so soon after it must be given again.
const CONTRADICTED: Duration = Duration::from_secs(2);
/// An order that contradicts one of another author, which its own need not have heard of, must be
/// given again within this time.
const CONTRADICTED_BY_OTHER: Duration = Duration::from_secs(10);
/// An order that was refused for that counts when it is given again within this time.
const INSISTED: Duration = Duration::from_secs(60);

/// An order as it is admitted.
#[derive(Copy, Clone, Debug)]
pub struct AdmittedOrder<'a> {
    /// When it came.
    pub at: Mono,
    /// Who gives it.
    pub author: &'a str,
    /// In which words.
    pub text: &'a str,
    /// How many entries were on record as far as the author knew, if that was said.
    pub state: Option<u64>,
}

/// An order that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    at: Mono,
    author: String,
    text: String,
}

/// The desk of one board.
#[derive(Clone, Debug, Default)]
pub struct OrderDesk {
    /// How many entries are on record.
    n_entries: u64,
    /// The lines of the log that came last, each with the number of its entry.
    lines: VecDeque<(u64, String)>,
    /// The orders that were given last, of each subject one.
    given: Vec<Given>,
    last: Option<Given>,
    /// Those that were refused as contradictions.
    refused: Vec<Given>,
    /// When each user's allowance is full again.
    full_at: Vec<(String, Mono)>,
}

impl OrderDesk {
    /// An entry was put on record, with its line in the log, if it has one.
    pub fn note(&mut self, line: Option<&str>) {
        self.n_entries += 1;
        let Some(line) = line else { return };
        self.lines.push_back((self.n_entries, line.to_owned()));
        if self.lines.len() > LINES_MAX {
            self.lines.pop_front();
        }
    }

    /// How many entries are on record: what an order may say that its author has seen.
    pub fn state(&self) -> u64 {
        self.n_entries
    }

    /// Whether `order` may be carried out; if not, the answer to it. Nothing goes on record then.
    ///
    /// # Errors
    /// Too many orders, one that was overtaken, one that was given already (which is no failure),
    /// one that contradicts another.
    pub fn admit(&mut self, order: AdmittedOrder<'_>) -> Result<(), Box<Answer>> {
        self.count(order)?;
        self.compare_state(order)?;
        self.compare_last(order)?;
        self.contradict(order)
    }

    /// It was carried out.
    pub fn done(&mut self, order: AdmittedOrder<'_>) {
        let given = Given::of(order);
        self.last = Some(given.clone());
        if let Some(subject) = subject(order.text) {
            self.given.retain(|known| self::subject(&known.text).as_ref() != Some(&subject));
            self.given.push(given);
        }
    }

    fn count(&mut self, order: AdmittedOrder<'_>) -> Result<(), Box<Answer>> {
        let user = user_of(order.author);
        let idx = self.full_at.iter().position(|(known, _)| known == user);
        let (user, full_at) = match idx {
            Some(idx) => self.full_at.remove(idx),
            None => (user.to_owned(), Mono::default()),
        };
        let debt = full_at.since(order.at);
        let is_over = debt + REFILL > REFILL * BURST;
        let full_at = if is_over { full_at } else { full_at.max(order.at) + REFILL };
        self.full_at.push((user, full_at));
        if self.full_at.len() > AUTHORS_MAX {
            self.full_at.remove(0);
        }
        if is_over {
            return Err(unrecorded(AnswerClass::Busy, "too many orders at once; wait a second"));
        }
        Ok(())
    }

    fn compare_state(&self, order: AdmittedOrder<'_>) -> Result<(), Box<Answer>> {
        let Some(state) = order.state else { return Ok(()) };
        if state > self.n_entries {
            let why = format!("there are {} entries on record, not {state}", self.n_entries);
            return Err(unrecorded(AnswerClass::Unclear, &why));
        }
        let since: Vec<_> = self.lines.iter().filter(|(n, _)| *n > state).collect();
        if since.is_empty() {
            return Ok(());
        }
        let told = since.iter().skip(since.len().saturating_sub(TOLD_MAX));
        let lines = told.map(|(_, line)| line.clone()).collect();
        let why = format!(
            "your order was overtaken: since entry {state} the log has {} more lines. If you still \
             mean it, repeat it with --at {}",
            since.len(),
            self.n_entries
        );
        Err(Box::new(Answer { lines, ..*unrecorded(AnswerClass::Overtaken, &why) }))
    }

    fn compare_last(&self, order: AdmittedOrder<'_>) -> Result<(), Box<Answer>> {
        let Some(last) = &self.last else { return Ok(()) };
        let is_again =
            adds_up(order.text) && last.text == order.text && last.author == order.author;
        if !is_again || order.at.since(last.at) >= REPEATED {
            return Ok(());
        }
        let lines = vec![format!("\"{}\" was given just now; it counts once", order.text)];
        Err(Box::new(Answer { lines, ..Answer::of(AnswerClass::Done) }))
    }

    fn contradict(&mut self, order: AdmittedOrder<'_>) -> Result<(), Box<Answer>> {
        self.refused.retain(|known| order.at.since(known.at) < INSISTED);
        let Some(subject) = subject(order.text) else { return Ok(()) };
        let is_recent = |known: &&Given| {
            let is_own = known.author == order.author;
            let within = if is_own { CONTRADICTED } else { CONTRADICTED_BY_OTHER };
            self::subject(&known.text).as_ref() == Some(&subject)
                && known.text != order.text
                && order.at.since(known.at) < within
        };
        let Some(other) = self.given.iter().find(is_recent).filter(|_| order.state.is_none())
        else {
            return Ok(());
        };
        let is_same = |known: &Given| known.author == order.author && known.text == order.text;
        if let Some(idx) = self.refused.iter().position(is_same) {
            self.refused.remove(idx);
            return Ok(());
        }
        let ago = order.at.since(other.at).as_secs_f32();
        let why = format!(
            "\"{}\" was ordered {ago:.1} s ago by {}; if yours is to replace it, give it again",
            other.text, other.author
        );
        self.refused.push(Given::of(order));
        Err(unrecorded(AnswerClass::Overtaken, &why))
    }
}

impl Given {
    fn of(order: AdmittedOrder<'_>) -> Self {
        let (author, text) = (order.author.to_owned(), order.text.to_owned());
        Self { at: order.at, author, text }
    }
}

fn unrecorded(class: AnswerClass, why: &str) -> Box<Answer> {
    Box::new(Answer::without_effect(class, why))
}

/// The user of this machine, behind whatever name he gives himself.
fn user_of(author: &str) -> &str {
    author.rsplit_once('[').map_or(author, |(_, user)| user.trim_end_matches(']'))
}

/// Whether an order that is given twice does twice as much. What decides something is refused the
/// second time, as it changes nothing.
fn adds_up(text: &str) -> bool {
    let decides =
        ["result", "resume", "set_time", "set_moves", "renumber", "settle", "replace", "round"];
    let answers = ["confirm", "dismiss", "continue", "rule"];
    let verb = text.split_whitespace().next().unwrap_or_default();
    !decides.contains(&verb) && !answers.contains(&verb)
}

/// What an order decides, of which there is only one; none of one that can be given beside others.
fn subject(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let verb = words.next()?;
    match verb {
        // One of the next game says nothing of this one.
        "result" => words.find(|word| *word != "last").map(|word| match word {
            "next" => "result next".to_owned(),
            _ => verb.to_owned(),
        }),
        "resume" | "set_moves" | "renumber" => Some(verb.to_owned()),
        "set_time" => Some(format!("{verb} {}", words.next()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(ms: u64, author: &'static str, text: &'static str) -> AdmittedOrder<'static> {
        AdmittedOrder { at: Mono::from_millis(ms), author, text, state: None }
    }

    fn give(desk: &mut OrderDesk, order: AdmittedOrder<'_>) -> Option<AnswerClass> {
        let answer = desk.admit(order);
        if answer.is_ok() {
            desk.done(order);
        }
        answer.err().map(|answer| answer.class)
    }

    #[test]
    fn eight_contradictory_results_at_once_are_one() {
        let mut desk = OrderDesk::default();
        let results = ["1-0", "0-1", "1/2-1/2", "0-0", "1-0 x", "0-1 x", "1/2-1/2 x", "*"];
        let given = results.iter().zip(0..).filter(|(score, ms)| {
            let text = format!("result {score}");
            let order =
                AdmittedOrder { at: Mono::from_millis(*ms), author: "a", text: &text, state: None };
            let answer = desk.admit(order);
            let is_given = answer.is_ok();
            if is_given {
                desk.done(order);
            }
            is_given
        });
        assert_eq!(given.count(), 1);
        // Whoever insists has it his way, and a later correction needs no second word.
        assert_eq!(give(&mut desk, order(1_000, "a", "result 0-1")), None);
        assert_eq!(give(&mut desk, order(9_000, "a", "result 1-0")), None);
        assert_eq!(give(&mut desk, order(9_500, "b", "result 0-1")), Some(AnswerClass::Overtaken));
        assert_eq!(give(&mut desk, order(9_600, "b", "note the result is disputed")), None);
        assert_eq!(give(&mut desk, order(20_000, "b", "result 0-1")), None);
    }

    #[test]
    fn a_repeat_is_one_and_no_failure() {
        let mut desk = OrderDesk::default();
        assert_eq!(give(&mut desk, order(0, "a", "add_time black 120")), None);
        assert_eq!(give(&mut desk, order(900, "a", "add_time black 120")), Some(AnswerClass::Done));
        assert_eq!(give(&mut desk, order(950, "b", "add_time black 120")), None);
        assert_eq!(give(&mut desk, order(1_000, "a", "pause")), None);
        assert_eq!(give(&mut desk, order(1_100, "a", "resume white")), None);
        assert_eq!(give(&mut desk, order(1_200, "a", "pause")), None);
    }

    #[test]
    fn what_was_overtaken_is_answered_with_what_happened() {
        let mut desk = OrderDesk::default();
        desk.note(Some("made       12. Nf3"));
        let seen = desk.state();
        desk.note(None);
        let with = |state| AdmittedOrder { state: Some(state), ..order(0, "a", "remove 23") };
        assert_eq!(desk.admit(with(seen)), Ok(()));
        desk.note(Some("made       12... Nc6"));
        let answer = desk.admit(with(seen)).unwrap_err();
        assert_eq!(answer.class, AnswerClass::Overtaken);
        assert_eq!(answer.lines, ["made       12... Nc6"]);
        assert_eq!(desk.admit(with(desk.state())), Ok(()));
        assert_eq!(desk.admit(with(99)).unwrap_err().class, AnswerClass::Unclear);
    }

    #[test]
    fn nobody_floods_the_record_and_nobody_else_is_kept_out() {
        let mut desk = OrderDesk::default();
        let notes: Vec<String> = (0..20_133).map(|n| format!("note {n}")).collect();
        let is_taken = |desk: &mut OrderDesk, n: usize| {
            let at = Mono::from_millis(15_000 * n as u64 / 20_133);
            desk.admit(AdmittedOrder { at, author: "a", text: &notes[n], state: None }).is_ok()
        };
        let n_taken = (0..notes.len()).filter(|n| is_taken(&mut desk, *n)).count();
        assert_eq!(n_taken, 49);
        assert_eq!(give(&mut desk, order(15_000, "b", "pause")), None);
        assert_eq!(give(&mut desk, order(26_000, "a", "pause")), None);
        for n in 0..1_000 {
            let author = format!("user {n}");
            let text = "note";
            desk.admit(AdmittedOrder { at: Mono::default(), author: &author, text, state: None })
                .ok();
        }
        assert!(desk.full_at.len() <= AUTHORS_MAX);
    }
}
