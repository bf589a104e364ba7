//! Lists of pairings as other programs write them: what is read out of them, and what is said of
//! one with a fault.

#![allow(clippy::unwrap_used)]

use rokade::shell::pairings::{Pairings, PairingsError};

/// Written by a pairing program (caissify-pairings 0.5.0): two rounds played, the third paired.
const SWISS: &str = include_str!("../pairings/swiss.trf");

/// The players of a round, table by table.
fn round(list: &Pairings, number: u16) -> Vec<String> {
    let games = list.round(number).unwrap_or_else(|why| panic!("{why}"));
    let of = |(table, players): (&u16, &shakmaty::ByColor<rokade::game::Player>)| {
        format!("{table}: {} - {}", players.white, players.black)
    };
    games.iter().map(of).collect()
}

fn parse(text: &str) -> Result<Pairings, PairingsError> {
    Pairings::parse(text.as_bytes())
}

#[test]
fn a_report_of_a_pairing_program_is_read_and_its_tables_given_out() {
    let list = parse(SWISS).unwrap();
    assert_eq!((list.event.as_str(), list.site.as_str()), ("Club Open", "Aarhus DEN"));
    assert_eq!(list.first_open(), Some(3), "the one that is paired and not played");
    let third = [
        "1: Eik, Eva (2319) - GM Ærø, Åse (2539)",
        "2: WGM Berg, Bo (2483) - Juhl, Jan (2059)",
        "3: Krogh, Kai (1900) - CM Gård, Gro (2282)",
        "4: Holm, Hans (2206) - Ibsen, Ida (2169)",
        "5: FM Dahl, Dag (2324) - IM Císař, Cyril (2444)",
    ];
    assert_eq!(round(&list, 3), third);
    let players = &list.round(3).unwrap()[&1];
    assert_eq!((&*players.black.fide_id, &*players.black.federation), ("1400011", "DEN"));
    // Lines that end as on Windows, and columns that are counted in bytes.
    let by_bytes = |line: &str| {
        let mut letters: Vec<char> = line.chars().collect();
        let n_more = line.len() - letters.len();
        if line.starts_with("001") {
            letters.drain(47 - n_more..47);
        }
        letters.into_iter().collect::<String>()
    };
    let bytes: Vec<String> = SWISS.lines().map(by_bytes).collect();
    assert_eq!(round(&parse(&bytes.join("\r\n")).unwrap(), 3), third);
    // A tag of TRF26 and its remarks change nothing.
    let newer = format!("### SSS NNNN\n{SWISS}\n142 5\n192 FIDE_DUTCH_2026\n");
    assert_eq!(round(&parse(&newer).unwrap(), 3), third);
}

/// As Swiss-Manager exports a round, in Latin-1.
const EXPORTED: &[u8] = b"\
[Event \"Club Open\"]\r\n[Site \"Aarhus DEN\"]\r\n\
[Date \"2026.11.23\"]\r\n\
[Round \"2.2\"]\r\n[White \"J\xf8rgensen, Jens\"]\r\n[Black \"M\xfcller, Max\"]\r\n\
[Result \"*\"]\r\n\
[WhiteElo \"2345\"]\r\n[BlackElo \"0\"]\r\n[WhiteTitle \"FM\"]\r\n[WhiteFideId \"1402345\"]\r\n\
[WhiteTeam \"Skakforening\"]\r\n\r\n*\r\n\r\n\
[Event \"Club Open\"]\r\n[Round \"2.1\"]\r\n\
[White \"Ann\"]\r\n[Black \"Ben\"]\r\n[Result \"*\"]\r\n\r\n*\r\n\r\n\
[Event \"Club Open\"]\r\n[Round \"2.3\"]\r\n\
[White \"Cid\"]\r\n[Black \"spielfrei\"]\r\n[Result \"*\"]\r\n\r\n*\r\n";

#[test]
fn games_without_moves_are_a_list() {
    let list = Pairings::parse(EXPORTED).unwrap();
    assert!(list.is_latin);
    assert_eq!(round(&list, 2), ["1: Ann - Ben", "2: FM Jørgensen, Jens (2345) - Müller, Max"]);
    let players = &list.round(2).unwrap()[&2];
    assert_eq!((&*players.white.fide_id, &*players.white.team), ("1402345", "Skakforening"));
    let other = "[Round \"4\"]\n[Board \"7\"]\n[White \"A\"]\n[Black \"B\"]\n\n*\n";
    assert_eq!(round(&parse(other).unwrap(), 4), ["7: A - B"]);
    // Without any board a game has its place in the round.
    let other = "[Round \"4\"]\n[White \"A\"]\n[Black \"B\"]\n\n*\n\n";
    let both = format!("{other}{}", other.replace('A', "C").replace("\"B\"", "\"D\""));
    assert_eq!(round(&parse(&both).unwrap(), 4), ["1: A - B", "2: C - D"]);
}

#[test]
fn a_table_is_a_list_whatever_separates_its_fields() {
    let comma = "Round,Board,White,White Elo,Black,Black Title\n\n\
                 1,2,\"Last, First\",2100,Ben,GM\n1,1,C,,D,\n,,,,,\n";
    let semicolon = comma.replace("\"Last, First\"", "Last\u{1}First").replace(',', ";");
    let semicolon = semicolon.replace('\u{1}', ", ");
    for text in [comma.to_owned(), format!("\u{feff}{semicolon}"), semicolon.replace(';', "\t")] {
        let list = parse(&text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(round(&list, 1), ["1: C - D", "2: Last, First (2100) - GM Ben"]);
        assert_eq!(list.first_open(), Some(1));
    }
    let results = "round;board;white;black;result\n1;1;A;B;1-0\n2;1;A;B;\n3;1;B;A;\n";
    assert_eq!(parse(results).unwrap().first_open(), Some(2));
    let over = results.replace(";\n", ";1/2-1/2\n");
    assert_eq!(parse(&over).unwrap().first_open(), Some(3), "the last one, if all are over");
}

/// Each fault is one sentence, with its line and what mends it.
#[test]
fn a_list_with_a_fault_says_where_it_is() {
    let head = "round,board,white,black\n";
    let pgn = |round: &str| {
        format!("[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n\n*\n\n[Round \"{round}\"]\n")
    };
    let trf = |cell: &str| {
        let line = |rank: u16, cell: &str| format!("001 {rank:>4}      {:<77}{cell}", "Name");
        format!("{}\n{}\n", line(1, cell), line(2, "   1 b"))
    };
    let team = "012 League\n013 Team                                1    2\n";
    for (text, words) in [
        ("  \n".to_owned(), &["empty", "export"][..]),
        (head.to_owned(), &["no game", "pair the round"]),
        ("board,white,black\n1,A,B\n".to_owned(), &["line 1", "no column round"]),
        (format!("{head}1,1,A,B\n\n1,1,C,D\n"), &["line 4", "board 1", "line 2", "of its own"]),
        (format!("{head}1,1,A,A\n"), &["line 2", "\"A\"", "himself"]),
        (format!("{head}1,1,A,B\n1,2,C,A\n"), &["line 3", "\"A\" also plays in line 2"]),
        (format!("{head}1,1,Last, First,B\n"), &["line 2", "5 fields", "quotes"]),
        (format!("{head},1,A,B\n"), &["line 2", "round is missing"]),
        (format!("{head}1,x,A,B\n"), &["line 2", "\"x\" is no board"]),
        (format!("{head}1,1,A,B\u{85}C\n"), &["line 2", "U+0085", "UTF-8"]),
        (format!("{head}1,1,{},B\n", "A".repeat(201)), &["line 2", "200 characters"]),
        (pgn(""), &["line 7", "no Round"]),
        (pgn("first"), &["line 7", "\"first\" in Round"]),
        (trf("   7 w"), &["line 1", "round 1", "7"]),
        (trf("   2  "), &["line 1", "who is White"]),
        (trf("   1 w"), &["line 1", "himself"]),
        (trf("   x w"), &["line 1", "column 92", "round 1"]),
        (team.to_owned(), &["line 2", "PGN or CSV"]),
        (format!("012 {}\n{}", "A".repeat(201), trf("   2 w")), &["the event", "200 characters"]),
        (format!("022 A\u{202e}B\n{}", trf("   2 w")), &["the place", "U+202E"]),
    ] {
        let why = parse(&text).and_then(|list| list.round(1).map(drop)).unwrap_err().to_string();
        assert!(!why.contains('\n') && why.len() < 200, "{why}");
        for word in words {
            assert!(why.contains(word), "{word:?} is not in: {why}\n{text}");
        }
    }
    let why = parse(SWISS).unwrap().round(4).unwrap_err().to_string();
    assert!(why.contains("no round 4 in it, only 1, 2, 3"), "{why}");
}

/// Files that have been carried from one machine to another, or mended by hand on the way.
#[test]
fn lines_may_end_as_on_any_machine() {
    let letters = EXPORTED.iter().map(|byte| if byte.is_ascii() { *byte } else { b'e' });
    let pgn = String::from_utf8(letters.collect());
    let table = "round,board,white,black\n1,1,A,B\n1,2,C,D\n";
    for (text, number) in [(SWISS, 3), (&pgn.unwrap().replace("\r\n", "\n"), 2), (table, 1)] {
        let read = round(&parse(text).unwrap(), number);
        assert!(read.len() > 1);
        let ends = ["\r", "\n", "\r\n", "\r\r\n"].into_iter().cycle();
        let mixed = text.split_terminator('\n').zip(ends);
        let mixed: String = mixed.flat_map(|(line, end)| [line, end]).collect();
        for (how, text) in [
            ("CR", text.replace('\n', "\r")),
            ("CR CR LF", text.replace('\n', "\r\r\n")),
            ("mixed", mixed),
            ("no end", text.trim_end().to_owned()),
            ("the end mark of DOS", format!("{text}\u{1a}")),
        ] {
            let again = parse(&text).unwrap_or_else(|why| panic!("{how}: {why}"));
            assert_eq!(round(&again, number), read, "{how}");
        }
    }
    // The line of a fault is the one that an editor shows.
    for end in ["\r", "\r\n", "\n"] {
        let text = "round,board,white,black\n1,1,A,B\n\n1,x,C,D\n".replace('\n', end);
        assert!(parse(&text).unwrap_err().to_string().starts_with("line 4: \"x\""), "{end:?}");
    }
}

/// What programs write that do not escape, or leave out what they find needless.
#[test]
fn names_with_quotes_and_games_without_a_last_word_are_read() {
    let game = |table: u16, white: &str| {
        let names = format!("[White \"{white}\"]\n[Black \"B{table}\"]\n");
        format!("[Event \"Open\"]\n{names}[Round \"1.{table}\"]\n")
    };
    let of = |text: String| round(&parse(&text).unwrap(), 1);
    for (written, read) in [
        (r#"Ann "Ace" Aa"#, r#"Ann "Ace" Aa"#),
        (r#"Ann \"Ace\" Aa"#, r#"Ann "Ace" Aa"#),
        (r#"Ann "Ace""#, r#"Ann "Ace""#),
        (r#"Ann [2] "A] B" Aa"#, r#"Ann [2] "A] B" Aa"#),
        (r"Ann \\", r"Ann \"),
    ] {
        let both = format!("{}\n*\n\n{}\n*\n", game(1, written), game(2, "Cid"));
        assert_eq!(of(both), [format!("1: {read} - B1"), "2: Cid - B2".to_owned()], "{written}");
    }
    // Two tags on a line, and no word at the end of a game, with and without a line between them.
    let line = game(1, "A").replace("]\n[", "] [");
    for between in ["", "\n", "\n\n"] {
        let both = format!("{line}{between}{}{between}{}", game(2, "C"), game(3, "D"));
        assert_eq!(of(both), ["1: A - B1", "2: C - B2", "3: D - B3"], "{between:?}");
    }
}
