//! From the two ends of a clock to the two players, in this one place.
//!
//! A clock has a left and a right end. Which of them is White's depends on how the arbiter put it
//! on the table, and that is told by the first press of a game: White makes the first move, so the
//! end that goes down after it is White's.

use crate::table::defaults;
use crate::table::{End, Times};
use crate::time::Mono;
use shakmaty::Color;
use std::time::Duration;

/// What a clock shows at one moment. Whole seconds: devices send no more.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Face {
    /// Time left at the left and the right end; `None` where the device sent none that can be.
    pub times: Option<(Duration, Duration)>,
    /// Whether any time runs.
    pub is_running: bool,
    /// The end that is up: that player is on the move and his time runs.
    pub high: End,
}

/// What a new face means beside the one before.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Turned {
    /// This end went down while time was running, or set it running.
    Pressed(End),
    /// Time began to run.
    Started,
    /// Both sides stand still.
    Stopped,
}

/// Whether there is a clock, as far as is known.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ClockPresence {
    /// Nothing has been heard of one.
    #[default]
    Unknown,
    /// One is connected.
    Present,
    /// The board says that none is connected.
    Absent,
}

defaults! {
    /// Follows one clock and tells presses, starts and stops from its faces.
    #[derive(Clone, Debug)]
    pub struct Reader {
        given {
            white: End,
        }
        device: ClockPresence = ClockPresence::Unknown,
        face: Option<Face>,
        read_at: Mono = Mono(0),
        /// In how many faces in a row the lever has been as it is now, and as it was before.
        n_faces: u32,
        n_faces_before: u32,
        has_run: bool,
        /// Nothing that it shows is believed.
        is_doubted: bool,
    }
}

impl Reader {
    /// A reader that believes White to sit at the `white` end until a press says otherwise.
    pub fn new(white: End) -> Self {
        Self::begin(white)
    }

    /// A reader for a game that was played with a clock before the daemon was started anew. Until
    /// the clock is heard it counts as standing.
    pub fn resumed(white: End) -> Self {
        Self { device: ClockPresence::Present, has_run: true, ..Self::new(white) }
    }

    /// Whether the clock has said anything.
    pub const fn is_heard(&self) -> bool {
        self.face.is_some()
    }

    /// Whether a clock is there.
    pub const fn device(&self) -> ClockPresence {
        self.device
    }

    /// Whether the clock has run since the last [`Reader::forget_run`]: only then does a standing
    /// clock mean that the game is interrupted.
    pub const fn has_run(&self) -> bool {
        self.has_run
    }

    /// Whether time runs now.
    pub fn is_running(&self) -> bool {
        self.device == ClockPresence::Present && self.face.is_some_and(|face| face.is_running)
    }

    /// Whose time runs.
    pub fn running(&self) -> Option<Color> {
        self.face.filter(|_| self.is_running()).map(|face| self.color(face.high))
    }

    /// Who is on move by the lever, also while the clock stands.
    pub fn on_move(&self) -> Option<Color> {
        self.face
            .filter(|_| self.device == ClockPresence::Present)
            .map(|face| self.color(face.high))
    }

    /// The end of the lever that is up, as last heard.
    pub fn high(&self) -> Option<End> {
        self.face.filter(|_| self.device == ClockPresence::Present).map(|face| face.high)
    }

    /// Whether one face alone shows the lever as it is now: a hurt message may have turned it.
    pub const fn is_turned_once(&self) -> bool {
        self.n_faces == 1
    }

    /// Whether one face alone showed the lever as it was before it came to where it is.
    pub const fn was_turned_once(&self) -> bool {
        self.n_faces_before == 1
    }

    /// From now on nothing that the clock shows is believed, or it is again.
    pub const fn doubt(&mut self, is_doubted: bool) {
        self.is_doubted = is_doubted;
    }

    /// The clock has not run, whatever was assumed of it: it stands, and was not stopped.
    pub fn stand_unstarted(&mut self) {
        self.has_run = false;
        self.face = self.face.map(|face| Face { is_running: false, ..face });
    }

    /// The players' times as last shown; `None` while they are not believed.
    pub fn times(&self) -> Option<Times> {
        let is_shown = self.device == ClockPresence::Present && !self.is_doubted;
        let (left, right) = self.face.filter(|_| is_shown)?.times?;
        Some(match self.white {
            End::Left => Times { white: left, black: right },
            End::Right => Times { white: right, black: left },
        })
    }

    /// When [`Reader::times`] was shown.
    pub const fn read_at(&self) -> Mono {
        self.read_at
    }

    /// Whose end `end` is.
    pub fn color(&self, end: End) -> Color {
        if end == self.white { Color::White } else { Color::Black }
    }

    /// White's end of the clock.
    pub const fn white_end(&self) -> End {
        self.white
    }

    /// From now on `end` is White's.
    pub fn bind_white(&mut self, end: End) {
        self.white = end;
    }

    /// A new game begins: a clock that stands has not been stopped, it has not been started.
    pub fn forget_run(&mut self) {
        self.has_run = self.is_running();
    }

    /// The board says that no clock is connected. True if that is news.
    pub fn lost(&mut self) -> bool {
        let is_news = self.device != ClockPresence::Absent;
        self.device = ClockPresence::Absent;
        self.face = None;
        is_news
    }

    /// Takes a face and tells what it means beside the one before.
    ///
    /// The first face after the clock appeared means nothing by itself. A lever that is moved while
    /// the clock stands is an arbiter setting it, not a press; one that sets time running is one.
    pub fn read(&mut self, at: Mono, face: Face) -> Vec<Turned> {
        self.device = ClockPresence::Present;
        self.read_at = at;
        let before = self.face.replace(face);
        if let (Some(times), None) = (before.and_then(|face| face.times), face.times) {
            self.face = Some(Face { times: Some(times), ..face });
        }
        self.has_run |= face.is_running;
        if before.is_some_and(|before| before.high != face.high) {
            self.n_faces_before = std::mem::take(&mut self.n_faces);
        }
        self.n_faces = self.n_faces.saturating_add(1);
        let Some(before) = before else { return Vec::new() };
        let mut turned = Vec::new();
        if face.is_running && !before.is_running {
            turned.push(Turned::Started);
        }
        if face.high != before.high && face.is_running {
            turned.push(Turned::Pressed(before.high));
        }
        if !face.is_running && before.is_running {
            if face.high != before.high {
                turned.push(Turned::Pressed(before.high));
            }
            turned.push(Turned::Stopped);
        }
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face(is_running: bool, high: End) -> Face {
        let times = Some((Duration::from_secs(180), Duration::from_secs(120)));
        Face { times, is_running, high }
    }

    #[test]
    fn a_lever_moved_while_time_runs_is_a_press() {
        let mut reader = Reader::new(End::Left);
        assert_eq!(reader.read(Mono(0), face(false, End::Left)), []);
        assert_eq!(reader.read(Mono(0), face(true, End::Left)), [Turned::Started]);
        assert_eq!(reader.read(Mono(0), face(true, End::Right)), [Turned::Pressed(End::Left)]);
        assert_eq!(reader.running(), Some(Color::Black));
        assert_eq!(reader.read(Mono(0), face(false, End::Right)), [Turned::Stopped]);
    }

    #[test]
    fn a_lever_moved_while_the_clock_stands_is_not() {
        let mut reader = Reader::new(End::Left);
        reader.read(Mono(0), face(false, End::Left));
        assert_eq!(reader.read(Mono(0), face(false, End::Right)), []);
        assert_eq!(reader.read(Mono(0), face(true, End::Right)), [Turned::Started]);
    }

    #[test]
    fn the_ends_follow_the_players() {
        let mut reader = Reader::new(End::Right);
        reader.read(Mono(0), face(true, End::Right));
        let times = reader.times().expect("the face has times");
        assert_eq!(*times.get(Color::White), Duration::from_secs(120));
        assert_eq!(reader.running(), Some(Color::White));
        assert!(reader.lost());
        assert_eq!(reader.times(), None);
    }
}
