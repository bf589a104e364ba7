//! Boards of other makers than DGT in the settings.

use rokade::game::{BoardKind, Lights};

use super::load;

#[test]
fn a_board_on_bluetooth_is_named_as_it_can_be_found() {
    let load = |lines: &str| load(&format!("[[board]]\n{lines}\n"));
    for port in ["bluetooth:C0:01:d0:0d:00:01", "bluetooth:Chessnut Air", "bluetooth: Go: 2"] {
        load(&format!("maker = \"chessnut\"\nport = {port:?}")).expect(port);
    }
    for maker in ["millennium", "certabo"] {
        load(&format!("maker = {maker:?}\nport = \"bluetooth:MILLENNIUM\"")).expect(maker);
    }
    let key = "developer_key = \"01 23 45 67 89 ab\"";
    let pegasus = format!("maker = \"pegasus\"\n{key}");
    for (lines, words) in [
        ("maker = \"chessnut\"\nport = \"bluetooth\"", "name the board, as in \"bluetooth:DGT_"),
        ("maker = \"chessnut\"\nport = \"bluetooth: \"", "or write its address, as in"),
        ("maker = \"chessnut\"\nport = \"bluetooth:a\\tb\"", "name the board"),
        ("maker = \"chessnut\"\nport = \"bluetooth:C0:01:D0:0D:00\"", "is no address; write six"),
        ("maker = \"chessnut\"\nport = \"bluetooth:C0:01:D0:0D:00:0G\"", "is no address"),
        ("port = \"bluetooth:DGT_BT_12345\"", "are bound to /dev/rfcomm0 first"),
        ("maker = \"novag\"\nport = \"bluetooth:UCB\"", "is for boards of maker = \"pegasus\","),
        ("bus_address = 3\nport = \"bluetooth:DGT\"", "is for boards of maker"),
        ("clock_port = \"bluetooth:DGT\"", "no clock is on Bluetooth LE"),
        (
            &pegasus,
            "a Pegasus is not found by itself; name it, as in port = \"bluetooth:DGT_PEGASUS\"",
        ),
    ] {
        let told = load(lines).expect_err(lines).to_string();
        assert!(told.contains(words), "{lines}: {told}");
    }
    // One device is one board's, however its address is written.
    let board = |address: &str| format!("maker = \"chessnut\"\nport = \"bluetooth:{address}\"\n");
    let [first, second] = ["C0:01:D0:0D:00:AB", "c0:01:d0:0d:00:ab"].map(board);
    let twice = format!("{first}[[board]]\nname = \"b\"\n{second}");
    let told = load(&twice).expect_err(&twice).to_string();
    assert!(told.contains("have the same line"), "{told}");
}

#[test]
fn another_makers_board_is_read_in_its_own_language() {
    let load = |lines: &str| load(&format!("[[board]]\n{lines}\n"));
    let config = load("maker = \"millennium\"\nlights = \"help\"").expect("a ChessLink");
    let settings = config.boards[0].settings();
    assert_eq!((settings.board, settings.lights), (BoardKind::ChessLink, Lights::Help));
    assert_eq!(config.boards[0].maker.baud(), 38_400);
    let config = load("maker = \"certabo\"\nchips = [\"K 1 2 3 4 5\"]").expect("a Certabo");
    let settings = config.boards[0].settings();
    assert_eq!((settings.board, settings.chips.len()), (BoardKind::Certabo, 1));
    load("maker = \"certabo\"\nclock = \"gpio-lever\"").expect("a Sentio with a clock");
    let config = load("maker = \"chessnut\"\nlights = \"last-move\"").expect("a Chessnut");
    assert_eq!(config.boards[0].settings().board, BoardKind::Chessnut);
    let config = load("maker = \"novag\"").expect("a Universal Chess Board");
    assert_eq!(config.boards[0].settings().board, BoardKind::Ucb);
    let key = "developer_key = \"01 23 45 67 89 ab\"";
    let port = "port = \"bluetooth:DGT_PEGASUS\"";
    let config = load(&format!("maker = \"pegasus\"\nlights = \"help\"\n{port}\n{key}"));
    let settings = config.expect("a Pegasus").boards[0].settings();
    let woken_by = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab];
    assert_eq!((settings.board, settings.key), (BoardKind::Pegasus, woken_by));
    for (lines, words) in [
        (key, "only boards of maker = \"pegasus\""),
        ("maker = \"pegasus\"", "stays silent without a key, which DGT gives to developers"),
        ("maker = \"pegasus\"\ndeveloper_key = \"01 23\"", "\"01 23\" is no key; write its six"),
        ("maker = \"pegasus\"\ndeveloper_key = \"1 2 3 4 5 +6\"", "is no key"),
        ("maker = \"milennium\"", "write \"dgt\""),
        ("maker = \"millennium\"\nlights = \"on\"", "write \"off\", \"last-move\", \"set-up\""),
        ("lights = \"help\"", "lights are driven on boards of maker = \"millennium\","),
        ("chips = [\"K 1 2 3 4 5\"]", "only boards of maker = \"certabo\""),
        ("maker = \"certabo\"\nchips = [\"K 1 2 3 4\"]", "is no piece with its chip"),
        (
            "maker = \"certabo\"\nchips = [\"K 1 2 3 4 5\"]\nclock = \"gpio-lever\"",
            "presses of the clock would come before its moves",
        ),
        ("maker = \"millennium\"\nport = \"gpio\"", "is for switches of your own"),
        ("maker = \"novag\"\nlights = \"help\"", "lights the moves to be played on it"),
        (
            "maker = \"millennium\"\ndrive_clock = true\ntime_control = \"5m\"",
            "drive_clock is for a clock behind a DGT board",
        ),
    ] {
        let why = load(lines).expect_err(lines);
        assert!(why.contains(words), "{lines}: {why}");
    }
}
