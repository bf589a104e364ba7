//! Time controls and the model of the clock, against tables and laws that hold for every game.

mod properties;
mod script;

use rokade::clock::TimeControl;

/// The rows of a table: `N` columns separated by semicolons; only the last may contain one.
fn rows<const N: usize>(table: &str) -> Vec<[&str; N]> {
    table
        .lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<_> = line.splitn(N, ';').collect();
            columns.try_into().unwrap_or_else(|_| panic!("a row of {N} columns: {line}"))
        })
        .collect()
}

#[test]
fn time_controls_are_read_and_written_as_the_table_says() {
    let mut wrong = Vec::new();
    for [text, printed, pgn, _] in rows::<4>(include_str!("../tables/time-controls.csv")) {
        let said = match text.parse::<TimeControl>() {
            Ok(control) => format!("{control};{}", control.to_pgn()),
            Err(e) => {
                let said = e.to_string();
                let head = format!("time control {text:?}: ");
                let said = said.strip_prefix(&head).expect("the text is named first");
                format!("!{said};")
            }
        };
        if said != format!("{printed};{pgn}") {
            wrong.push(format!("{text}\n  is said to be {printed};{pgn}\n  but is      {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_offered_for_a_wrong_time_control_is_right() {
    for [text, printed, ..] in rows::<4>(include_str!("../tables/time-controls.csv")) {
        let Err(error) = text.parse::<TimeControl>() else { continue };
        assert!(printed.starts_with('!'), "{text}");
        for form in error.forms.iter().flat_map(|form| form.split(" or ")) {
            let form = form.strip_suffix(" for none").unwrap_or(form);
            assert!(form.parse::<TimeControl>().is_ok(), "{text}: {form}");
        }
    }
}

#[test]
fn the_clock_goes_as_the_table_says() {
    let mut wrong = Vec::new();
    for [id, control, steps, said, _] in rows::<5>(include_str!("../tables/clock.csv")) {
        let is = script::play(control, steps);
        if is != said {
            wrong.push(format!("{id}\n  should say {said}\n  but says   {is}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_pgn_tag_counts_in_seconds() {
    for (tag, same) in [("180+2", "3m+2s"), ("60", "60s"), ("40/90:30", "40/90s:30s")] {
        assert_eq!(TimeControl::from_pgn(tag), Ok(same.parse().unwrap()), "{tag}");
    }
}

#[test]
fn american_signs_are_read() {
    let delayed: TimeControl = "40/90,SD/30;d5".parse().unwrap();
    assert_eq!(delayed.to_string(), "40/90m d5s:30m d5s");
}
