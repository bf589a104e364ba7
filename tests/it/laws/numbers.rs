//! How articles are numbered in 2009 and in 2005.

use super::rows;
use proptest::prelude::*;
use rokade::laws::{Edition, rows as provisions};

#[test]
fn numbers_of_2009_are_those_of_2005_where_the_table_says() {
    let table = rows::<2>(include_str!("../../tables/laws/numbers.csv"));
    assert_eq!(table.len(), 42);
    for [new, old] in table {
        let found = provisions::of(new, Edition::Dk2009).unwrap_or_else(|e| panic!("{e}"));
        for row in found {
            let Some(article) = row.article(Edition::Hu2005) else { continue };
            assert!(!old.is_empty(), "{} is {article} in 2005", row.id);
            let is_right = old.split(", ").any(|old| row.is_within(Edition::Hu2005, old));
            assert!(is_right, "{}: {new} is {article}, not {old}, in 2005", row.id);
        }
        for old in old.split(", ").filter(|old| !old.is_empty()) {
            assert!(provisions::of(old, Edition::Hu2005).is_ok(), "{old} of 2005 is missing");
        }
    }
}

proptest! {
    #[test]
    fn any_question_is_answered(query in ".{0,60}") {
        for edition in Edition::ALL {
            match provisions::find(&query, edition) {
                Ok(found) => prop_assert!(!found.is_empty()),
                Err(error) => prop_assert!(error.query.chars().count() <= 40),
            }
        }
    }
}
