//! The model of a clock driven by words, and what it says in words.

use rokade::clock::{Change, ClockModel, Crediting, FirstIncrement, Manner, PerMove};
use rokade::relay::log::hms;
use rokade::time::Mono;
use shakmaty::Color;
use std::time::Duration;

/// Plays `steps` on a clock for `control` and tells what happened and how it stands.
pub(super) fn play(control: &str, steps: &str) -> String {
    let mut manner = Manner::default();
    let control = match control.split_once(' ') {
        Some(("zero", control)) => {
            manner.crediting = Crediting::OnZero;
            control
        }
        Some(("first", control)) => {
            manner.first_increment = FirstIncrement::BeforeStart;
            control
        }
        _ => control,
    };
    let mut clock = ClockModel::new(control.parse().expect("a time control"), manner);
    let (mut now, mut said) = (Mono(0), Vec::new());
    for step in steps.split(", ") {
        if let Some(seconds) = step.strip_prefix("wait ") {
            now = now + Duration::from_secs(seconds.parse().expect("seconds"));
            said.extend(clock.advance(now));
        } else {
            said.extend(obey(&mut clock, now, step));
        }
    }
    let said: Vec<String> = said.iter().map(words).collect();
    let stands = stands(&clock);
    format!("{} = {stands}", said.join(", ")).trim_start().to_owned()
}

fn obey(clock: &mut ClockModel, now: Mono, step: &str) -> Vec<Change> {
    let mut rest = step.split(' ');
    let verb = rest.next().unwrap_or_default();
    let colors = match rest.next() {
        Some("white") => vec![Color::White],
        Some("black") => vec![Color::Black],
        Some("both") => vec![Color::White, Color::Black],
        None => Vec::new(),
        Some(word) => {
            let seconds = word.strip_prefix('+').and_then(|n| n.parse().ok());
            let seconds = Duration::from_secs(seconds.unwrap_or_else(|| panic!("{step}")));
            return clock.set_per_move(now, PerMove::Increment(seconds));
        }
    };
    let number: u32 = rest.next().map_or(0, |n| n.parse().expect("a number"));
    let span = Duration::from_secs(u64::from(number));
    if verb == "stop" {
        return clock.stop(now);
    }
    let mut changes = Vec::new();
    for color in colors {
        changes.extend(match verb {
            "start" => clock.start(now, color),
            "press" => clock.press(now, color),
            "set" => clock.set_time(now, color, span),
            "add" => clock.add(now, color, span),
            "sub" => clock.subtract(now, color, span),
            "moves" => {
                clock.set_completed(color, number);
                Vec::new()
            }
            "period" => {
                clock.set_period(color, number as usize - 1);
                Vec::new()
            }
            _ => panic!("no such step: {step}"),
        });
    }
    changes
}

fn words(change: &Change) -> String {
    let gained = |credit: Duration| match credit.as_secs() {
        0 => String::new(),
        n => format!(" +{n}"),
    };
    match *change {
        Change::Started(color) => format!("runs {color}"),
        Change::Stopped => "stops".to_owned(),
        Change::Pressed { by, credit } => format!("{by} pressed{}", gained(credit)),
        Change::PeriodBegun { by, index, credit } => {
            format!("{by} period {}{}", index + 1, gained(credit))
        }
        Change::FlagFell { by, at, has_enough_moves } => {
            let enough = if has_enough_moves { " enough" } else { "" };
            format!("{by} flag at {}{enough}", at.millis() / 1_000)
        }
        Change::Adjusted { by, from, to } => {
            format!("{by} {} > {}", from.as_secs(), to.as_secs())
        }
    }
}

fn stands(clock: &ClockModel) -> String {
    let running = clock.running().map_or("none".to_owned(), |color| color.to_string());
    let times = [Color::White, Color::Black].map(|color| hms(clock.left(color)));
    let flags = match [Color::White, Color::Black].map(|color| clock.is_flagged(color)) {
        [false, false] => "",
        [true, false] => ", flag white",
        [false, true] => ", flag black",
        [true, true] => ", flags of both",
    };
    format!("{} {} {running}{flags}", times[0], times[1])
}
