//! What waits for the arbiter, in words, and which orders answer it.

use super::super::profile::{CannotMate, Fault, IllegalCost, PromotionLeft};
use super::super::said::Verdict;
use super::Referee;
use super::claim::{ClaimKind, OpenClaim};
use super::matter::{Breach, ByAbsence, Case, Illegal, Matter, MayAct};
use shakmaty::Color;

/// One thing that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// By which orders can name it; none for what only says how things stand.
    pub number: Option<u32>,
    /// What it is, and what `confirm` would make of it.
    pub what: String,
    /// The orders that answer it; none if it only says how things stand.
    pub orders: Vec<&'static str>,
    /// What the Laws let the arbiter choose from, in words.
    pub options: Vec<String>,
    /// The arbiter may step in only if a player asks.
    pub is_on_request: bool,
}

impl Pending {
    fn of(what: String, orders: &[&'static str]) -> Self {
        let orders = orders.to_vec();
        Self { number: None, what, orders, options: Vec::new(), is_on_request: false }
    }
}

impl Referee {
    /// What waits for the arbiter. The first is what `confirm` and `dismiss` answer next.
    pub fn pending(&self) -> Vec<Pending> {
        let claims = self.claims.undecided().map(|open| self.pending_claim(open));
        let matters = self.cx.matters.iter().rev().map(|matter| self.pending_matter(matter));
        let (asks, mut found): (Vec<_>, Vec<_>) =
            claims.partition(|claim| !claim.orders.contains(&"confirm"));
        found.extend(matters);
        found.extend(asks);
        // What the opponent has claimed is a matter by now.
        let is_claimed = |breach: &Breach| {
            let is_it = |case: &Case| matches!(case, Case::Touch(it) if it.ply == breach.ply);
            self.cx.matters.iter().any(|matter| is_it(&matter.case))
        };
        let breaches = self.motion.breaches().rev().filter(|breach| !is_claimed(breach));
        found.extend(breaches.map(pending_breach));
        found.extend(self.standing());
        found
    }

    /// An envelope that lies there is opened when the player who is to reply is there.
    fn adjourned(&self) -> Pending {
        let replying = !self.cx.mover();
        let what = "the game is adjourned";
        if self.late.is_there(replying) {
            return Pending::of(what.to_owned(), &["open_envelope", "envelope_missing"]);
        }
        let what = format!("{what}; the envelope is opened when {replying} is there");
        Pending::of(what, &["envelope_missing"])
    }

    /// How things stand, where that is not as usual.
    fn standing(&self) -> Vec<Pending> {
        let mut found = Vec::new();
        if self.cx.is_over() {
            return found;
        }
        if let Some(binding) = self.motion.carried() {
            found.push(Pending::of(format!("{} must {binding}", self.cx.mover()), &[]));
        }
        if let Some((_, fen)) = self.demanded() {
            // Of an illegal move it is decided first whether it was one.
            let orders: &[_] = if self.may_be_restored() { &["restored"] } else { &[] };
            found.push(Pending::of(format!("the board must show {fen}"), orders));
        }
        for by in Color::ALL.into_iter().filter(|by| self.offers.is_open(*by)) {
            found.push(Pending::of(format!("{by} offers a draw"), &[]));
        }
        if let Some(by) = self.sitting.requested() {
            let what = if self.sitting.is_adjourned() {
                found.push(self.adjourned());
                return found;
            } else if self.sitting.is_written() {
                format!("{by} has written his move; it is sealed when he stops the clocks")
            } else {
                format!("{by} is to seal his move")
            };
            found.push(Pending::of(what, &[]));
        }
        found
    }

    fn pending_claim(&self, open: &OpenClaim) -> Pending {
        let by = open.by;
        let with = open.san.as_ref().map_or_else(String::new, |san| format!(" with {san}"));
        let (what, orders): (_, &[_]) = match open.asked {
            ClaimKind::Threefold | ClaimKind::Fifty => {
                let kind = match open.asked {
                    ClaimKind::Threefold => "the third occurrence",
                    _ => "fifty moves",
                };
                let verdict = open.verdict.word();
                let then = match open.verdict {
                    Verdict::Correct | Verdict::Unknown => "drawn if confirmed".to_owned(),
                    _ => {
                        let give = self.cx.rules.wrong_claim.give.as_secs();
                        format!("{give} s for {} if confirmed", !by)
                    }
                };
                (
                    format!("{by} claims {kind}{with}: {verdict} by the record, {then}"),
                    &["confirm", "dismiss"],
                )
            }
            ClaimKind::Quickplay(_) => (
                format!("{by} claims a draw in the last two minutes"),
                &["rule draw", "rule postpone", "rule reject"],
            ),
            ClaimKind::Increment => {
                (format!("{by} asks for five seconds a move"), &["rule grant", "rule reject"])
            }
        };
        Pending { number: Some(open.number), ..Pending::of(what, orders) }
    }

    fn pending_matter(&self, matter: &Matter) -> Pending {
        let orders: &[&'static str] = match matter.case {
            Case::Undecided(_) => &["confirm", "rule draw"],
            Case::Device(_) => &["confirm", "dismiss", "result"],
            Case::Reason => &["confirm", "no_reason white", "no_reason black"],
            _ => &["confirm", "dismiss"],
        };
        Pending {
            number: Some(matter.number),
            options: matter.options.clone(),
            is_on_request: matter.may_act == MayAct::OnRequest,
            ..Pending::of(self.words_for(&matter.case), orders)
        }
    }

    fn words_for(&self, case: &Case) -> String {
        match case {
            Case::Illegal(illegal) => self.words_for_illegal(illegal),
            Case::OutOfTurn => "a piece was moved out of turn; it goes back".to_owned(),
            Case::Displaced => "pieces were displaced; they go back".to_owned(),
            Case::Second { .. } => "a further piece was moved; the first move stands".to_owned(),
            Case::EmptyPress { by, .. } => {
                let then = match self.cx.rules.empty_press {
                    Fault::Handling => "noted if confirmed".to_owned(),
                    Fault::IllegalMove => self.cost_of(*by),
                };
                format!("{by} pressed without a move: {then}")
            }
            Case::TwoHands => "a move with two hands".to_owned(),
            Case::Flag(side) => {
                format!("{side}'s flag is down with moves missing: lost on time if confirmed")
            }
            Case::Device(side) => {
                format!("a device of {side} has sounded: {} wins if confirmed", !*side)
            }
            Case::BothFlags => "both flags are down".to_owned(),
            Case::Undecided(side) => format!(
                "{side} has overstepped, and nobody has proven whether {} can mate: lost if \
                 confirmed",
                !*side
            ),
            Case::Late(ByAbsence::One(side)) => format!("{side} is too late: lost if confirmed"),
            Case::Late(ByAbsence::Both) => "both are too late: both lose if confirmed".to_owned(),
            Case::WrongArray => "wrong array: a new game if confirmed".to_owned(),
            Case::Reversed => "the colors are reversed".to_owned(),
            Case::Misset => "the clock is said to be set wrong; \"set_time\" sets it".to_owned(),
            Case::Reason => "a player stopped the clocks: is his reason valid?".to_owned(),
            Case::Envelope(by) => {
                format!("the sealed move of {by} cannot be played: lost if confirmed")
            }
            Case::PositionLost => {
                "the position cannot be established: a new game if confirmed".to_owned()
            }
            Case::Agreed(score, reason) => format!("{score}, {reason}"),
            Case::BoardsDiffer => "the two boards differ".to_owned(),
            Case::StillImpossible => {
                "an illegal position is still on the board: drawn if confirmed".to_owned()
            }
            Case::Touch(breach) => {
                format!("{} claims that {} must {}", !breach.by, breach.by, breach.binding)
            }
            Case::Question => "a question".to_owned(),
        }
    }

    fn words_for_illegal(&self, illegal: &Illegal) -> String {
        let (by, why) = (illegal.by, illegal.why.word());
        let is_queen = illegal.promotion.is_some();
        let fate = match self.cx.rules.promotion_left {
            PromotionLeft::Queen if is_queen => "the pawn becomes a queen",
            _ => "it is taken back",
        };
        let times = self.times_before(illegal).unwrap_or_default();
        format!("illegal move of {by} ({why}): {fate}, {}{times}", self.cost_of(by))
    }

    /// What the clocks showed when an illegal move was begun, with what its opponent is given: a
    /// suggestion for `set_time`. 2005: Art. 6.14. 2009: Art. 6.13. From 2018: Art. 7.1.
    fn times_before(&self, illegal: &Illegal) -> Option<String> {
        let mut left = illegal.times?;
        let IllegalCost::Time { give, lose_on } = self.cx.rules.illegal.cost else { return None };
        if self.cx.faults.next(illegal.by) >= lose_on {
            return None;
        }
        left[!illegal.by] += give;
        let (white, black) = (left.white.as_secs(), left.black.as_secs());
        Some(format!("; by the times at its start then white {white} s, black {black} s"))
    }

    /// What one more illegal move of `by` costs, if it is confirmed.
    fn cost_of(&self, by: Color) -> String {
        let (nth, other) = (self.cx.faults.next(by), !by);
        match self.cx.rules.illegal.cost {
            IllegalCost::Time { give, lose_on } if nth < lose_on => {
                format!("{} s for {other} if confirmed", give.as_secs())
            }
            _ => {
                let unless = match self.cx.rules.illegal.cannot_mate {
                    CannotMate::Draw => ", unless he cannot mate",
                    CannotMate::Loss => "",
                };
                format!("the game for {other} if confirmed{unless}")
            }
        }
    }
}

/// A breach that may be claimed: what `confirm` enforces, and `dismiss` lets stand.
fn pending_breach(breach: &Breach) -> Pending {
    let (by, other, binding) = (breach.by, !breach.by, &breach.binding);
    let what = if breach.is_doubtful {
        format!("{by} did not {binding}, which he may have touched; {other} may claim it")
    } else {
        format!("{by} did not {binding} as he must; {other} may claim it")
    };
    let number = Some(breach.number);
    Pending { number, is_on_request: true, ..Pending::of(what, &["confirm", "dismiss"]) }
}
