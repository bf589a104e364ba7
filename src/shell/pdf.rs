//! Score sheets as PDF, to be printed and signed.
//!
//! Sheets are A4, with two blocks of moves beside each other. The font is DejaVu Sans Condensed,
//! which has the letters of Latin, Greek, Cyrillic, Arabic and Hebrew; of it the file holds the
//! letters that are in use. Others are written as they sound.

use crate::laws::notation::Language;
use crate::relay::label::Label;
use crate::relay::paper::{PaperLine, PaperMove, ScorePaper};
use krilla::Document;
use krilla::color::rgb;
use krilla::geom::{PathBuilder, Point};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, Stroke};
use krilla::surface::Surface;
use krilla::text::{Font, TextDirection};
use ttf_parser::Face;

/// A4, in points of 1/72 inch.
const PAGE: (f32, f32) = (595.28, 841.89);
/// Left free on all sides.
const MARGIN: f32 = 45.0;
/// Where the moves begin, below the names.
const MOVES_TOP: f32 = 176.0;
/// Lines of moves in a block.
const N_LINES: usize = 34;
/// From one line of moves to the next.
const LEADING: f32 = 16.2;
/// Between the two blocks.
const GUTTER: f32 = 18.0;
/// Where result and signatures stand.
const FOOT: f32 = 776.0;
/// Sizes of letters.
const SMALL: f32 = 7.0;
const TEXT: f32 = 9.5;
const NAME: f32 = 13.0;
const TITLE: f32 = 17.0;
/// Letters that take too much room are smaller by this,
const NARROWED: f32 = 0.85;
/// and the second of two lines stands so much lower than one line would.
const BELOW_ONE_LINE: f32 = 2.5;
/// Black, what is less important, and lines; as parts of 255.
const INK: u8 = 0;
const GRAY: u8 = 105;
const RULE: u8 = 190;

/// Why there is no PDF.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// The font that is built in cannot be used.
    #[error("the built-in font cannot be read")]
    Font,
    /// What was drawn cannot be written.
    #[error("the pages cannot be written: {0}")]
    Pages(String),
}

/// One PDF of all these score sheets, each on pages of its own.
///
/// # Errors
/// The pages cannot be written.
pub fn render(papers: &[ScorePaper]) -> Result<Vec<u8>, PdfError> {
    let bytes: &'static [u8] = dejavu::sans_condensed::regular();
    let font = Font::new(bytes.into(), 0).ok_or(PdfError::Font)?;
    let face = Face::parse(bytes, 0).map_err(|_| PdfError::Font)?;
    let mut document = Document::new();
    let language = papers.first().map_or(Language::English, |paper| paper.language);
    let metadata = Metadata::new()
        .title(Label::ScoreSheet.in_language(language).to_owned())
        .language(language.word().to_owned())
        .creator("Rokade".to_owned());
    document.set_metadata(metadata);
    for paper in papers {
        let paper = &printable(paper, &face);
        let lines = lines(paper, &face);
        let pages: Vec<&[PaperLine]> =
            if lines.is_empty() { vec![&[]] } else { lines.chunks(2 * N_LINES).collect() };
        for (idx, lines) in pages.iter().enumerate() {
            let size = PageSettings::from_wh(PAGE.0, PAGE.1);
            let size = size.ok_or_else(|| PdfError::Pages("no such size".to_owned()))?;
            let mut page = document.start_page_with(size);
            let mut leaf = Leaf { surface: page.surface(), font: font.clone(), face: &face };
            leaf.head(paper, (pages.len() > 1).then_some((idx + 1, pages.len())));
            leaf.moves(paper, lines);
            leaf.foot(paper);
            drop(leaf);
            page.finish();
        }
    }
    document.finish().map_err(|error| PdfError::Pages(format!("{error:?}")))
}

/// The score sheet in letters that can be printed.
fn printable(paper: &ScorePaper, face: &Face<'_>) -> ScorePaper {
    let mut paper = paper.clone();
    let named = paper.heads.iter_mut().map(|(_, text)| text);
    let players = [&mut paper.players.white, &mut paper.players.black];
    for text in named.chain(players).chain(&mut paper.notes) {
        *text = in_letters_of(face, text);
    }
    paper
}

/// `text` with what the font has no letter for as it sounds in English letters: whoever files the
/// sheet can tell whose it is, and a row of boxes tells nobody.
fn in_letters_of(face: &Face<'_>, text: &str) -> String {
    let is_missing = |c: char| face.glyph_index(c).is_none();
    if !text.contains(is_missing) {
        return text.to_owned();
    }
    let mut words = String::new();
    for c in text.chars() {
        match deunicode::deunicode_char(c).filter(|_| is_missing(c)) {
            Some(sound) => words.push_str(sound),
            None if is_missing(c) => words.push('?'),
            None => words.push(c),
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The width of a block of moves.
const fn block() -> f32 {
    (PAGE.0 - 2.0 * MARGIN - GUTTER) / 2.0
}

/// The moves, and behind them the notes, in lines that fit into a block.
fn lines(paper: &ScorePaper, face: &Face<'_>) -> Vec<PaperLine> {
    let mut lines = Vec::new();
    let text = |lines: &mut Vec<PaperLine>, said: &str| {
        lines.extend(wrapped(face, said, SMALL, block()).into_iter().map(PaperLine::Between));
    };
    for line in &paper.lines {
        match line {
            PaperLine::Between(said) => text(&mut lines, said),
            PaperLine::Moves { .. } => lines.push(line.clone()),
        }
    }
    if !paper.notes.is_empty() {
        lines.push(PaperLine::Between(String::new()));
    }
    paper.notes.iter().for_each(|note| text(&mut lines, note));
    lines
}

/// How wide `text` is in letters of this size.
fn width(face: &Face<'_>, text: &str, size: f32) -> f32 {
    let advance = |c: char| {
        let glyph = face.glyph_index(c).unwrap_or_default();
        f32::from(face.glyph_hor_advance(glyph).unwrap_or_default())
    };
    text.chars().map(advance).sum::<f32>() / f32::from(face.units_per_em()) * size
}

/// `text` on lines that are not wider than `limit`, cut at blanks, or where it must be.
fn wrapped(face: &Face<'_>, text: &str, size: f32, limit: f32) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("one line at the least");
        let longer = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") };
        if width(face, &longer, size) <= limit || last.is_empty() {
            *last = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.into_iter().map(|line| fitted(face, &line, size, limit)).collect()
}

/// As much of `text` as fits into `limit`.
fn fitted(face: &Face<'_>, text: &str, size: f32, limit: f32) -> String {
    if width(face, text, size) <= limit {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    loop {
        kept.pop();
        let cut: String = kept.iter().collect::<String>() + "…";
        if kept.is_empty() || width(face, &cut, size) <= limit {
            return cut;
        }
    }
}

/// A page that is being drawn.
struct Leaf<'a, 'b> {
    surface: Surface<'a>,
    font: Font,
    face: &'b Face<'b>,
}

impl Leaf<'_, '_> {
    /// Draws text that begins at `x`; `y` is the line that letters stand on.
    fn text(&mut self, x: f32, y: f32, size: f32, gray: u8, text: &str) {
        if text.is_empty() {
            return;
        }
        self.surface.set_stroke(None);
        let paint = rgb::Color::new(gray, gray, gray).into();
        self.surface.set_fill(Some(Fill { paint, opacity: NormalizedF32::ONE, ..Fill::default() }));
        let at = Point::from_xy(x, y);
        self.surface.draw_text(at, self.font.clone(), size, text, false, TextDirection::Auto);
    }

    /// The same, ending at `x`.
    fn text_up_to(&mut self, x: f32, y: f32, size: f32, gray: u8, text: &str) {
        self.text(x - width(self.face, text, size), y, size, gray, text);
    }

    /// The same in the room that there is: in smaller letters if need be, and then on two lines.
    fn text_within(&mut self, x: f32, y: f32, size: f32, room: f32, text: &str) {
        let sizes = [size, size * NARROWED, size * NARROWED * NARROWED];
        let fits = sizes.into_iter().find(|size| width(self.face, text, *size) <= room);
        if let Some(size) = fits {
            return self.text(x, y, size, INK, text);
        }
        let size = size * NARROWED * NARROWED;
        let lines = wrapped(self.face, text, size, room);
        let (first, rest) = lines.split_first().expect("one line at the least");
        let rest = fitted(self.face, &rest.join(" "), size, room);
        let last = y + BELOW_ONE_LINE;
        self.text(x, last - size, size, INK, first);
        self.text(x, last, size, INK, &rest);
    }

    fn line(&mut self, from: (f32, f32), to: (f32, f32), gray: u8, thickness: f32) {
        let mut path = PathBuilder::new();
        path.move_to(from.0, from.1);
        path.line_to(to.0, to.1);
        let Some(path) = path.finish() else { return };
        let paint = rgb::Color::new(gray, gray, gray).into();
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(Stroke { paint, width: thickness, ..Stroke::default() }));
        self.surface.draw_path(&path);
    }

    /// Event, place and names; `of` is the number of the page and how many there are.
    fn head(&mut self, paper: &ScorePaper, of: Option<(usize, usize)>) {
        let said = |label: Label| label.in_language(paper.language);
        let right = PAGE.0 - MARGIN;
        let kind = match of {
            Some((page, n)) => format!("{}  {page}/{n}", said(Label::ScoreSheet)),
            None => said(Label::ScoreSheet).to_owned(),
        };
        self.text_up_to(right, 58.0, SMALL, GRAY, &kind);
        let event = paper.heads.iter().find(|(label, _)| *label == Label::Event);
        let event = event.map_or("", |(_, event)| event);
        let room = right - MARGIN - width(self.face, &kind, SMALL) - GUTTER;
        self.text_within(MARGIN, 60.0, TITLE, room, event);
        self.details(paper);
        self.line((MARGIN, 112.0), (right, 112.0), INK, 0.8);
        let (white, black) = (&paper.players.white, &paper.players.black);
        let sides =
            [(Label::White, white, MARGIN), (Label::Black, black, MARGIN + block() + GUTTER)];
        for (label, name, x) in sides {
            self.text(x, 122.0, SMALL, GRAY, said(label));
            self.text_within(x, 142.0, NAME, block(), name);
            self.line((x, 148.0), (x + block(), 148.0), RULE, 0.5);
        }
    }

    /// What is known of the game beside its event, side by side.
    fn details(&mut self, paper: &ScorePaper) {
        let details: Vec<_> =
            paper.heads.iter().filter(|(label, _)| *label != Label::Event).collect();
        let mut x = MARGIN;
        for (label, value) in details {
            let label = label.in_language(paper.language);
            let room = PAGE.0 - MARGIN - x;
            if room < GUTTER {
                return;
            }
            let value = fitted(self.face, value, TEXT, room);
            self.text(x, 84.0, SMALL, GRAY, label);
            self.text(x, 97.0, TEXT, INK, &value);
            x += width(self.face, &value, TEXT).max(width(self.face, label, SMALL)) + GUTTER;
        }
    }

    /// Two blocks of moves, ruled to their ends.
    fn moves(&mut self, paper: &ScorePaper, lines: &[PaperLine]) {
        for (idx, x) in [MARGIN, MARGIN + block() + GUTTER].into_iter().enumerate() {
            let (white, black) = (x + 24.0, x + 24.0 + (block() - 24.0) / 2.0);
            let top = MOVES_TOP - 4.0;
            let label = Label::White.in_language(paper.language);
            self.text(white, top - 4.0, SMALL, GRAY, label);
            self.text(black, top - 4.0, SMALL, GRAY, Label::Black.in_language(paper.language));
            self.line((x, top), (x + block(), top), INK, 0.6);
            let block_lines = lines.iter().skip(idx * N_LINES).take(N_LINES);
            let mut block_lines = block_lines.fuse();
            let mut y = top;
            for _ in 0..N_LINES {
                y += LEADING;
                self.line((x, y), (x + block(), y), RULE, 0.3);
                match block_lines.next() {
                    Some(PaperLine::Moves { number, of }) => {
                        let number = format!("{number}.");
                        self.text_up_to(x + 19.0, y - 4.5, SMALL + 1.0, GRAY, &number);
                        self.half(white, y - 4.5, of.white.as_ref());
                        self.half(black, y - 4.5, of.black.as_ref());
                    }
                    Some(PaperLine::Between(said)) => self.text(x, y - 4.5, SMALL, GRAY, said),
                    None => {}
                }
            }
        }
    }

    fn half(&mut self, x: f32, y: f32, half: Option<&PaperMove>) {
        let Some(PaperMove { text, clock }) = half else { return };
        let room = (block() - 24.0) / 2.0 - 6.0;
        let room = room - width(self.face, clock, SMALL) - 2.0;
        let text = fitted(self.face, text, TEXT + 0.5, room);
        self.text(x, y, TEXT + 0.5, INK, &text);
        self.text_up_to(x + (block() - 24.0) / 2.0 - 6.0, y, SMALL, GRAY, clock);
    }

    /// The result, and where it is signed.
    fn foot(&mut self, paper: &ScorePaper) {
        let said = |label: Label| label.in_language(paper.language);
        let column = (PAGE.0 - 2.0 * MARGIN - 3.0 * GUTTER) / 4.0;
        self.text(MARGIN, FOOT - 14.0, SMALL, GRAY, said(Label::Result));
        let mut y = FOOT;
        for line in wrapped(self.face, &paper.result, NAME - 1.0, column) {
            self.text(MARGIN, y, NAME - 1.0, INK, &line);
            y += NAME + 1.0;
        }
        let mut x = MARGIN;
        for label in [Label::White, Label::Black, Label::Arbiter] {
            x += column + GUTTER;
            self.line((x, FOOT + 6.0), (x + column, FOOT + 6.0), INK, 0.5);
            self.text(x, FOOT + 15.0, SMALL, GRAY, said(label));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face() -> Face<'static> {
        Face::parse(dejavu::sans_condensed::regular(), 0).unwrap()
    }

    #[test]
    fn lines_are_as_wide_as_they_may_be() {
        let face = face();
        let text = "Ők a győztesek, Þórðardóttir és Đorđević ".repeat(9);
        let lines = wrapped(&face, text.trim_end(), SMALL, block());
        assert!(lines.len() > 3 && lines.iter().all(|it| width(&face, it, SMALL) <= block()));
        assert_eq!(lines.join(" "), text.trim_end());
        let long = "x".repeat(500);
        let cut = fitted(&face, &long, NAME, block());
        assert!(cut.ends_with('…') && width(&face, &cut, NAME) <= block());
    }

    #[test]
    fn what_the_font_has_no_letter_for_is_written_as_it_sounds() {
        let face = face();
        for (name, printed) in [
            ("GM Ærø, Åse (2539)", "GM Ærø, Åse (2539)"),
            ("محمد صلاح", "محمد صلاح"),
            ("כספרוב, גארי", "כספרוב, גארי"),
            ("侯逸凡 (2650)", "Hou Yi Fan (2650)"),
            ("さとう", "satou"),
            ("김", "gim"),
            ("Ann \u{e000}", "Ann ?"),
        ] {
            assert_eq!(in_letters_of(&face, name), printed);
            assert!(!in_letters_of(&face, name).contains(|c| face.glyph_index(c).is_none()));
        }
    }

    #[test]
    fn the_letters_of_all_languages_are_in_the_font() {
        let words = include_str!("../relay/paper.csv");
        let missing = |c: &char| face().glyph_index(*c).is_none();
        let names = "ÆØÅæøåÖÜŐŰäöüßőűłŁčšžđþñçŞğİ Каспаров Γιώργος ≥–…½";
        let letters = words.chars().chain(names.chars()).filter(|c| !c.is_control());
        assert_eq!(letters.filter(missing).collect::<String>(), "");
    }
}
