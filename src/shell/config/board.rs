//! A board as the configuration has it, and what the game is told of it.

use super::display::DisplaySettings;
use super::leds::LedSettings;
use super::maker::Maker;
use super::matrix::Matrix;
use super::terms::Announced;
use super::word;
use crate::clock::{ControlError, TimeControl};
use crate::drive::{ArbiterCall, Starter};
use crate::game::settings::Rests;
use crate::game::terms::{at_control, variant_of};
use crate::game::{BoardKind, Lights, RoundDelays, Settings};
use crate::laws::{Edition, Profile, Terms, UnknownName, Variant};
use crate::shell::clock::kind::Source;
use crate::shell::pins::{self, PinUse};
use crate::table::{End, defaults, words};
use crate::time::millis;
use crate::wire::Orientation;
use crate::wire::certabo::parse_chips;
use crate::wire::pegasus::parse_key;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;

defaults! {
    /// One board.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct BoardConfig {
        /// Its name: in addresses, folders and the log.
        pub name: String = "table-1".to_owned(),
        /// The table at which it is, by the numbers of the pairings; 0 for its place in the
        /// settings.
        pub table: u16,
        /// Its serial line: a device path, or `auto`; `gpio` for switches on the pins.
        pub port: String = "auto".to_owned(),
        /// The address of a DGT board on a line that several share; 0 of one with a line of its
        /// own.
        pub bus_address: u16,
        /// Whose board is at the end of the line.
        #[serde(deserialize_with = "word::one_of")]
        pub maker: Maker,
        /// The chips below the pieces of a board that knows them by that.
        pub chips: Vec<String>,
        /// The key that DGT has given to a developer, for a Pegasus.
        pub developer_key: String,
        /// What is lit on it.
        #[serde(deserialize_with = "word::one_of")]
        pub lights: Lights,
        /// How such switches are wired.
        pub matrix: Matrix,
        /// Lights below its squares.
        pub leds: LedSettings,
        /// Lights on a wall, which show the game as the public may see it.
        pub wall: LedSettings,
        /// A display of four rows, which shows it likewise.
        pub display: DisplaySettings,
        /// White's name.
        pub white: String,
        /// Black's name.
        pub black: String,
        /// The event.
        pub event: String,
        /// The place.
        pub site: String,
        /// The round.
        pub round: String,
        /// How far the public is behind the board, usually and in single rounds.
        #[serde(deserialize_with = "word::parsed")]
        pub delay: RoundDelays,
        /// The name of a DGT board on which the public game is played again; empty for none.
        pub demo_board: PathBuf,
        /// On which side the board's connector is, seen by White; if it is to be found out, by the
        /// start position.
        #[serde(deserialize_with = "word::one_of")]
        pub connector: LeftOrRight,
        /// White's end of the clock, seen from its front; if it is to be found out, by the first
        /// press.
        #[serde(deserialize_with = "word::one_of")]
        pub clock_white: LeftOrRight,
        /// Where the clock is.
        #[serde(deserialize_with = "word::one_of")]
        pub clock: Source,
        /// The serial line of a clock's bridge: a device path, or `auto`.
        pub clock_port: String = "auto".to_owned(),
        /// The clock behind the board is set and run by the time control; else it is only read.
        pub drive_clock: bool,
        /// For what a driven clock is stopped and calls the arbiter.
        #[serde(deserialize_with = "word::one_of")]
        pub clock_stops_for: ArbiterCall,
        /// The first press of the player without the first move starts a driven clock.
        pub clock_starts_by_lever: bool = true,
        /// A clock that Rokade runs changes sides by itself when its lever turns, instead of
        /// waiting for a command; what that is worth stands in `hardware/README.md`.
        pub clock_turns_by_lever: bool,
        /// A driven clock shows each completed move for some seconds.
        pub clock_shows_moves: bool,
        /// Only Chess960 start positions begin a game.
        pub chess960: bool,
        /// The edition of the Laws that a referee goes by; empty for none.
        pub laws: String,
        /// The form of chess, for the referee; empty if the time control is to tell.
        pub variant: String,
        /// How closely the game is watched, for the referee.
        pub supervision: String = Profile::default().supervision.word().to_owned(),
        /// The time control; empty if the clock is to tell.
        pub time_control: String,
        /// What else the competition lays down, for the referee.
        pub terms: Announced,
        /// Stillness that makes a move while a clock runs, in milliseconds.
        pub settle_with_clock_ms: u64 = millis(Rests::default().with_clock),
        /// Stillness that makes a move without a clock, in milliseconds.
        pub settle_without_clock_ms: u64 = millis(Rests::default().without_clock),
        /// What is wrong with these settings, in one sentence: the board is not recorded.
        #[serde(skip)]
        pub fault: Option<String>,
    }
}

words! {
    /// Where something is, for whoever is in front of it.
    #[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
    pub enum LeftOrRight {
        /// Found out.
        #[default]
        Auto = "auto",
        /// On the left.
        Left = "left",
        /// On the right.
        Right = "right",
    }
}

impl BoardConfig {
    /// A clock with a port to itself is always driven: a DGT 3000 on its jack tells its times only
    /// to whom it obeys.
    pub(super) fn check_port(&self, control: Option<TimeControl>) -> Result<(), String> {
        if control.is_none_or(|control| control == TimeControl::NoClock) {
            let clock = self.clock.word();
            return Err(format!("clock = {clock:?} needs a time_control, as in \"90m+30s\""));
        }
        if self.clock_port == self.port && self.port != "auto" {
            let why = "port and clock_port are the same line; each device has its own";
            return Err(why.to_owned());
        }
        Ok(())
    }

    /// A board of this name whose settings are wrong. Of those nothing is used but its table.
    pub(super) fn at_fault(name: String, table: u16, why: String) -> Self {
        Self { name, table, fault: Some(why), ..Self::default() }
    }

    /// What is wrong with it, if something is, for whoever sees its name beside.
    pub fn fault(&self) -> Option<&str> {
        let why = self.fault.as_deref()?;
        Some(why.strip_prefix(&format!("board {:?}: ", self.name)).unwrap_or(why))
    }

    /// Whether it has buttons for promotions on the pins, and is not there itself.
    pub(in crate::shell) fn has_buttons_beside(&self) -> bool {
        !self.is_on_pins() && self.matrix.promotion_pins().is_some()
    }

    /// The pins of this machine that its parts take.
    pub(in crate::shell) fn pins(&self) -> Vec<PinUse> {
        // The pins of a simulated board are its own.
        let mut pins = match self.is_on_pins() {
            _ if !self.matrix.is_real() => Vec::new(),
            true => self.matrix.pins(),
            false => self.matrix.buttons(),
        };
        if self.clock.is_on_pins() {
            pins.extend(pins::of_clock());
        }
        pins.extend(self.lights_set().into_iter().flat_map(|(_, leds)| leds.pins()));
        pins.extend(self.display.pins());
        pins
    }

    /// Whether its squares are read by this machine itself, by its pins.
    pub fn is_on_pins(&self) -> bool {
        self.port == super::matrix::GPIO
    }

    /// Its lights, below it and on a wall, with the names of their sections.
    pub(in crate::shell) fn lights_set(&self) -> Vec<(&'static str, &LedSettings)> {
        let both = [("[board.leds]", &self.leds), ("[board.wall]", &self.wall)];
        both.into_iter().filter(|(_, leds)| leds.is_set()).collect()
    }

    /// Whether a board that is open with these settings is opened anew for `others`. How far the
    /// public is behind it is its gate's concern, and what shows it that of who shows it.
    pub fn takes_opening(&self, others: &Self) -> bool {
        let Self { delay, table, leds, wall, display, demo_board, .. } = others.clone();
        Self { delay, table, leds, wall, display, demo_board, ..self.clone() } != *others
    }

    /// Whether it shares its line with others.
    pub fn is_on_bus(&self) -> bool {
        self.bus_address != 0
    }

    /// White's end of a clock that we drive: the left one unless it is said otherwise.
    pub fn left_or_right(&self) -> End {
        match self.clock_white {
            LeftOrRight::Auto | LeftOrRight::Left => End::Left,
            LeftOrRight::Right => End::Right,
        }
    }

    /// Who may start a driven clock.
    pub fn starter(&self) -> Starter {
        if self.clock_starts_by_lever { Starter::Anybody } else { Starter::Arbiter }
    }

    /// The time control, if one is set.
    pub(in crate::shell) fn time_control(&self) -> Result<Option<TimeControl>, ControlError> {
        let text = self.time_control.trim();
        if text.is_empty() { Ok(None) } else { text.parse().map(Some) }
    }

    /// The Laws by which the game is refereed, if any are set. The other words must make sense
    /// even so.
    pub(super) fn profile(&self) -> Result<Option<Profile>, UnknownName> {
        let variant = match self.variant.trim() {
            "" => None,
            named => Some(named.parse()?),
        };
        let supervision = self.supervision.trim().parse()?;
        let laws = self.laws.trim();
        if laws.is_empty() {
            return Ok(None);
        }
        let edition = laws.parse()?;
        let variant = variant.unwrap_or_else(|| self.variant_played(edition));
        Ok(Some(Profile { edition, variant, supervision }))
    }

    /// The form of chess, where none is named: by the time control.
    fn variant_played(&self, edition: Edition) -> Variant {
        let control = self.time_control().ok().flatten();
        let variant = control.map_or(Variant::Standard, |it| variant_of(edition, &it));
        match variant {
            Variant::Standard | Variant::Quickplay if self.chess960 => Variant::Chess960,
            other => other,
        }
    }

    /// The terms under which the game is refereed, if there is a referee.
    fn referee_terms(&self) -> Option<Terms> {
        // It was checked when the file was read.
        let profile = self.profile().unwrap_or_default()?;
        let control = self.time_control().unwrap_or_default();
        let is_960 = profile.variant == Variant::Chess960;
        let played = control.as_ref().filter(|_| is_960);
        let pace = played.map(|control| variant_of(profile.edition, control).pace());
        let terms = Terms { profile, pace, ..Terms::default() };
        let terms = self.terms.apply(terms.clone()).unwrap_or(terms);
        Some(match control {
            Some(control) => at_control(terms, &control),
            None => terms,
        })
    }

    /// These settings as the core wants them.
    pub fn settings(&self) -> Settings {
        let terms = self.referee_terms();
        let control = self.time_control().unwrap_or_default();
        let is_960 = terms.as_ref().is_some_and(|it| it.profile.variant == Variant::Chess960);
        Settings {
            white: self.white.clone(),
            black: self.black.clone(),
            event: self.event.clone(),
            site: self.site.clone(),
            round: self.round.clone(),
            pairing: None,
            next: None,
            start: None,
            board: if self.is_on_pins() { BoardKind::Scanned } else { self.maker.kind() },
            shares_line: self.is_on_bus(),
            // They were checked when the file was read.
            chips: parse_chips(&self.chips).unwrap_or_default(),
            key: parse_key(&self.developer_key).unwrap_or_default(),
            lights: self.lights,
            is_chess960: self.chess960 || is_960,
            orientation: match self.connector {
                LeftOrRight::Auto => None,
                LeftOrRight::Left => Some(Orientation::Normal),
                LeftOrRight::Right => Some(Orientation::Rotated),
            },
            white_end: match self.clock_white {
                LeftOrRight::Auto => None,
                LeftOrRight::Left => Some(End::Left),
                LeftOrRight::Right => Some(End::Right),
            },
            terms,
            clock_role: self.clock.role(self.drive_clock, control.as_ref()),
            time_control: control,
            rests: Rests {
                with_clock: Duration::from_millis(self.settle_with_clock_ms),
                without_clock: Duration::from_millis(self.settle_without_clock_ms),
                ..Rests::default()
            },
        }
    }
}
