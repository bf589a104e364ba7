//! The same scenario seen in a mirror: the Laws know neither color nor wing, so what held must
//! hold. And with harmless noise between the events: a piece adjusted, idle time, the board read
//! again.

use super::table::Table;
use super::{Scenario, ours};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Which way the board is reflected.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Mirror {
    /// Rank 1 becomes rank 8, and White becomes Black.
    Colors,
    /// File a becomes file h. Nothing can castle then.
    Files,
}

/// What only White does, or what is counted from White's first move.
const OF_WHITE: [&str; 9] = [
    "start",
    "setup",
    "scheduled",
    "arrive",
    "claim setup",
    "clock_wrong",
    "set_moves",
    "open_envelope",
    "envelope_missing",
];
/// What knows king's side from queen's side.
const OF_WINGS: [&str; 6] = ["castl", "O-O", "0-0", "setup", "rook has moved", "ROOK_FIRST"];

impl Mirror {
    /// The scenario in this mirror, where it has an image.
    fn image(self, scenario: &Scenario) -> Option<Scenario> {
        let fen = scenario.start["fen"].as_str()?;
        let all = format!("{:?} {:?}", scenario.events, scenario.expected);
        let config = scenario.config.as_object().cloned().unwrap_or_default();
        if config.contains_key("blind") || config.contains_key("array") {
            return None;
        }
        let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
        let is_counted = config.contains_key("no_draw_before_move") || has(&["CLOCK_MISSET"]);
        let is_bare = match self {
            Self::Colors => {
                let has_event = |word: &&str| {
                    let is_it =
                        |event: &String| event == *word || event.contains(&format!("{word} "));
                    scenario.events.iter().any(|event| is_it(event) || event.ends_with(*word))
                };
                !OF_WHITE.iter().any(has_event) && !is_counted
            }
            Self::Files => {
                let is_start = fen.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
                scenario.variant != "chess960" && !has(&OF_WINGS) && (is_start || !has_rights(fen))
            }
        };
        if !is_bare {
            return None;
        }
        let glass = Glass { mirror: self, is_white_first: fen.contains(" w ") };
        let mut image = scenario.clone();
        image.start = glass.value("", &scenario.start);
        image.config = glass.value("", &scenario.config);
        image.events = scenario.events.iter().map(|event| glass.event(event)).collect();
        image.expected = scenario.expected.iter().map(|wanted| glass.outcome(wanted)).collect();
        Some(image)
    }
}

/// A mirror, and who moves first before it: the numbers of the moves depend on that.
struct Glass {
    mirror: Mirror,
    is_white_first: bool,
}

impl Glass {
    fn is_colors(&self) -> bool {
        self.mirror == Mirror::Colors
    }

    fn coordinate(&self, c: char) -> char {
        match (self.mirror, c) {
            (Mirror::Colors, '1'..='8') => char::from(b'9' - (c as u8 - b'0')),
            (Mirror::Files, 'a'..='h') => char::from(b'h' - (c as u8 - b'a')),
            _ => c,
        }
    }

    /// A word of a text: a square, a move, a side, a score, or anything else.
    fn word(&self, word: &str) -> String {
        if self.is_colors() {
            let other = match word {
                "white" => "black",
                "black" => "white",
                "White" => "Black",
                "Black" => "White",
                "1-0" => "0-1",
                "0-1" => "1-0",
                "1/2-0" => "0-1/2",
                "0-1/2" => "1/2-0",
                _ => "",
            };
            if !other.is_empty() {
                return other.to_owned();
            }
        }
        if !is_chess(word) {
            return word.to_owned();
        }
        let (squares, piece) = match word.len() {
            5 if word.ends_with(['q', 'r', 'b', 'n']) => word.split_at(4),
            _ => (word, ""),
        };
        let squares: String = squares.chars().map(|c| self.coordinate(c)).collect();
        squares + piece
    }

    fn text(&self, text: &str) -> String {
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || "=+#-/".contains(c);
        let mut image = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let n = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            image.push_str(&self.word(&rest[..n]));
            rest = &rest[n..];
            let n = rest.find(is_of_word).unwrap_or(rest.len());
            image.push_str(&rest[..n]);
            rest = &rest[n..];
        }
        image
    }

    fn event(&self, event: &str) -> String {
        let words: Vec<&str> = event.split(' ').collect();
        match words[..] {
            [verb @ ("lift" | "lift+" | "place" | "place+" | "swap"), sq, piece] => {
                let piece = if self.is_colors() { swap_case(piece) } else { piece.to_owned() };
                format!("{verb} {} {piece}", self.word(sq))
            }
            _ => self.text(event),
        }
    }

    /// The number of a move of this side.
    fn number(&self, is_whites: bool, no: i64) -> i64 {
        match (self.mirror, self.is_white_first, is_whites) {
            (Mirror::Colors, true, false) => no + 1,
            (Mirror::Colors, false, true) => no - 1,
            _ => no,
        }
    }

    fn placement(&self, placement: &str) -> String {
        let ranks = placement.split('/');
        match self.mirror {
            Mirror::Colors => ranks.rev().map(swap_case).collect::<Vec<_>>().join("/"),
            Mirror::Files => {
                ranks.map(|rank| rank.chars().rev().collect()).collect::<Vec<String>>().join("/")
            }
        }
    }

    fn rights(&self, rights: &str) -> String {
        if !self.is_colors() {
            return "-".to_owned();
        }
        let mut letters: Vec<char> = swap_case(rights).chars().collect();
        letters.sort_by_key(|c| c.is_lowercase());
        letters.into_iter().collect()
    }

    fn fen(&self, fen: &str) -> String {
        let fields: Vec<&str> = fen.split(' ').collect();
        let [placement, turn, rights, ep, half, no] = fields[..] else {
            return self.placement(fen);
        };
        let turn_of = match (self.mirror, turn) {
            (Mirror::Colors, "w") => "b",
            (Mirror::Colors, _) => "w",
            (Mirror::Files, turn) => turn,
        };
        let no = no.parse().map_or(1, |no| self.number(turn == "w", no));
        let (placement, rights) = (self.placement(placement), self.rights(rights));
        format!("{placement} {turn_of} {rights} {} {half} {no}", self.word(ep))
    }

    fn notation(&self, text: &str) -> String {
        let n = text.find('.').unwrap_or(0);
        let (no, rest) = text.split_at(n);
        let is_whites = !rest.starts_with("...");
        let no = no.parse().map_or(0, |no| self.number(is_whites, no));
        let dots = if is_whites == self.is_colors() { "..." } else { "." };
        format!("{no}{dots}{}", self.text(rest.trim_start_matches('.')))
    }

    fn outcome(&self, wanted: &Value) -> Value {
        let mut image = self.value("", wanted);
        let is_whites = wanted["side"] == "white";
        if let Some(no) = wanted["no"].as_i64().filter(|_| wanted["side"].is_string()) {
            image["no"] = json!(self.number(is_whites, no));
        }
        image
    }

    fn value(&self, key: &str, value: &Value) -> Value {
        match (key, value) {
            // Words of the program, names of provisions.
            ("why" | "reason" | "o" | "code" | "kind", _) => value.clone(),
            ("fen", Value::String(fen)) => json!(self.fen(fen)),
            ("rights_before" | "rights_after", Value::String(text)) => json!(self.rights(text)),
            ("text", Value::String(text)) => json!(self.notation(text)),
            (_, Value::String(text)) => json!(self.text(text)),
            (_, Value::Array(all)) => all.iter().map(|one| self.value("", one)).collect(),
            (_, Value::Object(fields)) => {
                let fields = fields.iter().map(|(key, value)| {
                    let other = match key.as_str() {
                        "white_s" if self.is_colors() => "black_s",
                        "black_s" if self.is_colors() => "white_s",
                        "white" if self.is_colors() => "black",
                        "black" if self.is_colors() => "white",
                        key => key,
                    };
                    (other.to_owned(), self.value(key, value))
                });
                Value::Object(fields.collect::<Map<_, _>>())
            }
            _ => value.clone(),
        }
    }
}

fn has_rights(fen: &str) -> bool {
    fen.split(' ').nth(2).is_some_and(|rights| rights != "-")
}

fn swap_case(text: &str) -> String {
    let swap = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    text.chars().map(swap).collect()
}

/// Whether a word is a square or a move, in SAN, with or without its sign of promotion, or UCI.
fn is_chess(word: &str) -> bool {
    let plain = word.trim_end_matches(['+', '#']);
    let plain = plain.trim_end_matches(['Q', 'R', 'B', 'N']).trim_end_matches('=');
    let plain = plain.strip_prefix(['K', 'Q', 'R', 'B', 'N']).unwrap_or(plain);
    let kinds: String = plain
        .chars()
        .map(|c| match c {
            'a'..='h' => 'f',
            '1'..='8' => 'r',
            'x' => 'x',
            'q' | 'n' => 'p',
            _ => '?',
        })
        .collect();
    let is_uci =
        kinds.len() == 5 && kinds.starts_with("frfr") && plain.ends_with(['q', 'r', 'b', 'n']);
    is_uci || ["fr", "ffr", "rfr", "frfr", "xfr", "fxfr", "rxfr", "frxfr"].contains(&kinds.as_str())
}

/// What does not hold in the images of our scenarios, and how many held.
fn run_images(mirror: Mirror) -> (usize, Vec<String>) {
    let mut images: Vec<Scenario> =
        ours().iter().filter_map(|scenario| mirror.image(scenario)).collect();
    // The oldest and the newest edition: what the others say is between them.
    for image in &mut images {
        image.editions = [image.editions.first(), image.editions.last()]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        image.editions.dedup();
    }
    super::run_all(&images, &mut super::super::book::Book::default())
}

#[test]
fn scenarios_hold_with_the_colors_changed() {
    let (n_passed, failed) = run_images(Mirror::Colors);
    assert!(failed.is_empty(), "{} failed\n{}\n", failed.len(), failed.join("\n"));
    assert!(n_passed > 500, "{n_passed} images");
}

#[test]
fn scenarios_hold_with_the_wings_changed() {
    let (n_passed, failed) = run_images(Mirror::Files);
    assert!(failed.is_empty(), "{} failed\n{}\n", failed.len(), failed.join("\n"));
    assert!(n_passed > 400, "{n_passed} images");
}

#[test]
fn an_image_of_an_image_is_the_scenario() {
    for scenario in ours() {
        if let Some(image) = Mirror::Colors.image(&scenario) {
            let back = Mirror::Colors.image(&image).expect("an image has one");
            assert_eq!(back.events, scenario.events, "{}", scenario.id);
            assert_eq!(back.expected, scenario.expected, "{}", scenario.id);
        }
    }
}

/// Runs our scenarios with `noise` after each event that nothing follows at once.
fn run_noisy(is_fit: fn(&Scenario) -> bool, noise: fn(&mut Table)) -> Vec<String> {
    let mut failed = Vec::new();
    for scenario in ours().into_iter().filter(is_fit) {
        let edition = scenario.editions.last().expect("an edition");
        let wrong = scenario.run_with(edition, noise);
        if !wrong.is_empty() {
            failed.push(format!("{} {edition}: {}", scenario.id, wrong.join("; ")));
        }
    }
    failed
}

/// Whether only the hands say when things happen: no time of the sensors is measured.
fn is_untimed(scenario: &Scenario) -> bool {
    let timed = ["settle_s", "not_pressed_s", "default_time_s", "sitting_left_s"];
    let is_of_day = |event: &String| {
        ["arrive", "scheduled", "start", "resume"].iter().any(|word| event.contains(word))
    };
    timed.iter().all(|key| scenario.config[*key].is_null())
        && !scenario.events.iter().any(is_of_day)
}

#[test]
fn idle_time_changes_nothing() {
    let failed = run_noisy(is_untimed, |table| table.idle(Duration::from_millis(2_700)));
    assert!(failed.is_empty(), "{} failed\n{}\n", failed.len(), failed.join("\n"));
}

#[test]
fn a_board_that_is_read_again_changes_nothing() {
    let is_fit = |scenario: &Scenario| {
        is_untimed(scenario) && !scenario.events.iter().any(|event| event.starts_with("setup"))
    };
    let failed = run_noisy(is_fit, |table| {
        table.show_board();
        table.idle(Duration::from_millis(700));
    });
    assert!(failed.is_empty(), "{} failed\n{}\n", failed.len(), failed.join("\n"));
}

#[test]
fn a_piece_adjusted_before_a_move_changes_nothing() {
    let mut failed = Vec::new();
    for mut scenario in ours() {
        let is_played = scenario.events.first().is_some_and(|event| event.starts_with("play "));
        let fen = scenario.start["fen"].as_str().unwrap_or_default();
        if !is_played || scenario.config["blind"].is_string() || !fen.contains(" w ") {
            continue;
        }
        let Some(sq) = super::table::king_of_white(fen) else { continue };
        let noise = ["player white adjust", &format!("lift {sq}"), &format!("place {sq} K")];
        scenario.events.splice(0..0, noise.map(str::to_owned));
        for wanted in &mut scenario.expected {
            let after = wanted["after"].as_i64().unwrap_or(0);
            wanted["after"] = json!(if after < 0 { after } else { after + 3 });
        }
        let edition = scenario.editions.last().expect("an edition");
        let wrong = scenario.run(edition);
        if !wrong.is_empty() {
            failed.push(format!("{} {edition}: {}", scenario.id, wrong.join("; ")));
        }
    }
    assert!(failed.is_empty(), "{} failed\n{}\n", failed.len(), failed.join("\n"));
}
