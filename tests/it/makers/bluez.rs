//! A bus of one's own with a Bluetooth service on it, whose devices are simulated boards: what the
//! real one does, as far as the program can see.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use rustix::fs::{FlockOperation, OFlags, flock};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use zbus::connection::Builder;
use zbus::message::{Header, Type};
use zbus::wire::{OwnedVariant, Variant};
use zbus::{Connection, Message, MessageStream, OwnedObjectPath};

use crate::program::{LIMIT, STEP};

const MISSING: &str = "this test has a bus of its own: install the package dbus-daemon";
const ADAPTER: &str = "org.bluez.Adapter1";
const DEVICE: &str = "org.bluez.Device1";
const CHARACTERISTIC: &str = "org.bluez.GattCharacteristic1";
/// What a notification carries at most, without anything agreed upon.
const NOTIFIED: usize = 20;
/// From the connection until it is known what a device has.
const RESOLVES: Duration = Duration::from_millis(300);

/// The bus. It ends with this.
pub(crate) struct Bus {
    _daemon: Child,
    socket: PathBuf,
}

impl Bus {
    pub(crate) async fn start(folder: &Path) -> Self {
        let (socket, config) = (folder.join("bus"), folder.join("bus.conf"));
        let text = format!(
            "<busconfig><type>system</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow own=\"*\"/><allow user=\"*\"/>\
             <allow send_type=\"method_call\"/><allow send_type=\"signal\"/>\
             <allow send_requested_reply=\"true\"/><allow receive_type=\"method_call\"/>\
             <allow receive_type=\"method_return\"/><allow receive_type=\"error\"/>\
             <allow receive_type=\"signal\"/></policy></busconfig>",
            socket.display()
        );
        fs::write(&config, text).unwrap();
        let mut daemon = Command::new("dbus-daemon");
        daemon.arg("--nofork").arg(format!("--config-file={}", config.display()));
        daemon.kill_on_drop(true).stdout(Stdio::null()).stderr(Stdio::null());
        let daemon = daemon.spawn().expect(MISSING);
        let end = Instant::now() + LIMIT;
        while UnixStream::connect(&socket).is_err() {
            assert!(Instant::now() < end, "no bus");
            sleep(STEP).await;
        }
        Self { _daemon: daemon, socket }
    }

    /// Where it is, as `DBUS_SYSTEM_BUS_ADDRESS` has it.
    pub(crate) fn address(&self) -> String {
        format!("unix:path={}", self.socket.display())
    }
}

/// A device: a simulated board whose cable nobody else has.
pub(crate) struct FakeDevice {
    pub(crate) address: String,
    pub(crate) name: &'static str,
    /// What it is heard by, and told by.
    pub(crate) ports: [&'static str; 2],
    /// It is in reach while this is there.
    pub(crate) cable: PathBuf,
}

/// The link to one that is connected.
struct Link {
    since: Instant,
    is_heard: Arc<Mutex<bool>>,
    writes: mpsc::UnboundedSender<Vec<u8>>,
    pump: JoinHandle<()>,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.pump.abort();
    }
}

/// How the service is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    Good,
    /// It has no adapter.
    Bare,
    /// Its adapter is off.
    Off,
    /// It answers nothing.
    Mute,
}

struct State {
    health: Health,
    devices: Vec<FakeDevice>,
    /// Which of them it has heard of.
    known: Vec<bool>,
    links: Vec<Option<Link>>,
    /// What was written, by device.
    written: Vec<Vec<Vec<u8>>>,
}

/// The service. It ends with this.
pub(crate) struct FakeBluez {
    state: Arc<Mutex<State>>,
    connection: Connection,
    serving: JoinHandle<()>,
}

impl Drop for FakeBluez {
    fn drop(&mut self) {
        self.serving.abort();
        self.part();
    }
}

fn device(idx: usize) -> String {
    format!("/org/bluez/hci0/dev_{idx}")
}

fn changed(
    interface: &str,
    key: &str,
    value: Variant<'static>,
) -> (String, HashMap<String, OwnedVariant>, Vec<String>) {
    let values = HashMap::from([(key.to_owned(), value.try_to_owned().unwrap())]);
    (interface.to_owned(), values, Vec::new())
}

async fn tell(
    connection: &Connection,
    path: &str,
    body: &(String, HashMap<String, OwnedVariant>, Vec<String>),
) {
    let signal = ("org.freedesktop.DBus.Properties", "PropertiesChanged");
    connection.emit_signal(None::<&str>, path, signal.0, signal.1, body).await.ok();
}

impl FakeBluez {
    pub(crate) async fn start(bus: &Bus, devices: Vec<FakeDevice>) -> Self {
        let n = devices.len();
        let state = State {
            health: Health::Good,
            devices,
            known: vec![false; n],
            links: (0..n).map(|_| None).collect(),
            written: vec![Vec::new(); n],
        };
        let state = Arc::new(Mutex::new(state));
        let builder = Builder::address(bus.address().as_str());
        let connection = builder.build().await.unwrap();
        let calls = MessageStream::from(&connection);
        let serving = tokio::spawn(serve(connection.clone(), calls, Arc::clone(&state)));
        connection.request_name("org.bluez").await.unwrap();
        Self { state, connection, serving }
    }

    /// It is so from now on. A radio that goes loses its links.
    pub(crate) async fn set(&self, health: Health) {
        let lost: Vec<usize> = {
            let mut state = self.state.lock().unwrap();
            state.health = health;
            let is_lost = matches!(health, Health::Off | Health::Bare);
            let links = state.links.iter_mut().enumerate().filter(|_| is_lost);
            links.filter_map(|(idx, link)| link.take().map(|_| idx)).collect()
        };
        for idx in lost {
            let body = changed(DEVICE, "Connected", false.into());
            tell(&self.connection, &device(idx), &body).await;
        }
    }

    /// What was written to this device so far.
    pub(crate) fn written(&self, idx: usize) -> Vec<Vec<u8>> {
        self.state.lock().unwrap().written[idx].clone()
    }

    /// Whether it is connected.
    pub(crate) fn is_connected(&self, idx: usize) -> bool {
        self.state.lock().unwrap().links[idx].is_some()
    }

    /// Nobody is connected any more; a link would hold its cable for as long as it is pumped.
    fn part(&self) {
        self.state.lock().unwrap().links.iter_mut().for_each(|link| *link = None);
    }

    /// It is gone, with all its links.
    pub(crate) async fn quit(self) {
        self.part();
        self.connection.clone().close().await.unwrap();
    }
}

async fn serve(connection: Connection, mut calls: MessageStream, state: Arc<Mutex<State>>) {
    while let Some(Ok(message)) = calls.next().await {
        let is_mute = state.lock().unwrap().health == Health::Mute;
        if message.message_type() == Type::MethodCall && !is_mute {
            answer(&connection, &message, &state).await;
        }
    }
}

type Objects = HashMap<OwnedObjectPath, HashMap<String, HashMap<String, OwnedVariant>>>;

fn objects(state: &State) -> Objects {
    let mut objects = Objects::new();
    let mut add = |path: &str, interface: &str, of: Vec<(&str, Variant<'_>)>| {
        let of = of.into_iter().map(|(key, value)| (key.to_owned(), value.try_to_owned().unwrap()));
        let things = HashMap::from([(interface.to_owned(), of.collect())]);
        objects.insert(path.to_owned().try_into().unwrap(), things);
    };
    if state.health != Health::Bare {
        let is_on = state.health != Health::Off;
        add("/org/bluez/hci0", ADAPTER, vec![("Powered", is_on.into())]);
    }
    for (idx, of) in state.devices.iter().enumerate().filter(|(idx, _)| state.known[*idx]) {
        let link = state.links[idx].as_ref();
        let is_resolved = link.is_some_and(|it| it.since.elapsed() > RESOLVES);
        let mut properties = vec![
            ("Address", Variant::from(of.address.clone())),
            ("Name", of.name.into()),
            ("Connected", link.is_some().into()),
            ("ServicesResolved", is_resolved.into()),
        ];
        if of.cable.exists() {
            properties.push(("RSSI", (-60_i16).into()));
        }
        add(&device(idx), DEVICE, properties);
        for (number, uuid) in of.ports.iter().enumerate().filter(|_| is_resolved) {
            let path = format!("{}/service0/char{number}", device(idx));
            add(&path, CHARACTERISTIC, vec![("UUID", (*uuid).into()), ("MTU", 23_u16.into())]);
        }
    }
    objects
}

async fn answer(connection: &Connection, message: &Message, state: &Arc<Mutex<State>>) {
    let header = message.header();
    let member = header.member().map(|it| it.as_str().to_owned()).unwrap_or_default();
    let path = header.path().map(|it| it.as_str().to_owned()).unwrap_or_default();
    let idx = path.split("dev_").nth(1).and_then(|it| it.split('/').next()?.parse().ok());
    match (&*member, idx) {
        ("GetManagedObjects", _) => {
            let objects = objects(&state.lock().unwrap());
            connection.reply(&header, &objects).await.ok();
        }
        ("StartDiscovery", _) => {
            {
                let mut state = state.lock().unwrap();
                let here: Vec<bool> = state.devices.iter().map(|it| it.cable.exists()).collect();
                for (known, is_here) in state.known.iter_mut().zip(here) {
                    *known |= is_here;
                }
            }
            connection.reply(&header, &()).await.ok();
        }
        ("SetDiscoveryFilter" | "StopDiscovery", _) => {
            connection.reply(&header, &()).await.ok();
        }
        (_, Some(idx)) => of_device(connection, message, state, (&member, idx)).await,
        _ => {
            let unknown = "org.freedesktop.DBus.Error.UnknownMethod";
            connection.reply_error(&header, unknown, &"what?").await.ok();
        }
    }
}

async fn fail(connection: &Connection, call: &Header<'_>, why: &str) {
    connection.reply_error(call, "org.bluez.Error.Failed", &why).await.ok();
}

async fn of_device(
    connection: &Connection,
    message: &Message,
    state: &Arc<Mutex<State>>,
    (member, idx): (&str, usize),
) {
    let header = message.header();
    match member {
        "Connect" => {
            let cable = state.lock().unwrap().devices[idx].cable.clone();
            let Ok(cable) = open(&cable) else {
                return fail(connection, &header, "le-connection-abort-by-local").await;
            };
            let link = link(connection.clone(), Arc::clone(state), cable, idx);
            state.lock().unwrap().links[idx] = Some(link);
            connection.reply(&header, &()).await.ok();
        }
        "Disconnect" => {
            let link = state.lock().unwrap().links[idx].take();
            connection.reply(&header, &()).await.ok();
            if link.is_some() {
                let body = changed(DEVICE, "Connected", false.into());
                tell(connection, &device(idx), &body).await;
            }
        }
        "StartNotify" | "WriteValue" => {
            let is_done = {
                let mut state = state.lock().unwrap();
                let body = message.body();
                let bytes: Option<(Vec<u8>, HashMap<String, OwnedVariant>)> =
                    body.deserialize().ok();
                if let (true, Some((bytes, _))) = (member == "WriteValue", &bytes) {
                    state.written[idx].push(bytes.clone());
                }
                match (&state.links[idx], bytes) {
                    (Some(link), Some((bytes, _))) => link.writes.send(bytes).is_ok(),
                    (Some(link), None) => {
                        *link.is_heard.lock().unwrap() = true;
                        true
                    }
                    (None, _) => false,
                }
            };
            if is_done {
                connection.reply(&header, &()).await.ok();
            } else {
                fail(connection, &header, "Not connected").await;
            }
        }
        other => panic!("{other} is asked of a device"),
    }
}

/// The board's end of its cable, which no daemon may have as well while this is open.
fn open(cable: &Path) -> io::Result<(pipe::Receiver, pipe::Sender)> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(flags.bits().cast_signed());
    let file = options.open(cable)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    let sender = pipe::Sender::from_file_unchecked(file.try_clone()?)?;
    Ok((pipe::Receiver::from_file_unchecked(file)?, sender))
}

/// Reads what is there. A terminal gives less than was asked for although there is more, which a
/// pipe does not, so it is read until it has nothing.
async fn read(from_board: &pipe::Receiver, buf: &mut [u8]) -> io::Result<usize> {
    loop {
        from_board.readable().await?;
        match from_board.try_read(buf) {
            Err(e) if e.kind() == ErrorKind::WouldBlock => {}
            done => return done,
        }
    }
}

/// Carries bytes between the board and the bus, until one of them is gone.
fn link(
    connection: Connection,
    state: Arc<Mutex<State>>,
    (from_board, mut to_board): (pipe::Receiver, pipe::Sender),
    idx: usize,
) -> Link {
    let (writes, mut wanted) = mpsc::unbounded_channel::<Vec<u8>>();
    let is_heard = Arc::new(Mutex::new(false));
    let heard = Arc::clone(&is_heard);
    let pump = tokio::spawn(async move {
        let mut buf = [0; NOTIFIED];
        loop {
            tokio::select! {
                n = read(&from_board, &mut buf) => match n {
                    Ok(n) if n > 0 => {
                        let is_wanted = *heard.lock().unwrap();
                        if is_wanted {
                            let value = Variant::from(buf[..n].to_vec());
                            let body = changed(CHARACTERISTIC, "Value", value);
                            let path = format!("{}/service0/char0", device(idx));
                            tell(&connection, &path, &body).await;
                        }
                    }
                    _ => break,
                },
                Some(bytes) = wanted.recv() => if to_board.write_all(&bytes).await.is_err() {
                    break;
                },
            }
        }
        tell(&connection, &device(idx), &changed(DEVICE, "Connected", false.into())).await;
        // This ends the task, too.
        state.lock().unwrap().links[idx] = None;
    });
    Link { since: Instant::now(), is_heard, writes, pump }
}
