//! What a competition lays down beside edition, form of chess and time control, as the section
//! `[board.terms]` has it.

use crate::laws::notation::Language;
use crate::laws::{FlagWatch, FlagWitness, Impaired, PeriodCredit, Terms, UnknownName, Venue};
use crate::table::defaults;
use crate::time::millis;
use serde::Deserialize;
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// Boards with sensors in blind play, at the most: one for each player.
const BOARDS_MAX: u8 = 2;
/// The longest quiet time of the referee.
const QUIET_MAX_MS: u64 = 10_000;

defaults! {
    /// The terms of a game for its referee. All fields are as in [`Terms`], with 0 or "" for what
    /// is not laid down.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Announced {
        /// How late a player may be, in minutes; "" for what the edition lays down.
        pub default_time_min: String,
        /// No draw may be agreed before this move.
        pub no_draw_before: u32,
        /// The parts of Guidelines III that were announced.
        pub guidelines: Vec<String>,
        /// Whether an arbiter is there.
        #[serde(deserialize_with = "super::word::one_of")]
        pub venue: Venue,
        /// Minutes until the sitting ends.
        pub sitting_left_min: u64,
        /// Who is believed about a flag.
        #[serde(deserialize_with = "super::word::one_of")]
        pub flag_witness: FlagWitness,
        /// What is done at once when a flag falls.
        #[serde(deserialize_with = "super::word::one_of")]
        pub flag_watch: FlagWatch,
        /// Whether the clock credits a period with its last move or when its time is used up.
        #[serde(deserialize_with = "super::word::one_of")]
        pub credit: PeriodCredit,
        /// The period in which the game starts, from 1.
        pub period: usize = Terms::default().period,
        /// That is the last one, whatever the time control says.
        pub is_last_period: bool = Terms::default().is_last_period,
        /// Moves that White completed before.
        pub completed_white: u32,
        /// Moves that Black completed before.
        pub completed_black: u32,
        /// White's illegal moves before.
        pub illegal_white: u8,
        /// Black's illegal moves before.
        pub illegal_black: u8,
        /// The announced array of Chess960, White's pieces from a to h.
        pub array: String,
        /// Who plays blind, by Article E: `white`, `black`, or nobody.
        pub blind: String,
        /// How many boards of such a game have sensors.
        pub blind_boards: u8 = 1,
        /// The language in which moves are announced, by its code.
        pub spoken: String = Terms::default().spoken.word().to_owned(),
        /// The language of score sheets and sealed moves.
        pub written: String = Terms::default().written.word().to_owned(),
        /// Seconds after which a move that nobody pressed for is noted; 0 for never.
        pub not_pressed_s: u64,
        /// A piece at rest for so many milliseconds counts as released.
        pub rest_ms: u64 = millis(Terms::default().rest),
        /// A piece lifted for less, and put back, was only brushed.
        pub brush_ms: u64 = millis(Terms::default().brush),
        /// Pieces that are lifted within this time of each other are lifted at once.
        pub together_ms: u64 = millis(Terms::default().touch_window),
    }
}

impl Announced {
    /// `terms` with all that is laid down here.
    ///
    /// # Errors
    /// A word that is unknown or a number that cannot be.
    pub(super) fn apply(&self, terms: Terms) -> Result<Terms, String> {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        Ok(Terms {
            default_time: self.default_time()?,
            no_draw_before: (self.no_draw_before > 0).then_some(self.no_draw_before),
            guidelines: self.guidelines()?,
            venue: self.venue,
            sitting_left: (self.sitting_left_min > 0).then(|| minutes(self.sitting_left_min)),
            flag_witness: self.flag_witness,
            flag_watch: self.flag_watch,
            credit: self.credit,
            period: match self.period {
                1..=9 => self.period,
                n => return Err(format!("period {n}: the periods are counted from 1")),
            },
            is_last_period: self.is_last_period,
            completed: ByColor { white: self.completed_white, black: self.completed_black },
            illegal_before: ByColor { white: self.illegal_white, black: self.illegal_black },
            array: self.array()?,
            impaired: self.impaired()?,
            spoken: language("spoken", &self.spoken)?,
            written: language("written", &self.written)?,
            not_pressed: (self.not_pressed_s > 0).then(|| Duration::from_secs(self.not_pressed_s)),
            rest: quiet("rest_ms", self.rest_ms)?,
            brush: quiet("brush_ms", self.brush_ms)?,
            touch_window: quiet("together_ms", self.together_ms)?,
            ..terms
        })
    }

    fn default_time(&self) -> Result<Option<Duration>, String> {
        let text = self.default_time_min.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let found = text.parse::<u64>().ok().filter(|minutes| *minutes <= 24 * 60);
        let wrong = || format!("default_time_min {text:?}: expected minutes, such as \"30\"");
        let minutes = found.ok_or_else(wrong)?;
        Ok(Some(Duration::from_secs(60 * minutes)))
    }

    fn guidelines(&self) -> Result<Vec<String>, String> {
        let is_part = |part: &&String| {
            part.strip_prefix("III").is_some_and(|rest| {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
                rest.is_empty() || rest.starts_with('.') && rest.chars().all(is_plain)
            })
        };
        match self.guidelines.iter().find(|part| !is_part(part)) {
            Some(part) => Err(format!("guidelines {part:?}: expected \"III\" or \"III.4\"")),
            None => Ok(self.guidelines.clone()),
        }
    }

    fn array(&self) -> Result<Option<String>, String> {
        let text = self.array.trim();
        let mut pieces: Vec<char> = text.chars().collect();
        pieces.sort_unstable();
        match text {
            "" => Ok(None),
            _ if pieces == ['B', 'B', 'K', 'N', 'N', 'Q', 'R', 'R'] => Ok(Some(text.to_owned())),
            _ => Err(format!("array {text:?}: expected eight pieces, such as \"RNBQKBNR\"")),
        }
    }

    fn impaired(&self) -> Result<Option<Impaired>, String> {
        let side = match self.blind.trim() {
            "" => return Ok(None),
            "white" => Color::White,
            "black" => Color::Black,
            other => {
                let known = ["white", "black"];
                return Err(UnknownName::new("player", other, &known).to_string());
            }
        };
        let n_boards = self.blind_boards;
        if !(1..=BOARDS_MAX).contains(&n_boards) {
            return Err(format!("blind_boards {n_boards}: one board has sensors, or both"));
        }
        Ok(Some(Impaired { side, n_boards }))
    }
}

fn language(key: &str, code: &str) -> Result<Language, String> {
    let code = code.trim();
    let found = Language::ALL.into_iter().find(|language| language.word() == code);
    let known = Language::ALL.map(Language::word);
    found.ok_or_else(|| format!("{key}: {}", UnknownName::new("language", code, &known)))
}

fn quiet(key: &str, ms: u64) -> Result<Duration, String> {
    if ms > QUIET_MAX_MS {
        return Err(format!("{key} {ms}: expected milliseconds, at most {QUIET_MAX_MS}"));
    }
    Ok(Duration::from_millis(ms))
}
