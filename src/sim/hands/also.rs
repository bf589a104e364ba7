//! What hands and boards do that the profiles leave out for ease, each as a switch of its own.

use std::fmt;

/// A set of such habits. Without any, hands are what their profile says.
///
/// ```
/// use rokade::sim::hands::Also;
/// let also = Also::parse("scan,lag")?;
/// assert!(also.has(Also::SCAN) && also.has(Also::LAG) && !also.has(Also::TAILS));
/// assert_eq!(also.to_string(), "scan,lag");
/// assert_eq!(Also::parse("all")?, Also::ALL);
/// # Ok::<(), String>(())
/// ```
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Also(u16);

impl Also {
    /// Nothing else happens.
    pub const NONE: Self = Self(0);
    /// The board looks at a square every 200 to 250 ms, one square after another. What came and
    /// went in between is not seen, and neighbors are seen in the order of the scan.
    pub const SCAN: Self = Self(1);
    /// Messages of the clock come 200 to 450 ms late.
    pub const LAG: Self = Self(1 << 1);
    /// A piece that was knocked over reads on a neighboring square until it is set up again.
    pub const LIES: Self = Self(1 << 2);
    /// Nobody waits until it is set up again; it is set right in anybody's time.
    pub const NOWAIT: Self = Self(1 << 3);
    /// A piece that stands on two squares reads on the wrong one alone, legal there or not.
    pub const BESIDE: Self = Self(1 << 4);
    /// The clock is pressed at the release, before such a piece is set right.
    pub const EARLY: Self = Self(1 << 5);
    /// A hasty reply may use the squares of the move before: exchanges within a scan.
    pub const RECAPTURE: Self = Self(1 << 6);
    /// Times are log-normal with heavy tails, not even.
    pub const TAILS: Self = Self(1 << 7);
    /// Pieces are dragged most of the time, in captures too, and stray to squares beside their way.
    pub const DRAGS: Self = Self(1 << 8);
    /// The opponent presses back without a move; the piece is set right, the clock pressed again.
    pub const BACK: Self = Self(1 << 9);
    /// The rook, the new piece or the pawn that was taken in passing follows after the press.
    pub const AFTER: Self = Self(1 << 10);
    /// Moves are taken back by agreement, most of them after the press.
    pub const TAKEBACK: Self = Self(1 << 11);
    /// The piece that takes pushes the other one off: where pieces have no names, the square of the
    /// victim is not seen empty, as it is not on boards with names.
    pub const PUSH: Self = Self(1 << 12);
    /// All of them together.
    pub const ALL: Self = Self((1 << 13) - 1);

    /// The switches, each with its word.
    pub const EACH: [(&'static str, Self); 13] = [
        ("scan", Self::SCAN),
        ("lag", Self::LAG),
        ("lies", Self::LIES),
        ("nowait", Self::NOWAIT),
        ("beside", Self::BESIDE),
        ("early", Self::EARLY),
        ("recapture", Self::RECAPTURE),
        ("tails", Self::TAILS),
        ("drags", Self::DRAGS),
        ("back", Self::BACK),
        ("after", Self::AFTER),
        ("takeback", Self::TAKEBACK),
        ("push", Self::PUSH),
    ];

    /// Whether all of `other` is among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These and those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Reads words with commas between them; `all` is all of them, `none` or nothing is none.
    ///
    /// # Errors
    /// If a word is none of them; what is said names them.
    pub fn parse(words: &str) -> Result<Self, String> {
        let mut also = Self::NONE;
        for word in words.split(',').filter(|word| !word.is_empty() && *word != "none") {
            let found = Self::EACH.into_iter().find(|(known, _)| *known == word);
            also = match found {
                Some((_, switch)) => also.with(switch),
                None if word == "all" => Self::ALL,
                None => {
                    let known = Self::EACH.map(|(known, _)| known).join(", ");
                    return Err(format!("known: {known}, all and none"));
                }
            };
        }
        Ok(also)
    }
}

impl fmt::Display for Also {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ALL {
            return f.write_str("all");
        }
        let words = Self::EACH.iter().filter(|(_, switch)| self.has(*switch));
        let words: Vec<&str> = words.map(|(word, _)| *word).collect();
        f.write_str(&words.join(","))
    }
}
