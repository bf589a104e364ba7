//! Words of the table that all layers share, so that nobody has to translate them.

/// An end of the clock, seen from its front.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The left display and the left end of the lever.
    Left,
    /// The right display and the right end of the lever.
    Right,
}

impl End {
    /// The end opposite.
    ///
    /// ```
    /// use rokade::table::End;
    /// assert_eq!(End::Left.other(), End::Right);
    /// ```
    pub const fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}
