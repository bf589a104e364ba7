//! All that a network can send at once, and a server that is not ours for it to fall upon.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{interval, sleep};

/// Connections that ask without end. Of the others one in three only looks, and two say nothing.
const N_FLOODS: usize = 200;
/// How many come in all, unless `ROKADE_HALL_CROWD` says otherwise.
const N_CROWD: usize = 15_200;
/// So often the board that is looked at changes, and so many bytes are sent of that to each viewer.
const NEWS_EVERY: Duration = Duration::from_millis(150);
const N_NEWS_BYTES: usize = 2_000;
/// Who asks gets so many answers at once, as ours gives to a connection, and then waits so long.
const N_ANSWERS: usize = 20;
const ANSWERS_EVERY: Duration = Duration::from_secs(1);

fn event_loop() -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("an event loop")
}

/// How many come in all.
pub(crate) fn n_crowd() -> usize {
    crate::number("ROKADE_HALL_CROWD", N_CROWD)
}

/// Sends all that, until it is killed.
pub(crate) fn flood(address: SocketAddr) -> ! {
    let ask = format!("GET /board/table-0/game.pgn HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let stay = format!(
        "GET /board/table-0/ws HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n\
         Connection: upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    );
    let n_crowd = n_crowd();
    let n_viewers = n_crowd.saturating_sub(N_FLOODS) / 3;
    event_loop().block_on(async move {
        for n in 0..n_crowd {
            let words = match n {
                n if n < n_viewers => stay.clone(),
                n if n < n_viewers + N_FLOODS => ask.repeat(20),
                _ => String::new(),
            };
            tokio::spawn(come_again(address, words));
            if n % 50 == 0 {
                sleep(Duration::from_millis(10)).await;
            }
        }
        std::future::pending::<()>().await;
    });
    unreachable!("the clients never end")
}

/// One client, who comes again whenever he is sent away.
async fn come_again(address: SocketAddr, words: String) {
    let is_flood = words.len() > 1_000;
    let is_viewer = words.contains("websocket");
    let mut some = vec![0; 1 << 12];
    loop {
        let Ok(mut stream) = TcpStream::connect(address).await else { continue };
        if stream.write_all(words.as_bytes()).await.is_ok() {
            while let Ok(1..) = stream.read(&mut some).await {
                let more = match (is_flood, is_viewer) {
                    (true, _) => words.as_bytes(),
                    // A masked pong, which says that somebody looks.
                    (_, true) => &[0x8a, 0x80, 0, 0, 0, 0],
                    _ => &[],
                };
                if stream.write_all(more).await.is_err() {
                    break;
                }
            }
        }
        let wait = if words.is_empty() { 5_000 } else { 500 };
        sleep(Duration::from_millis(wait)).await;
    }
}

/// The control: a server of a few lines, on one thread, that knows no boards. It keeps whoever
/// comes, sends viewers as much as ours does, and answers who asks as often.
pub(crate) fn answer(address: SocketAddr) -> ! {
    event_loop().block_on(async move {
        let listener = TcpListener::bind(address).await.expect("the port");
        let (news, newest) = watch::channel(());
        tokio::spawn(async move {
            let mut beat = interval(NEWS_EVERY);
            loop {
                beat.tick().await;
                news.send_replace(());
            }
        });
        loop {
            let Ok((stream, _)) = listener.accept().await else { continue };
            tokio::spawn(attend(stream, newest.clone()));
        }
    })
}

/// Answers one client.
async fn attend(mut stream: TcpStream, mut news: watch::Receiver<()>) {
    let mut some = vec![0; 1 << 12];
    let text = vec![b' '; N_NEWS_BYTES];
    let Ok(n @ 1..) = stream.read(&mut some).await else { return };
    let is_viewer = some[..n].windows(7).any(|words| words == b"Upgrade");
    loop {
        if is_viewer {
            tokio::select! {
                _ = news.changed() => {
                    if stream.write_all(&text).await.is_err() {
                        return;
                    }
                }
                heard = stream.read(&mut some) => {
                    let Ok(1..) = heard else { return };
                }
            }
        } else {
            for _ in 0..N_ANSWERS {
                if stream.write_all(&text).await.is_err() {
                    return;
                }
            }
            sleep(ANSWERS_EVERY).await;
            let Ok(1..) = stream.read(&mut some).await else { return };
        }
    }
}
