//! Clocks as devices: what they say, how they are driven, and the models that stand for them.

mod arbiter;
mod babble;
mod behind;
mod bridge;
mod bridge_daemon;
mod bridge_desk;
mod desk;
mod dgt3000;
mod exchanged;
mod faults;
mod firmware;
mod jack;
mod line;
mod own;
#[cfg(feature = "pi")]
mod parts;
mod pico;
mod published;
mod speed;
mod tool;
mod unruly;
mod whole;
mod world;

/// Hours, minutes and seconds, as a display shows them.
fn hms(seconds: u32) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
