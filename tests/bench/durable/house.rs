//! The daemon from its core to its page, and one viewer of the page in a thread of his own.

use super::disk::{Sync, Watched};
use crate::heard::{Heard, Listener};
use futures_util::StreamExt;
use rokade::game::Effect;
use rokade::relay::view::View;
use rokade::shell::disk::Disk;
use rokade::shell::host::HostState;
use rokade::shell::http::{self, Feed, Seats, ShownView, Site, Speaks};
use rokade::shell::journal::{
    BACKOFF, Batch, BootId, DiskStorage, Journal, Limits, Position, Writer,
};
use rokade::shell::now::Now;
use rokade::shell::publish::{After, Echo, Publisher};
use rokade::shell::record;
use rokade::shell::report::Outlook;
use rokade::shell::status::{Recording, Status};
use rokade::time::{Mono, Stamp};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::{oneshot, watch};
use tokio_tungstenite::{connect_async, tungstenite::Message};

/// One board's daemon without its line.
#[derive(Debug)]
pub(crate) struct House {
    runtime: Runtime,
    listener: Listener,
    writer: Writer<After, Watched>,
    _threads: Disk,
    syncs: Receiver<Sync>,
    frames: Frames,
    stop: oneshot::Sender<()>,
    /// The number in the newest document.
    number: u64,
}

/// Where a record has passed, and when.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Passed {
    /// It was given to the journal's thread.
    pub(crate) handed: Instant,
    pub(crate) sync: Sync,
    /// The viewer had it.
    pub(crate) framed: Instant,
}

/// The documents that the viewer got: their numbers, and when.
#[derive(Debug)]
struct Frames(tokio::sync::mpsc::UnboundedReceiver<(u64, Instant)>);

impl House {
    /// Opens a journal in `folder` and a page, and lets the viewer in.
    pub(crate) fn open(folder: &Path, listener: Listener) -> Self {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("an event loop");
        let (syncs_tx, syncs) = mpsc::channel();
        let storage = Watched { disk: DiskStorage::new(folder), syncs: syncs_tx };
        let boot = BootId::of_this_boot().expect("a boot");
        let (journal, _) =
            Journal::open_with(storage, boot, Limits::default(), &mut |_| {}).expect("a journal");
        let threads = Disk::start().expect("threads for the disk");
        let (writer, events) = Writer::start(&threads, journal, BACKOFF);
        let shown = shown(&listener, Mono::default(), 0);
        let (view, views) = watch::channel(shown);
        let on = Status { record: Recording::On, ..Status::default() };
        let status = watch::channel(on).0;
        let publisher = Publisher {
            name: "table-1".to_owned(),
            echo: Echo::Tracing,
            view,
            status: status.clone(),
            reached: writer.reached(),
            safe: watch::channel(Position::default()).0,
            late: None,
            delays: Arc::default(),
            // The disk is not watched here.
            sent: tokio::sync::mpsc::unbounded_channel().1,
        };
        let (stop, stopped) = oneshot::channel();
        let feed = Feed {
            name: "table-1".to_owned(),
            view: views,
            pgn: watch::channel(Arc::from("")).1,
            book: watch::channel(Arc::default()).1,
            past: watch::channel(Arc::default()).1,
            awaited: watch::channel(Arc::from("")).1,
            parts: tokio::sync::watch::channel(Arc::default()).1,
            live: watch::channel(Arc::default()).1,
            is_ready: watch::channel(true).1,
            status: status.subscribe(),
            delays: Arc::default(),
            counts: Arc::default(),
        };
        let pulse = watch::channel(tokio::time::Instant::now()).1;
        let seats = Seats::within(1_024, 1);
        let host = watch::channel(HostState::default()).1;
        let now = Now::start();
        let site = Site {
            speaks: Speaks::Pages,
            outlook: Outlook { feeds: vec![feed], pulse, pushed: Vec::new(), host, now },
            trusted: Vec::new(),
            seats,
            names: Vec::new(),
            embed: Vec::new(),
        };
        let address = runtime.block_on(async {
            tokio::spawn(publisher.run(events));
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("a bound port");
            tokio::spawn(async move { http::serve(listener, site, stopped).await });
            address
        });
        let mut frames = watch_page(address);
        runtime.block_on(frames.wait_for(0));
        Self { runtime, listener, writer, _threads: threads, syncs, frames, stop, number: 0 }
    }

    /// Hears, and waits until the page knows; nothing if there was nothing to record.
    pub(crate) fn hear(&mut self, at: Stamp, heard: &Heard) -> Option<Passed> {
        let mut lines = Vec::new();
        for effect in self.listener.hear(at, heard) {
            if let Effect::Record(entry) = effect {
                lines.push(record::line_of(&entry));
            }
        }
        if lines.is_empty() {
            return None;
        }
        // The page is told of every record here, also of those that leave it as it is.
        self.number += 1;
        let (rendered, news) = oneshot::channel();
        let batch = Batch { lines, after: After { shown: Some(news), ..After::default() } };
        let handed = Instant::now();
        self.runtime.block_on(self.writer.send(batch)).expect("a writer");
        let shown = shown(&self.listener, at.mono, self.number);
        rendered.send(shown).expect("a publisher");
        let framed = self.runtime.block_on(self.frames.wait_for(self.number));
        let sync = self.syncs.try_iter().last().expect("a sync before the frame");
        Some(Passed { handed, sync, framed })
    }

    /// Sends the viewer home.
    pub(crate) fn close(self) {
        self.stop.send(()).expect("a running server");
        self.writer.blocking_finish().expect("a journal");
    }
}

impl Frames {
    async fn wait_for(&mut self, number: u64) -> Instant {
        loop {
            let (found, at) = self.0.recv().await.expect("a viewer that stays");
            if found == number {
                return at;
            }
        }
    }
}

/// The view document with a number of its own in front.
fn shown(listener: &Listener, now: Mono, number: u64) -> Arc<ShownView> {
    let view = View::new("table-1", &listener.game, now).to_json();
    let text = format!("{{\"number\":{number},{}", view.strip_prefix('{').expect("an object"));
    Arc::new(ShownView { text, made: tokio::time::Instant::now(), is_behind: false })
}

/// Starts the viewer.
fn watch_page(address: SocketAddr) -> Frames {
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    thread::spawn(move || {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("an event loop").block_on(async move {
            let url = format!("ws://{address}/board/table-1/ws");
            let (mut viewer, _) = connect_async(url).await.expect("an open page");
            while let Some(Ok(message)) = viewer.next().await {
                let Message::Text(text) = message else { continue };
                let at = Instant::now();
                let rest = text.split_once("\"number\":").expect("a number").1;
                let digits = rest.split_once(',').expect("more than a number").0;
                // At the end nobody counts any more.
                sender.send((digits.parse().expect("a number"), at)).ok();
            }
        });
    });
    Frames(receiver)
}
