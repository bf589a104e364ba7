//! Boards, hands, clocks and arbiters that respect nothing: the game goes on, waits for no moment
//! that is over, and can be read back from what it wrote.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rokade::game::recover::Recovered;
use rokade::game::settings::Settings;
use rokade::game::{Effect, Entry, Event, Game};
use rokade::laws::act::CHAPTERS;
use rokade::laws::{Act, Terms};
use rokade::relay::log::Log;
use rokade::relay::record::Record;
use rokade::relay::view::View;
use rokade::time::{Mono, Stamp, Wall};
use rokade::wire::{BoardMessage, ClockMessage, Dump, Field, FieldCode, Orientation};
use shakmaty::{Chess, Position};

/// What may happen.
#[derive(Arbitrary, Debug)]
enum Happens {
    Field(u8, u8),
    /// The pieces of a start position, with some squares changed.
    Dump(bool, Vec<(u8, u8)>),
    /// A piece is carried along one of its legal moves, from square to square.
    Carry(u8),
    Clock([u8; 7]),
    Order(u8),
    Words(String),
    Wait(u16),
    Noise,
    Unplug,
    Plug,
}

#[derive(Arbitrary, Debug)]
struct Story {
    has_referee: bool,
    events: Vec<Happens>,
}

/// A board with all that it put on record.
struct Board {
    game: Game,
    entries: Vec<Entry>,
    ms: u64,
    carried: Chess,
}

impl Board {
    fn tell(&mut self, event: &Event) {
        let mut effects = Vec::new();
        let at = Mono::from_millis(self.ms);
        self.game.handle(Stamp { mono: at, wall: Wall(0) }, event, &mut effects);
        self.entries.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Record(entry) => Some(entry),
            _ => None,
        }));
    }

    fn field(&mut self, sq: u8, code: u8) {
        let field = Field::new(sq % 64);
        let message = BoardMessage::Field { field, code: FieldCode::from_byte(code % 16) };
        self.tell(&Event::Board(message));
    }

    fn wait(&mut self, ms: u64) {
        let end = self.ms + ms;
        while let Some(due) = self.game.wake_at().map(|due| due.0.div_ceil(1_000)) {
            if due > end {
                break;
            }
            self.ms = self.ms.max(due);
            self.tell(&Event::Timeout);
            let at = Mono::from_millis(self.ms);
            assert!(self.game.wake_at().is_none_or(|due| due > at), "a time that is over");
        }
        self.ms = end;
    }

    fn happens(&mut self, what: Happens) {
        self.ms += 20;
        match what {
            Happens::Field(sq, code) => self.field(sq, code),
            Happens::Dump(is_turned, changes) => {
                let turn = if is_turned { Orientation::Rotated } else { Orientation::Normal };
                let mut dump = Dump::new(self.carried.board(), turn);
                for (sq, code) in changes {
                    dump.0[usize::from(sq % 64)] = FieldCode::from_byte(code % 16);
                }
                self.tell(&Event::Board(BoardMessage::Dump(Box::new(dump))));
            }
            Happens::Carry(pick) => {
                let moves = self.carried.legal_moves();
                let Some(&m) = moves.get(usize::from(pick) % moves.len().max(1)) else { return };
                let before = Dump::new(self.carried.board(), Orientation::Normal);
                self.carried.play_unchecked(m);
                let after = Dump::new(self.carried.board(), Orientation::Normal);
                for sq in 0..64_u8 {
                    if before.0[usize::from(sq)] != after.0[usize::from(sq)] {
                        self.wait(60);
                        let field = Field::new(sq);
                        let code = after.0[usize::from(sq)];
                        self.tell(&Event::Board(BoardMessage::Field { field, code }));
                    }
                }
            }
            Happens::Clock(bytes) => {
                let message = ClockMessage::decode(bytes.map(|byte| byte & 0x7f));
                self.tell(&Event::Board(BoardMessage::Clock(message)));
            }
            Happens::Order(pick) => {
                let mut lessons = CHAPTERS.iter().flat_map(|chapter| chapter.lessons);
                let n = lessons.clone().count();
                let lesson = lessons.nth(usize::from(pick) % n).expect("one of them");
                self.say(lesson.example);
            }
            Happens::Words(text) => self.say(&text),
            Happens::Wait(ms) => self.wait(u64::from(ms)),
            Happens::Noise => self.tell(&Event::Noise),
            Happens::Unplug => self.tell(&Event::LinkDown),
            Happens::Plug => self.tell(&Event::LinkUp),
        }
    }

    fn say(&mut self, text: &str) {
        if let Ok(act) = Act::read(text, "arbiter", "") {
            self.tell(&Event::Act(act));
        }
    }

    /// What is on record is all that a restart needs, and makes the same lines of the log.
    fn assert_can_be_read(&self) {
        let (mut fold, mut log, mut again) = (Recovered::default(), Log::default(), Log::default());
        for (idx, entry) in self.entries.iter().enumerate() {
            let line = Record::new(entry.at.mono.millis(), &entry.fact).to_json();
            let record: Record =
                serde_json::from_str(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
            let fact = record.fact;
            assert_eq!(log.line(&entry.fact), again.line(&fact), "{line}");
            let entry = Entry { at: entry.at, fact };
            fold.fold(idx, &entry).unwrap_or_else(|e| panic!("{line}: {e}"));
        }
        let game = fold.into_game(self.game.settings().clone());
        let moves = |game: &Game| -> Vec<String> {
            let sheet = game.play().map(|play| play.sheet().moves().iter());
            sheet.into_iter().flatten().map(|m| m.san.to_string()).collect()
        };
        assert_eq!(moves(&game), moves(&self.game));
    }
}

fuzz_target!(|story: Story| {
    let terms = story.has_referee.then(Terms::default);
    let game = Game::new(Settings { terms, ..Settings::default() });
    let mut board = Board { game, entries: Vec::new(), ms: 0, carried: Chess::default() };
    board.happens(Happens::Plug);
    for event in story.events {
        board.happens(event);
    }
    board.wait(20_000);
    View::new("board", &board.game, Mono::from_millis(board.ms)).to_json();
    board.assert_can_be_read();
});
