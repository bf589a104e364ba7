//! The firmware of the bridge for a Pico, made as a builder makes it, on an emulated chip from
//! power on. Both need what is no part of Rust: a compiler for ARM and the packages of
//! `tests/bridge`, which `tests/all.sh` installs. Without them a word says that nothing was tried.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

fn bridge_tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bridge")
}

/// The file that is copied to a Pico, made once.
fn firmware() -> Option<&'static Path> {
    static FIRMWARE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        if Command::new("arm-none-eabi-gcc").arg("--version").output().is_err() {
            eprintln!("no arm-none-eabi-gcc: the firmware for a Pico is not made");
            return None;
        }
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bridge-pico-firmware");
        let made = Command::new("make")
            .arg("--always-make")
            .arg("-C")
            .arg(bridge_tests().join("../../hardware/bridge/pico"))
            .arg(format!("BUILD={}", to.display()))
            .output()
            .expect("make");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Some(to.join("bridge.uf2"))
    };
    FIRMWARE.get_or_init(make).as_deref()
}

/// What it says and writes if this is done to it.
fn run(orders: &str) -> Option<String> {
    let firmware = firmware()?;
    if !bridge_tests().join("node_modules/rp2040js").exists() {
        eprintln!("no rp2040js: npm --prefix tests/bridge ci");
        return None;
    }
    let mut child = Command::new("node")
        .arg(bridge_tests().join("pico.mjs"))
        .arg(firmware)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Node.js");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(orders.as_bytes()).expect("it listens");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
fn a_pico_starts_only_with_the_sum_that_it_asks_for() {
    let Some(firmware) = firmware() else { return };
    let file = std::fs::read(firmware).expect("it was made");
    let boot = &file[32..32 + 256];
    let crc = boot[..252].iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| {
            crc << 1 ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 }
        })
    });
    assert_eq!(boot[252..], crc.to_le_bytes());
    // Behind it the vectors: the top of the memory, and a start in the flash, as Thumb.
    let vectors = &file[512 + 32..];
    assert_eq!(vectors[..4], 0x2004_0000_u32.to_le_bytes());
    let start = u32::from_le_bytes(vectors[4..8].try_into().expect("four"));
    assert!((0x1000_0100..0x1001_0000).contains(&start) && start % 2 == 1, "{start:x}");
}

#[test]
fn a_pico_is_a_bridge_from_power_on() {
    let orders = [
        // It counts its seconds and says nothing before somebody listens.
        ("pass 1500", ""),
        ("open\npass 20", ""),
        ("host hi\npass 20", "!hi rokade-bridge 1*5A\n"),
        ("host listen 10\nhost write 07 1020050F48\npass 20", "!end 07 ok*99\n1020050F48.\n"),
        // Nobody is at that address.
        ("host write 08 50200B\npass 20", "!end 08 none*6E\n50.\n"),
        // Set up anew it goes on.
        ("host reset\nhost write 09 1020050F48\npass 20", "!end 09 ok*5D\n1020050F48.\n"),
        // The longest frame: its bytes go to the master as it has room for them.
        (&format!("host write 0A 10{}\npass 20", "5A".repeat(50)), &longest()),
        ("pass 900", "!beat 2 0*68\n"),
        // A line that was closed and opened has nothing left of before.
        ("host hi\nclose\npass 2000\nopen\npass 1", ""),
        ("host hi\npass 20", "!hi rokade-bridge 1*5A\n"),
    ];
    let all: String = orders.iter().map(|(order, _)| format!("{order}\n")).collect();
    let Some(said) = run(&all) else { return };
    assert_eq!(said, orders.map(|(_, answer)| answer).concat());
}

fn longest() -> String {
    format!("!end 0A ok*DF\n10{}.\n", "5A".repeat(50))
}

#[test]
fn a_pico_tells_what_it_heard() {
    let orders = "pass 100\nopen\nhost listen 10\npass 20\nbus 100702220105\npass 20\n";
    let Some(said) = run(orders) else { return };
    let [got, rest @ ..] = &said.lines().collect::<Vec<_>>()[..] else { panic!("{said}") };
    assert!(rest.is_empty(), "{said}");
    let words: Vec<_> = got.split(' ').collect();
    // Its age is what the program needed to see it.
    let age: u32 = words[1].parse().expect("microseconds");
    assert!(words[0] == "!got" && age < 1_000, "{got}");
    assert!(words[2].starts_with("00100702220105*"), "{got}");
}
