//! The words of the tables for what was decoded, written by hand so that a table is readable and
//! a change of a type is not a change of a table.

use rokade::table::End;
use rokade::wire::{
    AckKind, AckOutcome, BoardCommand, BoardMessage, Button, ClockCommand, ClockMessage, ClockTime,
    Field, FieldCode, Item, Leds, LogEvent, Orientation, PegasusLeds, Runs, SetTime, SideTime,
    Signal, TimeFault, segments,
};

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("hex")).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

pub(crate) fn items(items: &[Item]) -> String {
    items.iter().map(item).collect::<Vec<_>>().join(", ")
}

pub(crate) fn item(item: &Item) -> String {
    match item {
        Item::Message(it) => message(it),
        Item::Skipped { bytes, why } => format!("skipped {bytes} {}", why.word()),
        Item::Unknown { id, bytes } => format!("unknown {bytes} {id:02x}"),
    }
}

fn square(field: Field) -> String {
    Orientation::Normal.square(field).to_string()
}

fn code(code: FieldCode) -> String {
    match code {
        FieldCode::Empty => ".".into(),
        FieldCode::Piece(piece) => piece.char().into(),
        FieldCode::Signal(Signal::Draw) => "draw".into(),
        FieldCode::Signal(Signal::WhiteWins) => "white-wins".into(),
        FieldCode::Signal(Signal::BlackWins) => "black-wins".into(),
    }
}

pub(crate) fn message(message: &BoardMessage) -> String {
    let minutes = |n: Option<u32>| n.map_or("-".into(), |n| n.to_string());
    match message {
        BoardMessage::Dump(dump) => {
            let (name, orientation) = match dump.orientation() {
                Some(Orientation::Normal) => ("normal", Orientation::Normal),
                Some(Orientation::Rotated) => ("rotated", Orientation::Rotated),
                None => ("unknown", Orientation::Normal),
            };
            format!("dump {} {name}", dump.placement(orientation))
        }
        BoardMessage::Field { field, code: it } => {
            format!("field {} {}", square(*field), code(*it))
        }
        BoardMessage::Clock(it) => clock(it),
        BoardMessage::Log(log) => format!("log {}", hex(log)).trim_end().into(),
        BoardMessage::BusAddress(address) => format!("bus-address {address}"),
        BoardMessage::Serial(serial) => format!("serial {serial}"),
        BoardMessage::LongSerial(serial) => format!("long-serial {serial}"),
        BoardMessage::Trademark(text) => format!("trademark {}", text.replace("\r\n", "|")),
        BoardMessage::Version { major, minor } => format!("version {major}.{minor:02}"),
        BoardMessage::HardwareVersion { major, minor } => format!("hardware {major}.{minor:02}"),
        BoardMessage::Battery(it) => format!(
            "battery {}% left {} on {} standby {} {}{}",
            it.percent,
            minutes(it.left_min.map(u32::from)),
            minutes(it.on_min.map(u32::from)),
            minutes(it.standby_min),
            if it.charging { "charging" } else { "" },
            if it.discharging { "discharging" } else { "" },
        )
        .trim_end()
        .into(),
        BoardMessage::BlackFields(codes) => format!("black-fields {}", hex(&codes[..])),
        BoardMessage::WhiteFields(codes) => format!("white-fields {}", hex(&codes[..])),
        BoardMessage::LockState { unlocked } => {
            format!("lock {}", if *unlocked { "open" } else { "shut" })
        }
        BoardMessage::KeyState { accepted } => {
            format!("key {}", if *accepted { "accepted" } else { "refused" })
        }
        BoardMessage::PegasusAnswer(bytes) => format!("pegasus {}", hex(bytes)),
    }
}

fn time(seconds: u32) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn side(side: SideTime) -> String {
    let mark = |on, sign| if on { sign } else { "" };
    let (plus, stop) = (mark(side.per_move, "+"), mark(side.flag_blocked, "!"));
    format!("{}{plus}{stop}{}", time(side.seconds), mark(side.flag_shown, "?"))
}

fn end(end: End) -> &'static str {
    match end {
        End::Left => "left",
        End::Right => "right",
    }
}

fn lever(running: bool, high: End) -> String {
    format!("{} {}-high", if running { "running" } else { "stopped" }, end(high))
}

fn clock(message: &ClockMessage) -> String {
    match message {
        ClockMessage::Time(ClockTime { left, right, running, high, battery_low }) => {
            let battery = if *battery_low { " battery-low" } else { "" };
            let lever = lever(*running, *high);
            format!("clock L {} R {} {lever}{battery}", side(*left), side(*right))
        }
        ClockMessage::NoClock => "clock none".into(),
        ClockMessage::Empty => "clock empty".into(),
        ClockMessage::Ack(ack) => {
            let outcome = match ack.outcome() {
                AckOutcome::Normal => "normal".into(),
                AckOutcome::NotRemote => "not-remote".into(),
                AckOutcome::Error(byte) => format!("error-{byte:02X}"),
            };
            let spontaneous = if ack.is_spontaneous() { " spontaneous" } else { "" };
            format!("ack {} {outcome} {}{spontaneous}", hex(&ack.0), ack_kind(ack.kind()))
        }
        ClockMessage::Rejected { why, running, high, .. } => {
            let why = match why {
                TimeFault::Hours(at) => format!("hours-{}", end(*at)),
                TimeFault::Minutes(at) => format!("minutes-{}", end(*at)),
                TimeFault::Seconds(at) => format!("seconds-{}", end(*at)),
            };
            format!("rejected {why} {}", lever(*running, *high))
        }
    }
}

fn ack_kind(kind: AckKind) -> String {
    match kind {
        AckKind::Display => "display".into(),
        AckKind::Icons => "icons".into(),
        AckKind::End => "end".into(),
        AckKind::ButtonQuery => "button-query".into(),
        AckKind::Version { major, minor } => format!("version {major}.{minor}"),
        AckKind::SetAndRun => "set-and-run".into(),
        AckKind::Beep => "beep".into(),
        AckKind::Text => "text".into(),
        AckKind::Ready => "ready".into(),
        AckKind::Pressed(buttons) => {
            let names: Vec<_> = buttons.iter().map(button).collect();
            let names = if names.is_empty() { "nothing".into() } else { names.join("+") };
            format!("pressed {names}")
        }
        AckKind::Mode(mode) => format!("mode {mode}"),
        AckKind::NotInMode => "not-in-mode".into(),
        AckKind::Other(byte) => format!("other-{byte:02X}"),
    }
}

fn button(button: Button) -> &'static str {
    match button {
        Button::Back => "back",
        Button::Minus => "minus",
        Button::Run => "run",
        Button::Plus => "plus",
        Button::Forward => "forward",
    }
}

pub(crate) fn events(events: &[LogEvent]) -> String {
    events.iter().map(event).collect::<Vec<_>>().join(", ")
}

fn event(event: &LogEvent) -> String {
    match *event {
        LogEvent::Change { field, code: it, fast } => {
            format!("change {} {}{}", square(field), code(it), if fast { " fast" } else { "" })
        }
        LogEvent::Time { end: at, seconds } => format!("time {} {}", end(at), time(seconds)),
        LogEvent::PowerUp => "power-up".into(),
        LogEvent::Eof => "eof".into(),
        LogEvent::FourRows => "four-rows".into(),
        LogEvent::EmptyBoard => "empty-board".into(),
        LogEvent::Downloaded => "downloaded".into(),
        LogEvent::Start(Orientation::Normal) => "start normal".into(),
        LogEvent::Start(Orientation::Rotated) => "start rotated".into(),
        LogEvent::StartTag => "start-tag".into(),
        LogEvent::Watchdog => "watchdog".into(),
        LogEvent::Reserved(byte) => format!("reserved {byte:02X}"),
        LogEvent::Nop => "nop".into(),
        LogEvent::Skipped { bytes } => format!("skipped {bytes}"),
    }
}

pub(crate) fn command(command: &BoardCommand) -> String {
    let plain = match command {
        BoardCommand::Clock(it) => return clock_command(it),
        BoardCommand::Leds(it) => return leds(*it),
        BoardCommand::PegasusLeds(it) => return pegasus_leds(it),
        BoardCommand::PegasusKey(key) => return format!("pegasus-key {}", hex(key)),
        BoardCommand::Reset => "reset",
        BoardCommand::SendClock => "send-clock",
        BoardCommand::SendBoard => "send-board",
        BoardCommand::Update => "update",
        BoardCommand::UpdateBoard => "update-board",
        BoardCommand::ReturnSerial => "return-serial",
        BoardCommand::ReturnBusAddress => "return-bus-address",
        BoardCommand::SendTrademark => "send-trademark",
        BoardCommand::SendHardwareVersion => "send-hardware-version",
        BoardCommand::SendLog => "send-log",
        BoardCommand::ToBusMode => "to-bus-mode",
        BoardCommand::UpdateNice => "update-nice",
        BoardCommand::SendBattery => "send-battery",
        BoardCommand::SendVersion => "send-version",
        BoardCommand::SendBlackFields => "send-black-fields",
        BoardCommand::SendWhiteFields => "send-white-fields",
        BoardCommand::ScanAllFields => "scan-all-fields",
        BoardCommand::ReturnLongSerial => "return-long-serial",
        BoardCommand::PegasusLockState => "pegasus-lock-state",
        BoardCommand::PegasusKeyState => "pegasus-key-state",
    };
    plain.into()
}

fn leds(leds: Leds) -> String {
    let yes = |on| if on { "yes" } else { "no" };
    match leds {
        Leds::On { from, to } => format!("leds on {} {}", square(from), square(to)),
        Leds::Off { from, to } => format!("leds off {} {}", square(from), square(to)),
        Leds::AllOff => "leds off".into(),
        Leds::AutoOff { enabled } => format!("leds auto-off {}", yes(enabled)),
        Leds::AutoReverse { enabled } => format!("leds auto-reverse {}", yes(enabled)),
    }
}

fn pegasus_leds(leds: &PegasusLeds) -> String {
    match leds {
        PegasusLeds::AllOff => "pegasus-leds off".into(),
        PegasusLeds::Show { speed, repeat, intensity, fields } => {
            let squares: Vec<_> = fields.iter().map(|&field| square(field)).collect();
            let squares = squares.join(" ");
            format!("pegasus-leds speed {speed} repeat {repeat} intensity {intensity} {squares}")
        }
    }
}

fn set_time(set: SetTime) -> String {
    format!("{}{}", time(set.seconds), if set.counts_up { "^" } else { "" })
}

fn clock_command(command: &ClockCommand) -> String {
    let ascii = |text: &[u8]| String::from_utf8(text.to_vec()).expect("ASCII");
    match command {
        ClockCommand::Display { places, dots, beep } => {
            let beep = if *beep { "beep" } else { "silent" };
            // Read the glass as the table's alphabet would write it.
            let letters = "0123456789abcdefghijklmnopqrstuvwxyz";
            let read = |&lit: &u8| letters.chars().find(|&it| segments::glyph(it) == lit);
            let text: String = places.iter().map(|lit| read(lit).unwrap_or(' ')).collect();
            format!("display {dots:02X} {beep} \"{}\"", text.trim_end())
        }
        ClockCommand::Icons(it) => {
            let used = [it.left, it.right, it.left_period, it.right_period, it.special];
            format!("icons {}", hex(&used))
        }
        ClockCommand::End => "end".into(),
        ClockCommand::ButtonQuery => "button-query".into(),
        ClockCommand::VersionQuery => "version-query".into(),
        ClockCommand::SetAndRun(set) => {
            let runs = match set.runs {
                Runs::Left => "left",
                Runs::Right => "right",
                Runs::Both => "both",
                Runs::Pause => "pause",
            };
            let toggle = if set.toggle { " toggle" } else { "" };
            format!("set L {} R {} {runs}{toggle}", set_time(set.left), set_time(set.right))
        }
        ClockCommand::Beep(units) => format!("beep {units}"),
        ClockCommand::Text { text, beep } => format!("text {beep} \"{}\"", ascii(text)),
        ClockCommand::LongText { text, beep } => format!("long-text {beep} \"{}\"", ascii(text)),
    }
}
