//! What holds for every time control and every game on a clock.

use proptest::prelude::*;
use rokade::clock::{
    Change, ClockModel, ControlError, Crediting, FirstIncrement, Manner, PerMove, Period, Periods,
    TimeControl,
};
use rokade::time::Mono;
use shakmaty::Color;
use std::num::NonZeroU16;
use std::time::Duration;

fn seconds(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_secs)
}

fn per_move() -> impl Strategy<Value = PerMove> {
    prop_oneof![
        Just(PerMove::Nothing),
        seconds(1..3601).prop_map(PerMove::Increment),
        seconds(1..3601).prop_map(PerMove::Delay),
        seconds(1..3601).prop_map(PerMove::Bronstein),
    ]
}

fn periods() -> impl Strategy<Value = Periods> {
    let moves = (1..1000_u16).prop_map(NonZeroU16::new);
    let period = (moves, seconds(1..36_000), per_move());
    (proptest::collection::vec(period, 1..6), any::<bool>()).prop_map(|(periods, is_open)| {
        let mut periods: Vec<_> = periods
            .into_iter()
            .map(|(moves, allotment, per_move)| Period { moves, allotment, per_move })
            .collect();
        if is_open {
            periods.last_mut().expect("one at least").moves = None;
        }
        Periods::new(periods).expect("these can be played")
    })
}

/// Any time control that can be played.
pub(super) fn control() -> impl Strategy<Value = TimeControl> {
    prop_oneof![
        1 => Just(TimeControl::NoClock),
        2 => (seconds(1..36_000), seconds(1..36_000))
            .prop_map(|(white, black)| TimeControl::hourglass(white, black).expect("seconds")),
        6 => periods().prop_map(TimeControl::even),
        3 => (periods(), periods())
            .prop_map(|(white, black)| TimeControl::Periods { white, black }),
    ]
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(control in control()) {
        prop_assert_eq!(control.to_string().parse(), Ok(control.clone()));
        prop_assert_eq!(TimeControl::from_pgn(&control.to_pgn()), Ok(control));
    }

    #[test]
    fn anything_is_read_or_refused_in_one_sentence(text in "[0-9+/:dbhms*|.,; 'gG-]{0,24}|.*") {
        let read: Result<TimeControl, ControlError> = text.parse();
        if let Err(error) = read {
            prop_assert!(!error.forms.is_empty());
            let said = error.to_string();
            prop_assert!(said.contains(", write ") && !said.contains('\n'), "{said}");
        }
    }
}

/// Something done to a clock.
#[derive(Clone, Debug)]
enum Deed {
    Wait(u64),
    Press(Color),
    Start(Color),
    Stop,
}

fn color() -> impl Strategy<Value = Color> {
    any::<bool>().prop_map(Color::from_white)
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    // Waits from one microsecond to three hours, so that flags fall now and then.
    let wait = (0_u32..34, 0_u64..1 << 33).prop_map(|(n, us)| Deed::Wait(us >> n));
    let deed = prop_oneof![
        6 => wait,
        6 => color().prop_map(Deed::Press),
        2 => color().prop_map(Deed::Start),
        1 => Just(Deed::Stop),
    ];
    proptest::collection::vec(deed, 1..80)
}

fn manner() -> impl Strategy<Value = Manner> {
    (any::<bool>(), any::<bool>()).prop_map(|(on_zero, before)| Manner {
        crediting: if on_zero { Crediting::OnZero } else { Crediting::OnMoves },
        first_increment: if before {
            FirstIncrement::BeforeStart
        } else {
            FirstIncrement::WithPress
        },
    })
}

fn act(clock: &mut ClockModel, now: &mut Mono, deed: &Deed) -> Vec<Change> {
    match *deed {
        Deed::Wait(us) => {
            *now = *now + Duration::from_micros(us);
            clock.advance(*now)
        }
        Deed::Press(color) => clock.press(*now, color),
        Deed::Start(color) => clock.start(*now, color),
        Deed::Stop => clock.stop(*now),
    }
}

/// What `changes` added to the time of `color`.
fn gained(changes: &[Change], color: Color) -> Duration {
    let of = |change: &Change| match *change {
        Change::Pressed { by, credit } | Change::PeriodBegun { by, credit, .. } if by == color => {
            credit
        }
        _ => Duration::ZERO,
    };
    changes.iter().map(of).sum()
}

proptest! {
    #[test]
    fn every_microsecond_is_on_one_account(
        control in control(),
        manner in manner(),
        deeds in deeds(),
    ) {
        let mut clock = ClockModel::new(control, manner);
        let (mut now, mut stood) = (Mono(0), Duration::ZERO);
        for deed in &deeds {
            if let (Deed::Wait(us), None) = (deed, clock.running()) {
                stood += Duration::from_micros(*us);
            }
            act(&mut clock, &mut now, deed);
            let spent = Color::ALL.map(|color| clock.account(color).spent);
            prop_assert_eq!(spent[0] + spent[1] + stood, now.since(Mono(0)));
        }
    }

    #[test]
    fn time_never_grows_without_a_cause(
        control in control(),
        manner in manner(),
        deeds in deeds(),
    ) {
        let is_hourglass = matches!(control, TimeControl::Hourglass { .. });
        let mut clock = ClockModel::new(control, manner);
        let mut now = Mono(0);
        for deed in &deeds {
            let before = Color::ALL.map(|color| (clock.account(color), clock.is_flagged(color)));
            let is_bronstein = |color| matches!(clock.per_move(color), PerMove::Bronstein(_));
            let lends = Color::ALL.map(is_bronstein);
            let changes = act(&mut clock, &mut now, deed);
            for color in Color::ALL {
                let (account, flag) = before[usize::from(color.is_black())];
                let mut most = account.left() + gained(&changes, color);
                if is_hourglass {
                    most += clock.account(!color).spent;
                }
                prop_assert!(clock.account(color).left() <= most, "{color} {deed:?}");
                if !lends[usize::from(color.is_black())] {
                    prop_assert_eq!(clock.left(color), clock.account(color).left());
                }
                // A flag that is down stays down: nothing here puts one up.
                prop_assert!(!flag || clock.is_flagged(color));
                prop_assert!(!flag || clock.left(color).is_zero());
            }
        }
    }

    #[test]
    fn it_does_not_matter_how_often_the_time_is_asked(
        control in control(),
        manner in manner(),
        deeds in deeds(),
    ) {
        let (mut once, mut often) = [control.clone(), control]
            .map(|control| ClockModel::new(control, manner))
            .into();
        let mut now = Mono(0);
        let (mut said, mut said_often) = (Vec::new(), Vec::new());
        for deed in &deeds {
            if let Deed::Wait(us) = deed {
                for part in 1..7 {
                    said_often.extend(often.advance(now + Duration::from_micros(us * part / 7)));
                }
                // A timer that rings on time finds what a late one finds.
                let end = now + Duration::from_micros(*us);
                while let Some(due) = often.wake_at().filter(|due| *due <= end) {
                    said_often.extend(often.advance(due));
                }
            }
            let mut then = now;
            said.extend(act(&mut once, &mut now, deed));
            said_often.extend(act(&mut often, &mut then, deed));
            prop_assert_eq!(once.times(now), often.times(now));
        }
        prop_assert_eq!(said, said_often);
    }

    #[test]
    fn a_thousand_stops_lose_no_time(
        control in periods().prop_map(TimeControl::even),
        parts in proptest::collection::vec((0_u64..2_000_000, 0_u64..2_000_000), 1000),
    ) {
        let mut stopped = ClockModel::new(control.clone(), Manner::default());
        let mut whole = ClockModel::new(control, Manner::default());
        let (mut now, mut ran) = (Mono(0), Mono(0));
        whole.start(ran, Color::White);
        for (runs, stands) in parts {
            stopped.start(now, Color::White);
            now = now + Duration::from_micros(runs);
            ran = ran + Duration::from_micros(runs);
            stopped.stop(now);
            now = now + Duration::from_micros(stands);
        }
        whole.stop(ran);
        prop_assert_eq!(stopped.times(now), whole.times(ran));
        prop_assert_eq!(stopped.account(Color::White), whole.account(Color::White));
    }
}
