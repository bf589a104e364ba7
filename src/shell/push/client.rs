//! One request after the other to a server that broadcasts, each with an end in sight.

use super::ftp;
use crate::relay::push::{Response, Upshot};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustls::pki_types::CertificateDer;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Body, RequestExt as _, Timeout, http};

/// A server that is there answers a connection within this time.
pub(super) const CONNECT_MAX: Duration = Duration::from_secs(10);
/// The games of a round over a line that is hardly one.
const SEND_MAX: Duration = Duration::from_secs(60);
/// A server that has all of it says what it makes of it within this time.
pub(super) const ANSWER_MAX: Duration = Duration::from_secs(20);
/// A whole attempt takes no longer than this.
const ATTEMPT_MAX: Duration = Duration::from_secs(120);
/// No answer is longer than this.
const ANSWER_MAX_BYTES: u64 = 1024 * 1024;

/// What a connection that never comes about may mean for a service: the unit drops what it sends.
pub(super) const WAY_OUT: &str = "; a server on the internet needs IPAddressAllow=any below \
                                  [Service] in what `systemctl edit rokade` opens";

/// What opens a server to us. It is in no log.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Secret {
    /// A token.
    Bearer(String),
    /// `user:password`.
    Basic(String),
    /// The server asks for none.
    None,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Secret {
    /// As it stands in the header `Authorization`.
    fn header(&self) -> Option<String> {
        match self {
            Self::Bearer(token) => Some(format!("Bearer {token}")),
            Self::Basic(login) => Some(format!("Basic {}", BASE64_STANDARD.encode(login))),
            Self::None => None,
        }
    }
}

/// The only line of a file, and whether others on this machine can read it.
///
/// # Errors
/// It cannot be read, or has no line, or several: a sentence without what is in it.
pub(super) fn read_line(path: &Path) -> Result<(String, bool), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let line = text.trim();
    if line.is_empty() || line.contains(char::is_control) {
        return Err(format!("{}: the file must have one line and nothing else", path.display()));
    }
    let mode = fs::metadata(path).map_or(0, |of| of.permissions().mode());
    Ok((line.to_owned(), mode & 0o004 != 0))
}

/// How a server is handed games.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// So many games in a request to Lichess.
    Push(usize),
    /// As a file, by the `PUT` of HTTP.
    Put,
    /// As a file, by the `STOR` of FTP.
    Store,
}

/// What is asked of a server.
#[derive(Clone, Debug)]
pub(super) struct Upload {
    pub(super) how: How,
    pub(super) address: String,
    pub(super) secret: Secret,
    pub(super) body: String,
}

/// Who asks. It keeps a connection for a while.
#[derive(Clone, Debug, Default)]
pub(super) struct Client {
    agent: Option<Agent>,
}

impl Client {
    /// Sends it, waits for the answer, which may take two minutes, and tells what it means.
    pub(super) fn send(&mut self, sending: &Upload) -> Upshot {
        match sending.how {
            How::Push(n) => self.ask(sending).map(|answer| answer.to_push(n)),
            How::Put => self.put(sending),
            How::Store => Ok(ftp::store(sending)),
        }
        .unwrap_or_else(Upshot::Failed)
    }

    /// Puts a file there. A server that answers with words instead of none is asked for what it
    /// has.
    fn put(&mut self, sending: &Upload) -> Result<Upshot, String> {
        let said = self.ask(sending)?;
        if said.status != 200 || said.body.is_empty() {
            return Ok(said.to_put());
        }
        let kept = self.asked(|agent| get(agent, sending))?;
        Ok(kept.to_look(&sending.body, &said))
    }

    fn ask(&mut self, sending: &Upload) -> Result<Response, String> {
        self.asked(|agent| ask(agent, sending))
    }

    /// What a server answers.
    ///
    /// # Errors
    /// No answer came: why, in one sentence.
    fn asked(
        &mut self,
        request: impl FnOnce(&Agent) -> Result<Response, ureq::Error>,
    ) -> Result<Response, String> {
        let agent = match self.agent.take() {
            Some(agent) => agent,
            None => agent()?,
        };
        let answer = request(&agent).map_err(|error| match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) if is_service() => {
                format!("it does not answer ({error}){WAY_OUT}")
            }
            ureq::Error::Timeout(_) => format!("it does not answer ({error})"),
            error => format!("it cannot be reached: {error}"),
        })?;
        // After a failure, authorities and connections are looked for anew.
        self.agent = Some(agent);
        Ok(answer)
    }
}

/// Whether a unit runs us, which may keep us in the hall's network.
pub(super) fn is_service() -> bool {
    std::env::var_os("STATE_DIRECTORY").is_some()
}

fn ask(agent: &Agent, sending: &Upload) -> Result<Response, ureq::Error> {
    let (method, kind) = if sending.how == How::Put {
        (http::Method::PUT, "application/x-chess-pgn; charset=utf-8")
    } else {
        (http::Method::POST, "text/plain; charset=utf-8")
    };
    let request = to(sending, method)?.header(http::header::CONTENT_TYPE, kind);
    read(request.body(sending.body.as_str())?.with_agent(agent).run()?, ANSWER_MAX_BYTES)
}

/// What is there where something was put.
fn get(agent: &Agent, sending: &Upload) -> Result<Response, ureq::Error> {
    let answer = to(sending, http::Method::GET)?.body(())?.with_agent(agent).run()?;
    read(answer, ANSWER_MAX_BYTES.max(sending.body.len() as u64 + 1))
}

/// The head of a request.
fn to(sending: &Upload, method: http::Method) -> Result<http::request::Builder, ureq::Error> {
    let request = http::Request::builder().method(method).uri(&sending.address);
    let Some(secret) = sending.secret.header() else { return Ok(request) };
    let mut value = http::HeaderValue::try_from(secret).map_err(http::Error::from)?;
    value.set_sensitive(true);
    Ok(request.header(http::header::AUTHORIZATION, value))
}

fn read(mut answer: http::Response<Body>, most: u64) -> Result<Response, ureq::Error> {
    let header = |name| {
        let value = answer.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let (retry_after, location) =
        (header(http::header::RETRY_AFTER), header(http::header::LOCATION));
    let status = answer.status().as_u16();
    // An answer that breaks off is judged by its status.
    let body = answer.body_mut().with_config().limit(most).read_to_vec().unwrap_or_default();
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Response { status, retry_after, location, body })
}

/// The authorities that this machine trusts.
///
/// # Errors
/// There are none.
pub(super) fn authorities() -> Result<Vec<CertificateDer<'static>>, String> {
    let known = rustls_native_certs::load_native_certs().certs;
    if known.is_empty() {
        return Err("this machine knows no certificate authorities: install ca-certificates".into());
    }
    Ok(known)
}

/// An agent that trusts whom this machine trusts, and leads no secret to another address.
fn agent() -> Result<Agent, String> {
    let known = authorities()?;
    let roots = known.iter().map(|der| Certificate::from_der(der.as_ref()).to_owned());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::from(roots))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    Ok(Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("rokade/", env!("CARGO_PKG_VERSION")))
        .timeout_connect(Some(CONNECT_MAX))
        .timeout_send_body(Some(SEND_MAX))
        .timeout_recv_response(Some(ANSWER_MAX))
        .timeout_recv_body(Some(ANSWER_MAX))
        .timeout_global(Some(ATTEMPT_MAX))
        .tls_config(tls)
        .build()
        .new_agent())
}
