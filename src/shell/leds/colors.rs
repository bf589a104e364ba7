//! What lights show, as colors of squares.

use crate::game::{LightCause, Lit};
use crate::relay::livechess::Live;
use crate::table::defaults;
use crate::wire::ws2812::Rgb;
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Color, Position as _, Square};

/// The last move, below a board.
const LAST_MOVE: Rgb = Rgb([0, 120, 40]);
/// A square that is not yet as the game begins.
const SET_UP: Rgb = Rgb([0, 60, 160]);
/// A square on which the board contradicts the record.
const CONTRADICTED: Rgb = Rgb([180, 0, 0]);
/// A piece of White's on a wall, and one that has moved last.
const WHITE: [Rgb; 2] = [Rgb([60, 50, 35]), Rgb([200, 170, 120])];
/// A piece of Black's.
const BLACK: [Rgb; 2] = [Rgb([0, 15, 70]), Rgb([0, 50, 230])];
/// The square that the last move has left.
const LEFT: Rgb = Rgb([0, 60, 20]);

defaults! {
    /// What is shown.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LightPicture {
        /// The color of each square, where lights have some.
        pub colors: [Rgb; 64] = [Rgb::default(); 64],
        /// The squares that are lit where they have none.
        pub lit: Bitboard,
        /// Those blink then.
        pub blinks: bool,
    }
}

/// What is lit below a board.
pub fn of_lit(lit: &Lit) -> LightPicture {
    let color = match lit.cause {
        LightCause::LastMove => LAST_MOVE,
        LightCause::SetUp => SET_UP,
        LightCause::Contradicted => CONTRADICTED,
    };
    let mut picture = LightPicture {
        lit: lit.squares,
        blinks: lit.cause == LightCause::Contradicted,
        ..LightPicture::default()
    };
    for sq in lit.squares {
        picture.colors[usize::from(sq)] = color;
    }
    picture
}

/// The game as far as the public may see it: whose piece stands where, and the last move. Lights
/// without colors show the last move alone.
pub fn of_game(live: &Live) -> LightPicture {
    let mut picture = LightPicture::default();
    let Some(sheet) = &live.sheet else { return picture };
    let n = live.n_told.min(sheet.moves().len());
    let last = n.checked_sub(1).map(|idx| sheet.moves()[idx].uci);
    if let Some(UciMove::Normal { from, to, .. }) = last {
        picture.lit = Bitboard::from(from) | to;
    }
    let position = sheet.position(n);
    let is_last = |sq: Square| usize::from(picture.lit.contains(sq));
    let mut colors = picture.colors;
    for sq in picture.lit {
        colors[usize::from(sq)] = LEFT;
    }
    for (sq, piece) in position.board().clone() {
        let by = if piece.color == Color::White { WHITE } else { BLACK };
        colors[usize::from(sq)] = by[is_last(sq)];
    }
    picture.colors = colors;
    picture
}
