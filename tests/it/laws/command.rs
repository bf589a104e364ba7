//! `rokade laws`: what it prints, and what it says of a row that is not there.

use crate::cli::assert_sentence;
use crate::program::run;

#[tokio::test]
async fn a_row_is_printed_with_the_article_of_the_edition() {
    let modern = run(&["laws", "l9.2b"]).await;
    assert_eq!(modern.code, Some(0), "{}", modern.err);
    assert!(modern.out.starts_with("L9.2b  Art. 9.2.2, Laws of 2023\n"), "{}", modern.out);
    let old = run(&["laws", "9.5b", "--edition", "hu2005"]).await;
    assert!(old.out.starts_with("L9.5b  Art. 9.5(b), Laws of 2005 (Hungary)\n"), "{}", old.out);
    assert!(old.out.contains("proposed by the program"), "{}", old.out);
    let absent = run(&["laws", "LM9.6.1", "--edition", "dk2009"]).await;
    assert!(absent.out.contains("not in the Laws of 2009 (Denmark)"), "{}", absent.out);
    let all = run(&["laws", "all"]).await;
    assert_eq!(all.out.lines().filter(|line| line.starts_with('L')).count(), 389);
}

#[tokio::test]
async fn a_profile_is_printed_in_full() {
    let profile = ["--edition", "dk2009", "--variant", "blitz", "--supervision", "inadequate"];
    let outcome = run(&[&["laws"], &profile[..]].concat()).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    assert!(outcome.out.contains("  illegal move: the opponent may claim the game\n"));
}

#[tokio::test]
async fn an_unknown_row_is_answered_with_the_nearest() {
    assert_sentence(&run(&["laws", "9.2z"]).await, 2, &["\"9.2z\"", "9.2.1"]);
    let edition = run(&["laws", "--edition", "dk2010"]).await;
    assert_eq!(edition.code, Some(2));
    assert!(edition.err.contains("did you mean dk2009?"), "{}", edition.err);
}
