//! What is wrong with one board keeps no other from being recorded.

use rokade::shell::config::Config;
use std::path::Path;

/// Which boards can be recorded, and what is wrong with the others.
fn apart(text: &str) -> Result<(Vec<String>, Vec<String>), String> {
    let config = Config::parse_apart(text, Path::new("rokade.toml")).map_err(|e| e.to_string())?;
    let (mut usable, mut faults) = (Vec::new(), Vec::new());
    for board in &config.boards {
        match board.fault() {
            Some(why) => faults.push(format!("{}: {why}", board.name)),
            None => usable.push(board.name.clone()),
        }
    }
    Ok((usable, faults))
}

/// A board of this name with these lines, between two with which nothing is wrong.
fn between(lines: &str) -> String {
    let on_pins = "port = \"gpio\"\n[board.matrix]\nload = 5\n";
    format!(
        "[[board]]\nname = \"a\"\n{on_pins}\n[[board]]\nname = \"b\"\n{lines}\n\
         [[board]]\nname = \"c\"\nport = \"/dev/bus\"\nbus_address = 9\n"
    )
}

#[test]
fn the_board_with_the_mistake_is_named_and_the_others_can_be_recorded() {
    for (lines, words) in [
        ("port = \"gpio\"\n[board.matrix]\nload = 40", "there is no pin BCM 40 on the header"),
        ("port = \"gpio\"\n[board.matrix]\nload = 300", "300"),
        ("port = \"gpio\"\n[board.matrix]\nchips = \"rows\"", "BCM 10 is taken twice"),
        ("port = \"gpio\"\n[board.matrix]\nbus = \"/dev/spidev1.0\"\nload = 5", "BCM 5 is taken"),
        ("port = \"/dev/c\"\nclock = \"gpio\"\ntime_control = \"5m\"", "BCM 5 is taken twice"),
        ("porrt = \"/dev/c\"", "unknown field `porrt`"),
        ("port = \"/dev/c\"\nmaker = \"staunton\"", "\"staunton\""),
        ("port = \"/dev/c\"\nlaws = \"m1066\"", "m1066"),
        ("port = \"/dev/c\"\ntable = 1", "boards \"a\" and \"b\" are both at table 1"),
        ("port = \"/dev/c\"\nwhite = 7\nwhite_name = 1", "unknown field"),
        ("port = \"/dev/c\"\n[board.matrix]\nload = 7", "is for port = \"gpio\""),
    ] {
        let text = between(lines);
        let (usable, faults) = apart(&text).expect(lines);
        assert_eq!(usable, ["a", "c"], "{lines}: {faults:?}");
        assert!(faults[0].starts_with("b: ") && faults[0].contains(words), "{lines}: {faults:?}");
        // Whoever wants all of them, or none, is told the same.
        let told = Config::parse(&text, Path::new("rokade.toml")).expect_err(lines).to_string();
        assert!(told.contains(words), "{lines}: {told}");
    }
}

/// Of two boards with one address, or one line, the later one stands back; each fault is told.
#[test]
fn of_two_that_want_the_same_the_first_has_it() {
    let on_bus = |name: &str, address: u16| {
        format!("[[board]]\nname = {name:?}\nport = \"/dev/bus\"\nbus_address = {address}\n")
    };
    let text = [on_bus("a", 7), on_bus("b", 8), on_bus("c", 7), on_bus("d", 8), on_bus("e", 9)];
    let (usable, faults) = apart(&text.concat()).expect("some can be recorded");
    assert_eq!(usable, ["a", "b", "e"]);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("boards \"a\" and \"c\" both have bus_address = 7"), "{faults:?}");
    assert!(faults[1].contains("boards \"b\" and \"d\" both have bus_address = 8"), "{faults:?}");
    // What is wrong by itself takes nothing from anybody.
    let bad = on_bus("a", 7) + "laws = \"m1066\"\n" + &on_bus("b", 7);
    assert_eq!(apart(&bad).expect("one of them").0, ["b"]);
}

#[test]
fn what_is_wrong_beside_the_boards_or_with_all_of_them_is_an_error() {
    for (text, words) in [
        ("[[board", "rokade.toml"),
        ("[http]\nlissten = 1\n[[board]]\nname = \"a\"\n", "unknown field `lissten`"),
        ("[[board]]\nname = \"a\"\nporrt = 1", "unknown field `porrt`"),
        ("[[board]]\nname = \"a/b\"\n[[board]]\nname = \"c\"\nport = \"/dev/c\"", "board name"),
        ("[[board]]\nname = \"a\"\n[[board]]\nname = \"a\"\nport = \"/dev/c\"", "are named \"a\""),
    ] {
        let told = apart(text).expect_err(text);
        assert!(told.contains(words), "{text}: {told}");
    }
}

/// Beside a board that is not on the pins buttons are read, and nothing else.
#[test]
fn buttons_stand_beside_any_board() {
    let parse = |lines: &str| {
        let text = format!("[[board]]\nport = \"/dev/x\"\n{lines}\n");
        Config::parse(&text, Path::new("rokade.toml")).map_err(|e| e.to_string())
    };
    parse("[board.matrix]\npromotion = [16, 19, 20, 26]\npins = \"gpiocdev\"").expect("buttons");
    for (lines, words) in [
        ("[board.matrix]\npromotion = [16, 19, 20]", "promotion names 3 pins"),
        ("[board.matrix]\npromotion = [16, 19, 20, 20]", "BCM 20 is there twice in promotion"),
        ("[board.matrix]\npromotion = [16, 19, 20, 28]", "there is no pin BCM 28"),
        ("[board.matrix]\npromotion = [16, 19, 20, 26]\nload = 7", "only promotion is read"),
        ("[board.matrix]\npins = \"gpiocdev\"", "nothing is read by them here"),
        (
            "clock = \"gpio\"\ntime_control = \"5m\"\n[board.matrix]\npromotion = [5, 19, 20, 26]",
            "BCM 5 is taken twice, by clock, left button and by promotion",
        ),
    ] {
        let told = parse(lines).expect_err(lines);
        assert!(told.contains(words), "{lines}: {told}");
    }
    let on_pins = "[[board]]\nport = \"gpio\"\n[board.matrix]\nbus_pins = [5, 6, 7]\n";
    let told = Config::parse(on_pins, Path::new("rokade.toml")).expect_err("no bus of pins");
    assert!(told.to_string().contains("with bus = \"pins\" alone"), "{told}");
}

/// Each set of pins that the sheet of the buttons gives fits beside what it is given for.
#[test]
fn the_sets_of_the_sheet_fit() {
    let sheet = concat!(env!("CARGO_MANIFEST_DIR"), "/hardware/promotion-buttons.md");
    let sheet = std::fs::read_to_string(sheet).expect("the sheet");
    let halls = "chips = \"mcp3008\"\ncalibration = \"/etc/rokade/a.halls\"\n";
    let lights = |bus: &str| format!("[board.leds]\nchips = \"ws2812\"\nbus = {bus:?}\n");
    let on_second = halls.to_owned() + "bus = \"/dev/spidev1.0\"\n";
    let clock = "clock = \"gpio\"\ntime_control = \"5m\"\n";
    for (given_for, builds) in [
        (
            "74HC165, expanders, hall sensors, a clock on the pins",
            vec![
                (clock, String::new(), String::new()),
                (clock, "chips = \"pcf8575\"\n".to_owned(), String::new()),
                (clock, halls.to_owned(), String::new()),
            ],
        ),
        (
            "rows and columns, with the serial port off",
            vec![("", "chips = \"rows\"\n".to_owned(), String::new())],
        ),
        ("74HC165, or lights on SPI 1", vec![(clock, String::new(), lights("/dev/spidev1.0"))]),
        (
            "hall sensors on SPI 1, with lights on SPI 0",
            vec![(clock, on_second, lights("/dev/spidev0.0"))],
        ),
    ] {
        let row = sheet.lines().find(|line| line.starts_with(&format!("| {given_for} |")));
        let set = row.and_then(|row| row.split('`').nth(1)).expect(given_for);
        for (clock, chips, lights) in builds {
            let shine = if lights.is_empty() { "" } else { "lights = \"last-move\"\n" };
            let text = format!(
                "[[board]]\nport = \"gpio\"\n{clock}{shine}[board.matrix]\n{chips}promotion = \
                 {set}\n{lights}"
            );
            let parsed = Config::parse(&text, Path::new("rokade.toml"));
            parsed.unwrap_or_else(|e| panic!("{given_for}: {e}\n{text}"));
        }
    }
    let n_rows = sheet.lines().filter(|line| line.contains("| `[")).count();
    assert_eq!(n_rows, 4, "each set is tried");
}
