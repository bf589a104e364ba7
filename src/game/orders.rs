//! What people enter at a board: it goes on record, and to whom it concerns.

use super::entry::Fact;
use super::machine::Game;
use super::play::OrderError;
use crate::laws::{self, Code, Declaration, Order, Ruling, Score, Told};
use crate::time::Mono;
use shakmaty::{Color, Position, uci::UciMove};

/// What people at the table do and say, beside moving pieces and pressing the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A player declares something.
    Declared(Color, Declaration),
    /// Both players sign this score.
    Signed(Score),
    /// A move is announced aloud, in blind play.
    Announced(Color, String),
    /// A move is written for the envelope, or read from it.
    Sealed(Color, String),
    /// The arbiter orders something.
    Ordered {
        /// What.
        order: Order,
        /// Who ordered it.
        author: String,
        /// Why.
        reason: String,
    },
    /// A player stopped both sides of the clock.
    Stopped(Color),
    /// The announced start is reached.
    Scheduled,
    /// What comes next, if it is no order, is put on record by this person.
    Entered {
        /// Who.
        author: String,
        /// Why.
        reason: String,
    },
}

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
        if let Act::Ordered { order: order @ Order::Settle(ply, uci), author, reason } = act {
            let (author, reason) = (author.clone(), reason.clone());
            self.facts.push(Fact::Ordered { order: order.clone(), author, reason });
            if let Err(why) = self.settle(now, usize::from(*ply), uci) {
                let (author, reason) = ("Rokade".to_owned(), String::new());
                let order = Order::Note(format!("\"{order}\" is refused: {why}"));
                self.facts.push(Fact::Ordered { order, author, reason });
                self.refused = Some(format!("{why}{}", self.nearest_to(&why, uci)));
            }
            return;
        }
        let (fact, told) = match act {
            Act::Declared(by, said) => {
                let fact = Fact::Declared { by: *by, said: said.clone() };
                (fact, Told::Declared(*by, said.clone()))
            }
            Act::Signed(score) => (Fact::Signed { score: *score }, Told::Signed(*score)),
            Act::Announced(by, words) => {
                let fact = Fact::Announced { by: *by, words: words.clone() };
                (fact, Told::Announced(*by, words.clone()))
            }
            // What was sealed is in the envelope and nowhere else.
            Act::Sealed(by, text) => (Fact::Sealed { by: *by }, Told::Sealed(*by, text.clone())),
            Act::Ordered { order, author, reason } => {
                let (author, reason) = (author.clone(), reason.clone());
                let fact = Fact::Ordered { order: order.clone(), author, reason };
                (fact, Told::Ordered(order.clone()))
            }
            Act::Stopped(by) => (Fact::Stopped { by: *by }, Told::Stopped(*by)),
            Act::Scheduled => (Fact::Scheduled, Told::Scheduled),
            Act::Entered { author, reason } => {
                let (author, reason) = (author.clone(), reason.clone());
                self.facts.push(Fact::Entered { author, reason });
                return;
            }
        };
        if self.bench.is_some() {
            self.record_latest(now);
            self.facts.push(fact);
            self.tell(now, &told);
        }
    }

    /// The legal move that is written most like `uci`, where that is none.
    fn nearest_to(&self, why: &OrderError, uci: &UciMove) -> String {
        let (Some(play), OrderError::NotLegal { ply }) = (&self.play, why) else {
            return String::new();
        };
        let sheet = play.sheet();
        let legal = sheet.position(ply - 1).legal_moves();
        let legal: Vec<_> = legal.iter().map(|m| m.to_uci(sheet.mode()).to_string()).collect();
        let near = laws::name::nearest(&uci.to_string(), legal.iter().map(String::as_str));
        near.first().map_or_else(String::new, |near| format!("; did you mean {near}?"))
    }

    /// Half-move `ply` was `uci`: the sensors had left that open.
    fn settle(&mut self, now: Mono, ply: usize, uci: &UciMove) -> Result<(), OrderError> {
        let no_game = OrderError::NoSuchPly { ply, n_recorded: 0 };
        let play = self.play.as_mut().ok_or(no_game)?;
        let n_recorded = play.sheet().len();
        if ply == 0 || ply > n_recorded {
            return Err(OrderError::NoSuchPly { ply, n_recorded });
        }
        let m = uci.to_move(play.sheet().position(ply - 1));
        let m = m.map_err(|_| OrderError::NotLegal { ply })?;
        play.settle_order(now, ply, m, &mut self.facts)
    }
}
