//! Clocks that are to be driven and do not do what they are told: what the record says of the
//! players' times, and what the arbiter hears.

use super::arbiter::Hall;
use rokade::game::ClockRole;
use rokade::sim::script::{Happening, Header};
use rokade::sim::{DgtClockSim, Obedience, Table};
use rokade::wire::ClockKind;
use shakmaty::{Color, Piece, Square};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const CONTROL: &str = "90m+30s";

/// A clock that goes by itself, as hands have set and started it, and answers like this.
fn goes(obedience: Obedience) -> Hall {
    let clock = DgtClockSim::new(ClockKind::Dgt3000, obedience, 0);
    let table = Table::new(&Header::dgt()).with_clock_that_answers(clock);
    Hall::at(table, ClockRole::Driven, CONTROL)
}

/// A clock that nobody but we would set, and that answers like this.
fn waits(obedience: Obedience) -> Hall {
    let clock = DgtClockSim::new(ClockKind::Dgt3000, obedience, 0);
    let table = Table::new(&Header::dgt()).with_driven_clock(clock);
    Hall::at(table, ClockRole::Driven, CONTROL)
}

const MOVES: [(Square, Square, Piece); 6] = [
    (Square::E2, Square::E4, Color::White.pawn()),
    (Square::E7, Square::E5, Color::Black.pawn()),
    (Square::G1, Square::F3, Color::White.knight()),
    (Square::B8, Square::C6, Color::Black.knight()),
    (Square::F1, Square::B5, Color::White.bishop()),
    (Square::A7, Square::A6, Color::Black.pawn()),
];

impl Hall {
    /// Six half-moves with a press each, a minute of thought before the fifth.
    fn play_six(&mut self) {
        for (n, (from, to, piece)) in MOVES.into_iter().enumerate() {
            self.pass(SECOND * if n == 4 { 60 } else { 5 });
            self.plays(from, to, piece);
        }
        self.pass(5 * SECOND);
    }

    /// The times of each press in seconds, White's and Black's.
    fn recorded(&self) -> Vec<Option<(u64, u64)>> {
        let sheet = self.game.play().expect("a game").sheet();
        let times = |scored: &rokade::game::Scored| {
            let times = scored.completed?.times?;
            Some((times.white.as_secs(), times.black.as_secs()))
        };
        sheet.moves().iter().map(times).collect()
    }

    /// What was said of the clock.
    fn said(&self) -> Vec<&String> {
        self.log.iter().filter(|line| line.contains("CLOCK_")).collect()
    }
}

/// Whose time ran down by how much between presses is as it was played: 10.6 s a half-move, and
/// 65.6 s for the fifth.
fn is_as_played(hall: &Hall, name: &str) {
    let recorded = hall.recorded();
    let log = hall.log.join("\n");
    assert_eq!(hall.sans(), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"], "{name}: {log}");
    let times: Vec<_> = recorded.iter().copied().flatten().collect();
    assert_eq!(times.len(), 6, "{name}: {recorded:?}\n{log}");
    for n in 2..6 {
        let used =
            |of: fn(&(u64, u64)) -> u64| (of(&times[n - 2]) + 30).saturating_sub(of(&times[n]));
        let used = if n % 2 == 0 { used(|times| times.0) } else { used(|times| times.1) };
        let played = if n == 4 { 66 } else { 11 };
        assert!(used.abs_diff(played) <= 2, "{name}: {used} s for {played}: {times:?}\n{log}");
        let other = |of: fn(&(u64, u64)) -> u64| of(&times[n - 1]) == of(&times[n]);
        assert!(if n % 2 == 0 { other(|t| t.1) } else { other(|t| t.0) }, "{name}: {times:?}");
    }
}

#[test]
fn a_clock_that_goes_by_itself_is_read_whatever_it_answers() {
    use Obedience::{Feigned, Nonsense, ReadOnly, WrongOption};
    for obedience in [WrongOption, ReadOnly, Feigned, Nonsense] {
        let mut hall = goes(obedience);
        hall.pass(20 * SECOND);
        hall.happen(&Happening::Resume(Color::White));
        hall.pass(30 * SECOND);
        hall.play_six();
        let name = format!("{obedience:?}");
        is_as_played(&hall, &name);
        let time = hall.shown();
        let (white, black) = hall.recorded()[5].expect("times");
        assert!(u64::from(time[1]).abs_diff(black) <= 1, "{name}: {time:?} {black}");
        assert!(u64::from(time[0]).abs_diff(white) <= 8, "{name}: {time:?} {white}");
        assert!(hall.said().len() <= 1, "{name}: {:?}", hall.said());
    }
}

#[test]
fn a_clock_that_does_nothing_it_is_told_counts_as_a_lever() {
    use Obedience::{Feigned, Nonsense, ReadOnly, WrongOption};
    for obedience in [WrongOption, ReadOnly, Feigned, Nonsense] {
        let mut hall = waits(obedience);
        hall.pass(60 * SECOND);
        hall.play_six();
        let name = format!("{obedience:?}");
        is_as_played(&hall, &name);
        // Before it is given up, what it shows is told of each side.
        let told = (hall.n_lines("CLOCK_NO_TIMES"), hall.n_lines("CLOCK_UNEXPLAINED"));
        assert!(told.0 == 1 && told.1 <= 2, "{name}: {:?}", hall.said());
        assert_eq!(told.0 + told.1, hall.said().len(), "{name}: {:?}", hall.said());
        assert_eq!(hall.n_lines("REPLY_BEFORE_PRESS"), 0, "{name}: {}", hall.log.join("\n"));
        // Sixty a minute is the most that any clock is sent.
        let minutes = usize::try_from(hall.now.millis() / 60_000).expect("some minutes");
        assert!(hall.n_commands <= 30 * minutes, "{name}: {} commands", hall.n_commands);
    }
}

#[test]
fn a_press_that_comes_before_its_move_starts_the_times_too() {
    use Obedience::{Nonsense, ReadOnly, WrongOption};
    for obedience in [WrongOption, ReadOnly, Nonsense] {
        let mut hall = waits(obedience);
        hall.pass(SECOND);
        // His piece is told of a moment after his press.
        let (from, to, piece) = MOVES[0];
        hall.happen(&Happening::Press(Color::White));
        hall.pass(Duration::from_millis(600));
        hall.moves(from, to, piece);
        for (from, to, piece) in &MOVES[1..] {
            hall.pass(5 * SECOND);
            hall.plays(*from, *to, *piece);
        }
        hall.pass(15 * SECOND);
        let name = format!("{obedience:?}");
        let times: Vec<_> = hall.recorded().into_iter().flatten().collect();
        assert_eq!(times.len(), 6, "{name}: {times:?}\n{}", hall.log.join("\n"));
        // Black thought for 9 s and a bit, White for 11 s.
        assert!(times[1].1.abs_diff(5_420) <= 3, "{name}: {times:?}");
        assert!(times[2].0.abs_diff(times[1].0 + 19) <= 3, "{name}: {times:?}");
        assert_eq!(hall.n_lines("REPLY_BEFORE_PRESS"), 0, "{name}: {}", hall.log.join("\n"));
    }
}
