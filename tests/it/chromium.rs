//! A real browser for tests of the pages: headless Chromium, driven through chromedriver. Each test
//! starts its own on a free port, and nothing of it is left when the test ends, however it ends.

use std::process::Stdio;
use std::time::Duration;

use fantoccini::error::CmdError;
use fantoccini::wd::PrintConfiguration;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

/// How long a page may take to show something. Generous: the machine may be busy building.
const LIMIT: Duration = Duration::from_secs(120);
/// How often it is asked.
const POLL: Duration = Duration::from_millis(20);
/// How often a browser is started until one is there: the port that its driver finds free for one
/// protocol may be taken for the other, and then it ends at once.
const TRIES: usize = 5;
/// Headless, and silent towards the network.
const FLAGS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];
const MISSING: &str = "this test drives a real browser: install the packages chromium and \
                       chromium-driver";

/// One browser with one window.
#[derive(Debug)]
pub(crate) struct Chromium {
    client: Client,
    driver: Child,
    _profile: TempDir,
}

impl Chromium {
    /// Starts a browser that knows nothing of any earlier one.
    pub(crate) async fn start() -> Self {
        Self::start_as(Value::Null).await
    }

    /// Starts one with the screen of a telephone: no window can be as small.
    pub(crate) async fn of_size(width: u32, height: u32) -> Self {
        let screen = json!({ "width": width, "height": height, "pixelRatio": 1.0 });
        Self::start_as(json!({ "deviceMetrics": screen })).await
    }

    /// Starts one that behaves as this device, if any is named.
    async fn start_as(device: Value) -> Self {
        let mut all = Vec::new();
        for _ in 0..TRIES {
            match Self::try_to_start(&device).await {
                Ok(started) => return started,
                Err(why) => all.push(why),
            }
        }
        panic!("no browser: {}; {MISSING}", all.join("; "));
    }

    async fn try_to_start(device: &Value) -> Result<Self, String> {
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            // What the browser leaves behind goes away with the profile.
            .env("TMPDIR", profile.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|e| format!("chromedriver cannot be started ({e})"))?;
        let mut lines = BufReader::new(driver.stdout.take().expect("piped, above")).lines();
        let port = async {
            while let Some(line) = lines.next_line().await.expect("text from chromedriver") {
                if let Some((_, port)) = line.split_once("started successfully on port ") {
                    return Some(port.trim_end_matches('.').to_owned());
                }
            }
            None
        };
        let port = timeout(LIMIT, port).await.expect("chromedriver names its port");
        let port = port.ok_or("chromedriver ended at once")?;

        let mut args: Vec<_> = FLAGS.map(str::to_owned).into();
        args.push(format!("--user-data-dir={}", profile.path().display()));
        let mut options = json!({ "args": args });
        if !device.is_null() {
            options["mobileEmulation"] = device.clone();
        }
        let wanted = json!({ "goog:chromeOptions": options });
        let Value::Object(wanted) = wanted else { unreachable!("an object, above") };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .map_err(|e| format!("no browser for chromedriver ({e})"))?;
        Ok(Self { client, driver, _profile: profile })
    }

    /// Opens a page and waits until its parts are loaded.
    pub(crate) async fn open(&self, url: &str) {
        timeout(LIMIT, self.client.goto(url)).await.expect("a page in time").expect("a page");
    }

    /// What a JavaScript expression is on the page, now.
    pub(crate) async fn ask(&self, expression: &str) -> Value {
        self.try_to_ask(expression)
            .await
            .unwrap_or_else(|e| panic!("the page cannot answer {expression}: {e}"))
    }

    async fn try_to_ask(&self, expression: &str) -> Result<Value, CmdError> {
        self.client.execute(&format!("return ({expression});"), Vec::new()).await
    }

    /// What is wrong with the page for those who see, hear or use it otherwise, as axe finds it.
    pub(crate) async fn barriers(&self) -> Vec<String> {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pages/node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(path)
            .unwrap_or_else(|e| panic!("{path}: {e}; run `npm --prefix tests/pages ci`"));
        self.client.execute(&axe, Vec::new()).await.expect("axe on the page");
        let run = "const told = arguments[0];
            axe.run().then(({ violations }) => told(violations.map(({ id, nodes }) =>
                `${id}: ${nodes.map(node => node.target.join(' ')).join(', ')}`)));";
        let found = self.client.execute_async(run, Vec::new()).await.expect("an answer of axe");
        serde_json::from_value(found).expect("a list of sentences")
    }

    /// Waits until the expression has this value; otherwise fails with what it was at the end.
    pub(crate) async fn wait_for(&self, expression: &str, wanted: impl Into<Value>) {
        let (wanted, end) = (wanted.into(), Instant::now() + LIMIT);
        loop {
            // What is asked for may not be there yet.
            let found = self.try_to_ask(expression).await;
            if matches!(&found, Ok(found) if *found == wanted) {
                return;
            }
            assert!(Instant::now() < end, "{expression}\n  is:     {found:?}\n  wanted: {wanted}");
            sleep(POLL).await;
        }
    }

    /// Prints the page, and has what this expression is on the paper.
    pub(crate) async fn on_paper(&self, expression: &str) -> Value {
        // The page hears of the paper before it is printed, and is laid out for it by then.
        self.ask(&format!(
            "(matchMedia('print').onchange = ({{ matches }}) => {{
                if (matches) window.onPaper = {expression};
            }}, 0)"
        ))
        .await;
        let usual = PrintConfiguration::builder().build().expect("the usual paper");
        self.client.print(usual).await.expect("a printed page");
        self.ask("window.onPaper ?? null").await
    }

    /// The size of the page in its window.
    pub(crate) async fn resize(&self, width: u32, height: u32) {
        // A window has a frame, and the page has what is left.
        let frame = self.ask("[outerWidth - innerWidth, outerHeight - innerHeight].join()").await;
        let frame: Vec<u32> =
            frame.as_str().expect("text").split(',').map(|n| n.parse().expect("pixels")).collect();
        let [w, h] = frame[..] else { panic!("a frame of {frame:?}") };
        self.client.set_window_size(width + w, height + h).await.expect("a window");
        let size = format!("{width},{height}");
        self.wait_for("[innerWidth, innerHeight].join()", size).await;
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The browser is in the group of its driver, and asks nothing of us when it ends.
        let group = self.driver.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(group) = group {
            kill_process_group(group, Signal::KILL).ok();
        }
    }
}
