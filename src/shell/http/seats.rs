//! Who is connected. There are so many seats and no more, and whoever takes many gives way to those
//! who take few: nobody can shut anybody else out.
//!
//! A connection begins as a *guest*: it asks, is answered, and goes. When all guests' seats are
//! taken, a new guest takes that of the oldest guest of the address that has the most; so there is
//! always one more. Who asks for a *health check* has a seat that no crowd of guests takes. A guest
//! that asks for the view as it changes becomes a *viewer* and stays; a new viewer takes a seat
//! from an address that would still have more than its own, and is else refused.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

/// How many connections of each kind there may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Seats {
    /// Those that ask.
    pub guests: usize,
    /// Those that stay.
    pub viewers: usize,
}

impl Seats {
    /// A hall's audience, and who watches from home.
    const MOST: Self = Self { guests: 512, viewers: 5_120 };
    /// Files that the daemon needs beside the pages, and for each board.
    const OTHERS: usize = 64;
    const PER_BOARD: usize = 8;

    /// As many as there may be if the process may have so many files open. Recording comes first.
    pub fn within(n_files: u64, n_boards: usize) -> Self {
        let n_files = usize::try_from(n_files).unwrap_or(usize::MAX);
        let free = n_files.saturating_sub(Self::OTHERS + Self::PER_BOARD * n_boards);
        let guests = (free / 2).clamp(16, Self::MOST.guests);
        Self { guests, viewers: free.saturating_sub(guests).clamp(16, Self::MOST.viewers) }
    }
}

/// So many health checks are answered at the same time.
const CHECKS: usize = 32;
/// Answers that a connection gets at once before it has to wait, and how many a second after that.
const BURST: u32 = 40;
const PER_SECOND: u32 = 20;
/// Answers that all connections of an address get together, at once and each second after that.
const BURST_ADDRESS: u32 = 500;
const PER_SECOND_ADDRESS: u32 = 250;

/// The seats of one kind.
#[derive(Debug, Default)]
struct SeatRow {
    /// By number, so the oldest first. Who drops an entry cuts the connection.
    taken: BTreeMap<u64, (IpAddr, oneshot::Sender<()>)>,
    by_address: BTreeMap<IpAddr, BTreeSet<u64>>,
    /// The addresses by how many seats they have.
    greediest: BTreeSet<(usize, IpAddr)>,
}

impl SeatRow {
    fn count(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).map_or(0, BTreeSet::len)
    }

    fn put(&mut self, id: u64, address: IpAddr, cut: oneshot::Sender<()>) {
        self.taken.insert(id, (address, cut));
        self.change(address, |ids| ids.insert(id));
    }

    fn take(&mut self, id: u64) -> Option<(IpAddr, oneshot::Sender<()>)> {
        let (address, cut) = self.taken.remove(&id)?;
        self.change(address, |ids| ids.remove(&id));
        Some((address, cut))
    }

    fn change(&mut self, address: IpAddr, act: impl FnOnce(&mut BTreeSet<u64>) -> bool) {
        let ids = self.by_address.entry(address).or_default();
        self.greediest.remove(&(ids.len(), address));
        act(ids);
        if ids.is_empty() {
            self.by_address.remove(&address);
        } else {
            self.greediest.insert((ids.len(), address));
        }
    }

    /// The oldest and the newest of the address that has the most, and how many that is.
    fn of_greediest(&self) -> Option<(usize, u64, u64)> {
        let (n, address) = self.greediest.last()?;
        let ids = self.by_address.get(address)?;
        Some((*n, *ids.first()?, *ids.last()?))
    }
}

#[derive(Debug, Default)]
struct SeatRows {
    next: u64,
    guests: SeatRow,
    viewers: SeatRow,
    checks: SeatRow,
    /// When each address that has asked lately may ask again without waiting.
    paces: BTreeMap<IpAddr, RateLimit>,
}

/// The connections of a server.
#[derive(Debug)]
pub(super) struct House {
    seats: Seats,
    rows: Mutex<SeatRows>,
}

impl House {
    pub(super) fn new(seats: Seats) -> Arc<Self> {
        Arc::new(Self { seats, rows: Mutex::default() })
    }

    fn rows(&self) -> MutexGuard<'_, SeatRows> {
        // A panic of another connection has left whole entries.
        self.rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// How many are connected.
    pub(super) fn n_taken(&self) -> usize {
        let rows = self.rows();
        rows.guests.taken.len() + rows.viewers.taken.len() + rows.checks.taken.len()
    }

    /// Seats a new guest.
    pub(super) fn enter(self: &Arc<Self>, from: IpAddr) -> Place {
        let mut rows = self.rows();
        if rows.guests.taken.len() >= self.seats.guests
            && let Some((_, oldest, _)) = rows.guests.of_greediest()
        {
            rows.guests.take(oldest);
        }
        self.seat(&mut rows, |rows| &mut rows.guests, from)
    }

    /// Seats somebody who asks whether all is well, where no crowd of guests takes the seat.
    pub(super) fn check(self: &Arc<Self>, from: IpAddr) -> Place {
        let mut rows = self.rows();
        if rows.checks.taken.len() >= CHECKS
            && let Some((_, oldest, _)) = rows.checks.of_greediest()
        {
            rows.checks.take(oldest);
        }
        self.seat(&mut rows, |rows| &mut rows.checks, from)
    }

    fn seat(
        self: &Arc<Self>,
        rows: &mut SeatRows,
        row: fn(&mut SeatRows) -> &mut SeatRow,
        from: IpAddr,
    ) -> Place {
        let (address, (gives, cut)) = (neighbors(from), oneshot::channel());
        let id = rows.next;
        rows.next += 1;
        row(rows).put(id, address, gives);
        let (pace, stays) = (Mutex::default(), AtomicBool::new(false));
        let (from, house) = (from.to_canonical(), Arc::clone(self));
        Place { seat: Arc::new(Seat { id, from, address, pace, stays, house }), cut }
    }
}

/// What somebody gets who comes in.
#[derive(Debug)]
pub(super) struct Place {
    /// Where the guest sits.
    pub(super) seat: Arc<Seat>,
    /// Ends when the guest has to go.
    pub(super) cut: oneshot::Receiver<()>,
}

/// A connection's seat. Given back when it is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    id: u64,
    /// Whose connection it is.
    pub(super) from: IpAddr,
    /// The address that counts.
    pub(super) address: IpAddr,
    pace: Mutex<RateLimit>,
    stays: AtomicBool,
    house: Arc<House>,
}

impl Seat {
    /// A guest becomes a viewer; `false` if there is no seat for it.
    pub(super) fn stay(&self) -> bool {
        let mut rows = self.house.rows();
        if rows.viewers.taken.len() >= self.house.seats.viewers {
            let n_own = rows.viewers.count(self.address);
            match rows.viewers.of_greediest() {
                Some((n, _, newest)) if n > n_own + 1 => drop(rows.viewers.take(newest)),
                _ => return false,
            }
        }
        let Some((address, cut)) = rows.guests.take(self.id) else { return false };
        rows.viewers.put(self.id, address, cut);
        self.stays.store(true, Ordering::Relaxed);
        true
    }

    /// Whether it is a viewer's.
    pub(super) fn is_viewers(&self) -> bool {
        self.stays.load(Ordering::Relaxed)
    }

    /// How long the next answer has to wait. A health check waits for its own connection only.
    pub(super) fn wait(&self, is_health_check: bool) -> Duration {
        let now = Instant::now();
        let mut pace = self.pace.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let own = pace.wait(now, BURST, PER_SECOND);
        if is_health_check {
            return own;
        }
        let mut rows = self.house.rows();
        if rows.paces.len() > self.house.seats.guests {
            rows.paces.retain(|_, pace| pace.is_owed(now));
        }
        let all = rows.paces.entry(self.address).or_default();
        own.max(all.wait(now, BURST_ADDRESS, PER_SECOND_ADDRESS))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut rows = self.house.rows();
        rows.guests.take(self.id);
        rows.viewers.take(self.id);
        rows.checks.take(self.id);
    }
}

/// So many at once, then so many a second.
#[derive(Debug, Default)]
struct RateLimit {
    /// When all that was asked for would have been answered one after the other.
    until: Option<Instant>,
}

impl RateLimit {
    fn wait(&mut self, now: Instant, burst: u32, per_second: u32) -> Duration {
        let step = Duration::from_secs(1) / per_second;
        let until = self.until.map_or(now, |until| until.max(now)) + step;
        self.until = Some(until);
        (until - now).saturating_sub(step * burst)
    }

    /// Whether more was asked for than time has passed.
    fn is_owed(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until > now)
    }
}

/// The address that counts: of IPv6 a household has 64 bits to itself.
fn neighbors(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from(u128::from(address) >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, n])
    }

    fn enter(house: &Arc<House>, n: u8) -> (Arc<Seat>, oneshot::Receiver<()>) {
        let Place { seat, cut } = house.enter(address(n));
        (seat, cut)
    }

    #[test]
    fn a_new_guest_takes_the_seat_of_the_oldest_of_the_greediest() {
        let house = House::new(Seats { guests: 4, viewers: 2 });
        let (_few, mut few) = enter(&house, 1);
        let (first, mut cut) = enter(&house, 2);
        let others: Vec<_> = (0..2).map(|_| enter(&house, 2)).collect();
        let (_new, mut is_new) = enter(&house, 3);
        assert!(cut.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Closed));
        for kept in [&mut few, &mut is_new] {
            assert!(kept.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Empty));
        }
        assert_eq!(house.n_taken(), 4);
        // Whoever was cut gives back nothing that is another's by now.
        drop(first);
        assert_eq!(house.n_taken(), 4);
        drop(others);
        assert_eq!(house.n_taken(), 2);
    }

    #[test]
    fn a_viewer_gives_way_to_one_from_an_address_with_fewer() {
        let house = House::new(Seats { guests: 9, viewers: 3 });
        let many: Vec<_> = (0..3).map(|_| enter(&house, 1)).collect();
        assert!(many.iter().all(|(seat, _)| seat.stay()));
        let (same, _) = enter(&house, 1);
        assert!(!same.stay(), "all are its neighbors'");
        let (other, _cut) = enter(&house, 2);
        assert!(other.stay() && other.is_viewers());
        let (second, _cut) = enter(&house, 2);
        assert!(!second.stay(), "two of three would be no fairer");
    }

    #[test]
    fn a_crowd_of_guests_cuts_no_health_check() {
        let house = House::new(Seats { guests: 4, viewers: 2 });
        let is_cut = |cut: &mut oneshot::Receiver<()>| {
            cut.try_recv().is_err_and(|e| e == oneshot::error::TryRecvError::Closed)
        };
        let mut asks = house.check(address(1));
        let crowd: Vec<_> = (0..50).map(|_| enter(&house, 1)).collect();
        assert!(!is_cut(&mut asks.cut));
        assert_eq!(house.n_taken(), 5);
        // Only other health checks do.
        let more: Vec<_> = (0..CHECKS).map(|_| house.check(address(1))).collect();
        assert!(is_cut(&mut asks.cut));
        drop((asks, crowd, more));
        assert_eq!(house.n_taken(), 0);
    }

    #[test]
    fn a_connection_that_asks_on_and_on_waits() {
        let house = House::new(Seats { guests: 9, viewers: 3 });
        let (seat, _cut) = enter(&house, 1);
        let waits: Vec<_> = (0..BURST + 20).map(|_| seat.wait(true)).collect();
        assert!(waits[..BURST as usize - 1].iter().all(Duration::is_zero));
        let last = *waits.last().unwrap();
        assert!((800..=1_100).contains(&last.as_millis()), "{last:?}");
        // The other connections of the address have all waited enough for it.
        let (other, _cut) = enter(&house, 1);
        assert!(other.wait(true).is_zero());
        let waited = (0..BURST_ADDRESS * 2).map(|_| enter(&house, 1).0.wait(false)).max();
        assert!(waited.unwrap() > Duration::from_secs(1), "{waited:?}");
        assert!(enter(&house, 1).0.wait(true).is_zero(), "a health check");
        assert!(enter(&house, 2).0.wait(false).is_zero(), "another address");
    }

    #[test]
    fn recording_keeps_its_files() {
        assert_eq!(Seats::within(524_288, 200), Seats::MOST);
        let small = Seats::within(1_024, 20);
        assert!(small.guests + small.viewers + 64 + 160 <= 1_024, "{small:?}");
        assert!(small.guests >= 256 && small.viewers >= 256, "{small:?}");
    }

    #[test]
    fn a_household_has_one_address() {
        let v6 = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(neighbors(v6("2001:db8::1")), neighbors(v6("2001:db8::2:3")));
        assert_ne!(neighbors(v6("2001:db8::1")), neighbors(v6("2001:db8:0:1::1")));
        assert_eq!(neighbors(v6("::ffff:10.0.0.1")), address(1));
    }
}
