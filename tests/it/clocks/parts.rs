//! The shell around a clock of one's own: displays that are unplugged, pins that are not there, and
//! the loop that joins them, on models.

use embedded_hal::i2c::{ErrorKind, ErrorType, I2c, Operation};
use rokade::clock::{ClockModel, Manner, PerMove, TimeControl};
use rokade::drive::OwnClock;
use rokade::game::Event;
use rokade::laws::ClockOrder;
use rokade::shell::clock::gpio::{GpioError, GpioPins, Pins};
use rokade::shell::clock::i2c::{Brightness, DisplayError, Displays};
use rokade::shell::clock::own::{self, ClockContact, Edge, Parts};
use rokade::shell::now::Now;
use rokade::sim::DisplaySim;
use rokade::table::End;
use rokade::time::Mono;
use rokade::wire::ClockMessage;
use rokade::wire::contact::{Contacts, Level, Shape};
use rokade::wire::ht16k33::FourDigits;
use shakmaty::Color;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A bus with modules at 70 and 71, of which some are unplugged.
#[derive(Clone, Debug, Default)]
struct Bus(Rc<RefCell<[Option<DisplaySim>; 2]>>);

impl ErrorType for Bus {
    type Error = ErrorKind;
}

impl I2c for Bus {
    fn transaction(
        &mut self,
        address: u8,
        operations: &mut [Operation<'_>],
    ) -> Result<(), ErrorKind> {
        let mut modules = self.0.borrow_mut();
        let module = modules.get_mut(usize::from(address) - 0x70).and_then(Option::as_mut);
        let absent = embedded_hal::i2c::NoAcknowledgeSource::Address;
        let module = module.ok_or(ErrorKind::NoAcknowledge(absent))?;
        for operation in operations {
            match operation {
                Operation::Write(frame) => module.write(frame),
                Operation::Read(_) => return Err(ErrorKind::Other),
            }
        }
        Ok(())
    }
}

impl Bus {
    fn plug(&self, idx: usize) {
        self.0.borrow_mut()[idx] = Some(DisplaySim::default());
    }

    fn shown(&self, idx: usize) -> String {
        self.0.borrow()[idx].as_ref().map_or_else(String::new, DisplaySim::shown)
    }
}

#[test]
fn a_display_that_was_unplugged_shows_again() {
    let bus = Bus::default();
    bus.plug(0);
    let mut displays = Displays::new(bus.clone(), 0x70, 0x71, Brightness(8));
    assert_eq!(displays.show(End::Left, FourDigits::of_seconds(61)), Ok(()));
    assert_eq!(bus.shown(0), " 1:01");
    let absent = embedded_hal::i2c::NoAcknowledgeSource::Address;
    let missing = DisplayError { address: 0x71, kind: ErrorKind::NoAcknowledge(absent) };
    assert_eq!(displays.show(End::Right, FourDigits::of_seconds(5_400)), Err(missing));
    assert!(missing.to_string().starts_with("the display at 0x71 does not answer"));
    bus.plug(1);
    assert_eq!(displays.refresh(), Ok(()));
    assert_eq!(bus.shown(1), " 1:30");
    // A plug that was out for a moment: the module has forgotten that it was on.
    bus.plug(0);
    assert_eq!(bus.shown(0), "");
    bus.0.borrow_mut()[0] = None;
    assert!(displays.show(End::Left, FourDigits::of_seconds(59)).is_err());
    bus.plug(0);
    assert_eq!(displays.refresh(), Ok(()));
    assert_eq!(bus.shown(0), " 0:59");
}

#[test]
fn a_machine_without_pins_says_so() {
    let (edges, _kept) = own::edges();
    let pins = Pins { contacts: vec![(ClockContact::Left, 5)], buzzer: None };
    // On a Pi the pin may well be there.
    if let Err(GpioError::Chip(why)) = GpioPins::open(&pins, Now::start(), &edges) {
        let told = GpioError::Chip(why).to_string();
        assert!(told.contains("is it a Raspberry Pi"), "{told}");
    }
}

#[derive(Debug, Default)]
struct Desk {
    levels: [bool; 3],
    faces: [String; 2],
    is_loud: bool,
    n_sounds: u32,
}

#[derive(Clone, Debug, Default)]
struct Models(Arc<Mutex<Desk>>);

impl Models {
    fn desk(&self) -> std::sync::MutexGuard<'_, Desk> {
        self.0.lock().expect("a desk that nobody dropped")
    }
}

impl Parts for Models {
    fn level(&mut self, which: ClockContact) -> Level {
        let is_down = self.desk().levels[which as usize];
        if is_down { Level::Closed } else { Level::Open }
    }

    fn show(&mut self, end: End, face: FourDigits) {
        let (_, digits) = face.frames();
        self.desk().faces[usize::from(end == End::Right)] = FourDigits::read(&digits);
    }

    fn refresh(&mut self) {}

    fn sound(&mut self) {
        let mut desk = self.desk();
        desk.is_loud = true;
        desk.n_sounds += 1;
    }

    fn hush(&mut self) {
        self.desk().is_loud = false;
    }
}

#[tokio::test(start_paused = true)]
async fn a_press_reaches_the_game_with_the_stamp_of_its_edge() {
    let control = TimeControl::sudden_death(Duration::from_secs(60), PerMove::Nothing);
    let model = ClockModel::new(control.expect("a minute"), Manner::default());
    let contacts = Contacts::new(Shape::Buttons, Level::Open, Level::Open);
    let clock = OwnClock::new(model, End::Left, contacts);
    let (edges_tx, edges_rx) = own::edges();
    let parts = Models::default();
    let now = Now::start();
    let (mut stub, actor) = own::channel(clock, parts.clone(), edges_rx, now);
    let actor = tokio::spawn(actor.run());
    stub.order(ClockOrder::Run(Color::White));
    // Late in a second, so that no display changes just then.
    tokio::time::sleep(Duration::from_millis(10_500)).await;
    let edge = now.stamp();
    parts.desk().levels[0] = true;
    // The loop was busy for three milliseconds.
    tokio::time::sleep(Duration::from_millis(3)).await;
    edges_tx
        .send(Edge { at: edge, which: ClockContact::Left, level: Level::Closed })
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(40)).await;
    assert_eq!(parts.desk().n_sounds, 1);
    assert!(!parts.desk().is_loud, "a press sounds for 20 ms");
    drop(edges_tx);
    let mut press: Option<Mono> = None;
    let mut high = End::Left;
    while let Some((stamp, event)) = stub.event().await {
        let Event::Clock(ClockMessage::Time(time)) = event else { panic!("{event:?}") };
        if std::mem::replace(&mut high, time.high) != time.high {
            press = Some(stamp.mono);
        }
    }
    let off = press.expect("a press").0.abs_diff(edge.mono.0);
    assert!(off < 1_000, "{off} us off the edge");
    assert_eq!(parts.desk().faces, [" 0:50", " 1:00."]);
    actor.await.unwrap();
}
