//! Drives the clock behind a board that has nothing else to do: wakes the board as for a game, and
//! lets the driver of its clock speak through it.

use super::clock_line::{ClockLine, LineInput};
use super::clock_wish::{
    CLOCK_GONE, ClockDriver, Difference, DriverOutput, PortDriver, PortInput, Wanted,
};
use super::command::BoardCommand;
use super::frame::{Decoder, Item};
use super::message::BoardMessage;
use super::session::{Session, SessionState, Streams};
use crate::table::defaults;
use crate::time::Mono;

const NO_BOARD: &str =
    "no board answers at this port; is it the right port, and has the board power?";
const NO_CLOCK: &str = "the board answers, but no clock is plugged into it; plug it in, switch it \
                        on and try again";
const BOARD_GONE: &str = "the board does not answer any more; check its cable and its power, and \
                          try again";

defaults! {
    /// The driver of a clock behind a board, and the conversation with the board. It begins without
    /// a line.
    #[derive(Debug, Clone)]
    pub struct BoardLink {
        session: Session = Session::new(Streams::BoardAndClock),
        decoder: Decoder,
        clock: ClockLine,
    }
}

impl BoardLink {
    /// Tells the driver of the clock whether the board streams it.
    fn follow(&mut self, at: Mono, acts: &mut Vec<DriverOutput<BoardCommand>>) {
        let input = if self.is_linked() { LineInput::Up } else { LineInput::Down };
        self.clock.handle(at, &input, acts);
    }

    fn hear(
        &mut self,
        at: Mono,
        bytes: &[u8],
        commands: &mut Vec<BoardCommand>,
        acts: &mut Vec<DriverOutput<BoardCommand>>,
    ) {
        let mut items = Vec::new();
        self.session.on_bytes(at);
        self.decoder.push(at, bytes, &mut items);
        for item in items {
            let Item::Message(message) = item else { continue };
            self.session.on_message(at, &message, commands);
            self.follow(at, acts);
            if let BoardMessage::Clock(clock) = message {
                self.clock.handle(at, &LineInput::Clock(clock), acts);
            }
        }
    }

    /// Puts into bytes what was asked for. What wakes the board goes first.
    fn pass_on(
        commands: &[BoardCommand],
        acts: Vec<DriverOutput<BoardCommand>>,
        out: &mut Vec<DriverOutput<Vec<u8>>>,
    ) {
        out.extend(commands.iter().map(|command| DriverOutput::Send(command.encode())));
        out.extend(acts.into_iter().map(|act| match act {
            DriverOutput::Send(command) => DriverOutput::Send(command.encode()),
            DriverOutput::Tell(news) => DriverOutput::Tell(news),
        }));
    }
}

impl ClockDriver for BoardLink {
    type Input = PortInput;
    type Command = Vec<u8>;

    fn want(&mut self, at: Mono, wanted: Wanted, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        let mut acts = Vec::new();
        self.clock.want(at, wanted, &mut acts);
        Self::pass_on(&[], acts, out);
    }

    fn beep(&mut self, at: Mono, units: u8, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        let mut acts = Vec::new();
        self.clock.beep(at, units, &mut acts);
        Self::pass_on(&[], acts, out);
    }

    fn handle(&mut self, at: Mono, input: &PortInput, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        let (mut commands, mut acts) = (Vec::new(), Vec::new());
        match input {
            PortInput::Up => self.session.link_up(at, &mut commands),
            PortInput::Down => {
                self.session.link_down();
                self.decoder = Decoder::default();
                self.follow(at, &mut acts);
            }
            PortInput::Bytes(bytes) => self.hear(at, bytes, &mut commands, &mut acts),
        }
        Self::pass_on(&commands, acts, out);
    }

    fn on_timeout(&mut self, at: Mono, out: &mut Vec<DriverOutput<Vec<u8>>>) {
        let (mut commands, mut acts) = (Vec::new(), Vec::new());
        self.session.on_timeout(at, &mut commands);
        // The clock's driver does what is due whenever it is told anything.
        self.follow(at, &mut acts);
        Self::pass_on(&commands, acts, out);
    }

    fn wake_at(&self) -> Option<Mono> {
        [self.session.wake_at(), self.clock.wake_at()].into_iter().flatten().min()
    }

    fn difference(&self) -> Option<Difference> {
        self.clock.difference()
    }
}

impl PortDriver for BoardLink {
    fn is_linked(&self) -> bool {
        matches!(self.session.state(), SessionState::Resync | SessionState::Live)
    }

    fn silence(&self) -> &'static str {
        if self.is_linked() { NO_CLOCK } else { NO_BOARD }
    }

    fn loss(&self) -> &'static str {
        if self.session.failed().is_some() { BOARD_GONE } else { CLOCK_GONE }
    }

    fn leave(&mut self) -> Vec<Vec<u8>> {
        let mut commands = Vec::new();
        self.session.leave(&mut commands);
        commands.iter().map(BoardCommand::encode).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::End;
    use crate::wire::{
        ClockCommand, ClockMessage, ClockText, ClockTime, Dump, FieldCode, SideTime,
    };

    /// Lets half a minute pass, and answers the question for the version with this.
    fn wake(link: &mut BoardLink, answer: &[u8]) -> Vec<Vec<u8>> {
        let (mut out, mut sent) = (Vec::new(), Vec::new());
        link.handle(Mono::default(), &PortInput::Up, &mut out);
        while let Some(due) = link.wake_at().filter(|due| *due < Mono::from_millis(30_000)) {
            link.on_timeout(due, &mut out);
            for act in std::mem::take(&mut out) {
                let DriverOutput::Send(bytes) = act else { continue };
                if bytes == BoardCommand::SendVersion.encode() {
                    link.handle(due, &PortInput::Bytes(answer.to_vec()), &mut out);
                }
                sent.push(bytes);
            }
        }
        sent
    }

    #[test]
    fn a_board_is_woken_before_its_clock_is_asked() {
        let mut link = BoardLink::default();
        let sent = wake(&mut link, &[0x93, 0x00, 0x05, 0x01, 0x07]);
        assert!(sent.contains(&BoardCommand::UpdateNice.encode()), "{sent:x?}");
        assert!(sent.contains(&BoardCommand::SendClock.encode()), "{sent:x?}");
    }

    #[test]
    fn whose_port_answers_nothing_is_told_to_look_for_the_board() {
        let mut link = BoardLink::default();
        wake(&mut link, &[]);
        assert_eq!((link.is_linked(), link.silence()), (false, NO_BOARD));
        assert_eq!(link.loss(), BOARD_GONE);
        assert!(link.leave().is_empty(), "who never answered is told nothing");
    }

    #[test]
    fn a_port_that_is_gone_is_asked_nothing() {
        let mut link = BoardLink::default();
        let mut out = Vec::new();
        link.handle(Mono::default(), &PortInput::Up, &mut out);
        link.handle(Mono::from_millis(10), &PortInput::Down, &mut out);
        assert_eq!((link.wake_at(), link.is_linked()), (None, false));
    }

    /// What a board says in two parts: the version that it answers with.
    const VERSION: ([u8; 3], [u8; 2]) = ([0x93, 0x00, 0x05], [0x01, 0x07]);

    /// The line was cut in the middle of an answer. What comes once it is there again may be
    /// anything, and does not end that answer.
    #[test]
    fn half_an_answer_is_not_ended_on_the_next_line() {
        for is_cut in [false, true] {
            let (mut link, mut out) = (BoardLink::default(), Vec::new());
            let (at, (first, rest)) = (Mono::from_millis(1_000), VERSION);
            link.handle(at, &PortInput::Up, &mut out);
            link.handle(at, &PortInput::Bytes(first.to_vec()), &mut out);
            if is_cut {
                link.handle(at, &PortInput::Down, &mut out);
                link.handle(at, &PortInput::Up, &mut out);
            }
            link.handle(at, &PortInput::Bytes(rest.to_vec()), &mut out);
            assert_eq!(link.is_linked(), !is_cut);
        }
    }

    /// What a board with a clock says to a command.
    fn says(command: &BoardCommand) -> Option<BoardMessage> {
        let side = SideTime::of_seconds(60);
        let (left, right, high) = (side, side, End::Left);
        let time = ClockTime { left, right, running: false, high, battery_low: false };
        Some(match command {
            BoardCommand::SendVersion => BoardMessage::Version { major: 1, minor: 7 },
            BoardCommand::SendClock => BoardMessage::Clock(ClockMessage::Time(time)),
            BoardCommand::ReturnSerial => BoardMessage::Serial("01025".to_owned()),
            BoardCommand::SendBoard => BoardMessage::Dump(Box::new(Dump([FieldCode::Empty; 64]))),
            _ => return None,
        })
    }

    /// A clock that answers nothing is asked again at the moments of the link, each of which does
    /// what is due.
    #[test]
    fn the_clock_is_asked_at_the_moments_of_the_link() {
        let (mut link, mut out) = (BoardLink::default(), Vec::new());
        let text = Some(ClockText::plain("1-0"));
        link.want(Mono::default(), Wanted { text, ..Wanted::default() }, &mut out);
        link.handle(Mono::default(), &PortInput::Up, &mut out);
        let mut n_asked = 0;
        while let Some(due) = link.wake_at().filter(|due| *due < Mono::from_millis(20_000)) {
            link.on_timeout(due, &mut out);
            for act in std::mem::take(&mut out) {
                let DriverOutput::Send(bytes) = act else { continue };
                let command = BoardCommand::decode(&bytes).expect("a command");
                n_asked += usize::from(command == BoardCommand::Clock(ClockCommand::VersionQuery));
                let answer = says(&command).map(|it| it.encode()).unwrap_or_default();
                link.handle(due, &PortInput::Bytes(answer), &mut out);
            }
            assert!(link.wake_at().is_some_and(|next| next > due), "all that was due is done");
        }
        assert_eq!(link.difference(), Some(Difference::Silent));
        // Every other second five times, and then much less often.
        assert_eq!(n_asked, 6);
    }
}
