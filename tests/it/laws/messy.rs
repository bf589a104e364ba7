//! What the referee says of single scenes of hands that are not tidy: he waits for the record, and
//! tells what was slid from what was released.

use rokade::game::{Fact, Settings};
use rokade::laws::{Severity, Terms};
use rokade::sim::replay::settings_of;
use rokade::sim::{Replay, Script};

/// A scene after 1. e4 e5, and what he makes of it: entries of the log that blame somebody.
struct Scene {
    name: &'static str,
    /// What follows, a word each: `1500 c3 N` puts a knight on c3 after one and a half seconds,
    /// `350 b1 -` lifts what stands there, `450 press white` presses.
    hands: &'static [&'static str],
    says: &'static [&'static str],
    /// The last move that was put on record.
    last: &'static str,
}

const HEAD: &str = r#"{"trace":1,"board":"dgt","clock":true,"note":"A scene."}"#;
const OPENING: &[&str] =
    &["2000 e2 -", "350 e4 P", "450 press white", "1500 e7 -", "350 e5 p", "450 press black"];

/// The scene as a trace.
fn script(hands: &[&str]) -> Script {
    let mut text = format!("{HEAD}\n");
    let mut at = 0;
    for line in OPENING.iter().chain(hands) {
        let words: Vec<&str> = line.split(' ').collect();
        let [wait, what, rest] = words[..] else { panic!("{line}") };
        at += wait.parse::<u64>().expect("milliseconds");
        let piece = rest.trim_matches('-');
        text += &match what {
            "press" => format!("{{\"t\":{at},\"press\":\"{rest}\"}}\n"),
            sq => format!("{{\"t\":{at},\"sq\":\"{sq}\",\"p\":\"{piece}\"}}\n"),
        };
    }
    text += &format!("{{\"t\":{},\"end\":true}}\n", at + 9_000);
    Script::parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

impl Scene {
    fn play(&self) -> (Vec<String>, String) {
        let script = script(self.hands);
        let settings = Settings { terms: Some(Terms::default()), ..settings_of(&script.header) };
        let run = Replay::run_with(&script, settings);
        let said = run.entries.iter().filter_map(|entry| match &entry.fact {
            Fact::Ruled(ruled) => {
                ruled.code.filter(|code| code.severity() == Severity::Irregularity)?;
                Some(ruled.text.clone())
            }
            _ => None,
        });
        let made = run.entries.iter().rev().find_map(|entry| match &entry.fact {
            Fact::MoveMade { san, .. } => Some(san.clone()),
            _ => None,
        });
        (said.collect(), made.unwrap_or_default())
    }
}

const SCENES: &[Scene] = &[
    Scene {
        name: "a knight is slid over a square and pressed on where it may not stand",
        hands: &["1500 b1 -", "350 c3 N", "1000 c3 -", "350 d5 N", "450 press white"],
        says: &["ILLEGAL_COMPLETED not a knight move"],
        last: "Nc3",
    },
    Scene {
        name: "a knight that was released goes on, and is pressed on there",
        hands: &["1500 b1 -", "350 c3 N", "5000 c3 -", "350 d5 N", "450 press white"],
        says: &["MOVED_AFTER_RELEASE"],
        last: "Nc3",
    },
    Scene {
        name: "a knight that was released is back before the press",
        hands: &[
            "1500 b1 -",
            "350 c3 N",
            "5000 c3 -",
            "350 d5 N",
            "1000 d5 -",
            "350 c3 N",
            "450 press white",
        ],
        says: &[],
        last: "Nc3",
    },
    Scene {
        name: "a released knight goes back, and the clock is pressed",
        hands: &["1500 b1 -", "350 c3 N", "5000 c3 -", "350 b1 N", "450 press white"],
        says: &["MOVED_AFTER_RELEASE", "PRESS_WITHOUT_MOVE"],
        last: "Nc3",
    },
    Scene {
        name: "a released knight goes on, and is back after the press",
        hands: &[
            "1500 g1 -",
            "350 f3 N",
            "5000 f3 -",
            "350 h5 N",
            "450 press white",
            "3000 h5 -",
            "350 f3 N",
            "4000 d7 -",
            "350 d5 p",
            "450 press black",
        ],
        says: &["MOVED_AFTER_RELEASE"],
        last: "d5",
    },
    Scene {
        name: "a knight is lifted and a bishop put down",
        hands: &["1500 b1 -", "350 c3 B", "450 press white"],
        says: &["ILLEGAL_COMPLETED another piece was put down"],
        last: "Nc3",
    },
    Scene {
        name: "a pawn is taken with a knight that becomes a queen",
        hands: &[
            "1500 g1 -",
            "350 f3 N",
            "450 press white",
            "1500 g8 -",
            "350 f6 n",
            "450 press black",
            "1500 f3 -",
            "300 e5 -",
            "350 e5 Q",
            "450 press white",
        ],
        says: &["ILLEGAL_COMPLETED another piece was put down"],
        last: "Nf6",
    },
    Scene {
        name: "the right piece is put down before the press",
        hands: &["1500 b1 -", "350 c3 B", "900 c3 -", "350 c3 N", "450 press white"],
        says: &[],
        last: "Nc3",
    },
    Scene {
        name: "a moved piece is read wrongly for a second around the press",
        hands: &["1500 b1 -", "350 c3 B", "450 press white", "550 c3 N"],
        says: &[],
        last: "Nc3",
    },
    Scene {
        name: "a bishop that has not moved, and could, is read as a knight",
        hands: &[
            "1500 f1 N",
            "350 b1 -",
            "350 c3 N",
            "450 press white",
            "8000 g8 -",
            "350 f6 n",
            "450 press black",
        ],
        says: &[],
        last: "Nf6",
    },
    Scene {
        name: "the opponent's bishop is read as a knight, and then as a pawn",
        hands: &[
            "1500 f8 n",
            "350 b1 -",
            "350 c3 N",
            "450 press white",
            "8000 f8 p",
            "1000 g8 -",
            "350 f6 n",
            "450 press black",
        ],
        says: &[],
        last: "Nf6",
    },
];

#[test]
fn each_scene_is_told_as_it_was() {
    let mut wrong = Vec::new();
    for scene in SCENES {
        let (said, last) = scene.play();
        if said != scene.says || last != scene.last {
            wrong.push(format!("{}: {said:?}, {last}", scene.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
