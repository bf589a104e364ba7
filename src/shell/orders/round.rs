//! The next round: who plays at each board is read from the list of pairings, and put on each
//! board's record.

use super::door::ask;
use super::{Answer, AnswerClass, Asked, BoardRequest, Request};
use crate::game::{Paired, Pairing};
use crate::shell::pairings::{Pairings, Roster};
use crate::shell::status::Status;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tracing::{info, warn};

/// Why a round is not paired, and which kind of reason that is.
type NoRound = (AnswerClass, String);

/// What is known of the rounds of an event.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    /// The list of pairings; `None` if none is set.
    pub roster: Option<Roster>,
    /// How each board stands, in the order of the settings.
    pub boards: Vec<watch::Receiver<Status>>,
}

impl Rounds {
    /// The number of the round that is meant.
    fn number(&self, wanted: &str, list: &Pairings) -> Result<u16, NoRound> {
        if wanted != "next" {
            let number = wanted.parse().ok().filter(|number| *number > 0);
            let unclear =
                || (AnswerClass::Unclear, format!("{wanted:?} is not a round; write 3, or next"));
            return number.ok_or_else(unclear);
        }
        let now = self.boards.iter().filter_map(|status| status.borrow().round).max();
        let is_on = |status: &watch::Receiver<Status>| {
            let status = status.borrow();
            status.round == now && status.has_begun
        };
        if let Some(now) = now.filter(|_| !self.boards.iter().any(is_on)) {
            let why = format!(
                "round {now} is paired, and no game of it has a move or a result yet; to skip it \
                 write {}",
                now.saturating_add(1)
            );
            return Err((AnswerClass::Refused, why));
        }
        let next = now.map_or_else(|| list.first_open(), |now| now.checked_add(1));
        next.ok_or_else(|| (AnswerClass::Refused, "there is no next round".to_owned()))
    }

    /// Who plays at each board in the round that is meant, as the list says now.
    async fn pair(&self, wanted: &str) -> Result<(Vec<Pairing>, Option<String>), NoRound> {
        let none = "no list of pairings is set; name one with pairings = \"FILE\" in [event], and \
                    restart";
        let roster = self.roster.as_ref().ok_or((AnswerClass::Refused, none.to_owned()))?;
        let list = roster.read().await.map_err(|why| (AnswerClass::Unread, why))?;
        let number = self.number(wanted, &list)?;
        let note = list.is_latin.then(|| {
            let path = roster.path().display();
            format!("{path}: not UTF-8, was read as Latin-1; check the names")
        });
        let class = if list.has(number) { AnswerClass::Unread } else { AnswerClass::Refused };
        Ok((roster.pair(&list, number).map_err(|why| (class, why))?, note))
    }
}

/// Puts the round that `wanted` names on the record of each of `boards`, which are those at
/// `first` and after it in the settings.
pub(super) async fn pair(
    rounds: &Rounds,
    request: &Request,
    boards: &[(String, mpsc::Sender<Asked>)],
    first: usize,
    author: &str,
) -> Answer {
    let wanted = request.round.as_deref().unwrap_or_default().trim();
    let (pairings, note) = match rounds.pair(wanted).await {
        Ok(paired) => paired,
        Err((class, why)) => {
            warn!(why, "THE PAIRINGS ARE NOT USED; the boards go on with what they had");
            return Answer::without_effect(class, why);
        }
    };
    let mut asked = JoinSet::new();
    for (idx, ((name, board), pairing)) in boards.iter().zip(&pairings[first..]).enumerate() {
        let reason = request.reason.trim().to_owned();
        let paired = Paired {
            pairing: pairing.clone(),
            is_current: request.now,
            is_anew: request.anew,
            author: author.to_owned(),
            reason,
        };
        let text = format!("round {pairing} {} {}", request.now, request.anew);
        let what = BoardRequest::Paired(Box::new(paired));
        let (author, reason) = (author.to_owned(), String::new());
        let asks = move |reply| Asked { what, text, state: None, author, reason, reply };
        let (name, board, known) = (name.clone(), board.clone(), pairing.to_string());
        asked.spawn(async move { (idx, name, known, ask(&board, asks).await) });
    }
    let mut answers = asked.join_all().await;
    answers.sort_by_key(|(idx, ..)| *idx);
    let answer = together(answers.into_iter().map(|(_, name, known, it)| (name, known, it)), note);
    for line in &answer.lines {
        info!("{line}");
    }
    answer
}

/// What all boards say as one answer, which is as good as the worst of them.
fn together(
    answers: impl Iterator<Item = (String, String, Answer)>,
    note: Option<String>,
) -> Answer {
    let mut all = Answer::of(AnswerClass::Done);
    let mut why = Vec::new();
    for (name, known, Answer { class, why: not, lines, .. }) in answers {
        if lines.is_empty() && not.is_none() {
            all.lines.push(format!("{name}  as before  {known}"));
        }
        all.lines.extend(lines.into_iter().map(|line| format!("{name}  {line}")));
        if class != AnswerClass::Done {
            all.class = class;
        }
        why.extend(not.map(|not| format!("{name}: {not}")));
    }
    all.lines.extend(note);
    all.why = (!why.is_empty()).then(|| why.join("; "));
    all
}
