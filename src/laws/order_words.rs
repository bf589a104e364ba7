//! The words of which an order takes one of a few.

use crate::table::words;

/// A judgment on a claim.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Judgment {
    /// The game is drawn.
    Draw,
    /// The decision is put off, and the opponent gets two minutes, as he may. 10.2b (III.5.2).
    Postpone,
    /// It is put off, and nobody gets time.
    PostponeOnly,
    /// The claim is rejected.
    Reject,
    /// The request is granted.
    Grant,
    /// The game is lost by the claimant. 2005, 2009: Art. D1.
    Loss,
}

words! {
    Judgment {
        Draw = "draw",
        Postpone = "postpone",
        PostponeOnly = "postpone 0",
        Reject = "reject",
        Grant = "grant",
        Loss = "loss",
    }
}

/// Of which game a result is, where one is over and the next one is paired.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum WhichGame {
    /// The one that is over.
    Last,
    /// The one that nobody has begun.
    Next,
}

words! {
    WhichGame {
        Last = "last",
        Next = "next",
    }
}

/// For what a result is declared.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DeclaredFor {
    /// The players agreed upon it before the round: the arbiter may refuse it.
    AgreementBeforeRound,
    /// A player did not come, or not in time.
    Default,
}

words! {
    DeclaredFor {
        AgreementBeforeRound = "agreement_before_round",
        Default = "default",
    }
}

/// Upon what a claim must not rest.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ClaimBasis {
    /// A display in the hall, and nothing else.
    DisplayOnly,
}

words! {
    ClaimBasis {
        DisplayOnly = "display_only",
    }
}

/// A paper that is more than a copy of what is known.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Paper {
    /// The record of the game; once a flag is down the players must agree on it, or reconstruct it.
    Record,
}

words! {
    Paper {
        Record = "record",
    }
}
