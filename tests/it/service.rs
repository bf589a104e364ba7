//! The unit, the users and the device rules are read by programs that ignore what they do not
//! understand, so a spelling mistake shows only on the day of the tournament, or here.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(file(name)).unwrap()
}

/// Our unit with a program that is there.
fn unit() -> String {
    let start = format!("ExecStart={} run ", env!("CARGO_BIN_EXE_rokade"));
    let unit = text("systemd/rokade.service");
    assert_eq!(unit.matches("ExecStart=/usr/bin/rokade run ").count(), 1);
    unit.replace("ExecStart=/usr/bin/rokade run ", &start)
}

/// Runs `systemd-analyze` (Debian: systemd) on a unit with this text.
fn analyze(arguments: &[&str], unit: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rokade.service");
    fs::write(&path, unit).unwrap();
    let mut command = Command::new("systemd-analyze");
    command.args(arguments).arg(&path).env("LC_ALL", "C.UTF-8");
    command.output().expect("systemd-analyze is installed")
}

/// What systemd has to say against a unit. Its exit code is 0 even for keys it does not know.
fn complaints(unit: &str) -> String {
    String::from_utf8(analyze(&["verify", "--man=no"], unit).stderr).unwrap()
}

/// From 0 (closed in) to 10 (open to everything).
fn exposure(unit: &str) -> f64 {
    let output = analyze(&["security", "--offline=true", "--no-pager"], unit);
    let output = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = output.split_once("Overall exposure level").expect("an overall level");
    let (_, rest) = rest.split_once(": ").unwrap();
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn systemd_has_nothing_to_say_against_the_unit() {
    assert_eq!(complaints(&unit()), "");
}

#[test]
fn systemd_has_nothing_to_say_against_the_kiosk() {
    let unit = text("systemd/rokade-kiosk.service");
    let start = "ExecStart=/usr/bin/cage ";
    assert_eq!(unit.matches(start).count(), 1);
    let there = format!("ExecStart={} ", env!("CARGO_BIN_EXE_rokade"));
    // It is looked at under the name of the other one.
    let unit = unit.replace(start, &there).replace(" rokade.service ", " ");
    assert_eq!(complaints(&unit), "");
}

#[test]
fn systemd_has_nothing_to_say_against_the_setup_page() {
    let unit = text("systemd/rokade-setup.service");
    let start = "ExecStart=/usr/bin/rokade setup ";
    assert_eq!(unit.matches(start).count(), 1);
    let there = format!("ExecStart={} setup ", env!("CARGO_BIN_EXE_rokade"));
    // It is looked at under the name of the other one.
    let unit = unit.replace(start, &there).replace(" rokade.service\n", "\n");
    assert_eq!(complaints(&unit), "");
    let found = exposure(&unit);
    assert!(found <= 3.5, "an exposure of {found}");
}

#[test]
fn systemd_would_say_so() {
    for (right, wrong) in [
        ("WatchdogSec=", "WatchdogSecs="),
        ("Type=notify", "Type=notfy"),
        ("run --config", "run --config \"unclosed"),
        ("[Service]", "[Servce]"),
    ] {
        let unit = unit();
        assert!(unit.contains(right));
        assert_ne!(complaints(&unit.replacen(right, wrong, 1)), "", "{wrong}");
    }
}

#[test]
fn the_unit_is_closed_in() {
    assert!(exposure(&unit()) <= 1.5);
    let bare = format!("[Service]\nExecStart={}\n", env!("CARGO_BIN_EXE_rokade"));
    assert!(exposure(&bare) > 9.0);
}

#[test]
fn devices_are_named_by_numbers_that_do_not_depend_on_what_is_plugged_in() {
    let unit = unit();
    let allowed = unit.lines().filter_map(|line| line.strip_prefix("DeviceAllow=char-"));
    let allowed: Vec<_> = allowed.map(|device| device.trim_end_matches(" rw")).collect();
    for major in ["188", "166", "204", "4", "216", "89", "153"] {
        assert!(allowed.contains(&major), "{major}");
    }
    let named = allowed.iter().filter(|device| device.parse::<u32>().is_err());
    // These have none.
    assert_eq!(named.collect::<Vec<_>>(), [&"hidraw", &"gpiochip"]);
}

#[test]
fn every_group_of_the_unit_is_made() {
    let users = text("systemd/rokade.sysusers.conf");
    let has = |words: &[&str]| {
        users
            .lines()
            .any(|line| line.split_whitespace().take(words.len()).eq(words.iter().copied()))
    };
    assert!(has(&["u", "rokade", "-"]));
    let unit = unit();
    let groups = unit.lines().find_map(|line| line.strip_prefix("SupplementaryGroups=")).unwrap();
    for group in groups.split_whitespace() {
        assert!(has(&["g", group, "-"]) && has(&["m", "rokade", group]), "{group}");
    }
    let output = Command::new("systemd-sysusers")
        .arg("--dry-run")
        .arg(file("systemd/rokade.sysusers.conf"))
        .output()
        .expect("systemd-sysusers is installed");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    for trouble in ["ignoring", "Unknown", "Invalid", "Failed", "syntax"] {
        assert!(!said.contains(trouble), "{said}");
    }
}

/// The keys that our rules use, with what udev lets one do to them. From udev(7) of version 252.
const KEYS: &[(&str, &[&str])] = &[
    ("ACTION", &["==", "!="]),
    ("SUBSYSTEM", &["==", "!="]),
    ("SUBSYSTEMS", &["==", "!="]),
    ("KERNEL", &["==", "!="]),
    ("DRIVER", &["==", "!="]),
    ("ATTR{}", &["==", "!=", "="]),
    ("ATTRS{}", &["==", "!="]),
    ("ENV{}", &["==", "!=", "=", "+="]),
    ("GROUP", &["=", ":="]),
    ("MODE", &["=", ":="]),
    ("TAG", &["==", "!=", "=", "+=", "-="]),
    ("SYMLINK", &["==", "!=", "=", "+=", "-="]),
    ("IMPORT{}", &["==", "!=", "="]),
    ("GOTO", &["="]),
    ("LABEL", &["="]),
];

/// Reads `KEY op "value", KEY op "value"` and gives the values of GOTO and LABEL.
fn parse_rule<'a>(line: &'a str, jumps: &mut Vec<(&'a str, &'a str)>) -> Result<(), String> {
    let mut rest = line;
    loop {
        let end = rest.find(['=', '!', '+', '-', ':']).ok_or("no operator")?;
        let (key, after) = rest.split_at(end);
        let key = key.trim_end();
        let name = match key.split_once('{') {
            Some((name, attribute)) if attribute.len() > 1 && attribute.ends_with('}') => {
                format!("{name}{{}}")
            }
            Some(_) => return Err(format!("{key} is cut short")),
            None => key.to_owned(),
        };
        let quote = after.find('"').ok_or("no value")?;
        let operator = after[..quote].trim_end();
        let (_, allowed) =
            KEYS.iter().find(|(known, _)| *known == name).ok_or(format!("unknown key {key}"))?;
        if !allowed.contains(&operator) {
            return Err(format!("{key} cannot have {operator}"));
        }
        let (value, after) = after[quote + 1..].split_once('"').ok_or("no closing quote")?;
        if value.is_empty() {
            return Err(format!("{key} has no value"));
        }
        if key == "GOTO" || key == "LABEL" {
            jumps.push((key, value));
        }
        match after.trim_start().strip_prefix(',') {
            None if after.trim().is_empty() => return Ok(()),
            None => return Err(format!("no comma before {after}")),
            Some(next) => rest = next.trim_start(),
        }
    }
}

/// All that is wrong with a rules file.
fn check_rules(rules: &str) -> Vec<String> {
    let mut jumps = Vec::new();
    let mut wrong = Vec::new();
    for (line, n) in rules.lines().zip(1..) {
        if !line.is_empty()
            && !line.starts_with('#')
            && let Err(what) = parse_rule(line, &mut jumps)
        {
            wrong.push(format!("line {n}: {what}"));
        }
    }
    for (at, (key, target)) in jumps.iter().enumerate() {
        let later = jumps[at..].iter().any(|(key, label)| *key == "LABEL" && label == target);
        if *key == "GOTO" && !later {
            wrong.push(format!("GOTO {target} leads nowhere"));
        }
    }
    let labels: Vec<_> = jumps.iter().filter(|(key, _)| *key == "LABEL").collect();
    if labels.iter().collect::<BTreeSet<_>>().len() != labels.len() {
        wrong.push("a LABEL stands twice".to_owned());
    }
    wrong
}

#[test]
fn the_device_rules_are_well_formed() {
    let rules = text("udev/70-rokade.rules");
    assert_eq!(check_rules(&rules), Vec::<String>::new());
    assert!(rules.contains("ATTR{latency_timer}=\"1\""));
    // udevadm can judge rules from version 254 on.
    let help = Command::new("udevadm").arg("--help").output().expect("udev is installed");
    if String::from_utf8_lossy(&help.stdout).contains("verify") {
        // Groups that this machine does not have are not the rules' fault.
        let mut command = Command::new("udevadm");
        command.args(["verify", "--resolve-names=never"]).arg(file("udev/70-rokade.rules"));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn broken_device_rules_are_found() {
    for wrong in [
        "ACTION=\"remove\"",
        "ACTON==\"remove\"",
        "ATTRS==\"x\"",
        "ATTRS{}==\"x\"",
        "KERNEL==\"x\" MODE=\"0660\"",
        "KERNEL==\"x",
        "KERNEL==x",
        "KERNEL==\"x\",",
        "KERNEL",
        "GOTO=\"nowhere\"",
        "LABEL=\"back\"\nGOTO=\"back\"",
        "LABEL=\"twice\"\nLABEL=\"twice\"",
        "SUBSYSTEM+=\"tty\"",
        "MODE=\"\"",
    ] {
        assert!(!check_rules(wrong).is_empty(), "{wrong}");
    }
    let right = "KERNEL==\"a|b\", ENV{X}=\"$env{Y}\", GOTO=\"end\"\n# text\n\nLABEL=\"end\"";
    assert_eq!(check_rules(right), Vec::<String>::new());
}
