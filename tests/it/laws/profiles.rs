//! Profiles against the tables: every parameter in every edition, form and supervision.

use super::rows;
use rokade::laws::{ClaimantTime, Edition, Profile, Supervision, Variant};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn every_profile_says_what_the_table_says() {
    let mut told = BTreeSet::new();
    for [parameter, variants, supervisions, cells @ ..] in
        rows::<8>(include_str!("../../tables/laws/profiles.csv"))
    {
        let in_list = |list: &str, name: &str| list == "any" || list.split(' ').any(|w| w == name);
        for variant in Variant::ALL.into_iter().filter(|v| in_list(variants, v.word())) {
            for supervision in Supervision::ALL {
                if !in_list(supervisions, supervision.word()) {
                    continue;
                }
                for (edition, expected) in Edition::ALL.into_iter().zip(cells) {
                    let profile = Profile { edition, variant, supervision };
                    let said = profile.rules().describe();
                    let value = said.iter().find(|(name, _)| *name == parameter);
                    let (name, value) = value.unwrap_or_else(|| panic!("{parameter}"));
                    assert_eq!(value, expected, "{profile}: {parameter}");
                    assert!(told.insert((profile.to_string(), *name)), "{profile}: {name} twice");
                }
            }
        }
    }
    // Nothing is left out: every parameter of every profile stands in the table.
    let n_profiles = Edition::ALL.len() * Variant::ALL.len() * Supervision::ALL.len();
    assert_eq!(told.len(), n_profiles * Profile::default().rules().describe().len());
}

#[test]
fn time_controls_are_classified_by_edition() {
    let table = rows::<8>(include_str!("../../tables/laws/classification.csv"));
    assert_eq!(table.len(), 18);
    for [base, increment, cells @ .., _] in table {
        let base = Duration::from_secs(60 * base.parse::<u64>().expect("minutes"));
        let increment = Duration::from_secs(increment.parse().expect("seconds"));
        for (edition, expected) in Edition::ALL.into_iter().zip(cells) {
            let pace = edition.classify(base, increment);
            assert_eq!(pace.word(), expected, "{edition}: {base:?} + {increment:?}");
        }
    }
    let endless = Edition::M2023.classify(Duration::MAX, Duration::MAX);
    assert_eq!(endless.word(), "standard");
}

#[test]
fn a_wrong_claim_of_2005_takes_what_the_table_says() {
    let table = rows::<2>(include_str!("../../tables/laws/wrong-claim-2005.csv"));
    assert_eq!(table.len(), 16);
    let seconds = |cell: &str| Duration::from_secs_f64(cell.parse().expect("seconds"));
    for [before, after] in table {
        assert_eq!(ClaimantTime::Halved.after(seconds(before)), seconds(after), "{before}");
        assert_eq!(ClaimantTime::Unchanged.after(seconds(before)), seconds(before));
    }
}
