//! A board that speaks as those of DGT do: a session wakes it and keeps it awake, changes come one
//! by one, and the whole of it is asked for again and again, because changes get lost.

use super::doubts::{AGREE, Doubts, NEAR, NEAR_AFTER_GAP, can_be, differs};
use super::identity::{Identity, Serials};
use super::recalled::recalled;
use super::{Driver, Expects, Known, News};
use crate::table::{Placement, Reading, Sight, defaults};
use crate::time::Mono;
use crate::wire::{
    BoardCommand, BoardMessage, Dump, Field, FieldCode, LogEvent, Orientation, Session, Streams,
    decode_log,
};
use shakmaty::{Board, Color, Piece, Role, Square};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Silence after which messages may have been lost. A board that is asked once a second answers.
const GAP_AFTER: Duration = Duration::from_millis(2_500);
/// A dump may be ahead of the changes that tell of a move in so many fields. Where it shows more,
/// what has changed was not told.
const UNTOLD: usize = 2;
/// A dump that was asked for has come after this, or does not come.
const UNANSWERED: Duration = Duration::from_secs(1);
/// What a board shows that may be another one than before is not believed until it has told its
/// number, or for so long in vain.
const NAMED_WITHIN: Duration = Duration::from_millis(2_500);
/// How many pawns a player has.
const N_PAWNS: usize = 8;
/// What stands on each occupied square by the word of a board that tells no pieces apart.
const WHITE_PAWN: Piece = Piece { color: Color::White, role: Role::Pawn };

defaults! {
    /// The driver of a DGT board.
    #[derive(Clone, Debug)]
    pub struct Dgt {
        given {
            session: Session,
            orientation: Option<Orientation>,
        }
        /// What is hurt on its line is said once more, so nothing is lost.
        is_repeated: bool,
        /// A setting says how the board lies.
        is_way_named: bool,
        /// How the boards lay that were on this line before, by their serial numbers.
        lay: BTreeMap<String, Orientation>,
        fields: Dump = Dump::new(&Board::empty(), Orientation::Normal),
        /// What the board can tell of a piece, as its pictures show.
        sight: Sight = Sight::Pieces,
        serials: Serials,
        unnamed: Unnamed,
        /// What has been read and is not believed yet.
        doubts: Doubts,
        /// A dump has been believed since this run of the program began.
        has_dumped: bool,
        /// One has been believed since the line is open.
        is_live: bool,
        last_heard: Mono,
        /// When it last told a change, or the whole of it.
        last_told: Mono,
        commands: Vec<BoardCommand>,
        news: VecDeque<News>,
        /// What came last and has not been held against the game.
        unweighed: Option<Unweighed>,
    }
}

/// What has come of the picture of a board that has not told yet which one it is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Unnamed {
    #[default]
    Unseen,
    /// A dump has come, and is asked for again when the board is known, or then.
    Waits(Mono),
    /// It was waited for in vain.
    Over,
}

#[derive(Clone, Debug)]
enum Unweighed {
    Dump(Box<Dump>),
    Change(Field, FieldCode),
    Log(Vec<LogEvent>),
}

impl Dgt {
    /// A board that has not spoken yet, and lies as `orientation` says, if that is known. Whether
    /// the clock behind it is to be asked for where it is silent says `watches_clock`.
    pub fn new(orientation: Option<Orientation>, watches_clock: bool) -> Self {
        let session = Session::new(Streams::BoardAndClock);
        let session = if watches_clock { session.watching_clock() } else { session };
        Self { is_way_named: orientation.is_some(), ..Self::begin(session, orientation) }
    }

    /// The same board, on a line that it shares with others.
    pub fn sharing_line(self) -> Self {
        Self { session: self.session.sharing_line(), is_repeated: true, ..self }
    }

    fn placed(&self) -> Orientation {
        self.orientation.unwrap_or(Orientation::Normal)
    }

    /// Something has come over the line. If it was silent before, messages may have been lost.
    fn note_heard(&mut self, now: Mono) {
        if now.since(self.last_heard) > GAP_AFTER && self.is_live {
            self.news.push_back(News::WasQuiet(self.last_heard));
            self.want_picture(now);
        }
        self.last_heard = now;
    }

    fn on_serial(&mut self, now: Mono, serial: &str, ask_again: BoardCommand) {
        let tells_apart = self.serials.tells_apart(serial);
        let before = self.serials.like(serial).map(str::to_owned);
        match self.serials.hear(now, serial) {
            Identity::Known => {}
            Identity::Doubtful if tells_apart => {
                return self.session.ask_serial(now, ask_again, &mut self.commands);
            }
            Identity::Doubtful => return,
            Identity::New => {
                if let Some(before) = before.filter(|_| tells_apart) {
                    self.replace(before, serial);
                }
                self.news.push_back(News::Identified(serial.to_owned()));
            }
        }
        if let Unnamed::Waits(_) = std::mem::take(&mut self.unnamed) {
            self.want_picture(now);
        }
    }

    /// Whether a dump is of a board that may be another one than before.
    fn is_of_unnamed(&mut self, now: Mono) -> bool {
        if self.is_identified() {
            return false;
        }
        if self.unnamed == Unnamed::Unseen {
            self.unnamed = Unnamed::Waits(now + NAMED_WITHIN);
        }
        true
    }

    /// Another board is there than `before`. It lies as it did when it was there last.
    fn replace(&mut self, before: String, serial: &str) {
        if let Some(lies) = self.orientation {
            self.lay.insert(before, lies);
        }
        self.orientation = self.lay.get(serial).copied().or(self.orientation);
    }

    fn weigh(&mut self, now: Mono, expects: &dyn Expects) {
        match self.unweighed.take() {
            Some(Unweighed::Dump(_)) if self.is_of_unnamed(now) => {}
            Some(Unweighed::Dump(dump)) => {
                let signal = self.doubts.signal_shown(now, &dump);
                if self.doubts.awaits_signal() {
                    self.want_picture(now);
                }
                if let Some(signal) = signal {
                    self.news.push_back(News::Signal(signal));
                    self.unweighed = Some(Unweighed::Dump(dump));
                } else if let Some(dump) = self.believed(now, &dump, expects) {
                    let is_told = !self.is_live || dump == self.fields;
                    if !is_told && self.doubts.is_noisy(now) {
                        // A message was hurt, and who knows which.
                        self.news.push_back(News::Noise);
                    } else if !is_told && differs(&dump, &self.fields) > UNTOLD {
                        // The board has lost its mode.
                        self.news.push_back(News::WasQuiet(self.last_told));
                    }
                    self.last_told = now;
                    self.take_dump(&dump);
                }
            }
            Some(Unweighed::Change(field, code)) => {
                if self.believe_unanswered(now) {
                    self.unweighed = Some(Unweighed::Change(field, code));
                } else if self.may_have_come(now, field, code, expects) {
                    self.fields.0[usize::from(field.index())] = code;
                    self.last_told = now;
                    if self.orientation.is_some() && self.lies_anew().is_some() {
                        return self.take_dump(&self.fields.clone());
                    }
                    let reading = self.sight.of(code.piece());
                    self.news.push_back(News::Sensed(self.placed().square(field), reading));
                }
            }
            Some(Unweighed::Log(events)) => {
                let steps = recalled(&events, self.placed(), &|end| expects.player_at(end));
                self.news.push_back(News::Remembered(steps));
            }
            None => {}
        }
    }

    /// The way that the board lies, where it shows another than is known and no setting names one.
    fn lies_anew(&self) -> Option<Orientation> {
        self.fields.lies_anew(self.orientation).filter(|_| !self.is_way_named)
    }

    /// What stands on the board is known.
    fn take_dump(&mut self, dump: &Dump) {
        self.fields = dump.clone();
        let sight = self.sight_by(dump);
        if std::mem::replace(&mut self.sight, sight) != sight {
            self.news.push_back(News::Sees(sight));
        }
        if !std::mem::replace(&mut self.is_live, true) {
            self.news.push_back(News::Live);
        }
        if let Some(way) = self.lies_anew() {
            self.orientation = Some(way);
            self.news.push_back(News::Lies(way));
        }
        let shown = self.sight.of_board(&dump.placement(self.placed()));
        self.news.push_back(News::Pictured(shown));
    }

    /// Some boards say of a piece only that it is there, by the code of a white pawn (protocol
    /// 1.12). More of those than there are white pawns, and nothing else, is no chess.
    fn sight_by(&self, dump: &Dump) -> Sight {
        let pieces = || dump.0.iter().filter(|code| **code != FieldCode::Empty);
        let are_pawns = pieces().all(|code| *code == FieldCode::Piece(WHITE_PAWN));
        match (self.sight, are_pawns) {
            (Sight::Pieces, true) if pieces().count() > N_PAWNS => Sight::Occupied,
            (Sight::Occupied, false) => Sight::Pieces,
            (same, _) => same,
        }
    }

    /// What may be believed of `dump`, if it may change anything. If not all of it, the board is
    /// asked again.
    fn believed(&mut self, now: Mono, dump: &Dump, expects: &dyn Expects) -> Option<Dump> {
        let is_confirmed = self.has_dumped && *dump == self.fields;
        let before = self.doubts.read(now, is_confirmed);
        let is_near = |other: &Dump, n| differs(dump, other) <= n;
        let is_same = before.as_ref().is_some_and(|before| is_near(before, AGREE));
        let is_noisy = self.doubts.is_noisy(now);
        let is_read_twice = match self.has_dumped {
            true => is_same,
            // Nothing is known to hold them against, and noise may have been in both.
            false => before.as_deref() == Some(dump),
        };
        if is_read_twice && !is_noisy || self.is_likely(dump, is_noisy, expects) {
            self.has_dumped = true;
            return Some(dump.clone());
        }
        self.doubts.doubt(now, dump);
        self.want_picture(now);
        let before = before.filter(|before| is_same || is_near(before, NEAR))?;
        if !can_be(dump) {
            return None;
        }
        if !self.has_dumped && !is_noisy {
            return None;
        }
        // Where two in a row say the same it is so.
        let mut agreed = if self.has_dumped { self.fields.clone() } else { *before.clone() };
        for field in Field::all().filter(|field| before.code(*field) == dump.code(*field)) {
            agreed.0[usize::from(field.index())] = dump.code(field);
        }
        if is_near(&self.fields, NEAR) || is_same {
            self.has_dumped = true;
            return Some(agreed);
        }
        None
    }

    /// Whether `dump` is so much like what is to be expected that it needs no second one.
    fn is_likely(&self, dump: &Dump, is_noisy: bool, expects: &dyn Expects) -> bool {
        if is_noisy && self.has_dumped {
            return *dump == self.fields;
        }
        if !self.has_dumped {
            return self.is_expected(dump, expects);
        }
        // Before a game is on, and after it, boards are set up and swept clear.
        if expects.on_record().is_none() {
            return true;
        }
        let near = if self.is_live && expects.is_whole() { NEAR } else { NEAR_AFTER_GAP };
        can_be(dump) && differs(dump, &self.fields) <= near
    }

    /// Whether the first dump of all shows what a game begins from, or goes on from.
    fn is_expected(&self, dump: &Dump, expects: &dyn Expects) -> bool {
        let lies = self.orientation.or(dump.orientation()).unwrap_or(Orientation::Normal);
        let shown = self.sight_by(dump).of_board(&dump.placement(lies));
        match expects.on_record() {
            Some(board) => can_be(dump) && shown.differs(board).count() <= NEAR_AFTER_GAP,
            None => {
                expects.may_begin_from(&shown)
                    || dump.0.iter().all(|code| *code == FieldCode::Empty)
            }
        }
    }

    /// A first dump that was asked for again in vain, on a line that is in order, has to do.
    fn believe_unanswered(&mut self, now: Mono) -> bool {
        if self.has_dumped || self.doubts.is_noisy(now) {
            return false;
        }
        let late = self.doubts.take_doubted_since(now, UNANSWERED);
        self.has_dumped = late.is_some();
        late.inspect(|dump| self.take_dump(dump)).is_some()
    }

    /// Whether a piece may have come to a field by a hand: on a line with noise on it only one that
    /// is missing elsewhere. Another one is left to the next dumps.
    fn may_have_come(
        &mut self,
        now: Mono,
        field: Field,
        code: FieldCode,
        expects: &dyn Expects,
    ) -> bool {
        if let FieldCode::Signal(signal) = code {
            // One hurt byte makes a figure of any piece, on a line that was in order so far.
            self.doubts.doubt_signal(field, signal);
            self.want_picture(now);
            return true;
        }
        let is_known = self.fields.code(field) == code;
        self.doubts.note_change(is_known);
        let Some(piece) = code.piece().filter(|_| self.doubts.is_noisy(now)) else { return true };
        let Some(board) = expects.standing() else { return true };
        let is_missing = |piece: Piece| {
            let n_seen = self.fields.0.iter().filter(|code| code.piece() == Some(piece)).count();
            n_seen < board.by_piece(piece).count()
        };
        let pawn = Role::Pawn.of(piece.color);
        let may = is_missing(piece) || is_known || is_missing(pawn) && piece.role != Role::King;
        if !may {
            self.want_picture(now);
        }
        may
    }
}

impl Driver for Dgt {
    fn link_up(&mut self, now: Mono, asks_clock: bool) {
        (self.last_heard, self.last_told) = (now, now);
        self.doubts = Doubts::default();
        self.serials.link_up();
        self.unnamed = Unnamed::default();
        self.session.link_up(now, &mut self.commands);
        if asks_clock {
            self.session.ask_clock();
        }
    }

    fn link_down(&mut self) {
        self.session.link_down();
        self.is_live = false;
    }

    fn on_bytes(&mut self, now: Mono) {
        self.note_heard(now);
        self.session.on_bytes(now);
    }

    fn on_message(&mut self, now: Mono, message: &BoardMessage) {
        self.note_heard(now);
        self.session.on_message(now, message, &mut self.commands);
        match message {
            BoardMessage::Dump(dump) => self.unweighed = Some(Unweighed::Dump(dump.clone())),
            BoardMessage::Field { field, code } => {
                self.unweighed = Some(Unweighed::Change(*field, *code));
            }
            BoardMessage::Clock(clock) if self.doubts.believes_clock(now, clock) => {
                self.last_told = now;
                self.news.push_back(News::Clock(clock.clone()));
            }
            BoardMessage::Clock(_) => self.session.want_clock(now, &mut self.commands),
            BoardMessage::Log(log) => self.unweighed = Some(Unweighed::Log(decode_log(log))),
            BoardMessage::Serial(serial) => self.on_serial(now, serial, BoardCommand::ReturnSerial),
            BoardMessage::LongSerial(serial) => {
                self.on_serial(now, serial, BoardCommand::ReturnLongSerial);
            }
            _ => {}
        }
    }

    fn on_noise(&mut self, now: Mono) {
        self.want_picture(now);
        if self.is_repeated {
            // A sum has told what was hurt, so that nothing of it was taken for a message.
            return;
        }
        self.serials.note_noise(now);
        self.doubts.note_noise(now);
        if self.doubts.is_dense(now) {
            self.news.push_back(News::Noise);
        }
    }

    fn on_sensed(&mut self, _now: Mono, sq: Square, reading: Reading) {
        self.news.push_back(News::Sensed(sq, reading));
    }

    fn on_picture(&mut self, _now: Mono, placement: &Placement) {
        self.news.push_back(News::Pictured(placement.clone()));
    }

    fn poll(&mut self, now: Mono, expects: &dyn Expects) -> Option<News> {
        if self.news.is_empty() {
            self.weigh(now, expects);
        }
        self.news.pop_front()
    }

    fn take_sent(&mut self) -> Vec<Vec<u8>> {
        self.commands.drain(..).map(|command| command.encode()).collect()
    }

    fn wake_at(&self) -> Option<Mono> {
        let named = if let Unnamed::Waits(due) = self.unnamed { Some(due) } else { None };
        [self.session.wake_at(), named].into_iter().flatten().min()
    }

    fn on_timeout(&mut self, now: Mono) {
        if let Unnamed::Waits(due) = self.unnamed
            && now >= due
        {
            self.unnamed = Unnamed::Over;
            self.want_picture(now);
        }
        self.session.on_timeout(now, &mut self.commands);
    }

    fn is_given_up(&self) -> bool {
        self.session.failed().is_some()
    }

    fn leave(&mut self) {
        self.session.leave(&mut self.commands);
    }

    fn want_picture(&mut self, now: Mono) {
        self.session.want_dump(now, &mut self.commands);
    }

    /// What it remembers are pieces: of one that tells none apart it is of no use.
    fn has_memory(&self) -> bool {
        self.sight == Sight::Pieces
    }

    /// What was fetched from a board on a shared line is kept on this side of it.
    fn has_memory_at_hand(&self) -> bool {
        self.is_repeated
    }

    fn want_memory(&mut self, now: Mono) -> bool {
        self.session.ask_log(now, &mut self.commands)
    }

    fn doubts(&self) -> Option<&Doubts> {
        Some(&self.doubts)
    }

    fn last_heard(&self) -> Mono {
        self.last_heard
    }

    fn is_identified(&self) -> bool {
        self.is_live || self.serials.are_told() || self.unnamed == Unnamed::Over
    }

    fn lies(&self) -> Option<Orientation> {
        self.orientation
    }

    fn take_up(&mut self, known: Known) {
        self.orientation = self.orientation.or(known.lies);
        self.sight = known.sight.unwrap_or(self.sight);
        for serial in &known.serials {
            self.serials.take(serial);
        }
    }
}
