//! The configuration file: the example that we ship, and what happens to a spelling mistake.

#[path = "config/apart.rs"]
mod apart;
#[path = "config/makers.rs"]
mod makers;

use rokade::game::{BoardKind, Game, Lights};
use rokade::laws::notation::Language;
use rokade::laws::{
    Bonus, FlagWatch, FlagWitness, Impaired, PeriodCredit, Supervision, Terms, Variant, Venue,
};
use rokade::shell::config::Config;
use rokade::table::End;
use shakmaty::{ByColor, Color};
use std::fs;
use std::path::Path;
use std::time::Duration;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/rokade.toml");

/// What becomes of a file with this text: the settings, or the complaint.
fn load(text: &str) -> Result<Config, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rokade.toml");
    fs::write(&path, text).expect("a file in it");
    Config::load(Some(&path)).map_err(|error| error.to_string())
}

fn example() -> String {
    fs::read_to_string(EXAMPLE).expect("the example is there")
}

/// The example with every setting switched on. A remark has a blank after its mark, a setting none.
fn switched_on() -> String {
    let line = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
        _ => format!("{line}\n"),
    };
    example().lines().map(line).collect()
}

#[test]
fn the_example_is_the_defaults() {
    let config = Config::load(Some(Path::new(EXAMPLE))).expect("the example is valid");
    let config = Config { source: None, ..config };
    assert_eq!(format!("{config:?}"), format!("{:?}", Config::default()));
}

#[test]
fn the_example_shows_every_setting_with_its_default() {
    let config = load(&switched_on()).expect("each setting is known and its value possible");
    let config = Config { source: None, ..config };
    assert_eq!(format!("{config:?}"), format!("{:?}", Config::default()));
    // The names of all settings, from what a wrong one is answered with.
    for section in [
        "",
        "[journal]\n",
        "[http]\n",
        "[orders]\n",
        "[push]\n",
        "[[board]]\n",
        "[[board]]\n[board.terms]\n",
        "[[board]]\n[board.matrix]\n",
        "[[board]]\n[board.leds]\n",
        "[[board]]\n[board.wall]\n",
    ] {
        let complaint = load(&format!("{section}wrong = 1\n")).expect_err("no such key");
        let (_, known) = complaint.split_once("expected").expect("what was expected");
        let known = known.split(" for key").next().unwrap_or(known);
        let known: Vec<_> = known.split('`').skip(1).step_by(2).collect();
        assert!(!known.is_empty(), "the complaint names the known keys: {complaint}");
        for key in known {
            let is_shown = |line: &str| {
                let section = line.trim_matches(['[', ']']);
                line.starts_with(&format!("{key} = "))
                    || section == key
                    || section.strip_prefix("board.") == Some(key)
            };
            assert!(switched_on().lines().any(is_shown), "{EXAMPLE} does not show {key}");
        }
    }
}

#[test]
fn an_unknown_key_is_refused() {
    for text in ["lisen = 1\n", "[http]\nport = 80\n", "[[board]]\nnmae = \"table-1\"\n"] {
        let complaint = load(text).expect_err("a misspelt key");
        assert!(complaint.contains("unknown field"), "{complaint}");
        let line = text.lines().count();
        assert!(complaint.contains(&format!("line {line}: ")), "{complaint}");
    }
}

#[test]
fn a_value_that_cannot_be_is_refused() {
    for (text, word) in [
        ("[http]\nlisten = \"banana\"\n", "listen"),
        ("[[board]]\n[[board]]\ndelay = {}\n", "for key `delay` of [[board]] 2"),
        ("[http]\nembed = [\"club.example.org\"]\n", "https://club.example.org"),
        ("[http]\nembed = [\"https://a.org; script-src *\"]\n", "name a site"),
        ("[journal]\ncopy = \"stick\"\n", "from the root on"),
        ("state_dir = \"/r\"\n[journal]\ncopy = \"/r/copy\"\n", "within each other"),
        ("state_dir = \"/r/state\"\n[journal]\ncopy = \"/r\"\n", "within each other"),
        ("[push]\nround = \"abcdefgh\"\n", "token_file"),
        ("[push]\ntoken_file = \"t\"\n", "names no round"),
        ("[push]\ntoken_file = \"t\"\nround = \"a/b\"\n", "eight"),
        ("[push]\ntoken_file = \"t\"\nrounds = { 1 = \"abcdefgh\" }\n", "[event] pairings"),
        (
            "[event]\npairings = \"l\"\n[push]\ntoken_file = \"t\"\nround = \"abcdefgh\"\n",
            "rounds = {",
        ),
        (
            "[event]\npairings = \"l\"\n[push]\ntoken_file = \"t\"\n\
             rounds = { x = \"abcdefgh\" }\n",
            "\"x\" is not a round number",
        ),
        ("[push]\nserver = \"lichess.org\"\n", "https://lichess.org"),
        ("[push]\nserver = \"https://lichess.org/api\"\n", "https://lichess.org"),
        ("[push]\nurl = \"club.example.org\"\n", "write all of it"),
        ("[push]\nurl = \"https://a/{round}.pgn\"\n", "no [event] pairings"),
        ("[push]\nlogin_file = \"l\"\n", "url, which is not set"),
        ("[[board]]\nname = \"../etc\"\n", "../etc"),
        ("[[board]]\nconnector = \"top\"\n", "top"),
        ("[[board]]\nsettle_with_clock_ms = 5\n", "milliseconds"),
        ("[[board]]\nclock = \"usb\"\n", "usb"),
        ("[[board]]\ndrive_clock = true\n", "time_control"),
        ("[[board]]\nclock = \"bridge\"\n", "time_control"),
        ("[[board]]\nclock = \"bridge\"\ntime_control = \"-\"\n", "time_control"),
        (
            "[[board]]\nclock = \"bridge\"\ntime_control = \"3+2\"\n\
             port = \"/a\"\nclock_port = \"/a\"\n",
            "clock_port",
        ),
        ("[[board]]\nname = \"a\"\n[[board]]\nname = \"a\"\n", "two boards"),
        ("[[board]]\ndemo_board = \"wall\"\n", "from the root on"),
        ("[[board]]\nport = \"/r/wall\"\ndemo_board = \"/r/wall\"\n", "is the line of board"),
        (
            "[[board]]\nname = \"a\"\nport = \"/1\"\ndemo_board = \"/r/w\"\n\
             [[board]]\nname = \"b\"\nport = \"/2\"\ndemo_board = \"/r/w\"\n",
            "each has its own",
        ),
    ] {
        let complaint = load(text).expect_err(text);
        assert!(complaint.contains(word), "{complaint}");
    }
}

#[test]
fn a_wrong_time_control_is_refused_with_the_nearest_right_one() {
    let complaint = load("[[board]]\ntime_control = \"90-30\"\n").expect_err("no such sign");
    assert!(complaint.contains("write 90m+30s"), "{complaint}");
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    let config = load("[[board]]\ntime_control = \"90+30\"\n").expect("it is one");
    assert_eq!(config.boards[0].settings().time_control, "90m+30s".parse().ok());
}

#[test]
fn a_time_control_that_makes_no_sense_is_refused_with_the_reason() {
    for (control, why) in [
        ("banana", "not a time control"),
        ("-5m", "not a time control"),
        ("3+-2", "not a time control"),
        ("0", "no time to make a move in"),
        ("40/0m", "no time to make a move in"),
        ("400h+30s", "which no clock shows"),
    ] {
        let text = format!("[[board]]\ntime_control = \"{control}\"\n");
        let complaint = load(&text).expect_err(control);
        assert!(complaint.contains(why) && complaint.contains("write "), "{complaint}");
    }
}

/// Whatever the referee asks the terms for can be laid down.
#[test]
fn the_terms_of_a_competition_are_set_by_name() {
    let board = "[[board]]\nlaws = \"dk2009\"\n";
    let terms = |lines: &str| {
        let config = load(&format!("{board}[board.terms]\n{lines}\n")).expect(lines);
        config.boards[0].settings().terms.expect("a referee")
    };
    let usual = Terms::default();
    let profile = terms("").profile;
    assert_eq!(terms(""), Terms { profile, ..usual.clone() });
    let minutes = |n: u64| Some(Duration::from_secs(60 * n));
    assert_eq!(terms("default_time_min = \"0\"").default_time, minutes(0));
    assert_eq!(terms("no_draw_before = 30").no_draw_before, Some(30));
    assert!(terms("guidelines = [\"III.4\"]").has_announced("III.4"));
    assert_eq!(terms("venue = \"without-arbiter\"").venue, Venue::WithoutArbiter);
    assert_eq!(terms("sitting_left_min = 240").sitting_left, minutes(240));
    assert_eq!(terms("flag_witness = \"authoritative\"").flag_witness, FlagWitness::Authoritative);
    assert_eq!(terms("flag_watch = \"silent\"").flag_watch, FlagWatch::Silent);
    assert_eq!(terms("credit = \"on-zero\"").credit, PeriodCredit::OnZero);
    assert_eq!(terms("period = 2").period, 2);
    assert!(terms("is_last_period = true").is_last_period);
    let (white, black) = (40, 39);
    let completed = terms("completed_white = 40\ncompleted_black = 39").completed;
    assert_eq!(completed, ByColor { white, black });
    let illegal = terms("illegal_white = 1").illegal_before;
    assert_eq!(illegal, ByColor { white: 1, black: 0 });
    assert_eq!(terms("array = \"BBQNNRKR\"").array.as_deref(), Some("BBQNNRKR"));
    let impaired = Impaired { side: Color::Black, n_boards: 2 };
    assert_eq!(terms("blind = \"black\"\nblind_boards = 2").impaired, Some(impaired));
    assert_eq!(terms("spoken = \"en\"").spoken, Language::English);
    assert_eq!(terms("written = \"hu\"").written, Language::Hungarian);
    assert_eq!(terms("not_pressed_s = 20").not_pressed, Some(Duration::from_secs(20)));
    assert_eq!(terms("rest_ms = 700").rest, Duration::from_millis(700));
    assert_eq!(terms("brush_ms = 100").brush, Duration::from_millis(100));
    assert_eq!(terms("together_ms = 80").touch_window, Duration::from_millis(80));
    for (line, word) in [
        ("spoken = \"xx\"", "spoken"),
        ("array = \"RNBQ\"", "eight pieces"),
        ("blind = \"both\"", "known: white, black"),
        ("blind = \"white\"\nblind_boards = 3", "blind_boards"),
        ("guidelines = [\"IV\"]", "III.4"),
        ("default_time_min = \"soon\"", "minutes"),
        ("period = 0", "period"),
        ("rest_ms = 99999", "rest_ms"),
    ] {
        let complaint = load(&format!("{board}[board.terms]\n{line}\n")).expect_err(line);
        assert!(complaint.contains(word) && complaint.contains("[board.terms]"), "{complaint}");
    }
}

#[test]
fn a_port_alone_is_an_address() {
    let config = load("[http]\nlisten = \"8961\"\n").expect("a port");
    assert_eq!(config.http.listen.to_string(), "127.0.0.1:8961");
}

#[test]
fn a_referee_sits_where_laws_are_set() {
    let settings = |text: &str| load(text).expect(text).boards[0].settings();
    assert_eq!(settings("[[board]]\n").terms, None);
    assert_eq!(settings("[[board]]\nvariant = \"rapid\"\n").terms, None);
    for edition in ["hu2005", "dk2009", "no2009", "m2018", "m2023"] {
        let terms = settings(&format!("[[board]]\nlaws = \"{edition}\"\n")).terms;
        let terms = terms.expect("a referee");
        assert_eq!(terms.profile.to_string(), format!("{edition} standard adequate"));
        assert!(
            Game::new(settings(&format!("[[board]]\nlaws = \"{edition}\"\n"))).referee().is_some()
        );
    }
    let text =
        "[[board]]\nlaws = \"m2018\"\nvariant = \"chess960\"\nsupervision = \"inadequate\"\n";
    let settings = settings(text);
    let profile = settings.terms.expect("a referee").profile;
    assert_eq!(profile.variant, Variant::Chess960);
    assert_eq!(profile.supervision, Supervision::Inadequate);
    assert!(settings.is_chess960, "the form of chess says how a game begins");
}

/// Rows LA1, LB1: the time control says whether the game is rapid chess or blitz, unless the
/// organizer does.
#[test]
fn the_time_control_is_among_the_terms() {
    let terms = |lines: &str| {
        let text = format!("[[board]]\nlaws = \"m2023\"\n{lines}");
        load(&text).expect(lines).boards[0].settings().terms.expect("a referee")
    };
    for (lines, variant) in [
        ("time_control = \"3m+2s\"\n", Variant::Blitz),
        ("time_control = \"25m+10s\"\n", Variant::Rapid),
        ("time_control = \"40/90m+30s:30m+30s\"\n", Variant::Standard),
        ("time_control = \"25m+10s\"\nvariant = \"standard\"\n", Variant::Standard),
        ("time_control = \"90m\"\nchess960 = true\n", Variant::Chess960),
        ("time_control = \"5m\"\nchess960 = true\n", Variant::Blitz),
        ("", Variant::Standard),
    ] {
        assert_eq!(terms(lines).profile.variant, variant, "{lines}");
    }
    let quickplay = "[[board]]\nlaws = \"dk2009\"\ntime_control = \"40/2h:1h\"\n";
    let settings = load(quickplay).expect("a control of 2009").boards[0].settings();
    let terms_2009 = settings.terms.expect("a referee");
    assert_eq!(terms_2009.profile.variant, Variant::Quickplay);
    assert_eq!(terms_2009.required(Color::Black, 1), Some(40));
    let terms = terms("time_control = \"40/90m+30s:30m+30s\"\n");
    assert_eq!(terms.bonus_in(Color::White, 1), Bonus::PerMove(Duration::from_secs(30)));
    assert_eq!(terms.allotment(Color::White, 1), Some(Duration::from_secs(1_800)));
}

#[test]
fn a_word_that_is_none_is_refused_with_its_line_and_those_that_are() {
    for (lines, line, sentence) in [
        ("connector = \"up\"", 2, "unknown word \"up\"; write \"auto\", \"left\", \"right\""),
        (
            "clock = \"foo\" # mine",
            2,
            "\"foo\"; write \"board\", \"gpio\", \"gpio-lever\", \"bridge\"",
        ),
        ("clock_stops_for = \"all\"", 2, "write \"nothing\", \"illegal-move\", \"irregularity\""),
        ("port = \"gpio\"\n[board.matrix]\nchips = \"mcp\"", 4, "\"mcp\"; write \"74hc165\""),
        ("port = \"gpio\"\n[board.matrix]\noccupied = 1", 4, "\"1\"; write \"low\" or \"high\""),
        ("[board.terms]\nvenue = \"x\"", 3, "write \"with-arbiter\" or \"without-arbiter\""),
        ("[board.terms]\nflag_watch = \"no\"", 3, "write \"full\", \"limited\", \"silent\""),
        ("[board.terms]\nflag_witness = \"\"", 3, "write \"advisory\" or \"authoritative\""),
        ("[board.terms]\ncredit = \"now\"", 3, "write \"on-moves\" or \"on-zero\""),
    ] {
        let complaint = load(&format!("[[board]]\n{lines}\n")).expect_err("no such word");
        assert!(complaint.contains(sentence), "{complaint}");
        let is_bare = lines.contains("= 1");
        assert!(is_bare || complaint.contains(&format!(": line {line}: ")), "{complaint}");
        assert!(!complaint.contains('\n') && !complaint.contains("enum"), "{complaint}");
    }
}

#[test]
fn an_unknown_word_of_the_laws_is_refused_with_the_nearest() {
    for (line, nearest) in [
        ("laws = \"m2032\"", "did you mean m2023"),
        ("variant = \"rapit\"", "did you mean rapid"),
        ("supervision = \"adequat\"", "did you mean adequate"),
    ] {
        let complaint = load(&format!("[[board]]\n{line}\n")).expect_err("no such word");
        assert!(complaint.contains(nearest), "{complaint}");
        assert!(complaint.contains("board \"table-1\""), "{complaint}");
    }
}

/// Row L6.4: the arbiter decides where the clock stands, and so which end is White's.
#[test]
fn the_clock_may_stand_on_either_side() {
    for (seat, white) in [("left", Some(End::Left)), ("right", Some(End::Right)), ("auto", None)] {
        let config = load(&format!("[[board]]\nclock_white = \"{seat}\"\n")).expect(seat);
        let settings = config.boards[0].settings();
        assert_eq!(settings.white_end, white);
    }
}

/// Row L13.7b: nothing is shown beyond this machine until it is asked for.
#[test]
fn the_public_feed_is_off_until_it_is_configured() {
    assert!(Config::default().http.listen.ip().is_loopback());
    let config = load("[http]\nlisten = \"0.0.0.0:8960\"\n").expect("it may be opened");
    assert!(!config.http.listen.ip().is_loopback());
}

#[test]
fn a_matrix_that_cannot_work_is_refused() {
    let usual = "inputs = [\"a1 b1 c1 d1 e1 f1 g1 h1\"]";
    for (lines, words) in [
        ("load = 28", "there is no pin BCM 28"),
        ("load = 1", "the memory of an add-on board"),
        ("load = 10", "BCM 10 is both load and a pin of bus /dev/spidev0.0"),
        ("load = 300", "load"),
        ("chips = \"74hc166\"", "74hc166"),
        ("occupied = \"yes\"", "occupied"),
        ("scans_per_s = 5000", "use 20 to 500"),
        ("speed_khz = 9000", "use 50 to 5000"),
        ("debounce_ms = 0", "use 2 to 200"),
        ("settle_us = 0", "use 5 to 5000"),
        ("pins = \"libgpiod\"", "does not drive pins; use \"rppal\", \"gpiocdev\" or a chip"),
        ("bus = \"pins\"\nbus_pins = [11, 9]", "bus_pins names 2 pins"),
        ("bus = \"pins\"\nbus_pins = [11, 9, 25]", "BCM 25 is both load and a pin of bus_pins"),
        ("bus = \"pins\"\nchips = \"mcp23s17\"", "only shift registers are read by pins"),
        ("rows = [4, 17]", "rows names 2 pins; a board has eight"),
        ("chips = \"rows\"\noccupied = \"high\"", "rows are pulled low; leave it out"),
        (
            "chips = \"rows\"\nrows = [4, 17, 27, 22, 10, 9, 11, 18]",
            "BCM 18 is both rows and a pin of columns",
        ),
        ("chips = \"rows\"\nrows = [4, 4, 27, 22, 10, 9, 11, 26]", "BCM 4 is there twice in rows"),
        (
            "chips = \"mcp23017\"\naddresses = [0x20, 0x21, 0x22, 0x23]",
            "addresses names 4 chips; a board has 5 MCP23017, for GPA7 and GPB7 are outputs only",
        ),
        ("chips = \"pcf8575\"\naddresses = [0x20]", "a board has 4 PCF8575"),
        (
            "chips = \"pca9555\"\naddresses = [0x20, 0x21, 0x22, 0x38]",
            "a PCA9555 has none of 0x38; use 0x20 to 0x27",
        ),
        (
            "chips = \"pca9555\"\naddresses = [0x20, 0x21, 0x22, 0x21]",
            "0x21 is there twice; each chip has its own",
        ),
        ("chips = \"mcp23s17\"\naddresses = [0x20]", "those of MCP23S17 are 0x20 to 0x23"),
        ("promotion = [16, 19]", "promotion names 2 pins; there is one each for queen, rook"),
        ("promotion = [16, 19, 20, 25]", "BCM 25 is both"),
        ("chips = \"mcp3008\"", "name the file that `rokade doctor --calibrate` writes"),
        ("chips = \"mcp3008\"\ncalibration = \"a.halls\"", "as in \"/etc/rokade/table-1.halls\""),
        (
            "chips = \"mcp3008\"\ncalibration = \"/a\"\nspeed_khz = 2000",
            "an MCP3008 at 3.3 V takes at most 1350",
        ),
        ("chips = \"mcp3008\"\nselect = [17, 27, 22]", "select names 3 pins; four set the"),
        (
            "chips = \"mcp3008\"\ncalibration = \"/a\"\nselect = [17, 27, 22, 22]",
            "BCM 22 is there twice in select",
        ),
        (
            "chips = \"mcp3008\"\ncalibration = \"/a\"\nselect = [17, 27, 22, 11]",
            "BCM 11 is both select and a pin of bus /dev/spidev0.0",
        ),
        ("chips = \"pcf8575\"\ninterrupt = 2", "BCM 2 is both interrupt and a pin of chips"),
        ("interrupt = 40\nchips = \"pcf8575\"", "there is no pin BCM 40"),
        (usual, "there are 1 groups"),
    ] {
        let text = format!("[[board]]\nport = \"gpio\"\n[board.matrix]\n{lines}\n");
        let why = load(&text).expect_err(lines);
        assert!(why.contains(words), "{lines}: {why}");
        assert_eq!(why.lines().count(), 1, "{why}");
    }
}

#[test]
fn a_pin_and_a_bus_have_one_part_each() {
    let board = |name: &str, more: &str, matrix: &str| {
        format!("[[board]]\nname = \"{name}\"\nport = \"gpio\"\n{more}[board.matrix]\n{matrix}\n")
    };
    for (text, words) in [
        (board("a", "clock = \"gpio\"\n", "load = 13"), "BCM 13 is taken twice, by clock, middle"),
        (board("a", "", "") + &board("b", "", "load = 24"), "the same bus"),
        (
            board("a", "", "") + &board("b", "", "load = 24\nbus = \"/dev/spidev0.1\""),
            "is taken twice",
        ),
        (
            board("a", "", "") + &board("b", "", "bus = \"/dev/spidev1.0\""),
            "BCM 25 is taken twice, by load and by load of board \"a\"",
        ),
        (
            board("a", "", "chips = \"pcf8575\"")
                + &board("b", "", "chips = \"pca9555\"\naddresses = [36, 37, 35, 38]"),
            "both have a chip at 0x23 of \"/dev/i2c-1\"",
        ),
        (
            board("a", "clock = \"gpio\"\n", "")
                + &board("b", "", "chips = \"rows\"\nbus = \"/dev/gpiochip4\""),
            "BCM 10 is taken twice, by rows and by bus /dev/spidev0.0 of board \"a\"",
        ),
        (board("a", "drive_clock = true\ntime_control = \"5m\"\n", ""), "behind a DGT board"),
    ] {
        let why = load(&text).expect_err(words);
        assert!(why.contains(words), "{why}");
    }
    let two = board("a", "clock = \"gpio\"\n", "")
        + &board("b", "", "load = 24\nbus = \"/dev/spidev1.0\"");
    let rows = board("a", "clock = \"gpio\"\n", "chips = \"rows\"");
    load(&rows).expect("rows and columns and a clock fit on a Pi");
    let shared = board("a", "clock = \"gpio\"\n", "chips = \"pcf8575\"")
        + &board("b", "", "chips = \"pcf8575\"\naddresses = [0x24, 0x25, 0x26, 0x27]");
    load(&shared).expect("two boards of expanders and displays share a bus");
    let config = load(&two).expect("two boards and a clock fit on a Pi");
    assert_eq!(config.boards[0].settings().board, BoardKind::Scanned);
    assert_eq!(Config::default().boards[0].settings().board, BoardKind::Dgt);
}

#[test]
fn lights_have_a_bus_to_themselves() {
    let load = |lines: &str| load(&format!("[[board]]\n{lines}\n"));
    let leds = "lights = \"last-move\"\n[board.leds]\nchips = \"ws2812\"\n";
    let both = format!("{leds}[board.wall]\nchips = \"ht16k33\"\n");
    load(&both).expect("lights below the board and on a wall");
    let reed = "port = \"gpio\"\nlights = \"set-up\"\n[board.matrix]\nbus = \"/dev/spidev1.0\"\n";
    let reed = format!("{reed}[board.leds]\nchips = \"ws2812\"\n");
    let config = load(&reed).expect("switches on one bus, lights on the other");
    assert_eq!(config.boards[0].settings().lights, Lights::SetUp);
    let switches = "port = \"gpio\"\n[board.matrix]\nchips = \"mcp23017\"\n";
    let display = "[board.display]\nchips = \"hd44780\"\n";
    load(&format!("{both}{display}")).expect("a display beside lights on one bus");
    for (lines, words) in [
        (leds.replace("ws2812", "neopixel"), "\"neopixel\"; write \"none\", \"ws2812\""),
        (leds.replace("last-move", "off"), "set lights = \"last-move\", or write [board.wall]"),
        (format!("{leds}limit_ma = 5000"), "limit_ma = 5000: use 100 to 3904"),
        (format!("{leds}first = \"e4\""), "write \"a1\", \"h1\""),
        (format!("{leds}bus = \"/dev/i2c-1\""), "are on an SPI bus, such as"),
        (leds.replace("ws2812", "ht16k33") + "address = 0x20", "has 0x70 to 0x77"),
        (leds.replace("ws2812", "ht16k33") + "bus = \"/dev/spidev0.0\"", "is on an I2C bus"),
        (reed.replace("spidev1.0", "spidev0.1"), "a chain of lights takes everything sent"),
        (format!("{leds}[board.wall]\nchips = \"ws2812\"\n"), "put one of them on another, such"),
        (
            format!("clock = \"gpio\"\ntime_control = \"5m\"\n{leds}").replace("ws2812", "ht16k33")
                + "address = 0x71",
            "both have the address 0x71",
        ),
        (format!("port = \"gpio\"\n{leds}[board.matrix]\nchips = \"rows\""), "is taken twice"),
        (format!("{display}address = 0x28"), "has 0x20 to 0x27, a PCF8574A 0x38"),
        (format!("{display}bus = \"/dev/spidev0.0\""), "the display is on an I2C bus"),
        (format!("{display}language = \"dk\""), "no language \"dk\""),
        (format!("{switches}{display}address = 0x21"), "both have the address 0x21"),
    ] {
        let why = load(&lines).expect_err(&lines);
        assert!(why.contains(words), "{lines}: {why}");
    }
}

#[test]
fn a_line_belongs_to_one_board() {
    let two = |first: &str, second: &str| {
        let board = |name: &str, lines: &str| format!("[[board]]\nname = \"{name}\"\n{lines}\n");
        load(&(board("a", first) + &board("b", second)))
    };
    let bridge = "clock = \"bridge\"\ntime_control = \"90m+30s\"\n";
    let named = |port: &str| format!("port = \"{port}\"");
    for (first, second, words) in [
        (String::new(), String::new(), "both have port = \"auto\""),
        (named("/dev/ttyUSB0"), named("/dev/ttyUSB0"), "the same line"),
        (named("/dev/null"), named("/dev/../dev/null"), "the same line"),
        (
            named("/dev/ttyUSB0"),
            format!("{}\n{bridge}clock_port = \"/dev/ttyUSB0\"", named("/dev/ttyUSB1")),
            "the same line",
        ),
        (
            format!("{}\n{bridge}", named("/dev/ttyUSB0")),
            format!("{}\n{bridge}", named("/dev/ttyUSB1")),
            "both have clock_port = \"auto\"",
        ),
        (
            named("/dev/ttyUSB0") + "\nclock = \"gpio\"",
            named("/dev/ttyUSB1") + "\nclock = \"gpio-lever\"",
            "a clock on the pins",
        ),
    ] {
        let why = two(&first, &second).expect_err("two boards on one line");
        assert!(why.contains(words) && why.contains("\"a\"") && why.contains("\"b\""), "{why}");
    }
    let on_bus = |address: &str| format!("{}\nbus_address = {address}", named("/dev/ttyUSB0"));
    two(&on_bus("1025"), &on_bus("1026")).expect("they share a line");
    for (first, second, words) in [
        (on_bus("1025"), on_bus("1025"), "both have bus_address = 1025"),
        (on_bus("1025"), named("/dev/ttyUSB0"), "the same line"),
        (
            "port = \"/dev/null\"\nbus_address = 1".to_owned(),
            "port = \"/dev/../dev/null\"\nbus_address = 2".to_owned(),
            "by one name in both",
        ),
    ] {
        let why = two(&first, &second).expect_err("they cannot share it");
        assert!(why.contains(words) && why.contains("\"a\"") && why.contains("\"b\""), "{why}");
    }
    for (lines, words) in [
        ("bus_address = 1025", "name the port of the line"),
        ("port = \"/dev/ttyUSB0\"\nbus_address = 16384", "at most 16383"),
        ("port = \"gpio\"\nbus_address = 1", "only boards of DGT"),
        ("port = \"/dev/x\"\nmaker = \"millennium\"\nbus_address = 1", "only boards of DGT"),
        (
            "port = \"/dev/x\"\nbus_address = 1\ndrive_clock = true\ntime_control = \"3m+2s\"",
            "can only be read",
        ),
    ] {
        let why = load(&format!("[[board]]\n{lines}\n")).expect_err(lines);
        assert!(why.contains(words), "{lines}: {why}");
    }
    two(&named("/dev/ttyUSB0"), "").expect("one of two boards may be searched for");
    two(&format!("{}\n{bridge}", named("auto")), &named("/dev/ttyUSB1")).expect("auto twice");
}

#[test]
fn texts_can_be_seen_and_are_no_novels() {
    let with = |text: &str| load(&format!("[[board]]\nwhite = \"{text}\"\n"));
    with("Žižka, \\u200D Jan O'Hara \\\"X\\\" 諸葛").expect("letters of all languages");
    for (escaped, code) in [
        ("\\u009E", "U+009E"),
        ("\\u007F", "U+007F"),
        ("\\u001B[2J", "U+001B"),
        ("\\n", "U+000A"),
        ("\\u202E", "U+202E"),
        ("\\u2066", "U+2066"),
    ] {
        let why = with(&format!("Ann {escaped}")).expect_err("nobody can see it");
        assert!(why.contains("character 5 of white") && why.contains(code), "{why}");
    }
    let why = with(&"x".repeat(201)).expect_err("too long");
    assert!(why.contains("201 characters"), "{why}");
    let name = "x".repeat(65);
    load(&format!("[[board]]\nname = \"{name}\"\n")).expect_err("no folder has such a name");
}
