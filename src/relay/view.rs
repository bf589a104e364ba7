//! The view document: all that a page needs to draw a board, in one JSON object.
//!
//! Each document is complete, so a page that missed some, or that has just been opened, needs
//! nothing but the next one. Nothing in it is for the arbiter alone.

use super::pgn::Tags;
use super::record::VERSION;
use super::words::plain;
use crate::game::{Game, LinkState, Player, Recovered, ScoreSheet, Settings};
use crate::laws::Ending;
use crate::table::defaults;
use crate::table::{Placement, Word};
use crate::time::Mono;
use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::{Board, ByColor, Chess, EnPassantMode, Position};

defaults! {
    /// The public view of one board; the usual one has no name, and nothing is known of it.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct View {
        /// Version of this document.
        pub v: u32 = VERSION,
        /// Always `view`.
        #[serde(rename = "type")]
        pub kind: &'static str = "view",
        /// The board's name.
        pub board: String,
        /// White's name.
        pub white: String,
        /// Black's name.
        pub black: String,
        /// What is known of both beside that.
        pub players: ViewPlayers,
        /// The event.
        pub event: String,
        /// The round.
        pub round: String,
        /// The position from which the game began, as a FEN.
        pub start: String = Fen::default().to_string(),
        /// The position shown, as a FEN.
        pub fen: String = fen_of_board(&Board::empty()),
        /// Origin and target of the last move shown; for castling those of the king.
        pub last: Option<[String; 2]>,
        /// The square of a king in check.
        pub check: Option<String>,
        /// Who is to move.
        pub turn: &'static str = "white",
        /// Who sits at the bottom.
        pub orientation: &'static str = "white",
        /// The moves shown.
        pub moves: Vec<ViewMove>,
        /// `*` while the game goes on.
        pub result: &'static str = "*",
        /// Why the game is over.
        pub reason: Option<&'static str>,
        /// Both clocks; none where there is no clock.
        pub clock: Option<ViewClock>,
        /// The line to the board.
        pub link: &'static str = LinkState::Absent.word(),
        /// The beginning of the game was not seen: it was joined as it stood.
        pub joined: bool,
        /// Where moves are not known.
        pub gaps: Vec<ViewGap>,
        /// No game is on record: this is how the board stands, as far as that is known.
        pub idle: bool = true,
        /// The squares on which a piece stands then that the board does not name.
        pub unnamed: Vec<String>,
        /// The squares on which the board has shown something else than this position for long.
        pub differs: Vec<String>,
    }
}

/// A stretch of moves that nobody knows, in a [`View`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewGap {
    /// Moves of the view before it.
    pub ply: usize,
    /// How many half-moves nobody knows.
    pub text: String,
    /// At least so many.
    pub at_least: usize,
    /// At most so many, if that is known.
    pub at_most: Option<usize>,
    /// The position from which the record goes on, as a FEN.
    pub fen: String,
}

/// What a list of pairings tells of the players, in a [`View`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ViewPlayers {
    /// Of White.
    pub white: ViewPlayer,
    /// Of Black.
    pub black: ViewPlayer,
}

/// What is known of a player beside the name, in a [`View`]; empty where it is not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ViewPlayer {
    /// The title, such as `GM`.
    pub title: String,
    /// The rating.
    pub rating: String,
    /// The federation, such as `NOR`.
    pub federation: String,
    /// The team.
    pub team: String,
}

/// A move in a [`View`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewMove {
    /// Half-move on record, from 1.
    pub ply: usize,
    /// The number of the move.
    pub number: u32,
    /// Who made it.
    pub color: &'static str,
    /// In PGN's notation.
    pub san: String,
    /// In UCI notation.
    pub uci: String,
    /// `made` or `completed`.
    pub state: &'static str,
    /// Other moves explain the sensors about as well.
    pub uncertain: bool,
    /// Those moves, in PGN's notation.
    pub alternatives: Vec<String>,
}

/// Both clocks in a [`View`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewClock {
    /// White's time left.
    pub white_ms: u64,
    /// Black's time left.
    pub black_ms: u64,
    /// Whose time runs.
    pub running: Option<&'static str>,
    /// How old the reading was when this document was made.
    pub age_ms: u64,
    /// The clock cannot be heard: the times are reckoned from when it was.
    pub estimated: bool,
}

impl View {
    /// What the public may see of `game` at `now`.
    pub fn new(board: &str, game: &Game, now: Mono) -> Self {
        let settings = game.settings();
        let Settings { white, black, event, round, .. } = settings;
        let mut view = Self::named(board, [white, black, event, round]);
        view.players = players(settings.pairing.as_ref().map(|pairing| &pairing.players));
        view.clock = clock(game, now);
        view.link = game.link().word();
        view.differs = game.contradicted(now).into_iter().map(name).collect();
        if let Some(seen) = game.unrecorded() {
            view.stand(seen);
        }
        if let Some(play) = game.play() {
            view.take(play.sheet(), game.n_public(), play.ending());
        }
        view
    }

    /// What the public may see of a record that it is shown later than it is made, as of its last
    /// entry. `tags` are those of its game, `seen` is what the sensors show, and `link` how the
    /// line to the board is.
    pub fn of_record(
        board: &str,
        record: &Recovered,
        tags: &Tags,
        seen: Option<&Placement>,
        link: LinkState,
    ) -> Self {
        let mut view = Self::tagged(board, tags);
        if let Some(seen) = seen {
            view.stand(seen);
        }
        view.link = link.word();
        view.clock = record.times().map(|(times, running, age)| {
            let times = super::record::RecordedTimes::from(times);
            ViewClock {
                white_ms: times.white_ms,
                black_ms: times.black_ms,
                running: running.map(Word::word),
                age_ms: crate::time::millis(age),
                estimated: false,
            }
        });
        if let Some(sheet) = record.sheet() {
            view.take(sheet, record.n_public(), record.ending());
        }
        view
    }

    /// What the public may see of a game that is not the board's last any more: the first `n`
    /// half-moves of it, and how it ended.
    pub fn of_past(
        board: &str,
        tags: &Tags,
        sheet: &ScoreSheet,
        n: usize,
        ending: Option<Ending>,
    ) -> Self {
        let mut view = Self::tagged(board, tags);
        view.link = LinkState::Live.word();
        view.take(sheet, n, ending);
        view
    }

    /// A board of which nothing is known but who plays there.
    fn tagged(board: &str, tags: &Tags) -> Self {
        let Tags { white, black, event, round, .. } = tags;
        let mut view = Self::named(board, [white, black, event, round]);
        view.players = players(tags.players.as_deref());
        view
    }

    /// The same by White's name, Black's, the event's and the round's.
    fn named(board: &str, names: [&String; 4]) -> Self {
        let [white, black, event, round] = names.map(|name| plain(name).into_owned());
        Self { board: board.to_owned(), white, black, event, round, ..Self::default() }
    }

    /// Shows a board on which no game is on record.
    fn stand(&mut self, seen: &Placement) {
        self.fen = fen_of_board(seen.known());
        self.unnamed = seen.unnamed().into_iter().map(name).collect();
    }

    /// Takes the first `n` half-moves of a game, and how it ended.
    fn take(&mut self, sheet: &ScoreSheet, n: usize, ending: Option<Ending>) {
        let pos = sheet.position(n);
        self.idle = false;
        self.unnamed.clear();
        self.start = fen_of(sheet.start());
        self.fen = fen_of(pos);
        self.turn = pos.turn().word();
        self.check = pos.board().king_of(pos.turn()).filter(|_| pos.is_check()).map(name);
        self.moves = moves(sheet, n);
        self.joined = sheet.is_joined();
        let gaps = sheet.gaps().iter().filter(|gap| gap.ply <= n);
        let gaps = gaps.map(|gap| ViewGap {
            ply: gap.ply,
            text: gap.n.to_string(),
            at_least: gap.n.at_least,
            at_most: gap.n.at_most,
            fen: fen_of(sheet.position(gap.ply)),
        });
        self.gaps = gaps.collect();
        let is_after_gap = self.gaps.last().is_some_and(|gap| gap.ply == n);
        let last = n.checked_sub(1).filter(|_| !is_after_gap);
        self.last = last.map(|idx| squares(sheet, idx));
        if let Some(ending) = ending {
            self.result = ending.outcome.as_str();
            self.reason = Some(ending.reason.word());
        }
    }

    /// The document as text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a view is plain data")
    }
}

/// As of nobody's move in particular.
fn fen_of_board(board: &Board) -> String {
    format!("{} w - - 0 1", board.board_fen())
}

fn fen_of(pos: &Chess) -> String {
    Fen::from_position(pos, EnPassantMode::Legal).to_string()
}

fn players(known: Option<&ByColor<Player>>) -> ViewPlayers {
    let of = |player: &Player| ViewPlayer {
        title: plain(&player.title).into_owned(),
        rating: plain(&player.rating).into_owned(),
        federation: plain(&player.federation).into_owned(),
        team: plain(&player.team).into_owned(),
    };
    known.map_or_else(ViewPlayers::default, |known| ViewPlayers {
        white: of(&known.white),
        black: of(&known.black),
    })
}

fn clock(game: &Game, now: Mono) -> Option<ViewClock> {
    let Some(times) = game.clock().times() else { return estimated(game, now) };
    let times = super::record::RecordedTimes::from(times);
    let age = now.since(game.clock().read_at());
    Some(ViewClock {
        white_ms: times.white_ms,
        black_ms: times.black_ms,
        running: game.clock().running().map(Word::word),
        age_ms: crate::time::millis(age),
        estimated: false,
    })
}

fn estimated(game: &Game, now: Mono) -> Option<ViewClock> {
    let estimate = game.estimate(now)?;
    let times = super::record::RecordedTimes::from(estimate.times);
    Some(ViewClock {
        white_ms: times.white_ms,
        black_ms: times.black_ms,
        running: estimate.running.map(Word::word),
        age_ms: 0,
        estimated: true,
    })
}

fn moves(sheet: &ScoreSheet, n: usize) -> Vec<ViewMove> {
    let of = |(idx, scored): (usize, &crate::game::Scored)| ViewMove {
        ply: idx + 1,
        number: sheet.position(idx).fullmoves().get(),
        color: sheet.position(idx).turn().word(),
        san: scored.san.to_string(),
        uci: scored.uci.to_string(),
        state: if scored.completed.is_some() { "completed" } else { "made" },
        uncertain: scored.is_uncertain(),
        alternatives: sheet.alternatives(idx),
    };
    sheet.moves().iter().take(n).enumerate().map(of).collect()
}

fn squares(sheet: &ScoreSheet, idx: usize) -> [String; 2] {
    let m = sheet.moves()[idx].m;
    let turn = sheet.position(idx).turn();
    let to = m.castling_side().map_or(m.to(), |side| side.king_to(turn));
    [m.from().map_or_else(String::new, name), name(to)]
}

fn name(sq: shakmaty::Square) -> String {
    sq.to_string()
}
