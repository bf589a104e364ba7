//! One board of a line that is asked by hand: how often, what is asked again, and what its answers
//! and their absence are taken for.

use rokade::time::Mono;
use rokade::wire::bus::{BusAnswer, BusFault, BusLine, BusMessage, BusNews};
use rokade::wire::{BoardMessage, ClockMessage, Dump, Orientation};

use super::house::FIRST;

/// A board that is asked by hand.
struct Asked {
    bus: BusLine,
    ms: u64,
    /// How often all boards were called.
    n_calls: usize,
}

impl Asked {
    /// A board that had nothing to tell once more.
    fn new() -> Self {
        let mut asked = Self::first();
        assert_eq!(asked.for_changes(), 0x84);
        asked.says(BusAnswer::Changes(Vec::new()));
        asked
    }

    /// A board that was not asked for changes yet.
    fn first() -> Self {
        let mut bus = BusLine::new(&[FIRST]);
        bus.link_up(Mono::default());
        Self { bus, ms: 0, n_calls: 0 }
    }

    /// Time passes until the board is asked for changes, anew or once more. All else it answers.
    fn for_changes(&mut self) -> u8 {
        for _ in 0..4_000 {
            self.ms += 1;
            self.bus.on_timeout(Mono::from_millis(self.ms));
            for bytes in self.bus.take_sent() {
                let answer = match bytes[..] {
                    [0x83 | 0x84, ..] => return bytes[0],
                    [0x87, _, 0, _] => {
                        self.n_calls += 1;
                        continue;
                    }
                    [0x87, ..] => BusAnswer::Pong,
                    [0x81, ..] => BusAnswer::Clock(ClockMessage::NoClock),
                    [0x82, ..] => {
                        let dump = Dump::new(&shakmaty::Board::new(), Orientation::Normal);
                        BusAnswer::Board(Box::new(dump))
                    }
                    _ => panic!("{bytes:02x?}"),
                };
                self.says(answer);
            }
        }
        panic!("no question for changes");
    }

    /// The board says something, now: how many fields are told to have changed.
    fn says(&mut self, answer: BusAnswer) -> usize {
        let bytes = BusMessage { address: FIRST, answer }.encode();
        self.bus.on_bytes(Mono::from_millis(self.ms), &bytes);
        let mut n_fields = 0;
        while let Some((_, news)) = self.bus.poll() {
            n_fields += usize::from(matches!(news, BusNews::Said(BoardMessage::Field { .. })));
        }
        n_fields
    }
}

/// Answers that are hurt now and then, with whole ones between them, are no sign of a second board
/// with the same address, for which all would have to be called.
#[test]
fn noise_now_and_then_is_no_second_board() {
    let mut asked = Asked::new();
    asked.for_changes();
    let n_calls = asked.n_calls;
    let answer = BusAnswer::Changes(Vec::new());
    let mut hurt = BusMessage { address: FIRST, answer: answer.clone() }.encode();
    *hurt.last_mut().unwrap() ^= 1;
    let mut n_hurt = 0;
    while asked.ms < 150_000 {
        if asked.ms / 5_000 > n_hurt {
            n_hurt += 1;
            asked.bus.on_bytes(Mono::from_millis(asked.ms), &hurt);
            assert_eq!(asked.for_changes(), 0x84);
        }
        asked.says(answer.clone());
        asked.for_changes();
    }
    assert_eq!(asked.n_calls, n_calls, "after {n_hurt} answers that were hurt");
}

/// That an answer was hurt is told of boards that are followed; of the others it is told that they
/// are not there.
#[test]
fn noise_is_told_of_boards_that_are_there() {
    let mut hurt = BusMessage { address: FIRST, answer: BusAnswer::Pong }.encode();
    *hurt.last_mut().unwrap() ^= 1;
    let n_noise = |bus: &mut BusLine| {
        let news = std::iter::from_fn(|| bus.poll());
        news.filter(|(_, news)| *news == BusNews::Noise).count()
    };
    let mut bus = BusLine::new(&[FIRST]);
    bus.link_up(Mono::default());
    let mut n_pinged = 0;
    for ms in 1..20_000 {
        bus.on_timeout(Mono::from_millis(ms));
        for bytes in bus.take_sent() {
            // Only it is asked, not all.
            if bytes[..3] != [0x87, 0, 0] {
                n_pinged += 1;
                bus.on_bytes(Mono::from_millis(ms), &hurt);
            }
        }
        assert_eq!(n_noise(&mut bus), 0, "after {ms} ms");
    }
    assert!(n_pinged > 3, "{n_pinged}");
    let mut asked = Asked::new();
    asked.for_changes();
    asked.bus.on_bytes(Mono::from_millis(asked.ms), &hurt);
    asked.bus.on_bytes(Mono::from_millis(asked.ms), &hurt);
    assert_eq!(n_noise(&mut asked.bus), 1, "each question counts once");
}

/// A board that is not there is asked ever less often, and one that has stopped to answer is given
/// up after two seconds.
#[test]
fn who_does_not_answer_is_asked_ever_less_often() {
    let mut asked = Asked::new();
    for _ in 0..5 {
        asked.for_changes();
        asked.says(BusAnswer::Changes(Vec::new()));
    }
    let (begins, mut pings, mut down) = (asked.ms, Vec::new(), None);
    while asked.ms < begins + 25_000 {
        asked.ms += 1;
        asked.bus.on_timeout(Mono::from_millis(asked.ms));
        while let Some((_, news)) = asked.bus.poll() {
            assert_eq!((news, down), (BusNews::Down(BusFault::Silent(FIRST)), None));
            down = Some(asked.ms);
        }
        for bytes in asked.bus.take_sent() {
            if down.is_some() {
                assert_eq!(bytes[0], 0x87, "it is only looked for");
                pings.push(asked.ms);
            }
        }
    }
    let down = down.unwrap();
    assert!((2_000..2_300).contains(&(down - begins)), "{}", down - begins);
    let waits: Vec<u64> = pings.windows(2).map(|two| two[1] - two[0]).collect();
    let seconds: Vec<u64> = waits.iter().map(|ms| ms / 1_000).collect();
    assert_eq!((pings[0] - down) / 1_000, 1, "{pings:?}");
    assert_eq!(seconds, [2, 4, 5, 5, 5], "{waits:?}");
}

/// As long as answers are hurt all boards are called, twice each time, and no more often than once
/// in a minute.
#[test]
fn on_a_bad_line_all_are_called_once_in_a_minute() {
    let mut asked = Asked::new();
    asked.for_changes();
    let n_calls = asked.n_calls;
    let mut hurt = BusMessage { address: FIRST, answer: BusAnswer::Pong }.encode();
    *hurt.last_mut().unwrap() ^= 1;
    while asked.ms < 310_000 {
        asked.bus.on_bytes(Mono::from_millis(asked.ms), &hurt);
        asked.for_changes();
    }
    let n_called = asked.n_calls - n_calls;
    assert!((2..=10).contains(&n_called), "{n_called} times in five minutes");
}

/// A host that is slow to hear an answer asks again: what comes late, and twice, is told once.
#[test]
fn answers_that_come_late_are_told_once() {
    let mut asked = Asked::new();
    let (lifted, put) = (vec![0x40, 0x34], vec![0x41, 0x24]);
    for _ in 0..3 {
        assert_eq!(asked.for_changes(), 0x83);
        assert_eq!(asked.says(BusAnswer::Changes(Vec::new())), 0);
    }
    assert_eq!(asked.for_changes(), 0x83);
    assert_eq!(asked.for_changes(), 0x84, "nothing came in time");
    assert_eq!(asked.says(BusAnswer::Changes(lifted.clone())), 1);
    assert_eq!(asked.bus.take_sent()[0][0], 0x83);
    assert_eq!(asked.says(BusAnswer::Changes(lifted)), 0, "it is known");
    assert_eq!(asked.says(BusAnswer::Changes(put.clone())), 0, "it was not asked for");
    assert_eq!(asked.for_changes(), 0x84);
    assert_eq!(asked.says(BusAnswer::Changes(put)), 1);
}

/// Whoever asked before may have ended with changes in hand. So they are asked for first, and are
/// for the memory alone, as all of before; a board that has none to tell once more is asked on.
#[test]
fn what_was_told_to_who_asked_before_is_asked_for_first() {
    let (lifted, put) = (vec![0x40, 0x34], vec![0x41, 0x24]);
    let mut asked = Asked::first();
    assert_eq!(asked.for_changes(), 0x84);
    assert_eq!(asked.says(BusAnswer::Changes(lifted)), 0);
    assert_eq!(asked.bus.take_sent()[0][0], 0x83);
    assert_eq!(asked.says(BusAnswer::Changes(put.clone())), 0);
    for _ in 0..3 {
        assert_eq!(asked.for_changes(), 0x83);
        assert_eq!(asked.says(BusAnswer::Changes(put.clone())), 1);
    }

    let mut asked = Asked::first();
    assert_eq!(asked.for_changes(), 0x84);
    for _ in 0..3 {
        assert_eq!(asked.for_changes(), 0x83, "there was no answer for what is told once more");
        asked.says(BusAnswer::Changes(Vec::new()));
    }
}

/// The cable comes out while the board answers: it is asked for the same once more.
#[test]
fn an_answer_that_a_cable_swallows_is_asked_for_again() {
    let mut asked = Asked::new();
    for _ in 0..3 {
        asked.for_changes();
        asked.says(BusAnswer::Changes(Vec::new()));
    }
    assert_eq!(asked.for_changes(), 0x83);
    asked.bus.link_down();
    asked.bus.link_up(Mono::from_millis(asked.ms));
    assert_eq!(asked.for_changes(), 0x84);
}
