//! What people enter at a board: it goes on record, changes the record of the game where it is
//! about that, and is told to the referee, if one sits there.
//!
//! What cannot be, or would change nothing, is refused: a note says so on record, and no more.

use super::Game;
use super::told::reason_of;
use crate::game::entry::Fact;
use crate::game::play::OrderError;
use crate::game::recorder::start_due;
use crate::game::score::Scored;
use crate::laws::{
    self, Act, Code, Declaration, DeclaredFor, Ending, GivenPosition, Order, Pending, Phrase,
    Reason, Referee, Ruling, Score, Told, WhichGame,
};
use crate::table::Word;
use crate::time::Mono;
use crate::track::legal;
use crate::track::tracker::GAP_STEP_MAX;
use shakmaty::{KnownOutcome, Position, Role, uci::UciMove};

/// Why a board without a referee cannot do what was ordered.
const NO_REFEREE: &str = "this order needs a referee, and this board has none: set laws = \
                          \"m2023\" in its section. Results, moves and notes need no referee";
/// Why what is about a game cannot be.
const NO_GAME: &str = "no game has begun; \"start\" begins one, and \"result 1-0 default\" enters \
                       a forfeit";

impl Game {
    /// Why the last event, if people acted in it, changed nothing; empty if it did.
    pub fn refusals(&self) -> Vec<String> {
        let of_ruling = |ruling: &Ruling| match ruling {
            Ruling::Log(note) if note.code == Code::ClaimRefused => Some(note.facts.clone()),
            _ => None,
        };
        self.refused.iter().cloned().chain(self.rulings().iter().filter_map(of_ruling)).collect()
    }

    pub(super) fn on_act(&mut self, now: Mono, act: &Act) {
        let told = Told::Act(act.clone());
        self.look_before(now, &told);
        if self.bench.is_some() {
            self.record_latest(now);
        }
        let n_before = self.out.facts.len();
        let fact = self.fact_of(act);
        if let Err(why) = self.carry_out(now, act) {
            self.out.facts.push(Fact::Act(act.refused(&why)));
            self.refused = Some(why);
            return;
        }
        let is_done = self.out.facts.len() > n_before;
        // A game that begins by an order has it on record as its own.
        let is_begun = self.out.facts[n_before..].iter().any(Self::begins);
        let at = if is_begun { self.out.facts.len() } else { n_before };
        self.out.facts.insert(at, fact);
        let n_before = self.out.facts.len();
        self.tell(now, &told);
        if let Some(n) = self.out.facts[n_before..].iter().position(Self::begins) {
            self.out.facts[at..=n_before + n].rotate_left(1);
        }
        self.record_opened(act);
        self.follow_ruling();
        let is_said = self.out.facts.len() > n_before || !self.rulings().is_empty();
        if self.bench.is_some() && !is_done && !is_said && must_be_heard(act) {
            self.refused = Some("that would change nothing".to_owned());
        }
    }

    /// What goes on record of `act`. What is read from an open envelope is no secret any more.
    fn fact_of(&self, act: &Act) -> Fact {
        let is_open = self.bench.as_ref().is_some_and(|bench| bench.referee().is_envelope_open());
        let act = act.clone();
        Fact::Act(if is_open { act } else { act.unread() })
    }

    /// The envelope was opened: what was in it goes on record.
    fn record_opened(&mut self, act: &Act) {
        let is_opened = matches!(act, Act::Ordered { order: Order::OpenEnvelope, .. });
        let bench = self.bench.as_ref().filter(|_| is_opened);
        let read = bench.and_then(|bench| bench.referee().read_from_envelope());
        if let Some((by, text)) = read {
            let text = text.to_owned();
            self.out.facts.push(Fact::Act(Act::Sealed { by, text }));
        }
    }

    /// What people bring about takes the place of a result that was on record before.
    fn follow_ruling(&mut self) {
        let is_result = |ruling: &Ruling| match ruling {
            Ruling::Result(ruled) => Some((ruled.score.outcome()?, reason_of(ruled.code)?)),
            _ => None,
        };
        let ruled = self.rulings().iter().rev().find_map(is_result);
        let Some(((outcome, reason), play)) = ruled.zip(self.recorder.play_mut()) else {
            return;
        };
        if play.ending().is_some_and(|known| known.outcome != outcome) {
            play.end(Ending { outcome, reason }, &mut self.out.facts);
        }
    }

    /// Does to the record of the game what `act` means for it, or says why that cannot be.
    fn carry_out(&mut self, now: Mono, act: &Act) -> Result<(), String> {
        let has_referee = self.bench.is_some();
        match act {
            Act::Ordered { order, .. } => self.carry_out_order(now, order),
            // A referee knows what follows from what is said.
            _ if has_referee => Ok(()),
            Act::Declared { by, said: Declaration::Resign } => {
                let outcome = KnownOutcome::Decisive { winner: !*by };
                self.end_once(Ending { outcome, reason: Reason::Resignation })
            }
            Act::Declared { said: Declaration::AcceptDraw, .. } => {
                let (outcome, reason) = (KnownOutcome::Draw, Reason::Agreement);
                self.end_once(Ending { outcome, reason })
            }
            Act::Declared { said, .. } if is_mere_word(said) => Ok(()),
            Act::Signed { score } => self.sign(*score),
            _ => Err(NO_REFEREE.to_owned()),
        }
    }

    fn carry_out_order(&mut self, now: Mono, order: &Order) -> Result<(), String> {
        let number = |ply: &u16| usize::from(*ply);
        match order {
            Order::Settle(ply, uci) | Order::Replace(ply, uci) => {
                self.edit(now, number(ply), 1, std::slice::from_ref(uci))
            }
            Order::Insert(ply, moves) => self.edit(now, number(ply), 0, moves),
            Order::Remove(ply, n) => self.edit(now, number(ply), number(n), &[]),
            Order::Result(None | Some(WhichGame::Last), score, reason) => {
                self.declare(now, *score, reason)
            }
            Order::Result(Some(WhichGame::Next), score, reason) => {
                self.begin_next_unplayed(now)?;
                self.declare(now, *score, reason)
            }
            Order::Continue(_) => self.go_on(now),
            Order::Confirm(number) => self.is_open(*number, "confirm"),
            Order::Dismiss(number) => self.is_open(*number, "dismiss"),
            Order::Start => self.order_start(now),
            Order::Position(GivenPosition::Named(fen)) => self.order_position(now, fen),
            Order::Position(GivenPosition::OnBoard(turn)) => self.order_standing(now, *turn),
            Order::Adopt(turn) => self.order_adopt(now, *turn),
            Order::Note(_) | Order::Other(_) | Order::Penalize(..) | Order::Points(..) => Ok(()),
            _ if self.bench.is_some() => Ok(()),
            _ => Err(NO_REFEREE.to_owned()),
        }
    }

    /// The order that follows from a button for the piece that a pawn becomes: that the last
    /// promotion on record, or the one before the reply to it, was to this piece. `None` if no such
    /// move is on record whose piece is open.
    pub fn promoted_to(&self, role: Role) -> Option<Act> {
        let moves = self.play()?.sheet().moves();
        let is_open = |scored: &&Scored| scored.m.promotion().is_some() && scored.is_uncertain();
        let (idx, scored) = moves.iter().enumerate().rev().take(2).find(|(_, it)| is_open(it))?;
        let (from, to) = (scored.m.from()?, scored.m.to());
        let uci = UciMove::Normal { from, to, promotion: Some(role) };
        Some(Act::Ordered {
            order: Order::Settle(u16::try_from(idx + 1).ok()?, uci),
            author: "the button".to_owned(),
            reason: String::new(),
        })
    }

    /// Why it is not clear what `act` is about: several matters are open that it may answer, or two
    /// games may have the result. Whoever wrote a record of orders knew what came last; whoever
    /// speaks to a daemon may not.
    pub fn unclear(&self, act: &Act) -> Option<String> {
        let word = match act {
            Act::Ordered { order: Order::Result(None, score, _), .. } => {
                return self.unclear_result(*score);
            }
            Act::Ordered { order: Order::Confirm(None), .. } => "confirm",
            Act::Ordered { order: Order::Dismiss(None), .. } => "dismiss",
            _ => return None,
        };
        let open = self.answered_by(word);
        let why = || format!("{} matters are open; name one: {}", open.len(), named(&open, word));
        (open.len() > 1).then(why)
    }

    /// Why it is not clear which game ends so: one is over, and the next one is paired.
    fn unclear_result(&self, score: Score) -> Option<String> {
        let next = self.settings.next.as_deref()?;
        let play = self.recorder.play().filter(|play| play.is_over())?;
        let result = play.ending().map_or("no result", |ending| ending.outcome.as_str());
        let names = [&self.settings.white, &self.settings.black];
        let [white, black] = names.map(|name| if name.is_empty() { "?" } else { name });
        let (round, of) = (next.round_tag(), &next.players);
        Some(format!(
            "which game? {} {white} - {black} is over with {result}, and {round} {} - {} has not \
             begun; order \"result last {score}\" or \"result next {score}\"",
            self.settings.round, of.white.name, of.black.name
        ))
    }

    /// The game that is paired and has not begun is on record, for its result.
    fn begin_next_unplayed(&mut self, now: Mono) -> Result<(), String> {
        let waits = match self.recorder.play() {
            Some(play) => play.is_over() && self.settings.next.is_some(),
            None => self.settings.due().is_some(),
        };
        if !waits {
            return Err("no next game is paired; `rokade round` pairs it, and \"result\" without \
                        \"next\" is for the game on record"
                .to_owned());
        }
        let (start, mode) = start_due(&self.settings, None);
        let (recorder, mut cx) = self.parts();
        recorder.begin(&mut cx, now, start, mode);
        Ok(())
    }

    /// The matters that `word` answers.
    fn answered_by(&self, word: &'static str) -> Vec<Pending> {
        let mut open = self.referee().map(Referee::pending).unwrap_or_default();
        open.retain(|known| known.orders.contains(&word));
        open
    }

    /// Whether the matter that is named is still open.
    fn is_open(&self, number: Option<u32>, word: &'static str) -> Result<(), String> {
        if self.bench.is_none() {
            return Err(NO_REFEREE.to_owned());
        }
        let open = self.answered_by(word);
        let Some(n) = number.filter(|n| open.iter().all(|known| known.number != Some(*n))) else {
            return Ok(());
        };
        let others = if open.is_empty() { "nothing".to_owned() } else { named(&open, word) };
        Err(format!("matter {n} is not open, or no longer; open: {others}"))
    }

    /// A player ends the game, which must be on.
    fn end_once(&mut self, ending: Ending) -> Result<(), String> {
        let play = self.recorder.play_mut().ok_or(NO_GAME)?;
        if play.is_over() {
            return Err(
                "the game is over; \"result\" replaces a wrong result, and \"continue\" withdraws \
                 it"
                .to_owned(),
            );
        }
        self.recorder.end(ending, &mut self.out.facts);
        Ok(())
    }

    /// Both sign a score, without a referee. It ends a game that goes on.
    fn sign(&mut self, score: Score) -> Result<(), String> {
        let is_on = self.recorder.play().is_some_and(|play| !play.is_over());
        let reason = match score {
            Score::DRAW => Reason::Agreement,
            _ => Reason::Arbiter,
        };
        match score.outcome() {
            Some(outcome) if is_on => self.end_once(Ending { outcome, reason }),
            _ => Ok(()),
        }
    }

    /// The arbiter declares a result, which takes the place of any before.
    fn declare(
        &mut self,
        now: Mono,
        score: Score,
        reason: &Phrase<DeclaredFor>,
    ) -> Result<(), String> {
        let is_before = *reason == Phrase::Word(DeclaredFor::AgreementBeforeRound);
        let is_proposal = is_before && self.bench.is_some();
        if is_proposal {
            return Ok(());
        }
        if self.recorder.play().is_none() && score != Score::Open {
            let (recorder, mut cx) = self.parts();
            recorder.begin_unplayed(&mut cx, now);
        }
        let play = self.recorder.play_mut().ok_or(NO_GAME)?;
        let words = reason.as_str().replace('_', " ");
        let reason = Reason::parse(&words).unwrap_or(Reason::Arbiter);
        let ending = score.outcome().map(|outcome| Ending { outcome, reason });
        let is_same = |known: Ending, new: Ending| {
            known == new || known.outcome == new.outcome && words.is_empty()
        };
        match ending {
            Some(new) if play.ending().is_some_and(|known| is_same(known, new)) => {
                let reason = play.ending().map_or(reason, |known| known.reason);
                Err(format!("the result is already {} ({reason})", new.outcome))
            }
            Some(ending) => {
                self.recorder.end(ending, &mut self.out.facts);
                Ok(())
            }
            None if play.is_closed && self.bench.is_none() => {
                Err("the game is already closed without a result".to_owned())
            }
            None => {
                if !play.is_closed {
                    self.recorder.close(&mut self.out.facts);
                }
                Ok(())
            }
        }
    }

    /// Play goes on. The result of a game that was over is withdrawn.
    fn go_on(&mut self, now: Mono) -> Result<(), String> {
        let Some(play) = self.recorder.play_mut().filter(|play| play.is_over()) else {
            return match self.bench {
                Some(_) => Ok(()),
                None => Err("the game is not over".to_owned()),
            };
        };
        if let Some(ending) = play.end_of_position() {
            let (n, reason) = (play.sheet().len(), ending.reason);
            return Err(format!(
                "the position on record is {reason}; order \"replace {n} ...\" or \"remove {n}\" \
                 if something else was played"
            ));
        }
        if play.is_closed {
            return Err("the game was closed without a result; \"result\" gives it one".to_owned());
        }
        self.reopen(now);
        Ok(())
    }

    /// The result is withdrawn. What was moved meanwhile was play that nobody followed.
    fn reopen(&mut self, now: Mono) {
        let Some(play) = self.recorder.play_mut() else { return };
        play.reopen(&mut self.out.facts);
        self.tell(now, &Told::Reopened);
        self.recorder.note_gap(now);
        let (recorder, mut cx) = self.parts();
        if recorder.is_away() {
            recorder.begin_silence(&mut cx, Some(now));
        } else {
            recorder.look(&mut cx, now, GAP_STEP_MAX);
            recorder.look_at_rest(&cx, now);
        }
        cx.board.want_picture(now);
    }

    /// From half-move `ply` on not the next `n` of the record were played, but `moves`. A result
    /// that the last position had brought falls with it.
    fn edit(&mut self, now: Mono, ply: usize, n: usize, moves: &[UciMove]) -> Result<(), String> {
        let play = self.recorder.play_mut().ok_or(NO_GAME)?;
        let by_position = play.end_of_position().filter(|_| play.ending().is_some());
        if let Err(why) = play.edit(now, ply, n, moves, &mut self.out.facts) {
            return Err(format!("{why}{}", self.nearest_to(&why, ply, moves)));
        }
        self.board.stands(play.sheet().last().board());
        let is_ended = by_position.is_some() && by_position == play.ending();
        if is_ended && play.end_of_position() != by_position {
            self.reopen(now);
        }
        let (recorder, cx) = self.parts();
        recorder.note_entered();
        recorder.order_in_silence(now, ply - 1);
        recorder.look_at_rest(&cx, now);
        Ok(())
    }

    /// The legal move that is written most like the one that is not legal.
    fn nearest_to(&self, why: &OrderError, first: usize, moves: &[UciMove]) -> String {
        let (Some(play), OrderError::NotLegal { ply }) = (self.recorder.play(), why) else {
            return String::new();
        };
        let sheet = play.sheet();
        let mut pos = sheet.position(first - 1).clone();
        let (known, wrong) = moves.split_at(ply - first);
        for uci in known {
            let Ok(m) = legal::read(uci, &pos) else { return String::new() };
            pos.play_unchecked(m);
        }
        let given = wrong.first().map_or_else(String::new, UciMove::to_string);
        let legal: Vec<_> =
            legal::moves(&pos).map(|m| m.to_uci(sheet.mode()).to_string()).collect();
        let near = laws::name::nearest(&given, legal.iter().map(String::as_str));
        near.first().map_or_else(String::new, |near| format!("; did you mean {near}?"))
    }
}

/// Open matters with the orders that answer them.
fn named(open: &[Pending], word: &str) -> String {
    let of = |known: &Pending| Some(format!("\"{word} {}\" ({})", known.number?, known.what));
    open.iter().filter_map(of).collect::<Vec<_>>().join(", ")
}

/// What goes on record as said, and needs nobody to rule on it.
const fn is_mere_word(said: &Declaration) -> bool {
    matches!(
        said,
        Declaration::Adjust
            | Declaration::OfferDraw
            | Declaration::DeclineDraw
            | Declaration::WithdrawOffer
            | Declaration::Arrive
            | Declaration::Protest
    )
}

/// Whether a referee that has nothing to say to `act` has found nothing to do. A position that the
/// board must show is demanded in silence.
fn must_be_heard(act: &Act) -> bool {
    let is_silent = |order: &Order| matches!(order, Order::Restore(_) | Order::Confirm(_));
    matches!(act, Act::Ordered { order, .. } if !is_silent(order))
}
