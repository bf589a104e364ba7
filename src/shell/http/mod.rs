//! The public side of the daemon: pages, the view as it changes, and the game as PGN.
//!
//! It is read only, and runs on a thread of its own, with another in front of it that lets people
//! in and answers health checks itself (`door`, `health`). Nothing that a client does or fails to
//! do may reach the recording: this side holds receivers of [`tokio::sync::watch`] and nothing else
//! (`relay`), every wait for a client has a limit (`door`, `viewer`), nobody can take all the seats
//! (`seats`), and no path from the network names a file (`pages`).

mod door;
mod form;
mod hall;
mod health;
mod livechess;
mod metrics;
mod pages;
mod past;
mod relay;
mod rounds;
mod seats;
mod speech;
mod tournament;
mod view;
mod viewer;

pub(super) use door::Asker;
pub(super) use form::{escape, serve_form};
pub(super) use rounds::{of_event, of_others};
pub use seats::Seats;

use std::future::{Future, IntoFuture};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection};
use axum::extract::{ConnectInfo, Path, RawQuery, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state, map_response_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::apart::{Apart, Share};
use super::book::Book;
use super::counts::Counts;
use super::delays::Delays;
use super::past::PastGames;
use super::report::Outlook;
use super::status::Status;
use crate::game::Game;
use crate::relay::livechess::Live;
use crate::relay::view::View;
use crate::time::Stamp;
use door::{Caller, Desks, Door};
use health::Health;
use relay::Local;
use seats::House;
use speech::{Addressee, sentence};

/// The thread at the door gives way to the boards, and the pages' thread to it.
const AT_DOOR: Share = Share::Nice(5);
/// How long clients have to leave after the stop.
const GRACE: Duration = Duration::from_secs(2);
/// How often it is looked whether they have.
const LEAVE_STEP: Duration = Duration::from_millis(5);
/// An answer that would have to wait for longer is refused.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How long one message to a viewer may take to leave.
const SEND_MAX: Duration = Duration::from_secs(5);
/// The longest message that a viewer may send; all are ignored.
const HEARD_MAX_BYTES: usize = 1024;
const JSON: &str = "application/json";
/// Pieces and squares are pictures inside the style sheets, hence `data:`; nothing comes from
/// elsewhere, and nothing on the page is a script or a style of its own.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; object-src 'none'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors";

/// What is known of one board, for whoever looks.
#[derive(Clone, Debug)]
pub struct Feed {
    /// The board's name, as it stands in addresses: `/board/table-1`.
    pub name: String,
    /// The newest view document.
    pub view: watch::Receiver<Arc<ShownView>>,
    /// The game so far as PGN; empty before there is one. Behind a move that the Laws do not allow
    /// another game goes on.
    pub pgn: watch::Receiver<Arc<str>>,
    /// The same games, each by itself, where nothing is paired.
    pub parts: watch::Receiver<Arc<[String]>>,
    /// The games of the event, if the board is paired in one.
    pub book: watch::Receiver<Arc<Book>>,
    /// The games before the last one.
    pub past: watch::Receiver<Arc<PastGames>>,
    /// What programs may know of the board.
    pub live: watch::Receiver<Arc<Live>>,
    /// What stands for the game until then in a file of all boards: its tags.
    pub awaited: watch::Receiver<Arc<str>>,
    /// Whether `pgn` is that of the whole record.
    pub is_ready: watch::Receiver<bool>,
    /// How its recording stands.
    pub status: watch::Receiver<Status>,
    /// How long its records take.
    pub delays: Arc<Delays>,
    /// What has happened there.
    pub counts: Arc<Counts>,
}

/// What is said at an address.
#[derive(Clone, Debug)]
pub enum Speaks {
    /// Pages, views and PGN.
    Pages,
    /// The interface of LiveChess, to pages of these sites too.
    LiveChess {
        /// As in the header `Origin`.
        origins: Vec<String>,
    },
}

/// All that is served.
#[derive(Clone, Debug)]
pub struct Site {
    /// What is said there.
    pub speaks: Speaks,
    /// The boards, and how everything stands.
    pub outlook: Outlook,
    /// Addresses that may know of it what is the arbiter's.
    pub trusted: Vec<IpAddr>,
    /// How many clients there may be.
    pub seats: Seats,
    /// Names of this machine, beside its addresses and `localhost`.
    pub names: Vec<String>,
    /// Sites whose pages may have these in them, as `frame-ancestors` of a policy has them.
    pub embed: Vec<String>,
}

/// A view document and when it was made. The server passes it on unread.
#[derive(Clone, Debug)]
pub struct ShownView {
    /// One JSON object.
    pub text: String,
    /// When `text` was true; its clocks are read as of then.
    pub made: Instant,
    /// The public is behind the board: only the board's gate may say what it sees.
    pub is_behind: bool,
}

impl ShownView {
    /// What is to be shown of a game now.
    pub(super) fn of(name: &str, game: &Game, at: Stamp) -> Self {
        let text = View::new(name, game, at.mono).to_json();
        Self { text, made: Instant::now(), is_behind: false }
    }

    /// Shows the `public` of a board this, which is the board's own, unless it is behind the board.
    pub(super) fn show_own(self: Arc<Self>, public: &watch::Sender<Arc<Self>>) {
        public.send_if_modified(|shown| {
            let may_see = !shown.is_behind;
            if may_see {
                *shown = self;
            }
            may_see
        });
    }

    /// The document with its age now and how its recording stands:
    /// `{"age_ms":12,"recorded":true,"head":"431:9c3f...","warning":null,"view":{...}}`.
    fn envelope(&self, status: &Status) -> String {
        let age = self.made.elapsed().as_millis();
        let is_recorded = status.is_recorded();
        // It grows with each move, and at once.
        let head = status.head.as_deref().filter(|_| !self.is_behind).unwrap_or_default();
        let warning = serde_json::json!(status.warning());
        format!(
            "{{\"age_ms\":{age},\"recorded\":{is_recorded},\"head\":\"{head}\",\
             \"warning\":{warning},\"view\":{}}}",
            self.text
        )
    }
}

impl Feed {
    /// The newest document, with how its recording stands.
    fn envelope(&self, shown: &ShownView) -> String {
        shown.envelope(&self.status.borrow())
    }
}

/// The hall, as those who answer are given it.
type InHall = State<Arc<Hall>>;
/// What an address names, if that can be read.
type Named<T = String> = Result<Path<T>, PathRejection>;
/// A line that is asked for.
type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// Why the pages could not be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// Two boards would share an address.
    #[error("two boards are named {0:?}: give each board its own name")]
    SameName(String),
    /// The listener failed for good.
    #[error("the web server stopped")]
    Serve(#[source] io::Error),
}

/// What every request can see.
#[derive(Debug)]
struct Hall {
    boards: Vec<Local>,
    /// What a page with all of them shows.
    tiles: watch::Receiver<hall::Tiles>,
    /// Who gathers them waits for somebody to look.
    looked: Arc<Notify>,
    /// Counts the viewers that came.
    n_viewers: AtomicUsize,
    /// Turns true once, when everybody has to leave.
    closing: watch::Receiver<bool>,
}

impl Hall {
    fn feeds(&self) -> impl Iterator<Item = &Feed> {
        self.boards.iter().map(|board| &board.feed)
    }

    fn board(&self, name: Named) -> Option<&Local> {
        let Path(name) = name.ok()?;
        self.boards.iter().find(|board| board.feed.name == name)
    }

    fn feed(&self, name: Named) -> Option<&Feed> {
        self.board(name).map(|board| &board.feed)
    }
}

/// Serves `site` on `listener` until `stop` is ready, then sends everybody home and returns, at
/// most two seconds later.
///
/// # Errors
/// Two feeds of one name, or a listener that fails for good.
pub async fn serve(listener: TcpListener, site: Site, stop: impl Future) -> Result<(), HttpError> {
    let Site { speaks, outlook, trusted, seats, names, embed } = site;
    let feeds = outlook.feeds.clone();
    for (i, feed) in feeds.iter().enumerate() {
        if feeds[..i].iter().any(|other| other.name == feed.name) {
            return Err(HttpError::SameName(feed.name.clone()));
        }
    }
    let house = House::new(seats);
    let health = Arc::new(Health { outlook, trusted, house: Arc::clone(&house) });
    let rules = Arc::new(HouseRules::new(names, &embed));
    let (close, closing) = watch::channel(false);
    let (pages, callers) = mpsc::channel(door::WAITING);
    let address = listener.local_addr().map_err(HttpError::Serve)?;
    let checks = guarded(health::routes(Arc::clone(&health)), Arc::clone(&rules));
    let checks = health::hanging_up(checks);
    let mut front = receive_callers(listener, Arc::clone(&house), pages, checks, closing.clone())
        .map_err(HttpError::Serve)?;

    let mut relays = JoinSet::new();
    let boards: Vec<_> = feeds.into_iter().map(|feed| Local::new(feed, &mut relays)).collect();
    let (told, tiles) = watch::channel(hall::Tiles::default());
    let looked = Arc::new(Notify::new());
    if matches!(speaks, Speaks::Pages) {
        let feeds = boards.iter().map(|board| board.feed.clone()).collect();
        relays.spawn(hall::gather(feeds, told, Arc::clone(&looked)));
    }
    let n_viewers = AtomicUsize::new(0);
    let hall = Hall { boards, tiles, looked, n_viewers, closing: closing.clone() };
    let app = match speaks {
        Speaks::Pages => router(hall, health),
        Speaks::LiveChess { origins } => livechess::routes(hall, origins, &mut relays),
    };
    let app = guarded(app, rules);
    let mut server = serve_callers(Door::new(callers, address), app, closing).into_future();

    tokio::select! {
        ended = &mut server => return ended.map_err(HttpError::Serve),
        () = front.over() => {
            return Err(HttpError::Serve(io::Error::other("nobody is let in any more")));
        }
        _ = stop => {}
    }
    close.send_replace(true);
    let leave = async {
        front.over().await;
        server.await.map_err(HttpError::Serve)?;
        // WebSockets are no longer the server's, but they still sit.
        while house.n_taken() > 0 {
            sleep(LEAVE_STEP).await;
        }
        Ok(())
    };
    timeout(GRACE, leave).await.unwrap_or(Ok(()))
}

/// Lets everybody in on a thread of its own, which answers health checks itself.
fn receive_callers(
    listener: TcpListener,
    house: Arc<House>,
    pages: mpsc::Sender<Caller>,
    app: Router,
    closing: watch::Receiver<bool>,
) -> io::Result<Apart> {
    let address = listener.local_addr()?;
    let listener = listener.into_std()?;
    let (checks, callers) = mpsc::channel(door::WAITING);
    Apart::start("door", AT_DOOR, move || async move {
        let Ok(listener) = TcpListener::from_std(listener) else { return };
        let server = serve_callers(Door::new(callers, address), app, closing.clone());
        let server = tokio::spawn(server.into_future());
        door::admit(listener, house, Desks { checks, pages }, closing).await;
        server.abort();
    })
}

/// Answers with `app` whoever comes through `door`.
fn serve_callers(
    door: Door,
    app: Router,
    mut closing: watch::Receiver<bool>,
) -> impl IntoFuture<Output = io::Result<()>, IntoFuture: Send + Unpin> {
    let app = app.into_make_service_with_connect_info::<Asker>();
    axum::serve(door, app).with_graceful_shutdown(async move {
        // An error means that `serve` itself was dropped: the same order.
        closing.wait_for(|closed| *closed).await.ok();
    })
}

fn router(hall: Hall, health: Arc<Health>) -> Router {
    Router::new()
        .route("/", get(front))
        .route("/board/{name}", get(page))
        .route("/board/{name}/ws", get(watch_board))
        .route("/board/{name}/view.json", get(view))
        .route("/board/{name}/game.pgn", get(game))
        .route("/board/{name}/games.json", get(past::list))
        .route("/board/{name}/games/{number}", get(past::game))
        .route("/words/{language}", get(past::words))
        .route("/hall", get(hall::page))
        .route("/hall/ws", get(hall::watch_all))
        .route("/games.pgn", get(rounds::all))
        .route("/round/{number}/games.pgn", get(rounds::one))
        .route("/assets/{name}", get(asset))
        .with_state(Arc::new(hall))
        .merge(health::routes(health))
}

/// What holds for all requests and answers.
#[derive(Debug)]
struct HouseRules {
    /// Of this machine.
    names: Vec<String>,
    policy: HeaderValue,
}

impl HouseRules {
    fn new(names: Vec<String>, embed: &[String]) -> Self {
        let frames = if embed.is_empty() { "'none'".to_owned() } else { embed.join(" ") };
        let policy = HeaderValue::from_str(&format!("{POLICY} {frames}"));
        // The settings take no site that does not fit into a header.
        let policy = policy.unwrap_or(HeaderValue::from_static("default-src 'none'"));
        Self { names, policy }
    }
}

/// `routes` as the network may see them.
fn guarded(routes: Router, rules: Arc<HouseRules>) -> Router {
    routes
        .fallback(nothing_here)
        .method_not_allowed_fallback(only_reading)
        .layer(from_fn_with_state(Arc::clone(&rules), receive))
        .layer(map_response_with_state(rules, guard))
}

/// What holds for every request: it names this machine, and nobody asks all the time.
///
/// A page from elsewhere can give its own name our address, and would then be let in by the browser
/// as one of ours; but it cannot hide that name.
async fn receive(
    State(rules): State<Arc<HouseRules>>,
    ConnectInfo(Asker(seat)): ConnectInfo<Asker>,
    request: Request,
    next: Next,
) -> Response {
    let addressee = Addressee::of(&request);
    let is_health_check = matches!(request.uri().path(), "/healthz" | "/readyz" | "/metrics");
    let wait = seat.wait(is_health_check);
    if wait > WAIT_MAX {
        return addressee.told(sentence(StatusCode::TOO_MANY_REQUESTS, "http too-many"));
    }
    if !wait.is_zero() {
        sleep(wait).await;
    }
    if !is_for_us(request.headers(), &rules.names) {
        return addressee.told(sentence(StatusCode::MISDIRECTED_REQUEST, "http name"));
    }
    addressee.told(next.run(request).await)
}

/// Whether `Host` is an address, `localhost`, or one of these names.
fn is_for_us(headers: &HeaderMap, names: &[String]) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Ok(Ok(authority)) = host.to_str().map(str::parse::<Authority>) else { return false };
    let host = authority.host().trim_end_matches('.');
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok()
        || host.eq_ignore_ascii_case("localhost")
        || names.iter().any(|name| host.eq_ignore_ascii_case(name))
}

/// One board: its page. Several: the list of them.
async fn front(State(hall): InHall, RawQuery(query): RawQuery, request: Request) -> Response {
    match hall.boards.as_slice() {
        [only] => {
            let query = query.map_or_else(String::new, |query| format!("?{query}"));
            let page = pages::address(&only.feed.name);
            Redirect::temporary(&format!("{page}{query}")).into_response()
        }
        boards => {
            let names = boards.iter().map(|board| board.feed.name.as_str());
            pages::list(Addressee::of(&request).language, names)
        }
    }
}

async fn page(State(hall): InHall, name: Named, headers: HeaderMap) -> Response {
    match hall.feed(name) {
        Some(_) => pages::file("index.html", &headers).unwrap_or_else(missing),
        None => no_such_board(),
    }
}

async fn asset(name: Named, headers: HeaderMap) -> Response {
    match name {
        Ok(Path(name)) => pages::file(&name, &headers).unwrap_or_else(missing),
        Err(_) => missing(),
    }
}

async fn view(State(hall): InHall, name: Named) -> Response {
    let Some(feed) = hall.feed(name) else { return no_such_board() };
    let text = feed.envelope(&feed.view.borrow());
    fresh(JSON, text)
}

async fn game(State(hall): InHall, name: Named, headers: HeaderMap) -> Response {
    let Some(feed) = hall.feed(name) else { return no_such_board() };
    let text = feed.pgn.borrow().to_string();
    pgn(text, &headers)
}

/// Games as PGN. The page of any site may read them: that is what broadcasters' pages do, and it is
/// no more than whoever may be told anything is told.
fn pgn(text: String, headers: &HeaderMap) -> Response {
    let mut response = cached("application/x-chess-pgn; charset=utf-8", text, headers);
    let all = HeaderValue::from_static("*");
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, all);
    response
}

/// A text of this type that is of now, and is not kept.
fn fresh(mime: &'static str, text: String) -> Response {
    ([(header::CONTENT_TYPE, mime), (header::CACHE_CONTROL, "no-store")], text).into_response()
}

/// A text of this type, or "not changed" for a client that has it.
fn cached(mime: &'static str, text: String, headers: &HeaderMap) -> Response {
    let mut hash = DefaultHasher::new();
    text.hash(&mut hash);
    let etag = format!("\"{:016x}\"", hash.finish());
    let known = pages::is_known(headers, &etag);
    let about = [
        (header::CONTENT_TYPE, mime.to_owned()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::ETAG, etag),
    ];
    if known {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, text).into_response()
}

/// The view as it changes. Only pages of this very host may ask: a page from elsewhere, open in a
/// browser on this network, must not become a window into it.
async fn watch_board(
    State(hall): InHall,
    ConnectInfo(Asker(seat)): ConnectInfo<Asker>,
    name: Named,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Response {
    let Some(board) = hall.board(name) else { return no_such_board() };
    let line = match line_for(&seat, &headers, upgrade) {
        Ok(line) => line,
        Err((status, why)) => return sentence(status, why),
    };
    let feed = board.for_viewer(hall.n_viewers.fetch_add(1, Ordering::Relaxed));
    let closing = hall.closing.clone();
    line.on_upgrade(move |socket| view::attend(socket, feed, closing))
}

/// A line for a viewer, if he may have one and there is a seat.
fn line_for(
    seat: &seats::Seat,
    headers: &HeaderMap,
    upgrade: Upgrade,
) -> Result<WebSocketUpgrade, (StatusCode, &'static str)> {
    if !is_same_host(headers) {
        return Err((StatusCode::FORBIDDEN, "http same-host"));
    }
    let Ok(upgrade) = upgrade else {
        return Err((StatusCode::UPGRADE_REQUIRED, "http websocket"));
    };
    if !seat.stay() {
        return Err((StatusCode::SERVICE_UNAVAILABLE, "http full"));
    }
    Ok(upgrade
        .read_buffer_size(HEARD_MAX_BYTES)
        .write_buffer_size(0)
        .max_message_size(HEARD_MAX_BYTES)
        .max_frame_size(HEARD_MAX_BYTES))
}

/// Whether `Origin` names the host that the request was sent to. A client that is no browser sends
/// no origin, and may come: all of this is public.
fn is_same_host(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let origin = match (origins.next(), origins.next()) {
        (None, _) => return true,
        (Some(origin), None) => origin,
        (Some(_), Some(_)) => return false,
    };
    let (Ok(host), Ok(origin)) = (host.to_str(), origin.to_str()) else { return false };
    origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"))
        .is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

async fn nothing_here() -> Response {
    missing()
}

async fn only_reading() -> Response {
    sentence(StatusCode::METHOD_NOT_ALLOWED, "http read-only")
}

fn missing() -> Response {
    sentence(StatusCode::NOT_FOUND, "http nothing")
}

fn no_such_board() -> Response {
    sentence(StatusCode::NOT_FOUND, "http no-board")
}

/// What every answer carries.
async fn guard(State(rules): State<Arc<HouseRules>>, mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, rules.policy.clone());
    for (name, value) in
        [(header::X_CONTENT_TYPE_OPTIONS, "nosniff"), (header::REFERRER_POLICY, "no-referrer")]
    {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
