//! What the FIDE Laws say about what was seen. This layer knows positions and facts, not sensors.

pub mod dead;
pub mod edition;
pub mod finding;
pub mod name;
pub mod notation;
pub mod outcome;
pub mod profile;
pub mod repetition;
pub mod rows;

pub use edition::{Edition, Pace, Supervision, Variant};
pub use finding::{Finding, FindingKind, Severity};
pub use name::UnknownName;
pub use outcome::{Ending, Reason};
pub use profile::{
    AutomaticDraws, BothFlags, CannotMate, ClaimStops, ClaimantTime, DeviceRule, Fault, FlagCall,
    HandlingLapse, HandlingWatch, IllegalCost, IllegalRaised, IllegalRule, Impossible, KingRelease,
    LapsesBy, Profile, PromotionLeft, QuickplayClaim, Recording, ReplacementBound, ReversedColors,
    Rules, WrongClaim,
};
