//! What the FIDE Laws say about what was seen. This layer knows positions and facts, not sensors.

pub mod act;
pub mod code;
pub mod dead;
pub mod declaration;
pub mod edition;
pub mod finding;
mod history;
pub mod name;
pub mod notation;
pub mod order;
mod order_words;
pub mod outcome;
mod picture;
pub mod profile;
pub mod referee;
pub mod rows;
pub mod said;
pub mod score;
pub mod terms;
mod touch;
mod why;

pub use act::Act;
pub use code::Code;
pub use declaration::{Claim, Declaration, Ground};
pub use edition::{Edition, Pace, Supervision, Variant};
pub use finding::{Finding, FindingKind, Severity};
pub use name::UnknownName;
pub use order::{GivenPosition, GoingOn, Order, Phrase, Where, Whose};
pub use order_words::{ClaimBasis, DeclaredFor, Judgment, Paper, WhichGame};
pub use outcome::{Ending, Reason};
pub use profile::{
    AutomaticDraws, BothFlags, CannotMate, ClaimStops, ClaimantTime, DeviceRule, Fault, FlagCall,
    HandlingLapse, HandlingWatch, IllegalCost, IllegalRaised, IllegalRule, Impossible, KingRelease,
    LapsesBy, Profile, PromotionLeft, QuickplayClaim, ReplacementBound, ReversedColors, Rules,
    ScoreDuty, Unpressed, WrongClaim,
};
pub use referee::{Clocks, Display, MayAct, Pending, Referee, Said, Sheet, SheetMove, Told};
pub use said::{
    Binding, ClockOrder, Confidence, GameResult, Note, OfferState, Ruling, SideNames, Verdict,
};
pub use score::Score;
pub use terms::{Bonus, Evidence, FlagWatch, FlagWitness, Impaired, PeriodCredit, Terms, Venue};
pub use why::{Stage, Wrong};
