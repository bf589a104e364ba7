//! Time controls and the model of the clock, against tables and laws that hold for every game.

mod device;
mod properties;
mod script;

use crate::table::rows;
use device::Desk;
use rokade::clock::{Check, ClockNote, TimeControl};
use rokade::time::Mono;
use shakmaty::Color;
use std::time::Duration;

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

#[test]
fn differences_of_a_clock_are_named_as_the_table_says() {
    let mut wrong = Vec::new();
    for [id, control, device, steps, rest] in rows::<5>(include_str!("../tables/clock-notes.csv")) {
        // What is said may hold a semicolon, the comment none.
        let (said, _) = rest.rsplit_once(';').expect("a comment");
        let mut desk = Desk::new(Some(control).filter(|control| *control != "?"), device);
        steps.split(", ").for_each(|step| desk.step(step));
        let is: Vec<_> = desk.notes.iter().map(|note| format!("{} {note}", note.code())).collect();
        let is = is.join(", ");
        if is != said {
            wrong.push(format!("{id}\n  should say {said}\n  but says   {is}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What it was set to nobody saw.
#[test]
fn a_clock_that_runs_when_it_is_first_read_is_not_set_wrong() {
    let mut desk = Desk::new(Some("3m+2s"), "3m+2s");
    ["start white", "wait 30"].into_iter().for_each(|step| desk.step(step));
    desk.check = Check::new(Some("3m+2s".parse().expect("a time control")));
    ["wait 5", "press white", "wait 9"].into_iter().for_each(|step| desk.step(step));
    assert_eq!(desk.notes, []);
}

/// Four hours of play, each move a little longer or shorter, on a clock whose second is `second`
/// microseconds long.
fn farthest_in_four_hours(second: &str) -> Duration {
    let mut desk = Desk::new(Some("40/2h+30s:1h+30s"), "first 40/2h+30s:1h+30s");
    desk.step(second);
    desk.step("start white");
    let mut farthest = Duration::ZERO;
    for n in 0..200_u64 {
        // Moves of 1 to 137 seconds, with odd milliseconds.
        desk.wait(Duration::from_millis(1_000 + n * 7_919_173 % 136_000));
        desk.press(if n.is_multiple_of(2) { Color::White } else { Color::Black });
        desk.wait(Duration::from_millis(700));
        let (shown, reckoned) = (desk.truth.times(desk.own()), desk.estimate().times);
        for color in Color::ALL {
            farthest = farthest.max(shown.get(color).abs_diff(*reckoned.get(color)));
        }
    }
    assert!(desk.now.since(Mono(0)) > Duration::from_secs(4 * 3600 - 1200), "{}", desk.now);
    // Nothing is said but that each player has come to the second period.
    let credit = Duration::from_secs(3600);
    let period = |by| ClockNote::Period { by, credit };
    assert_eq!(desk.notes, [period(Color::White), period(Color::Black)]);
    farthest
}

#[test]
fn display_and_model_stay_together_over_four_hours() {
    let farthest = farthest_in_four_hours("second 1000000");
    assert!(farthest < Duration::from_millis(100), "{farthest:?}");
}

#[test]
fn a_crystal_that_is_a_little_off_is_followed() {
    for second in ["second 1000050", "second 999950"] {
        let farthest = farthest_in_four_hours(second);
        assert!(farthest < Duration::from_millis(100), "{second}: {farthest:?}");
    }
}
