//! The daemon as a process: killed at any moment, stopped in order, watched by a service manager.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rokade::game::entry::{Fact, LinkState};
use rokade::shell::journal::{DiskStorage, Reader};
use rokade::shell::pty::Speed;
use rokade::shell::record;
use rokade::sim::hands::{self, Manners, Span, TableKind};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Move};
use tokio::net::UnixDatagram;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::games::classics;
use crate::program::{LIMIT, Place, STEP, is_live, moves_of, plug};

const TABLE: TableKind = TableKind { names_pieces: true, has_clock: true };
const N_KILLS: usize = 50;
const N_PLIES: usize = 60;
/// Of daemons that are killed before they know the board, so many follow each other at the most:
/// what is played while nobody reads is for another test.
const N_BLIND_MAX: usize = 3;

fn uci(moves: &[Move]) -> Vec<String> {
    let uci = |&m| UciMove::from_move(m, CastlingMode::Standard).to_string();
    moves.iter().map(uci).collect()
}

/// A long game, and hands that play it fast but not all too fast.
fn game(n_plies: usize, think: Span, seed: u64) -> (Vec<String>, hands::Performance) {
    let classics = classics();
    let game = classics.iter().find(|game| game.moves.len() >= n_plies).expect("a long game");
    let moves = &game.moves[..n_plies];
    let manners = Manners {
        think,
        illegal_fixed: 0.0,
        illegal_pressed: 0.0,
        knock_over: 0.0,
        ..Manners::blitz()
    };
    let mode = CastlingMode::Standard;
    (uci(moves), hands::perform(&Chess::new(), mode, moves, None, &manners, TABLE, seed))
}

/// Everything that the page has shown, in its order.
#[derive(Clone, Debug, Default)]
struct Gallery {
    shown: Arc<Mutex<Vec<Vec<String>>>>,
    n_looks: Arc<Mutex<usize>>,
}

impl Gallery {
    fn watch(&self, place: &Arc<Place>) -> JoinHandle<()> {
        let (gallery, place) = (self.clone(), Arc::clone(place));
        tokio::spawn(async move {
            loop {
                if let Some(view) = place.view().await {
                    let moves = moves_of(&view);
                    let mut shown = gallery.shown.lock().unwrap();
                    if shown.last() != Some(&moves) {
                        shown.push(moves);
                    }
                }
                *gallery.n_looks.lock().unwrap() += 1;
                sleep(STEP).await;
            }
        })
    }

    /// What was shown up to now. To be asked while no daemon runs.
    async fn all(&self) -> Vec<Vec<String>> {
        let enough = *self.n_looks.lock().unwrap() + 2;
        let looked = async {
            while *self.n_looks.lock().unwrap() < enough {
                sleep(STEP).await;
            }
        };
        timeout(LIMIT, looked).await.expect("a look at the page");
        self.shown.lock().unwrap().clone()
    }
}

/// The record as it is written, followed from outside.
#[derive(Debug)]
struct Shadow {
    reader: Reader<DiskStorage>,
    bodies: Vec<String>,
    moves: Vec<String>,
    /// The game after each entry that changed it.
    states: Vec<Vec<String>>,
    n_retracted: usize,
    /// From state to state in which order things were shown: how far that has been checked.
    checked: (usize, usize),
}

impl Shadow {
    fn new(place: &Place) -> Self {
        Self {
            reader: Reader::new(DiskStorage::new(place.journal())),
            bodies: Vec::new(),
            moves: Vec::new(),
            states: vec![Vec::new()],
            n_retracted: 0,
            checked: (0, 0),
        }
    }

    fn catch_up(&mut self) {
        loop {
            let lines = self.reader.poll().unwrap();
            if lines.is_empty() {
                return;
            }
            for line in lines {
                self.take(&record::entry_of(&line).expect("a known record").fact);
                self.bodies.push(line.body);
            }
        }
    }

    fn take(&mut self, fact: &Fact) {
        match fact {
            Fact::GameStarted { .. } => self.moves.clear(),
            Fact::MoveMade { ply, uci, .. } => {
                assert_eq!(*ply, self.moves.len() + 1, "{uci}");
                self.moves.push(uci.clone());
            }
            Fact::MoveRetracted { ply } => {
                self.n_retracted += 1;
                self.moves.truncate(ply - 1);
            }
            _ => return,
        }
        self.states.push(self.moves.clone());
    }

    /// Everything shown was on record, in the same order, and is still there or openly withdrawn.
    fn check(&mut self, shown: &[Vec<String>]) {
        let (mut n_shown, mut n_states) = self.checked;
        for moves in &shown[n_shown..] {
            let found = self.states[n_states..].iter().position(|state| state.starts_with(moves));
            let found = found.unwrap_or_else(|| {
                panic!("shown but not on record: {moves:?}\non record: {:?}", self.moves)
            });
            (n_shown, n_states) = (n_shown + 1, n_states + found);
        }
        self.checked = (n_shown, n_states);
    }
}

fn millis(span: Duration) -> u128 {
    span.as_millis()
}

#[tokio::test]
async fn no_kill_costs_a_move() {
    let seed = std::env::var("ROKADE_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("seed {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let (intended, played) = game(N_PLIES, Span::new(200, 800), seed);
    let place = Arc::new(Place::new());
    let mut board = plug(&played.script, &place.board());
    let gallery = Gallery::default();
    let watching = gallery.watch(&place);
    let mut shadow = Shadow::new(&place);
    let mut daemon = place.start();
    board.woken().await.unwrap();
    place.seen(is_live).await;
    let begun = Instant::now();
    board.play(played.script.happenings, Speed::REAL).await.unwrap();

    let mut restarts = Vec::new();
    let (mut n_blind, mut last_kill) = (0, None);
    for n in 1..=N_KILLS {
        if n_blind < N_BLIND_MAX && n > 1 && rng.f64() < 0.6 {
            n_blind += 1;
            sleep(Duration::from_millis(rng.u64(0..250))).await;
        } else {
            n_blind = 0;
            place.seen(is_live).await;
            restarts.extend(last_kill.map(|at: Instant| millis(at.elapsed())));
            sleep(Duration::from_millis(rng.u64(0..900))).await;
        }
        daemon.kill().await;
        let killed_at = Instant::now();
        println!("kill {n} at {} ms", millis(killed_at - begun));
        shadow.catch_up();
        shadow.check(&gallery.all().await);
        daemon = place.start();
        last_kill = Some(killed_at);
    }
    let (n_at_last, took) = (shadow.moves.len(), begun.elapsed());
    place.seen(|view| moves_of(view).len() >= intended.len()).await;
    let (code, _) = daemon.stop().await;
    assert_eq!(code, Some(0));
    shadow.catch_up();
    shadow.check(&gallery.all().await);
    watching.abort();

    restarts.sort_unstable();
    println!(
        "{N_KILLS} kills in {took:?}, the last at ply {n_at_last} of {}; {} withdrawn; \
         from kill to following the board: {restarts:?} ms",
        intended.len(),
        shadow.n_retracted
    );
    assert_eq!(shadow.moves, intended);
    assert!(n_at_last > intended.len() / 2, "the game is long enough for the kills");
    check_documents(&place, &shadow, &intended).await;
}

/// What the program's own commands say of the record afterwards.
async fn check_documents(place: &Place, shadow: &Shadow, intended: &[String]) {
    let verified = place.run(&["verify"]).await;
    assert_eq!((verified.code, &*verified.err), (Some(0), ""), "{}", verified.out);
    assert!(!verified.out.contains("DAMAGED"), "{}", verified.out);
    let logged = place.run(&["log", "--json"]).await;
    let bodies: Vec<_> = logged.out.lines().collect();
    assert_eq!(bodies, shadow.bodies);
    let exported = place.run(&["export"]).await;
    assert_eq!(crate::cli::pgn_moves(&exported.out), [intended]);
    let in_folder = std::fs::read_to_string(place.journal().join("game-0001.pgn")).unwrap();
    let without_site = |pgn: &str| pgn.lines().skip(7).collect::<Vec<_>>().join("\n");
    assert_eq!(without_site(&in_folder), without_site(&exported.out));
    let kinds: BTreeSet<_> = bodies
        .iter()
        .filter(|body| body.contains("position_lost") || body.contains("illegal_move"))
        .collect();
    println!("{} entries; findings: {kinds:?}", bodies.len());
}
