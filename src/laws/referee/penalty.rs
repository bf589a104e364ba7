//! What a fault costs, and the row of the Laws that says so.

use super::super::edition::{Edition, Pace};
use super::super::terms::Terms;

pub(super) fn row_of_illegal(terms: &Terms) -> &'static str {
    modern_row(terms, "L7.4b1")
}

/// The row for what is dealt with as an illegal move since 2018.
pub(super) fn row_of_fault(terms: &Terms) -> &'static str {
    modern_row(terms, "LM7.5.5")
}

pub(super) fn row_of_claim(terms: &Terms) -> &'static str {
    if terms.profile.edition.is_modern() { modern_row(terms, "LM9.5.3") } else { "L9.5b" }
}

/// The row that says how much time is given at this pace since 2018.
fn modern_row(terms: &Terms, standard: &'static str) -> &'static str {
    let edition = terms.profile.edition;
    match (terms.pace(), edition) {
        (Pace::Blitz, _) if edition.is_modern() => "LM.B",
        (Pace::Rapid, Edition::M2023) => "LM.A.3",
        _ => standard,
    }
}
