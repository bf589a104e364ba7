//! The words of which an order takes one of a few.

use crate::table::words;

words! {
    /// A judgment on a claim.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub enum Judgment {
        /// The game is drawn.
        Draw = "draw",
        /// The decision is put off, and the opponent gets two minutes, as he may. 10.2b (III.5.2).
        Postpone = "postpone",
        /// It is put off, and nobody gets time.
        PostponeOnly = "postpone 0",
        /// The claim is rejected.
        Reject = "reject",
        /// The request is granted.
        Grant = "grant",
        /// The game is lost by the claimant. 2005, 2009: Art. D1.
        Loss = "loss",
    }
}

words! {
    /// Of which game a result is, where one is over and the next one is paired.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum WhichGame {
        /// The one that is over.
        Last = "last",
        /// The one that nobody has begun.
        Next = "next",
    }
}

words! {
    /// For what a result is declared.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum DeclaredFor {
        /// The players agreed upon it before the round: the arbiter may refuse it.
        AgreementBeforeRound = "agreement_before_round",
        /// A player did not come, or not in time.
        Default = "default",
    }
}

words! {
    /// Upon what a claim must not rest.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum ClaimBasis {
        /// A display in the hall, and nothing else.
        DisplayOnly = "display_only",
    }
}

words! {
    /// A paper that is more than a copy of what is known.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum Paper {
        /// The record of the game; once a flag is down the players must agree on it, or
        /// reconstruct it.
        Record = "record",
    }
}
