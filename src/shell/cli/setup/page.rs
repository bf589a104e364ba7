//! The same questions on a page, for whoever has no terminal on the machine.
//!
//! The page is there until it has been answered, and takes no answer without its code: whoever can
//! read the code has been let in to the machine already.

use super::super::{Failure, machine, runtime, say, status};
use super::file::SettingsFile;
use super::found::{self, FoundPort};
use super::questions::{KEY, PEGASUS, SetupAnswers, SetupQuestion, ports, questions};
use super::{daemon, ordered, set_time_zone};
use crate::shell::config::Config;
use crate::shell::http::{Asker, escape, serve_form};
use crate::shell::services::names;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Notify};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// A form with all names at their longest.
const FORM_MAX_BYTES: usize = 16 * 1024;
/// How long it may take to arrive.
const FORM_WITHIN: Duration = Duration::from_secs(10);
/// Of a code.
const N_DIGITS: usize = 8;
/// How long a wrong code holds up the next try, whoever makes it: a hundred million codes last.
const AFTER_WRONG: Duration = Duration::from_secs(1);
/// How often it is looked whether somebody has answered at a terminal meanwhile.
const LOOK: Duration = Duration::from_secs(2);
/// Between two times that it is listened for boards on Bluetooth.
const LISTENS_EVERY: Duration = Duration::from_secs(10);
/// How long the last answer may take to leave.
const GRACE: Duration = Duration::from_secs(5);
/// Nothing on the page is a script, or comes from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// What the page's requests see.
pub(super) struct Browser {
    file: SettingsFile,
    may_replace: bool,
    code: String,
    /// It waits beside the file, and was not made for this page.
    is_kept: bool,
    /// Boards that a radio has heard of late.
    on_air: Mutex<Vec<FoundPort>>,
    /// When the next code may be tried; held while one is.
    trial: Mutex<Instant>,
    /// The addresses that wait for that, once each: none can keep all others out.
    waiting: StdMutex<BTreeSet<IpAddr>>,
    /// The settings are written.
    done: Notify,
}

/// The turn of an address to try a code; given up when it is dropped.
struct CodeTurn<'a> {
    waiting: &'a StdMutex<BTreeSet<IpAddr>>,
    from: IpAddr,
}

impl<'a> CodeTurn<'a> {
    /// `None` while another try of the same address waits.
    fn of(waiting: &'a StdMutex<BTreeSet<IpAddr>>, from: IpAddr) -> Option<Self> {
        let mut all = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(from).then(|| Self { waiting, from })
    }
}

impl Drop for CodeTurn<'_> {
    fn drop(&mut self) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.from);
    }
}

/// What somebody entered, as it came: keys may repeat.
struct Form(Vec<(String, String)>);

impl Form {
    fn parse(bytes: &[u8]) -> Self {
        Self(form_urlencoded::parse(bytes).into_owned().collect())
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(it, _)| it == key).map(|(_, value)| value.trim())
    }

    fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(it, _)| it == key).map(|(_, value)| value.trim())
    }
}

impl Browser {
    /// One that opens with the code that waits beside the file, or with a new one.
    pub(super) fn new(file: SettingsFile, may_replace: bool) -> Result<Self, Failure> {
        let kept = fs::read_to_string(file.code()).unwrap_or_default();
        let is_kept = digits(&kept).len() == N_DIGITS;
        let made = if is_kept { Ok(digits(&kept)) } else { new_code() };
        let code = made.map_err(Failure::io("cannot make a code"))?;
        let (on_air, trial) = (Mutex::new(Vec::new()), Mutex::new(Instant::now()));
        let (waiting, done) = (StdMutex::default(), Notify::new());
        Ok(Self { file, may_replace, code, is_kept, on_air, trial, waiting, done })
    }

    /// Asks until there is an answer.
    pub(super) fn serve(self, address: SocketAddr) -> Result<(), Failure> {
        runtime()?.block_on(async {
            let listener = TcpListener::bind(address).await.map_err(|why| {
                Failure::Address(format!(
                    "cannot serve the page at {address} ({why}); use sudo, or another address: \
                     --browser 127.0.0.1:8080"
                ))
            })?;
            let address = listener.local_addr().map_err(Failure::io("cannot serve the page"))?;
            let (first, last) = self.code.split_at(N_DIGITS / 2);
            say(format!("Open {} and enter the code {first}-{last}.", daemon::openable(address)))?;
            self.until_answered(listener).await
        })
    }

    async fn until_answered(self, listener: TcpListener) -> Result<(), Failure> {
        let browser = Arc::new(self);
        let app = Router::new()
            .route("/", get(ask).post(answer))
            .route("/setup.css", get(style))
            .fallback(|| async { Redirect::to("/") })
            .with_state(Arc::clone(&browser));
        let over = Arc::new(Notify::new());
        let leave = Arc::clone(&over);
        let listens = Arc::clone(&browser);
        tokio::spawn(async move {
            loop {
                let heard = found::on_air().await;
                *listens.on_air.lock().await = heard;
                sleep(LISTENS_EVERY).await;
            }
        });
        let rules = (names(&[]), POLICY);
        let stop = async move { leave.notified().await };
        let mut server = tokio::spawn(serve_form(listener, app, rules, stop, GRACE));
        let answered_elsewhere = async {
            while !browser.is_kept || browser.file.code().exists() {
                sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = browser.done.notified() => {
                say(format!("{} is written.", browser.file.path.display()))?;
            }
            () = answered_elsewhere => say("The questions were answered elsewhere.")?,
            _ = &mut server => return Err(Failure::Other("the page's server stopped".into())),
        }
        over.notify_one();
        server.await.ok();
        Ok(())
    }

    /// Whether this is the code, once it may be tried; nothing while another try from the same
    /// address waits.
    async fn tries(&self, code: &str, from: IpAddr) -> Option<bool> {
        let _turn = CodeTurn::of(&self.waiting, from)?;
        let mut next = self.trial.lock().await;
        sleep_until(*next).await;
        let is_code = digits(code) == self.code;
        if !is_code {
            *next = Instant::now() + AFTER_WRONG;
        }
        Some(is_code)
    }

    /// Takes the answers; the page that says so, or says why not.
    async fn take(
        &self,
        form: &Form,
        headers: &HeaderMap,
        from: IpAddr,
    ) -> Result<String, Failure> {
        let mut wrong = Vec::new();
        match self.tries(form.get("code").unwrap_or_default(), from).await {
            Some(true) => {}
            Some(false) => wrong.push(("code", "That is not the code.".to_owned())),
            None => wrong.push(("code", "Another code is being tried; try again.".to_owned())),
        }
        let is_changed = self.file.is_changed()?;
        if is_changed && !self.may_replace && form.get("replace").is_none() {
            let why = "Somebody has changed the settings; allow that they are replaced.";
            wrong.push(("replace", why.to_owned()));
        }
        let answers = answers(form, &mut wrong);
        if !wrong.is_empty() {
            return self.page(form, &wrong).await;
        }
        if let Err(why) = self.file.write(&answers, is_changed) {
            return self.page(form, &[("", why.to_string())]).await;
        }
        let mut said = Vec::new();
        said.extend(answers.new_time_zone().map(set_time_zone));
        said.push(self.start());
        self.done.notify_one();
        Ok(written(&self.file, &answers, &said, headers))
    }

    /// Has the service take up what is written; what is said of that.
    fn start(&self) -> String {
        if !self.file.is_of_service() {
            let path = self.file.named.display();
            return format!("Now start it: rokade run --config {path}");
        }
        // Boards' loops end in order first, which nobody waits for here.
        match ordered(Command::new("systemctl").args(["--no-block", "restart", "rokade"])) {
            Ok(()) => "Rokade starts with these settings.".to_owned(),
            Err(why) => {
                format!("Rokade could not be started ({why}): sudo systemctl restart rokade")
            }
        }
    }

    async fn page(&self, form: &Form, wrong: &[(&str, String)]) -> Result<String, Failure> {
        let path = self.file.path.clone();
        let stands = tokio::task::spawn_blocking(move || stands(&path));
        let stands = stands.await.unwrap_or_default();
        let mut found = found::on_cables();
        found.extend(self.on_air.lock().await.iter().cloned());
        let mut body = questions_of(form, wrong, &stands, &found);
        if self.file.is_changed()? && !self.may_replace {
            body += &replace_field(form, wrong);
        }
        let place = if self.is_kept {
            let path = escape(&self.file.code().display().to_string());
            format!(
                "It was shown when the package was installed; <code>sudo cat {path}</code> shows \
                 it again."
            )
        } else {
            "It is shown where this page was started.".to_owned()
        };
        body += "</fieldset>\n";
        body += &code_field(form, wrong, &place);
        Ok(document(&body))
    }
}

/// Those of a text.
fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

fn new_code() -> io::Result<String> {
    let mut bytes = [0; 4];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:08}", u32::from_le_bytes(bytes) % 100_000_000))
}

/// The answers of a form, and what is wrong with them.
fn answers(form: &Form, wrong: &mut Vec<(&'static str, String)>) -> SetupAnswers {
    let meant = form.all("port").collect::<Vec<_>>().join(" ");
    let meant = if meant.trim().is_empty() { "auto" } else { &meant };
    let ports = ports(meant, &[]).unwrap_or_else(|why| {
        wrong.push(("port", why));
        Vec::new()
    });
    let mut answers = SetupAnswers { ports, ..SetupAnswers::default() };
    for question in questions(answers.ports.len()) {
        let answer = form.get(question.key).unwrap_or(&question.usual);
        let is_needed = !(question.key == "name" && answer.is_empty());
        let answer = if is_needed { answer } else { &question.usual };
        let is_idle = question.key == KEY
            && answer.is_empty()
            && answers.by_key.get("maker").is_none_or(|maker| maker != PEGASUS);
        if !is_idle && let Err(why) = question.check(answer) {
            wrong.push((question.key, why));
        }
        answers.by_key.insert(question.key, answer.to_owned());
    }
    answers
}

/// How the machine and the boards of the running daemon stand, as sentences.
fn stands(path: &Path) -> Vec<String> {
    let path = Some(path).filter(|it| it.exists());
    let Ok(config) = Config::load(path) else { return Vec::new() };
    let mut said = match status::public(config.http.listen) {
        Ok(report) => report.boards.iter().map(status::in_short).collect(),
        Err(_) => vec!["Rokade is not running yet.".to_owned()],
    };
    let boards: Vec<_> = config.boards.iter().collect();
    let findings = machine::look(&boards, Path::new("/"));
    said.extend(findings.iter().filter(|it| !it.is_good()).map(ToString::to_string));
    said
}

async fn ask(State(browser): State<Arc<Browser>>, RawQuery(query): RawQuery) -> Response {
    let form = Form::parse(query.unwrap_or_default().as_bytes());
    html(browser.page(&form, &[]).await)
}

async fn answer(
    State(browser): State<Arc<Browser>>,
    ConnectInfo(asker): ConnectInfo<Asker>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Ok(Ok(bytes)) = timeout(FORM_WITHIN, to_bytes(body, FORM_MAX_BYTES)).await else {
        return (StatusCode::BAD_REQUEST, "The form did not arrive completely; try again.\n")
            .into_response();
    };
    html(browser.take(&Form::parse(&bytes), &headers, asker.neighbors()).await)
}

async fn style() -> Response {
    let about = [(header::CONTENT_TYPE, "text/css"), (header::CACHE_CONTROL, "no-store")];
    (about, include_str!("../../../web/setup.css")).into_response()
}

fn html(page: Result<String, Failure>) -> Response {
    let page = match page {
        Ok(page) => page,
        Err(why) => return (StatusCode::INTERNAL_SERVER_ERROR, format!("{why}\n")).into_response(),
    };
    let about = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (about, page).into_response()
}

/// The form with the questions, as far as they are answered; its last part is yet to be closed.
fn questions_of(
    form: &Form,
    wrong: &[(&str, String)],
    stands: &[String],
    found: &[FoundPort],
) -> String {
    let mut body = String::from("<h1>Set up Rokade</h1>\n<form method=\"post\" action=\"/\">\n");
    if !wrong.is_empty() {
        let whole = wrong.iter().filter(|(key, _)| key.is_empty());
        let whole: String = whole.map(|(_, why)| format!(" {}", escape(why))).collect();
        body += &format!(
            "<p class=\"wrong\" role=\"alert\">Nothing was written yet: see what is \
             marked.{whole}</p>\n"
        );
    }
    let stands: String = stands.iter().map(|it| format!("<li>{}</li>\n", escape(it))).collect();
    body += &format!(
        "<fieldset><legend>The board</legend>\n<ul class=\"stands\">\n{stands}</ul>\n\
         <p><a href=\"/\">Look again</a></p>\n"
    );
    body += &port_fields(form, wrong, found);
    // Of several boards the others' names count on from the first.
    for question in questions(1) {
        body += match question.key {
            "white" => "</fieldset>\n<fieldset><legend>The game</legend>\n",
            "page" => "</fieldset>\n<fieldset><legend>This machine</legend>\n",
            _ => "",
        };
        body += &field(&question, form, wrong);
    }
    body
}

fn replace_field(form: &Form, wrong: &[(&str, String)]) -> String {
    let checked = if form.get("replace").is_some() { " checked" } else { "" };
    format!(
        "<label class=\"box\"><input type=\"checkbox\" name=\"replace\"{checked}> Somebody has \
         changed the settings. Replace them, and keep what is there as rokade.toml.old.\
         </label>\n{}",
        why(wrong, "replace")
    )
}

fn code_field(form: &Form, wrong: &[(&str, String)], place: &str) -> String {
    let code = escape(form.get("code").unwrap_or_default());
    format!(
        "<label>Code<span>{place}</span><input name=\"code\" value=\"{code}\" \
         inputmode=\"numeric\" autocomplete=\"off\" required></label>\n{}\
         <button>Write the settings and start</button>\n</form>\n",
        why(wrong, "code")
    )
}

fn port_fields(form: &Form, wrong: &[(&str, String)], found: &[FoundPort]) -> String {
    let named: Vec<_> = form.all("port").collect();
    let n_plugged_in = found.iter().filter(|it| it.is_plugged_in()).count();
    let mut text = String::new();
    for it in found {
        // One board is found wherever it is plugged in; of several each is named.
        let is_usual = n_plugged_in > 1 && it.is_plugged_in();
        let is_on = if named.is_empty() { is_usual } else { named.contains(&&*it.port) };
        let checked = if is_on { " checked" } else { "" };
        let (port, shown) = (escape(&it.port), escape(&it.to_string()));
        text += &format!(
            "<label class=\"box\">\
             <input type=\"checkbox\" name=\"port\" value=\"{port}\"{checked}> {shown}</label>\n"
        );
    }
    let others: Vec<_> =
        named.into_iter().filter(|it| !found.iter().any(|found| found.port == *it)).collect();
    let others = escape(&others.join(" "));
    let others_are = if found.is_empty() { "Ports of boards" } else { "Other ports of boards" };
    text + &format!(
        "<label>{others_are}<span>Leave all empty to look for one board. <code>gpio</code> \
         is a board of switches on the pins of this Pi, <code>bluetooth:</code> with its address \
         one on Bluetooth LE.</span>\
         <input name=\"port\" value=\"{others}\"></label>\n{}",
        why(wrong, "port")
    )
}

fn field(question: &SetupQuestion, form: &Form, wrong: &[(&str, String)]) -> String {
    let SetupQuestion { key, text, choices, usual } = question;
    // Whoever sees this page is in the network.
    let usual = if *key == "page" { "network" } else { usual };
    let given = form.get(key).unwrap_or(usual);
    let asks = escape(text);
    let mut out = format!("<label>{asks}");
    if choices.is_empty() {
        out += &format!("<input name=\"{key}\" value=\"{}\">", escape(given));
    } else {
        out += &format!("<select name=\"{key}\">\n");
        for (word, means) in choices {
            let selected = if *word == given { " selected" } else { "" };
            let means = escape(means);
            out += &format!("<option value=\"{word}\"{selected}>{means}</option>\n");
        }
        out += "</select>";
    }
    out += "</label>\n";
    out + &why(wrong, key)
}

/// What is wrong with the answer to this.
fn why(wrong: &[(&str, String)], key: &str) -> String {
    let here = wrong.iter().filter(|(it, _)| *it == key);
    here.map(|(_, why)| format!("<p class=\"wrong\">{}</p>\n", escape(why))).collect()
}

/// The page of whoever has answered.
fn written(
    file: &SettingsFile,
    answers: &SetupAnswers,
    said: &[String],
    headers: &HeaderMap,
) -> String {
    let mut body = format!(
        "<h1>Rokade is set up</h1>\n<p>The settings are in <code>{}</code>, which also explains \
         all others.</p>\n",
        escape(&file.path.display().to_string())
    );
    for line in said {
        body += &format!("<p>{}</p>\n", escape(line));
    }
    let listen = answers.listen();
    if listen.ip().is_loopback() {
        body +=
            &format!("<p>On this machine the games are at <code>http://{listen}/</code>.</p>\n");
    } else {
        let address = format!("http://{}:{}/", called(headers), listen.port());
        let address = escape(&address);
        body += &format!(
            "<p class=\"next\"><a href=\"{address}\">{address}</a></p>\n<p>That is the page of the \
             games: set up the pieces, and play. This setup page is closed now; <code>sudo rokade \
             setup --browser</code> brings it back.</p>\n"
        );
    }
    document(&body)
}

/// The name by which this machine was called, or one that it knows.
fn called(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let name = host.parse::<axum::http::uri::Authority>().map(|it| it.host().to_owned());
    name.unwrap_or_else(|_| "localhost".to_owned())
}

fn document(body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Rokade: setup</title>\n\
         <link rel=\"stylesheet\" href=\"/setup.css\">\n</head>\n<body>\n<main>\n{body}</main>\n\
         </body>\n</html>\n"
    )
}
