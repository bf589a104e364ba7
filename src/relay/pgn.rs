//! A game as PGN, with clock comments.

use super::log::hms;
use super::remarks;
use super::words::plain;
use crate::clock::TimeControl;
use crate::game::{Gap, Pairing, Player, ScoreSheet, Scored};
use crate::laws::notation::Language;
use shakmaty::fen::Fen;
use shakmaty::{ByColor, CastlingMode, Chess, EnPassantMode, KnownOutcome, Position};
use std::fmt::Write as _;
use std::ops::Range;

/// Columns of a line of moves, at the most. Source: PGN standard 1994, section 4.3.
const LINE_MAX: usize = 79;

/// What the tags say beside what the moves tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// The event; empty for unknown, as all of these.
    pub event: String,
    /// The place.
    pub site: String,
    /// `YYYY.MM.DD`.
    pub date: String,
    /// The round.
    pub round: String,
    /// White's name, "Last, First".
    pub white: String,
    /// Black's name.
    pub black: String,
    /// The time control.
    pub time_control: Option<TimeControl>,
    /// What a list of pairings tells of the players beside that, if they are from one.
    pub players: Option<Box<ByColor<Player>>>,
}

impl Tags {
    /// The tags of a game of `pairing`. The time control is that of the event, where the game has
    /// none of its own.
    pub fn pair(&mut self, pairing: &Pairing) {
        self.event.clone_from(&pairing.event);
        self.site.clone_from(&pairing.site);
        self.round = pairing.round_tag();
        self.white.clone_from(&pairing.players.white.name);
        self.black.clone_from(&pairing.players.black.name);
        self.players = Some(Box::new(pairing.players.clone()));
        if self.time_control.is_none() {
            self.time_control.clone_from(&pairing.time_control);
        }
    }
}

/// The first `n` half-moves of `sheet` as a PGN game with a final empty line.
///
/// A move that the sensors leave open is followed by a comment such as `{uncertain: or Nxc7}`, and
/// the tag `Uncertain` lists these moves: both are what any reader of PGN skips or shows.
///
/// Where the moves of a stretch are not known, a comment says so, and a second game with `SetUp`
/// and `FEN` has what follows: no reader would take a move that is not legal where it stands. The
/// tag `Part` counts these games; only the last one has the result.
///
/// `%clk` is what the mover's clock showed when he pressed it, `%emt` the time since the press
/// before. `outcome` is `None` for a game without a result.
pub fn render(tags: &Tags, sheet: &ScoreSheet, n: usize, outcome: Option<KnownOutcome>) -> String {
    render_in(Language::English, tags, sheet, n, outcome)
}

/// The same game with its comments in this language. Tags and moves are the same in each: programs
/// read English letters alone, wherever they are used.
pub fn render_in(
    language: Language,
    tags: &Tags,
    sheet: &ScoreSheet,
    n: usize,
    outcome: Option<KnownOutcome>,
) -> String {
    render_parts(|_| tags.clone(), sheet, &parts(sheet, n), outcome, language).concat()
}

/// The games as [`render`] has them, for readers that refuse an illegal move, each by itself: what
/// follows it is in a comment, as ever, and once more in a game of its own, with `SetUp` and `FEN`.
///
/// Such readers take games of the same event, round and players for one, and a start position that
/// has changed for an error: so each further game is of an event of its own, as "Open (part 2)".
pub fn render_apart(
    tags: &Tags,
    sheet: &ScoreSheet,
    n: usize,
    outcome: Option<KnownOutcome>,
) -> Vec<String> {
    let parts: Vec<_> = parts(sheet, n).into_iter().flat_map(|part| apart(sheet, part)).collect();
    let tags_of = |idx: usize| {
        let mut tags = tags.clone();
        if idx > 0 {
            tags.event = format!("{} (part {})", tags.event, idx + 1).trim().to_owned();
        }
        tags
    };
    render_parts(tags_of, sheet, &parts, outcome, Language::English)
}

fn render_parts(
    tags_of: impl Fn(usize) -> Tags,
    sheet: &ScoreSheet,
    parts: &[Passage<'_>],
    outcome: Option<KnownOutcome>,
    language: Language,
) -> Vec<String> {
    let n_parts = parts.len();
    let render = |(idx, part): (usize, &Passage<'_>)| {
        let outcome = outcome.filter(|_| idx + 1 == n_parts);
        let count = (n_parts > 1).then_some((idx + 1, n_parts));
        let mut pgn = String::new();
        let tags = tags_of(idx);
        render_part(&mut pgn, (&tags, language), sheet, part, count, outcome);
        pgn
    };
    parts.iter().enumerate().map(render).collect()
}

/// The tags of a game that has not begun, and no moves.
///
/// ```
/// use rokade::relay::pgn::{Tags, awaited};
/// let tags = Tags { white: "Last, First".to_owned(), ..Tags::default() };
/// let pgn = awaited(&tags);
/// assert!(pgn.contains("[White \"Last, First\"]\n") && pgn.ends_with("\n\n*\n\n"));
/// ```
pub fn awaited(tags: &Tags) -> String {
    render(tags, &ScoreSheet::new(Chess::new(), CastlingMode::Standard), 0, None)
}

/// Half-moves that follow each other.
struct Passage<'a> {
    /// Their places on the sheet, from 0.
    plies: Range<usize>,
    /// The position before them.
    start: &'a Chess,
    /// What nobody knows after it.
    gap: Option<&'a Gap>,
}

fn parts(sheet: &ScoreSheet, n: usize) -> Vec<Passage<'_>> {
    let mut parts = Vec::new();
    let (mut from, mut start) = (0, sheet.start());
    for gap in sheet.gaps().iter().filter(|gap| gap.ply <= n) {
        parts.push(Passage { plies: from..gap.ply, start, gap: Some(gap) });
        if sheet.is_open_end(gap) {
            return parts;
        }
        (from, start) = (gap.ply, sheet.position(gap.ply));
    }
    parts.push(Passage { plies: from..n, start, gap: None });
    parts
}

/// The part, and what follows each illegal move in it.
fn apart<'a>(sheet: &'a ScoreSheet, part: Passage<'a>) -> Vec<Passage<'a>> {
    let Passage { plies: Range { start: mut from, end }, mut start, gap } = part;
    let mut parts = Vec::new();
    while let Some(idx) = (from..end).find(|idx| sheet.moves()[*idx].is_illegal) {
        parts.push(Passage { plies: from..end, start, gap });
        if idx + 1 == end && gap.is_some() {
            return parts;
        }
        (from, start) = (idx + 1, sheet.position(idx + 1));
    }
    parts.push(Passage { plies: from..end, start, gap });
    parts
}

/// What any program can follow of the first `n` half-moves: stretches of legal ones, each with the
/// position that it begins from and the places of its half-moves. Of a game whose beginning was
/// seen, and in which all is known and legal, there is one.
pub(super) fn stretches(sheet: &ScoreSheet, n: usize) -> Vec<(&Chess, Range<usize>)> {
    let parts = parts(sheet, n).into_iter().flat_map(|part| apart(sheet, part));
    let legal = parts.map(|Passage { plies: Range { start, end }, start: from, .. }| {
        let end = (start..end).find(|idx| sheet.moves()[*idx].is_illegal).unwrap_or(end);
        (from, start..end)
    });
    legal.collect()
}

fn render_part(
    pgn: &mut String,
    (tags, language): (&Tags, Language),
    sheet: &ScoreSheet,
    part: &Passage<'_>,
    count: Option<(usize, usize)>,
    outcome: Option<KnownOutcome>,
) {
    let result = outcome.map_or("*", KnownOutcome::as_str);
    for (name, value, unknown) in [
        ("Event", &tags.event, "?"),
        ("Site", &tags.site, "?"),
        ("Date", &tags.date, "????.??.??"),
        ("Round", &tags.round, "?"),
        ("White", &tags.white, "?"),
        ("Black", &tags.black, "?"),
    ] {
        tag(pgn, name, if value.is_empty() { unknown } else { value });
    }
    tag(pgn, "Result", result);
    player_tags(pgn, tags);
    time_tags(pgn, tags, sheet, &part.plies, outcome.is_some());
    if let Some((idx, n)) = count {
        tag(pgn, "Part", &format!("{idx} of {n}"));
    }
    let uncertain = uncertain(sheet, &part.plies);
    if !uncertain.is_empty() {
        tag(pgn, "Uncertain", &uncertain.join(", "));
    }
    if sheet.mode() == CastlingMode::Chess960 {
        tag(pgn, "Variant", "Chess960");
    }
    if *part.start != Chess::new() || sheet.mode() == CastlingMode::Chess960 {
        tag(pgn, "SetUp", "1");
        tag(pgn, "FEN", &Fen::from_position(part.start, EnPassantMode::Legal).to_string());
    }
    pgn.push('\n');
    let mut words = Vec::new();
    if sheet.is_joined() && std::ptr::eq(part.start, sheet.start()) {
        words.extend(comment(&remarks::joined(language)));
    }
    words.extend(movetext(sheet, &part.plies, language));
    if let Some(gap) = part.gap {
        words.extend(comment(&remarks::gap(sheet, gap, language)));
    }
    words.push(result.to_owned());
    wrap(pgn, &words);
}

/// What else is known of the players. `Elo`, `Title` and `FideId` are what broadcasts pair players
/// by, `Team` and `Fed` what they show; there is no standard for the last.
fn player_tags(pgn: &mut String, tags: &Tags) {
    let Some(players) = &tags.players else { return };
    for (color, player) in [("White", &players.white), ("Black", &players.black)] {
        for (name, value) in [
            ("Title", &player.title),
            ("Elo", &player.rating),
            ("FideId", &player.fide_id),
            ("Fed", &player.federation),
            ("Team", &player.team),
        ] {
            if !value.is_empty() {
                tag(pgn, &format!("{color}{name}"), value);
            }
        }
    }
}

/// Words in a comment.
fn comment(text: &str) -> Vec<String> {
    format!("{{{text}}}").split(' ').map(str::to_owned).collect()
}

/// Writes `words` on lines that are not too long, with a final empty one.
fn wrap(pgn: &mut String, words: &[String]) {
    let mut column = 0;
    for word in words {
        if column > 0 && column + 1 + word.len() > LINE_MAX {
            pgn.push('\n');
            column = 0;
        } else if column > 0 {
            pgn.push(' ');
            column += 1;
        }
        pgn.push_str(word);
        column += word.len();
    }
    pgn.push_str("\n\n");
}

/// The time control, of both players or of each (there is no tag for that in the standard; these
/// are in use), and both times at the end of a finished game.
fn time_tags(
    pgn: &mut String,
    tags: &Tags,
    sheet: &ScoreSheet,
    plies: &Range<usize>,
    is_over: bool,
) {
    if let Some(control) = tags.time_control.as_ref().map(TimeControl::to_pgn) {
        if let Some((white, black)) = control.split_once('|') {
            tag(pgn, "WhiteTimeControl", white);
            tag(pgn, "BlackTimeControl", black);
        } else {
            tag(pgn, "TimeControl", &control);
        }
    }
    let completed = sheet.moves()[plies.clone()].iter().filter_map(|scored| scored.completed);
    let last = completed.filter_map(|done| done.times).next_back();
    if let Some(times) = last.filter(|_| is_over) {
        tag(pgn, "WhiteClock", &hms(times.white));
        tag(pgn, "BlackClock", &hms(times.black));
    }
}

/// The moves that the sensors leave open, with their numbers.
fn uncertain(sheet: &ScoreSheet, plies: &Range<usize>) -> Vec<String> {
    let is_open = |(_, scored): &(usize, &Scored)| scored.is_uncertain();
    let numbered = |(idx, scored): (usize, &Scored)| {
        let before = sheet.position(idx);
        let dots = if before.turn().is_white() { "." } else { "..." };
        format!("{}{dots} {}", before.fullmoves(), scored.san)
    };
    let moves = sheet.moves().iter().enumerate().take(plies.end).skip(plies.start);
    moves.filter(is_open).map(numbered).collect()
}

fn movetext(sheet: &ScoreSheet, plies: &Range<usize>, language: Language) -> Vec<String> {
    let mut words = Vec::new();
    let mut wants_number = true;
    let moves = sheet.moves().iter().enumerate().take(plies.end).skip(plies.start);
    for (idx, scored) in moves {
        if scored.is_illegal {
            let n = plies.end.min(sheet.len());
            words.extend(comment(&remarks::illegal(sheet, idx, n, language)));
            break;
        }
        let before = sheet.position(idx);
        let (number, turn) = (before.fullmoves(), before.turn());
        if turn.is_white() {
            words.push(format!("{number}."));
        } else if wants_number {
            words.push(format!("{number}..."));
        }
        words.push(scored.san.to_string());
        let mut comment = Vec::new();
        if let Some(done) = scored.completed {
            if let Some(times) = done.times {
                comment.push(format!("[%clk {}]", hms(*times.get(turn))));
            }
            if let Some(elapsed) = done.elapsed {
                comment.push(format!("[%emt {}]", hms(elapsed)));
            }
        }
        if scored.is_uncertain() {
            let said = remarks::uncertain(sheet, idx, language);
            comment.extend(said.split(' ').map(str::to_owned));
        }
        wants_number = !comment.is_empty();
        // A command stays on one line: not every reader takes a line's end for a space in it.
        if let Some(first) = comment.first_mut() {
            first.insert(0, '{');
        }
        if let Some(last) = comment.last_mut() {
            last.push('}');
        }
        words.extend(comment);
    }
    words
}

/// Writes a tag pair. Quotes and backslashes are escaped; characters that would break the line are
/// shown by their numbers.
fn tag(pgn: &mut String, name: &str, value: &str) {
    let value: String = plain(value)
        .chars()
        .flat_map(|c| match c {
            '"' | '\\' => vec!['\\', c],
            _ => vec![c],
        })
        .collect();
    writeln!(pgn, "[{name} \"{value}\"]").expect("writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Mono;
    use crate::track::line::CompletedBy;

    #[test]
    fn an_uncertain_move_says_what_else_it_may_have_been() {
        let fen: Fen = "6k1/2p1p3/8/3N4/8/8/8/6K1 w - - 0 31".parse().unwrap();
        let start: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let mut sheet = ScoreSheet::new(start, CastlingMode::Standard);
        for (ply, (uci, others)) in [("d5c7", vec!["d5e7"]), ("g8h8", vec![])].iter().enumerate() {
            let m = uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(sheet.last()).unwrap();
            sheet.push(m, others.iter().map(|uci| uci.parse().unwrap()).collect());
            let at = Mono::from_millis(5_000 * (ply as u64 + 1));
            sheet.complete(ply + 1, at, CompletedBy::Press, None);
        }
        let pgn = render(&Tags::default(), &sheet, 2, None);
        assert!(pgn.contains("[Uncertain \"31. Nxc7\"]\n"), "{pgn}");
        let moves = "\n\n31. Nxc7 {uncertain: or Nxe7+} 31... Kh8 {[%emt 0:00:05]} *\n\n";
        assert!(pgn.ends_with(moves), "{pgn}");
        // What is not shown yet is not named either.
        assert!(!render(&Tags::default(), &sheet, 0, None).contains("Uncertain"));
    }

    #[test]
    fn comments_are_in_the_language_that_is_asked_for_and_moves_never() {
        let fen: Fen = "6k1/2p1p3/8/3N4/8/8/8/6K1 w - - 0 31".parse().unwrap();
        let start: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let mut sheet = ScoreSheet::joined(start, CastlingMode::Standard);
        let m = "d5c7".parse::<shakmaty::uci::UciMove>().unwrap().to_move(sheet.last()).unwrap();
        sheet.push(m, vec!["d5e7".parse().unwrap()]);
        let illegal = sheet.illegal_move(&"g8g6".parse().unwrap()).unwrap();
        sheet.push_illegal(illegal);
        let m = "c7e6".parse::<shakmaty::uci::UciMove>().unwrap().to_move(sheet.last()).unwrap();
        sheet.push(m, vec![]);
        let text = render_in(Language::Danish, &Tags::default(), &sheet, 3, None);
        let (tags, moves) = text.split_once("\n\n").unwrap();
        assert!(tags.contains("[Uncertain \"31. Nxc7\"]"), "{tags}");
        assert_eq!(
            moves.replace('\n', " ").trim_end(),
            "{begyndelsen blev ikke set} 31. Nxc7 {usikkert: eller Sxe7+} {ulovligt, og besvaret: \
             31... Kg8-g6; fra 8/2N1p3/6k1/8/8/8/8/6K1 w - - 1 32: 32. Se6} *"
        );
    }

    #[test]
    fn behind_an_illegal_move_strict_readers_have_another_game() {
        let mut sheet = ScoreSheet::new(Chess::new(), CastlingMode::Standard);
        let legal = |sheet: &mut ScoreSheet, uci: &str| {
            let m = uci.parse::<shakmaty::uci::UciMove>().unwrap().to_move(sheet.last()).unwrap();
            sheet.push(m, vec![]);
        };
        legal(&mut sheet, "e2e4");
        legal(&mut sheet, "e7e5");
        let illegal = sheet.illegal_move(&"f1b6".parse().unwrap()).unwrap();
        sheet.push_illegal(illegal);
        legal(&mut sheet, "a7b6");
        let whole = render(&Tags::default(), &sheet, 4, None);
        assert_eq!(whole.matches("[Result").count(), 1);
        let tags = Tags { event: "Open".to_owned(), ..Tags::default() };
        let apart = render_apart(&tags, &sheet, 4, None);
        let [first, second] = apart.as_slice() else { panic!("{apart:?}") };
        assert!(first.starts_with("[Event \"Open\"]\n"), "{first}");
        assert!(second.starts_with("[Event \"Open (part 2)\"]\n"), "{second}");
        assert!(first.contains("1. e4 e5 {illegal and answered: 2. Bf1b6"), "{first}");
        assert!(first.contains("2... axb6} *") && first.contains("[Part \"1 of 2\"]"), "{first}");
        let fen = "[FEN \"rnbqkbnr/pppp1ppp/1B6/4p3/4P3/8/PPPP1PPP/RNBQK1NR b KQkq - 1 2\"]";
        assert!(second.contains(fen) && second.ends_with("\n\n2... axb6 *\n\n"), "{second}");
        assert_eq!(
            render_apart(&Tags::default(), &sheet, 2, None),
            [render(&Tags::default(), &sheet, 2, None)]
        );
    }
}
