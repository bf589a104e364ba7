//! Runs the clock behind a board by a time control: the host keeps the time, the clock shows it.
//!
//! The lever says who moves, the button in the middle is the arbiter's hand, and at each press the
//! clock is set to what the model says, increment and new period included. A daemon that is started
//! anew finds a clock that runs already: it takes the times from the clock and never sets a game
//! back to its beginning.

mod port_desk;
mod unruly;

use crate::table::{End, defaults, words};
pub use port_desk::{PortAct, PortDesk};
use unruly::Trust;

use super::obey::obey;
use crate::clock::{ClockModel, Manner, Sense, TimeControl};
use crate::game::{Event, Fact};
use crate::laws::{ClockOrder, Severity, Stage};
use crate::time::Mono;
use crate::track::line::CompletedBy;
use crate::wire::{
    BoardCommand, BoardMessage, Button, ClockDriver, ClockLine, ClockMessage, ClockNews, ClockText,
    ClockTime, Difference, DriverOutput, LineInput, Runs, Wanted, WantedTimes,
};
use shakmaty::Color;
use std::time::Duration;

/// A move is shown for this long.
pub const MOVE_SHOWN: Duration = Duration::from_secs(3);
/// A press is answered with its move only if it was heard this lately.
const MOVE_FRESH: Duration = Duration::from_secs(2);
/// Nothing covers the times once a player has less than this.
const TIME_SCARCE: Duration = Duration::from_secs(60);
/// From an order until the clock obeys: its answer takes up to two seconds (protocol 3.5).
const HEARD_WITHIN: Duration = Duration::from_secs(2);
/// The beep that calls the arbiter, in units of 64 ms: about one second (protocol 3.3).
const CALL_BEEP: u8 = 16;

words! {
    /// For what the clock is stopped and calls the arbiter, who may stop it at any time (2023: Art.
    /// 6.12.1) and rules then.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum ArbiterCall {
        /// No event makes it call.
        Never = "nothing",
        /// For an illegal move that was completed, after which the arbiter sets the times (2023:
        /// Art. 7.5.1 and 7.5.5).
        #[default]
        IllegalMove = "illegal-move",
        /// For every finding that is an irregularity, false alarms included.
        Irregularity = "irregularity",
    }
}

/// What lies over the times.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Overlay {
    Nothing,
    /// A completed move, until then.
    Move(ClockText, Mono),
    /// The arbiter is wanted. The clock stands until somebody starts it.
    Call,
    /// The game is over: nobody starts the clock.
    Result(ClockText),
}

impl Overlay {
    fn text(self) -> Option<ClockText> {
        match self {
            Self::Nothing => None,
            Self::Move(text, _) | Self::Result(text) => Some(text),
            Self::Call => Some(ClockText::call_arbiter()),
        }
    }
}

/// Whether the players see their moves on the clock.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Moves {
    Hidden,
    Shown,
}

/// Who may start a clock that waits for its game.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Starter {
    /// The button in the middle, an order, and the first press of the player who does not have the
    /// first move: with it that player starts the opponent's clock (2023: Art. 6.2, 8.2).
    #[default]
    Anybody,
    /// The button in the middle, and an order.
    Arbiter,
}

defaults! {
    /// The host's side of a clock that it drives, behind a board unless the driver is another.
    #[derive(Clone, Debug)]
    pub struct ClockDesk<D = ClockLine> {
        given {
            model: ClockModel,
            control: TimeControl,
            driver: D,
            white: End,
        }
        /// The player whose end of the lever is up, and whose time runs or will run.
        turn: Color = Color::White,
        /// When the button in the middle was last pressed.
        button_at: Option<Mono>,
        /// The model knows the times: from a new game, or from the clock.
        is_set: bool,
        /// What the clock is to be set to.
        times: Option<WantedTimes>,
        /// What the driver was told last.
        wanted: Wanted,
        over: Overlay = Overlay::Nothing,
        calls: ArbiterCall,
        moves: Moves = Moves::Hidden,
        starter: Starter,
        /// The clock changes sides by itself when the lever turns.
        turns_by_lever: bool,
        /// Who has the first move of a game in which nothing has been moved yet, and whose clock
        /// has not been started.
        first: Option<Color>,
        /// Who has the first move of a game in which nothing has been moved yet, whether the clock
        /// has been started or not.
        opens: Option<Color>,
        /// A move of this game has been made.
        has_moved: bool,
        /// The model's times are those that the clock showed when it was found.
        is_adopted: bool,
        /// The legal move that was made last and its half-move.
        made: Option<(usize, ClockText)>,
        trust: Trust = Trust::Unproven,
        /// While it was unproven, the clock has shown other times than it was to be set to.
        has_shown_else: bool,
        /// The clock was set several times in vain.
        has_defied: bool,
        /// Whether it goes by itself.
        sense: Sense,
        /// The model has run in this game.
        has_run: bool,
        /// The game has not heard how the clock is driven.
        has_changed: bool,
    }
}

impl ClockDesk {
    /// A desk for games at this time control, White at the `white` end.
    pub fn new(control: TimeControl, white: End) -> Self {
        Self::with_driver(ClockLine::default(), control, white)
    }

    /// The line to the board is gone, or open anew, or another board is at its end: what was half
    /// said will not be finished.
    pub fn link_changed(&mut self, at: Mono, out: &mut Vec<DriverOutput<BoardCommand>>) {
        self.driver.handle(at, &LineInput::Down, out);
    }

    /// The board has said something.
    pub fn hear(
        &mut self,
        at: Mono,
        message: &BoardMessage,
        out: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
        // A picture comes once the board streams its clock; so does the clock.
        if matches!(message, BoardMessage::Dump(_) | BoardMessage::Clock(_)) {
            self.driver.handle(at, &LineInput::Up, out);
        }
        if let BoardMessage::Clock(message) = message {
            self.on_clock(at, message, out);
        }
    }

    /// When the lever turned of which a reading tells that comes at `at`.
    fn turned_at(&self, at: Mono) -> Mono {
        let set = self.times.map_or(Mono::default(), |times| times.since);
        self.driver.turned().min(at).max(set)
    }

    fn on_clock(
        &mut self,
        at: Mono,
        message: &ClockMessage,
        out: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
        if let ClockMessage::Time(time) = message
            && !self.is_set
        {
            self.adopt(at, time);
        }
        let mut acts = Vec::new();
        self.driver.handle(at, &LineInput::Clock(message.clone()), &mut acts);
        for act in acts {
            match &act {
                DriverOutput::Tell(ClockNews::Lever(high)) => {
                    let is_running = message.lever().is_some_and(|lever| lever.running);
                    let turned = self.turned_at(at);
                    self.on_lever(turned, self.color(*high), is_running);
                }
                DriverOutput::Tell(news) => self.on_news(at, news),
                DriverOutput::Send(_) => {}
            }
            out.push(act);
        }
        if let ClockMessage::Time(time) = message {
            self.watch(at, time);
        }
        self.reconsider(at);
        if let Some(high) = self.driver.high() {
            self.follow(at, self.color(high));
        }
        self.want(at, out);
    }
}

impl<D: ClockDriver> ClockDesk<D> {
    /// A desk for a clock with this driver, at this time control, White at the `white` end.
    pub fn with_driver(driver: D, control: TimeControl, white: End) -> Self {
        let model = ClockModel::new(control.clone(), Manner::default());
        Self::begin(model, control, driver, white)
    }

    /// Makes the desk stop the clock and call the arbiter for this.
    #[must_use]
    pub fn calling_for(self, calls: ArbiterCall) -> Self {
        Self { calls, ..self }
    }

    /// Makes the desk show each completed move for [`MOVE_SHOWN`].
    #[must_use]
    pub fn showing_moves(self) -> Self {
        Self { moves: Moves::Shown, ..self }
    }

    /// Says who may start the clock.
    #[must_use]
    pub fn started_by(self, starter: Starter) -> Self {
        Self { starter, ..self }
    }

    /// Lets the clock change sides by itself when the lever turns, so that no display waits for a
    /// command. No public program is known to use that (protocol 3.3).
    #[must_use]
    pub fn turned_by_lever(self) -> Self {
        Self { turns_by_lever: true, ..self }
    }

    /// The model that the clock is set by.
    pub const fn model(&self) -> &ClockModel {
        &self.model
    }

    /// What the game is to hear of how the clock is driven, once, before the bytes from which we
    /// have it.
    pub fn take_driving(&mut self) -> Option<Event> {
        let is_news = std::mem::take(&mut self.has_changed) && self.is_set;
        is_news.then(|| Event::Driven(self.driving()))
    }

    /// How the clock differs from the model, as far as is known.
    pub fn difference(&self) -> Option<Difference> {
        self.driver.difference()
    }

    /// What a clock shows that was set before we came. One that was never set shows nothing, and
    /// is given the times of a new game.
    fn adopt(&mut self, at: Mono, time: &ClockTime) {
        self.is_set = true;
        if time.left.seconds == 0 && time.right.seconds == 0 {
            self.has_shown_else = true;
            self.changed(at);
            return;
        }
        self.is_adopted = true;
        for end in [End::Left, End::Right] {
            self.model.set_time(at, self.color(end), time.side(end).time());
        }
        self.turn = self.color(time.high);
        if time.running {
            self.model.start(at, self.turn);
        }
        self.changed(at);
    }

    /// The lever turned; the end of `turn` is up now.
    fn on_lever(&mut self, at: Mono, turn: Color, is_running: bool) {
        self.turn = turn;
        if self.begins_by_lever(at, turn) {
            self.changed(at);
            return;
        }
        match self.model.running() {
            // As for a clock that was not yet started: its lever was moved while it stood.
            Some(color) if color == !turn && !is_running && self.is_new(at) => {
                self.model.start(at, turn);
            }
            Some(color) if color == !turn => {
                self.model.press(at, color);
            }
            // A button is heard before the lever. On a clock that has not yet been stopped the
            // press came first.
            None if is_running && self.is_new(at) => {
                self.model.start(at, !turn);
                self.model.press(at, !turn);
                self.model.stop(at);
            }
            // A clock with nothing but a lever has no other way to be started.
            None if self.first == Some(turn) && self.starter == Starter::Anybody => {
                self.model.start(at, turn);
            }
            Some(_) | None => return,
        }
        self.changed(at);
    }

    /// Whether the clock may not have heard yet what the arbiter's hand told us.
    fn is_new(&self, at: Mono) -> bool {
        self.button_at.is_some_and(|then| at.since(then) < HEARD_WITHIN)
    }

    /// The end of `turn` is up. Where nobody saw it turn, because the clock could not be heard, its
    /// opponent has pressed at least once.
    fn follow(&mut self, at: Mono, turn: Color) {
        self.turn = turn;
        if self.model.running() == Some(!turn) {
            self.model.press(at, !turn);
            self.changed(at);
        }
    }

    fn on_news(&mut self, at: Mono, news: &ClockNews) {
        match news {
            ClockNews::Lever(high) => self.follow(at, self.color(*high)),
            ClockNews::Pressed(buttons) if buttons.single() == Some(Button::Run) => {
                self.button_at = Some(at);
                match self.model.running() {
                    Some(_) => drop(self.model.stop(at)),
                    None if matches!(self.over, Overlay::Result(_)) => {}
                    None => {
                        self.over = Overlay::Nothing;
                        self.model.start(at, self.turn);
                    }
                }
                self.changed(at);
            }
            ClockNews::Silent(_) | ClockNews::Refuses(_) => self.is_disobeyed(at),
            ClockNews::Defies => self.defied(at),
            _ => {}
        }
    }

    /// The arbiter, or the referee in the arbiter's place, orders something of the clock. The
    /// arbiter is at the board then, and need not be called any more.
    pub fn obey(&mut self, at: Mono, order: ClockOrder, out: &mut Vec<DriverOutput<D::Command>>) {
        if let ClockOrder::Run(side) = order {
            self.turn = side;
        }
        obey(&mut self.model, at, self.turn, order);
        if self.over == Overlay::Call && order != ClockOrder::Stop {
            self.over = Overlay::Nothing;
        }
        self.changed(at);
        self.want(at, out);
    }

    /// Something was recorded that the clock shows.
    pub fn note(&mut self, at: Mono, fact: &Fact, out: &mut Vec<DriverOutput<D::Command>>) {
        match fact {
            Fact::GameStarted { fen, .. } => {
                (self.opens, self.has_moved) = (Some(first_of(fen)), false);
                self.new_game(at, out);
                let is_new = self.model.running().is_none();
                self.first = self.opens.filter(|_| is_new);
            }
            Fact::Seated { white_end, .. } => self.seat(*white_end),
            Fact::Ended(ending) => self.end_game(at, &ending.outcome.to_string(), out),
            Fact::Reopened(_) => self.reopen(at, out),
            Fact::MoveMade { ply, uci, san, is_illegal, .. } => {
                let text = ClockText::for_move(uci, san);
                self.made = Some((*ply, text)).filter(|_| !is_illegal);
                self.first = None;
                self.first_move(at, out);
            }
            Fact::MoveRetracted { ply } => self.made = self.made.filter(|(made, _)| made < ply),
            Fact::MoveCompleted { ply, by: CompletedBy::Press, pressed_before, .. }
                if *pressed_before <= MOVE_FRESH =>
            {
                self.show_move(at, *ply, out);
            }
            fact if self.is_call(fact) => self.call(at, out),
            _ => {}
        }
    }

    fn is_call(&self, fact: &Fact) -> bool {
        match self.calls {
            ArbiterCall::Never => false,
            ArbiterCall::IllegalMove => {
                matches!(fact, Fact::IllegalMove { stage: Stage::Completed, .. })
            }
            ArbiterCall::Irregularity => {
                fact.alarm().is_some_and(|finding| finding.severity() == Severity::Irregularity)
            }
        }
    }

    /// Both sides stop, and the arbiter is called to the board.
    fn call(&mut self, at: Mono, out: &mut Vec<DriverOutput<D::Command>>) {
        // Who stopped the clock himself is there already.
        if matches!(self.over, Overlay::Result(_)) || self.model.running().is_none() {
            return;
        }
        self.model.stop(at);
        self.changed(at);
        self.over = Overlay::Call;
        self.want(at, out);
        self.driver.beep(at, CALL_BEEP, out);
    }

    fn show_move(&mut self, at: Mono, ply: usize, out: &mut Vec<DriverOutput<D::Command>>) {
        let times = self.model.times(at);
        let has_time = Color::ALL.iter().all(|color| *times.get(*color) >= TIME_SCARCE);
        let is_free = matches!(self.over, Overlay::Nothing | Overlay::Move(..));
        if self.moves == Moves::Shown
            && has_time
            && is_free
            && let Some((_, text)) = self.made.filter(|(made, _)| *made == ply)
        {
            self.over = Overlay::Move(text, at + MOVE_SHOWN);
            self.want(at, out);
        }
    }

    /// A new game begins: the clock is set for it, unless it runs already.
    pub fn new_game(&mut self, at: Mono, out: &mut Vec<DriverOutput<D::Command>>) {
        // A lever that nobody looked at may have been moved before the game.
        if self.model.running().is_none() || self.is_set_for_game() {
            self.set_anew();
            self.is_set = true;
            self.changed(at);
        }
        self.over = Overlay::Nothing;
        self.made = None;
        self.has_changed = true;
        self.want(at, out);
    }

    /// White sits at this end, as the first press has told: what was reckoned for one player
    /// belongs to the other, and the clock shows it already.
    fn seat(&mut self, white: End) {
        if std::mem::replace(&mut self.white, white) != white {
            self.model.turn();
            self.turn = !self.turn;
            self.has_changed = true;
        }
    }

    /// The game is over: the clock stops and shows the result.
    pub fn end_game(&mut self, at: Mono, result: &str, out: &mut Vec<DriverOutput<D::Command>>) {
        self.model.stop(at);
        self.changed(at);
        self.over = Overlay::Result(ClockText::plain(result));
        self.want(at, out);
    }

    /// The result is withdrawn: the clock shows the times again, and stands until it is started.
    fn reopen(&mut self, at: Mono, out: &mut Vec<DriverOutput<D::Command>>) {
        if matches!(self.over, Overlay::Result(_)) {
            self.over = Overlay::Nothing;
            self.want(at, out);
        }
    }

    /// Something is due.
    pub fn on_timeout(&mut self, at: Mono, out: &mut Vec<DriverOutput<D::Command>>) {
        if self.model.wake_at().is_some_and(|falls| falls <= at) {
            self.model.advance(at);
            self.changed(at);
            self.want(at, out);
        }
        if matches!(self.over, Overlay::Move(_, until) if until <= at) {
            self.over = Overlay::Nothing;
            self.want(at, out);
        }
        use ClockNews::{Defies, Silent};
        let n_before = out.len();
        self.driver.on_timeout(at, out);
        for act in &out[n_before..] {
            if let DriverOutput::Tell(news @ (Silent(_) | Defies)) = act {
                self.on_news(at, news);
            }
        }
        self.reconsider(at);
    }

    /// When [`ClockDesk::on_timeout`] is due.
    pub fn wake_at(&self) -> Option<Mono> {
        let uncovers = match self.over {
            Overlay::Move(_, until) => Some(until),
            _ => None,
        };
        [self.driver.wake_at(), self.model.wake_at(), uncovers].into_iter().flatten().min()
    }

    /// The model has changed other than by elapsed time: the clock is to be set anew.
    ///
    /// A delay holds a time still for a while, which a clock that only counts down cannot show. It
    /// shows the delay as used, as Bronstein's clocks do, and is set right at the press.
    fn changed(&mut self, at: Mono) {
        let times = self.model.times(at);
        let runs = match self.model.running().map(|color| self.end(color)) {
            Some(End::Left) => Runs::Left,
            Some(End::Right) => Runs::Right,
            None => Runs::Pause,
        };
        let [left, right] = [End::Left, End::Right].map(|end| *times.get(self.color(end)));
        let turns_by_lever = self.turns_by_lever;
        self.times = Some(WantedTimes { left, right, runs, turns_by_lever, since: at });
        self.has_run |= self.model.running().is_some();
        self.has_changed = true;
    }

    fn want(&mut self, at: Mono, out: &mut Vec<DriverOutput<D::Command>>) {
        let wanted = Wanted { times: self.times, text: self.over.text(), icons: None };
        if std::mem::replace(&mut self.wanted, wanted) != wanted {
            self.driver.want(at, wanted, out);
        }
    }

    fn color(&self, end: End) -> Color {
        if end == self.white { Color::White } else { Color::Black }
    }

    fn end(&self, color: Color) -> End {
        if color == Color::White { self.white } else { self.white.other() }
    }
}

/// Who has the first move in the position of a FEN.
fn first_of(fen: &str) -> Color {
    let is_blacks = fen.split(' ').nth(1) == Some("b");
    if is_blacks { Color::Black } else { Color::White }
}
