//! BlueZ, the Bluetooth service of Linux, over D-Bus: as much of it as a board needs. Sources: the
//! manual pages `org.bluez.Adapter`, `.Device` and `.GattCharacteristic`.
//!
//! What is there is asked for again and again while a board is being reached, which takes seconds
//! in any case; only what comes after that is waited for.

use super::error::RadioTrouble;
use super::peer::RadioPeer;
use crate::wire::gatt::GattPorts;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use zbus::connection::Builder;
use zbus::message::Type;
use zbus::names::OwnedUniqueName;
use zbus::wire::{DynamicType, OwnedVariant, Variant};
use zbus::{Connection, MatchRule, Message, MessageStream, ObjectPath, OwnedObjectPath, fdo};

/// The service.
const BLUEZ: &str = "org.bluez";
const ADAPTER: &str = "org.bluez.Adapter1";
pub(super) const DEVICE: &str = "org.bluez.Device1";
pub(super) const CHARACTERISTIC: &str = "org.bluez.GattCharacteristic1";

/// The bus answers at once, or does not work.
const BUS_ANSWERS: Duration = Duration::from_secs(5);
/// A connection is given up by the kernel after some twenty seconds.
const ANSWERS: Duration = Duration::from_secs(40);
/// For how long a board is listened for: it calls once a second or more.
const SCANS: Duration = Duration::from_secs(10);
/// For how long it is listened who is there.
const LISTENS: Duration = Duration::from_secs(5);
/// How long the list of what a board has may take to come.
const RESOLVES: Duration = Duration::from_secs(15);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(200);
/// What fits in a write in any case: the least that a link carries, less three. Source: Bluetooth
/// Core, ATT.
const LEAST_AT_ONCE: u16 = 20;

/// What is known of a thing.
pub(super) type Properties = HashMap<String, OwnedVariant>;
/// All things, with what they are.
type Objects = HashMap<OwnedObjectPath, HashMap<String, Properties>>;

fn text(of: &Properties, key: &str) -> String {
    of.get(key).and_then(|it| String::try_from(&**it).ok()).unwrap_or_default()
}

fn is_set(of: &Properties, key: &str) -> bool {
    of.get(key).and_then(|it| bool::try_from(&**it).ok()).unwrap_or(false)
}

/// A device that is connected, as BlueZ knows it.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) device: OwnedObjectPath,
    pub(super) address: String,
    pub(super) from_board: OwnedObjectPath,
    pub(super) to_board: OwnedObjectPath,
    /// The most that is written at once.
    pub(super) n_at_once: usize,
}

/// A device that is the one that is meant.
#[derive(Debug)]
struct Found {
    path: OwnedObjectPath,
    address: String,
    name: String,
    is_connected: bool,
    /// It was heard of late.
    is_near: bool,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.address)
    }
}

/// The adapters that are switched on.
fn adapters(objects: &Objects) -> Result<Vec<&OwnedObjectPath>, RadioTrouble> {
    let mut all = objects.iter().filter_map(|(path, of)| Some((path, of.get(ADAPTER)?))).peekable();
    if all.peek().is_none() {
        return Err(RadioTrouble::NoAdapter);
    }
    let on: Vec<_> = all.filter(|(_, of)| is_set(of, "Powered")).map(|(path, _)| path).collect();
    if on.is_empty() { Err(RadioTrouble::Off) } else { Ok(on) }
}

/// The device that is meant, if it is known.
fn find(objects: &Objects, peer: &RadioPeer) -> Result<Option<Found>, RadioTrouble> {
    let on = adapters(objects)?;
    let mut found = Vec::new();
    for (path, of) in objects {
        let Some(of) = of.get(DEVICE) else { continue };
        let is_on_adapter = on.iter().any(|it| path.starts_with(&format!("{}/", it.as_str())));
        let (address, name) = (text(of, "Address"), text(of, "Name"));
        if is_on_adapter && peer.is(&address, &[&name, &text(of, "Alias")]) {
            let is_connected = is_set(of, "Connected");
            let is_near = is_connected || of.contains_key("RSSI");
            found.push(Found { path: path.clone(), address, name, is_connected, is_near });
        }
    }
    // What was there last week gives way to what is there.
    if found.iter().any(|it| it.is_near) {
        found.retain(|it| it.is_near);
    }
    let first = found.pop();
    match (first, found.pop()) {
        (Some(first), Some(second)) if first.address != second.address => {
            Err(RadioTrouble::Several(first.to_string(), second.to_string()))
        }
        (first, _) => Ok(first),
    }
}

/// What BlueZ or the bus have to say, in our words.
fn trouble(e: &zbus::Error) -> RadioTrouble {
    match e {
        zbus::Error::FDO(e) => match **e {
            fdo::Error::ServiceUnknown(_) | fdo::Error::NameHasNoOwner(_) => {
                RadioTrouble::NoService
            }
            fdo::Error::AccessDenied(_) | fdo::Error::AuthFailed(_) => RadioTrouble::Forbidden,
            fdo::Error::NoReply(_) | fdo::Error::Timeout(_) | fdo::Error::TimedOut(_) => {
                RadioTrouble::Slow
            }
            // It was there, and was forgotten meanwhile.
            fdo::Error::UnknownObject(_) | fdo::Error::UnknownMethod(_) => RadioTrouble::OutOfReach,
            ref other => RadioTrouble::Said(other.to_string()),
        },
        zbus::Error::MethodError(name, said, _) => {
            let word = name.as_str().strip_prefix("org.bluez.Error.").unwrap_or(name.as_str());
            match word {
                "NotReady" => RadioTrouble::Off,
                "NotConnected" => RadioTrouble::Lost,
                "Failed" if said.as_deref() == Some("Not connected") => RadioTrouble::Lost,
                _ if word.starts_with("Authentication") || word == "NotAuthorized" => {
                    RadioTrouble::Unpaired
                }
                _ => RadioTrouble::Said(match said {
                    Some(said) => format!("{word}: {said}"),
                    None => word.to_owned(),
                }),
            }
        }
        zbus::Error::InputOutput(e) if e.kind() == ErrorKind::TimedOut => RadioTrouble::Slow,
        _ => RadioTrouble::NoBus,
    }
}

/// The way to BlueZ.
#[derive(Clone, Debug)]
pub(super) struct Bluez {
    connection: Connection,
    /// Who it was that answered: signals of others are not believed.
    owner: Option<OwnedUniqueName>,
}

impl Bluez {
    pub(super) async fn reach() -> Result<Self, RadioTrouble> {
        let built = timeout(BUS_ANSWERS, Builder::system().method_timeout(ANSWERS).build()).await;
        match built {
            Ok(Ok(connection)) => Ok(Self { connection, owner: None }),
            Ok(Err(_)) | Err(_) => Err(RadioTrouble::NoBus),
        }
    }

    async fn call<B: serde::Serialize + DynamicType>(
        &self,
        path: &OwnedObjectPath,
        method: (&str, &str),
        body: &B,
    ) -> Result<Message, zbus::Error> {
        let (interface, method) = method;
        self.connection.call_method(Some(BLUEZ), path, Some(interface), method, body).await
    }

    async fn objects(&mut self) -> Result<Objects, RadioTrouble> {
        let root = OwnedObjectPath::from(ObjectPath::from_static_str_unchecked("/"));
        let manager = ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects");
        let answer = self.call(&root, manager, &()).await.map_err(|e| match trouble(&e) {
            // The bus waits for a service that does not start, as on a machine without a radio.
            RadioTrouble::Slow | RadioTrouble::OutOfReach => RadioTrouble::NoService,
            other => other,
        })?;
        self.owner = answer.header().sender().map(|it| it.to_owned().into());
        answer.body().deserialize().map_err(|e| RadioTrouble::Said(e.to_string()))
    }

    /// Listens until what is looked for is among all that is known, or for so long.
    async fn scan<T>(
        &mut self,
        lasts: Duration,
        mut heard: impl FnMut(&Objects) -> Result<Option<T>, RadioTrouble>,
    ) -> Result<Option<T>, RadioTrouble> {
        let objects = self.objects().await?;
        let on: Vec<OwnedObjectPath> = adapters(&objects)?.into_iter().cloned().collect();
        let filter = HashMap::from([("Transport", Variant::from("le"))]);
        for adapter in &on {
            // Whoever scans already has a filter of his own, which does as well.
            self.call(adapter, (ADAPTER, "SetDiscoveryFilter"), &(&filter,)).await.ok();
            let started = self.call(adapter, (ADAPTER, "StartDiscovery"), &()).await;
            if let Err(why) = started.as_ref().map_err(trouble)
                && why != RadioTrouble::Said("InProgress: Operation already in progress".to_owned())
            {
                return Err(why);
            }
        }
        let (end, mut found) = (Instant::now() + lasts, None);
        while Instant::now() < end && found.is_none() {
            sleep(LOOK).await;
            found = heard(&self.objects().await?)?;
        }
        for adapter in &on {
            // It ends with our connection to the bus at the latest.
            self.call(adapter, (ADAPTER, "StopDiscovery"), &()).await.ok();
        }
        Ok(found)
    }

    /// Listens until the device is heard, or long enough.
    async fn listen(&mut self, peer: &RadioPeer) -> Result<Option<Found>, RadioTrouble> {
        self.scan(SCANS, |objects| Ok(find(objects, peer)?.filter(|it| it.is_near))).await
    }

    /// Connects to the device, and finds its characteristics.
    pub(super) async fn connect(
        &mut self,
        peer: &RadioPeer,
        ports: GattPorts,
    ) -> Result<Connected, RadioTrouble> {
        let known = find(&self.objects().await?, peer)?;
        let found = match known {
            Some(known) => known,
            None => self.listen(peer).await?.ok_or(RadioTrouble::OutOfReach)?,
        };
        if !found.is_connected {
            let asked = self.call(&found.path, (DEVICE, "Connect"), &()).await;
            asked.map_err(|e| match trouble(&e) {
                // However it says so: the kernel has called, and nobody has answered.
                RadioTrouble::Said(_) | RadioTrouble::Slow => RadioTrouble::OutOfReach,
                other => other,
            })?;
        }
        let end = Instant::now() + RESOLVES;
        loop {
            let objects = self.objects().await?;
            let device = objects.get(&found.path).and_then(|of| of.get(DEVICE));
            let device = device.ok_or(RadioTrouble::OutOfReach)?;
            if !is_set(device, "Connected") {
                return Err(RadioTrouble::Lost);
            }
            if is_set(device, "ServicesResolved") {
                return characteristics(&objects, found, ports).ok_or(RadioTrouble::NotTheMaker);
            }
            if Instant::now() >= end {
                return Err(RadioTrouble::Slow);
            }
            sleep(LOOK).await;
        }
    }

    /// What changes about the device from now on, and whether BlueZ itself goes.
    pub(super) async fn watch(
        &self,
        device: &OwnedObjectPath,
    ) -> Result<(MessageStream, MessageStream), RadioTrouble> {
        let owner = self.owner.clone().ok_or(RadioTrouble::NoService)?;
        let rule = |sender: &str, interface: &'static str, member: &'static str| {
            MatchRule::builder()
                .msg_type(Type::Signal)
                .sender(sender.to_owned())
                .interface(interface)
                .member(member)
        };
        let changes = rule(&owner, "org.freedesktop.DBus.Properties", "PropertiesChanged")
            .path_namespace(device.clone())
            .build();
        let owners = rule("org.freedesktop.DBus", "org.freedesktop.DBus", "NameOwnerChanged")
            .arg(0, BLUEZ)
            .build();
        let watch = async |rule: zbus::Result<MatchRule<'_>>| {
            let rule = rule.map_err(|e| trouble(&e))?;
            MessageStream::for_match_rule(rule, &self.connection, None)
                .await
                .map_err(|e| trouble(&e))
        };
        Ok((watch(changes).await?, watch(owners).await?))
    }

    /// What this characteristic says is told from now on.
    pub(super) async fn start(&self, path: &OwnedObjectPath) -> Result<(), RadioTrouble> {
        let started = self.call(path, (CHARACTERISTIC, "StartNotify"), &()).await;
        started.map(|_| ()).map_err(|e| trouble(&e))
    }

    /// Writes this to the characteristic, as it wants to be written to.
    pub(super) async fn write(
        &self,
        path: &OwnedObjectPath,
        bytes: Vec<u8>,
    ) -> Result<(), RadioTrouble> {
        let options: HashMap<&str, Variant<'_>> = HashMap::new();
        let written = self.call(path, (CHARACTERISTIC, "WriteValue"), &(bytes, options)).await;
        written.map(|_| ()).map_err(|e| trouble(&e))
    }

    /// Ends the connection to the device.
    pub(super) async fn disconnect(&self, device: &OwnedObjectPath) -> Result<(), zbus::Error> {
        self.call(device, (DEVICE, "Disconnect"), &()).await.map(|_| ())
    }
}

/// The characteristics of this device, if it has these.
fn characteristics(objects: &Objects, found: Found, ports: GattPorts) -> Option<Connected> {
    let of_device = format!("{}/", found.path.as_str());
    let with = |uuid: &str| {
        objects.iter().find_map(|(path, of)| {
            let of = of.get(CHARACTERISTIC).filter(|_| path.starts_with(&of_device))?;
            text(of, "UUID").eq_ignore_ascii_case(uuid).then_some((path.clone(), of))
        })
    };
    let ((from_board, _), (to_board, of)) = (with(ports.from_board)?, with(ports.to_board)?);
    // Older versions of BlueZ do not say what the link carries.
    let mtu = of.get("MTU").and_then(|it| u16::try_from(&**it).ok()).unwrap_or(0);
    let n_at_once = usize::from(mtu.saturating_sub(3).max(LEAST_AT_ONCE));
    let Found { path: device, address, .. } = found;
    Some(Connected { device, address, from_board, to_board, n_at_once })
}

/// What is in reach, by addresses and names, without connecting to any of it.
///
/// # Errors
/// There is no radio that works.
pub(in crate::shell) async fn near() -> Result<Vec<(String, String)>, RadioTrouble> {
    let mut bluez = Bluez::reach().await?;
    let mut near = BTreeSet::new();
    let all_near = |objects: &Objects| {
        let devices = objects.values().filter_map(|of| of.get(DEVICE));
        let heard = devices.filter(|of| is_set(of, "Connected") || of.contains_key("RSSI"));
        near.extend(heard.map(|of| (text(of, "Address"), text(of, "Name"))));
        Ok(None::<()>)
    };
    bluez.scan(LISTENS, all_near).await?;
    Ok(near.into_iter().filter(|(address, name)| !address.is_empty() && !name.is_empty()).collect())
}

/// Whether a board is there that is meant, without connecting to it: its name and address.
///
/// # Errors
/// It is not there, or there is no radio that works.
pub(in crate::shell) async fn look(peer: &RadioPeer) -> Result<String, RadioTrouble> {
    let mut bluez = Bluez::reach().await?;
    let known = find(&bluez.objects().await?, peer)?.filter(|it| it.is_near);
    let found = match known {
        Some(known) => Some(known),
        None => bluez.listen(peer).await?,
    };
    let found = found.ok_or(RadioTrouble::OutOfReach)?;
    let is = if found.is_connected { "is connected to this machine" } else { "is in reach" };
    Ok(format!("{found} {is}"))
}
