//! What is sent to a broadcast of Lichess, and what the answers of servers mean.
//!
//! Source: the API of Lichess, `POST /api/broadcast/round/{id}/push`, and what its server makes of
//! it (lila, `RelayPush.scala`): games are told apart by event, round and names; of each it says
//! how many moves it took, or why it took none.

use super::words::plain;
use serde_json::Value;
use std::time::Duration;

/// The most games in one request.
const GAMES_MAX: usize = 64;
/// How long to wait for a server that asks for patience and does not say how long.
const PATIENCE: Duration = Duration::from_secs(60);
/// Nobody is given longer than this.
const PATIENCE_MAX: Duration = Duration::from_secs(3_600);
/// The first wait after a failure; each further one is twice as long.
const WAIT_FIRST: Duration = Duration::from_secs(1);
/// The longest wait after a failure.
const WAIT_LAST: Duration = Duration::from_secs(60);
/// So much of what a server says is shown, in characters.
const SHOWN_MAX: usize = 160;

/// The parts in which games are sent.
pub fn parts<T>(games: &[T]) -> impl Iterator<Item = &[T]> {
    games.chunks(GAMES_MAX)
}

/// What a server made of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Upshot {
    /// It has taken it. Of each game, in the order in which they were sent, how many moves it took,
    /// or why it took none; nothing is told by servers that only keep files.
    Done(Vec<Result<u64, String>>),
    /// It says so, and what it shows is not what it was sent: it may keep it elsewhere, or say yes
    /// to anything, as the pages of hotels do.
    Doubtful(String),
    /// It will not take it until somebody does something.
    Refused(String),
    /// It is to be asked again after so long.
    Busy(Duration),
    /// It may take it the next time.
    Failed(String),
}

/// What a server answered.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// The status, such as 200.
    pub status: u16,
    /// The header `Retry-After`.
    pub retry_after: Option<String>,
    /// The header `Location`.
    pub location: Option<String>,
    /// The body, or its beginning.
    pub body: String,
}

impl Response {
    /// What a server made of a file that was put there.
    pub fn to_put(&self) -> Upshot {
        match self.status {
            200..=299 => Upshot::Done(Vec::new()),
            401 | 403 => self.refused("user or password is wrong"),
            404 | 409 => self.refused("the folder does not exist; create it on the server"),
            405 => self.refused("it accepts no files there; ask its host whether PUT is allowed"),
            _ => self.other(),
        }
    }

    /// What a server made of a file that was put there, by what it shows in its place.
    pub fn to_look(&self, file: &str, said: &Response) -> Upshot {
        match self.status {
            // It shows it to nobody, or not to us.
            401 | 403 | 405 => Upshot::Done(Vec::new()),
            200 if self.body == file => Upshot::Done(Vec::new()),
            _ => Upshot::Doubtful(
                said.with_body("it says that it has the file, but does not show it"),
            ),
        }
    }

    /// What a server made of a file that it was to store by FTP (RFC 959, 4.2).
    pub fn to_store(&self) -> Upshot {
        match self.status {
            200..=299 => Upshot::Done(Vec::new()),
            331 | 332 | 430 | 530 | 532 => self.refused("user or password is wrong"),
            550 | 553 => {
                self.refused("the folder does not exist or is read-only; create it on the server")
            }
            500..=599 => self.refused("it refuses this"),
            _ => Upshot::Failed(self.with_body("it is in trouble")),
        }
    }

    /// What Lichess made of `n` games.
    pub fn to_push(&self, n: usize) -> Upshot {
        match self.status {
            200..=299 => self.taken(n),
            401 => self.refused(
                "the token is not valid; make one with the scope study:write, in the preferences \
                 of the account under \"API access tokens\", and write it to token_file",
            ),
            403 => self.refused(
                "the token may not change this round; its account must be one that manages the \
                 broadcast, and it needs the scope study:write",
            ),
            404 => self.refused(
                "there is no such round; its id is the last eight characters of its address",
            ),
            _ => self.other(),
        }
    }

    /// What the answer to a push says of each game.
    fn taken(&self, n: usize) -> Upshot {
        let answer: Value = serde_json::from_str(&self.body).unwrap_or_default();
        let Some(games) = answer["games"].as_array() else {
            return Upshot::Failed(self.with_body("this is not the answer of a broadcast server"));
        };
        let of = |game: &Value| match (&game["moves"], &game["error"]) {
            (_, Value::String(why)) => Err(shown(why)),
            (Value::Number(moves), _) => Ok(moves.as_u64().unwrap_or(0)),
            _ => Err("the server does not say whether it took the games".to_owned()),
        };
        let mut all: Vec<_> = games.iter().map(of).collect();
        // What is wrong with the round as a whole is told once, and of no game.
        let is_of_none = n > 1 && games.len() == 1 && games[0]["tags"] == serde_json::json!({});
        match all.as_slice() {
            [Err(why)] if is_of_none => Upshot::Refused(why.clone()),
            _ => {
                all.resize(n, Err("the server does not mention it".to_owned()));
                Upshot::Done(all)
            }
        }
    }

    /// What no server means otherwise than others.
    fn other(&self) -> Upshot {
        match self.status {
            408 | 425 => Upshot::Failed(self.with_body("it is not ready")),
            429 => Upshot::Busy(self.patience()),
            300..=399 => {
                let to = self.location.as_deref().map_or_else(String::new, shown);
                Upshot::Refused(format!("it has moved ({}) to {to:?}; set that", self.status))
            }
            400..=499 => self.refused("it refuses this"),
            _ => Upshot::Failed(self.with_body("it is in trouble")),
        }
    }

    /// How long it asks to be left alone. A date instead of seconds counts as nothing said.
    fn patience(&self) -> Duration {
        let said = self.retry_after.as_deref().and_then(|text| text.trim().parse().ok());
        said.map_or(PATIENCE, Duration::from_secs).min(PATIENCE_MAX)
    }

    fn refused(&self, why: &str) -> Upshot {
        Upshot::Refused(self.with_body(why))
    }

    /// The sentence, with the status and what the server said.
    fn with_body(&self, why: &str) -> String {
        let said = shown(self.body.trim());
        let said = if said.is_empty() { said } else { format!(": {said}") };
        format!("{why} ({}{said})", self.status)
    }
}

/// As much of it as fits on a line, with nothing in it that steers a terminal.
fn shown(text: &str) -> String {
    let mut text: String = text.chars().take(SHOWN_MAX).collect();
    if let Some(line) = text.lines().next() {
        text = line.to_owned();
    }
    plain(&text).into_owned()
}

/// How long to wait after so many failures in a row, from 1. `chance` is any number: halls that
/// lost the same server at the same time do not come back at the same time.
pub fn wait(n_failures: u32, chance: u64) -> Duration {
    let doublings = n_failures.saturating_sub(1).min(10);
    let whole = WAIT_FIRST.saturating_mul(1 << doublings).min(WAIT_LAST);
    let quarter = u64::try_from(whole.as_millis() / 4).unwrap_or(0);
    whole - Duration::from_millis(chance % (quarter + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> Response {
        Response { status, body: body.to_owned(), ..Response::default() }
    }

    #[test]
    fn of_each_game_it_is_told_what_became_of_it() {
        let body = r#"{"games":[{"tags":{"White":"A"},"moves":4},
            {"tags":{"White":"B"},"error":"Cannot play Nxe5\nat move 3"}]}"#;
        let Upshot::Done(games) = answer(200, body).to_push(3) else { panic!() };
        let silent = Err("the server does not mention it".to_owned());
        assert_eq!(games, [Ok(4), Err("Cannot play Nxe5".to_owned()), silent]);
        let whole = r#"{"games":[{"tags":{},"error":"The relay has an upstream URL"}]}"#;
        let why = "The relay has an upstream URL".to_owned();
        assert_eq!(answer(200, whole).to_push(2), Upshot::Refused(why.clone()));
        assert_eq!(answer(200, whole).to_push(1), Upshot::Done(vec![Err(why)]));
        assert_eq!(answer(201, "").to_put(), Upshot::Done(Vec::new()));
    }

    #[test]
    fn nonsense_and_trouble_are_tried_again_and_refusals_told() {
        for (status, body) in [(200, "<html>"), (200, "{}"), (500, ""), (502, "\u{1b}[2J"), (0, "")]
        {
            let Upshot::Failed(why) = answer(status, body).to_push(1) else { panic!("{status}") };
            assert!(why.contains(&status.to_string()) && !why.contains('\u{1b}'), "{why}");
        }
        for (status, word) in [(401, "token"), (403, "study:write"), (404, "round"), (413, "this")]
        {
            let Upshot::Refused(why) = answer(status, "x").to_push(1) else { panic!("{status}") };
            assert!(why.contains(word) && why.contains(&format!("({status}: x)")), "{why}");
        }
        let moved = Response { location: Some("https://b.example/".into()), ..answer(301, "") };
        assert!(
            matches!(moved.to_put(), Upshot::Refused(why) if why.contains("https://b.example"))
        );
        assert!(matches!(answer(405, "").to_put(), Upshot::Refused(_)));
    }

    #[test]
    fn a_server_that_asks_for_patience_has_it_within_limits() {
        let busy = |after: Option<&str>| {
            let retry_after = after.map(str::to_owned);
            Response { retry_after, ..answer(429, "Too many") }.to_push(1)
        };
        let seconds = |n| Upshot::Busy(Duration::from_secs(n));
        assert_eq!(busy(Some("7")), seconds(7));
        assert_eq!(busy(None), seconds(60));
        assert_eq!(busy(Some("Wed, 21 Oct 2026 07:28:00 GMT")), seconds(60));
        assert_eq!(busy(Some("99999999")), seconds(3_600));
    }

    #[test]
    fn waits_grow_up_to_a_minute_and_differ() {
        let waits: Vec<u128> = (1..=12).map(|n| wait(n, 0).as_millis()).collect();
        assert_eq!(waits[..4], [1_000, 2_000, 4_000, 8_000]);
        assert_eq!(waits[11], 60_000);
        assert_eq!(wait(7, 15_000).as_millis(), 45_000);
        assert!((0..100_000).all(|chance| wait(1, chance).as_millis() >= 750));
        assert!(wait(0, 3) <= wait(1, 0));
    }

    #[test]
    fn no_more_than_64_games_go_in_one_request() {
        let of = |n: usize| parts(&vec![0; n]).map(<[i32]>::len).collect::<Vec<_>>();
        assert_eq!((of(64), of(65), of(0)), (vec![64], vec![64, 1], vec![]));
    }
}
