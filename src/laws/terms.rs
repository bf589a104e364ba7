//! The terms of one game: its profile, and what the competition lays down beside it.

use super::edition::Pace;
use super::notation::Language;
use super::profile::{Profile, Rules};
use crate::table::{defaults, words};
use shakmaty::{ByColor, Color};
use std::time::Duration;

/// How late one may be when an adjourned game is taken up again, by the Guidelines.
const RESUMPTION: Duration = Duration::from_secs(3_600);

/// A period of the time control.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct AnnouncedPeriod {
    /// Moves to complete in it; `None` for all the rest.
    pub moves: Option<u16>,
    /// The time for them.
    pub time: Duration,
    /// What is added for each of them, where that is not [`Terms::bonus`].
    pub bonus: Option<Bonus>,
}

words! {
    /// When the next period's time is credited.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub enum PeriodCredit {
        /// With the press of its last move.
        #[default]
        OnMoves = "on-moves",
        /// When the time is used up.
        OnZero = "on-zero",
    }
}

words! {
    /// Who is believed about a flag. All editions: Art. 6.8.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub enum FlagWitness {
        /// The arbiter, or a player's claim.
        #[default]
        Advisory = "advisory",
        /// The clock itself.
        Authoritative = "authoritative",
    }
}

words! {
    /// What is done at once when a flag falls.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub enum FlagWatch {
        /// Both clocks stop.
        Full = "full",
        /// The arbiter is called.
        #[default]
        Limited = "limited",
        /// It is noted.
        Silent = "silent",
    }
}

/// Whether anything is added for a move.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bonus {
    /// The move earns no time.
    #[default]
    Nothing,
    /// So much, or so much delay.
    PerMove(Duration),
}

/// How a board may be blind play's.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Impaired {
    /// The player who cannot see the board.
    pub side: Color,
    /// How many boards have sensors.
    pub n_boards: u8,
}

words! {
    /// Whether an arbiter is in the venue. 2005, 2009: Art. D.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Venue {
        /// An arbiter is there.
        #[default]
        WithArbiter = "with-arbiter",
        /// No arbiter is there; one decides later.
        WithoutArbiter = "without-arbiter",
    }
}

defaults! {
    /// How long hands must do something before it is held against them. Pieces are slid, set right,
    /// knocked over and put between squares, and no sensor sees a hand.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub struct Evidence {
        /// A piece that went on must have rested for so long to have been released.
        pub released: Duration = Duration::from_secs(3),
        /// A piece that is back on its square within this time was set right. Whether that was
        /// announced no sensor hears.
        pub adjusting: Duration = Duration::from_millis(750),
        /// A piece that was off its square for less may have been knocked over, or taken and put
        /// back with a word. The opponent may claim it.
        pub held: Duration = Duration::from_secs(3),
        /// A piece that is missing beside a move for so long is in no hand.
        pub missing: Duration = Duration::from_secs(5),
        /// Who has touched nothing for so long since the start is taken to be away. Who thinks
        /// about his first move touches nothing either.
        pub away: Duration = Duration::from_secs(300),
    }
}

defaults! {
    /// The terms of one game. They are fixed when it starts.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Terms {
        /// Edition, form of chess, supervision.
        pub profile: Profile,
        /// Rules that hold instead of the profile's. No setting names them: a test asks what
        /// becomes of a game without one of its rules.
        pub instead: Option<Rules>,
        /// The pace, where it is not that of the form of chess: Chess960 is played at any.
        pub pace: Option<Pace>,
        /// A piece at rest for so long counts as released.
        pub rest: Duration = Duration::from_millis(500),
        /// A piece lifted for less, and put back, was only brushed.
        pub brush: Duration = Duration::from_millis(250),
        /// What is held against hands.
        pub evidence: Evidence,
        /// Lifts within this time of each other are simultaneous.
        pub touch_window: Duration = Duration::from_millis(50),
        /// How late a player may be, where it is not the profile's default.
        pub default_time: Option<Duration>,
        /// The periods of each player; none if all moves are to be made in the time on the clock.
        /// If the last is for a number of moves, it is repeated for ever.
        pub periods: ByColor<Vec<AnnouncedPeriod>>,
        /// When periods are credited.
        pub credit: PeriodCredit,
        /// The period at the start, from 1.
        pub period: usize = 1,
        /// The game starts in its last period.
        pub is_last_period: bool,
        /// What is added for a move.
        pub bonus: Bonus,
        /// Moves that were completed before the start of this record.
        pub completed: ByColor<u32>,
        /// Illegal moves that were confirmed before.
        pub illegal_before: ByColor<u8>,
        /// After how long an unpressed move is noted.
        pub not_pressed: Option<Duration>,
        /// Who is believed about flags.
        pub flag_witness: FlagWitness,
        /// What a flag does.
        pub flag_watch: FlagWatch,
        /// In which language moves are announced; names of other languages are understood too.
        pub spoken: Language = Language::German,
        /// In which language score sheets and sealed moves are written.
        pub written: Language = Language::English,
        /// Blind play.
        pub impaired: Option<Impaired>,
        /// The announced array, White's pieces from a to h; for Chess960.
        pub array: Option<String>,
        /// Whether an arbiter is there.
        pub venue: Venue,
        /// No draw may be agreed before this move. From 2009: Art. 9.1a (9.1.1).
        pub no_draw_before: Option<u32>,
        /// The parts of Guidelines III that were announced, as in `III.4`.
        pub guidelines: Vec<String>,
        /// Time to the end of the sitting.
        pub sitting_left: Option<Duration>,
        /// The raw squares are turned by 180 degrees.
        pub is_rotated: bool,
    }
}

impl Terms {
    /// What the profile says, or what holds instead.
    pub const fn rules(&self) -> Rules {
        match self.instead {
            Some(rules) => rules,
            None => self.profile.rules_at(self.pace()),
        }
    }

    /// At which pace the game is played.
    pub const fn pace(&self) -> Pace {
        match self.pace {
            Some(pace) => pace,
            None => self.profile.variant.pace(),
        }
    }

    /// How late a player may be.
    pub fn lateness(&self) -> Duration {
        self.default_time.unwrap_or(self.rules().default_time)
    }

    /// How late a player may be when an adjourned game is taken up again. 2005, 2009: Guidelines
    /// 10. From 2018 it is the default time.
    pub(super) fn resumption(&self) -> Duration {
        if self.profile.edition.is_modern() { self.lateness() } else { RESUMPTION }
    }

    /// Whether the clock is put right that showed something else at the start. 2009: Art. 6.10b.
    /// From 2018: Art. 6.10.2.
    pub(super) const fn sets_clock_right(&self) -> bool {
        self.profile.edition.year() >= 2009
    }

    /// Whether mate, stalemate and a dead position end the game only if Articles 4.2 to 4.7 were
    /// kept. From 2018: Art. 5.1.1, 5.2.1, 5.2.2.
    pub(super) const fn ends_if_kept(&self) -> bool {
        self.profile.edition.is_modern()
    }

    /// Period `n` of `side`, counted from 1.
    fn period_of(&self, side: Color, n: usize) -> Option<&AnnouncedPeriod> {
        let periods = &self.periods[side];
        let is_repeated = |last: &&AnnouncedPeriod| last.moves.is_some();
        periods.get(n.checked_sub(1)?).or_else(|| periods.last().filter(is_repeated))
    }

    /// What is added or spared for a move of `side` in period `n`, counted from 1.
    pub fn bonus_in(&self, side: Color, n: usize) -> Bonus {
        self.period_of(side, n).and_then(|period| period.bonus).unwrap_or(self.bonus)
    }

    /// From now on so much is added for each move. From 2018: Guideline III.4.
    pub(super) fn add_per_move(&mut self, span: Duration) {
        self.bonus = Bonus::PerMove(span);
        for period in self.periods.iter_mut().flatten() {
            period.bonus = None;
        }
    }

    /// How many moves `side` must have completed by the end of period `n`, counted from 1; `None`
    /// if all.
    pub fn required(&self, side: Color, n: usize) -> Option<u32> {
        if self.is_last(side, n) {
            return None;
        }
        (1..=n).map(|n| self.period_of(side, n)?.moves.map(u32::from)).sum()
    }

    /// Whether period `n` of `side` is the last.
    pub fn is_last(&self, side: Color, n: usize) -> bool {
        self.is_last_period || self.period_of(side, n + 1).is_none()
    }

    /// What `side` is credited after period `n`.
    pub fn allotment(&self, side: Color, n: usize) -> Option<Duration> {
        self.period_of(side, n + 1).map(|period| period.time)
    }

    /// Whether this part of Guidelines III was announced.
    pub fn has_announced(&self, part: &str) -> bool {
        self.guidelines.iter().any(|known| known == part || known == "III")
    }
}
