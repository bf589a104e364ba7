//! Lights for squares: bytes against pulses, the order of squares, and through the real program
//! what is lit below a board and on a wall.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use rokade::game::{LightCause, Lit};
use rokade::shell::leds::of_lit;
use rokade::shell::leds::simulated::{LightsSeen, SimulatedLights};
use rokade::shell::matrix::socket::BusSocket;
use rokade::shell::pty::Speed;
use rokade::sim::hands::Span;
use rokade::sim::script::Happening;
use rokade::sim::{DisplaySim, LightChainSim};
use rokade::table::Reading;
use rokade::time::Mono;
use rokade::wire::ht16k33::LightMatrix;
use rokade::wire::led_order::{LedLines, LedOrder};
use rokade::wire::ws2812::{self, ChainColors, KHZ, N_BYTES, Rgb};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Chess, Color, Piece, Position as _, Role, Square};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::daemon::game;
use crate::program::{LIMIT, Place, moves_of, plug};
use crate::wire::describe::hex;

const DARK: ChainColors = [Rgb([0; 3]); 64];

#[test]
fn a_chain_reads_what_was_meant_from_the_pulses() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut chain = LightChainSim::default();
    for _ in 0..20 {
        let lights = [(); 64].map(|()| Rgb([rng.u8(..), rng.u8(..), rng.u8(..)]));
        let bytes = ws2812::encode(&lights);
        assert_eq!(bytes.len(), N_BYTES);
        // A divider of the bus is even: a little faster or slower than asked for.
        for khz in [KHZ, KHZ - 75, KHZ + 100] {
            chain.take(khz, &bytes);
            assert_eq!((chain.lights(), chain.n_wrong()), (&lights, 0), "{khz} kHz");
        }
    }
    // A processor that follows its load runs the bus at another speed: the model is no rubber.
    chain.take(KHZ * 2, &ws2812::encode(&DARK));
    assert!(chain.n_wrong() > 0);
}

#[test]
fn pulses_are_as_they_are_written_down() {
    let mut lights = DARK;
    lights[0] = Rgb([0x0f, 0xff, 0x01]);
    let bytes = ws2812::encode(&lights);
    // Green, red, blue; 8 is a short pulse and C a long one.
    let first = "CC CC CC CC 88 88 CC CC 88 88 88 8C";
    assert_eq!(hex(&bytes[120..132]), first);
    assert_eq!(hex(&bytes[132..144]), ["88"; 12].join(" "));
    assert!(bytes[..120].iter().chain(&bytes[888..]).all(|byte| *byte == 0));
}

#[test]
fn no_picture_takes_more_current_than_is_allowed() {
    let mut rng = fastrand::Rng::with_seed(5);
    let white = [Rgb([255; 3]); 64];
    assert_eq!(ws2812::current_ma(&white), 3_904);
    assert_eq!(ws2812::current_ma(&DARK), 64);
    for limit in [100, 250, 500, 1_000, 3_903] {
        for _ in 0..50 {
            let lights = [(); 64].map(|()| Rgb([rng.u8(..), rng.u8(..), rng.u8(..)]));
            for lights in [lights, white] {
                let within = ws2812::within(&lights, limit);
                assert!(ws2812::current_ma(&within) <= limit, "{limit} mA");
                let is_darker = |(a, b): (&Rgb, &Rgb)| a.0.iter().zip(b.0).all(|(a, b)| *a <= b);
                assert!(within.iter().zip(&lights).all(is_darker));
            }
        }
        // And no less than could be.
        let all = ws2812::current_ma(&ws2812::within(&white, limit));
        assert!(limit - all < 16, "{all} of {limit} mA");
    }
    let mut two = DARK;
    (two[0], two[9]) = (Rgb([0, 200, 0]), Rgb([200, 200, 200]));
    assert_eq!(ws2812::within(&two, 500), two);
}

#[test]
fn a_chain_follows_the_board_as_it_is_laid() {
    let way = |first, lines, is_serpentine| LedOrder { first, lines, is_serpentine }.squares();
    use LedLines::{Files, Ranks};
    use Square::{A1, A2, A8, B1, B8, G8, H1, H2, H7, H8};
    for (first, lines, is_serpentine, seen) in [
        // The first two, then the first two of the second line.
        (A1, Ranks, true, [A1, B1, H2, Square::G2]),
        (A1, Ranks, false, [A1, B1, A2, Square::B2]),
        (A1, Files, true, [A1, A2, B8, Square::B7]),
        (A1, Files, false, [A1, A2, B1, Square::B2]),
        (H1, Ranks, true, [H1, Square::G1, A2, Square::B2]),
        (A8, Ranks, false, [A8, B8, Square::A7, Square::B7]),
        (H8, Files, true, [H8, H7, Square::G1, Square::G2]),
        (H8, Ranks, false, [H8, G8, H7, Square::G7]),
    ] {
        let squares = way(first, lines, is_serpentine);
        assert_eq!([0, 1, 8, 9].map(|light| squares[light]), seen, "{first} {lines:?}");
        assert_eq!(squares.into_iter().collect::<Bitboard>(), Bitboard::FULL);
        // A chain that turns at the end of each line goes from square to square.
        let jumps = squares.windows(2).filter(|pair| pair[0].distance(pair[1]) > 1).count();
        assert_eq!(jumps, if is_serpentine { 0 } else { 7 });
    }
}

#[test]
fn a_matrix_shows_each_light_and_keeps_within_its_current() {
    let mut chip = DisplaySim::default();
    for light in 0..64 {
        let (setup, memory) = LightMatrix { lit: 1 << light, blinks: light % 2 == 1 }.frames();
        for frame in LightMatrix::start(500).map(|byte| [byte]) {
            chip.write(&frame);
        }
        chip.write(&memory);
        chip.write(&setup);
        assert_eq!((chip.lights(), chip.blinks()), (1 << light, light % 2 == 1));
    }
    assert_eq!(chip.brightness(), 15);
    for (limit, step) in [(200, 15), (199, 14), (100, 7), (13, 0), (0, 0)] {
        assert_eq!(LightMatrix::start(limit), [0x21, 0xe0 | step], "{limit} mA");
    }
    let (setup, memory) = LightMatrix { lit: 1 << 9 | 1, blinks: true }.frames();
    assert_eq!((hex(&setup), hex(&memory[..6])), ("83".into(), "00 01 00 02 00 00".into()));
}

/// Lights at a socket, as they were seen last.
pub(crate) async fn lights(path: &Path) -> watch::Receiver<LightsSeen> {
    let (lights, seen) = BusSocket::open(path, SimulatedLights::at(0x72)).unwrap();
    tokio::spawn(lights.run());
    seen
}

/// The squares of a chain laid as usual, in its order.
fn usual_order() -> [Square; 64] {
    LedOrder { first: Square::A1, lines: LedLines::Ranks, is_serpentine: true }.squares()
}

/// The colors of such a chain, by squares.
pub(crate) fn on_squares(seen: &LightsSeen) -> ChainColors {
    let order = usual_order();
    std::array::from_fn(|sq| {
        seen.chain[order.iter().position(|it| usize::from(*it) == sq).unwrap()]
    })
}

/// Waits until exactly these lights of a chain laid as usual are lit.
async fn shows(seen: &mut watch::Receiver<LightsSeen>, squares: &[Square]) -> ChainColors {
    let order = usual_order();
    let expected: Bitboard = squares.iter().copied().collect();
    let lit = |seen: &LightsSeen| -> Bitboard {
        let on = order.iter().zip(&seen.chain).filter(|(_, light)| **light != Rgb::default());
        on.map(|(sq, _)| *sq).collect()
    };
    let last = seen.clone();
    let found = timeout(LIMIT, seen.wait_for(|seen| lit(seen) == expected)).await;
    let Ok(found) = found else { panic!("lit: {:?}", lit(&last.borrow())) };
    let found = found.unwrap();
    on_squares(&found)
}

/// These squares read so, one after the other.
fn readings(squares: &[(Square, Reading)]) -> Vec<(Mono, Happening)> {
    let one = |(n, &(sq, reading)): (u64, &(Square, Reading))| {
        (Mono::from_millis(100 * n), Happening::Sensed { sq, reading, is_lost: false })
    };
    (1..).zip(squares).map(one).collect()
}

fn squares_of(uci: &str) -> [Square; 2] {
    [uci[..2].parse().unwrap(), uci[2..4].parse().unwrap()]
}

/// Before the game what is yet to be set up, then the last move, then where a piece is gone.
#[tokio::test]
async fn what_helps_players_is_lit_below_the_board() {
    let place = Place::new();
    let mut seen = lights(&place.path("leds.sock")).await;
    place.add(&format!(
        "lights = \"help\"\n[board.leds]\nchips = \"ws2812\"\nbus = {:?}\n",
        place.path("leds.sock")
    ));
    let (intended, played) = game(4, Span::new(300, 500), 5);
    // Two pieces are in somebody's hands when the program comes.
    let mut script = played.script.clone();
    let start = "rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR w KQkq - 0 1";
    script.header.start = Some(start.parse().unwrap());
    let mut board = plug(&script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    let colors = shows(&mut seen, &[Square::A7, Square::H2]).await;
    let [_, green, blue] = colors[usize::from(Square::A7)].0;
    assert!(blue > green, "{colors:?}");
    let pawn = |color: Color| Reading::Piece(Role::Pawn.of(color));
    let on = readings(&[(Square::H2, pawn(Color::White)), (Square::A7, pawn(Color::Black))]);
    board.play(on, Speed::REAL).await.unwrap();
    shows(&mut seen, &[]).await;
    let (queen, knight) = (Role::Queen.of(Color::White), Role::Knight.of(Color::Black));
    let put = |piece: Option<Piece>| piece.map_or(Reading::Empty, Reading::Piece);
    let off = readings(&[(Square::D1, put(None)), (Square::G8, put(None))]);
    // The array that was seen is a game that may begin. It has not.
    board.play(off, Speed::REAL).await.unwrap();
    let colors = shows(&mut seen, &[Square::D1, Square::G8]).await;
    let [_, green, blue] = colors[usize::from(Square::D1)].0;
    assert!(blue > green, "{colors:?}");
    let on = readings(&[(Square::G8, put(Some(knight))), (Square::D1, put(Some(queen)))]);
    board.play(on, Speed::REAL).await.unwrap();
    shows(&mut seen, &[]).await;
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended).await;
    let colors = shows(&mut seen, &squares_of(intended.last().unwrap())).await;
    assert!(colors.iter().all(|Rgb([red, ..])| *red == 0), "{colors:?}");
    board.play(readings(&[(Square::A1, put(None))]), Speed::REAL).await.unwrap();
    let colors = shows(&mut seen, &[Square::A1]).await;
    assert!(colors[usize::from(Square::A1)].0[0] > 100, "{colors:?}");
    assert_eq!(daemon.stop().await.0, Some(0));
    shows(&mut seen, &[]).await;
}

/// The public is behind the board: so is a wall, until the game is over.
#[tokio::test]
async fn a_wall_shows_what_the_public_may_see() {
    let place = Place::new();
    let socket = place.path("wall.sock");
    place
        .add(&format!("delay = \"3 moves\"\n[board.wall]\nchips = \"ws2812\"\nbus = {socket:?}\n"));
    let (intended, played) = game(10, Span::new(300, 500), 5);
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended[..4]).await;
    assert!(daemon.said().contains("there are no simulated lights; start"), "{}", daemon.said());
    let mut seen = lights(&socket).await;
    let behind = |n: usize| {
        let mut pos = Chess::new();
        for uci in &intended[..n] {
            let m = uci.parse::<UciMove>().unwrap().to_move(&pos).unwrap();
            pos.play_unchecked(m);
        }
        let left = squares_of(&intended[n - 1])[0];
        (pos.board().clone(), left)
    };
    for n in [4, intended.len()] {
        if n == intended.len() {
            let order = ["order", "--board", "table-1", "result", "1-0"];
            assert_eq!(place.run(&order).await.code, Some(0));
        }
        let (pieces, left) = behind(n);
        let squares: Vec<Square> = pieces.occupied().with(left).into_iter().collect();
        let colors = shows(&mut seen, &squares).await;
        for (sq, piece) in pieces {
            let Rgb([red, _, blue]) = colors[usize::from(sq)];
            assert_eq!(red > blue, piece.color == Color::White, "{sq}: {colors:?}");
        }
        assert!(ws2812::current_ma(&seen.borrow().chain) <= 500);
    }
    assert_eq!(daemon.stop().await.0, Some(0));
}

/// Who has no lights plays all the same, and is told once what is wrong with them.
#[tokio::test]
async fn lights_that_do_not_answer_hold_up_nobody() {
    let place = Place::new();
    let socket = place.path("wall.sock");
    place.add(&format!("[board.wall]\nchips = \"ht16k33\"\nbus = {socket:?}\n"));
    let (other, _) = BusSocket::open(&socket, SimulatedLights::at(0x73)).unwrap();
    let other = tokio::spawn(other.run());
    let (intended, played) = game(2, Span::new(300, 600), 5);
    let told = place.run(&["doctor"]).await.out;
    assert!(told.contains("BAD   table-1: [board.wall]: no HT16K33 answers at 0x72"), "{told}");
    let mut board = plug(&played.script, &place.board());
    let daemon = place.start();
    timeout(LIMIT, board.woken()).await.expect("a recorded board").unwrap();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();
    place.seen(|view| moves_of(view) == intended).await;
    daemon.says("THE LIGHTS CANNOT BE USED").await;
    let said = daemon.said();
    assert_eq!(said.matches("THE LIGHTS CANNOT BE USED").count(), 1, "{said}");
    other.abort();
    other.await.ok();
    let mut seen = lights(&socket).await;
    let squares: Bitboard = squares_of(intended.last().unwrap()).into_iter().collect();
    timeout(LIMIT, seen.wait_for(|seen| seen.matrix == squares.0)).await.unwrap().unwrap();
    assert_eq!(daemon.stop().await.0, Some(0));
    timeout(LIMIT, seen.wait_for(|seen| seen.matrix == 0)).await.unwrap().unwrap();
    let told = place.run(&["doctor"]).await.out;
    assert!(told.contains("[board.wall]: a1 to d1 and a2 are lit now;"), "{told}");
    assert_eq!(seen.borrow().matrix, 0x10f);
}

#[test]
fn what_is_wrong_blinks_where_lights_have_no_colors() {
    let lit = |cause| of_lit(&Lit { squares: Square::E4.into(), cause });
    assert!(lit(LightCause::Contradicted).blinks);
    assert!(!lit(LightCause::SetUp).blinks && !lit(LightCause::LastMove).blinks);
}
