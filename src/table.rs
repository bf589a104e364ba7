//! Words of the table that all layers share, so that nobody has to translate them.

pub mod placement;
pub mod written;

pub use placement::{Placement, Reading, Sight};

use shakmaty::{ByColor, Color};
use std::time::Duration;

/// How much time both players have left.
pub type Times = ByColor<Duration>;

/// A value that settings, records and logs write as one word out of a fixed list.
pub trait Word: Copy + PartialEq + 'static {
    /// Every value.
    const VALUES: &'static [Self];

    /// The word for this value.
    fn word(self) -> &'static str;

    /// The value that `word` stands for.
    fn parse(word: &str) -> Option<Self> {
        Self::VALUES.iter().copied().find(|value| value.word() == word)
    }
}

/// Declares an enumeration and the word of each value: it gets `ALL` and `word`, and is a [`Word`].
macro_rules! words {
    ($(#[$about:meta])* $vis:vis enum $name:ident {
        $($(#[$what:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$about])*
        $vis enum $name { $($(#[$what])* $variant,)+ }

        impl $name {
            /// All there are.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word by which settings, records and logs know it.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl crate::table::Word for $name {
            const VALUES: &'static [Self] = &Self::ALL;

            fn word(self) -> &'static str {
                self.word()
            }
        }
    };
}
pub(crate) use words;

/// Declares a structure and its `Default`: what stands behind `=` in a field, or else the default
/// of its type. Where fields are `given`, it has a function `begin` of these in the place of that.
macro_rules! defaults {
    (@) => { Default::default() };
    (@ $usual:expr) => { $usual };
    ($(#[$about:meta])* $vis:vis struct $name:ident $(<$part:tt $(= $usual_part:ty)?>)? {
        given { $($(#[$is:meta])* $given_of:vis $given:ident: $given_kind:ty,)+ }
        $($(#[$what:meta])* $of:vis $field:ident: $kind:ty $(= $usual:expr)?,)+
    }) => {
        $(#[$about])*
        $vis struct $name $(<$part $(= $usual_part)?>)? {
            $($(#[$is])* $given_of $given: $given_kind,)+
            $($(#[$what])* $of $field: $kind,)+
        }

        impl $(<$part>)? $name $(<$part>)? {
            fn begin($($given: $given_kind),+) -> Self {
                Self { $($given,)+ $($field: crate::table::defaults!(@ $($usual)?),)+ }
            }
        }
    };
    ($(#[$about:meta])* $vis:vis struct $name:ident {
        $($(#[$what:meta])* $of:vis $field:ident: $kind:ty $(= $usual:expr)?,)+
    }) => {
        $(#[$about])*
        $vis struct $name { $($(#[$what])* $of $field: $kind,)+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: crate::table::defaults!(@ $($usual)?),)+ }
            }
        }
    };
}
pub(crate) use defaults;

impl Word for Color {
    const VALUES: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.fold_wb("white", "black")
    }
}

words! {
    /// An end of the clock, seen from its front.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum End {
        /// The left display and the left end of the lever.
        Left = "left",
        /// The right display and the right end of the lever.
        Right = "right",
    }
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

    /// Its place where there is something for each end: the left one comes first.
    pub const fn idx(self) -> usize {
        self as usize
    }
}
