//! What players say: offers, claims, resignation. Words as the commands and records write them.

use super::name::{UnknownName, first_words};
use crate::table::{Word, words};
use shakmaty::Role;
use shakmaty::san::San;
use std::fmt;
use std::str::FromStr;

words! {
    /// On what ground a draw is claimed in the last two minutes. 2005, 2009: Art. D1.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Ground {
        /// The opponent cannot win by normal means.
        CannotWin = "cannot_win",
        /// The opponent makes no effort to win.
        NoEffort = "no_effort",
    }
}

first_words! {
    /// What is claimed.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Claim {
        /// A breach of Article 4.
        Touch = "touch",
        /// An illegal move.
        Illegal = "illegal",
        /// A win on time.
        Time = "time",
        /// The third occurrence of a position, by the announced move where one is named.
        Threefold(Option<San>) = "threefold",
        /// Fifty moves, with the announced move where one is named.
        Fifty(Option<San>) = "fifty",
        /// No effort, or no way, to win in the last two minutes.
        Quickplay(Option<Ground>) = "quickplay",
        /// A wrong array.
        Setup = "setup",
        /// A defective clock.
        Defect = "defect",
        /// A wrong setting of the clock.
        ClockWrong = "clock_wrong",
    }
}

impl Claim {
    fn parse(words: &[&str]) -> Result<Self, UnknownName> {
        let word = words.first().copied().unwrap_or_default();
        let extra = words.get(1).copied();
        let san = || match extra {
            None => Ok(None),
            Some(text) => {
                let is_san = text.trim_end_matches(['+', '#']).parse::<San>();
                is_san.map(Some).map_err(|_| UnknownName::new("move", text, &[]))
            }
        };
        let claim = match word {
            "threefold" => return san().map(Self::Threefold),
            "fifty" => return san().map(Self::Fifty),
            "quickplay" => {
                let known = Ground::ALL.map(Ground::word);
                let unknown = |word| UnknownName::new("ground", word, &known);
                let ground = |word| Ground::parse(word).ok_or_else(|| unknown(word));
                let ground = extra.map(ground).transpose()?;
                return Ok(Self::Quickplay(ground));
            }
            _ => {
                Self::of_word(word).ok_or_else(|| UnknownName::new("claim", word, &Self::WORDS))?
            }
        };
        match extra {
            None => Ok(claim),
            Some(extra) => Err(UnknownName::new("condition", extra, &[])),
        }
    }
}

first_words! {
    /// What a player declares.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum Declaration {
        /// "I adjust." All editions: Art. 4.2.
        Adjust = "adjust",
        /// A draw is offered. All editions: Art. 9.1.
        OfferDraw = "offer_draw",
        /// The offer is accepted.
        AcceptDraw = "accept_draw",
        /// It is declined in words.
        DeclineDraw = "decline_draw",
        /// An attempt to take it back.
        WithdrawOffer = "withdraw_offer",
        /// He resigns.
        Resign = "resign",
        /// He has come to the board.
        Arrive = "arrive",
        /// A claim.
        Claim(Claim) = "claim",
        /// An attempt to take a claim back.
        WithdrawClaim = "withdraw_claim",
        /// What a pawn becomes, where the sensors cannot tell.
        Promote(Role) = "promote",
        /// "I am about to castle." Chess960.
        AnnounceCastling = "announce_castling",
        /// Five seconds a move are asked for. From 2018: Guideline III.4.
        RequestIncrement = "request_increment",
        /// He adjourns before the sitting ends.
        Adjourn = "adjourn",
        /// A blind player asks for moves and times. 2009: Art. E2.9d.
        AskStatus = "ask_status",
        /// A protest against a ruling or result.
        Protest = "protest",
    }
}

impl fmt::Display for Declaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Claim(claim) => {
                write!(f, " {}", claim.word())?;
                match claim {
                    Claim::Threefold(Some(san)) | Claim::Fifty(Some(san)) => write!(f, " {san}"),
                    Claim::Quickplay(Some(ground)) => write!(f, " {}", ground.word()),
                    _ => Ok(()),
                }
            }
            Self::Promote(role) => write!(f, " {}", role.upper_char()),
            _ => Ok(()),
        }
    }
}

impl FromStr for Declaration {
    type Err = UnknownName;

    /// Reads the words after the player's name.
    ///
    /// ```
    /// use rokade::laws::Declaration;
    /// let said: Declaration = "claim threefold Ng8".parse()?;
    /// assert_eq!(said.to_string(), "claim threefold Ng8");
    /// let error = "offer_drow".parse::<Declaration>().unwrap_err();
    /// assert_eq!(error.nearest, Some("offer_draw"));
    /// # Ok::<(), rokade::laws::UnknownName>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        // Who speaks for a player, `by=assistant`, changes nothing of what is said.
        let is_said = |word: &&str| !word.starts_with("by=");
        let words: Vec<&str> = text.split_whitespace().filter(is_said).collect();
        let (verb, rest) = words.split_first().map_or(("", &[][..]), |(verb, rest)| (*verb, rest));
        let plain = match verb {
            "claim" => return Claim::parse(rest).map(Self::Claim),
            "promote" => {
                let word = rest.first().copied().unwrap_or_default();
                let role = word.chars().next().and_then(Role::from_char);
                let may = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
                let role = role.filter(|role| may.contains(role) && word.len() == 1);
                let wrong = || UnknownName::new("piece", word, &["Q", "R", "B", "N"]);
                return role.map(Self::Promote).ok_or_else(wrong);
            }
            _ => Self::of_word(verb)
                .ok_or_else(|| UnknownName::new("declaration", verb, &Self::WORDS))?,
        };
        // An offer has no conditions, 9.1b(1); nor has anything else here.
        match rest.first().copied() {
            None => Ok(plain),
            Some(extra) => Err(UnknownName::new("condition", extra, &[])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read_as_they_are_written() {
        for text in Declaration::WORDS.iter().filter(|word| !["claim", "promote"].contains(word)) {
            assert_eq!(text.parse::<Declaration>().unwrap().to_string(), *text);
        }
        for kind in Claim::WORDS {
            let text = format!("claim {kind}");
            assert_eq!(text.parse::<Declaration>().unwrap().to_string(), text);
        }
        for text in ["promote N", "claim fifty Kd7", "claim quickplay no_effort"] {
            assert_eq!(text.parse::<Declaration>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn conditions_and_unknown_words_are_refused() {
        for text in ["offer_draw if=..", "claim tuch", "promote K", "claim quickplay why", ""] {
            assert!(text.parse::<Declaration>().is_err(), "{text}");
        }
    }
}
