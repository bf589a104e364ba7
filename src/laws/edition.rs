//! Which Laws a game is played under: the edition, the form of chess, how closely it is watched.
//!
//! What follows from them is in [`profile`](super::profile). Editions: FIDE Laws of 2005 (in the
//! Hungarian print), 2009 (Danish; Norwegian with its national note), 2018 and 2023.

use super::name::read_by_word;
use crate::table::words;
use std::time::Duration;

words! {
    /// A printed text of the Laws of Chess.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Edition {
        /// The FIDE Laws of 2005, as printed in Hungary.
        Hu2005 = "hu2005",
        /// The FIDE Laws in force on 1 July 2009, as printed in Denmark.
        Dk2009 = "dk2009",
        /// The Laws of 2009 in Norway, where a player may be 60 minutes late.
        No2009 = "no2009",
        /// The FIDE Laws of 2018.
        M2018 = "m2018",
        /// The FIDE Laws of 2023.
        #[default]
        M2023 = "m2023",
    }
}

impl Edition {
    /// The year of the FIDE text.
    pub const fn year(self) -> u16 {
        match self {
            Self::Hu2005 => 2005,
            Self::Dk2009 | Self::No2009 => 2009,
            Self::M2018 => 2018,
            Self::M2023 => 2023,
        }
    }

    /// For people: the year, and the country where a print has its own numbers or notes.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Hu2005 => "Laws of 2005 (Hungary)",
            Self::Dk2009 => "Laws of 2009 (Denmark)",
            Self::No2009 => "Laws of 2009 (Norway)",
            Self::M2018 => "Laws of 2018",
            Self::M2023 => "Laws of 2023",
        }
    }

    /// Whether its articles are numbered as they have been since 2018.
    pub const fn is_modern(self) -> bool {
        self.year() >= 2018
    }

    /// What a time control is, from all the main time of one player and the time added for each
    /// move: the total counts 60 moves. Periods are added up.
    ///
    /// 2005: Art. B1, C1, where "between 15 and 60 minutes" is read as including both. 2009: Art.
    /// A1, B1. From 2018: Art. A.1, B.1.
    ///
    /// ```
    /// use rokade::laws::{Edition, Pace};
    /// use std::time::Duration;
    /// let (base, increment) = (Duration::from_secs(12 * 60), Duration::ZERO);
    /// assert_eq!(Edition::Dk2009.classify(base, increment), Pace::Blitz);
    /// assert_eq!(Edition::M2023.classify(base, increment), Pace::Rapid);
    /// ```
    pub fn classify(self, base: Duration, increment: Duration) -> Pace {
        const QUARTER: Duration = Duration::from_secs(15 * 60);
        const HOUR: Duration = Duration::from_secs(60 * 60);
        const TEN: Duration = Duration::from_secs(10 * 60);
        let total = base.saturating_add(increment.saturating_mul(60));
        let (is_blitz, is_rapid) = match self {
            Self::Hu2005 => (total < QUARTER, total <= HOUR),
            Self::Dk2009 | Self::No2009 => (total < QUARTER, total < HOUR),
            Self::M2018 | Self::M2023 => (total <= TEN, total < HOUR),
        };
        match (is_blitz, is_rapid) {
            (true, _) => Pace::Blitz,
            (false, true) => Pace::Rapid,
            (false, false) => Pace::Standard,
        }
    }
}

words! {
    /// How much time there is.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Pace {
        /// The competition rules proper.
        #[default]
        Standard = "standard",
        /// Rapid chess. 2005: Art. B. Later: Art. A.
        Rapid = "rapid",
        /// Blitz. 2005: Art. C. Later: Art. B.
        Blitz = "blitz",
    }
}

words! {
    /// The form of chess that is played.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Variant {
        /// The competition rules proper.
        #[default]
        Standard = "standard",
        /// Standard chess with a last period for all remaining moves and no time added. 2005, 2009:
        /// Art. 10.
        Quickplay = "quickplay",
        /// Rapid chess.
        Rapid = "rapid",
        /// Blitz.
        Blitz = "blitz",
        /// Chess960 at standard pace. 2009: Art. F. From 2018: Guidelines II.
        Chess960 = "chess960",
    }
}

impl Variant {
    /// At which pace it is played.
    pub const fn pace(self) -> Pace {
        match self {
            Self::Standard | Self::Quickplay | Self::Chess960 => Pace::Standard,
            Self::Rapid => Pace::Rapid,
            Self::Blitz => Pace::Blitz,
        }
    }
}

words! {
    /// Whether there are arbiters enough for the competition rules to hold in rapid chess and
    /// blitz.
    ///
    /// 2009: Art. A3, B2. 2018: Art. A.3, B.3. 2023: Art. A.4, B.2. In standard chess, and in
    /// 2005, it makes no difference.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Supervision {
        /// Enough: one arbiter for at most three games of rapid, for each game of blitz.
        #[default]
        Adequate = "adequate",
        /// There are fewer arbiters than that.
        Inadequate = "inadequate",
    }
}

read_by_word! {
    Edition = "edition",
    Pace = "pace",
    Variant = "variant",
    Supervision = "supervision",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for edition in Edition::ALL {
            assert_eq!(edition.to_string().parse(), Ok(edition));
        }
        for variant in Variant::ALL {
            assert_eq!(variant.to_string().to_uppercase().parse(), Ok(variant));
        }
        for supervision in Supervision::ALL {
            assert_eq!(format!(" {supervision} ").parse(), Ok(supervision));
        }
        for pace in Pace::ALL {
            assert_eq!(pace.to_string().parse(), Ok(pace));
        }
        assert_eq!("rapd".parse::<Variant>().unwrap_err().nearest, Some("rapid"));
        assert_eq!("none".parse::<Supervision>().unwrap_err().nearest, None);
    }
}
