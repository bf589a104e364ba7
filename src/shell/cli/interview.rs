//! Questions to whoever sits at the terminal.

use super::Failure;
use std::fmt::Display;
use std::io::{BufRead, Write};

/// A word that can be answered, and what it means.
pub(super) type OfferedWord<'a> = (&'a str, &'a str);

/// A talk with somebody, or with nobody, where defaults are taken.
pub(super) struct Interview<R, W> {
    input: R,
    output: W,
    is_silent: bool,
}

impl<R: BufRead, W: Write> Interview<R, W> {
    /// Over these. One that is silent asks nothing.
    pub(super) fn new(input: R, output: W, is_silent: bool) -> Self {
        Self { input, output, is_silent }
    }

    /// One of the words, by its number or as it is; the first unless another is chosen. `given` is
    /// an answer that was there before the question.
    pub(super) fn choose(
        &mut self,
        question: &str,
        choices: &[OfferedWord<'_>],
        given: Option<&str>,
    ) -> Result<String, Failure> {
        let width = choices.iter().map(|(word, _)| word.len()).max().unwrap_or(0);
        let mut text = question.to_owned();
        for ((word, means), number) in choices.iter().zip(1..) {
            text += &format!("\n  {number}  {word:width$}  {means}");
        }
        let meant = |answer: &str| {
            let number = answer.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
            let by_number = number.and_then(|idx| choices.get(idx));
            by_number.or_else(|| choices.iter().find(|(word, _)| *word == answer))
        };
        let is_one = |answer: &str| match meant(answer) {
            Some(_) => Ok(()),
            None => {
                Err(format!("{answer:?} is not in the list; enter a number or a word from above"))
            }
        };
        let answer = self.enter(&text, choices[0].0, given, is_one)?;
        Ok(meant(&answer).map_or(answer.as_str(), |(word, _)| *word).to_owned())
    }

    /// A line that `check` lets through; `usual` if nothing is entered.
    pub(super) fn enter(
        &mut self,
        question: &str,
        usual: &str,
        given: Option<&str>,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Result<String, Failure> {
        if let Some(answer) = given.or(self.is_silent.then_some(usual)) {
            check(answer).map_err(Failure::Usage)?;
            return Ok(answer.to_owned());
        }
        loop {
            self.print(format_args!("\n{question}\n[{usual}] "))?;
            let mut line = String::new();
            let n = self.input.read_line(&mut line).map_err(Failure::io("cannot read answers"))?;
            if n == 0 {
                let why = "nobody answers; --yes takes the default wherever no option says more";
                return Err(Failure::Usage(why.to_owned()));
            }
            let answer = Some(line.trim()).filter(|it| !it.is_empty()).unwrap_or(usual);
            match check(answer) {
                Ok(()) => return Ok(answer.to_owned()),
                Err(why) => self.print(format_args!("{why}\n"))?,
            }
        }
    }

    fn print(&mut self, text: impl Display) -> Result<(), Failure> {
        let printed = write!(self.output, "{text}").and_then(|()| self.output.flush());
        printed.map_err(Failure::io("cannot print"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHOICES: [OfferedWord<'static>; 2] = [("no", "leave it"), ("yes", "do it")];

    fn chosen(entered: &str, given: Option<&str>, is_silent: bool) -> (Option<String>, String) {
        let mut said = Vec::new();
        let answer = Interview::new(entered.as_bytes(), &mut said, is_silent)
            .choose("Well?", &CHOICES, given)
            .ok();
        (answer, String::from_utf8(said).expect("text"))
    }

    #[test]
    fn a_choice_is_made_by_number_by_word_or_by_enter() {
        for (entered, expected) in [("2\n", "yes"), ("yes\r\n", "yes"), ("\n", "no"), ("1", "no")] {
            assert_eq!(chosen(entered, None, false).0.as_deref(), Some(expected), "{entered:?}");
        }
        let (answer, said) = chosen("3\nmaybe\n2\n", None, false);
        assert_eq!(answer.as_deref(), Some("yes"));
        assert_eq!(said.matches("Well?").count(), 3, "{said}");
        assert!(said.contains("\"maybe\" is not in the list"), "{said}");
    }

    #[test]
    fn nothing_is_asked_that_is_known() {
        assert_eq!(chosen("", Some("yes"), false), (Some("yes".to_owned()), String::new()));
        assert_eq!(chosen("", None, true), (Some("no".to_owned()), String::new()));
        assert_eq!(chosen("", Some("perhaps"), true).0, None);
        assert_eq!(chosen("", None, false).0, None);
    }
}
