//! A driver and a clock behind a board, on a line that loses, delays and repeats.

use super::faults::Badness;
use super::world::{Happens, World, times};
use proptest::prelude::*;
use rokade::sim::{Glass, Obedience};
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::segments::segments;
use rokade::wire::{
    Ack, BoardLink, Button, Buttons, ClockDriver, ClockKind, ClockNews, ClockText, Difference,
    Icons, PortDriver, PortInput, Runs, Wanted,
};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn text(words: &str) -> Wanted {
    Wanted { text: Some(ClockText::plain(words)), ..Wanted::default() }
}

fn driven(runs: Runs) -> Wanted {
    Wanted { times: Some(times(5_400, 5_400, runs, Mono::default())), ..Wanted::default() }
}

#[test]
fn a_clock_is_found_and_set() {
    for (kind, n_places) in [(ClockKind::Xl, 6), (ClockKind::Dgt3000, 8)] {
        let mut world = World::new(kind, Obedience::Remote);
        world.want(driven(Runs::Pause));
        world.pass(5 * SECOND);
        assert!(world.news.contains(&ClockNews::Found(kind)), "{:?}", world.news);
        assert_eq!(world.driver_difference(), None);
        let time = world.clock.time();
        assert_eq!((time.left.seconds, time.right.seconds), (5_400, 5_400));
        world.want(Wanted { text: Some(ClockText::call_arbiter()), ..driven(Runs::Pause) });
        world.pass(2 * SECOND);
        match world.clock.glass() {
            Glass::Segments(places) => assert_eq!(places, segments("arbitr")),
            Glass::Letters(letters) => assert_eq!(&letters, b"arbiter "),
            Glass::Times => panic!("no text on {n_places} places"),
        }
    }
}

#[test]
fn one_command_is_under_way_at_a_time() {
    let mut world = World::new(ClockKind::Xl, Obedience::Remote);
    world.late(Duration::from_millis(900));
    let icons = Some(Icons { left: 1, right: 1, ..Icons::default() });
    world.want(Wanted { icons, ..driven(Runs::Left) });
    world.beep(4);
    world.pass(20 * SECOND);
    assert_eq!(world.most_in_flight, 1);
    assert_eq!(world.clock.n_beeps(), 1);
    assert_eq!(world.clock.icons().left, 1);
}

#[test]
fn a_beep_is_sent_at_once() {
    let mut world = World::new(ClockKind::Xl, Obedience::Remote);
    world.want(driven(Runs::Left));
    world.pass(20 * SECOND);
    let n = world.n_sent;
    world.beep(4);
    assert_eq!(world.n_sent, n + 1);
}

/// A board is there as long as it says anything, be it no message.
#[test]
fn a_board_that_only_makes_noise_is_not_silent() {
    let (mut link, mut out) = (BoardLink::default(), Vec::new());
    let version = PortInput::Bytes(vec![0x93, 0, 5, 1, 8]);
    ClockDriver::handle(&mut link, Mono::default(), &PortInput::Up, &mut out);
    ClockDriver::handle(&mut link, Mono::from_millis(50), &version, &mut out);
    assert!(link.is_linked());
    for ms in (400..9_000).step_by(400) {
        let at = Mono::from_millis(ms);
        ClockDriver::handle(&mut link, at, &PortInput::Bytes(vec![0x31]), &mut out);
        ClockDriver::on_timeout(&mut link, at, &mut out);
    }
    assert!(link.is_linked());
    ClockDriver::on_timeout(&mut link, Mono::from_millis(14_000), &mut out);
    assert!(!link.is_linked(), "now it is");
}

#[test]
fn the_newest_of_waiting_texts_is_shown() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.pass(5 * SECOND);
    let n_sent = world.n_sent;
    for words in ["e2e4", "e7e5", "g1f3"] {
        world.want(text(words));
    }
    world.pass(5 * SECOND);
    assert_eq!(world.clock.glass(), Glass::Letters(*b"g1f3    "));
    assert_eq!(
        world.n_sent - n_sent,
        2,
        "the first was under way, the second is not worth sending"
    );
}

#[test]
fn the_times_are_sent_before_any_text() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.pass(5 * SECOND);
    world.want(Wanted { text: Some(ClockText::plain("1-0")), ..driven(Runs::Pause) });
    world.pass(5 * SECOND);
    assert_eq!(world.ids_sent(2), [0x0a, 0x0c]);
    assert_eq!(world.clock.glass(), Glass::Letters(*b"1-0     "));
}

#[test]
fn a_running_clock_is_set_to_what_is_left_when_it_hears() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.lose_everything();
    world.want(driven(Runs::Left));
    world.pass(60 * SECOND);
    assert_eq!(world.driver_difference(), Some(Difference::Absent));
    world.repair();
    world.pass(20 * SECOND);
    assert_eq!(world.driver_difference(), None);
    let left = world.clock.time().left.seconds;
    assert!((5_319..=5_321).contains(&left), "{left} s are left after 80 s");
}

#[test]
fn a_clock_in_the_wrong_option_is_told_of_with_the_mend() {
    for (kind, option) in [(ClockKind::Xl, "option 23"), (ClockKind::Dgt3000, "option 25")] {
        let mut world = World::new(kind, Obedience::WrongOption);
        world.want(driven(Runs::Pause));
        world.pass(100 * SECOND);
        let mends: Vec<_> = world
            .news
            .iter()
            .filter_map(|news| match news {
                ClockNews::Refuses(mend) => Some(*mend),
                _ => None,
            })
            .collect();
        assert!(matches!(mends[..], [mend] if mend.contains(option)), "{mends:?}");
        assert_eq!(world.driver_difference(), Some(Difference::Refused));
        // The option is chosen and the clock plugged in again.
        world.happen(Happens::Unplug);
        world.choose(Obedience::Remote);
        world.pass(SECOND);
        world.happen(Happens::Plug);
        world.pass(10 * SECOND);
        assert_eq!(world.driver_difference(), None);
        assert!(world.news.ends_with(&[ClockNews::Agrees]) || world.agrees());
    }
}

#[test]
fn a_clock_that_can_only_be_read_is_told_of_and_read() {
    let mut world = World::new(ClockKind::Xl, Obedience::ReadOnly);
    world.want(driven(Runs::Pause));
    world.pass(200 * SECOND);
    let silent = world.news.iter().filter(|news| matches!(news, ClockNews::Silent(_))).count();
    assert_eq!(silent, 1, "{:?}", world.news);
    assert!(world.news.iter().any(|news| matches!(news, ClockNews::Reading(_))));
    assert_eq!(world.driver_difference(), Some(Difference::Silent));
    assert!(world.n_sent < 20, "{} questions to a deaf clock in 200 s", world.n_sent);
}

#[test]
fn an_error_is_tried_again_at_once() {
    let mut world = World::new(ClockKind::Xl, Obedience::Remote);
    world.pass(5 * SECOND);
    world.want(text("hello"));
    let n_sent = world.n_sent;
    // What an XL of version 1.14 says of a text now and then; the text is lost.
    world.hear_ack(Ack([0x20, 0x01, 0, 0]));
    assert_eq!(world.n_sent, n_sent + 1);
}

#[test]
fn an_answer_to_another_command_releases_nothing() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.pass(5 * SECOND);
    world.lose_everything();
    world.want(driven(Runs::Pause));
    let n_sent = world.n_sent;
    world.hear_ack(Ack([0x10, 0x0c, 0, 0]));
    world.hear_ack(Ack([0x10, 0x8a, 0x0a, 0]));
    assert_eq!(world.n_sent, n_sent, "only the answer to 0A counts");
    assert_eq!(world.driver_difference(), Some(Difference::Times));
}

#[test]
fn a_command_without_an_answer_is_sent_three_times_and_then_told_of() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.pass(5 * SECOND);
    world.lose_everything();
    let n_sent = world.n_sent;
    world.want(text("hello"));
    world.pass(7 * SECOND);
    assert_eq!(world.n_sent - n_sent, 3);
    assert!(world.news.contains(&ClockNews::Unanswered(0x0c)), "{:?}", world.news);
    world.pass(30 * SECOND);
    assert!(world.news.contains(&ClockNews::Differs(Difference::Text)), "{:?}", world.news);
    world.repair();
    world.pass(60 * SECOND);
    assert_eq!(world.clock.glass(), Glass::Letters(*b"hello   "));
    assert_eq!(world.news.last(), Some(&ClockNews::Agrees));
}

/// A command that only brings the seconds into step has its moment: without an answer it is not
/// said again at once, when it would be wrong, and nobody is told.
#[test]
fn a_step_that_is_lost_waits_for_another_moment() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.pass(5 * SECOND);
    let wanted = times(300, 300, Runs::Left, world.now);
    world.want(Wanted { times: Some(wanted), ..Wanted::default() });
    world.pass(Duration::from_millis(700));
    world.lose_everything();
    let n_sent = world.n_sent;
    let mut steps = Vec::new();
    for ms in 0..9_000 {
        world.pass(Duration::from_millis(1));
        steps.resize(world.n_sent - n_sent, ms);
    }
    let [first, second] = steps[..] else { panic!("{steps:?}") };
    let apart = second - first;
    assert!(apart >= 6_000, "the wait for an answer, and a pause: {steps:?}");
    assert_eq!(apart % 1_000, 0, "at the same moment of a second: {steps:?}");
    assert!(!world.news.iter().any(|it| matches!(it, ClockNews::Unanswered(_))));
}

#[test]
fn the_lever_and_the_buttons_are_events() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.want(driven(Runs::Left));
    world.pass(5 * SECOND);
    let is_event = |news: &ClockNews| matches!(news, ClockNews::Lever(_) | ClockNews::Pressed(_));
    assert!(!world.news.iter().any(is_event), "the first value is no press: {:?}", world.news);
    world.happen(Happens::Lever(End::Left));
    world.pass(SECOND);
    let buttons = Buttons::of(&[Button::Back, Button::Forward]);
    world.happen(Happens::Buttons(buttons));
    world.pass(SECOND);
    world.happen(Happens::Lever(End::Left));
    world.pass(SECOND);
    let events: Vec<_> = world.news.iter().filter(|news| is_event(news)).collect();
    assert_eq!(events, [&ClockNews::Lever(End::Right), &ClockNews::Pressed(buttons)]);
}

/// A board that is asked for a reading may send the clock's last answer again (protocol 2.6).
#[test]
fn a_button_that_is_told_again_behind_a_question_is_pressed_once() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.want(driven(Runs::Left));
    world.pass(5 * SECOND);
    let pressed = Buttons::of(&[Button::Plus]);
    let ack = world.clock.press_buttons(pressed).expect("a clock that hears its buttons");
    world.want(driven(Runs::Right));
    let n_said = 100;
    for _ in 0..n_said {
        world.hear_ack(ack);
        world.pass(SECOND / 10);
    }
    let is_it = |news: &&ClockNews| **news == ClockNews::Pressed(pressed);
    let n_told = world.news.iter().filter(is_it).count();
    assert!(n_told > 1 && n_told < n_said, "{n_told} of {n_said}");
}

#[test]
fn old_times_after_a_setting_are_not_passed_on() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    world.want(driven(Runs::Pause));
    world.pass(10 * SECOND);
    world.news.clear();
    let wanted = times(60, 60, Runs::Pause, world.now);
    world.want(Wanted { times: Some(wanted), ..Wanted::default() });
    world.pass(Duration::from_millis(500));
    world.hear_old_time(5_400);
    let has_old = |news: &ClockNews| match news {
        ClockNews::Reading(time) => time.left.seconds == 5_400,
        _ => false,
    };
    assert!(!world.news.iter().any(has_old), "{:?}", world.news);
    world.pass(10 * SECOND);
    assert_eq!(world.driver_difference(), None);
}

#[test]
fn players_who_press_every_other_second_are_no_fault() {
    let mut world = World::new(ClockKind::Dgt3000, Obedience::Remote);
    for n in 0..40_u32 {
        let runs = if n % 2 == 0 { Runs::Left } else { Runs::Right };
        let wanted = times(300 - n, 300 - n, runs, world.now);
        world.want(Wanted { times: Some(wanted), ..Wanted::default() });
        world.happen(Happens::Lever(if n % 2 == 0 { End::Right } else { End::Left }));
        world.pass(Duration::from_millis(1_800));
    }
    let differs = world.news.iter().any(|news| matches!(news, ClockNews::Differs(_)));
    assert!(!differs, "{:?}", world.news);
}

#[test]
fn a_clock_that_drifts_over_a_long_think_is_set_right() {
    let mut world = World::drifting(ClockKind::Dgt3000, 5_000);
    world.want(driven(Runs::Left));
    world.pass(3_000 * SECOND);
    let left = world.clock.time().left.seconds;
    assert!((2_396..=2_404).contains(&left), "{left} s are left after 3000 of 5400");
    assert_eq!(world.driver_difference(), None);
}

#[test]
fn a_clock_that_is_off_in_a_part_of_each_second_is_set_right() {
    let badness = Badness { lost: 0, twice: 28, late: Duration::from_millis(2_316) };
    let mut world = World::bad(ClockKind::Dgt3000, badness, 0, 6_088_949_320_952_613_696);
    for happening in [
        Happens::Wait(Duration::from_millis(2_994)),
        Happens::Times(30, 97, Runs::Right),
        Happens::Wait(Duration::from_millis(1_906)),
        Happens::Text(Some("a1a1".to_owned())),
        Happens::Wait(Duration::from_millis(2_160)),
    ] {
        world.happen(happening);
    }
    world.repair();
    world.happen(Happens::Plug);
    world.pass(90 * SECOND);
    assert_eq!(world.contradictions(), Vec::<String>::new());
}

#[test]
fn a_clock_that_starts_anew_behind_a_bad_line_is_set_right() {
    let badness = Badness { lost: 28, twice: 7, late: Duration::from_millis(1_784) };
    let mut world = World::bad(ClockKind::Dgt3000, badness, 0, 12_761_344_497_204_544_858);
    let run = || Happens::Buttons(Buttons::of(&[Button::Run]));
    for happening in [
        Happens::Wait(Duration::from_millis(400)),
        run(),
        Happens::Text(Some("a1a1".to_owned())),
        run(),
        Happens::Times(30, 30, Runs::Left),
        Happens::Wait(Duration::from_millis(1_946)),
        Happens::Times(30, 30, Runs::Pause),
        Happens::Wait(Duration::from_millis(3_786)),
        Happens::Wait(Duration::from_millis(1_746)),
        Happens::Restart,
        Happens::Text(None),
        Happens::Wait(Duration::from_millis(499)),
    ] {
        world.happen(happening);
    }
    world.repair();
    world.happen(Happens::Plug);
    world.pass(90 * SECOND);
    assert_eq!((world.most_in_flight, world.contradictions()), (1, Vec::<String>::new()));
}

fn happens() -> impl Strategy<Value = Happens> {
    let end = || prop_oneof![Just(End::Left), Just(End::Right)];
    let runs = prop_oneof![Just(Runs::Left), Just(Runs::Right), Just(Runs::Pause)];
    prop_oneof![
        6 => (0_u64..4_000).prop_map(|ms| Happens::Wait(Duration::from_millis(ms))),
        3 => (30_u32..30_000, 30_u32..30_000, runs).prop_map(|(l, r, it)| Happens::Times(l, r, it)),
        2 => prop_oneof![Just(None), "[a-h][1-8][a-h][1-8]".prop_map(Some)].prop_map(Happens::Text),
        2 => end().prop_map(Happens::Lever),
        1 => Just(Happens::Forget),
        1 => Just(Happens::Unplug),
        2 => Just(Happens::Plug),
        1 => Just(Happens::Buttons(Buttons::of(&[Button::Run]))),
        1 => Just(Happens::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    /// Whatever has happened on the worst of lines: once it is in order again, the clock shows what
    /// is wanted, and the driver knows.
    #[test]
    fn in_the_end_the_clock_shows_what_is_wanted(
        is_xl: bool,
        happenings in prop::collection::vec(happens(), 1..25),
        lost in 0_u8..50,
        twice in 0_u8..40,
        late_ms in 100_u64..2_500,
        drift_ppm in -100_i32..100,
        seed: u64,
    ) {
        let kind = if is_xl { ClockKind::Xl } else { ClockKind::Dgt3000 };
        let badness = Badness { lost, twice, late: Duration::from_millis(late_ms) };
        let mut world = World::bad(kind, badness, drift_ppm, seed);
        for happening in happenings {
            world.happen(happening);
        }
        world.repair();
        world.happen(Happens::Plug);
        // Longer than any pause of the driver, and than all its pauses together.
        world.pass(90 * SECOND);
        prop_assert_eq!(world.most_in_flight, 1);
        prop_assert_eq!(world.contradictions(), Vec::<String>::new());
    }
}
